"""Cells of generated photos that went through the whole chain: pads with symbols under the ink, Sudokus, hex sheets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from scanner.cells import CellBatch, cut
from scanner.cells_hex import cut_hexes
from scanner.intake import Photo, load
from scanner.locate import NotFound, Placement, locate
from scanner.locate.hex_placement import HexPlacement
from scanner.locate.hex_refine import refined
from scanner.locate.prepare import stretched
from scanner.read.classes import CLASSES
from scanner.simulate import HandSource, make_puzzle, simulate
from scanner.simulate.hexes import bold_print
from scanner.simulate.sheet import Truth
from scanner.simulate.writing import Contents
from scanner.templates import Template, get_template
from scanner.training.sheets import UNKNOWN_INK, Labelled, joined

TEMPLATES = ("splitter-a", "splitter-b", "splitter-a", "splitter-b", "sudoku")
HEX_TEMPLATES = ("hexroller-front", "hexroller-back")
"""Which sheets, by turns."""
FAR = 0.3
"""A sheet whose corners are off by more than this share of a cell wasn't found: its cells would be mislabelled."""
HEXES_ACROSS = 9
"""Hexes along a hex sheet's side, about."""
MIX = ("digit", "blank", "candidates", "struck")
FINISHED = (0.95, 0.03, 0.02)
"""Shares of what two dice show, of nothing and of any digit in the cells of a finished pad."""


def photo_cells(
    hands: Sequence[HandSource],
    prints: Sequence[HandSource],
    photos: int,
    seed: int,
    sheets: Sequence[str] = TEMPLATES,
) -> Labelled:
    """Cells of `photos` generated photos of `sheets` by turns, each by one of the hands (and typefaces)."""
    parts = []
    for number in range(photos):
        rng = np.random.default_rng([seed, number])
        template = get_template(sheets[number % len(sheets)])
        hand, typeface = (source[int(rng.integers(len(source)))] for source in (hands, prints))
        cells = _cells(template, hand, typeface, rng)
        if cells is not None:
            parts.append(cells)
    return joined(parts)


def finished_sheets(
    hands: Sequence[HandSource], typefaces: Sequence[HandSource], photos: int, seed: int
) -> Iterator[Labelled]:
    """The cells of generated photos of sheets that are filled in to the end, each photo's apart.

    Pads hold what two dice show, here and there nothing or another digit; Sudokus are solved.
    """
    for number in range(photos):
        rng = np.random.default_rng([seed, number, 1])
        template = get_template(TEMPLATES[number % len(TEMPLATES)])
        hand, typeface = (source[int(rng.integers(len(source)))] for source in (hands, typefaces))
        contents: dict[str, int | str | None] = {}
        printed: frozenset[str] = frozenset()
        if template.id == "sudoku":
            puzzle = make_puzzle(int(rng.integers(2**31)), givens=int(rng.integers(24, 36)))
            contents, printed = puzzle.contents(), frozenset(puzzle.printed)
        else:
            for cell in template.lattice_cells:
                kind = int(rng.choice(3, p=FINISHED))
                contents[cell.id] = (int(rng.integers(1, 7)), None, int(rng.integers(0, 10)))[kind]
        cells = _photographed(template, contents, printed, hand, typeface, rng)
        if cells is not None:
            yield cells


def _cells(template: Template, hand: HandSource, typeface: HandSource, rng: np.random.Generator) -> Labelled | None:
    contents: dict[str, int | str | None] = {}
    printed: frozenset[str] = frozenset()
    if template.id == "sudoku":
        puzzle = make_puzzle(int(rng.integers(2**31)), givens=int(rng.integers(24, 36)))
        printed = frozenset(puzzle.printed)
        contents |= puzzle.contents()
    if template.hexes is not None:
        known = {cell.id: cell.printed for cell in template.cells if cell.kind == "digit" and cell.printed is not None}
        contents |= known
        printed = frozenset(known)
        # Their print is bold.
        typeface = bold_print() if rng.random() < 0.5 else typeface
    shares = rng.dirichlet((6, 2.5, 0.6, 0.3))
    for cell in template.cells:
        if cell.kind == "digit" and (template.hexes or cell.place) and cell.id not in printed:
            what = MIX[int(rng.choice(len(MIX), p=shares))]
            contents[cell.id] = int(rng.integers(0, 10)) if what == "digit" else None if what == "blank" else what
    return _photographed(template, contents, printed, hand, typeface, rng)


def _photographed(
    template: Template,
    contents: Contents,
    printed: frozenset[str],
    hand: HandSource,
    typeface: HandSource,
    rng: np.random.Generator,
) -> Labelled | None:
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
    batch = _cut_as_true(photo, found[0], made.truth)
    return None if batch is None else labelled(batch.ink, batch.ids, made.truth.cells, printed)


def _cut_as_true(photo: Photo, found: Placement, truth: Truth) -> CellBatch | None:
    """The cells of a sheet, the way up that the truth says; null if it was found elsewhere."""
    corners = (truth.corners + 0.5) / photo.scale - 0.5
    template = found.template
    if isinstance(found, HexPlacement):
        gray = stretched(photo.gray)
        ways: list[Placement] = [found]
        ways += [refined(gray, found.taken(way)) for way in found.ways[1:] if way.template.id == template.id]
    else:
        ways = [found.turned(turn) for turn in (0, *found.turns)]
    off = [float(np.abs(way.corners - corners).max()) for way in ways]
    best = ways[int(np.argmin(off))]
    side = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).mean()
    cells = template.grid.cols if template.grid is not None else HEXES_ACROSS
    if min(off) > FAR * side / cells:
        return None
    return cut_hexes(photo, best, template) if template.hexes is not None else cut(photo, best)


def labelled(ink: npt.NDArray[np.uint8], ids: tuple[str, ...], truth: Contents, printed: frozenset[str]) -> Labelled:
    """Pictures with the class and ink of each cell."""
    names = ["blank" if truth[cell] is None else str(truth[cell]) for cell in ids]
    kinds = [UNKNOWN_INK if name == "blank" else int(cell in printed) for cell, name in zip(ids, names, strict=True)]
    classes = [CLASSES.index(name) for name in names]
    return Labelled(ink, np.asarray(classes, np.int64), np.asarray(kinds, np.int64))
