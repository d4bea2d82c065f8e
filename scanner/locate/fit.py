"""Which window of a lattice is which template: scored by where lines are and where they must not be.

The score ranks the windows; whether the best of them is a sheet at all is for `scanner.locate.honest` to say.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from scanner.geometry import Homography
from scanner.locate.evidence import LineEvidence
from scanner.locate.honest import Refusal, refusal
from scanner.locate.lattice import Lattice
from scanner.locate.pattern import Pattern
from scanner.templates import Template

ACCEPT = 0.66
"""Score from which a window may be a sheet. A right window of the worst real photo has about 0.75, the inside of a grid
that goes on to all sides less than 0.6."""
ACCEPT_DARK_FIELD = 0.8
"""The same for sheets with a dark field, printed in colour or plainly: they have no heavier lines by which to tell them
from the calendars and tables that share most of their lines. The least of 300 generated pads has 0.84."""
OUTSIDE = 0.7
"""Weight of lines that go on beyond the sheet, where it has to end."""
HEAVY = 0.25
"""Weight of the contrast between heavy and thin lines, where the template has both."""
MOST_WINDOWS = 60
"""Windows of one lattice that are looked at; only a grid without an end has more that score well."""


@dataclass(frozen=True, slots=True)
class Window:
    """A place where a template fits a lattice.

    origin: (column, row) in lattice coordinates of the pattern's top left cell. turns: clockwise quarter turns of the
    template in the picture. score: at most 1 + HEAVY. heaviness: how much darker the template's heavy lines are than
    its thin ones, relative to these, across or down, whichever is less; null for a template with one kind of line.
    """

    template: Template
    turns: int
    origin: tuple[int, int]
    rows: int
    cols: int
    score: float
    heaviness: float | None


@dataclass(frozen=True, slots=True)
class Refused:
    """A window that fits as well as a sheet, and why it is none."""

    window: Window
    why: Refusal


def _correlate(values: npt.NDArray[np.float32], kernel: npt.NDArray[np.bool_]) -> npt.NDArray[np.float32]:
    """Sum of `values` under a mask at every place where the mask lies inside: float32 [H - h + 1, W - w + 1]."""
    summed = cv2.matchTemplate(values.astype(np.float32), kernel.astype(np.float32), cv2.TM_CCORR)
    return np.asarray(summed, dtype=np.float32)


def windows(evidence: LineEvidence, pattern: Pattern, accept: float = ACCEPT) -> Iterable[Window | Refused]:
    """The windows where a pattern fits well enough, best first, not overlapping each other. accept: least score.

    In between come those that fit as well but are no sheet.
    """
    high = evidence.level.shape[0] - 1 - (pattern.rows + 2)
    wide = evidence.upright.shape[1] - 1 - (pattern.cols + 2)
    if high < 0 or wide < 0:
        return
    lines = float(pattern.upright.sum() + pattern.level.sum())
    stubs = float(pattern.upright_stub.sum() + pattern.level_stub.sum())
    inside = _correlate(evidence.upright, pattern.upright) + _correlate(evidence.level, pattern.level)
    outside = _correlate(evidence.upright, pattern.upright_stub) + _correlate(evidence.level, pattern.level_stub)
    inside = inside / lines
    score = inside - OUTSIDE * outside / stubs
    directions = _heaviness(evidence, pattern)
    if directions:
        score = score + HEAVY * np.clip(np.mean(directions, axis=0), -0.5, 1.0)
    for _ in range(MOST_WINDOWS):
        row, col = np.unravel_index(int(score.argmax()), score.shape)
        best = float(score[row, col])
        if best < accept:
            return
        r, c = int(row), int(col)
        heavier = min((float(direction[r, c]) for direction in directions), default=None)
        why_not = refusal(evidence, pattern, r, c, float(inside[r, c]), heavier)
        origin = (evidence.first[0] + c + 1, evidence.first[1] + r + 1)
        window = Window(pattern.template, pattern.turns, origin, pattern.rows, pattern.cols, best, heavier)
        if why_not is None:
            yield window
            score[max(0, r - pattern.rows + 1) : r + pattern.rows, max(0, c - pattern.cols + 1) : c + pattern.cols] = -1
        else:
            yield Refused(window, why_not)
            score[r, c] = -1


def _heaviness(evidence: LineEvidence, pattern: Pattern) -> list[npt.NDArray[np.float32]]:
    """How much darker heavy inner lines are than thin inner ones, relative to the thin ones.

    One map of all windows for the upright lines and one for the level ones; none for those that are all alike.
    """
    # The outer border is often heavy too, whatever the template says: leave it out of both.
    inner_upright, inner_level = pattern.upright.copy(), pattern.level.copy()
    inner_upright[:, 1] = inner_upright[:, -2] = False
    inner_level[1, :] = inner_level[-2, :] = False
    found = []
    for weight, heavy, inner in (
        (evidence.upright_weight, pattern.upright_heavy, inner_upright),
        (evidence.level_weight, pattern.level_heavy, inner_level),
    ):
        thin = inner & ~heavy
        if heavy.any() and thin.any():
            dark = _correlate(weight, heavy) / float(heavy.sum())
            usual = _correlate(weight, thin) / float(thin.sum())
            found.append(np.asarray((dark - usual) / np.maximum(usual, 1e-3), dtype=np.float32))
    return found


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
