"""Generated cells with whole numbers, cut by the very code that cuts photos, to train and test the number reader.

A pad is drawn at random and filled in by one hand; what a phone makes of it follows without its camera: light, the
photo's resolution, blur, noise, JPEG, and the small errors of finding its lines. Run it by

    python -m scanner.training.numbers --glyphs FILE.npz --out FOLDER --split train --sheets 400 --seed 1
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from scanner.cells_table import CELL_PX, NumberBatch, Rects, cut_numbers
from scanner.simulate.canvas import Canvas, blurred, smooth_noise
from scanner.simulate.hands import HandSource, Shapes, pool_hand
from scanner.simulate.printing import blank_paper, choose_press, print_sheet
from scanner.simulate.ranges import Ranges, Span, between
from scanner.simulate.scorecards import Card, Chances, fill_in, random_numeral, random_pad
from scanner.templates import Template
from scanner.training.bent import BentHand
from scanner.training.fonts import Split
from scanner.training.glyphs import FONT_WRITER, MNIST_WRITER, GlyphPool
from scanner.training.split import SWISS_TEST, SWISS_VAL

NOTHING = "/"
"""Label of a cell with ink that is no number: a dash, a slash, a number crossed out."""

SWISS_SHARE, MNIST_SHARE = 2.2, 1.8
"""How much oftener than all fonts together the Swiss writers and MNIST's hands write a sheet."""
RIM = 0.5
"""Of a cell's height, around the rectified table."""


@dataclass(frozen=True, slots=True)
class NumberSheetRanges:
    """What a generated sheet is drawn from, beside `Ranges`, `NumeralRanges` and `Chances`."""

    resolution: Span = (20.0, 72.0)  # px of the photo to a cell's height
    light: Span = (0.55, 1.02)
    gradient: Span = (0.0, 0.35)
    shadow_chance: float = 0.35
    shadow: Span = (0.1, 0.45)
    blur: Span = (0.010, 0.038)  # of a cell's height, standard deviation
    noise: Span = (0.003, 0.025)
    jpeg: Span = (60.0, 94.0)
    misplaced: Span = (0.0, 0.06)  # of a cell's height: how far lines lie from where they were found
    bent_chance: float = 0.65  # a hand that never was, see `scanner.training.bent`
    chances: Chances = field(
        default_factory=lambda: Chances(blank=0.05, nothing=0.10, corrected=0.05, overwritten=0.03, slid=0.05)
    )


@dataclass(frozen=True, eq=False)
class NumberCells:
    """ink: uint8 [n, 2, 40, 112] as in `NumberBatch`. labels: str [n], the number, "" for blank, "/" for nothing."""

    ink: npt.NDArray[np.uint8]
    labels: npt.NDArray[np.str_]

    def save(self, path: Path) -> None:
        """Write an .npz."""
        np.savez_compressed(path, ink=self.ink, labels=self.labels)

    @classmethod
    def load(cls, path: Path) -> NumberCells:
        """Read what `save` wrote."""
        with np.load(path, allow_pickle=False) as data:
            return cls(data["ink"], data["labels"])

    @classmethod
    def joined(cls, parts: Sequence[NumberCells]) -> NumberCells:
        """One after the other."""
        return cls(np.concatenate([part.ink for part in parts]), np.concatenate([part.labels for part in parts]))


def hands_of(pool: GlyphPool, split: Split) -> list[Shapes]:
    """The hands of one part: Swiss writers by `scanner.training.split`, fonts by their list, MNIST mixed as one."""
    parts: dict[Split, list[int]] = {
        "train": [w for w in range(1, 22) if w not in SWISS_TEST | SWISS_VAL],
        "val": sorted(SWISS_VAL),
        "test": sorted(SWISS_TEST),
    }
    here = set(np.unique(pool.writer[(pool.kind == "hand")]).tolist())
    swiss = [writer for writer in parts[split] if writer in here]
    fonts = sorted(
        {int(w) for w in np.unique(pool.writer[(pool.kind == "hand") & (pool.split == split)]) if w >= FONT_WRITER}
    )
    mnist = {"train": [MNIST_WRITER], "val": [], "test": [MNIST_WRITER + 1]}[split]
    # Real hands carry the training, fonts season it: they have one shape of each digit. MNIST's many hands, mixed up as
    # they are, show more shapes of a digit than all of the others.
    writers = swiss * max(1, round(SWISS_SHARE * len(fonts) / max(len(swiss), 1))) + fonts
    writers += mnist * max(1, round(MNIST_SHARE * len(fonts)))
    known = {writer: pool_hand(pool, writer) for writer in dict.fromkeys(writers) if writer in here}
    return [known[writer] for writer in writers if writer in known and known[writer].digits == frozenset(range(10))]


def number_sheet(rng: np.random.Generator, hands: Sequence[Shapes], ranges: NumberSheetRanges) -> NumberCells:
    """All cells of one generated sheet."""
    template = random_pad(rng)
    numerals = {cell.id: random_numeral(rng, ranges.chances, None) for cell in template.cells}
    hand: HandSource = hands[int(rng.integers(len(hands)))]
    if rng.random() < ranges.bent_chance:
        hand = BentHand(hand, rng)
    card = Card(template, numerals, hand)
    table = template.table
    assert table is not None
    cell_mm = float(np.median([row.bottom - row.top for row in table.rows if not row.labels]))
    resolution = between(rng, ranges.resolution)
    per_mm = max(1.25 * resolution, 30.0) / cell_mm
    print_ranges = Ranges()
    canvas = blank_paper(template, per_mm, rng, print_ranges)
    print_sheet(canvas, template, choose_press(template, rng, print_ranges), rng, print_ranges)
    fill_in(canvas, card, rng, rng)
    flat, rects = _as_found(canvas, template, resolution / cell_mm, CELL_PX / cell_mm, rng, ranges)
    ids = tuple(cell.id for cell in template.cells)
    batch = cut_numbers(flat, rects, len(ids), ids, np.ones(len(ids), dtype=np.bool_))
    labels = [_label(batch, k, card) for k in range(len(ids))]
    return NumberCells(batch.ink, np.array(labels))


def _label(batch: NumberBatch, k: int, card: Card) -> str:
    numeral = card.numerals[batch.ids[k]]
    if numeral.manner in ("dash", "slash", "crossed"):
        return NOTHING
    return "" if numeral.value is None else str(numeral.value)


def _as_found(
    canvas: Canvas,
    template: Template,
    photo_per_mm: float,
    per_mm: float,
    rng: np.random.Generator,
    ranges: NumberSheetRanges,
) -> tuple[npt.NDArray[np.uint8], Rects]:
    """The sheet as a phone sees it, rectified (uint8 [h, w]), and all of its cells, the template's first, px."""
    grey = np.asarray(cv2.cvtColor(canvas.rgb, cv2.COLOR_RGB2GRAY), dtype=np.float32)
    high, wide = grey.shape
    x, y = np.linspace(-0.5, 0.5, wide)[None, :], np.linspace(-0.5, 0.5, high)[:, None]
    direction = rng.uniform(0, 2 * np.pi)
    fall = between(rng, ranges.gradient)
    light = between(rng, ranges.light) * (1 - fall * (0.5 + x * np.cos(direction) + y * np.sin(direction)))
    if rng.random() < ranges.shadow_chance:
        mask = np.zeros((high, wide), dtype=np.float32)
        corners = rng.uniform(-0.3, 1.3, (int(rng.integers(3, 6)), 2)) * np.array([wide, high])
        cv2.fillPoly(mask, [cv2.convexHull(corners.astype(np.int32))], (1.0,))
        soft = blurred(mask, float(rng.uniform(0.005, 0.08)) * max(high, wide))
        light = light * (1 - between(rng, ranges.shadow) * soft)
    picture = np.asarray(grey * light, dtype=np.float32)
    scale = photo_per_mm / canvas.per_mm
    small = cv2.resize(
        picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    )
    table = template.table
    assert table is not None
    cell_mm = CELL_PX / per_mm
    small = np.asarray(
        cv2.GaussianBlur(small, (0, 0), max(0.3, between(rng, ranges.blur) * cell_mm * photo_per_mm)), dtype=np.float32
    )
    noise = rng.normal(0, between(rng, ranges.noise), small.shape).astype(np.float32)
    small = np.asarray(small + cv2.GaussianBlur(noise, (0, 0), 0.6) * np.float32(1.8), dtype=np.float32)
    quality = [cv2.IMWRITE_JPEG_QUALITY, int(between(rng, ranges.jpeg))]
    coded = cv2.imencode(".jpg", np.clip(small * 255, 0, 255).astype(np.uint8), quality)[1]
    back = cv2.imdecode(coded, cv2.IMREAD_GRAYSCALE)
    assert back is not None
    left, top = table.columns[0].left - RIM * cell_mm, table.rows[0].top - RIM * cell_mm
    right, bottom = table.columns[-1].right + RIM * cell_mm, table.rows[-1].bottom + RIM * cell_mm
    size = (round((right - left) * per_mm), round((bottom - top) * per_mm))
    away = between(rng, ranges.misplaced) * cell_mm
    xs = left + (np.arange(size[0]) + 0.5) / per_mm
    ys = top + (np.arange(size[1]) + 0.5) / per_mm
    grid_x, grid_y = np.meshgrid(xs, ys)
    grid_x = grid_x + away * smooth_noise(rng, size[1], size[0], 4)
    grid_y = grid_y + away * smooth_noise(rng, size[1], size[0], 4)
    map_x = ((grid_x + canvas.left) * photo_per_mm - 0.5).astype(np.float32)
    map_y = ((grid_y + canvas.top) * photo_per_mm - 0.5).astype(np.float32)
    flat = cv2.remap(back, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    rects = table_rects(template)
    offset = np.array([left, top, left, top])
    return np.asarray(flat, dtype=np.uint8), (rects - offset) * per_mm - 0.5


def table_rects(template: Template) -> Rects:
    """Rectangles in mm [n, 4]: the template's own cells, then the label cells."""
    table = template.table
    assert table is not None
    own = [(cell.polygon[0].x, cell.polygon[0].y, cell.polygon[2].x, cell.polygon[2].y) for cell in template.cells]
    labels = [
        (column.left, row.top, column.right, row.bottom)
        for column in table.columns
        for row in table.rows
        if column.labels or row.labels
    ]
    return np.array(own + labels, dtype=np.float64)


def main(argv: Sequence[str] | None = None) -> int:
    """The command; progress goes to stderr."""
    parser = argparse.ArgumentParser("python -m scanner.training.numbers", description="Generate cells with numbers.")
    parser.add_argument("--glyphs", type=Path, required=True, help="what scanner.training.glyphs wrote")
    parser.add_argument("--out", type=Path, required=True, help="folder for the .npz files")
    parser.add_argument("--split", choices=("train", "val", "test"), default="train")
    parser.add_argument("--sheets", type=int, default=200)
    parser.add_argument("--part", type=int, default=25, help="sheets to a file")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    cv2.setNumThreads(1)
    hands = hands_of(GlyphPool.load(options.glyphs), options.split)
    options.out.mkdir(parents=True, exist_ok=True)
    ranges = NumberSheetRanges()
    start = time.monotonic()
    for part in range(0, options.sheets, options.part):
        name = f"{options.split}-{options.seed}-{part // options.part}.npz"
        sheets = [
            number_sheet(np.random.default_rng((options.seed, part + k)), hands, ranges) for k in range(options.part)
        ]
        cells = NumberCells.joined(sheets)
        cells.save(options.out / name)
        print(f"{name}: {len(cells.labels)} cells, {time.monotonic() - start:.0f} s", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
