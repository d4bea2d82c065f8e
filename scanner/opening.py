"""Reads a file that somebody named, whatever it is: never for ever, and never more than was asked for.

A name may stand for a named pipe into which nobody writes, a terminal or a device without an end. All input files of
the commands are read here.
"""

from __future__ import annotations

import errno
import os
import re
import select
import stat
import time
from pathlib import Path

WRITER_SECONDS = 5.0
"""How long a pipe may have no writer. A shell's ``<(...)`` has one from the start."""
SILENT_SECONDS = 60.0
"""How long a pipe's writer may send nothing."""
_CHUNK = 1 << 16
_LINE_BREAK = re.compile(r"\r\n|\r|\n")


def read_up_to(path: str | Path, limit: int) -> bytes:
    """The file's bytes, at most `limit` of them: with one more than is allowed, a caller sees that there are too many.

    Files and pipes are read. Raises OSError as `open` does, with a `strerror` fit for a message, also for a folder, a
    device or a socket (a terminal is a device), and TimeoutError for a pipe out of which nothing comes.
    """
    mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise OSError(errno.ENODEV, "it is a device, not a file", str(path))
    if stat.S_ISSOCK(mode):
        raise OSError(errno.ENXIO, "it is a socket, not a file", str(path))
    if stat.S_ISFIFO(mode):
        return _from_pipe(path, limit)
    with open(path, "rb") as file:
        return file.read(limit)


def lines_of(text: str) -> list[str]:
    """The lines of a text, whichever system's line ends it has (old Macs wrote a lone CR), without them."""
    return _LINE_BREAK.split(text)


def _from_pipe(path: str | Path, limit: int) -> bytes:
    # non-blocking: else opening alone waits for a writer
    pipe = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    try:
        parts: list[bytes] = []
        left = limit
        opened = time.monotonic()
        while left > 0:
            try:
                part = os.read(pipe, min(left, _CHUNK))
            except BlockingIOError:  # there is a writer, and he has sent nothing more yet
                if not select.select([pipe], [], [], SILENT_SECONDS)[0]:
                    raise _silent(path) from None
                continue
            if part:
                parts.append(part)
                left -= len(part)
            elif parts or (waited := time.monotonic() - opened) >= WRITER_SECONDS:
                break
            else:  # nobody has it open for writing yet, or no longer
                select.select([pipe], [], [], WRITER_SECONDS - waited)
                time.sleep(0.01)
        if not parts and limit > 0:
            raise _silent(path)
        return b"".join(parts)
    finally:
        os.close(pipe)


def _silent(path: str | Path) -> TimeoutError:
    return TimeoutError(errno.ETIMEDOUT, "it is a pipe, and nothing comes out of it", str(path))
