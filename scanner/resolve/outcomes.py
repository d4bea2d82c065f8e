"""What each cell could plausibly be, and the combinations of it over a board, most probable first."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scanner.board import MADE
from scanner.results import PLAUSIBLE, VALUED_STATES, CellReading, State, Value
from scanner.templates.model import Cell

UNEXPLAINED = 0.01
"""Probability that a cell's readings may leave unexplained: the document leaves out those below 0.0001."""
MANY_VALUES = 50
"""Numbers with more permitted values than this are represented by the lowest and the highest where all are possible."""

STATE_NAMES: dict[State, str] = {
    "blank": "empty",
    "candidates": "pencil notes",
    "struck": "struck out",
    "scribble": "a scribble",
}
"""How people call a state."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One thing a cell could be. reading: the cell if it were so. weight: its posterior (not normalized)."""

    reading: CellReading
    weight: float

    @property
    def name(self) -> str:
        """For a message: the value, or why there is none."""
        value = self.reading.value
        return STATE_NAMES.get(self.reading.state, self.reading.state) if value is None else str(value)


@dataclass(frozen=True, slots=True)
class Doubt:
    """A cell with at least two outcomes. outcomes: the one reported first, except where `is_open`: any order."""

    cell: str
    reported: CellReading
    outcomes: tuple[Outcome, ...]
    is_open: bool = False
    """What was reported (unreadable, a scribble) says nothing about what it is."""

    @property
    def size(self) -> float:
        """Probability that the cell isn't what was reported; 1 where that says nothing."""
        if self.is_open:
            return 1.0
        total = math.fsum(outcome.weight for outcome in self.outcomes)
        return 1.0 - self.outcomes[0].weight / total


def doubt_about(reading: CellReading, cell: Cell, *, by_value: bool, numbers_only: bool = False) -> Doubt | None:
    """The plausible outcomes of a cell; null if there is only one, and for a box that nobody looked at.

    What is plausible: the reported reading, alternatives of at least `PLAUSIBLE`, and where all of these leave more
    than `UNEXPLAINED` open (an unreadable cell leaves everything open) each other permitted value and blank, in equal
    parts.
    by_value: outcomes of equal value count as one, whatever the reason that there is none.
    numbers_only: of `scanner.games.base.NumbersOnlyGame`; a scribble then leaves as much open as an unreadable cell.
    """
    weights: dict[tuple[Value | None, State], float] = {}

    def add(value: Value | None, state: State, weight: float) -> None:
        key = (value, state)
        if by_value and value is None:
            key = next((known for known in weights if known[0] is None), key)
        weights[key] = weights.get(key, 0.0) + weight

    if reading.state == "answered" or reading.unseen:
        return None
    # A scribble that may hide a number explains as little as a cell that isn't seen.
    explained = 0.0
    is_open = reading.state == "unreadable" or (numbers_only and reading.state == "scribble")
    if not is_open:
        state: State = "read" if reading.state in VALUED_STATES else reading.state
        add(reading.value, state, max(reading.confidence, PLAUSIBLE))
        explained = reading.confidence
    for name, p in reading.alternatives.items() if reading.state != "unreadable" else ():
        if numbers_only and name == "scribble" and p > UNEXPLAINED:
            continue
        explained += p
        if p >= PLAUSIBLE:
            add(*_named(name, cell), p)
    if 1.0 - explained > UNEXPLAINED:
        unlisted = [key for key in _all_outcomes(cell) if key not in weights]
        for value, state in unlisted:
            add(value, state, max((1.0 - explained) / len(unlisted), PLAUSIBLE))
    if len(weights) < 2:
        return None
    outcomes = tuple(
        Outcome(CellReading(cell.id, value, state, ink=reading.ink if value is not None else None), weight)
        for (value, state), weight in weights.items()
    )
    return Doubt(cell.id, reading, outcomes, is_open)


def _named(name: str, cell: Cell) -> tuple[Value | None, State]:
    """Value and state of a key of `CellReading.alternatives`."""
    if name in STATE_NAMES or name == "unreadable":
        return None, "blank" if name == "unreadable" else _STATES[name]
    if cell.kind in ("digit", "number"):
        return int(name), "read"
    return name, "read"


_STATES: dict[str, State] = {str(state): state for state in STATE_NAMES}


def _all_outcomes(cell: Cell) -> list[tuple[Value | None, State]]:
    blank: tuple[Value | None, State] = (None, "blank")
    match cell.kind:
        case "mark":
            return [(MADE, "read"), blank]
        case "text":
            return [blank]
        case "digit" | "number":
            low, high = cell.values or ((0, 9) if cell.kind == "digit" else (-999, 999))
            numbers: Sequence[int] = range(low, high + 1)
            if len(numbers) > MANY_VALUES:
                numbers = (low, high)
            return [*((number, "read") for number in numbers), blank]


def combinations(doubts: Sequence[Doubt], least: float = PLAUSIBLE) -> Iterator[tuple[Outcome, ...]]:
    """All combinations (one outcome for each doubt), most probable first, down to `least` times the first's.

    That bound, and not `PLAUSIBLE` itself: with many doubts even the most probable combination has a small probability.
    """
    ranked = [sorted(doubt.outcomes, key=lambda outcome: -outcome.weight) for doubt in doubts]
    costs = [[math.log(outcomes[0].weight / outcome.weight) for outcome in outcomes] for outcomes in ranked]
    limit = -math.log(least) + 1e-9
    heap: list[tuple[float, tuple[int, ...], int]] = [(0.0, (0,) * len(doubts), 0)]
    while heap:
        cost, chosen, first = heapq.heappop(heap)
        yield tuple(outcomes[index] for outcomes, index in zip(ranked, chosen, strict=True))
        # Each combination is reached once: from the one with a step less at its last changed place.
        for place in range(first, len(doubts)):
            index = chosen[place] + 1
            if index < len(ranked[place]):
                dearer = cost - costs[place][index - 1] + costs[place][index]
                if dearer <= limit:
                    heapq.heappush(heap, (dearer, (*chosen[:place], index, *chosen[place + 1 :]), place))
