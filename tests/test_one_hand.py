"""The clear digits of a sheet settle its unclear ones; clear ink is never overruled."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner.read.classes import CLASSES
from scanner.read.one_hand import one_hand
from scanner.read.readings import Readings

Picture = npt.NDArray[np.uint8]


def stroke(*points: tuple[int, int]) -> Picture:
    """A polyline in a cell, uint8 [2, 32, 32]."""
    picture = np.zeros((32, 32), np.uint8)
    cv2.polylines(picture, [np.array(points, np.int32)], False, 255, 3, cv2.LINE_AA)
    return np.stack([picture, picture])


FLAGGED_ONE = stroke((7, 16), (18, 4), (18, 28))
BARRED_SEVEN = np.maximum(stroke((8, 5), (24, 5), (14, 28)), stroke((11, 17), (22, 15)))


def readings(rows: list[dict[str, float]], pictures: Picture, printed: list[float] | None = None) -> Readings:
    """What a reader says that sees in ink what we see: the ink itself."""
    probabilities = np.zeros((len(rows), len(CLASSES)), np.float32)
    for row, chances in enumerate(rows):
        for name, chance in chances.items():
            probabilities[row, CLASSES.index(name)] = chance
    ids = tuple(f"r1c{k + 1}" for k in range(len(rows)))
    seen = pictures[:, 1].reshape(len(rows), 32 * 32).astype(np.float32)
    seen -= seen.mean(axis=1, keepdims=True)
    return Readings(ids, CLASSES, probabilities, np.asarray(printed or [0.02] * len(rows), np.float32), seen)


ONE, SEVEN, UNCLEAR = {"1": 0.999, "7": 0.001}, {"7": 0.999, "1": 0.001}, {"1": 0.45, "7": 0.55}
HAND = [FLAGGED_ONE, FLAGGED_ONE, BARRED_SEVEN, BARRED_SEVEN]


@pytest.mark.parametrize(("picture", "digit"), [(FLAGGED_ONE, "1"), (BARRED_SEVEN, "7")])
def test_an_unclear_digit_is_what_it_looks_like_on_this_sheet(picture: Picture, digit: str) -> None:
    pictures = np.stack([*HAND, picture])
    settled = one_hand(readings([ONE, ONE, SEVEN, SEVEN, UNCLEAR], pictures))
    assert CLASSES[int(settled.probabilities[4].argmax())] == digit
    assert settled.probabilities[4].max() > 0.7


def test_clear_ink_is_never_overruled() -> None:
    pictures = np.stack([*HAND, FLAGGED_ONE])
    clear = {"7": 0.991, "1": 0.009}
    settled = one_hand(readings([ONE, ONE, SEVEN, SEVEN, clear], pictures))
    assert CLASSES[int(settled.probabilities[4].argmax())] == "7"
    assert settled.probabilities[4].max() <= 0.9911


def test_print_is_no_example_of_a_hand() -> None:
    pictures = np.stack([*HAND, FLAGGED_ONE])
    before = readings([ONE, ONE, SEVEN, SEVEN, UNCLEAR], pictures, [0.99] * 4 + [0.01])
    assert one_hand(before) is before


def test_print_is_left_to_the_reader() -> None:
    pictures = np.stack([*HAND, FLAGGED_ONE, FLAGGED_ONE])
    before = readings([ONE, ONE, SEVEN, SEVEN, UNCLEAR, UNCLEAR], pictures, [0.01] * 5 + [0.99])
    after = one_hand(before)
    assert after.probabilities[4, 1] > 0.7
    np.testing.assert_array_equal(after.probabilities[5], before.probabilities[5])


def test_without_examples_of_two_digits_nothing_changes() -> None:
    pictures = np.stack([FLAGGED_ONE, FLAGGED_ONE, FLAGGED_ONE])
    before = readings([ONE, ONE, UNCLEAR], pictures)
    after = one_hand(before)
    assert np.array_equal(after.probabilities, before.probabilities)


def test_nothing_read_nothing_settled() -> None:
    nothing = np.zeros((0, 2, 32, 32), np.uint8)
    none = readings([], nothing)
    assert one_hand(none) is none


def test_without_traits_nothing_changes() -> None:
    pictures = np.stack([*HAND, FLAGGED_ONE])
    before = replace(readings([ONE, ONE, SEVEN, SEVEN, UNCLEAR], pictures), traits=None)
    assert one_hand(before) is before


SCRIBBLE = np.maximum(stroke((5, 5), (27, 9), (6, 13), (26, 20), (7, 26)), stroke((6, 20), (27, 6), (9, 8), (24, 27)))


def test_ink_like_no_example_may_be_a_scribble() -> None:
    """Likeness to the sheet's digits speaks against a scribble, the lack of it for one."""
    unclear = {"1": 0.6, "7": 0.1, "scribble": 0.3}
    pictures = np.stack([*HAND, FLAGGED_ONE, SCRIBBLE])
    alike, unlike = one_hand(readings([ONE, ONE, SEVEN, SEVEN, unclear, unclear], pictures)).probabilities[4:]
    scribble = CLASSES.index("scribble")
    assert alike[scribble] < 0.3 / 2
    assert alike[scribble] < unlike[scribble] / 2


def test_likeness_tells_nothing_of_a_digit_that_the_sheet_shows_nowhere_else() -> None:
    """It keeps its share of what all digits have, whatever the ink is like; and where it is clear, all of it."""
    pictures = np.stack([*HAND, FLAGGED_ONE])
    unclear = readings([ONE, ONE, SEVEN, SEVEN, {"1": 0.3, "7": 0.1, "4": 0.5, "scribble": 0.1}], pictures)
    after = one_hand(unclear).probabilities[4]
    assert after[4] / after[:10].sum() == pytest.approx(0.5 / 0.9, abs=1e-5)
    assert after[1] > 0.35
    clear = readings([ONE, ONE, SEVEN, SEVEN, {"4": 0.992, "1": 0.006, "scribble": 0.002}], pictures)
    np.testing.assert_array_equal(one_hand(clear).probabilities[4], clear.probabilities[4])


def test_nobody_is_an_example_of_itself() -> None:
    """A cell that shows a bar, read as a 7 at 0.95, looks like the sheet's 1s and like no 7 but itself."""
    pictures = np.stack([FLAGGED_ONE, FLAGGED_ONE, FLAGGED_ONE, BARRED_SEVEN])
    before = readings([ONE, ONE, {"7": 0.95, "1": 0.05}, SEVEN], pictures)
    assert one_hand(before).probabilities[2, 1] > 0.3


@given(st.integers(0, 2**31))
def test_what_has_a_twentieth_stays_plausible(seed: int) -> None:
    """However like the ink is to the examples of another digit, and unlike those of this one."""
    rng = np.random.default_rng(seed)
    share = rng.dirichlet((1, 1, 1), 5)
    rows = [ONE, SEVEN, {"3": 0.999, "8": 0.001}, *({"1": a, "7": b, "3": c} for a, b, c in share.tolist())]
    before = readings(rows, np.zeros((8, 2, 32, 32), np.uint8))
    traits = rng.normal(0, 1, (8, 2)).astype(np.float32) * np.array([10, 1], np.float32)
    after = one_hand(replace(before, traits=traits))
    plausible = before.probabilities >= 0.05
    assert (after.probabilities[plausible] >= 0.001).all()


@given(st.integers(0, 2**31), st.integers(3, 40))
def test_any_sheet(seed: int, cells: int) -> None:
    """Rows stay probabilities, clear cells keep their digit, and the order of the cells doesn't matter."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(0, 4, (cells, len(CLASSES)))
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    ids = tuple(f"r1c{k + 1}" for k in range(cells))
    traits = rng.normal(0, 1, (cells, 6)).astype(np.float32)
    before = Readings(ids, CLASSES, chances.astype(np.float32), rng.random(cells).astype(np.float32), traits)
    after = one_hand(before)
    clear = before.probabilities.max(axis=1) >= 0.99
    assert np.array_equal(before.probabilities.argmax(axis=1)[clear], after.probabilities.argmax(axis=1)[clear])
    order = rng.permutation(cells)
    moved = Readings(
        tuple(ids[k] for k in order), CLASSES, before.probabilities[order], before.printed[order], traits[order]
    )
    np.testing.assert_allclose(one_hand(moved).probabilities, after.probabilities[order], atol=1e-4)
