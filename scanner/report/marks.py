"""What the table and the picture have in common: which cells are marked how, and the sentences beside them."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from scanner.board import MADE
from scanner.resolve.answers import ANSWER_STATES
from scanner.resolve.outcomes import STATE_NAMES
from scanner.results import DOUBT_CODE, VALUED_STATES, WRONG, CellReading, Flag, ScoreLine, Severity, State, Verdict
from scanner.sheet import Sheet

SEVERITIES: tuple[Severity, ...] = ("illegal", "arithmetic", "incomplete", "doubt")
"""Worst first: the order in which flags are told."""

SEVERITY_WORDS: Mapping[Severity, str] = {
    "illegal": "breaks a rule",
    "arithmetic": "wrong sum",
    "incomplete": "incomplete",
    "doubt": "not sure",
}
POSSIBLE_WORDS: Mapping[Severity, str] = {"illegal": "may break a rule", "arithmetic": "may be a wrong sum"}
"""The same of a flag that a plausible other reading takes away."""
UNSURE_STATES = frozenset({"doubtful", "unreadable", "scribble"})
VALUELESS = frozenset(get_args(State)) - VALUED_STATES
MENTIONED = 0.01
"""An alternative is worth mentioning to a person from this posterior on, unless it is the only one."""


@dataclass(frozen=True, slots=True)
class CellMark:
    """How one cell is to be shown.

    reading: the cell as read. wrong: the worst severity that surely breaks something (illegal before arithmetic), or
        null. missing: an `incomplete` flag names the cell. asked: it is among the questions, or a `doubt` names it.
    unsure: asked, read with doubt, or perhaps wrong.
    """

    reading: CellReading
    wrong: Severity | None
    missing: bool
    asked: bool
    unsure: bool


def cell_marks(sheet: Sheet) -> dict[str, CellMark]:
    """The mark of every cell of the board, keyed by id, in the board's order."""
    by_severity: dict[Severity, set[str]] = {severity: set() for severity in SEVERITIES}
    for flag in sheet.verdict.flags:
        by_severity[told_severity(flag)].update(flag.cells)
    asked = by_severity["doubt"] | set(sheet.verdict.ask)
    marks: dict[str, CellMark] = {}
    for cell_id, reading in sheet.board.cells.items():
        wrong: Severity | None = None
        if cell_id in by_severity["illegal"]:
            wrong = "illegal"
        elif cell_id in by_severity["arithmetic"]:
            wrong = "arithmetic"
        marks[cell_id] = CellMark(
            reading=reading,
            wrong=wrong,
            missing=cell_id in by_severity["incomplete"],
            asked=cell_id in asked,
            unsure=cell_id in asked or (reading.state in UNSURE_STATES and not reading.unseen),
        )
    return marks


def told_severity(flag: Flag) -> Severity:
    """How a flag is told: what is wrong only perhaps is a doubt."""
    return "doubt" if flag.severity in WRONG and not flag.sure else flag.severity


def sorted_flags(flags: Sequence[Flag]) -> tuple[Flag, ...]:
    """The flags, worst severity first, otherwise in the game's order."""
    return tuple(sorted(flags, key=lambda flag: (SEVERITIES.index(told_severity(flag)), flag.severity == "doubt")))


def told_flags(verdict: Verdict) -> tuple[Flag, ...]:
    """The flags to tell, in this order; without doubts that the questions tell in more words."""
    return tuple(
        flag
        for flag in sorted_flags(verdict.flags)
        if flag.code != DOUBT_CODE or not set(flag.cells) <= set(verdict.ask)
    )


def total_words(verdict: Verdict) -> str:
    """``Total 62``, ``Total 60 to 62, unsure``, ``Total 62, some cells unsure``; a game each for several columns.

    Behind the number stands what it counts, where those are no points: ``Total 62 without a clash``.
    """
    unit = f" {verdict.score.unit}" if verdict.score.unit else ""
    if verdict.columns:
        return "; ".join(
            f"{name} {span_words(column.total, column.range)}" + ("" if column.sure else ", unsure")
            for name, column in verdict.columns.items()
        )
    total = verdict.score.total
    if total is None:
        return "No total" if verdict.sure else "No total, unsure"
    if verdict.sure:
        return f"Total {total}{unit}"
    limits = verdict.range or (total, total)
    if limits[0] == limits[1]:
        return f"Total {total}{unit}, some cells unsure"
    return f"Total {limits[0]} to {limits[1]}{unit}, unsure"


def count_words(verdict: Verdict) -> str:
    """How many things are wrong, missing and to be asked: ``2 problems, 1 question, 12 cells empty``."""
    wrong = sum(told_severity(flag) in WRONG for flag in verdict.flags)
    perhaps = sum(flag.severity in WRONG for flag in verdict.flags) - wrong
    empty = len({cell for flag in verdict.flags if flag.severity == "incomplete" for cell in flag.cells})
    parts = []
    if wrong:
        parts.append(_count(wrong, "problem"))
    if perhaps:
        parts.append(_count(perhaps, "possible problem"))
    if verdict.ask:
        parts.append(_count(len(verdict.ask), "question"))
    if empty:
        parts.append(f"{_count(empty, 'cell')} empty")
    return ", ".join(parts)


def sum_words(line: ScoreLine) -> str:
    """How the groups of a score line add up: `` = 2 + 4``, equal ones together as `` = 3 x 1``; empty for one group."""
    if len(line.groups) < 2:
        return ""
    counts = Counter(group.points for group in line.groups)
    return " = " + " + ".join(f"{n} x {points}" if n > 1 else f"{points}" for points, n in sorted(counts.items()))


def severity_words(flag: Flag) -> str:
    """What kind of thing a flag tells: ``breaks a rule``, ``may break a rule``, ..."""
    return (SEVERITY_WORDS if told_severity(flag) == flag.severity else POSSIBLE_WORDS)[flag.severity]


def flag_words(flag: Flag, *, most_cells: int = 6) -> str:
    """The flag's sentence; a few cells are added where the message itself doesn't name them."""
    if not 0 < len(flag.cells) <= most_cells or any(cell in flag.message for cell in flag.cells):
        return flag.message
    cells = ", ".join(flag.cells)
    if flag.message.endswith(")"):  # it says where in words already
        return f"{flag.message[:-1]}: {cells})"
    return f"{flag.message} ({cells})"


def perhaps_words(flag: Flag) -> str:
    """`flag_words`, said to be only a possibility where a plausible other reading takes something wrong away."""
    words = flag_words(flag)
    return words if told_severity(flag) == flag.severity else f"Perhaps: {words}"


def question_words(reading: CellReading, *, ink: bool = False) -> str:
    """What is unclear about one cell: ``r2c3: 5 (87 %) or empty (12 %)?``. ink: it is who wrote there."""
    options = option_words(reading, ink=ink)
    return f"{reading.id}: " + (" or ".join(options) + "?" if options else "could not be read")


def option_words(reading: CellReading, *, ink: bool = False) -> list[str]:
    """What a cell may say and how likely that is, the best guess first: ``5 (87 %)``, ``empty (12 %)``."""
    if ink and reading.printed is not None:
        printed = (f"{reading.value} printed ({_percent(reading.printed)})", reading.printed)
        by_hand = (f"{reading.value} by hand ({_percent(1 - reading.printed)})", 1 - reading.printed)
        return [words for words, _ in sorted((printed, by_hand), key=lambda option: -option[1])]
    return [f"{reading_words(name)} ({_percent(p)})" for name, p in likely_readings(reading)]


def reading_words(name: str) -> str:
    """A value, or a state as people call it: ``pencil notes`` for ``candidates``."""
    return {str(state): words for state, words in STATE_NAMES.items()}.get(name, name)


def likely_readings(reading: CellReading, *, most: int = 3) -> tuple[tuple[str, float], ...]:
    """What the cell may say and how likely each is: what is reported first, then the alternatives worth mentioning."""
    reported_name = None if reading.value is None else str(reading.value)
    others = sorted((item for item in reading.alternatives.items() if item[0] != reported_name), key=lambda i: -i[1])
    if reading.value is None and reading.state not in UNSURE_STATES:
        # why there is no value changes nothing; which value there might be does, however unlikely it is
        others = [item for item in others if item[0] not in VALUELESS] or others
    worth = [(name, p) for name, p in others if p >= MENTIONED] or others[:1]
    reported: list[tuple[str, float]] = []
    if reported_name is not None:
        reported = [(reported_name, reading.confidence)]
    elif reading.state not in UNSURE_STATES:
        reported = [(reading.state, reading.confidence)]
    return tuple((reported + worth)[:most])


def answer_hint(sheet: Sheet, reading: CellReading, *, alone: bool) -> str:
    """The option to type: ``--answer r2c3=5``, with several sheets ``--answer 'FILE#SHEET:r2c3=5'`` quoted for a shell.

    The value is the best guess, which may be that there is none; VALUE stands where nothing can be guessed.
    """
    answer = f"{reading.id}={best_answer(reading, ink=reading.id in sheet.verdict.ask_ink) or 'VALUE'}"
    if not alone:
        answer = f"{sheet.ref}:{answer}"
    return f"--answer {shlex.quote(answer)}"


def looks_printed(reading: CellReading) -> bool:
    """Whether to show a value as printed: what it rather is, where that is open."""
    if reading.ink is None and reading.printed is not None:
        return reading.printed >= 0.5
    return reading.ink == "print"


def best_answer(reading: CellReading, *, ink: bool = False) -> str:
    """The best guess as an answer is written, ``5``, ``blank``, ``5 hand``; empty where nothing can be guessed."""
    if ink and reading.printed is not None:
        return f"{reading.value} {'print' if reading.printed >= 0.5 else 'hand'}"
    guess = next((name for name, _ in likely_readings(reading)), "")
    return guess if guess.lstrip("-").isdigit() or guess == MADE or guess in ANSWER_STATES else ""


def value_words(reading: CellReading) -> str:
    """One cell in the board's text notation: a value, ``.`` empty, ``c`` notes, ``s`` struck, ``?`` unread."""
    if reading.state in VALUED_STATES:
        return "." if reading.value is None else str(reading.value)
    return {"blank": ".", "candidates": "c", "struck": "s"}.get(reading.state, "?")


def span_words(total: int, limits: tuple[int, int]) -> str:
    """A total and its limits: ``62``, ``60 to 62``."""
    return str(total) if limits[0] == limits[1] else f"{limits[0]} to {limits[1]}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _percent(p: float) -> str:
    # "100 %" would claim a certainty that nobody has while there is something to ask
    return "under 1 %" if p < 0.01 else f"{min(round(100 * p), 99)} %"
