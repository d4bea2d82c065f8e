"""Connections in the annotated picture: a line from hex to hex that leaves their middles free for the ink."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import cv2
import numpy as np

from scanner.geometry import FloatArray
from scanner.report.frames import Picture, short_side
from scanner.report.groups import GroupMark
from scanner.report.signs import WHITE, Color

BAR = 0.26
"""Length of the bar across a shared side, as a part of the way from middle to middle: it ends short of the ink."""
BAR_WIDTH, RING_WIDTH, CASING = 0.11, 0.06, 0.03
"""Of bars, of the rings at both ends, and of the white on both sides of them, as parts of a cell's short side."""
RING = 0.39
"""Radius of the rings around the two numbers that are joined, as a part of a cell's short side: outside of the ink."""


def draw_connection(picture: Picture, mark: GroupMark, polygons: Mapping[str, FloatArray]) -> None:
    """Bars from each cell of the line to the next, and a ring around the first and the last."""
    middles = [polygons[cell].mean(axis=0) for cell in mark.line]
    unit = min(short_side(polygons[cell]) for cell in mark.line)
    for color, more in ((WHITE, 2 * CASING), (mark.color, 0.0)):
        for end in (middles[0], middles[-1]):
            _ring(picture, end, RING * unit, color, (RING_WIDTH + more) * unit)
        for here, there in itertools.pairwise(middles):
            way = there - here
            bar = np.stack([here + way * (0.5 - BAR / 2), here + way * (0.5 + BAR / 2)])
            fixed = np.round(bar * 16).astype(np.int32)  # cv2 takes sixteenths of a px
            width = max(1, round((BAR_WIDTH + more) * unit))
            cv2.line(picture, fixed[0].tolist(), fixed[1].tolist(), color, width, cv2.LINE_AA, shift=4)


def _ring(picture: Picture, middle: FloatArray, radius: float, color: Color, width: float) -> None:
    fixed = np.round(middle * 16).astype(np.int32).tolist()
    cv2.circle(picture, fixed, round(radius * 16), color, max(1, round(width)), cv2.LINE_AA, shift=4)
