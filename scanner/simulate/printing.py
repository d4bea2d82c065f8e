"""The empty sheet as the printer delivers it: fields, symbols, lines, words, and printed digits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import cv2
import numpy as np

from scanner.simulate.canvas import Canvas, Colour, Line, smooth_noise
from scanner.simulate.hands import HandSource
from scanner.simulate.lettering import INK_BLACK, print_number, print_text
from scanner.simulate.outlines import edges, extent, middle, outline
from scanner.simulate.page import has_surroundings, print_page
from scanner.simulate.ranges import Ranges, between
from scanner.simulate.table_printing import print_label_fields, print_labels, table_lines
from scanner.templates import Look, Rule, Template
from scanner.templates.model import Rgb

DASH_MM = 1.1
WHITE_LINE: Colour = (0.97, 0.97, 0.95)
DARK_FIELD: Colour = (0.16, 0.17, 0.24)
PALE_CELL: Colour = (0.93, 0.92, 0.88)
GREY_SYMBOL: Colour = (0.70, 0.70, 0.72)
SYMBOL = 0.36
"""Half the size of a printed symbol, of the cell's shorter side."""


@dataclass(frozen=True, slots=True)
class Press:
    """How one copy is printed. line, heavy: widths, mm. Darkness 0 to 1. digit_height: of the cell's shorter side.

    tone: factors on red, green and blue of all coloured print, since no two printings are alike.
    """

    line: float
    heavy: float
    line_darkness: float
    darkness: float
    digit_height: float
    thick_frame: bool
    tone: Colour


def cell_side(template: Template) -> float:
    """The shorter side of the lattice's cells (of all cells where there is none), median, mm."""
    cells = template.lattice_cells or template.cells
    return float(np.median([min(extent(cell)) for cell in cells]))


def choose_press(template: Template, rng: np.random.Generator, ranges: Ranges) -> Press:
    """Draws how this copy is printed."""
    line = between(rng, ranges.line) * cell_side(template)
    return Press(
        line=line,
        heavy=line * between(rng, ranges.heavy),
        line_darkness=between(rng, ranges.line_darkness),
        darkness=between(rng, ranges.print_darkness),
        digit_height=between(rng, ranges.print_height),
        thick_frame=rng.random() < 0.8,
        tone=(between(rng, ranges.tone), between(rng, ranges.tone), between(rng, ranges.tone)),
    )


def plainly_printed(template: Template) -> Template:
    """The same sheet as an office printer makes it: black lines on white, no colours, no fields."""
    symbols = tuple(replace(symbol, rgb=None) for symbol in template.look.symbols)
    return replace(
        template,
        look=Look(symbols=symbols),
        labels=tuple(replace(label, rgb=None) for label in template.labels),
        rules=tuple(replace(rule, rgb=None) for rule in template.rules),
        shapes=tuple(replace(shape, rgb=None) for shape in template.shapes if shape.kind != "rectangle"),
    )


def blank_paper(template: Template, per_mm: float, rng: np.random.Generator, ranges: Ranges) -> Canvas:
    """Unprinted paper: the sheet, and around it as much of the page as the printing leaves."""
    margins = [between(rng, ranges.margin) for _ in range(4)] if has_surroundings(template) else [0.0] * 4
    if has_surroundings(template):
        margins[1] += 6.0  # room for a title
    left, top, right, bottom = margins
    width = round((left + template.size[0] + right) * per_mm)
    height = round((top + template.size[1] + bottom) * per_mm)
    grey, warmth = between(rng, ranges.paper_grey), between(rng, ranges.paper_warmth)
    colour = np.array([grey, grey - 0.3 * warmth, grey - warmth], dtype=np.float32)
    grain = between(rng, ranges.grain)
    fibres = rng.normal(0, 1, (height, width)).astype(np.float32)
    fibres = cv2.GaussianBlur(fibres, (0, 0), max(0.5, 0.12 * per_mm)) * np.float32(max(1.0, 0.35 * per_mm))
    pattern = grain * fibres + 0.5 * grain * smooth_noise(rng, height, width, 12)
    return Canvas(np.clip(colour + pattern[:, :, None], 0, 1).astype(np.float32), per_mm, left, top)


def print_sheet(canvas: Canvas, template: Template, press: Press, rng: np.random.Generator, ranges: Ranges) -> None:
    """Prints all that every copy carries, and some page around a Sudoku."""
    if has_surroundings(template):
        print_page(canvas, template, press.darkness, rng, ranges)
    _fields(canvas, template, press)
    usual = INK_BLACK if template.look.lines == "dark" else WHITE_LINE
    if template.table is not None:
        print_label_fields(canvas, template)
        print_labels(canvas, template, press.darkness, rng)
    ruled = () if template.table is None else table_lines(template.table, press.line, press.heavy, press.line_darkness)
    lines = [
        Line(edge.start, edge.end, press.heavy, max(press.line_darkness, 0.75))
        if edge.heavy
        else Line(edge.start, edge.end, press.line, press.line_darkness)
        for edge in edges(template, press.thick_frame)
    ]
    canvas.lines([*lines, *ruled], _toned(template.look.line_rgb, usual, press))
    for rule in template.rules:
        canvas.lines(list(_strokes(rule, press)), _toned(rule.rgb, INK_BLACK, press))
    for label in template.labels:
        colour = _toned(label.rgb, INK_BLACK, press)
        at = (label.at.x, label.at.y)
        print_text(canvas, label.text, at, label.height, press.darkness, turn=label.turn, colour=colour)


def print_digits(
    canvas: Canvas,
    template: Template,
    printed: Mapping[str, int],
    source: HandSource,
    press: Press,
    rng: np.random.Generator,
) -> None:
    """Prints numbers into cells, centred, all of one height."""
    for cell_id, number in printed.items():
        cell = template.cell(cell_id)
        figures = [source.glyph(int(figure), rng) for figure in str(number)]
        print_number(canvas, figures, middle(cell), press.digit_height * min(extent(cell)), press.darkness)


def _toned(rgb: Rgb | None, usual: Colour, press: Press) -> Colour:
    """A template's colour as this press prints it; `usual` where the template leaves it open."""
    if rgb is None:
        return usual
    red, green, blue = (min(1.0, channel / 255 * tone) for channel, tone in zip(rgb, press.tone, strict=True))
    return red, green, blue


def _fields(canvas: Canvas, template: Template, press: Press) -> None:
    """Coloured fields and shapes, cells, and the symbols in them."""
    look = template.look
    if look.field == "dark" or look.field_rgb is not None:
        width, height = template.size
        colour = _toned(look.field_rgb, DARK_FIELD, press)
        canvas.fill([(0, 0), (width, 0), (width, height), (0, height)], colour)
    for shape in template.shapes:
        left, top, right, bottom = shape.box[0].x, shape.box[0].y, shape.box[2].x, shape.box[2].y
        half = ((right - left) / 2, (bottom - top) / 2)
        corners = outline(shape.kind, ((left + right) / 2, (top + bottom) / 2), half, shape.turn)
        canvas.fill(corners, _toned(shape.rgb, INK_BLACK, press))
    colours = {colour.tag: colour.rgb for colour in look.colours}
    for cell in template.cells:
        rgb = next((colours[tag] for tag in sorted(cell.tags) if tag in colours), look.cell_rgb)
        if rgb is not None or look.field == "dark":
            canvas.fill([(point.x, point.y) for point in cell.polygon], _toned(rgb, PALE_CELL, press))
        half_symbol = SYMBOL * min(extent(cell))
        for symbol in look.symbols:
            if symbol.tag in cell.tags:
                corners = outline(symbol.symbol, middle(cell), (half_symbol, half_symbol))
                canvas.fill(corners, _toned(symbol.rgb, GREY_SYMBOL, press))


def _strokes(rule: Rule, press: Press) -> Iterator[Line]:
    """The strokes of a rule in its style."""
    if rule.style == "none":
        return
    a, b = np.array([rule.start.x, rule.start.y]), np.array([rule.end.x, rule.end.y])
    length = max(float(np.linalg.norm(b - a)), 1e-6)
    pieces = [(0.0, 1.0)]
    if rule.style == "dashed":
        pieces = [(at / length, min(1.0, (at + DASH_MM) / length)) for at in np.arange(0, length, 2 * DASH_MM)]
    across = np.array([a[1] - b[1], b[0] - a[0]]) / length * press.line
    shifts = (-across, across) if rule.style == "double" else (np.zeros(2),)
    width = press.heavy if rule.style in ("heavy", "dashed") else press.line
    for first, last in pieces:
        for shift in shifts:
            one, two = a + first * (b - a) + shift, a + last * (b - a) + shift
            yield Line((one[0], one[1]), (two[0], two[1]), width, press.line_darkness)
