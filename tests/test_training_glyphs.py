"""The training glyphs, on tiny made data: no network, no torch, no fontTools, no outside files."""

from __future__ import annotations

import gzip
import struct
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from scanner.errors import MissingFileError, NotAnImageError, UsageError
from scanner.training.fonts import FontSpec, fetch, parse_fonts, shipped_fonts
from scanner.training.glyphs import GlyphPool, from_mnist, from_swiss, main, merge, read_idx
from scanner.training.ink import BODY, SIDE, fit, from_paper
from scanner.training.symbols import LABELS, SymbolPool, smooth, symbols


def write_idx(path: Path, values: np.ndarray) -> None:
    # The format as its author gives it: magic 0x0000 08 0d, dimensions as big-endian uint32, then the bytes.
    head = bytes([0, 0, 8, values.ndim]) + struct.pack(f">{values.ndim}I", *values.shape)
    path.write_bytes(gzip.compress(head + values.astype(np.uint8).tobytes()))


def mnist_folder(folder: Path) -> Path:
    for stem, digits in (("train", [5, 0, 4]), ("t10k", [7])):
        images = np.zeros((len(digits), 28, 28), np.uint8)
        images[:, 4:24, 10:15] = 255
        write_idx(folder / f"{stem}-images-idx3-ubyte.gz", images)
        write_idx(folder / f"{stem}-labels-idx1-ubyte.gz", np.array(digits))
    return folder


def crop(draw_on: tuple[tuple[int, int], tuple[int, int]] = ((30, 20), (60, 70)), *, dark: int = 120) -> np.ndarray:
    paper = np.full((96, 90), 250, np.uint8)
    cv2.line(paper, *draw_on, dark, 4, cv2.LINE_AA)
    return paper


def swiss_folder(folder: Path) -> Path:
    for name in ("5/0002-1.png", "5/0002-459.png", "7/0021-3.png"):
        (folder / name).parent.mkdir(exist_ok=True)
        Image.fromarray(crop()).save(folder / name)
    return folder


@given(st.integers(1, 90), st.integers(1, 90), st.integers(0, 9), st.integers(0, 9))
@settings(max_examples=50, deadline=None)
def test_fit_makes_the_longer_side_44_px_keeps_the_aspect_and_centres(
    height: int, width: int, top: int, left: int
) -> None:
    ink = np.zeros((100, 100), np.uint8)
    ink[top : top + height, left : left + width] = 255
    glyph = fit(ink)
    assert glyph is not None
    assert glyph.shape == (SIDE, SIDE)
    rows, cols = np.flatnonzero(glyph.any(axis=1)), np.flatnonzero(glyph.any(axis=0))
    tall, wide = np.ptp(rows) + 1, np.ptp(cols) + 1
    assert max(tall, wide) == BODY
    assert abs(tall - max(1, BODY * height / max(height, width))) <= 0.5
    assert abs(wide - max(1, BODY * width / max(height, width))) <= 0.5
    assert abs(rows.mean() - (SIDE - 1) / 2) <= 0.5
    assert abs(cols.mean() - (SIDE - 1) / 2) <= 0.5


def test_fit_of_bare_paper_is_none_and_a_colour_picture_is_refused() -> None:
    assert fit(np.zeros((20, 20), np.uint8)) is None
    with pytest.raises(ValueError, match=r"\[h, w\]"):
        fit(np.zeros((20, 20, 3), np.uint8))


def test_faint_pencil_and_black_pen_come_out_alike() -> None:
    faint, black = fit(from_paper(crop(dark=200))), fit(from_paper(crop(dark=10)))
    assert faint is not None
    assert black is not None
    assert faint[0, 0] == 0
    assert faint.max() >= 250
    assert np.abs(faint.astype(int) - black.astype(int)).mean() < 6


def test_specks_and_printed_lines_at_the_edge_are_dropped() -> None:
    clean = from_paper(crop())
    dirty = crop()
    dirty[5:7, 80:82] = 120
    dirty[0:2, :] = 60
    np.testing.assert_array_equal(fit(from_paper(dirty)), fit(clean))


def test_a_lone_upright_one_that_touches_the_edge_stays() -> None:
    ink = from_paper(crop(((40, 0), (40, 95))))
    assert (ink > 200).any(axis=1).all()


def test_a_stroke_apart_from_the_rest_stays() -> None:
    paper = crop()
    cv2.line(paper, (60, 12), (80, 10), 120, 4, cv2.LINE_AA)  # the roof of a 5, drawn apart
    assert (from_paper(paper)[8:15, 65:78] > 200).any()


def test_idx_files_are_read_in_their_own_shape(tmp_path: Path) -> None:
    values = np.arange(2 * 3 * 4).reshape(2, 3, 4)
    write_idx(tmp_path / "x.gz", values)
    np.testing.assert_array_equal(read_idx(tmp_path / "x.gz"), values)


@pytest.mark.parametrize(
    "data", [b"", b"\x00\x00\x0d\x01\x00\x00\x00\x01\x07", b"\x00\x00\x08\x01\x00\x00\x00\x09\x07"]
)
def test_what_is_no_idx_file_of_bytes_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.gz").write_bytes(gzip.compress(data))
    with pytest.raises(NotAnImageError, match=r"x\.gz"):
        read_idx(tmp_path / "x.gz")


def test_mnist_keeps_its_two_files_apart(tmp_path: Path) -> None:
    pool = from_mnist(mnist_folder(tmp_path))
    assert pool.digit.tolist() == [5, 0, 4, 7]
    assert pool.split.tolist() == ["train", "train", "train", "test"]
    assert len(set(pool.writer[:3].tolist())) == 1
    assert pool.writer[3] != pool.writer[0]
    assert set(pool.kind.tolist()) == {"hand"}
    assert pool.ink[:, 24, 24].min() == 255  # polarity: ink is high


def test_swiss_crops_carry_digit_and_writer_and_the_known_wrong_label_is_mended(tmp_path: Path) -> None:
    pool = from_swiss(swiss_folder(tmp_path))
    assert list(zip(pool.digit.tolist(), pool.writer.tolist(), strict=True)) == [(5, 2), (4, 2), (7, 21)]
    assert pool.ink[:, 0, 0].max() == 0  # paper is 0
    assert pool.ink[:, 24, 24].min() > 200


def test_missing_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="nowhere"):
        from_swiss(tmp_path / "nowhere")
    with pytest.raises(MissingFileError, match=r"train-images.*MNIST"):
        from_mnist(tmp_path / "nowhere")
    with pytest.raises(MissingFileError, match=r"scanner\.training\.glyphs"):
        GlyphPool.load(tmp_path / "none.npz")


def test_merge_assign_select_and_a_round_trip_keep_every_field(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "s").mkdir()
    pool = merge([from_swiss(swiss_folder(tmp_path / "s")), from_mnist(mnist_folder(tmp_path / "m"))])
    assert [pool.sources[i] for i in pool.source] == ["swiss"] * 3 + ["mnist"] * 4
    pool = pool.assigned([21], "val")
    assert pool.split.tolist() == ["train", "train", "val", "train", "train", "train", "test"]
    pool.save(tmp_path / "pool.npz")
    again = GlyphPool.load(tmp_path / "pool.npz")
    assert again.sources == pool.sources
    for name in ("ink", "digit", "source", "writer", "kind", "split"):
        np.testing.assert_array_equal(getattr(again, name), getattr(pool, name))
    few = again.select(again.split == "val")
    assert few.digit.tolist() == [7]
    assert len(few) == 1


def test_a_pool_of_unequal_lengths_is_refused(tmp_path: Path) -> None:
    pool = from_swiss(swiss_folder(tmp_path))
    with pytest.raises(ValueError, match=r"expected ink uint8 \[3, 48, 48\]"):
        GlyphPool(pool.ink[:2], pool.digit, pool.source, pool.writer, pool.kind, pool.split, pool.sources)


def test_the_font_list_is_pinned_licensed_and_split_about_80_10_10() -> None:
    specs = shipped_fonts()
    assert all(spec.version.count(".") == 2 and spec.licence in {"OFL-1.1", "Apache-2.0"} for spec in specs)
    for kind in ("hand", "print"):
        splits = [spec.split for spec in specs if spec.kind == kind]
        assert len(splits) >= 30
        assert 0.75 <= splits.count("train") / len(splits) <= 0.85
        assert 0.07 <= splits.count("val") / len(splits) <= 0.14


def test_relatives_of_a_family_share_a_split() -> None:
    for stem in ("roboto", "playwrite", "pt-sans", "archivo", "caveat", "source"):
        relatives = {spec.split for spec in shipped_fonts() if spec.name == stem or spec.name.startswith(stem + "-")}
        assert len(relatives) == 1, stem


FONT = '[[font]]\nname = "a"\nversion = "1.0.0"\nlicence = "OFL-1.1"\nkind = "hand"\nsplit = "train"\nweights = [400]\n'


@pytest.mark.parametrize(
    "text", [FONT + FONT, FONT.replace("hand", "foot"), FONT.replace("train", "dev"), FONT.replace("[400]", "[]")]
)
def test_a_wrong_font_list_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"fonts\.toml: a "):
        parse_fonts(text)


def test_fetch_asks_npm_for_nothing_when_the_cache_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    spec = FontSpec("a", "1.0.0", "OFL-1.1", "hand", "train", (400,))
    with pytest.raises(MissingFileError, match="npm"):
        fetch([spec], tmp_path)
    (tmp_path / "fontsource-a-1.0.0.tgz").touch()
    fetch([spec], tmp_path)


def test_symbols_come_in_every_label_and_split_and_are_reproducible(tmp_path: Path) -> None:
    pool = symbols(np.random.default_rng(5), each=10)
    assert set(pool.label.tolist()) == set(LABELS) - {"letter"}
    for label in set(LABELS) - {"letter"}:
        assert sorted(pool.split[pool.label == label].tolist()) == ["test"] + ["train"] * 8 + ["val"]
    np.testing.assert_array_equal(pool.ink, symbols(np.random.default_rng(5), each=10).ink)
    assert (pool.ink.reshape(len(pool), -1).max(axis=1) == 255).all()
    pool.save(tmp_path / "s.npz")
    np.testing.assert_array_equal(SymbolPool.load(tmp_path / "s.npz").joined(pool).label, np.tile(pool.label, 2))


def test_slashes_lie_and_are_no_ones() -> None:
    # A slash as steep as a handwritten 1 would teach the reader to refuse plain ones.
    pool = symbols(np.random.default_rng(6), each=60)
    for glyph in pool.ink[pool.label == "slash"]:
        y, x = np.nonzero(glyph > 127)
        axis = np.linalg.svd(np.column_stack([x - x.mean(), y - y.mean()]), full_matrices=False)[2][0]
        assert np.degrees(np.arctan2(abs(axis[1]), abs(axis[0]))) < 70


def test_a_spline_passes_through_its_points() -> None:
    line = np.array([[0.0, 0.0], [1.0, 2.0], [3.0, 1.0], [4.0, 4.0]])
    np.testing.assert_allclose(smooth(line, 5)[::5], line, atol=1e-12)


def test_the_command_names_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for spec in shipped_fonts():
        (tmp_path / spec.archive).touch()
    status = main(["--shared", str(tmp_path), "--cache", str(tmp_path), "--out", str(tmp_path / "x.npz")])
    assert status == 4
    assert "MNIST" in capsys.readouterr().err


def test_loading_a_pool_needs_neither_fonttools_nor_torch() -> None:
    code = (
        "import sys, scanner.training.symbols, scanner.training.glyphs; print({'torch', 'fontTools'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
