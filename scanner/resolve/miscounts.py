"""How often people add up wrongly, and by how much: the odds of a written sum against the one that its numbers give.

About one written sum in thirty is wrong. Mostly by a carry (10, 100), by one, by a few, by a round number, by a bonus
that was forgotten or a field left out; the rest may be anything. The shares are rounded guesses, not fitted to anybody:
what they have to tell apart is a mistake in adding up from a misread digit, and those differ by factors of ten.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

MISCOUNTED: Final = 0.03
"""How often a written sum isn't the one that its numbers give."""
SPREAD: Final = 100.0
"""Sums that may stand in a place, about as many: the odds of one are against each of them being as likely."""
FARTHEST: Final = 2000
"""A mistake by more than this is as good as impossible."""

UNFOUNDED: Final = 0.1
"""Odds of a sum that is written although all that it adds up is empty: in the same measure, any number being 1."""
NOT_ADDED: Final = 0.5
"""The same of none being written although there is something to add up."""

BY_ONE, BY_TEN, BY_HUNDRED = 0.16, 0.18, 0.03
A_FEW: Final = 0.24
ROUND: Final = 0.15
BONUS: Final = 0.04
A_FIELD: Final = 0.16
"""By what one field holds, which is at most a few dozen points."""
MOST_OF_A_FIELD: Final = 50
ANYTHING: Final = 0.04

Floats = npt.NDArray[np.float64]


@lru_cache(maxsize=16)
def sum_odds(bonuses: frozenset[int]) -> Floats:
    """Odds of a written sum by how much it is too high, float64 [2 * FARTHEST + 1], the middle for a right one.

    bonuses: points that may be forgotten, or given for nothing.
    """
    shares = np.full(2 * FARTHEST + 1, ANYTHING / (2 * FARTHEST))
    for differences, share in _ways(bonuses).items():
        for by in differences:
            shares[FARTHEST + by] += share / (2 * len(differences))
            shares[FARTHEST - by] += share / (2 * len(differences))
    shares[FARTHEST] = 0.0
    odds = MISCOUNTED * SPREAD * shares / shares.sum()
    odds[FARTHEST] = (1.0 - MISCOUNTED) * SPREAD
    return np.asarray(odds, dtype=np.float64)


def odds_of(written: npt.ArrayLike, given: npt.ArrayLike, odds: Floats) -> Floats:
    """Odds of each written number (columns) with each number that was given (rows), float64 [given, written]."""
    by = np.asarray(written, dtype=np.int64)[None, :] - np.asarray(given, dtype=np.int64)[:, None]
    return np.asarray(np.where(np.abs(by) > FARTHEST, 0.0, odds[np.clip(by, -FARTHEST, FARTHEST) + FARTHEST]))


def _ways(bonuses: frozenset[int]) -> Mapping[tuple[int, ...], float]:
    ways: dict[tuple[int, ...], float] = {
        (1,): BY_ONE,
        (10,): BY_TEN,
        (100,): BY_HUNDRED,
        tuple(range(2, 10)): A_FEW,
        (20, 30, 40, 50): ROUND,
        tuple(range(1, MOST_OF_A_FIELD + 1)): A_FIELD,
    }
    if bonuses:
        ways[tuple(sorted(bonuses))] = BONUS
    return ways
