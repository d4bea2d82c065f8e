"""Points of many Splitter boards that differ in a few cells: each number's cells are a set of bits, and seen once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from scanner.games.splitter_layout import HIGHEST, Layout


class Tally:
    """What the boards have to show in the boxes, by the rules.

    values: of the board's cells in the layout's order, 0 where there is none that counts. heart_points: for equal
    numbers in all hearts.
    """

    def __init__(self, layout: Layout, values: Sequence[int], heart_points: int) -> None:
        self._layout = layout
        self._around = [sum(1 << near for near in cells) for cells in layout.neighbours]
        self._stars = sum(1 << cell for cell in layout.stars)
        self._hearts = sum(1 << cell for cell in layout.hearts)
        self._heart_points = heart_points
        self._values = tuple(values)
        self._cells = [0] * (HIGHEST + 1)
        for cell, value in enumerate(values):
            self._cells[value] |= 1 << cell
        self._seen: dict[tuple[int, int], int] = {}

    def points(self, changes: Iterable[Mapping[int, int]]) -> Iterator[tuple[int, ...]]:
        """For each change, values by cell: the points of 1 to 6, then those of the hearts."""
        for change in changes:
            cells = list(self._cells)
            for cell, value in change.items():
                cells[self._values[cell]] &= ~(1 << cell)
                cells[value] |= 1 << cell
            lines = [self._line(value, cells[value]) for value in range(1, HIGHEST + 1)]
            equal = self._hearts and any(self._hearts & ~cells[value] == 0 for value in range(1, HIGHEST + 1))
            yield (*lines, self._heart_points if equal else 0)

    def _line(self, value: int, cells: int) -> int:
        """Points of all groups of a number. cells: that hold it, as bits."""
        key = (value, cells)
        if key not in self._seen:
            total, rest = 0, cells
            while rest:
                group = self._group(rest)
                rest &= ~group
                if group.bit_count() == value:
                    total += 2 * value if group & self._stars else value
            self._seen[key] = total
        return self._seen[key]

    def _group(self, cells: int) -> int:
        """The cells that hang together with the first one, as bits."""
        group = new = cells & -cells
        while new:
            first = new & -new
            new ^= first
            near = self._around[first.bit_length() - 1] & cells & ~group
            group |= near
            new |= near
        return group
