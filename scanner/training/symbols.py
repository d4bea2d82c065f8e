"""Shapes that a reader must not take for digits: stars, hearts, scrawls, strike-outs, ticks, dots and letters.

Drawn with anti-aliased lines of varied width and wobble, by a seeded generator, in the form of `scanner.training.ink`.
Two traps are kept out, since their right answer can't be told from the shape: steep slashes (a plain 1) and letters
that look like digits (o, l, S, Z, ...).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, get_args

import cv2
import numpy as np
import numpy.typing as npt

from scanner.errors import MissingFileError
from scanner.training.fonts import FontSpec, Split, draw, truetype
from scanner.training.ink import SIDE, GlyphArray, fit

SymbolLabel = Literal["star", "heart", "scribble", "slash", "cross", "dash", "zigzag", "dot", "check", "letter"]
LABELS: Final[tuple[SymbolLabel, ...]] = get_args(SymbolLabel)

LETTERS: Final = "acdefhkmpruvwxACEFHKMNPRUVWX"
"""Left out: letters that pass for a digit in some hand (b g i j l n o q s t y z, B D G I J L O Q S T Y Z)."""

_CANVAS: Final = 192
_FRACTION_BITS: Final = 4

Line = npt.NDArray[np.float64]
"""A polyline [n, 2] in units of the shape: about -1 to 1, x to the right, y down."""


@dataclass(frozen=True)
class SymbolPool:
    """`ink` uint8 [n, 48, 48] as in `GlyphPool`, `label` str [n] (of LABELS), `split` str [n] (train, val, test)."""

    ink: GlyphArray
    label: npt.NDArray[np.str_]
    split: npt.NDArray[np.str_]

    def __post_init__(self) -> None:
        n = len(self.label)
        if self.ink.shape != (n, SIDE, SIDE) or self.ink.dtype != np.uint8 or self.split.shape != (n,):
            raise ValueError(f"expected ink uint8 [{n}, {SIDE}, {SIDE}] and {n} splits, got {list(self.ink.shape)}")

    def __len__(self) -> int:
        return len(self.label)

    def select(self, chosen: npt.NDArray[np.bool_]) -> SymbolPool:
        """The shapes of a mask [n]."""
        return SymbolPool(self.ink[chosen], self.label[chosen], self.split[chosen])

    def joined(self, other: SymbolPool) -> SymbolPool:
        """Both pools, one after the other."""
        return SymbolPool(
            ink=np.concatenate([self.ink, other.ink]),
            label=np.concatenate([self.label, other.label]),
            split=np.concatenate([self.split, other.split]),
        )

    def save(self, path: Path) -> None:
        """Write an .npz; `path` should end in ``.npz``."""
        np.savez_compressed(path, ink=self.ink, label=self.label, split=self.split)

    @classmethod
    def load(cls, path: Path) -> SymbolPool:
        """Read what `save` wrote; MissingFileError if there is no such file."""
        if not path.exists():
            raise MissingFileError(
                "no such symbol pool", remedy="make it by python -m scanner.training.glyphs", subject=str(path)
            )
        with np.load(path, allow_pickle=False) as data:
            return cls(ink=data["ink"], label=data["label"], split=data["split"])


def symbols(rng: np.random.Generator, *, each: int = 600) -> SymbolPool:
    """`each` drawn shapes of every label but "letter"; of each label 80 % train, 10 % val, 10 % test."""
    inks: list[GlyphArray] = []
    labels: list[str] = []
    splits: list[Split] = []
    for label, shape in _SHAPES.items():
        made = 0
        while made < each:
            glyph = fit(shape(rng))
            if glyph is None:
                continue
            inks.append(glyph)
            labels.append(label)
            splits.append("val" if made % 10 == 8 else "test" if made % 10 == 9 else "train")
            made += 1
    return SymbolPool(ink=np.stack(inks), label=np.array(labels, dtype="U8"), split=np.array(splits, dtype="U5"))


def letters(specs: Sequence[FontSpec], cache: Path) -> SymbolPool:
    """LETTERS in the lightest listed weight of each family (fetched before), each in its family's split."""
    inks: list[GlyphArray] = []
    splits: list[Split] = []
    for spec in specs:
        typeface, characters = truetype(spec, spec.weights[0], cache)
        for _, glyph in draw(typeface, [letter for letter in LETTERS if letter in characters]):
            inks.append(glyph)
            splits.append(spec.split)
    ink = np.stack(inks) if inks else np.zeros((0, SIDE, SIDE), np.uint8)
    return SymbolPool(ink=ink, label=np.full(len(inks), "letter", dtype="U8"), split=np.array(splits, dtype="U5"))


def _stroke(lines: Sequence[Line], rng: np.random.Generator, *, filled: bool = False) -> GlyphArray:
    """Draw polylines with one pen: random width, a little turn, stretch and wobble; ink [192, 192]."""
    canvas = np.zeros((_CANVAS, _CANVAS), np.uint8)
    width = int(rng.integers(5, 22))
    turn = np.radians(rng.normal(0, 6))
    stretch = np.diag(np.exp(rng.normal(0, 0.12, 2)))
    matrix = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ stretch
    for line in lines:
        points = smooth(line, 6) if len(line) > 2 else _wobbled(line, rng)
        pixels = points @ matrix.T * (0.30 * _CANVAS) + _CANVAS / 2
        fixed = np.round(pixels * (1 << _FRACTION_BITS)).astype(np.int32).reshape(1, -1, 2)
        if filled:
            cv2.fillPoly(canvas, [fixed[0]], (255,), cv2.LINE_AA, _FRACTION_BITS)
        cv2.polylines(canvas, [fixed[0]], False, (255,), width, cv2.LINE_AA, _FRACTION_BITS)
    return canvas


def smooth(line: Line, per_segment: int) -> Line:
    """A Catmull-Rom spline through the points of `line` [n, 2]; keeps both ends. [(n - 1) * per_segment + 1, 2]."""
    padded = np.vstack([2 * line[0] - line[1], line, 2 * line[-1] - line[-2]])
    t = np.arange(per_segment)[:, None] / per_segment
    pieces = []
    for p0, p1, p2, p3 in zip(padded[:-3], padded[1:-2], padded[2:-1], padded[3:], strict=True):
        bend = (2 * p0 - 5 * p1 + 4 * p2 - p3) * t**2 + (3 * p1 - p0 - 3 * p2 + p3) * t**3
        pieces.append(0.5 * (2 * p1 + (p2 - p0) * t + bend))
    return np.vstack([*pieces, line[-1:]])


def _cornered(line: Line, rng: np.random.Generator, *, jitter: float = 0.05) -> Line:
    """The polyline with its corners kept: points close to the corners make a spline turn sharply; all jittered."""
    line = line + rng.normal(0, jitter, line.shape)
    steps = np.array([0.0, 0.06, 0.5, 0.94])[:, None]
    pieces = [a + (b - a) * steps for a, b in itertools.pairwise(line)]
    return np.vstack([*pieces, line[-1:]])


def _wobbled(line: Line, rng: np.random.Generator) -> Line:
    """A straight stroke (2 points) as a hand draws it: bowed by a few percent of its length."""
    middle = line.mean(axis=0) + rng.normal(0, 0.05, 2) * float(np.linalg.norm(line[1] - line[0]))
    return smooth(np.vstack([line[0], middle, line[1]]), 6)


def _angled(degrees: float) -> Line:
    """A stroke of length 2 through the middle; degrees above the horizontal."""
    direction = np.array([np.cos(np.radians(degrees)), -np.sin(np.radians(degrees))])
    return np.vstack([-direction, direction])


def _star(rng: np.random.Generator) -> GlyphArray:
    style = rng.integers(3)
    if style == 0:  # an asterisk of three or four strokes
        count = int(rng.integers(3, 5))
        first = rng.uniform(0, 180)
        return _stroke([_angled(first + 180 * i / count + rng.normal(0, 5)) for i in range(count)], rng)
    points = 5 if rng.random() < 0.8 else 6
    if style == 1 and points == 5:  # in one go, as children draw it: every second corner
        angles = -np.pi / 2 + 2 * np.pi * np.arange(6) * 2 / 5
        radii = np.ones(6)
    else:  # the outline
        angles = -np.pi / 2 + np.pi * np.arange(2 * points + 1) / points
        radii = np.where(np.arange(2 * points + 1) % 2 == 0, 1.0, rng.uniform(0.38, 0.6))
    line = np.column_stack([radii * np.cos(angles), radii * np.sin(angles)])
    return _stroke([_cornered(line, rng)], rng, filled=style == 2 and rng.random() < 0.6)


def _heart(rng: np.random.Generator) -> GlyphArray:
    t = np.linspace(0, 2 * np.pi, 25)
    x = np.sin(t) ** 3
    y = -(13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t)) / 16
    line = np.column_stack([x, y])
    return _stroke([line + rng.normal(0, 0.03, line.shape)], rng, filled=rng.random() < 0.5)


def _scribble(rng: np.random.Generator) -> GlyphArray:
    if rng.random() < 0.3:  # coiled, as over a mistake
        turns = rng.uniform(3, 6)
        t = np.linspace(0, 2 * np.pi * turns, int(12 * turns))
        x = np.linspace(-0.8, 0.8, len(t)) + 0.45 * np.cos(t)
        line = np.column_stack([x, rng.uniform(0.5, 1.0) * np.sin(t)])
        return _stroke([line + rng.normal(0, 0.06, line.shape)], rng)
    return _stroke([rng.uniform(-1, 1, (int(rng.integers(9, 22)), 2))], rng)


def _slash(rng: np.random.Generator) -> GlyphArray:
    angle = float(rng.uniform(25, 52)) * (1 if rng.random() < 0.7 else -1)
    lines = [_angled(angle)]
    if rng.random() < 0.25:  # struck twice
        lines.append(_angled(angle + rng.normal(0, 4)) + np.array([0.0, rng.uniform(0.2, 0.4)]))
    return _stroke(lines, rng)


def _cross(rng: np.random.Generator) -> GlyphArray:
    return _stroke([_angled(rng.normal(45, 8)) * rng.uniform(0.85, 1.15), _angled(rng.normal(-45, 8))], rng)


def _dash(rng: np.random.Generator) -> GlyphArray:
    lines = [_angled(rng.normal(0, 6))]
    if rng.random() < 0.3:
        lines.append(_angled(rng.normal(0, 4)) + np.array([0.0, rng.uniform(0.3, 0.6)]))
    return _stroke(lines, rng)


def _zigzag(rng: np.random.Generator) -> GlyphArray:
    # Five strokes at least: three are a Z, and that is a 2.
    count = int(rng.integers(6, 12))
    height = rng.uniform(0.25, 0.9)
    y = np.where(np.arange(count) % 2 == 0, -height, height)
    line = np.column_stack([np.linspace(-1, 1, count), y])
    return _stroke([_cornered(line, rng, jitter=0.07)], rng)


def _dot(rng: np.random.Generator) -> GlyphArray:
    t = np.linspace(0, 2 * np.pi, 13)
    radius = np.append(r := np.exp(rng.normal(0, 0.10, 12)), r[0])[:, None]
    return _stroke([0.5 * radius * np.column_stack([np.cos(t), np.sin(t)])], rng, filled=True)


def _check(rng: np.random.Generator) -> GlyphArray:
    # The short stroke falls, the long one rises far to the right: no flagged 1 (whose short stroke rises), no 7.
    line = np.array([[-1.0, rng.uniform(-0.1, 0.3)], [rng.uniform(-0.6, -0.3), 0.9], [rng.uniform(0.7, 1.1), -0.9]])
    return _stroke([_cornered(line, rng)], rng)


_SHAPES: Final[Mapping[SymbolLabel, Callable[[np.random.Generator], GlyphArray]]] = {
    "star": _star,
    "heart": _heart,
    "scribble": _scribble,
    "slash": _slash,
    "cross": _cross,
    "dash": _dash,
    "zigzag": _zigzag,
    "dot": _dot,
    "check": _check,
}
