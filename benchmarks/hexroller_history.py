"""Legality of whole HexRoller sheets: is every random game legal, and how long does the judgement take?

    python benchmarks/hexroller_history.py [GAMES]

Plays GAMES (1,000 by default) random games a side, judges each sheet with and without its log, and once more with one
hex, number, box or bonus altered at random. Prints a line of JSON: CPU times in ms, nothing kept from sheet to sheet.
`judge` is the question alone whether some game ends with the sheet; `explain` adds the smallest explanation and the
bonuses that would help.
Exit status 1 if a legal game was called illegal.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from dataclasses import dataclass, replace

from scanner.games.hexroller_explain import reasons, wanted_bonuses
from scanner.games.hexroller_facts import facts_of
from scanner.games.hexroller_history import Bonuses, find_history, forget
from scanner.games.hexroller_layout import EXTRA_HEX, THIRD_NUMBER, WRITES_TWO, Layout, Sheet, layout_of
from scanner.games.hexroller_play import Style, play
from scanner.templates import get_template


@dataclass(frozen=True)
class Times:
    """Of one sheet, in ms."""

    legal: bool
    judge: float
    explain: float


def judged(sheet: Sheet, layout: Layout, rolls: tuple[tuple[int, ...], ...] | None) -> Times:
    for cache in (reasons, wanted_bonuses):
        cache.cache_clear()
    forget()
    start = time.process_time()
    facts, bonuses = facts_of(sheet, layout, rolls), Bonuses(sheet.used - {WRITES_TWO})
    legal = find_history(facts, bonuses) is not None
    between = time.process_time()
    reasons(facts, bonuses)
    wanted_bonuses(facts, bonuses, frozenset({EXTRA_HEX, THIRD_NUMBER}) - bonuses.allowed)
    return Times(legal, 1000 * (between - start), 1000 * (time.process_time() - start))


def altered(sheet: Sheet, layout: Layout, rng: random.Random) -> Sheet:
    """The sheet with one hex, number, box or bonus changed."""
    what = rng.choice(("hex", "number", "box", "bonus"))
    if what == "bonus":
        return replace(sheet, used=sheet.used ^ {rng.choice((1, 2, 3))})
    if what == "box":
        row = rng.choice(("top", "bottom"))
        boxes = list(sheet.top if row == "top" else sheet.bottom)
        at = rng.randrange(len(boxes))
        boxes[at] = rng.choice([number for number in (0, *range(3, 9)) if number != boxes[at]])
        return replace(sheet, top=tuple(boxes)) if row == "top" else replace(sheet, bottom=tuple(boxes))
    free = [place for place, printed in enumerate(layout.printed) if not printed]
    hexes = list(sheet.hexes)
    at = rng.choice([place for place in free if what == "hex" or hexes[place]])
    erased = what == "hex" and hexes[at]
    hexes[at] = 0 if erased else rng.choice([number for number in range(3, 9) if number != hexes[at]])
    return replace(sheet, hexes=tuple(hexes))


def measured(side: str, games: int) -> tuple[dict[str, object], int]:
    """The figures of one side, and how many legal games were called illegal."""
    layout = layout_of(get_template(f"hexroller-{side}"))
    found: dict[tuple[str, str], list[Times]] = {}
    for seed in range(games):
        rng = random.Random(seed)
        game = play(layout, rng, Style(rng.choice((0.0, 0.3, 0.8)), rng.random()))
        sheet = Sheet(game.hexes, game.top, game.bottom, game.used)
        for kind, one in (("legal", sheet), ("altered", altered(sheet, layout, rng))):
            found.setdefault((kind, "without log"), []).append(judged(one, layout, None))
            found.setdefault((kind, "with log"), []).append(judged(one, layout, game.rolls))
    mistakes = sum(not one.legal for (kind, _), times in found.items() if kind == "legal" for one in times)
    figures: dict[str, object] = {"games": games, "legal called illegal": mistakes}
    for (kind, log), times in found.items():
        judge, explain = [one.judge for one in times], [one.explain for one in times]
        figures[f"{kind}, {log}"] = {
            "illegal": sum(not one.legal for one in times),
            "judge": {"median": round(statistics.median(judge), 2), "worst": round(max(judge), 1)},
            "explain": {"median": round(statistics.median(explain), 2), "worst": round(max(explain), 1)},
        }
    return figures, mistakes


def main() -> int:
    """The benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("games", nargs="?", type=int, default=1000)
    games = parser.parse_args().games
    sides = {side: measured(side, games) for side in ("front", "back")}
    print(json.dumps({side: figures for side, (figures, _) in sides.items()}, indent=1))
    return 1 if any(mistakes for _, mistakes in sides.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
