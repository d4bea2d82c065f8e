"""One hand a card: the digits of all its numbers settle the digits of its unclear ones.

A writer is consistent: a digit that looks like what is mostly read as 0 on this card, and unlike its 6s, is rather a 0.
The ink of each number is cut where the number reader saw its digits, and the digits are compared with one another
(`scanner.read.alike`). Only numbers with as many digits compete; how many there are stays the reader's word. Clear
ones stay.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from scanner.read.alike import Alike, default_alike
from scanner.read.number_look import INKED
from scanner.read.numbers import MAX_NUMBER
from scanner.read.one_hand import MOST

CLEAR: Final = 0.99
"""Probability of the likeliest text from which a number stays what it is."""
EXAMPLE_FROM: Final = 0.5
"""The same from which a number's digits are examples, as far as they are believed."""
LEAST_TEXT: Final = 0.003
"""Probability below which a text gains nothing."""
FEWEST: Final = 10
"""With fewer examples on a card nothing is compared."""
LEAST: Final = 1e-9
APART_PX: Final = 4
"""Ink farther than this from a number's digits is none of theirs: a number that was struck out before."""
PAPER: Final = 0.02
"""What a cut costs beside the ink it goes through, a pixel: of two ways through paper the straight one is taken."""
ASIDE: Final = 0.03
"""What it costs, a pixel, at most, to lie nearer to one digit than to the other."""

Pictures = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
Probabilities = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Weights:
    """What likeness counts; fitted by `scanner.training.number_hand`.

    own: the reader's own word (the logarithm of a probability). like: likeness to the examples, a logarithm, too.
    steep, near: how fast an example counts more, the liker it is, and from which likeness on it counts much.
    """

    own: float
    like: float
    steep: float
    near: float


WEIGHTS: Final = Weights(own=0.74, like=1.47, steep=8.3, near=0.81)


@dataclass(frozen=True, slots=True, eq=False)
class Rivals:
    """Texts of a cell with as many digits and the same sign, cut alike. rows: int64 [digits], of their pictures."""

    cell: int
    texts: tuple[str, ...]
    rows: Whole

    @property
    def digits(self) -> Whole:
        """int64 [texts, digits]."""
        return np.array([[int(digit) for digit in text.removeprefix("-")] for text in self.texts], dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """The digits of a card's numbers and their examples.

    rivals: of the unclear cells. likeness: float64 [rows, examples], -1 to 1, -inf with one's own number's.
    believed: float64 [examples, 10], how far each is which digit.
    """

    rivals: tuple[Rivals, ...]
    likeness: Floats
    believed: Floats


def settle(
    ink: Pictures,
    steps: Probabilities,
    found: list[dict[str, float]],
    symbols: Sequence[str],
    weights: Weights = WEIGHTS,
    alike: Alike | None = None,
) -> None:
    """Weighs the texts of unclear numbers by how much their digits look like the card's other ones, in place.

    ink: uint8 [n, 2, 40, 112], all cells that one hand may have written, in which a reader found the texts `found`.
    steps: float32 [n, steps, symbols + 1], what it saw from left to right, none of the symbols first. alike: tells
    which digits are; the shipped one if null.
    """
    compared = compare(ink, steps, found, symbols, alike or default_alike())
    if compared is not None:
        for cell, texts in weighed(found, compared, weights).items():
            found[cell] = texts


def compare(
    ink: Pictures,
    steps: Probabilities,
    found: Sequence[Mapping[str, float]],
    symbols: Sequence[str],
    alike: Alike,
) -> Compared | None:
    """The comparison; null where nothing is unclear or there is too little to compare with. Arguments as `settle`'s."""
    every = [one for cell, texts in enumerate(found) for one in _rivals_of(cell, texts)]
    unclear = [len(texts) > 1 and max(found[cell].values()) < CLEAR for cell, texts in every]
    shown = [found[cell][texts[0]] >= EXAMPLE_FROM for cell, texts in every]
    if not any(unclear) or not any(shown):
        return None
    kept = [k for k in range(len(every)) if unclear[k] or shown[k]]
    places = places_of(steps, [(every[k][0], every[k][1][0]) for k in kept], symbols)
    pictures: list[Pictures] = []
    cells: list[int] = []
    rivals: list[Rivals] = []
    examples: list[int] = []
    believed: list[Floats] = []
    scale = ink.shape[3] / steps.shape[1]
    for k, at in zip(kept, places, strict=True):
        cell, texts = every[k]
        parts = cut_digits(ink[cell, 0], (at + 0.5) * scale - 0.5)
        parts = parts[1:] if texts[0].startswith("-") else parts
        own = Rivals(cell, texts, np.arange(len(pictures), len(pictures) + len(parts)))
        pictures += parts
        cells += [cell] * len(parts)
        if unclear[k]:
            rivals.append(own)
        if shown[k]:
            examples += own.rows.tolist()
            believed.append(_beliefs(own, found[cell]))
    if len(examples) < FEWEST:
        return None
    traits = alike.traits(pictures)
    likeness = traits @ traits[examples].T
    of = np.array(cells)
    likeness[of[:, None] == of[examples][None, :]] = -np.inf  # nobody is an example of itself
    return Compared(tuple(rivals), likeness, np.concatenate(believed))


def _beliefs(one: Rivals, found: Mapping[str, float]) -> Floats:
    """How far each digit of a number is believed to be which: float64 [digits, 10]."""
    believed = np.zeros((len(one.rows), 10))
    for text, digits in zip(one.texts, one.digits, strict=True):
        believed[np.arange(len(digits)), digits] += found[text]
    return believed


def weighed(found: Sequence[Mapping[str, float]], compared: Compared, weights: Weights) -> dict[int, dict[str, float]]:
    """The texts of the unclear cells, by cell, with their probabilities after likeness."""
    gain = weights.like * np.log1p(np.exp(weights.steep * (compared.likeness - weights.near)) @ compared.believed)
    result: dict[int, dict[str, float]] = {}
    for one in compared.rivals:
        texts = result.setdefault(one.cell, dict(found[one.cell]))
        before = np.array([texts[text] for text in one.texts])
        word = np.log(np.maximum(before, LEAST))
        shift = (weights.own - 1) * word + gain[one.rows, one.digits].sum(axis=1)
        after = np.exp(word + np.maximum(shift - shift.max(), -MOST))
        after *= before.sum() / after.sum()
        texts.update(zip(one.texts, after.tolist(), strict=True))
    return result


def _rivals_of(cell: int, found: Mapping[str, float]) -> list[tuple[int, tuple[str, ...]]]:
    """A cell's numbers by sign and number of digits, the likeliest of each first."""
    groups: dict[tuple[bool, int], list[str]] = {}
    for text, probability in sorted(found.items(), key=lambda item: -item[1]):
        digits = text.removeprefix("-")
        if probability >= LEAST_TEXT and digits.isdigit() and len(digits) <= len(str(MAX_NUMBER)):
            groups.setdefault((text.startswith("-"), len(digits)), []).append(text)
    return [(cell, tuple(texts)) for texts in groups.values()]


def places_of(steps: Probabilities, rows: Sequence[tuple[int, str]], symbols: Sequence[str]) -> list[Floats]:
    """Where along the steps each symbol of a text is seen, for each of m rows (n, text): float64 [symbols] each.

    Along the likeliest one of all ways to say the text (Viterbi), the mean of the steps that show the symbol, each
    weighed by its probability.
    """
    number = {symbol: k for k, symbol in enumerate(symbols, start=1)}
    longest = max((len(text) for _, text in rows), default=0)
    shown = np.zeros((len(rows), 2 * longest + 1), dtype=np.intp)  # symbol at each place, 0 in gaps
    straight = np.zeros(shown.shape, dtype=np.bool_)  # where no gap is needed after the symbol before
    for row, (_, text) in enumerate(rows):
        for k, symbol in enumerate(text):
            shown[row, 2 * k + 1] = number[symbol]
            straight[row, 2 * k + 1] = k > 0 and text[k - 1] != symbol
    of = np.array([n for n, _ in rows], dtype=np.intp)
    every = np.arange(len(rows))
    chances = np.log(np.maximum(steps, LEAST).astype(np.float64))
    best = np.full(shown.shape, -np.inf)
    best[:, 0] = 0.0
    came = np.zeros((steps.shape[1], *shown.shape), dtype=np.intp)
    for step in range(steps.shape[1]):
        ways = np.full((3, *shown.shape), -np.inf)
        ways[0] = best
        ways[1, :, 1:] = best[:, :-1]
        ways[2, :, 2:] = np.where(straight[:, 2:], best[:, :-2], -np.inf)
        came[step] = ways.argmax(axis=0)
        best = ways.max(axis=0) + chances[of[:, None], step, shown]
    last = np.array([2 * len(text) for _, text in rows], dtype=np.intp)
    at = np.where((last > 0) & (best[every, np.maximum(last - 1, 0)] > best[every, last]), last - 1, last)
    sums = np.zeros((2, *shown.shape))
    for step in range(steps.shape[1] - 1, -1, -1):
        weight = np.exp(chances[of, step, shown[every, at]])
        sums[:, every, at] += np.stack([weight, weight * step])
        at = at - came[step, every, at]
    means = sums[1] / np.maximum(sums[0], LEAST)
    return [means[row, 1 : 2 * len(text) : 2] for row, (_, text) in enumerate(rows)]


def cut_digits(ink: Pictures, places: Floats) -> list[Pictures]:
    """The ink [h, w] of each of a number's symbols alone, cut to its box, from left to right; [0, 0] without any.

    places: columns, px, at which they were seen. Connected ink goes to the symbol that was seen in it; where several
    were, it is cut between them where there is the least of it; the rest goes to the nearest if that is near.
    """
    mask = (ink > INKED).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8, ltype=cv2.CV_32S)
    masks = [np.zeros(ink.shape, dtype=np.bool_) for _ in places]
    if count > 1:
        boxes = np.asarray(stats[1:], dtype=np.int64)
        left, area = boxes[:, cv2.CC_STAT_LEFT], boxes[:, cv2.CC_STAT_AREA]
        right = left + boxes[:, cv2.CC_STAT_WIDTH]
        holds = [_holder(left, right, area, float(place)) for place in places]
        for k in range(count - 1):
            own = [symbol for symbol, holder in enumerate(holds) if holder == k]
            part = np.asarray(np.asarray(labels) == k + 1, dtype=np.bool_)
            if not own:
                gaps = [max(left[holder] - right[k], left[k] - right[holder], 0) for holder in holds]
                near = int(np.argmin(gaps))
                if gaps[near] <= APART_PX and holds.count(holds[near]) == 1:
                    masks[near] |= part
                continue
            for symbol, piece in zip(own, _parted(ink, part, places[own]), strict=True):
                masks[symbol] |= piece
    return [_boxed(ink, one) for one in masks]


def _holder(left: Whole, right: Whole, area: Whole, at: float) -> int:
    """Which connected ink a symbol seen at a column is: the largest there, or else the nearest."""
    gap = np.maximum(np.maximum(left - 1 - at, at - right), 0.0)
    return int(np.lexsort((-area, gap))[0])


def _parted(ink: Pictures, part: Mask, places: Floats) -> list[Mask]:
    """Connected ink cut between symbols: one mask each."""
    if len(places) == 1:
        return [part]
    columns = np.arange(ink.shape[1])[None, :]
    edges = [np.zeros(len(ink), dtype=np.intp)]
    edges += [_seam(np.where(part, ink, 0).astype(np.uint8), a, b) for a, b in itertools.pairwise(places.tolist())]
    edges.append(np.full(len(ink), ink.shape[1]))
    return [part & (columns >= a[:, None]) & (columns < b[:, None]) for a, b in itertools.pairwise(edges)]


def _seam(ink: Pictures, start: float, end: float) -> npt.NDArray[np.intp]:
    """The way from top to bottom through the least ink between two columns: a column for each row."""
    first, last = int(start) + 1, max(int(np.ceil(end)), int(start) + 2)
    first, last = max(0, min(first, ink.shape[1] - 2)), min(last, ink.shape[1])
    aside = np.abs(np.linspace(-1, 1, last - first)) if last - first > 1 else np.zeros(last - first)
    # With a column without a way at each side.
    cost = np.pad(ink[:, first:last] / 255 + PAPER + ASIDE * aside, ((0, 0), (1, 1)), constant_values=np.inf)
    for above, own in itertools.pairwise(cost):
        own[1:-1] += np.minimum(above[1:-1], np.minimum(above[:-2], above[2:]) + PAPER)
    way = np.zeros(len(cost), dtype=np.intp)
    way[-1] = cost[-1].argmin()
    for row in range(len(cost) - 2, -1, -1):
        low = way[row + 1] - 1
        way[row] = low + cost[row, low : low + 3].argmin()
    return np.asarray(way + (first - 1), dtype=np.intp)


def _boxed(ink: Pictures, mask: Mask) -> Pictures:
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not rows.size:
        return np.zeros((0, 0), dtype=np.uint8)
    box = (slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1))
    return np.where(mask[box], ink[box], 0).astype(np.uint8)
