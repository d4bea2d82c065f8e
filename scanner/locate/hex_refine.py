"""Bends a hex sheet to its printed lines, first the hexes', then those of the boxes beside them.

One smooth bend covers the sheet. What the hexes say of it can't be carried on to boxes 60 mm away, so the boxes are
looked for as a whole, then group by group, and at last line by line, each time nearer to where they really are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from scanner.geometry import FloatArray
from scanner.locate.candidates import GrayImage
from scanner.locate.flatten import MmToPx
from scanner.locate.hex_boxes import box_groups, boxes_of, find_boxes
from scanner.locate.hex_evidence import EdgeProfiles, line_darkness, normals, profiles, sample_points
from scanner.locate.hex_form import printed_edges
from scanner.locate.hex_placement import HexPlacement
from scanner.locate.mesh import DEGREE, OUTLIER, RIDGE, Mesh, polynomial_terms
from scanner.templates import Cell, Template

FAR, NEAR = 0.22, 0.12
"""How far beside its place a line is looked for, in pitches: at first, and once the sheet lies about right."""
ACROSS = 41
GROUP_ENOUGH = 0.2
"""Correlation of the lines of a group of boxes from which it was found."""
BOX_DEGREE = 3
"""Of the bend by which the next group of boxes is looked for: a higher one runs away beyond what has been seen."""
FINE_PER_MM = 3.0
"""Pixels to a mm in which boxes are looked for; in a finer picture thin lines would fall between the samples."""
ENOUGH = 0.12
"""The same for all boxes together."""
GROUP_SEARCH_MM = 4.0
SURE, HINT = 3.0, 0.3
"""Weight of the shift of a group, and of all boxes together, against a single edge."""
TERMS = (DEGREE + 1) * (DEGREE + 2) // 2
FEWEST = 12
"""Lines that have to be seen for a bend to be fitted to them."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """Offsets across lines. points, across (unit vectors): [n, 2], hex units; off [n], hex units; weight [n]."""

    points: FloatArray
    across: FloatArray
    off: FloatArray
    weight: FloatArray

    def __add__(self, other: _Seen) -> _Seen:
        return _Seen(
            np.concatenate([self.points, other.points]),
            np.concatenate([self.across, other.across]),
            np.concatenate([self.off, other.off]),
            np.concatenate([self.weight, other.weight]),
        )


def region(template: Template) -> tuple[FloatArray, FloatArray]:
    """Top left and extent of all cells in hex units, [2] each."""
    hexes = template.hexes
    assert hexes is not None
    corners = np.array([[point.x, point.y] for cell in template.cells for point in cell.polygon])
    units = (corners - np.array([hexes.centre.x, hexes.centre.y])) / hexes.pitch
    return units.min(axis=0), units.max(axis=0) - units.min(axis=0)


def refined(gray: GrayImage, flat: HexPlacement, centres: tuple[FloatArray, FloatArray] | None = None) -> HexPlacement:
    """The placement bent to the lines of a grey picture, the one that `flat.lattice` maps to.

    centres: of hexes as seen by the search, (hex units of the template [n, 2], px [n, 2]).
    """
    template = flat.template
    first, extent = region(template)
    size = (float(extent[0]), float(extent[1]))
    empty = Mesh(size, np.zeros(TERMS), np.zeros(TERMS))
    placed = replace(flat, first=(float(first[0]), float(first[1])), mesh=empty)
    if centres is not None:
        placed = _bent(placed, _from_centres(placed, *centres), 2)
    hex_edges = printed_edges(template)
    placed = _bent(placed, _follow(gray, placed, hex_edges, FAR), 2)
    placed, edges = _with_boxes(gray, placed, _follow(gray, placed, hex_edges, FAR))
    edges = np.concatenate([hex_edges, edges])
    placed = _bent(placed, _follow(gray, placed, edges, NEAR), DEGREE)
    placed = _bent(placed, _follow(gray, placed, edges, NEAR / 2), DEGREE)
    left = _follow(gray, placed, hex_edges, NEAR)
    spread = float(np.sqrt((left.weight * left.off**2).sum() / max(float(left.weight.sum()), 1e-6)))
    return replace(placed, residual_px=spread * pitch_px(placed))


def pitch_px(placement: HexPlacement) -> float:
    """Distance of neighbouring hexes' middles, px, in the middle of the lattice."""
    hexes = placement.template.hexes
    assert hexes is not None
    cross = np.array([[-0.5, 0.0], [0.5, 0.0], [0.0, -0.5], [0.0, 0.5]]) * hexes.pitch
    left, right, top, bottom = placement.project(cross + np.array([hexes.centre.x, hexes.centre.y]))
    return float(np.sqrt(np.linalg.norm(right - left) * np.linalg.norm(bottom - top)))


def _millimetres(template: Template, units: FloatArray) -> FloatArray:
    hexes = template.hexes
    assert hexes is not None
    return np.asarray(units * hexes.pitch + np.array([hexes.centre.x, hexes.centre.y]), dtype=np.float64)


def _units(template: Template, points_mm: FloatArray) -> FloatArray:
    hexes = template.hexes
    assert hexes is not None
    return np.asarray((points_mm - np.array([hexes.centre.x, hexes.centre.y])) / hexes.pitch, dtype=np.float64)


def _edges_of(template: Template, cells: Sequence[Cell]) -> FloatArray:
    """The sides of boxes, each once, hex units [n, 2, 2]."""
    sides = {}
    for cell in cells:
        corners = [(point.x, point.y) for point in cell.polygon]
        for start, end in zip(corners, [*corners[1:], corners[0]], strict=True):
            sides[min(start, end), max(start, end)] = (start, end)
    flat = np.array(list(sides.values()), dtype=np.float64).reshape(-1, 2)
    return _units(template, flat).reshape(-1, 2, 2)


def _from_centres(placed: HexPlacement, units: FloatArray, px: FloatArray) -> _Seen:
    back = np.linalg.inv(placed.lattice)
    mapped = np.column_stack([px, np.ones(len(px))]) @ back.T
    off = mapped[:, :2] / mapped[:, 2:] - units
    return _both_ways(units, off, 1.0)


def _both_ways(units: FloatArray, off: FloatArray, weight: float) -> _Seen:
    """Offsets [n, 2] of points that are known in both directions."""
    off = np.broadcast_to(off, units.shape)
    across = np.concatenate([np.tile([1.0, 0.0], (len(units), 1)), np.tile([0.0, 1.0], (len(units), 1))])
    return _Seen(np.tile(units, (2, 1)), across, off.T.ravel(), np.full(2 * len(units), weight))


def _with_boxes(gray: GrayImage, base: HexPlacement, hexes: _Seen) -> tuple[HexPlacement, FloatArray]:
    """The placement bent to the boxes as well, and the sides of those that were found, hex units [n, 2, 2].

    hexes: the lines of the hexes as seen, from `base` on. Group after group, the nearest to the hexes first: each tells
    where the next one is to be looked for.
    """
    template = base.template
    grid = template.hexes
    assert grid is not None
    shrink = min(1.0, FINE_PER_MM * grid.pitch / pitch_px(base))
    small = gray
    if shrink < 0.8:
        small = np.asarray(cv2.resize(gray, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    scale = (small.shape[1] / gray.shape[1], small.shape[0] / gray.shape[0])
    placed = base
    found: list[Cell] = []
    seen = hexes
    line = _line_darkness(small, _Scaled(placed, scale), template)
    boxes = boxes_of(template)
    if boxes:
        match = find_boxes(small, _Scaled(placed, scale), boxes, line)
        if match.score >= ENOUGH:
            seen += _both_ways(_middles(template, boxes), match.shift / grid.pitch, HINT)
    placed = _bent(base, seen, BOX_DEGREE)
    for group in box_groups(template):
        match = find_boxes(small, _Scaled(placed, scale), group, line, GROUP_SEARCH_MM)
        # What is found at the search's end is the flank of something farther off.
        if match.score < GROUP_ENOUGH or float(np.abs(match.shift).max()) > 0.9 * GROUP_SEARCH_MM:
            continue
        middles = _middles(template, group)
        seen += _both_ways(middles, _bend_between(base, placed, middles) + match.shift / grid.pitch, SURE)
        placed = _bent(base, seen, BOX_DEGREE)
        found += group
    return placed, _edges_of(template, found)


def _line_darkness(gray: GrayImage, placed: MmToPx, template: Template) -> float:
    """Of the hexes' lines, 0 to 1."""
    edges = printed_edges(template)
    px, shifts = sample_points(edges, NEAR, ACROSS, lambda units: placed.project(_millimetres(template, units)))
    return float(np.median(line_darkness(profiles(gray, px, len(edges), shifts), NEAR)))


def _middles(template: Template, cells: Sequence[Cell]) -> FloatArray:
    """The middles of boxes in hex units [n, 2]."""
    return _units(template, np.array([np.mean([[p.x, p.y] for p in cell.polygon], axis=0) for cell in cells]))


def _bend_between(base: HexPlacement, placed: HexPlacement, units: FloatArray) -> FloatArray:
    """By how much the second placement moves points [n, 2] further than the first, hex units."""
    assert base.mesh is not None
    assert placed.mesh is not None
    points = units - np.array(base.first)
    return np.asarray(placed.mesh.displace(points) - base.mesh.displace(points), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class _Scaled:
    """A placement in a picture of another size. scale: (x, y) factors."""

    placement: HexPlacement
    scale: tuple[float, float]

    def project(self, points_mm: FloatArray) -> FloatArray:
        """As `Placement.project`."""
        return np.asarray(self.placement.project(points_mm) * np.array(self.scale), dtype=np.float64)


def _bent(placed: HexPlacement, seen: _Seen, degree: int) -> HexPlacement:
    """The placement with its bend changed by what was seen; the lines' offsets are from the bend as it is."""
    mesh = placed.mesh
    assert mesh is not None
    if int((seen.weight > 0).sum()) < FEWEST:
        return placed
    points = seen.points - np.array(placed.first)
    dx, dy = _fit(points, seen, mesh.size, degree)
    return replace(placed, mesh=Mesh(mesh.size, mesh.dx + dx, mesh.dy + dy))


def _fit(points: FloatArray, seen: _Seen, size: tuple[float, float], degree: int) -> tuple[FloatArray, FloatArray]:
    """Robust polynomials for both directions through offsets that are known across lines only."""
    terms = polynomial_terms(points, size)
    order = np.array([i + j for i in range(DEGREE + 1) for j in range(DEGREE + 1 - i)], dtype=np.float64)
    ridge = np.tile(np.where(order <= degree, RIDGE * len(points) * (0.2 + order) ** 2, 1e9), 2)
    both = np.concatenate([terms * seen.across[:, :1], terms * seen.across[:, 1:]], axis=1)
    weight: FloatArray = seen.weight.copy()
    solved: FloatArray = np.zeros(both.shape[1])
    for _ in range(4):
        left = both.T @ (both * weight[:, None]) + np.diag(ridge)
        solved = np.asarray(np.linalg.solve(left, both.T @ (weight * seen.off)), dtype=np.float64)
        off = np.abs(seen.off - both @ solved)
        scale = max(OUTLIER / 2, 1.5 * float(np.median(off)))
        weight = np.asarray(seen.weight * np.minimum(1.0, scale / np.maximum(off, 1e-9)), dtype=np.float64)
    half = len(solved) // 2
    return np.asarray(solved[:half]), np.asarray(solved[half:])


def _follow(gray: GrayImage, placed: HexPlacement, edges: FloatArray, reach: float) -> _Seen:
    """How far beside their place the lines along edges [n, 2, 2] (hex units) are."""
    px, shifts = sample_points(edges, reach, ACROSS, lambda units: placed.project(_millimetres(placed.template, units)))
    off, weight = _offsets(profiles(gray, px, len(edges), shifts))
    return _Seen(edges.mean(axis=1), normals(edges), off, weight)


def _offsets(found: EdgeProfiles) -> tuple[FloatArray, FloatArray]:
    """Offset of each edge's line, in the unit of the shifts, and its weight, 0 to 1."""
    dark = found.dark
    low = np.partition(dark, dark.shape[1] // 4, axis=1)[:, dark.shape[1] // 4]
    profile = cv2.GaussianBlur((0.5 * dark.mean(axis=1) + low).astype(np.float32), (0, 0), sigmaX=1.2, sigmaY=0.1)
    reach = float(found.shifts[-1])
    peak = (profile * (1 - 0.25 * np.abs(found.shifts) / reach)).argmax(axis=1)
    rows = np.arange(len(profile))
    height, floor = profile[rows, peak], np.median(profile, axis=1)
    over = np.clip(profile - (0.5 * (height + floor))[:, None], 0, None)
    over *= np.abs(np.arange(profile.shape[1])[None] - peak[:, None]) <= profile.shape[1] // 6
    total = over.sum(axis=1)
    centre = (over * found.shifts).sum(axis=1) / np.maximum(total, 1e-6)
    strength = height - floor
    typical = float(np.median(strength[found.seen])) if found.seen.any() else 1.0
    weight = np.clip(strength / max(typical, 1e-3) - 0.3, 0, 1)
    weight[(total <= 1e-6) | ~found.seen] = 0
    return centre.astype(np.float64), weight.astype(np.float64)
