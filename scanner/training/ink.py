"""Glyphs in one common form: ink density in a square of 48 px, the tight bounding box 44 px long, centred."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

GlyphArray = npt.NDArray[np.uint8]
"""Ink density, 0 = bare paper, 255 = full ink."""

SIDE: Final = 48
"""Height and width of a stored glyph, px."""

BODY: Final = 44
"""Longer side of a glyph's tight bounding box, px."""

_VISIBLE: Final = 64
"""Density from which a pixel counts for the bounding box: above the grey fringe of antialiasing."""


def fit(ink: GlyphArray) -> GlyphArray | None:
    """Cut `ink` [h, w] (density, 0..255) to its ink and centre it in [48, 48], the aspect kept.

    None if there is no ink at all. Enlarging is bicubic, shrinking by area, so that edges stay antialiased.
    """
    if ink.ndim != 2 or ink.dtype != np.uint8:
        raise ValueError(f"expected uint8 [h, w], got {ink.dtype} {list(ink.shape)}")
    rows = np.flatnonzero((ink >= _VISIBLE).any(axis=1))
    cols = np.flatnonzero((ink >= _VISIBLE).any(axis=0))
    if rows.size == 0:
        return None
    box = ink[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]
    scale = BODY / max(box.shape)
    height, width = (max(1, round(side * scale)) for side in box.shape)
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    body = cv2.resize(box, (width, height), interpolation=method)
    glyph = np.zeros((SIDE, SIDE), np.uint8)
    top, left = (SIDE - height) // 2, (SIDE - width) // 2
    glyph[top : top + height, left : left + width] = body
    return glyph


def from_paper(gray: GlyphArray) -> GlyphArray:
    """The ink density of dark strokes on light paper, `gray` [h, w] 0..255.

    The paper's shade is the crop's own median (strokes cover far less than half of it); full ink is the shade of the stroke's
    core, so that a faint pencil and a black pen come out alike. Specks and slivers of a neighbour at the edge are dropped.
    """
    depth = np.clip(float(np.median(gray)) - gray.astype(np.float32), 0, None)
    marked = depth[depth > max(12.0, 0.25 * float(depth.max(initial=0.0)))]
    if marked.size == 0:
        return np.zeros_like(gray)
    density = np.clip(depth * (255.0 / float(np.percentile(marked, 75))), 0, 255)
    # Paper grain: a foot of 10 % is cut off, the rest stretched, so that bare paper is exactly 0.
    ink: GlyphArray = np.clip((density - 25.5) * (255.0 / 229.5), 0, 255).round().astype(np.uint8)
    return _without_specks(ink)


def _without_specks(ink: GlyphArray) -> GlyphArray:
    """Drop components below 2 % of the largest one, at the edge of the crop below 12 %."""
    mask = (ink >= _VISIBLE).astype(np.uint8)
    # A gap of a pixel in a pencil stroke doesn't part it.
    joined = cv2.dilate(mask, np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    if count <= 2:
        return np.where(joined > 0, ink, 0).astype(np.uint8)
    height, width = ink.shape
    areas = stats[1:, cv2.CC_STAT_AREA].astype(np.float64)
    left, top = stats[1:, cv2.CC_STAT_LEFT], stats[1:, cv2.CC_STAT_TOP]
    right, bottom = left + stats[1:, cv2.CC_STAT_WIDTH], top + stats[1:, cv2.CC_STAT_HEIGHT]
    at_edge = (left == 0) | (top == 0) | (right == width) | (bottom == height)
    keep = areas >= areas.max() * np.where(at_edge, 0.12, 0.02)
    kept = np.concatenate(([False], keep))[labels]
    return np.where(kept, ink, 0).astype(np.uint8)
