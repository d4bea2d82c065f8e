"""Tips of hard shadows among the ink: taken away.

Paper is what is brightest around (`scanner.cells.paper_of`), which follows a shadow's straight edge but not its tip: a
phone's corner, a finger. What is left of it in the ink is paler than strokes, and wider than any.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

SOLID: Final = 0.27
"""Side of a square, in cells, that fits into a shadow's tip and into no stroke."""
FAINTEST, DARKEST = 0.08, 0.4
"""Density of such a tip: less isn't to be seen, and somebody may have filled in what is darker. On 270 generated pads
with 14 tips they had 0.08 to 0.28."""
LEAST_AREA: Final = 0.04
"""Area in cells from which it is looked at."""
AROUND: Final = 0.4
"""Side of a square, in cells, by which the tip reaches farther than such squares: up to its point and its soft edge."""
UNEVEN: Final = 1.25
"""How much darker than the palest place of such a square the shadow is elsewhere in it."""

FloatImage = npt.NDArray[np.float32]


def without_tips(density: FloatImage, cell_px: int) -> FloatImage:
    """Ink density of a rectified sheet without such tips, what is written in them included; itself where there is none.

    density: without printed lines and symbols, 0 to 1. cell_px: side of a cell.
    """
    # Where a square fits in: the density that all of it has at least.
    level = cv2.morphologyEx(density, cv2.MORPH_OPEN, _square(SOLID * cell_px), borderType=cv2.BORDER_REPLICATE)
    wide = (level > FAINTEST).astype(np.uint8)
    if not wide.any():
        return density
    _, labels, stats, _ = cv2.connectedComponentsWithStats(wide, connectivity=8)
    is_tip = stats[:, cv2.CC_STAT_AREA] >= LEAST_AREA * cell_px**2
    is_tip[np.unique(labels[level > DARKEST])] = False
    is_tip[0] = False
    if not is_tip.any():
        return density
    shadow = cv2.dilate(np.where(is_tip[labels], level, 0).astype(np.float32), _square(AROUND * cell_px))
    shadow = UNEVEN * cv2.blur(shadow, (5, 5))
    # Shadow and ink both darken what is left of the light.
    return np.asarray(np.clip((density - shadow) / (1 - shadow), 0, 1), dtype=np.float32)


def _square(side: float) -> npt.NDArray[np.uint8]:
    odd = round(side) | 1
    return np.ones((odd, odd), np.uint8)
