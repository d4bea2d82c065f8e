"""What a HexRoller sheet's lattice and boxes mean (areas, printed numbers, rounds, bonuses), and what is on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from scanner.board import MADE
from scanner.errors import TemplateError
from scanner.geometry import Hex

if TYPE_CHECKING:
    from scanner.board import ReadBoard
    from scanner.templates import Template

LOWEST, HIGHEST = 3, 8
NUMBERS = range(LOWEST, HIGHEST + 1)
"""What dice show."""
BONUS_NUMBER = 2
"""What the second bonus writes."""
EXTRA_HEX, WRITES_TWO, THIRD_NUMBER = 1, 2, 3
"""The bonuses, by their numbers: one more hex of a number picked in the round, the 2, a third number."""
BONUSES = (EXTRA_HEX, WRITES_TWO, THIRD_NUMBER)
MIDDLE_TAG = "area-m"
AREA_TAG = "area-"
DICE_BEYOND_ROUNDS = 1
"""The front has 8 dice and 7 rounds, the back 7 dice and 6 rounds."""


@dataclass(frozen=True, slots=True)
class Area:
    """Hexes of one colour. name: what its claim is called, ``area1`` or ``middle``. cells: indices of hexes."""

    name: str
    cells: tuple[int, ...]

    @property
    def is_middle(self) -> bool:
        """Its points are doubled."""
        return self.name == "middle"


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """A template's lattice and boxes; hexes are indices into `ids`, which are in the template's order.

    Only the same object is equal: layouts are in the keys of caches, and `layout_of` gives the same one again.

    neighbours: those that share an edge, of each hex. printed: the number printed in each hex, 0 for none.
    areas: the outer ones by number, then the middle. top, bottom: ids of the record boxes, one a round each.
    bonuses: ids of the marks by the bonus's number; those that the sheet has.
    claims: ids of the boxes by the names of the claims, in the order of the score's lines, the total last.
    """

    ids: tuple[str, ...]
    neighbours: tuple[tuple[int, ...], ...]
    printed: tuple[int, ...]
    areas: tuple[Area, ...]
    top: tuple[str, ...]
    bottom: tuple[str, ...]
    bonuses: tuple[tuple[int, str], ...]
    claims: tuple[tuple[str, str], ...]

    @property
    def rounds(self) -> int:
        """Rounds of a game: boxes of a record row."""
        return len(self.top)

    @property
    def dice(self) -> int:
        """Dice in each roll."""
        return self.rounds + DICE_BEYOND_ROUNDS

    def named(self, hexes: Sequence[int]) -> tuple[str, ...]:
        """The ids of the hexes."""
        return tuple(self.ids[place] for place in hexes)

    def bonus_id(self, bonus: int) -> str | None:
        """The id of a bonus's mark; null if the sheet has no such bonus."""
        return dict(self.bonuses).get(bonus)

    def printed_of(self, number: int) -> tuple[int, ...]:
        """The hexes in which a number is printed."""
        return tuple(place for place, value in enumerate(self.printed) if value == number)


@lru_cache(maxsize=16)
def layout_of(template: Template) -> Layout:
    """Raises TemplateError for a template that can't be a HexRoller sheet; nothing on a sheet can cause that."""
    if template.hexes is None:
        raise _no_hexroller(template, "a HexRoller sheet needs hexes")
    cells = [(cell, cell.place) for cell in template.lattice_cells if isinstance(cell.place, Hex)]
    index = {place: number for number, (_, place) in enumerate(cells)}
    top, bottom = _row(template, "top"), _row(template, "bottom")
    if not top or len(top) != len(bottom):
        cause = f"the record rows have {len(top)} and {len(bottom)} boxes"
        raise _no_hexroller(template, f"{cause}; both need one a round, top1, top2, ... and bottom1, bottom2, ...")
    by_tag: dict[str, list[int]] = {}
    for number, (cell, _) in enumerate(cells):
        for tag in cell.tags:
            by_tag.setdefault(tag, []).append(number)
    outer = sorted(int(tag.removeprefix(AREA_TAG)) for tag in by_tag if tag.removeprefix(AREA_TAG).isdecimal())
    areas = [Area(f"area{number}", tuple(by_tag[f"{AREA_TAG}{number}"])) for number in outer]
    if MIDDLE_TAG in by_tag:
        areas.append(Area("middle", tuple(by_tag[MIDDLE_TAG])))
    names = ["bonuses", *(area.name for area in areas), "connections", "top", "bottom", "total"]
    return Layout(
        ids=tuple(cell.id for cell, _ in cells),
        neighbours=tuple(tuple(index[near] for near in place.neighbours() if near in index) for _, place in cells),
        printed=tuple(cell.printed or 0 for cell, _ in cells),
        areas=tuple(areas),
        top=top,
        bottom=bottom,
        bonuses=tuple((bonus, f"bonus{bonus}") for bonus in BONUSES if f"bonus{bonus}" in template),
        claims=tuple((name, f"claim-{name}") for name in names if f"claim-{name}" in template),
    )


def _row(template: Template, name: str) -> tuple[str, ...]:
    """The boxes ``top1``, ``top2``, ... as far as they go."""
    ids: list[str] = []
    while f"{name}{len(ids) + 1}" in template:
        ids.append(f"{name}{len(ids) + 1}")
    return tuple(ids)


def _no_hexroller(template: Template, cause: str) -> TemplateError:
    return TemplateError(cause, remedy="correct it, or name another game", subject=f"template {template.id}")


@dataclass(frozen=True, slots=True)
class Sheet:
    """What stands on a sheet, as the rules see it. 0: nothing, or a number that no die shows.

    hexes: the number of each hex, 2 to 8; a printed number stays what it is, whatever is written over it.
    written: which hexes were written by hand, so not those with a printed number.
    top, bottom: the record rows, 3 to 8, one a round. used: the bonuses that are crossed out.
    """

    hexes: tuple[int, ...]
    top: tuple[int, ...]
    bottom: tuple[int, ...]
    used: frozenset[int]


def sheet_of(board: ReadBoard, layout: Layout) -> Sheet:
    """The board as the rules see it."""
    hexes = tuple(
        printed or counting(board.cells[cell].value, BONUS_NUMBER)
        for cell, printed in zip(layout.ids, layout.printed, strict=True)
    )
    return Sheet(
        hexes=hexes,
        top=tuple(counting(board.cells[box].value, LOWEST) for box in layout.top),
        bottom=tuple(counting(board.cells[box].value, LOWEST) for box in layout.bottom),
        # A player may well call a crossed-out bonus struck out.
        used=frozenset(
            bonus
            for bonus, mark in layout.bonuses
            if board.cells[mark].value == MADE or board.cells[mark].state == "struck"
        ),
    )


def counting(value: object, lowest: int) -> int:
    """The number if it lies between `lowest` and 8, else 0."""
    return value if isinstance(value, int) and lowest <= value <= HIGHEST else 0


def hexes_by_number(sheet: Sheet, layout: Layout) -> Mapping[int, tuple[int, ...]]:
    """The written hexes of each number, 2 to 8; the printed ones aren't among them."""
    found: dict[int, list[int]] = {number: [] for number in range(BONUS_NUMBER, HIGHEST + 1)}
    for place, (number, printed) in enumerate(zip(sheet.hexes, layout.printed, strict=True)):
        if number and not printed:
            found[number].append(place)
    return {number: tuple(places) for number, places in found.items()}
