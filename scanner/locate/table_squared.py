"""Squared paper: the lines that somebody drew on it are the table's, those that were printed are not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scanner.locate.table_rules import STRIPS, RuledLine, Rules

PLAINER = 2.0
"""So many times as dark as the printed lines, drawn ones are at least."""
FEWEST_DRAWN, FEWEST_PRINTED = 3, 4
"""Lines of a direction."""
FEWEST_OUTSIDE = 2
"""Printed lines of either direction beyond the drawn ones: a heavy frame around a printed table has none outside."""
LONG = STRIPS // 2
"""Strips that a line runs through, if it isn't a word's."""
AS_DARK = 0.6
"""Of the usual drawn line's darkness: what has less is the edge of the paper."""


def drawn_rules(rules: Rules) -> Rules:
    """The lines without those of squared paper; all of them where it isn't squared."""
    level, upright = _drawn(rules.level), _drawn(rules.upright)
    if level is None or upright is None:
        return rules
    outside = _outside(rules.level, level) + _outside(rules.upright, upright)
    return replace(rules, level=level, upright=upright) if outside >= FEWEST_OUTSIDE else rules


def _drawn(lines: Sequence[RuledLine]) -> tuple[RuledLine, ...] | None:
    """Those of one direction that are much darker than the others; null where they aren't."""
    strengths = np.array([line.strength for line in lines if len(line.strips) >= LONG])
    if len(strengths) < FEWEST_DRAWN + FEWEST_PRINTED:
        return None
    strengths.sort()
    steps = np.log(strengths[1:] / strengths[:-1])[FEWEST_PRINTED - 1 : len(strengths) - FEWEST_DRAWN]
    first = FEWEST_PRINTED + int(steps.argmax())
    drawn = float(np.median(strengths[first:]))
    if drawn < PLAINER * strengths[first - 1]:
        return None
    return tuple(line for line in lines if line.strength >= AS_DARK * drawn)


def _outside(lines: Sequence[RuledLine], drawn: Sequence[RuledLine]) -> int:
    """How many long lines there are beyond the drawn ones, on both sides."""
    first, last = drawn[0].place, drawn[-1].place
    return sum(not first <= line.place <= last for line in lines if len(line.strips) >= LONG)
