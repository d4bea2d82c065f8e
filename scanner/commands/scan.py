"""`padscore scan`: photos to boards, one after the other in this process, results as they come."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from scanner.commands.ask import Interview
from scanner.commands.edge import UNREADABLE, tell
from scanner.commands.output import progress_bar, stdout_console
from scanner.commands.pictures import PictureFolder
from scanner.commands.sheets import chosen_templates, game_context
from scanner.errors import AnswerError, MissingFileError, UnreadableError, UsageError
from scanner.games.base import GameContext
from scanner.intake import MAX_BYTES, Photo
from scanner.opening import read_up_to
from scanner.read.reader import DigitReader, default_reader
from scanner.report.document import document, dumps, exit_status
from scanner.report.table import print_result, print_sheet, print_summary
from scanner.resolve import Answer, SheetRef, check_addresses, parse_answer, parse_answers
from scanner.results import Problem
from scanner.scan import Review, scan
from scanner.sheet import ScanResult, Sheet
from scanner.templates import Template

MAX_ANSWERS_BYTES = 1_000_000
GLOB = frozenset("*?[")
STDIN = "-"
"""Names the photo that comes on standard input; ./- is a file of that name."""


@dataclass(frozen=True, slots=True)
class ScanOptions:
    """The options of `padscore scan`. template: an id. templates: a folder of further ones. answers: as typed."""

    template: str | None = None
    templates: Path | None = None
    variant: str | None = None
    rolls: Path | None = None
    answers: tuple[str, ...] = ()
    answers_file: Path | None = None
    ask: bool = False
    json: bool = False
    annotate: Path | None = None


def run(photos: Sequence[str], options: ScanOptions) -> int:
    """Scans, prints, and returns the exit status."""
    sources = _each_once(photos)
    answers = _answers(options)
    _check_photos(answers, sources)
    templates = chosen_templates(options.template, options.templates)
    context = game_context(options.variant, options.rolls, templates)
    job = _Job(templates, default_reader(), context, answers)
    interview = _interview(job.context) if options.ask else None
    pictures = PictureFolder(options.annotate) if options.annotate is not None else None
    # Whether each answer is about a sheet that exists is known at the end, and a wrong one must print no result.
    at_once = len(sources) > 1 and not options.json and not answers
    console = stdout_console()
    result = ScanResult(model=job.reader.name)
    with progress_bar("scanning", len(sources), wanted=len(sources) > 1 and interview is None) as bar:
        for done, source in enumerate(sources):
            bar.update(done, len(sources))
            found = job.scan(source, _review(interview, pictures))
            result += found
            with bar.paused():
                _tell(found)
                if at_once:
                    _print_sheets(found, console)
    _check_sheets(answers, result)
    if options.json:
        print(dumps(document(result)), flush=True)
    elif at_once:
        print_summary(result, console)
    elif result.sheets or len(sources) > 1:
        print_result(result, console)
    status = exit_status(result)
    if pictures is not None:
        pictures.tell_written()
        status = max(status, UNREADABLE if pictures.failed else 0)
    return status


@dataclass(frozen=True, slots=True)
class _Job:
    """What is the same for every photo."""

    templates: Sequence[Template]
    reader: DigitReader
    context: GameContext
    answers: Sequence[Answer]

    def scan(self, source: str, review: Review | None) -> ScanResult:
        problem = _no_photo(source)
        if problem is not None:
            return ScanResult(problems=(problem,))
        try:
            return scan(
                sys.stdin.buffer.read(MAX_BYTES + 1) if source == STDIN and sys.stdin is not None else source,
                name=source,
                templates=self.templates,
                reader=self.reader,
                context=self.context,
                answers=self.answers,
                review=review,
            )
        except MemoryError:  # the next photo may be smaller
            message = f"{source}: there is not enough memory for this picture; save it smaller, or close other programs"
            return ScanResult(problems=(Problem(source, "too-large", message),))


def _no_photo(source: str) -> Problem | None:
    """What is no photo because of its name: a folder, or a pattern that the shell left as it is."""
    if not source:
        error = MissingFileError("a photo's name is empty", remedy="name the photo", subject="''")
    elif source == STDIN:
        if sys.stdin is not None and not sys.stdin.isatty():
            return None
        error = MissingFileError("nothing comes on standard input", remedy="name a photo", subject=source)
    elif os.path.isdir(source):
        inside = os.path.join(source, "*.jpg")
        remedy = f"name the photos in it, as in: padscore scan {inside}"
        error = MissingFileError("this is a folder, not a photo", remedy=remedy, subject=source)
    elif not os.path.lexists(source) and not GLOB.isdisjoint(source):
        remedy = "check the folder and the ending, or name the photos one by one"
        error = MissingFileError("no file has a name like this", remedy=remedy, subject=source)
    else:
        return None
    return Problem(source, error.code, str(error))


def _each_once(photos: Sequence[str]) -> list[str]:
    """The photos in order, a file that was named twice only the first time."""
    seen: dict[str, str] = {}
    for photo in photos:
        first = seen.setdefault(os.path.realpath(photo.replace("\0", "?")), photo)
        if first is not photo:
            tell(f"{photo}: named twice; it is read once")
    return list(seen.values())


def _answers(options: ScanOptions) -> tuple[Answer, ...]:
    """Those of the options, then those of the file."""
    typed = tuple(parse_answer(text) for text in options.answers)
    if options.answers_file is None:
        return typed
    subject = str(options.answers_file)
    try:
        data = read_up_to(options.answers_file, MAX_ANSWERS_BYTES + 1)
        text = data.decode("utf-8-sig")
    except FileNotFoundError:
        raise MissingFileError("there is no such file", remedy="check --answers", subject=subject) from None
    except UnicodeDecodeError:
        remedy = "write one answer a line, such as r2c3=5"
        raise AnswerError("this is no text in UTF-8", remedy=remedy, subject=subject) from None
    except OSError as error:
        cause = f"the answers can't be read ({error.strerror})"
        raise UnreadableError(cause, remedy="check --answers", subject=subject) from None
    if len(data) > MAX_ANSWERS_BYTES:
        raise UsageError("the file is too large for answers", remedy="check --answers", subject=subject)
    return (*typed, *parse_answers(text, source=subject))


def _check_photos(answers: Sequence[Answer], sources: Sequence[str]) -> None:
    """Before anything is read: AnswerError for an answer about a photo that isn't there, or about none of several."""
    for answer in answers:
        if answer.ref is None and len(sources) > 1:
            remedy = f"write which one, as in {SheetRef(sources[0], 1)}:{answer.cell}={answer.value}"
            raise AnswerError(f"there are {len(sources)} photos", remedy=remedy, subject=answer.subject)
        if answer.ref is not None and answer.ref.source not in sources:
            remedy = f"name the photo as in the command, such as {sources[0]}"
            raise AnswerError(f"no photo {answer.ref.source} was given", remedy=remedy, subject=answer.subject)


def _check_sheets(answers: Sequence[Answer], result: ScanResult) -> None:
    """AnswerError for an answer about no sheet or several. Where a photo gave nothing, its problem is told instead."""
    refs = [sheet.ref for sheet in result.sheets]
    failed = {problem.source for problem in result.problems} - {ref.source for ref in refs}
    check_addresses([answer for answer in answers if answer.ref is None or answer.ref.source not in failed], refs)


def _interview(context: GameContext) -> Interview | None:
    """Null, and a line that says so, where nobody sits at a terminal."""
    if sys.stdin is not None and sys.stdin.isatty():
        return Interview(context, sys.stdin, sys.stderr)
    tell("--ask needs a terminal to type at; answer with --answer or --answers instead")
    return None


def _review(interview: Interview | None, pictures: PictureFolder | None) -> Review | None:
    if interview is None and pictures is None:
        return None

    def review(photo: Photo, sheet: Sheet) -> Sheet:
        if interview is not None:
            sheet = interview.ask(sheet)
        if pictures is not None:
            pictures.add(photo, sheet)
        return sheet

    return review


def _tell(found: ScanResult) -> None:
    for line in _messages(found):
        tell(line)


def _messages(found: ScanResult) -> Iterator[str]:
    yield from found.warnings
    yield from (problem.message for problem in found.problems)


def _print_sheets(found: ScanResult, console: Console) -> None:
    for sheet in found.sheets:
        print_sheet(sheet, console, alone=False)
