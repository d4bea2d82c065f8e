"""Ink on printed stars and hearts, and beside a dark field: the print goes, the ink stays."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from scanner.cells import CELL_PX, RIM_PX, cut_rectified
from scanner.symbols import Plate, lifted, plate_of

SIDE = 42
INK, PAPER = 0.25, 1.0
"""Reflectance."""
Mask = npt.NDArray[np.bool_]
Images = npt.NDArray[np.float32]

HEART = [(0.5, 0.85), (0.15, 0.5), (0.17, 0.3), (0.32, 0.2), (0.5, 0.33), (0.68, 0.2), (0.83, 0.3), (0.85, 0.5)]
STAR = [(0.5 + r * np.sin(k * np.pi / 5), 0.52 - r * np.cos(k * np.pi / 5)) for k, r in enumerate([0.38, 0.16] * 5)]
STROKES = {
    "1": [[(0.4, 0.35), (0.52, 0.2), (0.52, 0.8)]],
    "4": [[(0.45, 0.2), (0.3, 0.55), (0.7, 0.55)], [(0.58, 0.4), (0.58, 0.8)]],
    "7": [[(0.3, 0.22), (0.7, 0.22), (0.45, 0.8)]],
    "0": [[(0.5, 0.2), (0.33, 0.4), (0.36, 0.7), (0.5, 0.8), (0.65, 0.68), (0.66, 0.38), (0.5, 0.2)]],
    " ": [],
}


def drawn(symbol: list[tuple[float, float]], level: float, digits: str) -> tuple[Images, list[Mask]]:
    """Cells [n, SIDE, SIDE] with a symbol and a digit each, a little blurred and grainy; where each digit is."""
    rng = np.random.default_rng(len(digits))
    cells, inks = [], []
    for digit in digits:
        large = 8 * SIDE
        print_alone = np.full((large, large), PAPER, np.float32)
        cv2.fillPoly(print_alone, [np.round(np.array(symbol) * large).astype(np.int32)], (level,))
        ink = np.zeros((large, large), np.float32)
        for stroke in STROKES[digit]:
            cv2.polylines(ink, [np.round(np.array(stroke) * large).astype(np.int32)], False, (1.0,), large // 14)
        cell = print_alone * (1 - ink * (1 - INK))
        small = cv2.GaussianBlur(cv2.resize(cell, (SIDE, SIDE), interpolation=cv2.INTER_AREA), (0, 0), 0.8)
        cells.append(120 * small + np.asarray(rng.normal(0, 1.0, (SIDE, SIDE)), dtype=np.float32))
        inks.append(cv2.resize(ink, (SIDE, SIDE), interpolation=cv2.INTER_AREA) > 0.5)
    return np.array(cells, dtype=np.float32), inks


def assert_ink_alone(found: Images, inks: list[Mask]) -> None:
    for cell, ink in zip(found, inks, strict=True):
        beside = cv2.dilate(ink.astype(np.uint8), np.ones((5, 5), np.uint8)) == 0
        # The reader takes for ink what has more than 0.38 of a cell's darkest ink.
        threshold = 0.38 * float(cell.max())
        assert (cell[beside] > threshold).mean() < 0.01 or not ink.any()
        assert not ink.any() or (cell[ink] > threshold).mean() > 0.75
        assert ink.any() or cell.max() == 0


def plate(gray: Images) -> Plate:
    found = plate_of(np.arange(len(gray)), gray)
    assert found is not None
    return found


@pytest.mark.parametrize("digits", ["147", "70", "4", "444", "1 0", "   "])
@pytest.mark.parametrize(
    ("symbol", "level"),
    [(HEART, 0.45), (HEART, 0.75), (STAR, 0.7), (STAR, 1.1)],
    ids=["dark-heart", "grey-heart", "grey-star", "light-star"],
)
def test_the_symbol_goes_and_the_ink_stays(symbol: list[tuple[float, float]], level: float, digits: str) -> None:
    """Also where all cells hold the same digit, so that no cell shows the print under it."""
    gray, inks = drawn(symbol, level, digits)
    density = np.clip(1 - gray / 120, 0, 1).astype(np.float32)
    assert_ink_alone(lifted(plate(gray), density, 1 - INK), inks)


def test_a_symbol_that_lies_a_pixel_beside_the_others() -> None:
    gray, inks = drawn(HEART, 0.45, "140")
    gray[1], inks[1] = np.roll(gray[1], (1, -1), axis=(0, 1)), np.roll(inks[1], (1, -1), axis=(0, 1))
    found = plate(gray)
    assert found.shifts[1] == (1, -1)
    assert_ink_alone(lifted(found, np.clip(1 - gray / 120, 0, 1).astype(np.float32), 1 - INK), inks)


@pytest.mark.parametrize("digits", ["147", "70", "4", "444", "   "])
def test_cells_without_a_symbol_have_no_plate(digits: str) -> None:
    gray, _ = drawn(HEART, PAPER, digits)
    assert plate_of(np.arange(len(gray)), gray) is None


def test_a_symbol_in_one_cell_alone_is_none_that_they_share() -> None:
    """Seen upside down, a cell with a symbol comes together with others that have none."""
    gray = np.concatenate([drawn(HEART, 0.45, "1")[0], drawn(HEART, PAPER, "47")[0]])
    assert plate_of(np.arange(3), gray) is None


# A dark field beside the cells


def sheet_on_a_field(digits: dict[tuple[int, int], str], mask: Mask, shift: int) -> npt.NDArray[np.uint8]:
    """A rectified sheet of pale cells with thin lines on a dark field; its edge lies `shift` px inside the lattice's.

    A white letter stands on the field, right of the middle row.
    """
    rows, cols = mask.shape
    flat = np.full(((rows + 1) * CELL_PX, (cols + 1) * CELL_PX), 40, np.uint8)
    for row, col in zip(*np.nonzero(mask), strict=True):
        top, left = RIM_PX + row * CELL_PX, RIM_PX + col * CELL_PX
        flat[top + shift : top + CELL_PX + shift, left + shift : left + CELL_PX + shift] = 60
        flat[top + shift + 1 : top + CELL_PX + shift - 1, left + shift + 1 : left + CELL_PX + shift - 1] = 200
    cv2.putText(flat, "A", (flat.shape[1] - 20, flat.shape[0] // 2), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (255,), 3)
    for (row, col), digit in digits.items():
        for stroke in STROKES[digit]:
            points = (np.array(stroke) + np.array([col, row])) * CELL_PX + RIM_PX
            cv2.polylines(flat, [np.round(points).astype(np.int32)], False, (50,), 3, cv2.LINE_AA)
    return np.asarray(cv2.GaussianBlur(flat, (0, 0), 0.8), dtype=np.uint8)


@pytest.mark.parametrize("shift", [-2, 0, 2])
def test_a_dark_field_is_no_ink(shift: int) -> None:
    mask = np.array([[0, 1, 1, 0], [1, 1, 1, 1], [0, 1, 1, 0]], dtype=np.bool_)
    digits = {(0, 1): "1", (1, 3): "4", (2, 2): "7"}
    flat = sheet_on_a_field(digits, mask, shift)
    rows, cols = np.nonzero(mask)
    ids = tuple(f"r{r + 1}c{c + 1}" for r, c in zip(rows, cols, strict=True))
    batch = cut_rectified(flat, ids, rows, cols, 3, 4, np.ones(len(ids), dtype=np.bool_), dark_field=True)
    for cell, row, col, picture in zip(ids, rows, cols, batch.ink, strict=True):
        digit = digits.get((int(row), int(col)), " ")
        drawn = np.zeros((CELL_PX, CELL_PX), np.float32)
        for stroke in STROKES[digit]:
            cv2.polylines(drawn, [np.round(np.array(stroke) * CELL_PX).astype(np.int32)], False, (1.0,), 3)
        # Channel 0: a cell and a sixth of it on every side, at half size.
        expected = cv2.resize(np.pad(drawn, 8), (32, 32), interpolation=cv2.INTER_AREA) > 0.3
        seen = picture[0] > 110
        beside = cv2.dilate(expected.astype(np.uint8), np.ones((5, 5), np.uint8)) == 0
        assert not seen[beside].any(), cell
        assert not expected.any() or seen[expected].mean() > 0.8, cell


BLUE, PENCIL, BALL = (47, 111, 183), (92, 92, 100), (28, 44, 130)
"""Of the hearts on the pads, of a pencil, and of a blue ballpoint: red, green, blue."""


def sheet_with_hearts(ink: tuple[int, int, int]) -> tuple[npt.NDArray[np.uint8], dict[int, str]]:
    """A rectified sheet of 3 x 3 cells in colour, with hearts in the diagonal, and the digits in its cells."""
    flat = np.full((4 * CELL_PX, 4 * CELL_PX, 3), 235, np.uint8)
    digits = dict(enumerate("141747417"))
    for cell, digit in digits.items():
        corner = np.array([cell % 3, cell // 3])
        if cell % 4 == 0:
            heart = np.round((np.array(HEART) + corner) * CELL_PX + RIM_PX).astype(np.int32)
            cv2.fillPoly(flat, [heart], BLUE, cv2.LINE_AA)
        for stroke in STROKES[digit]:
            points = np.round((np.array(stroke) + corner) * CELL_PX + RIM_PX).astype(np.int32)
            cv2.polylines(flat, [points], False, ink, 3, cv2.LINE_AA)
    grain = np.random.default_rng(3).normal(0, 2, flat.shape)
    blurred = cv2.GaussianBlur(flat, (0, 0), 0.8).astype(np.float64)
    return np.clip(blurred + grain, 0, 255).astype(np.uint8), digits


@pytest.mark.parametrize("ink", [PENCIL, BALL], ids=["pencil", "ballpoint"])
def test_ink_as_dark_as_a_coloured_heart_is_seen_by_its_colour(ink: tuple[int, int, int]) -> None:
    rgb, digits = sheet_with_hearts(ink)
    gray = np.asarray(cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY), dtype=np.uint8)
    numbers = np.arange(9)
    ids = tuple(f"r{cell // 3 + 1}c{cell % 3 + 1}" for cell in numbers)
    hearts = np.array([0, 4, 8])
    present = np.ones(9, np.bool_)
    batch = cut_rectified(gray, ids, numbers // 3, numbers % 3, 3, 3, present, [[hearts]], rgb=rgb)
    assert batch.hidden is not None
    assert not batch.hidden.any()
    for cell, digit in digits.items():
        drawn = np.zeros((CELL_PX, CELL_PX), np.float32)
        for stroke in STROKES[digit]:
            cv2.polylines(drawn, [np.round(np.array(stroke) * CELL_PX).astype(np.int32)], False, (1.0,), 3)
        expected = cv2.resize(np.pad(drawn, 8), (32, 32), interpolation=cv2.INTER_AREA) > 0.3
        seen = batch.ink[cell, 0] > 110
        beside = cv2.dilate(expected.astype(np.uint8), np.ones((5, 5), np.uint8)) == 0
        assert not seen[beside].any(), ids[cell]
        assert seen[expected].mean() > 0.75, ids[cell]
