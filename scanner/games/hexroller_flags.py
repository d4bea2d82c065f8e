"""What can be wrong on a HexRoller sheet, each with its sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from scanner.games.hexroller_chains import Undecided
from scanner.games.hexroller_explain import (
    LooseHexes,
    MissingHexes,
    Reason,
    UnevenRounds,
    reasons,
    wanted_bonuses,
)
from scanner.games.hexroller_facts import Facts, facts_of
from scanner.games.hexroller_history import Bonuses, History, find_history
from scanner.games.hexroller_layout import (
    BONUS_NUMBER,
    EXTRA_HEX,
    HIGHEST,
    LOWEST,
    NUMBERS,
    THIRD_NUMBER,
    WRITES_TWO,
    Layout,
    Sheet,
    hexes_by_number,
)
from scanner.results import CellReading, Flag, State

BONUS_WORDS = {EXTRA_HEX: "one more hex", WRITES_TWO: "the 2", THIRD_NUMBER: "a third number"}
DICE_SHOW = f"dice show only {LOWEST} to {HIGHEST}"

Reader = Callable[[str], CellReading]
"""The reading of a cell, by its id."""


HIDING: frozenset[State] = frozenset({"unreadable", "scribble"})
"""States of cells that may hold anything."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A board, what the rules see of it, and the log of its rolls (null: none)."""

    sheet: Sheet
    layout: Layout
    read: Reader
    rolls: tuple[tuple[int, ...], ...] | None

    @property
    def facts(self) -> Facts:
        """What a history has to explain."""
        return facts_of(self.sheet, self.layout, self.rolls)

    @property
    def bonuses(self) -> Bonuses:
        """The bonuses that are crossed out, but the 2, which writes no chain."""
        return Bonuses(self.sheet.used - {WRITES_TWO})

    @property
    def is_legible(self) -> bool:
        """Whether nothing that a history depends on is cut off, covered or scribbled over."""
        layout = self.layout
        hexes = (cell for cell, printed in zip(layout.ids, layout.printed, strict=True) if not printed)
        boxes = (*layout.top, *layout.bottom, *(mark for _, mark in layout.bonuses))
        return all(self.read(cell).state not in HIDING for cell in (*hexes, *boxes))

    def history(self) -> History | None:
        """A game that ends with this sheet; null if there is none, or if it isn't legible.

        Raises `Undecided` if it takes too long to tell.
        """
        return find_history(self.facts, self.bonuses) if self.is_legible else None

    @property
    def is_ruled_out(self) -> bool:
        """Whether no game ends with this sheet by what one cell, box or roll shows, whatever history there may be."""
        rolls = () if self.rolls is None else _rolls(self, self.rolls)
        return any(flag.severity == "illegal" for flag in (*_values(self), *_records(self), *_twos(self), *rolls))


def flags_of(checked: Checked) -> Iterator[Flag]:
    """Everything but wrong claims: ``.value``, ``.record``, ``.incomplete``, ``.two``, ``.bonus``, ``.history``,
    ``.roll``, each in the template's order."""
    yield from _values(checked)
    yield from _records(checked)
    yield from _incomplete(checked)
    yield from _twos(checked)
    if checked.is_legible:
        try:
            yield from (*_bonuses(checked), *_history(checked))
        except Undecided:
            message = "This sheet can be filled in in too many ways to tell whether some game ends with it"
            yield Flag("hexroller.history", "doubt", (), message)
    if checked.rolls is not None:
        yield from _rolls(checked, checked.rolls)


# ---- numbers and boxes


def _values(checked: Checked) -> Iterator[Flag]:
    layout = checked.layout
    for cell, number, printed in zip(layout.ids, checked.sheet.hexes, layout.printed, strict=True):
        value = checked.read(cell).value
        if value is not None and not number and not printed:
            yield Flag("hexroller.value", "illegal", (cell,), f"{cell} holds {value}, but {DICE_SHOW}")


def _records(checked: Checked) -> Iterator[Flag]:
    layout, played = checked.layout, _played(checked)
    for at, boxes in enumerate(zip(layout.top, layout.bottom, strict=True)):
        numbers = [checked.sheet.top[at], checked.sheet.bottom[at]]
        for box, number in zip(boxes, numbers, strict=True):
            value = checked.read(box).value
            if value is not None and not number:
                yield Flag("hexroller.record", "illegal", (box,), f"{box} holds {value}, but {DICE_SHOW}")
        if numbers[0] and numbers[0] == numbers[1]:
            message = f"Round {at + 1} records {numbers[0]} twice, but its two numbers have to differ"
            yield Flag("hexroller.record", "illegal", boxes, message)
        empty = tuple(box for box in boxes if _is_empty(checked.read(box)))
        if len(empty) == 1:
            message = f"Round {at + 1} records only one number: {empty[0]} is empty"
            yield Flag("hexroller.record", "incomplete", empty, message)
        elif empty and at < played:
            message = f"Round {at + 1} records nothing, but a later round does"
            yield Flag("hexroller.record", "incomplete", empty, message)


def _played(checked: Checked) -> int:
    """How many rounds there are up to the last box that isn't empty."""
    rows = zip(checked.layout.top, checked.layout.bottom, strict=True)
    filled = [at for at, boxes in enumerate(rows, start=1) if not all(_is_empty(checked.read(box)) for box in boxes)]
    return max(filled, default=0)


def _incomplete(checked: Checked) -> Iterator[Flag]:
    layout = checked.layout
    rows = list(zip(layout.top, layout.bottom, strict=True))
    rounds = [at for at, boxes in enumerate(rows, start=1) if any(_is_empty(checked.read(box)) for box in boxes)]
    if not rounds:
        return
    empty = {box for boxes in rows for box in boxes if _is_empty(checked.read(box))}
    if len(empty) == 2 * layout.rounds:
        message = f"The record rows are empty: all {layout.rounds} rounds are missing"
    else:
        message = f"{_rounds(rounds)} of {layout.rounds} {_are(rounds)} not recorded in full"
    cells = tuple(box for box in (*layout.top, *layout.bottom) if box in empty)
    yield Flag("hexroller.incomplete", "incomplete", cells, message)


def _is_empty(reading: CellReading) -> bool:
    """Known to hold no number; of an unreadable box, or of one with a scribble, that isn't known."""
    return reading.value is None and reading.state not in HIDING


def _twos(checked: Checked) -> Iterator[Flag]:
    layout = checked.layout
    twos = layout.named(hexes_by_number(checked.sheet, layout)[BONUS_NUMBER])
    mark = layout.bonus_id(WRITES_TWO)
    holds = f"{_listed(twos)} {'holds' if len(twos) == 1 else 'hold'}"
    if len(twos) > 1:
        message = f"{len(twos)} hexes hold a 2 ({_listed(twos)}), but the bonus writes only one"
        yield Flag("hexroller.two", "illegal", twos, message)
    if twos and WRITES_TWO not in checked.sheet.used:
        if mark is None:
            yield Flag("hexroller.two", "illegal", twos, f"{holds} a 2, but this sheet has no such bonus")
        elif checked.read(mark).state != "unreadable":
            message = f"{holds} a 2, but bonus 2 ({mark}) isn't crossed out"
            yield Flag("hexroller.two", "illegal", (*twos, mark), message)


# ---- bonuses and history


def _bonuses(checked: Checked) -> Iterator[Flag]:
    layout, sheet = checked.layout, checked.sheet
    history = checked.history()
    if history is None:
        yield from _wanted(checked)
    two = layout.bonus_id(WRITES_TWO)
    if two is not None and WRITES_TWO in sheet.used and not hexes_by_number(sheet, layout)[BONUS_NUMBER]:
        yield Flag("hexroller.bonus", "doubt", (two,), f"Bonus 2 ({two}) is crossed out, but no hex holds a 2")
    third = layout.bonus_id(THIRD_NUMBER)
    if third is not None and history is not None and THIRD_NUMBER in sheet.used - history.used:
        message = f"Bonus 3 ({third}) is crossed out, but no third number can have been written"
        yield Flag("hexroller.bonus", "doubt", (third,), message)


def _wanted(checked: Checked) -> Iterator[Flag]:
    """The bonuses that would explain the sheet."""
    layout, bonuses = checked.layout, checked.bonuses
    others = frozenset(bonus for bonus, _ in layout.bonuses) - {WRITES_TWO} - bonuses.allowed
    wanted = wanted_bonuses(checked.facts, bonuses, others)
    if wanted is None:
        return
    for bonus, mark in layout.bonuses:
        if bonus in wanted.allowed - bonuses.allowed:
            message = (
                f"Bonus {bonus} ({BONUS_WORDS[bonus]}) isn't crossed out, but with it some game would end like this"
            )
            yield Flag("hexroller.bonus", "illegal", (mark,), message)
    if not wanted.one_a_round:
        marks = tuple(mark for bonus, mark in layout.bonuses if bonus in wanted.allowed | checked.sheet.used)
        message = "Two bonuses must have been used in one round, and only one a round is allowed"
        yield Flag("hexroller.bonus", "illegal", marks, message)


def _history(checked: Checked) -> Iterator[Flag]:
    for reason in reasons(checked.facts, checked.bonuses):
        yield Flag("hexroller.history", "illegal", _shown(reason, checked), _sentence(reason, checked))


def _shown(reason: Reason, checked: Checked) -> tuple[str, ...]:
    """The cells that show a reason: hexes, the record boxes of rounds, or the bonuses."""
    layout = checked.layout
    if isinstance(reason, LooseHexes):
        return layout.named(reason.hexes)
    if isinstance(reason, MissingHexes):
        rows = ((layout.top, checked.sheet.top), (layout.bottom, checked.sheet.bottom))
        return tuple(
            box for boxes, held in rows for box, number in zip(boxes, held, strict=True) if number == reason.number
        )
    if isinstance(reason, UnevenRounds):
        rows = ((layout.top, checked.sheet.top), (layout.bottom, checked.sheet.bottom))
        return tuple(boxes[at - 1] for boxes, held in rows for at in reason.rounds if held[at - 1])
    return tuple(mark for bonus, mark in layout.bonuses if bonus in checked.sheet.used)


def _sentence(reason: Reason, checked: Checked) -> str:
    if isinstance(reason, LooseHexes):
        return _about_hexes(reason, checked.layout.named(reason.hexes))
    if isinstance(reason, MissingHexes):
        holds = "no hex" if not reason.hexes else f"only {_count(reason.hexes, 'hex')}"
        each = "wrote" if len(reason.rounds) == 1 else "each wrote"
        line = f"{_rounds(reason.rounds)} {each} a line of {reason.number}s"
        return (
            f"{line}, but {holds} of them joined to a printed {reason.number} {_are(range(max(1, reason.hexes)))} there"
        )
    if isinstance(reason, UnevenRounds):
        return _about_rounds(reason, checked)
    return "The crossed-out bonuses don't go round: two of them would have been used in one round"


def _about_hexes(reason: LooseHexes, named: Sequence[str]) -> str:
    number, cells = reason.number, _listed(named)
    if not reason.rounds:
        return f"No round records {_a(number)}, so nobody can have written {_it(named)}: {cells}"
    if reason.apart:
        these = f"This {number} touches" if len(named) == 1 else f"These {_word(len(named))} {number}s touch"
        return f"{these} no earlier {number}: {cells}"
    lines = "one line of hexes" if len(reason.rounds) == 1 else f"{_word(len(reason.rounds))} lines of hexes"
    wrote = f"{_rounds(reason.rounds)} wrote {number}s, {lines}"
    return f"{wrote}, which can't pass through all that are there; without {cells} they could"


def _about_rounds(reason: UnevenRounds, checked: Checked) -> str:
    facts = checked.facts
    rounds = [facts.rounds[at - 1] for at in reason.rounds]
    numbers = sorted({number for one in rounds for number in one.numbers})
    held = _listed([f"{number}s" for number in numbers])
    if all(one.counts is None for one in rounds):
        in_one = "" if len(rounds) == 1 else ", however they are shared out"
        return f"{_rounds(reason.rounds)}: the {held} there are need more than {facts.dice} dice{in_one}"
    # A bonus may have written a hex more, or dice of a third number: then the dice alone accuse nobody.
    for number in numbers if not checked.bonuses.allowed else ():
        mine = facts.rounds_of(number)
        rolled = [facts.rounds[at].rolled(number) for at in mine]
        written = len(facts.written[number - NUMBERS.start])
        if {at + 1 for at in mine} <= set(reason.rounds) and None not in rolled:
            dice = sum(count or 0 for count in rolled)
            if dice != written:
                return (
                    f"{_rounds(reason.rounds)}: the dice showed {_word(dice)} {number}{'s' * (dice != 1)}, "
                    f"but {_word(written)} {_are(range(written))} written"
                )
    return f"{_rounds(reason.rounds)}: the {held} that were rolled can't have been written as they stand here"


# ---- rolls


def _rolls(checked: Checked, rolls: Sequence[Sequence[int]]) -> Iterator[Flag]:
    layout = checked.layout
    if any(len(roll) != layout.dice for roll in rolls):
        message = f"The log is none of this sheet: its rolls are not of {layout.dice} dice"
        yield Flag("hexroller.roll", "illegal", (), message)
        return
    for at, roll in enumerate(rolls[: layout.rounds]):
        for boxes, held in ((layout.top, checked.sheet.top), (layout.bottom, checked.sheet.bottom)):
            if held[at] and held[at] not in roll:
                shown = " ".join(map(str, roll))
                message = f"Round {at + 1} records {_a(held[at])}, but no die showed it: {shown}"
                yield Flag("hexroller.roll", "illegal", (boxes[at],), message)
    late = [at for at in range(len(rolls), layout.rounds) if checked.sheet.top[at] or checked.sheet.bottom[at]]
    if late:
        cells = [
            boxes[at]
            for boxes, held in ((layout.top, checked.sheet.top), (layout.bottom, checked.sheet.bottom))
            for at in late
            if held[at]
        ]
        numbers = [at + 1 for at in late]
        message = f"{_rounds(numbers)} {_are(numbers)} recorded, but the log has only {_count(len(rolls), 'roll')}"
        yield Flag("hexroller.roll", "illegal", tuple(cells), message)


# ---- words


def _rounds(numbers: Sequence[int]) -> str:
    """``Round 3``, ``Rounds 2 and 6``."""
    return f"Round{'s' * (len(numbers) != 1)} {_listed([str(number) for number in numbers])}"


def _listed(names: Sequence[str]) -> str:
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else "".join(names)


def _are(things: Sequence[object]) -> str:
    return "is" if len(things) == 1 else "are"


def _it(things: Sequence[object]) -> str:
    return "it" if len(things) == 1 else "them"


def _a(number: int) -> str:
    return f"an {number}" if number == HIGHEST else f"a {number}"


def _count(count: int, noun: str) -> str:
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun}es" if noun.endswith("x") else f"{count} {noun}s"


_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def _word(count: int) -> str:
    return _WORDS[count] if count < len(_WORDS) else str(count)
