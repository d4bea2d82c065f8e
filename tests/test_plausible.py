from __future__ import annotations

import cv2
import numpy as np
import pytest

from scanner.cells import CellBatch
from scanner.geometry import Homography
from scanner.locate import Placement
from scanner.plausible import why_not
from scanner.read.classes import CLASSES
from scanner.read.readings import Readings
from scanner.templates import get_template

SUDOKU = get_template("sudoku")


def _sheet(kinds: list[str], sure: float = 0.97) -> tuple[CellBatch, Readings]:
    """A sheet whose first cells hold these classes; "word" is long ink that the reader takes for a 1."""
    n = len(SUDOKU.ids)
    ink = np.zeros((n, 2, 32, 32), np.uint8)
    probabilities = np.full((n, len(CLASSES)), (1 - sure) / (len(CLASSES) - 1), np.float32)
    for k in range(n):
        kind = kinds[k] if k < len(kinds) else "blank"
        if kind == "word":
            cv2.rectangle(ink[k, 0], (3, 13), (29, 18), 255, -1)
        elif kind != "blank":
            cv2.ellipse(ink[k, 0], (16, 16), (6, 9), 0, 0, 360, 255, 3)
        probabilities[k, CLASSES.index("1" if kind == "word" else kind)] = sure
    batch = CellBatch(SUDOKU.ids, ink, np.ones(n, np.bool_), np.ones(n, np.float32))
    return batch, Readings(SUDOKU.ids, CLASSES, probabilities, np.zeros(n, np.float32))


def _placed(*, plain: bool) -> Placement:
    return Placement(SUDOKU, Homography(np.eye(3)), None, 0.0, 1.0, plain=plain)


@pytest.mark.parametrize("plain", [False, True])
def test_digits_make_a_sheet(plain: bool) -> None:
    batch, readings = _sheet(["5", "3", "7"] * 10)
    assert why_not(batch, readings, _placed(plain=plain)) is None


def test_an_empty_sheet_is_one_only_with_its_heavy_lines() -> None:
    batch, readings = _sheet([])
    assert why_not(batch, readings, _placed(plain=False)) is None
    reason = why_not(batch, readings, _placed(plain=True))
    assert reason is not None
    assert "heavier lines" in reason


@pytest.mark.parametrize("kind", ["word", "scribble"])
@pytest.mark.parametrize("plain", [False, True])
def test_words_and_scribbles_are_no_sheet(kind: str, plain: bool) -> None:
    batch, readings = _sheet([kind] * 60)
    reason = why_not(batch, readings, _placed(plain=plain))
    assert reason is not None
    assert "no digits" in reason


def test_a_few_scribbles_and_many_notes_are_a_sheet() -> None:
    for kinds in (["scribble"] * 5, ["candidates"] * 50 + ["4"] * 10, ["struck"] * 10 + ["scribble"] * 10):
        batch, readings = _sheet(kinds)
        assert why_not(batch, readings, _placed(plain=False)) is None


def test_many_ones_among_other_digits_are_a_sheet() -> None:
    batch, readings = _sheet(["word"] * 9 + ["8"] * 20)
    assert why_not(batch, readings, _placed(plain=False)) is None


def test_doubt_refuses_a_plain_grid_only() -> None:
    batch, readings = _sheet(["6"] * 40, sure=0.6)
    assert why_not(batch, readings, _placed(plain=False)) is None
    assert why_not(batch, readings, _placed(plain=True)) is not None


def test_illegal_digits_are_digits() -> None:
    batch, readings = _sheet(["0"] * 30)
    assert why_not(batch, readings, _placed(plain=False)) is None


def test_readings_of_other_cells_are_misuse() -> None:
    batch, readings = _sheet(["1"])
    fewer = CellBatch(batch.ids, batch.ink, np.zeros(81, np.bool_), batch.darkness)
    with pytest.raises(ValueError, match="0 cells of the batch"):
        why_not(fewer, readings, _placed(plain=False))


def test_a_narrow_hand_is_no_word() -> None:
    """All ink is long, whatever the digit; but the digits are clear."""
    batch, readings = _sheet(["5", "3", "6", "1"] * 10)
    narrow = np.zeros_like(batch.ink)
    narrow[:, 0, 6:26, 12:20] = 255
    written = readings.probabilities[:, CLASSES.index("blank")] < 0.5
    narrow[~written] = 0
    sheet = CellBatch(batch.ids, narrow, batch.present, batch.darkness)
    assert why_not(sheet, readings, _placed(plain=False)) is None
    _, unclear = _sheet(["5", "3", "6", "1"] * 10, sure=0.7)
    assert "no digits" in (why_not(sheet, unclear, _placed(plain=False)) or "")
