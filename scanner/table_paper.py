"""The paper of ruled cells, and how much darker than it everything on it is."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

FloatImage = npt.NDArray[np.float32]
Rects = npt.NDArray[np.float64]
"""float64 [n, 4]: left, top, right, bottom of upright rectangles, px; the middle of pixel 0 lies at 0."""

CELL_PX = 48
"""Height to which a typical cell is brought in the rectified sheet."""
FLOOR = 0.05
"""Ink lighter than this share below the paper is paper grain or the other side showing through."""

STROKE = 0.28
"""Of CELL_PX: what is darker and narrower than this is ink or a printed line."""
BLOT = 0.8
"""Of CELL_PX: what is darker and nowhere as wide as this, like a number that was written over, is ink as well; the rest
is the shadow of a hand, or its half shade."""
COARSE = 4
"""Pixels to one of the picture on which shadows are told from ink."""
SHADE = 1.03
"""So much brighter than the shaded paper itself its estimate may be: grain."""


def density_by_cell(gray: FloatImage, rects: Rects) -> FloatImage:
    """How much darker than its own paper every pixel is, 0 to 1; each cell has its own paper, the rest a common one."""
    paper = _paper_of(gray, round(0.8 * CELL_PX))
    for left, top, right, bottom in whole_px(rects, gray.shape):
        piece = gray[top:bottom, left:right]
        if min(piece.shape) >= 6:
            inset = 3  # the printed lines along the sides are no paper
            inner = piece[inset:-inset, inset:-inset] if min(piece.shape) > 4 * inset else piece
            own = _paper_of(np.ascontiguousarray(inner), round(0.8 * min(piece.shape)))
            pad = (piece.shape[0] - inner.shape[0]) // 2
            paper[top:bottom, left:right] = np.pad(own, pad, mode="edge")[: piece.shape[0], : piece.shape[1]]
    np.minimum(paper, _shaded(gray), out=paper)
    density = 1.0 - gray / np.maximum(paper, 12.0)
    return np.asarray(np.clip(density, 0.0, 1.0), dtype=np.float32)


def _paper_of(gray: FloatImage, side: int) -> FloatImage:
    """Brightness of the paper under the ink: a closing wider than any stroke, smoothed."""
    small = cv2.medianBlur(np.clip(gray, 0, 255).astype(np.uint8), 3)
    kernel = cv2.getStructuringElement(cv2.MORPH_RECT, (side | 1, side | 1))
    closed = cv2.morphologyEx(small, cv2.MORPH_CLOSE, kernel, borderType=cv2.BORDER_REPLICATE)
    blur = max(3, side // 4) | 1
    smooth = np.asarray(cv2.blur(closed, (blur, blur), borderType=cv2.BORDER_REPLICATE), dtype=np.float32)
    # Beside a white margin a coloured field is no darker than elsewhere.
    smooth = np.minimum(smooth, closed.astype(np.float32))
    # The closing follows the brightest grain: what is typical is paper, unless ink covers half of it.
    grain = (smooth - gray).ravel()
    typical = float(np.partition(grain, grain.size // 2)[grain.size // 2])
    return smooth - np.float32(np.clip(typical, 0, 0.04 * float(smooth.mean())))


def _shaded(gray: FloatImage) -> FloatImage:
    """How bright the paper may be at most, [h, w]: within a shadow and at its edge no brighter than the shadow is.

    A shadow is what a closing by reconstruction (Vincent 1993) leaves: dark, and somewhere as wide as no ink is. Up to
    its edge it is shadow then, however narrow a corner of a cell it reaches.
    """
    bytes_ = np.clip(gray, 0, 255).astype(np.uint8)
    kernel = np.ones((round(STROKE * CELL_PX) | 1,) * 2, np.uint8)
    bare = cv2.morphologyEx(cv2.medianBlur(bytes_, 3), cv2.MORPH_CLOSE, kernel, borderType=cv2.BORDER_REPLICATE)
    size = (max(1, gray.shape[1] // COARSE), max(1, gray.shape[0] // COARSE))
    small = cv2.resize(bare, size, interpolation=cv2.INTER_AREA)
    kernel = np.ones((round(BLOT * CELL_PX / COARSE) | 1,) * 2, np.uint8)
    filled = cv2.morphologyEx(small, cv2.MORPH_CLOSE, kernel, borderType=cv2.BORDER_REPLICATE)
    near = np.ones((3, 3), np.uint8)
    for _ in range(max(size)):
        before = filled
        filled = cv2.max(cv2.erode(before, near, borderType=cv2.BORDER_REPLICATE), small)
        if np.array_equal(filled, before):
            break
    shade = cv2.resize(filled, (gray.shape[1], gray.shape[0]), interpolation=cv2.INTER_LINEAR)
    # The edge is where the picture has it, not where the coarse one does.
    shade = cv2.max(cv2.erode(shade, np.ones((2 * COARSE - 1,) * 2, np.uint8)), bare)
    return np.asarray(np.float32(SHADE) * shade, dtype=np.float32)


def whole_px(rects: Rects, shape: tuple[int, ...]) -> list[tuple[int, int, int, int]]:
    """The rectangles as whole px inside a picture of this shape: left, top, right, bottom, ends exclusive."""
    limits = np.array([shape[1], shape[0], shape[1], shape[0]])
    fixed = np.clip(np.round(rects), 0, limits).astype(int)
    return [(int(a), int(b), int(c), int(d)) for a, b, c, d in fixed]


def inside(rects: Rects, margin: tuple[float, float]) -> Rects:
    """The rectangles without a margin at the sides, and above and below, as shares of their shorter side."""
    sides = np.minimum(rects[:, 2] - rects[:, 0], rects[:, 3] - rects[:, 1])
    inset = np.array([margin[0], margin[1], -margin[0], -margin[1]])
    return np.asarray(rects + sides[:, None] * inset, dtype=np.float64)
