"""Where a hex sheet lies in a photo."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from scanner.geometry import FloatArray, Homography, project
from scanner.locate.placement import Placement
from scanner.templates import Template


@dataclass(frozen=True, slots=True)
class Way:
    """One way of taking an outline of hexes: as which template, and which way up.

    sixths: of a full turn, clockwise, by which the sheet lies in the picture, from the fit's first corner on. boxes:
    correlation of the boxes' lines, -1 to 1.
    """

    template: Template
    sixths: int
    boxes: float


@dataclass(frozen=True, slots=True)
class HexPlacement(Placement):
    """As `Placement`, for a template with hexes.

    lattice: homography from hex units (the pitch as unit, from the middle of q0r0) to px of ``photo.rgb``. mesh: over
    the whole sheet, boxes included, its coordinates counted from `first` (hex units) on. ways: all ways of taking the
    outline, the likeliest first, which is this one; what is printed in the hexes has to confirm it. outline: the
    lattice of way 0 sixths, flat.
    """

    first: tuple[float, float] = (0.0, 0.0)
    ways: tuple[Way, ...] = ()
    outline: Homography | None = None

    def project(self, points_mm: FloatArray) -> FloatArray:
        """Points on the sheet [n, 2] in mm to px of ``photo.rgb`` [n, 2]."""
        hexes = self.template.hexes
        assert hexes is not None
        units = (points_mm - np.array([hexes.centre.x, hexes.centre.y])) / hexes.pitch
        if self.mesh is not None:
            first = np.array(self.first)
            units = self.mesh.displace(units - first) + first
        return project(self.lattice, units)

    def turned(self, quarter_turns: int) -> Placement:
        """The same sheet as it is: hexes turn by sixths, so none of its quarter turns fits (`turns` is empty)."""
        if quarter_turns % 4:
            raise ValueError("a sheet of hexes has no quarter turns")
        return self

    def taken(self, way: Way) -> HexPlacement:
        """The same outline taken another way, flat and without its boxes' own place."""
        assert self.outline is not None
        matrix = Homography(self.outline @ sixth_turns(way.sixths))
        return replace(self, template=way.template, lattice=matrix, mesh=None)


def sixth_turns(sixths: int) -> FloatArray:
    """A turn of hex units by sixths of a full turn, clockwise on screen: [3, 3]."""
    cos, sin = math.cos(sixths * math.pi / 3), math.sin(sixths * math.pi / 3)
    return np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
