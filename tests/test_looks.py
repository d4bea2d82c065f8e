"""A hand whose 1s look like 7s, where nobody can have thrown a 7; and a 7 that is one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from scanner.board import ReadBoard
from scanner.games.base import FewMistakesGame
from scanner.games.hexroller import HexRoller
from scanner.games.splitter import Splitter
from scanner.games.sudoku import Sudoku
from scanner.read.classes import CLASSES
from scanner.read.readings import Readings
from scanner.resolve import readings_to_board, resolve
from scanner.resolve.looks import of_lookalikes
from scanner.templates import get_template

GAME, PAD = Splitter(), get_template("splitter-a")
CELLS = tuple(cell.id for cell in PAD.lattice_cells)
ONES = CELLS[:6]
"""Cells whose 1s are seen as 7s; all others hold 2 to 6."""
Ink = Mapping[str, float]
LIKE_A_SEVEN: Ink = {"7": 0.97, "1": 0.03}
CLEAR_ONE: Ink = {"1": 0.999, "7": 0.001}


def ink_of(odd: Mapping[str, Ink]) -> npt.NDArray[np.float64]:
    ink = np.zeros((len(CELLS), len(CLASSES)))
    for row, cell in enumerate(CELLS):
        for name, p in odd.get(cell, {str(2 + row % 5): 1.0}).items():
            ink[row, CLASSES.index(name)] = p
    return ink


def permitted() -> npt.NDArray[np.bool_]:
    """1 to 6, and whatever is no number."""
    return np.tile([not name.isdigit() or 1 <= int(name) <= 6 for name in CLASSES], (len(CELLS), 1))


def told(odd: Mapping[str, Ink], cell: str) -> dict[str, float]:
    after = of_lookalikes(ink_of(odd), CLASSES, permitted())[CELLS.index(cell)]
    return {name: float(p) for name, p in zip(CLASSES, after, strict=True) if p > 0}


def board(odd: Mapping[str, Ink]) -> ReadBoard:
    ink = ink_of(odd).astype(np.float32)
    return readings_to_board(Readings(CELLS, CLASSES, ink, np.zeros(len(CELLS), np.float32)), PAD, GAME)


def test_a_hand_whose_ones_look_like_sevens() -> None:
    odd: dict[str, Ink] = dict.fromkeys(ONES, LIKE_A_SEVEN)
    odd[ONES[2]] = {"7": 0.999, "1": 0.001}
    assert told(odd, ONES[2]) == {"7": 0.4995, "1": 0.5005}
    read = board(odd)
    assert [read.cells[cell].value for cell in ONES] == [1] * len(ONES)
    # a 7 isn't excluded: by hand 0.4995 x 0.05 x 0.4 against 0.5005
    assert 0.01 < read.cells[ONES[2]].alternatives["7"] <= 0.0196
    verdict = resolve(read, PAD, GAME)
    assert "splitter.value" not in {flag.code for flag in verdict.flags}
    assert verdict.ask


def test_a_seven_beside_clear_ones_stays_one() -> None:
    odd: dict[str, Ink] = dict.fromkeys(ONES, CLEAR_ONE) | {CELLS[9]: {"7": 0.999, "1": 0.001}}
    read = board(odd)
    assert read.cells[CELLS[9]].value == 7
    assert ("splitter.value", (CELLS[9],)) in {(flag.code, flag.cells) for flag in resolve(read, PAD, GAME).flags}


def test_even_several_sevens_beside_clear_ones_do() -> None:
    odd: dict[str, Ink] = dict.fromkeys(ONES, LIKE_A_SEVEN) | dict.fromkeys(CELLS[10:16], CLEAR_ONE)
    assert np.array_equal(of_lookalikes(ink_of(odd), CLASSES, permitted()), ink_of(odd))


def test_three_sevens_are_too_few_to_tell() -> None:
    few = ink_of(dict.fromkeys(ONES[:3], LIKE_A_SEVEN))
    assert np.array_equal(of_lookalikes(few, CLASSES, permitted()), few)
    assert told(dict.fromkeys(ONES[:4], LIKE_A_SEVEN), ONES[0])["1"] > 0.5


def test_a_cell_does_not_speak_for_itself() -> None:
    """Three such cells and one where a 1 is as likely: by the three, not by the one, that is such a hand."""
    odd: dict[str, Ink] = dict.fromkeys(ONES[:3], LIKE_A_SEVEN) | {ONES[3]: {"1": 0.5, "7": 0.5}}
    assert told(odd, ONES[3])["1"] == 0.75
    assert told(odd, ONES[0]) == LIKE_A_SEVEN


def test_the_number_that_is_meant_is_the_one_that_is_seen_too() -> None:
    """No 1 and no 4 is on the sheet; the 9s show a little of a 4."""
    odd: dict[str, Ink] = {cell: ({"9": 0.9, "4": 0.1} if cell in ONES else {"2": 1.0}) for cell in CELLS}
    assert told(odd, ONES[0]) == {"9": 0.45, "4": 0.55}


def test_only_where_mistakes_are_few() -> None:
    assert isinstance(GAME, FewMistakesGame)
    assert not isinstance(HexRoller(), FewMistakesGame)
    assert not isinstance(Sudoku(), FewMistakesGame)


@given(st.lists(st.tuples(st.sampled_from(CELLS), st.sampled_from("123456789"), st.floats(0.01, 0.99)), max_size=20))
def test_nothing_else_changes(odd: list[tuple[str, str, float]]) -> None:
    before = ink_of({cell: {name: p, "struck": 1 - p} for cell, name, p in odd})
    after = of_lookalikes(before, CLASSES, permitted())
    assert np.allclose(after.sum(axis=1), before.sum(axis=1))
    assert (after >= 0).all()
    assert (after[permitted()] >= before[permitted()]).all()
    assert (after[~permitted()] >= before[~permitted()] / 2).all()
