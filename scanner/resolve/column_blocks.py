"""Fields of one sum that serve nothing else: what they add up to, and how probable each of their readings then is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from scanner.resolve.miscounts import NOT_ADDED, UNFOUNDED, odds_of

Said = int | Literal["empty", "nothing", "unknown"]
"""What a reading says: a number, an empty field, one struck out (no points), or something that nobody can add up."""

EMPTY: Final = 1 << 20
UNKNOWN: Final = EMPTY + 1
"""What a row may stand for beside numbers, as numbers that no sum comes to."""
LEAST_READING: Final = 1e-8
"""Readings less probable than this against the field's best don't count."""
LEAST_TOTAL: Final = 1e-12

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]


def stands_for(said: Said) -> int:
    """What a field with this reading stands for."""
    if isinstance(said, int):
        return said
    return EMPTY if said == "empty" else UNKNOWN if said == "unknown" else 0


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """What a row may stand for: int64 [n], each with a weight [n] and the number of the reading [n] it comes from."""

    stands: Whole
    weights: Floats
    readings: Whole


class Block:
    """Fields that are added up by themselves. readings: of each field, with their weights."""

    def __init__(self, fields: Sequence[Sequence[tuple[Said, float]]]) -> None:
        self._fields = [[(stands_for(said), weight) for said, weight in field] for field in fields]
        kept = [_kept(field) for field in self._fields]
        lows = [min(0, *(value for value, _ in field if value < EMPTY), 0) for field in kept]
        highs = [max(0, *(value for value, _ in field if value < EMPTY), 0) for field in kept]
        self._kept, self._low, self._size = kept, sum(lows), sum(highs) - sum(lows) + 1
        # by field: weight of being empty, of all that can be added up, of everything
        self._empty = [sum(w for value, w in field if value == EMPTY) for field in kept]
        self._known = [sum(w for value, w in field if value != UNKNOWN) for field in kept]
        self._whole = [sum(w for _, w in field) for field in kept]
        self._before = self._added_up(range(len(fields)))
        sums = self._before[-1].copy()
        self.empty = float(np.prod(self._empty))
        self.unknown = max(0.0, float(np.prod(self._whole)) - float(np.prod(self._known)))
        sums[-self._low] = max(0.0, sums[-self._low] - self.empty)
        self._places = np.flatnonzero(sums > LEAST_TOTAL * max(float(sums.max()), 1e-300))
        self.totals: Whole = self._places + self._low
        self.weights: Floats = sums[self._places]

    def _added_up(self, order: Sequence[int]) -> list[Floats]:
        """The weights of all totals of the first 0, 1, 2... fields in this order."""
        found = np.zeros(self._size)
        found[-self._low] = 1.0
        sums = [found]
        for number in order:
            more = np.zeros(self._size)
            for value, weight in self._kept[number]:
                if value != UNKNOWN:
                    more += weight * _shifted(sums[-1], 0 if value == EMPTY else value)
            sums.append(more)
        return sums

    def shares(self, sums: Floats, empty: float, unknown: float) -> list[Floats]:
        """By field, for each of its readings, the weight of all ways with it.

        sums: for each of `totals` the weight of all that is beside the fields, if they add up to it; empty, unknown:
        the same if all of them are empty, or any of them can't be added up.
        """
        beside = np.zeros(self._size)
        beside[self._places] = sums
        # the outside weight of what the fields up to one add up to, with all those after it
        after = beside
        found: list[Floats] = []
        for number in reversed(range(len(self._fields))):
            others = [other for other in range(len(self._fields)) if other != number]
            all_empty = float(np.prod([self._empty[other] for other in others]))
            not_known = max(
                0.0,
                float(np.prod([self._whole[other] for other in others]))
                - float(np.prod([self._known[other] for other in others])),
            )
            any_way = float(np.prod([self._whole[other] for other in others]))
            before = self._before[number]
            weights = np.zeros(len(self._fields[number]))
            best = max((weight for _, weight in self._fields[number]), default=0.0)
            for place, (value, weight) in enumerate(self._fields[number]):
                if weight < LEAST_READING * best:
                    continue
                if value == UNKNOWN:
                    weights[place] = weight * any_way * unknown
                    continue
                known = float(before @ _shifted(after, 0 if value == EMPTY else -value))
                if value == EMPTY:
                    known += all_empty * (empty - float(beside[-self._low]))
                weights[place] = weight * max(0.0, known + not_known * unknown)
            found.append(weights)
            earlier = np.zeros(self._size)
            for value, weight in self._kept[number]:
                if value != UNKNOWN:
                    earlier += weight * _shifted(after, 0 if value == EMPTY else -value)
            after = earlier
        return found[::-1]


def _kept(field: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    best = max((weight for _, weight in field), default=0.0)
    return [(value, weight) for value, weight in field if weight > 0 and weight >= LEAST_READING * best]


def _shifted(weights: Floats, by: int) -> Floats:
    """What was at a place is `by` further on."""
    if by == 0:
        return weights
    moved = np.zeros(len(weights))
    if abs(by) < len(weights):
        if by > 0:
            moved[by:] = weights[:-by]
        else:
            moved[:by] = weights[-by:]
    return moved


class SummedBlock:
    """A written sum of nothing but a block: what may be written, and what that stands for."""

    def __init__(self, block: Block, readings: Sequence[tuple[Said, float]], odds: Floats) -> None:
        self._block, self._readings, self._odds = block, readings, odds
        stands: list[Whole] = []
        weights: list[Floats] = []
        places: list[Whole] = []
        carried = np.concatenate([block.totals, [UNKNOWN, UNKNOWN]])
        empty_carried = np.concatenate([block.totals, [EMPTY, UNKNOWN]])
        inner = np.concatenate([block.weights, [block.empty, block.unknown]])
        self._with: list[Floats] = []
        for place, (said, weight) in enumerate(readings):
            factors = self._factors(said)
            self._with.append(factors * weight)
            if isinstance(said, int):
                stands.append(np.array([said]))
                weights.append(np.array([weight * float(inner @ factors)]))
            else:
                stands.append(carried if said == "unknown" else empty_carried)
                weights.append(weight * inner * factors)
            places.append(np.full(len(weights[-1]), place))
        self.outcomes = Outcomes(np.concatenate(stands), np.concatenate(weights), np.concatenate(places))

    def _factors(self, said: Said) -> Floats:
        """Odds of a reading with each total of the block, and where it is empty or can't be added up."""
        totals = self._block.totals
        if isinstance(said, int):
            return np.concatenate([odds_of([said], totals, self._odds)[:, 0], [UNFOUNDED, 1.0]])
        if said == "unknown":
            return np.ones(len(totals) + 2)
        return np.concatenate([np.full(len(totals), NOT_ADDED), [1.0, NOT_ADDED]])

    def shares(self, ways: Floats) -> list[Floats]:
        """By field, for each reading, the weight of all ways with it. ways: of each outcome, with its own weight."""
        beside = np.zeros(len(self._block.totals) + 2)
        at = 0
        for said, factors in zip([said for said, _ in self._readings], self._with, strict=True):
            if isinstance(said, int):
                own = self.outcomes.weights[at]
                beside += factors * (ways[at] / own if own > 0 else 0.0)
                at += 1
            else:
                own_all = self.outcomes.weights[at : at + len(beside)]
                after = np.divide(ways[at : at + len(beside)], own_all, out=np.zeros(len(beside)), where=own_all > 0)
                beside += factors * after
                at += len(beside)
        return self._block.shares(beside[:-2], float(beside[-2]), float(beside[-1]))
