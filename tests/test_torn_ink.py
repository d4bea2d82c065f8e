"""A digit in pieces, one of which touches the digit below: whose ink is it?"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import numpy.typing as npt
import pytest

from scanner.cells import CELL_PX, RIM_PX, CellBatch, cut_rectified
from scanner.torn_ink import mended

ROWS, COLS = 4, 3
TORN, BELOW = 4, 7
"""The middle cells of the second and of the third row."""
TOP, HEIGHT = 0.15, 0.7
"""Where the sheet's digits begin in their cells, and how high they are, in cells."""
Sheet = npt.NDArray[np.bool_]


def stroke(sheet: Sheet, top: float, bottom: float, col: float) -> None:
    """An upright stroke between two heights, at a column; all in cells."""
    first, last, middle = (RIM_PX + round(at * CELL_PX) for at in (top, bottom, col))
    sheet[first:last, middle - 2 : middle + 3] = True


def sheet_without(cells: Collection[int]) -> Sheet:
    """A stroke of the usual height in all other cells."""
    sheet = np.zeros((ROWS * CELL_PX + 2 * RIM_PX, COLS * CELL_PX + 2 * RIM_PX), np.bool_)
    for cell in set(range(ROWS * COLS)) - set(cells):
        row, col = divmod(cell, COLS)
        stroke(sheet, row + TOP, row + TOP + HEIGHT, col + 0.5)
    return sheet


def torn_sheet() -> Sheet:
    """A hook, and below it a stroke that goes on through the border as the next cell's digit."""
    sheet = sheet_without((TORN, BELOW))
    stroke(sheet, 1.15, 1.4, 1.7)
    stroke(sheet, 1.5, 2.85, 1.5)
    return sheet


def batch(sheet: Sheet, *, standing: bool) -> CellBatch:
    flat = np.where(sheet, 40, 220).astype(np.uint8)
    rows, cols = np.divmod(np.arange(ROWS * COLS), COLS)
    ids = tuple(f"r{row + 1}c{col + 1}" for row, col in zip(rows, cols, strict=True))
    everywhere = np.ones(len(ids), np.bool_)
    return cut_rectified(flat, ids, rows, cols, ROWS, COLS, everywhere, standing=standing)


def span(one: CellBatch, cell: int) -> float:
    """How high the ink of a cell is in its picture, in cells: 24 px are one."""
    rows = np.flatnonzero((one.ink[cell, 0] > 100).any(axis=1))
    return float(rows[-1] - rows[0] + 1) / 24


def test_each_cell_gets_its_own_back() -> None:
    """The lower piece is 0.5 of 1.35 cells: by its strokes alone it all belongs to the cell below."""
    cells = batch(torn_sheet(), standing=True)
    assert span(cells, TORN) == pytest.approx(0.85, abs=0.1)
    assert span(cells, BELOW) == pytest.approx(0.85, abs=0.1)
    assert cells.shared is not None
    assert set(np.flatnonzero(cells.shared)) == {TORN, BELOW}


def test_nothing_is_divided_where_digits_may_lie_on_a_side() -> None:
    assert span(batch(torn_sheet(), standing=False), TORN) == pytest.approx(0.25, abs=0.1)


def test_a_long_tail_into_a_cell_with_a_digit_of_its_own_stays_whole() -> None:
    sheet = sheet_without((TORN, BELOW))
    stroke(sheet, 1.15, 2.3, 1.3)
    stroke(sheet, 2.15, 2.85, 1.7)
    cells = batch(sheet, standing=True)
    assert span(cells, TORN) == pytest.approx(1.0, abs=0.15)  # the picture ends a sixth of a cell below the border
    assert span(cells, BELOW) == pytest.approx(HEIGHT, abs=0.1)


def test_a_tail_into_a_blank_cell_stays_whole() -> None:
    sheet = sheet_without((TORN, BELOW))
    stroke(sheet, 1.15, 2.3, 1.3)
    assert not batch(sheet, standing=True).ink[BELOW].any()


def owners(*strokes: tuple[int, int, int, int]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Whose ink and which cell, on a sheet of one column of cells ten px high: (whose, first row, last row, column)."""
    owner = np.full((80, 20), -1, np.int32)
    for whose, first, last, col in strokes:
        owner[first : last + 1, col : col + 3] = whose
    return owner, np.repeat(np.arange(8, dtype=np.int32), 10)[:, None].repeat(20, axis=1)


USUAL = tuple((cell, 10 * cell + 1, 10 * cell + 8, 2) for cell in range(2, 8))
"""Six digits of the usual height, 8 px."""


def test_by_hand() -> None:
    """Of 2 and 14 px become 9 and 9: nearer to the usual 8 by log(8/2) + log(14/8) - 2 log(9/8) = 1.71."""
    owner, cells = owners((0, 0, 1, 2), (1, 4, 18, 8), *USUAL)
    result = mended(owner, cells, 1, 10)
    assert (result[4:10, 8:11] == 0).all()
    assert (result[10:19, 8:11] == 1).all()
    assert (result[owner == -1] == -1).all()
    assert (owner[4:10, 8:11] == 1).all()  # what was given stays as it was


@pytest.mark.parametrize(
    "strokes",
    [
        ((0, 1, 8, 2), (1, 7, 18, 8)),  # the upper digit is whole
        ((1, 4, 18, 8),),  # there is nothing else in the upper cell
        ((0, 9, 9, 2), (1, 7, 18, 8)),  # even with the part it would be no digit
    ],
)
def test_nothing_to_mend(strokes: tuple[tuple[int, int, int, int], ...]) -> None:
    owner, cells = owners(*strokes, *USUAL)
    assert mended(owner, cells, 1, 10) is owner


def test_too_little_ink_to_know_the_usual_height() -> None:
    owner, cells = owners((0, 0, 1, 2), (1, 4, 18, 8))
    assert mended(owner, cells, 1, 10) is owner
