"""The board as read or typed, perhaps impossible, and its text notation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scanner.results import CellReading, Value


@dataclass(frozen=True, slots=True)
class ReadBoard:
    """Every cell of one sheet, as read, answered or typed. Keys are the template's cell ids, all of them, in its order."""

    template: str
    cells: Mapping[str, CellReading]

    def value(self, cell_id: str) -> Value | None:
        """The value of a cell; null when it has none (blank, struck, candidates, unreadable, ...)."""
        return self.cells[cell_id].value
