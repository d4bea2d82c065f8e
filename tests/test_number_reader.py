"""Reading whole numbers: texts out of the net's steps, checked against every path there is."""

from __future__ import annotations

import itertools
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner.read.number_reader import candidates, meaning, texts

SYMBOLS = ("1", "2", "-")


def by_every_path(steps: np.ndarray) -> dict[str, float]:
    """CTC's definition: the probability of a text is the sum over all paths that collapse to it."""
    total: dict[str, float] = defaultdict(float)
    for path in itertools.product(range(steps.shape[1]), repeat=len(steps)):
        shown = [symbol for k, symbol in enumerate(path) if k == 0 or path[k - 1] != symbol]
        text = "".join(SYMBOLS[symbol - 1] for symbol in shown if symbol)
        total[text] += float(np.prod([steps[k, symbol] for k, symbol in enumerate(path)]))
    return total


@given(st.lists(st.lists(st.floats(0.05, 1.0), min_size=4, max_size=4), min_size=1, max_size=3))
def test_texts_have_the_probability_of_all_their_paths(weights: list[list[float]]) -> None:
    steps = np.array(weights, dtype=np.float32)
    steps /= steps.sum(axis=1, keepdims=True)
    wanted = by_every_path(steps)
    found = texts(steps, SYMBOLS)
    assert sum(found.values()) <= 1 + 1e-5
    best = max(wanted, key=lambda text: wanted[text])
    assert found[best] == pytest.approx(wanted[best], abs=2e-3)
    assert all(found[text] <= wanted[text] + 1e-5 for text in found)


def test_a_repeated_digit_needs_a_gap() -> None:
    one, none = [0, 1, 0, 0], [1, 0, 0, 0]
    assert texts(np.array([one, one], dtype=np.float32), SYMBOLS)["1"] == pytest.approx(1)
    assert texts(np.array([one, none, one], dtype=np.float32), SYMBOLS)["11"] == pytest.approx(1)


@pytest.mark.parametrize(
    ("text", "value", "state"),
    [
        ("", None, "blank"),
        ("0", 0, "read"),
        ("05", 5, "read"),
        ("-12", -12, "read"),
        ("999", 999, "read"),
        ("1234", None, "scribble"),
        ("-", None, "struck"),
        ("/", None, "struck"),
        ("//", None, "struck"),
        ("1/2", None, "scribble"),
        ("1-2", None, "scribble"),
        ("--1", None, "scribble"),
    ],
)
def test_what_a_text_means(text: str, value: int | None, state: str) -> None:
    assert meaning(text) == (value, state)


def test_texts_that_say_the_same_are_one_reading() -> None:
    found = candidates({"5": 0.5, "05": 0.2, "-": 0.1, "/": 0.1, "6": 0.05, "": 0.00001})
    assert [(one.value, one.state) for one in found] == [(5, "read"), (None, "struck"), (6, "read")]
    assert [one.probability for one in found] == pytest.approx([0.7, 0.2, 0.05])


def test_there_is_always_a_reading() -> None:
    assert [one.state for one in candidates({"": 1e-6})] == ["blank"]
