"""The samples are documentation, test and demo at once: each is complete, and found where its truth says."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from scanner.games.sudoku_solver import solve
from scanner.geometry import Square
from scanner.intake import load
from scanner.locate import NotFound, locate
from scanner.simulate.samples import SAMPLES, Sample
from scanner.simulate.sudokus import make_puzzle
from scanner.templates import get_template
from scanner.training.fonts import shipped_fonts

FOLDER = Path(__file__).parent.parent / "samples"
IDS = [Square(row, col).id for row in range(1, 10) for col in range(1, 10)]

pytestmark = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)


def truth_of(sample: Sample) -> dict[str, object]:
    loaded: dict[str, object] = json.loads((FOLDER / f"{sample.name}.json").read_text(encoding="utf-8"))
    return loaded


def test_the_truth_is_the_puzzle_with_the_announced_changes(sample: Sample) -> None:
    truth = truth_of(sample)
    cells = truth["cells"]
    assert isinstance(cells, dict)
    assert list(cells) == IDS
    printed = truth["printed"]
    assert isinstance(printed, list)
    solutions = solve(tuple(cells[cell_id] if cell_id in printed else 0 for cell_id in IDS))
    assert solutions.count == 1, "the printed digits have exactly one solution"
    assert solutions.solution is not None
    right = dict(zip(IDS, solutions.solution, strict=True))
    assert {cell_id: cells[cell_id] for cell_id in IDS if cells[cell_id] != right[cell_id]} == dict(sample.changes)
    assert not set(sample.changes) & set(printed)


def test_the_photo_is_small_and_carries_no_metadata(sample: Sample) -> None:
    path = FOLDER / f"{sample.name}.jpg"
    assert path.stat().st_size < 400_000
    assert b"Exif" not in path.read_bytes()
    photo = next(load(path))
    assert photo.size == sample.setting.size
    assert photo.warnings == ()


def test_the_grid_lies_where_the_truth_says(sample: Sample) -> None:
    photo = next(load(FOLDER / f"{sample.name}.jpg"))
    found = locate(photo, [get_template("sudoku")])
    assert not isinstance(found, NotFound)
    corners = np.array(truth_of(sample)["corners"], dtype=np.float64)
    side = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).mean()
    seen = (found[0].corners + 0.5) * photo.scale - 0.5
    # Nothing but the ink tells which side of a Sudoku is its top: any of the four may be named first.
    errors = [np.linalg.norm(np.roll(seen, turn, axis=0) - corners, axis=1).max() for turn in range(4)]
    assert min(errors) < 0.015 * side


def test_the_table_tells_how_it_was_made(sample: Sample) -> None:
    versions = {spec.name: spec.version for spec in shipped_fonts()}
    rows = [line for line in (FOLDER / "README.md").read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    row = next(line for line in rows if line.startswith(f"| {sample.name}.jpg |"))
    columns = [column.strip() for column in row.strip("|").split("|")]
    width, height = sample.setting.size
    assert columns[1:7] == [
        str(truth_of(sample)["template"]),
        sample.about,
        f"{sample.hand} {versions[sample.hand]}",
        f"{sample.typeface} {versions[sample.typeface]}",
        f"{sample.puzzle}, {sample.givens}",
        str(sample.seed),
    ]
    assert columns[7].startswith(f"{width} x {height}")


def test_its_fonts_are_free_and_their_licences_are_here(sample: Sample) -> None:
    licences = {spec.name: spec.licence for spec in shipped_fonts()}
    for name in (sample.hand, sample.typeface):
        assert licences[name] == "OFL-1.1"
        text = (FOLDER / "licences" / f"{name}-OFL.txt").read_text(encoding="utf-8")
        assert "SIL Open Font License, Version 1.1" in text
        assert "Copyright" in text


def test_the_puzzle_of_that_number_is_the_one_on_the_photo(sample: Sample) -> None:
    puzzle = make_puzzle(sample.puzzle, givens=sample.givens)
    assert sorted(puzzle.printed) == sorted(str(cell_id) for cell_id in truth_of(sample)["printed"])  # type: ignore[attr-defined]
