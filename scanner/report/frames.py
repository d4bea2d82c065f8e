"""The lines that the annotated picture draws around cells: each kind of mark a frame of its own shape."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
import numpy.typing as npt

from scanner.geometry import FloatArray, polygon_area
from scanner.report.marks import CellMark
from scanner.report.signs import BLUE, DARK, GREEN, ORANGE, PURPLE, VERMILLION, WHITE, Color

Picture = npt.NDArray[np.uint8]

FRAME_INSET = 0.045
FRAME_WIDTH = 0.045
"""Of frames, as parts of the cell's short side: all of them stay in the outer fifth of the cell."""
OUTLINE_WIDTH = 0.0045
"""Of the line around the sheet, as a part of the picture's long side."""


def short_side(polygon: FloatArray) -> float:
    """The shorter side of the polygon's bounding box in px: the measure of everything drawn in a cell."""
    return float(np.ptp(polygon, axis=0).min())


def draw_frame(picture: Picture, polygon: FloatArray, mark: CellMark, room: float = 0.0) -> None:
    """Frames a cell: double if illegal, underlined twice for a wrong sum, dashed for a question, thin for an answer.

    A cell that is wrong and asked about has the solid frame outside and the dashed one inside. room: what is left free
    for another line along the sides, as a part of the cell's short side; with it, an illegal cell's frame is single.
    """
    unit = short_side(polygon)
    width = max(1.0, FRAME_WIDTH * unit)
    inset = (FRAME_INSET + room) * unit
    outer = moved_in(polygon, inset)
    if mark.wrong is not None:
        color = VERMILLION if mark.wrong == "illegal" else PURPLE
        _line(picture, outer, WHITE, width * 1.8)
        _line(picture, outer, color, width)
        if mark.wrong == "arithmetic":
            lowest = outer[np.argsort(outer[:, 1])[-2:]]
            _line(picture, lowest - np.array([0.0, 1.9 * width]), color, width, closed=False)
        elif not mark.asked and not room:
            _line(picture, moved_in(polygon, inset + 1.9 * width), color, max(1.0, width * 0.6))
    if mark.asked:
        # in place of the inner line where the cell is wrong as well: two frames would leave too little of the cell
        within, thick = (1.8, 0.7) if mark.wrong is not None else (0.0, 1.1)
        dashed = moved_in(polygon, inset + within * width)
        _line(picture, dashed, DARK, width * 1.5 * thick)
        _dashes(picture, dashed, ORANGE, width * thick, 0.14 * unit)
    elif mark.reading.state == "answered" and mark.wrong is None:
        _line(picture, outer, BLUE, max(1.0, width * 0.6))


def draw_outline(picture: Picture, polygons: Iterable[FloatArray], color: Color = GREEN) -> None:
    """A line around all the cells, just outside of them."""
    points = np.concatenate(list(polygons)).astype(np.float32)
    hull = np.asarray(cv2.convexHull(points), dtype=np.float64).reshape(-1, 2)
    width = max(picture.shape) * OUTLINE_WIDTH
    around = moved_in(hull, -1.5 * width)
    _line(picture, around, WHITE, width * 2)
    _line(picture, around, color, width)


def moved_in(polygon: FloatArray, distance: float) -> FloatArray:
    """The convex polygon [k, 2] with every side moved inwards by `distance` px (outwards if negative)."""
    if polygon_area(polygon) < 0:
        polygon = polygon[::-1]
    sides = np.roll(polygon, -1, axis=0) - polygon
    lengths = np.maximum(np.linalg.norm(sides, axis=1, keepdims=True), 1e-9)
    inwards = np.stack([-sides[:, 1], sides[:, 0]], axis=1) / lengths
    before = np.roll(inwards, 1, axis=0)
    # a corner moves along the bisector, far enough that both its sides have moved by the distance
    bend = np.maximum(1 + np.sum(inwards * before, axis=1, keepdims=True), 0.2)
    return np.asarray(polygon + distance * (inwards + before) / bend, dtype=np.float64)


def _line(picture: Picture, points: FloatArray, color: Color, width: float, *, closed: bool = True) -> None:
    fixed = np.round(points * 16).astype(np.int32).reshape(-1, 1, 2)  # cv2 takes sixteenths of a px
    cv2.polylines(picture, [fixed], closed, color, max(1, round(width)), cv2.LINE_AA, shift=4)


def _dashes(picture: Picture, polygon: FloatArray, color: Color, width: float, dash: float) -> None:
    """A broken line around a polygon: a dash at each corner, as many between as fit."""
    for start, end in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        pairs = max(2, round(float(np.linalg.norm(end - start)) / (2 * dash)))
        step = 1 / (2 * pairs - 1)
        for index in range(pairs):
            ends = np.array([start + (end - start) * t for t in (2 * index * step, (2 * index + 1) * step)])
            _line(picture, ends, color, width, closed=False)
