"""What travels between the late stages: readings, flags, scores and the results of a scan.

Nothing in here knows about pixels of a cell or about a certain game.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from scanner.geometry import PxPoint

State = Literal["read", "blank", "struck", "candidates", "scribble", "unreadable", "doubtful", "answered"]
Ink = Literal["hand", "print"]
Severity = Literal["illegal", "arithmetic", "incomplete", "doubt"]
Value = int | str
"""An integer for digits and numbers, ``"x"`` for a mark that is made, any string for text."""

WRONG: frozenset[Severity] = frozenset({"illegal", "arithmetic"})
"""Severities of what somebody did wrong; the others say what is missing or unclear."""
DOUBT_CODE = "read.doubt"
"""Code of the flag that names what has to be asked about; every other flag is a game's."""
VALUED_STATES: frozenset[State] = frozenset({"read", "doubtful", "answered"})
PLAUSIBLE = 1e-3
"""A reading with at least this posterior is plausible (DESIGN, honesty rule 2)."""


@dataclass(frozen=True, slots=True)
class CellReading:
    """One cell as read, or as typed or answered by a human.

    value: null unless the state is read, doubtful (the best guess) or answered.
    confidence: posterior of what is reported (value or state), 0 to 1; see `unseen`.
    alternatives: other readings and their posteriors, best first; a key is a value as text or a state
        (``"3"``, ``"blank"``). Those below 0.0001 are left out.
    read: with state answered, what the machine had read before.
    ink: null where that isn't known, or not surely enough. printed: probability that the ink is printed, by the reader;
        null where there is no value, or nobody judged its ink by the picture (typed boards, answers that say it).
    """

    id: str
    value: Value | None
    state: State
    confidence: float = 1.0
    alternatives: Mapping[str, float] = field(default_factory=dict)
    ink: Ink | None = None
    read: Value | None = None
    printed: float | None = None

    @property
    def unseen(self) -> bool:
        """Nobody looked at the cell, so that nothing is known of it and nothing is asked.

        Unlike an unreadable cell that was looked for, where something may stand: its confidence is 0.
        """
        return self.state == "unreadable" and self.confidence == 0


@dataclass(frozen=True, slots=True)
class Flag:
    """Something wrong on the sheet, with a stable code such as ``sudoku.repeat``.

    cells: ids of the cells that show it, in the template's order. message: one sentence for a player.
    sure: no plausible other reading takes it away. A game leaves that to `scanner.resolve`.
    basis: where it says that numbers don't go together, the other cells that it rests upon: it is sure only if all of
        them are.
    """

    code: str
    severity: Severity
    cells: tuple[str, ...]
    message: str
    sure: bool = True
    basis: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScoreGroup:
    """Cells that score together, within a line of the score.

    cells: in the template's order. symbols: those of them whose printed symbol (a star, a heart) counted.
    line: where the cells join one to another (a connection): all of them, in the order of the line.
    """

    cells: tuple[str, ...]
    points: int
    symbols: tuple[str, ...] = ()
    line: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One line of the score: what it is, its points, the cells it comes from.

    groups: where the cells score in groups, all of these; their points add up to the line's.
    """

    label: str
    points: int
    cells: tuple[str, ...] = ()
    groups: tuple[ScoreGroup, ...] = ()


@dataclass(frozen=True, slots=True)
class ColumnScore:
    """The result of one game on a card with several columns."""

    total: int
    range: tuple[int, int]
    sure: bool


@dataclass(frozen=True, slots=True)
class Score:
    """The score of one board taken literally. total is null for a table with several games, see `columns`.

    unit: what stands behind the total for people, such as what it counts.
    """

    total: int | None
    lines: tuple[ScoreLine, ...] = ()
    columns: Mapping[str, int] = field(default_factory=dict)
    unit: str = ""


@dataclass(frozen=True, slots=True)
class HistoryStep:
    """A step of a game that may have led to the board: a value written into cells, one after the other.

    round: from 1. cells: in the order of writing. bonus: the mark of the bonus by which it was written, null for none.
    """

    round: int
    value: int
    cells: tuple[str, ...]
    bonus: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rules say of a read board once its doubts are taken into account.

    range: lowest and highest total over all plausible readings; both equal total when sure; null without a total.
    sure: no plausible reading changes the total, a score line, a flag (and, for Sudoku, a value).
    ask: the shortest list of cells whose answers would make it sure, the most useful first; of a table no more than a
        few, by whose answers others are settled.
    ask_ink: those of them where the question is who wrote what was read: is it printed or by hand?
    history: one game that ends with this board, for games that can tell; empty where none does or that can't be told.
    """

    score: Score
    range: tuple[int, int] | None
    sure: bool
    flags: tuple[Flag, ...]
    ask: tuple[str, ...] = ()
    ask_ink: tuple[str, ...] = ()
    claimed: Mapping[str, int] = field(default_factory=dict)
    columns: Mapping[str, ColumnScore] = field(default_factory=dict)
    history: tuple[HistoryStep, ...] = ()


@dataclass(frozen=True, slots=True)
class SheetPlace:
    """Where a sheet was found: corners of the main lattice in picture px, the template's top left first, clockwise."""

    corners: tuple[PxPoint, PxPoint, PxPoint, PxPoint]
    residual_px: float


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a source gave no result. code: one of the design's problem codes; message: one line with a remedy."""

    source: str
    code: str
    message: str
