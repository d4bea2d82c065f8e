"""Where a score table lies in a photo."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from scanner.geometry import FloatArray, project
from scanner.locate.placement import Placement
from scanner.templates import Table, Template
from scanner.templates.model import rectangle


@dataclass(frozen=True, slots=True)
class TablePlacement(Placement):
    """As `Placement`, for a template with a table.

    template: with rows and columns where they were found on this sheet, not where its file has them. lattice:
    homography from table units (the usual height of a row as unit, from the table's top left) to px of ``photo.rgb``.
    mesh: in these units. others: further ways to take the same lines, the likelier first; what is written decides.
    shifted: the same a row higher, and a row lower, in case that sums tell so.
    model: the template as its file has it, where its rows and columns are open; `template` then has a cell between any
    two lines, without names yet.
    """

    others: tuple[TablePlacement, ...] = ()
    shifted: tuple[TablePlacement, ...] = ()
    model: Template | None = None

    @property
    def table(self) -> Table:
        """The template's table."""
        assert self.template.table is not None
        return self.template.table

    @property
    def origin(self) -> tuple[float, float]:
        """The table's top left, mm."""
        return self.table.columns[0].left, self.table.rows[0].top

    @property
    def unit(self) -> float:
        """What one unit of the lattice is, mm."""
        return unit_of(self.table)

    @property
    def extent(self) -> tuple[float, float]:
        """Width and height of the table with its labels, in units."""
        left, top = self.origin
        return (self.table.columns[-1].right - left) / self.unit, (self.table.rows[-1].bottom - top) / self.unit

    def project(self, points_mm: FloatArray) -> FloatArray:
        """Points on the sheet [n, 2] in mm to px of ``photo.rgb`` [n, 2]."""
        units = (points_mm - np.array(self.origin)) / self.unit
        if self.mesh is not None:
            units = self.mesh.displace(units)
        return project(self.lattice, units)

    def turned(self, quarter_turns: int) -> Placement:
        """The same sheet as it is: a table is told which way up by its rows (`turns` is empty)."""
        if quarter_turns % 4:
            raise ValueError("a table has no quarter turns of its own, see `others`")
        return self


def unit_of(table: Table) -> float:
    """The usual height of a row, headings included, mm."""
    return float(np.median([row.bottom - row.top for row in table.rows]))


def moved(template: Template, across: dict[float, float], down: dict[float, float]) -> Template:
    """The template with its edges elsewhere: `across` and `down` map the old places of all edges to new ones, mm."""
    table = template.table
    assert table is not None
    columns = tuple(replace(one, left=across[one.left], right=across[one.right]) for one in table.columns)
    rows = tuple(replace(one, top=down[one.top], bottom=down[one.bottom]) for one in table.rows)
    cells = tuple(
        replace(
            cell,
            polygon=rectangle(
                across[cell.polygon[0].x], down[cell.polygon[0].y], across[cell.polygon[2].x], down[cell.polygon[2].y]
            ),
        )
        if "." in cell.id
        else cell
        for cell in template.cells
    )
    size = (max(template.size[0], columns[-1].right), max(template.size[1], rows[-1].bottom))
    return replace(template, cells=cells, size=size, table=replace(table, columns=columns, rows=rows))
