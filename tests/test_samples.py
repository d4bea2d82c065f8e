"""The samples are documentation, test and demo at once: each is complete, and found where its truth says."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from scanner.bench.truth import read_truths
from scanner.games.base import GameContext
from scanner.games.registry import get_game
from scanner.games.sudoku_solver import solve
from scanner.geometry import Square
from scanner.intake import load
from scanner.locate import NotFound, locate
from scanner.scan import scan
from scanner.simulate.samples import HEX_SAMPLES, PAD_SAMPLES, SAMPLES, HexSample, PadSample, Sample
from scanner.simulate.sudokus import make_puzzle
from scanner.templates import get_template, load_templates
from scanner.training.fonts import shipped_fonts

FOLDER = Path(__file__).parent.parent / "samples"
IDS = [Square(row, col).id for row in range(1, 10) for col in range(1, 10)]

sudokus = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
pads = pytest.mark.parametrize("sample", [*PAD_SAMPLES, *HEX_SAMPLES], ids=lambda sample: sample.name)
every = pytest.mark.parametrize("sample", [*SAMPLES, *PAD_SAMPLES, *HEX_SAMPLES], ids=lambda sample: sample.name)

TOTALS = {"splitter-a-1": 37, "splitter-b-1": 32, "hexroller-front-1": 52}
"""Counted by hand, group by group, on the boards in `PAD_SAMPLES` and `HEX_SAMPLES` (see the samples' README)."""
FLAGS = {
    "splitter-a-1": {},
    "splitter-b-1": {"splitter.value": ("r2c4",), "splitter.pair": ("r6c1", "r6c8")},
    "hexroller-front-1": {},
}


def truth_of(sample: Sample | PadSample | HexSample) -> dict[str, object]:
    loaded: dict[str, object] = json.loads((FOLDER / f"{sample.name}.json").read_text(encoding="utf-8"))
    return loaded


@sudokus
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


@every
def test_the_photo_is_small_and_carries_no_metadata(sample: Sample | PadSample | HexSample) -> None:
    path = FOLDER / f"{sample.name}.jpg"
    assert path.stat().st_size < 400_000
    assert b"Exif" not in path.read_bytes()
    photo = next(load(path))
    assert photo.size == sample.setting.size
    assert photo.warnings == ()


@sudokus
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


@sudokus
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


@every
def test_its_fonts_are_free_and_their_licences_are_here(sample: Sample | PadSample | HexSample) -> None:
    licences = {spec.name: spec.licence for spec in shipped_fonts()}
    for name in (sample.hand, sample.typeface) if isinstance(sample, Sample) else (sample.hand,):
        assert licences[name] == "OFL-1.1"
        text = (FOLDER / "licences" / f"{name}-OFL.txt").read_text(encoding="utf-8")
        assert "SIL Open Font License, Version 1.1" in text
        assert "Copyright" in text


@sudokus
def test_the_puzzle_of_that_number_is_the_one_on_the_photo(sample: Sample) -> None:
    puzzle = make_puzzle(sample.puzzle, givens=sample.givens)
    assert sorted(puzzle.printed) == sorted(str(cell_id) for cell_id in truth_of(sample)["printed"])  # type: ignore[attr-defined]


@pads
def test_the_truth_is_the_board(sample: PadSample | HexSample) -> None:
    truth = truth_of(sample)
    cells = truth["cells"]
    assert isinstance(cells, dict)
    template = get_template(sample.template)
    assert truth["template"] == template.id
    written = sample.contents()
    printed = {cell.id: cell.printed for cell in template.cells if cell.printed is not None}
    assert {cell_id: value for cell_id, value in cells.items() if value is not None} == {
        cell_id: value for cell_id, value in {**written, **printed}.items() if value is not None
    }
    assert {cell.id for cell in template.lattice_cells} <= written.keys() | printed.keys()
    assert truth["printed"] == list(printed)


@pads
def test_a_pad_scores_and_is_flagged_as_announced(sample: PadSample | HexSample) -> None:
    template = get_template(sample.template)
    (truth,) = read_truths(FOLDER / f"{sample.name}.json", {template.id: template})
    game, context = get_game(template.game), GameContext()
    assert game.score(truth.board, template, context).total == TOTALS[sample.name]
    flags = {flag.code: tuple(sorted(flag.cells)) for flag in game.flags(truth.board, template, context)}
    assert flags == FLAGS[sample.name]


@pads
def test_a_pad_is_found_and_told_from_the_others(sample: PadSample | HexSample) -> None:
    photo = next(load(FOLDER / f"{sample.name}.jpg"))
    found = locate(photo, tuple(load_templates().values()))
    assert not isinstance(found, NotFound)
    assert [placement.template.id for placement in found] == [sample.template]
    corners = np.array(truth_of(sample)["corners"], dtype=np.float64)
    side = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).mean()
    ways = [(found[0].turned(turn).corners + 0.5) * photo.scale - 0.5 for turn in (0, *found[0].turns)]
    assert min(np.linalg.norm(way - corners, axis=1).max() for way in ways) < 0.03 * side


@pads
def test_the_table_tells_how_a_pad_was_made(sample: PadSample | HexSample) -> None:
    versions = {spec.name: spec.version for spec in shipped_fonts()}
    rows = [line for line in (FOLDER / "README.md").read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    row = next(line for line in rows if line.startswith(f"| {sample.name}.jpg |"))
    columns = [column.strip() for column in row.strip("|").split("|")]
    width, height = sample.setting.size
    hand = f"{sample.hand} {versions[sample.hand]}"
    assert columns[1:5] == [sample.template, sample.about, hand, str(sample.seed)]
    assert columns[5].startswith(f"{width} x {height}")


def test_a_hex_sheet_is_read_without_a_mistake() -> None:
    """The whole chain: hexes, record boxes and crossed-out bonuses, sure of all of it."""
    (sheet,) = scan(FOLDER / "hexroller-front-1.jpg", templates=tuple(load_templates().values())).sheets
    (truth,) = read_truths(FOLDER / "hexroller-front-1.json", {sheet.template.id: sheet.template})
    looked_at = [cell.id for cell in sheet.template.cells if cell.kind != "number"]
    assert {cell: sheet.board.value(cell) for cell in looked_at} == {
        cell: truth.board.value(cell) for cell in looked_at
    }
    assert sheet.verdict.sure
    assert sheet.verdict.score.total == TOTALS["hexroller-front-1"]
