"""Why no game ends with a HexRoller sheet: the smallest explanation.

- For each number that can't be explained even if lengths don't matter: the fewest of its written hexes without which it
  could be. Where there are too few of them for its chains, none can be left out: then its rounds are the explanation.
- Else, where numbers can't share the bonuses: the fewest hexes of one number without which they could.
- Else the fewest rounds whose lengths can't add up, whatever the lengths of all other rounds are.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from scanner.games.hexroller_chains import Undecided, bits
from scanner.games.hexroller_facts import Facts
from scanner.games.hexroller_history import Bonuses, find_history
from scanner.games.hexroller_layout import EXTRA_HEX, NUMBERS, THIRD_NUMBER


@dataclass(frozen=True, slots=True)
class LooseHexes:
    """A number that no chains explain. hexes: the fewest without which it is explained, as indices of the layout's.

    rounds: from 1, in which it is recorded. apart: none of the hexes touches the number where it stood before.
    """

    number: int
    hexes: tuple[int, ...]
    rounds: tuple[int, ...]
    apart: bool


@dataclass(frozen=True, slots=True)
class MissingHexes:
    """A number that is recorded more often than hexes of it are joined to a printed one. rounds: from 1."""

    number: int
    hexes: int
    rounds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class UnevenRounds:
    """The fewest rounds, from 1, whose lengths can't add up."""

    rounds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BonusClash:
    """The crossed-out bonuses explain the sheet only if two of them are used in one round."""


Reason = LooseHexes | MissingHexes | UnevenRounds | BonusClash


@lru_cache(maxsize=2048)
def reasons(facts: Facts, bonuses: Bonuses) -> tuple[Reason, ...]:
    """Why there is no history, the smallest reason first; empty if there is one.

    Raises `Undecided` if it takes too long to tell; where only the smallest reason does, it is all rounds.
    """
    if find_history(facts, bonuses) is not None:
        return ()
    try:
        found = [reason for number in NUMBERS if (reason := _unexplained(facts, bonuses, number)) is not None]
        if found:
            return tuple(sorted(found, key=_size))
        return (_shared_out(facts, bonuses) or _uneven(facts, bonuses) or BonusClash(),)
    except Undecided:
        return (UnevenRounds(tuple(range(1, len(facts.rounds) + 1))),)


def _is_legal(facts: Facts, bonuses: Bonuses) -> bool:
    """Whether there certainly is a history."""
    try:
        return find_history(facts, bonuses) is not None
    except Undecided:
        return False


@lru_cache(maxsize=2048)
def wanted_bonuses(facts: Facts, bonuses: Bonuses, others: frozenset[int]) -> Bonuses | None:
    """The fewest of the other bonuses with which there would be a history; null if they don't help, or none is needed.

    Where none of them does, a second bonus in one round may.
    """
    if _is_legal(facts, bonuses):
        return None
    more = [frozenset(some) for size in range(len(others) + 1) for some in itertools.combinations(sorted(others), size)]
    for one_a_round, some in itertools.product((True, False), more):
        wider = Bonuses(bonuses.allowed | some, one_a_round)
        if _is_legal(facts, wider):
            return wider
    return None


def _size(reason: Reason) -> int:
    return len(reason.hexes) if isinstance(reason, LooseHexes) else len(NUMBERS) ** 3


def _unexplained(facts: Facts, bonuses: Bonuses, number: int) -> Reason | None:
    """Why a number can't be explained on its own, with all the bonuses that it could have; null if it can."""
    rounds = facts.rounds_of(number)
    third = THIRD_NUMBER in bonuses.allowed and any(number in one.thirds for one in facts.rounds)
    extra = EXTRA_HEX in bonuses.allowed and bool(rounds)
    growth = facts.growth(number)
    growth.renew()
    options = [growth.fewest_erased(len(rounds) + more, extra=extra) for more in range(third + 1)]
    left = min((option for option in options if option is not None), key=int.bit_count, default=None)
    named = tuple(at + 1 for at in rounds)
    if left is None:
        return MissingHexes(number, growth.reachable().bit_count(), named)
    return _loose(facts, number, left) if left else None


def _loose(facts: Facts, number: int, left: int) -> LooseHexes:
    apart = not left & facts.growth(number).reachable()
    rounds = tuple(at + 1 for at in facts.rounds_of(number))
    return LooseHexes(number, tuple(_places(facts, number, left)), rounds, apart)


def _places(facts: Facts, number: int, hexes: int) -> Iterator[int]:
    written = facts.written[number - NUMBERS.start]
    return (written[place] for place in bits(hexes))


def _shared_out(facts: Facts, bonuses: Bonuses) -> LooseHexes | None:
    """The fewest hexes of one number without which the bonuses go round, lengths free; null if they go round."""
    free = replace(facts, free=frozenset(range(len(facts.rounds))))
    if find_history(free, bonuses) is not None:
        return None
    found = []
    for number in NUMBERS:
        rounds, growth = facts.rounds_of(number), facts.growth(number)
        growth.renew()
        for third, extra in itertools.product((False, True), repeat=2):
            left = growth.fewest_erased(len(rounds) + third, extra=extra and bool(rounds))
            if left:
                erased = set(_places(facts, number, left))
                kept = list(facts.written)
                kept[number - NUMBERS.start] = tuple(
                    place for place in facts.written[number - NUMBERS.start] if place not in erased
                )
                if find_history(replace(free, written=tuple(kept)), bonuses) is not None:
                    found.append(_loose(facts, number, left))
    return min(found, key=_size, default=None)


def _uneven(facts: Facts, bonuses: Bonuses) -> UnevenRounds | None:
    every = range(len(facts.rounds))
    for size in range(1, len(facts.rounds) + 1):
        for tied in itertools.combinations(every, size):
            if find_history(replace(facts, free=frozenset(every) - frozenset(tied)), bonuses) is None:
                return UnevenRounds(tuple(at + 1 for at in tied))
    return None
