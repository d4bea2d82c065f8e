"""Which way up a sheet lies whose printed lines look the same from several sides: the ink tells."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scanner.cells import CellBatch
from scanner.geometry import Square
from scanner.locate import Placement
from scanner.read.reader import DigitReader
from scanner.templates import Template

FIRST_CELLS, MOST_CELLS = 12, 36
"""Cells that are read in every direction at first, and at most, where the first ones don't decide."""
DECIDED = 12.0
"""Natural logarithm of the likelihood ratio from which a direction is taken without looking at more cells."""


def quarter_turn_order(template: Template, quarter_turns: int) -> npt.NDArray[np.int64]:
    """For each lattice cell of the upright template, the index of the cell that lies there if it isn't turned.

    quarter_turns: clockwise turns of the sheet in the picture. Only for lattices that the turns map onto themselves.
    """
    grid = template.grid
    assert grid is not None
    places = [cell.place for cell in template.lattice_cells]
    index = np.full((grid.rows, grid.cols), -1, dtype=np.int64)
    for number, place in enumerate(places):
        assert isinstance(place, Square)
        index[place.row - 1, place.col - 1] = number
    # A sheet turned clockwise has its upright first row along the picture's right side.
    turned = np.rot90(index, quarter_turns)
    return np.array([turned[p.row - 1, p.col - 1] for p in places if isinstance(p, Square)], dtype=np.int64)


def orient(batch: CellBatch, placement: Placement, reader: DigitReader) -> tuple[CellBatch, Placement]:
    """The batch and the placement with the sheet's top at the top, where the lines leave that open.

    Every direction is judged by how likely its cells are to hold digits that the template permits, pencil notes or
    nothing.
    """
    if not placement.turns:
        return batch, placement
    digits = [k for k, name in enumerate(reader.classes) if name.isdigit()]
    low, high = _permitted(placement.template)
    legal = [k for k in digits if low <= int(reader.classes[k]) <= high]
    # Pencil notes are notes and dirt is dirt whichever way up, so they must not speak against any direction.
    same = [k for k, name in enumerate(reader.classes) if name in ("candidates", "blank")]
    mass = batch.ink[:, 1].reshape(len(batch.ids), -1).mean(axis=1) * batch.present
    inked = np.argsort(mass)[::-1][:MOST_CELLS]
    inked = inked[mass[inked] > 4]
    if not len(inked):
        return batch, placement
    best_turn, lead = _best_turn(batch, inked[:FIRST_CELLS], placement.turns, reader, legal, same)
    if lead < DECIDED and len(inked) > FIRST_CELLS:
        best_turn, _ = _best_turn(batch, inked, placement.turns, reader, legal, same)
    if best_turn == 0:
        return batch, placement
    order = quarter_turn_order(placement.template, best_turn)
    return batch.turned(batch.ids, order, best_turn), placement.turned(best_turn)


def _best_turn(
    batch: CellBatch,
    cells: npt.NDArray[np.int64],
    turns: tuple[int, ...],
    reader: DigitReader,
    legal: list[int],
    same: list[int],
) -> tuple[int, float]:
    """The likeliest quarter turn, and how far it leads before the next one (log likelihood)."""
    every = (0, *turns)
    views = np.concatenate([np.rot90(batch.ink[cells], turn, axes=(2, 3)) for turn in every])
    probabilities, _ = reader.glance(np.ascontiguousarray(views))
    chance = probabilities[:, legal].max(axis=1) + probabilities[:, same].sum(axis=1)
    likelihood = np.log(np.maximum(chance, 1e-3)).reshape(len(every), -1).sum(axis=1)
    order = np.argsort(likelihood)
    return every[int(order[-1])], float(likelihood[order[-1]] - likelihood[order[-2]])


def _permitted(template: Template) -> tuple[int, int]:
    values = [cell.values for cell in template.lattice_cells if cell.values is not None]
    return (min(low for low, _ in values), max(high for _, high in values)) if values else (0, 9)
