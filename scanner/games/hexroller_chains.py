"""The written hexes of one number as chains: which can have been written one after the other, and in which lengths.

Hexes are bits of an int, so that a set of them is one number. A chain starts beside a hex that holds the number already
(printed, or of an earlier chain) and goes on from each hex to one that touches it. Everything here is exact.

Where lengths don't matter, chains may be taken as long as they go: if a chain stops where it could go on into a hex
that a later chain covers, the rest of that later chain, from there on, can be handed to it, and nothing else changes:
what hung on that rest was written later still, and hangs on it as before.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

Hexes = int
"""A set of hexes: bit i stands for hex i."""
MAX_STEPS = 400_000
"""Lines and parts of lines that are looked at for one number and question. Random games need a few thousand, the worst
100,000; a sheet that is filled with one number may have more than anybody can wait for."""


class Undecided(Exception):  # noqa: N818 - an answer, not an error of the program
    """There are more ways than are looked through. No sheet of a game with fair dice comes near."""


@dataclass(frozen=True, slots=True)
class Slot:
    """Room for one chain. least, most: its length in hexes. extra: the bonus's extra hex may follow right behind it."""

    least: int
    most: int
    extra: bool = True


@dataclass(frozen=True, slots=True)
class Chains:
    """Chains that explain all hexes: one a slot, in the order in which the hexes were written.

    extra: the bonus's extra hex, null without one. after: the slot that it follows.
    """

    chains: tuple[tuple[int, ...], ...]
    extra: int | None = None
    after: int = 0


def bits(hexes: Hexes) -> Iterator[int]:
    """The hexes of a set, in order."""
    while hexes:
        lowest = hexes & -hexes
        yield lowest.bit_length() - 1
        hexes ^= lowest


@dataclass(eq=False, slots=True)
class Growth:
    """The written hexes of one number, 0 to `len(near) - 1`.

    near: those that touch each of them. roots: those that touch a printed one.
    """

    near: tuple[Hexes, ...]
    roots: Hexes
    _coverable: dict[tuple[Hexes, int], bool] = field(default_factory=dict)
    _ends: dict[tuple[Hexes, int], tuple[Hexes, ...]] = field(default_factory=dict)
    _arranged: dict[tuple[tuple[Slot, ...], bool], Chains | None] = field(default_factory=dict)
    _steps: int = 0

    def renew(self) -> None:
        """Starts to count the steps afresh, for a new question. Every search raises `Undecided` after `MAX_STEPS`."""
        self._steps = 0

    def _spend(self, steps: int) -> None:
        self._steps += steps
        if self._steps > MAX_STEPS:
            raise Undecided

    @property
    def every(self) -> Hexes:
        """All the hexes."""
        return (1 << len(self.near)) - 1

    def around(self, done: Hexes) -> Hexes:
        """The hexes not in `done` beside which the number stands once `done` is written."""
        beside = self.roots
        for place in bits(done):
            beside |= self.near[place]
        return beside & ~done

    def reachable(self) -> Hexes:
        """The hexes that are joined to a printed one."""
        done = 0
        while more := self.around(done):
            done |= more
        return done

    def coverable(self, chains: int, done: Hexes = 0) -> bool:
        """Whether at most so many chains of any length can write all that isn't in `done`."""
        left = self.every & ~done
        if not left:
            return True
        if not chains:
            return False
        key = (done, chains)
        known = self._coverable.get(key)
        if known is None:
            known = self._wanting(done) <= chains and any(
                self.coverable(chains - 1, end) for end in self._longest(done)
            )
            self._coverable[key] = known
        return known

    def fewest_erased(self, chains: int, *, extra: bool) -> Hexes | None:
        """The fewest hexes without which the others are exactly so many chains of any length, and perhaps an extra hex.

        Null if there aren't even hexes enough for the chains.
        """
        reachable = self.reachable()
        if reachable.bit_count() < chains:
            return None
        if not chains:
            return self.every
        most_left = len(self.near) - chains
        for erased in range(len(self.near) - reachable.bit_count(), most_left + 1):
            tried: set[tuple[Hexes, int, bool]] = set()
            if (left := self._all_but(erased, 0, chains, extra, tried)) is not None:
                return left
        return None

    def arranged(self, slots: Sequence[Slot], *, extra: bool) -> Chains | None:
        """Chains that fill the slots in turn and write every hex, one as the extra hex if `extra`; null if none do."""
        key = (tuple(slots), extra)
        if key not in self._arranged:
            found = _Arranging(self, key[0]).search(0, 0, extra)
            self._arranged[key] = None if found is None else _as_chains(found)
        return self._arranged[key]

    def steps(self, done: Hexes, length: int) -> tuple[Hexes, ...]:
        """What may be written after a chain of exactly this length behind `done`."""
        key = (done, length)
        if key not in self._ends:
            level = {(1 << first, first) for first in bits(self.around(done))}
            for _ in range(length - 1):
                self._spend(len(level))
                level = {
                    (line | 1 << place, place)
                    for line, last in level
                    for place in bits(self.near[last] & ~done & ~line)
                }
            self._ends[key] = tuple({done | line for line, _ in level})
        return self._ends[key]

    def lines(self, done: Hexes) -> Iterator[dict[Hexes, tuple[int, ...]]]:
        """Lines that a chain behind `done` may write, of 1, 2, ... hexes: one for each set of hexes."""
        level: dict[tuple[Hexes, int], tuple[int, ...]]
        level = {(1 << first, first): (first,) for first in bits(self.around(done))}
        while level:
            self._spend(len(level))
            yield {line: order for (line, _), order in level.items()}
            level = {
                (line | 1 << place, place): (*order, place)
                for (line, last), order in level.items()
                for place in bits(self.near[last] & ~done & ~line)
            }

    def _wanting(self, done: Hexes) -> int:
        """How many chains it takes at least to write all the rest; more than there are hexes if it can't be reached.

        Each part that hangs together needs one, and a hex that only one other leads to is the end of one.
        """
        left = self.every & ~done
        beside = self.around(done)
        chains = 0
        while left:
            part, more = 0, left & beside & -(left & beside)
            if not more:
                return len(self.near) + 1
            while more:
                part |= more
                grown = 0
                for place in bits(more):
                    grown |= self.near[place]
                more = grown & left & ~part
            # ends are counted over the whole part: what leads to a hex lies in the same part, or it is beside `done`
            ends = sum((self.near[place] & part).bit_count() == 1 for place in bits(part & ~beside))
            chains += max(1, ends)
            left &= ~part
        return chains

    def _longest(self, done: Hexes) -> Iterator[Hexes]:
        """What may be written after a chain behind `done` that goes on as long as it can; each outcome once."""
        seen: set[tuple[Hexes, int]] = set()
        given: set[Hexes] = set()
        stack = [(1 << first, first) for first in self._fewest_last(self.around(done), self.every & ~done)]
        while stack:
            self._spend(1)
            line, last = stack.pop()
            if (line, last) in seen:
                continue
            seen.add((line, last))
            free = self.every & ~done & ~line
            onward = self.near[last] & free
            if not onward:
                if line not in given:
                    given.add(line)
                    yield done | line
                continue
            stack += [(line | 1 << place, place) for place in self._fewest_last(onward, free)]

    def _fewest_last(self, places: Hexes, free: Hexes) -> list[int]:
        """Places, those with the fewest ways on last, so that they come off a stack first (Warnsdorff's rule)."""
        return sorted(bits(places), key=lambda place: -(self.near[place] & free).bit_count())

    def _all_but(
        self, erased: int, done: Hexes, chains: int, extra: bool, tried: set[tuple[Hexes, int, bool]]
    ) -> Hexes | None:
        """The hexes left over by at most so many chains, at most `erased` of them; null if there is no such way."""
        left = self.every & ~done
        if left.bit_count() <= erased:
            return left
        if (not chains and not extra) or (done, chains, extra) in tried:
            return None
        tried.add((done, chains, extra))
        if self._lost(done, chains + extra) > erased:
            return None
        if chains:
            for end in self._longest(done):
                if (found := self._all_but(erased, end, chains - 1, extra, tried)) is not None:
                    return found
        if extra and done:
            for place in bits(self.around(done)):
                if (found := self._all_but(erased, done | 1 << place, chains, False, tried)) is not None:
                    return found
        return None

    def _lost(self, done: Hexes, chains: int) -> int:
        """How many hexes at least so many chains leave over: one for each further chain that the rest wants."""
        left = self.every & ~done
        reached, more = 0, self.around(done)
        while more:
            reached |= more
            more = self.around(done | reached)
        lost = left & ~reached
        return lost.bit_count() + max(0, self._wanting(done | lost) - chains)


def _as_chains(found: Sequence[tuple[int, ...]]) -> Chains:
    """The chains of a search; the extra hex comes as one that begins with -1."""
    chains = [line for line in found if line[0] >= 0]
    for number, line in enumerate(found):
        if line[0] < 0:
            return Chains(tuple(chains), line[1], number - 1)
    return Chains(tuple(chains))


EXTRA_SIGN = -1


@dataclass(slots=True)
class _Arranging:
    """The search of `Growth.arranged`: slot by slot, never again from where it failed."""

    growth: Growth
    slots: tuple[Slot, ...]
    _failed: set[tuple[int, Hexes, bool, bool]] = field(default_factory=set)

    def search(self, slot: int, done: Hexes, extra: bool, behind: bool = False) -> list[tuple[int, ...]] | None:
        """Lines for the slots from `slot` on. extra: that hex has yet to be written; behind: it may be right now."""
        growth = self.growth
        left = growth.every & ~done
        count = left.bit_count() - extra
        rest = self.slots[slot:]
        if not sum(one.least for one in rest) <= count <= sum(one.most for one in rest):
            return None
        if not rest and not extra:
            return []
        key = (slot, done, extra, behind)
        if key in self._failed or not growth.coverable(len(rest) + extra, done):
            return None
        if extra and behind:
            for place in bits(growth.around(done)):
                if (found := self.search(slot, done | 1 << place, False)) is not None:
                    return [(EXTRA_SIGN, place), *found]
        if rest:
            # level by level, and no further than it takes: long lines through many hexes are countless
            levels = growth.lines(done)
            by_length: list[dict[Hexes, tuple[int, ...]]] = []
            for length in self._lengths(rest, count):
                by_length += itertools.islice(levels, max(0, length - len(by_length)))
                for line, order in by_length[length - 1].items() if length <= len(by_length) else ():
                    if (found := self.search(slot + 1, done | line, extra, rest[0].extra)) is not None:
                        return [order, *found]
        self._failed.add(key)
        return None

    @staticmethod
    def _lengths(rest: Sequence[Slot], count: int) -> list[int]:
        """Lengths of the next chain that leave enough and not too much for the others, the usual ones first."""
        least, most = sum(one.least for one in rest[1:]), sum(one.most for one in rest[1:])
        lengths = range(max(rest[0].least, count - most), min(rest[0].most, count - least) + 1)
        return sorted(lengths, key=lambda length: abs(length - count / len(rest)))


def growth_of(hexes: Sequence[int], neighbours: Sequence[Sequence[int]], printed: Iterable[int]) -> Growth:
    """The growth of a number's written hexes, given as indices; its own hexes are numbered in the same order."""
    index = {place: number for number, place in enumerate(hexes)}
    roots = {near for place in printed for near in neighbours[place]}
    return Growth(
        near=tuple(sum(1 << index[near] for near in neighbours[place] if near in index) for place in hexes),
        roots=sum(1 << number for place, number in index.items() if place in roots),
    )
