"""From a photo to a checked board: the whole chain, stage by stage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from scanner.advice import advice
from scanner.board import ReadBoard
from scanner.cells import CELL_PX, cut
from scanner.cells_table import cut_number_boxes
from scanner.errors import FileError
from scanner.games.base import GameContext
from scanner.games.registry import get_game
from scanner.geometry import PxPoint
from scanner.hex_chain import cut_and_mark, read_cells, settle
from scanner.intake import Photo, load
from scanner.locate import NotFound, Placement, locate
from scanner.locate.hex_placement import HexPlacement
from scanner.locate.hex_refine import pitch_px
from scanner.locate.table_placement import TablePlacement
from scanner.orient import orient
from scanner.plausible import why_not
from scanner.read.number_reader import default_number_reader
from scanner.read.numbers import NumberReadings
from scanner.read.one_hand import one_hand
from scanner.read.reader import DigitReader, default_reader
from scanner.read.readings import Readings
from scanner.resolve import Answer, SheetRef, answers_for, check_addresses, readings_to_board, resolve
from scanner.results import Problem, SheetPlace, Verdict
from scanner.shared_ink import doubt_hidden_ink, doubt_shared_ink
from scanner.sheet import ScanResult, Sheet
from scanner.table_sheets import settled_table
from scanner.templates import Template

FINE_LONG_SIDE = 1800
"""Pixels of the longer side for score tables: 20 rows on a card that fills most of the photo are 70 px high then."""
COARSE = 1.25
"""Pixels of the full picture to one of the decoded, along a side, from which another decoding is worth its time."""

Review = Callable[[Photo, Sheet], Sheet]
"""Called with each sheet while its photo is at hand, to draw a picture or to ask a person; returns the sheet that goes
into the result. So no photo has to be kept, or decoded again."""

Clock = Callable[[str], AbstractContextManager[None]]
"""Makes a context manager for each stage by its name; the bench passes one that measures."""


def untimed(stage: str) -> AbstractContextManager[None]:
    """The clock of whoever doesn't ask for times."""
    return nullcontext()


def scan(
    source: str | Path | bytes,
    *,
    templates: Sequence[Template],
    name: str | None = None,
    reader: DigitReader | None = None,
    context: GameContext | None = None,
    answers: Sequence[Answer] = (),
    review: Review | None = None,
    clock: Clock = untimed,
) -> ScanResult:
    """All sheets of one file (every page), read, scored and checked.

    templates: what the sheets may be. review: has the last word on each sheet, see `Review`.
    A file that can't be read is a `Problem` of the result, not an exception.
    Raises AnswerError for answers that don't fit the sheet, `scanner.read.reader.ModelError` without a model's file.
    """
    reader = reader or default_reader()
    result = ScanResult(model=reader.name)
    shown = name or (str(source) if isinstance(source, (str, Path)) else "picture")
    pages = load(source, name=name)
    while True:
        try:
            with clock("intake"):
                photo = next(pages, None)
        except FileError as error:
            return result + ScanResult(problems=(Problem(shown, error.code, str(error)),))
        if photo is None:
            check_addresses(
                [answer for answer in answers if answer.ref is None], [sheet.ref for sheet in result.sheets]
            )
            return result
        again = partial(decoded_finer, source, name, photo)
        result += scan_photo(photo, templates, reader, context or GameContext(), answers, review, clock, again)


def decoded_finer(source: str | Path | bytes, name: str | None, photo: Photo) -> Photo | None:
    """The same page with more pixels; null where the source can't be read twice, or has no more."""
    if photo.scale < COARSE or not (isinstance(source, bytes) or Path(source).is_file()):
        return None
    try:
        finer = next(islice(load(source, name=name, long_side=FINE_LONG_SIDE), photo.page - 1, None), None)
    except FileError:
        return None
    return finer if finer is not None and finer.scale < photo.scale else None


def scan_photo(
    photo: Photo,
    templates: Sequence[Template],
    reader: DigitReader,
    context: GameContext,
    answers: Sequence[Answer] = (),
    review: Review | None = None,
    clock: Clock = untimed,
    again: Callable[[], Photo | None] | None = None,
) -> ScanResult:
    """All sheets of one decoded page. again: decodes it with more pixels, as small cells need."""
    photo, found = locate_sheets(photo, templates, clock, again)
    read = found if isinstance(found, NotFound) else read_sheets(photo, found, reader, clock, templates)
    if isinstance(read, NotFound):
        return ScanResult(problems=(_no_sheet(photo, read, templates),))
    # before anything is drawn: which of several sheets an answer is about has to be said
    here = [SheetRef(photo.source, number, photo.page) for number in range(1, len(read) + 1)]
    check_addresses([answer for answer in answers if answer.ref is None], here)
    warnings = tuple(f"{photo.source}: {warning}" for warning in photo.warnings)
    sheets = (_judged_sheet(photo, number, one, context, answers, clock) for number, one in enumerate(read, start=1))
    return ScanResult(tuple(sheet if review is None else review(photo, sheet) for sheet in sheets), warnings=warnings)


def locate_sheets(
    photo: Photo,
    templates: Sequence[Template],
    clock: Clock = untimed,
    again: Callable[[], Photo | None] | None = None,
) -> tuple[Photo, tuple[Placement, ...] | NotFound]:
    """The sheets of a page, and the page with as many pixels as they need; again: see `scan_photo`."""
    with clock("locate"):
        found = locate(photo, templates)
    if again is None or isinstance(found, NotFound) or not _has_small_cells(found[0]):
        return photo, found
    with clock("intake"):
        finer = again()
    if finer is None:
        return photo, found
    like = found[0].template
    with clock("locate"):
        closer = locate(finer, [template for template in templates if _same_form(template, like)])
    return (photo, found) if isinstance(closer, NotFound) else (finer, closer)


def _has_small_cells(found: Placement) -> bool:
    """Would its cells be read better with more pixels?"""
    return isinstance(found, TablePlacement) or (isinstance(found, HexPlacement) and pitch_px(found) < CELL_PX)


def _same_form(one: Template, other: Template) -> bool:
    """Are both score tables, or both of hexes, or both of squares?"""
    return (one.table is None) == (other.table is None) and (one.hexes is None) == (other.hexes is None)


@dataclass(frozen=True, slots=True)
class ReadSheet:
    """A sheet whose cells have been read, the right way up, before any rule of a game."""

    placement: Placement
    readings: Readings
    numbers: NumberReadings | None = None


def read_sheets(
    photo: Photo,
    found: Sequence[Placement],
    reader: DigitReader,
    clock: Clock = untimed,
    templates: Sequence[Template] = (),
) -> tuple[ReadSheet, ...] | NotFound:
    """The found sheets read; without those whose cells can't be their template's.

    templates: what a score table may be if it isn't what it was found as.
    """
    read: list[ReadSheet] = []
    refusal = ""
    for candidate in found:
        if isinstance(candidate, TablePlacement):
            with clock("read"):
                table = settled_table(photo, candidate, templates, default_number_reader())
            if not isinstance(table, NotFound):
                nothing = np.zeros((0, len(reader.classes)), dtype=np.float32)
                no_digits = Readings((), reader.classes, nothing, np.zeros(0, dtype=np.float32))
                read.append(ReadSheet(table.placement, no_digits, table.numbers))
            else:
                refusal = refusal or table.reason
            continue
        if isinstance(candidate, HexPlacement):
            hexes = _read_hexes(photo, candidate, reader, clock)
            if isinstance(hexes, ReadSheet):
                read.append(hexes)
            else:
                refusal = refusal or hexes.reason
            continue
        with clock("cut"):
            cells = cut(photo, candidate)
        with clock("orient"):
            batch, placement = orient(cells, candidate, reader)
        with clock("read"):
            readings = reader.read(batch)
            if not _has_printed_digits(placement.template):
                readings = replace(readings, printed=np.zeros_like(readings.printed))
            readings = one_hand(readings)
            shared, hidden = (None if one is None else one[batch.present] for one in (batch.shared, batch.hidden))
            readings = doubt_hidden_ink(doubt_shared_ink(readings, shared), hidden)
        reason = why_not(batch, readings, placement)
        if reason is None:
            read.append(ReadSheet(placement, readings, _number_boxes(photo, placement, clock)))
        else:
            refusal = refusal or reason
    return tuple(read) if read else NotFound(refusal)


def _has_printed_digits(template: Template) -> bool:
    """Does the sheet come with numbers in some of its cells? Where it doesn't, neat writing is still writing."""
    assert template.grid is not None
    return template.grid.givens or any(cell.printed is not None for cell in template.lattice_cells)


def _read_hexes(photo: Photo, found: HexPlacement, reader: DigitReader, clock: Clock) -> ReadSheet | NotFound:
    with clock("orient"):
        sheet = settle(photo, found, reader)
    if isinstance(sheet, NotFound):
        return sheet
    with clock("cut"):
        batch, marks = cut_and_mark(photo, sheet)
    with clock("read"):
        readings = read_cells(batch, marks, sheet.placement.template, reader)
    return ReadSheet(sheet.placement, readings, _number_boxes(photo, sheet.placement, clock))


def _number_boxes(photo: Photo, placement: Placement, clock: Clock) -> NumberReadings | None:
    """What stands in the boxes for whole numbers beside a lattice, such as the player's claim; null without boxes."""
    with clock("cut"):
        boxes = cut_number_boxes(photo, placement)
    if boxes is None:
        return None
    with clock("read"):
        return default_number_reader().read(boxes)


def _no_sheet(photo: Photo, why: NotFound, templates: Sequence[Template]) -> Problem:
    where = photo.source if photo.page == 1 else f"{photo.source}, page {photo.page}"
    reason = " and ".join((why.reason, *photo.warnings))
    remedy = advice(photo, why, templates)
    return Problem(photo.source, "no-sheet", f"{where}: no sheet found, {reason}; {remedy}")


def _judged_sheet(
    photo: Photo, number: int, read: ReadSheet, context: GameContext, answers: Sequence[Answer], clock: Clock
) -> Sheet:
    template = read.placement.template
    own = answers_for(SheetRef(photo.source, number, photo.page), answers, template)
    with clock("resolve"):
        board, verdict = _judged(read.readings, read.numbers, template, context, own)
    place = place_in_picture(photo, read.placement)
    at, readings = read.placement, read.readings
    return Sheet(
        photo.source, photo.page, number, template, place, board, verdict, at, readings, own, numbers=read.numbers
    )


def _judged(
    readings: Readings,
    numbers: NumberReadings | None,
    template: Template,
    context: GameContext,
    answers: Sequence[Answer],
) -> tuple[ReadBoard, Verdict]:
    game = get_game(template.game)
    board = readings_to_board(readings, template, game, answers, numbers)
    return board, resolve(board, template, game, context)


def answered(sheet: Sheet, answers: Sequence[Answer], context: GameContext | None = None) -> Sheet:
    """The sheet judged again with further answers, from what the reader saw; the photo isn't needed.

    An answer replaces an earlier one about the same cell; answers about other sheets are passed over.
    Raises AnswerError for answers that don't fit the sheet, ValueError for a sheet that wasn't read from a photo.
    """
    if sheet.readings is None:
        raise ValueError(f"{sheet.source}: a typed board has no readings to answer")
    new = answers_for(sheet.ref, answers, sheet.template)
    cells = {answer.cell for answer in new}
    together = (*(answer for answer in sheet.answers if answer.cell not in cells), *new)
    board, verdict = _judged(sheet.readings, sheet.numbers, sheet.template, context or GameContext(), together)
    return replace(sheet, board=board, verdict=verdict, answers=together)


def place_in_picture(photo: Photo, placement: Placement) -> SheetPlace:
    """The placement in pixels of the picture as a viewer shows it."""
    scale = photo.scale
    # Pixel centres lie at whole numbers in both pictures, so their corners are what scales.
    a, b, c, d = (PxPoint(float((x + 0.5) * scale - 0.5), float((y + 0.5) * scale - 0.5)) for x, y in placement.corners)
    return SheetPlace((a, b, c, d), placement.residual_px * scale)
