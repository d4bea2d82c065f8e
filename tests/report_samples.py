"""Small sheets of three kinds, made by hand, for the tests of the report stage."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from scanner.board import ReadBoard
from scanner.geometry import FloatArray, Homography, PxPoint, project
from scanner.results import CellReading, Flag, Score, ScoreLine, SheetPlace, Verdict
from scanner.sheet import Sheet
from scanner.templates import Template, get_template, parse_template

SUDOKU = get_template("sudoku")
HEXES = parse_template(
    b"""schema = 1
id = "hexes"
title = "Hexes"
game = "hexes"
size = [100, 100]
[hex]
centre = [50, 50]
pitch = 14
values = [1, 6]
[[hex.areas]]
tag = "all"
centre = "q0r0"
radius = 2
[[boxes]]
id = "claim"
kind = "number"
rect = [82, 90, 15, 6]
""",
    source="hexes.toml",
    games={"hexes"},
)
CARD = parse_template(
    b"""schema = 1
id = "card"
title = "Card"
game = "card"
size = [100, 100]
[table]
origin = [5, 10]
[[table.columns]]
id = "p{n}"
width = 14
count = 6
kind = "number"
values = [0, 375]
[[table.rows]]
id = "turn{n}"
height = 7
count = 10
[[table.rows]]
id = "total"
height = 9
""",
    source="card.toml",
    games={"card"},
)

# r1c1 is printed, r1c2 handwritten; r2c2 and r2c8 repeat; r5c5 is asked; r7c3 answered; r9c9 unreadable;
# r4c4 has notes; r4c6 is struck out; all others are blank
REPEAT = Flag("sudoku.repeat", "illegal", ("r2c2", "r2c8"), "The number 6 stands twice in row 2.")
INCOMPLETE = Flag("sudoku.incomplete", "incomplete", ("r3c3", "r4c4"), "Two cells are still empty.")
DOUBT = Flag("sudoku.wrong", "doubt", ("r5c5",), "The digit in r5c5 may differ from the solution.")
READINGS = {
    "r1c1": CellReading("r1c1", 4, "read", 0.9999, {}, "print"),
    "r1c2": CellReading("r1c2", 7, "read", 0.998, {"1": 0.0012}, "hand"),
    "r2c2": CellReading("r2c2", 6, "read", 0.999, {}, "hand"),
    "r2c8": CellReading("r2c8", 6, "read", 0.999, {}, "print"),
    "r4c4": CellReading("r4c4", None, "candidates", 0.98),
    "r4c6": CellReading("r4c6", None, "struck", 0.97),
    "r5c5": CellReading("r5c5", 5, "doubtful", 0.81, {"3": 0.17, "blank": 0.02}, "hand"),
    "r7c3": CellReading("r7c3", 2, "answered", 1.0, {}, "hand", 8),
    "r9c9": CellReading("r9c9", None, "unreadable", 0.4),
}


def sudoku_sheet(
    verdict: Verdict | None = None, *, source: str = "pad.jpg", page: int = 1, sheet: int = 1, typed: bool = False
) -> Sheet:
    """The Sudoku sheet above; by default with flags of three severities and a question that leaves 60 to 62 open."""
    cells = {cell: READINGS.get(cell, CellReading(cell, None, "blank")) for cell in SUDOKU.ids}
    if verdict is None:
        verdict = Verdict(Score(62), (60, 62), False, (DOUBT, INCOMPLETE, REPEAT), ("r5c5",))
    corners = (PxPoint(10.04, 20), PxPoint(910.26, 21), PxPoint(909, 921), PxPoint(11, 920))
    place = None if typed else SheetPlace(corners, 0.8123)
    return Sheet(source, page, sheet, SUDOKU, place, ReadBoard("sudoku", cells), verdict)


def clear_sheet() -> Sheet:
    """A sheet with nothing wrong and nothing unsure: one printed and one handwritten digit, total 2."""
    full = sudoku_sheet(Verdict(Score(2, (ScoreLine("cells", 2, ("r1c1", "r1c2")),)), (2, 2), True, ()))
    kept = {
        cell: reading if cell in ("r1c1", "r1c2") else CellReading(cell, None, "blank")
        for cell, reading in full.board.cells.items()
    }
    return replace(full, board=ReadBoard("sudoku", kept))


def plain_sheet(template: Template, values: dict[str, int], verdict: Verdict) -> Sheet:
    """A sheet of any template with the given handwritten values, all read surely."""
    cells = {
        cell: CellReading(cell, values[cell], "read", 0.999, {}, "hand")
        if cell in values
        else CellReading(cell, None, "blank")
        for cell in template.ids
    }
    return Sheet("sheet.png", 1, 1, template, None, ReadBoard(template.id, cells), verdict)


def polygons(template: Template, matrix: Homography) -> dict[str, FloatArray]:
    """The cells' corners in px for a homography mm -> px."""
    return {
        cell.id: project(matrix, np.array([[p.x, p.y] for p in cell.polygon], dtype=np.float64))
        for cell in template.cells
    }


def fitted(template: Template, size: tuple[int, int], *, turns: int = 0, part: float = 0.8) -> Homography:
    """A homography mm -> px: the sheet in the middle of a picture (width, height), `part` of its short side, quarter
    turns clockwise, seen at a slight angle."""
    scale = part * min(size) / max(template.size)
    angle = turns * np.pi / 2
    cos, sin = np.cos(angle), np.sin(angle)
    turn = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1.0]])
    to_middle = np.array([[1, 0, -template.size[0] / 2], [0, 1, -template.size[1] / 2], [0, 0, 1.0]])
    tilt = np.array([[1, 0.01, 0], [0.02, 1, 0], [0.05 / min(size), 0.03 / min(size), 1]])
    move = np.array([[1, 0, size[0] / 2], [0, 1, size[1] / 2], [0, 0, 1.0]])
    return Homography(move @ tilt @ turn @ np.diag([scale, scale, 1.0]) @ to_middle)


def paper(size: tuple[int, int]) -> npt.NDArray[np.uint8]:
    """A picture (width, height) of grey paper with a fine, colourless pattern, so that any change of it shows."""
    y, x = np.mgrid[0 : size[1], 0 : size[0]]
    grey = (190 + 20 * np.sin(x / 7.0) + 15 * np.cos(y / 5.0)).astype(np.uint8)
    return np.repeat(grey[:, :, None], 3, axis=2)
