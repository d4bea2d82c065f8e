"""The page around a Sudoku: title, small print, and the other side's print shining through."""

from __future__ import annotations

import numpy as np

from scanner.simulate.canvas import Canvas
from scanner.simulate.lettering import print_text
from scanner.simulate.ranges import Ranges, between
from scanner.templates import Template

# Pillow's own typeface has no letters beyond ASCII.
TITLES = ("Sudoku", "SUDOKU", "Sudoku Nr. 214", "Sudoku - leicht", "Sudoku: mittel", "Today's Sudoku", "Puzzle 37")
SENTENCES = (
    ("Jede Ziffer von 1 bis 9 kommt in jeder Zeile,", "jeder Spalte und jedem Block genau einmal vor."),
    ("Fill in the grid so that every row, every column", "and every box contains the digits 1 to 9."),
    ("The solution is in the next issue.", "Schwierigkeit: mittel     Zeit: ______ min"),
)
SMALL = 2.0
"""Height of small print's capitals, mm."""


def has_surroundings(template: Template) -> bool:
    """Sheets whose copies differ stand on pages of papers and calendars; others are pads of their own."""
    return template.grid is not None and template.grid.givens


def print_page(canvas: Canvas, template: Template, darkness: float, rng: np.random.Generator, ranges: Ranges) -> None:
    """Prints what stands around the sheet."""
    height = canvas.size[1]
    quad = template.mm_quad()
    left, top, right, bottom = quad[0].x, quad[0].y, quad[2].x, quad[2].y
    faint = between(rng, ranges.show_through)
    if faint > 0.01:
        for line in range(int((height - 8) / 5)):
            words = SENTENCES[int(rng.integers(len(SENTENCES)))][line % 2]
            print_text(canvas, words, (-canvas.left + 5, -canvas.top + 8 + 5 * line), SMALL, faint, mirrored=True)
    indent = 0 if rng.random() < 0.6 else 18
    title = TITLES[int(rng.integers(len(TITLES)))]
    print_text(canvas, title, (left + indent, top - between(rng, (2.5, 6.0))), 5.0, darkness)
    for line, words in enumerate(SENTENCES[int(rng.integers(len(SENTENCES)))]):
        y = bottom + 6 + 4.2 * line
        if y < height - canvas.top - 3:
            print_text(canvas, words, (left, y), SMALL, 0.9 * darkness)
    if rng.random() < 0.5:
        number = str(int(rng.integers(2, 90)))
        print_text(canvas, number, (right - 4, height - canvas.top - 3), SMALL, 0.9 * darkness)
