"""Generated Sudokus at their default severity are no easier for the reader than real ones.

The real photos are in no clone: what was measured on them stands in benchmarks/severity.toml.
"""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from scanner.read.reader import DEFAULT_MODEL, MODEL_FOLDER, default_reader
from scanner.simulate import Shapes
from scanner.templates import get_template
from scanner.training.severity import Severity, generated_sudokus, severity

RECORD = Path(__file__).parent.parent / "benchmarks" / "severity.toml"
FACES = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_SCRIPT_SIMPLEX,
    cv2.FONT_HERSHEY_SCRIPT_COMPLEX,
)


@pytest.fixture(scope="module")
def recorded() -> dict[str, Any]:
    return tomllib.loads(RECORD.read_text(encoding="utf-8"))


def drawn_hand(face: int) -> Shapes:
    """Digits of OpenCV's line drawings: nobody's hand, and no file of a font."""
    shapes = {}
    for digit in range(10):
        canvas = np.zeros((240, 240), np.uint8)
        cv2.putText(canvas, str(digit), (60, 180), face, 5.0, (255,), 2, cv2.LINE_AA)
        shapes[digit] = [np.asarray(cv2.dilate(canvas, np.ones((9, 9), np.uint8)), dtype=np.uint8)]
    return Shapes(shapes)


def test_the_record_is_of_the_model_that_ships(recorded: dict[str, Any]) -> None:
    digest = hashlib.sha256((MODEL_FOLDER / f"{DEFAULT_MODEL}.onnx").read_bytes()).hexdigest()
    assert recorded["sha256"] == digest, "run benchmarks/simulated_severity.py --record for the new model"


@pytest.mark.parametrize("figure", ["error", "error_at_real_mix", "log_loss", "digit_error"])
def test_sudokus_of_held_out_writers_were_no_easier_than_real_ones(recorded: dict[str, Any], figure: str) -> None:
    assert recorded["generated"]["photos"] >= 40
    assert recorded["generated"][figure] >= recorded["real"][figure]


def test_digits_of_generated_sudokus_are_no_easier_now(recorded: dict[str, Any]) -> None:
    """Of the digits only: these hands are drawn, as no real ones are at hand, and the paper is the same for all."""
    hands = [drawn_hand(face) for face in FACES]
    now = severity(generated_sudokus(hands, 15), get_template("sudoku"), default_reader())
    assert now.found >= 13
    assert now.digit_error >= recorded["real"]["digit_error"]


def test_errors_at_another_mix_by_hand() -> None:
    """3 of 10 digits and 1 of 20 blanks wrong; where digits and blanks are 4 to 1: 0.8 * 0.3 + 0.2 * 0.05 = 0.25."""
    one = Severity(1, 1, 30, 4, 10, 3, 20, 1, 0.1)
    other = Severity(1, 1, 50, 0, 40, 0, 10, 0, 0.0)
    assert one.error_at_mix_of(other) == pytest.approx(0.25)
    assert one.error == pytest.approx(4 / 30)
