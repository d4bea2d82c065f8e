"""Finds template files, reads them, and turns everything that is wrong with one into a single `TemplateError`."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from scanner.errors import TemplateError
from scanner.games.registry import known_games
from scanner.templates.model import Template

if TYPE_CHECKING:
    from pydantic import ValidationError

ENVIRONMENT = "PADSCORE_TEMPLATES"
MAX_BYTES = 64 * 1024
"""Several times what any sheet needs; the parser takes quadratic time for some nonsense."""
SCHEMA = 1

_EXAMPLES: Mapping[str, str] = {
    "id": 'id = "my-sheet"',
    "title": 'title = "My sheet"',
    "game": 'game = "sudoku"',
    "size": "size = [140, 88]",
    "words": 'words = ["SPLITTER"]',
    "origin": "origin = [46, 8]",
    "pitch": "pitch = [10.2, 10.2]",
    "hex.pitch": "pitch = 10.2",
    "centre": "centre = [70, 60]",
    "areas.centre": 'centre = "q3r0"',
    "mask": 'mask = ["-oo-", "oooo"]',
    "values": "values = [1, 6]",
    "heavy": "heavy = [3, 3]",
    "rect": "rect = [14, 16, 12, 5.5]",
    "step": "step = [8, 0]",
    "kind": 'kind = "number"',
    "width": "width = 14",
    "height": "height = 6",
    "at": "at = [10, 5]",
    "formulas.at": "at = 63",
    "sum": 'sum = ["aces", "twos"]',
    "difference": 'difference = ["gained", "lost"]',
    "shape": 'shape = "rectangle"',
    "colour": 'colour = "#f4c542"',
    "line_colour": 'line_colour = "#1d2b53"',
    "field_colour": 'field_colour = "#1d2b53"',
    "cell_colour": 'cell_colour = "#d5e6f5"',
    "tag": 'tag = "area-1"',
}


def load_templates(extra: Path | None = None) -> Mapping[str, Template]:
    """All templates by id: the built-in ones, then the users' from ``PADSCORE_TEMPLATES`` and from the folder `extra`.

    Files are read again only when they have changed. TemplateError for the first file that is refused, and for an id
    that two files have.
    """
    found: dict[str, Template] = {}
    seen: set[Path] = set()
    for path in _files(extra):
        real = path.resolve()
        if real in seen:  # the same folder by two ways, such as --templates templates in a checkout
            continue
        seen.add(real)
        template = read_template_file(path)
        if template.id in found:
            raise TemplateError(
                f"id: '{template.id}' is the id of {found[template.id].source} as well",
                remedy="give this template another id",
                subject=str(path),
            )
        found[template.id] = template
    return found


def get_template(template_id: str, extra: Path | None = None) -> Template:
    """One template by its id. TemplateError if there is none, with the nearest known id."""
    import difflib

    templates = load_templates(extra)
    if template_id in templates:
        return templates[template_id]
    close = difflib.get_close_matches(template_id, list(templates), n=1)
    hint = f"did you mean {close[0]}? " if close else ""
    raise TemplateError(
        f"unknown template '{template_id}'", remedy=f"{hint}the known ones are {', '.join(templates) or 'none'}"
    )


def builtin_folder() -> Path:
    """The folder of the shipped templates: inside an installed package, or at the top of a checkout."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "data" / "templates"
    return inside if inside.is_dir() else package.parent / "templates"


def _files(extra: Path | None) -> Iterator[Path]:
    yield from _folder(builtin_folder(), "the shipped templates are missing", "install padscore again")
    if variable := os.environ.get(ENVIRONMENT):
        yield from _folder(Path(variable), f"{ENVIRONMENT} names no folder of templates", "correct or unset it")
    if extra is not None:
        yield from _folder(extra, "this is no folder of templates", "name the folder that holds the .toml files")


def _folder(folder: Path, cause: str, remedy: str) -> list[Path]:
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix.lower() == ".toml")
    except OSError:
        raise TemplateError(cause, remedy=remedy, subject=str(folder)) from None
    if not files:
        raise TemplateError("there is no .toml file in this folder", remedy=remedy, subject=str(folder))
    return files


def read_template_file(path: Path) -> Template:
    """The template in a file. TemplateError if it can't be read or is refused."""
    try:
        if not path.is_file():
            raise TemplateError("this is no ordinary file", remedy="take it out of the folder", subject=str(path))
        status = path.stat()
        return _read_cached(path, status.st_mtime_ns, status.st_size)
    except OSError as error:
        raise TemplateError(
            f"it can't be read ({error.strerror})", remedy="check its permissions", subject=str(path)
        ) from None


@lru_cache(maxsize=512)
def _read_cached(path: Path, _modified: int, _size: int) -> Template:
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    return parse_template(data, source=str(path))


def parse_template(data: bytes, *, source: str, games: Collection[str] | None = None) -> Template:
    """The template in the bytes of a TOML file. source: its name in messages; games: those that exist (default: all).

    TemplateError names the file, the key and a remedy.
    """
    # the only place that needs pydantic, which takes longer to import than the whole help text to print
    from pydantic import ValidationError

    from scanner.templates.build import Refused, build
    from scanner.templates.schema import TemplateSpec

    raw = _toml(data, source)
    _check_schema(raw, source)
    try:
        spec = TemplateSpec.model_validate(raw)
        return build(spec, games=known_games() if games is None else games, source=source)
    except Refused as refused:
        raise _refusal(refused.path, refused.cause, refused.remedy, source) from None
    except ValidationError as error:
        raise _translated(error, source) from None


def _toml(data: bytes, source: str) -> dict[str, object]:
    if len(data) > MAX_BYTES:
        raise TemplateError(
            f"it is larger than {MAX_BYTES // 1024} KB",
            remedy="write lattices by rule, with mask and count",
            subject=source,
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise TemplateError(f"line {line} is not UTF-8", remedy="save the file as UTF-8", subject=source) from None
    try:
        return {key: _tuples(value) for key, value in tomllib.loads(text).items()}
    except RecursionError:
        raise TemplateError("it is nested too deeply", remedy="correct the brackets", subject=source) from None
    except tomllib.TOMLDecodeError as error:
        cause = " ".join(str(error).split())[:200]
        raise TemplateError(f"it is not valid TOML: {cause}", remedy="correct it there", subject=source) from None
    except ValueError:  # Python refuses to convert integers of thousands of digits
        remedy = "correct it: lengths are mm, values whole numbers"
        raise TemplateError("a number in it is far too long", remedy=remedy, subject=source) from None


def _tuples(value: object) -> object:
    """The same with tuples for lists, as strict models want it. RecursionError where it is nested too deeply."""
    if isinstance(value, list):
        return tuple(_tuples(item) for item in value)
    if isinstance(value, dict):
        return {key: _tuples(item) for key, item in value.items()}
    return value


def _check_schema(raw: Mapping[str, object], source: str) -> None:
    """Before anything else: a file of a later schema is full of unknown keys, and none of them is the cause."""
    schema = raw.get("schema")
    if schema is None:
        raise TemplateError(
            "schema: the key is missing", remedy=f"write schema = {SCHEMA} as the first line", subject=source
        )
    if type(schema) is not int or schema != SCHEMA:
        raise TemplateError(
            f"schema: this version reads schema {SCHEMA}, not {_shown(schema)}",
            remedy=f"update padscore, or write the file for schema = {SCHEMA}",
            subject=source,
        )


_EXPECTED: Mapping[str, str] = {
    "tuple_type": "should be a list",
    "dict_type": "should be a table such as { key = value }",
    "model_type": "should be a table such as { key = value }",
    "int_type": "should be a whole number",
    "float_type": "should be a number",
    "string_type": "should be a text in quotes",
    "bool_type": "should be true or false",
    "finite_number": "should be a finite number",
}


def _translated(error: ValidationError, source: str) -> TemplateError:
    """The first thing that pydantic found, as a line for people."""
    from scanner.templates.build import VOCABULARY, key_path, meant

    errors = error.errors(include_url=False)
    first = errors[0]
    context = first.get("ctx", {})
    where: list[str | int] = [part for part in first["loc"] if part != "[key]"]
    is_formula = len(where) == 3 and where[:2] == ["table", "formulas"]
    kind = first["type"]
    if kind == "unknown_key":
        where.append(str(context["key"]))
        cause = "unknown key"
        remedy = f"a formula is one of {VOCABULARY}" if is_formula else meant(str(context["key"]), context["known"])
    elif kind == "missing" and isinstance(where[-1], int):
        where.pop()
        cause, remedy = "the list is too short", _example(where)
    elif kind == "missing":
        cause, remedy = "the key is missing", _example(where)
    elif kind == "too_long" and isinstance(first["input"], tuple):
        cause, remedy = "the list is too long", _example(where)
    else:
        expected = _EXPECTED.get(kind) or first["msg"].removeprefix("Input ")
        found = "" if kind == "upside_down" else f", not {_shown(first['input'])}"
        cause = f"{expected}{found}"
        remedy = f"a formula is one of {VOCABULARY}" if is_formula else _example(where)
        if kind == "upside_down":
            remedy = "write the lowest first, e.g. values = [1, 6]"
    more = f" (and {len(errors) - 1} more to correct)" if len(errors) > 1 else ""
    return _refusal(key_path(*where), cause, remedy + more, source)


def _refusal(path: str, cause: str, remedy: str, source: str) -> TemplateError:
    return TemplateError(_line(f"{path}: {cause}"), remedy=_line(remedy), subject=source)


def _line(text: str) -> str:
    """One short line without control characters: keys and names in a message are whatever stands in the file."""
    line = "".join(letter if letter.isprintable() else "?" for letter in text)
    return line if len(line) <= 300 else line[:297] + "..."


def _example(where: Sequence[str | int]) -> str:
    names = [part for part in where if isinstance(part, str)]
    for key in (".".join(names[-2:]), ".".join([*names[:-2], names[-1]][-2:]), names[-1] if names else ""):
        if key in _EXAMPLES:
            return f"write e.g. {_EXAMPLES[key]}"
    return "see docs/templates.md for what may stand there"


def _shown(value: object) -> str:
    """A value for a message, on one line and short."""
    if isinstance(value, tuple):
        value = list(value)
    text = re.sub(r"\s+", " ", repr(value))
    return text if len(text) <= 40 else text[:37] + "..."
