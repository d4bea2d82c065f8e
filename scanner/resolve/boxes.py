"""What the boxes for a player's claims say, weighed with the board and with each other.

A box says what the board gives, unless the player miscounted; the total is the sum of the other boxes, unless the
player added up wrongly; and some leave boxes empty. So specks in an empty box are no number, and boxes that say
something else than the board, but agree among each other, were read rightly. What was read stays, only how sure that is
changes.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scanner.board import ReadBoard
from scanner.games.base import TallyBoxes
from scanner.resolve.sums import CHECKED, READ_FROM
from scanner.resolve.tally import JUST_THIS, MISCOUNTED
from scanner.results import CellReading

UNSETTLED = 0.3
"""Instead of `MISCOUNTED` where cells of the board are unclear, so that it may be the board that is wrong."""
EMPTY = 0.3
"""How often a box is left empty."""
ALONE = 0.05
"""How likely a box for points is to be filled in where no other box is, against where some are."""
REST = "?"
"""The option that stands for all readings of a box that aren't listed."""
DIGITS = 4

_Sums = dict[int | None, float]
"""Probabilities of what some boxes add up to; null where that isn't known."""


@dataclass(frozen=True, slots=True)
class _Option:
    """One thing a box may hold. number: null for none. adds: to the sum, null where nobody knows."""

    name: str
    number: int | None
    adds: int | None
    weight: float


def weighed_boxes(board: ReadBoard, boxes: TallyBoxes, counted: Mapping[str, int], *, settled: bool) -> ReadBoard:
    """The board with the readings of its boxes weighed. counted: what each has to say; settled: for sure."""
    if all(board.cells[box].unseen for box in counted):
        return board
    filled = any(isinstance(board.cells[box].value, int) for box in boxes.parts)
    alone = 1.0 if filled or any(isinstance(board.cells[box].value, int) for box in counted) else ALONE
    miscounted = MISCOUNTED if settled else UNSETTLED
    parts = {
        box: _options(board.cells[box], counted[box], miscounted, 0 if filled else counted[box], alone)
        for box in boxes.parts
    }
    given = [] if boxes.total is None else _total_options(board.cells[boxes.total])
    weighed: dict[str, CellReading] = {}
    for box, options in parts.items():
        others = _sums([own for other, own in parts.items() if other != box])
        shares = {
            option.name: option.weight
            * math.fsum(p * _agreement(given, _plus(total, option.adds)) for total, p in others.items())
            for option in options
        }
        weighed[box] = _with_shares(board.cells[box], shares)
    if boxes.total is not None:
        ways = _sums(list(parts.values()))
        shares = {
            option.name: math.fsum(p * _agreement([option], total) for total, p in ways.items()) for option in given
        }
        weighed[boxes.total] = _with_shares(board.cells[boxes.total], shares)
    return ReadBoard(board.template, {**board.cells, **weighed})


def _listed(box: CellReading) -> list[tuple[str, int | None, float]]:
    """Readings of a box, the reported one first: name, number, probability."""
    if box.unseen or box.state == "unreadable":
        return []
    if box.state == "answered" and isinstance(box.value, int):
        return [(str(box.value), box.value, 1.0)]
    first = (str(box.value), box.value) if isinstance(box.value, int) else (str(box.state), None)
    others = [(name, int(name) if name.isdigit() else None, float(p)) for name, p in box.alternatives.items() if p > 0]
    return [(*first, float(box.confidence)), *others]


def _options(box: CellReading, counted: int, miscounted: float, if_empty: int, alone: float) -> list[_Option]:
    """What a box for points may hold. if_empty: what an empty one adds to the sum. alone: see `ALONE`."""
    listed = _listed(box)
    options = [
        _Option(
            name,
            number,
            if_empty if number is None else number,
            p * _chance(number, counted, miscounted) * (1.0 if number is None else alone),
        )
        for name, number, p in listed
    ]
    rest = max(0.0, 1.0 - math.fsum(p for _, _, p in listed))
    if not listed:
        return [_Option(REST, None, counted, 1.0 - miscounted), _Option(REST, None, None, miscounted)]
    return [*options, _Option(REST, None, None, rest * miscounted * alone)]


def _total_options(box: CellReading) -> list[_Option]:
    listed = _listed(box)
    rest = max(0.0, 1.0 - math.fsum(p for _, _, p in listed))
    return [*(_Option(name, number, number, p) for name, number, p in listed), _Option(REST, None, None, rest)]


def _chance(number: int | None, counted: int, miscounted: float) -> float:
    if number is None:
        return EMPTY
    return 1.0 - miscounted if number == counted else miscounted * JUST_THIS


def _agreement(given: Sequence[_Option], total: int | None) -> float:
    """How probable it is that the box for the total looks as it does if the others add up to `total`."""
    if not given:
        return 1.0
    shares = []
    for option in given:
        if option.name == REST:
            shares.append(option.weight * MISCOUNTED)
        elif option.number is None:
            shares.append(option.weight * EMPTY)
        elif total is None:
            shares.append(option.weight * MISCOUNTED)
        else:
            shares.append(option.weight * (1.0 - MISCOUNTED if option.number == total else MISCOUNTED * JUST_THIS))
    return math.fsum(shares)


def _plus(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _sums(boxes: Sequence[Sequence[_Option]]) -> _Sums:
    ways: _Sums = {0: 1.0}
    for options in boxes:
        grown: dict[int | None, float] = defaultdict(float)
        for total, p in ways.items():
            for option in options:
                grown[_plus(total, option.adds)] += p * option.weight
        ways = grown
    return ways


def _with_shares(box: CellReading, shares: Mapping[str, float]) -> CellReading:
    """The box with other probabilities, that of what was read first. It stays, however little is left of it."""
    whole = math.fsum(shares.values())
    if box.state in ("answered", "unreadable") or not whole > 0:
        return box
    (_, share), *others = shares.items()
    kept = max(share / whole, 0.5)
    scale = (1.0 - kept) / (whole - share) if whole > share else 0.0
    confidence = round(min(kept, max(CHECKED, box.confidence)), DIGITS)
    rounded = {name: round(p * scale, DIGITS) for name, p in sorted(others, key=lambda other: -other[1])}
    alternatives = {name: p for name, p in rounded.items() if name != REST and p > 0}
    state = box.state
    if box.value is not None:
        state = "read" if confidence >= READ_FROM else "doubtful"
    return replace(box, state=state, confidence=confidence, alternatives=alternatives)
