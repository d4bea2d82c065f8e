"""Pads in the colours they are sold in, alone and in company, down to very low angles."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from grids import SPLITTER_B, template

from scanner.cells import cut
from scanner.geometry import FloatArray, Homography, project
from scanner.intake import Photo, load
from scanner.locate import NotFound, Placement, locate
from scanner.locate.candidates import Patches
from scanner.locate.lattice import Curve, find_lattices
from scanner.locate.outline import hull_of, proposals
from scanner.read.reader import default_reader
from scanner.simulate import FilledSheet, Ranges, Setting, Shapes, SimulatedTable, Truth, simulate, simulate_table
from scanner.templates import Template, get_template, load_templates

PAD_A, PAD_B = get_template("splitter-a"), get_template("splitter-b")
EVERY = tuple(load_templates().values())
COLOURS = Ranges(plain_chance=0.0)
SIZE = (1280, 960)


def photo_of(made: SimulatedTable) -> Photo:
    return next(load(made.file(), name="table.jpg"))


def error(placement: Placement, truth: Truth, scale: float) -> float:
    """Largest distance of a corner from the true one, as a share of the mean side, whichever way up."""
    side = np.linalg.norm(truth.corners - np.roll(truth.corners, 1, axis=0), axis=1).mean()
    ways = [(placement.turned(turn).corners + 0.5) * scale - 0.5 for turn in (0, *placement.turns)]
    return float(min(np.linalg.norm(way - truth.corners, axis=1).max() for way in ways) / side)


def assert_all_found(made: SimulatedTable, photo: Photo, found: tuple[Placement, ...] | NotFound) -> None:
    assert not isinstance(found, NotFound), found.reason
    assert len(found) == len(made.truths)
    for truth in made.truths:
        same = [placement for placement in found if placement.template.id == truth.template]
        assert min(error(placement, truth, photo.scale) for placement in same) < 0.06
    areas = [cv2.contourArea(placement.corners.astype(np.float32)) for placement in found]
    assert areas == sorted(areas, reverse=True)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_two_blank_pads_one_at_a_very_low_angle(seed: int) -> None:
    """Both are found, told apart, and nothing is read into their cells."""
    low = replace(COLOURS, tilt=(62.0, 68.0), bow=(-2.0, 2.0), gutter_chance=0.0)
    made = simulate_table(
        [FilledSheet(PAD_A), FilledSheet(PAD_B)][:: 1 if seed % 2 else -1],
        seed=seed,
        leaning=[50.0],
        setting=Setting(size=SIZE, ranges=low),
    )
    assert max(made.angles) > 60
    photo = photo_of(made)
    found = locate(photo, EVERY)
    assert_all_found(made, photo, found)
    assert not isinstance(found, NotFound)
    reader = default_reader()
    for placement in found:
        readings = reader.read(cut(photo, placement))
        blank = readings.probabilities.argmax(axis=1) == readings.classes.index("blank")
        assert blank.mean() > 0.95


@pytest.mark.parametrize(("seed", "pads"), [(1, "AB"), (2, "BAB"), (3, "ABAB")])
def test_several_pads_largest_first(seed: int, pads: str) -> None:
    sheets = [FilledSheet(PAD_A if pad == "A" else PAD_B) for pad in pads]
    made = simulate_table(sheets, seed=seed, setting=Setting(size=SIZE, ranges=COLOURS))
    photo = photo_of(made)
    assert_all_found(made, photo, locate(photo, EVERY))


def strokes() -> Shapes:
    """A hand of line drawings whose digits are nearly as high as the cells, so that some touch the lines."""
    shapes = {}
    for digit in range(10):
        canvas = np.zeros((240, 240), np.uint8)
        cv2.putText(canvas, str(digit), (60, 180), cv2.FONT_HERSHEY_SIMPLEX, 5.0, (255,), 9, cv2.LINE_AA)
        shapes[digit] = [canvas]
    return Shapes(shapes)


@pytest.mark.parametrize("plain", [0.0, 1.0])
@pytest.mark.parametrize("pad", [PAD_A, PAD_B], ids=["a", "b"])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_pad_is_told_apart_in_colours_and_in_black_on_white(seed: int, pad: object, plain: float) -> None:
    sheet = PAD_A if pad is PAD_A else PAD_B
    rng = np.random.default_rng(seed)
    contents = {cell.id: int(rng.integers(1, 7)) for cell in sheet.lattice_cells}
    ranges = Ranges(plain_chance=plain, hand_height=(0.8, 0.9), tilt=(0.0, 45.0))
    made = simulate(sheet, contents, hand=strokes(), seed=seed, setting=Setting(size=SIZE, ranges=ranges))
    photo = next(load(made.file(), name="pad.jpg"))
    found = locate(photo, EVERY)
    assert not isinstance(found, NotFound), found.reason
    assert [placement.template.id for placement in found] == [sheet.id]
    assert error(found[0], made.truth, photo.scale) < 0.06


# By its outline


def test_the_hulls_of_the_pads() -> None:
    """Read off the masks of the rules: pad A's hull has eight corners, pad B's is its bounding rectangle."""
    a = {(2, 0), (6, 0), (8, 2), (8, 5), (6, 7), (2, 7), (0, 5), (0, 2)}
    assert {(round(x), round(y)) for x, y in hull_of(PAD_A.lattice_mask())} == a
    assert {(round(x), round(y)) for x, y in hull_of(PAD_B.lattice_mask())} == {(0, 0), (8, 0), (8, 7), (0, 7)}


def test_cells_without_any_line_between_them_are_proposed_by_their_outline() -> None:
    matrix = Homography(np.array([[30, -12, 420], [8, 22, 250], [0.004, 0.012, 1]], dtype=np.float64))
    gray = np.full((750, 1000), 50, np.uint8)
    for row, col in zip(*np.nonzero(PAD_A.lattice_mask()), strict=True):
        square = np.array([[col, row], [col + 1, row], [col + 1, row + 1], [col, row + 1]], dtype=np.float64)
        cv2.fillConvexPoly(gray, np.round(project(matrix, square)).astype(np.int32), (200,))
    corners = np.array([[0, 0], [8, 0], [8, 7], [0, 7]], dtype=np.float64)
    true = project(matrix, corners)
    off = [
        min(np.abs(np.roll(project(one.matrix, corners), turn, axis=0) - true).max() for turn in (0, 2))
        for one in proposals(gray, [PAD_A])
    ]
    assert min(off) < 12, "a corner of the rectangle, where pad A has no cell: within half a cell"
    assert proposals(gray, [get_template("sudoku")]) == ()


# Cells


def patches(places: FloatArray, wide: FloatArray, matrix: Homography) -> Patches:
    """Patches from the top left corners [n, 2] and the sizes [n, 2] of rectangles on the lattice."""
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float64)
    corners = places[:, None] + 0.05 + unit * (wide - 0.1)[:, None]
    px = project(matrix, corners.reshape(-1, 2)).reshape(-1, 4, 2)
    side = np.array([cv2.contourArea(one.astype(np.float32)) ** 0.5 for one in px])
    return Patches(px.mean(axis=1), px, side)


FLAT = Homography(np.diag([40.0, 40.0, 1.0]))


def test_cells_that_grew_together_over_a_line_join_the_two_halves_of_a_sheet() -> None:
    """Three columns, then a column of pairs two cells wide, then three columns: eight columns in one lattice."""
    places = [(col, row) for row in range(5) for col in (0, 1, 2, 3, 5, 6, 7)]
    wide = [(2 if col == 3 else 1, 1) for col, _ in places]
    (lattice,) = find_lattices(patches(np.array(places, float), np.array(wide, float), FLAT))
    cols, rows = (np.unique(lattice.places[:, axis]) for axis in (0, 1))
    assert len(lattice.members) == 40
    assert np.ptp(cols) == 7
    assert np.ptp(rows) == 4


def test_a_lattice_ends_where_its_sheet_does() -> None:
    """Two sheets on one endless lattice, five empty columns apart, are two lattices."""
    places = np.array([(col, row) for row in range(5) for col in (0, 1, 2, 3, 9, 10, 11, 12)], float)
    lattices = find_lattices(patches(places, np.ones_like(places), FLAT))
    assert sorted(len(lattice.members) for lattice in lattices) == [20, 20]


def test_a_bend_is_the_quadratic_through_its_points() -> None:
    """x moved by 0.02 x^2 - 0.1 y, y by 0.05 x: between the points as well."""
    x, y = (side.ravel() for side in np.meshgrid(np.arange(8.0), np.arange(7.0)))
    points = np.stack([x, y], axis=1)
    curve = Curve.through(points, np.stack([0.02 * x**2 - 0.1 * y, 0.05 * x], axis=1))
    moved = curve.displacement(np.array([[2.5, 3.5], [6.5, 0.5]]))
    np.testing.assert_allclose(moved, [[0.02 * 6.25 - 0.35, 0.125], [0.02 * 42.25 - 0.05, 0.325]], atol=0.01)


def test_strongly_bent_cells_stay_one_lattice() -> None:
    """A bow that no homography follows: cells up to 0.9 of a cell from where flat paper would have them."""
    sheet = template(SPLITTER_B)
    rows, cols = np.nonzero(sheet.lattice_mask())
    flat = patches(np.column_stack([cols, rows]).astype(float), np.ones((len(rows), 2)), FLAT)
    bow = 0.9 * 40 * ((flat.corners[:, :, 0] / 40 - 4) / 4) ** 2
    corners = flat.corners + np.stack([np.zeros_like(bow), bow], axis=2)
    found = find_lattices(Patches(corners.mean(axis=1), corners, flat.side))
    assert len(found[0].members) > 0.9 * len(rows)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_bent_pad_is_followed_to_its_rim(seed: int) -> None:
    """The edge of the dark field holds the bend where there are no lines: corners to a fiftieth of a cell."""
    bent = replace(COLOURS, tilt=(40.0, 55.0), bow=(5.0, 7.0), gutter_chance=1.0, gutter=(6.0, 10.0), blur=(1.0, 1.3))
    made = simulate(PAD_B, {}, hand=strokes(), seed=seed, setting=Setting(size=SIZE, ranges=bent))
    photo = next(load(made.file(), name="pad.jpg"))
    found = locate(photo, EVERY)
    assert not isinstance(found, NotFound), found.reason
    assert error(found[0], made.truth, photo.scale) < 0.0025


@pytest.mark.parametrize("pad", [PAD_A, PAD_B], ids=["a", "b"])
@pytest.mark.parametrize("margin", [0.25, 0.55, 0.8])
def test_a_sheet_may_end_right_beside_its_cells(margin: float, pad: Template) -> None:
    """No two printings need have the same margins; here some field, then a table as pale as the cells."""
    mask, side = pad.lattice_mask(), 60
    picture = np.full((900, 1200), 170, np.uint8)
    corners = np.array([[-margin, -margin], [8 + margin, 7 + margin]]) * side + 200
    (x0, y0), (x1, y1) = np.round(corners).astype(int).tolist()
    cv2.rectangle(picture, (x0, y0), (x1, y1), (45,), -1)
    for row, col in zip(*np.nonzero(mask), strict=True):
        left, top = int(200 + col * side), int(200 + row * side)
        cv2.rectangle(picture, (left, top), (left + side, top + side), (200,), -1)
        cv2.rectangle(picture, (left, top), (left + side, top + side), (60,), 2)
    found = locate(next(load(cv2.imencode(".png", picture)[1].tobytes(), name="pad.png")), EVERY)
    assert not isinstance(found, NotFound), found.reason
    assert [placement.template.id for placement in found] == [pad.id]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_faint_lines_on_coarse_paper_end_where_the_sheet_does(seed: int) -> None:
    """A plain print in the dark: the paper's grain is nearly as deep as the lines, but carries on none of them."""
    mask, side = PAD_B.lattice_mask(), 60
    picture = np.full((900, 1200), 40, np.float32)
    cv2.rectangle(picture, (60, 60), (1100, 830), (120.0,), -1)
    for row, col in zip(*np.nonzero(mask), strict=True):
        left, top = int(400 + col * side), int(200 + row * side)
        cv2.rectangle(picture, (left, top), (left + side, top + side), (88.0,), 2)
    grain = cv2.GaussianBlur(np.random.default_rng(seed).normal(0, 1, picture.shape).astype(np.float32), (0, 0), 1.0)
    picture += 6.0 / grain.std() * grain
    data = cv2.imencode(".png", np.clip(picture, 0, 255).astype(np.uint8))[1].tobytes()
    found = locate(next(load(data, name="pad.png")), EVERY)
    assert not isinstance(found, NotFound), found.reason
    assert [placement.template.id for placement in found] == [PAD_B.id]
