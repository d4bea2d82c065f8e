"""The same sheets photographed from far away and from near by: cells of 14 to 200 px are read alike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from scanner.bench.truth import Truth, name_of, read_truths
from scanner.results import PLAUSIBLE
from scanner.scan import scan
from scanner.templates import load_templates

SAMPLES = Path(__file__).resolve().parent.parent / "samples"
RIGHT = 0.97
"""Share of the cells that has to be right at any size: 79 of a Sudoku's 81."""


def _at(photo: Path, truth: Truth, cell_px: float, cells: int, out: Path) -> Path:
    """The photo with cells of so many pixels."""
    corners = np.asarray(truth.corners, dtype=np.float64)
    side = float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).mean()) / cells
    with Image.open(photo) as picture:
        size = tuple(round(length * cell_px / side) for length in picture.size)
        picture.convert("RGB").resize((size[0], size[1]), Image.Resampling.LANCZOS).save(out, quality=92)
    return out


@pytest.mark.parametrize("cell_px", [14, 20, 50, 200])
def test_cells_of_any_size(cell_px: int, tmp_path: Path) -> None:
    photo, templates = SAMPLES / "sudoku-1.jpg", load_templates()
    (truth,) = read_truths(photo.with_suffix(".json"), templates)
    scanned = scan(_at(photo, truth, cell_px, 9, tmp_path / "photo.jpg"), templates=[templates["sudoku"]])
    (sheet,) = scanned.sheets
    right = 0
    for cell, true in truth.names.items():
        reading = sheet.board.cells[cell]
        agrees = name_of(reading) == true
        right += agrees
        asked = reading.confidence < 1 - PLAUSIBLE or any(p >= PLAUSIBLE for p in reading.alternatives.values())
        assert agrees or asked, f"{cell} is {true} and surely read as {name_of(reading)}"
    assert right >= RIGHT * len(truth.names)
