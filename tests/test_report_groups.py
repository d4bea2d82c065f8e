"""Groups that score, in the annotated picture: outlines along the outer sides of the right cells, points, symbols."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from report_samples import HEXES, clear_sheet, fitted, paper, plain_sheet, polygons

from scanner.board import ReadBoard
from scanner.games.base import GameContext
from scanner.games.registry import get_game
from scanner.geometry import FloatArray, Hex, Square
from scanner.report.groups import GROUP_COLORS, group_marks
from scanner.report.picture import annotate
from scanner.report.signs import DARK, GREEN, VERMILLION, Color
from scanner.report.strips import banner, notes
from scanner.report.upright import Upright, upright
from scanner.resolve import resolve
from scanner.results import CellReading, Score, ScoreGroup, ScoreLine, Verdict
from scanner.sheet import Sheet
from scanner.templates import Template, get_template, load_templates, parse_template
from scanner.templates.model import Symbol
from scanner.typed import parse_typed

PAD_A, PAD_B = get_template("splitter-a"), get_template("splitter-b")
# invented, with many small groups; on B three 4s on the hearts
DENSE_A = """
template = splitter-a
- - 1 2 2 1 - -
- 2 2 1 3 3 3 -
1 3 3 4 4 1 2 2
2 2 3 4 4 5 5 1
5 1 6 6 6 5 5 3
- 5 1 6 6 5 3 -
- - 4 6 1 3 - -
"""
DENSE_B = """
template = splitter-b
1 2 2 - - 1 4 1
3 3 3 1 2 2 3 3
- 4 1 4 4 1 3 -
- 2 2 - - 5 5 -
- 1 3 3 4 5 5 -
6 6 6 3 1 2 5 4
6 2 2 - - 2 2 1
"""
# by hand: the outlined groups of the boards above
GROUPS_A = (
    "r1c3", "r1c4 r1c5", "r1c6", "r2c2 r2c3", "r2c4", "r2c5 r2c6 r2c7", "r3c1", "r3c2 r3c3 r4c3",
    "r3c4 r3c5 r4c4 r4c5", "r3c6", "r3c7 r3c8", "r4c1 r4c2", "r4c6 r4c7 r5c6 r5c7 r6c6", "r4c8", "r5c2",
    "r5c3 r5c4 r5c5 r6c4 r6c5 r7c4", "r6c3", "r7c5",
)  # fmt: skip
GROUPS_B = (
    "r1c1", "r1c2 r1c3", "r1c6", "r1c8", "r2c1 r2c2 r2c3", "r2c4", "r2c5 r2c6", "r2c7 r2c8 r3c7", "r3c3", "r3c6",
    "r4c2 r4c3", "r4c6 r4c7 r5c6 r5c7 r6c7", "r5c2", "r5c3 r5c4 r6c4", "r6c5", "r7c2 r7c3", "r7c8",
)  # fmt: skip
SIZES = [(640, 480), (1000, 800), (3024, 4032)]


def judged(text: str, **changed: CellReading) -> Sheet:
    """The sheet of a typed board, some cells of it read otherwise; all numbers handwritten."""
    [typed] = parse_typed(text.strip(), load_templates())
    cells = {
        cell: replace(reading, ink="hand") if reading.value is not None else reading
        for cell, reading in typed.board.cells.items()
    }
    board = ReadBoard(typed.template.id, cells | changed)
    verdict = resolve(board, typed.template, get_game(typed.template.game))
    return Sheet("pad.jpg", 1, 1, typed.template, None, board, verdict)


def drawn(sheet: Sheet, size: tuple[int, int] = (1000, 800)) -> tuple[npt.NDArray[np.uint8], Upright, Image.Image]:
    """The photo's part of the annotated picture, the same view without annotations, and the whole picture."""
    rgb = paper(size)
    cells = polygons(sheet.template, fitted(sheet.template, size))
    view = upright(rgb, sheet.template, cells)
    image = annotate(rgb, sheet, cells)
    top = banner(sheet, image.width).height
    return np.asarray(image)[top : top + view.picture.shape[0]], view, image


def sides(polygon: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
    """Of every side of a cell: its middle, and from there to the cell's middle."""
    middle = polygon.mean(axis=0)
    halves = [(a + b) / 2 for a, b in zip(polygon, np.roll(polygon, -1, axis=0), strict=True)]
    return [(half, middle - half) for half in halves]


def near(picture: npt.NDArray[np.uint8], color: Color) -> npt.NDArray[np.bool_]:
    return np.asarray(np.abs(picture.astype(int) - np.array(color)).max(axis=-1) < 24)


def colors_across(picture: npt.NDArray[np.uint8], half: FloatArray, inwards: FloatArray) -> set[Color]:
    """The groups' colours on the way from a side's middle, a fifth of the way to the cell's middle."""
    points = np.round(half + np.linspace(0.0, 0.2, 30)[:, None] * inwards).astype(int)
    points = np.clip(points, 0, [picture.shape[1] - 1, picture.shape[0] - 1])
    on_the_way = picture[points[:, 1], points[:, 0]]
    return {color for color in GROUP_COLORS if near(on_the_way, color).sum() >= 3}


def neighbour(template: Template, cell_id: str, side: int) -> str | None:
    """The cell across a side; sides count clockwise, those of squares from the top, of hexes from the upper right."""
    place = template.cell(cell_id).place
    if isinstance(place, Hex):
        dq, dr = [(1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1)][side]
        other = template.at(Hex(place.q + dq, place.r + dr))
    else:
        assert isinstance(place, Square)
        dy, dx = [(-1, 0), (0, 1), (1, 0), (0, -1)][side]
        other = template.at(Square(place.row + dy, place.col + dx))
    return None if other is None else other.id


def check_outlines(picture: npt.NDArray[np.uint8], view: Upright, template: Template, groups: Iterable[str]) -> None:
    """Along every outer side of a group runs its one colour, along no other side any."""
    by_cell = {cell: group.split() for group in groups for cell in group.split()}
    colors: dict[str, set[Color]] = {}
    for cell in template.lattice_cells:
        for number, (half, inwards) in enumerate(sides(view.polygons[cell.id])):
            group = by_cell.get(cell.id, [])
            seen = colors_across(picture, half, inwards)
            if group and neighbour(template, cell.id, number) not in group:
                assert len(seen) == 1, (cell.id, number, seen)
                colors.setdefault(group[0], set()).update(seen)
            else:
                assert not seen, (cell.id, number, seen)
    assert all(len(of_group) == 1 for of_group in colors.values())


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("text", "groups"), [(DENSE_A, GROUPS_A), (DENSE_B, GROUPS_B)], ids=["a", "b"])
def test_outlines_run_along_the_outer_sides_of_groups_only(
    text: str, groups: tuple[str, ...], size: tuple[int, int]
) -> None:
    sheet = judged(text)
    assert sheet.verdict.flags == ()
    picture, view, _ = drawn(sheet, size)
    check_outlines(picture, view, sheet.template, groups)


@pytest.mark.parametrize("text", [DENSE_A, DENSE_B], ids=["a", "b"])
def test_the_ink_stays_in_sight_between_outlines_readings_and_points(text: str) -> None:
    picture, view, _ = drawn(judged(text))
    for cell in view.polygons:
        low, high = view.polygons[cell].min(axis=0), view.polygons[cell].max(axis=0)
        for part, untouched in ((0.36, 0.999), (0.6, 0.75)):
            (x0, y0), (x1, y1) = (
                np.round((low + high) / 2 + sign * part / 2 * (high - low)).astype(int) for sign in (-1, 1)
            )
            same = (picture[y0:y1, x0:x1] == view.picture[y0:y1, x0:x1]).all(axis=2).mean()
            assert same >= untouched, (cell, part, same)


def test_outlines_of_hexes() -> None:
    groups = ("q0r0 q1r0 q0r1", "q-1r-1", "q0r-1 q1r-2")
    lines = tuple(ScoreLine("areas", 3, tuple(g.split()), (ScoreGroup(tuple(g.split()), 3),)) for g in groups)
    sheet = plain_sheet(HEXES, {}, Verdict(Score(9, lines), (9, 9), True, ()))
    picture, view, _ = drawn(sheet)
    check_outlines(picture, view, HEXES, groups)


def test_gaps_between_the_cells_belong_to_the_group() -> None:
    gaps = parse_template(
        b"""schema = 1
id = "gaps"
title = "Cells with gaps between them"
game = "gaps"
size = [100, 100]
[grid]
origin = [10, 10]
pitch = [20, 20]
cell = [18, 18]
rows = 4
cols = 4
values = [1, 6]
""",
        source="gaps.toml",
        games={"gaps"},
    )
    groups = ("r1c1 r1c2 r2c2", "r3c3", "r4c3 r4c4")
    lines = tuple(ScoreLine("groups", 3, (), (ScoreGroup(tuple(g.split()), 3),)) for g in groups)
    picture, view, _ = drawn(plain_sheet(gaps, {}, Verdict(Score(9, lines), (9, 9), True, ())))
    check_outlines(picture, view, gaps, groups)


def test_a_ring_has_an_outline_inside_as_well() -> None:
    ring = tuple(f"r{row}c{col}" for row in (3, 4, 5) for col in (3, 4, 5) if (row, col) != (4, 4))
    verdict = Verdict(Score(8, (ScoreLine("ring", 8, ring, (ScoreGroup(ring, 8),)),)), (8, 8), True, ())
    picture, view, _ = drawn(plain_sheet(PAD_A, {}, verdict))
    check_outlines(picture, view, PAD_A, [" ".join(ring)])


@st.composite
def _filled(draw: st.DrawFn) -> Sheet:
    """A pad whose cells are all filled; with few different numbers, so that groups are of all sizes."""
    template = draw(st.sampled_from([PAD_A, PAD_B]))
    highest = draw(st.integers(2, 6))
    values = {cell.id: draw(st.integers(1, highest)) for cell in template.lattice_cells}
    board = plain_sheet(template, values, Verdict(Score(0), (0, 0), True, ())).board
    score = get_game("splitter").score(board, template, GameContext())
    total = score.total or 0
    return Sheet("pad.jpg", 1, 1, template, None, board, Verdict(score, (total, total), True, ()))


@given(_filled())
@settings(max_examples=60, deadline=None)
def test_groups_side_by_side_have_different_colours(sheet: Sheet) -> None:
    marks = group_marks(sheet.verdict.score.lines, sheet.template, sheet.template.ids)
    assert sum(mark.points for mark in marks) == sheet.verdict.score.total
    of_cell = {cell: mark for mark in marks if mark.outlined for cell in mark.cells}
    for cell, mark in of_cell.items():
        for side in range(4):
            other = of_cell.get(neighbour(sheet.template, cell, side) or "")
            assert other is None or other is mark or other.color != mark.color


@given(_filled())
@settings(max_examples=8, deadline=None)
def test_outlines_are_right_on_any_board(sheet: Sheet) -> None:
    marks = group_marks(sheet.verdict.score.lines, sheet.template, sheet.template.ids)
    picture, view, _ = drawn(sheet)
    check_outlines(picture, view, sheet.template, [" ".join(mark.cells) for mark in marks if mark.outlined])


def test_nothing_is_outlined_where_nothing_scores() -> None:
    # twenty-two pairs of 6s: one group of 44
    rows = DENSE_A
    for digit in "12345":
        rows = rows.replace(f" {digit}", " 6").replace(f"\n{digit}", "\n6")
    sheet = judged(rows)
    assert sheet.verdict.score.total == 0
    picture, view, _ = drawn(sheet)
    check_outlines(picture, view, PAD_A, ())


def symbols_drawn(sheet: Sheet, monkeypatch: pytest.MonkeyPatch) -> set[tuple[str, str]]:
    """The symbols on the photo and the cells that hold them."""
    placed: list[tuple[str, float, float]] = []

    def note(pen: object, symbol: Symbol, x: float, y: float, size: float, color: Color) -> None:
        placed.append((symbol, x + size / 2, y + size / 2))

    monkeypatch.setattr("scanner.report.picture.draw_symbol", note)
    _, view, _ = drawn(sheet)
    return {
        (cell, symbol)
        for symbol, x, y in placed
        for cell, polygon in view.polygons.items()
        if (polygon.min(axis=0) < (x, y)).all() and (polygon.max(axis=0) > (x, y)).all()
    }


def test_stars_that_doubled_and_hearts_that_counted_are_marked_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    hearts = {(cell, "heart") for cell in ("r1c7", "r3c2", "r5c5")}
    assert symbols_drawn(judged(DENSE_B), monkeypatch) == {*hearts, ("r7c2", "star")}
    # r5c5 no longer equal to the others, and nothing scores on the star
    other = DENSE_B.replace("1 3 3 4 5", "1 3 3 2 5").replace("6 2 2 - -", "6 2 6 - -")
    assert symbols_drawn(judged(other), monkeypatch) == set()


def test_a_scoring_cell_that_breaks_a_rule_shows_both() -> None:
    # r1c3 is empty, its mirrored cell r1c6 a lone 1, which scores
    sheet = judged(DENSE_A, r1c3=CellReading("r1c3", None, "blank"))
    [flag] = sheet.verdict.flags
    assert flag.cells == ("r1c3", "r1c6")
    picture, view, _ = drawn(sheet)
    check = {side: colors_across(picture, *place) for side, place in enumerate(sides(view.polygons["r1c6"]))}
    assert all(len(colors) == 1 for colors in check.values())
    low, high = (
        np.round(v).astype(int) for v in (view.polygons["r1c6"].min(axis=0), view.polygons["r1c6"].max(axis=0))
    )
    assert near(picture[low[1] : high[1], low[0] : high[0]], VERMILLION).mean() > 0.05


def test_boxes_that_nobody_looked_at_are_left_out_of_the_picture() -> None:
    boxes = {cell.id: CellReading(cell.id, None, "unreadable", 0.0) for cell in PAD_A.cells if cell.place is None}
    sheet = judged(DENSE_A, **boxes)
    assert sheet.verdict.sure
    rgb, cells = paper((1000, 800)), polygons(PAD_A, fitted(PAD_A, (1000, 800)))
    lattice = {cell_id: polygon for cell_id, polygon in cells.items() if cell_id not in boxes}
    assert np.array_equal(np.asarray(annotate(rgb, sheet, cells)), np.asarray(annotate(rgb, sheet, lattice)))
    whole = annotate(rgb, judged(DENSE_A), cells)
    # with the boxes the sheet is wider, its cells smaller
    assert whole.height < annotate(rgb, sheet, cells).height


def test_the_banner_tells_the_score_by_lines() -> None:
    sheet = judged(DENSE_B)
    alone = replace(sheet, verdict=replace(sheet.verdict, score=replace(sheet.verdict.score, lines=())))
    assert banner(sheet, 1120).height > banner(alone, 1120).height
    for width in (600, 1120):
        strip = np.asarray(banner(sheet, width))
        assert near(strip[:, -round(0.025 * width) :], DARK).all()  # nothing runs over its edge
    one_line = banner(clear_sheet(), 1120).height
    assert one_line == banner(alone, 1120).height
    many = tuple(ScoreLine(f"A long name of a line, number {n}", n) for n in range(30))
    crowded = replace(alone, verdict=replace(alone.verdict, score=replace(alone.verdict.score, lines=many)))
    assert banner(crowded, 1120).height == banner(alone, 1120).height


def test_the_legend_explains_groups_where_there_are_any() -> None:
    assert near(np.asarray(notes(judged(DENSE_A), (), 1120)), GREEN).any()
    nothing = plain_sheet(PAD_A, {}, Verdict(Score(0), (0, 0), True, ()))
    assert not near(np.asarray(notes(nothing, (), 1120)), GREEN).any()
