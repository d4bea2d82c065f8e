"""What several commands need: which templates are meant, and whether a variant is one of their games'."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scanner.errors import UsageError
from scanner.games.base import GameContext, VariantGame
from scanner.games.registry import get_game
from scanner.templates import Template, get_template, load_templates


def chosen_templates(template: str | None, folder: Path | None) -> tuple[Template, ...]:
    """The one template, or all there are. TemplateError for an unknown one and for files that are refused."""
    if template is not None:
        return (get_template(template, folder),)
    return tuple(load_templates(folder).values())


def game_context(variant: str | None, templates: Sequence[Template]) -> GameContext:
    """The context with the variant; UsageError if none of the games knows it."""
    if variant is not None:
        games = [get_game(name) for name in dict.fromkeys(template.game for template in templates)]
        known = [name for game in games if isinstance(game, VariantGame) for name in game.variants]
        if variant not in known:
            remedy = f"the known ones are {', '.join(known)}" if known else "leave the option out"
            raise UsageError("none of these games has this variant", remedy=remedy, subject=f"--variant {variant}")
    return GameContext(variant=variant)
