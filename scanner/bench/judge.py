"""One truth against the sheets that were read: which of them is it about, and what is right?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from scanner.bench.calibration import LEAST_PROBABILITY
from scanner.bench.truth import Truth, name_of
from scanner.board import ReadBoard
from scanner.errors import AnswerError
from scanner.games.base import GameContext
from scanner.games.registry import get_game
from scanner.geometry import FloatArray, polygon_area
from scanner.orient import quarter_turn_order
from scanner.resolve import Answer
from scanner.results import DOUBT_CODE, CellReading, Flag, Ink, Score, Verdict
from scanner.scan import answered
from scanner.sheet import Sheet

LEAST_OVERLAP: Final = 0.5
"""Intersection over union of the corners' quadrilaterals from which two sheets count as the same."""


@dataclass(frozen=True, slots=True)
class JudgedCell:
    """One cell. true, read: value or state, in one word (`name_of`); read of a doubtful cell: the best guess.

    right: read is true. value_right: the value is (two different reasons for having none count as the same).
    asked: a human is asked about it. right_after: right once the asked cells are answered by the truth.
    confidence: of what was read; of_truth: probability given to the truth. Both 0 to 1.
    true_ink, ink: who wrote the value by the truth and as read; null where the truth doesn't say, or there is no value.
    """

    id: str
    true: str
    read: str
    state: str
    confidence: float
    of_truth: float
    right: bool
    value_right: bool
    asked: bool
    right_after: bool
    true_ink: Ink | None = None
    ink: Ink | None = None


@dataclass(frozen=True, slots=True)
class JudgedFlags:
    """Flags by code and cells, ``sudoku.repeat r1c3 r1c8``; those that only say what has to be asked are left out.

    right: told and true. missed: true and not told. false: told and not true; surely_false: those of them told as sure.
    """

    right: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    false: tuple[str, ...] = ()
    surely_false: tuple[str, ...] = ()

    @property
    def all_right(self) -> bool:
        """All that are told are true, and all that are true are told."""
        return not self.missed and not self.false


@dataclass(frozen=True, slots=True)
class JudgedSheet:
    """One truth and what became of it. cells: empty unless found.

    photo: file name. cell_count: of the truth. note: why it wasn't found. has_corners: whether the truth has corners.
    corner_error: largest distance of a corner from the true one, as a share of the mean true side; null if not found or
    unknown. upright: see `is_upright`. total_right: the total (or all columns) is that of the true board.
    values_matter: `sure` covers every value (see `scanner.games.base.Game`).
    flags: how those told compare with those of the true board. lines_right: the score lines are the true board's.
    """

    photo: str
    template: str
    puzzle: str
    cell_count: int
    found: bool
    note: str | None
    has_corners: bool
    corner_error: float | None
    upright: bool | None
    cells: tuple[JudgedCell, ...]
    sure: bool
    total_right: bool
    values_matter: bool
    flags: JudgedFlags
    lines_right: bool

    @property
    def wrong(self) -> tuple[JudgedCell, ...]:
        """The cells whose value or state isn't the true one."""
        return tuple(cell for cell in self.cells if not cell.right)

    @property
    def all_right(self) -> bool:
        """Found, and every cell right."""
        return self.found and not self.wrong

    @property
    def silent(self) -> bool:
        """Something is wrong although it is said to be sure."""
        return self.broken_promise or (self.found and self.sure and not self.all_right)

    @property
    def broken_promise(self) -> bool:
        """Something is wrong that `sure` covers: the total, a line, a flag, or for games where values matter a value.

        A wrong flag that is said to be sure breaks its own promise, on whatever sheet.
        """
        values_right = not self.values_matter or all(cell.value_right for cell in self.cells)
        right = self.total_right and self.lines_right and self.flags.all_right and values_right
        return self.found and ((self.sure and not right) or bool(self.flags.surely_false))


def overlap(first: FloatArray, second: FloatArray) -> float:
    """Intersection over union of two convex quadrilaterals [4, 2]; 0 for one that is none."""
    areas = [abs(polygon_area(quad)) for quad in (first, second)]
    a, b = (quad.astype(np.float32) for quad in (first, second))
    if min(areas) <= 0 or not (cv2.isContourConvex(a) and cv2.isContourConvex(b)):
        return 0.0
    common = float(cv2.intersectConvexConvex(a, b)[0])
    return common / (sum(areas) - common)


def corner_error(corners: FloatArray, true: FloatArray) -> float:
    """Largest distance of a corner from the true one, as a share of the mean true side, whichever corner comes first.

    Which way up a sheet lies is another question (`is_upright`): in photos of sheets lying on their side, people mark
    corners by the picture as often as by the sheet.
    """
    side = float(np.linalg.norm(true - np.roll(true, -1, axis=0), axis=1).mean())
    turns = (np.roll(corners, turn, axis=0) for turn in range(4))
    return min(float(np.linalg.norm(turned - true, axis=1).max()) for turned in turns) / side


def is_upright(truth: Truth, sheet: Sheet) -> bool | None:
    """Whether no other way up of the sheet has more cells equal to the true ones; null for what isn't a square grid."""
    grid = truth.template.grid
    if grid is None:
        return None
    names, cells = truth.names, [cell.id for cell in truth.template.lattice_cells]
    if len(cells) != grid.rows * grid.cols:
        return None
    true = np.array([names[cell] for cell in cells])
    read = np.array([name_of(sheet.board.cells[cell]) for cell in cells])
    equal = [
        int((read[quarter_turn_order(truth.template, turn)] == true).sum())
        for turn in (range(4) if grid.rows == grid.cols else (0, 2))
    ]
    return equal[0] >= max(equal)


def match(truths: Sequence[Truth], sheets: Sequence[Sheet]) -> list[Sheet | None]:
    """For each truth the sheet that it is about: by corners, without them by equal cells; no sheet twice."""
    pairs = [
        (closeness, t, s)
        for t, truth in enumerate(truths)
        for s, sheet in enumerate(sheets)
        if (closeness := _closeness(truth, sheet)) is not None
    ]
    pairs.sort(key=lambda pair: (-pair[0], pair[1], pair[2]))
    chosen: list[Sheet | None] = [None] * len(truths)
    taken: set[int] = set()
    for _, t, s in pairs:
        if chosen[t] is None and s not in taken:
            chosen[t] = sheets[s]
            taken.add(s)
    return chosen


def _closeness(truth: Truth, sheet: Sheet) -> float | None:
    """0 to 1; null if the sheet can't be the one that the truth is about."""
    if sheet.template.id != truth.template.id:
        return None
    if truth.corners is not None and sheet.place is not None:
        common = overlap(_corners(sheet), truth.corners)
        return common if common >= LEAST_OVERLAP else None
    names = truth.names
    return sum(name_of(sheet.board.cells[cell]) == name for cell, name in names.items()) / len(names)


def _corners(sheet: Sheet) -> FloatArray:
    assert sheet.place is not None
    return np.array([[corner.x, corner.y] for corner in sheet.place.corners], dtype=np.float64)


def judge(photo: str, truth: Truth, sheet: Sheet | None, note: str | None = None) -> JudgedSheet:
    """What is right of the sheet that was found for a truth. note: why none was found."""
    template, names = truth.template, truth.names
    game = get_game(template.game)
    common = (photo, template.id, truth.puzzle, len(names), sheet is not None, note, truth.corners is not None)
    if sheet is None:
        return JudgedSheet(*common, None, None, (), False, False, game.values_matter, JudgedFlags(), False)
    after = _answered_by(truth, sheet)
    error = None
    if truth.corners is not None and sheet.place is not None:
        error = corner_error(_corners(sheet), truth.corners)
    cells = tuple(
        _judged_cell(truth.board.cells[cell], sheet.board.cells[cell], after.board.cells[cell], sheet.verdict)
        for cell in names
        if not sheet.board.cells[cell].unseen  # boxes that aren't read from photos are neither right nor wrong
    )
    true_board = _as_far_as_known(truth, sheet)
    true_score = game.score(true_board, template, GameContext())
    return JudgedSheet(
        *common,
        error,
        is_upright(truth, sheet),
        cells,
        sheet.verdict.sure,
        _totals(sheet.verdict.score) == _totals(true_score),
        game.values_matter,
        _judged_flags(sheet.verdict.flags, game.flags(true_board, template, GameContext())),
        sheet.verdict.score.lines == true_score.lines,
    )


def _as_far_as_known(truth: Truth, sheet: Sheet) -> ReadBoard:
    """The true board, to ask the game about it.

    Boxes that nobody looked at stay unknown. Where the truth doesn't say who wrote a value, that is taken as read.
    """
    cells: dict[str, CellReading] = {}
    for cell_id, true in truth.board.cells.items():
        read = sheet.board.cells[cell_id]
        if read.unseen:
            cells[cell_id] = read
        elif true.ink is None and true.value is not None:
            cells[cell_id] = replace(true, ink=read.ink)
        else:
            cells[cell_id] = true
    return ReadBoard(truth.board.template, cells)


def _judged_flags(told: Sequence[Flag], true: Sequence[Flag]) -> JudgedFlags:
    by_name = {_flag_name(flag): flag for flag in told if flag.code != DOUBT_CODE}
    true_names = dict.fromkeys(_flag_name(flag) for flag in true)
    false = tuple(name for name in by_name if name not in true_names)
    return JudgedFlags(
        tuple(name for name in by_name if name in true_names),
        tuple(name for name in true_names if name not in by_name),
        false,
        tuple(name for name in false if by_name[name].sure),
    )


def _flag_name(flag: Flag) -> str:
    return " ".join((flag.code, *flag.cells))


def _totals(score: Score) -> tuple[int | None, dict[str, int]]:
    return score.total, dict(score.columns)


def _judged_cell(true: CellReading, read: CellReading, after: CellReading, verdict: Verdict) -> JudgedCell:
    name, read_name = name_of(true), name_of(read)
    right = name == read_name
    of_truth = read.confidence if right else read.alternatives.get(name, LEAST_PROBABILITY)
    right_after = after.value == true.value if after.state == "answered" else name_of(after) == name
    return JudgedCell(
        read.id,
        name,
        read_name,
        read.state,
        read.confidence,
        of_truth,
        right,
        true.value == read.value,
        read.id in verdict.ask,
        right_after,
        true.ink if true.value is not None and read.value is not None else None,
        read.ink,
    )


def _answered_by(truth: Truth, sheet: Sheet) -> Sheet:
    """The sheet after one round of questions, answered by the truth as far as a human could."""
    answers: list[Answer] = []
    for cell in sheet.verdict.ask:
        true = truth.board.cells[cell]
        ink = f" {true.ink}" if cell in sheet.verdict.ask_ink and true.ink is not None else ""
        answer = Answer(sheet.ref, cell, name_of(true) + ink)
        try:
            answer.value_for(truth.template.cell(cell))
        except AnswerError:  # a scribble, say: no answer can express that
            continue
        answers.append(answer)
    return answered(sheet, answers) if answers and sheet.readings is not None else sheet
