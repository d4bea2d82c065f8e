"""How surely a printed line runs along edges of any direction, and how far beside their place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from scanner.geometry import FloatArray
from scanner.locate.candidates import GrayImage

ALONG = 7
"""Places along an edge at which the picture is looked at."""
ENDS = 0.14
"""Share of an edge left out at both of its ends, where other edges begin."""
FLOOR = 16.0
"""Brightness below which a surface is no paper, so that its grain doesn't count for as much."""

Profiles = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EdgeProfiles:
    """What lies across edges.

    dark: float32 [edges, along, across], how much darker than the lighter of what lies on each side, 0 to 1.
    shifts: float64 [across], where, in the unit of the edges' coordinates; positive to the right of the edge's way
    (clockwise of it on screen). seen: bool [edges], whether all of it lies in the picture.
    """

    dark: Profiles
    shifts: FloatArray
    seen: npt.NDArray[np.bool_]


def normals(edges: FloatArray) -> FloatArray:
    """Unit vectors across edges [n, 2, 2], to the right of their way on screen: [n, 2]."""
    way = edges[:, 1] - edges[:, 0]
    way = way / np.linalg.norm(way, axis=1, keepdims=True)
    return np.column_stack([-way[:, 1], way[:, 0]])


def sample_points(
    edges: FloatArray, reach: float, count: int, place: Callable[[FloatArray], FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Points across edges [n, 2, 2]: (px [n * ALONG * count, 2], shifts [count] from -reach to reach).

    place: maps points [n, 2] to px. Across an edge it is as good as linear, so only both ends are mapped.
    """
    t = np.linspace(ENDS, 1 - ENDS, ALONG)[None, :, None]
    on = edges[:, 0, None] * (1 - t) + edges[:, 1, None] * t  # [n, along, 2]
    aside = reach * normals(edges)[:, None]
    first, last = (place((on + sign * aside).reshape(-1, 2)) for sign in (-1, 1))
    share = np.linspace(0, 1, count)[None, :, None]
    px = first[:, None] * (1 - share) + last[:, None] * share
    return px.reshape(-1, 2), np.linspace(-reach, reach, count)


def profiles(gray: GrayImage, px: FloatArray, edges: int, shifts: FloatArray) -> EdgeProfiles:
    """The profiles at px [edges * ALONG * len(shifts), 2] of a grey picture, in the order of `sample_points`."""
    shape = (edges * ALONG, len(shifts))
    x, y = (np.ascontiguousarray(side.reshape(shape), dtype=np.float32) for side in px.T)
    high, wide = gray.shape
    outside = (x < 0) | (y < 0) | (x > wide - 1) | (y > high - 1)
    # Mapped in pieces, since cv2.remap takes no picture of more than 32,767 rows.
    values = np.concatenate(
        [
            cv2.remap(gray, x[at : at + 16384], y[at : at + 16384], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
            for at in range(0, len(x), 16384)
        ]
    ).astype(np.float32)
    left = np.maximum.accumulate(values, axis=1)
    right = np.maximum.accumulate(values[:, ::-1], axis=1)[:, ::-1]
    level = np.minimum(left, right)
    dark = (level - values) / np.maximum(level, FLOOR)
    seen = ~outside.reshape(edges, -1).any(axis=1)
    return EdgeProfiles(dark.reshape(edges, ALONG, len(shifts)).astype(np.float32), shifts, seen)


def line_darkness(found: EdgeProfiles, reach: float, percentile: float = 30.0) -> npt.NDArray[np.float32]:
    """Darkness that most of each edge has within `reach` of its place: float32 [edges]."""
    near = np.abs(found.shifts) <= reach
    best = found.dark[:, :, near].max(axis=2)
    rank = int(ALONG * percentile / 100)
    return np.asarray(np.partition(best, rank, axis=1)[:, rank], dtype=np.float32)
