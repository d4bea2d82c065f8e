"""Sudoku: numbers that repeat, are no Sudoku numbers, are missing or differ from the only solution.

Works on every square template with boxes of equal size (9 x 9 with boxes of 3 x 3, say). Without boxes (no `heavy`
lines in the template) only rows and columns count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from scanner.games.base import GameContext
from scanner.games.sudoku_layout import (
    Layout,
    Unit,
    givens_of,
    is_legal,
    layout_of,
    legal_values,
    only_solution,
    printed_solution,
)
from scanner.games.sudoku_prior import ODD_PUZZLE, PRINT_NODES, prior
from scanner.games.sudoku_solver import solve
from scanner.results import CellReading, Flag, Score, ScoreLine, Value

if TYPE_CHECKING:
    from scanner.board import ReadBoard
    from scanner.templates import Template

_TIMES = ("", "", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@dataclass(frozen=True, slots=True)
class Sudoku:
    """The rules of Sudoku; see `scanner.games.base.Game`."""

    id: ClassVar[str] = "sudoku"
    values_matter: ClassVar[bool] = True

    def flags(self, board: ReadBoard, template: Template, context: GameContext) -> tuple[Flag, ...]:
        """``sudoku.value``, ``.repeat``, ``.wrong`` and ``.incomplete``, in this order, then in the template's."""
        layout = layout_of(template)
        readings = [board.cells[cell] for cell in layout.ids]
        return (
            *_bad_values(readings, layout),
            *_repeats(legal_values(readings, layout), layout),
            *_wrong(readings, layout),
            *_incomplete(readings),
        )

    def score(self, board: ReadBoard, template: Template, context: GameContext) -> Score:
        """The number of cells, printed ones included, whose number is legal and clashes with none."""
        layout = layout_of(template)
        values = legal_values([board.cells[cell] for cell in layout.ids], layout)
        clashing = {cell for unit in layout.units for cell in _repeated_cells(values, unit)}
        good = tuple(layout.ids[cell] for cell, value in enumerate(values) if value and cell not in clashing)
        lines = (ScoreLine("Cells that clash with none", len(good), good),)
        return Score(len(good), lines, unit="without a clash")

    def prior(self, board: ReadBoard, template: Template, reading: CellReading) -> float:
        """How much rarer this reading of a cell is than a legal one, given the other cells of the board; 0 to 1.

        See `scanner.games.sudoku_prior`.
        """
        layout = layout_of(template)
        if reading.id not in layout.ids:
            return 1.0
        return prior([board.cells[cell] for cell in layout.ids], layout, reading)

    def printable(self, board: ReadBoard, template: Template) -> bool:
        """False if the printed digits have no solution."""
        layout = layout_of(template)
        givens = givens_of([board.cells[cell] for cell in layout.ids], layout)
        return layout.shape is None or solve(givens, layout.shape, PRINT_NODES).count != 0

    def ink_matters(self, board: ReadBoard, template: Template) -> bool:
        """Only a number that isn't the solution's is flagged by its ink.

        Where all numbers together have a solution, every choice of printed ones among them that has just one solution
        has that one, and no number differs from it.
        """
        layout = layout_of(template)
        values = tuple(legal_values([board.cells[cell] for cell in layout.ids], layout))
        return layout.shape is not None and not solve(values, layout.shape).count

    def print_prior(self, board: ReadBoard, template: Template) -> float:
        """Puzzles are printed that have exactly one solution."""
        layout = layout_of(template)
        givens = givens_of([board.cells[cell] for cell in layout.ids], layout)
        return ODD_PUZZLE if only_solution(givens, layout) is None else 1.0

    def bounds(
        self, board: ReadBoard, template: Template, possible: Mapping[str, frozenset[Value | None]]
    ) -> tuple[int, int]:
        """At least the cells that nothing can spoil, at most all those that could be right by themselves."""
        layout = layout_of(template)
        known = [CellReading(cell, None, "blank") if cell in possible else board.cells[cell] for cell in layout.ids]
        values = legal_values(known, layout)
        clashing = {cell for unit in layout.units for cell in _repeated_cells(values, unit)}
        good = [cell for cell, value in enumerate(values) if value and cell not in clashing]
        safe = [
            cell
            for cell in good
            if not any(values[cell] in possible.get(layout.ids[peer], ()) for peer in layout.peers[cell])
        ]
        hopeful = [cell for cell in layout.ids if any(is_legal(value, layout) for value in possible.get(cell, ()))]
        return len(safe), len(good) + len(hopeful)


def _repeated_cells(values: Sequence[int], unit: Unit) -> list[int]:
    numbers = [values[cell] for cell in unit.cells if values[cell]]
    if len(set(numbers)) == len(numbers):
        return []
    return [cell for cell in unit.cells if numbers.count(values[cell]) > 1]


def _bad_values(readings: Sequence[CellReading], layout: Layout) -> list[Flag]:
    return [
        Flag(
            "sudoku.value",
            "illegal",
            (reading.id,),
            f"{_named(cell, layout)} holds {reading.value}, but only 1 to {layout.size} are allowed",
        )
        for cell, reading in enumerate(readings)
        if reading.value is not None and not is_legal(reading.value, layout)
    ]


def _repeats(values: Sequence[int], layout: Layout) -> list[Flag]:
    flags: list[Flag] = []
    for unit in layout.units:
        repeated = _repeated_cells(values, unit)
        for value in sorted({values[cell] for cell in repeated}):
            cells = [cell for cell in repeated if values[cell] == value]
            ids = tuple(layout.ids[cell] for cell in cells)
            times = _TIMES[len(cells)] if len(cells) < len(_TIMES) else str(len(cells))
            message = f"{unit.kind.capitalize()} {unit.number} has {times} {value}s ({_within(cells, unit, layout)})"
            flags.append(Flag("sudoku.repeat", "illegal", ids, message))
    return flags


def _within(cells: Sequence[int], unit: Unit, layout: Layout) -> str:
    """Where the cells are in their unit: by column in a row, by row in a column, by both in a box."""
    match unit.kind:
        case "row":
            return "columns " + _listed([str(cell % layout.size + 1) for cell in cells])
        case "column":
            return "rows " + _listed([str(cell // layout.size + 1) for cell in cells])
        case "box":
            return _listed([layout.ids[cell] for cell in cells])


def _wrong(readings: Sequence[CellReading], layout: Layout) -> list[Flag]:
    """A digit that also repeats another is reported here too: of the two it is the one to rub out.

    A digit of which nobody knows whether it is printed is judged like a handwritten one, where the surely printed ones
    have just one solution: a printed one agrees with it. Else it may be one of the printed ones that are needed.
    """
    values = legal_values(readings, layout)
    solution = printed_solution(readings, layout)
    judged = {"hand", None}
    if solution is None:
        everything = tuple(v if reading.ink != "hand" else 0 for v, reading in zip(values, readings, strict=True))
        solution = only_solution(everything, layout) if any(givens_of(readings, layout)) else None
        judged = {"hand"}
    if solution is None:
        return []
    return [
        Flag(
            "sudoku.wrong",
            "illegal",
            (reading.id,),
            f"{_named(cell, layout)}: {values[cell]} isn't the number of the only solution",
        )
        for cell, reading in enumerate(readings)
        if reading.ink in judged and values[cell] and values[cell] != solution[cell]
    ]


def _incomplete(readings: Sequence[CellReading]) -> list[Flag]:
    """Cells known to hold no number; of an unreadable one it isn't known."""
    empty = tuple(reading.id for reading in readings if reading.value is None and reading.state != "unreadable")
    if not empty:
        return []
    message = "1 cell has no number yet" if len(empty) == 1 else f"{len(empty)} cells have no number yet"
    return [Flag("sudoku.incomplete", "incomplete", empty, message)]


def _named(cell: int, layout: Layout) -> str:
    return f"Row {cell // layout.size + 1}, column {cell % layout.size + 1}"


def _listed(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"
