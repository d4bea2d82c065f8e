"""What a reader says of all cells of a sheet, before any rule of any game."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

SUM_TOLERANCE = 1e-2
"""How far the probabilities of a cell may be from adding up to 1 (float32, rounded on the way)."""


@dataclass(frozen=True, slots=True, eq=False)
class Readings:
    """Calibrated class probabilities of n cells.

    ids: the cells' ids in the template's order, no id twice. Cells outside the picture are left out.
    classes: name of each column, see `scanner.read.classes`.
    probabilities: float32 [n, classes], each 0 to 1, each row adds up to 1.
    printed: float32 [n], probability that the ink is printed and not handwritten; of no meaning for blank cells.
    traits: float32 [n, k], what the reader saw in each cell's ink: alike for digits that look alike. Null where that
    isn't known.
    """

    ids: tuple[str, ...]
    classes: tuple[str, ...]
    probabilities: npt.NDArray[np.float32]
    printed: npt.NDArray[np.float32]
    traits: npt.NDArray[np.float32] | None = None

    def __post_init__(self) -> None:
        """Raises ValueError, naming expected and actual, for shapes or numbers that can't be."""
        if len(set(self.ids)) != len(self.ids):
            raise ValueError("ids: an id occurs twice")
        if len(set(self.classes)) != len(self.classes):
            raise ValueError("classes: a class occurs twice")
        _check("probabilities", self.probabilities, (len(self.ids), len(self.classes)))
        _check("printed", self.printed, (len(self.ids),))
        if self.traits is not None and (self.traits.ndim != 2 or len(self.traits) != len(self.ids)):
            raise ValueError(f"traits: expected shape [{len(self.ids)}, k], got {list(self.traits.shape)}")
        off = np.abs(self.probabilities.sum(axis=1) - 1.0)
        if off.size and float(off.max()) > SUM_TOLERANCE:
            worst = int(off.argmax())
            total = float(self.probabilities[worst].sum())
            raise ValueError(f"probabilities: cell {self.ids[worst]} adds up to {total:.4f}, expected 1")

    def of(self, rows: npt.NDArray[np.int64]) -> Readings:
        """The readings of some cells, by their rows."""
        ids = tuple(self.ids[row] for row in rows.tolist())
        traits = None if self.traits is None else self.traits[rows]
        return Readings(ids, self.classes, self.probabilities[rows], self.printed[rows], traits)


def _check(name: str, array: npt.NDArray[np.float32], shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise ValueError(f"{name}: expected shape {list(shape)}, got {list(array.shape)}")
    if array.dtype != np.float32:
        raise ValueError(f"{name}: expected float32, got {array.dtype}")
    # Written so that NaN fails as well.
    if not bool(np.all((array >= 0.0) & (array <= 1.0 + SUM_TOLERANCE))):
        raise ValueError(f"{name}: expected probabilities from 0 to 1")
