"""Lines of a bent pad that lie beside the places that its lattice has for them."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from scanner.geometry import FloatArray, Homography
from scanner.intake import Photo, load
from scanner.locate import NotFound, locate
from scanner.locate.evidence import GrayImage, LineEvidence, line_evidence
from scanner.locate.fit import Refused, Window, windows
from scanner.locate.lattice import Lattice
from scanner.locate.pattern import patterns
from scanner.locate.second_look import Nearly, second_look
from scanner.templates import get_template, load_templates

PAD = get_template("splitter-b")
SIDE = 60
LEFT, TOP = 150, 130
FLAT = Homography(np.array([[SIDE, 0, LEFT], [0, SIDE, TOP], [0, 0, 1]], dtype=np.float64))


def bent_pad(most: float, *, without: int | None = None) -> GrayImage:
    """A plain pad B, its right margin pulled outwards by `most` cells. without: a column that isn't drawn."""
    picture = np.full((700, 850), 200, np.uint8)

    def at(col: float, row: float) -> tuple[int, int]:
        pulled = col + most * max(0.0, (col - 5) / 3) ** 2
        return round(LEFT + SIDE * pulled), round(TOP + SIDE * row)

    for row, col in zip(*np.nonzero(PAD.lattice_mask()), strict=True):
        if col == without:
            continue
        steps = np.linspace(0, 1, 5)
        rim = [(x, 0.0) for x in steps] + [(1.0, y) for y in steps] + [(x, 1.0) for x in steps[::-1]]
        outline = [at(col + x, row + y) for x, y in (*rim, (0.0, 0.5))]
        cv2.polylines(picture, [np.array(outline, np.int32)], True, (60,), 2)
    return picture


def flat_lattice() -> Lattice:
    """Where the cells of the left, which is flat, have theirs."""
    rows, cols = np.nonzero(PAD.lattice_mask())
    places = np.column_stack([cols, rows]).astype(np.int64)
    none: FloatArray = np.zeros((0, 2), dtype=np.float64)
    return Lattice(FLAT, places, np.arange(len(places)), none.astype(np.int64), none, float(SIDE))


def judged(evidence: LineEvidence, window: Window) -> Window | None:
    found = windows(evidence, patterns(window.template)[0], 0.8)
    return next((one for one in found if isinstance(one, Window)), None)


def first_look(gray: GrayImage) -> list[Window | Refused]:
    evidence = line_evidence(gray, flat_lattice(), (2, 2))
    assert evidence is not None
    return list(windows(evidence, patterns(PAD)[0], 0.7))


def test_a_bent_margin_is_seen_at_the_second_look() -> None:
    gray = bent_pad(0.2)
    (refused,) = first_look(gray)
    assert isinstance(refused, Refused)
    assert refused.why.lacks_lines
    nearly = Nearly(flat_lattice(), refused.window)
    assert second_look(gray, [nearly], judged) == (nearly,)


def test_a_line_that_is_not_there_is_not_seen_at_the_second_look_either() -> None:
    gray = bent_pad(0.0, without=7)
    refused = [one for one in first_look(gray) if isinstance(one, Refused)]
    assert refused
    assert second_look(gray, [Nearly(flat_lattice(), one.window) for one in refused], judged) == ()


@pytest.mark.parametrize("most", [0.0, 0.2])
def test_bent_or_flat_it_is_found(most: float) -> None:
    data = cv2.imencode(".png", bent_pad(most))[1].tobytes()
    photo: Photo = next(load(data, name="pad.png"))
    found = locate(photo, tuple(load_templates().values()))
    assert not isinstance(found, NotFound), found.reason
    assert [placement.template.id for placement in found] == [PAD.id]
