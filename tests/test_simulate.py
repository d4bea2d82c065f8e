"""Generated photos: what was asked for is on them, where the truth says, and the same seed gives the same photo."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scanner.bench.truth import read_truths
from scanner.games.sudoku_solver import solve
from scanner.geometry import FloatArray, Homography, project
from scanner.intake import load
from scanner.locate import NotFound, locate
from scanner.simulate import (
    FilledSheet,
    Ranges,
    Setting,
    Shapes,
    Simulated,
    make_puzzle,
    pool_hand,
    simulate,
    simulate_table,
)
from scanner.simulate.camera import Camera, Pose, choose_bend, choose_camera, choose_rotation
from scanner.simulate.sudokus import cell_id
from scanner.simulate.writing import Contents
from scanner.templates import Template, get_template, load_templates, parse_template
from scanner.training.glyphs import GlyphPool
from scanner.training.ink import fit

FLAT = Ranges(
    tilt=(0, 0),
    roll=(0, 0),
    bow=(0, 0),
    gutter_chance=0,
    soft_chance=0,
    hard_chance=0,
    thumb_chance=0,
    motion_chance=0,
    plain_chance=0,
)
UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float64)
PAD = """
schema = 1
id = "tiny"
title = "Tiny pad"
game = "sudoku"
size = [80, 50]
[grid]
origin = [30, 5]
pitch = [10, 10]
mask = ["-oo-", "ohoo", "oooo", "-oo-"]
tags = { h = "heart" }
values = [1, 6]
[[boxes]]
id = "sum"
kind = "number"
values = [-99, 99]
rect = [4, 20, 16, 8]
[[boxes]]
id = "done"
kind = "mark"
rect = [4, 35, 6, 6]
[look]
lines = "light"
field = "dark"
symbols = { heart = "heart" }
[[labels]]
text = "TINY"
at = [4, 12]
height = 4
"""

HEXES = """
schema = 1
id = "comb"
title = "Comb"
game = "sudoku"
size = [60, 60]
[hex]
centre = [30, 30]
pitch = 10
values = [1, 9]
[[hex.areas]]
centre = "q0r0"
radius = 2
tag = "all"
"""


def drawn_pool() -> GlyphPool:
    """Two writers, who write every digit in a line drawing of OpenCV's, thin and thick."""
    inks = []
    for thick in (1, 21):
        for digit in range(10):
            canvas = np.zeros((240, 240), np.uint8)
            cv2.putText(canvas, str(digit), (60, 180), cv2.FONT_HERSHEY_SIMPLEX, 5.0, (255,), 2, cv2.LINE_AA)
            glyph = fit(np.asarray(cv2.dilate(canvas, np.ones((thick, thick), np.uint8)), dtype=np.uint8))
            assert glyph is not None
            inks.append(glyph)
    return GlyphPool(
        ink=np.stack(inks),
        digit=np.tile(np.arange(10, dtype=np.uint8), 2),
        source=np.zeros(20, np.uint16),
        writer=np.repeat(np.array([1, 2], dtype=np.int32), 10),
        kind=np.full(20, "hand", dtype="U5"),
        split=np.full(20, "train", dtype="U5"),
        sources=("drawn",),
    )


@pytest.fixture(scope="module")
def hand() -> Shapes:
    return pool_hand(drawn_pool(), 1)


@pytest.fixture(scope="module")
def sudoku() -> Template:
    return get_template("sudoku")


def filled(hand: Shapes, sudoku: Template, seed: int, setting: Setting | None = None) -> Simulated:
    puzzle = make_puzzle(seed)
    return simulate(sudoku, puzzle.contents(), hand=hand, seed=seed, printed=puzzle.printed, setting=setting)


# The photo and its truth


def test_the_truth_is_what_was_asked_for(hand: Shapes, sudoku: Template) -> None:
    contents: Contents = {"r1c1": 4, "r1c2": 7, "r9c9": "candidates", "r5c5": "struck", "r3c3": None}
    made = simulate(sudoku, contents, hand=hand, seed=1, printed=frozenset({"r1c2"}))
    assert {key: value for key, value in made.truth.cells.items() if value is not None} == {
        "r1c1": 4,
        "r1c2": 7,
        "r9c9": "candidates",
        "r5c5": "struck",
    }
    assert len(made.truth.cells) == 81
    assert made.truth.printed == {"r1c2"}
    assert made.photo.shape == (1200, 1600, 3)
    file = json.loads(made.truth.json())
    assert file["template"] == "sudoku"
    assert file["cells"] == made.truth.cells
    assert file["printed"] == ["r1c2"]
    assert np.allclose(file["corners"], made.truth.corners, atol=0.006)


def test_the_same_seed_gives_the_same_photo_and_another_seed_another(hand: Shapes, sudoku: Template) -> None:
    small = Setting(size=(800, 600))
    one, again, other = (filled(hand, sudoku, 5, small), filled(hand, sudoku, 5, small), filled(hand, sudoku, 6, small))
    assert np.array_equal(one.photo, again.photo)
    assert one.file() == again.file()
    assert not np.array_equal(one.truth.corners, other.truth.corners)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_printed_frame_runs_between_the_corners(hand: Shapes, sudoku: Template, seed: int) -> None:
    """Across the frame, the darkest place lies within a pixel and a half of where the truth's corners say."""
    made = simulate(
        sudoku, {}, hand=hand, seed=seed, setting=Setting(ranges=replace(FLAT, tilt=(15, 30), roll=(-8, 8)))
    )
    grey = cv2.GaussianBlur(made.photo.mean(axis=2).astype(np.float32), (0, 0), 1.0)
    corners = made.truth.corners
    fitted = cv2.getPerspectiveTransform(UNIT.astype(np.float32), corners.astype(np.float32))
    matrix = Homography(np.asarray(fitted, dtype=np.float64))
    for index, (start, end) in enumerate(zip(corners, np.roll(corners, -1, axis=0), strict=True)):
        along = (end - start) / np.linalg.norm(end - start)
        across = np.array([-along[1], along[0]])
        for place in (1.5, 3.5, 5.5, 7.5):  # middles of cells, where no other line meets the frame
            corner, towards = UNIT[index], UNIT[(index + 1) % 4]
            middle = project(matrix, (corner + place / 9 * (towards - corner))[None])[0]
            steps = np.arange(-14, 14.5, 0.5)
            px = (middle + steps[:, None] * across).astype(np.float32)
            seen = cv2.remap(grey, px[:, :1], px[:, 1:], cv2.INTER_LINEAR).ravel()
            dark = np.clip(np.percentile(seen, 70) - 12 - seen, 0, None)
            assert dark.max() > 20, "a line is there"
            assert abs((dark * steps).sum() / dark.sum()) < 1.5


def test_ink_lies_in_the_cells_that_are_filled(hand: Shapes, sudoku: Template) -> None:
    """Written and printed digits darken their own cells, and no others."""
    contents = {"r2c3": 8, "r5c5": 4, "r8c7": 6, "r7c2": 2}
    ranges = replace(FLAT, pens=("ball-black",), stray_chance=0, offset_jitter=(0.0, 0.03), show_through=(0, 0))
    made = simulate(sudoku, contents, hand=hand, seed=4, printed=frozenset({"r5c5"}), setting=Setting(ranges=ranges))
    flat = rectified(made, 40)
    inner = {cell: flat[40 * row + 8 : 40 * row + 32, 40 * col + 8 : 40 * col + 32] for cell, row, col in places()}
    inky = {cell for cell, crop in inner.items() if np.median(crop) - crop.min() > 40}
    assert inky == set(contents)


def rectified(made: Simulated, cell_px: int) -> FloatArray:
    side = 9 * cell_px
    target = np.array([[0, 0], [side, 0], [side, side], [0, side]], dtype=np.float32)
    matrix = cv2.getPerspectiveTransform(made.truth.corners.astype(np.float32), target)
    return np.asarray(cv2.warpPerspective(made.photo, matrix, (side, side)).mean(axis=2), dtype=np.float64)


def places() -> list[tuple[str, int, int]]:
    return [(cell_id(9 * row + col), row, col) for row in range(9) for col in range(9)]


@pytest.mark.parametrize("turns", [0, 1, 2, 3])
def test_quarter_turns_are_clockwise(hand: Shapes, sudoku: Template, turns: int) -> None:
    made = simulate(sudoku, {}, hand=hand, seed=2, setting=Setting(size=(800, 600), quarter_turns=turns, ranges=FLAT))
    top_left = made.truth.corners[0] - made.truth.corners.mean(axis=0)
    expected = [(-1, -1), (1, -1), (1, 1), (-1, 1)][turns]  # where a clockwise turn takes the top left
    assert tuple(np.sign(top_left)) == expected


@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_the_exif_orientation_changes_the_file_and_not_the_picture(
    hand: Shapes, sudoku: Template, orientation: int
) -> None:
    made = filled(hand, sudoku, 3, Setting(size=(640, 480)))
    photo = next(load(made.file(orientation=orientation), name="x.jpg"))
    assert photo.size == (640, 480)
    assert np.abs(photo.rgb.astype(int) - made.photo).mean() < 8


@pytest.mark.parametrize("seed", range(12))
def test_the_grid_is_found_whichever_way_the_sheet_or_the_file_is_turned(
    hand: Shapes, sudoku: Template, seed: int
) -> None:
    size = (1600, 1200) if seed % 3 else (1200, 1600)
    made = filled(hand, sudoku, seed, Setting(size=size, quarter_turns=seed % 4))
    photo = next(load(made.file(orientation=(1, 3, 6, 8)[(seed // 2) % 4]), name="x.jpg"))
    found = locate(photo, [sudoku])
    assert not isinstance(found, NotFound)
    corners = made.truth.corners
    side = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).mean()
    seen = (found[0].corners + 0.5) * photo.scale - 0.5
    errors = [np.linalg.norm(np.roll(seen, turn, axis=0) - corners, axis=1).max() for turn in range(4)]
    assert min(errors) < 0.01 * side


def test_a_pad_with_holes_boxes_marks_and_pale_cells_on_a_dark_field(hand: Shapes) -> None:
    pad = parse_template(PAD.encode(), source="tiny.toml")
    contents: Contents = {"r2c2": 6, "sum": -17, "done": "x"}
    made = simulate(pad, contents, hand=hand, seed=1, setting=Setting(size=(800, 600), ranges=FLAT))
    assert made.truth.cells["sum"] == -17
    assert made.truth.cells["done"] == "x"
    assert made.truth.cells["r1c2"] is None
    low, high = made.truth.corners[0], made.truth.corners[2]
    assert (high[0] - low[0]) == pytest.approx(high[1] - low[1], rel=0.01), "the lattice is 4 x 4 cells"
    cell = (high - low) / 4
    grey = made.photo.mean(axis=2)

    def shade(col: float, row: float) -> float:
        x, y = low + cell * (col, row)
        return float(np.median(grey[int(y) - 4 : int(y) + 5, int(x) - 4 : int(x) + 5]))

    assert shade(1.5, 0.5) > 2 * shade(0.5, 0.5), "a cell is pale, the hole at the corner dark"
    assert shade(2.5, 3.5) > 2 * shade(3.5, 3.5)


def test_hexes_are_drawn_as_any_other_cells(hand: Shapes) -> None:
    """Five hexes of 10 mm across, two and a half steps of the rows and a tip above and below."""
    comb = parse_template(HEXES.encode(), source="comb.toml")
    made = simulate(comb, {"q0r0": 5}, hand=hand, seed=3, setting=Setting(size=(800, 600), ranges=FLAT))
    width, height = made.truth.corners[2] - made.truth.corners[0]
    rise = 10 / np.sqrt(3)
    assert width / height == pytest.approx(50 / (4 * 1.5 * rise + 2 * rise), rel=0.01)
    grey = made.photo.mean(axis=2)
    x, y = made.truth.corners.mean(axis=0)
    pitch = width / 5

    def darkest(at: float, reach: float) -> float:
        part = grey[int(y - 2) : int(y + 3), int(at - reach) : int(at + reach)]
        return float(np.median(grey) - part.min())

    assert darkest(x + 1.5 * pitch, 0.1 * pitch) > 40, "the line between the hexes q1r0 and q2r0"
    assert darkest(x + 1.0 * pitch, 0.2 * pitch) < 25, "the empty middle of q1r0"


def test_plain_print_has_the_same_lattice_in_black_on_white(hand: Shapes) -> None:
    pad = parse_template(PAD.encode(), source="tiny.toml")
    shades = []
    for chance in (0.0, 1.0):
        setting = Setting(size=(800, 600), ranges=replace(FLAT, plain_chance=chance, whole_chance=0.0))
        made = simulate(pad, {}, hand=hand, seed=2, setting=setting)
        low, high = made.truth.corners[0], made.truth.corners[2]
        x, y = low + (high - low) * (0.125, 0.125)  # a hole of the mask
        shades.append(float(np.median(made.photo[int(y) - 5 : int(y) + 6, int(x) - 5 : int(x) + 6])))
    assert shades[1] > 2 * shades[0]


@pytest.mark.parametrize(
    ("contents", "printed", "message"),
    [
        ({"r10c1": 3}, (), "no cell r10c1"),
        ({"r1c1": "letter"}, (), "can't write 'letter'"),
        ({}, ("r1c1",), "only a number can be printed"),
    ],
)
def test_misuse_is_refused(
    hand: Shapes, sudoku: Template, contents: dict[str, int | str], printed: tuple[str, ...], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        simulate(sudoku, contents, hand=hand, seed=1, printed=frozenset(printed), setting=Setting(size=(320, 240)))


# Hands


def test_a_writer_of_a_pool_writes_only_with_his_own_shapes() -> None:
    pool = drawn_pool()
    rng = np.random.default_rng(1)
    thin, thick = pool_hand(pool, 1), pool_hand(pool, 2)
    for digit in range(10):
        assert (thick.glyph(digit, rng) > 127).sum() > 1.3 * (thin.glyph(digit, rng) > 127).sum()


def test_a_hand_without_a_digit_says_so() -> None:
    pool = drawn_pool()
    hand = pool_hand(pool.select(pool.digit != 7), 1)
    assert hand.digits == frozenset(range(10)) - {7}
    with pytest.raises(KeyError, match="this hand has no 7"):
        hand.glyph(7, np.random.default_rng(1))


# Bent paper and camera


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_what_a_point_of_the_sheet_projects_to_is_seen_there(seed: int) -> None:
    """Forwards through bend and camera, then backwards: the same point of the sheet."""
    rng = np.random.default_rng(seed)
    quad = np.array([[5, 5], [95, 5], [95, 95], [5, 95]], dtype=np.float64)
    bend = choose_bend((50, 50), 60, rng, Ranges())
    rotation = choose_rotation(int(rng.integers(4)), rng, Ranges())
    camera = choose_camera(bend.raised(quad), (1600, 1200), rotation, rng, Ranges())
    sheet = rng.uniform(0, 100, (30, 2))
    px = camera.project(bend.raised(sheet))
    x, y = bend.sheet_at(*camera.table_at(px[:, 0], px[:, 1], bend))
    assert np.abs(np.column_stack([x, y]) - sheet).max() < 0.05


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_bending_paper_does_not_stretch_it(seed: int) -> None:
    bend = choose_bend((50, 50), 60, np.random.default_rng(seed), Ranges())
    t = np.linspace(0, 1, 400)[:, None]
    for start, end in (((5, 5), (95, 5)), ((5, 5), (5, 95)), ((5, 95), (95, 5))):
        line = np.array(start) + t * (np.array(end) - np.array(start))
        length = np.linalg.norm(np.diff(bend.raised(line), axis=0), axis=1).sum()
        assert length == pytest.approx(np.linalg.norm(np.subtract(end, start)), rel=2e-3)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([(1600, 1200), (900, 1600)]), st.integers(0, 3))
def test_the_lattice_is_always_in_view_and_not_mirrored(seed: int, size: tuple[int, int], turns: int) -> None:
    quad = np.array([[5, 5, 0], [95, 5, 0], [95, 95, 0], [5, 95, 0]], dtype=np.float64)
    rng = np.random.default_rng(seed)
    corners = choose_camera(quad, size, choose_rotation(turns, rng, Ranges()), rng, Ranges()).project(quad)
    assert (corners > 0).all()
    assert (corners < np.array(size)).all()
    x, y = corners.T
    assert (x * np.roll(y, -1) - np.roll(x, -1) * y).sum() > 0


def test_a_camera_straight_above_shows_focal_over_distance() -> None:
    """Pinhole by hand: 30 mm beside the aim, 400 mm below a lens of 1,000 px: 75 px; 100 mm nearer: 100 px."""
    camera = Camera(np.eye(3), (10.0, 20.0), 400.0, 1000.0, (800.0, 600.0))
    seen = camera.project(np.array([[40.0, 20.0, 0.0], [10.0, -10.0, 100.0]]))
    assert seen == pytest.approx(np.array([[875.0, 600.0], [800.0, 500.0]]))


# Several sheets on one table


def blank(template_id: str) -> FilledSheet:
    return FilledSheet(get_template(template_id))


def outside(one: FloatArray, other: FloatArray) -> bool:
    return cv2.intersectConvexConvex(one.astype(np.float32), other.astype(np.float32))[0] == 0


@pytest.mark.parametrize("seed", range(4))
def test_sheets_on_a_table_lie_in_view_apart_and_not_mirrored(seed: int) -> None:
    ids = ["splitter-a", "splitter-b", "splitter-a", "splitter-b"][: 1 + seed]
    made = simulate_table([blank(name) for name in ids], seed=seed, setting=Setting(size=(640, 480)))
    assert [truth.template for truth in made.truths] == ids
    for index, truth in enumerate(made.truths):
        assert (truth.corners > 0).all()
        assert (truth.corners < np.array([640, 480])).all()
        x, y = truth.corners.T
        assert (x * np.roll(y, -1) - np.roll(x, -1) * y).sum() > 0
        assert all(outside(truth.corners, other.corners) for other in made.truths[:index])


def test_a_sheet_that_leans_is_seen_from_its_front_and_one_that_lies_at_a_low_angle() -> None:
    ranges = Ranges(tilt=(66, 66))
    for seed in range(4):
        made = simulate_table(
            [blank("splitter-a"), blank("splitter-b")],
            seed=seed,
            leaning=[50.0],
            setting=Setting(size=(640, 480), ranges=ranges),
        )
        leaning, lying = made.angles
        # By perspective alone, either lies a few degrees off the middle's line of sight.
        assert leaning < 50
        assert 52 < lying < 80


def test_the_table_s_truth_file_is_one_that_bench_reads(tmp_path: Path) -> None:
    made = simulate_table([blank("splitter-a"), blank("splitter-b")], seed=5, setting=Setting(size=(640, 480)))
    path = tmp_path / "table.json"
    path.write_text(made.json(), encoding="utf-8")
    truths = read_truths(path, load_templates())
    areas = [cv2.contourArea(truth.corners.astype(np.float32)) for truth in truths if truth.corners is not None]
    assert len(areas) == 2
    assert areas == sorted(areas, reverse=True)
    again = simulate_table([blank("splitter-a"), blank("splitter-b")], seed=5, setting=Setting(size=(640, 480)))
    assert np.array_equal(made.photo, again.photo)


@pytest.mark.parametrize(("count", "leaning"), [(0, []), (5, []), (1, [10.0, 20.0])])
def test_a_wrong_number_of_sheets_is_refused(count: int, leaning: list[float]) -> None:
    with pytest.raises(ValueError, match="1 to 4 sheets"):
        simulate_table([blank("splitter-a")] * count, seed=1, leaning=leaning)


def test_writing_without_a_hand_is_refused() -> None:
    sheet = FilledSheet(get_template("splitter-a"), {"r4c1": 5})
    with pytest.raises(ValueError, match="nobody's hand"):
        simulate_table([sheet], seed=1, setting=Setting(size=(320, 240)))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_a_sheet_s_own_camera_sees_it_where_the_scene_s_does(seed: int) -> None:
    """A sheet turned and moved in the scene: both ways to project its points agree."""
    rng = np.random.default_rng(seed)
    camera = Camera(choose_rotation(0, rng, Ranges()), (50.0, 40.0), 500.0, 1200.0, (600.0, 400.0))
    angle, lean = rng.uniform(-3, 3), rng.uniform(0, 0.7)
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    tip = np.array([[1, 0, 0], [0, np.cos(lean), -np.sin(lean)], [0, np.sin(lean), np.cos(lean)]])
    pose = Pose(tip @ turn, rng.uniform(-30, 30, 3))
    points = np.column_stack([rng.uniform(0, 100, (20, 2)), rng.uniform(0, 5, 20)])
    np.testing.assert_allclose(camera.of_sheet(pose).project(points), camera.project(pose.placed(points)), atol=1e-6)


def test_the_angle_to_a_sheet_by_hand() -> None:
    """From straight above 0 degrees; a sheet propped up by 30 degrees at the aim is seen at 30."""
    camera = Camera(np.eye(3), (0.0, 0.0), 400.0, 1000.0, (0.0, 0.0))
    flat = Pose(np.eye(3), np.zeros(3))
    lean = np.radians(30)
    tipped = Pose(np.array([[1, 0, 0], [0, np.cos(lean), -np.sin(lean)], [0, np.sin(lean), np.cos(lean)]]), np.zeros(3))
    assert camera.angle_to(np.zeros(2), flat) == pytest.approx(0, abs=1e-4)
    assert camera.angle_to(np.zeros(2), tipped) == pytest.approx(30, abs=1e-4)


# Puzzles


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_puzzle_has_one_solution_and_the_givens_asked_for(seed: int) -> None:
    puzzle = make_puzzle(seed, givens=30)
    found = solve(puzzle.givens)
    assert found.count == 1
    assert found.solution == puzzle.solution
    assert len(puzzle.printed) == 30
    units = [[9 * a + b for b in range(9)] for a in range(9)] + [[9 * b + a for b in range(9)] for a in range(9)]
    units += [[9 * (3 * (a // 3) + b // 3) + 3 * (a % 3) + b % 3 for b in range(9)] for a in range(9)]
    assert all(sorted(puzzle.solution[at] for at in unit) == list(range(1, 10)) for unit in units)
    assert make_puzzle(seed, givens=30) == puzzle
