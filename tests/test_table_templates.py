"""The shipped score cards, and tables whose number of rows or columns is found on the sheet."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner.errors import TemplateError
from scanner.templates import Template, fitting, get_template, parse_template, resized, template_document
from scanner.templates.resize import SizeError

UPPER = ("aces", "twos", "threes", "fours", "fives", "sixes", "upper_sum", "bonus", "upper_total")
LOWER = ("three", "four", "full", "small", "large", "kniffel", "chance", "lower_total", "upper_again", "total")


@pytest.mark.parametrize("name", ["kniffel", "yahtzee"])
def test_the_cards_for_five_dice(name: str) -> None:
    """Cells as the rules page names them: six games of 13 fields and six sums."""
    template = get_template(name)
    assert template.game == "kniffel"
    numbers = [cell.id for cell in template.cells if cell.kind == "number"]
    assert numbers == [f"game{game}.{row}" for game in range(1, 7) for row in (*UPPER, *LOWER)]
    assert [cell.id for cell in template.cells if cell.kind == "text"] == [f"game{game}.name" for game in range(1, 7)]
    assert template.table is not None
    assert template.table.columns[0].labels
    styles = {row.id: row.line for row in template.table.rows}
    assert styles["three"] == "double"


@pytest.mark.parametrize("name", ["kniffel", "yahtzee"])
def test_the_formulas_of_a_card_on_paper(name: str) -> None:
    """Three of each face are 63, just enough for the bonus: 98; below 17 + 25 + 30 = 72; 170."""
    table = get_template(name).table
    assert table is not None
    sheet = dict.fromkeys((*UPPER, *LOWER), 0)
    sheet |= {"aces": 3, "twos": 6, "threes": 9, "fours": 12, "fives": 15, "sixes": 18}
    sheet |= {"three": 17, "full": 25, "small": 30}
    for item in table.formulas:
        sheet[item.row] = item.formula.value(sheet.__getitem__)
    assert [sheet[row] for row in ("upper_sum", "bonus", "upper_total")] == [63, 35, 98]
    assert [sheet[row] for row in ("lower_total", "upper_again", "total")] == [72, 98, 170]


def test_the_pad_for_loopit() -> None:
    template = get_template("loopit-pad")
    rows = ("name", *(f"turn{turn}" for turn in range(1, 14)), "total")
    assert template.ids == tuple(f"p{player}.{row}" for player in range(1, 5) for row in rows)


def test_the_plain_pad() -> None:
    template = get_template("score-table")
    assert template.table is not None
    assert template.table.is_open
    assert {"c1.name", "c1.r1", "c1.r2", "c1.total"} <= set(template.ids)
    assert len(template_document(template)["cells"]) == len(template.ids)


@given(st.integers(1, 12), st.integers(2, 30))
def test_a_table_in_any_size(columns: int, rows: int) -> None:
    start = get_template("score-table")
    template = resized(start, columns=columns, rows=rows)
    names = ("name", *(f"r{row}" for row in range(1, rows + 1)), "total")
    assert template.ids == tuple(f"c{column}.{row}" for column in range(1, columns + 1) for row in names)
    # every cell lies on the sheet, at its neighbours' sides, and as large as in the file
    for cell in template.cells:
        xs, ys = [point.x for point in cell.polygon], [point.y for point in cell.polygon]
        assert 0 <= min(xs) < max(xs) <= template.size[0] + 1e-6
        assert 0 <= min(ys) < max(ys) <= template.size[1] + 1e-6
        assert max(xs) - min(xs) == pytest.approx(18)
    for one, next_one in itertools.pairwise(names):
        assert template.cell(f"c1.{one}").polygon[3].y == pytest.approx(template.cell(f"c1.{next_one}").polygon[0].y)
    assert template.table is not None
    (total,) = template.table.formulas
    assert total.formula.uses == names[1:-1]
    assert total.formula.value(lambda row: int(row[1:])) == rows * (rows + 1) // 2
    # back again
    assert _rounded(resized(template, columns=4, rows=12)) == _rounded(start)
    assert fitting(start, [f"c{columns}.total", f"c1.r{rows}"]) == template


def _rounded(template: Template) -> list[tuple[str, list[float]]]:
    return [(cell.id, [round(x, 6) for point in cell.polygon for x in (point.x, point.y)]) for cell in template.cells]


@pytest.mark.parametrize(("columns", "rows"), [(0, 5), (13, 5), (3, 1), (3, 31), (-1, 5)])
def test_sizes_that_are_not_allowed(columns: int, rows: int) -> None:
    with pytest.raises(SizeError, match="score-table has"):
        resized(get_template("score-table"), columns=columns, rows=rows)


def test_tables_of_one_size_keep_it() -> None:
    card = get_template("kniffel")
    assert fitting(card, ["game9.aces"]) is card
    assert fitting(get_template("sudoku"), ["r1c1"]) is get_template("sudoku")
    with pytest.raises(SizeError, match="fixed number of columns"):
        resized(card, columns=3)
    with pytest.raises(SizeError, match="no table"):
        resized(get_template("sudoku"), rows=3)


OPEN = """
schema = 1
id = "open"
title = "Open"
game = "score-table"
size = [100, 200]
[table]
origin = [5, 5]
values = [0, 99]
[[table.columns]]
id = "c{n}"
count = 2
least = 1
most = 4
width = 10
[[table.rows]]
id = "r{n}"
count = 3
least = 2
most = 9
height = 8
[[table.rows]]
id = "total"
height = 8
[table.formulas]
total = { sum = ["r{n}"] }
"""


def test_only_what_is_open_grows() -> None:
    template = parse_template(OPEN.encode(), source="open.toml")
    assert resized(template, rows=2).ids == ("c1.r1", "c1.r2", "c1.total", "c2.r1", "c2.r2", "c2.total")
    assert resized(template, columns=1).ids == ("c1.r1", "c1.r2", "c1.r3", "c1.total")


@pytest.mark.parametrize(
    ("old", "new", "cause", "remedy"),
    [
        ("least = 2\n", "", "table.rows[0].least: the key is missing", "both least and most"),
        ("most = 9\n", "", "table.rows[0].most: the key is missing", "both least and most"),
        ("most = 9", "most = 2", "table.rows[0].count: 3 isn't within 2 to 2", "least to most"),
        ('id = "r{n}"\ncount = 3', 'id = "r"', "table.rows[0].least: their number can't be open", '"r{n}"'),
        (
            'id = "total"\nheight',
            'id = "t{n}"\nleast = 1\nmost = 2\nheight',
            "table.rows[1].least: r{n} is open",
            "one",
        ),
        ('["r{n}"]', '["r1", "r2"]', "table.formulas.total: 'r1' is one of an open number", '"r{n}", all of them'),
        ("values = [0, 99]", 'values = [0, 99]\nholes = ["c1.r1"]', "table.holes: a table with an open", "leave"),
        ("[table]", '[[boxes]]\nid = "b"\nkind = "mark"\nrect = [60, 5, 9, 9]\n[table]', "boxes: a table", "leave"),
    ],
)
def test_what_an_open_table_can_not_be(old: str, new: str, cause: str, remedy: str) -> None:
    assert old in OPEN
    with pytest.raises(TemplateError) as caught:
        parse_template(OPEN.replace(old, new, 1).encode(), source="open.toml")
    assert str(caught.value).startswith(f"open.toml: {cause}")
    assert remedy in str(caught.value)


CODE = ["__import__('os').system('true')", "lambda: 0", "sum(rows)", "r1 + r2", "{0.__class__}", "r{n}; r{n}"]


@pytest.mark.parametrize("code", CODE)
@pytest.mark.parametrize(
    "formula",
    ["{{ sum = [{0}] }}", "{{ difference = [{0}, {0}] }}", "{{ product = {0}, by = 2 }}", "{{ eval = {0} }}", "{0}"],
)
def test_formulas_run_nothing(code: str, formula: str) -> None:
    """A text where a row's name or a formula belongs is refused by file and key, whatever stands in it."""
    text = OPEN.replace('{ sum = ["r{n}"] }', formula.format(f'"{code}"'))
    with pytest.raises(TemplateError) as caught:
        parse_template(text.encode(), source="open.toml")
    message = str(caught.value)
    assert message.startswith("open.toml: table.formulas.total")
    assert "\n" not in message
    assert ";" in message  # the remedy


FIXED = "\n".join(line for line in OPEN.splitlines() if not line.startswith(("least", "most")))
BOMBS = {
    "a formula within a formula": '{ sum = [{ sum = ["r{n}"] }] }',
    "200 formulas within each other": "{ sum = " * 200 + '["r{n}"]' + " }" * 200,
    "300 lists within each other": "{ sum = " + "[" * 300 + '"r1"' + "]" * 300 + " }",
    "50,000 brackets": "{ sum = " + "[" * 50_000,
    "a power": '{ power = ["r1", 99999999] }',
    "a power as a text": '"9**9**9"',
    "a power as a constant": '{ product = "r1", by = "9**9**9" }',
    "a constant of 30 digits": '{ product = "r1", by = ' + "9" * 30 + " }",
    "a constant of 5,000 digits": '{ product = "r1", by = ' + "9" * 5_000 + " }",
    "points of 30 digits": '{ threshold = "r1", at = 1, points = ' + "9" * 30 + " }",
    "an endless number": '{ threshold = "r1", at = inf, points = 5 }',
    "a truth value": '{ product = "r1", by = true }',
    "a circle": '{ sum = ["total"] }',
    "an attribute": '{ sum = ["r1.__class__"] }',
    "a call": '{ sum = ["r1()"] }',
    "code beside a formula": '{ sum = ["r1"], eval = "1" }',
    "20,000 rows": "{ sum = [" + '"r1", ' * 20_000 + "] }",
}


@pytest.mark.parametrize("what", BOMBS)
def test_no_formula_keeps_the_machine_busy(what: str) -> None:
    """Powers, depth and length are refused in one line like anything else that is no formula; nothing is computed."""
    assert parse_template(FIXED.encode(), source="open.toml").table is not None
    with pytest.raises(TemplateError) as caught:
        parse_template(FIXED.replace('{ sum = ["r{n}"] }', BOMBS[what]).encode(), source="open.toml")
    message = str(caught.value)
    assert message.startswith("open.toml: ")
    assert "\n" not in message
    assert len(message) < 400
    assert ";" in message  # the remedy
