"""Questions to the person at the terminal, about the cells that matter and aren't sure."""

from __future__ import annotations

from typing import TextIO

from scanner.errors import AnswerError
from scanner.games.base import GameContext
from scanner.report.marks import question_words
from scanner.resolve import Answer, SheetRef
from scanner.scan import answered
from scanner.sheet import Sheet

SKIP = ("", "skip")


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
        while not self._ended:
            cell = next((cell for cell in sheet.verdict.ask if cell not in skipped), None)
            if cell is None:
                break
            reply = self._reply(sheet, cell)
            if reply.lower() in SKIP:
                skipped.add(cell)
                continue
            answer = Answer(SheetRef(sheet.source, sheet.sheet), cell, reply)
            try:
                sheet = answered(sheet, [answer], self._context)
            except AnswerError as error:
                self._screen.write(f"  {error.cause}; {error.remedy}, or skip\n")
        return sheet

    def _reply(self, sheet: Sheet, cell: str) -> str:
        page = f", page {sheet.page}" if sheet.page > 1 else ""
        number = f", sheet {sheet.sheet}" if sheet.sheet > 1 else ""
        question = question_words(sheet.board.cells[cell])
        self._screen.write(f"{sheet.source}{page}{number}, {question} [value, blank, skip] ")
        self._screen.flush()
        line = self._replies.readline()
        if not line:
            self._ended = True
            self._screen.write("\n")
        return line.strip()
