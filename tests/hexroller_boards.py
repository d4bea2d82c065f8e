"""Small HexRoller sheets for brute force, and random sheets on any: legal, spoiled, or filled in anyhow."""

from __future__ import annotations

import random
from dataclasses import replace

from hexroller_brute import Case

from scanner.games.hexroller_flags import Checked
from scanner.games.hexroller_layout import Layout, Sheet, layout_of
from scanner.games.hexroller_play import Style, play
from scanner.results import CellReading
from scanner.templates import Template
from scanner.templates.load import parse_template

SMALL = """
schema = 1
id = "small-{rounds}"
title = "Invented"
game = "hexroller"
size = [150, 80]
[hex]
centre = [110, 40]
pitch = 10
values = [2, 8]
printed = {{ {printed} }}
[[hex.areas]]
tag = "area-m"
centre = "q0r0"
radius = 1
[[hex.areas]]
tag = "area-{{n}}"
cells = [{outer}]
turns = 6
[[boxes]]
id = "bonus{{n}}"
kind = "mark"
rect = [5, 5, 8, 8]
count = 3
step = [10, 0]
[[boxes]]
id = "top{{n}}"
kind = "digit"
rect = [5, 30, 8, 8]
count = {rounds}
step = [8, 0]
values = [3, 8]
[[boxes]]
id = "bottom{{n}}"
kind = "digit"
rect = [5, 45, 8, 8]
count = {rounds}
step = [8, 0]
values = [3, 8]
"""
FLOWER = '"q2r0"'
"""With its turns: a ray of one hex at each corner of the middle, 13 hexes."""
RING = '"q2r0", "q1r1"'
"""All hexes two steps from the middle: 19."""
_PRINTED = (
    "q2r0 = 3, q-2r0 = 3, q0r0 = 4, q0r2 = 4",
    "q0r0 = 3, q2r0 = 3, q1r0 = 4, q-1r1 = 4, q0r-2 = 5, q-2r2 = 5",
    "q1r0 = 3, q-1r0 = 3",
    "q0r0 = 3, q2r0 = 4, q-2r0 = 5, q0r2 = 6, q0r-2 = 7, q-1r1 = 8",
)


def small_layout(rounds: int, outer: str = FLOWER, printed: int = 0) -> Layout:
    """An invented sheet of 13 or 19 hexes with one die more than rounds. printed: which of four arrangements."""
    return layout_of(small_template(rounds, outer, printed))


def small_template(rounds: int, outer: str = FLOWER, printed: int = 0) -> Template:
    text = SMALL.format(rounds=rounds, outer=outer, printed=_PRINTED[printed])
    if rounds == 1:
        text = text.replace("count = 1\nstep = [8, 0]\n", "")
    return parse_template(text.encode(), source="small.toml")


def played(layout: Layout, rng: random.Random, *, log: bool) -> Case:
    """The sheet of a legal game in which every round has a number, as on all but the smallest sheets."""
    while True:
        game = play(layout, rng, Style(rng.choice((0.0, 0.3, 0.8)), rng.random()))
        if all(map(any, zip(game.top, game.bottom, strict=True))):
            break
    return Case(layout, game.hexes, game.top, game.bottom, game.used, game.rolls if log else None)


def spoiled(case: Case, rng: random.Random) -> Case:
    """The same sheet with one hex, number, box or bonus altered; it may be legal all the same."""
    layout = case.layout
    what = rng.choice(("hex", "number", "box", "bonus"))
    if what == "bonus":
        bonus = rng.choice((1, 2, 3))
        return replace(case, used=case.used ^ {bonus})
    if what == "box":
        row = rng.choice(("top", "bottom"))
        boxes = list(getattr(case, row))
        at = rng.randrange(len(boxes))
        boxes[at] = rng.choice([number for number in (0, *_numbers(case)) if number != boxes[at]])
        return Case(
            layout,
            case.hexes,
            tuple(boxes) if row == "top" else case.top,
            tuple(boxes) if row == "bottom" else case.bottom,
            case.used,
            case.rolls,
        )
    written = case.written if what == "number" else frozenset(range(len(case.hexes)))
    places = sorted(place for place in written if not layout.printed[place])
    if not places:
        return case
    hexes = list(case.hexes)
    at = rng.choice(places)
    new = 0 if what == "hex" and hexes[at] else rng.choice([number for number in _numbers(case) if number != hexes[at]])
    hexes[at] = new
    return replace(case, hexes=tuple(hexes))


def anyhow(layout: Layout, rng: random.Random, *, log: bool) -> Case:
    """A sheet filled in without regard to the rules, from the sheet's printed numbers only."""
    numbers = [number for number in range(3, 9) if layout.printed_of(number)]
    share = rng.random()
    hexes = [printed or (rng.choice(numbers) if rng.random() < share else 0) for printed in layout.printed]
    pairs = [rng.sample(numbers, 2) if len(numbers) > 1 else [numbers[0], 0] for _ in range(layout.rounds)]
    if rng.random() < 0.2:
        pairs[-1] = [0, 0]
    rolls = None
    if log:
        rolls = tuple(
            tuple(sorted([*filter(None, pair), *rng.choices(numbers, k=layout.dice - sum(map(bool, pair)))]))
            for pair in pairs
        )
    used = frozenset(bonus for bonus in (1, 3) if rng.random() < 0.4)
    return Case(layout, tuple(hexes), tuple(p[0] for p in pairs), tuple(p[1] for p in pairs), used, rolls)


def _numbers(case: Case) -> list[int]:
    """Numbers that occur on the sheet, and one more."""
    found = sorted({number for number in (*case.hexes, *case.top, *case.bottom) if number > 2})
    return [*found, next((number for number in range(3, 9) if number not in found), 3)]


def checked(case: Case) -> Checked:
    """The sheet as the game's flags want it."""
    layout = case.layout
    held: dict[str, int | str | None] = {
        cell: number or None
        for cell, number in (
            *zip(layout.ids, case.hexes, strict=True),
            *zip(layout.top, case.top, strict=True),
            *zip(layout.bottom, case.bottom, strict=True),
        )
    }
    held |= {mark: "x" if bonus in case.used else None for bonus, mark in layout.bonuses}

    def read(cell: str) -> CellReading:
        return CellReading(cell, held[cell], "blank" if held[cell] is None else "read")

    return Checked(Sheet(case.hexes, case.top, case.bottom, case.used), layout, read, case.rolls)
