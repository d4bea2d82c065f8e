"""The one exception tree: each class is one cause, with a remedy and an exit status.

Expected outcomes (no sheet in the photo) are values, not exceptions; see `scanner.locate.NotFound`.
The command translates a `PadscoreError` once, at its edge; a batch turns a `FileError` into a `Problem`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar


class PadscoreError(Exception):
    """What went wrong in one clause, and what the user can do about it in another.

    `str(error)` is one line: ``subject: cause; remedy``.
    """

    exit_status: ClassVar[int] = 2
    code: ClassVar[str] = "usage"

    def __init__(self, cause: str, *, remedy: str, subject: str = "") -> None:
        self.cause = cause
        self.remedy = remedy
        self.subject = subject
        head = f"{subject}: " if subject else ""
        super().__init__(f"{head}{cause}; {remedy}")

    def __reduce__(self) -> tuple[Callable[..., PadscoreError], tuple[object, ...]]:
        """Pickled by its parts, so that a worker's error arrives in the process that waits for it."""
        return _again, (type(self), self.cause, self.remedy, self.subject)


def _again(kind: type[PadscoreError], cause: str, remedy: str, subject: str) -> PadscoreError:
    return kind(cause, remedy=remedy, subject=subject)


class UsageError(PadscoreError):
    """Wrong usage, or a malformed board, log, template or answer (exit status 2)."""


class TemplateError(UsageError):
    """A template file is malformed, unknown or contradicts itself."""

    code = "template"


class BoardError(UsageError):
    """A typed board is malformed: names the cell and the reason."""

    code = "board"


class AnswerError(UsageError):
    """An ``--answer`` is malformed or names a cell that isn't there."""

    code = "answer"


class RollLogError(UsageError):
    """A roll log has a line that is no roll."""

    code = "rolls"


class FileError(PadscoreError):
    """A file could not be read, or needs an extra that isn't installed (exit status 4)."""

    exit_status = 4
    code = "unreadable"


class MissingFileError(FileError):
    """There is no such file, or it is a directory."""

    code = "missing"


class EmptyFileError(FileError):
    """The file has no bytes."""

    code = "empty-file"


class NotAnImageError(FileError):
    """The bytes are no picture in a format that we know."""

    code = "not-image"


class TruncatedError(FileError):
    """The picture is cut off so early that nothing of it can be used."""

    code = "truncated"


class TooLargeError(FileError):
    """More pixels, pages or bytes than the limits allow (a decompression bomb, perhaps)."""

    code = "too-large"


class UnreadableError(FileError):
    """The file exists but can't be opened or decoded (permission, damage)."""

    code = "unreadable"


class MissingExtraError(FileError):
    """The format needs an optional dependency; the remedy says which."""

    code = "missing-extra"
