"""Cuts the cells that hold whole numbers out of a sheet: of score tables, and boxes beside a lattice.

Like `scanner.cells` for cells of any size: paper is divided out cell by cell, so that coloured rows and shadows are
paper too (`table_paper`); printed lines along the cells' sides are taken away, but for the strokes that cross them or
go on along them (`table_lines`); what is left is ink, which belongs to cells by connected strokes (`table_owners`): a
digit across a border goes with the number that it makes likelier (`table_rows`), digits that touch there are parted
(`table_parts`).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from scanner.intake import Photo
from scanner.locate.flatten import flattened
from scanner.locate.placement import Placement
from scanner.locate.refine import bend_map
from scanner.locate.table_placement import TablePlacement
from scanner.table_boxes import framed, on_outlines
from scanner.table_lines import lines_and_strokes
from scanner.table_owners import ink_mask, owners
from scanner.table_paper import CELL_PX, FLOOR, FloatImage, Rects, density_by_cell, whole_px

__all__ = ["CELL_PX", "HIGH", "WIDE", "NumberBatch", "Rects", "cut_number_boxes", "cut_numbers", "cut_table"]

RIM = 0.5
"""Of a cell's height, around the rectified table: ink slides over the border there, too."""
HIGH, WIDE = 40, 112
"""Size of the reader's pictures of numbers, px."""
BODY_HIGH, BODY_WIDE = 32, 106
"""The ink fills the picture up to this height or width, px."""
SMALLEST = 0.45
"""Ink lower than this share of its cell isn't brought to the full height: a dash has to stay a dash."""
FLAT = 0.11
"""Height, as a share of a box's, up to which ink in it is what is left of its frame."""
BOX_EDGE = 0.09
"""Rim of a box, as a share of its height, whose darkness may be its frame's."""
FAINTEST = 0.16
"""Darkness that counts as full ink at least: what is fainter stays grey for the reader, so that it can doubt it."""
STROKE_RIM = 0.12
"""Of the cell's height: so far inside its cell a stroke is shown that ran along its side."""


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
    rects = on_outlines(flat, rects)
    corners = np.stack([mm[:, [0, 1]], mm[:, [2, 1]], mm[:, [2, 3]], mm[:, [0, 3]]], axis=1)
    px = placement.project(corners.reshape(-1, 2)).reshape(-1, 4, 2)
    limits = np.array([photo.gray.shape[1], photo.gray.shape[0]])
    present = np.asarray(((px >= 0) & (px < limits)).all(axis=(1, 2)), dtype=np.bool_)
    present &= framed(flat, rects)
    return cut_numbers(flat, rects, len(boxes), tuple(box.id for box in boxes), present, apart=True)


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
    clear, back = lines_and_strokes(density, rects)
    if apart:
        inside = np.zeros(clear.shape, dtype=np.bool_)
        inset = round(BOX_EDGE * CELL_PX)
        for left, top, right, bottom in whole_px(rects, clear.shape):
            inside[top + inset : bottom - inset, left + inset : right - inset] = True
        clear[~inside] = 0
        _drop_flat(clear)
    owner, moved = owners(ink_mask(clear, rects), rects)
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
