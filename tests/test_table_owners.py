"""Whose ink is whose, on small tables whose strokes are drawn one by one."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner.table_owners import owners
from scanner.table_paper import CELL_PX
from scanner.table_rows import Strokes, digits, settle

WIDTH = 75
LEFT = TOP = 24


def rects(rows: int, columns: int) -> np.ndarray:
    """Cells 75 px wide and 48 px high; row by row."""
    return np.array(
        [
            (LEFT + WIDTH * c, TOP + CELL_PX * r, LEFT + WIDTH * (c + 1), TOP + CELL_PX * (r + 1))
            for r in range(rows)
            for c in range(columns)
        ],
        dtype=np.float64,
    )


def blank(rows: int, columns: int) -> np.ndarray:
    return np.zeros((48 + CELL_PX * rows, 48 + WIDTH * columns), dtype=np.uint8)


def zero(mask: np.ndarray, x: float, y: float, half: tuple[int, int] = (7, 13)) -> None:
    cv2.ellipse(mask, (round(x), round(y)), half, 0, 0, 360, 1, 3)


def owner_at(mask: np.ndarray, rows: int, columns: int, x: float, y: float) -> int:
    """Who owns the digit whose left side is near (x, y)."""
    owner = owners(mask, rects(rows, columns))[0]
    piece = owner[round(y) - 2 : round(y) + 3, round(x) - 10 : round(x) + 11]
    found = np.unique(piece[piece >= 0])
    assert len(found) == 1
    return int(found[0])


@pytest.mark.parametrize("beyond", [-2, 1, 3])
@pytest.mark.parametrize("neighbour", [None, 0.5])
def test_the_last_digit_beyond_the_border_belongs_to_the_number_before_it(beyond: int, neighbour: float | None) -> None:
    # "000" in the left one of two cells goes over the border; the other is empty, or holds a 0 in its middle.
    mask = blank(1, 2)
    border, y = LEFT + WIDTH, TOP + CELL_PX / 2
    for k in (0, 1, 2):
        zero(mask, border + beyond - 22 * k, y)
    if neighbour is not None:
        zero(mask, border + neighbour * WIDTH, y)
    assert owner_at(mask, 1, 2, border + beyond, y) == 0
    if neighbour is not None:
        assert owner_at(mask, 1, 2, border + neighbour * WIDTH, y) == 1


@pytest.mark.parametrize("beyond", [-2, 1, 3])
def test_the_first_digit_beyond_the_border_belongs_to_the_number_behind_it(beyond: int) -> None:
    mask = blank(1, 2)
    border, y = LEFT + WIDTH, TOP + CELL_PX / 2
    for k in (0, 1, 2):
        zero(mask, border - beyond + 22 * k, y)
    zero(mask, LEFT + WIDTH * 0.4, y)
    assert owner_at(mask, 1, 2, border - beyond, y) == 1


@given(slid=st.integers(13, 24), x=st.integers(-8, 8), apart=st.integers(18, 22))
def test_two_numbers_that_slid_into_the_next_row_stay_two(slid: int, x: int, apart: int) -> None:
    # Both numbers of a column slide down: the upper one lies in the lower one's cell as much as in its own.
    mask = blank(3, 1)
    middle = LEFT + WIDTH / 2 + x
    ys = [TOP + CELL_PX * 0.5 + slid, TOP + CELL_PX * 1.5 + min(slid + 4, 22)]
    for y in ys:
        zero(mask, middle - apart / 2, y)
        zero(mask, middle + apart / 2, y)
    for cell, y in enumerate(ys):
        assert owner_at(mask, 3, 1, middle - apart / 2, y) == cell
        assert owner_at(mask, 3, 1, middle + apart / 2, y) == cell


@given(deep=st.integers(3, 4), side=st.sampled_from([-1, 1]))
def test_what_looks_in_from_the_next_row_is_not_torn_off(deep: int, side: int) -> None:
    # The top of a 0 looks over the border; its shoulder touches the foot of a 1 that slid down.
    mask = blank(2, 1)
    border, middle = TOP + CELL_PX, LEFT + WIDTH // 2
    zero(mask, middle, border + 17 - deep, (16, 17))
    cv2.line(mask, (middle + 15 * side, border - 34), (middle + 15 * side, border + 8), 1, 3)
    owner = owners(mask, rects(2, 1))[0]
    assert owner[border - 30, middle + 15 * side] == 0
    top = owner[border - deep - 1 : border + 1, middle - 5 : middle + 6]
    assert np.unique(top[top >= 0]).tolist() == [1]


def test_nobody_writes_a_fourth_digit() -> None:
    boxes = np.array([[x, 10, x + 14, 38] for x in (20, 38, 56, 76)], dtype=np.float64)
    boxes = np.vstack([boxes, [[110, 10, 124, 38]]])
    cells = np.array([[0, 0, 75, 48], [75, 0, 150, 48]], dtype=np.float64)
    shares = np.array([[1, 0], [1, 0], [1, 0], [0.1, 0.9], [0, 1]], dtype=np.float64)
    strokes = Strokes(boxes, np.array([0, 0, 0, 0, 1]), shares)
    settle(strokes, {3: [0, 1]}, cells, 48.0)
    assert strokes.cells.tolist() == [0, 0, 0, 1, 1]


def test_a_wide_stroke_is_two_digits_that_touch() -> None:
    apart = np.array([[0, 0, 14, 28], [18, 0, 32, 28]], dtype=np.float64)
    touching = np.array([[0, 0, 60, 28]], dtype=np.float64)
    dash = np.array([[40, 12, 55, 15]], dtype=np.float64)
    assert digits(apart, 28) == digits(touching, 28) == 2
    assert digits(np.vstack([apart, dash]), 28) == 2
    assert digits(np.empty((0, 4)), 28) == 0


@given(beyond=st.integers(-3, 4), y=st.integers(-2, 2))
def test_a_one_whose_upstroke_touches_the_number_before_it_is_parted_from_it(beyond: int, y: int) -> None:
    # "00" before the border; behind it "100", the upstroke of whose 1 reaches back to the 0 before it.
    mask = blank(1, 2)
    border, middle = LEFT + WIDTH + beyond, TOP + CELL_PX // 2
    for x in (border - 40, border - 18, border + 25, border + 47):
        zero(mask, x, middle)
    cv2.line(mask, (border - 11, middle + y), (border + 7, middle - 13), 1, 2)
    cv2.line(mask, (border + 7, middle - 13), (border + 7, middle + 13), 1, 3)
    owner = owners(mask, rects(1, 2))[0]
    assert np.unique(owner[:, border - 50 : border - 11]).tolist() == [-1, 0]
    assert np.unique(owner[:, border + 5 : border + 56]).tolist() == [-1, 1]


def test_one_broad_digit_at_a_border_stays_whole() -> None:
    mask = blank(1, 2)
    border, middle = LEFT + WIDTH, TOP + CELL_PX // 2
    zero(mask, border - 40, middle)
    # A 4, broader than high, whose crossbar is thin where it lies on the border.
    for start, end in (((-14, -12), (-18, 4)), ((-18, 4), (12, 4)), ((6, -6), (4, 14))):
        cv2.line(mask, (border + start[0], middle + start[1]), (border + end[0], middle + end[1]), 1, 3)
    owner = owners(mask, rects(1, 2))[0]
    assert np.unique(owner).tolist() == [-1, 0]


@given(beyond=st.integers(2, 4), up=st.integers(40, 48))
def test_the_last_one_beyond_the_border_is_found_though_it_touches_what_stands_above(beyond: int, up: int) -> None:
    # "001" in the lower left cell; its 1 stands in the empty cell beside, and touches a long stroke from above.
    mask = blank(2, 2)
    border, middle = LEFT + WIDTH, TOP + round(CELL_PX * 1.5)
    for x in (border - 33, border - 11):
        zero(mask, x, middle)
    cv2.line(mask, (border + beyond, middle + 13), (border + beyond, middle - 13 - up), 1, 3)
    owner = owners(mask, rects(2, 2))[0]
    assert owner[middle, border + beyond] == 2
    assert owner[middle - 13 - up + 4, border + beyond] == 1
