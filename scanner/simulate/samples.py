"""How the pictures in `samples/` were made; `python -m scanner.simulate --samples` makes them again.

Fonts lend the handwriting, so that nothing of anybody's hand is in the repository. They are fetched into a cache folder
(npm packages with pinned versions); their OFL texts stand beside the samples.
"""

from __future__ import annotations

import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from scanner.errors import UnreadableError
from scanner.geometry import Square
from scanner.simulate.hands import Shapes, font_hand
from scanner.simulate.hexes import bold_print
from scanner.simulate.numerals import Numeral, NumeralRanges
from scanner.simulate.ranges import Ranges
from scanner.simulate.scorecards import Card, simulate_card
from scanner.simulate.sheet import Setting, Simulated, simulate
from scanner.simulate.sudokus import make_puzzle
from scanner.simulate.writing import Contents
from scanner.templates import get_template
from scanner.training.fonts import FontSpec, fetch, shipped_fonts

CALM: Final = Ranges(
    margin=(12.0, 34.0),
    hand_height=(0.60, 0.68),
    offset_jitter=(0.03, 0.06),
    stray_chance=0.03,
    tilt=(8.0, 20.0),
    fill=(0.80, 0.88),
    light=(0.92, 1.0),
    paper_grey=(0.90, 0.96),
    line=(0.018, 0.026),
    blur=(0.5, 0.7),
    motion_chance=0.0,
    noise=(0.006, 0.012),
    jpeg=(84.0, 84.0),
    thumb_chance=0.0,
)
"""Photos as a careful player takes them: the samples show what the product does, not where it fails."""
PAD_CALM: Final = replace(CALM, plain_chance=0.0, whole_chance=1.0, tone=(0.97, 1.03))
"""The same of pads as the publisher prints them."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One picture of `samples/`, as its table row tells.

    hand, typeface: npm packages @fontsource/NAME. changes: what differs from the right solution, by cell id. notes: the
    digits of its pencil notes.
    """

    name: str
    about: str
    hand: str
    typeface: str
    puzzle: int
    givens: int
    seed: int
    setting: Setting
    changes: Contents = field(default_factory=dict)
    notes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


SAMPLES: Final = (
    Sample(
        name="sudoku-1",
        about="solved without a mistake, blue ballpoint",
        hand="caveat",
        typeface="arimo",
        puzzle=11,
        givens=32,
        seed=101,
        setting=Setting(
            size=(1200, 1600),
            ranges=replace(CALM, pens=("ball-blue",), tables=("wood",), hard_chance=1.0, hard=(0.15, 0.3)),
        ),
    ),
    Sample(
        name="sudoku-2",
        about="in pencil, with mistakes: r9c6 (8 twice), r7c9 (2 instead of 1); notes in three cells, two blanks",
        hand="gochi-hand",
        typeface="zilla-slab",
        puzzle=12,
        givens=30,
        seed=102,
        setting=Setting(
            size=(1600, 1200), ranges=replace(CALM, pens=("pencil",), tables=("cloth",), warmth=(0.04, 0.10))
        ),
        # The 8 stands twice in its column and box; the 2 clashes with nothing, but belongs elsewhere.
        changes={
            "r9c6": 8,
            "r9c8": None,
            "r7c9": 2,
            "r7c7": None,
            "r6c9": "candidates",
            "r1c8": "candidates",
            "r1c9": "candidates",
        },
        notes={"r6c9": (1, 2), "r1c8": (2, 4), "r1c9": (2, 4)},
    ),
)


@dataclass(frozen=True, slots=True)
class PadSample:
    """One picture of a filled-in pad.

    board: its rows in the text notation (`scanner.board`). hand: npm package @fontsource/NAME.
    """

    name: str
    template: str
    about: str
    hand: str
    board: str
    seed: int
    setting: Setting

    def contents(self) -> dict[str, int | str | None]:
        """What is in which cell of the lattice; null for an empty one."""
        return {
            Square(row, col).id: None if token == "." else int(token)
            for row, line in enumerate(self.board.strip().splitlines(), start=1)
            for col, token in enumerate(line.split(), start=1)
            if token != "-"
        }


PAD_SAMPLES: Final = (
    PadSample(
        name="splitter-a-1",
        template="splitter-a",
        about="a finished pad without a mistake, blue ballpoint",
        hand="playwrite-cz",
        # Twos double on the left star, threes on the right one; fours, fives and sixes score too.
        board="""
            - - 2 2 6 4 - -
            - 3 3 5 6 4 4 -
            1 3 5 5 6 6 4 1
            2 2 5 5 6 6 3 3
            4 1 6 2 1 5 3 2
            - 4 6 2 4 5 5 -
            - - 3 6 4 1 - -
        """,
        seed=201,
        setting=Setting(
            size=(1600, 1200),
            ranges=replace(PAD_CALM, pens=("ball-blue",), tables=("wood",)),
        ),
    ),
    PadSample(
        name="splitter-b-1",
        template="splitter-b",
        about="black felt tip, with mistakes: r2c4 (an illegal 7), r6c8 (empty, its pair's other half is not)",
        hand="mali",
        # The three hearts agree.
        board="""
            1 6 2 - - 3 4 4
            5 6 2 7 3 3 4 4
            - 4 6 1 5 5 2 -
            - 4 6 - - 5 2 -
            - 4 4 1 4 5 6 -
            3 2 6 1 1 5 6 .
            3 2 6 - - 1 6 3
        """,
        seed=202,
        setting=Setting(
            size=(1600, 1200),
            ranges=replace(PAD_CALM, pens=("felt",), tables=("cloth",)),
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class HexSample:
    """One picture of a filled-in hex sheet.

    rows: of the lattice in the text notation, the printed numbers too. boxes: contents of other cells by id.
    hand: npm package @fontsource/NAME.
    """

    name: str
    template: str
    about: str
    hand: str
    rows: str
    boxes: Contents
    seed: int
    setting: Setting

    def contents(self) -> dict[str, int | str | None]:
        """What is written in which cell; null for an empty one. Printed numbers are left out."""
        template = get_template(self.template)
        lines = (line.split() for line in self.rows.strip().splitlines())
        written: dict[str, int | str | None] = {}
        for cells, tokens in zip(template.lattice_rows(), lines, strict=True):
            for cell, token in zip(cells, tokens, strict=True):
                if cell is not None and cell.printed is None:
                    written[cell.id] = None if token == "." else int(token)
        return written | dict(self.boxes)


def _rounds(top: str, bottom: str) -> dict[str, int | str | None]:
    """Record rows, a figure a round."""
    rows = {"top": top, "bottom": bottom}
    return {f"{row}{n}": int(figure) for row, figures in rows.items() for n, figure in enumerate(figures, start=1)}


HEX_SAMPLES: Final = (
    HexSample(
        name="hexroller-front-1",
        template="hexroller-front",
        about="a finished game without a mistake, blue ballpoint; two bonuses are crossed out",
        hand="patrick-hand",
        # The middle has five 3s and five 4s; the 3s join their two printed hexes.
        rows="""
                7 7 - 4 4
               7 5 7 7 4 6
                5 5 7 4 4
             8 8 5 3 2 4 4 8
            8 8 4 3 4 4 4 8 8
             8 8 3 3 4 4 4 8
                3 3 3 3 6
               7 3 5 . 6 6
                7 . - . 6
        """,
        boxes={**_rounds("6534887", "8473448"), "bonus1": "x", "bonus2": "x"},
        seed=301,
        setting=Setting(
            size=(1600, 1200),
            ranges=replace(PAD_CALM, pens=("ball-blue",), tables=("wood",), fill=(0.9, 0.94), marks=("cross",)),
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class CardSample:
    """One picture of a filled-in score card.

    columns: by the column's id what is written in its rows from top to bottom, in the text notation: a number, - for
    a dash, x for a number crossed out, . for nothing. names: by the column's id. hand: npm package @fontsource/NAME.
    pen: of `scanner.simulate.writing.PENS`.
    """

    name: str
    template: str
    about: str
    hand: str
    pen: str
    columns: Mapping[str, str]
    names: Mapping[str, str]
    seed: int
    setting: Setting

    def card(self, hand: Shapes) -> Card:
        """The card, filled in by a hand."""
        template = get_template(self.template)
        table = template.table
        assert table is not None
        rows = [row.id for row in table.rows if f"{next(iter(self.columns))}.{row.id}" in template]
        numbers = [row for row in rows if template.cell(f"{next(iter(self.columns))}.{row}").kind == "number"]
        numerals = {
            f"{column}.{row}": _numeral(token)
            for column, tokens in self.columns.items()
            for row, token in zip(numbers, tokens.split(), strict=True)
            if token != "."
        }
        names = {f"{column}.name": name for column, name in self.names.items()}
        return Card(template, numerals, hand, self.pen, NEAT, names)


NEAT: Final = NumeralRanges(
    height=(0.58, 0.66),
    height_jitter=(0.03, 0.05),
    gap=(0.08, 0.14),
    slope=(-0.02, 0.02),
    slant=(-2.0, 8.0),
    slant_jitter=(1.0, 2.0),
    offset=(-0.03, 0.03),
    offset_jitter=(0.03, 0.05),
    bar_chance=0.0,
    flag_chance=0.0,
)
"""Numbers as somebody writes them who has time."""


def _numeral(token: str) -> Numeral:
    if token in ("-", "x"):
        return Numeral(None, "dash" if token == "-" else "crossed", 12)
    return Numeral(int(token))


CARD_SAMPLES: Final = (
    CardSample(
        name="kniffel-1",
        template="kniffel",
        about="three games, in pencil; game3.lower_total is written 40 too low, and so is the total",
        hand="patrick-hand",
        pen="pencil",
        # aces to sixes, sum, bonus, total; three and four of a kind, full house, straights, Kniffel, chance; totals.
        columns={
            "game1": "3 6 9 16 15 18 67 35 102 22 - 25 30 40 - 19 136 102 238",
            "game2": "2 8 6 12 10 24 62 0 62 17 24 - 30 - 50 23 144 62 206",
            "game3": "1 6 12 12 20 12 63 35 98 26 18 25 30 40 - 21 120 98 218",
        },
        names={"game1": "Anna", "game2": "Ben", "game3": "Opa"},
        seed=401,
        setting=Setting(size=(1200, 1600), ranges=replace(CALM, tables=("wood",), fill=(0.9, 0.94))),
    ),
)


def make_card(sample: CardSample, cache: Path) -> Simulated:
    """The photo of a filled-in score card; its font lies in `cache`."""
    specs = {spec.name: spec for spec in shipped_fonts()}
    return simulate_card(sample.card(_regular(specs[sample.hand], cache)), seed=sample.seed, setting=sample.setting)


def make_hexes(sample: HexSample, cache: Path) -> Simulated:
    """The photo of a filled-in hex sheet; its font lies in `cache`."""
    specs = {spec.name: spec for spec in shipped_fonts()}
    return simulate(
        get_template(sample.template),
        sample.contents(),
        hand=_regular(specs[sample.hand], cache),
        typeface=bold_print(),
        seed=sample.seed,
        setting=sample.setting,
    )


def make_pad(sample: PadSample, cache: Path) -> Simulated:
    """The photo of a filled-in pad; its font lies in `cache`."""
    specs = {spec.name: spec for spec in shipped_fonts()}
    return simulate(
        get_template(sample.template),
        sample.contents(),
        hand=_regular(specs[sample.hand], cache),
        seed=sample.seed,
        setting=sample.setting,
    )


def make(sample: Sample, cache: Path) -> Simulated:
    """The photo of a sample; its fonts lie in `cache` (`scanner.training.fonts.fetch`)."""
    specs = {spec.name: spec for spec in shipped_fonts()}
    puzzle = make_puzzle(sample.puzzle, givens=sample.givens)
    return simulate(
        get_template("sudoku"),
        {**puzzle.contents(), **sample.changes},
        hand=_regular(specs[sample.hand], cache),
        typeface=_regular(specs[sample.typeface], cache),
        seed=sample.seed,
        printed=puzzle.printed,
        notes=sample.notes,
        setting=sample.setting,
    )


def _regular(spec: FontSpec, cache: Path) -> Shapes:
    return font_hand(spec, cache, weights=[400])


def make_all(folder: Path, cache: Path) -> tuple[Path, ...]:
    """Writes every sample's photo, truth and fonts' licences into `folder`; returns the photos' paths."""
    names = {name for sample in SAMPLES for name in (sample.hand, sample.typeface)}
    names |= {sample.hand for sample in (*PAD_SAMPLES, *HEX_SAMPLES, *CARD_SAMPLES)}
    specs = [spec for spec in shipped_fonts() if spec.name in names]
    fetch(specs, cache)
    licences = folder / "licences"
    licences.mkdir(parents=True, exist_ok=True)
    for spec in specs:
        (licences / f"{spec.name}-OFL.txt").write_text(_licence(spec, cache), encoding="utf-8")
    paths = []
    photos = [(sample.name, make(sample, cache)) for sample in SAMPLES]
    photos += [(pad.name, make_pad(pad, cache)) for pad in PAD_SAMPLES]
    photos += [(sheet.name, make_hexes(sheet, cache)) for sheet in HEX_SAMPLES]
    photos += [(card.name, make_card(card, cache)) for card in CARD_SAMPLES]
    for name, made in photos:
        path = folder / f"{name}.jpg"
        path.write_bytes(made.file())
        path.with_suffix(".json").write_text(made.truth.json(), encoding="utf-8")
        paths.append(path)
    return tuple(paths)


def _licence(spec: FontSpec, cache: Path) -> str:
    """The licence text of a font's package."""
    with tarfile.open(cache / spec.archive) as archive:
        member = archive.extractfile("package/LICENSE") if "package/LICENSE" in archive.getnames() else None
        if member is None:
            raise UnreadableError("has no licence text", remedy="choose another font", subject=spec.archive)
        return member.read().decode("utf-8").replace("\r\n", "\n")
