"""Printed or by hand? What would change in the result if ink were of the other kind than it seems.

Only games whose rules look at ink are asked (`InkGame`), and only where it can matter at all. Each hypothesis says of
every doubtful value whether it is printed; it is weighed by what the reader saw and by the game's `print_prior`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from scanner.board import ReadBoard
from scanner.games.base import Game, InkGame
from scanner.resolve.outcomes import Doubt, Outcome, combinations
from scanner.results import PLAUSIBLE, CellReading, Ink
from scanner.templates.model import Template

MAX_HYPOTHESES = 64
LEAST = 1e-5
"""Hypotheses down to this probability, relative to the one that the ink favours, are weighed with the prior."""

UNCLEAR = 0.01
"""Probability of "printed", or of "by hand", from which the border between the two may lie beyond a number."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class InkFindings(Generic[Result]):
    """results: those of all plausible hypotheses, the most probable one's first; empty where ink doesn't matter.

    asked: the cells whose ink has to be known for one result to be left, the most doubtful first.
    """

    results: tuple[Result, ...] = ()
    asked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Hypothesis(Generic[Result]):
    """printed: the ids of the doubtful values that are printed. weight: not normalized."""

    printed: frozenset[str]
    weight: float
    result: Result


def ink_findings(
    board: ReadBoard, template: Template, game: Game, judge: Callable[[ReadBoard], Result]
) -> InkFindings[Result]:
    """Weighs the hypotheses. judge: the result of a board; equal for results that need not be told apart."""
    doubts = [doubt for doubt in map(_doubt, board.cells.values()) if doubt is not None]
    if not doubts or not isinstance(game, InkGame) or not game.ink_matters(board, template):
        return InkFindings()
    weighed: list[_Hypothesis[Result]] = []
    for chosen in _hypotheses(doubts):
        cells = dict(board.cells)
        cells.update((outcome.reading.id, outcome.reading) for outcome in chosen)
        supposed = ReadBoard(board.template, cells)
        weight = math.prod(outcome.weight for outcome in chosen) * game.print_prior(supposed, template)
        weighed.append(_Hypothesis(_printed(chosen), weight, judge(supposed)))
    weighed.sort(key=lambda one: -one.weight)
    plausible = _plausible(weighed)
    return InkFindings(tuple(one.result for one in plausible), _to_ask(weighed))


def _hypotheses(doubts: Sequence[Doubt]) -> list[tuple[Outcome, ...]]:
    """The likeliest ones; where they are too many, also those with a border: what looks more printed is printed."""
    likeliest = list(itertools.islice(combinations(doubts, LEAST), MAX_HYPOTHESES + 1))
    if len(likeliest) <= MAX_HYPOTHESES:
        return likeliest
    known = {_printed(chosen) for chosen in likeliest}
    unclear = sorted({p for p in map(_chance, doubts) if UNCLEAR <= p <= 1 - UNCLEAR})
    for border in (*unclear, 1 - UNCLEAR):
        chosen = tuple(_as(doubt, "print" if _chance(doubt) >= border else "hand") for doubt in doubts)
        if _printed(chosen) not in known:
            known.add(_printed(chosen))
            likeliest.append(chosen)
    return likeliest


def _chance(doubt: Doubt) -> float:
    return _as(doubt, "print").weight


def _as(doubt: Doubt, ink: Ink) -> Outcome:
    return next(outcome for outcome in doubt.outcomes if outcome.reading.ink == ink)


def _printed(chosen: Sequence[Outcome]) -> frozenset[str]:
    return frozenset(outcome.reading.id for outcome in chosen if outcome.reading.ink == "print")


def _plausible(weighed: Sequence[_Hypothesis[Result]]) -> list[_Hypothesis[Result]]:
    """weighed: the heaviest first."""
    return [one for one in weighed if one.weight >= PLAUSIBLE * weighed[0].weight]


def _doubt(reading: CellReading) -> Doubt | None:
    """The two inks that a value may be of; null where there is nothing to doubt."""
    p = reading.printed
    if reading.value is None or p is None or not 0 < p < 1:
        return None
    inks = (Outcome(replace(reading, ink="print"), p), Outcome(replace(reading, ink="hand"), 1 - p))
    return Doubt(reading.id, reading, inks if p >= 0.5 else inks[::-1])


def _to_ask(weighed: Sequence[_Hypothesis[Result]]) -> tuple[str, ...]:
    """Cells whose answers leave one result, whatever they are; as few as a greedy choice finds.

    weighed: the heaviest first. What is plausible changes with the answers.
    """
    asked: list[str] = []
    while True:
        groups: dict[frozenset[str], list[_Hypothesis[Result]]] = {}
        for one in weighed:
            groups.setdefault(one.printed & frozenset(asked), []).append(one)
        unsettled = [
            group for group in map(_plausible, groups.values()) if any(g.result != group[0].result for g in group)
        ]
        if not unsettled:
            return tuple(asked)
        asked.append(_most_telling(unsettled[0]))


def _most_telling(group: Sequence[_Hypothesis[Result]]) -> str:
    """The cell whose ink divides the hypotheses most evenly."""
    total = math.fsum(one.weight for one in group)
    cells = dict.fromkeys(cell for one in group for cell in sorted(one.printed))
    shares = {cell: math.fsum(one.weight for one in group if cell in one.printed) / total for cell in cells}
    return min(cells, key=lambda cell: abs(shares[cell] - 0.5))
