"""Score tables in pictures: found by their lines, whichever way up, in perspective, bent; other grids are none."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import pytest
from grids import photo

from scanner.geometry import FloatArray, Homography, project
from scanner.intake import Photo
from scanner.locate import NotFound, locate
from scanner.locate.table_placement import TablePlacement, moved
from scanner.locate.tables import locate_tables
from scanner.simulate.table_printing import table_lines
from scanner.templates import Template, get_template
from scanner.templates.resize import resized

KNIFFEL, LOOPIT, OPEN = (get_template(name) for name in ("kniffel", "loopit-pad", "score-table"))
SIZE = (900, 1200)


@dataclass(frozen=True)
class Drawn:
    """A picture and the true corners of its number cells, px [4, 2], the template's top left first, clockwise."""

    photo: Photo
    corners: FloatArray


def draw(template: Template, turns: int = 0, *, tilt: float = 0.0, bend: float = 0.0, line: int = 70) -> Drawn:
    """The lines of a table on white paper on a grey table. tilt: of the far side; bend: px by which rows sag."""
    table = template.table
    assert table is not None
    per_mm = 8.0
    wide, high = (round(side * per_mm) for side in template.size)
    flat = np.full((high, wide), 235, dtype=np.uint8)
    for one in table_lines(table, 0.25, 0.6, 1.0):
        ends = [(round(x * per_mm), round(y * per_mm)) for x, y in (one.start, one.end)]
        cv2.line(flat, ends[0], ends[1], line, max(1, round(one.width * per_mm)), cv2.LINE_AA)
    sheet = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], dtype=np.float64)
    size = SIZE if turns % 2 == 0 else SIZE[::-1]
    scale = 0.82 * min(size[0] / (wide if turns % 2 == 0 else high), size[1] / (high if turns % 2 == 0 else wide))
    angle = np.radians(90 * turns)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    target = (sheet - sheet.mean(axis=0)) * scale @ turn.T
    target[:, 0] *= 1 + tilt * target[:, 1] / size[1]
    target += np.array(size) / 2
    matrix = cv2.getPerspectiveTransform(sheet.astype(np.float32), target.astype(np.float32))
    picture = cv2.warpPerspective(flat, matrix, size, flags=cv2.INTER_AREA, borderValue=(120,))
    quad = np.array([[p.x, p.y] for p in template.mm_quad()]) * per_mm
    corners = project(Homography(np.asarray(matrix, dtype=np.float64)), quad)
    if bend:
        x, y = np.meshgrid(np.arange(size[0], dtype=np.float32), np.arange(size[1], dtype=np.float32))
        sag = (bend * np.cos(np.pi * x / size[0])).astype(np.float32)
        picture = cv2.remap(picture, x, y - sag, cv2.INTER_LINEAR, borderValue=(120,))
        corners[:, 1] += bend * np.cos(np.pi * corners[:, 0] / size[0])
    soft = cv2.GaussianBlur(picture, (0, 0), 0.8)
    grain = np.random.default_rng(1).normal(0, 3, soft.shape)
    return Drawn(photo(np.clip(soft + grain, 0, 255).astype(np.uint8)), corners)


def placement(drawn: Drawn, *templates: Template) -> TablePlacement:
    found = locate_tables(drawn.photo, templates)
    assert not isinstance(found, NotFound), found.reason
    return found[0]


def off(found: TablePlacement, drawn: Drawn) -> float:
    """Largest distance of a corner from the true one, px; which way up what is written decides, so the best way."""
    return min(float(np.abs(way.corners - drawn.corners).max()) for way in (found, *found.others))


@pytest.mark.parametrize("turns", [0, 1, 2, 3])
def test_a_card_in_any_direction(turns: int) -> None:
    drawn = draw(KNIFFEL, turns)
    found = placement(drawn, KNIFFEL, LOOPIT)
    assert found.template.id == "kniffel"
    assert np.abs(found.corners - drawn.corners).max() < 2.5  # its label columns tell the way up
    assert found.residual_px < 1


@pytest.mark.parametrize(("template", "tilt", "bend"), [(KNIFFEL, 0.5, 0.0), (LOOPIT, 0.35, 7.0), (KNIFFEL, 0.2, -9.0)])
def test_tilted_and_bent(template: Template, tilt: float, bend: float) -> None:
    drawn = draw(template, tilt=tilt, bend=bend)
    found = placement(drawn, KNIFFEL, LOOPIT)
    assert found.template.id == template.id
    assert off(found, drawn) < 3


def test_thin_pale_lines() -> None:
    drawn = draw(KNIFFEL, line=190)
    assert off(placement(drawn, KNIFFEL), drawn) < 3


def test_a_card_with_other_rows_than_its_template_has() -> None:
    table = KNIFFEL.table
    assert table is not None

    edges = sorted({edge for row in table.rows for edge in (row.top, row.bottom)})
    steps = np.diff(edges) * np.where(np.arange(len(edges) - 1) % 5 == 2, 1.2, 0.97)
    down = dict(zip(edges, (edges[0] + np.concatenate([[0], np.cumsum(steps)])).tolist(), strict=True))
    across = {edge: edge for column in table.columns for edge in (column.left, column.right)}
    drawn = draw(moved(KNIFFEL, across, down))
    found = placement(drawn, KNIFFEL)
    assert off(found, drawn) < 3
    heights = [row.bottom - row.top for row in found.table.rows]
    assert heights[2] / heights[1] == pytest.approx(steps[2] / steps[1], rel=0.05)


@pytest.mark.parametrize(("columns", "rows"), [(3, 7), (6, 12)])
def test_open_tables_have_the_rows_and_columns_of_their_lines(columns: int, rows: int) -> None:
    pad = resized(OPEN, columns=columns, rows=rows)
    drawn = draw(pad)
    found = placement(drawn, OPEN)
    table = pad.table
    assert table is not None
    assert len(found.table.columns) == len(table.columns)
    assert len(found.table.rows) == len(table.rows)
    assert found.model is OPEN


def test_nothing_on_a_blank_table() -> None:
    grain = np.random.default_rng(2).normal(180, 6, (800, 600))
    found = locate_tables(photo(np.clip(grain, 0, 255).astype(np.uint8)), [KNIFFEL, OPEN])
    assert isinstance(found, NotFound)


def test_a_square_grid_is_no_card() -> None:
    picture = np.full((900, 900), 235, dtype=np.uint8)
    for k in range(10):
        at = 90 + 80 * k
        cv2.line(picture, (at, 90), (at, 810), 60, 2 + 2 * (k % 3 == 0))
        cv2.line(picture, (90, at), (810, at), 60, 2 + 2 * (k % 3 == 0))
    assert isinstance(locate_tables(photo(picture), [KNIFFEL, LOOPIT, OPEN]), NotFound)
    found = locate(photo(picture), [KNIFFEL, LOOPIT, OPEN, get_template("sudoku")])
    assert not isinstance(found, NotFound)
    assert [one.template.id for one in found] == ["sudoku"]


def test_places_are_projected_back_and_forth() -> None:
    drawn = draw(LOOPIT, 1, bend=4.0)
    found = placement(drawn, LOOPIT)
    polygons = found.cell_polygons()
    assert len(polygons) == len(found.template.cells)
    assert all(cv2.contourArea(polygon.astype(np.float32)) > 100 for polygon in polygons)
    with pytest.raises(ValueError, match="no quarter turns"):
        found.turned(1)
