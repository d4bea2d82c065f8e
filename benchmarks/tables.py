"""Generated score cards through the whole chain, written by people whom nobody trained on: found, and read right.

    python benchmarks/tables.py SHARED_DIR [--cards 24] [--writers test] [--cache DIR] [--keep DIR] [--known]

SHARED_DIR holds digits-swiss/, whose test writers fill in the cards; without it fonts of the test part do, fetched into
the cache. --writers: val or train for developing, since whoever looks at the test writers' cards and then changes
something has no figure left to quote; figures are of the test writers only. Every third card is of `score-table`, which
is told neither its rows nor its columns. --keep: a folder for the photos with mistakes. --known: each photo is tried
with its own template only, as with `padscore scan --template`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

import numpy as np

from scanner.board import ReadBoard
from scanner.games.tables_columns import Arithmetic, columns_of
from scanner.read.reader import default_reader
from scanner.results import CellReading
from scanner.scan import scan
from scanner.sheet import Sheet
from scanner.simulate import HandSource, Setting, font_hand, pool_hand
from scanner.simulate.scorecards import Card, Chances, random_game, random_names, simulate_card, truth_of
from scanner.templates import Template, get_template, load_templates
from scanner.templates.resize import resized
from scanner.training.fonts import Split, fetch, shipped_fonts
from scanner.training.glyphs import from_swiss
from scanner.training.split import swiss_split

KINDS = ("kniffel", "loopit-pad", "score-table")
TURNS = (0, 0, 0, 0, 1, 2, 3)
LONG, SHORT = 1632, 1224
"""A photo of two megapixels."""
CHANCES = Chances(blank=0.02, nothing=0.05)
ASKED = 0.03
"""Share of the numbers that may be asked about."""
SURE = 0.98
"""Confidence from which a wrong number is a silent error."""


@dataclass
class Tally:
    """Counts over all cards. numbers: (confidence, right) of each cell that holds a number or was read as one.

    asked: cells that are asked about at first. wrong_sums: those that somebody added up wrongly; told: those of them
    that are flagged. accused: right sums that are flagged as surely wrong. silent_columns: sure ones whose total is
    wrong.
    """

    cards: int = 0
    found: int = 0
    wrong_template: int = 0
    numbers: list[tuple[float, bool]] = field(default_factory=list)
    blanks: int = 0
    blank_wrong: int = 0
    asked: int = 0
    wrong_sums: int = 0
    told: int = 0
    told_surely: int = 0
    accused: int = 0
    columns: int = 0
    sure_columns: int = 0
    silent_columns: int = 0
    seconds: list[float] = field(default_factory=list)
    manners: Counter[str] = field(default_factory=Counter)
    wrong_by_manner: Counter[str] = field(default_factory=Counter)

    def text(self) -> str:
        """All figures in a few lines."""
        lines = [f"{self.cards} cards, {self.found} found, {self.wrong_template} as another template"]
        if self.numbers:
            order = sorted(self.numbers)
            asked = int(ASKED * len(order))
            right = np.mean([ok for _, ok in order])
            after = (sum(ok for _, ok in order[asked:]) + asked) / len(order)
            silent = sum(not ok and sure >= SURE for sure, ok in order)
            lines.append(
                f"{len(order)} numbers: {right:.2%} right, {after:.2%} once the least sure {ASKED:.0%} are answered, "
                f"{silent} wrong at {SURE:.0%} confidence or more"
            )
        lines.append(f"{self.blanks} cells without a number, {self.blank_wrong} of them taken for one")
        if self.numbers:
            lines.append(
                f"{self.asked / len(self.numbers):.1%} asked about; {self.told} of {self.wrong_sums} wrong sums found, "
                f"{self.told_surely} of them surely; {self.accused} right ones accused while sure"
            )
            lines.append(
                f"{self.columns} columns, {self.sure_columns} of them sure, "
                f"{self.silent_columns} with a wrong total while sure"
            )
        lines.append(f"median {np.median(self.seconds):.2f} s, slowest {max(self.seconds):.2f} s")
        shares = (f"{name} {self.wrong_by_manner[name]}/{count}" for name, count in sorted(self.manners.items()))
        lines.append("wrong by manner: " + ", ".join(shares))
        return "\n".join(lines)


def hands(shared: Path, cache: Path, part: Split = "test") -> Sequence[HandSource]:
    """The hands of one part; those of the test part trained nothing, and nobody looked at what they wrote."""
    swiss = shared / "digits-swiss"
    if swiss.is_dir():
        pool = from_swiss(swiss)
        writers = sorted(writer for writer in {int(one) for one in pool.writer} if swiss_split(writer) == part)
        return [pool_hand(pool, writer) for writer in writers]
    specs = [spec for spec in shipped_fonts() if spec.kind != "print" and spec.split == part]
    fetch(specs, cache)
    return [font_hand(spec, cache) for spec in specs]


def card_of(number: int, writers: Sequence[HandSource]) -> tuple[Card, Setting]:
    """A card and how it is photographed, always the same for a number."""
    rng = np.random.default_rng((61, number))
    kind = KINDS[number % len(KINDS)]
    template = get_template(kind)
    if kind == "score-table":
        template = resized(template, columns=int(rng.integers(2, 7)), rows=int(rng.integers(5, 14)))
    numerals = random_game(template, rng, CHANCES)
    turns = TURNS[int(rng.integers(len(TURNS)))]
    upright = (turns % 2 == 0) == (template.size[1] > template.size[0])
    size = (SHORT, LONG) if upright else (LONG, SHORT)
    card = Card(template, numerals, writers[int(rng.integers(len(writers)))], names=random_names(template, rng))
    return card, Setting(size=size, quarter_turns=turns)


def judge(card: Card, cells: dict[str, CellReading], tally: Tally) -> list[str]:
    """Counts one card's cells; gives what is wrong, a word each."""
    wrong = []
    for cell in card.template.cells:
        if cell.kind != "number":
            continue
        numeral = card.numerals.get(cell.id)
        truth = truth_of(numeral) if numeral is not None else None
        reading = cells.get(cell.id)
        value = reading.value if reading is not None else None
        if not isinstance(truth, int):
            tally.blanks += 1
            tally.blank_wrong += value is not None
        else:
            assert numeral is not None
            right = value == truth
            tally.numbers.append((reading.confidence if reading is not None else 0.0, right))
            tally.manners[numeral.manner] += 1
            tally.wrong_by_manner[numeral.manner] += not right
            if not right:
                shown = "?" if reading is None else reading.value if reading.value is not None else reading.state
                sure = 0.0 if reading is None else reading.confidence
                wrong.append(f"{cell.id} {truth}->{shown} ({sure:.2f}, {numeral.manner})")
    return wrong


def judge_sums(card: Card, sheet: Sheet, tally: Tally) -> None:
    """Counts what is said of the sums on one card."""
    cells = {cell.id: truth_of(card.numerals[cell.id]) for cell in card.template.cells if cell.id in card.numerals}
    truth = {
        cell: CellReading(cell, value, "read")
        if isinstance(value := cells.get(cell), int)
        else CellReading(cell, None, "struck" if value == "struck" else "blank")
        for cell in sheet.template.ids
    }
    columns = [Arithmetic(one) for one in columns_of(ReadBoard(sheet.template.id, truth), sheet.template)]
    wrong = {one.column.cell(row) for one in columns for row in one.wrong}
    totals = {one.column.id: one.total for one in columns}
    verdict = sheet.verdict
    flagged = {flag.cells[0]: flag.sure for flag in verdict.flags if flag.code == "table.sum"}
    tally.asked += len(verdict.ask)
    tally.wrong_sums += len(wrong)
    tally.told += len(wrong & flagged.keys())
    tally.told_surely += sum(flagged.get(cell, False) for cell in wrong)
    tally.accused += sum(sure for cell, sure in flagged.items() if cell not in wrong)
    tally.columns += len(verdict.columns)
    tally.sure_columns += sum(column.sure for column in verdict.columns.values())
    tally.silent_columns += sum(one.sure and one.total != totals[name] for name, one in verdict.columns.items())


def templates_for(own: Template, known: bool) -> list[Template]:
    """What the scan is told; a table of any size is only looked for where it is asked for."""
    every = load_templates()
    is_open = own.table is not None and own.table.is_open
    return [every[own.id]] if known or is_open else list(every.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--cards", type=int, default=24)
    parser.add_argument("--first", type=int, default=0, help="number of the first card")
    parser.add_argument("--writers", choices=get_args(Split), default="test", help="part of the writers")
    parser.add_argument("--cache", type=Path, default=Path("training-cache/fonts"), help="folder for the font packages")
    parser.add_argument("--keep", type=Path, help="folder for the photos with mistakes")
    parser.add_argument("--known", action="store_true")
    chosen = parser.parse_args()
    writers = hands(chosen.shared, chosen.cache, chosen.writers)
    reader = default_reader()
    tally = Tally()
    for number in range(chosen.first, chosen.first + chosen.cards):
        card, setting = card_of(number, writers)
        shot = simulate_card(card, seed=(62, number), setting=setting)
        name = f"{number:03d}-{card.template.id}.jpg"
        tally.cards += 1
        start = time.perf_counter()
        result = scan(shot.file(), templates=templates_for(card.template, chosen.known), name=name, reader=reader)
        tally.seconds.append(time.perf_counter() - start)
        said = [problem.message for problem in result.problems]
        if result.sheets:
            sheet = result.sheets[0]
            tally.found += 1
            tally.wrong_template += sheet.template.id != card.template.id
            said = judge(card, dict(sheet.board.cells), tally)
            judge_sums(card, sheet, tally)
        if said:
            print(f"{name}: {len(said)} wrong: {'; '.join(said[:12])}", file=sys.stderr)
            if chosen.keep is not None:
                chosen.keep.mkdir(parents=True, exist_ok=True)
                (chosen.keep / name).write_bytes(shot.file())
                (chosen.keep / name).with_suffix(".json").write_text(shot.truth.json(), encoding="utf-8")
    print(tally.text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
