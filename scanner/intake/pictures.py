"""Pages of every format that Pillow decodes. The one place where it is asked to."""

from __future__ import annotations

import importlib
import io
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import IO

from PIL import Image, ImageFile, features

from scanner.errors import (
    FileError,
    MissingExtraError,
    NotAnImageError,
    TooLargeError,
    TruncatedError,
    UnreadableError,
)
from scanner.intake import limits, pixels
from scanner.intake.files import KNOWN, is_cut_off
from scanner.intake.photo import Photo
from scanner.intake.quiet import quiet, silence_libtiff

_PLUGINS = {
    "JPEG": "JpegImagePlugin", "PNG": "PngImagePlugin", "TIFF": "TiffImagePlugin", "GIF": "GifImagePlugin",
    "WEBP": "WebPImagePlugin", "AVIF": "AvifImagePlugin", "BMP": "BmpImagePlugin", "PPM": "PpmImagePlugin",
}  # fmt: skip
_WEAK_SIGNATURES = frozenset({"BMP", "PPM"})
"""Two letters that a text can begin with as well: what then can't be opened is no picture."""

_DECODER_ERRORS = (
    OSError, SyntaxError, ValueError, LookupError, TypeError, ArithmeticError, AttributeError, AssertionError,
    EOFError, RuntimeError, struct.error, zlib.error,
)  # fmt: skip
"""All that Pillow's decoders were seen, or are documented, to raise on damaged files; they have no common base."""

_LIBJPEG_FILLER = 128
"""What libjpeg shows where it has no data: grey in all channels."""

_ORIENTATION = 0x0112
_SUBFILE_TYPE, _PHOTOMETRIC = 254, 262
_REDUCED_OR_MASK = 0b101
"""TIFF 6.0, NewSubfileType: bit 0 a reduced version of another page, bit 2 a transparency mask of one."""


@dataclass(frozen=True, slots=True)
class _Source:
    """A file's bytes and all that errors need to know of it. subject: the file's name, printable."""

    data: bytes
    kind: str
    name: str
    subject: str
    long_side: int

    @property
    def cut_off(self) -> bool:
        return is_cut_off(self.data, self.kind)

    def at(self, page: int) -> str:
        return self.subject if page == 1 else f"{self.subject}, page {page}"

    def unusable(self, page: int, *, cut_off: bool = False) -> FileError:
        if cut_off or self.cut_off:
            return TruncatedError(
                "the file is cut off, and nothing of the picture is left", remedy="copy it again", subject=self.at(page)
            )
        return UnreadableError(
            "the file is damaged", remedy="copy it again, or take a new photo", subject=self.at(page)
        )


@dataclass(frozen=True, slots=True)
class _Loss:
    """How much of a damaged picture is missing (0 to 1), on which side as a viewer shows it, and why."""

    share: float
    side: str
    cut_off: bool


def picture_pages(data: bytes, kind: str, name: str, subject: str, long_side: int) -> Iterator[Photo]:
    """Decodes the pages of a picture file one by one. kind: as `files.sniff` says. Raises `FileError` subclasses."""
    source = _Source(data, kind, name, subject, long_side)
    with quiet():
        picture = _open(source)
    for page in _page_numbers(picture, source):
        with quiet():
            photo = _decode(picture, page, source)
        yield photo


def _open(source: _Source) -> ImageFile.ImageFile:
    """Reads the header.

    The format's own factory instead of `Image.open`: that would try 40 more formats, and its guard against bombs
    is a process-wide setting that lies below what phones shoot.
    """
    try:
        if source.kind == "HEIF":
            return _open_heif(source)
        if source.kind in {"WEBP", "AVIF"} and not features.check(source.kind.lower()):
            raise UnreadableError(
                f"this Pillow was built without {source.kind}",
                remedy="install the usual one with: pip install --force-reinstall pillow",
                subject=source.subject,
            )
        if source.kind == "TIFF":
            silence_libtiff()
        importlib.import_module(f"PIL.{_PLUGINS[source.kind]}")
        factory, _ = Image.OPEN[source.kind]
        return factory(io.BytesIO(source.data), "")
    except Image.DecompressionBombError as error:
        raise _bomb(source.subject) from error
    except _DECODER_ERRORS as error:
        if source.kind in _WEAK_SIGNATURES:
            raise NotAnImageError(
                "this is no picture", remedy=f"give a photo or scan as {KNOWN}", subject=source.subject
            ) from error
        raise source.unusable(1) from error


def _open_heif(source: _Source) -> ImageFile.ImageFile:
    try:
        from pillow_heif import HeifImageFile
    except ImportError as error:
        raise MissingExtraError(
            "HEIC pictures need an extra",
            remedy='install it with: pip install "padscore[heic]"',
            subject=source.subject,
        ) from error
    factory: Callable[[IO[bytes], str], ImageFile.ImageFile] = HeifImageFile
    return factory(io.BytesIO(source.data), "")


def _page_numbers(picture: ImageFile.ImageFile, source: _Source) -> Iterator[int]:
    """Numbers of the pages, from 1, with the picture set to each in turn. Only TIFFs have pages (see `_animated`)."""
    if source.kind != "TIFF":
        yield 1
        return
    if _seek(picture, limits.MAX_PAGES, source, strict=False):  # walks the directories only
        raise TooLargeError(
            f"the file has more than {limits.MAX_PAGES} pages",
            remedy="split it into several files",
            subject=source.subject,
        )
    page = 1
    while _seek(picture, page - 1, source, strict=True):
        if page == 1 or not _tiff_tag(picture, _SUBFILE_TYPE) & _REDUCED_OR_MASK:
            yield page
        page += 1


def _seek(picture: ImageFile.ImageFile, index: int, source: _Source, *, strict: bool) -> bool:
    """Goes to a frame; false when there is none. strict: a damaged directory is an error, else it counts as none."""
    try:
        with quiet():
            picture.seek(index)
    except EOFError:
        return False
    except _DECODER_ERRORS as error:
        if strict:
            raise source.unusable(index + 1) from error
        return False
    return True


def _tiff_tag(picture: ImageFile.ImageFile, tag: int) -> int:
    """A whole-number tag of the current TIFF page; 0 when it isn't there, isn't a number, or this is no TIFF."""
    value = getattr(picture, "tag_v2", {}).get(tag)
    return value if isinstance(value, int) else 0


def _decode(picture: ImageFile.ImageFile, page: int, source: _Source) -> Photo:
    width, height = _check_size(picture, source.at(page))
    orientation = _tiff_tag(picture, _ORIENTATION)
    white_is_zero = source.kind == "TIFF" and _tiff_tag(picture, _PHOTOMETRIC) == 0
    shrink = _draft(picture, source.long_side) if source.kind == "JPEG" else 1
    _check_memory(picture, source, page, (width, height), shrink)
    warnings: list[str] = []
    loss: _Loss | None = None
    try:
        try:
            picture.load()
        except _DECODER_ERRORS as error:
            cut_off = source.cut_off or "truncated" in str(error)  # Pillow's word for running out of data
            picture, loss = _salvage(picture, orientation, page, source, cut_off=cut_off)
        if source.kind == "TIFF":
            orientation = pixels.UPRIGHT  # Pillow turns TIFFs by itself, and only those
        else:
            orientation = _exif_orientation(picture)
            if source.kind != "JPEG":
                width, height = picture.size  # a HEIC's header can be wrong
            if pixels.swaps_sides(orientation):
                width, height = height, width
        factor = max(1, max(picture.size) // source.long_side)
        rgb = pixels.to_rgb(picture, factor, white_is_zero=white_is_zero)
    except Image.DecompressionBombError as error:
        raise _bomb(source.at(page)) from error
    except MemoryError as error:
        raise TooLargeError(
            "there is not enough memory for the picture", remedy="scale it down", subject=source.at(page)
        ) from error
    except _DECODER_ERRORS as error:
        raise source.unusable(page) from error
    rgb = pixels.turn(rgb, orientation)
    if loss is not None:
        side = loss.side if source.kind == "TIFF" else pixels.bottom_side(orientation)
        rgb = pixels.paint_missing(rgb, side, loss.share)
        warnings.append(_loss_warning(side, loss.share, cut_off=loss.cut_off))
    if source.kind in {"GIF", "WEBP", "PNG", "AVIF"} and _animated(picture):
        warnings.append("the file is an animation: only its first picture is read")
    return Photo(source.name, page, rgb, (width, height), tuple(warnings), loss is not None)


def _check_size(picture: ImageFile.ImageFile, subject: str) -> tuple[int, int]:
    width, height = picture.size
    if width < 1 or height < 1:
        raise UnreadableError("the picture has no pixels", remedy="take a new photo", subject=subject)
    if width * height > limits.MAX_PIXELS:
        raise TooLargeError(
            f"the picture has {width} x {height} pixels, more than {limits.MAX_PIXELS // 1_000_000} million",
            remedy="scale it down",
            subject=subject,
        )
    return width, height


def _check_memory(picture: ImageFile.ImageFile, source: _Source, page: int, size: tuple[int, int], shrink: int) -> None:
    """Raises TooLargeError for a picture that would take more memory than is allowed."""
    progressive = bool(picture.info.get("progressive") or picture.info.get("progression"))
    needed = limits.decoded_bytes(*size, picture.mode, source.kind, shrink=shrink, progressive=progressive)
    if needed > limits.MAX_DECODED_BYTES:
        raise TooLargeError(
            f"its {size[0]} x {size[1]} pixels would take {needed // 1_000_000} MB of memory, more than"
            f" {limits.MAX_DECODED_BYTES // 1_000_000}",
            remedy="scale it down, or save it as a plain JPEG",
            subject=source.at(page),
        )


def _bomb(subject: str) -> TooLargeError:
    return TooLargeError(
        "a part of the file has more pixels than is safe to decode", remedy="scale it down", subject=subject
    )


def _draft(picture: ImageFile.ImageFile, long_side: int) -> int:
    """Has a JPEG decoded at the smallest of 1/1, 1/2, 1/4, 1/8 that leaves its longer side at least `long_side`.

    Returns the denominator.
    """
    width, height = picture.size
    scale = max((s for s in (1, 2, 4, 8) if max(width, height) >= s * long_side), default=1)
    picture.draft(None, (max(1, width // scale), max(1, height // scale)))
    return scale


def _exif_orientation(picture: Image.Image) -> int:
    """1 to 8; 1 when there is none or the EXIF block is damaged. Nothing else of the metadata is looked at."""
    try:
        value = picture.getexif().get(_ORIENTATION)
    except _DECODER_ERRORS:
        return pixels.UPRIGHT
    return value if isinstance(value, int) and 1 <= value <= 8 else pixels.UPRIGHT


def _salvage(
    picture: ImageFile.ImageFile, tiff_orientation: int, page: int, source: _Source, *, cut_off: bool
) -> tuple[ImageFile.ImageFile, _Loss]:
    """What a failed `load` has decoded so far.

    Pillow has a switch for this, but it is process-wide. Without tiles left to decode, a picture counts as loaded and
    shows the rows that were ready (the rest is 0). libjpeg holds rows back until it sees the end (of a progressive
    picture all of them), so a JPEG is given an end and decoded again.
    """
    side, filler = pixels.bottom_side(tiff_orientation), 0
    if page > 1:
        picture = _afresh(page, source)
    ended = _with_end(source) if source.kind == "JPEG" else None
    if ended is not None:
        picture, filler = ended, _LIBJPEG_FILLER
    needs_turn = source.kind == "TIFF" and picture.tile != []
    picture.tile = []
    if needs_turn:
        picture.load_end()
    share = pixels.missing_share(picture, side, filler)
    if 1 - share < limits.USABLE_SHARE:
        raise source.unusable(page, cut_off=cut_off)
    return picture, _Loss(share, side, cut_off)


def _afresh(page: int, source: _Source) -> ImageFile.ImageFile:
    """A page decoded as far as it goes, without the pages before: Pillow decodes over the last page's pixels."""
    picture = _open(source)
    picture.seek(page - 1)
    with suppress(*_DECODER_ERRORS):
        picture.load()
    return picture


def _with_end(source: _Source) -> ImageFile.ImageFile | None:
    """The JPEG with an end-of-image marker after its last byte, decoded; null when that doesn't help."""
    try:
        picture = _open(replace(source, data=source.data + b"\xff\xd9"))
        _draft(picture, source.long_side)
        picture.load()
    except (*_DECODER_ERRORS, FileError):
        return None
    return picture


def _loss_warning(side: str, share: float, *, cut_off: bool) -> str:
    what = "the file is cut off" if cut_off else "the file is damaged"
    percent = round(100 * share)
    if percent == 0:
        return f"{what}: some of the picture may be missing or blurred"
    return f"{what}: the {side} {percent} % of the picture is missing"


def _animated(picture: ImageFile.ImageFile) -> bool:
    """Asked only after the first picture was taken: a GIF looks for the second one, and may fail on it."""
    try:
        return bool(getattr(picture, "is_animated", False))
    except (*_DECODER_ERRORS, Image.DecompressionBombError):
        return False
