"""From whatever Pillow decoded to upright 8-bit RGB.

Colour profiles are ignored: ink against paper is told apart by contrast, which no profile of a camera or scanner
changes enough to matter, while applying one costs more time than the decoding.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from scanner.intake.photo import ByteImage

UPRIGHT = 1
"""The EXIF orientation of a picture that is stored as it is shown (Exif 2.32, tag 0x0112, values 1 to 8)."""

_BOTTOM_GOES: dict[int, str] = {
    1: "lower", 2: "lower", 3: "upper", 4: "upper", 5: "right", 6: "left", 7: "left", 8: "right",
}  # fmt: skip
_DEPTHS = (8, 10, 12, 16)
_SHRINKS_WELL = frozenset({"L", "LA", "RGB", "RGBA", "CMYK", "YCbCr", "RGBX"})
_MISSING_GREY = 128
_LARGEST_FLOAT = 2**31 - 128
"""The largest whole number below 2**31 that a 32-bit float holds."""

BAND_PIXELS = 1 << 21
"""Pixels converted at a time: at most 16 bytes each are needed for that."""


def to_rgb(picture: Image.Image, factor: int, *, white_is_zero: bool = False) -> ByteImage:
    """uint8 [h, w, 3] of a decoded picture, shrunk by a whole `factor` (each pixel is the mean of factor x factor).

    Transparent parts become white paper. white_is_zero: deep grey of a TIFF whose photometric interpretation is
    WhiteIsZero. Works in bands, so that what it needs beside the picture itself is small, however large that is.
    """
    depth = deep_bits(picture) if picture.mode.startswith(("I", "F")) else None
    bands = [_band_to_rgb(band, factor, depth, white_is_zero) for band in _bands(picture, factor)]
    return bands[0] if len(bands) == 1 else np.concatenate(bands)


def _bands(picture: Image.Image, factor: int = 1) -> Iterator[Image.Image]:
    """The picture from top to bottom, in bands whose heights (but for the last one's) are multiples of `factor`."""
    width, height = picture.size
    rows = max(1, BAND_PIXELS // (width * factor)) * factor
    if rows >= height:
        yield picture
        return
    for top in range(0, height, rows):
        yield picture.crop((0, top, width, min(top + rows, height)))


def _band_to_rgb(band: Image.Image, factor: int, depth: int | None, white_is_zero: bool) -> ByteImage:
    """See `to_rgb`. A band is shrunk first where the mode allows it: the conversions then touch few pixels."""
    if depth is not None:
        band = Image.fromarray(eight_bits(np.asarray(band), depth, white_is_zero=white_is_zero))
    elif band.mode == "LAB":
        band = band.getchannel("L")  # colour tells us little, and Pillow needs a profile for it
    if factor > 1 and band.mode in _SHRINKS_WELL and "transparency" not in band.info:
        band, factor = band.reduce(factor), 1
    if band.has_transparency_data:
        band = _on_white(band)
    elif band.mode == "1":
        band = band.convert("L")
    elif band.mode not in _SHRINKS_WELL:
        band = band.convert("RGB")
    if factor > 1:
        band = band.reduce(factor)
    return np.asarray(band if band.mode == "RGB" else band.convert("RGB"), dtype=np.uint8)


def _on_white(picture: Image.Image) -> Image.Image:
    if picture.mode == "La":
        picture = picture.convert("LA")
    rgba = picture if picture.mode == "RGBA" else picture.convert("RGBA")
    paper = Image.new("RGB", rgba.size, "white")
    paper.paste(rgba, mask=rgba.getchannel("A"))
    return paper


def deep_bits(picture: Image.Image) -> int:
    """How many bits the values of a deep grey picture (modes I and F) have; 0 for floats from 0 to 1.

    Files with 16 or 32 bits a pixel often hold fewer (10- or 12-bit sensors, floats from 0 to 1) and don't say so.
    The depth is taken to be the smallest of 8, 10, 12 and 16 bits that holds the largest value: a photo of a sheet of
    paper never stays below a sixteenth of its range, and a dark one must not be stretched by its noise.
    """
    largest = max(float(_finite(np.asarray(band)).max()) for band in _bands(picture))
    if picture.mode.startswith("F") and largest <= 1:
        return 0
    whole = int(min(largest, _LARGEST_FLOAT)) if picture.mode.startswith("F") else int(largest)
    return next((bits for bits in _DEPTHS if whole < 1 << bits), whole.bit_length())


def eight_bits(values: npt.NDArray[Any], depth: int, *, white_is_zero: bool = False) -> ByteImage:
    """Deep grey values [h, w] (int or float, black 0) of so many bits to uint8; never stretches the contrast."""
    values = _finite(values)
    if depth == 0:
        grey = (np.clip(values, 0, 1) * 255).astype(np.uint8)
    else:
        whole = np.clip(values, 0, _LARGEST_FLOAT).astype(np.int64) if values.dtype.kind == "f" else values
        grey = (np.maximum(whole, 0) >> (depth - 8)).astype(np.uint8)
    return np.asarray(255 - grey if white_is_zero else grey, dtype=np.uint8)


def _finite(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0) if values.dtype.kind == "f" else values


def turn(rgb: ByteImage, orientation: int) -> ByteImage:
    """The picture as a viewer shows it; `orientation` is EXIF's, anything but 2 to 8 leaves the picture as it is."""
    if orientation not in range(2, 9):
        return rgb
    import cv2  # several times as fast as a contiguous copy by numpy, and only turned pictures need it

    if orientation in {2, 3, 4}:
        turned = cv2.flip(rgb, {2: 1, 3: -1, 4: 0}[orientation])
    elif orientation == 5:
        turned = cv2.transpose(rgb)
    elif orientation == 7:
        turned = cv2.flip(cv2.transpose(rgb), -1)
    else:
        turned = cv2.rotate(rgb, cv2.ROTATE_90_CLOCKWISE if orientation == 6 else cv2.ROTATE_90_COUNTERCLOCKWISE)
    return np.asarray(turned, dtype=np.uint8)


def swaps_sides(orientation: int) -> bool:
    """True when width and height change places."""
    return orientation in {5, 6, 7, 8}


def bottom_side(orientation: int) -> str:
    """Where a viewer shows the end of the stored picture: "lower", "upper", "left" or "right"."""
    return _BOTTOM_GOES.get(orientation, "lower")


def missing_share(picture: Image.Image, side: str, filler: int) -> float:
    """The share, 0 to 1, of whole rows (or columns) at one side that hold nothing but the decoder's filler value."""
    blank = [_blank(np.asarray(band), filler) for band in _bands(picture)]
    if side in {"left", "right"}:
        lines = np.all([band.all(axis=0) for band in blank], axis=0)
    else:
        lines = np.concatenate([band.all(axis=1) for band in blank])
    lines = lines if side in {"left", "upper"} else lines[::-1]
    return 1.0 if lines.all() else float(np.argmin(lines)) / len(lines)


def _blank(values: npt.NDArray[Any], filler: int) -> npt.NDArray[np.bool_]:
    """Which pixels of an array [h, w] or [h, w, channels] hold the filler only: bool [h, w]."""
    return np.asarray(np.all((values == filler).reshape(*values.shape[:2], -1), axis=2))


def paint_missing(rgb: ByteImage, side: str, share: float) -> ByteImage:
    """A copy with the missing part in mid-grey, as viewers show it, whatever the decoder left there."""
    out = rgb.copy()
    height, width = out.shape[:2]
    rows, cols = round(share * height), round(share * width)
    areas = {
        "upper": out[:rows], "lower": out[height - rows :], "left": out[:, :cols], "right": out[:, width - cols :],
    }  # fmt: skip
    areas[side][:] = _MISSING_GREY
    return out
