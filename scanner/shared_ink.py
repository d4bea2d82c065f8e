"""Cells whose ink may partly be a neighbour's, or the other way round: what is read in them is no sure reading.

Ink belongs to cells by connected strokes (`scanner.cells`). A stroke that touches the neighbour's, or a blot or a
shadow's tip that joins the two, goes to the neighbour with it, and what is left may look like another digit: half of an
open 4 is a 1.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from scanner.read.readings import Readings

DOUBT = 0.25
"""Probability that such a cell holds another digit than the one that is seen. Of 5,000 cells of generated pads two were
of the kind, and both of them were read wrongly."""


def doubt_shared_ink(readings: Readings, shared: npt.NDArray[np.bool_] | None) -> Readings:
    """The readings with a part of the probabilities of such cells spread evenly over all digits.

    shared: bool [n], of the cells of the readings in their order; see `scanner.cells.CellBatch`.
    Raises ValueError where the numbers differ.
    """
    if shared is None or not shared.any():
        return readings
    if shared.shape != (len(readings.ids),):
        raise ValueError(f"shared: expected shape [{len(readings.ids)}], got {list(shared.shape)}")
    digits = np.array([name.isdigit() for name in readings.classes], dtype=np.bool_)
    spread = np.where(digits, 1 / max(int(digits.sum()), 1), 0.0)
    probabilities = readings.probabilities.astype(np.float64)
    probabilities[shared] = (1 - DOUBT) * probabilities[shared] + DOUBT * spread
    return replace(readings, probabilities=probabilities.astype(np.float32))
