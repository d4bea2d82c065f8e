"""Sums as check digits: the one reading that fits is taken, several are asked, clear ink is never overruled."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Set

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner.board import ReadBoard
from scanner.games.registry import get_game
from scanner.resolve import resolve
from scanner.resolve.fits import BELIEVABLE
from scanner.resolve.sums import CHECKED, checked_by_sums
from scanner.results import PLAUSIBLE, CellReading, Verdict
from scanner.templates import Template, get_template, parse_template, resized

PAD = resized(get_template("score-table"), columns=1, rows=3)
KNIFFEL = get_template("kniffel")

Doubtful = Mapping[int | str, float]
"""Readings of a cell and their probabilities; a text is a state."""


def reading(cell: str, given: object) -> CellReading:
    """A cell by a shorthand: a number, null for blank, "struck", or several readings with their probabilities."""
    if given is None:
        return CellReading(cell, None, "blank")
    if isinstance(given, int):
        return CellReading(cell, given, "read", ink="hand")
    if isinstance(given, str):
        return CellReading(cell, None, given)  # type: ignore[arg-type]
    assert isinstance(given, Mapping)
    ranked = sorted(given.items(), key=lambda item: -item[1])
    (top, p), others = ranked[0], {str(name): q for name, q in ranked[1:]}
    if isinstance(top, str):
        return CellReading(cell, None, top, p, others)  # type: ignore[arg-type]
    return CellReading(cell, top, "read" if p >= 0.9 else "doubtful", p, others, "hand")


def board(template: Template, cells: Mapping[str, object]) -> ReadBoard:
    return ReadBoard(template.id, {cell: reading(cell, cells.get(cell)) for cell in template.ids})


def checked(template: Template, cells: Mapping[str, object]) -> ReadBoard:
    return checked_by_sums(board(template, cells), template)


def judged(template: Template, cells: Mapping[str, object]) -> Verdict:
    return resolve(checked(template, cells), template, get_game(template.game))


def codes(verdict: Verdict) -> list[tuple[str, tuple[str, ...]]]:
    return [(flag.code, flag.cells) for flag in verdict.flags]


# ---- by hand


def test_the_one_reading_that_makes_the_sum_right_is_taken() -> None:
    """7 looks likelier, but 1 + 20 + 30 = 51."""
    cells = {"c1.r1": {7: 0.6, 1: 0.4}, "c1.r2": 20, "c1.r3": 30, "c1.total": 51}
    found = checked(PAD, cells).cells["c1.r1"]
    assert (found.value, found.state) == (1, "read")
    assert found.confidence == CHECKED
    assert 0 < found.alternatives["7"] < PLAUSIBLE
    verdict = judged(PAD, cells)
    assert verdict.sure
    assert not verdict.flags
    assert verdict.columns["c1"].total == 51


def test_where_all_sums_were_weighed_before_only_what_is_hardly_possible_is_dropped() -> None:
    """That 7 is as probable as 0.6 although it makes the sum wrong: a sum that was weighed has nothing to add."""
    for seven, value, left in ((0.6, 7, 0.6), (0.015, 1, CHECKED)):
        read = board(PAD, {"c1.r1": {7: seven, 1: 1 - seven}, "c1.r2": 20, "c1.r3": 30, "c1.total": 51})
        found = checked_by_sums(read, PAD, weighed=True).cells["c1.r1"]
        assert (found.value, found.confidence) == (value, left)
        assert checked_by_sums(read, PAD).value("c1.r1") == 1


def test_a_sum_confirms_the_likelier_reading_too() -> None:
    verdict = judged(PAD, {"c1.r1": {7: 0.6, 1: 0.4}, "c1.r2": 20, "c1.r3": 30, "c1.total": 57})
    assert verdict.sure
    assert verdict.columns["c1"].range == (57, 57)


def test_several_readings_that_make_the_sum_right_are_asked() -> None:
    """1 + 7 and 7 + 1 are 8 both."""
    cells = {"c1.r1": {7: 0.6, 1: 0.4}, "c1.r2": {1: 0.7, 7: 0.3}, "c1.r3": 30, "c1.total": 38}
    assert checked(PAD, cells) == board(PAD, cells)
    verdict = judged(PAD, cells)
    assert not verdict.sure
    # one answer is enough: whichever it is, the sum tells the other number
    assert verdict.ask == ("c1.r1",)
    assert [flag.severity for flag in verdict.flags if flag.code == "read.doubt"] == ["doubt"]


def test_an_answer_to_the_one_question_makes_the_column_sure() -> None:
    cells = {"c1.r1": {7: 0.6, 1: 0.4}, "c1.r2": {1: 0.7, 7: 0.3}, "c1.r3": 30, "c1.total": 38}
    for value, other in ((7, 1), (1, 7)):
        known = dict(board(PAD, cells).cells)
        known["c1.r1"] = CellReading("c1.r1", value, "answered")
        found = checked_by_sums(ReadBoard(PAD.id, known), PAD)
        assert found.value("c1.r2") == other
        assert resolve(found, PAD, get_game("score-table")).sure


def test_numbers_that_no_sum_connects_are_all_asked() -> None:
    cells = {"c1.r1": {7: 0.6, 1: 0.4}, "c1.r2": {1: 0.7, 7: 0.3}, "c1.r3": 30}
    assert set(judged(PAD, cells).ask) == {"c1.r1", "c1.r2"}


def test_what_all_fitting_readings_agree_on_is_taken() -> None:
    cells = {"c1.r1": {7: 0.6, 1: 0.4}, "c1.r2": {1: 0.7, 7: 0.3}, "c1.r3": {30: 0.5, 80: 0.5}, "c1.total": 38}
    found = checked(PAD, cells)
    assert found.value("c1.r3") == 30
    assert found.cells["c1.r1"].confidence == 0.6


def test_a_clear_wrong_sum_stays_and_is_flagged() -> None:
    verdict = judged(PAD, {"c1.r1": 7, "c1.r2": 20, "c1.r3": 30, "c1.total": 51})
    assert verdict.sure
    assert codes(verdict) == [("table.sum", ("c1.total",))]
    assert "51" in verdict.flags[0].message
    assert "57" in verdict.flags[0].message
    assert verdict.columns["c1"].total == 57


def test_clear_ink_is_not_overruled_by_a_sum() -> None:
    """The 7 is clear (0.995). That 1 would make the sum right is worth a question, no more."""
    cells = {"c1.r1": {7: 0.995, 1: 0.005}, "c1.r2": 20, "c1.r3": 30, "c1.total": 51}
    assert checked(PAD, cells).value("c1.r1") == 7
    verdict = judged(PAD, cells)
    assert not verdict.sure
    assert verdict.ask == ("c1.r1",)


def test_where_no_reading_fits_nothing_is_taken() -> None:
    cells = {"c1.r1": {7: 0.6, 1: 0.4}, "c1.r2": 20, "c1.r3": 30, "c1.total": 99}
    assert checked(PAD, cells) == board(PAD, cells)
    assert not judged(PAD, cells).sure


def test_an_unsure_sum_is_decided_by_its_numbers() -> None:
    found = checked(PAD, {"c1.r1": 7, "c1.r2": 20, "c1.r3": 30, "c1.total": {51: 0.7, 57: 0.3}})
    assert found.value("c1.total") == 57


def test_a_sum_that_may_not_be_there_decides_nothing() -> None:
    cells = {"c1.r1": {7: 0.6, 1: 0.4}, "c1.r2": 20, "c1.r3": 30, "c1.total": {51: 0.8, "blank": 0.2}}
    assert checked(PAD, cells).value("c1.r1") == 7


def test_without_a_written_sum_nothing_is_decided() -> None:
    cells: dict[str, int | str | Doubtful | None] = {"c1.r1": {7: 0.6, 1: 0.4}, "c1.r2": 20}
    assert checked(PAD, cells) == board(PAD, cells)


def test_an_unreadable_number_is_not_made_up_from_the_sum() -> None:
    cells = {"c1.r1": "unreadable", "c1.r2": 20, "c1.r3": 30, "c1.total": 57}
    assert checked(PAD, cells) == board(PAD, cells)
    verdict = judged(PAD, cells)
    assert verdict.ask == ("c1.r1",)
    assert not verdict.sure


def test_a_struck_field_counts_nothing_in_a_sum() -> None:
    found = checked(PAD, {"c1.r1": "struck", "c1.r2": {20: 0.5, 26: 0.5}, "c1.r3": 30, "c1.total": 50})
    assert found.value("c1.r2") == 20


def test_a_reading_that_is_hardly_possible_is_not_taken() -> None:
    """0.0005 is no plausible reading: the sum is wrong instead."""
    cells = {"c1.r1": {7: 0.9995, 1: 0.0005}, "c1.r2": 20, "c1.r3": 30, "c1.total": 51}
    assert codes(judged(PAD, cells)) == [("table.sum", ("c1.total",))]


def test_a_wrong_sum_leaves_the_others_their_say() -> None:
    """The total is clearly written and wrong whatever the rest says; the lower total decides about the chance field."""
    verdict = judged(
        KNIFFEL,
        CARD | {"game1.chance": {19: 0.4, 14: 0.6}, "game1.lower_total": {136: 0.9, 186: 0.1}, "game1.total": 203},
    )
    assert codes(verdict) == [("table.sum", ("game1.total",))]
    assert verdict.sure
    assert verdict.columns["game1"].total == 243


def test_if_either_of_two_sums_may_be_wrong_neither_decides() -> None:
    """19 suits the lower total, 14 the total that is written; the lower total may as well be read to suit that."""
    cells = CARD | {"game1.chance": {19: 0.5, 14: 0.5}, "game1.lower_total": {136: 0.5, 131: 0.5}, "game1.total": 240}
    found = checked(KNIFFEL, cells)
    assert found.cells["game1.chance"].confidence == 0.5
    assert not judged(KNIFFEL, cells).sure


def test_a_far_fetched_reading_is_asked_and_not_taken() -> None:
    """1 in 50 for the 1: that the sum is wrong by just 6 is about as likely."""
    cells = {"c1.r1": {7: 0.98, 1: 0.02}, "c1.r2": 20, "c1.r3": 30, "c1.total": 51}
    assert checked(PAD, cells) == board(PAD, cells)
    verdict = judged(PAD, cells)
    assert not verdict.sure
    assert verdict.ask == ("c1.r1",)


UPPER = {"aces": 3, "twos": 6, "threes": 9, "fours": 16, "fives": 20, "sixes": 18}  # 72
LOWER = {"three": 22, "four": 0, "full": 25, "small": 30, "large": 40, "kniffel": 0, "chance": 19}  # 136
SUMS = {"upper_sum": 72, "bonus": 35, "upper_total": 107, "lower_total": 136, "upper_again": 107, "total": 243}
CARD = {f"game1.{row}": value for row, value in (UPPER | LOWER | SUMS).items()}


def test_a_card_of_kniffel_by_hand() -> None:
    verdict = judged(KNIFFEL, CARD)
    assert verdict.sure
    assert not verdict.flags
    assert verdict.columns["game1"].total == 243


def test_sums_decide_through_each_other() -> None:
    """Each alone leaves a choice: the upper sum is unsure and so is a field, but the rest of the column isn't."""
    cells = CARD | {"game1.fives": {20: 0.5, 25: 0.5}, "game1.upper_sum": {77: 0.6, 72: 0.4}}
    found = checked(KNIFFEL, cells)
    assert found.value("game1.fives") == 20
    assert found.value("game1.upper_sum") == 72


def test_a_missing_sum_is_passed_through() -> None:
    """Only the total is written."""
    cells = {cell: value for cell, value in CARD.items() if cell.partition(".")[2] not in SUMS}
    found = checked(KNIFFEL, cells | {"game1.chance": {19: 0.4, 14: 0.6}, "game1.total": 243})
    assert found.value("game1.chance") == 19


def test_a_clear_wrong_sum_elsewhere_does_not_stop_the_others() -> None:
    cells = CARD | {"game1.chance": {19: 0.4, 14: 0.6}, "game1.upper_sum": 62, "game1.total": 243}
    verdict = judged(KNIFFEL, cells)
    assert codes(verdict) == [("table.sum", ("game1.upper_sum",))]
    assert verdict.sure


# ---- against brute force

SMALL = parse_template(
    b"""
schema = 1
id = "small"
title = "Small"
game = "score-table"
size = [100, 100]
[table]
origin = [5, 5]
values = [0, 99]
[[table.columns]]
id = "g"
width = 20
[[table.rows]]
id = "a{n}"
count = 3
height = 5
[[table.rows]]
id = "sub"
height = 5
[[table.rows]]
id = "bonus"
height = 5
[[table.rows]]
id = "b"
height = 5
[[table.rows]]
id = "total"
height = 5
[table.formulas]
sub = { sum = ["a{n}"] }
bonus = { threshold = "sub", at = 12, points = 5 }
total = { sum = ["sub", "bonus", "b"] }
""",
    source="small.toml",
)
ROWS = ("a1", "a2", "a3", "sub", "bonus", "b", "total")


BLANK = "blank"
Options = dict[int | str, float]


SUMS_OF_SMALL = frozenset({"sub", "bonus", "total"})


def fitting(cells: Mapping[str, Options], sums: Set[str]) -> dict[str, set[int | str]] | None:
    """The values that each cell has in the combinations that make these sums right; null if none does.

    Written without the program's formulas: sub is the sum of the a's, 5 points from 12 up, total of all. What isn't
    written isn't wrong, and its right value stands for it.
    """
    fits = []
    best = math.prod(max(options.values()) for options in cells.values())
    for values in itertools.product(*(cells[row] for row in ROWS)):
        a1, a2, a3, sub, bonus, b, total = values
        weight = math.prod(cells[row][value] for row, value in zip(ROWS, values, strict=True)) / best
        added = sum(0 if isinstance(n, str) else n for n in (a1, a2, a3))
        sub_there = added if isinstance(sub, str) else sub
        points = 5 if sub_there >= 12 else 0
        points_there = points if isinstance(bonus, str) else bonus
        whole = sub_there + points_there + (0 if isinstance(b, str) else b)
        right = {"sub": sub in (added, BLANK), "bonus": bonus in (points, BLANK), "total": total in (whole, BLANK)}
        if all(right[name] for name in sums):
            fits.append((weight, values))
    most = max((weight for weight, _ in fits), default=0.0)
    if most < BELIEVABLE:
        return None
    likely = [values for weight, values in fits if weight >= PLAUSIBLE * most]
    return {row: {values[place] for values in likely} for place, row in enumerate(ROWS)}


def by_brute_force(cells: Mapping[str, Options]) -> dict[str, set[int | str]]:
    """What the sums leave over: if they can be right all of them, else if one is wrong, whichever."""
    whole = fitting(cells, SUMS_OF_SMALL)
    without = [fitting(cells, SUMS_OF_SMALL - {wrong}) for wrong in SUMS_OF_SMALL]
    possible = [found for found in ([whole] if whole is not None else without) if found is not None]
    if not possible:
        return {row: set(options) for row, options in cells.items()}
    return {row: set().union(*(found[row] for found in possible)) for row in ROWS}


@st.composite
def unsure_columns(
    draw: st.DrawFn, count: int = len(ROWS), *, blanks: bool = True
) -> tuple[dict[str, int], dict[str, Options]]:
    """The truth of a column with right sums, and readings of it, among them the truth; so many are unsure."""
    unsure = draw(st.lists(st.sampled_from(ROWS), min_size=count, max_size=count, unique=True))
    numbers = draw(st.lists(st.integers(0, 9), min_size=4, max_size=4))
    sub = sum(numbers[:3])
    bonus = 5 if sub >= 12 else 0
    truth = dict(zip(ROWS, (*numbers[:3], sub, bonus, numbers[3], sub + bonus + numbers[3]), strict=True))
    cells: dict[str, Options] = {}
    for row, value in truth.items():
        cells[row] = {value: 1.0}
        if row in unsure:
            # another number, near enough to make up for another cell's
            others: list[int | str] = [value + draw(st.integers(1, 9)) * draw(st.sampled_from((1, -1)))]
            if blanks and row != "total" and draw(st.booleans()):
                others.append(BLANK)
            weights = [draw(st.sampled_from((1, 2, 4, 9))) for _ in range(len(others) + 1)]
            cells[row] = {n: w / sum(weights) for n, w in zip((value, *others), weights, strict=True)}
    return truth, cells


@given(unsure_columns())
def test_the_search_finds_what_brute_force_finds(column: tuple[dict[str, int], dict[str, Options]]) -> None:
    _, cells = column
    expected = by_brute_force(cells)
    given = board(SMALL, {f"g.{row}": options for row, options in cells.items()})
    found = checked_by_sums(given, SMALL)
    for row in ROWS:
        taken = found.cells[f"g.{row}"]
        name = str(taken.value) if taken.value is not None else str(taken.state)
        shares = {name: taken.confidence, **taken.alternatives}
        assert {name for name, p in shares.items() if p >= PLAUSIBLE} == set(map(str, expected[row]))
        assert (taken.confidence == CHECKED) == (len(expected[row]) == 1)
        if len(expected[row]) == len(cells[row]):
            assert taken == given.cells[f"g.{row}"]
        assert sum(shares.values()) == pytest.approx(1, abs=0.001)


@given(unsure_columns(count=3, blanks=False))
def test_whatever_is_taken_is_the_truth(column: tuple[dict[str, int], dict[str, Options]]) -> None:
    """The planted truth makes all sums right, so that nothing else can be the one reading that does.

    Three cells that hold it for a ninth of another reading each leave it plausible, so that it counts among the fits.
    """
    truth, cells = column
    found = checked(SMALL, {f"g.{row}": options for row, options in cells.items()})
    for row, value in truth.items():
        if len(cells[row]) == 1 or found.cells[f"g.{row}"].confidence == CHECKED:
            assert found.value(f"g.{row}") == value


def test_many_unsure_numbers_at_once_are_decided_exactly() -> None:
    """Every number of a card has ten readings, the right one and 1 to 9 more: 10 to the power of 19 combinations."""
    cells = {cell: {value: 0.91, **{value + more: 0.01 for more in range(1, 10)}} for cell, value in CARD.items()}
    found = checked(KNIFFEL, cells)
    assert {cell: found.value(cell) for cell in CARD} == CARD
    # a number and its sums that are off together are 0.011 cubed, far below what is plausible
    assert all(found.cells[cell].confidence == CHECKED for cell in CARD)


def test_readings_that_are_not_listed_are_confirmed_too() -> None:
    cells = {"c1.r1": {7: 0.9}, "c1.r2": 20, "c1.r3": 30, "c1.total": 57}
    assert not resolve(board(PAD, cells), PAD, get_game("score-table")).sure
    assert judged(PAD, cells).sure


@st.composite
def kniffel_columns(draw: st.DrawFn) -> dict[str, int]:
    """A filled column with all sums right, keyed by row."""
    faces = {name: face * draw(st.integers(0, 5)) for face, name in enumerate(UPPER, start=1)}
    lower = {name: draw(st.sampled_from((0, *range(5, 31)))) for name in ("three", "four", "chance")}
    lower |= {
        name: draw(st.sampled_from((0, points)))
        for name, points in (("full", 25), ("small", 30), ("large", 40), ("kniffel", 50))
    }
    upper = sum(faces.values())
    bonus = 35 if upper >= 63 else 0
    low = sum(lower.values())
    sums = {"upper_sum": upper, "bonus": bonus, "upper_total": upper + bonus, "lower_total": low}
    return faces | lower | sums | {"upper_again": upper + bonus, "total": upper + bonus + low}


SUM_ROWS = tuple(SUMS)


@given(kniffel_columns(), st.sampled_from(SUM_ROWS), st.integers(1, 300))
def test_a_clear_wrong_sum_is_always_flagged_and_only_it(column: dict[str, int], row: str, off: int) -> None:
    """One sum is written wrong and the others as if it were right: the others are right, and not accused."""
    written = column | {row: column[row] + off}
    verdict = judged(KNIFFEL, {f"game1.{name}": value for name, value in written.items()})
    assert codes(verdict) == [("table.sum", (f"game1.{row}",))]
    assert verdict.sure
    assert verdict.columns["game1"].total == column["total"]
    assert str(column[row] + off) in verdict.flags[0].message
    assert str(column[row]) in verdict.flags[0].message


@given(kniffel_columns(), st.sampled_from(("upper_sum", "bonus", "upper_total", "lower_total")), st.integers(1, 20))
def test_a_mistake_that_is_carried_on_is_told_once(column: dict[str, int], row: str, off: int) -> None:
    """The player goes on with the wrong number: only its source is accused, and the message tells the right total."""
    written = dict(column)
    written[row] += off
    if row == "upper_sum":
        written["bonus"] = 35 if written["upper_sum"] >= 63 else 0
    if row != "upper_total":
        written["upper_total"] = written["upper_sum"] + written["bonus"]
    written["upper_again"] = written["upper_total"]
    written["total"] = written["upper_again"] + written["lower_total"]
    verdict = judged(KNIFFEL, {f"game1.{name}": value for name, value in written.items()})
    assert codes(verdict) == [("table.sum", (f"game1.{row}",))]
    assert f"{column['total']} instead of {written['total']}" in verdict.flags[0].message
    assert verdict.columns["game1"].total == column["total"]


@given(kniffel_columns(), st.sets(st.sampled_from(tuple(UPPER | LOWER) + SUM_ROWS), max_size=8), st.data())
def test_a_right_column_is_never_accused_while_sure(
    column: dict[str, int], unsure: set[str], data: st.DataObject
) -> None:
    """Whatever its numbers may be read as, if the truth is plausible (1 in 50 in one cell, 9 in 20 in the others)."""
    cells: dict[str, int | str | Doubtful | None] = {}
    seldom = data.draw(st.sampled_from((*sorted(unsure), "")))
    for row, value in column.items():
        if row in unsure:
            p = 0.02 if row == seldom else data.draw(st.sampled_from((0.45, 0.6, 0.95)))
            drawn = data.draw(st.integers(0, 99))
            other = drawn if drawn != value else 100
            cells[f"game1.{row}"] = {value: p, other: 1 - p}
        else:
            cells[f"game1.{row}"] = value
    verdict = judged(KNIFFEL, cells)
    if verdict.sure:
        assert not [flag for flag in verdict.flags if flag.code == "table.sum"]
        assert verdict.columns["game1"].total == column["total"]
    low, high = verdict.columns["game1"].range
    assert low <= column["total"] <= high


def test_the_documents_numbers_lead_to_the_same_again() -> None:
    """What was taken once is sure from then on."""
    cells = {"c1.r1": {7: 0.6, 1: 0.4}, "c1.r2": 20, "c1.r3": 30, "c1.total": 51}
    once = checked(PAD, cells)
    assert checked_by_sums(once, PAD) == once


@given(unsure_columns())
def test_a_second_look_changes_nothing(column: tuple[dict[str, int], dict[str, Options]]) -> None:
    """Documents are scored again: with the sums right, the same numbers are left over."""
    _, cells = column
    if fitting(cells, SUMS_OF_SMALL) is None:
        return
    once = checked(SMALL, {f"g.{row}": options for row, options in cells.items()})
    again = checked_by_sums(once, SMALL)
    for cell, reading in once.cells.items():
        assert (again.cells[cell].value, again.cells[cell].state) == (reading.value, reading.state)
        assert again.cells[cell].confidence == pytest.approx(reading.confidence, abs=0.001)


@pytest.mark.parametrize("name", ["sudoku", "splitter-a"])
def test_other_sheets_come_back_as_they_are(name: str) -> None:
    template = get_template(name)
    given = board(template, {template.ids[0]: {1: 0.5, 2: 0.5}})
    assert checked_by_sums(given, template) is given
