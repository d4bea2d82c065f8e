"""Where in a picture a ruled table may be, and how its plane is tilted: two vanishing points.

Cells that lines close off show the place; the segments of lines around them tell in which two directions all lines of
the table run. In the picture that is rectified by these, lines are level or upright up to the bend of the paper.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from scanner.geometry import FloatArray, Homography, project
from scanner.locate.candidates import Patches

GrayImage = npt.NDArray[np.uint8]

FEWEST_PATCHES = 6
"""Cells that have to be seen side by side before a table is looked for."""
MOST_GROUPS = 3
DARK_GROUND = 0.45
"""Brightness of a patch, as a share of that of most, below which it isn't on the same paper, not even in a shadow."""
PALE_GROUND = 0.62
"""The same for patches with white lines around them, which are as bright as the paper."""
BRIDGE = 0.03
"""Cells belong together across a line this wide, as a share of the picture's long side."""
BAND = 1.7
"""The same across a printed band with a heading: in heights of a row."""
LEAST_BLOCK, ALIKE_BLOCKS = 0.4, 1.3
"""Cells of another block of the same table, as a share of those of the first, and how much larger or smaller."""
ASIDE = 32.0
"""Degrees by which a line may run beside its direction in the middle of the table (perspective)."""
STRAIGHT = 1.2
"""Degrees by which a segment may miss its vanishing point."""
TRIALS = 400
LEAST_SEGMENT = 0.012
"""Of the long side: shorter segments are strokes of writing."""
BESIDE = 0.6
"""How far beside a seen cell a segment may lie, as a share of the cell's side, to tell how the table's lines run."""
SURROUNDINGS = 0.30
"""How far beyond the seen cells the table may go on, as a share of their extent."""
FAR_SURROUNDINGS = 0.8
"""The same where its lines go on even there, as a share of their longer extent."""
CELLS_AROUND = 1.3
"""The same in cells, at least."""
MOST_UNALIKE = 2.2
"""Patches larger or smaller than most by more than this factor show nothing of where a table's cells are."""
NEAR = 0.35
"""How far beyond seen cells, as a share of a cell's longer side, lines of the table may be."""
PAPER_REACH = 0.4
"""Of a cell's shorter side: over so much around it, a place of the sheet is as bright as paper."""
RIM = 0.25
"""Of a cell's shorter side: so far beyond the cells the last lines run, whatever the table top there looks like."""
INK_PX = 7
"""Lines and most ink are thinner than this in the rectified picture."""
TABLE_TOP = 0.8
"""Brightness, as a share of that of the paper of the cell next to it, below which it isn't the sheet, beside the cells.
A shadow's edge may be as dark, but not just where the cells end."""
GROUND_RANK = 20
"""Percentile of the brightness between cells, lines taken off, that the sheet has beside them."""
SIDE_PX = 1100
"""Longer side of the rectified picture."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A rectified part of a picture.

    matrix: px of `flat` to px of the picture. flat: uint8 [h, w]. valid: bool [h, w], where the picture goes on.
    """

    matrix: Homography
    flat: GrayImage
    valid: npt.NDArray[np.bool_]


def on_paper(gray: GrayImage, patches: Patches, ground: float = DARK_GROUND) -> Patches:
    """Without patches that are much darker than most of the others: the grain of a table top between two cards.

    ground: share of the brightness of most from which a patch, with what is around it, is on paper.
    """
    if not len(patches):
        return patches
    lightest = cv2.dilate(gray, np.ones((9, 9), np.uint8))
    at = np.clip(np.round(patches.centres).astype(int), 0, np.array([gray.shape[1] - 1, gray.shape[0] - 1]))
    brightness = np.asarray(lightest)[at[:, 1], at[:, 0]].astype(np.float64)
    kept = brightness >= ground * np.percentile(brightness, 75)
    return Patches(patches.centres[kept], patches.corners[kept], patches.side[kept])


def regions(patches: Patches, shape: tuple[int, ...]) -> list[npt.NDArray[np.bool_]]:
    """Groups of patches that lie side by side, the largest first: masks [n] of patches.

    Where a printed band lies between two groups, they come as one before they come alone.
    """
    if len(patches) < FEWEST_PATCHES:
        return []
    apart = _groups(patches, shape, BRIDGE * max(shape))
    if len(apart) < 2:
        return apart
    cells = patches.corners[apart[0]]
    row = float(np.median(np.linalg.norm(np.roll(cells, -1, axis=1) - cells, axis=2).min(axis=1)))
    blocks = [group for group in apart if _blocks_alike(patches, apart[0], group)]
    joined = _groups(patches, shape, BAND * row)[:1]
    together = [one for one in joined if sum(bool(one[group].all()) for group in blocks) > 1]
    return [one & np.any(blocks, axis=0) for one in together] + apart


def _blocks_alike(patches: Patches, first: npt.NDArray[np.bool_], other: npt.NDArray[np.bool_]) -> bool:
    """May the second group of patches be another block of the first one's table? Not the grain of the table top."""
    size = float(np.median(patches.side[other]) / np.median(patches.side[first]))
    return bool(other.sum() >= LEAST_BLOCK * first.sum()) and abs(np.log(size)) < np.log(ALIKE_BLOCKS)


def _groups(patches: Patches, shape: tuple[int, ...], bridge: float) -> list[npt.NDArray[np.bool_]]:
    """Groups of patches with gaps of up to `bridge` px, the largest first."""
    mask = np.zeros(shape[:2], dtype=np.uint8)
    quads = np.round(patches.corners).astype(np.int32)
    for quad in quads:
        cv2.fillConvexPoly(mask, quad, (255,))
    reach = max(3, round(bridge)) | 1
    joined = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((reach, reach), np.uint8))
    joined = cv2.dilate(joined, np.ones((3, 3), np.uint8))
    _, labels = cv2.connectedComponents(joined, connectivity=4, ltype=cv2.CV_32S)
    centres = np.clip(np.round(patches.centres).astype(int), 0, np.array([shape[1] - 1, shape[0] - 1]))
    group = np.asarray(labels)[centres[:, 1], centres[:, 0]]
    found = []
    for number in np.unique(group[group > 0]):
        members = group == number
        if members.sum() >= FEWEST_PATCHES:
            found.append((float((patches.side[members] ** 2).sum()), members))
    found.sort(key=lambda item: -item[0])
    return [members for _, members in found[:MOST_GROUPS]]


def frame(gray: GrayImage, patches: Patches, members: npt.NDArray[np.bool_], *, far: bool = False) -> Frame | None:
    """The picture around a group of patches, rectified; null where its lines don't run in two directions.

    far: with more of what is around them.
    """
    points = patches.corners[members].reshape(-1, 2)
    centre = points.mean(axis=0)
    radius = float(np.linalg.norm(points - centre, axis=1).max())
    angle = _main_angle(patches.corners[members])
    segments = _among_cells(_segments(gray, points, radius), patches, members, gray.shape)
    ends = (segments - centre[None, None, :]) / radius
    vanishing = []
    rng = np.random.default_rng(1)
    for direction in (angle, angle + np.pi / 2):
        chosen = _near_direction(ends, direction)
        point = _vanishing_point(ends[chosen], direction, rng)
        if point is None:
            return None
        vanishing.append(point)
    matrix = _rectifying(vanishing[0], vanishing[1], centre, radius)
    return _framed(gray, matrix, patches.corners[members], far=far) if matrix is not None else None


def on_sheet(framed: Frame, patches: Patches, members: npt.NDArray[np.bool_], gray: GrayImage) -> Frame:
    """The same with only the cells' paper valid: where lines end, the grain of a darker table top may go on.

    gray: the picture as it was taken, whatever lines are followed in.
    """
    size = (framed.flat.shape[1], framed.flat.shape[0])
    shown = cv2.warpPerspective(gray, np.linalg.inv(framed.matrix), size, borderMode=cv2.BORDER_REPLICATE)
    back = Homography(np.asarray(np.linalg.inv(framed.matrix), dtype=np.float64))
    quads = project(back, patches.corners[members].reshape(-1, 2)).reshape(-1, 4, 2)
    side = float(np.median(np.ptp(quads, axis=1).min(axis=1)))
    reach, rim = (max(3, round(share * side)) | 1 for share in (PAPER_REACH, 2 * RIM))
    # Without lines and thin ink, and without the bright threads of a grain.
    bare = np.asarray(cv2.morphologyEx(shown, cv2.MORPH_CLOSE, np.ones((INK_PX, INK_PX), np.uint8)))
    paper = np.asarray(cv2.blur(bare, (reach, reach)))
    cells = np.full(framed.flat.shape, 255, dtype=np.uint8)
    for quad in np.round(quads).astype(np.int32):
        cv2.fillConvexPoly(cells, quad, (0,))
    hull = cv2.convexHull(np.round(quads.reshape(-1, 2)).astype(np.int32))
    inside = np.asarray(cv2.fillConvexPoly(np.zeros_like(cells), hull, (255,))) > 0
    _, nearest = cv2.distanceTransformWithLabels(cells, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_CCOMP)
    labels = np.asarray(nearest)
    within = labels[cells == 0]
    mean = np.bincount(within, paper[cells == 0]) / np.maximum(np.bincount(within), 1)
    wanted = mean[labels]
    between = inside & (cells > 0)
    # Pale fields on a coloured sheet: what is between them goes on beside them.
    ground = float(np.percentile(bare[between] / wanted[between], GROUND_RANK)) if between.any() else 1.0
    bright = paper >= TABLE_TOP * min(1.0, ground) * wanted
    cells_and_rim = np.asarray(cv2.dilate(inside.astype(np.uint8), np.ones((rim, rim), np.uint8))) > 0
    return Frame(framed.matrix, framed.flat, framed.valid & (bright | cells_and_rim))


def near_cells(framed: Frame, patches: Patches, members: npt.NDArray[np.bool_]) -> Frame:
    """The same with only what is near the cells valid, so that a table top's grain can't go on where lines end."""
    side = patches.side[members]
    alike = np.flatnonzero(members)[np.abs(np.log(side / np.median(side))) < np.log(MOST_UNALIKE)]
    back = Homography(np.asarray(np.linalg.inv(framed.matrix), dtype=np.float64))
    quads = project(back, patches.corners[alike].reshape(-1, 2)).reshape(-1, 4, 2)
    near = np.zeros(framed.flat.shape, dtype=np.uint8)
    for quad in np.round(quads).astype(np.int32):
        cv2.fillConvexPoly(near, quad, (255,))
    usual = float(np.median(np.ptp(quads, axis=1).max(axis=1)))
    reach = max(3, round(2 * NEAR * usual)) | 1
    near = np.asarray(cv2.dilate(near, np.ones((reach, reach), np.uint8)), dtype=np.uint8)
    return Frame(framed.matrix, framed.flat, framed.valid & (near > 0))


def _main_angle(quads: FloatArray) -> float:
    """The direction of most cells' sides, radians between -45 and 45 degrees."""
    sides = np.roll(quads, -1, axis=1) - quads
    length = np.linalg.norm(sides, axis=2)
    turn = np.exp(4j * np.arctan2(sides[..., 1], sides[..., 0])) * length**2
    return float(np.angle(turn.sum()) / 4)


def _segments(gray: GrayImage, points: FloatArray, radius: float) -> FloatArray:
    """Line segments in and around the hull of points: float64 [n, 2, 2], px."""
    margin = 0.15 * radius
    low = np.maximum(np.floor(points.min(axis=0) - margin).astype(int), 0)
    high = np.minimum(np.ceil(points.max(axis=0) + margin).astype(int), np.array([gray.shape[1], gray.shape[0]]))
    part = np.ascontiguousarray(gray[low[1] : high[1], low[0] : high[0]])
    found = cv2.createLineSegmentDetector(0).detect(part)[0]
    if found is None:
        return np.zeros((0, 2, 2))
    segments = np.asarray(found, dtype=np.float64).reshape(-1, 2, 2) + low
    length = np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1)
    return np.asarray(segments[length > LEAST_SEGMENT * max(gray.shape)], dtype=np.float64)


def _among_cells(
    segments: FloatArray, patches: Patches, members: npt.NDArray[np.bool_], shape: tuple[int, ...]
) -> FloatArray:
    """Those of segments [n, 2, 2] that lie in or beside seen cells: a table top has directions of its own."""
    around = np.zeros(shape[:2], dtype=np.uint8)
    for quad in np.round(patches.corners[members]).astype(np.int32):
        cv2.fillConvexPoly(around, quad, (255,))
    reach = max(3, round(2 * BESIDE * float(np.median(patches.side[members])))) | 1
    around = np.asarray(cv2.dilate(around, np.ones((reach, reach), np.uint8)), dtype=np.uint8)
    at = np.clip(np.round(segments).astype(int), 0, np.array([shape[1] - 1, shape[0] - 1]))
    return np.asarray(segments[(around[at[..., 1], at[..., 0]] > 0).all(axis=1)], dtype=np.float64)


def _near_direction(ends: FloatArray, direction: float) -> npt.NDArray[np.bool_]:
    along = ends[:, 1] - ends[:, 0]
    off = np.arctan2(along[:, 1], along[:, 0]) - direction
    return np.asarray(np.abs(np.sin(off)) < np.sin(np.radians(ASIDE)), dtype=np.bool_)


def _vanishing_point(ends: FloatArray, direction: float, rng: np.random.Generator) -> FloatArray | None:
    """Where the lines through segments [n, 2, 2] meet, homogeneous [3]; null if there are too few."""
    if len(ends) < 6:
        return None
    homogeneous = np.concatenate([ends, np.ones((*ends.shape[:2], 1))], axis=2)
    lines = np.cross(homogeneous[:, 0], homogeneous[:, 1])
    length = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    lines /= np.maximum(np.linalg.norm(lines[:, :2], axis=1, keepdims=True), 1e-12)
    middle = ends.mean(axis=1)
    along = (ends[:, 1] - ends[:, 0]) / length[:, None]
    chance = length / length.sum()
    first, second = (rng.choice(len(ends), TRIALS, p=chance) for _ in range(2))
    trials = np.cross(lines[first], lines[second])
    parallel = np.array([[np.cos(direction), np.sin(direction), 0.0]])
    trials = np.concatenate([trials[np.linalg.norm(trials, axis=1) > 1e-9], parallel])
    off = _off(trials, middle, along)
    weight = np.minimum(length, 0.5)
    score = ((off < STRAIGHT) * weight * (1 - off / STRAIGHT).clip(0, 1)).sum(axis=1)
    best = trials[int(score.argmax())]
    for _ in range(4):
        off = _off(best[None], middle, along)[0]
        w = weight * length / (1 + (off / (0.5 * STRAIGHT)) ** 2) * (off < 3 * STRAIGHT)
        if w.sum() <= 0:
            return None
        spread = (lines * w[:, None]).T @ lines
        # The point that lies nearest to all lines: the least eigenvector.
        best = np.linalg.eigh(spread)[1][:, 0]
    return np.asarray(best, dtype=np.float64)


def _off(points: FloatArray, middle: FloatArray, along: FloatArray) -> FloatArray:
    """Degrees between segments (middle, direction) [n] and the way to vanishing points [k, 3]: [k, n]."""
    to_x = points[:, 0:1] - middle[None, :, 0] * points[:, 2:3]
    to_y = points[:, 1:2] - middle[None, :, 1] * points[:, 2:3]
    cross = np.abs(to_x * along[None, :, 1] - to_y * along[None, :, 0]) / np.maximum(np.hypot(to_x, to_y), 1e-12)
    return np.asarray(np.degrees(np.arcsin(np.clip(cross, 0, 1))), dtype=np.float64)


def _rectifying(level: FloatArray, upright: FloatArray, centre: FloatArray, radius: float) -> Homography | None:
    """From a plane where both directions are axes (px, origin in the middle) to px of the picture."""
    columns = []
    for point, axis in ((level, 0), (upright, 1)):
        # At the middle of the region, (0, 0, 1) in these coordinates, a step along the axis is a step of the picture.
        step = point[:2]
        size = float(np.linalg.norm(step))
        if size < 1e-9:
            return None
        sign = 1.0 if step[axis] > 0 else -1.0
        columns.append(sign * point / size)
    matrix = np.stack([columns[0], columns[1], np.array([0.0, 0.0, 1.0])], axis=1)
    scale = np.diag([radius, radius, 1.0])
    to_picture = np.array([[1, 0, centre[0]], [0, 1, centre[1]], [0, 0, 1.0]]) @ scale @ matrix @ np.linalg.inv(scale)
    return Homography(to_picture) if abs(np.linalg.det(to_picture)) > 1e-9 else None


def _framed(gray: GrayImage, matrix: Homography, quads: FloatArray, *, far: bool) -> Frame | None:
    """The picture around cells [n, 4, 2]; null where the plane is seen from too far aside."""
    back = Homography(np.asarray(np.linalg.inv(matrix), dtype=np.float64))
    cells = project(back, quads.reshape(-1, 2)).reshape(-1, 4, 2)
    plane = cells.reshape(-1, 2)
    low, high = plane.min(axis=0), plane.max(axis=0)
    # Cells at the edge of a table without a frame aren't closed off, and so aren't seen.
    margin = FAR_SURROUNDINGS * (high - low).max() if far else SURROUNDINGS * (high - low)
    margin = np.maximum(margin, CELLS_AROUND * np.median(np.ptp(cells, axis=1), axis=0))
    corners = np.array([[x, y] for x in (-1, 1) for y in (-1, 1)]) * margin + np.where(
        np.array([[x, y] for x in (-1, 1) for y in (-1, 1)]) < 0, low, high
    )
    depth = corners @ matrix[2, :2] + matrix[2, 2]
    if not np.isfinite(plane).all() or depth.min() < 0.15:
        return None
    low, high = low - margin, high + margin
    scale = SIDE_PX / float((high - low).max())
    size = np.maximum(np.ceil((high - low) * scale).astype(int), 16)
    to_plane = np.array([[1 / scale, 0, low[0]], [0, 1 / scale, low[1]], [0, 0, 1]])
    whole = Homography(matrix @ to_plane)
    inverse = np.linalg.inv(whole)
    flat = cv2.warpPerspective(gray, inverse, (int(size[0]), int(size[1])), borderMode=cv2.BORDER_REPLICATE)
    valid = cv2.warpPerspective(np.full_like(gray, 255), inverse, (int(size[0]), int(size[1])))
    return Frame(whole, np.asarray(flat, dtype=np.uint8), np.asarray(valid) > 200)
