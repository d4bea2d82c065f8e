"""Which lines of a picture are which edges of a template's rows and columns.

Real cards differ from their description: rows and label columns are higher or wider, headings are missing, lines are
double. So edges are matched to lines in their order, by dynamic programming: what counts is how many there are, and
that neighbouring intervals have about the proportions that the template says.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scanner.geometry import FloatArray
from scanner.templates import Table

LABEL_WORTH = 0.45
"""What a line between labels or headings is worth; 1 is what one of cells is."""
MISSED = 0.7
"""What an edge of cells costs whose line isn't seen."""
MISSED_LABEL = 0.12
"""The same of the edges between labels and headings, which cards have or haven't."""
EXTRA = 0.6
"""What a line costs that no edge explains, inside the table."""
BEFORE, AFTER = 0.2, 0.5
"""The same before its first edge (there cards have more labels and headings) and after its last one."""
FEW_BEFORE, FEW_AFTER, MANY = 2, 1, 2.0
"""So many lines cards have there; what each further one costs: then it is a part of a larger table."""
UNEVEN = 8.0
"""Weight of the squared logarithm by which an interval differs from the template's."""
ABOUT_EVEN = 0.12
"""Natural logarithm of the ratio up to which a row is as high as the template has it: no two printings are alike."""
LOOSE = 0.3
"""Share of that weight for intervals of labels, headings and names, which are as large as somebody liked."""
MOST_UNEVEN = 1.5
TIGHT, MOST_TIGHT = 0.5, 3.0
"""Share of the template's height below which a row of cells is too low, and the most that speaks against it."""
SKIP_LINES, SKIP_EDGES = 4, 3
"""Steps of the matching: one less lines or edges may be passed over at once."""
CLOSE = 0.3
"""Edges or lines nearer than this share of the usual interval are one (double rules)."""


@dataclass(frozen=True, slots=True)
class Edges:
    """The edges of a template's columns or rows in order. at: float64 [m], mm. cells: bool [m], whether it is one of
    cells that are read, rather than of labels only. loose: bool [m], whether what ends there may have any size."""

    at: FloatArray
    cells: npt.NDArray[np.bool_]
    loose: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class AxisMatch:
    """Lines matched to edges. pairs: (line, edge) in order. score: see `share`. scale: px to a mm.

    share: of the edges of cells that were seen, with what speaks against the match taken off; at most 1.
    """

    pairs: tuple[tuple[int, int], ...]
    score: float
    share: float
    scale: float


def row_edges(table: Table, names: frozenset[str] = frozenset()) -> Edges:
    """The edges of rows, from the top. names: rows for words, by id."""
    return _edges([(row.top, row.bottom, row.labels, row.labels or row.id in names) for row in table.rows])


def column_edges(table: Table) -> Edges:
    """The edges of columns, from the left."""
    return _edges([(column.left, column.right, column.labels, column.labels) for column in table.columns])


def _edges(spans: Sequence[tuple[float, float, bool, bool]]) -> Edges:
    usual = float(np.median([end - start for start, end, labels, _ in spans if not labels]))
    at: list[float] = []
    cells: list[bool] = []
    loose: list[bool] = []
    for start, end, labels, any_size in spans:
        for place in (start, end):
            if at and place - at[-1] < CLOSE * usual:
                cells[-1] = cells[-1] or not labels
            else:
                at.append(place)
                cells.append(not labels)
                loose.append(any_size)
    return Edges(np.array(at), np.array(cells, dtype=np.bool_), np.array(loose, dtype=np.bool_))


def match(places: FloatArray, weights: FloatArray, costs: FloatArray, edges: Edges, scale: float) -> AxisMatch | None:
    """The best match of lines at sorted places [n] (px) to edges; null without any.

    weights: [n], what each line is worth if an edge explains it, 0 to 1. costs: [n], how much it speaks against a match
    that it isn't explained, 0 to 1. scale: px to a mm, about.
    """
    n, m = len(places), len(edges.at)
    if n < 2 or m < 2:
        return None
    worth = np.where(edges.cells, 1.0, LABEL_WORTH)
    missed = np.concatenate([[0.0], np.cumsum(np.where(edges.cells, MISSED, MISSED_LABEL))])
    extra = np.concatenate([[0.0], np.cumsum(costs)])
    sizes = np.concatenate([[0], np.cumsum(edges.loose)])
    before_cost = _beyond(extra, BEFORE, FEW_BEFORE)
    best = np.full((n, m), -np.inf)
    came: npt.NDArray[np.int64] = np.full((n, m, 2), -1, dtype=np.int64)
    for i in range(n):
        start = weights[i] * worth - missed[:-1] - before_cost[i]
        best[i] = start
        for back in range(1, min(SKIP_LINES, i) + 1):
            before = i - back
            passed = EXTRA * (extra[i] - extra[before + 1])
            interval = places[i] - places[before]
            for skip in range(1, min(SKIP_EDGES, m - 1) + 1):
                wanted = scale * (edges.at[skip:] - edges.at[:-skip])
                tolerance = ABOUT_EVEN if skip == 1 else 0.0
                off = np.maximum(np.abs(np.log(max(interval, 1e-3) / wanted)) - tolerance, 0)
                weight = np.where(sizes[skip + 1 :] > sizes[1 : m - skip + 1], LOOSE * UNEVEN, UNEVEN)
                # Into a row of less than half the height nobody could write: there is room between two blocks.
                tight = (interval < TIGHT * wanted) & (weight == UNEVEN)
                uneven = np.minimum(weight * off**2, np.where(tight, MOST_TIGHT, MOST_UNEVEN))
                lost = missed[skip:m] - missed[1 : m - skip + 1]
                value = best[before, : m - skip] + weights[i] * worth[skip:] - passed - uneven - lost
                better = value > best[i, skip:]
                best[i, skip:][better] = value[better]
                came[i, skip:][better] = np.stack([np.full(m - skip, before), np.arange(m - skip)], axis=1)[better]
    total = best - _beyond(extra[-1] - extra[1:], AFTER, FEW_AFTER)[:, None] - (missed[-1] - missed[1:])[None, :]
    i, j = (int(k) for k in np.unravel_index(int(total.argmax()), total.shape))
    score = float(total[i, j])
    pairs = []
    while i >= 0:
        pairs.append((i, j))
        i, j = int(came[i, j, 0]), int(came[i, j, 1])
    pairs.reverse()
    if len(pairs) < 2:
        return None
    most = float(worth[edges.cells].sum())
    spans = [(places[b] - places[a], edges.at[d] - edges.at[c]) for (a, c), (b, d) in itertools.pairwise(pairs)]
    fitted = float(np.median([px / mm for px, mm in spans]))
    return AxisMatch(tuple(pairs), score, score / most, fitted)


def most_share(weights: FloatArray, costs: FloatArray, edges: Edges) -> float:
    """A share (see `AxisMatch`) that no match of these lines can exceed; quickly found. Arguments: see `match`."""
    m = len(edges.at)
    worth = np.where(edges.cells, 1.0, LABEL_WORTH)
    lines = np.sort(weights)[::-1][:m]
    seen = float(np.minimum(lines, 1.0) @ np.sort(worth)[::-1][: len(lines)])
    missing = max(0, int(edges.cells.sum()) - len(weights))
    left = float(np.sort(costs)[::-1][m:].sum())  # lines that no edge is left for, each at its cheapest
    cheap = min(left, FEW_BEFORE)
    extra = BEFORE * cheap + AFTER * (left - cheap)
    return (seen - MISSED * missing - extra) / float(edges.cells.sum())


def _beyond(lines: FloatArray, each: float, few: int) -> FloatArray:
    """What lines beyond the match cost."""
    return np.asarray(each * np.minimum(lines, few) + MANY * np.maximum(lines - few, 0), dtype=np.float64)


def merged(places: FloatArray, weights: FloatArray) -> list[tuple[int, ...]]:
    """Lines that are one (double rules, two sides of a thick one), by index, in order."""
    strong = places[weights > 0.5]
    usual = float(np.median(np.diff(strong))) if len(strong) > 2 else 20.0
    groups: list[list[int]] = []
    for k in range(len(places)):
        if groups and places[k] - places[groups[-1][0]] < min(CLOSE * usual, 14.0):
            groups[-1].append(k)
        else:
            groups.append([k])
    return [tuple(group) for group in groups]
