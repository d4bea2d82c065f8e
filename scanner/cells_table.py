"""Cuts the cells that hold whole numbers out of a sheet: of score tables, and boxes beside a lattice.

Like `scanner.cells` for cells of any size: paper is divided out cell by cell, so that coloured rows are paper too;
printed lines along the cells' sides are taken away where nothing crosses them; what is left is ink, which belongs to
cells by connected strokes: a digit that slides over a border stays with the cell that most of it lies in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from scanner.intake import Photo
from scanner.locate.flatten import flattened
from scanner.locate.placement import Placement
from scanner.locate.refine import bend_map
from scanner.locate.table_placement import TablePlacement

FloatImage = npt.NDArray[np.float32]
Rects = npt.NDArray[np.float64]
"""float64 [n, 4]: left, top, right, bottom of upright rectangles, px; the middle of pixel 0 lies at 0."""

CELL_PX = 48
"""Height to which a typical cell is brought in the rectified sheet."""
RIM = 0.5
"""Of a cell's height, around the rectified table: ink slides over the border there, too."""
HIGH, WIDE = 40, 112
"""Size of the reader's pictures of numbers, px."""
BODY_HIGH, BODY_WIDE = 32, 106
"""The ink fills the picture up to this height or width, px."""
SMALLEST = 0.45
"""Ink lower than this share of its cell isn't brought to the full height: a dash has to stay a dash."""
FLOOR = 0.05
"""Ink lighter than this share below the paper is paper grain or the other side showing through."""
CELL_SHARE = 0.38
"""Ink starts at this share of the cell's darkest ink: the blur around strokes is left out."""
WHOLE = 0.62
"""Connected ink of which a cell has at least this share belongs to that cell altogether."""
BOX_REACH = 0.35
"""How far boxes beside a lattice may lie from their place, as a share of their height."""
SIDE_REACH = 0.15
"""The same for one side of a box, once all of them together are in place."""
FLAT = 0.11
"""Height, as a share of a box's, up to which ink in it is what is left of its frame."""
BOX_EDGE = 0.09
"""Rim of a box, as a share of its height, whose darkness may be its frame's."""
STRAY = 0.12
"""Ink with this share in a second cell lies across a border: it is looked at where the next ink stands."""
SPECK = 0.003
"""Connected ink smaller than this share of a cell's height squared is no stroke."""
GLYPH = 1.05
"""Connected ink no larger than this share of a cell's height is one digit and not torn apart at a border."""
FAINTEST = 0.16
"""Darkness that counts as full ink at least: what is fainter stays grey for the reader, so that it can doubt it."""
BAR_HIGH, BAR_WIDE, BAR_TOUCHES, BAR_REACH, BAR_LEVEL = 0.4, 0.3, 0.07, 0.5, 0.3
"""Of a cell's height: least height and greatest width of a bare 1, how near the line it touches it, how far behind it
the next digit may begin, and how much higher or lower that may stand."""
MOST_DIGITS, DIGIT_HIGH, DIGIT_WIDE = 3, 0.55, 0.85
"""Digits of a number at most; least height of one against another one's, and how wide it is at most against its height:
what is wider is two of them that touch."""
CORE = (0.2, 0.15)
"""How far into a cell, across and down, as a share of its shorter side, ink of its neighbours seldom reaches."""
CORE_INK = 0.02
"""Least ink within that, as a share of a cell's height squared, of a digit that is the cell's own."""
SURE_INK = (0.06, 0.05)
"""Ink of touching digits farther in than this, like CORE, is the cell's own; the rest goes to the nearest cell."""
STACKED = 0.95
"""Connected ink no higher than this share of a cell's height is no digits that stand on one another."""
LINE_REACH = 0.13
"""How far beside a cell's side, as a share of its height, a printed line may run."""
FRAME_REACH = 1
"""Pixels beside a rectangle's side within which a box's frame lies if the rectangle is the box."""
FRAME_PARTS = 4
"""Parts of each side that are looked at."""
FRAME_STEP = 0.03
"""Least steepness of the brightness there, as a share of the paper's per px; a blurred pale frame has 0.04."""
SOBEL = 8.0
"""What cv2.Sobel (3 x 3) gives for a slope of 1 per px."""
LINE_SEEN = 0.05
"""Darkness from which a printed line is seen."""
STROKE_PX = 2.6
"""How wide a usual stroke is, px."""
STROKE_SHARE = 0.55
"""Share of a stroke that has to have gone with a line, beyond what lines take with them, to be put back."""
STROKE_LONG, STROKE_MOST = 0.4, 0.95
"""Its length: at least this share of a cell's height, at most this share of the side."""
STROKE_RIM = 0.12
"""Of the cell's height: so far inside its cell a stroke is shown that ran along its side."""
STROKE_BAND = 5.0
"""Width, px, of lines from which nothing is put back: in a heavy or double rule no stroke can be told."""
FEWEST_PIECES = 5
"""Sides along one line from which it is known how dark it usually is."""
FEWEST_CORE_PX = 40
NEIGHBOURS = 2
LINE_RANK = 0.4
"""A line is at least as dark as at this rank of the pixels along it; a digit that leans on it is not."""


@dataclass(frozen=True, slots=True)
class NumberBatch:
    """Cells that hold whole numbers, ready to be read.

    ids: cell ids, n of them. ink: uint8 [n, 2, 40, 112]: channel 0 the cell's own ink, 255 for full ink, brought to one
    height and centred; channel 1 where the cell's area is, at the same scale, 255 inside. present: bool [n], false
    where the cell lies outside the picture. darkness: float32 [n], typical darkness of the ink, 0 (no ink) to 1.
    """

    ids: tuple[str, ...]
    ink: npt.NDArray[np.uint8]
    present: npt.NDArray[np.bool_]
    darkness: npt.NDArray[np.float32]

    def __post_init__(self) -> None:
        expected = (len(self.ids), 2, HIGH, WIDE)
        if self.ink.shape != expected or self.ink.dtype != np.uint8:
            raise ValueError(f"ink: expected uint8 {expected}, got {self.ink.dtype} {self.ink.shape}")


def cut_table(photo: Photo, placement: TablePlacement) -> NumberBatch:
    """All cells of a score table that hold numbers, in the template's order."""
    template, table, unit = placement.template, placement.table, placement.unit
    wide, high = placement.extent
    map_x, map_y = bend_map(placement.lattice, placement.mesh, -RIM, wide + 2 * RIM, high + 2 * RIM, CELL_PX)
    flat = cv2.remap(photo.gray, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    wanted = [cell for cell in template.cells if cell.kind in ("number", "digit") and "." in cell.id]
    own = [(cell.polygon[0].x, cell.polygon[0].y, cell.polygon[2].x, cell.polygon[2].y) for cell in wanted]
    named = {cell.id for cell in wanted}
    others = [
        (column.left, row.top, column.right, row.bottom)
        for column in table.columns
        for row in table.rows
        if f"{column.id}.{row.id}" not in named
    ]
    mm = np.array(own + others, dtype=np.float64)
    left, top = placement.origin
    rects = ((mm - np.array([left, top, left, top])) / unit + RIM) * CELL_PX - 0.5
    middles = np.stack([mm[: len(own), [0, 2]].mean(axis=1), mm[: len(own), [1, 3]].mean(axis=1)], axis=1)
    px = placement.project(middles)
    size = np.array([photo.gray.shape[1], photo.gray.shape[0]])
    present = np.asarray(((px >= 0) & (px < size)).all(axis=1), dtype=np.bool_)
    return cut_numbers(np.asarray(flat, dtype=np.uint8), rects, len(own), tuple(cell.id for cell in wanted), present)


def cut_number_boxes(photo: Photo, placement: Placement) -> NumberBatch | None:
    """The boxes for whole numbers beside a lattice, in the template's order; null where the template has none.

    They lie far from the lattice that was found, so all of them together are moved to where their outlines are.
    """
    boxes = [cell for cell in placement.template.cells if cell.kind == "number" and "." not in cell.id]
    if not boxes:
        return None
    mm = np.array([(box.polygon[0].x, box.polygon[0].y, box.polygon[2].x, box.polygon[2].y) for box in boxes])
    per_mm = CELL_PX / float(np.median(mm[:, 3] - mm[:, 1]))
    rim = 2 * RIM * CELL_PX / per_mm
    low, high = mm[:, :2].min(axis=0) - rim, mm[:, 2:].max(axis=0) + rim
    size = (int(np.ceil((high[0] - low[0]) * per_mm)), int(np.ceil((high[1] - low[1]) * per_mm)))
    flat, _ = flattened(photo.gray, placement, low, size, per_mm)
    rects = (mm - np.concatenate([low, low])) * per_mm - 0.5
    rects = _on_outlines(flat, rects)
    corners = np.stack([mm[:, [0, 1]], mm[:, [2, 1]], mm[:, [2, 3]], mm[:, [0, 3]]], axis=1)
    px = placement.project(corners.reshape(-1, 2)).reshape(-1, 4, 2)
    limits = np.array([photo.gray.shape[1], photo.gray.shape[0]])
    present = np.asarray(((px >= 0) & (px < limits)).all(axis=(1, 2)), dtype=np.bool_)
    present &= _framed(flat, rects)
    return cut_numbers(flat, rects, len(boxes), tuple(box.id for box in boxes), present, apart=True)


def _on_outlines(flat: npt.NDArray[np.uint8], rects: Rects) -> Rects:
    """The rectangles moved to where the brightness steps along their sides: all together, then each side by itself."""
    soft = cv2.GaussianBlur(flat, (0, 0), 1.2).astype(np.float32)
    steps = [np.abs(cv2.Sobel(soft, cv2.CV_32F, *order, ksize=3)) for order in ((1, 0), (0, 1))]
    # Upright sides tell how far the boxes lie aside, level ones how far up or down.
    pictures = [np.asarray(steps[0], dtype=np.float32), np.ascontiguousarray(steps[1].T, dtype=np.float32)]
    moved = rects.copy()
    for axis, picture in enumerate(pictures):
        for reach, alone in ((round(BOX_REACH * CELL_PX), False), (round(SIDE_REACH * CELL_PX), True)):
            profiles = {
                (k, end): _profile_along(picture, moved[k, axis + end], moved[k, [1 - axis, 3 - axis]], reach)
                for k in range(len(rects))
                for end in (0, 2)
            }
            if alone:
                for (k, end), profile in profiles.items():
                    moved[k, axis + end] += _peak(profile)
            else:
                moved[:, [axis, axis + 2]] += _peak(np.sum(list(profiles.values()), axis=0))
    return moved


def _framed(flat: npt.NDArray[np.uint8], rects: Rects) -> npt.NDArray[np.bool_]:
    """Which boxes have all four sides where the rectangles say: bool [n].

    Where a sheet is bent, or was printed with other margins, a rectangle lies across the box's frame or beside the box;
    what is seen there is no number of the player's.
    """
    soft = cv2.GaussianBlur(flat, (0, 0), 1.2).astype(np.float32)
    steps = [np.abs(cv2.Sobel(soft, cv2.CV_32F, *order, ksize=3)) / SOBEL for order in ((1, 0), (0, 1))]
    pictures = [np.asarray(steps[0], dtype=np.float32), np.ascontiguousarray(steps[1].T, dtype=np.float32)]
    seen = np.ones(len(rects), dtype=np.bool_)
    for k, rect in enumerate(rects):
        left, top, right, bottom = (round(float(side)) for side in rect)
        inside = soft[max(top, 0) : max(bottom, 1), max(left, 0) : max(right, 1)]
        paper = float(np.percentile(inside, 75)) if inside.size else 0.0
        for axis, picture in enumerate(pictures):
            for end in (0, 2):
                # Part by part, or a slanting frame would pass.
                parts = _parts_along(picture, rect[axis + end], rect[[1 - axis, 3 - axis]])
                seen[k] &= bool((parts > FRAME_STEP * paper).all())
    return seen


def _parts_along(picture: FloatImage, side: float, ends: npt.NDArray[np.float64]) -> FloatImage:
    """How steep the brightness is at an upright side from ends[0] to ends[1], part by part: [FRAME_PARTS]."""
    across = round(float(side))
    rows = slice(max(0, round(float(ends[0])) + 3), max(0, round(float(ends[1])) - 3))
    length = (min(rows.stop, len(picture)) - rows.start) // FRAME_PARTS
    if across < FRAME_REACH or across + FRAME_REACH >= picture.shape[1] or length < 1:
        return np.zeros(FRAME_PARTS, dtype=np.float32)
    strip = picture[rows, across - FRAME_REACH : across + FRAME_REACH + 1][: FRAME_PARTS * length]
    middle = np.partition(strip.reshape(FRAME_PARTS, length, -1), length // 2, axis=1)[:, length // 2]
    return np.asarray(middle.max(axis=1), dtype=np.float32)


def _profile_along(picture: FloatImage, side: float, ends: npt.NDArray[np.float64], reach: int) -> FloatImage:
    """How steep the brightness is up to `reach` px beside an upright side from ends[0] to ends[1]: [2 * reach + 1]."""
    across = round(float(side))
    rows = slice(max(0, round(float(ends[0])) + 3), max(0, round(float(ends[1])) - 3))
    if across - reach < 0 or across + reach >= picture.shape[1] or rows.stop - rows.start < 4:
        return np.zeros(2 * reach + 1, dtype=np.float32)
    return np.asarray(np.median(picture[rows, across - reach : across + reach + 1], axis=0), dtype=np.float32)


def _peak(profile: FloatImage) -> float:
    """Where a profile is highest, px from its middle; nearer places are preferred a little."""
    reach = len(profile) // 2
    pull = 1 - 0.5 * np.abs(np.arange(-reach, reach + 1)) / max(reach, 1)
    smooth = cv2.GaussianBlur(profile.astype(np.float32).reshape(-1, 1), (0, 0), 1.0).ravel() * pull
    return float(np.argmax(smooth) - reach) if smooth.max() > 0 else 0.0


def density_by_cell(gray: FloatImage, rects: Rects) -> FloatImage:
    """How much darker than its own paper every pixel is, 0 to 1; each cell has its own paper, the rest a common one."""
    paper = _paper_of(gray, round(0.8 * CELL_PX))
    for left, top, right, bottom in _whole(rects, gray.shape):
        piece = gray[top:bottom, left:right]
        if min(piece.shape) >= 6:
            inset = 3  # the printed lines along the sides are no paper
            inner = piece[inset:-inset, inset:-inset] if min(piece.shape) > 4 * inset else piece
            own = _paper_of(np.ascontiguousarray(inner), round(0.8 * min(piece.shape)))
            pad = (piece.shape[0] - inner.shape[0]) // 2
            paper[top:bottom, left:right] = np.pad(own, pad, mode="edge")[: piece.shape[0], : piece.shape[1]]
    density = 1.0 - gray / np.maximum(paper, 12.0)
    return np.asarray(np.clip(density, 0.0, 1.0), dtype=np.float32)


def _paper_of(gray: FloatImage, side: int) -> FloatImage:
    """Brightness of the paper under the ink: a closing wider than any stroke, smoothed."""
    small = cv2.medianBlur(np.clip(gray, 0, 255).astype(np.uint8), 3)
    kernel = cv2.getStructuringElement(cv2.MORPH_RECT, (side | 1, side | 1))
    closed = cv2.morphologyEx(small, cv2.MORPH_CLOSE, kernel, borderType=cv2.BORDER_REPLICATE)
    blur = max(3, side // 4) | 1
    smooth = np.asarray(cv2.blur(closed, (blur, blur), borderType=cv2.BORDER_REPLICATE), dtype=np.float32)
    # Beside a white margin a coloured field is no darker than elsewhere.
    smooth = np.minimum(smooth, closed.astype(np.float32))
    # The closing follows the brightest grain: what is typical is paper, unless ink covers half of it.
    grain = smooth - gray
    return smooth - np.float32(np.clip(np.median(grain), 0, 0.04 * float(smooth.mean())))


def without_sides(density: FloatImage, rects: Rects) -> FloatImage:
    """The density without the printed lines that run along the sides of cells."""
    return _lines_and_strokes(density, rects)[0]


def _lines_and_strokes(density: FloatImage, rects: Rects) -> tuple[FloatImage, npt.NDArray[np.bool_]]:
    """The density without lines, and where strokes were put back that ran along one (see `_put_strokes_back`)."""
    pen = _pen_of(density, rects)
    back = np.zeros(density.shape, dtype=np.bool_)
    clear = _without_upright(density, rects, pen, back)
    # Dashes and the feet of digits often touch a level line, and what is put back there does more harm than good.
    turned = np.ascontiguousarray(clear.T)
    clear = np.ascontiguousarray(_without_upright(turned, rects[:, [1, 0, 3, 2]], 0.0, back.T).T)
    return clear, back


def _without_upright(density: FloatImage, rects: Rects, pen: float, back: npt.NDArray[np.bool_]) -> FloatImage:
    """Without the lines along the left and right sides: what lies on both sides of a line goes on through it.

    pen, back: see `_put_strokes_back`.
    """
    height, width = density.shape
    result = density.copy()
    lines: dict[int, set[tuple[int, int]]] = {}
    for left, top, right, bottom in _whole(rects, (height, width)):
        for x in (left, right):
            lines.setdefault(x, set()).add((top, bottom))
    reach = max(3, round(LINE_REACH * CELL_PX))
    for x, sides in lines.items():
        seen = {(top, bottom): _line_beside(density, x, reach, top, bottom) for top, bottom in sorted(sides)}
        bands = [band for band in seen.values() if band is not None]
        if not bands:
            continue
        # The line is as wide here as elsewhere, and bends slowly: what differs is a stroke that leans on it.
        half = 0.5 * float(np.median([last - first for first, last in bands])) + 0.5
        middles = _smooth_middles(list(seen.values()))
        pieces: list[_Piece] = []
        for (top, bottom), middle in zip(seen, middles, strict=True):
            start, end = max(2, x + round(middle - half) - 1), min(width - 3, x + round(middle + half) + 1)
            if end - start >= 1:
                piece = _Piece(slice(max(0, top - 1), min(height, bottom + 1)), slice(start, end + 1))
                _bridge(density, result, piece.rows, start, end)
                pieces.append(piece)
        if 2 * half + 1 <= STROKE_BAND:
            _put_strokes_back(density, result, pieces, pen, back)
    return result


@dataclass(frozen=True, slots=True)
class _Piece:
    """One side of a cell: where a printed line was taken away."""

    rows: slice
    columns: slice


def _put_strokes_back(
    density: FloatImage, result: FloatImage, pieces: list[_Piece], pen: float, back: npt.NDArray[np.bool_]
) -> None:
    """Puts strokes back, in place, that ran along a line and went with it: a bare 1 on the border, the stem of a 4.

    What was taken away is compared with what is usually taken away along the line: ink makes it more. pen: ink of a
    stroke across its width, px of full ink; 0 for a sheet without ink. back: set where ink was put back.
    """
    if len(pieces) < FEWEST_PIECES or pen <= 0:
        return
    taken = [(density[one.rows, one.columns] - result[one.rows, one.columns]).sum(axis=1) for one in pieces]
    inner = [mass[len(mass) // 10 : len(mass) - len(mass) // 10] for mass in taken]
    usual = np.array([float(np.median(mass)) if mass.size else 0.0 for mass in inner])
    typical = float(np.median(usual))
    spread = 1.4826 * float(np.median(np.abs(usual - typical)))
    limit = max(STROKE_SHARE * pen, 3.0 * spread)
    for piece, mass in zip(pieces, taken, strict=True):
        more = cv2.blur((mass - typical).astype(np.float32).reshape(-1, 1), (1, 3)).ravel() > limit
        for start, end in _runs(more):
            if STROKE_LONG * CELL_PX <= end - start <= STROKE_MOST * len(mass):
                rows = slice(piece.rows.start + start, piece.rows.start + end)
                result[rows, piece.columns] = density[rows, piece.columns]
                back[rows, piece.columns] = True


def _runs(flags: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Where flags are true without a break: (first, one beyond the last)."""
    steps = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return [(int(a), int(b)) for a, b in steps.reshape(-1, 2)]


def _pen_of(density: FloatImage, rects: Rects) -> float:
    """Ink of a usual stroke across its width, px of full ink, by the cells that are written in; 0 without any."""
    peaks = []
    for left, top, right, bottom in _whole(_inside(rects, CORE), density.shape):
        piece = density[top:bottom, left:right]
        if piece.size > FEWEST_CORE_PX:
            peaks.append(float(np.percentile(piece, 98)))
    inked = [peak for peak in peaks if peak > 2 * FLOOR]
    return STROKE_PX * float(np.median(inked)) if inked else 0.0


def _smooth_middles(bands: list[tuple[int, int] | None]) -> list[float]:
    """Where a line runs beside each of its sides, in order: the median of a few neighbours."""
    own = [None if band is None else 0.5 * (band[0] + band[1]) for band in bands]
    everywhere = float(np.median([middle for middle in own if middle is not None]))
    smooth = []
    for k in range(len(own)):
        near = [middle for middle in own[max(0, k - NEIGHBOURS) : k + NEIGHBOURS + 1] if middle is not None]
        smooth.append(float(np.median(near)) if len(near) > 1 else everywhere)
    return smooth


def _line_beside(density: FloatImage, x: int, reach: int, top: int, bottom: int) -> tuple[int, int] | None:
    """First and last column, from x, of the printed line along a side; null where none is seen."""
    inner = max(1, round(0.1 * (bottom - top)))
    first, last = max(0, x - reach), min(density.shape[1] - 1, x + reach)
    if last - first < 4 or bottom - top < 6:
        return None
    strip = density[top + inner : bottom - inner, first : last + 1]
    rank = int(LINE_RANK * strip.shape[0])
    low = np.partition(strip, rank, axis=0)[rank]
    away = np.abs(np.arange(first, last + 1) - x) / reach
    peak = float((low * (1 - 0.4 * away)).max())
    dark = np.flatnonzero(low > max(LINE_SEEN, 0.35 * peak))
    return (first + int(dark[0]) - x, first + int(dark[-1]) - x) if dark.size else None


def _bridge(density: FloatImage, result: FloatImage, rows: slice, a: int, b: int) -> None:
    """Replaces columns a to b by what lies on both sides of them: paper, or a stroke that crosses."""
    tall = cv2.dilate(density[rows, a - 2 : b + 3], np.ones((3, 1), np.uint8), borderType=cv2.BORDER_REPLICATE)
    left, right = np.minimum(tall[:, 0], tall[:, 1]), np.minimum(tall[:, -1], tall[:, -2])
    t = ((np.arange(a, b + 1) - a + 1) / (b - a + 2)).astype(np.float32)
    # A stroke goes on across the line only if it is there on both sides; ink that merely touches it ends there.
    across = np.minimum(left, right)[:, None]
    fill = np.maximum(across, left[:, None] * (1 - t) ** 3 + right[:, None] * t**3)
    result[rows, a : b + 1] = np.minimum(result[rows, a : b + 1], fill)


def _whole(rects: Rects, shape: tuple[int, ...]) -> list[tuple[int, int, int, int]]:
    """The rectangles as whole px inside a picture of this shape: left, top, right, bottom, ends exclusive."""
    limits = np.array([shape[1], shape[0], shape[1], shape[0]])
    fixed = np.clip(np.round(rects), 0, limits).astype(int)
    return [(int(a), int(b), int(c), int(d)) for a, b, c, d in fixed]


def cut_numbers(
    gray: npt.NDArray[np.uint8],
    rects: Rects,
    wanted: int,
    ids: tuple[str, ...],
    present: npt.NDArray[np.bool_],
    *,
    apart: bool = False,
) -> NumberBatch:
    """Cuts the first `wanted` of the cells `rects` of a rectified grey sheet [h, w]; the others only own their ink.

    ids, present: of the wanted ones. apart: the cells are boxes with something else around them, none of it ink.
    """
    density = density_by_cell(gray.astype(np.float32), rects)
    clear, back = _lines_and_strokes(density, rects)
    if apart:
        inside = np.zeros(clear.shape, dtype=np.bool_)
        inset = round(BOX_EDGE * CELL_PX)
        for left, top, right, bottom in _whole(rects, clear.shape):
            inside[top + inset : bottom - inset, left + inset : right - inset] = True
        clear[~inside] = 0
        _drop_flat(clear)
    owner, moved = _owners(_ink_mask(clear, rects), rects)
    back |= moved
    ink = np.zeros((wanted, 2, HIGH, WIDE), dtype=np.uint8)
    dark = np.zeros(wanted, dtype=np.float32)
    boxes = _ink_boxes(owner, wanted)
    beside = np.bincount(owner[back & (owner >= 0)], minlength=wanted)
    for k in range(wanted):
        # A stroke that is no line stands within its cell, as far as the reader is concerned.
        shown = _around(rects[k], boxes[k]) if beside[k] else rects[k]
        dark[k] = _draw(ink[k], clear, owner, k, shown, boxes[k])
    return NumberBatch(ids, ink, present, dark)


def _around(rect: npt.NDArray[np.float64], box: tuple[int, int, int, int] | None) -> npt.NDArray[np.float64]:
    """A cell's rectangle made so large that its ink, within top, bottom, left and right, lies inside it."""
    if box is None:
        return rect
    rim = STROKE_RIM * float(rect[3] - rect[1])
    low = np.minimum(rect[:2], np.array([box[2], box[0]]) - rim)
    high = np.maximum(rect[2:], np.array([box[3], box[1]]) + rim)
    return np.concatenate([low, high])


def _drop_flat(clear: FloatImage) -> None:
    """Takes out what is no higher than a frame's remains, in place; a dash in a box says as much as no ink."""
    mask = (clear > FLOOR).astype(np.uint8)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8, ltype=cv2.CV_32S)
    flat = np.asarray(stats[:, cv2.CC_STAT_HEIGHT] <= FLAT * CELL_PX)
    flat[0] = False
    clear[flat[np.asarray(labels)]] = 0


def _ink_mask(clear: FloatImage, rects: Rects) -> npt.NDArray[np.uint8]:
    """Where there is ink: 1 or 0. Each cell's darkest ink sets its threshold, so that pencil counts beside print."""
    whole = _whole(rects, clear.shape)
    peaks, typical = np.zeros(len(whole)), np.zeros(len(whole))
    for k, (left, top, right, bottom) in enumerate(whole):
        piece = clear[top:bottom:2, left:right:2].ravel()
        if piece.size > 8:
            ranked = np.partition(piece, (int(0.75 * piece.size), int(0.985 * piece.size)))
            typical[k], peaks[k] = ranked[int(0.75 * piece.size)], ranked[int(0.985 * piece.size)]
    floor = max(FLOOR, 1.5 * float(np.median(typical)) if len(whole) else 0.0)
    limits = np.maximum(CELL_SHARE * peaks, floor)
    inked = limits[peaks > 2 * floor]
    threshold = np.full(clear.shape, float(np.median(inked)) if inked.size else floor, dtype=np.float32)
    for (left, top, right, bottom), limit in zip(whole, limits, strict=True):
        threshold[top:bottom, left:right] = limit
    return (clear > threshold).astype(np.uint8)


def _owners(mask: npt.NDArray[np.uint8], rects: Rects) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.bool_]]:
    """Which cell each pixel's ink belongs to, -1 for none, int32 of the mask's shape; and where a bar was moved to the
    cell behind it (see `_leading_bars`)."""
    n = len(rects)
    place = np.full(mask.shape, n, dtype=np.int32)
    heights = rects[:, 3] - rects[:, 1]
    for k, (left, top, right, bottom) in enumerate(_whole(rects, mask.shape)):
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
    for k, (left, top, right, bottom) in enumerate(_whole(_inside(rects, CORE), labels.shape)):
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


def _inside(rects: Rects, margin: tuple[float, float]) -> Rects:
    """The rectangles without a margin at the sides, and above and below, as shares of their shorter side."""
    sides = np.minimum(rects[:, 2] - rects[:, 0], rects[:, 3] - rects[:, 1])
    inset = np.array([margin[0], margin[1], -margin[0], -margin[1]])
    return np.asarray(rects + sides[:, None] * inset, dtype=np.float64)


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
    for a, b, c, d in _whole(_inside(rects[cells], SURE_INK) - np.array([left, top, left, top]), ink.shape):
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


def _ink_boxes(owner: npt.NDArray[np.int32], wanted: int) -> list[tuple[int, int, int, int] | None]:
    """The box around each cell's ink: top, bottom, left, right, ends exclusive; null for none."""
    rows, cols = np.nonzero(owner >= 0)
    cell = owner[rows, cols]
    height, width = owner.shape
    top, bottom = np.full(wanted, height), np.zeros(wanted, dtype=np.int64)
    left, right = np.full(wanted, width), np.zeros(wanted, dtype=np.int64)
    mine = cell < wanted
    np.minimum.at(top, cell[mine], rows[mine])
    np.maximum.at(bottom, cell[mine], rows[mine] + 1)
    np.minimum.at(left, cell[mine], cols[mine])
    np.maximum.at(right, cell[mine], cols[mine] + 1)
    return [(int(top[k]), int(bottom[k]), int(left[k]), int(right[k])) if bottom[k] else None for k in range(wanted)]


def _draw(
    picture: npt.NDArray[np.uint8],
    clear: FloatImage,
    owner: npt.NDArray[np.int32],
    number: int,
    rect: npt.NDArray[np.float64],
    box: tuple[int, int, int, int] | None,
) -> float:
    """Draws one cell's picture [2, 40, 112] in place; gives its ink's typical darkness."""
    if box is None:
        return 0.0
    margin = 2
    top, bottom = max(0, box[0] - margin), min(owner.shape[0], box[1] + margin)
    left, right = max(0, box[2] - margin), min(owner.shape[1], box[3] + margin)
    mine = owner[top:bottom, left:right] == number
    ink = clear[top:bottom, left:right]
    dark = float(ink[mine].mean())
    soft = np.clip(ink / max(1.25 * dark, FAINTEST), 0, 1)
    soft *= cv2.blur(cv2.dilate(mine.astype(np.uint8) * 255, np.ones((3, 3), np.uint8)), (3, 3)) / np.float32(255)
    high, wide = box[1] - box[0], box[3] - box[2]
    cell_high = float(rect[3] - rect[1])
    scale = min(BODY_HIGH / max(high, SMALLEST * cell_high), BODY_WIDE / wide)
    size = (max(1, min(WIDE, round(soft.shape[1] * scale))), max(1, min(HIGH, round(soft.shape[0] * scale))))
    drawn = cv2.resize(soft, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    y, x = (HIGH - size[1]) // 2, (WIDE - size[0]) // 2
    picture[0, y : y + size[1], x : x + size[0]] = np.round(255 * np.clip(drawn, 0, 1)).astype(np.uint8)
    a, b = round((rect[0] - left) * scale) + x, round((rect[2] - left) * scale) + x
    c, d = round((rect[1] - top) * scale) + y, round((rect[3] - top) * scale) + y
    picture[1, max(0, c) : max(0, d), max(0, a) : max(0, b)] = 255
    return dark
