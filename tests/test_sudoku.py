"""Sudoku's rules and solver, against published puzzles and against enumeration."""

from __future__ import annotations

import itertools
import random
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner.board import ReadBoard
from scanner.errors import TemplateError, UsageError
from scanner.games.base import BoundedGame, GameContext, PrintedGame, PriorGame
from scanner.games.registry import get_game, known_games
from scanner.games.sudoku import Sudoku
from scanner.games.sudoku_prior import (
    AGAINST_SOLUTION,
    LEAST,
    LEAST_SHARE,
    ODD_PUZZLE,
    REPEAT_BY_HAND,
    REPEAT_IN_PRINT,
)
from scanner.games.sudoku_solver import Shape, Solutions, solve
from scanner.results import CellReading, Flag, Ink
from scanner.templates import get_template, parse_template

SUDOKU = get_template("sudoku")
GAME = Sudoku()
CONTEXT = GameContext()
PUZZLES: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "data" / "sudoku_puzzles.toml").read_text(encoding="utf-8")
)["puzzles"]
WIKIPEDIA = PUZZLES[0]


def digits(text: str) -> tuple[int, ...]:
    return tuple(int(digit) for digit in text)


def board(values: tuple[int, ...], inks: dict[str, Ink] | None = None) -> ReadBoard:
    """0 is an empty cell here; other values, possible or not, stand as they are."""
    cells = {}
    for cell, value in zip(SUDOKU.ids, values, strict=True):
        ink = inks.get(cell) if inks else None
        cells[cell] = CellReading(cell, value or None, "read" if value else "blank", ink=ink if value else None)
    return ReadBoard("sudoku", cells)


def with_values(values: tuple[int, ...], **changed: int) -> tuple[int, ...]:
    return tuple(changed.get(cell, value) for cell, value in zip(SUDOKU.ids, values, strict=True))


def partly_printed(givens: tuple[int, ...]) -> dict[str, Ink]:
    return {cell: "print" if given else "hand" for cell, given in zip(SUDOKU.ids, givens, strict=True)}


def flags(of: ReadBoard) -> tuple[Flag, ...]:
    return GAME.flags(of, SUDOKU, CONTEXT)


def total(of: ReadBoard) -> int | None:
    return GAME.score(of, SUDOKU, CONTEXT).total


# ---- the solver


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle["name"])
def test_published_puzzles(puzzle: dict[str, Any]) -> None:
    expected = Solutions(puzzle["solutions"], digits(puzzle["solution"]) if "solution" in puzzle else None)
    assert solve(digits(puzzle["givens"])) == expected


def all_small_grids() -> Iterator[tuple[int, ...]]:
    """Every 4 x 4 grid, by brute force: four permutations that don't clash."""
    for rows in itertools.product(itertools.permutations(range(1, 5)), repeat=4):
        columns = zip(*rows, strict=True)
        boxes = [rows[r][c : c + 2] + rows[r + 1][c : c + 2] for r in (0, 2) for c in (0, 2)]
        if all(len(set(unit)) == 4 for unit in (*columns, *boxes)):
            yield tuple(itertools.chain.from_iterable(rows))


def test_small_sudokus_by_enumeration() -> None:
    grids = list(all_small_grids())
    assert len(grids) == 288  # a known number, see Wikipedia, Mathematics of Sudoku
    rng = random.Random(4)
    counts = set()
    for _ in range(400):
        shown = rng.sample(range(16), rng.randint(0, 8))
        start = rng.choice(grids)
        givens = [start[cell] if cell in shown else 0 for cell in range(16)]
        if shown and rng.random() < 0.3:
            givens[shown[0]] = rng.randint(1, 4)  # perhaps misread
        fitting = [grid for grid in grids if all(not g or g == n for g, n in zip(givens, grid, strict=True))]
        found = solve(tuple(givens), Shape(2, 2))
        assert found.count == min(len(fitting), 2)
        assert found.solution == (fitting[0] if len(fitting) == 1 else None)
        counts.add(found.count)
    assert counts == {0, 1, 2}


def test_oblong_boxes() -> None:
    assert solve((0,) * 36, Shape(2, 3)).count == 2
    # by hand: row 1 and the rest of box 1 (2 rows x 3 columns) leave one number for its last cell
    givens = [1, 2, 3, 4, 5, 6, 4, 5, 0] + [0] * 27
    found = solve(tuple(givens), Shape(2, 3))
    assert found.count == 2
    givens[8] = 1  # 1 is in the box already
    assert solve(tuple(givens), Shape(2, 3)).count == 0


def test_a_search_without_end_is_given_up_in_time() -> None:
    # Peter Norvig, "Solving Every Sudoku Puzzle": impossible, and it takes a simple solver minutes to find out
    impossible = digits("000005080000601043000000000010500000000106000300000005530000061000000004000000000")
    start = time.process_time()
    assert solve.__wrapped__(impossible) == Solutions(None)
    assert time.process_time() - start < 1


@pytest.mark.parametrize("givens", [(1, 2, 3), (10,) + (0,) * 80, (-1,) + (0,) * 80])
def test_what_is_no_puzzle(givens: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="givens: expected 81 numbers from 0 to 9"):
        solve(givens)


# ---- flags and score


def test_a_solved_board_is_clear() -> None:
    solved = board(digits(WIKIPEDIA["solution"]), partly_printed(digits(WIKIPEDIA["givens"])))
    assert flags(solved) == ()
    score = GAME.score(solved, SUDOKU, CONTEXT)
    assert score.total == 81
    assert [(line.points, len(line.cells)) for line in score.lines] == [(81, 81)]


def test_an_unsolved_board_is_incomplete_only() -> None:
    puzzle = board(digits(WIKIPEDIA["givens"]), partly_printed(digits(WIKIPEDIA["givens"])))
    [flag] = flags(puzzle)
    assert (flag.code, flag.severity, len(flag.cells)) == ("sudoku.incomplete", "incomplete", 51)
    assert flag.message == "51 cells have no number yet"
    assert total(puzzle) == 30


def test_each_repeat_is_said_once() -> None:
    # by hand, on an empty board: 5s in row 3, columns 2 and 7; 7s in box 1 and 2s in column 9
    values = with_values((0,) * 81, r3c2=5, r3c7=5, r1c1=7, r2c3=7, r4c9=2, r5c9=2, r9c9=2, r9c1=1)
    repeats = [flag for flag in flags(board(values)) if flag.code == "sudoku.repeat"]
    assert [(flag.message, flag.cells) for flag in repeats] == [
        ("Row 3 has two 5s (columns 2 and 7)", ("r3c2", "r3c7")),
        ("Column 9 has three 2s (rows 4, 5 and 9)", ("r4c9", "r5c9", "r9c9")),
        ("Box 1 has two 7s (r1c1 and r2c3)", ("r1c1", "r2c3")),
        ("Box 6 has two 2s (r4c9 and r5c9)", ("r4c9", "r5c9")),
    ]
    assert {flag.severity for flag in repeats} == {"illegal"}
    assert total(board(values)) == 1  # the 1


@pytest.mark.parametrize("value", [0, 10, 12, -5, 999])
def test_a_number_that_is_none_of_the_nine(value: int) -> None:
    cells = dict(board(digits(WIKIPEDIA["solution"])).cells)
    cells["r4c4"] = CellReading("r4c4", value, "read")
    cells["r4c5"] = CellReading("r4c5", value, "doubtful", 0.8)
    found = flags(ReadBoard("sudoku", cells))
    assert [(flag.code, flag.severity, flag.cells) for flag in found] == [
        ("sudoku.value", "illegal", ("r4c4",)),
        ("sudoku.value", "illegal", ("r4c5",)),
    ]
    assert found[0].message == f"Row 4, column 4 holds {value}, but only 1 to 9 are allowed"
    assert total(ReadBoard("sudoku", cells)) == 79


def test_a_wrong_digit_is_told_from_the_printed_ones() -> None:
    # row 1 of the solution is 534678912; only 5, 3 and 7 are printed
    givens = digits(WIKIPEDIA["givens"])
    alone = board(with_values(givens, r1c3=2), partly_printed(givens))
    assert [flag.cells for flag in flags(alone) if flag.code == "sudoku.wrong"] == [("r1c3",)]
    right = board(with_values(givens, r1c3=4), partly_printed(givens))
    assert not [flag for flag in flags(right) if flag.code == "sudoku.wrong"]
    unknown_ink = board(with_values(givens, r1c3=2))
    assert not [flag for flag in flags(unknown_ink) if flag.code == "sudoku.wrong"]


def test_a_wrong_digit_that_repeats_is_both() -> None:
    givens = digits(WIKIPEDIA["givens"])
    found = flags(board(with_values(givens, r1c3=5), partly_printed(givens)))
    codes = [(flag.code, flag.cells) for flag in found if flag.code != "sudoku.incomplete"]
    assert codes == [
        ("sudoku.repeat", ("r1c1", "r1c3")),
        ("sudoku.repeat", ("r1c1", "r1c3")),
        ("sudoku.wrong", ("r1c3",)),
    ]


@pytest.mark.parametrize("name", ["herzberg-murty", "two-fives"])
def test_nothing_is_wrong_without_exactly_one_solution(name: str) -> None:
    givens = digits(next(puzzle["givens"] for puzzle in PUZZLES if puzzle["name"] == name))
    empty = givens.index(0)
    for value in range(1, 10):
        written = tuple(value if cell == empty else given for cell, given in enumerate(givens))
        found = flags(board(written, partly_printed(givens)))
        assert "sudoku.wrong" not in {flag.code for flag in found}


def test_cells_without_a_value() -> None:
    cells = dict(board(digits(WIKIPEDIA["solution"])).cells)
    for cell, state in (("r1c1", "struck"), ("r1c2", "candidates"), ("r1c3", "scribble"), ("r1c4", "unreadable")):
        cells[cell] = CellReading(cell, None, state)  # type: ignore[arg-type]
    cells["r1c5"] = CellReading("r1c5", None, "answered")
    [flag] = flags(ReadBoard("sudoku", cells))
    assert flag.cells == ("r1c1", "r1c2", "r1c3", "r1c5")  # nobody knows whether the unreadable one is empty
    assert total(ReadBoard("sudoku", cells)) == 76


def rows_within_bands(order: list[int]) -> Callable[[int, int], tuple[int, int]]:
    return lambda row, col: (row // 3 * 3 + order[row % 3], col)


SOME_BOARDS = st.lists(st.integers(0, 10).map(lambda n: n if n < 10 else 77), min_size=81, max_size=81)
MOVES = st.one_of(
    st.just(lambda row, col: (col, row)),
    st.just(lambda row, col: (8 - row, col)),
    st.permutations(range(3)).map(rows_within_bands),
)


@given(SOME_BOARDS, MOVES, st.permutations(range(1, 10)))
def test_symmetries_keep_score_and_flags(
    values: list[int], move: Callable[[int, int], tuple[int, int]], labels: list[int]
) -> None:
    moved = [0] * 81
    for cell, value in enumerate(values):
        row, col = move(*divmod(cell, 9))
        moved[row * 9 + col] = labels[value - 1] if 1 <= value <= 9 else value
    one, other = board(tuple(values)), board(tuple(moved))
    assert total(one) == total(other)
    assert sorted(flag.code for flag in flags(one)) == sorted(flag.code for flag in flags(other))


@given(SOME_BOARDS)
def test_score_by_its_definition(values: list[int]) -> None:
    def clash(a: int, b: int) -> bool:
        (row, col), (other_row, other_col) = divmod(a, 9), divmod(b, 9)
        box = (row // 3, col // 3) == (other_row // 3, other_col // 3)
        return values[a] == values[b] and (row == other_row or col == other_col or box)

    good = [a for a in range(81) if 1 <= values[a] <= 9 and not any(clash(a, b) for b in range(81) if a != b)]
    assert total(board(tuple(values))) == len(good)


# ---- prior and bounds


def test_prior() -> None:
    assert isinstance(GAME, PriorGame)
    givens = digits(WIKIPEDIA["givens"])
    unknown = {"r1c3": CellReading("r1c3", None, "unreadable")}
    puzzle = ReadBoard("sudoku", dict(board(givens, partly_printed(givens)).cells) | unknown)

    def prior(cell: str, value: int, ink: Ink | None) -> float:
        return GAME.prior(puzzle, SUDOKU, CellReading(cell, value, "read", ink=ink))

    # nothing on the sheet is written by hand yet, so any number by hand is rare
    assert prior("r1c3", 4, "hand") == LEAST_SHARE  # the solution's
    assert prior("r1c3", 2, "hand") == pytest.approx(LEAST_SHARE * AGAINST_SOLUTION)
    assert prior("r1c3", 5, "hand") == LEAST  # it repeats one as well
    assert prior("r1c3", 0, "hand") == LEAST  # no Sudoku has a 0
    assert prior("r1c3", 4, "print") == 1
    assert prior("r1c3", 5, "print") == REPEAT_IN_PRINT
    assert prior("r1c3", 2, "print") == ODD_PUZZLE  # the other printed ones have a solution without it
    assert prior("r1c3", 4, None) == 1
    assert prior("r1c3", 2, None) == AGAINST_SOLUTION
    assert prior("r9c1", 7, "hand") == 1  # surely empty: nothing there to be weighed


def test_prior_without_a_solution() -> None:
    few = board(with_values((0,) * 81, r1c1=5, r2c5=9), {"r1c1": "print", "r2c5": "hand"})
    sheet = ReadBoard("sudoku", dict(few.cells) | {"r1c3": CellReading("r1c3", None, "unreadable")})

    def prior(value: int, ink: Ink | None) -> float:
        return GAME.prior(sheet, SUDOKU, CellReading("r1c3", value, "read", ink=ink))

    # one number by hand, 78 empty cells: by one more of each, 2 to 79 is less than is ever concluded
    assert prior(4, "hand") == LEAST_SHARE
    assert prior(5, "hand") == pytest.approx(LEAST_SHARE * REPEAT_BY_HAND)
    assert [prior(5, None), prior(4, None), prior(5, "print")] == [REPEAT_BY_HAND, 1, REPEAT_IN_PRINT]


@given(st.data())
def test_bounds_hold_whatever_the_cells_are(data: st.DataObject) -> None:
    assert isinstance(GAME, BoundedGame)
    values = data.draw(SOME_BOARDS)
    unsure = data.draw(st.sets(st.integers(0, 80), max_size=40))
    possible = {
        SUDOKU.ids[cell]: data.draw(st.frozensets(st.none() | st.integers(0, 10), min_size=1)) for cell in unsure
    }
    low, high = GAME.bounds(board(tuple(values)), SUDOKU, possible)
    cells = dict(board(tuple(values)).cells)
    for cell, options in possible.items():
        value = data.draw(st.sampled_from(sorted(options, key=str)))
        cells[cell] = CellReading(cell, value, "blank" if value is None else "read")
    reached = total(ReadBoard("sudoku", cells))
    assert reached is not None
    assert low <= reached <= high


def test_printable() -> None:
    assert isinstance(GAME, PrintedGame)
    for puzzle in PUZZLES:
        givens = digits(puzzle["givens"])
        printed = board(givens, partly_printed(givens))
        # the two hardest take longer than it looks, and are given the benefit of the doubt
        assert GAME.printable(printed, SUDOKU) is (puzzle["solutions"] > 0)
    assert GAME.printable(board((5,) * 81), SUDOKU)  # nobody knows what is printed


def test_bounds_of_what_no_doubt_can_touch() -> None:
    # by hand: r9c9 is a 9; were it a 1, it would clash with r9c7 (row and box) and r5c9 (column)
    solved = board(digits(WIKIPEDIA["solution"]))
    assert GAME.bounds(solved, SUDOKU, {}) == (81, 81)
    assert GAME.bounds(solved, SUDOKU, {"r9c9": frozenset({9, None})}) == (80, 81)
    assert GAME.bounds(solved, SUDOKU, {"r9c9": frozenset({9, 1})}) == (78, 81)
    assert GAME.bounds(solved, SUDOKU, {"r9c9": frozenset({0, None})}) == (80, 80)


# ---- registry and template


def test_the_game_is_known_by_its_name() -> None:
    assert "sudoku" in known_games()
    assert isinstance(get_game("sudoku"), Sudoku)
    with pytest.raises(UsageError, match=r"there is no game 'chess'; the known ones are .*sudoku"):
        get_game("chess")


def test_a_template_that_cannot_hold_a_sudoku() -> None:
    text = (
        'schema = 1\nid = "t"\ntitle = "T"\ngame = "sudoku"\nsize = [100, 100]\n'
        "[grid]\norigin = [5, 5]\npitch = [10, 10]\nrows = 9\ncols = 8\nvalues = [1, 9]\n"
    )
    template = parse_template(text.encode(), source="t.toml")
    cells = {cell: CellReading(cell, None, "blank") for cell in template.ids}
    with pytest.raises(TemplateError, match="template t: a Sudoku needs a grid with as many rows as columns"):
        GAME.flags(ReadBoard("t", cells), template, CONTEXT)
