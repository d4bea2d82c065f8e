"""The odds of readings with all sums of a column: by hand, and against going through all combinations."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner.resolve.column_blocks import Said
from scanner.resolve.column_odds import OddsRow, column_odds
from scanner.resolve.miscounts import FARTHEST, MISCOUNTED, NOT_ADDED, SPREAD, UNFOUNDED, sum_odds
from scanner.templates.formulas import Difference, Formula, Product, Sum, Threshold

Readings = Mapping[Said, float]


def rows(readings: Mapping[str, Readings | int], formulas: Mapping[str, Formula]) -> list[OddsRow]:
    """A column by a shorthand: a number that is sure, or readings with their weights. Fields first, then the sums."""
    order = (*(row for row in readings if row not in formulas), *(row for row in formulas if row in readings))
    given: dict[str, Readings] = {row: {said: 1.0} if isinstance(said, int) else said for row, said in readings.items()}
    return [OddsRow(row, tuple(given[row].items()), formulas.get(row)) for row in order]


def odds(readings: Mapping[str, Readings | int], formulas: Mapping[str, Formula]) -> dict[str, dict[Said, float]]:
    found = column_odds(rows(readings, formulas))
    return {
        row.row: dict(zip((said for said, _ in row.readings), found[row.row], strict=True))
        for row in rows(readings, formulas)
    }


TOTAL: Mapping[str, Formula] = {"total": Sum(("a", "b", "c"))}


# ---- by hand


def test_of_two_readings_the_one_that_makes_the_sum_right_gains() -> None:
    """1 against 7: with 7 somebody would have added up wrongly by 6."""
    table = sum_odds(frozenset())
    found = odds({"a": {7: 0.6, 1: 0.4}, "b": 20, "c": 30, "total": 51}, TOTAL)["a"]
    right, wrong = 0.4 * table[FARTHEST], 0.6 * table[FARTHEST - 6]
    assert found[1] == pytest.approx(right / (right + wrong))
    assert found[1] > 0.99


def test_a_sum_that_nothing_makes_right_leaves_the_readings_about_as_they_are() -> None:
    """7 + 50 or 1 + 50, and 99 is written: off by 42 or 48, both as good as any."""
    found = odds({"a": {7: 0.6, 1: 0.4}, "b": 20, "c": 30, "total": 99}, TOTAL)["a"]
    assert found[7] == pytest.approx(0.6, abs=0.02)


def test_a_common_mistake_in_adding_up_is_believed_before_a_rare_one() -> None:
    """61 is ten too much for 51, and 4 too much for 57."""
    table = sum_odds(frozenset())
    assert table[FARTHEST + 10] > table[FARTHEST + 4] > table[FARTHEST + 44]
    found = odds({"a": {7: 0.5, 1: 0.5}, "b": 20, "c": 30, "total": 61}, TOTAL)["a"]
    assert found[1] > 0.5


def test_a_forgotten_bonus_is_commoner_where_there_is_one() -> None:
    assert sum_odds(frozenset({35}))[FARTHEST - 35] > 3 * sum_odds(frozenset())[FARTHEST - 35]


def test_the_odds_of_all_sums_are_a_distribution() -> None:
    for bonuses in (frozenset[int](), frozenset({35})):
        table = sum_odds(bonuses)
        assert table.sum() == pytest.approx(SPREAD)
        assert table[FARTHEST] == pytest.approx((1 - MISCOUNTED) * SPREAD)


def test_an_unread_number_leaves_the_sum_without_a_say() -> None:
    found = odds({"a": {7: 0.6, 1: 0.4}, "b": {"unknown": 1.0}, "c": 30, "total": 51}, TOTAL)["a"]
    assert found[7] == pytest.approx(0.6)


def test_a_copy_settles_what_is_copied() -> None:
    """0.2 * 0.9 that it is 12, 0.3 * 0.1 that it is 7; 18 fits nothing."""
    formulas: Mapping[str, Formula] = {"sum": Sum(("a", "b")), "again": Sum(("sum",))}
    found = odds(
        {"a": 4, "b": {8: 0.5, 3: 0.5}, "sum": {12: 0.2, 18: 0.5, 7: 0.3}, "again": {12: 0.9, 7: 0.1}}, formulas
    )
    assert found["b"][8] == pytest.approx(0.18 / 0.21, abs=0.01)
    assert found["sum"][12] == pytest.approx(0.18 / 0.21, abs=0.01)


def test_with_nothing_possible_the_readings_stand() -> None:
    found = odds({"a": {7: 0.6, 1: 0.4}, "b": 0, "c": 0, "total": {9999: 1.0}}, TOTAL)["a"]
    assert found[7] == pytest.approx(0.6)


# ---- against all combinations

FORMULAS: Sequence[Mapping[str, Formula]] = (
    {"total": Sum(("a", "b", "c"))},
    {"sub": Sum(("a", "b")), "bonus": Threshold("sub", 12, 5), "total": Sum(("sub", "bonus", "c"))},
    {"sub": Sum(("a", "b")), "upper": Sum(("sub",)), "low": Sum(("c",)), "total": Sum(("upper", "low"))},
    {"sub": Difference("a", "b"), "twice": Product("sub", 2), "total": Sum(("twice", "a", "c"))},
)


WORDS: Sequence[Said] = ("empty", "nothing", "unknown")


def weight_of(said: Mapping[str, Said], formulas: Mapping[str, Formula]) -> float:
    """What the sums say of a column that is read just so, without the program's way to go through it."""
    bonuses = frozenset(one.points for one in formulas.values() if isinstance(one, Threshold))
    stands: dict[str, int | str] = {}
    weight = 1.0
    for row, one in said.items():
        if row not in formulas:
            stands[row] = 0 if one == "nothing" else one
            continue
        used = [stands[part] for part in formulas[row].uses]
        if "unknown" in used:
            given: int | str = "unknown"
        elif all(part == "empty" for part in used):
            given = "empty"
        else:
            numbers = dict(zip(formulas[row].uses, used, strict=True))
            given = formulas[row].value(lambda part, n=numbers: 0 if n[part] == "empty" else int(n[part]))  # type: ignore[misc]
        if isinstance(one, int):
            stands[row] = one
            if isinstance(given, int):
                weight *= float(sum_odds(bonuses)[FARTHEST + one - given])
            elif given == "empty":
                weight *= UNFOUNDED
        elif one == "unknown":
            stands[row] = "unknown" if given == "empty" else given
        else:
            stands[row] = given
            weight *= 1.0 if given == "empty" else NOT_ADDED
    return weight


def by_brute_force(column: Sequence[OddsRow]) -> dict[str, list[float]]:
    formulas = {row.row: row.formula for row in column if row.formula is not None}
    found = {row.row: [0.0] * len(row.readings) for row in column}
    for chosen in itertools.product(*(range(len(row.readings)) for row in column)):
        said = {row.row: row.readings[place][0] for row, place in zip(column, chosen, strict=True)}
        weight = math.prod(row.readings[place][1] for row, place in zip(column, chosen, strict=True))
        weight *= weight_of(said, formulas)
        for row, place in zip(column, chosen, strict=True):
            found[row.row][place] += weight
    return {row: [weight / sum(weights) for weight in weights] for row, weights in found.items()}


@st.composite
def columns(draw: st.DrawFn) -> list[OddsRow]:
    formulas = draw(st.sampled_from(FORMULAS))
    said: st.SearchStrategy[Said] = st.one_of(st.integers(-3, 20), st.sampled_from(WORDS))
    readings = st.dictionaries(said, st.floats(0.01, 1.0), min_size=1, max_size=3)
    drawn: dict[str, Readings | int] = {row: draw(readings) for row in ("a", "b", "c", *formulas)}
    return rows(drawn, formulas)


@given(columns())
def test_the_odds_are_those_of_all_combinations(column: list[OddsRow]) -> None:
    found, expected = column_odds(column), by_brute_force(column)
    for row in column:
        assert found[row.row] == pytest.approx(expected[row.row], abs=1e-6)
