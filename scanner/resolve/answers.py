"""What a human answered about a cell: ``r2c3=5``.

With several sheets ``FILE#SHEET:r2c3=5``, and beyond the first page of a file ``FILE#PAGE.SHEET:r2c3=5``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from scanner.board import MADE
from scanner.errors import AnswerError
from scanner.opening import lines_of
from scanner.results import Ink, State, Value
from scanner.templates.model import Cell, Template

MAX_LENGTH = 4096
MAX_SHOWN = 80
"""Characters of an answer in a message."""
ANSWER_STATES: tuple[State, ...] = ("blank", "candidates", "struck")
"""Words that answer "there is no value"; the cell's state is `answered` all the same."""

_ANSWER = re.compile(
    r"(?:(?P<file>.+)#(?:(?P<page>[1-9][0-9]{0,5})\.)?(?P<sheet>[1-9][0-9]{0,5}):)?"
    r"(?P<cell>[^:#=\s]+)=(?P<value>.*)",
    re.DOTALL,
)
_NUMBER = re.compile(r"(?P<number>-?[0-9]{1,3})(?:\s+(?P<ink>hand|print))?")
_REMEDY = (
    "write it as r2c3=5, or FILE#SHEET:r2c3=5 where there are several sheets, FILE#PAGE.SHEET:r2c3=5 with several pages"
)


@dataclass(frozen=True, slots=True)
class SheetRef:
    """Which sheet: the file's name as the user gave it, the number of the sheet on its page and the page, from 1."""

    source: str
    sheet: int
    page: int = 1

    def __str__(self) -> str:
        """``FILE#SHEET`` on the first page, ``FILE#PAGE.SHEET`` on others."""
        return f"{self.source}#{self.sheet}" if self.page == 1 else f"{self.source}#{self.page}.{self.sheet}"


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, well-formed but not yet checked against a template.

    ref: null where the answer names no sheet. value: as written, a number, x, blank, candidates, struck or a text;
        behind a number may stand ``print`` or ``hand``.
    """

    ref: SheetRef | None
    cell: str
    value: str

    def __str__(self) -> str:
        return f"{self.ref}:{self.cell}={self.value}" if self.ref else f"{self.cell}={self.value}"

    @property
    def ink(self) -> Ink | None:
        """Whether the answer says that its number is printed or written by hand: ``r2c3=5 hand``."""
        found = _NUMBER.fullmatch(self.value)
        return None if found is None or found["ink"] is None else cast(Ink, found["ink"])

    @property
    def subject(self) -> str:
        """For a message: ``answer 'r2c3=5'``; of a long path only the end, which tells more than its beginning."""
        text = str(self)
        return f"answer {text if len(text) <= MAX_SHOWN else '...' + text[3 - MAX_SHOWN :]!r}"

    def value_for(self, cell: Cell) -> Value | None:
        """The value that the cell has by this answer, null for none; raises AnswerError if it can't be one of its kind.

        A number that the rules don't allow is an answer like any other: it is what stands on the paper.
        """
        if cell.kind == "text":
            return None if self.value in ("", "blank") else self.value
        if self.value in ANSWER_STATES:
            return None
        if cell.kind == "mark":
            if self.value == MADE:
                return MADE
            raise _refused(self, f"cell {cell.id} holds a mark", "answer x or blank")
        if found := _NUMBER.fullmatch(self.value):
            return int(found["number"])
        raise _refused(
            self, f"cell {cell.id} holds a number", f"answer a number of up to three digits, {', '.join(ANSWER_STATES)}"
        )


def parse_answer(text: str) -> Answer:
    """Reads one answer; raises AnswerError if it is malformed."""
    found = _ANSWER.fullmatch(text.strip()) if len(text) <= MAX_LENGTH else None
    if found is None:
        raise AnswerError("it isn't an answer", remedy=_REMEDY, subject=f"answer {text.strip()[:60]!r}")
    ref = None if found["file"] is None else SheetRef(found["file"], int(found["sheet"]), int(found["page"] or 1))
    return Answer(ref, found["cell"], found["value"].strip())


def parse_answers(text: str, *, source: str = "answers") -> tuple[Answer, ...]:
    """Reads a file of answers, one a line; empty lines are passed over, and those that begin with ``#``.

    Raises AnswerError naming `source` and the line for one that is malformed.
    """
    answers: list[Answer] = []
    for number, line in enumerate(lines_of(text), start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                answers.append(parse_answer(line))
            except AnswerError as error:
                subject = f"{source}, line {number}, {error.subject}"
                raise AnswerError(error.cause, remedy=error.remedy, subject=subject) from None
    return tuple(answers)


def check_addresses(answers: Sequence[Answer], sheets: Sequence[SheetRef]) -> None:
    """Raises AnswerError for an answer about none of the sheets, or that leaves open which of several it is about."""
    for answer in answers:
        if answer.ref is None and len(sheets) > 1:
            remedy = f"write which one, as in {sheets[0]}:{answer.cell}={answer.value}"
            raise _refused(answer, f"there are {len(sheets)} sheets", remedy)
        if answer.ref is not None and answer.ref not in sheets:
            known = ", ".join(str(sheet) for sheet in sheets[:5]) or "none"
            raise _refused(answer, f"there is no sheet {answer.ref}", f"the sheets found: {known}")


def answers_for(sheet: SheetRef, answers: Sequence[Answer], template: Template) -> tuple[Answer, ...]:
    """The answers about one sheet, checked against its template; those without an address are about every sheet.

    Raises AnswerError for an unknown cell, a value of the wrong kind, or two different answers about a cell.
    """
    chosen: dict[str, Answer] = {}
    for answer in answers:
        if answer.ref not in (None, sheet):
            continue
        if answer.cell not in template:
            remedy = f"`padscore templates show {template.id}` lists its cells"
            raise _refused(answer, f"template {template.id} has no cell {answer.cell}", remedy)
        answer.value_for(template.cell(answer.cell))
        other = chosen.setdefault(answer.cell, answer)
        if other.value != answer.value:
            raise _refused(answer, f"cell {answer.cell} was answered with {other.value!r} as well", "leave one out")
    return tuple(chosen.values())


def _refused(answer: Answer, cause: str, remedy: str) -> AnswerError:
    return AnswerError(cause, remedy=remedy, subject=answer.subject)
