"""What stands above and below the annotated photo: the total, the messages, the questions, and what the signs mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from PIL import Image, ImageDraw

from scanner.report.lettering import fitted, font, plain, wrapped
from scanner.report.marks import (
    CellMark,
    count_words,
    looks_printed,
    perhaps_words,
    question_words,
    told_flags,
    told_severity,
)
from scanner.report.signs import BLACK, BOLD, DARK, GREY, SEVERITY_SIGNS, SIGN_WORDS, WHITE, Sign, draw_sign
from scanner.report.tables import title_of
from scanner.results import Verdict
from scanner.sheet import Sheet

TITLE_TEXT = 0.082
NOTE_TEXT = 0.030
PADDING = 0.030
"""Letter heights and padding, as parts of the strip's width."""
MOST_NOTES = 14
"""Lines of messages below the photo; how many messages are left out is said."""
PAPER = (245, 245, 245)
RULE = (190, 190, 190)
FAINT, UNSCORED = (190, 190, 190), (125, 125, 125)
BETWEEN_SCORES = 0.9
"""Space between two score lines in the banner, in letter heights."""
LEAST_SCORE_TEXT = 0.7
"""... and how much smaller their letters may become so that they fit."""

_OCCURS: Mapping[Sign, Callable[[CellMark], bool]] = {
    "illegal": lambda mark: mark.wrong == "illegal",
    "arithmetic": lambda mark: mark.wrong == "arithmetic",
    "doubt": lambda mark: mark.unsure,
    "incomplete": lambda mark: mark.missing,
    "answered": lambda mark: mark.reading.state == "answered",
    "hand": lambda mark: mark.reading.value is not None and not looks_printed(mark.reading) and not mark.unsure,
    "print": lambda mark: mark.reading.value is not None and looks_printed(mark.reading) and not mark.unsure,
    "notes": lambda mark: mark.reading.state == "candidates",
    "struck": lambda mark: mark.reading.state == "struck",
}


def banner(sheet: Sheet, width: int) -> Image.Image:
    """The strip above the photo: the total in big type, then what is wrong, missing or to be asked."""
    verdict = sheet.verdict
    pad = round(PADDING * width)
    note = round(1.15 * NOTE_TEXT * width)
    title = title_of(verdict, round(TITLE_TEXT * width), width - 2 * pad)
    step = 1.5 * note
    rows = [] if verdict.columns else _score_rows(verdict, note, width - 2 * pad)
    image = Image.new("RGB", (width, round(title.height + step * len(rows) + 1.5 * note + 2.6 * pad)), DARK)
    pen = ImageDraw.Draw(image, "RGBA")
    title.draw(pen, pad, pad)

    y = title.height + 1.8 * pad
    for row in rows:
        row.draw(pen, pad, y + note / 2)
        y += step
    x = float(pad)
    for sign in _banner_signs(sheet):
        draw_sign(pen, sign, x, y, note)
        x += 1.25 * note
    words = count_words(verdict) or ("sure, nothing wrong" if verdict.sure else "not sure")
    face = fitted(words, note, width - x - pad)
    pen.text((x + 0.1 * note, y + note / 2), words, WHITE, face, anchor="lm")
    where = plain(PurePosixPath(sheet.source.replace("\\", "/")).name)
    if (sheet.page, sheet.sheet) != (1, 1):
        where += f", page {sheet.page}, sheet {sheet.sheet}"
    small = font(round(0.75 * note))
    if x + face.getlength(words) + small.getlength(where) + 3 * pad < width:
        pen.text((width - pad, y + note / 2), where, FAINT, small, anchor="rm")
    return image


@dataclass(frozen=True, slots=True)
class _ScoreRow:
    """Score lines beside each other in the banner, at a letter height of `size` px."""

    lines: tuple[tuple[str, int], ...]
    size: int

    @property
    def width(self) -> float:
        """In px."""
        between = (len(self.lines) - 1) * BETWEEN_SCORES * self.size
        return sum(font(self.size).getlength(f"{label} {points}") for label, points in self.lines) + between

    def draw(self, pen: ImageDraw.ImageDraw, x: float, y: float) -> None:
        """From the left, `y` at half height. A line that gives nothing steps back."""
        face = font(self.size)
        for label, points in self.lines:
            pen.text((x, y), label, FAINT if points else UNSCORED, face, anchor="lm")
            x += face.getlength(f"{label} ")
            bold = BOLD * self.size if points else 0
            pen.text((x, y), str(points), WHITE if points else UNSCORED, face, anchor="lm", stroke_width=bold)
            x += face.getlength(str(points)) + BETWEEN_SCORES * self.size


def _score_rows(verdict: Verdict, size: int, width: float) -> list[_ScoreRow]:
    """The score lines' names and points in one row or two; none if there is only one line, or if they are too many."""
    lines = tuple((plain(line.label.partition(":")[0]), int(line.points)) for line in verdict.score.lines)
    if len(lines) < 2 or verdict.columns:
        return []
    half = (len(lines) + 1) // 2
    for parts in ((lines,), (lines[:half], lines[half:])):
        widest = max(_ScoreRow(part, size).width for part in parts)
        smaller = min(size, int(size * width / widest))
        if smaller >= LEAST_SCORE_TEXT * size:
            return [_ScoreRow(part, smaller) for part in parts]
    return []


def notes(sheet: Sheet, marks: Iterable[CellMark], width: int) -> Image.Image:
    """The strip below the photo: the flags' messages, the questions, and a legend of the signs that occur."""
    pad = round(PADDING * width)
    size = round(NOTE_TEXT * width)
    step = 1.35 * size
    indent = pad + 1.5 * size
    lines = _lines(sheet, size, width - indent - pad)
    rows = _legend_rows(_legend(sheet, marks), size, width - 2 * pad)
    image = Image.new(
        "RGB", (width, round(2 * pad + step * (len(lines) + len(rows)) + 0.6 * step * bool(lines))), PAPER
    )
    pen = ImageDraw.Draw(image, "RGBA")
    y = float(pad)
    for sign, text in lines:
        if sign is not None:
            draw_sign(pen, sign, pad, y, size)
        pen.text((indent, y + size / 2), text, BLACK, font(size), anchor="lm")
        y += step
    if lines:
        pen.line((pad, y + 0.1 * step, width - pad, y + 0.1 * step), fill=RULE, width=max(1, width // 600))
        y += 0.6 * step
    for row in rows:
        x = float(pad)
        for shown in row:
            draw_sign(pen, shown, x, y, 0.85 * size)
            pen.text((x + 1.2 * size, y + 0.43 * size), SIGN_WORDS[shown], GREY, font(round(0.8 * size)), anchor="lm")
            x += _legend_width(shown, size)
        y += step
    return image


def _banner_signs(sheet: Sheet) -> list[Sign]:
    signs: set[Sign] = {SEVERITY_SIGNS[told_severity(flag)] for flag in sheet.verdict.flags}
    if not sheet.verdict.sure:
        signs.add("doubt")
    return [sign for sign in SIGN_WORDS if sign in (signs or {"clear"})]


def _lines(sheet: Sheet, size: int, width: float) -> list[tuple[Sign | None, str]]:
    """The messages, broken into lines; the first line of each carries its sign."""
    told: list[tuple[Sign, str]] = [
        (SEVERITY_SIGNS[told_severity(flag)], perhaps_words(flag)) for flag in told_flags(sheet.verdict)
    ]
    cells, inks = sheet.board.cells, sheet.verdict.ask_ink
    told += [("doubt", question_words(cells[cell], ink=cell in inks)) for cell in sheet.verdict.ask if cell in cells]
    lines: list[tuple[Sign | None, str]] = []
    for index, (sign, text) in enumerate(told):
        parts = wrapped(plain(text), font(size), width)
        if len(lines) + len(parts) > MOST_NOTES:
            lines.append((None, f"and {len(told) - index} more"))
            break
        lines += [(sign if first == 0 else None, part) for first, part in enumerate(parts)]
    return lines


def _legend(sheet: Sheet, marks: Iterable[CellMark]) -> list[Sign]:
    """The signs that occur in this picture, in the order of the words' table."""
    shown = list(marks)
    signs = {sign for sign, occurs in _OCCURS.items() if any(occurs(mark) for mark in shown)}
    groups = [group for line in sheet.verdict.score.lines for group in line.groups if group.points]
    if any(not group.line for group in groups):
        signs.add("group")
    if any(group.line for group in groups):
        signs.add("line")
    if any(group.symbols for group in groups):
        signs.add("symbol")
    return [sign for sign in SIGN_WORDS if sign in signs]


def _legend_width(sign: Sign, size: float) -> float:
    return 1.2 * size + font(round(0.8 * size)).getlength(SIGN_WORDS[sign]) + 0.9 * size


def _legend_rows(signs: Sequence[Sign], size: float, width: float) -> list[list[Sign]]:
    """The legend broken into rows that fit; a row holds at least one sign."""
    rows: list[list[Sign]] = []
    left = 0.0
    for sign in signs:
        needed = _legend_width(sign, size)
        if not rows or needed - 0.9 * size > left:
            rows.append([])
            left = width
        rows[-1].append(sign)
        left -= needed
    return rows
