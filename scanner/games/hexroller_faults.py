"""How much is wrong with a HexRoller sheet, as a number: for telling misread cells from illegal ones."""

from __future__ import annotations

from scanner.games.hexroller_chains import Undecided
from scanner.games.hexroller_facts import Facts
from scanner.games.hexroller_flags import Checked
from scanner.games.hexroller_history import Bonuses
from scanner.games.hexroller_layout import BONUS_NUMBER, EXTRA_HEX, NUMBERS, THIRD_NUMBER, WRITES_TWO, hexes_by_number


def faults_of(checked: Checked) -> int | None:
    """Values that no die shows, wrong rounds, wrong 2s, numbers that no lines explain whatever their lengths.

    If there is nothing of it: 1 where the numbers don't go together, else 0. Null for what isn't legible.
    """
    if not checked.is_legible:
        return None
    try:
        facts, bonuses = checked.facts, checked.bonuses
        numbers = sum(not _is_explained(facts, bonuses, number) for number in NUMBERS)
        faults = _wrong_values(checked) + _wrong_rounds(checked) + _wrong_twos(checked) + numbers
        return faults or int(checked.history() is None)
    except Undecided:
        return None


def _wrong_values(checked: Checked) -> int:
    """Numbers that count as nothing, in hexes and record boxes."""
    layout, sheet = checked.layout, checked.sheet
    held = [*zip(layout.ids, sheet.hexes, strict=True), *zip(layout.top, sheet.top, strict=True)]
    held += zip(layout.bottom, sheet.bottom, strict=True)
    return sum(not number and checked.read(cell).value is not None for cell, number in held)


def _wrong_rounds(checked: Checked) -> int:
    """Rounds with the same number twice, with one number, or with none before the last one."""
    rounds = list(zip(checked.sheet.top, checked.sheet.bottom, strict=True))
    while rounds and not any(rounds[-1]):
        rounds.pop()
    return sum(top == bottom or not top or not bottom for top, bottom in rounds)


def _wrong_twos(checked: Checked) -> int:
    """2s that the bonus doesn't write."""
    twos = len(hexes_by_number(checked.sheet, checked.layout)[BONUS_NUMBER])
    return max(0, twos - (WRITES_TWO in checked.sheet.used))


def _is_explained(facts: Facts, bonuses: Bonuses, number: int) -> bool:
    """Whether a number's hexes are as many lines as its rounds wrote, with all the bonuses that it could have."""
    recorded = len(facts.rounds_of(number))
    third = THIRD_NUMBER in bonuses.allowed and any(number in one.thirds for one in facts.rounds)
    extra = EXTRA_HEX in bonuses.allowed and recorded > 0
    growth = facts.growth(number)
    growth.renew()
    return len(growth.near) >= recorded and growth.coverable(recorded + third + extra)
