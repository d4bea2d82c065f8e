"""Cells with whole numbers: lines go, ink stays, and it belongs to the cell that most of it lies in."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner.cells_table import CELL_PX, HIGH, WIDE, NumberBatch, cut_numbers
from scanner.read.number_reader import default_number_reader
from scanner.table_lines import without_sides
from scanner.table_paper import density_by_cell

WIDTH = 90
PAPER = 225


def rects(rows: int, columns: int) -> np.ndarray:
    """Cells of a table 90 px wide and 48 px high each, a rim of half a cell around; column by column."""
    return np.array(
        [
            (24 + WIDTH * c, 24 + CELL_PX * r, 24 + WIDTH * (c + 1), 24 + CELL_PX * (r + 1))
            for c in range(columns)
            for r in range(rows)
        ],
        dtype=np.float64,
    )


def paper(rows: int, columns: int, *, lines: bool = True) -> np.ndarray:
    picture = np.full((48 + CELL_PX * rows, 48 + WIDTH * columns), PAPER, dtype=np.uint8)
    if lines:
        for c in range(columns + 1):
            cv2.line(picture, (24 + WIDTH * c, 24), (24 + WIDTH * c, 24 + CELL_PX * rows), 90, 2)
        for r in range(rows + 1):
            cv2.line(picture, (24, 24 + CELL_PX * r), (24 + WIDTH * columns, 24 + CELL_PX * r), 90, 2)
    return picture


def cut(picture: np.ndarray, rows: int, columns: int) -> NumberBatch:
    n = rows * columns
    ids = tuple(f"c{k // rows + 1}.r{k % rows + 1}" for k in range(n))
    return cut_numbers(picture, rects(rows, columns), n, ids, np.ones(n, dtype=np.bool_))


def inked(batch: NumberBatch) -> list[str]:
    return [cell for cell, ink in zip(batch.ids, batch.ink[:, 0], strict=True) if (ink > 100).sum() > 8]


def test_an_empty_table_has_no_ink() -> None:
    batch = cut(paper(3, 2), 3, 2)
    assert inked(batch) == []
    assert batch.darkness.max() < 0.05


def test_ink_is_brought_to_one_height_and_its_cell_is_shown() -> None:
    picture = paper(3, 2)
    cv2.line(picture, (60, 90), (60, 105), 30, 3)  # a short bar in the second row of the first column
    batch = cut(picture, 3, 2)
    assert inked(batch) == ["c1.r2"]
    rows, cols = np.nonzero(batch.ink[1, 0] > 100)
    assert HIGH / 2 - 2 <= (rows.min() + rows.max()) / 2 <= HIGH / 2 + 2
    assert WIDE / 2 - 2 <= (cols.min() + cols.max()) / 2 <= WIDE / 2 + 2
    assert np.ptp(rows) < 30  # shorter than half a cell: it isn't blown up to the full height
    assert 0.6 < batch.darkness[1] < 0.95


def test_ink_that_slides_over_a_border_stays_whole() -> None:
    picture = paper(3, 2)
    cv2.line(picture, (65, 80), (65, 125), 30, 3)  # four fifths in the second row, a fifth in the third
    assert inked(cut(picture, 3, 2)) == ["c1.r2"]


@given(join=st.integers(70, 74), tall=st.integers(26, 32), below=st.integers(25, 32), x=st.integers(45, 95))
def test_digits_that_stand_on_one_another_are_parted(join: int, tall: int, below: int, x: int) -> None:
    picture = paper(3, 2)
    cv2.ellipse(picture, (x, join - tall // 2), (9, tall // 2), 0, 0, 360, 30, 3)  # a 0, most of all the ink
    cv2.line(picture, (x, join), (x + 6, join + below), 30, 3)  # a 1 that touches it at the border, 72, or near it
    batch = cut(picture, 3, 2)
    assert inked(batch) == ["c1.r1", "c1.r2"]
    for ink, cell in batch.ink[:2] > 100:
        rows = ink.any(axis=1)
        beyond = np.count_nonzero(rows & ~cell.any(axis=1)) / np.count_nonzero(rows)
        assert beyond < 0.3  # ink of both together would lie beyond its cell by 0.4 or so


def test_a_digit_across_a_border_belongs_to_the_number_beside_it() -> None:
    picture = paper(1, 2)
    for x in (80, 97):
        cv2.ellipse(picture, (x, 48), (5, 12), 0, 0, 360, 30, 2)
    cv2.ellipse(picture, (114, 48), (5, 12), 0, 0, 360, 30, 2)  # "000", whose last digit lies on the border at 114
    assert inked(cut(picture, 1, 2)) == ["c1.r1"]


def widths(batch: NumberBatch) -> list[float]:
    """How many times as wide as high each cell's ink is."""
    shapes = [np.nonzero(ink > 100) for ink in batch.ink[:, 0]]
    return [float(np.ptp(columns) / np.ptp(rows)) for rows, columns in shapes]


def test_a_number_of_three_digits_gets_no_fourth() -> None:
    picture = paper(1, 2)
    for x in (48, 70, 126, 148, 170):
        cv2.ellipse(picture, (x, 48), (6, 12), 0, 0, 360, 30, 2)
    cv2.ellipse(picture, (109, 48), (6, 12), 0, 0, 360, 30, 2)
    cv2.line(picture, (109, 60), (118, 60), 30, 2)  # with a foot across the line at 114, near to what is behind it
    assert widths(cut(picture, 1, 2)) == pytest.approx([76 / 26, 58 / 26], rel=0.1)


def test_a_bar_near_a_line_is_no_line() -> None:
    picture = paper(4, 2)
    cv2.line(picture, (33, 80), (33, 112), 30, 3)  # nine px beside the left line, in one row only
    assert inked(cut(picture, 4, 2)) == ["c1.r2"]


def hundreds(offset: int, *, line: int = 90, ink: int = 60) -> np.ndarray:
    """Seven rows, in the third and the fifth of which "100" stands in the middle column; offset: of its 1 from the line
    at the left, px."""
    picture = np.full((48 + CELL_PX * 7, 48 + WIDTH * 3), PAPER, dtype=np.uint8)
    for c in range(4):
        cv2.line(picture, (24 + WIDTH * c, 24), (24 + WIDTH * c, 24 + CELL_PX * 7), line, 2)
    for r in range(8):
        cv2.line(picture, (24, 24 + CELL_PX * r), (24 + WIDTH * 3, 24 + CELL_PX * r), line, 2)
    for r in (2, 4):
        y, x = 48 + CELL_PX * r, 24 + WIDTH + offset
        cv2.line(picture, (x, y - 15), (x, y + 15), ink, 3, cv2.LINE_AA)
        for k in (0, 1):
            cv2.ellipse(picture, (56 + WIDTH + 26 * k, y), (9, 14), 0, 0, 360, ink, 3, cv2.LINE_AA)
    grain = np.random.default_rng(1).normal(0, 2, picture.shape)
    return np.clip(cv2.GaussianBlur(picture, (0, 0), 0.8) + grain, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("offset", [-4, -2, -1, 0, 1, 2, 3])
@pytest.mark.parametrize(("line", "ink"), [(90, 60), (150, 60), (150, 120)])
def test_a_bar_that_runs_along_a_line_is_read(offset: int, line: int, ink: int) -> None:
    batch = cut(hundreds(offset, line=line, ink=ink), 7, 3)
    assert inked(batch) == ["c2.r3", "c2.r5"]
    read = default_number_reader().read(batch)
    best = {cell: found[0] for cell, found in zip(read.ids, read.candidates, strict=True)}
    assert [best[cell].value for cell in ("c2.r3", "c2.r5")] == [100, 100]


def test_a_line_that_is_darker_in_places_is_no_bar() -> None:
    picture = paper(7, 3)
    for y in (40, 100, 200, 290):
        cv2.line(picture, (24 + WIDTH, y), (24 + WIDTH, y + 30), 65, 2)
    cv2.ellipse(picture, (160, 48), (9, 14), 0, 0, 360, 60, 3)
    assert inked(cut(picture, 7, 3)) == ["c2.r1"]


def test_a_one_for_itself_in_the_middle_of_its_cell_stays_there() -> None:
    picture = paper(5, 2)
    cv2.line(picture, (80, 60 + 24), (80, 60 + 50), 30, 3)
    cv2.ellipse(picture, (150, 96), (9, 14), 0, 0, 360, 30, 3)
    assert inked(cut(picture, 5, 2)) == ["c1.r2", "c2.r2"]


def test_coloured_rows_are_paper() -> None:
    picture = paper(4, 2, lines=False)
    picture[24 + CELL_PX : 24 + 2 * CELL_PX] = 150
    assert inked(cut(picture, 4, 2)) == []
    density = density_by_cell(picture.astype(np.float32), rects(4, 2))
    middle = slice(24 + CELL_PX + 8, 24 + 2 * CELL_PX - 8)
    assert density[middle, 40:150].max() < 0.03


@pytest.mark.parametrize("beyond", [3, 5, 7])
def test_the_edge_of_a_coloured_field_is_no_bar(beyond: int) -> None:
    picture = paper(4, 2, lines=False)
    picture[24 : 24 + 4 * CELL_PX, 24 : 24 + 2 * WIDTH - beyond] = 150  # the last cells reach into the white margin
    assert inked(cut(cv2.GaussianBlur(picture, (0, 0), 1.0), 4, 2)) == []


def test_lines_along_the_sides_go_and_strokes_across_them_stay() -> None:
    picture = paper(2, 2)
    density = (PAPER - picture.astype(np.float32)) / PAPER
    crossing = density.copy()
    cv2.line(crossing, (45, 60), (52, 90), 0.9, 3)  # through the level line at 72
    clear = without_sides(crossing.astype(np.float32), rects(2, 2))
    assert clear[71:74, 100:110].max() < 0.05
    assert clear[71:74, 44:54].max() > 0.5


def test_pictures_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match=r"ink: expected uint8 \(1, 2, 40, 112\)"):
        NumberBatch(("a",), np.zeros((1, 2, 32, 32), np.uint8), np.ones(1, np.bool_), np.zeros(1, np.float32))
