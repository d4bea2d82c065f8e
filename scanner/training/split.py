"""Which photos, puzzles and writers train, tune and test the reader: fixed, so that no figure is of what trained it.

A puzzle is never torn apart: all photos of it are in one part. So is a writer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Final

from scanner.training.fonts import Split

CALENDAR_TEST: Final = frozenset({"02_19", "03_01", "03_10"})
CALENDAR_VAL: Final = frozenset({"03_05"})
SWISS_TEST: Final = frozenset({2, 9, 14, 19})
SWISS_VAL: Final = frozenset({6, 17})
MNIST_TEST: Final = 101
"""The writer group of MNIST's own test file."""


def swiss_split(writer: int) -> Split:
    """Part of one of the Swiss writers."""
    return "test" if writer in SWISS_TEST else "val" if writer in SWISS_VAL else "train"


def newspaper_split(cells: Mapping[str, object]) -> Split:
    """Part of a newspaper puzzle, by a hash of its contents, so that all photos of a puzzle fall together."""
    content = "".join(str(value) if isinstance(value, int) else "." for value in cells.values())
    bucket = int(hashlib.sha256(content.encode()).hexdigest(), 16) % 10
    if bucket < 3:
        return "test"
    return "val" if bucket == 3 else "train"


def photo_split(folder: str, stem: str, cells: Mapping[str, object]) -> Split:
    """Part of a photo of the development data, by its folder's name, file stem and true contents."""
    if folder == "sudoku-newspaper":
        return newspaper_split(cells)
    if folder == "sudoku-calendar":
        puzzle = "_".join(stem.split("_")[1:3])
        if puzzle in CALENDAR_TEST:
            return "test"
        return "val" if puzzle in CALENDAR_VAL else "train"
    return "test"  # the two sheets filled in by hand are never trained on
