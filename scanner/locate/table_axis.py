"""The lines of one direction of a table as they are matched, and how they look from each of its four sides."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scanner.geometry import FloatArray
from scanner.locate.table_match import AxisMatch, merged
from scanner.locate.table_rules import STRIPS, RuledLine, Rules
from scanner.templates import Template

FULLY_SEEN, HARDLY_SEEN = 0.8, 0.6
"""Share of the table's extent from which a line counts fully, and from which it may speak against a match."""
WELL_SEEN = 0.8
"""Weight of a line (see `Axis`) from which it is one of the table's."""
HARDLY_THERE, SAME_INTERVAL = 0.4, 0.22
"""Weight of a line that goes on after the last well seen one, and how far its interval may differ from the usual."""
HIGHER_LAST = 1.6
"""Height of a row of totals, in usual ones, up to which it is the last of a table whose lower line is hardly seen."""
MOSTLY_DOUBLE = 0.7
"""Share of a line along which another has to lie beside it, for the two to be one double rule."""
GLIMPSED, HALVES = 0.15, 0.12
"""Weight of a line that halves an interval twice as high as usual, and how far from its middle, in usual intervals."""
CROSSED = 0.6
"""Share of the lines across that have to run through a row or a column; beyond the table there are none."""


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

    def part(self, kept: npt.NDArray[np.bool_]) -> Axis:
        """Only the lines that are kept: bool [n]."""
        lines = tuple(line for line, keep in zip(self.lines, kept.tolist(), strict=True) if keep)
        return Axis(lines, self.places[kept], self.weights[kept], self.costs[kept])


@dataclass(frozen=True, slots=True)
class Taken:
    """One way to take the lines of a table. turns: clockwise quarter turns of the template in the rectified picture.

    share: how well the lines fit or, of an open template, how fully they were seen; about 1 where all is right. wide:
    width of the cells against their height. model: see `TablePlacement`. partial: lines go on far beyond the table, so
    that most of its rows or columns weren't seen.
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
    partial: bool = False


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


def ruled_part(level: Axis, upright: Axis, rules: Rules) -> tuple[Axis, Axis]:
    """The lines that make up cells: seen along all of the table, and none beyond those that the others run through."""
    level, upright = level.part(level.weights >= WELL_SEEN), upright.part(upright.weights >= WELL_SEEN)
    for _ in range(3):
        level = _crossed(level, upright, rules.upright_strip)
        upright = _crossed(upright, level, rules.level_strip)
    return level, upright


def within(axis: Axis, part: Axis, across: Axis, strip: float) -> Axis:
    """The lines of an axis from the first to the last of a part of it: the paper's edges lie outside.

    Lines beyond that are hardly seen belong to it as long as they go on at the same intervals; and one that closes off
    a last row which is a little higher, if the lines across run through that. strip: px of those, along them.
    """
    if len(part.places) < 2:
        return axis
    usual = float(np.median(np.diff(part.places)))
    first, last = float(part.places[0]), float(part.places[-1])
    seen = axis.places[axis.weights >= HARDLY_THERE]
    for place in seen[seen > last].tolist():
        if abs(place - last - usual) > SAME_INTERVAL * usual:
            break
        last = place
    for place in seen[seen < first].tolist()[::-1]:
        if abs(first - place - usual) > SAME_INTERVAL * usual:
            break
        first = place
    after = seen[(seen > last) & (seen < last + HIGHER_LAST * usual)]
    before = seen[(seen < first) & (seen > first - HIGHER_LAST * usual)]
    if after.size and _share_through(across.lines, last / strip, float(after[0]) / strip) >= CROSSED:
        last = float(after[0])
    if before.size and _share_through(across.lines, float(before[-1]) / strip, first / strip) >= CROSSED:
        first = float(before[-1])
    return axis.part((axis.places >= first) & (axis.places <= last))


def with_hardly_seen(part: Axis, axis: Axis, across: Axis, strip: float) -> Axis:
    """A ruled part with the lines of the whole axis that are hardly seen, but where one has to be.

    In the middle of an interval that is twice the usual one; and beyond an end, as long as the lines across run on
    through a row that is about as high as the others. strip: px of those, along them.
    """
    if len(part.places) < 3 or len(across.places) < 2:
        return part
    usual = float(np.median(np.diff(part.places)))
    kept = np.isin(axis.places, part.places)
    for a, b in itertools.pairwise(part.places.tolist()):
        if abs(b - a - 2 * usual) < 2 * HALVES * usual:
            off = np.where(axis.weights >= GLIMPSED, np.abs(axis.places - (a + b) / 2), np.inf)
            kept[int(off.argmin())] |= bool(off.min() < HALVES * usual)
    for outward in (-1, 1):
        last = int(np.flatnonzero(kept)[0 if outward < 0 else -1])
        for k in range(last + outward, len(axis.places) if outward > 0 else -1, outward):
            away = outward * float(axis.places[k] - axis.places[last])
            if away > HIGHER_LAST * usual:
                break
            low, high = sorted((float(axis.places[last]), float(axis.places[k])))
            through = _share_through(across.lines, low / strip, high / strip)
            if axis.weights[k] >= HARDLY_THERE and away > (1 - SAME_INTERVAL) * usual and through >= CROSSED:
                kept[k], last = True, k
    return axis.part(kept)


def _crossed(axis: Axis, across: Axis, strip: float) -> Axis:
    """Without lines at the ends beyond which the lines across don't go. strip: px of those, along them."""
    places = axis.places
    if len(places) < 2 or len(across.places) < 2:
        return axis
    through = [_share_through(across.lines, a / strip, b / strip) for a, b in itertools.pairwise(places.tolist())]
    first, last = 0, len(places) - 1
    while first < last and through[first] < CROSSED:
        first += 1
    while last > first and through[last - 1] < CROSSED:
        last -= 1
    kept = np.zeros(len(places), dtype=np.bool_)
    kept[first : last + 1] = True
    return axis.part(kept)


def _share_through(lines: Sequence[RuledLine], start: float, end: float) -> float:
    """Share of lines that are seen between two places, in strips."""
    middle, reach = (start + end) / 2 - 0.5, max(0.9, 0.3 * (end - start))
    return float(np.mean([float(np.abs(line.strips - middle).min()) <= reach for line in lines]))


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
    # A strip that shows one of two lines only would pull the middle to it.
    double = {strip: float(np.mean(at)) for strip, at in by_strip.items() if len(at) == len(group)}
    if len(double) < MOSTLY_DOUBLE * len(main.strips):
        # Pieces of one line that follow each other; what lies beside it is writing.
        double = {strip: float(np.mean(at)) for strip, at in by_strip.items()}
        double |= dict(zip(main.strips.tolist(), main.at.tolist(), strict=True))
    strips = sorted(double)
    return RuledLine(np.array(strips, dtype=np.int64), np.array([double[strip] for strip in strips]), main.strength)
