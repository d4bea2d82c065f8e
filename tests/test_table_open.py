"""Pads with rows and columns as found: white lines, no frame, icons in the first column, a grained table top."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest
from grids import photo

from scanner.geometry import FloatArray, Homography, project
from scanner.intake import Photo
from scanner.locate import NotFound
from scanner.locate.table_placement import TablePlacement
from scanner.locate.tables import locate_tables
from scanner.read.numbers import NumberCandidate, NumberReadings
from scanner.table_looks import Looks, ink_looks
from scanner.table_names import named
from scanner.templates import Table, Template, get_template

OPEN = get_template("score-table")
WIDE, HIGH = 150, 76
"""Of a drawn cell, px."""
LEFT, TOP = 120, 140
PAPER = 235


def flat_pad(rows: int, columns: int, *, wide: int = WIDE, high: int = HIGH) -> np.ndarray:
    return np.full((2 * TOP + rows * high, 2 * LEFT + columns * wide), PAPER, dtype=np.uint8)


def edges(rows: int, columns: int, *, wide: int = WIDE, high: int = HIGH) -> tuple[list[int], list[int]]:
    return [TOP + high * k for k in range(rows + 1)], [LEFT + wide * k for k in range(columns + 1)]


def ruled(rows: int, columns: int, *, frame: bool = True, wide: int = WIDE, high: int = HIGH) -> np.ndarray:
    """Dark lines; frame: with those around the table."""
    picture = flat_pad(rows, columns, wide=wide, high=high)
    ys, xs = edges(rows, columns, wide=wide, high=high)
    for y in ys if frame else ys[1:-1]:
        cv2.line(picture, (xs[0], y), (xs[-1], y), 60, 3)
    for x in xs if frame else xs[1:-1]:
        cv2.line(picture, (x, ys[0]), (x, ys[-1]), 60, 3)
    return picture


def coloured(rows: int, columns: int, gap: int) -> np.ndarray:
    """Fields of several brightnesses with white gaps between them, one of which is twice as wide."""
    picture = flat_pad(rows, columns)
    ys, xs = edges(rows, columns)
    for k, y in enumerate(ys[:-1]):
        low = gap if k == rows - 1 else gap // 2
        for x in xs[:-1]:
            corners = (x + gap // 2, y + low), (x + WIDE - gap // 2, y + HIGH - gap // 2)
            cv2.rectangle(picture, *corners, 150 + 12 * (k % 4), -1)
    return picture


def on_wood(picture: np.ndarray, degrees: float, tilt: float = 0.0) -> tuple[np.ndarray, FloatArray]:
    """The sheet, turned, on a table top whose grain is level, and the corners of its table [4, 2]."""
    high, wide = picture.shape
    size = (round(1.15 * max(wide, high)), round(1.15 * max(wide, high)))
    grain = np.random.default_rng(3).normal(0, 1, (size[1], size[0]))
    wood = cv2.GaussianBlur(grain, (0, 0), sigmaX=60, sigmaY=1.5)
    ground = 110 + 14 * wood / wood.std()
    sheet = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], dtype=np.float64)
    angle = np.radians(degrees)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    target = 0.9 * (sheet - sheet.mean(axis=0)) @ turn.T
    target[:, 0] *= 1 + tilt * target[:, 1] / size[1]
    target += np.array(size) / 2
    matrix = cv2.getPerspectiveTransform(sheet.astype(np.float32), target.astype(np.float32))
    seen = cv2.warpPerspective(picture, matrix, size, flags=cv2.INTER_AREA).astype(np.float64)
    covered = cv2.warpPerspective(np.full_like(picture, 255), matrix, size) / 255.0
    whole = seen * covered + ground * (1 - covered)
    whole = cv2.GaussianBlur(whole, (0, 0), 0.8) + np.random.default_rng(4).normal(0, 2, whole.shape)
    inner = np.array([[LEFT, TOP], [wide - LEFT, TOP], [wide - LEFT, high - TOP], [LEFT, high - TOP]], dtype=np.float64)
    return np.clip(whole, 0, 255).astype(np.uint8), project(Homography(np.asarray(matrix, dtype=np.float64)), inner)


def located(picture: np.ndarray) -> TablePlacement:
    found = locate_tables(photo(picture), [OPEN])
    assert not isinstance(found, NotFound), found.reason
    return found[0]


def assert_shape(found: TablePlacement, corners: FloatArray, rows: int, columns: int, most_off: float) -> None:
    """most_off: of a corner from the true one, px."""
    wide, high = found.extent
    left, top = found.origin
    unit = found.unit
    mm = np.array([[0, 0], [wide, 0], [wide, high], [0, high]]) * unit + np.array([left, top])
    assert (len(found.table.rows), len(found.table.columns)) == (rows, columns)
    assert np.abs(found.project(mm) - corners).max() < most_off


@pytest.mark.parametrize(("rows", "columns", "gap"), [(8, 4, 8), (11, 5, 12), (7, 3, 10)])
def test_white_lines_between_coloured_fields(rows: int, columns: int, gap: int) -> None:
    picture, corners = on_wood(coloured(rows, columns, gap), 3.0, 0.15)
    assert_shape(located(picture), corners, rows, columns, 12)


@pytest.mark.parametrize(("rows", "columns"), [(7, 4), (10, 3)])
def test_a_table_without_a_frame_keeps_its_outermost_cells(rows: int, columns: int) -> None:
    picture, corners = on_wood(ruled(rows, columns, frame=False), -2.0)
    assert_shape(located(picture), corners, rows, columns, 10)


@pytest.mark.parametrize("degrees", [9.0, -7.0])
def test_the_grain_of_a_table_top_does_not_tell_how_lines_run(degrees: float) -> None:
    picture, corners = on_wood(ruled(9, 5), degrees, 0.2)
    assert_shape(located(picture), corners, 9, 5, 6)


def test_cells_that_are_many_times_as_wide_as_high() -> None:
    picture, corners = on_wood(ruled(14, 2, wide=420, high=56), 1.0)
    assert_shape(located(picture), corners, 14, 2, 6)


def dotted(rows: int, columns: int) -> np.ndarray:
    """Lines between rows of dots only, each 3 px wide, 10 px apart; the columns' are whole."""
    picture = flat_pad(rows, columns)
    ys, xs = edges(rows, columns)
    for y in ys:
        for x in range(xs[0], xs[-1], 10):
            cv2.circle(picture, (x, y), 2, 60, -1, cv2.LINE_AA)
    for x in xs:
        cv2.line(picture, (x, ys[0]), (x, ys[-1]), 60, 3)
    return picture


@pytest.mark.parametrize(("rows", "columns"), [(8, 4), (11, 5)])
def test_dotted_lines(rows: int, columns: int) -> None:
    picture, corners = on_wood(dotted(rows, columns), 2.0, 0.1)
    assert_shape(located(picture), corners, rows, columns, 6)


def test_cells_that_are_higher_than_wide_may_be_read_upright() -> None:
    """Lying they would be as wide as usual; that way is tried first, and the other isn't left out."""
    picture, _ = on_wood(ruled(7, 5, wide=70, high=100), 0.0)
    first = located(picture)
    shapes = [(len(way.table.rows), len(way.table.columns)) for way in (first, *first.others)]
    assert shapes == [(5, 7), (5, 7), (7, 5), (7, 5)]


def test_much_too_high_cells_are_no_way() -> None:
    picture, _ = on_wood(ruled(7, 4, wide=210, high=70), 0.0)
    first = located(picture)
    assert {(len(way.table.rows), len(way.table.columns)) for way in (first, *first.others)} == {(7, 4)}


def reading(value: int) -> tuple[NumberCandidate, ...]:
    return (NumberCandidate(value, "read", 0.99),)


def rows_found(head: list[int], rows: list[list[int]], totals: list[int], *, corner: bool) -> list[str]:
    """Rows of a pad with icons in the first column and a first row read as these numbers, as surely as the others.

    corner: whether there is an icon above the others, too.
    """
    picture, _ = on_wood(ruled(len(rows) + 2, len(head) + 1), 0.0)
    place = located(picture)
    assert place.model is not None
    ids = place.template.ids
    values = np.array([[0, *row] for row in (head, *rows, totals)])
    looks = Looks(np.full(len(ids), 0.06), np.tile((0.2, 0.7, 0.68), (len(ids), 1)))
    inked = np.ones(len(ids), dtype=np.bool_)
    candidates = []
    for k, cell in enumerate(ids):
        column, row = (int(part[1:]) - 1 for part in cell.split("."))
        looks.thick[k] = 0.3 if column == 0 else 0.06
        inked[k] = corner or (column, row) != (0, 0)
        candidates.append(reading(int(values[row, column])))
    template, _ = named(place.template, place.model, NumberReadings(ids, tuple(candidates)), inked, looks)
    assert template.table is not None
    return [row.id for row in template.table.rows]


def test_sums_tell_names_from_numbers() -> None:
    rows = [[3, 4, 5], [10, 20, 30], [1, 2, 3]]
    names = rows_found([80, 106, 11], rows, [14, 26, 38], corner=True)  # "Bo", read as 80, isn't added up
    assert names == ["name", "r1", "r2", "r3", "total"]
    numbers = rows_found([80, 106, 11], rows, [94, 132, 49], corner=False)
    assert numbers == ["r1", "r2", "r3", "r4", "total"]


def test_a_row_without_an_icon_is_a_heading() -> None:
    rows = [[3, 4, 5], [10, 20, 30], [1, 2, 3]]
    assert rows_found([80, 106, 11], rows, [15, 27, 39], corner=False)[0] == "name"  # all sums wrong
    assert rows_found([80, 106, 11], rows, [15, 27, 39], corner=True)[0] == "r1"


def open_pad(
    rows: int, columns: int, found: Mapping[tuple[int, int], NumberCandidate]
) -> tuple[Template, dict[str, str]]:
    """What a pad is taken for if its cells (row, column) are read as this; the others are blank."""
    picture, _ = on_wood(ruled(rows, columns), 0.0)
    place = located(picture)
    assert place.model is not None
    ids = place.template.ids
    places = [(int(cell.split(".")[1][1:]) - 1, int(cell.split(".")[0][1:]) - 1) for cell in ids]
    candidates = tuple((found.get(at, NumberCandidate(None, "blank", 0.99)),) for at in places)
    inked = np.array([at in found for at in places], dtype=np.bool_)
    looks = Looks(np.full(len(ids), 0.06), np.tile((0.2, 0.7, 0.68), (len(ids), 1)))
    return named(place.template, place.model, NumberReadings(ids, candidates), inked, looks)


def sure_numbers(rows: Sequence[Sequence[int | None]], sure: float = 0.9) -> dict[tuple[int, int], NumberCandidate]:
    """Cells (row, column) that are read as these numbers; null for blank ones."""
    return {
        (row, column): NumberCandidate(value, "read", sure)
        for row, values in enumerate(rows)
        for column, value in enumerate(values)
        if value is not None
    }


@pytest.mark.parametrize(
    ("sure", "total", "rows"),
    [
        (0.1, 30, ["name", "r1", "r2"]),
        (0.9, 24, ["name", "r1", "r2"]),  # 12 and 12, so the 512 was none
        (0.9, 30, ["name", "r1", "r2", "r3"]),
        (0.9, 536, ["name", "r1", "r2", "r3"]),
    ],
)
def test_names_below_an_empty_strip(sure: float, total: int, rows: list[str]) -> None:
    """The second row of five says what the first is: a strip above names, or a heading that was left empty."""
    found = {(1, column): NumberCandidate(512, "read", sure) for column in range(3)}
    found |= {(row, column): NumberCandidate(12, "read", 0.9) for row in (2, 3) for column in range(3)}
    found |= {(4, column): NumberCandidate(total, "read", 0.9) for column in range(3)}
    template, renamed = open_pad(5, 3, found)
    assert template.table is not None
    assert [one.id for one in template.table.rows] == [*rows, "total"]
    assert {new for old, new in renamed.items() if int(old.split(".")[1][1:]) == 3} >= {f"c1.{rows[-2]}"}


@pytest.mark.parametrize(("sure", "row"), [(0.38, "name"), (0.9, "r1")])
def test_a_column_with_nothing_but_a_name(sure: float, row: str) -> None:
    """The first name, "Uwe", is surely read as 0, so sums tell nothing; somebody may have left after a round."""
    found = sure_numbers([[0, 14], [3], [10], [1], [2], [16]])
    found[0, 0] = replace(found[0, 0], probability=0.99)
    found[0, 1] = replace(found[0, 1], probability=sure)
    template, _ = open_pad(6, 2, found)
    assert template.table is not None
    assert template.table.rows[0].id == row


def test_icons_do_not_hide_that_the_names_above_numbers_are_none() -> None:
    """Seven icons below that of the heading, and five numbers; of the names one is read as a number."""
    found = sure_numbers([[None, 0], [None, 3, 4], [None, 10], [], [], [], [], [None, 13, 4]])
    for row in range(8):
        found[row, 0] = NumberCandidate(None, "scribble", 0.8)
    found[0, 2] = NumberCandidate(None, "scribble", 0.8)
    template, renamed = open_pad(8, 3, found)
    assert template.table is not None
    assert [one.id for one in template.table.rows][:2] == ["name", "r1"]
    assert [one.labels for one in template.table.columns] == [True, False, False]
    assert renamed["c2.r2"] == "c1.r1"


def test_a_row_without_a_label_below_an_empty_strip_is_one_of_names() -> None:
    """Its names look like numbers, and no sum is right; the rows below it all have a word, which is no number."""
    found = sure_numbers([[], [None, 80, 106], [7, 3, 4], [7, 10, 20], [7, 1, 2], [7, 15, 27]])
    for row in range(2, 6):
        found[row, 0] = NumberCandidate(None, "scribble", 0.8)
    template, _ = open_pad(6, 3, found)
    assert template.table is not None
    assert [one.id for one in template.table.rows] == ["name", "r1", "r2", "r3", "total"]
    assert [one.labels for one in template.table.columns] == [True, False, False]


@pytest.mark.parametrize("worth", [None, 7])
def test_a_second_column_of_labels_is_no_player(worth: int | None) -> None:
    """Icons, what each is worth (which nobody named or added up), and two players. worth: in the row of the sums."""
    found = sure_numbers([[None, None, 80, 106], [0, 2, 3, 4], [0, 5, 10, 20], [0, 3, 1, 2], [0, worth, 14, 26]])
    for row in range(1, 5):
        found[row, 0] = NumberCandidate(None, "scribble", 0.8)
    for column in (2, 3):
        found[0, column] = NumberCandidate(None, "scribble", 0.8)
    template, renamed = open_pad(5, 4, found)
    assert template.table is not None
    expected = ["labels", "c1", "c2"] if worth is None else ["labels", "c1", "c2", "c3"]
    assert [one.id for one in template.table.columns] == expected
    assert renamed["c3.r2"] == ("c1.r1" if worth is None else "c2.r1")


@pytest.mark.parametrize(("misread", "labels"), [(None, 1), (7, 1), (3, 0)])
def test_a_column_that_numbers_the_rows_is_none_of_numbers(misread: int | None, labels: int) -> None:
    """As surely read as the others, below a heading and beside a word. misread: what the second row is read as.

    With 3 for it and 2 for the third row nobody counted.
    """
    counted = [1, misread or 2, 3 if misread != 3 else 2, 4 if misread != 3 else 9, 5]
    rows = [[80, 81, 82], *([k, 10 * k, 20] for k in counted), [99, 30, 40]]
    template, _ = open_pad(7, 3, sure_numbers(rows))
    assert template.table is not None
    assert sum(one.labels for one in template.table.columns) == labels


def test_narrow_columns_beside_labels_are_labels_too() -> None:
    """A golf card: the hole, its par, which is added up in print, and its index, which isn't; they are half as wide."""
    picture = flat_pad(6, 5)
    xs = [LEFT, LEFT + 75, LEFT + 150, LEFT + 225, LEFT + 375, LEFT + 525]
    ys = edges(6, 5)[0]
    for y in ys:
        cv2.line(picture, (xs[0], y), (xs[-1], y), 60, 3)
    for x in xs:
        cv2.line(picture, (x, ys[0]), (x, ys[-1]), 60, 3)
    seen, _ = on_wood(picture, 0.0)
    place = located(seen)
    assert place.model is not None
    rows: list[list[int | None]] = [
        [80, 71, 61, 30, 31],
        [1, 4, 3, 5, 6],
        [2, 3, 1, 4, 4],
        [3, 5, 2, 6, 5],
        [4, 4, 4, 5, 5],
        [9, 16, None, 20, 20],
    ]
    found = sure_numbers(rows)
    ids = place.template.ids
    at = [(int(cell.split(".")[1][1:]) - 1, int(cell.split(".")[0][1:]) - 1) for cell in ids]
    candidates = tuple((found.get(one, NumberCandidate(None, "blank", 0.99)),) for one in at)
    inked = np.array([one in found for one in at], dtype=np.bool_)
    looks = Looks(np.full(len(ids), 0.06), np.tile((0.2, 0.7, 0.68), (len(ids), 1)))
    template, renamed = named(place.template, place.model, NumberReadings(ids, candidates), inked, looks)
    assert template.table is not None
    assert [one.id for one in template.table.columns] == ["labels", "c1", "c2"]
    assert renamed["c4.r2"].startswith("c1.")


def test_a_column_that_is_added_up_is_never_one_of_labels() -> None:
    """However unsurely it is read, and though it has no name."""
    found = sure_numbers([[None, 80, 106], [3, 3, 4], [10, 10, 20], [1, 1, 2], [14, 14, 26]])
    for row in range(1, 5):
        found[row, 0] = replace(found[row, 0], probability=0.3)
    for column in (1, 2):
        found[0, column] = NumberCandidate(None, "scribble", 0.8)
    template, _ = open_pad(5, 3, found)
    assert template.table is not None
    assert [one.id for one in template.table.columns] == ["c1", "c2", "c3"]


def labels_found(thick: float, colour: tuple[float, float, float], *, headed: bool) -> bool:
    """Whether a first column that reads as zeros, in such ink, is taken for labels; headed: whether it has a name."""
    picture, _ = on_wood(ruled(6, 3), 0.0)
    place = located(picture)
    table = place.template.table
    assert table is not None
    ids = place.template.ids
    rows = [row.id for row in table.rows]
    columns = [column.id for column in table.columns]
    looks = Looks(np.zeros(len(ids)), np.zeros((len(ids), 3)))
    inked = np.ones(len(ids), dtype=np.bool_)
    candidates = []
    for k, cell in enumerate(ids):
        column, row = cell.split(".")
        first, head = column == columns[0], row == rows[0]
        inked[k] = headed or not (first and head)
        candidates.append((NumberCandidate(None, "scribble", 0.9),) if head else reading(0 if first else 12))
        looks.thick[k] = thick if first else 0.06
        looks.colour[k] = colour if first else (0.2, 0.7, 0.68)
    assert place.model is not None
    template, _ = named(place.template, place.model, NumberReadings(ids, tuple(candidates)), inked, looks)
    table = template.table
    assert isinstance(table, Table)
    assert [row.id for row in table.rows][:2] == ["name", "r1"]
    return table.columns[0].labels


@pytest.mark.parametrize(
    ("thick", "colour", "headed", "wanted"),
    [
        (0.06, (0.2, 0.7, 0.68), True, False),
        (0.06, (0.2, 0.7, 0.68), False, True),  # the other columns have names
        (0.30, (0.2, 0.7, 0.68), True, True),  # no pen is as thick as an icon
        (0.06, (0.7, 0.2, 0.68), True, True),  # nobody changes the pen from column to column
    ],
)
def test_a_column_of_icons_that_look_like_zeros_is_none_of_numbers(
    thick: float, colour: tuple[float, float, float], headed: bool, wanted: bool
) -> None:
    assert labels_found(thick, colour, headed=headed) == wanted


def test_how_ink_looks() -> None:
    picture = ruled(6, 3)
    rgb = np.repeat(picture[:, :, None], 3, axis=2)
    cv2.circle(rgb, (LEFT + WIDE // 2, TOP + HIGH // 2), 25, (200, 60, 50), -1)  # a red disc
    cv2.line(rgb, (LEFT + WIDE + 60, TOP + 20), (LEFT + WIDE + 80, TOP + 58), (60, 60, 180), 4)  # a blue bar
    found = located(picture)
    shown = Photo("drawn.png", 1, rgb, (rgb.shape[1], rgb.shape[0]))
    looks = ink_looks(shown, found, ("c1.r1", "c2.r1", "c2.r2"))
    assert looks.thick[0] == pytest.approx(25 / HIGH, abs=0.06)
    assert looks.thick[1] < 0.08
    assert looks.thick[2] == 0
    assert looks.colour[0].argmin() == 0  # red paint absorbs least of red
    assert looks.colour[1].argmin() == 2
