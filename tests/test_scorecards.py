"""Generated score cards: their truth, their repeatability, and the numbers that stand on them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner.simulate import Setting, built_in_print
from scanner.simulate.canvas import Canvas
from scanner.simulate.numerals import NumberScribe, Numeral, NumeralRanges, choose_numeral_habits
from scanner.simulate.scorecards import Card, Chances, random_game, random_names, random_pad, simulate_card, truth_of
from scanner.templates import Cell, get_template
from scanner.templates.model import rectangle

KNIFFEL = get_template("kniffel")
HAND = built_in_print()
SMALL = Setting(size=(300, 400))
CELL = Cell("c1.r1", "number", rectangle(10, 10, 24, 17), (-999, 999))


def filled(seed: int) -> Card:
    rng = np.random.default_rng(seed)
    return Card(KNIFFEL, random_game(KNIFFEL, rng, Chances()), HAND, names=random_names(KNIFFEL, rng))


def test_the_same_seed_gives_the_same_photo_and_truth() -> None:
    first, again = (simulate_card(filled(3), seed=5, setting=SMALL) for _ in range(2))
    assert np.array_equal(first.photo, again.photo)
    assert first.truth.json() == again.truth.json()
    assert not np.array_equal(first.photo, simulate_card(filled(3), seed=6, setting=SMALL).photo)


def test_the_truth_tells_every_cell() -> None:
    shot = simulate_card(filled(1), seed=2, setting=SMALL)
    assert tuple(shot.truth.cells) == KNIFFEL.ids
    assert isinstance(shot.truth.cells["game1.name"], str)
    assert shot.photo.shape == (400, 300, 3)


@given(st.integers(0, 10_000))
def test_games_are_added_up(seed: int) -> None:
    numerals = random_game(KNIFFEL, np.random.default_rng(seed), Chances(blank=0, nothing=0))
    names = ("aces", "twos", "threes", "fours", "fives", "sixes")
    written = {name: numerals[f"game1.{name}"].value for name in (*names, "upper_sum")}
    assert all(value is not None and value % face == 0 for face, value in enumerate(list(written.values())[:6], 1))
    off = (written["upper_sum"] or 0) - sum(written[name] or 0 for name in names)
    assert off == 0 or abs(off) in (1, 10, 40) or written["upper_sum"] == 0


@given(st.integers(0, 10_000))
def test_pads_that_never_were_hold_together(seed: int) -> None:
    pad = random_pad(np.random.default_rng(seed))
    table = pad.table
    assert table is not None
    assert all(a.right == b.left for a, b in zip(table.columns, table.columns[1:], strict=False))
    assert all(a.bottom == b.top for a, b in zip(table.rows, table.rows[1:], strict=False))
    assert len(pad.cells) == sum(not c.labels for c in table.columns) * sum(not r.labels for r in table.rows)
    assert table.columns[-1].right < pad.size[0]
    assert table.rows[-1].bottom < pad.size[1]


@pytest.mark.parametrize("manner", ["plain", "slid", "corrected", "overwritten", "dash", "slash", "crossed"])
def test_every_manner_leaves_ink_in_its_cell(manner: str) -> None:
    canvas = Canvas(np.ones((270, 340, 3), dtype=np.float32), 10.0, 0.0, 0.0)
    habits = choose_numeral_habits(7.0, np.random.default_rng(1), NumeralRanges(), pen="ball-black")
    numeral = Numeral(37, manner, 31)  # type: ignore[arg-type]
    NumberScribe(canvas, HAND, habits, np.random.default_rng(2)).write(CELL, numeral)
    dark = canvas.rgb.min(axis=2) < 0.5
    rows, cols = np.nonzero(dark)
    assert dark[100:170, 100:240].sum() > 0.5 * len(rows) > 20
    assert 60 < rows.mean() < 210
    assert 100 < cols.mean() < 240


def test_nothing_that_counts_is_struck() -> None:
    assert truth_of(Numeral(None, "dash")) == "struck"
    assert truth_of(Numeral(None, "crossed", 12)) == "struck"
    assert truth_of(Numeral(None)) is None
    assert truth_of(Numeral(-7, "corrected", 3)) == -7
