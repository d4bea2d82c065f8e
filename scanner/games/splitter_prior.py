"""Which numbers of a Splitter sheet's unclear cells are rarer than others: players put equal numbers side by side.

They score by groups, so a cell holds the number of a neighbour more often than chance would have it. How much more
often is the player's way, so each sheet tells it itself, by its clear cells (`strength`): on a sheet that is filled in
anyhow it is about 0, and nothing follows from the neighbours.

The board is a Potts model: each two equal neighbours multiply its probability by e to the strength. Nothing else is
known of a number, since dice are fair: how often it stands in the clear cells says nothing about the others. The two
cells of a round are no neighbours in this, where they touch: dice made their numbers equal or not. What unclear cells
may hold is passed along the lattice (sum-product), which is exact where they form no ring.

Only legal numbers are told apart by this. Whether a cell holds one of them, or a 7, or nothing, only its ink can say.
And no plausible number becomes implausible by it: what neighbours say is a better guess, and no answer.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from scanner.games.splitter_layout import HIGHEST, Layout
from scanner.results import PLAUSIBLE, CellReading, Value

if TYPE_CHECKING:
    from scanner.board import ReadBoard

CLEAR: Final = 0.99
"""Probability from which a number is clear: it has a say in the strength, and its cell is never weighed."""
SHRINKAGE: Final = 0.5
"""Standard deviation of the strength, around 0, before anything is known of the sheet. So 400 boards filled at random
have 0.04 on the average, 400 that are filled as `benchmarks/pads.py` does 0.7, the two published ones 0.4."""
EACH_ONCE: Final = 0.5
"""The pseudo-likelihood looks at two neighbours from both sides, so what it says counts for half."""
STRENGTHS: Final = np.arange(31) / 20
"""Those that are tried, in natural logarithms of odds."""
ROUNDS: Final = 8
"""How often beliefs are passed on. Each round takes them one cell further, where they count for less."""
LEAST: Final = 2 * PLAUSIBLE
"""Probability that a plausible number keeps at least, so that it is asked about whatever stands around it."""

_Floats = npt.NDArray[np.float64]
_Evidence = tuple[tuple[int, float], ...]
"""What a cell may hold and how probable it is: a legal number, or 0 for anything else; empty where nobody knows."""


def beside(board: ReadBoard, layout: Layout, reading: CellReading) -> float:
    """A factor, above 0 and at most 1, for a possible reading of a cell of the lattice; 1 for all if it is clear.

    board: what was read surely; what other cells plausibly hold stands in their `alternatives`.
    """
    factors = _factors(tuple(_evidence(board.cells[cell]) for cell in layout.ids), layout)
    return float(factors[layout.ids.index(reading.id), _legal(reading.value)])


def strength(clear: npt.NDArray[np.intp], layout: Layout) -> float:
    """What each equal neighbour adds to the log-odds of a number on this sheet; 0 or more.

    clear: [cells], the numbers that are known, and 0 where none is. It is the likeliest of `STRENGTHS` by the
    pseudo-likelihood (J. Besag, Statistical Analysis of Non-Lattice Data, 1975), that is by each known number, given
    its neighbours and how often the numbers stand on the sheet, and by what is known beforehand.
    """
    links = _links(layout)
    shown = np.eye(HIGHEST + 1)[clear][:, 1:]
    around = np.zeros_like(shown)
    np.add.at(around, links[:, 1], shown[links[:, 0]])
    known = clear > 0
    equal = (around * shown).sum()
    chances = (np.exp(STRENGTHS[:, None, None] * around[known]) * shown.sum(axis=0)).sum(axis=2)
    likely = STRENGTHS * equal - np.log(chances).sum(axis=1)
    return float(STRENGTHS[int((EACH_ONCE * likely - (STRENGTHS / SHRINKAGE) ** 2 / 2).argmax())])


def _legal(value: Value | None) -> int:
    """The number if a die shows it, else 0."""
    return value if isinstance(value, int) and 1 <= value <= HIGHEST else 0


def _evidence(cell: CellReading) -> _Evidence:
    if cell.alternatives:
        return tuple((_legal(int(name)) if name.isdigit() else 0, p) for name, p in cell.alternatives.items())
    return () if cell.state == "unreadable" else ((_legal(cell.value), 1.0),)


@lru_cache(maxsize=16)
def _links(layout: Layout) -> npt.NDArray[np.intp]:
    """[links, 2], from a cell to its neighbour; in the second half those of the first half, the other way round."""
    one_way = [
        (cell, near)
        for cell, around in enumerate(layout.neighbours)
        for near in around
        if cell < near and layout.partner[cell] != near
    ]
    links = np.array(one_way, dtype=np.intp).reshape(-1, 2)
    return np.concatenate([links, links[:, ::-1]])


@lru_cache(maxsize=64)
def _factors(evidence: tuple[_Evidence, ...], layout: Layout) -> _Floats:
    """[cells, 1 + HIGHEST], of whatever isn't legal and of each number. Kept, as it is asked for once a reading."""
    ink = np.zeros((len(evidence), HIGHEST + 1))
    for row, options in enumerate(evidence):
        for number, p in options:
            ink[row, number] += p
    unseen = ink.sum(axis=1) == 0
    ink[unseen, 1:] = 1.0
    ink /= ink.sum(axis=1, keepdims=True)
    factors = np.ones_like(ink)
    weighed = (ink.max(axis=1) < CLEAR) & ~unseen
    if not weighed.any():
        return factors
    known = np.where(ink.max(axis=1) >= CLEAR, ink.argmax(axis=1), 0)
    before = ink[weighed, 1:]
    after = before * _told(ink, strength(known, layout), layout)[weighed]
    after *= before.sum(axis=1, keepdims=True) / np.maximum(after.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    after = np.maximum(after, np.minimum(before, LEAST))
    factors[weighed, 1:] = np.divide(after, before, out=np.ones_like(before), where=before > 0)
    return np.asarray(factors / factors.max(axis=1, keepdims=True))


def _told(ink: _Floats, strength: float, layout: Layout) -> _Floats:
    """[cells, HIGHEST], how much likelier what all its neighbours may hold makes each number of a cell; relative.

    ink: [cells, 1 + HIGHEST], what each cell may hold by itself.
    """
    links = _links(layout)
    source, target = links[:, 0], links[:, 1]
    back = np.roll(np.arange(len(links)), len(links) // 2)
    legal = ink[:, 1:]
    holds_legal = legal.sum(axis=1, keepdims=True)[source]
    told, message = np.zeros_like(legal), np.zeros((len(links), HIGHEST))
    for _ in range(ROUNDS):
        belief = legal[source] * np.exp(told[source] - message[back])
        share = holds_legal * belief / np.maximum(belief.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        message = np.log1p(np.expm1(strength) * share)
        told = np.zeros_like(legal)
        np.add.at(told, target, message)
    return np.asarray(np.exp(told))
