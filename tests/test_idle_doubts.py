"""Sheets with many doubts: what changes nothing, whatever the other doubtful cells hold, isn't asked."""

from __future__ import annotations

import itertools
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from scanner.board import ReadBoard
from scanner.games.base import GameContext
from scanner.games.splitter import Splitter
from scanner.resolve import resolve
from scanner.results import CellReading, Value
from scanner.templates import get_template

PAD = get_template("splitter-a")
GAME = Splitter()
CELLS = [cell.id for cell in PAD.lattice_cells]
UNSURE = 0.01


def board(values: dict[str, Value], others: dict[str, Value]) -> ReadBoard:
    """A full board; others: what some cells may hold instead, each by itself, but hardly two at once."""
    cells = {cell: CellReading(cell, None, "blank") for cell in PAD.ids}
    for cell, value in values.items():
        cells[cell] = CellReading(cell, value, "read", ink="hand")
        if cell in others:
            cells[cell] = replace(cells[cell], confidence=1 - UNSURE, alternatives={str(others[cell]): UNSURE})
    return ReadBoard(PAD.id, cells)


def result(values: dict[str, Value]) -> object:
    one = board(values, {})
    return GAME.score(one, PAD, GameContext()), GAME.flags(one, PAD, GameContext())


@given(data=st.data())
def test_what_is_left_out_changes_nothing(data: st.DataObject) -> None:
    """Ten doubts have 1,024 combinations, of which eleven are plausible: as read, and each other reading by itself."""
    numbers = data.draw(st.lists(st.integers(1, 6), min_size=len(CELLS), max_size=len(CELLS)))
    values: dict[str, Value] = dict(zip(CELLS, numbers, strict=True))
    doubtful = data.draw(st.lists(st.sampled_from(CELLS), min_size=10, max_size=10, unique=True))
    steps = data.draw(st.lists(st.integers(1, 5), min_size=10, max_size=10))
    others: dict[str, Value] = {
        cell: (int(values[cell]) - 1 + step) % 6 + 1 for cell, step in zip(doubtful, steps, strict=True)
    }
    asked = set(resolve(board(values, others), PAD, GAME).ask)
    assert asked <= set(doubtful)
    left_out = [cell for cell in doubtful if cell not in asked]
    as_read = result(values)
    for cell in doubtful:
        if result(values | {cell: others[cell]}) != as_read:
            assert cell in asked
    # whatever the asked cells plausibly hold, those left out may hold either
    for changed in ({}, *({cell: others[cell]} for cell in asked)):
        settled = result(values | changed)
        for cell in left_out:
            assert result(values | changed | {cell: others[cell]}) == settled


def test_illegal_readings_are_asked_and_idle_ones_left_out() -> None:
    """Ten doubts: four cells that may hold a 9, and six whose other reading gives the same result."""
    values: dict[str, Value] = dict(zip(CELLS, itertools.cycle((4, 5, 6, 2, 4, 5, 3)), strict=False))
    other: dict[str, Value] = {cell: 5 if values[cell] == 6 else 6 for cell in CELLS}
    idle = [cell for cell in CELLS if result(values | {cell: other[cell]}) == result(values)][:6]
    assert len(idle) == 6
    illegal = [cell for cell in CELLS if cell not in idle][:4]
    asked = resolve(board(values, {cell: other[cell] for cell in idle} | dict.fromkeys(illegal, 9)), PAD, GAME).ask
    assert set(illegal) <= set(asked)
    assert len(asked) < 10
