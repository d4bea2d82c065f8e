"""Which readings of several unsure numbers make all their sums right: an exact search.

Parts of a sum that no other sum uses are not tried in all combinations: for each number that they may add up to, only
their most probable readings count (`_Block`), found part by part. So many unsure parts take little time, and still
nothing is left out: for every reading of every part the probability of the best combination with it is exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from scanner.results import PLAUSIBLE
from scanner.templates.formulas import Formula, Sum

Number = int | Literal["nothing", "unknown"]
"""What a reading means in a sum: a number, an empty or struck field, or something that nobody can add up."""

BELIEVABLE = 0.03
"""How probable the reading that makes the sums right has to be, against the most probable one: with less, a mistake in
adding up explains it as well (about one sum in thirty is wrong, and one in twenty of those by just the difference)."""
FLOOR = BELIEVABLE * PLAUSIBLE
"""Combinations less probable than this, against the most probable one, change nothing in the result."""
MOST_STEPS = 200_000
"""Steps after which the search gives up and finds that nothing fits."""
NOT_THERE: tuple[tuple[Number, float], ...] = (("nothing", 1.0),)
"""The options of a row that has no cell in a column."""


@dataclass(frozen=True, slots=True)
class Part:
    """A row of a column. options: what may be written in it, and how probable against the most probable option.

    formula: null for a row that stands for itself; else, where nothing is written, what it gives stands for the row.
    checked: whether a written number has to be what the formula gives.
    """

    row: str
    options: tuple[tuple[Number, float], ...]
    formula: Formula | None
    checked: bool = True


class Fits:
    """The combinations of options that make all sums right.

    parts: each after those that its formula uses, no row twice.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = {part.row: part for part in parts}
        self._best_with: dict[str, list[float]] = {part.row: [0.0] * len(part.options) for part in parts}
        self._best = 0.0
        self._steps = 0
        self._blocks = self._find_blocks()
        inside = {row for block in self._blocks.values() for row in block.rows}
        self._order = [part for part in parts if part.row not in inside]
        gave_up = not self._search(0, 1.0, {}, {}, {})
        for block in self._blocks.values():
            for row, weights in block.best_with(0.0 if gave_up else PLAUSIBLE * self._best).items():
                self._best_with[row] = weights
        if gave_up:
            self._best = 0.0

    @property
    def found(self) -> bool:
        """Whether any combination fits that is believable."""
        return self._best >= BELIEVABLE * (1 - 1e-9)

    def of(self, row: str) -> tuple[bool, ...]:
        """For each option of a row whether it is in a plausible combination that fits.

        Plausible: not less than `PLAUSIBLE` times the most probable one that fits, which has to be `BELIEVABLE` itself.
        """
        weights = self._best_with[row]
        return tuple(self.found and weight >= PLAUSIBLE * (1 - 1e-9) * self._best for weight in weights)

    def _find_blocks(self) -> dict[str, _Block]:
        """By the row of a sum its parts that have several options, stand for themselves, and serve no other row."""
        users: dict[str, int] = {}
        for part in self._parts.values():
            for used in part.formula.uses if part.formula else ():
                users[used] = users.get(used, 0) + 1
        blocks: dict[str, _Block] = {}
        for part in self._parts.values():
            if isinstance(part.formula, Sum):
                inner = [self._parts[used] for used in part.formula.uses]
                own = [one for one in inner if one.formula is None and len(one.options) > 1 and users[one.row] == 1]
                if own:
                    blocks[part.row] = _Block(own)
        return blocks

    def _search(
        self, place: int, weight: float, values: dict[str, int], chosen: dict[str, int], sums: dict[str, int]
    ) -> bool:
        """Tries all options from the part at `place` on; False when that takes too long.

        values: what the rows before stand for. chosen: their options. sums: what the blocks add up to.
        """
        self._steps += 1
        if self._steps > MOST_STEPS:
            return False
        if place == len(self._order):
            self._found(weight, chosen, sums)
            return True
        part = self._order[place]
        block = self._blocks.get(part.row)
        known = None if part.formula is None else self._given(part, values, block)
        for index, (number, ratio) in enumerate(part.options):
            for value, total, share in _ways(part, number, known, block):
                lighter = weight * ratio * share
                if lighter < max(FLOOR, PLAUSIBLE * self._best) * (1 - 1e-9):
                    continue
                values[part.row], chosen[part.row] = value, index
                if block is not None:
                    sums[part.row] = total
                if not self._search(place + 1, lighter, values, chosen, sums):
                    return False
        return True

    def _given(self, part: Part, values: Mapping[str, int], block: _Block | None) -> int:
        """What a formula gives, without the parts of its block."""
        inside = block.rows if block is not None else frozenset[str]()
        return part.formula.value(lambda row: 0 if row in inside else values[row]) if part.formula else 0

    def _found(self, weight: float, chosen: Mapping[str, int], sums: Mapping[str, int]) -> None:
        self._best = max(self._best, weight)
        for row, index in chosen.items():
            self._best_with[row][index] = max(self._best_with[row][index], weight)
        for row, total in sums.items():
            self._blocks[row].reached(total, weight)


def _ways(part: Part, number: Number, known: int | None, block: _Block | None) -> Sequence[tuple[int, int, float]]:
    """How a row can hold a number: what it stands for then, what its block adds up to, and the probability of that.

    known: what its formula gives without the block, null for a row that stands for itself.
    """
    if number == "unknown":
        return ()
    if known is None or (number != "nothing" and not part.checked):
        value = 0 if number == "nothing" else number
        return tuple((value, *way) for way in block.totals.items()) if block is not None else ((value, 0, 1.0),)
    if block is None:
        return ((known, 0, 1.0),) if number in ("nothing", known) else ()
    if number == "nothing":
        return tuple((known + total, total, share) for total, share in block.totals.items())
    share = block.totals.get(number - known, 0.0)
    return ((number, number - known, share),) if share else ()


class _Block:
    """Parts of one sum that concern no other: what they may add up to, and the best probability of each total."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        self.rows = frozenset(part.row for part in parts)
        self._before: list[dict[int, float]] = [{0: 1.0}]
        for part in parts:
            totals: dict[int, float] = {}
            for total, share in self._before[-1].items():
                for number, ratio in part.options:
                    if number != "unknown" and share * ratio >= FLOOR * (1 - 1e-9):
                        new = total + (0 if number == "nothing" else number)
                        totals[new] = max(totals.get(new, 0.0), share * ratio)
            self._before.append(totals)
        self._outside: dict[int, float] = {}

    @property
    def totals(self) -> Mapping[int, float]:
        """What the parts may add up to, and how probable that is at best."""
        return self._before[-1]

    def reached(self, total: int, weight: float) -> None:
        """A combination fits in which the parts add up to `total`. weight: of all of it."""
        outside = weight / self.totals[total]
        self._outside[total] = max(self._outside.get(total, 0.0), outside)

    def best_with(self, least: float) -> dict[str, list[float]]:
        """By row, for each option how probable the best combination with it is that fits; below `least` perhaps 0."""
        after, found = self._outside, {}
        for place in reversed(range(len(self._parts))):
            part = self._parts[place]
            weights = [0.0] * len(part.options)
            earlier: dict[int, float] = {}
            for total, share in self._before[place].items():
                for index, (number, ratio) in enumerate(part.options):
                    if number == "unknown":
                        continue
                    rest = ratio * after.get(total + (0 if number == "nothing" else number), 0.0)
                    if share * rest >= least * (1 - 1e-9):
                        weights[index] = max(weights[index], share * rest)
                        earlier[total] = max(earlier.get(total, 0.0), rest)
            found[part.row] = weights
            after = earlier
        return found
