"""Photos of filled-in score cards through the whole chain."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from scanner import table_sheets
from scanner.board import ReadBoard
from scanner.intake import load
from scanner.locate import NotFound, tables
from scanner.locate.table_axis import Taken
from scanner.locate.table_rules import Rules
from scanner.scan import scan
from scanner.sheet import Sheet
from scanner.simulate import Setting, Shapes, Simulated, built_in_print
from scanner.simulate.numerals import NumeralRanges
from scanner.simulate.samples import PAD_CALM
from scanner.simulate.scorecards import Card, Chances, random_game, random_names, simulate_card
from scanner.templates import Template, get_template, load_templates
from scanner.templates.resize import resized
from scanner.text import NoText, Word

EVERY = list(load_templates().values())
CALM = replace(PAD_CALM, bow=(-1.0, 1.0), hard_chance=0.0)
NEAT = NumeralRanges(
    height=(0.6, 0.65), gap=(0.12, 0.14), slope=(0, 0), slant=(0, 4), wobble=(0.01, 0.01), pens=("ball-blue",)
)
PLAIN = Chances(blank=0.05, nothing=0.0, corrected=0.0, overwritten=0.0, slid=0.0)


def made(template: Template, seed: int, *, turns: int = 0, size: tuple[int, int] = (1100, 1500)) -> Simulated:
    rng = np.random.default_rng(seed)
    hand: Shapes = built_in_print()
    ranges = replace(NEAT, bar_chance=0.0, flag_chance=0.0, red_felt_chance=0.0)
    names = random_names(template, rng)
    card = Card(template, random_game(template, rng, PLAIN), hand, pen="ball-black", ranges=ranges, names=names)
    return simulate_card(card, seed=seed, setting=Setting(size=size, quarter_turns=turns, ranges=CALM))


def only_sheet(data: bytes, templates: list[Template]) -> Sheet:
    result = scan(data, templates=templates, name="card.jpg")
    assert not result.problems
    (sheet,) = result.sheets
    return sheet


def share_right(board: ReadBoard, shot: Simulated) -> float:
    numbers = {cell: value for cell, value in shot.truth.cells.items() if isinstance(value, int)}
    return float(np.mean([cell in board.cells and board.value(cell) == value for cell, value in numbers.items()]))


def corner_error(sheet: Sheet, shot: Simulated) -> float:
    assert sheet.place is not None
    return float(np.abs(np.array([[p.x, p.y] for p in sheet.place.corners]) - shot.truth.corners).max())


def test_a_card_that_lies_upside_down() -> None:
    shot = made(get_template("kniffel"), 4, turns=2)
    sheet = only_sheet(shot.file(), EVERY)
    assert sheet.template.id == "kniffel"
    assert corner_error(sheet, shot) < 5
    assert share_right(sheet.board, shot) > 0.6
    empty = [cell for cell, value in shot.truth.cells.items() if value is None]
    assert np.mean([sheet.board.value(cell) is None for cell in empty]) > 0.9


def test_any_pad_with_sums_has_the_rows_of_its_lines() -> None:
    pad = resized(get_template("score-table"), columns=3, rows=8)
    shot = made(pad, 6)
    sheet = only_sheet(shot.file(), [get_template("score-table")])
    assert [cell for cell in sheet.template.ids if cell.startswith("c3.")] == [
        "c3.name",
        *(f"c3.r{row}" for row in range(1, 9)),
        "c3.total",
    ]
    assert corner_error(sheet, shot) < 5
    assert share_right(sheet.board, shot) > 0.6


def test_large_photos_are_decoded_with_more_pixels() -> None:
    shot = made(get_template("kniffel"), 8)
    large = Image.fromarray(shot.photo).resize((2750, 3750))
    file = io.BytesIO()
    large.save(file, "JPEG", quality=85)
    sheet = only_sheet(file.getvalue(), [get_template("kniffel")])
    assert sheet.placement is not None
    assert sheet.placement.corners.max() > 1200  # in px of the decoded picture: at least half of the full size
    assert sheet.place is not None
    assert np.abs(np.array([[p.x, p.y] for p in sheet.place.corners]) - 2.5 * shot.truth.corners).max() < 12


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ((Word("Punkte", 0.9, 0, 0, 9, 9), Word("Summe", 0.9, 0, 0, 9, 9)), "score-table"),
        ((Word("LOOPIT", 0.9, 0, 0, 9, 9),), "loopit-pad"),
        ((), "loopit-pad"),
        (NoText("Tesseract isn't installed"), "loopit-pad"),
    ],
)
def test_small_tables_need_their_words(
    words: tuple[Word, ...] | NoText, wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_sheets, "read_words", lambda gray: words)
    shot = made(get_template("loopit-pad"), 3)
    assert only_sheet(shot.file(), EVERY).template.id == wanted


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("Fours", "Fives", "Grand", "total"), "yahtzee"),
        (("Vierer", "Endsumme", "Chance"), "kniffel"),
        (("Chance",), "kniffel"),  # stands on both
        (None, "kniffel"),
    ],
)
def test_cards_with_the_same_lines_are_told_apart_by_their_words(
    words: tuple[str, ...] | None, wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = NoText("no Tesseract") if words is None else tuple(Word(word, 0.9, 0, 0, 9, 9) for word in words)
    monkeypatch.setattr(table_sheets, "read_words", lambda gray: seen)
    shot = made(get_template("kniffel"), 4)
    sheet = only_sheet(shot.file(), EVERY)
    assert sheet.template.id == wanted
    assert corner_error(sheet, shot) < 5


def test_what_fits_but_nearly_waits_for_the_other_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a look misses lines, what is left of one card may be like another: a look that sees all of them decides."""
    shot = made(get_template("kniffel"), 4)
    photo = next(iter(load(shot.file())))
    own, calls = tables._ways, 0

    def poorly_at_first(rules: Rules, templates: Sequence[Template]) -> list[Taken]:
        nonlocal calls
        calls += 1
        ways = own(rules, templates)
        return [replace(way, share=0.9) for way in ways] if calls == 1 else ways

    monkeypatch.setattr(tables, "_ways", poorly_at_first)
    found = tables.locate_tables(photo, [get_template("kniffel")])
    assert not isinstance(found, NotFound)
    assert calls > 1
    assert found[0].score >= tables.FITS
