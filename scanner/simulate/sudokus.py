"""New Sudoku puzzles by a seeded generator: a random solution, then givens taken away while it stays the only one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scanner.games.sudoku_solver import solve
from scanner.geometry import Square


@dataclass(frozen=True, slots=True)
class Puzzle:
    """givens, solution: 81 numbers row by row, 0 for an empty cell of `givens`."""

    givens: tuple[int, ...]
    solution: tuple[int, ...]

    @property
    def printed(self) -> frozenset[str]:
        """Ids of the given cells."""
        return frozenset(cell_id(at) for at, given in enumerate(self.givens) if given)

    def contents(self) -> dict[str, int | str | None]:
        """The solved puzzle, by cell id."""
        return {cell_id(at): value for at, value in enumerate(self.solution)}


def cell_id(index: int) -> str:
    """Id of a cell by its place in a row-by-row list of 81."""
    return Square(index // 9 + 1, index % 9 + 1).id


def make_puzzle(seed: int, *, givens: int = 32) -> Puzzle:
    """A puzzle with exactly one solution and `givens` printed numbers, or the least more that chance allows."""
    rng = np.random.default_rng(seed)
    solution = _solution(rng)
    left = list(solution)
    for at in rng.permutation(81):
        if sum(1 for value in left if value) <= givens:
            break
        taken, left[at] = left[at], 0
        if solve(tuple(left)).count != 1:
            left[at] = taken
    return Puzzle(tuple(left), solution)


def _solution(rng: np.random.Generator) -> tuple[int, ...]:
    """A full valid grid: cells filled by trial, always where fewest numbers can go, in the generator's order."""
    grid = [0] * 81

    def possible(at: int) -> list[int]:
        row, col = divmod(at, 9)
        seen = {
            grid[other]
            for other in range(81)
            if other // 9 == row or other % 9 == col or (other // 27 == at // 27 and other % 9 // 3 == col // 3)
        }
        return [number for number in range(1, 10) if number not in seen]

    def fill() -> bool:
        empty = [(len(possible(at)), rng.random(), at) for at in range(81) if not grid[at]]
        if not empty:
            return True
        at = min(empty)[2]
        for number in rng.permutation(possible(at)):
            grid[at] = int(number)
            if fill():
                return True
        grid[at] = 0
        return False

    fill()
    return tuple(grid)
