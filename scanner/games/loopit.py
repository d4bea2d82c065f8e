"""Loopit's score pad: a column a player, a row a turn, the highest total wins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from scanner.games.base import GameContext
from scanner.games.tables import TableGame, filled_length
from scanner.games.tables_columns import Arithmetic
from scanner.results import Flag

if TYPE_CHECKING:
    from scanner.templates import Template

ROUNDS: Mapping[int, int] = {2: 13, 3: 9, 4: 7}
"""Rounds of the fixed variant, by the number of players."""


class Loopit(TableGame):
    """The rules of Loopit's pad; see `scanner.games.base.Game`.

    Variants: ``fixed`` (as many rounds as `ROUNDS` says) and ``free`` (until no tile fits or the bag is empty, perhaps
    within a round). The paper doesn't say which was played: fixed if all columns have just that length.
    """

    id: ClassVar[str] = "loopit"
    columns_apart: ClassVar[bool] = False
    variants: ClassVar[tuple[str, ...]] = ("fixed", "free")

    def field_flags(self, columns: Sequence[Arithmetic], template: Template, context: GameContext) -> Iterable[Flag]:
        """``loopit.value``, then ``loopit.rounds``."""
        return (*(flag for one in columns for flag in _negative(one)), *_rounds(columns, context.variant))

    def remark(self, column: str, totals: Mapping[str, int]) -> str:
        """Who won; ties are said and not broken."""
        best = max(totals.values())
        if len(totals) < 2 or totals[column] < best:
            return ""
        others = [other for other, total in totals.items() if total == best and other != column]
        return f", first together with {' and '.join(others)}" if others else ", wins"


def _negative(one: Arithmetic) -> Iterator[Flag]:
    for row in one.entries:
        if (value := one.column.written.get(row, 0)) < 0:
            cell = one.column.cell(row)
            yield Flag("loopit.value", "illegal", (cell,), f"{cell} holds {value}, but no turn loses points")


def _rounds(columns: Sequence[Arithmetic], variant: str | None) -> Iterator[Flag]:
    if not columns:
        return
    rows = columns[0].entries
    lengths = [filled_length(one.column, rows) for one in columns]
    for one, length in zip(columns, lengths, strict=True):
        column = one.column
        gaps = [row for row in rows[:length] if row not in column.written and row not in column.unknown]
        if gaps:
            are = f"{gaps[0]} is" if len(gaps) == 1 else f"{', '.join(gaps[:-1])} and {gaps[-1]} are"
            message = f"{column.title}: {are} empty, but later turns are filled"
            yield Flag("loopit.rounds", "incomplete", tuple(map(column.cell, gaps)), message)
    rounds = ROUNDS.get(len(columns))
    if rounds is None:
        message = "1 column is filled, but Loopit is played by 2 to 4"
        message = message if len(columns) == 1 else message.replace("1 column is", f"{len(columns)} columns are", 1)
        yield Flag("loopit.rounds", "illegal", (), message)
    elif variant == "fixed" or (variant is None and set(lengths) == {rounds}):
        yield from _not_fixed(columns, lengths, rounds)
    else:
        yield from _uneven(columns, lengths)


def _not_fixed(columns: Sequence[Arithmetic], lengths: Sequence[int], rounds: int) -> Iterator[Flag]:
    """Columns that haven't just as many turns as the fixed variant has rounds."""
    for one, length in zip(columns, lengths, strict=True):
        column, rows = one.column, one.entries
        says = f"{column.title} has {length} turn{'' if length == 1 else 's'}, but {len(columns)} players play {rounds}"
        if length > rounds:
            cells = tuple(map(column.cell, rows[rounds:length]))
            yield Flag("loopit.rounds", "illegal", cells, says)
        elif length < rounds:
            yield Flag("loopit.rounds", "incomplete", tuple(map(column.cell, rows[length:rounds])), says)


def _uneven(columns: Sequence[Arithmetic], lengths: Sequence[int]) -> Iterator[Flag]:
    """Columns that are shorter than another by more than the one turn that a game ending within a round may cost."""
    longest = max(lengths)
    most = columns[lengths.index(longest)].column.title
    for one, length in zip(columns, lengths, strict=True):
        if length < longest - 1:
            column = one.column
            cells = tuple(map(column.cell, one.entries[length : longest - 1]))
            says = f"{column.title} has {length} turn{'' if length == 1 else 's'}, {most} has {longest}"
            yield Flag("loopit.rounds", "incomplete", cells, f"{says}: the columns may differ by one turn only")
