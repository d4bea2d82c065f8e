"""Whose a stroke is: connected ink goes to one cell altogether, or is torn where digits touch across a border."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from scanner.table_lines import CORE
from scanner.table_paper import CELL_PX, FLOOR, FloatImage, Rects, inside, whole_px

CELL_SHARE = 0.38
"""Ink starts at this share of the cell's darkest ink: the blur around strokes is left out."""
WHOLE = 0.62
"""Connected ink of which a cell has at least this share belongs to that cell altogether."""
STRAY = 0.12
"""Ink with this share in a second cell lies across a border: it is looked at where the next ink stands."""
SPECK = 0.003
"""Connected ink smaller than this share of a cell's height squared is no stroke."""
GLYPH = 1.05
"""Connected ink no larger than this share of a cell's height is one digit and not torn apart at a border."""
BAR_HIGH, BAR_WIDE, BAR_TOUCHES, BAR_REACH, BAR_LEVEL = 0.4, 0.3, 0.07, 0.5, 0.3
"""Of a cell's height: least height and greatest width of a bare 1, how near the line it touches it, how far behind it
the next digit may begin, and how much higher or lower that may stand."""
MOST_DIGITS, DIGIT_HIGH, DIGIT_WIDE = 3, 0.55, 0.85
"""Digits of a number at most; least height of one against another one's, and how wide it is at most against its height:
what is wider is two of them that touch."""
CORE_INK = 0.02
"""Least ink within that, as a share of a cell's height squared, of a digit that is the cell's own."""
SURE_INK = (0.06, 0.05)
"""Ink of touching digits farther in than this, like CORE, is the cell's own; the rest goes to the nearest cell."""
STACKED = 0.95
"""Connected ink no higher than this share of a cell's height is no digits that stand on one another."""


def ink_mask(clear: FloatImage, rects: Rects) -> npt.NDArray[np.uint8]:
    """Where there is ink: 1 or 0. Each cell's darkest ink sets its threshold, so that pencil counts beside print."""
    pieces = whole_px(rects, clear.shape)
    peaks, typical = np.zeros(len(pieces)), np.zeros(len(pieces))
    for k, (left, top, right, bottom) in enumerate(pieces):
        piece = clear[top:bottom:2, left:right:2].ravel()
        if piece.size > 8:
            ranked = np.partition(piece, (int(0.75 * piece.size), int(0.985 * piece.size)))
            typical[k], peaks[k] = ranked[int(0.75 * piece.size)], ranked[int(0.985 * piece.size)]
    floor = max(FLOOR, 1.5 * float(np.median(typical)) if len(pieces) else 0.0)
    limits = np.maximum(CELL_SHARE * peaks, floor)
    inked = limits[peaks > 2 * floor]
    threshold = np.full(clear.shape, float(np.median(inked)) if inked.size else floor, dtype=np.float32)
    for (left, top, right, bottom), limit in zip(pieces, limits, strict=True):
        threshold[top:bottom, left:right] = limit
    return (clear > threshold).astype(np.uint8)


def owners(mask: npt.NDArray[np.uint8], rects: Rects) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.bool_]]:
    """Which cell each pixel's ink belongs to, -1 for none, int32 of the mask's shape; and where a bar was moved to the
    cell behind it (see `_leading_bars`)."""
    n = len(rects)
    place = np.full(mask.shape, n, dtype=np.int32)
    heights = rects[:, 3] - rects[:, 1]
    for k, (left, top, right, bottom) in enumerate(whole_px(rects, mask.shape)):
        place[top:bottom, left:right] = k
    count, labels, found, centres = cv2.connectedComponentsWithStats(mask, connectivity=8, ltype=cv2.CV_32S)
    stats, middles = np.asarray(found, dtype=np.int32), np.asarray(centres, dtype=np.float64)
    inked = mask > 0
    label, cell = np.asarray(labels[inked], dtype=np.int64), place[inked]
    pixels = np.bincount(label * (n + 1) + cell, minlength=count * (n + 1)).reshape(count, n + 1)
    best = pixels[:, :n].argmax(axis=1) if n else np.zeros(count, dtype=np.int64)
    most = pixels[np.arange(count), best]
    owned = np.maximum(pixels[:, :n].sum(axis=1), 1)
    typical = float(np.median(heights)) if n else CELL_PX
    area = stats[:, cv2.CC_STAT_AREA]
    large = np.maximum(stats[:, cv2.CC_STAT_HEIGHT], stats[:, cv2.CC_STAT_WIDTH]) > GLYPH * typical
    whole = (most > WHOLE * owned) | ~large
    stroke = area >= SPECK * typical**2
    torn = _torn(np.asarray(labels, dtype=np.int32), stats, rects, typical)
    others = np.sort(pixels[:, :n], axis=1)[:, -2] if n > 1 else np.zeros(count, dtype=np.int64)
    stray = np.flatnonzero((others >= STRAY * owned) & ~large & stroke)
    settled = [int(k) for k in np.flatnonzero((others < STRAY * owned) & stroke) if k]
    for crossing in stray.tolist():
        if crossing and most[crossing] > 0:
            best[crossing] = _nearest_owner(crossing, pixels[:, :n], stats, middles, settled, best)
    strokes = settled + [int(k) for k in stray if k and most[k] > 0]
    bars = _leading_bars(rects, stats, middles, strokes, best, typical)
    for bar, behind in bars:
        best[bar] = behind
        whole[bar] = True
    owner = np.where(whole[label], best[label], np.where(cell < n, cell, -1)).astype(np.int32)
    owner[(most == 0)[label]] = -1
    owner[(area < SPECK * typical**2)[label]] = -1
    result = np.full(mask.shape, -1, dtype=np.int32)
    result[inked] = owner
    for number, cells in torn.items():
        _tear(result, np.asarray(labels, dtype=np.int32), number, cells, stats[number], rects)
    return result, np.isin(labels, [bar for bar, _ in bars])


def _leading_bars(
    rects: Rects,
    stats: npt.NDArray[np.int32],
    middles: npt.NDArray[np.float64],
    strokes: list[int],
    best: npt.NDArray[np.int64],
    typical: float,
) -> list[tuple[int, int]]:
    """Bars alone in a cell that touch its right side, with a number just behind it: (label, cell) of those numbers.

    Where there is no room the 1 of 100 stands on the line or left of it; nobody writes a 1 for itself there. strokes:
    labels of connected ink.
    """
    ink = stats[strokes]
    left, right = ink[:, cv2.CC_STAT_LEFT], ink[:, cv2.CC_STAT_LEFT] + ink[:, cv2.CC_STAT_WIDTH]
    owners = best[strokes]
    found = []
    for k in np.flatnonzero(ink[:, cv2.CC_STAT_HEIGHT] > BAR_HIGH * typical).tolist():
        own = int(owners[k])
        narrow = ink[k, cv2.CC_STAT_WIDTH] < BAR_WIDE * typical
        if not narrow or rects[own, 2] - right[k] > BAR_TOUCHES * typical or np.count_nonzero(owners == own) > 1:
            continue
        behind = (left > middles[strokes[k], 0]) & (left - right[k] < BAR_REACH * typical) & (owners != own)
        level = np.abs(middles[strokes, 1] - middles[strokes[k], 1]) < BAR_LEVEL * typical
        beside = np.abs(rects[owners, 0] - rects[own, 2]) < BAR_TOUCHES * typical
        if candidates := np.flatnonzero(behind & level & beside).tolist():
            cell = int(owners[min(candidates, key=lambda one: left[one])])
            if _digits(cell, strokes, best, stats, int(ink[k, cv2.CC_STAT_HEIGHT])) < MOST_DIGITS:
                found.append((strokes[k], cell))
    return found


def _torn(
    labels: npt.NDArray[np.int32], stats: npt.NDArray[np.int32], rects: Rects, typical: float
) -> dict[int, list[int]]:
    """Connected ink that reaches deep into several cells and is larger than a digit: digits that touch.

    Gives those cells by the ink's label.
    """
    found: dict[int, list[int]] = {}
    for k, (left, top, right, bottom) in enumerate(whole_px(inside(rects, CORE), labels.shape)):
        if right > left and bottom > top:
            deep = np.bincount(labels[top:bottom, left:right].ravel())
            for label in np.flatnonzero(deep >= CORE_INK * typical**2).tolist():
                if label:
                    found.setdefault(label, []).append(k)
    torn = {}
    for label, cells in found.items():
        stacked = np.ptp(rects[cells, 1]) > 0.5 * typical
        if len(cells) > 1 and (not stacked or stats[label, cv2.CC_STAT_HEIGHT] > STACKED * typical):
            torn[label] = cells
    return torn


def _tear(
    owner: npt.NDArray[np.int32],
    labels: npt.NDArray[np.int32],
    number: int,
    cells: list[int],
    box: npt.NDArray[np.int32],
    rects: Rects,
) -> None:
    """Gives each pixel of connected ink, in place, to the cell that is the nearest along the strokes."""
    left, top, wide, high = (int(v) for v in box[:4])
    ink = (labels[top : top + high, left : left + wide] == number).astype(np.uint8)
    grown = []
    for a, b, c, d in whole_px(inside(rects[cells], SURE_INK) - np.array([left, top, left, top]), ink.shape):
        seed = np.zeros_like(ink)
        seed[b:d, a:c] = ink[b:d, a:c]
        grown.append(seed)
    piece = owner[top : top + high, left : left + wide]
    free = ink.copy()
    kernel = np.ones((3, 3), np.uint8)
    while True:
        before = int(np.count_nonzero(free))
        for cell, seed in zip(cells, grown, strict=True):
            new = (seed > 0) & (free > 0)
            piece[new] = cell
            free[new] = 0
        if int(np.count_nonzero(free)) in (0, before):
            break
        grown = [cv2.dilate(np.where(piece == cell, ink, 0).astype(np.uint8), kernel) & ink for cell in cells]


def _nearest_owner(
    stray: int,
    pixels: npt.NDArray[np.int64],
    stats: npt.NDArray[np.int32],
    middles: npt.NDArray[np.float64],
    settled: list[int],
    best: npt.NDArray[np.int64],
) -> int:
    """Whose a digit is that lies across a border: of the cell, among those it lies in, whose other ink is nearest.

    Ink of the same line of writing counts: what stands above or below it belongs to another number.
    """
    shares = pixels[stray] / max(1, int(pixels[stray].sum()))
    left, wide = int(stats[stray, cv2.CC_STAT_LEFT]), int(stats[stray, cv2.CC_STAT_WIDTH])
    high = int(stats[stray, cv2.CC_STAT_HEIGHT])
    gaps: dict[int, float] = {}
    for other in settled:
        cell = int(best[other])
        if shares[cell] >= STRAY and abs(middles[other, 1] - middles[stray, 1]) < 0.6 * max(high, CELL_PX // 4):
            start, width = int(stats[other, cv2.CC_STAT_LEFT]), int(stats[other, cv2.CC_STAT_WIDTH])
            gap = float(max(start - left - wide, left - start - width, 0))
            gaps[cell] = min(gap, gaps.get(cell, float(CELL_PX)))
    most = int(best[stray])
    # A number that has all its digits already gets no further one.
    room = [cell for cell in gaps if _digits(cell, settled, best, stats, high) < MOST_DIGITS]
    nearest = min(room or gaps, key=lambda cell: gaps[cell], default=most)
    if room and most in gaps and most not in room:
        return nearest
    if nearest == most or gaps[nearest] > 0.5 * CELL_PX:
        return most
    if most not in gaps:
        # Alone in its cell: a number of its own, unless it lies in the other cell nearly as much.
        return nearest if shares[most] < WHOLE else most
    return nearest if gaps[nearest] < 0.5 * gaps[most] else most


def _digits(
    cell: int, strokes: Sequence[int], best: npt.NDArray[np.int64], stats: npt.NDArray[np.int32], high: int
) -> int:
    """About how many digits that are about so high a cell has, by its connected ink; touching ones count by width."""
    found = 0
    for label in strokes:
        tall = int(stats[label, cv2.CC_STAT_HEIGHT])
        if int(best[label]) == cell and tall > DIGIT_HIGH * high:
            found += max(1, round(int(stats[label, cv2.CC_STAT_WIDTH]) / (DIGIT_WIDE * tall)))
    return found
