"""A folder of cropped digits against the reader: FOLDER/<digit>/*.png, dark ink on light paper.

Anything but the right digit is wrong: another digit, "blank" or "struck", and a file that can't be read as well. Where
the files' names begin with a writer's number (``0001-123.png``), figures are also given by writer, the interval is that
of writers, and each writer's digits are read a second time as they are on sheets, where the clear ones settle the
unclear ones (`scanner.read.one_hand`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
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
from scanner.read.one_hand import one_hand
from scanner.read.readings import Readings

SUFFIXES: Final = frozenset({".png", ".jpg", ".jpeg"})
BATCH: Final = 256
DECODE_SIDE: Final = 400
"""Pixels of a crop's longer side that suffice; larger ones are decoded smaller."""
UNREADABLE: Final = "unreadable"
SHOWN_WRONG: Final = 10

SHEET: Final = 60
"""About so many digits of a writer, drawn at random, make a sheet."""
SEED: Final = 0

Floats = npt.NDArray[np.float32]
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

    def with_traits(self, ink: npt.NDArray[np.uint8]) -> tuple[Floats, Floats, Floats]:
        """Probabilities float32 [n, classes], of "printed" float32 [n] and traits for pictures uint8 [n, 2, 32, 32]."""
        ...


@dataclass(frozen=True, slots=True)
class Crop:
    """One crop as read. file: below the folder. writer: null where the name tells none.

    read: a class of the reader or "unreadable". confidence: of that; of_truth: probability of the true digit. on_sheet:
    what is read on a sheet of the writer's digits; null where nobody knows who wrote it, or it can't be read.
    """

    file: str
    writer: str | None
    true: str
    read: str
    confidence: float
    of_truth: float
    on_sheet: str | None = None

    @property
    def right(self) -> bool:
        """Whether the true digit was read."""
        return self.read == self.true


@dataclass(frozen=True, slots=True)
class DigitsReport:
    """What became of all crops. by_digit, by_writer: sorted. calibration: of the crops that could be opened.

    one_hand, one_hand_by_writer: the crops whose writer is known as read on sheets of one writer each.
    """

    model: str
    crops: tuple[Crop, ...]
    accuracy: Share
    by_digit: dict[str, Share]
    by_writer: dict[str, Share]
    confusions: dict[str, int]
    calibration: Calibration
    one_hand: Share
    one_hand_by_writer: dict[str, Share]

    @property
    def unreadable(self) -> tuple[str, ...]:
        """The files that couldn't be read."""
        return tuple(crop.file for crop in self.crops if crop.read == UNREADABLE)

    @property
    def worst_writer(self) -> str | None:
        """The writer with the smallest share of right digits; null where there are no two writers."""
        return _worst(self.by_writer)

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
            "one_hand_a_sheet": self._sheets(),
            "calibration": self.calibration.document(),
            "risk_coverage": self.calibration.risk_document(),
            "unreadable": list(self.unreadable),
            "wrong": [
                {"file": crop.file, "true": crop.true, "read": crop.read, "confidence": round(crop.confidence, 4)}
                for crop in self.crops
                if not crop.right
            ],
        }

    def _sheets(self) -> dict[str, Any] | None:
        if not self.one_hand.n:
            return None
        whole, worst = self.one_hand.document(), _worst(self.one_hand_by_writer)
        return {
            "digits_a_sheet": SHEET,
            "n": self.one_hand.n,
            "right": self.one_hand.count,
            "accuracy": whole["share"],
            "interval": whole["interval"],
            "worst_writer": None if worst is None else {"writer": worst} | _brief(self.one_hand_by_writer[worst]),
        }


def _worst(by_writer: dict[str, Share]) -> str | None:
    if len(by_writer) < 2:
        return None
    return min(by_writer, key=lambda writer: (by_writer[writer].share or 0.0, writer))


def run(folder: Path, *, reader: CropReader, progress: Progress | None = None) -> DigitsReport:
    """Reads all crops of the folder. Raises UsageError for a folder that isn't FOLDER/<digit>/*.png or .jpg."""
    files = _files(folder)
    crops: list[Crop] = []
    seen: list[tuple[Floats, Floats, Floats]] = []
    for start in range(0, len(files), BATCH):
        some, rows = _read(files[start : start + BATCH], folder, reader)
        crops += some
        seen.append(rows)
        if progress is not None:
            progress(len(crops), len(files))
    probabilities, printed, traits = (np.concatenate(part) for part in zip(*seen, strict=True))
    opened = [place for place, crop in enumerate(crops) if crop.read != UNREADABLE]
    ids = tuple(crops[place].file for place in opened)
    for place, name in _on_sheets(crops, opened, Readings(ids, reader.classes, probabilities, printed, traits)):
        crops[place] = replace(crops[place], on_sheet=name)
    return report_of(reader.name, crops)


def _on_sheets(crops: Sequence[Crop], opened: Sequence[int], readings: Readings) -> Iterator[tuple[int, str]]:
    """Places of crops whose writer is known, and what is read on a sheet. readings: of the crops at `opened`."""
    rng = np.random.default_rng(SEED)
    writers = np.array([crops[place].writer or "" for place in opened])
    for writer in sorted({*writers.tolist()} - {""}):
        pool = rng.permutation(np.flatnonzero(writers == writer))
        for sheet in np.array_split(pool, max(1, round(len(pool) / SHEET))):
            read = one_hand(readings.of(sheet)).probabilities.argmax(axis=1)
            yield from (
                (opened[row], readings.classes[k]) for row, k in zip(sheet.tolist(), read.tolist(), strict=True)
            )


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
    signed = [crop for crop in crops if crop.writer is not None]
    on_sheet = [replace(crop, read=crop.on_sheet or crop.read) for crop in signed]
    return DigitsReport(
        model,
        tuple(crops),
        share_of([crop.right for crop in crops], [numbers[name] for name in names]),
        _by([crop.true for crop in crops], crops),
        _by([crop.writer for crop in crops], crops),
        confusions((crop.true, crop.read) for crop in crops),
        calibration,
        share_of([crop.right for crop in on_sheet], [numbers[crop.writer] for crop in on_sheet if crop.writer]),
        _by([crop.writer for crop in on_sheet], on_sheet),
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
    if report.one_hand.n:
        add_share(table, "on sheets of one hand", report.one_hand)
        worst = _worst(report.one_hand_by_writer)
        if worst is not None:
            share = report.one_hand_by_writer[worst]
            table.add_row(f"  worst writer: {worst}", percent(share.share or 0.0), f"{share.count}/{share.n}", "")
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


def _read(files: Sequence[Path], folder: Path, reader: CropReader) -> tuple[list[Crop], tuple[Floats, Floats, Floats]]:
    """The crops, and what the reader says of those that could be opened."""
    grays = [gray_of(path) for path in files]
    pictures = pictures_of([gray for gray in grays if gray is not None])
    seen = probabilities, _, _ = reader.with_traits(pictures)
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
    return crops, seen


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
