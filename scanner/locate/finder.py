"""The order of the search: patches, lattices, windows of templates, then the bend of the paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from scanner.geometry import FloatArray, Homography, polygon_area, project
from scanner.intake import Photo
from scanner.locate.candidates import THRESHOLDS, find_patches
from scanner.locate.evidence import GrayImage, line_evidence, with_field_steps
from scanner.locate.fit import Window, aspect_possible, window_matrix, windows
from scanner.locate.honest import HEAVY_SEEN, Refusal
from scanner.locate.lattice import Lattice, find_lattices
from scanner.locate.pattern import Pattern, patterns, same_turns
from scanner.locate.placement import NotFound, Placement
from scanner.locate.prepare import smoothed, stretched
from scanner.locate.refine import Crossings, PrintedLines, refine
from scanner.templates import Template

WORKING_SIDE = 1000
"""Long side, in px, at which sheets are looked for: lines of a sheet that fills a third of it are still 2 px wide."""
MIN_CELL_PX = 9.0
"""Cells smaller than this in ``photo.rgb`` can't be read by anybody; such a lattice is no sheet to us."""
LARGE_ENOUGH = 0.10
"""Share of the picture from which a found sheet is taken for the one that was photographed, so that the search ends."""
MUCH_SMALLER = 0.2
"""A sheet with less than this share of the largest one's area is not one of the sheets that were photographed: it is
yesterday's solution, or a thumbnail."""
MAX_OVERLAP = 0.2


@dataclass(frozen=True, slots=True)
class _Found:
    window: Window
    lattice: Lattice
    matrix: Homography  # upright template's lattice coordinates -> px of the working picture
    corners: FloatArray  # px of the working picture, [4, 2]
    area: float


def _corners(matrix: Homography, window: Window) -> FloatArray:
    rows, cols = (window.rows, window.cols) if window.turns % 2 == 0 else (window.cols, window.rows)
    return project(matrix, np.array([[0, 0], [cols, 0], [cols, rows], [0, rows]], dtype=np.float64))


def _overlap(first: FloatArray, second: FloatArray) -> float:
    """Share of the smaller convex quadrilateral that lies inside the other."""
    common, _ = cv2.intersectConvexConvex(first.astype(np.float32), second.astype(np.float32))
    smaller = min(abs(polygon_area(first)), abs(polygon_area(second)))
    return float(common) / max(smaller, 1e-6)


def _search(
    working: GrayImage, forms: Sequence[Pattern], lattices: Sequence[Lattice]
) -> tuple[list[_Found], list[Refusal]]:
    """All windows that are a sheet, and why others that look like one are not."""
    found: list[_Found] = []
    refused: list[Refusal] = []
    most = max(max(form.rows, form.cols) for form in forms)
    for lattice in lattices:
        extent = lattice.places.max(axis=0) - lattice.places.min(axis=0) + 1
        reach = tuple(int(max(2, most + 1 - n)) for n in extent)
        evidence = line_evidence(working, lattice, (reach[0], reach[1]))
        if evidence is None:
            continue
        stepped = with_field_steps(evidence) if any(_on_dark_field(form) for form in forms) else evidence
        for form in forms:
            grid = form.template.grid
            assert grid is not None
            pitch = grid.pitch if form.turns % 2 == 0 else grid.pitch[::-1]
            if not aspect_possible(lattice, working.shape, (pitch[0], pitch[1])):
                continue
            # A sheet designed with a dark field may have been printed plainly: the better of the two views counts.
            views = (evidence, stepped) if _on_dark_field(form) else (evidence,)
            for window in (window for view in views for window in windows(view, form)):
                if isinstance(window, Refusal):
                    refused.append(window)
                    continue
                matrix = window_matrix(lattice, window)
                corners = _corners(matrix, window)
                area = polygon_area(corners)
                if area > 0 and np.isfinite(corners).all():  # negative: seen from behind, a mirrored fit
                    found.append(_Found(window, lattice, matrix, corners, area))
    return found, refused


def _on_dark_field(form: Pattern) -> bool:
    """Are the template's cells pale ones on a dark field?"""
    return form.template.look.field == "dark"


def _distinct(found: Sequence[_Found]) -> list[_Found]:
    """The best of those that cover the same place, largest first."""
    kept: list[_Found] = []
    for candidate in sorted(found, key=lambda item: item.window.score, reverse=True):
        if all(_overlap(candidate.corners, other.corners) < MAX_OVERLAP for other in kept):
            kept.append(candidate)
    kept.sort(key=lambda item: item.area, reverse=True)
    return [item for item in kept if item.area >= MUCH_SMALLER * kept[0].area]


def _bend_seen(item: _Found) -> Crossings:
    """The crossings inside the sheet, where the flat lattice expects them and where they were seen."""
    back = Homography(np.asarray(np.linalg.inv(item.matrix), dtype=np.float64))
    expected = project(back, project(item.lattice.matrix, item.lattice.nodes.astype(np.float64)))
    seen = project(back, item.lattice.node_px)
    rows, cols = (item.window.rows, item.window.cols)
    if item.window.turns % 2:
        rows, cols = cols, rows
    inside = ((expected > -0.1) & (expected < np.array([cols + 0.1, rows + 0.1]))).all(axis=1)
    return Crossings(expected[inside], seen[inside])


def locate(photo: Photo, templates: Sequence[Template]) -> tuple[Placement, ...] | NotFound:
    """All sheets of these templates in a photo, largest first."""
    forms = [form for template in templates for form in patterns(template)]
    if not forms:
        return NotFound("none of the templates has a lattice of cells")
    gray = stretched(photo.gray)
    shrink = min(1.0, WORKING_SIDE / max(gray.shape))
    working = gray
    if shrink < 1:
        working = np.asarray(cv2.resize(gray, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    if min(working.shape) < 9 * 4:
        return NotFound(f"the picture is only {photo.size[0]} x {photo.size[1]} px")
    to_photo = np.diag([gray.shape[1] / working.shape[1], gray.shape[0] / working.shape[0], 1.0])
    found: list[_Found] = []
    refused: list[Refusal] = []
    most_patches = 0
    for threshold in THRESHOLDS:
        seen = smoothed(working, threshold.smooth)
        patches = find_patches(seen, threshold)
        lattices = find_lattices(patches)
        most_patches = max([most_patches, *(len(lattice.members) for lattice in lattices)])
        more, why_not = _search(seen, forms, lattices)
        found = _distinct(found + more)
        refused += why_not
        if found and found[0].area >= LARGE_ENOUGH * working.size:
            break
    placements = []
    too_small = False
    for item in found:
        grid = item.window.template.grid
        assert grid is not None
        matrix = Homography(to_photo @ item.matrix)
        cell_px = (item.area * to_photo[0, 0] * to_photo[1, 1] / (grid.rows * grid.cols)) ** 0.5
        if cell_px < MIN_CELL_PX:
            too_small = True
            continue
        template = item.window.template
        lines = PrintedLines.around(template.lattice_mask(), dark_field=template.look.field == "dark")
        refined = refine(gray, matrix, lines, _bend_seen(item))
        placements.append(
            Placement(
                item.window.template,
                matrix,
                refined.mesh,
                refined.residual * cell_px,
                item.window.score,
                same_turns(item.window.template),
                item.window.heaviness is not None and item.window.heaviness < HEAVY_SEEN,
            )
        )
    if placements:
        return tuple(placements)
    if too_small:
        return NotFound("a sheet was seen, but it is too small in the picture to be read")
    if refused:
        reasons = Counter(refusal.reason for refusal in refused)
        return NotFound(reasons.most_common(1)[0][0])
    if most_patches >= 9:
        return NotFound(f"a grid with {most_patches} cells was seen, but it fits none of the templates")
    return NotFound("no grid of cells was seen")
