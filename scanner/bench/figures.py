"""All sheets of a bench added up. docs/bench.md says what each figure means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Final

import numpy as np

from scanner.bench.calibration import Calibration, calibration_of
from scanner.bench.chain import STAGES
from scanner.bench.intervals import Share, share_of
from scanner.bench.judge import JudgedCell, JudgedFlags, JudgedSheet

CLOSE: Final = 0.03
"""Corner error, as a share of the side, up to which a sheet is found well."""


@dataclass(frozen=True, slots=True)
class CornerError:
    """Corner errors as shares of the side; null where none is known.

    within: of all truths with corners, found or not, those with an error of at most `CLOSE`.
    """

    n: int
    mean: float | None
    median: float | None
    max: float | None
    within: Share


@dataclass(frozen=True, slots=True)
class Figures:
    """Cells and flags are those of sheets that were found, except in `cells_with_missing`.

    ink: of the values of which the truth says who wrote them, those where the reader says the same.
    """

    found: Share
    upright: Share
    corner_error: CornerError
    cells: Share
    cells_with_missing: Share
    doubtful_cells: int
    doubtful_right: int
    digit_recall: Share
    digit_precision: Share
    blank_recall: Share
    blank_precision: Share
    candidates_recall: Share
    struck_recall: Share
    boards: Share
    totals: Share
    lines: Share
    flag_recall: Share
    flag_precision: Share
    surely_false_flags: int
    ink: Share
    ink_confusions: dict[str, int]
    sure: Share
    silent_sheets: Share
    broken_promises: Share
    silent_cells: Share
    silent_values: Share
    asked_cells: Share
    asked_sheets: Share
    left_cells: Share
    confusions: dict[str, int]
    calibration: Calibration


@dataclass(frozen=True, slots=True)
class StageTime:
    """Seconds of one stage over all photos."""

    median: float
    total: float


def figures_of(sheets: Sequence[JudgedSheet]) -> Figures:
    """The figures of all truths; clusters are puzzles."""
    numbers: dict[str, int] = {}
    cluster = [numbers.setdefault(sheet.puzzle, len(numbers)) for sheet in sheets]
    pairs = list(zip(sheets, cluster, strict=True))
    found = [(sheet, number) for sheet, number in pairs if sheet.found]
    cells = [(cell, number) for sheet, number in found for cell in sheet.cells]

    def of_sheets(hit: Callable[[JudgedSheet], bool], among: Iterable[tuple[JudgedSheet, int]]) -> Share:
        chosen = list(among)
        return share_of([hit(sheet) for sheet, _ in chosen], [number for _, number in chosen])

    def of_cells(hit: Callable[[JudgedCell], bool], among: Callable[[JudgedCell], bool] = lambda cell: True) -> Share:
        chosen = [(hit(cell), number) for cell, number in cells if among(cell)]
        return share_of([right for right, _ in chosen], [number for _, number in chosen])

    missing = [number for sheet, number in pairs if not sheet.found for _ in range(sheet.cell_count)]
    doubtful = [cell for cell, _ in cells if cell.state == "doubtful"]
    return Figures(
        found=of_sheets(lambda sheet: sheet.found, pairs),
        upright=of_sheets(lambda sheet: bool(sheet.upright), (p for p in found if p[0].upright is not None)),
        corner_error=_corner_error(pairs),
        cells=of_cells(lambda cell: cell.right),
        cells_with_missing=share_of(
            [cell.right for cell, _ in cells] + [False] * len(missing), [number for _, number in cells] + missing
        ),
        doubtful_cells=len(doubtful),
        doubtful_right=sum(cell.right for cell in doubtful),
        digit_recall=of_cells(lambda cell: cell.right, lambda cell: is_number(cell.true)),
        digit_precision=of_cells(lambda cell: cell.right, lambda cell: is_number(cell.read)),
        blank_recall=of_cells(lambda cell: cell.right, lambda cell: cell.true == "blank"),
        blank_precision=of_cells(lambda cell: cell.right, lambda cell: cell.read == "blank"),
        candidates_recall=of_cells(lambda cell: cell.right, lambda cell: cell.true == "candidates"),
        struck_recall=of_cells(lambda cell: cell.right, lambda cell: cell.true == "struck"),
        boards=of_sheets(lambda sheet: sheet.all_right, pairs),
        totals=of_sheets(lambda sheet: sheet.found and sheet.total_right, pairs),
        lines=of_sheets(lambda sheet: sheet.lines_right, found),
        flag_recall=_flags(found, lambda flags: flags.missed),
        flag_precision=_flags(found, lambda flags: flags.false),
        surely_false_flags=sum(len(sheet.flags.surely_false) for sheet, _ in found),
        ink=of_cells(lambda cell: cell.ink == cell.true_ink, lambda cell: cell.true_ink is not None),
        ink_confusions=confusions(
            (cell.true_ink, cell.ink or "unknown") for cell, _ in cells if cell.true_ink is not None
        ),
        sure=of_sheets(lambda sheet: sheet.sure, found),
        silent_sheets=of_sheets(lambda sheet: sheet.silent, found),
        broken_promises=of_sheets(lambda sheet: sheet.broken_promise, found),
        silent_cells=of_cells(lambda cell: not cell.right and not cell.asked),
        silent_values=of_cells(lambda cell: not cell.value_right and not cell.asked),
        asked_cells=of_cells(lambda cell: cell.asked),
        asked_sheets=of_sheets(lambda sheet: any(cell.asked for cell in sheet.cells), found),
        left_cells=of_cells(lambda cell: not cell.right_after),
        confusions=confusions((cell.true, cell.read) for cell, _ in cells),
        calibration=_calibration([cell for cell, _ in cells]),
    )


def _flags(found: Sequence[tuple[JudgedSheet, int]], bad: Callable[[JudgedFlags], Sequence[str]]) -> Share:
    """The right flags among these and the bad ones."""
    hits = [(hit, n) for sheet, n in found for hit in [True] * len(sheet.flags.right) + [False] * len(bad(sheet.flags))]
    return share_of([hit for hit, _ in hits], [number for _, number in hits])


def is_number(name: str) -> bool:
    """Whether a cell's name is a number's."""
    return name.removeprefix("-").isdigit()


def confusions(pairs: Iterable[tuple[str, str]]) -> dict[str, int]:
    """How often one thing (value or state) was read as another: ``{"1->7": 3}``, the most frequent first."""
    counted = Counter(f"{true}->{read}" for true, read in pairs if true != read)
    return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))


def _corner_error(pairs: Sequence[tuple[JudgedSheet, int]]) -> CornerError:
    marked = [(sheet, number) for sheet, number in pairs if sheet.has_corners]
    errors = [sheet.corner_error for sheet, _ in marked if sheet.corner_error is not None]
    close = [sheet.corner_error is not None and sheet.corner_error <= CLOSE for sheet, _ in marked]
    within = share_of(close, [number for _, number in marked])
    if not errors:
        return CornerError(0, None, None, None, within)
    return CornerError(len(errors), fmean(errors), median(errors), max(errors), within)


def _calibration(cells: Sequence[JudgedCell]) -> Calibration:
    # An unreadable cell (cut off) was never read: its confidence says nothing.
    seen = [cell for cell in cells if cell.state != "unreadable"]
    return calibration_of(
        np.array([cell.confidence for cell in seen], dtype=np.float64),
        np.array([cell.right for cell in seen], dtype=np.bool_),
        np.array([cell.of_truth for cell in seen], dtype=np.float64),
    )


def stage_times(photos: Sequence[dict[str, float]]) -> dict[str, StageTime]:
    """Seconds by stage, and ``all`` of them together, from those of each photo."""
    columns = {stage: [seconds[stage] for seconds in photos] for stage in STAGES}
    columns["all"] = [sum(seconds[stage] for stage in STAGES) for seconds in photos]
    return {stage: StageTime(median(column), sum(column)) for stage, column in columns.items() if column}
