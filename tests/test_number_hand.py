"""The digits of a card's numbers settle its unclear ones: where digits are seen, how ink is cut, what it changes."""

from __future__ import annotations

import itertools

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner.cells_table import HIGH, WIDE
from scanner.read.number_hand import CLEAR, cut_digits, places_of, settle

SYMBOLS = ("0", "1", "6", "-", "/")
STEPS = 23
Picture = npt.NDArray[np.uint8]


def drawn(*digits: tuple[str, int]) -> Picture:
    """Digits about some columns: a ring, a bar, or a ring with a stem above its left side; uint8 [40, 112]."""
    picture = np.zeros((HIGH, WIDE), np.uint8)
    for digit, x in digits:
        if digit == "0":
            cv2.ellipse(picture, (x, 20), (8, 13), 0, 0, 360, 255, 3)
        if digit == "6":
            cv2.circle(picture, (x, 26), 7, 255, 3)
            cv2.line(picture, (x - 6, 24), (x + 2, 6), 255, 3)
        if digit == "1":
            cv2.line(picture, (x, 6), (x, 33), 255, 3)
    return picture


def boxed(ink: Picture) -> Picture:
    """Cut to the box around all of its ink."""
    left, top, wide, high = cv2.boundingRect(ink)
    return ink[top : top + high, left : left + wide]


def seen(*symbols: tuple[dict[str, float], int]) -> npt.NDArray[np.float32]:
    """What a reader says that sees these symbols, with these probabilities, at some columns: float32 [23, symbols + 1].

    The rest of each goes to none of the symbols.
    """
    steps = np.zeros((STEPS, len(SYMBOLS) + 1), np.float32)
    steps[:, 0] = 1.0
    for chances, column in symbols:
        step = round((column + 0.5) / WIDE * STEPS - 0.5)
        for symbol, chance in chances.items():
            steps[step, 1 + SYMBOLS.index(symbol)] = chance
            steps[step, 0] -= chance
    return steps


def best_path(steps: npt.NDArray[np.float32], text: str) -> list[float]:
    """By trying every path that says the text: the means of the steps at which the likeliest one shows each symbol."""
    best, places = -1.0, [0.0]
    for path in itertools.product(range(steps.shape[1]), repeat=len(steps)):
        runs = [(symbol, list(group)) for symbol, group in itertools.groupby(enumerate(path), key=lambda one: one[1])]
        if "".join(SYMBOLS[symbol - 1] for symbol, _ in runs if symbol) != text:
            continue
        chance = float(np.prod([steps[k, symbol] for k, symbol in enumerate(path)], dtype=np.float64))
        if chance > best:
            shown = [[k for k, _ in group] for symbol, group in runs if symbol]
            weights = [[float(steps[k, path[k]]) for k in group] for group in shown]
            best, places = chance, [float(np.average(g, weights=w)) for g, w in zip(shown, weights, strict=True)]
    return places


@given(
    st.integers(0, 2**31), st.lists(st.sampled_from(("0", "1", "10", "11", "-1", "-61", "6")), min_size=1, max_size=3)
)
def test_symbols_are_where_the_likeliest_path_shows_them(seed: int, texts: list[str]) -> None:
    steps = np.random.default_rng(seed).dirichlet(np.ones(len(SYMBOLS) + 1), (2, 5)).astype(np.float32)
    rows = [(k % 2, text) for k, text in enumerate(texts)]
    for (cell, text), places in zip(rows, places_of(steps, rows, SYMBOLS), strict=True):
        assert places == pytest.approx(best_path(steps[cell], text), abs=1e-6)


def test_separate_digits_are_cut_apart() -> None:
    ink = drawn(("1", 30), ("0", 60))
    one, zero = cut_digits(ink, np.array([31.0, 58.0]))
    assert np.array_equal(one, boxed(drawn(("1", 30))))
    assert np.array_equal(zero, boxed(drawn(("0", 60))))


def test_touching_digits_are_cut_where_the_least_ink_is() -> None:
    ink = drawn(("0", 40), ("0", 62))
    ink[19:21, 44:58] = 255  # a thin bridge between the rings
    left, right = cut_digits(ink, np.array([42.0, 60.0]))
    high, wide = boxed(drawn(("0", 40))).shape
    for digit in (left, right):
        assert digit.shape[0] == high
        assert wide <= digit.shape[1] <= wide + 3  # with some of the bridge


def test_what_was_struck_out_before_is_no_part_of_the_number() -> None:
    ink = drawn(("0", 20), ("1", 80))
    cv2.line(ink, (8, 30), (32, 10), 255, 3)
    (one,) = cut_digits(ink, np.array([80.0]))
    assert np.array_equal(one, boxed(drawn(("1", 80))))


def test_a_digit_in_pieces_is_one_digit() -> None:
    ink = drawn(("1", 60))
    ink[18:21] = 0
    (one,) = cut_digits(ink, np.array([60.0]))
    assert np.array_equal(one, boxed(ink))


def test_without_ink_every_digit_is_empty() -> None:
    assert [one.size for one in cut_digits(np.zeros((HIGH, WIDE), np.uint8), np.array([20.0, 60.0]))] == [0, 0]


Digits = tuple[tuple[str, int], ...]
CLEARLY: tuple[Digits, ...] = (
    (("1", 30), ("0", 60)),
    (("6", 55),),
    (("6", 40), ("0", 70)),
    (("1", 35), ("6", 60)),
) * 2
"""Numbers of a card: 10, 6, 60 and 16, twice each."""


def card(
    unclear: Picture, texts: dict[str, float], at: dict[str, float]
) -> tuple[Picture, npt.NDArray[np.float32], list[dict[str, float]]]:
    """Clear numbers, and an unclear one in the last cell with its last digit at column 60."""
    ink = np.stack([*(drawn(*digits) for digits in CLEARLY), unclear])
    steps = np.stack([*(seen(*(({digit: 0.99}, x) for digit, x in digits)) for digits in CLEARLY), seen((at, 60))])
    found = [{"".join(digit for digit, _ in digits): 0.97, "": 0.02} for digits in CLEARLY]
    return np.stack([ink, np.full_like(ink, 255)], axis=1), steps, [*found, dict(texts)]


@pytest.mark.parametrize("digit", ["0", "6"])
def test_an_unclear_number_is_what_its_digits_look_like_on_this_card(digit: str) -> None:
    doubt = {"0": 0.5, "6": 0.5}
    ink, steps, found = card(drawn((digit, 60)), doubt, doubt)
    settle(ink, steps, found, SYMBOLS)
    assert found[-1][digit] > 0.75
    assert sum(found[-1].values()) == pytest.approx(1.0)


def test_how_many_digits_there_are_stays_the_readers_word() -> None:
    """What likeness takes from 0 it gives to 6 alone: neither to 10, nor to nothing."""
    texts = {"0": 0.4, "6": 0.2, "10": 0.3, "/": 0.1}
    ink, steps, found = card(drawn(("6", 60)), texts, {"0": 0.4, "6": 0.2})
    settle(ink, steps, found, SYMBOLS)
    assert found[-1]["6"] > 0.4
    assert found[-1]["0"] + found[-1]["6"] == pytest.approx(0.6)
    assert (found[-1]["10"], found[-1]["/"]) == pytest.approx((0.3, 0.1))


def test_a_clear_number_stays() -> None:
    texts = {"0": CLEAR, "6": 1 - CLEAR}
    ink, steps, found = card(drawn(("6", 60)), texts, texts)
    settle(ink, steps, found, SYMBOLS)
    assert found[-1] == texts


def test_a_card_with_hardly_a_number_stays() -> None:
    doubt = {"0": 0.5, "6": 0.5}
    ink, steps, found = card(drawn(("6", 60)), doubt, doubt)
    settle(ink[-2:], steps[-2:], few := found[-2:], SYMBOLS)
    assert few[-1] == doubt


def test_its_own_number_is_no_example() -> None:
    """Two digits of one number that are alike may both be misread."""
    ink = np.stack([np.stack([drawn(("6", 40), ("6", 70))] * 2)] * 1)
    steps = seen(({"0": 0.6, "6": 0.4}, 40), ({"0": 0.6, "6": 0.4}, 70))[None]
    found = [{"00": 0.6, "66": 0.4}]
    settle(ink, steps, found, SYMBOLS)
    assert found == [{"00": 0.6, "66": 0.4}]


@given(st.integers(0, 2**31), st.integers(1, 12))
def test_any_card(seed: int, cells: int) -> None:
    """Probabilities stay what they add up to, clear numbers stay, and the order of the cells doesn't matter."""
    rng = np.random.default_rng(seed)
    blots = rng.integers(0, 256, (cells, 2, HIGH // 8, WIDE // 8), dtype=np.uint8)
    ink = blots.repeat(8, axis=2).repeat(8, axis=3)
    steps = rng.dirichlet(np.full(len(SYMBOLS) + 1, 0.3), (cells, STEPS)).astype(np.float32)
    texts = ("", "/", "0", "6", "1", "10", "-6", "600", "--1", "-0")
    before = [dict(zip(texts, row, strict=True)) for row in rng.dirichlet(np.full(len(texts), 0.2), cells).tolist()]
    after = [dict(one) for one in before]
    settle(ink, steps, after, SYMBOLS)
    for old, new in zip(before, after, strict=True):
        assert sum(new.values()) == pytest.approx(sum(old.values()))
        assert new == old or max(old.values()) < CLEAR
    order = rng.permutation(cells).tolist()
    moved = [dict(before[k]) for k in order]
    settle(ink[order], steps[order], moved, SYMBOLS)
    for place, k in enumerate(order):
        assert moved[place] == pytest.approx(after[k], abs=1e-6)


def test_nobody_is_an_example_of_itself() -> None:
    """A 6 that was read as an 0 is judged by the others' digits: its own word isn't counted twice."""
    own = drawn(("6", 56))
    others = [drawn((digit, 56)) for digit in "0" * 6 + "6" * 6]
    ink = np.stack([np.stack([one, one]) for one in [own, *others]])
    said = [{"0": 0.6, "6": 0.4}] + [{"0": 0.999}] * 6 + [{"6": 0.999}] * 6
    found = [dict(one) for one in said]
    settle(ink, np.stack([seen((one, 56)) for one in said]), found, SYMBOLS)
    assert found[0]["6"] > 0.5


@given(st.floats(0.05, 0.5), st.integers(1, 40))
def test_what_has_a_twentieth_stays_plausible(chance: float, count: int) -> None:
    """However many clear 0s it looks like, and however unlike the only 6 it is."""
    ring, six = drawn(("0", 56)), drawn(("6", 56))
    ink = np.stack([np.stack([one, one]) for one in [ring, six, *[ring] * (10 + count)]])
    said = [{"0": 1 - chance, "6": chance}, {"6": 0.999}] + [{"0": 0.999}] * (10 + count)
    found = [dict(one) for one in said]
    settle(ink, np.stack([seen((one, 56)) for one in said]), found, SYMBOLS)
    assert found[0]["6"] >= 0.001
