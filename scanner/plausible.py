"""Can what the cells of a found grid hold be this sheet's? Asked after reading, of what lines alone can't tell.

Nine by nine squares with words in them have a Sudoku's lines, and a reader that knows digits only takes a word for one.
No cell is judged here and no reading changed: only when hardly anything that is written in the cells can be a digit,
the grid is no sheet. Doubtful sheets pass: a wrongly refused one helps nobody, and the report shows the doubts.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scanner.cells import CellBatch
from scanner.locate import Placement
from scanner.read.readings import Readings

INKED = 0.5
"""Probability of not being blank from which a cell counts as written in."""
FEWEST_INKED = 8
"""With fewer written cells nothing is refused for what they hold: specks and a coffee stain look like scribbles."""
DIGITS = 0.4
"""Share of the written cells that has to hold a digit, or small notes; half of what the worst real sheet has."""
INK = 100
"""Level of `CellBatch.ink` from which a pixel belongs to a stroke."""
LONG = 1.9
"""Ink this much longer one way than the other is a 1, a stroke or a word."""
MOST_LONG = 0.6
"""Share of the written cells with long ink from which they hold words or long numbers: no sheet is all 1s."""
CLEAR = 0.9
"""Probability from which a digit is clearly read."""
LEGIBLE = 0.3
"""Share of the written cells that has to be clearly read as digits other than 1 for such ink to be of a narrow hand: of
narrow hands it is more than half, of tables of words less than 0.1."""
PLAIN_CLEAR = 0.45
"""Share of a plain grid's written cells that has to be read clearly: real sheets have 0.7, tables of words 0.1."""
PLAIN_FEWEST = 8
"""So many cells of a plain grid have to hold digits; a blank plain grid is squared paper, not a sheet."""


def why_not(batch: CellBatch, readings: Readings, placement: Placement) -> str | None:
    """Why the cells can't be those of the placement's template ("a 9 x 9 grid was seen, but ..."); null if they can.

    An empty sheet with the template's heavier lines is a sheet. Templates whose cells aren't all digits always pass.
    Raises ValueError when the readings are of other cells than the batch.
    """
    present = tuple(cell for cell, there in zip(batch.ids, batch.present.tolist(), strict=True) if there)
    if readings.ids != present:
        raise ValueError(f"readings: expected the {len(present)} cells of the batch that lie in the picture")
    if "blank" not in readings.classes:
        raise ValueError("readings: expected a class named blank")
    template = placement.template
    if template.grid is None or any(cell.kind != "digit" for cell in template.lattice_cells):
        return None
    seen = f"a {template.grid.cols} x {template.grid.rows} grid was seen"
    written = readings.probabilities[:, readings.classes.index("blank")] <= 1 - INKED
    fitting = _digits_or_notes(readings)[written]
    count = int(written.sum())
    if placement.plain and int(fitting.sum()) < PLAIN_FEWEST:
        return f"{seen}, but it has none of the sheet's heavier lines, and its cells hold no digits"
    if count < FEWEST_INKED:
        return None
    if fitting.mean() < DIGITS:
        return f"{seen}, but its cells hold no digits"
    if _long(batch.ink[batch.present][written]).mean() > MOST_LONG and _legible(readings)[written].mean() < LEGIBLE:
        return f"{seen}, but its cells hold no digits"
    if placement.plain and (readings.probabilities[written].max(axis=1) >= CLEAR).mean() < PLAIN_CLEAR:
        return f"{seen}, but it has none of the sheet's heavier lines, and hardly a cell holds a clear digit"
    return None


def _digits_or_notes(readings: Readings) -> npt.NDArray[np.bool_]:
    """Which cells most likely hold a digit, legal or not, one that is struck out, or small notes: bool [n]."""
    fits = np.array([name.isdigit() or name in ("candidates", "struck") for name in readings.classes], dtype=np.bool_)
    return np.asarray(fits[readings.probabilities.argmax(axis=1)])


def _legible(readings: Readings) -> npt.NDArray[np.bool_]:
    """Which cells clearly hold a digit, and no mere stroke: bool [n]."""
    digits = np.array([name.isdigit() and name != "1" for name in readings.classes], dtype=np.bool_)
    return np.asarray((readings.probabilities[:, digits] >= CLEAR).any(axis=1))


def _long(ink: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """Which pictures [n, 2, 32, 32] hold ink that is long and narrow, whichever way up: bool [n]."""
    stroke = ink[:, 0] >= INK
    wide, high = (_extent(np.asarray(stroke.any(axis=axis))) for axis in (1, 2))
    return np.asarray(np.maximum(wide, high) > LONG * np.maximum(np.minimum(wide, high), 1))


def _extent(filled: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """From the first to the last filled place of each row [n, size]: int [n], 0 for none."""
    first, last = filled.argmax(axis=1), filled.shape[1] - filled[:, ::-1].argmax(axis=1)
    return np.where(filled.any(axis=1), last - first, 0).astype(np.int64)
