"""How surely a printed line runs along each edge of a lattice.

The lattice's part of the picture is rectified once; then every edge of every cell is looked at together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from scanner.geometry import FloatArray, Homography
from scanner.locate.lattice import Lattice

GrayImage = npt.NDArray[np.uint8]
EvidenceArray = npt.NDArray[np.float32]

CELL_PX = 32
"""Side of a cell in the rectified picture; a pixel is then a third of the thinnest usual line's share of a cell."""
MAX_CELLS = 44
"""Rows or columns that are rectified at most; no sheet has more, a tiled floor may."""
RIM_PX = CELL_PX // 2
"""Rim of the rectified picture, so that lines at its border are whole."""
SIDEWAYS = 0.13
"""How far, in cells, a line may lie beside where the lattice expects it."""
NO_PAPER = 0.35
"""Share of the cells' brightness below which a surface is a dark field or black print, also in a shadow."""
ALONG = 30
"""Percentile of darkness along an edge: a line is dark nearly everywhere, a digit's stroke is not."""
BARE = 25
"""Percentile of what is seen inside the cells, where no line is, that is grain: in the others there is writing."""
MOST_GRAIN = 0.5
"""Grain that can be told from lines at most; 1 is as dark as these."""


@dataclass(frozen=True, slots=True)
class LineEvidence:
    """Darkness of all edges of a lattice's neighbourhood.

    first: (column, row) of the cell at index [0, 0]. upright: float32 [rows, columns + 1], for the edge at the left of
    each cell (and the last one's right). level: float32 [rows + 1, columns], the edge above each cell.
    Both 0 to 1; 1 is as dark as the lattice's own lines. upright_weight, level_weight: mean darkness across the
    edge's neighbourhood, so that a heavy line has more than a thin one; the same unit as `contrast`.
    contrast: darkness of the lattice's own lines against the paper, 0 to 1.
    grain: what the grain of the paper and of the photo looks like where no line is; the same unit as `upright`.
    visible: bool [rows, columns], whether a cell's middle lies inside the picture.
    rectified: uint8, the neighbourhood at CELL_PX px a cell with a rim of RIM_PX.
    """

    first: tuple[int, int]
    upright: EvidenceArray
    level: EvidenceArray
    upright_weight: EvidenceArray
    level_weight: EvidenceArray
    contrast: float
    grain: float
    visible: npt.NDArray[np.bool_]
    rectified: GrayImage


def rectify(
    gray: GrayImage, matrix: Homography, first: tuple[float, float], cells: tuple[float, float], cell_px: int
) -> GrayImage:
    """The picture in lattice coordinates: `cells` (columns, rows) from `first` (column, row), `cell_px` px a cell."""
    step = 1 / cell_px
    scale = np.array([[step, 0, first[0] + step / 2], [0, step, first[1] + step / 2], [0, 0, 1]], dtype=np.float64)
    size = (round(cells[0] * cell_px), round(cells[1] * cell_px))
    warped = cv2.warpPerspective(
        gray, matrix @ scale, size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(warped, dtype=np.uint8)


def _rectify_bent(
    gray: GrayImage,
    scale: tuple[float, float],
    lattice: Lattice,
    first: tuple[float, float],
    cells: tuple[float, float],
    cell_px: int,
) -> GrayImage:
    """As `rectify`, along a bent lattice. scale: px of `gray` to one of the picture that the lattice was seen in."""
    step = cell_px // 4
    width, height = round(cells[0] * cell_px), round(cells[1] * cell_px)
    x, y = np.meshgrid(
        first[0] + (np.arange(0, width + step, step) + 0.5) / cell_px,
        first[1] + (np.arange(0, height + step, step) + 0.5) / cell_px,
    )
    px = (lattice.project(np.stack([x.ravel(), y.ravel()], axis=1)) * np.asarray(scale)).astype(np.float32)
    # Sample centres of the coarse map lie `step` px apart and start at pixel 0.
    enlarge = np.array([[1 / step, 0, 0], [0, 1 / step, 0]], dtype=np.float64)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    maps = [
        cv2.warpAffine(side.reshape(x.shape), enlarge, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE)
        for side in np.ascontiguousarray(px.T)
    ]
    warped = cv2.remap(gray, maps[0], maps[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(warped, dtype=np.uint8)


def darkness(rectified: GrayImage, cell_px: int, *, floor: float = 16.0) -> EvidenceArray:
    """Ink density against the paper around it, 0 (paper) to 1 (black): float32 of the same size.

    floor: brightness below which a surface is no paper, so that its grain doesn't count for as much.
    """
    side = max(3, round(0.4 * cell_px)) | 1
    kernel = cv2.getStructuringElement(cv2.MORPH_RECT, (side, side))
    paper = cv2.morphologyEx(rectified, cv2.MORPH_CLOSE, kernel, borderType=cv2.BORDER_REPLICATE).astype(np.float32)
    return np.asarray((paper - rectified) / np.maximum(paper, floor), dtype=np.float32)


def _edges(
    dark: EvidenceArray, margin: int, columns: int, rows: int, cell_px: int
) -> tuple[EvidenceArray, EvidenceArray, EvidenceArray]:
    """For the upright edges of a darkness picture: (evidence, weight), float32 [rows, columns + 1] each.

    And the evidence of upright lines inside the cells, where there are none: float32 [rows, columns].
    """
    reach = max(1, round(SIDEWAYS * cell_px))
    at = margin + np.arange(columns + 1) * cell_px
    widest = cv2.dilate(dark, np.ones((1, 2 * reach + 1), np.uint8), borderType=cv2.BORDER_REPLICATE)
    spread = cv2.blur(dark, (2 * reach + 3, 1), borderType=cv2.BORDER_REPLICATE)
    inner = slice(round(0.15 * cell_px), round(0.85 * cell_px))
    body = widest[margin : margin + rows * cell_px]
    strips = body[:, at].reshape(rows, cell_px, columns + 1)[:, inner]
    spreads = spread[margin : margin + rows * cell_px, at].reshape(rows, cell_px, columns + 1)[:, inner]
    rank = int(strips.shape[1] * ALONG / 100)
    evidence = np.partition(strips, rank, axis=1)[:, rank]
    middle = strips.shape[1] // 2
    weight = np.partition(spreads, middle, axis=1)[:, middle]
    # Left and right of a cell's middle, where most digits stand.
    quarter = np.concatenate([at[:-1] + cell_px // 4, at[:-1] + 3 * cell_px // 4])
    beside = body[:, quarter].reshape(rows, cell_px, 2 * columns)[:, inner]
    bare = np.partition(beside, rank, axis=1)[:, rank].reshape(rows, 2, columns).min(axis=1)
    return evidence.astype(np.float32), weight.astype(np.float32), bare.astype(np.float32)


def line_evidence(gray: GrayImage, lattice: Lattice, reach: tuple[int, int]) -> LineEvidence | None:
    """Line evidence around a lattice; null when its neighbourhood is no sensible piece of the picture.

    reach: (columns, rows) that the neighbourhood has at least on each side of the lattice's patches.
    """
    low = lattice.places.min(axis=0)
    high = lattice.places.max(axis=0) + 1
    extent = high - low
    before = low - np.asarray(reach)
    columns, rows = (int(n) for n in extent + 2 * np.asarray(reach))
    if columns > MAX_CELLS or rows > MAX_CELLS:
        return None
    # Thin lines would fall between the samples if the picture were much finer than the rectified one.
    shrink = CELL_PX / lattice.pitch
    picture, matrix = gray, lattice.matrix
    sx = sy = 1.0
    if shrink < 0.7:
        picture = np.asarray(cv2.resize(gray, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        sx, sy = picture.shape[1] / gray.shape[1], picture.shape[0] / gray.shape[0]
        matrix = Homography(np.diag([sx, sy, 1.0]) @ lattice.matrix)
    pad = RIM_PX / CELL_PX
    start, size = (float(before[0]) - pad, float(before[1]) - pad), (columns + 2 * pad, rows + 2 * pad)
    if lattice.curve is None:
        rectified = rectify(picture, matrix, start, size, CELL_PX)
    else:
        rectified = _rectify_bent(picture, (sx, sy), lattice, start, size, CELL_PX)
    places = lattice.places - before
    middles = RIM_PX + places * CELL_PX + CELL_PX // 2
    cells_bright = float(np.percentile(rectified[middles[:, 1], middles[:, 0]], 75))
    dark = darkness(rectified, CELL_PX, floor=max(16.0, NO_PAPER * cells_bright))
    upright, upright_weight, upright_bare = _edges(dark, RIM_PX, columns, rows, CELL_PX)
    level, level_weight, level_bare = _edges(np.ascontiguousarray(dark.T), RIM_PX, rows, columns, CELL_PX)
    level, level_weight, level_bare = level.T, level_weight.T, level_bare.T
    own = np.concatenate(
        [
            upright[places[:, 1], places[:, 0]],
            upright[places[:, 1], places[:, 0] + 1],
            level[places[:, 1], places[:, 0]],
            level[places[:, 1] + 1, places[:, 0]],
        ]
    )
    contrast = float(np.median(own))
    if contrast < 0.02:
        return None
    full = 0.6 * contrast
    bare = np.concatenate([cells[places[:, 1], places[:, 0]] for cells in (upright_bare, level_bare)])
    grain = float(np.percentile(bare, BARE)) / full
    # What lies outside the picture shows neither a line nor its absence.
    visible = _visible(gray.shape, lattice.matrix, (int(before[0]), int(before[1])), columns, rows)
    upright = np.clip(upright / full, 0, 1)
    level = np.clip(level / full, 0, 1)
    wide = np.pad(visible, 1)
    upright *= wide[1:-1, :-1] | wide[1:-1, 1:]
    level *= wide[:-1, 1:-1] | wide[1:, 1:-1]
    first = (int(before[0]), int(before[1]))
    return LineEvidence(first, upright, level, upright_weight, level_weight, contrast, grain, visible, rectified)


def without_grain(evidence: LineEvidence) -> LineEvidence:
    """The same evidence where what grain looks like counts for nothing.

    Faint lines on coarse paper in a dark photo are hardly darker than its grain, which then seems to carry them on
    beyond the sheet.
    """
    grain = min(max(evidence.grain, 0.0), MOST_GRAIN)
    upright, level = (np.clip((edges - grain) / (1 - grain), 0, 1) for edges in (evidence.upright, evidence.level))
    return replace(evidence, upright=upright.astype(np.float32), level=level.astype(np.float32))


STEP_FROM, STEP_FULL = 0.12, 0.35
"""Relative steps of brightness at which the edge of a pale cell on a dark field begins to count, and counts fully."""
CELL_MIDDLE = 0.6
"""Share of a cell's side that tells its brightness: its lines, and what is printed across them, are left out."""
FIELD, PALE = 0.3, 0.45
"""Brightness of a cell's middle, as a share of the brightest near it, up to which it is dark field, and from which it
is a pale cell, in a shadow perhaps."""
NEARBY = 5
"""Cells along a side of the neighbourhood in which the brightest is looked for."""
BRIGHT = 75
"""Percentile of brightness in a cell's middle that is its paper, though a heart or a digit may cover half of it."""


def with_field_steps(evidence: LineEvidence) -> LineEvidence:
    """The same evidence where an edge between a pale cell and a dark field counts as a line, too.

    Such a field has no printed lines of its own, and none that could be seen around the cells at its rim: what looks
    like a line inside it is its grain.
    """
    rows, columns = evidence.visible.shape
    body = evidence.rectified[RIM_PX : RIM_PX + rows * CELL_PX, RIM_PX : RIM_PX + columns * CELL_PX]
    cells = body.reshape(rows, CELL_PX, columns, CELL_PX).transpose(0, 2, 1, 3)
    bright = _paper_of(cells)
    near = cv2.dilate(bright, np.ones((NEARBY, NEARBY), np.uint8), borderType=cv2.BORDER_REPLICATE)
    pale = np.clip((bright / np.maximum(near, 16.0) - FIELD) / (PALE - FIELD), 0, 1)
    wide = np.pad(pale, 1, mode="edge")
    upright = evidence.upright * np.maximum(wide[1:-1, :-1], wide[1:-1, 1:])
    level = evidence.level * np.maximum(wide[:-1, 1:-1], wide[1:, 1:-1])
    # Beside the edge only: a sheet may end within the next cell of the lattice, and what lies beyond is no step.
    half = CELL_PX // 2
    left, right = _paper_of(cells[:, :, :, :half]), _paper_of(cells[:, :, :, half:])
    top, bottom = _paper_of(cells[:, :, :half]), _paper_of(cells[:, :, half:])
    upright[:, 1:-1] = np.maximum(upright[:, 1:-1], _step(right[:, :-1], left[:, 1:]))
    level[1:-1] = np.maximum(level[1:-1], _step(bottom[:-1], top[1:]))
    return replace(evidence, upright=upright, level=level)


def _paper_of(cells: npt.NDArray[np.uint8]) -> EvidenceArray:
    """Brightness of the paper in cells or halves of them [rows, columns, h, w]: float32 [rows, columns]."""
    rows, columns, high, wide = cells.shape
    down, across = (round((1 - CELL_MIDDLE) / 2 * size) for size in (high, wide))
    inner = cells[:, :, down : high - down, across : wide - across].reshape(rows, columns, -1)
    rank = int(inner.shape[2] * BRIGHT / 100)
    return np.partition(inner, rank, axis=2)[:, :, rank].astype(np.float32)


def _step(one: EvidenceArray, other: EvidenceArray) -> EvidenceArray:
    """How clearly the brightness of two neighbours differs, 0 to 1."""
    relative = np.abs(one - other) / np.maximum(np.maximum(one, other), 16.0)
    return np.asarray(np.clip((relative - STEP_FROM) / (STEP_FULL - STEP_FROM), 0, 1), dtype=np.float32)


def _visible(
    shape: tuple[int, ...], matrix: Homography, first: tuple[int, int], columns: int, rows: int
) -> npt.NDArray[np.bool_]:
    """Which cells have their centre inside the picture, in front of the camera: bool [rows, columns]."""
    x, y = np.meshgrid(first[0] + np.arange(columns) + 0.5, first[1] + np.arange(rows) + 0.5)
    points: FloatArray = np.stack([x.ravel(), y.ravel(), np.ones(x.size)], axis=1) @ matrix.T
    w = points[:, 2]
    front = w * np.sign(np.median(w)) > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        px, py = points[:, 0] / w, points[:, 1] / w
    inside = front & (px > -1) & (py > -1) & (px < shape[1] + 1) & (py < shape[0] + 1)
    return np.asarray(inside.reshape(rows, columns))
