from __future__ import annotations

import copy
import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from app_runner import padscore
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from report_samples import DOUBT, INCOMPLETE, REPEAT, clear_sheet, sudoku_sheet

import scanner
from scanner.board import ReadBoard
from scanner.report.document import document, dumps, exit_status, schema
from scanner.results import CellReading, ColumnScore, Problem, Score, ScoreLine, State, Verdict
from scanner.sheet import ScanResult

VALIDATOR = Draft202012Validator(schema())

# the design's example, typed from there
CONTRACT: dict[str, Any] = json.loads("""
{"schema": 1, "padscore": "0.1.0", "model": "digits-1", "sheets": [{
  "source": "table3.jpg", "page": 1, "sheet": 1, "template": "splitter-a",
  "corners": [[1, 2], [30.5, 2], [30, 20], [1, 21]],
  "residual_px": 0.8,
  "cells": {"r1c3": {"value": 5, "state": "read", "confidence": 0.999, "alternatives": {"3": 0.001}, "ink": "hand"}},
  "score": {"total": 15, "range": [15, 15], "sure": true,
            "lines": [{"label": "fives", "points": 4, "cells": ["r7c2", "r7c1"]}]},
  "claimed": {"total": 16},
  "ask": ["r2c3"],
  "flags": [{"code": "splitter.value", "severity": "illegal", "cells": ["r1c3"], "message": "..."}]
}], "table": null, "problems": [{"source": "x.jpg", "code": "no-sheet", "message": "..."}]}
""")
PROBLEM_CODES = (
    *("no-sheet", "not-image", "empty-file", "missing", "truncated", "too-large", "unreadable"),
    *("missing-extra", "poor-photo"),
)


def test_the_schema_is_valid_and_accepts_the_contracts_example() -> None:
    Draft202012Validator.check_schema(schema())
    VALIDATOR.validate(CONTRACT)


def test_a_document_has_exactly_the_keys_of_the_contract() -> None:
    result = ScanResult((sudoku_sheet(),), (Problem("x.jpg", "no-sheet", "No sheet."),), model="digits-1")
    doc = document(result)
    VALIDATOR.validate(doc)
    assert doc.keys() == CONTRACT.keys()
    sheet, expected = doc["sheets"][0], CONTRACT["sheets"][0]
    assert sheet.keys() == expected.keys() | {"ask_ink"}  # keys may be added
    assert sheet["score"].keys() == expected["score"].keys()
    assert sheet["cells"]["r1c2"].keys() == expected["cells"]["r1c3"].keys()
    assert sheet["flags"][0].keys() == expected["flags"][0].keys() | {"sure"}
    assert doc["problems"][0] == {"source": "x.jpg", "code": "no-sheet", "message": "No sheet."}
    assert (doc["schema"], doc["padscore"], doc["model"], doc["table"]) == (1, scanner.__version__, "digits-1", None)


def test_cells_score_and_place_are_told_as_they_are() -> None:
    sheet = document(ScanResult((sudoku_sheet(),)))["sheets"][0]
    assert sheet["cells"]["r1c2"] == {
        "value": 7, "state": "read", "confidence": 0.998, "alternatives": {"1": 0.0012}, "ink": "hand"
    }  # fmt: skip
    assert sheet["cells"]["r4c4"]["value"] is None
    assert sheet["cells"]["r4c4"]["state"] == "candidates"
    assert sheet["corners"] == [[10.0, 20.0], [910.3, 21.0], [909.0, 921.0], [11.0, 920.0]]
    assert sheet["residual_px"] == 0.81
    assert (sheet["score"]["total"], sheet["score"]["range"], sheet["score"]["sure"]) == (62, [60, 62], False)
    assert sheet["ask"] == ["r5c5"]
    assert list(sheet["cells"])[:3] == ["r1c1", "r1c2", "r1c3"]


def test_an_answer_keeps_what_was_read() -> None:
    cells = document(ScanResult((sudoku_sheet(),)))["sheets"][0]["cells"]
    assert (cells["r7c3"]["value"], cells["r7c3"]["state"], cells["r7c3"]["read"]) == (2, "answered", 8)
    assert "read" not in cells["r5c5"]


def test_a_typed_board_has_no_place_and_no_model() -> None:
    doc = document(ScanResult((sudoku_sheet(typed=True),)))
    VALIDATOR.validate(doc)
    assert doc["model"] is None
    assert doc["sheets"][0]["corners"] is None
    assert doc["sheets"][0]["residual_px"] is None


def test_a_table_with_several_games_has_columns_and_no_total() -> None:
    columns = {"game1": ColumnScore(210, (210, 210), True), "game2": ColumnScore(199, (198, 203), False)}
    verdict = Verdict(Score(None, (ScoreLine("aces", 3, ("game1.aces",)),)), None, False, (), columns=columns)
    doc = document(ScanResult((sudoku_sheet(verdict),)))
    VALIDATOR.validate(doc)
    score = doc["sheets"][0]["score"]
    assert score["total"] is None
    assert score["range"] is None
    assert score["columns"]["game2"] == {"total": 199, "range": [198, 203], "sure": False}


def _published(name: str, boxes: str) -> dict[str, Any]:
    """The document that `score --json` prints for a published Splitter board with some boxes filled in."""
    boards = tomllib.loads((Path(__file__).parent / "data" / "splitter_boards.toml").read_text(encoding="utf-8"))
    [one] = [board["board"] for board in boards["boards"] if board["name"] == name]
    return padscore("score", "-", "--json", stdin=one + boxes).document


def test_groups_are_told_with_their_points_and_symbols() -> None:
    sheet = _published("pad-b", "claim-ones = 1\nclaim-hearts = 0\nclaim-total = 16\n")["sheets"][0]
    groups = {line["label"].partition(":")[0]: line["groups"] for line in sheet["score"]["lines"]}
    # found by eye on the published board
    assert groups == {
        "Ones": [{"cells": ["r7c6"], "points": 1, "symbols": []}],
        "Twos": [
            {"cells": ["r6c5", "r6c6"], "points": 2, "symbols": []},
            {"cells": ["r7c1", "r7c2"], "points": 4, "symbols": ["r7c2"]},
        ],
        "Threes": [{"cells": ["r2c3", "r2c4", "r2c5"], "points": 3, "symbols": []}],
        "Fours": [],
        "Fives": [{"cells": ["r3c7", "r4c7", "r5c6", "r5c7", "r6c7"], "points": 5, "symbols": []}],
        "Sixes": [],
        "Hearts": [],
    }
    assert sheet["claimed"] == {"ones": 1, "hearts": 0, "total": 16}
    assert [flag["cells"] for flag in sheet["flags"]] == [["claim-total"]]


@pytest.mark.parametrize("name", ["pad-a", "pad-b"])
def test_scoring_a_document_again_gives_the_same(name: str) -> None:
    doc = _published(name, "claim-total = 7\n")
    assert padscore("score", "-", "--json", stdin=dumps(doc)).document == doc


def test_numbers_of_numpy_become_numbers_of_json() -> None:
    sheet = sudoku_sheet()
    cells = dict(sheet.board.cells)
    cells["r1c1"] = CellReading("r1c1", np.int64(4), "read", np.float32(0.12345678), {"9": float(np.float32(1e-5))})  # type: ignore[arg-type]
    doc = json.loads(dumps(document(ScanResult((replace(sheet, board=ReadBoard("sudoku", cells)),)))))
    cell = doc["sheets"][0]["cells"]["r1c1"]
    assert cell == {"value": 4, "state": "read", "confidence": 0.1235, "alternatives": {}, "ink": None}


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_that_json_lacks_is_refused(number: float) -> None:
    sheet = sudoku_sheet()
    cells = {**sheet.board.cells, "r1c1": CellReading("r1c1", 4, "read", number)}
    with pytest.raises(ValueError, match="finite"):
        document(ScanResult((replace(sheet, board=ReadBoard("sudoku", cells)),)))


def test_the_text_is_ascii_whatever_the_file_is_called() -> None:
    name = "Großmutters Block 数独 \udcff.jpg"
    text = dumps(document(ScanResult((sudoku_sheet(source=name),))))
    assert text.isascii()
    assert json.loads(text)["sheets"][0]["source"] == name


def _broken(*path: str | int, value: Any) -> dict[str, Any]:
    doc = copy.deepcopy(CONTRACT)
    where: Any = doc
    for key in path[:-1]:
        where = where[key]
    where[path[-1]] = value
    return doc


CELL = ("sheets", 0, "cells", "r1c3")


@pytest.mark.parametrize(
    "doc",
    [
        _broken(*CELL, "state", value="guessed"),
        _broken(*CELL, "state", value="blank"),  # with a value
        _broken(*CELL, "state", value="answered"),  # without what was read
        _broken(*CELL, "read", value=3),  # without being answered
        _broken(*CELL, "confidence", value=1.2),
        _broken(*CELL, "ink", value="pencil"),
        _broken(*CELL, "value", value=5.5),
        _broken("sheets", 0, "flags", 0, "severity", value="fatal"),
        _broken("sheets", 0, "flags", 0, "code", value="value"),
        _broken("sheets", 0, "corners", value=[[1, 2], [3, 4], [5, 6]]),
        _broken("sheets", 0, "score", "range", value=[15]),
        _broken("sheets", 0, "score", "sure", value=None),
        _broken("sheets", 0, "page", value=0),
        _broken("problems", 0, "code", value="broken"),
        _broken("schema", value=2),
        {key: value for key, value in CONTRACT.items() if key != "problems"},
    ],
)
def test_the_schema_refuses(doc: dict[str, Any]) -> None:
    assert not VALIDATOR.is_valid(doc)


@pytest.mark.parametrize("code", PROBLEM_CODES)
def test_the_schema_knows_every_problem_code(code: str) -> None:
    VALIDATOR.validate(_broken("problems", 0, "code", value=code))


_states: st.SearchStrategy[State] = st.sampled_from(get_args(State))
_probability = st.floats(0, 1)


@st.composite
def _readings(draw: st.DrawFn) -> CellReading:
    state = draw(_states)
    value = draw(st.one_of(st.integers(-99, 999), st.just("x"))) if state in ("read", "doubtful", "answered") else None
    alternatives = draw(st.dictionaries(st.sampled_from(["1", "7", "blank", "struck"]), _probability))
    return CellReading(
        "r1c1", value, state, draw(_probability), alternatives, draw(st.sampled_from(["hand", "print", None]))
    )


@given(_readings())
def test_every_reading_gives_a_valid_document(reading: CellReading) -> None:
    sheet = replace(sudoku_sheet(), board=ReadBoard("sudoku", {"r1c1": reading}))
    doc = json.loads(dumps(document(ScanResult((sheet,)))))
    VALIDATOR.validate(doc)
    cell = doc["sheets"][0]["cells"]["r1c1"]
    assert cell["value"] == reading.value
    assert abs(cell["confidence"] - reading.confidence) <= 0.5e-4


@pytest.mark.parametrize(
    ("flags", "sure", "codes", "status"),
    [
        ((), True, (), 0),
        ((REPEAT,), True, (), 1),
        ((INCOMPLETE,), True, (), 1),
        ((DOUBT,), False, (), 1),
        ((), False, (), 1),
        ((), True, ("no-sheet",), 3),
        ((), True, ("poor-photo",), 3),
        ((REPEAT,), True, ("no-sheet",), 3),
        ((), True, ("missing",), 4),
        ((), True, ("missing-extra", "no-sheet"), 4),
        ((), True, ("no-sheet", "truncated"), 4),
    ],
)
def test_the_exit_status_is_the_highest_that_occurred(flags: Any, sure: bool, codes: Any, status: int) -> None:
    verdict = Verdict(Score(2), (2, 2), sure, flags)
    problems = tuple(Problem("x.jpg", code, "...") for code in codes)
    assert exit_status(ScanResult((clear_sheet(), sudoku_sheet(verdict)), problems)) == status


def test_the_exit_status_of_nothing_and_of_problems_alone() -> None:
    assert exit_status(ScanResult((clear_sheet(),))) == 0
    assert exit_status(ScanResult(problems=(Problem("x.jpg", "empty-file", "..."),))) == 4


def test_results_are_added_in_order() -> None:
    first = ScanResult((sudoku_sheet(source="a.jpg"),), warnings=("cut off",), model="digits-1")
    second = ScanResult((sudoku_sheet(source="b.jpg"),), (Problem("c.jpg", "missing", "..."),))
    both = first + second
    assert [sheet.source for sheet in both.sheets] == ["a.jpg", "b.jpg"]
    assert (len(both.problems), both.warnings, both.model) == (1, ("cut off",), "digits-1")
    assert (second + first).model == "digits-1"
