"""Shares with a 95 % interval that takes into account that photos of one puzzle (digits of one writer) go together.

Some errors among items: a cluster bootstrap (Efron and Tibshirani 1993, ch. 8; clusters drawn with replacement, 2.5 and
97.5 % quantile). No error at all, where the bootstrap would claim certainty: the exact one-sided 95 % bound of Clopper
and Pearson (1934) on the clusters, 0.05 ^ (1 / clusters), close to the "rule of three" 1 - 3 / clusters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

Method = Literal["cluster bootstrap", "exact on clusters", "none"]

LEVEL: Final = 0.95
RESAMPLES: Final = 2000
SEED: Final = 20260
FEW_CLUSTERS: Final = 10
"""With fewer clusters than this the bootstrap is known to be too narrow."""
DIGITS: Final = 6


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many. interval: 95 %, each end 0 to 1; null where nothing can be said (no items, one cluster)."""

    count: int
    n: int
    clusters: int
    interval: tuple[float, float] | None
    method: Method

    @property
    def share(self) -> float | None:
        """0 to 1; null when there is nothing to count."""
        return self.count / self.n if self.n else None

    def document(self) -> dict[str, Any]:
        """``count``, ``n``, ``share``, ``interval`` and ``method``, ready for JSON."""
        interval = None if self.interval is None else [round(end, DIGITS) for end in self.interval]
        share = None if self.share is None else round(self.share, DIGITS)
        return {"count": self.count, "n": self.n, "share": share, "interval": interval, "method": self.method}


def share_of(hits: Sequence[bool] | npt.NDArray[np.bool_], clusters: Sequence[int] | npt.NDArray[np.int64]) -> Share:
    """The share of hits among items; `clusters` tells for each item which cluster it is in, by number from 0."""
    hit = np.asarray(hits, dtype=np.float64)
    cluster = np.asarray(clusters, dtype=np.int64)
    if hit.shape != cluster.shape or hit.ndim != 1:
        raise ValueError(f"clusters: expected shape {list(hit.shape)}, got {list(cluster.shape)}")
    every = np.bincount(cluster)
    counts = np.asarray(np.bincount(cluster, hit)[every > 0], dtype=np.float64)
    sizes = np.asarray(every[every > 0], dtype=np.float64)
    total, n, groups = round(float(hit.sum())), len(hit), len(sizes)
    if not n:
        return Share(0, 0, 0, None, "none")
    if total in (0, n):
        open_end = (1 - LEVEL) ** (1 / groups)
        interval = (0.0, 1 - open_end) if total == 0 else (open_end, 1.0)
        return Share(total, n, groups, interval, "exact on clusters")
    if groups == 1:
        return Share(total, n, groups, None, "none")
    return Share(total, n, groups, _bootstrap(counts, sizes), "cluster bootstrap")


def _bootstrap(counts: npt.NDArray[np.float64], sizes: npt.NDArray[np.float64]) -> tuple[float, float]:
    groups = len(counts)
    # How often each cluster is drawn, for all resamples at once: [resamples, clusters].
    drawn = np.random.default_rng(SEED).multinomial(groups, np.full(groups, 1 / groups), RESAMPLES).astype(np.float64)
    shares = drawn @ counts / (drawn @ sizes)
    low, high = np.quantile(shares, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
