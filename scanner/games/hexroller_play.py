"""A player that plays HexRoller at random but by the rules: sheets for generated photos, tests and benchmarks.

It plays forwards, a round at a time, and shares nothing with the search that judges finished sheets.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from scanner.board import MADE
from scanner.games.hexroller_layout import (
    BONUS_NUMBER,
    EXTRA_HEX,
    HIGHEST,
    LOWEST,
    THIRD_NUMBER,
    WRITES_TWO,
    Layout,
)
from scanner.results import Value


@dataclass(frozen=True, slots=True)
class Move:
    """Hexes written one after the other. round: from 1. hexes: indices, in order. bonus: by which, 0 for none."""

    round: int
    number: int
    hexes: tuple[int, ...]
    bonus: int = 0


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game to its end. hexes: every hex's number, the printed ones too, 0 for empty. top, bottom: 0 for empty."""

    hexes: tuple[int, ...]
    top: tuple[int, ...]
    bottom: tuple[int, ...]
    used: frozenset[int]
    rolls: tuple[tuple[int, ...], ...]
    moves: tuple[Move, ...]

    def contents(self, layout: Layout) -> Mapping[str, Value | None]:
        """What stands in each hex, record box and bonus, by id; null for nothing."""
        cells: dict[str, Value | None] = {
            cell: number or None
            for cell, number in (
                *zip(layout.ids, self.hexes, strict=True),
                *zip(layout.top, self.top, strict=True),
                *zip(layout.bottom, self.bottom, strict=True),
            )
        }
        cells.update((mark, MADE if bonus in self.used else None) for bonus, mark in layout.bonuses)
        return cells


@dataclass(frozen=True, slots=True)
class Style:
    """How somebody plays. bonus: chance to use one in a round. greed: chance to pick a number with the most dice."""

    bonus: float = 0.3
    greed: float = 0.5


def play(layout: Layout, rng: random.Random, style: Style | None = None) -> PlayedGame:
    """A random game; the same state of `rng` gives the same game."""
    table = _Table(layout, rng, style or Style())
    for number in range(1, layout.rounds + 1):
        table.play_round(number)
    return PlayedGame(
        tuple(table.hexes),
        tuple(table.top),
        tuple(table.bottom),
        frozenset(table.used),
        tuple(table.rolls),
        tuple(table.moves),
    )


@dataclass(slots=True)
class _Table:
    """A game that is being played."""

    layout: Layout
    rng: random.Random
    style: Style
    hexes: list[int] = field(init=False)
    top: list[int] = field(default_factory=list)
    bottom: list[int] = field(default_factory=list)
    used: set[int] = field(default_factory=set)
    rolls: list[tuple[int, ...]] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.hexes = list(self.layout.printed)

    def play_round(self, number: int) -> None:
        roll = tuple(sorted(self.rng.randint(LOWEST, HIGHEST) for _ in range(self.layout.dice)))
        self.rolls.append(roll)
        counts = Counter(roll)
        picked: list[int] = []
        while len(picked) < 2 and self._pick(number, counts, picked):
            pass
        boxes = [*picked, 0, 0][:2]
        self.rng.shuffle(boxes)
        self.top.append(boxes[0])
        self.bottom.append(boxes[1])
        left = [bonus for bonus, _ in self.layout.bonuses if bonus not in self.used]
        if left and self.rng.random() < self.style.bonus:
            self._use(self.rng.choice(left), number, counts, picked)

    def _pick(self, round_number: int, counts: Counter[int], picked: list[int], bonus: int = 0) -> bool:
        """Writes a number that was rolled and not picked yet; false if none of them has room."""
        numbers = [number for number in counts if number not in picked]
        self.rng.shuffle(numbers)
        if self.rng.random() < self.style.greed:
            numbers.sort(key=lambda number: -counts[number])
        for number in numbers:
            chain = self._chain(number, counts[number])
            if chain:
                self._write(Move(round_number, number, chain, bonus))
                picked.append(number)
                return True
        return False

    def _use(self, bonus: int, round_number: int, counts: Counter[int], picked: list[int]) -> None:
        if bonus == THIRD_NUMBER:
            if len(picked) == 2 and self._pick(round_number, counts, picked, bonus):
                self.used.add(bonus)
            return
        free = [place for place, number in enumerate(self.hexes) if not number]
        written = BONUS_NUMBER
        if bonus == EXTRA_HEX and picked:
            written = self.rng.choice(picked)
            free = [place for place in free if self._touches(place, written)]
        if free and (bonus == WRITES_TWO or picked):
            self._write(Move(round_number, written, (self.rng.choice(free),), bonus))
            self.used.add(bonus)

    def _write(self, move: Move) -> None:
        for place in move.hexes:
            self.hexes[place] = move.number
        self.moves.append(move)

    def _touches(self, place: int, number: int) -> bool:
        return any(self.hexes[near] == number for near in self.layout.neighbours[place])

    def _chain(self, number: int, length: int) -> tuple[int, ...]:
        """A random line of empty hexes that starts beside the number; empty if there is none."""
        starts = [place for place, held in enumerate(self.hexes) if not held and self._touches(place, number)]
        return next(self._lines((), starts, length), ())

    def _lines(self, begun: tuple[int, ...], onward: Sequence[int], length: int) -> Iterator[tuple[int, ...]]:
        if len(begun) == length:
            yield begun
            return
        for place in self.rng.sample(onward, len(onward)):
            further = [
                near
                for near in self.layout.neighbours[place]
                if not self.hexes[near] and near not in begun and near != place
            ]
            yield from self._lines((*begun, place), further, length)
