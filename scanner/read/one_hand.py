"""One hand a sheet: the clear digits of a sheet settle its unclear ones.

A writer is consistent, and so is a printer. An unclear digit that looks like the sheet's clear 1s and unlike its clear
7s is rather a 1. Clear ink is never overruled. The model card tells what this brings on writers whom nobody trained on.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt

from scanner.read.readings import Readings

CLEAR_FROM = 0.99
"""Probability from which a digit serves as an example; likeness may make it less sure, but never another one."""
SETTLED_FROM = 0.9999
"""Probability from which a digit needs no help."""
WEIGHT = 8.0
"""What a difference of 1 in likeness (a correlation) counts, as a natural logarithm. Chosen on the two writers who tune
the reader."""
NEAREST = 3
"""So many of the likest examples of a digit are compared with."""
OF_PRINT = 0.5
"""Probability of "printed" that divides print from handwriting: they are no examples of each other."""
SMOOTH_PX, REACH_PX = 1.5, 6

_Floats = npt.NDArray[np.float64]


def one_hand(readings: Readings, pictures: npt.NDArray[np.uint8]) -> Readings:
    """The readings with the unclear digits weighed by their likeness to the clear ones.

    pictures: uint8 [n, 2, 32, 32] as `scanner.cells` cuts them, of the cells of the readings in their order.
    Raises ValueError where the numbers differ.
    """
    if len(pictures) != len(readings.ids):
        raise ValueError(f"pictures: expected {len(readings.ids)}, got {len(pictures)}")
    digits = np.array([k for k, name in enumerate(readings.classes) if name.isdigit()], dtype=np.int64)
    if not len(readings.ids) or not len(digits):
        return readings
    surest, best = readings.probabilities.max(axis=1), readings.probabilities.argmax(axis=1)
    is_digit = np.isin(best, digits)
    unclear = np.flatnonzero(
        (surest < SETTLED_FROM) & (readings.probabilities[:, digits].sum(axis=1) > 1 - SETTLED_FROM)
    )
    clear = np.flatnonzero((surest >= CLEAR_FROM) & is_digit)
    if not len(unclear) or len(clear) < 2:
        return readings
    shapes = _shapes(pictures[np.concatenate([unclear, clear]), 1])
    likeness = shapes[: len(unclear)] @ shapes[len(unclear) :].T
    printed = readings.printed > OF_PRINT
    likeness[printed[unclear][:, None] != printed[clear][None, :]] = np.nan
    likeness[unclear[:, None] == clear[None, :]] = np.nan  # nobody is an example of itself
    scores = np.full((len(unclear), len(digits)), np.nan)
    for place, digit in enumerate(digits):
        examples = likeness[:, best[clear] == digit]
        if examples.shape[1]:
            scores[:, place] = _mean_of_likest(examples)
    known = np.isfinite(scores)
    several = known.sum(axis=1) > 1
    mean = np.where(known, scores, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    shift = np.where(known & several[:, None], WEIGHT * (scores - mean[:, None]), 0.0)
    probabilities = readings.probabilities.astype(np.float64)
    weighed = probabilities[unclear]
    weighed[:, digits] *= np.exp(shift)
    weighed /= weighed.sum(axis=1, keepdims=True)
    overruled = (surest[unclear] >= CLEAR_FROM) & (weighed.argmax(axis=1) != best[unclear])
    weighed[overruled] = probabilities[unclear][overruled]
    probabilities[unclear] = weighed
    return replace(readings, probabilities=probabilities.astype(np.float32))


def _mean_of_likest(examples: _Floats) -> _Floats:
    """Mean of the highest `NEAREST` numbers of each row [n, k], of fewer where there are fewer; NaN without any."""
    ranked = -np.sort(-np.where(np.isnan(examples), -np.inf, examples), axis=1)[:, :NEAREST]
    there = np.isfinite(ranked)
    count = there.sum(axis=1)
    total = np.where(there, ranked, 0).sum(axis=1)
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), np.nan), dtype=np.float64)


def _shapes(close_ups: npt.NDArray[np.uint8]) -> _Floats:
    """Close-ups [n, 32, 32] smoothed and halved, float64 [n, 256], so that a dot product is their correlation."""
    n, side, _ = close_ups.shape
    # One tall picture instead of n small ones, with rows between them as far as the smoothing reaches.
    rows = side + 2 * REACH_PX
    tall = np.pad(close_ups, ((0, 0), (REACH_PX, REACH_PX), (0, 0))).reshape(n * rows, side).astype(np.float32)
    smooth = cv2.GaussianBlur(tall, (2 * REACH_PX + 1, 2 * REACH_PX + 1), SMOOTH_PX)
    small = cv2.resize(smooth, (side // 2, n * rows // 2), interpolation=cv2.INTER_AREA)
    flat = np.asarray(small, dtype=np.float64).reshape(n, -1)
    flat = flat - flat.mean(axis=1, keepdims=True)
    return np.asarray(flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-9), dtype=np.float64)
