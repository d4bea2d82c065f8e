"""Square lattices: patches that lie side by side get rows and columns, and one homography for all of them.

Which part of a lattice is a sheet, and of which template, is decided later (`scanner.locate.fit`); here row and
column 0 are just one of the patches.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np
import numpy.typing as npt

from scanner.geometry import FloatArray, Homography, project
from scanner.locate.candidates import Patches

MIN_PATCHES = 9
"""Fewer neighbouring patches than this are no lattice: chance makes rows of them out of letters and tiles."""
MIN_SEED = 6
"""Neighbours that may grow to a lattice by what lies on their places without being anybody's neighbour."""
GROWN = 2
"""How many times as large such a seed has to grow, or it was chance."""
NEAR = 0.28
"""How far, in cells, a neighbour's centre may lie from where its neighbour expects it."""
GAP_PX, NEAR_PX = 3.0, 2.5
"""The same where cells look narrow, px: a line between two cells and what the threshold takes beside it are at least as
wide as GAP_PX, and centres are no surer than NEAR_PX."""
INLIER = 0.16
"""How far, in cells, a patch's centre may lie from its place in the fitted lattice."""


FARTHEST = 40
"""Cells from the middle of a lattice beyond which nothing belongs to its sheet."""
DOUBLE_SLACK = 0.3
"""How far, in cells, a patch that covers two cells may be from the length that it should have."""
BEND_GAINS = 4
"""Patches by which a bend has to explain more than flat paper does, before it is believed in."""
BEND_REACH = 2.0
"""How far beyond the patches seen so far, in cells, a bend is carried on in one step."""
BEND_RIDGE = 1e-3


FreeArray = npt.NDArray[np.bool_]


class Bend(Protocol):
    """What bent paper adds to lattice coordinates."""

    def displacement(self, points: FloatArray) -> FloatArray:
        """By how much points [n, 2] are moved, [n, 2], cells."""
        ...


@dataclass(frozen=True, slots=True)
class Curve:
    """A bend of the whole sheet in lattice coordinates: a quadratic displacement.

    middle, half: of the places that it was fitted to, cells [2] each. x, y: coefficients [6], cells.
    """

    middle: FloatArray
    half: FloatArray
    x: FloatArray
    y: FloatArray

    @classmethod
    def through(cls, points: FloatArray, offsets: FloatArray) -> Curve:
        """The displacement nearest to offsets [n, 2] at points [n, 2]."""
        low, high = points.min(axis=0), points.max(axis=0)
        middle: FloatArray = np.asarray((low + high) / 2, dtype=np.float64)
        half: FloatArray = np.asarray(np.maximum((high - low) / 2, 1.0), dtype=np.float64)
        terms = _quadratic((points - middle) / half)
        left = terms.T @ terms + BEND_RIDGE * len(points) * np.eye(terms.shape[1])
        solved = np.linalg.solve(left, terms.T @ offsets)
        x, y = np.asarray(solved.T, dtype=np.float64)
        return cls(middle, half, x, y)

    def displacement(self, points: FloatArray) -> FloatArray:
        """By how much points [n, 2] are moved, [n, 2]."""
        terms = _quadratic(np.clip((points - self.middle) / self.half, -2, 2))
        return np.stack([terms @ self.x, terms @ self.y], axis=1)


def _quadratic(points: FloatArray) -> FloatArray:
    x, y = points.T
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=1)


@dataclass(frozen=True, slots=True)
class Lattice:
    """A square lattice in a picture.

    matrix: homography from lattice coordinates (column, row), one unit a cell, to px of the working picture.
    curve: what bent paper adds to lattice coordinates before that, where flat paper explains too few of the patches.
    places: int [n, 2], (column, row) of each patch that belongs to it. members: int [n], their indices in the patches;
    indices beyond these are halves of patches that cover two places.
    nodes, node_px: crossings as seen, int [m, 2] (column, row of the cell to the lower right) and px [m, 2].
    pitch: side of a typical cell in px.
    """

    matrix: Homography
    places: npt.NDArray[np.int64]
    members: npt.NDArray[np.int64]
    nodes: npt.NDArray[np.int64]
    node_px: FloatArray
    pitch: float
    curve: Bend | None = None

    def project(self, points: FloatArray) -> FloatArray:
        """Lattice coordinates [n, 2] to px of the working picture."""
        if self.curve is not None:
            points = points + self.curve.displacement(points)
        return project(self.matrix, points)


def _axes(patches: Patches) -> tuple[FloatArray, FloatArray]:
    """Each patch's own two axes in px, (n, 2) each: towards its right neighbour and towards the one below."""
    c = patches.corners
    across = 0.5 * ((c[:, 1] - c[:, 0]) + (c[:, 2] - c[:, 3]))
    down = 0.5 * ((c[:, 3] - c[:, 0]) + (c[:, 2] - c[:, 1]))
    # Corners start anywhere, so take the axis nearest to the picture's x axis as "across".
    swap = np.abs(across[:, 0]) < np.abs(across[:, 1])
    new_across = np.where(swap[:, None], down, across)
    new_down = np.where(swap[:, None], across, down)
    new_across *= np.where(new_across[:, :1] < 0, -1.0, 1.0)
    # Right-handed on screen: down is across turned clockwise.
    cross = new_across[:, 0] * new_down[:, 1] - new_across[:, 1] * new_down[:, 0]
    new_down *= np.where(cross[:, None] < 0, -1.0, 1.0)
    return new_across, new_down


def _links(patches: Patches) -> npt.NDArray[np.int64]:
    """Mutual neighbours: int [n, 4] in the order right, below, left, above by each patch's own axes; -1 for none."""
    n = len(patches)
    across, down = _axes(patches)
    steps = np.stack([across, down, -across, -down], axis=1)  # [n, 4, 2]
    # The printed line between two cells belongs to no patch, so neighbours are a bit more than a side apart.
    lengths = np.maximum(np.linalg.norm(steps, axis=2), 1.0)
    apart = np.maximum(1.1 * lengths, lengths + GAP_PX)
    near = np.maximum(NEAR * lengths, NEAR_PX)
    expected = patches.centres[:, None, :] + (apart / lengths)[:, :, None] * steps
    links = np.full((n, 4), -1, dtype=np.int64)
    ratio = patches.side[:, None] / patches.side[None, :]
    alike = (ratio > 0.62) & (ratio < 1.62)
    np.fill_diagonal(alike, False)
    for k in range(4):
        dx = expected[:, k, 0, None] - patches.centres[None, :, 0]
        dy = expected[:, k, 1, None] - patches.centres[None, :, 1]
        distance = np.hypot(dx, dy)
        distance[~alike] = np.inf
        best = distance.argmin(axis=1)
        good = distance[np.arange(n), best] < near[:, k]
        links[good, k] = best[good]
    return links


def _turn_between(axis: FloatArray, other_across: FloatArray, other_down: FloatArray) -> int:
    """Quarter turns that bring another patch's own axes nearest to `axis` (0 to 3)."""
    ax, ay = float(axis[0]), float(axis[1])
    along = ax * float(other_across[0]) + ay * float(other_across[1])
    beside = ax * float(other_down[0]) + ay * float(other_down[1])
    if abs(along) >= abs(beside):
        return 0 if along > 0 else 2
    return 1 if beside > 0 else 3


def _grow(patches: Patches, links: npt.NDArray[np.int64]) -> list[dict[int, tuple[int, int]]]:
    """Connected sets of patches with their (column, row), largest first."""
    across, down = _axes(patches)
    neighbours = links.tolist()
    offsets = ((1, 0), (0, 1), (-1, 0), (0, -1))
    seen: dict[int, int] = {}  # patch -> quarter turns of its own axes against its component's
    components = []
    for start in range(len(patches)):
        if start in seen:
            continue
        seen[start] = 0
        places = {start: (0, 0)}
        taken = {(0, 0)}
        queue = deque([start])
        while queue:
            index = queue.popleft()
            column, row = places[index]
            for k in range(4):
                other = neighbours[index][k]
                if other < 0 or other in seen or index not in neighbours[other]:
                    continue
                dx, dy = offsets[(k - seen[index]) % 4]
                place = (column + dx, row + dy)
                if place in taken:
                    continue
                # The component's across axis in this patch's own axes, then in the neighbour's.
                axis = (across, down, -across, -down)[seen[index]][index]
                seen[other] = _turn_between(axis, across[other], down[other])
                places[other] = place
                taken.add(place)
                queue.append(other)
        if len(places) >= 4:
            components.append(places)
    components.sort(key=len, reverse=True)
    return components


def _fit(places: FloatArray, px: FloatArray, pitch: float) -> Homography | None:
    """A robust homography from lattice coordinates to px; null when the points don't allow one."""
    matrix, _ = cv2.findHomography(places, px, cv2.RANSAC, max(1.0, 0.12 * pitch), maxIters=300, confidence=0.999)
    if matrix is None or not np.isfinite(matrix).all():
        return None
    return Homography(np.asarray(matrix, dtype=np.float64))


def _absorb(
    patches: Patches, matrix: Homography, free: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Free patches that fall on places of a lattice: members [n] and places [n, 2]."""
    try:
        back = Homography(np.asarray(np.linalg.inv(matrix), dtype=np.float64))
    except np.linalg.LinAlgError:
        return np.zeros(0, np.int64), np.zeros((0, 2), np.int64)
    return _placed(project(back, patches.corners.reshape(-1, 2)).reshape(-1, 4, 2), free)


def _placed(corners: FloatArray, free: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Free patches, by their corners in lattice coordinates [n, 4, 2], that fall on places: members and places."""
    centre = corners.mean(axis=1)
    place = np.floor(centre)
    off = np.abs(centre - place - 0.5).max(axis=1)
    span = corners.max(axis=1) - corners.min(axis=1)
    fits = free & (off < INLIER) & (span > 0.55).all(axis=1) & (span < 1.25).all(axis=1)
    members = np.flatnonzero(fits)
    places = place[members].astype(np.int64)
    together = _together(places)
    return members[together], places[together]


def _together(places: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Which of the places [n, 2] belong to their largest cluster, whose gaps are narrower than between two sheets.

    A lattice goes on without end: far from its sheet others, or grain, fall on its places by chance.
    """
    if not len(places):
        return np.zeros(0, dtype=np.bool_)
    at = places - np.median(places, axis=0).astype(np.int64) + FARTHEST
    inside = ((at > 0) & (at < 2 * FARTHEST)).all(axis=1)
    net = np.zeros((2 * FARTHEST + 1, 2 * FARTHEST + 1), dtype=np.uint8)
    net[at[inside, 1], at[inside, 0]] = 1
    # A cell grown by one on every side touches another up to three steps away.
    _, labels = cv2.connectedComponents(cv2.dilate(net, np.ones((3, 3), np.uint8)), connectivity=8)
    label = np.zeros(len(places), dtype=np.int64)
    label[inside] = labels[at[inside, 1], at[inside, 0]]
    largest = np.bincount(label[inside]).argmax() if inside.any() else -1
    return np.asarray(inside & (label == largest), dtype=np.bool_)


def _with_halves(patches: Patches, matrix: Homography, free: npt.NDArray[np.bool_]) -> tuple[Patches, FreeArray]:
    """The patches, and after them the halves of those free ones that cover two places of a lattice.

    Two cells become one patch where something pale is printed over the line between them (Splitter's centre line).
    """
    back = Homography(np.asarray(np.linalg.inv(matrix), dtype=np.float64))
    corners = project(back, patches.corners.reshape(-1, 2)).reshape(-1, 4, 2)
    low, high = corners.min(axis=1), corners.max(axis=1)
    span, centre = high - low, (low + high) / 2
    halves = []
    for axis in (0, 1):
        other = 1 - axis
        double = free & (np.abs(span[:, axis] - 1.9) < DOUBLE_SLACK) & (span[:, other] > 0.55)
        double &= (span[:, other] < 1.25) & (np.abs(centre[:, axis] - np.round(centre[:, axis])) < INLIER)
        double &= np.abs(centre[:, other] - np.floor(centre[:, other]) - 0.5) < INLIER
        for index in np.flatnonzero(double):
            middle = np.round(centre[index, axis])
            for side in (0, 1):
                # The half keeps the patch's outer corners; its inner ones lie on the line that wasn't seen.
                half = corners[index].copy()
                inner = (half[:, axis] < middle) == bool(side)
                half[inner, axis] = middle
                halves.append(half)
    if not halves:
        return patches, free
    px = project(matrix, np.concatenate(halves)).reshape(-1, 4, 2)
    x, y = px[:, :, 0], px[:, :, 1]
    area = 0.5 * np.abs((x * np.roll(y, -1, axis=1) - np.roll(x, -1, axis=1) * y).sum(axis=1))
    more = Patches(
        np.concatenate([patches.centres, px.mean(axis=1)]),
        np.concatenate([patches.corners, px]),
        np.concatenate([patches.side, np.sqrt(area)]),
    )
    return more, np.concatenate([free, np.ones(len(px), dtype=np.bool_)])


def _bent(
    patches: Patches,
    matrix: Homography,
    members: npt.NDArray[np.int64],
    places: npt.NDArray[np.int64],
    free: npt.NDArray[np.bool_],
) -> tuple[Curve, npt.NDArray[np.int64], npt.NDArray[np.int64]] | None:
    """A bend that explains more patches than flat paper does: it, members [n] and places [n, 2]; null for none."""
    back = Homography(np.asarray(np.linalg.inv(matrix), dtype=np.float64))
    corners = project(back, patches.corners.reshape(-1, 2)).reshape(-1, 4, 2)
    centres: FloatArray = np.asarray(corners.mean(axis=1), dtype=np.float64)
    near = places
    first = len(members)
    for _ in range(6):
        low, high = near.min(axis=0) - BEND_REACH, near.max(axis=0) + 1 + BEND_REACH
        seen = centres[members]
        away = Curve.through(seen, seen - (places.astype(np.float64) + 0.5))
        flat = corners - away.displacement(corners.reshape(-1, 2)).reshape(-1, 4, 2)
        inside = ((flat.mean(axis=1) > low) & (flat.mean(axis=1) < high)).all(axis=1)
        more, more_places = _placed(flat, free & inside)
        unique, index = np.unique(more_places, axis=0, return_index=True)
        more, more_places = more[index], unique
        if len(more) <= len(members):
            break
        members, places, near = more, more_places, more_places
    if len(members) < first + BEND_GAINS:
        return None
    middles: FloatArray = places.astype(np.float64) + 0.5
    return Curve.through(middles, centres[members] - middles), members, places


def _crossings(
    patches: Patches, matrix: Homography, members: npt.NDArray[np.int64], places: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], FloatArray]:
    """Crossings as the mean of the patch corners that meet there: nodes [m, 2] and px [m, 2]."""
    back = Homography(np.asarray(np.linalg.inv(matrix), dtype=np.float64))
    corners = patches.corners[members]
    around = project(back, corners.reshape(-1, 2)).reshape(-1, 4, 2)
    around = around - around.mean(axis=1, keepdims=True)
    node = places[:, None, :] + (around > 0)
    flat = node.reshape(-1, 2).astype(np.int64)
    px = corners.reshape(-1, 2)
    unique, inverse, counts = np.unique(flat, axis=0, return_inverse=True, return_counts=True)
    inverse = inverse.reshape(-1)
    mean = np.stack([np.bincount(inverse, px[:, k]) / counts for k in range(2)], axis=1)
    # A lone corner is drawn inwards by half a line; crossings of two and more cells cancel that out.
    strong = counts >= 2
    return unique[strong], mean[strong]


def _one_lattice(patches: Patches, seed: dict[int, tuple[int, int]], free: npt.NDArray[np.bool_]) -> Lattice | None:
    members = np.fromiter(seed.keys(), dtype=np.int64)
    places = np.asarray(list(seed.values()), dtype=np.int64)
    matrix: Homography | None = None
    for round_ in range(3):
        pitch = float(np.median(patches.side[members])) * 1.08
        matrix = _fit(places.astype(np.float64) + 0.5, patches.centres[members], pitch)
        if matrix is None:
            return None
        if round_ == 0:
            patches, free = _with_halves(patches, matrix, free)
        more, more_places = _absorb(patches, matrix, free)
        if len(more) < MIN_PATCHES:
            return None
        settled = len(more) == len(members)
        members, places = more, more_places
        if settled:
            break
    assert matrix is not None
    nodes, node_px = _crossings(patches, matrix, members, places)
    if len(nodes) >= 8:
        pitch = float(np.median(patches.side[members])) * 1.08
        refined = _fit(nodes.astype(np.float64), node_px, pitch)
        if refined is not None:
            again, again_places = _absorb(patches, refined, free)
            if len(again) >= len(members):
                matrix, members, places = refined, again, again_places
                nodes, node_px = _crossings(patches, matrix, members, places)
    curve = None
    # Only where patches are left over for a bend to explain.
    if free.sum() >= len(members) + BEND_GAINS:
        bent = _bent(patches, matrix, members, places, free)
        if bent is not None:
            curve, members, places = bent
            nodes, node_px = _crossings(patches, matrix, members, places)
    pitch = float(np.median(patches.side[members])) * 1.08
    return Lattice(matrix, places, members, nodes, node_px, pitch, curve)


def find_lattices(patches: Patches, *, most: int = 6) -> tuple[Lattice, ...]:
    """The square lattices among the patches, those with most patches first, at most `most`."""
    if len(patches) < MIN_PATCHES:
        return ()
    free = np.ones(len(patches), dtype=np.bool_)
    found: list[Lattice] = []
    for seed in _grow(patches, _links(patches)):
        left = {index: place for index, place in seed.items() if free[index]}
        if len(left) < MIN_SEED or len(found) >= most:
            continue
        lattice = _one_lattice(patches, left, free)
        if lattice is None or (len(left) < MIN_PATCHES and len(lattice.members) < GROWN * len(left)):
            continue
        free[lattice.members[lattice.members < len(patches)]] = False
        found.append(lattice)
    found.sort(key=lambda lattice: len(lattice.members), reverse=True)
    return tuple(found)
