"""Score tables of a photo, read: which way up their lines are to be taken, what is written decides."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from scanner.cells_table import NumberBatch, cut_table
from scanner.intake import Photo
from scanner.locate.placement import NotFound
from scanner.locate.table_placement import TablePlacement
from scanner.read.number_reader import NumberReader
from scanner.read.numbers import NumberReadings

FEWEST_INKED = 8
"""With fewer written cells nothing is refused for what they hold."""
NUMBERS = 0.35
"""How surely the written cells have to hold numbers, on average: the wrong way up they have half of what they have the
right way up; words have less."""
FIT = 1.0
"""How much a better fit of the lines counts against what is written."""


@dataclass(frozen=True, slots=True)
class ReadTable:
    """A table that has been read the right way up."""

    placement: TablePlacement
    numbers: NumberReadings


def read_table(photo: Photo, found: TablePlacement, reader: NumberReader) -> ReadTable | NotFound:
    """The table taken the way in which its cells hold numbers; NotFound where none does."""
    best: ReadTable | None = None
    best_score, best_sense, inked = -1.0, 0.0, 0
    for way in (found, *found.others):
        batch = cut_table(photo, way)
        numbers = reader.read(batch)
        sense, count = sense_of(batch, numbers)
        score = sense + FIT * way.score
        if score > best_score:
            best, best_score, best_sense, inked = ReadTable(replace(way, others=()), numbers), score, sense, count
    assert best is not None
    if inked >= FEWEST_INKED and best_sense < NUMBERS:
        return NotFound("a ruled table was seen, but its cells hold no numbers")
    return best


def sense_of(batch: NumberBatch, numbers: NumberReadings) -> tuple[float, int]:
    """How surely the written cells hold numbers, on average from 0 to 1, and how many are written in."""
    inked = batch.ink[batch.present, 0].reshape(len(numbers.ids), -1).any(axis=1)
    sure = [
        found[0].probability if found[0].state in ("read", "struck") else 0.0
        for found, written in zip(numbers.candidates, inked.tolist(), strict=True)
        if written and found[0].state != "blank"
    ]
    return (float(np.mean(sure)) if sure else 0.0), len(sure)
