"""Cross-validation by writer: four readers, each trained without a quarter of the Swiss writers and tested on them.

    python -m scanner.training.folds --shared DIR --cache DIR

Smaller than the shipped reader's training, so that all four take about half an hour to an hour on two cores: what
matters here is hands that nobody trained on. Goes on where an earlier run stopped. Prints the figures and writes
``folds.json`` into the cache folder.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch

from scanner.bench.figures import confusions
from scanner.bench.intervals import share_of
from scanner.read.classes import CLASSES
from scanner.read.second_look import Floats, Pictures, look_again
from scanner.training.net import DigitNet
from scanner.training.sheets import Labelled, SheetMaker, joined
from scanner.training.single import cells_of, mnist_crops, single_digits, swiss_crops
from scanner.training.train import SEED, Plan, fit, legible, logits_of, pools, traits_of, usual_traits

FOLDS: Final = 4
PLAN: Final = Plan(sheets=1500, epochs=6, single_versions=7)


@dataclass(frozen=True, slots=True, eq=False)
class Tested:
    """Digits of writers that a fold's reader never saw: who wrote each, int64 [n], what it is, int64 [n], what was read
    at the first look, int64 [n], the probabilities [n, classes] with second looks, as the shipped reader has them, and
    the traits [n, k].
    """

    writer: npt.NDArray[np.int64]
    true: npt.NDArray[np.int64]
    first: npt.NDArray[np.int64]
    probabilities: Floats
    traits: Floats

    @property
    def read(self) -> npt.NDArray[np.int64]:
        """What was read, with second looks."""
        return np.asarray(self.probabilities.argmax(axis=1), dtype=np.int64)


def writers_of(shared: Path) -> list[int]:
    """All Swiss writers, sorted."""
    return sorted({int(path.name.split("-")[0]) for path in (shared / "digits-swiss").glob("[0-9]/*.png")})


def fold(number: int, cache: Path, shared: Path, plan: Plan) -> tuple[Tested, float]:
    """Trains without one fold's writers; gives their digits as read, and the accuracy on MNIST's test file."""
    torch.manual_seed(SEED + number)
    everybody = writers_of(shared)
    out = frozenset(everybody[number::FOLDS])
    others = frozenset(everybody) - out
    glyphs, symbols = pools(cache)
    known = glyphs.select((glyphs.split != "test") & ~np.isin(glyphs.writer, sorted(out)))
    maker = SheetMaker(known, symbols.select(symbols.split == "train"), SEED + 7 + number)
    sheets = legible(joined([maker.batch() for _ in range(plan.sheets)]))
    single = single_digits(shared, others, plan.single_versions, SEED)
    data = joined([sheets, single])
    parts = [(writer, cells_of(*swiss_crops(shared, frozenset({writer})), 0, SEED)) for writer in sorted(out)]
    tested = joined([part for _, part in parts])
    net = DigitNet().to(memory_format=torch.channels_last)
    net = fit(net, data, {"writers left out": tested}, plan, cache / f"checkpoint-fold-{number}.pt")
    first, probabilities = _read(net, tested)
    mnist = cells_of(*mnist_crops(shared, "t10k"), 0, SEED)
    right = float((_read(net, mnist)[1].argmax(axis=1) == mnist.classes).mean())
    writer = np.concatenate([np.full(len(part), who, dtype=np.int64) for who, part in parts])
    traits = traits_of(net, tested.pictures) - usual_traits(net, single)
    done = Tested(writer, tested.classes, first, probabilities, traits)
    np.savez(_file(number, cache), **{field.name: getattr(done, field.name) for field in fields(Tested)})
    return done, right


def _file(number: int, cache: Path) -> Path:
    return cache / f"tested-fold-{number}.npz"


def tested_of(number: int, cache: Path) -> Tested:
    """What an earlier run read of a fold's writers."""
    with np.load(_file(number, cache)) as kept:
        return Tested(**{field.name: kept[field.name] for field in fields(Tested)})


def _read(net: DigitNet, part: Labelled) -> tuple[npt.NDArray[np.int64], Floats]:
    """Classes [n] by the first look, and probabilities [n, classes] with second ones."""
    look = partial(_looked, net)
    probabilities, printed = look(part.pictures)
    first = probabilities.argmax(axis=1)
    look_again(look, part.pictures, probabilities, printed)
    return first, probabilities


def _looked(net: DigitNet, pictures: Pictures) -> tuple[Floats, Floats]:
    logits, printed = logits_of(net, pictures)
    return np.asarray(torch.softmax(logits, dim=1).numpy()), np.asarray(torch.sigmoid(printed).numpy())


def figures(tested: list[Tested], mnist: list[float]) -> dict[str, Any]:
    """The figures of all folds together, with an interval by writer."""
    names = ("writer", "true", "first", "read")
    writer, true, first, read = (np.concatenate([getattr(one, name) for one in tested]) for name in names)
    right = true == read
    by_writer = {int(who): float(right[writer == who].mean()) for who in np.unique(writer)}
    one_seven = ((true == 1) & (read == 7)) | ((true == 7) & (read == 1))
    return {
        "digits": len(true),
        "accuracy": share_of(right, np.unique(writer, return_inverse=True)[1]).document(),
        "first_look_alone": round(float((first == true).mean()), 5),
        "by_writer": {str(who): round(share, 5) for who, share in by_writer.items()},
        "worst_writer": round(min(by_writer.values()), 5),
        "one_for_seven": round(float(one_seven.mean()), 5),
        "confusions": confusions((CLASSES[t], CLASSES[r]) for t, r in zip(true, read, strict=True)),
        "mnist_test": [round(share, 5) for share in mnist],
    }


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="Cross-validation by writer.")
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path("training-cache"))
    parser.add_argument("--epochs", type=int, default=PLAN.epochs)
    chosen = parser.parse_args()
    plan = Plan(sheets=PLAN.sheets, epochs=chosen.epochs, single_versions=PLAN.single_versions)
    done = [fold(number, chosen.cache, chosen.shared, plan) for number in range(FOLDS)]
    text = json.dumps(figures([tested for tested, _ in done], [mnist for _, mnist in done]), indent=1)
    (chosen.cache / "folds.json").write_text(text + "\n", encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
