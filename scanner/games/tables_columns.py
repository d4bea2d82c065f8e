"""The arithmetic of one column of a score table: what is written, what it should be, and which sums are wrong.

For a computed cell there are two questions. What do the numbers *as written* above it give (`Arithmetic.given`)? And
what would it be with every sum of the column corrected (`Arithmetic.right`)? A written sum is wrong where it is
neither: so one mistake is told once, where it was made, and not again in each sum that was carried on from it; and a
sum that is right although one before it is wrong isn't accused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from scanner.templates.formulas import Difference, Formula, Product, Sum, Threshold
from scanner.templates.model import Table, Template

if TYPE_CHECKING:
    from scanner.board import ReadBoard

TOTAL = "total"


@dataclass(frozen=True, slots=True)
class Column:
    """One column as it stands. Rows by their ids, number cells only.

    id: of the column. name: what is written at its head, empty if nothing is.
    written: the numbers, 0 for a struck field. unknown: rows where something may stand that nobody could read.
    All other rows are empty.
    """

    id: str
    name: str
    table: Table
    written: Mapping[str, int]
    unknown: frozenset[str]

    @property
    def begun(self) -> bool:
        """Whether anything is written in it, or may be."""
        return bool(self.written or self.unknown)

    @property
    def title(self) -> str:
        """For a message: ``game1`` or ``game1 (Anna)``."""
        return f"{self.id} ({self.name})" if self.name else self.id

    def cell(self, row: str) -> str:
        """The id of the cell in a row."""
        return f"{self.id}.{row}"


def columns_of(board: ReadBoard, template: Template) -> tuple[Column, ...]:
    """All columns of the table, in its order, also the empty ones."""
    table = template.table
    if table is None:
        return ()
    sums = {item.row for item in table.formulas if not isinstance(item.formula, Threshold)}
    columns = []
    for part in table.columns:
        written: dict[str, int] = {}
        unknown: set[str] = set()
        name = ""
        for row in table.rows:
            cell_id = f"{part.id}.{row.id}"
            if part.labels or row.labels or cell_id not in template:
                continue
            reading = board.cells[cell_id]
            if template.cell(cell_id).kind not in ("digit", "number"):
                name = name or (reading.value if isinstance(reading.value, str) else "")
            elif isinstance(reading.value, int):
                written[row.id] = reading.value
            elif reading.state == "struck" and row.id not in sums:  # of a sum it says that the number doesn't hold
                written[row.id] = 0
            elif reading.state in ("unreadable", "scribble") and not reading.unseen:
                unknown.add(row.id)
        if not part.labels:
            columns.append(Column(part.id, name, table, written, frozenset(unknown)))
    return tuple(columns)


@dataclass(frozen=True)
class Arithmetic:
    """What the formulas say of a column."""

    column: Column

    @cached_property
    def formulas(self) -> Mapping[str, Formula]:
        """By row, each after those it uses."""
        return {item.row: item.formula for item in self.column.table.formulas}

    @cached_property
    def total_row(self) -> str | None:
        """The row of the result: ``total``, else the last formula's."""
        return TOTAL if TOTAL in self.formulas else next(reversed(list(self.formulas)), None)

    @cached_property
    def entries(self) -> tuple[str, ...]:
        """The rows that aren't computed but are used, from the top."""
        used = {row for formula in self.formulas.values() for row in formula.uses}
        return tuple(row.id for row in self.column.table.rows if row.id in used and row.id not in self.formulas)

    @cached_property
    def _computed(self) -> tuple[str, ...]:
        """The rows with a formula, from the top."""
        return tuple(row.id for row in self.column.table.rows if row.id in self.formulas)

    @cached_property
    def _grounded(self) -> frozenset[str]:
        """The rows that something written (or unread) stands behind, in themselves or in what they add up."""
        grounded = set(self.column.written) | self.column.unknown
        for row, formula in self.formulas.items():
            if any(used in grounded for used in formula.uses):
                grounded.add(row)
        return frozenset(grounded)

    def founded(self, row: str) -> bool:
        """Whether a computed row has anything to be computed from."""
        return any(used in self._grounded for used in self.formulas[row].uses)

    @cached_property
    def right(self) -> Mapping[str, int | None]:
        """Every row with all sums corrected; null where that can't be told. Empty fields count 0.

        A sum of nothing but empty fields, and one of which a part can't be read, is taken as written.
        """
        return self._right(None)

    def _right(self, unread: int | None) -> dict[str, int | None]:
        column = self.column
        values: dict[str, int | None] = {row: column.written.get(row, 0) for row in self.entries}
        values.update((row, unread) for row in self.entries if row in column.unknown)
        for row, formula in self.formulas.items():
            value = _value(formula, values) if self.founded(row) else column.written.get(row, 0)
            values[row] = column.written.get(row) if value is None else value
        return values

    @cached_property
    def given(self) -> Mapping[str, int | None]:
        """What each formula gives by the written numbers, a sum that isn't written by its own formula in turn.

        Null where a part can't be read.
        """
        column = self.column
        given: dict[str, int | None] = {}
        seen: dict[str, int | None] = {row: column.written.get(row, 0) for row in self.entries}
        for row, formula in self.formulas.items():
            seen.update((used, None) for used in formula.uses if used in column.unknown)
            given[row] = _value(formula, seen)
            seen[row] = column.written.get(row, given[row])
        return given

    @cached_property
    def total(self) -> int:
        """The result with all sums corrected; what can't be read counts 0 unless a written sum tells it."""
        if self.total_row is None:
            return 0
        right = self.right[self.total_row]
        return (self._right(0)[self.total_row] or 0) if right is None else right

    def basis(self, row: str) -> tuple[str, ...]:
        """The rows that a computed one rests upon as they are written: for a sum that isn't, those that it adds up."""
        found: dict[str, None] = {}
        for used in self.formulas[row].uses:
            if used in self.formulas and used not in self.column.written:
                found |= dict.fromkeys(self.basis(used))
            else:
                found[used] = None
        return tuple(found)

    def replaced(self, row: str, number: int) -> Arithmetic:
        """The same column with another number in one row."""
        column = self.column
        return Arithmetic(replace(column, written={**column.written, row: number}, unknown=column.unknown - {row}))

    @cached_property
    def wrong(self) -> tuple[str, ...]:
        """The rows whose written number is wrong, from the top."""
        return tuple(row for row in self._computed if self._is_wrong(row))

    def _is_wrong(self, row: str) -> bool:
        written, given = self.column.written.get(row), self.given[row]
        if written is None or given is None or not self.founded(row):
            return False
        return written not in (given, self.right[row])

    @property
    def unfounded(self) -> Iterator[str]:
        """Rows with a sum of nothing: a number other than 0 is written, and all that it adds up is empty."""
        return (row for row in self._computed if self.column.written.get(row) and not self.founded(row))


def _value(formula: Formula, values: Mapping[str, int | None]) -> int | None:
    """What the formula gives, null if a part isn't known. Rows that aren't named hold nothing."""
    known = {row: values.get(row, 0) for row in formula.uses}
    if any(value is None for value in known.values()):
        return None
    return formula.value(lambda row: known[row] or 0)


def wrong_sum_words(arithmetic: Arithmetic, row: str, words: Mapping[str, str]) -> str:
    """One sentence about a wrong sum: both numbers, and what follows for the total. words: names of rows."""
    column, total_row = arithmetic.column, arithmetic.total_row
    says = (
        f"{column.title}: the {_called(row, words)} is written {column.written[row]}, {_basis(arithmetic, row, words)}"
    )
    if total_row is None:
        return says
    right, written = arithmetic.right[total_row], column.written.get(total_row)
    if right is None or (row == total_row and arithmetic.given[row] == right):
        return says
    if row == total_row or len(arithmetic.wrong) > 1:
        return f"{says}; with all sums of the column corrected the {_called(total_row, words)} is {right}"
    if written is None:
        return f"{says}; the {_called(total_row, words)} comes to {right}"
    if written == right:
        return f"{says}; the {_called(total_row, words)} {written} is right all the same"
    more = f"{abs(right - written)} {'more' if right > written else 'less'}"
    return f"{says}; the {_called(total_row, words)} should be {more}, {right} instead of {written}"


def _basis(arithmetic: Arithmetic, row: str, words: Mapping[str, str]) -> str:
    """What the written numbers give."""
    given = arithmetic.given[row]

    def value(used: str) -> int:
        written = arithmetic.column.written.get(used)
        return (arithmetic.given.get(used) or 0) if written is None else written

    match arithmetic.formulas[row]:
        case Sum((used,)):
            return f"but the {_called(used, words)} is {given}"
        case Sum():
            return f"the numbers add up to {given}"
        case Difference(minuend, subtrahend):
            return f"but {value(minuend)} less {value(subtrahend)} is {given}"
        case Product(used, by):
            return f"but {by} times {value(used)} is {given}"
        case Threshold(used):
            return f"but with {value(used)} as the {_called(used, words)} it is {given}"


def _called(row: str, words: Mapping[str, str]) -> str:
    return words.get(row, row.replace("_", " "))
