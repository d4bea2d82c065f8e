"""From a name to bytes, and from the first bytes to a format."""

from __future__ import annotations

import os
from pathlib import Path

from scanner.errors import EmptyFileError, MissingFileError, TooLargeError, UnreadableError
from scanner.intake import limits
from scanner.opening import read_up_to

KNOWN = "JPEG, PNG, TIFF, GIF, WebP, AVIF, HEIC, BMP or PDF"

_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\xff\xd8\xff", "JPEG"),
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"GIF87a", "GIF"),
    (b"GIF89a", "GIF"),
    (b"II*\x00", "TIFF"),
    (b"MM\x00*", "TIFF"),
    (b"II+\x00", "TIFF"),
    (b"MM\x00+", "TIFF"),
    (b"%PDF-", "PDF"),
    (b"BM", "BMP"),
    *((b"P%d%c" % (kind, space), "PPM") for kind in range(1, 7) for space in b" \t\r\n"),
)
_HEIC_BRANDS = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"msf1"})
_AVIF_BRANDS = frozenset({b"avif", b"avis"})
_SHORTEST_CLUE = 3
"""So many bytes of a signature are enough to say that a file is cut off rather than no picture."""


def printable(name: str) -> str:
    """A file's name in one line, fit for any terminal: control and undecodable characters are escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode() for c in name)


def read_bytes(path: str | Path, name: str) -> bytes:
    """The whole file. Raises `MissingFileError`, `UnreadableError`, `TooLargeError` or `EmptyFileError`.

    Reading it at once leaves no file open between the pages, whether or not the caller asks for all of them.
    """
    subject = printable(name)
    try:
        if os.path.getsize(path) > limits.MAX_BYTES:  # asked first: it needn't be read to be refused
            raise _too_large(subject)
        return read_up_to(path, limits.MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: a null byte in the name
        raise MissingFileError("there is no such file", remedy="check the name", subject=subject) from None
    except IsADirectoryError:
        cause, remedy = "this is a folder, not a picture", "name the pictures in it"
        raise MissingFileError(cause, remedy=remedy, subject=subject) from None
    except OSError as error:
        if isinstance(error, PermissionError):
            cause, remedy = "no permission to read the file", "allow reading it, or copy it to a folder of yours"
        else:
            cause = f"the file can't be read ({error.strerror or error})"
            remedy = "check the name, or copy the file again"
        raise UnreadableError(cause, remedy=remedy, subject=subject) from error


def check_bytes(count: int, subject: str) -> None:
    """Raises `EmptyFileError` for none, `TooLargeError` for more than the limit."""
    if count == 0:
        raise EmptyFileError("the file is empty", remedy="copy it again from the camera", subject=subject)
    if count > limits.MAX_BYTES:
        raise _too_large(subject)


def _too_large(subject: str) -> TooLargeError:
    cause = f"the file has more than {limits.MAX_BYTES // 2**20} MB"
    return TooLargeError(cause, remedy="save it smaller or split it", subject=subject)


def sniff(data: bytes) -> str | None:
    """The format by the first bytes, whatever the name says; null when it's none that we read."""
    head = data[:1024]
    for signature, kind in _SIGNATURES:
        if head.startswith(signature):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "WEBP"
    if head[4:8] == b"ftyp":
        return _ftyp(head)
    if head.lstrip(b"\xef\xbb\xbf\x00\t\r\n ").startswith(b"%PDF-"):
        return "PDF"
    return None


def _ftyp(head: bytes) -> str | None:
    """AVIF or HEIF, by the major and the compatible brands of an ISO base media file (ISO 14496-12, 4.3)."""
    end = min(int.from_bytes(head[:4], "big"), len(head))
    brands = {head[8:12], *(head[i : i + 4] for i in range(16, end - 3, 4))}
    if brands & _AVIF_BRANDS:
        return "AVIF"
    return "HEIF" if brands & _HEIC_BRANDS else None


def starts_like_a_picture(data: bytes) -> bool:
    """True when so few bytes are left that they are only the beginning of a signature."""
    return len(data) >= _SHORTEST_CLUE and any(signature.startswith(data) for signature, _ in _SIGNATURES)


def is_cut_off(data: bytes, kind: str) -> bool:
    """True when the file ends before its format says it should (false also means: can't tell)."""
    if kind == "JPEG":
        return not data.rstrip(b"\x00\r\n").endswith(b"\xff\xd9")
    if kind == "PNG":
        return b"IEND" not in data[-65536:]
    if kind == "GIF":
        return not data.rstrip(b"\x00").endswith(b";")
    if kind == "WEBP":
        return len(data) < int.from_bytes(data[4:8], "little") + 8
    if kind == "BMP":
        return len(data) < int.from_bytes(data[2:6], "little")
    if kind == "TIFF":
        directory = int.from_bytes(data[4:8], "little" if data[:1] == b"I" else "big")
        return len(data) < 8 or directory + 2 > len(data)
    if kind == "PDF":
        return b"%%EOF" not in data[-4096:]
    if kind in {"AVIF", "HEIF"}:
        return _boxes_run_over(data)
    return False


def _boxes_run_over(data: bytes) -> bool:
    """True when a top-level box of an ISO base media file is longer than what is left of the file."""
    at = 0
    while at < len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        if length == 1:
            length = int.from_bytes(data[at + 8 : at + 16], "big")
        if length == 0:  # to the end of the file
            return False
        if length < 8 or at + length > len(data):
            return True
        at += length
    return False
