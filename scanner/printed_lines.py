"""Printed lines of a lattice, traced and taken away, while what is written across and along them stays.

Upright lines are looked at, and then the level ones with the sheet turned. Lengths are in px of the rectified sheet,
whose cells are `cell_px` wide, with a rim of half a cell around the lattice.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

FloatImage = npt.NDArray[np.float32]

NEAR_EDGES, ASTRAY = 2, 0.03
"""Edges on each side along a printed line that tell where it runs, and how far from there one may lie, in cells."""
DARKER, SURELY_DARKER = 0.1, 0.2
"""Ink density above that of a printed line from which something is written there, and from which that is sure."""
BESIDE_PX = 1.6
"""Pixels beside a printed line, on each side, that go with it: its blur, and how far off it may be taken to be."""
FAINTLY_DARKER = 0.05
"""The same where ink is seen on both sides of the line; sure from twice that on."""
SLANTS_PX = (-6, -4, 4, 6)
"""By how much lower a slanted stroke comes out of a line than it went in; straighter ones need no search."""
DASHED = 80
"""Percentile of the density along a line that is the line's own: in gaps there is less, where a stroke crosses more."""
WIDER_PX = 2
"""By so many pixels what is dark across a line is wider than the line where something is written on it."""
WIDEST_STROKE, FEWEST_STROKES = 0.25, 60
"""Width of a stroke in cells, at most, and rows that strokes are seen in before their width is told."""


@dataclass(frozen=True, slots=True)
class _Lines:
    """Upright printed lines: centre float32 [height, lines] in px, half float32 [lines] half the width in px.

    printed: bool [height, lines], where there is a line.
    """

    centre: npt.NDArray[np.float32]
    half: npt.NDArray[np.float32]
    printed: npt.NDArray[np.bool_]


def _trace_lines(density: FloatImage, printed: npt.NDArray[np.bool_], cell_px: int) -> _Lines:
    """Where the upright lines of a rectified sheet really run, edge by edge. printed: bool [rows, cols + 1]."""
    rows, cols, rim_px = printed.shape[0], printed.shape[1] - 1, cell_px // 2
    reach = round(0.16 * cell_px)
    inner = slice(round(0.1 * cell_px), round(0.9 * cell_px))
    strip = density[rim_px : rim_px + rows * cell_px].reshape(rows, cell_px, density.shape[1])[:, inner]
    rank = int(strip.shape[1] * 0.4)
    # Darkness that most of the edge's length has: the line, but not a digit that leans on it.
    low = np.partition(strip, rank, axis=1)[:, rank]
    profile = cv2.blur(low, (3, 1), borderType=cv2.BORDER_REPLICATE)
    at = rim_px + np.arange(cols + 1) * cell_px
    shifts = np.arange(-reach, reach + 1)
    seen = profile[:, at[:, None] + shifts[None, :]]  # [rows, lines, shifts]
    peak = (seen * (1 - 0.3 * np.abs(shifts) / reach)).argmax(axis=2)
    height = np.take_along_axis(seen, peak[:, :, None], axis=2)[:, :, 0]
    floor = np.minimum(np.median(seen, axis=2), 0.6 * height)
    over = np.clip(seen - (0.5 * (height + floor))[:, :, None], 0, None)
    total = over.sum(axis=2)
    centre = np.where(total > 1e-4, (over * shifts).sum(axis=2) / np.maximum(total, 1e-6), 0.0)
    strong = printed & (height > np.maximum(0.05, 0.35 * np.median(height[printed])))
    # A thick stroke along an edge may be darker than the line; but lines run straight from edge to edge.
    expected = _along_line(centre.astype(np.float64), strong)
    near = np.clip(np.round(expected).astype(np.int64) + reach, 1, 2 * reach - 1)[:, :, None] + np.arange(-1, 2)
    there = np.take_along_axis(seen, near, axis=2).max(axis=2) >= 0.5 * _along_line(height.astype(np.float64), strong)
    astray = strong & there & (np.abs(centre - expected) > ASTRAY * cell_px)
    strong &= ~astray
    centre = np.where(astray, expected, centre)
    line_centre = np.array(
        [np.median(centre[strong[:, k], k]) if strong[:, k].any() else 0.0 for k in range(cols + 1)], dtype=np.float32
    )
    centre = np.where(strong | astray, centre, line_centre[None, :])
    # Half of the width at half height, from all edges of the line together: heavy lines stay heavy along all of it.
    wide = (over > 0).sum(axis=2)
    half = np.array(
        [np.percentile(wide[strong[:, k], k], 65) / 2 if strong[:, k].any() else 1.5 for k in range(cols + 1)],
        dtype=np.float32,
    )
    middle = rim_px + (np.arange(rows) + 0.5) * cell_px
    ys = np.arange(density.shape[0])
    along = np.stack([at[k] + np.interp(ys, middle, centre[:, k]) for k in range(cols + 1)], axis=1)
    own = np.clip((ys - rim_px) // cell_px, 0, rows - 1)
    return _Lines(along.astype(np.float32), half, printed[own])


def _along_line(values: npt.NDArray[np.float64], known: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """For each edge [rows, lines] the median of the known edges near it on its line; its own value where none is."""
    seen = np.pad(np.where(known, values, np.nan), ((NEAR_EDGES, NEAR_EDGES), (0, 0)), constant_values=np.nan)
    steps = [step for step in range(2 * NEAR_EDGES + 1) if step != NEAR_EDGES]
    near = np.sort([seen[step : step + len(values)] for step in steps], axis=0)  # NaN comes last
    count = np.isfinite(near).sum(axis=0)
    low, high = (np.take_along_axis(near, np.maximum(at, 0)[None], axis=0)[0] for at in ((count - 1) // 2, count // 2))
    return np.asarray(np.where(count > 0, (low + high) / 2, values), dtype=np.float64)


def _without_upright(density: FloatImage, lines: _Lines, crossings: npt.NDArray[np.bool_], cell_px: int) -> FloatImage:
    """The density with upright lines replaced by what lies on both sides of them: paper, or a stroke that crosses.

    crossings: bool of the density's shape, where level lines are.
    """
    height, width = density.shape
    tall = cv2.dilate(density, np.ones((3, 1), np.uint8), borderType=cv2.BORDER_REPLICATE)
    half = lines.half + BESIDE_PX  # float32 [lines]
    reach = int(np.ceil(float(half.max()))) + 1
    centre = lines.centre  # float32 [height, lines]
    row = (np.arange(height, dtype=np.int32) * width)[:, None]
    left_x = np.clip(np.floor(centre - half - 0.5), 1, width - 2).astype(np.int32)
    right_x = np.clip(np.ceil(centre + half + 0.5), 1, width - 2).astype(np.int32)
    left = np.minimum(tall.take(row + left_x), tall.take(row + left_x - 1))
    right = np.minimum(tall.take(row + right_x), tall.take(row + right_x + 1))
    xs = np.round(centre).astype(np.int32)[:, :, None] + np.arange(-reach, reach + 1, dtype=np.int32)
    np.clip(xs, 0, width - 1, out=xs)
    t = (xs - left_x[:, :, None]) / (right_x - left_x).astype(np.float32)[:, :, None]
    np.clip(t, 0, 1, out=t)
    index = row[:, :, None] + xs
    old = density.take(index)
    band = (np.abs(xs - centre[:, :, None]) <= half[:, None]) & lines.printed[:, :, None]
    # A thick stroke that runs along a line shows beside it, or is darker than the line alone.
    usual = _of_lines(old, lines.printed)
    wider = (old > SURELY_DARKER).sum(axis=2) - (usual > SURELY_DARKER).sum(axis=1)
    perhaps = cv2.dilate(_between(usual), np.ones((1, 3), np.uint8), borderType=cv2.BORDER_REPLICATE)[:, ::2]
    written = np.clip((old - perhaps - DARKER) / (SURELY_DARKER - DARKER), 0, 1)
    # Where lines cross it is darker, too.
    seen = np.where(band & (wider >= WIDER_PX)[:, :, None] & ~crossings.take(index), old * written, 0)
    # A stroke goes on across the line only if it is there on both sides; ink that merely touches it ends there.
    inked = seen.any(axis=2)
    from_left, from_right = seen.copy(), seen.copy()
    from_left[inked] = np.maximum.accumulate(seen[inked], axis=1)
    from_right[inked] = np.maximum.accumulate(seen[inked][:, ::-1], axis=1)[:, ::-1]
    np.maximum(from_left, left[:, :, None], out=from_left)
    np.maximum(from_right, right[:, :, None], out=from_right)
    rest = 1 - t
    ends = left[:, :, None] * (rest * rest * rest) + right[:, :, None] * (t * t * t)
    fill = np.maximum(np.minimum(from_left, from_right), ends)
    # A slanted stroke leaves the line farther up or down; it makes the line darker where it crosses.
    crossed = np.where(crossings.take(index), 0, np.clip((old - usual - FAINTLY_DARKER) / FAINTLY_DARKER, 0, 1))
    rows, at = np.nonzero(crossed.any(axis=2))
    for slant in SLANTS_PX:
        through = crossed[rows, at] * _slanted(left, right, t[rows, at], rows, at, slant)
        fill[rows, at] = np.maximum(fill[rows, at], through)
    # Of a stroke that runs along the line, less than its width is to be seen beside it.
    stroke = _stroke_width(density, index[band], cell_px)
    if stroke:
        hidden_left = stroke - _seen_beside(density, row + left_x, -1, left, cell_px)
        hidden_right = stroke - _seen_beside(density, row + right_x, 1, right, cell_px)
        for hidden, ink, away in (
            (hidden_left, left, xs - left_x[:, :, None]),
            (hidden_right, right, right_x[:, :, None] - xs),
        ):
            known = np.isfinite(hidden)
            kept = ink[known][:, None] * np.clip(hidden[known][:, None] - away[known] + 1, 0, 1)
            fill[known] = np.maximum(fill[known], kept)
    result = density.copy()
    result.reshape(-1)[index] = np.where(band, np.minimum(old, fill), old)
    return result


def _slanted(
    left: FloatImage,
    right: FloatImage,
    t: npt.NDArray[np.float64],
    rows: npt.NDArray[np.intp],
    lines: npt.NDArray[np.intp],
    slant: int,
) -> FloatImage:
    """What crosses lines and comes out `slant` px lower, at n places of lines: [n, places across].

    left, right: density beside the lines [height, lines]. t: the places across, from the left (0) to the right (1).
    rows, lines: where, [n].
    """
    last = len(left) - 1
    before = np.clip(np.round(rows[:, None] - slant * t), 0, last).astype(np.intp)
    after = np.clip(np.round(rows[:, None] + slant * (1 - t)), 0, last).astype(np.intp)
    return np.asarray(np.minimum(left[before, lines[:, None]], right[after, lines[:, None]]), dtype=np.float32)


def _stroke_width(density: FloatImage, lines: npt.NDArray[np.int32], cell_px: int) -> float:
    """How wide strokes are, level, px; 0 where there are none. lines: indices of the pixels of upright lines."""
    ink = density > SURELY_DARKER
    ink.reshape(-1)[lines] = False
    ink[:, [0, -1]] = False
    steps = np.diff(ink.reshape(-1).view(np.int8))
    widths = np.flatnonzero(steps < 0) - np.flatnonzero(steps > 0)
    widths = widths[widths <= WIDEST_STROKE * cell_px]
    return float(np.median(widths)) if widths.size >= FEWEST_STROKES else 0.0


def _seen_beside(
    density: FloatImage, at: npt.NDArray[np.int32], step: int, ink: FloatImage, cell_px: int
) -> npt.NDArray[np.float32]:
    """How far ink reaches away from a line, px [height, lines]; very far where there is none.

    at: index of the first pixel beside the line. step: to the next one. ink: the ink there.
    """
    reach = round(WIDEST_STROKE * cell_px)
    found = np.full(ink.shape, np.inf, dtype=np.float32)
    inked = ink > SURELY_DARKER
    away = at[inked][:, None] + step * np.arange(reach, dtype=np.int32)
    seen = density.take(np.clip(away, 0, density.size - 1)) > 0.5 * ink[inked][:, None]
    width = np.logical_and.accumulate(seen, axis=1).sum(axis=1)
    found[inked] = np.where(width > 0, width, np.inf)
    return found


def _of_lines(across: FloatImage, printed: npt.NDArray[np.bool_]) -> FloatImage:
    """How dark each line is by itself, in its dashes if it is dashed, at each place across it: [lines, places].

    across: density [height, lines, places]; printed: [height, lines].
    """
    usual = np.zeros(across.shape[1:], dtype=np.float32)
    for line in range(across.shape[1]):
        rows = printed[:, line]
        if rows.any():
            seen = across[rows, line][::3]
            rank = int(DASHED / 100 * len(seen))
            usual[line] = np.partition(seen, rank, axis=0)[rank]
    return usual


def _between(profiles: FloatImage) -> FloatImage:
    """Profiles [lines, places] with the means of neighbouring places between them: [lines, 2 * places - 1]."""
    finer = np.repeat(profiles, 2, axis=1)[:, :-1]
    finer[:, 1::2] = (profiles[:, 1:] + profiles[:, :-1]) / 2
    return finer


def without_lines(
    density: FloatImage, upright: npt.NDArray[np.bool_], level: npt.NDArray[np.bool_], cell_px: int
) -> FloatImage:
    """Ink density of a rectified sheet (rim of half a cell) without the printed lines of its lattice.

    upright: bool [rows, cols + 1], level: bool [rows + 1, cols], the edges that have a line.
    """
    across = _trace_lines(density, upright, cell_px)
    down = _trace_lines(np.ascontiguousarray(density.T), np.ascontiguousarray(level.T), cell_px)
    upright_bands, level_bands = _bands(across, density.shape[1]), _bands(down, density.shape[0]).T
    cleared = _without_upright(density, across, np.ascontiguousarray(level_bands), cell_px)
    turned = np.ascontiguousarray(cleared.T)
    return np.ascontiguousarray(_without_upright(turned, down, np.ascontiguousarray(upright_bands.T), cell_px).T)


def _bands(lines: _Lines, width: int) -> npt.NDArray[np.bool_]:
    """Where upright lines are taken away: bool [height, width]."""
    bands = np.zeros((len(lines.centre), width), dtype=np.bool_)
    half = lines.half + BESIDE_PX
    reach = int(np.ceil(float(half.max())))
    xs = np.round(lines.centre).astype(np.int32)[:, :, None] + np.arange(-reach, reach + 1, dtype=np.int32)
    inside = (np.abs(xs - lines.centre[:, :, None]) <= half[:, None]) & lines.printed[:, :, None]
    rows = np.broadcast_to(np.arange(len(bands))[:, None, None], xs.shape)
    bands[rows[inside], np.clip(xs[inside], 0, width - 1)] = True
    return bands
