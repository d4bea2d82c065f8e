"""`padscore scan` from end to end, on the shipped sample and on everything that is no photo of a sheet."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from app_runner import SAMPLE, Ran, padscore, process
from PIL import Image

import scanner.commands.scan
import scanner.scan
from scanner.intake import Photo
from scanner.sheet import ScanResult

TRUTH = json.loads(SAMPLE.with_suffix(".json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def scanned() -> Ran:
    return padscore("scan", SAMPLE, "--json")


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    return Path(shutil.copy(SAMPLE, tmp_path / "table3.jpg"))


def only_sheet(ran: Ran) -> dict[str, Any]:
    (sheet,) = ran.document["sheets"]
    return dict(sheet)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def text(path: Path) -> None:
    path.write_text("no picture", encoding="utf-8")


def folder(path: Path) -> None:
    path.mkdir()


def missing(path: Path) -> None:
    assert not path.exists()


def header_only(path: Path) -> None:
    path.write_bytes(SAMPLE.read_bytes()[:12])


def first_rows(path: Path) -> None:
    path.write_bytes(SAMPLE.read_bytes()[: SAMPLE.stat().st_size // 6])


def blank_page(path: Path) -> None:
    Image.new("RGB", (900, 1200), "white").save(path, "JPEG")


# ---- one good photo


def test_the_sample_is_found_where_it_lies(scanned: Ran) -> None:
    sheet = only_sheet(scanned)
    assert (sheet["source"], sheet["page"], sheet["sheet"]) == (str(SAMPLE), 1, 1)
    assert sheet["template"] == TRUTH["template"]
    side = math.dist(TRUTH["corners"][0], TRUTH["corners"][1])
    for found, true in zip(sheet["corners"], TRUTH["corners"], strict=True):
        assert math.dist(found, true) < 0.03 * side


def test_the_sample_is_read_as_its_truth_says(scanned: Ran) -> None:
    read = {cell: reading["value"] for cell, reading in only_sheet(scanned)["cells"].items()}
    true = {cell: value if isinstance(value, int) else None for cell, value in TRUTH["cells"].items()}
    assert read.keys() == true.keys()
    # as for the handwritten photos of the requirements: at most 3 of 81 cells wrong
    assert sum(read[cell] != true[cell] for cell in true) <= 3


def test_what_is_not_asked_is_right(scanned: Ran) -> None:
    sheet = only_sheet(scanned)
    for cell, value in TRUTH["cells"].items():
        if cell not in sheet["ask"]:
            assert sheet["cells"][cell]["value"] == value


def test_the_status_says_whether_anything_is_to_be_looked_at(scanned: Ran) -> None:
    sheet = only_sheet(scanned)
    assert scanned.status == (1 if sheet["flags"] or not sheet["score"]["sure"] else 0)
    assert scanned.err == ""


def test_nothing_on_stdout_but_json_as_a_process(photo: Path) -> None:
    ran = process("scan", photo.name, "--json", cwd=photo.parent)
    assert ran.status in (0, 1)
    assert ran.err == ""
    assert only_sheet(ran)["source"] == "table3.jpg"


def test_the_table_shows_total_and_board(photo: Path, scanned: Ran) -> None:
    ran = padscore("scan", photo)
    assert ran.status == scanned.status
    assert "Total" in ran.out
    assert all(f"r{row} " in ran.out for row in range(1, 10))
    assert ran.err == ""


def test_a_document_scores_the_same_as_the_photo(scanned: Ran, tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    saved.write_text(scanned.out, encoding="utf-8")
    again = padscore("score", saved, "--json")
    assert again.status == scanned.status
    for key in ("score", "flags", "ask"):
        assert only_sheet(again)[key] == only_sheet(scanned)[key]


# ---- no photos

BAD: list[tuple[Callable[[Path], None], str, int]] = [
    (empty, "empty-file", 4),
    (text, "not-image", 4),
    (missing, "missing", 4),
    (folder, "missing", 4),
    (header_only, "truncated", 4),
    (first_rows, "no-sheet", 3),
    (blank_page, "no-sheet", 3),
]


@pytest.mark.parametrize(("make", "code", "status"), BAD)
def test_what_is_no_sheet_is_told_in_one_line(
    make: Callable[[Path], None], code: str, status: int, tmp_path: Path
) -> None:
    path = tmp_path / "table3.jpg"
    make(path)
    plain, as_json = padscore("scan", path), padscore("scan", path, "--json")
    for ran in (plain, as_json):
        assert ran.status == status
        (message,) = ran.messages
        assert message.startswith(f"{path}: ")
        assert ";" in message  # cause; remedy
    assert plain.out == ""
    (problem,) = as_json.document["problems"]
    assert (problem["source"], problem["code"], problem["message"]) == (str(path), code, message)
    assert as_json.document["sheets"] == []


def test_a_pattern_that_nobody_expanded() -> None:
    ran = padscore("scan", "nowhere/*.jpg")
    assert ran.status == 4
    (message,) = ran.messages
    assert message.startswith("nowhere/*.jpg: ")


def test_a_file_name_over_several_lines_stays_on_one(tmp_path: Path) -> None:
    assert len(padscore("scan", tmp_path / "a\nb.jpg").messages) == 1


# ---- several


def test_good_and_bad_together(photo: Path, tmp_path: Path) -> None:
    none, blank = tmp_path / "none.jpg", tmp_path / "blank.jpg"
    blank_page(blank)
    ran = padscore("scan", none, photo, blank, "--json")
    assert ran.status == 4
    assert only_sheet(ran)["source"] == str(photo)
    assert [problem["source"] for problem in ran.document["problems"]] == [str(none), str(blank)]
    assert len(ran.messages) == 2


def test_the_highest_status_wins(photo: Path, tmp_path: Path) -> None:
    blank_page(tmp_path / "blank.jpg")
    assert padscore("scan", photo, tmp_path / "blank.jpg").status == 3


def test_a_summary_of_all_at_the_end(photo: Path, tmp_path: Path) -> None:
    second = Path(shutil.copy(photo, tmp_path / "b.jpg"))
    ran = process("scan", photo.name, second.name, "none.jpg", cwd=tmp_path)
    lines = ran.out.splitlines()
    start = max(index for index, line in enumerate(lines) if line.split()[:1] == ["file"])
    summary = "\n".join(lines[start:])
    assert all(name in summary for name in ("table3.jpg", "b.jpg", "none.jpg", "missing"))
    assert "none.jpg" not in "\n".join(lines[:start])


def test_the_same_photo_twice_is_read_once(photo: Path) -> None:
    ran = padscore("scan", photo, photo, photo.parent / "." / photo.name, "--json")
    assert len(ran.document["sheets"]) == 1
    assert "twice" in ran.err


def test_results_come_one_by_one(
    photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was printed before the second photo is opened holds the board of the first."""
    second = Path(shutil.copy(photo, tmp_path / "b.jpg"))
    before: list[str] = []
    scan = scanner.scan.scan

    def watched(source: str, **options: Any) -> ScanResult:
        before.append(capsys.readouterr().out)
        return scan(source, **options)

    monkeypatch.setattr(scanner.commands.scan, "scan", watched)
    scanner.commands.scan.run([str(photo), str(second)], scanner.commands.scan.ScanOptions())
    assert before[0] == ""
    assert "Total" in before[1]


def test_a_photo_on_standard_input(photo: Path) -> None:
    ran = padscore("scan", "-", "--json", stdin=photo.read_bytes())
    (sheet,) = ran.document["sheets"]
    assert sheet["source"] == "-"
    named = padscore("scan", photo, "--json").document["sheets"][0]
    assert sheet["cells"] == named["cells"]
    cell = sheet["ask"][0]
    answered = padscore("scan", "-", "--json", "--answer", f"-#1:{cell}=5", stdin=photo.read_bytes())
    assert answered.document["sheets"][0]["cells"][cell]["state"] == "answered"
    empty = padscore("scan", "-", stdin=b"")
    assert (empty.status, empty.messages) == (4, ["-: the file is empty; copy it again from the camera"])


def test_too_little_memory_for_one_photo(photo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    second = Path(shutil.copy(photo, tmp_path / "b.jpg"))
    scan = scanner.scan.scan

    def greedy(source: str, **options: Any) -> ScanResult:
        if source == str(photo):
            raise MemoryError
        return scan(source, **options)

    monkeypatch.setattr(scanner.commands.scan, "scan", greedy)
    ran = padscore("scan", photo, second, "--json")
    assert ran.status == 4
    assert only_sheet(ran)["source"] == str(second)
    assert [problem["code"] for problem in ran.document["problems"]] == ["too-large"]


# ---- options


def test_an_unknown_template_is_wrong_usage(photo: Path) -> None:
    ran = padscore("scan", photo, "--template", "sodoku", "--json")
    assert (ran.status, ran.out) == (2, "")
    assert "sudoku" in ran.err


def test_only_the_template_asked_for(photo: Path) -> None:
    assert only_sheet(padscore("scan", photo, "--template", "sudoku", "--json"))["template"] == "sudoku"


def test_a_variant_that_no_game_has(photo: Path) -> None:
    ran = padscore("scan", photo, "--variant", "blitz")
    assert (ran.status, ran.out) == (2, "")
    (message,) = ran.messages
    assert "blitz" in message


# ---- pictures


def test_annotated_pictures(photo: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "marked"
    ran = padscore("scan", photo, "--annotate", out, "--json")
    (picture,) = out.iterdir()
    assert ran.messages == [f"annotated picture: {picture}"]
    assert only_sheet(ran)
    with Image.open(picture) as image:
        assert image.format == "JPEG"
        assert not image.getexif()
        assert max(image.size) >= 1000


def test_two_photos_of_one_name_get_two_pictures(photo: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    shutil.copy(photo, other / photo.name)
    padscore("scan", photo, other / photo.name, "--annotate", tmp_path / "marked")
    assert len(list((tmp_path / "marked").iterdir())) == 2


def test_a_photo_is_decoded_once(photo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[str] = []
    load = scanner.intake.load

    def counted(source: str, **options: Any) -> Iterator[Photo]:
        decoded.append(source)
        return load(source, **options)

    monkeypatch.setattr(scanner.scan, "load", counted)
    cell = next(iter(TRUTH["cells"]))
    padscore("scan", photo, "--annotate", tmp_path / "marked", "--answer", f"{cell}=1")
    assert decoded == [str(photo)]


def test_pictures_into_a_file_is_wrong_usage(photo: Path) -> None:
    ran = padscore("scan", photo, "--annotate", photo)
    assert (ran.status, ran.out) == (2, "")
    (message,) = ran.messages
    assert message.startswith(f"{photo}: ")


def test_a_picture_that_cannot_be_written_loses_no_result(photo: Path, tmp_path: Path) -> None:
    out = tmp_path / "marked"
    (out / "table3.annotated.jpg").mkdir(parents=True)  # where the picture would go
    ran = padscore("scan", photo, "--annotate", out, "--json")
    assert ran.status == 4
    assert only_sheet(ran)["source"] == str(photo)
    (message,) = ran.messages
    assert "table3.annotated.jpg" in message
