"""Printed symbols under the ink: a solid heart or star becomes the paper that was written on.

A symbol is solid, a stroke is thin: what is left of a cell's dark (or light) surface once strokes are wiped out is the
symbol, wherever the printer put it and however large. Inside it, ink is what is darker than the symbol.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

FloatImage = npt.NDArray[np.float32]

SOLID = 0.15
"""Width, in cells, from which a surface is printed and no stroke."""
LEAST_AREA = 0.03
"""Share of a cell that a symbol covers at least."""
DARKER, LIGHTER = 0.12, 0.04
"""By how much of the paper's brightness a symbol differs from the paper, at least."""
EDGE = 0.035
"""Half of the width, in cells, of the seam along a symbol's outline, where neither of the two papers can be told."""
LEAST_CONTRAST = 0.10
"""Least difference between a symbol and the ink on it, as a share of the paper's brightness; below it grain would be
taken for ink."""

STROKE_AREA, LEAST_INK = 0.02, 0.28
"""Share of a cell that the thinnest stroke covers, and the share of the sheet's usual ink that it has at least; what is
left of an unwritten symbol is the trace of its outline, and fainter. Of 144 digits that four held-out writers wrote on
symbols the faintest has 0.30."""


def lifted(gray: FloatImage, density: FloatImage, typical_ink: float) -> FloatImage:
    """Ink density of one cell without its printed symbol.

    gray: float32 [side, side], brightness of the cell with shadows divided out (any unit). density: float32
    [side, side], its ink density as if the symbol were ink. typical_ink: density of the ink elsewhere on the sheet, 0
    to 1. Returns float32 [side, side].
    """
    side = gray.shape[0]
    paper = float(np.percentile(gray, 80))
    solid = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (round(SOLID * side) | 1,) * 2)
    dark = (gray < (1 - DARKER) * paper).astype(np.uint8)
    symbol = cv2.morphologyEx(dark, cv2.MORPH_OPEN, solid)
    if symbol.sum() < LEAST_AREA * side * side:
        # A light symbol is brighter than its paper; the paper is then what is typical, not what is brightest.
        paper = float(np.median(gray))
        light = (gray > (1 + LIGHTER) * paper).astype(np.uint8)
        if cv2.morphologyEx(light, cv2.MORPH_OPEN, solid).sum() < LEAST_AREA * side * side:
            return density
        # Ink is darker than both, so the darker of the two papers serves everywhere.
        lighter_free = np.clip(1 - gray / paper, 0, 1)
        return np.asarray(np.minimum(density, lighter_free), dtype=np.float32)
    # The opening rounds off tips and notches: what is dark right beside it belongs to it.
    near = cv2.dilate(symbol, np.ones((round(0.1 * side) | 1,) * 2, np.uint8))
    symbol = cv2.bitwise_and(near, dark)
    core = cv2.erode(symbol, np.ones((3, 3), np.uint8)) > 0
    if not core.any():
        return density
    level = float(np.percentile(gray[core], 70))
    ink = paper * (1 - typical_ink)
    contrast = max(level - ink, LEAST_CONTRAST * paper)
    inside = np.clip((level - gray) / contrast * typical_ink, 0, 1)
    band = np.ones((2 * round(EDGE * side) + 1,) * 2, np.uint8)
    seam = cv2.dilate(symbol, band) != cv2.erode(symbol, band)
    known = np.where(seam, 0, np.where(symbol > 0, inside, density)).astype(np.float32)
    # A stroke goes on across the seam if it is there beside it.
    across = np.minimum(cv2.dilate(known, band), density)
    left = np.where(seam, across, known).astype(np.float32)
    if float(np.percentile(left, 100 * (1 - STROKE_AREA))) < LEAST_INK * typical_ink:
        return np.zeros_like(left)
    return left
