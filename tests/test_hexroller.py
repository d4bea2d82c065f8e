"""HexRoller's sheets, score and flags: boards worked out on paper, a naive scorer, and flags by hand."""

from __future__ import annotations

import json
import random
import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from app_runner import padscore
from hexroller_boards import SMALL, small_template
from hypothesis import given
from hypothesis import strategies as st

from scanner.board import ReadBoard, lattice_rows
from scanner.errors import TemplateError
from scanner.games import hexroller_chains
from scanner.games.base import BoundedGame, ClaimGame, GameContext, HistoryGame, PriorGame, RolledGame
from scanner.games.hexroller import HexRoller
from scanner.games.hexroller_layout import layout_of
from scanner.games.hexroller_play import Style, play
from scanner.games.hexroller_scoring import line_names, straight_points
from scanner.games.registry import get_game
from scanner.geometry import Hex
from scanner.resolve import resolve
from scanner.results import CellReading, State, Value
from scanner.templates import Template, get_template, load_templates, parse_template
from scanner.typed import parse_typed

GAME = HexRoller()
FRONT, BACK = get_template("hexroller-front"), get_template("hexroller-back")
SHEETS = (FRONT, BACK)
BOARDS: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "data" / "hexroller_boards.toml").read_text(encoding="utf-8")
)["boards"]


def board(template: Template, cells: Mapping[str, Value | None]) -> ReadBoard:
    """A board on which the printed hexes hold what is printed, and all else what is given."""
    values: dict[str, Value | None] = {cell.id: cell.printed for cell in template.cells}
    values.update(cells)
    return ReadBoard(
        template.id,
        {cell: CellReading(cell, value, "blank" if value is None else "read") for cell, value in values.items()},
    )


def rows(top: str, bottom: str) -> dict[str, Value | None]:
    """The record rows, typed as on the sheet; a dot is an empty box."""
    return {
        f"{name}{at}": None if word == "." else int(word)
        for name, row in (("top", top), ("bottom", bottom))
        for at, word in enumerate(row.split(), start=1)
    }


def worked_out(entry: Mapping[str, Any]) -> tuple[ReadBoard, Template]:
    template = get_template(entry["template"])
    text = f"template = {template.id}\n{entry['hexes']}"
    for mark in entry.get("marks", "").split():
        text += f"{mark} = x\n"
    for cell, number in rows(entry.get("top", ""), entry.get("bottom", "")).items():
        text += f"{cell} = {'.' if number is None else number}\n"
    [one] = parse_typed(text, load_templates())
    return one.board, template


def flags(
    cells: Mapping[str, Value | None], template: Template = FRONT, rolls: str | None = None
) -> list[tuple[str, str, tuple[str, ...]]]:
    log = None if rolls is None else tuple(tuple(map(int, line.split())) for line in rolls.split("/"))
    found = GAME.flags(board(template, cells), template, GameContext(log))
    return [(flag.code.removeprefix("hexroller."), flag.severity, flag.cells) for flag in found]


def told(
    cells: Mapping[str, Value | None], template: Template = FRONT, rolls: str | None = None
) -> dict[str, list[tuple[str, str, tuple[str, ...]]]]:
    """The flags by code, without that of a game that isn't finished."""
    by_code: dict[str, list[tuple[str, str, tuple[str, ...]]]] = {}
    for flag in flags(cells, template, rolls):
        if flag[0] != "incomplete":
            by_code.setdefault(flag[0], []).append(flag)
    return by_code


def messages(cells: Mapping[str, Value | None], template: Template = FRONT, rolls: str | None = None) -> list[str]:
    log = None if rolls is None else tuple(tuple(map(int, line.split())) for line in rolls.split("/"))
    return [flag.message for flag in GAME.flags(board(template, cells), template, GameContext(log))]


# ---- templates


def test_the_sheets_are_those_of_the_rules() -> None:
    # front: 55 hexes, the middle 13, 7 rounds; back: 49, 7, 6; the outer areas 7 each; one die more than rounds
    for template, hexes, middle, rounds in ((FRONT, 55, 13, 7), (BACK, 49, 7, 6)):
        layout = layout_of(template)
        assert len(layout.ids) == hexes
        assert [len(area.cells) for area in layout.areas] == [7] * 6 + [middle]
        assert (layout.rounds, layout.dice) == (rounds, rounds + 1)
        assert [mark for _, mark in layout.bonuses] == ["bonus1", "bonus2", "bonus3"]
        names = ["bonuses", *(f"area{n}" for n in range(1, 7)), "middle", "connections", "top", "bottom", "total"]
        assert layout.claims == tuple((name, f"claim-{name}") for name in names)
        assert all(template.cell(mark).kind == "mark" for _, mark in layout.bonuses)
        assert all(template.cell(box).values == (3, 8) for box in (*layout.top, *layout.bottom))


@pytest.mark.parametrize(("template", "centre"), [(FRONT, Hex(3, 0)), (BACK, Hex(2, 1))])
def test_the_areas_lie_where_the_rules_say(template: Template, centre: Hex) -> None:
    for number in range(1, 7):
        middle = centre.turned(number - 1)
        flower = {place.id for place in (middle, *middle.neighbours())}
        assert {cell.id for cell in template.cells if f"area-{number}" in cell.tags} == flower
    ring = {place.id for place in (Hex(0, 0), *Hex(0, 0).neighbours())}
    more = {Hex(1, 1).turned(turn).id for turn in range(6)} if template is FRONT else set()
    assert {cell.id for cell in template.cells if "area-m" in cell.tags} == ring | more


@pytest.mark.parametrize("template", SHEETS, ids=lambda template: template.id)
def test_printed_numbers_keep_the_conditions_of_the_rules(template: Template) -> None:
    places = {cell.place: cell.printed for cell in template.cells if cell.printed is not None}
    assert Counter(places.values()) == dict.fromkeys(range(3, 9), 2)
    apart = []
    for number in range(3, 9):
        one, other = (place for place, held in places.items() if held == number)
        assert isinstance(one, Hex)
        assert isinstance(other, Hex)
        q, r = one.q - other.q, one.r - other.r
        apart.append(max(abs(q), abs(r), abs(q + r)))
    assert apart == sorted(set(apart)), "the higher the farther apart"
    for number in range(1, 7):
        assert any(f"area-{number}" in template.cell(place.id).tags for place in places if isinstance(place, Hex))


@pytest.mark.parametrize("template", SHEETS, ids=lambda template: template.id)
def test_no_turn_and_no_mirror_image_brings_the_printed_numbers_onto_themselves(template: Template) -> None:
    printed = {cell.place: cell.printed for cell in template.cells if cell.printed is not None}
    places = [place for place in printed if isinstance(place, Hex)]
    for turn in range(6):
        turned = [place.turned(turn) for place in places]
        mirrored = [Hex(place.r, place.q) for place in turned]
        if turn:
            assert len(set(turned) & set(places)) <= 4
        assert len(set(mirrored) & set(places)) <= 6


def test_a_template_that_cant_be_a_sheet_is_refused() -> None:
    text = SMALL.format(rounds=2, outer='"q2r0"', printed="q2r0 = 3")
    uneven = parse_template(text.replace("bottom{n}", "below{n}").encode(), source="uneven.toml")
    with pytest.raises(TemplateError, match="2 and 0 boxes"):
        GAME.score(board(uneven, {}), uneven, GameContext())
    squares = text[: text.index("[hex]")] + "[grid]\norigin = [60, 5]\npitch = [8, 8]\nrows = 2\ncols = 2\n"
    grid = parse_template((squares + "values = [2, 8]\n").encode(), source="grid.toml")
    with pytest.raises(TemplateError, match="needs hexes"):
        GAME.score(board(grid, {}), grid, GameContext())


# ---- score


@pytest.mark.parametrize("entry", BOARDS, ids=lambda entry: entry["name"])
def test_boards_worked_out_on_paper(entry: Mapping[str, Any]) -> None:
    read, template = worked_out(entry)
    score = GAME.score(read, template, GameContext())
    names = line_names(layout_of(template))
    points = {name: line.points for name, line in zip(names, score.lines, strict=True) if line.points}
    assert points == entry["points"], entry["why"]
    assert score.total == entry["total"] == sum(entry["points"].values())


def test_the_lines_say_where_they_come_from() -> None:
    read, template = worked_out(next(entry for entry in BOARDS if entry["name"] == "a finished game"))
    lines = dict(zip(line_names(layout_of(template)), GAME.score(read, template, GameContext()).lines, strict=True))
    assert lines["area2"].label == "Area 2: 4 x 6"
    assert set(lines["area2"].cells) == {cell.id for cell in template.cells if "area-2" in cell.tags}
    assert lines["middle"].label == "Middle: 7 x 4, doubled"
    [connection] = lines["connections"].groups
    assert connection.points == 4
    line = ("q-2r0", "q-1r0", "q0r0", "q1r0", "q2r-1")
    assert connection.line in (line, line[::-1])
    assert set(connection.cells) == set(line)
    assert lines["bottom"].cells == ("bottom1", "bottom2", "bottom3", "bottom4", "bottom5")  # 4 6 3 5 7
    assert lines["bonuses"].cells == ()


def test_unused_bonuses_are_named() -> None:
    score = GAME.score(board(FRONT, {"bonus2": "x"}), FRONT, GameContext())
    assert (score.lines[0].points, score.lines[0].cells) == (4, ("bonus1", "bonus3"))


@pytest.mark.parametrize(
    ("numbers", "points"),
    [((), 0), ((4, 5), 0), ((3,), 3), ((3, 5, 4, 8), 5), ((5, 4, 3), 5), ((8, 7, 6, 5, 4, 3), 8), ((3, 3, 4, 0), 4)],
)
def test_straights(numbers: tuple[int, ...], points: int) -> None:
    assert straight_points(numbers) == points


def test_an_illegal_number_fills_no_area() -> None:
    area = {cell.id: 8 for cell in FRONT.cells if "area-1" in cell.tags}
    assert GAME.score(board(FRONT, area), FRONT, GameContext()).lines[1].points == 8
    assert GAME.score(board(FRONT, {**area, "q3r0": 9}), FRONT, GameContext()).lines[1].points == 0


def naive_total(template: Template, cells: Mapping[str, Value | None]) -> int:
    """The score by the words of the rules, from ids and tags alone."""
    held = {cell.id: cell.printed or cells.get(cell.id) for cell in template.lattice_cells}
    total = 2 * sum(cells.get(f"bonus{n}") != "x" for n in (1, 2, 3))
    for tag in ("area-1", "area-2", "area-3", "area-4", "area-5", "area-6", "area-m"):
        numbers = [held[cell.id] for cell in template.lattice_cells if tag in cell.tags]
        if all(numbers):
            most = max(numbers.count(number) for number in numbers)
            best = max(number for number in numbers if numbers.count(number) == most and isinstance(number, int))
            total += 2 * best if tag == "area-m" else best
    for number in range(3, 9):
        one, other = (cell.id for cell in template.cells if cell.printed == number)
        reached, before = {one}, set[str]()
        while reached != before:
            before = reached
            reached = reached | {
                cell.id
                for cell in template.lattice_cells
                if held[cell.id] == number
                and isinstance(cell.place, Hex)
                and any(near.id in reached for near in cell.place.neighbours())
            }
        total += number * (other in reached)
    for name in ("top", "bottom"):
        row = {value for cell, value in cells.items() if cell.startswith(name)}
        total += max((n for n in range(3, 9) if set(range(3, n + 1)) <= row), default=0)
    return total


@pytest.mark.parametrize("template", SHEETS, ids=lambda template: template.id)
def test_random_games_against_a_naive_scorer(template: Template) -> None:
    layout = layout_of(template)
    for seed in range(1000):
        rng = random.Random(seed)
        cells = play(layout, rng, Style(rng.random(), rng.random())).contents(layout)
        score = GAME.score(board(template, cells), template, GameContext())
        assert score.total == naive_total(template, cells), f"seed {seed}"
        assert score.total == sum(line.points for line in score.lines)


# ---- flags


def test_an_empty_sheet_is_only_incomplete() -> None:
    boxes = tuple(f"{row}{n}" for row in ("top", "bottom") for n in range(1, 8))
    assert flags({}) == [("incomplete", "incomplete", boxes)]
    assert messages({}) == ["The record rows are empty: all 7 rounds are missing"]


ONE_ROUND: dict[str, Value | None] = {"top1": 8, "bottom1": 3, "q-3r0": 8, "q0r0": 3}
"""Round 1: an 8 beside the printed one in q-4r0, a 3 beside the printed one in q0r-1."""


def test_a_round_by_the_rules_is_legal() -> None:
    assert told(ONE_ROUND) == {}
    assert messages(ONE_ROUND) == ["Rounds 2, 3, 4, 5, 6 and 7 of 7 are not recorded in full"]


def test_numbers_that_no_die_shows() -> None:
    found = told({**ONE_ROUND, "q4r0": 9, "q3r0": 1, "top2": 2, "bottom2": 5, "q0r-2": 5})
    assert found == {
        "value": [("value", "illegal", ("q3r0",)), ("value", "illegal", ("q4r0",))],
        "record": [("record", "illegal", ("top2",))],
    }
    assert "q4r0 holds 9, but dice show only 3 to 8" in messages({"q4r0": 9})


def test_what_is_written_over_a_printed_number_is_no_mistake() -> None:
    assert told({**ONE_ROUND, "q-4r0": 5, "q4r-3": None, "q3r1": 9}) == {}


def test_record_rows() -> None:
    twice = told({**ONE_ROUND, "bottom1": 8})
    assert twice["record"] == [("record", "illegal", ("top1", "bottom1"))]
    half = {**ONE_ROUND, "top2": 5, "q0r-2": 5}
    assert told(half) == {"record": [("record", "incomplete", ("bottom2",))]}
    gap = {**ONE_ROUND, "top3": 5, "bottom3": 6, "q0r-2": 5, "q3r-2": 6}
    assert told(gap) == {"record": [("record", "incomplete", ("top2", "bottom2"))]}


def test_the_2_of_the_bonus() -> None:
    assert told({**ONE_ROUND, "q4r0": 2, "bonus2": "x"}) == {}
    assert told({**ONE_ROUND, "q4r0": 2}) == {"two": [("two", "illegal", ("q4r0", "bonus2"))]}
    twice = {**ONE_ROUND, "q4r0": 2, "q3r0": 2, "bonus2": "x"}
    assert told(twice) == {"two": [("two", "illegal", ("q3r0", "q4r0"))]}
    assert told({**ONE_ROUND, "bonus2": "x"}) == {"bonus": [("bonus", "doubt", ("bonus2",))]}


def test_hexes_that_touch_no_earlier_number() -> None:
    cells = {**ONE_ROUND, "top2": 5, "bottom2": 6, "q0r-2": 5, "q3r-2": 6, "q3r0": 5, "q4r0": 5}
    assert told(cells) == {"history": [("history", "illegal", ("q3r0", "q4r0"))]}
    assert "These two 5s touch no earlier 5: q3r0 and q4r0" in messages(cells)


def test_a_number_that_no_round_records() -> None:
    cells = {**ONE_ROUND, "q0r-2": 5}
    # bonus 3 would explain it: five other numbers may have been rolled beside the 8 and the 3
    assert told(cells) == {
        "bonus": [("bonus", "illegal", ("bonus3",))],
        "history": [("history", "illegal", ("q0r-2",))],
    }
    assert "No round records a 5, so nobody can have written it: q0r-2" in messages(cells)
    assert told({**cells, "bonus3": "x"}) == {}


def test_two_ends_of_one_line() -> None:
    # q2r1 and q4r0 touch the printed 8 of q3r1 on both sides, but not each other
    cells = {**ONE_ROUND, "q-3r0": None, "q2r1": 8, "q4r0": 8}
    found = told(cells)
    assert found["bonus"] == [("bonus", "illegal", ("bonus1",))]
    [(_, _, loose)] = found["history"]
    assert loose in (("q2r1",), ("q4r0",))
    assert told({**cells, "bonus1": "x"}) == {}


LONG: dict[str, Value | None] = {
    "top1": 8,
    "bottom1": 3,
    **dict.fromkeys(("q-3r0", "q-3r1", "q-2r1", "q-1r1", "q0r1", "q1r1", "q2r1"), 8),
    "q0r0": 3,
    "q1r-1": 3,
}
"""Seven 8s and two 3s in one round: nine hexes for eight dice."""


def test_lengths_that_add_up_to_more_than_the_dice() -> None:
    found = told(LONG)
    assert found["history"] == [("history", "illegal", ("top1", "bottom1"))]
    assert found["bonus"] == [("bonus", "illegal", ("bonus1",))]
    assert "Round 1: the 3s and 8s there are need more than 8 dice" in messages(LONG)
    assert told({**LONG, "bonus1": "x"}) == {}
    assert told({**LONG, "q1r-1": None}) == {}


def test_a_round_takes_one_bonus() -> None:
    # the extra hex and the third number can only belong to the one round that was played
    cells = {**LONG, "q1r-1": None, "q-2r1": None, "q-1r1": None, "q0r1": None, "q1r1": None, "q2r1": None}
    cells |= {"bonus1": "x", "bonus3": "x", "q4r0": 8, "q0r-2": 5}
    found = told(cells)
    assert found["bonus"] == [("bonus", "illegal", ("bonus1", "bonus3"))]
    assert [severity for _, severity, _ in found["history"]] == ["illegal"]
    second = {"top2": 7, "bottom2": 6, "q1r-2": 7, "q3r-2": 6}
    assert told({**cells, **second}) == {}


def test_a_third_number_that_nobody_wrote() -> None:
    # one hex a number and round, all needed: nothing is left for bonus 3, but it costs only its player
    assert told({**ONE_ROUND, "bonus3": "x"}) == {"bonus": [("bonus", "doubt", ("bonus3",))]}


def test_too_few_hexes_for_the_rounds() -> None:
    cells = {**ONE_ROUND, "top2": 8, "bottom2": 5, "q0r-2": 5}
    assert told(cells) == {"history": [("history", "illegal", ("top1", "top2"))]}
    assert "Rounds 1 and 2 each wrote a line of 8s, but only 1 hex of them joined to a printed 8 is there" in messages(
        cells
    )


def test_the_log_of_the_rolls() -> None:
    cells = {**ONE_ROUND, "q0r1": 3}
    assert told(cells, rolls="3 3 4 5 5 6 6 8") == {}
    # a 3 too many, and one too few: no shape matters
    for roll in ("3 4 4 5 5 6 6 8", "3 3 3 5 5 6 6 8"):
        assert told(cells, rolls=roll)["history"] == [("history", "illegal", ("top1", "bottom1"))]
    assert "Round 1: the dice showed one 3, but two are written" in messages(cells, rolls="3 4 4 5 5 6 6 8")
    assert told({**cells, "bonus1": "x"}, rolls="3 4 4 5 5 6 6 8") == {}
    # where a bonus may have written one of them, the dice alone accuse nobody
    three = {**cells, "q1r0": 3, "bonus1": "x"}
    assert told(three, rolls="3 4 4 5 5 6 6 8")["history"] == [("history", "illegal", ("top1", "bottom1"))]
    assert not any("the dice showed" in message for message in messages(three, rolls="3 4 4 5 5 6 6 8"))


def test_a_number_that_was_not_rolled() -> None:
    assert told(ONE_ROUND, rolls="3 4 4 5 5 6 6 6") == {"roll": [("roll", "illegal", ("top1",))]}
    assert "Round 1 records an 8, but no die showed it: 3 4 4 5 5 6 6 6" in messages(ONE_ROUND, rolls="3 4 4 5 5 6 6 6")
    second = {**ONE_ROUND, "top2": 5, "bottom2": 6, "q0r-2": 5, "q3r-2": 6}
    assert told(second, rolls="3 4 4 5 5 6 6 8") == {"roll": [("roll", "illegal", ("top2", "bottom2"))]}
    assert told(ONE_ROUND, rolls="3 4 5") == {"roll": [("roll", "illegal", ())]}


def test_claims() -> None:
    claims = {"claim-bonuses": 6, "claim-area1": 5, "claim-total": 7, "claim-top": 0}
    found = told({**ONE_ROUND, **claims})
    # the row that holds the 3 gives 3, so the total is 9
    assert found == {
        "claimed": [("claimed", "arithmetic", ("claim-area1",)), ("claimed", "arithmetic", ("claim-total",))]
    }
    assert "The box for area 1 says 5, but the board gives 0" in messages({**ONE_ROUND, **claims})
    verdict = resolve(board(FRONT, {**ONE_ROUND, **claims}), FRONT, GAME)
    assert verdict.claimed == {"bonuses": 6, "area1": 5, "total": 7, "top": 0}


def test_what_cant_be_read_is_not_judged() -> None:
    cells = dict(board(FRONT, {**ONE_ROUND, "q3r0": 5}).cells)
    cells["q4r0"] = CellReading("q4r0", None, "unreadable")
    found = GAME.flags(ReadBoard(FRONT.id, cells), FRONT, GameContext())
    assert {flag.code for flag in found} == {"hexroller.incomplete"}


@pytest.mark.parametrize("cell", ["q4r0", "top2", "bonus3"])
@pytest.mark.parametrize("state", ["unreadable", "scribble"])
def test_ink_that_may_be_anything_is_not_taken_for_none(cell: str, state: State) -> None:
    cells = dict(board(FRONT, {**ONE_ROUND, "q3r0": 5, "top2": 8, "bottom2": 4}).cells)
    cells[cell] = CellReading(cell, None, state)
    read = ReadBoard(FRONT.id, cells)
    assert not {flag.code for flag in GAME.flags(read, FRONT, GameContext())} & {"hexroller.history", "hexroller.bonus"}
    assert GAME.history(read, FRONT, GameContext()) == ()


@pytest.mark.parametrize(
    ("spoiled", "rolls"),
    [
        ({"q4r0": 9}, None),  # a number that no die shows
        ({"q4r0": 2, "q3r0": 2, "bonus2": "x"}, None),  # the bonus writes one 2
        ({"q4r0": 2}, None),  # its bonus isn't crossed out
        ({"bottom1": 8}, None),  # a round's numbers differ
        ({"top2": 9, "bottom2": 4}, None),
        ({}, "4 4 4 5 5 6 6 8"),  # no die showed the 3
    ],
)
def test_no_game_is_shown_for_a_sheet_that_no_game_ends_with(
    spoiled: dict[str, Value | None], rolls: str | None
) -> None:
    log = None if rolls is None else (tuple(map(int, rolls.split())),)
    assert GAME.history(board(FRONT, ONE_ROUND), FRONT, GameContext()) != ()
    assert GAME.history(board(FRONT, {**ONE_ROUND, **spoiled}), FRONT, GameContext(log)) == ()


def test_a_bonus_that_is_called_struck_is_crossed_out() -> None:
    cells = dict(board(FRONT, {**ONE_ROUND, "q0r1": 3, "bonus1": None}).cells)
    crossed = board(FRONT, {**ONE_ROUND, "q0r1": 3, "bonus1": "x"})
    cells["bonus1"] = CellReading("bonus1", None, "struck")
    called = ReadBoard(FRONT.id, cells)
    assert GAME.score(called, FRONT, GameContext()).total == GAME.score(crossed, FRONT, GameContext()).total


@given(st.data())
def test_any_board_is_judged_without_an_error(data: st.DataObject) -> None:
    template = data.draw(st.sampled_from((BACK, small_template(2))))
    cells: dict[str, Value | None] = {
        cell.id: "x" if cell.kind == "mark" and data.draw(st.booleans()) else None for cell in template.cells
    }
    for cell in template.cells:
        if cell.kind != "mark":
            cells[cell.id] = data.draw(st.sampled_from((None, None, None, 0, 2, 3, 3, 4, 4, 5, 8, 9)))
    read = board(template, cells)
    found = GAME.flags(read, template, GameContext())
    order = ("value", "record", "incomplete", "two", "bonus", "history", "roll", "claimed")
    codes = [order.index(flag.code.removeprefix("hexroller.")) for flag in found]
    assert codes == sorted(codes)
    assert all("\n" not in flag.message and flag.message for flag in found)
    score = GAME.score(read, template, GameContext())
    assert score.total == sum(line.points for line in score.lines)
    assert all(line.points == sum(group.points for group in line.groups) for line in score.lines)


def test_a_sheet_that_no_game_fills_comes_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every free hex a 5, with seven dice of them in most rounds: countless lines, and perhaps none that fit."""
    monkeypatch.setattr(hexroller_chains, "MAX_STEPS", 20_000)
    hexes: dict[str, Value | None] = {cell.id: 5 for cell in FRONT.lattice_cells if cell.printed is None}
    cells = {**hexes, **rows("5 5 5 5 5 5 5", ". . . . . . .")}
    rolls = "/".join([*["3 5 5 5 5 5 5 5"] * 6, "3 3 3 3 3 3 4 5"])  # 43 in all, as there are free hexes
    assert told(cells, rolls=rolls)["history"] == [("history", "doubt", ())]
    read = board(FRONT, cells)
    log = tuple(tuple(map(int, line.split())) for line in rolls.split("/"))
    assert GAME.history(read, FRONT, GameContext(log)) == ()


# ---- doubts


@given(st.integers(0, 10**6))
def test_bounds_hold_whatever_the_doubtful_cells_turn_out_to_be(seed: int) -> None:
    rng = random.Random(seed)
    template = rng.choice(SHEETS)
    layout = layout_of(template)
    cells = dict(play(layout, rng).contents(layout))
    places = [cell for cell in (*layout.ids, *layout.top, *layout.bottom) if template.cell(cell).printed is None]
    possible: dict[str, frozenset[Value | None]] = {
        cell: frozenset((cells[cell], rng.choice((None, 2, 3, 4, 5, 6, 7, 8, 9)), rng.choice((5, 6, 7, 8))))
        for cell in rng.sample(places, 12)
    }
    possible["bonus1"] = frozenset(("x", None))
    low, high = GAME.bounds(board(template, cells), template, possible)
    for _ in range(5):
        chosen = {cell: rng.choice(sorted(may, key=str)) for cell, may in possible.items()}
        total = GAME.score(board(template, {**cells, **chosen}), template, GameContext()).total
        assert total is not None
        assert low <= total <= high


def test_bounds_by_hand() -> None:
    cells = {"q0r0": 3, **rows("3 4", "8")}
    read = board(FRONT, cells)
    assert GAME.bounds(read, FRONT, {}) == (10, 10)  # three bonuses, and 3 and 4 in the top row
    # the 3s may be joined, the row may go on to 5, a bonus may be used
    possible: dict[str, frozenset[Value | None]] = {
        "q0r1": frozenset((3, 8)),
        "top3": frozenset((5, 7)),
        "bonus2": frozenset(("x", None)),
    }
    assert GAME.bounds(read, FRONT, possible) == (4 + 4, 6 + 3 + 5)


def surely(**written: Value | None) -> ReadBoard:
    """Only the given cells were read surely, and the printed numbers."""
    cells = {cell.id: CellReading(cell.id, cell.printed, "read") for cell in FRONT.cells if cell.printed is not None}
    cells |= {cell: CellReading(cell, value, "blank" if value is None else "read") for cell, value in written.items()}
    unread = {cell: CellReading(cell, None, "unreadable") for cell in FRONT.ids if cell not in cells}
    return ReadBoard(FRONT.id, {**cells, **unread})


def weight(read: ReadBoard, cell: str, value: int) -> float:
    return GAME.prior(read, FRONT, CellReading(cell, value, "read"))


def test_a_number_without_its_like_beside_it_is_rare() -> None:
    around = {near.id: None for near in Hex(3, 0).neighbours() if near.id != "q3r1"}
    read = surely(**around)
    assert weight(read, "q3r0", 8) == 1.0, "q3r1 is printed 8"
    assert weight(read, "q3r0", 5) < 0.5
    assert weight(surely(**{**around, "q2r0": 5}), "q3r0", 5) == 1.0
    del around["q4r0"]  # not read surely: it may hold anything
    assert weight(surely(**around), "q3r0", 5) == 1.0
    assert weight(read, "q3r1", 5) == 1.0, "what stands over a printed number changes nothing"


def test_a_2_is_rare_without_its_bonus() -> None:
    assert weight(surely(bonus2="x"), "q3r0", 2) == 1.0
    assert weight(surely(bonus2=None), "q3r0", 2) < 0.5
    assert weight(surely(bonus2="x", q4r0=2), "q3r0", 2) < 0.5


def test_the_numbers_of_a_round_differ() -> None:
    read = surely(top3=5)
    assert weight(read, "bottom3", 5) < 0.5
    assert weight(read, "bottom3", 6) == weight(read, "bottom4", 5) == weight(read, "claim-total", 5) == 1.0


def test_a_number_is_hardly_ever_struck_out() -> None:
    read = surely()
    assert GAME.prior(read, FRONT, CellReading("q3r0", None, "struck")) < 0.1
    assert GAME.prior(read, FRONT, CellReading("bottom3", None, "struck")) < 0.1
    assert GAME.prior(read, FRONT, CellReading("q3r0", None, "blank")) == 1.0


def test_a_doubt_that_changes_nothing_is_not_asked() -> None:
    """A doubtful printed number is what is printed; a doubtful hex that decides a connection is asked."""
    cells = dict(board(FRONT, {**ONE_ROUND, "q0r1": 3}).cells)
    cells["q3r1"] = CellReading("q3r1", 8, "doubtful", 0.6, {"3": 0.4})
    assert resolve(ReadBoard(FRONT.id, cells), FRONT, GAME).ask == ()
    cells["q0r1"] = CellReading("q0r1", 3, "doubtful", 0.6, {"8": 0.4})
    verdict = resolve(ReadBoard(FRONT.id, cells), FRONT, GAME)
    assert verdict.ask == ("q0r1",)
    assert verdict.range == (9, 12)


def test_a_bonus_that_may_be_crossed_out_is_asked() -> None:
    cells = dict(board(FRONT, ONE_ROUND).cells)
    cells["bonus1"] = CellReading("bonus1", None, "blank", 0.7, {"x": 0.3})
    verdict = resolve(ReadBoard(FRONT.id, cells), FRONT, GAME)
    assert verdict.ask == ("bonus1",)
    assert verdict.range == (7, 9), "3 for the row that holds the 3, and 2 for each unused bonus"


# ---- the game in the chain


def test_the_game_is_registered_with_all_it_can() -> None:
    game = get_game("hexroller")
    for protocol in (PriorGame, BoundedGame, ClaimGame, RolledGame, HistoryGame):
        assert isinstance(game, protocol)
    assert not game.values_matter


def test_typed_boards_round_trip() -> None:
    layout = layout_of(FRONT)
    read = board(FRONT, play(layout, random.Random(1)).contents(layout))
    [one] = parse_typed(read.text(), load_templates())
    assert {cell: reading.value for cell, reading in one.board.cells.items()} == {
        cell: reading.value for cell, reading in read.cells.items()
    }
    assert len(lattice_rows(FRONT.ids)) == 9
    document = {"template": FRONT.id, "cells": {cell: reading.value for cell, reading in read.cells.items()}}
    [typed] = parse_typed(json.dumps(document), load_templates())
    assert typed.board.text() == read.text()


def test_score_prints_the_document(tmp_path: Path) -> None:
    layout = layout_of(BACK)
    game = play(layout, random.Random(3), Style(0.9, 0.9))
    file, log = tmp_path / "sheet.txt", tmp_path / "rolls.txt"
    file.write_text(board(BACK, game.contents(layout)).text(), encoding="utf-8")
    log.write_text("".join(" ".join(map(str, roll)) + "\n" for roll in game.rolls), encoding="utf-8")
    run = padscore("score", str(file), "--rolls", str(log), "--json")
    sheet = run.document["sheets"][0]
    assert sheet["score"]["total"] == naive_total(BACK, game.contents(layout))
    assert [flag for flag in sheet["flags"] if flag["severity"] == "illegal"] == []
    steps = sheet["history"]
    assert Counter(cell for step in steps for cell in step["cells"]) == Counter(
        cell for cell, held, printed in zip(layout.ids, game.hexes, layout.printed, strict=True) if held and not printed
    )
    shown = padscore("score", str(file), "--rolls", str(log)).out
    assert "One game that ends with this sheet:\nround 1: " in shown
    log.write_text("3 4 5\n", encoding="utf-8")
    assert padscore("score", str(file), "--rolls", str(log)).status == 2
