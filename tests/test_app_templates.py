"""`padscore templates` through the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from app_runner import ROOT, padscore

PAD = """schema = 1
id = "pad"
title = "Our pad"
game = "sudoku"
size = [140, 120]
[grid]
origin = [10, 10]
pitch = [10, 10]
mask = ["-o", "oo"]
values = [1, 6]
[[boxes]]
id = "claim"
kind = "number"
rect = [100, 20, 12, 6]
values = [0, 99]
"""


@pytest.fixture
def pads(tmp_path: Path) -> Path:
    (tmp_path / "pad.toml").write_text(PAD, encoding="utf-8")
    return tmp_path


def test_the_list_names_every_shipped_template() -> None:
    ran = padscore("templates", "list")
    assert (ran.status, ran.err) == (0, "")
    files = sorted(path.stem for path in (ROOT / "templates").glob("*.toml"))
    assert files
    for name in files:
        assert name in ran.out


def test_own_templates_are_listed_beside_them(pads: Path) -> None:
    ran = padscore("templates", "list", "--templates", pads, "--json")
    listed = {line["id"]: line for line in json.loads(ran.out)["templates"]}
    assert {"sudoku", "pad"} <= set(listed)
    assert listed["sudoku"]["cells"] == 81
    assert listed["pad"]["cells"] == 4  # three squares and a box
    assert listed["pad"]["source"] == str(pads / "pad.toml")


def test_show_as_json_has_the_contract_s_keys(pads: Path) -> None:
    ran = padscore("templates", "show", "pad", "--templates", pads, "--json")
    assert (ran.status, ran.err) == (0, "")
    shown = json.loads(ran.out)
    assert {key: shown[key] for key in ("id", "title", "game", "width_mm", "height_mm")} == {
        "id": "pad",
        "title": "Our pad",
        "game": "sudoku",
        "width_mm": 140,
        "height_mm": 120,
    }
    cells = {cell["id"]: cell for cell in shown["cells"]}
    assert list(cells) == ["r1c2", "r2c1", "r2c2", "claim"]
    assert cells["r1c2"] == {
        "id": "r1c2",
        "kind": "digit",
        "polygon": [[20, 10], [30, 10], [30, 20], [20, 20]],
        "values": [1, 6],
        "printed": None,
        "tags": [],
    }
    assert cells["claim"]["kind"] == "number"


def test_show_lists_every_cell_by_its_name(pads: Path) -> None:
    words = padscore("templates", "show", "sudoku").out.split()
    assert {f"r{row}c{col}" for row in range(1, 10) for col in range(1, 10)} <= set(words)
    assert "claim" in padscore("templates", "show", "pad", "--templates", pads).out.split()


def test_an_unknown_template_names_the_nearest() -> None:
    ran = padscore("templates", "show", "sodoku", "--json")
    assert (ran.status, ran.out) == (2, "")
    (message,) = ran.messages
    assert "sodoku" in message
    assert "sudoku" in message


def test_a_refused_template_names_its_file_and_key(pads: Path) -> None:
    (pads / "pad.toml").write_text(PAD.replace("pitch", "pitsch"), encoding="utf-8")
    for command in (["templates", "list"], ["scan", "a.jpg"]):
        ran = padscore(*command, "--templates", pads)
        assert (ran.status, ran.out) == (2, "")
        (message,) = ran.messages
        assert "pad.toml" in message
        assert "pitsch" in message


def test_a_folder_of_templates_that_is_not_there(tmp_path: Path) -> None:
    ran = padscore("templates", "list", "--templates", tmp_path / "nowhere")
    assert ran.status == 2
    assert "nowhere" in ran.err
