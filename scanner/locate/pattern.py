"""A square template as a pattern of printed lines, in each of its four turns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from scanner.templates import Grid, Template

ON_LINE = 0.15
"""A printed rule this near to a line of the lattice, in cells, lies on it."""


@dataclass(frozen=True, slots=True)
class Border:
    """One of the four sides at which a sheet ends: the edges beyond it that would show that the grid goes on.

    across: edges that carry on the sheet's lines over the border. along: the lines one cell outside, along the border.
    is_upright: whether `across` are upright edges (and `along` level ones) or the other way round.
    outside: bool [rows + 2, cols + 2], the cells beyond the border.
    """

    across: npt.NDArray[np.bool_]
    along: npt.NDArray[np.bool_]
    is_upright: bool
    outside: npt.NDArray[np.bool_]

    def turned(self) -> Border:
        """The border of the pattern that is turned clockwise by a quarter."""
        masks = (self.across, self.along, self.outside)
        across, along, outside = (np.ascontiguousarray(np.rot90(mask, -1)) for mask in masks)
        return Border(across, along, not self.is_upright, outside)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A square template's lines, in one of its four turns. Window coordinates have a rim of one cell around the sheet.

    upright: bool [rows + 2, cols + 3], level: bool [rows + 3, cols + 2]: edges that carry a line.
    upright_stub, level_stub: edges that would carry on a line beyond the sheet.
    upright_heavy, level_heavy: those inner edges that are printed heavier; empty masks when all are alike.
    borders: the four sides.
    """

    template: Template
    turns: int
    rows: int
    cols: int
    upright: npt.NDArray[np.bool_]
    level: npt.NDArray[np.bool_]
    upright_stub: npt.NDArray[np.bool_]
    level_stub: npt.NDArray[np.bool_]
    upright_heavy: npt.NDArray[np.bool_]
    level_heavy: npt.NDArray[np.bool_]
    borders: tuple[Border, ...]


def _upright_lines(mask: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """(lines, stubs) among the upright edges of a mask [rows, cols] with a rim of one cell."""
    wide = np.pad(mask, 1)
    rows, cols = wide.shape
    lines = np.zeros((rows, cols + 1), dtype=np.bool_)
    lines[:, :-1] |= wide
    lines[:, 1:] |= wide
    beside = np.zeros_like(lines)
    beside[1:] |= lines[:-1]
    beside[:-1] |= lines[1:]
    return lines, beside & ~lines


def _border_above(mask: npt.NDArray[np.bool_]) -> Border:
    """The upper border of a mask [rows, cols], which may have steps and holes."""
    wide = np.pad(mask, 1)
    lines, _ = _upright_lines(mask)
    level_t, _ = _upright_lines(np.ascontiguousarray(mask.T))
    across = np.zeros_like(lines)
    across[:-1] = lines[1:] & ~lines[:-1]
    outside = np.zeros_like(wide)
    outside[:-1] = wide[1:] & ~wide[:-1]
    along = np.zeros_like(level_t.T)
    along[:-1] = outside
    return Border(across, along & ~level_t.T, True, outside)


def _borders(mask: npt.NDArray[np.bool_]) -> tuple[Border, ...]:
    """The four sides of a mask, as upper borders of the mask turned until each side is at the top."""
    found = []
    for turns in range(4):
        border = _border_above(np.ascontiguousarray(np.rot90(mask, turns)))
        for _ in range(turns):
            border = border.turned()
        found.append(border)
    return tuple(found)


def _upright_pattern(template: Template) -> Pattern | None:
    """The pattern of a template that isn't turned; null for a template without a square lattice."""
    grid = template.grid
    if grid is None:
        return None
    mask = template.lattice_mask()
    upright, upright_stub = _upright_lines(mask)
    level_t, level_stub_t = _upright_lines(np.ascontiguousarray(mask.T))
    level = level_t.T
    upright_heavy, level_heavy = np.zeros_like(upright), np.zeros_like(level)
    if grid.heavy is not None:
        every_col, every_row = grid.heavy
        for c in range(every_col, grid.cols, every_col):
            upright_heavy[:, c + 1] = upright[:, c + 1]
        for r in range(every_row, grid.rows, every_row):
            level_heavy[r + 1, :] = level[r + 1, :]
    # Where another line is printed over cell edges (Splitter's dashed, perhaps white centre line) none is expected.
    over_upright, over_level = _ruled_over(template, grid)
    upright[:, over_upright] = upright_heavy[:, over_upright] = upright_stub[:, over_upright] = False
    level[over_level] = level_heavy[over_level] = level_stub_t.T[over_level] = False
    return Pattern(
        template,
        0,
        grid.rows,
        grid.cols,
        upright,
        level,
        upright_stub,
        level_stub_t.T,
        upright_heavy,
        level_heavy,
        tuple(_without(border, over_upright, over_level) for border in _borders(mask)),
    )


def _ruled_over(template: Template, grid: Grid) -> tuple[list[int], list[int]]:
    """Window columns of upright edges, and window rows of level ones, that a printed rule of the template covers."""
    upright, level = set(), set()
    for rule in template.rules:
        if rule.style != "none" and abs(rule.start.x - rule.end.x) < ON_LINE * grid.pitch[0]:
            column = (rule.start.x - grid.origin.x) / grid.pitch[0]
            if abs(column - round(column)) < ON_LINE and 0 <= round(column) <= grid.cols:
                upright.add(round(column) + 1)
        if rule.style != "none" and abs(rule.start.y - rule.end.y) < ON_LINE * grid.pitch[1]:
            row = (rule.start.y - grid.origin.y) / grid.pitch[1]
            if abs(row - round(row)) < ON_LINE and 0 <= round(row) <= grid.rows:
                level.add(round(row) + 1)
    return sorted(upright), sorted(level)


def _without(border: Border, upright: list[int], level: list[int]) -> Border:
    """The border without those edges that say nothing because a rule is printed over them."""
    across, along = border.across.copy(), border.along.copy()
    (across if border.is_upright else along)[:, upright] = False
    (along if border.is_upright else across)[level] = False
    return replace(border, across=across, along=along)


def _quarter_turn(pattern: Pattern) -> Pattern:
    """The pattern turned clockwise by one more quarter: upright lines become level ones and the other way round."""

    def turned(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        return np.ascontiguousarray(np.rot90(mask, -1))

    return Pattern(
        pattern.template,
        pattern.turns + 1,
        pattern.cols,
        pattern.rows,
        upright=turned(pattern.level),
        level=turned(pattern.upright),
        upright_stub=turned(pattern.level_stub),
        level_stub=turned(pattern.upright_stub),
        upright_heavy=turned(pattern.level_heavy),
        level_heavy=turned(pattern.upright_heavy),
        borders=tuple(border.turned() for border in pattern.borders),
    )


def _four_turns(template: Template) -> tuple[Pattern, ...]:
    """The pattern in its four turns; none for a template without a square lattice."""
    first = _upright_pattern(template)
    if first is None:
        return ()
    second = _quarter_turn(first)
    third = _quarter_turn(second)
    return first, second, third, _quarter_turn(third)


def _alike(one: Pattern, other: Pattern) -> bool:
    """Do both print the same lines?"""
    return (
        np.array_equal(one.upright, other.upright)
        and np.array_equal(one.level, other.level)
        and np.array_equal(one.upright_heavy, other.upright_heavy)
        and np.array_equal(one.level_heavy, other.level_heavy)
    )


@lru_cache(maxsize=64)
def patterns(template: Template) -> tuple[Pattern, ...]:
    """A template's patterns, without turns that look the same as an earlier one."""
    found: list[Pattern] = []
    for pattern in _four_turns(template):
        if not any(_alike(pattern, other) for other in found):
            found.append(pattern)
    return tuple(found)


@lru_cache(maxsize=64)
def same_turns(template: Template) -> tuple[int, ...]:
    """The quarter turns, apart from none, that leave the template's printed lines as they are."""
    first, *others = _four_turns(template)
    return tuple(other.turns for other in others if _alike(first, other))
