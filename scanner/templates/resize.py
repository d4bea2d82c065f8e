"""Templates of tables whose number of columns or rows is found on the sheet (`least` and `most` in the file)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from scanner.templates.formulas import RowFormula, Sum
from scanner.templates.model import OpenRun, Table, Template, rectangle


class SizeError(ValueError):
    """A number of columns or rows that the template doesn't allow; the text says which it has and what is allowed."""


def resized(template: Template, *, columns: int | None = None, rows: int | None = None) -> Template:
    """The template with this many open columns and rows; those it has where nothing is said.

    Added ones are as wide or high as the first of their kind, what comes after them moves on, and the sheet grows or
    shrinks with them. Ids, kinds, values, tags and formulas follow. Raises SizeError for a number that isn't allowed.
    """
    table = template.table
    if table is None:
        raise SizeError(f"template {template.id} has no table")
    columns = _checked(columns, table.open_columns, template, "columns")
    rows = _checked(rows, table.open_rows, template, "rows")
    return _resized(template, columns, rows)


def fitting(template: Template, ids: Collection[str]) -> Template:
    """The template in the size that cells of these ids need; templates without open parts as they are.

    Ids that no size has are passed over. Raises SizeError where they need more than the template allows.
    """
    table = template.table
    if table is None or not table.is_open:
        return template
    columns = _needed((cell.split(".", 1)[0] for cell in ids), table.open_columns)
    rows = _needed((cell.split(".", 1)[-1] for cell in ids), table.open_rows)
    return resized(template, columns=columns, rows=rows)


def _needed(names: Iterable[str], run: OpenRun | None) -> int | None:
    if run is None:
        return None
    head, tail = run.name.split("{n}")
    pattern = re.compile(re.escape(head) + r"([1-9][0-9]{0,5})" + re.escape(tail), re.ASCII)
    return max([run.least, *(int(found[1]) for name in names if (found := pattern.fullmatch(name)))])


def _checked(count: int | None, run: OpenRun | None, template: Template, what: str) -> int:
    if run is None:
        if count is not None:
            raise SizeError(f"template {template.id} has a fixed number of {what}")
        return 0
    count = run.count if count is None else count
    if not run.least <= count <= run.most:
        raise SizeError(f"template {template.id} has {run.least} to {run.most} {what} {run.name}, not {count}")
    return count


@lru_cache(maxsize=64)
def _resized(template: Template, columns: int, rows: int) -> Template:
    table = template.table
    if table is None:
        raise SizeError(f"template {template.id} has no table")
    across = _spans([(one.id, one.left, one.right) for one in table.columns], table.open_columns, columns)
    down = _spans([(one.id, one.top, one.bottom) for one in table.rows], table.open_rows, rows)
    models = {cell.id: cell for cell in template.cells}
    cells = tuple(
        replace(model, id=f"{x.id}.{y.id}", polygon=rectangle(x.start, y.start, x.end, y.end))
        for x in across
        for y in down
        if (model := models.get(f"{x.model}.{y.model}")) is not None
    )
    column_of = {one.id: one for one in table.columns}
    row_of = {one.id: one for one in table.rows}
    right, bottom = table.columns[-1].right, table.rows[-1].bottom
    return replace(
        template,
        size=(template.size[0] + across[-1].end - right, template.size[1] + down[-1].end - bottom),
        cells=cells,
        table=Table(
            tuple(replace(column_of[x.model], id=x.id, left=x.start, right=x.end) for x in across),
            tuple(replace(row_of[y.model], id=y.id, top=y.start, bottom=y.end) for y in down),
            _formulas(table.formulas, table.open_rows, rows),
            table.open_columns and replace(table.open_columns, count=columns),
            table.open_rows and replace(table.open_rows, count=rows),
        ),
    )


@dataclass(frozen=True, slots=True)
class _Span:
    """One column or row. model: the id of the template's own that it is made after; start, end: mm."""

    id: str
    model: str
    start: float
    end: float


def _spans(parts: Sequence[tuple[str, float, float]], run: OpenRun | None, count: int) -> list[_Span]:
    """parts: id, start and end of the template's own, in order."""
    if run is None:
        return [_Span(name, name, start, end) for name, start, end in parts]
    first = next(index for index, (name, _, _) in enumerate(parts) if name == run.id_of(1))
    model, start, end = parts[first]
    size, shift = end - start, (count - run.count) * (end - start)
    before = [_Span(name, name, *place) for name, *place in parts[:first]]
    among = [_Span(run.id_of(n + 1), model, start + n * size, start + (n + 1) * size) for n in range(count)]
    after = [_Span(name, name, low + shift, high + shift) for name, low, high in parts[first + run.count :]]
    return before + among + after


def _formulas(formulas: tuple[RowFormula, ...], run: OpenRun | None, count: int) -> tuple[RowFormula, ...]:
    """The same with all rows of the run where the template's own were added up."""
    if run is None:
        return formulas
    family, every = run.ids, tuple(run.id_of(n) for n in range(1, count + 1))

    def widened(formula: RowFormula) -> RowFormula:
        rows = formula.formula.uses
        if not isinstance(formula.formula, Sum) or family[0] not in rows:
            return formula
        at = rows.index(family[0])
        return replace(formula, formula=Sum((*rows[:at], *every, *rows[at + len(family) :])))

    return tuple(widened(formula) for formula in formulas)
