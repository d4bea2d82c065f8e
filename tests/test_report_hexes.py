"""Connections on hex sheets: bars across the shared sides, rings around both ends, the middles left to the ink."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pytest

from scanner.board import ReadBoard
from scanner.games.hexroller import HexRoller
from scanner.geometry import FloatArray
from scanner.report.groups import group_marks
from scanner.report.hexes import draw_connection
from scanner.report.picture import annotate
from scanner.resolve import resolve
from scanner.results import CellReading
from scanner.sheet import Sheet
from scanner.templates import get_template

FRONT = get_template("hexroller-front")
PX_PER_MM = 6.0
POLYGONS = {
    cell.id: np.array([[PX_PER_MM * point.x, PX_PER_MM * point.y] for point in cell.polygon]) for cell in FRONT.cells
}
PAPER = 200
LINE = ("q0r-1", "q0r0", "q0r1", "q0r2")
"""The 3s of the front, joined by the two hexes between them."""


def sheet(**written: int | str) -> Sheet:
    cells = {cell.id: cell.printed for cell in FRONT.cells} | written
    read = ReadBoard(
        FRONT.id,
        {cell: CellReading(cell, value, "blank" if value is None else "read") for cell, value in cells.items()},
    )
    return Sheet("photo.jpg", 1, 1, FRONT, None, read, resolve(read, FRONT, HexRoller()))


def blank() -> npt.NDArray[np.uint8]:
    width, height = (round(PX_PER_MM * side) for side in FRONT.size)
    return np.full((height, width, 3), PAPER, dtype=np.uint8)


def drawn() -> npt.NDArray[np.uint8]:
    judged = sheet(q0r0=3, q0r1=3)
    [mark] = [mark for mark in group_marks(judged.verdict.score.lines, FRONT, POLYGONS) if mark.line]
    assert mark.line in (LINE, LINE[::-1])
    assert not mark.outlined
    picture = blank()
    draw_connection(picture, mark, POLYGONS)
    return picture


def middle(cell: str) -> FloatArray:
    return np.asarray(POLYGONS[cell].mean(axis=0))


def touched(picture: npt.NDArray[np.uint8], at: FloatArray, radius: float) -> bool:
    ys, xs = np.mgrid[: picture.shape[0], : picture.shape[1]]
    near = (xs - at[0]) ** 2 + (ys - at[1]) ** 2 <= radius**2
    return bool((picture[near] != PAPER).any())


def test_bars_lie_across_the_shared_sides() -> None:
    picture = drawn()
    for here, there in itertools.pairwise(LINE):
        assert touched(picture, (middle(here) + middle(there)) / 2, 2.0)
    assert not touched(picture, (middle("q0r0") + middle("q1r0")) / 2, 2.0)


def test_the_middles_are_left_to_the_ink() -> None:
    picture = drawn()
    side = PX_PER_MM * 14  # the pitch, which is a hex's width
    for cell in LINE:
        assert not touched(picture, middle(cell), 0.27 * side), cell


def test_only_the_ends_have_rings() -> None:
    picture = drawn()
    side = PX_PER_MM * 14
    for cell, ringed in zip(LINE, (True, False, False, True), strict=True):
        # the line runs to the lower right and back, so nothing but a ring crosses the way to the left
        left = middle(cell) - np.array([0.39 * side, 0.0])
        assert touched(picture, left, 2.0) == ringed, cell


@pytest.mark.parametrize(("joined", "greens"), [(True, 1), (False, 0)])
def test_the_whole_picture_shows_the_line(joined: bool, greens: int) -> None:
    judged = sheet(q0r0=3, q0r1=3) if joined else sheet(q0r0=3)
    assert sum(bool(group.line) for line in judged.verdict.score.lines for group in line.groups) == greens
    image = annotate(blank(), judged, POLYGONS)
    assert image.mode == "RGB"


def test_a_straight_is_outlined_box_by_box() -> None:
    judged = sheet(top1=3, top2=5, top3=4, top4=8)
    marks = group_marks(judged.verdict.score.lines, FRONT, POLYGONS)
    assert [mark.cells for mark in marks if mark.outlined and mark.points == 5] == [("top1", "top2", "top3")]
