"""What a history of a HexRoller sheet has to explain: the written hexes by number, the rounds, the rolls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from scanner.games.hexroller_chains import Growth, growth_of
from scanner.games.hexroller_layout import NUMBERS, WRITES_TWO, Layout, Sheet, hexes_by_number


@dataclass(frozen=True, slots=True)
class Round:
    """What is known of a round. numbers: those in the record boxes, none to two. counts: of each number rolled, by
    `NUMBERS`; null without a roll."""

    numbers: tuple[int, ...]
    counts: tuple[int, ...] | None = None

    @property
    def thirds(self) -> tuple[int, ...]:
        """The numbers that bonus 3 may have added: none in a round with one number, or it had been the second."""
        if len(set(self.numbers)) < 2:
            return ()
        return tuple(number for number in NUMBERS if number not in self.numbers and self.rolled(number) != 0)

    def rolled(self, number: int) -> int | None:
        """How many dice show a number; null where that isn't known."""
        return None if self.counts is None else self.counts[number - NUMBERS.start]


@dataclass(frozen=True, slots=True)
class Facts:
    """What a history has to explain.

    written: the written hexes of each number of `NUMBERS`, as indices of the layout's. rounds: as far as they were
    played. twos: the hexes that hold a bonus's 2. free: rounds whose lengths are not tied to the dice.
    """

    layout: Layout
    written: tuple[tuple[int, ...], ...]
    rounds: tuple[Round, ...]
    dice: int
    twos: tuple[int, ...] = ()
    free: frozenset[int] = frozenset()

    def rounds_of(self, number: int) -> tuple[int, ...]:
        """The rounds, from 0, in which a number is recorded (twice the same where both boxes hold it)."""
        return tuple(at for at, one in enumerate(self.rounds) for held in one.numbers if held == number)

    def growth(self, number: int) -> Growth:
        """The number's written hexes."""
        return _growth(self.layout, number, self.written[number - NUMBERS.start])


def facts_of(sheet: Sheet, layout: Layout, rolls: Sequence[Sequence[int]] | None) -> Facts:
    """What a history of this sheet has to explain. rolls: the log, perhaps of fewer rounds than were played.

    A recorded number that the roll doesn't have counts as if there were no roll: that is another mistake than this.
    """
    by_number = hexes_by_number(sheet, layout)
    pairs = [tuple(number for number in pair if number) for pair in zip(sheet.top, sheet.bottom, strict=True)]
    while pairs and not pairs[-1]:
        pairs.pop()
    rounds = []
    for at, numbers in enumerate(pairs):
        counts = None
        if rolls is not None and at < len(rolls) and all(number in rolls[at] for number in numbers):
            counts = tuple(list(rolls[at]).count(number) for number in NUMBERS)
        rounds.append(Round(numbers, counts))
    return Facts(
        layout=layout,
        written=tuple(by_number[number] for number in NUMBERS),
        rounds=tuple(rounds),
        dice=layout.dice,
        twos=by_number[WRITES_TWO],
    )


@lru_cache(maxsize=4096)
def _growth(layout: Layout, number: int, hexes: tuple[int, ...]) -> Growth:
    return growth_of(hexes, layout.neighbours, layout.printed_of(number))


def forget_numbers() -> None:
    """Drops what was found out about the numbers of earlier sheets."""
    _growth.cache_clear()
