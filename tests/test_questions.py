"""Which cells of a score table are asked about: no more than five at once, first those that settle others."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from scanner.board import ReadBoard
from scanner.games.registry import get_game
from scanner.resolve import resolve
from scanner.resolve.outcomes import Doubt, doubt_about
from scanner.resolve.questions import MOST_AT_ONCE, most_useful
from scanner.resolve.sums import checked_by_sums
from scanner.results import CellReading, Verdict
from scanner.templates import Template, get_template, resized

PAD = resized(get_template("score-table"), columns=2, rows=8)
LOOPIT = get_template("loopit-pad")

Options = Mapping[int | str, float]


def reading(cell: str, given: int | Options | None) -> CellReading:
    if given is None:
        return CellReading(cell, None, "blank")
    if isinstance(given, int):
        return CellReading(cell, given, "read", ink="hand")
    (top, p), *others = sorted(given.items(), key=lambda item: -item[1])
    alternatives = {str(name): q for name, q in others}
    if isinstance(top, str):
        return CellReading(cell, None, top, p, alternatives)  # type: ignore[arg-type]
    return CellReading(cell, top, "read" if p >= 0.9 else "doubtful", p, alternatives, "hand")


def board(template: Template, cells: Mapping[str, int | Options]) -> ReadBoard:
    read = ReadBoard(template.id, {cell: reading(cell, cells.get(cell)) for cell in template.ids})
    return checked_by_sums(read, template)


def judged(template: Template, cells: Mapping[str, int | Options]) -> Verdict:
    return resolve(board(template, cells), template, get_game(template.game))


def doubts(read: ReadBoard, template: Template) -> list[Doubt]:
    found = (doubt_about(read.cells[cell.id], cell, by_value=False) for cell in template.cells)
    return [doubt for doubt in found if doubt is not None]


def test_no_more_than_five_at_once_and_all_of_them_are_named() -> None:
    """No sum is written, so that each of eight numbers has to be asked."""
    verdict = judged(
        PAD, {f"c1.r{row}": {10 + row: 0.6 + 0.01 * row, 50 + row: 0.4 - 0.01 * row} for row in range(1, 9)}
    )
    assert MOST_AT_ONCE == 5
    assert verdict.ask == tuple(f"c1.r{row}" for row in range(1, 6))  # the least sure ones
    (flag,) = [flag for flag in verdict.flags if flag.code == "read.doubt"]
    assert len(flag.cells) == 8
    assert flag.message.startswith("8 cells")
    assert not verdict.sure


def test_the_answer_that_settles_most_is_asked_for_first() -> None:
    """c1: 2 more here or there, and the first number tells which; c2 has no sum, and its number is less sure."""
    pair: dict[str, int | Options] = {
        "c1.r1": {14: 0.8, 10: 0.2},
        "c1.r2": {22: 0.7, 20: 0.3},
        "c1.r3": {32: 0.7, 30: 0.3},
    }
    cells = pair | {"c1.total": 64, "c2.r1": {7: 0.5, 1: 0.5}}
    read = board(PAD, cells)
    assert [doubt.cell for doubt in doubts(read, PAD)] == ["c1.r1", "c1.r2", "c1.r3", "c2.r1"]
    chosen = [doubt.cell for doubt in most_useful(read, PAD, doubts(read, PAD), doubts(read, PAD))]
    assert chosen[-1] == "c2.r1"
    assert len(chosen) == 2  # 10 and 14 tell the others; 22 and 20, 32 and 30 do as well
    assert judged(PAD, cells).ask[-1] == "c2.r1"


@pytest.mark.parametrize("column", ["p1", "p3"])
def test_columns_that_depend_on_each_other_are_judged_one_by_one(column: str) -> None:
    """A dash or a nought, twelve times: 4,096 ways to read the pad, and all of them come to the same."""
    cells: dict[str, int | Options] = {}
    for player in range(1, 5):
        for turn in range(1, 8):
            cells[f"p{player}.turn{turn}"] = {0: 0.6, "struck": 0.4} if turn < 4 else 10 + player
        cells[f"p{player}.total"] = 4 * (10 + player)
    verdict = judged(LOOPIT, cells)
    assert verdict.sure
    assert not verdict.flags
    assert {name: one.total for name, one in verdict.columns.items()} == {"p1": 44, "p2": 48, "p3": 52, "p4": 56}
    # one number of one column that its sum doesn't decide: only that column is unsure, and only that cell is asked
    cells |= {f"{column}.turn7": {14: 0.6, 11: 0.4}, f"{column}.total": {40: 0.5, "blank": 0.5}}
    verdict = judged(LOOPIT, cells)
    assert {name for name, one in verdict.columns.items() if not one.sure} == {column}
    assert set(verdict.ask) <= {f"{column}.turn7", f"{column}.total"}
    assert f"{column}.turn7" in verdict.ask


def test_an_empty_last_turn_matters_to_the_other_players() -> None:
    """0 points or no turn: the same total, but then the rounds don't fit any more."""
    cells: dict[str, int | Options] = {f"p{player}.turn{turn}": 5 for player in (1, 2, 3, 4) for turn in range(1, 8)}
    cells |= {f"p{player}.total": 35 for player in (2, 3, 4)}
    cells |= {"p1.turn6": {0: 0.6, "blank": 0.4}, "p1.turn7": {0: 0.6, "blank": 0.4}, "p1.total": 25}
    verdict = judged(LOOPIT, cells)
    assert not verdict.sure
    assert set(verdict.ask) & {"p1.turn6", "p1.turn7"}
