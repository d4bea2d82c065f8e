"""What every game offers. A game knows boards and templates; it never sees a pixel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from scanner.results import CellReading, Flag, HistoryStep, Score, Value

if TYPE_CHECKING:
    from scanner.board import ReadBoard
    from scanner.rolls import RollFormat
    from scanner.templates import Template


@dataclass(frozen=True, slots=True)
class GameContext:
    """What is known beside the sheet: the log of the rolls (one tuple a roll) and the variant played."""

    rolls: tuple[tuple[int, ...], ...] | None = None
    variant: str | None = None


class Game(Protocol):
    """A game's rules. Both methods take any board, however impossible, and never raise for its content."""

    @property
    def id(self) -> str:
        """The name that templates call it by."""
        ...

    @property
    def values_matter(self) -> bool:
        """True where `sure` has to cover every value and not only the score and the flags (Sudoku)."""
        ...

    def flags(self, board: ReadBoard, template: Template, context: GameContext) -> tuple[Flag, ...]:
        """Everything that is wrong with the board as it stands, all at once, in a fixed order."""
        ...

    def score(self, board: ReadBoard, template: Template, context: GameContext) -> Score:
        """The score of the board as it stands, by the rules, illegal values scoring nothing."""
        ...


@runtime_checkable
class PriorGame(Game, Protocol):
    """A game whose rules say beforehand that some readings are rarer than others. The method is optional."""

    def prior(self, board: ReadBoard, template: Template, reading: CellReading) -> float:
        """A factor, above 0 and at most 1, for a possible reading of a cell (`value`, `ink`); 1 where it is legal.

        board: only what was read surely; all other cells have no value, their plausible readings stand in
        `alternatives`. Doubtful readings are weighed with it, but it never overrules clear ink (see `scanner.resolve`).
        Asked about readings without a value, too (`state`).
        """
        ...


@runtime_checkable
class NumbersOnlyGame(Game, Protocol):
    """A game in whose cells people write nothing but numbers. Optional; without it they may make pencil notes."""

    @property
    def numbers_only(self) -> bool:
        """True if what looks like small notes is a number all the same, and a scribble may stand for one."""
        ...


@runtime_checkable
class FewMistakesGame(Game, Protocol):
    """A game whose sheets hold what their cells permit, apart from a mistake now and then. Optional."""

    @property
    def mistakes_are_few(self) -> bool:
        """True if a number that isn't permitted and is seen in many cells is a hand's way to write another one."""
        ...


@runtime_checkable
class FaultGame(Game, Protocol):
    """A game that counts what its rules forbid on a finished sheet, so that a misreading shows by what it mends.
    Optional."""

    def faults(self, board: ReadBoard, template: Template) -> int | None:
        """How many things on the board can't have come about by the rules, as far as they can be told apart.

        0 for what some game ends with; null where that can't be told, as some cell it depends on is unreadable. Asked
        many times a sheet: be quick.
        """
        ...


@runtime_checkable
class PrintedGame(Game, Protocol):
    """A game whose sheets carry printed values that are known to make sense together. Optional."""

    def printable(self, board: ReadBoard, template: Template) -> bool:
        """False if nobody would print these values (`ink` print) on one sheet, so that one of them must be misread.

        True as well where that can't be told.
        """
        ...


@runtime_checkable
class InkGame(Game, Protocol):
    """A game whose flags or score depend on which values are printed (`CellReading.ink`). Optional.

    Only such games are asked what would change if ink were of the other kind; all others must not look at it.
    """

    def ink_matters(self, board: ReadBoard, template: Template) -> bool:
        """False where no other ink of these values could change a flag or the score. Asked of every sheet: be quick."""
        ...

    def print_prior(self, board: ReadBoard, template: Template) -> float:
        """How likely it is that just these values (`ink` print) are the printed ones, above 0 and at most 1.

        Relative: 1 where they are as printed sheets are, less where nobody would print them like this.
        """
        ...


@runtime_checkable
class BoundedGame(Game, Protocol):
    """A game that can say how far the total may go where the possible readings are too many to try. Optional."""

    def bounds(
        self, board: ReadBoard, template: Template, possible: Mapping[str, frozenset[Value | None]]
    ) -> tuple[int, int]:
        """Limits of the total if each cell of `possible` held any of its values; perhaps wider than the truth.

        All other cells are as on the board.
        """
        ...


@runtime_checkable
class ClaimGame(Game, Protocol):
    """A game whose sheets have boxes for what the player claims to have scored. Optional."""

    def claims(self, board: ReadBoard, template: Template) -> Mapping[str, int]:
        """What is written in these boxes, by short names (``ones``, ``total``); boxes without a number are left out."""
        ...


@runtime_checkable
class CountedGame(Game, Protocol):
    """A game that can say what these boxes should hold. Optional."""

    def counted(self, board: ReadBoard, template: Template) -> Mapping[str, int]:
        """What each box for a claim has to say by the rest of the board, by the box's cell id."""
        ...


@dataclass(frozen=True, slots=True)
class TallyBoxes:
    """Cell ids of the boxes for the player's claim: parts, and what they add up to (null without a box for that)."""

    parts: tuple[str, ...]
    total: str | None


@runtime_checkable
class TalliedGame(CountedGame, Protocol):
    """A game that says at once what the boxes had to hold if cells held something else. Optional."""

    def tally_boxes(self, template: Template) -> TallyBoxes:
        """The boxes of a template, in a fixed order."""
        ...

    def tallies(
        self, board: ReadBoard, template: Template, changes: Iterable[Mapping[str, Value | None]]
    ) -> Iterator[tuple[int, ...]]:
        """For each change of some cells, by their ids, what the parts have to say then; the total is their sum.

        Asked thousands of times a sheet: be quick.
        """
        ...


@runtime_checkable
class ColumnGame(Game, Protocol):
    """A game on a table whose columns are results of their own (`Score.columns`). Optional."""

    @property
    def columns_apart(self) -> bool:
        """True if no column's result or flags depend on another column, so that each can be judged by itself."""
        ...

    def column_bounds(
        self, board: ReadBoard, template: Template, possible: Mapping[str, frozenset[Value | None]]
    ) -> Mapping[str, tuple[int, int]]:
        """Limits of each column's result if each cell of `possible` held any of its values; see `BoundedGame`."""
        ...


@runtime_checkable
class RolledGame(Game, Protocol):
    """A game whose dice may have been logged (`GameContext.rolls`). Optional."""

    def roll_format(self, template: Template) -> RollFormat:
        """What a log of one game on this sheet looks like."""
        ...


@runtime_checkable
class HistoryGame(Game, Protocol):
    """A game that can tell how a board came about. Optional."""

    def history(self, board: ReadBoard, template: Template, context: GameContext) -> tuple[HistoryStep, ...]:
        """One game by the rules that ends with this board, in the order of its rounds; empty if there is none."""
        ...


@runtime_checkable
class VariantGame(Game, Protocol):
    """A game that is played in several ways which the sheet doesn't show (`GameContext.variant`). Optional."""

    @property
    def variants(self) -> tuple[str, ...]:
        """The names that may be given."""
        ...
