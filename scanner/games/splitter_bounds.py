"""How far the points of a Splitter board may go while some of its cells are unsure, without trying the combinations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scanner.games.splitter_layout import HIGHEST, Group, Layout, groups_of

Options = Sequence[frozenset[int]]
"""For each cell the numbers that it may hold, 0 for none that counts; known cells have one."""


def bounds(options: Options, layout: Layout, heart_points: int) -> tuple[int, int]:
    """Limits of the total whatever the unsure cells hold; perhaps wider than the truth.

    At least: the groups that score and that no unsure cell can join. At most: a point for each cell that may be in a
    scoring group, and for each star the highest number that may score on it once more.
    """
    known = [next(iter(may)) if len(may) == 1 else 0 for may in options]
    groups = groups_of(known, layout)
    safe = sum(group.points for group in groups if not _may_grow(group, options, known, layout))
    most = [0] * len(options)
    for value in range(1, HIGHEST + 1):
        for cell in _may_score(value, options, known, groups, layout):
            most[cell] = value
    high = sum(value > 0 for value in most) + sum(most[star] for star in layout.stars)
    hearts = [options[heart] - {0} for heart in layout.hearts]
    shared = frozenset.intersection(*hearts) if hearts else frozenset[int]()
    settled = bool(hearts) and all(len(options[heart]) == 1 for heart in layout.hearts)
    return safe + heart_points * (settled and bool(shared)), high + heart_points * bool(shared)


def options_of(
    values: Sequence[int], possible: Mapping[str, frozenset[int]], layout: Layout
) -> tuple[frozenset[int], ...]:
    """What each cell may hold: `possible` by id, and for all others what the board holds."""
    return tuple(possible.get(cell_id, frozenset((value,))) for cell_id, value in zip(layout.ids, values, strict=True))


def _may_grow(group: Group, options: Options, known: Sequence[int], layout: Layout) -> bool:
    return any(
        group.value in options[near] and known[near] != group.value
        for cell in group.cells
        for near in layout.neighbours[cell]
    )


def _may_score(
    value: int, options: Options, known: Sequence[int], groups: Sequence[Group], layout: Layout
) -> list[int]:
    """Cells that may be in a group of `value` that scores: what is joined already isn't too large, what may be joined
    is large enough."""
    size_of = {cell: len(group.cells) for group in groups if group.value == value for cell in group.cells}
    first_of = {cell: group.cells[0] for group in groups if group.value == value for cell in group.cells}
    room = groups_of([value if value in may else 0 for may in options], layout)
    found = []
    for region in room:
        if len(region.cells) < value:
            continue
        for cell in region.cells:
            if known[cell] == value:
                joined = size_of[cell]
            else:
                beside = {first_of[near]: size_of[near] for near in layout.neighbours[cell] if near in size_of}
                joined = 1 + sum(beside.values())
            if joined <= value:
                found.append(cell)
    return found
