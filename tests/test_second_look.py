"""Second looks at unclear cells: what the views are, and which cells get them."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner.read.classes import CLASSES
from scanner.read.reader import DigitReader, default_reader
from scanner.read.second_look import CLEAR, Floats, views

Picture = npt.NDArray[np.uint8]
SIDE = 32


def bar(degrees: float) -> Picture:
    """A straight stroke through the middle, so many degrees clockwise from upright, in both channels."""
    picture = np.zeros((SIDE, SIDE), np.uint8)
    middle, reach = (SIDE - 1) / 2, 10.0
    x, y = reach * np.sin(np.radians(degrees)), reach * np.cos(np.radians(degrees))
    ends = np.round(16 * np.array([[middle - x, middle + y], [middle + x, middle - y]])).astype(int)
    cv2.line(picture, ends[0].tolist(), ends[1].tolist(), (255,), 2, cv2.LINE_AA, 4)
    return np.stack([picture, picture])


def lean(picture: Picture) -> float:
    """Degrees clockwise from upright of the ink's main axis."""
    y, x = np.nonzero(picture > 100)
    axis = np.linalg.svd(np.stack([x - x.mean(), y - y.mean()], axis=1))[2][0]
    return float(np.degrees(np.arctan2(axis[0], -axis[1]) + np.pi / 2) % 180 - 90)


def test_an_upright_stroke_is_seen_leaning_to_both_sides() -> None:
    seen = views(bar(0)[None])
    assert seen.shape == (1, 2, 2, SIDE, SIDE)
    leans = sorted(lean(view[0]) for view in seen[0])
    assert leans[0] < -4
    assert leans[1] > 4
    assert sum(leans) == pytest.approx(0, abs=2)


@given(degrees=st.floats(-40, 40))
def test_the_middle_stays_and_so_does_the_ink(degrees: float) -> None:
    picture = bar(degrees)
    for view in views(picture[None])[0]:
        assert float(view.sum()) == pytest.approx(float(picture.sum()), rel=0.1)
        y, x = np.nonzero(view[1] > 100)
        np.testing.assert_allclose([y.mean(), x.mean()], (SIDE - 1) / 2, atol=0.8)


def test_no_cells_no_views() -> None:
    assert views(np.zeros((0, 2, SIDE, SIDE), np.uint8)).shape == (0, 2, 2, SIDE, SIDE)


class Counting(DigitReader):
    """Counts the pictures that the net sees."""

    def __init__(self) -> None:
        super().__init__(threads=1)
        self.seen = 0

    def _run(self, ink: Picture) -> tuple[Floats, Floats, Floats]:
        self.seen += len(ink)
        return super()._run(ink)


def unclear_and_clear() -> Picture:
    """Strokes that are no digit at any angle, beside a clear 8 of OpenCV's letters."""
    eight = np.zeros((SIDE, SIDE), np.uint8)
    cv2.putText(eight, "8", (6, 28), cv2.FONT_HERSHEY_SIMPLEX, 1.05, (255,), 3, cv2.LINE_AA)
    rng = np.random.default_rng(3)
    odd = [cv2.polylines(np.zeros((SIDE, SIDE), np.uint8), [rng.integers(5, 27, (4, 2))], False, (255,), 2)
           for _ in range(12)]  # fmt: skip
    return np.stack([np.stack([eight, eight]), *(np.stack([one, one]) for one in map(np.asarray, odd))])


def test_only_unclear_cells_are_looked_at_again() -> None:
    reader, ink = Counting(), unclear_and_clear()
    first, _ = reader.glance(ink)
    unclear = int((first.max(axis=1) < CLEAR).sum())
    assert 0 < unclear < len(ink)
    reader.seen = 0
    probabilities, printed = reader.probabilities(ink)
    assert reader.seen == len(ink) + 2 * unclear
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-4)
    assert ((printed >= 0) & (printed <= 1)).all()
    kept = first.max(axis=1) >= CLEAR
    np.testing.assert_array_equal(probabilities[kept], first[kept])
    assert CLASSES[int(probabilities[0].argmax())] == "8"


def test_a_second_look_never_leaves_a_cell_surer_than_its_surest_view() -> None:
    reader, ink = default_reader(), unclear_and_clear()
    probabilities, _ = reader.probabilities(ink)
    looks = [reader.glance(ink)[0], *(reader.glance(views(ink)[:, k])[0] for k in range(2))]
    assert (probabilities <= np.max(looks, axis=0) + 1e-4).all()
