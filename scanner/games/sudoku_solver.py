"""How many solutions a Sudoku has: none, one, or more; exactly, and never for long.

Depth-first search on bit masks, always at the cell or the number with the fewest possibilities. The puzzles come from
photos, so givens may be misread or few; a limit on the nodes of the search makes the answer "unknown" rather than late.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

NODE_LIMIT = 4000
"""Nodes of the search, some 25 ms. Newspaper puzzles need about 60, the hardest published ones up to 4000."""


@dataclass(frozen=True, slots=True, order=True)
class Shape:
    """Size of a Sudoku's boxes, in cells; rows, columns, boxes and numbers are `size` each."""

    box_rows: int = 3
    box_cols: int = 3

    @property
    def size(self) -> int:
        """Cells in a row, column or box."""
        return self.box_rows * self.box_cols

    def box(self, row: int, col: int) -> int:
        """Number of the box, counted by rows; all from 0."""
        return row // self.box_rows * self.box_rows + col // self.box_cols


@dataclass(frozen=True, slots=True)
class Solutions:
    """count: 0, 1, 2 (two or more), or null if the search was given up. solution: row by row, only if there is one."""

    count: int | None
    solution: tuple[int, ...] | None = None


@lru_cache(maxsize=256)
def solve(givens: tuple[int, ...], shape: Shape = Shape(), node_limit: int = NODE_LIMIT) -> Solutions:
    """Counts the solutions up to two. givens: row by row, 0 for an empty cell.

    Raises ValueError for a wrong number of cells or a number that isn't 0 to `shape.size`.
    """
    if len(givens) != shape.size**2 or not all(0 <= given <= shape.size for given in givens):
        raise ValueError(f"givens: expected {shape.size**2} numbers from 0 to {shape.size}")
    search = _Search(shape, node_limit)
    if not all(search.put(cell, 1 << given - 1) for cell, given in enumerate(givens) if given):
        return Solutions(0)
    try:
        search.run()
    except _GivenUpError:
        return Solutions(None)
    if len(search.found) == 1:
        return Solutions(1, search.found[0])
    return Solutions(len(search.found))


class _GivenUpError(Exception):
    """The search has reached its limit."""


class _Search:
    """State of a search. A number is one bit; a unit's mask holds the numbers that it has already."""

    def __init__(self, shape: Shape, node_limit: int) -> None:
        size = shape.size
        self.nodes_left = node_limit
        self.all = (1 << size) - 1
        self.found: list[tuple[int, ...]] = []
        self.bits = [0] * size**2
        self.empty = set(range(size**2))
        self.taken = [0] * (3 * size)
        self.units = [(row, size + col, 2 * size + shape.box(row, col)) for row in range(size) for col in range(size)]

    def put(self, cell: int, bit: int) -> bool:
        """Writes a number; False (and nothing written) if a unit of the cell has it already."""
        row, col, box = self.units[cell]
        if (self.taken[row] | self.taken[col] | self.taken[box]) & bit:
            return False
        self.taken[row] |= bit
        self.taken[col] |= bit
        self.taken[box] |= bit
        self.bits[cell] = bit
        self.empty.discard(cell)
        return True

    def take_back(self, cell: int) -> None:
        row, col, box = self.units[cell]
        bit = self.bits[cell]
        self.taken[row] ^= bit
        self.taken[col] ^= bit
        self.taken[box] ^= bit
        self.bits[cell] = 0
        self.empty.add(cell)

    def run(self) -> None:
        """Continues from the present state until two solutions are found or there are no more."""
        if not self.empty:
            self.found.append(tuple(bit.bit_length() for bit in self.bits))
            return
        self.nodes_left -= 1
        if self.nodes_left < 0:
            raise _GivenUpError
        for cell, bit in self._moves():
            self.put(cell, bit)
            self.run()
            self.take_back(cell)
            if len(self.found) == 2:
                return

    def _moves(self) -> list[tuple[int, int]]:
        """Alternatives of which every solution takes exactly one; none where the state has no solution."""
        taken, units = self.taken, self.units
        fewest = len(taken)
        chosen = chosen_mask = 0
        free: list[tuple[int, int]] = []
        for cell in self.empty:
            row, col, box = units[cell]
            mask = self.all & ~(taken[row] | taken[col] | taken[box])
            count = mask.bit_count()
            if count < fewest:
                if count == 0:
                    return []
                fewest, chosen, chosen_mask = count, cell, mask
                if count == 1:
                    return [(cell, mask)]
            free.append((cell, mask))
        return self._by_units(free, [(chosen, 1 << n) for n in range(self.all.bit_length()) if chosen_mask >> n & 1])

    def _by_units(self, free: list[tuple[int, int]], by_cell: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Looks where each number can still go: none if one has no place left in a unit, else the one with one place.

        free: cells and the numbers they can take, two or more each. by_cell: what to return otherwise.
        """
        once = [0] * len(self.taken)
        again = [0] * len(self.taken)
        for cell, mask in free:
            for unit in self.units[cell]:
                again[unit] |= once[unit] & mask
                once[unit] |= mask
        if any(possible | taken != self.all for possible, taken in zip(once, self.taken, strict=True)):
            return []
        for cell, mask in free:
            for unit in self.units[cell]:
                if only := mask & ~again[unit]:
                    return [(cell, only & -only)]
        return by_cell
