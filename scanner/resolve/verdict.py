"""Scores a board and says how sure that is: the range of totals, and the shortest list of cells to ask about.

Sure means: no plausible combination of readings changes the total, a score line, a flag or, in games where values
matter, a value. Combinations and not single cells: two cells may be harmless each and not both together.

How far the search goes, so that it always ends in time:

- Games where values matter: every cell with a second plausible value is asked; combinations serve the range only.
  A flag of theirs is sure if it stands whatever any one of the doubtful cells holds.
- Other games: if all doubts together have at most `MAX_COMBINATIONS` combinations, `ask` is the shortest list such
  that, whatever is answered, no combination that is then plausible changes the result. If they have more, every
  doubtful cell is asked as soon as one of the plausible combinations changes the result, but those that change nothing
  whatever the others plausibly hold; and all of them if the plausible combinations are too many.
- If the plausible combinations are too many, the range is the game's `bounds` (see `BoundedGame`), which may be
  wider than the truth; for a game without them it is the range of the `MAX_COMBINATIONS` most probable ones. The same
  holds for the columns of a table (`ColumnGame.column_bounds`).
- All this holds for each column of a table by itself (see `ColumnGame`); where columns depend on each other, doubts
  that are harmless in each are tried together as well, up to `MAX_COMBINATIONS`. What the sums decide once other cells
  are answered isn't asked, and no more than a few questions at once (see `scanner.resolve.questions`).
- What is printed and what written by hand is doubted apart from the values, see `scanner.resolve.inks`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from scanner.board import ReadBoard
from scanner.games.base import BoundedGame, ClaimGame, ColumnGame, Game, GameContext, HistoryGame, NumbersOnlyGame
from scanner.resolve.inks import ink_findings
from scanner.resolve.outcomes import STATE_NAMES, Doubt, Outcome, combinations, doubt_about
from scanner.resolve.questions import fewest_questions, most_useful
from scanner.results import DOUBT_CODE, PLAUSIBLE, WRONG, CellReading, ColumnScore, Flag, Score, Verdict
from scanner.templates.model import Template

MAX_COMBINATIONS = 400
MAX_SUBSETS = 400
"""Lists of cells tried when looking for the shortest one."""
MAX_CHECKS = 400
"""Further combinations tried, where there are too many for the shortest list, to see which doubts change nothing."""
MAX_SINGLES = 200
"""Single changes of cells tried to see whether a flag stands; with more doubts than that none is sure."""
NAMED_CELLS = 5
NAMED_OUTCOMES = 3


def resolve(board: ReadBoard, template: Template, game: Game, context: GameContext | None = None) -> Verdict:
    """The verdict on a board as read, answered or typed; confidences and alternatives say what else it could be."""
    judge = _Judge(board, template, game, context or GameContext())
    score, flags = judge.score(()), judge.flags(())
    claimed = game.claims(board, template) if isinstance(game, ClaimGame) else {}
    numbers_only = isinstance(game, NumbersOnlyGame) and game.numbers_only
    found = (
        doubt_about(board.cells[cell.id], cell, by_value=game.values_matter, numbers_only=numbers_only)
        for cell in template.cells
    )
    doubts = [doubt for doubt in found if doubt is not None]
    inks = ink_findings(board, template, game, judge.result)
    if inks.results:  # the score and the flags of the most probable inks
        score, flags = inks.results[0].score, inks.results[0].flags
    if not doubts:
        found_out = _Findings((), (), frozenset(), ())
    elif game.values_matter:
        found_out = _by_value(judge, doubts, flags)
    elif isinstance(game, ColumnGame):
        found_out = _by_columns(judge, doubts, flags, apart=game.columns_apart)
    else:
        found_out = _by_result(judge, doubts)
    asked, scores = found_out.asked, [score, *found_out.scores, *(result.score for result in inks.results)]
    at_once = sorted(asked, key=lambda doubt: -doubt.size)
    if isinstance(game, ColumnGame):
        at_once = most_useful(board, template, asked, doubts)
    ask = tuple(doubt.cell for doubt in at_once)
    # what cells hold is asked first: that often settles the other question
    ask_ink = () if ask else inks.asked
    flags = _with_sureness(flags, [*found_out.flags, *(result.flags for result in inks.results)], doubts)
    if ask or ask_ink:
        flags = (*flags, _doubt_flag(asked, [board.cells[cell] for cell in ask_ink], template))
    limits = _range(scores)
    if limits and not found_out.exact and isinstance(game, BoundedGame):
        possible = {doubt.cell: frozenset(outcome.reading.value for outcome in doubt.outcomes) for doubt in doubts}
        low, high = game.bounds(board, template, possible)
        limits = min(limits[0], low), max(limits[1], high)
    columns = _columns(score, scores, found_out.unsure_columns)
    if found_out.inexact_columns and isinstance(game, ColumnGame):
        possible = {doubt.cell: frozenset(outcome.reading.value for outcome in doubt.outcomes) for doubt in doubts}
        bounds = game.column_bounds(board, template, possible)
        columns |= {
            name: _widened(columns[name], bounds[name]) for name in found_out.inexact_columns if name in columns
        }
    return Verdict(
        score,
        limits,
        sure=not ask and not ask_ink,
        flags=flags,
        ask=(*ask, *ask_ink),
        ask_ink=ask_ink,
        claimed=claimed,
        columns=columns,
        history=game.history(board, template, judge.context) if isinstance(game, HistoryGame) else (),
    )


def _with_sureness(
    flags: Sequence[Flag], plausible: Sequence[Sequence[Flag]], doubts: Sequence[Doubt]
) -> tuple[Flag, ...]:
    """The flags, each sure only if it stands in all plausible results, and if all numbers are sure that it compares."""
    others = [{(flag.code, flag.cells) for flag in result} for result in plausible]
    unsure = {doubt.cell for doubt in doubts if len({outcome.reading.value or 0 for outcome in doubt.outcomes}) > 1}

    def stands(flag: Flag) -> bool:
        compared = (*flag.cells, *flag.basis) if flag.severity == "arithmetic" else flag.basis
        return unsure.isdisjoint(compared) and all((flag.code, flag.cells) in other for other in others)

    return tuple(replace(flag, sure=stands(flag)) for flag in flags)


@dataclass(frozen=True, slots=True)
class _Findings:
    """asked: the doubts to ask about, in the template's order. scores: of all plausible combinations, if `exact`.

    flags: of each plausible result that was looked at, to see whether a flag stands.
    inexact_columns: those of a table with too many plausible combinations to look at.
    """

    asked: Sequence[Doubt]
    scores: Sequence[Score]
    unsure_columns: frozenset[str]
    flags: Sequence[Sequence[Flag]]
    exact: bool = True
    inexact_columns: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Judge:
    """Asks the game about a board with some cells changed."""

    board: ReadBoard
    template: Template
    game: Game
    context: GameContext

    def score(self, changed: Iterable[Outcome]) -> Score:
        return self.game.score(self._with(changed), self.template, self.context)

    def flags(self, changed: Iterable[Outcome]) -> tuple[Flag, ...]:
        return self.game.flags(self._with(changed), self.template, self.context)

    def result(self, board: ReadBoard) -> _Result:
        """What the game says of another board of this template."""
        return _Result(
            self.game.score(board, self.template, self.context), self.game.flags(board, self.template, self.context)
        )

    def _with(self, changed: Iterable[Outcome]) -> ReadBoard:
        cells = dict(self.board.cells)
        cells.update((outcome.reading.id, outcome.reading) for outcome in changed)
        return ReadBoard(self.board.template, cells)


def _by_value(judge: _Judge, doubts: Sequence[Doubt], flags: Sequence[Flag]) -> _Findings:
    likely = _likely(doubts)
    scores = [judge.score(changed) for changed in likely[:MAX_COMBINATIONS]]
    columns = {column for column in scores[0].columns for doubt in doubts if doubt.cell.startswith(f"{column}.")}
    others: Sequence[Sequence[Flag]] = [()]
    if any(flag.severity in WRONG for flag in flags):
        others = _by_singles(judge, doubts)
    return _Findings(doubts, scores, frozenset(columns), others, exact=len(likely) <= MAX_COMBINATIONS)


def _by_singles(judge: _Judge, doubts: Sequence[Doubt]) -> Sequence[Sequence[Flag]]:
    """The flags with one doubtful cell changed, for each other outcome of it; none at all where these are too many."""
    singles = [outcome for doubt in doubts for outcome in doubt.outcomes if _differs(outcome, doubt.reported)]
    return [judge.flags((outcome,)) for outcome in singles] if len(singles) <= MAX_SINGLES else [()]


def _differs(outcome: Outcome, reported: CellReading) -> bool:
    other = outcome.reading
    return other.value != reported.value or (other.value is None and other.state != reported.state)


def _by_columns(judge: _Judge, doubts: Sequence[Doubt], flags: Sequence[Flag], *, apart: bool) -> _Findings:
    """Each column judged by itself, so that their doubts don't multiply: as if the others were empty.

    apart: see `ColumnGame`. Where columns matter to each other the others are as they were read; and what no column by
    itself has to ask about is looked at once more, all columns together, if that isn't too much.
    """
    found: list[_Findings] = []
    others: list[Sequence[Flag]] = []
    for column in dict.fromkeys(_column(doubt.cell) for doubt in doubts):
        cells = {
            cell: reading if _column(cell) == column else CellReading(cell, None, "blank")
            for cell, reading in judge.board.cells.items()
        }
        alone = replace(judge, board=ReadBoard(judge.board.template, cells))
        own = [doubt for doubt in doubts if _column(doubt.cell) == column]
        findings = _by_result(alone if apart else judge, own, bounded=True)
        found.append(
            replace(
                findings,
                asked=fewest_questions(alone.board, alone.template, findings.asked),
                unsure_columns=findings.unsure_columns & {column},
                inexact_columns=findings.inexact_columns & {column},
            )
        )
        elsewhere = [flag for flag in flags if all(_column(cell) != column for cell in flag.cells)] if apart else []
        others += [(*result, *elsewhere) for result in findings.flags]
        if not findings.exact:
            others.append(elsewhere)  # no flag of the column stands for sure
    asked = {doubt.cell for findings in found for doubt in findings.asked}
    left = [doubt for doubt in doubts if doubt.cell not in asked]
    if left and not apart and math.prod(len(doubt.outcomes) for doubt in left) <= MAX_COMBINATIONS:
        together = _by_result(judge, left)
        found.append(together)
        others += together.flags
        asked |= {doubt.cell for doubt in together.asked}
    return _Findings(
        [doubt for doubt in doubts if doubt.cell in asked],
        [score for findings in found for score in findings.scores],
        frozenset().union(*(findings.unsure_columns for findings in found)),
        others,
        exact=all(findings.exact for findings in found),
        inexact_columns=frozenset().union(*(findings.inexact_columns for findings in found)),
    )


def _column(cell_id: str) -> str:
    return cell_id.partition(".")[0]


def _by_result(judge: _Judge, doubts: Sequence[Doubt], *, bounded: bool = False) -> _Findings:
    """What becomes of the doubts; bounded: whether nothing is concluded from the results if they are too many."""
    if math.prod(len(doubt.outcomes) for doubt in doubts) > MAX_COMBINATIONS:
        return _by_likely_results(judge, doubts, bounded=bounded)
    results = [
        _Result(judge.score(changed), judge.flags(changed))
        for changed in itertools.product(*(doubt.outcomes for doubt in doubts))
    ]
    table = _Table(doubts, _numbered(results))
    plausible = table.plausible(()).ravel()
    likely = [result for result, is_plausible in zip(results, plausible, strict=True) if is_plausible]
    return _Findings(
        table.shortest(),
        [result.score for result in likely],
        _changing_columns(likely),
        [result.flags for result in likely],
    )


def _by_likely_results(judge: _Judge, doubts: Sequence[Doubt], *, bounded: bool) -> _Findings:
    likely = _likely(doubts)
    exact = len(likely) <= MAX_COMBINATIONS
    looked_at = likely[: MAX_COMBINATIONS if exact or not bounded else 1]
    results = [_Result(judge.score(changed), judge.flags(changed)) for changed in looked_at]
    scores = [result.score for result in results]
    flags: list[Sequence[Flag]] = [result.flags for result in results]
    if not exact:
        columns = frozenset(scores[0].columns)
        # The likeliest combinations leave out what single unlikely readings change.
        flags += _by_singles(judge, doubts)
        return _Findings(doubts, scores, columns, flags, exact=False, inexact_columns=columns)
    same = len({result.signature for result in results}) == 1
    asked = () if same else doubts if bounded else _without_idle(judge, doubts, likely, results)
    return _Findings(asked, scores, _changing_columns(results), flags)


def _without_idle(
    judge: _Judge, doubts: Sequence[Doubt], likely: Sequence[tuple[Outcome, ...]], results: Sequence[_Result]
) -> list[Doubt]:
    """The doubts but those whose answers change nothing, whatever the others plausibly hold.

    The smallest are tried first, and left out together. likely: all plausible combinations; results: theirs.
    """
    known = {tuple(map(id, changed)): result.signature for changed, result in zip(likely, results, strict=True)}
    checks = 0

    def change_nothing(idle: Sequence[int]) -> bool:
        nonlocal checks
        ways = list(combinations([doubts[axis] for axis in idle]))
        others: set[tuple[int, ...]] = set()
        for changed in likely:
            rest = tuple(0 if axis in idle else id(outcome) for axis, outcome in enumerate(changed))
            if rest in others:
                continue
            others.add(rest)
            seen = set()
            for way in ways:
                combined = list(changed)
                for axis, outcome in zip(idle, way, strict=True):
                    combined[axis] = outcome
                key = tuple(map(id, combined))
                if key not in known:
                    checks += 1
                    if checks > MAX_CHECKS:
                        return False
                    known[key] = _Result(judge.score(combined), judge.flags(combined)).signature
                seen.add(known[key])
            if len(seen) > 1:
                return False
        return True

    idle: list[int] = []
    for axis in sorted(range(len(doubts)), key=lambda axis: doubts[axis].size):
        if checks <= MAX_CHECKS and change_nothing([*idle, axis]):
            idle.append(axis)
    return [doubt for axis, doubt in enumerate(doubts) if axis not in idle]


def _likely(doubts: Sequence[Doubt]) -> list[tuple[Outcome, ...]]:
    """The plausible combinations, most probable first; one more than `MAX_COMBINATIONS` if there are too many."""
    return list(itertools.islice(combinations(doubts), MAX_COMBINATIONS + 1))


@dataclass(frozen=True, slots=True)
class _Result:
    """What the game says of one combination."""

    score: Score
    flags: tuple[Flag, ...]

    @property
    def signature(self) -> tuple[object, ...]:
        """Equal for equal results."""
        return self.score.total, self.score.lines, tuple(sorted(self.score.columns.items())), self.flags


class _Table:
    """The results of all combinations: one axis a doubt, in its order of outcomes."""

    def __init__(self, doubts: Sequence[Doubt], signatures: npt.NDArray[np.int64]) -> None:
        shape = tuple(len(doubt.outcomes) for doubt in doubts)
        self._doubts = doubts
        self._signatures = signatures.reshape(shape)
        self._weights = np.ones(shape)
        for axis, doubt in enumerate(doubts):
            along = [1] * len(shape)
            along[axis] = -1
            self._weights *= np.array([outcome.weight for outcome in doubt.outcomes]).reshape(along)

    def plausible(self, known: Sequence[int]) -> npt.NDArray[np.bool_]:
        """Which combinations are plausible once the doubts `known` are answered, whatever the answers."""
        best = self._weights.max(axis=self._others(known), keepdims=True)
        return np.asarray(self._weights >= PLAUSIBLE * (1 - 1e-9) * best)

    def shortest(self) -> list[Doubt]:
        """The shortest list of doubts whose answers leave one result; a short one if too many would have to be tried.

        The lists are tried by length, those with the larger doubts first.
        """
        order = sorted(range(len(self._doubts)), key=lambda axis: -self._doubts[axis].size)
        lists = itertools.chain.from_iterable(itertools.combinations(order, n) for n in range(len(order) + 1))
        for known in itertools.islice(lists, MAX_SUBSETS):
            if self._enough(known):
                return [self._doubts[axis] for axis in sorted(known)]
        kept = list(order)
        for axis in reversed(order):  # leave out the smallest doubts as long as the others are enough
            fewer = [other for other in kept if other != axis]
            if self._enough(fewer):
                kept = fewer
        return [self._doubts[axis] for axis in sorted(kept)]

    def _enough(self, known: Sequence[int]) -> bool:
        plausible = self.plausible(known)
        others = self._others(known)
        high = np.where(plausible, self._signatures, -1).max(axis=others)
        low = np.where(plausible, self._signatures, np.iinfo(np.int64).max).min(axis=others)
        return bool(np.array_equal(low, high))

    def _others(self, known: Sequence[int]) -> tuple[int, ...]:
        return tuple(axis for axis in range(len(self._doubts)) if axis not in known)


def _numbered(results: Sequence[_Result]) -> npt.NDArray[np.int64]:
    numbers: dict[tuple[object, ...], int] = {}
    return np.array([numbers.setdefault(result.signature, len(numbers)) for result in results], dtype=np.int64)


def _changing_columns(results: Sequence[_Result]) -> frozenset[str]:
    """Columns whose total, lines or flags aren't the same in all results."""
    changing: set[str] = set()
    for column in results[0].score.columns:
        head = f"{column}."
        seen = {
            (
                result.score.columns.get(column),
                tuple(line for line in result.score.lines if any(cell.startswith(head) for cell in line.cells)),
                tuple(flag for flag in result.flags if any(cell.startswith(head) for cell in flag.cells)),
            )
            for result in results
        }
        if len(seen) > 1:
            changing.add(column)
    return frozenset(changing)


def _widened(column: ColumnScore, limits: tuple[int, int]) -> ColumnScore:
    return replace(column, range=(min(column.range[0], limits[0]), max(column.range[1], limits[1])))


def _columns(score: Score, scores: Sequence[Score], unsure: frozenset[str]) -> dict[str, ColumnScore]:
    columns: dict[str, ColumnScore] = {}
    for column, total in score.columns.items():
        totals = [other.columns.get(column, total) for other in scores]
        columns[column] = ColumnScore(total, (min(totals), max(totals)), column not in unsure)
    return columns


def _range(scores: Sequence[Score]) -> tuple[int, int] | None:
    totals = [score.total for score in scores if score.total is not None]
    return (min(totals), max(totals)) if totals else None


def _doubt_flag(asked: Sequence[Doubt], inks: Sequence[CellReading], template: Template) -> Flag:
    """asked: doubts about what a cell holds. inks: cells of which it isn't known who wrote in them."""
    choices = {doubt.cell: _choices(doubt) for doubt in asked}
    choices |= {reading.id: f"{reading.value}, printed or by hand" for reading in inks}
    cells = tuple(cell.id for cell in template.cells if cell.id in choices)
    named = ", ".join(f"{cell} ({choices[cell]})" for cell in cells[:NAMED_CELLS])
    more = f" and {len(cells) - NAMED_CELLS} more" if len(cells) > NAMED_CELLS else ""
    count = "1 cell" if len(cells) == 1 else f"{len(cells)} cells"
    return Flag(DOUBT_CODE, "doubt", cells, f"{count} could not be read surely: {named}{more}")


def _choices(doubt: Doubt) -> str:
    if doubt.is_open:
        return STATE_NAMES.get(doubt.reported.state, doubt.reported.state)
    names = list(dict.fromkeys(outcome.name for outcome in doubt.outcomes))
    if len(names) > NAMED_OUTCOMES:
        return f"{', '.join(names[:NAMED_OUTCOMES])}, ..."
    return f"{', '.join(names[:-1])} or {names[-1]}"
