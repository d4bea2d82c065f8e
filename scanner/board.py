"""The board as read or typed, perhaps impossible, and its text notation.

The notation, written by `ReadBoard.text` and read back by `scanner.typed`::

    template = sudoku
    5' 3  .  .  7  .  .  .  .
    ...
    claim-ones = 3
    player = "Anna"

The first line names the template. Then comes one line a row of the lattice (hex lattices: a row of equal r, from small
q, indented so that neighbours touch), its cells separated by blanks:

- a value; a made mark is ``x``, a text stands in double quotes as in JSON;
- ``-`` no cell, ``.`` empty, ``c`` pencil notes, ``s`` struck, ``?`` unread (unreadable or scribbled over);
- a value followed by ``'`` is printed. Where at least one is, the other values are taken for handwriting; where none
  is, it isn't known who wrote what.

Then one ``id = value`` line for each cell outside the lattice, but for boxes that nobody looked at. The notation is for
people: confidences, alternatives and corrections are kept by the JSON document only, a doubtful cell is written as its
best guess.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from scanner.geometry import Hex, Square
from scanner.results import CellReading, State, Value

NO_CELL = "-"
PRINTED = "'"
MADE = "x"
STATE_TOKENS: Mapping[State, str] = {"blank": ".", "candidates": "c", "struck": "s", "scribble": "?", "unreadable": "?"}
TOKEN_STATES: Mapping[str, State] = {".": "blank", "c": "candidates", "s": "struck", "?": "unreadable"}

_SQUARE_ID = re.compile(r"r([1-9]\d*)c([1-9]\d*)", re.ASCII)
_HEX_ID = re.compile(r"q(0|-?[1-9]\d*)r(0|-?[1-9]\d*)", re.ASCII)


def place_of(cell_id: str) -> Square | Hex | None:
    """The lattice place that an id stands for; null for boxes and cells of tables, which have names."""
    if found := _SQUARE_ID.fullmatch(cell_id):
        return Square(int(found[1]), int(found[2]))
    if found := _HEX_ID.fullmatch(cell_id):
        return Hex(int(found[1]), int(found[2]))
    return None


@dataclass(frozen=True, slots=True)
class LatticeRow:
    """One line of the notation. ids: null where there is no cell; indent: in half cells, 0 for squares."""

    ids: tuple[str | None, ...]
    indent: int = 0


def lattice_rows(ids: Iterable[str]) -> tuple[LatticeRow, ...]:
    """Lays the lattice cells among `ids` out in rows, top to bottom; other ids are left out.

    Squares: from the first row and column to the last one used. Hexes: each row from its smallest to its largest q.
    """
    places = [place for place in map(place_of, ids) if place is not None]
    squares = {place for place in places if isinstance(place, Square)}
    hexes = {place for place in places if isinstance(place, Hex)}
    return _square_rows(squares) + _hex_rows(hexes)


def _square_rows(squares: set[Square]) -> tuple[LatticeRow, ...]:
    rows = max((square.row for square in squares), default=0)
    cols = max((square.col for square in squares), default=0)
    return tuple(
        LatticeRow(
            tuple(place.id if place in squares else None for place in (Square(row, col) for col in range(1, cols + 1)))
        )
        for row in range(1, rows + 1)
    )


def _hex_rows(hexes: set[Hex]) -> tuple[LatticeRow, ...]:
    # pointy tops: x grows by a whole cell with q, by half a cell with r
    left = min((2 * place.q + place.r for place in hexes), default=0)
    rows: list[LatticeRow] = []
    for r in sorted({place.r for place in hexes}):
        qs = [place.q for place in hexes if place.r == r]
        row = (Hex(q, r) for q in range(min(qs), max(qs) + 1))
        rows.append(LatticeRow(tuple(place.id if place in hexes else None for place in row), 2 * min(qs) + r - left))
    return tuple(rows)


@dataclass(frozen=True, slots=True)
class ReadBoard:
    """Every cell of one sheet, as read, answered or typed.

    cells: keys are the template's cell ids, all of them, in its order.
    """

    template: str
    cells: Mapping[str, CellReading]

    def value(self, cell_id: str) -> Value | None:
        """The value of a cell; null when it has none (blank, struck, candidates, unreadable, ...)."""
        return self.cells[cell_id].value

    def text(self) -> str:
        """The board in the text notation of this module, ending with a line break."""
        lines = [f"template = {self.template}"]
        rows = lattice_rows(self.cells)
        tokens = [[NO_CELL if cell is None else _token(self.cells[cell]) for cell in row.ids] for row in rows]
        width = max((len(token) for row in tokens for token in row), default=1)
        width += 1 - width % 2  # an odd width, so that half a cell with its blank is a whole number of characters
        for row, words in zip(rows, tokens, strict=True):
            indent = " " * (row.indent * (width + 1) // 2)
            lines.append((indent + " ".join(word.ljust(width) for word in words)).rstrip())
        lines += [
            f"{cell} = {_token(reading)}"
            for cell, reading in self.cells.items()
            if place_of(cell) is None and not reading.unseen
        ]
        return "\n".join(lines) + "\n"


def _token(reading: CellReading) -> str:
    mark = PRINTED if reading.ink == "print" else ""
    match reading.value:
        case None:
            return STATE_TOKENS.get(reading.state, ".")
        case int(number):
            return f"{number}{mark}"
        case "x":
            return MADE
        case text:
            return json.dumps(text, ensure_ascii=False)
