"""HexRoller: numbers that grow over a snowflake of hexes; works on every hex template with record rows.

- `hexroller_layout`: what the template means, and what is on a sheet.
- `hexroller_scoring`: the score.
- `hexroller_history` (with `_facts`, `_chains`, `_joint`): whether some game ends with the sheet, and one that does.
- `hexroller_explain`: the smallest explanation if none does. `hexroller_flags`: all that may be wrong, in sentences.
- `hexroller_bounds`: how far the total may go. `hexroller_prior`: which readings are rare. `hexroller_faults`: how much
  is wrong, as a number.
- `hexroller_play`: a random player.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from scanner.board import MADE
from scanner.games.base import GameContext
from scanner.games.hexroller_bounds import Possible, bounds
from scanner.games.hexroller_chains import Undecided
from scanner.games.hexroller_faults import faults_of
from scanner.games.hexroller_flags import Checked, flags_of
from scanner.games.hexroller_layout import BONUS_NUMBER, HIGHEST, LOWEST, counting, layout_of, sheet_of
from scanner.games.hexroller_prior import prior
from scanner.games.hexroller_scoring import line_names, score_of
from scanner.results import CellReading, Flag, HistoryStep, Score, Value
from scanner.rolls import RollFormat

if TYPE_CHECKING:
    from scanner.board import ReadBoard
    from scanner.templates import Template


class HexRoller:
    """The rules of HexRoller; see `scanner.games.base.Game`."""

    id: ClassVar[str] = "hexroller"
    values_matter: ClassVar[bool] = False
    numbers_only: ClassVar[bool] = True

    def flags(self, board: ReadBoard, template: Template, context: GameContext) -> tuple[Flag, ...]:
        """``hexroller.value``, ``record``, ``incomplete``, ``two``, ``bonus``, ``history``, ``roll`` and ``claimed``.

        The history isn't judged while a hex, a record box or a bonus is unreadable.
        """
        return *flags_of(_checked(board, template, context)), *self._wrong_claims(board, template)

    def score(self, board: ReadBoard, template: Template, context: GameContext) -> Score:
        """See `scanner.games.hexroller_scoring.score_of`."""
        layout = layout_of(template)
        return score_of(sheet_of(board, layout), layout)

    def claims(self, board: ReadBoard, template: Template) -> Mapping[str, int]:
        """What the boxes say: ``bonuses``, ``area1``, ..., ``middle``, ``connections``, ``top``, ``bottom``, ``total``;
        empty ones are left out."""
        written = {name: board.cells[box].value for name, box in layout_of(template).claims}
        return {name: value for name, value in written.items() if isinstance(value, int)}

    def counted(self, board: ReadBoard, template: Template) -> Mapping[str, int]:
        """What the boxes have to say; see `scanner.games.base.CountedGame`."""
        layout, score = layout_of(template), self.score(board, template, GameContext())
        points = dict(zip(line_names(layout), (line.points for line in score.lines), strict=True))
        points["total"] = score.total or 0
        return {box: points[name] for name, box in layout.claims}

    def history(self, board: ReadBoard, template: Template, context: GameContext) -> tuple[HistoryStep, ...]:
        """One game that ends with this sheet; empty if there is none, or if what it depends on can't be read."""
        layout = layout_of(template)
        checked = _checked(board, template, context)
        if checked.is_ruled_out:
            return ()
        try:
            found = checked.history()
        except Undecided:
            found = None
        if found is None:
            return ()
        steps = [
            HistoryStep(step.round, step.number, layout.named(step.hexes), layout.bonus_id(step.bonus))
            for step in found.steps
        ]
        return tuple(steps)

    def faults(self, board: ReadBoard, template: Template) -> int | None:
        """See `scanner.games.hexroller_faults.faults_of`."""
        return faults_of(_checked(board, template, GameContext()))

    def prior(self, board: ReadBoard, template: Template, reading: CellReading) -> float:
        """See `scanner.games.hexroller_prior.prior`."""
        return prior(board, layout_of(template), reading)

    def bounds(
        self, board: ReadBoard, template: Template, possible: Mapping[str, frozenset[Value | None]]
    ) -> tuple[int, int]:
        """See `scanner.games.hexroller_bounds.bounds`."""
        layout = layout_of(template)

        def held(cell: str) -> frozenset[Value | None]:
            return possible.get(cell) or frozenset((board.cells[cell].value,))

        return bounds(
            Possible(
                hexes=[
                    frozenset((printed,))
                    if printed
                    else frozenset(counting(value, BONUS_NUMBER) for value in held(cell))
                    for cell, printed in zip(layout.ids, layout.printed, strict=True)
                ],
                top=[frozenset(counting(value, LOWEST) for value in held(box)) for box in layout.top],
                bottom=[frozenset(counting(value, LOWEST) for value in held(box)) for box in layout.bottom],
                used=[frozenset(value == MADE for value in held(mark)) for _, mark in layout.bonuses],
            ),
            layout,
        )

    def roll_format(self, template: Template) -> RollFormat:
        """One roll a round."""
        layout = layout_of(template)
        return RollFormat(layout.dice, LOWEST, HIGHEST, layout.rounds)

    def _wrong_claims(self, board: ReadBoard, template: Template) -> list[Flag]:
        claimed = self.claims(board, template)
        if not claimed:
            return []
        counted = self.counted(board, template)
        flags = []
        for name, box in layout_of(template).claims:
            if name in claimed and claimed[name] != counted[box]:
                message = f"The box for {_spoken(name)} says {claimed[name]}, but the board gives {counted[box]}"
                flags.append(Flag("hexroller.claimed", "arithmetic", (box,), message))
        return flags


def _checked(board: ReadBoard, template: Template, context: GameContext) -> Checked:
    layout = layout_of(template)
    return Checked(sheet_of(board, layout), layout, board.cells.__getitem__, context.rolls)


def _spoken(name: str) -> str:
    if name in ("top", "bottom"):
        return f"the {name} row"
    if name in ("bonuses", "connections"):
        return name
    return f"area {name.removeprefix('area')}" if name.startswith("area") else f"the {name}"
