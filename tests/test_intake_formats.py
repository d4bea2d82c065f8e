"""Intake: every mode and container, then random pictures and damaged files."""

from __future__ import annotations

import random
import struct
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pillow_heif
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, features
from test_intake import broken, encode, exif, noise, only

from scanner.errors import FileError, MissingExtraError, TooLargeError, TruncatedError, UnreadableError
from scanner.intake import Photo, limits, load
from scanner.intake.pixels import deep_bits, eight_bits

RED, GREEN = (200, 40, 30), (20, 120, 60)


def halves(left: Any, right: Any, mode: str) -> Image.Image:
    picture = Image.new(mode, (48, 32), left)
    picture.paste(right, (24, 0, 48, 32))
    return picture


def sides(photo: Photo) -> tuple[list[int], list[int]]:
    assert photo.rgb.shape == (32, 48, 3)
    assert photo.rgb.dtype == np.uint8
    return photo.rgb[16, 6].astype(int).tolist(), photo.rgb[16, 42].astype(int).tolist()


# Modes; the values on the right are worked by hand


@pytest.mark.parametrize(
    ("picture", "kind", "left", "right"),
    [
        (halves(0, 1, "1"), "PNG", (0, 0, 0), (255, 255, 255)),
        (halves(0, 1, "1"), "TIFF", (0, 0, 0), (255, 255, 255)),
        (halves(30, 220, "L"), "PNG", (30, 30, 30), (220, 220, 220)),
        (halves((30, 255), (0, 0), "LA"), "PNG", (30, 30, 30), (255, 255, 255)),  # clear ink leaves white paper
        (halves((0, 51), (200, 255), "LA"), "PNG", (204, 204, 204), (200, 200, 200)),  # 20 % black on white
        (halves(RED, GREEN, "RGB"), "PNG", RED, GREEN),
        (halves(RED, GREEN, "RGB"), "BMP", RED, GREEN),
        (halves(RED, GREEN, "RGB"), "PPM", RED, GREEN),
        (halves((*RED, 255), (0, 0, 0, 0), "RGBA"), "PNG", RED, (255, 255, 255)),
        (halves((0, 0, 0, 102), (*GREEN, 255), "RGBA"), "TIFF", (153, 153, 153), GREEN),  # 40 % black on white
        (halves((*RED, 255), (0, 0, 0, 0), "RGBA"), "WEBP", RED, (255, 255, 255)),
        (halves((0, 255, 255, 0), (0, 0, 0, 255), "CMYK"), "TIFF", (255, 0, 0), (0, 0, 0)),
        (halves((255, 0, 255, 0), (0, 0, 0, 0), "CMYK"), "JPEG", (0, 255, 0), (255, 255, 255)),
        (halves((76, 85, 255), (150, 44, 21), "YCbCr"), "TIFF", (254, 0, 0), (0, 255, 1)),  # ITU-R T.871, section 7
        (halves((128, 0, 0), (255, 0, 0), "LAB"), "TIFF", (128, 128, 128), (255, 255, 255)),
    ],
    ids=lambda value: value.mode if isinstance(value, Image.Image) else None,
)
def test_modes(picture: Image.Image, kind: str, left: tuple[int, ...], right: tuple[int, ...]) -> None:
    every: dict[str, dict[str, object]] = {"WEBP": {"lossless": True}, "JPEG": {"quality": 98}}
    options = every.get(kind, {})
    got = sides(only(encode(picture, kind, **options)))
    np.testing.assert_allclose(got, (left, right), atol=3)


def test_adobe_cmyk_jpegs_are_stored_inverted() -> None:
    data = encode(halves((255, 0, 255, 0), (0, 0, 0, 0), "CMYK"), "JPEG", quality=98)
    assert b"Adobe" in data  # the marker by which readers know; white paper is stored as 255
    np.testing.assert_allclose(sides(only(data)), ((0, 255, 0), (255, 255, 255)), atol=3)


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("transparency", [1, bytes([255, 0]), bytes([255, 51])])
def test_palette_with_transparency(transparency: int | bytes, large: bool) -> None:
    picture = halves(0, 1, "P")
    picture.putpalette([*RED, 0, 0, 0])
    if large:  # takes the way through shrinking
        picture = picture.resize((48 * 80, 32 * 80), Image.Resampling.NEAREST)
    photo = only(encode(picture, "PNG", transparency=transparency))
    assert photo.size == picture.size
    middle = photo.rgb.shape[0] // 2
    paper = 204 if transparency == bytes([255, 51]) else 255
    assert photo.rgb[middle, 6].tolist() == list(RED)
    assert photo.rgb[middle, -6].tolist() == [paper] * 3


def test_colour_key_of_png() -> None:
    data = encode(halves(RED, (0, 0, 0), "RGB"), "PNG", transparency=(0, 0, 0))
    assert sides(only(data)) == (list(RED), [255, 255, 255])


@pytest.mark.parametrize("size", [(4000, 60), (60, 4000)])
@pytest.mark.parametrize("mode", ["1", "L", "LA", "RGB", "RGBA", "CMYK"])
def test_large_pictures_of_every_mode_shrink(mode: str, size: tuple[int, int]) -> None:
    photo = only(encode(Image.new("RGBA", size, (255, 255, 255, 255)).convert(mode), "TIFF"))
    assert photo.size == size
    assert max(photo.rgb.shape) == 1000
    assert photo.rgb.min() == 255


# Deep pictures


def deep(kind: str, values: np.ndarray, **options: Any) -> list[int]:
    full = np.repeat(np.repeat(values[None, :], 8, axis=0), 4, axis=1)
    photo = only(encode(Image.fromarray(full), kind, **options))
    return [int(v) for v in photo.rgb[4, 1::4, 0]]


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
@pytest.mark.parametrize(
    ("values", "grey"),
    [
        ([0, 256, 32768, 65535], [0, 1, 128, 255]),
        ([0, 12800, 25600], [0, 50, 100]),  # a dim scan stays dim
        ([0, 2048, 4095], [0, 128, 255]),  # 12 bits of a sensor
        ([0, 512, 1023], [0, 128, 255]),
        ([0, 100, 255], [0, 100, 255]),
    ],
)
def test_16_bit_grey_is_scaled_by_its_depth(kind: str, values: list[int], grey: list[int]) -> None:
    assert deep(kind, np.array(values, dtype=np.uint16)) == grey


def test_big_endian_and_white_is_zero_tiff() -> None:
    values = np.array([[0, 32768, 65535]], dtype=">u2")

    def tiff(photometric: int) -> bytes:
        tags = [
            (256, 3, 1, 3 << 16), (257, 3, 1, 1 << 16), (258, 3, 1, 16 << 16), (259, 3, 1, 1 << 16),
            (262, 3, 1, photometric << 16), (273, 4, 1, 8 + 2 + 9 * 12 + 4), (277, 3, 1, 1 << 16),
            (278, 3, 1, 1 << 16), (279, 4, 1, 6),
        ]  # fmt: skip
        directory = struct.pack(">H", len(tags)) + b"".join(struct.pack(">HHLL", *tag) for tag in tags) + bytes(4)
        return b"MM\0*" + struct.pack(">L", 8) + directory + values.tobytes()

    assert only(tiff(1)).rgb[0, :, 0].tolist() == [0, 128, 255]

    little = tiff_16_little(photometric=0, values=[0, 32768, 65535])
    assert only(little).rgb[0, :, 0].tolist() == [255, 127, 0]


def tiff_16_little(*, photometric: int, values: list[int]) -> bytes:
    tags = [
        (256, 4, 1, len(values)), (257, 4, 1, 1), (258, 3, 1, 16), (259, 3, 1, 1), (262, 3, 1, photometric),
        (273, 4, 1, 8 + 2 + 9 * 12 + 4), (277, 3, 1, 1), (278, 4, 1, 1), (279, 4, 1, 2 * len(values)),
    ]  # fmt: skip
    directory = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHLL", *tag) for tag in tags) + bytes(4)
    return b"II*\0" + struct.pack("<L", 8) + directory + struct.pack(f"<{len(values)}H", *values)


def test_floats_and_32_bits() -> None:
    assert deep("TIFF", np.array([0, 0.5, 1], dtype=np.float32)) == [0, 127, 255]
    assert deep("TIFF", np.array([0, 100, 255], dtype=np.float32)) == [0, 100, 255]
    assert deep("TIFF", np.array([np.nan, 0.5, 1], dtype=np.float32)) == [0, 127, 255]
    assert deep("TIFF", np.array([-5, 32768, 65535], dtype=np.int32)) == [0, 128, 255]
    assert deep("TIFF", np.array([0, 2**30, 2**31 - 1], dtype=np.int32)) == [0, 128, 255]


@given(st.lists(st.integers(0, 65535), min_size=1, max_size=30))
def test_deep_grey_keeps_the_order(values: list[int]) -> None:
    deep_grey = np.array([values], dtype=np.uint16)
    grey = eight_bits(deep_grey, deep_bits(Image.fromarray(deep_grey)))[0]
    order = np.argsort(values, kind="stable")
    assert (np.diff(grey[order].astype(int)) >= 0).all()


# Several pages


def test_every_page_of_a_tiff() -> None:
    pages = [halves(RED, GREEN, "RGB"), halves(10, 250, "L").resize((30, 20)), halves(0, 1, "1")]
    data = encode(pages[0], "TIFF", save_all=True, append_images=pages[1:])
    photos = list(load(data))
    assert [photo.page for photo in photos] == [1, 2, 3]
    assert [photo.size for photo in photos] == [(48, 32), (30, 20), (48, 32)]
    assert sides(photos[0]) == (list(RED), list(GREEN))
    assert photos[1].rgb[10, 2].tolist() == [10] * 3
    assert sides(photos[2]) == ([0] * 3, [255] * 3)


def test_pages_are_decoded_only_when_asked_for() -> None:
    first, second = noise(64, 48), noise(64, 48, 2)
    data = encode(first, "TIFF", save_all=True, append_images=[second])
    cut = data[: len(encode(first, "TIFF")) + 300]  # the second page has a directory, but hardly any pixels
    pages = load(cut)
    np.testing.assert_array_equal(next(pages).rgb, np.asarray(first))
    with pytest.raises(TruncatedError, match="picture, page 2: "):
        next(pages)


def test_pages_after_a_damaged_one_are_read() -> None:
    pages = [noise(64, 480, seed) for seed in range(3)]
    options = {"compression": "tiff_adobe_deflate", "strip_size": 64 * 3 * 48}
    data = bytearray(encode(pages[0], "TIFF", save_all=True, append_images=pages[1:], **options))
    data[len(data) // 2 : len(data) // 2 + 40] = bytes(40)
    first, second, third = load(bytes(data))
    assert (first.warnings, len(second.warnings), third.warnings) == ((), 1, ())
    np.testing.assert_array_equal(third.rgb, np.asarray(pages[2]))


@pytest.mark.parametrize("compression", [None, "tiff_adobe_deflate"])
def test_a_damaged_page_never_shows_pixels_of_the_page_before(compression: str | None) -> None:
    pages = [Image.new("RGB", (64, 480), RED), noise(64, 480)]
    strips = {"compression": compression, "strip_size": 64 * 3 * 48}
    one = encode(pages[0], "TIFF", **strips)
    data = bytearray(encode(pages[0], "TIFF", save_all=True, append_images=pages[1:], **strips))
    if compression is None:
        del data[len(one) + 64 * 3 * 240 :]
    else:
        middle = (len(one) + len(data)) // 2
        data[middle : middle + 40] = bytes(40)
    _, photo = load(bytes(data))
    assert " % of the picture is missing" in photo.warnings[0]
    np.testing.assert_array_equal(photo.rgb[:180], np.asarray(pages[1])[:180])
    np.testing.assert_array_equal(photo.rgb[-180:], 128)


def test_thumbnails_in_a_tiff_are_no_pages() -> None:
    thumbnail = Image.new("L", (12, 8), 7)
    thumbnail.encoderinfo = {"tiffinfo": {254: 1}}  # NewSubfileType: a reduced version of another page
    data = encode(noise(48, 32), "TIFF", save_all=True, append_images=[thumbnail, noise(24, 16)])
    assert [(photo.page, photo.size) for photo in load(data)] == [(1, (48, 32)), (3, (24, 16))]


def test_page_limit_of_tiff_and_pdf(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [Image.new("L", (8, 8), i) for i in range(4)]
    for kind in ("TIFF", "PDF"):
        data = encode(pages[0], kind, save_all=True, append_images=pages[1:])
        monkeypatch.setattr(limits, "MAX_PAGES", 4)
        assert len(list(load(data))) == 4
        monkeypatch.setattr(limits, "MAX_PAGES", 3)
        with pytest.raises(TooLargeError, match="pages"):
            next(load(data))


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG", "AVIF"])
def test_animations_give_their_first_picture_and_a_warning(kind: str) -> None:
    first, second = halves(RED, GREEN, "RGB"), halves(GREEN, RED, "RGB")
    photo = only(encode(first, kind, save_all=True, append_images=[second], duration=100))
    assert photo.warnings == ("the file is an animation: only its first picture is read",)
    np.testing.assert_allclose(sides(photo), (RED, GREEN), atol=12)
    assert only(encode(first, kind)).warnings == ()


# PDF, AVIF, HEIC


def test_pdf_pages_are_rendered_at_a_useful_size() -> None:
    upright = halves(RED, GREEN, "RGB").rotate(90, expand=True)  # green above red
    data = encode(halves(RED, GREEN, "RGB"), "PDF", save_all=True, append_images=[upright], resolution=72)
    photos = list(load(data))
    assert [photo.page for photo in photos] == [1, 2]
    for photo, shape in zip(photos, ((1000, 1500, 3), (1500, 1000, 3)), strict=True):
        assert photo.rgb.shape == shape
        assert photo.size == (shape[1], shape[0])
        assert photo.scale == 1
    np.testing.assert_allclose(photos[0].rgb[500, [200, 1300]], (RED, GREEN), atol=8)
    np.testing.assert_allclose(photos[1].rgb[[200, 1300], 500], (GREEN, RED), atol=8)


def test_pdf_extremes() -> None:
    assert only(encode(Image.new("L", (1, 600), 90), "PDF")).rgb.shape[0] == 1500
    data = encode(noise(64, 48), "PDF")
    broken(data[:200], TruncatedError)
    broken(data[:9] + b"nothing in here\n%%EOF\n", UnreadableError)


@pytest.mark.parametrize(
    ("module", "data", "extra"),
    [
        ("pypdfium2", b"%PDF-1.7\n", "pdf"),
        ("pillow_heif", struct.pack(">L4s4sL4s", 20, b"ftyp", b"heic", 0, b"mif1") + bytes(40), "heic"),
    ],
)
def test_missing_extra(module: str, data: bytes, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)  # makes its import fail
    assert f'pip install "padscore[{extra}]"' in broken(data, MissingExtraError)


def test_a_pillow_without_avif_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(features, "check", lambda name: False)
    data = struct.pack(">L4s4sL4s", 20, b"ftyp", b"avif", 0, b"mif1") + bytes(40)
    assert "AVIF" in broken(data, UnreadableError)


def test_heic() -> None:
    pillow_heif.register_heif_opener()
    photo = only(encode(halves(RED, GREEN, "RGB"), "HEIF", quality=95))
    np.testing.assert_allclose(sides(photo), (RED, GREEN), atol=12)
    data = encode(noise(64, 48), "HEIF")
    broken(data[: len(data) // 2], TruncatedError)


# Random pictures


@settings(max_examples=150, deadline=None)
@given(
    width=st.integers(1, 70),
    height=st.integers(1, 70),
    mode=st.sampled_from(["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "I;16", "YCbCr", "F"]),
    kind=st.sampled_from(["JPEG", "PNG", "TIFF", "GIF", "WEBP", "BMP"]),
    orientation=st.integers(0, 9),
    long_side=st.integers(1, 90),
)
def test_size_and_turn_are_right_for_any_picture(
    width: int, height: int, mode: str, kind: str, orientation: int, long_side: int
) -> None:
    ramp = Image.fromarray(np.linspace(20, 230, height * width).reshape(height, width).astype(np.uint8))
    deep_ramp = np.asarray(ramp).astype(np.uint16) * 257
    picture = Image.fromarray(deep_ramp) if mode == "I;16" else ramp.convert("RGB").convert(mode)
    try:
        data = encode(picture, kind, **({} if kind in {"GIF", "BMP"} else {"exif": exif(orientation)}))
    except (OSError, ValueError, KeyError):  # the format has no such mode
        return
    photo = only(data, long_side=long_side)
    turned = kind not in {"GIF", "BMP"} and 5 <= orientation <= 8
    assert photo.size == ((height, width) if turned else (width, height))
    shape = photo.rgb.shape
    stored, decoded = max(width, height), max(shape[:2])
    assert min(stored, long_side) <= decoded <= min(stored, 2 * long_side)
    assert decoded * photo.scale == pytest.approx(stored)
    assert min(shape[:2]) * photo.scale == pytest.approx(min(width, height), abs=1.01 * photo.scale)


# Damaged files


def seeds() -> Iterator[tuple[str, bytes]]:
    picture = noise(56, 40)
    yield "JPEG", encode(picture, "JPEG", exif=exif(6))
    yield "progressive", encode(picture, "JPEG", exif=exif(6), progressive=True)
    yield "PNG", encode(picture, "PNG", exif=exif(6))
    yield "palette", encode(picture.quantize(16), "PNG", transparency=3)
    yield "TIFF", encode(picture, "TIFF", exif=exif(6), save_all=True, append_images=[noise(20, 20)])
    yield "LZW", encode(picture, "TIFF", exif=exif(6), compression="tiff_lzw")
    yield "fax", encode(picture.convert("1"), "TIFF", compression="group4")
    yield "TIFF-JPEG", encode(picture, "TIFF", compression="jpeg")
    yield "GIF", encode(picture, "GIF", save_all=True, append_images=[picture.rotate(90)])
    yield "WEBP", encode(picture, "WEBP", exif=exif(6))


@pytest.mark.parametrize(("kind", "data"), list(seeds()), ids=lambda value: value if isinstance(value, str) else "")
def test_damage_gives_photos_or_one_clear_error(kind: str, data: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    filters = list(warnings.filters)
    outcomes, messages = set(), []
    for case in range(120):
        chance = random.Random(f"{kind} {case}")
        damaged = bytearray(data)
        for _ in range(chance.choice([1, 1, 2, 5, 20])):
            reach = len(damaged) if chance.random() < 0.5 else min(200, len(damaged))  # headers are hit often
            damaged[chance.randrange(reach)] = chance.choice([0, 255, chance.randrange(256)])
        if chance.random() < 0.4:
            del damaged[chance.randrange(len(damaged)) :]
        try:
            for photo in load(bytes(damaged), name="x"):
                outcomes.add("photo")
                assert photo.gray.shape == photo.rgb.shape[:2]
        except FileError as error:
            outcomes.add("error")
            messages.append(str(error))
    assert outcomes == {"photo", "error"}
    assert all(message.startswith("x") and "\n" not in message for message in messages)
    assert capfd.readouterr() == ("", "")
    assert list(warnings.filters) == filters
