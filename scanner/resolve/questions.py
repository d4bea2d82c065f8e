"""Fewer questions: an answer often lets the sums decide about other cells, which then needn't be asked."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

from scanner.board import ReadBoard
from scanner.resolve.outcomes import Doubt, Outcome, doubt_about
from scanner.resolve.sums import checked_by_sums
from scanner.results import CellReading
from scanner.templates.model import Template

MOST_CHECKS = 60
"""Sets of answers that are tried; with more to try, everything doubtful is asked."""
MOST_LISTED = 3
"""Lists of more cells than this aren't looked for."""
MOST_AT_ONCE = 5
"""Questions about a sheet with a table: answers settle others, and what they leave open is asked the next time."""
LIKELIEST = 2
"""Answers to a question that are tried to see what they settle, the likeliest ones."""
CONSIDERED = 8
"""Questions that are compared, those about the least sure cells."""
DIGITS = 6


def fewest_questions(board: ReadBoard, template: Template, asked: Sequence[Doubt]) -> Sequence[Doubt]:
    """The shortest list of the doubts such that, whatever is answered, the sums of the table decide about the others.

    All of them where there is none, or none is found soon.
    """
    checks = 0
    for count in range(1, min(MOST_LISTED, len(asked) - 1) + 1):
        for few in itertools.combinations(sorted(asked, key=lambda doubt: -doubt.size), count):
            checks += math.prod(len(doubt.outcomes) for doubt in few)
            if checks > MOST_CHECKS:
                return asked
            others = [doubt for doubt in asked if doubt not in few]
            if all(not _left(board, template, answers, others) for answers in itertools.product(*_outcomes(few))):
                return [doubt for doubt in asked if doubt in few]
    return asked


def most_useful(board: ReadBoard, template: Template, asked: Sequence[Doubt], every: Sequence[Doubt]) -> list[Doubt]:
    """Up to `MOST_AT_ONCE` of what is to be asked, first what is likely to settle the most of every doubt in a table.

    Each further one is chosen as if those before it were answered as they were read. Where answers settle nothing else,
    the least sure cells come first.
    """
    columns = {_column(doubt.cell): _alone(board, _column(doubt.cell)) for doubt in asked}
    left = sorted(asked, key=lambda doubt: -doubt.size)
    doubtful = list(every)
    settled: dict[str, float] = {}
    chosen: list[Doubt] = []
    while left and len(chosen) < MOST_AT_ONCE:
        considered = left[:CONSIDERED]
        for doubt in considered:
            if doubt.cell not in settled:
                column = _column(doubt.cell)
                others = [other for other in doubtful if other is not doubt and _column(other.cell) == column]
                settled[doubt.cell] = _settled(columns[column], template, doubt, others)
        best = max(considered, key=lambda doubt: (round(settled[doubt.cell], DIGITS), doubt.size))
        chosen.append(best)
        here = _column(best.cell)
        likeliest = max(best.outcomes, key=lambda outcome: outcome.weight)
        columns[here] = _answered(columns[here], (likeliest,))
        others = [doubt for doubt in doubtful if doubt is not best and _column(doubt.cell) == here]
        open_still = {doubt.cell for doubt in _left(columns[here], template, (), others)}
        doubtful = [doubt for doubt in doubtful if _column(doubt.cell) != here or doubt.cell in open_still]
        left = [doubt for doubt in left if _column(doubt.cell) != here or doubt.cell in open_still]
        settled = {cell: count for cell, count in settled.items() if _column(cell) != here}
    return chosen


def _column(cell_id: str) -> str:
    return cell_id.partition(".")[0]


def _alone(board: ReadBoard, column: str) -> ReadBoard:
    """The board with nothing in the other columns."""
    cells = {
        cell: reading if _column(cell) == column else CellReading(cell, None, "blank")
        for cell, reading in board.cells.items()
    }
    return ReadBoard(board.template, cells)


def _settled(board: ReadBoard, template: Template, doubt: Doubt, others: Sequence[Doubt]) -> float:
    """How many of the other doubts an answer is likely to settle."""
    likeliest = sorted(doubt.outcomes, key=lambda outcome: -outcome.weight)[:LIKELIEST]
    whole = math.fsum(outcome.weight for outcome in doubt.outcomes)
    return math.fsum(
        outcome.weight / whole * (len(others) - len(_left(board, template, (outcome,), others)))
        for outcome in likeliest
    )


def _outcomes(doubts: Sequence[Doubt]) -> list[tuple[Outcome, ...]]:
    return [doubt.outcomes for doubt in doubts]


def _left(board: ReadBoard, template: Template, answers: Sequence[Outcome], others: Sequence[Doubt]) -> list[Doubt]:
    """The others that are still doubtful once the answers are known."""
    checked = checked_by_sums(_answered(board, answers), template)
    return [
        other
        for other in others
        if doubt_about(checked.cells[other.cell], template.cell(other.cell), by_value=False) is not None
    ]


def _answered(board: ReadBoard, answers: Sequence[Outcome]) -> ReadBoard:
    answered = {one.reading.id: replace(one.reading, state="answered") for one in answers}
    return ReadBoard(board.template, {**board.cells, **answered})
