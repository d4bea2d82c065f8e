"""Other printings of a card: more or fewer games side by side, a printed heading between its two blocks of rows."""

from __future__ import annotations

import numpy as np
import pytest
from test_locate_tables import draw, off, placement

from scanner.locate.candidates import Patches
from scanner.locate.table_frame import regions
from scanner.locate.table_variants import LEAST, MOST, in_form_of, variants
from scanner.templates import Template, get_template

KNIFFEL, YAHTZEE, LOOPIT, OPEN = (get_template(name) for name in ("kniffel", "yahtzee", "loopit-pad", "score-table"))


def shape(template: Template) -> tuple[int, int]:
    """Columns of cells, and rows of any kind."""
    assert template.table is not None
    return sum(not column.labels for column in template.table.columns), len(template.table.rows)


def variant(columns: int, *, heading: bool) -> Template:
    rows = shape(KNIFFEL)[1] + heading
    return next(one for one in variants(KNIFFEL) if shape(one) == (columns, rows))


def test_the_template_itself_comes_first_and_each_number_of_games_once() -> None:
    every = variants(KNIFFEL)
    assert every[0] == KNIFFEL
    assert sorted({shape(one)[0] for one in every}) == list(range(LEAST, MOST + 1))
    assert len({shape(one) for one in every}) == len(every)
    assert {one.id for one in every} == {"kniffel"}


@pytest.mark.parametrize("template", [LOOPIT, OPEN])
def test_small_and_open_tables_have_no_other_printings(template: Template) -> None:
    assert variants(template) == (template,)


@pytest.mark.parametrize("heading", [False, True])
@pytest.mark.parametrize("columns", [3, 6, 8])
def test_every_cell_lies_between_the_edges_of_its_row_and_column(columns: int, heading: bool) -> None:
    one = variant(columns, heading=heading)
    assert one.table is not None
    assert len([cell for cell in one.cells if cell.id.endswith(".total")]) == columns
    across = {column.id: (column.left, column.right) for column in one.table.columns}
    down = {row.id: (row.top, row.bottom) for row in one.table.rows}
    for cell in one.cells:
        column, row = cell.id.split(".")
        low, high = cell.polygon[0], cell.polygon[2]
        assert (low.x, high.x, low.y, high.y) == pytest.approx((*across[column], *down[row]))
    tops = [row.top for row in one.table.rows]
    assert tops[1:] == pytest.approx([row.bottom for row in one.table.rows[:-1]])


@pytest.mark.parametrize(("columns", "heading"), [(4, False), (8, False), (6, True), (5, True)])
def test_another_printing_is_found_as_it_is(columns: int, heading: bool) -> None:
    wanted = variant(columns, heading=heading)
    drawn = draw(wanted)
    found = placement(drawn, KNIFFEL, LOOPIT)
    assert found.template.id == "kniffel"
    assert shape(found.template) == shape(wanted)
    assert off(found, drawn) < 4


def test_the_english_card_has_the_form_of_the_german_one() -> None:
    wanted = variant(8, heading=True)
    english = in_form_of(YAHTZEE, wanted)
    assert english.id == "yahtzee"
    assert english.ids == wanted.ids
    assert in_form_of(YAHTZEE, KNIFFEL) == YAHTZEE


@pytest.mark.parametrize(("gap", "sizes"), [(6, [24]), (30, [24, 12, 12]), (120, [12, 12])])
def test_two_blocks_of_cells_with_a_band_between_them_may_be_one_table(gap: int, sizes: list[int]) -> None:
    """Cells of 40 by 20 px in a picture of 500: a line, a band and a wide margin between two blocks of three rows."""
    tops = [100 + 24 * k + (gap if k >= 3 else 0) for k in range(6)]
    quads = np.array(
        [[[x, y], [x + 40, y], [x + 40, y + 20], [x, y + 20]] for y in tops for x in range(100, 276, 44)],
        dtype=np.float64,
    )
    patches = Patches(quads.mean(axis=1), quads, np.full(len(quads), 28.0))
    assert [int(group.sum()) for group in regions(patches, (500, 500))] == sizes


def test_specks_beside_a_block_are_no_part_of_its_table() -> None:
    """Six patches of grain, 30 px below a block of twenty cells."""
    block = [(x, y) for y in range(100, 220, 24) for x in range(100, 276, 44)]
    grain = [(x, 250.0) for x in range(100, 352, 42)]
    quads = np.array([[[x, y], [x + 40, y], [x + 40, y + 20], [x, y + 20]] for x, y in (*block, *grain)])
    patches = Patches(quads.mean(axis=1), quads, np.full(len(quads), 28.0))
    assert [int(group.sum()) for group in regions(patches, (500, 500))] == [20, 6]
