"""A player's claims as check digits for the board: which readings of its unclear cells would give what is claimed?

The evidence, for a board as it may be: each box for points says what the board gives, unless the player miscounted
(`MISCOUNTED`) or the box is misread (its own probabilities); and the total is the sum of what is written. A board that
gives what is claimed is so much likelier than one that would need a mistake, up to a limit (`SPOILT`): boxes needn't be
wrong each for itself. What the ink says weighs as it always does: a cell whose ink is clear keeps its value, and only
gets doubtful where claims speak against it.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import cast

from scanner.board import ReadBoard
from scanner.games.base import Game, TalliedGame, TallyBoxes
from scanner.resolve.outcomes import STATE_NAMES, Doubt, Outcome, combinations
from scanner.resolve.sums import CHECKED, CLEAR, READ_FROM
from scanner.results import PLAUSIBLE, VALUED_STATES, CellReading, State
from scanner.templates.model import Template

MISCOUNTED = 0.05
"""How often a player writes another number into a box than the board gives, or adds up wrongly: about one written sum
in thirty is wrong, and counting groups is harder."""
JUST_THIS = 0.2
"""How often a wrong number is just the one that a misread cell would give: both are often off by one group."""
UNLISTED = 0.02
"""Share that a certain number has of what a box's listed readings leave open."""
LEFT_OUT = 0.9
"""How often a box that is empty beside filled ones stands for no points."""
ALL_FOR_NONE = 0.7
"""How often all boxes that are empty beside filled ones stand for no points; else none was filled in yet."""
SPOILT = 0.003
"""How often the boxes say nothing about the board: one cause spoils several of them, such as a number that was changed
after they were filled in, or points copied from another sheet. No claims make a board likelier than another by more
than about the inverse."""
MOST_BOARDS = 1500
"""Boards that are weighed, the likeliest ones."""
LIKELIEST = 5
"""Of these the likeliest, beside which other readings of clear cells are weighed."""
LEAST_OPTION = 1e-3
"""Odds of a reading of an unclear cell, against its best, from which it is tried in combinations."""
DIGITS = 4

Choice = tuple[int, ...]
"""For each cell which of its options is meant."""
_Said = tuple[tuple[int, float], ...] | None
"""What a box may say, each number with its probability; null for one that says nothing."""


def weighed_by_claims(
    board: ReadBoard, template: Template, game: Game, clear: frozenset[str] = frozenset()
) -> ReadBoard:
    """The board with the readings of its cells weighed by what the player claims.

    clear: cells whose ink is clear, whatever the rules made of it; so are those that are read surely enough. As it is
    where nothing is claimed, or a cell holds what nobody can tell.
    """
    if not isinstance(game, TalliedGame):
        return board
    boxes = game.tally_boxes(template)
    claims = _Claims.of(board, boxes)
    cells = [board.cells[cell.id] for cell in template.lattice_cells]
    if not claims.are_any or any(reading.state in ("unreadable", "scribble") for reading in cells):
        return board
    found = [_options(reading, template) for reading in cells]
    open_cells = [doubt for doubt in found if len(doubt.outcomes) > 1]
    if not open_cells:
        return board
    weighed = _Boards(board, template, game, claims, open_cells, clear).weighed()
    return ReadBoard(board.template, {**board.cells, **weighed})


def _options(reading: CellReading, template: Template) -> Doubt:
    """What a cell may hold, the reported reading first. A number that nobody could tell may be any."""
    weights: dict[tuple[int | None, State], float] = {}
    state: State = "read" if reading.state in VALUED_STATES else reading.state
    assert reading.value is None or isinstance(reading.value, int)
    weights[reading.value, state] = max(reading.confidence, 1e-6)
    others = {} if reading.state == "answered" else reading.alternatives
    for name, p in others.items():
        if name in STATE_NAMES and name != "scribble":
            weights[None, cast(State, name)] = p
        elif name.isdigit():
            weights[int(name), "read"] = p
    low, high = template.cell(reading.id).values or (0, 9)
    if untold := others.get("scribble", 0.0):
        for value in range(low, high + 1):
            weights[value, "read"] = weights.get((value, "read"), 0.0) + untold / (high - low + 1)
    outcomes = tuple(
        Outcome(CellReading(reading.id, value, state), weight) for (value, state), weight in weights.items()
    )
    return Doubt(reading.id, reading, outcomes)


@dataclass(frozen=True, slots=True)
class _Claims:
    """filled: what each box for points may say, and how probable that is; null for one that says nothing.

    parts: the same where empty boxes stand for no points beside filled ones. total: what its box may say.
    """

    filled: tuple[_Said, ...]
    parts: tuple[_Said, ...]
    total: _Said

    @classmethod
    def of(cls, board: ReadBoard, boxes: TallyBoxes) -> _Claims:
        filled = parts = tuple(_numbers(board.cells[box]) for box in boxes.parts)
        if any(part is not None for part in filled):
            parts = tuple(part or _nothing(board.cells[box]) for box, part in zip(boxes.parts, filled, strict=True))
        return cls(filled, parts, None if boxes.total is None else _numbers(board.cells[boxes.total]))

    @property
    def are_any(self) -> bool:
        return self.total is not None or any(part is not None for part in self.parts)

    def likelihood(self, points: Sequence[int]) -> float:
        """How probable the claims are if the board gives these points; up to a factor."""
        found = self._likelihood(points, self.filled)
        if self.parts != self.filled:
            found = ALL_FOR_NONE * self._likelihood(points, self.parts) + (1.0 - ALL_FOR_NONE) * found
        return SPOILT + found

    def _likelihood(self, points: Sequence[int], parts: Sequence[_Said]) -> float:
        ways = {0: 1.0}  # by what the written parts add up to
        right = 1.0 - MISCOUNTED
        for given, part in zip(points, parts, strict=True):
            if part is None:  # counted in the head, if at all
                ways = {total + given: p for total, p in ways.items()}
                continue
            said = dict(part)
            said.setdefault(given, UNLISTED * max(0.0, 1.0 - math.fsum(said.values())))
            grown: dict[int, float] = defaultdict(float)
            for number, p in said.items():
                share = p * (right if number == given else MISCOUNTED * JUST_THIS)
                for total, before in ways.items():
                    grown[total + number] += before * share
            ways = grown
        if self.total is None:
            return math.fsum(ways.values())
        said = dict(self.total)
        rest = UNLISTED * max(0.0, 1.0 - math.fsum(said.values()))
        right **= 1 + sum(part is None for part in parts)
        return math.fsum(p * (right * said.get(total, rest) + (1.0 - right) * JUST_THIS) for total, p in ways.items())


def _numbers(box: CellReading) -> _Said:
    """What a box may say; null for one without a number, which says nothing."""
    if box.state not in VALUED_STATES or not isinstance(box.value, int):
        return None
    if box.state == "answered":
        return ((box.value, 1.0),)
    others = [(int(name), p) for name, p in box.alternatives.items() if name.isdigit() and p >= PLAUSIBLE]
    return (box.value, box.confidence), *others


def _nothing(box: CellReading) -> _Said:
    """What an empty box says beside filled ones; null if it isn't known to be empty."""
    return ((0, LEFT_OUT * box.confidence),) if box.state == "blank" else None


class _Boards:
    """Boards as they may be, each with its probability by the ink and by the claims."""

    def __init__(
        self,
        board: ReadBoard,
        template: Template,
        game: TalliedGame,
        claims: _Claims,
        cells: Sequence[Doubt],
        clear: frozenset[str],
    ) -> None:
        self._board, self._template, self._game, self._claims = board, template, game, claims
        self._cells = cells
        self._likelihoods: dict[tuple[int, ...], float] = {}
        self._clear = {k for k, cell in enumerate(cells) if cell.cell in clear or cell.reported.confidence >= CLEAR}

    def weighed(self) -> dict[str, CellReading]:
        """The cells whose readings have other probabilities now, by id."""
        weights = self._of_unclear()
        likeliest = sorted(weights, key=lambda choice: -weights[choice])[:LIKELIEST]
        beside = self._beside(likeliest)
        whole = math.fsum((*weights.values(), *beside.values()))
        common = math.fsum(weights[choice] for choice in likeliest)
        if not whole > 0 or not common > 0:
            return {}
        shares = [[0.0] * len(cell.outcomes) for cell in self._cells]
        for choice, weight in itertools.chain(weights.items(), beside.items()):
            for k, index in enumerate(choice):
                if k not in self._clear:
                    shares[k][index] += weight / whole
        for choice, weight in beside.items():
            for k in self._clear:
                if choice[k]:
                    shares[k][choice[k]] += weight / common
        for k in self._clear:
            shares[k][0] = 1.0
        return {
            cell.cell: _with_shares(cell, share, is_clear=k in self._clear)
            for k, (cell, share) in enumerate(zip(self._cells, shares, strict=True))
        }

    def _of_unclear(self) -> dict[Choice, float]:
        """Combinations of what the unclear cells may hold, the likeliest ones."""
        unclear = [k for k in range(len(self._cells)) if k not in self._clear]
        places = {self._cells[k].cell: k for k in unclear}
        doubts, options = [], []
        for k in unclear:
            outcomes = self._cells[k].outcomes
            best = max(outcome.weight for outcome in outcomes)
            kept = [index for index, outcome in enumerate(outcomes) if outcome.weight >= LEAST_OPTION * best]
            options.append({id(outcomes[index]): index for index in kept})
            doubts.append(replace(self._cells[k], outcomes=tuple(outcomes[index] for index in kept)))
        choices = []
        for chosen in itertools.islice(combinations(doubts, LEAST_OPTION**2), MOST_BOARDS):
            choice = [0] * len(self._cells)
            for outcome, index in zip(chosen, options, strict=True):
                choice[places[outcome.reading.id]] = index[id(outcome)]
            choices.append(tuple(choice))
        return self._weights(choices)

    def _beside(self, likeliest: Iterable[Choice]) -> dict[Choice, float]:
        """Boards that differ from the likeliest in one cell, in what wasn't combined."""
        choices = {
            (*choice[:k], index, *choice[k + 1 :])
            for choice in likeliest
            for k in self._clear
            for index in range(1, len(self._cells[k].outcomes))
        }
        return self._weights(sorted(choices))

    def _weights(self, choices: Sequence[Choice]) -> dict[Choice, float]:
        """Of boards, against that of what was read: by the ink and by the claims."""
        changed = [[(self._cells[k], index) for k, index in enumerate(choice) if index] for choice in choices]
        changes = ({cell.cell: cell.outcomes[index].reading.value for cell, index in one} for one in changed)
        weights = {}
        tallies = self._game.tallies(self._board, self._template, changes)
        for choice, one, points in zip(choices, changed, tallies, strict=True):
            if points not in self._likelihoods:
                self._likelihoods[points] = self._claims.likelihood(points)
            odds = math.prod(cell.outcomes[index].weight / cell.outcomes[0].weight for cell, index in one)
            weights[choice] = odds * self._likelihoods[points]
        return weights


def _with_shares(cell: Doubt, shares: Sequence[float], *, is_clear: bool) -> CellReading:
    """The reading with other probabilities; that of clear ink stays, however little is left of it."""
    whole = math.fsum(shares)
    known = [share / whole for share in shares]
    top = 0 if is_clear else max(range(len(known)), key=lambda index: known[index])
    if is_clear and known[0] < 0.5:
        others = 1.0 - known[0]
        known = [0.5, *(share * 0.5 / others for share in known[1:])]
    # claims make no reading surer than sums do, but what the ink says without them stands
    most = max(CHECKED, cell.reported.confidence if top == 0 else 0.0)
    rounded = [round(min(share, most), DIGITS) for share in known]
    outcome = cell.outcomes[top].reading
    names: dict[str, float] = {}
    for index in sorted(range(len(known)), key=lambda index: -rounded[index]):
        other = cell.outcomes[index].reading
        if index != top and rounded[index] > 0:
            names[other.state if other.value is None else str(other.value)] = rounded[index]
    state: State = outcome.state
    if outcome.value is not None and rounded[top] < READ_FROM:
        state = "doubtful"
    ink, printed = (cell.reported.ink, cell.reported.printed) if outcome.value is not None else (None, None)
    return replace(
        cell.reported,
        value=outcome.value,
        state=state,
        confidence=rounded[top],
        alternatives=names,
        ink=ink,
        printed=printed,
    )
