"""How much a file may ask for. Everything is checked against the header, before memory is taken for the pixels."""

from __future__ import annotations

DECODE_LONG_SIDE = 1000
"""Pixels of the longer side that suffice later; a picture is decoded at the smallest cheap scale not below it."""

MAX_PIXELS = 200_000_000
"""Phones shoot 108 and 200 megapixels (16320 x 12240 is 199.8 million); what claims more is a mistake or a bomb."""

MAX_DECODED_BYTES = 600_000_000
"""Memory that decoding may take at once, by `decoded_bytes`; the file itself comes on top. An A4 page scanned in colour
at 1200 dpi takes 560 million, the JPEG of a 200-megapixel phone hardly anything, as it is decoded at a fraction of its
size; an empty PNG of 14,000 x 14,000 would take 784 million.
"""

_BYTES = {"1": 1, "L": 1, "P": 1, "I;16": 2, "I;16B": 2, "I;16L": 2}
"""Bytes a pixel in Pillow's memory, by mode; 4 for all others."""
_DECODER_BYTES = {"WEBP": 16, "AVIF": 9, "HEIF": 8}
"""Bytes a pixel, Pillow's included, that decoders take which hold the whole picture themselves (measured)."""
_COEFFICIENTS = 6
"""Bytes a pixel of a progressive JPEG, whose coefficients are all held until its last scan (no subsampling)."""


def decoded_bytes(width: int, height: int, mode: str, kind: str, *, shrink: int = 1, progressive: bool = False) -> int:
    """About how much memory decoding takes. shrink: at which fraction of its size a JPEG is decoded."""
    if kind == "JPEG":
        a_pixel = _BYTES.get(mode, 4) / shrink**2
        if progressive:
            a_pixel += _COEFFICIENTS if mode != "L" else _COEFFICIENTS / 3
    else:
        a_pixel = _DECODER_BYTES.get(kind, _BYTES.get(mode, 4))
    return round(width * height * a_pixel)


MAX_BYTES = 512 * 1024 * 1024
"""The largest camera files are below 100 MB; long scans in one TIFF reach a few hundred. A file is read as a whole."""

MAX_PAGES = 200
"""A feeder's full tray. A longer document is refused as a whole rather than read in part without saying so."""

USABLE_SHARE = 0.05
"""A cut-off picture with less than this share of its rows is no use: no sheet fits in there."""
