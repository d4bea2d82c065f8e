"""The arithmetic referee: written sums as check digits for the numbers that weren't read surely.

Where exactly one reading of the unsure numbers makes all sums that they take part in right, it is taken; where several
do, what they agree on is, and what none of them has is out of the question. Where none does, or only a far-fetched one
(`fits.BELIEVABLE`), a sum may be wrong: then the others decide what they can, whichever it is. A clear number is never
overruled (`CLEAR`), whatever the sums say. A sum of nothing but sure numbers says nothing about the others: if it is
wrong, it is wrong, and the game flags it.

The search is exact, see `scanner.resolve.fits`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from scanner.board import ReadBoard
from scanner.resolve.fits import NOT_THERE, Fits, Number, Part
from scanner.resolve.outcomes import UNEXPLAINED
from scanner.results import PLAUSIBLE, VALUED_STATES, CellReading, State, Value
from scanner.templates.formulas import Formula
from scanner.templates.model import Template

CLEAR = 0.99
"""Confidence from which ink is clear (see `scanner.resolve.posterior`)."""
READ_FROM = 0.9
"""Confidence from which a number counts as read (see `scanner.resolve.posterior`)."""
CHECKED = 0.9991
"""Confidence of a number that the sums confirm: what is left is no plausible reading any more."""
MOST_DROPPED = 0.02
"""Share of a cell's readings that may be found out of the question where all sums have been weighed before: readings
err together, as one hand writes them, and what looks impossible number by number may be what is written in all.
Chosen on generated cards of 8000 numbers by hands that trained nothing: none of 346 columns that were sure had a wrong
total, so at 95 % confidence at most 1 % have. A truth below this that needs an unsure sum may be dropped wrongly."""
DIGITS = 4


def checked_by_sums(board: ReadBoard, template: Template, *, weighed: bool = False) -> ReadBoard:
    """The board with those unsure numbers taken that the sums of their column decide.

    Their confidence becomes `CHECKED`; what else they were read as stays among their alternatives, below `PLAUSIBLE`.
    Of other numbers only such readings become implausible that fit no sum.
    weighed: whether the probabilities are those with all sums (`scanner.resolve.numbers`): then what is left of
    readings that fit none is dropped only where that is little, and the rest stays a question.
    Boards without formulas, and without doubts, come back as they are.
    """
    table = template.table
    if table is None or not table.formulas:
        return board
    formulas = {item.row: item.formula for item in table.formulas}
    taken: dict[str, CellReading] = {}
    for column in table.columns:
        if not column.labels:
            taken |= _Column(column.id, formulas, board, template).taken(MOST_DROPPED if weighed else 1.0)
    return ReadBoard(board.template, {**board.cells, **taken}) if taken else board


@dataclass(frozen=True, slots=True)
class _Option:
    """One thing that an unsure cell may hold. ratio: its probability against the cell's most probable, 0 to 1."""

    value: Value | None
    state: State
    ratio: float

    @property
    def number(self) -> Number:
        if isinstance(self.value, int):
            return self.value
        return "nothing" if self.state in ("blank", "struck") else "unknown"


_Sums = Mapping[str, frozenset[str]]
"""The rows of sums, each with the unsure cells that decide whether it is right."""


_Left = tuple[_Option, ...]
"""The options of a cell that fit, most probable first."""


class _Column:
    """The numbers of one column and the sums that connect them."""

    def __init__(self, column: str, formulas: Mapping[str, Formula], board: ReadBoard, template: Template) -> None:
        self._head = column
        self._formulas = formulas
        self._readings: dict[str, CellReading] = {}
        self._options: dict[str, tuple[_Option, ...]] = {}
        rows = dict.fromkeys((*(row for formula in formulas.values() for row in formula.uses), *formulas))
        for row in rows:
            cell_id = f"{column}.{row}"
            if cell_id in template and template.cell(cell_id).kind in ("digit", "number"):
                self._readings[row] = board.cells[cell_id]
                self._options[row] = _options(board.cells[cell_id])
        self._unsure = frozenset(row for row, reading in self._readings.items() if self._is_unsure(row, reading))

    def taken(self, most_dropped: float) -> dict[str, CellReading]:
        """The unsure cells of which the sums leave fewer readings, by id. most_dropped: share that these may lose."""
        taken: dict[str, CellReading] = {}
        for sums in self._groups():
            for row, left in self._left_over(sums).items():
                if self._dropped(row, left) > most_dropped:
                    continue
                if len(left) == 1 or len(left) < len(self._options[row]):
                    taken[f"{self._head}.{row}"] = _narrowed(self._readings[row], left)
        return taken

    def _dropped(self, row: str, left: _Left) -> float:
        """Share of a cell's options that isn't left over."""
        whole = math.fsum(option.ratio for option in self._options[row])
        return 1.0 - math.fsum(option.ratio for option in left) / whole

    def _is_unsure(self, row: str, reading: CellReading) -> bool:
        """Whether there is more than one reading, or the one listed leaves too much open."""
        if reading.state in ("answered", "unreadable"):
            return False
        listed = reading.confidence + math.fsum(reading.alternatives.values())
        return len(self._options[row]) > 1 or 1.0 - listed > UNEXPLAINED

    def _scope(self, row: str) -> frozenset[str]:
        """The unsure cells that decide whether the sum written in a row is right."""
        found = {row} & self._unsure
        for used in self._formulas[row].uses:
            found |= {used} & self._unsure
            if used in self._formulas and self._may_be_missing(used):  # then its own parts stand for it
                found |= self._scope(used)
        return frozenset(found)

    def _may_be_missing(self, row: str) -> bool:
        return row not in self._options or any(option.number == "nothing" for option in self._options[row])

    def _groups(self) -> list[_Sums]:
        """Sums that share unsure numbers, in groups. Sums of sure numbers are in none."""
        sums: dict[str, frozenset[str]] = {}
        for row in self._formulas:
            scope = self._scope(row)
            if scope and any(isinstance(option.number, int) for option in self._options.get(row, ())):
                sums[row] = scope
        return _grouped(sums)

    def _left_over(self, sums: _Sums) -> dict[str, _Left]:
        """By row what the sums of a group leave over of its options.

        Where they can't all be right: what may be if one of them is wrong, whichever that is.
        """
        left = self._if_right(sums, frozenset())
        if left is not None:
            return left
        possible: list[dict[str, _Left]] = []
        for wrong in sums:
            parts = _grouped({row: scope for row, scope in sums.items() if row != wrong})
            found = [self._if_right(part, frozenset((wrong,))) for part in parts]
            if all(one is not None for one in found):
                possible.append({row: options for one in found if one for row, options in one.items()})
        rows = frozenset.intersection(*map(frozenset, possible)) if possible else ()
        return {
            row: tuple(option for option in self._options[row] if any(option in one[row] for one in possible))
            for row in rows
        }

    def _if_right(self, sums: _Sums, wrong: frozenset[str]) -> dict[str, _Left] | None:
        """By row the options that are left over if all these sums are right; null where they can't be.

        Empty where that would overrule clear ink. wrong: a sum that is taken as it is written.
        """
        fits = Fits(self._parts(sums, wrong))
        if not fits.found:
            return None
        left: dict[str, _Left] = {
            row: tuple(option for option, fit in zip(self._options[row], fits.of(row), strict=True) if fit)
            for row in frozenset().union(*sums.values())
        }
        return {} if any(self._overruled(row, options) for row, options in left.items()) else left

    def _overruled(self, row: str, left: _Left) -> bool:
        """Whether what clear ink says isn't among the options left over."""
        reading = self._readings[row]
        said = (reading.value, "read" if reading.value is not None else reading.state)
        return reading.confidence >= CLEAR and said not in [(option.value, option.state) for option in left]

    def _parts(self, sums: _Sums, wrong: frozenset[str]) -> list[Part]:
        """The rows that the sums of a group are reckoned from, each after those it uses."""
        needed: dict[str, None] = {}

        def need(row: str) -> None:
            if row in needed:
                return
            options = tuple((option.number, option.ratio) for option in self._options.get(row, ())) or NOT_THERE
            formula = self._formulas.get(row)
            # a sure number stands for itself; so does a sum that isn't one of the group and that is surely written
            if formula is not None and (row in sums or any(number == "nothing" for number, _ in options)):
                for used in formula.uses:
                    need(used)
            else:
                formula = None
            needed[row] = None
            parts.append(Part(row, options, formula, checked=row not in wrong))

        parts: list[Part] = []
        for row in sums:
            need(row)
        return parts


def _grouped(sums: _Sums) -> list[_Sums]:
    """The sums in groups that share no unsure cell."""
    groups: list[dict[str, frozenset[str]]] = []
    for row, scope in sums.items():
        joined = [group for group in groups if any(scope & other for other in group.values())]
        groups = [group for group in groups if group not in joined]
        groups.append(dict(pair for group in joined for pair in group.items()) | {row: scope})
    return list(groups)


def _options(reading: CellReading) -> tuple[_Option, ...]:
    """What a cell may plausibly hold, most probable first; one option for a sure cell, and for one that is unreadable.

    Probability that the readings listed leave open is no option: a sum must not bring up what nobody saw.
    """
    sure = (_Option(reading.value, "read" if reading.value is not None else reading.state, 1.0),)
    if reading.state in ("answered", "unreadable"):
        if reading.state == "answered" and reading.value is None:
            return (_Option(None, "blank", 1.0),)
        return sure
    weights: dict[tuple[Value | None, State], float] = {}
    state: State = "read" if reading.state in VALUED_STATES else reading.state
    weights[reading.value, state] = max(reading.confidence, PLAUSIBLE)
    for name, p in reading.alternatives.items():
        if p >= PLAUSIBLE:
            key = _meaning(name)
            weights[key] = weights.get(key, 0.0) + p
    most = max(weights.values())
    ranked = sorted(weights.items(), key=lambda item: -item[1])
    return tuple(_Option(value, state, weight / most) for (value, state), weight in ranked)


_STATES: Mapping[str, State] = {
    "blank": "blank",
    "struck": "struck",
    "scribble": "scribble",
    "candidates": "candidates",
    "unreadable": "unreadable",
}


def _meaning(name: str) -> tuple[Value | None, State]:
    """A key of `CellReading.alternatives`."""
    return (None, _STATES[name]) if name in _STATES else (int(name), "read")


def _narrowed(reading: CellReading, left: _Left) -> CellReading:
    """The cell with only these options left over; what else it was read as becomes implausible.

    A single one is sure. Several keep their proportions, so that a second look leaves the same over, and what no
    reading explained stays open as well. What clear ink says stays the reading.
    """
    weights = dict(reading.alternatives) | {_name(reading.value, reading.state): reading.confidence}
    kept = {_name(option.value, option.state): option for option in left}
    others = {name: p for name, p in weights.items() if name not in kept}
    unexplained = 0.0 if len(left) == 1 else max(0.0, 1.0 - math.fsum(weights.values()))
    whole = math.fsum(weights[name] for name in kept) + unexplained
    dropped = math.fsum(others.values()) or 1.0
    shares = {name: weights[name] / whole * CHECKED for name in kept}
    shares |= {name: p / dropped * (1 - CHECKED) for name, p in others.items()}
    rounded = {name: round(p, DIGITS) for name, p in shares.items()}
    top = max(kept, key=lambda name: rounded[name])
    if reading.confidence >= CLEAR:
        top = _name(reading.value, reading.state)
    ranked = sorted(((name, p) for name, p in rounded.items() if name != top and p > 0), key=lambda item: -item[1])
    option, confidence = kept[top], rounded[top]
    state: State = option.state
    if option.value is not None:
        state = "read" if confidence >= READ_FROM else "doubtful"
    ink = None if option.value is None else reading.ink or "hand"
    return replace(reading, value=option.value, state=state, confidence=confidence, alternatives=dict(ranked), ink=ink)


def _name(value: Value | None, state: State) -> str:
    """A reading as a key of `CellReading.alternatives`."""
    return state if value is None else str(value)
