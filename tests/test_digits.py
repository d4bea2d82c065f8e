"""Crops -> the reader's pictures, and a folder of crops against figures worked out by hand."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from rich.console import Console

from scanner.cells import CELL_PX, INPUT_PX, RIM_PX, cells_of_density, cut_rectified
from scanner.crops import GLYPH_SHARE, MOSAIC, TILE_PX, glyph_of, pictures_of
from scanner.digits import Crop, Floats, print_report, report_of, run
from scanner.errors import UsageError
from scanner.read.classes import CLASSES
from scanner.report.digits_page import write_page

Gray = npt.NDArray[np.uint8]


def bar(height: int, width: int, margins: tuple[int, int, int, int] = (8, 8, 8, 8), paper: int = 240) -> Gray:
    """A dark upright or level bar on paper; margins: top, bottom, left, right."""
    top, bottom, left, right = margins
    crop = np.full((top + height + bottom, left + width + right), paper, dtype=np.uint8)
    crop[top : top + height, left : left + width] = paper // 4
    return crop


def seven(side: int, thick: int, paper: int = 240) -> Gray:
    """A 7 whose strokes fill a square of `side` px, tight."""
    crop = np.full((side, side), paper, dtype=np.uint8)
    crop[:thick, :] = 40
    cv2.line(crop, (side - 1 - thick // 2, 0), (side // 3, side - 1), 40, thick)
    return crop


def padded(crop: Gray, margin: int, paper: int = 240) -> Gray:
    return np.pad(crop, margin, constant_values=paper)


# ---- crops


@pytest.mark.parametrize(("height", "width"), [(62, 10), (10, 62), (20, 4), (250, 90)])
def test_the_longer_side_becomes_that_of_a_written_digit(height: int, width: int) -> None:
    glyph = glyph_of(bar(height, width))
    inked = glyph > 0.3
    longer = max(int(inked.any(axis=1).sum()), int(inked.any(axis=0).sum()))
    assert longer == pytest.approx(GLYPH_SHARE * CELL_PX, abs=1)
    shorter = min(int(inked.any(axis=1).sum()), int(inked.any(axis=0).sum()))
    assert shorter == pytest.approx(GLYPH_SHARE * CELL_PX * min(height, width) / max(height, width), abs=1)


def test_ink_is_as_dense_as_against_its_paper() -> None:
    assert float(glyph_of(bar(62, 20)).max()) == pytest.approx(1 - 60 / 240, abs=0.01)
    assert float(glyph_of(bar(62, 20, paper=120)).max()) == pytest.approx(1 - 30 / 120, abs=0.01)


@settings(deadline=None, max_examples=40)
@given(st.tuples(*[st.integers(1, 60)] * 4), st.sampled_from([255, 230, 160, 90]))
def test_margins_and_paper_change_nothing(margins: tuple[int, int, int, int], paper: int) -> None:
    here = pictures_of([bar(40, 12)])
    there = pictures_of([bar(40, 12, margins, paper)])
    assert np.abs(here.astype(int) - there.astype(int)).max() <= 3


def test_tight_crops_are_no_other_than_wide_ones() -> None:
    tight, wide = pictures_of([seven(40, 5), padded(seven(40, 5), 30)])
    assert np.abs(tight.astype(int) - wide.astype(int)).mean() < 3


@settings(deadline=None, max_examples=30)
@given(st.floats(-0.4, 0.4), st.floats(-0.2, 0.2))
def test_shadow_is_paper(across: float, down: float) -> None:
    plain = padded(seven(60, 7), 25)
    x, y = np.linspace(-1, 1, plain.shape[1]), np.linspace(-1, 1, plain.shape[0])
    lit = plain * (0.7 + across / 2 * x[None, :] + down / 2 * y[:, None])  # 0.4 to 1
    even, shaded = pictures_of([plain, lit.astype(np.uint8)])
    assert np.abs(even.astype(int) - shaded.astype(int)).mean() < 4


def test_a_crop_that_is_nearly_all_ink_has_paper_at_its_edge() -> None:
    tight = bar(40, 8, (0, 0, 0, 1))
    assert glyph_of(tight).size
    assert np.abs(pictures_of([tight])[0].astype(int) - pictures_of([bar(40, 8)])[0].astype(int)).mean() < 3


def test_specks_do_not_count_as_the_digit() -> None:
    clean = padded(seven(60, 7), 40)
    specked = clean.copy()
    specked[3:6, 3:6] = 30
    specked[-8:-5, 70:72] = 90
    assert np.array_equal(glyph_of(clean), glyph_of(specked))


def test_a_detached_stroke_belongs_to_the_digit() -> None:
    crop = np.full((100, 100), 250, dtype=np.uint8)
    crop[40:90, 30:36] = 40  # the body
    crop[20:26, 40:80] = 40  # the top stroke of a 5
    high, wide = glyph_of(crop).shape
    assert high == pytest.approx((90 - 20 + 2) * GLYPH_SHARE * CELL_PX / 70, abs=1)
    assert wide == pytest.approx((80 - 30 + 2) * GLYPH_SHARE * CELL_PX / 70, abs=1)


def test_paper_without_ink_is_no_picture() -> None:
    grain = np.random.default_rng(1).normal(230, 3, (80, 80)).clip(0, 255).astype(np.uint8)
    assert glyph_of(grain).size == 0
    assert not pictures_of([grain, np.full((1, 1), 7, dtype=np.uint8)]).any()


def test_pictures_come_in_order_whatever_stands_beside() -> None:
    rng = np.random.default_rng(2)
    crops = [bar(int(rng.integers(8, 90)), int(rng.integers(3, 60))) for _ in range(MOSAIC + 20)]
    together = pictures_of(crops)
    assert together.shape == (len(crops), 2, INPUT_PX, INPUT_PX)
    for k in (0, 1, 15, 16, 17, MOSAIC - 1, MOSAIC, MOSAIC + 19):
        assert np.array_equal(together[k], pictures_of([crops[k]])[0])


def test_no_crops_no_pictures() -> None:
    assert pictures_of([]).shape == (0, 2, INPUT_PX, INPUT_PX)


@pytest.mark.parametrize("crop", [np.zeros((0, 4), np.uint8), np.zeros((4, 4, 3), np.uint8), np.zeros((4, 4))])
def test_what_is_no_crop_is_refused(crop: Gray) -> None:
    with pytest.raises(ValueError, match="expected uint8"):
        pictures_of([crop])


def density(flat: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """How dark it is on paper of 240: 0 paper, 1 black."""
    return np.asarray(1 - flat.astype(np.float32) / 240, dtype=np.float32)


def test_a_crop_looks_as_it_does_on_a_sheet() -> None:
    """A digit drawn into the middle cell of a blank 3 x 3 sheet without lines, against the same digit as a crop."""
    side = round(GLYPH_SHARE * CELL_PX)
    digit = np.asarray(cv2.GaussianBlur(padded(seven(side, 4), 3), (3, 3), 0), dtype=np.uint8)
    flat = np.full((4 * CELL_PX, 4 * CELL_PX), 240, dtype=np.uint8)
    at = RIM_PX + CELL_PX + (CELL_PX - len(digit)) // 2
    flat[at : at + len(digit), at : at + len(digit)] = digit
    place = np.array([1], dtype=np.int64)
    on_sheet, _ = cells_of_density(density(flat), place, place, 3, 3)
    as_crop = pictures_of([digit])
    assert np.abs(on_sheet.astype(int) - as_crop.astype(int)).mean() < 6
    assert np.corrcoef(on_sheet.ravel(), as_crop.ravel())[0, 1] > 0.97


def test_sheets_take_the_path_of_crops() -> None:
    """Without lines to remove, `cut_rectified` hands the density on to `cells_of_density`."""
    flat = np.full((TILE_PX, TILE_PX), 240, dtype=np.uint8)
    flat[32:64, 40:56] = seven(32, 4)[:, :16]
    place = np.zeros(1, dtype=np.int64)
    batch = cut_rectified(flat, ("r1c1",), place, place, 1, 1, np.ones(1, dtype=np.bool_))
    pictures, _ = cells_of_density(density(flat), place, place, 1, 1)
    assert np.corrcoef(batch.ink.ravel(), pictures.ravel())[0, 1] > 0.9


# ---- figures


def crop(file: str, read: str, confidence: float = 0.9, of_truth: float | None = None) -> Crop:
    digit, name = file.split("/")
    writer = name.split("-")[0] if "-" in name else None
    return Crop(file, writer, digit, read, confidence, confidence if of_truth is None else of_truth)


def test_figures_by_hand() -> None:
    report = report_of(
        "fake",
        [
            crop("1/0001-1.png", "1"),
            crop("1/0001-2.png", "7", 0.6, 0.3),
            crop("1/0002-1.png", "7", 0.6, 0.3),
            crop("1/0002-2.png", "blank", 0.6, 0.3),
            crop("7/0001-3.png", "7"),
            crop("7/0001-4.png", "unreadable", 0.0, 0.0),
        ],
    )
    result = report.document()
    assert (result["n"], result["right"], result["accuracy"]) == (6, 2, 0.333333)
    assert result["confusions"] == {"1->7": 2, "1->blank": 1, "7->unreadable": 1}
    assert result["digits"] == {
        "1": {"n": 4, "right": 1, "accuracy": 0.25},
        "7": {"n": 2, "right": 1, "accuracy": 0.5},
    }
    assert result["writers"] == {
        "0001": {"n": 4, "right": 2, "accuracy": 0.5},
        "0002": {"n": 2, "right": 0, "accuracy": 0.0},
    }
    assert result["worst_writer"] == {"writer": "0002", "n": 2, "right": 0, "accuracy": 0.0}
    assert result["unreadable"] == ["7/0001-4.png"]
    assert result["calibration"]["n"] == 5
    # confidence 0.9: both right; 0.6: three, none right
    assert result["calibration"]["expected_calibration_error"] == pytest.approx((2 * 0.1 + 3 * 0.6) / 5)
    likelihood = -(2 * math.log(0.9) + 3 * math.log(0.3)) / 5
    assert result["calibration"]["negative_log_likelihood"] == pytest.approx(likelihood, abs=1e-6)
    assert [wrong["file"] for wrong in result["wrong"]] == [
        "1/0001-2.png",
        "1/0002-1.png",
        "1/0002-2.png",
        "7/0001-4.png",
    ]
    assert report.accuracy.clusters == 2


def test_without_writers_every_crop_stands_for_itself() -> None:
    report = report_of("fake", [crop("1/a.png", "1"), crop("1/b.png", "1"), crop("2/a.png", "2")])
    assert report.accuracy.clusters == 3
    assert report.document()["worst_writer"] is None
    assert report.document()["writers"] == {}
    assert report.document()["interval"] == [pytest.approx(0.05 ** (1 / 3), abs=1e-6), 1.0]


# ---- a folder


class TallReader:
    """Says 1 for ink that is taller than wide and 7 for other ink, each at 0.8, and blank where there is none."""

    name = "tall"
    classes = CLASSES

    def with_traits(self, ink: npt.NDArray[np.uint8]) -> tuple[Floats, Floats, Floats]:
        found = np.full((len(ink), len(CLASSES)), 0.2 / (len(CLASSES) - 1), dtype=np.float32)
        for row, picture in enumerate(ink[:, 1] > 100):
            tall = picture.any(axis=1).sum() > picture.any(axis=0).sum()
            name = "blank" if not picture.any() else "1" if tall else "7"
            found[row, CLASSES.index(name)] = 0.8
        return found, np.zeros(len(ink), dtype=np.float32), np.zeros((len(ink), 1), dtype=np.float32)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for digit in "179":
        (tmp_path / digit).mkdir()
    tall, level = bar(40, 10), bar(10, 40)
    Image.fromarray(tall).save(tmp_path / "1" / "0001-1.png")
    Image.fromarray(tall).convert("RGB").save(tmp_path / "1" / "0001-2.jpg", quality=95)
    clear = Image.merge("LA", [Image.new("L", (26, 56)), Image.fromarray(255 - bar(40, 10, paper=255))])
    clear.save(tmp_path / "1" / "0002-1.png")
    Image.fromarray(level).save(tmp_path / "1" / "0002-2.PNG")
    Image.fromarray(level).save(tmp_path / "7" / "0002-3.png")
    Image.fromarray(np.full((30, 30), 220, dtype=np.uint8)).save(tmp_path / "7" / "0003-1.png")
    (tmp_path / "9" / "0003-2.png").write_bytes(b"no picture")
    (tmp_path / "9" / "notes.txt").write_text("not looked at")
    (tmp_path / "9" / ".hidden.png").write_bytes(b"")
    (tmp_path / "README.md").write_text("not looked at")
    return tmp_path


def test_a_folder_of_crops(folder: Path) -> None:
    seen: list[tuple[int, int]] = []
    report = run(folder, reader=TallReader(), progress=lambda *done: seen.append(done))
    assert seen == [(7, 7)]
    result = json.loads(json.dumps(report.document(), allow_nan=False))
    assert (result["n"], result["right"], result["model"]) == (7, 4, "tall")
    assert result["confusions"] == {"1->7": 1, "7->blank": 1, "9->unreadable": 1}
    assert result["writers"]["0001"] == {"n": 2, "right": 2, "accuracy": 1.0}
    assert result["worst_writer"]["writer"] == "0003"
    assert result["unreadable"] == ["9/0003-2.png"]
    wrong = {row["file"]: row["confidence"] for row in result["wrong"]}
    assert wrong == {"1/0002-2.PNG": 0.8, "7/0003-1.png": 0.8, "9/0003-2.png": 0.0}
    text = io.StringIO()
    print_report(report, Console(file=text, width=120, color_system=None))
    assert "57.14 %" in text.getvalue()  # 4 of 7
    assert "worst of 3 writers: 0003" in text.getvalue()
    assert "9/0003-2.png can't be read" in text.getvalue()


class BroadReader(TallReader):
    """Sure of slim tall ink and of level ink; takes broader tall ink rather for a 7. Sees the ink itself."""

    name = "broad"

    def with_traits(self, ink: npt.NDArray[np.uint8]) -> tuple[Floats, Floats, Floats]:
        found = np.zeros((len(ink), len(CLASSES)), dtype=np.float32)
        for row, picture in enumerate(ink[:, 1] > 100):
            slimness = picture.any(axis=1).sum() / picture.any(axis=0).sum()
            of_one = 0.999 if slimness > 3.3 else 0.4 if slimness > 1 else 0.001
            found[row, [1, 7]] = of_one, 1 - of_one
        return found, np.zeros(len(ink), np.float32), ink[:, 1].reshape(len(ink), -1).astype(np.float32)


def test_each_writers_digits_are_read_once_more_as_on_sheets(tmp_path: Path) -> None:
    """Writer 0001's broad 1 is settled by the slim ones; writer 0002 has no examples, an unsigned crop no writer."""
    for digit in "17":
        (tmp_path / digit).mkdir()
    slim, broad, level = bar(40, 10), bar(40, 15), bar(10, 40)
    for number in range(3):
        Image.fromarray(slim).save(tmp_path / "1" / f"0001-{number}.png")
        Image.fromarray(level).save(tmp_path / "7" / f"0001-{number}.png")
    for name in ("0001-9.png", "0002-1.png", "unsigned.png"):
        Image.fromarray(broad).save(tmp_path / "1" / name)
    report = run(tmp_path, reader=BroadReader())
    result = json.loads(json.dumps(report.document(), allow_nan=False))
    assert (result["n"], result["right"]) == (9, 6)
    sheets = result["one_hand_a_sheet"]
    assert (sheets["n"], sheets["right"]) == (8, 7)
    assert sheets["worst_writer"] == {"writer": "0002", "n": 1, "right": 0, "accuracy": 0.0}
    text = io.StringIO()
    print_report(report, Console(file=text, width=120, color_system=None))
    assert "on sheets of one hand" in text.getvalue()
    assert "87.50 %" in text.getvalue()


def test_without_writers_there_are_no_sheets(tmp_path: Path) -> None:
    (tmp_path / "1").mkdir()
    Image.fromarray(bar(40, 10)).save(tmp_path / "1" / "a.png")
    assert run(tmp_path, reader=BroadReader()).document()["one_hand_a_sheet"] is None


def test_a_page_shows_every_mistake(folder: Path, tmp_path: Path) -> None:
    report = run(folder, reader=TallReader())
    page = write_page(report, folder, tmp_path / "new" / "page")
    assert page == tmp_path / "new" / "page" / "index.html"
    text = page.read_text(encoding="utf-8")
    assert "3 of 7 digits read wrongly" in text
    for file in ("1/0002-2.PNG", "7/0003-1.png", "9/0003-2.png"):
        assert file in text
    assert "1/0001-1.png" not in text, "a digit that was read rightly is no mistake"
    assert text.count("<img") == 2, "of the file that can't be read there is no picture"
    assert "://" not in text, "the page needs nothing from elsewhere"


def test_names_of_files_are_no_markup(tmp_path: Path) -> None:
    (tmp_path / "7").mkdir()
    Image.fromarray(bar(40, 10)).save(tmp_path / "7" / "<b>&.png")
    report = run(tmp_path, reader=TallReader())
    text = write_page(report, tmp_path, tmp_path / "out").read_text(encoding="utf-8")
    assert "<b>" not in text
    assert "&lt;b&gt;&amp;.png" in text


def test_a_folder_of_unreadable_files_only(tmp_path: Path) -> None:
    (tmp_path / "3").mkdir()
    (tmp_path / "3" / "a.png").write_bytes(b"")
    report = run(tmp_path, reader=TallReader())
    assert report.document()["accuracy"] == 0
    assert report.document()["calibration"]["expected_calibration_error"] is None
    print_report(report, Console(file=io.StringIO()))


@pytest.mark.parametrize("names", [(), ("other",), ("1", "10"), ("1", "２"), ("1",)])
def test_a_folder_of_another_layout_is_refused_in_one_line(tmp_path: Path, names: tuple[str, ...]) -> None:
    for name in names:
        (tmp_path / name).mkdir()
    with pytest.raises(UsageError, match="folders named 0 to 9") as error:
        run(tmp_path, reader=TallReader())
    assert error.value.exit_status == 2
    assert "\n" not in str(error.value)


def test_no_folder_at_all(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        run(tmp_path / "nowhere", reader=TallReader())
