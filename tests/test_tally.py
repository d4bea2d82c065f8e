"""What a player claims, as check digits for the unclear cells of a board and for the boxes themselves."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from worked_pad import CELLS, PAD, RIGHT

from scanner.board import ReadBoard
from scanner.games.base import GameContext
from scanner.games.splitter import Splitter
from scanner.read.classes import CLASSES
from scanner.read.numbers import NumberCandidate, NumberReadings
from scanner.read.readings import Readings
from scanner.resolve import readings_to_board, resolve
from scanner.resolve.claims import checked_by_board
from scanner.results import PLAUSIBLE, CellReading, State, Value
from scanner.simulate.claims import ClaimRanges, claimed
from scanner.templates import Template, get_template

PADS = {name: get_template(name) for name in ("splitter-a", "splitter-b")}
GAME = Splitter()


def board(claims: Mapping[str, CellReading | int], **cells: CellReading) -> ReadBoard:
    """The worked example, surely read, with some cells changed; boxes that aren't named are empty."""
    read = {cell: CellReading(cell, CELLS.get(cell), "read" if cell in CELLS else "blank") for cell in PAD.ids}
    for name, one in claims.items():
        box = f"claim-{name}"
        read[box] = CellReading(box, one, "read", 0.9995) if isinstance(one, int) else one
    return ReadBoard(PAD.id, read | cells)


def unsure(cell: str, value: int, p: float, **others: float) -> CellReading:
    state: State = "read" if p >= 0.9 else "doubtful"
    return CellReading(cell, value, state, p, {name.removeprefix("n"): share for name, share in others.items()}, "hand")


def checked(one: ReadBoard, template: Template = PAD) -> ReadBoard:
    return checked_by_board(one, template, GAME)


def test_claims_settle_an_unclear_cell() -> None:
    """r6c3 is the first of the three 3s: as a 1 it would join another 1, and two boxes would be wrong."""
    wrong = unsure("r6c3", 1, 0.6, n3=0.39, n8=0.01)
    assert not resolve(board({}, r6c3=wrong), PAD, GAME).sure
    found = checked(board(RIGHT, r6c3=wrong))
    assert (found.cells["r6c3"].value, found.cells["r6c3"].state) == (3, "read")
    assert not resolve(found, PAD, GAME).sure  # the boxes may have been filled in before the cell was changed
    likely = unsure("r6c3", 3, 0.9, n1=0.09, n8=0.01)
    assert not resolve(board({}, r6c3=likely), PAD, GAME).sure
    verdict = resolve(checked(board(RIGHT, r6c3=likely)), PAD, GAME)
    assert verdict.sure
    assert (verdict.score.total, verdict.range) == (7, (7, 7))


@pytest.mark.parametrize("p", [0.6, 0.8, 0.95])
def test_claims_that_one_cause_spoilt_make_no_other_reading_sure(p: float) -> None:
    """Two boxes and the total say that r6c3 is a 1: they were filled in before the player made a 3 of it."""
    before = GAME.counted(board({}, r6c3=CellReading("r6c3", 1, "read")), PAD)
    claims = {box.removeprefix("claim-"): number for box, number in before.items()}
    assert sum(claims[name] != RIGHT[name] for name in RIGHT) == 3
    now = board(claims, r6c3=unsure("r6c3", 3, p, n1=1 - p))
    verdict = resolve(checked(now), PAD, GAME)
    assert not verdict.sure
    assert "r6c3" in verdict.ask


@pytest.mark.parametrize("claims", [{"twos": 2}, {"twos": 2, "total": 7}])
def test_empty_boxes_beside_one_filled_in_may_just_be_empty(claims: Mapping[str, int]) -> None:
    """That the box for threes is empty, as are those for the ones, says little against a 3."""
    found = checked(board(claims, r6c3=unsure("r6c3", 3, 0.8, n1=0.2))).cells["r6c3"]
    assert found.value == 3
    assert found.confidence > 0.7


@pytest.mark.parametrize(("clear", "kept"), [({"r6c3"}, 8), (set(), 3)])
def test_ink_that_is_clear_but_illegal_stays(clear: set[str], kept: int) -> None:
    """An 8 is so much rarer than a 3 that little is left of it, but it is what is written there."""
    weighed = unsure("r6c3", 8, 0.7, n3=0.3)
    found = checked_by_board(board(RIGHT, r6c3=weighed), PAD, GAME, frozenset(clear))
    assert found.cells["r6c3"].value == kept
    assert not resolve(found, PAD, GAME).sure


def test_the_ink_tells_what_is_clear() -> None:
    """Through all of it: a 7 at 0.995 stays a 7 although the boxes, and the rules, want a 3."""
    ids = tuple(cell.id for cell in PAD.lattice_cells)
    right = board(RIGHT).cells
    probabilities = np.zeros((len(ids), len(CLASSES)), np.float32)
    for row, cell in enumerate(ids):
        value = right[cell].value
        probabilities[row, CLASSES.index("blank" if value is None else str(value))] = 1.0
    at = ids.index("r6c3")
    probabilities[at] = 0.0
    probabilities[at, CLASSES.index("7")], probabilities[at, CLASSES.index("3")] = 0.995, 0.005
    boxes = {f"claim-{name}": value for name, value in RIGHT.items()}
    numbers = NumberReadings(tuple(boxes), tuple((NumberCandidate(one, "read", 0.9995),) for one in boxes.values()))
    readings = Readings(ids, CLASSES, probabilities, np.full(len(ids), 0.01, np.float32))
    found = readings_to_board(readings, PAD, GAME, numbers=numbers)
    assert found.cells["r6c3"].value == 7
    verdict = resolve(found, PAD, GAME)
    assert not verdict.sure
    assert "r6c3" in verdict.ask


def test_two_unclear_cells_are_settled_together() -> None:
    cells = {"r6c4": unsure("r6c4", 5, 0.6, n3=0.4), "r2c5": unsure("r2c5", 3, 0.7, n2=0.3)}
    found = checked(board(RIGHT, **cells))
    assert [found.cells[cell].value for cell in cells] == [3, 2]
    # a single box each: that it was miscounted in just this way stays plausible
    assert all(0.9 < found.cells[cell].confidence < 1 - PLAUSIBLE for cell in cells)


def test_the_total_alone_says_less() -> None:
    found = checked(board({"total": 7}, r6c4=unsure("r6c4", 5, 0.6, n3=0.4))).cells["r6c4"]
    assert found.value == 3
    assert found.alternatives["5"] > PLAUSIBLE


def test_clear_ink_is_doubted_but_not_overruled() -> None:
    found = checked(board(RIGHT, r6c3=unsure("r6c3", 1, 0.995, n3=0.005)))
    assert found.cells["r6c3"].value == 1
    assert found.cells["r6c3"].confidence == pytest.approx(0.5)
    verdict = resolve(found, PAD, GAME)
    assert verdict.ask[0] == "r6c3"
    assert {flag.cells for flag in verdict.flags if flag.code == "splitter.claimed"} == {
        ("claim-ones",),
        ("claim-threes",),
        ("claim-total",),
    }
    # the answer settles it
    answered = CellReading("r6c3", 3, "answered", read=1)
    assert resolve(checked(board(RIGHT, r6c3=answered)), PAD, GAME).sure


def test_a_wrong_claim_stays_and_is_flagged() -> None:
    """The player forgot the group of threes: no reading of a sure board fits, and nothing is bent to fit."""
    claims = RIGHT | {"threes": 0, "total": 4}
    found = checked(board(claims))
    assert found.cells == board(claims).cells
    verdict = resolve(found, PAD, GAME)
    assert verdict.sure
    assert [flag.cells for flag in verdict.flags] == [("claim-threes",), ("claim-total",)]


def test_a_wrong_claim_that_no_likely_reading_fits_settles_nothing() -> None:
    """Both readings contradict the box: what the ink says stays as it was."""
    one = unsure("r6c4", 3, 0.8, n5=0.2)
    found = checked(board({"threes": 9}, r6c4=one)).cells["r6c4"]
    assert found.value == 3
    assert found.confidence == pytest.approx(0.8, abs=0.01)


@pytest.mark.parametrize("state", ["scribble", "unreadable"])
def test_what_nobody_can_tell_leaves_the_board_as_it_is(state: State) -> None:
    one = board(RIGHT, r6c4=unsure("r6c4", 5, 0.6, n3=0.4), r1c3=CellReading("r1c3", None, state, 0.9))
    found = checked(one)
    assert found.cells["r6c4"] == one.cells["r6c4"]


def test_answers_are_not_weighed() -> None:
    answered = CellReading("r6c4", 5, "answered", read=3)
    assert checked(board(RIGHT, r6c4=answered)).cells["r6c4"] == answered


def test_specks_in_an_empty_box_are_no_number() -> None:
    specks = CellReading("claim-fours", None, "blank", 0.9, {"1": 0.06, "7": 0.03, "struck": 0.01})
    found = checked(board(RIGHT | {"fours": specks}))
    assert found.cells["claim-fours"].confidence > specks.confidence
    assert found.cells["claim-fours"].alternatives.get("1", 0.0) < 0.01


def test_on_a_sheet_without_claims_a_speck_is_no_claim() -> None:
    specks = CellReading("claim-fours", None, "blank", 0.9, {"1": 0.06, "0": 0.03, "struck": 0.01})
    beside = checked(board(RIGHT | {"fours": specks})).cells["claim-fours"]
    alone = checked(board({"fours": specks})).cells["claim-fours"]
    assert alone.confidence > beside.confidence
    assert alone.alternatives.get("1", 0.0) < PLAUSIBLE


def test_boxes_that_agree_among_each_other_were_read_rightly() -> None:
    """The threes are claimed to be 9, and the total is 4 more: that was counted wrongly, not read wrongly."""
    threes = CellReading("claim-threes", 9, "read", 0.94, {"3": 0.02, "8": 0.02})
    alone = checked(board({"threes": threes})).cells["claim-threes"]
    agreed = checked(board(RIGHT | {"threes": threes, "total": 13})).cells["claim-threes"]
    assert alone.confidence < 0.94 < agreed.confidence
    assert agreed.value == 9


values = st.integers(0, 6)


@given(name=st.sampled_from(sorted(PADS)), data=st.data())
def test_tallies_are_what_the_score_says(name: str, data: st.DataObject) -> None:
    """The quick count against the score itself, on any board and after any change."""
    template = PADS[name]
    ids = [cell.id for cell in template.lattice_cells]
    drawn = dict(zip(ids, data.draw(st.lists(values, min_size=len(ids), max_size=len(ids))), strict=True))
    change: dict[str, Value | None] = dict(
        data.draw(st.dictionaries(st.sampled_from(ids), st.integers(0, 9), max_size=6))
    )

    def read(numbers: Mapping[str, Value | None]) -> ReadBoard:
        blank = {cell: CellReading(cell, None, "blank") for cell in template.ids}
        return ReadBoard(
            template.id,
            blank | {cell: CellReading(cell, value, "read") for cell, value in numbers.items() if value is not None},
        )

    ((*parts,),) = GAME.tallies(read(drawn), template, [change])
    after = read(drawn | change)
    boxes = GAME.tally_boxes(template)
    counted = GAME.counted(after, template)
    assert parts == [counted[box] for box in boxes.parts]
    assert boxes.total is not None
    assert sum(parts) == counted[boxes.total] == GAME.score(after, template, GameContext()).total


@given(seed=st.integers(0, 2**32 - 1))
def test_a_generated_claim_is_right_unless_it_is_miscounted(seed: int) -> None:
    written = {cell.id: board({}).cells[cell.id].value for cell in PAD.lattice_cells}
    contents = {cell: value for cell, value in written.items() if isinstance(value, int)}
    careful = ClaimRanges(total_only=0.0, zeros=1.0, miscounted=0.0)
    found = claimed(PAD, contents, np.random.default_rng(seed), careful)
    assert found == {f"claim-{name}": value for name, value in RIGHT.items()}
    lazy = claimed(PAD, contents, np.random.default_rng(seed), ClaimRanges(total_only=1.0, miscounted=0.0))
    assert {box: value for box, value in lazy.items() if value is not None} == {"claim-total": 7}


def test_a_generated_claim_is_sometimes_wrong_by_a_group() -> None:
    contents = {
        cell.id: value for cell in PAD.lattice_cells if isinstance(value := board({}).cells[cell.id].value, int)
    }
    careless = ClaimRanges(total_only=0.0, zeros=1.0, miscounted=1.0)
    found = claimed(PAD, contents, np.random.default_rng(5), careless)
    for number, name in enumerate(("ones", "twos", "threes", "fours", "fives", "sixes"), start=1):
        claim = found[f"claim-{name}"]
        assert claim in {max(0, RIGHT[name] - number), RIGHT[name] + number}


def test_only_games_that_count_claims_have_any() -> None:
    with pytest.raises(ValueError, match="no boxes for claims"):
        claimed(get_template("sudoku"), {}, np.random.default_rng(1))
