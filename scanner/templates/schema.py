"""The TOML format, schema 1, as pydantic models: which keys there are and what type each has.

What the keys mean together (does the cell lie on the sheet, does the row exist) is checked in `build`.
Importing this module imports pydantic, so do it only where a file is read.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from scanner.templates.model import CellKind, LineStyle, Shade, ShapeKind, Symbol

MAX_LATTICE = 99
MAX_COUNT = 200


class Strict(BaseModel):
    """No conversions, no unknown keys, no changes afterwards."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, data: object) -> object:
        # pydantic's own refusal of extra keys can't tell which keys there would have been
        if isinstance(data, dict):
            known = [info.alias or name for name, info in cls.model_fields.items()]
            for key in data:
                if key not in known:
                    raise PydanticCustomError("unknown_key", "unknown key", {"key": key, "known": known})
        return data


def _pattern(pattern: str, meaning: str) -> AfterValidator:
    compiled = re.compile(pattern)

    def check(text: str) -> str:
        if not compiled.fullmatch(text):
            raise PydanticCustomError("pattern", "{meaning}", {"meaning": meaning})
        return text

    return AfterValidator(check)


def _printable(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise PydanticCustomError("pattern", "{meaning}", {"meaning": "should be one line of printable text"})
    return text


def _upright(pair: tuple[int, int]) -> tuple[int, int]:
    if pair[0] > pair[1]:
        raise PydanticCustomError(
            "upside_down",
            "the lowest value {low} is above the highest {high}",
            {"low": pair[0], "high": pair[1]},
        )
    return pair


def _one_or_many(value: object) -> object:
    return (value,) if isinstance(value, str) else value


_NAME = "should be a name of letters, digits, - and _ that starts with a letter"
TemplateId = Annotated[
    str, _pattern(r"[a-z0-9][a-z0-9-]{0,63}", "should be a short name of small letters, digits and -")
]
Name = Annotated[str, _pattern(r"[A-Za-z][A-Za-z0-9_-]{0,63}", _NAME)]
CountedName = Annotated[
    str, _pattern(r"[A-Za-z][A-Za-z0-9_-]{0,63}(\{n\}[A-Za-z0-9_-]{0,63})?", _NAME + ", perhaps with {n} for the count")
]
HexId = Annotated[str, _pattern(r"q(0|-?[1-9]\d?)r(0|-?[1-9]\d?)", "should be a hex such as q0r0 or q-1r2")]
Text = Annotated[str, Field(max_length=200), AfterValidator(_printable)]
Coordinate = Annotated[float, Field(ge=0, le=2000)]
Length = Annotated[float, Field(ge=0.5, le=2000)]
Gap = Annotated[float, Field(ge=0, le=2000)]
Point = tuple[Coordinate, Coordinate]
Value = Annotated[int, Field(ge=-999, le=999)]
Values = Annotated[tuple[Value, Value], AfterValidator(_upright)]
Names = Annotated[tuple[Name, ...], BeforeValidator(_one_or_many)]
Count = Annotated[int, Field(ge=1, le=MAX_COUNT)]
LatticeCount = Annotated[int, Field(ge=1, le=MAX_LATTICE)]
Colour = Annotated[str, _pattern(r"#[0-9a-fA-F]{6}", 'should be a colour such as "#f4c542"')]
TagLetter = Annotated[str, _pattern(r"[^\s\-o]", "should be one letter or sign, but neither - nor o")]


class GridSpec(Strict):
    """``[grid]``: a lattice of rectangles, by its size or by a mask."""

    origin: Point
    pitch: tuple[Length, Length]
    cell: tuple[Length, Length] | None = None
    rows: LatticeCount | None = None
    cols: LatticeCount | None = None
    mask: tuple[str, ...] | None = None
    tags: dict[TagLetter, Names] = {}
    kind: CellKind = "digit"
    values: Values | None = None
    printed: dict[str, Value] = {}
    heavy: tuple[LatticeCount, LatticeCount] | None = None
    givens: bool = False


class AreaSpec(Strict):
    """``[[hex.areas]]``: hexes that belong together: a disc, single ones, and their turns about q0r0."""

    tag: CountedName
    centre: HexId | None = None
    radius: Annotated[int, Field(ge=0, le=20)] = 0
    cells: tuple[HexId, ...] = ()
    turns: Literal[1, 2, 3, 6] = 1


class HexSpec(Strict):
    """``[hex]``: a lattice of hexagons, by its areas."""

    centre: Point
    pitch: Length
    areas: tuple[AreaSpec, ...]
    tagged: dict[Name, tuple[HexId, ...]] = {}
    kind: CellKind = "digit"
    values: Values | None = None
    printed: dict[str, Value] = {}


class ColumnSpec(Strict):
    """``[[table.columns]]``: one column, or `count` of them side by side; on a found sheet `least` to `most`."""

    id: CountedName
    width: Length
    count: Count = 1
    least: Count | None = None
    most: Count | None = None
    gap: Gap = 0.0
    line: LineStyle = "single"
    label: Text | None = None
    kind: CellKind | Literal["label"] | None = None
    values: Values | None = None
    tags: Names = ()


class RowSpec(Strict):
    """``[[table.rows]]``: one row, or `count` of them below each other; on a found sheet `least` to `most`."""

    id: CountedName
    height: Length
    count: Count = 1
    least: Count | None = None
    most: Count | None = None
    gap: Gap = 0.0
    line: LineStyle = "single"
    label: Text | None = None
    kind: CellKind | Literal["label"] | None = None
    values: Values | None = None
    tags: Names = ()


class FormulaSpec(Strict):
    """One formula; `build` checks that its keys belong together."""

    sum: tuple[CountedName, ...] | None = None
    difference: tuple[Name, Name] | None = None
    product: Name | None = None
    by: Annotated[int, Field(ge=-999, le=999)] | None = None
    threshold: Name | None = None
    at: Annotated[int, Field(ge=-9999, le=9999)] | None = None
    points: Annotated[int, Field(ge=-999, le=999)] | None = None


class TableSpec(Strict):
    """``[table]``: named rows and columns, and which rows are computed."""

    origin: Point
    columns: tuple[ColumnSpec, ...]
    rows: tuple[RowSpec, ...]
    values: Values | None = None
    holes: tuple[str, ...] = ()
    printed: dict[str, Value] = {}
    formulas: dict[Name, FormulaSpec] = {}


class BoxSpec(Strict):
    """``[[boxes]]``: a cell outside the lattice, or `count` of them, each `step` from the one before."""

    id: CountedName
    kind: CellKind
    rect: tuple[Coordinate, Coordinate, Length, Length]
    count: Count = 1
    step: tuple[Annotated[float, Field(ge=-2000, le=2000)], Annotated[float, Field(ge=-2000, le=2000)]] | None = None
    values: Values | None = None
    printed: Value | None = None
    tags: Names = ()


class LabelSpec(Strict):
    """``[[labels]]``: printed text."""

    text: Text
    at: Point
    height: Length
    turn: Literal[0, 90, 180, 270] = 0
    colour: Colour | None = None


class RuleSpec(Strict):
    """``[[rules]]``: a printed line beside those of the cells."""

    start: Point
    end: Point
    style: LineStyle = "single"
    colour: Colour | None = None


class ShapeSpec(Strict):
    """``[[shapes]]``: a printed area that is no cell."""

    shape: ShapeKind
    rect: tuple[Coordinate, Coordinate, Length, Length]
    turn: Literal[0, 90, 180, 270] = 0
    colour: Colour | None = None


class LookSpec(Strict):
    """``[look]``: what the empty sheet looks like."""

    lines: Shade = "dark"
    field: Shade = "light"
    colours: dict[Name, Colour] = {}
    symbols: dict[Name, Symbol] = {}
    symbol_colours: dict[Name, Colour] = {}
    line_colour: Colour | None = None
    field_colour: Colour | None = None
    cell_colour: Colour | None = None


class TemplateSpec(Strict):
    """A whole file."""

    version: Literal[1] = Field(alias="schema")
    id: TemplateId
    title: Text
    game: str
    size: tuple[Length, Length]
    words: tuple[Text, ...] = ()
    grid: GridSpec | None = None
    hex: HexSpec | None = None
    table: TableSpec | None = None
    boxes: tuple[BoxSpec, ...] = ()
    labels: tuple[LabelSpec, ...] = ()
    rules: tuple[RuleSpec, ...] = ()
    shapes: tuple[ShapeSpec, ...] = ()
    look: LookSpec = LookSpec()
