"""`padscore score`: typed boards through the command."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from app_runner import ROOT, SAMPLE, padscore, process

from scanner.templates import get_template

PUZZLES = tomllib.loads((ROOT / "tests" / "data" / "sudoku_puzzles.toml").read_text(encoding="utf-8"))["puzzles"]
SOLVED = next(puzzle["solution"] for puzzle in PUZZLES if puzzle["name"] == "wikipedia")


def notation(digits: str) -> str:
    rows = [" ".join(digits[start : start + 9]) for start in range(0, 81, 9)]
    return "\n".join(["template = sudoku", *rows]).replace("0", ".") + "\n"


@pytest.fixture
def solved(tmp_path: Path) -> Path:
    path = tmp_path / "solved.txt"
    path.write_text(notation(SOLVED), encoding="utf-8")
    return path


def test_a_published_solution_is_all_clear(solved: Path) -> None:
    ran = padscore("score", solved, "--json")
    assert (ran.status, ran.err) == (0, "")
    sheet = ran.document["sheets"][0]
    assert sheet["score"]["total"] == 81
    assert sheet["score"]["sure"] is True
    assert sheet["flags"] == []
    assert sheet["corners"] is None
    assert ran.document["model"] is None


def test_the_table_says_the_total(solved: Path) -> None:
    ran = padscore("score", solved)
    assert ran.status == 0
    assert "Total 81" in ran.out
    assert ran.err == ""


def test_a_repeated_number_is_flagged(solved: Path) -> None:
    # by hand: 5 instead of 3 in row 1, column 2, beside the 5 of column 1
    solved.write_text(notation("55" + SOLVED[2:]), encoding="utf-8")
    ran = padscore("score", solved, "--json")
    assert ran.status == 1
    flags = ran.document["sheets"][0]["flags"]
    assert any(flag["code"] == "sudoku.repeat" and {"r1c1", "r1c2"} <= set(flag["cells"]) for flag in flags)


def test_standard_input_is_the_same_as_a_file(solved: Path) -> None:
    typed = padscore("score", "-", "--json", stdin=notation(SOLVED))
    assert typed.status == 0
    from_file, from_stdin = (one.document["sheets"][0] for one in (padscore("score", solved, "--json"), typed))
    assert from_stdin["cells"] == from_file["cells"]
    assert from_stdin["score"] == from_file["score"]


def test_what_is_no_ordinary_file_is_read_too() -> None:
    """As in `padscore score <(padscore scan table3.jpg --json)`."""
    ran = process("score", "/dev/stdin", "--json", stdin=notation(SOLVED))
    assert (ran.status, ran.err) == (0, "")
    assert ran.document["sheets"][0]["score"]["total"] == 81


def test_a_document_scores_the_same_again(solved: Path, tmp_path: Path) -> None:
    solved.write_text(notation(SOLVED[:-1] + "0"), encoding="utf-8")
    first = padscore("score", solved, "--json")
    again = tmp_path / "again.json"
    again.write_text(first.out, encoding="utf-8")
    second = padscore("score", again, "--json")
    assert first.status == second.status == 1
    assert second.document["sheets"] == first.document["sheets"]


def test_a_scanned_document_keeps_places_problems_and_model(tmp_path: Path) -> None:
    scanned = padscore("scan", SAMPLE, tmp_path / "none.jpg", "--json")
    again = tmp_path / "again.json"
    again.write_text(scanned.out, encoding="utf-8")
    scored = padscore("score", again, "--json")
    assert scored.document == scanned.document
    assert scored.document["sheets"][0]["corners"] is not None
    assert (scored.status, scored.messages) == (scanned.status, scanned.messages)
    assert (scored.status, len(scored.messages)) == (4, 1)


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("corners", [[0, 0]], "sheet 1: its corners are no list of four points [x, y]; "),
        ("corners", [[0, 0], [1, 0], [1, 1], [0, "1"]], "its corners are no list of four points"),
        ("corners", [[0, 0], [1, 0], [1, 1], [0, True]], "its corners are no list of four points"),
        ("residual_px", -1, "its residual_px is no number from 0"),
        ("residual_px", None, "its residual_px is no number from 0"),
    ],
)
def test_a_document_with_a_place_that_is_none(key: str, value: object, reason: str, tmp_path: Path) -> None:
    sheet = {"template": "sudoku", "cells": dict.fromkeys(get_template("sudoku").ids)}
    place = {"corners": [[0, 0], [1, 0], [1, 1], [0, 1]], "residual_px": 0.5}
    document = tmp_path / "document.json"
    document.write_text(json.dumps({"schema": 1, "sheets": [sheet | place]}), encoding="utf-8")
    assert padscore("score", document, "--json").document["sheets"][0]["corners"][2] == [1.0, 1.0]
    document.write_text(json.dumps({"schema": 1, "sheets": [sheet | place | {key: value}]}), encoding="utf-8")
    ran = padscore("score", document)
    assert (ran.status, len(ran.messages)) == (2, 1)
    assert reason in ran.err


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("model", 5, "its model is no text"),
        ("problems", {}, "its problems are no list"),
        ("problems", [5], "one of its problems is no object"),
        ("problems", [{"source": "a", "code": "missing"}], "one of its problems has no source, code or message"),
    ],
)
def test_a_document_that_is_none(key: str, value: object, reason: str, tmp_path: Path) -> None:
    sheet = {"template": "sudoku", "cells": dict.fromkeys(get_template("sudoku").ids)}
    document = tmp_path / "document.json"
    document.write_text(json.dumps({"schema": 1, "sheets": [sheet], key: value}), encoding="utf-8")
    ran = padscore("score", document)
    assert (ran.status, len(ran.messages)) == (2, 1)
    assert reason in ran.err


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "empty"),
        ("5 3 . .\n", "template"),
        ("template = chess\n", "chess"),
        (notation(SOLVED).replace("5 3 4", "5 x3 4", 1), "r1c2"),
        (notation(SOLVED)[:-2] + "\n", "row 9"),
        ('{"template": "sudoku", "cells": {"r1c1": 5.5}}', "r1c1"),
        ('{"template": "sudoku"', "line 1"),
        ("[[[[", "line 1"),
    ],
)
def test_a_malformed_board_is_refused_in_one_line(text: str, named: str, tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text(text, encoding="utf-8")
    for ran in (padscore("score", board, "--json"), padscore("score", "-", stdin=text)):
        assert (ran.status, ran.out) == (2, "")
        (message,) = ran.messages
        assert named in message
    assert "board.txt" in padscore("score", board).err


def test_a_photo_is_no_board() -> None:
    ran = padscore("score", ROOT / "samples" / "sudoku-1.jpg")
    assert ran.status == 2
    assert "padscore scan" in ran.err


@pytest.mark.parametrize("name", ["nothing.txt", "."])
def test_a_board_that_is_not_there(name: str, tmp_path: Path) -> None:
    ran = padscore("score", tmp_path / name, "--json")
    assert ran.status == 4
    assert len(ran.messages) == 1
    assert [problem["code"] for problem in ran.document["problems"]] == ["missing"]
    assert padscore("score", tmp_path / name).out == ""


def test_a_variant_that_no_game_has(solved: Path) -> None:
    ran = padscore("score", solved, "--variant", "blitz")
    assert (ran.status, ran.out) == (2, "")
    assert "blitz" in ran.err


def test_a_template_of_one_s_own(tmp_path: Path) -> None:
    text = (ROOT / "templates" / "sudoku.toml").read_text(encoding="utf-8")
    folder = tmp_path / "pads"
    folder.mkdir()
    (folder / "mine.toml").write_text(text.replace('id = "sudoku"', 'id = "mine"'), encoding="utf-8")
    board = notation(SOLVED).replace("sudoku", "mine")
    assert padscore("score", "-", stdin=board).status == 2
    ran = padscore("score", "-", "--templates", folder, "--json", stdin=board)
    assert ran.status == 0
    assert ran.document["sheets"][0]["template"] == "mine"


def test_as_a_process_with_a_terminal_that_has_ascii_only(solved: Path) -> None:
    ran = process("score", solved, env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.isascii()
    assert "Total 81" in ran.out


def test_json_is_ascii_and_nothing_else_is_printed(solved: Path) -> None:
    ran = process("score", solved, "--json")
    assert ran.err == ""
    assert json.loads(ran.out) == ran.document
