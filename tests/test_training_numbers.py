"""What trains the number reader: no hand of one part writes in another, and cells have what their labels say."""

from __future__ import annotations

import numpy as np
import pytest

from scanner.simulate.hands import Shapes
from scanner.training.fonts import Split
from scanner.training.glyphs import FONT_WRITER, MNIST_WRITER, GlyphPool
from scanner.training.ink import SIDE
from scanner.training.numbers import NumberSheetRanges, hands_of, number_sheet

SWISS = (1, 2, 3, 6, 9, 14, 17, 19)
MNIST = (MNIST_WRITER, MNIST_WRITER + 1)
FONTS: tuple[tuple[int, Split], ...] = ((FONT_WRITER, "train"), (FONT_WRITER + 1, "val"), (FONT_WRITER + 2, "test"))
WRITERS = [*SWISS, *MNIST, *(writer for writer, _ in FONTS)]


def pool() -> GlyphPool:
    """Ten digits of each writer, all of them bars whose width tells the writer."""
    n = 10 * len(WRITERS)
    ink = np.zeros((n, SIDE, SIDE), dtype=np.uint8)
    for k in range(n):
        ink[k, 2:46, 2 : 4 + k // 10] = 255
    fonts = dict(FONTS)
    return GlyphPool(
        ink=ink,
        digit=np.tile(np.arange(10, dtype=np.uint8), len(WRITERS)),
        source=np.zeros(n, dtype=np.uint16),
        writer=np.repeat(np.array(WRITERS, dtype=np.int32), 10),
        kind=np.full(n, "hand"),
        split=np.repeat([fonts.get(writer, "train") for writer in WRITERS], 10).astype("U5"),
        sources=("any",),
    )


def writer_of(hand: Shapes) -> int:
    return WRITERS[int(hand.glyph(0, np.random.default_rng(1)).shape[1]) - 2]


@pytest.mark.parametrize(
    ("split", "writers"),
    [
        ("train", {1, 3, MNIST_WRITER, FONT_WRITER}),
        ("val", {6, 17, FONT_WRITER + 1}),
        ("test", {2, 9, 14, 19, MNIST_WRITER + 1, FONT_WRITER + 2}),
    ],
)
def test_each_part_has_its_own_hands(split: Split, writers: set[int]) -> None:
    assert {writer_of(hand) for hand in hands_of(pool(), split)} == writers


def test_people_write_most_sheets() -> None:
    hands = [writer_of(hand) for hand in hands_of(pool(), "train")]
    assert hands.count(FONT_WRITER) < 0.3 * len(hands)


def test_cells_have_the_ink_that_their_labels_say() -> None:
    cells = number_sheet(np.random.default_rng(5), hands_of(pool(), "val"), NumberSheetRanges())
    assert cells.ink.shape == (len(cells.labels), 2, 40, 112)
    assert all(label in ("", "/") or -100 < int(label) < 1000 for label in cells.labels.tolist())
    inked = (cells.ink[:, 0] > 60).sum(axis=(1, 2)) > 6
    numbers = np.array([label not in ("", "/") for label in cells.labels.tolist()])
    assert inked[numbers].mean() > 0.95
