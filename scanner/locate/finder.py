"""The order of the search: patches, lattices, windows of templates, then the bend of the paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import cv2
import numpy as np

from scanner.geometry import FloatArray, Homography, polygon_area, project
from scanner.intake import Photo
from scanner.locate.candidates import THRESHOLDS, Threshold, find_patches
from scanner.locate.evidence import GrayImage, LineEvidence, line_evidence, with_field_steps, without_grain
from scanner.locate.fit import ACCEPT_DARK_FIELD, Refused, Window, aspect_possible, window_matrix, windows
from scanner.locate.hex_form import forms as hex_forms
from scanner.locate.hex_lattice import six_sided
from scanner.locate.hex_search import ENOUGH_SIXES, HexFound, overlap
from scanner.locate.hex_search import placed as placed_hexes
from scanner.locate.hex_search import search as hex_search
from scanner.locate.honest import HEAVY_SEEN, Refusal
from scanner.locate.lattice import Lattice, find_lattices
from scanner.locate.mesh import DEGREE
from scanner.locate.outline import proposals
from scanner.locate.pattern import Pattern, patterns, same_turns
from scanner.locate.placement import NotFound, Placement
from scanner.locate.prepare import smoothed, stretched
from scanner.locate.refine import PrintedLines, refine
from scanner.locate.second_look import Nearly, crossings_of, second_look
from scanner.templates import Template

WORKING_SIDE = 1000
"""Long side, in px, at which sheets are looked for: lines of a sheet that fills a third of it are still 2 px wide."""
MIN_CELL_PX = 9.0
"""Cells smaller than this in ``photo.rgb`` can't be read by anybody; such a lattice is no sheet to us."""
LARGE_ENOUGH = 0.10
"""Share of the picture from which a found sheet is taken for the one that was photographed, so that the search ends."""
MUCH_SMALLER = 0.38
"""A sheet whose longest side is less than this share of another's is not one of the sheets that were photographed: it
is yesterday's solution, or a thumbnail. By length, since one that lies flat has little area beside one held up."""
MAX_OVERLAP = 0.2
FULL = 0.4
"""Share of the picture that found sheets cover, all of their paper, from which there is no room for another."""
RIMLESS_DEGREE = 3
"""Of the bend of a sheet whose outermost lines can't be told from its dark field."""
WELL_SEEN = 0.6
"""Share of a sheet's cells from which its lattice needs no second look."""


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


def _search(
    working: GrayImage, forms: Sequence[Pattern], lattices: Sequence[Lattice]
) -> tuple[list[_Found], list[Refusal]]:
    """All windows that are a sheet, and why others that look like one are not."""
    found: list[_Found] = []
    refused: list[Refusal] = []
    nearly: list[Nearly] = []
    most = max(max(form.rows, form.cols) for form in forms)
    for lattice in lattices:
        extent = lattice.places.max(axis=0) - lattice.places.min(axis=0) + 1
        reach = tuple(int(max(2, most + 1 - n)) for n in extent)
        evidence = line_evidence(working, lattice, (reach[0], reach[1]))
        if evidence is None:
            continue
        plain = stepped = evidence
        if any(_on_dark_field(form) for form in forms):
            plain, stepped = without_grain(evidence), with_field_steps(evidence)
        for form in forms:
            grid = form.template.grid
            assert grid is not None
            pitch = grid.pitch if form.turns % 2 == 0 else grid.pitch[::-1]
            if not aspect_possible(lattice, working.shape, (pitch[0], pitch[1])):
                continue
            # A sheet designed with a dark field may have been printed plainly: the better of the two views counts.
            if _on_dark_field(form):
                fits = [windows(view, form, ACCEPT_DARK_FIELD) for view in (plain, stepped)]
            else:
                fits = [windows(evidence, form)]
            for window in chain.from_iterable(fits):
                if isinstance(window, Refused):
                    refused.append(window.why)
                    if window.why.lacks_lines and _on_dark_field(form):
                        nearly.append(Nearly(lattice, window.window))
                else:
                    found += _placed(lattice, window)
    if not found:
        for one in second_look(working, nearly, _judged_again):
            found += _placed(one.lattice, one.window)
    return found, refused


def _placed(lattice: Lattice, window: Window) -> list[_Found]:
    """The window where it lies in the picture; none if it is seen from behind."""
    matrix = window_matrix(lattice, window)
    corners = _corners(matrix, window)
    area = polygon_area(corners)
    # a negative area: a mirrored fit
    return [_Found(window, lattice, matrix, corners, area)] if area > 0 and np.isfinite(corners).all() else []


def _judged_again(evidence: LineEvidence, window: Window) -> Window | None:
    """The window of the upright template, if there is one on evidence of its own lattice."""
    upright = patterns(window.template)[0]
    for view in (without_grain(evidence), with_field_steps(evidence)):
        for found in windows(view, upright, ACCEPT_DARK_FIELD):
            if isinstance(found, Window):
                return found
    return None


def _on_dark_field(form: Pattern) -> bool:
    """Are the template's cells pale ones on a dark field?"""
    return form.template.look.field == "dark"


def _distinct(found: Sequence[_Found]) -> list[_Found]:
    """The best of those that cover the same place, largest first."""
    kept: list[_Found] = []
    for candidate in sorted(found, key=lambda item: item.window.score, reverse=True):
        if all(overlap(candidate.corners, other.corners) < MAX_OVERLAP for other in kept):
            kept.append(candidate)
    kept.sort(key=lambda item: item.area, reverse=True)
    return kept


def _photographed(found: Sequence[_Found]) -> list[_Found]:
    """Without those that are much smaller than another."""
    sides = [float(np.linalg.norm(np.roll(item.corners, 1, axis=0) - item.corners, axis=1).max()) for item in found]
    return [item for item, side in zip(found, sides, strict=True) if side >= MUCH_SMALLER * max(sides)]


def _paper(item: _Found) -> FloatArray:
    """The corners of all of a sheet's paper, px of the working picture [4, 2]."""
    template = item.window.template
    grid = template.grid
    assert grid is not None
    width, height = template.size
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float64)
    return project(item.matrix, (corners - np.array([grid.origin.x, grid.origin.y])) / np.array(grid.pitch))


def _unexplained(lattices: Sequence[Lattice], found: Sequence[_Found]) -> list[Lattice]:
    """The lattices that don't lie on a sheet of which most cells have been seen."""
    well = [
        _paper(item).astype(np.float32).reshape(-1, 1, 2)
        for item in found
        if len(item.lattice.members) >= WELL_SEEN * len(item.window.template.lattice_cells)
    ]
    left = []
    for lattice in lattices:
        x, y = lattice.project(np.median(lattice.places, axis=0, keepdims=True) + 0.5)[0]
        if not any(cv2.pointPolygonTest(paper, (float(x), float(y)), False) > 0 for paper in well):
            left.append(lattice)
    return left


def _worth_another_look(found: Sequence[_Found], threshold: Threshold, working: GrayImage) -> bool:
    """May there be others beside the sheets that are found, which a further threshold shows?

    Pads come in company: beside one with a dark field others may lie that only a threshold for such fields shows.
    """
    on_dark_field = any(item.window.template.look.field == "dark" for item in found)
    if not on_dark_field or threshold.thin is None:
        return False
    covered = sum(abs(polygon_area(_paper(item))) for item in found)
    return covered < FULL * working.size


def locate(photo: Photo, templates: Sequence[Template]) -> tuple[Placement, ...] | NotFound:
    """All sheets of these templates in a photo, largest first."""
    forms = [form for template in templates for form in patterns(template)]
    hexes = hex_forms(tuple(templates))
    if not forms and not hexes:
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
    most_patches = most_hexes = 0
    with_hexes: list[HexFound] = []
    for threshold in THRESHOLDS:
        largest = max([*(item.area for item in found[:1]), *(item.area for item in with_hexes[:1])], default=0.0)
        enough = largest >= LARGE_ENOUGH * working.size
        if enough and not _worth_another_look(found, threshold, working):
            continue
        seen = smoothed(working, threshold.smooth)
        patches = find_patches(seen, threshold)
        if hexes and not with_hexes and six_sided(patches) >= ENOUGH_SIXES:
            with_hexes, count = hex_search(seen, threshold, hexes)
            most_hexes = max(most_hexes, count)
        if not forms or (with_hexes and with_hexes[0].area >= LARGE_ENOUGH * working.size):
            continue
        lattices = find_lattices(patches)
        most_patches = max([most_patches, *(len(lattice.members) for lattice in lattices)])
        more, why_not = _search(seen, forms, _unexplained(lattices, found))
        if threshold.thin is not None:
            outlined = _unexplained(proposals(seen, templates), _distinct(found + more))
            more += _search(seen, forms, outlined)[0]
        found = _distinct(found + more)
        refused += why_not
    placements: list[Placement] = []
    too_small = False
    found = [item for item in found if all(overlap(item.corners, other.corners) < MAX_OVERLAP for other in with_hexes)]
    for other in with_hexes:
        sheet = placed_hexes(gray, working, other)
        too_small = too_small or sheet is None
        placements += [sheet] if sheet is not None else []
    for item in _photographed(found):
        grid = item.window.template.grid
        assert grid is not None
        matrix = Homography(to_photo @ item.matrix)
        cell_px = (item.area * to_photo[0, 0] * to_photo[1, 1] / (grid.rows * grid.cols)) ** 0.5
        if cell_px < MIN_CELL_PX:
            too_small = True
            continue
        template = item.window.template
        lines = PrintedLines.around(template.lattice_mask(), dark_field=template.look.field == "dark")
        degree = RIMLESS_DEGREE if template.look.field == "dark" else DEGREE
        refined = refine(gray, matrix, lines, crossings_of(item.matrix, item.window, item.lattice), degree=degree)
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
        return tuple(sorted(placements, key=lambda placement: -abs(polygon_area(placement.corners))))
    if too_small:
        return NotFound("a sheet was seen, but it is too small in the picture to be read")
    if refused:
        reasons = Counter(refusal.reason for refusal in refused)
        return NotFound(reasons.most_common(1)[0][0])
    if most_hexes:
        return NotFound(f"{most_hexes} hexes side by side were seen, but they fit none of the templates", unknown=True)
    if most_patches >= 9:
        return NotFound(f"a grid with {most_patches} cells was seen, but it fits none of the templates", unknown=True)
    return NotFound("no grid of cells was seen")
