"""A picture in which the edges of coloured bands are lines: many pads tell their rows apart by nothing else."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

GrayImage = npt.NDArray[np.uint8]
FloatImage = npt.NDArray[np.float32]

STROKE = 0.012
"""Width that strokes and lines are narrower than, as a share of the picture's long side: they end no band."""
SIGMA = 1.2
"""Smoothing before the brightness is compared from pixel to pixel, px."""
LEAST_STEP, FULL_STEP = 0.003, 0.012
"""Share of light for each px by which the brightness changes at no edge yet, and at one that is drawn in full."""
REACH = 0.021
"""Length, as a share of the long side, over which an edge is followed: texture has none so long."""
DARKNESS = 0.5
"""Share of light that a drawn edge takes."""
DARKEST = 20.0
"""Grey level below which nothing is told by the share of light that it takes."""


def with_band_edges(gray: GrayImage) -> GrayImage:
    """A picture [h, w] of the same size with dark lines drawn where level or upright edges of coloured fields are.

    Lines that are there stay as they are.
    """
    long_side = max(gray.shape)
    side, reach = (max(3, round(share * long_side)) | 1 for share in (STROKE, REACH))
    bare = cv2.morphologyEx(gray, cv2.MORPH_CLOSE, np.ones((side, side), np.uint8))
    soft = cv2.GaussianBlur(bare.astype(np.float32), (0, 0), SIGMA)
    light = np.maximum(soft, DARKEST)
    # Sobel's kernel adds eight differences of neighbours.
    across, down = (cv2.Sobel(soft, cv2.CV_32F, dx, dy, ksize=3) / 8 / light for dx, dy in ((1, 0), (0, 1)))
    edges = np.maximum(np.abs(cv2.blur(down, (reach, 1))), np.abs(cv2.blur(across, (1, reach))))
    drawn = np.clip((edges - LEAST_STEP) / (FULL_STEP - LEAST_STEP), 0, 1)
    return np.asarray(gray * (1 - DARKNESS * drawn), dtype=np.uint8)
