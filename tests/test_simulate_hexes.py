"""Generated hex sheets: what is drawn is what the truth says; marks stay in and around their boxes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scanner.simulate import Ranges, Setting, Shapes, built_in_print, simulate
from scanner.simulate.canvas import Canvas
from scanner.simulate.hexes import bold_print, random_hexes
from scanner.simulate.marks import STYLES, draw_mark
from scanner.simulate.writing import Scribe, choose_habits
from scanner.templates import get_template

FRONT = get_template("hexroller-front")
SMALL = Setting(size=(800, 600), ranges=Ranges(whole_chance=1.0, thumb_chance=0.0))


def test_bold_figures_are_the_plain_ones_with_thicker_strokes() -> None:
    rng = np.random.default_rng(0)
    plain, bold = built_in_print(), bold_print()
    for digit in range(10):
        one, other = plain.glyph(digit, rng), bold.glyph(digit, rng)
        assert 1.0 < other.shape[0] / one.shape[0] < 1.2
        assert (other > 127).mean() > (one > 127).mean()


@given(st.integers(0, 10_000))
def test_random_contents_are_permitted_and_leave_the_print_alone(seed: int) -> None:
    for cell_id, value in random_hexes(FRONT, np.random.default_rng(seed)).items():
        cell = FRONT.cell(cell_id)
        assert cell.printed is None
        if cell.kind == "mark":
            assert value in (None, "x")
        elif value is not None and cell.values is not None:
            assert isinstance(value, int)
            assert cell.values[0] <= value <= cell.values[1]


@settings(max_examples=30)
@given(st.sampled_from(sorted(STYLES)), st.integers(0, 10_000))
def test_a_mark_covers_much_of_its_box_and_strays_little(style: str, seed: int) -> None:
    canvas = Canvas(np.ones((140 * 4, 200 * 4, 3), dtype=np.float32), 4.0, 0.0, 0.0)
    rng = np.random.default_rng(seed)
    scribe = Scribe(canvas, Shapes({}), choose_habits(12, rng, Ranges(pens=("ball-black",))), rng)
    draw_mark(scribe, FRONT.cell("bonus2"), style)  # 9 mm wide, from (26, 15) on
    rows, cols = (
        np.flatnonzero((canvas.rgb < 0.8).any(axis=(1, 2))),
        np.flatnonzero((canvas.rgb < 0.8).any(axis=(0, 2))),
    )
    wide, high = (cols[-1] - cols[0]) / 4, (rows[-1] - rows[0]) / 4
    assert max(wide, high) > 3.0
    assert cols[0] / 4 > 26 - 4.5
    assert cols[-1] / 4 < 35 + 4.5
    assert rows[0] / 4 > 15 - 4.5
    assert rows[-1] / 4 < 24 + 4.5


def test_an_unknown_style_is_refused() -> None:
    canvas = Canvas(np.ones((40, 40, 3), dtype=np.float32), 1.0, 0.0, 0.0)
    rng = np.random.default_rng(0)
    scribe = Scribe(canvas, Shapes({}), choose_habits(12, rng, Ranges()), rng)
    with pytest.raises(ValueError, match="heart"):
        draw_mark(scribe, FRONT.cell("bonus1"), "heart")


def test_the_truth_of_a_photo_holds_marks_numbers_and_the_print() -> None:
    made = simulate(
        FRONT,
        {"bonus1": "x", "q0r0": 5, "top1": 3},
        hand=built_in_print(),
        typeface=bold_print(),
        seed=4,
        setting=SMALL,
    )
    cells = made.truth.cells
    assert (cells["bonus1"], cells["bonus2"], cells["q0r0"], cells["top1"]) == ("x", None, 5, 3)
    assert made.truth.printed == {cell.id for cell in FRONT.cells if cell.printed is not None}
    assert len(made.truth.printed) == 12
    # The lattice lies on the right of the sheet, all of it in the photo.
    x, y = made.truth.corners.T
    assert 0 < x.min() < x.max() < 800
    assert 0 < y.min() < y.max() < 600


def test_both_coloured_and_plain_sheets_are_made() -> None:
    coloured = []
    for plain in (0.0, 1.0):
        ranges = Ranges(whole_chance=1.0, plain_chance=plain, tables=("plain",), warmth=(0, 0), tint=(0, 0))
        made = simulate(FRONT, {}, hand=built_in_print(), seed=9, setting=Setting(size=(640, 480), ranges=ranges))
        middle = made.photo[160:320, 240:480].astype(float)
        coloured.append(float(np.ptp(middle, axis=2).mean()))
    assert coloured[0] > 2 * coloured[1]
