"""Reading whole numbers: texts out of the net's steps, checked against every path there is."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner.cells_table import HIGH, WIDE, NumberBatch
from scanner.read.number_look import CLEAR
from scanner.read.number_reader import (
    DEFAULT_NUMBER_MODELS,
    NumberReader,
    candidates,
    default_number_reader,
    meaning,
    texts,
)
from scanner.read.reader import MODEL_FOLDER

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
    found = candidates({"-": 0.1, "/": 0.1, "6": 0.2, "-0": 0.03, "0": 0.02, "": 0.00001})
    assert [(one.value, one.state) for one in found] == [(None, "struck"), (6, "read"), (0, "read")]
    assert [one.probability for one in found[:3]] == pytest.approx([0.2, 0.2, 0.05])


@pytest.mark.parametrize(("seen", "written"), [("00", 100), ("05", 105), ("-07", -107)])
def test_hardly_anybody_writes_a_leading_zero(seen: str, written: int) -> None:
    """Where a 1 before the zero may have gone unseen, it did; where nothing else may be meant, it is doubted."""
    found = candidates({seen: 0.7, str(written): 0.2, "": 0.05})
    assert found[0].value == written
    assert math.fsum(one.probability for one in found) == pytest.approx(0.95)
    alone = candidates({seen: 0.95, "": 0.03})
    assert alone[0].value == int(seen)
    assert alone[0].probability < 0.7


def test_there_is_always_a_reading() -> None:
    assert [one.state for one in candidates({"": 1e-6})] == ["blank"]


def test_unclear_cells_are_looked_at_again_and_each_cell_by_itself() -> None:
    ink = np.zeros((6, 2, HIGH, WIDE), np.uint8)
    for number, cell in enumerate(ink):
        # A 1, a 7 or what lies between: a stroke with a bar of another length on top of each.
        cv2.polylines(cell[0], [np.array([[52 - 4 * number, 9], [66, 8], [56, 33]])], False, (255,), 3, cv2.LINE_AA)
        cell[1, :, 20:92] = 255
    reader = default_number_reader()
    dark = np.full(len(ink), 0.8, np.float32)
    ids = tuple(f"c{k}" for k in range(len(ink)))
    together = reader.read(NumberBatch(ids, ink, np.ones(len(ink), np.bool_), dark))
    nets = [NumberReader(MODEL_FOLDER / f"{name}.onnx") for name in DEFAULT_NUMBER_MODELS]
    looks = [[texts(row, reader.symbols) for row in net.steps(ink)] for net in nets]
    first = [
        {text: sum(one.get(text, 0.0) for one in found) / len(found) for text in set().union(*found)}
        for found in zip(*looks, strict=True)
    ]
    unclear = [max(found.values()) < CLEAR for found in first]
    assert any(unclear)
    for k, found in enumerate(first):
        same = [
            (a.value, a.state) == (b.value, b.state) and abs(a.probability - b.probability) < 1e-6
            for a, b in zip(together.candidates[k], candidates(found), strict=False)
        ]
        assert all(same) != unclear[k]
        alone = reader.read(NumberBatch(ids[k : k + 1], ink[k : k + 1], np.ones(1, np.bool_), dark[:1])).candidates[0]
        assert [(one.value, one.state) for one in alone[:2]] == [
            (one.value, one.state) for one in together.candidates[k][:2]
        ]
        assert alone[0].probability == pytest.approx(together.candidates[k][0].probability, abs=1e-3)
