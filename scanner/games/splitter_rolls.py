"""A Splitter sheet against the log of the rolls: the smallest set of differences, and where each may stand.

The order in which the pairs were filled isn't on the paper, so the multiset of unordered pairs is compared:

1. A pair as rolled is no difference; as many as possible are taken off first.
2. Of the others, a roll and a pair with one number in common are one difference (one number is wrong, or not written
   yet). As many of them as possible are found: a maximum matching.
3. What is left was rolled and isn't written, or is written and wasn't rolled.

A pair with an unread cell may hold whatever fits, and is no difference if a roll is left that fits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

Numbers = tuple[int, ...]
"""The numbers of a roll or of a pair, the lowest first; of a pair those that can be read, so perhaps one or none."""
Pair = tuple[int, int]
"""The two cells of a pair, as the layout counts them."""

MOST_WEIGHED = 4
"""With more rolls or pairs left over than this, only one smallest set is looked at: it is the log of another game."""


@dataclass(frozen=True, slots=True)
class Place:
    """A pair of cells and the numbers read in it. unread: how many of its cells can't be read (not: are empty)."""

    pair: Pair
    numbers: Numbers
    unread: int = 0

    @property
    def is_full(self) -> bool:
        """Both numbers are there."""
        return len(self.numbers) == 2

    @property
    def is_empty(self) -> bool:
        """Both cells are known to hold nothing."""
        return not self.numbers and not self.unread


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference. rolled: what the log has; null: nothing. written: what the sheet has instead; null: nothing.

    places: the pairs where it may be: each of them holds the roll, or is the wrong one, in some smallest set of
    differences; the most likely first.
    """

    rolled: Numbers | None
    written: Numbers | None
    places: tuple[Place, ...]


def differences(rolls: Iterable[Numbers], places: Sequence[Place]) -> tuple[Difference, ...]:
    """The smallest set of differences between the rolls and the pairs of a sheet (all of them, the empty ones too)."""
    rolled = Counter(tuple(sorted(roll)) for roll in rolls)
    written = Counter(place.numbers for place in places if place.is_full)
    left = sorted((rolled - written).elements())
    surplus = written - rolled
    nodes: list[Place] = []
    alike: dict[Place, tuple[Place, ...]] = {}
    for place in places:
        if not place.is_full:
            alike[place] = (place,)
            if not place.is_empty:
                nodes.append(place)
        elif surplus[place.numbers] > 0:
            # which of several equal pairs is the wrong one can't be told: one stands for all
            surplus[place.numbers] -= 1
            nodes.append(place)
            alike[place] = tuple(other for other in places if other.numbers == place.numbers and other.is_full)
    if not left and not nodes:
        return ()
    empty = [place for place in places if place.is_empty]
    return _Comparison(left, nodes, empty, alike).differences()


def _saved(roll: Numbers, place: Place) -> int:
    """How many differences fewer there are if this pair is taken for this roll."""
    if not place.unread:
        return int(bool(set(roll) & set(place.numbers)))
    if not place.numbers:
        return 1
    return 2 if place.numbers[0] in roll else 0


def _matched(rolls: Sequence[Numbers], places: Sequence[Place]) -> dict[int, int]:
    """Rolls (values) for places (keys), by index, such that the most is saved.

    What a place saves is the same for every roll that fits, so places are taken in turn, those that save most first,
    and one that has found a roll keeps one: the matching that results is the best (a transversal matroid).
    """
    fitting = [[number for number, roll in enumerate(rolls) if _saved(roll, place)] for place in places]
    worth = [max((_saved(rolls[number], places[at]) for number in fits), default=0) for at, fits in enumerate(fitting)]
    taken: dict[int, int] = {}

    def find(at: int, seen: set[int]) -> bool:
        for number in fitting[at]:
            if number not in seen:
                seen.add(number)
                if number not in taken or find(taken[number], seen):
                    taken[number] = at
                    return True
        return False

    for at in sorted(range(len(places)), key=lambda at: -worth[at]):
        find(at, set())
    return {at: number for number, at in taken.items()}


@dataclass(frozen=True, slots=True)
class _Comparison:
    """What is left once equal ones are taken off.

    alike: for each place of `nodes` those that it stands for, itself included.
    """

    rolls: Sequence[Numbers]
    nodes: Sequence[Place]
    empty: Sequence[Place]
    alike: Mapping[Place, Sequence[Place]]

    def differences(self) -> tuple[Difference, ...]:
        matching = _matched(self.rolls, self.nodes)
        place_of = {number: at for at, number in matching.items()}
        found: list[Difference] = []
        for number, roll in enumerate(self.rolls):
            at = place_of.get(number)
            if at is None:
                found.append(Difference(roll, None, self._may_hold(number, matching)))
            elif not self.nodes[at].unread:
                found.append(Difference(roll, self.nodes[at].numbers, self._may_hold(number, matching)))
        for at, place in enumerate(self.nodes):
            if at not in matching and place.numbers:
                found.append(Difference(None, place.numbers, self._may_be_wrong(at, matching)))
        return tuple(found)

    def _may_hold(self, number: int, matching: Mapping[int, int]) -> tuple[Place, ...]:
        """The places that hold this roll in some smallest set, the one of `matching` first."""
        chosen = [at for at, other in matching.items() if other == number]
        unmatched = [at for at in range(len(self.nodes)) if at not in matching]
        if self._is_small():
            roll, least = self.rolls[number], self._saving()
            others = [
                at
                for at, place in enumerate(self.nodes)
                if (_saved(roll, place) or not place.unread)
                and self._saving(without=(at,), without_roll=number) + _saved(roll, place) == least
            ]
            free = self._saving(without_roll=number) == least
        else:
            others, free = ([], False) if chosen else (unmatched, True)
        return self._places([*chosen, *others], self.empty if free else ())

    def _may_be_wrong(self, at: int, matching: Mapping[int, int]) -> tuple[Place, ...]:
        """The places that no roll is left for in some smallest set, instead of `at`, and `at` first."""
        others: list[int] = []
        if self._is_small():
            place, least = self.nodes[at], self._saving()
            others = [
                other
                for other in matching
                if not self.nodes[other].unread
                and any(
                    self._saving(without=(at, other), without_roll=number) + _saved(roll, place) == least
                    for number, roll in enumerate(self.rolls)
                )
            ]
        return self._places([at, *others], ())

    def _places(self, nodes: Iterable[int], more: Iterable[Place]) -> tuple[Place, ...]:
        named = [place for at in nodes for place in self.alike[self.nodes[at]]]
        return tuple(dict.fromkeys([*named, *more]))

    def _is_small(self) -> bool:
        return max(len(self.rolls), len(self.nodes)) <= MOST_WEIGHED

    def _saving(self, without: Sequence[int] = (), without_roll: int | None = None) -> int:
        """The most that can be saved without some of the nodes and perhaps one of the rolls."""
        rolls = [roll for number, roll in enumerate(self.rolls) if number != without_roll]
        nodes = [place for at, place in enumerate(self.nodes) if at not in without]
        return sum(_saved(rolls[number], nodes[at]) for at, number in _matched(rolls, nodes).items())
