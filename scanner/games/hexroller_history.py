"""Whether some game ends with a HexRoller sheet: one such game, or that there is none. Exact.

Different numbers never get in each other's way once the final occupancy is given, so each number is looked at on its
own (`scanner.games.hexroller_chains`): as many chains as it stands in the record rows, in the order of the rounds. What
ties the numbers together:

- In a round without a roll the lengths add up to at most the dice. With a roll each length is what the dice show.
- Bonus 1 adds one hex to a number behind its chain, bonus 3 a third chain; each once, and at most one bonus a round.

A bonus that is crossed out is used if that is possible, and left unused else: that costs only its player. One that is
not crossed out can't have been used.
A round with one number (a box was left empty) has room for no third: that number could have been the second.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from scanner.games.hexroller_chains import Chains, Slot, Undecided
from scanner.games.hexroller_facts import Facts, forget_numbers
from scanner.games.hexroller_joint import Budget, Joint, Part
from scanner.games.hexroller_layout import BONUS_NUMBER, EXTRA_HEX, NUMBERS, THIRD_NUMBER, WRITES_TWO


@dataclass(frozen=True, slots=True)
class Written:
    """A step of a history. round: from 1. hexes: the layout's indices in the order of writing. bonus: 0 for none."""

    round: int
    number: int
    hexes: tuple[int, ...]
    bonus: int = 0


@dataclass(frozen=True, slots=True)
class History:
    """A game that ends with the sheet. steps: by round. used: bonuses 1 and 3 as far as this game uses them.

    A 2 stands in the first round without another bonus: it could have been written in any of them.
    """

    steps: tuple[Written, ...]
    used: frozenset[int]


@dataclass(frozen=True, slots=True)
class Bonuses:
    """Which bonuses may be used. one_a_round: at most one in a round; without it, that rule is suspended."""

    allowed: frozenset[int]
    one_a_round: bool = True


def find_history(facts: Facts, bonuses: Bonuses) -> History | None:
    """A game that ends with the sheet, null if there is none. Of the allowed bonuses as many are used as can be.

    Raises `Undecided` if it takes too long to tell.
    """
    found = _outcome(facts, bonuses)
    if found is _UNDECIDED:
        raise Undecided
    return found


@lru_cache(maxsize=2048)
def _outcome(facts: Facts, bonuses: Bonuses) -> History | None:
    try:
        return _Search(facts, bonuses).history()
    except Undecided:
        return _UNDECIDED


def forget() -> None:
    """Drops what was found out about earlier sheets, so that times can be measured."""
    _outcome.cache_clear()
    forget_numbers()


_UNDECIDED = History((), frozenset({-1}))
"""Kept in the cache in place of an exception."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """Who gets the bonuses. third: the number and the round, from 0, of bonus 3. extra: the number of bonus 1."""

    third: tuple[int, int] | None
    extra: int | None


@dataclass(frozen=True, slots=True)
class _Search:
    """The search for a history: plans for the bonuses, and for each the lengths that tie the numbers together."""

    facts: Facts
    bonuses: Bonuses

    def history(self) -> History | None:
        """By the first plan that works. All are tried the quick way before any is tried the exact one."""
        for number in NUMBERS:
            self.facts.growth(number).renew()
        better: list[tuple[_Plan, Joint]] = []
        quick: History | None = None
        for plan in self._plans():
            parts = [self._part(number, plan) for number in NUMBERS]
            if all(part.works for part in parts):
                joint = Joint(parts, self._limits())
                if (found := joint.quickly()) is not None:
                    quick = self._history(plan, parts, found)
                    break
                if joint.limits:
                    better.append((plan, joint))
        budget = Budget()
        try:
            for plan, joint in better:
                if (found := joint.exactly(budget)) is not None:
                    return self._history(plan, joint.parts, found)
        except Undecided:
            if quick is None:
                raise
        return quick

    def _plans(self) -> Iterator[_Plan]:
        """Those that use most bonuses first; none in which a number hasn't hexes enough for its chains."""
        facts, allowed = self.facts, self.bonuses.allowed
        thirds: list[tuple[int, int]] = []
        if THIRD_NUMBER in allowed:
            thirds = [(number, at) for at, one in enumerate(facts.rounds) for number in one.thirds]
        extras = [number for number in NUMBERS if EXTRA_HEX in allowed and facts.rounds_of(number)]
        spare = {number: self._spare(number) for number in NUMBERS}
        both = itertools.product(thirds, extras)
        one = [*itertools.product(thirds, (None,)), *itertools.product((None,), extras)]
        # the 2 may be written in any round that has no other bonus
        room = max(1, len(facts.rounds)) - bool(facts.twos) if self.bonuses.one_a_round else len(thirds) + len(extras)
        for plan in itertools.starmap(_Plan, (*(both if room > 1 else ()), *(one if room > 0 else ()), (None, None))):
            mine = None if plan.third is None else plan.third[0]
            if all(low <= (number == mine) + (number == plan.extra) <= high for number, (low, high) in spare.items()):
                yield plan

    def _spare(self, number: int) -> tuple[int, int]:
        """How many chains more than those recorded, counting the extra hex as one, a number needs and may have."""
        growth, recorded = self.facts.growth(number), len(self.facts.rounds_of(number))
        needed = next((more for more in range(3) if growth.coverable(recorded + more)), 3)
        return needed, len(growth.near) - recorded

    def _part(self, number: int, plan: _Plan) -> Part:
        facts = self.facts
        rounds = list(facts.rounds_of(number))
        third = None
        if plan.third is not None and plan.third[0] == number:
            third = sum(at < plan.third[1] for at in rounds)
            rounds.insert(third, plan.third[1])
        taken = {plan.third[1]} if plan.third is not None and self.bonuses.one_a_round else set()
        slots = []
        for slot, at in enumerate(rounds):
            exact = None if at in facts.free else facts.rounds[at].rolled(number)
            chains = len(facts.rounds[at].numbers) + (plan.third is not None and plan.third[1] == at)
            most = len(facts.layout.ids) if at in facts.free else facts.dice - (chains - 1)
            least, most = (1, most) if exact is None else (exact, exact)
            slots.append(Slot(least, most, extra=at not in taken and slot != third))
        return Part(number, facts.growth(number), tuple(slots), tuple(rounds), third, plan.extra == number)

    def _limits(self) -> dict[int, int]:
        facts = self.facts
        return {at: facts.dice for at, one in enumerate(facts.rounds) if one.counts is None and at not in facts.free}

    def _history(self, plan: _Plan, parts: Sequence[Part], found: Sequence[Chains]) -> History:
        steps = []
        for part, chains in zip(parts, found, strict=True):
            hexes = self.facts.written[part.number - NUMBERS.start]
            for slot, line in enumerate(chains.chains):
                bonus = THIRD_NUMBER if slot == part.third else 0
                steps.append(Written(part.rounds[slot] + 1, part.number, tuple(hexes[at] for at in line), bonus))
            if chains.extra is not None:
                at = part.rounds[chains.after] + 1
                steps.append(Written(at, part.number, (hexes[chains.extra],), EXTRA_HEX))
        taken = {step.round for step in steps if step.bonus}
        free = next((at for at in range(1, len(self.facts.rounds) + 1) if at not in taken), 1)
        steps += [Written(free, BONUS_NUMBER, (place,), WRITES_TWO) for place in self.facts.twos]
        used = {bonus for bonus, by in ((EXTRA_HEX, plan.extra), (THIRD_NUMBER, plan.third)) if by is not None}
        steps.sort(key=lambda step: (step.round, step.bonus > 0))
        return History(tuple(steps), frozenset(used))
