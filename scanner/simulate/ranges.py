"""Every range that a generated photo is drawn from, in one place: written down before any training on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Span = tuple[float, float]
"""Lowest and highest value, drawn evenly between them."""


@dataclass(frozen=True, slots=True)
class Ranges:
    """Lengths are mm on the sheet, shares of a cell's shorter side ("cells"), or shares of the photo ("of the side").

    Chances are 0 to 1. Grey levels and brightness are 0 (black) to 1 (white).
    """

    # Paper and print
    margin: Span = (6.0, 30.0)  # mm of paper around a sheet whose surroundings differ (Sudokus); pads: their own edge
    paper_grey: Span = (0.80, 0.98)  # newsprint to copying paper
    paper_warmth: Span = (-0.01, 0.06)  # how much less blue than red
    grain: Span = (0.004, 0.016)  # standard deviation of the paper's own pattern
    show_through: Span = (0.0, 0.05)  # darkness of the other side's print
    line: Span = (0.016, 0.035)  # cells, width of a thin line
    heavy: Span = (2.0, 3.5)  # times the thin line
    line_darkness: Span = (0.45, 0.95)
    print_darkness: Span = (0.70, 0.95)
    print_height: Span = (0.45, 0.62)  # cells, printed digits
    tone: Span = (0.85, 1.12)  # factor on each channel of coloured print
    plain_chance: float = 0.3  # a coloured pad printed in black on white
    # Handwriting
    hand_height: Span = (0.50, 0.78)  # cells; one writer's mean
    height_jitter: Span = (0.04, 0.12)  # spread between digits of one writer, share of the height
    slant: Span = (-8.0, 14.0)  # degrees, one writer's mean; positive leans to the right
    slant_jitter: Span = (1.5, 5.0)  # degrees
    offset: Span = (-0.07, 0.07)  # cells, where this writer's digits sit
    offset_jitter: Span = (0.03, 0.10)  # cells
    wobble: Span = (0.010, 0.035)  # of the digit's height: how far strokes stray from the hand's own shape
    stray_chance: float = 0.06  # a digit larger and beside its place, so that it crosses the cell's border
    note_height: Span = (0.20, 0.32)  # cells, pencil notes
    marks: tuple[str, ...] = ("cross", "cross", "struck", "tick", "scribble", "circle")  # how boxes are marked
    # Pens: width in mm, where a cell is 10 mm wide
    ballpoint_width: Span = (0.35, 0.65)
    pencil_width: Span = (0.35, 0.70)
    felt_width: Span = (0.75, 1.25)
    pens: tuple[str, ...] = ("ball-blue", "ball-blue", "ball-black", "ball-red", "pencil", "pencil", "felt")
    # Camera
    tilt: Span = (0.0, 35.0)  # degrees from straight above
    roll: Span = (-9.0, 9.0)  # degrees
    focal: Span = (0.7, 1.0)  # of the long side
    fill: Span = (0.55, 0.92)  # share of the photo that the lattice (the whole paper) takes, along the tighter side
    whole_chance: float = 0.6  # the whole paper is in the photo, not just the lattice, where the pad ends with it
    # Several sheets on one table
    apart: Span = (6.0, 40.0)  # mm between the rectangles around two sheets that lie side by side
    turn: Span = (-20.0, 20.0)  # degrees, of each sheet on the table
    across_chance: float = 0.25  # a sheet that lies the other way round, as somebody opposite sees it
    behind_chance: float = 0.4  # two sheets one behind the other rather than side by side
    table_fill: Span = (0.85, 0.96)  # share of the photo that all sheets together take
    aim: Span = (-0.08, 0.08)  # of the side, middle of the lattice beside the photo's middle
    # Bent paper
    bow: Span = (-7.0, 7.0)  # mm, how high the middle stands above the edges
    gutter_chance: float = 0.3  # a page of a book or a calendar that rises at one side
    gutter: Span = (2.0, 10.0)  # mm
    # Light
    light: Span = (0.66, 1.04)  # brightness of white paper where it is brightest
    warmth: Span = (-0.08, 0.14)  # colour cast: daylight to lamp
    tint: Span = (-0.03, 0.03)  # colour cast: magenta to green
    gradient: Span = (0.0, 0.35)  # fall of brightness across the photo
    vignette: Span = (0.0, 0.25)  # fall towards the corners
    soft_chance: float = 0.7  # a soft shadow of the writer or the phone
    soft: Span = (0.05, 0.40)  # its depth
    hard_chance: float = 0.4  # a shadow with an edge
    hard: Span = (0.15, 0.50)
    hard_edge: Span = (0.002, 0.012)  # of the side, width of that edge
    # Camera again
    blur: Span = (0.35, 1.3)  # px at a long side of 1,600; standard deviation
    motion_chance: float = 0.2
    motion: Span = (1.0, 4.0)  # px at a long side of 1,600
    sharpen: Span = (0.0, 0.8)  # what phones do to hide it
    noise: Span = (0.004, 0.025)  # standard deviation at mid grey
    jpeg: Span = (68.0, 93.0)
    # Surroundings
    tables: tuple[str, ...] = ("wood", "wood", "cloth", "plain")
    thumb_chance: float = 0.25  # a finger that holds the paper, beside the lattice


def between(rng: np.random.Generator, span: Span) -> float:
    """An even draw."""
    return float(rng.uniform(span[0], span[1]))
