"""Typed boards for `padscore score`: the text notation, the truth-file form, and a document of ``scan --json``.

Text notation: see `scanner.board`. JSON, one board::

    {"template": "sudoku", "cells": {"r1c1": 5, "r1c2": null, "r1c3": "candidates"}, "printed": ["r1c1"]}

A cell is an integer, null (blank), ``"x"`` (a made mark), a text, one of the words "candidates", "struck", "scribble"
and "unreadable", or an object as in the document. Every cell of the lattice has to be there; boxes and cells of tables
may be left out (blank). A table of any size is as large as its cells say. ``printed`` lists the cells whose value is
printed; the other values are then taken for handwriting. Without it nobody knows who wrote what (``ink`` null). A whole
document of ``scan --json`` gives all of its sheets, with confidences and alternatives, so that scoring it again has the
same outcome.

A value that the rules don't allow (a 0 in a Sudoku) is no error here: the game flags it. An error is what can't be a
board.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn, cast, get_args

from scanner.board import MADE, NO_CELL, PRINTED, TOKEN_STATES, ReadBoard, lattice_rows
from scanner.errors import BoardError, MissingFileError, UnreadableError
from scanner.opening import lines_of, read_up_to
from scanner.results import VALUED_STATES, CellReading, Ink, Problem, SheetPlace, State, Value
from scanner.templates.model import Cell, Template
from scanner.templates.resize import SizeError, fitting
from scanner.typed_origin import model_of, place_of, problems_of

MAX_BYTES = 8_000_000
MAX_NUMBER = 999
MAX_TEXT = 200
MOST_DOUBTFUL = 0.95
"""Confidence up to which a document may call a cell doubtful: with more, nothing would be left to doubt."""
TYPED_STATES: frozenset[str] = frozenset({"candidates", "struck", "scribble", "unreadable"})
"""States that a typed board may give as a word instead of a value; blank is null there."""

_NUMBER = re.compile(r"-?\d{1,3}", re.ASCII)
_ASSIGNMENT = re.compile(r"([^\s=]+)\s*=\s*(.*)")
_STATES: frozenset[str] = frozenset(get_args(State))
_INKS: frozenset[str] = frozenset(get_args(Ink))


@dataclass(frozen=True, slots=True)
class TypedBoard:
    """A typed board and which sheet it is.

    source: the file's name, for a document of ``scan --json`` that of the photo. page, sheet: from 1.
    place: where it lay in the photo, by such a document.
    """

    board: ReadBoard
    template: Template
    source: str
    page: int = 1
    sheet: int = 1
    place: SheetPlace | None = None


@dataclass(frozen=True, slots=True)
class TypedFile:
    """All boards of a file. model, problems: as in the document of ``scan --json``, where the file is one."""

    boards: tuple[TypedBoard, ...]
    model: str | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class _Where:
    """What an error is about: the file (and sheet), for the message."""

    subject: str

    def fail(self, cause: str, remedy: str = "correct it and try again") -> NoReturn:
        raise BoardError(cause, remedy=remedy, subject=self.subject)


def load_typed(path: Path, templates: Mapping[str, Template]) -> tuple[TypedBoard, ...]:
    """The boards of a file, see `load_typed_file`."""
    return load_typed_file(path, templates).boards


def load_typed_file(path: Path, templates: Mapping[str, Template]) -> TypedFile:
    """Reads a file with one or more typed boards.

    Raises BoardError for what is no board, MissingFileError and UnreadableError for what is no file.
    """
    subject = path.name or str(path)
    if path.is_dir() or not path.exists():  # what else there is may be read, such as a shell's <(...)
        cause = "is a directory" if path.is_dir() else "there is no such file"
        raise MissingFileError(cause, remedy="give the name of a board file", subject=subject)
    try:
        data = read_up_to(path, MAX_BYTES + 1)
    except OSError as error:
        cause = f"can't be opened ({error.strerror})"
        denied = isinstance(error, PermissionError)
        remedy = "check its permissions" if denied else "give the name of a board file"
        raise UnreadableError(cause, remedy=remedy, subject=subject) from error
    return parse_typed_bytes(data, templates, source=subject)


def parse_typed_bytes(data: bytes, templates: Mapping[str, Template], *, source: str) -> TypedFile:
    """Reads typed boards from the bytes of a file, UTF-8; raises BoardError naming the cell and the reason."""
    where = _Where(source)
    if len(data) > MAX_BYTES:
        where.fail(f"is larger than {MAX_BYTES // 1_000_000} MB", "a board has a few kB; is this the right file?")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        where.fail("is no text in UTF-8", "photos are read by `padscore scan`")
    return parse_typed_file(text, templates, source=source)


def parse_typed(text: str, templates: Mapping[str, Template], *, source: str = "board") -> tuple[TypedBoard, ...]:
    """The boards of a text, see `parse_typed_file`."""
    return parse_typed_file(text, templates, source=source).boards


def parse_typed_file(text: str, templates: Mapping[str, Template], *, source: str = "board") -> TypedFile:
    """Reads typed boards from text, at least one; raises BoardError naming the cell and the reason."""
    where = _Where(source)
    if not text.strip():
        where.fail("is empty", "type a board in the text notation or as JSON")
    if text.lstrip()[0] in "{[":
        return _parse_json(text, templates, where)
    return TypedFile((_parse_text(text, templates, where),))


# ---- text notation


def _parse_text(text: str, templates: Mapping[str, Template], where: _Where) -> TypedBoard:
    lines = [stripped for line in lines_of(text) if (stripped := line.strip())]
    head = _ASSIGNMENT.fullmatch(lines[0])
    if head is None or head[1] != "template":
        where.fail("the first line doesn't name the template", "begin with a line such as `template = sudoku`")
    rows: list[list[str]] = []
    boxes: dict[str, str] = {}
    for line in lines[1:]:
        if box := _ASSIGNMENT.fullmatch(line):
            if box[1] in boxes:
                where.fail(f"cell {_short(box[1])} is given twice", "leave one of them out")
            boxes[box[1]] = box[2]
        else:
            rows.append(line.split())
    template = _template(head[2], templates, boxes, where)
    tokens = _lattice_tokens(rows, template, where)
    for cell_id, token in boxes.items():
        _known(cell_id, template, where)
        if cell_id in tokens:
            where.fail(f"cell {cell_id} belongs to the rows of the lattice", "leave its own line out")
        tokens[cell_id] = token
    cells = {
        cell.id: _from_token(tokens[cell.id], cell, where) if cell.id in tokens else _state(cell.id, "blank")
        for cell in template.cells
    }
    if any(cell.ink == "print" for cell in cells.values()):
        cells = {cell_id: _by_hand(cell) for cell_id, cell in cells.items()}
    return TypedBoard(ReadBoard(template.id, cells), template, where.subject)


def _lattice_tokens(rows: list[list[str]], template: Template, where: _Where) -> dict[str, str]:
    expected = lattice_rows(template.ids)
    tokens: dict[str, str] = {}
    for number, (row, words) in enumerate(zip(expected, rows, strict=False), start=1):
        if len(words) != len(row.ids):
            cause = f"row {number} has {_count(len(words), 'cell')}, expected {len(row.ids)}"
            where.fail(cause, "write `.` for an empty cell")
        for column, (cell_id, word) in enumerate(zip(row.ids, words, strict=True), start=1):
            if cell_id is not None:
                if word == NO_CELL:
                    where.fail(f"cell {cell_id}: `-` means no cell, but there is one", "write `.` for an empty cell")
                tokens[cell_id] = word
            elif word != NO_CELL:
                where.fail(f"row {number}, place {column}: there is no cell", "write `-` there")
    if len(rows) != len(expected):
        where.fail(f"there are {_count(len(rows), 'row')}, expected {len(expected)}", "write one line a row")
    return tokens


def _from_token(token: str, cell: Cell, where: _Where) -> CellReading:
    if token in TOKEN_STATES:
        return _state(cell.id, TOKEN_STATES[token])
    if cell.kind == "text":
        if not token.startswith('"'):
            return _reading(cell, token, where)
        try:
            loaded = json.loads(token)
        except ValueError:
            where.fail(f"cell {cell.id}: the quotes of {_short(token)} don't match", 'write it as "text"')
        return _reading(cell, loaded, where)
    if token == MADE:
        return _reading(cell, MADE, where)
    bare = token.removesuffix(PRINTED)
    if not _NUMBER.fullmatch(bare):
        what = f"{_short(token)} is no value"
        where.fail(f"cell {cell.id}: {what}", "write a number of up to three digits, or one of . c s ? -")
    reading = _reading(cell, int(bare), where)
    return replace(reading, ink="print") if bare != token else reading


# ---- JSON


def _parse_json(text: str, templates: Mapping[str, Template], where: _Where) -> TypedFile:
    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found: dict[str, object] = {}
        for key, value in pairs:
            if key in found:
                where.fail(f"the key {_short(key)} occurs twice", "leave one of them out")
            found[key] = value
        return found

    def no_number(name: str) -> NoReturn:
        where.fail(f"{name} is no number in JSON", "write null for an empty cell")

    try:
        loaded = json.loads(text, object_pairs_hook=unique, parse_constant=no_number)
    except json.JSONDecodeError as error:
        where.fail(f"invalid JSON in line {error.lineno}, column {error.colno} ({error.msg})")
    except RecursionError:
        where.fail("its brackets are nested too deeply", "is this the right file?")
    except ValueError:  # Python refuses to convert integers of thousands of digits
        where.fail("a number in it is far too long", "a cell holds up to three digits")
    if not isinstance(loaded, dict):
        where.fail("is a list, expected an object", 'write {"template": ..., "cells": {...}}')
    if "sheets" not in loaded:
        return TypedFile((_board(loaded, templates, where, where.subject, 1, 1),))
    if loaded.get("schema") != 1 or isinstance(loaded["schema"], bool):
        cause = f"its schema is {_short(loaded.get('schema'))}, expected 1"
        where.fail(cause, "use a document of this version's `scan --json`")
    sheets = loaded["sheets"]
    if not isinstance(sheets, list) or not sheets:
        where.fail("the document has no sheets", "scan a photo with a sheet in it")
    boards: list[TypedBoard] = []
    for number, sheet in enumerate(sheets, start=1):
        inside = _Where(f"{where.subject}, sheet {number}")
        if not isinstance(sheet, dict):
            inside.fail(f"is {_kind(sheet)}, expected an object")
        source = sheet.get("source", where.subject)
        if not isinstance(source, str):
            inside.fail(f"its source is {_kind(source)}, expected a text")
        page, index = (_position(sheet, key, inside) for key in ("page", "sheet"))
        board = _board(sheet, templates, inside, source, page, index)
        boards.append(replace(board, place=place_of(sheet, inside.fail)))
    return TypedFile(tuple(boards), model_of(loaded, where.fail), problems_of(loaded, where.fail))


def _position(sheet: Mapping[str, object], key: str, where: _Where) -> int:
    number = sheet.get(key, 1)
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        where.fail(f"its {key} is {_short(number)}, expected a number from 1")
    return number


def _board(
    loaded: Mapping[str, object], templates: Mapping[str, Template], where: _Where, source: str, page: int, sheet: int
) -> TypedBoard:
    for key in ("template", "cells"):
        if key not in loaded:
            where.fail(f"the key {key!r} is missing", 'write {"template": ..., "cells": {...}}')
    given = loaded["cells"]
    if not isinstance(given, dict):
        where.fail(f"its cells are {_kind(given)}, expected an object", 'write {"r1c1": 5, "r1c2": null, ...}')
    template = _template(loaded["template"], templates, given, where)
    for cell_id in given:
        _known(cell_id, template, where)
    cells: dict[str, CellReading] = {}
    for cell in template.cells:
        if cell.id in given:
            cells[cell.id] = _from_json(given[cell.id], cell, where)
        elif cell.place is not None:
            where.fail(f"cell {cell.id} is missing", "write null for an empty cell")
        else:
            cells[cell.id] = _state(cell.id, "blank")
    if "printed" in loaded:
        cells = _with_printed(loaded["printed"], cells, template, where)
    return TypedBoard(ReadBoard(template.id, cells), template, source, page, sheet)


def _with_printed(
    printed: object, cells: dict[str, CellReading], template: Template, where: _Where
) -> dict[str, CellReading]:
    if not isinstance(printed, list):
        where.fail(f"'printed' is {_kind(printed)}, expected a list of cells")
    inked = dict(cells)
    for cell_id in printed:
        if not isinstance(cell_id, str):
            where.fail(f"'printed' holds {_short(cell_id)}, expected the name of a cell")
        _known(cell_id, template, where)
        if not isinstance(cells[cell_id].value, int):
            where.fail(f"cell {cell_id} is said to be printed but has no number", "leave it out of 'printed'")
        inked[cell_id] = replace(cells[cell_id], ink="print")
    return {cell_id: _by_hand(cell) for cell_id, cell in inked.items()}


def _from_json(given: object, cell: Cell, where: _Where) -> CellReading:
    if isinstance(given, dict):
        return _from_object(given, cell, where)
    if given is None:
        return _state(cell.id, "blank")
    if isinstance(given, str) and given in TYPED_STATES and cell.kind != "text":
        return _state(cell.id, cast(State, given))
    return _reading(cell, given, where)


def _from_object(given: Mapping[str, object], cell: Cell, where: _Where) -> CellReading:
    """A cell of the document of `scan --json`; keys that later versions may add are passed over."""
    for key in ("value", "state"):
        if key not in given:
            where.fail(f"cell {cell.id}: the key {key!r} is missing")
    state = given["state"]
    if not isinstance(state, str) or state not in _STATES:
        where.fail(f"cell {cell.id}: {_short(state)} is no state", f"the states are {', '.join(get_args(State))}")
    value = None if given["value"] is None else _reading(cell, given["value"], where).value
    if value is not None and state not in VALUED_STATES:
        where.fail(f"cell {cell.id} has a value but its state is {state}", "write null as its value")
    if value is None and state in VALUED_STATES - {"answered"} and cell.kind != "mark":
        where.fail(f"cell {cell.id} has no value but its state is {state}", "write its value")
    ink = given.get("ink")
    if ink is not None and (not isinstance(ink, str) or ink not in _INKS):
        where.fail(f"cell {cell.id}: {_short(ink)} is no ink", "write hand, print or null")
    before = given.get("read")
    confidence = _probability(given.get("confidence", 1.0), f"cell {cell.id}: its confidence", where)
    if state == "doubtful" and confidence > MOST_DOUBTFUL:
        remedy = f"write it, up to {MOST_DOUBTFUL}, or read as its state"
        where.fail(f"cell {cell.id} is doubtful, but not by its confidence", remedy)
    if state == "unreadable" and (cell.place is not None or cell.kind in ("mark", "digit")):
        confidence = confidence or 1.0  # 0 would say that nobody looked at it: boxes only, see `CellReading.unseen`
    printed = given.get("printed")
    if printed is not None:
        printed = _probability(printed, f"cell {cell.id}: its printed", where)
    return CellReading(
        cell.id,
        value,
        cast(State, state),
        confidence,
        _alternatives(given.get("alternatives", {}), cell, where),
        cast(Ink | None, ink),
        None if before is None else _reading(cell, before, where).value,
        printed if value is not None else None,
    )


def _alternatives(given: object, cell: Cell, where: _Where) -> dict[str, float]:
    if not isinstance(given, dict):
        where.fail(f"cell {cell.id}: its alternatives are {_kind(given)}, expected an object")
    for name in given:
        known = name in _STATES - VALUED_STATES or cell.kind == "text"
        known = known or (name == MADE if cell.kind == "mark" else _NUMBER.fullmatch(name) is not None)
        if not known:
            where.fail(f"cell {cell.id}: the alternative {_short(name)} is neither a value nor a state")
    return {name: _probability(given[name], f"cell {cell.id}: its alternative {_short(name)}", where) for name in given}


def _probability(given: object, what: str, where: _Where) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given <= 1:
        where.fail(f"{what} is {_short(given)}, expected a number from 0 to 1")
    return float(given)


# ---- both


def _reading(cell: Cell, given: object, where: _Where) -> CellReading:
    """A value of the right type for its cell; a sure reading of unknown ink."""
    return CellReading(cell.id, _checked(cell, given, where), "read")


def _checked(cell: Cell, given: object, where: _Where) -> Value:
    if cell.kind in ("digit", "number"):
        if isinstance(given, bool) or not isinstance(given, int):
            what = "not finite" if isinstance(given, float) and not math.isfinite(given) else _kind(given)
            where.fail(f"cell {cell.id} is {what} ({_short(given)}), expected an integer", "write it as in 5, or null")
        if abs(given) > MAX_NUMBER:
            where.fail(f"cell {cell.id}: {_short(given)} has more than three digits")
        return given
    if not isinstance(given, str):
        where.fail(f"cell {cell.id} is {_kind(given)} ({_short(given)}), expected a {cell.kind}")
    if cell.kind == "mark" and given != MADE:
        where.fail(f"cell {cell.id}: {_short(given)} is no mark", f"write {MADE} where it is made")
    if not given or not given.isprintable() or len(given) > MAX_TEXT:
        where.fail(f"cell {cell.id}: its text has to be one line of 1 to {MAX_TEXT} printable characters")
    return given


def _state(cell_id: str, state: State) -> CellReading:
    return CellReading(cell_id, None, state)


def _by_hand(cell: CellReading) -> CellReading:
    return replace(cell, ink="hand") if cell.ink is None and cell.value is not None else cell


def _template(name: object, templates: Mapping[str, Template], ids: Collection[str], where: _Where) -> Template:
    """The template of this name, in the size that cells of these ids need."""
    if not isinstance(name, str) or name not in templates:
        known = ", ".join(sorted(templates))
        where.fail(f"{_short(name)} is no template that is known", f"the known ones are {known}")
    try:
        return fitting(templates[name], ids)
    except SizeError as error:
        where.fail(str(error), "leave out the columns and rows that are too many")


def _known(cell_id: str, template: Template, where: _Where) -> None:
    if cell_id not in template:
        remedy = f"`padscore templates show {template.id}` lists its cells"
        where.fail(f"template {template.id} has no cell {_short(cell_id)}", remedy)


def _kind(given: object) -> str:
    names = {bool: "true or false", int: "an integer", float: "a number with a point", str: "a text", list: "a list"}
    return "null" if given is None else names.get(type(given), "an object")


def _short(given: object) -> str:
    """What was given, as JSON and cut to a length that fits into one line."""
    try:
        text = json.dumps(given, ensure_ascii=True)
    except ValueError:  # an integer of thousands of digits
        text = "a very long number"
    return text if len(text) <= 40 else text[:37] + "..."


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
