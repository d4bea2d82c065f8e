"""Cells of generated photos that went through the whole chain: pads with symbols under the ink, and Sudokus."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from scanner.cells import cut
from scanner.intake import load
from scanner.locate import NotFound, locate
from scanner.read.classes import CLASSES
from scanner.simulate import HandSource, make_puzzle, simulate
from scanner.simulate.writing import Contents
from scanner.templates import Template, get_template
from scanner.training.sheets import UNKNOWN_INK, Labelled, joined

TEMPLATES = ("splitter-a", "splitter-b", "splitter-a", "splitter-b", "sudoku")
"""Which sheets, by turns."""
FAR = 0.3
"""A sheet whose corners are off by more than this share of a cell wasn't found: its cells would be mislabelled."""
MIX = ("digit", "blank", "candidates", "struck")


def photo_cells(hands: Sequence[HandSource], prints: Sequence[HandSource], photos: int, seed: int) -> Labelled:
    """Cells of `photos` generated photos, each by one of the hands (and typefaces), which are taken by turns."""
    parts = []
    for number in range(photos):
        rng = np.random.default_rng([seed, number])
        template = get_template(TEMPLATES[number % len(TEMPLATES)])
        hand, typeface = (source[int(rng.integers(len(source)))] for source in (hands, prints))
        cells = _cells(template, hand, typeface, rng)
        if cells is not None:
            parts.append(cells)
    return joined(parts)


def _cells(template: Template, hand: HandSource, typeface: HandSource, rng: np.random.Generator) -> Labelled | None:
    contents: dict[str, int | str | None] = {}
    printed: frozenset[str] = frozenset()
    if template.id == "sudoku":
        puzzle = make_puzzle(int(rng.integers(2**31)), givens=int(rng.integers(24, 36)))
        printed = frozenset(puzzle.printed)
        contents |= puzzle.contents()
    shares = rng.dirichlet((6, 2.5, 0.6, 0.3))
    for cell in template.lattice_cells:
        if cell.id not in printed:
            what = MIX[int(rng.choice(len(MIX), p=shares))]
            contents[cell.id] = int(rng.integers(0, 10)) if what == "digit" else None if what == "blank" else what
    made = simulate(
        template,
        contents,
        hand=hand,
        seed=[int(rng.integers(2**31))],
        printed=printed,
        typeface=typeface,
    )
    photo = next(iter(load(made.file(), name="generated.jpg")))
    found = locate(photo, [template])
    if isinstance(found, NotFound):
        return None
    corners = (made.truth.corners + 0.5) / photo.scale - 0.5
    side = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).mean()
    # Where the sheet itself doesn't tell which way up it is, the truth does.
    ways = [(float(np.abs(found[0].turned(turn).corners - corners).max()), turn) for turn in (0, *found[0].turns)]
    off, turn = min(ways)
    grid = template.grid
    assert grid is not None
    if off > FAR * side / grid.cols:
        return None
    batch = cut(photo, found[0].turned(turn))
    return labelled(batch.ink, batch.ids, made.truth.cells, printed)


def labelled(ink: npt.NDArray[np.uint8], ids: tuple[str, ...], truth: Contents, printed: frozenset[str]) -> Labelled:
    """Pictures with the class and ink of each cell."""
    names = ["blank" if truth[cell] is None else str(truth[cell]) for cell in ids]
    kinds = [UNKNOWN_INK if name == "blank" else int(cell in printed) for cell, name in zip(ids, names, strict=True)]
    classes = [CLASSES.index(name) for name in names]
    return Labelled(ink, np.asarray(classes, np.int64), np.asarray(kinds, np.int64))
