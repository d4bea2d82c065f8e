"""Finds score tables: cells show where one may be, its ruled lines which template it is and which way up.

Tried only where no other sheet was found: the search takes several times as long as that for lattices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from scanner.geometry import FloatArray, Homography
from scanner.intake import Photo
from scanner.locate.candidates import Threshold, find_patches
from scanner.locate.mesh import Mesh, fit_smooth
from scanner.locate.placement import NotFound
from scanner.locate.prepare import stretched
from scanner.locate.table_frame import Frame, frame, regions
from scanner.locate.table_match import AxisMatch, Edges, column_edges, match, merged, row_edges
from scanner.locate.table_placement import TablePlacement, moved, unit_of
from scanner.locate.table_rules import STRIPS, RuledLine, Rules, find_rules
from scanner.templates import Template

WORKING_SIDE = 1000
THRESHOLDS = (Threshold(0.031, 7.0), Threshold(0.061, 4.0), Threshold(0.031, 2.5))
"""Ways of telling cells from lines, tried until a table is found."""
ACCEPT = 0.72
"""Share (see `AxisMatch`) of rows and of columns from which lines are a template's."""
UNDECIDED = 0.12
"""Ways of taking the lines whose shares are nearer than this are decided by what is written."""
FULLY_SEEN, HARDLY_SEEN = 0.8, 0.6
"""Share of the table's extent from which a line counts fully, and from which it may speak against a match."""
SAME_SCALE = 0.08
"""Natural logarithm of the ratio of two scales that needn't both be tried."""
STRETCH = 1.9
"""How far the proportions of a card's cells may be from the template's: fits are told by their number."""
BEND_DEGREE = 4
MIN_ROW_PX = 9.0
"""Rows lower than this in ``photo.rgb`` can't be read by anybody."""


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
    """One way to take the lines. turns: clockwise quarter turns of the template in the rectified picture."""

    template: Template
    turns: int
    rows: AxisMatch
    columns: AxisMatch
    row_axis: Axis
    column_axis: Axis

    @property
    def share(self) -> float:
        """How well the worse direction fits, with a little of the better one."""
        low, high = sorted((self.rows.share, self.columns.share))
        return 0.8 * low + 0.2 * high


def locate_tables(photo: Photo, templates: Sequence[Template]) -> tuple[TablePlacement, ...] | NotFound:
    """The score table of a photo as one of these templates, all with a table of fixed size."""
    templates = [template for template in templates if template.table is not None and not template.table.is_open]
    if not templates:
        return NotFound("none of the templates has a table of a fixed size")
    gray = stretched(photo.gray)
    shrink = min(1.0, WORKING_SIDE / max(gray.shape))
    working = gray
    if shrink < 1:
        working = np.asarray(cv2.resize(gray, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    to_photo = np.diag([gray.shape[1] / working.shape[1], gray.shape[0] / working.shape[0], 1.0])
    most = 0
    best: list[Taken] = []
    for threshold in THRESHOLDS:
        patches = find_patches(working, threshold)
        for members in regions(patches, working.shape):
            most = max(most, int(members.sum()))
            seen = frame(working, patches, members)
            if seen is None:
                continue
            rules = find_rules(seen)
            ways = sorted(_ways(rules, templates), key=lambda way: -way.share)
            if ways and ways[0].share >= ACCEPT:
                near = [way for way in ways if way.share >= max(ACCEPT, ways[0].share - UNDECIDED)]
                places = [placed(way, seen, rules, to_photo) for way in near]
                if row_px(places[0]) < MIN_ROW_PX:
                    return NotFound("a score table was seen, but it is too small in the picture to be read")
                return (replace(places[0], others=tuple(places[1:])),)
            best += ways[:1]
    if best:
        return NotFound("a ruled table was seen, but its rows and columns fit none of the templates")
    if most:
        return NotFound(f"a table with {most} cells was seen, but its lines can't be followed")
    return NotFound("no grid of cells was seen")


def _ways(rules: Rules, templates: Sequence[Template]) -> list[Taken]:
    """All ways in which the lines can be one of the templates, for each template its best for each direction."""
    level = axis_of(rules.level, rules.upright, rules.level_strip, rules.upright_strip)
    upright = axis_of(rules.upright, rules.level, rules.upright_strip, rules.level_strip)
    found = []
    for template in templates:
        table = template.table
        assert table is not None
        rows, columns = row_edges(table), column_edges(table)
        for turns in range(4):
            down, across = _seen_by(level, upright, turns)
            if min(len(down.places), len(across.places)) < 3:
                continue
            row_match = _matched(down, rows, _scales(down, rows))
            if row_match is None or row_match.share < 0.5 * ACCEPT:
                continue
            # Columns may be read off digits that stand in a line; the rows tell about how large all is.
            scales = [row_match.scale, *_scales(across, columns)]
            column_match = _matched(across, columns, scales)
            if column_match is None:
                continue
            if not 1 / STRETCH <= row_match.scale / column_match.scale <= STRETCH:
                continue
            found.append(Taken(template, turns, row_match, column_match, down, across))
    return found


def _seen_by(level: Axis, upright: Axis, turns: int) -> tuple[Axis, Axis]:
    """The lines between rows, from the top, and between columns, from the left, of a template turned clockwise."""
    if turns == 0:
        return level, upright
    if turns == 1:
        return upright.reversed(), level
    if turns == 2:
        return level.reversed(), upright.reversed()
    return upright, level.reversed()


def _matched(axis: Axis, edges: Edges, scales: Sequence[float]) -> AxisMatch | None:
    """The best match of lines and edges over a few scales, and over those that come out of these."""
    tries = [match(axis.places, axis.weights, axis.costs, edges, scale) for scale in scales]
    found = [one for one in tries if one is not None]
    if not found:
        return None
    best = max(found, key=lambda one: one.score)
    again = match(axis.places, axis.weights, axis.costs, edges, best.scale)
    return again if again is not None and again.score > best.score else best


def _scales(axis: Axis, edges: Edges) -> list[float]:
    """What a mm may be in px: the interval of most lines against that of most edges."""
    usual = float(np.median(np.diff(edges.at[edges.cells])))
    found: list[float] = []
    for strong in (axis.places[axis.costs > 0.3], axis.places[axis.weights > 0.5]):
        if len(strong) > 2:
            scale = float(np.median(np.diff(strong))) / usual
            if all(abs(np.log(scale / other)) > SAME_SCALE for other in found):
                found.append(scale)
    return found


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


def row_px(place: TablePlacement) -> float:
    """Height of the usual row in the middle of the table, px of ``photo.rgb``."""
    wide, high = place.extent
    left, top = place.origin
    middle = np.array([left + wide * place.unit / 2, top + high * place.unit / 2])
    a, b = place.project(np.stack([middle, middle + np.array([0, place.unit])]))
    return float(np.linalg.norm(b - a))


def placed(way: Taken, seen: Frame, rules: Rules, to_photo: npt.NDArray[np.float64]) -> TablePlacement:
    """The placement of one way to take the lines."""
    down, row_places = _edge_places(way.row_axis, way.rows, row_edges_all(way.template))
    across, column_places = _edge_places(way.column_axis, way.columns, column_edges_all(way.template))
    template = moved(way.template, across, down)
    table = template.table
    assert table is not None
    unit = unit_of(table)
    left, top = table.columns[0].left, table.rows[0].top
    # Units to the axes of the rectified picture: u = offset + scale * mm, along the template's own axes.
    x_offset, x_scale = column_places
    y_offset, y_scale = row_places
    own = np.array(
        [[unit * x_scale, 0, x_offset + x_scale * left], [0, unit * y_scale, y_offset + y_scale * top], [0, 0, 1]]
    )
    to_flat = _turned_axes(way.turns) @ own
    size = ((table.columns[-1].right - left) / unit, (table.rows[-1].bottom - top) / unit)
    mesh, residual = _bend(way, to_flat, size, rules)
    matrix = Homography(to_photo @ seen.matrix @ to_flat)
    px = float(np.sqrt(abs(np.linalg.det((to_photo @ seen.matrix)[:2, :2])))) * unit * y_scale
    return TablePlacement(template, matrix, mesh, residual * px, way.share)


def _turned_axes(turns: int) -> npt.NDArray[np.float64]:
    """From (along columns, along rows) as `_seen_by` measures them to px of the rectified picture."""
    if turns == 0:
        return np.eye(3)
    if turns == 1:
        return np.array([[0, -1.0, 0], [1, 0, 0], [0, 0, 1]])
    if turns == 2:
        return np.array([[-1.0, 0, 0], [0, -1, 0], [0, 0, 1]])
    return np.array([[0, 1.0, 0], [-1, 0, 0], [0, 0, 1]])


def row_edges_all(template: Template) -> list[tuple[float, float]]:
    """Top and bottom of each row, mm."""
    assert template.table is not None
    return [(row.top, row.bottom) for row in template.table.rows]


def column_edges_all(template: Template) -> list[tuple[float, float]]:
    """Left and right of each column, mm."""
    assert template.table is not None
    return [(column.left, column.right) for column in template.table.columns]


def _edge_places(
    axis: Axis, matched: AxisMatch, spans: list[tuple[float, float]]
) -> tuple[dict[float, float], tuple[float, float]]:
    """Where all edges of a template are, mm, and (offset, px a mm) of the axis.

    Edges without a line lie between their neighbours as the template has them.
    """
    edges = _edges_for(spans, matched, axis)
    mm = np.array([at for at, _ in edges])
    px = np.array([place for _, place in edges])
    scale = float((px[-1] - px[0]) / (mm[-1] - mm[0]))
    offset = float(px[0] - scale * mm[0])
    seen = (px - offset) / scale
    every = sorted({at for span in spans for at in span})
    found: dict[float, float] = {}
    for at in every:
        if at <= mm[0]:
            found[at] = float(seen[0] + (at - mm[0]))
        elif at >= mm[-1]:
            found[at] = float(seen[-1] + (at - mm[-1]))
        else:
            found[at] = float(np.interp(at, mm, seen))
    return found, (offset, scale)


def _edges_for(spans: list[tuple[float, float]], matched: AxisMatch, axis: Axis) -> list[tuple[float, float]]:
    """(mm, px) of the matched edges."""
    usual = float(np.median([end - start for start, end in spans]))
    at: list[float] = []
    for start, end in spans:
        for place in (start, end):
            if not at or place - at[-1] >= 0.3 * usual:
                at.append(place)
    return [(at[edge], float(axis.places[line])) for line, edge in matched.pairs]


def _bend(
    way: Taken, to_flat: npt.NDArray[np.float64], size: tuple[float, float], rules: Rules
) -> tuple[Mesh | None, float]:
    """What bent paper adds, in units, and the RMS residual, in units."""
    back = np.linalg.inv(to_flat)
    own = back @ _turned_axes(way.turns)
    level_is_rows = way.turns % 2 == 0
    points: list[list[FloatArray]] = [[], []]
    offsets: list[list[FloatArray]] = [[], []]
    for kind, (axis, matched) in enumerate(((way.column_axis, way.columns), (way.row_axis, way.rows))):
        is_level = level_is_rows if kind == 1 else not level_is_rows
        strip = rules.level_strip if is_level else rules.upright_strip
        for line_number, _ in matched.pairs:
            line = axis.lines[line_number]
            along = (line.strips + 0.5) * strip
            flat = np.stack([along, line.at] if is_level else [line.at, along], axis=1)
            units = flat @ back[:2, :2].T + back[:2, 2]
            wanted = float(own[kind, kind] * axis.places[line_number] + own[kind, 2])
            inside = (units[:, 1 - kind] > -0.3) & (units[:, 1 - kind] < size[1 - kind] + 0.3)
            off = units[inside, kind] - wanted
            expected = units[inside].copy()
            expected[:, kind] = wanted
            points[kind].append(expected)
            offsets[kind].append(off)
    solved = []
    squares, count = 0.0, 0
    for kind in (0, 1):
        at, off = np.concatenate(points[kind]), np.concatenate(offsets[kind])
        off = np.clip(off, -0.5, 0.5)
        coefficients = fit_smooth(at, off, np.ones(len(off)), size, degree=BEND_DEGREE)
        mesh = Mesh(size, coefficients, np.zeros_like(coefficients))
        left = off - (mesh.displace(at)[:, 0] - at[:, 0])
        squares += float(np.minimum(left**2, 0.04).sum())
        count += len(left)
        solved.append(coefficients)
    return Mesh(size, solved[0], solved[1]), float(np.sqrt(squares / max(count, 1)))
