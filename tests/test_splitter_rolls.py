"""A Splitter sheet against the log of the rolls: by hand, and against all ways to tell rolls and pairs apart."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scanner.board import ReadBoard
from scanner.games.base import GameContext
from scanner.games.splitter import Splitter
from scanner.games.splitter_rolls import Numbers, Place, differences
from scanner.results import CellReading, Flag
from scanner.templates import get_template

GAME = Splitter()
PAD_A = get_template("splitter-a")
PAIRS = [(cell.id, f"r{cell.id[1]}c{9 - int(cell.id[3])}") for cell in PAD_A.lattice_cells if int(cell.id[3]) <= 4]


def sheet(pairs: Sequence[str]) -> list[Place]:
    """`35` is a full pair, `3.` a half one, `..` an empty one, `3?` and `??` hold unread cells."""
    return [
        Place(
            (2 * number, 2 * number + 1),
            tuple(sorted(int(sign) for sign in pair if sign.isdigit())),
            pair.count("?"),
        )
        for number, pair in enumerate(pairs)
    ]


def rolled(rolls: str) -> list[Numbers]:
    return [(int(roll[0]), int(roll[1])) for roll in rolls.split()]


def found(pairs: str, rolls: str) -> list[tuple[str, str, str]]:
    """What was rolled, what is written, and the numbers of the pairs (from 0) where it may be."""
    return [
        (
            "".join(map(str, one.rolled or ())),
            "".join(map(str, one.written or ())),
            " ".join(str(place.pair[0] // 2) for place in one.places),
        )
        for one in differences(rolled(rolls), sheet(pairs.split()))
    ]


@pytest.mark.parametrize(
    ("pairs", "rolls", "expected"),
    [
        ("35 12 66", "12 53 66", []),
        ("35 12 66", "12 63 66", [("36", "35", "0")]),  # one number is wrong: one difference
        ("35 12 66", "12 44 66", [("44", "", "0"), ("", "35", "0")]),  # both are
        ("33 12", "34 12", [("34", "33", "0")]),
        ("33 12", "12 45", [("45", "", "0"), ("", "33", "0")]),
        ("35 35 12", "35 36 12", [("36", "35", "0 1")]),  # which of the two is wrong can't be told
        ("35 35 12", "35 12", [("", "35", "0 1")]),
        # 46 may have been written as 45 or as 56; the other is then a wrong 12
        ("45 56", "46 12", [("12", "", "0 1"), ("46", "45", "0 1"), ("", "56", "1 0")]),
        # 13 has a number in common with both, 45 with the first only
        ("15 36", "13 45", [("13", "36", "1"), ("45", "15", "0")]),
        ("12 34", "13 25", [("13", "34", "1"), ("25", "12", "0")]),
        # partial sheets
        ("35 .. ..", "35", []),
        ("35 .. ..", "35 12", [("12", "", "1 2")]),
        ("35 .. ..", "36", [("36", "35", "0")]),
        ("35 3. ..", "35 36", [("36", "3", "1")]),
        ("35 3. ..", "35 36 11", [("11", "", "2"), ("36", "3", "1")]),
        ("35 3. ..", "35 12", [("12", "", "1 2"), ("", "3", "1")]),
        # unread cells hold what fits
        ("35 3? ??", "35 36 11", []),
        ("35 3? ..", "35 11", [("11", "", "2"), ("", "3", "1")]),
        ("35 3? 36", "35 36 36", []),
        ("35 3? 46", "35 36 11", [("11", "", "2"), ("", "46", "2")]),
        # a log that is too long for the sheet, or holds nothing of it
        ("35", "35 12", [("12", "", "")]),
        ("35", "", [("", "35", "0")]),
        # illegal numbers are compared like any others
        ("37 12", "12 36", [("36", "37", "0")]),
    ],
)
def test_by_hand(pairs: str, rolls: str, expected: list[tuple[str, str, str]]) -> None:
    assert found(pairs, rolls) == expected


# ---- all ways


@dataclass(frozen=True)
class Way:
    """One way to tell which roll is which pair. place_of: for each roll; null: not written."""

    place_of: tuple[Place | None, ...]
    exact: int
    cost: int


def ways(rolls: Sequence[Numbers], places: Sequence[Place]) -> Iterator[Way]:
    """Every way, with its cost by the rules of the module: one a number that differs."""

    def cost(roll: Numbers, place: Place) -> int | None:
        common = len(list((Counter(roll) & Counter(place.numbers)).elements()))
        if place.unread:
            return 0 if common == len(place.numbers) else None  # it can't be this roll
        if not place.numbers:
            return 1
        return 2 - common if common else 2

    def choose(
        at: int, free: tuple[Place, ...], chosen: tuple[Place | None, ...], exact: int, so_far: int
    ) -> Iterator[Way]:
        if at == len(rolls):
            left_over = sum(bool(place.numbers) for place in free)
            yield Way(chosen, exact, so_far + left_over)
            return
        yield from choose(at + 1, free, (*chosen, None), exact, so_far + 1)
        for place in free:
            more = cost(rolls[at], place)
            if more is not None:
                others = tuple(other for other in free if other is not place)
                same = place.numbers == rolls[at]
                yield from choose(at + 1, others, (*chosen, place), exact + same, so_far + more)

    yield from choose(0, tuple(places), (), 0, 0)


def best_ways(rolls: Sequence[Numbers], places: Sequence[Place]) -> list[Way]:
    every = list(ways(rolls, places))
    exact = max(way.exact for way in every)
    least = min(way.cost for way in every if way.exact == exact)
    return [way for way in every if (way.exact, way.cost) == (exact, least)]


PAIR_TEXTS = st.builds(
    lambda first, second: first + second,
    st.sampled_from("111222333444557"),
    st.sampled_from("1122334455..?"),
) | st.sampled_from(["..", "??"])
ROLLS = st.tuples(st.integers(1, 5), st.integers(1, 5)).map(lambda roll: tuple(sorted(roll)))


@settings(max_examples=150, deadline=None)
@given(st.lists(PAIR_TEXTS, min_size=1, max_size=4), st.lists(ROLLS, max_size=4))
def test_the_smallest_set(pairs: list[str], rolls: list[Numbers]) -> None:
    places = sheet(pairs)
    result = differences(rolls, places)
    assert len(result) == best_ways(rolls, places)[0].cost
    # written and rolled again by the differences, the two agree
    written = Counter(place.numbers for place in places if place.is_full)
    for one in result:
        if one.written is not None and len(one.written) == 2:
            written[one.written] -= 1
        if one.rolled is not None:
            written[one.rolled] += 1
    unread = sum(place.unread > 0 for place in places)
    missing = Counter(rolls) - written
    assert written.total() + missing.total() == len(rolls)
    assert missing.total() <= unread


@settings(max_examples=150, deadline=None)
@given(st.lists(PAIR_TEXTS, min_size=1, max_size=4), st.lists(ROLLS, max_size=4))
def test_where_each_may_be(pairs: list[str], rolls: list[Numbers]) -> None:
    """Each roll of a difference may be in every pair that holds it, not as rolled, in one of the best ways."""
    places = sheet(pairs)
    best = best_ways(rolls, places)
    for one in differences(rolls, places):
        if one.rolled is None:
            assert one.written is not None
            assert all(place.numbers for place in one.places)
            # each of them has no roll in some best way (or one with nothing in common, which comes to the same)
            for place in one.places:
                assert any(
                    all(
                        other is not place or not set(roll) & set(place.numbers)
                        for roll, other in zip(rolls, way.place_of, strict=True)
                    )
                    for way in best
                )
            continue
        expected = {
            place
            for way in best
            for roll, place in zip(rolls, way.place_of, strict=True)
            if place is not None and roll == one.rolled and place.numbers != roll
        }
        assert set(one.places) == expected


# ---- flags


def flags(values: Sequence[tuple[int | None, int | None]], rolls: Sequence[tuple[int, ...]]) -> tuple[Flag, ...]:
    """values: pair by pair, down the sheet; pairs that aren't given are empty."""
    cells = {cell: CellReading(cell, None, "blank") for cell in PAD_A.ids}
    for pair, both in zip(PAIRS, values, strict=False):
        for cell, value in zip(pair, both, strict=True):
            if value is not None:
                cells[cell] = CellReading(cell, value, "read")
    every = GAME.flags(ReadBoard(PAD_A.id, cells), PAD_A, GameContext(rolls=tuple(rolls)))
    return tuple(flag for flag in every if flag.code == "splitter.roll")


# 22 different unordered pairs don't exist; these are all 21 and one of them again
ALL = [(first, second) for first in range(1, 7) for second in range(first, 7)] + [(1, 2)]


def test_the_order_does_not_matter() -> None:
    assert flags(ALL, [roll[::-1] for roll in reversed(ALL)]) == ()


def test_one_wrong_number() -> None:
    [flag] = flags([*ALL[:-1], (1, 3)], ALL)
    assert (flag.severity, flag.cells) == ("illegal", ("r2c2", "r2c7", "r7c4", "r7c5"))  # 1 3 is written twice
    assert flag.message == "1 2 was rolled, but 1 3 is written (r2c2/r2c7 or r7c4/r7c5)"


def test_two_wrong_numbers() -> None:
    # by hand: the last 1 2 is written as 5 6, of which there are two then
    found = flags([*ALL[:-1], (5, 6)], ALL)
    assert [(flag.severity, flag.message) for flag in found] == [
        ("illegal", "1 2 was rolled but isn't written; it could belong in r6c4/r6c5 or r7c4/r7c5"),
        ("illegal", "5 6 is written (r6c4/r6c5 or r7c4/r7c5) but wasn't rolled"),
    ]


def test_a_short_log_is_named_as_such() -> None:
    [flag] = flags(ALL, ALL[1:])
    assert (flag.severity, flag.cells) == ("illegal", ("r1c3", "r1c6"))
    assert flag.message == "1 1 is written (r1c3/r1c6) but wasn't rolled; the log has only 21 of 22 rolls"
    assert flags(ALL[:10], ALL[:10]) == ()


def test_what_is_not_written_yet() -> None:
    found = flags(ALL[:20], ALL)
    assert [(flag.severity, flag.message) for flag in found] == [
        ("incomplete", "1 2 was rolled but isn't written; it could belong in r7c3/r7c6 or r7c4/r7c5"),
        ("incomplete", "6 6 was rolled but isn't written; it could belong in r7c3/r7c6 or r7c4/r7c5"),
    ]


def test_half_a_pair_and_the_log() -> None:
    [flag] = flags([*ALL[:-1], (2, None)], ALL)
    assert (flag.severity, flag.cells) == ("incomplete", ("r7c4", "r7c5"))
    assert flag.message == "1 2 was rolled, but only 2 is written (r7c4/r7c5)"


def test_a_log_of_other_dice() -> None:
    [flag] = flags(ALL, [(1, 2, 3)])
    assert flag.message == "The log is none of Splitter: its rolls are not of 2 dice"


def test_a_log_of_another_game_is_compared_in_time() -> None:
    start = time.process_time()
    found = flags([(1, 1)] * 22, [(2, 3)] * 22)
    assert time.process_time() - start < 1  # a few ms
    assert len(found) == 44


@settings(max_examples=50)
@given(st.permutations(ALL), st.integers(0, 22), st.lists(st.booleans(), min_size=22, max_size=22))
def test_a_sheet_that_agrees_has_no_differences(pairs: list[tuple[int, int]], done: int, turned: list[bool]) -> None:
    written = [pair[::-1] if turn else pair for pair, turn in zip(pairs, turned, strict=True)][:done]
    assert flags(written, pairs[:done]) == ()
    assert len(flags(written, pairs)) == 22 - done
