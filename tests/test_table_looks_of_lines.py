"""Tables whose lines aren't simply dark on light: faint ones, bands of colour, squared paper, rules wide apart."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from grids import photo
from test_locate_tables import Drawn, draw, off, placement
from test_table_open import HIGH, LEFT, TOP, assert_shape, edges, flat_pad, located, on_wood, ruled

from scanner.geometry import Homography
from scanner.locate import NotFound
from scanner.locate.table_axis import Axis, Taken
from scanner.locate.table_bands import with_band_edges
from scanner.locate.table_faint import faint_lines
from scanner.locate.table_frame import Frame
from scanner.locate.table_match import AxisMatch
from scanner.locate.table_rules import STRIPS, RuledLine, Rules
from scanner.locate.table_squared import drawn_rules
from scanner.locate.tables import _most_matched, _Seen, locate_tables
from scanner.templates import Template, get_template

KNIFFEL, LOOPIT, OPEN = (get_template(name) for name in ("kniffel", "loopit-pad", "score-table"))


def written_on(drawn: Drawn, games: int) -> Drawn:
    """The card with zeros in the cells of its first games, in the grey of a soft pencil."""
    gray = np.ascontiguousarray(drawn.photo.gray)
    top_left, _, bottom_right, bottom_left = drawn.corners
    step = np.array([(bottom_right - bottom_left)[0] / 6, (bottom_left - top_left)[1] / 19])
    for game in range(games):
        for row in range(19):
            x, y = top_left + step * (game + 0.5, row + 0.5)
            cv2.ellipse(gray, (round(x), round(y)), (6, 11), 15, 0, 360, 110, 2, cv2.LINE_AA)
    return Drawn(photo(gray), drawn.corners)


@pytest.mark.parametrize("turns", [0, 1])
def test_a_card_whose_lines_are_hardly_darker_than_its_paper(turns: int) -> None:
    """Lines of 216 on paper of 235, with grain of 3 levels."""
    faint = draw(KNIFFEL, turns, line=216)
    found = placement(written_on(faint, 4) if turns == 0 else faint, KNIFFEL, LOOPIT)
    assert found.template.id == "kniffel"
    assert off(found, faint) < 4


def test_faint_lines_stand_out_and_writing_does_not() -> None:
    picture = np.full((800, 1000), 230, np.uint8)
    for y in range(100, 800, 100):
        cv2.line(picture, (40, y), (960, y + 20), 220, 2, cv2.LINE_AA)
    cv2.ellipse(picture, (300, 150), (12, 22), 0, 0, 360, 80, 3, cv2.LINE_AA)
    noisy = np.clip(picture + np.random.default_rng(5).normal(0, 2, picture.shape), 0, 255).astype(np.uint8)
    shown = faint_lines(noisy)
    line = shown[205:216, 500].min()
    assert line < 130
    assert shown[125:175, 280:320].mean() > line + 100
    assert np.median(shown) > line + 100


def banded(rows: int, columns: int, *, lines: bool = True) -> np.ndarray:
    """Rows told apart by every other one being darker; between a heading and the sums no level lines are drawn."""
    picture = flat_pad(rows, columns)
    ys, xs = edges(rows, columns)
    for k in range(1, rows - 1, 2):
        cv2.rectangle(picture, (xs[0], ys[k]), (xs[-1], ys[k + 1]), 212, -1)
    for y in (ys[0], ys[1], ys[-2], ys[-1]) if lines else ():
        cv2.line(picture, (xs[0], y), (xs[-1], y), 60, 3)
    for x in xs:
        cv2.line(picture, (x, ys[0]), (x, ys[-1]), 60, 3)
    return picture


@pytest.mark.parametrize(("rows", "columns"), [(8, 5), (11, 4)])
def test_rows_that_only_their_colour_tells_apart(rows: int, columns: int) -> None:
    picture, corners = on_wood(banded(rows, columns), 2.0, 0.1)
    assert_shape(located(picture), corners, rows, columns, 10)


def test_edges_of_bands_are_drawn_and_those_of_strokes_are_not() -> None:
    picture = np.full((300, 400), 230, np.uint8)
    picture[150:, :] = 205
    cv2.line(picture, (100, 60), (130, 100), 90, 3)
    shown = with_band_edges(picture)
    assert shown[150, 200] < 150
    assert (shown[40:120, 60:180] == picture[40:120, 60:180]).mean() > 0.97


def on_squares(rows: int, columns: int, *, square: int = 38, darkness: int = 200) -> np.ndarray:
    """A table of two squares by four a cell, drawn in dark ink on paper that is squared all over."""
    wide, high = 4 * square, 2 * square
    picture = np.full((2 * TOP + rows * high, 2 * LEFT + columns * wide), 240, np.uint8)
    for x in range(LEFT % square, picture.shape[1], square):
        cv2.line(picture, (x, 0), (x, picture.shape[0]), darkness, 2)
    for y in range(TOP % square, picture.shape[0], square):
        cv2.line(picture, (0, y), (picture.shape[1], y), darkness, 2)
    for k in range(rows + 1):
        cv2.line(picture, (LEFT, TOP + k * high), (LEFT + columns * wide, TOP + k * high), 60, 4)
    for k in range(columns + 1):
        cv2.line(picture, (LEFT + k * wide, TOP), (LEFT + k * wide, TOP + rows * high), 60, 4)
    return picture


@pytest.mark.parametrize(("rows", "columns"), [(8, 3), (10, 4)])
def test_a_table_that_was_drawn_on_squared_paper(rows: int, columns: int) -> None:
    picture, _ = on_wood(on_squares(rows, columns), 1.5)
    table = located(picture).table
    assert (len(table.rows), len(table.columns)) == (rows, columns)


def lines_at(places: list[float], strengths: list[float]) -> tuple[RuledLine, ...]:
    strips = np.arange(STRIPS)
    return tuple(RuledLine(strips, np.full(STRIPS, at), dark) for at, dark in zip(places, strengths, strict=True))


def rules_of(level: tuple[RuledLine, ...], upright: tuple[RuledLine, ...]) -> Rules:
    nothing = np.zeros((9, 9), np.float32)
    return Rules(level, upright, 40.0, 40.0, nothing, nothing)


def test_a_heavy_frame_is_no_table_on_squared_paper() -> None:
    """Two heavy rules around it, one below its heading, and thin ones inside: all of them are the table's."""
    places = [100.0 + 50 * k for k in range(12)]
    heavy = [0.4 if k in (0, 1, 11) else 0.1 for k in range(12)]
    framed = rules_of(lines_at(places, heavy), lines_at(places, heavy))
    assert drawn_rules(framed) is framed


def test_what_goes_on_outside_the_drawn_lines_is_the_paper() -> None:
    places = [100.0 + 50 * k for k in range(12)]
    drawn = [0.4 if k in (3, 5, 7, 9) else 0.1 for k in range(12)]
    kept = drawn_rules(rules_of(lines_at(places, drawn), lines_at(places, drawn)))
    assert [line.place for line in kept.level] == [250.0, 350.0, 450.0, 550.0]
    even = rules_of(lines_at(places, [0.1 + 0.01 * k for k in range(12)]), lines_at(places, drawn))
    assert drawn_rules(even) is even


@pytest.mark.parametrize("gap", [16, 24])
def test_a_double_rule_wide_apart_is_no_row(gap: int) -> None:
    """Before the row of sums, which the lines of the columns don't cross; a row is 76 px high."""
    rows, columns = 8, 4
    upper = ruled(rows - 1, columns)
    cut = TOP + (rows - 1) * HIGH + 2
    picture = np.vstack([upper[:cut], np.full((gap, upper.shape[1]), 235, np.uint8), upper[TOP - 2 : TOP]])
    sums = ruled(1, columns)[TOP - 2 : -TOP + 2]
    whole = np.vstack([picture, sums, np.full((TOP, upper.shape[1]), 235, np.uint8)])
    seen, _ = on_wood(whole, 1.0)
    found = located(seen)
    assert (len(found.table.rows), len(found.table.columns)) == (rows, columns)
    between = found.table.rows[-1].top - found.table.rows[-2].bottom
    height = found.table.rows[-2].bottom - found.table.rows[-2].top
    assert 0.5 * gap / HIGH < between / height < 2.5 * gap / HIGH


def test_a_table_most_of_which_was_not_seen_is_none() -> None:
    """Lines of columns that go on for ten rows below a heading and one row: between those nothing tells rows apart."""
    rows, columns = 12, 5
    picture = flat_pad(rows, columns)
    ys, xs = edges(rows, columns)
    for y in ys[:3]:
        cv2.line(picture, (xs[0], y), (xs[-1], y), 60, 3)
    for x in xs:
        cv2.line(picture, (x, ys[0]), (x, ys[-1]), 60, 3)
    seen, _ = on_wood(picture, 1.0)
    found = locate_tables(photo(seen), [OPEN])
    assert isinstance(found, NotFound)
    assert "could be followed" in found.reason


def test_the_sheet_may_end_right_below_its_last_line() -> None:
    """Beyond it there is dark table top: the last line is the table's all the same."""
    rows, columns = 9, 4
    picture = ruled(rows, columns)[: TOP + rows * HIGH + 6]
    dark = np.full((TOP, picture.shape[1]), 60, np.uint8)
    seen, corners = on_wood(np.vstack([picture, dark]), 0.0)
    assert_shape(located(seen), corners, rows, columns, 12)


def taken_as(template: Template, rows: int, columns: int, share: float) -> tuple[list[Taken], _Seen]:
    """One way to take lines, so many of which are edges of its rows and of its columns."""
    axis = Axis((), np.zeros(0), np.zeros(0), np.zeros(0))
    row_match, column_match = (AxisMatch(tuple((k, k) for k in range(n)), n, 1.0, 1.0) for n in (rows, columns))
    blank = Frame(Homography(np.eye(3)), np.zeros((9, 9), np.uint8), np.ones((9, 9), np.bool_))
    return [Taken(template, 0, row_match, column_match, axis, axis, share)], _Seen(blank, rules_of((), ()), np.eye(3))


def test_of_two_views_that_with_more_of_a_card_is_the_one() -> None:
    """Lines go on where the nearer one ends; further around a smaller card may fit in, or more games come into it."""
    near, smaller, wider = (
        taken_as(KNIFFEL, 22, 7, 0.97),
        taken_as(LOOPIT, 17, 6, 0.98),
        taken_as(KNIFFEL, 22, 9, 0.93),
    )
    assert _most_matched([near, smaller]) is near
    assert _most_matched([near, wider]) is wider
    assert _most_matched([near, taken_as(KNIFFEL, 22, 9, 0.5), ([], near[1])]) is near
    assert _most_matched([]) is None


def on_board(*cards: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """Cards side by side on something darker and even, and where each begins from the left, px."""
    high, wide = max(one.shape[0] for one in cards) + 700, sum(one.shape[1] + 160 for one in cards) + 700
    board = np.full((high, wide), 95, np.uint8)
    left, starts = 300, []
    for card in cards:
        board[300 : 300 + card.shape[0], left : left + card.shape[1]] = card
        starts.append(left)
        left += card.shape[1] + 60
    return np.clip(board + np.random.default_rng(7).normal(0, 2, board.shape), 0, 255).astype(np.uint8), starts


def test_the_margin_of_a_small_card_hides_no_cells() -> None:
    """It has the extent of a very wide cell, and lies around all others."""
    picture, _ = on_board(ruled(6, 3))
    inner = cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    low = np.full((1000, 1400), 95, np.uint8)
    low[: inner.shape[0], : inner.shape[1]] = inner
    found = located(low)
    assert (len(found.table.rows), len(found.table.columns)) == (6, 3)


@pytest.mark.parametrize("first", [(8, 3), (11, 4)])
def test_two_cards_side_by_side_are_not_one(first: tuple[int, int]) -> None:
    """Their level lines aren't at the same places; the larger card is the table."""
    rows, columns = 12, 5
    picture, starts = on_board(ruled(*first), ruled(rows, columns, high=70))
    found = located(picture)
    assert (len(found.table.rows), len(found.table.columns)) == (rows, columns)
    assert found.corners[:, 0].min() > starts[1]
