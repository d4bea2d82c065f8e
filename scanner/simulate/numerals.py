"""Numbers of one to three digits on the flat sheet, as people write them into the narrow cells of score tables."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from PIL import ImageFont

from scanner.simulate.canvas import Canvas
from scanner.simulate.hands import FONT_PX, HandSource, InkImage, letters
from scanner.simulate.outlines import extent, middle
from scanner.simulate.ranges import Ranges, Span, between
from scanner.simulate.writing import Habits, Pen, Scribe, choose_pen
from scanner.templates import Cell

Manner = Literal["plain", "slid", "corrected", "overwritten", "dash", "slash", "crossed"]
"""How a number comes into its cell. The last three write nothing ("struck"): a dash, a slash, or a number that is
struck out with none beside it."""

OneStyle = Literal["hand", "bar", "flag"]
"""A writer's 1: the hand's own shape, a bare bar, or one with a long upstroke."""


Point = tuple[float, float]
"""mm on the sheet."""

WIDEST_PEN = 0.13
"""Of a cell's height: nobody fills in a score card with a broad marker."""
BAR_WIDTH = 0.10
SLIDES_DOWN = 0.7
OVERFULL = 0.2


@dataclass(frozen=True, slots=True)
class NumeralRanges:
    """What numbers in score tables are drawn from. Lengths are shares of a cell's height, chances 0 to 1."""

    height: Span = (0.45, 0.84)  # one writer's mean height of a digit
    height_jitter: Span = (0.03, 0.12)
    gap: Span = (-0.05, 0.18)  # of the digit's height, between the ink of two digits: below 0 they touch
    gap_jitter: Span = (0.02, 0.07)
    slope: Span = (-0.10, 0.10)  # how much higher the next digit stands, of the digit's height
    slant: Span = (-10.0, 22.0)  # degrees
    slant_jitter: Span = (1.5, 5.5)
    offset: Span = (-0.10, 0.10)
    offset_jitter: Span = (0.03, 0.09)
    wobble: Span = (0.010, 0.035)
    slide: Span = (0.15, 0.30)  # how far a number slides over the border into the next row
    bar_chance: float = 0.25  # a writer whose 1 is a bare bar
    flag_chance: float = 0.35  # a writer whose 1 has a long upstroke
    pens: tuple[str, ...] = ("ball-blue", "ball-blue", "ball-black", "ball-red", "pencil", "pencil", "pencil", "felt")
    red_felt_chance: float = 0.07  # instead of these
    pen_mm: Span = (0.8, 1.25)  # factor on the pen's width: cells are small and people write with any pen


@dataclass(frozen=True, slots=True)
class NumeralHabits:
    """One writer of numbers: the hand's own habits and what concerns whole numbers; lengths as in `NumeralRanges`."""

    hand: Habits
    gap: float
    gap_jitter: float
    slope: float
    one: OneStyle
    flag: tuple[float, float]
    minus: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Numeral:
    """What somebody writes into a cell: a value (null for nothing that counts) and in which manner.

    wrong: what was there before it was corrected or overwritten, or what is crossed out.
    """

    value: int | None
    manner: Manner = "plain"
    wrong: int = 0


def choose_numeral_habits(
    cell_height: float, rng: np.random.Generator, ranges: NumeralRanges, *, pen: str | None = None
) -> NumeralHabits:
    """Draws a writer for cells `cell_height` mm high. pen: of `scanner.simulate.writing.PENS`; any by default."""
    drawn = choose_pen_for(cell_height, rng, ranges, pen)
    hand = Habits(
        pen=drawn,
        notes=drawn,
        height=between(rng, ranges.height),
        height_jitter=between(rng, ranges.height_jitter),
        slant=between(rng, ranges.slant),
        slant_jitter=between(rng, ranges.slant_jitter),
        offset=(between(rng, ranges.offset), between(rng, ranges.offset)),
        offset_jitter=between(rng, ranges.offset_jitter),
        wobble=between(rng, ranges.wobble),
        stray_chance=0.0,
        note_height=0.3,
    )
    kind = rng.random()
    one: OneStyle = "hand"
    if kind < ranges.bar_chance:
        one = "bar"
    elif kind < ranges.bar_chance + ranges.flag_chance:
        one = "flag"
    return NumeralHabits(
        hand=hand,
        gap=between(rng, ranges.gap),
        gap_jitter=between(rng, ranges.gap_jitter),
        slope=between(rng, ranges.slope),
        one=one,
        flag=(between(rng, (0.28, 0.62)), between(rng, (0.25, 0.75))),
        minus=(between(rng, (0.28, 0.60)), between(rng, (0.08, 0.28))),
    )


def choose_pen_for(cell_height: float, rng: np.random.Generator, ranges: NumeralRanges, name: str | None) -> Pen:
    """A pen as the player has it: its width hardly goes by the size of the cells."""
    chosen = name or ranges.pens[int(rng.integers(len(ranges.pens)))]
    red = name is None and rng.random() < ranges.red_felt_chance
    pen = choose_pen("felt" if red else chosen, 0.7 + 0.03 * cell_height, rng, Ranges())
    if red:
        pen = replace(pen, colour=(between(rng, (0.62, 0.85)), between(rng, (0.05, 0.2)), between(rng, (0.08, 0.25))))
    return replace(pen, width=min(WIDEST_PEN * cell_height, pen.width * between(rng, ranges.pen_mm)))


class NumberScribe:
    """A writer of numbers at work on a sheet."""

    def __init__(
        self,
        canvas: Canvas,
        hand: HandSource,
        habits: NumeralHabits,
        rng: np.random.Generator,
        ranges: NumeralRanges | None = None,
    ) -> None:
        self._scribe = Scribe(canvas, hand, habits.hand, rng)
        self._habits = habits
        self._rng = rng
        self._ranges = ranges or NumeralRanges()

    def write(self, cell: Cell, numeral: Numeral) -> None:
        """Writes into a cell; a numeral without a value whose manner is plain writes nothing."""
        rng, habits = self._rng, self._habits
        width, height = extent(cell)
        x, y = middle(cell)
        # Where people write doesn't grow with the cell without end: in a high cell they write small.
        unit = min(height, 0.9 * width)
        tall = unit * habits.hand.height * float(np.exp(rng.normal(0, habits.hand.height_jitter)))
        x += unit * (habits.hand.offset[0] + float(rng.normal(0, habits.hand.offset_jitter)))
        y += unit * (habits.hand.offset[1] + float(rng.normal(0, habits.hand.offset_jitter)))
        match numeral.manner:
            case "dash":
                self._dash((x, y), unit)
            case "slash":
                self._slash((x, y), unit, width)
            case "crossed":
                box = self._number(numeral.wrong, (x, y), tall, width)
                self._strike(box, tall)
            case "corrected":
                self._corrected(numeral, (x, y), tall, width)
            case "overwritten":
                self._overwritten(numeral, (x, y), tall, width)
            case "slid" | "plain":
                if numeral.manner == "slid":
                    y += unit * between(rng, self._ranges.slide) * (1 if rng.random() < SLIDES_DOWN else -1)
                if numeral.value is not None:
                    self._number(numeral.value, (x, y), tall, width)

    def name(self, cell: Cell, text: str) -> None:
        """A name, in letters that wobble and lean as this writer's digits do; their shapes are Pillow's own."""
        width, height = extent(cell)
        ink = letters(text, ImageFont.load_default(FONT_PX))
        wide = min(0.85 * width, 0.6 * height * ink.shape[1] / ink.shape[0])
        self._scribe.shape(ink, middle(cell), wide, self._habits.hand.pen)

    def _number(
        self, value: int, centre: Point, tall: float, room: float, pen: Pen | None = None
    ) -> tuple[Point, Point]:
        """A number around a point; gives the ends of its middle line. room: width of its cell, mm."""
        habits, rng = self._habits, self._rng
        figures = [self._figure(int(letter)) for letter in str(abs(value))]
        gaps = [habits.gap + float(rng.normal(0, habits.gap_jitter)) for _ in figures]
        minus, behind = (habits.minus[0], habits.minus[1]) if value < 0 else (0.0, 0.0)
        share = sum(figure.width for figure in figures) + sum(gaps[1:]) + minus + behind
        # Most people write narrower where there is no room, some go on into the next column.
        most = room * (1.12 if rng.random() < OVERFULL else 0.94)
        tall = min(tall, most / max(share, 0.1))
        pen = pen or habits.hand.pen
        at, y = centre[0] - share * tall / 2, centre[1]
        left = at
        if value < 0:
            low = y + float(rng.normal(0, 0.06)) * tall
            self._scribe.line([(at, low), (at + minus * tall, low + float(rng.normal(0, 0.05)) * tall)], pen)
            at += (minus + behind) * tall
        for number, figure in enumerate(figures):
            if number:
                at += gaps[number] * tall
            up = habits.slope * (number - (len(figures) - 1) / 2) * tall
            spot = (at + figure.width * tall / 2, y - up + float(rng.normal(0, 0.04)) * tall)
            high = tall * float(np.exp(rng.normal(0, 0.06)))
            if figure.ink is None:
                self._one(spot, high, pen)
            else:
                self._scribe.shape(figure.ink, spot, high, pen)
            at += figure.width * tall
        return (left, y), (at, y)

    def _figure(self, digit: int) -> _Figure:
        if digit == 1 and self._habits.one != "hand":
            return _Figure(None, BAR_WIDTH if self._habits.one == "bar" else self._habits.flag[0])
        ink = self._scribe.hand.glyph(digit, self._rng)
        return _Figure(ink, min(1.0, ink.shape[1] / max(ink.shape[0], 1)))

    def _one(self, spot: Point, tall: float, pen: Pen) -> None:
        """A 1 drawn with one or two strokes."""
        rng, habits = self._rng, self._habits
        lean = math.tan(math.radians(habits.hand.slant + float(rng.normal(0, habits.hand.slant_jitter))))
        wide = habits.flag[0] if habits.one == "flag" else 0.0
        foot = (spot[0] + wide * tall / 2 - lean * tall / 2, spot[1] + tall / 2)
        top = (spot[0] + wide * tall / 2 + lean * tall / 2, spot[1] - tall / 2)
        if habits.one == "flag":
            low = habits.flag[1] * tall * float(np.exp(rng.normal(0, 0.15)))
            self._scribe.line([(top[0] - wide * tall, top[1] + low), top], pen)
        self._scribe.line([top, foot], pen)

    def _corrected(self, numeral: Numeral, centre: Point, tall: float, room: float) -> None:
        """The wrong number struck out, the right one beside it, both smaller than usual."""
        rng = self._rng
        small = tall * between(rng, (0.62, 0.85))
        half = room * between(rng, (0.22, 0.27))
        ends = self._number(numeral.wrong, (centre[0] - half, centre[1]), small, 0.52 * room)
        self._strike(ends, small)
        if numeral.value is not None:
            self._number(numeral.value, (centre[0] + half, centre[1]), small, 0.52 * room)

    def _overwritten(self, numeral: Numeral, centre: Point, tall: float, room: float) -> None:
        """The right number written over the wrong one, with more pressure."""
        self._number(numeral.wrong, centre, tall, room)
        pen = self._habits.hand.pen
        firm = replace(
            pen, width=pen.width * between(self._rng, (1.25, 1.8)), strength=min(0.99, pen.strength * 1.15), rough=0.0
        )
        if numeral.value is not None:
            self._number(numeral.value, centre, tall * 1.03, room, firm)

    def _strike(self, ends: tuple[Point, Point], tall: float) -> None:
        """Takes a number back: by one or two lines, a cross, or a scrawl."""
        rng, pen = self._rng, self._habits.hand.pen
        (left, y), (right, _) = ends
        over = between(rng, (0.05, 0.3)) * tall
        a, b = left - over, right + over
        kind = rng.random()
        tilt = between(rng, (-0.25, 0.45)) * tall
        if kind < 0.5:
            lines = 1 if rng.random() < 0.6 else 2
            for line in range(lines):
                low = y + (line - (lines - 1) / 2) * 0.22 * tall + float(rng.normal(0, 0.05)) * tall
                self._scribe.line([(a, low + tilt), (b, low - tilt)], pen)
        elif kind < 0.75:
            high = between(rng, (0.35, 0.6)) * tall
            self._scribe.line([(a, y - high), (b, y + high)], pen)
            self._scribe.line([(a, y + high), (b, y - high)], pen)
        else:
            turns = int(rng.integers(5, 11))
            high = between(rng, (0.25, 0.5)) * tall
            xs = np.linspace(a, b, turns)
            points = [(float(x), y + (high if k % 2 else -high) * between(rng, (0.7, 1.1))) for k, x in enumerate(xs)]
            for start, end in itertools.pairwise(points):
                self._scribe.line([start, end], pen)

    def _dash(self, centre: Point, unit: float) -> None:
        rng = self._rng
        half = unit * between(rng, (0.2, 0.55))
        tilt = unit * float(rng.normal(0, 0.05))
        x, y = centre
        for _ in range(2 if rng.random() < 0.12 else 1):
            self._scribe.line([(x - half, y + tilt), (x + half, y - tilt)], self._habits.hand.pen)
            y += unit * between(rng, (0.1, 0.25))

    def _slash(self, centre: Point, unit: float, width: float) -> None:
        """A stroke from corner to corner or so: never as steep and short as a 1."""
        rng = self._rng
        across = min(0.5 * width, unit * between(rng, (0.45, 0.9)))
        up = min(unit * between(rng, (0.3, 0.55)), 1.1 * across)
        x, y = centre
        pen = self._habits.hand.pen
        falling = rng.random() < 0.2
        if not falling or rng.random() < 0.5:
            self._scribe.line([(x - across, y + up), (x + across, y - up)], pen)
        if falling:
            self._scribe.line([(x - across, y - up), (x + across, y + up)], pen)


@dataclass(frozen=True, slots=True)
class _Figure:
    """A digit to be written. ink: null for a 1 that is drawn; width: of its height."""

    ink: InkImage | None
    width: float
