"""Questions to the person at the terminal, about the cells that matter and aren't sure."""

from __future__ import annotations

from typing import TextIO

from scanner.errors import AnswerError
from scanner.games.base import GameContext
from scanner.geometry import Square
from scanner.report.marks import best_answer, option_words
from scanner.resolve import Answer
from scanner.results import Ink
from scanner.scan import answered
from scanner.sheet import Sheet

SKIP = "skip"
_NUMBER_CHOICES = "a number, empty, notes, struck"
_SYNONYMS = {"empty": "blank", "notes": "candidates", "pencil notes": "candidates", "struck out": "struck"}
_INKS: dict[str, Ink] = {"print": "print", "printed": "print", "hand": "hand", "by hand": "hand"}


class Interview:
    """Asks about one sheet after the other until the person ends the input.

    replies: lines typed. screen: where the questions go, which is never stdout.
    """

    def __init__(self, context: GameContext, replies: TextIO, screen: TextIO) -> None:
        self._context = context
        self._replies = replies
        self._screen = screen
        self._ended = False

    def ask(self, sheet: Sheet) -> Sheet:
        """The sheet with everything answered that the person knew.

        It is judged again after each answer: one answer often settles what would have been asked next.
        """
        skipped: set[str] = set()
        told = False
        while not self._ended:
            left = [cell for cell in sheet.verdict.ask if cell not in skipped]
            if not left:
                break
            if not told:
                told = True
                self._screen.write(f"{_name(sheet)}: Enter keeps what stands in brackets, {SKIP} leaves it open.\n")
            cell = left[0]
            reply = self._reply(sheet, cell, len(left))
            if reply is None or reply == SKIP:
                skipped.add(cell)
                continue
            try:
                later = answered(sheet, [Answer(sheet.ref, cell, reply)], self._context)
            except AnswerError as error:
                self._screen.write(f"  {error.cause}; {error.remedy}, or {SKIP}\n")
                continue
            if cell in later.verdict.ask_ink and cell in sheet.verdict.ask_ink:
                skipped.add(cell)  # the number is known now, and who wrote it still isn't: no use asking again
            sheet = later
        return sheet

    def _reply(self, sheet: Sheet, cell: str, left: int) -> str | None:
        """The answer as `Answer` wants it, or `SKIP`; null where nothing was typed and there is nothing to keep."""
        reading, ink = sheet.board.cells[cell], cell in sheet.verdict.ask_ink
        guess, options = best_answer(reading, ink=ink), option_words(reading, ink=ink)
        seen = f"looks like {', or '.join(options)}" if options else "could not be read"
        kind = sheet.template.cell(cell).kind
        others = "print or hand" if ink else {"mark": "x or empty", "text": "the words"}.get(kind, _NUMBER_CHOICES)
        count = f", {left} to go" if left > 1 else ""
        shown = f" [{guess}]" if guess else ""
        self._screen.write(f"  {_place(sheet, cell)}: {seen}. What is it? ({others}, {SKIP}{count}){shown} ")
        self._screen.flush()
        line = self._replies.readline()
        if not line:
            self._ended = True
            self._screen.write("\n")
            return None
        typed = line.strip()
        word = typed.casefold()
        if not typed:
            return guess or None
        if word in _INKS and reading.value is not None:
            return f"{reading.value} {_INKS[word]}"
        if kind == "text" and word != SKIP:
            return typed
        return _SYNONYMS.get(word, word)


def _name(sheet: Sheet) -> str:
    page = f", page {sheet.page}" if sheet.page > 1 else ""
    number = f", sheet {sheet.sheet}" if sheet.sheet > 1 else ""
    return f"{sheet.source}{page}{number}"


def _place(sheet: Sheet, cell: str) -> str:
    """Which cell, for somebody who looks at the paper: ``row 2, column 3 (r2c3)``."""
    place = sheet.template.cell(cell).place
    return f"row {place.row}, column {place.col} ({cell})" if isinstance(place, Square) else cell
