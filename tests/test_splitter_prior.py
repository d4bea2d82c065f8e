"""What a Splitter sheet's neighbours say about an unclear number: against brute force, against chance, and by hand."""

from __future__ import annotations

import itertools
import math
import tomllib
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner.board import ReadBoard
from scanner.games.splitter import Splitter
from scanner.games.splitter_layout import layout_of
from scanner.games.splitter_prior import LEAST, beside, strength
from scanner.read.classes import CLASSES
from scanner.read.readings import Readings
from scanner.resolve import readings_to_board, resolve
from scanner.results import PLAUSIBLE, CellReading
from scanner.templates import Template, get_template
from scanner.typed import parse_typed

GAME = Splitter()
PADS = (get_template("splitter-a"), get_template("splitter-b"))
PAD_A = PADS[0]
PUBLISHED = tomllib.loads((Path(__file__).parent / "data" / "splitter_boards.toml").read_text(encoding="utf-8"))[
    "boards"
]
Odds = Mapping[str, float]


def by_rows(template: Template) -> dict[str, int]:
    """Equal numbers in rows 1 and 2, 3 and 4, and so on: hardly anybody can put them closer together."""
    return {cell.id: (int(cell.id[1 : cell.id.index("c")]) - 1) // 2 + 1 for cell in template.lattice_cells}


def at_random(template: Template, seed: int) -> dict[str, int]:
    dice = np.random.default_rng(seed).integers(1, 7, len(layout_of(template).ids))
    return dict(zip(layout_of(template).ids, map(int, dice), strict=True))


def settled(template: Template, values: Mapping[str, int], unclear: Mapping[str, Odds]) -> ReadBoard:
    """What the game is told: numbers, and what the unclear cells plausibly hold."""
    cells = {cell: CellReading(cell, None, "unreadable") for cell in template.ids}
    cells |= {cell: CellReading(cell, value, "read", ink="hand") for cell, value in values.items()}
    cells |= {cell: CellReading(cell, None, "doubtful", alternatives=odds) for cell, odds in unclear.items()}
    return ReadBoard(template.id, cells)


def numbers(template: Template, values: Mapping[str, int]) -> list[int]:
    return [values[cell] for cell in layout_of(template).ids]


def own_strength(template: Template, values: Mapping[str, int]) -> float:
    return strength(np.array(numbers(template, values)), layout_of(template))


def weighed(template: Template, values: Mapping[str, int], unclear: Mapping[str, Odds], cell: str) -> dict[str, float]:
    """The probabilities of an unclear cell, as the game's factors change them."""
    told = settled(template, values, unclear)
    after = {}
    for name, p in unclear[cell].items():
        reading = CellReading(cell, int(name) if name.isdigit() else None, "read" if name.isdigit() else "blank")
        after[name] = p * beside(told, layout_of(template), reading)
    return {name: p / sum(after.values()) for name, p in after.items()}


def as_read(template: Template, values: Mapping[str, int], unclear: Mapping[str, Odds]) -> ReadBoard:
    """Through the resolving, from the reader's probabilities."""
    ids = layout_of(template).ids
    p = np.zeros((len(ids), len(CLASSES)), np.float32)
    for row, cell in enumerate(ids):
        for name, chance in unclear.get(cell, {str(values[cell]): 1.0}).items():
            p[row, CLASSES.index(name)] = chance
    return readings_to_board(Readings(ids, CLASSES, p, np.zeros(len(ids), np.float32)), template, GAME)


# ---- how much a sheet says


@pytest.mark.parametrize("template", PADS, ids=lambda pad: pad.id)
def test_boards_filled_at_random_have_no_strength(template: Template) -> None:
    strengths = [own_strength(template, at_random(template, seed)) for seed in range(60)]
    assert np.mean(strengths) < 0.1
    assert np.median(strengths) == 0


def test_played_boards_have_some() -> None:
    for example in PUBLISHED:
        [one] = parse_typed(example["board"].strip(), {pad.id: pad for pad in PADS})
        values = {cell: int(one.board.cells[cell].value or 0) for cell in layout_of(one.template).ids}
        assert own_strength(one.template, values) >= 0.2


def test_one_number_everywhere_says_nothing() -> None:
    """Its neighbours are equal because everything is."""
    assert own_strength(PAD_A, dict.fromkeys(layout_of(PAD_A).ids, 3)) == 0


def test_numbers_side_by_side_by_hand() -> None:
    """1s on the left half and 2s on the right: where they meet, at the centre line, mirrored cells are no neighbours.

    So a cell's n neighbours all hold its number, and its chance is 1 / (1 + exp(-n s)). The likeliest s is where half
    the sum of the logarithms rises as much as -s² / (2 * 0.5²) falls: n / (1 + exp(n s)), summed, halved, is s / 0.25.
    """
    values = {cell.id: 1 if int(cell.id[cell.id.index("c") + 1 :]) <= 4 else 2 for cell in PAD_A.lattice_cells}
    layout = layout_of(PAD_A)
    around = [sum(layout.partner[cell] != near for near in nears) for cell, nears in enumerate(layout.neighbours)]

    def slope(s: float) -> float:
        return sum(n / (1 + math.exp(n * s)) for n in around) / 2 - s / 0.25

    found = own_strength(PAD_A, values)
    assert slope(found - 0.05) > 0 > slope(found + 0.05)


# ---- what it says of a cell


@st.composite
def few_unclear(draw: st.DrawFn) -> tuple[Template, dict[str, int], dict[str, dict[str, float]]]:
    """A played board (rows of equal numbers, some changed) with one to four unclear cells in a line, so in no ring."""
    template = draw(st.sampled_from(PADS))
    values = by_rows(template)
    for cell in draw(st.lists(st.sampled_from(sorted(values)), max_size=12)):
        values[cell] = draw(st.integers(1, 6))
    row = draw(st.sampled_from([2, 6]))
    first = draw(st.integers(2, 4))
    unclear = {}
    for col in range(first, first + draw(st.integers(1, 4))):
        names = draw(st.lists(st.sampled_from(["1", "2", "3", "4", "5", "6"]), min_size=2, max_size=3, unique=True))
        shares = [draw(st.integers(10, 60)) for _ in names]
        unclear[f"r{row}c{col}"] = {name: share / sum(shares) for name, share in zip(names, shares, strict=True)}
    return template, values, unclear


def by_force(template: Template, values: Mapping[str, int], unclear: Mapping[str, Odds], cell: str) -> dict[str, float]:
    """All boards weighed, by the definition."""
    layout = layout_of(template)
    clear = [0 if name in unclear else values[name] for name in layout.ids]
    gain = strength(np.array(clear), layout)
    links = [
        (one, other)
        for one, nears in enumerate(layout.neighbours)
        for other in nears
        if one < other and layout.partner[one] != other
    ]
    total = dict.fromkeys(unclear[cell], 0.0)
    for chosen in itertools.product(*(odds.items() for odds in unclear.values())):
        supposed = {**values} | {name: int(number) for name, (number, _) in zip(unclear, chosen, strict=True)}
        held = numbers(template, supposed)
        equal = sum(held[one] == held[other] for one, other in links)
        weight = math.prod(p for _, p in chosen) * math.exp(gain * equal)
        total[chosen[list(unclear).index(cell)][0]] += weight
    return {name: weight / sum(total.values()) for name, weight in total.items()}


@given(few_unclear())
def test_as_all_boards_weighed(sheet: tuple[Template, dict[str, int], dict[str, dict[str, float]]]) -> None:
    template, values, unclear = sheet
    for cell in unclear:
        expected = by_force(template, values, unclear, cell)
        if min(expected.values()) > 2 * LEAST:
            assert weighed(template, values, unclear, cell) == pytest.approx(expected, rel=1e-6)


@given(few_unclear())
def test_mirroring_the_sheet_mirrors_what_is_said(
    sheet: tuple[Template, dict[str, int], dict[str, dict[str, float]]],
) -> None:
    _, values, unclear = sheet
    cells = {cell: values.get(cell, 1) for cell in layout_of(PAD_A).ids}
    unclear = {cell: odds for cell, odds in unclear.items() if cell in PAD_A}

    def turned(cell: str) -> str:
        row, col = cell[1:].split("c")
        return f"r{8 - int(row)}c{col}"

    upside_down = {turned(cell): value for cell, value in cells.items()}
    for cell in unclear:
        expected = weighed(PAD_A, cells, unclear, cell)
        flipped = {turned(name): odds for name, odds in unclear.items()}
        assert weighed(PAD_A, upside_down, flipped, turned(cell)) == pytest.approx(expected)


@given(few_unclear(), st.sampled_from(["blank", "7", "0", "struck"]), st.floats(0.05, 0.9))
def test_whether_there_is_a_legal_number_stays_as_probable(
    sheet: tuple[Template, dict[str, int], dict[str, dict[str, float]]], other: str, chance: float
) -> None:
    template, values, unclear = sheet
    for cell, odds in unclear.items():
        either = unclear | {cell: {name: p * (1 - chance) for name, p in odds.items()} | {other: chance}}
        assert weighed(template, values, either, cell)[other] == pytest.approx(chance, abs=LEAST)


def test_a_cell_among_its_likes() -> None:
    """r1c4 of rows of equal numbers: its neighbours r1c3 and r2c4 are 1s, r1c5 mirrors it."""
    values = by_rows(PAD_A)
    gain = strength(
        np.array([0 if cell == "r1c4" else values[cell] for cell in layout_of(PAD_A).ids]), layout_of(PAD_A)
    )
    after = weighed(PAD_A, values, {"r1c4": {"7": 0.2, "4": 0.5, "1": 0.3}}, "r1c4")
    assert after["7"] == pytest.approx(0.2)
    assert after["1"] / after["4"] == pytest.approx(0.3 / 0.5 * math.exp(2 * gain))


def test_unclear_ink_is_read_as_its_neighbours_are() -> None:
    """Where the sheet's numbers stand side by side; else as the ink would rather have it."""
    ink = {"r4c3": {"2": 0.45, "5": 0.55}}
    assert as_read(PAD_A, by_rows(PAD_A), ink).cells["r4c3"].value == 2
    assert as_read(PAD_A, at_random(PAD_A, 1) | dict.fromkeys(("r3c3", "r4c4"), 2), ink).cells["r4c3"].value == 5


def test_clear_ink_stays_what_it_is() -> None:
    values = by_rows(PAD_A)
    clear = as_read(PAD_A, values, {"r4c3": {"5": 0.991, "2": 0.009}}).cells["r4c3"]
    assert (clear.value, clear.confidence) == (5, 0.991)
    illegal = as_read(PAD_A, values, {"r4c3": {"7": 0.995, "2": 0.005}}).cells["r4c3"]
    assert illegal.value == 7


@given(st.sampled_from(PADS), st.data())
def test_no_plausible_number_becomes_implausible(template: Template, data: st.DataObject) -> None:
    values = by_rows(template)
    cells = data.draw(st.lists(st.sampled_from(sorted(values)), min_size=1, max_size=8, unique=True))
    unclear: dict[str, Odds] = {}
    for cell in cells:
        other = data.draw(st.sampled_from([n for n in range(1, 7) if n != values[cell]]))
        least = data.draw(st.floats(0.0011, 0.5))
        unclear[cell] = {str(values[cell]): 1 - least, str(other): least}
    read = as_read(template, values, unclear)
    for cell, odds in unclear.items():
        reading = read.cells[cell]
        held = {str(reading.value): reading.confidence} | dict(reading.alternatives)
        assert all(held[name] >= PLAUSIBLE for name in odds)


def test_what_only_neighbours_tell_is_asked() -> None:
    """Three 4s beside the unclear cell, which the ink would rather have a 6: with it they are four, and score."""
    values = by_rows(PAD_A) | dict.fromkeys(("r1c3", "r2c3", "r2c4"), 4)
    read = as_read(PAD_A, values, {"r1c4": {"4": 0.45, "6": 0.55}})
    verdict = resolve(read, PAD_A, GAME)
    assert read.cells["r1c4"].value == 4
    assert verdict.ask == ("r1c4",)
    assert not verdict.sure
