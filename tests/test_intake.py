"""Intake: sizes, turning, limits and everything that can be wrong with a file.

Orientations are checked against the table of the Exif standard, typed in by hand, not against Pillow.
"""

from __future__ import annotations

import gc
import io
import struct
import threading
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pillow_heif
import pytest
from PIL import Image, ImageFile

from scanner import intake
from scanner.errors import (
    EmptyFileError,
    FileError,
    MissingFileError,
    NotAnImageError,
    TooLargeError,
    TruncatedError,
    UnreadableError,
)
from scanner.intake import DECODE_LONG_SIDE, Photo, files, limits, load
from scanner.intake.quiet import quiet

ORIENTATION = 0x0112

# Exif 2.32, tag 0x0112: "the 0th row is at the visual ... of the image, and the 0th column is the visual ...".
EXIF_TABLE = {
    1: ("top", "left"), 2: ("top", "right"), 3: ("bottom", "right"), 4: ("bottom", "left"),
    5: ("left", "top"), 6: ("right", "top"), 7: ("right", "bottom"), 8: ("left", "bottom"),
}  # fmt: skip
OPPOSITE = {"top": "bottom", "bottom": "top", "left": "right", "right": "left"}


def exif(orientation: int) -> Image.Exif:
    block = Image.Exif()
    block[ORIENTATION] = orientation
    return block


def encode(picture: Image.Image, kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


def noise(width: int, height: int, seed: int = 1) -> Image.Image:
    values = np.random.default_rng(seed).integers(1, 255, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(values)


def only(source: str | Path | bytes, *, long_side: int = DECODE_LONG_SIDE) -> Photo:
    (photo,) = load(source, long_side=long_side)
    return photo


# Sizes, turning


def marked() -> Image.Image:
    """60 x 40, white; a red block where row 0 meets column 0, a blue one where row 0 meets the last column."""
    picture = Image.new("RGB", (60, 40), "white")
    picture.paste((255, 0, 0), (0, 0, 16, 16))
    picture.paste((0, 0, 255), (44, 0, 60, 16))
    return picture


def corner(rgb: npt.NDArray[np.uint8], sides: set[str]) -> npt.NDArray[np.int64]:
    y = 6 if "top" in sides else rgb.shape[0] - 7
    x = 6 if "left" in sides else rgb.shape[1] - 7
    return np.asarray(rgb[y, x], dtype=np.int64)


@pytest.mark.parametrize("orientation", EXIF_TABLE)
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF", "AVIF", "HEIF"])
def test_exif_orientation_is_applied_once(kind: str, orientation: int) -> None:
    if kind == "HEIF":
        pillow_heif.register_heif_opener()
    every: dict[str, dict[str, object]] = {"TIFF": {"compression": "tiff_lzw"}, "JPEG": {"quality": 95}}
    options = every.get(kind, {})
    # As bytes, pillow-heif writes the HEIF rotation beside the EXIF tag, as phones do: both say the same, once.
    block = exif(orientation).tobytes() if kind == "HEIF" else exif(orientation)
    photo = only(encode(marked(), kind, exif=block, **options))
    row0, col0 = EXIF_TABLE[orientation]
    assert photo.size == ((40, 60) if row0 in {"left", "right"} else (60, 40))
    assert photo.rgb.shape == (photo.size[1], photo.size[0], 3)
    np.testing.assert_allclose(corner(photo.rgb, {row0, col0}), (255, 0, 0), atol=40)
    np.testing.assert_allclose(corner(photo.rgb, {row0, OPPOSITE[col0]}), (0, 0, 255), atol=40)
    np.testing.assert_allclose(corner(photo.rgb, {OPPOSITE[row0], col0}), (255, 255, 255), atol=40)
    assert photo.warnings == ()


@pytest.mark.parametrize(
    ("stored", "decoded"),
    [
        ((4032, 3024), (1008, 756)),  # 1/8 would leave 504
        ((4000, 3000), (1000, 750)),  # exactly 1000 at 1/4
        ((3996, 40), (1998, 20)),  # 999 at 1/4 is too little
        ((900, 600), (900, 600)),  # nothing is enlarged
        ((1999, 10), (1999, 10)),
    ],
)
@pytest.mark.parametrize("orientation", [1, 6])
def test_jpeg_is_decoded_at_the_smallest_scale_that_suffices(
    stored: tuple[int, int], decoded: tuple[int, int], orientation: int
) -> None:
    photo = only(encode(Image.new("L", stored, 200), "JPEG", exif=exif(orientation)))
    turned = orientation == 6
    assert photo.size == (stored[::-1] if turned else stored)
    assert photo.rgb.shape == (*(decoded if turned else decoded[::-1]), 3)
    assert photo.scale == pytest.approx(stored[0] / decoded[0])


def test_png_is_shrunk_by_a_whole_factor() -> None:
    values = np.zeros((30, 4000), dtype=np.uint8)
    values[:, 1::4] = 200  # the mean over 4 columns is 50
    photo = only(encode(Image.fromarray(values), "PNG"))
    assert photo.size == (4000, 30)
    assert photo.rgb.shape == (8, 1000, 3)
    np.testing.assert_array_equal(photo.rgb[:7], 50)


def test_a_page_is_opened_and_decoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from PIL import JpegImagePlugin

    data = encode(noise(64, 48), "JPEG", exif=exif(6))
    counts = {"open": 0, "decode": 0}
    true_open = JpegImagePlugin.JpegImageFile._open
    true_prepare = ImageFile.ImageFile.load_prepare

    def counted_open(self: JpegImagePlugin.JpegImageFile) -> None:
        counts["open"] += 1
        true_open(self)

    def counted_prepare(self: ImageFile.ImageFile) -> None:
        counts["decode"] += 1
        true_prepare(self)

    monkeypatch.setattr(JpegImagePlugin.JpegImageFile, "_open", counted_open)
    monkeypatch.setattr(ImageFile.ImageFile, "load_prepare", counted_prepare)
    only(data)
    assert counts == {"open": 1, "decode": 1}


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "TIFF", "BMP", "GIF"])
@pytest.mark.parametrize("size", [(1, 1), (1, 5000), (5000, 1), (2, 3), (31, 7)])
def test_tiny_and_narrow_pictures_pass(kind: str, size: tuple[int, int]) -> None:
    photo = only(encode(Image.new("L", size, 90), kind))
    assert photo.size == size
    assert photo.gray.shape == photo.rgb.shape[:2]
    assert min(photo.rgb.shape) >= 1
    np.testing.assert_allclose(photo.gray.astype(int), 90, atol=2)


def test_gray_is_luma_and_computed_once() -> None:
    photo = only(encode(Image.new("RGB", (4, 4), (255, 0, 0)), "PNG"))
    assert photo.gray is photo.gray
    np.testing.assert_array_equal(photo.gray, 76)  # 0.299 * 255, ITU-R BT.601


def test_photo_refuses_other_arrays() -> None:
    with pytest.raises(ValueError, match=r"expected uint8 \[h, w, 3\], got float64 \[4, 4, 3\]"):
        Photo("x", 1, np.zeros((4, 4, 3)), (4, 4))  # type: ignore[arg-type]  # what the test is about


# Names and bytes


def test_path_string_and_bytes_give_the_same(tmp_path: Path) -> None:
    path = tmp_path / "sheet.jpg"
    path.write_bytes(encode(noise(64, 48), "JPEG"))
    by_path, by_string, by_bytes = only(path), only(str(path)), only(path.read_bytes())
    np.testing.assert_array_equal(by_path.rgb, by_string.rgb)
    np.testing.assert_array_equal(by_path.rgb, by_bytes.rgb)
    assert by_path.source == by_string.source == str(path)
    assert next(load(path, name="table 3")).source == "table 3"
    assert by_path.page == 1


def test_the_content_counts_not_the_name(tmp_path: Path) -> None:
    path = tmp_path / "sheet.pdf"
    path.write_bytes(encode(noise(20, 10), "PNG"))
    assert only(path).size == (20, 10)


def test_nothing_stays_open(tmp_path: Path) -> None:
    path = tmp_path / "pages.tif"
    path.write_bytes(encode(noise(20, 10), "TIFF", save_all=True, append_images=[noise(20, 10, 2)]))
    pages = load(path)
    next(pages)
    path.unlink()  # on Windows this fails while the file is open
    del pages
    gc.collect()  # a ResourceWarning is an error here


# Files that can't be used


def broken(source: str | Path | bytes, error: type[FileError]) -> str:
    with pytest.raises(error) as caught:
        list(load(source))
    assert type(caught.value) is error
    assert caught.value.exit_status == 4
    message = str(caught.value)
    assert "\n" not in message
    assert caught.value.remedy
    if not isinstance(source, bytes):
        assert message.startswith(files.printable(str(source)))
    return message


def test_text_named_jpg(tmp_path: Path) -> None:
    path = tmp_path / "notes.jpg"
    path.write_text("Bought: two pads, one pencil.\n")
    assert "no picture" in broken(path, NotAnImageError)


@pytest.mark.parametrize("text", [b"BMI is a bad measure", b"P1 won by 3 points", b"P6\nnot a number", b"\x00" * 500])
def test_text_that_begins_like_a_picture(text: bytes) -> None:
    broken(text, NotAnImageError)


def test_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "empty.png"
    path.touch()
    assert "empty" in broken(path, EmptyFileError)
    broken(b"", EmptyFileError)


def test_directory(tmp_path: Path) -> None:
    assert "a folder, not a picture; name the pictures in it" in broken(tmp_path, MissingFileError)


@pytest.mark.parametrize("name", ["nothing.jpg", "a.jpg/b.jpg", "null\0byte.jpg", "two\nlines.jpg"])
def test_missing_file(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.jpg").touch()
    broken(tmp_path / name, MissingFileError)


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "locked.jpg"
    path.write_bytes(encode(noise(20, 10), "JPEG"))

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(files, "read_up_to", denied)  # root may read everything
    assert "permission" in broken(path, UnreadableError)


def test_disk_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    (tmp_path / "x.jpg").touch()
    monkeypatch.setattr(files, "read_up_to", failing)
    assert "Input/output error" in broken(tmp_path / "x.jpg", UnreadableError)


# Limits


def png_claiming(width: int, height: int) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 4096)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def jpeg_claiming(width: int, height: int) -> bytes:
    data = bytearray(encode(noise(16, 16), "JPEG"))
    at = data.index(b"\xff\xc0")
    data[at + 5 : at + 9] = struct.pack(">HH", height, width)
    return bytes(data)


def gif_claiming(width: int, height: int) -> bytes:
    data = bytearray(encode(Image.new("L", (16, 16)), "GIF"))
    data[6:10] = struct.pack("<HH", width, height)
    return bytes(data)


def tiff_claiming(width: int, height: int) -> bytes:
    data = encode(Image.new("L", (31, 29)), "TIFF")
    return data.replace(struct.pack("<HHLL", 256, 4, 1, 31), struct.pack("<HHLL", 256, 4, 1, width)).replace(
        struct.pack("<HHLL", 257, 4, 1, 29), struct.pack("<HHLL", 257, 4, 1, height)
    )


@pytest.mark.parametrize("make", [png_claiming, jpeg_claiming, gif_claiming, tiff_claiming])
def test_bomb_is_refused_before_memory_is_taken(
    make: Callable[[int, int], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_memory(self: ImageFile.ImageFile) -> None:
        pytest.fail("pixels were allocated")

    monkeypatch.setattr(ImageFile.ImageFile, "load_prepare", no_memory)
    before = (Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES, list(warnings.filters))
    message = broken(make(50_000, 50_000), TooLargeError)
    assert "50000 x 50000" in message
    assert "200 million" in message
    assert before == (Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES, list(warnings.filters))


def test_200_megapixel_phones_pass_the_limit() -> None:
    assert limits.MAX_PIXELS >= 16320 * 12240


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_the_limit_is_ours_not_pillows(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    assert only(encode(noise(64, 48), kind)).size == (64, 48)


def test_bytes_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_BYTES", 2**20)
    path = tmp_path / "big.png"
    path.write_bytes(b"\x89PNG" + bytes(2**20))
    assert "more than 1 MB" in broken(path, TooLargeError)
    broken(bytes(2**20 + 1), TooLargeError)


def test_a_pipe_is_read_up_to_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = encode(noise(20, 10), "PNG")
    path = tmp_path / "pipe"
    path.write_bytes(data)
    monkeypatch.setattr("os.path.getsize", lambda path: 0)  # a pipe tells no size
    monkeypatch.setattr(limits, "MAX_BYTES", len(data))
    assert only(path).size == (20, 10)
    monkeypatch.setattr(limits, "MAX_BYTES", len(data) - 1)
    broken(path, TooLargeError)


# Cut off and damaged


@pytest.mark.parametrize("share", [0.2, 0.4, 0.6, 0.8, 0.9])
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "BMP"])
def test_what_is_left_of_a_cut_off_file_is_used(kind: str, share: float) -> None:
    # Noise fills every row with the same number of bytes, so the share of the file is the share of the picture.
    data = encode(noise(320, 240), kind)
    full, part = only(data), only(data[: int(len(data) * share)])
    assert part.size == (320, 240)
    if kind == "BMP":  # stored from the bottom
        assert len(part.warnings) == 1
        return
    kept = int(240 * share) - 20
    np.testing.assert_array_equal(part.rgb[:kept], full.rgb[:kept])
    (warning,) = part.warnings
    assert warning.startswith("the file is cut off: the lower ")
    missing = int(warning.split("lower ")[1].split(" %")[0])
    assert missing == pytest.approx(100 * (1 - share), abs=8)
    lost = round(240 * missing / 100) - 2
    np.testing.assert_array_equal(part.rgb[240 - lost :], 128)


@pytest.mark.parametrize(
    ("orientation", "side"),
    [(1, "lower"), (2, "lower"), (3, "upper"), (4, "upper"), (5, "right"), (6, "left"), (7, "left"), (8, "right")],
)
@pytest.mark.parametrize("kind", ["JPEG", "TIFF"])
def test_the_missing_side_is_named_as_a_viewer_shows_it(kind: str, orientation: int, side: str) -> None:
    data = encode(noise(320, 240), kind, exif=exif(orientation))
    part = only(data[: len(data) * 6 // 10])
    assert part.size == ((240, 320) if orientation > 4 else (320, 240))
    (warning,) = part.warnings
    assert warning.startswith(f"the file is cut off: the {side} ")
    far = {"lower": part.rgb[-9:], "upper": part.rgb[:9], "left": part.rgb[:, :9], "right": part.rgb[:, -9:]}[side]
    assert (far == 128).all()
    assert (part.rgb != 128).mean() == pytest.approx(0.6, abs=0.05)


def test_progressive_jpeg_cut_off_shows_the_whole_coarsely() -> None:
    gradient = np.add.outer(np.arange(240), np.arange(320)).astype(np.float64) * 0.4
    picture = Image.fromarray(np.repeat(gradient[:, :, None], 3, axis=2).astype(np.uint8))
    speckled = Image.blend(picture, noise(320, 240), 0.2)
    data = encode(speckled, "JPEG", progressive=True, quality=90)
    full, part = only(data), only(data[: len(data) // 2])
    assert part.warnings == ("the file is cut off: some of the picture may be missing or blurred",)
    assert np.abs(full.rgb.astype(int) - part.rgb).mean() < 25


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "GIF", "TIFF", "WEBP", "AVIF"])
def test_cut_off_in_the_header(kind: str) -> None:
    options = {"TIFF": {"compression": "tiff_lzw"}}.get(kind, {})  # these have the directory at the end
    data = encode(noise(64, 48), kind, **options)
    cuts = (40, 100) if kind in {"WEBP", "AVIF"} else (4, 9, 20)
    for cut in cuts:
        message = broken(data[:cut], TruncatedError)
        assert "copy it again" in message


def test_damage_in_the_middle_of_a_png_is_a_warning() -> None:
    data = bytearray(encode(noise(64, 48), "PNG"))
    data[len(data) // 2] ^= 0xFF
    (warning,) = only(bytes(data)).warnings
    assert warning.startswith("the file is damaged: the lower ")


def test_damage_in_a_strip_of_a_tiff_leaves_the_strips_before() -> None:
    picture = noise(64, 480)
    data = bytearray(encode(picture, "TIFF", compression="tiff_adobe_deflate", strip_size=64 * 3 * 48))
    data[len(data) // 2 : len(data) // 2 + 40] = bytes(40)
    photo = only(bytes(data))
    (warning,) = photo.warnings
    assert warning.startswith("the file is damaged: the lower ")
    np.testing.assert_array_equal(photo.rgb[:190], np.asarray(picture)[:190])


# Metadata and noise


def test_corrupt_exif_and_profile_are_ignored(capfd: pytest.CaptureFixture[str]) -> None:
    block = b"Exif\0\0MM\0*" + b"\0\0\0\x08\xff\xff" + bytes(range(200))
    for kind in ("JPEG", "PNG", "WEBP"):
        photo = only(encode(noise(32, 24), kind, exif=block, icc_profile=b"no profile"))
        assert photo.size == (32, 24)
        assert photo.warnings == ()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("value", [0, 9, 65535])
def test_orientations_that_do_not_exist_are_ignored(value: int) -> None:
    assert only(encode(noise(32, 24), "JPEG", exif=exif(value))).size == (32, 24)


def test_mpo_of_a_phone_is_one_photo_without_warning() -> None:
    data = encode(noise(32, 24), "MPO", save_all=True, append_images=[noise(16, 12)])
    photo = only(data)
    assert (photo.size, photo.page, photo.warnings) == ((32, 24), 1, ())


def test_quiet_leaves_the_filters_as_they_were_whatever_the_order() -> None:
    before = list(warnings.filters)
    first, second = quiet(), quiet()
    first.__enter__()
    second.__enter__()
    with pytest.raises(UserWarning, match="mine"):
        warnings.warn("mine", UserWarning, stacklevel=1)
    first.__exit__(None, None, None)
    second.__exit__(None, None, None)
    assert list(warnings.filters) == before


def test_threads_decode_at_the_same_time() -> None:
    good, cut = encode(noise(200, 200), "PNG"), encode(noise(200, 200), "PNG")[:-40_000]
    before = list(warnings.filters)
    found: list[int] = []

    def work(data: bytes) -> None:
        found.extend(len(only(data).warnings) for _ in range(10))

    threads = [threading.Thread(target=work, args=(data,)) for data in (good, cut, good, cut)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [0] * 20 + [1] * 20
    assert list(warnings.filters) == before


def test_public_names() -> None:
    assert intake.DECODE_LONG_SIDE == 1000
    with pytest.raises(ValueError, match="at least 1"):
        list(load(b"x", long_side=0))
