"""Reasons why a window that has the template's lines is still not the sheet.

A template's lines occur elsewhere: any nine squares of a tiled floor have them. So a sheet has to end where its
template ends, and what tells it from plain squared paper (its heavier lines) has to be seen. A grid that lacks just the
heavier lines may be a plainly drawn sheet; it passes only if nothing else speaks against it, and its placement says so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scanner.locate.evidence import CELL_PX, RIM_PX, LineEvidence
from scanner.locate.pattern import Border, Pattern

WORST_LINE = 0.4
"""Every single line of the template has to be seen at least this much: a board one row short is not the sheet. The
faintest line of 142 real photos has 0.46."""
INSIDE = 0.7
"""Share of all lines that have to be seen; the least of 142 real photos has 0.92."""
GOES_ON = 0.7
"""Evidence from which lines that cross a border are taken for the grid's continuation when two sides have it. On single
sides text and frames close by reach 0.8 in real photos, on two sides 0.57."""
SURELY_GOES_ON = 0.95
"""One such side is enough to refuse, if the next line along the border is seen as well."""
HEAVY_SEEN = 0.3
"""Heaviness from which the heavier lines count as seen: 142 real photos have at least 0.62, drawn plain grids 0.06."""
HEAVY_ELSEWHERE = -0.1
"""Heaviness below which the lines that should be thin are the heavier ones."""
STRICT_INSIDE = 0.9
"""`INSIDE` for a plain grid and for one whose borders are not all in the picture, where less speaks for the sheet."""
STRICT_WORST_LINE = 0.6
PLAIN_OUTSIDE = 0.5
"""Evidence of lines beyond any border of a plain grid: less than a lone stray line, more than blur makes."""
FEWEST_EDGES = 3
"""Fewer visible edges beyond a border say nothing about it."""
BLACK = 0.35
"""A cell whose inside is this near to its own lines (1: as light as usual paper against them) is printed black."""
MOST_BLACK = 0.04
"""Share of black cells that a plain sheet may have by a blot; crosswords have 0.1 to 0.3."""
CHEQUERED = 0.75
"""Share of the shading's variation that changes from each cell to the next, from which a grid is a chequered board."""
CHEQUER_STEP = 0.02
"""Smallest such shading, as a fraction of the paper's brightness, that is more than grain."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A window that isn't a sheet. reason: what was seen, to follow "no sheet found, ".

    lacks_lines: its lines are missing, or lie beside their places.
    """

    reason: str
    lacks_lines: bool = False


def refusal(
    evidence: LineEvidence, pattern: Pattern, row: int, col: int, inside: float, heaviness: float | None
) -> Refusal | None:
    """Why the pattern with its rim at [row, col] of the evidence is no sheet; null if it is one.

    inside: mean evidence of the pattern's lines. heaviness: of `scanner.locate.fit.Window`.
    """
    visible = evidence.visible[row : row + pattern.rows + 2, col : col + pattern.cols + 2]
    ends_seen = all(_seen(border, visible) for border in pattern.borders)
    size = f"a grid of {pattern.cols} x {pattern.rows} cells was seen"
    plain = heaviness is not None and heaviness < HEAVY_SEEN
    upright = evidence.upright[row : row + pattern.rows + 2, col : col + pattern.cols + 3]
    level = evidence.level[row : row + pattern.rows + 3, col : col + pattern.cols + 2]
    worst = _worst_line(upright, level, pattern)
    strict = plain or not ends_seen
    if worst < (STRICT_WORST_LINE if strict else WORST_LINE) or inside < (STRICT_INSIDE if strict else INSIDE):
        return Refusal(f"{size}, but some of its lines are missing", lacks_lines=True)
    if heaviness is not None and heaviness < HEAVY_ELSEWHERE:
        return Refusal(f"{size}, but its heavier lines are not where the sheet has them")
    across, along = _beyond(upright, level, pattern, visible)
    if (across >= GOES_ON).sum() >= 2 or (np.minimum(across, along) >= SURELY_GOES_ON).any():
        return Refusal("a grid of more cells than the sheet has was seen")
    if not plain:
        return None
    if (across > PLAIN_OUTSIDE).any():
        return Refusal("a grid of more cells than the sheet has was seen")
    if not ends_seen:
        return Refusal(f"{size} that has none of the sheet's heavier lines and reaches the picture's edge")
    cells = _cells(evidence, pattern, row, col)
    if _black_share(cells) > MOST_BLACK:
        return Refusal(f"{size}, but some of its cells are printed black, as in a crossword")
    if _is_chequered(cells[:, :, CELL_PX // 4 : -CELL_PX // 4, CELL_PX // 4 : -CELL_PX // 4]):
        return Refusal(f"{size}, but its cells are dark and light by turns, as on a chessboard")
    return None


def _worst_line(upright: npt.NDArray[np.float32], level: npt.NDArray[np.float32], pattern: Pattern) -> float:
    """Mean evidence of the pattern's least visible whole line."""
    counts = pattern.upright.sum(axis=0)[1:-1]
    sums = (upright * pattern.upright).sum(axis=0)[1:-1]
    counts_level = pattern.level.sum(axis=1)[1:-1]
    sums_level = (level * pattern.level).sum(axis=1)[1:-1]
    means = np.concatenate(
        [sums[counts > 0] / counts[counts > 0], sums_level[counts_level > 0] / counts_level[counts_level > 0]]
    )
    return float(means.min(initial=1.0))


def _beyond(
    upright: npt.NDArray[np.float32],
    level: npt.NDArray[np.float32],
    pattern: Pattern,
    visible: npt.NDArray[np.bool_],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Mean evidence beyond each border: of lines across it and of the next line along it, float64 [4] each.

    Only what lies inside the picture counts; where that is too little to tell, the evidence is 0.
    """
    wide = np.pad(visible, 1)
    upright_seen = wide[1:-1, :-1] | wide[1:-1, 1:]
    level_seen = wide[:-1, 1:-1] | wide[1:, 1:-1]
    across, along = [], []
    for border in pattern.borders:
        edges, seen = (upright, upright_seen) if border.is_upright else (level, level_seen)
        across.append(_mean(edges, border.across & seen))
        edges, seen = (level, level_seen) if border.is_upright else (upright, upright_seen)
        along.append(_mean(edges, border.along & seen))
    return np.array(across), np.array(along)


def _mean(values: npt.NDArray[np.float32], where: npt.NDArray[np.bool_]) -> float:
    """Mean of the values in a mask; 0 when these are too few to tell."""
    return float(values[where].mean()) if where.sum() >= FEWEST_EDGES else 0.0


def _seen(border: Border, visible: npt.NDArray[np.bool_]) -> bool:
    """Can one see what lies beyond a border, at least along most of it?"""
    return float(visible[border.outside].mean()) > 0.5


def _cells(evidence: LineEvidence, pattern: Pattern, row: int, col: int) -> npt.NDArray[np.uint8]:
    """The window's cells [rows, cols, CELL_PX, CELL_PX], each from line to line."""
    top, left = RIM_PX + (row + 1) * CELL_PX, RIM_PX + (col + 1) * CELL_PX
    piece = evidence.rectified[top : top + pattern.rows * CELL_PX, left : left + pattern.cols * CELL_PX]
    return piece.reshape(pattern.rows, CELL_PX, pattern.cols, CELL_PX).transpose(0, 2, 1, 3)


def _black_share(cells: npt.NDArray[np.uint8]) -> float:
    """Share of cells that are as dark inside as their own lines.

    A shadow darkens paper and lines alike, so that in a shaded cell the lines still stand out; in a black one they
    don't.
    """
    rows, cols = cells.shape[:2]
    quarter = CELL_PX // 4
    inner = np.median(cells[:, :, quarter:-quarter, quarter:-quarter].reshape(rows, cols, -1), axis=2)
    rim = np.ones((CELL_PX, CELL_PX), dtype=np.bool_)
    rim[quarter // 2 : -(quarter // 2), quarter // 2 : -(quarter // 2)] = False
    line = np.percentile(cells[:, :, rim], 15, axis=2)
    depth = (inner - line) / np.maximum(inner, 16.0)
    usual = float(np.percentile(depth, 75))
    return float((depth < BLACK * usual).mean()) if usual > 0 else 1.0


def _is_chequered(inner: npt.NDArray[np.uint8]) -> bool:
    """Does the shading change from each cell to the next? inner: uint8 [rows, cols, h, w], the middles of the cells."""
    rows, cols = inner.shape[:2]
    tone = np.log(np.maximum(np.percentile(inner.reshape(rows, cols, -1), 70, axis=2), 8.0))
    # Against the mean of the four neighbours, which takes light that falls off, and a step of it, out of the account.
    middle = tone[1:-1, 1:-1]
    change = middle - 0.25 * (tone[:-2, 1:-1] + tone[2:, 1:-1] + tone[1:-1, :-2] + tone[1:-1, 2:])
    parity = 1 - 2 * (np.indices(change.shape).sum(axis=0) % 2)
    step = abs(float((change * parity).mean()))
    return step > CHEQUER_STEP and step > CHEQUERED * float(np.abs(change).mean())
