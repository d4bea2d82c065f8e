"""Printings of a card that differ from its template: more or fewer games side by side, a heading between two blocks."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from scanner.templates import Table, TableRow, Template
from scanner.templates.model import rectangle

MANY_ROWS = 16
"""Rows of cells from which a card is known by its rows, so that its columns may be more or fewer."""
LEAST, MOST = 3, 8
"""Columns of cells that another printing may have."""
NUMBERED = re.compile(r"(.*?)([0-9]+)")


@lru_cache(maxsize=32)
def variants(template: Template) -> tuple[Template, ...]:
    """The template itself, and then what other printings of the same card look like; their ids are the same.

    Only of fixed tables with many rows. Columns beyond the template's own are named on from the last: ``game7``.
    """
    table = template.table
    if table is None or table.is_open or sum(not row.labels for row in table.rows) < MANY_ROWS:
        return (template,)
    count = sum(not column.labels for column in table.columns)
    others = (number for number in range(LEAST, MOST + 1) if number != count)
    sized = [template, *(_with_columns(template, number) for number in others)]
    each = [(one, _with_heading(one)) for one in sized if one is not None]
    return tuple(dict.fromkeys(one for pair in each for one in pair))


def in_form_of(template: Template, other: Template) -> Template:
    """The variant of a template that has the rows and columns of another's, by their ids; itself if there is none."""
    return next((one for one in variants(template) if _names(one) == _names(other)), template)


def _names(template: Template) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    table = template.table
    if table is None:
        return None
    return tuple(one.id for one in table.columns), tuple(one.id for one in table.rows)


def _with_columns(template: Template, number: int) -> Template | None:
    """With so many columns of cells; null where they aren't numbered, or stand among labels."""
    table = template.table
    assert table is not None
    own = [column for column in table.columns if not column.labels]
    before = table.columns[: len(table.columns) - len(own)]
    stem = NUMBERED.fullmatch(own[0].id)
    if any(not column.labels for column in before) or stem is None:
        return None
    if [column.id for column in own] != [f"{stem[1]}{k + 1}" for k in range(len(own))]:
        return None
    width, left = own[0].right - own[0].left, own[0].left
    label = NUMBERED.fullmatch(own[0].label)
    extra = tuple(
        replace(
            own[0],
            id=f"{stem[1]}{k + 1}",
            left=left + k * width,
            right=left + (k + 1) * width,
            label=f"{label[1]}{k + 1}" if label else "",
        )
        for k in range(len(own), number)
    )
    columns = (*before, *own[:number], *extra)
    models = [cell for cell in template.cells if cell.id.startswith(f"{own[0].id}.")]
    kept = {column.id for column in columns}
    cells = [cell for cell in template.cells if "." not in cell.id or cell.id.split(".", 1)[0] in kept]
    for column in extra:
        for model in models:
            top, bottom = model.polygon[0].y, model.polygon[2].y
            name = f"{column.id}.{model.id.split('.', 1)[1]}"
            cells.append(replace(model, id=name, polygon=rectangle(column.left, top, column.right, bottom)))
    size = (template.size[0] + columns[-1].right - table.columns[-1].right, template.size[1])
    return replace(template, size=size, cells=tuple(cells), table=replace(table, columns=columns))


def _with_heading(template: Template) -> Template:
    """With a printed row, as high as the others, above each block of rows but the first."""
    table = template.table
    assert table is not None
    starts = [row for row in table.rows[1:] if row.line == "double" and not row.labels]
    if not starts:
        return template
    height = starts[0].bottom - starts[0].top
    rows: list[TableRow] = []
    shifted: dict[float, float] = {}
    down = 0.0
    for row in table.rows:
        if row in starts:
            top = row.top + down
            rows.append(TableRow(f"heading-{row.id}", top, top + height, "", "single", labels=True))
            down += height
        shifted[row.top] = down
        rows.append(replace(row, top=row.top + down, bottom=row.bottom + down))
    cells = []
    for cell in template.cells:
        (a, b) = cell.polygon[0], cell.polygon[2]
        step = shifted.get(a.y)
        if "." in cell.id and step is not None:
            cell = replace(cell, polygon=rectangle(a.x, a.y + step, b.x, b.y + step))
        cells.append(cell)
    whole: Table = replace(table, rows=tuple(rows))
    return replace(template, size=(template.size[0], template.size[1] + down), cells=tuple(cells), table=whole)
