"""From what a reader says of whole numbers to cells of a board, by the same rules as single digits.

See `scanner.resolve.posterior`: numbers outside the permitted range and those that the game has reason to doubt weigh
less, where the ink leaves room for it; clear ink stays, and its confidence falls at most to one half.
"""

from __future__ import annotations

from dataclasses import replace

from scanner.board import ReadBoard
from scanner.games.base import Game, PriorGame
from scanner.read.numbers import NumberCandidate, NumberReadings
from scanner.results import PLAUSIBLE, CellReading
from scanner.templates.model import Cell, Template

NOT_PERMITTED = 0.05
CLEAR_INK = 0.99
READ_FROM = 0.9
SHOWN_FROM = 1e-4
DIGITS = 4


def number_cells(numbers: NumberReadings, template: Template, game: Game) -> dict[str, CellReading]:
    """The cells as read, by id. Raises ValueError for a cell that the template hasn't."""
    if unknown := [cell for cell in numbers.ids if cell not in template]:
        raise ValueError(f"numbers: template {template.id} has no cell {unknown[0]}")
    # what stands elsewhere isn't settled yet
    board = ReadBoard(template.id, {cell: CellReading(cell, None, "unreadable") for cell in template.ids})
    return {
        cell: _reading(template.cell(cell), candidates, template, game, board)
        for cell, candidates in zip(numbers.ids, numbers.candidates, strict=True)
    }


def _reading(
    cell: Cell, candidates: tuple[NumberCandidate, ...], template: Template, game: Game, board: ReadBoard
) -> CellReading:
    clear = candidates[0] if candidates[0].probability >= CLEAR_INK else None
    factors = {one: _factor(one, cell, template, game, board) for one in candidates}
    weights = {one: one.probability * factor for one, factor in factors.items()}
    # what isn't listed is weighed like the least likely of the others: rules must not bring it up
    unlisted = max(0.0, 1.0 - sum(one.probability for one in candidates)) * min(factors.values())
    whole = sum(weights.values()) + unlisted
    posterior = {one: weight / whole for one, weight in weights.items()}
    top = clear or max(candidates, key=lambda one: posterior[one])
    if clear is not None and posterior[clear] < 0.5:
        others = 1.0 - posterior[clear]
        posterior = {one: p * 0.5 / others for one, p in posterior.items()} | {clear: 0.5}
    rounded = {one: round(p, DIGITS) for one, p in posterior.items()}
    others_first = sorted((one for one in candidates if one is not top), key=lambda one: -rounded[one])
    alternatives = {_name(one): rounded[one] for one in others_first if rounded[one] >= SHOWN_FROM}
    reading = CellReading(cell.id, top.value, top.state, rounded[top], alternatives)
    if top.value is None:
        return reading
    return replace(reading, ink="hand", state="read" if rounded[top] >= READ_FROM else "doubtful")


def _factor(one: NumberCandidate, cell: Cell, template: Template, game: Game, board: ReadBoard) -> float:
    """How far the rules speak against a candidate, 1 where they don't; they don't bring up what is implausible."""
    if one.value is None or one.probability < PLAUSIBLE:
        return 1.0
    factor = 1.0
    if cell.values is not None and not cell.values[0] <= one.value <= cell.values[1]:
        factor = NOT_PERMITTED
    if isinstance(game, PriorGame):
        factor = min(factor, game.prior(board, template, CellReading(cell.id, one.value, "read", ink="hand")))
    return factor


def _name(one: NumberCandidate) -> str:
    return one.state if one.value is None else str(one.value)
