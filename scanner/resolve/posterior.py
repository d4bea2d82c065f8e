"""From class probabilities to a board: the evidence of the ink, weighed with the rules.

What may weigh, and how far (DESIGN, honesty rule 1):

1. A number outside the cell's permitted ones keeps `NOT_PERMITTED` of its probability, enough to break ties.
2. Where a cell has several plausible readings, the game's `prior` weighs them, given the cells that were read surely
   and what the others plausibly hold. A cell that seems to hold no number where the rules want one is weighed against
   all of its other readings.
3. Where the surely read printed values can't stand on one sheet (a puzzle without a solution), one of them is misread,
   or what is taken for print isn't. Readings that would mend it, however unlikely before, are weighed against that.
   So are those with which some game ends with a sheet, where none does as it was read, see `scanner.resolve.mends`.
4. In games where people write nothing but numbers, pencil notes are no reading, see `scanner.resolve.notes`. Where
   numbers that aren't permitted are rare mistakes, a hand's way to write another one is no such number, see
   `scanner.resolve.looks`.
5. Ink is clear where the reader gives one class at least `CLEAR_INK`: that class stays the one reported, whatever the
   rules say. Its confidence may fall, down to one half, so that a human is asked.

Probabilities are rounded to the four digits that the document shows before anything is concluded from them, so that
scoring the document again concludes the same.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import numpy.typing as npt

from scanner.board import MADE, ReadBoard
from scanner.games.base import (
    FaultGame,
    FewMistakesGame,
    Game,
    InkGame,
    NumbersOnlyGame,
    PrintedGame,
    PriorGame,
)
from scanner.read.classes import STATE_CLASSES
from scanner.read.numbers import NumberReadings
from scanner.read.readings import Readings
from scanner.resolve.answers import Answer
from scanner.resolve.claims import checked_by_board
from scanner.resolve.looks import of_lookalikes
from scanner.resolve.mends import with_mends
from scanner.resolve.misread import doubt_misread
from scanner.resolve.notes import without_notes
from scanner.resolve.numbers import number_cells
from scanner.resolve.one_ink import of_one_sheet
from scanner.resolve.sums import checked_by_sums
from scanner.results import PLAUSIBLE, CellReading, Ink, State, Value
from scanner.templates.model import Cell, Template

NOT_PERMITTED = 0.05
CLEAR_INK = 0.99
READ_FROM = 0.9
"""Posterior from which a value counts as read; below it is doubtful, a best guess."""
PRINTED_FROM = 0.9
"""Probability of "printed" from which ink counts as printed; below its complement it is handwritten."""
ODD_PRINT = 0.01
"""How often printed values that can't stand together were read rightly: a misprint, or handwriting taken for print."""
MAX_REPAIRS = 40
"""Changes of one printed value that are tried to mend a sheet, the most probable ones."""
LEAST_REPAIR = 1e-6
"""Posterior below which a reading is not tried as a repair; a reader's smallest numbers say nothing any more."""
SHOWN_FROM = 1e-4
DIGITS = 4

_Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Class:
    """What a class of the reader stands for."""

    name: str
    value: Value | None
    state: State


def readings_to_board(
    readings: Readings,
    template: Template,
    game: Game,
    answers: Sequence[Answer] = (),
    numbers: NumberReadings | None = None,
) -> ReadBoard:
    """The board as read. Cells without a reading are `unreadable` (cut off, covered); boxes without one are unseen.

    numbers: readings of whole numbers; they win where a cell has both. In tables, sums then decide what they can, see
    `scanner.resolve.sums`.
    answers: those about this sheet, see `answers_for`. The answered cells count as known when others are weighed; what
    would have been read without the answers is kept in `read`.
    Raises ValueError for a reading of a cell that isn't in the template, or of a class nobody knows.
    """
    if unknown := [cell for cell in readings.ids if cell not in template]:
        raise ValueError(f"readings: template {template.id} has no cell {unknown[0]}")

    def whole(known: dict[str, CellReading]) -> dict[str, CellReading]:
        return {} if numbers is None else number_cells(numbers, template, game, known)

    ink = _ink(readings, template, game)
    clear = frozenset(itertools.compress(readings.ids, (ink.max(axis=1, initial=0.0) >= CLEAR_INK).tolist()))
    as_read = _with_numbers(_weighed(readings, ink, clear, template, game, {}), whole({}), {}, template, game, clear)
    if not answers:
        return as_read
    answered = {answer.cell: _answered(answer, as_read, readings, template) for answer in answers}
    weighed = _weighed(readings, ink, clear, template, game, answered)
    return _with_numbers(weighed, whole(answered), answered, template, game, clear)


def _with_numbers(
    board: ReadBoard,
    whole: dict[str, CellReading],
    answered: dict[str, CellReading],
    template: Template,
    game: Game,
    clear: frozenset[str],
) -> ReadBoard:
    together = ReadBoard(board.template, {**board.cells, **whole, **answered})
    checked = checked_by_sums(together, template, weighed=bool(whole))
    return checked_by_board(doubt_misread(checked, template, game), template, game, clear) if whole else checked


def _answered(answer: Answer, as_read: ReadBoard, readings: Readings, template: Template) -> CellReading:
    value = answer.value_for(template.cell(answer.cell))
    if answer.value == "struck" and _counts_nothing_struck(answer.cell, template):
        value = 0  # the answer's state can't say it
    # Of a cell in which nothing was read the reader has seen no ink to judge.
    before = as_read.cells[answer.cell]
    ink, printed = (before.ink, before.printed) if value is not None else (None, None)
    if answer.ink is not None and isinstance(value, int):
        ink, printed = answer.ink, None
    return CellReading(answer.cell, value, "answered", ink=ink, read=before.value, printed=printed)


def _counts_nothing_struck(cell_id: str, template: Template) -> bool:
    """Whether a dash in this cell means 0: in the fields of a table, not in its sums."""
    if template.table is None or template.cell(cell_id).kind != "number" or "." not in cell_id:
        return False
    return cell_id.partition(".")[2] not in {item.row for item in template.table.formulas}


def _ink(readings: Readings, template: Template, game: Game) -> _Matrix:
    """What the ink alone says, [cells, classes]."""
    ink = _normalized(readings.probabilities.astype(np.float64))
    if isinstance(game, NumbersOnlyGame) and game.numbers_only:
        ink = without_notes(ink, readings.classes)
    if isinstance(game, FewMistakesGame) and game.mistakes_are_few:
        classes = [_class(name) for name in readings.classes]
        ink = of_lookalikes(ink, readings.classes, _permitted(readings, classes, template) == 1.0)
    return ink


def _weighed(
    readings: Readings,
    ink: _Matrix,
    clear: frozenset[str],
    template: Template,
    game: Game,
    answered: dict[str, CellReading],
) -> ReadBoard:
    """ink: see `_ink`. clear: the cells of rule 5."""
    classes = [_class(name) for name in readings.classes]
    if isinstance(game, InkGame):
        has_value = np.array([cls.value is not None for cls in classes], dtype=np.bool_)
        printed = of_one_sheet(readings.printed, ink[:, has_value].sum(axis=1) >= READ_FROM)
        readings = replace(readings, printed=printed.astype(np.float32))
    posterior = _normalized(ink * _permitted(readings, classes, template))
    if isinstance(game, PriorGame):
        posterior = _with_prior(posterior, readings, classes, template, game, answered)
    if isinstance(game, PrintedGame):
        posterior = _with_repairs(posterior, readings, classes, template, game, answered)
    cells = {cell.id: _without_reading(cell, template) for cell in template.cells}
    if isinstance(game, FaultGame):
        kinds = [CellReading("", cls.value, cls.state) for cls in classes]
        known = [row for row, cell_id in enumerate(readings.ids) if cell_id not in answered]
        ids = [readings.ids[row] for row in known]
        clear_rows = {at for at, cell_id in enumerate(ids) if cell_id in clear}
        posterior[known] = with_mends(posterior[known], ids, kinds, cells | answered, template, game, clear_rows)
    for row, cell_id in enumerate(readings.ids):
        top = int(ink[row].argmax()) if cell_id in clear else None
        cells[cell_id] = _reading(cell_id, posterior[row], top, classes, float(readings.printed[row]))
    return ReadBoard(template.id, cells | answered)


def _without_reading(cell: Cell, template: Template) -> CellReading:
    """A cell that the reader says nothing of.

    The cells of a lattice or a table are looked for, and one that isn't there may hold anything; so may a mark or a box
    for one digit, which belong to the game. Numbers and words beside a lattice (a player's claim, a name), and words in
    a table, say nothing about what is in it, so they are no doubt about it where nobody read them.
    """
    box = cell.place is None and (template.table is None or cell.kind == "text") and cell.kind not in ("mark", "digit")
    return CellReading(cell.id, None, "unreadable", confidence=0.0 if box else 1.0)


def _class(name: str) -> _Class:
    if name.isascii() and name.isdigit():
        return _Class(name, int(name), "read")
    if name == MADE:
        return _Class(name, MADE, "read")
    if name in STATE_CLASSES:
        return _Class(name, None, cast(State, name))
    raise ValueError(f"classes: nobody knows what class {name!r} means")


def _normalized(weights: _Matrix) -> _Matrix:
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float64)


def _permitted(readings: Readings, classes: Sequence[_Class], template: Template) -> _Matrix:
    """Factors [cells, classes] of rule 1."""
    numbers = [cls.value if isinstance(cls.value, int) else None for cls in classes]
    rows: dict[tuple[int, int] | None, list[float]] = {None: [1.0] * len(classes)}
    factors: list[list[float]] = []
    for cell_id in readings.ids:
        limits = template.cell(cell_id).values
        if limits is not None and limits not in rows:
            low, high = limits
            rows[limits] = [1.0 if n is None or low <= n <= high else NOT_PERMITTED for n in numbers]
        factors.append(rows[limits])
    return np.array(factors, dtype=np.float64).reshape(len(readings.ids), len(classes))


def _with_prior(
    posterior: _Matrix,
    readings: Readings,
    classes: Sequence[_Class],
    template: Template,
    game: PriorGame,
    answered: dict[str, CellReading],
) -> _Matrix:
    """Rule 2. Implausible readings are weighed like the least likely plausible number: a prior must not bring them up.

    It may where there is no plausible number: that one was overlooked is commoner than what the rules forbid. Then all
    are weighed.
    """
    plausible = posterior >= PLAUSIBLE
    has_value = np.array([cls.value is not None for cls in classes], dtype=np.bool_)
    numbers = plausible & has_value
    settled = (plausible.sum(axis=1) == 1) & numbers.any(axis=1)
    if bool(settled.all()):
        return posterior
    board = _settled_board(posterior, readings, classes, template, answered)
    weighed = posterior.copy()
    for row in np.flatnonzero(~settled):
        cell_id = readings.ids[row]
        if cell_id in answered:
            continue
        ink = _ink_of(float(readings.printed[row]))
        factors = np.ones(len(classes))
        for column in np.flatnonzero(plausible[row]).tolist():
            factors[column] = _rarity(cell_id, classes[column], ink, board, template, game)
        if numbers[row].any():
            factors[~plausible[row]] = factors[numbers[row]].min()
        elif factors.min() < 1.0:
            for column in np.flatnonzero(~plausible[row]).tolist():
                factors[column] = _rarity(cell_id, classes[column], ink, board, template, game)
        weighed[row] *= factors
    return _normalized(weighed)


def _rarity(cell_id: str, cls: _Class, ink: Ink | None, board: ReadBoard, template: Template, game: PriorGame) -> float:
    """The game's prior of a cell's holding what a class stands for."""
    return game.prior(
        board, template, CellReading(cell_id, cls.value, cls.state, ink=None if cls.value is None else ink)
    )


def _settled_board(
    posterior: _Matrix,
    readings: Readings,
    classes: Sequence[_Class],
    template: Template,
    answered: dict[str, CellReading],
) -> ReadBoard:
    """What is known surely: the cells with one plausible reading, and the answers; all others have no value.

    Those of the others that surely hold some number are `doubtful`. Their plausible readings stand in `alternatives`.
    """
    cells = {cell: CellReading(cell, None, "unreadable") for cell in template.ids}
    plausible = posterior >= PLAUSIBLE
    count = plausible.sum(axis=1)
    has_value = np.array([cls.value is not None for cls in classes], dtype=np.bool_)
    for row in np.flatnonzero(count > 1).tolist():
        likely = {classes[at].name: float(posterior[row, at]) for at in np.flatnonzero(plausible[row]).tolist()}
        state: State = "doubtful" if has_value[plausible[row]].all() else "unreadable"
        cell_id, printed = readings.ids[row], float(readings.printed[row])
        cells[cell_id] = CellReading(cell_id, None, state, alternatives=likely, printed=printed)
    for row in np.flatnonzero(count == 1).tolist():
        cls = classes[int(posterior[row].argmax())]
        ink = None if cls.value is None else _ink_of(float(readings.printed[row]))
        cells[readings.ids[row]] = CellReading(readings.ids[row], cls.value, cls.state, ink=ink)
    return ReadBoard(template.id, cells | answered)


def _with_repairs(
    posterior: _Matrix,
    readings: Readings,
    classes: Sequence[_Class],
    template: Template,
    game: PrintedGame,
    answered: dict[str, CellReading],
) -> _Matrix:
    """Rule 3, for one misread value: two at a time are too rare to look for."""
    board = _settled_board(posterior, readings, classes, template, answered)
    if game.printable(board, template):
        return posterior
    odds = posterior / posterior.max(axis=1, keepdims=True)
    suspects = [
        (row, column)
        for row, cell_id in enumerate(readings.ids)
        if board.cells[cell_id].ink == "print" and cell_id not in answered
        for column in np.flatnonzero((odds[row] < 1) & (odds[row] >= LEAST_REPAIR))
    ]
    suspects.sort(key=lambda suspect: -float(odds[suspect]))
    repairs: list[tuple[int, int]] = []
    for row, column in suspects[:MAX_REPAIRS]:
        cls, cell_id = classes[int(column)], readings.ids[row]
        ink: Ink | None = None if cls.value is None else "print"
        mended = dict(board.cells) | {cell_id: CellReading(cell_id, cls.value, cls.state, ink=ink)}
        if game.printable(ReadBoard(template.id, mended), template):
            repairs.append((row, int(column)))
    weight = ODD_PRINT + sum(float(odds[repair]) for repair in repairs)
    weighed = odds.copy()
    for repair in repairs:
        weighed[repair] /= weight
    return _normalized(weighed)


def _reading(
    cell_id: str, posterior: _Matrix, clear: int | None, classes: Sequence[_Class], printed: float
) -> CellReading:
    """One cell, rule 5 included. clear: column of the class whose ink is clear."""
    top = int(posterior.argmax()) if clear is None else clear
    if posterior[top] < 0.5 and clear is not None:
        others = 1.0 - posterior[top]
        posterior = posterior * (0.5 / others)
        posterior[top] = 0.5
    rounded = [round(float(p), DIGITS) for p in posterior]
    order = sorted((column for column in range(len(classes)) if column != top), key=lambda column: -rounded[column])
    alternatives = {classes[column].name: rounded[column] for column in order if rounded[column] >= SHOWN_FROM}
    cls = classes[top]
    reading = CellReading(cell_id, cls.value, cls.state, rounded[top], alternatives)
    if cls.value is None:
        return reading
    state: State = "read" if rounded[top] >= READ_FROM else "doubtful"
    return replace(reading, ink=_ink_of(printed), printed=round(printed, DIGITS), state=state)


def _ink_of(printed: float) -> Ink | None:
    """Print, hand, or null where the reader can't tell: then no game may build on it."""
    if printed >= PRINTED_FROM:
        return "print"
    return "hand" if printed <= 1 - PRINTED_FROM else None
