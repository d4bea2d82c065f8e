"""How far the total of a HexRoller sheet may go while some of its cells are unsure, line by line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scanner.games.hexroller_layout import NUMBERS, Layout, Sheet
from scanner.games.hexroller_scoring import UNUSED_BONUS, connection, straight_points

Options = Sequence[frozenset[int]]
"""What each place may hold, 0 for nothing that counts; known places have one option."""


@dataclass(frozen=True, slots=True)
class Possible:
    """What the hexes and the boxes of both rows may hold, and for each bonus of the sheet whether it may be used."""

    hexes: Options
    top: Options
    bottom: Options
    used: Sequence[frozenset[bool]]


def bounds(possible: Possible, layout: Layout) -> tuple[int, int]:
    """Limits of the total whatever the unsure cells hold; perhaps wider than the truth."""
    low = UNUSED_BONUS * sum(True not in may for may in possible.used)
    high = UNUSED_BONUS * sum(False in may for may in possible.used)
    for area in layout.areas:
        least, most = _area([possible.hexes[place] for place in area.cells])
        low += least * (1 + area.is_middle)
        high += most * (1 + area.is_middle)
    for number in NUMBERS:
        low += number * _joined(number, [may == {number} for may in possible.hexes], layout)
        high += number * _joined(number, [number in may for may in possible.hexes], layout)
    for row in (possible.top, possible.bottom):
        low += straight_points([next(iter(may)) for may in row if len(may) == 1])
        high += straight_points([number for may in row for number in may])
    return low, high


def _area(hexes: Options) -> tuple[int, int]:
    """Limits of the points of an area, not doubled: nothing if it may stay unfilled, else what may be most common."""
    if any(may == {0} for may in hexes) or not hexes:
        return 0, 0
    known = Counter(next(iter(may)) for may in hexes if len(may) == 1)
    may_be = Counter(number for may in hexes for number in may if number)
    winners = [
        number
        for number, most in may_be.items()
        if all((most, number) >= (least, other) for other, least in known.items())
    ]
    return 0 if any(0 in may for may in hexes) else min(winners), max(winners)


def _joined(number: int, held: Sequence[bool], layout: Layout) -> bool:
    hexes = tuple(number if may or printed == number else 0 for may, printed in zip(held, layout.printed, strict=True))
    return bool(connection(number, replace(_NOTHING, hexes=hexes), layout))


_NOTHING = Sheet((), (), (), frozenset())
