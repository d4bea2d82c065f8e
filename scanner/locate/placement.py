"""Where a sheet lies in a photo."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from scanner.geometry import FloatArray, Homography, project
from scanner.locate.fit import turn_matrix
from scanner.locate.mesh import Mesh
from scanner.templates import Template


@dataclass(frozen=True, slots=True)
class NotFound:
    """No sheet in the photo, and why. Falsy, so that ``if placements:`` reads as it should.

    unknown: what was seen may be a sheet of another kind than those that were looked for.
    """

    reason: str
    unknown: bool = False

    def __bool__(self) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class Placement:
    """A template's place in a photo.

    lattice: homography from lattice coordinates (column, row from the template's top left, one unit a cell) to px of
    ``photo.rgb``. mesh: what bent paper adds, in lattice coordinates; null for flat paper.
    residual_px: RMS distance of the printed lines from the fit, px of ``photo.rgb``. score: how well lines and gaps
    agree. turns: the other quarter turns (clockwise, of the sheet in the picture) that would fit as well; only the ink
    can tell. plain: the heavier lines that the template has weren't seen, so that it may be any squared table of this
    size; what the cells hold has to confirm the sheet.
    """

    template: Template
    lattice: Homography
    mesh: Mesh | None
    residual_px: float
    score: float
    turns: tuple[int, ...] = ()
    plain: bool = False

    def project(self, points_mm: FloatArray) -> FloatArray:
        """Points on the sheet [n, 2] in mm to px of ``photo.rgb`` [n, 2]."""
        grid = self.template.grid
        assert grid is not None
        lattice = (points_mm - np.array([grid.origin.x, grid.origin.y])) / np.array(grid.pitch)
        if self.mesh is not None:
            lattice = self.mesh.displace(lattice)
        return project(self.lattice, lattice)

    @property
    def corners(self) -> FloatArray:
        """Corners of the main lattice's bounding rectangle, px [4, 2], the template's top left first, clockwise."""
        quad = np.array([[point.x, point.y] for point in self.template.mm_quad()], dtype=np.float64)
        return self.project(quad)

    def cell_polygons(self) -> tuple[FloatArray, ...]:
        """The outline of every cell of the template, in its order, px [corners, 2] each."""
        outlines = [np.array([[p.x, p.y] for p in cell.polygon], dtype=np.float64) for cell in self.template.cells]
        lengths = [len(outline) for outline in outlines]
        mapped = self.project(np.concatenate(outlines))
        return tuple(np.split(mapped, np.cumsum(lengths)[:-1]))

    def turned(self, quarter_turns: int) -> Placement:
        """The same sheet read with its top at another side: turned clockwise in the picture by quarter turns."""
        grid = self.template.grid
        assert grid is not None
        turn = turn_matrix(quarter_turns % 4, grid.rows, grid.cols)
        mesh = self.mesh.turned(quarter_turns % 4) if self.mesh is not None else None
        return replace(self, lattice=Homography(self.lattice @ turn), mesh=mesh)
