"""Print and handwriting judged beside each other on one sheet."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner.games.sudoku import Sudoku
from scanner.read.classes import CLASSES
from scanner.read.readings import Readings
from scanner.resolve import readings_to_board, resolve
from scanner.resolve.one_ink import of_one_sheet
from scanner.templates import get_template

SUDOKU = get_template("sudoku")
PUZZLE = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"


def judged(*printed: float, blanks: int = 0) -> list[float]:
    """What becomes of the probabilities; the last `blanks` of them are of cells without a number."""
    numbers = np.arange(len(printed)) < len(printed) - blanks
    return [float(p) for p in of_one_sheet(np.array(printed, dtype=np.float32), numbers)]


def chance(score: float) -> float:
    return 1 / (1 + math.exp(-score))


def test_a_heap_gets_clearer_by_its_distance_from_the_other() -> None:
    # scores 3, 3, 1 and -5: 1 is 2 away from its neighbour and 6 from the other heap, so 2 is added; -5 is no heap
    scores = (3.0, 3.0, 1.0, -5.0)
    assert judged(*map(chance, scores)) == pytest.approx([0.99, 0.99, chance(3), chance(-5)], abs=1e-4)
    # and the other way round
    mirrored = [0.01, 0.01, chance(-3), chance(5)]
    assert judged(*(chance(-score) for score in scores)) == pytest.approx(mirrored, abs=1e-4)


def test_numbers_get_clear_but_not_clearer_than_that() -> None:
    # scores 4 and 4, and -4 and -6: 4 is added to the first, which would be 8, and 3 to the others
    assert judged(chance(4), chance(4), chance(-4), chance(-6)) == pytest.approx(
        [0.99, 0.99, 0.01, chance(-6)], abs=1e-4
    )


def test_what_lies_nearer_to_the_other_heap_is_left_alone() -> None:
    # scores 7, 1 and -3
    assert judged(chance(7), chance(1), chance(-3)) == pytest.approx([chance(7), chance(1), chance(-3)], abs=1e-4)


def test_a_few_odd_numbers_are_no_heap() -> None:
    # two printed numbers that look rather written, on a sheet without handwriting: the others' border is theirs
    [*print_scores, odd, other] = judged(chance(5), chance(3), chance(-1.2), chance(-1))
    assert print_scores == pytest.approx([chance(5), chance(4)], abs=1e-4)
    assert [odd, other] == pytest.approx([chance(-1.2), chance(-1)], abs=1e-4)


def test_ink_of_one_kind_and_cells_without_a_number_tell_nothing() -> None:
    assert judged(0.6, 0.99) == pytest.approx([0.6, 0.99], abs=1e-6)
    assert judged(0.4, 0.01) == pytest.approx([0.4, 0.01], abs=1e-6)
    assert judged(0.6, 0.99, 0.001, blanks=1) == pytest.approx([0.6, 0.99, 0.001], abs=1e-6)
    assert judged(0.5, 0.5) == [0.5, 0.5]
    assert judged() == []


def test_arrays_that_do_not_belong_together() -> None:
    with pytest.raises(ValueError, match=r"numbers: expected shape \[3\], got \[2\]"):
        of_one_sheet(np.zeros(3), np.zeros(2, dtype=np.bool_))


@given(st.lists(st.tuples(st.floats(0, 1, width=32), st.booleans()), max_size=12))
def test_numbers_only_get_clearer_and_none_changes_sides(cells: list[tuple[float, bool]]) -> None:
    before = np.array([p for p, _ in cells], dtype=np.float64)
    numbers = np.array([is_number for _, is_number in cells], dtype=np.bool_)
    after = of_one_sheet(before, numbers)
    assert (np.sign(after - 0.5) == np.sign(before - 0.5)).all()
    assert (np.abs(after - 0.5) >= np.abs(before - 0.5)).all()
    assert (after[~numbers] == before[~numbers]).all()
    order = np.argsort(before[numbers], kind="stable")
    assert (np.diff(after[numbers][order]) >= 0).all()


def with_a_wrong_eight() -> tuple[npt.NDArray[np.float32], int]:
    """Class probabilities [81, classes] of the puzzle with an 8 in r1c3, all surely read; and that cell's row."""
    probabilities = np.zeros((81, len(CLASSES)), dtype=np.float32)
    row = SUDOKU.ids.index("r1c3")
    for cell, digit in enumerate(PUZZLE):
        value = "8" if cell == row else "blank" if digit == "0" else digit
        probabilities[cell, CLASSES.index(value)] = 1
    return probabilities, row


def test_a_mistake_on_a_blurred_sheet_needs_no_questions_about_print() -> None:
    """Some print is seen as print with 0.7 only; the one number by hand, a wrong 8 in r1c3, looks written."""
    probabilities, row = with_a_wrong_eight()
    blurred = ("r1c2", "r4c5", "r5c1", "r9c8")
    printed = np.array(
        [
            0.02 if digit == "0" else 0.7 if cell in blurred else 0.95
            for cell, digit in zip(SUDOKU.ids, PUZZLE, strict=True)
        ],
        dtype=np.float32,
    )
    printed[row] = 0.005
    game = Sudoku()
    board = readings_to_board(Readings(SUDOKU.ids, CLASSES, probabilities, printed), SUDOKU, game)
    verdict = resolve(board, SUDOKU, game)
    # scores 0.85, four times, and -5.29: half of their distance of 6.14 is added
    assert board.cells["r1c2"].printed == pytest.approx(chance(0.85 + 3.07), abs=1e-3)
    assert board.cells["r1c3"].ink == "hand"
    assert verdict.sure
    assert ("sudoku.wrong", ("r1c3",), True) in [(flag.code, flag.cells, flag.sure) for flag in verdict.flags]


def test_a_mistake_is_not_passed_over_where_much_print_looks_written() -> None:
    """A wrong 8 by hand in r1c3. Eight printed numbers, which the puzzle needs, look rather written than printed.

    So the 64 likeliest hypotheses leave some of them out, and without them the puzzle has several solutions.
    """
    probabilities, row = with_a_wrong_eight()
    needed = ("r3c3", "r3c8", "r4c5", "r5c9", "r6c5", "r7c7", "r7c8", "r9c8")
    printed = np.array(
        [0.45 if cell in needed else 0.9995 * (digit != "0") for cell, digit in zip(SUDOKU.ids, PUZZLE, strict=True)],
        dtype=np.float32,
    )
    printed[row] = 0.0005
    game = Sudoku()
    board = readings_to_board(Readings(SUDOKU.ids, CLASSES, probabilities, printed), SUDOKU, game)
    verdict = resolve(board, SUDOKU, game)
    assert ("sudoku.wrong", ("r1c3",)) in [(flag.code, flag.cells) for flag in verdict.flags]
    assert not verdict.sure
