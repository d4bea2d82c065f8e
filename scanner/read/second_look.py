"""A second look at unclear cells: the same ink turned a little to either side, as another hand might have written it.

The mean of what a reader says of several such views errs less than its first word (test-time augmentation, Krizhevsky
et al. 2012). The model card tells what it brings on writers whom nobody trained on.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

CLEAR: Final = 0.95
"""Probability from which the first look is enough."""
TURN = 0.12
"""Radians by which the views are turned, about what the reader's training disturbs digits by. Slanted views as well
bring nothing that the likeness to the sheet's clear digits doesn't, and double the time."""

Pictures = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]


def _about_middle(matrix: npt.NDArray[np.float64], side: int) -> npt.NDArray[np.float64]:
    """The linear map [2, 2] about the middle of a picture of `side` px, as OpenCV wants it: [2, 3]."""
    middle = np.full(2, (side - 1) / 2)
    return np.hstack([matrix, (middle - matrix @ middle)[:, None]])


def _maps(side: int) -> list[npt.NDArray[np.float64]]:
    cos, sin = math.cos(TURN), math.sin(TURN)
    linear = ([[cos, -sin], [sin, cos]], [[cos, sin], [-sin, cos]])
    return [_about_middle(np.array(matrix, dtype=np.float64), side) for matrix in linear]


def views(ink: Pictures) -> Pictures:
    """Views of pictures uint8 [n, 2, side, side], each turned both ways: uint8 [n, 2, 2, side, side]."""
    side = ink.shape[-1]
    maps = _maps(side)
    result = np.empty((len(ink), len(maps), *ink.shape[1:]), dtype=np.uint8)
    for number, picture in enumerate(ink.transpose(0, 2, 3, 1)):
        both = np.ascontiguousarray(picture)  # its two channels move together
        for view, matrix in enumerate(maps):
            result[number, view] = cv2.warpAffine(both, matrix, (side, side), flags=cv2.INTER_LINEAR).transpose(2, 0, 1)
    return result


def look_again(
    look: Callable[[Pictures], tuple[Floats, Floats]], ink: Pictures, probabilities: Floats, printed: Floats
) -> None:
    """Gives unclear cells the mean of the first look and of one at each of their views, in place.

    look: a reader's probabilities float32 [m, classes] and of "printed" [m] for pictures uint8 [m, 2, side, side]. ink:
    the pictures [n, ...] of which it gave `probabilities` and `printed` at the first look.
    """
    unclear = np.flatnonzero(probabilities.max(axis=1) < CLEAR)
    if not len(unclear):
        return
    again = views(ink[unclear])
    seen, print_seen = look(again.reshape(-1, *ink.shape[1:]))
    total = seen.reshape(*again.shape[:2], -1).sum(axis=1) + probabilities[unclear]
    probabilities[unclear] = total / total.sum(axis=1, keepdims=True)
    printed[unclear] = (print_seen.reshape(again.shape[:2]).sum(axis=1) + printed[unclear]) / (1 + again.shape[1])
