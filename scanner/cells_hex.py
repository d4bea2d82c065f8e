"""Cuts the digits of a hex sheet out: its hexes, and the record boxes beside them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from scanner.cells import INPUT_PX, CellBatch, pictures_of_windows
from scanner.geometry import FloatArray
from scanner.intake import Photo
from scanner.locate.flatten import MmToPx
from scanner.locate.hex_boxes import boxes_of
from scanner.panels import Panel, ink_of, panel_of, windows
from scanner.templates import Cell, Template

TOUCHING_MM = 0.05
"""Boxes nearer than this share a printed line."""


def cut_hexes(photo: Photo, placement: MmToPx, template: Template) -> CellBatch:
    """All digit cells of a hex sheet, hexes first, in the template's order."""
    return joined(cut_lattice(photo, placement, template), cut_boxes(photo, placement, template))


def cut_lattice(photo: Photo, placement: MmToPx, template: Template) -> CellBatch:
    """The hexes alone, in the template's order."""
    return _cut(_panels(template)[0], photo, placement)


def cut_boxes(photo: Photo, placement: MmToPx, template: Template) -> CellBatch:
    """The digit cells beside the lattice, in the template's order."""
    batches = [_cut(panel, photo, placement) for panel in _panels(template)[1:]]
    boxes = joined(*batches)
    order = {cell_id: number for number, cell_id in enumerate(template.ids)}
    rows = np.array(sorted(range(len(boxes.ids)), key=lambda row: order[boxes.ids[row]]), dtype=np.int64)
    return CellBatch(tuple(boxes.ids[row] for row in rows), boxes.ink[rows], boxes.present[rows], boxes.darkness[rows])


def joined(*batches: CellBatch) -> CellBatch:
    """The cells of several batches, one after the other."""
    return CellBatch(
        tuple(cell_id for batch in batches for cell_id in batch.ids),
        np.concatenate([np.zeros((0, 2, INPUT_PX, INPUT_PX), np.uint8), *(batch.ink for batch in batches)]),
        np.concatenate([np.zeros(0, np.bool_), *(batch.present for batch in batches)]),
        np.concatenate([np.zeros(0, np.float32), *(batch.darkness for batch in batches)]),
    )


def _cut(panel: Panel, photo: Photo, placement: MmToPx) -> CellBatch:
    found = ink_of(panel, photo, placement)
    ink, darkness = pictures_of_windows(*windows(panel, found))
    # A cell under a finger is as absent as one beside the photo: it may hold anything.
    present = in_picture(photo, placement.project(_middles_mm(panel.cells))) & ~found.covered
    return CellBatch(tuple(cell.id for cell in panel.cells), ink, present, darkness)


def in_picture(photo: Photo, px: FloatArray) -> npt.NDArray[np.bool_]:
    """Which points [n, 2] lie in the photo: bool [n]."""
    height, width = photo.gray.shape
    inside = (px[:, 0] >= 0) & (px[:, 1] >= 0) & (px[:, 0] < width) & (px[:, 1] < height)
    return np.asarray(inside, dtype=np.bool_)


def _middles_mm(cells: tuple[Cell, ...]) -> FloatArray:
    return np.array([np.mean([[point.x, point.y] for point in cell.polygon], axis=0) for cell in cells])


@lru_cache(maxsize=32)
def _panels(template: Template) -> tuple[Panel, ...]:
    """The panels of a template's digits: its lattice, then its boxes, those that touch each other together."""
    boxes = [cell for cell in boxes_of(template) if cell.kind == "digit"]
    groups: list[list[Cell]] = []
    while boxes:
        group = [boxes.pop(0)]
        for cell in group:  # grows while it is gone through
            touching = [other for other in boxes if _touch(cell, other)]
            group += touching
            boxes = [other for other in boxes if other not in touching]
        groups.append(group)
    return (panel_of(template.lattice_cells), *(panel_of(group) for group in groups))


def _touch(one: Cell, other: Cell) -> bool:
    corners = {(round(p.x / TOUCHING_MM), round(p.y / TOUCHING_MM)) for p in one.polygon}
    return len(corners & {(round(p.x / TOUCHING_MM), round(p.y / TOUCHING_MM)) for p in other.polygon}) >= 2
