from __future__ import annotations

import cv2
import numpy as np
import pytest
from grids import (
    CELL,
    LOPSIDED,
    MARGIN,
    SPLITTER_B,
    Drawn,
    bent,
    corner_error,
    page,
    photo,
    seen,
    sudoku,
    template,
    turned,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from scanner.locate import NotFound, Placement, locate
from scanner.templates import get_template

SUDOKU = get_template("sudoku")
SLANTS = st.lists(st.floats(-0.06, 0.06), min_size=8, max_size=8).map(lambda v: np.array(v).reshape(4, 2))


def one(result: tuple[Placement, ...] | NotFound) -> Placement:
    assert not isinstance(result, NotFound), result.reason
    assert len(result) == 1
    return result[0]


@settings(max_examples=25, deadline=None)
@given(
    angle=st.floats(0, 360),
    scale=st.floats(0.6, 1.5),
    slant=SLANTS,
    thin=st.integers(1, 3),
    paper=st.integers(140, 250),
    seed=st.integers(0, 9),
)
def test_finds_a_grid_however_it_lies(
    angle: float, scale: float, slant: np.ndarray, thin: int, paper: int, seed: int
) -> None:
    drawn = seen(sudoku(thin=thin, paper=paper, ink=paper - 110, seed=seed), angle, scale, slant)
    found = one(locate(drawn.photo(), [SUDOKU]))
    assert corner_error(found.corners, drawn) < 0.02
    assert not found.plain


@settings(max_examples=10, deadline=None)
@given(slant=SLANTS, angle=st.floats(-20, 20))
def test_the_four_turns_of_a_picture_give_the_same_corners(slant: np.ndarray, angle: float) -> None:
    upright = seen(sudoku(), angle, 0.9, slant)
    for quarter_turns in range(4):
        drawn = turned(upright, quarter_turns)
        found = one(locate(drawn.photo(), [SUDOKU]))
        assert corner_error(found.corners, drawn) < 0.02
        assert found.turns == (1, 2, 3)


def test_a_grid_without_heavy_lines_says_so() -> None:
    drawn = seen(sudoku(heavy=2), 4.0, 1.0, np.zeros((4, 2)))
    found = one(locate(drawn.photo(), [SUDOKU]))
    assert found.plain
    assert corner_error(found.corners, drawn) < 0.02


def test_an_empty_sheet_with_heavy_lines_is_a_sheet() -> None:
    gray = np.full((800, 800), 230, np.uint8)
    for k in range(10):
        wide = 6 if k % 3 == 0 else 2
        cv2.line(gray, (100 + 60 * k, 100), (100 + 60 * k, 640), 40, wide)
        cv2.line(gray, (100, 100 + 60 * k), (640, 100 + 60 * k), 40, wide)
    assert not one(locate(photo(gray), [SUDOKU])).plain


@pytest.mark.parametrize("corner", range(4))
def test_a_thumb_over_a_corner(corner: int) -> None:
    drawn = seen(sudoku(), 7.0, 1.0, np.zeros((4, 2)))
    at = drawn.corners[corner] * 0.93 + drawn.corners.mean(axis=0) * 0.07
    cv2.ellipse(drawn.gray, (tuple(map(float, at)), (1.9 * CELL, 2.6 * CELL), 30.0), 120, -1)
    assert corner_error(one(locate(drawn.photo(), [SUDOKU])).corners, drawn) < 0.02


def test_a_hard_shadow_across() -> None:
    drawn = seen(sudoku(thin=1), -5.0, 1.0, np.zeros((4, 2)))
    y, x = np.indices(drawn.gray.shape)
    shaded = np.where(x + 0.7 * y > 0.85 * drawn.gray.shape[1], drawn.gray, 0.4 * drawn.gray).astype(np.uint8)
    assert corner_error(one(locate(photo(shaded), [SUDOKU])).corners, drawn) < 0.02


@pytest.mark.parametrize(("gain", "offset"), [(0.12, 0), (0.1, 150)], ids=["dark", "haze"])
def test_few_grey_levels(gain: float, offset: int) -> None:
    drawn = seen(sudoku(), 3.0, 1.0, np.zeros((4, 2)))
    faint = (drawn.gray * gain + offset).astype(np.uint8)
    assert corner_error(one(locate(photo(faint), [SUDOKU])).corners, drawn) < 0.02


def test_grain_of_a_dark_room() -> None:
    drawn = seen(sudoku(), 3.0, 0.8, np.zeros((4, 2)))
    grain = np.random.default_rng(5).normal(0, 28, drawn.gray.shape)
    noisy = np.clip(drawn.gray + grain, 0, 255).astype(np.uint8)
    assert corner_error(one(locate(photo(noisy), [SUDOKU])).corners, drawn) < 0.02


def _side_by_side(*pictures: Drawn) -> tuple[np.ndarray, list[Drawn]]:
    high = max(p.gray.shape[0] for p in pictures)
    parts, moved, left = [], [], 0
    for p in pictures:
        part = np.full((high, p.gray.shape[1]), 235, np.uint8)
        part[: p.gray.shape[0]] = p.gray
        parts.append(part)
        moved.append(Drawn(part, p.corners + np.array([left, 0])))
        left += part.shape[1]
    return np.hstack(parts), moved


def test_several_grids_largest_first() -> None:
    flat = np.zeros((4, 2))
    small, large = seen(sudoku(seed=1), 3, 0.7, flat, table=235), seen(sudoku(seed=2), -4, 1.0, flat, table=235)
    gray, (first, second) = _side_by_side(small, large)
    found = locate(photo(gray), [SUDOKU])
    assert not isinstance(found, NotFound)
    assert len(found) == 2
    assert corner_error(found[0].corners, second) < 0.02
    assert corner_error(found[1].corners, first) < 0.02


def test_a_much_smaller_grid_is_left_out() -> None:
    flat = np.zeros((4, 2))
    small, large = seen(sudoku(seed=1), 0, 0.35, flat, table=235), seen(sudoku(seed=2), 0, 1.0, flat, table=235)
    gray, (_, second) = _side_by_side(small, large)
    assert corner_error(one(locate(photo(gray), [SUDOKU])).corners, second) < 0.02


@pytest.mark.parametrize("quarter_turns", range(4))
def test_a_lopsided_sheet_has_one_way_up(quarter_turns: int) -> None:
    sheet = template(LOPSIDED)
    drawn = turned(seen(page(sheet.lattice_mask()), 5.0, 1.0, np.zeros((4, 2))), quarter_turns)
    found = one(locate(drawn.photo(), [sheet]))
    assert found.turns == ()
    assert corner_error(found.corners, drawn, any_start=False) < 0.02


def test_a_mirrored_sheet_is_none() -> None:
    sheet = template(LOPSIDED)
    drawn = seen(page(sheet.lattice_mask()), 5.0, 1.0, np.zeros((4, 2)))
    assert locate(drawn.photo(), [sheet])
    assert not locate(photo(np.ascontiguousarray(drawn.gray[:, ::-1])), [sheet])


@pytest.mark.parametrize("quarter_turns", range(4))
def test_a_sheet_with_two_fold_symmetry_leaves_two_ways_up(quarter_turns: int) -> None:
    sheet = template(SPLITTER_B)
    drawn = turned(seen(page(sheet.lattice_mask()), -6.0, 1.0, np.zeros((4, 2))), quarter_turns)
    found = one(locate(drawn.photo(), [sheet]))
    assert found.turns == (2,)
    ways = [corner_error(found.turned(turn).corners, drawn, any_start=False) for turn in (0, *found.turns)]
    assert min(ways) < 0.02


def test_the_right_one_of_several_templates() -> None:
    sheets = [SUDOKU, template(SPLITTER_B), template(LOPSIDED)]
    for sheet in sheets:
        drawn = seen(page(sheet.lattice_mask()), 8.0, 0.9, np.zeros((4, 2)))
        assert one(locate(drawn.photo(), sheets)).template.id == sheet.id


@pytest.mark.parametrize("height", [12.0, 25.0])
def test_bent_paper_is_followed(height: float) -> None:
    drawn = bent(sudoku(), height)
    found = one(locate(drawn.photo(), [SUDOKU]))
    assert found.mesh is not None
    assert found.residual_px < 0.03 * CELL
    assert corner_error(found.corners, drawn) < 0.02
    middle = found.project(np.array([[50.0, 50.0]]))[0]
    true = np.array([MARGIN + 4.5 * CELL, MARGIN + 4.5 * CELL - height])
    assert np.linalg.norm(middle - true) < 0.05 * CELL


@pytest.mark.parametrize("lost", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("quarter_turns", range(4))
def test_a_sheet_that_is_cut_off_is_not_guessed(lost: float, quarter_turns: int) -> None:
    drawn = turned(seen(sudoku(), 0.0, 1.0, np.zeros((4, 2))), quarter_turns)
    bottom = int(drawn.corners[:, 1].max() - lost * CELL)
    result = locate(photo(np.ascontiguousarray(drawn.gray[:bottom])), [SUDOKU])
    assert isinstance(result, NotFound)
    assert result.reason


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 7), st.integers(0, 7))
def test_turning_a_placement_is_turning_the_sheet(first: int, second: int) -> None:
    found = one(locate(bent(sudoku(), 20.0).photo(), [SUDOKU]))
    twice, once = found.turned(first).turned(second), found.turned(first + second)
    np.testing.assert_allclose(twice.corners, once.corners, atol=1e-3)
    # Turned clockwise, the sheet's top left lies where its next corner clockwise was.
    np.testing.assert_allclose(found.turned(first).corners, np.roll(found.corners, -first, axis=0), atol=1e-3)
    middle = np.array([[50.0, 50.0]])
    np.testing.assert_allclose(twice.project(middle), found.project(middle), atol=1e-3)
