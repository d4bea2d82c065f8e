"""What the rows and columns of an open table are: labels, a heading of names, numbers, the sum at the bottom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

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
HARDLY_NUMBERS = 0.4
"""How surely something alone in its column may be read as a number, and be a name."""
SUMMED = 0.4
"""Probability from which a number is added up, to tell by a column's sum what its first row is."""
MOST_LABELS = 3
"""Columns of labels a pad has at most: an icon, a word and what it is worth."""
FEWEST_ADDED = 3
"""Numbers whose sum below them tells that their column is one of numbers."""
FEWEST_COUNTED, MOSTLY_COUNTED = 4, 0.75
"""Rows that a column which numbers them has at least, and the share of its numbers that are read as such."""
FEWEST = 2
"""Written cells that a column or row needs, to be told by them."""

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False, slots=True)
class _Found:
    """A table as it is ruled, and what its n cells hold: numbers and looks of them, and which are written in."""

    raw: Template
    numbers: NumberReadings
    inked: Mask
    looks: Looks

    @property
    def table(self) -> Table:
        table = self.raw.table
        assert table is not None
        return table

    def part(self, columns: Sequence[TableColumn], rows: Sequence[TableRow]) -> _Found:
        """Only these columns and rows of it."""
        ids = {f"{column.id}.{row.id}" for column in columns for row in rows}
        kept = np.array([cell in ids for cell in self.numbers.ids], dtype=np.bool_)
        table = replace(self.table, columns=tuple(columns), rows=tuple(rows))
        raw = replace(self.raw, cells=tuple(cell for cell in self.raw.cells if cell.id in ids), table=table)
        chosen = np.flatnonzero(kept).tolist()
        numbers = NumberReadings(
            tuple(self.numbers.ids[k] for k in chosen), tuple(self.numbers.candidates[k] for k in chosen)
        )
        return _Found(raw, numbers, self.inked[kept], Looks(self.looks.thick[kept], self.looks.colour[kept]))


def named(
    raw: Template, template: Template, numbers: NumberReadings, inked: Mask, looks: Looks
) -> tuple[Template, dict[str, str]]:
    """The open `template` with the columns and rows of `raw` (see `scanner.locate.table_open`), and new ids by old.

    inked: bool [n], which cells of `numbers` are written in. looks: of the same cells. Cells of labels and names have
    no new id. Several columns of labels become one.
    """
    found = _without_strip(_Found(raw, numbers, inked, looks))
    sense, written = _by_place(found)
    heights = np.array([row.bottom - row.top for row in found.table.rows])
    has_names = len(heights) > 3 and _has_names(found, sense, written, heights)
    labels = _label_columns(found, has_names)
    return _built(_merged_labels(found, labels).raw, template, labels > 0, has_names)


def _without_strip(found: _Found) -> _Found:
    """All of it without the first row where that is an empty strip of the pad above a row of names."""
    columns, rows = found.table.columns, found.table.rows
    sense, written = _by_place(found)
    if len(rows) < 5 or written[0].any():
        return found
    below = found.part(columns, rows[1:])
    names, others = sense[1][written[1]], sense[2:][written[2:]]
    if len(names) < FEWEST or len(others) < FEWEST:
        return found
    if np.median(names) <= NO_NUMBERS * np.median(others):
        return below
    with_it, without = _sums_with_first(below)
    return below if without > with_it or (_unlabelled(below, written[1:]) and without == with_it) else found


def _unlabelled(found: _Found, written: Mask) -> bool:
    """Have all rows but the first a label? Only a heading has none."""
    if written[0, 0] or float(written[1:, 0].mean()) <= MOST_LABELLED:
        return False
    return _label_columns(found.part(found.table.columns, found.table.rows[1:]), has_names=False) > 0


def _label_columns(found: _Found, has_names: bool) -> int:
    """How many columns from the left are labels: words, icons, what a thing is worth, or table top beside the paper."""
    columns = found.table.columns
    widths = np.array([column.right - column.left for column in columns])
    count = 0
    for k in range(min(MOST_LABELS, len(columns) - 1)):
        # What is printed between two columns of labels is as wide as somebody liked: a hole's par, say.
        if not all(_other_size(widths[before:]) for before in range(count, k)):
            break
        if _first_is_labels(found.part(columns[k:], found.table.rows), has_names, further=k > 0):
            count = k + 1
    return count


def _first_is_labels(found: _Found, has_names: bool, *, further: bool) -> bool:
    """Is the first column one of labels? further: there is one to its left, so there needs to be more for it."""
    sense, written = _by_place(found)
    below = slice(1 if has_names else 0, None)
    if _adds_up(found.part(found.table.columns[:1], found.table.rows[below])):
        return False
    widths = np.array([column.right - column.left for column in found.table.columns])
    unlike = _unlike(sense[below].T, written[below].T, widths)
    nameless = has_names and _nameless(written)
    if further:
        signs = (unlike, nameless, _totalless(written), _other_size(widths))
        narrow = _totalless(written) and _other_size(widths)
        return bool(written[below, 0].any()) and (unlike or nameless or narrow) and sum(signs) > 1
    return _printed(found) or unlike or nameless or _counts(found)


def _counts(found: _Found) -> bool:
    """Does the first column but number the rows: 1, 2, 3? The first of them may be a heading, the last one a total."""
    first = found.table.columns[0].id
    rows = [row.id for row in found.table.rows]
    top = {cell: read[0].value for cell, read in zip(found.numbers.ids, found.numbers.candidates, strict=True)}
    numbers = [top.get(f"{first}.{row}") for row in rows]
    for start in (0, 1):
        counted = [number == k + 1 for k, number in enumerate(numbers[start:-1])]
        if len(counted) >= FEWEST_COUNTED and float(np.mean(counted)) >= MOSTLY_COUNTED:
            return True
    return False


def _adds_up(found: _Found) -> bool:
    """Is the last number of a column the sum of the numbers above it?"""
    *above, last = (read[0].value for read in found.numbers.candidates)
    numbers = [value for value in above if value is not None]
    return bool(last) and len(numbers) >= FEWEST_ADDED and sum(numbers) == last


def _merged_labels(found: _Found, labels: int) -> _Found:
    """With the first columns, so many, as one."""
    if labels < 2:
        return found
    columns = found.table.columns
    one = replace(columns[labels - 1], left=columns[0].left)
    return found.part((one, *columns[labels:]), found.table.rows)


def _by_place(found: _Found) -> tuple[FloatArray, Mask]:
    """How surely each cell holds a number, 0 to 1, and which are written in: [rows, columns] each."""
    table = found.table
    column_of = {column.id: k for k, column in enumerate(table.columns)}
    row_of = {row.id: k for k, row in enumerate(table.rows)}
    sense = np.zeros((len(row_of), len(column_of)))
    written = np.zeros(sense.shape, dtype=np.bool_)
    for cell, read, ink in zip(found.numbers.ids, found.numbers.candidates, found.inked.tolist(), strict=True):
        column, row = cell.split(".", 1)
        at = row_of[row], column_of[column]
        # An icon looks like something struck out, and a column of nothing else is no player's.
        sense[at] = read[0].probability if read[0].state == "read" else 0.0
        written[at] = ink and read[0].state != "blank"
    return sense, written


def _unlike(sense: FloatArray, written: Mask, sizes: FloatArray) -> bool:
    """Is the first row something else than the rows below it?"""
    first, others = sense[0][written[0]], sense[1:][written[1:]]
    other_size = _other_size(sizes)
    if len(first) < FEWEST or len(others) < FEWEST:
        return other_size
    return float(np.median(first)) < (OTHER_SIZE if other_size else UNLIKE) * float(np.median(others))


def _other_size(sizes: FloatArray) -> bool:
    """Is the first column wider, or narrower, than the others?"""
    typical = float(np.median(sizes[1:]))
    return abs(float(sizes[0]) - typical) > PLAIN * typical


def _has_names(found: _Found, sense: FloatArray, written: Mask, heights: FloatArray) -> bool:
    """Is the first row one of names?"""
    with_it, without = _sums_with_first(found)
    if with_it != without:
        return without > with_it
    if _unlabelled(found, written) or _only_named(sense, written):
        return True
    # Icons are no numbers in any row, and would hide that those above them are none.
    labels = _label_columns(found, has_names=False)
    return _unlike(sense[:, labels:], written[:, labels:], heights) or _left_empty(written)


def _only_named(sense: FloatArray, written: Mask) -> bool:
    """Is there a column with nothing but something in its first row that is hardly a number, beside columns in use?"""
    used = written[1:].sum(axis=0) >= FEWEST_ADDED
    alone = written[0] & ~written[1:].any(axis=0)
    return bool(used.any()) and bool((sense[0][alone] < HARDLY_NUMBERS).any())


def _sums_with_first(found: _Found) -> tuple[int, int]:
    """How many last rows are the sum of all rows above them, and how many without the first row, where it matters.

    Icons are read as numbers, too, hardly surely: their sums say nothing.
    """
    table, numbers = found.table, found.numbers
    top = {cell: read[0].value for cell, read in zip(numbers.ids, numbers.candidates, strict=True)}
    unsure = {
        cell
        for cell, read in zip(numbers.ids, numbers.candidates, strict=True)
        if read[0].value is not None and read[0].probability < SUMMED
    }
    with_it = without = 0
    for column in table.columns:
        cells = [f"{column.id}.{row.id}" for row in table.rows]
        if any(cell in unsure for cell in cells[1:]):
            continue
        first, *others, total = (top.get(cell) for cell in cells)
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


def _totalless(written: Mask) -> bool:
    """Is the first column without a sum, where those of all others in use have one?"""
    used = written[:-1, 1:].any(axis=0)
    return not written[-1, 0] and bool(used.any()) and bool(written[-1, 1:][used].all())


def _printed(found: _Found) -> bool:
    """Is the ink of the first column thicker than that of the others, or of other colours? Below a row of names."""
    table, numbers, looks = found.table, found.numbers, found.looks
    rows = {row.id for row in table.rows[1:]}
    places = [tuple(cell.split(".", 1)) for cell in numbers.ids]
    first = np.array([column == table.columns[0].id and row in rows for column, row in places], dtype=np.bool_)
    others = np.array([column != table.columns[0].id and row in rows for column, row in places], dtype=np.bool_)
    seen = found.inked & (looks.thick > 0)
    # What a pen looks like, numbers tell: elsewhere there may be the edge of a coloured field.
    numeral = np.array([read[0].state == "read" for read in numbers.candidates], dtype=np.bool_)
    first, others = first & seen, others & seen & numeral
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
