"""The shipped score card through the command: every number, and the sum that its player got wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from app_runner import ROOT, padscore

CARD = ROOT / "samples" / "kniffel-1.jpg"


@pytest.fixture(scope="module")
def sheet() -> dict[str, Any]:
    (found,) = padscore("scan", CARD, "--json").document["sheets"]
    assert isinstance(found, dict)
    return found


def test_every_number_is_read(sheet: dict[str, Any]) -> None:
    truth = json.loads(CARD.with_suffix(".json").read_text(encoding="utf-8"))
    numbers = {cell: value for cell, value in truth["cells"].items() if isinstance(value, int)}
    assert len(numbers) == 3 * 19 - 5  # five dashes
    assert {cell: sheet["cells"][cell]["value"] for cell in numbers} == numbers


def test_the_wrong_sum_is_told_and_no_other(sheet: dict[str, Any]) -> None:
    """The lower part of the third game adds up to 160; 120 is written, and the total is wrong by as much."""
    sums = [flag["cells"][0] for flag in sheet["flags"] if flag["code"] == "table.sum"]
    assert sums == ["game3.lower_total"]
