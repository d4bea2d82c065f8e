"""Whose a digit across a border is: of the cell with whose other digits it makes up the likelier number.

People write a number in one piece, about where they write it in every cell, and nothing above or below it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scanner.table_paper import Rects

MOST_DIGITS, DIGIT_HIGH, DIGIT_WIDE = 3, 0.55, 1.1
"""A number's digits at most; least height of one against another one's; how wide one is at most against the highest:
what is wider is two of them that touch."""
OVERLAP = 0.35
"""Of its width: a stroke that lies so much above or below another one is a part of the same digit."""
LEVEL = 0.6
"""Of a digit's height: how much higher or lower another one's middle lies in the same line of writing."""
ASIDE = 1.0
"""What it costs that a number lies a cell's height aside of where numbers usually lie in their cells."""
GAP, WIDEST_GAP = 0.8, 0.7
"""The same of a gap to the next digit, as wide as a cell is high; and from where on it costs no more."""
SHARE = 0.5
"""The same of a digit that lies in other cells altogether."""
FOURTH, STACKED = 0.5, 0.6
"""The same of a fourth digit, and of digits that aren't level."""
SWEEPS = 2
"""How often each digit is looked at, since they depend on each other."""
FEWEST_NUMBERS = 6
"""Numbers that tell where in its cells somebody writes; without them it is the middle."""


@dataclass(frozen=True, eq=False)
class Strokes:
    """Connected ink. boxes: float64 [m, 4], left, top, right, bottom, px. cells: int64 [m], whose each is, so far.

    shares: float64 [m, n], how much of it lies in each of the n cells.
    """

    boxes: Rects
    cells: npt.NDArray[np.int64]
    shares: npt.NDArray[np.float64]


def digits(boxes: Rects, high: float) -> int:
    """About how many digits that are about so high strokes are.

    Touching ones count by their width; strokes that lie above one another are parts of one.
    """
    tall = boxes[boxes[:, 3] - boxes[:, 1] > DIGIT_HIGH * high]
    widest = DIGIT_WIDE * max(high, float((tall[:, 3] - tall[:, 1]).max(initial=1.0)))
    found, end = 0, -np.inf
    for left, right in sorted(tall[:, [0, 2]].tolist()):
        if min(end, right) - left < OVERLAP * (right - left):
            found += max(1, round((right - left) / widest))
        end = max(end, right)
    return found


def settle(strokes: Strokes, choices: Mapping[int, Sequence[int]], rects: Rects, typical: float) -> None:
    """Gives strokes, in place, to one of the cells that each of them may belong to, by its number.

    rects: of the cells. typical: a cell's height, px.
    """
    if not choices:
        return
    place = _Place.of(strokes, choices, rects, typical)
    for _ in range(SWEEPS):
        before = strokes.cells.copy()
        for k, cells in choices.items():
            costs = [_cost(strokes, k, cell, cells, place) for cell in cells]
            strokes.cells[k] = cells[int(np.argmin(costs))]
        if np.array_equal(before, strokes.cells):
            return


@dataclass(frozen=True, eq=False)
class _Place:
    """Where in its cell somebody's numbers lie: `shift` px from its left side (anchor 0), middle (0.5), right side (1)
    to the number's. typical: a cell's height, px."""

    rects: Rects
    typical: float
    anchor: float
    shift: float

    @classmethod
    def of(cls, strokes: Strokes, choices: Mapping[int, Sequence[int]], rects: Rects, typical: float) -> _Place:
        """By the cells whose ink is beyond doubt. Numbers of one and of three digits lie alike by one of the sides, or
        by their middles."""
        unsure = {cell for cells in choices.values() for cell in cells}
        known = [int(cell) for cell in np.unique(strokes.cells) if int(cell) not in unsure]
        if len(known) < FEWEST_NUMBERS:
            return cls(rects, typical, 0.5, 0.0)
        rows = {cell: row for row, cell in enumerate(known)}
        ends = np.tile(np.array([np.inf, -np.inf]), (len(known), 1))
        for box, cell in zip(strokes.boxes, strokes.cells.tolist(), strict=True):
            if cell in rows:
                row = ends[rows[cell]]
                row[0], row[1] = min(row[0], box[0]), max(row[1], box[2])
        away = ends - rects[known][:, [0, 2]]
        every = {anchor: (1 - anchor) * away[:, 0] + anchor * away[:, 1] for anchor in (0.5, 0.0, 1.0)}
        spread = {anchor: float(np.median(np.abs(one - np.median(one)))) for anchor, one in every.items()}
        best = min(spread, key=lambda anchor: spread[anchor])
        return cls(rects, typical, best, float(np.median(every[best])))

    def aside(self, boxes: Rects, cell: int) -> float:
        """How far from there a number lies, in heights of a cell; 0 for no ink."""
        if not len(boxes):
            return 0.0
        left, right = self.rects[cell, 0], self.rects[cell, 2]
        away = (1 - self.anchor) * (boxes[:, 0].min() - left) + self.anchor * (boxes[:, 2].max() - right)
        return abs(float(away) - self.shift) / self.typical


def _cost(strokes: Strokes, k: int, cell: int, cells: Sequence[int], place: _Place) -> float:
    """What speaks against stroke k as one of `cell`, among all the cells that it may belong to."""
    boxes, box = strokes.boxes, strokes.boxes[k]
    high = float(box[3] - box[1])
    level = np.abs(boxes[:, 1] + boxes[:, 3] - box[1] - box[3]) / 2 < LEVEL * high
    level[k] = False
    total = SHARE * (1 - float(strokes.shares[k, cell]))
    for other in cells:
        mates = boxes[level & (strokes.cells == other)]
        if other != cell:
            total += ASIDE * place.aside(mates, other)
            continue
        total += ASIDE * place.aside(np.vstack([mates, box]), other)
        if len(mates):
            gap = float(np.maximum(mates[:, 0] - box[2], box[0] - mates[:, 2]).min()) / place.typical
            total += GAP * min(max(gap, 0.0), WIDEST_GAP)
            total += FOURTH * (digits(np.vstack([mates, box]), high) > MOST_DIGITS)
        rest = (strokes.cells == other) & ~level
        rest[k] = False
        rest &= boxes[:, 3] - boxes[:, 1] > DIGIT_HIGH * high
        total += STACKED * bool(rest.any())
    return total
