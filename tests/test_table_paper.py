"""The paper of ruled cells: what is a shadow on it, and what is ink however broad."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from scanner.table_paper import CELL_PX, FLOOR, density_by_cell

WIDTH = 90
PAPER = 220


def rects(rows: int = 4, columns: int = 3) -> np.ndarray:
    """Cells 90 px wide and 48 px high, half a cell of paper around them; column by column."""
    return np.array(
        [
            (24 + WIDTH * c, 24 + CELL_PX * r, 24 + WIDTH * (c + 1), 24 + CELL_PX * (r + 1))
            for c in range(columns)
            for r in range(rows)
        ],
        dtype=np.float64,
    )


def paper() -> np.ndarray:
    return np.full((48 + CELL_PX * 4, 48 + WIDTH * 3), PAPER, dtype=np.float32)


def shadow(at: float, lean: float, soft: float, depth: float) -> np.ndarray:
    """Light on a sheet whose right part lies in a shadow, with its edge at x = at in the middle of the sheet."""
    high, wide = paper().shape
    y, x = np.mgrid[:high, :wide]
    return np.asarray(1 - depth / (1 + np.exp(-(x - at - lean * (y - high / 2)) / soft)), dtype=np.float32)


@pytest.mark.parametrize("depth", [0.15, 0.3, 0.5])
@pytest.mark.parametrize("soft", [1.2, 3.0, 9.0])
@pytest.mark.parametrize("lean", [0.0, 0.35, 1.2])
def test_the_edge_of_a_shadow_is_no_ink(lean: float, soft: float, depth: float) -> None:
    # In the middle of a cell, a few px before a side, and a few px behind one.
    for at in (24 + 1.5 * WIDTH, 24 + 2 * WIDTH - 9, 24 + WIDTH + 9):
        density = density_by_cell(paper() * shadow(at, lean, soft, depth), rects())
        assert density[24:-24, 24:-24].max() < FLOOR + 0.02


@pytest.mark.parametrize("broad", [5, 15, 28])
def test_ink_at_the_edge_of_a_shadow_stays_ink(broad: int) -> None:
    picture = paper()
    x, y = 24 + round(1.5 * WIDTH), 24 + round(1.5 * CELL_PX)
    cv2.rectangle(picture, (x - broad // 2, y - 14), (x + broad // 2, y + 14), 60, -1)  # a number written over and over
    density = density_by_cell(picture * shadow(x, 0.2, 2.0, 0.35), rects())
    ink = density[y - 10 : y + 11, x - broad // 2 + 1 : x + broad // 2]
    assert ink.min() > 0.5
