"""Which way up a sheet lies, where only its ink can tell."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from scanner.cells import CellBatch
from scanner.geometry import Homography
from scanner.locate import Placement
from scanner.orient import orient
from scanner.read.classes import CLASSES
from scanner.templates import get_template

SUDOKU = get_template("sudoku")
DIGIT, DIRT = 200, 90
"""Grey levels that tell the reader below what a cell holds."""


class MarkedReader:
    """Knows a cell's content by its grey level, and its top by a mark in its first row."""

    name = "marked"
    classes = CLASSES

    def glance(self, ink: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        found = np.zeros((len(ink), len(CLASSES)), np.float32)
        for row, picture in zip(found, ink, strict=True):
            upright = picture[1, 0, 16] == 255
            chances = {
                (DIGIT, True): {"5": 0.99, "scribble": 0.01},
                (DIGIT, False): {"5": 0.55, "scribble": 0.45},
                (DIRT, True): {"blank": 0.99, "candidates": 0.01},
                (DIRT, False): {"blank": 0.7, "9": 0.3},
            }[int(picture[1, 16, 16]), bool(upright)]
            for name, chance in chances.items():
                row[CLASSES.index(name)] = chance
        return found, np.full(len(ink), 0.5, np.float32)


@pytest.mark.parametrize("turn", [0, 1, 2, 3])
@pytest.mark.parametrize("dirty", [0, 12, 30])
def test_dirt_says_nothing_about_the_direction(turn: int, dirty: int) -> None:
    """Smudges on blank cells look like nothing from one side and a little like digits from another."""
    ids = tuple(cell.id for cell in SUDOKU.lattice_cells)
    ink = np.zeros((len(ids), 2, 32, 32), np.uint8)
    contents = [DIRT] * dirty + [DIGIT] * 12
    for k, level in enumerate(contents):
        ink[k] = level
        ink[k, :, 0, 16] = 255
    sheet = np.arange(81).reshape(9, 9)
    # The sheet is turned clockwise in the picture: so are the places of its cells, and each cell.
    seen = np.rot90(sheet, -turn).ravel()
    turned = np.ascontiguousarray(np.rot90(ink[seen], -turn, axes=(2, 3)))
    batch = CellBatch(ids, turned, np.ones(81, np.bool_), np.full(81, 0.5, np.float32))
    placement = Placement(SUDOKU, Homography(np.diag([40.0, 40.0, 1.0])), None, 0.1, 1.0, (1, 2, 3))
    upright, _ = orient(batch, placement, MarkedReader())  # type: ignore[arg-type]
    assert np.array_equal(upright.ink, ink)
