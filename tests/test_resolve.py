"""Misread or illegal? The rules break ties, clear ink stands, and what is called sure is sure."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scanner.board import ReadBoard
from scanner.errors import AnswerError
from scanner.games.base import GameContext
from scanner.games.splitter import Splitter
from scanner.games.sudoku import Sudoku
from scanner.games.sudoku_solver import solve
from scanner.read.classes import CLASSES
from scanner.read.readings import Readings
from scanner.report.document import document
from scanner.resolve import (
    SheetRef,
    answers_for,
    check_addresses,
    parse_answer,
    parse_answers,
    readings_to_board,
    resolve,
)
from scanner.resolve.outcomes import combinations, doubt_about
from scanner.results import PLAUSIBLE, CellReading, Flag, Score, ScoreLine, Verdict
from scanner.sheet import ScanResult, Sheet
from scanner.templates import Template, get_template, load_templates, parse_template
from scanner.typed import parse_typed

SUDOKU, PAD = get_template("sudoku"), get_template("splitter-a")
BOXED_SUDOKU = b"""schema = 1
id = "noted"
title = "A Sudoku with a box for the minutes, a name and a mark that belongs to the game"
game = "sudoku"
size = [200, 150]
[grid]
origin = [5, 5]
pitch = [15, 15]
rows = 9
cols = 9
values = [1, 9]
[[boxes]]
id = "minutes"
kind = "number"
rect = [150, 10, 20, 8]
[[boxes]]
id = "name"
kind = "text"
rect = [150, 20, 20, 8]
[[boxes]]
id = "swap"
kind = "mark"
rect = [150, 30, 20, 8]
"""
GAME = Sudoku()
# Wikipedia's example puzzle and its solution, row by row
PUZZLE = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"
SOLUTION = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"

Chances = Mapping[str, float]


def readings(
    digits: str, printed: str = PUZZLE, more: Mapping[str, Chances] | None = None, **doubtful: Chances
) -> Readings:
    """Sure readings of the digits (0: blank), but for the doubtful cells; printed where `printed` has a digit."""
    doubtful |= more or {}
    probabilities = np.zeros((81, len(CLASSES)), dtype=np.float32)
    for row, (cell, digit) in enumerate(zip(SUDOKU.ids, digits, strict=True)):
        for name, chance in doubtful.get(cell, {"blank" if digit == "0" else digit: 1.0}).items():
            probabilities[row, CLASSES.index(name)] = chance
    ink = np.array([0.99 if digit != "0" else 0.01 for digit in printed], dtype=np.float32)
    return Readings(SUDOKU.ids, CLASSES, probabilities, ink)


def read(
    digits: str, printed: str = PUZZLE, more: Mapping[str, Chances] | None = None, **doubtful: Chances
) -> ReadBoard:
    return readings_to_board(readings(digits, printed, more, **doubtful), SUDOKU, GAME)


def changed(digits: str, **cells: int) -> str:
    return "".join(str(cells.get(cell, digit)) for cell, digit in zip(SUDOKU.ids, digits, strict=True))


def codes(verdict: Verdict) -> list[str]:
    return [flag.code for flag in verdict.flags]


# ---- readings


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"ids": SUDOKU.ids[:80]}, r"probabilities: expected shape \[80, 14\], got \[81, 14\]"),
        ({"ids": ("r1c1",) * 81}, "ids: an id occurs twice"),
        ({"classes": CLASSES[:13]}, r"expected shape \[81, 13\]"),
        ({"classes": ("0",) * 14}, "classes: a class occurs twice"),
        ({"printed": np.zeros(80, np.float32)}, r"printed: expected shape \[81\], got \[80\]"),
        ({"printed": np.full(81, np.nan, np.float32)}, "printed: expected probabilities from 0 to 1"),
        ({"printed": np.zeros(81)}, "printed: expected float32, got float64"),
        ({"probabilities": np.zeros((81, 14), np.float32)}, r"cell r1c1 adds up to 0\.0000, expected 1"),
    ],
)
def test_readings_that_cannot_be(change: dict[str, object], reason: str) -> None:
    good = readings(SOLUTION)
    fields = {name: getattr(good, name) for name in ("ids", "classes", "probabilities", "printed")}
    with pytest.raises(ValueError, match=reason):
        Readings(**(fields | change))


def test_readings_of_another_sheet_or_class() -> None:
    good = readings(SOLUTION)
    other = Readings(("r10c1", *good.ids[1:]), good.classes, good.probabilities, good.printed)
    with pytest.raises(ValueError, match="template sudoku has no cell r10c1"):
        readings_to_board(other, SUDOKU, GAME)
    strange = Readings(good.ids, ("rune", *good.classes[1:]), good.probabilities, good.printed)
    with pytest.raises(ValueError, match="nobody knows what class 'rune' means"):
        readings_to_board(strange, SUDOKU, GAME)


# ---- from readings to a board


def test_what_is_read_surely() -> None:
    board = read(PUZZLE, r1c3={"candidates": 1.0}, r1c4={"struck": 1.0}, r1c6={"scribble": 1.0})
    assert board.cells["r1c1"] == CellReading("r1c1", 5, "read", 1.0, {}, "print", printed=0.99)
    assert board.cells["r9c1"] == CellReading("r9c1", None, "blank", 1.0)
    assert [board.cells[cell].state for cell in ("r1c3", "r1c4", "r1c6")] == ["candidates", "struck", "scribble"]
    assert read(SOLUTION).cells["r9c1"] == CellReading("r9c1", 3, "read", 1.0, {}, "hand", printed=0.01)


def test_doubts_are_kept() -> None:
    # an empty sheet, and nobody knows who wrote: nothing is rarer than anything else
    doubtful = {"r9c1": {"3": 0.6, "1": 0.3, "blank": 0.0995, "7": 0.0004, "8": 0.0001}}
    seen = readings("0" * 81, more=doubtful, r9c2={"3": 0.95, "blank": 0.05})
    board = readings_to_board(replace(seen, printed=np.full(81, 0.5, dtype=np.float32)), SUDOKU, GAME)
    assert board.cells["r9c1"].state == "doubtful"
    assert board.cells["r9c1"].value == 3
    assert board.cells["r9c1"].confidence == pytest.approx(0.6, abs=1e-4)
    assert list(board.cells["r9c1"].alternatives) == ["1", "blank", "7", "8"]
    assert board.cells["r9c2"].state == "read"


def test_cells_without_a_reading_are_unreadable() -> None:
    good = readings(SOLUTION)
    seen = Readings(good.ids[9:], good.classes, good.probabilities[9:], good.printed[9:])
    board = readings_to_board(seen, SUDOKU, GAME)
    assert list(board.cells) == list(SUDOKU.ids)
    assert board.cells["r1c9"] == CellReading("r1c9", None, "unreadable")
    assert board.value("r2c1") == 6
    verdict = resolve(board, SUDOKU, GAME)
    assert not verdict.sure
    assert set(verdict.ask) == set(SUDOKU.ids[:9])
    assert verdict.range is not None
    assert verdict.range[0] <= 72
    assert verdict.range[1] == 81


def _of_lattice(template: Template, values: Mapping[str, int]) -> Readings:
    """Sure readings of all lattice cells (those that aren't named: blank) and of no box, as from a photo."""
    ids = tuple(cell.id for cell in template.lattice_cells)
    probabilities = np.zeros((len(ids), len(CLASSES)), dtype=np.float32)
    for row, cell in enumerate(ids):
        probabilities[row, CLASSES.index(str(values.get(cell, "blank")))] = 1.0
    return Readings(ids, CLASSES, probabilities, np.zeros(len(ids), dtype=np.float32))


def test_boxes_that_nobody_looked_at_are_neither_asked_nor_a_doubt() -> None:
    board = readings_to_board(_of_lattice(PAD, dict.fromkeys(PAD.ids, 1)), PAD, Splitter())
    boxes = [cell.id for cell in PAD.cells if cell.place is None]
    assert len(boxes) == 7
    for box in boxes:
        assert (board.cells[box].value, board.cells[box].state, board.cells[box].unseen) == (None, "unreadable", True)
    verdict = resolve(board, PAD, Splitter())
    assert (verdict.sure, verdict.ask, verdict.flags, verdict.claimed) == (True, (), (), {})
    # in a game where every value matters as well
    noted = parse_template(BOXED_SUDOKU, source="noted.toml")
    full = {cell: int(digit) for cell, digit in zip(SUDOKU.ids, SOLUTION, strict=True)}
    assert resolve(readings_to_board(_of_lattice(noted, full), noted, GAME), noted, GAME).ask == ("swap",)


def test_an_answer_about_a_box_counts() -> None:
    answers = [parse_answer("claim-total=5")]
    board = readings_to_board(_of_lattice(PAD, dict.fromkeys(PAD.ids, 1)), PAD, Splitter(), answers)
    verdict = resolve(board, PAD, Splitter())
    assert verdict.claimed == {"total": 5}
    assert codes(verdict) == ["splitter.claimed"]


def test_lattice_cells_that_are_cut_off_are_asked_and_boxes_are_not() -> None:
    whole = _of_lattice(PAD, dict.fromkeys(PAD.ids, 5))
    seen = Readings(whole.ids[1:], whole.classes, whole.probabilities[1:], whole.printed[1:])
    board = readings_to_board(seen, PAD, Splitter())
    assert not board.cells["r1c3"].unseen
    assert resolve(board, PAD, Splitter()).ask == ("r1c3",)


def test_unseen_boxes_stay_unseen_in_document_and_notation() -> None:
    board = readings_to_board(_of_lattice(PAD, dict.fromkeys(PAD.ids, 2)), PAD, Splitter())
    verdict = resolve(board, PAD, Splitter())
    doc = document(ScanResult((Sheet("pad.jpg", 1, 1, PAD, None, board, verdict),)))
    [again] = parse_typed(json.dumps(doc), load_templates())
    assert again.board == board
    assert resolve(again.board, PAD, Splitter()) == verdict
    assert "claim" not in board.text()
    [typed] = parse_typed(board.text(), load_templates())
    assert resolve(typed.board, PAD, Splitter()) == verdict
    # a person who types that a box can't be read says something else: it holds a number that nobody knows
    [unread] = parse_typed(board.text() + "claim-total = ?\n", load_templates())
    assert resolve(unread.board, PAD, Splitter()).ask == ("claim-total",)


def test_a_number_that_is_not_permitted_loses_ties_only() -> None:
    tie = read("0" * 81, r1c1={"0": 0.55, "6": 0.45}).cells["r1c1"]
    assert tie.value == 6
    assert "0" in tie.alternatives
    clear = read("0" * 81, r1c1={"0": 0.995, "6": 0.005})
    assert clear.value("r1c1") == 0
    verdict = resolve(clear, SUDOKU, GAME)
    assert "sudoku.value" in codes(verdict)
    assert verdict.ask == ("r1c1",)
    sure = resolve(read("0" * 81, r1c1={"0": 1.0}), SUDOKU, GAME)
    assert sure.sure
    assert "sudoku.value" in codes(sure)


def test_the_rules_break_a_tie() -> None:
    # r1c3 is a 4; a 5 would repeat the printed one in r1c1
    cell = read(SOLUTION, r1c3={"5": 0.6, "4": 0.4}).cells["r1c3"]
    assert cell.value == 4
    assert "5" in cell.alternatives
    # a 2 repeats nothing once the other 2s are gone, but isn't the solution's
    assert read(PUZZLE, r1c3={"2": 0.6, "4": 0.4}).value("r1c3") == 4


def test_the_rules_never_overrule_clear_ink() -> None:
    for wrong in ("5", "2"):
        board = read(SOLUTION, r1c3={wrong: 0.992, "4": 0.008})
        cell = board.cells["r1c3"]
        assert cell.value == int(wrong)
        assert 0.5 <= cell.confidence < 0.99
        verdict = resolve(board, SUDOKU, GAME)
        assert "sudoku.wrong" in codes(verdict)
        assert verdict.ask == ("r1c3",)
        assert not verdict.sure
    printed = changed(PUZZLE, r1c3=5)  # two printed 5s in a row: a misprint, or one is misread
    cell = read(SOLUTION, printed, r1c3={"5": 0.992, "4": 0.008}).cells["r1c3"]
    assert (cell.value, cell.confidence) == (5, 0.5)


def test_what_is_clearly_illegal_stays_so_and_is_sure() -> None:
    verdict = resolve(read(changed(SOLUTION, r1c3=5)), SUDOKU, GAME)
    assert verdict.sure
    # by hand: the 5 stands in row 1 and box 1 (r1c1) and in column 3 (r9c3) already
    assert codes(verdict) == ["sudoku.repeat"] * 3 + ["sudoku.wrong"]
    assert verdict.range == (verdict.score.total, verdict.score.total)


def test_printed_digits_clash_less_often_than_written_ones() -> None:
    chances = {"5": 0.97, "4": 0.03}
    written = read(SOLUTION, r1c3=chances).cells["r1c3"]
    printed = read(SOLUTION, changed(PUZZLE, r1c3=5), r1c3=chances).cells["r1c3"]
    # by hand: 0.97 x 0.02 x 20 / 70 x 1 / 4 : 0.03, as 50 others by hand are right, and 0.97 x 0.001 : 0.03
    assert written.confidence == pytest.approx(0.03 / (0.03 + 0.97 * 0.02 * 20 / 70 / 4), abs=1e-3)
    assert printed.confidence == pytest.approx(0.03 / (0.03 + 0.97 * 0.001), abs=1e-3)
    assert written.value == printed.value == 4


def test_a_prior_brings_no_implausible_reading_up() -> None:
    chances = {"5": 0.95, "1": 0.0492, "4": 0.0008}  # 5 and 1 both repeat in row 1, 4 is right but implausible
    cell = read(SOLUTION, r1c3=chances).cells["r1c3"]
    assert cell.value == 5
    assert cell.alternatives["4"] < 0.01


@pytest.mark.parametrize("misread", ["6", "1"])  # a 6 repeats the one in r2c1; a 1 repeats none but has no solution
def test_print_without_a_solution_is_misread(misread: str) -> None:
    unlikely = {"r9c9": {"9": 0.9995, "1": 0.0005}, "r1c3": {"4": 0.9995, "9": 0.0005}}
    assert resolve(read(SOLUTION, more=unlikely, r1c1={"5": 0.9995, misread: 0.0005}), SUDOKU, GAME).sure
    board = read(SOLUTION, more=unlikely, r1c1={misread: 0.9995, "5": 0.0005})
    cell = board.cells["r1c1"]
    assert cell.value == int(misread)
    # by hand: odds of 0.0005 / 0.9995 against those and 0.01
    assert cell.alternatives["5"] == pytest.approx(0.0455, abs=1e-3)
    verdict = resolve(board, SUDOKU, GAME)
    assert verdict.ask == ("r1c1",)
    chosen = answers_for(ONLY, [parse_answer(f"r1c1={misread} print")], SUDOKU)
    misprint = readings_to_board(readings(SOLUTION, r1c1={misread: 0.9995, "5": 0.0005}), SUDOKU, GAME, chosen)
    assert "r1c1" not in resolve(misprint, SUDOKU, GAME).ask


def test_print_that_nothing_mends_stays_as_read() -> None:
    board = read(SOLUTION, r1c1={"6": 0.9995, "3": 0.0005})
    assert board.cells["r1c1"] == CellReading("r1c1", 6, "read", 0.9995, {"3": 0.0005}, "print", printed=0.99)
    verdict = resolve(board, SUDOKU, GAME)
    assert verdict.ask == verdict.ask_ink == ("r1c1",)  # a misprint, or written by hand: both are about as rare
    assert "sudoku.repeat" in codes(verdict)


def test_doubtful_neighbours_do_not_weigh() -> None:
    # Two cells of a row, each 8 or 6: neither is known, so neither tells against the other.
    board = read("0" * 81, "0" * 81, r1c1={"8": 0.6, "6": 0.4}, r1c2={"8": 0.6, "6": 0.4})
    assert [board.cells[cell].confidence for cell in ("r1c1", "r1c2")] == [pytest.approx(0.6, abs=1e-4)] * 2


# ---- verdict, Sudoku


def test_a_clear_board() -> None:
    verdict = resolve(read(SOLUTION), SUDOKU, GAME)
    assert (verdict.sure, verdict.range, verdict.ask, verdict.flags) == (True, (81, 81), (), ())


def test_every_doubtful_value_is_asked_the_most_doubtful_first() -> None:
    board = read(
        PUZZLE, r1c3={"4": 0.99, "blank": 0.01}, r1c4={"6": 0.6, "blank": 0.4}, r9c1={"candidates": 0.9, "3": 0.1}
    )
    verdict = resolve(board, SUDOKU, GAME)
    # by hand: 0.99 x 0.05 : 0.01 and 0.6 x 0.05 : 0.4, as nothing else is surely written; but for r9c1 about 1.6
    # numbers are, and no notes, so 0.9 : 0.1 x 2.6
    assert verdict.ask == ("r9c1", "r1c3", "r1c4")
    assert verdict.range == (30, 33)
    assert verdict.score.total == 31
    doubt = verdict.flags[-1]
    assert (doubt.code, doubt.severity, doubt.cells) == ("read.doubt", "doubt", ("r1c3", "r1c4", "r9c1"))
    assert doubt.message == (
        "3 cells could not be read surely: r1c3 (4 or empty), r1c4 (empty or 6), r9c1 (pencil notes or 3)"
    )


@pytest.mark.parametrize(("chance", "sure"), [(0.0004, True), (0.0011, False)])
def test_what_is_plausible_is_one_in_a_thousand(chance: float, sure: bool) -> None:
    verdict = resolve(
        read(PUZZLE, r1c3={"4": 1 - chance, "6": chance}, r1c4={"6": 1 - chance, "blank": chance}), SUDOKU, GAME
    )
    assert verdict.sure is sure


def test_why_a_cell_has_no_value_needs_no_answer() -> None:
    verdict = resolve(read(PUZZLE, r1c3={"candidates": 0.5, "scribble": 0.3, "blank": 0.2}), SUDOKU, GAME)
    assert verdict.sure
    assert verdict.ask == ()


def test_a_typed_doubt_without_alternatives_leaves_all_open() -> None:
    cells = dict(read(SOLUTION).cells)
    cells["r1c3"] = CellReading("r1c3", 4, "doubtful", 0.6)
    verdict = resolve(ReadBoard("sudoku", cells), SUDOKU, GAME)
    assert verdict.ask == ("r1c3",)
    assert verdict.range == (77, 81)  # at worst it clashes with one cell each of its row, column and box


def test_everything_doubtful_ends_in_time() -> None:
    chances = {"5": 0.5, "3": 0.3, "8": 0.1, "blank": 0.1}
    board = read(PUZZLE, more=dict.fromkeys(SUDOKU.ids, chances))
    start = time.process_time()
    verdict = resolve(board, SUDOKU, GAME)
    assert time.process_time() - start < 20  # it takes 0.1 s; a search that tries all ways would take ages
    assert len(verdict.ask) == 81
    assert verdict.range == (0, 81)
    assert verdict.flags[-1].message.endswith(" and 76 more")


CHANCES = st.dictionaries(st.sampled_from(CLASSES), st.floats(0.001, 1), min_size=1, max_size=3).map(
    lambda weights: {name: weight / sum(weights.values()) for name, weight in weights.items()}
)


@settings(max_examples=40)
@given(st.dictionaries(st.sampled_from(SUDOKU.ids), CHANCES, max_size=6))
def test_scoring_the_document_again_says_the_same(doubtful: dict[str, Chances]) -> None:
    board = read(SOLUTION, more=doubtful)
    verdict = resolve(board, SUDOKU, GAME)
    sheet = Sheet("p.jpg", 1, 1, SUDOKU, None, board, verdict)
    [typed] = parse_typed(json.dumps(document(ScanResult((sheet,)))), load_templates())
    assert typed.board == board
    assert resolve(typed.board, SUDOKU, GAME) == verdict


@settings(max_examples=40)
@given(st.dictionaries(st.sampled_from(SUDOKU.ids), CHANCES, max_size=5), st.data())
def test_the_range_holds_for_any_plausible_board(doubtful: dict[str, Chances], data: st.DataObject) -> None:
    board = read(SOLUTION, more=doubtful)
    verdict = resolve(board, SUDOKU, GAME)
    cells = dict(board.cells)
    odds = 1.0
    for cell in verdict.ask:
        reading = cells[cell]
        options = {str(reading.value or reading.state): reading.confidence} | dict(reading.alternatives)
        options = {name: p for name, p in options.items() if p >= PLAUSIBLE}
        name = data.draw(st.sampled_from(sorted(options)))
        odds *= options[name] / max(options.values())
        cells[cell] = CellReading(cell, int(name), "read") if name.isdigit() else CellReading(cell, None, "blank")
    total = GAME.score(ReadBoard("sudoku", cells), SUDOKU, GameContext()).total
    assert total is not None
    assert verdict.range is not None
    if odds >= PLAUSIBLE:
        assert verdict.range[0] <= total <= verdict.range[1]


# ---- verdict, games where only the result counts

FOUR = parse_template(
    b"""
schema = 1
id = "four"
title = "Four cells"
game = "toy"
size = [60, 20]
[grid]
origin = [5, 5]
pitch = [10, 10]
rows = 1
cols = 4
values = [0, 9]
""",
    source="four.toml",
    games={"toy"},
)


@dataclass(frozen=True)
class Toy:
    """A game whose total is any function of the four values; blank is null."""

    points: Callable[[tuple[object, ...]], int]
    values_matter: bool = False
    id: str = "toy"

    def flags(self, board: ReadBoard, template: object, context: GameContext) -> tuple[Flag, ...]:
        return ()

    def score(self, board: ReadBoard, template: object, context: GameContext) -> Score:
        total = self.points(tuple(board.value(cell) for cell in FOUR.ids))
        return Score(total, (ScoreLine("all", total),), {"r1": total})


def four(*cells: Mapping[int, float]) -> ReadBoard:
    """Each cell: its values and their posteriors, the one reported first."""
    board = {}
    for cell, chances in zip(FOUR.ids, cells, strict=True):
        (value, confidence), *others = chances.items()
        alternatives = {str(other): chance for other, chance in others}
        board[cell] = CellReading(cell, value, "read", confidence, alternatives)
    return ReadBoard("four", board)


SURE = {1: 1.0}
TIE = {1: 0.5, 2: 0.5}


def test_a_harmless_doubt_is_not_asked() -> None:
    verdict = resolve(four(TIE, SURE, SURE, SURE), FOUR, Toy(lambda values: 7))
    assert (verdict.sure, verdict.ask, verdict.range, verdict.flags) == (True, (), (7, 7), ())
    assert verdict.columns["r1"].sure


def test_doubts_that_are_harmless_alone_but_not_together() -> None:
    game = Toy(lambda values: 9 if values[:2] == (2, 2) else 0)
    verdict = resolve(four({1: 0.9, 2: 0.1}, {1: 0.8, 2: 0.2}, TIE, SURE), FOUR, game)
    assert not verdict.sure
    assert verdict.range == (0, 9)
    assert verdict.ask == ("r1c2", "r1c1")  # the third is harmless
    assert codes(verdict) == ["read.doubt"]
    assert not verdict.columns["r1"].sure
    # together 1 in 10,000: not plausible
    assert resolve(four({1: 0.99, 2: 0.01}, {1: 0.99, 2: 0.01}, SURE, SURE), FOUR, game).sure


def test_the_shortest_list() -> None:
    # the second doesn't count at all
    verdict = resolve(
        four({0: 0.5, 1: 0.5}, {0: 0.5, 1: 0.5}, SURE, SURE), FOUR, Toy(lambda values: int(bool(values[0])))
    )
    assert verdict.ask == ("r1c1",)


OUTCOMES = st.lists(st.tuples(st.integers(0, 9), st.sampled_from([0.9, 0.5, 0.1, 0.02, 0.002])), min_size=1, max_size=3)


def chances_of(drawn: list[tuple[int, float]]) -> dict[int, float]:
    weights = dict(drawn)
    return {value: weight / sum(weights.values()) for value, weight in weights.items()}


@settings(max_examples=150)
@given(st.lists(OUTCOMES.map(chances_of), min_size=4, max_size=4), st.integers(0, 10**6))
def test_ask_against_brute_force(cells: list[dict[int, float]], seed: int) -> None:
    table = {values: hash((values, seed)) % 7 // 3 for values in itertools.product(range(10), repeat=4)}
    verdict = resolve(four(*cells), FOUR, Toy(lambda values: table[values]))  # type: ignore[index]
    options = [[value for value, chance in cell.items() if chance >= PLAUSIBLE] for cell in cells]

    def enough(known: tuple[int, ...]) -> bool:
        for answers in itertools.product(*(options[place] for place in known)):
            fitting = [
                v for v in itertools.product(*options) if all(v[p] == a for p, a in zip(known, answers, strict=True))
            ]
            odds = [float(np.prod([cells[place][value] for place, value in enumerate(v)])) for v in fitting]
            plausible = [
                v for v, chance in zip(fitting, odds, strict=True) if chance >= PLAUSIBLE * max(odds) * 0.999999
            ]
            if len({table[v] for v in plausible}) > 1:
                return False
        return True

    lengths = [n for n in range(5) if any(enough(known) for known in itertools.combinations(range(4), n))]
    assert len(verdict.ask) == lengths[0]
    assert enough(tuple(FOUR.ids.index(cell) for cell in verdict.ask))
    assert verdict.sure == (lengths[0] == 0)


def test_too_many_doubts_to_try() -> None:
    chances = dict.fromkeys(range(10), 0.1)
    dull = resolve(four(*[chances] * 4), FOUR, Toy(lambda values: 7))
    assert not dull.sure  # nobody has tried all 10,000
    assert len(dull.ask) == 4
    unlikely = {0: 0.982} | dict.fromkeys(range(1, 10), 0.002)
    lively = Toy(lambda values: sum(value != 0 for value in values) // 2)
    assert resolve(four(*[unlikely] * 4), FOUR, lively).sure  # two wrong ones together are not plausible
    # three of the four change nothing, whatever the first holds, and that is soon seen of one of them
    asked = resolve(four(*[unlikely] * 4), FOUR, Toy(lambda values: int(values[0] != 0))).ask
    assert FOUR.ids[0] in asked
    assert len(asked) < 4


@given(st.lists(OUTCOMES.map(chances_of), min_size=4, max_size=4))
def test_combinations_come_by_probability_and_none_is_left_out(cells: list[dict[int, float]]) -> None:
    board = four(*cells)
    found = [doubt_about(board.cells[cell.id], cell, by_value=False) for cell in FOUR.cells]
    doubts = [doubt for doubt in found if doubt is not None]
    seen = list(combinations(doubts))
    odds = [float(np.prod([outcome.weight for outcome in combination])) for combination in seen]
    assert odds == sorted(odds, reverse=True) or np.allclose(odds, sorted(odds, reverse=True))
    everything = itertools.product(*(doubt.outcomes for doubt in doubts))
    likely = [c for c in everything if np.prod([o.weight for o in c]) >= PLAUSIBLE * odds[0] * 1.000001]
    assert len(set(map(str, seen))) == len(seen)
    assert set(map(str, likely)) <= set(map(str, seen))


# ---- printed, or by hand?


def inked(digits: str, **printed: float) -> ReadBoard:
    """Sure readings; printed where the puzzle has a digit, surely but for the cells with another probability."""
    sure = readings(digits)
    ink = [printed.get(cell, 1.0 if given != "0" else 0.0) for cell, given in zip(SUDOKU.ids, PUZZLE, strict=True)]
    return readings_to_board(replace(sure, printed=np.array(ink, dtype=np.float32)), SUDOKU, GAME)


WRONG = changed(SOLUTION, r1c3=8, r1c8=1, r1c9=4)  # by hand; the right ones are 4, 1 and 2: two clash, r1c3 and r1c9


@pytest.mark.parametrize(
    ("printed", "sure"),
    [
        # printed, the puzzle would have no solution, which happens to 1 in 100: 0.05 * 0.01 / 0.95 is below 0.001,
        (0.05, True),
        # 0.3 isn't, though the other numbers by hand are a little nearer than print is (see `one_ink`)
        (0.3, False),
        (0.5, False),
    ],
)
def test_a_wrong_number_that_may_be_printed(printed: float, sure: bool) -> None:
    verdict = resolve(inked(changed(SOLUTION, r1c3=8), r1c3=printed), SUDOKU, GAME)
    assert verdict.sure is sure
    assert verdict.ask == verdict.ask_ink == (() if sure else ("r1c3",))
    wrong = next(flag for flag in verdict.flags if flag.code == "sudoku.wrong")
    assert (wrong.cells, wrong.sure) == (("r1c3",), sure)
    repeats = [flag for flag in verdict.flags if flag.code == "sudoku.repeat"]
    assert repeats
    assert all(flag.sure for flag in repeats)  # whoever wrote them, they repeat


@pytest.mark.parametrize(("given", "needed"), [("r4c5", True), ("r1c1", False)])
def test_a_number_that_may_be_a_given(given: str, needed: bool) -> None:
    """Without the 6 of r4c5 the puzzle has several solutions, and then nothing is said of wrong numbers."""
    without = solve(tuple(int(digit) for digit in changed(PUZZLE, **{given: 0})))
    assert without.count == (2 if needed else 1)
    verdict = resolve(inked(changed(SOLUTION, r1c3=8), **{given: 0.5}), SUDOKU, GAME)
    assert verdict.ask == verdict.ask_ink == ((given,) if needed else ())


def test_ink_that_changes_nothing_is_not_asked() -> None:
    unclear = dict.fromkeys(SUDOKU.ids, 0.5)
    assert resolve(inked(SOLUTION, **unclear), SUDOKU, GAME).sure
    assert resolve(inked(PUZZLE, **unclear), SUDOKU, GAME).sure


def test_a_handwritten_number_taken_for_print_is_asked() -> None:
    """The 8 of r1c3 repeats two printed ones; as a printed one, it would leave the puzzle without a solution."""
    verdict = resolve(inked(changed(SOLUTION, r1c3=8), r1c3=0.97), SUDOKU, GAME)
    assert verdict.ask == verdict.ask_ink == ("r1c3",)
    assert verdict.flags[-1].message == "1 cell could not be read surely: r1c3 (8, printed or by hand)"


@pytest.mark.parametrize(("ink", "wrong"), [("hand", ["r1c3"]), ("print", [])])
def test_an_answer_may_say_who_wrote_it(ink: str, wrong: list[str]) -> None:
    answer = parse_answer(f"r1c3=8 {ink}")
    assert (answer.ink, answer.value_for(SUDOKU.cell("r1c3"))) == (ink, 8)
    chosen = answers_for(ONLY, [answer], SUDOKU)
    doubtful = replace(
        readings(changed(SOLUTION, r1c3=8)),
        printed=np.array(
            [0.6 if cell == "r1c3" else float(given != "0") for cell, given in zip(SUDOKU.ids, PUZZLE, strict=True)],
            dtype=np.float32,
        ),
    )
    board = readings_to_board(doubtful, SUDOKU, GAME, chosen)
    assert (board.cells["r1c3"].ink, board.cells["r1c3"].printed) == (ink, None)
    verdict = resolve(board, SUDOKU, GAME)
    assert verdict.sure
    assert [cell for flag in verdict.flags if flag.code == "sudoku.wrong" for cell in flag.cells] == wrong


def test_a_document_scored_again_has_the_same_doubts_about_ink() -> None:
    board = inked(changed(SOLUTION, r1c3=8), r1c3=0.97)
    verdict = resolve(board, SUDOKU, GAME)
    sheet = Sheet("p.jpg", 1, 1, SUDOKU, None, board, verdict)
    [typed] = parse_typed(json.dumps(document(ScanResult((sheet,)))), load_templates())
    assert typed.board == board
    assert resolve(typed.board, SUDOKU, GAME) == verdict


@settings(max_examples=40)
@given(
    st.dictionaries(st.sampled_from(SUDOKU.ids), st.integers(1, 9), max_size=3),
    st.dictionaries(st.sampled_from(SUDOKU.ids), st.sampled_from([0.001, 0.2, 0.5, 0.8, 0.999]), max_size=4),
    st.data(),
)
def test_all_questions_about_ink_answered_are_enough(
    mistakes: dict[str, int], printed: dict[str, float], data: st.DataObject
) -> None:
    """Answered by whatever ink, and whatever is asked then: it ends, and nothing was asked twice."""
    answers: dict[str, str] = {}
    digits = changed(SOLUTION, **mistakes)
    sure = readings(digits)
    ink = [printed.get(cell, float(given != "0")) for cell, given in zip(SUDOKU.ids, PUZZLE, strict=True)]
    inked_readings = replace(sure, printed=np.array(ink, dtype=np.float32))
    for _ in range(81):
        chosen = answers_for(ONLY, [parse_answer(f"{cell}={value}") for cell, value in answers.items()], SUDOKU)
        verdict = resolve(readings_to_board(inked_readings, SUDOKU, GAME, chosen), SUDOKU, GAME)
        if verdict.sure:
            break
        assert not set(verdict.ask) & set(answers)
        assert set(verdict.ask) <= set(printed)
        for cell in verdict.ask:
            value = digits[SUDOKU.ids.index(cell)]
            answers[cell] = f"{value} {data.draw(st.sampled_from(['print', 'hand']))}"
    assert verdict.sure


# ---- flags that may not stand


def test_a_repeat_of_doubtful_digits_is_not_sure() -> None:
    """A clear 5 in r1c1 and what is likely a 5 in r1c3: perhaps the row repeats it. The 6s of row 2 surely do."""
    board = read(changed(SOLUTION, r2c2=6), r1c3={"5": 0.992, "4": 0.008})
    verdict = resolve(board, SUDOKU, GAME)
    sureness = {(flag.code, flag.cells): flag.sure for flag in verdict.flags if flag.code == "sudoku.repeat"}
    assert sureness[("sudoku.repeat", ("r1c1", "r1c3"))] is False
    assert sureness[("sudoku.repeat", ("r2c1", "r2c2"))] is True
    told = document(ScanResult((Sheet("p.jpg", 1, 1, SUDOKU, None, board, verdict),)))["sheets"][0]["flags"]
    assert [flag["sure"] for flag in told] == [flag.sure for flag in verdict.flags]


def test_an_illegal_value_that_may_be_another_is_not_sure() -> None:
    cells = dict.fromkeys(PAD.ids, CellReading("", None, "blank"))
    board = ReadBoard(PAD.id, {cell: replace(reading, id=cell) for cell, reading in cells.items()})
    first, second = PAD.lattice_cells[0].id, PAD.lattice_cells[1].id
    doubtful = CellReading(first, 9, "read", 0.97, {"4": 0.03})
    clear = CellReading(second, 9, "read")
    verdict = resolve(ReadBoard(PAD.id, {**board.cells, first: doubtful, second: clear}), PAD, Splitter())
    sureness = {flag.cells: flag.sure for flag in verdict.flags if flag.code == "splitter.value"}
    assert sureness == {(first,): False, (second,): True}


# ---- answers

ONLY = SheetRef("p.jpg", 1)


def answered(digits: str, *answers: str, **doubtful: Chances) -> ReadBoard:
    chosen = answers_for(ONLY, [parse_answer(answer) for answer in answers], SUDOKU)
    return readings_to_board(readings(digits, PUZZLE, doubtful), SUDOKU, GAME, chosen)


def test_an_answer_keeps_what_was_read() -> None:
    board = answered(
        SOLUTION, "r1c3=5", "p.jpg#1:r1c4=blank", "r1c6 = candidates".replace(" ", ""), r1c3={"4": 0.7, "9": 0.3}
    )
    assert board.cells["r1c3"] == CellReading("r1c3", 5, "answered", 1.0, {}, "hand", 4, printed=0.01)
    assert board.cells["r1c4"] == CellReading("r1c4", None, "answered", 1.0, {}, None, 6)
    assert board.cells["r1c6"] == CellReading("r1c6", None, "answered", 1.0, {}, None, 8)
    verdict = resolve(board, SUDOKU, GAME)
    assert verdict.sure
    assert "sudoku.wrong" in codes(verdict)


def test_an_answer_tells_about_its_neighbours() -> None:
    chances = {"r1c1": {"8": 0.6, "6": 0.4}, "r1c2": {"8": 0.6, "6": 0.4}}
    board = answered("0" * 81, "r1c1=8", **chances)
    assert board.value("r1c2") == 6


def test_answering_all_that_is_asked_makes_it_sure() -> None:
    doubtful = {"r1c3": {"4": 0.6, "9": 0.4}, "r5c5": {"5": 0.6, "6": 0.4}, "r9c1": {"3": 0.5, "blank": 0.5}}
    first = resolve(answered(SOLUTION, **doubtful), SUDOKU, GAME)
    assert set(first.ask) == set(doubtful)
    answers = [f"{cell}={SOLUTION[SUDOKU.ids.index(cell)]}" for cell in first.ask]
    verdict = resolve(answered(SOLUTION, *answers, **doubtful), SUDOKU, GAME)
    assert (verdict.sure, verdict.range, verdict.flags) == (True, (81, 81), ())


def test_addresses() -> None:
    answer = parse_answer("C:\\a=b#c.jpg#12:r2c3=5")
    assert (answer.ref, answer.cell, answer.value) == (SheetRef("C:\\a=b#c.jpg", 12), "r2c3", "5")
    assert str(answer) == "C:\\a=b#c.jpg#12:r2c3=5"
    assert [str(answer) for answer in parse_answers("r1c1=5\r\n\n p.jpg#2:q-1r2=blank \n")] == [
        "r1c1=5",
        "p.jpg#2:q-1r2=blank",
    ]
    bare, other = parse_answer("r1c1=5"), parse_answer("p.jpg#2:r1c1=6")
    two = [SheetRef("p.jpg", 1), SheetRef("p.jpg", 2)]
    check_addresses([bare], two[:1])
    check_addresses([other], two)
    with pytest.raises(AnswerError, match=r"there are 2 sheets; write which one, as in p\.jpg#1:r1c1=5"):
        check_addresses([bare], two)
    with pytest.raises(AnswerError, match=r"there is no sheet p\.jpg#2; the sheets found: p\.jpg#1"):
        check_addresses([other], two[:1])
    assert answers_for(two[0], [other], SUDOKU) == ()
    assert answers_for(two[1], [other], SUDOKU) == (other,)


@pytest.mark.parametrize(
    "text", ["", "r1c1", "=5", "r1c1 5", "p.jpg:r1c1=5", "p.jpg#0:r1c1=5", "#1:r1c1=5", "r" * 5000 + "=5"]
)
def test_malformed_answers(text: str) -> None:
    with pytest.raises(AnswerError, match="it isn't an answer; write it as r2c3=5, or FILE#SHEET:r2c3=5") as caught:
        parse_answer(text)
    assert caught.value.exit_status == 2
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        (["r10c1=5"], "template sudoku has no cell r10c1"),
        (["r1c1=x"], "cell r1c1 holds a number; answer a number of up to three digits, blank, candidates, struck"),
        (["r1c1="], "cell r1c1 holds a number"),
        (["r1c1=5.0"], "cell r1c1 holds a number"),
        (["r1c1=1234"], "cell r1c1 holds a number"),
        (["r1c1=٥"], "cell r1c1 holds a number"),
        (["r1c1=5", "r1c1=6"], "cell r1c1 was answered with '5' as well"),
    ],
)
def test_answers_that_do_not_fit(answers: list[str], reason: str) -> None:
    with pytest.raises(AnswerError, match=reason):
        answers_for(ONLY, [parse_answer(answer) for answer in answers], SUDOKU)


def test_a_value_against_the_rules_is_an_answer_too() -> None:
    board = answered(SOLUTION, "r1c3=12")
    assert board.value("r1c3") == 12
    assert "sudoku.value" in codes(resolve(board, SUDOKU, GAME))
