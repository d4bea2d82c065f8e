"""What the rows and columns of an open table are: labels, a heading of names, numbers, the sum at the bottom."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from scanner.geometry import FloatArray
from scanner.read.numbers import NumberReadings
from scanner.table_looks import Looks
from scanner.templates import Cell, Table, TableColumn, TableRow, Template
from scanner.templates.model import rectangle
from scanner.templates.resize import resized

UNLIKE = 0.66
"""Cells of labels or names read as numbers this much less surely than the others, as a share of these."""
PLAIN = 0.25
"""A first column (row) whose width (height) differs from the others' by more than this share may well be labels."""
OTHER_SIZE = 0.85
"""The same share as `UNLIKE`, for such a column or row."""
THICKER, THICK = 1.7, 0.085
"""Icons are thicker than strokes: by this factor, and at least so thick (see `scanner.table_looks`), in the median."""
OTHER_COLOUR, SPREAD = 0.16, 2.5
"""How far the colour of the first column's ink has to be from that of the others, as a distance of unit vectors and as
a multiple of how far theirs are from each other, to be printed."""
MOST_LABELLED = 0.8
"""Share of the rows with a label from which one without is a heading."""
MOST_NAMED = 0.5
"""Share of the other columns with numbers that have a name where one without is a column of labels."""
NO_NUMBERS = 0.5
"""Cells of names below an empty strip are read as numbers at most this much as surely as the others."""
FEWEST = 2
"""Written cells that a column or row needs, to be told by them."""

Mask = npt.NDArray[np.bool_]


def named(
    raw: Template, template: Template, numbers: NumberReadings, inked: Mask, looks: Looks
) -> tuple[Template, dict[str, str]]:
    """The open `template` with the columns and rows of `raw` (see `scanner.locate.table_open`), and new ids by old.

    inked: bool [n], which cells of `numbers` are written in. looks: of the same cells. Cells of labels and names have
    no new id.
    """
    raw, numbers, inked, looks = _without_strip(raw, numbers, inked, looks)
    table = raw.table
    assert table is not None
    sense, written = _by_place(table, numbers, inked)
    widths = np.array([column.right - column.left for column in table.columns])
    heights = np.array([row.bottom - row.top for row in table.rows])
    printed = len(widths) > 1 and _printed(table, numbers, inked, looks)
    has_names = len(heights) > 3 and _has_names(raw, numbers, sense, written, heights, printed)
    below = slice(1 if has_names else 0, None)
    has_labels = len(widths) > 1 and (
        printed or _unlike(sense[below].T, written[below].T, widths) or (has_names and _nameless(written))
    )
    return _built(raw, template, has_labels, has_names)


def _without_strip(
    raw: Template, numbers: NumberReadings, inked: Mask, looks: Looks
) -> tuple[Template, NumberReadings, Mask, Looks]:
    """All of it without the first row where that is an empty strip of the pad above a row of names."""
    table = raw.table
    assert table is not None
    sense, written = _by_place(table, numbers, inked)
    if len(table.rows) < 5 or written[0].any():
        return raw, numbers, inked, looks
    names, others = sense[1][written[1]], sense[2:][written[2:]]
    if len(names) < FEWEST or len(others) < FEWEST or np.median(names) > NO_NUMBERS * np.median(others):
        return raw, numbers, inked, looks
    ids = {f"{column.id}.{row.id}" for column in table.columns for row in table.rows[1:]}
    kept = np.array([cell in ids for cell in numbers.ids], dtype=np.bool_)
    below = replace(
        raw, cells=tuple(cell for cell in raw.cells if cell.id in ids), table=replace(table, rows=table.rows[1:])
    )
    chosen = np.flatnonzero(kept).tolist()
    fewer = NumberReadings(tuple(numbers.ids[k] for k in chosen), tuple(numbers.candidates[k] for k in chosen))
    return below, fewer, inked[kept], Looks(looks.thick[kept], looks.colour[kept])


def _by_place(table: Table, numbers: NumberReadings, inked: Mask) -> tuple[FloatArray, Mask]:
    """How surely each cell holds a number, 0 to 1, and which are written in: [rows, columns] each."""
    column_of = {column.id: k for k, column in enumerate(table.columns)}
    row_of = {row.id: k for k, row in enumerate(table.rows)}
    sense = np.zeros((len(row_of), len(column_of)))
    written = np.zeros(sense.shape, dtype=np.bool_)
    for cell, found, ink in zip(numbers.ids, numbers.candidates, inked.tolist(), strict=True):
        column, row = cell.split(".", 1)
        at = row_of[row], column_of[column]
        # An icon looks like something struck out, and a column of nothing else is no player's.
        sense[at] = found[0].probability if found[0].state == "read" else 0.0
        written[at] = ink and found[0].state != "blank"
    return sense, written


def _unlike(sense: FloatArray, written: Mask, sizes: FloatArray) -> bool:
    """Is the first row something else than the rows below it?"""
    first, others = sense[0][written[0]], sense[1:][written[1:]]
    typical = float(np.median(sizes[1:]))
    other_size = abs(float(sizes[0]) - typical) > PLAIN * typical
    if len(first) < FEWEST or len(others) < FEWEST:
        return other_size
    return float(np.median(first)) < (OTHER_SIZE if other_size else UNLIKE) * float(np.median(others))


def _has_names(
    raw: Template, numbers: NumberReadings, sense: FloatArray, written: Mask, heights: FloatArray, printed: bool
) -> bool:
    """Is the first row one of names? printed: whether the first column is one of labels."""
    with_it, without = _sums_with_first(raw, numbers)
    if with_it != without:
        return without > with_it
    if printed and not written[0, 0] and float(written[1:, 0].mean()) > MOST_LABELLED:
        return True  # only a heading has no label
    return _unlike(sense, written, heights) or _left_empty(written)


def _sums_with_first(raw: Template, numbers: NumberReadings) -> tuple[int, int]:
    """How many last rows are the sum of all rows above them, and how many without the first row, where it matters."""
    table = raw.table
    assert table is not None
    top = {cell: found[0].value for cell, found in zip(numbers.ids, numbers.candidates, strict=True)}
    with_it = without = 0
    for column in table.columns:
        first, *others, total = (top.get(f"{column.id}.{row.id}") for row in table.rows)
        rest = sum(value for value in others if value is not None)
        if first and total:
            with_it += total == first + rest
            without += total == rest
    return with_it, without


def _left_empty(written: Mask) -> bool:
    """Is nothing written in the first row where something is in the rows below? Nobody begins with the second row."""
    return not written[0].any() and bool(written[1:].any(axis=1).mean() > 0.5)


def _nameless(written: Mask) -> bool:
    """Is the first column without a name, where those of other columns have one?"""
    used = written[1:, 1:].any(axis=0)
    return not written[0, 0] and bool(used.any()) and float(written[0, 1:][used].mean()) > MOST_NAMED


def _printed(table: Table, numbers: NumberReadings, inked: Mask, looks: Looks) -> bool:
    """Is the ink of the first column thicker than that of the others, or of other colours? Below a row of names."""
    rows = {row.id for row in table.rows[1:]}
    places = [tuple(cell.split(".", 1)) for cell in numbers.ids]
    first = np.array([column == table.columns[0].id and row in rows for column, row in places], dtype=np.bool_)
    others = np.array([column != table.columns[0].id and row in rows for column, row in places], dtype=np.bool_)
    seen = inked & (looks.thick > 0)
    first, others = first & seen, others & seen
    if first.sum() < FEWEST or others.sum() < FEWEST:
        return False
    thick, usual = float(np.median(looks.thick[first])), float(np.median(looks.thick[others]))
    if thick > max(THICK, THICKER * usual):
        return True
    pen = np.median(looks.colour[others], axis=0)
    off = np.linalg.norm(looks.colour - pen, axis=1)
    return float(np.median(off[first])) > max(OTHER_COLOUR, SPREAD * float(np.median(off[others])))


def _built(raw: Template, template: Template, has_labels: bool, has_names: bool) -> tuple[Template, dict[str, str]]:
    table, own = raw.table, template.table
    assert table is not None
    assert own is not None
    columns = len(table.columns) - has_labels
    rows = len(table.rows) - has_names - 1
    model = resized(template, columns=columns, rows=rows)
    assert model.table is not None
    # What the template has beside its open columns and rows, as far as this sheet has it too.
    model_columns = [one for one in model.table.columns if has_labels or not one.labels]
    model_rows = [one for one in model.table.rows if has_names or one.id != _heading(own)]
    renamed: dict[str, str] = {}
    cells: list[Cell] = []
    new_columns = tuple(
        replace(theirs, left=ours.left, right=ours.right)
        for ours, theirs in zip(table.columns, model_columns, strict=True)
    )
    new_rows = tuple(
        replace(theirs, top=ours.top, bottom=ours.bottom) for ours, theirs in zip(table.rows, model_rows, strict=True)
    )
    for old_column, column in zip(table.columns, new_columns, strict=True):
        for old_row, row in zip(table.rows, new_rows, strict=True):
            name = f"{column.id}.{row.id}"
            if name in model:
                cell = _at(model.cell(name), column, row)
                cells.append(cell)
                if cell.kind == "number":
                    renamed[f"{old_column.id}.{old_row.id}"] = name
    whole = replace(model.table, columns=new_columns, rows=new_rows)
    return replace(model, size=raw.size, cells=tuple(cells), table=whole), renamed


def _heading(table: Table) -> str | None:
    """The row above the open ones, which a sheet has or hasn't; null where there is none."""
    if table.open_rows is None:
        return None
    first = table.open_rows.name.replace("{n}", "1")
    return None if table.rows[0].id == first else table.rows[0].id


def _at(cell: Cell, column: TableColumn, row: TableRow) -> Cell:
    return replace(cell, polygon=rectangle(column.left, row.top, column.right, row.bottom))
