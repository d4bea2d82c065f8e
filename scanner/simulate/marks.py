"""Marks as people make them in a box: crossed out, struck through, ticked, scribbled over, circled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

import numpy as np

from scanner.geometry import FloatArray
from scanner.simulate.outlines import extent, middle
from scanner.simulate.ranges import between
from scanner.templates import Cell

if TYPE_CHECKING:
    from scanner.simulate.writing import Scribe


def draw_mark(scribe: Scribe, cell: Cell, style: str) -> None:
    """Draws a mark of one of `STYLES` into a box; ValueError for another style."""
    if style not in STYLES:
        raise ValueError(f"nobody makes marks of the style {style!r}; use one of {', '.join(STYLES)}")
    rng = scribe.rng
    side = min(extent(cell))
    spot = np.array(middle(cell)) + side * rng.normal(0, 0.05, 2)
    for stroke in STYLES[style](rng):
        scribe.path(spot + side * stroke, scribe.habits.pen)


def _bowed(start: tuple[float, float], end: tuple[float, float], rng: np.random.Generator) -> FloatArray:
    """A stroke from one point to another, as straight as a hand draws it: [12, 2]."""
    a = np.array(start) + rng.normal(0, 0.05, 2)
    b = np.array(end) + rng.normal(0, 0.05, 2)
    t = np.linspace(0, 1, 12)[:, None]
    across = np.array([a[1] - b[1], b[0] - a[0]])
    return np.asarray(a + t * (b - a) + across * (4 * t * (1 - t)) * rng.normal(0, 0.04), dtype=np.float64)


def _cross(rng: np.random.Generator) -> list[FloatArray]:
    reach = between(rng, (0.26, 0.52))
    return [_bowed((-reach, -reach), (reach, reach), rng), _bowed((reach, -reach), (-reach, reach), rng)]


def _struck(rng: np.random.Generator) -> list[FloatArray]:
    reach = between(rng, (0.30, 0.55))
    rise = between(rng, (-0.2, 1.0)) * reach
    strokes = [_bowed((-reach, rise), (reach, -rise), rng)]
    if rng.random() < 0.3:
        shift = between(rng, (0.06, 0.16))
        strokes.append(_bowed((-reach, rise + shift), (reach, shift - rise), rng))
    return strokes


def _tick(rng: np.random.Generator) -> list[FloatArray]:
    reach = between(rng, (0.28, 0.5))
    short = _bowed((-reach, 0.0), (-0.25 * reach, 0.75 * reach), rng)
    long = _bowed((-0.25 * reach, 0.75 * reach), (reach, -reach), rng)
    long += short[-1] - long[0]
    return [np.concatenate([short, long])]


def _scribble(rng: np.random.Generator) -> list[FloatArray]:
    turns = int(rng.integers(5, 12))
    reach = between(rng, (0.25, 0.45))
    x = np.linspace(-reach, reach, turns) + rng.normal(0, 0.04, turns)
    y = np.where(np.arange(turns) % 2 == 0, -reach, reach) * rng.uniform(0.6, 1.05, turns)
    zigzag = np.column_stack([x, y])
    angle = rng.uniform(0, np.pi)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return [np.asarray(zigzag @ turn.T, dtype=np.float64)]


def _circle(rng: np.random.Generator) -> list[FloatArray]:
    # Around the box or around what is printed in it; it seldom closes exactly.
    wide, high = between(rng, (0.32, 0.62)), between(rng, (0.32, 0.62))
    start = rng.uniform(0, 2 * np.pi)
    t = start + np.linspace(0, 2 * np.pi * between(rng, (0.93, 1.12)), 40)
    drift = 1 + np.linspace(0, between(rng, (-0.12, 0.12)), 40)
    return [np.column_stack([wide * np.cos(t) * drift, high * np.sin(t) * drift])]


STYLES: Final[Mapping[str, Callable[[np.random.Generator], list[FloatArray]]]] = {
    "cross": _cross,
    "struck": _struck,
    "tick": _tick,
    "scribble": _scribble,
    "circle": _circle,
}
"""Each gives the strokes of a mark around (0, 0), in shares of the box's shorter side."""
