"""One scored sheet and the result of a whole scan: what the last stages and every caller work with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scanner.board import ReadBoard
from scanner.resolve.answers import Answer, SheetRef
from scanner.results import Problem, SheetPlace, Verdict

if TYPE_CHECKING:
    from scanner.locate import Placement
    from scanner.read.numbers import NumberReadings
    from scanner.read.readings import Readings
    from scanner.templates import Template


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet, from where it lies in the photo to what the rules say of it.

    source: the file's name as the user gave it. page: from 1. sheet: from 1, by area in its page, largest first.
    place: corners and residual in pixels of the picture as a viewer shows it; null for a typed board.
    placement: the fit itself, in pixels of the decoded picture (`Photo.rgb`); null for a typed board.
    readings: what the reader saw, before any rule and any answer; null for a typed board.
    numbers: what the number reader saw, in the same way; null where it had nothing to read.
    answers: what a person answered about this sheet; they are in `board` already.
    """

    source: str
    page: int
    sheet: int
    template: Template
    place: SheetPlace | None
    board: ReadBoard
    verdict: Verdict
    placement: Placement | None = None
    readings: Readings | None = None
    answers: tuple[Answer, ...] = ()
    numbers: NumberReadings | None = None

    @property
    def ref(self) -> SheetRef:
        """How answers name it."""
        return SheetRef(self.source, self.sheet, self.page)


@dataclass(frozen=True, slots=True)
class ScanResult:
    """Everything that came out of one or more sources.

    problems: why a source (or a page of it) gave no sheet.
    warnings: one line each about what was used with reservations, such as a file that is cut off.
    model: name of the reader; null when nothing was read (typed boards).
    """

    sheets: tuple[Sheet, ...] = ()
    problems: tuple[Problem, ...] = ()
    warnings: tuple[str, ...] = ()
    model: str | None = None

    def __add__(self, other: ScanResult) -> ScanResult:
        """The results of both, in order; the model is that of whichever read something."""
        return ScanResult(
            self.sheets + other.sheets,
            self.problems + other.problems,
            self.warnings + other.warnings,
            self.model if self.model is not None else other.model,
        )
