"""Printed letters and digits on the flat sheet."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
from PIL import ImageFont

from scanner.report.lettering import plain
from scanner.simulate.canvas import Canvas, Colour
from scanner.simulate.hands import InkImage, letters

INK_BLACK: Colour = (0.10, 0.10, 0.12)
CAPITAL = 0.7
"""Height of the built-in typeface's capitals, em."""


def print_text(
    canvas: Canvas,
    text: str,
    at: tuple[float, float],
    height: float,
    darkness: float,
    *,
    turn: int = 0,
    mirrored: bool = False,
    colour: Colour = INK_BLACK,
) -> None:
    """A line of printed text; at: left end of its base line, mm. height: of a capital, mm. turn: degrees clockwise.

    Accents are dropped: the typeface has none.
    """
    text = plain(text)
    if not text.strip():
        return
    font = ImageFont.load_default(max(6.0, height * canvas.per_mm / CAPITAL))
    left, top, right, bottom = font.getbbox(text, anchor="ls")
    ink = letters(text, font)
    if mirrored:
        ink = ink[:, ::-1]
    from_start = np.array([(left + right) / 2, (top + bottom) / 2])
    angle = math.radians(turn)
    turned = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]) @ from_start
    ink = np.ascontiguousarray(np.rot90(ink, -turn // 90 % 4))
    centre = canvas.px([at])[0] + turned
    _put(canvas, ink, (float(centre[0]), float(centre[1])), 1.0, darkness, colour)


def print_number(
    canvas: Canvas, figures: Sequence[InkImage], centre: tuple[float, float], height: float, darkness: float
) -> None:
    """Figures side by side, around a point in mm; height: of the tallest, mm."""
    scale = height * canvas.per_mm / max(figure.shape[0] for figure in figures)
    gap = 0.12 * height * canvas.per_mm
    total = sum(figure.shape[1] * scale for figure in figures) + gap * (len(figures) - 1)
    x, y = (float(v) for v in canvas.px([centre])[0])
    at = x - total / 2
    for figure in figures:
        wide = figure.shape[1] * scale
        _put(canvas, figure, (at + wide / 2, y), scale, darkness, INK_BLACK)
        at += wide + gap


def _put(
    canvas: Canvas, ink: InkImage, centre: tuple[float, float], scale: float, darkness: float, colour: Colour
) -> None:
    height, width = ink.shape
    x0, y0 = math.floor(centre[0] - width * scale / 2) - 2, math.floor(centre[1] - height * scale / 2) - 2
    size = (math.ceil(width * scale) + 5, math.ceil(height * scale) + 5)
    shift = np.array([centre[0] - x0 - scale * (width - 1) / 2, centre[1] - y0 - scale * (height - 1) / 2])
    matrix = np.array([[scale, 0, shift[0]], [0, scale, shift[1]]], dtype=np.float64)
    soft = ink if scale > 0.7 else cv2.GaussianBlur(ink, (0, 0), 0.4 / scale)
    drawn = cv2.warpAffine(soft, matrix, size, flags=cv2.INTER_LINEAR)
    canvas.cover(np.asarray(drawn, dtype=np.float32) * np.float32(darkness / 255), x0, y0, colour)
