"""A folder of cropped digits against the reader: FOLDER/<digit>/*.png, dark ink on light paper.

Anything but the right digit is wrong: another digit, "blank" or "struck", and a file that can't be read as well. Where
the files' names begin with a writer's number (``0001-123.png``), figures are also given by writer, and the interval is
that of writers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import cv2
import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.markup import escape

from scanner import __version__
from scanner.bench.calibration import Calibration, calibration_of
from scanner.bench.figures import confusions
from scanner.bench.intervals import Share, share_of
from scanner.bench.show import add_share, percent, print_calibration, print_confusions, share_table
from scanner.crops import pictures_of
from scanner.errors import FileError, UsageError
from scanner.intake import load
from scanner.read.classes import DIGIT_CLASSES

SUFFIXES: Final = frozenset({".png", ".jpg", ".jpeg"})
BATCH: Final = 256
DECODE_SIDE: Final = 400
"""Pixels of a crop's longer side that suffice; larger ones are decoded smaller."""
UNREADABLE: Final = "unreadable"
SHOWN_WRONG: Final = 10

_WRITER = re.compile(r"(\d+)[-_]")

Progress = Callable[[int, int], None]
"""Told now and then how many crops are done, of how many."""


class CropReader(Protocol):
    """What is asked of a reader here; `scanner.read.reader.DigitReader` is one."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the columns of the probabilities."""
        ...

    def probabilities(self, ink: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Probabilities float32 [n, classes] and of "printed" float32 [n] for pictures uint8 [n, 2, 32, 32]."""
        ...


@dataclass(frozen=True, slots=True)
class Crop:
    """One crop as read. file: below the folder. writer: null where the name tells none.

    read: a class of the reader or "unreadable". confidence: of that; of_truth: probability of the true digit.
    """

    file: str
    writer: str | None
    true: str
    read: str
    confidence: float
    of_truth: float

    @property
    def right(self) -> bool:
        """Whether the true digit was read."""
        return self.read == self.true


@dataclass(frozen=True, slots=True)
class DigitsReport:
    """What became of all crops. by_digit, by_writer: sorted. calibration: of the crops that could be opened."""

    model: str
    crops: tuple[Crop, ...]
    accuracy: Share
    by_digit: dict[str, Share]
    by_writer: dict[str, Share]
    confusions: dict[str, int]
    calibration: Calibration

    @property
    def unreadable(self) -> tuple[str, ...]:
        """The files that couldn't be read."""
        return tuple(crop.file for crop in self.crops if crop.read == UNREADABLE)

    @property
    def worst_writer(self) -> str | None:
        """The writer with the smallest share of right digits; null where there are no two writers."""
        if len(self.by_writer) < 2:
            return None
        return min(self.by_writer, key=lambda writer: (self.by_writer[writer].share or 0.0, writer))

    def document(self) -> dict[str, Any]:
        """The report, ready for JSON; docs/bench.md explains every key."""
        interval = self.accuracy.document()
        worst = self.worst_writer
        return {
            "padscore": __version__,
            "model": self.model,
            "n": self.accuracy.n,
            "right": self.accuracy.count,
            "accuracy": interval["share"],
            "interval": interval["interval"],
            "method": interval["method"],
            "confusions": dict(self.confusions),
            "digits": {digit: _brief(share) for digit, share in self.by_digit.items()},
            "writers": {writer: _brief(share) for writer, share in self.by_writer.items()},
            "worst_writer": None if worst is None else {"writer": worst} | _brief(self.by_writer[worst]),
            "calibration": self.calibration.document(),
            "risk_coverage": self.calibration.risk_document(),
            "unreadable": list(self.unreadable),
            "wrong": [
                {"file": crop.file, "true": crop.true, "read": crop.read, "confidence": round(crop.confidence, 4)}
                for crop in self.crops
                if not crop.right
            ],
        }


def run(folder: Path, *, reader: CropReader, progress: Progress | None = None) -> DigitsReport:
    """Reads all crops of the folder. Raises UsageError for a folder that isn't FOLDER/<digit>/*.png or .jpg."""
    files = _files(folder)
    crops: list[Crop] = []
    for start in range(0, len(files), BATCH):
        crops += _read(files[start : start + BATCH], folder, reader)
        if progress is not None:
            progress(len(crops), len(files))
    return report_of(reader.name, crops)


def report_of(model: str, crops: Sequence[Crop]) -> DigitsReport:
    """The figures of crops that were read."""
    # Crops without a writer are each a cluster of their own.
    names = [crop.writer or crop.file for crop in crops]
    numbers = {name: number for number, name in enumerate(sorted(set(names)))}
    opened = [crop for crop in crops if crop.read != UNREADABLE]
    calibration = calibration_of(
        np.array([crop.confidence for crop in opened], dtype=np.float64),
        np.array([crop.right for crop in opened], dtype=np.bool_),
        np.array([crop.of_truth for crop in opened], dtype=np.float64),
    )
    return DigitsReport(
        model,
        tuple(crops),
        share_of([crop.right for crop in crops], [numbers[name] for name in names]),
        _by([crop.true for crop in crops], crops),
        _by([crop.writer for crop in crops], crops),
        confusions((crop.true, crop.read) for crop in crops),
        calibration,
    )


def print_report(report: DigitsReport, console: Console) -> None:
    """Prints the figures, the confusions and the surest mistakes."""
    table = share_table(f"{report.accuracy.n} digits, reader {report.model}")
    add_share(table, "all", report.accuracy)
    for digit, share in report.by_digit.items():
        table.add_row(f"  {digit}", percent(share.share or 0.0), f"{share.count}/{share.n}", "")
    worst = report.worst_writer
    if worst is not None:
        share = report.by_writer[worst]
        label = f"worst of {len(report.by_writer)} writers: {worst}"
        table.add_row(label, percent(share.share or 0.0), f"{share.count}/{share.n}", "")
    console.print(table)
    print_confusions(report.confusions, console)
    print_calibration(report.calibration, console)
    wrong = sorted((crop for crop in report.crops if not crop.right), key=lambda crop: -crop.confidence)
    sure = [crop for crop in wrong if crop.read != UNREADABLE][:SHOWN_WRONG]
    if sure:
        console.print("Surest mistakes (or wrong labels):")
    for crop in sure:
        console.print(f"  {escape(crop.file)}: read {crop.read} at {percent(crop.confidence)}")
    for file in report.unreadable[:SHOWN_WRONG]:
        console.print(f"Note: {escape(file)} can't be read, counted as wrong")
    if len(report.unreadable) > SHOWN_WRONG:
        console.print(f"Note: and {len(report.unreadable) - SHOWN_WRONG} more files, see --json")


def _files(folder: Path) -> list[Path]:
    remedy = "sort the pictures into folders named 0 to 9"
    if not folder.is_dir():
        raise UsageError("there is no such folder", remedy=remedy, subject=str(folder))
    inside = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    for path in inside:
        if path.name not in DIGIT_CLASSES:
            raise UsageError(f"its folder {path.name!r} is named after no digit", remedy=remedy, subject=str(folder))
    files = [
        path
        for digit in inside
        for path in sorted(digit.iterdir())
        if path.suffix.lower() in SUFFIXES and not path.name.startswith(".")
    ]
    if not files:
        raise UsageError("there is no FOLDER/<digit>/*.png or *.jpg in it", remedy=remedy, subject=str(folder))
    return files


def _read(files: Sequence[Path], folder: Path, reader: CropReader) -> list[Crop]:
    grays = [gray_of(path) for path in files]
    pictures = pictures_of([gray for gray in grays if gray is not None])
    probabilities, _ = reader.probabilities(pictures)
    rows = iter(probabilities.astype(np.float64))
    crops: list[Crop] = []
    for path, gray in zip(files, grays, strict=True):
        file, true = path.relative_to(folder).as_posix(), path.parent.name
        found = _WRITER.match(path.name)
        writer = found[1] if found else None
        if gray is None:
            crops.append(Crop(file, writer, true, UNREADABLE, 0.0, 0.0))
            continue
        row = next(rows)
        best = int(row.argmax())
        of_truth = float(row[reader.classes.index(true)]) if true in reader.classes else 0.0
        crops.append(Crop(file, writer, true, reader.classes[best], float(row[best]), of_truth))
    return crops


def gray_of(path: Path) -> npt.NDArray[np.uint8] | None:
    """The crop in grey, uint8 [h, w]; null if it can't be read."""
    try:
        photo = next(load(path, name=path.name, long_side=DECODE_SIDE))
    except FileError:
        return None
    return np.asarray(cv2.cvtColor(photo.rgb, cv2.COLOR_RGB2GRAY), dtype=np.uint8)


def _by(groups: Sequence[str | None], crops: Sequence[Crop]) -> dict[str, Share]:
    counts = Counter(group for group in groups if group is not None)
    right = Counter(group for group, crop in zip(groups, crops, strict=True) if group is not None and crop.right)
    return {group: Share(right[group], counts[group], 1, None, "none") for group in sorted(counts)}


def _brief(share: Share) -> dict[str, Any]:
    document = share.document()
    return {"n": share.n, "right": share.count, "accuracy": document["share"]}
