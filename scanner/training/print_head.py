"""The last step of training: print or hand, told from what the finished net sees in undisturbed cells.

While the net learns to read, its cells are bent, and a bent printed digit looks written. So a layer of its own, which
looks at the towers and not at what the net makes of them to read digits, is fitted to cells as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from scanner.training.net import DigitNet
from scanner.training.sheets import UNKNOWN_INK, Labelled

MOST: Final = 25_000
"""Cells of each part that are enough for a single layer."""
DECAY: Final = 1e-3
ROUNDS: Final = 60


def fit_print(net: DigitNet, parts: Mapping[str, Labelled], seed: int) -> torch.nn.Linear:
    """A layer fitted to the cells whose ink is known; every part counts the same, whatever its size."""
    rng = np.random.default_rng(seed)
    seen = []
    for part in parts.values():
        known = np.flatnonzero(part.ink != UNKNOWN_INK)
        chosen = rng.permutation(known)[:MOST]
        seen.append((features(net, part, chosen), torch.from_numpy(part.ink[chosen]).float()))
    layer = torch.nn.Linear(net.flat, 1)
    torch.nn.init.zeros_(layer.weight)
    torch.nn.init.zeros_(layer.bias)
    optimizer = torch.optim.LBFGS(layer.parameters(), max_iter=ROUNDS, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        losses = [binary_cross_entropy_with_logits(layer(x)[:, 0], y) for x, y in seen]
        total = torch.stack(losses).mean() + DECAY * layer.weight.square().sum()
        total.backward()  # type: ignore[no-untyped-call,unused-ignore]
        return total

    optimizer.step(loss)  # type: ignore[arg-type,unused-ignore]
    return layer


def features(net: DigitNet, part: Labelled, chosen: np.ndarray[tuple[int], np.dtype[np.int64]]) -> torch.Tensor:
    """What the towers see of the chosen cells: float32 [cells, `net.flat`]."""
    net.eval()
    with torch.no_grad():
        batches = [chosen[k : k + 2048] for k in range(0, len(chosen), 2048)]
        return torch.cat([net.towers(torch.from_numpy(part.pictures[batch]).float() / 255) for batch in batches])
