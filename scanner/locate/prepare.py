"""What is done to a picture before lines are looked for in it: as little as possible, and nothing to most photos."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

GrayImage = npt.NDArray[np.uint8]

NARROW = 110.0
"""Span of grey levels (1st to 99th percentile) below which a picture is stretched: too dark, or seen through haze."""
WIDE = 200.0
"""The span that it is stretched to."""
MOST_STRETCH = 12.0
"""Beyond this only noise would be enlarged."""
DARKEST = 30.0
"""Where the darkest levels go; not to 0, since ink is judged by its share of the paper's brightness."""


def stretched(gray: GrayImage) -> GrayImage:
    """A picture of few grey levels [h, w] spread over more of them; others as they are."""
    low, high = (float(level) for level in np.percentile(gray[::4, ::4], (1, 99)))
    span = high - low
    if span >= NARROW:
        return gray
    gain = min(WIDE / max(span, 1.0), MOST_STRETCH)
    levels = np.clip((np.arange(256) - low) * gain + DARKEST, 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(gray, levels), dtype=np.uint8)


def smoothed(gray: GrayImage, sigma: float) -> GrayImage:
    """A picture blurred by sigma px; 0 leaves it as it is."""
    if sigma <= 0:
        return gray
    return np.asarray(cv2.GaussianBlur(gray, (0, 0), sigma), dtype=np.uint8)
