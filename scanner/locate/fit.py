"""Which window of a lattice is which template: scored by where lines are and where they must not be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from scanner.geometry import Homography
from scanner.locate.evidence import LineEvidence
from scanner.locate.lattice import Lattice
from scanner.templates import Template

ACCEPT = 0.62
"""Score from which a window is a sheet. A right window of the worst real photo has about 0.75, a lattice that goes on
beyond the window (a floor, a spreadsheet, a crossword) at most 0.45."""
WORST_LINE = 0.3
"""Every single line of the template has to be seen at least this much: a board one row short is not the sheet."""
OUTSIDE = 0.7
"""Weight of lines that go on beyond the sheet, where it has to end."""
HEAVY = 0.25
"""Weight of the contrast between heavy and thin lines, where the template has both."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A square template's lines, in one of its four turns. Window coordinates have a rim of one cell around the sheet.

    upright: bool [rows + 2, cols + 3], level: bool [rows + 3, cols + 2]: edges that carry a line.
    upright_stub, level_stub: edges that would carry on a line beyond the sheet.
    upright_heavy, level_heavy: those inner edges that are printed heavier; empty masks when all are alike.
    """

    template: Template
    turns: int
    rows: int
    cols: int
    upright: npt.NDArray[np.bool_]
    level: npt.NDArray[np.bool_]
    upright_stub: npt.NDArray[np.bool_]
    level_stub: npt.NDArray[np.bool_]
    upright_heavy: npt.NDArray[np.bool_]
    level_heavy: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Window:
    """A place where a template fits a lattice.

    origin: (column, row) in lattice coordinates of the pattern's top left cell. turns: clockwise quarter turns of the
    template in the picture. score: at most 1 + HEAVY.
    """

    template: Template
    turns: int
    origin: tuple[int, int]
    rows: int
    cols: int
    score: float


def _upright_lines(mask: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """(lines, stubs) among the upright edges of a mask [rows, cols] with a rim of one cell."""
    wide = np.pad(mask, 1)
    rows, cols = wide.shape
    lines = np.zeros((rows, cols + 1), dtype=np.bool_)
    lines[:, :-1] |= wide
    lines[:, 1:] |= wide
    beside = np.zeros_like(lines)
    beside[1:] |= lines[:-1]
    beside[:-1] |= lines[1:]
    return lines, beside & ~lines


def _upright_pattern(template: Template) -> Pattern | None:
    """The pattern of a template that isn't turned; null for a template without a square lattice."""
    grid = template.grid
    if grid is None:
        return None
    mask = template.lattice_mask()
    upright, upright_stub = _upright_lines(mask)
    level_t, level_stub_t = _upright_lines(np.ascontiguousarray(mask.T))
    level = level_t.T
    upright_heavy, level_heavy = np.zeros_like(upright), np.zeros_like(level)
    if grid.heavy is not None:
        every_col, every_row = grid.heavy
        for c in range(every_col, grid.cols, every_col):
            upright_heavy[:, c + 1] = upright[:, c + 1]
        for r in range(every_row, grid.rows, every_row):
            level_heavy[r + 1, :] = level[r + 1, :]
    return Pattern(
        template, 0, grid.rows, grid.cols, upright, level, upright_stub, level_stub_t.T, upright_heavy, level_heavy
    )


def _quarter_turn(pattern: Pattern) -> Pattern:
    """The pattern turned clockwise by one more quarter: upright lines become level ones and the other way round."""

    def turned(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        return np.ascontiguousarray(np.rot90(mask, -1))

    return Pattern(
        pattern.template,
        pattern.turns + 1,
        pattern.cols,
        pattern.rows,
        upright=turned(pattern.level),
        level=turned(pattern.upright),
        upright_stub=turned(pattern.level_stub),
        level_stub=turned(pattern.upright_stub),
        upright_heavy=turned(pattern.level_heavy),
        level_heavy=turned(pattern.upright_heavy),
    )


def _four_turns(template: Template) -> tuple[Pattern, ...]:
    """The pattern in its four turns; none for a template without a square lattice."""
    first = _upright_pattern(template)
    if first is None:
        return ()
    second = _quarter_turn(first)
    third = _quarter_turn(second)
    return first, second, third, _quarter_turn(third)


def _alike(one: Pattern, other: Pattern) -> bool:
    """Do both print the same lines?"""
    return (
        np.array_equal(one.upright, other.upright)
        and np.array_equal(one.level, other.level)
        and np.array_equal(one.upright_heavy, other.upright_heavy)
        and np.array_equal(one.level_heavy, other.level_heavy)
    )


def patterns(template: Template) -> tuple[Pattern, ...]:
    """A template's patterns, without turns that look the same as an earlier one."""
    found: list[Pattern] = []
    for pattern in _four_turns(template):
        if not any(_alike(pattern, other) for other in found):
            found.append(pattern)
    return tuple(found)


def same_turns(template: Template) -> tuple[int, ...]:
    """The quarter turns, apart from none, that leave the template's printed lines as they are."""
    first, *others = _four_turns(template)
    return tuple(other.turns for other in others if _alike(first, other))


def _correlate(values: npt.NDArray[np.float32], kernel: npt.NDArray[np.bool_]) -> npt.NDArray[np.float32]:
    """Sum of `values` under a mask at every place where the mask lies inside: float32 [H - h + 1, W - w + 1]."""
    summed = cv2.matchTemplate(values.astype(np.float32), kernel.astype(np.float32), cv2.TM_CCORR)
    return np.asarray(summed, dtype=np.float32)


def windows(evidence: LineEvidence, pattern: Pattern) -> Iterable[Window]:
    """The windows where a pattern fits well enough, best first, not overlapping each other."""
    high = evidence.level.shape[0] - 1 - (pattern.rows + 2)
    wide = evidence.upright.shape[1] - 1 - (pattern.cols + 2)
    if high < 0 or wide < 0:
        return
    lines = float(pattern.upright.sum() + pattern.level.sum())
    stubs = float(pattern.upright_stub.sum() + pattern.level_stub.sum())
    inside = _correlate(evidence.upright, pattern.upright) + _correlate(evidence.level, pattern.level)
    outside = _correlate(evidence.upright, pattern.upright_stub) + _correlate(evidence.level, pattern.level_stub)
    score = inside / lines - OUTSIDE * outside / stubs
    if pattern.upright_heavy.any() or pattern.level_heavy.any():
        score = score + HEAVY * np.clip(_heaviness(evidence, pattern), -0.5, 1.0)
    while True:
        row, col = np.unravel_index(int(score.argmax()), score.shape)
        best = float(score[row, col])
        if best < ACCEPT:
            return
        r, c = int(row), int(col)
        if _worst_line(evidence, pattern, r, c) >= WORST_LINE:
            origin = (evidence.first[0] + c + 1, evidence.first[1] + r + 1)
            yield Window(pattern.template, pattern.turns, origin, pattern.rows, pattern.cols, best)
            score[max(0, r - pattern.rows + 1) : r + pattern.rows, max(0, c - pattern.cols + 1) : c + pattern.cols] = -1
        else:
            score[r, c] = -1


def _heaviness(evidence: LineEvidence, pattern: Pattern) -> npt.NDArray[np.float32]:
    """How much darker the heavy inner lines are than the thin inner ones, relative to the thin ones."""
    thin_upright = pattern.upright & ~pattern.upright_heavy
    thin_level = pattern.level & ~pattern.level_heavy
    # The outer border is often heavy too, whatever the template says: leave it out of both.
    thin_upright[:, 1] = thin_upright[:, -2] = False
    thin_level[1, :] = thin_level[-2, :] = False
    heavy_sum = _correlate(evidence.upright_weight, pattern.upright_heavy) + _correlate(
        evidence.level_weight, pattern.level_heavy
    )
    thin_sum = _correlate(evidence.upright_weight, thin_upright) + _correlate(evidence.level_weight, thin_level)
    heavy = heavy_sum / float(pattern.upright_heavy.sum() + pattern.level_heavy.sum())
    thin = thin_sum / float(thin_upright.sum() + thin_level.sum())
    return np.asarray((heavy - thin) / np.maximum(thin, 1e-3), dtype=np.float32)


def _worst_line(evidence: LineEvidence, pattern: Pattern, row: int, col: int) -> float:
    """Mean evidence of the template's least visible whole line in a window."""
    upright = evidence.upright[row : row + pattern.rows + 2, col : col + pattern.cols + 3]
    level = evidence.level[row : row + pattern.rows + 3, col : col + pattern.cols + 2]
    counts = pattern.upright.sum(axis=0)[1:-1]
    sums = (upright * pattern.upright).sum(axis=0)[1:-1]
    counts_level = pattern.level.sum(axis=1)[1:-1]
    sums_level = (level * pattern.level).sum(axis=1)[1:-1]
    means = np.concatenate([sums / np.maximum(counts, 1), sums_level / np.maximum(counts_level, 1)])
    return float(means.min())


def aspect_possible(lattice: Lattice, shape: tuple[int, ...], pitch: tuple[float, float]) -> bool:
    """Could the lattice's cells have the template's proportions, seen by some camera?

    A homography fixes the proportions once the focal length is known; phones have 0.6 to 1 of the long side, a cropped
    or zoomed photo more. The span between the two has to come near the template's.
    Source: Zhang, Whiteboard scanning and image enhancement (MSR-TR-2003-39), with the centre as principal point.
    """
    long_side = float(max(shape))
    centre = np.array([[1, 0, -shape[1] / 2], [0, 1, -shape[0] / 2], [0, 0, 1]], dtype=np.float64)
    matrix = centre @ lattice.matrix
    ratios = []
    for focal in (0.6, 0.8, 1.0, 1.5, 3.0):
        across = matrix[:, 0] / np.array([focal * long_side, focal * long_side, 1.0])
        down = matrix[:, 1] / np.array([focal * long_side, focal * long_side, 1.0])
        ratios.append(float(np.linalg.norm(across) / np.linalg.norm(down)))
    wanted = pitch[0] / pitch[1]
    slack = 1.3
    return min(ratios) / slack <= wanted <= max(ratios) * slack


def window_matrix(lattice: Lattice, window: Window) -> Homography:
    """From the upright template's lattice coordinates (column, row from its top left) to px of the working picture."""
    turn = turn_matrix(window.turns, window.rows, window.cols)
    shift = np.array([[1, 0, window.origin[0]], [0, 1, window.origin[1]], [0, 0, 1]], dtype=np.float64)
    return Homography(lattice.matrix @ shift @ turn)


def turn_matrix(turns: int, rows: int, cols: int) -> npt.NDArray[np.float64]:
    """Template coordinates to those of its picture turned clockwise, which is `rows` high and `cols` wide."""
    if turns == 1:
        return np.array([[0, -1, cols], [1, 0, 0], [0, 0, 1]], dtype=np.float64)
    if turns == 2:
        return np.array([[-1, 0, cols], [0, -1, rows], [0, 0, 1]], dtype=np.float64)
    if turns == 3:
        return np.array([[0, 1, 0], [-1, 0, rows], [0, 0, 1]], dtype=np.float64)
    return np.eye(3)
