"""Formulas of score tables: data of a small fixed vocabulary, never code.

A formula names rows of its table and holds for every column on its own. Each has `uses` (the rows it reads, in the
order written) and `value` (what it gives, once the caller says what stands in those rows).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

RowValue = Callable[[str], int]
"""Gives the number in a row of the column at hand, by the row's id."""


@dataclass(frozen=True, slots=True)
class Sum:
    """The sum of rows; of a single row it is a copy of that row."""

    rows: tuple[str, ...]

    @property
    def uses(self) -> tuple[str, ...]:
        """The rows added up."""
        return self.rows

    def value(self, row: RowValue) -> int:
        """All rows added up."""
        return sum(row(name) for name in self.rows)


@dataclass(frozen=True, slots=True)
class Difference:
    """One row less another."""

    minuend: str
    subtrahend: str

    @property
    def uses(self) -> tuple[str, ...]:
        """The two rows, the one taken away last."""
        return (self.minuend, self.subtrahend)

    def value(self, row: RowValue) -> int:
        """The first row less the second."""
        return row(self.minuend) - row(self.subtrahend)


@dataclass(frozen=True, slots=True)
class Product:
    """A row times a constant."""

    row: str
    by: int

    @property
    def uses(self) -> tuple[str, ...]:
        """The one row that is multiplied."""
        return (self.row,)

    def value(self, row: RowValue) -> int:
        """The row times the constant."""
        return row(self.row) * self.by


@dataclass(frozen=True, slots=True)
class Threshold:
    """Fixed points once a row has reached a number, else 0."""

    row: str
    at: int
    points: int

    @property
    def uses(self) -> tuple[str, ...]:
        """The one row that is compared."""
        return (self.row,)

    def value(self, row: RowValue) -> int:
        """The points if the row holds at least `at`, else 0."""
        return self.points if row(self.row) >= self.at else 0


Formula = Sum | Difference | Product | Threshold


@dataclass(frozen=True, slots=True)
class RowFormula:
    """Says that a row is computed. row: its id; formula: from what."""

    row: str
    formula: Formula
