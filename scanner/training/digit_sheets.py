"""Generated sheets of single digits, each by one hand, as the number reader cuts them out of numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from scanner.read.alike import pictures_of
from scanner.simulate.hands import HandSource, InkImage
from scanner.simulate.ranges import Span, between
from scanner.training.bent import BentHand

GLYPH_PX = 44
"""Longer side at which a digit is slanted, drawn with another pen and cut off."""


@dataclass(frozen=True, slots=True, eq=False)
class DigitSheet:
    """pictures: uint8 [n, 24, 24], see `scanner.read.alike.pictures_of`. digits: int64 [n], 0 to 9."""

    pictures: npt.NDArray[np.uint8]
    digits: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class DigitSheetRanges:
    """What a sheet of digits is drawn from. Lengths are shares of a digit's longer side."""

    of_each: float = 7.0  # mean number of times a digit is written
    rare_chance: float = 0.1  # of a digit that is written once
    bent_chance: float = 0.75
    lean: float = 0.18  # standard deviations: the hand's slant, and a digit's own
    own_lean: float = 0.05
    turn: float = 0.06  # radians
    wide: float = 0.12
    pen: Span = (-1.0, 1.6)  # below -0.5 thinner, above 0.3 wider, above 1.1 much wider
    own_pen: float = 0.3
    cut_chance: float = 0.18  # of a digit that is cut off above, below or at its left
    cut: Span = (0.09, 0.27)
    height: Span = (12.0, 34.0)  # px of the photo
    blur: Span = (0.25, 1.0)
    noise: float = 6.0  # of 255


def digit_sheet(rng: np.random.Generator, hands: Sequence[HandSource], ranges: DigitSheetRanges) -> DigitSheet:
    """A sheet of digits by one of these hands, which have all ten."""
    hand: HandSource = hands[int(rng.integers(len(hands)))]
    if rng.random() < ranges.bent_chance:
        hand = BentHand(hand, rng)
    lean, pen = rng.normal(0, ranges.lean), between(rng, ranges.pen)
    wide = math.exp(rng.normal(0, ranges.wide))
    height, blur = between(rng, ranges.height), between(rng, ranges.blur)
    times = np.where(rng.random(10) < ranges.rare_chance, 1, np.maximum(1, rng.poisson(ranges.of_each, 10)))
    cut: list[InkImage] = []
    digits = np.repeat(np.arange(10), times)
    for digit in digits.tolist():
        turn = rng.normal(0, ranges.turn)
        slant = lean + rng.normal(0, ranges.own_lean)
        matrix = np.array([[math.cos(turn) * wide, slant - math.sin(turn)], [math.sin(turn), math.cos(turn)]])
        ink = _drawn(_moved(hand.glyph(digit, rng), matrix), pen + rng.normal(0, ranges.own_pen))
        if rng.random() < ranges.cut_chance:
            ink = _cut_off(ink, int(rng.integers(3)), between(rng, ranges.cut))
        cut.append(_photographed(ink, height / GLYPH_PX, max(0.3, blur), ranges.noise, rng))
    return DigitSheet(pictures_of(cut), digits)


def _moved(glyph: InkImage, matrix: npt.NDArray[np.float64]) -> InkImage:
    """A digit brought to `GLYPH_PX` and moved by a matrix about its middle, with room around it."""
    scale = GLYPH_PX / max(glyph.shape)
    size = (max(1, round(glyph.shape[1] * scale)), max(1, round(glyph.shape[0] * scale)))
    ink = cv2.resize(glyph, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    room = GLYPH_PX // 2
    ink = cv2.copyMakeBorder(ink, room, room, room, room, cv2.BORDER_CONSTANT, value=(0,))
    middle = np.array([(ink.shape[1] - 1) / 2, (ink.shape[0] - 1) / 2])
    moved = cv2.warpAffine(ink, np.hstack([matrix, (middle - matrix @ middle)[:, None]]), ink.shape[::-1])
    return np.asarray(moved, dtype=np.uint8)


def _drawn(ink: InkImage, pen: float) -> InkImage:
    """The same digit by another pen, see `DigitSheetRanges.pen`."""
    if pen > 0.3:
        return np.asarray(cv2.dilate(ink, np.ones((3, 3), np.uint8), iterations=1 + (pen > 1.1)), dtype=np.uint8)
    if pen < -0.5:
        return np.maximum(np.asarray(cv2.erode(ink, np.ones((2, 2), np.uint8)), dtype=np.uint8), ink // 3)
    return ink


def _cut_off(ink: InkImage, side: int, share: float) -> InkImage:
    """Without what is above (0), below (1) or left (2) of a border, as strokes go that reach into another cell."""
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    rest = ink.copy()
    if side == 0:
        rest[: rows[0] + round(share * GLYPH_PX)] = 0
    elif side == 1:
        rest[rows[-1] + 1 - round(share * GLYPH_PX) :] = 0
    else:
        rest[:, : columns[0] + round(share * (columns[-1] - columns[0]))] = 0
    return rest if rest.any() else ink


def _photographed(ink: InkImage, scale: float, blur: float, noise: float, rng: np.random.Generator) -> InkImage:
    """As small, soft and grainy as on a photo; cut to what can be seen of it."""
    small = cv2.resize(ink, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(small, (0, 0), blur * min(1.0, scale) + 0.2).astype(np.float32)
    grainy = np.clip(soft + rng.normal(0, noise, soft.shape), 0, 255)
    seen = np.where(soft > 0.15 * max(float(soft.max()), 1.0), grainy, 0).astype(np.uint8)
    rows, columns = np.flatnonzero(seen.any(axis=1)), np.flatnonzero(seen.any(axis=0))
    return seen[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] if rows.size else seen[:0, :0]
