"""Printed lines along the sides of cells are taken away; strokes that cross them or run along them stay."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

import cv2
import numpy as np
import numpy.typing as npt

from scanner.table_paper import CELL_PX, FLOOR, FloatImage, Rects, inside, whole_px

CORE = (0.2, 0.15)
"""How far into a cell, across and down, as a share of its shorter side, ink of its neighbours seldom reaches."""
LINE_REACH = 0.13
"""How far beside a cell's side, as a share of its height, a printed line may run."""
LINE_SEEN = 0.05
"""Darkness from which a printed line is seen."""
STROKE_PX = 2.6
"""How wide a usual stroke is, px."""
STROKE_SHARE = 0.55
"""Share of a stroke that has to have gone with a line, beyond what lines take with them, to be put back."""
STROKE_LONG, STROKE_MOST = 0.4, 0.95
"""Its length: at least this share of a cell's height, at most this share of the side."""
STROKE_BAND = 5.0
"""Width, px, of lines from which nothing is put back: in a heavy or double rule no stroke can be told."""
ON_LINE = 0.45
"""Ink on a line is as dark as this share of other ink, once the line's own darkness is taken away."""
NOISE = 3.0
"""And darker than this many deviations of the line's darkness."""
CORNER = 0.08
"""Of a cell's height: so far from a side's ends lines that cross are no ink on it."""
LONGEST = 0.5
"""And along less than this share of a side."""
LEAST_LIGHT = 0.15
"""Share of the light that the darkest lines are taken to leave."""
FEWEST_PIECES = 5
"""Sides along one line from which it is known how dark it usually is."""
FEWEST_CORE_PX = 40
NEIGHBOURS = 2
LINE_RANK = 0.4
"""A line is at least as dark as at this rank of the pixels along it; a digit that leans on it is not."""


def without_sides(density: FloatImage, rects: Rects) -> FloatImage:
    """The density without the printed lines that run along the sides of cells."""
    return lines_and_strokes(density, rects)[0]


def lines_and_strokes(density: FloatImage, rects: Rects) -> tuple[FloatImage, npt.NDArray[np.bool_]]:
    """The density without lines, and where strokes were put back that ran along one (see `_put_strokes_back`)."""
    ink = _ink_of(density, rects)
    back = np.zeros(density.shape, dtype=np.bool_)
    clear = _without_upright(density, rects, ink, back)
    # Dashes and the feet of digits often touch a level line, and what is put back there does more harm than good.
    turned = np.ascontiguousarray(clear.T)
    clear = np.ascontiguousarray(_without_upright(turned, rects[:, [1, 0, 3, 2]], ink, None).T)
    return clear, back


def _without_upright(density: FloatImage, rects: Rects, ink: float, back: npt.NDArray[np.bool_] | None) -> FloatImage:
    """Without the lines along the left and right sides: what lies on both sides of a line goes on through it.

    ink: darkness of the writing. back: see `_put_strokes_back`; null where nothing is put back.
    """
    height, width = density.shape
    result = density.copy()
    lines: dict[int, set[tuple[int, int]]] = {}
    for left, top, right, bottom in whole_px(rects, (height, width)):
        for x in (left, right):
            lines.setdefault(x, set()).add((top, bottom))
    reach = max(3, round(LINE_REACH * CELL_PX))
    for x, sides in lines.items():
        seen = {(top, bottom): _line_beside(density, x, reach, top, bottom) for top, bottom in sorted(sides)}
        bands = [band for band in seen.values() if band is not None]
        if not bands:
            continue
        # The line is as wide here as elsewhere, and bends slowly: what differs is a stroke that leans on it.
        half = 0.5 * float(np.median([last - first for first, last in bands])) + 0.5
        middles = _smooth_middles(list(seen.values()))
        pieces: list[_Piece] = []
        for (top, bottom), middle in zip(seen, middles, strict=True):
            start, end = max(2, x + round(middle - half) - 1), min(width - 3, x + round(middle + half) + 1)
            if end - start >= 1:
                piece = _Piece(slice(max(0, top - 1), min(height, bottom + 1)), slice(start, end + 1))
                _bridge(density, result, piece.rows, start, end)
                pieces.append(piece)
        if back is not None and 2 * half + 1 <= STROKE_BAND:
            _put_strokes_back(density, result, pieces, STROKE_PX * ink, back)
        if ink > 0:
            for piece in pieces:
                _show_on_line(density, result, piece, ink)
    return result


@dataclass(frozen=True, slots=True)
class _Piece:
    """One side of a cell: where a printed line was taken away."""

    rows: slice
    columns: slice


def _put_strokes_back(
    density: FloatImage, result: FloatImage, pieces: list[_Piece], pen: float, back: npt.NDArray[np.bool_]
) -> None:
    """Puts strokes back, in place, that ran along a line and went with it: a bare 1 on the border, the stem of a 4.

    What was taken away is compared with what is usually taken away along the line: ink makes it more. pen: ink of a
    stroke across its width, px of full ink; 0 for a sheet without ink. back: set where ink was put back.
    """
    if len(pieces) < FEWEST_PIECES or pen <= 0:
        return
    taken = [(density[one.rows, one.columns] - result[one.rows, one.columns]).sum(axis=1) for one in pieces]
    inner = [mass[len(mass) // 10 : len(mass) - len(mass) // 10] for mass in taken]
    usual = np.array([float(np.median(mass)) if mass.size else 0.0 for mass in inner])
    typical = float(np.median(usual))
    spread = 1.4826 * float(np.median(np.abs(usual - typical)))
    limit = max(STROKE_SHARE * pen, 3.0 * spread)
    for piece, mass in zip(pieces, taken, strict=True):
        more = cv2.blur((mass - typical).astype(np.float32).reshape(-1, 1), (1, 3)).ravel() > limit
        for start, end in _runs(more):
            if STROKE_LONG * CELL_PX <= end - start <= STROKE_MOST * len(mass):
                rows = slice(piece.rows.start + start, piece.rows.start + end)
                result[rows, piece.columns] = density[rows, piece.columns]
                back[rows, piece.columns] = True


def _show_on_line(density: FloatImage, result: FloatImage, piece: _Piece, ink: float) -> None:
    """Shows, in place, strokes that reach a line and go on along it: the roof of a 5, the top of a 0.

    Ink on a line takes away some of the light that the line leaves; the line's own darkness is that of most of the
    piece. ink: darkness of the writing.
    """
    start, end = piece.columns.start, piece.columns.stop
    strip = density[piece.rows, start:end]
    if strip.shape[0] < 6:
        return
    rank = int(LINE_RANK * strip.shape[0])
    line = np.partition(strip, rank, axis=0)[rank]
    light = np.maximum(1.0 - line, LEAST_LIGHT)
    over = (strip - line) / light
    if not (over > ON_LINE * ink).any():
        return
    half = strip.shape[0] // 2
    noise = 1.4826 * np.partition(np.abs(strip - line), half, axis=0)[half] / light
    over = cv2.blur(np.ascontiguousarray(over), (1, 3), borderType=cv2.BORDER_REPLICATE)
    limit = np.maximum(ON_LINE * ink, NOISE * noise)
    around = (density[piece.rows, start - 2 : end + 2] > ON_LINE * ink).astype(np.uint8)
    around[:, 2:-2] = over > limit
    # Where lines cross it is darker than along either of them.
    corner = round(CORNER * CELL_PX)
    around[:corner], around[-corner:] = 0, 0
    if not around[:, 2:-2].any():
        return
    count, found, stats, _ = cv2.connectedComponentsWithStats(around, connectivity=8, ltype=cv2.CV_32S)
    labels = np.asarray(found)
    beside = np.zeros(count, dtype=np.bool_)
    beside[labels[:, [1, -2]]] = True
    # What goes on for longer is the line itself, beside where most of it runs.
    beside &= np.asarray(stats)[:, cv2.CC_STAT_HEIGHT] < LONGEST * strip.shape[0]
    beside[0] = False
    kept = cv2.dilate(beside[labels].astype(np.uint8), np.ones((3, 3), np.uint8))[:, 2:-2] > 0
    shown = result[piece.rows, start:end]
    result[piece.rows, start:end] = np.where(kept, np.maximum(shown, np.clip(over, 0.0, 1.0)), shown)


def _runs(flags: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Where flags are true without a break: (first, one beyond the last)."""
    steps = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return [(int(a), int(b)) for a, b in steps.reshape(-1, 2)]


def _ink_of(density: FloatImage, rects: Rects) -> float:
    """How dark the ink of strokes is, 0 to 1, by the cells that are written in; 0 without any."""
    peaks = []
    for left, top, right, bottom in whole_px(inside(rects, CORE), density.shape):
        piece = density[top:bottom, left:right]
        if piece.size > FEWEST_CORE_PX:
            rank = int(0.98 * piece.size)
            peaks.append(float(np.partition(piece.ravel(), rank)[rank]))
    inked = [peak for peak in peaks if peak > 2 * FLOOR]
    return float(np.median(inked)) if inked else 0.0


def _smooth_middles(bands: list[tuple[int, int] | None]) -> list[float]:
    """Where a line runs beside each of its sides, in order: the median of a few neighbours."""
    own = [None if band is None else 0.5 * (band[0] + band[1]) for band in bands]
    everywhere = median([middle for middle in own if middle is not None])
    smooth = []
    for k in range(len(own)):
        near = [middle for middle in own[max(0, k - NEIGHBOURS) : k + NEIGHBOURS + 1] if middle is not None]
        smooth.append(median(near) if len(near) > 1 else everywhere)
    return smooth


def _line_beside(density: FloatImage, x: int, reach: int, top: int, bottom: int) -> tuple[int, int] | None:
    """First and last column, from x, of the printed line along a side; null where none is seen."""
    inner = max(1, round(0.1 * (bottom - top)))
    first, last = max(0, x - reach), min(density.shape[1] - 1, x + reach)
    if last - first < 4 or bottom - top < 6:
        return None
    strip = density[top + inner : bottom - inner, first : last + 1]
    rank = int(LINE_RANK * strip.shape[0])
    low = np.partition(strip, rank, axis=0)[rank]
    away = np.abs(np.arange(first, last + 1) - x) / reach
    peak = float((low * (1 - 0.4 * away)).max())
    dark = np.flatnonzero(low > max(LINE_SEEN, 0.35 * peak))
    return (first + int(dark[0]) - x, first + int(dark[-1]) - x) if dark.size else None


def _bridge(density: FloatImage, result: FloatImage, rows: slice, a: int, b: int) -> None:
    """Replaces columns a to b by what lies on both sides of them: paper, or a stroke that crosses."""
    tall = cv2.dilate(density[rows, a - 2 : b + 3], np.ones((3, 1), np.uint8), borderType=cv2.BORDER_REPLICATE)
    left, right = np.minimum(tall[:, 0], tall[:, 1]), np.minimum(tall[:, -1], tall[:, -2])
    t = ((np.arange(a, b + 1) - a + 1) / (b - a + 2)).astype(np.float32)
    # A stroke goes on across the line only if it is there on both sides; ink that merely touches it ends there.
    across = np.minimum(left, right)[:, None]
    fill = np.maximum(across, left[:, None] * (1 - t) ** 3 + right[:, None] * t**3)
    result[rows, a : b + 1] = np.minimum(result[rows, a : b + 1], fill)
