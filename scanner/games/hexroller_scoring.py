"""The score of a HexRoller sheet: unused bonuses, full areas, connections, straights."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence

from scanner.games.hexroller_layout import HIGHEST, LOWEST, NUMBERS, Area, Layout, Sheet
from scanner.results import Score, ScoreGroup, ScoreLine

UNUSED_BONUS = 2


def score_of(sheet: Sheet, layout: Layout) -> Score:
    """A line for the bonuses, each area, the connections and both record rows, each there even without points.

    The lines come in the order of the sheet's boxes; `line_names` says what their claims are called.
    """
    lines = (
        _bonuses(sheet, layout),
        *(_area(area, sheet, layout) for area in layout.areas),
        _connections(sheet, layout),
        _straight("Top row", sheet.top, layout.top),
        _straight("Bottom row", sheet.bottom, layout.bottom),
    )
    return Score(sum(line.points for line in lines), lines)


def line_names(layout: Layout) -> tuple[str, ...]:
    """The names of the claims that belong to the lines of `score_of`."""
    return "bonuses", *(area.name for area in layout.areas), "connections", "top", "bottom"


def area_points(numbers: Sequence[int], *, doubled: bool) -> int:
    """Of a full area (no 0 among its numbers) the most common number, of tied ones the highest; else nothing."""
    if not numbers or 0 in numbers:
        return 0
    counts = Counter(numbers)
    best = max(counts, key=lambda number: (counts[number], number))
    return 2 * best if doubled else best


def straight_points(numbers: Sequence[int]) -> int:
    """The highest number reached counting up from 3 without a gap, in any order; 0 without a 3."""
    reached = LOWEST - 1
    while reached + 1 in numbers:
        reached += 1
    return reached if reached >= LOWEST else 0


def connection(number: int, sheet: Sheet, layout: Layout) -> tuple[int, ...]:
    """A shortest unbroken line of a number from one of its printed hexes to the other, both included; empty if none.

    On an invented sheet with more than two printed hexes of a number there is no such thing.
    """
    ends = layout.printed_of(number)
    if len(ends) != 2:
        return ()
    came_from = {ends[0]: ends[0]}
    queue = deque(came_from)
    while queue and ends[1] not in came_from:
        place = queue.popleft()
        for near in layout.neighbours[place]:
            if near not in came_from and sheet.hexes[near] == number:
                came_from[near] = place
                queue.append(near)
    if ends[1] not in came_from:
        return ()
    line = [ends[1]]
    while line[-1] != ends[0]:
        line.append(came_from[line[-1]])
    return tuple(reversed(line))


def _bonuses(sheet: Sheet, layout: Layout) -> ScoreLine:
    unused = [mark for bonus, mark in layout.bonuses if bonus not in sheet.used]
    groups = tuple(ScoreGroup((mark,), UNUSED_BONUS) for mark in unused)
    label = f"Bonuses: {len(unused)} unused" if unused else "Bonuses"
    return ScoreLine(label, UNUSED_BONUS * len(unused), tuple(unused), groups)


def _area(area: Area, sheet: Sheet, layout: Layout) -> ScoreLine:
    name = "Middle" if area.is_middle else f"Area {area.name.removeprefix('area')}"
    numbers = [sheet.hexes[place] for place in area.cells]
    points = area_points(numbers, doubled=area.is_middle)
    if not points:
        return ScoreLine(name, 0)
    number = points // 2 if area.is_middle else points
    what = f"{numbers.count(number)} x {number}" + (", doubled" if area.is_middle else "")
    cells = layout.named(area.cells)
    # what counted most is what the points come from; that the others are there made them count
    return ScoreLine(f"{name}: {what}", points, cells, (ScoreGroup(cells, points),))


def _connections(sheet: Sheet, layout: Layout) -> ScoreLine:
    found = [(number, line) for number in NUMBERS if (line := connection(number, sheet, layout))]
    if not found:
        return ScoreLine("Connections", 0)
    groups = tuple(ScoreGroup(layout.named(sorted(line)), number, line=layout.named(line)) for number, line in found)
    cells = layout.named(sorted(place for _, line in found for place in line))
    label = f"Connections: {' '.join(str(number) for number, _ in found)}"
    return ScoreLine(label, sum(number for number, _ in found), cells, groups)


def _straight(name: str, numbers: Sequence[int], boxes: Sequence[str]) -> ScoreLine:
    points = straight_points(numbers)
    if not points:
        return ScoreLine(name, 0)
    label = f"{name}: {LOWEST} to {points}" if points > LOWEST else f"{name}: {LOWEST}"
    first = sorted(numbers.index(number) for number in range(LOWEST, min(points, HIGHEST) + 1))
    cells = tuple(boxes[box] for box in first)
    return ScoreLine(label, points, cells, (ScoreGroup(cells, points),))
