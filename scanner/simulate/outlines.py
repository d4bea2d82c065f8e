"""Outlines of what is printed: symbols and shapes as polygons, and the edges of cells, each once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from scanner.geometry import Square
from scanner.templates import Cell, Template

Outline = list[tuple[float, float]]
"""Corners of a polygon, mm."""

INNER_STAR = 0.42
ARM = 0.28
"""Half the width of a cross's arms, of its half height."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A side of one or two cells: its ends in mm; heavy: printed heavier."""

    start: tuple[float, float]
    end: tuple[float, float]
    heavy: bool


def extent(cell: Cell) -> tuple[float, float]:
    """Width and height of a cell's bounding rectangle, mm."""
    xs, ys = [p.x for p in cell.polygon], [p.y for p in cell.polygon]
    return max(xs) - min(xs), max(ys) - min(ys)


def middle(cell: Cell) -> tuple[float, float]:
    """The middle of a cell's bounding rectangle, mm."""
    xs, ys = [p.x for p in cell.polygon], [p.y for p in cell.polygon]
    return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2


def outline(name: str, centre: tuple[float, float], half: tuple[float, float], turn: int = 0) -> Outline:
    """The outline of a symbol or shape by its template name, `half` mm wide and high; turn: degrees clockwise."""
    angle = math.radians(turn)
    cos, sin = round(math.cos(angle)), round(math.sin(angle))
    return [
        (centre[0] + half[0] * (cos * x - sin * y), centre[1] + half[1] * (sin * x + cos * y)) for x, y in _unit(name)
    ]


def _unit(name: str) -> Outline:
    """The same between -1 and 1, y down."""
    if name in ("square", "rectangle"):
        return [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    if name == "triangle":
        return [(0, -1), (1, 1), (-1, 1)]
    if name == "star":
        radii = (1.0, INNER_STAR) * 5
        return [(math.sin(math.pi * k / 5) * r, -math.cos(math.pi * k / 5) * r) for k, r in enumerate(radii)]
    if name == "heart":
        turns = [2 * math.pi * k / 40 for k in range(40)]
        heights = [13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t) for t in turns]
        return [(math.sin(t) ** 3, -height / 17 - 0.1) for t, height in zip(turns, heights, strict=True)]
    if name == "cross":
        quarter = [(-ARM, -1.0), (ARM, -1.0), (ARM, -ARM)]
        return [corner for k in range(4) for corner in (_quarter_turned(point, k) for point in quarter)]
    return [(math.sin(2 * math.pi * k / 36), -math.cos(2 * math.pi * k / 36)) for k in range(36)]


def _quarter_turned(point: tuple[float, float], quarters: int) -> tuple[float, float]:
    x, y = point
    for _ in range(quarters):
        x, y = -y, x
    return x, y


def edges(template: Template, thick_frame: bool) -> Iterator[Edge]:
    """Every printed side of the cells once. thick_frame: the outermost lines are heavy, too, where others are."""
    if template.look.lines == "none":
        return
    heavy: dict[tuple[tuple[float, float], tuple[float, float]], bool] = {}
    # a table's own lines go by the styles of its rows and columns, see `table_printing`
    cells = template.cells if template.table is None else [cell for cell in template.cells if "." not in cell.id]
    for cell in cells:
        corners = [(point.x, point.y) for point in cell.polygon]
        sides = _heavy_sides(template, cell, thick_frame)
        for index, start in enumerate(corners):
            end = corners[(index + 1) % len(corners)]
            key = (min(start, end), max(start, end))
            heavy[key] = heavy.get(key, False) or index in sides
    for (start, end), is_heavy in heavy.items():
        yield Edge(start, end, is_heavy)


def _heavy_sides(template: Template, cell: Cell, thick_frame: bool) -> frozenset[int]:
    """Which sides of a cell (0 top, 1 right, 2 bottom, 3 left) are printed heavier."""
    grid = template.grid
    if grid is None or grid.heavy is None or not isinstance(cell.place, Square):
        return frozenset()
    row, col = cell.place.row, cell.place.col
    lines = {
        0: (row - 1, grid.heavy[1], grid.rows),
        1: (col, grid.heavy[0], grid.cols),
        2: (row, grid.heavy[1], grid.rows),
        3: (col - 1, grid.heavy[0], grid.cols),
    }
    return frozenset(
        side
        for side, (line, every, last) in lines.items()
        if line % every == 0 and (thick_frame or line not in (0, last))
    )
