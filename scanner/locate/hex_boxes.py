"""Boxes outside a hex lattice: do they lie where a way up of the sheet would have them, and where exactly?

They lie far from the hexes that the fit knows, so a bend carried on to them may be off by a few millimetres; but their
own lines are there to be seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from scanner.geometry import FloatArray
from scanner.locate.candidates import GrayImage
from scanner.locate.flatten import MmToPx, flattened
from scanner.templates import Cell, Template

PER_MM = 2.5
"""Pixels of the rectified boxes to a millimetre: a printed line is about a pixel wide."""
SEARCH_MM = 4.0
"""How far, in mm, boxes may lie from where the hexes say."""
FARTHER = 0.05
"""What a place at the end of the search loses against one in its middle."""
LINE_MM = 2.2
"""Width of a dark streak up to which it is a line."""
FLOOR = 16.0
TOGETHER_MM, GROUP_MM = 3.5, 22.0
"""Boxes nearer than this to each other are looked for together, in groups of this extent at most."""


@dataclass(frozen=True, slots=True)
class BoxMatch:
    """How well outlines fit. score: correlation, -1 to 1; shift: where they were found beside their place, mm [2]."""

    score: float
    shift: FloatArray


def boxes_of(template: Template) -> tuple[Cell, ...]:
    """The cells outside the lattice."""
    return tuple(cell for cell in template.cells if cell.place is None)


@lru_cache(maxsize=64)
def box_groups(template: Template) -> tuple[tuple[Cell, ...], ...]:
    """The boxes in groups that lie together and are looked for together, the nearest to the lattice first."""
    lattice = np.array([[point.x, point.y] for cell in template.lattice_cells for point in cell.polygon])
    left = sorted(boxes_of(template), key=lambda cell: _distance(cell, lattice))
    groups: list[tuple[Cell, ...]] = []
    while left:
        group = [left.pop(0)]
        for cell in list(left):
            near = min(_gap(cell, other) for other in group) <= TOGETHER_MM
            if near and _extent([*group, cell]) <= GROUP_MM:
                group.append(cell)
                left.remove(cell)
        groups.append(tuple(group))
    return tuple(groups)


def _distance(cell: Cell, lattice: FloatArray) -> float:
    """From a box's middle to the nearest corner of a hex, mm."""
    x0, y0, x1, y1 = _bounds(cell)
    return float(np.hypot(*(lattice - np.array([(x0 + x1) / 2, (y0 + y1) / 2])).T).min())


def _extent(cells: Sequence[Cell]) -> float:
    """The longer side of the rectangle around boxes, mm."""
    bounds = np.array([_bounds(cell) for cell in cells])
    return float((bounds[:, 2:].max(axis=0) - bounds[:, :2].min(axis=0)).max())


def _bounds(cell: Cell) -> tuple[float, float, float, float]:
    xs, ys = [point.x for point in cell.polygon], [point.y for point in cell.polygon]
    return min(xs), min(ys), max(xs), max(ys)


def _gap(one: Cell, other: Cell) -> float:
    """Distance of two boxes, mm."""
    a, b = _bounds(one), _bounds(other)
    x = max(a[0] - b[2], b[0] - a[2], 0.0)
    y = max(a[1] - b[3], b[1] - a[3], 0.0)
    return float(np.hypot(x, y))


def find_boxes(
    gray: GrayImage, placement: MmToPx, boxes: Sequence[Cell], line: float, search: float = SEARCH_MM
) -> BoxMatch:
    """Looks for the outlines of boxes near their place; the placement maps mm to px of `gray`.

    line: darkness of the sheet's lines, 0 to 1; what is darker (ink, words) counts for no more than a line.
    """
    bounds = np.array([_bounds(cell) for cell in boxes])
    low, high = bounds[:, :2].min(axis=0) - 1.0, bounds[:, 2:].max(axis=0) + 1.0
    dark, visible = _lines(gray, placement, low - search, high + search, line)
    if visible < 0.5:
        return BoxMatch(0.0, np.zeros(2))
    wide, tall = np.ceil((high - low) * PER_MM).astype(int)
    mask = np.zeros((int(tall), int(wide)), dtype=np.uint8)
    for cell in boxes:
        corners = [((point.x - low[0]) * PER_MM - 0.5, (point.y - low[1]) * PER_MM - 0.5) for point in cell.polygon]
        fixed = np.round(np.array(corners) * 16).astype(np.int32).reshape(-1, 1, 2)
        cv2.polylines(mask, [fixed], True, (255,), 1, cv2.LINE_AA, 4)
    soft = cv2.GaussianBlur(mask, (0, 0), 0.8).astype(np.float32)
    found = np.asarray(cv2.matchTemplate(dark, soft, cv2.TM_CCOEFF_NORMED), dtype=np.float32)
    # Where several places fit about as well (one row of boxes looks like the next), the nearest is taken.
    y, x = np.mgrid[: found.shape[0], : found.shape[1]] / PER_MM - search
    likely = found - FARTHER * (x * x + y * y) / search**2
    row, col = (int(n) for n in np.unravel_index(int(likely.argmax()), found.shape))
    at = np.array([col + _peak(found[row], col), row + _peak(found[:, col], row)])
    return BoxMatch(float(found[row, col]) * visible, np.asarray(at / PER_MM - search, dtype=np.float64))


def _peak(values: npt.NDArray[np.float32], at: int) -> float:
    """The top of the parabola through a maximum and its neighbours, beside `at`."""
    if not 0 < at < len(values) - 1:
        return 0.0
    before, here, after = (float(value) for value in values[at - 1 : at + 2])
    bend = before - 2 * here + after
    return 0.0 if bend >= 0 else float(np.clip(0.5 * (before - after) / bend, -0.5, 0.5))


def _lines(
    gray: GrayImage, placement: MmToPx, low: FloatArray, high: FloatArray, line: float
) -> tuple[npt.NDArray[np.float32], float]:
    """Thin dark lines of a part of the sheet, mm, seen from above; and the share of it that lies in the picture."""
    wide, tall = (int(n) for n in np.ceil((high - low) * PER_MM))
    flat, inside = flattened(gray, placement, low, (wide, tall), PER_MM)
    side = round(LINE_MM * PER_MM) | 1
    kernel = cv2.getStructuringElement(cv2.MORPH_RECT, (side, side))
    closed = cv2.morphologyEx(flat, cv2.MORPH_CLOSE, kernel, borderType=cv2.BORDER_REPLICATE).astype(np.float32)
    dark = (closed - flat) / np.maximum(closed, FLOOR)
    return np.asarray(np.clip(dark, 0, line), dtype=np.float32), inside
