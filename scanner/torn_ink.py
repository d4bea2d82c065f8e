"""Digits above one another that touch across a border, where one of them went to pieces: each cell gets its own back.

Ink belongs to cells by connected strokes (`scanner.cells`). Where a digit's strokes don't meet, as in many a 3, its
lower half may touch the digit below and go to that cell with it: one cell is left with a hook, and the next one has a
tower. Both show by their heights, since on a sheet most digits are about as high as each other. Where both come much
nearer to that if the touching ink is divided at the border, it is divided there.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

NEARER = 0.45
"""By how much the two heights have to come nearer to the sheet's usual one, as logarithms, together. On 270 generated
pads four had such digits, 0.7 or more; long tails that reach into a cell with a digit of its own give 0.25 at most."""
USUAL = 0.3
"""How far off the usual height both may be then, as logarithms."""
LEAST_PART = 0.15
"""Height of what may have been torn off, in cells, at least."""
FEWEST = 6
"""Cells with ink from which a sheet has a usual height."""

_Cells = npt.NDArray[np.int32]


def mended(owner: _Cells, cell_of: _Cells, columns: int, cell_px: int) -> _Cells:
    """Whose ink each pixel is: int32 of the rectified sheet's shape, row * columns + column, -1 for none.

    owner: the same by connected strokes, which is given back where nothing changes. cell_of: the cell that each pixel
    lies in. cell_px: a cell's side.
    """
    inked = owner >= 0
    owners, cells = owner[inked], cell_of[inked]
    parts = _parts(owners, cells, columns, LEAST_PART * cell_px)
    if not parts:
        return owner
    rows = np.repeat(np.arange(len(owner), dtype=np.int32), inked.sum(axis=1))
    heights = _heights(owners, rows)
    present = heights[heights > 0]
    if len(present) < FEWEST:
        return owner
    usual = float(np.median(present))
    kept = owners.copy()
    for whose, where in parts:
        part = (owners == whose) & (cells == where)
        if where >= len(heights) or not heights[where] or np.ptp(rows[part]) + 1 < LEAST_PART * cell_px:
            continue
        apart = owners.copy()
        apart[part] = where
        before = np.abs(np.log(heights[[whose, where]] / usual))
        after = np.abs(np.log(np.maximum(_heights(apart, rows)[[whose, where]], 1) / usual))
        if after.max() <= USUAL and before.sum() - after.sum() >= NEARER:
            kept[part] = where
    if np.array_equal(kept, owners):
        return owner
    result = owner.copy()
    result[inked] = kept
    return result


def _parts(owners: _Cells, cells: _Cells, columns: int, least: float) -> list[tuple[int, int]]:
    """Whose ink lies in the cell above or below, and in which: where it is `least` pixels or more."""
    strayed = np.abs(owners - cells) == columns
    if not strayed.any():
        return []
    pairs, counts = np.unique(np.stack([owners, cells], axis=1)[strayed], axis=0, return_counts=True)
    return [(whose, where) for whose, where in pairs[counts >= least].tolist()]


def _heights(owners: _Cells, rows: _Cells) -> npt.NDArray[np.int64]:
    """From the highest to the lowest pixel of each cell's ink, px; 0 where there is none. int64 [highest cell + 1].

    owners, rows: of each pixel with ink, by rows.
    """
    high = int(rows.max()) + 1
    there = np.bincount(owners * high + rows, minlength=(int(owners.max()) + 1) * high).reshape(-1, high) > 0
    spans = high - there.argmax(axis=1) - there[:, ::-1].argmax(axis=1)
    return np.where(there.any(axis=1), spans, 0)
