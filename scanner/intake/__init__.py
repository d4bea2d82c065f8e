"""Intake: a file or its bytes -> `Photo`, page by page. The only decoder of the product.

Everything is decoded by Pillow (PDF: by PDFium), turned once by its EXIF orientation, brought to 8-bit RGB, at no more
than the size that the later stages need, and within limits that keep decompression bombs out. Nothing else of a file's
metadata is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scanner.errors import NotAnImageError, TruncatedError
from scanner.intake import files
from scanner.intake.limits import DECODE_LONG_SIDE, MAX_BYTES, MAX_PAGES, MAX_PIXELS
from scanner.intake.photo import Photo

__all__ = ["DECODE_LONG_SIDE", "MAX_BYTES", "MAX_PAGES", "MAX_PIXELS", "Photo", "load"]


def load(source: str | Path | bytes, *, name: str | None = None, long_side: int = DECODE_LONG_SIDE) -> Iterator[Photo]:
    """Decodes the pages of a file, each only when it is asked for.

    source: a path, or the file's bytes. name: what messages and `Photo.source` call it (by default the path as given).
    long_side: pixels of the longer side that suffice. A JPEG is decoded at the smallest scale of libjpeg that isn't
    below it, other pictures are shrunk by a whole factor to between one and two times as much; nothing is enlarged.

    A cut-off picture is used as far as it goes (`Photo.warnings` says how much is missing); of an animation the first
    picture counts. Raises, from the first page on: `MissingFileError`, `EmptyFileError`, `NotAnImageError`,
    `TruncatedError`, `TooLargeError`, `UnreadableError`, `MissingExtraError`, all of them `FileError`.
    """
    if long_side < 1:
        raise ValueError(f"long_side: expected at least 1, got {long_side}")
    if isinstance(source, bytes):
        name = "picture" if name is None else name
        data = source
    else:
        name = str(source) if name is None else name
        data = files.read_bytes(source, name)
    subject = files.printable(name)
    files.check_bytes(len(data), subject)
    kind = files.sniff(data)
    if kind is None:
        if files.starts_like_a_picture(data):
            raise TruncatedError("the file ends after a few bytes", remedy="copy it again", subject=subject)
        raise NotAnImageError("this is no picture", remedy=f"give a photo or scan as {files.KNOWN}", subject=subject)
    if kind == "PDF":
        from scanner.intake.documents import document_pages

        yield from document_pages(data, name, subject, long_side)
    else:
        from scanner.intake.pictures import picture_pages

        yield from picture_pages(data, kind, name, subject, long_side)
