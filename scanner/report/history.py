"""One game that may have led to a sheet, as lines for a person."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from scanner.results import HistoryStep


def history_lines(steps: Sequence[HistoryStep]) -> tuple[str, ...]:
    """A heading and a line a round: ``round 2: 5 in q0r1 q1r1, 6 in q2r0 (bonus3)``; nothing for no steps.

    steps: in the order of their rounds.
    """
    if not steps:
        return ()
    rounds = (f"round {number}: {', '.join(map(_words, group))}" for number, group in groupby(steps, _round))
    return "One game that ends with this sheet:", *rounds


def _round(step: HistoryStep) -> int:
    return step.round


def _words(step: HistoryStep) -> str:
    bonus = f" ({step.bonus})" if step.bonus else ""
    return f"{step.value} in {' '.join(step.cells)}{bonus}"
