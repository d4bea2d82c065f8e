"""Tables whose rows and columns are as many as there are lines: the ruled part of a picture, taken as it is."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from scanner.geometry import FloatArray
from scanner.locate.table_axis import Axis, Taken, axis_of, ruled_part, seen_by
from scanner.locate.table_match import AxisMatch
from scanner.locate.table_rules import Rules
from scanner.templates import Cell, Table, TableColumn, TableRow, Template
from scanner.templates.model import OpenRun, rectangle

ROW_MM = 8.0
"""What a usual row is taken to measure: the real size can't be told, and nothing depends on it."""
LEAST_WAYS = 1.15
"""Numbers stand in cells that are rather wide than high: with this proportion or more, two directions are left out."""


def open_ways(rules: Rules, template: Template) -> list[Taken]:
    """The directions in which the ruled part can be taken as the open template; none if it doesn't fit."""
    level = axis_of(rules.level, rules.upright, rules.level_strip, rules.upright_strip)
    upright = axis_of(rules.upright, rules.level, rules.upright_strip, rules.level_strip)
    level, upright = ruled_part(level, upright, rules)
    if min(len(level.places), len(upright.places)) < 3:
        return []
    ways = []
    for turns in range(4):
        down, across = seen_by(level, upright, turns)
        way = _taken(down, across, turns, template)
        if way is not None:
            ways.append(way)
    wide = [way for way in ways if way.wide >= LEAST_WAYS]
    return wide or ways


def _taken(down: Axis, across: Axis, turns: int, template: Template) -> Taken | None:
    table = template.table
    assert table is not None
    rows, columns = len(down.places) - 1, len(across.places) - 1
    if not _allowed(columns, table.open_columns) or not _allowed(rows, table.open_rows):
        return None
    scale = float(np.median(np.diff(down.places))) / ROW_MM
    mm_down = (down.places - down.places[0]) / scale
    mm_across = (across.places - across.places[0]) / scale
    raw = raw_template(template, mm_across, mm_down)
    wide = float(np.median(np.diff(mm_across)) / np.median(np.diff(mm_down)))
    every_row, every_column = (AxisMatch(tuple((k, k) for k in range(n + 1)), n, 1.0, scale) for n in (rows, columns))
    share = float(min(down.weights.mean(), across.weights.mean()))
    return Taken(raw, turns, every_row, every_column, down, across, share, wide, template)


def _allowed(count: int, run: OpenRun | None) -> bool:
    """Could so many be the open ones, perhaps with labels or a heading and a sum beside them?"""
    return run is not None and run.least <= count <= run.most + 2


def raw_template(template: Template, across: FloatArray, down: FloatArray) -> Template:
    """The open template with a cell between any two lines: all of them numbers, none of them labels yet. In mm."""
    table = template.table
    assert table is not None
    columns = tuple(
        TableColumn(f"c{k + 1}", a, b, "", "single", labels=False)
        for k, (a, b) in enumerate(itertools.pairwise(across.tolist()))
    )
    rows = tuple(
        TableRow(f"r{k + 1}", a, b, "", "single", labels=False)
        for k, (a, b) in enumerate(itertools.pairwise(down.tolist()))
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
