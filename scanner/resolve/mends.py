"""Misread or illegal? Where no game ends with the sheet as read, readings that would mend it are weighed against that.

A game that counts what its rules forbid (`FaultGame`) is asked what is left of it if one cell held something else. A
reader's mistake and a player's are both rare; how rare the one is says the reader, for the other stands `ODD`. So what
seemed implausible in itself may be plausible beside an illegal sheet, and a tie between two readings is broken by it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scanner.board import ReadBoard
from scanner.games.base import FaultGame
from scanner.results import CellReading
from scanner.templates.model import Template

ODD = 0.005
"""How often a player's mistake is what is forbidden on a sheet, for each such thing."""
MOST_FAULTS = 5
"""With more than this on a sheet, nobody has kept to the rules, and they say nothing about single cells."""
LEAST, LEAST_IN_BLANK = 1e-6, 5e-5
"""Odds of a reading, against the cell's best, from which it is tried; in cells that seem blank more than any value has
where there is no trace of ink (`scanner.read.reader.NO_INK`)."""
MOST_TRIED = 60
"""Readings tried in a round, the likeliest ones."""

_Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Mend:
    """row, column: of a reading with which the sheet has fewer faults. weight: its odds beside those faults."""

    row: int
    column: int
    weight: float
    faults: int


def with_mends(
    posterior: _Matrix,
    ids: Sequence[str],
    classes: Sequence[CellReading],
    unread: Mapping[str, CellReading],
    template: Template,
    game: FaultGame,
    clear: Collection[int] = (),
) -> _Matrix:
    """The posterior [cells, classes] with readings that mend the sheet weighed against its being illegal.

    ids: of the rows. classes: what a cell of each column would be, whatever its id. unread: all other cells. clear:
    rows whose ink is clear: they may be doubted, but the search doesn't go on as if they were something else.
    """
    best = posterior.argmax(axis=1)
    cells = dict(unread) | {cell: _of(cell, classes[int(best[row])]) for row, cell in enumerate(ids)}
    faults = game.faults(ReadBoard(template.id, cells), template)
    weighed = posterior.copy()
    for _ in range(MOST_FAULTS):
        if not faults or faults > MOST_FAULTS:
            break
        odds = weighed / weighed[np.arange(len(ids)), best][:, None]
        mends = list(_mends(odds, ids, classes, cells, faults, template, game))
        if not mends:
            break
        total = sum(mend.weight for mend in mends)
        for mend in mends:
            row = weighed[mend.row]
            row[mend.column] = row[best[mend.row]] * mend.weight / (1.0 + total - mend.weight)
        likeliest = max(mends, key=lambda mend: mend.weight)
        if likeliest.weight <= 1.0 or likeliest.row in clear:
            break
        best[likeliest.row], faults = likeliest.column, likeliest.faults
        cells[ids[likeliest.row]] = _of(ids[likeliest.row], classes[likeliest.column])
    return np.asarray(weighed / weighed.sum(axis=1, keepdims=True), dtype=np.float64)


def _mends(
    odds: _Matrix,
    ids: Sequence[str],
    classes: Sequence[CellReading],
    cells: Mapping[str, CellReading],
    faults: int,
    template: Template,
    game: FaultGame,
) -> Iterator[_Mend]:
    blank = np.array([cells[cell].state == "blank" for cell in ids], dtype=np.bool_)
    tried = np.argwhere((odds >= np.where(blank, LEAST_IN_BLANK, LEAST)[:, None]) & (odds < 1.0))
    order = np.argsort(-odds[tried[:, 0], tried[:, 1]], kind="stable")[:MOST_TRIED]
    for row, column in tried[order].tolist():
        supposed = dict(cells) | {ids[row]: _of(ids[row], classes[column])}
        left = game.faults(ReadBoard(template.id, supposed), template)
        if left is not None and left < faults:
            yield _Mend(row, column, float(odds[row, column]) / ODD ** (faults - left), left)


def _of(cell_id: str, like: CellReading) -> CellReading:
    return CellReading(cell_id, like.value, like.state)
