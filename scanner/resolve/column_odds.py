"""How probable each reading of each number of a column is once all of its sums are taken into account: exactly.

A column is gone through row by row, each after those that its formula uses. What has to be kept of the rows before is
what later formulas still use, and that is little: a state is what those rows stand for. Forwards each state has the
weight of all ways that lead to it, backwards that of all ways that lead on from it, and both together are what a
reading in between is worth (the forward-backward algorithm along the column's formulas). Fields of one sum that serve
nothing else are added up by themselves (`scanner.resolve.column_blocks`), so that many unsure numbers cost little.

A written sum may be wrong (`scanner.resolve.miscounts`): then it stands for itself in the sums after it, as it does for
whoever adds them up. Where no sum is written, what its numbers give stands for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from scanner.resolve.column_blocks import (
    EMPTY,
    UNKNOWN,
    Block,
    Floats,
    Outcomes,
    Said,
    SummedBlock,
    Whole,
    stands_for,
)
from scanner.resolve.miscounts import NOT_ADDED, UNFOUNDED, odds_of, sum_odds
from scanner.templates.formulas import Difference, Formula, Product, Sum, Threshold

LEAST: Final = 1e-10
"""Ways that are less probable than this against the likeliest of a step are left out."""
MOST_WAYS: Final = 200_000
"""Ways that are followed at a step, the likeliest ones."""


@dataclass(frozen=True, slots=True)
class OddsRow:
    """A row of a column. readings: what may be written, each with a weight of any scale; formula: null for a field."""

    row: str
    readings: tuple[tuple[Said, float], ...]
    formula: Formula | None = None


def column_odds(rows: Sequence[OddsRow]) -> dict[str, tuple[float, ...]]:
    """By row the probability of each of its readings. rows: each after those that its formula uses, no row twice.

    Rows that aren't given are empty. Where nothing at all is possible, the readings' own weights stand.
    """
    found = {row.row: np.array([weight for _, weight in row.readings]) for row in rows}
    steps = _steps(rows)
    shares = _forward_and_backward(steps)
    for step, ways in zip(steps, shares, strict=True) if shares is not None else ():
        if step.inner is not None:
            found.update(zip(step.fields, step.inner.shares(ways), strict=True))
        if step.row in found:
            found[step.row] = _gathered(step.readings, ways, len(found[step.row]))
    return {row: tuple((weights / weights.sum()).tolist()) for row, weights in found.items()}


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """A row as it is gone through.

    uses: the rows before that its formula reads. keep: rows before it that are still needed after it, and perhaps
    itself. readings: number of the reading [n] of each way to go on.
    outcomes: what it may stand for, where that doesn't depend on other steps; else said, weights: what may be written.
    inner, fields: the fields that were added up for it.
    """

    row: str
    keep: tuple[str, ...]
    readings: Whole
    outcomes: Outcomes | None = None
    formula: Formula | None = None
    said: tuple[Said, ...] = ()
    weights: Floats | None = None
    odds: Floats | None = None
    inner: SummedBlock | None = None
    fields: tuple[str, ...] = ()

    def ways(self, states: Mapping[str, Whole], count: int) -> tuple[Whole, Floats]:
        """What it stands for, and the weight of that, [count, ways], for each state."""
        if self.outcomes is not None:
            shape = (count, len(self.outcomes.stands))
            return np.broadcast_to(self.outcomes.stands, shape), np.broadcast_to(self.outcomes.weights, shape)
        assert self.formula is not None
        assert self.weights is not None
        assert self.odds is not None
        given = _given(self.formula, states, count)
        is_empty, is_unknown = given == EMPTY, given == UNKNOWN
        is_number = ~(is_empty | is_unknown)
        stands = np.empty((count, len(self.said)), dtype=np.int64)
        factors = np.ones((count, len(self.said)))
        numbers = np.array([place for place, said in enumerate(self.said) if isinstance(said, int)], dtype=np.int64)
        written = np.array([said for said in self.said if isinstance(said, int)], dtype=np.int64)
        stands[:, numbers] = written
        known = odds_of(written, np.where(is_number, given, 0), self.odds)
        unfounded = np.where(is_empty, UNFOUNDED, 1.0)[:, None]
        factors[:, numbers] = np.where(is_number[:, None], known, unfounded)
        for place, said in enumerate(self.said):
            if isinstance(said, int):
                continue
            if said == "unknown":
                stands[:, place] = np.where(is_empty, UNKNOWN, given)
            else:
                stands[:, place] = given
                factors[:, place] = np.where(is_empty, 1.0, NOT_ADDED)
        return stands, factors * self.weights


def _given(formula: Formula, states: Mapping[str, Whole], count: int) -> Whole:
    """What a formula gives in each state."""
    nothing = np.full(count, EMPTY)
    used = np.stack([states.get(row, nothing) for row in formula.uses])
    numbers = np.where(used >= EMPTY, 0, used)
    match formula:
        case Sum():
            given = numbers.sum(axis=0)
        case Difference():
            given = numbers[0] - numbers[1]
        case Product(_, by):
            given = numbers[0] * by
        case Threshold(_, at, points):
            given = np.where(numbers[0] >= at, points, 0)
    given = np.where((used == EMPTY).all(axis=0), EMPTY, given)
    return np.asarray(np.where((used == UNKNOWN).any(axis=0), UNKNOWN, given), dtype=np.int64)


def _steps(rows: Sequence[OddsRow]) -> list[_Step]:
    known = {row.row: row for row in rows}
    uses: dict[str, int] = {}
    for row in rows:
        for used in row.formula.uses if row.formula is not None else ():
            uses[used] = uses.get(used, 0) + 1
    blocks = {
        row.row: tuple(used for used in row.formula.uses if used in known)
        for row in rows
        if isinstance(row.formula, Sum)
        and all(known[used].formula is None and uses[used] == 1 for used in row.formula.uses if used in known)
    }
    blocks = {row: fields for row, fields in blocks.items() if fields}
    inside = {used for fields in blocks.values() for used in fields}
    odds = sum_odds(frozenset(abs(row.formula.points) for row in rows if isinstance(row.formula, Threshold)))
    order = [row for row in rows if row.row not in inside]
    steps = []
    for place, row in enumerate(order):
        later = {used for one in order[place + 1 :] if one.formula is not None for used in one.formula.uses}
        keep = tuple(one.row for one in order[: place + 1] if one.row in later)
        said, weights = tuple(one for one, _ in row.readings), np.array([weight for _, weight in row.readings])
        if row.row in blocks:
            fields = blocks[row.row]
            inner = SummedBlock(Block([known[field].readings for field in fields]), row.readings, odds)
            outcomes = inner.outcomes
            steps.append(_Step(row.row, keep, outcomes.readings, outcomes, inner=inner, fields=fields))
        elif row.formula is None:
            numbers = np.arange(len(said))
            outcomes = Outcomes(np.array([stands_for(one) for one in said]), weights, numbers)
            steps.append(_Step(row.row, keep, numbers, outcomes))
        else:
            steps.append(_Step(row.row, keep, np.arange(len(said)), None, row.formula, said, weights, odds))
    return steps


def _forward_and_backward(steps: Sequence[_Step]) -> list[Floats] | None:
    """For each way of each step the weight of all ways with it; null where nothing is possible."""
    states: dict[str, Whole] = {}
    forward = np.ones(1)
    passed: list[tuple[Whole, Whole, Floats, Whole, Floats]] = []
    for step in steps:
        stands, weights = step.ways(states, len(forward))
        together = forward[:, None] * weights
        least = LEAST * float(together.max(initial=0.0))
        if not least > 0:
            return None
        if int((together > least).sum()) > MOST_WAYS:
            least = float(np.partition(together, -MOST_WAYS, axis=None)[-MOST_WAYS])
        before, way = np.nonzero(together > least)
        known = {row: values[before] for row, values in states.items() if row in step.keep}
        if step.row in step.keep:
            known[step.row] = stands[before, way]
        if known:
            merged = np.stack(list(known.values()))
            _, first, after = np.unique(merged, axis=1, return_index=True, return_inverse=True)
            after = after.reshape(-1)
        else:
            first, after = np.zeros(1, dtype=np.int64), np.zeros(len(before), dtype=np.int64)
        passed.append((before, way, weights[before, way], after, forward))
        states = {row: values[first] for row, values in known.items()}
        forward = _gathered(after, together[before, way], len(first))
        forward = forward / forward.max()
    backward = np.ones(len(forward))
    shares: list[Floats] = []
    for step, (before, way, weights, after, forward) in zip(reversed(steps), reversed(passed), strict=True):
        on = weights * backward[after]
        shares.append(_gathered(way, forward[before] * on, len(step.readings)))
        backward = _gathered(before, on, len(forward))
        backward = backward / backward.max()
    return shares[::-1]


def _gathered(places: Whole, weights: Floats, count: int) -> Floats:
    """The weights added up by their places, [count]."""
    return np.asarray(np.bincount(places, weights, minlength=count), dtype=np.float64)
