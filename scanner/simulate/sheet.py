"""`simulate`: template, contents and a hand in; a photo with its truth out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from scanner.geometry import FloatArray
from scanner.simulate.canvas import Canvas
from scanner.simulate.hands import HandSource, built_in_print
from scanner.simulate.page import has_surroundings
from scanner.simulate.photograph import ByteImage, jpeg, photograph
from scanner.simulate.printing import (
    blank_paper,
    cell_side,
    choose_press,
    plainly_printed,
    print_digits,
    print_sheet,
)
from scanner.simulate.ranges import Ranges
from scanner.simulate.writing import Contents, choose_habits, write
from scanner.templates import Template

DEFAULT_SIZE = (1600, 1200)


@dataclass(frozen=True, eq=False)
class Truth:
    """What is on the sheet, and where it is.

    cells: every cell of the template: its number, "x", "candidates", "struck", or null. printed: ids of the cells
    whose number is printed. corners: of the main lattice's bounding rectangle, px [4, 2] of the photo as a viewer
    shows it, the template's top left first, clockwise; middles of pixels are whole numbers.
    """

    template: str
    cells: Contents
    printed: frozenset[str]
    corners: FloatArray

    def json(self) -> str:
        """The truth file of `padscore bench`: one line a row of cells, so that people can read it."""
        corners = ", ".join(f"[{x:.2f}, {y:.2f}]" for x, y in self.corners)
        entries = [f"{json.dumps(cell_id)}: {json.dumps(value)}" for cell_id, value in self.cells.items()]
        rows = [", ".join(entries[at : at + 9]) for at in range(0, len(entries), 9)]
        cells = ",\n    ".join(rows)
        printed = json.dumps([cell_id for cell_id in self.cells if cell_id in self.printed])
        return (
            f'{{\n  "template": {json.dumps(self.template)},\n  "corners": [{corners}],\n'
            f'  "cells": {{\n    {cells}\n  }},\n  "printed": {printed}\n}}\n'
        )


@dataclass(frozen=True, eq=False)
class Simulated:
    """photo: uint8 [h, w, 3], sRGB, before its JPEG. quality: of the JPEG."""

    photo: ByteImage
    truth: Truth
    quality: int

    def file(self, *, orientation: int = 1) -> bytes:
        """The photo as a JPEG file; orientation: EXIF's 1, 3, 6 or 8, which changes the file but not what is shown."""
        return jpeg(self.photo, self.quality, orientation=orientation)


@dataclass(frozen=True, slots=True)
class Setting:
    """How a photo is taken, apart from chance. size: (width, height), px. quarter_turns: of the sheet, clockwise."""

    size: tuple[int, int] = DEFAULT_SIZE
    quarter_turns: int = 0
    ranges: Ranges = field(default_factory=Ranges)


@dataclass(frozen=True, eq=False)
class FilledSheet:
    """One copy of a sheet and what is on it.

    contents: number, "x", "candidates", "struck" or null by cell id; cells left out are blank. hand: who wrote it; may
    be null where nothing is written. printed: ids of cells whose number is printed (the template's own numbers always
    are). typeface: of the printed digits; Pillow's own by default. notes: the digits of "candidates" cells; random ones
    where absent.
    """

    template: Template
    contents: Contents = field(default_factory=dict)
    hand: HandSource | None = None
    printed: frozenset[str] = frozenset()
    typeface: HandSource | None = None
    notes: Mapping[str, Sequence[int]] = field(default_factory=dict)

    @property
    def quad(self) -> FloatArray:
        """The lattice's corners on the sheet, mm [4, 2], top left first, clockwise."""
        return np.array([[point.x, point.y] for point in self.template.mm_quad()], dtype=np.float64)

    def truth(self, corners: FloatArray) -> Truth:
        """What is on it, at a place in a photo."""
        givens = self.givens()
        cells = {cell.id: givens.get(cell.id, self.contents.get(cell.id)) for cell in self.template.cells}
        return Truth(self.template.id, cells, frozenset(givens), corners)

    def givens(self) -> dict[str, int]:
        """The numbers that are printed, the template's own and this copy's; ValueError for what can't be printed."""
        template = self.template
        for cell_id in (*self.contents, *self.printed):
            if cell_id not in template:
                raise ValueError(f"template {template.id} has no cell {cell_id}")
        givens = {cell.id: cell.printed for cell in template.cells if cell.printed is not None}
        for cell_id in self.printed:
            value = self.contents.get(cell_id)
            if not isinstance(value, int):
                raise ValueError(f"{cell_id}: only a number can be printed, not {value!r}")
            givens[cell_id] = value
        return givens


@dataclass(frozen=True, slots=True)
class Streams:
    """A random generator for each step of a sheet's making: a change in one step leaves the others as they were."""

    paper: np.random.Generator
    press: np.random.Generator
    printing: np.random.Generator
    habits: np.random.Generator
    writing: np.random.Generator


def filled_in(sheet: FilledSheet, per_mm: float, streams: Streams, ranges: Ranges) -> Canvas:
    """The flat sheet: paper, print, handwriting. per_mm: px a mm."""
    template, givens = sheet.template, sheet.givens()
    canvas = blank_paper(template, per_mm, streams.paper, ranges)
    coloured = template.look.field == "dark" or template.hexes is not None
    plain = coloured and streams.printing.random() < ranges.plain_chance
    press = choose_press(template, streams.press, ranges)
    print_sheet(canvas, plainly_printed(template) if plain else template, press, streams.printing, ranges)
    print_digits(canvas, template, givens, sheet.typeface or built_in_print(), press, streams.printing)
    written = {cell_id: value for cell_id, value in sheet.contents.items() if cell_id not in givens}
    if any(value is not None for value in written.values()):
        if sheet.hand is None:
            raise ValueError("nobody's hand is given, but something is written on the sheet")
        habits = choose_habits(cell_side(template), streams.habits, ranges)
        write(canvas, template, written, sheet.notes, sheet.hand, habits, streams.writing, ranges.marks)
    return canvas


def simulate(
    template: Template,
    contents: Contents,
    *,
    hand: HandSource,
    seed: int | Sequence[int],
    printed: frozenset[str] = frozenset(),
    typeface: HandSource | None = None,
    notes: Mapping[str, Sequence[int]] | None = None,
    setting: Setting | None = None,
) -> Simulated:
    """A photo of a filled-in sheet; the same arguments give the same photo.

    The sheet's arguments are those of `FilledSheet`. Raises ValueError for an unknown cell or content, or a printed
    cell without a number.
    """
    chosen = setting or Setting()
    sheet = FilledSheet(template, contents, hand, printed, typeface, notes or {})
    *steps, camera = np.random.default_rng(seed).spawn(6)
    canvas = filled_in(sheet, resolution(template, chosen.size), Streams(*steps), chosen.ranges)
    whole = not has_surroundings(template) and camera.random() < chosen.ranges.whole_chance
    shot = photograph(canvas, sheet.quad, whole, chosen.size, chosen.quarter_turns, camera, chosen.ranges)
    return Simulated(shot.rgb, sheet.truth(shot.corners[0]), shot.quality)


def resolution(template: Template, size: tuple[int, int]) -> float:
    """Of the flat sheet, px a mm: a little finer than the photo can show, so that lines stay crisp."""
    quad = template.mm_quad()
    extent = max(quad[2].x - quad[0].x, quad[2].y - quad[0].y)
    return float(np.clip(1.3 * min(size) / extent, 4.0, 40.0))
