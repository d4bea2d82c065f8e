"""Wrong sums that are wrong because a number was misread rather than because somebody added up wrongly.

A wrong sum is blamed on a number, of those it adds up or of itself, if another reading of that one number makes it
right (and no other sum wrong) and may well be what is written:

- the reader names it as a possibility, however unlikely: with everything else sure, adding up wrongly by just this
  difference is as unlikely;
- it is the sum itself and the reading a piece of it, 5 for 54: people hardly ever do that; ink is lost at a border,
  whatever the reader says of the rest;
- nothing was read in a field, and later fields are filled;
- the reading isn't quite certain (`CERTAIN`) and a piece of it, looks alike, 17 for 11, or has a bar more or less;
- the reading isn't sure in itself (`SURE`).

Such cells are doubted: a person is asked, and no sum accused for sure. Nothing is replaced, ink stays what it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from scanner.board import ReadBoard
from scanner.games.base import Game, PriorGame
from scanner.games.tables_columns import Arithmetic, columns_of
from scanner.results import VALUED_STATES, CellReading
from scanner.templates.formulas import Difference, Product, Sum
from scanner.templates.model import Template

PERHAPS = 0.02
"""Probability of what was perhaps misread: plausible, but too little for the sums to take it (`fits.BELIEVABLE`)."""
SURE, CERTAIN = 0.995, 0.9995
"""Confidence of readings that are sure, and of those that are no other number which looks alike."""
ALIKE = frozenset({"06", "08", "14", "17", "23", "27", "35", "38", "39", "49", "56", "58", "68", "79", "89"})
"""Digits that are taken for each other, in pairs."""
BAR = "1"
"""The digit that printed lines are taken for."""
DIGITS = 4


def doubt_misread(board: ReadBoard, template: Template, game: Game) -> ReadBoard:
    """The board, read from a photo, with a doubt about each cell that may be misread where a sum is wrong."""
    doubted: dict[str, CellReading] = {}
    for column in columns_of(board, template):
        one = Arithmetic(column)
        for row in one.wrong:
            for member, number in _explanations(one, row):
                reading = board.cells.get(column.cell(member))
                if reading is None or reading.id in doubted:
                    continue
                if _permitted(reading, number, board, template, game) and _perhaps(reading, number, one, member, row):
                    doubted[reading.id] = _doubted(reading, number)
    return ReadBoard(board.template, {**board.cells, **doubted}) if doubted else board


def _explanations(one: Arithmetic, row: str) -> Iterator[tuple[str, int]]:
    """The rows of which another number would make a wrong sum right, and that number."""
    for member in (row, *one.basis(row)):
        for number in _needed(one, row, member):
            if set(one.replaced(member, number).wrong) < set(one.wrong):
                yield member, number


def _needed(one: Arithmetic, row: str, member: str) -> Iterator[int]:
    """What would have to be written in a member of a sum, by the sum alone. Nothing if that isn't one number."""
    given, written = one.given[row], one.column.written[row]
    if given is None:
        return
    if member == row:
        yield given
    elif isinstance(one.formulas[row], Sum | Difference | Product):
        # what is linear tells from one step
        value = one.column.written.get(member, 0)
        step = one.replaced(member, value + 1).given[row]
        if step is not None and step != given and (written - given) % (step - given) == 0:
            yield value + (written - given) // (step - given)


def _permitted(reading: CellReading, number: int, board: ReadBoard, template: Template, game: Game) -> bool:
    low, high = template.cell(reading.id).values or (number, number)
    supposed = CellReading(reading.id, number, "read", ink="hand")
    allowed = not isinstance(game, PriorGame) or game.prior(board, template, supposed) == 1
    return low <= number <= high and allowed


def _perhaps(reading: CellReading, number: int, one: Arithmetic, member: str, row: str) -> bool:
    """Whether a number may stand where another, or none, was read."""
    if str(number) in reading.alternatives:
        return reading.state != "answered"
    if reading.state == "blank":
        return _is_gap(one, member)
    if reading.state not in VALUED_STATES - {"answered"} or not isinstance(reading.value, int):
        return False
    read, perhaps = str(abs(reading.value)), str(abs(number))
    piece = read != perhaps and read in perhaps
    if reading.confidence >= CERTAIN:
        return piece and member == row
    return reading.confidence < SURE or piece or read == perhaps or _alike(read, perhaps) or _bar(read, perhaps)


def _is_gap(one: Arithmetic, member: str) -> bool:
    """Whether a field is empty although a later one of its column is filled."""
    filled = [place for place, entry in enumerate(one.entries) if entry in one.column.written]
    return member in one.entries and bool(filled) and one.entries.index(member) < filled[-1]


def _alike(read: str, perhaps: str) -> bool:
    """Whether one digit was taken for another that looks like it."""
    if len(read) != len(perhaps):
        return False
    different = ["".join(sorted(pair)) for pair in zip(read, perhaps, strict=True) if pair[0] != pair[1]]
    return len(different) == 1 and different[0] in ALIKE


def _bar(read: str, perhaps: str) -> bool:
    """Whether one has a bar more than the other: a line of the table taken for a 1, or a 1 within taken for a line."""
    longer, shorter = (read, perhaps) if len(read) > len(perhaps) else (perhaps, read)
    return any(longer[:at] + longer[at + 1 :] == shorter for at, digit in enumerate(longer) if digit == BAR)


def _doubted(reading: CellReading, number: int) -> CellReading:
    name = str(number)
    if reading.alternatives.get(name, 0.0) >= PERHAPS:
        return reading
    shares = {one: round(p * (1 - PERHAPS), DIGITS) for one, p in reading.alternatives.items() if one != name}
    ranked = dict(sorted((shares | {name: PERHAPS}).items(), key=lambda item: -item[1]))
    return replace(reading, confidence=round(reading.confidence * (1 - PERHAPS), DIGITS), alternatives=ranked)
