"""What likeness to the other digits of a card counts (`scanner.read.number_hand`), fitted by likelihood:

    python -m scanner.training.number_hand --glyphs FILE.npz --cards 240 --seed 41

Generated photos of cards by the hands of the validation part, each card by one hand. Prints the weights, to be put into
`scanner.read.number_hand`, and what they bring on every third card, which they are not fitted to. FILE is what
`scanner.training.glyphs` wrote.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from scanner.cells_table import cut_table
from scanner.intake import load
from scanner.locate import NotFound, locate
from scanner.locate.table_placement import TablePlacement
from scanner.read.alike import default_alike
from scanner.read.number_hand import WEIGHTS, Compared, Weights, compare, weighed
from scanner.read.number_reader import NumberReader, default_number_reader, meaning
from scanner.simulate.hands import Shapes
from scanner.simulate.numerals import Numeral
from scanner.simulate.scorecards import Card, Chances, random_game, simulate_card, truth_of
from scanner.simulate.sheet import Setting
from scanner.templates import get_template
from scanner.training.glyphs import GlyphPool
from scanner.training.numbers import NOTHING, hands_of

KINDS: Final = ("kniffel", "loopit-pad")
CHANCES: Final = Chances(blank=0.02, nothing=0.05)
PHOTO_PX: Final = (1632, 1224)
"""A photo of two megapixels."""
FOUND: Final = 0.65
"""Share of the numbers that are read right where a card's cells were found rightly."""
HELD_OUT: Final = 3
"""Every third card isn't fitted to."""
LEAST: Final = 1e-4
"""Probability of a true text at least: one that nobody thought of says nothing about the weights."""
FIRST_STEP: Final = 0.3
LAST_STEP: Final = 0.03
"""By which share a weight is changed, at first and at last (it is halved in between)."""
GAIN: Final = 1e-5
"""A change for less than this isn't made: weights that do the same drift otherwise."""


@dataclass(frozen=True, slots=True, eq=False)
class ReadNumbers:
    """A card as read without likeness: the texts of each cell, what is written there, and how alike the digits are."""

    found: tuple[dict[str, float], ...]
    labels: tuple[str, ...]
    compared: Compared | None

    def share_right(self) -> float:
        """Of the numbers, without likeness."""
        numbers = [cell for cell, label in enumerate(self.labels) if label not in ("", NOTHING)]
        best = [max(self.found[cell], key=lambda text, cell=cell: self.found[cell][text]) for cell in numbers]  # type: ignore[misc]
        right = sum(read == self.labels[cell] for read, cell in zip(best, numbers, strict=True))
        return right / max(len(numbers), 1)

    def after(self, weights: Weights) -> list[dict[str, float]]:
        """The texts of each cell after likeness."""
        changed = {} if self.compared is None else weighed(self.found, self.compared, weights)
        return [changed.get(cell, texts) for cell, texts in enumerate(self.found)]

    def loss(self, weights: Weights) -> list[float]:
        """Negative log likelihoods of the numbers that likeness may change and that are among what was read."""
        changed = {} if self.compared is None else weighed(self.found, self.compared, weights)
        return [
            -math.log(max(texts[self.labels[cell]], LEAST))
            for cell, texts in changed.items()
            if self.labels[cell] in texts
        ]


def read_card(number: int, seed: int, hands: Sequence[Shapes], reader: NumberReader) -> ReadNumbers | None:
    """A card as the reader reads it before likeness counts; null where the photo's cells aren't found for sure."""
    rng = np.random.default_rng((seed, number))
    template = get_template(KINDS[number % len(KINDS)])
    card = Card(template, random_game(template, rng, CHANCES), hands[int(rng.integers(len(hands)))])
    long, short = max(PHOTO_PX), min(PHOTO_PX)
    size = (short, long) if template.size[1] > template.size[0] else (long, short)
    shot = simulate_card(card, seed=(seed, number), setting=Setting(size=size))
    photo = next(load(shot.file(), name=f"card {number}", long_side=long))
    found = locate(photo, [template])
    if isinstance(found, NotFound) or not isinstance(found[0], TablePlacement):
        return None
    batch = cut_table(photo, found[0])
    ids = [cell for cell, present in zip(batch.ids, batch.present.tolist(), strict=True) if present]
    read = read_numbers(batch.ink[batch.present], [_label(card.numerals.get(cell)) for cell in ids], reader)
    return read if read.share_right() >= FOUND else None


def _label(numeral: Numeral | None) -> str:
    truth = None if numeral is None else truth_of(numeral)
    return "" if truth is None else NOTHING if isinstance(truth, str) else str(truth)


def read_numbers(ink: npt.NDArray[np.uint8], labels: Sequence[str], reader: NumberReader) -> ReadNumbers:
    """Cells of one card, uint8 [n, 2, 40, 112], with what is written there."""
    steps, found = reader.looked(ink)
    return ReadNumbers(tuple(found), tuple(labels), compare(ink, steps, found, reader.symbols, default_alike()))


def fitted(start: Weights, cards: Sequence[ReadNumbers]) -> Weights:
    """The weights, all above zero, under which the truth is likeliest: one after the other is made a little more or
    less, less and less (pattern search of Hooke and Jeeves, 1961)."""

    def loss(weights: Weights) -> float:
        return float(np.mean([one for card in cards for one in card.loss(weights)]))

    best, least, step = start, loss(start), FIRST_STEP
    while step >= LAST_STEP:
        moved = False
        for name, factor in itertools.product((field.name for field in fields(Weights)), (1 + step, 1 / (1 + step))):
            other = replace(best, **{name: getattr(best, name) * factor})
            if (lost := loss(other)) < least - GAIN:
                best, least, moved = other, lost, True
        if not moved:
            step /= 2
    return best


def figures(cards: Sequence[ReadNumbers], weights: Weights | None) -> str:
    """How many numbers are right, and their mean negative log likelihood; null weights: without likeness."""
    right, lost = [], []
    for card in cards:
        for texts_found, label in zip(card.found if weights is None else card.after(weights), card.labels, strict=True):
            if label not in ("", NOTHING):
                right.append(meaning(max(texts_found, key=lambda text: texts_found[text])) == meaning(label))
                lost.append(-math.log(max(texts_found.get(label, 0.0), LEAST)))
    return f"{len(right) - sum(right)} of {len(right)} numbers wrong, negative log likelihood {np.mean(lost):.4f}"


def main(argv: Sequence[str] | None = None) -> int:
    """The command; progress goes to stderr."""
    parser = argparse.ArgumentParser("python -m scanner.training.number_hand", description="Fit what likeness counts.")
    parser.add_argument("--glyphs", type=Path, required=True, help="what scanner.training.glyphs wrote")
    parser.add_argument("--cards", type=int, default=240)
    parser.add_argument("--seed", type=int, default=41)
    options = parser.parse_args(argv)
    cv2.setNumThreads(1)
    hands, reader = hands_of(GlyphPool.load(options.glyphs), "val"), default_number_reader()
    cards = []
    for number in range(options.cards):
        cards.append(read_card(number, options.seed, hands, reader))
        if number % 20 == 19:
            print(f"{number + 1} cards", file=sys.stderr, flush=True)
    kept = [card for number, card in enumerate(cards) if card is not None and number % HELD_OUT]
    rest = [card for card in cards[::HELD_OUT] if card is not None]
    weights = fitted(WEIGHTS, kept)
    print(f"{weights}\ncards fitted to: {figures(kept, None)}; with likeness: {figures(kept, weights)}")
    print(f"other cards: {figures(rest, None)}; with likeness: {figures(rest, weights)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
