"""Second looks at unclear numbers: the views, what a text's probability is, and which cells get another look."""

from __future__ import annotations

import itertools

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner.cells_table import HIGH, WIDE
from scanner.read.number_look import ASKED, CLEAR, look_again, text_chances, views

SYMBOLS = ("1", "2", "-")
Pictures = npt.NDArray[np.uint8]


def strokes(*columns: int) -> Pictures:
    """Upright strokes at some columns, in both channels: uint8 [2, 40, 112]."""
    picture = np.zeros((HIGH, WIDE), np.uint8)
    for column in columns:
        cv2.line(picture, (column, 8), (column, 31), (255,), 3)
    return np.stack([picture, picture])


def steps_of(weights: list[list[float]]) -> npt.NDArray[np.float32]:
    steps = np.array(weights, dtype=np.float32)
    return np.asarray(steps / steps.sum(axis=1, keepdims=True), dtype=np.float32)


def by_every_path(steps: npt.NDArray[np.float32], text: str) -> float:
    """CTC's definition: the sum over all paths that say the text once repeats are one and gaps are left out."""
    total = 0.0
    for path in itertools.product(range(steps.shape[1]), repeat=len(steps)):
        said = "".join(SYMBOLS[symbol - 1] for symbol, _ in itertools.groupby(path) if symbol)
        if said == text:
            total += float(np.prod([steps[k, symbol] for k, symbol in enumerate(path)]))
    return total


@given(
    st.lists(st.lists(st.floats(0.02, 1.0), min_size=4, max_size=4), min_size=4, max_size=4),
    st.lists(st.text(SYMBOLS, max_size=3), min_size=1, max_size=4),
)
def test_a_text_has_the_probability_of_all_its_paths(weights: list[list[float]], texts: list[str]) -> None:
    steps = steps_of(weights)
    # A second cell, which says nothing, shows that each row is of its own cell.
    silent = np.zeros_like(steps)
    silent[:, 0] = 1
    found = text_chances(np.stack([silent, steps]), [(1, text) for text in texts] + [(0, texts[0])], SYMBOLS)
    assert found[:-1] == pytest.approx([by_every_path(steps, text) for text in texts], abs=1e-6)
    assert found[-1] == (1 if texts[0] == "" else 0)


def test_a_repeated_digit_needs_a_gap() -> None:
    one, none = [0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]
    steps = np.array([[one, one, one], [one, none, one]], dtype=np.float32)
    assert text_chances(steps, [(0, "1"), (0, "11"), (1, "1"), (1, "11")], SYMBOLS).tolist() == [1, 0, 0, 1]


def test_the_views_are_wider_slanted_and_turned() -> None:
    seen = views(strokes(45, 66)[None])[0]
    np.testing.assert_array_equal(seen[:, 0], seen[:, 1])
    wide = seen[0]
    columns = np.flatnonzero(wide[0].sum(axis=0) > 3000)
    left, right = columns[columns < 56].mean(), columns[columns > 56].mean()
    assert right - left == pytest.approx(1.2 * 21, abs=1)
    # Both others lean the top to the left, by 8.5 and 4.6 degrees.
    _, slanted, turned = views(strokes(56)[None])[0]
    for view, degrees in ((slanted, 8.5), (turned, 4.6)):
        tops, bottoms = (np.flatnonzero(view[0, row] > 100).mean() for row in (12, 27))
        assert np.degrees(np.arctan((bottoms - tops) / 15)) == pytest.approx(degrees, abs=2.5)


@given(st.integers(6, 50))
def test_no_stroke_is_stretched_out_of_the_picture(far: int) -> None:
    left, right = 56 - far, 55 + far
    (wide, _, _) = views(strokes(left, right)[None])[0]
    assert float(wide.sum()) >= float(strokes(left, right).sum())


def test_no_cells_no_views() -> None:
    assert views(np.zeros((0, 2, HIGH, WIDE), np.uint8)).shape == (0, 3, 2, HIGH, WIDE)


def test_only_unclear_cells_are_looked_at_again() -> None:
    shown: list[int] = []

    def look(pictures: Pictures) -> npt.NDArray[np.float32]:
        shown.append(len(pictures))
        two = np.array([[0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0]], dtype=np.float32)
        return np.repeat(two[None], len(pictures), axis=0)

    clear = {"1": CLEAR, "2": 1 - CLEAR}
    found = [dict(clear), {"1": 0.5, "2": 0.4, "12": 0.1}]
    ink = np.stack([strokes(40), strokes(60)])
    look_again([look], ink, found, SYMBOLS)
    assert shown == [3]
    assert found[0] == clear
    # The first look and three views that are sure of a 2.
    assert found[1] == pytest.approx({"1": 0.5 / 4, "2": (0.4 + 3) / 4, "12": 0.1 / 4})


def test_of_many_texts_the_likeliest_are_asked_about() -> None:
    texts = ["".join(letters) for letters in itertools.product("12", repeat=4)]
    found = [{text: (k + 1) / 200 for k, text in enumerate(texts)}]
    look_again([lambda pictures: np.full((len(pictures), 5, 4), 0.25, np.float32)], strokes(50)[None], found, SYMBOLS)
    assert set(found[0]) == set(texts[-ASKED:])


def test_nothing_unclear_nothing_looked_at() -> None:
    def never(pictures: Pictures) -> npt.NDArray[np.float32]:
        raise AssertionError(f"looked at {len(pictures)} pictures")

    found = [{"1": 0.9}]
    look_again([never], strokes(50)[None], found, SYMBOLS)
    assert found == [{"1": 0.9}]
