"""The lines of one direction of a table as they are matched, and how they look from each of its four sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scanner.geometry import FloatArray
from scanner.locate.table_match import AxisMatch, merged
from scanner.locate.table_rules import STRIPS, RuledLine
from scanner.templates import Template

FULLY_SEEN, HARDLY_SEEN = 0.8, 0.6
"""Share of the table's extent from which a line counts fully, and from which it may speak against a match."""


@dataclass(frozen=True, slots=True)
class Axis:
    """Lines of one direction as they are matched: those that are one are together.

    places: float64 [n], px, ascending. weights: float64 [n], 0 to 1, how much of the table's extent each spans. costs:
    float64 [n], 0 to 1, how surely each is a line: one through a stack of digits has gaps.
    """

    lines: tuple[RuledLine, ...]
    places: FloatArray
    weights: FloatArray
    costs: FloatArray

    def reversed(self) -> Axis:
        """Seen from the other side."""
        return Axis(self.lines[::-1], -self.places[::-1], self.weights[::-1], self.costs[::-1])


@dataclass(frozen=True, slots=True)
class Taken:
    """One way to take the lines of a table. turns: clockwise quarter turns of the template in the rectified picture.

    share: how well the lines fit or, of an open template, how fully they were seen; about 1 where all is right. wide:
    width of the cells against their height. model: see `TablePlacement`.
    """

    template: Template
    turns: int
    rows: AxisMatch
    columns: AxisMatch
    row_axis: Axis
    column_axis: Axis
    share: float
    wide: float = 1.0
    model: Template | None = None


def seen_by(level: Axis, upright: Axis, turns: int) -> tuple[Axis, Axis]:
    """The lines between rows, from the top, and between columns, from the left, of a template turned clockwise."""
    if turns == 0:
        return level, upright
    if turns == 1:
        return upright.reversed(), level
    if turns == 2:
        return level.reversed(), upright.reversed()
    return upright, level.reversed()


def turned_axes(turns: int) -> npt.NDArray[np.float64]:
    """From (along columns, along rows) as `seen_by` measures them to px of the rectified picture."""
    if turns == 0:
        return np.eye(3)
    if turns == 1:
        return np.array([[0, -1.0, 0], [1, 0, 0], [0, 0, 1]])
    if turns == 2:
        return np.array([[-1.0, 0, 0], [0, -1, 0], [0, 0, 1]])
    return np.array([[0, 1.0, 0], [-1, 0, 0], [0, 0, 1]])


def axis_of(lines: Sequence[RuledLine], across: Sequence[RuledLine], strip: float, across_strip: float) -> Axis:
    """Lines of one direction with their weights; those across tell how far the table goes."""
    if not lines:
        return Axis((), np.zeros(0), np.zeros(0), np.zeros(0))
    first, last = _span(lines)
    first, last = _clipped(first, last, [line.place / strip for line in across if len(line.strips) > STRIPS // 3])
    covered = np.array([line.within(first, last) for line in lines])
    weights = np.minimum(1.0, covered / FULLY_SEEN) ** 1.5
    costs = np.clip((covered - HARDLY_SEEN) / (1 - HARDLY_SEEN), 0, 1) ** 1.5
    places = np.array([line.place for line in lines])
    kept, merged_places, merged_weights, merged_costs = [], [], [], []
    for group in merged(places, weights):
        best = max(group, key=lambda k: (len(lines[k].strips), lines[k].strength))
        kept.append(_together([lines[k] for k in group], lines[best]))
        merged_places.append(float(np.average(places[list(group)], weights=weights[list(group)] + 1e-3)))
        merged_weights.append(float(weights[list(group)].max()))
        merged_costs.append(float(costs[list(group)].max()))
    return Axis(tuple(kept), np.array(merged_places), np.array(merged_weights), np.array(merged_costs))


def _span(lines: Sequence[RuledLine]) -> tuple[float, float]:
    """First and last strip of most lines, the longer ones counting more."""
    weights = np.array([len(line.strips) for line in lines], dtype=np.float64) ** 2
    ends = []
    for values in ([line.strips[0] for line in lines], [line.strips[-1] for line in lines]):
        order = np.argsort(values)
        total = np.cumsum(weights[order])
        ends.append(float(np.array(values)[order][np.searchsorted(total, 0.5 * total[-1])]))
    return ends[0], ends[1]


def _clipped(first: float, last: float, places: list[float]) -> tuple[float, float]:
    """The span, no longer than that of the lines across."""
    if len(places) < 2:
        return first, last
    start, end = max(first, min(places)), min(last, max(places))
    return (start, end) if end - start > 0.5 * (last - first) else (first, last)


def _together(group: list[RuledLine], main: RuledLine) -> RuledLine:
    """Lines that are one: the middle of them, strip by strip."""
    if len(group) == 1:
        return main
    by_strip: dict[int, list[float]] = {}
    for line in group:
        for strip, at in zip(line.strips.tolist(), line.at.tolist(), strict=True):
            by_strip.setdefault(strip, []).append(at)
    strips = sorted(by_strip)
    # A strip that shows one of two lines only would pull the middle to it.
    full = [strip for strip in strips if len(by_strip[strip]) == len(group)] or strips
    return RuledLine(
        np.array(full, dtype=np.int64), np.array([float(np.mean(by_strip[strip])) for strip in full]), main.strength
    )
