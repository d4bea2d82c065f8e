"""What a reader says of cells that hold whole numbers, before any rule of any game."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

NumberState = Literal["read", "blank", "struck", "scribble"]
"""A number; nothing written; a dash, a slash or a number crossed out without another beside it; illegible ink."""

MAX_NUMBER = 999
SUM_TOLERANCE = 1e-2
"""How far the probabilities of a cell may go above 1 (float32, rounded on the way)."""


@dataclass(frozen=True, slots=True)
class NumberCandidate:
    """One thing a cell may hold. value: -999 to 999, null unless the state is read. probability: calibrated, 0 to 1."""

    value: int | None
    state: NumberState
    probability: float

    def __post_init__(self) -> None:
        """Raises ValueError, naming expected and actual, for what can't be."""
        if self.state not in get_args(NumberState):
            raise ValueError(f"state: expected one of {', '.join(get_args(NumberState))}, got {self.state!r}")
        if (self.value is None) == (self.state == "read"):
            raise ValueError(f"value: expected a number exactly with state read, got {self.value} with {self.state}")
        if self.value is not None and abs(self.value) > MAX_NUMBER:
            raise ValueError(f"value: expected at most three digits, got {self.value}")
        if not (math.isfinite(self.probability) and 0.0 <= self.probability <= 1.0 + SUM_TOLERANCE):
            raise ValueError(f"probability: expected 0 to 1, got {self.probability}")


@dataclass(frozen=True, slots=True)
class NumberReadings:
    """The most probable readings of n cells, of the whole number and not of its digits.

    ids: the cells' ids in the template's order, no id twice; cells outside the picture are left out.
    candidates: for each cell at least one, most probable first, no value or state twice. What they leave of 1 belongs
        to readings that aren't listed; list all of at least 0.001.
    """

    ids: tuple[str, ...]
    candidates: tuple[tuple[NumberCandidate, ...], ...]

    def __post_init__(self) -> None:
        """Raises ValueError, naming the cell, for readings that can't be."""
        if len(set(self.ids)) != len(self.ids):
            raise ValueError("ids: an id occurs twice")
        if len(self.candidates) != len(self.ids):
            raise ValueError(f"candidates: expected those of {len(self.ids)} cells, got {len(self.candidates)}")
        for cell, found in zip(self.ids, self.candidates, strict=True):
            if not found:
                raise ValueError(f"candidates: cell {cell} has none")
            if len({(one.value, one.state) for one in found}) != len(found):
                raise ValueError(f"candidates: cell {cell} has one twice")
            probabilities = [one.probability for one in found]
            if sorted(probabilities, reverse=True) != probabilities:
                raise ValueError(f"candidates: those of cell {cell} aren't in order, most probable first")
            if (total := math.fsum(probabilities)) > 1.0 + SUM_TOLERANCE:
                raise ValueError(f"candidates: cell {cell} adds up to {total:.4f}, expected at most 1")
