"""Printed lines go, and what a pen drew on them stays."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner.table_lines import without_sides
from scanner.table_paper import CELL_PX, density_by_cell

WIDTH = 90
ROWS, COLUMNS = 4, 3
TOP = LEFT = 24


def rects() -> np.ndarray:
    """Cells 90 px wide and 48 px high; column by column."""
    return np.array(
        [
            (LEFT + WIDTH * c, TOP + CELL_PX * r, LEFT + WIDTH * (c + 1), TOP + CELL_PX * (r + 1))
            for c in range(COLUMNS)
            for r in range(ROWS)
        ],
        dtype=np.float64,
    )


def light(shade: float, width: int) -> np.ndarray:
    """The light that a sheet with lines leaves, 0 to 1, with a little writing in two of its cells."""
    upright, level = np.ones((2, 2 * TOP + CELL_PX * ROWS, 2 * LEFT + WIDTH * COLUMNS), dtype=np.float32)
    for c in range(COLUMNS + 1):
        cv2.line(upright, (LEFT + WIDTH * c, TOP), (LEFT + WIDTH * c, TOP + CELL_PX * ROWS), 1 - shade, width)
    for r in range(ROWS + 1):
        cv2.line(level, (LEFT, TOP + CELL_PX * r), (LEFT + WIDTH * COLUMNS, TOP + CELL_PX * r), 1 - shade, width)
    # Where they cross it is darker than along either of them.
    return np.asarray(upright * level * writing([(50, 45, 50, 60), (60, 90, 60, 106)]), dtype=np.float32)


def writing(strokes: list[tuple[int, int, int, int]], ink: float = 0.7) -> np.ndarray:
    """The light that strokes (x, y to x, y) leave."""
    left = np.ones((2 * TOP + CELL_PX * ROWS, 2 * LEFT + WIDTH * COLUMNS), dtype=np.float32)
    for x0, y0, x1, y1 in strokes:
        cv2.line(left, (x0, y0), (x1, y1), 1 - ink, 3, cv2.LINE_AA)
    return left


def clear_of(left: np.ndarray) -> np.ndarray:
    """What is left of a photo of it, as density, without its lines."""
    grain = np.random.default_rng(3).normal(0, 1.5, left.shape).astype(np.float32)
    gray = cv2.GaussianBlur(220 * left, (0, 0), 0.8) + grain
    return without_sides(density_by_cell(gray.astype(np.float32), rects()), rects())


LINE = TOP + 2 * CELL_PX
"""The level line in the sheet's middle."""


@pytest.mark.parametrize("shade", [0.4, 0.65, 0.8])
@given(x=st.integers(130, 180), at=st.integers(-1, 1))
def test_the_roof_of_a_five_stays_on_a_line(shade: float, x: int, at: int) -> None:
    # The roof runs along the line, the stem goes down from it.
    roof = [(x, LINE + at, x + 16, LINE + at), (x, LINE + at, x - 2, LINE + 16)]
    clear = clear_of(light(shade, 2) * writing(roof))
    assert clear[LINE - 2 : LINE + 3, x + 3 : x + 13].max(axis=0).min() > 0.3


@pytest.mark.parametrize("shade", [0.4, 0.65, 0.8])
@pytest.mark.parametrize("width", [2, 4])
def test_lines_leave_nothing_where_they_cross(shade: float, width: int) -> None:
    # The stem of a 1 ends at the side of a cell, well away from its corners.
    left = light(shade, width) * writing([(LEFT + WIDTH + 6, LINE + 16, LEFT + WIDTH + 1, LINE + 34)])
    clear = clear_of(left)
    for r in range(1, ROWS):
        for c in range(1, COLUMNS):
            y, x = TOP + CELL_PX * r, LEFT + WIDTH * c
            assert clear[y - 6 : y + 7, x - 6 : x + 7].max() < 0.25


@pytest.mark.parametrize("darker", [1.15, 1.3])
def test_a_line_that_is_darker_in_places_is_no_stroke(darker: float) -> None:
    left = light(0.5, 2)
    left[LINE - 1 : LINE + 2, 140:175] = 1 - (1 - left[LINE - 1 : LINE + 2, 140:175]) * darker
    assert clear_of(left)[LINE - 5 : LINE + 6, 130:185].max() < 0.15


@pytest.mark.parametrize("shade", [0.6, 0.8])
@pytest.mark.parametrize("width", [2, 3, 4])
@pytest.mark.parametrize("rise", [1, 2, 3])
def test_lines_that_slant_are_no_strokes(rise: int, width: int, shade: float) -> None:
    # The sheet lies a little askew: lines rise by so many px in each cell.
    left = light(shade, width)
    slope = rise / WIDTH
    askew = np.array([[1, 0, 0], [-slope, 1, slope * left.shape[1] / 2]])
    left = cv2.warpAffine(left, askew, (left.shape[1], left.shape[0]), borderValue=1.0)
    clear = clear_of(left)[LINE - 10 : LINE + 11, LEFT + WIDTH + 8 : LEFT + 2 * WIDTH - 8]
    assert (clear > 0.25).any(axis=0).mean() < 0.3
