"""From a photo to a checked board: the whole chain, stage by stage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from scanner.cells import cut
from scanner.errors import FileError
from scanner.games.base import GameContext
from scanner.games.registry import get_game
from scanner.geometry import PxPoint
from scanner.intake import Photo, load
from scanner.locate import Placement, locate
from scanner.orient import orient
from scanner.read.reader import DigitReader, default_reader
from scanner.resolve import Answer, SheetRef, answers_for, readings_to_board, resolve
from scanner.results import Problem, SheetPlace
from scanner.sheet import ScanResult, Sheet
from scanner.templates import Template


def scan(
    source: str | Path | bytes,
    *,
    templates: Sequence[Template],
    name: str | None = None,
    reader: DigitReader | None = None,
    context: GameContext | None = None,
    answers: Sequence[Answer] = (),
) -> ScanResult:
    """All sheets of one file (every page), read, scored and checked.

    templates: what the sheets may be. A file that can't be read is a `Problem` of the result, not an exception.
    Raises AnswerError for answers that don't fit the sheet, `scanner.read.reader.ModelError` for a damaged installation.
    """
    reader = reader or default_reader()
    result = ScanResult(model=reader.name)
    shown = name or (str(source) if isinstance(source, (str, Path)) else "picture")
    pages = load(source, name=name)
    while True:
        try:
            photo = next(pages, None)
        except FileError as error:
            return result + ScanResult(problems=(Problem(shown, error.code, str(error)),))
        if photo is None:
            return result
        result += scan_photo(photo, templates, reader, context or GameContext(), answers)


def scan_photo(
    photo: Photo, templates: Sequence[Template], reader: DigitReader, context: GameContext, answers: Sequence[Answer] = ()
) -> ScanResult:
    """All sheets of one decoded page."""
    warnings = tuple(f"{photo.source}: {warning}" for warning in photo.warnings)
    placements = locate(photo, templates)
    if not placements:
        where = photo.source if photo.page == 1 else f"{photo.source}, page {photo.page}"
        remedy = "photograph the whole sheet from above, sharp and in even light"
        problem = Problem(photo.source, "no-sheet", f"{where}: no sheet found, {placements.reason}; {remedy}")
        return ScanResult(problems=(problem,), warnings=warnings)
    sheets = tuple(_sheets(photo, placements, reader, context, answers))
    return ScanResult(sheets=sheets, warnings=warnings)


def _sheets(
    photo: Photo,
    placements: Sequence[Placement],
    reader: DigitReader,
    context: GameContext,
    answers: Sequence[Answer],
) -> Iterator[Sheet]:
    for number, found in enumerate(placements, start=1):
        template = found.template
        game = get_game(template.game)
        batch, placement = orient(cut(photo, found), found, reader)
        readings = reader.read(batch)
        own_answers = answers_for(SheetRef(photo.source, number), answers, template)
        board = readings_to_board(readings, template, game, own_answers)
        verdict = resolve(board, template, game, context)
        yield Sheet(photo.source, photo.page, number, template, _place(photo, placement), board, verdict, placement)


def _place(photo: Photo, placement: Placement) -> SheetPlace:
    """The placement in pixels of the picture as a viewer shows it."""
    scale = photo.scale
    # Pixel centres lie at whole numbers in both pictures, so their corners are what scales.
    a, b, c, d = (PxPoint(float((x + 0.5) * scale - 0.5), float((y + 0.5) * scale - 0.5)) for x, y in placement.corners)
    return SheetPlace((a, b, c, d), placement.residual_px * scale)
