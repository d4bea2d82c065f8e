"""Which readings of a HexRoller sheet are rarer than others, from what was read surely around them."""

from __future__ import annotations

from scanner.board import ReadBoard
from scanner.games.hexroller_layout import BONUS_NUMBER, WRITES_TWO, Layout
from scanner.results import CellReading, State

RARE = 0.05
"""Prior of a number that the rules don't allow beside what was read surely."""
STRUCK = 0.05
"""Prior of a number that is struck out: nothing in the game asks for that, and a bar through a 7 looks much like it."""
UNKNOWN: frozenset[State] = frozenset({"unreadable", "doubtful"})
"""States of cells that may hold any number as far as is known surely."""


def prior(board: ReadBoard, layout: Layout, reading: CellReading) -> float:
    """A number touches another one like it, a 2 needs its bonus, and the two numbers of a round differ."""
    if reading.value is None:
        return STRUCK if reading.state == "struck" else 1.0
    if reading.id in layout.ids:
        place = layout.ids.index(reading.id)
        if layout.printed[place]:
            return 1.0
        if reading.value == BONUS_NUMBER:
            return RARE if _two_is_taken(board, layout, reading.id) else 1.0
        may_touch = any(
            _holds(board, layout, near) == reading.value or board.cells[layout.ids[near]].state in UNKNOWN
            for near in layout.neighbours[place]
        )
        return 1.0 if may_touch else RARE
    for row, other in ((layout.top, layout.bottom), (layout.bottom, layout.top)):
        if reading.id in row:
            return RARE if board.cells[other[row.index(reading.id)]].value == reading.value else 1.0
    return 1.0


def _two_is_taken(board: ReadBoard, layout: Layout, here: str) -> bool:
    mark = layout.bonus_id(WRITES_TWO)
    if mark is None or (board.cells[mark].value is None and board.cells[mark].state != "unreadable"):
        return True
    return any(board.cells[cell].value == BONUS_NUMBER for cell in layout.ids if cell != here)


def _holds(board: ReadBoard, layout: Layout, place: int) -> object:
    return layout.printed[place] or board.cells[layout.ids[place]].value
