"""The digit reader against Tesseract, on the same cells in one run.

    python benchmarks/reader_speed.py [PHOTO ...]

The cells of the shipped samples (or of the photos given) go one by one through Tesseract as single characters (`--psm
10`, digits only), as people do it, and all at once through the reader, on one thread as Tesseract. Printed are the time
of 100 cells each, the ratio, and how many of the cells with a digit either reads rightly where the truth is beside the
photo. Without a Tesseract only the reader's time is printed. `--at-most MS` fails when 100 cells take longer.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from scanner.cells import cut
from scanner.intake import load
from scanner.locate import NotFound, locate
from scanner.read.reader import MODEL_FOLDER, DigitReader
from scanner.templates import load_templates
from scanner.text import find_tesseract

SAMPLES = Path(__file__).resolve().parent.parent / "samples"
ROUNDS = 15
CELLS = 100
SCALE = 3
"""Tesseract wants letters of 30 px and more."""


def cells_of(photo_file: Path) -> tuple[npt.NDArray[np.uint8], list[str]] | None:
    """The reader's pictures of a photo's largest square grid, and what they truly hold ("" for unknown); or null."""
    photo = next(iter(load(photo_file)))
    found = locate(photo, [template for template in load_templates().values() if template.grid is not None])
    truth_file = photo_file.with_suffix(".json")
    truth = json.loads(truth_file.read_text(encoding="utf-8"))["cells"] if truth_file.exists() else {}
    if isinstance(found, NotFound):
        return None
    batch = cut(photo, found[0])
    return batch.ink, ["" if truth.get(cell) is None else str(truth[cell]) for cell in batch.ids]


def tesseract_reads(pictures: npt.NDArray[np.uint8]) -> list[str]:
    """One cell at a time, dark on light, with a margin."""
    import pytesseract

    found = find_tesseract()
    assert found is not None
    pytesseract.pytesseract.tesseract_cmd = found.command
    folder = f"--tessdata-dir {found.tessdata} " if found.tessdata else ""
    config = f"{folder}--psm 10 -c tessedit_char_whitelist=0123456789"
    read = []
    for picture in pictures[:, 0]:
        large = cv2.resize(255 - picture, None, fx=SCALE, fy=SCALE, interpolation=cv2.INTER_CUBIC)
        read.append(str(pytesseract.image_to_string(large, config=config)).strip())
    return read


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="The reader against Tesseract.")
    parser.add_argument("photos", nargs="*", type=Path, default=sorted(SAMPLES.glob("*.jpg")))
    parser.add_argument("--at-most", type=float, help="milliseconds for 100 cells on one core")
    chosen = parser.parse_args()
    parts = [part for photo in chosen.photos if (part := cells_of(photo)) is not None]
    if not parts:
        raise SystemExit("no photo with a square grid")
    pictures = np.concatenate([ink for ink, _ in parts])
    true = [value for _, values in parts for value in values]
    inked = np.flatnonzero(pictures.reshape(len(pictures), -1).any(axis=1))
    # Cells without a trace of ink are read once for all; only cells that the net really sees are timed.
    pictures, true = pictures[inked], [true[k] for k in inked.tolist()]
    reader = DigitReader(MODEL_FOLDER / "digits-1.onnx", threads=1)
    hundred = pictures[np.arange(CELLS) % len(pictures)]
    reader.probabilities(hundred)
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        reader.probabilities(hundred)
        times.append(time.perf_counter() - began)
    ours = statistics.median(times)
    classes = reader.probabilities(pictures)[0].argmax(axis=1)
    digits = [k for k, value in enumerate(true) if value.isdigit()]
    right = sum(reader.classes[classes[k]] == true[k] for k in digits)
    print(f"reader: {1000 * ours:.1f} ms for {CELLS} cells, one thread; {right} of {len(digits)} digits right")
    if find_tesseract() is None:
        print("Tesseract is not installed: no ratio")
    else:
        began = time.perf_counter()
        read = tesseract_reads(pictures[:CELLS])
        theirs = (time.perf_counter() - began) * CELLS / len(read)
        known = [k for k in digits if k < CELLS]
        hits = sum(read[k] == true[k] for k in known)
        print(f"Tesseract: {1000 * theirs:.0f} ms for {CELLS} cells; {hits} of {len(known)} digits right")
        print(f"ratio: Tesseract takes {theirs / ours:.0f} times as long")
    if chosen.at_most is not None and 1000 * ours > chosen.at_most:
        print(f"more than {chosen.at_most} ms")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
