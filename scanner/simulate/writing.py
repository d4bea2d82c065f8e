"""Handwriting on the flat sheet: digits, pencil notes, strokes through a digit, marks; one writer, one pen or two."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import cv2
import numpy as np

from scanner.geometry import FloatArray
from scanner.simulate.canvas import Canvas, Colour, FloatImage, smooth_noise
from scanner.simulate.hands import HandSource, InkImage
from scanner.simulate.marks import draw_mark
from scanner.simulate.outlines import extent, middle
from scanner.simulate.ranges import Ranges, between
from scanner.templates import Cell, Template

PenKind = Literal["ball", "pencil", "felt"]
Contents = Mapping[str, int | str | None]
"""What is written in which cell: a number, "x" for a mark, "candidates", "struck", or null for nothing."""

PENS: Mapping[str, tuple[PenKind, tuple[Colour, ...]]] = {
    "ball-blue": ("ball", ((0.10, 0.16, 0.50), (0.14, 0.22, 0.62), (0.08, 0.12, 0.38))),
    "ball-black": ("ball", ((0.12, 0.12, 0.15), (0.20, 0.19, 0.22))),
    "ball-red": ("ball", ((0.68, 0.12, 0.16), (0.58, 0.10, 0.12))),
    "pencil": ("pencil", ((0.30, 0.30, 0.33), (0.38, 0.38, 0.41))),
    "felt": ("felt", ((0.06, 0.06, 0.09), (0.05, 0.12, 0.45), (0.05, 0.32, 0.20))),
}
NOTE_PLACES = ((-0.30, -0.30), (0.0, -0.30), (0.30, -0.30), (-0.30, 0.0), (0.30, 0.0), (-0.30, 0.30), (0.30, 0.30))
WORK_PX = 96
"""Height at which a glyph's outline is worked on."""


@dataclass(frozen=True, slots=True)
class Pen:
    """colour: of full ink. width: of the stroke, mm. strength: darkness. rough: how much the paper's grain shows."""

    kind: PenKind
    colour: Colour
    width: float
    strength: float
    rough: float


@dataclass(frozen=True, slots=True)
class Habits:
    """One writer on one sheet; lengths are shares of a cell's shorter side, angles degrees."""

    pen: Pen
    notes: Pen
    height: float
    height_jitter: float
    slant: float
    slant_jitter: float
    offset: tuple[float, float]
    offset_jitter: float
    wobble: float
    stray_chance: float
    note_height: float


def choose_pen(name: str, scale: float, rng: np.random.Generator, ranges: Ranges) -> Pen:
    """A pen of PENS; `scale`: width of a cell / 10 mm, since people write with the same pen on small and large sheets.

    The width follows the cell by the root only: halfway between the pen's own width and the cell's.
    """
    kind, colours = PENS[name]
    spans = {"ball": ranges.ballpoint_width, "pencil": ranges.pencil_width, "felt": ranges.felt_width}
    shade = between(rng, (-0.03, 0.05))
    red, green, blue = (float(np.clip(channel + shade, 0, 1)) for channel in colours[int(rng.integers(len(colours)))])
    strength = {"ball": (0.80, 0.97), "pencil": (0.55, 0.88), "felt": (0.92, 0.99)}[kind]
    rough = {"ball": (0.05, 0.25), "pencil": (0.30, 0.65), "felt": (0.0, 0.06)}[kind]
    width = between(rng, spans[kind]) * math.sqrt(scale)
    return Pen(kind, (red, green, blue), width, between(rng, strength), between(rng, rough))


def choose_habits(side: float, rng: np.random.Generator, ranges: Ranges) -> Habits:
    """Draws a writer for cells of `side` mm."""
    pen = choose_pen(ranges.pens[int(rng.integers(len(ranges.pens)))], side / 10, rng, ranges)
    pencil = replace(choose_pen("pencil", side / 10, rng, ranges), width=min(0.4 * math.sqrt(side / 10), pen.width))
    return Habits(
        pen=pen,
        notes=pencil if rng.random() < 0.7 else replace(pen, width=0.8 * pen.width),
        height=between(rng, ranges.hand_height),
        height_jitter=between(rng, ranges.height_jitter),
        slant=between(rng, ranges.slant),
        slant_jitter=between(rng, ranges.slant_jitter),
        offset=(between(rng, ranges.offset), between(rng, ranges.offset)),
        offset_jitter=between(rng, ranges.offset_jitter),
        wobble=between(rng, ranges.wobble),
        stray_chance=ranges.stray_chance,
        note_height=between(rng, ranges.note_height),
    )


def write(
    canvas: Canvas,
    template: Template,
    contents: Contents,
    notes: Mapping[str, Sequence[int]],
    hand: HandSource,
    habits: Habits,
    rng: np.random.Generator,
    marks: Sequence[str] = ("cross",),
) -> None:
    """Writes all contents. notes: digits of cells with "candidates"; two or three at random where absent.

    marks: how marks are made (`scanner.simulate.marks`), by chance.
    """
    scribe = Scribe(canvas, hand, habits, rng, marks)
    for cell_id, value in contents.items():
        cell = template.cell(cell_id)
        if isinstance(value, int):
            scribe.number(cell, value)
        elif value == "candidates":
            low, high = cell.values or (1, 9)
            count = int(rng.integers(2, 4))
            drawn = sorted(
                int(n) for n in rng.choice(np.arange(low, high + 1), size=min(count, high - low + 1), replace=False)
            )
            scribe.notes(cell, notes.get(cell_id, drawn))
        elif value == "struck":
            low, high = cell.values or (1, 9)
            scribe.number(cell, int(rng.integers(low, high + 1)))
            scribe.stroke(cell)
        elif value == "x":
            scribe.mark(cell)
        elif value is not None:
            raise ValueError(f"{cell_id}: can't write {value!r}; use a number, x, candidates, struck or null")


@dataclass(frozen=True)
class Scribe:
    """A hand with its habits at work on a sheet."""

    canvas: Canvas
    hand: HandSource
    habits: Habits
    rng: np.random.Generator
    marks: Sequence[str] = ("cross",)

    def number(self, cell: Cell, value: int) -> None:
        """A number, figure by figure, moved and sized as a hand does."""
        habits, rng = self.habits, self.rng
        width, height = extent(cell)
        side = min(width, height)
        figures = str(abs(value))
        tall = side * habits.height * float(np.exp(rng.normal(0, habits.height_jitter)))
        x, y = middle(cell)
        x += side * (habits.offset[0] + float(rng.normal(0, habits.offset_jitter)))
        y += side * (habits.offset[1] + float(rng.normal(0, habits.offset_jitter)))
        if rng.random() < habits.stray_chance:
            tall *= between(rng, (1.15, 1.35))
            x += side * between(rng, (-0.15, 0.15))
            y += side * between(rng, (-0.12, 0.12))
        step = 0.62 * tall
        count = len(figures) + (value < 0)
        at = x - step * (count - 1) / 2
        if value < 0:
            self.line([(at - 0.22 * tall, y), (at + 0.22 * tall, y + 0.02 * tall)], habits.pen)
            at += step
        for figure in figures:
            self.figure(int(figure), (at, y + float(rng.normal(0, 0.03)) * tall), tall, habits.pen)
            at += step

    def notes(self, cell: Cell, digits: Sequence[int]) -> None:
        """Small digits along the edge or in the corners of a cell."""
        habits, rng = self.habits, self.rng
        side = min(extent(cell))
        tall = habits.note_height * side
        x, y = middle(cell)
        if rng.random() < 0.6 and len(digits) <= 4:
            first = -0.5 * 0.85 * tall * (len(digits) - 1) - 0.08 * side
            row = -0.30 if rng.random() < 0.8 else 0.3
            places = [(first + 0.85 * tall * k, row * side) for k in range(len(digits))]
        else:
            chosen = sorted(int(n) for n in rng.permutation(len(NOTE_PLACES))[: len(digits)])
            places = [(NOTE_PLACES[k][0] * side, NOTE_PLACES[k][1] * side) for k in chosen]
        for digit, (dx, dy) in zip(digits, places, strict=False):
            here = (x + dx + float(rng.normal(0, 0.02)) * side, y + dy + float(rng.normal(0, 0.02)) * side)
            self.figure(digit, here, tall * float(np.exp(rng.normal(0, 0.08))), habits.notes)

    def stroke(self, cell: Cell) -> None:
        """A stroke through what is written."""
        side = min(extent(cell))
        x, y = middle(cell)
        lean = between(self.rng, (0.25, 0.42))
        a = (x - lean * side, y + between(self.rng, (0.15, 0.42)) * side)
        b = (x + lean * side, y - between(self.rng, (0.15, 0.42)) * side)
        self.line([a, b], self.habits.pen)

    def mark(self, cell: Cell) -> None:
        """A mark in one of the ways that `Ranges.marks` names."""
        draw_mark(self, cell, self.marks[int(self.rng.integers(len(self.marks)))])

    def figure(self, digit: int, centre: tuple[float, float], tall: float, pen: Pen) -> None:
        """One digit, `tall` mm high, around a point in mm."""
        self.shape(self.hand.glyph(digit, self.rng), centre, tall, pen)

    def shape(self, ink: InkImage, centre: tuple[float, float], tall: float, pen: Pen) -> None:
        """A shape of the hand, its longer side `tall` mm, around a point in mm."""
        habits, rng = self.habits, self.rng
        per_mm = self.canvas.per_mm
        glyph = _at_work_size(ink)
        scale = tall * per_mm / WORK_PX
        shape = _with_width(glyph, pen.width * per_mm / scale * float(np.exp(rng.normal(0, 0.06))))
        slant = math.tan(math.radians(habits.slant + float(rng.normal(0, habits.slant_jitter))))
        turn = math.radians(float(rng.normal(0, 0.6 * habits.slant_jitter)))
        wide = float(np.exp(rng.normal(0, 0.05)))
        linear = scale * np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
        linear = linear @ np.array([[wide, -slant], [0.0, 1.0]])
        half_height, half_width = shape.shape[0] / 2, shape.shape[1] / 2
        reach = math.ceil(float(np.abs(linear).sum(axis=1).max()) * max(half_height, half_width)) + 3
        at = self.canvas.px([centre])[0]
        x0, y0 = math.floor(at[0]) - reach, math.floor(at[1]) - reach
        size = 2 * reach + 1
        inverse = np.linalg.inv(linear)
        xs, ys = np.meshgrid(np.arange(size) + x0 - at[0], np.arange(size) + y0 - at[1])
        away = habits.wobble * WORK_PX
        map_x = inverse[0, 0] * xs + inverse[0, 1] * ys + half_width - 0.5 + away * smooth_noise(rng, size, size, 3)
        map_y = inverse[1, 0] * xs + inverse[1, 1] * ys + half_height - 0.5 + away * smooth_noise(rng, size, size, 3)
        drawn = cv2.remap(shape, map_x.astype(np.float32), map_y.astype(np.float32), cv2.INTER_LINEAR)
        self.ink(np.asarray(drawn, dtype=np.float32), x0, y0, pen)

    def line(self, points: list[tuple[float, float]], pen: Pen) -> None:
        """A stroke through points in mm, a little bowed."""
        a, b = np.array(points[0]), np.array(points[-1])
        length = float(np.linalg.norm(b - a))
        t = np.linspace(0, 1, 12)[:, None]
        across = np.array([a[1] - b[1], b[0] - a[0]]) / max(length, 1e-9)
        bowed = a + t * (b - a) + across * (4 * t * (1 - t)) * float(self.rng.normal(0, 0.03)) * length
        self.path(np.asarray(bowed, dtype=np.float64), pen)

    def path(self, points: FloatArray, pen: Pen) -> None:
        """A stroke along points in mm [n, 2]."""
        px = self.canvas.px(points)
        low = np.floor(px.min(axis=0)).astype(int) - 8
        high = np.ceil(px.max(axis=0)).astype(int) + 9
        mask = np.zeros((int(high[1] - low[1]), int(high[0] - low[0])), dtype=np.uint8)
        thick = max(1, round(pen.width * self.canvas.per_mm))
        fixed = np.round((px - low) * 16).astype(np.int32).reshape(-1, 1, 2)
        cv2.polylines(mask, [fixed], False, (255,), thick, cv2.LINE_AA, 4)
        self.ink(mask.astype(np.float32) / np.float32(255), int(low[0]), int(low[1]), pen)

    def ink(self, density: FloatImage, x0: int, y0: int, pen: Pen) -> None:
        """Density 0 to 1 with what the pen makes of it: pressure along the stroke, and the paper's grain."""
        rng = self.rng
        height, width = density.shape
        pressure = 1 + 0.12 * smooth_noise(rng, height, width, 4)
        if pen.rough > 0.01:
            noise = rng.normal(0, 1, (height, width)).astype(np.float32)
            # The factor makes up for what the blur takes from the spread.
            grain = cv2.GaussianBlur(noise, (0, 0), 0.09 * self.canvas.per_mm) * (0.28 * self.canvas.per_mm)
            pressure = pressure - pen.rough * np.clip(0.5 * grain + 0.25, 0, 1)
        self.canvas.stamp(
            (np.clip(density * pressure, 0, 1) * np.float32(pen.strength)).astype(np.float32), x0, y0, pen.colour
        )


def _at_work_size(glyph: InkImage) -> InkImage:
    """The glyph WORK_PX high (wide, if it is wider than high), with a rim that thicker strokes may grow into."""
    scale = WORK_PX / max(glyph.shape)
    size = (max(1, round(glyph.shape[1] * scale)), max(1, round(glyph.shape[0] * scale)))
    body = cv2.resize(glyph, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC)
    if scale > 1.2:  # a stored glyph is small: without this its enlarged edge shows the steps of its pixels
        body = cv2.GaussianBlur(body, (0, 0), 0.6 * scale)
    return np.asarray(np.pad(body, WORK_PX // 4), dtype=np.uint8)


def _with_width(glyph: InkImage, width: float) -> FloatImage:
    """The same shape with strokes about `width` px wide: the outline is moved inwards or outwards."""
    inside = (glyph >= 128).astype(np.uint8)
    within = cv2.distanceTransform(inside, cv2.DIST_L2, 5)
    outside = cv2.distanceTransform(1 - inside, cv2.DIST_L2, 5)
    # Where the distance to the outline is greatest across the stroke, it is half the stroke's width.
    ridge = within[(within > 0) & (within >= cv2.dilate(within, np.ones((3, 3), np.uint8)) - 0.01)]
    half = float(np.median(ridge)) if ridge.size else 1.0
    signed = cv2.GaussianBlur(np.asarray(within - outside, dtype=np.float32), (0, 0), 1.0)
    # Thinning stops before the thin parts of the shape break.
    move = max(width / 2 - half, -0.6 * half)
    return np.asarray(np.clip(0.5 + (signed + move) / 1.6, 0, 1), dtype=np.float32)
