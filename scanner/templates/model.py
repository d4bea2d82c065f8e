"""A sheet's description as every stage sees it: frozen, checked, in millimetres from the sheet's top left, y down."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from scanner.geometry import Hex, MmPoint, Square
from scanner.templates.formulas import RowFormula

CellKind = Literal["digit", "number", "mark", "text"]
"""One digit; a number of one to three digits, perhaps with a minus; a mark that is made or not; words."""

LineStyle = Literal["single", "double", "heavy", "dashed", "none"]
Shade = Literal["dark", "light", "none"]
Symbol = Literal["star", "heart", "circle", "square", "triangle", "cross"]
ShapeKind = Literal["rectangle", "star", "heart", "circle", "triangle", "cross"]
Rgb = tuple[int, int, int]
"""Red, green, blue, 0 to 255 each."""
Quad = tuple[MmPoint, MmPoint, MmPoint, MmPoint]


@dataclass(frozen=True, slots=True)
class Cell:
    """One place to write on.

    polygon: corners in mm, clockwise on the sheet, from the top left (hexes: from the top).
    values: lowest and highest legal number, null for marks and text.
    printed: the number that every copy of this sheet carries here, null if there is none.
    place: where it is in the lattice; null for boxes and for the cells of a table.
    """

    id: str
    kind: CellKind
    polygon: tuple[MmPoint, ...]
    values: tuple[int, int] | None = None
    printed: int | None = None
    tags: frozenset[str] = frozenset()
    place: Square | Hex | None = None


@dataclass(frozen=True, slots=True)
class Grid:
    """A lattice of rectangles.

    origin: top left of row 1, column 1. pitch: from a cell to the next, (x, y) in mm.
    cell: size of a cell, (x, y) in mm; equal to the pitch unless there are gaps between the cells.
    heavy: every how many lines a (vertical, horizontal) one is printed heavier, counted from the frame; null: none.
    givens: copies of the sheet differ in the numbers printed in the cells (Sudoku).
    """

    origin: MmPoint
    pitch: tuple[float, float]
    rows: int
    cols: int
    heavy: tuple[int, int] | None
    cell: tuple[float, float]
    givens: bool = False

    def polygon(self, square: Square) -> Quad:
        """The four corners of a cell. Without gaps, neighbours have their common corners exactly equal."""
        left, top = self._line_x(square.col - 1), self._line_y(square.row - 1)
        # from the next line and not from this one plus a width: only so are the floats of neighbours the same
        right = self._line_x(square.col) if self.cell[0] == self.pitch[0] else left + self.cell[0]
        bottom = self._line_y(square.row) if self.cell[1] == self.pitch[1] else top + self.cell[1]
        return rectangle(left, top, right, bottom)

    def _line_x(self, n: int) -> float:
        return self.origin.x + n * self.pitch[0]

    def _line_y(self, n: int) -> float:
        return self.origin.y + n * self.pitch[1]


@dataclass(frozen=True, slots=True)
class HexGrid:
    """A lattice of regular hexagons with pointy tops.

    centre: the middle of hex (0, 0). pitch: from the middle of a hex to that of its neighbour, in mm;
    this is a hex's width from edge to edge too.
    """

    centre: MmPoint
    pitch: float

    @property
    def side(self) -> float:
        """Length of an edge in mm; the corners are this far from the middle."""
        return self.pitch / math.sqrt(3)

    def middle(self, place: Hex) -> MmPoint:
        """The middle of a hex."""
        return self._point(2 * place.q + place.r, 3 * place.r)

    def polygon(self, place: Hex) -> tuple[MmPoint, ...]:
        """The six corners, clockwise from the top; neighbours have their common corners exactly equal."""
        x, y = 2 * place.q + place.r, 3 * place.r
        return tuple(self._point(x + dx, y + dy) for dx, dy in _HEX_CORNERS)

    def _point(self, x: int, y: int) -> MmPoint:
        """A point in half widths and half edges. Corners are whole numbers of both, so shared ones come out equal."""
        return MmPoint(self.centre.x + x * (self.pitch / 2), self.centre.y + y * (self.side / 2))


_HEX_CORNERS = ((0, -2), (1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1))


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table, from `left` to `right` in mm. A column of printed labels has no cells (`labels`).

    line: how the line at its left is printed. label: what is printed at its head.
    """

    id: str
    left: float
    right: float
    label: str
    line: LineStyle
    labels: bool


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table, from `top` to `bottom` in mm. A row of printed headings has no cells (`labels`).

    line: how the line above it is printed. label: what is printed in the label columns.
    """

    id: str
    top: float
    bottom: float
    label: str
    line: LineStyle
    labels: bool


@dataclass(frozen=True, slots=True)
class OpenRun:
    """Columns side by side, or rows below each other, of which a sheet may have any number from `least` to `most`.

    name: their ids, with ``{n}`` for the count from 1. count: how many this template has; `scanner.templates.resize`
        gives it another number.
    """

    name: str
    count: int
    least: int
    most: int

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of those that this template has."""
        return tuple(self.id_of(number) for number in range(1, self.count + 1))

    def id_of(self, number: int) -> str:
        """The id of the column or row with this number, from 1."""
        return self.name.replace("{n}", str(number))


@dataclass(frozen=True, slots=True)
class Table:
    """Named rows and columns of any size; a cell's id is ``COLUMN.ROW``.

    formulas: each holds in every column; one that uses another's row comes after it.
    open_columns, open_rows: those whose number differs from sheet to sheet; null where all is fixed.
    """

    columns: tuple[TableColumn, ...]
    rows: tuple[TableRow, ...]
    formulas: tuple[RowFormula, ...]
    open_columns: OpenRun | None = None
    open_rows: OpenRun | None = None

    @property
    def is_open(self) -> bool:
        """Whether sheets of this template differ in their number of rows or columns."""
        return self.open_columns is not None or self.open_rows is not None


@dataclass(frozen=True, slots=True)
class TagColour:
    """Cells with this tag are printed in this colour. rgb: 0 to 255 each."""

    tag: str
    rgb: Rgb


@dataclass(frozen=True, slots=True)
class TagSymbol:
    """Cells with this tag carry this printed symbol. rgb: its colour; null: whatever the printer likes."""

    tag: str
    symbol: Symbol
    rgb: Rgb | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """What the empty sheet looks like, as far as it helps to find it or to print it.

    lines: the lines between cells against the cells. field: the surface between and around the cells.
    *_rgb: the colours that one printing has, to draw the sheet with; null: any that fits the shades. `colours` win over
        `cell_rgb`.
    """

    lines: Shade = "dark"
    field: Shade = "light"
    colours: tuple[TagColour, ...] = ()
    symbols: tuple[TagSymbol, ...] = ()
    line_rgb: Rgb | None = None
    field_rgb: Rgb | None = None
    cell_rgb: Rgb | None = None


@dataclass(frozen=True, slots=True)
class Label:
    """Printed text. at: left end of its base line; height: of a capital letter, mm; turn: degrees clockwise.

    rgb: its colour; null: the ink that the sheet is printed with.
    """

    text: str
    at: MmPoint
    height: float
    turn: int = 0
    rgb: Rgb | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A printed line that isn't the edge of cells, such as a dashed centre line. rgb: as a label's."""

    start: MmPoint
    end: MmPoint
    style: LineStyle
    rgb: Rgb | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """A printed area that is no cell, below the cells, in the order of the file: a strip of colour, a star, an arrow.

    box: the rectangle in mm that it fills, top left first, clockwise. turn: degrees clockwise, by which a triangle
    that points up, say, is turned within it. rgb: as a label's.
    """

    kind: ShapeKind
    box: Quad
    turn: int = 0
    rgb: Rgb | None = None


@dataclass(frozen=True)
class Template:
    """One kind of sheet. Exactly one of `grid`, `hexes` and `table` is set.

    size: width and height of the sheet in mm. words: printed words that tell it from others.
    cells: first the lattice row by row (tables: column by column), then the boxes; ids are unique.
    source: the file it comes from; doesn't count in comparisons.
    """

    id: str
    title: str
    game: str
    size: tuple[float, float]
    words: tuple[str, ...]
    cells: tuple[Cell, ...]
    grid: Grid | None = None
    hexes: HexGrid | None = None
    table: Table | None = None
    look: Look = Look()
    labels: tuple[Label, ...] = ()
    rules: tuple[Rule, ...] = ()
    shapes: tuple[Shape, ...] = ()
    source: str = field(default="", compare=False)

    def __hash__(self) -> int:
        # templates are keys of caches; hashing hundreds of polygons each time would cost more than the caches save
        return hash((self.id, self.game, self.size, len(self.cells)))

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """All cell ids, in order."""
        return tuple(cell.id for cell in self.cells)

    @cached_property
    def lattice_cells(self) -> tuple[Cell, ...]:
        """The cells that have a place in a lattice of squares or hexes; none for a table."""
        return tuple(cell for cell in self.cells if cell.place is not None)

    @cached_property
    def _by_id(self) -> Mapping[str, Cell]:
        return {cell.id: cell for cell in self.cells}

    @cached_property
    def _by_place(self) -> Mapping[Square | Hex, Cell]:
        return {cell.place: cell for cell in self.cells if cell.place is not None}

    def cell(self, cell_id: str) -> Cell:
        """The cell of this id; KeyError if there is none."""
        return self._by_id[cell_id]

    def __contains__(self, cell_id: object) -> bool:
        return cell_id in self._by_id

    def at(self, place: Square | Hex) -> Cell | None:
        """The cell at a place of the lattice, null where there is none."""
        return self._by_place.get(place)

    def lattice_rows(self) -> tuple[tuple[Cell | None, ...], ...]:
        """The lattice row by row, null for a place without a cell; empty for a table.

        Squares: rows from the top, every one with all columns. Hexes: rows of equal r, from the smallest r, each from
        its smallest to its largest q. This is the order of the boards' text notation.
        """
        return tuple(tuple(self.at(place) for place in row) for row in self._place_rows())

    def _place_rows(self) -> Iterator[list[Square | Hex]]:
        if self.grid is not None:
            for row in range(1, self.grid.rows + 1):
                yield [Square(row, col) for col in range(1, self.grid.cols + 1)]
        places = [place for place in self._by_place if isinstance(place, Hex)]
        for r in sorted({place.r for place in places}):
            qs = [place.q for place in places if place.r == r]
            yield [Hex(q, r) for q in range(min(qs), max(qs) + 1)]

    def lattice_mask(self) -> npt.NDArray[np.bool_]:
        """Where a grid has cells: bool [rows, cols]. ValueError for a template without a grid."""
        if self.grid is None:
            raise ValueError(f"template {self.id} has no square grid")
        mask = np.zeros((self.grid.rows, self.grid.cols), dtype=np.bool_)
        for place in self._by_place:
            if isinstance(place, Square):
                mask[place.row - 1, place.col - 1] = True
        return mask

    def mm_quad(self) -> Quad:
        """The bounding rectangle of the main lattice's cells (of a table's cells), without boxes.

        Four corners in mm, the template's top left first, clockwise.
        """
        main = self.lattice_cells or tuple(cell for cell in self.cells if "." in cell.id)
        xs = [point.x for cell in main for point in cell.polygon]
        ys = [point.y for cell in main for point in cell.polygon]
        return rectangle(min(xs), min(ys), max(xs), max(ys))


def rectangle(left: float, top: float, right: float, bottom: float) -> Quad:
    """The corners of an upright rectangle, top left first, clockwise."""
    return MmPoint(left, top), MmPoint(right, top), MmPoint(right, bottom), MmPoint(left, bottom)
