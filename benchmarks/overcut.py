"""Whole numbers by over-cutting, measured against the number reader that is shipped, on generated cells.

    python benchmarks/overcut.py FOLDER [--cells 900]

FOLDER holds test-*.npz of `python -m scanner.training.numbers --split test`: writers whom nobody trained on.

Ink is cut wherever one digit may end, every run of neighbouring pieces is shown to the digit reader at once, and the
likeliest ways through the pieces give the likeliest numbers (segmentation by recognition, Casey and Lecolinet 1996).
The digit reader was never shown halves of digits, nor two at once, and says so too seldom; the number reader, which
reads a cell as a whole, does clearly better, and both together hardly better than it alone.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from scanner.cells import BODY_PX, INPUT_PX
from scanner.read.classes import NOTHING
from scanner.read.number_reader import default_number_reader, meaning, texts
from scanner.read.reader import DigitReader, default_reader
from scanner.training.numbers import NumberCells

Ink = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]

INKED = 90
"""Level of ink from which a pixel belongs to a stroke."""
SPECK = 0.012
"""Ink smaller than this share of the height of all, squared, is no piece."""
WIDE = 0.55
"""Ink wider than this share of the height may be two digits and is cut."""
MOST_CUTS = 3
THIN_CUT = 0.5
"""A cut goes through a column with at most this share of the usual ink of a column."""
TOGETHER = 4
"""Pieces that may be one digit together."""
WIDEST = 1.35
"""Width of a digit against the height of all, at most."""
FLAT, LOW = 1.7, 0.35
"""A piece this much wider than high, and lower than this share of the height of all, is a minus or a dash."""
MINUS = 0.85
AROUND = 14.5
"""Height, px, that a number's ink has in the picture of a digit in its surroundings: six tenths of a cell."""
CUT_COST = 0.6
"""What a cut through a stroke costs, as a natural logarithm."""
BEST = 10
LEAST = 1e-4


@dataclass(frozen=True, slots=True)
class _Piece:
    """ink: uint8 of the whole picture's shape, this piece alone. box: left, top, right, bottom. cut: whether the piece
    was cut off the one before it."""

    ink: Ink
    box: tuple[int, int, int, int]
    cut: bool


@dataclass(frozen=True, slots=True)
class _Segment:
    """Pieces first to last (inclusive) of a cell, shown to the digit reader; row: of its pictures."""

    cell: int
    first: int
    last: int
    row: int


def read_by_cutting(ink: npt.NDArray[np.uint8], reader: DigitReader) -> list[dict[str, float]]:
    """The likeliest texts of cells and their probabilities. ink: uint8 [n, h, w], each cell's own ink."""
    cells = [_pieces(one) for one in ink]
    segments: list[_Segment] = []
    pictures: list[npt.NDArray[np.uint8]] = []
    for number, pieces in enumerate(cells):
        high = _height(pieces)
        for first in range(len(pieces)):
            for last in range(first, min(len(pieces), first + TOGETHER)):
                box = _around([piece.box for piece in pieces[first : last + 1]])
                if last > first and box[2] - box[0] > WIDEST * high:
                    break
                segments.append(_Segment(number, first, last, len(pictures)))
                pictures.append(_picture(pieces[first : last + 1], box, high))
    if not pictures:
        return [{"": 1.0} for _ in cells]
    probabilities, _ = reader.probabilities(np.stack(pictures))
    own: dict[int, list[_Segment]] = defaultdict(list)
    for segment in segments:
        own[segment.cell].append(segment)
    return [_texts(pieces, own[number], probabilities, reader.classes) for number, pieces in enumerate(cells)]


def _height(pieces: Sequence[_Piece]) -> float:
    return float(max((piece.box[3] - piece.box[1] for piece in pieces), default=1))


def _around(boxes: Sequence[tuple[int, int, int, int]]) -> tuple[int, int, int, int]:
    array = np.array(boxes)
    return int(array[:, 0].min()), int(array[:, 1].min()), int(array[:, 2].max()), int(array[:, 3].max())


def _pieces(ink: Ink) -> list[_Piece]:
    """The ink of one cell, upright, in pieces from left to right."""
    upright = _deslanted(ink)
    mask = (upright > INKED).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8, ltype=cv2.CV_32S)
    if count < 2:
        return []
    high = float(stats[1:, cv2.CC_STAT_HEIGHT].max())
    found: list[_Piece] = []
    for label in range(1, count):
        if stats[label, cv2.CC_STAT_AREA] < SPECK * high * high + 2:
            continue
        part = np.where(np.asarray(labels) == label, upright, 0).astype(np.uint8)
        # Half-inked edges belong to their stroke as well.
        near = cv2.dilate((part > 0).astype(np.uint8), np.ones((3, 3), np.uint8))
        part = np.where((near > 0) & ((np.asarray(labels) == label) | (mask == 0)), upright, 0).astype(np.uint8)
        found += _cut(part, high)
    return sorted(found, key=lambda piece: piece.box[0] + piece.box[2])


def _deslanted(ink: Ink) -> Ink:
    """The ink sheared so that upright strokes stand upright: the shear whose columns are most uneven."""
    high, wide = ink.shape
    best, most = ink, -1.0
    for shear in (-0.35, -0.2, 0.0, 0.2, 0.35, 0.5):
        matrix = np.array([[1, shear, -shear * high / 2], [0, 1, 0]], dtype=np.float64)
        moved = cv2.warpAffine(ink, matrix, (wide, high), flags=cv2.INTER_LINEAR)
        columns = moved.sum(axis=0, dtype=np.float64)
        uneven = float((columns**2).sum()) * (1.0 if shear else 1.03)
        if uneven > most:
            best, most = np.asarray(moved, dtype=np.uint8), uneven
    return best


def _cut(part: Ink, high: float) -> list[_Piece]:
    """One connected piece of ink, cut where it may be more than one digit."""
    left, top, wide, tall = cv2.boundingRect((part > INKED).astype(np.uint8))
    if wide < WIDE * high or tall < LOW * high:
        return [_Piece(part, (left, top, left + wide, top + tall), cut=False)]
    columns = (part > INKED).sum(axis=0)[left : left + wide].astype(np.float64)
    smooth = np.convolve(columns, [0.25, 0.5, 0.25], mode="same")
    limit = THIN_CUT * float(np.percentile(smooth, 75))
    least = max(3, round(0.12 * high))
    places = [
        k for k in range(least, wide - least) if smooth[k] <= limit and smooth[k] == smooth[max(0, k - 3) : k + 4].min()
    ]
    chosen: list[int] = []
    for place in sorted(places, key=lambda k: float(smooth[k])):
        if len(chosen) < MOST_CUTS and all(abs(place - other) >= least for other in chosen):
            chosen.append(place)
    ends = [0, *sorted(chosen), wide]
    pieces = []
    for number, (start, end) in enumerate(itertools.pairwise(ends)):
        own = np.zeros_like(part)
        a = left + start if number else 0
        b = left + end if end < wide else part.shape[1]
        own[:, a:b] = part[:, a:b]
        x, y, w, h = cv2.boundingRect((own > INKED).astype(np.uint8))
        if w:
            pieces.append(_Piece(own, (x, y, x + w, y + h), cut=number > 0))
    return pieces


def _picture(pieces: Sequence[_Piece], box: tuple[int, int, int, int], high: float) -> npt.NDArray[np.uint8]:
    """The digit reader's picture [2, 32, 32] of some pieces."""
    ink = np.max(np.stack([piece.ink for piece in pieces]), axis=0)
    left, top = max(0, box[0] - 1), max(0, box[1] - 1)
    crop = ink[top : box[3] + 1, left : box[2] + 1]
    picture = np.zeros((2, INPUT_PX, INPUT_PX), dtype=np.uint8)
    for channel, scale in enumerate((AROUND / high, min(BODY_PX / max(crop.shape), 1.6))):
        size = tuple(max(1, min(INPUT_PX, round(side * scale))) for side in crop.shape[::-1])
        drawn = cv2.resize(crop, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
        y, x = (INPUT_PX - size[1]) // 2, (INPUT_PX - size[0]) // 2
        picture[channel, y : y + size[1], x : x + size[0]] = drawn
    return picture


def _texts(
    pieces: Sequence[_Piece], segments: Sequence[_Segment], probabilities: Floats, classes: Sequence[str]
) -> dict[str, float]:
    """The likeliest texts of one cell: the best ways through its pieces."""
    if not pieces:
        return {"": 1.0}
    high = _height(pieces)
    digits = [k for k, name in enumerate(classes) if name.isdigit()]
    nothing = [k for k, name in enumerate(classes) if name in ("struck", "scribble")]
    ways: list[dict[str, float]] = [{} for _ in range(len(pieces) + 1)]
    ways[0] = {"": 0.0}
    for first in range(len(pieces)):
        best = sorted(ways[first].items(), key=lambda item: -item[1])[:BEST]
        for segment in (one for one in segments if one.first == first):
            row = probabilities[segment.row]
            part = pieces[first : segment.last + 1]
            cost = CUT_COST * pieces[first].cut
            symbols = [(classes[k], float(row[k])) for k in digits if row[k] > LEAST]
            box = _around([piece.box for piece in part])
            flat = box[2] - box[0] > FLAT * (box[3] - box[1]) and box[3] - box[1] < LOW * max(high, 12.0)
            if first == 0 and flat:
                symbols = [("-", MINUS), *((name, (1 - MINUS) * p) for name, p in symbols)]
            struck = float(row[nothing].sum())
            if len(part) == len(pieces) and struck > LEAST:
                symbols.append((NOTHING, struck))
            # A way's likelihood is that of all of its pieces, so that one with fewer segments has no advantage.
            weight = len(part) ** 0.5
            onward = ways[segment.last + 1]
            for text, score in best:
                for symbol, chance in symbols:
                    value = score + weight * math.log(chance) - cost
                    if value > onward.get(text + symbol, -math.inf):
                        onward[text + symbol] = value
    return _normalized(ways[-1])


def _normalized(scores: Mapping[str, float]) -> dict[str, float]:
    if not scores:
        return {NOTHING: 0.5}
    top = max(scores.values())
    weights = {text: math.exp(score - top) for text, score in scores.items() if score > top - 12}
    total = sum(weights.values())
    return {text: weight / total for text, weight in sorted(weights.items(), key=lambda item: -item[1])[:BEST]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cells", type=int, default=900)
    chosen = parser.parse_args()
    files = sorted(chosen.folder.glob("test-*.npz"))
    if not files:
        print(f"{chosen.folder}: holds no test-*.npz", file=sys.stderr)
        return 2
    cells = NumberCells.joined([NumberCells.load(file) for file in files])
    some = np.random.default_rng(0).permutation(len(cells.labels))[: chosen.cells]
    wanted = [meaning(str(label)) for label in cells.labels[some]]
    reader = default_number_reader()
    whole = [texts(row, reader.symbols) for row in reader.steps(cells.ink[some])]
    cut = read_by_cutting(cells.ink[some, 0], default_reader())
    for name, found in (("number reader", whole), ("over-cutting", cut)):
        best = [meaning(max(one.items(), key=lambda item: item[1])[0]) for one in found]
        right = np.mean([read == true for read, true in zip(best, wanted, strict=True)])
        print(f"{name}: {right:.2%} of {len(wanted)} cells right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
