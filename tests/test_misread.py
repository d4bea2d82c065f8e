"""An honest referee: whatever one number is misread as, nobody is accused for sure; who added up wrongly is named."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner.games.registry import get_game
from scanner.read.classes import CLASSES
from scanner.read.numbers import NumberCandidate, NumberReadings
from scanner.read.readings import Readings
from scanner.resolve import parse_answer, readings_to_board, resolve
from scanner.results import Flag, Verdict
from scanner.templates import get_template

KNIFFEL = get_template("kniffel")
GAME = get_game("kniffel")
FACES = ("aces", "twos", "threes", "fours", "fives", "sixes")
FIXED = {"full": 25, "small": 30, "large": 40, "kniffel": 50}
SUMS = ("upper_sum", "bonus", "upper_total", "lower_total", "upper_again", "total")
CLEAR = 0.9999

Options = Mapping[int | str, float]


@st.composite
def columns(draw: st.DrawFn) -> dict[str, int]:
    """A column that five dice can give, added up rightly, keyed by row."""
    upper = {name: face * draw(st.integers(0, 5)) for face, name in enumerate(FACES, start=1)}
    lower = {name: draw(st.sampled_from((0, *range(5, 31)))) for name in ("three", "four", "chance")}
    lower |= {name: draw(st.sampled_from((0, points))) for name, points in FIXED.items()}
    return summed(upper | lower)


def summed(fields: Mapping[str, int]) -> dict[str, int]:
    upper = sum(fields[name] for name in FACES)
    bonus = 35 if upper >= 63 else 0
    low = sum(value for name, value in fields.items() if name not in FACES)
    sums = {"upper_sum": upper, "bonus": bonus, "upper_total": upper + bonus, "lower_total": low}
    return dict(fields) | sums | {"upper_again": upper + bonus, "total": upper + bonus + low}


def judged(cells: Mapping[str, int | Options], *answers: str) -> Verdict:
    """The verdict on a first column that was read like this; a plain number is as good as certain."""
    given = {f"game1.{row}": value for row, value in cells.items()}
    order = [cell for cell in KNIFFEL.ids if not cell.endswith(".name")]
    found = []
    for cell in order:
        value = given.get(cell, {"blank": 1.0})
        options = {value: CLEAR} if isinstance(value, int) else value
        ranked = sorted(options.items(), key=lambda item: -item[1])
        found.append(
            tuple(
                NumberCandidate(one if isinstance(one, int) else None, "read" if isinstance(one, int) else one, p)  # type: ignore[arg-type]
                for one, p in ranked
            )
        )
    nothing = Readings((), CLASSES, np.zeros((0, len(CLASSES)), np.float32), np.zeros(0, np.float32))
    numbers = NumberReadings(tuple(order), tuple(found))
    board = readings_to_board(nothing, KNIFFEL, GAME, [parse_answer(text) for text in answers], numbers)
    return resolve(board, KNIFFEL, GAME)


def accused(verdict: Verdict) -> list[Flag]:
    return [flag for flag in verdict.flags if flag.code == "table.sum"]


BY_HAND = summed(
    {"aces": 3, "twos": 6, "threes": 9, "fours": 16, "fives": 20, "sixes": 18}
    | {"three": 22, "four": 0, "full": 25, "small": 30, "large": 40, "kniffel": 0, "chance": 19}
)


@given(columns(), st.sampled_from((*FACES, *SUMS, *FIXED, "three", "four", "chance")), st.data())
def test_one_misread_number_accuses_nobody_for_sure(column: dict[str, int], row: str, data: st.DataObject) -> None:
    """Any number instead of the true one, up to 99.4 % sure, where the truth isn't even among the readings."""
    other = data.draw(st.integers(0, 375).filter(lambda n: n != column[row]))
    p = data.draw(st.sampled_from((0.6, 0.9, 0.98, 0.992, 0.994)))
    verdict = judged(column | {row: {other: p}})
    assert not any(flag.sure for flag in accused(verdict))
    assert not (verdict.sure and accused(verdict))


LIKE = {"0": "68", "1": "47", "2": "37", "3": "2589", "4": "19", "5": "368", "6": "058", "7": "129", "8": "03569"}
LIKE |= {"9": "3478"}


@given(columns(), st.sampled_from((*FACES, *SUMS, *FIXED, "three", "four", "chance")), st.data())
def test_nor_does_one_digit_for_another_that_looks_like_it(
    column: dict[str, int], row: str, data: st.DataObject
) -> None:
    """As sure as 99.94 %: a digit that looks alike, or one that is missing at an end."""
    true = str(column[row])
    at = data.draw(st.integers(0, len(true) - 1))
    alike = [true[:at] + like + true[at + 1 :] for like in LIKE[true[at]]]
    misread = data.draw(st.sampled_from([*alike, *([true[1:], true[:-1]] if len(true) > 1 else [])]))
    verdict = judged(column | {row: {int(misread): data.draw(st.sampled_from((0.995, 0.9994)))}})
    assert not any(flag.sure for flag in accused(verdict))
    assert not (verdict.sure and accused(verdict))


@given(columns(), st.sampled_from((*FACES, *FIXED, "three", "four", "chance")), st.data())
def test_nor_does_a_reading_that_is_named_as_hardly_possible(
    column: dict[str, int], row: str, data: st.DataObject
) -> None:
    """The truth in one of 5,000 cases: as unlikely as adding up wrongly by just this."""
    other = data.draw(st.integers(0, 60).filter(lambda n: n != column[row]))
    verdict = judged(column | {row: {other: 0.9997, column[row]: 0.0002}})
    assert not any(flag.sure for flag in accused(verdict))
    assert not (verdict.sure and accused(verdict))


@given(columns(), st.sampled_from(SUMS), st.sampled_from((-40, -9, -2, 2, 9, 40, 77)))
def test_who_added_up_wrongly_is_named_with_both_numbers(column: dict[str, int], row: str, off: int) -> None:
    written = max(0, column[row] + off)
    if written == column[row]:
        written = column[row] + 40
    verdict = judged(column | {row: written})
    (flag,) = accused(verdict)
    assert flag.cells == (f"game1.{row}",)
    assert f"is written {written}" in flag.message
    assert str(column[row]) in flag.message
    total = column["total"]
    # A piece of the right number may be lost ink, and what stands beside it may be something else; nothing else is an
    # excuse, so clear is this ink.
    piece = str(written) in str(column[row])
    assert not (piece and flag.sure)
    assert flag.sure or piece or str(column[row]) in str(written)
    assert verdict.columns["game1"].total == total or not flag.sure
    if row != "total" and flag.sure:
        assert f"the total {total} is right all the same" in flag.message


def test_an_excuse_is_asked_about_and_the_answer_settles_it() -> None:
    """22 + 25 + 30 + 40 + 19 are 136, and 141 is written: right with a 27 instead of the 22."""
    verdict = judged(BY_HAND | {"lower_total": 141, "total": 248, "three": {22: 0.998}})
    assert verdict.ask == ("game1.three",)
    (flag,) = accused(verdict)
    assert not flag.sure
    verdict = judged(BY_HAND | {"lower_total": 141, "total": 248, "three": {22: 0.998}}, "game1.three=22")
    (flag,) = accused(verdict)
    assert flag.sure
    assert flag.message == (
        "game1: the lower total is written 141, the numbers add up to 136; "
        "the total should be 5 less, 243 instead of 248"
    )
    assert not accused(judged(BY_HAND | {"lower_total": 141, "total": 248, "three": {22: 0.998}}, "game1.three=27"))


def test_a_number_that_the_dice_can_not_give_is_no_excuse() -> None:
    """18 sixes may not be 16."""
    verdict = judged(BY_HAND | {"upper_sum": 70, "upper_total": 105, "upper_again": 105, "total": 241})
    (flag,) = accused(verdict)
    assert flag.sure


@pytest.mark.parametrize("p", [0.9999, 0.97])
def test_a_sum_is_accused_for_sure_only_if_all_that_it_adds_up_is_sure(p: float) -> None:
    """The 19 of the chance may be something else, whatever: the sum is wrong by 40, and by how much isn't known."""
    verdict = judged(BY_HAND | {"lower_total": 176, "total": 283, "chance": {19: p}})
    (flag,) = accused(verdict)
    assert flag.sure == (p > 0.99)
    assert verdict.sure == (p > 0.99)
