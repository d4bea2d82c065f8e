"""Templates: the format serves grids, hexes and tables; what is wrong is refused with file, key and remedy."""

from __future__ import annotations

import itertools
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scanner.errors import TemplateError
from scanner.geometry import Hex, MmPoint, Square
from scanner.templates import (
    Difference,
    Product,
    Sum,
    Template,
    Threshold,
    get_template,
    load_templates,
    parse_template,
    summaries,
    template_document,
)

ROOT = Path(__file__).resolve().parents[1]
GAMES = ("sudoku", "splitter", "hexroller", "kniffel", "score-table")

# the design's example, its mask completed from the rules of pad A
SPLITTER = """
schema = 1
id = "splitter-a"
title = "Splitter, pad A"
game = "splitter"
size = [140, 88]
words = ["SPLITTER"]
[grid]
origin = [46, 8]
pitch = [10.2, 10.2]
mask = ["--oooo--", "-oooooo-", "oooooooo", "*oooooo*", "oooooooo", "-oooooo-", "--oooo--"]
tags = { "*" = "star", "h" = "heart" }
values = [1, 6]
[[boxes]]
id = "claim-ones"
kind = "number"
rect = [14, 16, 12, 5.5]
[[rules]]
start = [86.8, 5]
end = [86.8, 83]
style = "dashed"
[look]
field = "dark"
symbols = { star = "star" }
"""

HEX_FRONT = """
schema = 1
id = "hexes"
title = "Invented snowflake"
game = "hexroller"
size = [210, 148]
[hex]
centre = [125, 66]
pitch = 12
values = [2, 8]
printed = { q3r0 = 8, "q-3r0" = 8, q1r1 = 3 }
tagged = { hub = ["q0r0"] }
[[hex.areas]]
tag = "area-m"
centre = "q0r0"
radius = 1
cells = ["q1r1"]
turns = 6
[[hex.areas]]
tag = "area-{n}"
centre = "q3r0"
radius = 1
turns = 6
[[boxes]]
id = "bonus{n}"
kind = "mark"
rect = [8, 10, 8, 8]
count = 3
step = [0, 12]
[[boxes]]
id = "top{n}"
kind = "digit"
rect = [10, 118, 8, 8]
count = 7
step = [8, 0]
values = [3, 8]
tags = "record"
[[boxes]]
id = "bottom{n}"
kind = "digit"
rect = [10, 130, 8, 8]
count = 7
step = [8, 0]
values = [3, 8]
tags = ["record", "dark"]
[look]
colours = { area-m = "#ffffff", area-1 = "#f4c542", dark = "#888888" }
symbols = { hub = "circle" }
"""

HEX_BACK = re.sub(r"printed = .*\n", "", HEX_FRONT).replace('cells = ["q1r1"]\n', "").replace('"q3r0"', '"q2r1"')

KNIFFEL = """
schema = 1
id = "dice-card"
title = "Invented dice card"
game = "kniffel"
size = [148, 210]
words = ["KNIFFEL", "Bonus"]
[table]
origin = [8, 12]
values = [0, 999]
holes = ["game6.chance"]
printed = { "game1.chance" = 7 }
[[table.columns]]
id = "names"
width = 36
kind = "label"
[[table.columns]]
id = "game{n}"
label = "{n}"
width = 16
count = 6
[[table.rows]]
id = "head"
height = 8
kind = "label"
[[table.rows]]
id = "player"
height = 10
kind = "text"
[[table.rows]]
id = "aces"
label = "Aces"
height = 7
values = [0, 5]
line = "heavy"
[[table.rows]]
id = "twos"
label = "Twos"
height = 7
[[table.rows]]
id = "upper_sum"
height = 9
[[table.rows]]
id = "bonus"
height = 7
values = [0, 35]
[[table.rows]]
id = "upper_total"
height = 7
[[table.rows]]
id = "chance"
height = 6.5
gap = 2
line = "double"
[[table.rows]]
id = "turn{n}"
label = "Turn {n}"
height = 6
count = 3
[[table.rows]]
id = "checks"
height = 6
[[table.rows]]
id = "hundreds"
height = 6
[[table.rows]]
id = "lead"
height = 6
values = [-999, 999]
[[table.rows]]
id = "total"
height = 9
line = "double"
[table.formulas]
total = { sum = ["upper_total", "turn{n}", "chance", "hundreds"] }
lead = { difference = ["total", "checks"] }
upper_sum = { sum = ["aces", "twos"] }
bonus = { threshold = "upper_sum", at = 63, points = 35 }
upper_total = { sum = ["upper_sum", "bonus"] }
hundreds = { product = "checks", by = 100 }
"""

SUDOKU = (ROOT / "templates" / "sudoku.toml").read_text(encoding="utf-8")


def parse(text: str) -> Template:
    return parse_template(text.encode(), source="mine.toml", games=GAMES)


def refusal(text: str | bytes) -> str:
    data = text.encode() if isinstance(text, str) else text
    with pytest.raises(TemplateError) as caught:
        parse_template(data, source="mine.toml", games=GAMES)
    message = str(caught.value)
    assert message.startswith("mine.toml: ")
    assert "\n" not in message
    assert caught.value.remedy
    return message


# --- what the templates say ---


def test_sudoku_is_shipped() -> None:
    template = get_template("sudoku")
    assert template.title == "Sudoku"
    assert template.words == ()
    assert template.ids == tuple(f"r{row}c{col}" for row in range(1, 10) for col in range(1, 10))
    assert {(cell.kind, cell.values, cell.printed) for cell in template.cells} == {("digit", (1, 9), None)}
    assert template.grid is not None
    assert template.grid.heavy == (3, 3)
    assert template.lattice_mask().all()


def test_splitter_pad_of_the_design() -> None:
    template = parse(SPLITTER)
    assert len(template.lattice_cells) == 44  # 22 rounds of two numbers fill the pad
    assert [cell.id for cell in template.cells if "star" in cell.tags] == ["r4c1", "r4c8"]
    assert "r1c1" not in template
    assert template.at(Square(1, 2)) is None
    mask = template.lattice_mask()
    assert mask.dtype == np.bool_
    assert (mask == mask[:, ::-1]).all()  # numbers go into mirrored pairs
    claim = template.cell("claim-ones")
    assert (claim.kind, claim.values, claim.place) == ("number", (0, 999), None)
    assert claim.polygon == (MmPoint(14, 16), MmPoint(26, 16), MmPoint(26, 21.5), MmPoint(14, 21.5))
    corners = [(round(point.x, 6), round(point.y, 6)) for point in template.mm_quad()]
    assert corners == [(46, 8), (127.6, 8), (127.6, 79.4), (46, 79.4)]  # 8 and 7 times 10.2 mm
    rows = template.lattice_rows()
    assert [cell.id if cell else "-" for cell in rows[0]] == ["-", "-", "r1c3", "r1c4", "r1c5", "r1c6", "-", "-"]


@pytest.mark.parametrize(
    ("text", "middle", "total", "first_area"),
    [
        # the neighbours of (3, 0) and of (2, 1) by the six steps (1,0) (0,1) (-1,1) (-1,0) (0,-1) (1,-1)
        (HEX_FRONT, 13, 55, {"q3r0", "q4r0", "q3r1", "q2r1", "q2r0", "q3r-1", "q4r-1"}),
        (HEX_BACK, 7, 49, {"q2r1", "q3r1", "q2r2", "q1r2", "q1r1", "q2r0", "q3r0"}),
    ],
)
def test_hex_sheets_by_areas(text: str, middle: int, total: int, first_area: set[str]) -> None:
    template = parse(text)
    assert len(template.lattice_cells) == total  # 55 and 49: the game's rules
    assert sum("area-m" in cell.tags for cell in template.cells) == middle
    for area in range(1, 7):
        assert sum(f"area-{area}" in cell.tags for cell in template.cells) == 7
    assert {cell.id for cell in template.cells if "area-1" in cell.tags} == first_area
    places = {cell.place for cell in template.lattice_cells}
    assert {place.turned(1) for place in places if isinstance(place, Hex)} == places


def test_hex_areas_are_counted_by_turns_of_60_degrees() -> None:
    template = parse(HEX_FRONT)
    # (q, r) -> (-r, q + r), from (3, 0)
    centres = ["q3r0", "q0r3", "q-3r3", "q-3r0", "q0r-3", "q3r-3"]
    assert [template.cell(cell).tags for cell in centres] == [frozenset({f"area-{n}"}) for n in range(1, 7)]
    assert template.cell("q0r0").tags == {"area-m", "hub"}
    assert template.cell("q-3r0").printed == 8
    assert template.cell("q0r0").printed is None


def test_hex_geometry_by_hand() -> None:
    template = parse(HEX_FRONT)
    assert template.hexes is not None
    assert template.hexes.middle(Hex(0, 0)) == MmPoint(125, 66)
    assert template.hexes.middle(Hex(1, 0)) == MmPoint(137, 66)  # q to the right
    down_right = template.hexes.middle(Hex(0, 1))  # r down to the right: half a pitch, and its height in a triangle
    assert (down_right.x, down_right.y) == pytest.approx((131, 66 + 12 * 3**0.5 / 2))
    top = template.cell("q0r0").polygon[0]
    assert (top.x, top.y) == pytest.approx((125, 66 - 12 / 3**0.5))  # pointy tops


def test_hex_rows_follow_the_text_notation() -> None:
    rows = [[cell.id if cell else "-" for cell in row] for row in parse(HEX_FRONT).lattice_rows()]
    assert len(rows) == 9  # from r = -4 to 4
    assert rows[0][0] == "q0r-4"
    assert rows[4] == [f"q{q}r0" for q in range(-4, 5)]


def test_boxes_in_a_row() -> None:
    template = parse(HEX_FRONT)
    assert [name for name in template.ids if name.startswith("top")] == [f"top{n}" for n in range(1, 8)]
    assert template.cell("top7").polygon[0] == MmPoint(58, 118)
    assert template.cell("bonus3").kind == "mark"
    assert template.cell("bonus3").values is None
    assert template.cell("bottom1").tags == {"record", "dark"}


def test_table_of_unequal_cells() -> None:
    template = parse(KNIFFEL)
    assert template.table is not None
    assert template.ids[:3] == ("game1.player", "game1.aces", "game1.twos")
    assert not any(name.startswith("names.") or name.endswith(".head") for name in template.ids)
    assert "game6.chance" not in template
    assert template.cell("game1.chance").printed == 7
    assert template.cell("game2.player").kind == "text"
    assert template.cell("game2.aces").values == (0, 5)
    assert template.cell("game2.twos").values == (0, 999)
    # columns: 8 + 36 mm of labels, then 16 mm each; rows: 12 + 8 + 10 mm, then aces of 7 mm
    assert template.cell("game2.aces").polygon == (
        MmPoint(60, 30),
        MmPoint(76, 30),
        MmPoint(76, 37),
        MmPoint(60, 37),
    )
    rows = {row.id: row for row in template.table.rows}
    assert (rows["chance"].top, rows["chance"].line) == (69, "double")  # 2 mm below upper_total
    assert rows["upper_total"].bottom == 67
    assert rows["turn2"].label == "Turn 2"
    assert [column.label for column in template.table.columns] == ["", "1", "2", "3", "4", "5", "6"]
    assert template.mm_quad()[0] == MmPoint(44, 20)


def test_formulas_are_data_in_an_order_that_can_be_worked_off() -> None:
    template = parse(KNIFFEL)
    assert template.table is not None
    formulas = {item.row: item.formula for item in template.table.formulas}
    assert formulas == {
        "upper_sum": Sum(("aces", "twos")),
        "bonus": Threshold("upper_sum", 63, 35),
        "upper_total": Sum(("upper_sum", "bonus")),
        "total": Sum(("upper_total", "turn1", "turn2", "turn3", "chance", "hundreds")),
        "hundreds": Product("checks", 100),
        "lead": Difference("total", "checks"),
    }
    sheet = {"aces": 3, "twos": 60, "chance": 20, "turn1": 1, "turn2": 2, "turn3": 3, "checks": 2}
    for item in template.table.formulas:
        sheet[item.row] = item.formula.value(sheet.__getitem__)
    # 63 and so 35 more; 98 + 6 + 20 + 200
    assert (sheet["bonus"], sheet["upper_total"], sheet["total"], sheet["lead"]) == (35, 98, 324, 322)
    sheet["upper_sum"] = 62
    assert formulas["bonus"].value(sheet.__getitem__) == 0


# --- what is refused ---

BAD_GRID = [
    ("size = [140, 88]", "sise = [140, 88]", "sise: unknown key", "did you mean size?"),
    ("[grid]", "[grid]\npich = 3", "grid.pich: unknown key", "pitch"),
    ("schema = 1", "", "schema: the key is missing", "schema = 1"),
    ("schema = 1", "schema = 2", "schema: this version reads schema 1, not 2", "update padscore"),
    ("schema = 1", "schema = true", "schema: ", "schema = 1"),
    ('game = "splitter"', 'game = "spliter"', "game: there is no game 'spliter'", "did you mean splitter?"),
    ('id = "splitter-a"', 'id = "Splitter A"', "id: should be a short name", "e.g. id"),
    ('id = "splitter-a"', "id = 7", "id: should be a text", "e.g. id"),
    ("size = [140, 88]", "size = [140]", "size: the list is too short", "size = [140, 88]"),
    ("size = [140, 88]", "size = [140, 88, 1]", "size: the list is too long", "size = [140, 88]"),
    ("size = [140, 88]", "size = [140, nan]", "size[1]: ", "size = ["),
    ("size = [140, 88]", "size = [140, '88']", "size[1]: should be a number, not '88'", "size = ["),
    ("size = [140, 88]", "size = [120, 88]", "grid: cell r3c8 ", "enlarge size = [120, 88]"),
    ("origin = [46, 8]", "origin = [-46, 8]", "grid.origin[0]: ", "origin = ["),
    ("pitch = [10.2, 10.2]", "pitch = [0, 10.2]", "grid.pitch[0]: ", "pitch = ["),
    ("pitch = [10.2, 10.2]", "", "grid.pitch: the key is missing", "pitch = ["),
    ("pitch = [10.2, 10.2]", "pitch = [10.2, 10.2]\ncell = [11, 9]", "grid.cell[0]: ", "at most the pitch"),
    ('"oooooooo", "*', '"ooooooo", "*', "grid.mask[2]: 'ooooooo' has 7 letters", "equal"),
    ('"oooooooo", "*', '"oooxoooo", "*', "grid.mask[2]: 'x' in 'oooxoooo'", "grid.tags"),
    ('tags = { "*" =', 'tags = { "o" =', "grid.tags.o: should be one letter", ""),
    ("values = [1, 6]", "values = [6, 1]", "grid.values: the lowest value 6 is above", "lowest first"),
    ("values = [1, 6]", "values = [1, 12]", "grid.values: one digit", 'kind = "number"'),
    ("values = [1, 6]", "values = [1.0, 6]", "grid.values[0]: should be a whole number", "values = [1, 6]"),
    ("values = [1, 6]", "", "grid.values: the key is missing", "values = [1, 6]"),
    ("values = [1, 6]", "values = [1, 6]\nrows = 7", "grid.rows: ", "leave"),
    ("values = [1, 6]", "values = [1, 6]\nheavy = [9, 3]", "grid.heavy[0]: ", "heavy = [3, 3]"),
    ("values = [1, 6]", "values = [1, 6]\nprinted = { r1c1 = 3 }", "grid.printed.r1c1: there is no such cell", ""),
    ("values = [1, 6]", "values = [1, 6]\nprinted = { r1c3 = 7 }", "grid.printed.r1c3: 7 is outside", ""),
    ('kind = "number"', 'kind = "numbr"', "boxes[0].kind: should be ", 'kind = "number"'),
    ('id = "claim-ones"', 'id = "r1c1"', "boxes[0].id: ", "another name"),
    ("rect = [14, 16, 12, 5.5]", "rect = [41, 30, 12, 5.5]", "boxes[0]: 'claim-ones' overlaps 'r3c1'", "move"),
    ("rect = [14, 16, 12, 5.5]", "rect = [14, 86, 12, 5.5]", "boxes[0]: cell claim-ones ", "move it"),
    ("rect = [14, 16, 12, 5.5]", "rect = [14, 16, 12, 5.5]\ncount = 2", "boxes[0].step: ", "count = 7"),
    ("[[rules]]", '[[boxes]]\nid = "claim-ones"\nkind = "mark"\nrect = [14, 30, 5, 5]\n[[rules]]', "boxes[1].id: ", ""),
    ("[[rules]]", "[table]\norigin = [0, 0]\ncolumns = []\nrows = []\n[[rules]]", "table: the sheet has a [grid]", ""),
    ("end = [86.8, 83]", "end = [86.8, 99]", "rules[0].end: ", "140, 88"),
    ('{ star = "star" }', '{ stra = "star" }', "look.symbols.stra: no cell", "did you mean star?"),
    ('{ star = "star" }', '{ star = "sun" }', "look.symbols.star: should be ", ""),
    ("[look]", '[[shapes]]\nshape = "blob"\nrect = [0, 0, 9, 9]\n[look]', "shapes[0].shape: should be ", "rectangle"),
    ("[look]", '[[shapes]]\nshape = "star"\nrect = [0, 80, 9, 9]\n[look]', "shapes[0].rect: [9, 89] lies", "140, 88"),
    ("[look]", '[look]\nfield_colour = "blue"', "look.field_colour: should be a colour", "field_colour ="),
    ("[look]", '[look]\nsymbol_colours = { h = "#000000" }', "look.symbol_colours.h: ", "look.symbols"),
    ('style = "dashed"', 'style = "dashed"\ncolour = 7', "rules[0].colour: should be a text", "colour ="),
    ('"Splitter, pad A"', '"Splitter\\u001b[31m"', "title: should be one line of printable text", "title ="),
]


@pytest.mark.parametrize(("old", "new", "cause", "remedy"), BAD_GRID)
def test_a_bad_grid_is_refused_by_key_and_remedy(old: str, new: str, cause: str, remedy: str) -> None:
    assert old in SPLITTER
    message = refusal(SPLITTER.replace(old, new, 1))
    assert message.startswith(f"mine.toml: {cause}")
    assert remedy in message.split("; ", 1)[1]


def test_colours_and_shapes() -> None:
    more = """
[[labels]]
text = "A"
at = [130, 44]
height = 5
colour = "#ffffff"
[[shapes]]
shape = "triangle"
rect = [85, 3, 4, 2]
turn = 180
colour = "#0a141e"
[look]
field_colour = "#000080"
cell_colour = "#d0e0ff"
line_colour = "#000001"
symbol_colours = { star = "#ff0000" }
"""
    template = parse(SPLITTER.replace("[look]", more))
    assert template.labels[0].rgb == (255, 255, 255)
    [shape] = template.shapes
    assert (shape.kind, shape.turn, shape.rgb) == ("triangle", 180, (10, 20, 30))
    assert shape.box == (MmPoint(85, 3), MmPoint(89, 3), MmPoint(89, 5), MmPoint(85, 5))
    look = template.look
    assert (look.field_rgb, look.cell_rgb, look.line_rgb) == ((0, 0, 128), (208, 224, 255), (0, 0, 1))
    assert [(symbol.tag, symbol.rgb) for symbol in look.symbols] == [("star", (255, 0, 0))]
    plain = parse(SPLITTER)
    assert (plain.rules[0].rgb, plain.look.field_rgb, plain.look.symbols[0].rgb) == (None, None, None)


BAD_HEX = [
    ('centre = "q3r0"', 'centre = "q2r0"', "hex.areas[1]: hex q2r-1 belongs to area-m already"),
    ('tag = "area-{n}"', 'tag = "area-{m}"', "hex.areas[1].tag: should be a name"),
    ('centre = "q3r0"\n', "", "hex.areas[1]: the area has no hexes"),
    ("turns = 6", "turns = 5", "hex.areas[0].turns: should be 1, 2, 3 or 6, not 5"),
    ('["q0r0"]', '["q9r9"]', "hex.tagged.hub[0]: there is no hex q9r9"),
    ("q1r1 = 3", "q1r1 = 9", "hex.printed.q1r1: 9 is outside"),
    ("q1r1 = 3", '"q1 r1" = 3', 'hex.printed."q1 r1": there is no such cell'),
    ("pitch = 12", "pitch = [12, 12]", "hex.pitch: should be a number"),
    ("pitch = 12", "pitch = 40", "hex: cell q0r-4 "),
    ("step = [8, 0]", "step = [40, 0]", "boxes[1]: cell top6 "),
    ('"#f4c542"', '"yellow"', "look.colours.area-1: should be a colour"),
]


@pytest.mark.parametrize(("old", "new", "cause"), BAD_HEX)
def test_a_bad_hex_sheet_is_refused(old: str, new: str, cause: str) -> None:
    assert old in HEX_FRONT
    assert refusal(HEX_FRONT.replace(old, new, 1)).startswith(f"mine.toml: {cause}")


def test_a_box_may_come_close_to_the_slanting_edge_of_a_hex_but_not_over_it() -> None:
    one = HEX_FRONT.split("[[hex.areas]]")[0].replace("printed", "# printed")
    one += '[[hex.areas]]\ntag = "only"\ncentre = "q0r0"\n[[boxes]]\nid = "near"\nkind = "mark"\nrect = [X, Y, 4, 4]\n'
    # the hex's box ends at x 131 and begins at y 59.07; its slanting edge runs from (125, 59.07) to (131, 62.54)
    assert "near" in parse(one.replace("[X, Y,", "[129, 56,"))
    assert "boxes[0]: 'near' overlaps 'q0r0'" in refusal(one.replace("[X, Y,", "[126, 58,"))


FORMULA = 'upper_sum = { sum = ["aces", "twos"] }'
BAD_TABLE = [
    (FORMULA, 'upper_sum = { sum = ["aces", "tows"] }', "table.formulas.upper_sum: there is no row 'tows'"),
    (FORMULA, 'uper_sum = { sum = ["aces"] }', "table.formulas.uper_sum: there is no row 'uper_sum'"),
    (FORMULA, 'upper_sum = { sum = ["aces", "total"] }', "table.formulas."),
    (FORMULA, 'upper_sum = { sum = ["upper_sum"] }', "table.formulas.upper_sum: it depends on itself"),
    (FORMULA, 'upper_sum = { sum = ["player"] }', "table.formulas.upper_sum: the row 'player' holds no numbers"),
    (FORMULA, 'upper_sum = { sum = ["aces", "aces"] }', "table.formulas.upper_sum: a row is added twice"),
    (FORMULA, "upper_sum = { sum = [] }", "table.formulas.upper_sum.sum: "),
    (FORMULA, "upper_sum = {}", "table.formulas.upper_sum: the formula has no operation"),
    (FORMULA, 'upper_sum = "aces + twos"', "table.formulas.upper_sum: should be a table"),
    (FORMULA, "upper_sum = { eval = \"__import__('os')\" }", "table.formulas.upper_sum.eval: unknown key"),
    (FORMULA, "upper_sum = { sum = [\"__import__('os').getcwd()\"] }", "table.formulas.upper_sum.sum[0]: should be"),
    (FORMULA, 'upper_sum = { sum = ["aces"], by = 2 }', "table.formulas.upper_sum.by: it doesn't belong"),
    (FORMULA, 'upper_sum = { sum = ["aces"], product = "twos", by = 2 }', "table.formulas.upper_sum: the formula has"),
    ("at = 63, ", "", "table.formulas.bonus.at: a threshold needs it"),
    ("by = 100", 'by = "checks"', "table.formulas.hundreds.by: should be a whole number"),
    ('id = "twos"', 'id = "aces"', "table.rows[3].id: 'aces' is doubled"),
    ('id = "turn{n}"', 'id = "turn"', "table.rows[8].id: 3 of them would have the same id"),
    ('holes = ["game6.chance"]', 'holes = ["game7.chance"]', "table.holes[0]: there is no cell game7.chance"),
    ('"game1.chance" = 7', '"game1.player" = 7', 'table.printed."game1.player": '),
    ("values = [0, 999]\n", "", "table.values: the key is missing"),
    ("width = 16", "width = 26", "table: cell game5.player"),
    ("count = 6", "count = 1000", "table.columns[1].count: "),
    ('line = "heavy"', 'line = "thick"', "table.rows[2].line: should be "),
]


@pytest.mark.parametrize(("old", "new", "cause"), BAD_TABLE)
def test_a_bad_table_is_refused(old: str, new: str, cause: str) -> None:
    assert old in KNIFFEL
    message = refusal(KNIFFEL.replace(old, new, 1))
    assert message.startswith(f"mine.toml: {cause}")
    if "eval" in new or "+" in new:
        assert "sum, difference, product and threshold" in message


def test_a_circle_over_several_rows_names_them() -> None:
    message = refusal(KNIFFEL.replace(FORMULA, 'upper_sum = { sum = ["aces", "total"] }'))
    circle = re.findall(r"\w+", message.split("(")[1].split(")")[0].replace("needs", ""))
    assert circle[0] == circle[-1]
    needs = {"upper_sum": {"aces", "total"}, "bonus": {"upper_sum"}, "upper_total": {"upper_sum", "bonus"}}
    needs["total"] = {"upper_total"}
    assert all(after in needs[before] for before, after in itertools.pairwise(circle))


def test_files_that_are_no_toml() -> None:
    assert "at line 3, column 9" in refusal('schema = 1\nid = "x"\ntitle = ?\n')
    assert "line 2 is not UTF-8" in refusal(b'schema = 1\ntitle = "caf\xe9"\n')
    assert "larger than 64 KB" in refusal(b"#" * 70_000)
    assert "nested too deeply" in refusal("schema = " + "[" * 50_000)
    assert "nested too deeply" in refusal("schema = 1\n" + ".".join("a" * 4_000) + " = 1")
    assert "a number in it is far too long; correct it" in refusal("schema = " + "1" * 5_000)
    assert "schema: the key is missing" in refusal("")
    assert parse("\ufeff" + SUDOKU).id == "sudoku"  # some editors of Windows begin a file so


def test_nothing_in_a_file_breaks_the_line_or_reaches_the_terminal() -> None:
    for old, new in [
        ("schema = 1", 'schema = 1\n"a\\nb\\u001b" = 1'),
        ('"sudoku"\nsize', '"su\\ndo\\u001bku"\nsize'),
        ("rows = 9\ncols = 9", 'mask = ["o\\u001b"]'),
    ]:
        assert old in SUDOKU
        assert refusal(SUDOKU.replace(old, new)).isprintable()
    assert len(refusal(SUDOKU.replace("schema = 1", "schema = 1\n" + "k" * 9000 + " = 1"))) < 700


def test_more_cells_than_any_sheet_has() -> None:
    big = SUDOKU.replace("rows = 9", "rows = 99").replace("cols = 9", "cols = 99").replace("[10, 10]", "[0.5, 0.5]")
    assert "more than 2000 cells" in refusal(big)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([SUDOKU, SPLITTER, HEX_FRONT, KNIFFEL]), st.data())
def test_a_damaged_file_gives_a_template_or_one_line(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 30)))
    damaged = text[:start] + data.draw(st.text(st.sampled_from('0-9.[]{}="\n,arn'), max_size=8)) + text[end:]
    message = ""
    try:
        parse(damaged)  # any other exception fails the test
    except TemplateError as error:
        message = str(error)
    assert "\n" not in message


# --- where templates are found ---


def test_users_templates_from_a_folder_and_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    (one / "big.toml").write_text(SUDOKU.replace('id = "sudoku"', 'id = "big"'), encoding="utf-8")
    (two / "small.TOML").write_text(SUDOKU.replace('id = "sudoku"', 'id = "small"'), encoding="utf-8")
    (two / "notes.txt").write_text("not a template", encoding="utf-8")
    monkeypatch.setenv("PADSCORE_TEMPLATES", str(one))
    assert {"sudoku", "big", "small"} <= set(load_templates(two))
    assert get_template("big").source == str(one / "big.toml")
    assert set(load_templates(one)) == set(load_templates())  # one folder named twice is no clash
    monkeypatch.delenv("PADSCORE_TEMPLATES")
    assert "big" not in load_templates()


def test_a_shipped_template_is_not_replaced(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text(SUDOKU, encoding="utf-8")
    with pytest.raises(TemplateError, match=re.escape(str(mine))) as caught:
        load_templates(tmp_path)
    assert "sudoku.toml" in str(caught.value)
    assert "another id" in str(caught.value)


def test_the_shipped_folder_may_be_named_too() -> None:
    assert set(load_templates(ROOT / "templates")) == set(load_templates())


def test_folders_without_templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TemplateError, match=r"no \.toml file"):
        load_templates(tmp_path)
    with pytest.raises(TemplateError, match="no folder of templates"):
        load_templates(tmp_path / "gone")
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(TemplateError, match="no ordinary file"):
        load_templates(tmp_path)
    monkeypatch.setenv("PADSCORE_TEMPLATES", str(tmp_path / "gone"))
    with pytest.raises(TemplateError, match="PADSCORE_TEMPLATES"):
        load_templates()


def test_a_changed_file_is_read_again_and_an_unchanged_one_is_not(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(SUDOKU.replace('id = "sudoku"', 'id = "mine"'), encoding="utf-8")
    first = get_template("mine", tmp_path)
    assert get_template("mine", tmp_path) is first
    file.write_text(file.read_text(encoding="utf-8").replace('"Sudoku"', '"Changed"'), encoding="utf-8")
    assert get_template("mine", tmp_path).title == "Changed"


def test_an_unknown_template_names_the_known_ones() -> None:
    with pytest.raises(TemplateError, match="did you mean sudoku") as caught:
        get_template("sudoko")
    assert "the known ones are" in str(caught.value)
    assert caught.value.exit_status == 2


def test_templates_inside_an_installed_package(tmp_path: Path) -> None:
    """Laid out as the wheel is: the templates in the package, no checkout around it."""
    shutil.copytree(ROOT / "scanner", tmp_path / "scanner", ignore=lambda _, names: [n for n in names if n == "data"])
    shutil.copytree(ROOT / "templates", tmp_path / "scanner" / "data" / "templates")
    program = (
        "import sys; from scanner.templates import load_templates, get_template; print(get_template('sudoku').source)"
    )
    source = _python(program, tmp_path)
    assert Path(source) == (tmp_path / "scanner" / "data" / "templates" / "sudoku.toml").resolve()


def test_pydantic_is_imported_only_to_read_a_file(tmp_path: Path) -> None:
    assert _python("import sys, scanner.templates; print('pydantic' in sys.modules)", ROOT) == "False"


def _python(program: str, path: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(path)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], env=environment, cwd=path, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_a_template_goes_to_other_processes() -> None:
    template = parse(KNIFFEL)
    assert "game1.aces" in template  # fills the caches
    copy = pickle.loads(pickle.dumps(template))
    assert copy == template
    assert hash(copy) == hash(template)


# --- documents ---


def test_the_json_document_has_the_keys_of_the_contract() -> None:
    document = json.loads(json.dumps(template_document(parse(SPLITTER))))
    assert list(document) == ["id", "title", "game", "width_mm", "height_mm", "cells"]
    assert (document["id"], document["width_mm"], document["height_mm"]) == ("splitter-a", 140, 88)
    star = next(cell for cell in document["cells"] if cell["id"] == "r4c1")
    assert star == {
        "id": "r4c1",
        "kind": "digit",
        "polygon": [[46.0, 38.6], [56.2, 38.6], [56.2, 48.8], [46.0, 48.8]],  # 8 + 3 x 10.2
        "values": [1, 6],
        "printed": None,
        "tags": ["star"],
    }


def test_summaries_say_what_kind_of_sheet_it_is() -> None:
    lines = summaries([parse(SPLITTER), parse(HEX_FRONT), parse(KNIFFEL)])
    assert [(line.id, line.layout) for line in lines] == [
        ("dice-card", "table of 6 x 14"),
        ("hexes", "55 hexes"),
        ("splitter-a", "grid of 7 x 8"),
    ]


def test_the_examples_of_the_documentation_are_templates() -> None:
    page = (ROOT / "docs" / "templates.md").read_text(encoding="utf-8")
    examples = re.findall(r"```toml\n(schema = .*?)```", page, flags=re.DOTALL)
    kinds = [summaries([parse(example)])[0].layout for example in examples]
    assert [kind.split()[0] for kind in kinds] == ["grid", "31", "table"]


# --- properties of any lattice ---

lengths = st.floats(0.5, 30, allow_nan=False)


@st.composite
def grid_texts(draw: st.DrawFn) -> tuple[str, list[str], tuple[float, float], bool]:
    """A grid's file, its mask, the size of its cells, and whether they touch."""
    rows, cols = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    row = st.text(st.sampled_from("-oh"), min_size=cols, max_size=cols)
    mask = draw(st.lists(row, min_size=rows, max_size=rows).filter(lambda mask: set("".join(mask)) != {"-"}))
    pitch = (draw(lengths), draw(lengths))
    touching = draw(st.booleans())
    size = pitch if touching else (max(0.5, pitch[0] * 0.9), max(0.5, pitch[1] * 0.8))
    origin = (draw(st.floats(0, 50)), draw(st.floats(0, 50)))
    text = f"""
schema = 1
id = "any"
title = "Any"
game = "splitter"
size = [{origin[0] + cols * pitch[0] + 1}, {origin[1] + rows * pitch[1] + 1}]
[grid]
origin = [{origin[0]}, {origin[1]}]
pitch = [{pitch[0]}, {pitch[1]}]
cell = [{size[0]}, {size[1]}]
mask = {json.dumps(mask)}
tags = {{ h = "heart" }}
values = [1, 6]
"""
    return text, mask, size, size == pitch


def check_cells(template: Template) -> None:
    """Unique ids, everything on the sheet, and a tight bounding rectangle."""
    assert len(set(template.ids)) == len(template.ids)
    points = [point for cell in template.lattice_cells for point in cell.polygon]
    for point in points:
        assert 0 <= point.x <= template.size[0]
        assert 0 <= point.y <= template.size[1]
    top_left, top_right, bottom_right, bottom_left = template.mm_quad()
    assert (top_left.x, top_left.y) == (min(p.x for p in points), min(p.y for p in points))
    assert (bottom_right.x, bottom_right.y) == (max(p.x for p in points), max(p.y for p in points))
    assert (top_right, bottom_left) == (MmPoint(bottom_right.x, top_left.y), MmPoint(top_left.x, bottom_right.y))


@settings(max_examples=60, deadline=None)
@given(grid_texts())
def test_any_grid(drawn: tuple[str, list[str], tuple[float, float], bool]) -> None:
    text, mask, size, touching = drawn
    template = parse(text)
    check_cells(template)
    cells = template.lattice_mask()
    assert cells.tolist() == [[letter != "-" for letter in row] for row in mask]
    assert {f"r{row + 1}c{col + 1}" for row, col in np.argwhere(cells)} == set(template.ids)
    for cell in template.lattice_cells:
        assert isinstance(cell.place, Square)
        assert ("heart" in cell.tags) == (mask[cell.place.row - 1][cell.place.col - 1] == "h")
        right = template.at(Square(cell.place.row, cell.place.col + 1))
        below = template.at(Square(cell.place.row + 1, cell.place.col))
        if right is not None and touching:
            assert (cell.polygon[1], cell.polygon[2]) == (right.polygon[0], right.polygon[3])
        if not touching:
            width, height = cell.polygon[2].x - cell.polygon[0].x, cell.polygon[2].y - cell.polygon[0].y
            assert (width, height) == pytest.approx(size)
        if below is not None and touching:
            assert (cell.polygon[3], cell.polygon[2]) == below.polygon[:2]


@settings(max_examples=60, deadline=None)
@given(
    pitch=st.floats(1, 20),
    radius=st.integers(0, 3),
    extra=st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), max_size=4),
)
def test_any_hex_lattice(pitch: float, radius: int, extra: list[tuple[int, int]]) -> None:
    single = json.dumps([f"q{q}r{r}" for q, r in extra])
    template = parse(f"""
schema = 1
id = "any"
title = "Any"
game = "hexroller"
size = [500, 500]
[hex]
centre = [250, 250]
pitch = {pitch}
values = [1, 6]
[[hex.areas]]
tag = "all"
centre = "q0r0"
radius = {radius}
cells = {single}
turns = 6
""")
    check_cells(template)
    places = {cell.place for cell in template.lattice_cells if isinstance(cell.place, Hex)}
    assert places == {place.turned(1) for place in places}
    assert {place.id for place in places} == set(template.ids)
    assert sum(max(abs(p.q), abs(p.r), abs(p.q + p.r)) <= radius for p in places) == 3 * radius * (radius + 1) + 1
    for place in places:
        mine = template.cell(place.id).polygon
        for step, neighbour in enumerate(place.neighbours()):
            other = template.at(neighbour)
            if other is not None:
                # corners count clockwise from the top; so do the steps, beginning with the edge at the right
                edge = {mine[(step + 1) % 6], mine[(step + 2) % 6]}
                assert edge == set(mine) & set(other.polygon)
    rows = template.lattice_rows()
    assert [cell.id for row in rows for cell in row if cell] == list(template.ids)
