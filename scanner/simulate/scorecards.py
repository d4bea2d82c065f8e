"""Photos of score tables filled in by hand: any template with a table, and pads that are drawn at random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from scanner.geometry import FloatArray
from scanner.simulate.canvas import Canvas
from scanner.simulate.hands import HandSource
from scanner.simulate.numerals import Manner, NumberScribe, Numeral, NumeralHabits, NumeralRanges, choose_numeral_habits
from scanner.simulate.outlines import extent
from scanner.simulate.photograph import photograph
from scanner.simulate.printing import blank_paper, choose_press, print_sheet
from scanner.simulate.sheet import FilledSheet, Setting, Simulated, resolution
from scanner.simulate.writing import Contents
from scanner.templates import Cell, LineStyle, Look, Table, TableColumn, TableRow, TagColour, Template
from scanner.templates.model import Rgb, rectangle

PASTELS: tuple[Rgb, ...] = (
    (222, 234, 246),
    (250, 232, 214),
    (228, 241, 221),
    (246, 222, 226),
    (235, 235, 235),
    (252, 246, 205),
    (226, 218, 240),
)
STRONG: tuple[Rgb, ...] = (
    (236, 150, 140),
    (238, 205, 110),
    (150, 190, 228),
    (160, 210, 160),
    (200, 170, 215),
    (205, 205, 205),
    (240, 225, 190),
)
LINE_COLOURS: tuple[Rgb | None, ...] = (None, None, (60, 95, 165), (95, 130, 190), (120, 120, 120), (150, 60, 60))
WORDS = ("Runde", "Karten", "Bonus", "Gold", "Holz", "Militär", "Punkte", "Straße", "Summe", "Paar", "Chance", "Full")


@dataclass(frozen=True, slots=True)
class Chances:
    """How often what happens in one cell; the rest is a number plainly written."""

    blank: float = 0.08
    nothing: float = 0.06  # a dash, a slash, or a number crossed out
    corrected: float = 0.03
    overwritten: float = 0.02
    slid: float = 0.05


def random_numeral(rng: np.random.Generator, chances: Chances, values: tuple[int, int] | None) -> Numeral:
    """What stands in one cell: a number within `values` (of up to three digits and perhaps negative where null)."""
    value = random_value(rng) if values is None else int(rng.integers(values[0], values[1] + 1))
    return written(value, rng, chances)


def random_value(rng: np.random.Generator) -> int:
    """A number as it stands on score pads: of one digit more often than chance has it, some round, some below zero."""
    kind = rng.random()
    if kind < 0.28:
        value = int(rng.integers(0, 10))
    elif kind < 0.72:
        value = int(rng.integers(10, 100))
    else:
        value = int(rng.integers(100, 1000)) if rng.random() < 0.5 else int(rng.integers(100, 400))
    if rng.random() < 0.12:
        value = value // 10 * 10
    return -value if value and value < 100 and rng.random() < 0.11 else value


def written(value: int, rng: np.random.Generator, chances: Chances) -> Numeral:
    """A value with the manner in which it is written; sometimes there is nothing, or something taken back."""
    kind = rng.random() - chances.blank
    if kind < 0:
        return Numeral(None)
    if kind < chances.nothing:
        empty: tuple[Manner, ...] = ("dash", "slash", "crossed")
        return Numeral(None, empty[int(rng.integers(3))], abs(value))
    kind -= chances.nothing
    for chance, manner in (
        (chances.corrected, "corrected"),
        (chances.overwritten, "overwritten"),
        (chances.slid, "slid"),
    ):
        if kind < chance:
            return Numeral(value, _manner(manner), _mistaken(value, rng, manner == "overwritten"))
        kind -= chance
    return Numeral(value)


def _manner(name: str) -> Manner:
    return "corrected" if name == "corrected" else "overwritten" if name == "overwritten" else "slid"


def _mistaken(value: int, rng: np.random.Generator, same_length: bool) -> int:
    """What was there first: another number; of as many digits, one of them different, where it is written over."""
    digits = list(str(abs(value)))
    at = int(rng.integers(len(digits)))
    low = 1 if at == 0 and len(digits) > 1 else 0
    digits[at] = str(int(rng.integers(low, 10)))
    wrong = int("".join(digits))
    if not same_length and rng.random() < 0.5:
        wrong = int(rng.integers(0, 100))
    return -wrong if value < 0 else wrong


def truth_of(numeral: Numeral) -> int | str | None:
    """What a truth file says of it."""
    if numeral.manner in ("dash", "slash", "crossed"):
        return "struck"
    return numeral.value


@dataclass(frozen=True, eq=False)
class Card:
    """A copy of a score table and what is on it. numerals: by cell id; cells left out are blank.

    names: what is written into cells of kind text, by cell id.
    """

    template: Template
    numerals: Mapping[str, Numeral]
    hand: HandSource
    pen: str | None = None
    ranges: NumeralRanges = field(default_factory=NumeralRanges)
    names: Mapping[str, str] = field(default_factory=dict)

    def contents(self) -> Contents:
        """What is in which cell, as truth files have it."""
        return {cell_id: truth_of(numeral) for cell_id, numeral in self.numerals.items()} | dict(self.names)


def simulate_card(card: Card, *, seed: int | Sequence[int], setting: Setting | None = None) -> Simulated:
    """A photo of a filled-in score table; the same arguments give the same photo."""
    chosen = setting or Setting()
    paper, press_rng, printing, habits_rng, writing, camera = np.random.default_rng(seed).spawn(6)
    template = card.template
    canvas = blank_paper(template, resolution(template, chosen.size), paper, chosen.ranges)
    print_sheet(canvas, template, choose_press(template, press_rng, chosen.ranges), printing, chosen.ranges)
    fill_in(canvas, card, habits_rng, writing)
    sheet = FilledSheet(template, card.contents())
    whole = camera.random() < chosen.ranges.whole_chance
    around = table_quad(template)
    shot = photograph(canvas, sheet.quad, whole, chosen.size, chosen.quarter_turns, camera, chosen.ranges, around)
    return Simulated(shot.rgb, sheet.truth(shot.corners[0]), shot.quality)


def table_quad(template: Template) -> FloatArray:
    """The corners of a table with its labels, mm [4, 2], top left first, clockwise."""
    table = template.table
    assert table is not None
    left, right, top, bottom = (
        table.columns[0].left,
        table.columns[-1].right,
        table.rows[0].top,
        table.rows[-1].bottom,
    )
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], dtype=np.float64)


def fill_in(canvas: Canvas, card: Card, habits_rng: np.random.Generator, writing: np.random.Generator) -> NumeralHabits:
    """Writes all of a card's numerals; gives the writer."""
    numbers = [cell for cell in card.template.cells if cell.kind in ("number", "digit")]
    height = float(np.median([extent(cell)[1] for cell in numbers]))
    habits = choose_numeral_habits(height, habits_rng, card.ranges, pen=card.pen)
    scribe = NumberScribe(canvas, card.hand, habits, writing, card.ranges)
    for cell in numbers:
        numeral = card.numerals.get(cell.id)
        if numeral is not None:
            scribe.write(cell, numeral)
    for cell_id, name in card.names.items():
        scribe.name(card.template.cell(cell_id), name)
    return habits


FACES = {"aces": 1, "twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6}
FIXED = {"full": 25, "small": 30, "large": 40, "kniffel": 50}
MISCOUNTED = 0.03
"""How often somebody adds up wrongly."""
MOST_POINTS = 45
"""Of a row, where a pad allows any number."""


def random_game(template: Template, rng: np.random.Generator, chances: Chances) -> dict[str, Numeral]:
    """A card after some games: values that can be, sums added up, a few of them wrongly, some columns empty."""
    table = template.table
    assert table is not None
    formulas = {formula.row: formula.formula for formula in table.formulas}
    columns = [column for column in table.columns if not column.labels]
    played = int(rng.integers(max(1, len(columns) // 2), len(columns) + 1))
    numerals: dict[str, Numeral] = {}
    for column in columns[:played]:
        values: dict[str, int] = {}
        for row in table.rows:
            name = f"{column.id}.{row.id}"
            if name in template and template.cell(name).kind == "number" and row.id not in formulas:
                values[row.id] = _points(row.id, template.cell(name).values, rng)
                numeral = written(values[row.id], rng, chances)
                if numeral.value is None:
                    values[row.id] = 0
                numerals[name] = numeral
        for row_id, formula in formulas.items():
            right = formula.value(lambda used, known=values: known[used])  # type: ignore[misc]
            wrong = right + int(rng.choice([-10, -1, 1, 10, 40])) if rng.random() < MISCOUNTED else right
            values[row_id] = max(0, wrong) if right >= 0 else wrong
            numerals[f"{column.id}.{row_id}"] = written(values[row_id], rng, replace(chances, blank=0.0, nothing=0.0))
    return numerals


PLAYERS = ("Anna", "Max", "Mia", "Tom", "Opa", "Lea", "Uwe", "Kim", "Jan", "Eva", "Ben", "Pia")


def random_names(template: Template, rng: np.random.Generator) -> dict[str, str]:
    """A name in every cell for words."""
    cells = [cell.id for cell in template.cells if cell.kind == "text"]
    return {cell: PLAYERS[int(rng.integers(len(PLAYERS)))] for cell in cells}


def _points(row: str, limits: tuple[int, int] | None, rng: np.random.Generator) -> int:
    if row in FACES:
        return FACES[row] * int(rng.choice([0, 1, 2, 3, 4, 5], p=[0.05, 0.1, 0.2, 0.35, 0.25, 0.05]))
    if row in FIXED:
        return FIXED[row] if rng.random() < 0.6 else 0
    low, high = limits or (0, MOST_POINTS)
    if high > MOST_POINTS or low < 0:
        value = abs(random_value(rng)) % (MOST_POINTS + 1)
        return -value // 3 if low < 0 and rng.random() < 0.12 else value
    return int(rng.integers(max(low, 5), high + 1)) if rng.random() < 0.85 else 0


def random_pad(rng: np.random.Generator, *, game: str = "score-table") -> Template:
    """A pad that never was: 2 to 7 columns and 6 to 20 rows of any size, labels, headings, colours, double rules."""
    columns, rows = _random_columns(rng), _random_rows(rng)
    coloured = rng.random()
    palette = STRONG if coloured < 0.25 else PASTELS
    tints = [palette[int(n)] for n in rng.permutation(len(palette))]
    row_tags = {row.id: f"tint-{number % len(tints)}" for number, row in enumerate(rows)} if coloured < 0.5 else {}
    cells = tuple(
        Cell(
            f"{column.id}.{row.id}",
            "number",
            rectangle(column.left, row.top, column.right, row.bottom),
            (-999, 999),
            tags=frozenset({row_tags[row.id]} if row.id in row_tags else ()),
        )
        for column in columns
        for row in rows
        if not column.labels and not row.labels
    )
    used = sorted(set(row_tags.values()))
    look = Look(
        colours=tuple(TagColour(tag, tints[int(tag.split("-")[1])]) for tag in used),
        line_rgb=LINE_COLOURS[int(rng.integers(len(LINE_COLOURS)))],
        lines="dark",
    )
    size = (columns[-1].right + float(rng.uniform(3, 14)), rows[-1].bottom + float(rng.uniform(3, 20)))
    return Template("random-pad", "A pad", game, size, (), cells, table=Table(columns, rows, ()), look=look)


def _random_columns(rng: np.random.Generator) -> tuple[TableColumn, ...]:
    at = float(rng.uniform(3, 14))
    columns = []
    for number in range(int(rng.integers(0, 3))):
        width = float(rng.uniform(6, 30))
        columns.append(TableColumn(f"label{number}", at, at + width, "", "single", labels=True))
        at += width
    width = float(rng.uniform(9, 20))
    styles: tuple[LineStyle, ...] = ("double", "heavy", "single", "single")
    for number in range(int(rng.integers(2, 8))):
        style: LineStyle = styles[int(rng.integers(4))] if number == 0 else "single"
        columns.append(TableColumn(f"c{number + 1}", at, at + width, str(number + 1), style, labels=False))
        at += width
    return tuple(columns)


def _random_rows(rng: np.random.Generator) -> tuple[TableRow, ...]:
    at = float(rng.uniform(4, 25))
    rows = []
    if rng.random() < 0.7:
        height = float(rng.uniform(5, 14))
        rows.append(TableRow("head", at, at + height, "", "single", labels=True))
        at += height
    usual = float(rng.uniform(5.5, 10))
    block = int(rng.integers(4, 9))
    styles: tuple[LineStyle, ...] = ("double", "heavy", "single")
    style_of_block = styles[int(rng.integers(3))]
    for number in range(int(rng.integers(6, 21))):
        height = usual * (float(rng.uniform(1.1, 1.6)) if rng.random() < 0.08 else 1.0)
        style: LineStyle = style_of_block if number % block == 0 else "single"
        label = WORDS[int(rng.integers(len(WORDS)))]
        rows.append(TableRow(f"r{number + 1}", at, at + height, label, style, labels=False))
        at += height
    return tuple(rows)
