"""Hands that write one number so that it looks like another one, which the cells don't permit: 1s like 7s, 4s like 9s.

Somebody who writes an impossible number does so by mistake, once or twice on a sheet. Where it is seen in many cells,
and the number that it is taken for clearly in none, it is that hand's way to write that number. Then its ink doesn't
tell the two apart, however clearly it shows the impossible one.

Each cell is judged by the others, with the odds of these two explanations. So a mistake on a sheet that has clear 1s
stays one, and so does what is seen in a few cells only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

HAND: Final = 0.01
"""How many hands write a certain number like a certain other one, before anything is known."""
SLIP: Final = 0.02
"""How much rarer a number that isn't permitted is than one that is, as in Splitter
(`scanner.resolve.posterior.NOT_PERMITTED` times `scanner.games.splitter.ILLEGAL`)."""
TOLD_APART: Final = 0.05
"""How often such a hand's number is seen clearly as what it is, all the same."""
SURE: Final = 0.9
"""Probability of such a hand from which its ink counts as telling nothing. Three other cells at least make that."""
BOUND: Final = 50.0
"""Logarithms of odds beyond which no more is to be known."""

_Matrix = npt.NDArray[np.float64]


def of_lookalikes(ink: _Matrix, classes: Sequence[str], permitted: npt.NDArray[np.bool_]) -> _Matrix:
    """Probabilities [cells, classes] of a sheet; where ink tells nothing, both numbers get the same of the wrong one's.

    classes: names of the columns. permitted: bool [cells, classes], whether a cell may hold that by the rules. Each row
    adds up to what it did. On 488 generated pads that made a difference on eight, and the 51 cells held what was meant.
    """
    digits = np.array([name.isdigit() for name in classes], dtype=np.bool_)
    told = ink.copy()
    for wrong in np.flatnonzero(digits & ~permitted.all(axis=0)).tolist():
        seen = np.where(permitted[:, wrong], 0.0, ink[:, wrong])
        # The number that is meant is the one that the same cells show a little of.
        shown = np.where(digits, (seen[:, None] * ink * permitted).sum(axis=0), 0.0)
        meant = int(shown.argmax())
        if shown[meant] == 0:
            continue
        cells = ~permitted[:, wrong] & permitted[:, meant]
        hand = cells & (_odds(seen, ink[:, meant], cells) >= SURE / (1 - SURE))
        moved = np.where(hand, seen / 2, 0.0)
        told[:, wrong] -= moved
        told[:, meant] += moved
    return told


def _odds(seen: _Matrix, meant: _Matrix, cells: npt.NDArray[np.bool_]) -> _Matrix:
    """Odds [cells] that the hand writes the number `meant` like the one `seen`, by all cells but the one itself.

    seen, meant: probabilities [cells] of the two numbers by the ink. cells: those that count.
    """
    by_hand = np.log((seen + meant + SLIP) / (SLIP * seen + meant + SLIP))
    # The clearer a cell shows the number that is meant, the more it speaks against such a hand: no threshold, so that a
    # pale photo, in which everything is a little less clear, isn't judged otherwise.
    clearly = np.log1p(-meant * (1 - TOLD_APART))
    evidence = np.where(cells, by_hand + clearly, 0.0)
    return np.asarray(HAND * np.exp(np.clip(evidence.sum() - evidence, -BOUND, BOUND)))
