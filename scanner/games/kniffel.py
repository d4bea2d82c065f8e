"""Kniffel, and Yahtzee on a card of 13 rows: what five dice can give in each field, a column a game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from scanner.games.base import GameContext
from scanner.games.tables import TableGame
from scanner.games.tables_columns import Arithmetic
from scanner.results import CellReading, Flag

if TYPE_CHECKING:
    from scanner.board import ReadBoard
    from scanner.templates import Template

DICE = 5
FACES: Mapping[str, int] = {"aces": 1, "twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6}
FIXED: Mapping[str, int] = {"full": 25, "small": 30, "large": 40, "kniffel": 50}
ALL_DICE: frozenset[str] = frozenset({"three", "four", "chance"})
"""Fields where all five dice count, or nothing."""
NO_DICE = 0.005
"""Prior of a number that no dice give: people miscount, but not often."""
TOO_MANY = 0.001
"""The same of more points than there can be, or fewer than none."""
NAMED_FIELDS = 4


def possible(row: str) -> frozenset[int] | None:
    """The numbers that a field can hold; null for a row that is no field (a sum)."""
    if row in FACES:
        return frozenset(FACES[row] * count for count in range(DICE + 1))
    if row in FIXED:
        return frozenset((0, FIXED[row]))
    if row in ALL_DICE:
        return frozenset((0, *range(DICE, 6 * DICE + 1)))
    return None


class Kniffel(TableGame):
    """The rules of Kniffel; see `scanner.games.base.Game`. Cells are called as on the shipped cards."""

    id: ClassVar[str] = "kniffel"
    row_words: ClassVar[Mapping[str, str]] = {"upper_again": "upper total below", "lower_total": "lower total"}

    def field_flags(self, columns: Sequence[Arithmetic], template: Template, context: GameContext) -> Iterable[Flag]:
        """``kniffel.value`` and ``kniffel.incomplete``."""
        return (
            *(flag for one in columns for flag in _bad_values(one)),
            *(flag for one in columns for flag in _empty(one)),
        )

    def prior(self, board: ReadBoard, template: Template, reading: CellReading) -> float:
        """Numbers that no dice give are rare."""
        numbers = possible(reading.id.rpartition(".")[2])
        if numbers is None or not isinstance(reading.value, int) or reading.value in numbers:
            return 1.0
        return NO_DICE if 0 < reading.value < max(numbers) else TOO_MANY


def _bad_values(one: Arithmetic) -> Iterator[Flag]:
    for row in one.entries:
        numbers, value = possible(row), one.column.written.get(row)
        if numbers is not None and value is not None and value not in numbers:
            cell = one.column.cell(row)
            message = f"{cell} holds {value}, but {DICE} dice give only {_listed(row)} there"
            yield Flag("kniffel.value", "illegal", (cell,), message)


def _listed(row: str) -> str:
    if row in ALL_DICE:
        return f"0 or {DICE} to {6 * DICE}"
    *most, last = sorted(possible(row) or ())
    return f"{', '.join(map(str, most))} or {last}"


def _empty(one: Arithmetic) -> Iterator[Flag]:
    column = one.column
    empty = [row for row in one.entries if row not in column.written and row not in column.unknown]
    if empty and len(empty) < len(one.entries):
        named = ", ".join(empty[:NAMED_FIELDS]) + (", ..." if len(empty) > NAMED_FIELDS else "")
        fields = "1 field is" if len(empty) == 1 else f"{len(empty)} of {len(one.entries)} fields are"
        cells = tuple(column.cell(row) for row in empty)
        yield Flag("kniffel.incomplete", "incomplete", cells, f"{column.title}: {fields} empty: {named}")
