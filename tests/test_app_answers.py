"""Answers about cells: by option, by file and at the terminal. The reader is one whose doubts are known."""

from __future__ import annotations

import io
import json
import re
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from app_runner import SAMPLE, Ran, padscore
from PIL import Image

import scanner.commands.scan
from scanner.cells import CellBatch
from scanner.commands.ask import Interview
from scanner.games.base import GameContext
from scanner.read.classes import CLASSES
from scanner.read.readings import Readings
from scanner.report.marks import reading_words
from scanner.resolve import SheetRef, parse_answer
from scanner.scan import answered, scan
from scanner.sheet import Sheet
from scanner.templates import get_template

TRUE: Mapping[str, int] = json.loads(SAMPLE.with_suffix(".json").read_text(encoding="utf-8"))["cells"]
DOUBTS = {"r2c3": {"8": 0.8, "3": 0.2}, "r7c5": {"1": 0.6, "7": 0.2, "blank": 0.2}}
"""What the reader isn't sure of: it rather sees what isn't the solution's. All else it reads as the truth says."""


class KnownReader:
    """Stands in for `DigitReader`."""

    name = "known-1"
    classes = CLASSES

    def read(self, batch: CellBatch) -> Readings:
        rows = np.zeros((len(batch.ids), len(CLASSES)), dtype=np.float32)
        for row, cell in zip(rows, batch.ids, strict=True):
            for name, p in DOUBTS.get(cell, {str(TRUE[cell]): 1.0}).items():
                row[CLASSES.index(name)] = p
        return Readings(batch.ids, CLASSES, rows, np.zeros(len(batch.ids), dtype=np.float32))

    def glance(self, ink: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        return np.full((len(ink), len(CLASSES)), 1 / len(CLASSES), dtype=np.float32), np.zeros(len(ink), np.float32)


@pytest.fixture(autouse=True)
def _known_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanner.commands.scan, "default_reader", KnownReader)


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    return Path(shutil.copy(SAMPLE, tmp_path / "table3.jpg"))


def only_sheet(ran: Ran) -> dict[str, Any]:
    (sheet,) = ran.document["sheets"]
    return dict(sheet)


def scanned(photo: Path) -> Sheet:
    found = scan(photo, templates=[get_template("sudoku")], reader=KnownReader())  # type: ignore[arg-type]
    return found.sheets[0]


# ---- by option


def test_without_answers_the_doubts_are_asked_and_nothing_else(photo: Path) -> None:
    ran = padscore("scan", photo, "--json")
    assert ran.status == 1
    assert set(only_sheet(ran)["ask"]) == set(DOUBTS)


def test_an_answer_takes_the_place_of_the_reading(photo: Path) -> None:
    sheet = only_sheet(padscore("scan", photo, "--json", "--answer", "r2c3=8"))
    cell = sheet["cells"]["r2c3"]
    assert (cell["value"], cell["state"], cell["read"]) == (8, "answered", 3)
    assert sheet["ask"] == ["r7c5"]


def test_with_everything_answered_rightly_all_is_clear(photo: Path) -> None:
    options = [word for cell in DOUBTS for word in ("--answer", f"{cell}={TRUE[cell]}")]
    ran = padscore("scan", photo, "--json", *options)
    assert ran.status == 0
    assert only_sheet(ran)["score"]["sure"] is True
    assert only_sheet(ran)["score"]["total"] == sum(isinstance(value, int) for value in TRUE.values())


def test_an_answer_may_correct_what_was_read_surely(photo: Path) -> None:
    wrong = TRUE["r1c1"] % 9 + 1
    ran = padscore("scan", photo, "--json", "--answer", f"r1c1={wrong}")
    cell = only_sheet(ran)["cells"]["r1c1"]
    assert (cell["value"], cell["state"], cell["read"]) == (wrong, "answered", TRUE["r1c1"])
    assert "sudoku.repeat" in {flag["code"] for flag in only_sheet(ran)["flags"]}


def test_blank_is_an_answer(photo: Path) -> None:
    cell = only_sheet(padscore("scan", photo, "--json", "--answer", "r7c5=blank"))["cells"]["r7c5"]
    assert (cell["value"], cell["state"]) == (None, "answered")


def test_a_file_of_answers(photo: Path, tmp_path: Path) -> None:
    answers = tmp_path / "answers.txt"
    answers.write_text(f"r2c3=8\n\n{photo}#1:r7c5=1\n", encoding="utf-8")
    cells = only_sheet(padscore("scan", photo, "--json", "--answers", answers))["cells"]
    assert (cells["r2c3"]["value"], cells["r7c5"]["value"]) == (8, 1)


def test_with_several_photos_an_answer_says_which(photo: Path, tmp_path: Path) -> None:
    second = Path(shutil.copy(photo, tmp_path / "b.jpg"))
    ran = padscore("scan", photo, second, "--json", "--answer", f"{second}#1:r2c3=8")
    first_cell, second_cell = (sheet["cells"]["r2c3"] for sheet in ran.document["sheets"])
    assert first_cell["state"] != "answered"
    assert (second_cell["state"], second_cell["value"]) == ("answered", 8)


@pytest.mark.parametrize(
    "answer",
    ["r2c3", "=5", "r2c3=five", "r2c3=", "r2c3=12345", "r0c3=5", "nobody=5", "{photo}#2:r2c3=5", "x.jpg#1:r2c3=5", ""],
)
def test_an_answer_that_cannot_be_is_refused_without_any_result(answer: str, photo: Path) -> None:
    answer = answer.replace("{photo}", str(photo))
    for ran in (padscore("scan", photo, "--answer", answer), padscore("scan", photo, "--json", "--answer", answer)):
        assert (ran.status, ran.out) == (2, "")
        (message,) = ran.messages
        assert answer.rpartition(":")[2] in message


def test_two_answers_about_one_cell(photo: Path) -> None:
    ran = padscore("scan", photo, "--answer", "r2c3=3", "--answer", "r2c3=8")
    assert (ran.status, ran.out) == (2, "")
    assert padscore("scan", photo, "--answer", "r2c3=3", "--answer", "r2c3=3").status == 1


def test_of_two_photos_an_answer_names_neither(photo: Path, tmp_path: Path) -> None:
    second = Path(shutil.copy(photo, tmp_path / "b.jpg"))
    ran = padscore("scan", photo, second, "--answer", "r2c3=8")
    assert (ran.status, ran.out) == (2, "")
    assert f"{photo}#1:r2c3=8" in ran.err


def test_an_answer_about_several_pages(photo: Path, tmp_path: Path) -> None:
    pages = tmp_path / "both.tif"
    with Image.open(photo) as image:
        image.save(pages, save_all=True, append_images=[image])
    assert len(padscore("scan", pages, "--json").document["sheets"]) == 2
    for answer, remedy in (("r2c3=8", f"as in {pages}#1:"), (f"{pages}#2:r2c3=8", f"{pages}#1, {pages}#2.1")):
        ran = padscore("scan", pages, "--answer", answer)
        assert (ran.status, ran.out) == (2, "")
        assert remedy in ran.err
    first, second = padscore("scan", pages, "--json", "--answer", f"{pages}#2.1:r2c3=8").document["sheets"]
    assert (first["cells"]["r2c3"]["state"], second["cells"]["r2c3"]["state"]) == ("read", "answered")
    first, second = padscore("scan", pages, "--json", "--answer", f"{pages}#1:r2c3=8").document["sheets"]
    assert (first["cells"]["r2c3"]["state"], second["cells"]["r2c3"]["state"]) == ("answered", "read")
    hints = [line.split(None, 1)[1] for line in padscore("scan", pages).out.splitlines() if "--answer" in line]
    assert any("#2.1:" in hint for hint in hints)
    answers = [word for hint in hints for word in ("--answer", *shlex.split(hint))]
    assert all(not sheet["ask"] for sheet in padscore("scan", pages, "--json", *answers).document["sheets"])


def test_an_answer_about_a_photo_that_could_not_be_read(photo: Path, tmp_path: Path) -> None:
    """The file is what is wrong, not the answer."""
    ran = padscore("scan", photo, tmp_path / "none.jpg", "--json", "--answer", f"{tmp_path / 'none.jpg'}#1:r2c3=8")
    assert ran.status == 4
    assert len(ran.document["sheets"]) == 1


@pytest.mark.parametrize(("content", "status"), [(None, 4), (b"r2c3=8\nnonsense\n", 2), (b"\xff\xfe\x00", 2)])
def test_a_bad_file_of_answers(content: bytes | None, status: int, photo: Path, tmp_path: Path) -> None:
    answers = tmp_path / "answers.txt"
    if content is not None:
        answers.write_bytes(content)
    ran = padscore("scan", photo, "--answers", answers)
    assert (ran.status, ran.out) == (status, "")
    assert len(ran.messages) == 1


def test_a_bad_line_of_a_file_of_answers_is_named(photo: Path, tmp_path: Path) -> None:
    answers = tmp_path / "answers.txt"
    answers.write_text("r2c3=8\n\nnonsense\n", encoding="utf-8")
    [message] = padscore("scan", photo, "--answers", answers).messages
    assert message.startswith(f"{answers}, line 3, answer 'nonsense': it isn't an answer; ")


# ---- further answers to a sheet


def test_later_answers_add_to_earlier_ones(photo: Path) -> None:
    first = answered(scanned(photo), [parse_answer("r2c3=8")])
    both = answered(first, [parse_answer("r7c5=1")])
    assert (both.board.value("r2c3"), both.board.value("r7c5")) == (8, 1)
    changed = answered(both, [parse_answer("r2c3=3")])
    assert (changed.board.value("r2c3"), changed.board.value("r7c5")) == (3, 1)
    assert changed.board.cells["r2c3"].read == 3


def test_answers_one_by_one_are_the_same_as_all_at_once(photo: Path) -> None:
    answers = [parse_answer("r2c3=8"), parse_answer("r7c5=blank")]
    at_once = scan(photo, templates=[get_template("sudoku")], reader=KnownReader(), answers=answers)  # type: ignore[arg-type]
    one_by_one = answered(answered(scanned(photo), answers[:1]), answers[1:])
    assert one_by_one.board == at_once.sheets[0].board
    assert one_by_one.verdict == at_once.sheets[0].verdict


# ---- at the terminal


def interview(photo: Path, typed: str) -> tuple[Sheet, str]:
    screen = io.StringIO()
    sheet = Interview(GameContext(), io.StringIO(typed), screen).ask(scanned(photo))
    return sheet, screen.getvalue()


def test_each_doubt_is_asked_with_its_alternatives(photo: Path) -> None:
    sheet, screen = interview(photo, "8\nblank\n")
    first, second = scanned(photo).verdict.ask
    assert screen.index(first) < screen.index(second)
    assert all(reading_words(name) in screen for names in DOUBTS.values() for name in names)
    assert sheet.board.cells[first].state == sheet.board.cells[second].state == "answered"
    assert sheet.verdict.ask == ()


def test_what_is_skipped_stays_open(photo: Path) -> None:
    sheet, _ = interview(photo, "skip\n8\n")
    first, second = scanned(photo).verdict.ask
    assert sheet.verdict.ask == (first,)
    assert sheet.board.value(second) == 8
    assert interview(photo, "skip\nskip\n")[0].verdict.ask == (first, second)


def test_enter_keeps_the_best_guess(photo: Path) -> None:
    sheet, screen = interview(photo, "\n\n")
    assert sheet.verdict.ask == ()
    for cell in scanned(photo).verdict.ask:
        before = scanned(photo).board.cells[cell]
        assert (sheet.board.cells[cell].state, sheet.board.value(cell)) == ("answered", before.value)
    assert re.search(r"row 2, column 3 \(r2c3\): looks like 3 \(9\d %\), or 8 \([^)]* %\)\. ", screen)
    assert "(a number, empty, notes, struck, skip) [3] " in screen


@pytest.mark.parametrize(("word", "value"), [("notes", None), ("EMPTY", None), ("struck out", None), ("12", 12)])
def test_words_that_people_type(word: str, value: int | None, photo: Path) -> None:
    sheet, _ = interview(photo, f"{word}\nskip\n")
    first = scanned(photo).verdict.ask[0]
    assert (sheet.board.cells[first].state, sheet.board.value(first)) == ("answered", value)


def test_nonsense_is_asked_again(photo: Path) -> None:
    sheet, screen = interview(photo, "five\n5\nskip\n")
    first, second = scanned(photo).verdict.ask
    assert sheet.board.value(first) == 5
    assert screen.count(f"({first}):") == 2
    assert sheet.verdict.ask == (second,)


def test_the_end_of_the_input_ends_the_questions(photo: Path) -> None:
    talk = Interview(GameContext(), io.StringIO(""), io.StringIO())
    for _ in range(2):
        assert talk.ask(scanned(photo)).verdict.ask == scanned(photo).verdict.ask


def test_answers_typed_reach_the_document(photo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = scanned(photo).verdict.ask
    replies, screen = io.StringIO(f"{TRUE[first]}\n{TRUE[second]}\n"), io.StringIO()
    monkeypatch.setattr(scanner.commands.scan, "_interview", lambda context: Interview(context, replies, screen))
    ran = padscore("scan", photo, "--ask", "--json", "--annotate", tmp_path / "marked")
    assert ran.status == 0
    cells = only_sheet(ran)["cells"]
    assert [cells[cell]["state"] for cell in (first, second)] == ["answered", "answered"]
    assert first in screen.getvalue()


def test_without_a_terminal_nobody_is_asked(photo: Path) -> None:
    ran = padscore("scan", photo, "--ask", "--json", stdin="8\n")
    assert ran.status == 1
    (message,) = ran.messages
    assert "--answer" in message
    assert set(only_sheet(ran)["ask"]) == set(DOUBTS)


def test_the_hint_in_the_table_can_be_typed_as_it_is(photo: Path) -> None:
    shown = padscore("scan", photo).out
    hints = [line.split()[1] for line in shown.splitlines() if line.strip().startswith("--answer ")]
    assert len(hints) == len(DOUBTS)
    again = padscore("scan", photo, "--json", *(word for hint in hints for word in ("--answer", hint)))
    assert only_sheet(again)["ask"] == []


def test_a_sheet_reference_is_that_of_the_document(photo: Path) -> None:
    sheet = only_sheet(padscore("scan", photo, "--json"))
    address = SheetRef(sheet["source"], sheet["sheet"])
    assert padscore("scan", photo, "--answer", f"{address}:r2c3=8").status == 1
