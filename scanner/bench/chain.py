"""The chain of `scanner.scan`, stage by stage under a clock. A test holds that both give the same."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

from scanner.cells import cut
from scanner.errors import FileError
from scanner.games.base import GameContext
from scanner.games.registry import get_game
from scanner.intake import Photo, load
from scanner.locate import NotFound, Placement, locate
from scanner.orient import orient
from scanner.read.reader import DigitReader
from scanner.resolve import readings_to_board, resolve
from scanner.scan import place_in_picture
from scanner.sheet import Sheet
from scanner.templates import Template

STAGES: Final = ("intake", "locate", "cut", "orient", "read", "resolve")

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds spent in each stage on one photo, in the order of `STAGES`."""

    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(STAGES, 0.0))

    def time(self, stage: str, work: Callable[[], _Result]) -> _Result:
        """Does the work and adds its time to the stage."""
        start = time.perf_counter()
        try:
            return work()
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
    clock = Clock()
    sheets: list[Sheet] = []
    problems: list[str] = []
    pages = load(path, name=path.name)
    while True:
        try:
            photo = clock.time("intake", lambda: next(pages, None))
        except FileError as error:
            problems.append(str(error))
            break
        if photo is None:
            break
        found = _placements(photo, templates, clock)
        if isinstance(found, NotFound):
            problems.append(f"{photo.source}: no sheet found, {found.reason}")
        else:
            sheets += [_sheet(photo, number, place, reader, clock) for number, place in enumerate(found, start=1)]
    return TimedPhoto(tuple(sheets), tuple(problems), clock.seconds)


def _placements(photo: Photo, templates: Sequence[Template], clock: Clock) -> tuple[Placement, ...] | NotFound:
    return clock.time("locate", lambda: locate(photo, templates))


def _sheet(photo: Photo, number: int, found: Placement, reader: DigitReader, clock: Clock) -> Sheet:
    template = found.template
    game = get_game(template.game)
    cells = clock.time("cut", lambda: cut(photo, found))
    batch, placement = clock.time("orient", lambda: orient(cells, found, reader))
    readings = clock.time("read", lambda: reader.read(batch))
    board = clock.time("resolve", lambda: readings_to_board(readings, template, game))
    verdict = clock.time("resolve", lambda: resolve(board, template, game, GameContext()))
    place = place_in_picture(photo, placement)
    return Sheet(photo.source, photo.page, number, template, place, board, verdict, placement, readings)
