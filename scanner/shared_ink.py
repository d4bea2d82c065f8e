"""Cells whose ink may partly be a neighbour's, or not be seen on a symbol: what is read in them is no sure reading.

Ink belongs to cells by connected strokes (`scanner.cells`). A stroke that touches the neighbour's, or a blot or a
shadow's tip that joins the two, goes to the neighbour with it, and what is left may look like another digit: half of an
open 4 is a 1. And a pencil's thin 1 at the edge of a dark heart is hardly to be seen.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from scanner.read.readings import Readings

DOUBT = 0.25
"""Probability that such a cell holds another digit than the one that is seen. Of 5,000 cells of generated pads two were
of the kind, and both of them were read wrongly."""

OVERLOOKED = 0.02
"""Probability that a cell which seems blank holds a digit where a symbol is printed darker than the ink."""


def doubt_hidden_ink(readings: Readings, hidden: npt.NDArray[np.bool_] | None) -> Readings:
    """The readings with a little of what says that such cells are blank spread evenly over all digits.

    hidden: bool [n], of the cells of the readings in their order; see `scanner.cells.CellBatch`.
    Raises ValueError where the numbers differ.
    """
    if hidden is None or not hidden.any() or "blank" not in readings.classes:
        return readings
    spread = _over_digits(readings, hidden, "hidden")
    probabilities = readings.probabilities.astype(np.float64)
    blank = readings.classes.index("blank")
    moved = np.where(hidden, OVERLOOKED * probabilities[:, blank], 0.0)
    probabilities[:, blank] -= moved
    probabilities += moved[:, None] * spread
    return replace(readings, probabilities=probabilities.astype(np.float32))


def _over_digits(readings: Readings, cells: npt.NDArray[np.bool_], name: str) -> npt.NDArray[np.float64]:
    """1 spread evenly over the digits among the classes: float64 [classes]."""
    if cells.shape != (len(readings.ids),):
        raise ValueError(f"{name}: expected shape [{len(readings.ids)}], got {list(cells.shape)}")
    digits = np.array([one.isdigit() for one in readings.classes], dtype=np.bool_)
    return np.where(digits, 1 / max(int(digits.sum()), 1), 0.0)


def doubt_shared_ink(readings: Readings, shared: npt.NDArray[np.bool_] | None) -> Readings:
    """The readings with a part of the probabilities of such cells spread evenly over all digits.

    shared: bool [n], of the cells of the readings in their order; see `scanner.cells.CellBatch`.
    Raises ValueError where the numbers differ.
    """
    if shared is None or not shared.any():
        return readings
    spread = _over_digits(readings, shared, "shared")
    probabilities = readings.probabilities.astype(np.float64)
    probabilities[shared] = (1 - DOUBT) * probabilities[shared] + DOUBT * spread
    return replace(readings, probabilities=probabilities.astype(np.float32))
