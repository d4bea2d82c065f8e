"""The photo as a person would hold the sheet: upright, cropped to the sheet and a margin, at a size for a screen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np
import numpy.typing as npt

from scanner.geometry import FloatArray, Homography, project

if TYPE_CHECKING:
    from scanner.templates import Template

SHEET_LONG_SIDE = 1120
"""Long side in px of the view; with banner and notes the finished picture comes to about 1600."""
MARGIN = 0.07
"""Surroundings kept on each side, as a part of the long side of all cells together: room for row and column names."""
OUTSIDE = (235, 235, 235)
"""Where the view reaches beyond the photo."""
SHRINK_FIRST = 1.5
"""From this many photo px per view px on, the photo is averaged down first: sampling alone would lose thin strokes."""
ENLARGED = 0.7
"""Below this many photo px per view px a smoother interpolation is worth its time."""


@dataclass(frozen=True, slots=True)
class Upright:
    """picture: uint8 [h, w, 3], RGB. polygons: corners of each cell in px of `picture`, [k, 2], keyed by id."""

    picture: npt.NDArray[np.uint8]
    polygons: Mapping[str, FloatArray]


def upright(rgb: npt.NDArray[np.uint8], template: Template, polygons: Mapping[str, FloatArray]) -> Upright:
    """Turns, crops and scales the photo so that the template's axes are the picture's.

    polygons: corners of the cells in px of `rgb`, in the order of the template's polygons; cells may be left out.
    A sheet photographed at an angle is rectified; the bend of the paper stays (the cells' polygons follow it).
    """
    if rgb.ndim != 3 or rgb.shape[2] != 3 or rgb.dtype != np.uint8:
        raise ValueError(f"rgb: expected uint8 [h, w, 3], got {rgb.dtype} {rgb.shape}")
    if not polygons:
        raise ValueError("polygons: expected at least one cell, got none")
    on_sheet = np.array([[p.x, p.y] for cell_id in polygons for p in template.cell(cell_id).polygon], dtype=np.float64)
    in_photo = np.concatenate([np.asarray(polygon, dtype=np.float64) for polygon in polygons.values()])
    if on_sheet.shape != in_photo.shape:
        raise ValueError(f"polygons: expected {on_sheet.shape[0]} corners in all, got {in_photo.shape[0]}")
    sheet_to_photo, _ = cv2.findHomography(on_sheet, in_photo, 0)
    if sheet_to_photo is None:
        raise ValueError("polygons: the cells lie on one line")

    low, high = on_sheet.min(axis=0), on_sheet.max(axis=0)
    margin = MARGIN * float((high - low).max())
    low, high = low - margin, high + margin
    scale = SHEET_LONG_SIDE / float((high - low).max())
    width, height = (max(1, int(side)) for side in np.round((high - low) * scale))
    view_to_sheet = np.array([[1 / scale, 0, low[0]], [0, 1 / scale, low[1]], [0, 0, 1]], dtype=np.float64)
    view_to_photo = Homography(np.asarray(sheet_to_photo @ view_to_sheet, dtype=np.float64))

    photo_to_view = Homography(np.asarray(np.linalg.inv(view_to_photo), dtype=np.float64))
    return Upright(
        _warp(rgb, view_to_photo, (width, height)),
        {cell_id: project(photo_to_view, np.asarray(p, dtype=np.float64)) for cell_id, p in polygons.items()},
    )


def _warp(rgb: npt.NDArray[np.uint8], view_to_photo: Homography, size: tuple[int, int]) -> npt.NDArray[np.uint8]:
    """The view of `size` (width, height)."""
    width, height = size
    corners = project(view_to_photo, np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float64))
    # only the part of the photo that the view shows, so that a small grid in a large photo costs no more
    bounds = (rgb.shape[1], rgb.shape[0])
    x0, y0 = (int(np.clip(np.floor(v) - 2, 0, b - 1)) for v, b in zip(corners.min(axis=0), bounds, strict=True))
    x1, y1 = (int(np.clip(np.ceil(v) + 2, 1, b)) for v, b in zip(corners.max(axis=0), bounds, strict=True))
    part = rgb[y0 : max(y1, y0 + 1), x0 : max(x1, x0 + 1)]

    edges = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    density = float(edges.sum()) / (2 * (width + height))
    shrink = np.array([1.0, 1.0])
    if density > SHRINK_FIRST:
        small = (max(1, round(part.shape[1] / density)), max(1, round(part.shape[0] / density)))
        shrink = np.array([small[0] / part.shape[1], small[1] / part.shape[0]])
        part = np.asarray(cv2.resize(part, small, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    to_part = np.diag([shrink[0], shrink[1], 1.0]) @ np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1.0]])
    interpolation = cv2.INTER_CUBIC if density < ENLARGED else cv2.INTER_LINEAR
    view = cv2.warpPerspective(
        part,
        to_part @ view_to_photo,
        size,
        flags=interpolation | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=OUTSIDE,
    )
    return np.asarray(view, dtype=np.uint8)
