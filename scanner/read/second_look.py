"""A second look at unclear cells: the same ink turned and slanted a little, as another hand might have written it.

The mean of what a reader says of several such views errs less than its first word (test-time augmentation, Krizhevsky
et al. 2012). The model card tells what it brings on writers whom nobody trained on.
"""

from __future__ import annotations

import math
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

CLEAR: Final = 0.95
"""Probability from which the first look is enough."""
TURN, SLANT = math.degrees(0.12), 0.15
"""Degrees by which the views are turned, either way, and the sideways shift, as a share of the height, of the slanted
ones: about what the reader's training disturbs digits by."""


def _about_middle(matrix: npt.NDArray[np.float64], side: int) -> npt.NDArray[np.float64]:
    """The linear map [2, 2] about the middle of a picture of `side` px, as OpenCV wants it: [2, 3]."""
    middle = np.full(2, (side - 1) / 2)
    return np.hstack([matrix, (middle - matrix @ middle)[:, None]])


def _maps(side: int) -> list[npt.NDArray[np.float64]]:
    cos, sin = math.cos(math.radians(TURN)), math.sin(math.radians(TURN))
    linear = ([[cos, -sin], [sin, cos]], [[cos, sin], [-sin, cos]], [[1, SLANT], [0, 1]], [[1, -SLANT], [0, 1]])
    return [_about_middle(np.array(matrix, dtype=np.float64), side) for matrix in linear]


def views(ink: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Views of pictures uint8 [n, 2, side, side], each turned and slanted both ways: uint8 [n, 4, 2, side, side]."""
    side = ink.shape[-1]
    maps = _maps(side)
    result = np.empty((len(ink), len(maps), *ink.shape[1:]), dtype=np.uint8)
    for number, picture in enumerate(ink.transpose(0, 2, 3, 1)):
        both = np.ascontiguousarray(picture)  # its two channels move together
        for view, matrix in enumerate(maps):
            result[number, view] = cv2.warpAffine(both, matrix, (side, side), flags=cv2.INTER_LINEAR).transpose(2, 0, 1)
    return result
