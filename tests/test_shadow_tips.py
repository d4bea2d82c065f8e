"""The tip of a hard shadow over handwriting."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from scanner.cells import CELL_PX, RIM_PX, CellBatch, cut_rectified
from scanner.shadow_tips import without_tips

SHADOW, INK = 0.25, 0.5
ROWS = COLS = 3
Image = npt.NDArray[np.float32]


def strokes() -> Image:
    """An upright stroke in the middle of each cell."""
    density = np.zeros((ROWS * CELL_PX + 2 * RIM_PX, COLS * CELL_PX + 2 * RIM_PX), np.float32)
    for row in range(ROWS):
        top = RIM_PX + row * CELL_PX + 8
        for col in range(COLS):
            middle = RIM_PX + col * CELL_PX + CELL_PX // 2
            density[top : top + 32, middle - 2 : middle + 3] = INK
    return density


def tip(shape: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """A corner of about 60 degrees, from the right side to the middle cell's left third."""
    row = RIM_PX + CELL_PX + 24
    corners = np.array([[RIM_PX + CELL_PX + 12, row], [shape[1], row - 60], [shape[1], row + 60]], np.int32)
    drawn = np.zeros(shape, np.uint8)
    cv2.fillConvexPoly(drawn, corners, 1)
    return drawn > 0


def shaded(density: Image, level: float = SHADOW) -> Image:
    """Shadow and ink both darken what is left of the light."""
    return np.where(tip(density.shape), 1 - (1 - density) * (1 - level), density).astype(np.float32)


def test_a_tip_is_taken_away_and_the_ink_in_it_stays() -> None:
    before = strokes()
    after = without_tips(shaded(before), CELL_PX)
    paper = tip(before.shape) & (cv2.dilate(before, np.ones((3, 3), np.uint8)) == 0)
    assert (after[paper] > 0.08).sum() <= 12  # but for the very point
    assert after[before > 0].min() > INK / 2


def test_what_lies_elsewhere_stays_to_the_bit() -> None:
    before = strokes()
    after = without_tips(shaded(before), CELL_PX)
    far = slice(RIM_PX + CELL_PX)
    assert np.array_equal(after[:, far], before[:, far])


def test_nothing_changes_without_one() -> None:
    before = strokes()
    assert without_tips(before, CELL_PX) is before


@pytest.mark.parametrize("level", [0.05, 0.6])
def test_faint_ones_do_not_matter_and_dark_ones_may_be_filled_in(level: float) -> None:
    before = np.where(tip(strokes().shape), level, 0).astype(np.float32)
    assert without_tips(before, CELL_PX) is before


def test_a_thick_pen_is_no_shadow() -> None:
    density = np.zeros_like(strokes())
    cv2.circle(density, (RIM_PX + 72, RIM_PX + 72), 14, 0.3, thickness=10)
    assert without_tips(density, CELL_PX) is density


def cut(density: Image, *, by_hand: bool) -> CellBatch:
    rows, cols = np.divmod(np.arange(ROWS * COLS), COLS)
    ids = tuple(f"r{row + 1}c{col + 1}" for row, col in zip(rows, cols, strict=True))
    flat = np.round(200 * (1 - density)).astype(np.uint8)
    return cut_rectified(flat, ids, rows, cols, ROWS, COLS, np.ones(len(ids), np.bool_), by_hand=by_hand)


def test_cells_under_a_tip_show_their_digit_and_are_not_surely_blank() -> None:
    clean = cut(strokes(), by_hand=True)
    lit, dim = cut(shaded(strokes()), by_hand=True), cut(shaded(strokes()), by_hand=False)
    assert clean.hidden is not None
    assert lit.hidden is not None
    assert dim.hidden is not None
    middle = 4

    def off(batch: CellBatch) -> float:
        return float(np.abs(batch.ink[middle, 0].astype(float) - clean.ink[middle, 0]).mean())

    assert off(lit) < off(dim) / 3
    assert not clean.hidden.any()
    assert not dim.hidden.any()
    assert lit.hidden[middle]
    assert not lit.hidden[::COLS].any()  # the left column
