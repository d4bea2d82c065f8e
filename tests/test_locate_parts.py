from __future__ import annotations

import numpy as np
import pytest
from grids import CELL, LOPSIDED, MARGIN, SPLITTER_B, sudoku, template
from hypothesis import given, settings
from hypothesis import strategies as st

from scanner.geometry import FloatArray, Homography, project
from scanner.locate.candidates import THRESHOLDS, Patches, find_patches
from scanner.locate.evidence import LineEvidence, line_evidence
from scanner.locate.fit import aspect_possible, turn_matrix
from scanner.locate.lattice import Lattice, find_lattices
from scanner.locate.mesh import Mesh, fit_smooth, polynomial_terms
from scanner.locate.pattern import patterns, same_turns
from scanner.locate.placement import NotFound
from scanner.locate.prepare import smoothed, stretched
from scanner.templates import get_template

SUDOKU = get_template("sudoku")


def _patches(places: np.ndarray, matrix: Homography, *, inset: float = 0.04) -> Patches:
    """Patches as a perfect picture would give them: one in each place of a lattice."""
    square = np.array([[inset, inset], [1 - inset, inset], [1 - inset, 1 - inset], [inset, 1 - inset]])
    corners = project(matrix, (places[:, None, :] + square).reshape(-1, 2).astype(np.float64)).reshape(-1, 4, 2)
    x, y = corners[:, :, 0], corners[:, :, 1]
    area = 0.5 * np.abs((x * np.roll(y, -1, axis=1) - np.roll(x, -1, axis=1) * y).sum(axis=1))
    return Patches(corners.mean(axis=1), corners, np.sqrt(area))


def _camera(angle: float, tilt: float, size: float = 40.0) -> Homography:
    turn = np.deg2rad(angle)
    rotation = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    lean = np.array([[1, 0, 0], [0, 1, 0], [tilt / 9 / size, 0.5 * tilt / 9 / size, 1]])
    return Homography(np.diag([1.0, 1.0, 1.0]) @ lean @ rotation @ np.diag([size, size, 1.0]))


@settings(max_examples=40, deadline=None)
@given(angle=st.floats(0, 360), tilt=st.floats(0, 0.3), seed=st.integers(0, 1000), kept=st.floats(0.6, 1.0))
def test_a_lattice_grows_over_gaps_and_keeps_neighbours_neighbours(
    angle: float, tilt: float, seed: int, kept: float
) -> None:
    columns, rows = np.meshgrid(np.arange(9), np.arange(9))
    places = np.stack([columns.ravel(), rows.ravel()], axis=1)
    rng = np.random.default_rng(seed)
    places = places[rng.random(81) < kept]
    matrix = _camera(angle, tilt)
    found = find_lattices(_patches(places, matrix))
    assert found
    lattice = found[0]
    assert len(lattice.members) > 0.8 * len(places)
    # Its own rows and columns differ from ours by a turn and a shift: distances between cells are the same.
    truth = places[lattice.members]
    ours = np.abs(truth[:, None] - truth[None]).sum(axis=2)
    theirs = np.abs(lattice.places[:, None] - lattice.places[None]).sum(axis=2)
    assert np.array_equal(ours, theirs)
    centre = project(lattice.matrix, lattice.places.astype(np.float64) + 0.5)
    assert np.abs(centre - project(matrix, truth.astype(np.float64) + 0.5)).max() < 0.05 * lattice.pitch


def test_patches_in_disorder_make_no_lattice() -> None:
    rng = np.random.default_rng(3)
    places = rng.uniform(0, 30, (60, 2))
    largest = max((len(lattice.members) for lattice in find_lattices(_patches(places, _camera(0, 0)))), default=0)
    assert largest < 20
    assert find_lattices(_patches(places[:8], _camera(0, 0))) == ()


def _evidence() -> tuple[LineEvidence, Lattice]:
    gray = sudoku().gray
    lattice = find_lattices(find_patches(gray, THRESHOLDS[0]))[0]
    evidence = line_evidence(gray, lattice, (2, 2))
    assert evidence is not None
    return evidence, lattice


def test_every_cell_of_a_drawn_grid_is_a_patch() -> None:
    patches = find_patches(sudoku().gray, THRESHOLDS[0])
    places = (patches.centres - MARGIN) / CELL
    inside = ((places > 0) & (places < 9)).all(axis=1)
    assert {(int(x), int(y)) for x, y in places[inside]} == {(x, y) for x in range(9) for y in range(9)}


def test_lines_are_seen_where_they_are_and_nowhere_else() -> None:
    evidence, lattice = _evidence()
    # The drawn grid lies upright: its first cell is where the picture says MARGIN.
    at = np.linalg.inv(lattice.matrix) @ np.array([MARGIN, MARGIN, 1.0])
    col, row = np.round(at[:2] / at[2]).astype(int) - evidence.first
    inside = evidence.upright[row : row + 9, col : col + 10]
    assert inside.min() > 0.9
    assert evidence.level[row : row + 10, col : col + 9].min() > 0.9
    outside = evidence.upright.copy()
    outside[row : row + 9, col : col + 10] = 0
    assert outside.max() < 0.2
    weight = evidence.upright_weight[row : row + 9, col : col + 10].mean(axis=0)
    assert min(weight[[3, 6]]) > 1.5 * max(weight[[1, 2, 4, 5, 7, 8]])


def test_what_lies_outside_the_picture_is_not_visible() -> None:
    gray = np.ascontiguousarray(sudoku().gray[MARGIN - 10 :])
    lattice = find_lattices(find_patches(gray, THRESHOLDS[0]))[0]
    evidence = line_evidence(gray, lattice, (2, 2))
    assert evidence is not None
    assert not evidence.visible[:2].any()
    assert evidence.visible[2:11].all()
    assert not evidence.upright[:2].any()


def _lattice(matrix: FloatArray) -> Lattice:
    empty = np.zeros((0, 2), np.int64)
    return Lattice(Homography(matrix), empty, np.zeros(0, np.int64), empty, np.zeros((0, 2)), 40.0)


def _seen_from(tilt: float, ratio: float) -> FloatArray:
    """A plane turned about its own x axis by `tilt` degrees, focal length 0.8 of a picture 1000 px wide."""
    angle = np.deg2rad(tilt)
    across, down = np.array([ratio, 0, 0]), np.array([0, np.cos(angle), np.sin(angle)])
    plane = np.stack([across, down, np.array([-4.0, -4.0, 25.0])], axis=1)
    camera = np.array([[800.0, 0, 500], [0, 800, 375], [0, 0, 1]])
    return np.asarray(camera @ plane, dtype=np.float64)


@settings(max_examples=30, deadline=None)
@given(tilt=st.floats(-50, 50), ratio=st.sampled_from([0.5, 1.0, 2.0]))
def test_the_proportions_of_cells_seen_at_a_slant(tilt: float, ratio: float) -> None:
    lattice = _lattice(_seen_from(tilt, ratio))
    assert aspect_possible(lattice, (750, 1000), (ratio, 1.0))


@pytest.mark.parametrize("ratio", [0.5, 2.0])
def test_long_cells_seen_from_above_are_not_square(ratio: float) -> None:
    assert not aspect_possible(_lattice(_seen_from(0, ratio)), (750, 1000), (1.0, 1.0))


def test_the_turns_that_leave_a_template_as_it_is() -> None:
    assert same_turns(SUDOKU) == (1, 2, 3)
    assert same_turns(template(SPLITTER_B)) == (2,)
    assert same_turns(template(LOPSIDED)) == ()
    assert [p.turns for p in patterns(SUDOKU)] == [0]
    assert [p.turns for p in patterns(template(SPLITTER_B))] == [0, 1]
    assert [p.turns for p in patterns(template(LOPSIDED))] == [0, 1, 2, 3]


def _grid(rows: int, cols: int, heavy: str) -> str:
    return (
        'schema = 1\nid = "g"\ntitle = "G"\ngame = "sudoku"\nsize = [120, 120]\n'
        f"[grid]\norigin = [10, 10]\npitch = [10, 10]\nrows = {rows}\ncols = {cols}\nvalues = [1, 9]\nheavy = {heavy}\n"
    )


@pytest.mark.parametrize(
    ("rows", "cols", "heavy", "expected"),
    [
        (6, 6, "[3, 2]", (2,)),  # boxes lying down: only half a turn
        (8, 8, "[4, 4]", (1, 2, 3)),
        (8, 8, "[3, 3]", ()),  # lines after 3 and 6 of 8: none is like another
        (6, 9, "[3, 3]", (2,)),
    ],
)
def test_heavy_lines_count_among_what_a_turn_must_keep(
    rows: int, cols: int, heavy: str, expected: tuple[int, ...]
) -> None:
    assert same_turns(template(_grid(rows, cols, heavy))) == expected


@pytest.mark.parametrize("text", [SPLITTER_B, LOPSIDED])
def test_borders_lie_outside_and_stubs_are_theirs(text: str) -> None:
    for pattern in patterns(template(text)):
        upright, level = np.zeros_like(pattern.upright), np.zeros_like(pattern.level)
        for border in pattern.borders:
            across = upright if border.is_upright else level
            across |= border.across
            own = pattern.upright if border.is_upright else pattern.level
            assert not (border.across & own).any()
        assert np.array_equal(upright, pattern.upright_stub)
        assert np.array_equal(level, pattern.level_stub)


@given(turns=st.integers(0, 3), rows=st.integers(1, 9), cols=st.integers(1, 9))
def test_turn_matrix_takes_corners_to_corners(turns: int, rows: int, cols: int) -> None:
    """rows and cols are those of the turned picture."""
    high, wide = (rows, cols) if turns % 2 == 0 else (cols, rows)
    upright = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float64)
    picture = np.array([[0, 0], [cols, 0], [cols, rows], [0, rows]], np.float64)
    mapped = project(Homography(turn_matrix(turns, rows, cols)), upright)
    np.testing.assert_allclose(mapped, np.roll(picture, -turns, axis=0))


@settings(max_examples=40, deadline=None)
@given(
    coefficients=st.lists(st.floats(-0.05, 0.05), min_size=42, max_size=42),
    turns=st.integers(0, 3),
    x=st.floats(0, 1),
    y=st.floats(0, 1),
)
def test_a_turned_mesh_moves_points_as_before(coefficients: list[float], turns: int, x: float, y: float) -> None:
    size = (8.0, 7.0)
    mesh = Mesh(size, np.array(coefficients[:21]), np.array(coefficients[21:]))
    # turn_matrix takes points of the sheet read with its top elsewhere to points of the mesh's own lattice.
    back = Homography(turn_matrix(turns, 7, 8))
    rows, cols = (7, 8) if turns % 2 == 0 else (8, 7)
    point = np.array([[x * cols, y * rows]])
    through = project(back, mesh.turned(turns).displace(point))
    np.testing.assert_allclose(through, mesh.displace(project(back, point)), atol=1e-6)


def test_a_smooth_fit_ignores_a_digit_taken_for_a_line() -> None:
    x, y = (side.ravel() for side in np.meshgrid(np.arange(10.0), np.arange(10.0)))
    points = np.stack([x, y], axis=1)
    true = 0.1 * ((x - 4.5) / 4.5) ** 2
    seen = true.copy()
    seen[[12, 37, 55, 81]] += 0.2
    fitted = polynomial_terms(points, (9.0, 9.0)) @ fit_smooth(points, seen, np.ones(100), (9.0, 9.0))
    assert np.abs(fitted - true).max() < 0.03


def test_only_pictures_of_few_grey_levels_are_stretched() -> None:
    usual = np.tile(np.arange(40, 220, dtype=np.uint8), (100, 1))
    assert stretched(usual) is usual
    faint = np.tile(np.arange(100, 130, dtype=np.uint8), (100, 1))
    wide = stretched(faint)
    assert int(wide.max()) - int(wide.min()) > 150
    assert np.array_equal(np.argsort(wide[0], kind="stable"), np.argsort(faint[0], kind="stable"))
    assert smoothed(usual, 0.0) is usual


def test_not_found_is_falsy() -> None:
    assert not NotFound("nothing there")
