"""How hard photos are for the reader alone, real or generated: neither the rules nor questions help it here.

Generated photos at their default severity must be no easier than real ones, or what is measured on them says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scanner.cells import cut
from scanner.intake import Photo, load
from scanner.locate import NotFound, locate
from scanner.orient import quarter_turn_order
from scanner.read.reader import DigitReader
from scanner.simulate import HandSource, make_puzzle, simulate
from scanner.simulate.writing import Contents
from scanner.templates import Template, get_template

LEAST = 1e-6
"""Probability that a reading is given at least, so that one wrong cell can't outweigh all others."""


@dataclass(frozen=True, slots=True)
class Known:
    """A photo and what is truly in the cells of the one sheet on it: a number, "candidates", "struck", or null."""

    photo: Photo
    cells: Contents


@dataclass(frozen=True, slots=True)
class Severity:
    """How a reader did on photos of one kind.

    photos, found: how many, and on how many the sheet was found; the other figures are of those. cells, digits, blanks:
    how many cells, those with a number, blank ones. wrong, wrong_digits, wrong_blanks: those of them whose likeliest
    reading is another. log_loss: mean negative log likelihood of what is truly in a cell, nats.
    """

    photos: int
    found: int
    cells: int
    wrong: int
    digits: int
    wrong_digits: int
    blanks: int
    wrong_blanks: int
    log_loss: float

    @property
    def error(self) -> float:
        """Share of the cells that are read wrongly."""
        return self.wrong / max(self.cells, 1)

    @property
    def digit_error(self) -> float:
        """Share of the cells with a number that are read wrongly."""
        return self.wrong_digits / max(self.digits, 1)

    @property
    def blank_error(self) -> float:
        """Share of the blank cells that are read as anything else."""
        return self.wrong_blanks / max(self.blanks, 1)

    def error_at_mix_of(self, other: Severity) -> float:
        """Share of numbers and blank cells read wrongly if there were as many of each as in `other`."""
        return (other.digits * self.digit_error + other.blanks * self.blank_error) / max(other.digits + other.blanks, 1)


def severity(known: Iterable[Known], template: Template, reader: DigitReader) -> Severity:
    """Reads all photos. Which way up a sheet lies is taken from the truth, as far as the template leaves it open."""
    photos = found = 0
    names: list[str] = []
    right: list[bool] = []
    losses: list[float] = []
    for one in known:
        photos += 1
        placements = locate(one.photo, [template])
        if isinstance(placements, NotFound):
            continue
        found += 1
        batch = cut(one.photo, placements[0])
        true = [_name(one.cells[cell_id]) for cell_id in batch.ids if cell_id in one.cells]
        column = np.array([reader.classes.index(name) for name in true])
        ways = []
        for turn in (0, *placements[0].turns):
            order = quarter_turn_order(template, turn)
            probabilities = reader.read(batch.turned(batch.ids, order, turn)).probabilities[: len(true)]
            ways.append((int((probabilities.argmax(axis=1) == column).sum()), turn, probabilities))
        _, _, best = max(ways, key=lambda way: way[:2])
        names += true
        right += list(best.argmax(axis=1) == column)
        losses += list(-np.log(np.maximum(best[np.arange(len(true)), column], LEAST)))
    is_digit = np.array([name.isdigit() for name in names], dtype=np.bool_)
    is_blank = np.array([name == "blank" for name in names], dtype=np.bool_)
    wrong = ~np.array(right, dtype=np.bool_)
    return Severity(
        photos,
        found,
        len(names),
        int(wrong.sum()),
        int(is_digit.sum()),
        int((wrong & is_digit).sum()),
        int(is_blank.sum()),
        int((wrong & is_blank).sum()),
        float(np.mean(losses)) if losses else 0.0,
    )


def _name(value: int | str | None) -> str:
    """The class of a cell's truth."""
    return "blank" if value is None else str(value)


def generated_sudokus(hands: Sequence[HandSource], count: int, *, first_seed: int = 0) -> Iterator[Known]:
    """Photos of Sudokus at the default severity, by turns in each of the hands; the same ones every time.

    Each has some of its open cells filled in, from none to all: the real ones are from fresh to solved as well.
    """
    template = get_template("sudoku")
    for seed in range(first_seed, first_seed + count):
        rng = np.random.default_rng([seed, 1])
        puzzle = make_puzzle(seed, givens=int(rng.integers(24, 36)))
        share = rng.random()
        contents: dict[str, int | str | None] = {
            cell_id: value if cell_id in puzzle.printed or rng.random() < share else None
            for cell_id, value in puzzle.contents().items()
        }
        made = simulate(template, contents, hand=hands[seed % len(hands)], seed=[seed, 2], printed=puzzle.printed)
        photo = next(iter(load(made.file(), name=f"generated-{seed}.jpg")))
        yield Known(photo, made.truth.cells)


def real_photos(paths: Iterable[tuple[Path, Mapping[str, int | str | None]]]) -> Iterator[Known]:
    """Photos on disk with what is truly on them."""
    for path, cells in paths:
        yield Known(next(iter(load(path))), cells)
