"""Finds score tables: cells show where one may be, its ruled lines which template it is and which way up.

Tried only where no other sheet was found: the search takes several times as long as that for lattices.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from scanner.geometry import FloatArray, Homography, polygon_area, project
from scanner.intake import Photo
from scanner.locate.mesh import Mesh, fit_smooth
from scanner.locate.placement import NotFound
from scanner.locate.prepare import stretched
from scanner.locate.table_axis import Axis, Taken, axis_of, ruled_part, seen_by, turned_axes, within
from scanner.locate.table_frame import Frame, frame, near_cells, on_sheet, regions
from scanner.locate.table_match import AxisMatch, Edges, column_edges, match, most_share, row_edges
from scanner.locate.table_open import open_ways
from scanner.locate.table_placement import TablePlacement, moved, unit_of
from scanner.locate.table_rules import Rules, find_rules, go_on_outside
from scanner.locate.table_sights import Sight, looks
from scanner.locate.table_variants import variants
from scanner.templates import Table, Template

Pairs = tuple[tuple[int, int], ...]
"""Lines of a picture and edges of a template, (line, edge), in order; see `AxisMatch`."""

WORKING_SIDE = 1000
MUCH_LARGER = 1.15
"""An open table that is this much larger than another one in the same picture is the table, the other a part of it."""
WORSE_SEEN = 0.05
"""Share of its lines by which one of about the same size may be seen less fully, and be the table with more cells."""
SEVERAL, FEWEST_INTERVALS = 2.4, 4
"""A cell that isn't at the edge of an open table and this much larger than usual may be several, between bands; and
rows or columns from which there is a usual one."""
ACCEPT = 0.88
"""Share (see `AxisMatch`) of rows and of columns from which lines are a template's: generated cards have 0.93 or more,
spreadsheets and graph paper up to 0.87."""
FITS = 0.95
"""The same from which no other look is needed."""
STRICT = 0.92
"""The same of faint lines, which are seen in a checked cloth, too: up to 0.87 there, cards have 0.93 or more."""
LEAST = (ACCEPT - 0.2) / 0.8
"""The same of rows, or of columns, if the others fit perfectly; with less a way is no way."""
OTHER_COLUMNS, HEADED = 0.5, 1.2
"""So much better another printing of a card has to fit than its template, in lines, if it has other columns, and if it
has a row more: with that one a block of rows may be taken a row off, and a heading for numbers."""
OTHERWISE = 0.02
"""So much of its share another printing loses: with that many forms to choose from, graph paper fits one up to 0.90."""
NEARLY_EVEN, UNEVEN_COLUMNS = 0.06, 25.0
"""Natural logarithm up to which columns of cells are equally wide, and how many lines more of it counts between two
printings: the last column of labels is none of cells."""
UNDECIDED = 0.12
"""Ways of taking the lines whose shares are nearer than this are decided by what is written."""
SAME_SCALE = 0.08
"""Natural logarithm of the ratio of two scales that needn't both be tried."""
FEWEST_RULED = 4
"""Lines of each direction that cells were seen between, from which what lies beyond them is no part of the table."""
STRETCH = 1.9
"""How far the proportions of a card's cells may be from the template's: fits are told by their number."""
BEND_DEGREE = 4
MOST_OFF = 0.04
"""Distance of lines from the fit, as a share of a row's height, RMS, up to which they are printed ones."""
MIN_ROW_PX = 9.0
"""Rows lower than this in ``photo.rgb`` can't be read by anybody."""


def locate_tables(photo: Photo, templates: Sequence[Template]) -> tuple[TablePlacement, ...] | NotFound:
    """The score table of a photo as one of these templates, each of which has a table.

    Open templates, whose rows and columns are as many as there are lines, take any ruled table: they are tried only
    where they are the only ones, as with ``--template score-table``. A spreadsheet isn't a sheet unless somebody says
    so.
    """
    fixed = [template for template in templates if template.table is not None and not template.table.is_open]
    opened = [template for template in templates if template.table is not None and template.table.is_open]
    gray = stretched(photo.gray)
    shrink = min(1.0, WORKING_SIDE / max(gray.shape))
    working = gray
    if shrink < 1:
        working = np.asarray(cv2.resize(gray, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    to_photo = np.diag([gray.shape[1] / working.shape[1], gray.shape[0] / working.shape[0], 1.0])
    most = 0
    followed = 0
    largest: _Opened | None = None
    nearly: list[tuple[Sequence[Taken], _Seen]] = []
    for look in looks(faint_first=bool(fixed)):
        if look.last_resort and (nearly or (largest is not None and largest.is_whole)):
            break
        sight = look.see(working)
        for members in regions(sight.patches, working.shape):
            most = max(most, int(members.sum()))
            views = _views(sight, members, working, to_photo)
            followed += len(views)
            if fixed:
                found = [(_ways(seen.rules, fixed), seen) for seen in views]
                taken = _most_matched(found, STRICT if look.strict else ACCEPT)
                if taken is not None and taken[0][0].share >= FITS:
                    return _placements(*taken)
                # Where lines weren't seen, what is left may look like another card's: another look may show them.
                nearly += [taken] if taken is not None else []
                continue
            for seen in views[-1:]:
                ways = _open(seen.rules, opened)
                if not ways or ways[0].share < ACCEPT:
                    continue
                # Any part of a table is a table as well: all of it is where the most of the picture is.
                one = _Opened(ways, seen, _area(ways[0], seen))
                if largest is None or one.is_more_than(largest):
                    largest = one
    if nearly:
        return _placements(*max(nearly, key=_lines_matched))
    if largest is not None:
        if largest.ways[0].partial:
            return NotFound("a ruled table was seen, but it goes on where no lines between its cells could be followed")
        return _placements(largest.ways, largest.seen)
    if followed:
        return NotFound("a ruled table was seen, but its rows and columns fit none of the templates", unknown=True)
    if most:
        return NotFound(f"a table with {most} cells was seen, but its lines can't be followed")
    return NotFound("no grid of cells was seen")


@dataclass(frozen=True, slots=True)
class _Seen:
    frame: Frame
    rules: Rules
    to_photo: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Opened:
    """Ways to take lines as an open table. area: of the table, px of the picture squared."""

    ways: Sequence[Taken]
    seen: _Seen
    area: float

    def is_more_than(self, other: _Opened) -> bool:
        """Whether the other is a part of it, or the same table with lines that weren't seen."""
        if self.ways[0].partial != other.ways[0].partial:
            return other.ways[0].partial
        if self.area > MUCH_LARGER * other.area:
            return True
        as_well_seen = self.ways[0].share > other.ways[0].share - WORSE_SEEN
        return self.area * MUCH_LARGER > other.area and self._cells > other._cells and as_well_seen

    @property
    def is_whole(self) -> bool:
        """Are all lines seen that there may be? Not if one of the cells inside is as large as several."""
        way = self.ways[0]
        axes = [np.diff(axis.places) for axis in (way.row_axis, way.column_axis)]
        return not way.partial and not any(_several(intervals) for intervals in axes)

    @property
    def _cells(self) -> int:
        way = self.ways[0]
        return (len(way.row_axis.places) - 1) * (len(way.column_axis.places) - 1)


def _several(intervals: FloatArray) -> bool:
    """May one of the intervals be several? At the edge there are wide labels, unless there are but two or three."""
    if len(intervals) < FEWEST_INTERVALS:
        return bool(intervals.max() > SEVERAL * intervals.min())
    return bool(intervals[1:-1].max() > SEVERAL * np.median(intervals))


def _views(
    sight: Sight,
    members: npt.NDArray[np.bool_],
    working: npt.NDArray[np.uint8],
    to_photo: npt.NDArray[np.float64],
) -> list[_Seen]:
    """The lines around some cells of a sight, and further around if they go on there; none if nothing is followed."""
    views: list[_Seen] = []
    for far in (False, True):
        flat = frame(sight.picture, sight.patches, members, far=far)
        if flat is None:
            break
        if sight.pale:
            flat = near_cells(flat, sight.patches, members)
        else:
            flat = on_sheet(flat, sight.patches, members, working)
        views.append(_Seen(flat, find_rules(flat, pale=sight.pale), to_photo))
        if sight.pale or not go_on_outside(views[-1].rules):
            break
    return views


def _most_matched(
    found: Sequence[tuple[Sequence[Taken], _Seen]], least: float = ACCEPT
) -> tuple[Sequence[Taken], _Seen] | None:
    """The view in which the most lines are a template's; null where they are none's. least: share of the best way."""
    good = [one for one in found if one[0] and one[0][0].share >= least]
    return max(good, key=_lines_matched, default=None)


def _lines_matched(one: tuple[Sequence[Taken], _Seen]) -> int:
    """How many lines are the template's, as the first way takes them."""
    return len(one[0][0].rows.pairs) + len(one[0][0].columns.pairs)


def _area(way: Taken, seen: _Seen) -> float:
    """Of the table that lines are taken as, px of the picture squared."""
    across, down = (axis.places[[0, -1]] for axis in (way.column_axis, way.row_axis))
    corners = np.array([[across[0], down[0]], [across[1], down[0]], [across[1], down[1]], [across[0], down[1]]])
    to_picture = Homography(seen.to_photo @ seen.frame.matrix @ turned_axes(way.turns))
    return abs(polygon_area(project(to_picture, corners)))


def _open(rules: Rules, templates: Sequence[Template]) -> list[Taken]:
    return [way for template in templates for way in open_ways(rules, template)]


def _placements(ways: Sequence[Taken], seen: _Seen) -> tuple[TablePlacement, ...] | NotFound:
    """The first way's placement, with those of the others that fit nearly as well."""
    near = [way for way in ways if way.share >= max(ACCEPT, ways[0].share - UNDECIDED)]
    places = [
        replace(
            placed(way, seen.frame, seen.rules, seen.to_photo),
            shifted=tuple(placed(one, seen.frame, seen.rules, seen.to_photo) for one in _shifted(way)),
        )
        for way in near
    ]
    places = [place for place in places if place.residual_px < MOST_OFF * row_px(place)]
    if not places:
        return NotFound("lines like a table's were seen, but they are none that a straight edge drew")
    if row_px(places[0]) < MIN_ROW_PX:
        return NotFound("a score table was seen, but it is too small in the picture to be read")
    return (replace(places[0], others=tuple(places[1:])),)


def _shifted(way: Taken) -> list[Taken]:
    """Other ways to take the rows, see `shifted_pairs`. None for open templates."""
    if way.model is not None:
        return []
    table = way.template.table
    assert table is not None
    return [replace(way, rows=replace(way.rows, pairs=pairs)) for pairs in shifted_pairs(way.rows.pairs, table)]


def shifted_pairs(pairs: Pairs, table: Table) -> list[Pairs]:
    """Lines and edges, (line, edge), with all rows one higher, and one lower, then two, then with only those above a
    double rule one higher or lower, and only those below it.

    Cards leave room between two blocks of rows, or a heading out, and either block may be taken a row off; and the edge
    of the paper looks like a table's last line.
    """
    lines = row_edges(table).at
    doubles = [row.top for row in table.rows[1:] if row.line == "double" and not row.labels]
    splits = [int(np.abs(lines - top).argmin()) for top in doubles]
    blocks = [(0, k) for k in splits] + [(k + 1, len(lines)) for k in splits]
    steps = [(0, len(lines), step) for step in (-1, 1, -2, 2)]
    steps += [(low, high, step) for low, high in blocks for step in (-1, 1)]
    moved = [_moved(pairs, low, high, step, len(lines)) for low, high, step in steps]
    return [one for one in moved if len(one) >= 3 and one != pairs]


def _moved(pairs: Pairs, low: int, high: int, step: int, edges: int) -> Pairs:
    """(line, edge) with the edges from `low` up to `high` a step on; those that would then be another's stay unseen."""
    stay = {edge: line for line, edge in pairs if not low <= edge < high}
    moved = {edge + step: line for line, edge in pairs if low <= edge < high and 0 <= edge + step < edges}
    together = sorted((edge, line) for edge, line in (moved | stay).items())
    return tuple((line, edge) for edge, line in together)


def _ways(rules: Rules, templates: Sequence[Template]) -> list[Taken]:
    """All ways in which the lines can be one of the templates, the best first; one for each template and direction."""
    level = axis_of(rules.level, rules.upright, rules.level_strip, rules.upright_strip)
    upright = axis_of(rules.upright, rules.level, rules.upright_strip, rules.level_strip)
    ruled_level, ruled_upright = ruled_part(level, upright, rules)
    if min(len(ruled_level.places), len(ruled_upright.places)) >= FEWEST_RULED:
        level, upright = (
            within(level, ruled_level, ruled_upright, rules.upright_strip),
            within(upright, ruled_upright, ruled_level, rules.level_strip),
        )
    matched = _Matches()
    best: dict[tuple[str, int], tuple[bool, float, Taken]] = {}
    for own in _different(templates):
        for template in variants(own):
            table = template.table
            assert table is not None
            rows, columns = row_edges(table, _text_rows(template)), column_edges(table)
            for turns in range(4):
                down, across = seen_by(level, upright, turns)
                if min(len(down.places), len(across.places)) < 3:
                    continue
                row_match = matched.of(down, rows, _scales(down, rows))
                if row_match is None or row_match.share < LEAST:
                    continue
                # Columns may be read off digits that stand in a line; the rows tell about how large all is.
                scales = [row_match.scale, *_scales(across, columns)]
                column_match = matched.of(across, columns, scales)
                if column_match is None:
                    continue
                if not 1 / STRETCH <= row_match.scale / column_match.scale <= STRETCH:
                    continue
                low, high = sorted((min(row_match.share, 1.0), min(column_match.share, 1.0)))
                share = 0.8 * low + 0.2 * high - (OTHERWISE if template is not own else 0.0)
                taken = Taken(template, turns, row_match, column_match, down, across, share)
                worth = row_match.score + column_match.score - _unlike(template, own)
                worth -= UNEVEN_COLUMNS * max(0.0, _uneven(across, column_match, columns) - NEARLY_EVEN)
                key = own.id, turns
                # Of two that would do the one that explains more, and before those that would not.
                if key not in best or (share >= ACCEPT, worth) > best[key][:2]:
                    best[key] = share >= ACCEPT, worth, taken
    return sorted((way for _, _, way in best.values()), key=lambda way: -way.share)


def _unlike(template: Template, own: Template) -> float:
    """How much speaks against another printing of a template."""
    one, other = template.table, own.table
    assert one is not None
    assert other is not None
    columns = OTHER_COLUMNS if len(one.columns) != len(other.columns) else 0.0
    return columns + (HEADED if len(one.rows) != len(other.rows) else 0.0)


def _uneven(axis: Axis, matched: AxisMatch, edges: Edges) -> float:
    """How far the width of a column of cells is from the usual one, natural logarithm: one of labels may be any."""
    widths = [
        float(axis.places[after] - axis.places[line])
        for (line, edge), (after, later) in itertools.pairwise(matched.pairs)
        if later == edge + 1 and edges.cells[edge]
    ]
    return float(np.abs(np.log(np.array(widths) / np.median(widths))).max()) if widths else 0.0


class _Matches:
    """Matches of the lines of one picture, each made once: templates have rows, and columns, in common."""

    def __init__(self) -> None:
        self._made: dict[tuple[bytes, tuple[float, ...]], AxisMatch | None] = {}

    def of(self, axis: Axis, edges: Edges, scales: Sequence[float]) -> AxisMatch | None:
        """The best match, see `_matched`; null where it couldn't be good enough."""
        lines = (axis.places, axis.weights, axis.costs, edges.at, edges.cells, edges.loose)
        key = b"".join(one.tobytes() for one in lines), tuple(scales)
        if key not in self._made:
            fits = most_share(axis.weights, axis.costs, edges) >= LEAST
            self._made[key] = _matched(axis, edges, scales) if fits else None
        return self._made[key]


def _text_rows(template: Template) -> frozenset[str]:
    """Rows for names: as high as somebody liked."""
    kinds: dict[str, set[str]] = {}
    for cell in template.cells:
        if "." in cell.id:
            kinds.setdefault(cell.id.split(".", 1)[1], set()).add(cell.kind)
    return frozenset(row for row, found in kinds.items() if found == {"text"})


def _different(templates: Sequence[Template]) -> list[Template]:
    """Without those whose lines are the same as another's: the first of them stands for all."""
    kept: dict[tuple[float, ...], Template] = {}
    for template in templates:
        table = template.table
        assert table is not None
        edges = (*(edge for one in table.columns for edge in (one.left, one.right)), 0.0)
        kept.setdefault((*edges, *(edge for one in table.rows for edge in (one.top, one.bottom))), template)
    return list(kept.values())


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


def row_px(place: TablePlacement) -> float:
    """Height of the usual row in the middle of the table, px of ``photo.rgb``."""
    wide, high = place.extent
    left, top = place.origin
    middle = np.array([left + wide * place.unit / 2, top + high * place.unit / 2])
    a, b = place.project(np.stack([middle, middle + np.array([0, place.unit])]))
    return float(np.linalg.norm(b - a))


def placed(way: Taken, seen: Frame, rules: Rules, to_photo: npt.NDArray[np.float64]) -> TablePlacement:
    """The placement of one way to take the lines."""
    down, row_places = _edge_places(way.row_axis, way.rows, *_edges_of(way, rows=True))
    across, column_places = _edge_places(way.column_axis, way.columns, *_edges_of(way, rows=False))
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
    to_flat = turned_axes(way.turns) @ own
    size = ((table.columns[-1].right - left) / unit, (table.rows[-1].bottom - top) / unit)
    mesh, residual = _bend(way, to_flat, size, rules)
    matrix = Homography(to_photo @ seen.matrix @ to_flat)
    px = float(np.sqrt(abs(np.linalg.det((to_photo @ seen.matrix)[:2, :2])))) * unit * y_scale
    return TablePlacement(template, matrix, mesh, residual * px, way.share, model=way.model)


def _edges_of(way: Taken, *, rows: bool) -> tuple[list[float], FloatArray]:
    """All edges of a template's rows or columns, mm, and those that were matched to lines."""
    table = way.template.table
    assert table is not None
    spans = [(row.top, row.bottom) for row in table.rows] if rows else [(one.left, one.right) for one in table.columns]
    every = sorted({at for span in spans for at in span})
    if way.model is not None:
        return every, np.array(every)
    return every, (row_edges(table) if rows else column_edges(table)).at


def _edge_places(
    axis: Axis, matched: AxisMatch, every: list[float], lines: FloatArray
) -> tuple[dict[float, float], tuple[float, float]]:
    """Where all edges of a template are, mm, and (offset, px a mm) of the axis. lines: the edges that were matched.

    Edges without a line lie between their neighbours as the template has them.
    """
    mm = np.array([lines[edge] for _, edge in matched.pairs])
    px = np.array([axis.places[line] for line, _ in matched.pairs])
    scale = float((px[-1] - px[0]) / (mm[-1] - mm[0]))
    offset = float(px[0] - scale * mm[0])
    seen = (px - offset) / scale
    found: dict[float, float] = {}
    for at in every:
        if at <= mm[0]:
            found[at] = float(seen[0] + (at - mm[0]))
        elif at >= mm[-1]:
            found[at] = float(seen[-1] + (at - mm[-1]))
        else:
            found[at] = float(np.interp(at, mm, seen))
    return found, (offset, scale)


def _bend(
    way: Taken, to_flat: npt.NDArray[np.float64], size: tuple[float, float], rules: Rules
) -> tuple[Mesh | None, float]:
    """What bent paper adds, in units, and the RMS residual, in units."""
    back = np.linalg.inv(to_flat)
    own = back @ turned_axes(way.turns)
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
