"""Score tables: columns of numbers with sums. The rules that all of them share, and the plain pad `score-table`.

A cell holds points as the player counts them, so the result of a column is what its fields add up to, also where a
field holds what the game doesn't allow: that is flagged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from scanner.games.base import GameContext
from scanner.games.tables_bounds import total_span
from scanner.games.tables_columns import Arithmetic, Column, columns_of, wrong_sum_words
from scanner.results import Flag, Score, ScoreLine, Value

if TYPE_CHECKING:
    from scanner.board import ReadBoard
    from scanner.templates import Template


class TableGame:
    """What every game on a score table does; see `scanner.games.base.Game`. Columns that are empty weren't played."""

    id: ClassVar[str]
    values_matter: ClassVar[bool] = False
    columns_apart: ClassVar[bool] = True
    """No column says anything about another, so that each may be judged by itself."""
    row_words: ClassVar[Mapping[str, str]] = {}
    """What rows are called in messages, where that isn't their id."""

    def flags(self, board: ReadBoard, template: Template, context: GameContext) -> tuple[Flag, ...]:
        """What the game says of the fields, then ``table.sum`` and ``table.incomplete``, column by column."""
        begun = [Arithmetic(column) for column in columns_of(board, template) if column.begun]
        return (*self.field_flags(begun, template, context), *(flag for one in begun for flag in self._sum_flags(one)))

    def score(self, board: ReadBoard, template: Template, context: GameContext) -> Score:
        """A line for each column that was begun; no total, for each column is a result of its own."""
        begun = [Arithmetic(column) for column in columns_of(board, template) if column.begun]
        totals = {one.column.id: one.total for one in begun}
        lines = tuple(
            ScoreLine(one.column.title + self.remark(one.column.id, totals), one.total, self._filled(one))
            for one in begun
        )
        return Score(None, lines, totals)

    def claims(self, board: ReadBoard, template: Template) -> Mapping[str, int]:
        """The totals that are written, by cell: ``game1.total``."""
        claimed: dict[str, int] = {}
        for column in columns_of(board, template):
            row = Arithmetic(column).total_row
            if row is not None and row in column.written:
                claimed[column.cell(row)] = column.written[row]
        return claimed

    def column_bounds(
        self, board: ReadBoard, template: Template, possible: Mapping[str, frozenset[Value | None]]
    ) -> Mapping[str, tuple[int, int]]:
        """See `scanner.games.tables_bounds.total_span`."""
        columns = [Arithmetic(column) for column in columns_of(board, template)]
        return {one.column.id: total_span(one, possible) for one in columns}

    def field_flags(self, columns: Sequence[Arithmetic], template: Template, context: GameContext) -> Iterable[Flag]:
        """What the game has to say beside the sums. columns: those that were begun."""
        return ()

    def remark(self, column: str, totals: Mapping[str, int]) -> str:
        """What stands behind a column's title in its line of the score, such as who won."""
        return ""

    def _sum_flags(self, one: Arithmetic) -> Iterable[Flag]:
        for row in one.wrong:
            message = wrong_sum_words(one, row, self.row_words)
            basis = tuple(one.column.cell(used) for used in one.basis(row))
            yield Flag("table.sum", "arithmetic", (one.column.cell(row),), message, basis=basis)
        if unfounded := tuple(one.unfounded):
            cells = tuple(one.column.cell(row) for row in unfounded)
            first = f"{self.row_words.get(unfounded[0], unfounded[0].replace('_', ' '))} is written"
            message = f"{one.column.title}: the {first}, but none of the numbers that it adds up"
            yield Flag("table.incomplete", "incomplete", cells, message)

    def _filled(self, one: Arithmetic) -> tuple[str, ...]:
        return tuple(one.column.cell(row) for row in one.entries if row in one.column.written)


class ScoreTable(TableGame):
    """Any pad whose last row is the sum of the rows above it; empty rows are no mistake."""

    id: ClassVar[str] = "score-table"


def filled_length(column: Column, rows: Sequence[str]) -> int:
    """How far down a column is filled: the number of its rows up to the last that isn't empty."""
    filled = [number for number, row in enumerate(rows, start=1) if row in column.written or row in column.unknown]
    return filled[-1] if filled else 0
