"""One hand a sheet: the clear digits of a sheet settle its unclear ones.

A writer is consistent, and so is a printer. An unclear digit that looks like the sheet's clear 1s and unlike its clear
7s is rather a 1. Clear ink is never overruled. The model card tells what this brings on writers whom nobody trained on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from scanner.read.readings import Readings

EXAMPLE_FROM = 0.9
"""Probability from which a digit serves as an example."""
CLEAR_FROM = 0.99
"""Probability from which likeness may make a digit less sure, but never another one."""
SETTLED_FROM = 0.9999
"""Probability from which a digit needs no help."""
NEAREST = 3
"""So many of the likest examples of a digit are compared with."""
OF_PRINT = 0.5
"""Probability of "printed" that divides print from handwriting: they are no examples of each other."""
SMOOTH_PX, REACH_PX = 1.5, 6
LEAST = 1e-7
"""Least probability of a digit that is told from none."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Weights:
    """What likeness counts, in natural logarithms; fitted by `scanner.training.likeness`.

    own, seen, drawn: between two digits that have examples, the reader's own word (the logarithm of a probability) and
    a difference of 1 in likeness (correlations: of what the reader saw in the ink, and of the ink itself).
    shown, unshown: what a likeness of 1 adds to the odds that it is one of these and no digit that the sheet shows
    nowhere else, and what the absence of any likeness adds.
    digit, digit_drawn, other: the same for the odds that it is a digit and not, say, a scribble.
    """

    own: float
    seen: float
    drawn: float
    shown: float
    unshown: float
    digit: float
    digit_drawn: float
    other: float


WEIGHTS = Weights(own=0.7, seen=6.73, drawn=2.81, shown=2.21, unshown=-0.08, digit=2.64, digit_drawn=2.08, other=-2.26)


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """How like m unclear digits are to a sheet's examples of each of k digits.

    rows: int64 [m], which of the sheet's cells they are. known: bool [m, k], is there an example of the digit besides
    the cell itself? seen, drawn: float64 [m, k], mean correlation with the likest examples, 0 where there is none.
    """

    rows: npt.NDArray[np.int64]
    known: npt.NDArray[np.bool_]
    seen: Floats
    drawn: Floats


def one_hand(readings: Readings, pictures: npt.NDArray[np.uint8], weights: Weights = WEIGHTS) -> Readings:
    """The readings with the unclear digits weighed by their likeness to the sheet's examples.

    What the sheet shows nowhere else, a digit without an example or a scribble, loses where the ink is like an example
    and gains where it is like none. Readings without `traits`, and sheets with examples of fewer than two digits, stay
    as they are.

    pictures: uint8 [n, 2, 32, 32] as `scanner.cells` cuts them, of the cells of the readings in their order.
    Raises ValueError where the numbers differ.
    """
    if len(pictures) != len(readings.ids):
        raise ValueError(f"pictures: expected {len(readings.ids)}, got {len(pictures)}")
    found = likeness(readings, pictures)
    if found is None:
        return readings
    probabilities = readings.probabilities.astype(np.float64)
    probabilities[found.rows] = settled(probabilities[found.rows], digit_columns(readings.classes), found, weights)
    return replace(readings, probabilities=probabilities.astype(np.float32))


def digit_columns(classes: tuple[str, ...]) -> npt.NDArray[np.int64]:
    """Columns of the classes that are digits."""
    return np.array([k for k, name in enumerate(classes) if name.isdigit()], dtype=np.int64)


def likeness(readings: Readings, pictures: npt.NDArray[np.uint8]) -> Likeness | None:
    """How like the unclear digits are to the examples; null where nothing is unclear or there is nothing to compare."""
    digits = digit_columns(readings.classes)
    if readings.traits is None or not len(readings.ids) or not len(digits):
        return None
    surest, best = readings.probabilities.max(axis=1), readings.probabilities.argmax(axis=1)
    rows = np.flatnonzero((surest < SETTLED_FROM) & (readings.probabilities[:, digits].sum(axis=1) > 1 - SETTLED_FROM))
    examples = np.flatnonzero((surest >= EXAMPLE_FROM) & np.isin(best, digits))
    if not len(rows) or len(np.unique(best[examples])) < 2:
        return None
    printed = readings.printed > OF_PRINT
    apart = printed[rows][:, None] != printed[examples][None, :]
    apart |= rows[:, None] == examples[None, :]  # nobody is an example of itself
    both = np.concatenate([rows, examples])
    alike = [_unit(readings.traits[both].astype(np.float64)), _shapes(pictures[both, 1])]
    known = np.zeros((len(rows), len(digits)), dtype=np.bool_)
    means = [np.zeros(known.shape) for _ in alike]
    for mean, vectors in zip(means, alike, strict=True):
        correlation = vectors[: len(rows)] @ vectors[len(rows) :].T
        correlation[apart] = np.nan
        for place, digit in enumerate(digits):
            of_digit = correlation[:, best[examples] == digit]
            if of_digit.shape[1]:
                score = _mean_of_likest(of_digit)
                known[:, place] = np.isfinite(score)
                mean[:, place] = np.where(known[:, place], score, 0.0)
    return Likeness(rows, known, means[0], means[1])


def settled(before: Floats, digits: npt.NDArray[np.int64], found: Likeness, weights: Weights) -> Floats:
    """Probabilities [m, classes] of the unclear cells after likeness, from those before.

    Three questions one after the other: which of the digits that have examples, if it is one of them; whether it is one
    of them, if it is a digit; and whether it is a digit. Clear cells keep what they are.
    """
    own = before[:, digits]
    comparable = found.known.any(axis=1)
    score = weights.own * np.log(np.maximum(own, LEAST)) + weights.seen * found.seen + weights.drawn * found.drawn
    score = np.where(found.known, score, -np.inf)
    share = np.exp(score - np.where(comparable, score.max(axis=1), 0.0)[:, None])
    share /= np.maximum(share.sum(axis=1, keepdims=True), LEAST)
    like_seen, like_drawn = (share * found.seen).sum(axis=1), (share * found.drawn).sum(axis=1)
    of_shown = np.where(found.known, own, 0.0).sum(axis=1)
    of_digits = own.sum(axis=1)
    shown = _moved(of_shown, of_digits - of_shown, weights.shown * like_seen + weights.unshown)
    # Likeness says that it is a digit as far as it is one of those.
    is_digit = shown * (weights.digit * like_seen + weights.digit_drawn * like_drawn) + weights.other
    of_all = before.sum(axis=1)
    digit = _moved(of_digits, of_all - of_digits, is_digit)
    unshown = own * ((1 - shown) / np.maximum(of_digits - of_shown, LEAST))[:, None]
    after = before * ((1 - digit) / np.maximum(of_all - of_digits, LEAST))[:, None]
    after[:, digits] = np.where(found.known, share * shown[:, None], unshown) * digit[:, None]
    after /= after.sum(axis=1, keepdims=True)
    clear = (before.max(axis=1) >= CLEAR_FROM) & (after.argmax(axis=1) != before.argmax(axis=1))
    return np.asarray(np.where((comparable & ~clear)[:, None], after, before), dtype=np.float64)


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


def _shapes(close_ups: npt.NDArray[np.uint8]) -> Floats:
    """Close-ups [n, 32, 32] smoothed and halved, float64 [n, 256], so that a dot product is their correlation."""
    n, side, _ = close_ups.shape
    # One tall picture instead of n small ones, with rows between them as far as the smoothing reaches.
    rows = side + 2 * REACH_PX
    tall = np.pad(close_ups, ((0, 0), (REACH_PX, REACH_PX), (0, 0))).reshape(n * rows, side).astype(np.float32)
    smooth = cv2.GaussianBlur(tall, (2 * REACH_PX + 1, 2 * REACH_PX + 1), SMOOTH_PX)
    small = cv2.resize(smooth, (side // 2, n * rows // 2), interpolation=cv2.INTER_AREA)
    flat = np.asarray(small, dtype=np.float64).reshape(n, -1)
    return _unit(flat - flat.mean(axis=1, keepdims=True))


def _unit(vectors: Floats) -> Floats:
    """The rows of length 1, so that a dot product is their correlation."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9), dtype=np.float64)
