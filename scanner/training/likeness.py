"""What likeness to a sheet's clear digits counts (`scanner.read.one_hand`), fitted on what no reader trained on:

    python -m scanner.training.likeness --shared DIR --cache DIR

Needs the cache of `scanner.training.train` and `scanner.training.folds`, which come first. Prints the weights, to be
put into `scanner.read.one_hand`, and writes ``likeness.json`` into the cache folder: how well the folds' readers read
sheets of one hand, each fold with weights that were fitted to the others. They are fitted by likelihood, on sheets
whose cells the readers had never seen:

- digits that the folds' readers read of the writers left out (but the test writers), dealt into sheets of 10 to 90,
  some digits often and some seldom, as on pads;
- generated photos of finished pads and Sudokus, and generated sheets with notes, scribbles and strokes, by the hands
  and fonts of the tuning part;
- the real photos of the tuning part.
"""

from __future__ import annotations

import argparse
import json
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from scanner.bench.intervals import share_of
from scanner.read.classes import CLASSES
from scanner.read.one_hand import WEIGHTS, Likeness, Weights, digit_columns, likeness, one_hand, settled
from scanner.read.reader import DigitReader
from scanner.read.readings import Readings
from scanner.training.folds import FOLDS, Tested, tested_of
from scanner.training.photos import finished_sheets
from scanner.training.real import real_cells, true_photos
from scanner.training.sheets import Labelled, SheetMaker
from scanner.training.split import SWISS_TEST, SWISS_VAL
from scanner.training.train import SEED, hands_of, legible, pools

DIGITS: Final = digit_columns(CLASSES)
SIZES: Final = (10, 15, 20, 30, 45, 60, 90)
"""Digits on a dealt sheet."""
UNEVEN: Final = (0.7, 0.03)
"""How unevenly digits are dealt: the shape of a gamma distribution of their shares, and the least share."""
DEALS: Final = 8
"""Sheets that are dealt of each writer."""
PHOTOS: Final = 90
MADE: Final = 300
"""Generated photos of finished sheets, and generated sheets with everything else."""
OF_MADE: Final = 0.2
OF_DEALT: Final = 0.3
OF_REAL: Final = 0.5
"""What a cell of each part counts against one of a finished sheet. On finished sheets scribbles are rare, on the made
ones they are half of what is written: so much of them that they aren't taken for digits more often than before."""
SHEET: Final = 60
"""Digits of a sheet on which the folds are tested."""
ROUNDS: Final = 5
"""How often each writer's digits are dealt."""
RIDGE: Final = 2e-5
"""What the square of a weight costs: little, unless examples are so few that likeness explains them all."""
LEAST: Final = 1e-6
BETWEEN: Final = ("own", "like")
"""The weights that decide between digits."""
WHETHER: Final = ("digit", "other")
"""Those that decide whether it is one."""
ASKED: Final = 0.02
"""Share of the digits, the least sure ones, after which `errors_left` counts."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Unclear cells: what was read before, float64 [m, classes]; their likeness; what they are, int64 [m]."""

    before: npt.NDArray[np.float64]
    found: Likeness
    true: npt.NDArray[np.int64]

    def loss(self, weights: Weights) -> float:
        """Negative log likelihood of the truth."""
        after = settled(self.before, DIGITS, self.found, weights)
        return float(-np.log(np.maximum(after[np.arange(len(after)), self.true], LEAST)).mean())

    @property
    def digits(self) -> Rows:
        """Those that are digits, as if nothing else could be."""
        kept = np.flatnonzero(self.true < len(DIGITS))
        before = self.before[kept]
        before[:, len(DIGITS) :] = 0
        return Rows(before / before.sum(axis=1, keepdims=True), _of(self.found, kept), self.true[kept])


def _of(found: Likeness, kept: npt.NDArray[np.int64]) -> Likeness:
    return Likeness(found.rows[kept], found.known[kept], found.like[kept])


def rows_of(readings: Sequence[Readings], true: Sequence[npt.NDArray[np.int64]]) -> Rows:
    """The unclear cells of many sheets. true: int64 [n] of each sheet."""
    before, found, truth = [], [], []
    for read, classes in zip(readings, true, strict=True):
        here = likeness(read)
        if here is not None:
            before.append(read.probabilities[here.rows].astype(np.float64))
            found.append(here)
            truth.append(classes[here.rows])
    every = (np.concatenate([getattr(one, name) for one in found]) for name in ("rows", "known", "like"))
    return Rows(np.concatenate(before), Likeness(*every), np.concatenate(truth))


def read_rows(sheets: Sequence[Labelled], reader: DigitReader) -> Rows:
    """The unclear cells of sheets as a reader reads them. Print and hand are told apart by truth."""
    readings = []
    for sheet in sheets:
        probabilities, _, traits = reader.with_traits(sheet.pictures)
        readings.append(
            Readings(_ids(len(sheet)), reader.classes, probabilities, (sheet.ink == 1).astype(np.float32), traits)
        )
    return rows_of(readings, [sheet.classes for sheet in sheets])


def _ids(count: int) -> tuple[str, ...]:
    return tuple(f"c{number}" for number in range(count))


def dealt(tested: Tested, rng: np.random.Generator, deals: int, *, but: frozenset[int]) -> Rows:
    """A fold's digits, each writer's dealt into `deals` sheets of uneven contents, without the writers `but`."""
    chosen = []
    for writer in sorted({int(one) for one in tested.writer} - but):
        pool = np.flatnonzero(tested.writer == writer)
        for _ in range(deals):
            share = rng.gamma(UNEVEN[0], 1.0, len(DIGITS)) + UNEVEN[1]
            weight = share[tested.true[pool]]
            chosen.append(rng.choice(pool, int(rng.choice(SIZES)), replace=False, p=weight / weight.sum()))
    return rows_of(*zip(*(sheet_of(tested, one) for one in chosen), strict=True)).digits


def sheet_of(tested: Tested, chosen: npt.NDArray[np.int64]) -> tuple[Readings, npt.NDArray[np.int64]]:
    """Some of a fold's digits as a sheet: readings and truth."""
    hand = np.zeros(len(chosen), np.float32)
    read = Readings(_ids(len(chosen)), CLASSES, tested.probabilities[chosen], hand, tested.traits[chosen])
    return read, tested.true[chosen]


def fitted(start: Weights, free: Sequence[str], parts: Sequence[tuple[float, Rows]]) -> Weights:
    """The weights with those named in `free` at the least loss over the parts, each with its share."""

    def of(values: npt.NDArray[np.float64]) -> Weights:
        return replace(start, **dict(zip(free, values.tolist(), strict=True)))

    def loss(values: npt.NDArray[np.float64]) -> float:
        return sum(share * rows.loss(of(values)) for share, rows in parts) + RIDGE * float(values @ values)

    first = np.array([getattr(start, name) for name in free], dtype=np.float64)
    return of(minimize(loss, first, method="BFGS").x)


def figures(folds: Sequence[Tested], parts: Sequence[Rows], sheets: Sequence[tuple[float, Rows]]) -> dict[str, Any]:
    """Digits that no reader knew, on sheets of one hand, each fold's by weights that are fitted to the other folds.

    parts: the rows of each fold. sheets: the shares and rows of the generated sheets, which count for the folds that
    have none of the hands that fill them in.
    """
    rng = np.random.default_rng(SEED + 1)
    writer, true, alone, together = [], [], [], []
    for number, fold in enumerate(folds):
        others = [(OF_DEALT / len(folds), rows) for place, rows in enumerate(parts) if place != number]
        others += [] if SWISS_VAL & {int(who) for who in fold.writer} else sheets
        weights = fitted(WEIGHTS, BETWEEN, others)
        for _ in range(ROUNDS):
            for who in np.unique(fold.writer):
                pool = rng.permutation(np.flatnonzero(fold.writer == who))
                for chosen in np.array_split(pool, round(len(pool) / SHEET)):
                    read, classes = sheet_of(fold, chosen)
                    writer.append(fold.writer[chosen])
                    true.append(classes)
                    alone.append(read.probabilities)
                    together.append(one_hand(read, weights).probabilities)
    who, truth = np.concatenate(writer), np.concatenate(true)
    both = {"alone": np.concatenate(alone), "one hand a sheet": np.concatenate(together)}
    return {"digits": len(truth) // ROUNDS, "rounds": ROUNDS} | {
        name: _figures(who, truth, probabilities) for name, probabilities in both.items()
    }


def _figures(
    writer: npt.NDArray[np.int64], true: npt.NDArray[np.int64], probabilities: npt.NDArray[np.float32]
) -> dict[str, Any]:
    read, chance = probabilities.argmax(axis=1), probabilities[np.arange(len(true)), true]
    right, surest = read == true, probabilities.max(axis=1)
    kept = np.argsort(surest, kind="stable")[round(ASKED * len(true)) :]
    one_seven = ((true == 1) & (read == 7)) | ((true == 7) & (read == 1))
    by_writer = {str(who): round(float(right[writer == who].mean()), 5) for who in np.unique(writer).tolist()}
    return {
        "accuracy": share_of(right, np.unique(writer, return_inverse=True)[1]).document(),
        "by_writer": by_writer,
        "worst_writer": min(by_writer.values()),
        "one_for_seven": round(float(one_seven.mean()), 5),
        "nll": round(float(-np.log(np.maximum(chance, LEAST)).mean()), 5),
        "errors_left": round(float(1 - right[kept].mean()), 5),
        "wrong_at_99": round(float((~right & (surest >= 0.99)).mean()), 5),
    }


def _kept(cache: Path, name: str, sheets: Iterator[Labelled]) -> list[Labelled]:
    out = cache / f"likeness-{name}.pickle"
    if not out.exists():
        out.write_bytes(pickle.dumps(list(sheets)))
    made: list[Labelled] = pickle.loads(out.read_bytes())
    return made


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="Fit what likeness counts.")
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path("training-cache"))
    chosen = parser.parse_args()
    cv2.setNumThreads(1)
    reader, rng = DigitReader(), np.random.default_rng(SEED)
    glyphs, symbols = pools(chosen.cache)
    tuning = glyphs.select(glyphs.split == "val")
    hands, typefaces = hands_of(tuning, only=SWISS_VAL)
    maker = SheetMaker(tuning, symbols.select(symbols.split == "val"), SEED + 17)
    finished = read_rows(_kept(chosen.cache, "finished", finished_sheets(hands, typefaces, PHOTOS, SEED)), reader)
    made = read_rows(_kept(chosen.cache, "made", (legible(maker.batch()) for _ in range(MADE))), reader)
    photos = (real_cells(photo, 0, SEED) for photo in true_photos(chosen.shared) if photo.split == "val")
    real = read_rows(_kept(chosen.cache, "real", (cells for cells in photos if cells is not None)), reader)
    folds = [tested_of(number, chosen.cache) for number in range(FOLDS)]
    crops = [dealt(fold, rng, DEALS, but=SWISS_TEST) for fold in folds]
    start = WEIGHTS
    sheets = [(1.0, finished.digits), (OF_MADE, made.digits)]
    weights = fitted(start, BETWEEN, [*sheets, *((OF_DEALT / FOLDS, one) for one in crops)])
    weights = fitted(weights, WHETHER, [(1.0, finished), (OF_MADE, made), (OF_REAL, real)])
    nothing = Weights(1.0, *(0.0 for _ in astuple(weights)[1:]))
    for name, rows in (
        ("finished", finished),
        ("made", made),
        ("real", real),
        *((f"fold {k}", one) for k, one in enumerate(crops)),
    ):
        print(f"{name:>9}: {len(rows.true)} unclear cells, loss {rows.loss(nothing):.4f} -> {rows.loss(weights):.4f}")
    print(weights)
    text = json.dumps(figures(folds, crops, sheets), indent=1)
    (chosen.cache / "likeness.json").write_text(text + "\n", encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
