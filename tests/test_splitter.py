"""Splitter's sheets and rules, against the published examples, against a naive scorer and by hand."""

from __future__ import annotations

import json
import random
import time
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from app_runner import padscore
from hypothesis import given
from hypothesis import strategies as st

from scanner.board import ReadBoard
from scanner.errors import TemplateError
from scanner.games.base import BoundedGame, ClaimGame, GameContext, PriorGame, RolledGame
from scanner.games.registry import get_game
from scanner.games.splitter import HALF_PAIR, ILLEGAL, Splitter
from scanner.geometry import Square
from scanner.resolve import resolve
from scanner.results import CellReading, Flag, Score, State
from scanner.templates import Template, get_template, load_templates, parse_template
from scanner.typed import parse_typed

GAME = Splitter()
PAD_A, PAD_B = get_template("splitter-a"), get_template("splitter-b")
BOARDS: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "data" / "splitter_boards.toml").read_text(encoding="utf-8")
)["boards"]

# invented: five rows of six, stars side by side at the middle
TWO_STARS = """
schema = 1
id = "two-stars"
title = "Invented: two stars side by side, and a hole"
game = "splitter"
size = [80, 60]
[grid]
origin = [5, 5]
pitch = [10, 10]
mask = ["oooooo", "oo**oo", "oooooo", "o-oo-o", "hooooh"]
tags = { "*" = "star", h = "heart" }
values = [1, 6]
"""
STARS = parse_template(TWO_STARS.encode(), source="two-stars.toml")
TEMPLATES = {**load_templates(), "two-stars": STARS}
SHEETS = (PAD_A, PAD_B, STARS)


def typed(text: str) -> tuple[ReadBoard, Template]:
    [one] = parse_typed(text.strip(), TEMPLATES)
    return one.board, one.template


def board(template: Template, values: Mapping[str, int | None], **states: State) -> ReadBoard:
    """Cells that aren't named are empty."""
    cells = {}
    for cell in template.ids:
        value = values.get(cell)
        cells[cell] = CellReading(cell, value, states.get(cell, "blank" if value is None else "read"))
    return ReadBoard(template.id, cells)


def score(of: ReadBoard, template: Template) -> Score:
    return GAME.score(of, template, GameContext())


def points(of: ReadBoard, template: Template) -> dict[str, int]:
    """By the names of the lines, those without points left out."""
    lines = score(of, template).lines
    return {line.label.partition(":")[0].lower(): line.points for line in lines if line.points}


def flags(of: ReadBoard, template: Template, rolls: Sequence[tuple[int, ...]] | None = None) -> tuple[Flag, ...]:
    return GAME.flags(of, template, GameContext(rolls=None if rolls is None else tuple(rolls)))


def lattice(template: Template) -> list[str]:
    return [cell.id for cell in template.lattice_cells]


def mirrored(template: Template, cell_id: str) -> str:
    place = template.cell(cell_id).place
    assert isinstance(place, Square)
    assert template.grid is not None
    return Square(place.row, template.grid.cols + 1 - place.col).id


def pairs(template: Template) -> list[tuple[str, str]]:
    return [(cell, mirrored(template, cell)) for cell in lattice(template) if cell < mirrored(template, cell)]


# ---- the sheets


MASKS = {
    "splitter-a": """
        - - o o o o - -
        - o o o o o o -
        o o o o o o o o
        * o o o o o o *
        o o o o o o o o
        - o o o o o o -
        - - o o o o - -
    """,
    "splitter-b": """
        o o o - - o h o
        o o o o o o o o
        - h o o o o o -
        - o o - - o o -
        - o o o h o o -
        o o o o o o o o
        o * o - - o * o
    """,
}


@pytest.mark.parametrize("name", MASKS)
def test_the_sheets_are_those_of_the_real_pads(name: str) -> None:
    template = get_template(name)
    letters = {"o": frozenset(), "*": frozenset({"star"}), "h": frozenset({"heart"})}
    expected = {
        f"r{row}c{col}": letters[letter]
        for row, line in enumerate(MASKS[name].strip().splitlines(), start=1)
        for col, letter in enumerate(line.split(), start=1)
        if letter != "-"
    }
    assert {cell.id: cell.tags for cell in template.lattice_cells} == expected
    assert len(expected) == 44
    assert {cell.values for cell in template.lattice_cells} == {(1, 6)}
    hearts = ["claim-hearts"] if name == "splitter-b" else []
    numbers = [f"claim-{number}" for number in ("ones", "twos", "threes", "fours", "fives", "sixes")]
    boxes = [cell for cell in template.cells if cell.place is None]
    assert [cell.id for cell in boxes] == [*numbers, *hearts, "claim-total"]
    assert {cell.kind for cell in boxes} == {"number"}
    assert all(point.x < template.mm_quad()[0].x for cell in boxes for point in cell.polygon)
    assert template.words == ("SPLITTER",)


@pytest.mark.parametrize("template", [PAD_A, PAD_B], ids=["a", "b"])
def test_what_is_printed_beside_the_cells(template: Template) -> None:
    texts = [label.text for label in template.labels]
    assert texts == ["SPLITTER", "1", "2", "3", "4", "5", "6", "(", "x2)", template.title[-1]]
    [line] = template.rules
    quad = template.mm_quad()
    assert line.style == "dashed"
    assert line.start.x == line.end.x == pytest.approx((quad[0].x + quad[1].x) / 2)
    arrows = [shape for shape in template.shapes if shape.kind == "triangle"]
    assert [(arrow.box[0].x + arrow.box[1].x) / 2 for arrow in arrows] == pytest.approx([line.start.x] * 2)
    assert arrows[0].box[3].y < quad[0].y
    assert quad[3].y < arrows[1].box[0].y
    assert template.look.field == "dark"
    assert template.look.field_rgb is not None
    assert template.look.cell_rgb is not None
    assert sum(template.look.field_rgb) < 300 < 550 < sum(template.look.cell_rgb)
    symbols = {symbol.tag: symbol.symbol for symbol in template.look.symbols}
    assert symbols == ({"star": "star"} if template is PAD_A else {"star": "star", "heart": "heart"})


@pytest.mark.parametrize("template", [PAD_A, PAD_B], ids=["a", "b"])
def test_nothing_printed_lies_on_a_cell(template: Template) -> None:
    for shape in template.shapes[1:]:  # the first is the strip that the boxes stand on
        (left, top), (right, bottom) = ((corner.x, corner.y) for corner in (shape.box[0], shape.box[2]))
        for cell in template.cells:
            x = [point.x for point in cell.polygon]
            y = [point.y for point in cell.polygon]
            assert right <= min(x) or max(x) <= left or bottom <= min(y) or max(y) <= top, (shape, cell.id)


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        ('"oooooo", "oo**oo"', '"ooooo-", "oo**oo"', "cell r1c1 has no other cell to mirror it"),
        ('["oooooo", "oo**oo", "oooooo", "o-oo-o", "hooooh"]', '["o*o", "oho"]', "cell r1c2 has no other cell"),
    ],
)
def test_a_sheet_that_does_not_mirror_itself(old: str, new: str, cause: str) -> None:
    assert old in TWO_STARS
    template = parse_template(TWO_STARS.replace(old, new).encode(), source="t.toml")
    with pytest.raises(TemplateError, match=f"template two-stars: {cause}"):
        score(board(template, {}), template)


def test_a_sheet_without_a_grid() -> None:
    head, _, _ = TWO_STARS.partition("[grid]")
    text = head + '[hex]\ncentre = [40, 30]\npitch = 8\nvalues = [1, 6]\n[[hex.areas]]\ntag = "m"\ncentre = "q0r0"\n'
    template = parse_template(text.encode(), source="t.toml")
    with pytest.raises(TemplateError, match="a Splitter sheet needs a grid"):
        flags(board(template, {}), template)


# ---- the score


@pytest.mark.parametrize("example", BOARDS, ids=lambda example: example["name"])
def test_published_examples(example: dict[str, Any]) -> None:
    read, template = typed(example["board"])
    assert score(read, template).total == example["total"]
    assert points(read, template) == example["points"]
    assert flags(read, template) == ()


def test_the_lines_of_an_example() -> None:
    read, template = typed(BOARDS[1]["board"])
    lines = score(read, template).lines
    assert [line.label for line in lines] == [
        "Ones: 1 group",
        "Twos: 2 groups, 1 on a star",
        "Threes: 1 group",
        "Fours",
        "Fives: 1 group",
        "Sixes",
        "Hearts",
    ]
    twos = lines[1]
    assert twos.cells == ("r6c5", "r6c6", "r7c1", "r7c2")
    assert [(group.cells, group.points, group.symbols) for group in twos.groups] == [
        (("r6c5", "r6c6"), 2, ()),
        (("r7c1", "r7c2"), 4, ("r7c2",)),
    ]
    assert all(line.cells == () == line.groups for line in lines if not line.points)


def test_a_group_across_the_centre_line() -> None:
    read = board(PAD_A, {"r4c3": 4, "r4c4": 4, "r4c5": 4, "r4c6": 4})
    assert points(read, PAD_A) == {"fours": 4}


def test_corners_do_not_join() -> None:
    assert points(board(PAD_A, {"r4c3": 2, "r5c4": 2}), PAD_A) == {}
    assert points(board(PAD_A, {"r4c3": 1, "r5c4": 1}), PAD_A) == {"ones": 2}


def test_holes_do_not_join() -> None:
    # row 4 of pad B has no cells in the middle
    assert points(board(PAD_B, {"r4c3": 2, "r4c6": 2}), PAD_B) == {}


def test_too_many_score_nothing() -> None:
    assert points(board(PAD_A, {"r4c3": 3, "r4c4": 3, "r4c5": 3}), PAD_A) == {"threes": 3}
    assert points(board(PAD_A, {"r4c3": 3, "r4c4": 3, "r4c5": 3, "r5c5": 3}), PAD_A) == {}


def test_a_group_on_a_star() -> None:
    assert points(board(PAD_A, {"r4c1": 1}), PAD_A) == {"ones": 2}
    assert points(board(PAD_A, {"r4c1": 2, "r5c1": 2}), PAD_A) == {"twos": 4}
    assert points(board(PAD_A, {"r4c1": 2}), PAD_A) == {}


def test_a_group_on_both_stars_is_doubled_once() -> None:
    read = board(STARS, {"r2c3": 2, "r2c4": 2})
    assert points(read, STARS) == {"twos": 4}
    [group] = score(read, STARS).lines[1].groups
    assert (group.points, group.symbols) == (4, ("r2c3", "r2c4"))
    assert points(board(STARS, {"r2c3": 1, "r2c4": 2, "r3c4": 2}), STARS) == {"ones": 2, "twos": 4}


def test_hearts() -> None:
    # by hand: three lone 4s score nothing by themselves
    read = board(PAD_B, {"r1c7": 4, "r3c2": 4, "r5c5": 4})
    assert points(read, PAD_B) == {"hearts": 5}
    hearts = score(read, PAD_B).lines[-1]
    assert (hearts.label, hearts.cells) == ("Hearts: 4 in all 3", ("r1c7", "r3c2", "r5c5"))
    assert hearts.groups[0].symbols == hearts.cells
    assert points(board(PAD_B, {"r1c7": 1, "r3c2": 1, "r5c5": 1}), PAD_B) == {"ones": 3, "hearts": 5}
    assert points(board(PAD_B, {"r1c7": 4, "r3c2": 4, "r5c5": 3}), PAD_B) == {}
    assert points(board(PAD_B, {"r1c7": 4, "r3c2": 4}), PAD_B) == {}
    assert "hearts" not in points(board(PAD_B, {}), PAD_B)


@pytest.mark.parametrize("value", [7, 0, 8, 12, -1])
def test_illegal_values_score_nothing_anywhere(value: int) -> None:
    read = board(PAD_B, {"r1c7": value, "r3c2": value, "r5c5": value})
    assert points(read, PAD_B) == {}
    row = {cell: value for cell in lattice(PAD_B) if cell.startswith("r2")}
    assert points(board(PAD_B, row), PAD_B) == {}


def test_cells_without_a_value_score_nothing() -> None:
    states: dict[str, State] = {"r4c1": "struck", "r4c2": "candidates", "r4c3": "scribble", "r4c4": "unreadable"}
    assert score(board(PAD_A, {}, **states), PAD_A).total == 0


def naive(values: Mapping[tuple[int, int], int], stars: set[tuple[int, int]], hearts: list[tuple[int, int]]) -> int:
    """The rules once more, by joining sets of places until nothing touches."""
    total = 0
    for number in range(1, 7):
        sets = [{place} for place, value in values.items() if value == number]
        joined = True
        while joined:
            joined = False
            for one in sets:
                for other in sets:
                    if one is not other and any(abs(r - s) + abs(c - d) == 1 for r, c in one for s, d in other):
                        one |= other
                        sets.remove(other)
                        joined = True
                        break
                if joined:
                    break
        total += sum(number * (2 if one & stars else 1) for one in sets if len(one) == number)
    if hearts and values.get(hearts[0]) in range(1, 7) and len({values.get(place) for place in hearts}) == 1:
        total += 5
    return total


def places(template: Template, tag: str | None = None) -> list[tuple[int, int]]:
    found = []
    for cell in template.lattice_cells:
        assert isinstance(cell.place, Square)
        if tag is None or tag in cell.tags:
            found.append((cell.place.row, cell.place.col))
    return found


@st.composite
def filled(draw: st.DrawFn, templates: Sequence[Template] = SHEETS) -> tuple[Template, dict[str, int | None]]:
    """A sheet and what it holds: few different numbers, so that groups arise; some illegal ones and some empty."""
    template = draw(st.sampled_from(templates))
    usual = draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))
    odd = st.sampled_from([None, 0, 7, *range(1, 7)])
    rng = random.Random(draw(st.integers(0, 2**32)))
    share = draw(st.floats(0, 0.5))
    odd_value: int | None = draw(odd)

    def value() -> int | None:
        if rng.random() < share / 3:
            return odd_value
        return rng.randint(1, 6) if rng.random() < share else rng.choice(usual)

    return template, {cell: value() for cell in lattice(template)}


@given(filled())
def test_score_by_its_definition(sheet: tuple[Template, dict[str, int | None]]) -> None:
    template, values = sheet
    known = {place: value for place, value in zip(places(template), values.values(), strict=True) if value is not None}
    expected = naive(known, set(places(template, "star")), places(template, "heart"))
    found = score(board(template, values), template)
    assert found.total == expected
    assert sum(line.points for line in found.lines) == expected
    for line in found.lines:
        assert sum(group.points for group in line.groups) == line.points
        assert sorted(cell for group in line.groups for cell in group.cells) == sorted(line.cells)


@given(filled([PAD_A]))
def test_mirroring_the_sheet_keeps_the_score(sheet: tuple[Template, dict[str, int | None]]) -> None:
    template, values = sheet
    turned = {mirrored(template, cell): value for cell, value in values.items()}
    upside_down = {f"r{8 - int(cell[1])}{cell[2:]}": value for cell, value in values.items()}
    one = board(template, values)
    for other in (board(template, turned), board(template, upside_down)):
        assert points(one, template) == points(other, template)
        assert Counter(flag.code for flag in flags(one, template)) == Counter(
            flag.code for flag in flags(other, template)
        )


@given(filled([STARS]), st.integers(0, 15), st.integers(0, 15))
def test_renaming_the_cells_keeps_the_score(
    sheet: tuple[Template, dict[str, int | None]], down: int, right: int
) -> None:
    """The same lattice with empty rows above and columns at both sides: every id is another one."""
    template, values = sheet
    width = 6 + 2 * right
    mask = [*["-" * width] * down, *("-" * right + row + "-" * right for row in json.loads(TWO_STARS_MASK))]
    text = TWO_STARS.replace(TWO_STARS_MASK, json.dumps(mask)).replace("[80, 60]", "[500, 500]")
    moved = parse_template(text.encode(), source="moved.toml")
    renamed = {f"r{int(cell[1]) + down}c{int(cell[3]) + right}": value for cell, value in values.items()}
    one, other = board(template, values), board(moved, renamed)
    assert points(one, template) == points(other, moved)
    assert [flag.code for flag in flags(one, template)] == [flag.code for flag in flags(other, moved)]


TWO_STARS_MASK = '["oooooo", "oo**oo", "oooooo", "o-oo-o", "hooooh"]'


@st.composite
def two_groups_and_a_gap(draw: st.DrawFn) -> tuple[Template, dict[str, int | None], int, set[str], set[str], str]:
    """A filled sheet on which a cell without the number lies between two groups that score for it."""
    template, values = draw(filled())
    cell_at = dict(zip(places(template), values, strict=True))
    near = {
        cell: {cell_at[to] for to in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)) if to in cell_at}
        for (r, c), cell in cell_at.items()
    }

    def grown(start: str, size: int, forbidden: set[str]) -> set[str]:
        group, edge = {start}, [start]
        while edge and len(group) < size:
            more = sorted(near[edge.pop(0)] - group - forbidden)[: size - len(group)]
            group.update(more)
            edge += more
        return group

    gap = draw(st.sampled_from([cell for cell in values if len(near[cell]) > 1]))
    start, end = draw(st.permutations(sorted(near[gap])))[:2]
    number = draw(st.integers(1, 6))
    one = grown(start, number, {gap, end} | near[end])
    other = grown(end, number, {gap} | one | set().union(*(near[cell] for cell in one)))
    if len(one) < number or len(other) < number:
        number, one, other = 1, {start}, {end}
    around = set().union(*(near[cell] for cell in one | other)) - one - other
    planted = {**values, **dict.fromkeys(around, number % 6 + 1), **dict.fromkeys(one | other, number)}
    return template, planted, number, one, other, gap


@given(two_groups_and_a_gap())
def test_merging_two_groups_leaves_one(
    sheet: tuple[Template, dict[str, int | None], int, set[str], set[str], str],
) -> None:
    """A cell between two scoring groups of a number takes it too: both are gone, and there are too many to score."""
    template, values, number, one, other, gap = sheet
    before = [set(group.cells) for line in score(board(template, values), template).lines[:6] for group in line.groups]
    assert one in before
    assert other in before
    merged = score(board(template, {**values, gap: number}), template)
    scoring = {inside for line in merged.lines[:6] for group in line.groups for inside in group.cells}
    assert scoring.isdisjoint({gap} | one | other)


# ---- flags


def example_with(name: str, **changed: int | None) -> tuple[ReadBoard, Template]:
    read, template = typed(next(example["board"] for example in BOARDS if example["name"] == name))
    values = {cell: value for cell in template.ids if isinstance(value := read.value(cell), int)}
    return board(template, {**values, **changed}), template


def test_a_seven_in_a_cell() -> None:
    read, template = example_with("pad-a", r1c3=7)
    [flag] = flags(read, template)
    assert (flag.code, flag.severity, flag.cells) == ("splitter.value", "illegal", ("r1c3",))
    assert flag.message == "r1c3 holds 7, but dice show only 1 to 6"


def test_half_a_pair() -> None:
    read, template = example_with("pad-a", r2c7=None, r3c1=None)
    found = flags(read, template)
    assert [(flag.code, flag.severity, flag.cells) for flag in found] == [
        ("splitter.pair", "illegal", ("r2c2", "r2c7")),
        ("splitter.pair", "illegal", ("r3c1", "r3c8")),
    ]
    assert found[1].message == "r3c8 holds 5, but r3c1, which mirrors it, is empty"


def test_half_a_pair_with_an_illegal_value_is_both() -> None:
    read, template = example_with("pad-a", r2c7=None, r2c2=9)
    assert [flag.code for flag in flags(read, template)] == ["splitter.value", "splitter.pair"]


def test_an_empty_pair() -> None:
    read, template = example_with("pad-b", r1c1=None, r1c8=None)
    [flag] = flags(read, template)
    assert (flag.code, flag.severity, flag.cells) == ("splitter.incomplete", "incomplete", ("r1c1", "r1c8"))
    assert flag.message == "1 round of 22 is missing: r1c1/r1c8 is empty"
    assert points(read, template) == BOARDS[1]["points"]


def test_several_empty_pairs() -> None:
    empty = dict.fromkeys(("r1c1", "r1c8", "r1c3", "r1c6", "r2c1", "r2c8", "r7c3", "r7c6", "r6c2", "r6c7"))
    [flag] = flags(*example_with("pad-b", **empty))
    assert flag.message == "5 rounds of 22 are missing: r1c1/r1c8, r1c3/r1c6, r2c1/r2c8 and 2 more are empty"
    assert set(flag.cells) == set(empty)


@pytest.mark.parametrize("template", [PAD_A, PAD_B], ids=["a", "b"])
def test_a_blank_sheet(template: Template) -> None:
    [flag] = flags(board(template, {}), template)
    assert (flag.code, flag.message) == ("splitter.incomplete", "The sheet is empty: all 22 rounds are missing")
    assert score(board(template, {}), template).total == 0


def test_what_is_struck_is_empty_and_what_cannot_be_read_is_not() -> None:
    values = {cell: 1 for cell in lattice(PAD_A) if cell not in ("r1c3", "r2c2", "r2c7")}
    struck = board(PAD_A, values, r1c3="struck", r2c2="candidates", r2c7="blank")
    half, empty = flags(struck, PAD_A)
    assert (half.cells, empty.cells) == (("r1c3", "r1c6"), ("r2c2", "r2c7"))
    assert half.message == "r1c6 holds 1, but r1c3, which mirrors it, is struck out"
    covered = board(PAD_A, values, r1c3="unreadable", r2c2="unreadable", r2c7="blank")
    assert flags(covered, PAD_A) == ()
    scribbled = board(PAD_A, values, r1c3="scribble", r2c2="scribble", r2c7="blank")
    assert flags(scribbled, PAD_A) == ()


@pytest.mark.parametrize("state", ["struck", "candidates"])
def test_ink_that_may_be_a_number_is_no_empty_cell(state: State) -> None:
    """A 1 that the reader takes for a stroke through nothing is asked about; that half a pair is missing is no fact."""
    values = {cell: 1 for cell in lattice(PAD_A) if cell != "r1c3"}
    read = board(PAD_A, values)
    unsure = CellReading("r1c3", None, state, confidence=0.6, alternatives={"1": 0.4})
    assert flags(ReadBoard(read.template, {**read.cells, "r1c3": unsure}), PAD_A) == ()
    sure = CellReading("r1c3", None, state, confidence=0.95, alternatives={"1": 0.05})
    [flag] = flags(ReadBoard(read.template, {**read.cells, "r1c3": sure}), PAD_A)
    assert flag.code == "splitter.pair"


@given(filled())
def test_each_illegal_value_and_half_pair_is_flagged(sheet: tuple[Template, dict[str, int | None]]) -> None:
    template, values = sheet
    found = flags(board(template, values), template)
    by_code = {
        code: [flag.cells for flag in found if flag.code == f"splitter.{code}"]
        for code in ("value", "pair", "incomplete")
    }
    assert by_code["value"] == [(cell,) for cell, value in values.items() if value in (0, 7)]
    halves = [pair for pair in pairs(template) if sum(values[cell] is None for cell in pair) == 1]
    assert by_code["pair"] == halves
    empty = {cell for pair in pairs(template) if all(values[cell] is None for cell in pair) for cell in pair}
    assert [set(cells) for cells in by_code["incomplete"]] == ([empty] if empty else [])


# ---- the player's claim


def test_claims() -> None:
    assert isinstance(GAME, ClaimGame)
    text = BOARDS[1]["board"] + "claim-ones = 1\nclaim-twos = 4\nclaim-hearts = 5\nclaim-sixes = 2\nclaim-total = 15\n"
    read, template = typed(text)
    assert GAME.claims(read, template) == {"ones": 1, "twos": 4, "sixes": 2, "hearts": 5, "total": 15}
    found = flags(read, template)
    assert [(flag.code, flag.severity, flag.cells, flag.message) for flag in found] == [
        ("splitter.claimed", "arithmetic", ("claim-twos",), "The box for twos says 4, but the board gives 6"),
        ("splitter.claimed", "arithmetic", ("claim-sixes",), "The box for sixes says 2, but the board gives 0"),
        ("splitter.claimed", "arithmetic", ("claim-hearts",), "The box for hearts says 5, but the board gives 0"),
    ]
    verdict = resolve(read, template, GAME)
    assert verdict.claimed == {"ones": 1, "twos": 4, "sixes": 2, "hearts": 5, "total": 15}
    assert verdict.score.total == 15


def test_a_wrong_total() -> None:
    [flag] = flags(*typed(BOARDS[0]["board"] + "claim-total = 8\nclaim-fours = 0\nclaim-fives = s\n"))
    assert flag.message == "The box for the total says 8, but the board gives 7"


def test_claims_are_told_when_cells_are_unsure_too() -> None:
    read, template = typed(BOARDS[0]["board"] + "claim-total = 7\n")
    cells = dict(read.cells)
    cells["r1c3"] = CellReading("r1c3", 1, "doubtful", 0.6, {"2": 0.4})
    verdict = resolve(ReadBoard(template.id, cells), template, GAME)
    assert verdict.claimed == {"total": 7}


# ---- doubts


def with_doubts(name: str, **doubts: dict[str, float]) -> tuple[ReadBoard, Template]:
    read, template = typed(next(example["board"] for example in BOARDS if example["name"] == name))
    cells = dict(read.cells)
    for cell, alternatives in doubts.items():
        rest = 1 - sum(alternatives.values())
        cells[cell] = CellReading(cell, cells[cell].value, "read" if rest > 0.9 else "doubtful", rest, alternatives)
    return ReadBoard(template.id, cells), template


def test_a_doubt_that_changes_nothing_is_not_asked() -> None:
    # by hand: r1c4 and its neighbour r1c5 are 6s, two of six; a 5 there joins nothing
    verdict = resolve(*with_doubts("pad-a", r1c4={"5": 0.3}), GAME)
    assert (verdict.sure, verdict.ask, verdict.range) == (True, (), (7, 7))


def test_a_doubt_that_changes_the_total_is_asked() -> None:
    # by hand: r2c6 is one of the two 2s; as a 3 it leaves none that score
    verdict = resolve(*with_doubts("pad-a", r2c6={"3": 0.3}), GAME)
    assert (verdict.sure, verdict.ask, verdict.range) == (False, ("r2c6",), (5, 7))


def test_two_doubts_that_matter_only_together() -> None:
    # by hand: four 6s in row 6 and above, which become six only if both cells between and beside them are 6s
    values = {"r6c2": 6, "r6c3": 4, "r6c4": 6, "r6c5": 6, "r6c6": 5, "r5c4": 6}
    cells = dict(board(PAD_A, values).cells)
    for cell in ("r6c3", "r6c6"):
        cells[cell] = CellReading(cell, values[cell], "doubtful", 0.5, {"6": 0.5})
    verdict = resolve(ReadBoard(PAD_A.id, cells), PAD_A, GAME)
    assert (verdict.sure, set(verdict.ask), verdict.range) == (False, {"r6c3", "r6c6"}, (0, 6))


def test_a_doubt_between_a_number_and_a_seven_is_asked() -> None:
    verdict = resolve(*with_doubts("pad-a", r1c4={"7": 0.02}), GAME)
    assert (verdict.sure, verdict.ask, verdict.range) == (False, ("r1c4",), (7, 7))


def test_an_unreadable_cell_is_asked() -> None:
    read, template = example_with("pad-a")
    cells = {**read.cells, "r2c5": CellReading("r2c5", None, "unreadable")}
    verdict = resolve(ReadBoard(template.id, cells), template, GAME)
    # by hand: anything but a 2 takes the two 2s; a 6 joins r1c4, r1c5, r3c5, r4c4 and r4c5 to six of them
    assert (verdict.sure, verdict.ask, verdict.range) == (False, ("r2c5",), (5, 11))


@given(st.data())
def test_bounds_hold_whatever_the_cells_are(data: st.DataObject) -> None:
    assert isinstance(GAME, BoundedGame)
    template, values = data.draw(filled())
    unsure = data.draw(st.sets(st.sampled_from(lattice(template)), max_size=12))
    options = st.frozensets(st.none() | st.integers(0, 7), min_size=1)
    possible = {cell: data.draw(options) for cell in sorted(unsure)}
    low, high = GAME.bounds(board(template, values), template, possible)
    chosen = {cell: data.draw(st.sampled_from(sorted(may, key=str))) for cell, may in possible.items()}
    total = score(board(template, {**values, **chosen}), template).total
    assert total is not None
    assert low <= total <= high


def test_bounds_by_hand() -> None:
    read, template = example_with("pad-b")
    total = score(read, template).total
    assert GAME.bounds(read, template, {})[0] == total
    # beside the 2s on the star stands r7c3, a 1: as a 2 it spoils them; the rest is safe
    low, _ = GAME.bounds(read, template, {"r7c3": frozenset({1, 2})})
    assert low == 11
    # a 7 joins nothing, and the three hearts can't be equal
    assert GAME.bounds(board(PAD_A, {"r4c1": 1}), PAD_A, {"r5c1": frozenset({7, None})}) == (2, 2)
    assert GAME.bounds(board(PAD_A, {"r4c1": 2}), PAD_A, {"r5c1": frozenset({2, None})}) == (0, 4)
    hearts = {"r1c7": 4, "r3c2": 4}
    assert GAME.bounds(board(PAD_B, hearts), PAD_B, {"r5c5": frozenset({3, 5})}) == (0, 0)
    assert GAME.bounds(board(PAD_B, hearts), PAD_B, {"r5c5": frozenset({3, 4})}) == (0, 5)


def test_prior() -> None:
    assert isinstance(GAME, PriorGame)
    read = board(PAD_A, {"r1c3": 5}, r2c7="unreadable")
    assert GAME.prior(read, PAD_A, CellReading("r1c6", 4, "read")) == 1  # r1c3 is filled
    assert GAME.prior(read, PAD_A, CellReading("r2c2", 4, "read")) == 1  # nobody knows about r2c7
    assert GAME.prior(read, PAD_A, CellReading("r3c1", 4, "read")) == HALF_PAIR  # r3c8 is empty
    assert GAME.prior(read, PAD_A, CellReading("r3c1", None, "blank")) == 1
    assert GAME.prior(read, PAD_A, CellReading("claim-total", 4, "read")) == 1
    assert GAME.prior(read, PAD_A, CellReading("r2c2", 9, "read")) == ILLEGAL


def test_many_doubts_are_judged_in_time() -> None:
    read, template = example_with("pad-b")
    rolls = tuple((read.value(one), read.value(other)) for one, other in pairs(template))
    context = GameContext(rolls=rolls)  # type: ignore[arg-type]
    cells = dict(read.cells)
    for cell in lattice(template)[::5][:8]:  # 2^8 combinations
        value = cells[cell].value
        cells[cell] = CellReading(cell, value, "doubtful", 0.6, {"4" if value != 4 else "2": 0.4})
    unsure = ReadBoard(template.id, cells)
    resolve(unsure, template, GAME, context)
    start = time.process_time()
    verdict = resolve(unsure, template, GAME, context)
    assert time.process_time() - start < 1  # a fifth of it when nothing else runs
    assert not verdict.sure


# ---- typed boards through the command


def save(tmp_path: Path, text: str, name: str = "board.txt") -> Path:
    path = tmp_path / name
    path.write_text(text.strip() + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("example", BOARDS, ids=lambda example: example["name"])
def test_examples_through_the_command(example: dict[str, Any], tmp_path: Path) -> None:
    ran = padscore("score", save(tmp_path, example["board"]), "--json")
    assert (ran.status, ran.err) == (0, "")
    [sheet] = ran.document["sheets"]
    assert sheet["score"]["total"] == example["total"]
    assert (sheet["score"]["range"], sheet["score"]["sure"]) == ([example["total"]] * 2, True)
    assert sheet["claimed"] == {}
    shown = padscore("score", save(tmp_path, example["board"]))
    assert f"Total {example['total']}" in shown.out


def test_a_claim_through_the_command(tmp_path: Path) -> None:
    ran = padscore("score", save(tmp_path, BOARDS[0]["board"] + "claim-total = 9"), "--json")
    assert ran.status == 1
    [sheet] = ran.document["sheets"]
    assert sheet["claimed"] == {"total": 9}
    assert [flag["code"] for flag in sheet["flags"]] == ["splitter.claimed"]


def log_of(example: dict[str, Any]) -> list[str]:
    read, template = typed(example["board"])
    return [f"{read.value(other)} {read.value(one)}" for one, other in reversed(pairs(template))]


def test_a_log_that_agrees(tmp_path: Path) -> None:
    rolls = save(tmp_path, "# table 3\n\n" + "\n".join(log_of(BOARDS[0])), "rolls.txt")
    ran = padscore("score", save(tmp_path, BOARDS[0]["board"]), "--rolls", rolls, "--json")
    assert (ran.status, ran.err) == (0, "")


def test_a_log_that_differs(tmp_path: Path) -> None:
    lines = log_of(BOARDS[0])
    lines[lines.index("5 4")] = "5 3"  # the 4 5 of row 7
    rolls = save(tmp_path, "\n".join(lines), "rolls.txt")
    ran = padscore("score", save(tmp_path, BOARDS[0]["board"]), "--rolls", rolls, "--json")
    assert ran.status == 1
    [flag] = ran.document["sheets"][0]["flags"]
    assert (flag["code"], flag["cells"]) == ("splitter.roll", ["r7c4", "r7c5"])
    assert flag["message"] == "3 5 was rolled, but 4 5 is written (r7c4/r7c5)"


@pytest.mark.parametrize(
    ("log", "message"),
    [
        ("3 5\n4 x\n", "line 2: 'x' is no number"),
        ("3 5\n\n4 7\n", "line 3: no die shows 7"),
        ("3 5 1\n", "line 1: a roll has 2 numbers, not 3"),
        ("1 1\n" * 23, "line 23: this is roll 23, but a game has only 22"),
        ("# nothing\n", "there are no rolls in it"),
    ],
)
def test_a_bad_log_is_wrong_usage(log: str, message: str, tmp_path: Path) -> None:
    rolls = save(tmp_path, log, "rolls.txt")
    ran = padscore("score", save(tmp_path, BOARDS[0]["board"]), "--rolls", rolls, "--json")
    assert (ran.status, ran.out) == (2, "")
    [line] = ran.messages
    assert message in line
    assert "rolls.txt" in line


SAMPLES = Path(__file__).resolve().parent.parent / "samples"


def test_what_stands_on_a_pad_is_written_by_hand() -> None:
    """However neatly: a pad comes without numbers in its cells."""
    ran = padscore("scan", SAMPLES / "splitter-b-1.jpg", "--json")
    cells = ran.document["sheets"][0]["cells"]
    assert {cell["ink"] for cell in cells.values() if cell["value"] is not None} == {"hand"}


def test_a_log_that_differs_from_a_photo(tmp_path: Path) -> None:
    """The photo's pairs by its truth file, in another order and the other way round, but for one roll."""
    cells = json.loads((SAMPLES / "splitter-a-1.json").read_text(encoding="utf-8"))["cells"]
    rolls = [f"{cells[other]} {cells[one]}" for one, other in reversed(pairs(PAD_A))]
    assert (cells["r4c1"], cells["r4c8"]) == (2, 3)
    rolls[rolls.index("3 2")] = "3 1"
    ran = padscore("scan", SAMPLES / "splitter-a-1.jpg", "--rolls", save(tmp_path, "\n".join(rolls), "r.txt"), "--json")
    assert ran.status == 1
    [flag] = [flag for flag in ran.document["sheets"][0]["flags"] if flag["code"] != "read.doubt"]
    assert flag["code"] == "splitter.roll"
    assert {"r4c1", "r4c8"} <= set(flag["cells"])
    assert flag["message"].startswith("1 3 was rolled, but 2 3 is written (")


def test_a_bad_log_is_refused_before_any_photo_is_read(tmp_path: Path) -> None:
    rolls = save(tmp_path, "3 5\n4 x\n", "rolls.txt")
    ran = padscore("scan", tmp_path / "no-photo.jpg", "--rolls", rolls)
    assert (ran.status, ran.out) == (2, "")
    assert "rolls.txt, line 2: 'x' is no number" in ran.err


def test_a_log_that_is_not_there(tmp_path: Path) -> None:
    ran = padscore("score", save(tmp_path, BOARDS[0]["board"]), "--rolls", tmp_path / "none.txt")
    assert ran.status == 4
    assert "there is no such file; check --rolls" in ran.err


def test_a_log_for_a_game_without_dice(tmp_path: Path) -> None:
    rows = "\n".join(["template = sudoku", *[" ".join("." * 9)] * 9])
    rolls = save(tmp_path, "3 5", "rolls.txt")
    ran = padscore("score", save(tmp_path, rows), "--rolls", rolls)
    assert ran.status == 2
    assert "--rolls: none of these games has a log of rolls" in ran.err


def test_the_game_is_known_by_its_name() -> None:
    assert isinstance(get_game("splitter"), Splitter)
    assert isinstance(GAME, RolledGame)
    assert [GAME.roll_format(template).rounds for template in SHEETS] == [22, 22, 14]
