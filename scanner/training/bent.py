"""Hands that never were: a known hand whose digits are bent, each digit always in much the same way."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from scanner.simulate.hands import HandSource, InkImage, cut_out

KNOTS = 4
"""Places along each side between which a shape bends smoothly."""
BEND, AGAIN = 0.036, 0.016
"""How far they move, as a share of the digit's longer side, standard deviation: once for a hand and digit, and every
time it is written."""
STRETCH, SLANT = 0.12, 0.10
"""Of one digit's width, and of its slant, standard deviations within a hand."""
MARGIN = 0.25
"""Room around the digit, as a share of its longer side, for what is bent out of it."""

Field = npt.NDArray[np.float32]


class BentHand:
    """A hand that writes another one's digits, bent. rng: draws how each digit is bent, once and for all."""

    def __init__(self, hand: HandSource, rng: np.random.Generator) -> None:
        self._hand = hand
        self._bends = [_knots(rng, BEND) for _ in range(10)]
        self._wide = np.exp(rng.normal(0, STRETCH, 10))
        self._lean = rng.normal(0, SLANT, 10)

    def glyph(self, digit: int, rng: np.random.Generator) -> InkImage:
        """One way in which this hand writes a digit from 0 to 9; KeyError if it has none."""
        ink = self._hand.glyph(digit, rng)
        high, wide = ink.shape
        side = max(high, wide)
        margin = round(MARGIN * side) + 1
        room = cv2.copyMakeBorder(ink, margin, margin, margin, margin, cv2.BORDER_CONSTANT, value=(0,))
        size = (room.shape[1], room.shape[0])
        bend = cv2.resize(self._bends[digit] + _knots(rng, AGAIN), size, interpolation=cv2.INTER_CUBIC) * side
        x, y = np.meshgrid(np.arange(size[0], dtype=np.float32), np.arange(size[1], dtype=np.float32))
        middle = ((size[0] - 1) / 2, (size[1] - 1) / 2)
        map_x = middle[0] + (x - middle[0]) / self._wide[digit] + self._lean[digit] * (y - middle[1]) + bend[:, :, 0]
        moved = cv2.remap(room, map_x.astype(np.float32), (y + bend[:, :, 1]).astype(np.float32), cv2.INTER_LINEAR)
        try:
            return cut_out(np.asarray(moved, dtype=np.uint8))
        except ValueError:  # a stroke so thin that nothing visible was left
            return ink


def _knots(rng: np.random.Generator, spread: float) -> Field:
    """Moves of the knots, right and down: float32 [knots, knots, 2]."""
    return rng.normal(0, spread, (KNOTS, KNOTS, 2)).astype(np.float32)
