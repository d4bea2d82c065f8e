"""What a player writes into the boxes for the points of a finished sheet, mistakes in adding up included."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from scanner.board import ReadBoard
from scanner.games.base import CountedGame
from scanner.games.registry import get_game
from scanner.results import CellReading
from scanner.simulate.ranges import Span, between
from scanner.templates import Template

TOTAL = "-total"
"""How the id of a box ends that holds the sum of the others."""
NUMBERS, HEARTS = 6, 5
"""How many boxes stand for groups of numbers, from 1 on; the points of what comes after them."""


@dataclass(frozen=True, slots=True)
class ClaimRanges:
    """Chances, 0 to 1, of one player's ways; written down before anything was built on them.

    total_only: only the total is written. zeros: no points are written as 0 rather than left out. miscounted: of a box
    for points, a group forgotten or one too many; of the total, a mistake in adding up. slip: by how much a total is
    wrong then, points.
    """

    total_only: float = 0.2
    zeros: float = 0.6
    miscounted: float = 0.04
    slip: Span = (1.0, 10.0)


def claimed(
    template: Template, board: Mapping[str, int | None], rng: np.random.Generator, ranges: ClaimRanges | None = None
) -> dict[str, int | None]:
    """What stands in each box for a claim, by its id; null for one that is left empty.

    board: what is written in the cells. Raises ValueError for a template whose game counts nothing that is claimed.
    """
    game, chosen = get_game(template.game), ranges or ClaimRanges()
    if not isinstance(game, CountedGame):
        raise ValueError(f"{template.id}: its game has no boxes for claims")
    cells = {cell: CellReading(cell, None, "blank") for cell in template.ids}
    cells |= {
        cell: replace(cells[cell], value=value, state="read") for cell, value in board.items() if value is not None
    }
    counted = game.counted(ReadBoard(template.id, cells), template)
    total_only, zeros = rng.random() < chosen.total_only, rng.random() < chosen.zeros
    parts = {box: points for box, points in counted.items() if not box.endswith(TOTAL)}
    for number, box in enumerate(parts, start=1):
        if rng.random() < chosen.miscounted:
            group = HEARTS if number > NUMBERS else number  # a group has as many points as its number says
            parts[box] = max(0, parts[box] + (group if rng.random() < 0.5 else -group))
    total = sum(parts.values())
    if rng.random() < chosen.miscounted:
        total = max(0, total + round(between(rng, chosen.slip)) * (1 if rng.random() < 0.5 else -1))
    written = {box: None if total_only or not (points or zeros) else points for box, points in parts.items()}
    return written | {box: total for box in counted if box.endswith(TOTAL)}
