"""Tables whose rows and columns are as many as there are lines: the ruled part of a picture, taken as it is."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from scanner.geometry import FloatArray
from scanner.locate.table_axis import Axis, Taken, axis_of, ruled_part, seen_by, with_hardly_seen
from scanner.locate.table_match import AxisMatch
from scanner.locate.table_rules import EvidenceArray, RuledLine, Rules, ends_of
from scanner.locate.table_squared import drawn_rules
from scanner.templates import Cell, Table, TableColumn, TableRow, Template
from scanner.templates.model import OpenRun, rectangle

ROW_MM = 8.0
"""What a usual row is taken to measure: the real size can't be told, and nothing depends on it."""
LEAST_INTERVAL, MOST_INTERVAL = 0.5, 3.2
"""Of the usual interval: a row or a column at the edge that is smaller, or larger, is none."""
FEWEST_LINES = 3
LEAST_OPEN, MOST_OPEN = 0.45, 1.7
"""How far, in usual intervals, most lines have to go on beyond the last one across, and may, to close cells there."""
GAP = 0.4
"""Of the usual interval: lines nearer than this to each other have room between two blocks between them, no cells."""
ON_BOTH_SIDES = 1.3
"""How far, in usual intervals, most lines go on beyond either end of what is only a part of a table."""
LEAST_WAYS, MOST_WAYS = 1.15, 2.2
"""Numbers stand in cells that are rather wide than high: from the first proportion on two directions come last, and
from the second on they are left out."""


def open_ways(rules: Rules, template: Template) -> list[Taken]:
    """The directions in which the ruled part can be taken as the open template, likelier ones first."""
    rules = drawn_rules(rules)
    level = axis_of(rules.level, rules.upright, rules.level_strip, rules.upright_strip)
    upright = axis_of(rules.upright, rules.level, rules.upright_strip, rules.level_strip)
    ruled_level, ruled_upright = ruled_part(level, upright, rules)
    level, upright = (
        with_hardly_seen(ruled_level, level, ruled_upright, rules.upright_strip),
        with_hardly_seen(ruled_upright, upright, ruled_level, rules.level_strip),
    )
    level, upright = without_strays(level), without_strays(upright)
    level, upright = (
        with_open_ends(level, upright, rules.upright_evidence, rules.upright_strip),
        with_open_ends(upright, level, rules.level_evidence, rules.level_strip),
    )
    if min(len(level.places), len(upright.places)) < 3:
        return []
    partial = _goes_on(level, upright, rules.upright_evidence, rules.upright_strip) or _goes_on(
        upright, level, rules.level_evidence, rules.level_strip
    )
    ways = []
    for turns in range(4):
        down, across = seen_by(level, upright, turns)
        way = _taken(down, across, turns, template)
        if way is not None:
            ways.append(replace(way, partial=partial))
    wide = [way for way in ways if way.wide >= LEAST_WAYS]
    high = [way for way in ways if way.wide < LEAST_WAYS]
    return wide if any(way.wide >= MOST_WAYS for way in wide) else wide + high


def without_strays(axis: Axis) -> Axis:
    """Without lines at the ends that close off hardly anything, or far too much: the paper's edge, not the table's."""
    while len(axis.places) > FEWEST_LINES:
        intervals = np.diff(axis.places) / np.median(np.diff(axis.places))
        odd = (intervals < LEAST_INTERVAL) | (intervals > MOST_INTERVAL)
        if not (odd[0] or odd[-1]):
            break
        number = np.arange(len(axis.places))
        axis = axis.part(number > 0 if odd[0] else number < number[-1])
    return axis


def with_open_ends(axis: Axis, across: Axis, evidence: EvidenceArray, strip: float) -> Axis:
    """With a line more at an end beyond which the lines across go on: tables needn't have a frame.

    evidence, strip: of the lines across, see `scanner.locate.table_rules.Rules`.
    """
    if len(axis.places) < 2 or len(across.places) < 2:
        return axis
    ends = np.array([ends_of(line, evidence, strip) for line in across.lines])
    for end, outward in ((0, -1), (1, 1)):
        last = 0 if outward < 0 else len(axis.places) - 1
        usual = float(np.median(np.diff(axis.places)))
        place = float(np.median(ends[:, end]))
        beyond = outward * (place - axis.places[last])
        if LEAST_OPEN * usual < beyond < MOST_OPEN * usual:
            axis = _with_line(axis, last, place)
    return axis


def _goes_on(axis: Axis, across: Axis, evidence: EvidenceArray, strip: float) -> bool:
    """Do most lines across go on beyond the ends of an axis as far again, or some way beyond both? Then it is a part.

    Two cards side by side have some level lines in common, whose rows are only part of either card.
    """
    ends = np.array([ends_of(line, evidence, strip) for line in across.lines])
    first, last = float(axis.places[0]), float(axis.places[-1])
    before, after = max(0.0, first - float(np.median(ends[:, 0]))), max(0.0, float(np.median(ends[:, 1])) - last)
    usual = float(np.median(np.diff(axis.places)))
    return before + after >= last - first or min(before, after) >= ON_BOTH_SIDES * usual


def _with_line(axis: Axis, last: int, place: float) -> Axis:
    """With a line at a place beyond an end of an axis, bent as its last line is."""
    model = axis.lines[last]
    line = RuledLine(model.strips, model.at + (place - axis.places[last]), model.strength)
    at = 0 if last == 0 else last + 1
    lines = (*axis.lines[:at], line, *axis.lines[at:])
    return Axis(
        lines, np.insert(axis.places, at, place), np.insert(axis.weights, at, 1.0), np.insert(axis.costs, at, 0.0)
    )


def _taken(down: Axis, across: Axis, turns: int, template: Template) -> Taken | None:
    table = template.table
    assert table is not None
    scale = float(np.median(np.diff(down.places))) / ROW_MM
    mm_down = (down.places - down.places[0]) / scale
    mm_across = (across.places - across.places[0]) / scale
    rows, columns = _cells_between(mm_down), _cells_between(mm_across)
    if not _allowed(len(columns), table.open_columns) or not _allowed(len(rows), table.open_rows):
        return None
    raw = raw_template(template, mm_across, mm_down)
    wide = float(np.median(np.diff(mm_across)) / np.median(np.diff(mm_down)))
    share = float(min(down.weights.mean(), across.weights.mean()))
    every_row, every_column = _every(mm_down, rows, scale), _every(mm_across, columns, scale)
    return Taken(raw, turns, every_row, every_column, down, across, share, wide, template)


def _every(places: FloatArray, cells: list[tuple[float, float]], scale: float) -> AxisMatch:
    """Lines at sorted places matched with the edges of the cells between them, which all but those in a gap are."""
    edges = sorted({edge for span in cells for edge in span})
    lines = {place: k for k, place in enumerate(places.tolist())}
    return AxisMatch(tuple((lines[edge], k) for k, edge in enumerate(edges)), len(cells), 1.0, scale)


def _allowed(count: int, run: OpenRun | None) -> bool:
    """Could so many be the open ones, perhaps with labels or a heading and a sum beside them?"""
    return run is not None and run.least <= count <= run.most + 2


def raw_template(template: Template, across: FloatArray, down: FloatArray) -> Template:
    """The open template with a cell between any two lines: all of them numbers, none of them labels yet. In mm.

    Two lines near each other are a double rule, however far apart it was printed.
    """
    table = template.table
    assert table is not None
    columns = tuple(
        TableColumn(f"c{k + 1}", a, b, "", "single", labels=False) for k, (a, b) in enumerate(_cells_between(across))
    )
    rows = tuple(
        TableRow(f"r{k + 1}", a, b, "", "single", labels=False) for k, (a, b) in enumerate(_cells_between(down))
    )
    values = next((cell.values for cell in template.cells if cell.kind == "number"), None)
    cells = tuple(
        Cell(
            f"{column.id}.{row.id}",
            "number",
            rectangle(column.left, row.top, column.right, row.bottom),
            values,
        )
        for column in columns
        for row in rows
    )
    whole = Table(columns, rows, (), table.open_columns, table.open_rows)
    return replace(template, size=(columns[-1].right, rows[-1].bottom), cells=cells, table=whole)


def _cells_between(places: FloatArray) -> list[tuple[float, float]]:
    """From where to where cells go between lines at sorted places."""
    usual = float(np.median(np.diff(places)))
    spans = list(itertools.pairwise(places.tolist()))
    inside = range(1, len(spans) - 1)
    return [(a, b) for k, (a, b) in enumerate(spans) if k not in inside or b - a > GAP * usual]
