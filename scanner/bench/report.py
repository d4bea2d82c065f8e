"""The whole bench, and its result as a document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from scanner import __version__
from scanner.bench.chain import TimedPhoto, run_photo
from scanner.bench.figures import CornerError, Figures, StageTime, figures_of, stage_times
from scanner.bench.intervals import FEW_CLUSTERS
from scanner.bench.judge import JudgedSheet, judge, match
from scanner.bench.truth import Case, find_cases
from scanner.read.reader import DigitReader
from scanner.templates import Template

Progress = Callable[[int, int], None]
"""Told after every photo how many are done, of how many."""

INTERVAL_NOTE: Final = (
    "95 % by puzzle (photos of equal true contents go together): bootstrap over puzzles; where there is no error, or "
    "nothing right, the exact one-sided bound on puzzles"
)
DIGITS: Final = 6


@dataclass(frozen=True, slots=True)
class BenchReport:
    """What a bench found out.

    photos: with a truth. puzzles: different true contents. sheets: one a truth. others: sheets that no truth is about.
    notes: files that were left out, and what to keep in mind. seconds: by stage, and ``all``.
    """

    model: str
    photos: int
    puzzles: int
    sheets: tuple[JudgedSheet, ...]
    others: int
    figures: Figures
    seconds: Mapping[str, StageTime]
    notes: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """The report, ready for JSON; docs/bench.md explains every key."""
        f = self.figures
        return {
            "padscore": __version__,
            "model": self.model,
            "photos": self.photos,
            "puzzles": self.puzzles,
            "found": f.found.document(),
            "upright": f.upright.document(),
            "corner_error": _corner_document(f.corner_error),
            "cells": f.cells.document()
            | {
                "with_missing_sheets": f.cells_with_missing.document(),
                "doubtful": {"count": f.doubtful_cells, "right": f.doubtful_right},
            },
            "digits": {"recall": f.digit_recall.document(), "precision": f.digit_precision.document()},
            "blanks": {"recall": f.blank_recall.document(), "precision": f.blank_precision.document()},
            "candidates": {"recall": f.candidates_recall.document()},
            "struck": {"recall": f.struck_recall.document()},
            "boards": f.boards.document(),
            "totals": f.totals.document(),
            "lines": f.lines.document(),
            "flags": {
                "recall": f.flag_recall.document(),
                "precision": f.flag_precision.document(),
                "surely_false": f.surely_false_flags,
            },
            "ink": f.ink.document() | {"confusions": dict(f.ink_confusions)},
            "sure": f.sure.document(),
            "silent": f.silent_sheets.document()
            | {
                "promises": f.broken_promises.document(),
                "cells": f.silent_cells.document(),
                "values": f.silent_values.document(),
            },
            "asked": f.asked_cells.document()
            | {"sheets": f.asked_sheets.document(), "left": f.left_cells.document(), "left_per_1000": _per_1000(f)},
            "confusions": dict(f.confusions),
            "calibration": f.calibration.document(),
            "risk_coverage": f.calibration.risk_document(),
            "seconds": {
                stage: {"median": round(time.median, DIGITS), "total": round(time.total, DIGITS)}
                for stage, time in self.seconds.items()
            },
            "other_sheets": self.others,
            "interval": INTERVAL_NOTE,
            "notes": list(self.notes),
            "sheets": [_sheet_document(sheet) for sheet in self.sheets],
        }


def run(
    folder: Path, *, templates: Sequence[Template], reader: DigitReader, progress: Progress | None = None
) -> BenchReport:
    """Reads every photo of the folder that has a truth file beside it, and compares.

    templates: what the sheets may be. A photo that can't be read counts as not found.
    Raises UsageError for a folder without such photos, BoardError for a malformed truth file.
    """
    found = find_cases(folder, {template.id: template for template in templates})
    judged: list[JudgedSheet] = []
    seconds: list[dict[str, float]] = []
    others = 0
    for done, case in enumerate(found.cases, start=1):
        photo = run_photo(case.photo, templates, reader)
        sheets, left = _judged(case, photo)
        judged += sheets
        others += left
        seconds.append(photo.seconds)
        if progress is not None:
            progress(done, len(found.cases))
    puzzles = len({sheet.puzzle for sheet in judged})
    notes = list(found.notes)
    if puzzles < FEW_CLUSTERS:
        shown = "puzzle" if puzzles == 1 else "puzzles"
        notes.append(f"the photos show only {puzzles} different {shown}: the intervals are too narrow")
    return BenchReport(
        reader.name,
        len(found.cases),
        puzzles,
        tuple(judged),
        others,
        figures_of(judged),
        stage_times(seconds),
        tuple(notes),
    )


def _judged(case: Case, photo: TimedPhoto) -> tuple[list[JudgedSheet], int]:
    """What became of the truths of a photo, and how many sheets no truth is about."""
    chosen = match(case.truths, photo.sheets)
    judged = [
        judge(case.photo.name, truth, sheet, None if sheet is not None else _reason(truth.template, photo))
        for truth, sheet in zip(case.truths, chosen, strict=True)
    ]
    return judged, len(photo.sheets) - sum(sheet is not None for sheet in chosen)


def _reason(template: Template, photo: TimedPhoto) -> str:
    if photo.problems and not photo.sheets:
        return photo.problems[0]
    seen = {sheet.template.id for sheet in photo.sheets}
    if template.id not in seen:
        return f"only sheets of other templates found: {', '.join(sorted(seen))}"
    return "sheets found elsewhere only" if photo.sheets else "no sheet found"


def _corner_document(error: CornerError) -> dict[str, Any]:
    return {
        "n": error.n,
        "mean": _rounded(error.mean),
        "median": _rounded(error.median),
        "max": _rounded(error.max),
        "within_3_percent": error.within.document(),
    }


def _per_1000(figures: Figures) -> float | None:
    share = figures.left_cells.share
    return None if share is None else round(1000 * share, 3)


def _sheet_document(sheet: JudgedSheet) -> dict[str, Any]:
    return {
        "name": sheet.photo,
        "template": sheet.template,
        "found": sheet.found,
        "note": sheet.note,
        "corner_error": _rounded(sheet.corner_error),
        "upright": sheet.upright,
        "sure": sheet.sure if sheet.found else None,
        "total_right": sheet.total_right if sheet.found else None,
        "lines_right": sheet.lines_right if sheet.found else None,
        "flags": {
            "missed": list(sheet.flags.missed),
            "false": list(sheet.flags.false),
            "surely_false": list(sheet.flags.surely_false),
        },
        "silent": sheet.silent,
        "wrong": [
            {
                "cell": cell.id,
                "true": cell.true,
                "read": cell.read,
                "confidence": round(cell.confidence, 4),
                "asked": cell.asked,
            }
            for cell in sheet.wrong
        ],
        "asked": [cell.id for cell in sheet.cells if cell.asked],
    }


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, DIGITS)
