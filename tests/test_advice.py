"""What a person is told to try when no sheet was found."""

from __future__ import annotations

import io

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from app_runner import SAMPLE
from PIL import Image

from scanner.advice import USUAL, advice
from scanner.intake import Photo, load
from scanner.locate import NotFound
from scanner.scan import scan
from scanner.templates import get_template, load_templates

SUDOKU = get_template("sudoku")
TWO = [SUDOKU, get_template("splitter-a")]
NOTHING, ANOTHER = NotFound("no grid of cells was seen"), NotFound("a grid was seen", unknown=True)


def shown(rgb: npt.NDArray[np.uint8]) -> Photo:
    return Photo("x.jpg", 1, rgb, (rgb.shape[1], rgb.shape[0]))


@pytest.fixture(scope="module")
def sample() -> npt.NDArray[np.uint8]:
    (photo,) = load(SAMPLE)
    return photo.rgb


def test_a_good_picture_gets_the_usual_advice(sample: npt.NDArray[np.uint8]) -> None:
    assert advice(shown(sample), NOTHING, TWO) == USUAL


def test_what_is_wrong_with_the_picture_is_said(sample: npt.NDArray[np.uint8]) -> None:
    dark = (sample * 0.3).astype(np.uint8)
    pale = (200 + sample * 0.1).astype(np.uint8)
    blurred = np.asarray(cv2.GaussianBlur(sample, (0, 0), 8), dtype=np.uint8)
    assert advice(shown(dark), NOTHING, TWO).startswith("the picture is dark: ")
    assert advice(shown(pale), NOTHING, TWO).startswith("the picture has hardly any contrast: ")
    assert advice(shown(blurred), NOTHING, TWO).startswith("the picture is blurred: ")


def test_what_was_looked_for_is_said(sample: npt.NDArray[np.uint8]) -> None:
    assert advice(shown(sample), NOTHING, [SUDOKU]) == (
        f"{USUAL}; only Sudoku was looked for, without --template every known sheet is"
    )
    assert (
        advice(shown(sample), ANOTHER, TWO) == f"{USUAL}; `padscore templates list` names the sheets that can be read"
    )


def test_a_file_that_is_cut_off_has_to_be_copied_again(sample: npt.NDArray[np.uint8]) -> None:
    data = SAMPLE.read_bytes()
    (photo,) = load(data[: len(data) // 10])
    assert photo.incomplete
    assert advice(photo, NOTHING, TWO) == "copy the file again, or take a new photo"
    assert not shown(sample).incomplete


@pytest.mark.parametrize("size", [(1, 1), (1, 300), (300, 1), (2, 2)])
def test_the_smallest_pictures(size: tuple[int, int]) -> None:
    assert advice(shown(np.full((*size, 3), 200, np.uint8)), NOTHING, TWO)


def test_the_message_of_an_empty_picture() -> None:
    file = io.BytesIO()
    Image.new("RGB", (400, 300), "white").save(file, "PNG")
    (problem,) = scan(file.getvalue(), name="empty.png", templates=list(load_templates().values())).problems
    assert problem.code == "no-sheet"
    assert problem.message.startswith(
        "empty.png: no sheet found, no grid of cells was seen; the picture has hardly any "
    )
