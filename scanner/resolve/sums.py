"""The arithmetic referee: written sums as check digits for the numbers that weren't read surely.

Where exactly one reading of the unsure numbers makes all sums that they take part in right, it is taken; where several
do, the numbers that they agree on are. Nothing is taken where none does, or only a far-fetched one (`BELIEVABLE`): then
a sum may be wrong. A clear number is never overruled (`CLEAR`), whatever the sums say. A sum of nothing but sure
numbers says nothing about the others: if it is wrong, it is wrong, and the game flags it.

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
CHECKED = 0.9991
"""Confidence of a number that the sums confirm: what is left is no plausible reading any more."""
DIGITS = 4


def checked_by_sums(board: ReadBoard, template: Template) -> ReadBoard:
    """The board with those unsure numbers taken that the sums of their column decide.

    Their confidence becomes `CHECKED`; what else they were read as stays among their alternatives, below `PLAUSIBLE`.
    Boards without formulas, and without doubts, come back as they are.
    """
    table = template.table
    if table is None or not table.formulas:
        return board
    formulas = {item.row: item.formula for item in table.formulas}
    taken: dict[str, CellReading] = {}
    for column in table.columns:
        if not column.labels:
            taken |= _Column(column.id, formulas, board, template).taken()
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

    def taken(self) -> dict[str, CellReading]:
        """The unsure cells that the sums decide, by id."""
        taken: dict[str, CellReading] = {}
        for sums in self._groups():
            for row, option in self._decided(sums).items():
                taken[f"{self._head}.{row}"] = _confirmed(self._readings[row], option)
        return taken

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

    def _groups(self) -> list[dict[str, frozenset[str]]]:
        """Sums that share unsure numbers, in groups: the rows with their scopes. Sums of sure numbers are in none."""
        groups: list[dict[str, frozenset[str]]] = []
        for row in self._formulas:
            scope = self._scope(row)
            written = any(isinstance(option.number, int) for option in self._options.get(row, ()))
            if not scope or not written:
                continue
            joined = [sums for sums in groups if any(scope & other for other in sums.values())]
            groups = [sums for sums in groups if sums not in joined]
            groups.append(dict(pair for sums in joined for pair in sums.items()) | {row: scope})
        return groups

    def _decided(self, sums: Mapping[str, frozenset[str]]) -> dict[str, _Option]:
        """What the sums of a group decide; nothing where no reading fits, or where that would overrule clear ink."""
        fits = Fits(self._parts(sums))
        decided: dict[str, _Option] = {}
        for row in frozenset().union(*sums.values()):
            likely = [option for option, fit in zip(self._options[row], fits.of(row), strict=True) if fit]
            if len(likely) == 1:
                (decided[row],) = likely
        if any(self._overruled(row, option) for row, option in decided.items()):
            return {}
        return decided

    def _overruled(self, row: str, option: _Option) -> bool:
        """Whether the option isn't what clear ink says."""
        reading = self._readings[row]
        if reading.confidence < CLEAR:
            return False
        return option.value != reading.value or (option.value is None and option.state != reading.state)

    def _parts(self, sums: Mapping[str, frozenset[str]]) -> list[Part]:
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
            parts.append(Part(row, options, formula))

        parts: list[Part] = []
        for row in sums:
            need(row)
        return parts


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


def _confirmed(reading: CellReading, option: _Option) -> CellReading:
    """The cell as the sums decide it."""
    others = dict(reading.alternatives)
    others[str(reading.value) if reading.value is not None else reading.state] = reading.confidence
    others.pop(str(option.value) if option.value is not None else option.state, None)
    whole = math.fsum(others.values())
    shares = {name: round(p / whole * (1 - CHECKED), DIGITS) for name, p in others.items()} if whole else {}
    ranked = dict(sorted(((name, p) for name, p in shares.items() if p > 0), key=lambda item: -item[1]))
    return replace(
        reading,
        value=option.value,
        state=option.state,
        confidence=CHECKED,
        alternatives=ranked,
        ink=None if option.value is None else reading.ink or "hand",
    )
