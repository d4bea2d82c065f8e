"""Keeps decoders' chatter (damaged EXIF, odd TIFF tags) away from the user; what matters becomes a `Photo.warnings`."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import logging
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

_DECODERS = r"(PIL|pillow_heif|pypdfium2)\b"

for _name in ("PIL", "pillow_heif", "pypdfium2"):
    # Without any handler, logging prints a library's errors on stderr by itself.
    logging.getLogger(_name).addHandler(logging.NullHandler())


class _SharedFilter:
    """One `catch_warnings` for all threads: the first to enter installs it, the last to leave takes it away.

    `catch_warnings` changes the whole process, and two that overlap in different threads leave each other's filters
    behind.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._caught: warnings.catch_warnings[None] | None = None

    def enter(self) -> None:
        with self._lock:
            if self._users == 0:
                self._caught = warnings.catch_warnings()
                self._caught.__enter__()
                warnings.filterwarnings("ignore", module=_DECODERS)
            self._users += 1

    def leave(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0 and self._caught is not None:
                self._caught.__exit__(None, None, None)
                self._caught = None


_SHARED = _SharedFilter()


@contextmanager
def quiet() -> Iterator[None]:
    """Ignores warnings that the decoding libraries raise, and only those, until the block ends."""
    _SHARED.enter()
    try:
        yield
    finally:
        _SHARED.leave()


@functools.cache
def silence_libtiff() -> None:
    """Stops the libtiff inside Pillow from printing on stderr what is wrong with a damaged TIFF; Pillow raises anyway.

    Pillow itself silences only libtiff's warnings. Its errors go to a handler that can be taken away, once, through the
    symbol that Pillow's own module links to; redirecting stderr instead would swallow what other threads print.
    Where Pillow was linked without that symbol (statically, as on Windows) the noise stays: it harms nothing.
    """
    spec = importlib.util.find_spec("PIL._imaging")
    if spec is None or spec.origin is None:
        return
    try:
        set_handler = ctypes.CDLL(spec.origin).TIFFSetErrorHandler
    except (OSError, AttributeError):
        return
    set_handler.argtypes, set_handler.restype = [ctypes.c_void_p], ctypes.c_void_p
    set_handler(None)
