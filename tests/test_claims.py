"""The boxes for what a player claims: read from photos, compared with the board, and confirmed by it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from app_runner import padscore
from worked_pad import CELLS, RIGHT
from worked_pad import PAD as SPLITTER

from scanner.board import ReadBoard
from scanner.games.registry import get_game
from scanner.resolve.claims import checked_by_board
from scanner.resolve.sums import CHECKED
from scanner.results import PLAUSIBLE, CellReading
from scanner.simulate import Setting, built_in_print, simulate
from scanner.simulate.samples import PAD_CALM
from scanner.templates import Template, get_template

HEXROLLER = get_template("hexroller-front")
CALM = replace(
    PAD_CALM,
    bow=(0.0, 0.0),
    gutter_chance=0.0,
    hard_chance=0.0,
    thumb_chance=0.0,
    tilt=(0.0, 8.0),
    pens=("ball-black",),
    slant=(0.0, 4.0),
    stray_chance=0.0,
)


def photo(folder: Path, template: Template, cells: Mapping[str, int], claims: Mapping[str, int]) -> Path:
    written = dict(cells) | {f"claim-{name}": value for name, value in claims.items()}
    shot = simulate(template, written, hand=built_in_print(), seed=1, setting=Setting(size=(1600, 1200), ranges=CALM))
    path = folder / "pad.jpg"
    path.write_bytes(shot.file())
    return path


def claimed_flags(sheet: Mapping[str, Any]) -> list[tuple[list[str], str, bool]]:
    return [
        (flag["cells"], flag["message"], flag["sure"]) for flag in sheet["flags"] if flag["code"].endswith(".claimed")
    ]


def test_a_wrong_total_on_a_photo_is_named_with_both_numbers(tmp_path: Path) -> None:
    path = photo(tmp_path, SPLITTER, CELLS, RIGHT | {"total": 9})
    (sheet,) = padscore("scan", path, "--json").document["sheets"]
    assert sheet["template"] == "splitter-a"
    assert sheet["score"]["total"] == 7
    assert sheet["claimed"] == RIGHT | {"total": 9}
    ((cells, message, _),) = claimed_flags(sheet)
    assert (cells, message) == (["claim-total"], "The box for the total says 9, but the board gives 7")
    # the boxes that say what the board gives aren't asked about
    assert [cell for cell in sheet["ask"] if cell.startswith("claim-")] in ([], ["claim-total"])
    # what the box says is known once a person has read it
    (sheet,) = padscore("scan", path, "--answer", "claim-total=9", "--json").document["sheets"]
    ((_, _, sure),) = claimed_flags(sheet)
    assert sure
    (sheet,) = padscore("scan", path, "--answer", "claim-total=7", "--json").document["sheets"]
    assert claimed_flags(sheet) == []


def test_a_wrong_box_of_a_hex_sheet_is_named_with_both_numbers(tmp_path: Path) -> None:
    """Nothing was written but the boxes: three bonuses left over are 6 points."""
    path = photo(tmp_path, HEXROLLER, {}, {"bonuses": 6, "top": 0, "total": 8})
    (sheet,) = padscore("scan", path, "--json").document["sheets"]
    assert sheet["template"] == "hexroller-front"
    assert sheet["claimed"] == {"bonuses": 6, "top": 0, "total": 8}
    assert [(cells, message) for cells, message, _ in claimed_flags(sheet)] == [
        (["claim-total"], "The box for the total says 8, but the board gives 6")
    ]


def read(claims: Mapping[str, CellReading], **cells: CellReading) -> ReadBoard:
    board = {cell: CellReading(cell, CELLS.get(cell), "read" if cell in CELLS else "blank") for cell in SPLITTER.ids}
    return ReadBoard(SPLITTER.id, board | dict(claims) | cells)


def box(name: str, value: int, p: float, **others: float) -> CellReading:
    alternatives = {key.removeprefix("n"): share for key, share in others.items()}
    return CellReading(f"claim-{name}", value, "read", p, alternatives, "hand")


def checked(one: CellReading, **cells: CellReading) -> CellReading:
    return checked_by_board(read({one.id: one}, **cells), SPLITTER, get_game("splitter")).cells[one.id]


def test_what_the_board_gives_confirms_a_box() -> None:
    found = checked(box("total", 7, 0.7, n1=0.2, n9=0.05))
    assert (found.value, found.state, found.confidence) == (7, "read", CHECKED)
    assert all(p < PLAUSIBLE for p in found.alternatives.values())


def test_a_likely_reading_that_is_right_is_taken() -> None:
    assert checked(box("total", 1, 0.6, n7=0.4)).value == 7
    # not where it is far-fetched, nor against clear ink, nor by a board that isn't sure
    assert checked(box("total", 1, 0.98, n7=0.02)).value == 1
    assert checked(box("total", 1, 0.992, n7=0.008)).value == 1
    unsure = CellReading("r6c4", 3, "doubtful", 0.6, {"8": 0.4}, "hand")
    assert checked(box("total", 1, 0.6, n7=0.4), r6c4=unsure).value == 1


@pytest.mark.parametrize("value", [8, 17])
def test_another_number_stays_as_it_was_read(value: int) -> None:
    found = checked(box("total", value, 0.9, n3=0.05))
    assert found.value == value
    assert 0.5 < found.confidence < CHECKED
    assert checked(box("total", value, 1.0)).confidence == 1.0


def test_answers_stay() -> None:
    one = CellReading("claim-total", 7, "answered")
    assert checked(one) == one
