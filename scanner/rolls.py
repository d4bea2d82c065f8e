"""Logs of the dice: text files with one roll a line, its numbers separated by blanks.

Blank lines are passed over, and so is everything from a ``#`` on. What the lines have to hold depends on the game
(`RollFormat`). A log may be shorter than a game: games are broken off, and what is missing then shows as a difference
between log and sheet. A longer one is no log of one game, and is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scanner.errors import MissingFileError, RollLogError, UnreadableError
from scanner.opening import lines_of, read_up_to

MAX_BYTES = 100_000
_NUMBER = re.compile(r"[0-9]{1,3}", re.ASCII)


@dataclass(frozen=True, slots=True)
class RollFormat:
    """What a game's log looks like.

    dice: numbers a roll. low, high: what each of them may be. rounds: rolls of a whole game, so at most that many.
    """

    dice: int
    low: int
    high: int
    rounds: int


@dataclass(frozen=True, slots=True)
class Roll:
    """One roll. line: where it stands in the file, from 1."""

    numbers: tuple[int, ...]
    line: int


@dataclass(frozen=True, slots=True)
class RollLog:
    """The rolls of a file, at least one. source: its name in messages."""

    rolls: tuple[Roll, ...]
    source: str

    @property
    def numbers(self) -> tuple[tuple[int, ...], ...]:
        """The rolls as `scanner.games.base.GameContext` wants them."""
        return tuple(roll.numbers for roll in self.rolls)

    def check(self, formats: Sequence[RollFormat]) -> None:
        """Raises RollLogError, naming the line and the reason, unless the log has one of these formats (at least one).

        The reason is told by the format with as many dice as most lines have numbers, if there is one.
        """
        problems = [self._problem(form) for form in formats]
        if None in problems:
            return
        usual = Counter(len(roll.numbers) for roll in self.rolls).most_common(1)[0][0]
        nearest = next((index for index, form in enumerate(formats) if form.dice == usual), 0)
        problem = problems[nearest]
        if problem is not None:
            raise problem

    def _problem(self, form: RollFormat) -> RollLogError | None:
        for number, roll in enumerate(self.rolls, start=1):
            where = f"{self.source}, line {roll.line}"
            if len(roll.numbers) != form.dice:
                found = f"{len(roll.numbers)} number{'s' * (len(roll.numbers) != 1)}"
                return RollLogError(f"a roll has {form.dice} numbers, not {found[:60]}", remedy=_REMEDY, subject=where)
            for value in roll.numbers:
                if not form.low <= value <= form.high:
                    cause = f"no die shows {value}, only {form.low} to {form.high}"
                    return RollLogError(cause, remedy="correct it", subject=where)
            if number > form.rounds:
                cause = f"this is roll {number}, but a game has only {form.rounds}"
                return RollLogError(cause, remedy="keep the rolls of one game", subject=where)
        return None


_REMEDY = "write one roll a line, its numbers separated by blanks"


def load_rolls(path: Path) -> RollLog:
    """Reads a log. Raises RollLogError for what is none, MissingFileError and UnreadableError for what is no file."""
    subject = str(path)
    try:
        data = read_up_to(path, MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise MissingFileError("there is no such file", remedy="check --rolls", subject=subject) from None
    except OSError as error:
        cause = f"the log of the rolls can't be read ({error.strerror})"
        raise UnreadableError(cause, remedy="check --rolls", subject=subject) from None
    return parse_rolls(data, source=subject)


def parse_rolls(data: bytes, *, source: str) -> RollLog:
    """Reads a log from the bytes of a file, UTF-8. Raises RollLogError naming the line and the reason."""
    if len(data) > MAX_BYTES:
        raise RollLogError("it is too large for a log of rolls", remedy="check --rolls", subject=source)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = len(lines_of(data[: error.start].decode("utf-8")))
        remedy = "give a text file with one roll a line"
        raise RollLogError("this is no text in UTF-8", remedy=remedy, subject=f"{source}, line {line}") from None
    rolls: list[Roll] = []
    for number, line_text in enumerate(lines_of(text), start=1):
        words = line_text.partition("#")[0].split()
        for word in words:
            if not _NUMBER.fullmatch(word):
                raise RollLogError(f"{_shown(word)} is no number", remedy=_REMEDY, subject=f"{source}, line {number}")
        if words:
            rolls.append(Roll(tuple(int(word) for word in words), number))
    if not rolls:
        raise RollLogError("there are no rolls in it", remedy=_REMEDY, subject=source)
    return RollLog(tuple(rolls), source)


def _shown(word: str) -> str:
    return ascii(word if len(word) <= 20 else word[:17] + "...")
