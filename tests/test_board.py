"""The text notation: laid out as the design says, and read back as it was written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner.board import ReadBoard, lattice_rows, place_of
from scanner.geometry import Hex, Square
from scanner.results import CellReading, Ink, State
from scanner.templates import Cell, Template, get_template, parse_template
from scanner.typed import parse_typed

HEXES = b"""
schema = 1
id = "seven"
title = "Seven hexes"
game = "toy"
size = [100, 100]
[hex]
centre = [50, 50]
pitch = 10
values = [0, 12]
kind = "number"
[[hex.areas]]
tag = "all"
centre = "q0r0"
radius = 1
[[boxes]]
id = "bonus"
kind = "mark"
rect = [2, 2, 5, 5]
[[boxes]]
id = "claim"
kind = "number"
rect = [12, 2, 10, 5]
[[boxes]]
id = "name"
kind = "text"
rect = [30, 2, 20, 5]
"""

SQUARES = b"""
schema = 1
id = "holes"
title = "A grid with holes"
game = "toy"
size = [100, 100]
[grid]
origin = [10, 10]
pitch = [10, 10]
mask = ["-oo-", "oooo", "-oo-"]
values = [1, 6]
"""


def toy(source: bytes) -> Template:
    return parse_template(source, source="toy.toml", games={"toy"})


TEMPLATES = {template.id: template for template in (get_template("sudoku"), toy(HEXES), toy(SQUARES))}


def board_of(template: Template, **readings: CellReading) -> ReadBoard:
    return ReadBoard(template.id, {cell: readings.get(cell, CellReading(cell, None, "blank")) for cell in template.ids})


def number(cell: str, value: int, ink: Ink | None = None) -> CellReading:
    return CellReading(cell, value, "read", ink=ink)


def test_hexes_stand_where_they_touch() -> None:
    template = toy(HEXES)
    values = {"q0r-1": 1, "q1r-1": 2, "q-1r0": 3, "q0r0": 4, "q1r0": 5, "q-1r1": 6, "q0r1": 7}
    board = board_of(template, **{cell: number(cell, value) for cell, value in values.items()})
    expected = "template = seven\n 1 2\n3 4 5\n 6 7\nbonus = .\nclaim = .\nname = .\n"
    assert board.text() == expected


def test_squares_with_holes_and_states() -> None:
    template = toy(SQUARES)
    board = board_of(
        template,
        r1c2=number("r1c2", 5),
        r1c3=CellReading("r1c3", None, "candidates"),
        r2c1=CellReading("r2c1", None, "struck"),
        r2c2=CellReading("r2c2", None, "unreadable"),
        r2c3=CellReading("r2c3", None, "scribble"),
        r3c2=CellReading("r3c2", 6, "doubtful", 0.6, {"0": 0.4}),
    )
    assert board.text() == "template = holes\n- 5 c -\ns ? ? .\n- 6 . -\n"


def test_boxes_marks_and_texts() -> None:
    template = toy(HEXES)
    board = board_of(
        template,
        bonus=CellReading("bonus", "x", "read"),
        claim=number("claim", -12),
        name=CellReading("name", 'Ann "A" = Öz', "read"),
    )
    assert board.text().splitlines()[-3:] == ["bonus = x", "claim = -12", 'name = "Ann \\"A\\" = Öz"']


def test_printed_digits_carry_a_mark() -> None:
    template = toy(SQUARES)
    board = board_of(template, r1c2=number("r1c2", 5, "print"), r1c3=number("r1c3", 1, "hand"))
    assert board.text().splitlines()[1] == "-   5'  1   -"


@pytest.mark.parametrize(
    ("cell_id", "place"),
    [
        ("r1c1", Square(1, 1)),
        ("r12c3", Square(12, 3)),
        ("q0r0", Hex(0, 0)),
        ("q-1r2", Hex(-1, 2)),
        ("r0c1", None),
        ("q-0r0", None),
        ("game2.aces", None),
        ("r1c1x", None),
        ("r١c1", None),
    ],
)
def test_place_of(cell_id: str, place: Square | Hex | None) -> None:
    assert place_of(cell_id) == place


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=str)
def test_rows_are_those_of_the_template(template: Template) -> None:
    expected = [tuple(cell.id if cell else None for cell in row) for row in template.lattice_rows()]
    assert [row.ids for row in lattice_rows(template.ids)] == expected


def readings(cell: Cell) -> st.SearchStrategy[CellReading]:
    states: list[State] = ["blank", "candidates", "struck", "unreadable"]
    without = st.sampled_from(states).map(lambda state: CellReading(cell.id, None, state))
    match cell.kind:
        case "mark":
            return without | st.just(CellReading(cell.id, "x", "read"))
        case "text":
            words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20).filter(str.isprintable)
            return without | words.map(lambda text: CellReading(cell.id, text, "read"))
        case _:
            return without | st.integers(-999, 999).map(lambda value: CellReading(cell.id, value, "read"))


def boards() -> st.SearchStrategy[ReadBoard]:
    def of(template: Template) -> st.SearchStrategy[ReadBoard]:
        cells = st.fixed_dictionaries({cell.id: readings(cell) for cell in template.cells})
        return cells.map(lambda cells: ReadBoard(template.id, {cell: cells[cell] for cell in template.ids}))

    return st.sampled_from(list(TEMPLATES.values())).flatmap(of)


@given(boards(), st.sets(st.sampled_from(sorted(get_template("sudoku").ids))))
def test_text_is_read_back_as_written(board: ReadBoard, printed: set[str]) -> None:
    cells = dict(board.cells)
    numbers = {cell for cell, reading in cells.items() if isinstance(reading.value, int)}
    ink_is_known = bool(numbers & printed)
    for cell, reading in board.cells.items():
        if ink_is_known and reading.value is not None:
            ink: Ink = "print" if cell in numbers & printed else "hand"
            cells[cell] = CellReading(cell, reading.value, "read", ink=ink)
    board = ReadBoard(board.template, cells)
    [typed] = parse_typed(board.text(), TEMPLATES)
    assert typed.board == board
    assert list(typed.board.cells) == list(board.cells)
    assert typed.board.text() == board.text()
