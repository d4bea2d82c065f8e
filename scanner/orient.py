"""Which way up a sheet lies whose printed lines look the same from several sides: the ink tells."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scanner.cells import CellBatch
from scanner.geometry import Square
from scanner.locate import Placement
from scanner.read.reader import DigitReader
from scanner.templates import Template

MOST_CELLS = 28
"""Cells that are read in every direction; more wouldn't change the answer but cost time."""


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

    Every direction is judged by how likely its cells are to hold digits that the template permits, or pencil notes.
    """
    if not placement.turns:
        return batch, placement
    digits = [k for k, name in enumerate(reader.classes) if name.isdigit()]
    low, high = _permitted(placement.template)
    legal = [k for k in digits if low <= int(reader.classes[k]) <= high]
    notes = [k for k, name in enumerate(reader.classes) if name == "candidates"]
    mass = batch.ink[:, 1].reshape(len(batch.ids), -1).mean(axis=1) * batch.present
    inked = np.argsort(mass)[::-1][:MOST_CELLS]
    inked = inked[mass[inked] > 4]
    if not len(inked):
        return batch, placement
    best_turn, best = 0, -np.inf
    for turn in (0, *placement.turns):
        views = np.rot90(batch.ink[inked], turn, axes=(2, 3))
        probabilities, _ = reader.probabilities(np.ascontiguousarray(views))
        # Pencil notes are notes whichever way up, so they must not speak against any direction.
        chance = probabilities[:, legal].max(axis=1) + probabilities[:, notes].sum(axis=1)
        likelihood = float(np.log(np.maximum(chance, 1e-3)).sum())
        if likelihood > best:
            best_turn, best = turn, likelihood
    if best_turn == 0:
        return batch, placement
    order = quarter_turn_order(placement.template, best_turn)
    return batch.turned(batch.ids, order, best_turn), placement.turned(best_turn)


def _permitted(template: Template) -> tuple[int, int]:
    values = [cell.values for cell in template.lattice_cells if cell.values is not None]
    return (min(low for low, _ in values), max(high for _, high in values)) if values else (0, 9)
