"""From the keys of a template file to a `Template`: lattices by rule, and every check that needs more than one key."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Literal

from scanner.geometry import Hex, MmPoint, Square
from scanner.templates.formulas import Difference, Formula, Product, RowFormula, Sum, Threshold
from scanner.templates.model import (
    Cell,
    CellKind,
    Grid,
    HexGrid,
    Label,
    Look,
    OpenRun,
    Rgb,
    Rule,
    Shape,
    Table,
    TableColumn,
    TableRow,
    TagColour,
    TagSymbol,
    Template,
    rectangle,
)
from scanner.templates.schema import (
    MAX_LATTICE,
    AreaSpec,
    BoxSpec,
    ColumnSpec,
    FormulaSpec,
    GridSpec,
    HexSpec,
    LookSpec,
    RowSpec,
    ShapeSpec,
    TableSpec,
    TemplateSpec,
)

MAX_CELLS = 2000
TOUCH_MM = 0.05
"""Cells may overlap by this much: sizes in a file are rounded."""

ID_OF_LATTICE = re.compile(r"r\d+c\d+|q-?\d+r-?\d+")
VOCABULARY = "sum, difference, product and threshold"
FORMULA_KEYS: Mapping[str, tuple[str, ...]] = {
    "sum": (),
    "difference": (),
    "product": ("by",),
    "threshold": ("at", "points"),
}


class Refused(Exception):  # noqa: N818 - it isn't an error of the program
    """Why a template is refused; `load` adds the file. path: of the key, such as ``grid.mask[3]``."""

    def __init__(self, path: str, cause: str, remedy: str) -> None:
        super().__init__(cause)
        self.path = path
        self.cause = cause
        self.remedy = remedy


def key_path(*parts: str | int) -> str:
    """A key's path as a player finds it in the file: ``boxes[1].id``; list items count from 0."""
    path = ""
    for part in parts:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            name = part if re.fullmatch(r"[A-Za-z0-9_-]+", part) else f'"{part}"'
            path += f".{name}" if path else name
    return path


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that `name` was probably meant to be, if any."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return close[0] if close else None


def listing(names: Sequence[str], most: int = 20) -> str:
    """Names for a message, not too many."""
    shown = ", ".join(names[:most])
    return f"{shown}, ..." if len(names) > most else shown


def meant(name: str, known: Sequence[str]) -> str:
    """A remedy for a name that isn't known: the nearest one, or all of them."""
    close = nearest(name, known)
    return f"did you mean {close}?" if close else f"the known ones are {listing(known)}"


def build(spec: TemplateSpec, *, games: Collection[str], source: str) -> Template:
    """The template a file describes. `Refused` if its keys contradict each other."""
    if spec.game not in games:
        raise Refused("game", f"there is no game '{spec.game}'", meant(spec.game, sorted(games)))
    _one_main_part(spec)
    cells: list[Cell] = []
    grid = hexes = table = None
    if spec.grid is not None:
        grid, cells = _grid(spec.grid)
    elif spec.hex is not None:
        hexes, cells = _hexes(spec.hex)
    elif spec.table is not None:
        table, cells = _table(spec.table)
    if table is not None and table.is_open and spec.boxes:
        raise Refused("boxes", "a table with an open number of rows or columns can't have boxes", "leave them out")
    main = len(cells)
    paths = ["grid" if grid else "hex" if hexes else "table"] * main
    for index, box in enumerate(spec.boxes):
        for cell in _boxes(box, index):
            cells.append(cell)
            paths.append(key_path("boxes", index))
            _not_too_many(cells, paths)
    _not_too_many(cells, paths)
    _unique(cells, paths)
    _on_sheet(cells, paths, spec.size)
    _apart(cells, paths, main)
    _marks_on_sheet(spec)
    return Template(
        id=spec.id,
        title=spec.title,
        game=spec.game,
        size=spec.size,
        words=spec.words,
        cells=tuple(cells),
        grid=grid,
        hexes=hexes,
        table=table,
        look=_look(spec.look, cells),
        labels=tuple(
            Label(item.text, MmPoint(*item.at), item.height, item.turn, _rgb(item.colour)) for item in spec.labels
        ),
        rules=tuple(
            Rule(MmPoint(*item.start), MmPoint(*item.end), item.style, _rgb(item.colour)) for item in spec.rules
        ),
        shapes=tuple(_shape(item) for item in spec.shapes),
        source=source,
    )


def _not_too_many(cells: Sequence[Cell], paths: Sequence[str]) -> None:
    if len(cells) > MAX_CELLS:
        raise Refused(paths[-1], f"the sheet has more than {MAX_CELLS} cells", "split it into several templates")


def _one_main_part(spec: TemplateSpec) -> None:
    parts = [name for name in ("grid", "hex", "table") if getattr(spec, name) is not None]
    if not parts:
        raise Refused("grid", "the sheet has no [grid], [hex] or [table]", "write one of them")
    if len(parts) > 1:
        raise Refused(
            parts[1], f"the sheet has a [{parts[0]}] already", "keep one of them; write the rest as [[boxes]]"
        )


def _values(kind: CellKind, values: tuple[int, int] | None, path: str) -> tuple[int, int] | None:
    """The range of a cell, checked against its kind. path: of the part that holds the key `values`."""
    where = f"{path}.values"
    if kind in ("mark", "text"):
        if values is not None:
            raise Refused(where, f"cells of kind {kind} have no values", "leave the key out")
        return None
    if values is None:
        raise Refused(where, "the key is missing", "write the lowest and highest number, e.g. values = [1, 6]")
    if kind == "digit" and not 0 <= values[0] <= values[1] <= 9:
        raise Refused(
            where, f"one digit can't be {values[0]} to {values[1]}", 'stay within 0 to 9, or set kind = "number"'
        )
    return values


def _check_printed(printed: int | None, kind: CellKind, values: tuple[int, int] | None, path: str) -> None:
    if printed is None:
        return
    if values is None:
        raise Refused(path, f"a cell of kind {kind} can't have a printed number", "leave it out")
    if not values[0] <= printed <= values[1]:
        raise Refused(path, f"{printed} is outside the values {values[0]} to {values[1]}", "correct one of them")


def _printed_exist(printed: Mapping[str, int], ids: Sequence[str], part: str) -> None:
    for cell_id in printed:
        if cell_id not in ids:
            # the nearest id would be misleading where the name is right and the lattice has a hole
            right = ID_OF_LATTICE.fullmatch(cell_id) is not None
            remedy = "correct it, or give the lattice a cell there" if right else meant(cell_id, ids)
            raise Refused(key_path(part, "printed", cell_id), "there is no such cell", remedy)


def _grid(spec: GridSpec) -> tuple[Grid, list[Cell]]:
    mask = _mask(spec)
    rows, cols = len(mask), len(mask[0])
    size = spec.cell or spec.pitch
    for axis in (0, 1):
        if size[axis] > spec.pitch[axis]:
            raise Refused(
                key_path("grid", "cell", axis),
                f"a cell of {size[axis]:g} mm overlaps the next, {spec.pitch[axis]:g} mm on",
                "make it at most the pitch, or leave the key out",
            )
    for axis, lines in ((0, cols), (1, rows)):
        if spec.heavy is not None and spec.heavy[axis] > lines:
            raise Refused(
                key_path("grid", "heavy", axis),
                f"no line is the {spec.heavy[axis]}th of {lines}",
                "write [every n-th vertical, every m-th horizontal line], e.g. heavy = [3, 3]",
            )
    values = _values(spec.kind, spec.values, "grid")
    grid = Grid(MmPoint(*spec.origin), spec.pitch, rows, cols, spec.heavy, size, spec.givens)
    cells = []
    for row, letters in enumerate(mask, start=1):
        for col, letter in enumerate(letters, start=1):
            if letter != "-":
                place = Square(row, col)
                cells.append(
                    Cell(
                        id=place.id,
                        kind=spec.kind,
                        polygon=grid.polygon(place),
                        values=values,
                        printed=spec.printed.get(place.id),
                        tags=frozenset(spec.tags.get(letter, ())),
                        place=place,
                    )
                )
    if not cells:
        raise Refused("grid.mask", "no cell is left", "write o where a cell is")
    _printed_exist(spec.printed, [cell.id for cell in cells], "grid")
    for cell_id, number in spec.printed.items():
        _check_printed(number, spec.kind, values, key_path("grid", "printed", cell_id))
    return grid, cells


def _mask(spec: GridSpec) -> tuple[str, ...]:
    """The mask written, or a full one of the size written."""
    if spec.mask is None:
        for name, count in (("rows", spec.rows), ("cols", spec.cols)):
            if count is None:
                raise Refused(f"grid.{name}", "the key is missing", "write rows and cols, or a mask")
        if spec.tags:
            raise Refused("grid.tags", "letters have a meaning in a mask only", "write a mask instead of rows and cols")
        return ("o" * (spec.cols or 0),) * (spec.rows or 0)
    for name, count in (("rows", spec.rows), ("cols", spec.cols)):
        if count is not None:
            raise Refused(f"grid.{name}", "the mask says this already", "leave the key out")
    if not spec.mask or not spec.mask[0]:
        raise Refused("grid.mask", "it is empty", 'write a text a row, e.g. mask = ["-oo-", "oooo"]')
    known = ("-", "o", *spec.tags)
    width = len(spec.mask[0])
    for index, letters in enumerate(spec.mask):
        path = key_path("grid", "mask", index)
        for letter in letters:
            if letter not in known:
                raise Refused(
                    path,
                    f"'{letter}' in '{letters[:60]}' has no meaning",
                    f'use - (no cell) or o (cell), or add it to grid.tags, e.g. tags = {{ "{letter}" = "star" }}',
                )
        if len(letters) != width:
            raise Refused(
                path, f"'{letters[:60]}' has {len(letters)} letters, the first row {width}", "make the rows equal"
            )
    if max(width, len(spec.mask)) > MAX_LATTICE:
        raise Refused(
            "grid.mask", f"{len(spec.mask)} rows of {width} cells", f"at most {MAX_LATTICE} of each are allowed"
        )
    return spec.mask


def _hexes(spec: HexSpec) -> tuple[HexGrid, list[Cell]]:
    values = _values(spec.kind, spec.values, "hex")
    tags: dict[Hex, set[str]] = {}
    for index, area in enumerate(spec.areas):
        mine: dict[Hex, str] = {}
        for place, tag in _area(area, index):
            if place in tags or mine.get(place, tag) != tag:
                other = mine.get(place) or ", ".join(sorted(tags[place]))
                raise Refused(
                    key_path("hex", "areas", index),
                    f"hex {place.id} belongs to {other} already",
                    "keep it in one area; more tags go into hex.tagged",
                )
            mine[place] = tag
        tags.update({place: {tag} for place, tag in mine.items()})
    if not tags:
        raise Refused("hex.areas", "no hex is left", "write at least one area")
    for tag, ids in spec.tagged.items():
        for index, cell_id in enumerate(ids):
            if (place := _hex(cell_id)) not in tags:
                raise Refused(
                    key_path("hex", "tagged", tag, index), f"there is no hex {cell_id}", "put it into an area first"
                )
            tags[place].add(tag)
    grid = HexGrid(MmPoint(*spec.centre), spec.pitch)
    cells = [
        Cell(
            id=place.id,
            kind=spec.kind,
            polygon=grid.polygon(place),
            values=values,
            printed=spec.printed.get(place.id),
            tags=frozenset(tags[place]),
            place=place,
        )
        for place in sorted(tags, key=lambda place: (place.r, place.q))
    ]
    _printed_exist(spec.printed, [cell.id for cell in cells], "hex")
    for cell_id, number in spec.printed.items():
        _check_printed(number, spec.kind, values, key_path("hex", "printed", cell_id))
    return grid, cells


def _hex(cell_id: str) -> Hex:
    q, r = cell_id[1:].split("r")
    return Hex(int(q), int(r))


def _area(area: AreaSpec, index: int) -> Iterator[tuple[Hex, str]]:
    """The hexes of an area and of its turns, each with its tag; the same hex may come up more than once."""
    path = key_path("hex", "areas", index)
    if area.centre is None and not area.cells:
        raise Refused(path, "the area has no hexes", 'write centre = "q3r0" and a radius, or cells = ["q1r1"]')
    if area.centre is None and area.radius:
        raise Refused(f"{path}.radius", "there is no centre", 'write centre = "q3r0"')
    base = [_hex(cell_id) for cell_id in area.cells]
    if area.centre is not None:
        middle, size = _hex(area.centre), area.radius
        base += [
            Hex(middle.q + q, middle.r + r)
            for r in range(-size, size + 1)
            for q in range(max(-size, -size - r), min(size, size - r) + 1)
        ]
    for turn in range(area.turns):
        tag = area.tag.replace("{n}", str(turn + 1))
        for place in base:
            yield place.turned(turn * 6 // area.turns), tag


def _table(spec: TableSpec) -> tuple[Table, list[Cell]]:
    columns, column_of = _columns(spec)
    rows, row_of = _rows(spec)
    holes = set(spec.holes)
    cells = []
    if len(columns) * len(rows) > MAX_CELLS:
        raise Refused("table", f"{len(columns)} columns of {len(rows)} rows", f"at most {MAX_CELLS} cells are allowed")
    every = [f"{column.id}.{row.id}" for column in columns for row in rows if not column.labels and not row.labels]
    for index, hole in enumerate(spec.holes):
        if hole not in every:
            raise Refused(key_path("table", "holes", index), f"there is no cell {hole}", meant(hole, every))
    for column in columns:
        for row in rows:
            cell_id = f"{column.id}.{row.id}"
            if column.labels or row.labels or cell_id in holes:
                continue
            column_index, row_index = column_of[column.id], row_of[row.id]
            column_spec, row_spec = spec.columns[column_index], spec.rows[row_index]
            kind = _kind(column_spec, row_spec)
            values = None
            if kind in ("digit", "number"):
                # the narrower place wins: the row's values, then the column's, then the table's
                values = row_spec.values or column_spec.values or spec.values
                path = (
                    key_path("table", "rows", row_index)
                    if row_spec.values
                    else key_path("table", "columns", column_index)
                    if column_spec.values
                    else "table"
                )
                values = _values(kind, values, path)
            printed = spec.printed.get(cell_id)
            _check_printed(printed, kind, values, key_path("table", "printed", cell_id))
            cells.append(
                Cell(
                    id=cell_id,
                    kind=kind,
                    polygon=rectangle(column.left, row.top, column.right, row.bottom),
                    values=values,
                    printed=printed,
                    tags=frozenset((*column_spec.tags, *row_spec.tags)),
                )
            )
    if not cells:
        raise Refused("table", "no cell is left", "write at least one row and one column that isn't of kind label")
    _printed_exist(spec.printed, [cell.id for cell in cells], "table")
    open_columns, open_rows = _open_run(spec, "columns"), _open_run(spec, "rows")
    return Table(columns, rows, _formulas(spec, rows, cells), open_columns, open_rows), cells


def _open_run(spec: TableSpec, part: Literal["columns", "rows"]) -> OpenRun | None:
    """The columns or rows whose number differs from sheet to sheet, if any."""
    found: OpenRun | None = None
    items: tuple[ColumnSpec | RowSpec, ...] = spec.columns if part == "columns" else spec.rows
    for index, item in enumerate(items):
        path = key_path("table", part, index)
        if item.least is None and item.most is None:
            continue
        if item.least is None or item.most is None:
            missing = "least" if item.least is None else "most"
            raise Refused(f"{path}.{missing}", "the key is missing", "write both least and most, or neither")
        if "{n}" not in item.id or item.kind == "label":
            raise Refused(f"{path}.least", "their number can't be open", 'give them an id such as "r{n}", and cells')
        if found is not None:
            raise Refused(f"{path}.least", f"{found.name} is open already", f"keep one open part of the {part}")
        if not item.least <= item.count <= item.most:
            raise Refused(
                f"{path}.count", f"{item.count} isn't within {item.least} to {item.most}", "make it least to most"
            )
        found = OpenRun(item.id, item.count, item.least, item.most)
        _nothing_named(spec, found, part)
    return found


def _nothing_named(spec: TableSpec, run: OpenRun, part: str) -> None:
    """Refuses whatever names one column or row of an open run: a sheet needn't have it."""
    if spec.holes or spec.printed:
        key = "holes" if spec.holes else "printed"
        raise Refused(f"table.{key}", f"a table with an open number of {part} can't have them", "leave the key out")
    if part == "rows":
        for name, formula in spec.formulas.items():
            one = (formula.difference, formula.product, formula.threshold, formula.sum)
            named = [row for row in one if row is not None]
            used = {name, *(row for rows in named for row in ((rows,) if isinstance(rows, str) else rows))}
            if clash := sorted(used & set(run.ids)):
                path = key_path("table", "formulas", name)
                raise Refused(
                    path, f"'{clash[0]}' is one of an open number of rows", f'add up "{run.name}", all of them'
                )


def _kind(column: ColumnSpec, row: RowSpec) -> CellKind:
    for kind in (row.kind, column.kind):
        if kind is not None and kind != "label":
            return kind
    return "number"


def _columns(spec: TableSpec) -> tuple[tuple[TableColumn, ...], dict[str, int]]:
    columns = []
    of: dict[str, int] = {}
    edge = spec.origin[0]
    for index, item in enumerate(spec.columns):
        _row_or_column(item, key_path("table", "columns", index))
        for number, name in enumerate(_counted(item.id, item.count, key_path("table", "columns", index)), start=1):
            if name in of:
                raise Refused(key_path("table", "columns", index, "id"), f"'{name}' is doubled", "rename one of them")
            of[name] = index
            left = edge + (item.gap if number == 1 else 0)
            edge = left + item.width
            label = (item.label or "").replace("{n}", str(number))
            columns.append(TableColumn(name, left, edge, label, item.line, item.kind == "label"))
    return tuple(columns), of


def _rows(spec: TableSpec) -> tuple[tuple[TableRow, ...], dict[str, int]]:
    rows = []
    of: dict[str, int] = {}
    edge = spec.origin[1]
    for index, item in enumerate(spec.rows):
        _row_or_column(item, key_path("table", "rows", index))
        for number, name in enumerate(_counted(item.id, item.count, key_path("table", "rows", index)), start=1):
            if name in of:
                raise Refused(key_path("table", "rows", index, "id"), f"'{name}' is doubled", "rename one of them")
            of[name] = index
            top = edge + (item.gap if number == 1 else 0)
            edge = top + item.height
            label = (item.label or "").replace("{n}", str(number))
            rows.append(TableRow(name, top, edge, label, item.line, item.kind == "label"))
    return tuple(rows), of


def _row_or_column(item: RowSpec | ColumnSpec, path: str) -> None:
    if item.values is not None and item.kind in ("label", "mark", "text"):
        raise Refused(f"{path}.values", f"kind {item.kind} has no values", "leave the key out")


def _counted(name: str, count: int, path: str) -> list[str]:
    """The ids of a thing that is there `count` times: ``{n}`` becomes 1, 2, ..."""
    if "{n}" not in name:
        if count > 1:
            raise Refused(f"{path}.id", f"{count} of them would have the same id", f'write "{name}{{n}}"')
        return [name]
    return [name.replace("{n}", str(number)) for number in range(1, count + 1)]


def _formulas(spec: TableSpec, rows: Sequence[TableRow], cells: Sequence[Cell]) -> tuple[RowFormula, ...]:
    """All formulas, those that others depend on first."""
    numeric = {cell.id.split(".", 1)[1] for cell in cells if cell.kind in ("digit", "number")}
    names = [row.id for row in rows]
    families = {
        item.id: [item.id.replace("{n}", str(n)) for n in range(1, item.count + 1)]
        for item in spec.rows
        if "{n}" in item.id
    }

    def check(name: str, path: str) -> None:
        if name not in names:
            raise Refused(path, f"there is no row '{name}'", meant(name, names))
        if name not in numeric:
            raise Refused(path, f"the row '{name}' holds no numbers", "name a row of kind number")

    formulas: dict[str, Formula] = {}
    for name, item in spec.formulas.items():
        path = key_path("table", "formulas", name)
        check(name, path)
        formula = _formula(item, path, families)
        for used in formula.uses:
            check(used, path)
        if isinstance(formula, Sum) and len(set(formula.rows)) < len(formula.rows):
            raise Refused(path, "a row is added twice", "name each row once")
        formulas[name] = formula
    try:
        order = tuple(TopologicalSorter({name: formula.uses for name, formula in formulas.items()}).static_order())
    except CycleError as error:
        circle = " needs ".join(reversed(error.args[1]))  # graphlib lists each row before the one that needs it
        raise Refused(
            key_path("table", "formulas", error.args[1][0]),
            f"it depends on itself ({circle})",
            "break the circle",
        ) from None
    return tuple(RowFormula(name, formulas[name]) for name in order if name in formulas)


def _formula(spec: FormulaSpec, path: str, families: Mapping[str, Sequence[str]]) -> Formula:
    written = [name for name in FormulaSpec.model_fields if getattr(spec, name) is not None]
    operations = [name for name in written if name in FORMULA_KEYS]
    if len(operations) != 1:
        found = "no operation" if not operations else f"{' and '.join(operations)} at once"
        raise Refused(path, f"the formula has {found}", f"write exactly one of {VOCABULARY}")
    operation = operations[0]
    needed = FORMULA_KEYS[operation]
    for name in needed:
        if name not in written:
            example = {"by": "by = 2", "at": "at = 63", "points": "points = 35"}[name]
            raise Refused(f"{path}.{name}", f"a {operation} needs it", f"write e.g. {example}")
    for name in written:
        if name != operation and name not in needed:
            raise Refused(f"{path}.{name}", f"it doesn't belong to a {operation}", "leave the key out")
    if spec.sum is not None:
        rows = [row for name in spec.sum for row in families.get(name, (name,))]
        if not rows:
            raise Refused(f"{path}.sum", "it adds up nothing", "name the rows")
        return Sum(tuple(rows))
    if spec.difference is not None:
        return Difference(*spec.difference)
    if spec.product is not None:
        return Product(spec.product, spec.by or 0)
    return Threshold(spec.threshold or "", spec.at or 0, spec.points or 0)


_BOX_VALUES: Mapping[CellKind, tuple[int, int]] = {"digit": (0, 9), "number": (0, 999)}


def _boxes(spec: BoxSpec, index: int) -> Iterator[Cell]:
    path = key_path("boxes", index)
    values = _values(spec.kind, spec.values or _BOX_VALUES.get(spec.kind), path)
    _check_printed(spec.printed, spec.kind, values, f"{path}.printed")
    if (spec.count > 1) != (spec.step is not None):
        name = "step" if spec.step is None else "count"
        raise Refused(
            f"{path}.{name}", "the key is missing", "write both, e.g. count = 7 and step = [8, 0], or neither"
        )
    x, y, width, height = spec.rect
    step = spec.step or (0.0, 0.0)
    for number, name in enumerate(_counted(spec.id, spec.count, path)):
        if ID_OF_LATTICE.fullmatch(name):
            raise Refused(f"{path}.id", f"'{name}' is the name of a lattice's cell", "give the box another name")
        left, top = x + number * step[0], y + number * step[1]
        polygon = rectangle(left, top, left + width, top + height)
        yield Cell(name, spec.kind, polygon, values, spec.printed, frozenset(spec.tags))


def _unique(cells: Sequence[Cell], paths: Sequence[str]) -> None:
    seen: set[str] = set()
    for cell, path in zip(cells, paths, strict=True):
        if cell.id in seen:
            raise Refused(f"{path}.id", f"'{cell.id}' is doubled", "rename one of them")
        seen.add(cell.id)


def _on_sheet(cells: Sequence[Cell], paths: Sequence[str], size: tuple[float, float]) -> None:
    for cell, path in zip(cells, paths, strict=True):
        left, top, right, bottom = _bounds(cell)
        if min(left, top) < -TOUCH_MM or right > size[0] + TOUCH_MM or bottom > size[1] + TOUCH_MM:
            raise Refused(
                path,
                f"cell {cell.id} (x {left:.4g} to {right:.4g}, y {top:.4g} to {bottom:.4g} mm) lies outside the sheet",
                f"move it, or enlarge size = [{size[0]:g}, {size[1]:g}]",
            )


def _marks_on_sheet(spec: TemplateSpec) -> None:
    points = [(key_path("labels", index, "at"), item.at) for index, item in enumerate(spec.labels)]
    points += [(key_path("rules", index, "start"), item.start) for index, item in enumerate(spec.rules)]
    points += [(key_path("rules", index, "end"), item.end) for index, item in enumerate(spec.rules)]
    points += [
        (key_path("shapes", index, "rect"), (item.rect[0] + item.rect[2], item.rect[1] + item.rect[3]))
        for index, item in enumerate(spec.shapes)
    ]
    for path, (x, y) in points:
        if x > spec.size[0] + TOUCH_MM or y > spec.size[1] + TOUCH_MM:
            raise Refused(
                path, f"[{x:g}, {y:g}] lies outside the sheet", f"its size is [{spec.size[0]:g}, {spec.size[1]:g}]"
            )


def _bounds(cell: Cell) -> tuple[float, float, float, float]:
    xs = [point.x for point in cell.polygon]
    ys = [point.y for point in cell.polygon]
    return min(xs), min(ys), max(xs), max(ys)


def _apart(cells: Sequence[Cell], paths: Sequence[str], main: int) -> None:
    """Refuses boxes that overlap another cell; the lattice's own cells can't."""
    bounds = [_bounds(cell) for cell in cells]
    for index in range(main, len(cells)):
        left, top, right, bottom = bounds[index]
        for other in range(index):
            left2, top2, right2, bottom2 = bounds[other]
            if min(right, right2) - max(left, left2) <= TOUCH_MM or min(bottom, bottom2) - max(top, top2) <= TOUCH_MM:
                continue
            if _overlap(cells[index].polygon, cells[other].polygon):
                raise Refused(paths[index], f"'{cells[index].id}' overlaps '{cells[other].id}'", "move one of them")


def _overlap(first: Sequence[MmPoint], second: Sequence[MmPoint]) -> bool:
    """Whether two convex polygons overlap by more than `TOUCH_MM` (separating axes: the normals of their edges)."""
    for polygon in (first, second):
        for start, end in zip(polygon, (*polygon[1:], polygon[0]), strict=True):
            x, y = start.y - end.y, end.x - start.x
            one = [x * point.x + y * point.y for point in first]
            two = [x * point.x + y * point.y for point in second]
            if min(max(one), max(two)) - max(min(one), min(two)) <= TOUCH_MM * (x * x + y * y) ** 0.5:
                return False
    return True


def _look(spec: LookSpec, cells: Sequence[Cell]) -> Look:
    tags = sorted({tag for cell in cells for tag in cell.tags})
    for key, names in (("colours", spec.colours), ("symbols", spec.symbols)):
        for tag in names:
            if tag not in tags:
                remedy = meant(tag, tags) if tags else "give the cells tags first"
                raise Refused(key_path("look", key, tag), f"no cell has the tag '{tag}'", remedy)
    for tag in spec.symbol_colours:
        if tag not in spec.symbols:
            path = key_path("look", "symbol_colours", tag)
            raise Refused(path, f"cells with the tag '{tag}' have no symbol", "add it to look.symbols")
    return Look(
        lines=spec.lines,
        field=spec.field,
        colours=tuple(TagColour(tag, _colour(colour)) for tag, colour in spec.colours.items()),
        symbols=tuple(
            TagSymbol(tag, symbol, _rgb(spec.symbol_colours.get(tag))) for tag, symbol in spec.symbols.items()
        ),
        line_rgb=_rgb(spec.line_colour),
        field_rgb=_rgb(spec.field_colour),
        cell_rgb=_rgb(spec.cell_colour),
    )


def _shape(spec: ShapeSpec) -> Shape:
    left, top, width, height = spec.rect
    return Shape(spec.shape, rectangle(left, top, left + width, top + height), spec.turn, _rgb(spec.colour))


def _rgb(colour: str | None) -> Rgb | None:
    return None if colour is None else _colour(colour)


def _colour(colour: str) -> Rgb:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
