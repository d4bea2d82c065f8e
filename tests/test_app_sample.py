"""`padscore sample` and `padscore --version`: what a new user tries first."""

from __future__ import annotations

from pathlib import Path

import pytest
from app_runner import SAMPLE, padscore


def test_the_sample_photo_is_copied(tmp_path: Path) -> None:
    ran = padscore("sample", tmp_path)
    assert ran.status == 0
    copy = Path(ran.out.strip())
    assert copy.parent == tmp_path
    assert copy.read_bytes() == SAMPLE.read_bytes()


def test_a_file_of_the_user_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / SAMPLE.name).write_text("mine")
    ran = padscore("sample", tmp_path)
    assert ran.status == 4
    assert len(ran.messages) == 1
    assert SAMPLE.name in ran.messages[0]
    assert (tmp_path / SAMPLE.name).read_text() == "mine"


def test_a_missing_folder_is_one_line(tmp_path: Path) -> None:
    ran = padscore("sample", tmp_path / "nowhere")
    assert ran.status == 4
    assert len(ran.messages) == 1


def test_the_version_says_when_printed_words_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scanner.text.text_note", lambda: "Tesseract was not found")
    ran = padscore("--version")
    assert ran.status == 0
    assert ran.out.startswith("padscore ")
    assert ran.messages == ["Tesseract was not found"]
