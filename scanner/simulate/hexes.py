"""Hex sheets filled in at random, for photos: numbers in hexes and record boxes, marks, the claim."""

from __future__ import annotations

import cv2
import numpy as np

from scanner.simulate.hands import Shapes, built_in_print
from scanner.simulate.writing import Contents
from scanner.templates import Cell, Template

BOLD = 0.045
"""By how much of a figure's height its strokes are thickened to look bold, on each side."""
FULL = (0.6, 1.0)
"""Share of the hexes (of the boxes) that hold something, drawn evenly."""
MADE = 0.5
"""Share of the marks that are made."""


def bold_print() -> Shapes:
    """The built-in typeface in bold, as numbers stand on hex sheets."""
    rng = np.random.default_rng(0)
    plain = built_in_print()
    shapes = {}
    for digit in sorted(plain.digits):
        ink = plain.glyph(digit, rng)
        reach = max(1, round(BOLD * ink.shape[0]))
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
        shapes[digit] = [np.asarray(cv2.dilate(np.pad(ink, reach), kernel), dtype=np.uint8)]
    return Shapes(shapes)


def random_hexes(template: Template, rng: np.random.Generator) -> Contents:
    """What may stand on a hex sheet, whatever the rules say: any permitted number anywhere, some cells empty."""
    full = rng.uniform(*FULL)
    return {
        cell.id: _content(cell, rng) if rng.random() < full or cell.kind == "mark" else None
        for cell in template.cells
        if cell.printed is None
    }


def _content(cell: Cell, rng: np.random.Generator) -> int | str | None:
    if cell.kind == "mark":
        return "x" if rng.random() < MADE else None
    if cell.kind == "text":
        return None
    low, high = cell.values or (0, 40)
    return int(rng.integers(low, high + 1))
