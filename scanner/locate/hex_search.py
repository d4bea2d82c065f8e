"""Hex sheets in a picture: hexes, lattices, outlines, which way up, then the bend of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from scanner.geometry import FloatArray, Homography, polygon_area, project
from scanner.locate.candidates import GrayImage, Threshold
from scanner.locate.hex_boxes import boxes_of, find_boxes
from scanner.locate.hex_fit import HexWindow, is_sheet, windows
from scanner.locate.hex_form import HexForm
from scanner.locate.hex_lattice import find_hex_lattices, find_hexes
from scanner.locate.hex_placement import HexPlacement, Way, sixth_turns
from scanner.locate.hex_refine import refined
from scanner.templates import Template

ENOUGH_SIXES = 10
"""Six-sided patches without which there is no hex sheet: a third of the smallest one's."""
SMALLEST_PX = 9.0
"""Hexes smaller than this in ``photo.rgb`` can't be read by anybody."""


@dataclass(frozen=True, eq=False)
class HexFound:
    """An outline in the working picture. corners: of the rectangle around it, px [4, 2]. area: px."""

    window: HexWindow
    corners: FloatArray
    area: float


def search(working: GrayImage, threshold: Threshold, forms: Sequence[HexForm]) -> tuple[list[HexFound], int]:
    """The outlines that lie in a working picture, smoothed for this threshold; and the most hexes seen together."""
    found: list[HexFound] = []
    most = 0
    for lattice in find_hex_lattices(find_hexes(working, threshold)):
        most = max(most, len(lattice.places))
        best = next(iter(windows(working, lattice, forms)), None)
        if best is None or not is_sheet(best):
            continue
        corners = project(best.matrix(), _rectangle(best.form.templates[0]))
        area = polygon_area(corners)
        # Negative: seen from behind. Lattices are counted clockwise, so a mirrored one doesn't come this far.
        if area > 0 and bool(np.isfinite(corners).all()):
            found.append(HexFound(best, corners, area))
    return sorted(found, key=lambda item: -item.area), most


def _rectangle(template: Template) -> FloatArray:
    """The bounding rectangle of a template's lattice in hex units [4, 2], top left first, clockwise."""
    hexes = template.hexes
    assert hexes is not None
    quad = np.array([[point.x, point.y] for point in template.mm_quad()])
    return np.asarray((quad - np.array([hexes.centre.x, hexes.centre.y])) / hexes.pitch, dtype=np.float64)


def placed(gray: GrayImage, working: GrayImage, found: HexFound) -> HexPlacement | None:
    """The sheet's place in the grey picture that `working` is a smaller copy of; null for one too small to be read."""
    scale = np.diag([gray.shape[1] / working.shape[1], gray.shape[0] / working.shape[0], 1.0])
    window = found.window
    outline = Homography(scale @ window.matrix())
    cells = len(window.form.places)
    if np.sqrt(found.area * scale[0, 0] * scale[1, 1] / cells) < SMALLEST_PX:
        return None
    ways = _ways(working, window)
    first = HexPlacement(window.form.templates[0], outline, None, 0.0, window.score, ways=ways, outline=outline)
    units, px = window.centres()
    best = first.taken(ways[0])
    turned = project(Homography(sixth_turns(-ways[0].sixths)), units)
    return refined(gray, best, (turned, px * np.diag(scale)[:2]))


def _ways(working: GrayImage, window: HexWindow) -> tuple[Way, ...]:
    """All ways of taking an outline, those first whose boxes are to be seen."""
    flat = window.matrix()
    ways = []
    for template in window.form.templates:
        boxes = boxes_of(template)
        for sixths in range(6):
            matrix = Homography(flat @ sixth_turns(sixths))
            way = HexPlacement(template, matrix, None, 0.0, window.score)
            score = find_boxes(working, way, boxes, window.contrast).score if boxes else 0.0
            ways.append(Way(template, sixths, score))
    return tuple(sorted(ways, key=lambda way: -way.boxes))


def overlap(first: FloatArray, second: FloatArray) -> float:
    """Share of the smaller convex quadrilateral [4, 2] that lies inside the other."""
    common, _ = cv2.intersectConvexConvex(first.astype(np.float32), second.astype(np.float32))
    smaller = min(abs(polygon_area(first)), abs(polygon_area(second)))
    return float(common) / max(smaller, 1e-6)
