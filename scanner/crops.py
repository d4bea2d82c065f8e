"""Single crops of digits -> the reader's pictures, made as if each crop were a cell of a sheet without lines.

A crop has dark ink on light paper, any size and any margin. Its ink is brought to the size that a digit has in a cell,
and then takes the very path that cells of a sheet take (`scanner.cells.cells_of_density`).
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from scanner.cells import CELL_PX, FLOOR, INPUT_PX, RIM_PX, FloatImage, cells_of_density

GLYPH_SHARE = 0.65
"""Longer side of a digit as a share of its cell's side, as people write."""
INK_SHARE = 0.38
"""Ink starts at this share of the crop's darkest ink."""
SPECK_SHARE = 0.04
"""A patch with less ink than this share of the largest one is a speck and no part of the digit."""
LEAST_CONTRAST = 0.08
"""Darkest ink against the paper below which a crop holds paper only."""
LIGHTEST = 90
"""Percentile of the brightness that is paper even where a crop is so tight that ink fills most of it."""
DARKEST_PAPER = 12.0
"""Nothing can be told from crops whose paper is darker than this, of 255."""
UNEVEN = 0.08
"""Paper varies by less than this share of its brightness; a border that varies more has a shadow, or ink, on it."""
MOSTLY_PAPER = 0.6
"""A shadow is believed where at least this share of a crop is paper once it is taken away."""
INK_WEIGHT = 0.03
"""Weight of pixels darker than the paper against lighter ones, in the fit of a shadow."""
SLOPE_ROUNDS = 8
GAP_SHARE = 0.03
"""Patches of ink closer together than this share of the crop's longer side belong together (dotted pencil strokes)."""
TILE_PX = CELL_PX + 2 * RIM_PX
TILES_PER_ROW = 16
MOSAIC = 256
"""Crops that are worked on at once."""


def pictures_of(crops: Sequence[npt.NDArray[np.uint8]]) -> npt.NDArray[np.uint8]:
    """The reader's pictures, uint8 [n, 2, 32, 32], of grey crops, uint8 [h, w] each, 0 black.

    They are zero where there is no ink.
    Raises ValueError for a crop of another type or without pixels.
    """
    for number, crop in enumerate(crops):
        if crop.ndim != 2 or crop.dtype != np.uint8 or not crop.size:
            raise ValueError(f"crop {number}: expected uint8 [h, w], got {crop.dtype} {list(crop.shape)}")
    batches = [_mosaic_pictures(crops[start : start + MOSAIC]) for start in range(0, len(crops), MOSAIC)]
    return np.concatenate(batches) if batches else np.zeros((0, 2, INPUT_PX, INPUT_PX), np.uint8)


def _mosaic_pictures(crops: Sequence[npt.NDArray[np.uint8]]) -> npt.NDArray[np.uint8]:
    """Each crop in a tile of its own: a cell with its rim. So every second cell of the mosaic holds a crop."""
    number = np.arange(len(crops), dtype=np.int64)
    rows, cols = -(-len(crops) // TILES_PER_ROW), TILES_PER_ROW
    mosaic = np.zeros((rows * TILE_PX, cols * TILE_PX), dtype=np.float32)
    for k, crop in enumerate(crops):
        glyph = glyph_of(crop)
        high, wide = glyph.shape
        top = k // cols * TILE_PX + (TILE_PX - high) // 2
        left = k % cols * TILE_PX + (TILE_PX - wide) // 2
        mosaic[top : top + high, left : left + wide] = glyph
    cells_down, cells_across = 2 * rows - 1, 2 * cols - 1
    pictures, _ = cells_of_density(mosaic, 2 * (number // cols), 2 * (number % cols), cells_down, cells_across)
    return pictures


def glyph_of(crop: npt.NDArray[np.uint8]) -> FloatImage:
    """The crop's ink alone, as dense as it is against its paper (0 to 1), its longer side `GLYPH_SHARE` of a cell.

    float32 [h, w], a pixel of paper around; [0, 0] for a crop without ink.
    """
    density = _density(crop)
    inside = _ink_box(density)
    if inside is None:
        return np.zeros((0, 0), dtype=np.float32)
    top, bottom, left, right = inside
    margin = 1
    ink = cv2.copyMakeBorder(
        density[top:bottom, left:right], margin, margin, margin, margin, cv2.BORDER_CONSTANT, value=0.0
    )
    scale = GLYPH_SHARE * CELL_PX / max(bottom - top, right - left)
    size = (max(1, round(ink.shape[1] * scale)), max(1, round(ink.shape[0] * scale)))
    glyph = cv2.resize(ink, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    return np.asarray(glyph, dtype=np.float32)[:TILE_PX, :TILE_PX]


def _density(crop: npt.NDArray[np.uint8]) -> FloatImage:
    """How much darker than the crop's paper every pixel is, 0 to 1."""
    border = np.concatenate([crop[0], crop[-1], crop[:, 0], crop[:, -1]])
    # The border shows paper except where ink or a printed frame runs along it; the lightest parts are always paper.
    paper = max(float(np.median(border)), float(np.percentile(crop, LIGHTEST)))
    if paper < DARKEST_PAPER:
        return np.zeros(crop.shape, dtype=np.float32)
    gray = crop.astype(np.float32)
    low, high = np.percentile(border, [25, 75])
    if high - low > UNEVEN * paper:
        sloped = np.clip(1.0 - gray / np.clip(_slope(gray), DARKEST_PAPER, None), 0.0, 1.0)
        if float((sloped < UNEVEN).mean()) >= MOSTLY_PAPER:
            return np.asarray(sloped, dtype=np.float32)
    return np.asarray(np.clip(1.0 - gray / paper, 0.0, 1.0), dtype=np.float32)


def _slope(gray: FloatImage) -> FloatImage:
    """Paper under a shadow: the plane that fits the light pixels (expectile regression, Newey and Powell 1987)."""
    height, width = gray.shape
    rows, cols = np.linspace(-1, 1, height), np.linspace(-1, 1, width)
    step = max(1, min(height, width) // 24)
    y, x = (axis.ravel() for axis in np.meshgrid(rows[::step], cols[::step], indexing="ij"))
    terms = np.stack([np.ones_like(x), x, y], axis=1)
    values = gray[::step, ::step].astype(np.float64).ravel()
    weights = np.ones_like(values)
    plane: npt.NDArray[np.float64] = np.zeros(3)
    for _ in range(SLOPE_ROUNDS):
        weighed = terms * weights[:, None]
        plane = np.asarray(np.linalg.lstsq(weighed.T @ terms, weighed.T @ values, rcond=None)[0], dtype=np.float64)
        weights = np.where(values > terms @ plane, 1.0, INK_WEIGHT)
    return np.asarray(plane[0] + plane[1] * cols[None, :] + plane[2] * rows[:, None], dtype=np.float32)


def _ink_box(density: FloatImage) -> tuple[int, int, int, int] | None:
    """(top, bottom, left, right) of the digit's ink, ends exclusive; clears specks from `density`. Null without ink."""
    smooth = cv2.blur(density, (3, 3)) if min(density.shape) >= 40 else density
    peak = float(smooth.max())
    if peak < LEAST_CONTRAST:
        return None
    mask = (density > max(INK_SHARE * peak, FLOOR)).astype(np.uint8)
    reach = int(GAP_SHARE * max(mask.shape) / 2)
    joined = cv2.dilate(mask, np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)) if reach else mask
    labels = np.asarray(cv2.connectedComponents(joined, connectivity=8, ltype=cv2.CV_32S)[1], dtype=np.int32)
    sizes = np.bincount(labels[mask > 0])
    kept = sizes >= SPECK_SHARE * sizes.max()
    if not kept[np.unique(labels[mask > 0])].all():
        speck = ((labels > 0) & ~kept[labels]).astype(np.uint8)
        density[cv2.dilate(speck, np.ones((3, 3), np.uint8)) > 0] = 0.0
        mask[speck > 0] = 0
    down, across = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return int(down[0]), int(down[-1]) + 1, int(across[0]), int(across[-1]) + 1
