"""Where the shapes of digits come from: a writer of a glyph pool, a font, or the lettering built into Pillow."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

if TYPE_CHECKING:
    from scanner.training.fonts import FontSpec
    from scanner.training.glyphs import GlyphPool

InkImage = npt.NDArray[np.uint8]
"""Ink density [h, w], 0 bare paper to 255 full ink, cut to its ink."""

FONT_PX = 220
"""Fonts are drawn with this em, larger than a digit of a photo."""
VISIBLE = 64


class HandSource(Protocol):
    """A hand, or a typeface."""

    def glyph(self, digit: int, rng: np.random.Generator) -> InkImage:
        """One way in which this hand writes a digit from 0 to 9; KeyError if it has none."""
        ...


class Shapes:
    """A hand that has a few shapes of every digit, each taken as often as the others."""

    def __init__(self, shapes: Mapping[int, Sequence[InkImage]]) -> None:
        self._shapes = {digit: tuple(cut_out(one) for one in several) for digit, several in shapes.items() if several}

    def glyph(self, digit: int, rng: np.random.Generator) -> InkImage:
        """One of the shapes; KeyError if this hand lacks the digit."""
        if digit not in self._shapes:
            raise KeyError(f"this hand has no {digit}; it has {sorted(self._shapes)}")
        several = self._shapes[digit]
        return several[int(rng.integers(len(several)))]

    @property
    def digits(self) -> frozenset[int]:
        """The digits that this hand has."""
        return frozenset(self._shapes)


def pool_hand(pool: GlyphPool, writer: int) -> Shapes:
    """The hand of one writer of a pool."""
    mine = pool.writer == writer
    return Shapes({digit: list(pool.ink[mine & (pool.digit == digit)]) for digit in range(10)})


def font_hand(spec: FontSpec, cache: Path, *, weights: Sequence[int] | None = None) -> Shapes:
    """The digits of a font that lies in `cache` (`scanner.training.fonts.fetch`); needs fonttools."""
    from scanner.training.fonts import truetype

    shapes: dict[int, list[InkImage]] = {digit: [] for digit in range(10)}
    for weight in weights or spec.weights:
        data, characters = truetype(spec, weight, cache)
        font = ImageFont.truetype(io.BytesIO(data), FONT_PX)
        for digit in range(10):
            if str(digit) in characters:
                shapes[digit].append(letters(str(digit), font))
    return Shapes(shapes)


def built_in_print() -> Shapes:
    """The typeface that comes with Pillow (Aileron), for printed digits where no font is at hand."""
    font = ImageFont.load_default(FONT_PX)
    return Shapes({digit: [letters(str(digit), font)] for digit in range(10)})


def letters(text: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont) -> InkImage:
    """A line of text as ink density, cut to its ink."""
    left, top, right, bottom = font.getbbox(text)
    size = (max(1, int(np.ceil(right - left))) + 4, max(1, int(np.ceil(bottom - top))) + 4)
    canvas = Image.new("L", size, 0)
    ImageDraw.Draw(canvas).text((2 - left, 2 - top), text, fill=255, font=font)
    return cut_out(np.asarray(canvas, dtype=np.uint8))


def cut_out(ink: InkImage) -> InkImage:
    """Without the empty rim; ValueError if there is no ink."""
    rows = np.flatnonzero((ink >= VISIBLE).any(axis=1))
    cols = np.flatnonzero((ink >= VISIBLE).any(axis=0))
    if not rows.size:
        raise ValueError("a glyph without ink")
    return np.ascontiguousarray(ink[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1])
