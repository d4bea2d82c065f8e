"""Coordinates as types, and the few projective operations that every stage shares.

Points in millimetres on the sheet and points in pixels of the picture are different types on purpose:
mixing them must not type-check. Arrays of points are float64 [n, 2], x first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NewType

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

Homography = NewType("Homography", FloatArray)
"""float64 [3, 3], maps column vectors (x, y, 1) of one plane to another; which ones, the owner's docstring says."""


@dataclass(frozen=True, slots=True, order=True)
class Square:
    """A cell of a square lattice; row and column count from 1 at the template's top left."""

    row: int
    col: int

    @property
    def id(self) -> str:
        """The cell's id, such as ``r1c9``."""
        return f"r{self.row}c{self.col}"


@dataclass(frozen=True, slots=True, order=True)
class Hex:
    """A cell of a hex lattice in axial coordinates, pointy tops, middle (0, 0), q to the right, r down to the right."""

    q: int
    r: int

    @property
    def id(self) -> str:
        """The cell's id, such as ``q-1r2``."""
        return f"q{self.q}r{self.r}"

    def neighbours(self) -> tuple[Hex, ...]:
        """The six hexes that share an edge, counter-clockwise from the right."""
        return tuple(Hex(self.q + dq, self.r + dr) for dq, dr in HEX_STEPS)

    def turned(self, sixths: int) -> Hex:
        """This hex after a turn by `sixths` times 60 degrees around the middle hex."""
        q, r = self.q, self.r
        for _ in range(sixths % 6):
            q, r = -r, q + r
        return Hex(q, r)


HEX_STEPS: tuple[tuple[int, int], ...] = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))


@dataclass(frozen=True, slots=True)
class MmPoint:
    """A point on the sheet, in millimetres from its top left, y down."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class PxPoint:
    """A point in the picture as a viewer shows it (EXIF applied, full size), in pixels, y down."""

    x: float
    y: float


def project(matrix: Homography, points: FloatArray) -> FloatArray:
    """Maps points [n, 2] through a homography; returns [n, 2]."""
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(f"points: expected shape [n, 2], got {points.shape}")
    mapped = points @ matrix[:, :2].T + matrix[:, 2]
    return np.asarray(mapped[:, :2] / mapped[:, 2:3], dtype=np.float64)


def polygon_area(points: FloatArray) -> float:
    """Signed area of a polygon [n, 2]; positive when clockwise on screen (y down)."""
    x, y = points[:, 0], points[:, 1]
    return float(0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))
