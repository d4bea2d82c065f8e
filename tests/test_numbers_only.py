"""Games in which people write nothing but numbers: no pencil notes, scribbles that may hide one, halves of pairs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner.board import ReadBoard
from scanner.games.base import GameContext, NumbersOnlyGame, PriorGame
from scanner.games.hexroller import HexRoller
from scanner.games.hexroller_layout import layout_of as hexes_of
from scanner.games.splitter import Splitter
from scanner.games.sudoku import Sudoku
from scanner.read.classes import CLASSES
from scanner.read.readings import Readings
from scanner.resolve import readings_to_board, resolve
from scanner.resolve.notes import UNTOLD, without_notes
from scanner.results import CellReading
from scanner.templates import Template, get_template

PAD, SUDOKU, FRONT = get_template("splitter-a"), get_template("sudoku"), get_template("hexroller-front")
GAME = Splitter()
Chances = Mapping[str, float]
HERE, MIRRORED = "r3c2", "r3c7"
"""A cell of pad A and the one that mirrors it at the centre line."""


def read(template: Template, usual: str, **cells: Chances) -> ReadBoard:
    """A board whose lattice holds what is usual, surely, but for the named cells."""
    ids = tuple(cell.id for cell in template.lattice_cells)
    probabilities = np.zeros((len(ids), len(CLASSES)), dtype=np.float32)
    for row, cell in enumerate(ids):
        for name, chance in cells.get(cell, {usual: 1.0}).items():
            probabilities[row, CLASSES.index(name)] = chance
    readings = Readings(ids, CLASSES, probabilities, np.zeros(len(ids), dtype=np.float32))
    game = GAME if template is PAD else Sudoku()
    return readings_to_board(readings, template, game)


# ---- no notes


def row_of(**chances: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    row = np.zeros((1, len(CLASSES)))
    for name, chance in chances.items():
        row[0, CLASSES.index(name.removeprefix("n"))] = chance
    return row


def test_what_notes_had_goes_to_the_other_classes_by_their_shares() -> None:
    (moved,) = without_notes(row_of(n3=0.4, candidates=0.6), CLASSES)
    # by hand: of 0.6 the 3 gets 0.4 parts and the scribble 0.02
    assert moved[CLASSES.index("3")] == pytest.approx(0.4 + 0.6 * 0.4 / (0.4 + UNTOLD))
    assert moved[CLASSES.index("scribble")] == pytest.approx(0.6 * UNTOLD / (0.4 + UNTOLD))
    (nothing_else,) = without_notes(row_of(candidates=1.0), CLASSES)
    assert nothing_else[CLASSES.index("scribble")] == pytest.approx(1.0)


def test_a_reader_that_knows_no_notes_is_left_alone() -> None:
    row = np.array([[0.25, 0.75]])
    assert without_notes(row, ("1", "blank")) is row


WEIGHTS = st.lists(st.floats(0, 1), min_size=len(CLASSES), max_size=len(CLASSES)).map(
    lambda weights: np.array([weights]) + 1e-6
)


@given(WEIGHTS)
def test_probabilities_still_add_up_and_no_other_class_loses(
    weights: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
) -> None:
    ink = weights / weights.sum()
    moved = without_notes(ink, CLASSES)
    notes = CLASSES.index("candidates")
    assert moved.sum() == pytest.approx(1.0)
    assert moved[0, notes] == 0
    assert (np.delete(moved - ink, notes) >= -1e-12).all()
    # what was clearer than another class stays so
    others = [k for k, name in enumerate(CLASSES) if name not in ("candidates", "scribble")]
    assert (np.diff(moved[0, others][np.argsort(ink[0, others], kind="stable")]) >= -1e-12).all()


def test_which_games_have_no_notes() -> None:
    for game in (GAME, HexRoller()):
        assert isinstance(game, NumbersOnlyGame)
        assert game.numbers_only
    assert not isinstance(Sudoku(), NumbersOnlyGame)


def test_notes_are_a_digit_in_splitter_and_stay_notes_in_sudoku() -> None:
    chances = {"candidates": 0.6, "3": 0.4}
    pad = read(PAD, "2", **{HERE: chances}).cells[HERE]
    assert (pad.value, pad.state) == (3, "read")
    assert "scribble" in pad.alternatives
    sudoku = read(SUDOKU, "blank", r1c1=chances).cells["r1c1"]
    assert (sudoku.value, sudoku.state) == (None, "candidates")
    assert sudoku.confidence == pytest.approx(0.6, abs=1e-4)


# ---- scribbles


def test_a_sure_scribble_is_asked_in_splitter_and_not_in_sudoku() -> None:
    """The whole pad is full of 4s: whatever number is under it may join them or not."""
    for chances in ({"scribble": 1.0}, {"candidates": 1.0}):
        verdict = resolve(read(PAD, "4", **{HERE: chances}), PAD, GAME)
        assert verdict.ask == (HERE,)
        assert not verdict.sure
        assert verdict.flags[-1].message == f"1 cell could not be read surely: {HERE} (a scribble)"
    sudoku = resolve(read(SUDOKU, "blank", r1c1={"scribble": 1.0}), SUDOKU, Sudoku())
    assert sudoku.sure


def test_what_may_be_a_scribble_may_be_any_number() -> None:
    """Among 1s that don't score and 2s around: a 1 scores alone there, a 2 joins the others, a 3 does nothing."""
    around = {cell: {"2": 1.0} for cell in ("r2c2", "r4c2", "r3c1", "r3c3")}
    board = read(PAD, "1", **around, **{HERE: {"3": 0.7, "scribble": 0.3}})
    verdict = resolve(board, PAD, GAME)
    ones = {GAME.score(_with(board, HERE, value), PAD, GameContext()).total for value in range(1, 7)}
    assert len(ones) > 1
    assert verdict.ask == (HERE,)
    assert verdict.range == (min(t for t in ones if t is not None), max(t for t in ones if t is not None))


def _with(board: ReadBoard, cell: str, value: int) -> ReadBoard:
    return ReadBoard(board.template, {**board.cells, cell: CellReading(cell, value, "read")})


# ---- halves of pairs


@pytest.mark.parametrize("state", ["blank", "struck"])
def test_no_number_beside_one_is_doubted_and_stays_where_the_ink_is_clear(state: str) -> None:
    board = read(PAD, "2", **{HERE: {state: 0.992, "3": 0.008}})
    cell = board.cells[HERE]
    assert (cell.value, cell.state) == (None, state)
    # by hand: 0.992 x 0.05 against 0.008
    assert cell.confidence == pytest.approx(0.0496 / 0.0576, abs=1e-3)
    verdict = resolve(board, PAD, GAME)
    assert verdict.ask == (HERE,)
    assert [flag.code for flag in verdict.flags] == ["read.doubt"]
    # by hand: 0.998 x 0.05 against 0.002 is 0.961, enough to be told, though not as sure
    clearer = resolve(read(PAD, "2", **{HERE: {state: 0.998, "3": 0.002}}), PAD, GAME)
    assert clearer.ask == (HERE,)
    assert [(flag.code, flag.sure) for flag in clearer.flags[:1]] == [("splitter.pair", False)]


def test_even_a_digit_that_would_be_implausible_elsewhere_is_asked_about() -> None:
    chances = {"blank": 0.9994, "3": 0.0006}
    assert resolve(read(PAD, "2", **{HERE: chances}), PAD, GAME).ask == (HERE,)
    both_empty = read(PAD, "2", **{HERE: chances, MIRRORED: {"blank": 1.0}})
    assert resolve(both_empty, PAD, GAME).sure


def test_a_clean_empty_half_is_flagged_for_sure() -> None:
    verdict = resolve(read(PAD, "2", **{HERE: {"blank": 1.0}}), PAD, GAME)
    assert verdict.sure
    assert [(flag.code, flag.cells, flag.sure) for flag in verdict.flags] == [("splitter.pair", (HERE, MIRRORED), True)]


def test_an_unclear_empty_half_is_read_and_asked_instead_of_flagged() -> None:
    board = read(PAD, "2", **{HERE: {"blank": 0.9, "3": 0.1}})
    # by hand: 0.9 x 0.05 against 0.1
    assert board.cells[HERE].value == 3
    assert board.cells[HERE].confidence == pytest.approx(0.1 / 0.145, abs=1e-3)
    verdict = resolve(board, PAD, GAME)
    assert verdict.ask == (HERE,)
    assert [flag.code for flag in verdict.flags] == ["read.doubt"]


def test_a_mirrored_cell_that_holds_some_number_counts_as_filled() -> None:
    unsure = read(PAD, "2", **{HERE: {"blank": 0.9, "3": 0.1}, MIRRORED: {"3": 0.5, "5": 0.5}})
    assert unsure.cells[HERE].value == 3
    perhaps_empty = read(PAD, "2", **{HERE: {"blank": 0.9, "3": 0.1}, MIRRORED: {"3": 0.5, "blank": 0.5}})
    assert perhaps_empty.cells[HERE].value is None


def test_priors_of_halves() -> None:
    cells = {cell.id: CellReading(cell.id, None, "unreadable") for cell in PAD.cells}
    cells[MIRRORED] = CellReading(MIRRORED, None, "doubtful")
    board = ReadBoard(PAD.id, cells)
    assert isinstance(GAME, PriorGame)
    assert GAME.prior(board, PAD, CellReading(HERE, None, "blank")) < 1
    assert GAME.prior(board, PAD, CellReading(HERE, 4, "read")) == 1
    assert GAME.prior(board, PAD, CellReading("r3c3", None, "blank")) == 1


# ---- mistakes that are asked first


@pytest.mark.parametrize(("chance", "told"), [(0.89, False), (0.91, True)])
def test_an_illegal_value_is_told_from_nine_tenths(chance: float, told: bool) -> None:
    board = read(PAD, "2")
    unsure = CellReading(HERE, 9, "read", chance, {"4": 1 - chance})
    verdict = resolve(ReadBoard(PAD.id, {**board.cells, HERE: unsure}), PAD, GAME)
    assert verdict.ask == (HERE,)
    assert [(flag.code, flag.sure) for flag in verdict.flags if flag.code != "read.doubt"] == (
        [("splitter.value", False)] if told else []
    )


def test_which_illegal_value_it_is_doesnt_matter() -> None:
    board = read(PAD, "2")
    unsure = CellReading(HERE, 7, "doubtful", 0.5, {"9": 0.45, "1": 0.05})
    verdict = resolve(ReadBoard(PAD.id, {**board.cells, HERE: unsure}), PAD, GAME)
    assert "splitter.value" in [flag.code for flag in verdict.flags]


# ---- HexRoller


def test_a_hex_beside_one_whose_number_is_unsure_may_touch_it() -> None:
    layout = hexes_of(FRONT)
    place = next(k for k, near in enumerate(layout.neighbours) if not layout.printed[k] and near)
    cells = {cell.id: CellReading(cell.id, None, "blank") for cell in FRONT.cells}
    beside = layout.ids[next(near for near in layout.neighbours[place] if not layout.printed[near])]
    game, reading = HexRoller(), CellReading(layout.ids[place], 5, "read")
    printed = {layout.printed[near] for near in layout.neighbours[place]}
    assert 5 not in printed
    assert game.prior(ReadBoard(FRONT.id, cells), FRONT, reading) < 1
    cells[beside] = CellReading(beside, None, "doubtful")
    assert game.prior(ReadBoard(FRONT.id, cells), FRONT, reading) == 1
    assert game.prior(ReadBoard(FRONT.id, cells), FRONT, CellReading(layout.ids[place], None, "blank")) == 1


def test_among_many_doubts_no_flag_is_sure_that_one_unlikely_digit_would_take_away() -> None:
    """So many combinations are likelier than the overlooked digit that none of those looked at has it."""
    doubts = {cell: {"2": 0.5, "3": 0.3, "4": 0.2} for cell in ("r5c1", "r5c2", "r5c3", "r5c4", "r5c5", "r5c6", "r5c7")}
    board = read(PAD, "2", **doubts)
    half = CellReading(HERE, None, "blank", 0.997, {"3": 0.002})
    clean = CellReading("r4c2", None, "blank", 1.0)
    verdict = resolve(ReadBoard(PAD.id, {**board.cells, HERE: half, "r4c2": clean}), PAD, GAME)
    sureness = {flag.cells: flag.sure for flag in verdict.flags if flag.code == "splitter.pair"}
    assert HERE in verdict.ask
    assert sureness == {(HERE, MIRRORED): False, ("r4c2", "r4c7"): True}
