"""Hex sheets in photos: found the right way up, told apart, boxes held on bent paper, nothing found where none is."""

from __future__ import annotations

import math
import re
from pathlib import Path

import cv2
import numpy as np
import pytest
from hex_sheets import BACK, FRONT, flat_sheet, laid
from hypothesis import given, settings
from hypothesis import strategies as st
from negatives import photographed

from scanner.geometry import HEX_STEPS, FloatArray, Hex, Homography, project
from scanner.hex_chain import settle
from scanner.intake import Photo, load
from scanner.locate import NotFound, Placement, locate
from scanner.locate.hex_boxes import box_groups, boxes_of
from scanner.locate.hex_form import CORNERS, forms, printed_edges
from scanner.locate.hex_lattice import UNIT, HexPatches, find_hex_lattices, six_sided
from scanner.locate.hex_placement import HexPlacement, Way, sixth_turns
from scanner.read.reader import default_reader
from scanner.templates import Template, load_templates, parse_template

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
ALL = tuple(load_templates().values())


def corners_mm(template: Template) -> FloatArray:
    return np.array([[point.x, point.y] for cell in template.cells for point in cell.polygon])


def settled(photo: Photo, templates: tuple[Template, ...] = (FRONT, BACK)) -> Placement | NotFound:
    found = locate(photo, templates)
    if isinstance(found, NotFound):
        return found
    assert len(found) == 1
    assert isinstance(found[0], HexPlacement)
    sheet = settle(photo, found[0], default_reader())
    return sheet if isinstance(sheet, NotFound) else sheet.placement


# A flower of seven hexes has 12 inner and 18 outer sides; counted on paper.
def test_every_printed_side_is_there_once() -> None:
    edges = printed_edges(FRONT)
    keys = {tuple(np.round(np.sort(edge.mean(axis=0)), 6)) + tuple(np.round(edge.mean(axis=0), 6)) for edge in edges}
    assert len(keys) == len(edges)
    form = next(form for form in forms((FRONT, BACK)) if form.templates == (FRONT,))
    places = {(int(q), int(r)) for q, r in form.places}
    inner = sum((q + dq, r + dr) in places for q, r in places for dq, dr in HEX_STEPS[:3])
    assert len(edges) == 6 * 55 - inner
    assert len(form.outer) > 20


def test_edges_lie_on_the_templates_outlines() -> None:
    hexes = FRONT.hexes
    assert hexes is not None
    mm = printed_edges(FRONT) * hexes.pitch + np.array([hexes.centre.x, hexes.centre.y])
    corners = {(round(p.x, 3), round(p.y, 3)) for cell in FRONT.lattice_cells for p in cell.polygon}
    assert {(round(x, 3), round(y, 3)) for x, y in mm.reshape(-1, 2)} == corners


def test_a_turn_by_a_sixth_moves_hexes_as_axial_coordinates_turn() -> None:
    for place in (Hex(1, 0), Hex(2, -1), Hex(-3, 1)):
        turned = place.turned(1)
        moved = project(Homography(sixth_turns(1)), np.array([[place.q, place.r]]) @ UNIT)
        assert moved == pytest.approx(np.array([[turned.q, turned.r]]) @ UNIT)


@st.composite
def views(draw: st.DrawFn) -> Homography:
    """A lattice seen by some camera, up to 45 degrees off, its hexes 20 to 45 px wide."""
    angle, pitch = draw(st.floats(0, 2 * math.pi)), draw(st.floats(20, 45))
    squeeze = draw(st.floats(0.7, 1.0))
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    linear = np.diag([1.0, squeeze]) @ turn * pitch
    lean = draw(st.tuples(st.floats(-0.02, 0.02), st.floats(-0.02, 0.02)))
    return Homography(np.vstack([np.column_stack([linear, [500.0, 400.0]]), [*lean, 1.0]]))


@settings(max_examples=40)
@given(views(), st.sets(st.integers(0, 54), max_size=15))
def test_neighbours_in_the_picture_are_neighbours_in_the_lattice(view: Homography, lost: set[int]) -> None:
    places = [cell.place for number, cell in enumerate(FRONT.lattice_cells) if number not in lost]
    axial = np.array([[place.q, place.r] for place in places if isinstance(place, Hex)])
    middles = axial @ UNIT
    # What a threshold leaves of each hex: nine tenths of it.
    corners = np.stack([project(view, middle + 0.9 * CORNERS) for middle in middles])
    x, y = corners[:, :, 0], corners[:, :, 1]
    area = 0.5 * np.abs((x * np.roll(y, -1, axis=1) - np.roll(x, -1, axis=1) * y).sum(axis=1))
    patches = HexPatches(corners.mean(axis=1), area, np.ones(len(axial), dtype=np.bool_), corners)
    lattices = find_hex_lattices(patches)
    assert len(lattices) >= 1
    order = {tuple(np.round(px, 6)): place for px, place in zip(lattices[0].px, lattices[0].places, strict=True)}
    assert len(order) >= 0.9 * len(axial)
    found = [(k, order[key]) for k, px in enumerate(patches.centres) if (key := tuple(np.round(px, 6))) in order]
    # Up to the six ways of counting, the places are the true ones: one turn and one shift explain them all.
    true = axial[[k for k, _ in found]]
    seen = np.array([place for _, place in found])
    fits = []
    for turns in range(6):
        turned = np.array([[h.q, h.r] for h in (Hex(int(q), int(r)).turned(turns) for q, r in true)])
        fits.append(len(np.unique(seen - turned, axis=0)))
    assert min(fits) == 1


@pytest.mark.parametrize("template", [FRONT, BACK], ids=["front", "back"])
@pytest.mark.parametrize("sixths", range(6))
def test_found_and_upright_from_all_six_sides(template: Template, sixths: int) -> None:
    sheet = laid(flat_sheet(template, plain=sixths % 2 == 1), template, 60.0 * sixths + 7, tilt=2.0)
    found = settled(sheet.photo)
    assert isinstance(found, HexPlacement)
    assert found.template is template
    off = np.linalg.norm(found.project(corners_mm(template)) - sheet.truth(corners_mm(template)), axis=1)
    assert off.max() < 3.0  # px; a hex is 60 px wide
    assert found.residual_px < 1.0


def test_another_way_up_is_taken_back_by_the_printed_numbers() -> None:
    sheet = laid(flat_sheet(FRONT), FRONT, 20.0)
    found = locate(sheet.photo, [FRONT])
    assert not isinstance(found, NotFound)
    placed = found[0]
    assert isinstance(placed, HexPlacement)
    ways = (placed.ways[3], *(way for k, way in enumerate(placed.ways) if k != 3))
    wrong = HexPlacement(FRONT, placed.taken(ways[0]).lattice, None, 0.0, 1.0, ways=ways, outline=placed.outline)
    again = settle(sheet.photo, wrong, default_reader())
    assert not isinstance(again, NotFound)
    assert np.abs(again.placement.corners - sheet.truth(np.array([[p.x, p.y] for p in FRONT.mm_quad()]))).max() < 3.0


@pytest.mark.parametrize("template", [FRONT, BACK], ids=["front", "back"])
def test_a_mirrored_sheet_is_none(template: Template) -> None:
    sheet = laid(flat_sheet(template), template, 10.0)
    mirrored = Photo("mirrored", 1, np.ascontiguousarray(sheet.photo.rgb[:, ::-1]), (1200, 1200))
    assert not settled(mirrored)


def test_the_back_is_no_front() -> None:
    assert not settled(laid(flat_sheet(BACK), BACK).photo, (FRONT,))


def test_another_print_of_the_same_outline_is_refused_by_its_numbers() -> None:
    text = (Path(__file__).parent.parent / "templates" / "hexroller-front.toml").read_text(encoding="utf-8")
    head, printed = text.split("[hex.printed]")
    numbers, rest = printed.split("[[", 1)
    # 3 becomes 8, 4 becomes 7, ...: in the same hexes, other numbers
    swapped = re.sub(r"= ([3-8])\b", lambda found: f"= {11 - int(found[1])}", numbers)
    assert swapped != numbers
    text = f"{head}[hex.printed]{swapped}[[{rest}".replace('id = "hexroller-front"', 'id = "other"')
    other = parse_template(text.encode(), source="other", games=("hexroller",))
    sheet = laid(flat_sheet(other), other, 5.0)
    assert settled(sheet.photo, (other,)), "it is found as what it is"
    found = settled(sheet.photo)
    assert isinstance(found, NotFound)
    assert "its printed numbers were not" in found.reason


@pytest.mark.parametrize("bend", [-15.0, 15.0])
def test_boxes_hold_at_the_far_corner_of_a_curled_sheet(bend: float) -> None:
    sheet = laid(flat_sheet(FRONT), FRONT, 0.0, bend=bend)
    found = settled(sheet.photo)
    assert isinstance(found, HexPlacement)
    mm = np.array([[point.x, point.y] for cell in boxes_of(FRONT) for point in cell.polygon])
    off = np.linalg.norm(found.project(mm) - sheet.truth(mm), axis=1)
    assert off.max() < 3.5  # px, where 5 px are a millimetre and the wave lifts the paper by 15


def test_several_sheets_of_both_kinds_are_found_in_one_photo() -> None:
    front, back = laid(flat_sheet(FRONT), FRONT, 15.0), laid(flat_sheet(BACK, plain=True), BACK, 170.0)
    rgb = np.concatenate([front.photo.rgb, back.photo.rgb], axis=1)
    found = locate(Photo("both", 1, rgb, (2400, 1200)), ALL)
    assert not isinstance(found, NotFound)
    assert sorted(placement.template.id for placement in found) == ["hexroller-back", "hexroller-front"]
    for placement in found:
        sheet = front if placement.template is FRONT else back
        shift = np.array([0.0 if sheet is front else 1200.0, 0.0])
        quad = np.array([[point.x, point.y] for point in placement.template.mm_quad()])
        assert np.abs(placement.corners - (sheet.truth(quad) + shift)).max() < 3.0


def test_groups_of_boxes_hold_every_box_once_the_nearest_first() -> None:
    groups = box_groups(FRONT)
    ids = [cell.id for group in groups for cell in group]
    assert sorted(ids) == sorted(cell.id for cell in boxes_of(FRONT))
    assert {"bonus1"} in [{cell.id for cell in group} for group in groups]
    assert ids.index("claim-area5") < ids.index("claim-area2")


def honeycomb(joint: int, light: bool) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """A floor of hexagonal tiles without an end."""
    surface = np.full((900, 900), 200 if light else 90, np.uint8)
    for r in range(-2, 26):
        for q in range(-16, 22):
            middle = (np.array([q, r]) @ UNIT) * 44
            outline = np.round((middle + CORNERS * (44 - joint)) * 16).astype(np.int32)
            cv2.fillPoly(surface, [outline.reshape(-1, 1, 2)], 90 if light else 210, cv2.LINE_AA, 4)
    return surface


@pytest.mark.parametrize("joint", [2, 5])
@pytest.mark.parametrize("light", [False, True])
def test_a_honeycomb_without_an_end_is_no_sheet(joint: int, light: bool) -> None:
    rgb = photographed(honeycomb(joint, light), np.random.default_rng(joint), edge_to_edge=True)
    found = locate(Photo("floor", 1, rgb, (rgb.shape[1], rgb.shape[0])), [FRONT, BACK])
    assert isinstance(found, NotFound)


@pytest.mark.parametrize("name", ["sudoku-1", "splitter-a-1", "splitter-b-1"])
def test_square_sheets_hold_no_hexes(name: str) -> None:
    photo = next(iter(load(SAMPLES / f"{name}.jpg")))
    assert isinstance(locate(photo, [FRONT, BACK]), NotFound)


def test_hex_sheets_hold_no_square_grids() -> None:
    photo = laid(flat_sheet(FRONT), FRONT).photo
    others = tuple(template for template in ALL if template.grid is not None)
    assert isinstance(locate(photo, others), NotFound)
    found = locate(photo, ALL)
    assert not isinstance(found, NotFound)
    assert [placement.template.id for placement in found] == ["hexroller-front"]


def test_hexes_have_no_quarter_turns() -> None:
    placed = HexPlacement(FRONT, Homography(np.eye(3)), None, 0.0, 1.0, ways=(Way(FRONT, 0, 1.0),))
    assert placed.turned(4) is placed
    with pytest.raises(ValueError, match="quarter turns"):
        placed.turned(1)


def test_squares_have_four_sides() -> None:
    from scanner.locate.candidates import THRESHOLDS, find_patches

    photo = next(iter(load(SAMPLES / "sudoku-1.jpg")))
    assert six_sided(find_patches(photo.gray, THRESHOLDS[0])) < 10
    hexes = laid(flat_sheet(FRONT), FRONT).photo
    assert six_sided(find_patches(hexes.gray, THRESHOLDS[0])) > 30
