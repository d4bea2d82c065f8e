"""Groups of cells that scored, in the annotated picture: an outline around each, its points, the symbols that counted.

What scores is said by the score lines' groups alone; no game is known here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from scanner.geometry import FloatArray, Hex, Square
from scanner.report.frames import moved_in, short_side
from scanner.report.signs import BLUE, DARK, GREEN, SKY, WHITE, Color
from scanner.results import ScoreGroup, ScoreLine
from scanner.templates.model import Symbol, Template

Picture = npt.NDArray[np.uint8]

GROUP_COLORS: tuple[Color, ...] = (GREEN, BLUE, DARK, SKY)
"""Of neighbouring groups, as few as will do. None of them means that something is wrong."""
LINE_INSET = 0.045
LINE_WIDTH = 0.06
CASING = 0.025
"""Of outlines, as parts of a cell's short side: the middle of the line from the cells' edge, its width, and the white
on both sides of it."""
OUTLINE_ROOM = LINE_INSET + LINE_WIDTH / 2 + CASING
"""What an outline takes of a cell's side; frames and readings stay inside of it."""


@dataclass(frozen=True, slots=True)
class GroupMark:
    """How one group is shown.

    cells: in the template's order. symbols: the printed symbol of those cells where it counted. outlined: the cells
    are joined, or stand outside the lattice; without an outline, the points and symbols stand for themselves.
    line: cells that join one to another, in order: they are drawn as a line instead.
    """

    cells: tuple[str, ...]
    points: int
    color: Color
    outlined: bool
    symbols: Mapping[str, Symbol]
    line: tuple[str, ...] = ()


def group_marks(lines: Sequence[ScoreLine], template: Template, shown: Collection[str]) -> tuple[GroupMark, ...]:
    """The marks of all groups that score. shown: ids of the cells in the picture; a group with others is left out."""
    groups = [
        group for line in lines for group in line.groups if group.points and all(cell in shown for cell in group.cells)
    ]
    colors = _colors(groups, template)
    return tuple(
        GroupMark(
            group.cells,
            group.points,
            color,
            not group.line and _is_joined(group.cells, template),
            {cell: symbol for cell in group.symbols if (symbol := _symbol_of(cell, template)) is not None},
            group.line,
        )
        for group, color in zip(groups, colors, strict=True)
    )


def draw_group(picture: Picture, mark: GroupMark, template: Template, polygons: Mapping[str, FloatArray]) -> None:
    """The line around all of the group's cells, inside of them, so that two groups side by side have two lines."""
    unit = min(short_side(polygons[cell]) for cell in mark.cells)
    for loop in _outlines([polygons[cell] for cell in mark.cells], LINE_INSET * unit, _gap(template) * unit):
        for color, width in ((WHITE, LINE_WIDTH + 2 * CASING), (mark.color, LINE_WIDTH)):
            cv2.polylines(picture, [loop], True, color, max(1, round(width * unit)), cv2.LINE_AA)


def _outlines(polygons: Sequence[FloatArray], inset: float, gap: float) -> list[npt.NDArray[np.int32]]:
    """The boundary of the polygons' union, moved inwards by `inset` px: loops [n, 1, 2] in px, holes as well.

    gap: px between neighbours, which belongs to the union.
    """
    grown = [moved_in(polygon, -gap / 2 - 0.5) for polygon in polygons]  # 0.5: so that no seam of rounding is left
    points = np.concatenate(grown)
    margin = 3
    low = np.floor(points.min(axis=0)).astype(int) - margin
    width, height = (np.ceil(points.max(axis=0)).astype(int) + margin + 1 - low).tolist()
    mask = np.zeros((height, width), dtype=np.uint8)
    for polygon in grown:
        cv2.fillPoly(mask, [np.round((polygon - low) * 16).astype(np.int32)], 255, shift=4)
    # distances, unlike an erosion, take any inset; corners that stick out stay sharp, those that go in become round
    depth = cv2.distanceTransform(mask, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    inner = (depth > inset + gap / 2 + 0.5).astype(np.uint8)
    loops, _ = cv2.findContours(inner, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    return [
        cv2.approxPolyDP(loop, 1.0, True).astype(np.int32) + low.astype(np.int32) for loop in loops if len(loop) > 3
    ]


def _gap(template: Template) -> float:
    """Space between neighbouring cells as a part of a cell's short side."""
    grid = template.grid
    if grid is None:
        return 0.0
    return max(grid.pitch[0] - grid.cell[0], grid.pitch[1] - grid.cell[1]) / min(grid.cell)


def _neighbours(cell: str, template: Template) -> list[str]:
    """Ids of the cells that share an edge with one; none for a cell outside the lattice."""
    place = template.cell(cell).place
    around: Sequence[Square | Hex] = ()
    if isinstance(place, Hex):
        around = place.neighbours()
    elif isinstance(place, Square):
        around = [Square(place.row + dy, place.col + dx) for dy, dx in ((-1, 0), (0, -1), (0, 1), (1, 0))]
    return [near.id for spot in around if (near := template.at(spot)) is not None]


def _is_joined(cells: Sequence[str], template: Template) -> bool:
    if all(template.cell(cell).place is None for cell in cells):
        return True  # boxes: each has its own outline, or one with those that it touches
    reached = [cells[0]]
    for cell in reached:
        reached += [near for near in _neighbours(cell, template) if near in cells and near not in reached]
    return len(reached) == len(cells)


def _colors(groups: Sequence[ScoreGroup], template: Template) -> list[Color]:
    """A colour for each group, another one than its neighbours' wherever `GROUP_COLORS` are enough for that."""
    at: dict[str, list[int]] = {}
    for number, group in enumerate(groups):
        for cell in group.cells:
            at.setdefault(cell, []).append(number)
    beside: list[set[int]] = []
    for number, group in enumerate(groups):
        near = {
            other for cell in group.cells for spot in (cell, *_neighbours(cell, template)) for other in at.get(spot, [])
        }
        beside.append(near - {number})
    chosen: dict[int, int] = {}
    while len(chosen) < len(groups):
        # next the group that has the fewest colours left (DSATUR, Brelaz 1979)
        taken = {
            n: {chosen[other] for other in beside[n] if other in chosen} for n in range(len(groups)) if n not in chosen
        }
        number = max(taken, key=lambda n: (len(taken[n]), len(beside[n]), -n))
        free = [color for color in range(len(GROUP_COLORS)) if color not in taken[number]]
        chosen[number] = free[0] if free else 0
    return [GROUP_COLORS[chosen[number]] for number in range(len(groups))]


def _symbol_of(cell: str, template: Template) -> Symbol | None:
    tags = template.cell(cell).tags
    return next((look.symbol for look in template.look.symbols if look.tag in tags), None)
