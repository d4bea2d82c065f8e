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

_LINE_PX: Final = 7
"""Up to this thickness (px of the crop, widened by 2 for joining) ink along the edge may be a printed line."""

_GRAIN: Final = 12.0
"""Shades by which paper darkens without any ink."""


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

    The paper's shade is the crop's own median (strokes cover far less than half of it); full ink is the shade of the
    stroke's core, so that a faint pencil and a black pen come out alike. Specks and slivers of a neighbour at the edge
    are dropped.
    """
    depth = np.clip(float(np.median(gray)) - gray.astype(np.float32), 0, None)
    marked = depth > _GRAIN
    if not marked.any():
        return np.zeros_like(gray)
    # Cleaned before the level of full ink is taken: a black printed line would make the pencil beside it faint.
    depth = np.where(_strokes(depth > max(_GRAIN, 0.25 * float(np.median(depth[marked])))), depth, 0)
    full = float(np.percentile(depth[depth > max(_GRAIN, 0.25 * float(depth.max()))], 75))
    density = np.clip(depth * (255.0 / full), 0, 255)
    # Paper grain: a foot of 10 % is cut off, the rest stretched, so that bare paper is exactly 0.
    ink: GlyphArray = np.clip((density - 25.5) * (255.0 / 229.5), 0, 255).round().astype(np.uint8)
    return ink


def _strokes(marked: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """The marked pixels [h, w] and a rim of 1 px for their fringe, without what isn't of the digit.

    That is components below 5 % of the largest one, at the edge of the crop below 12 %, and thin lines along the edge.
    """
    # A gap of a pixel in a pencil stroke doesn't part it.
    joined = cv2.dilate(marked.astype(np.uint8), np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    if count <= 2:
        return joined > 0
    height, width = marked.shape
    areas = stats[1:, cv2.CC_STAT_AREA].astype(np.float64)
    left, top = stats[1:, cv2.CC_STAT_LEFT], stats[1:, cv2.CC_STAT_TOP]
    right, bottom = left + stats[1:, cv2.CC_STAT_WIDTH], top + stats[1:, cv2.CC_STAT_HEIGHT]
    at_edge = (left == 0) | (top == 0) | (right == width) | (bottom == height)
    # The form's own printed lines: they lie along the edge, long and a few px thin, beside a digit that isn't.
    lines = at_edge & (np.minimum(right - left, bottom - top) <= _LINE_PX)
    if not (~lines & (areas >= 0.25 * areas.max())).any():
        lines = np.zeros_like(lines)
    keep = ~lines & (areas >= areas[~lines].max() * np.where(at_edge, 0.12, 0.05))
    kept: npt.NDArray[np.bool_] = np.concatenate(([False], keep))[labels]
    return kept
