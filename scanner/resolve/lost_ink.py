"""Wrong sums that are wrong because ink was lost rather than because somebody added up wrongly.

- A sum that is a piece of the right one, 5 for 54: people hardly ever do that; a reader loses a digit at a border.
- A field that was read as empty among filled ones, where just a number that it may hold would make the sum right.

Such cells are doubted: a person is asked, and no sum accused for sure. Nothing is replaced, ink stays what it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from scanner.board import ReadBoard
from scanner.games.base import Game, PriorGame
from scanner.games.tables_columns import Arithmetic, columns_of
from scanner.results import VALUED_STATES, CellReading
from scanner.templates.formulas import Sum
from scanner.templates.model import Template

PERHAPS = 0.02
"""Probability of what ink was lost of: plausible, but too little for the sums to take it (`fits.BELIEVABLE`)."""
DIGITS = 4


def doubt_lost_ink(board: ReadBoard, template: Template, game: Game) -> ReadBoard:
    """The board, read from a photo, with a doubt about each cell that may have lost the ink which a wrong sum lacks."""
    doubted: dict[str, CellReading] = {}
    for column in columns_of(board, template):
        one = Arithmetic(column)
        for row in one.wrong:
            given, written = one.given[row], column.written[row]
            if given is None:
                continue
            if _is_piece(written, given):
                found = [(row, given)]
            else:
                found = [(empty, written - given) for empty in _gaps(one, row)]
            for name, number in found:
                reading = board.cells[column.cell(name)]
                if reading.state in VALUED_STATES - {"answered"} | {"blank"} and _may_hold(
                    reading, number, board, template, game
                ):
                    doubted[reading.id] = _doubted(reading, number)
    return ReadBoard(board.template, {**board.cells, **doubted}) if doubted else board


def _is_piece(written: int, given: int) -> bool:
    """Whether one or more digits at the ends of `given` are missing in `written`."""
    return abs(written) != abs(given) and str(abs(written)) in str(abs(given))


def _gaps(one: Arithmetic, row: str) -> Iterator[str]:
    """The fields that a sum adds up and that are empty although a later field of the column is filled."""
    formula = one.formulas[row]
    filled = [place for place, entry in enumerate(one.entries) if entry in one.column.written]
    for place, entry in enumerate(one.entries):
        used = isinstance(formula, Sum) and entry in formula.rows
        if used and entry not in one.column.written and filled and place < filled[-1]:
            yield entry


def _may_hold(reading: CellReading, number: int, board: ReadBoard, template: Template, game: Game) -> bool:
    low, high = template.cell(reading.id).values or (number, number)
    supposed = CellReading(reading.id, number, "read", ink="hand")
    allowed = not isinstance(game, PriorGame) or game.prior(board, template, supposed) == 1
    return low <= number <= high and allowed


def _doubted(reading: CellReading, number: int) -> CellReading:
    name = str(number)
    if reading.alternatives.get(name, 0.0) >= PERHAPS:
        return reading
    shares = {one: round(p * (1 - PERHAPS), DIGITS) for one, p in reading.alternatives.items() if one != name}
    ranked = dict(sorted((shares | {name: PERHAPS}).items(), key=lambda item: -item[1]))
    return replace(reading, confidence=round(reading.confidence * (1 - PERHAPS), DIGITS), alternatives=ranked)
