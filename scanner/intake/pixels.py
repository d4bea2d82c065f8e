"""From whatever Pillow decoded to upright 8-bit RGB.

Colour profiles are ignored: ink against paper is told apart by contrast, which no profile of a camera or scanner
changes enough to matter, while applying one costs more time than the decoding.
"""

from __future__ import annotations

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


def to_rgb(picture: Image.Image, factor: int, *, white_is_zero: bool = False) -> ByteImage:
    """uint8 [h, w, 3] of a decoded picture, shrunk by a whole `factor` (each pixel is the mean of factor x factor).

    Transparent parts become white paper. Large pictures are shrunk first where the mode allows it: the conversions
    then touch few pixels. white_is_zero: deep grey of a TIFF whose photometric interpretation is WhiteIsZero.
    """
    if picture.mode.startswith(("I", "F")):
        picture = Image.fromarray(eight_bits(np.asarray(picture), white_is_zero=white_is_zero))
    elif picture.mode == "LAB":
        picture = picture.getchannel("L")  # colour tells us little, and Pillow needs a profile for it
    if factor > 1 and picture.mode in _SHRINKS_WELL and "transparency" not in picture.info:
        picture, factor = picture.reduce(factor), 1
    if picture.has_transparency_data:
        picture = _on_white(picture)
    elif picture.mode == "1":
        picture = picture.convert("L")
    elif picture.mode not in _SHRINKS_WELL:
        picture = picture.convert("RGB")
    if factor > 1:
        picture = picture.reduce(factor)
    return np.asarray(picture if picture.mode == "RGB" else picture.convert("RGB"), dtype=np.uint8)


def _on_white(picture: Image.Image) -> Image.Image:
    if picture.mode == "La":
        picture = picture.convert("LA")
    rgba = picture if picture.mode == "RGBA" else picture.convert("RGBA")
    paper = Image.new("RGB", rgba.size, "white")
    paper.paste(rgba, mask=rgba.getchannel("A"))
    return paper


def eight_bits(values: npt.NDArray[Any], *, white_is_zero: bool = False) -> ByteImage:
    """Deep grey values [h, w] (int or float, black 0) to uint8, by the bit depth and never by stretching the contrast.

    Files with 16 or 32 bits a pixel often hold fewer (10- or 12-bit sensors, floats from 0 to 1) and don't say so.
    The depth is taken to be the smallest of 8, 10, 12 and 16 bits that holds the largest value: a photo of a sheet of
    paper never stays below a sixteenth of its range, and a dark one must not be stretched by its noise.
    """
    if values.dtype == np.bool_ or values.size == 0:
        return np.asarray(values, dtype=np.uint8) * np.uint8(255)
    if values.dtype.kind == "f":
        finite = np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)
        values = np.clip(finite, 0, 1) * 255 if finite.max() <= 1 else np.clip(finite, 0, 2**31 - 128)
        values = values.astype(np.int64)
    largest = int(values.max())
    depth = next((bits for bits in _DEPTHS if largest < 1 << bits), largest.bit_length())
    grey = (np.maximum(values, 0) >> (depth - 8)).astype(np.uint8)
    return np.asarray(255 - grey if white_is_zero else grey, dtype=np.uint8)


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
    values = np.asarray(picture)
    blank = np.all((values == filler).reshape(*values.shape[:2], -1), axis=2)
    lines = blank.all(axis=0 if side in {"left", "right"} else 1)
    lines = lines if side in {"left", "upper"} else lines[::-1]
    return 1.0 if lines.all() else float(np.argmin(lines)) / len(lines)


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
