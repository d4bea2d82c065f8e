"""Follows the printed lines of a found sheet at the picture's own resolution, and bends the lattice to them."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from scanner.geometry import FloatArray, Homography
from scanner.locate.evidence import EvidenceArray, GrayImage, darkness, rectify
from scanner.locate.mesh import DEGREE, Mesh, fit_smooth

MaskArray = npt.NDArray[np.bool_]
SideArray = npt.NDArray[np.int8]

CELL_PX = 32
REACH = 0.22
"""How far, in cells, a line is looked for beside its expected place: with more, a digit would be taken for it."""
STEP_REACH = 0.42
"""The same for the edge of a dark field, for which no digit is taken."""
FIELD = 0.6
"""Brightness of a dark field, as a share of the cell's beside it, at most."""
HALF_LINE = 0.012
"""Half the width, in cells, of the line at a dark field's edge."""
MARGIN = 0.5
MIN_CROSSINGS = 30
FLAT_GUESS = 0.05
"""Weight of the guess that paper is flat at a crossing, against one that was seen."""
SETTLED = 0.03
"""Once no line moves by more than this, in cells, another round wouldn't change a reading."""
UNSEEN, LEANING = 0.05, 0.2
"""Weight up to which a line counts as not seen, and the weight that its neighbour's offset then has."""
FLAT = 0.015
"""Largest displacement, in cells, that is still called flat; below it the mesh is left out."""


@dataclass(frozen=True, slots=True)
class PrintedLines:
    """Edges of a lattice at which a line is printed.

    upright: bool [rows, cols + 1]. level: bool [rows + 1, cols]. upright_rim, level_rim: of the same shapes, on which
    side of a line at the rim the cell is: 1 right of it or below, -1 left or above, 0 where it isn't at the rim; all 0
    for sheets that have no dark field.
    """

    upright: MaskArray
    level: MaskArray
    upright_rim: SideArray
    level_rim: SideArray

    @classmethod
    def around(cls, cells: MaskArray, *, dark_field: bool) -> PrintedLines:
        """The lines of the cells [rows, cols]; dark_field: where there is no cell the paper may be printed dark."""
        upright, upright_rim = _lines_of(cells)
        level, level_rim = _lines_of(cells.T)
        if not dark_field:
            upright_rim, level_rim = np.zeros_like(upright_rim), np.zeros_like(level_rim)
        return cls(upright, np.ascontiguousarray(level.T), upright_rim, np.ascontiguousarray(level_rim.T))


def _lines_of(cells: MaskArray) -> tuple[MaskArray, SideArray]:
    """The upright lines of cells [rows, cols] and which of them are at the rim, as in `PrintedLines`."""
    wide = np.pad(cells, 1)[1:-1].astype(np.int8)
    return (wide[:, :-1] + wide[:, 1:]) > 0, np.asarray(wide[:, 1:] - wide[:, :-1], dtype=np.int8)


@dataclass(frozen=True, slots=True)
class Crossings:
    """Crossings of lines: where flat paper would have them and where they are, lattice coordinates [n, 2] each."""

    expected: FloatArray
    seen: FloatArray


@dataclass(frozen=True, slots=True)
class Refined:
    """A bent lattice.

    mesh: null for flat paper. residual: RMS distance of the lines from it, in cells. worst_line: the same of the line
    that is followed worst.
    """

    mesh: Mesh | None
    residual: float
    worst_line: float


def _follow(
    dark: EvidenceArray, flat: GrayImage, lines: MaskArray, rim: SideArray, margin: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Offsets of the upright lines, edge by edge.

    dark: the darkness of the flat picture. lines: bool [rows, cols + 1], the edges at which a line is printed. rim: of
    `PrintedLines`.

    Returns points [n, 2] (column, row of the edge's middle), offsets [n] in cells and weights [n] (0: no line seen).
    """
    rows, cols = lines.shape[0], lines.shape[1] - 1
    steps, is_step = _steps(flat, rim, margin)
    # A line at the edge of a dark field is part of the field; plain paper has its line there.
    on_field = is_step.sum() > 0.5 * np.count_nonzero(rim)
    expected = lines & (rim == 0) if on_field else lines
    reach = round(REACH * CELL_PX)
    inner = round(0.12 * CELL_PX)
    strip = dark[margin : margin + rows * CELL_PX].reshape(rows, CELL_PX, dark.shape[1])[:, inner:-inner]
    along = strip.mean(axis=1)  # [rows, width]
    # A line is dark all along, a digit's stroke only in part: the low quartile tells them apart better than the mean.
    low = np.partition(strip, strip.shape[1] // 4, axis=1)[:, strip.shape[1] // 4]
    profile = cv2.GaussianBlur((0.5 * along + low).astype(np.float32), (0, 0), sigmaX=1.0, sigmaY=0.1)
    at = margin + np.arange(cols + 1) * CELL_PX
    window = at[:, None] + np.arange(-reach, reach + 1)[None, :]
    seen = profile[:, window]  # [rows, cols + 1, 2 * reach + 1]
    # A mild pull towards the expected place decides between a line and its double.
    pull = 1 - 0.25 * np.abs(np.arange(-reach, reach + 1)) / reach
    weighted = seen * pull
    peak = weighted.argmax(axis=2)
    height = np.take_along_axis(seen, peak[:, :, None], axis=2)[:, :, 0]
    floor = np.median(seen, axis=2)
    # The centre of a wide line is the centre of its darkness, not its darkest pixel.
    over = np.clip(seen - (0.5 * (height + floor))[:, :, None], 0, None)
    near = np.abs(np.arange(2 * reach + 1)[None, None, :] - peak[:, :, None]) <= max(2, reach // 3)
    over = over * near
    total = over.sum(axis=2)
    centre = (over * np.arange(-reach, reach + 1)).sum(axis=2) / np.maximum(total, 1e-6)
    strength = height - floor
    typical = float(np.median(strength[expected]))
    weights = np.clip(strength / max(typical, 1e-3) - 0.3, 0, 1)
    weights[(total <= 1e-6) | ~expected] = 0
    offsets = (centre + 0.5) / CELL_PX
    if on_field:
        offsets, weights = np.where(is_step, steps, offsets), np.where(is_step, 1.0, weights)
    _lean_on_neighbours(offsets, weights)
    # Pixel k of the rectified picture shows what lies (k + 0.5) px from its edge: a line at its place peaks at -0.5.
    row, col = np.meshgrid(np.arange(rows) + 0.5, np.arange(cols + 1), indexing="ij")
    points = np.stack([col.ravel(), row.ravel()], axis=1).astype(np.float64)
    return points, offsets.ravel(), weights.ravel().astype(np.float64)


def _steps(flat: GrayImage, rim: SideArray, margin: int) -> tuple[FloatArray, MaskArray]:
    """Where a dark field ends and a pale cell begins: (offsets in cells, whether such a step is seen) [rows, cols + 1].

    rim: which side the cell is on, of `PrintedLines`.
    """
    offsets, seen = np.zeros(rim.shape), np.zeros(rim.shape, dtype=np.bool_)
    row, line = np.nonzero(rim)
    if not len(row):
        return offsets, seen
    rows, inner, reach = rim.shape[0], round(0.15 * CELL_PX), round(STEP_REACH * CELL_PX)
    strip = flat[margin : margin + rows * CELL_PX].reshape(rows, CELL_PX, flat.shape[1])[:, inner:-inner]
    # Strokes that reach the edge, arrow heads and letters are beside most of its length.
    profile = np.partition(strip, strip.shape[1] // 2, axis=1)[:, strip.shape[1] // 2].astype(np.float64)
    side = rim[row, line].astype(np.int64)
    # From the field into the cell, whichever side it is on. The edge lies between two pixels.
    along = np.arange(-reach, reach)
    at = (margin + line * CELL_PX)[:, None] + np.where(side[:, None] > 0, along, -1 - along)
    values = profile[row[:, None], at]
    ends = max(2, reach // 4)
    low, high = np.median(values[:, :ends], axis=1), np.median(values[:, -ends:], axis=1)
    middle = ((low + high) / 2)[:, None]
    rises = (values[:, :-1] < middle) & (values[:, 1:] >= middle)
    nearest = np.where(rises, np.abs(along[:-1] + 1), np.inf).argmin(axis=1)
    number = np.arange(len(row))
    before, after = values[number, nearest], values[number, nearest + 1]
    share = (middle[:, 0] - before) / np.maximum(after - before, 1e-6)
    # The printed line is part of the dark side.
    offsets[row, line] = side * ((along[nearest] + 0.5 + share) / CELL_PX - HALF_LINE)
    seen[row, line] = (low < FIELD * high) & rises.any(axis=1)
    return offsets, seen


def _lean_on_neighbours(offsets: FloatArray, weights: FloatArray) -> None:
    """Gives edges where no line was seen a little of the nearest seen line's offset in their row, in place.

    Without that the polynomial may do what it likes at a rim that has no lines (pale cells on a dark field).
    """
    rows = len(weights)
    for row in range(rows):
        seen = np.flatnonzero(weights[row] > UNSEEN)
        if not len(seen):
            continue
        unseen = np.flatnonzero(weights[row] <= UNSEEN)
        nearest = seen[np.abs(unseen[:, None] - seen[None, :]).argmin(axis=1)]
        offsets[row, unseen] = offsets[row, nearest]
        weights[row, unseen] = LEANING


def bend_map(
    matrix: Homography, mesh: Mesh | None, first: float, cols: float, rows: float, cell_px: int
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Maps for cv2.remap from a rectified picture of the lattice (with a rim of -first cells) to px of the photo."""
    width, height = round(cols * cell_px), round(rows * cell_px)
    # The mesh is smooth, so a coarse map, enlarged, is the same to a hundredth of a pixel and far quicker.
    step = max(1, cell_px // 4)
    xs = np.arange(0, width + step, step)
    ys = np.arange(0, height + step, step)
    grid_x, grid_y = np.meshgrid(first + (xs + 0.5) / cell_px, first + (ys + 0.5) / cell_px)
    points = np.stack([grid_x.ravel(), grid_y.ravel()], axis=1)
    if mesh is not None:
        points = mesh.displace(points)
    mapped = points @ matrix[:, :2].T + matrix[:, 2]
    px = (mapped[:, :2] / mapped[:, 2:3] - 0.0).astype(np.float32)
    coarse_x = px[:, 0].reshape(grid_x.shape)
    coarse_y = px[:, 1].reshape(grid_x.shape)
    # Sample centres of the coarse map lie `step` apart and start at pixel 0.
    to_coarse = np.array([[1 / step, 0, 0], [0, 1 / step, 0]], dtype=np.float64)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    map_x = cv2.warpAffine(coarse_x, to_coarse, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    map_y = cv2.warpAffine(coarse_y, to_coarse, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(map_x, dtype=np.float32), np.asarray(map_y, dtype=np.float32)


def _first_bend(crossings: Crossings, size: tuple[float, float]) -> Mesh | None:
    """A bend from the crossings of the search alone; it brings far displaced lines within reach of the follower."""
    n = len(crossings.expected)
    if n < MIN_CROSSINGS:
        return None
    # Where no crossing was seen (in a shadow, under a thumb), flat paper is the best guess; without it the polynomials
    # would run away there.
    x, y = np.meshgrid(np.arange(size[0] + 1), np.arange(size[1] + 1))
    flat = np.stack([x.ravel(), y.ravel()], axis=1)
    points = np.concatenate([crossings.expected, flat])
    offsets = np.concatenate([crossings.seen - crossings.expected, np.zeros_like(flat)])
    weights = np.concatenate([np.ones(n), np.full(len(flat), FLAT_GUESS)])
    dx = fit_smooth(points, offsets[:, 0], weights, size, degree=3)
    dy = fit_smooth(points, offsets[:, 1], weights, size, degree=3)
    return Mesh(size, dx, dy)


def _worst_line(left: FloatArray, weights: FloatArray, edges: int) -> float:
    """RMS of what is left of the offsets along the line that has most; `edges` to a line, ordered edge by edge."""
    squares = (weights * left**2).reshape(edges, -1).sum(axis=0)
    return float(np.sqrt((squares / np.maximum(weights.reshape(edges, -1).sum(axis=0), 1.0)).max()))


def refine(
    gray: GrayImage, matrix: Homography, lines: PrintedLines, crossings: Crossings, *, degree: int = DEGREE
) -> Refined:
    """Bends a lattice to the lines of a grey picture; `matrix` maps lattice coordinates to its px.

    degree: of the bend; a low one where a sheet's corners have no lines that would hold it.
    """
    most = degree
    rows, cols = lines.upright.shape[0], lines.level.shape[1]
    size = (float(cols), float(rows))
    mesh = _first_bend(crossings, size)
    residual = worst_line = 0.0
    margin = round(MARGIN * CELL_PX)
    for degree in (min(3, most), most, most):
        if mesh is None:
            flat = rectify(gray, matrix, (-MARGIN, -MARGIN), (cols + 2 * MARGIN, rows + 2 * MARGIN), CELL_PX)
        else:
            map_x, map_y = bend_map(matrix, mesh, -MARGIN, cols + 2 * MARGIN, rows + 2 * MARGIN, CELL_PX)
            flat = np.asarray(
                cv2.remap(gray, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8
            )
        dark = darkness(flat, CELL_PX)
        points_x, off_x, weight_x = _follow(dark, flat, lines.upright, lines.upright_rim, margin)
        points_t, off_y, weight_y = _follow(
            np.ascontiguousarray(dark.T), np.ascontiguousarray(flat.T), lines.level.T, lines.level_rim.T, margin
        )
        points_y = points_t[:, ::-1]
        dx = fit_smooth(points_x, off_x, weight_x, size, degree=degree)
        dy = fit_smooth(points_y, off_y, weight_y, size, degree=degree)
        step = Mesh(size, dx, dy)
        left_x = off_x - (step.displace(points_x)[:, 0] - points_x[:, 0])
        left_y = off_y - (step.displace(points_y)[:, 1] - points_y[:, 1])
        total = float(weight_x.sum() + weight_y.sum())
        residual = float(np.sqrt(((weight_x * left_x**2).sum() + (weight_y * left_y**2).sum()) / max(total, 1e-6)))
        worst_line = max(_worst_line(left_x, weight_x, rows), _worst_line(left_y, weight_y, cols))
        mesh = step if mesh is None else Mesh(size, mesh.dx + dx, mesh.dy + dy)
        moved_x = np.abs(step.displace(points_x)[:, 0] - points_x[:, 0]).max()
        moved_y = np.abs(step.displace(points_y)[:, 1] - points_y[:, 1]).max()
        if degree == most and max(moved_x, moved_y) < SETTLED:
            break
    assert mesh is not None
    corners = np.array([[0, 0], [cols, 0], [cols, rows], [0, rows], [cols / 2, rows / 2]], dtype=np.float64)
    if float(np.abs(mesh.displace(corners) - corners).max()) < FLAT and float(np.abs(mesh.dx).max()) < FLAT:
        mesh = None
    return Refined(mesh, residual, worst_line)
