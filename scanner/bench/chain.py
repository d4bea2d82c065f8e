"""One photo through `scanner.scan`, under a clock."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from scanner.read.reader import DigitReader
from scanner.scan import scan
from scanner.sheet import Sheet
from scanner.templates import Template

STAGES: Final = ("intake", "locate", "cut", "orient", "read", "resolve")


@dataclass(frozen=True, slots=True)
class StageClock:
    """Seconds spent in each stage on one photo, in the order of `STAGES`."""

    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(STAGES, 0.0))

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Adds the time of the block to the stage."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] += time.perf_counter() - start


@dataclass(frozen=True, slots=True)
class TimedPhoto:
    """All sheets of one file. problems: why a page gave none. seconds: by stage."""

    sheets: tuple[Sheet, ...]
    problems: tuple[str, ...]
    seconds: dict[str, float]


def run_photo(path: Path, templates: Sequence[Template], reader: DigitReader) -> TimedPhoto:
    """All sheets of all pages of one file."""
    clock = StageClock()
    result = scan(path, templates=templates, name=path.name, reader=reader, clock=clock)
    return TimedPhoto(result.sheets, tuple(problem.message for problem in result.problems), clock.seconds)
