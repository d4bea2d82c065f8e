"""The results of a table's columns in the annotated picture: a tab below each column, all of them in the banner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from PIL import ImageDraw

from scanner.geometry import FloatArray
from scanner.report.lettering import fitted, font, plain
from scanner.report.marks import total_words
from scanner.report.signs import BLACK, BOLD, GREEN, ORANGE, WHITE
from scanner.results import ColumnScore, Verdict

TAB_TEXT = 0.024
"""Letter height of a tab, as a part of the photo's long side."""
TAB_DISTANCE = 0.016
"""From the lowest cell to the tab, as a part of the photo's long side: the outline of the table lies between."""
BETWEEN = 1.2
"""Space between two results in the banner, in letter heights."""
COLUMN_TITLE, LEAST_TITLE = 0.7, 0.42
"""How much smaller than a single total the results in the banner are, and become before they take another row."""


def draw_results(
    pen: ImageDraw.ImageDraw, verdict: Verdict, polygons: Mapping[str, FloatArray], long_side: int
) -> None:
    """The right total of each column below it, sure or not by its colour and a question mark."""
    for name, column in verdict.columns.items():
        cells = [polygon for cell_id, polygon in polygons.items() if cell_id.partition(".")[0] == name]
        if not cells:
            continue
        lowest = max(cells, key=lambda polygon: float(polygon[:, 1].max()))
        width = 0.96 * float(np.ptp(lowest[:, 0]))
        text = _words(column)
        face = fitted(text, round(TAB_TEXT * long_side), width - 0.4 * TAB_TEXT * long_side)
        x, y = float(lowest[:, 0].mean()), float(lowest[:, 1].max()) + (TAB_DISTANCE + TAB_TEXT / 2) * long_side
        half_x, half_y = face.getlength(text) / 2 + 0.25 * face.size, 0.6 * face.size
        box = (x - half_x, y - half_y, x + half_x, y + half_y)
        pen.rounded_rectangle(box, 0.25 * face.size, fill=GREEN if column.sure else ORANGE)
        ink = WHITE if column.sure else BLACK
        pen.text((x, y), text, ink, face, anchor="mm", stroke_width=BOLD * face.size)


def _words(column: ColumnScore) -> str:
    low, high = column.range
    return (f"{low}-{high}" if low != high else f"{column.total}") + ("" if column.sure else "?")


@dataclass(frozen=True, slots=True)
class Title:
    """What the banner says in big type, in rows at a letter height of `size` px."""

    rows: tuple[tuple[str, ...], ...]
    size: int

    @property
    def height(self) -> float:
        """In px."""
        return self.size * (1 + 1.35 * (len(self.rows) - 1))

    def draw(self, pen: ImageDraw.ImageDraw, x: float, y: float) -> None:
        """From the top left."""
        face = font(self.size)
        for number, row in enumerate(self.rows):
            left = x
            for words in row:
                at = (left, y + 1.35 * number * self.size)
                pen.text(at, words, WHITE, face, anchor="lt", stroke_width=0.02 * self.size)
                left += face.getlength(words) + BETWEEN * self.size


def title_of(verdict: Verdict, size: int, width: float) -> Title:
    """The total at most `size` px high; results of columns in as few rows as fit into `width` px at a fair size."""
    if not verdict.columns:
        words = plain(total_words(verdict))
        return Title(((words,),), int(fitted(words, size, width).size))
    lines = dict(zip(verdict.columns, verdict.score.lines, strict=False))
    results = [
        plain(f"{lines[name].label if name in lines else name}: {_words(column)}")
        for name, column in verdict.columns.items()
    ]
    for count in range(1, len(results) + 1):
        each = -(-len(results) // count)
        rows = tuple(tuple(results[start : start + each]) for start in range(0, len(results), each))
        fits = min(width * size / _length(row, size) for row in rows)
        if fits >= LEAST_TITLE * size:
            break
    return Title(rows, max(6, int(min(COLUMN_TITLE * size, fits))))


def _length(row: Sequence[str], size: int) -> float:
    return sum(font(size).getlength(words) for words in row) + BETWEEN * size * (len(row) - 1)
