"""One hand a sheet: the clear digits of a sheet settle its unclear ones.

A writer is consistent. An unclear digit that looks like the sheet's clear 1s and unlike its clear 7s is rather a 1.
Clear ink is never overruled. The model card tells what this brings on writers whom nobody trained on. Printed digits
are left to the reader, who knows type well: there, likeness makes it less sure and nothing better.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from scanner.read.readings import Readings
from scanner.results import PLAUSIBLE

EXAMPLE_FROM = 0.9
"""Probability from which a digit serves as an example."""
CLEAR_FROM = 0.99
"""Probability from which likeness may make a digit less sure, but never another one."""
SETTLED_FROM = 0.9999
"""Probability from which a digit needs no help."""
NEAREST = 3
"""So many of the likest examples of a digit are compared with."""
OF_PRINT = 0.5
"""Probability of "printed" from which a digit is print: neither settled nor an example."""
LEAST = 1e-7
"""Least probability of a digit that is told from none."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Weights:
    """What likeness counts, in natural logarithms; fitted by `scanner.training.likeness`.

    own, like: between two digits that have examples, the reader's own word (the logarithm of a probability) and a
    difference of 1 in likeness (a cosine of traits).
    digit, other: what a likeness of 1 adds to the odds that it is a digit and not, say, a scribble, and what is added
    without any likeness.
    """

    own: float
    like: float
    digit: float
    other: float


WEIGHTS = Weights(own=0.69, like=9.3, digit=8.62, other=-3.16)
MOST = math.log(35)
"""By how much, at most, likeness shifts the log-odds of two plausible digits, or of two numbers on a card. So what the
reader gives a twentieth or more stays plausible, however little it looks like the others on the sheet."""


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """How like m unclear digits are to a sheet's examples of each of k digits.

    rows: int64 [m], which of the sheet's cells they are. known: bool [m, k], is there an example of the digit besides
    the cell itself? like: float64 [m, k], mean cosine with the likest examples' traits, 0 where there is none.
    """

    rows: npt.NDArray[np.int64]
    known: npt.NDArray[np.bool_]
    like: Floats


def one_hand(readings: Readings, weights: Weights = WEIGHTS) -> Readings:
    """The readings with the unclear digits weighed by their likeness to the sheet's examples.

    What the sheet shows nowhere else, a digit without an example, neither gains nor loses against the other digits: of
    it likeness tells nothing. Readings without `traits`, and sheets with examples of fewer than two digits, stay as
    they are.
    """
    found = likeness(readings)
    if found is None:
        return readings
    probabilities = readings.probabilities.astype(np.float64)
    probabilities[found.rows] = settled(probabilities[found.rows], digit_columns(readings.classes), found, weights)
    return replace(readings, probabilities=probabilities.astype(np.float32))


def digit_columns(classes: tuple[str, ...]) -> npt.NDArray[np.int64]:
    """Columns of the classes that are digits."""
    return np.array([k for k, name in enumerate(classes) if name.isdigit()], dtype=np.int64)


def likeness(readings: Readings) -> Likeness | None:
    """How like the unclear digits are to the examples; null where nothing is unclear or there is nothing to compare."""
    digits = digit_columns(readings.classes)
    if readings.traits is None or not len(readings.ids) or not len(digits):
        return None
    surest, best = readings.probabilities.max(axis=1), readings.probabilities.argmax(axis=1)
    written = readings.printed <= OF_PRINT
    maybe = readings.probabilities[:, digits].sum(axis=1) > 1 - SETTLED_FROM
    rows = np.flatnonzero(written & maybe & (surest < SETTLED_FROM) & readings.traits.any(axis=1))
    examples = np.flatnonzero(written & (surest >= EXAMPLE_FROM) & np.isin(best, digits))
    if not len(rows) or len(np.unique(best[examples])) < 2:
        return None
    cosine = _unit(readings.traits[rows]) @ _unit(readings.traits[examples]).T
    cosine[rows[:, None] == examples[None, :]] = np.nan  # nobody is an example of itself
    known = np.zeros((len(rows), len(digits)), dtype=np.bool_)
    like = np.zeros(known.shape)
    for place, digit in enumerate(digits):
        of_digit = cosine[:, best[examples] == digit]
        if of_digit.shape[1]:
            score = _mean_of_likest(of_digit)
            known[:, place] = np.isfinite(score)
            like[:, place] = np.where(known[:, place], score, 0.0)
    return Likeness(rows, known, like)


def settled(before: Floats, digits: npt.NDArray[np.int64], found: Likeness, weights: Weights) -> Floats:
    """Probabilities [m, classes] of the unclear cells after likeness, from those before.

    Two questions one after the other: which of the digits that have examples, if it is one of them; and whether it is a
    digit. Clear cells keep what they are, and stay as they are where the sheet shows their digit nowhere else.
    """
    own = before[:, digits]
    word = np.log(np.maximum(own, LEAST))
    shift = (weights.own - 1) * word + weights.like * found.like
    plausible = found.known & (own >= PLAUSIBLE)
    most = np.where(plausible, shift, -np.inf).max(axis=1, keepdims=True)
    shift = np.clip(shift - np.where(np.isfinite(most), most, shift), -MOST, MOST)
    share = np.where(found.known, np.maximum(own, LEAST) * np.exp(shift), 0.0)
    share /= np.maximum(share.sum(axis=1, keepdims=True), LEAST)
    of_shown, of_digits, of_all = np.where(found.known, own, 0.0).sum(axis=1), own.sum(axis=1), before.sum(axis=1)
    # Likeness says that it is a digit as far as it is one of those with examples.
    like = (share * found.like).sum(axis=1) * of_shown / np.maximum(of_digits, LEAST)
    digit = _moved(of_digits, of_all - of_digits, weights.digit * like + weights.other)
    after = before * ((1 - digit) / np.maximum(of_all - of_digits, LEAST))[:, None]
    after[:, digits] = (
        np.where(found.known, share * of_shown[:, None], own) * (digit / np.maximum(of_digits, LEAST))[:, None]
    )
    after /= after.sum(axis=1, keepdims=True)
    top = before.argmax(axis=1)
    shown = np.zeros(before.shape, dtype=np.bool_)
    shown[:, digits] = found.known
    clear = (before.max(axis=1) >= CLEAR_FROM) & ((after.argmax(axis=1) != top) | ~shown[np.arange(len(top)), top])
    return np.asarray(np.where((clear | ~found.known.any(axis=1))[:, None], before, after), dtype=np.float64)


def _moved(yes: Floats, no: Floats, by: Floats) -> Floats:
    """Probability [m] of "yes" once its logarithmic odds have moved; both as they are before."""
    odds = np.maximum(yes, LEAST) / np.maximum(no, LEAST) * np.exp(by)
    return np.asarray(np.where(no > 0, odds / (1 + odds), 1.0), dtype=np.float64)


def _mean_of_likest(examples: Floats) -> Floats:
    """Mean of the highest `NEAREST` numbers of each row [n, k], of fewer where there are fewer; NaN without any."""
    ranked = -np.sort(-np.where(np.isnan(examples), -np.inf, examples), axis=1)[:, :NEAREST]
    there = np.isfinite(ranked)
    count = there.sum(axis=1)
    total = np.where(there, ranked, 0).sum(axis=1)
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), np.nan), dtype=np.float64)


def _unit(traits: npt.NDArray[np.float32]) -> Floats:
    """The rows of length 1, so that a dot product is their cosine."""
    vectors = traits.astype(np.float64)
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9), dtype=np.float64)
