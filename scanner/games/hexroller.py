"""HexRoller: numbers grow over a snowflake of hexes; see `scanner.games.hexroller_scoring` for what scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from scanner.games.base import GameContext
from scanner.results import Flag, Score

if TYPE_CHECKING:
    from scanner.board import ReadBoard
    from scanner.templates import Template


class HexRoller:
    """The rules of HexRoller; see `scanner.games.base.Game`."""

    id: ClassVar[str] = "hexroller"
    values_matter: ClassVar[bool] = False

    def flags(self, board: ReadBoard, template: Template, context: GameContext) -> tuple[Flag, ...]:
        """Nothing yet."""
        return ()

    def score(self, board: ReadBoard, template: Template, context: GameContext) -> Score:
        """Nothing yet."""
        return Score(0)
