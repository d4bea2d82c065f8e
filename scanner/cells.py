"""Cuts all cells of a sheet out at once: only their ink, without printed lines and without the neighbours' digits.

The sheet is rectified once. Paper is divided out (shadow, colour cast, tint), printed lines are taken away where
nothing crosses them, and the rest is ink, which belongs to cells by connected strokes: a 7 whose foot slides into the
next row stays whole, and the next row does not get a foot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import cv2
import numpy as np
import numpy.typing as npt

from scanner.geometry import Square
from scanner.intake import Photo
from scanner.locate.placement import Placement
from scanner.locate.refine import bend_map
from scanner.printed_lines import without_lines
from scanner.shadow_tips import without_tips
from scanner.symbols import Plate, lifted, plate_of, plates_of
from scanner.templates import Template
from scanner.torn_ink import mended

FloatImage = npt.NDArray[np.float32]
_Scalar = TypeVar("_Scalar", bound=np.generic)

CELL_PX = 48
"""Side of a cell in the rectified sheet. A pencil stroke is then about 2 px wide."""
RIM_PX = CELL_PX // 2
WINDOW_PX = 64
"""Side of the window cut around each cell: the cell and a sixth of a cell on every side."""
INPUT_PX = 32
"""Side of the reader's pictures."""
BODY_PX = 26
"""Longer side of the ink in the close-up."""
FLOOR = 0.05
"""Ink lighter than this share below the paper is paper grain or the other side showing through."""
CELL_SHARE = 0.38
"""Ink starts at this share of the cell's darkest ink: the blur around strokes is left out."""
WHOLE = 0.62
"""Connected ink of which a cell has at least this share belongs to that cell altogether."""
SPECK = 0.0022
"""Connected ink smaller than this share of a cell is no stroke."""
TYPICAL_FROM = 0.2
"""Density from which a pixel counts for the sheet's typical ink."""
FAINT_FROM = 0.1
"""The same on a sheet that has no such ink: a hard pencil's in poor light."""
INKED, FULL_INK = 0.01, 1.0
"""Share of the cells that ink covers at least where somebody has written on a sheet, and ink's density where nobody
has."""
STRANGE = 0.02
"""Share of a cell that another cell's ink has to cover in its middle to be shown: as much as a short stroke."""
MIDDLE = slice(CELL_PX // 8, CELL_PX - CELL_PX // 8)
"""The middle of a cell along a side, px."""
EDGE_PX = 3
FIELD, PALE = 0.6, 60
"""Brightness of a dark field beside the cells, as a share of theirs, at most, and the percentile that is theirs."""
FIELD_EDGE = 0.6
"""Share of a cell's brightness at which the field's edge is seen: halfway between the two."""
FIELD_REACH, FIELD_SOLID = 4, 17
"""Pixels by which the field may reach into a cell, and its least width there: more than any stroke's."""
MOSTLY = 40
"""Percentile, along a cell's side, of how far the field reaches into the cell: strokes touch less than half of it."""
LIGHTER = 0.1
"""By how much of the paper's brightness a symbol and the ink on it differ more in one colour than in grey, at least."""
FAINTEST = 0.16
"""Darkness that counts as full ink at least: what is fainter stays grey for the reader, so that it can doubt it."""


@dataclass(frozen=True, slots=True)
class CellBatch:
    """The cells of one sheet, ready to be read.

    ids: cell ids, n of them. ink: uint8 [n, 2, 32, 32], 255 for full ink; channel 0 the cell in its surroundings (a
    sixth of a cell on every side), channel 1 its ink alone, brought to one size. present: bool [n], false where the
    cell lies outside the picture. darkness: float32 [n], typical darkness of the ink against the paper, 0 (no ink) to
    1 (black). shared: bool [n], whether much of another cell's ink lies in the middle of a cell beside its own, or ink
    was divided between the two, so that part of it may be the other's; null where nobody looked for that. hidden: bool
    [n], whether a printed symbol that is darker than the sheet's usual ink lies under a cell's ink, or a shadow's tip
    was taken out of it, or it has no ink but a stroke's length of another cell's, so that some may not be seen; null
    likewise.
    """

    ids: tuple[str, ...]
    ink: npt.NDArray[np.uint8]
    present: npt.NDArray[np.bool_]
    darkness: npt.NDArray[np.float32]
    shared: npt.NDArray[np.bool_] | None = None
    hidden: npt.NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        expected = (len(self.ids), 2, INPUT_PX, INPUT_PX)
        if self.ink.shape != expected or self.ink.dtype != np.uint8:
            raise ValueError(f"ink: expected uint8 {expected}, got {self.ink.dtype} {self.ink.shape}")

    def turned(self, ids: tuple[str, ...], order: npt.NDArray[np.int64], quarter_turns: int) -> CellBatch:
        """The same cells read with the sheet's top elsewhere: cell `order[k]` becomes cell k of `ids`.

        quarter_turns: clockwise turns of the sheet in the picture that are undone.
        """
        ink = np.rot90(self.ink[order], quarter_turns, axes=(2, 3))
        shared, hidden = (None if flags is None else flags[order] for flags in (self.shared, self.hidden))
        return CellBatch(ids, np.ascontiguousarray(ink), self.present[order], self.darkness[order], shared, hidden)


def paper_of(gray: FloatImage, cell_px: int) -> FloatImage:
    """The paper's brightness under the ink, float32 of its shape: a closing wider than any stroke, at half size."""
    small = cv2.resize(gray, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    side = round(0.8 * cell_px / 2) | 1
    kernel = cv2.getStructuringElement(cv2.MORPH_RECT, (side, side))
    small = cv2.medianBlur(small.astype(np.uint8), 3)
    closed = cv2.morphologyEx(small, cv2.MORPH_CLOSE, kernel, borderType=cv2.BORDER_REPLICATE)
    # The closing follows the brightest grain; smoothing brings it back to the typical paper.
    smooth = cv2.blur(closed, (side // 4 | 1, side // 4 | 1), borderType=cv2.BORDER_REPLICATE)
    big = cv2.resize(smooth, (gray.shape[1], gray.shape[0]), interpolation=cv2.INTER_LINEAR)
    return np.asarray(big, dtype=np.float32)


def ink_density(gray: FloatImage, cell_px: int) -> FloatImage:
    """How much darker than its paper every pixel is: float32, 0 (paper) to 1 (black)."""
    paper = np.maximum(paper_of(gray, cell_px), 12.0)
    density = 1.0 - gray / paper
    # Grain makes the closing a little too bright everywhere: what is typical is paper.
    density -= float(np.median(density[::3, ::3]))
    return np.asarray(np.clip(density, 0.0, 1.0), dtype=np.float32)


def rectified(photo: Photo, placement: Placement, *, colour: bool = False) -> npt.NDArray[np.uint8]:
    """The sheet's lattice seen from straight above, grey: uint8 [rows * 48 + 48, cols * 48 + 48] (rim: half a cell).

    colour: red, green and blue instead, [..., 3].
    """
    grid = placement.template.grid
    assert grid is not None
    rim = RIM_PX / CELL_PX
    map_x, map_y = bend_map(placement.lattice, placement.mesh, -rim, grid.cols + 2 * rim, grid.rows + 2 * rim, CELL_PX)
    flat = cv2.remap(
        photo.rgb if colour else photo.gray, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(flat, dtype=np.uint8)


def cut(photo: Photo, placement: Placement) -> CellBatch:
    """All lattice cells of a sheet, in the template's order."""
    template = placement.template
    grid = template.grid
    assert grid is not None
    flat = rectified(photo, placement)
    layout = _layout(template)
    px = placement.project(layout.centres)
    height, width = photo.gray.shape
    present = (px[:, 0] >= 0) & (px[:, 1] >= 0) & (px[:, 0] < width) & (px[:, 1] < height)
    symbols = [layout.symbols_turned(turn) for turn in (0, *placement.turns)]
    dark_field = template.look.field == "dark"
    rgb = rectified(photo, placement, colour=True) if any(cells.size for cells in layout.symbols) else None
    return cut_rectified(
        flat,
        layout.ids,
        layout.rows,
        layout.cols,
        grid.rows,
        grid.cols,
        present,
        symbols,
        dark_field=dark_field,
        rgb=rgb,
        standing=all(turn % 2 == 0 for turn in placement.turns),
        by_hand=not grid.givens,
    )


@dataclass(frozen=True, slots=True)
class _Layout:
    """The lattice cells of a template. rows, cols: int64 [n], from 0. centres: float64 [n, 2], mm.

    symbols: for each kind of symbol the cells that it is printed in, int64 [cells] each.
    """

    ids: tuple[str, ...]
    rows: npt.NDArray[np.int64]
    cols: npt.NDArray[np.int64]
    centres: npt.NDArray[np.float64]
    symbols: tuple[npt.NDArray[np.int64], ...]

    def symbols_turned(self, turn: int) -> tuple[npt.NDArray[np.int64], ...]:
        """Where the symbols are if the sheet lies turned by quarter turns; only for lattices that stay the same."""
        number = np.full((int(self.rows.max()) + 1, int(self.cols.max()) + 1), -1, dtype=np.int64)
        number[self.rows, self.cols] = np.arange(len(self.rows))
        turned = np.rot90(number, turn)
        return tuple(turned[self.rows[cells], self.cols[cells]] for cells in self.symbols)


@lru_cache(maxsize=64)
def _layout(template: Template) -> _Layout:
    cells = template.lattice_cells
    places = [cell.place for cell in cells if isinstance(cell.place, Square)]
    return _Layout(
        tuple(cell.id for cell in cells),
        np.array([place.row - 1 for place in places], dtype=np.int64),
        np.array([place.col - 1 for place in places], dtype=np.int64),
        np.array([np.mean([[point.x, point.y] for point in cell.polygon], axis=0) for cell in cells]),
        tuple(
            np.flatnonzero([symbol.tag in cell.tags for cell in cells]).astype(np.int64)
            for symbol in template.look.symbols
        ),
    )


def cut_rectified(
    flat: npt.NDArray[np.uint8],
    ids: tuple[str, ...],
    cell_rows: npt.NDArray[np.int64],
    cell_cols: npt.NDArray[np.int64],
    rows: int,
    cols: int,
    present: npt.NDArray[np.bool_],
    symbols: Sequence[Sequence[npt.NDArray[np.int64]]] = (),
    *,
    dark_field: bool = False,
    rgb: npt.NDArray[np.uint8] | None = None,
    standing: bool = False,
    by_hand: bool = False,
) -> CellBatch:
    """Cells of a rectified grey sheet [rows * 48 + 48, cols * 48 + 48].

    Cell k lies in row cell_rows[k], column cell_cols[k], from 0; present [n] as in `CellBatch`.
    symbols: for each way up that the sheet may lie, the cells that have the same symbol under the ink, int64 each.
    dark_field: where there is no cell the sheet may be printed dark. rgb: the sheet in colour [..., 3]; dark symbols in
    colour are looked at in the light that they show most of. standing: whether digits stand upright or on their heads,
    and don't lie on a side. by_hand: whether all ink in cells is written; then nothing is as wide and pale as a shadow.
    """
    gray = flat.astype(np.float32)
    density = ink_density(gray, CELL_PX)
    upright, level = np.ones((rows, cols + 1), dtype=np.bool_), np.ones((rows + 1, cols), dtype=np.bool_)
    if dark_field:
        mask = np.zeros((rows, cols), dtype=np.bool_)
        mask[cell_rows, cell_cols] = True
        field = _field(flat, mask)
        density[field] = 0
        # The field's edge is no line any more.
        joined = np.logical_and if field.any() else np.logical_or
        wide = np.pad(mask, 1)
        upright, level = joined(wide[1:-1, :-1], wide[1:-1, 1:]), joined(wide[:-1, 1:-1], wide[1:, 1:-1])
    clear = without_lines(density, upright, level, CELL_PX)
    hidden = np.zeros(len(ids), dtype=np.bool_)
    if any(cells.size for way in symbols for cells in way):
        hidden[_lift_symbols(gray, clear, cell_rows, cell_cols, symbols, rgb)] = True
    if by_hand:
        lit = without_tips(clear, CELL_PX)
        hidden |= _changed(clear, lit, cell_rows, cell_cols)
        clear = lit
    ink, dark, shared, strayed = _cells_of(clear, cell_rows, cell_cols, rows, cols, standing=standing)
    return CellBatch(ids, ink, present, dark, shared, hidden | strayed if by_hand else hidden)


def _changed(
    before: FloatImage, after: FloatImage, cell_rows: npt.NDArray[np.int64], cell_cols: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Which cells lost as much ink as a short stroke has: bool [n]."""
    lost = before - after > FLOOR
    if not lost.any():
        return np.zeros(len(cell_rows), dtype=np.bool_)
    return _stroke_long(_insides(lost, cell_rows, cell_cols))


def _field(flat: npt.NDArray[np.uint8], cells: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Where a sheet is printed dark around its cells [rows, cols]: no ink is to be seen there. bool of flat's shape."""
    wide = np.pad(cells, 1)
    outside = _places(~wide)
    inner = _places(wide)
    # The field next to the cells; farther away there may be a strip of another colour, or the table.
    near = (cv2.dilate(inner, np.ones((2 * RIM_PX + 1,) * 2, np.uint8)) > 0) & (outside > 0)
    if not near.any():
        return np.zeros(flat.shape, dtype=np.bool_)
    pale = float(np.percentile(flat[inner > 0][::7], PALE))
    if float(np.median(flat[near][::7])) > FIELD * pale:
        return np.zeros(flat.shape, dtype=np.bool_)
    # What is printed on the field (letters, the centre line) is no ink, either; a stroke that leaves a cell ends there.
    edge = np.ones((2 * FIELD_REACH + 1,) * 2, np.uint8)
    surely = cv2.erode(outside, edge, borderType=cv2.BORDER_CONSTANT, borderValue=1)
    # Up to the edge as it is seen: the field is wide where a stroke is narrow.
    local = cv2.blur(np.where(inner > 0, flat, 0).astype(np.float32), (CELL_PX, CELL_PX))
    weight = cv2.blur((inner > 0).astype(np.float32), (CELL_PX, CELL_PX))
    paper = local / np.maximum(weight, 1e-3)
    dark = ((flat < FIELD_EDGE * paper) | (surely > 0)).astype(np.uint8)
    solid = cv2.morphologyEx(dark, cv2.MORPH_OPEN, np.ones((FIELD_SOLID, FIELD_SOLID), np.uint8)) > 0
    reached = cv2.dilate(surely, np.ones((4 * FIELD_REACH + 1,) * 2, np.uint8)) > 0
    field = ((solid & reached) | (surely > 0)).astype(np.uint8)
    _straighten(field, cells)
    return np.asarray(cv2.dilate(field, np.ones((3, 3), np.uint8)) > 0)


def _straighten(field: npt.NDArray[np.uint8], cells: npt.NDArray[np.bool_]) -> None:
    """Takes away, in place, where the field reaches farther into a cell than it does along most of that cell's side.

    There a thick dark stroke touches it.
    """
    wide = np.pad(cells, 1)
    depth = 3 * FIELD_REACH
    rank = int(MOSTLY / 100 * CELL_PX)
    allowed = (_places(~wide) > 0).astype(np.uint8)
    for turn in range(4):  # each side comes to the top
        sheet, turned, kept = np.rot90(field, turn), np.rot90(wide, turn), np.rot90(allowed, turn)
        for row, col in np.argwhere(turned[1:-1, 1:-1] & ~turned[:-2, 1:-1]).tolist():
            top, left = RIM_PX + row * CELL_PX, RIM_PX + col * CELL_PX
            reach = sheet[top : top + depth, left : left + CELL_PX].cumprod(axis=0).sum(axis=0)
            most = int(np.partition(reach, rank)[rank]) + 1
            kept[top : top + most, left : left + CELL_PX] = 1
    field &= allowed


def _places(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
    """Places of the lattice [rows + 2, cols + 2], those around it included, as a mask of the rectified sheet."""
    spread = mask.astype(np.uint8).repeat(CELL_PX, axis=0).repeat(CELL_PX, axis=1)
    cut_away = CELL_PX - RIM_PX
    return np.ascontiguousarray(spread[cut_away : spread.shape[0] - cut_away, cut_away : spread.shape[1] - cut_away])


def _lift_symbols(
    flat: FloatImage,
    clear: FloatImage,
    cell_rows: npt.NDArray[np.int64],
    cell_cols: npt.NDArray[np.int64],
    symbols: Sequence[Sequence[npt.NDArray[np.int64]]],
    rgb: npt.NDArray[np.uint8] | None,
) -> list[int]:
    """Takes printed symbols out of `clear`, in place. flat: the picture with everything in it; rgb: in colour.

    Returns the cells with a symbol that is darker than the sheet's usual ink.
    """
    # The cell's own edges stay out: a line's remains there are as dark as a symbol.
    side = CELL_PX - 2 * EDGE_PX
    tops, lefts = RIM_PX + cell_rows * CELL_PX + EDGE_PX, RIM_PX + cell_cols * CELL_PX + EDGE_PX
    pieces = [(slice(top, top + side), slice(left, left + side)) for top, left in zip(tops, lefts, strict=True)]
    gray = np.stack([flat[piece] for piece in pieces])
    ways = [plates_of(groups, gray) for groups in symbols]
    plates = max(ways, key=lambda way: sum(plate.contrast for plate in way))
    # How dark ink is, the other cells tell: not the symbols, nor a dark field between the cells.
    under = {int(cell) for plate in plates for cell in plate.cells}
    others = np.stack([clear[piece] for k, piece in enumerate(pieces) if k not in under] or [clear])
    typical = FULL_INK
    for least in (TYPICAL_FROM, FAINT_FROM):
        inked = others[others > least]
        if inked.size > INKED * others.size:
            typical = float(np.median(inked))
            break
    covered: list[int] = []
    for plate in plates:
        seen, seen_ink = plate, typical
        if rgb is not None and plate.level < 1:
            seen, seen_ink = _in_its_light(plate, rgb, pieces, clear, typical)
        density = np.stack([clear[pieces[cell]] for cell in plate.cells])
        for cell, ink in zip(plate.cells, lifted(seen, density, typical, seen_ink), strict=True):
            clear[pieces[cell]] = ink
        if seen.level < 1 - seen_ink:
            covered += [int(cell) for cell in plate.cells]
    return covered


def _in_its_light(
    plate: Plate,
    rgb: npt.NDArray[np.uint8],
    pieces: Sequence[tuple[slice, slice]],
    clear: FloatImage,
    typical: float,
) -> tuple[Plate, float]:
    """A dark symbol in the one of red, green and blue in which it is lightest, and the density of usual ink there.

    On a blue heart a pencil is hardly to be seen but in blue, where the heart is pale and the pencil is not. As it was
    where no colour shows the symbol much lighter. typical: density of usual ink in grey.
    """
    best, best_ink = plate, typical
    others = [piece for k, piece in enumerate(pieces) if k not in set(plate.cells.tolist())]
    if not others:
        return best, best_ink
    inked = np.stack([clear[piece] for piece in others]) > max(FAINT_FROM, 0.7 * typical)
    if not inked.any():
        return best, best_ink
    for channel in range(3):
        light = rgb[:, :, channel].astype(np.float32)
        found = plate_of(plate.cells, np.stack([light[pieces[cell]] for cell in plate.cells]))
        if found is None or not best.level + LIGHTER < found.level < 1:
            continue
        cells = np.stack([light[piece] for piece in others])
        paper = np.maximum(np.percentile(cells, PALE, axis=(1, 2)), 1.0)
        ink = float(np.median((1 - cells / paper[:, None, None])[inked]))
        if found.level - (1 - ink) > best.level - (1 - best_ink) + LIGHTER:
            best, best_ink = found, ink
    return best, best_ink


def _per_cell(values: npt.NDArray[np.float32], rows: int, cols: int) -> npt.NDArray[np.float32]:
    """Values per cell [rows, cols] spread over the rectified sheet with its rim."""
    wide = np.pad(values, 1, mode="edge")
    spread = wide.repeat(CELL_PX, axis=0).repeat(CELL_PX, axis=1)
    cut_away = CELL_PX - RIM_PX
    return np.asarray(spread[cut_away : spread.shape[0] - cut_away, cut_away : spread.shape[1] - cut_away])


def _ink_mask(clear: FloatImage, rows: int, cols: int) -> npt.NDArray[np.uint8]:
    """Where there is ink: 1 or 0. Each cell's darkest ink sets its threshold, so that pencil counts beside print."""
    body = clear[RIM_PX : RIM_PX + rows * CELL_PX, RIM_PX : RIM_PX + cols * CELL_PX]
    # Every second pixel of every second row tells the same percentiles in a quarter of the time.
    side = CELL_PX // 2
    thinned = body[::2, ::2].reshape(rows, side, cols, side).transpose(0, 2, 1, 3).reshape(rows, cols, -1)
    typical, darkest = int(0.8 * thinned.shape[2]), int(0.985 * thinned.shape[2])
    ranked = np.partition(thinned, (typical, darkest), axis=2)
    peak = ranked[:, :, darkest]
    grain = 1.5 * float(np.median(ranked[:, :, typical]))
    threshold = np.maximum(CELL_SHARE * peak, max(FLOOR, grain)).astype(np.float32)
    return (clear > _per_cell(threshold, rows, cols)).astype(np.uint8)


def _owners(mask: npt.NDArray[np.uint8], rows: int, cols: int) -> npt.NDArray[np.int32]:
    """Which cell each pixel's ink belongs to: row * cols + col, -1 for none. int32 of the mask's shape."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8, ltype=cv2.CV_32S)
    cells = rows * cols
    inked = mask > 0
    label, cell = np.asarray(labels[inked], dtype=np.int32), _cell_of(rows, cols)[inked]
    pixels = np.bincount(label * cells + cell, minlength=count * cells).reshape(count, cells)
    best = pixels.argmax(axis=1).astype(np.int32)
    area = stats[:, cv2.CC_STAT_AREA]
    # Ink of two cells that touches is divided at the border; strokes of one cell that stray are not.
    whole = pixels.max(axis=1) > WHOLE * area
    owner = np.where(whole[label], best[label], cell)
    owner[(area < SPECK * CELL_PX**2)[label]] = -1
    result = np.full(mask.shape, -1, dtype=np.int32)
    result[inked] = owner
    return result


@lru_cache(maxsize=16)
def _cell_of(rows: int, cols: int) -> npt.NDArray[np.int32]:
    """The cell, row * cols + col, that each pixel of a rectified sheet lies in; the rim is part of the border's."""
    numbers = np.arange(rows * cols, dtype=np.float32).reshape(rows, cols)
    return np.asarray(_per_cell(numbers, rows, cols), dtype=np.int32)


def _windows(
    clear: FloatImage,
    owner: npt.NDArray[np.int32],
    numbers: npt.NDArray[np.int64],
    cell_rows: npt.NDArray[np.int64],
    cell_cols: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
    """Density and own-ink mask around each cell: [n, 64, 64] each."""
    extra = (WINDOW_PX - CELL_PX) // 2
    top = RIM_PX + cell_rows * CELL_PX - extra
    left = RIM_PX + cell_cols * CELL_PX - extra
    size = (WINDOW_PX, WINDOW_PX)
    windows = np.lib.stride_tricks.sliding_window_view(clear, size)[top, left]
    owners = np.lib.stride_tricks.sliding_window_view(owner, size)[top, left]
    return windows, np.asarray(owners == numbers[:, None, None], dtype=np.bool_)


def _full_ink(
    windows: npt.NDArray[np.float32], mine: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """(density that is drawn as full ink, typical density of the ink) of each cell, float32 [n] each."""
    inked = np.where(mine, windows, 0).reshape(len(windows), -1)
    count = mine.reshape(len(mine), -1).sum(axis=1)
    sums = inked.sum(axis=1)
    dark = np.where(count > 0, sums / np.maximum(count, 1), 0).astype(np.float32)
    # A stroke's middle is darker than its mean; 1.25 times the mean is near the middle of thin and thick strokes.
    return np.maximum(1.25 * dark, FAINTEST).astype(np.float32), dark


def _feather(mine: npt.NDArray[np.bool_]) -> npt.NDArray[np.float32]:
    """The mask widened by a pixel with a soft edge, so that strokes keep their antialiasing: float32 [n, 64, 64]."""
    n = len(mine)
    # One tall picture instead of n small ones; windows have a margin, so nothing bleeds between them that matters.
    tall = mine.reshape(n * WINDOW_PX, WINDOW_PX).astype(np.uint8) * 255
    wide = cv2.blur(cv2.dilate(tall, np.ones((3, 3), np.uint8)), (3, 3))
    return np.asarray(wide.reshape(n, WINDOW_PX, WINDOW_PX) / 255, dtype=np.float32)


def close_ups(soft: npt.NDArray[np.float32], mine: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
    """Each cell's ink brought to one size and centred: uint8 [n, 32, 32], zeros where there is no ink."""
    n, side = len(soft), soft.shape[1]
    result = np.zeros((n, INPUT_PX, INPUT_PX), dtype=np.uint8)
    by_row = np.asarray(mine.any(axis=2), dtype=np.bool_)
    by_col = np.asarray(mine.any(axis=1), dtype=np.bool_)
    inked = np.asarray(by_row.any(axis=1), dtype=np.bool_)
    top, bottom = by_row.argmax(axis=1), side - by_row[:, ::-1].argmax(axis=1)
    left, right = by_col.argmax(axis=1), side - by_col[:, ::-1].argmax(axis=1)
    for k in np.flatnonzero(inked):
        crop = soft[k, max(0, top[k] - 1) : bottom[k] + 1, max(0, left[k] - 1) : right[k] + 1]
        high, wide = crop.shape
        # Not enlarged without bound: a dot has to stay smaller than a digit.
        scale = min(BODY_PX / max(high, wide), 1.6)
        new = (max(1, round(wide * scale)), max(1, round(high * scale)))
        resized = cv2.resize(crop, new, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
        y, x = (INPUT_PX - new[1]) // 2, (INPUT_PX - new[0]) // 2
        result[k, y : y + new[1], x : x + new[0]] = np.round(255 * np.clip(resized, 0, 1)).astype(np.uint8)
    return result


def cells_of_density(
    clear: FloatImage, cell_rows: npt.NDArray[np.int64], cell_cols: npt.NDArray[np.int64], rows: int, cols: int
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
    """Cells out of a rectified sheet's ink density without lines, float32 [rows * 48 + 48, cols * 48 + 48], 0 to 1.

    Cell k lies at (cell_rows[k], cell_cols[k]) from 0. Gives (the reader's pictures uint8 [n, 2, 32, 32], typical
    darkness of each cell's ink float32 [n]).
    """
    ink, dark, _, _ = _cells_of(clear, cell_rows, cell_cols, rows, cols)
    return ink, dark


def _cells_of(
    clear: FloatImage,
    cell_rows: npt.NDArray[np.int64],
    cell_cols: npt.NDArray[np.int64],
    rows: int,
    cols: int,
    *,
    standing: bool = False,
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """As `cells_of_density`, and which cells share ink with another one (`CellBatch.shared`), and which have none
    although another one's strays into them as far as a short stroke is long: bool [n] each.

    standing: see `cut_rectified`.
    """
    mask = _ink_mask(clear, rows, cols)
    by_strokes = _owners(mask, rows, cols)
    owner = mended(by_strokes, _cell_of(rows, cols), cols, CELL_PX) if standing else by_strokes
    divided = owner != by_strokes
    numbers = cell_rows * cols + cell_cols
    windows, mine = _windows(clear, owner, numbers, cell_rows, cell_cols)
    has_own = np.asarray(mine.any(axis=(1, 2)), dtype=np.bool_)
    owners = _insides(owner, cell_rows, cell_cols)
    strange = (owners >= 0) & (owners != numbers[:, None, None])
    crowded = _stroke_long(strange[:, MIDDLE, MIDDLE])
    strayed = _stroke_long(strange) & ~has_own & ~crowded
    _show_strangers(mine, owner, cell_rows, cell_cols, np.flatnonzero(crowded & ~has_own))
    torn = np.isin(numbers, np.concatenate([owner[divided], by_strokes[divided]]))
    return *pictures_of_windows(windows, mine), (crowded & has_own) | torn, strayed


def _insides(
    sheet: npt.NDArray[_Scalar], cell_rows: npt.NDArray[np.int64], cell_cols: npt.NDArray[np.int64]
) -> npt.NDArray[_Scalar]:
    """Each cell's part of a rectified sheet, without what is around it: [n, 48, 48]."""
    tops, lefts = RIM_PX + cell_rows * CELL_PX, RIM_PX + cell_cols * CELL_PX
    return np.asarray(np.lib.stride_tricks.sliding_window_view(sheet, (CELL_PX, CELL_PX))[tops, lefts])


def _stroke_long(ink: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Which of n parts of cells [n, h, w] hold as much ink as a short stroke has: bool [n]."""
    return np.asarray(ink.sum(axis=(1, 2)) >= STRANGE * CELL_PX**2, dtype=np.bool_)


def _show_strangers(
    mine: npt.NDArray[np.bool_],
    owner: npt.NDArray[np.int32],
    cell_rows: npt.NDArray[np.int64],
    cell_cols: npt.NDArray[np.int64],
    crowded: npt.NDArray[np.int64],
) -> None:
    """Gives crowded cells without ink of their own what another cell's ink does in them, in place.

    Two digits that run into one another across a border count as the one's ink; a cell into which much of it reaches
    isn't blank beyond doubt. crowded: such cells, int64.
    """
    inked = _insides(owner >= 0, cell_rows[crowded], cell_cols[crowded])
    extra = (WINDOW_PX - CELL_PX) // 2
    mine[crowded, extra : extra + CELL_PX, extra : extra + CELL_PX] = inked


def pictures_of_windows(
    windows: npt.NDArray[np.float32], mine: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
    """The reader's pictures uint8 [n, 2, 32, 32] and the typical darkness of each cell's ink float32 [n].

    windows: density around each cell, float32 [n, 64, 64]; mine: which of it is the cell's own ink, bool.
    """
    full, dark = _full_ink(windows, mine)
    scaled = np.clip(windows / full[:, None, None], 0, 1)
    soft = scaled * _feather(mine)
    ink = np.zeros((len(windows), 2, INPUT_PX, INPUT_PX), dtype=np.uint8)
    # One tall picture halved is all windows halved; each output pixel is the mean of four of its own window.
    tall = np.ascontiguousarray(soft).reshape(len(windows) * WINDOW_PX, WINDOW_PX)
    pooled = cv2.resize(tall, (INPUT_PX, len(windows) * INPUT_PX), interpolation=cv2.INTER_AREA)
    ink[:, 0] = np.round(255 * pooled).astype(np.uint8).reshape(len(windows), INPUT_PX, INPUT_PX)
    ink[:, 1] = close_ups(soft, mine)
    return ink, dark
