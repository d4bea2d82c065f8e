"""What a number reader says that isn't so: digits that a hand writes like others, digits lost or added at the ends.

The reader's probabilities are about shapes as most people write them. A hand whose 2 looks like an 8 is read wrongly
again and again, and surely; so for each card it is learnt how its digits are read, by the numbers that the rules and
the sums settle. Until then, and for all else, there are a few mistakes that every reader makes, each too rare to be
plausible by itself: only where a sum asks for just that one does it count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from scanner.read.numbers import MAX_NUMBER, NumberCandidate

ALIKE: Final = ("06", "08", "14", "17", "23", "27", "28", "35", "38", "39", "49", "56", "58", "59", "68", "79", "89")
READ_LIKE: Final = 0.002
"""How often a digit is read as another that looks like it, beyond what the reader says itself."""
READ_AS: Final = 0.0001
"""The same of one that doesn't."""
BELIEF: Final = 4.0
"""So many digits of a hand weigh as much as all the others: how its digits are read differs much from hand to hand."""
LOST_BAR, LOST_FIRST, LOST_LAST = 0.0015, 0.00005, 0.00025
"""How often a 1 before a number is lost, one certain other digit there, and one certain digit behind it.

Of 6446 numbers of generated cards by hands that trained nothing, read with 0.9 to 0.99, 7 had lost a 1 before them, 2
another digit, 15 one behind them."""
ADDED_BAR, ADDED_FIRST, ADDED_LAST = 0.0003, 0.00005, 0.0003
"""How often a first 1, another first digit, and a last digit, is none: of the same numbers never, never, twice."""
LEAST: Final = 1e-5
"""Readings less probable than this aren't reckoned with."""
UNCERTAIN: Final = 0.01
"""From how much is left open of a reading on its mistakes are as frequent as that; the surer, the rarer."""
RARER: Final = 3
"""By which power of what is left open: of 4150 numbers of the same cards read with 0.99 or more one was wrong."""
BAR: Final = 1

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Hand:
    """How a hand's digits are read. read: float64 [10, 10], how often a digit (first axis) is read as another."""

    read: Floats
    _known: dict[int, tuple[tuple[int, float], ...]] = field(default_factory=dict)

    def weights(self, candidates: Sequence[NumberCandidate]) -> dict[int, float]:
        """The numbers that may be written where these were read, with their weights. What is certain is no mistake."""
        found: dict[int, float] = {}
        left_open = 1.0 - max((one.probability for one in candidates), default=1.0)
        doubt = min(1.0, left_open / UNCERTAIN) ** RARER
        for one in candidates:
            if one.value is None:
                continue
            sign = -1 if one.value < 0 else 1
            for number, share in self._perhaps(abs(one.value)):
                weight = one.probability * share * (1.0 if number == abs(one.value) else doubt)
                if weight < LEAST:
                    break
                found[sign * number] = found.get(sign * number, 0.0) + weight
        return found

    def differs_by(self, other: Hand) -> float:
        """By how much digits are read more often as certain others, or less often, at most."""
        return float(np.abs((self.read - other.read)[~np.eye(10, dtype=np.bool_)]).max())

    def _perhaps(self, read: int) -> tuple[tuple[int, float], ...]:
        """What may be written where a number was read, the likeliest first."""
        if read not in self._known:
            ways = [*self._alike(str(read)), *_longer_or_shorter(read)]
            self._known[read] = tuple(sorted(ways, key=lambda way: -way[1]))
        return self._known[read]

    def _alike(self, read: str) -> Iterator[tuple[int, float]]:
        """Numbers of as many digits."""
        ways = [("", 1.0)]
        for digit in map(int, read):
            shares = [(str(other), share) for other, share in enumerate(self.read[:, digit].tolist())]
            ways = [
                (before + other, weight * share)
                for before, weight in ways
                for other, share in shares
                if weight * share >= LEAST
            ]
        return ((int(digits), share) for digits, share in ways if len(digits) == 1 or digits[0] != "0")


def usual_hand() -> Hand:
    """A hand of which nothing is known."""
    read = np.full((10, 10), READ_AS)
    for one, other in ((int(a), int(b)) for a, b in ALIKE):
        read[one, other] = read[other, one] = READ_LIKE
    np.fill_diagonal(read, 0.0)
    np.fill_diagonal(read, 1.0 - read.sum(axis=1))
    return Hand(read)


def learnt_hand(cells: Iterable[tuple[Iterable[NumberCandidate], Mapping[int, float]]]) -> Hand:
    """How a hand's digits are read, by its numbers: what the reader said of each, and how probable each number is."""
    counts = np.zeros((10, 10))
    for candidates, numbers in cells:
        said = [str(abs(one.value)) for one in candidates if one.value is not None]
        for number, p in numbers.items():
            written = str(abs(number))
            read = next((one for one in said if len(one) == len(written)), None)
            for a, b in zip(written, read or "", strict=False):
                counts[int(a), int(b)] += p
    usual = usual_hand().read
    return Hand((BELIEF * usual + counts) / (BELIEF + counts.sum(axis=1, keepdims=True)))


@lru_cache(maxsize=2048)
def _longer_or_shorter(number: int) -> tuple[tuple[int, float], ...]:
    """Numbers of which a digit at an end was lost, or to which one was added, with how often that happens."""
    return tuple(_ends(number))


def _ends(number: int) -> Iterator[tuple[int, float]]:
    digits = str(number)
    for other in range(10):
        if other and len(digits) < len(str(MAX_NUMBER)):
            yield int(f"{other}{digits}"), LOST_BAR if other == BAR else LOST_FIRST
        if number and number * 10 + other <= MAX_NUMBER:
            yield number * 10 + other, LOST_LAST
    if len(digits) > 1:
        yield number // 10, ADDED_LAST
        if digits[1] != "0" or len(digits) == 2:
            yield int(digits[1:]), ADDED_BAR if int(digits[0]) == BAR else ADDED_FIRST
