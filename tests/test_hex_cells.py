"""What is cut out of a hex sheet: digits as in square cells, no lines, no neighbours; marks; printed numbers."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hex_sheets import BACK, CALM, FRONT, Laid, drawn, flat_sheet, hand_written, laid
from hypothesis import given, settings
from hypothesis import strategies as st

from scanner.cells import CellBatch
from scanner.cells_hex import cut_hexes
from scanner.geometry import FloatArray
from scanner.hex_chain import Settled, cut_and_mark, read_cells
from scanner.intake import Photo
from scanner.locate.hex_placement import HexPlacement
from scanner.panels import _density, _mask, _owners, _traced, _usual_ink, _without_edges, ink_of, panel_of
from scanner.read.classes import CLASSES
from scanner.read.marks import MarkReadings, features, mark_boxes, probabilities, read_marks
from scanner.read.reader import default_reader
from scanner.read.readings import Readings
from scanner.simulate import Shapes
from scanner.simulate.hands import InkImage
from scanner.simulate.marks import STYLES, draw_mark
from scanner.simulate.writing import Scribe, choose_habits
from scanner.templates import Template, parse_template

SIGNED = """
schema = 1
id = "signed"
title = "Signs in the boxes"
game = "hexroller"
size = [60, 20]
[hex]
centre = [50, 10]
pitch = 8
values = [3, 8]
[[hex.areas]]
tag = "area"
centre = "q0r0"
[[boxes]]
id = "bonus{n}"
kind = "mark"
rect = [4, 5, 9, 9]
count = 3
step = [13, 0]
[[labels]]
text = "+1"
at = [6.4, 11]
height = 2.6
[[labels]]
text = "2"
at = [20.4, 11]
height = 2.6
"""


class Straight:
    """A placement that is known: of a sheet laid by the tests."""

    def __init__(self, sheet: Laid) -> None:
        self.sheet = sheet

    def project(self, points_mm: FloatArray) -> FloatArray:
        """Where points lie."""
        return self.sheet.truth(points_mm)


def strokes(size: int = 90) -> InkImage:
    """A glyph that looks like nothing else: a hook."""
    ink = np.zeros((size, size // 2), dtype=np.uint8)
    ink[:, :9] = 255
    ink[-9:, :] = 255
    ink[size // 2 :, -9:] = 255
    return ink


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("template", [FRONT, BACK], ids=["front", "back"])
def test_an_empty_sheet_has_no_ink_but_its_printed_numbers(template: Template, plain: bool) -> None:
    sheet = laid(flat_sheet(template, plain, True), template, 5.0)
    batch = cut_hexes(sheet.photo, Straight(sheet), template)
    inked = {cell for cell, ink in zip(batch.ids, batch.ink, strict=True) if ink.any()}
    assert inked == {cell.id for cell in template.cells if cell.printed is not None}
    assert batch.present.all()
    assert set(batch.ids) == {cell.id for cell in template.cells if cell.kind == "digit"}


@pytest.mark.parametrize("plain", [False, True])
def test_ink_is_where_it_was_written(plain: bool) -> None:
    sheet = laid(flat_sheet(FRONT, plain), FRONT, 35.0)
    written = hand_written(FRONT)
    batch = cut_hexes(sheet.photo, Straight(sheet), FRONT)
    inked = {cell for cell, ink in zip(batch.ids, batch.ink, strict=True) if ink.any()}
    printed = {cell.id for cell in FRONT.cells if cell.printed is not None}
    assert inked == printed | {cell for cell, value in written.items() if value is not None}


def test_a_number_looks_as_large_as_in_a_square_cell() -> None:
    sheet = laid(flat_sheet(FRONT, empty=True), FRONT)
    batch = cut_hexes(sheet.photo, Straight(sheet), FRONT)
    row = batch.ids.index("q-4r4")  # a printed 7
    rows = np.flatnonzero((batch.ink[row, 0] > 100).any(axis=1))
    # Printed figures are 0.45 to 0.62 of a cell high; a cell is 24 of the picture's 32 px.
    assert 0.4 * 24 < rows[-1] - rows[0] + 1 < 0.7 * 24
    assert np.flatnonzero((batch.ink[row, 1] > 100).any(axis=1)).size >= 24


def one_stroke(cell_id: str, shift: tuple[float, float]) -> Laid:
    """An empty front with one hook, `shift` mm beside the middle of a hex."""
    canvas = drawn(FRONT, {})
    rng = np.random.default_rng(0)
    hook = Shapes({5: [strokes()]})
    scribe = Scribe(canvas, hook, choose_habits(14, rng, CALM), rng)
    polygon = FRONT.cell(cell_id).polygon
    x, y = np.mean([[point.x, point.y] for point in polygon], axis=0)
    scribe.figure(5, (float(x + shift[0]), float(y + shift[1])), 8.0, scribe.habits.pen)
    return laid(canvas, FRONT)


@settings(max_examples=8)
@given(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))
def test_a_stroke_that_crosses_an_edge_stays_with_its_hex(dx: float, dy: float) -> None:
    sheet = one_stroke("q0r0", (dx, dy))
    batch = cut_hexes(sheet.photo, Straight(sheet), FRONT)
    inked = {cell for cell, ink in zip(batch.ids, batch.ink, strict=True) if ink.any()}
    assert inked - {cell.id for cell in FRONT.cells if cell.printed is not None} == {"q0r0"}


def test_a_stroke_along_a_border_stays_and_the_border_goes() -> None:
    panel = panel_of(FRONT.lattice_cells)
    flat = np.full((panel.size[1], panel.size[0]), 200, dtype=np.uint8)
    for ends in np.round(panel.edges.ends).astype(int).tolist():
        cv2.line(flat, ends[0], ends[1], (140,), 3, cv2.LINE_AA)
    bare = flat.copy()
    side = panel.edges.of_cell[[cell.id for cell in panel.cells].index("q0r0")][0]
    start, end = panel.edges.ends[side]
    # from the middle of the side over its end, where it meets two others
    foot = np.round([start + part * (end - start) for part in (0.6, 1.15)]).astype(int).tolist()
    cv2.line(flat, foot[0], foot[1], (50,), 5, cv2.LINE_AA)
    cleared = {}
    for name, picture in (("written", flat), ("bare", cv2.GaussianBlur(bare, (0, 0), 0.8))):
        density = _density(panel, np.asarray(picture, dtype=np.uint8))
        cleared[name] = _without_edges(density, panel.edges, _traced(density, panel.edges), 0.75)[0]
    along = np.round([start + part * (end - start) for part in np.linspace(0.65, 1.1, 9)]).astype(int)
    assert cleared["written"][along[:, 1], along[:, 0]].min() > 0.5
    assert cleared["bare"].max() < 0.05


def test_numbers_that_run_into_one_another_are_divided_at_the_border() -> None:
    canvas = drawn(FRONT, {})
    rng = np.random.default_rng(0)
    scribe = Scribe(canvas, Shapes({5: [strokes()]}), choose_habits(14, rng, CALM), rng)
    (x, y), (beside, _) = (
        np.mean([[point.x, point.y] for point in FRONT.cell(cell).polygon], axis=0).tolist()
        for cell in ("q0r0", "q1r0")
    )
    scribe.figure(5, (x, y), 9.0, scribe.habits.pen)
    stroke = [[x, y + 2.0], [x + 6.0, y], [beside - 2.0, y - 1.0], [beside + 1.0, y + 3.0]]
    scribe.path(np.array(stroke), scribe.habits.pen)
    sheet = laid(canvas, FRONT)
    batch = cut_hexes(sheet.photo, Straight(sheet), FRONT)
    inked = {cell for cell, ink in zip(batch.ids, batch.ink, strict=True) if ink.any()}
    assert inked - {cell.id for cell in FRONT.cells if cell.printed is not None} == {"q0r0", "q1r0"}


def test_paper_beside_thick_strokes_stays_paper() -> None:
    """A broad stroke over the upper corner of a hex, rim and all, is as dark against the paper as it is."""
    panel = panel_of(FRONT.lattice_cells)
    flat = np.full((panel.size[1], panel.size[0]), 200, dtype=np.uint8)
    x, y = panel.middles[[cell.id for cell in panel.cells].index("q0r0")]
    stroke = (slice(y - 26, y - 15), slice(x - 10, x + 10))
    flat[stroke] = 50
    density = _density(panel, flat)
    assert density[y - 23 : y - 17, x - 8 : x + 8].min() > 0.65  # 1 - 50 / 200 = 0.75
    flat[stroke] = 200
    assert _density(panel, flat).max() < 0.05


def test_a_shadow_over_half_a_hex_is_no_ink() -> None:
    panel = panel_of(FRONT.lattice_cells)
    density = np.zeros((panel.size[1], panel.size[0]), dtype=np.float32)
    ids = [cell.id for cell in panel.cells]
    x, y = panel.middles[ids.index("q0r0")]
    density[y : y + 18, x - 20 : x + 20] = 0.15
    for other in ("q2r0", "q-2r0"):
        left, top = panel.middles[ids.index(other)] - 10
        density[top : top + 20, left : left + 4] = 0.8
    none = np.zeros(density.shape, dtype=np.bool_)
    owner = _owners(panel, _mask(panel, density), density, none, 0.3, _usual_ink(panel, density))
    assert {ids[number] for number in np.unique(owner) if number >= 0} == {"q2r0", "q-2r0"}


def marked(styles: dict[str, str], template: Template = FRONT, seed: int = 0) -> Laid:
    """A sheet with marks in these styles."""
    canvas = drawn(template, {})
    rng = np.random.default_rng(seed)
    scribe = Scribe(canvas, Shapes({}), choose_habits(12, rng, CALM), rng)
    for cell_id, style in styles.items():
        draw_mark(scribe, template.cell(cell_id), style)
    return laid(canvas, template)


@pytest.mark.parametrize("style", sorted(STYLES))
def test_every_kind_of_mark_is_seen_and_an_empty_box_is_empty(style: str) -> None:
    for seed in range(3):
        sheet = marked({"bonus2": style}, seed=seed)
        read = read_marks(sheet.photo, Straight(sheet), FRONT)
        assert read.ids == ("bonus1", "bonus2", "bonus3")
        assert read.made[1] > 0.9
        assert read.made[0] < 0.001
        assert read.made[2] < 0.001


def test_a_sign_that_is_printed_in_the_box_is_no_mark() -> None:
    template = parse_template(SIGNED.encode(), source="signed", games=("hexroller",))
    sheet = marked({"bonus2": "cross"}, template)
    read = read_marks(sheet.photo, Straight(sheet), template)
    assert read.made[0] < 0.05
    assert read.made[1] > 0.9
    assert read.made[2] < 0.001


def test_a_speck_is_asked_about_or_is_no_mark() -> None:
    canvas = drawn(FRONT, {})
    rng = np.random.default_rng(0)
    scribe = Scribe(canvas, Shapes({}), choose_habits(12, rng, CALM), rng)
    scribe.path(np.array([[10.0, 19.0], [10.8, 19.6]]), scribe.habits.pen)
    sheet = laid(canvas, FRONT)
    assert read_marks(sheet.photo, Straight(sheet), FRONT).made[0] < 0.5


@given(st.lists(st.floats(-3, 2), min_size=5, max_size=5))
def test_no_mark_is_ever_certain(row: list[float]) -> None:
    made = probabilities(np.array([row]))
    assert 0 < made[0] < 1


def test_marks_without_ink_have_no_reach() -> None:
    sheet = laid(flat_sheet(FRONT, empty=True), FRONT)
    box = mark_boxes(FRONT)[0]
    assert features(box, box.ink(sheet.photo, Straight(sheet)))[1:].tolist() == [0.0, 0.0, 0.0, 1.0]


def test_a_printed_number_written_over_is_the_printed_number() -> None:
    canvas = drawn(FRONT, {})
    rng = np.random.default_rng(0)
    scribe = Scribe(canvas, Shapes({5: [strokes()]}), choose_habits(14, rng, CALM), rng)
    cell = FRONT.cell("q-4r4")
    scribe.number(cell, 5)
    sheet = laid(canvas, FRONT)
    batch = cut_hexes(sheet.photo, Straight(sheet), FRONT)
    none = MarkReadings((), np.zeros(0, dtype=np.float32))
    read = read_cells(batch, none, FRONT, default_reader())
    row = read.ids.index(cell.id)
    assert read.classes[int(read.probabilities[row].argmax())] == "7"
    assert read.probabilities[row].max() == 1.0
    assert read.printed[row] == 1.0


class Unclear:
    """A reader that tells 3 and 5 surely in the first two hexes without print, and can't tell in the third."""

    classes = CLASSES

    def __init__(self, ids: tuple[str, ...]) -> None:
        self.ids = ids

    def read(self, batch: CellBatch) -> Readings:
        """As a reader does."""
        probabilities = np.zeros((len(batch.ids), len(CLASSES)), dtype=np.float32)
        probabilities[:, CLASSES.index("blank")] = 1.0
        for cell, three, five in zip(self.ids, (1.0, 0.0, 0.5), (0.0, 1.0, 0.5), strict=True):
            row = batch.ids.index(cell)
            probabilities[row] = 0
            probabilities[row, [3, 5]] = three, five
        traits = batch.ink[:, 1].reshape(len(batch.ids), -1).astype(np.float32)
        return Readings(batch.ids, CLASSES, probabilities, np.zeros(len(batch.ids), dtype=np.float32), traits)


def test_clear_numbers_of_the_sheet_settle_the_unclear_ones() -> None:
    ids = ("q0r0", "q1r0", "q2r0")
    ink = np.zeros((len(FRONT.lattice_cells), 2, 32, 32), dtype=np.uint8)
    every = tuple(cell.id for cell in FRONT.lattice_cells)
    for cell, part in zip(ids, (slice(2, 12), slice(20, 30), slice(20, 30)), strict=True):
        ink[every.index(cell), :, part, 8:24] = 255
    batch = CellBatch(every, ink, np.ones(len(every), np.bool_), np.ones(len(every), np.float32))
    none = MarkReadings((), np.zeros(0, dtype=np.float32))
    read = read_cells(batch, none, FRONT, Unclear(ids))  # type: ignore[arg-type]
    likely = read.probabilities[read.ids.index("q2r0")]
    assert likely[5] > 0.9 > 0.1 > likely[3], "it looks like the 5"


def test_readings_hold_hexes_boxes_and_marks_in_the_templates_order() -> None:
    sheet = laid(flat_sheet(FRONT), FRONT)
    scale = 14 * 5 * 0.86 * 1200 / np.hypot(1000, 700)
    middle = sheet.truth(np.array([[134.0, 68.0]]))[0]
    matrix = np.array([[scale, 0, middle[0]], [0, scale, middle[1]], [0, 0, 1]])
    placed = HexPlacement(FRONT, matrix, None, 0.0, 1.0)  # type: ignore[arg-type]
    hexes = cut_hexes(sheet.photo, placed, FRONT)
    lattice = [cell.id for cell in FRONT.lattice_cells]
    only = Settled(placed, type(hexes)(tuple(lattice), hexes.ink[:55], hexes.present[:55], hexes.darkness[:55]), 12, 12)
    batch, marks = cut_and_mark(sheet.photo, only)
    read = read_cells(batch, marks, FRONT, default_reader())
    assert list(read.ids) == [cell.id for cell in FRONT.cells if cell.kind != "number"]
    in_print = {cell for cell, printed in zip(read.ids, read.printed, strict=True) if printed > 0}
    assert in_print == {cell.id for cell in FRONT.cells if cell.printed is not None}
    assert only.confirmed


def test_a_panel_knows_whose_every_pixel_is() -> None:
    panel = panel_of(FRONT.lattice_cells)
    # A hex 48 px wide has 48 * 48 * sqrt(3) / 2 = 1995 px.
    sizes = np.bincount(panel.owner[panel.owner >= 0])
    assert len(sizes) == 55
    assert np.abs(sizes - 1995).max() < 100
    assert len(panel.edges.ends) == 198
    for number, group in enumerate(panel.groups):
        others = [k for k in range(55) if k != number and panel.groups[k] == group]
        away = np.linalg.norm(panel.middles[others] - panel.middles[number], axis=1)
        assert away.min() > 48 * 1.5


def test_what_lies_outside_the_photo_is_known() -> None:
    sheet = laid(flat_sheet(FRONT), FRONT)
    cut_off = Photo("cut", 1, np.ascontiguousarray(sheet.photo.rgb[:, 480:]), (720, 1200))

    class Shifted(Straight):
        def project(self, points_mm: FloatArray) -> FloatArray:
            return np.asarray(self.sheet.truth(points_mm) - np.array([480.0, 0.0]), dtype=np.float64)

    batch = cut_hexes(cut_off, Shifted(sheet), FRONT)
    missing = {cell for cell, there in zip(batch.ids, batch.present, strict=True) if not there}
    assert {f"top{n}" for n in range(1, 8)} <= missing
    assert "q0r0" not in missing
    assert ink_of(panel_of([FRONT.cell("bonus1")]), cut_off, Shifted(sheet)).visible < 1.0
    assert read_marks(cut_off, Shifted(sheet), FRONT).ids == ()


def test_what_lies_under_a_finger_is_not_read_but_print_is_known() -> None:
    sheet = laid(flat_sheet(FRONT, empty=True), FRONT)
    rgb = sheet.photo.rgb.copy()
    for mm in ((10.5, 19.5), (10.5, 126.5), (78.0, 92.2)):  # bonus1, bottom1, and the printed 7 of q-4r4 lies beside
        x, y = sheet.truth(np.array([mm]))[0]
        rgb[int(y) - 22 : int(y) + 60, int(x) - 60 : int(x) + 22] = (120, 85, 70)
    covered = Photo("finger", 1, rgb, (1200, 1200))
    assert "bonus1" not in read_marks(covered, Straight(sheet), FRONT).ids
    batch = cut_hexes(covered, Straight(sheet), FRONT)
    missing = {cell for cell, there in zip(batch.ids, batch.present, strict=True) if not there}
    assert "bottom1" in missing
    assert "bottom7" not in missing
    assert "q0r0" not in missing
    none = MarkReadings((), np.zeros(0, dtype=np.float32))
    read = read_cells(batch, none, FRONT, default_reader())
    assert {cell.id for cell in FRONT.cells if cell.printed is not None} <= set(read.ids)
    assert "bottom1" not in read.ids
