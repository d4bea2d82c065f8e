"""A second look at cells whose number is unclear: the same ink wider, slanted and turned, as another might write it.

The mean of what the number reader says of several such views errs less than its first word, as with the digit reader
(`scanner.read.second_look`). The first look tells which texts are asked about; of each the views give the probability.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

CLEAR: Final = 0.75
"""Probability of the likeliest text from which the first look is enough: others hardly ever overtake it."""
ASKED: Final = 8
"""Texts of a cell that are looked at again, the likeliest ones."""
STRETCH: Final = 1.2
"""How much wider the wide view is, where there is room: digits that crowd each other come apart."""
INKED: Final = 60
"""Level from which a pixel is ink, of 255."""
SLANT: Final = 0.15
"""Sideways shift of the slanted view, as a share of the height."""
TURN: Final = 0.08
"""Radians by which the turned view is turned, the top to the left."""

Pictures = npt.NDArray[np.uint8]
Probabilities = npt.NDArray[np.float32]


def views(ink: Pictures) -> Pictures:
    """Three views of pictures uint8 [n, channels, h, w], whose channels move together: uint8 [n, 3, channels, h, w].

    The first channel holds the ink: none of it is stretched out of the picture.
    """
    high, wide = ink.shape[2:]
    middle = np.array([(wide - 1) / 2, (high - 1) / 2])
    cos, sin = math.cos(TURN), math.sin(TURN)
    result = np.empty((len(ink), 3, *ink.shape[1:]), dtype=np.uint8)
    for number, picture in enumerate(ink.transpose(0, 2, 3, 1)):
        both = np.ascontiguousarray(picture)
        stretch = _room(both[:, :, 0], STRETCH)
        for view, rows in enumerate(([[stretch, 0], [0, 1]], [[1, SLANT], [0, 1]], [[cos, sin], [-sin, cos]])):
            linear = np.array(rows, dtype=np.float64)
            matrix = np.hstack([linear, (middle - linear @ middle)[:, None]])
            moved = cv2.warpAffine(both, matrix, (wide, high), flags=cv2.INTER_LINEAR)
            result[number, view] = moved.transpose(2, 0, 1)
    return result


def _room(ink: Pictures, most: float) -> float:
    """How much wider than now, up to `most` times, the ink [h, w] can be about its picture's middle."""
    columns = np.flatnonzero((ink > INKED).any(axis=0))
    half = (ink.shape[1] - 1) / 2
    reach = float(np.abs(columns - half).max()) if columns.size else 0.0
    return float(np.clip(half / max(reach, 1.0), 1.0, most))


Look = Callable[[Pictures], Probabilities]
"""A net's probabilities float32 [m, steps, symbols + 1] for pictures uint8 [m, 2, h, w]."""


def look_again(looks: Sequence[Look], ink: Pictures, found: list[dict[str, float]], symbols: Sequence[str]) -> None:
    """Gives unclear cells the mean of the first look and of one at each of their views, in place.

    looks: a reader's nets. ink: the pictures [n, 2, h, w] of which they found the texts `found` at the first look, all
    nets together. Texts that aren't asked about are dropped.
    """
    unclear = [k for k, texts in enumerate(found) if max(texts.values()) < CLEAR]
    if not unclear:
        return
    again = views(ink[unclear])
    count = again.shape[1]
    pictures = again.reshape(-1, *ink.shape[1:])
    asked = [heapq.nlargest(ASKED, found[k], key=found[k].__getitem__) for k in unclear]
    rows = [(cell * count + view, text) for cell, texts in enumerate(asked) for text in texts for view in range(count)]
    each = [text_chances(look(pictures), rows, symbols).reshape(-1, count).sum(axis=1) for look in looks]
    chances = np.mean(each, axis=0).tolist()
    at = 0
    for k, texts in zip(unclear, asked, strict=True):
        found[k] = {
            text: (found[k][text] + chance) / (1 + count)
            for text, chance in zip(texts, chances[at : at + len(texts)], strict=True)
        }
        at += len(texts)


def text_chances(
    steps: Probabilities, rows: Sequence[tuple[int, str]], symbols: Sequence[str]
) -> npt.NDArray[np.float64]:
    """Probabilities [m] of texts: for each of m rows (n, text) that `steps[n]` says the text.

    steps: [n, steps, symbols + 1], the first for none of the symbols. The sum over all ways to say a text goes from
    step to step (the forward pass of Graves et al. 2006): over its symbols, and the gaps before, between and after.
    """
    number = {symbol: k for k, symbol in enumerate(symbols, start=1)}
    longest = max((len(text) for _, text in rows), default=0)
    shown = np.zeros((len(rows), 2 * longest + 1), dtype=np.intp)  # symbol at each place, 0 in gaps
    straight = np.zeros(shown.shape, dtype=np.bool_)  # where no gap is needed after the symbol before
    last = np.array([2 * len(text) for _, text in rows], dtype=np.intp)
    for row, (_, text) in enumerate(rows):
        for k, symbol in enumerate(text):
            shown[row, 2 * k + 1] = number[symbol]
            straight[row, 2 * k + 1] = k > 0 and text[k - 1] != symbol
    of = np.array([n for n, _ in rows], dtype=np.intp)
    every = np.arange(len(rows))
    ways = np.zeros(shown.shape)
    ways[:, 0] = 1.0
    for step in range(steps.shape[1]):
        onward = ways.copy()
        onward[:, 1:] += ways[:, :-1]
        onward[:, 2:] += np.where(straight[:, 2:], ways[:, :-2], 0.0)
        ways = onward * steps[of[:, None], step, shown]
    # A text may end with its last symbol or with the gap behind it.
    return np.asarray(ways[every, last] + np.where(last > 0, ways[every, np.maximum(last - 1, 0)], 0.0))
