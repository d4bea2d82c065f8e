"""HexRoller by brute force: every game that could end with a sheet is played, hex by hex. Slow, and as plain as can be.

Shares nothing with the search of the product but the layout: sets of hexes, no split by number, no bounds.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from scanner.games.hexroller_layout import Layout

Hexes = frozenset[int]


@dataclass(frozen=True)
class Case:
    """A sheet. hexes: every number, the printed ones too, 0 for empty; top, bottom: 0 for empty; rolls: one a round."""

    layout: Layout
    hexes: tuple[int, ...]
    top: tuple[int, ...]
    bottom: tuple[int, ...]
    used: frozenset[int]
    rolls: tuple[tuple[int, ...], ...] | None = None

    @property
    def written(self) -> Hexes:
        pairs = zip(self.hexes, self.layout.printed, strict=True)
        return frozenset(place for place, (number, printed) in enumerate(pairs) if number and not printed)

    @property
    def rounds(self) -> list[list[int]]:
        rounds = [[number for number in pair if number] for pair in zip(self.top, self.bottom, strict=True)]
        while rounds and not rounds[-1]:
            rounds.pop()
        return rounds


def is_legal(case: Case) -> bool:
    """Whether some game ends with this sheet. A bonus may be crossed out for nothing."""
    if any(number not in range(9) or number == 1 for number in case.hexes):
        return False
    if any(number and number not in range(3, 9) for number in (*case.top, *case.bottom)):
        return False
    rounds = case.rounds
    if any(len(set(numbers)) < len(numbers) for numbers in rounds):
        return False
    if case.rolls is not None:
        if len(rounds) > len(case.rolls):
            return False
        if any(number not in roll for numbers, roll in zip(rounds, case.rolls, strict=False) for number in numbers):
            return False
    return has_history(case, two_is_free=False)


def has_history(case: Case, *, free: frozenset[int] = frozenset(), two_is_free: bool = True) -> bool:
    """Whether chains explain the hexes. free: rounds, from 0, whose lengths don't matter.

    two_is_free: 2s are left out of it, but for the round that a bonus takes.
    """
    twos = frozenset(place for place in case.written if case.hexes[place] == 2)
    if two_is_free:
        target, spare = case.written - twos, bool(twos)
    else:
        target, spare = case.written, False
        if len(twos) > 1 or (twos and 2 not in case.used):
            return False
    rounds = case.rounds
    if not rounds:
        return case.written == twos  # the first round isn't recorded yet
    start = (frozenset[int](), case.used, False)
    states = {start}
    for at, numbers in enumerate(rounds):
        states = {after for state in states for after in _played(case, at, numbers, state, free, spare)}
    return any(done >= target and (two_done or not spare) for done, _, two_done in states)


State = tuple[Hexes, frozenset[int], bool]
"""Hexes written, bonuses not used yet, whether the 2 that is left out has had its round."""


def _played(
    case: Case, at: int, numbers: list[int], state: State, free: frozenset[int], spare: bool
) -> Iterator[State]:
    done, bonuses, two_done = state
    roll = None if case.rolls is None or at in free or at >= len(case.rolls) else case.rolls[at]
    dice = None if at in free else case.layout.dice
    for picked in _written(case, done, numbers, roll, dice):
        yield picked, bonuses, two_done
        if 1 in bonuses:
            for number in numbers:
                for place in _beside(case, picked, number):
                    yield picked | {place}, bonuses - {1}, two_done
        if 2 in bonuses and not spare:
            for place in case.written - picked:
                if case.hexes[place] == 2:
                    yield picked | {place}, bonuses - {2}, two_done
        if spare and not two_done:
            yield picked, bonuses, True
    if 3 in bonuses and len(set(numbers)) == 2:
        rolled = range(3, 9) if case.rolls is None or at >= len(case.rolls) else sorted(set(case.rolls[at]))
        for third in rolled:
            if third not in numbers:
                for picked in _written(case, done, [*numbers, third], roll, dice):
                    yield picked, bonuses - {3}, two_done


def _written(
    case: Case, done: Hexes, numbers: list[int], roll: tuple[int, ...] | None, dice: int | None
) -> Iterator[Hexes]:
    """Everything that may be written in a round after these numbers were written in turn."""
    if not numbers:
        yield done
        return
    number, others = numbers[0], numbers[1:]
    if roll is not None:
        lengths = [roll.count(number)]
    elif dice is not None:
        lengths = list(range(1, dice - len(others) + 1))
    else:
        lengths = list(range(1, len(case.hexes) + 1))
    for length in lengths:
        if length == 0:
            continue
        for chain in set(_chains(case, done, number, length)):
            yield from _written(case, done | chain, others, roll, None if dice is None else dice - length)


def _chains(case: Case, done: Hexes, number: int, length: int) -> Iterator[Hexes]:
    lines: list[tuple[int, ...]] = [(place,) for place in _beside(case, done, number)]
    for _ in range(length - 1):
        lines = [
            (*line, place)
            for line in lines
            for place in case.layout.neighbours[line[-1]]
            if place not in line
            and place not in done
            and case.hexes[place] == number
            and not case.layout.printed[place]
        ]
    return map(frozenset, lines)


def _beside(case: Case, done: Hexes, number: int) -> list[int]:
    """Hexes of the number that are still to be written and touch one that is there."""
    return [
        place
        for place in case.written - done
        if case.hexes[place] == number
        and any(
            case.layout.printed[near] == number or (near in done and case.hexes[near] == number)
            for near in case.layout.neighbours[place]
        )
    ]


def fewest_erased(case: Case, number: int) -> int | None:
    """How many hexes of a number have to go so that it can be explained by itself, lengths free; null if none helps."""
    mine = [place for place in case.written if case.hexes[place] == number]
    for count in range(len(mine) + 1):
        for gone in itertools.combinations(mine, count):
            if is_explained(case, number, frozenset(mine) - set(gone)):
                return count
    return None


def is_explained(case: Case, number: int, hexes: Hexes) -> bool:
    """Whether these hexes are the chains of the number, with any of the crossed-out bonuses, lengths free."""
    alone = Case(
        case.layout,
        tuple(
            held if held == number and (case.layout.printed[place] or place in hexes) else case.layout.printed[place]
            for place, held in enumerate(case.hexes)
        ),
        case.top,
        case.bottom,
        case.used,
    )
    recorded = sum(numbers.count(number) for numbers in case.rounds)
    thirds = 3 in case.used and any(
        number not in numbers and len(set(numbers)) == 2 and (case.rolls is None or number in case.rolls[at])
        for at, numbers in enumerate(case.rounds)
    )
    lines = [(recorded, 1 in case.used and recorded > 0)]
    if thirds:
        lines.append((recorded + 1, 1 in case.used and recorded > 0))
    return any(_lines_do(alone, number, hexes, frozenset(), chains, extra) for chains, extra in lines)


def _lines_do(case: Case, number: int, hexes: Hexes, done: Hexes, chains: int, extra: bool) -> bool:
    if done == hexes and chains == 0:
        return True
    if chains:
        for length in range(1, len(hexes - done) + 1):
            for chain in set(_chains(case, done, number, length)):
                if _lines_do(case, number, hexes, done | chain, chains - 1, extra):
                    return True
    if extra and done:
        return any(
            _lines_do(case, number, hexes, done | {place}, chains, False) for place in _beside(case, done, number)
        )
    return False


def fewest_rounds(case: Case) -> int | None:
    """How many rounds it takes so that their lengths can't add up whatever those of the others are."""
    every = range(len(case.rounds))
    for size in range(1, len(every) + 1):
        for tied in itertools.combinations(every, size):
            if not has_history(case, free=frozenset(every) - set(tied)):
                return size
    return None
