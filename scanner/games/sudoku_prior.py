"""Which readings of a Sudoku's cell are rarer than others, from what was read surely around it.

Two things are known beforehand. People write what the puzzle's only solution says, apart from a mistake now and then.
And a sheet is of a piece: where nothing else is written by hand, a trace of ink is hardly a digit; where the grid is
filled in, a cell is hardly empty; and who has made no mistake elsewhere hardly made one here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Literal

from scanner.games.sudoku_layout import Layout, everybodys_solution, givens_of, is_legal, printed_solution
from scanner.games.sudoku_solver import solve
from scanner.results import PLAUSIBLE, VALUED_STATES, CellReading, State

REPEAT_BY_HAND: Final = 0.02
"""Prior of a reading that repeats a number of its row, column or box: people do err, but rarely."""
REPEAT_IN_PRINT: Final = 0.001
"""The same where both are printed: printed puzzles are legal."""
AGAINST_SOLUTION: Final = 0.02
"""Prior of a number that isn't the only solution's, where nothing is known of the player. Of the 58 numbers by hand in
the calendar Sudokus that train the reader none was wrong, so at 95 % confidence at most 5 % are; of these the likeliest
of eight wrong numbers has hardly more than a third."""
KNOWN_FROM: Final = 20
"""So many numbers of a sheet tell as much about its player as all that is known of others: of them one was wrong."""
MOST_AGAINST: Final = 0.05
UNNOTICED: Final = 0.25
"""How many of the mistakes that stay repeat a number in their row, column or box, at most. Most were legal when they
were made; and a number that stands there twice is seen sooner or later."""
ODD_PUZZLE: Final = 0.01
"""How often printed numbers don't have exactly one solution: a misprint, or a puzzle for fun."""
PRINT_NODES: Final = 500
"""Nodes of the search for any contradiction in print: it is made for many variants of a puzzle; most need fewer."""
BY_HAND: Final = 0.1
"""Probability of "printed" below which a number counts as handwritten."""
LEAST_SHARE: Final = 0.05
"""Prior of a number by hand that nothing else on the sheet is like, at least: somebody may have begun to write just
here. What else is as rare on the sheet isn't held to be rarer then."""
BY_CHANCE: Final = 1 / 9
"""How often what is struck out or scribbled has anything of the one number that is the solution's."""

LEAST: Final = PLAUSIBLE
"""Prior of any number by hand, at least, whatever comes together against it: what the ink rather says than anything
else is always asked about."""

_Kind = Literal["hand", "print"] | State
"""What a cell holds: a number by hand or in print, or why it holds none."""
_OTHERS: Final[tuple[State, ...]] = ("blank", "candidates", "struck", "scribble")


def prior(board: Sequence[CellReading], layout: Layout, reading: CellReading) -> float:
    """A factor, above 0 and at most 1. board: what was read surely, cell by cell as in the layout."""
    cell = layout.ids.index(reading.id)
    if _holds_none(board[cell]) and not _is_last(cell, board):
        return _without_number(reading, board[cell], board)
    share = _share(reading, board)
    printed = printed_solution(board, layout)
    solution = printed or everybodys_solution(board, layout)
    if reading.value is None:
        by_chance = solution is not None and reading.state in ("struck", "scribble")
        return share * BY_CHANCE if by_chance else share
    if not is_legal(reading.value, layout):
        return LEAST  # no Sudoku has it, so whatever else it may be is likelier
    same = [other for other in (board[peer] for peer in layout.peers[cell]) if other.value == reading.value]
    if reading.ink == "print":
        if any(other.ink == "print" for other in same):
            return REPEAT_IN_PRINT
        if _is_odd(cell, reading.value, board, layout):
            return ODD_PUZZLE
        return REPEAT_BY_HAND if same else 1.0
    if solution is not None and solution[cell] != reading.value:
        return max(LEAST, share * _mistaken(board, solution) * (UNNOTICED if same else 1.0))
    return share * (REPEAT_BY_HAND if same else 1.0)


def _is_odd(cell: int, value: int, board: Sequence[CellReading], layout: Layout) -> bool:
    """Whether the puzzle has no solution with this number printed in the cell; or several, if nothing else is open."""
    if layout.shape is None:
        return False
    givens = list(givens_of(board, layout))
    givens[cell] = value
    count = solve(tuple(givens), layout.shape, PRINT_NODES).count
    others = (other for place, other in enumerate(board) if place != cell)
    return count == 0 or (count == 2 and not any(_may_be_given(other) for other in others))


def _may_be_given(cell: CellReading) -> bool:
    """Whether a number may be printed there that isn't among those that surely are."""
    return cell.ink is None and not _holds_none(cell) and (cell.printed is None or cell.printed > BY_HAND)


def _holds_none(cell: CellReading) -> bool:
    """Whether it is sure that there is no number, whatever there is else."""
    return cell.state in _OTHERS or (bool(cell.alternatives) and not any(map(str.isdigit, cell.alternatives)))


def _without_number(reading: CellReading, cell: CellReading, board: Sequence[CellReading]) -> float:
    """Prior where it is sure that there is no number: why there is none, is weighed, and no number becomes likelier."""
    shares = {state: _share(replace(cell, state=state), board) for state in _OTHERS if state in cell.alternatives}
    return shares.get(reading.state, min(shares.values(), default=1.0))


def _is_last(cell: int, board: Sequence[CellReading]) -> bool:
    """Whether a cell seems empty and no other one surely holds no number: who fills in a grid fills in its last cell.

    So a number may stand there, too faint to be seen.
    """
    return board[cell].state == "blank" and not any(
        other.state in _OTHERS for place, other in enumerate(board) if place != cell
    )


def _mistaken(board: Sequence[CellReading], solution: Sequence[int]) -> float:
    """Prior of a certain wrong number, by what is known of the player's others."""
    right = [reading.value == true for reading, true in zip(board, solution, strict=True) if _kind(reading) == "hand"]
    wrong = right.count(False)
    return min(MOST_AGAINST, AGAINST_SOLUTION * (1 + wrong) * KNOWN_FROM / (KNOWN_FROM + len(right)))


def _kind(reading: CellReading) -> _Kind | None:
    """Null where it isn't known."""
    if reading.value is not None:
        return reading.ink
    return None if reading.state in VALUED_STATES or reading.state == "unreadable" else reading.state


def _share(reading: CellReading, board: Sequence[CellReading]) -> float:
    """How much rarer what the cell holds is on this sheet than the commonest kind; print apart, which nobody writes.

    As if one more cell of each kind were known (Laplace), so that little is concluded from few cells. Whoever makes
    notes may make them in every cell that is still open.
    """
    kind = _kind(reading)
    if kind is None or kind == "print":
        return 1.0
    counts: dict[_Kind, float] = dict.fromkeys(("hand", *_OTHERS), 0.0)
    for other in board:
        if other.id == reading.id:
            continue
        known = _kind(other)
        if known is None:
            _count_plausible(other, counts)
        elif known in counts:
            counts[known] += 1
    counts["blank"] += counts["candidates"]
    if counts["candidates"] >= 1:
        counts["candidates"] = counts["blank"]
    most = max(counts.values()) + 1
    by_hand = (counts["hand"] + 1) / most
    return min(1.0, (counts[kind] + 1) / most * max(1.0, LEAST_SHARE / by_hand))


def _count_plausible(reading: CellReading, counts: dict[_Kind, float]) -> None:
    """Counts each plausible reading of a cell that isn't known by its probability."""
    by_hand = 1.0 - (reading.printed or 0.0)
    for name, p in reading.alternatives.items():
        if name.isdigit():
            counts["hand"] += p * by_hand
    for state in _OTHERS:
        counts[state] += reading.alternatives.get(state, 0.0)
