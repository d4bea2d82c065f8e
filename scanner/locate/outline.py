"""Sheets of pale cells on a dark field by the outline of all cells together, where their lines are too faint to close
off a single cell: a pad that lies far away or is seen at a low angle.

The outline only proposes where the lattice may lie; whether there is a sheet, the lines and the field have to show.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from scanner.geometry import FloatArray, Homography, project
from scanner.locate.lattice import Lattice
from scanner.templates import Template

GrayImage = npt.NDArray[np.uint8]

LINE = 0.003
"""Width, as a fraction of the long side, of dark lines that are closed so that cells grow together."""
NEIGHBOURHOOD = 0.2
"""Side of the neighbourhood, as a fraction of the long side, whose mean tells pale from dark."""
SMALLEST, LARGEST = 0.0025, 0.5
"""Area of a hull, as a share of the picture."""
LEAST_FILL = 0.6
"""Share of its hull that a surface covers at least; only wood and shadows cover less."""
SPIKE = 0.06
"""Width of what is left out at an outline, as a share of the root of its area: under half of a cell."""
FILL = 0.12
"""How far the share of a hull that is pale may be from the template's."""
OFF = 0.35
"""How far the corners of a hull may lie from the template's, in cells, RMS."""
MOST = 12
"""Proposals that are looked at."""
TOLERANCE = 0.004
"""Bumps of a hull that are smoothed away, as a share of its length."""
MOST_ADDED = 0.04
"""Share of a hull's area that one sharpened corner may add."""


def hull_of(mask: npt.NDArray[np.bool_]) -> FloatArray:
    """Corners of the convex hull of a mask's cells [rows, cols], clockwise, lattice coordinates [n, 2]."""
    rows, cols = np.nonzero(mask)
    corners = np.concatenate([np.column_stack([cols + dx, rows + dy]) for dx in (0, 1) for dy in (0, 1)])
    hull = cv2.convexHull(corners.astype(np.float32)).reshape(-1, 2).astype(np.float64)
    return _clockwise(np.asarray(cv2.approxPolyDP(hull.astype(np.float32), 0.01, True), np.float64).reshape(-1, 2))


def proposals(gray: GrayImage, templates: Sequence[Template]) -> tuple[Lattice, ...]:
    """Lattices as the outlines of pale surfaces suggest them, those that fit best first.

    templates: those with a dark field are proposed. gray: uint8 [h, w], about 1,000 px.
    """
    shapes = {}
    for template in templates:
        if template.look.field == "dark" and template.grid is not None:
            mask = template.lattice_mask()
            hull = hull_of(mask)
            shapes[mask.tobytes()] = (mask, hull, mask.sum() / _area(hull))
    if not shapes:
        return ()
    found: list[tuple[float, Lattice]] = []
    for contour in _pale_surfaces(gray):
        around = np.asarray(cv2.convexHull(contour), dtype=np.int32)
        fill = cv2.contourArea(contour) / max(cv2.contourArea(around), 1.0)
        for mask, true, full in shapes.values():
            corners = _with_corners(around, len(true)) if abs(fill - full) < FILL else None
            if corners is not None:
                found += _fits(corners, true, mask)
    found.sort(key=lambda item: item[0])
    return tuple(lattice for _, lattice in found[:MOST])


def _pale_surfaces(gray: GrayImage) -> list[npt.NDArray[np.int32]]:
    """Outer contours of what is paler than its surroundings, thin lines closed, large enough for a sheet."""
    long_side = max(gray.shape)
    side = max(3, round(LINE * long_side)) | 1
    closed = cv2.morphologyEx(gray, cv2.MORPH_CLOSE, np.ones((side, side), np.uint8))
    window = max(3, round(NEIGHBOURHOOD * long_side)) | 1
    mean = cv2.blur(closed, (window, window), borderType=cv2.BORDER_REPLICATE)
    pale = (closed > mean).astype(np.uint8)
    contours, _ = cv2.findContours(pale, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    found = []
    for contour in contours:
        area = cv2.contourArea(contour)
        if SMALLEST * gray.size < area < LARGEST * gray.size and area > LEAST_FILL * cv2.contourArea(
            cv2.convexHull(contour)
        ):
            found.append(_without_spikes(np.asarray(contour, dtype=np.int32), round(SPIKE * area**0.5)))
    return found


def _without_spikes(contour: npt.NDArray[np.int32], width: int) -> npt.NDArray[np.int32]:
    """The contour without what is narrower than `width` px: arrow heads and dashes of a centre line."""
    left, top, wide, high = cv2.boundingRect(contour)
    filled = np.zeros((high + 2, wide + 2), dtype=np.uint8)
    cv2.fillPoly(filled, [contour - np.array([left - 1, top - 1])], (1,))
    opened = cv2.morphologyEx(filled, cv2.MORPH_OPEN, np.ones((max(3, width),) * 2, np.uint8))
    parts, _ = cv2.findContours(opened, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    if not parts:
        return contour
    return np.asarray(max(parts, key=cv2.contourArea) + np.array([left - 1, top - 1]), dtype=np.int32)


def _with_corners(hull: npt.NDArray[np.int32], count: int) -> FloatArray | None:
    """The tightest polygon around a hull with so many corners, clockwise [count, 2]; null if there is none.

    Sides are left out one by one, always the one whose neighbours meet nearest beyond it: rounded corners become sharp.
    """
    polygon = cv2.approxPolyDP(hull, TOLERANCE * cv2.arcLength(hull, True), True).reshape(-1, 2).astype(np.float64)
    polygon = _clockwise(polygon)
    area = _area(polygon)
    while len(polygon) > count:
        before, end = np.roll(polygon, 1, axis=0), np.roll(polygon, -1, axis=0)
        after = np.roll(polygon, -2, axis=0)
        into, back, side = polygon - before, end - after, end - polygon
        cross = into[:, 0] * back[:, 1] - into[:, 1] * back[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = (side[:, 0] * back[:, 1] - side[:, 1] * back[:, 0]) / cross
        reach = np.where(np.isfinite(reach), reach, -1.0)
        meet = polygon + reach[:, None] * into
        away = meet - polygon
        added = 0.5 * np.abs(side[:, 0] * away[:, 1] - side[:, 1] * away[:, 0])
        # Neighbours that part beyond the side never meet.
        added[~((reach > 0) & (((meet - end) * back).sum(axis=1) > 0))] = np.inf
        index = int(added.argmin())
        if not added[index] < MOST_ADDED * area:
            return None
        polygon[index] = meet[index]
        polygon = np.delete(polygon, (index + 1) % len(polygon), axis=0)
    return polygon if len(polygon) == count else None


def _area(polygon: FloatArray) -> float:
    return float(cv2.contourArea(polygon.astype(np.float32)))


def _clockwise(polygon: FloatArray) -> FloatArray:
    x, y = polygon.T
    return polygon if np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) > 0 else polygon[::-1]


def _fits(corners: FloatArray, true: FloatArray, mask: npt.NDArray[np.bool_]) -> list[tuple[float, Lattice]]:
    """Lattices that bring the true hull to the corners, whichever comes first, with how far off they are in cells."""
    fits = []
    rows, cols = np.nonzero(mask)
    places = np.column_stack([cols, rows]).astype(np.int64)
    none = np.zeros((0, 2), dtype=np.int64)
    # Half a turn later the same lattice comes again; which way up it lies is for the lines to say.
    for first in range((len(true) + 1) // 2):
        seen = np.roll(corners, first, axis=0)
        found, _ = cv2.findHomography(true, seen, 0)
        if found is None or not np.isfinite(found).all() or abs(np.linalg.det(found)) < 1e-9:
            continue
        matrix = Homography(np.asarray(found, dtype=np.float64))
        back = project(Homography(np.asarray(np.linalg.inv(matrix), dtype=np.float64)), seen)
        off = float(np.sqrt(((back - true) ** 2).sum(axis=1).mean()))
        if off < OFF:
            pitch = float(np.sqrt(_area(corners) / _area(true)))
            fits.append((off, Lattice(matrix, places, np.arange(len(places)), none, none.astype(np.float64), pitch)))
    return fits
