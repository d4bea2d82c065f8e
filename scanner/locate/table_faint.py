"""A picture in which lines that are hardly darker than their paper stand out: what is written is left out of it."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

GrayImage = npt.NDArray[np.uint8]
FloatImage = npt.NDArray[np.float32]

NEIGHBOURHOOD = 0.006
"""Sigma of what a pixel is compared with, as a share of the picture's long side: wider than any line."""
STROKE = 0.012
"""Width that pen strokes and print are narrower than, the same."""
INK = 0.11
"""Share of light that ink takes, from which it is none of a faint line's."""
MOST = 0.05
"""The most that a pixel counts, so that the edges of strokes are no lines."""
REACH = 0.031
"""Length of line that is averaged, as a share of the long side: grain cancels out over it."""
DIRECTIONS = 24
FULL_RANK, LEAST_FULL = 97, 0.006
"""Percentile of the darkness along lines that is drawn as a full line, and the least of it, as a share of light."""
LEAST_KNOWN = 0.35
"""Share of that length that has to be free of ink."""
PAPER, LINE = 255, 75
"""Grey levels of what is drawn."""
DARKEST = 20.0
"""Grey level below which paper isn't told from lines by the share of light that it takes."""


def faint_lines(gray: GrayImage) -> GrayImage:
    """A picture [h, w] of the same size with dark lines where thin straight ones are a little darker than the paper.

    Writing and print are left out. It takes some tenths of a second: for where nothing else shows a table.
    """
    long_side = max(gray.shape)
    side = max(3, round(STROKE * long_side)) | 1
    level = gray.astype(np.float32)
    closed = cv2.morphologyEx(gray, cv2.MORPH_CLOSE, np.ones((side, side), np.uint8)).astype(np.float32)
    ink = (closed - level > INK * np.maximum(closed, DARKEST)).astype(np.uint8)
    free = 1 - cv2.dilate(ink, np.ones((3, 3), np.uint8)).astype(np.float32)
    sigma = NEIGHBOURHOOD * long_side
    around = cv2.GaussianBlur(level * free, (0, 0), sigma) / np.maximum(cv2.GaussianBlur(free, (0, 0), sigma), 1e-3)
    dark = np.clip((around - level) / np.maximum(around, DARKEST), -MOST, MOST) * free
    along = _along_lines(np.asarray(dark, dtype=np.float32), np.asarray(free, dtype=np.float32))
    full = max(float(np.percentile(along, FULL_RANK)), LEAST_FULL)
    return np.asarray(PAPER - (PAPER - LINE) * np.clip(along / full, 0, 1), dtype=np.uint8)


def _along_lines(dark: FloatImage, free: FloatImage) -> FloatImage:
    """The darkness of the darkest line through each pixel: the mean over what is free of ink."""
    reach = max(9, round(REACH * max(dark.shape))) | 1
    middle = reach // 2
    best = np.zeros_like(dark)
    for angle in np.arange(DIRECTIONS) * np.pi / DIRECTIONS:
        x, y = (round(middle * float(part)) for part in (np.cos(angle), np.sin(angle)))
        line = np.zeros((reach, reach), np.float32)
        cv2.line(line, (middle - x, middle - y), (middle + x, middle + y), (1.0,))
        line /= line.sum()
        known = cv2.filter2D(free, -1, line)
        mean = cv2.filter2D(dark, -1, line) / np.maximum(known, LEAST_KNOWN)
        best = np.maximum(best, mean)
    return best
