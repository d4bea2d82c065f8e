"""Misread or illegal: what HexRoller counts as wrong, and readings that would mend a sheet."""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np
import pytest
from hexroller_boards import checked, played, spoiled

from scanner.board import MADE, ReadBoard
from scanner.games.base import FaultGame, GameContext
from scanner.games.hexroller import HexRoller
from scanner.games.hexroller_faults import faults_of
from scanner.games.hexroller_flags import flags_of
from scanner.games.hexroller_layout import layout_of
from scanner.games.hexroller_prior import STRUCK
from scanner.games.splitter import Splitter
from scanner.read.classes import CLASSES
from scanner.read.reader import NO_INK
from scanner.read.readings import Readings
from scanner.resolve import readings_to_board, resolve
from scanner.resolve.mends import ODD
from scanner.results import CellReading, Value
from scanner.templates import Template, get_template

GAME = HexRoller()
FRONT, BACK = get_template("hexroller-front"), get_template("hexroller-back")
NAMES = (*CLASSES, MADE)
Chances = Mapping[str, float]
ONE_ROUND: dict[str, Value] = {"top1": 8, "bottom1": 3, "q-3r0": 8, "q0r0": 3}
"""Round 1: an 8 beside the printed one in q-4r0, a 3 beside the printed one in q0r-1."""
NOTHING = dict.fromkeys(CLASSES, (1 - NO_INK) / (len(CLASSES) - 1)) | {"blank": NO_INK}
"""What is read where there is no trace of ink."""


def sheet(cells: Mapping[str, Value | None], template: Template = FRONT, **chances: Chances) -> ReadBoard:
    """The sheet read: surely what is given, nothing elsewhere, but for the cells with chances of their own."""
    ids = tuple(cell.id for cell in template.cells if cell.kind in ("digit", "mark"))
    probabilities = np.zeros((len(ids), len(NAMES)), dtype=np.float32)
    for row, cell_id in enumerate(ids):
        cell = template.cell(cell_id)
        value = cell.printed if cell.printed is not None else cells.get(cell_id)
        nothing: Chances = {"blank": 1.0} if cell.kind == "mark" else NOTHING
        known = nothing if value is None else {str(value): 1.0}
        for name, chance in chances.get(cell_id.replace("-", "_"), known).items():
            probabilities[row, NAMES.index(name)] = chance
    printed = np.array([template.cell(cell).printed is not None for cell in ids], dtype=np.float32)
    return readings_to_board(Readings(ids, NAMES, probabilities, printed), template, GAME)


def faults(cells: Mapping[str, Value | None]) -> int | None:
    return GAME.faults(sheet(cells), FRONT)


# ---- how much is wrong


@pytest.mark.parametrize(
    ("more", "count"),
    [
        ({}, 0),
        ({"q0r-2": 5}, 1),  # no round records a 5
        ({"q0r-2": 5, "bonus3": MADE}, 0),  # bonus 3 wrote it
        ({"q0r-2": 5, "q3r0": 6}, 2),
        ({"q4r0": 2}, 1),
        ({"q4r0": 2, "bonus2": MADE}, 0),
        ({"q4r0": 2, "q3r0": 2}, 2),
        ({"q4r0": 9}, 1),
        ({"top2": 5, "q0r-2": 5}, 1),  # no second number
        ({"top2": 5, "bottom2": 6}, 2),  # two lines of which no hex is there
        ({"top3": 5, "bottom3": 6, "q0r-2": 5, "q3r-2": 6}, 1),  # nothing for round 2
        ({"q-3r0": None}, 1),
        (
            {**dict.fromkeys(("q-3r1", "q-2r1", "q-1r1", "q0r1", "q1r1", "q2r1"), 8), "q1r-1": 3},
            1,
        ),  # nine hexes for eight dice
    ],
)
def test_faults_by_hand(more: Mapping[str, Value | None], count: int) -> None:
    assert faults({**ONE_ROUND, **more}) == count


@pytest.mark.parametrize("seed", range(40))
def test_a_sheet_has_faults_where_its_flags_accuse_it(seed: int) -> None:
    rng = random.Random(seed)
    game = played(layout_of(rng.choice((FRONT, BACK))), rng, log=False)
    assert faults_of(checked(game)) == 0
    other = checked(spoiled(game, rng))
    accused = [flag for flag in flags_of(other) if flag.severity == "illegal" or flag.code in ("hexroller.record",)]
    assert (faults_of(other) == 0) == (not accused)


def test_what_is_not_legible_has_no_count() -> None:
    cells = dict(sheet(ONE_ROUND).cells)
    cells["q4r0"] = CellReading("q4r0", None, "unreadable")
    assert GAME.faults(ReadBoard(FRONT.id, cells), FRONT) is None
    assert isinstance(GAME, FaultGame)
    assert not isinstance(Splitter(), FaultGame)


# ---- what would mend it


def asked(board: ReadBoard) -> tuple[str, ...]:
    return resolve(board, FRONT, GAME, GameContext()).ask


def test_a_clear_number_stays_but_is_asked_where_another_makes_a_game_of_the_sheet() -> None:
    board = sheet(ONE_ROUND, q_3r0={"5": 0.9998, "8": 0.0002})
    reading = board.cells["q-3r0"]
    assert (reading.value, reading.state, reading.confidence) == (5, "doubtful", 0.5)
    # the 5 and the missing 8 are two things that are forbidden
    weight = 0.0002 / 0.9998 / ODD**2
    assert weight > 1
    assert reading.alternatives["8"] == pytest.approx(0.5, abs=0.01)
    assert asked(board) == ("q-3r0",)


@pytest.mark.parametrize(("state", "rare"), [("struck", STRUCK), ("blank", 1.0)])
def test_a_number_that_a_round_demands_is_asked_where_none_was_read(state: str, rare: float) -> None:
    board = sheet(ONE_ROUND, q_3r0={state: 0.9999, "8": 0.0001})
    reading = board.cells["q-3r0"]
    assert reading.state == state
    weight = 1e-4 / rare / ODD
    assert reading.alternatives["8"] == pytest.approx(weight / (1 + weight), rel=0.05)
    assert asked(board) == ("q-3r0",)


def test_a_box_is_asked_where_the_hexes_want_another_number() -> None:
    board = sheet(ONE_ROUND, top1={"6": 0.9998, "8": 0.0002})
    assert board.cells["top1"].value == 6
    assert asked(board) == ("top1",)


def test_a_tie_is_broken_by_the_game_that_ends_with_it() -> None:
    for seed in range(12):
        rng = random.Random(seed)
        template = rng.choice((FRONT, BACK))
        layout = layout_of(template)
        case = played(layout, rng, log=False)
        cells = checked(case).read
        held = {cell.id: cells(cell.id).value for cell in template.cells if cell.kind in ("digit", "mark")}
        place = rng.choice(sorted(case.written))
        here, number = layout.ids[place], case.hexes[place]
        if number == 2:
            continue
        other = rng.choice([value for value in range(3, 9) if value != number])
        chances = {here.replace("-", "_"): {str(other): 0.55, str(number): 0.45}}
        wrong = GAME.faults(sheet({**held, here: other}, template), template)
        board = sheet(held, template, **chances)
        if wrong:
            assert board.cells[here].value == number, f"seed {seed}"
        assert min(board.cells[here].alternatives.values(), default=0) > 0


def test_a_legal_sheet_is_left_alone() -> None:
    # with a 6 there the 3 in q0r0 would be illegal, which a player's mistake may be
    board = sheet(ONE_ROUND, bottom1={"3": 0.75, "6": 0.25})
    reading = board.cells["bottom1"]
    assert (reading.value, reading.confidence, reading.alternatives["6"]) == (3, 0.75, 0.25)


def test_clear_ink_that_nothing_mends_is_illegal_and_no_empty_hex_is_asked() -> None:
    # two lines of 8s, but one hex of them: any empty hex beside the other printed 8 would do
    more: dict[str, Value] = {**ONE_ROUND, "top2": 8, "bottom2": 5, "q0r-2": 5}
    board = sheet(more)
    verdict = resolve(board, FRONT, GAME, GameContext())
    assert verdict.ask == ()
    assert [(flag.code, flag.sure) for flag in verdict.flags if flag.severity == "illegal"] == [
        ("hexroller.history", True)
    ]


def test_a_sheet_against_all_rules_says_nothing_about_its_cells() -> None:
    loose: dict[str, Value] = {"q0r-2": 5, "q3r0": 6, "q4r0": 9, "q2r0": 2, "q-2r0": 7, "q1r2": 4}
    board = sheet({**ONE_ROUND, **loose}, q_3r0={"5": 0.9998, "8": 0.0002})
    assert board.cells["q-3r0"].confidence == pytest.approx(0.9998, abs=1e-4)
