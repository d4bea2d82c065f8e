"""A player's claims as check digits: a box that says what the board gives was read rightly, and the other way round.

First the unclear cells of the board are weighed by what is claimed, see `scanner.resolve.tally`; then the boxes.
That a box is misread as just the number which the board gives is far less likely than that it says it. So such a box
isn't asked about. A box that says something else stays as it was read, and is asked about or accused like a wrong sum;
only where all of the board is sure, what gives the right number is taken among the readings of a box that isn't clear.
"""

from __future__ import annotations

import math
from dataclasses import replace

from scanner.board import ReadBoard
from scanner.games.base import CountedGame, Game, TalliedGame
from scanner.resolve.boxes import weighed_boxes
from scanner.resolve.fits import BELIEVABLE
from scanner.resolve.outcomes import doubt_about
from scanner.resolve.sums import CHECKED, CLEAR
from scanner.resolve.tally import weighed_by_claims
from scanner.results import VALUED_STATES, CellReading
from scanner.templates.model import Template

DIGITS = 4


def checked_by_board(
    board: ReadBoard, template: Template, game: Game, clear: frozenset[str] = frozenset()
) -> ReadBoard:
    """The board with what its claims say of its unclear cells, and with those unsure claims taken that it confirms.

    Their confidence is `CHECKED`. clear: see `weighed_by_claims`.
    """
    if not isinstance(game, CountedGame):
        return board
    board = weighed_by_claims(board, template, game, clear)
    counted = game.counted(board, template)
    if not any(doubt_about(board.cells[box], template.cell(box), by_value=False) for box in counted):
        return board
    settled = all(
        cell.id in counted or doubt_about(board.cells[cell.id], cell, by_value=False) is None for cell in template.cells
    )
    unsure = [box for box in counted if _is_unsure(board.cells[box])]
    taken = {
        box: _confirmed(board.cells[box], counted[box])
        for box in unsure
        if _says(board.cells[box], counted[box], settled)
    }
    board = ReadBoard(board.template, {**board.cells, **taken})
    if isinstance(game, TalliedGame):
        return weighed_boxes(board, game.tally_boxes(template), counted, settled=settled)
    return board


def _is_unsure(reading: CellReading) -> bool:
    return reading.state in VALUED_STATES - {"answered"} and reading.confidence < CHECKED


def _says(reading: CellReading, number: int, settled: bool) -> bool:
    """Whether a box may be taken to say a number. settled: whether the board that gives it is sure."""
    if reading.value == number:
        return True
    p = reading.alternatives.get(str(number), 0.0)
    return settled and reading.confidence < CLEAR and p >= BELIEVABLE * reading.confidence


def _confirmed(reading: CellReading, number: int) -> CellReading:
    """The box with this number; what else it was read as becomes implausible."""
    others = dict(reading.alternatives) | {str(reading.value): reading.confidence}
    others.pop(str(number), None)
    whole = math.fsum(others.values()) or 1.0
    shares = {name: round(p / whole * (1 - CHECKED), DIGITS) for name, p in others.items()}
    kept = {name: p for name, p in sorted(shares.items(), key=lambda item: -item[1]) if p > 0}
    return replace(reading, value=number, state="read", confidence=CHECKED, alternatives=kept)
