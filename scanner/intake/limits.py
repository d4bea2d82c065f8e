"""How much a file may ask for. Everything is checked against the header, before memory is taken for the pixels."""

from __future__ import annotations

DECODE_LONG_SIDE = 1000
"""Pixels of the longer side that suffice later; a picture is decoded at the smallest cheap scale not below it."""

MAX_PIXELS = 200_000_000
"""Phones shoot 108 and 200 megapixels (16320 x 12240 is 199.8 million); what claims more is a mistake or a bomb.

A PNG of that size takes 0.8 GB while it is decoded (Pillow holds 4 bytes a pixel), a JPEG a quarter or less of that.
"""

MAX_BYTES = 512 * 1024 * 1024
"""The largest camera files are below 100 MB; long scans in one TIFF reach a few hundred. A file is read as a whole."""

MAX_PAGES = 200
"""A feeder's full tray. A longer document is refused as a whole rather than read in part without saying so."""

USABLE_SHARE = 0.05
"""A cut-off picture with less than this share of its rows is no use: no sheet fits in there."""
