"""The bench against figures worked out by hand, and all of it on drawn sheets with a reader that knows the answer."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from scanner.bench import print_report, run
from scanner.bench.calibration import LEAST_PROBABILITY, calibration_of
from scanner.bench.chain import STAGES, run_photo
from scanner.bench.figures import figures_of, stage_times
from scanner.bench.intervals import share_of
from scanner.bench.judge import JudgedCell, JudgedFlags, JudgedSheet, corner_error, is_upright, judge, match, overlap
from scanner.bench.show import percent
from scanner.bench.truth import Truth, find_cases, read_truths
from scanner.board import ReadBoard
from scanner.cells import CellBatch
from scanner.errors import BoardError, UsageError
from scanner.games.base import GameContext
from scanner.games.registry import get_game
from scanner.games.sudoku import Sudoku
from scanner.geometry import PxPoint
from scanner.read.classes import CLASSES
from scanner.read.reader import DigitReader
from scanner.read.readings import Readings
from scanner.report.document import document
from scanner.resolve import readings_to_board, resolve
from scanner.results import CellReading, Flag, ScoreLine, SheetPlace, Verdict
from scanner.scan import scan
from scanner.sheet import Sheet
from scanner.templates import get_template

SUDOKU = get_template("sudoku")
TEMPLATES = {"sudoku": SUDOKU}
SQUARE = [[100, 100], [200, 100], [200, 200], [100, 200]]
GRID = [[60, 60], [510, 60], [510, 510], [60, 510]]
DIGITS = {"r1c1": 5, "r1c3": 3, "r2c5": 7, "r3c3": 1, "r4c7": 4, "r5c5": 2, "r6c2": 6, "r7c8": 8, "r8c4": 9, "r9c9": 4}


def truth_json(values: Mapping[str, object], corners: object = None) -> str:
    record: dict[str, object] = {"template": "sudoku", "cells": {cell: values.get(cell) for cell in SUDOKU.ids}}
    if corners is not None:
        record["corners"] = corners
    return json.dumps(record)


def readings(values: Mapping[str, int | str]) -> dict[str, CellReading]:
    cells = {cell: CellReading(cell, None, "blank") for cell in SUDOKU.ids}
    for cell, value in values.items():
        known = isinstance(value, int)
        cells[cell] = CellReading(cell, value if known else None, "read" if known else value)  # type: ignore[arg-type]
    return cells


def truth(values: Mapping[str, int | str], corners: object = None) -> Truth:
    array = None if corners is None else np.array(corners, dtype=np.float64)
    return Truth(SUDOKU, ReadBoard("sudoku", readings(values)), array)


def sheet(
    values: Mapping[str, int | str],
    corners: Sequence[Sequence[float]] | None = None,
    *,
    sure: bool = False,
    total: int = 0,
) -> Sheet:
    place = None
    if corners is not None:
        a, b, c, d = (PxPoint(x, y) for x, y in corners)
        place = SheetPlace((a, b, c, d), 0.5)
    board = ReadBoard("sudoku", readings(values))
    score = replace(Sudoku().score(board, SUDOKU, GameContext()), total=total)
    verdict = Verdict(score, (total, total), sure, Sudoku().flags(board, SUDOKU, GameContext()))
    return Sheet("a.jpg", 1, 1, SUDOKU, place, board, verdict)


# ---- intervals


def test_no_error_in_ten_clusters_leaves_up_to_25_9_percent() -> None:
    # Clopper-Pearson, one-sided 95 %, 0 of 10: 25.9 % in every table of exact binomial limits.
    share = share_of([False] * 20, [number for number in range(10) for _ in range(2)])
    assert share.interval is not None
    assert share.method == "exact on clusters"
    assert share.interval[0] == 0
    assert share.interval[1] == pytest.approx(0.259, abs=5e-4)


def test_all_right_is_near_the_rule_of_three() -> None:
    share = share_of([True] * 300, range(300))
    assert share.interval is not None
    assert share.interval[0] == pytest.approx(1 - 3 / 300, abs=5e-4)
    assert share.interval[1] == 1


def test_bootstrap_agrees_with_the_normal_approximation_where_items_are_independent() -> None:
    share = share_of([k % 5 > 0 for k in range(2000)], range(2000))
    wide = 1.96 * math.sqrt(0.8 * 0.2 / 2000)
    assert share.share == 0.8
    assert share.method == "cluster bootstrap"
    assert share.interval == pytest.approx((0.8 - wide, 0.8 + wide), abs=0.003)


def test_items_of_a_cluster_are_no_independent_evidence() -> None:
    once = share_of([True, False, True, True], [0, 1, 2, 3])
    often = share_of([True, False, True, True] * 50, [0, 1, 2, 3] * 50)
    assert once.interval == often.interval
    assert (often.count, often.n, often.clusters) == (150, 200, 4)


def test_one_cluster_with_errors_has_no_interval() -> None:
    assert share_of([True, False], [0, 0]).interval is None
    empty = share_of([], [])
    assert empty.share is None
    assert empty.document() == {"count": 0, "n": 0, "share": None, "interval": None, "method": "none"}


def test_cluster_numbers_may_have_gaps() -> None:
    assert share_of([True, False, True], [0, 4, 9]).interval == share_of([True, False, True], [0, 1, 2]).interval


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=1, max_size=60))
def test_intervals_hold_the_share(items: list[tuple[bool, int]]) -> None:
    share = share_of([hit for hit, _ in items], [cluster for _, cluster in items])
    assert share.share is not None
    if share.interval is not None:
        low, high = share.interval
        assert 0 <= low <= share.share + 1e-12
        assert share.share - 1e-12 <= high <= 1


# ---- calibration


def test_calibration_by_hand() -> None:
    found = calibration_of(
        np.array([0.9, 0.9, 0.6, 0.6]), np.array([True, True, True, False]), np.array([0.9, 0.9, 0.6, 0.3])
    )
    assert [(b.n, b.accuracy) for b in found.bins] == [(2, 0.5), (2, 1.0)]
    assert [b.confidence for b in found.bins] == pytest.approx([0.6, 0.9])
    assert found.ece == pytest.approx((2 * 0.1 + 2 * 0.1) / 4)
    assert found.nll == pytest.approx(-(2 * math.log(0.9) + math.log(0.6) + math.log(0.3)) / 4)


def test_risk_coverage_by_hand() -> None:
    confidence = np.array([0.7, 0.9, 0.6, 0.8])
    found = calibration_of(confidence, np.array([False, True, True, True]), confidence)
    # surest first: right, right, wrong, right
    assert found.aurc == pytest.approx((0 + 0 + 1 / 3 + 1 / 4) / 4)
    risk = {point.coverage: (point.risk, point.confidence) for point in found.points}
    assert risk[0.5] == (0, 0.8)
    assert risk[0.8] == (0.25, 0.6)  # four of four: 3.2 rounded up
    assert risk[1.0] == (0.25, 0.6)


@given(st.permutations([True, True, False, False, True]))
def test_order_among_equal_confidences_means_nothing(right: list[bool]) -> None:
    found = calibration_of(np.full(5, 0.8), np.array(right), np.full(5, 0.8))
    assert all(point.risk == pytest.approx(0.4) for point in found.points)
    assert found.ece == pytest.approx(0.2)


def test_impossible_truth_does_not_make_the_likelihood_infinite() -> None:
    found = calibration_of(np.array([1.0]), np.array([False]), np.array([0.0]))
    assert found.nll == pytest.approx(-math.log(LEAST_PROBABILITY))


def test_bins_hold_equal_numbers_where_confidences_differ() -> None:
    confidence = np.linspace(0.5, 1, 1000)
    found = calibration_of(confidence, np.ones(1000, dtype=bool), confidence)
    assert [b.n for b in found.bins] == [100] * 10
    assert found.ece == pytest.approx(0.25)


def test_nothing_read_has_no_calibration() -> None:
    found = calibration_of(np.zeros(0), np.zeros(0, dtype=bool), np.zeros(0))
    assert found.document()["expected_calibration_error"] is None
    assert found.risk_document() == {"area": None, "points": []}


# ---- matching


def shifted(dx: float, dy: float) -> npt.NDArray[np.float64]:
    return np.array([[x + dx, y + dy] for x, y in SQUARE], dtype=np.float64)


def test_overlap_by_hand() -> None:
    square = np.array(SQUARE, dtype=np.float64)
    assert overlap(square, square) == pytest.approx(1)
    assert overlap(square, shifted(50, 0)) == pytest.approx(50 / 150)
    assert overlap(square, shifted(20, 0)) == pytest.approx(80 / 120)
    assert overlap(square, shifted(200, 0)) == 0
    assert overlap(square, np.roll(square, 2, axis=0)) == pytest.approx(1)


def test_overlap_with_what_is_no_quadrilateral() -> None:
    square = np.array(SQUARE, dtype=np.float64)
    assert overlap(square, square[[0, 2, 1, 3]]) == 0
    assert overlap(square, np.zeros((4, 2))) == 0


@given(st.floats(-90, 90), st.floats(-90, 90))
def test_overlap_of_shifted_squares(dx: float, dy: float) -> None:
    square = np.array(SQUARE, dtype=np.float64)
    common = (100 - abs(dx)) * (100 - abs(dy))
    assert overlap(square, shifted(dx, dy)) == pytest.approx(common / (20000 - common), abs=1e-3)


def test_corner_error_by_hand() -> None:
    true = np.array(SQUARE, dtype=np.float64)
    found = true.copy()
    found[2] += [3, 4]
    assert corner_error(found, true) == pytest.approx(0.05)
    # corners marked by the picture instead of by the sheet
    assert corner_error(np.roll(found, 1, axis=0), true) == pytest.approx(0.05)
    assert corner_error(found[::-1], true) > 0.9  # a mirrored sheet is another matter


def test_the_way_up_is_told_by_the_cells() -> None:
    true = truth({"r1c1": 5, "r1c9": 3, "r2c3": 7})
    assert is_upright(true, sheet({"r1c1": 5, "r1c9": 3, "r2c3": 1}))
    assert not is_upright(true, sheet({"r9c9": 5, "r9c1": 3, "r8c7": 7}))  # upside down
    assert not is_upright(true, sheet({"r1c9": 5, "r9c9": 3, "r3c8": 7}))  # turned clockwise
    assert not is_upright(true, sheet({"r9c1": 5, "r1c1": 3, "r7c2": 7}))  # turned the other way


def test_a_truth_takes_the_sheet_that_overlaps_most() -> None:
    near = sheet({}, [[110, 100], [210, 100], [210, 200], [110, 200]])
    far = sheet({"r1c1": 5}, [[120, 100], [220, 100], [220, 200], [120, 200]])
    assert match([truth({"r1c1": 5}, SQUARE)], [far, near]) == [near]


def test_less_than_half_overlap_is_another_sheet() -> None:
    beside = sheet({}, [[150, 100], [250, 100], [250, 200], [150, 200]])
    assert match([truth({}, SQUARE)], [beside]) == [None]


def test_without_corners_equal_cells_decide() -> None:
    empty, full = sheet({}, SQUARE), sheet({"r1c1": 5, "r1c2": 6}, SQUARE)
    assert match([truth({"r1c1": 5, "r1c2": 7})], [empty, full]) == [full]


def test_no_sheet_serves_two_truths() -> None:
    first, second = sheet({"r1c1": 1}, SQUARE), sheet({"r1c1": 2}, SQUARE)
    truths = [truth({"r1c1": 2}), truth({"r1c1": 1})]
    assert match(truths, [first, second]) == [second, first]
    assert match(truths, [first]) == [None, first]


def test_a_sheet_of_another_template_is_not_the_one() -> None:
    other = replace(sheet({}, SQUARE), template=replace(SUDOKU, id="other"))
    assert match([truth({}, SQUARE)], [other]) == [None]


# ---- judging


def test_cells_are_judged_by_value_or_state() -> None:
    true = truth({"r1c1": 5, "r1c2": "candidates", "r1c3": "struck", "r1c4": 7})
    read = sheet({"r1c1": 5, "r1c2": 3, "r1c3": "struck", "r1c4": 1, "r1c5": "candidates"}, sure=True, total=4)
    judged = judge("a.jpg", true, read)
    assert [(cell.id, cell.true, cell.read) for cell in judged.wrong] == [
        ("r1c2", "candidates", "3"),
        ("r1c4", "7", "1"),
        ("r1c5", "blank", "candidates"),
    ]
    by_id = {cell.id: cell for cell in judged.cells}
    assert not by_id["r1c2"].value_right
    assert by_id["r1c5"].value_right  # neither has a value


def test_silent_errors_need_a_sure_sheet() -> None:
    true = truth({"r1c1": 5})  # by the rules one cell that clashes with none
    fine = judge("a.jpg", true, sheet({"r1c1": 5}, sure=True, total=1))
    wrong_value = judge("a.jpg", true, sheet({"r1c1": 6}, sure=True, total=1))
    unsure = judge("a.jpg", true, sheet({"r1c1": 6}, sure=False, total=1))
    wrong_total = judge("a.jpg", true, sheet({"r1c1": 5}, sure=True, total=2))
    notes = judge("a.jpg", true, sheet({"r1c1": 5, "r9c9": "candidates"}, sure=True, total=1))
    judged = [fine, wrong_value, unsure, wrong_total, notes]
    assert [one.silent for one in judged] == [False, True, False, True, True]
    assert [one.broken_promise for one in judged] == [False, True, False, True, False]
    assert [one.total_right for one in judged] == [True, True, True, False, True]


def test_a_doubtful_cell_counts_by_its_best_guess() -> None:
    cells = readings({})
    cells["r1c1"] = CellReading("r1c1", 7, "doubtful", 0.8, {"1": 0.15, "blank": 0.05}, "hand")
    read = replace(sheet({}), board=ReadBoard("sudoku", cells))
    as_seven = judge("a.jpg", truth({"r1c1": 7}), read).cells[0]
    as_one = judge("a.jpg", truth({"r1c1": 1}), read).cells[0]
    as_four = judge("a.jpg", truth({"r1c1": 4}), read).cells[0]
    assert (as_seven.right, as_seven.of_truth) == (True, 0.8)
    assert (as_one.right, as_one.of_truth) == (False, 0.15)
    assert as_four.of_truth == LEAST_PROBABILITY


def doubtful_sheet(values: dict[str, dict[str, float]]) -> Sheet:
    """A sheet judged from what a reader saw: blank cells but for those given."""
    probabilities = np.zeros((81, len(CLASSES)), dtype=np.float32)
    for row, cell in enumerate(SUDOKU.ids):
        for name, p in values.get(cell, {"blank": 1.0}).items():
            probabilities[row, CLASSES.index(name)] = p
    seen = Readings(SUDOKU.ids, CLASSES, probabilities, np.zeros(81, dtype=np.float32))
    board = readings_to_board(seen, SUDOKU, Sudoku())
    verdict = resolve(board, SUDOKU, Sudoku(), GameContext())
    return Sheet("a.jpg", 1, 1, SUDOKU, None, board, verdict, None, seen)


def test_answers_of_the_truth_mend_the_asked_cells_only() -> None:
    read = doubtful_sheet({"r1c1": {"7": 0.8, "1": 0.2}, "r5c5": {"7": 1.0}, "r9c9": {"candidates": 0.6, "3": 0.4}})
    judged = judge("a.jpg", truth({"r1c1": 1, "r5c5": 1, "r9c9": "struck"}), read)
    wrong = {cell.id: (cell.asked, cell.right_after) for cell in judged.wrong}
    assert wrong == {"r1c1": (True, True), "r5c5": (False, False), "r9c9": (True, True)}


SIX_TWICE = {"r1c1": 6, "r1c5": 6, "r5c5": 3}
"""By the rules: a repeat in row 1, one cell without a clash, 78 without a number."""


def told(values: Mapping[str, int | str], *flags: Flag, sure: bool = False) -> JudgedSheet:
    """A sheet of these values on which other flags are told than the rules would."""
    read = sheet(values, sure=sure, total=1)
    return judge("a.jpg", truth(SIX_TWICE), replace(read, verdict=replace(read.verdict, flags=flags)))


REPEAT, EMPTY = Sudoku().flags(ReadBoard("sudoku", readings(SIX_TWICE)), SUDOKU, GameContext())
ANOTHER = Flag("sudoku.repeat", "illegal", ("r2c1", "r2c2"), "Row 2 has two 1s")


def test_flags_are_compared_by_code_and_cells() -> None:
    assert told(SIX_TWICE, REPEAT, EMPTY).flags.all_right
    missing = told(SIX_TWICE, EMPTY, sure=True)
    assert missing.flags.missed == ("sudoku.repeat r1c1 r1c5",)
    assert missing.silent
    assert missing.broken_promise
    wrong_cells = told(SIX_TWICE, replace(REPEAT, cells=("r1c1", "r1c6")), EMPTY).flags
    assert (len(wrong_cells.missed), wrong_cells.false) == (1, ("sudoku.repeat r1c1 r1c6",))
    asking = Flag("read.doubt", "doubt", ("r1c1",), "1 cell could not be read surely")
    assert told(SIX_TWICE, REPEAT, EMPTY, asking).flags.all_right


@pytest.mark.parametrize(("sure_flag", "silent"), [(True, True), (False, False)])
def test_a_wrong_flag_told_as_sure_is_a_silent_error_on_any_sheet(sure_flag: bool, silent: bool) -> None:
    judged = told(SIX_TWICE, REPEAT, EMPTY, replace(ANOTHER, sure=sure_flag))
    assert judged.all_right
    assert judged.flags.false == ("sudoku.repeat r2c1 r2c2",)
    assert bool(judged.flags.surely_false) is judged.silent is judged.broken_promise is silent


def test_a_wrong_line_on_a_sure_sheet_is_a_silent_error() -> None:
    read = sheet(SIX_TWICE, sure=True, total=1)
    other = replace(read.verdict, score=replace(read.verdict.score, lines=(ScoreLine("Cells", 1, ("r1c1",)),)))
    assert not judge("a.jpg", truth(SIX_TWICE), read).silent
    wrong = judge("a.jpg", truth(SIX_TWICE), replace(read, verdict=other))
    assert (wrong.total_right, wrong.lines_right, wrong.silent) == (True, False, True)


def test_ink_is_compared_where_the_truth_says_who_wrote() -> None:
    cells = readings({"r1c1": 5, "r1c2": 6, "r1c3": 7, "r1c4": 8})
    for cell_id, ink in (("r1c1", "print"), ("r1c2", "hand"), ("r1c3", None)):
        cells[cell_id] = replace(cells[cell_id], ink=ink)  # type: ignore[arg-type]
    read = replace(sheet({}), board=ReadBoard("sudoku", cells))
    true = readings({"r1c1": 5, "r1c2": 6, "r1c3": 7, "r1c4": 8})
    for cell_id in ("r1c1", "r1c2", "r1c3"):
        true[cell_id] = replace(true[cell_id], ink="print")
    figures = figures_of([judge("a.jpg", Truth(SUDOKU, ReadBoard("sudoku", true), None), read)])
    assert (figures.ink.count, figures.ink.n) == (1, 3)
    assert figures.ink_confusions == {"print->hand": 1, "print->unknown": 1}


def test_the_truths_ink_decides_which_flags_are_true() -> None:
    """Wikipedia's puzzle with a wrong 2 in r1c3: wrong if it is handwritten, a misprint if it is printed."""
    puzzle = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"
    values: dict[str, int | str] = {
        cell: int(digit) for cell, digit in zip(SUDOKU.ids, puzzle, strict=True) if digit != "0"
    }
    cells = {cell: replace(one, ink="print" if one.value else None) for cell, one in readings(values).items()}
    by_hand = cells | {"r1c3": CellReading("r1c3", 2, "read", ink="hand")}
    printed = cells | {"r1c3": CellReading("r1c3", 2, "read", ink="print")}
    board = ReadBoard("sudoku", by_hand)
    verdict = resolve(board, SUDOKU, Sudoku(), GameContext())
    read = Sheet("a.jpg", 1, 1, SUDOKU, None, board, verdict)
    unknown = {cell: replace(one, ink=None) for cell, one in by_hand.items()}
    for true, false in ((by_hand, False), (unknown, False), (printed, True)):
        flags = judge("a.jpg", Truth(SUDOKU, ReadBoard("sudoku", true), None), read).flags
        assert "sudoku.wrong r1c3" in (flags.surely_false if false else flags.right)


# ---- figures


def cell(true: str, read: str, *, asked: bool = False, state: str = "read", confidence: float = 1.0) -> JudgedCell:
    right = true == read
    return JudgedCell("r1c1", true, read, state, confidence, confidence, right, right, asked, right or asked)


def judged(
    puzzle: str, cells: list[JudgedCell], *, found: bool = True, error: float | None = 0.01, sure: bool = False
) -> JudgedSheet:
    flags = JudgedFlags(("a.a",), ("a.b", "a.c"), ("a.d",), ("a.d",) if puzzle == "flagged" else ())
    return JudgedSheet(
        "a.jpg",
        "sudoku",
        puzzle,
        4,
        found,
        None,
        True,
        error,
        error is not None,
        tuple(cells),
        sure,
        True,
        True,
        flags if puzzle == "flagged" else JudgedFlags(),
        puzzle != "flagged",
    )


FIGURES = figures_of(
    [
        judged("one", [cell("5", "5"), cell("blank", "blank"), cell("1", "7"), cell("blank", "7")]),
        judged("one", [cell("5", "5"), cell("blank", "blank"), cell("1", "1"), cell("blank", "blank")], sure=True),
        judged(
            "two",
            [
                cell("candidates", "blank"),
                cell("candidates", "candidates"),
                cell("1", "7", asked=True, state="doubtful", confidence=0.6),
                cell("struck", "struck"),
            ],
            error=0.05,
        ),
        judged("three", [], found=False, error=None),
    ]
)


def test_figures_by_hand() -> None:
    f = FIGURES
    shares = {
        "found": (f.found.count, f.found.n),
        "close": (f.corner_error.within.count, f.corner_error.within.n),
        "cells": (f.cells.count, f.cells.n),
        "with missing": (f.cells_with_missing.count, f.cells_with_missing.n),
        "digit recall": (f.digit_recall.count, f.digit_recall.n),
        "digit precision": (f.digit_precision.count, f.digit_precision.n),
        "blank recall": (f.blank_recall.count, f.blank_recall.n),
        "blank precision": (f.blank_precision.count, f.blank_precision.n),
        "candidates": (f.candidates_recall.count, f.candidates_recall.n),
        "struck": (f.struck_recall.count, f.struck_recall.n),
        "boards": (f.boards.count, f.boards.n),
        "totals": (f.totals.count, f.totals.n),
        "sure": (f.sure.count, f.sure.n),
        "silent": (f.silent_sheets.count, f.silent_sheets.n),
        "silent cells": (f.silent_cells.count, f.silent_cells.n),
        "asked": (f.asked_cells.count, f.asked_cells.n),
        "left": (f.left_cells.count, f.left_cells.n),
    }
    assert shares == {
        "found": (3, 4),
        "close": (2, 4),
        "cells": (8, 12),
        "with missing": (8, 16),
        "digit recall": (3, 5),
        "digit precision": (3, 6),
        "blank recall": (3, 4),
        "blank precision": (3, 4),
        "candidates": (1, 2),
        "struck": (1, 1),
        "boards": (1, 4),
        "totals": (3, 4),
        "sure": (1, 3),
        "silent": (0, 3),
        "silent cells": (3, 12),
        "asked": (1, 12),
        "left": (3, 12),
    }
    assert f.confusions == {"1->7": 2, "blank->7": 1, "candidates->blank": 1}
    assert (f.doubtful_cells, f.doubtful_right) == (1, 0)
    assert (f.corner_error.n, f.corner_error.max) == (3, 0.05)
    assert f.corner_error.mean == pytest.approx(0.07 / 3)
    assert f.corner_error.median == 0.01
    assert f.found.clusters == 3


def test_unreadable_cells_are_no_part_of_the_calibration() -> None:
    figures = figures_of([judged("one", [cell("5", "5"), cell("5", "unreadable", state="unreadable")])])
    assert figures.calibration.n == 1


def test_boxes_that_nobody_looked_at_are_neither_right_nor_wrong() -> None:
    pad, game = get_template("splitter-a"), get_game("splitter")
    true = {cell: CellReading(cell, 1 if pad.cell(cell).place else None, "read") for cell in pad.ids}
    true |= {cell: replace(true[cell], state="blank") for cell in pad.ids if not pad.cell(cell).place}
    true["claim-ones"] = CellReading("claim-ones", 7, "read")
    read = {cell: CellReading(cell, None, "unreadable", 0.0) if "claim" in cell else true[cell] for cell in pad.ids}
    board = ReadBoard(pad.id, read)
    found = Sheet("a.jpg", 1, 1, pad, None, board, resolve(board, pad, game))
    one = judge("a.jpg", Truth(pad, ReadBoard(pad.id, true), None), found)
    assert len(one.cells) == 44
    assert one.all_right
    assert not one.silent
    # a cell of the lattice that is cut off is wrong, as ever
    cut_off = ReadBoard(pad.id, read | {"r1c3": CellReading("r1c3", None, "unreadable")})
    one = judge("a.jpg", Truth(pad, ReadBoard(pad.id, true), None), replace(found, board=cut_off))
    assert [cell.id for cell in one.wrong] == ["r1c3"]


def test_stage_times() -> None:
    photos = [dict.fromkeys(STAGES, seconds) for seconds in (1.0, 2.0, 6.0)]
    times = stage_times(photos)
    assert (times["read"].median, times["read"].total) == (2, 9)
    assert (times["all"].median, times["all"].total) == (2 * len(STAGES), 9 * len(STAGES))


@pytest.mark.parametrize(
    ("share", "text"),
    [(1.0, "100.00 %"), (0.99999, "99.99 %"), (0.5, "50.00 %"), (0.000001, "< 0.01 %"), (0.0, "0.00 %")],
)
def test_percent_never_claims_all_or_nothing(share: float, text: str) -> None:
    assert percent(share) == text


# ---- the folder


def test_truth_file(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(truth_json({"r1c1": 5, "r1c2": "candidates", "r1c3": "struck"}, SQUARE))
    (read,) = read_truths(path, TEMPLATES)
    assert {name: value for name, value in read.names.items() if value != "blank"} == {
        "r1c1": "5",
        "r1c2": "candidates",
        "r1c3": "struck",
    }
    assert read.corners is not None
    assert read.corners.tolist() == SQUARE


def test_truth_file_with_several_sheets(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    sheets = [json.loads(truth_json({"r1c1": 5}, SQUARE)), json.loads(truth_json({"r1c1": 6}))]
    path.write_text(json.dumps({"schema": 1, "sheets": sheets}))
    first, second = read_truths(path, TEMPLATES)
    assert (first.names["r1c1"], second.names["r1c1"]) == ("5", "6")
    assert first.corners is not None
    assert second.corners is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"template": "nobody", "cells": {}}',
        '{"template": "sudoku", "cells": {"r1c1": 5}}',
        truth_json({"r1c1": 5000}),
        truth_json({}, [[0, 0], [1, 0], [1, 1]]),
        truth_json({}, [[0, 0], [1, 0], [1, 1], [0]]),
        truth_json({}, [[0, 0], [1, 0], [1, 1], ["0", 1]]),
        truth_json({}, [[0, 0], [1, 0], [1, 1], [True, 1]]),
        truth_json({}, "corners"),
        truth_json({}, [[0, 0], [0, 1], [1, 1], [1, 0]]),  # anticlockwise: a mirrored sheet
        truth_json({}, [[0, 0], [9, 9], [9, 0], [0, 9]]),  # crossed
    ],
)
def test_malformed_truth_names_the_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "table3.jpg").write_bytes(b"never opened")
    (tmp_path / "table3.json").write_text(text)
    with pytest.raises(BoardError, match=r"^table3\.json.*: .*; ") as error:
        find_cases(tmp_path, TEMPLATES)
    assert error.value.exit_status == 2
    assert "\n" not in str(error.value)


def test_files_that_stand_alone_are_notes(tmp_path: Path) -> None:
    for name in ("a.jpg", "b.PNG", "c.png", ".hidden.jpg", "notes.txt"):
        (tmp_path / name).write_bytes(b"")
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(truth_json({}))
    (tmp_path / "d.json").write_text("anything")
    found = find_cases(tmp_path, TEMPLATES)
    assert [case.photo.name for case in found.cases] == ["a.jpg", "b.PNG"]
    assert [note.split(":")[0] for note in found.notes] == ["c.png", "d.json"]


def test_folder_without_photos(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no photo with a truth file.*`padscore bench --help`"):
        find_cases(tmp_path, TEMPLATES)
    with pytest.raises(UsageError, match="no such folder"):
        find_cases(tmp_path / "nowhere", TEMPLATES)


# ---- all of it


class KnowingReader(DigitReader):
    """Sees what it is told, cell by cell, and no difference between the ways up."""

    def __init__(self, values: Mapping[str, int | str]) -> None:
        self.name = "knowing"
        self.classes = CLASSES
        self.values = values

    def read(self, batch: CellBatch) -> Readings:
        names = [str(self.values.get(cell, "blank")) for cell in batch.ids]
        probabilities = np.zeros((len(names), len(CLASSES)), dtype=np.float32)
        probabilities[np.arange(len(names)), [CLASSES.index(name) for name in names]] = 1
        return Readings(batch.ids, CLASSES, probabilities, np.zeros(len(names), dtype=np.float32))

    def glance(self, ink: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        even = np.full((len(ink), len(CLASSES)), 1 / len(CLASSES), dtype=np.float32)
        return even, np.zeros(len(ink), dtype=np.float32)


def drawn(path: Path) -> Path:
    """A Sudoku of 450 x 450 px with its corners at `GRID`, with `DIGITS`."""
    page = np.full((600, 600, 3), 235, dtype=np.uint8)
    for k in range(10):
        at, width = 60 + 50 * k, 3 if k % 3 == 0 else 1
        cv2.line(page, (at, 60), (at, 510), (40, 40, 40), width)
        cv2.line(page, (60, at), (510, at), (40, 40, 40), width)
    for cell_id, value in DIGITS.items():
        row, col = int(cell_id[1]), int(cell_id[3])
        at_px = (60 + 50 * col - 36, 60 + 50 * row - 13)
        cv2.putText(page, str(value), at_px, cv2.FONT_HERSHEY_SIMPLEX, 1.0, (60, 50, 50), 2, cv2.LINE_AA)
    cv2.imwrite(str(path), page)
    return path


def test_the_timed_chain_gives_what_scan_gives(tmp_path: Path) -> None:
    path, reader = drawn(tmp_path / "a.png"), KnowingReader(DIGITS)
    timed = run_photo(path, [SUDOKU], reader)
    scanned = scan(path, name=path.name, templates=[SUDOKU], reader=reader)
    assert len(scanned.sheets) == 1
    assert document(replace(scanned, sheets=timed.sheets)) == document(scanned)
    assert set(timed.seconds) == set(STAGES)
    assert all(seconds > 0 for seconds in timed.seconds.values())


def test_bench_of_a_folder(tmp_path: Path) -> None:
    drawn(tmp_path / "a.png")
    drawn(tmp_path / "b.png")
    (tmp_path / "a.json").write_text(truth_json(dict(DIGITS), GRID))
    (tmp_path / "b.json").write_text(truth_json(dict(DIGITS) | {"r1c1": 6, "r9c1": "candidates"}, GRID))
    (tmp_path / "c.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "c.json").write_text(truth_json({}, GRID))
    cv2.imwrite(str(tmp_path / "d.png"), np.full((300, 300, 3), 200, dtype=np.uint8))
    (tmp_path / "d.json").write_text(truth_json({}))
    seen: list[tuple[int, int]] = []
    report = run(tmp_path, templates=[SUDOKU], reader=KnowingReader(DIGITS), progress=lambda *done: seen.append(done))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    result = json.loads(json.dumps(report.document(), allow_nan=False))
    for key in ("photos", "found", "corner_error", "cells", "digits", "boards", "totals", "silent", "asked", "seconds"):
        assert key in result
    assert (result["photos"], result["puzzles"], result["model"]) == (4, 3, "knowing")
    assert (result["found"]["count"], result["found"]["n"]) == (2, 4)
    assert result["corner_error"]["max"] < 0.01
    within = result["corner_error"]["within_3_percent"]
    assert (within["count"], within["n"]) == (2, 3)
    assert (result["cells"]["count"], result["cells"]["n"]) == (160, 162)
    assert result["cells"]["with_missing_sheets"]["n"] == 4 * 81
    assert (result["digits"]["recall"]["count"], result["digits"]["recall"]["n"]) == (19, 20)
    assert result["confusions"] == {"6->5": 1, "candidates->blank": 1}
    assert (result["boards"]["count"], result["boards"]["n"]) == (1, 4)
    assert result["silent"]["count"] == 1
    assert result["silent"]["cells"]["count"] == 2
    assert result["asked"]["left_per_1000"] == pytest.approx(2 / 162 * 1000, abs=1e-3)
    rows = {row["name"]: row for row in result["sheets"]}
    assert rows["a.png"]["wrong"] == []
    assert rows["b.png"]["silent"] is True
    assert [(wrong["cell"], wrong["true"], wrong["read"]) for wrong in rows["b.png"]["wrong"]] == [
        ("r1c1", "6", "5"),
        ("r9c1", "candidates", "blank"),
    ]
    assert rows["c.png"]["note"].startswith("c.png: ")
    assert "no sheet found" in rows["d.png"]["note"]
    text = io.StringIO()
    print_report(report, Console(file=text, width=120, color_system=None))
    assert "98.77 %" in text.getvalue()  # 160 of 162 cells
    assert "b.png: silent, 2 wrong: r1c1 6->5, r9c1 candidates->blank" in text.getvalue()
    assert "c.png: not found" in text.getvalue()
    assert "only 3 different puzzles" in text.getvalue()


def test_other_sheets_are_counted_apart(tmp_path: Path) -> None:
    drawn(tmp_path / "a.png")
    elsewhere = [[700, 60], [1150, 60], [1150, 510], [700, 510]]
    (tmp_path / "a.json").write_text(truth_json(dict(DIGITS), elsewhere))
    report = run(tmp_path, templates=[SUDOKU], reader=KnowingReader(DIGITS))
    result = report.document()
    assert (result["found"]["count"], result["other_sheets"]) == (0, 1)
    assert (result["cells"]["n"], result["cells"]["share"]) == (0, None)
    assert result["sheets"][0]["note"] == "sheets found elsewhere only"
    print_report(report, Console(file=io.StringIO()))
