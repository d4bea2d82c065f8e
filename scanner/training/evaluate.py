"""Figures of a model on what never trained or tuned it:

    python -m scanner.training.evaluate --shared DIR --cache DIR --model scanner/data/models/digits-1.onnx

prints them and writes them beside the model as JSON, where the model card quotes them from.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scanner.bench import run as bench
from scanner.digits import run as digits
from scanner.read.classes import CLASSES
from scanner.read.one_hand import one_hand
from scanner.read.reader import DigitReader
from scanner.read.readings import Readings
from scanner.templates import get_template
from scanner.training.real import FOLDERS, true_photos
from scanner.training.sheets import Labelled
from scanner.training.single import cells_of, mnist_crops, swiss_crops
from scanner.training.split import SWISS_TEST
from scanner.training.train import generated, generated_hexes, generated_photos, legible

TEST_SHEETS, TEST_PHOTOS, TEST_HEXES = 500, 100, 50
CHUNK = 1000
HAND_SHEETS, HAND_CELLS = 40, 44
"""Made-up sheets a writer, of as many cells as a Splitter pad has."""
LEAST = 1e-6


@contextmanager
def _linked(files: list[tuple[Path, str]]) -> Iterator[Path]:
    """A folder with links to files, each under the given name."""
    with tempfile.TemporaryDirectory() as temporary:
        for file, name in files:
            link = Path(temporary) / name
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(file.resolve())
        yield Path(temporary)


def photos(shared: Path, folder: str, reader: DigitReader) -> dict[str, Any]:
    """The whole chain on the photos of one source that belong to the test part."""
    chosen = [photo.path for photo in true_photos(shared) if photo.split == "test" and photo.path.parent.name == folder]
    files = [(file, file.name) for path in chosen for file in (path, path.with_suffix(".json"))]
    with _linked(files) as linked:
        document = bench(linked, templates=[get_template("sudoku")], reader=reader).document()
    keys = (
        "photos",
        "puzzles",
        "found",
        "upright",
        "cells",
        "digits",
        "blanks",
        "candidates",
        "boards",
        "sure",
        "silent",
    )
    return {
        key: document[key] for key in (*keys, "asked", "confusions", "corner_error", "calibration", "risk_coverage")
    }


def swiss(shared: Path, reader: DigitReader) -> dict[str, Any]:
    """Crops of the Swiss writers whom nobody trained on."""
    crops = [
        (path, f"{path.parent.name}/{path.name}")
        for path in sorted((shared / "digits-swiss").glob("[0-9]/*.png"))
        if int(path.name.split("-")[0]) in SWISS_TEST
    ]
    with _linked(crops) as linked:
        document = digits(linked, reader=reader).document()
    keys = ("n", "accuracy", "interval", "writers", "worst_writer", "confusions", "calibration", "risk_coverage")
    return {key: document[key] for key in keys}


def one_hand_ablation(shared: Path, reader: DigitReader) -> dict[str, Any]:
    """What one hand a sheet brings: made-up sheets of crops, each by one test writer, read without it and with it."""
    rng = np.random.default_rng(0)
    right: dict[str, list[bool]] = {"without": [], "with": []}
    losses: dict[str, list[float]] = {"without": [], "with": []}
    for writer in sorted(SWISS_TEST):
        part = cells_of(*swiss_crops(shared, frozenset({writer})), 0, 0)
        probabilities, printed, traits = reader.with_traits(part.pictures)
        for _ in range(HAND_SHEETS):
            chosen = rng.choice(len(part), min(HAND_CELLS, len(part)), replace=False)
            ids = tuple(f"r1c{k + 1}" for k in range(len(chosen)))
            alone = Readings(ids, reader.classes, probabilities[chosen], printed[chosen], traits[chosen])
            for name, readings in (("without", alone), ("with", one_hand(alone))):
                truth = part.classes[chosen]
                right[name] += (readings.probabilities.argmax(axis=1) == truth).tolist()
                likely = readings.probabilities[np.arange(len(truth)), truth]
                losses[name] += (-np.log(np.maximum(likely, LEAST))).tolist()
    return {
        name: {"accuracy": round(float(np.mean(right[name])), 5), "nll": round(float(np.mean(losses[name])), 5)}
        for name in right
    }


def mnist(shared: Path, reader: DigitReader) -> dict[str, Any]:
    """MNIST's own test file, as crops."""
    crops, digits = mnist_crops(shared, "t10k")
    part = cells_of(crops, digits, 0, 0)
    right = _read(part, reader) == part.classes
    return {"n": len(part), "accuracy": round(float(right.mean()), 5)}


def _read(part: Labelled, reader: DigitReader) -> npt.NDArray[np.int64]:
    chunks = range(0, len(part), CHUNK)
    return np.concatenate([reader.probabilities(part.pictures[k : k + CHUNK])[0].argmax(axis=1) for k in chunks])


def generated_cells(part: Labelled, reader: DigitReader) -> dict[str, Any]:
    """Cells generated with held-out fonts and writers; no figure of these is one of people's handwriting."""
    read = _read(part, reader)
    by_class = {
        name: round(float((read == number)[part.classes == number].mean()), 4)
        for number, name in enumerate(CLASSES)
        if (part.classes == number).any()
    }
    return {"n": len(part), "accuracy": round(float((read == part.classes).mean()), 4), "by_class": by_class}


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="Figures of a model on its test parts.")
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path("training-cache"))
    parser.add_argument("--model", type=Path, default=Path("scanner/data/models/digits-1.onnx"))
    chosen = parser.parse_args()
    reader = DigitReader(chosen.model)
    figures: dict[str, Any] = {"model": reader.name}
    figures |= {folder: photos(chosen.shared, folder, reader) for folder in FOLDERS}
    figures |= {"digits-swiss": swiss(chosen.shared, reader), "mnist": mnist(chosen.shared, reader)}
    figures["one hand a sheet"] = one_hand_ablation(chosen.shared, reader)
    sheets = legible(generated(chosen.cache, "test", TEST_SHEETS, 1))
    pads = generated_photos(chosen.cache, "test", TEST_PHOTOS, 1)
    figures |= {"generated sheets": generated_cells(sheets, reader), "generated photos": generated_cells(pads, reader)}
    figures["generated hex sheets"] = generated_cells(generated_hexes(chosen.cache, "test", TEST_HEXES, 1), reader)
    text = json.dumps(figures, indent=1)
    chosen.model.with_suffix(".json").write_text(text + "\n", encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
