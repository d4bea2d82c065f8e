"""Whether a confidence of 0.98 is right in 98 of 100 cases, and how few errors are left among the surest readings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

BINS: Final = 10
LEAST_IN_BIN: Final = 10
"""Fewer readings than this say too little about a bin's accuracy."""
COVERAGES: Final = (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0)
LEAST_PROBABILITY: Final = 5e-5
"""Stands for a probability that the document leaves out (below 0.0001) in the negative log likelihood."""
DIGITS: Final = 6


@dataclass(frozen=True, slots=True)
class Bin:
    """Readings of similar confidence: how many, their mean confidence, the share of them that is right."""

    n: int
    confidence: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class Point:
    """The surest `coverage` of the readings: the share of errors among them, and the least confidence."""

    coverage: float
    risk: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """ece: expected calibration error over the bins, 0 to 1. nll: mean negative log likelihood of the truth, nats.

    bins: rising; equal confidences stay together, those of more than a tenth of all in a bin of their own, the rest in
    bins of equal mass. aurc: area under the risk-coverage curve, 0 to 1. All means are null, and bins and points empty,
    where nothing was read.
    """

    n: int
    ece: float | None
    nll: float | None
    bins: tuple[Bin, ...]
    aurc: float | None
    points: tuple[Point, ...]

    def document(self) -> dict[str, Any]:
        """The calibration, ready for JSON."""
        return {
            "n": self.n,
            "expected_calibration_error": _rounded(self.ece),
            "negative_log_likelihood": _rounded(self.nll),
            "bins": [
                {"n": b.n, "confidence": _rounded(b.confidence), "accuracy": _rounded(b.accuracy)} for b in self.bins
            ],
        }

    def risk_document(self) -> dict[str, Any]:
        """The risk-coverage summary, ready for JSON."""
        points = [
            {"coverage": p.coverage, "risk": _rounded(p.risk), "confidence": _rounded(p.confidence)}
            for p in self.points
        ]
        return {"area": _rounded(self.aurc), "points": points}


def calibration_of(
    confidence: npt.NDArray[np.float64], right: npt.NDArray[np.bool_], of_truth: npt.NDArray[np.float64]
) -> Calibration:
    """The calibration of n readings.

    confidence: of what was reported, [n]. right: whether that is true. of_truth: the probability given to the truth.
    """
    n = len(confidence)
    if right.shape != (n,) or of_truth.shape != (n,):
        raise ValueError(f"right, of_truth: expected shape [{n}], got {list(right.shape)}, {list(of_truth.shape)}")
    if not n:
        return Calibration(0, None, None, (), None, ())
    bins = _bins(confidence, right)
    ece = math.fsum(b.n * abs(b.accuracy - b.confidence) for b in bins) / n
    nll = float(-np.log(np.clip(of_truth, LEAST_PROBABILITY, 1.0)).mean())
    order = np.argsort(-confidence, kind="stable")
    ranked = confidence[order]
    # Among equal confidences the order says nothing: each counts as their mean error.
    _, tie = np.unique(-ranked, return_inverse=True)
    errors = (~right[order]).astype(np.float64)
    mean_error = (np.bincount(tie, errors) / np.bincount(tie))[tie]
    risk = np.cumsum(mean_error) / np.arange(1, n + 1)
    kept = [max(1, math.ceil(coverage * n - 1e-9)) for coverage in COVERAGES]
    points = tuple(
        Point(coverage, float(risk[k - 1]), float(ranked[k - 1])) for coverage, k in zip(COVERAGES, kept, strict=True)
    )
    return Calibration(n, ece, nll, bins, float(risk.mean()), points)


def _bins(confidence: npt.NDArray[np.float64], right: npt.NDArray[np.bool_]) -> tuple[Bin, ...]:
    values, tied = np.unique(confidence, return_counts=True)
    heavy = values[tied > len(confidence) / BINS]
    rest = np.sort(confidence[~np.isin(confidence, heavy)])
    parts = max(1, min(BINS - len(heavy), len(rest) // LEAST_IN_BIN))
    quantiles = rest[[len(rest) * k // parts for k in range(1, parts)]] if len(rest) else rest
    edges = np.unique(np.concatenate([quantiles, heavy, np.nextafter(heavy, 2.0)]))
    number = np.searchsorted(edges, confidence, side="right")
    counts = np.bincount(number, minlength=len(edges) + 1)
    sums = np.bincount(number, confidence, minlength=len(edges) + 1)
    hits = np.bincount(number, right.astype(np.float64), minlength=len(edges) + 1)
    filled = np.flatnonzero(counts)
    return tuple(Bin(int(counts[k]), float(sums[k] / counts[k]), float(hits[k] / counts[k])) for k in filled)


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, DIGITS)
