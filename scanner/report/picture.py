"""The annotated picture: the photo, upright, with what was read beside the ink, and what is wrong or unsure framed.

Every kind of mark has its own shape as well as its own colour (palette of Okabe and Ito), all sizes follow the picture
and the cell, and nothing covers the middle of a cell: a person compares reading and ink at a glance.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from scanner.geometry import FloatArray, Square
from scanner.report.frames import draw_frame, draw_outline, short_side
from scanner.report.groups import OUTLINE_ROOM, GroupMark, draw_group, group_marks
from scanner.report.hexes import draw_connection
from scanner.report.lettering import fitted, font, plain
from scanner.report.marks import CellMark, cell_marks, likely_readings, looks_printed
from scanner.report.signs import (
    BLACK,
    BLUE,
    BOLD,
    DARK,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    VERMILLION,
    WHITE,
    Color,
    Sign,
    draw_cross,
    draw_sign,
    draw_symbol,
)
from scanner.report.strips import banner, notes
from scanner.report.tables import draw_results
from scanner.report.upright import upright
from scanner.sheet import Sheet
from scanner.templates import Template

PLATE_TEXT = 0.25
"""Letter height of a reading, as a part of the cell's short side."""
LEAST_PLATE_TEXT = 0.016
"""... but at least this part of the photo's long side, for the flat cells of tables."""
PLATE_ALPHA = 225
SIGN_SIZE = 0.6
"""Side of the small signs in cells without a reading, as a part of a reading's letters."""
READING_ORDER, POINTS_ORDER, SYMBOL_ORDER = (0, 1, 2, 3), (3, 2, 1, 0), (1, 3, 2, 0)
"""Which corner a label takes if none is better: top left, top right, bottom left, bottom right are 0 to 3."""
BADGE_TEXT = 0.25
"""Letter height of a group's points, as a part of the cell's short side."""
GAP, TAB_GAP = 0.06, 0.02
"""From the cell's edge to a reading, and to one on a frame: that sits there like a tab, further from the ink."""
HEX_ROOM = 0.09
"""In hexes, labels stay this part of the width and height further inside."""
INKY = 6.0
"""A corner that is darker than the best one by this (mean grey levels) has ink that a reading would hide."""
NAME_TEXT, NAME_DISTANCE = 0.022, 0.025
"""Names of rows and columns: letter height and distance from the cells, as parts of the photo's long side."""
NAME_ROOM = 2.2, 1.2
"""Width and height of such a name with its ground, in heights of its letters."""
JPEG_QUALITY = 85


def annotate(rgb: npt.NDArray[np.uint8], sheet: Sheet, polygons: Mapping[str, FloatArray] | None = None) -> Image.Image:
    """Draws the picture of one sheet.

    rgb: uint8 [h, w, 3], the photo as decoded. polygons: corners of the cells in px of `rgb`, [k, 2] each, keyed by
    id, in the order of the template's polygons; by default those of the sheet's placement. Cells without a polygon are
    not drawn.
    Returns an RGB picture, cropped to the sheet and a margin, whose long side is about 1600 px however large the photo.
    Raises ValueError for a typed board, for arrays of another shape, and for polygons that are no plane.
    """
    if polygons is None:
        if sheet.placement is None:
            raise ValueError(f"{sheet.source}: a typed board has no place in a photo")
        polygons = dict(zip(sheet.template.ids, sheet.placement.cell_polygons(), strict=True))
    # boxes that nobody looked at would only make the cells smaller
    polygons = {cell_id: p for cell_id, p in polygons.items() if not sheet.board.cells[cell_id].unseen}
    view = upright(rgb, sheet.template, polygons)
    marks = {cell_id: mark for cell_id, mark in cell_marks(sheet).items() if cell_id in view.polygons}
    groups = group_marks(sheet.verdict.score.lines, sheet.template, view.polygons)
    outlined = frozenset(cell_id for group in groups if group.outlined for cell_id in group.cells)
    corners = _Corners(view.picture, view.polygons, outlined)
    lattice = [p for cell_id, p in view.polygons.items() if sheet.template.cell(cell_id).place is not None]
    # among the groups' lines the sheet's own steps back
    draw_outline(view.picture, lattice or view.polygons.values(), GREY if outlined else GREEN)
    for group in groups:
        if group.outlined:
            draw_group(view.picture, group, sheet.template, view.polygons)
    for group in groups:
        if group.line:
            draw_connection(view.picture, group, view.polygons)
    for cell_id, mark in marks.items():
        draw_frame(view.picture, view.polygons[cell_id], mark, OUTLINE_ROOM if cell_id in outlined else 0.0)
    image = Image.fromarray(view.picture)
    pen = ImageDraw.Draw(image, "RGBA")
    for cell_id, mark in marks.items():
        _draw_reading(pen, cell_id, mark, corners, max(image.size))
    for group in groups:
        _draw_badges(pen, group, corners)
    _draw_names(pen, sheet, view.polygons, max(image.size))
    draw_results(pen, sheet.verdict, view.polygons, max(image.size))
    return _stacked([banner(sheet, image.width), image, notes(sheet, marks.values(), image.width)])


def save(image: Image.Image, path: Path) -> None:
    """Writes the picture as a JPEG without any metadata. Raises OSError when the file can't be written."""
    image.save(path, "JPEG", quality=JPEG_QUALITY)


class _Corners:
    """The corner of each cell where a label hides the least ink, and no other label."""

    def __init__(
        self, picture: npt.NDArray[np.uint8], polygons: Mapping[str, FloatArray], outlined: Collection[str]
    ) -> None:
        """outlined: ids of the cells along whose sides the outline of a group needs room."""
        self.polygons = polygons
        self.outlined = outlined
        self._taken: dict[str, set[int]] = {}
        self._order = {cell_id: index for index, cell_id in enumerate(polygons)}
        grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
        window = max(3, max(grey.shape) // 12)
        sums = cv2.integral(cv2.subtract(cv2.blur(grey, (window, window)), grey))
        ink = np.array([[_mean(sums, box) for box in self._boxes(polygon)] for polygon in polygons.values()])
        # what all cells have in a corner is no ink: lines that the fit misses by a little, or blurred ones
        self._ink = ink - np.median(ink, axis=0)

    @staticmethod
    def _boxes(polygon: FloatArray) -> list[tuple[float, float, float, float]]:
        """Top left, top right, bottom left, bottom right: squares a little away from the lines."""
        (left, top), (right, bottom) = _room(polygon)
        unit = short_side(polygon)
        near, far = 0.1 * unit, 0.32 * unit
        sides_x = ((left + near, left + far), (right - far, right - near))
        sides_y = ((top + near, top + far), (bottom - far, bottom - near))
        return [(x0, y0, x1, y1) for y0, y1 in sides_y for x0, x1 in sides_x]

    def tab_gap(self, cell_id: str) -> float:
        """From the cell's edge to a tab on its outline, as a part of the short side; slanted sides need more."""
        return TAB_GAP if len(self.polygons[cell_id]) <= 4 else OUTLINE_ROOM

    def labels(self, cell_id: str) -> int:
        """How many labels the cell has already."""
        return len(self._taken.get(cell_id, ()))

    def place(
        self,
        cell_id: str,
        size: tuple[float, float],
        gap: float,
        *,
        free: bool,
        prefer: tuple[int, int, int, int] = READING_ORDER,
    ) -> tuple[float, float]:
        """Left and top px for a label of `size`: in the preferred corner, unless another has clearly less ink.

        free: there is no ink to look for. Of four labels each has a corner; a fifth lies on another.
        """
        ink = self._ink[self._order[cell_id]]
        taken = self._taken.setdefault(cell_id, set())
        left_over = [corner for corner in prefer if corner not in taken] or list(prefer)
        least = min(ink[left_over])
        best = next(corner for corner in left_over if free or ink[corner] <= least + INKY)
        taken.add(best)
        (left, top), (right, bottom) = _room(self.polygons[cell_id])
        x = left + gap if best % 2 == 0 else right - gap - size[0]
        y = top + gap if best < 2 else bottom - gap - size[1]
        return float(x), float(y)


def _room(polygon: FloatArray) -> FloatArray:
    """Top left and bottom right of the rectangle whose corners take the labels: the bounding box of a four-cornered
    cell; less of it in a hex, where the box's corners lie in the neighbours."""
    box = np.stack([polygon.min(axis=0), polygon.max(axis=0)])
    if len(polygon) <= 4:
        return box
    return np.asarray(box + (box[1] - box[0]) * np.array([[HEX_ROOM], [-HEX_ROOM]]), dtype=np.float64)


def _mean(sums: npt.NDArray[np.generic], box: tuple[float, float, float, float]) -> float:
    """Mean of a picture over (left, top, right, bottom), from its integral; 0 where nothing of it is inside."""
    height, width = sums.shape
    x0, x1 = (int(np.clip(round(x), 0, width - 1)) for x in (box[0], box[2]))
    y0, y1 = (int(np.clip(round(y), 0, height - 1)) for y in (box[1], box[3]))
    if x1 <= x0 or y1 <= y0:
        return 0.0
    total = int(sums[y1, x1]) - int(sums[y0, x1]) - int(sums[y1, x0]) + int(sums[y0, x0])
    return total / ((x1 - x0) * (y1 - y0))


@dataclass(frozen=True, slots=True)
class _Plate:
    """A label: text, colour of the letters, ground (null: a white veil), heavy letters, a cross behind the text."""

    text: str
    ink: Color
    ground: Color | None = None
    heavy: bool = True
    cross: bool = False


def _plate(mark: CellMark) -> _Plate | None:
    """What stands beside a cell's ink; null where nothing was read."""
    reading = mark.reading
    value = "" if reading.value is None else plain(str(reading.value))
    if mark.unsure:
        # the two likeliest readings; "-" for an empty cell, and no name of a state, which would be too long
        likely = ("-" if name == "blank" else plain(name) for name, _ in likely_readings(reading, most=2))
        text = "/".join(name for name in likely if len(name) <= 3)
        return _Plate(f"{text}?", BLACK, ORANGE, cross=mark.wrong is not None)
    if mark.wrong == "illegal":
        return _Plate(value, WHITE, VERMILLION, cross=True)
    if mark.wrong == "arithmetic":
        return _Plate(value, BLACK, PURPLE, cross=True)
    if reading.state == "answered":
        return _Plate(value or "-", WHITE, BLUE)
    if value:
        return _Plate(value, GREY, heavy=False) if looks_printed(reading) else _Plate(value, BLUE)
    return None


def _draw_reading(pen: ImageDraw.ImageDraw, cell_id: str, mark: CellMark, corners: _Corners, long_side: int) -> None:
    polygon = corners.polygons[cell_id]
    unit = short_side(polygon)
    room = OUTLINE_ROOM if cell_id in corners.outlined else 0.0
    letters = max((PLATE_TEXT - room / 3) * unit, LEAST_PLATE_TEXT * long_side)
    plate = _plate(mark)
    if plate is None:
        sign = _small_sign(mark)
        if sign is not None:
            side = SIGN_SIZE * letters
            # an empty cell has no ink to spare: all in one corner look calmer
            x, y = corners.place(cell_id, (side, side), max(GAP, room) * unit, free=mark.reading.state == "blank")
            draw_sign(pen, sign, x, y, side)
        return
    face = fitted(plate.text, round(letters), 0.6 * float(np.ptp(polygon[:, 0])))
    size = face.size
    text_width = face.getlength(plate.text)
    cross = 0.55 * size if plate.cross else 0.0
    between = 0.2 * size if plate.cross and plate.text else 0.0
    width, height = text_width + between + cross + 0.4 * size, 1.05 * size
    framed = plate.ground is not None
    gap = max(TAB_GAP if framed else GAP, room)
    x, y = corners.place(cell_id, (width, height), gap * unit, free=False)
    ground = (*WHITE, PLATE_ALPHA) if plate.ground is None else (*plate.ground, 255)
    pen.rounded_rectangle((x, y, x + width, y + height), 0.2 * size, fill=ground)
    stroke = BOLD * size if plate.heavy else 0
    pen.text((x + 0.2 * size, y + height / 2), plate.text, plate.ink, face, anchor="lm", stroke_width=stroke)
    if plate.cross:
        draw_cross(pen, x + width - 0.2 * size - cross, y + (height - cross) / 2, cross, plate.ink)


def _draw_badges(pen: ImageDraw.ImageDraw, group: GroupMark, corners: _Corners) -> None:
    """The group's points as a tab on its outline, and its symbols that counted."""
    for cell_id, symbol in group.symbols.items():
        unit = short_side(corners.polygons[cell_id])
        side = 1.15 * BADGE_TEXT * unit
        x, y = corners.place(cell_id, (side, side), corners.tab_gap(cell_id) * unit, free=False, prefer=SYMBOL_ORDER)
        draw_symbol(pen, symbol, x, y, side, group.color)
    # beside the symbol if there is one, else where there is most room, rather further down
    cell_id = next(iter(group.symbols), None) or min(reversed(group.line[:1] or group.cells), key=corners.labels)
    unit = short_side(corners.polygons[cell_id])
    text = f"{group.points:+d}"
    face = font(round(BADGE_TEXT * unit))
    width, height = face.getlength(text) + 0.45 * face.size, 1.05 * face.size
    x, y = corners.place(cell_id, (width, height), corners.tab_gap(cell_id) * unit, free=False, prefer=POINTS_ORDER)
    box = (x, y, x + width, y + height)
    pen.rounded_rectangle(box, 0.2 * face.size, fill=group.color, outline=WHITE, width=max(1, round(0.06 * face.size)))
    ink = BLACK if group.color == SKY else WHITE
    middle = (x + width / 2, y + height / 2)
    pen.text(middle, text, ink, face, anchor="mm", stroke_width=BOLD * face.size)


def _small_sign(mark: CellMark) -> Sign | None:
    """The sign in a cell without a value; null for a blank cell that nothing is said of."""
    if mark.reading.state == "candidates":
        return "notes"
    if mark.reading.state == "struck":
        return "struck"
    return "incomplete" if mark.missing else None


def _draw_names(pen: ImageDraw.ImageDraw, sheet: Sheet, polygons: Mapping[str, FloatArray], long_side: int) -> None:
    """Names of rows and columns beside a square lattice, so that the r2c3 of a message is found by eye."""
    for name, (x, y) in name_places(sheet.template, polygons, long_side).items():
        _draw_name(pen, name, x, y, long_side)


def name_places(
    template: Template, polygons: Mapping[str, FloatArray], long_side: int
) -> dict[str, tuple[float, float]]:
    """The middles of the names of a square lattice's rows and columns, px. long_side: of the picture, px."""
    rows: dict[int, list[FloatArray]] = {}
    cols: dict[int, list[FloatArray]] = {}
    for cell_id, polygon in polygons.items():
        place = template.cell(cell_id).place
        if isinstance(place, Square):
            rows.setdefault(place.row, []).append(polygon)
            cols.setdefault(place.col, []).append(polygon)
    distance = NAME_DISTANCE * long_side
    beside = {f"r{row}": _place_at(cells, 0, distance) for row, cells in rows.items()}
    above = {f"c{col}": _place_at(cells, 1, distance) for col, cells in cols.items()}
    width, height = NAME_ROOM[0] * NAME_TEXT * long_side, NAME_ROOM[1] * NAME_TEXT * long_side
    if any(abs(x - u) < width and abs(y - v) < height for x, y in beside.values() for u, v in above.values()):
        # Where corners are missing, names of rows and columns meet there: beside all of the lattice there is room.
        left = min(x for x, _ in beside.values())
        beside = {name: (left, y) for name, (_, y) in beside.items()}
    return beside | above


def _place_at(cells: Sequence[FloatArray], axis: int, distance: float) -> tuple[float, float]:
    """Beside (axis 0) the leftmost, or above (1) the uppermost cell."""
    first = min(cells, key=lambda polygon: float(polygon[:, axis].min()))
    middle = first.mean(axis=0)
    middle[axis] = first[:, axis].min() - distance
    return float(middle[0]), float(middle[1])


def _draw_name(pen: ImageDraw.ImageDraw, text: str, x: float, y: float, long_side: int) -> None:
    face = font(round(NAME_TEXT * long_side))
    half_x, half_y = face.getlength(text) / 2 + 0.25 * face.size, 0.6 * face.size
    pen.rounded_rectangle((x - half_x, y - half_y, x + half_x, y + half_y), 0.3 * face.size, fill=(*WHITE, 190))
    pen.text((x, y), text, DARK, face, anchor="mm")


def _stacked(parts: Sequence[Image.Image]) -> Image.Image:
    """The parts below each other, all of one width."""
    whole = Image.new("RGB", (parts[0].width, sum(part.height for part in parts)))
    y = 0
    for part in parts:
        whole.paste(part, (0, y))
        y += part.height
    return whole
