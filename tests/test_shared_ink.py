"""Ink that two cells may share, or a symbol may hide: drawn by hand, with the outcome known beforehand."""

from __future__ import annotations

import numpy as np
import pytest

from scanner.cells import CELL_PX, RIM_PX, CellBatch, cut_rectified
from scanner.read.classes import CLASSES
from scanner.read.readings import Readings
from scanner.shared_ink import DOUBT, OVERLOOKED, doubt_hidden_ink, doubt_shared_ink

PAPER, INK = 220, 60


def two_cells(*, joined: bool) -> CellBatch:
    """An 8-like ring in the upper cell, an open 4 below: its hook joined to the ring by a blot, or not."""
    flat = np.full((2 * CELL_PX + 2 * RIM_PX, CELL_PX + 2 * RIM_PX), PAPER, np.uint8)
    upper, lower = RIM_PX, RIM_PX + CELL_PX
    flat[upper + 6 : upper + 42, RIM_PX + 10 : RIM_PX + 15] = INK
    flat[upper + 6 : upper + 42, RIM_PX + 30 : RIM_PX + 35] = INK
    flat[upper + 6 : upper + 11, RIM_PX + 10 : RIM_PX + 35] = INK
    flat[upper + 37 : upper + 42, RIM_PX + 10 : RIM_PX + 35] = INK
    flat[lower + 8 : lower + 26, RIM_PX + 10 : RIM_PX + 14] = INK  # the hook
    flat[lower + 23 : lower + 27, RIM_PX + 10 : RIM_PX + 24] = INK
    flat[lower + 8 : lower + 42, RIM_PX + 32 : RIM_PX + 36] = INK  # the stroke
    if joined:
        flat[upper + 40 : lower + 10, RIM_PX + 10 : RIM_PX + 14] = INK
    rows, cols = np.array([0, 1]), np.array([0, 0])
    return cut_rectified(flat, ("upper", "lower"), rows, cols, 2, 1, np.ones(2, np.bool_))


def test_a_hook_that_goes_to_the_neighbour_is_noticed() -> None:
    apart, joined = two_cells(joined=False), two_cells(joined=True)
    assert apart.shared is not None
    assert joined.shared is not None
    assert apart.shared.tolist() == [False, False]
    assert joined.shared.tolist() == [False, True]
    assert joined.ink[1, 0].sum() < 0.7 * apart.ink[1, 0].sum()


def test_the_doubt_turns_with_the_sheet() -> None:
    turned = two_cells(joined=True).turned(("lower", "upper"), np.array([1, 0]), 2)
    assert turned.shared is not None
    assert turned.shared.tolist() == [True, False]


def readings(*names: str) -> Readings:
    probabilities = np.zeros((len(names), len(CLASSES)), np.float32)
    probabilities[np.arange(len(names)), [CLASSES.index(name) for name in names]] = 1.0
    ids = tuple(f"r{k}c1" for k in range(1, len(names) + 1))
    return Readings(ids, CLASSES, probabilities, np.zeros(len(names), np.float32))


def test_only_such_cells_are_doubted() -> None:
    seen = readings("8", "1")
    doubted = doubt_shared_ink(seen, np.array([False, True])).probabilities
    assert (doubted[0] == seen.probabilities[0]).all()
    assert doubted[1, CLASSES.index("1")] == pytest.approx(1 - DOUBT + DOUBT / 10)
    assert doubted[1, CLASSES.index("4")] == pytest.approx(DOUBT / 10)
    assert doubted[1, CLASSES.index("blank")] == 0
    assert doubted.sum(axis=1) == pytest.approx(1.0)


def test_nothing_changes_where_nobody_looked_or_nothing_was_found() -> None:
    seen = readings("8")
    assert doubt_shared_ink(seen, None) is seen
    assert doubt_shared_ink(seen, np.array([False])) is seen
    with pytest.raises(ValueError, match=r"shared: expected shape \[1\], got \[2\]"):
        doubt_shared_ink(seen, np.array([True, False]))


# ---- symbols darker than the ink


def three_hearts(ink: int) -> CellBatch:
    """Three cells with a dark disc, one of them written on beside it; six with strokes of this brightness."""
    flat = np.full((3 * CELL_PX + 2 * RIM_PX, 3 * CELL_PX + 2 * RIM_PX), PAPER, np.uint8)
    y, x = np.mgrid[:CELL_PX, :CELL_PX]
    disc = np.hypot(y - 24, x - 24) < 14
    for row in range(3):
        for col in range(3):
            top, left = RIM_PX + row * CELL_PX, RIM_PX + col * CELL_PX
            if row == 0:
                flat[top : top + CELL_PX, left : left + CELL_PX][disc] = 90
            else:
                flat[top + 8 : top + 40, left + 21 : left + 26] = ink
    rows, cols = np.repeat(np.arange(3), 3), np.tile(np.arange(3), 3)
    ids = tuple(f"r{row + 1}c{col + 1}" for row, col in zip(rows, cols, strict=True))
    return cut_rectified(flat, ids, rows, cols, 3, 3, np.ones(9, np.bool_), [[np.arange(3)]])


@pytest.mark.parametrize(("ink", "hidden"), [(40, False), (160, True), (190, True)])
def test_symbols_that_hide_ink(ink: int, hidden: bool) -> None:
    """The last one is written with a hard pencil, an eighth darker than the paper."""
    batch = three_hearts(ink)
    assert batch.hidden is not None
    assert batch.hidden.tolist() == [hidden] * 3 + [False] * 6


def test_a_blank_on_such_a_symbol_is_not_beyond_doubt_and_a_digit_stays_what_it_is() -> None:
    seen = readings("blank", "blank", "7")
    doubted = doubt_hidden_ink(seen, np.array([True, False, True])).probabilities
    assert doubted[0, CLASSES.index("blank")] == pytest.approx(1 - OVERLOOKED)
    assert doubted[0, CLASSES.index("1")] == pytest.approx(OVERLOOKED / 10)
    assert (doubted[1:] == seen.probabilities[1:]).all()
    assert doubt_hidden_ink(seen, None) is seen
    with pytest.raises(ValueError, match=r"hidden: expected shape \[3\], got \[1\]"):
        doubt_hidden_ink(seen, np.array([True]))
