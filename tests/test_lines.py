"""Strokes along printed lines and along the edge of a dark field: what is written stays whole, what is printed goes."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from scanner.cells import CELL_PX, RIM_PX, cut_rectified
from scanner.printed_lines import without_lines

ROWS = COLS = 4
SIDE = ROWS * CELL_PX + 2 * RIM_PX
LINE, INK = 0.6, 0.8
Density = npt.NDArray[np.float32]


def at(place: float) -> int:
    """Pixel of a place in cells from the lattice's edge."""
    return RIM_PX + round(place * CELL_PX)


def lattice(shift: float = 0.0, width: int = 2) -> Density:
    """A lattice's printed lines, some pixels wide; the upright ones moved by some pixels."""
    sheet = np.zeros((SIDE, SIDE), np.float32)
    for k in range(ROWS + 1):
        place = RIM_PX + k * CELL_PX
        sheet[place : place + width, RIM_PX:-RIM_PX] = LINE
        moved = round(place + shift)
        sheet[RIM_PX:-RIM_PX, moved : moved + width] = LINE
    return np.asarray(cv2.GaussianBlur(sheet, (0, 0), 0.6), dtype=np.float32)


def written(top: float, bottom: float, left_px: float, width: int) -> Density:
    """An upright stroke; top and bottom in cells, its left side in px from the line between the second and third."""
    sheet = np.zeros((SIDE, SIDE), np.float32)
    left = round(at(2) + left_px)
    sheet[at(top) : at(bottom), left : left + width] = INK
    return np.asarray(cv2.GaussianBlur(sheet, (0, 0), 0.6), dtype=np.float32)


def cleared(density: Density, *, level: bool = False) -> Density:
    """Without lines; level: the same turned, so that what was upright is level."""
    turned = np.ascontiguousarray(density.T) if level else density
    upright, flat = np.ones((ROWS, COLS + 1), np.bool_), np.ones((ROWS + 1, COLS), np.bool_)
    result = without_lines(turned, upright, flat, CELL_PX)
    return np.ascontiguousarray(result.T) if level else result


@pytest.mark.parametrize("level", [False, True])
@pytest.mark.parametrize(("left_px", "width"), [(-4, 5), (-3, 5), (-2, 5), (-4, 6), (-1, 5)])
def test_a_stroke_along_a_line_stays_whole(left_px: int, width: int, level: bool) -> None:
    stroke = written(1.2, 1.8, left_px, width)
    ink = cleared(np.maximum(lattice(), stroke), level=level)
    inner = slice(at(1.25), at(1.75))
    thick = (ink[inner] > INK / 2).sum(axis=1)
    assert thick.min() >= width - 1
    assert thick.max() <= width + 1


@pytest.mark.parametrize("level", [False, True])
def test_lines_without_a_stroke_go(level: bool) -> None:
    assert cleared(lattice(), level=level)[RIM_PX + 8 : -RIM_PX - 8, RIM_PX + 8 : -RIM_PX - 8].max() < 0.1


@pytest.mark.parametrize("side", [-1, 1])
def test_a_thick_stroke_near_a_line_does_not_draw_the_line_to_it(side: int) -> None:
    """It is darker than the line along most of an edge; the line goes all the same, and the stroke stays."""
    left = -8 if side < 0 else 5
    stroke = written(0.95, 2.05, left, 5)
    ink = cleared(np.maximum(lattice(), stroke))
    line = ink[at(1.1) : at(1.9), at(2) - 1 : at(2) + 3]
    assert line.max() < LINE / 4
    beside = ink[at(1.1) : at(1.9), at(2) + left : at(2) + left + 5]
    assert beside[:, 1:-1].min() > INK / 2


def test_lines_of_bent_paper_go() -> None:
    """An edge may lie beside where it should be, if the others along its line do, too."""
    ink = cleared(lattice(shift=4.0))
    assert ink[RIM_PX + 8 : -RIM_PX - 8, RIM_PX + 8 : -RIM_PX - 12].max() < 0.1


def test_a_dark_stroke_that_touches_a_dark_field_is_no_field() -> None:
    """The top of a felt-tip 3 at a cell's upper edge, where the dark field begins."""
    mask = np.zeros((ROWS, COLS), np.bool_)
    mask[1:, :] = True
    flat = np.full((SIDE, SIDE), 35, np.uint8)
    flat[at(1) : at(4), at(0) : at(4)] = 190
    stroke = np.zeros_like(flat)
    stroke[at(1) - 1 : at(1) + 6, at(1.28) : at(1.72)] = 1
    stroke[at(1) : at(1.7), at(1.62) : at(1.72)] = 1
    flat[stroke > 0] = 25
    rows, cols = np.nonzero(mask)
    ids = tuple(f"r{row + 1}c{col + 1}" for row, col in zip(rows, cols, strict=True))
    present = np.ones(len(ids), np.bool_)
    batch = cut_rectified(flat, ids, rows, cols, ROWS, COLS, present, dark_field=True)
    picture = batch.ink[ids.index("r2c2"), 0]
    # the cell begins at the picture's 4th px, its edge is the field's; the stroke's bar ends at the 7th
    assert picture[5:7, 11:17].mean() > 128
    assert not batch.ink[ids.index("r2c3"), 0].any()


@pytest.mark.parametrize("width", [2, 3])
@pytest.mark.parametrize("slope", [-0.8, 0.8])
@pytest.mark.parametrize("level", [False, True])
def test_a_slanted_stroke_goes_on_across_a_line(slope: float, width: int, level: bool) -> None:
    """A thin stroke that crosses a line at an angle stays one piece, so that it belongs to one cell."""
    stroke = np.zeros((SIDE, SIDE), np.uint8)
    middle = (at(2) + 1, at(1.5))
    ends = [(middle[0] + dx, round(middle[1] + slope * dx)) for dx in (-12, 12)]
    cv2.line(stroke, ends[0], ends[1], (255,), 1, cv2.LINE_AA)
    drawn = INK * np.asarray(cv2.GaussianBlur(stroke, (0, 0), 0.6), dtype=np.float32) / 255
    ink = cleared(np.asarray(1 - (1 - lattice(width=width)) * (1 - drawn), dtype=np.float32), level=level)
    window = ink[at(1.1) : at(1.9), at(1.5) : at(2.5)]
    count, _, stats, _ = cv2.connectedComponentsWithStats((window > 0.38 * drawn.max()).astype(np.uint8))
    assert count == 2
    assert stats[1, cv2.CC_STAT_WIDTH] > 22


def test_strokes_that_end_at_a_line_stay_apart() -> None:
    """Two neighbours' strokes come near the line from both sides, one lower than the other."""
    drawn = np.zeros((SIDE, SIDE), np.float32)
    drawn[at(1.4) : at(1.4) + 3, at(2) - 15 : at(2) - 2] = INK
    drawn[at(1.4) + 6 : at(1.4) + 9, at(2) + 4 : at(2) + 18] = INK
    ink = cleared(np.asarray(1 - (1 - lattice()) * (1 - cv2.GaussianBlur(drawn, (0, 0), 0.6)), dtype=np.float32))
    count, _ = cv2.connectedComponents((ink[at(1.1) : at(1.9), at(1.5) : at(2.5)] > 0.38 * INK).astype(np.uint8))
    assert count == 3
