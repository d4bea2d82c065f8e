"""Photos of filled hex sheets whose place is known exactly, for the tests of locating, cutting and reading."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from scanner.geometry import FloatArray
from scanner.intake import Photo
from scanner.simulate import FilledSheet, Ranges, built_in_print
from scanner.simulate.canvas import Canvas
from scanner.simulate.hexes import bold_print
from scanner.simulate.sheet import Streams, filled_in
from scanner.templates import Template, get_template

PER_MM = 5.0
FRONT, BACK = get_template("hexroller-front"), get_template("hexroller-back")
CALM = Ranges(pens=("ball-black",), stray_chance=0.0, offset_jitter=(0.0, 0.02), plain_chance=0.0, tone=(1.0, 1.0))
PLAIN = Ranges(pens=("ball-black",), stray_chance=0.0, offset_jitter=(0.0, 0.02), plain_chance=1.0)
Contents = Mapping[str, int | str | None]


@dataclass(frozen=True, eq=False)
class Laid:
    """A sheet on a table. photo: uint8. truth: maps mm of the sheet [n, 2] to px of the photo."""

    photo: Photo
    template: Template
    turn: FloatArray
    bend: float

    def truth(self, points_mm: FloatArray) -> FloatArray:
        """Where points on the sheet lie."""
        return _bent(_mapped(self.turn, points_mm * PER_MM - 0.5), self.bend, inverse=True)


def _mapped(matrix: FloatArray, points: FloatArray) -> FloatArray:
    out = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return np.asarray(out[:, :2] / out[:, 2:], dtype=np.float64)


def _bent(points: FloatArray, bend: float, *, inverse: bool) -> FloatArray:
    """Points shifted up or down along a smooth wave across the photo, as curled paper shifts them."""
    wave = bend * np.sin(points[:, 0] / 1000 * 2 * math.pi)
    return np.column_stack([points[:, 0], points[:, 1] + (wave if inverse else -wave)])


def hand_written(template: Template, seed: int = 1) -> dict[str, int | str | None]:
    """Something in every second cell."""
    rng = np.random.default_rng(seed)
    found: dict[str, int | str | None] = {}
    for number, cell in enumerate(template.cells):
        if cell.printed is None and cell.kind == "digit":
            low, high = cell.values or (3, 8)
            found[cell.id] = int(rng.integers(low, high + 1)) if number % 2 else None
    return found


@lru_cache(maxsize=8)
def flat_sheet(template: Template, plain: bool = False, empty: bool = False) -> Canvas:
    """The sheet from straight above, filled in by the built-in typeface (with `hand_written` unless empty)."""
    contents = {} if empty else hand_written(template)
    return drawn(template, contents, plain=plain)


def drawn(template: Template, contents: Contents, *, plain: bool = False, seed: int = 3) -> Canvas:
    """A flat sheet with these contents."""
    sheet = FilledSheet(template, contents, built_in_print(), typeface=bold_print())
    streams = Streams(*np.random.default_rng(seed).spawn(5))
    return filled_in(sheet, PER_MM, streams, PLAIN if plain else CALM)


def laid(
    canvas: Canvas,
    template: Template,
    degrees: float = 0.0,
    *,
    tilt: float = 0.0,
    bend: float = 0.0,
    noise: float = 3.0,
) -> Laid:
    """A photo of 1,200 x 1,200 px of a flat sheet, turned clockwise. tilt: perspective; bend: px of a wave."""
    high, wide = canvas.rgb.shape[:2]
    angle = math.radians(degrees)
    scale = 0.86 * 1200 / math.hypot(wide, high)
    turn = scale * np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    shift = np.array([600, 600]) - turn @ np.array([wide / 2, high / 2])
    matrix = np.vstack([np.column_stack([turn, shift]), [0.0, 0.0, 1.0]])
    lean = np.array([[1, 0, 0], [0, 1, 0], [0, tilt * 1e-4, 1 - 600 * tilt * 1e-4]], dtype=np.float64)
    matrix = np.asarray(lean @ matrix, dtype=np.float64)
    y, x = np.mgrid[:1200, :1200].astype(np.float64)
    source = _mapped(np.linalg.inv(matrix), _bent(np.column_stack([x.ravel(), y.ravel()]), bend, inverse=False))
    maps = [side.reshape(1200, 1200).astype(np.float32) for side in source.T]
    table = (0.42, 0.36, 0.30)
    soft = cv2.GaussianBlur(canvas.rgb, (0, 0), 0.5)
    photo = cv2.remap(soft, maps[0], maps[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=table)
    grain = np.random.default_rng(1).normal(0, noise, photo.shape)
    rgb = np.clip(photo * 255 + grain, 0, 255).astype(np.uint8)
    return Laid(Photo("laid", 1, rgb, (1200, 1200)), template, matrix, bend)
