"""Readings of whole numbers: what a reader may hand over, how the rules weigh it, and a player's claims."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from app_runner import padscore
from hypothesis import given
from hypothesis import strategies as st

from scanner.board import ReadBoard
from scanner.games.base import ClaimGame
from scanner.games.registry import get_game
from scanner.read.classes import CLASSES
from scanner.read.numbers import NumberCandidate, NumberReadings
from scanner.read.readings import Readings
from scanner.report.document import document, dumps
from scanner.resolve import checked_by_sums, parse_answer, readings_to_board, resolve
from scanner.results import PLAUSIBLE
from scanner.sheet import ScanResult, Sheet
from scanner.templates import get_template

KNIFFEL = get_template("kniffel")
PAD = get_template("splitter-a")

Cell = Mapping[int | str, float]


def numbers(cells: Mapping[str, Cell]) -> NumberReadings:
    """Readings by a shorthand: for each cell numbers and states with their probabilities."""
    found = []
    for cell in cells.values():
        ranked = sorted(cell.items(), key=lambda item: -item[1])
        found.append(
            tuple(
                NumberCandidate(one if isinstance(one, int) else None, "read" if isinstance(one, int) else one, p)  # type: ignore[arg-type]
                for one, p in ranked
            )
        )
    return NumberReadings(tuple(cells), tuple(found))


def no_digits() -> Readings:
    return Readings((), CLASSES, np.zeros((0, len(CLASSES)), np.float32), np.zeros(0, np.float32))


def kniffel(cells: Mapping[str, Cell], *answers: str) -> ReadBoard:
    """A card of which all other cells are blank."""
    order = [cell for cell in KNIFFEL.ids if not cell.endswith(".name")]
    every = {cell: cells.get(cell, {"blank": 1.0}) for cell in order}
    game = get_game("kniffel")
    return readings_to_board(no_digits(), KNIFFEL, game, [parse_answer(text) for text in answers], numbers(every))


# ---- what a reader may hand over


@pytest.mark.parametrize(
    ("value", "state", "p", "what"),
    [
        (None, "read", 0.5, "value"),
        (5, "blank", 0.5, "value"),
        (1000, "read", 0.5, "three digits"),
        (5, "read", 1.5, "probability"),
        (5, "read", float("nan"), "probability"),
        (5, "answered", 0.5, "state"),
    ],
)
def test_candidates_that_can_not_be(value: int | None, state: str, p: float, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        NumberCandidate(value, state, p)  # type: ignore[arg-type]


def test_readings_that_can_not_be() -> None:
    five, six = NumberCandidate(5, "read", 0.4), NumberCandidate(6, "read", 0.5)
    with pytest.raises(ValueError, match="in order"):
        NumberReadings(("a",), ((five, six),))
    with pytest.raises(ValueError, match="has one twice"):
        NumberReadings(("a",), ((six, NumberCandidate(6, "read", 0.1)),))
    with pytest.raises(ValueError, match="adds up to"):
        NumberReadings(("a",), ((NumberCandidate(7, "read", 0.9), six),))
    with pytest.raises(ValueError, match="has none"):
        NumberReadings(("a",), ((),))
    with pytest.raises(ValueError, match="occurs twice"):
        NumberReadings(("a", "a"), ((six,), (six,)))
    with pytest.raises(ValueError, match="expected those of 2 cells"):
        NumberReadings(("a", "b"), ((six,),))


def test_cells_that_the_template_has_not_are_refused() -> None:
    with pytest.raises(ValueError, match="no cell game9"):
        readings_to_board(no_digits(), KNIFFEL, get_game("kniffel"), (), numbers({"game9.aces": {5: 1.0}}))


# ---- what the rules make of it


def test_numbers_and_states_become_cells() -> None:
    board = kniffel(
        {"game1.aces": {3: 0.95, 8: 0.05}, "game1.twos": {"struck": 0.99}, "game1.threes": {9: 0.6, 4: 0.4}}
    )
    aces = board.cells["game1.aces"]
    assert (aces.value, aces.state, aces.ink) == (3, "read", "hand")
    assert board.cells["game1.twos"].state == "struck"
    assert board.cells["game2.twos"].state == "blank"
    assert board.cells["game1.name"].unseen
    assert aces.confidence > 0.99  # no five dice give 8 aces


def test_the_rules_break_ties() -> None:
    """26 points are no full house, 25 are."""
    full = kniffel({"game1.full": {26: 0.55, 25: 0.45}}).cells["game1.full"]
    assert full.value == 25
    assert full.alternatives["26"] < 0.05


def test_the_rules_do_not_overrule_clear_ink() -> None:
    full = kniffel({"game1.full": {26: 0.992, 25: 0.008}}).cells["game1.full"]
    assert full.value == 26
    assert full.confidence >= 0.5


NUMBER_CELLS = tuple(cell.id for cell in KNIFFEL.cells if cell.kind == "number")


@given(st.integers(-99, 999), st.integers(-99, 999), st.floats(0.99, 1.0), st.sampled_from(NUMBER_CELLS))
def test_clear_ink_is_reported_whatever_it_says(value: int, other: int, p: float, cell: str) -> None:
    candidates: dict[int | str, float] = {value: p}
    if other != value:
        candidates[other] = 1 - p
    assert kniffel({cell: candidates}).value(cell) == value


@given(
    st.dictionaries(st.integers(0, 60), st.integers(1, 100), min_size=1, max_size=5),
    st.sampled_from(("game1.aces", "game3.full", "game6.chance", "game2.total")),
)
def test_probabilities_stay_such(weights: dict[int, int], cell: str) -> None:
    whole = sum(weights.values())
    found = kniffel({cell: {value: weight / whole for value, weight in weights.items()}}).cells[cell]
    assert found.value in weights
    assert 0 < found.confidence <= 1
    assert found.confidence + sum(found.alternatives.values()) == pytest.approx(1, abs=0.01)
    assert all(found.confidence >= p - 1e-9 for p in found.alternatives.values())


def test_readings_that_are_not_listed_leave_a_doubt() -> None:
    """The reader knows 60 % of what may stand there: the rest may be anything, also what is like a 23."""
    board = kniffel({"game1.chance": {23: 0.6}})
    assert 0.6 <= board.cells["game1.chance"].confidence < 0.9
    verdict = resolve(board, KNIFFEL, get_game("kniffel"))
    assert verdict.ask == ("game1.chance",)


def test_the_rules_do_not_bring_up_what_nobody_read() -> None:
    """Hardly anything speaks for another number than the impossible one, so it stays the best guess by far."""
    twos = kniffel({"game1.twos": {94: 0.95}}).cells["game1.twos"]
    assert twos.value == 94
    assert twos.confidence >= 0.95


def test_sums_decide_while_reading() -> None:
    fields: dict[str, Cell] = {
        "game1.full": {25: 1.0},
        "game1.chance": {17: 0.7, 11: 0.3},
        "game1.lower_total": {36: 1.0},
    }
    board = kniffel(fields)
    assert board.value("game1.chance") == 11
    assert board.cells["game1.chance"].alternatives["17"] < PLAUSIBLE


def lower(total: Cell) -> dict[str, Cell]:
    """Fields that add up to 54 below."""
    nothing: dict[str, Cell] = {f"game1.{row}": {0: 1.0} for row in ("three", "four", "small", "large", "kniffel")}
    return {**nothing, "game1.full": {25: 1.0}, "game1.chance": {29: 1.0}, "game1.lower_total": total}


@pytest.mark.parametrize("piece", [5, 4])
def test_a_sum_of_which_a_digit_may_be_lost_is_asked(piece: int) -> None:
    """5 or 4 instead of 54: rather a stroke was lost. It is asked, and neither replaced nor accused for sure."""
    board = kniffel(lower({piece: 1.0}))
    assert board.value("game1.lower_total") == piece
    verdict = resolve(board, KNIFFEL, get_game("kniffel"))
    assert verdict.ask == ("game1.lower_total",)
    assert not any(flag.sure for flag in verdict.flags if flag.code == "table.sum")
    # a document that is scored again comes to the same
    assert checked_by_sums(board, KNIFFEL) == board


@pytest.mark.parametrize("wrong", [45, 55, 14, 154, 64, 540])
def test_another_wrong_sum_is_accused(wrong: int) -> None:
    verdict = resolve(kniffel(lower({wrong: 1.0})), KNIFFEL, get_game("kniffel"))
    assert verdict.sure
    assert [(flag.code, flag.sure) for flag in verdict.flags if flag.severity == "arithmetic"] == [("table.sum", True)]


def test_a_document_of_unsure_numbers_scores_the_same_again(tmp_path: Path) -> None:
    """A wrong sum, and numbers that may be misread: scoring the document must not weigh the sums a second time."""
    fields: dict[str, Cell] = {
        "game1.three": {15: 0.98, 16: 0.01, 19: 0.005},
        "game1.four": {0: 0.7, 10: 0.034, 8: 0.044},
        "game1.full": {25: 0.98, 0: 0.006},
        "game1.small": {30: 0.7, 10: 0.12, 40: 0.026},
        "game1.large": {0: 0.95, 40: 0.01},
        "game1.kniffel": {0: 0.95, 50: 0.009, 10: 0.018},
        "game1.chance": {20: 0.95, 26: 0.024},
        "game1.lower_total": {89: 0.9, 119: 0.05},
    }
    board = kniffel(fields)
    verdict = resolve(board, KNIFFEL, get_game("kniffel"))
    sheet = Sheet("card.jpg", 1, 1, KNIFFEL, None, board, verdict)
    first = document(ScanResult((sheet,), model="numbers"))
    (tmp_path / "card.json").write_text(dumps(first), encoding="utf-8")
    assert padscore("score", tmp_path / "card.json", "--json").document["sheets"] == first["sheets"]


def test_an_empty_field_that_would_make_a_sum_right_is_asked() -> None:
    """3 + 6 + 16 are 25, and 34 is written: nine threes may have been overlooked, but no 9 fours or fives."""
    upper: dict[str, Cell] = {"game1.aces": {3: 1.0}, "game1.twos": {6: 1.0}, "game1.fours": {16: 1.0}}
    board = kniffel({**upper, "game1.sixes": {0: 1.0}, "game1.upper_sum": {34: 1.0}})
    verdict = resolve(board, KNIFFEL, get_game("kniffel"))
    assert verdict.ask == ("game1.threes",)
    assert not any(flag.sure for flag in verdict.flags if flag.code == "table.sum")
    # 35 would be 10 threes
    board = kniffel({**upper, "game1.sixes": {0: 1.0}, "game1.fives": {0: 1.0}, "game1.upper_sum": {35: 1.0}})
    verdict = resolve(board, KNIFFEL, get_game("kniffel"))
    assert verdict.sure
    assert any(flag.code == "table.sum" and flag.sure for flag in verdict.flags)


def test_a_piece_of_the_sum_is_accused_once_a_person_has_read_it() -> None:
    board = kniffel(lower({5: 1.0}), "game1.lower_total=5")
    verdict = resolve(board, KNIFFEL, get_game("kniffel"))
    assert verdict.sure
    assert any(flag.code == "table.sum" and flag.sure for flag in verdict.flags)


def test_answers_decide_before_sums() -> None:
    fields: dict[str, Cell] = {
        "game1.full": {25: 1.0},
        "game1.chance": {17: 0.7, 11: 0.3},
        "game1.lower_total": {36: 1.0},
    }
    board = kniffel(fields, "game1.chance=17")
    assert (board.value("game1.chance"), board.cells["game1.chance"].state) == (17, "answered")
    verdict = resolve(board, KNIFFEL, get_game("kniffel"))
    assert [flag.cells for flag in verdict.flags if flag.code == "table.sum"] == [("game1.lower_total",)]


def test_a_struck_field_answered_counts_nothing_and_is_filled() -> None:
    asked: dict[str, Cell] = {"game1.aces": {"struck": 0.5, "blank": 0.5}, "game1.total": {"struck": 0.5, 30: 0.5}}
    board = kniffel(asked, "game1.aces=struck", "game1.total=struck")
    aces, total = board.cells["game1.aces"], board.cells["game1.total"]
    assert (aces.value, aces.state) == (0, "answered")
    assert (total.value, total.state) == (None, "answered")
    (flag,) = resolve(board, KNIFFEL, get_game("kniffel")).flags
    assert flag.code == "kniffel.incomplete"
    assert "game1.aces" not in flag.cells


def test_an_answer_helps_the_sums() -> None:
    """7 + 1 or 1 + 7: once one of them is known, the sum tells the other."""
    fields: dict[str, Cell] = {
        "game1.three": {27: 0.6, 21: 0.4},
        "game1.four": {21: 0.6, 27: 0.4},
        "game1.lower_total": {48: 1.0},
    }
    assert resolve(kniffel(fields), KNIFFEL, get_game("kniffel")).ask
    board = kniffel(fields, "game1.three=21")
    assert board.value("game1.four") == 27
    assert not resolve(board, KNIFFEL, get_game("kniffel")).ask


# ---- a player's claim beside a grid


def splitter(claims: Mapping[str, Cell]) -> ReadBoard:
    """A sheet of ones only: the group is too large to score, so every box has to say 0."""
    ids = tuple(cell.id for cell in PAD.lattice_cells)
    probabilities = np.zeros((len(ids), len(CLASSES)), np.float32)
    probabilities[:, CLASSES.index("1")] = 1.0
    readings = Readings(ids, CLASSES, probabilities, np.zeros(len(ids), np.float32))
    return readings_to_board(readings, PAD, get_game("splitter"), (), numbers(claims))


def test_claims_are_read_and_compared() -> None:
    board = splitter({"claim-ones": {0: 1.0}, "claim-twos": {"blank": 1.0}, "claim-total": {14: 1.0}})
    verdict = resolve(board, PAD, get_game("splitter"))
    assert verdict.claimed == {"ones": 0, "total": 14}
    assert [(flag.code, flag.severity, flag.cells) for flag in verdict.flags] == [
        ("splitter.claimed", "arithmetic", ("claim-total",))
    ]
    assert "14" in verdict.flags[0].message
    assert verdict.sure


def test_a_claim_that_may_be_read_in_two_ways_is_what_the_board_gives() -> None:
    """0 is right and 6 wrong: who writes a 0 that looks like a 6 has counted rightly."""
    verdict = resolve(splitter({"claim-total": {0: 0.7, 6: 0.3}}), PAD, get_game("splitter"))
    assert verdict.sure
    assert verdict.claimed == {"total": 0}
    assert isinstance(get_game("splitter"), ClaimGame)


def test_a_wrong_claim_that_may_be_read_in_two_ways_is_asked() -> None:
    verdict = resolve(splitter({"claim-total": {6: 0.7, 8: 0.3}}), PAD, get_game("splitter"))
    assert not verdict.sure
    assert verdict.ask == ("claim-total",)
    assert [(flag.code, flag.sure) for flag in verdict.flags if flag.severity == "arithmetic"] == [
        ("splitter.claimed", False)
    ]


def test_boxes_that_nobody_read_are_no_doubt() -> None:
    verdict = resolve(splitter({"claim-ones": {0: 1.0}}), PAD, get_game("splitter"))
    assert verdict.sure
    assert verdict.claimed == {"ones": 0}
