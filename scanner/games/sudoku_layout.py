"""What a Sudoku sheet's grid means: its rows, columns and boxes; and what numbers on it have as their only solution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeGuard

from scanner.errors import TemplateError
from scanner.games.sudoku_solver import Shape, solve
from scanner.results import CellReading, Value

if TYPE_CHECKING:
    from scanner.templates import Template

FEWEST_GIVENS = 17
"""No 9 x 9 Sudoku with fewer givens has exactly one solution (McGuire, Tugemann, Civario 2012)."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A row, column or box. number: from 1, boxes counted by rows. cells: indices row by row, from 0."""

    kind: Literal["row", "column", "box"]
    number: int
    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """What a template's grid means. peers: for each cell the others of its row, column and box."""

    size: int
    shape: Shape | None
    ids: tuple[str, ...]
    units: tuple[Unit, ...]
    peers: tuple[frozenset[int], ...]


def is_legal(value: Value | None, layout: Layout) -> TypeGuard[int]:
    """Whether it is a number that a Sudoku of this size can hold."""
    return isinstance(value, int) and 1 <= value <= layout.size


@lru_cache(maxsize=16)
def layout_of(template: Template) -> Layout:
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


def _layout(size: int, heavy: tuple[int, int] | None) -> Layout:
    # heavy: every how many vertical, horizontal lines; a box is as wide as the vertical ones are apart
    shape = Shape(heavy[1], heavy[0]) if heavy and heavy[0] * heavy[1] == size else None
    cells = [(row, col) for row in range(size) for col in range(size)]
    units = [Unit("row", n + 1, tuple(n * size + k for k in range(size))) for n in range(size)]
    units += [Unit("column", n + 1, tuple(k * size + n for k in range(size))) for n in range(size)]
    if shape is not None:
        units += [
            Unit("box", n + 1, tuple(row * size + col for row, col in cells if shape.box(row, col) == n))
            for n in range(size)
        ]
    peers = tuple(
        frozenset(other for unit in units if cell in unit.cells for other in unit.cells) - {cell}
        for cell in range(size * size)
    )
    ids = tuple(f"r{row + 1}c{col + 1}" for row, col in cells)
    return Layout(size, shape, ids, tuple(units), peers)


def legal_values(readings: Sequence[CellReading], layout: Layout) -> list[int]:
    """The values row by row; 0 where there is none, or none that a Sudoku can hold."""
    values = [reading.value for reading in readings]
    return [value if is_legal(value, layout) else 0 for value in values]


def givens_of(readings: Sequence[CellReading], layout: Layout) -> tuple[int, ...]:
    """The printed digits, 0 elsewhere."""
    values = legal_values(readings, layout)
    return tuple(value if reading.ink == "print" else 0 for value, reading in zip(values, readings, strict=True))


def printed_solution(readings: Sequence[CellReading], layout: Layout) -> tuple[int, ...] | None:
    """The only solution of the printed digits; null if there isn't exactly one or nobody knows which are printed."""
    return only_solution(givens_of(readings, layout), layout)


def everybodys_solution(readings: Sequence[CellReading], layout: Layout) -> tuple[int, ...] | None:
    """The only solution of all numbers, whoever wrote them: theirs where they are right; null if there isn't just one.

    A number that is wrong where it is known what is printed leaves the others without a solution.
    """
    return only_solution(tuple(legal_values(readings, layout)), layout)


def only_solution(givens: tuple[int, ...], layout: Layout) -> tuple[int, ...] | None:
    """The only solution; null if there isn't exactly one, or the numbers are too few to have one."""
    if layout.shape is None or not any(givens) or (layout.size == 9 and sum(map(bool, givens)) < FEWEST_GIVENS):
        return None
    return solve(givens, layout.shape).solution
