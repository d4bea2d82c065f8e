"""The arithmetic referee: written sums as check digits for the numbers that weren't read surely.

Where exactly one reading of the unsure numbers makes all sums that they take part in right, it is taken; where several
do, the numbers that they agree on are. Nothing is taken where none does, or only a far-fetched one (`BELIEVABLE`): then
a sum may be wrong. A clear number is never overruled (`CLEAR`), whatever the sums say. A sum of nothing but sure
numbers says nothing about the others: if it is wrong, it is wrong, and the game flags it.

The search is exact: it looks at every combination of readings down to `PLAUSIBLE` times the most probable one that
makes the sums right, or gives up (`MOST_STEPS`) and takes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from scanner.board import ReadBoard
from scanner.results import PLAUSIBLE, VALUED_STATES, CellReading, State, Value
from scanner.templates.formulas import Formula
from scanner.templates.model import Template

CLEAR = 0.99
"""Confidence from which ink is clear (see `scanner.resolve.posterior`)."""
BELIEVABLE = 0.03
"""How probable the reading that makes the sums right has to be, against the most probable one: with less, a mistake in
adding up explains it as well (about one sum in thirty is wrong, and one in twenty of those by just the difference)."""
CHECKED = 0.9991
"""Confidence of a number that the sums confirm: what is left is no plausible reading any more."""
MOST_STEPS = 60_000
"""Partial combinations looked at for one group of numbers that depend on each other."""
DIGITS = 4

_Number = int | Literal["nothing", "unknown"]
"""What a reading means in a sum: a number, an empty or struck field, or something that nobody can add up."""


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
    def number(self) -> _Number:
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

    def taken(self) -> dict[str, CellReading]:
        """The unsure cells that the sums decide, by id."""
        taken: dict[str, CellReading] = {}
        for group in self._groups():
            for row, option in self._decided(group).items():
                taken[f"{self._head}.{row}"] = _confirmed(self._readings[row], option)
        return taken

    def _unsure(self, row: str) -> bool:
        return len(self._options.get(row, ())) > 1

    def _scope(self, row: str) -> frozenset[str]:
        """The unsure cells that decide whether the sum written in a row is right."""
        found = {row} if self._unsure(row) else set()
        for used in self._formulas[row].uses:
            if self._unsure(used):
                found.add(used)
            if used in self._formulas and self._may_be_missing(used):  # then its own parts stand for it
                found |= self._scope(used)
        return frozenset(found)

    def _may_be_missing(self, row: str) -> bool:
        return row not in self._options or any(option.number == "nothing" for option in self._options[row])

    def _groups(self) -> list[_Group]:
        """Sums that share unsure numbers, in groups; sums without any are in none."""
        groups: list[_Group] = []
        for row in self._formulas:
            scope = self._scope(row)
            written = any(isinstance(option.number, int) for option in self._options.get(row, ()))
            if not scope or not written:
                continue
            joined = [group for group in groups if group.cells & scope]
            groups = [group for group in groups if not group.cells & scope]
            sums = dict(pair for group in joined for pair in group.sums.items()) | {row: scope}
            groups.append(_Group(sums))
        return groups

    def _decided(self, group: _Group) -> dict[str, _Option]:
        """What the sums of a group decide; nothing where no reading fits, or where that would overrule clear ink."""
        found = list(self._fitting(group))
        if not found:
            return {}
        best = max(weight for weight, _ in found)
        if best < BELIEVABLE * (1 - 1e-9):
            return {}
        likely = [chosen for weight, chosen in found if weight >= PLAUSIBLE * (1 - 1e-9) * best]
        decided: dict[str, _Option] = {}
        for row in group.order:
            options = {(chosen[row].value, chosen[row].state): chosen[row] for chosen in likely}
            if len(options) == 1:
                (decided[row],) = options.values()
        if any(self._overruled(row, option) for row, option in decided.items()):
            return {}
        return decided

    def _overruled(self, row: str, option: _Option) -> bool:
        """Whether the option isn't what clear ink says."""
        reading = self._readings[row]
        if reading.confidence < CLEAR:
            return False
        return option.value != reading.value or (option.value is None and option.state != reading.state)

    def _fitting(self, group: _Group) -> Iterator[tuple[float, Mapping[str, _Option]]]:
        """All combinations that make the sums right, with their probability against the most probable combination.

        Those below `PLAUSIBLE` squared are left out. Empty if it would take too long.
        """
        order, ends = group.order, group.ends
        found: list[tuple[float, Mapping[str, _Option]]] = []
        steps = 0
        chosen: dict[str, _Option] = {}

        def search(place: int, weight: float) -> bool:
            nonlocal steps
            if place == len(order):
                found.append((weight, dict(chosen)))
                return True
            row = order[place]
            for option in self._options[row]:
                steps += 1
                if steps > MOST_STEPS:
                    return False
                lighter = weight * option.ratio
                if lighter < PLAUSIBLE**2 * (1 - 1e-9):
                    break  # the options after it are no more probable
                chosen[row] = option
                fits = all(self._is_right(total, chosen) for total in ends[place])
                if fits and not search(place + 1, lighter):
                    return False
            chosen.pop(row, None)
            return True

        return iter(found if search(0, 1.0) else ())

    def _is_right(self, row: str, chosen: Mapping[str, _Option]) -> bool:
        """Whether the sum written in a row is right, or none is written."""
        written = self._number(row, chosen)
        if written == "nothing":
            return True
        return written != "unknown" and written == self._computed(row, chosen)

    def _number(self, row: str, chosen: Mapping[str, _Option]) -> _Number:
        if row in chosen:
            return chosen[row].number
        options = self._options.get(row)
        return "nothing" if not options else options[0].number

    def _computed(self, row: str, chosen: Mapping[str, _Option]) -> int | None:
        """What a formula gives by the written numbers; a part that isn't written by its own formula. Null: unknown."""
        values: dict[str, int] = {}
        for used in self._formulas[row].uses:
            number = self._number(used, chosen)
            value: int | None
            if isinstance(number, int):
                value = number
            elif number == "unknown":
                value = None
            else:
                value = self._computed(used, chosen) if used in self._formulas else 0
            if value is None:
                return None
            values[used] = value
        return self._formulas[row].value(values.__getitem__)


@dataclass(frozen=True)
class _Group:
    """Sums that share unsure cells. sums: by row, the unsure cells of each; none is empty."""

    sums: Mapping[str, frozenset[str]]
    cells: frozenset[str] = field(init=False)
    order: tuple[str, ...] = field(init=False)
    """The cells, so that one sum after the other is complete."""
    ends: tuple[tuple[str, ...], ...] = field(init=False)
    """For each cell of `order` the sums that are complete with it."""

    def __post_init__(self) -> None:
        order = tuple(dict.fromkeys(cell for scope in self.sums.values() for cell in sorted(scope)))
        last = {row: max(order.index(cell) for cell in scope) for row, scope in self.sums.items()}
        ends = tuple(tuple(row for row in self.sums if last[row] == place) for place in range(len(order)))
        object.__setattr__(self, "cells", frozenset(order))
        object.__setattr__(self, "order", order)
        object.__setattr__(self, "ends", ends)


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
