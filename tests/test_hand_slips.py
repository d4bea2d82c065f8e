"""How a hand's digits are read, and what the sums of a whole card make of it."""

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
from scanner.resolve import readings_to_board, resolve
from scanner.resolve.hand_slips import LOST_BAR, learnt_hand, usual_hand
from scanner.resolve.numbers import SUREST, number_cells
from scanner.results import CellReading
from scanner.templates import get_template, resized

PAD = resized(get_template("score-table"), columns=3, rows=4)
KNIFFEL = get_template("kniffel")
Read = Mapping[int | str, float]


def candidates(read: Read) -> tuple[NumberCandidate, ...]:
    ranked = sorted(read.items(), key=lambda item: -item[1])
    return tuple(
        NumberCandidate(None, said, p) if isinstance(said, str) else NumberCandidate(said, "read", p)  # type: ignore[arg-type]
        for said, p in ranked
    )


def pad(cells: Mapping[str, Read | int]) -> dict[str, CellReading]:
    """A pad as read: a number is surely read, as far as readers go; cells that aren't named are blank."""
    read: dict[str, Read] = {cell.id: {"blank": 1.0} for cell in PAD.cells if cell.kind == "number"}
    read |= {cell: {said: 0.985} if isinstance(said, int) else said for cell, said in cells.items()}
    numbers = NumberReadings(tuple(read), tuple(candidates(one) for one in read.values()))
    return number_cells(numbers, PAD, get_game("score-table"))


# ---- the hand


def test_what_is_read_is_likeliest_to_be_written() -> None:
    weights = usual_hand().weights(candidates({38: 0.95}))
    assert max(weights, key=lambda number: weights[number]) == 38
    assert weights[32] > weights[34]  # 2 and 8 look alike, 4 and 8 don't
    assert sum(weights.values()) - weights[38] < 0.03


def test_a_lost_one_is_thought_of() -> None:
    weights = usual_hand().weights(candidates({37: 0.95}))
    assert weights[137] == pytest.approx(0.95 * LOST_BAR)
    assert weights[137] > weights[237]
    assert 37 in usual_hand().weights(candidates({137: 0.95}))


def test_what_is_certain_is_no_slip() -> None:
    assert set(usual_hand().weights(candidates({38: 1.0}))) == {38}


def test_a_sign_stays() -> None:
    weights = usual_hand().weights(candidates({-38: 0.9}))
    assert -32 in weights
    assert all(number < 0 for number in weights)


@given(st.lists(st.tuples(st.integers(0, 999), st.integers(0, 999)), max_size=20))
def test_a_hand_is_always_one(pairs: list[tuple[int, int]]) -> None:
    """Every digit is read as something, and what was seen often is expected again."""
    hand = learnt_hand([(candidates({read: 0.9}), {written: 1.0}) for read, written in pairs])
    assert hand.read.sum(axis=1) == pytest.approx(1.0)
    assert (hand.read > 0).all()


def test_a_hand_whose_twos_are_read_as_eights_is_learnt() -> None:
    seen = [(candidates({85: 0.9, 25: 0.01}), {25: 1.0})] * 4
    hand = learnt_hand(seen)
    assert hand.read[2, 8] == pytest.approx((4 * 0.002 + 4) / 8)
    assert hand.read[5, 5] > 0.99
    assert hand.weights(candidates({38: 0.95}))[32] > 0.3


# ---- what the sums make of it


def test_a_lost_digit_is_found_again_by_the_sum() -> None:
    """37 is read, 137 is what it adds up to: nobody listed that, but a lost 1 is commoner than a hundred too little."""
    cells = pad({"c1.r1": 60, "c1.r2": 50, "c1.r3": 20, "c1.r4": 7, "c1.total": {37: 0.97, 31: 0.01}})
    total = cells["c1.total"]
    assert (total.value, "137" in total.alternatives) in {(137, False), (37, True)}
    assert total.confidence < SUREST


def test_a_copy_that_nobody_could_read_is_guessed_and_asked() -> None:
    """The upper total stands clearly above; what stands below may be anything, 11 least of all."""
    upper = {
        "aces": 3,
        "twos": 6,
        "threes": 9,
        "fours": 16,
        "fives": 20,
        "sixes": 6,
        "upper_sum": 60,
        "upper_total": 60,
    }
    read: dict[str, Read] = {cell.id: {"blank": 1.0} for cell in KNIFFEL.cells if cell.kind == "number"}
    read |= {f"game1.{row}": {number: 0.985} for row, number in upper.items()}
    read |= {"game1.bonus": {0: 0.985}, "game1.upper_again": {11: 0.3, "scribble": 0.01}}
    numbers = NumberReadings(tuple(read), tuple(candidates(one) for one in read.values()))
    again = number_cells(numbers, KNIFFEL, get_game("kniffel"))["game1.upper_again"]
    assert (again.value, again.state) == (60, "doubtful")
    assert again.confidence <= 0.5


def test_nearly_clear_ink_is_asked_and_not_overruled_by_a_tie() -> None:
    """Ten too little: a 10 that is read as 0 is about as likely as a carry forgotten; what the ink says stays."""
    cells = pad({"c1.r1": {0: 0.96, 10: 0.004}, "c1.r2": 50, "c1.r3": 20, "c1.r4": 7, "c1.total": 87})
    found = cells["c1.r1"]
    assert (found.value, found.state) == (0, "doubtful")
    assert found.alternatives["10"] > 0.2
    # without a doubt what is meant: nobody forgets 37
    cells = pad({"c1.r1": {3: 0.96, 40: 0.004}, "c1.r2": 50, "c1.r3": 20, "c1.r4": 7, "c1.total": 117})
    assert cells["c1.r1"].value == 40


def test_a_certain_wrong_sum_stays() -> None:
    cells = pad({"c1.r1": 60, "c1.r2": 50, "c1.r3": 20, "c1.r4": 7, "c1.total": {37: 1.0}})
    assert cells["c1.total"].value == 37


def test_confirmed_by_a_sum_a_number_is_as_sure_as_can_be() -> None:
    cells = pad({"c1.r1": {60: 0.9, 80: 0.05}, "c1.r2": 50, "c1.r3": 20, "c1.r4": 7, "c1.total": 137})
    assert cells["c1.r1"].value == 60
    assert cells["c1.r1"].confidence == SUREST


def test_other_columns_tell_how_a_hand_writes() -> None:
    """Three sums say that an 8 may be a 2 here: where no sum stands, such an 8 isn't sure any more."""
    read: Read = {81: 0.9, 21: 0.06}
    column: dict[str, Read | int] = {"r1": read, "r2": {80: 0.9, 20: 0.06}, "r3": 10, "r4": 5}
    summed: dict[str, Read | int] = {
        f"{name}.{row}": said for name in ("c1", "c2") for row, said in (column | {"total": 56}).items()
    }
    alone = pad({"c3.r1": read, "c3.r2": 10})["c3.r1"]
    together = pad(summed | {"c3.r1": read, "c3.r2": 10})
    assert [together[f"{name}.{row}"].value for name in ("c1", "c2") for row in ("r1", "r2")] == [21, 20, 21, 20]
    assert together["c3.r1"].alternatives["21"] > 4 * alone.alternatives["21"]


def test_a_table_that_nobody_believes_is_believed_by_its_sums() -> None:
    """Readings at a tenth of what they were: of lines that may have been taken wrongly."""
    column = {"r1": 12, "r2": 20, "r3": 3, "r4": 5}
    for total, believed in ((40, True), (71, False)):
        cells: dict[str, Read] = {row: {said: 0.098} for row, said in (column | {"total": total}).items()}
        read: dict[str, Read] = {cell.id: {"blank": 0.1} for cell in PAD.cells if cell.kind == "number"}
        read |= {f"c1.{row}": said for row, said in cells.items()}
        numbers = NumberReadings(tuple(read), tuple(candidates(one) for one in read.values()))
        found = number_cells(numbers, PAD, get_game("score-table"))
        assert (found["c1.r1"].confidence > 0.9) == believed


def test_what_is_known_decides_before_the_sums_do() -> None:
    read: dict[str, Read] = {cell.id: {"blank": 1.0} for cell in KNIFFEL.cells if cell.kind == "number"}
    read |= {"game1.full": {25: 1.0}, "game1.chance": {17: 0.7, 11: 0.3}, "game1.lower_total": {36: 1.0}}
    numbers = NumberReadings(tuple(read), tuple(candidates(one) for one in read.values()))
    game = get_game("kniffel")
    assert number_cells(numbers, KNIFFEL, game)["game1.chance"].value == 11
    known = {"game1.lower_total": CellReading("game1.lower_total", 42, "answered")}
    assert number_cells(numbers, KNIFFEL, game, known)["game1.chance"].value == 17


@st.composite
def unsure_pads(draw: st.DrawFn) -> tuple[dict[str, int], dict[str, Read | int]]:
    """A column with a right sum, and readings of it of which the truth is one that is no less likely than others."""
    fields = {f"c1.r{row}": draw(st.integers(0, 45)) for row in range(1, 5)}
    truth = fields | {"c1.total": sum(fields.values())}
    cells: dict[str, Read | int] = {}
    for cell, value in truth.items():
        drawn = draw(st.integers(0, 99))
        other = drawn if drawn != value else 100
        p = draw(st.sampled_from((0.45, 0.6, 0.95)))
        unsure: Read = {value: p, other: 0.98 - p}
        cells[cell] = unsure if draw(st.booleans()) else value
    return truth, cells


@given(unsure_pads())
def test_a_right_sum_is_never_accused_for_sure(drawn: tuple[dict[str, int], dict[str, Read | int]]) -> None:
    truth, cells = drawn
    read: dict[str, Read] = {cell.id: {"blank": 1.0} for cell in PAD.cells if cell.kind == "number"}
    read |= {cell: {said: 0.985} if isinstance(said, int) else said for cell, said in cells.items()}
    numbers = NumberReadings(tuple(read), tuple(candidates(one) for one in read.values()))
    nothing = Readings((), CLASSES, np.zeros((0, len(CLASSES)), np.float32), np.zeros(0, np.float32))
    game = get_game("score-table")
    verdict = resolve(readings_to_board(nothing, PAD, game, (), numbers), PAD, game)
    column = verdict.columns["c1"]
    assert not [flag for flag in verdict.flags if flag.code == "table.sum" and flag.sure]
    assert not column.sure or column.total == truth["c1.total"]
