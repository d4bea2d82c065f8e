"""Score tables by the rules: Kniffel, Loopit, plain pads; sums that are wrong, carried on, forgotten, or right."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from app_runner import ROOT, padscore
from hypothesis import given
from hypothesis import strategies as st

from scanner.board import ReadBoard
from scanner.games.base import GameContext
from scanner.games.kniffel import Kniffel
from scanner.games.registry import get_game
from scanner.resolve import resolve
from scanner.results import CellReading, Flag, Verdict
from scanner.templates import get_template, load_templates, resized
from scanner.typed import parse_typed

Given = int | str | None
"""What stands in a cell: a number, nothing, or a state; names start with a capital letter."""


def card_text() -> str:
    """The card of the data file in the text notation."""
    lines = ["template = kniffel"]
    for line in (ROOT / "tests" / "data" / "kniffel_card.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            row, *values = line.split()
            lines += [f"game{number}.{row} = {value}" for number, value in enumerate(values, start=1)]
    return "\n".join(lines) + "\n"


def board(template: str, cells: Mapping[str, Given]) -> ReadBoard:
    """A board of which only some cells are filled; a score table as large as they say."""
    text = json.dumps({"template": template, "cells": cells})
    return parse_typed(text, load_templates())[0].board


def judged(template: str, cells: Mapping[str, Given], variant: str | None = None) -> Verdict:
    typed = parse_typed(json.dumps({"template": template, "cells": cells}), load_templates())[0]
    return resolve(typed.board, typed.template, get_game(typed.template.game), GameContext(variant=variant))


def flags(verdict: Verdict, code: str) -> list[Flag]:
    return [flag for flag in verdict.flags if flag.code == code]


def column(name: str, numbers: Mapping[str, Given]) -> dict[str, Given]:
    return {f"{name}.{row}": value for row, value in numbers.items()}


# ---- Kniffel


def test_a_filled_card_of_six_games(tmp_path: Path) -> None:
    """Five columns are right; in one the total is 40 too low, and nothing else is accused."""
    file = tmp_path / "card.txt"
    file.write_text(card_text(), encoding="utf-8")
    ran = padscore("score", file, "--json")
    assert ran.status == 1
    sheet = ran.document["sheets"][0]
    assert sheet["score"]["total"] is None
    assert sheet["score"]["sure"] is True
    assert sheet["score"]["columns"] == {
        f"game{number}": {"total": total, "range": [total, total], "sure": True}
        for number, total in enumerate((260, 248, 209, 293, 121, 350), start=1)
    }
    (flag,) = sheet["flags"]
    assert (flag["code"], flag["severity"], flag["cells"]) == ("table.sum", "arithmetic", ["game4.total"])
    assert "written 253" in flag["message"]
    assert "add up to 293" in flag["message"]
    assert sheet["claimed"]["game4.total"] == 253
    assert sheet["cells"]["game1.kniffel"]["state"] == "struck"


def test_the_card_survives_both_notations() -> None:
    templates = load_templates()
    first = parse_typed(card_text(), templates)[0]
    again = parse_typed(first.board.text(), templates)[0]
    assert again.board == first.board
    cells = {cell: reading.value or reading.state for cell, reading in first.board.cells.items()}
    values = {cell: None if value == "blank" else value for cell, value in cells.items()}
    values |= {cell: 0 for cell, reading in first.board.cells.items() if reading.value == 0}
    assert board("kniffel", values) == first.board


def test_a_document_scores_the_same_again(tmp_path: Path) -> None:
    file = tmp_path / "card.txt"
    file.write_text(card_text(), encoding="utf-8")
    first = padscore("score", file, "--json")
    (tmp_path / "card.json").write_text(first.out, encoding="utf-8")
    assert padscore("score", tmp_path / "card.json", "--json").document == first.document


def test_the_terminal_tells_the_columns_and_the_wrong_sum(tmp_path: Path) -> None:
    file = tmp_path / "card.txt"
    file.write_text(card_text(), encoding="utf-8")
    out = " ".join(padscore("score", file).out.split())
    assert "game4: the total is written 253, the numbers add up to 293" in out
    assert "!253" in out
    for total in (260, 248, 209, 293, 121, 350):
        assert str(total) in out


IMPOSSIBLE = {
    "aces": (-1, 6, 7),
    "twos": (1, 3, 12),
    "threes": (1, 10, 18),
    "fours": (2, 7, 24),
    "fives": (1, 24, 30),
    "sixes": (1, 20, 36),
    "three": (1, 4, 31),
    "four": (3, 35),
    "full": (20, 26, 30),
    "small": (25, 40),
    "large": (30, 35),
    "kniffel": (40, 49, 100),
    "chance": (1, 4, 31),
}
POSSIBLE = {
    "aces": (0, 1, 5),
    "twos": (0, 2, 10),
    "threes": (3, 15),
    "fours": (4, 20),
    "fives": (5, 25),
    "sixes": (6, 30),
    "three": (0, 5, 30),
    "four": (0, 5, 30),
    "full": (0, 25),
    "small": (0, 30),
    "large": (0, 40),
    "kniffel": (0, 50),
    "chance": (0, 5, 30),
}


@pytest.mark.parametrize("row", IMPOSSIBLE)
@pytest.mark.parametrize("template", ["kniffel", "yahtzee"])
def test_what_five_dice_can_give(template: str, row: str) -> None:
    for value in IMPOSSIBLE[row]:
        verdict = judged(template, {f"game2.{row}": value})
        (flag,) = flags(verdict, "kniffel.value")
        assert (flag.severity, flag.cells) == ("illegal", (f"game2.{row}",))
        assert str(value) in flag.message
    for value in POSSIBLE[row]:
        assert not flags(judged(template, {f"game2.{row}": value}), "kniffel.value")


def test_a_struck_field_counts_nothing_and_is_filled() -> None:
    fields = dict.fromkeys(POSSIBLE, "struck")
    verdict = judged("kniffel", column("game1", {**fields, "chance": 20, "lower_total": 20, "total": 20}))
    assert not verdict.flags
    assert verdict.columns["game1"].total == 20


def test_empty_columns_are_no_games() -> None:
    verdict = judged("kniffel", {"game3.name": "Anna", "game4.aces": 3})
    assert list(verdict.columns) == ["game4"]


def test_a_column_without_sums_is_added_up() -> None:
    """3 + 8 + 9 + 12 + 15 + 18 = 65, and 35; 25 + 0 below."""
    upper = dict(zip(("aces", "twos", "threes", "fours", "fives", "sixes"), (3, 8, 9, 12, 15, 18), strict=True))
    lower = {"three": 0, "four": 0, "full": 25, "small": 0, "large": 0, "kniffel": 0, "chance": 0}
    verdict = judged("kniffel", column("game1", upper | lower))
    assert verdict.columns["game1"].total == 125
    assert not verdict.flags


def test_what_is_missing_of_a_begun_column_is_said() -> None:
    verdict = judged("kniffel", {"game1.aces": 3, "game1.twos": 6, "game1.upper_sum": 9})
    (flag,) = verdict.flags
    assert (flag.code, flag.severity) == ("kniffel.incomplete", "incomplete")
    assert len(flag.cells) == 11
    assert "game1.threes" in flag.cells


UPPER = {"aces": 4, "twos": 6, "threes": 12, "fours": 16, "fives": 20, "sixes": 6}  # 64
LOWER = {"three": 20, "four": 0, "full": 25, "small": 30, "large": 0, "kniffel": 0, "chance": 25}  # 100
FIELDS: Mapping[str, Given] = {**UPPER, **LOWER}
SUMS = {"upper_sum": 64, "bonus": 35, "upper_total": 99, "lower_total": 100, "upper_again": 99, "total": 199}


def accused(sums: Mapping[str, Given]) -> dict[str, str]:
    """Messages of the sums that are accused, by row, where the fields are those above."""
    verdict = judged("kniffel", column("game1", {**FIELDS, **sums}))
    assert verdict.columns["game1"].total == 199
    return {flag.cells[0].partition(".")[2]: flag.message for flag in flags(verdict, "table.sum")}


def test_right_sums_are_not_accused() -> None:
    assert accused(SUMS) == {}


def test_a_mistake_carried_on_is_told_at_its_source_with_what_follows() -> None:
    """54 for 64, so no bonus: 54, and 154 in all; it is 45 more."""
    found = accused(SUMS | {"upper_sum": 54, "bonus": 0, "upper_total": 54, "upper_again": 54, "total": 154})
    assert found == {
        "upper_sum": "game1: the upper sum is written 54, the numbers add up to 64; the total should be 45 more, "
        "199 instead of 154"
    }


def test_a_sum_that_is_right_after_a_wrong_one_is_not_accused() -> None:
    """Written wrong, reckoned on with the right number."""
    found = accused(SUMS | {"upper_sum": 54})
    assert list(found) == ["upper_sum"]
    assert "the total 199 is right all the same" in found["upper_sum"]


def test_a_forgotten_bonus() -> None:
    found = accused({"upper_sum": 64, "upper_total": 64, "lower_total": 100, "total": 164})
    assert list(found) == ["upper_total"]
    assert "written 64" in found["upper_total"]
    assert "add up to 99" in found["upper_total"]
    assert "35 more" in found["upper_total"]


def test_a_bonus_that_was_not_reached() -> None:
    fields = {**FIELDS, "aces": 2}  # 62
    sums = {"upper_sum": 62, "bonus": 35, "upper_total": 97, "lower_total": 100, "upper_again": 97, "total": 197}
    verdict = judged("kniffel", column("game1", {**fields, **sums}))
    (flag,) = verdict.flags
    assert flag.cells == ("game1.bonus",)
    assert "with 62 as the upper sum it is 0" in flag.message
    assert "35 less, 162 instead of 197" in flag.message


def test_two_mistakes_are_both_told() -> None:
    found = accused(SUMS | {"upper_sum": 63, "upper_total": 98, "upper_again": 98, "lower_total": 110, "total": 208})
    assert list(found) == ["upper_sum", "lower_total"]
    assert "199" in found["lower_total"]


def test_a_copy_that_differs() -> None:
    found = accused(SUMS | {"upper_again": 89, "total": 189})
    assert list(found) == ["upper_again"]
    assert "is written 89, but the upper total is 99" in found["upper_again"]


def test_sums_without_their_numbers_are_taken_as_written() -> None:
    verdict = judged("kniffel", column("game1", {"upper_total": 99, "lower_total": 100, "total": 209}))
    assert verdict.columns["game1"].total == 199
    assert [flag.cells for flag in flags(verdict, "table.sum")] == [("game1.total",)]
    assert [flag.cells for flag in flags(verdict, "table.incomplete")] == [("game1.upper_total", "game1.lower_total")]


def test_a_struck_sum_is_none() -> None:
    """The number there was crossed out and no other written: nothing to accuse."""
    assert accused(SUMS | {"total": "struck"}) == {}


def test_a_number_that_no_dice_give_still_counts_as_written() -> None:
    verdict = judged("kniffel", column("game1", {**FIELDS, **SUMS, "full": 20, "lower_total": 95, "total": 194}))
    assert [flag.code for flag in verdict.flags] == ["kniffel.value"]
    assert verdict.columns["game1"].total == 194


def test_numbers_that_no_dice_give_are_rarer() -> None:
    template, empty = get_template("kniffel"), board("kniffel", {})
    weigh = Kniffel().prior
    assert weigh(empty, template, CellReading("game1.full", 25, "read")) == 1
    assert weigh(empty, template, CellReading("game1.full", 26, "read")) < 0.1
    assert weigh(empty, template, CellReading("game1.total", 226, "read")) == 1


def test_an_unreadable_field_leaves_only_its_own_column_unsure() -> None:
    cells = column("game1", {**FIELDS, **SUMS}) | column("game2", {**FIELDS, **SUMS, "chance": "unreadable"})
    verdict = judged("kniffel", cells)
    assert verdict.columns["game1"].sure
    assert not verdict.columns["game2"].sure
    assert verdict.ask == ("game2.chance",)
    assert not flags(verdict, "table.sum")


# ---- Loopit


def players(*turns: list[int], totals: bool = True) -> dict[str, Given]:
    cells: dict[str, Given] = {}
    for number, points in enumerate(turns, start=1):
        cells |= {f"p{number}.turn{turn}": value for turn, value in enumerate(points, start=1)}
        if totals:
            cells[f"p{number}.total"] = sum(points)
    return cells


@pytest.mark.parametrize(("count", "rounds"), [(2, 13), (3, 9), (4, 7)])
def test_fixed_rounds(count: int, rounds: int) -> None:
    full = players(*([number] * rounds for number in range(1, count + 1)))
    verdict = judged("loopit-pad", full)
    assert not verdict.flags
    assert {name: column.total for name, column in verdict.columns.items()} == {
        f"p{number}": number * rounds for number in range(1, count + 1)
    }
    assert verdict.score.total is None
    assert verdict.score.lines[-1].label == f"p{count}, wins"
    short = players(*([number] * (rounds - 1) for number in range(1, count + 1)))
    assert not judged("loopit-pad", short).flags
    assert not judged("loopit-pad", short, "free").flags
    found = flags(judged("loopit-pad", short, "fixed"), "loopit.rounds")
    assert [flag.cells for flag in found] == [(f"p{number}.turn{rounds}",) for number in range(1, count + 1)]
    assert {flag.severity for flag in found} == {"incomplete"}


def test_too_many_rounds() -> None:
    (flag, other) = flags(judged("loopit-pad", players([2] * 7, [1] * 7, [1] * 9, [3] * 8), "fixed"), "loopit.rounds")
    assert (flag.cells, flag.severity) == (("p3.turn8", "p3.turn9"), "illegal")
    assert other.cells == ("p4.turn8",)


def test_a_game_that_ends_within_a_round() -> None:
    assert not judged("loopit-pad", players([5, 5, 5], [5, 5])).flags
    (flag,) = judged("loopit-pad", players([5, 5, 5], [5])).flags
    assert (flag.code, flag.cells) == ("loopit.rounds", ("p2.turn2",))


def test_a_turn_that_was_left_out() -> None:
    cells = players([5, 5, 5], [5, 5, 5]) | {"p2.turn2": None, "p2.total": 10}
    (flag,) = judged("loopit-pad", cells).flags
    assert (flag.code, flag.severity, flag.cells) == ("loopit.rounds", "incomplete", ("p2.turn2",))


def test_a_turn_without_a_tile_is_a_turn() -> None:
    cells = players([5, 0, 5], [5, 5, 5]) | {"p1.turn2": "struck"}
    assert not judged("loopit-pad", cells).flags


def test_negative_points() -> None:
    found = judged("loopit-pad", players([5, -2, 5], [5, 5, 5]))
    (flag,) = found.flags
    assert (flag.code, flag.severity, flag.cells) == ("loopit.value", "illegal", ("p1.turn2",))
    assert found.columns["p1"].total == 8


def test_ties_are_said_and_not_broken() -> None:
    verdict = judged("loopit-pad", players([5, 5], [4, 6], [1, 2]))
    assert [line.label for line in verdict.score.lines] == [
        "p1, first together with p2",
        "p2, first together with p1",
        "p3",
    ]


def test_a_wrong_total_does_not_decide_who_wins() -> None:
    verdict = judged("loopit-pad", players([5, 5], [4, 5]) | {"p2.total": 19, "p1.name": "Anna", "p2.name": "Ben"})
    assert [line.label for line in verdict.score.lines] == ["p1 (Anna), wins", "p2 (Ben)"]
    (flag,) = verdict.flags
    assert flag.cells == ("p2.total",)
    assert "written 19" in flag.message
    assert "add up to 9" in flag.message


def test_one_player_is_no_game() -> None:
    (flag,) = judged("loopit-pad", players([5, 5])).flags
    assert (flag.code, flag.severity) == ("loopit.rounds", "illegal")


def test_the_variant_is_an_option(tmp_path: Path) -> None:
    file = tmp_path / "pad.json"
    file.write_text(json.dumps({"template": "loopit-pad", "cells": players([1] * 5, [2] * 5)}), encoding="utf-8")
    assert padscore("score", file, "--json").status == 0
    assert padscore("score", file, "--json", "--variant", "free").status == 0
    assert padscore("score", file, "--json", "--variant", "fixed").status == 1
    refused = padscore("score", file, "--variant", "tall")
    assert refused.status == 2
    assert "fixed, free" in refused.err


# ---- any pad


def pad(columns: list[list[int]], totals: list[int]) -> dict[str, Given]:
    cells = {f"c{c}.r{r}": value for c, column in enumerate(columns, 1) for r, value in enumerate(column, 1)}
    return {**cells, **{f"c{c}.total": total for c, total in enumerate(totals, 1)}}


def test_a_pad_is_as_large_as_its_cells_say() -> None:
    typed = parse_typed(
        json.dumps({"template": "score-table", "cells": {"c3.r5": 7, "c1.name": "Anna"}}), load_templates()
    )[0]
    assert [cell for cell in typed.template.ids if cell.startswith("c2.")] == [
        "c2.name",
        *(f"c2.r{row}" for row in range(1, 6)),
        "c2.total",
    ]
    assert typed.template == resized(get_template("score-table"), columns=3, rows=5)
    assert parse_typed(typed.board.text(), load_templates())[0].template == typed.template


def test_sums_of_a_pad() -> None:
    verdict = judged("score-table", pad([[10, -3, 21], [5, 0, 40]], [28, 55]) | {"c2.name": "Ben"})
    (flag,) = verdict.flags
    assert (flag.code, flag.severity, flag.cells) == ("table.sum", "arithmetic", ("c2.total",))
    assert flag.message == "c2 (Ben): the total is written 55, the numbers add up to 45"
    assert {name: column.total for name, column in verdict.columns.items()} == {"c1": 28, "c2": 45}


def test_empty_rows_of_a_pad_are_no_mistake() -> None:
    assert not judged("score-table", {"c1.r1": 4, "c1.r6": 5, "c1.total": 9}).flags


@given(st.data(), st.integers(1, 12), st.integers(2, 30))
def test_pads_of_any_size_survive_the_notation(data: st.DataObject, columns: int, rows: int) -> None:
    template = resized(get_template("score-table"), columns=columns, rows=rows)
    cells: dict[str, Given] = {f"c{columns}.r{rows}": 1}
    for cell in data.draw(st.lists(st.sampled_from(template.ids), max_size=20, unique=True)):
        if not cell.endswith(".name"):
            cells[cell] = data.draw(st.one_of(st.integers(-999, 999), st.just("struck")))
    typed = parse_typed(json.dumps({"template": "score-table", "cells": cells}), load_templates())[0]
    assert parse_typed(typed.board.text(), load_templates())[0].board == typed.board
    resolve(typed.board, typed.template, get_game("score-table"))


@pytest.mark.parametrize(
    ("cells", "cell", "reason"),
    [
        ({"game7.aces": 1}, "game7.aces", "no cell"),
        ({"game1.ones": 1}, "game1.ones", "no cell"),
        ({"game1.aces": "three"}, "game1.aces", "expected an integer"),
        ({"game1.aces": 3.5}, "game1.aces", "expected an integer"),
        ({"game1.total": 1000}, "game1.total", "more than three digits"),
        ({"game1.name": 7}, "game1.name", "expected a text"),
    ],
)
def test_malformed_tables_are_refused(tmp_path: Path, cells: dict[str, object], cell: str, reason: str) -> None:
    file = tmp_path / "card.json"
    file.write_text(json.dumps({"template": "kniffel", "cells": cells}), encoding="utf-8")
    ran = padscore("score", file)
    assert ran.status == 2
    assert "card.json" in ran.err
    assert cell in ran.err
    assert reason in ran.err


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("c13.r1 = 4", "1 to 12 columns"),
        ("c1.r31 = 4", "2 to 30 rows"),
        ("c999999.r1 = 4", "1 to 12 columns"),
        ("c0.r1 = 4", "no cell"),
        ("c1.r01 = 4", "no cell"),
        ("c1.r1.r1 = 4", "no cell"),
        ("c1.r1 = 4.5", "no value"),
        ("c1.r1 = 1000", "no value"),
        ("1 2 3", "row"),
    ],
)
def test_malformed_pads_are_refused(line: str, reason: str) -> None:
    ran = padscore("score", "-", stdin=f"template = score-table\n{line}\n")
    assert ran.status == 2
    assert reason in ran.err


# ---- limits where the readings are too many to try


@given(
    st.dictionaries(
        st.sampled_from(sorted(f"game1.{row}" for row in (*FIELDS, *SUMS))),
        st.lists(st.one_of(st.integers(-20, 60), st.none()), min_size=1, max_size=3),
        max_size=4,
    ),
    st.sets(st.sampled_from(sorted((*FIELDS, *SUMS))), max_size=6),
)
def test_no_reading_goes_beyond_the_limits(possible: dict[str, list[int | None]], left_out: set[str]) -> None:
    """Against all combinations: of what may stand in some cells, with others empty or unreadable."""
    cells = {f"game1.{row}": value for row, value in {**FIELDS, **SUMS}.items() if row not in left_out}
    game, template = Kniffel(), get_template("kniffel")
    first = board("kniffel", cells)
    options = {cell: frozenset((*values, first.value(cell))) for cell, values in possible.items()}
    low, high = game.column_bounds(first, template, options)["game1"]
    for chosen in itertools.product(*options.values()):
        changed = dict(first.cells)
        for cell, value in zip(options, chosen, strict=True):
            changed[cell] = CellReading(cell, value, "blank" if value is None else "read")
        total = game.score(ReadBoard("kniffel", changed), template, GameContext()).columns.get("game1", 0)
        assert low <= total <= high


def test_many_doubts_leave_honest_limits_and_no_sure_accusation() -> None:
    """Six fields of three readings each, far more than are tried: 3 x 6 points either way."""
    cells: dict[str, object] = dict(column("game1", FIELDS))
    for row in ("three", "four", "full", "small", "large", "kniffel", "chance"):
        value = LOWER[row] + 10
        others = {str(value - 3): 0.3, str(value + 3): 0.3}
        cells[f"game1.{row}"] = {"value": value, "state": "doubtful", "confidence": 0.4, "alternatives": others}
    cells["game1.upper_sum"] = 54
    typed = parse_typed(json.dumps({"template": "kniffel", "cells": cells}), load_templates())[0]
    verdict = resolve(typed.board, typed.template, get_game("kniffel"))
    assert verdict.columns["game1"].range == (269 - 21, 269 + 21)
    assert not verdict.columns["game1"].sure
    assert not any(flag.sure for flag in flags(verdict, "table.sum"))
