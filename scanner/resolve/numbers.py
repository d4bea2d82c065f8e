"""From what a reader says of whole numbers to cells of a board, by the same rules as single digits.

See `scanner.resolve.posterior`: numbers outside the permitted range and those that the game has reason to doubt weigh
less, where the ink leaves room for it; clear ink stays, and its confidence falls at most to one half.

In a table with formulas all numbers of a column are weighed together (`scanner.resolve.column_odds`), and those of all
columns tell how this hand's digits are read (`scanner.resolve.hand_slips`). A sum that is none of the numbers that
somebody could see there is guessed by the others that it goes with, never surely.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final

from scanner.board import ReadBoard
from scanner.games.base import Game, PriorGame
from scanner.games.tables_columns import Arithmetic, columns_of
from scanner.read.numbers import MAX_NUMBER, NumberCandidate, NumberReadings, NumberState
from scanner.resolve.column_blocks import Said
from scanner.resolve.column_odds import OddsRow, column_odds
from scanner.resolve.hand_slips import Hand, learnt_hand, usual_hand
from scanner.results import PLAUSIBLE, CellReading
from scanner.templates.model import Cell, Template

NOT_PERMITTED = 0.05
CLEAR_INK = 0.99
NEARLY_CLEAR: Final = 0.95
"""The reader's word from which it takes clear support to overrule it; see `SUPPORTED`."""
SUPPORTED: Final = 0.9
"""Probability, with all sums, of a number that is clearly meant."""
READ_FROM = 0.9
SHOWN_FROM = 1e-4
DIGITS = 4
SUREST: Final = 0.9991
"""Confidence up to which the sums make a number sure: what is left is no plausible reading any more."""
UNLISTED: Final = 0.3
"""Share of what the reader's list leaves open that is no number of the list, and none like it."""
NOBODY_PLAYED: Final = 0.05
"""Weight of numbers in a column in which nothing else is written."""
LEARNT_NOTHING: Final = 0.02
"""Shares of digits that are read as others, by which these have to change for another round."""
SETTLED: Final = 0.9
"""Probability from which a number is an example of its hand: what isn't settled would only confirm itself."""
BELIEVED: Final = 0.5
"""Belief in a table from which its readings are weighed as they are; below it, only if most of its sums are right."""
LEAST: Final = 2e-6
"""Weight, against the cell's best reading as the rules have it, below which what nobody saw isn't reckoned with."""
CERTAIN: Final = 0.9999
"""Probability from which ink is so clear that no sum raises a doubt about it."""
LEFT_EMPTY: Final = 0.1
"""Weight of empty fields in a column most of which is filled in."""
OPEN_FROM: Final = 0.3
"""Probability that a sum is none of the numbers listed from which it is guessed by the others that it goes with."""
MADE_UP: Final = 0.5
"""Confidence of such a guess, at most: a person is asked."""
OF_NO_USE: Final = 0.5
"""What illegible ink weighs when one reading is chosen to be shown."""
ROUNDS: Final = 6
"""How often a hand is learnt anew by what its numbers are then."""


def number_cells(
    numbers: NumberReadings, template: Template, game: Game, answered: Mapping[str, CellReading] | None = None
) -> dict[str, CellReading]:
    """The cells as read, by id. answered: what is known of some. Raises ValueError for a cell the template hasn't."""
    if unknown := [cell for cell in numbers.ids if cell not in template]:
        raise ValueError(f"numbers: template {template.id} has no cell {unknown[0]}")
    weighed = _Weighed(template, game)
    read = dict(zip(numbers.ids, numbers.candidates, strict=True))
    together = _together(read, weighed, answered or {})
    return {
        cell: _reading(cell, candidates, together.get(cell) or weighed.alone(cell, candidates))
        for cell, candidates in read.items()
    }


_Key = tuple[int | None, NumberState]
"""A reading: its value, and its state."""
_Odds = Mapping[_Key, float]
"""Readings of a cell with their probabilities; what they leave of 1 belongs to others."""


class _Weighed:
    """What the rules say of a cell's readings, each by itself."""

    def __init__(self, template: Template, game: Game) -> None:
        self.template = template
        self._game = game if isinstance(game, PriorGame) else None
        self._factors: dict[tuple[str, int], float] = {}
        # what stands elsewhere isn't settled yet
        cells = {cell: CellReading(cell, None, "unreadable") for cell in template.ids}
        self._board = ReadBoard(template.id, cells)

    def factor(self, cell: Cell, value: int | None) -> float:
        """How far the rules speak against a number, 1 where they don't."""
        if value is None:
            return 1.0
        if (cell.id, value) not in self._factors:
            factor = 1.0
            if cell.values is not None and not cell.values[0] <= value <= cell.values[1]:
                factor = NOT_PERMITTED
            if self._game is not None:
                supposed = CellReading(cell.id, value, "read", ink="hand")
                factor = min(factor, self._game.prior(self._board, self.template, supposed))
            self._factors[cell.id, value] = factor
        return self._factors[cell.id, value]

    def alone(self, cell_id: str, candidates: Sequence[NumberCandidate]) -> _Odds:
        """The odds of a cell's readings by itself. The rules don't bring up what is implausible."""
        cell = self.template.cell(cell_id)
        factors = [self.factor(cell, one.value) if one.probability >= PLAUSIBLE else 1.0 for one in candidates]
        weights = [one.probability * factor for one, factor in zip(candidates, factors, strict=True)]
        # what isn't listed is weighed like the least likely of the others: rules must not bring it up
        unlisted = max(0.0, 1.0 - sum(one.probability for one in candidates)) * min(factors)
        whole = sum(weights) + unlisted
        return {(one.value, one.state): weight / whole for one, weight in zip(candidates, weights, strict=True)}


def _reading(cell: str, candidates: Sequence[NumberCandidate], odds: _Odds) -> CellReading:
    first = (candidates[0].value, candidates[0].state)
    posterior = dict(odds)
    supported = max((p for one, p in posterior.items() if one != first), default=0.0) >= SUPPORTED
    stays = candidates[0].probability >= (NEARLY_CLEAR if not supported else CLEAR_INK)
    clear: _Key | None = first if stays else None
    top = clear or max(posterior, key=lambda one: posterior[one] * (OF_NO_USE if one[1] == "scribble" else 1.0))
    if clear is not None and posterior.get(clear, 0.0) < 0.5:
        others = 1.0 - posterior.get(clear, 0.0)
        posterior = {one: p * 0.5 / others for one, p in posterior.items()} | {clear: 0.5}
    rounded = {one: round(p, DIGITS) for one, p in posterior.items()}
    others_first = sorted((one for one in posterior if one != top), key=lambda one: -rounded[one])
    alternatives = {_name(one): rounded[one] for one in others_first if rounded[one] >= SHOWN_FROM}
    value, state = top
    reading = CellReading(cell, value, state, rounded[top], alternatives)
    if value is None:
        return reading
    return replace(reading, ink="hand", state="read" if rounded[top] >= READ_FROM else "doubtful")


def _name(key: _Key) -> str:
    value, state = key
    return state if value is None else str(value)


# ---- all numbers of a column together


@dataclass(frozen=True, slots=True)
class _Listed:
    """A cell's readings before the sums are asked. keys: null for what isn't listed. weights: of any scale."""

    keys: tuple[_Key | None, ...]
    weights: tuple[float, ...]
    made_up: frozenset[_Key] = frozenset()
    """Those of them that nobody saw."""

    def is_open(self, odds: Sequence[float]) -> bool:
        """Whether it is likely that none of these is written."""
        return math.fsum(p for key, p in zip(self.keys, odds, strict=True) if key is None) >= OPEN_FROM

    def with_any(self, limits: tuple[int, int] | None) -> _Listed:
        """The same with all numbers that may stand there, which share what isn't listed."""
        low, high = limits or (0, MAX_NUMBER)
        numbers: list[_Key] = [(value, "read") for value in range(max(0, low), high + 1)]
        new = [key for key in numbers if key not in self.keys]
        left = math.fsum(weight for key, weight in zip(self.keys, self.weights, strict=True) if key is None)
        listed = [(key, weight) for key, weight in zip(self.keys, self.weights, strict=True) if key is not None]
        keys = (*(key for key, _ in listed), *new, None)
        shares = [left / (len(new) + 1)] * (len(new) + 1)
        return _Listed(keys, (*(weight for _, weight in listed), *shares), frozenset(new))

    @property
    def said(self) -> tuple[tuple[Said, float], ...]:
        return tuple(zip(map(_said, self.keys), self.weights, strict=True))

    def seldom_empty(self) -> _Listed:
        """The same in a column that is filled in."""
        weights = [
            weight * (LEFT_EMPTY if key == (None, "blank") else 1.0)
            for key, weight in zip(self.keys, self.weights, strict=True)
        ]
        return _Listed(self.keys, tuple(weights))


def _said(key: _Key | None) -> Said:
    if key is None:
        return "unknown"
    value, state = key
    if value is not None:
        return value
    return "empty" if state == "blank" else "nothing" if state == "struck" else "unknown"


def _together(
    read: Mapping[str, Sequence[NumberCandidate]], weighed: _Weighed, answered: Mapping[str, CellReading]
) -> dict[str, _Odds]:
    """The odds of the readings of all cells that take part in the sums of a table, by id."""
    table = weighed.template.table
    if table is None or not table.formulas:
        return {}
    formulas = {item.row: item.formula for item in table.formulas}
    rows = tuple(dict.fromkeys((*(row for formula in formulas.values() for row in formula.uses), *formulas)))
    rows = (*(row for row in rows if row not in formulas), *formulas)
    columns: list[dict[str, str]] = []
    for column in table.columns:
        cells = {row: f"{column.id}.{row}" for row in rows if f"{column.id}.{row}" in weighed.template}
        if not column.labels and any(cell in read for cell in cells.values()):
            columns.append(cells)
    belief = _belief(read)
    if belief < BELIEVED:
        read = {cell: _believed(candidates, belief) for cell, candidates in read.items()}
    hand = usual_hand()
    found: dict[str, _Odds] = {}
    for _ in range(ROUNDS):
        for cells in columns:
            listed = {row: _listed(cell, read.get(cell), hand, weighed, answered) for row, cell in cells.items()}
            filled = sum(_is_number(read.get(cell), answered.get(cell)) for cell in cells.values())
            if not filled:
                odds = {row: _unplayed(one) for row, one in listed.items()}
            else:
                if 2 * filled > len(cells):
                    listed = {row: one if row in formulas else one.seldom_empty() for row, one in listed.items()}
                odds = column_odds([OddsRow(row, listed[row].said, formulas.get(row)) for row in cells])
                opened = {row for row in formulas if row in cells and listed[row].is_open(odds[row])}
                if opened:
                    limits = {row: weighed.template.cell(cells[row]).values for row in opened}
                    listed |= {row: listed[row].with_any(limits[row]) for row in opened}
                    odds = column_odds([OddsRow(row, listed[row].said, formulas.get(row)) for row in cells])
            for row, cell in cells.items():
                if cell in read:
                    pairs = zip(listed[row].keys, odds[row], strict=True)
                    most = max(SUREST, read[cell][0].probability)
                    made_up = listed[row].made_up
                    found[cell] = {
                        key: min(p, MADE_UP if key in made_up else most) for key, p in pairs if key is not None
                    }
        learnt = learnt_hand(_examples(read, found, answered))
        if learnt.differs_by(hand) < LEARNT_NOTHING:
            break
        hand = learnt
    if belief < BELIEVED and not _sums_are_right(found, answered, weighed.template):
        return {cell: {key: p * belief for key, p in odds_of.items()} for cell, odds_of in found.items()}
    return found


def _belief(read: Mapping[str, Sequence[NumberCandidate]]) -> float:
    """How far a table's readings are believed at all, 0 to 1: lines that were taken wrongly spoil all of them."""
    return median(math.fsum(one.probability for one in candidates) for candidates in read.values()) if read else 1.0


def _believed(candidates: Sequence[NumberCandidate], belief: float) -> Sequence[NumberCandidate]:
    return [replace(one, probability=min(1.0, one.probability / belief)) for one in candidates]


def _sums_are_right(found: Mapping[str, _Odds], answered: Mapping[str, CellReading], template: Template) -> bool:
    """Whether most sums are right, with each cell as its likeliest reading has it."""
    cells = {cell: CellReading(cell, None, "blank") for cell in template.ids}
    for cell, odds in found.items():
        value, state = max(odds, key=lambda one: odds[one])
        cells[cell] = CellReading(cell, value, state)
    columns = [Arithmetic(one) for one in columns_of(ReadBoard(template.id, cells | dict(answered)), template)]
    sums = [(one, row) for one in columns for row in one.formulas if row in one.column.written and one.founded(row)]
    return bool(sums) and 2 * sum(row not in one.wrong for one, row in sums) >= len(sums)


def _listed(
    cell_id: str,
    candidates: Sequence[NumberCandidate] | None,
    hand: Hand,
    weighed: _Weighed,
    answered: Mapping[str, CellReading],
) -> _Listed:
    known = answered.get(cell_id)
    if known is not None:
        value = known.value if isinstance(known.value, int) else None
        return _Listed(((value, "read" if value is not None else "blank"),), (1.0,))
    if candidates is None:
        return _Listed((None,), (1.0,))
    if candidates[0].probability >= CERTAIN:
        return _Listed(((candidates[0].value, candidates[0].state),), (1.0,))
    cell = weighed.template.cell(cell_id)
    weights: dict[_Key | None, float] = {
        (one.value, one.state): one.probability for one in candidates if one.value is None
    }
    seen = {one.value: weighed.factor(cell, one.value) for one in candidates if one.probability >= PLAUSIBLE}
    best = max(seen.values(), default=1.0)
    for value, weight in hand.weights(candidates).items():
        # rules must not bring up what nobody saw
        factor = weighed.factor(cell, value)
        weight *= factor if value in seen else min(factor, best)
        if value in seen or weight >= LEAST * best:
            weights[value, "read"] = weight
    left_open = max(0.0, 1.0 - math.fsum(one.probability for one in candidates))
    weights[None] = UNLISTED * left_open + min(SHOWN_FROM, 1.0 - candidates[0].probability)
    weights[None] *= weighed.factor(cell, candidates[0].value)
    return _Listed(tuple(weights), tuple(weights.values()))


def _is_number(candidates: Sequence[NumberCandidate] | None, known: CellReading | None) -> bool:
    if known is not None:
        return known.value is not None
    return candidates is not None and sum(one.probability for one in candidates if one.value is not None) >= 0.5


def _unplayed(listed: _Listed) -> tuple[float, ...]:
    weights = [
        weight * (NOBODY_PLAYED if key is not None and key[0] is not None else 1.0)
        for key, weight in zip(listed.keys, listed.weights, strict=True)
    ]
    return tuple(weight / sum(weights) for weight in weights)


def _examples(
    read: Mapping[str, Sequence[NumberCandidate]], found: Mapping[str, _Odds], answered: Mapping[str, CellReading]
) -> list[tuple[Sequence[NumberCandidate], Mapping[int, float]]]:
    """What the reader said of each cell, and how probable the numbers in it are."""
    examples: list[tuple[Sequence[NumberCandidate], Mapping[int, float]]] = []
    for cell, odds in found.items():
        known = answered.get(cell)
        numbers = {value: p for (value, _), p in odds.items() if value is not None and p >= SETTLED}
        if known is not None:
            numbers = {known.value: 1.0} if isinstance(known.value, int) else {}
        if numbers:
            examples.append((read[cell], numbers))
    return examples
