"""The games by name: those that ship with Padscore, and others' by the entry point group ``padscore.games``.

An entry point's name is the game's id; it loads a class (or function) that is called without arguments and returns a
`scanner.games.base.Game`. A built-in name can't be taken by another package.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING

from scanner.errors import UsageError

if TYPE_CHECKING:
    from scanner.games.base import Game

ENTRY_POINT_GROUP = "padscore.games"
_BUILT_IN = {
    "hexroller": "scanner.games.hexroller:HexRoller",
    "kniffel": "scanner.games.kniffel:Kniffel",
    "loopit": "scanner.games.loopit:Loopit",
    "score-table": "scanner.games.tables:ScoreTable",
    "splitter": "scanner.games.splitter:Splitter",
    "sudoku": "scanner.games.sudoku:Sudoku",
}


def known_games() -> tuple[str, ...]:
    """The ids of all games, sorted. Loads none of them."""
    return tuple(sorted({*_BUILT_IN, *_installed()}))


def get_game(game_id: str) -> Game:
    """The game of this id; raises UsageError for one that isn't known or whose package is broken."""
    if game_id in _BUILT_IN:
        return _built_in(game_id)
    installed = _installed()
    if game_id not in installed:
        remedy = f"the known ones are {', '.join(known_games())}"
        raise UsageError(f"there is no game {game_id!r}", remedy=remedy)
    return _load(installed[game_id])


@cache
def _built_in(game_id: str) -> Game:
    module, name = _BUILT_IN[game_id].split(":")
    game: Game = getattr(import_module(module), name)()
    return game


@cache
def _installed() -> dict[str, EntryPoint]:
    """Games of other packages. Asked for only where a name isn't built in: it looks through all that is installed."""
    return {entry.name: entry for entry in entry_points(group=ENTRY_POINT_GROUP) if entry.name not in _BUILT_IN}


@cache
def _load(entry: EntryPoint) -> Game:
    try:
        game: Game = entry.load()()
    except (ImportError, AttributeError, TypeError) as error:
        remedy = "update or uninstall the package that brings it"
        raise UsageError(f"the game {entry.name!r} ({entry.value}) can't be loaded ({error})", remedy=remedy) from error
    return game
