"""What several commands need: which templates are meant, and what is known beside the sheets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scanner.errors import UsageError
from scanner.games.base import GameContext, RolledGame, VariantGame
from scanner.games.registry import get_game
from scanner.rolls import load_rolls
from scanner.templates import Template, get_template, load_templates


def chosen_templates(template: str | None, folder: Path | None) -> tuple[Template, ...]:
    """The one template, or all there are. TemplateError for an unknown one and for files that are refused."""
    if template is not None:
        return (get_template(template, folder),)
    return tuple(load_templates(folder).values())


def game_context(variant: str | None, rolls: Path | None, templates: Sequence[Template]) -> GameContext:
    """The context with the variant and the rolls of a log. UsageError if none of the games knows such a thing.

    RollLogError for a log that is none, or none of these games; FileError for one that can't be read.
    """
    if variant is not None:
        games = [get_game(name) for name in dict.fromkeys(template.game for template in templates)]
        known = [name for game in games if isinstance(game, VariantGame) for name in game.variants]
        if variant not in known:
            remedy = f"the known ones are {', '.join(known)}" if known else "leave the option out"
            raise UsageError("none of these games has this variant", remedy=remedy, subject=f"--variant {variant}")
    return GameContext(None if rolls is None else _rolls(rolls, templates), variant)


def _rolls(path: Path, templates: Sequence[Template]) -> tuple[tuple[int, ...], ...]:
    games = [(get_game(template.game), template) for template in templates]
    formats = [game.roll_format(template) for game, template in games if isinstance(game, RolledGame)]
    if not formats:
        raise UsageError("none of these games has a log of rolls", remedy="leave the option out", subject="--rolls")
    log = load_rolls(path)
    log.check(formats)
    return log.numbers
