from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from report_samples import CARD, HEXES, SUDOKU, clear_sheet, fitted, paper, plain_sheet, polygons, sudoku_sheet

from scanner.geometry import FloatArray, Homography
from scanner.report import lettering
from scanner.report.names import AnnotatedNames
from scanner.report.picture import NAME_ROOM, NAME_TEXT, annotate, name_places, save
from scanner.report.signs import BLUE, ORANGE, PURPLE, VERMILLION, Color
from scanner.report.strips import banner
from scanner.report.upright import Upright, upright
from scanner.results import Flag, Score, Verdict
from scanner.sheet import Sheet
from scanner.templates import Template, get_template

SIZES = [(640, 480), (1500, 1125), (3024, 4032)]


def _drawn(sheet: Sheet, size: tuple[int, int] = (1000, 800), *, turns: int = 0, part: float = 0.8):  # type: ignore[no-untyped-def]
    """The photo's part of the annotated picture, the same view without annotations, and the whole picture."""
    rgb = paper(size)
    cells = polygons(sheet.template, fitted(sheet.template, size, turns=turns, part=part))
    view = upright(rgb, sheet.template, cells)
    image = annotate(rgb, sheet, cells)
    top = banner(sheet, image.width).height
    inside = np.asarray(image)[top : top + view.picture.shape[0]]
    return inside, view, image


def _middle(polygon: FloatArray, part: float) -> tuple[slice, slice]:
    """Rows and columns of the middle `part` of a cell."""
    low, high = polygon.min(axis=0), polygon.max(axis=0)
    centre, half = (low + high) / 2, (high - low) * part / 2
    (x0, y0), (x1, y1) = np.round(centre - half).astype(int), np.round(centre + half).astype(int)
    return slice(y0, y1), slice(x0, x1)


def _near(picture: npt.NDArray[np.uint8], color: Color) -> npt.NDArray[np.bool_]:
    return np.asarray(np.abs(picture.astype(int) - np.array(color)).max(axis=2) < 24)


def _right_and_bottom(picture: npt.NDArray[np.uint8], polygon: FloatArray) -> npt.NDArray[np.uint8]:
    """The outer tenth of a cell along the right half of its lower side: frames pass here, labels seldom."""
    low, high = polygon.min(axis=0), polygon.max(axis=0)
    size = high - low
    y0, y1 = round(high[1] - 0.16 * size[1]), round(high[1] - 0.01 * size[1])
    x0, x1 = round(low[0] + 0.4 * size[0]), round(low[0] + 0.6 * size[0])
    return picture[y0:y1, x0:x1]


def _framed(picture: npt.NDArray[np.uint8], view: Upright, color: Color) -> set[str]:
    """The cells in whose lower side the colour is found."""
    return {
        cell_id
        for cell_id, polygon in view.polygons.items()
        if _near(_right_and_bottom(picture, polygon), color).mean() > 0.08
    }


@pytest.mark.parametrize("turns", range(4))
@pytest.mark.parametrize("size", [(640, 480), (1000, 1400), (3024, 4032)])
def test_the_sheet_stands_upright_however_the_photo_lies(turns: int, size: tuple[int, int]) -> None:
    rgb = paper(size)
    cells = polygons(SUDOKU, fitted(SUDOKU, size, turns=turns))
    # ink in r1c2 only: it has to come out at the top, left of the middle
    middle = cells["r1c2"].mean(axis=0).astype(int)
    half = min(size) // 80
    rgb[middle[1] - half : middle[1] + half + 1, middle[0] - half : middle[0] + half + 1] = (250, 0, 250)
    view = upright(rgb, SUDOKU, cells)
    y, x = (float(v.mean()) for v in np.nonzero(_near(view.picture, (250, 0, 250))))
    assert np.allclose((x, y), view.polygons["r1c2"].mean(axis=0), atol=6)
    assert view.polygons["r1c1"][0, 0] < x < view.polygons["r1c5"][0, 0]
    assert y < view.polygons["r2c1"][0, 1]


@given(
    turn=st.floats(-np.pi, np.pi),
    scale=st.floats(2.0, 20.0),
    shift=st.tuples(st.floats(0, 500), st.floats(0, 500)),
    tilt=st.tuples(st.floats(-4e-4, 4e-4), st.floats(-4e-4, 4e-4)),
)
@settings(max_examples=25, deadline=None)
def test_the_view_has_the_templates_own_proportions(
    turn: float, scale: float, shift: tuple[float, float], tilt: tuple[float, float]
) -> None:
    cos, sin = scale * np.cos(turn), scale * np.sin(turn)
    matrix = Homography(np.array([[cos, -sin, shift[0]], [sin, cos, shift[1]], [tilt[0], tilt[1], 1.0]]))
    view = upright(paper((600, 500)), SUDOKU, polygons(SUDOKU, matrix))
    assert max(view.picture.shape) == pytest.approx(1120, abs=1)
    corners = {cell.id: np.array([[p.x, p.y] for p in cell.polygon]) for cell in SUDOKU.cells}
    # one scale and one shift for all cells, and no turn, whatever the photo did to the sheet
    long_side = max(np.ptp(np.concatenate(list(corners.values())), axis=0))
    unit = (view.polygons["r1c9"][1, 0] - view.polygons["r1c1"][0, 0]) / long_side
    for cell_id, polygon in view.polygons.items():
        expected = (corners[cell_id] - corners["r1c1"][0]) * unit
        assert np.allclose(polygon - view.polygons["r1c1"][0], expected, atol=0.01)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("part", [0.33, 0.9])
def test_the_picture_has_the_same_size_for_every_photo(size: tuple[int, int], part: float) -> None:
    inside, view, image = _drawn(sudoku_sheet(), size, part=part)
    assert inside.shape == view.picture.shape
    assert 1400 <= max(image.size) <= 1800
    cell = np.ptp(view.polygons["r5c5"], axis=0)
    assert cell.min() > image.width / 12  # the sheet fills the picture, however small it was


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("turns", [0, 1])
def test_no_mark_hides_the_middle_of_a_cell(size: tuple[int, int], turns: int) -> None:
    both = Flag("sudoku.repeat", "illegal", ("r5c5",), "Twice.")
    verdict = sudoku_sheet().verdict
    sheet = sudoku_sheet(replace(verdict, flags=(*verdict.flags, both)))
    inside, view, _ = _drawn(sheet, size, turns=turns)
    for cell_id, polygon in view.polygons.items():
        where = _middle(polygon, 0.36)
        assert np.array_equal(inside[where], view.picture[where]), cell_id
        # and of the part where people write nearly all stays as it was
        where = _middle(polygon, 0.6)
        untouched = (inside[where] == view.picture[where]).all(axis=2).mean()
        assert untouched > 0.85, cell_id


@pytest.mark.parametrize("template", [HEXES, CARD])
def test_hexes_and_flat_cells_keep_their_middle_too(template: Template) -> None:
    values = dict.fromkeys(template.ids, 5)
    bad = template.ids[4]
    flag = Flag("x.value", "illegal", (bad,), "No dice give this.")
    sheet = plain_sheet(template, values, Verdict(Score(5), (5, 5), True, (flag,)))
    inside, view, _ = _drawn(sheet)
    for cell_id, polygon in view.polygons.items():
        where = _middle(polygon, 0.25)
        assert np.array_equal(inside[where], view.picture[where]), cell_id
    low, high = (v.astype(int) for v in (view.polygons[bad].min(axis=0), view.polygons[bad].max(axis=0)))
    assert _near(inside[low[1] : high[1], low[0] : high[0]], VERMILLION).mean() > 0.05


@pytest.mark.parametrize("size", [(640, 480), (1500, 1125)])
def test_frames_stand_around_the_right_cells_and_no_others(size: tuple[int, int]) -> None:
    inside, view, _ = _drawn(sudoku_sheet(), size)
    assert _framed(inside, view, VERMILLION) == {"r2c2", "r2c8"}
    assert _framed(inside, view, ORANGE) == {"r5c5"}
    assert _framed(inside, view, BLUE) == {"r7c3"}
    assert _framed(inside, view, PURPLE) == set()


def test_a_clear_sheet_has_no_frames() -> None:
    inside, view, _ = _drawn(clear_sheet())
    for color in (VERMILLION, ORANGE, BLUE, PURPLE):
        assert _framed(inside, view, color) == set()


def test_a_wrong_sum_has_its_own_colour() -> None:
    flag = Flag("table.sum", "arithmetic", ("p6.total",), "The sum is 98, but 99 is written.")
    inside, view, _ = _drawn(plain_sheet(CARD, {"p6.total": 99}, Verdict(Score(1), (1, 1), True, (flag,))))
    assert _framed(inside, view, PURPLE) == {"p6.total"}
    assert _framed(inside, view, VERMILLION) == set()


def test_frames_differ_in_shape_and_not_only_in_colour() -> None:
    inside, view, _ = _drawn(sudoku_sheet())

    def stripes(cell_id: str, color: Color) -> tuple[int, int]:
        """How often the colour begins: downwards through the lower side, and along it."""
        polygon = view.polygons[cell_id]
        low, high = (np.round(v).astype(int) for v in (polygon.min(axis=0), polygon.max(axis=0)))
        size = high - low
        hits = _near(inside[low[1] : high[1], low[0] : high[0]], color)
        column = np.asarray(hits[size[1] // 2 :, size[0] // 2 - 8 : size[0] // 2 + 8].any(axis=1))
        row = np.asarray(hits[int(0.85 * size[1]) :, int(0.15 * size[0]) : int(0.85 * size[0])].any(axis=0))
        begins = [int((np.diff(line.astype(int)) == 1).sum() + line[0]) for line in (column, row)]
        return begins[0], begins[1]

    assert stripes("r2c2", VERMILLION) == (2, 1)  # two lines, each unbroken
    down, along = stripes("r5c5", ORANGE)
    assert down <= 1
    assert along >= 3  # broken
    assert stripes("r7c3", BLUE) == (1, 1)  # one, unbroken


def test_readings_stand_in_their_cells() -> None:
    inside, view, _ = _drawn(clear_sheet())
    changed = {
        cell_id
        for cell_id, polygon in view.polygons.items()
        if not np.array_equal(inside[_middle(polygon, 0.9)], view.picture[_middle(polygon, 0.9)])
    }
    assert changed == {"r1c1", "r1c2"}


def test_a_reading_moves_out_of_the_way_of_ink() -> None:
    rgb = paper((1000, 1000))
    cells = polygons(SUDOKU, fitted(SUDOKU, (1000, 1000)))
    low, high = cells["r1c2"].min(axis=0), cells["r1c2"].max(axis=0)
    x0, y0 = np.round(low + 0.08 * (high - low)).astype(int)
    x1, y1 = np.round(low + 0.42 * (high - low)).astype(int)
    rgb[y0:y1, x0:x1] = 20  # ink in the top left corner, where the reading stands otherwise
    view = upright(rgb, SUDOKU, cells)
    sheet = clear_sheet()
    image = np.asarray(annotate(rgb, sheet, cells))
    inside = image[banner(sheet, image.shape[1]).height :][: view.picture.shape[0]]
    dark = (view.picture < 60).all(axis=2)
    assert dark.sum() > 500
    assert (inside[dark] < 60).all()


def test_the_banner_stands_above_the_photo_and_tells_states_apart() -> None:
    clear, unsure = clear_sheet(), sudoku_sheet()
    for sheet in (clear, unsure):
        inside, view, image = _drawn(sheet)
        top = image.height - view.picture.shape[0]
        assert 0.1 * image.width < top < image.height / 2
        # the photo's upper edge, above the columns' names, is all there
        assert np.array_equal(inside[:5], view.picture[:5])
    assert _near(np.asarray(banner(unsure, 1000)), VERMILLION).any()
    assert _near(np.asarray(banner(unsure, 1000)), ORANGE).any()
    assert not _near(np.asarray(banner(clear, 1000)), VERMILLION).any()
    assert not _near(np.asarray(banner(clear, 1000)), ORANGE).any()


def test_an_unsure_sheet_never_looks_clear_in_the_banner() -> None:
    nothing_to_ask = sudoku_sheet(Verdict(Score(62), (62, 62), False, ()))
    assert _near(np.asarray(banner(nothing_to_ask, 1000)), ORANGE).any()


def test_very_many_messages_do_not_make_the_picture_endless() -> None:
    flags = tuple(Flag("sudoku.repeat", "illegal", ("r1c1",), f"Message {n} " + "w" * 300) for n in range(200))
    _, _, image = _drawn(sudoku_sheet(Verdict(Score(1), (1, 1), True, flags)))
    assert max(image.size) < 2200


def test_cells_without_a_polygon_are_left_out() -> None:
    cells = polygons(SUDOKU, fitted(SUDOKU, (800, 800)))
    some = {cell_id: polygon for cell_id, polygon in cells.items() if not cell_id.startswith("r9")}
    assert annotate(paper((800, 800)), sudoku_sheet(), some).width > 1000


def test_a_sheet_that_reaches_out_of_the_photo_is_drawn() -> None:
    matrix = fitted(SUDOKU, (800, 800), part=1.3)
    assert 1400 < max(annotate(paper((800, 800)), sudoku_sheet(), polygons(SUDOKU, matrix)).size) < 1800


def test_a_typed_board_has_no_picture() -> None:
    with pytest.raises(ValueError, match="typed board"):
        annotate(paper((100, 100)), sudoku_sheet(typed=True))


def test_wrong_arrays_are_refused_with_what_was_expected() -> None:
    cells = polygons(SUDOKU, fitted(SUDOKU, (100, 100)))
    with pytest.raises(ValueError, match=r"expected uint8 \[h, w, 3\], got uint8 \(100, 100\)"):
        upright(paper((100, 100))[:, :, 0], SUDOKU, cells)
    with pytest.raises(ValueError, match="at least one cell"):
        upright(paper((100, 100)), SUDOKU, {})
    with pytest.raises(ValueError, match="expected 324 corners in all, got 323"):
        upright(paper((100, 100)), SUDOKU, {**cells, "r1c1": cells["r1c1"][:3]})


def test_the_file_is_a_jpeg_without_metadata(tmp_path: Path) -> None:
    image = annotate(paper((640, 480)), sudoku_sheet(), polygons(SUDOKU, fitted(SUDOKU, (640, 480))))
    path = tmp_path / "pad.annotated.jpg"
    save(image, path)
    with Image.open(path) as read:
        assert read.format == "JPEG"
        assert read.size == image.size
        assert not read.getexif()
        assert not {"exif", "comment", "icc_profile", "xmp"} & read.info.keys()
    assert path.stat().st_size < 1_500_000


@given(st.text(max_size=200), st.integers(60, 900))
@settings(max_examples=60, deadline=None)
def test_wrapped_lines_fit_and_lose_nothing(text: str, width: int) -> None:
    face = lettering.font(24)
    text = lettering.plain(text)
    lines = lettering.wrapped(text, face, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(face.getlength(line) <= width for line in lines)


@given(st.text())
def test_any_text_is_put_into_letters_that_the_font_has(text: str) -> None:
    assert lettering.plain(text).isascii()


def test_letters_without_a_sign_of_their_own_come_close() -> None:
    assert lettering.plain("Größe – „Übung“ × 3…") == 'Grosse - "Ubung" x 3...'


def test_names_of_files_follow_the_rule() -> None:
    names = AnnotatedNames()
    assert names.name("photos/table.3.jpg", 1, 1) == "table.3.annotated.jpg"
    assert names.name("photos/table.3.jpg", 2, 2) == "table.3.p2.s2.annotated.jpg"
    assert names.name("photos/table.3.jpg", 1, 2) == "table.3.p1.s2.annotated.jpg"
    assert names.name("C:\\pads\\one.png", 1, 1) == "one.annotated.jpg"


def test_equal_stems_do_not_overwrite_each_other() -> None:
    names = AnnotatedNames()
    sources = [
        "monday/pad.jpg",
        "tuesday/pad.jpg",
        "tuesday/PAD.JPG",
        "tuesday/pad.png",
        "pad-2.jpg",
        "x/pad.p2.s1.jpg",
    ]
    given_names = [names.name(source, page, 1) for source in sources for page in (1, 2)]
    assert len({name.casefold() for name in given_names}) == len(given_names)
    assert names.name("monday/pad.jpg", 1, 1) == "pad.annotated.jpg"
    assert names.name("tuesday/pad.jpg", 1, 1) == "pad-2.annotated.jpg"


@given(st.lists(st.tuples(st.text(max_size=12), st.integers(1, 3), st.integers(1, 3)), unique=True, max_size=12))
def test_names_are_plain_file_names_and_unique(sheets: list[tuple[str, int, int]]) -> None:
    names = AnnotatedNames()
    made = [names.name(*sheet) for sheet in sheets]
    assert len({name.casefold() for name in made}) == len(made)
    assert not any("/" in name or "\\" in name for name in made)
    assert made == [names.name(*sheet) for sheet in sheets]


@pytest.mark.parametrize("degrees", [0, 4, -7])
@pytest.mark.parametrize("name", ["splitter-a", "splitter-b", "sudoku"])
def test_names_of_rows_and_columns_stand_apart(name: str, degrees: float) -> None:
    """Where a board lacks corners, they would meet in these."""
    template, long_side = get_template(name), 1120
    scale = long_side / max(template.size)
    cos, sin = scale * np.cos(np.radians(degrees)), scale * np.sin(np.radians(degrees))
    turned = Homography(np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]]))
    places = name_places(template, polygons(template, turned), long_side)
    room = np.array(NAME_ROOM) * NAME_TEXT * long_side
    for one, other in itertools.combinations(places, 2):
        apart = np.abs(np.subtract(places[one], places[other])) >= room
        assert apart.any(), f"{one} and {other}"
