"""Generated photos of hex sheets through the whole chain: found, the right way round, cells and marks right, seconds.

    python benchmarks/hexes.py [--photos N] [--first SEED] [--shared DIR] [--cache DIR] [--keep DIR] [--json]

The writers trained nothing: Swiss test writers from DIR/digits-swiss, or without --shared fonts of the test part,
fetched into the cache. Half of the sheets are finished games, half hold anything anywhere; both sides of the sheet, in
colour and in plain print, the whole sheet in the photo, otherwise at the simulation's default severity. --keep writes
the photos with a mistake, and their truth, into a folder. Seconds are those of the processor, from the file to the
readings (before the rules). Exits with 1 below the goals.

What is measured here is measured on generated pictures and says nothing about people's photos.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from scanner.bench.intervals import share_of
from scanner.bench.judge import overlap
from scanner.games.hexroller_layout import layout_of
from scanner.games.hexroller_play import play
from scanner.games.registry import get_game
from scanner.geometry import FloatArray
from scanner.intake import Photo, load
from scanner.locate import NotFound
from scanner.read.reader import default_reader
from scanner.resolve import readings_to_board
from scanner.scan import ReadSheet, decoded_finer, locate_sheets, place_in_picture, read_sheets
from scanner.simulate import HandSource, Ranges, Setting, Simulated, font_hand, pool_hand, simulate
from scanner.simulate.hexes import bold_print, random_hexes
from scanner.templates import Template, load_templates
from scanner.training.fonts import fetch, shipped_fonts
from scanner.training.glyphs import from_swiss
from scanner.training.split import SWISS_TEST

SIDES = ("hexroller-front", "hexroller-back")
SIZES = ((1600, 1200), (1200, 1600), (2000, 1500))
TURNED = 0.4
"""Share of the photos in which the sheet lies by any quarter turn."""
GOALS = {"right way round": 0.99, "handwritten": 0.985, "marks": 0.99}
NEAR = 0.02
"""How far, as a share of the mean side, a corner may be from the true one for a sheet to be the right way round."""


@dataclass
class Count:
    """hits: whether each item is right; photos: which photo it is in."""

    hits: list[bool] = field(default_factory=list)
    photos: list[int] = field(default_factory=list)

    def add(self, hit: bool, photo: int) -> None:
        """One more item."""
        self.hits.append(hit)
        self.photos.append(photo)

    def share(self) -> float:
        """Right ones, 0 to 1; 1 without any."""
        return sum(self.hits) / len(self.hits) if self.hits else 1.0

    def __str__(self) -> str:
        if not self.hits:
            return "none"
        numbers = {photo: number for number, photo in enumerate(dict.fromkeys(self.photos))}
        found = share_of(self.hits, [numbers[photo] for photo in self.photos])
        interval = f" ({100 * found.interval[0]:.1f} to {100 * found.interval[1]:.1f})" if found.interval else ""
        return f"{100 * self.share():.2f} %{interval} of {len(self.hits)}"


@dataclass
class Tally:
    """Counts over all photos. digits: handwritten ones; blanks: empty hexes and record boxes; boxes: all record boxes.

    silent: wrong values whose truth has a probability below 0.001, so that nobody is asked. covered: cells that were
    taken for covered by a finger; nothing is read there.
    """

    found: Count = field(default_factory=Count)
    upright: Count = field(default_factory=Count)
    digits: Count = field(default_factory=Count)
    blanks: Count = field(default_factory=Count)
    boxes: Count = field(default_factory=Count)
    marks: Count = field(default_factory=Count)
    silent: int = 0
    covered: int = 0
    seconds: list[float] = field(default_factory=list)
    mistakes: list[str] = field(default_factory=list)


def hands(shared: Path | None, cache: Path) -> Sequence[HandSource]:
    """Hands that trained nothing."""
    if shared is not None:
        pool = from_swiss(shared / "digits-swiss")
        return [pool_hand(pool, writer) for writer in sorted(SWISS_TEST)]
    specs = [spec for spec in shipped_fonts() if spec.kind != "print" and spec.split == "test"]
    fetch(specs, cache)
    return [font_hand(spec, cache) for spec in specs]


def make(template: Template, seed: int, writers: Sequence[HandSource]) -> Simulated:
    """A photo of a finished sheet, or of one that holds anything anywhere."""
    rng = np.random.default_rng([5, seed])
    turns = int(rng.integers(4)) if rng.random() < TURNED else 0
    setting = Setting(SIZES[int(rng.integers(len(SIZES)))], turns, Ranges(whole_chance=1.0))
    layout = layout_of(template)
    played = play(layout, random.Random(seed)).contents(layout)
    contents = dict(random_hexes(template, rng))
    if seed % 4 < 2:
        contents |= {cell: value for cell, value in played.items() if template.cell(cell).printed is None}
    hand = writers[int(rng.integers(len(writers)))]
    return simulate(template, contents, hand=hand, seed=[5, seed], typeface=bold_print(), setting=setting)


def judge(seed: int, made: Simulated, templates: Sequence[Template], tally: Tally) -> bool:
    """Scans a photo and counts; true if all of it is right."""
    name, data = f"hexes-{seed}", made.file()
    start = time.process_time()
    photo = next(iter(load(data, name=name)))
    photo, found = locate_sheets(photo, templates, again=partial(decoded_finer, data, name, photo))
    read = found if isinstance(found, NotFound) else read_sheets(photo, found, default_reader())
    tally.seconds.append(time.process_time() - start)
    true = made.truth.corners
    side = float(np.linalg.norm(true - np.roll(true, 1, axis=0), axis=1).mean())
    sheets = () if isinstance(read, NotFound) else read
    mine = [sheet for sheet in sheets if is_about(photo, sheet, made)]
    tally.found.add(bool(mine), seed)
    if not mine:
        tally.mistakes.append(f"{name}: {read.reason if isinstance(read, NotFound) else 'another sheet was found'}")
        tally.upright.add(False, seed)
        return False
    off = float(np.linalg.norm(corners_of(photo, mine[0]) - true, axis=1).max()) / side
    tally.upright.add(off <= NEAR, seed)
    if off > NEAR:
        tally.mistakes.append(f"{name}: turned or misplaced, a corner is off by {off:.3f} of the side")
        return False
    before = len(tally.mistakes)
    template = mine[0].placement.template
    board = readings_to_board(mine[0].readings, template, get_game(template.game))
    for cell in template.cells:
        if cell.kind == "number" or cell.printed is not None:
            continue
        reading, value = board.cells[cell.id], made.truth.cells[cell.id]
        if reading.state == "unreadable":  # under a finger, and asked about
            tally.covered += 1
            continue
        right = reading.value == value
        count = tally.marks if cell.kind == "mark" else tally.blanks if value is None else tally.digits
        count.add(right, seed)
        if cell.kind == "digit" and cell.place is None:
            tally.boxes.add(right, seed)
        if not right:
            of_truth = reading.alternatives.get(str(value or "blank"), 0.0)
            tally.silent += of_truth < 0.001
            seen = reading.value if reading.value is not None else reading.state
            sure = f"{reading.confidence:.3f}, of the truth {of_truth:.3f}"
            tally.mistakes.append(f"{name} {cell.id}: {value} read as {seen} ({sure})")
    return len(tally.mistakes) == before


def corners_of(photo: Photo, sheet: ReadSheet) -> FloatArray:
    """Its corners in the photo as a viewer shows it, px [4, 2]."""
    place = place_in_picture(photo, sheet.placement)
    return np.array([[corner.x, corner.y] for corner in place.corners], dtype=np.float64)


def is_about(photo: Photo, sheet: ReadSheet, made: Simulated) -> bool:
    """Does it lie where the true one does, and is it of its kind?"""
    same = sheet.placement.template.id == made.truth.template
    return same and overlap(corners_of(photo, sheet), made.truth.corners) > 0.5


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=int, default=60)
    parser.add_argument("--first", type=int, default=0, help="seed of the first photo")
    parser.add_argument("--shared", type=Path, help="folder that holds digits-swiss/")
    parser.add_argument("--cache", type=Path, default=Path("training-cache/fonts"), help="folder for the font packages")
    parser.add_argument("--keep", type=Path, help="folder for the photos with a mistake")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    chosen = parser.parse_args(argv)
    templates = load_templates()
    writers = hands(chosen.shared, chosen.cache)
    tally = Tally()
    for seed in range(chosen.first, chosen.first + chosen.photos):
        made = make(templates[SIDES[seed % 2]], seed, writers)
        if not judge(seed, made, tuple(templates.values()), tally) and chosen.keep is not None:
            chosen.keep.mkdir(parents=True, exist_ok=True)
            (chosen.keep / f"hexes-{seed}.jpg").write_bytes(made.file())
            (chosen.keep / f"hexes-{seed}.json").write_text(made.truth.json(), encoding="utf-8")
    counts = {
        "found": tally.found,
        "right way round": tally.upright,
        "handwritten": tally.digits,
        "blank": tally.blanks,
        "record boxes": tally.boxes,
        "marks": tally.marks,
    }
    median, slow = (float(value) for value in np.percentile(tally.seconds, (50, 95)))
    if chosen.json:
        shares = {name: {"share": round(count.share(), 5), "n": len(count.hits)} for name, count in counts.items()}
        print(
            json.dumps(
                {
                    **shares,
                    "silent": tally.silent,
                    "covered": tally.covered,
                    "seconds": [median, slow],
                    "mistakes": tally.mistakes,
                }
            )
        )
    else:
        print("\n".join([*tally.mistakes, *(f"{name:16} {count}" for name, count in counts.items())]))
        print(f"wrong while sure {tally.silent} cells; taken for covered {tally.covered}")
        print(f"seconds          {median:.3f} median, {slow:.3f} 95th percentile")
    return int(any(counts[name].share() < goal for name, goal in GOALS.items()))


if __name__ == "__main__":
    sys.exit(main())
