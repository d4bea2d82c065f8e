"""A table taken a row too high or too low: hardly any of its sums is right then, and that tells."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from scanner import table_sheets
from scanner.geometry import Homography
from scanner.intake import Photo
from scanner.locate.table_match import row_edges
from scanner.locate.table_placement import TablePlacement
from scanner.locate.tables import _moved, shifted_pairs
from scanner.read.number_reader import NumberReader
from scanner.read.numbers import NumberCandidate, NumberReadings
from scanner.table_sheets import FEWEST_INKED, ReadTable, sums_right
from scanner.templates import get_template

KNIFFEL = get_template("kniffel")
assert KNIFFEL.table is not None
ROWS = [row.id for row in KNIFFEL.table.rows if not row.labels and row.id != "name"]
# 3 + 6 + 9 + 16 + 20 + 18 = 72, with 35 points 107; 22 + 0 + 25 + 30 + 40 + 0 + 19 = 136
CARD = dict(zip(ROWS, [3, 6, 9, 16, 20, 18, 72, 35, 107, 22, 0, 25, 30, 40, 0, 19, 136, 107, 243], strict=True))
SUMS = ("upper_sum", "bonus", "upper_total", "lower_total", "total")
PLACE = TablePlacement(KNIFFEL, Homography(np.eye(3)), None, 0.1, 1.0)
PHOTO = Photo("card.png", 1, np.zeros((9, 9, 3), np.uint8), (9, 9))


WRITTEN = np.ones(FEWEST_INKED, np.bool_)


def numbers(cells: Mapping[str, int]) -> NumberReadings:
    found = {
        cell: (NumberCandidate(cells.get(cell), "read" if cell in cells else "blank", 0.99),)
        for cell in KNIFFEL.ids
        if not cell.endswith(".name")
    }
    return NumberReadings(tuple(found), tuple(found.values()))


def column(step: int, card: Mapping[str, int] = CARD) -> dict[str, int]:
    """The card's first column, each number so many rows lower than it belongs."""
    moved = {place + step: value for place, value in enumerate(card.values())}
    return {f"game1.{row}": moved[place] for place, row in enumerate(ROWS) if place in moved}


def read(step: int, card: Mapping[str, int] = CARD) -> ReadTable:
    return ReadTable(replace(PLACE, score=1.0 + step / 1000), numbers(column(step, card)), WRITTEN)


def test_right_sums_are_counted() -> None:
    assert sums_right(numbers(column(0)), KNIFFEL) == (6, 6)
    assert sums_right(numbers(column(0) | {"game1.bonus": 0}), KNIFFEL) == (4, 6)  # and the upper total with it
    assert sums_right(numbers({}), KNIFFEL) == (0, 0)


def settled(monkeypatch: pytest.MonkeyPatch, tables: Mapping[int, ReadTable]) -> ReadTable:
    """The table that was taken with its rows a place off, by `tables`: what is read with 0, -1 and 1 rows more."""
    ways = {one.placement.score: one for one in tables.values()}
    monkeypatch.setattr(table_sheets, "_read_as", lambda photo, way, reader: ways[way.score])
    taken = tables[0]
    shifted = tuple(one.placement for step, one in tables.items() if step)
    taken = replace(taken, placement=replace(taken.placement, shifted=shifted))
    return table_sheets._by_sums(PHOTO, taken, NumberReader.__new__(NumberReader))


@pytest.mark.parametrize("off", [-1, 1])
def test_a_table_that_is_a_row_off_is_put_right(monkeypatch: pytest.MonkeyPatch, off: int) -> None:
    found = settled(monkeypatch, {0: read(off), -1: read(off - 1), 1: read(off + 1)})
    assert found.numbers == numbers(column(0))


@pytest.mark.parametrize("off", [-2, 2])
def test_a_table_that_is_two_rows_off_is_put_right(monkeypatch: pytest.MonkeyPatch, off: int) -> None:
    """Then the sums of a pad with one row of them lie outside of the table: none is seen, and that tells as well."""
    tables = {step: read(off + step) for step in (0, -1, 1, -2, 2)}
    sums = set(SUMS)
    without = tuple(
        (NumberCandidate(None, "blank", 0.99),) if cell.partition(".")[2] in sums else found
        for cell, found in zip(tables[0].numbers.ids, tables[0].numbers.candidates, strict=True)
    )
    tables[0] = replace(tables[0], numbers=NumberReadings(tables[0].numbers.ids, without))
    assert sums_right(tables[0].numbers, KNIFFEL)[0] == 0
    assert settled(monkeypatch, tables).numbers == numbers(column(0))


def test_an_empty_table_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = ReadTable(replace(PLACE, shifted=(PLACE,)), numbers({}), np.zeros(40, np.bool_))
    monkeypatch.setattr(table_sheets, "_read_as", lambda photo, way, reader: pytest.fail("read again"))
    assert table_sheets._by_sums(PHOTO, taken, NumberReader.__new__(NumberReader)) is taken


def test_a_table_whose_sums_are_right_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    assert settled(monkeypatch, {0: read(0), -1: read(-1), 1: read(1)}).numbers == numbers(column(0))


def test_somebody_who_adds_up_badly_is_not_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    """All sums of the column are wrong, but no more are right a row higher or lower."""
    bad = CARD | {"upper_sum": 70, "bonus": 0, "upper_total": 110, "lower_total": 130, "upper_again": 100, "total": 250}
    found = settled(monkeypatch, {0: read(0, bad), -1: read(-1, bad), 1: read(1, bad)})
    assert found.numbers == numbers(column(0, bad))


def test_a_block_that_is_a_row_off_is_put_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """With room between its blocks a card's upper one may be taken a row too low, while the lower sums are right."""
    upper = ROWS[: ROWS.index("three")]
    lower = dict(itertools.islice(CARD.items(), len(upper), None))
    moved = {row: CARD[below] for row, below in itertools.pairwise(upper)} | lower  # nothing in the upper total
    six = {f"game{n}.{row}": value for n in range(1, 7) for row, value in CARD.items()}
    taken = {f"game{n}.{row}": value for n in range(1, 7) for row, value in moved.items()}
    off = ReadTable(replace(PLACE, score=1.0), numbers(taken), WRITTEN)
    right = ReadTable(replace(PLACE, score=1.1), numbers(six), WRITTEN)
    worse = ReadTable(replace(PLACE, score=1.2), numbers({}), WRITTEN)
    assert settled(monkeypatch, {0: off, -1: worse, 1: right}).numbers == right.numbers


@pytest.mark.parametrize(("players", "put_right"), [(2, True), (1, False)])
def test_two_sums_tell_where_each_column_has_one(
    monkeypatch: pytest.MonkeyPatch, players: int, put_right: bool
) -> None:
    """Loopit's pad with names taken for the first turn; one sum alone may be right by chance."""
    loopit = get_template("loopit-pad")
    turns = [f"turn{k + 1}" for k in range(13)]
    points = dict(zip([*turns, "total"], [*range(10, 23), sum(range(10, 23))], strict=True))

    def pad(step: int) -> NumberReadings:
        rows = list(points)
        cells = {
            f"p{player + 1}.{rows[k + step]}": value
            for player in range(players)
            for k, value in enumerate(points.values())
            if k + step < len(rows)
        }
        numbers = [cell.id for cell in loopit.cells if cell.kind == "number"]
        return NumberReadings(
            tuple(numbers),
            tuple((NumberCandidate(cells.get(cell), "read" if cell in cells else "blank", 0.99),) for cell in numbers),
        )

    place = replace(PLACE, template=loopit)
    right = ReadTable(replace(place, score=1.1), pad(0), WRITTEN)
    taken = ReadTable(replace(place, score=1.0, shifted=(right.placement,)), pad(1), WRITTEN)
    monkeypatch.setattr(table_sheets, "_read_as", lambda photo, way, reader: right)
    found = table_sheets._by_sums(PHOTO, taken, NumberReader.__new__(NumberReader))
    assert found is (right if put_right else taken)


def test_all_rows_are_shifted_by_one_and_two() -> None:
    table = get_template("loopit-pad").table
    assert table is not None
    edges = len(row_edges(table).at)
    pairs = tuple((k, k) for k in range(edges))
    steps = [way[0][1] - way[0][0] for way in shifted_pairs(pairs, table)]
    assert {-1, 1, -2, 2} <= set(steps)
    assert steps[:2] == [-1, 1]  # the likeliest ones first


def test_blocks_are_shifted_one_by_one() -> None:
    edges = len(row_edges(KNIFFEL.table).at) if KNIFFEL.table is not None else 0
    pairs = tuple((k, k) for k in range(edges))
    assert _moved(pairs, 0, edges, 1, edges) == tuple((k, k + 1) for k in range(edges - 1))
    upper = _moved(pairs, 0, 11, 1, edges)
    assert upper[:10] == tuple((k, k + 1) for k in range(10))
    assert upper[10:] == tuple((k, k) for k in range(11, edges))  # the line between the blocks is the lower one's


def test_where_no_sum_is_right_no_number_is_sure() -> None:
    wrong = {cell: value + 1 for cell, value in column(0).items() if cell.split(".")[1] in SUMS}
    taken = ReadTable(PLACE, numbers(column(0) | wrong | {"game1.upper_again": 50}), WRITTEN)
    assert sums_right(taken.numbers, KNIFFEL)[0] == 0
    doubted = table_sheets._believed(taken)
    assert max(found[0].probability for found in doubted.numbers.candidates) < 0.7
    right = read(0)
    assert table_sheets._believed(right) is right
    one_wrong = read(0, CARD | {"lower_total": 176})
    assert table_sheets._believed(one_wrong) is one_wrong
