"""How the ink in a table's cells looks: printed icons and words differ in thickness or colour from what a pen wrote."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from scanner.geometry import FloatArray
from scanner.intake import Photo
from scanner.locate.refine import bend_map
from scanner.locate.table_placement import TablePlacement

CELL_PX = 40
"""Height of a usual cell in the rectified sheet."""
INSET = 0.12
"""Of a cell's shorter side: its rim, where printed lines run, is not looked at."""
PAPER_RANK = 80
"""Percentile of a cell's brightness that is its paper, also where an icon fills half of it."""
LEAST_INK = 0.10
"""Least absorption (natural logarithm of paper to ink) of ink."""
INK_SHARE = 0.45
"""Ink is what absorbs at least this share of what a cell's darkest ink absorbs."""
FEWEST_PX = 12


@dataclass(frozen=True, eq=False, slots=True)
class Looks:
    """Of n cells. thick: float64 [n], radius of the thickest ink as a share of the cell's height, 0 without ink.

    colour: float64 [n, 3], how much of red, green and blue the ink absorbs, of length 1; zeros without ink.
    """

    thick: FloatArray
    colour: FloatArray


def ink_looks(photo: Photo, placement: TablePlacement, ids: tuple[str, ...]) -> Looks:
    """How the ink in the cells of these ids looks."""
    wide, high = placement.extent
    map_x, map_y = bend_map(placement.lattice, placement.mesh, 0.0, wide, high, CELL_PX)
    flat = cv2.remap(photo.rgb, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    rgb = np.asarray(flat, dtype=np.float32)
    thick, colour = np.zeros(len(ids)), np.zeros((len(ids), 3))
    origin = np.array([*placement.origin, *placement.origin])
    for k, cell_id in enumerate(ids):
        polygon = placement.template.cell(cell_id).polygon
        mm = np.array([polygon[0].x, polygon[0].y, polygon[2].x, polygon[2].y])
        left, top, right, bottom = (mm - origin) / placement.unit * CELL_PX
        inset = INSET * min(right - left, bottom - top)
        piece = rgb[round(top + inset) : round(bottom - inset), round(left + inset) : round(right - inset)]
        if min(piece.shape[:2]) >= 4:
            thick[k], colour[k] = _look(piece, bottom - top)
    return Looks(thick, colour)


def _look(piece: npt.NDArray[np.float32], height: float) -> tuple[float, FloatArray]:
    """Thickness and colour of the ink in a cell [h, w, 3] of that height in px."""
    paper = np.percentile(piece, PAPER_RANK, axis=(0, 1))
    absorbed = np.clip(np.log((paper + 4) / (piece + 4)), 0, None)
    dark = cv2.blur(np.asarray(absorbed.max(axis=2), dtype=np.float32), (3, 3))
    limit = max(LEAST_INK, INK_SHARE * float(np.percentile(dark, 99.5)))
    mask = np.asarray(dark > limit)
    if mask.sum() < FEWEST_PX:
        return 0.0, np.zeros(3)
    radius = float(cv2.distanceTransform(np.pad(mask, 1).astype(np.uint8), cv2.DIST_L2, 3).max())
    mean = absorbed[mask].mean(axis=0)
    return radius / height, np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-6), dtype=np.float64)
