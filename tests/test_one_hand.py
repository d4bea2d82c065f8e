"""The clear digits of a sheet settle its unclear ones; clear ink is never overruled."""

from __future__ import annotations

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


def readings(rows: list[dict[str, float]], printed: list[float] | None = None) -> Readings:
    probabilities = np.zeros((len(rows), len(CLASSES)), np.float32)
    for row, chances in enumerate(rows):
        for name, chance in chances.items():
            probabilities[row, CLASSES.index(name)] = chance
    ids = tuple(f"r1c{k + 1}" for k in range(len(rows)))
    return Readings(ids, CLASSES, probabilities, np.asarray(printed or [0.02] * len(rows), np.float32))


ONE, SEVEN, UNCLEAR = {"1": 0.999, "7": 0.001}, {"7": 0.999, "1": 0.001}, {"1": 0.45, "7": 0.55}
HAND = [FLAGGED_ONE, FLAGGED_ONE, BARRED_SEVEN, BARRED_SEVEN]


@pytest.mark.parametrize(("picture", "digit"), [(FLAGGED_ONE, "1"), (BARRED_SEVEN, "7")])
def test_an_unclear_digit_is_what_it_looks_like_on_this_sheet(picture: Picture, digit: str) -> None:
    pictures = np.stack([*HAND, picture])
    settled = one_hand(readings([ONE, ONE, SEVEN, SEVEN, UNCLEAR]), pictures)
    assert CLASSES[int(settled.probabilities[4].argmax())] == digit
    assert settled.probabilities[4].max() > 0.7


def test_clear_ink_is_never_overruled() -> None:
    pictures = np.stack([*HAND, FLAGGED_ONE])
    clear = {"7": 0.991, "1": 0.009}
    settled = one_hand(readings([ONE, ONE, SEVEN, SEVEN, clear]), pictures)
    assert CLASSES[int(settled.probabilities[4].argmax())] == "7"
    assert settled.probabilities[4].max() <= 0.9911


def test_print_is_no_example_of_a_hand() -> None:
    pictures = np.stack([*HAND, FLAGGED_ONE])
    before = readings([ONE, ONE, SEVEN, SEVEN, UNCLEAR], [0.99] * 4 + [0.01])
    after = one_hand(before, pictures)
    np.testing.assert_allclose(after.probabilities[4], before.probabilities[4], atol=1e-6)


def test_without_examples_of_two_digits_nothing_changes() -> None:
    before = readings([ONE, ONE, UNCLEAR])
    after = one_hand(before, np.stack([FLAGGED_ONE, FLAGGED_ONE, FLAGGED_ONE]))
    assert np.array_equal(after.probabilities, before.probabilities)


def test_nothing_read_nothing_settled() -> None:
    none = readings([])
    assert one_hand(none, np.zeros((0, 2, 32, 32), np.uint8)) is none
    with pytest.raises(ValueError, match="expected 1"):
        one_hand(readings([ONE]), np.zeros((2, 2, 32, 32), np.uint8))


@given(st.integers(0, 2**31), st.integers(3, 40))
def test_any_sheet(seed: int, cells: int) -> None:
    """Rows stay probabilities, clear cells keep their digit, and the order of the cells doesn't matter."""
    rng = np.random.default_rng(seed)
    pictures = rng.integers(0, 256, (cells, 2, 32, 32)).astype(np.uint8)
    logits = rng.normal(0, 4, (cells, len(CLASSES)))
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    ids = tuple(f"r1c{k + 1}" for k in range(cells))
    before = Readings(ids, CLASSES, chances.astype(np.float32), rng.random(cells).astype(np.float32))
    after = one_hand(before, pictures)
    clear = before.probabilities.max(axis=1) >= 0.99
    assert np.array_equal(before.probabilities.argmax(axis=1)[clear], after.probabilities.argmax(axis=1)[clear])
    order = rng.permutation(cells)
    moved = Readings(tuple(ids[k] for k in order), CLASSES, before.probabilities[order], before.printed[order])
    np.testing.assert_allclose(one_hand(moved, pictures[order]).probabilities, after.probabilities[order], atol=1e-4)
