"""Print and handwriting on one sheet: all that is printed is of one typeface, all that is written of one hand.

So a reader's scores of a sheet's numbers lie in two heaps, and the border between them lies between the heaps, not
where it is best for all sheets together: on a blurred photo all print looks a little written. A heap's outermost number
belongs to it the more surely the nearer it is to its neighbour in the heap than to the other heap; half of what it is
nearer is added to the scores of the whole heap. Numbers only get clearer by that, up to `CLEAR`, and none changes
sides.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

CLEAREST = 1e-4
"""Probabilities nearer to 0 and 1 than that say no more."""
CLEAR = 0.99
"""Probability up to which a number gets clearer."""
CLEAR_SCORE = math.log(9)
"""At least half of a heap has to be that clear (probability 0.9): a few odd numbers are no heap."""

_Floats = npt.NDArray[np.float64]


def of_one_sheet(printed: npt.NDArray[np.floating], numbers: npt.NDArray[np.bool_]) -> _Floats:
    """Probabilities of "printed" [n] of a sheet's cells, judged beside each other; those of other cells stay.

    numbers: bool [n], the cells that hold a number. Raises ValueError for arrays of different shapes.
    """
    if printed.shape != numbers.shape:
        raise ValueError(f"numbers: expected shape {list(printed.shape)}, got {list(numbers.shape)}")
    chance = printed.astype(np.float64)
    bounded = np.clip(chance, CLEAREST, 1 - CLEAREST)
    score = np.log(bounded / (1 - bounded))
    by_print, by_hand = numbers & (score > 0), numbers & (score < 0)
    if not by_print.any() or not by_hand.any():
        return chance
    gap = float(score[by_print].min() - score[by_hand].max())
    for heap, side in ((by_print, 1.0), (by_hand, -1.0)):
        moved = 1 / (1 + np.exp(-(score + side * _nearer(side * score[heap], gap))))
        bounded = np.clip(moved, 1 - CLEAR, CLEAR)
        chance[heap] = np.where(side * (bounded - chance) > 0, bounded, chance)[heap]
    return chance


def _nearer(heap: _Floats, gap: float) -> float:
    """What is added to the scores of a heap, all above 0. gap: between its lowest score and the other heap."""
    if len(heap) < 2 or float(np.median(heap)) < CLEAR_SCORE:
        return 0.0
    lowest, neighbour = (float(score) for score in np.sort(heap)[:2])
    return max(0.0, (gap - (neighbour - lowest)) / 2)
