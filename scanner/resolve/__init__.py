"""The stage "misread or illegal?": from class probabilities to a board, and from a board with doubts to a verdict.

- `readings_to_board` weighs what the reader saw with the rules. The rules break ties; they never overrule clear ink.
- `checked_by_sums` takes what the sums of a table decide; `readings_to_board` does so itself.
- `resolve` scores a board and says whether any plausible other reading would change the result, and what to ask.
- `scanner.resolve.answers` holds what a human answered.
"""

from __future__ import annotations

from scanner.resolve.answers import Answer, SheetRef, answers_for, check_addresses, parse_answer, parse_answers
from scanner.resolve.posterior import readings_to_board
from scanner.resolve.sums import checked_by_sums
from scanner.resolve.verdict import resolve

__all__ = [
    "Answer",
    "SheetRef",
    "answers_for",
    "check_addresses",
    "checked_by_sums",
    "parse_answer",
    "parse_answers",
    "readings_to_board",
    "resolve",
]
