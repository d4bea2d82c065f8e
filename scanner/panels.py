"""Parts of a sheet whose cells are hexes or boxes, seen from above, and their ink: without paper, lines, neighbours.

The same steps as for square lattices (`scanner.cells`), for cells of any outline: each cell has a paper of its own,
since their colours differ; a printed line is taken away where nothing crosses it; ink belongs to cells by connected
strokes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from scanner.cells import CELL_PX, CELL_SHARE, FLOOR, SPECK, WHOLE, WINDOW_PX
from scanner.geometry import FloatArray
from scanner.intake import Photo
from scanner.locate.flatten import MmToPx, flattened
from scanner.templates import Cell

FloatImage = npt.NDArray[np.float32]
Labels = npt.NDArray[np.int32]

RIM_PX = WINDOW_PX // 2 + 4
"""Paper around the cells, so that every cell's window lies in the panel."""
PAPER_PX = 19
"""Reach of the closing that wipes strokes out, px: more than half of any stroke's width, less than cells of one group
of `Panel.groups` are apart."""
APART_PX = 24
"""Least distance of two cells of a group."""
SEAM_PX = 4
"""Rim of a cell, px, whose brightness is its neighbour's or its line's as much as its own."""
LEAST_CORE = 0.05
"""Share of the closing's reach that has to lie in cells of the group: less may be ink altogether, in a lattice or a row
where strokes cross the sides. With more, a shadow's edge would count as ink."""
STRAY_PX = 8
"""How far, px, from a cell ink may lie that still is its own."""
ALONG, ACROSS = 12, 17
"""Places along an edge, and px across it, at which its line is looked at."""
OFF_PX = 2.0
"""How far, px, a line may run beside its place, which the fit of the sheet has found already: what is farther off is
a stroke along it."""
ENDS_PX = 5
"""Length of an edge's ends, px, where other edges meet it."""
BLURRED, BESIDE_PX = 1.5, 1.2
"""A line's darkness ends at this multiple of half its width at half its height, and so many px beyond."""
UNSURE_PX = 0.7
"""How far, px, a line may run beside where it was traced."""
JOINT = 1.4
"""Where lines meet they may be darker by this factor: each is blurred, and their blur adds up."""
USUAL = (0.6, 1.3)
"""Share of the panel's usual darkness of lines that a side's own is taken for at least and at most."""
OVER, OVER_LINE = 0.5, 1.25
"""Ink over a line is what would be at least this share of the sheet's usual ink without the line, and at least this
multiple of the line's own darkness with it."""
FAINT = 0.5
"""Share of the sheet's usual ink below which ink along a line is what is left of the line, and an area of it is a
shadow."""
SHADE_PX = 13
"""Side of a square, px, that no stroke covers."""
LEAST_SIDE, BOX_UNSEEN, MOST_UNSEEN = 0.2, 0.3, 0.6
"""Darkness of a printed side, as a share of the panel's usual, below which it isn't seen, and the share of the sides of
a box in a row, and of a hex, that may be unseen: with more a finger or a lamp's reflection covers the cell."""
DARKEST, TYPICAL = 0.985, 0.8
"""Shares of a cell's pixels that are lighter than its ink's darkest parts, and than what may be a stroke."""
LEAST_INK = 0.15
"""Darkness from which something stands in a cell."""
MOST_GRAIN = 0.1
"""Density that paper's grain reaches at most."""
CORE_PX, MUCH_PX = 8, 40
"""Another cell's ink that reaches farther than this into a cell, px, with more than so many pixels there, is ink of its
own that has run into the other's."""
LEAST_INSIDE = 0.3
"""Share of connected ink that lies inside a cell; what has less is something printed beside it."""


@dataclass(frozen=True, eq=False)
class Edges:
    """The printed sides of a panel's cells, and the pixels near them.

    ends: float64 [m, 2, 2], px. pixel: int64 [k], flat indices of pixels that lie near one. edge: int64 [k], which.
    across, along: float32 [k], px from the edge (to the right of its way on screen) and from its start on. of_cell: the
    edges of each cell.
    """

    ends: FloatArray
    pixel: npt.NDArray[np.int64]
    edge: npt.NDArray[np.int64]
    across: FloatImage
    along: FloatImage
    of_cell: tuple[tuple[int, ...], ...]

    @property
    def ways(self) -> FloatArray:
        """Unit vectors along the edges [m, 2]."""
        way = self.ends[:, 1] - self.ends[:, 0]
        return np.asarray(way / np.linalg.norm(way, axis=1, keepdims=True), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Panel:
    """What never changes about a part of a template.

    cells: n of them. low: top left in mm; size: (width, height) px; per_mm: px to a mm, so that the shorter side of
    a cell has CELL_PX. owner: int32 [h, w], which cell a pixel lies in, -1 for none. near: the same with STRAY_PX
    around the cells. core: bool, more than CORE_PX inside one. groups: int32 [n], cells of one group are far apart.
    middles: int64 [n, 2], px.
    """

    cells: tuple[Cell, ...]
    low: FloatArray
    size: tuple[int, int]
    per_mm: float
    owner: Labels
    near: Labels
    core: npt.NDArray[np.bool_]
    groups: npt.NDArray[np.int32]
    middles: npt.NDArray[np.int64]
    edges: Edges


@dataclass(frozen=True, eq=False)
class PanelInk:
    """The ink on a panel. density: float32 [h, w], 0 paper to 1 black, without printed lines; mask: uint8, 1 where
    ink is; owner: int32, whose it is, -1 for nobody's. visible: share of the panel that lies in the photo. covered:
    bool [n], cells whose printed sides aren't to be seen: something lies on them.
    """

    density: FloatImage
    mask: npt.NDArray[np.uint8]
    owner: Labels
    visible: float
    covered: npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class _Traced:
    """The edges' lines. centre: float32 [m], px beside the edge; dark: float32 [m], 0 to 1; half: their width's, px."""

    centre: FloatImage
    dark: FloatImage
    half: float


def panel_of(cells: Sequence[Cell]) -> Panel:
    """The panel of cells of about one size."""
    outlines = [np.array([[point.x, point.y] for point in cell.polygon], dtype=np.float64) for cell in cells]
    per_mm = CELL_PX / float(np.median([np.ptp(outline, axis=0).min() for outline in outlines]))
    corners = np.concatenate(outlines)
    low = corners.min(axis=0) - RIM_PX / per_mm
    wide, tall = (int(n) for n in np.ceil((corners.max(axis=0) - low) * per_mm + RIM_PX))
    px = [(outline - low) * per_mm - 0.5 for outline in outlines]
    owner = np.full((tall, wide), -1, dtype=np.int32)
    for number, outline in enumerate(px):
        cv2.fillPoly(owner, [np.round(outline * 16).astype(np.int32).reshape(-1, 1, 2)], (number,), cv2.LINE_8, 4)
    middles = np.array([(outline.min(axis=0) + outline.max(axis=0)) / 2 for outline in px])
    return Panel(
        tuple(cells),
        low,
        (wide, tall),
        per_mm,
        owner,
        _spread(owner, STRAY_PX),
        _core(owner),
        _groups(px),
        np.round(middles).astype(np.int64),
        _edges(px, (tall, wide)),
    )


def _spread(owner: Labels, reach: int) -> Labels:
    """Labels with `reach` px around them, each pixel the nearest cell's."""
    outside = (owner < 0).astype(np.uint8)
    away, nearest = cv2.distanceTransformWithLabels(outside, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL)
    names = np.zeros(int(nearest.max()) + 1, dtype=np.int32)
    names[nearest[owner >= 0]] = owner[owner >= 0]
    return np.where(away <= reach, names[nearest], -1).astype(np.int32)


def _core(owner: Labels) -> npt.NDArray[np.bool_]:
    """Where only one cell, and nothing beside the cells, is nearer than CORE_PX."""
    names = (owner + 1).astype(np.float32)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * CORE_PX + 1, 2 * CORE_PX + 1))
    same = cv2.erode(names, kernel) == cv2.dilate(names, kernel)
    return np.asarray(same & (owner >= 0), dtype=np.bool_)


def _groups(outlines: Sequence[FloatArray]) -> npt.NDArray[np.int32]:
    """Numbers of groups whose cells are at least APART_PX apart."""
    groups = np.full(len(outlines), -1, dtype=np.int32)
    for number, outline in enumerate(outlines):
        taken = {int(groups[other]) for other in range(number) if _apart(outline, outlines[other]) < APART_PX}
        groups[number] = next(group for group in range(len(outlines)) if group not in taken)
    return groups


def _apart(one: FloatArray, other: FloatArray) -> float:
    """Least distance of the corners of two outlines."""
    return float(np.linalg.norm(one[:, None] - other[None], axis=2).min())


def _edges(outlines: Sequence[FloatArray], shape: tuple[int, int]) -> Edges:
    sides: dict[tuple[tuple[float, ...], ...], tuple[FloatArray, FloatArray]] = {}
    keys = []
    for outline in outlines:
        for start, end in zip(outline, np.roll(outline, -1, axis=0), strict=True):
            key = tuple(sorted((tuple(np.round(start, 2).tolist()), tuple(np.round(end, 2).tolist()))))
            sides.setdefault(key, (start, end))
            keys.append(key)
    number_of = {key: number for number, key in enumerate(sides)}
    each = iter(number_of[key] for key in keys)
    of_cell = tuple(tuple(next(each) for _ in outline) for outline in outlines)
    ends = np.array(list(sides.values()), dtype=np.float64)
    way = ends[:, 1] - ends[:, 0]
    length = np.linalg.norm(way, axis=1)
    way = way / length[:, None]
    half = ACROSS // 2
    nearest = np.full(shape, half + 1.0, dtype=np.float32)
    which = np.full(shape, -1, dtype=np.int64)
    across, along = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    for number in range(len(ends)):
        low = np.maximum(np.floor(ends[number].min(axis=0)).astype(int) - half, 0)
        high = np.minimum(np.ceil(ends[number].max(axis=0)).astype(int) + half + 1, (shape[1], shape[0]))
        part = (slice(low[1], high[1]), slice(low[0], high[0]))
        y, x = np.mgrid[part]
        dx, dy = x - ends[number, 0, 0], y - ends[number, 0, 1]
        t = dx * way[number, 0] + dy * way[number, 1]
        s = dy * way[number, 0] - dx * way[number, 1]
        beyond = np.maximum(np.maximum(-t, t - length[number]), 0)
        away = np.hypot(s, beyond)
        better = away < nearest[part]
        nearest[part][better], which[part][better] = away[better], number
        across[part][better], along[part][better] = s[better], t[better]
    pixel = np.flatnonzero(which.ravel() >= 0)
    return Edges(ends, pixel, which.ravel()[pixel], across.ravel()[pixel], along.ravel()[pixel], of_cell)


def ink_of(panel: Panel, photo: Photo, placement: MmToPx, *, least_inside: float = LEAST_INSIDE) -> PanelInk:
    """The ink on a panel of a sheet in a photo. least_inside: share of connected ink that lies inside a cell."""
    flat, visible = flattened(photo.gray, placement, panel.low, panel.size, panel.per_mm)
    with_lines = _density(panel, flat)
    traced = _traced(with_lines, panel.edges)
    usual = _usual_ink(panel, with_lines)
    density, beside = _without_edges(with_lines, panel.edges, traced, usual)
    density[panel.near < 0] = 0
    mask = _mask(panel, density)
    owner = _owners(panel, mask, density, beside, least_inside, usual)
    return PanelInk(density, mask, owner, visible, _covered(panel, traced))


def _density(panel: Panel, flat: npt.NDArray[np.uint8]) -> FloatImage:
    """How much darker than the paper of its own cell every pixel is, 0 to 1."""
    half = cv2.resize(flat, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    small = np.asarray(cv2.medianBlur(half, 3), dtype=np.uint8)
    # Paper is white between the cells: what lies there is a group of its own.
    groups = np.where(panel.owner < 0, -1, panel.groups[panel.owner])
    high, wide = small.shape
    paper = np.full(flat.shape, 255, dtype=np.uint8)
    kernel = cv2.getStructuringElement(cv2.MORPH_RECT, (PAPER_PX | 1, PAPER_PX | 1))
    seam = np.ones((2 * SEAM_PX + 1, 2 * SEAM_PX + 1), np.uint8)
    for group in range(-1, int(panel.groups.max()) + 1):
        mine = groups == group
        core = cv2.erode(mine.astype(np.uint8), seam, borderValue=1)
        core = cv2.resize(core, (wide, high), interpolation=cv2.INTER_NEAREST)
        light = cv2.dilate(small * core, kernel)
        if len(panel.cells) > 1:
            inside = cv2.blur(core.astype(np.float32), kernel.shape, borderType=cv2.BORDER_REPLICATE)
            light[inside < LEAST_CORE] = 0
        closed = cv2.erode(np.where(light == 0, 255, light).astype(np.uint8), kernel)
        big = cv2.resize(closed, (flat.shape[1], flat.shape[0]), interpolation=cv2.INTER_LINEAR)
        paper[mine] = big[mine]
    density = 1.0 - flat.astype(np.float32) / np.maximum(paper, 12).astype(np.float32)
    # Grain makes the closing a little too bright: what is typical of a cell is its paper.
    typical = np.array([np.median(density[::2, ::2][panel.owner[::2, ::2] == k]) for k in range(len(panel.cells))])
    density -= np.where(panel.near < 0, 0, np.minimum(typical, 0.1)[panel.near]).astype(np.float32)
    return np.asarray(np.clip(density, 0, 1), dtype=np.float32)


def _covered(panel: Panel, traced: _Traced) -> npt.NDArray[np.bool_]:
    """Which cells have sides that aren't to be seen: any of a lone box's, half of a row's box's, most of a hex's."""
    unseen = traced.dark < LEAST_SIDE * float(np.percentile(traced.dark, 75))
    shares = [float(unseen[list(sides)].mean()) for sides in panel.edges.of_cell]
    box = 0.0 if len(panel.cells) == 1 else BOX_UNSEEN
    limits = [box if len(sides) == 4 else MOST_UNSEEN for sides in panel.edges.of_cell]
    return np.array([share > limit for share, limit in zip(shares, limits, strict=True)], dtype=np.bool_)


def _usual_ink(panel: Panel, density: FloatImage) -> float:
    """Typical darkness of what stands in the cells, away from their sides; 1 (black) where nothing does."""
    (darkest,) = _percentiles(panel, np.where(panel.core, panel.owner, -1), density, DARKEST)
    inked = darkest[darkest > LEAST_INK]
    return float(np.median(inked)) if len(inked) else 1.0


def _without_edges(
    density: FloatImage, edges: Edges, traced: _Traced, usual: float
) -> tuple[FloatImage, npt.NDArray[np.bool_]]:
    """The density with printed sides replaced by what lies on both sides of them: paper, or a stroke that crosses.

    And where a line was, or right beside it: bool of its shape. usual: darkness of the sheet's ink; where the line is
    darker by so much, a stroke runs over it.
    """
    centre, half = traced.centre, traced.half
    reach = BLURRED * half + BESIDE_PX
    off = edges.across - centre[edges.edge]
    band = np.abs(off) <= reach
    pixel, edge, off = edges.pixel[band], edges.edge[band], off[band]
    ways = edges.ways[edge]
    normal = np.column_stack([-ways[:, 1], ways[:, 0]])
    length = np.linalg.norm(edges.ends[edge, 1] - edges.ends[edge, 0], axis=1)
    # At its ends other lines meet this one: there the paper beside it is looked at a little further in.
    along = np.clip(edges.along[band], ENDS_PX, length - ENDS_PX)
    foot = edges.ends[edge, 0] + ways * along[:, None] + normal * centre[edge][:, None]
    wide = cv2.dilate(density, np.ones((3, 3), np.uint8), borderType=cv2.BORDER_REPLICATE)
    tall = np.asarray(wide, dtype=np.float32)
    sides = []
    for sign in (-1, 1):
        near = _sampled(tall, foot + normal * (sign * (reach + 1.0)))
        far = _sampled(tall, foot + normal * (sign * (reach + 2.2)))
        sides.append(np.minimum(near, far))
    t = np.clip((off / reach + 1) / 2, 0, 1)
    # A stroke goes on across the line only if it is there on both sides; ink that merely touches it ends there.
    fill = np.maximum(np.minimum(*sides), np.maximum(sides[0] * (1 - t) ** 3, sides[1] * t**3))
    at_end = (edges.along[band] < ENDS_PX) | (edges.along[band] > length - ENDS_PX)
    fill = np.maximum(fill, _over(density, pixel, _line_darkness(traced, edge, off, at_end), usual))
    result = density.copy()
    result.ravel()[pixel] = np.minimum(result.ravel()[pixel], fill)
    beside = np.zeros(density.shape, dtype=np.bool_)
    beside.ravel()[edges.pixel[np.abs(edges.across - centre[edges.edge]) <= reach + 2]] = True
    return result, beside


def _line_darkness(
    traced: _Traced, edge: npt.NDArray[np.int64], off: FloatImage, at_end: npt.NDArray[np.bool_]
) -> FloatImage:
    """How dark the line alone is at pixels `off` px beside it, at most. at_end: where other lines meet it."""
    median = float(np.median(traced.dark))
    own = np.clip(traced.dark[edge], USUAL[0] * median, USUAL[1] * median)
    beside = np.exp(-math.log(2) * (off / (traced.half + UNSURE_PX)) ** 2)
    return np.asarray(np.clip(own * np.where(at_end, JOINT, beside), 0, 0.95), dtype=np.float32)


def _over(density: FloatImage, pixel: npt.NDArray[np.int64], line: FloatImage, usual: float) -> FloatImage:
    """Ink over lines of known darkness at flat indices of pixels, 0 where it may as well be the line.

    A pen's ink lets through what the line does: what reaches the eye is the product.
    """
    smooth = cv2.blur(density, (3, 3), borderType=cv2.BORDER_REPLICATE).ravel()[pixel]
    through = 1.0 - line
    seen = (1.0 - (1.0 - smooth) / through >= OVER * usual) & (smooth >= OVER_LINE * line)
    return np.where(seen, np.clip(1.0 - (1.0 - density.ravel()[pixel]) / through, 0, 1), 0).astype(np.float32)


def _traced(density: FloatImage, edges: Edges) -> _Traced:
    """Where the edges' lines really run."""
    ways = edges.ways
    normal = np.column_stack([-ways[:, 1], ways[:, 0]])
    t = np.linspace(0.15, 0.85, ALONG)[None, :, None]
    on = edges.ends[:, :1] * (1 - t) + edges.ends[:, 1:] * t
    shifts = np.arange(ACROSS) - ACROSS // 2
    points = on[:, :, None] + normal[:, None, None] * shifts[None, None, :, None]
    seen = _sampled(density, points.reshape(-1, 2)).reshape(len(ways), ALONG, ACROSS)
    rank = int(ALONG * 0.4)
    # Darkness that most of the edge's length has: the line, but not a digit that leans on it.
    low = np.partition(seen, rank, axis=1)[:, rank]
    near = np.abs(shifts) <= OFF_PX + 1
    peak = np.where(near, low, -1).argmax(axis=1)
    height = low[np.arange(len(low)), peak]
    floor = np.minimum(np.median(low, axis=1), 0.6 * height)
    over = np.clip(low - (0.5 * (height + floor))[:, None], 0, None)
    own = over * near
    total = own.sum(axis=1)
    strong = height > max(FLOOR, 0.35 * float(np.median(height)))
    centre = np.where(strong, (own * shifts).sum(axis=1) / np.maximum(total, 1e-6), 0).clip(-OFF_PX, OFF_PX)
    wide = (over > 0).sum(axis=1)
    half = float(np.percentile(wide[strong], 65)) / 2 if strong.any() else 1.5
    return _Traced(centre.astype(np.float32), height.astype(np.float32), half)


def _sampled(image: FloatImage, points: FloatArray) -> FloatImage:
    """Values between the pixels at points [n, 2]: float32 [n]."""
    width = 1024
    rows = math.ceil(len(points) / width)
    spread = np.zeros((2, rows * width), dtype=np.float32)
    spread[:, : len(points)] = points.T
    x, y = spread.reshape(2, rows, width)
    values = cv2.remap(image, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(values.ravel()[: len(points)], dtype=np.float32)


def _percentiles(panel: Panel, owner: Labels, density: FloatImage, *shares: float) -> list[FloatImage]:
    """For each share the density that so many of a cell's pixels stay below, float32 [n]. owner: as the panel's."""
    count = len(panel.cells)
    cell, values = owner[::2, ::2].ravel(), density[::2, ::2].ravel()
    inside = cell >= 0
    cell, values = cell[inside], values[inside]
    values = values[np.lexsort((values, cell))]
    size = np.bincount(cell, minlength=count)
    start = np.concatenate([[0], np.cumsum(size)[:-1]])
    return [values[start + (share * (size - 1)).astype(int)] for share in shares]


def _mask(panel: Panel, density: FloatImage) -> npt.NDArray[np.uint8]:
    """Where there is ink. Each cell's darkest ink sets its threshold, so that pencil counts beside print."""
    peak, typical = _percentiles(panel, panel.owner, density, DARKEST, TYPICAL)
    # In a cell that is scribbled over, what is typical is ink.
    grain = min(1.5 * float(np.median(typical)), MOST_GRAIN)
    threshold = np.maximum(CELL_SHARE * peak, max(FLOOR, grain)).astype(np.float32)
    limits = np.where(panel.near < 0, np.float32(2.0), threshold[panel.near])
    return np.asarray(density > limits, dtype=np.uint8)


def _owners(
    panel: Panel,
    mask: npt.NDArray[np.uint8],
    density: FloatImage,
    beside: npt.NDArray[np.bool_],
    least_inside: float,
    usual: float,
) -> Labels:
    """Whose ink each pixel is, -1 for nobody's. beside: pixels where a printed line was. usual: the ink's darkness."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8, ltype=cv2.CV_32S)
    cells = len(panel.cells)
    inked = mask > 0
    label, cell = np.asarray(labels[inked], dtype=np.int64), panel.near[inked]
    pixels = np.bincount(label * cells + cell, minlength=count * cells).reshape(count, cells)
    inside = np.bincount(label, weights=panel.owner[inked] >= 0, minlength=count)
    area = np.maximum(stats[:, cv2.CC_STAT_AREA], 1)
    # Ink of two cells that touches is divided at the border; strokes of one cell that stray are not.
    whole = pixels.max(axis=1) > WHOLE * area
    deep = np.bincount(label * cells + cell, weights=panel.core[inked], minlength=count * cells)
    theirs = deep.reshape(count, cells)[label, cell] >= MUCH_PX
    owner = np.where(whole[label] & ~theirs, pixels.argmax(axis=1)[label], cell)
    nobodys = (area < SPECK * CELL_PX**2) | (inside < least_inside * area)
    if len(label):
        along = np.bincount(label, weights=beside[inked], minlength=count)
        darkest = np.zeros(count, dtype=np.float32)
        np.maximum.at(darkest, label, density[inked])
        shaded = np.zeros(count, dtype=np.bool_)
        shaded[labels[cv2.erode(mask, np.ones((SHADE_PX, SHADE_PX), np.uint8)) > 0]] = True
        nobodys |= (along > 0.8 * area) & (darkest < FAINT * float(np.percentile(density[inked], 75)))
        nobodys |= shaded & (darkest < FAINT * usual)
    owner[nobodys[label]] = -1
    result = np.full(mask.shape, -1, dtype=np.int32)
    result[inked] = owner
    return result


def windows(panel: Panel, ink: PanelInk) -> tuple[FloatImage, npt.NDArray[np.bool_]]:
    """Density around each cell and which of it is its own ink: [n, WINDOW_PX, WINDOW_PX] each."""
    size = (WINDOW_PX, WINDOW_PX)
    left, top = (panel.middles - WINDOW_PX // 2 + 1).T
    density = np.lib.stride_tricks.sliding_window_view(ink.density, size)[top, left]
    owner = np.lib.stride_tricks.sliding_window_view(ink.owner, size)[top, left]
    return density, np.asarray(owner == np.arange(len(panel.cells))[:, None, None], dtype=np.bool_)
