"""`padscore bench` and `padscore digits` through the command."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from app_runner import SAMPLE, padscore
from PIL import Image, ImageDraw, ImageFont


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    for file in (SAMPLE, SAMPLE.with_suffix(".json")):
        shutil.copy(file, tmp_path)
    return tmp_path


@pytest.fixture
def crops(tmp_path: Path) -> Path:
    """Printed digits, one of each, as pictures of dark ink on light paper."""
    font = ImageFont.load_default(40)
    for digit in "123456789":
        (tmp_path / digit).mkdir()
        picture = Image.new("L", (64, 64), 255)
        ImageDraw.Draw(picture).text((32, 32), digit, 0, font, anchor="mm")
        picture.save(tmp_path / digit / "printed-1.png")
    return tmp_path


def test_bench_prints_the_contract_s_keys(photos: Path) -> None:
    ran = padscore("bench", photos, "--json")
    assert (ran.status, ran.err) == (0, "")
    report = json.loads(ran.out)
    keys = {"photos", "found", "corner_error", "cells", "digits", "boards", "totals", "silent", "asked", "seconds"}
    assert keys <= set(report)
    assert report["photos"] == 1


def test_bench_says_which_photos_it_is_about(photos: Path) -> None:
    ran = padscore("bench", photos)
    assert (ran.status, ran.err) == (0, "")
    assert "1 photo" in ran.out


def test_digits_prints_the_contract_s_keys(crops: Path) -> None:
    ran = padscore("digits", crops, "--json")
    assert (ran.status, ran.err) == (0, "")
    report = json.loads(ran.out)
    assert {"n", "accuracy", "confusions"} <= set(report)
    assert report["n"] == 9
    wrong = sum(report["confusions"].values())
    assert report["accuracy"] == pytest.approx((9 - wrong) / 9, abs=0.001)


def test_digits_as_a_table(crops: Path) -> None:
    ran = padscore("digits", crops)
    assert (ran.status, ran.err) == (0, "")
    assert "9" in ran.out


@pytest.mark.parametrize("command", ["bench", "digits"])
def test_a_folder_that_is_not_there_or_empty(command: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("nowhere", "empty"):
        ran = padscore(command, tmp_path / name, "--json")
        assert ran.status in (2, 4)
        assert ran.out == ""
        (message,) = ran.messages
        assert name in message
