"""Is a mark made in a box? Crossed out, struck through, ticked, scribbled over, circled: whatever it is, it is ink.

What is printed in the box (the sign of a bonus, say) is known from the template and left out; so are the box's lines.
A logistic regression weighs how much ink is left, how far it reaches and how dark it is; its coefficients come from
generated photos (``benchmarks/marks.py``), which also say how well its probabilities are calibrated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from scanner.cells import CELL_PX
from scanner.geometry import FloatArray
from scanner.intake import Photo
from scanner.locate.flatten import MmToPx
from scanner.panels import Panel, PanelInk, ink_of, panel_of
from scanner.templates import Cell, Template

WEIGHTS: tuple[float, ...] = (-10.68, -2.23, 13.10, 1.63, 3.19, -5.00)
"""Of the constant and of the features in `features`; fitted by ``benchmarks/marks.py``."""
LEAST_INK = 1e-3
"""Share of a box that counts as no ink at all, so that its logarithm exists."""
PRINT_RIM_PX = 3
"""What is printed may lie so far, px, from where the template has it."""
LETTER = 0.85
"""Width of a printed letter, as a share of a capital's height."""
LEAST_LEFT = 0.35
"""Share of a box that has to be free of print for a mark to be told by what is beside the print alone."""
SURE = 1e-6
"""No mark is surer than this."""


@dataclass(frozen=True, slots=True)
class MarkReadings:
    """ids: of the mark boxes that can be seen in the photo, n. made: float32 [n], probability that the mark is made."""

    ids: tuple[str, ...]
    made: npt.NDArray[np.float32]


def read_marks(photo: Photo, placement: MmToPx, template: Template) -> MarkReadings:
    """All marks of a sheet."""
    ids: list[str] = []
    rows: list[FloatArray] = []
    for box in mark_boxes(template):
        ink = box.ink(photo, placement)
        if ink.visible >= 1.0 and not ink.covered[0]:
            ids.append(box.panel.cells[0].id)
            rows.append(features(box, ink))
    return MarkReadings(tuple(ids), probabilities(np.array(rows).reshape(len(rows), len(WEIGHTS) - 1)))


def probabilities(rows: FloatArray) -> npt.NDArray[np.float32]:
    """Probability that the mark is made, float32 [n], for `features` [n, 5]."""
    score = WEIGHTS[0] + rows @ np.array(WEIGHTS[1:])
    made = 1 / (1 + np.exp(-np.clip(score, -30, 30)))
    return np.asarray(np.clip(made, SURE, 1 - SURE), dtype=np.float32)


@dataclass(frozen=True, eq=False)
class MarkBox:
    """A box that takes a mark. free: bool [h, w] of its panel, inside the box and beside what is printed in it.

    around: the same with a rim around the box, where circles run.
    """

    panel: Panel
    free: npt.NDArray[np.bool_]
    around: npt.NDArray[np.bool_]

    def ink(self, photo: Photo, placement: MmToPx) -> PanelInk:
        """The ink in and around it."""
        return ink_of(self.panel, photo, placement, least_inside=0.0)


@lru_cache(maxsize=32)
def mark_boxes(template: Template) -> tuple[MarkBox, ...]:
    """The mark boxes of a template."""
    return tuple(_box(cell, template) for cell in template.cells if cell.kind == "mark")


def _box(cell: Cell, template: Template) -> MarkBox:
    panel = panel_of([cell])
    inside = panel.owner >= 0
    printed = np.zeros(inside.shape, dtype=np.uint8)
    for left, top, right, bottom in _prints(template, cell):
        corners = (np.array([[left, top], [right, bottom]]) - panel.low) * panel.per_mm
        (x0, y0), (x1, y1) = np.round(corners + np.array([[-PRINT_RIM_PX], [PRINT_RIM_PX]])).astype(int)
        printed[max(y0, 0) : max(y1, 0), max(x0, 0) : max(x1, 0)] = 1
    free = inside & (printed == 0)
    if free.sum() < LEAST_LEFT * inside.sum():
        free = inside
    return MarkBox(panel, free, free | ((panel.near >= 0) & ~inside & (printed == 0)))


def _prints(template: Template, cell: Cell) -> list[tuple[float, float, float, float]]:
    """Rectangles, mm, of what may be printed in a cell: words, shapes, the symbol of one of its tags."""
    found = []
    for label in template.labels:
        wide, high = LETTER * label.height * len(label.text), label.height
        # Turned about the left end of its base line, clockwise.
        way = {0: (1, 0), 90: (0, 1), 180: (-1, 0), 270: (0, -1)}[label.turn]
        up = (way[1], -way[0])
        xs = (label.at.x, label.at.x + way[0] * wide + up[0] * high)
        ys = (label.at.y, label.at.y + way[1] * wide + up[1] * high)
        found.append((min(xs), min(ys), max(xs), max(ys)))
    # A shape under a box that is as large as the box is its colour, not a sign in it.
    x0, y0, x1, y1 = _bounds(cell)
    for shape in template.shapes:
        left, top, right, bottom = shape.box[0].x, shape.box[0].y, shape.box[2].x, shape.box[2].y
        if not (left <= x0 and top <= y0 and right >= x1 and bottom >= y1):
            found.append((left, top, right, bottom))
    half = 0.4 * min(x1 - x0, y1 - y0)
    middle = ((x0 + x1) / 2, (y0 + y1) / 2)
    if any(symbol.tag in cell.tags for symbol in template.look.symbols):
        found.append((middle[0] - half, middle[1] - half, middle[0] + half, middle[1] + half))
    return [rect for rect in found if rect[0] < x1 and rect[2] > x0 and rect[1] < y1 and rect[3] > y0]


def _bounds(cell: Cell) -> tuple[float, float, float, float]:
    xs, ys = [point.x for point in cell.polygon], [point.y for point in cell.polygon]
    return min(xs), min(ys), max(xs), max(ys)


def features(box: MarkBox, ink: PanelInk) -> FloatArray:
    """What tells a mark, float64 [5].

    How much of the box ink covers (logarithm of its share), how far it reaches inside the box and with the rim around
    it (diagonal, in the box's side), how dark it is (0 to 1), whether there is none at all (1 or 0).
    """
    mine = ink.owner >= 0
    inside, around = mine & box.free, mine & box.around
    share = float(inside.sum()) / max(float(box.free.sum()), 1.0)
    dark = float(ink.density[around].mean()) if around.any() else 0.0
    bare = float(not around.any())
    return np.array([math.log10(max(share, LEAST_INK)), _reach(inside), _reach(around), dark, bare])


def _reach(mask: npt.NDArray[np.bool_]) -> float:
    """The diagonal of the rectangle around what is set, in cells; 0 for nothing."""
    rows, cols = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return math.hypot(rows[-1] - rows[0] + 1, cols[-1] - cols[0] + 1) / CELL_PX if len(rows) else 0.0
