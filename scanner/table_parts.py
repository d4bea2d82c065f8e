"""Connected ink of several cells is parted: digits that touch across a border."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from scanner.table_lines import CORE
from scanner.table_paper import CELL_PX, Rects, inside, whole_px

GLYPH = 1.05
"""Connected ink no larger than this share of a cell's height is one digit and not torn apart at a border."""
CORE_INK = 0.02
"""Least ink within that, as a share of a cell's height squared, of a digit that is the cell's own."""
SURE_INK = (0.06, 0.05)
"""Ink of touching digits farther in than this, like CORE, is the cell's own; the rest goes to the nearest cell."""
STACKED = 0.95
"""Connected ink no higher than this share of a cell's height is no digits that stand on one another."""
PAIR, HALF, LEAST_SIDE, BESIDE, NECK = 0.5, 0.42, 0.12, 0.3, 0.12
"""Of a cell's height: least width of two digits that touch at a border, least height and width of either, how far from
the border they touch, and thickest ink there."""


def parted(
    labels: npt.NDArray[np.int32],
    stats: npt.NDArray[np.int32],
    middles: npt.NDArray[np.float64],
    rects: Rects,
    place: npt.NDArray[np.int32],
    typical: float,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """Parts digits that touch at an upright border, in place; gives the statistics and middles, new ones behind.

    Parted is where the ink is thinnest, if what is on either side is as high as a digit. place: which cell each pixel
    lies in.
    """
    wide = stats[:, cv2.CC_STAT_WIDTH] >= PAIR * typical
    low = (stats[:, cv2.CC_STAT_HEIGHT] >= HALF * typical) & (stats[:, cv2.CC_STAT_HEIGHT] <= GLYPH * typical)
    more: list[tuple[int, ...]] = []
    centres: list[tuple[float, float]] = []
    for k in np.flatnonzero(wide & low).tolist():
        left, top, across, down = (int(v) for v in stats[k, :4])
        cells = place[top + down // 2, left : left + across]
        borders = np.flatnonzero((cells[1:] != cells[:-1]) & (cells[1:] < len(rects)) & (cells[:-1] < len(rects)))
        if k == 0 or borders.size != 1:
            continue
        ink = labels[top : top + down, left : left + across] == k
        least = round(LEAST_SIDE * typical)
        first = max(least, int(borders[0]) - round(BESIDE * typical))
        last = min(across - least, int(borders[0]) + round(BESIDE * typical))
        if last <= first:
            continue
        thick = ink[:, first:last].sum(axis=0)
        cut = first + int(thick.argmin())
        halves = [cv2.boundingRect(half.astype(np.uint8)) for half in (ink[:, :cut], ink[:, cut:])]
        if int(thick.min()) > NECK * typical or min(half[3] for half in halves) < HALF * typical:
            continue
        new = len(stats) + len(more)
        labels[top : top + down, left + cut : left + across][ink[:, cut:]] = new
        (x, y, w, h), (x2, y2, w2, h2) = halves
        right = int(np.count_nonzero(ink[:, cut:]))
        more.append((left + cut + x2, top + y2, w2, h2, right))
        centres.append((left + cut + x2 + w2 / 2, top + y2 + h2 / 2))
        stats[k] = (left + x, top + y, w, h, int(stats[k, cv2.CC_STAT_AREA]) - right)
        middles[k] = (left + x + w / 2, top + y + h / 2)
    if not more:
        return stats, middles
    return np.vstack([stats, np.array(more, dtype=np.int32)]), np.vstack([middles, np.array(centres)])


def torn_ink(
    labels: npt.NDArray[np.int32], stats: npt.NDArray[np.int32], rects: Rects, typical: float
) -> dict[int, list[int]]:
    """Connected ink that reaches deep into several cells and is larger than a digit: digits that touch.

    Gives those cells by the ink's label.
    """
    found: dict[int, list[int]] = {}
    for k, (left, top, right, bottom) in enumerate(whole_px(inside(rects, CORE), labels.shape)):
        if right > left and bottom > top:
            deep = np.bincount(labels[top:bottom, left:right].ravel())
            for label in np.flatnonzero(deep >= CORE_INK * typical**2).tolist():
                if label:
                    found.setdefault(label, []).append(k)
    torn = {}
    for label, cells in found.items():
        stacked = np.ptp(rects[cells, 1]) > 0.5 * typical
        if len(cells) > 1 and (not stacked or stats[label, cv2.CC_STAT_HEIGHT] > STACKED * typical):
            torn[label] = cells
    return torn


@dataclass(frozen=True, eq=False)
class Part:
    """Torn ink of one cell. box: left, top, right, bottom. ink: bool, at `rows` and `columns` of the picture."""

    cell: int
    box: tuple[int, int, int, int]
    rows: slice
    columns: slice
    ink: npt.NDArray[np.bool_]


def tear(
    labels: npt.NDArray[np.int32],
    number: int,
    cells: list[int],
    box: npt.NDArray[np.int32],
    rects: Rects,
) -> list[Part]:
    """Parts connected ink among cells: each pixel goes to the one that is the nearest along the strokes."""
    left, top, wide, high = (int(v) for v in box[:4])
    ink = (labels[top : top + high, left : left + wide] == number).astype(np.uint8)
    own = rects[cells] - np.array([left, top, left, top])
    cores = whole_px(inside(own, CORE), ink.shape)
    # All cells grow together, a step of one pixel at a time; of two that meet the first one's number is the higher.
    grown = np.zeros(ink.shape, dtype=np.uint16)
    for rank, ((a, b, c, d), core) in enumerate(zip(whole_px(inside(own, SURE_INK), ink.shape), cores, strict=True)):
        seed = np.zeros_like(ink)
        seed[b:d, a:c] = ink[b:d, a:c]
        np.maximum(grown, np.where(_deep(seed, core) > 0, len(cells) - rank, 0).astype(np.uint16), out=grown)
    kernel = np.ones((3, 3), np.uint8)
    open_px, last = int(np.count_nonzero(ink)) - int(np.count_nonzero(grown)), -1
    while open_px not in (0, last):
        wider = np.asarray(cv2.dilate(grown, kernel), dtype=np.uint16)
        grown = np.where((grown == 0) & (ink > 0), wider, grown)
        open_px, last = int(np.count_nonzero(ink)) - int(np.count_nonzero(grown)), open_px
    of = np.array([-1, *reversed(cells)], dtype=np.int32)
    piece = of[grown]
    return _parts(piece, (left, top))


def cut_at_borders(
    labels: npt.NDArray[np.int32],
    number: int,
    box: npt.NDArray[np.int32],
    place: npt.NDArray[np.int32],
    n: int,
) -> list[Part]:
    """Connected ink cut where cells end. place: which of the n cells each pixel lies in, n for none."""
    left, top, wide, high = (int(v) for v in box[:4])
    area = (slice(top, top + high), slice(left, left + wide))
    mine = (labels[area] == number) & (place[area] < n)
    return _parts(np.where(mine, place[area], -1).astype(np.int32), (left, top))


def _parts(cells: npt.NDArray[np.int32], corner: tuple[int, int]) -> list[Part]:
    """The ink of each cell in a piece of the picture whose left top corner is given; -1 where none is."""
    left, top = corner
    parts = []
    for cell in np.unique(cells[cells >= 0]).tolist():
        mine = cells == cell
        x, y, across, down = cv2.boundingRect(mine.astype(np.uint8))
        bounds = (left + x, top + y, left + x + across, top + y + down)
        rows, columns = slice(top, top + cells.shape[0]), slice(left, left + cells.shape[1])
        parts.append(Part(cell, bounds, rows, columns, mine))
    return parts


def _deep(seed: npt.NDArray[np.uint8], core: tuple[int, int, int, int]) -> npt.NDArray[np.uint8]:
    """The ink 0 or 1 of those pieces that reach into a cell's core (left, top, right, bottom): others look in."""
    count, found = cv2.connectedComponents(seed, connectivity=8, ltype=cv2.CV_32S)
    if count <= 2:
        return seed
    labels = np.asarray(found)
    left, top, right, bottom = core
    deep = np.bincount(labels[top:bottom, left:right].ravel(), minlength=count) >= CORE_INK * CELL_PX**2 / 2
    deep[0] = False
    return deep[labels].astype(np.uint8) if deep.any() else seed
