"""Splitter: groups of as many equal numbers as the number says, in cells that are filled in mirrored pairs.

Works on every square template whose cells mirror each other at its middle. The tags `star` and `heart` have their
meaning, boxes called ``claim-ones`` to ``claim-sixes``, ``claim-hearts`` and ``claim-total`` hold the player's claim.
The solo game that the rules mention is not supported: its text is not in our sources.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from scanner.games import splitter_prior
from scanner.games.base import GameContext, TallyBoxes
from scanner.games.splitter_bounds import bounds, options_of
from scanner.games.splitter_layout import HIGHEST, NUMBERS, Group, Layout, groups_of, layout_of
from scanner.games.splitter_rolls import Difference, Numbers, Place, differences
from scanner.games.splitter_tally import Tally
from scanner.results import CellReading, Flag, Score, ScoreGroup, ScoreLine, Severity, Value
from scanner.rolls import RollFormat

if TYPE_CHECKING:
    from scanner.board import ReadBoard
    from scanner.templates import Template

DICE = 2
HEART_POINTS = 5
HALF_PAIR = 0.05
"""Prior of a number whose mirrored cell is surely empty, and of no number where the mirrored cell surely holds one:
players fill both cells at once."""
ILLEGAL = 0.4
"""Prior of a number that no die shows, beside what numbers out of a cell's range weigh less anyway (a twentieth, see
`scanner.resolve.posterior`). On the generated pads one number in a hundred is illegal, each of the four is 60 times as
rare as a legal one; on people's pads they are rarer. Both together stay above that."""
CLEARLY_VOID = 0.9
"""Confidence from which what is struck out, or a pencil note, counts as no number."""
TOLD_FROM = 0.9
"""Probability from which a mistake is told; a less probable one is asked about first. On generated pads by hands that
train or tune the reader 208 of 249 mistakes are told, and one that isn't there on 1 of 405 legal sheets; from 0.8 on
222 and 2. But of hands that nobody knows, from 0.8 on 46 of 48 and 4 of 48, from 0.9 on 45 and 1."""
NAMED_PAIRS = 3


class Splitter:
    """The rules of Splitter; see `scanner.games.base.Game`."""

    id: ClassVar[str] = "splitter"
    values_matter: ClassVar[bool] = False
    numbers_only: ClassVar[bool] = True
    mistakes_are_few: ClassVar[bool] = True

    def flags(self, board: ReadBoard, template: Template, context: GameContext) -> tuple[Flag, ...]:
        """``splitter.value``, ``.pair``, ``.incomplete``, ``.roll`` and ``.claimed``, then in the template's order."""
        layout = layout_of(template)
        readings = [board.cells[cell] for cell in layout.ids]
        return (
            *_bad_values(readings),
            *_half_pairs(readings, layout),
            *_incomplete(readings, layout),
            *(() if context.rolls is None else _rolls(readings, layout, context.rolls)),
            *self._wrong_claims(board, template),
        )

    def score(self, board: ReadBoard, template: Template, context: GameContext) -> Score:
        """A line for each number with its groups that score, and one for the hearts where the sheet has any."""
        layout = layout_of(template)
        return _score(tuple(_counting(board.cells[cell].value) for cell in layout.ids), template)

    def claims(self, board: ReadBoard, template: Template) -> Mapping[str, int]:
        """What the boxes say: ``ones`` to ``sixes``, ``hearts``, ``total``; empty ones are left out."""
        written = {name: board.cells[box].value for name, box in layout_of(template).claims}
        return {name: value for name, value in written.items() if isinstance(value, int)}

    def counted(self, board: ReadBoard, template: Template) -> Mapping[str, int]:
        """What the boxes have to say; see `scanner.games.base.CountedGame`."""
        score = self.score(board, template, GameContext())
        points = dict(zip((*NUMBERS, "hearts"), (line.points for line in score.lines), strict=False))
        points["total"] = score.total or 0
        return {box: points.get(name, 0) for name, box in layout_of(template).claims}

    def tally_boxes(self, template: Template) -> TallyBoxes:
        """See `scanner.games.base.TalliedGame`."""
        boxes = dict(layout_of(template).claims)
        total = boxes.pop("total", None)
        return TallyBoxes(tuple(boxes.values()), total)

    def tallies(
        self, board: ReadBoard, template: Template, changes: Iterable[Mapping[str, Value | None]]
    ) -> Iterator[tuple[int, ...]]:
        """See `scanner.games.base.TalliedGame`."""
        layout = layout_of(template)
        number = {cell: index for index, cell in enumerate(layout.ids)}
        tally = Tally(layout, [_counting(board.cells[cell].value) for cell in layout.ids], HEART_POINTS)
        by_index = ({number[cell]: _counting(value) for cell, value in change.items()} for change in changes)
        for *numbers, hearts in tally.points(by_index):
            points = dict(zip((*NUMBERS, "hearts"), (*numbers, hearts), strict=True))
            yield tuple(points[name] for name, _ in layout.claims if name != "total")

    def prior(self, board: ReadBoard, template: Template, reading: CellReading) -> float:
        """Half pairs are rarer than whole ones, and so are numbers that no die shows; equal ones stand side by side."""
        layout = layout_of(template)
        if reading.id not in layout.ids:
            return 1.0
        mirrored = board.cells[layout.ids[layout.partner[layout.ids.index(reading.id)]]]
        beside = splitter_prior.beside(board, layout, reading)
        if reading.value is None:
            return beside * (HALF_PAIR if _holds_number(mirrored) else 1.0)
        return beside * (HALF_PAIR if _is_empty(mirrored) else 1.0) * (1.0 if _counting(reading.value) else ILLEGAL)

    def bounds(
        self, board: ReadBoard, template: Template, possible: Mapping[str, frozenset[Value | None]]
    ) -> tuple[int, int]:
        """See `scanner.games.splitter_bounds.bounds`."""
        layout = layout_of(template)
        values = [_counting(board.cells[cell].value) for cell in layout.ids]
        counting = {cell: frozenset(map(_counting, options)) for cell, options in possible.items() if options}
        return bounds(options_of(values, counting, layout), layout, HEART_POINTS)

    def roll_format(self, template: Template) -> RollFormat:
        """Two dice, and a round for each pair of cells."""
        return RollFormat(DICE, 1, HIGHEST, len(layout_of(template).pairs))

    def _wrong_claims(self, board: ReadBoard, template: Template) -> list[Flag]:
        claimed = self.claims(board, template)
        if not claimed:
            return []
        counted = self.counted(board, template)
        flags = []
        for name, box in layout_of(template).claims:
            if name in claimed and claimed[name] != counted[box]:
                what = "the total" if name == "total" else name
                message = f"The box for {what} says {claimed[name]}, but the board gives {counted[box]}"
                flags.append(Flag("splitter.claimed", "arithmetic", (box,), message))
        return flags


def _counting(value: Value | None) -> int:
    """The value if it can score, else 0."""
    return value if isinstance(value, int) and 1 <= value <= HIGHEST else 0


def _is_empty(reading: CellReading) -> bool:
    """Known to hold no number.

    Of an unreadable cell that isn't known, nor of a scribble, nor where something is written that is hardly surer to be
    struck out or a note than a number.
    """
    if reading.value is not None or reading.state in ("unreadable", "scribble", "doubtful"):
        return False
    return reading.state not in ("struck", "candidates") or reading.confidence >= CLEARLY_VOID


def _holds_number(reading: CellReading) -> bool:
    """Surely holds a number, even if it isn't known which."""
    return reading.value is not None or reading.state == "doubtful"


def _is_unread(reading: CellReading) -> bool:
    """May hold a number that nobody can tell."""
    return reading.value is None and not _is_empty(reading)


# ---- score lines


@lru_cache(maxsize=1024)
def _score(values: tuple[int, ...], template: Template) -> Score:
    """values: of the lattice's cells, 0 where there is none that counts.

    Kept, since hundreds of readings of a doubtful sheet are compared, and flags ask for the score again.
    """
    layout = layout_of(template)
    scoring: list[list[Group]] = [[] for _ in NUMBERS]
    for group in groups_of(values, layout):
        if group.points:
            scoring[group.value - 1].append(group)
    lines = [_line(name, groups, layout) for name, groups in zip(NUMBERS, scoring, strict=True)]
    if layout.hearts:
        lines.append(_hearts_line(values, layout))
    return Score(sum(line.points for line in lines), tuple(lines))


def _line(name: str, groups: Sequence[Group], layout: Layout) -> ScoreLine:
    label = name.capitalize()
    if not groups:
        return ScoreLine(label, 0)
    label += f": {_count(len(groups), 'group')}"
    if starred := sum(group.star for group in groups):
        label += f", {starred} on a star"
    return ScoreLine(
        label,
        sum(group.points for group in groups),
        layout.named(sorted(cell for group in groups for cell in group.cells)),
        tuple(
            ScoreGroup(
                layout.named(group.cells),
                group.points,
                layout.named([cell for cell in group.cells if cell in layout.stars]),
            )
            for group in groups
        ),
    )


def _hearts_line(values: Sequence[int], layout: Layout) -> ScoreLine:
    numbers = {values[cell] for cell in layout.hearts}
    if len(numbers) > 1 or numbers == {0}:
        return ScoreLine("Hearts", 0)
    cells = layout.named(layout.hearts)
    label = f"Hearts: {numbers.pop()} in all {len(cells)}"
    return ScoreLine(label, HEART_POINTS, cells, (ScoreGroup(cells, HEART_POINTS, cells),))


# ---- flags


def _bad_values(readings: Sequence[CellReading]) -> list[Flag]:
    return [
        Flag(
            "splitter.value",
            "illegal",
            (reading.id,),
            f"{reading.id} holds {reading.value}, but dice show only 1 to {HIGHEST}",
        )
        for reading in readings
        if reading.value is not None and not _counting(reading.value) and _illegal(reading) >= TOLD_FROM
    ]


def _illegal(reading: CellReading) -> float:
    """Probability that a cell holds a number that no die shows; what else it may be isn't all known."""
    others = (p for name, p in reading.alternatives.items() if name.isdigit() and not _counting(int(name)))
    return reading.confidence + math.fsum(others)


def _void(reading: CellReading) -> float:
    """Probability that a cell in which no number was seen holds none, as far as is known."""
    return 1.0 - math.fsum(p for name, p in reading.alternatives.items() if name.isdigit())


def _half_pairs(readings: Sequence[CellReading], layout: Layout) -> list[Flag]:
    flags = []
    for pair in layout.pairs:
        for cell, mirrored in (pair, pair[::-1]):
            void = _void(readings[mirrored])
            if readings[cell].value is not None and _is_empty(readings[mirrored]) and void >= TOLD_FROM:
                holds = f"{layout.ids[cell]} holds {readings[cell].value}"
                empty = "is struck out" if readings[mirrored].state == "struck" else "is empty"
                message = f"{holds}, but {layout.ids[mirrored]}, which mirrors it, {empty}"
                flags.append(Flag("splitter.pair", "illegal", layout.named(pair), message))
    return flags


def _incomplete(readings: Sequence[CellReading], layout: Layout) -> list[Flag]:
    empty = [pair for pair in layout.pairs if all(_is_empty(readings[cell]) for cell in pair)]
    if not empty:
        return []
    cells = layout.named(sorted(cell for pair in empty for cell in pair))
    if len(empty) == len(layout.pairs):
        message = f"The sheet is empty: all {len(empty)} rounds are missing"
    else:
        are = "is" if len(empty) == 1 else "are"
        named = _pairs(empty, layout, "and")
        message = f"{_count(len(empty), 'round')} of {len(layout.pairs)} {are} missing: {named} {are} empty"
    return [Flag("splitter.incomplete", "incomplete", cells, message)]


def _rolls(readings: Sequence[CellReading], layout: Layout, rolls: Sequence[Numbers]) -> list[Flag]:
    if any(len(roll) != DICE for roll in rolls):
        return [Flag("splitter.roll", "illegal", (), f"The log is none of Splitter: its rolls are not of {DICE} dice")]
    # a short log is more likely to lack a roll than the sheet is to have one too many; so the message says it
    short = f"; the log has only {len(rolls)} of {len(layout.pairs)} rolls" if len(rolls) < len(layout.pairs) else ""
    places = [_place(pair, readings) for pair in layout.pairs]
    return [_roll_flag(found, layout, short) for found in differences(rolls, places)]


def _place(pair: tuple[int, int], readings: Sequence[CellReading]) -> Place:
    values = [readings[cell].value for cell in pair]
    numbers = tuple(sorted(value for value in values if isinstance(value, int)))
    return Place(pair, numbers, sum(_is_unread(readings[cell]) for cell in pair))


def _roll_flag(found: Difference, layout: Layout, short: str) -> Flag:
    severity: Severity = "illegal"
    places = _pairs([place.pair for place in found.places], layout, "or")
    if found.rolled is None:
        one = _numbers(found.written or ())
        if len({place.numbers for place in found.places}) > 1:
            one += " or another pair"
        message = f"{one} is written ({places}) but wasn't rolled{short}"
    elif found.written is None:
        message = f"{_numbers(found.rolled)} was rolled but isn't written; "
        message += f"it could belong in {places}" if places else "no pair of cells is left for it"
        if any(not place.is_full for place in found.places):
            severity = "incomplete"
    elif len({place.numbers for place in found.places}) > 1:
        one = _numbers(found.written)
        message = f"{_numbers(found.rolled)} was rolled, but {one} or another pair stands in its place ({places})"
        if any(not place.is_full for place in found.places):
            severity = "incomplete"
    elif len(found.written) < DICE:
        message = f"{_numbers(found.rolled)} was rolled, but only {_numbers(found.written)} is written ({places})"
        severity = "incomplete"
    else:
        message = f"{_numbers(found.rolled)} was rolled, but {_numbers(found.written)} is written ({places})"
    cells = layout.named(sorted(cell for place in found.places for cell in place.pair))
    return Flag("splitter.roll", severity, cells, message)


def _numbers(numbers: Numbers) -> str:
    return " ".join(map(str, numbers))


def _pairs(pairs: Sequence[tuple[int, int]], layout: Layout, last: str) -> str:
    """Some pairs for a message, such as ``r1c3/r1c6, r2c2/r2c7 or 4 more``."""
    names = ["/".join(layout.named(pair)) for pair in pairs[:NAMED_PAIRS]]
    if len(pairs) > NAMED_PAIRS:
        names.append(f"{len(pairs) - NAMED_PAIRS} more")
    return f"{', '.join(names[:-1])} {last} {names[-1]}" if len(names) > 1 else "".join(names)


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
