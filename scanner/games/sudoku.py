"""Sudoku: numbers that repeat, are no Sudoku numbers, are missing or differ from the only solution.

Works on every square template with boxes of equal size (9 x 9 with boxes of 3 x 3, say). Without boxes (no `heavy`
lines in the template) only rows and columns count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Literal, TypeGuard

from scanner.errors import TemplateError
from scanner.games.base import GameContext
from scanner.games.sudoku_solver import Shape, solve
from scanner.results import CellReading, Flag, Score, ScoreLine, Value

if TYPE_CHECKING:
    from scanner.board import ReadBoard
    from scanner.templates import Template

FEWEST_GIVENS = 17
"""No 9 x 9 Sudoku with fewer givens has exactly one solution (McGuire, Tugemann, Civario 2012)."""

REPEAT_BY_HAND = 0.02
"""Prior of a reading that repeats a number of its row, column or box: people do err, but rarely."""
REPEAT_IN_PRINT = 0.001
"""The same where both are printed: printed puzzles are legal."""
AGAINST_SOLUTION = 0.05
"""Prior of a handwritten number that isn't the only solution's."""

ODD_PUZZLE = 0.01
"""How often printed numbers don't have exactly one solution: a misprint, or a puzzle for fun."""

PRINT_NODES = 500
"""Nodes of the search for any contradiction in print: it is made for many variants of a puzzle; most need fewer."""

_TIMES = ("", "", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@dataclass(frozen=True, slots=True)
class _Unit:
    """A row, column or box. number: from 1, boxes counted by rows. cells: indices row by row, from 0."""

    kind: Literal["row", "column", "box"]
    number: int
    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Layout:
    """What a template's grid means. peers: for each cell the others of its row, column and box."""

    size: int
    shape: Shape | None
    ids: tuple[str, ...]
    units: tuple[_Unit, ...]
    peers: tuple[frozenset[int], ...]


@dataclass(frozen=True, slots=True)
class Sudoku:
    """The rules of Sudoku; see `scanner.games.base.Game`."""

    id: ClassVar[str] = "sudoku"
    values_matter: ClassVar[bool] = True

    def flags(self, board: ReadBoard, template: Template, context: GameContext) -> tuple[Flag, ...]:
        """``sudoku.value``, ``.repeat``, ``.wrong`` and ``.incomplete``, in this order, then in the template's."""
        layout = _layout_of(template)
        readings = [board.cells[cell] for cell in layout.ids]
        return (
            *_bad_values(readings, layout),
            *_repeats(_legal_values(readings, layout), layout),
            *_wrong(readings, layout),
            *_incomplete(readings),
        )

    def score(self, board: ReadBoard, template: Template, context: GameContext) -> Score:
        """The number of cells, printed ones included, whose number is legal and clashes with none."""
        layout = _layout_of(template)
        values = _legal_values([board.cells[cell] for cell in layout.ids], layout)
        clashing = {cell for unit in layout.units for cell in _repeated_cells(values, unit)}
        good = tuple(layout.ids[cell] for cell, value in enumerate(values) if value and cell not in clashing)
        lines = (ScoreLine("Cells that clash with none", len(good), good),)
        return Score(len(good), lines, unit="without a clash")

    def prior(self, board: ReadBoard, template: Template, reading: CellReading) -> float:
        """How much rarer this reading of a cell is than a legal one, given the other cells of the board; 0 to 1."""
        layout = _layout_of(template)
        value = reading.value
        if not _is_legal(value, layout) or reading.id not in layout.ids:
            return 1.0
        cell = layout.ids.index(reading.id)
        same = [
            other for other in (board.cells[layout.ids[peer]] for peer in layout.peers[cell]) if other.value == value
        ]
        if reading.ink == "print":
            return _print_factor(same)
        factor = REPEAT_BY_HAND if same else 1.0
        solution = _solution([board.cells[cell_id] for cell_id in layout.ids], layout)
        if reading.ink == "hand" and solution is not None and solution[cell] != value:
            factor = min(factor, AGAINST_SOLUTION)
        return factor

    def printable(self, board: ReadBoard, template: Template) -> bool:
        """False if the printed digits have no solution."""
        layout = _layout_of(template)
        givens = _givens([board.cells[cell] for cell in layout.ids], layout)
        return layout.shape is None or solve(givens, layout.shape, PRINT_NODES).count != 0

    def ink_matters(self, board: ReadBoard, template: Template) -> bool:
        """Only a number that isn't the solution's is flagged by its ink.

        Where all numbers together have a solution, every choice of printed ones among them that has just one solution
        has that one, and no number differs from it.
        """
        layout = _layout_of(template)
        values = tuple(_legal_values([board.cells[cell] for cell in layout.ids], layout))
        return layout.shape is not None and not solve(values, layout.shape).count

    def print_prior(self, board: ReadBoard, template: Template) -> float:
        """Puzzles are printed that have exactly one solution."""
        layout = _layout_of(template)
        givens = _givens([board.cells[cell] for cell in layout.ids], layout)
        return ODD_PUZZLE if _only_solution(givens, layout) is None else 1.0

    def bounds(
        self, board: ReadBoard, template: Template, possible: Mapping[str, frozenset[Value | None]]
    ) -> tuple[int, int]:
        """At least the cells that nothing can spoil, at most all those that could be right by themselves."""
        layout = _layout_of(template)
        known = [CellReading(cell, None, "blank") if cell in possible else board.cells[cell] for cell in layout.ids]
        values = _legal_values(known, layout)
        clashing = {cell for unit in layout.units for cell in _repeated_cells(values, unit)}
        good = [cell for cell, value in enumerate(values) if value and cell not in clashing]
        safe = [
            cell
            for cell in good
            if not any(values[cell] in possible.get(layout.ids[peer], ()) for peer in layout.peers[cell])
        ]
        hopeful = [cell for cell in layout.ids if any(_is_legal(value, layout) for value in possible.get(cell, ()))]
        return len(safe), len(good) + len(hopeful)


def _is_legal(value: Value | None, layout: _Layout) -> TypeGuard[int]:
    return isinstance(value, int) and 1 <= value <= layout.size


def _print_factor(same: Sequence[CellReading]) -> float:
    if not same:
        return 1.0
    return REPEAT_IN_PRINT if any(other.ink == "print" for other in same) else REPEAT_BY_HAND


@lru_cache(maxsize=16)
def _layout_of(template: Template) -> _Layout:
    """Raises TemplateError for a template that can't hold a Sudoku; nothing on a sheet can cause that."""
    grid = template.grid
    if grid is None or grid.rows != grid.cols:
        raise _no_sudoku(template, "a Sudoku needs a grid with as many rows as columns")
    layout = _layout(grid.rows, grid.heavy)
    if missing := [cell for cell in layout.ids if cell not in template]:
        raise _no_sudoku(template, f"a Sudoku needs every cell of the grid, but {missing[0]} is missing")
    return layout


def _no_sudoku(template: Template, cause: str) -> TemplateError:
    return TemplateError(cause, remedy="correct its grid, or name another game", subject=f"template {template.id}")


def _layout(size: int, heavy: tuple[int, int] | None) -> _Layout:
    # heavy: every how many vertical, horizontal lines; a box is as wide as the vertical ones are apart
    shape = Shape(heavy[1], heavy[0]) if heavy and heavy[0] * heavy[1] == size else None
    cells = [(row, col) for row in range(size) for col in range(size)]
    units = [_Unit("row", n + 1, tuple(n * size + k for k in range(size))) for n in range(size)]
    units += [_Unit("column", n + 1, tuple(k * size + n for k in range(size))) for n in range(size)]
    if shape is not None:
        units += [
            _Unit("box", n + 1, tuple(row * size + col for row, col in cells if shape.box(row, col) == n))
            for n in range(size)
        ]
    peers = tuple(
        frozenset(other for unit in units if cell in unit.cells for other in unit.cells) - {cell}
        for cell in range(size * size)
    )
    ids = tuple(f"r{row + 1}c{col + 1}" for row, col in cells)
    return _Layout(size, shape, ids, tuple(units), peers)


def _legal_values(readings: Sequence[CellReading], layout: _Layout) -> list[int]:
    """The values row by row; 0 where there is none, or none that a Sudoku can hold."""
    values = [reading.value for reading in readings]
    return [value if _is_legal(value, layout) else 0 for value in values]


def _repeated_cells(values: Sequence[int], unit: _Unit) -> list[int]:
    numbers = [values[cell] for cell in unit.cells if values[cell]]
    if len(set(numbers)) == len(numbers):
        return []
    return [cell for cell in unit.cells if numbers.count(values[cell]) > 1]


def _bad_values(readings: Sequence[CellReading], layout: _Layout) -> list[Flag]:
    return [
        Flag(
            "sudoku.value",
            "illegal",
            (reading.id,),
            f"{_named(cell, layout)} holds {reading.value}, but only 1 to {layout.size} are allowed",
        )
        for cell, reading in enumerate(readings)
        if reading.value is not None and not _is_legal(reading.value, layout)
    ]


def _repeats(values: Sequence[int], layout: _Layout) -> list[Flag]:
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


def _within(cells: Sequence[int], unit: _Unit, layout: _Layout) -> str:
    """Where the cells are in their unit: by column in a row, by row in a column, by both in a box."""
    match unit.kind:
        case "row":
            return "columns " + _listed([str(cell % layout.size + 1) for cell in cells])
        case "column":
            return "rows " + _listed([str(cell // layout.size + 1) for cell in cells])
        case "box":
            return _listed([layout.ids[cell] for cell in cells])


def _givens(readings: Sequence[CellReading], layout: _Layout) -> tuple[int, ...]:
    """The printed digits, 0 elsewhere."""
    values = _legal_values(readings, layout)
    return tuple(value if reading.ink == "print" else 0 for value, reading in zip(values, readings, strict=True))


def _solution(readings: Sequence[CellReading], layout: _Layout) -> tuple[int, ...] | None:
    """The only solution of the printed digits; null if there isn't exactly one or nobody knows which are printed."""
    return _only_solution(_givens(readings, layout), layout)


def _only_solution(givens: tuple[int, ...], layout: _Layout) -> tuple[int, ...] | None:
    if layout.shape is None or not any(givens) or (layout.size == 9 and sum(map(bool, givens)) < FEWEST_GIVENS):
        return None
    return solve(givens, layout.shape).solution


def _wrong(readings: Sequence[CellReading], layout: _Layout) -> list[Flag]:
    """A digit that also repeats another is reported here too: of the two it is the one to rub out.

    A digit of which nobody knows whether it is printed is judged like a handwritten one, where the surely printed ones
    have just one solution: a printed one agrees with it. Else it may be one of the printed ones that are needed.
    """
    values = _legal_values(readings, layout)
    solution = _solution(readings, layout)
    judged = {"hand", None}
    if solution is None:
        everything = tuple(v if reading.ink != "hand" else 0 for v, reading in zip(values, readings, strict=True))
        solution = _only_solution(everything, layout) if any(_givens(readings, layout)) else None
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


def _named(cell: int, layout: _Layout) -> str:
    return f"Row {cell // layout.size + 1}, column {cell % layout.size + 1}"


def _listed(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"
