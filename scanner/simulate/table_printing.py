"""The empty score table as the printer delivers it: its lines by their styles, labels, headings and icons."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scanner.simulate.canvas import Canvas, Colour, Line
from scanner.simulate.lettering import INK_BLACK, print_text
from scanner.simulate.outlines import outline
from scanner.templates import LineStyle, Table, TableColumn, TableRow, Template

TEXT = 0.36
"""Height of a label's capitals, of its row's height."""
NARROW = 0.85
"""Mean width of a letter against the height of a capital."""
ICONS = ("star", "heart", "circle", "square", "triangle", "cross")
ICON_COLOURS: tuple[Colour, ...] = (
    (0.75, 0.16, 0.14),
    (0.15, 0.35, 0.65),
    (0.20, 0.50, 0.24),
    (0.85, 0.62, 0.12),
    (0.45, 0.22, 0.50),
    (0.12, 0.12, 0.14),
)


def table_lines(table: Table, thin: float, heavy: float, darkness: float) -> Iterator[Line]:
    """Every printed line of a table. thin, heavy: widths in mm."""
    left, right = table.columns[0].left, table.columns[-1].right
    top, bottom = table.rows[0].top, table.rows[-1].bottom
    for x, style in _lines_at([(column.left, column.right, column.line) for column in table.columns]):
        for shift, width in _strokes(style, thin, heavy):
            yield Line((x + shift, top), (x + shift, bottom), width, darkness)
    for y, style in _lines_at([(row.top, row.bottom, row.line) for row in table.rows]):
        for shift, width in _strokes(style, thin, heavy):
            yield Line((left, y + shift), (right, y + shift), width, darkness)


def _lines_at(spans: list[tuple[float, float, LineStyle]]) -> Iterator[tuple[float, LineStyle]]:
    """Where the lines of columns or rows run; a gap has one on either side."""
    end: float | None = None
    for start, stop, style in spans:
        if end is not None and start - end > 1e-6:
            yield end, "single"
        yield start, style
        end = stop
    if end is not None:
        yield end, "single"


def _strokes(style: LineStyle, thin: float, heavy: float) -> tuple[tuple[float, float], ...]:
    """(shift across the line, width) of what a style is printed as, mm."""
    if style == "none":
        return ()
    if style == "double":
        return (-1.6 * thin, thin), (1.6 * thin, thin)
    return ((0.0, heavy),) if style == "heavy" else ((0.0, thin),)


def print_labels(canvas: Canvas, template: Template, darkness: float, rng: np.random.Generator) -> None:
    """Headings, row labels and, in label columns without words, icons."""
    table = template.table
    assert table is not None
    label_columns = [column for column in table.columns if column.labels]
    label_rows = [row for row in table.rows if row.labels]
    icons = int(rng.integers(len(ICONS)))
    for row in table.rows:
        for number, column in enumerate(label_columns):
            if row.label and number == len(label_columns) - 1:
                _text(canvas, row.label, column, row, darkness)
            elif not row.labels:
                _icon(canvas, column, row, icons + table.rows.index(row), darkness)
    for row in label_rows[-1:]:
        for column in table.columns:
            if column.label and not column.labels:
                _text(canvas, column.label, column, row, darkness)


def _text(canvas: Canvas, text: str, column: TableColumn, row: TableRow, darkness: float) -> None:
    width, height = column.right - column.left, row.bottom - row.top
    letter = min(TEXT * min(height, 8.0), 0.9 * width / max(1.0, NARROW * len(text)))
    at = (column.left + 0.05 * width, (row.top + row.bottom) / 2 + letter / 2)
    print_text(canvas, text, at, letter, darkness)


def _icon(canvas: Canvas, column: TableColumn, row: TableRow, number: int, darkness: float) -> None:
    half = 0.32 * min(column.right - column.left, row.bottom - row.top)
    centre = ((column.left + column.right) / 2, (row.top + row.bottom) / 2)
    colour = ICON_COLOURS[number % len(ICON_COLOURS)] if darkness > 0.8 else INK_BLACK
    canvas.fill(outline(ICONS[number % len(ICONS)], centre, (half, half)), colour, darkness)


def row_colour(template: Template, row: TableRow) -> Colour | None:
    """The colour in which a row's cells are printed, by the tags that they share; null where they have none."""
    table = template.table
    assert table is not None
    colours = {colour.tag: colour.rgb for colour in template.look.colours}
    for column in table.columns:
        name = f"{column.id}.{row.id}"
        if name in template:
            tagged = [colours[tag] for tag in sorted(template.cell(name).tags) if tag in colours]
            if tagged:
                red, green, blue = (channel / 255 for channel in tagged[0])
                return red, green, blue
    return None


def print_label_fields(canvas: Canvas, template: Template) -> None:
    """Gives the label cells the colour of their row."""
    table = template.table
    assert table is not None
    for row in table.rows:
        colour = row_colour(template, row)
        if colour is not None:
            for column in table.columns:
                if column.labels:
                    corners = [(column.left, row.top), (column.right, row.top)]
                    corners += [(column.right, row.bottom), (column.left, row.bottom)]
                    canvas.fill(corners, colour)
