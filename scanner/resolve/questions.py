"""Fewer questions: an answer often lets the sums decide about other cells, which then needn't be asked."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

from scanner.board import ReadBoard
from scanner.resolve.outcomes import Doubt, Outcome, doubt_about
from scanner.resolve.sums import checked_by_sums
from scanner.templates.model import Template

MOST_CHECKS = 60
"""Sets of answers that are tried; with more to try, everything doubtful is asked."""
MOST_ASKED = 3
"""Lists of more cells than this aren't looked for."""


def fewest_questions(board: ReadBoard, template: Template, asked: Sequence[Doubt]) -> Sequence[Doubt]:
    """The shortest list of the doubts such that, whatever is answered, the sums of the table decide about the others.

    All of them where there is none, or none is found soon.
    """
    checks = 0
    for count in range(1, min(MOST_ASKED, len(asked) - 1) + 1):
        for few in itertools.combinations(sorted(asked, key=lambda doubt: -doubt.size), count):
            checks += math.prod(len(doubt.outcomes) for doubt in few)
            if checks > MOST_CHECKS:
                return asked
            others = [doubt for doubt in asked if doubt not in few]
            if all(_decided(board, template, answers, others) for answers in itertools.product(*_outcomes(few))):
                return [doubt for doubt in asked if doubt in few]
    return asked


def _outcomes(doubts: Sequence[Doubt]) -> list[tuple[Outcome, ...]]:
    return [doubt.outcomes for doubt in doubts]


def _decided(board: ReadBoard, template: Template, answers: Sequence[Outcome], others: Sequence[Doubt]) -> bool:
    """Whether no doubt is left about the others once the answers are known."""
    answered = {one.reading.id: replace(one.reading, state="answered") for one in answers}
    checked = checked_by_sums(ReadBoard(board.template, {**board.cells, **answered}), template)
    return all(
        doubt_about(checked.cells[other.cell], template.cell(other.cell), by_value=False) is None for other in others
    )
