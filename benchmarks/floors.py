"""Reads a small fixed part of the real photos and fails if any figure falls below its recorded floor.

    python benchmarks/floors.py FOLDER      FOLDER holds sudoku-newspaper/, sudoku-calendar/, sudoku-handwritten/

Only photos of puzzles that never trained or tuned the reader are used (`scanner.training.split`). The floors stand in
floors.toml beside this file; raise them when the product gets better, never lower one to let a change pass.
"""

from __future__ import annotations

import json
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scanner.bench import run
from scanner.bench.figures import Figures
from scanner.read.reader import default_reader
from scanner.templates import load_templates
from scanner.training.split import photo_split

FLOORS = Path(__file__).with_name("floors.toml")


@dataclass(frozen=True, slots=True)
class Floor:
    """What one source must reach. photos: how many are read. found, cells: least shares. within: least share of corners
    within 3 % of the side. asked: largest share of cells asked about. silent: most cells wrong without a question."""

    photos: int
    found: float
    within: float
    cells: float
    asked: float
    silent: int


def chosen(folder: Path, most: int) -> list[Path]:
    """Photos of the test part: first one of each puzzle, then the others, in the order of their names."""
    seen: set[str] = set()
    first: list[Path] = []
    others: list[Path] = []
    for truth in sorted(folder.glob("*.json")):
        cells = json.loads(truth.read_text(encoding="utf-8"))["cells"]
        if photo_split(folder.name, truth.stem, cells) != "test":
            continue
        puzzle = json.dumps(cells)
        (others if puzzle in seen else first).append(truth.with_suffix(".jpg"))
        seen.add(puzzle)
    return (first + others)[:most]


def failures(figures: Figures, floor: Floor) -> Iterator[str]:
    within = figures.corner_error.within.share
    for name, share, least in (
        ("found", figures.found.share, floor.found),
        ("corners within 3 %", within, floor.within),
        ("cells right", figures.cells_with_missing.share, floor.cells),
    ):
        if share is not None and share < least:
            yield f"{name}: {share:.4f}, the floor is {least:.4f}"
    if (figures.asked_cells.share or 0) > floor.asked:
        yield f"cells asked about: {figures.asked_cells.share:.4f}, at most {floor.asked:.4f}"
    if figures.silent_values.count > floor.silent:
        yield f"cells with a wrong value and no question: {figures.silent_values.count}, at most {floor.silent}"


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    shared = Path(sys.argv[1])
    floors = {name: Floor(**values) for name, values in tomllib.loads(FLOORS.read_text(encoding="utf-8")).items()}
    templates, reader = tuple(load_templates().values()), default_reader()
    bad = 0
    for name, floor in floors.items():
        with tempfile.TemporaryDirectory() as temporary:
            for photo in chosen(shared / name, floor.photos):
                for file in (photo, photo.with_suffix(".json")):
                    (Path(temporary) / file.name).symlink_to(file.resolve())
            figures = run(Path(temporary), templates=templates, reader=reader).figures
        within = figures.corner_error.within.share
        print(
            f"{name}: {figures.found.n} sheets, found {figures.found.share:.4f},"
            f" corners within 3 % {'-' if within is None else f'{within:.4f}'},"
            f" cells {figures.cells_with_missing.share:.4f}, asked {figures.asked_cells.share or 0:.4f},"
            f" silently wrong values {figures.silent_values.count}"
        )
        for failure in failures(figures, floor):
            bad += 1
            print(f"  BELOW THE FLOOR: {failure}")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
