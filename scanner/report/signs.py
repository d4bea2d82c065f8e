"""The signs of the annotated picture: one for each kind of mark, told apart by shape as well as by colour."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from PIL import ImageDraw

from scanner.report.lettering import font
from scanner.results import Severity
from scanner.templates.model import Symbol

Color = tuple[int, int, int]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom in px."""
Sign = Literal[
    "illegal",
    "arithmetic",
    "doubt",
    "incomplete",
    "answered",
    "group",
    "line",
    "symbol",
    "hand",
    "print",
    "notes",
    "struck",
    "clear",
]

BLACK: Color = (0, 0, 0)
WHITE: Color = (255, 255, 255)
DARK: Color = (34, 34, 34)
GREY: Color = (95, 95, 95)
# Okabe and Ito, "Color Universal Design" (2008)
ORANGE: Color = (230, 159, 0)
GREEN: Color = (0, 158, 115)
BLUE: Color = (0, 114, 178)
SKY: Color = (86, 180, 233)
VERMILLION: Color = (213, 94, 0)
PURPLE: Color = (204, 121, 167)

SIGN_WORDS: Mapping[Sign, str] = {
    "illegal": "breaks a rule",
    "arithmetic": "wrong sum",
    "doubt": "not sure: please look",
    "incomplete": "still empty",
    "answered": "your answer",
    "group": "scores, with its points",
    "line": "joined, with its points",
    "symbol": "symbol that counted",
    "hand": "read, handwritten",
    "print": "read, printed",
    "notes": "pencil notes",
    "struck": "struck out",
    "clear": "all clear",
}
SEVERITY_SIGNS: Mapping[Severity, Sign] = {
    "illegal": "illegal",
    "arithmetic": "arithmetic",
    "incomplete": "incomplete",
    "doubt": "doubt",
}
BOLD = 0.03
"""The font has one weight; an outline of this part of the letters' height makes it heavy."""


def draw_sign(pen: ImageDraw.ImageDraw, sign: Sign, x: float, y: float, size: float) -> None:
    """Draws a sign into the square of `size` px whose top left is (x, y)."""
    thick = max(1, round(0.1 * size))
    box = (x, y, x + size, y + size)
    middle = (x + size / 2, y + size / 2)
    letters = font(round(0.8 * size))
    bold = BOLD * size
    if sign == "illegal":
        pen.rectangle(box, fill=WHITE, outline=VERMILLION, width=thick)
        pen.rectangle(
            (x + 1.7 * thick, y + 1.7 * thick, x + size - 1.7 * thick, y + size - 1.7 * thick), fill=VERMILLION
        )
        draw_cross(pen, x + 0.22 * size, y + 0.22 * size, 0.56 * size, WHITE)
    elif sign == "arithmetic":
        pen.rectangle(box, fill=PURPLE)
        draw_cross(pen, x + 0.2 * size, y + 0.05 * size, 0.6 * size, BLACK)
        for part in (0.74, 0.94):
            pen.line((x, y + part * size, x + size, y + part * size), fill=BLACK, width=thick)
    elif sign == "doubt":
        pen.rectangle(box, fill=ORANGE)
        _dashed_box(pen, box, DARK, thick)
        pen.text(middle, "?", BLACK, letters, anchor="mm", stroke_width=bold)
    elif sign == "incomplete":
        pen.rectangle(box, fill=(*WHITE, 200), outline=BLUE, width=thick)
    elif sign == "answered":
        pen.rectangle(box, fill=BLUE)
        _draw_tick(pen, x, y, size, WHITE)
    elif sign == "group":
        pen.rounded_rectangle(box, 0.2 * size, fill=WHITE, outline=GREEN, width=round(1.6 * thick))
        pen.rectangle((x + 0.45 * size, y + 0.45 * size, x + size - thick, y + size - thick), fill=GREEN)
    elif sign == "line":
        pen.rectangle((x, y + 0.44 * size, x + size, y + 0.56 * size), fill=BLUE)
        for left in (x, x + 0.58 * size):
            pen.ellipse(
                (left, y + 0.29 * size, left + 0.42 * size, y + 0.71 * size), fill=WHITE, outline=BLUE, width=thick
            )
    elif sign == "symbol":
        draw_symbol(pen, "star", x, y, size, GREEN)
    elif sign == "hand" or sign == "print":
        heavy = sign == "hand"
        pen.rounded_rectangle(box, 0.2 * size, fill=WHITE)
        pen.text(middle, "5", BLUE if heavy else GREY, letters, anchor="mm", stroke_width=bold if heavy else 0)
    elif sign == "notes":
        pen.rounded_rectangle((x, y + 0.3 * size, x + size, y + 0.7 * size), 0.2 * size, fill=(*WHITE, 200))
        for part in (0.2, 0.5, 0.8):
            cx, cy, r = x + part * size, y + size / 2, 0.1 * size
            pen.ellipse((cx - r, cy - r, cx + r, cy + r), fill=GREY)
    elif sign == "struck":
        pen.rounded_rectangle(box, 0.2 * size, fill=(*WHITE, 200))
        pen.line((x + 0.2 * size, y + 0.8 * size, x + 0.8 * size, y + 0.2 * size), fill=GREY, width=thick)
    elif sign == "clear":
        pen.ellipse(box, fill=GREEN)
        _draw_tick(pen, x, y, size, WHITE)


def draw_cross(pen: ImageDraw.ImageDraw, x: float, y: float, size: float, color: Color) -> None:
    """A cross; at a few px it is still one, where an exclamation mark beside a digit looks like a 1."""
    width = max(1, round(0.24 * size))
    pen.line((x, y, x + size, y + size), fill=color, width=width)
    pen.line((x, y + size, x + size, y), fill=color, width=width)


def draw_symbol(pen: ImageDraw.ImageDraw, symbol: Symbol, x: float, y: float, size: float, color: Color) -> None:
    """A disc of `size` px with the printed symbol in white: it is what counted."""
    pen.ellipse((x, y, x + size, y + size), fill=color, outline=WHITE, width=max(1, round(0.07 * size)))
    points = [(x + size * (0.5 + 0.36 * u), y + size * (0.5 + 0.36 * v)) for u, v in _SYMBOLS[symbol]]
    pen.polygon(points, fill=WHITE)


def _around(count: int, radii: tuple[float, ...], turn: float = -90.0) -> tuple[tuple[float, float], ...]:
    """Corners at equal angles around (0, 0), from the top, at the radii in turn."""
    angles = [math.radians(turn + 360 * k / count) for k in range(count)]
    return tuple(
        (radii[k % len(radii)] * math.cos(a), radii[k % len(radii)] * math.sin(a)) for k, a in enumerate(angles)
    )


_HEART = tuple(
    # the usual curve; its highest and lowest points are at 12 and -17
    (16 * math.sin(t) ** 3 / 16, -(13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t)) / 16)
    for t in (2 * math.pi * k / 32 for k in range(32))
)
_SYMBOLS: Mapping[Symbol, tuple[tuple[float, float], ...]] = {
    "star": _around(10, (1.15, 0.48)),
    "heart": _HEART,
    "circle": _around(24, (0.8,)),
    "square": _around(4, (1.0,), -45.0),
    "triangle": _around(3, (1.0,)),
    "cross": tuple(
        (u, v)
        for u, v in zip(
            (-0.3, 0.3, 0.3, 0.9, 0.9, 0.3, 0.3, -0.3, -0.3, -0.9, -0.9, -0.3),
            (-0.9, -0.9, -0.3, -0.3, 0.3, 0.3, 0.9, 0.9, 0.3, 0.3, -0.3, -0.3),
            strict=True,
        )
    ),
}


def _draw_tick(pen: ImageDraw.ImageDraw, x: float, y: float, size: float, color: Color) -> None:
    points = [(x + u * size, y + v * size) for u, v in ((0.24, 0.52), (0.43, 0.72), (0.77, 0.3))]
    pen.line(points, fill=color, width=max(1, round(0.12 * size)), joint="curve")


def _dashed_box(pen: ImageDraw.ImageDraw, box: Box, color: Color, width: int) -> None:
    """A broken frame, three dashes a side."""
    left, top, right, bottom = box
    for start in (0.0, 0.4, 0.8):
        x0, x1 = (left + (right - left) * t for t in (start, start + 0.2))
        y0, y1 = (top + (bottom - top) * t for t in (start, start + 0.2))
        for y in (top, bottom):
            pen.line((x0, y, x1, y), fill=color, width=width)
        for x in (left, right):
            pen.line((x, y0, x, y1), fill=color, width=width)
