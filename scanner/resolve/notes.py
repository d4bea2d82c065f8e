"""Games in whose cells nobody makes pencil notes: what looks like some is a number, or ink that nobody can tell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

NOTES, SCRIBBLE = "candidates", "scribble"
UNTOLD = 0.02
"""Share that a scribble has at least of what is left when notes are none. So ink that was taken for notes is never a
sure number by what little else was seen in it."""

_Matrix = npt.NDArray[np.float64]


def without_notes(ink: _Matrix, classes: Sequence[str]) -> _Matrix:
    """Probabilities [cells, classes] without notes: theirs goes to the other classes by what these have.

    classes: names of the columns. Each row adds up to 1, before and after.
    """
    if NOTES not in classes or SCRIBBLE not in classes:
        return ink
    notes, scribble = classes.index(NOTES), classes.index(SCRIBBLE)
    moved = ink[:, notes].copy()
    others = ink.copy()
    others[:, notes] = 0.0
    shares = others.copy()
    shares[:, scribble] += UNTOLD
    return np.asarray(others + moved[:, None] * shares / shares.sum(axis=1, keepdims=True), dtype=np.float64)
