"""Whose a stroke is: connected ink goes to one cell altogether, or is torn where digits touch across a border."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from scanner.table_paper import CELL_PX, FLOOR, FloatImage, Rects, whole_px
from scanner.table_parts import GLYPH, cut_at_borders, parted, tear, torn_ink
from scanner.table_rows import MOST_DIGITS, Strokes, digits, settle

CELL_SHARE = 0.38
"""Ink starts at this share of the cell's darkest ink: the blur around strokes is left out."""
WHOLE = 0.62
"""Connected ink of which a cell has at least this share belongs to that cell altogether."""
STRAY = 0.12
"""Ink with this share in a second cell lies across a border: it is looked at where the next ink stands."""
SPECK = 0.003
"""Connected ink smaller than this share of a cell's height squared is no stroke."""
AT_SIDE = 0.06
"""Of a cell's height: ink so near to a side may belong to the cell behind it."""
NARROW = 0.5
"""Of a cell's height: a part of ink so narrow is one digit, and may belong to another cell than it lies in."""
BAR_HIGH, BAR_WIDE, BAR_TOUCHES, BAR_REACH, BAR_LEVEL = 0.4, 0.3, 0.07, 0.5, 0.3
"""Of a cell's height: least height and greatest width of a bare 1, how near the line it touches it, how far behind it
the next digit may begin, and how much higher or lower that may stand."""


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
    count, marked, found, centres = cv2.connectedComponentsWithStats(mask, connectivity=8, ltype=cv2.CV_32S)
    labels = np.asarray(marked, dtype=np.int32)
    stats, middles = np.asarray(found, dtype=np.int32), np.asarray(centres, dtype=np.float64)
    typical = float(np.median(heights)) if n else CELL_PX
    stats, middles = parted(labels, stats, middles, rects, place, typical)
    count = len(stats)
    inked = mask > 0
    label, cell = labels[inked].astype(np.int64), place[inked]
    pixels = np.bincount(label * (n + 1) + cell, minlength=count * (n + 1)).reshape(count, n + 1)
    best = pixels[:, :n].argmax(axis=1) if n else np.zeros(count, dtype=np.int64)
    most = pixels[np.arange(count), best]
    owned = np.maximum(pixels[:, :n].sum(axis=1), 1)
    area = stats[:, cv2.CC_STAT_AREA]
    large = np.maximum(stats[:, cv2.CC_STAT_HEIGHT], stats[:, cv2.CC_STAT_WIDTH]) > GLYPH * typical
    whole = (most > WHOLE * owned) | ~large
    stroke = area >= SPECK * typical**2
    torn = torn_ink(labels, stats, rects, typical)
    parts = [part for number, cells in torn.items() for part in tear(labels, number, cells, stats[number], rects)]
    for number in np.flatnonzero(~whole & stroke & (most > 0)).tolist():
        if number and number not in torn:
            torn[number] = []
            parts += cut_at_borders(labels, number, stats[number], place, n)
    strokes = [int(k) for k in np.flatnonzero(stroke & (most > 0)) if k and int(k) not in torn]
    cells = np.array([part.cell for part in parts], dtype=np.int64)
    boxes = np.array([part.box for part in parts], dtype=np.float64).reshape(-1, 4)
    written = Strokes(
        np.concatenate([_boxes(stats[strokes]), boxes]),
        np.concatenate([best[strokes], cells]),
        np.concatenate([pixels[strokes, :n] / owned[strokes, None], np.eye(n)[cells]]),
    )
    narrow = boxes[:, 2] - boxes[:, 0] < NARROW * typical
    free = np.concatenate([~large[strokes], narrow])
    settle(written, _choices(written, free, place, n, typical), rects, typical)
    best[strokes] = written.cells[: len(strokes)]
    bars = _leading_bars(rects, stats, middles, strokes, best, typical)
    for bar, behind in bars:
        best[bar] = behind
        whole[bar] = True
    owner = np.where(whole[label], best[label], np.where(cell < n, cell, -1)).astype(np.int32)
    owner[(most == 0)[label]] = -1
    owner[(area < SPECK * typical**2)[label]] = -1
    result = np.full(mask.shape, -1, dtype=np.int32)
    result[inked] = owner
    for part, owner_of in zip(parts, written.cells[len(strokes) :].tolist(), strict=True):
        area_of = result[part.rows, part.columns]
        area_of[part.ink] = owner_of
    return result, np.isin(labels, [bar for bar, _ in bars])


def _boxes(stats: npt.NDArray[np.int32]) -> Rects:
    """Left, top, right, bottom of connected ink, by OpenCV's statistics."""
    left, top = stats[:, cv2.CC_STAT_LEFT], stats[:, cv2.CC_STAT_TOP]
    ends = [left, top, left + stats[:, cv2.CC_STAT_WIDTH], top + stats[:, cv2.CC_STAT_HEIGHT]]
    return np.stack(ends, axis=1).astype(np.float64)


def _choices(
    strokes: Strokes, free: npt.NDArray[np.bool_], place: npt.NDArray[np.int32], n: int, typical: float
) -> dict[int, list[int]]:
    """The cells that each stroke may belong to that lies across a border, or at the side of another cell.

    free: which strokes there is a choice for. place: which of the n cells each pixel lies in, n for none.
    """
    reach = AT_SIDE * typical
    found = {}
    for k in np.flatnonzero(free).tolist():
        left, top, right, bottom = strokes.boxes[k]
        cells = np.flatnonzero(strokes.shares[k] >= STRAY).tolist()
        if bottom - top > BAR_HIGH * typical:
            middle = round((top + bottom) / 2)
            for x in (round(left - reach), round(right + reach)):
                if 0 <= x < place.shape[1] and 0 <= middle < len(place) and int(place[middle, x]) < n:
                    cells.append(int(place[middle, x]))
        if len(set(cells)) > 1:
            found[k] = sorted(set(cells))
    return found


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
            if digits(_boxes(ink[owners == cell]), int(ink[k, cv2.CC_STAT_HEIGHT])) < MOST_DIGITS:
                found.append((strokes[k], cell))
    return found
