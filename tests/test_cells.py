"""Whose ink it is where digits run into one another across a border."""

from __future__ import annotations

import numpy as np
import pytest

from scanner.cells import CELL_PX, RIM_PX, cells_of_density, cut_rectified


def bar(top: float, bottom: float) -> tuple[bool, bool]:
    """Whether the upper and the lower of two cells show ink, for an upright stroke between two heights, in cells."""
    sheet = np.zeros((2 * CELL_PX + 2 * RIM_PX, CELL_PX + 2 * RIM_PX), np.float32)
    middle = RIM_PX + CELL_PX // 2
    sheet[RIM_PX + round(top * CELL_PX) : RIM_PX + round(bottom * CELL_PX), middle - 2 : middle + 3] = 0.8
    ink, _ = cells_of_density(sheet, np.array([0, 1]), np.array([0, 0]), 2, 1)
    upper, lower = (bool(one.any()) for one in ink)
    return upper, lower


@pytest.mark.parametrize(("top", "bottom"), [(0.1, 1.5), (0.2, 1.45), (0.4, 1.8)])
def test_a_cell_into_which_much_of_anothers_ink_reaches_is_not_blank(top: float, bottom: float) -> None:
    """Two digits that touch: most of the ink is the one's, but the other cell isn't empty either."""
    assert bar(top, bottom) == (True, True)


@pytest.mark.parametrize(("top", "bottom", "shown"), [(0.2, 1.1, (True, False)), (0.9, 1.8, (False, True))])
def test_a_digit_that_strays_a_little_leaves_nothing_behind(
    top: float, bottom: float, shown: tuple[bool, bool]
) -> None:
    assert bar(top, bottom) == shown


@pytest.mark.parametrize(
    ("bottom", "by_hand", "hidden"), [(1.1, True, False), (1.24, True, True), (1.24, False, False)]
)
def test_a_cell_into_which_a_strokes_length_of_anothers_ink_reaches_is_not_surely_blank(
    bottom: float, by_hand: bool, hidden: bool
) -> None:
    """A digit that is written much too high, and touches the one above, leaves no more than its foot in its cell."""
    flat = np.full((2 * CELL_PX + 2 * RIM_PX, CELL_PX + 2 * RIM_PX), 200, np.uint8)
    middle = RIM_PX + CELL_PX // 2
    flat[RIM_PX + 10 : RIM_PX + round(bottom * CELL_PX), middle - 2 : middle + 3] = 40
    both = np.ones(2, np.bool_)
    cells = cut_rectified(flat, ("r1c1", "r2c1"), np.array([0, 1]), np.array([0, 0]), 2, 1, both, by_hand=by_hand)
    assert cells.hidden is not None
    assert cells.hidden.tolist() == [False, hidden]
