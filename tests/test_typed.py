"""Typed boards: what is read from each form, and what is refused, with the cell and the reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner.errors import BoardError, FileError, MissingFileError
from scanner.games.registry import get_game
from scanner.resolve import resolve
from scanner.results import CellReading
from scanner.templates import Template, get_template, parse_template
from scanner.typed import MAX_BYTES, TypedBoard, load_typed, parse_typed

SUDOKU = get_template("sudoku")
BOXES = parse_template(
    b"""
schema = 1
id = "boxes"
title = "Two cells and boxes"
game = "toy"
size = [100, 100]
[grid]
origin = [10, 10]
pitch = [10, 10]
rows = 1
cols = 2
values = [1, 6]
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
""",
    source="boxes.toml",
    games={"toy"},
)
TEMPLATES: dict[str, Template] = {"sudoku": SUDOKU, "boxes": BOXES}
ROWS = ["5 3 . . 7 . . . ."] + [". . . . . . . . ."] * 8
TEXT = "template = sudoku\n" + "\n".join(ROWS)


def truth(**changed: object) -> dict[str, Any]:
    return {"template": "sudoku", "cells": dict.fromkeys(SUDOKU.ids) | changed}


def boxes(**changed: object) -> dict[str, Any]:
    return {"template": "boxes", "cells": {"r1c1": None, "r1c2": None} | changed}


def read(loaded: object) -> TypedBoard:
    [typed] = parse_typed(json.dumps(loaded), TEMPLATES)
    return typed


# ---- what is read


def test_text_notation() -> None:
    [typed] = parse_typed(TEXT + "\n", TEMPLATES, source="b.txt")
    assert (typed.source, typed.page, typed.sheet, typed.template) == ("b.txt", 1, 1, SUDOKU)
    values = {cell: reading.value for cell, reading in typed.board.cells.items() if reading.value is not None}
    assert values == {"r1c1": 5, "r1c2": 3, "r1c5": 7}
    assert {reading.ink for reading in typed.board.cells.values()} == {None}


def test_text_notation_forgives_layout() -> None:
    messy = TEXT.replace("\n", "\r\n\r\n  ").replace(" . ", "\t. ")
    assert parse_typed(messy, TEMPLATES)[0].board == parse_typed(TEXT, TEMPLATES)[0].board


def test_truth_file() -> None:
    typed = read(truth(r1c1=5, r2c2="candidates", r3c3="struck", r4c4="scribble", r5c5="unreadable", r6c6=0, r7c7=12))
    cells = typed.board.cells
    assert list(cells) == list(SUDOKU.ids)
    assert cells["r1c1"] == CellReading("r1c1", 5, "read")
    assert cells["r1c2"] == CellReading("r1c2", None, "blank")
    assert [cells[f"r{n}c{n}"].state for n in (2, 3, 4, 5)] == ["candidates", "struck", "scribble", "unreadable"]
    assert [cells[cell].value for cell in ("r6c6", "r7c7")] == [0, 12]  # for the game to judge


def test_corners_and_other_keys_of_truth_files_are_passed_over() -> None:
    assert read(truth() | {"corners": [[0, 0], [1, 0], [1, 1], [0, 1]]}) == read(truth())


def test_printed_digits() -> None:
    typed = read(truth(r1c1=5, r1c2=3) | {"printed": ["r1c1"]})
    assert [typed.board.cells[cell].ink for cell in ("r1c1", "r1c2", "r1c3")] == ["print", "hand", None]
    [same] = parse_typed(TEXT.replace("5 3 . . 7", "5' 3 . . ."), TEMPLATES)
    assert same.board == typed.board


def test_no_printed_digits_at_all() -> None:
    assert read(truth(r1c1=5) | {"printed": []}).board.cells["r1c1"].ink == "hand"
    assert read(truth(r1c1=5)).board.cells["r1c1"].ink is None


def test_boxes_may_be_left_out_and_lattice_cells_may_not() -> None:
    cells = read(boxes(bonus="x", name="candidates")).board.cells
    assert (cells["bonus"].value, cells["claim"].value, cells["name"].value) == ("x", None, "candidates")
    with pytest.raises(BoardError, match="cell r1c2 is missing; write null"):
        read({"template": "boxes", "cells": {"r1c1": 5}})


def test_text_notation_of_boxes() -> None:
    [typed] = parse_typed('template = boxes\nname = "a = \\"b\\""\n1 2\nbonus = x\nclaim = -12', TEMPLATES)
    cells = typed.board.cells
    assert [cells[cell].value for cell in BOXES.ids] == [1, 2, "x", -12, 'a = "b"']
    [bare] = parse_typed("template = boxes\n1 2\nname = Ann B", TEMPLATES)
    assert bare.board.value("name") == "Ann B"


def test_document_keeps_everything() -> None:
    cells: dict[str, dict[str, object]] = {
        cell: {"value": None, "state": "blank", "confidence": 0.999, "alternatives": {}, "ink": None}
        for cell in SUDOKU.ids
    }
    cells["r1c1"] = {
        "value": 5,
        "state": "doubtful",
        "confidence": 0.7,
        "alternatives": {"3": 0.2, "blank": 0.1},
        "ink": "hand",
    }
    cells["r1c2"] = {"value": 4, "state": "answered", "confidence": 1, "alternatives": {}, "ink": "print", "read": 9}
    cells["r1c3"] = {"value": None, "state": "answered", "confidence": 1, "read": 9, "later": "key"}
    sheet = {"source": "p.jpg", "page": 2, "sheet": 3, "template": "sudoku", "cells": cells}
    document = {"schema": 1, "sheets": [sheet, {**sheet, "sheet": 4}]}
    first, second = parse_typed(json.dumps(document), TEMPLATES, source="doc.json")
    assert [(typed.source, typed.page, typed.sheet) for typed in (first, second)] == [("p.jpg", 2, 3), ("p.jpg", 2, 4)]
    board = first.board.cells
    assert board["r1c1"] == CellReading("r1c1", 5, "doubtful", 0.7, {"3": 0.2, "blank": 0.1}, "hand")
    assert board["r1c2"] == CellReading("r1c2", 4, "answered", 1.0, {}, "print", 9)
    assert board["r1c3"] == CellReading("r1c3", None, "answered", 1.0, {}, None, 9)
    assert board["r1c4"] == CellReading("r1c4", None, "blank", 0.999)


def test_no_document_makes_an_unreadable_cell_sure() -> None:
    """A confidence of 0 means "nobody looked", which only boxes may say of themselves."""
    unread = {"value": None, "state": "unreadable", "confidence": 0}
    [typed] = parse_typed(json.dumps(truth(r1c1=unread)), TEMPLATES)
    verdict = resolve(typed.board, SUDOKU, get_game("sudoku"))
    assert (verdict.sure, verdict.ask) == (False, ("r1c1",))
    [typed] = parse_typed(json.dumps(boxes(claim=unread)), TEMPLATES)
    assert typed.board.cells["claim"].unseen


# ---- what is refused


def cell_object(**changed: object) -> dict[str, Any]:
    return {"value": 5, "state": "read", "confidence": 0.9, "alternatives": {}, "ink": "hand"} | changed


@pytest.mark.parametrize(
    ("loaded", "reason"),
    [
        (truth(r10c1=5), r"template sudoku has no cell \"r10c1\"; `padscore templates show sudoku` lists its cells"),
        (truth(r1c1=True), r"cell r1c1 is true or false \(true\), expected an integer"),
        (truth(r1c1=5.0), r"cell r1c1 is a number with a point \(5\.0\), expected an integer"),
        (truth(r1c1="5"), r"cell r1c1 is a text \(\"5\"\), expected an integer"),
        (truth(r1c1="x"), r"cell r1c1 is a text \(\"x\"\), expected an integer"),
        (truth(r1c1=[5]), r"cell r1c1 is a list \(\[5\]\), expected an integer"),
        (truth(r1c1=1000), "cell r1c1: 1000 has more than three digits"),
        (truth(r1c1=-1000), "cell r1c1: -1000 has more than three digits"),
        (truth(r1c1=10**3000), r"cell r1c1: 10+\.\.\. has more than three digits"),
        (truth(r1c1="blank"), r"cell r1c1 is a text \(\"blank\"\)"),
        (truth() | {"template": "chess"}, r"\"chess\" is no template that is known; the known ones are boxes, sudoku"),
        (truth() | {"template": None}, "null is no template that is known"),
        ({"template": "sudoku"}, "the key 'cells' is missing"),
        ({"cells": {}}, "the key 'template' is missing"),
        ({}, "the key 'template' is missing"),
        ([truth()], "is a list, expected an object"),
        (truth() | {"cells": [1]}, "its cells are a list, expected an object"),
        (truth() | {"printed": "r1c1"}, "'printed' is a text, expected a list"),
        (truth() | {"printed": ["r1c1"]}, "cell r1c1 is said to be printed but has no number"),
        (truth() | {"printed": ["z"]}, 'has no cell "z"'),
        (truth() | {"printed": [1]}, "'printed' holds 1"),
        (boxes(bonus="y"), r"cell bonus: \"y\" is no mark; write x"),
        (boxes(bonus=1), r"cell bonus is an integer \(1\), expected a mark"),
        (boxes(name=1), r"cell name is an integer \(1\), expected a text"),
        (boxes(name="a\nb"), "cell name: its text has to be one line"),
        (boxes(name="\ud800"), "cell name: its text has to be one line"),
        (boxes(name="a" * 201), "cell name: its text has to be one line"),
        (truth(r1c1=cell_object(state="sure")), r"cell r1c1: \"sure\" is no state; the states are read, blank"),
        (truth(r1c1=cell_object(state=["read"])), r"cell r1c1: \[\"read\"\] is no state"),
        (truth(r1c1={"value": 5}), "cell r1c1: the key 'state' is missing"),
        (truth(r1c1=cell_object(value=None)), "cell r1c1 has no value but its state is read"),
        (truth(r1c1=cell_object(state="blank")), "cell r1c1 has a value but its state is blank"),
        (truth(r1c1=cell_object(confidence=1.2)), r"cell r1c1: its confidence is 1\.2, expected a number from 0 to 1"),
        (truth(r1c1=cell_object(confidence=True)), "cell r1c1: its confidence is true"),
        (truth(r1c1=cell_object(state="doubtful", confidence=1)), "cell r1c1 is doubtful, but not by its confidence"),
        (truth(r1c1={"value": 5, "state": "doubtful"}), "cell r1c1 is doubtful, but not by its confidence; write it"),
        (truth(r1c1=cell_object(alternatives={"3": "a"})), r"cell r1c1: its alternative \"3\" is \"a\""),
        (truth(r1c1=cell_object(alternatives={"3.0": 0.1})), r"cell r1c1: the alternative \"3\.0\" is neither"),
        (truth(r1c1=cell_object(alternatives=[])), "cell r1c1: its alternatives are a list"),
        (truth(r1c1=cell_object(ink="pen")), r"cell r1c1: \"pen\" is no ink; write hand, print or null"),
        (truth(r1c1=cell_object(read="5")), r"cell r1c1 is a text \(\"5\"\)"),
        ({"schema": 1, "sheets": []}, "the document has no sheets"),
        ({"schema": 2, "sheets": [truth()]}, "its schema is 2, expected 1"),
        ({"sheets": [truth()]}, "its schema is null, expected 1"),
        ({"schema": 1, "sheets": [truth(), 5]}, "b.json, sheet 2: is an integer, expected an object"),
        ({"schema": 1, "sheets": [truth() | {"page": 0}]}, "sheet 1: its page is 0, expected a number from 1"),
        ({"schema": 1, "sheets": [truth() | {"source": 1}]}, "sheet 1: its source is an integer"),
    ],
)
def test_malformed_json_boards(loaded: object, reason: str) -> None:
    with pytest.raises(BoardError, match=reason) as caught:
        parse_typed(json.dumps(loaded), TEMPLATES, source="b.json")
    assert str(caught.value).startswith("b.json")
    assert "\n" not in str(caught.value)
    assert caught.value.exit_status == 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty"),
        (" \n ", "is empty"),
        ('{"template": "sudoku",\n "cells": }', "invalid JSON in line 2, column 11"),
        ('{"template": "sudoku", "template": "sudoku"}', 'the key "template" occurs twice'),
        ('{"template": "sudoku", "cells": {"r1c1": 5, "r1c1": 6}}', 'the key "r1c1" occurs twice'),
        ('{"template": "sudoku", "cells": {"r1c1": NaN}}', "NaN is no number in JSON"),
        ('{"template": "sudoku", "cells": {"r1c1": -Infinity}}', "-Infinity is no number in JSON"),
        (
            '{"template": "sudoku", "cells": {"r1c1": 1e999}}',
            r"cell r1c1 is not finite \(Infinity\)",
        ),
        ('{"a": ' + "[" * 200_000, "its brackets are nested too deeply"),
        ("[" * 200_000, "its brackets are nested too deeply"),
        ('{"a": ' + "1" * 5000 + "}", "a number in it is far too long"),
        (
            "5 3 . . 7 . . . .",
            "the first line doesn't name the template; begin with a line such as `template = sudoku`",
        ),
        ('"sudoku"', "the first line doesn't name the template"),
        ("template = chess\n1", '"chess" is no template that is known'),
        (TEXT.replace("5 3 . . 7", "5 3 . 7"), "row 1 has 8 cells, expected 9; write `.` for an empty cell"),
        (TEXT + "\n. . .", "there are 10 rows, expected 9"),
        (TEXT.rsplit("\n", 1)[0], "there are 8 rows, expected 9"),
        (TEXT.replace("5 3", "- 3"), "cell r1c1: `-` means no cell, but there is one"),
        (TEXT.replace("5 3", "a 3"), 'cell r1c1: "a" is no value'),
        (TEXT.replace("5 3", "5.0 3"), 'cell r1c1: "5.0" is no value'),
        (TEXT.replace("5 3", "1234 3"), 'cell r1c1: "1234" is no value; write a number of up to three digits'),
        (TEXT.replace("5 3", "٥ 3"), "cell r1c1: .* is no value"),
        (TEXT.replace("5 3", "x 3"), r"cell r1c1 is a text \(\"x\"\), expected an integer"),
        (TEXT.replace("5 3", "' 3"), 'cell r1c1: "\'" is no value'),
        (TEXT + "\nr1c1 = 5", "cell r1c1 belongs to the rows of the lattice"),
        (TEXT + "\nbonus = x", 'template sudoku has no cell "bonus"'),
        ("template = boxes\n1 2\nbonus = x\nbonus = x", 'cell "bonus" is given twice'),
        ('template = boxes\n1 2\nname = "a', "cell name: the quotes of .* don't match"),
        ('template = boxes\n1 2\nname = ""', "cell name: its text has to be one line"),
    ],
)
def test_malformed_texts(text: str, reason: str) -> None:
    with pytest.raises(BoardError, match=reason) as caught:
        parse_typed(text, TEMPLATES, source="b.txt")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_places_without_a_cell() -> None:
    template = parse_template(
        b'schema = 1\nid = "gap"\ntitle = "G"\ngame = "toy"\nsize = [50, 50]\n'
        b'[grid]\norigin = [5, 5]\npitch = [10, 10]\nmask = ["o-o"]\nvalues = [1, 6]\n',
        source="gap.toml",
        games={"toy"},
    )
    [typed] = parse_typed("template = gap\n1 - 2", {"gap": template})
    assert typed.board.value("r1c3") == 2
    with pytest.raises(BoardError, match="row 1, place 2: there is no cell; write `-` there"):
        parse_typed("template = gap\n1 . 2", {"gap": template})


@given(
    st.text(max_size=200) | st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists).map(json.dumps)
)
def test_whatever_is_typed_gives_a_board_or_one_line(text: str) -> None:
    with pytest.raises(BoardError) as caught:
        parse_typed(text, TEMPLATES)
    assert str(caught.value).isprintable()


def board_or_reason(text: str) -> str:
    try:
        return parse_typed(text, TEMPLATES)[0].board.text()
    except BoardError as error:
        return str(error)


@given(st.lists(st.sampled_from([*"123456789.cs?x-0'=\" \n"]), max_size=300).map("".join))
def test_rubbish_in_the_notation(rubbish: str) -> None:
    text = board_or_reason("template = boxes\n" + rubbish)
    assert text.isprintable() or board_or_reason(text) == text


# ---- files


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "b.json"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(truth(r1c1=5)).encode())
    [typed] = load_typed(file, TEMPLATES)
    assert (typed.source, typed.board.value("r1c1")) == ("b.json", 5)


@pytest.mark.parametrize(
    ("make", "error", "reason"),
    [
        (lambda path: None, MissingFileError, "b: there is no such file"),
        (Path.mkdir, MissingFileError, "b: is a directory"),
        (lambda path: path.write_bytes(b""), BoardError, "b: is empty"),
        (lambda path: path.write_bytes(b"\xff\xd8\xff\xe0"), BoardError, "b: is no text in UTF-8; photos are read by"),
        (lambda path: path.write_bytes(b" " * (MAX_BYTES + 1)), BoardError, "b: is larger than 8 MB"),
    ],
)
def test_files_that_are_no_board(
    tmp_path: Path, make: Callable[[Path], object], error: type[BoardError | FileError], reason: str
) -> None:
    make(tmp_path / "b")
    with pytest.raises(error, match=reason):
        load_typed(tmp_path / "b", TEMPLATES)
