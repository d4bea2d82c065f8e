"""A found hex sheet read: which way up it lies is confirmed by its printed numbers, then hexes, boxes and marks."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from scanner.board import MADE
from scanner.cells import CellBatch
from scanner.cells_hex import cut_boxes, cut_lattice, joined
from scanner.intake import Photo
from scanner.locate.hex_placement import HexPlacement
from scanner.locate.hex_refine import refined
from scanner.locate.placement import NotFound
from scanner.locate.prepare import stretched
from scanner.read.marks import MarkReadings, read_marks
from scanner.read.one_hand import one_hand
from scanner.read.reader import DigitReader
from scanner.read.readings import Readings
from scanner.templates import Template

CONFIRMED = 0.6
"""Share of the printed numbers that have to be read as they are printed: some are written over, or lie in a shadow."""
FEWEST_PRINTED = 4
"""With fewer of them in the photo, the numbers confirm nothing and the boxes around decide."""
BOXES_SEEN = 0.12
"""Correlation of the boxes' lines from which they alone may say which way up a sheet lies."""
LEAST_CHANCE = 1e-3
FEWEST_WRITTEN, WRITTEN = 3, 4.0
"""Hexes with ink by which a sheet without printed numbers and boxes is turned, and mean level of their pictures."""


@dataclass(frozen=True, slots=True)
class Settled:
    """A hex sheet the right way up. hexes: the pictures of its hexes. printed, right: how many of the template's
    printed numbers lie in the photo, and how many of them were read as such.
    """

    placement: HexPlacement
    hexes: CellBatch
    printed: int
    right: int

    @property
    def confirmed(self) -> bool:
        """Do the printed numbers stand where they have to?"""
        return self.printed >= FEWEST_PRINTED and self.right >= CONFIRMED * self.printed


def settle(photo: Photo, found: HexPlacement, reader: DigitReader) -> Settled | NotFound:
    """The sheet as the printed numbers have it; their absence says that it is another sheet of the same outline."""
    first = _taken(photo, found, reader)
    if first.confirmed:
        return first
    gray = stretched(photo.gray)
    ways = [first, *(_taken(photo, refined(gray, found.taken(way)), reader) for way in found.ways[1:])]
    best = max(ways, key=lambda taken: (taken.confirmed, taken.right))
    if best.confirmed:
        return best
    if first.printed >= FEWEST_PRINTED:
        seen = f"the outline of {found.template.title} was seen, but its printed numbers were not"
        return NotFound(f"{seen}: it may be seen in a mirror, or be another print, which needs a template of its own")
    if found.ways and found.ways[0].boxes >= BOXES_SEEN:
        return first
    return max(ways, key=lambda taken: _likelihood(taken, reader))


def _taken(photo: Photo, placement: HexPlacement, reader: DigitReader) -> Settled:
    template = placement.template
    batch = cut_lattice(photo, placement, template)
    numbers = [template.cell(cell_id).printed for cell_id in batch.ids]
    columns = {name: k for k, name in enumerate(reader.classes)}
    rows = [k for k, number in enumerate(numbers) if str(number) in columns and batch.present[k]]
    read = reader.glance(batch.ink[rows])[0].argmax(axis=1).tolist()
    right = sum(column == columns[str(numbers[row])] for row, column in zip(rows, read, strict=True))
    return Settled(placement, batch, len(rows), right)


def _likelihood(taken: Settled, reader: DigitReader) -> float:
    """Logarithm of how likely what is written in the hexes is to be permitted numbers this way up."""
    batch = taken.hexes
    low, high = _permitted(taken.placement.template)
    legal = [k for k, name in enumerate(reader.classes) if name.isdigit() and low <= int(name) <= high]
    inked = (batch.ink[:, 1].reshape(len(batch.ids), -1).mean(axis=1) > WRITTEN) & batch.present
    if int(inked.sum()) < FEWEST_WRITTEN:
        return 0.0
    chance = reader.glance(batch.ink[inked])[0][:, legal].max(axis=1)
    return float(np.log(np.maximum(chance, LEAST_CHANCE)).sum())


def _permitted(template: Template) -> tuple[int, int]:
    values = [cell.values for cell in template.lattice_cells if cell.values is not None]
    return (min(low for low, _ in values), max(high for _, high in values)) if values else (0, 9)


def read_cells(batch: CellBatch, marks: MarkReadings, template: Template, reader: DigitReader) -> Readings:
    """The digits and the marks of a sheet together.

    A number that every copy carries in a cell is there whatever is written over it or lies on it, so it isn't left to
    the reader. All other numbers are of one hand (`scanner.read.one_hand`).
    """
    digits = reader.read(batch)
    classes = (*digits.classes, MADE)
    count = len(digits.ids)
    known = np.zeros((count, len(classes)), dtype=np.float32)
    known[:, :-1] = digits.probabilities
    # All copies of a sheet are alike: what isn't its print is somebody's hand.
    printed = np.zeros(count, dtype=np.float32)
    for row, cell_id in enumerate(digits.ids):
        number = template.cell(cell_id).printed
        if number is not None and str(number) in classes:
            known[row] = _certain(classes.index(str(number)), len(classes))
            printed[row] = 1.0
    read = replace(digits, probabilities=np.ascontiguousarray(known[:, :-1]), printed=printed)
    known[:, :-1] = one_hand(read).probabilities
    hidden = [cell for cell in template.cells if cell.printed is not None and cell.id not in digits.ids]
    under = np.array([_certain(classes.index(str(cell.printed)), len(classes)) for cell in hidden], dtype=np.float32)
    made = np.zeros((len(marks.ids), len(classes)), dtype=np.float32)
    made[:, -1] = marks.made
    made[:, classes.index("blank")] = 1 - marks.made
    ids = (*digits.ids, *(cell.id for cell in hidden), *marks.ids)
    order = {cell_id: number for number, cell_id in enumerate(template.ids)}
    rows = sorted(range(len(ids)), key=lambda row: order[ids[row]])
    return Readings(
        tuple(ids[row] for row in rows),
        classes,
        np.concatenate([known, under.reshape(len(hidden), len(classes)), made])[rows],
        np.concatenate([printed, np.ones(len(hidden), np.float32), np.zeros(len(marks.ids), np.float32)])[rows],
    )


def _certain(column: int, columns: int) -> npt.NDArray[np.float32]:
    row = np.zeros(columns, dtype=np.float32)
    row[column] = 1.0
    return row


def cut_and_mark(photo: Photo, sheet: Settled) -> tuple[CellBatch, MarkReadings]:
    """The digit cells' pictures, and how surely each mark is made."""
    placement, template = sheet.placement, sheet.placement.template
    return joined(sheet.hexes, cut_boxes(photo, placement, template)), read_marks(photo, placement, template)
