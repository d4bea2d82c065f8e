"""The empty sheet as the printer delivers it: lines, fields, symbols, words and printed digits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from PIL import ImageFont

from scanner.geometry import MmPoint, Square
from scanner.simulate.canvas import Canvas, Colour, Line, smooth_noise
from scanner.simulate.hands import HandSource, InkImage, letters
from scanner.simulate.ranges import Ranges, between
from scanner.templates import Cell, LineStyle, Template

DASH_MM = 1.1
INK_BLACK: Colour = (0.10, 0.10, 0.12)
WHITE_LINE: Colour = (0.97, 0.97, 0.95)
DARK_FIELD: Colour = (0.16, 0.17, 0.24)
# Pillow's own typeface has no letters beyond ASCII.
TITLES = ("Sudoku", "SUDOKU", "Sudoku Nr. 214", "Sudoku - leicht", "Sudoku: mittel", "Today's Sudoku", "Puzzle 37")
SENTENCES = (
    "Jede Ziffer von 1 bis 9 kommt in jeder Zeile,",
    "jeder Spalte und jedem Block genau einmal vor.",
    "Fill in the grid so that every row, every column",
    "and every box contains the digits 1 to 9.",
    "The solution is in the next issue.",
    "Schwierigkeit: mittel     Zeit: ______ min",
)


@dataclass(frozen=True, slots=True)
class Press:
    """How one copy is printed. Widths in mm."""

    line: float
    heavy: float
    line_darkness: float
    darkness: float
    digit_height: float
    thick_frame: bool


def cell_side(template: Template) -> float:
    """The shorter side of the lattice's cells (of all cells where there is none), median, mm."""
    cells = template.lattice_cells or template.cells
    return float(np.median([min(_extent(cell)) for cell in cells]))


def _extent(cell: Cell) -> tuple[float, float]:
    xs, ys = [p.x for p in cell.polygon], [p.y for p in cell.polygon]
    return max(xs) - min(xs), max(ys) - min(ys)


def middle(cell: Cell) -> tuple[float, float]:
    """The middle of a cell's bounding rectangle, mm."""
    xs, ys = [p.x for p in cell.polygon], [p.y for p in cell.polygon]
    return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2


def choose_press(template: Template, rng: np.random.Generator, ranges: Ranges) -> Press:
    """Draws how this copy is printed."""
    side = cell_side(template)
    line = between(rng, ranges.line) * side
    return Press(
        line=line,
        heavy=line * between(rng, ranges.heavy),
        line_darkness=between(rng, ranges.line_darkness),
        darkness=between(rng, ranges.print_darkness),
        digit_height=between(rng, ranges.print_height),
        thick_frame=rng.random() < 0.8,
    )


def blank_paper(template: Template, per_mm: float, rng: np.random.Generator, ranges: Ranges) -> Canvas:
    """Unprinted paper: the sheet, and around it as much of the page as the printing leaves."""
    margins = [between(rng, ranges.margin) for _ in range(4)] if _has_surroundings(template) else [0.0] * 4
    if _has_surroundings(template):
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


def _has_surroundings(template: Template) -> bool:
    """Sheets whose copies differ stand on pages of papers and calendars; others are pads of their own."""
    return template.grid is not None and template.grid.givens


def print_sheet(canvas: Canvas, template: Template, press: Press, rng: np.random.Generator, ranges: Ranges) -> None:
    """Prints all that every copy carries, and some page around a Sudoku."""
    if _has_surroundings(template):
        _page(canvas, template, press, rng, ranges)
    _fields(canvas, template)
    paper_ink = INK_BLACK if template.look.lines == "dark" else WHITE_LINE
    canvas.lines([_edge_line(edge, press) for edge in _edges(template, press.thick_frame)], paper_ink)
    canvas.lines(
        [line for rule in template.rules for line in _rule(rule.start, rule.end, rule.style, press)], INK_BLACK
    )
    for label in template.labels:
        print_text(canvas, label.text, (label.at.x, label.at.y), label.height, press.darkness, turn=label.turn)


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
        width, height = _extent(cell)
        glyphs = [source.glyph(int(figure), rng) for figure in str(number)]
        tall = press.digit_height * min(width, height)
        x, y = middle(cell)
        scale = tall * canvas.per_mm / max(glyph.shape[0] for glyph in glyphs)
        gap = 0.12 * tall * canvas.per_mm
        total = sum(glyph.shape[1] * scale for glyph in glyphs) + gap * (len(glyphs) - 1)
        at = float(canvas.px([(x, y)])[0, 0]) - total / 2
        for glyph in glyphs:
            wide = glyph.shape[1] * scale
            centre = (at + wide / 2, float(canvas.px([(x, y)])[0, 1]))
            _put(canvas, glyph, centre, scale, press.darkness)
            at += wide + gap


def print_text(
    canvas: Canvas,
    text: str,
    at: tuple[float, float],
    height: float,
    darkness: float,
    *,
    turn: int = 0,
    mirrored: bool = False,
) -> None:
    """A line of printed text; `at`: left end of its base line in mm, height: of a capital letter, mm."""
    if not text.strip():
        return
    # Capitals of the built-in typeface are 0.7 em high.
    font = ImageFont.load_default(max(6.0, height * canvas.per_mm / 0.7))
    left, top, right, bottom = font.getbbox(text, anchor="ls")
    ink = letters(text, font)
    if mirrored:
        ink = ink[:, ::-1]
    middle_px = np.array([(left + right) / 2, (top + bottom) / 2])
    angle = math.radians(turn)
    turned = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]) @ middle_px
    if turn % 360:
        ink = np.rot90(ink, -turn // 90)
    centre = canvas.px([at])[0] + turned
    _put(canvas, np.ascontiguousarray(ink), (float(centre[0]), float(centre[1])), 1.0, darkness)


def _put(canvas: Canvas, ink: InkImage, centre: tuple[float, float], scale: float, darkness: float) -> None:
    height, width = ink.shape
    x0, y0 = math.floor(centre[0] - width * scale / 2) - 2, math.floor(centre[1] - height * scale / 2) - 2
    size = (math.ceil(width * scale) + 5, math.ceil(height * scale) + 5)
    shift = np.array([centre[0] - x0 - scale * (width - 1) / 2, centre[1] - y0 - scale * (height - 1) / 2])
    matrix = np.array([[scale, 0, shift[0]], [0, scale, shift[1]]], dtype=np.float64)
    soft = ink if scale > 0.7 else cv2.GaussianBlur(ink, (0, 0), 0.4 / scale)
    drawn = cv2.warpAffine(soft, matrix, size, flags=cv2.INTER_LINEAR)
    canvas.stamp(np.asarray(drawn, dtype=np.float32) * np.float32(darkness / 255), x0, y0, INK_BLACK)


def _fields(canvas: Canvas, template: Template) -> None:
    look = template.look
    colours = {colour.tag: tuple(channel / 255 for channel in colour.rgb) for colour in look.colours}
    if look.field == "dark":
        width, height = template.size
        canvas.fill([(0, 0), (width, 0), (width, height), (0, height)], DARK_FIELD)
    for cell in template.cells:
        outline = [(point.x, point.y) for point in cell.polygon]
        chosen = next((colours[tag] for tag in sorted(cell.tags) if tag in colours), None)
        if chosen is not None:
            canvas.fill(outline, (chosen[0], chosen[1], chosen[2]))
        elif look.field == "dark":
            canvas.fill(outline, (0.93, 0.92, 0.88))
        for symbol in look.symbols:
            if symbol.tag in cell.tags:
                canvas.fill(_symbol(symbol.symbol, middle(cell), 0.36 * min(_extent(cell))), (0.45, 0.45, 0.48), 0.6)


def _symbol(name: str, centre: tuple[float, float], radius: float) -> list[tuple[float, float]]:
    """The outline of a printed symbol, mm."""
    if name == "star":
        shape = [(math.sin(math.pi * k / 5) * r, -math.cos(math.pi * k / 5) * r) for k, r in enumerate((1.0, 0.42) * 5)]
    elif name == "heart":
        angles = [2 * math.pi * k / 40 for k in range(40)]
        shape = [
            (math.sin(t) ** 3, -(13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t)) / 16)
            for t in angles
        ]
    elif name == "cross":
        arm = 0.28
        shape = [
            (-arm, -1),
            (arm, -1),
            (arm, -arm),
            (1, -arm),
            (1, arm),
            (arm, arm),
            (arm, 1),
            (-arm, 1),
            (-arm, arm),
            (-1, arm),
        ]
        shape += [(-1, -arm), (-arm, -arm)]
    else:
        corners, first = {"triangle": (3, 0.0), "square": (4, math.pi / 4)}.get(name, (36, 0.0))
        shape = [
            (math.sin(first + 2 * math.pi * k / corners), -math.cos(first + 2 * math.pi * k / corners))
            for k in range(corners)
        ]
    return [(centre[0] + radius * x, centre[1] + radius * y) for x, y in shape]


Edge = tuple[tuple[float, float], tuple[float, float], bool]


def _edges(template: Template, thick_frame: bool) -> Iterator[Edge]:
    """Every printed edge once, thin ones first: start and end in mm, and whether it is a heavy one."""
    edges: dict[tuple[tuple[float, float], tuple[float, float]], bool] = {}
    if template.look.lines == "none":
        return
    for cell in template.cells:
        corners = [(point.x, point.y) for point in cell.polygon]
        heavy = _heavy_sides(template, cell, thick_frame)
        for index, start in enumerate(corners):
            end = corners[(index + 1) % len(corners)]
            key = (min(start, end), max(start, end))
            edges[key] = edges.get(key, False) or index in heavy
    for (start, end), heavy_edge in sorted(edges.items(), key=lambda item: (item[1], item[0])):
        yield start, end, heavy_edge


def _heavy_sides(template: Template, cell: Cell, thick_frame: bool) -> frozenset[int]:
    """Which sides of a cell (0 top, 1 right, 2 bottom, 3 left) are printed heavier."""
    grid = template.grid
    if grid is None or grid.heavy is None or not isinstance(cell.place, Square):
        return frozenset()
    row, col = cell.place.row, cell.place.col
    lines = {
        0: (row - 1, grid.heavy[1], grid.rows),
        1: (col, grid.heavy[0], grid.cols),
        2: (row, grid.heavy[1], grid.rows),
        3: (col - 1, grid.heavy[0], grid.cols),
    }
    return frozenset(
        side
        for side, (line, every, last) in lines.items()
        if line % every == 0 and (thick_frame or line not in (0, last))
    )


def _edge_line(edge: Edge, press: Press) -> Line:
    start, end, heavy = edge
    if heavy:
        return Line(start, end, press.heavy, max(press.line_darkness, 0.75))
    return Line(start, end, press.line, press.line_darkness)


def _rule(start: MmPoint, end: MmPoint, style: LineStyle, press: Press) -> Iterator[Line]:
    """The strokes of a rule in its style."""
    if style == "none":
        return
    a, b = np.array([start.x, start.y]), np.array([end.x, end.y])
    length = max(float(np.linalg.norm(b - a)), 1e-6)
    pieces = [(0.0, 1.0)]
    if style == "dashed":
        pieces = [(at / length, min(1.0, (at + DASH_MM) / length)) for at in np.arange(0, length, 2 * DASH_MM)]
    across = np.array([a[1] - b[1], b[0] - a[0]]) / length * press.line
    shifts = (-across, across) if style == "double" else (np.zeros(2),)
    width = press.heavy if style == "heavy" else press.line
    for first, last in pieces:
        for shift in shifts:
            one, two = a + first * (b - a) + shift, a + last * (b - a) + shift
            yield Line((one[0], one[1]), (two[0], two[1]), width, press.line_darkness)


def _page(canvas: Canvas, template: Template, press: Press, rng: np.random.Generator, ranges: Ranges) -> None:
    """A title above, some sentences below, and the other side's print shining through."""
    height = canvas.size[1]
    quad = template.mm_quad()
    left, top, right, bottom = quad[0].x, quad[0].y, quad[2].x, quad[2].y
    faint = between(rng, ranges.show_through)
    if faint > 0.01:
        for line in range(int((height - 8) / 5)):
            words = SENTENCES[int(rng.integers(len(SENTENCES)))]
            print_text(canvas, words, (-canvas.left + 5, -canvas.top + 8 + 5 * line), 2.0, faint, mirrored=True)
    title = TITLES[int(rng.integers(len(TITLES)))]
    print_text(
        canvas, title, (left + (0 if rng.random() < 0.6 else 18), top - between(rng, (2.5, 6.0))), 5.0, press.darkness
    )
    start = 2 * int(rng.integers(len(SENTENCES) // 2))
    for line in range(2):
        y = bottom + 6 + 4.2 * line
        if y < height - canvas.top - 3:
            print_text(canvas, SENTENCES[(start + line) % len(SENTENCES)], (left, y), 2.0, 0.9 * press.darkness)
    if rng.random() < 0.5:
        print_text(
            canvas, str(int(rng.integers(2, 90))), (right - 4, height - canvas.top - 3), 2.0, 0.9 * press.darkness
        )
