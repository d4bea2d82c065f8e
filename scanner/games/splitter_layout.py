"""What a Splitter sheet's lattice means: neighbours, mirrored pairs, stars, hearts; and the groups of a board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from scanner.errors import TemplateError
from scanner.geometry import Square

if TYPE_CHECKING:
    from scanner.templates import Template

NUMBERS = ("ones", "twos", "threes", "fours", "fives", "sixes")
"""What the numbers 1 to 6 are called, on the score and in the ids of the boxes."""
HIGHEST = len(NUMBERS)


@dataclass(frozen=True, slots=True)
class Layout:
    """A template's lattice; cells are indices into `ids`, which are in the template's order.

    pairs: the cells that mirror each other, the left one first. claims: ids of the boxes, by the names of the claims.
    """

    ids: tuple[str, ...]
    neighbours: tuple[tuple[int, ...], ...]
    pairs: tuple[tuple[int, int], ...]
    partner: tuple[int, ...]
    stars: frozenset[int]
    hearts: tuple[int, ...]
    claims: tuple[tuple[str, str], ...]

    def named(self, cells: Sequence[int]) -> tuple[str, ...]:
        """The ids of the cells."""
        return tuple(self.ids[cell] for cell in cells)


@dataclass(frozen=True, slots=True)
class Group:
    """A maximal set of equal numbers joined by edges. cells: indices, in the template's order. star: covers one."""

    value: int
    cells: tuple[int, ...]
    star: bool

    @property
    def points(self) -> int:
        """By the rules: v for exactly v cells, doubled once on a star; else nothing."""
        if len(self.cells) != self.value:
            return 0
        return 2 * self.value if self.star else self.value


@lru_cache(maxsize=16)
def layout_of(template: Template) -> Layout:
    """Raises TemplateError for a template that can't be a Splitter sheet; nothing on a sheet can cause that."""
    if template.grid is None:
        raise _no_splitter(template, "a Splitter sheet needs a grid")
    places = [(cell.id, cell.place) for cell in template.lattice_cells if isinstance(cell.place, Square)]
    index = {place: number for number, (_, place) in enumerate(places)}
    partner = []
    for cell_id, place in places:
        mirrored = Square(place.row, template.grid.cols + 1 - place.col)
        if mirrored == place or mirrored not in index:
            raise _no_splitter(template, f"cell {cell_id} has no other cell to mirror it at the middle")
        partner.append(index[mirrored])
    around = [
        (
            Square(place.row - 1, place.col),
            Square(place.row, place.col - 1),
            Square(place.row, place.col + 1),
            Square(place.row + 1, place.col),
        )
        for _, place in places
    ]
    tagged = {
        tag: [index[cell.place] for cell in template.lattice_cells if tag in cell.tags and cell.place in index]
        for tag in ("star", "heart")
    }
    return Layout(
        ids=tuple(cell_id for cell_id, _ in places),
        neighbours=tuple(tuple(index[place] for place in near if place in index) for near in around),
        pairs=tuple((cell, other) for cell, other in enumerate(partner) if cell < other),
        partner=tuple(partner),
        stars=frozenset(tagged["star"]),
        hearts=tuple(tagged["heart"]),
        claims=tuple((name, f"claim-{name}") for name in (*NUMBERS, "hearts", "total") if f"claim-{name}" in template),
    )


def _no_splitter(template: Template, cause: str) -> TemplateError:
    return TemplateError(cause, remedy="correct its grid, or name another game", subject=f"template {template.id}")


def groups_of(values: Sequence[int], layout: Layout) -> list[Group]:
    """All groups of a board, by their first cells. values: one a cell; 0 where there is none that counts."""
    groups: list[Group] = []
    seen = [value == 0 for value in values]
    for first, value in enumerate(values):
        if seen[first]:
            continue
        seen[first] = True
        cells = [first]
        for cell in cells:
            for near in layout.neighbours[cell]:
                if not seen[near] and values[near] == value:
                    seen[near] = True
                    cells.append(near)
        cells.sort()
        groups.append(Group(value, tuple(cells), not layout.stars.isdisjoint(cells)))
    return groups
