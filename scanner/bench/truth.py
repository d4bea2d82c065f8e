"""The folder of a bench: which photos there are, and what is really on them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import cv2
import numpy as np

from scanner.board import ReadBoard
from scanner.errors import BoardError, UsageError
from scanner.geometry import FloatArray, polygon_area
from scanner.results import VALUED_STATES, CellReading
from scanner.templates import Template
from scanner.typed import load_typed

PICTURE_SUFFIXES = frozenset(
    f".{suffix}"
    for suffix in (
        *("jpg", "jpeg", "png", "tif", "tiff", "gif", "webp"),
        *("avif", "heic", "heif", "bmp", "pdf", "ppm", "pgm"),
    )
)
"""Suffixes by which a photo is told from other files; what it really is, its bytes say."""


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """What is really on one sheet.

    board: every cell, true. corners: float64 [4, 2], of the main lattice, the template's top left first, clockwise, px
    of the picture as a viewer shows it; null where nobody marked them.
    """

    template: Template
    board: ReadBoard
    corners: FloatArray | None

    @property
    def names(self) -> dict[str, str]:
        """For each cell what it holds, by the name that readings have."""
        return {cell: name_of(reading) for cell, reading in self.board.cells.items()}

    @property
    def puzzle(self) -> str:
        """Equal for sheets with equal contents: photos of one puzzle, which aren't independent of each other."""
        return f"{self.template.id}:{','.join(self.names.values())}"


@dataclass(frozen=True, slots=True)
class Case:
    """One photo and the sheets that are known to be on it."""

    photo: Path
    truths: tuple[Truth, ...]


@dataclass(frozen=True, slots=True)
class Cases:
    """A bench's folder. notes: one line for each file that stands alone."""

    cases: tuple[Case, ...]
    notes: tuple[str, ...]


def name_of(reading: CellReading) -> str:
    """What a cell holds, in one word: its value, or its state if it has none (a mark that isn't made is blank)."""
    if reading.value is not None:
        return str(reading.value)
    return "blank" if reading.state in VALUED_STATES else reading.state


def find_cases(folder: Path, templates: Mapping[str, Template]) -> Cases:
    """The photos of a folder with their truth files, by name.

    Raises UsageError if there are none, BoardError naming the file for a truth that is none.
    """
    if not folder.is_dir():
        raise UsageError("there is no such folder", remedy="give a folder of photos", subject=str(folder))
    files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    photos = [path for path in files if path.suffix.lower() in PICTURE_SUFFIXES]
    truths = {path.stem: path for path in files if path.suffix.lower() == ".json"}
    cases = [Case(photo, read_truths(truths[photo.stem], templates)) for photo in photos if photo.stem in truths]
    if not cases:
        remedy = "put NAME.json beside NAME.jpg; `padscore bench --help` shows its form"
        raise UsageError("there is no photo with a truth file", remedy=remedy, subject=str(folder))
    stems = {photo.stem for photo in photos}
    notes = [f"{photo.name}: no truth file beside it, left out" for photo in photos if photo.stem not in truths]
    notes += [f"{truth.name}: no photo beside it, left out" for stem, truth in truths.items() if stem not in stems]
    return Cases(tuple(cases), tuple(notes))


def read_truths(path: Path, templates: Mapping[str, Template]) -> tuple[Truth, ...]:
    """The sheets of a truth file: one, or several where the file has the form of a document of ``scan --json``."""
    boards = load_typed(path, templates)
    text = path.read_text(encoding="utf-8-sig")
    loaded = json.loads(text) if text.lstrip().startswith("{") else {}
    sheets = loaded.get("sheets", [loaded])
    return tuple(
        Truth(typed.template, typed.board, _corners(sheet.get("corners"), path.name))
        for typed, sheet in zip(boards, sheets, strict=True)
    )


def _corners(given: object, subject: str) -> FloatArray | None:
    if given is None:
        return None
    if not isinstance(given, list) or len(given) != 4:
        _refuse(subject, "its corners are no list of four points")
    for point in given:
        if not isinstance(point, list) or len(point) != 2 or not all(_is_number(number) for number in point):
            _refuse(subject, "a corner is no point [x, y]")
    corners = np.array(given, dtype=np.float64)
    if polygon_area(corners) <= 0 or not cv2.isContourConvex(corners.astype(np.float32)):
        _refuse(subject, "its corners don't go clockwise around a sheet")
    return corners


def _is_number(given: object) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool) and math.isfinite(given)


def _refuse(subject: str, cause: str) -> NoReturn:
    remedy = "write [[x, y], [x, y], [x, y], [x, y]], top left, top right, bottom right, bottom left"
    raise BoardError(cause, remedy=remedy, subject=subject)
