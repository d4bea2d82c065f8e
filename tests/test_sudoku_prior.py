"""What a Sudoku sheet tells about its unclear cells, and that it never settles what the ink says otherwise."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scanner.board import ReadBoard
from scanner.games.sudoku import Sudoku
from scanner.games.sudoku_prior import MOST_AGAINST
from scanner.read.classes import CLASSES
from scanner.read.readings import Readings
from scanner.resolve import readings_to_board, resolve
from scanner.results import CellReading, Ink, Verdict
from scanner.templates import get_template

SUDOKU = get_template("sudoku")
GAME = Sudoku()
# Wikipedia's example puzzle and its solution, row by row: r1c3 is a 4, r1c1 a printed 5 that the puzzle doesn't need
PUZZLE = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"
SOLUTION = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
HALF = PUZZLE[:45] + SOLUTION[45:]
"""The 23 numbers that lack in the last four rows are filled in, 28 cells are empty."""

Chances = Mapping[str, float]


def judged(digits: str, more: Mapping[str, Chances] | None = None, **unclear: Chances) -> tuple[ReadBoard, Verdict]:
    """The sheet read surely (0: blank) but for some cells; what the puzzle gives is printed."""
    unclear |= more or {}
    probabilities = np.zeros((81, len(CLASSES)), dtype=np.float32)
    for row, (cell, digit) in enumerate(zip(SUDOKU.ids, digits, strict=True)):
        for name, chance in unclear.get(cell, {"blank" if digit == "0" else digit: 1.0}).items():
            probabilities[row, CLASSES.index(name)] = chance
    ink = np.array([0.99 if digit != "0" else 0.01 for digit in PUZZLE], dtype=np.float32)
    board = readings_to_board(Readings(SUDOKU.ids, CLASSES, probabilities, ink), SUDOKU, GAME)
    return board, resolve(board, SUDOKU, GAME)


def changed(digits: str, **cells: int) -> str:
    return "".join(str(cells.get(cell, digit)) for cell, digit in zip(SUDOKU.ids, digits, strict=True))


# ---- one sheet


def test_dirt_on_an_untouched_puzzle_is_not_asked_about() -> None:
    # nothing is by hand: 0.01 * 0.05 / 0.99 is below 0.001, 0.04 * 0.05 / 0.96 is not
    assert judged(PUZZLE, r1c3={"blank": 0.99, "4": 0.01})[1].sure
    board, verdict = judged(PUZZLE, r1c3={"blank": 0.96, "4": 0.04})
    assert verdict.ask == ("r1c3",)
    assert board.cells["r1c3"].alternatives["4"] == pytest.approx(0.04 * 0.05 / (0.96 + 0.04 * 0.05), abs=1e-4)


def test_the_same_trace_among_handwriting_is_asked_about() -> None:
    board, verdict = judged(HALF, r1c3={"blank": 0.99, "4": 0.01})
    assert verdict.ask == ("r1c3",)
    # 23 by hand, 27 empty but for this one: by one more of each, 24 to 28
    factor = 24 / 28
    assert board.cells["r1c3"].alternatives["4"] == pytest.approx(0.01 * factor / (0.99 + 0.01 * factor), abs=1e-4)


def test_faint_handwriting_is_handwriting_too() -> None:
    faint = {
        cell: {digit: 0.98, "blank": 0.02}
        for cell, digit, given_digit in zip(SUDOKU.ids, HALF, PUZZLE, strict=True)
        if digit != given_digit
    }
    board, verdict = judged(HALF, faint, r1c3={"blank": 0.99, "4": 0.01})
    assert len(faint) == 23
    assert all(board.cells[cell].value == int(HALF[SUDOKU.ids.index(cell)]) for cell in faint)
    assert "r1c3" in verdict.ask


def test_a_filled_in_grid_has_no_empty_or_struck_cells() -> None:
    # none of the 50 others: 1 to 51; and what is struck out has only by chance (1 in 9) anything of the right number
    for other, factor in (("blank", 1 / 51), ("candidates", 1 / 51), ("struck", 1 / 459), ("scribble", 1 / 459)):
        assert judged(SOLUTION, r1c3={"4": 0.96, other: 0.04})[1].sure
        board, verdict = judged(SOLUTION, r1c3={"4": 0.6, other: 0.4})
        assert (board.value("r1c3"), verdict.ask) == (4, ("r1c3",))
        expected = 0.4 * factor / (0.6 + 0.4 * factor)
        assert board.cells["r1c3"].alternatives[other] == pytest.approx(expected, abs=1e-4)


def test_what_is_rather_struck_out_is_asked_about() -> None:
    board, verdict = judged(SOLUTION, r1c3={"struck": 0.95, "1": 0.04, "4": 0.01})
    assert verdict.ask == ("r1c3",)
    assert "struck" in board.cells["r1c3"].alternatives
    clear, verdict = judged(SOLUTION, r1c3={"struck": 0.995, "1": 0.005})
    assert (clear.cells["r1c3"].state, verdict.ask) == ("struck", ("r1c3",))


def test_dirt_is_hardly_a_note_where_nobody_makes_notes() -> None:
    seen = {"candidates": 0.6, "blank": 0.3996, "4": 0.0004}
    board, verdict = judged(PUZZLE, r1c3=seen)
    # nothing is written and nothing noted on it, so notes are as rare as a number by hand
    assert board.cells["r1c3"].state == "blank"
    assert board.cells["r1c3"].alternatives["candidates"] == pytest.approx(0.6 * 0.05 / (0.4 + 0.6 * 0.05), abs=1e-3)
    assert verdict.sure
    noted = judged(PUZZLE, {"r1c4": {"candidates": 1.0}}, r1c3=seen)[0]
    assert noted.cells["r1c3"].confidence == pytest.approx(0.6, abs=1e-3)
    # in a filled-in grid the cell may be odd, but no number becomes likelier by that
    board, verdict = judged(SOLUTION, r1c3=seen)
    assert (board.cells["r1c3"].state, verdict.ask) == ("candidates", ())


def test_the_last_cell_of_a_grid_is_hardly_left_empty() -> None:
    # no trace of ink in one cell, as the reader tells it; nothing else is open, so 1 to 51
    seen = {"blank": 0.9995} | {name: 0.0005 / (len(CLASSES) - 1) for name in CLASSES if name != "blank"}
    board, verdict = judged(SOLUTION, r1c3=seen)
    assert verdict.ask == ("r1c3",)
    assert board.cells["r1c3"].state == "blank"
    expected = seen["4"] * 51 / (0.9995 + seen["4"] * 51)
    assert board.cells["r1c3"].alternatives["4"] == pytest.approx(expected, abs=1e-4)
    # where several are open, people haven't come to the end
    assert judged(SOLUTION, r1c3=seen, r9c1=seen)[1].sure


@pytest.mark.parametrize("state", ["struck", "candidates", "scribble"])
def test_a_cell_that_surely_has_no_number_is_not_asked_about(state: str) -> None:
    board, verdict = judged(SOLUTION, r1c3={state: 0.9992, "4": 0.0008})
    assert board.cells["r1c3"].state == state
    assert board.cells["r1c3"].confidence == pytest.approx(0.9992, abs=1e-4)
    assert verdict.sure
    assert judged(SOLUTION, r1c3={state: 0.4996, "blank": 0.4996, "4": 0.0008})[1].sure


def test_a_single_number_beside_notes_is_a_note() -> None:
    notes = {cell: {"candidates": 1.0} for cell in ("r1c4", "r1c6", "r1c7", "r3c1", "r3c4")}
    board, verdict = judged(PUZZLE, notes, r1c3={"candidates": 0.6, "4": 0.4})
    # whoever makes notes may make them in all 50 other open cells, and none is filled in
    assert board.cells["r1c3"].alternatives["4"] == pytest.approx(0.4 * 0.05 / (0.6 + 0.4 * 0.05), abs=1e-4)
    assert verdict.ask == ("r1c3",)
    # on a sheet without notes and without numbers by hand one is as rare as the other
    assert judged(PUZZLE, r1c3={"candidates": 0.6, "4": 0.4})[0].cells["r1c3"].confidence == pytest.approx(0.6)


# ---- the solution


def test_the_solution_settles_what_is_fairly_clear() -> None:
    # 50 others by hand are right, and the 1 would repeat one: 0.02 * 20 / 70 / 4, so 0.3 / 0.7 of that is below 0.001
    board, verdict = judged(SOLUTION, r1c3={"4": 0.7, "1": 0.3})
    assert verdict.sure
    factor = 0.02 * 20 / 70 / 4
    assert board.cells["r1c3"].alternatives["1"] == pytest.approx(0.3 * factor / 0.7, abs=1e-4)
    # 0.45 / 0.55 isn't
    assert judged(SOLUTION, r1c3={"4": 0.55, "1": 0.45})[1].ask == ("r1c3",)


def test_a_mistake_that_repeats_nothing_is_likelier() -> None:
    # 23 other numbers by hand are right; a 2 in r1c3 repeats nothing: 0.02 * 20 / 43
    board, verdict = judged(HALF, r1c3={"4": 0.7, "2": 0.3})
    assert verdict.ask == ("r1c3",)
    factor = 0.02 * 20 / 43
    assert board.cells["r1c3"].alternatives["2"] == pytest.approx(0.3 * factor / (0.7 + 0.3 * factor), abs=1e-4)
    board, verdict = judged(HALF, r1c3={"4": 0.7, "6": 0.3})  # like the printed one of r2c1
    factor /= 4
    assert board.cells["r1c3"].alternatives["6"] == pytest.approx(0.3 * factor / (0.7 + 0.3 * factor), abs=1e-4)


def test_several_unclear_cells_at_once() -> None:
    board, verdict = judged(
        SOLUTION,
        r1c3={"4": 0.9, "1": 0.1},
        r1c4={"6": 0.9, "5": 0.1},
        r2c2={"7": 0.9, "1": 0.1},
        r1c1={"5": 0.9, "3": 0.1},  # printed, like r2c4
        r2c4={"1": 0.9, "7": 0.1},
    )
    assert verdict.sure
    assert [board.value(cell) for cell in SUDOKU.ids] == [int(digit) for digit in SOLUTION]


def test_who_erred_elsewhere_may_have_erred_here() -> None:
    wrong = changed(SOLUTION, r1c4=8, r1c6=6, r2c2=3)
    board, verdict = judged(wrong, r1c3={"4": 0.7, "1": 0.3})
    assert verdict.ask == ("r1c3",)
    # three of 50 are wrong: 0.02 * (1 + 3) * 20 / 70 / 4
    factor = 0.02 * 4 * 20 / 70 / 4
    assert board.cells["r1c3"].alternatives["1"] == pytest.approx(0.3 * factor / (0.7 + 0.3 * factor), abs=1e-4)
    many = changed(wrong, r2c3=4, r2c7=8, r2c8=3, r3c1=2, r3c4=2, r3c5=3, r3c6=4, r3c7=7, r3c9=5)
    readings = {
        cell: CellReading(cell, int(digit), "read", ink="print" if PUZZLE[at] != "0" else "hand")
        for at, (cell, digit) in enumerate(zip(SUDOKU.ids, many, strict=True))
    }
    here = CellReading("r1c3", 1, "read", ink="hand")
    blank = CellReading("r1c3", None, "unreadable")
    assert GAME.prior(ReadBoard("sudoku", readings | {"r1c3": blank}), SUDOKU, here) == MOST_AGAINST / 4


def test_an_unclear_printed_number_is_the_one_that_fits() -> None:
    # a printed 1 in r1c1 repeats none; but the other printed numbers have one solution, and it says 5
    board, verdict = judged(PUZZLE, r1c1={"1": 0.6, "5": 0.4})
    assert board.cells["r1c1"].value == 5
    assert board.cells["r1c1"].alternatives["1"] == pytest.approx(0.6 * 0.01 / (0.4 + 0.6 * 0.01), abs=1e-4)
    assert verdict.ask == ("r1c1",)


def test_an_unclear_given_that_the_puzzle_needs() -> None:
    # with an 8 in r3c3 it has one solution, with a 1 none, with a 2 several (counted by the solver)
    for other in ("1", "2"):
        board, verdict = judged(PUZZLE, r3c3={"8": 0.95, other: 0.05})
        assert verdict.sure
        assert board.cells["r3c3"].alternatives[other] == pytest.approx(0.05 * 0.01 / 0.95, abs=1e-4)
    # a 5 instead of the 6 in r4c5 makes another puzzle
    assert judged(PUZZLE, r4c5={"6": 0.95, "5": 0.05})[1].ask == ("r4c5",)
    # and while that is open, several solutions tell nothing about r3c3
    unclear = judged(PUZZLE, r4c5={"6": 0.95, "5": 0.05}, r3c3={"8": 0.95, "2": 0.05})[0]
    assert unclear.cells["r3c3"].alternatives["2"] == pytest.approx(0.05, abs=1e-4)


@pytest.mark.parametrize("ink", ["hand", None])
def test_whoever_wrote_the_numbers_a_valid_grid_is_hardly_wrong_in_one_cell(ink: Ink | None) -> None:
    readings = {cell: CellReading(cell, int(n), "read") for cell, n in zip(SUDOKU.ids, SOLUTION, strict=True)}
    readings["r1c3"] = CellReading("r1c3", None, "unreadable")
    sheet = ReadBoard("sudoku", readings)
    assert GAME.prior(sheet, SUDOKU, CellReading("r1c3", 4, "read", ink=ink)) == 1
    assert GAME.prior(sheet, SUDOKU, CellReading("r1c3", 1, "read", ink=ink)) == 0.02 / 4  # it would repeat another


# ---- what the ink says


@pytest.mark.parametrize("sheet", [PUZZLE, HALF, SOLUTION])
def test_a_clearly_wrong_number_stays_and_is_flagged(sheet: str) -> None:
    board, verdict = judged(changed(sheet, r1c3=1))  # r3c1 is a 1 as well, or will be
    assert (board.value("r1c3"), verdict.ask) == (1, ())
    assert ("sudoku.wrong", ("r1c3",), True) in [(flag.code, flag.cells, flag.sure) for flag in verdict.flags]


def test_a_number_that_no_sudoku_has_is_doubted_sooner() -> None:
    # clear, and reported; but 0.002 speak for a scribble, which in a filled-in grid is as rare as 1 / 459, a 0 as 0.001
    board, verdict = judged(SOLUTION, r1c3={"0": 0.998, "scribble": 0.002})
    assert (board.value("r1c3"), verdict.ask) == (0, ("r1c3",))
    assert judged(SOLUTION, r1c3={"0": 1.0})[1].ask == ()


@settings(max_examples=60)
@given(
    st.sampled_from([PUZZLE, HALF, SOLUTION]),
    st.sampled_from([cell for cell, digit in zip(SUDOKU.ids, PUZZLE, strict=True) if digit == "0"]),
    st.integers(1, 9),
    st.floats(0.5, 1.0),
    st.sampled_from(["right", "blank", "candidates", "struck", "scribble"]),
)
def test_what_is_rather_read_is_never_dropped_silently(
    sheet: str, cell: str, written: int, chance: float, other: str
) -> None:
    """Against the solution or not: what the ink rather says is reported, or asked about."""
    right = SOLUTION[SUDOKU.ids.index(cell)]
    rival = right if other == "right" else other
    chances = {rival: 1 - chance} | {str(written): chance if rival != str(written) else 1.0}
    board, verdict = judged(sheet, {cell: chances})
    assert board.value(cell) == written or cell in verdict.ask
