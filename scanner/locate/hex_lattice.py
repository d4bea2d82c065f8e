"""Hex lattices: patches of paper with six corners that lie side by side get axial coordinates, and one homography.

Which part of a lattice is a sheet, of which template and which way up, is decided later (`scanner.locate.hex_fit`);
here hex (0, 0) is just one of the patches, and the right is whichever of its sides comes first.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from scanner.geometry import HEX_STEPS, FloatArray, Homography, polygon_area, project
from scanner.locate.candidates import MAX_SIDE, MIN_SIDE, GrayImage, Patches, Threshold, paper_contours
from scanner.locate.lattice import Curve

MIN_HEXES = 12
"""Fewer neighbouring hexes than this are no lattice; the smallest sheet has several times as many."""
QUAD_LOW, QUAD_HIGH = 0.87, 1.2
"""A patch whose hull has a share of its four corners' area outside these has other than four sides: a rectangle around
a regular hexagon is filled to 0.75, four of its corners enclose two thirds of it."""
AFFINE = 0.22
"""How far, as a share of its size, a hexagon's corners may be from those of a regular one seen from somewhere."""
NEAR = 0.3
"""How far, in pitches, a neighbour's centre may lie from where its neighbour expects it."""
GAP = 1.06
"""A cell of the lattice is wider than the patch inside its lines by about this factor."""
INLIER = 0.2
"""How far, in pitches, a patch's centre may lie from its place in the fitted lattice."""
ALIKE = (0.45, 1.9)
"""Area of a patch that may be a cell of a lattice, as a share of the cell's."""
MOST_LATTICES = 4

Places = npt.NDArray[np.int64]
UNIT = np.array([[1.0, 0.0], [0.5, math.sqrt(3) / 2]])
"""Axial coordinates times this are hex units: x and y with the pitch as unit, (0, 0) the middle of hex (0, 0)."""


@dataclass(frozen=True, slots=True)
class HexPatches:
    """Patches of one picture that may be hexes.

    centres: float64 [n, 2], px. area: float64 [n], px. six: bool [n], whether the patch is a hexagon; corners:
    float64 [n, 6, 2], px, clockwise on screen, of the hexagons only.
    """

    centres: FloatArray
    area: FloatArray
    six: npt.NDArray[np.bool_]
    corners: FloatArray


@dataclass(frozen=True, slots=True)
class HexLattice:
    """Hexes that belong together.

    places: int64 [n, 2], axial coordinates. px: float64 [n, 2], their centres. matrix: homography from hex units to
    px. curve: what bent paper adds, in hex units.
    """

    places: Places
    px: FloatArray
    matrix: Homography
    curve: Curve

    def project(self, points: FloatArray) -> FloatArray:
        """Points [n, 2] in hex units to px [n, 2]."""
        return project(self.matrix, points + self.curve.displacement(points))

    @property
    def pitch(self) -> float:
        """Distance of neighbours in the middle of the lattice, px."""
        middle = np.median(self.places @ UNIT, axis=0)
        ends = project(self.matrix, middle + np.array([[-0.5, 0.0], [0.5, 0.0], [0.0, -0.5], [0.0, 0.5]]))
        return float(np.sqrt(np.linalg.norm(ends[1] - ends[0]) * np.linalg.norm(ends[3] - ends[2])))


def six_sided(patches: Patches) -> int:
    """How many of the patches may be hexagons: a cheap look at whether there are hexes at all."""
    if not len(patches):
        return 0
    x, y = patches.corners[:, :, 0], patches.corners[:, :, 1]
    quads = 0.5 * np.abs(np.sum(x * np.roll(y, -1, axis=1) - np.roll(x, -1, axis=1) * y, axis=1))
    share = patches.side**2 / np.maximum(quads, 1e-6)
    return int(((share < QUAD_LOW) | (share > QUAD_HIGH)).sum())


def _six_corners(hull: npt.NDArray[np.int32], area: float) -> FloatArray | None:
    """The corners of a hexagon, clockwise on screen [6, 2]; null for a hull that is none."""
    length = cv2.arcLength(hull, True)
    for tolerance in (0.02, 0.03, 0.045, 0.06):
        polygon = cv2.approxPolyDP(hull, tolerance * length, True)
        if len(polygon) <= 6:
            break
    if len(polygon) != 6:
        return None
    corners = np.asarray(polygon, dtype=np.float64).reshape(6, 2)
    if polygon_area(corners) < 0:
        corners = corners[::-1]
    if polygon_area(corners) < 0.85 * area:
        return None
    centre = corners.mean(axis=0)
    # In a regular hexagon, and so in any affine view of it, a corner is the sum of its neighbours, from the centre.
    off = corners - (np.roll(corners, 1, axis=0) + np.roll(corners, -1, axis=0) - centre)
    if float(np.linalg.norm(off, axis=1).max()) > AFFINE * 2 * math.sqrt(area):
        return None
    return corners


def find_hexes(gray: GrayImage, threshold: Threshold) -> HexPatches:
    """All patches of a grey picture [h, w] of about 1,000 px that may be hexes."""
    long_side = max(gray.shape)
    smallest, largest = (MIN_SIDE * long_side) ** 2, (MAX_SIDE * long_side) ** 2
    centres, areas, six, corners = [], [], [], []
    for contour in paper_contours(gray, threshold):
        if len(contour) < 6:
            continue
        hull = np.asarray(cv2.convexHull(contour), dtype=np.int32)
        area = cv2.contourArea(hull)
        if not smallest <= area <= largest:
            continue
        found = _six_corners(hull, area)
        moments = cv2.moments(hull)
        if found is None:
            centres.append((moments["m10"] / moments["m00"], moments["m01"] / moments["m00"]))
        else:
            centres.append(tuple(found.mean(axis=0)))
            corners.append(found)
        areas.append(area)
        six.append(found is not None)
    n = len(areas)
    return HexPatches(
        np.asarray(centres, dtype=np.float64).reshape(n, 2),
        np.asarray(areas, dtype=np.float64),
        np.asarray(six, dtype=np.bool_),
        np.asarray(corners, dtype=np.float64).reshape(len(corners), 6, 2),
    )


def _grow(patches: HexPatches) -> list[dict[int, tuple[int, int]]]:
    """Groups of patches with their axial coordinates, largest first: from each hexagon to what lies at its sides."""
    frames: dict[int, FloatArray] = {}
    for number, corners in zip(np.flatnonzero(patches.six), patches.corners, strict=True):
        sides = (corners + np.roll(corners, -1, axis=0)) / 2 - corners.mean(axis=0)
        frames[int(number)] = 2 * GAP * sides
    groups: list[dict[int, tuple[int, int]]] = []
    taken: set[int] = set()
    for start, frame in frames.items():
        if start in taken:
            continue
        group, held = {start: (0, 0)}, {(0, 0): start}
        queue = deque([(start, frame)])
        while queue:
            here, frame = queue.popleft()
            expected = patches.centres[here] + frame
            away = np.linalg.norm(expected[:, None] - patches.centres[None], axis=2)
            nearest = away.argmin(axis=1)
            size = np.linalg.norm(frame, axis=1)
            for side, other in enumerate(nearest.tolist()):
                step = HEX_STEPS[side]
                place = (group[here][0] + step[0], group[here][1] + step[1])
                ratio = patches.area[other] / patches.area[here]
                close = away[side, other] < NEAR * size[side] and ALIKE[0] < ratio < 1 / ALIKE[0]
                if not close or other in group or place in held or other in taken:
                    continue
                group[other], held[place] = place, other
                seen = patches.centres[other] - patches.centres[here]
                queue.append((other, _own_frame(frames.get(other), frame, side, seen)))
        taken |= group.keys()
        groups.append(group)
    return sorted((group for group in groups if len(group) >= MIN_HEXES), key=len, reverse=True)[:MOST_LATTICES]


def _own_frame(own: FloatArray | None, before: FloatArray, side: int, seen: FloatArray) -> FloatArray:
    """The way to the six neighbours of a patch. before: that of the patch whose `side` led here, `seen` px away."""
    if own is None:
        # Without corners of its own it goes on as before, at the distance that was seen.
        along = np.cos((np.arange(6) - side) * math.pi / 3)[:, None]
        return np.asarray(before + (seen - before[side]) * along, dtype=np.float64)
    turns = [np.roll(own, turn, axis=0) for turn in range(6)]
    return min(turns, key=lambda turned: float(np.linalg.norm(turned - before, axis=1).sum()))


def _fitted(patches: HexPatches, group: dict[int, tuple[int, int]]) -> HexLattice | None:
    """A homography and a bend through a group's centres, and the other patches that lie on places of it."""
    members = np.array(list(group), dtype=np.int64)
    places = np.array(list(group.values()), dtype=np.int64)
    curve = Curve(np.zeros(2), np.ones(2), np.zeros(6), np.zeros(6))
    pitch = math.sqrt(float(np.median(patches.area[members])) * 2 / math.sqrt(3))
    for _ in range(3):
        flat = places @ UNIT
        fit, inliers = cv2.findHomography(flat, patches.centres[members], cv2.RANSAC, INLIER * pitch, maxIters=300)
        if fit is None or int(inliers.sum()) < MIN_HEXES:
            return None
        matrix = Homography(np.asarray(fit, dtype=np.float64))
        back = Homography(np.asarray(np.linalg.inv(matrix), dtype=np.float64))
        seen = project(back, patches.centres[members])
        off = seen - flat
        near = np.linalg.norm(off, axis=1) < 2 * INLIER
        if int(near.sum()) < MIN_HEXES:
            return None
        curve = Curve.through(flat[near], off[near])
        everywhere = project(back, patches.centres)
        # The bend is small, so one step of going back is enough to name the place.
        everywhere -= curve.displacement(everywhere)
        axial = _rounded(everywhere)
        away = np.linalg.norm(everywhere - axial @ UNIT, axis=1)
        centre_now = flat[near].mean(axis=0)
        reach = np.abs(flat - centre_now).max() + 2
        cell = _cell_area(matrix, axial @ UNIT)
        share = patches.area / cell
        fits = (away < INLIER) & (share > ALIKE[0]) & (share < 1.3)
        fits &= np.abs(everywhere - centre_now).max(axis=1) < reach
        best: dict[tuple[int, int], int] = {}
        for number in np.flatnonzero(fits)[np.argsort(away[fits])]:
            best.setdefault((int(axial[number, 0]), int(axial[number, 1])), int(number))
        if len(best) < MIN_HEXES:
            return None
        members = np.array(list(best.values()), dtype=np.int64)
        places = np.array(list(best), dtype=np.int64)
    return HexLattice(places, patches.centres[members], matrix, curve)


def _cell_area(matrix: Homography, points: FloatArray) -> FloatArray:
    """Area in px of a hex of the lattice at points [n, 2] in hex units."""
    w = points @ matrix[2, :2] + matrix[2, 2]
    jacobian = abs(float(np.linalg.det(matrix))) / np.maximum(np.abs(w), 1e-9) ** 3
    return np.asarray(jacobian * math.sqrt(3) / 2, dtype=np.float64)


def _rounded(points: FloatArray) -> Places:
    """The hexes in which points [n, 2] in hex units lie, axial [n, 2]."""
    axial = points @ np.linalg.inv(UNIT)
    cube = np.column_stack([axial, -axial.sum(axis=1)])
    whole = np.round(cube)
    off = np.abs(whole - cube)
    worst = off.argmax(axis=1)
    rows = np.arange(len(points))
    whole[rows, worst] -= whole.sum(axis=1)
    return np.asarray(whole[:, :2], dtype=np.int64)


def find_hex_lattices(patches: HexPatches) -> tuple[HexLattice, ...]:
    """The hex lattices of a picture, largest first."""
    found = (_fitted(patches, group) for group in _grow(patches))
    return tuple(lattice for lattice in found if lattice is not None)
