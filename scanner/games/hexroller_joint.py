"""The lengths that tie the numbers of a HexRoller sheet together: in a round they add up to at most the dice.

From quick to exact: sums that can't fit at all; the numbers one after the other, each with what the earlier ones left;
lengths that only have to add up, in the hope that each number has chains of these lengths; and all rounds in turn with
everything that each number may have written so far.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from scanner.games.hexroller_chains import Chains, Growth, Hexes, Slot, Undecided, bits


@dataclass(frozen=True, slots=True)
class Part:
    """A number's slots in the order of the rounds.

    rounds: of each slot, from 0. third: which slot is bonus 3's, null if none is. extra: it has bonus 1's hex.
    """

    number: int
    growth: Growth
    slots: tuple[Slot, ...]
    rounds: tuple[int, ...]
    third: int | None
    extra: bool

    @property
    def hexes(self) -> int:
        """How many hexes its chains write, without the extra one."""
        return len(self.growth.near) - self.extra

    @property
    def works(self) -> bool:
        """Whether chains fill its slots, whatever the other numbers do."""
        return self.growth.arranged(self.slots, extra=self.extra) is not None


@dataclass(frozen=True, slots=True)
class _Place:
    """A slot of a part, both by index."""

    part: int
    slot: int


@dataclass(frozen=True, slots=True)
class _State:
    """What a number may have written so far. extra: its extra hex is still to come."""

    done: Hexes
    extra: bool


@dataclass(slots=True)
class Budget:
    """How many states may still be looked at; `Undecided` when they are used up."""

    states: int = 25_000

    def spend(self) -> None:
        """One state more."""
        self.states -= 1
        if self.states < 0:
            raise Undecided


Names = tuple[int, ...]
"""For each part the set of states it is in: an index into those that were met."""
Lengths = Mapping[_Place, int]


class Joint:
    """Numbers that share rounds."""

    def __init__(self, parts: Sequence[Part], limits: Mapping[int, int]) -> None:
        """limits: by round, from 0, what its lengths add up to at most; rounds that aren't tied are not in it."""
        self.parts = tuple(parts)
        self.places: dict[int, list[_Place]] = {}
        for at, part in enumerate(self.parts):
            for slot, number in enumerate(part.rounds):
                self.places.setdefault(number, []).append(_Place(at, slot))
        self.rounds = sorted(self.places)
        # a number alone in a round is limited by its slot
        shared = [number for number, places in self.places.items() if len(places) > 1]
        self.limits = {number: limits[number] for number in shared if number in limits}
        self._states = _States(self.parts)
        self._failed: set[tuple[int, Names]] = set()

    def quickly(self) -> tuple[Chains, ...] | None:
        """Chains for each part that fit together, if no search is needed. Each part has to work by itself."""
        if not self.limits:
            return self._in_turn()  # the numbers don't depend on each other: null means that there are none
        return self._in_turn() or self._by_even_shares() if self._sums_fit() else None

    def exactly(self, budget: Budget) -> tuple[Chains, ...] | None:
        """Chains for each part that fit together, null if there are none. Raises `Undecided` beyond the budget."""
        if not self.limits or not self._sums_fit():
            return self.quickly()
        self._states.budget = budget
        lengths = self._rest(0, tuple(self._states.first(at) for at in range(len(self.parts))))
        if lengths is None:
            return None
        found = []
        for at in range(len(self.parts)):
            chains = self._arranged(at, lengths)
            if chains is None:
                raise AssertionError("the states of a number promise chains that aren't there")
            found.append(chains)
        return tuple(found)

    def _slot(self, place: _Place) -> Slot:
        return self.parts[place.part].slots[place.slot]

    # ---- sums

    def _sums_fit(self) -> bool:
        """False if some of the numbers have more hexes than their rounds have room for."""
        every = range(len(self.parts))
        sets = itertools.chain.from_iterable(itertools.combinations(every, size) for size in range(1, len(every) + 1))
        return all(sum(self.parts[at].hexes for at in some) <= self._room(frozenset(some)) for some in sets)

    def _room(self, some: frozenset[int]) -> int:
        """How many hexes these parts may write at most, if the others write as few as they must."""
        room = 0
        for number, places in self.places.items():
            mine = sum(self._slot(place).most for place in places if place.part in some)
            if mine and number in self.limits:
                others = sum(self._slot(place).least for place in places if place.part not in some)
                mine = min(mine, self.limits[number] - others)
            room += mine
        return room

    # ---- one number after the other

    def _in_turn(self) -> tuple[Chains, ...] | None:
        """Each number with what the earlier ones left, those with most hexes first; null if that fails."""
        taken: dict[_Place, int] = {}
        found: dict[int, Chains] = {}
        for at in sorted(range(len(self.parts)), key=lambda at: -self.parts[at].hexes):
            part = self.parts[at]
            slots = [
                replace(slot, most=min(slot.most, self._left(number, _Place(at, index), taken)))
                for index, (slot, number) in enumerate(zip(part.slots, part.rounds, strict=True))
            ]
            chains = part.growth.arranged(slots, extra=part.extra)
            if chains is None:
                return None
            found[at] = chains
            taken.update((_Place(at, index), len(line)) for index, line in enumerate(chains.chains))
        return tuple(found[at] for at in range(len(self.parts)))

    def _left(self, number: int, mine: _Place, taken: Lengths) -> int:
        """What a round leaves for one of its places, if those that nobody has chosen yet take as little as they can."""
        if number not in self.limits:
            return self._slot(mine).most
        others = (place for place in self.places[number] if place != mine)
        return self.limits[number] - sum(taken.get(place, self._slot(place).least) for place in others)

    # ---- lengths that add up

    def _by_even_shares(self) -> tuple[Chains, ...] | None:
        """Lengths as even as they get while they add up; null if some number has no chains of just these lengths."""
        for turn in range(len(self.parts)):
            order = [(turn + at) % len(self.parts) for at in range(len(self.parts))]
            lengths = self._shares(order)
            found = [None if lengths is None else self._arranged(at, lengths) for at in range(len(self.parts))]
            chains = tuple(one for one in found if one is not None)
            if len(chains) == len(self.parts):
                return chains
        return None

    def _shares(self, order: Sequence[int]) -> dict[_Place, int] | None:
        """A length for every place, hex by hex: where a round is full, a hex that is there moves to another round."""
        lengths = {place: self._slot(place).least for places in self.places.values() for place in places}
        for at in order:
            part = self.parts[at]
            for _ in range(part.hexes - sum(slot.least for slot in part.slots)):
                moves = self._moves(at, lengths)
                if moves is None:
                    return None
                for place, change in moves:
                    lengths[place] += change
        return lengths

    def _moves(self, at: int, lengths: Lengths) -> list[tuple[_Place, int]] | None:
        """Changes by one hex that let a part write one more: the shortest list, to the emptiest round; null if none.

        A search by breadth over the places that are to grow, from those of the part itself.
        """
        mine = [_Place(at, slot) for slot in range(len(self.parts[at].slots))]
        reached: dict[_Place, list[tuple[_Place, int]]] = {}
        level = {place: [(place, 1)] for place in mine if lengths[place] < self._slot(place).most}
        while level:
            reached |= level
            done = [place for place in level if self._space(place, lengths) > 0]
            if done:
                return level[max(done, key=lambda place: (self._space(place, lengths), -lengths[place]))]
            following: dict[_Place, list[tuple[_Place, int]]] = {}
            for place, moves in level.items():
                number = self.parts[place.part].rounds[place.slot]
                for other in self.places[number]:
                    if other.part == place.part or lengths[other] <= self._slot(other).least:
                        continue
                    for slot in range(len(self.parts[other.part].slots)):
                        further = _Place(other.part, slot)
                        if further not in reached and lengths[further] < self._slot(further).most:
                            following.setdefault(further, [*moves, (other, -1), (further, 1)])
            level = following
        return None

    def _space(self, place: _Place, lengths: Lengths) -> int:
        """How many hexes more a place's round takes."""
        number = self.parts[place.part].rounds[place.slot]
        if number not in self.limits:
            return self._slot(place).most - lengths[place]
        return self.limits[number] - sum(lengths[other] for other in self.places[number])

    def _arranged(self, at: int, lengths: Lengths) -> Chains | None:
        """Chains of a part with these lengths, where there are any for its places."""
        part = self.parts[at]
        slots = []
        for index, slot in enumerate(part.slots):
            exact = lengths.get(_Place(at, index))
            slots.append(slot if exact is None else Slot(exact, exact, slot.extra))
        return part.growth.arranged(slots, extra=part.extra)

    # ---- all rounds in turn

    def _rest(self, turn: int, names: Names) -> Lengths | None:
        """The lengths of all tied rounds from the one at `turn` on; null if there is no way on."""
        if turn == len(self.rounds):
            return {} if self._states.are_done(names) else None
        if (turn, names) in self._failed:
            return None
        number = self.rounds[turn]
        places = self.places[number]
        for lengths, after in self._choices(places, self.limits.get(number), names):
            if (rest := self._rest(turn + 1, after)) is not None:
                return {**lengths, **rest}
        self._failed.add((turn, names))
        return None

    def _choices(self, places: Sequence[_Place], limit: int | None, names: Names) -> Iterator[tuple[Lengths, Names]]:
        """What may happen in a round: lengths, none where it isn't tied, and the states behind them."""
        if not places:
            yield {}, names
            return
        place, others = places[0], places[1:]
        name = names[place.part]
        if limit is None:
            after = self._states.after_any(place, name)
            options = [] if after is None else [(0, after)]
        else:
            least = sum(self._slot(other).least for other in others)
            options = self._states.after_each(place, name, limit - least)
        for length, after in options:
            later = (*names[: place.part], after, *names[place.part + 1 :])
            left = None if limit is None else limit - length
            for lengths, end in self._choices(others, left, later):
                yield ({place: length, **lengths} if length else lengths), end


class _States:
    """Sets of states by name, and what follows on them; only states from which their number can be finished."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = parts
        self.budget = Budget()
        self._met: list[frozenset[_State]] = []
        self._name_of: dict[frozenset[_State], int] = {}
        self._known: dict[tuple[_Place, int, int], int | None] = {}

    def first(self, at: int) -> int:
        """The name of nothing written."""
        return self._name(frozenset({_State(0, self.parts[at].extra)}))

    def are_done(self, names: Names) -> bool:
        """Whether everything is written; no other state is left behind the last slot."""
        return all(
            names[at] == self._name(frozenset({_State(part.growth.every, False)})) for at, part in enumerate(self.parts)
        )

    def after_each(self, place: _Place, name: int, limit: int) -> list[tuple[int, int]]:
        """Each length up to `limit` that leads on, with the name of what follows; the usual lengths first."""
        slot = self.parts[place.part].slots[place.slot]
        left = min((self.parts[place.part].growth.every & ~state.done).bit_count() for state in self._met[name])
        usual = left / (len(self.parts[place.part].slots) - place.slot)
        lengths = sorted(range(slot.least, min(slot.most, limit) + 1), key=lambda length: abs(length - usual))
        found = ((length, self._after(place, name, length)) for length in lengths)
        return [(length, after) for length, after in found if after is not None]

    def after_any(self, place: _Place, name: int) -> int | None:
        """The name of what may follow whatever the length; null if nothing does."""
        slot = self.parts[place.part].slots[place.slot]
        states: set[_State] = set()
        for length in range(slot.least, min(slot.most, len(self.parts[place.part].growth.near)) + 1):
            after = self._after(place, name, length)
            states |= frozenset() if after is None else self._met[after]
        return self._name(frozenset(states)) if states else None

    def _name(self, states: frozenset[_State]) -> int:
        name = self._name_of.setdefault(states, len(self._met))
        if name == len(self._met):
            self._met.append(states)
        return name

    def _after(self, place: _Place, name: int, length: int) -> int | None:
        key = (place, name, length)
        if key not in self._known:
            states = frozenset(self._follow(place, name, length))
            self._known[key] = self._name(states) if states else None
        return self._known[key]

    def _follow(self, place: _Place, name: int, length: int) -> Iterator[_State]:
        part = self.parts[place.part]
        rest = part.slots[place.slot + 1 :]
        for state in self._met[name]:
            for done in part.growth.steps(state.done, length):
                self.budget.spend()
                if _can_finish(part.growth, rest, done, state.extra):
                    yield _State(done, state.extra)
                if state.extra and part.slots[place.slot].extra:
                    for extra in bits(part.growth.around(done)):
                        if _can_finish(part.growth, rest, done | 1 << extra, False):
                            yield _State(done | 1 << extra, False)


def _can_finish(growth: Growth, rest: Sequence[Slot], done: Hexes, extra: bool) -> bool:
    """Whether the slots that are left have room for what is left, and enough chains can cover it."""
    left = (growth.every & ~done).bit_count() - extra
    if not sum(slot.least for slot in rest) <= left <= sum(slot.most for slot in rest):
        return False
    return (bool(rest) or not extra) and growth.coverable(len(rest) + extra, done)
