"""The shipped reader: what goes in and what comes out, whatever the model's figures are."""

from __future__ import annotations

from types import SimpleNamespace

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from scanner.read.classes import CLASSES
from scanner.read.reader import MODEL_FOLDER, DigitReader, ModelError, default_reader
from scanner.results import PLAUSIBLE

Picture = npt.NDArray[np.uint8]


def written(text: str) -> Picture:
    """A digit drawn by OpenCV's own letters, as a cell."""
    around, close = np.zeros((32, 32), np.uint8), np.zeros((32, 32), np.uint8)
    cv2.putText(around, text, (10, 23), cv2.FONT_HERSHEY_SIMPLEX, 0.65, (255,), 2, cv2.LINE_AA)
    cv2.putText(close, text, (6, 28), cv2.FONT_HERSHEY_SIMPLEX, 1.05, (255,), 3, cv2.LINE_AA)
    return np.stack([around, close])


EMPTY = np.zeros((2, 32, 32), np.uint8)


def test_cells_without_ink_are_blank_and_sure_of_it() -> None:
    probabilities, _ = default_reader().probabilities(np.stack([EMPTY] * 3))
    assert (probabilities.argmax(axis=1) == CLASSES.index("blank")).all()
    assert np.sort(probabilities, axis=1)[:, -2].max() < PLAUSIBLE


def test_cells_stand_for_themselves_whatever_is_read_with_them() -> None:
    cells = np.stack([written("3"), EMPTY, written("5"), written("8"), EMPTY])
    together, printed = default_reader().probabilities(cells)
    for k, cell in enumerate(cells):
        alone, print_alone = default_reader().probabilities(cell[None])
        np.testing.assert_allclose(together[k], alone[0], atol=1e-4)
        np.testing.assert_allclose(printed[k], print_alone[0], atol=1e-4)
    np.testing.assert_allclose(together.sum(axis=1), 1, atol=1e-4)


def test_plain_digits() -> None:
    """OpenCV's line letters were in no training."""
    cells = np.stack([written(digit) for digit in "0235689"])
    probabilities, _ = default_reader().probabilities(cells)
    assert [CLASSES[k] for k in probabilities.argmax(axis=1)] == list("0235689")


def test_nothing_to_read() -> None:
    probabilities, printed = default_reader().probabilities(np.zeros((0, 2, 32, 32), np.uint8))
    assert probabilities.shape == (0, len(CLASSES))
    assert printed.shape == (0,)


@pytest.mark.parametrize(
    "cells", [np.zeros((1, 2, 28, 28), np.uint8), np.zeros((2, 32, 32), np.uint8), np.zeros((1, 2, 32, 32), np.float32)]
)
def test_other_shapes_are_refused(cells: npt.NDArray[np.uint8]) -> None:
    with pytest.raises(ValueError, match="expected uint8"):
        default_reader().probabilities(cells)


def test_a_damaged_installation_is_told() -> None:
    with pytest.raises(ModelError, match="install padscore again"):
        DigitReader(MODEL_FOLDER / "digits-0.onnx")


def test_an_older_model_without_traits_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    session = SimpleNamespace(get_outputs=lambda: [SimpleNamespace(shape=["n", 14]), SimpleNamespace(shape=["n"])])
    monkeypatch.setattr("scanner.read.reader.opened", lambda *_, **__: (session, {"name": "old", "classes": "[]"}))
    with pytest.raises(ModelError, match="2 outputs, expected 3"):
        DigitReader()


def test_the_model_is_small() -> None:
    assert (MODEL_FOLDER / "digits-1.onnx").stat().st_size <= 2_000_000
