"""Fitting what likeness counts: the truth gets likelier, and what nobody read doesn't matter."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest

from scanner.read.number_hand import WEIGHTS, Compared, Rivals, Weights
from scanner.training.number_hand import ReadNumbers, figures, fitted

ALIKE, UNLIKE = 0.95, 0.4
"""Correlations with the card's 0s and 6s."""


def card(*cells: tuple[str, float, str]) -> ReadNumbers:
    """Cells of one digit each: what is written, how surely it is read as 0 and not as 6, what its ink is like."""
    correlation = np.array([[ALIKE, UNLIKE] if like == "0" else [UNLIKE, ALIKE] for _, _, like in cells])
    believed = np.zeros((2, 10))
    believed[0, 0] = believed[1, 6] = 1.0
    rivals = tuple(Rivals(cell, ("0", "6"), np.array([cell])) for cell in range(len(cells)))
    found = tuple({"0": zero, "6": 1 - zero} for _, zero, _ in cells)
    return ReadNumbers(found, tuple(written for written, _, _ in cells), Compared(rivals, correlation, believed))


def loss(cards: list[ReadNumbers], weights: Weights) -> float:
    return float(np.mean([one for card in cards for one in card.loss(weights)]))


MISREAD = [card(("0", 0.3, "0"), ("6", 0.6, "6"), ("0", 0.8, "0"), ("6", 0.1, "6"))] * 3
"""Likeness is right where the reader is not."""
CONTRARY = [card(("0", 0.9, "6"), ("6", 0.2, "0"), ("0", 0.7, "6"), ("6", 0.1, "6"))] * 3
"""The reader is right where likeness is not."""


def test_the_truth_gets_likelier_by_what_speaks_for_it() -> None:
    start = Weights(own=1.0, like=0.5, steep=10.0, near=0.9)
    right, wrong = fitted(start, MISREAD), fitted(start, CONTRARY)
    assert loss(MISREAD, right) < loss(MISREAD, start)
    assert loss(CONTRARY, wrong) < loss(CONTRARY, start)
    assert right.like / right.own > start.like / start.own > wrong.like / wrong.own


def test_a_number_that_nobody_read_tells_nothing() -> None:
    with_more = [card(("0", 0.3, "0"), ("17", 0.5, "6"))]
    assert loss(with_more, WEIGHTS) == pytest.approx(loss([card(("0", 0.3, "0"))], WEIGHTS))


def test_figures_count_wrong_numbers_before_and_after() -> None:
    before, after = figures(MISREAD, None), figures(MISREAD, WEIGHTS)
    assert before.startswith("6 of 12 numbers wrong")
    assert after.startswith("0 of 12 numbers wrong")


def test_shipped_weights_are_of_use() -> None:
    assert all(weight > 0 for weight in astuple(WEIGHTS))
    assert loss(MISREAD, WEIGHTS) < loss(MISREAD, Weights(own=1.0, like=0.0, steep=1.0, near=1.0))
