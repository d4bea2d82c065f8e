"""Digits of one hand are known again: what is compared, and that shapes come together however they were cut."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner.read.alike import BODY, SIDE, Alike, default_alike, pictures_of
from scanner.read.reader import ModelError
from scanner.simulate.hands import built_in_print
from scanner.training.bent import BentHand
from scanner.training.digit_sheets import DigitSheetRanges, digit_sheet

Picture = npt.NDArray[np.uint8]


@cache
def printed(digit: int) -> Picture:
    """A digit of the typeface that comes with Pillow, 60 px high: no hand, but ten shapes that anybody can draw."""
    ink = built_in_print().glyph(digit, np.random.default_rng(0))
    scale = 60 / ink.shape[0]
    return np.asarray(cv2.resize(ink, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def slanted(ink: Picture, slant: float) -> Picture:
    """The same digit leaning, cut to its ink."""
    high, wide = ink.shape
    room = cv2.copyMakeBorder(ink, 0, 0, high, high, cv2.BORDER_CONSTANT, value=(0,))
    matrix = np.array([[1.0, -slant, slant * high / 2], [0.0, 1.0, 0.0]])
    moved = np.asarray(cv2.warpAffine(room, matrix, (wide + 2 * high, high)), dtype=np.uint8)
    left, top, w, h = cv2.boundingRect((moved > 30).astype(np.uint8))
    return moved[top : top + h, left : left + w]


@given(st.integers(1, 60), st.integers(1, 60), st.integers(41, 255))
def test_pictures_are_of_one_size_and_darkness(high: int, wide: int, level: int) -> None:
    (picture,) = pictures_of([np.full((high, wide), level, np.uint8)])
    left, top, w, h = cv2.boundingRect((picture > 100).astype(np.uint8))
    assert max(w, h) == BODY
    assert abs(2 * left + w - SIDE) <= 1
    assert abs(2 * top + h - SIDE) <= 1
    assert abs(int(picture.max()) - 230) <= 2


def test_a_digit_without_ink_is_an_empty_picture() -> None:
    pictures = pictures_of([np.zeros((0, 0), np.uint8), np.zeros((5, 4), np.uint8)])
    assert pictures.shape == (2, SIDE, SIDE)
    assert not pictures.any()


def test_traits_have_unit_length() -> None:
    traits = default_alike().traits([printed(digit) for digit in range(10)])
    assert traits.shape == (10, 48)
    assert np.linalg.norm(traits, axis=1) == pytest.approx(1.0, abs=1e-3)
    assert default_alike().traits([]).shape == (0, 48)


@given(st.floats(-0.25, 0.25), st.floats(0.35, 1.0), st.integers(0, 1))
def test_a_digit_is_known_again(slant: float, scale: float, pen: int) -> None:
    """Leaning, smaller, with a thicker pen: each is likest to its own digit."""
    again = []
    for digit in range(10):
        ink = np.asarray(cv2.dilate(printed(digit), np.ones((3, 3), np.uint8), iterations=pen), dtype=np.uint8)
        small = cv2.resize(slanted(ink, slant), None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        again.append(np.asarray(small, dtype=np.uint8))
    like = default_alike().traits(again) @ default_alike().traits([printed(digit) for digit in range(10)]).T
    assert like.argmax(axis=1).tolist() == list(range(10))


def test_hands_that_nobody_trained_on_are_told_apart() -> None:
    """On sheets by bent type, which are no handwriting, the likest other digit is nearly always the same digit."""
    right = []
    for seed in range(12):
        sheet = digit_sheet(np.random.default_rng(seed), [built_in_print()], DigitSheetRanges(bent_chance=1.0))
        cut = [one[np.ix_(one.any(axis=1), one.any(axis=0))] for one in sheet.pictures]
        traits = default_alike().traits(cut)
        like = traits @ traits.T - 2 * np.eye(len(traits))
        several = np.bincount(sheet.digits, minlength=10)[sheet.digits] > 1
        right += (sheet.digits[like.argmax(axis=1)] == sheet.digits)[several].tolist()
    assert np.mean(right) > 0.95


def test_another_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="model is missing"):
        Alike(tmp_path / "none.onnx")


@given(st.integers(0, 2**31), st.integers(0, 9))
def test_a_bent_hand_writes_a_digit_in_much_the_same_way(seed: int, digit: int) -> None:
    """It is bent anew each time, but far less than once and for all."""
    hand = BentHand(built_in_print(), np.random.default_rng(seed))
    rng = np.random.default_rng(seed + 1)
    first, again = (pictures_of([hand.glyph(digit, rng)])[0].astype(float) for _ in range(2))
    assert first.any()
    assert np.corrcoef(first.ravel(), again.ravel())[0, 1] > 0.6


def test_bent_hands_differ() -> None:
    hands = [BentHand(built_in_print(), np.random.default_rng(seed)) for seed in range(8)]
    fives = pictures_of([hand.glyph(5, np.random.default_rng(0)) for hand in hands]).reshape(8, -1).astype(float)
    like = np.corrcoef(fives)
    assert like[~np.eye(8, dtype=bool)].mean() < 0.9


def test_a_sheet_has_every_digit_and_one_picture_for_each() -> None:
    sheet = digit_sheet(np.random.default_rng(5), [built_in_print()], DigitSheetRanges())
    assert set(sheet.digits.tolist()) == set(range(10))
    assert sheet.pictures.shape == (len(sheet.digits), SIDE, SIDE)
    assert sheet.pictures.any(axis=(1, 2)).all()
