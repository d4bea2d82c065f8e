"""Lines matched to the edges of a template: in order, whatever is missing or too many."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner.locate.table_match import column_edges, match, merged, most_share, row_edges
from scanner.templates import get_template

TABLE = get_template("kniffel").table
assert TABLE is not None
ROWS, COLUMNS = row_edges(TABLE), column_edges(TABLE)


def pairs_of(places: np.ndarray, scale: float = 5.0) -> list[tuple[int, int]]:
    found = match(places, np.ones(len(places)), np.ones(len(places)), ROWS, scale)
    assert found is not None
    return list(found.pairs)


def test_edges_of_a_template_in_order() -> None:
    assert TABLE is not None
    assert len(ROWS.at) == len(TABLE.rows) + 1
    assert ROWS.at[0] == TABLE.rows[0].top
    assert not ROWS.cells[0]  # above the printed heading
    assert ROWS.cells[-1]
    assert COLUMNS.cells.sum() == 7  # six games


def test_a_card_as_its_template_has_it() -> None:
    places = 40 + 5.0 * ROWS.at
    found = match(places, np.ones(len(places)), np.ones(len(places)), ROWS, 5.0)
    assert found is not None
    assert list(found.pairs) == [(k, k) for k in range(len(places))]
    assert found.scale == pytest.approx(5.0)
    assert found.share >= 1.0


@given(st.sets(st.integers(6, 19), max_size=2), st.floats(3.0, 9.0), st.floats(-500, 500))
def test_missing_lines_leave_the_others_where_they_belong(missing: set[int], scale: float, offset: float) -> None:
    kept = [k for k in range(len(ROWS.at)) if k not in missing]
    places = offset + scale * ROWS.at[kept]
    found = match(places, np.ones(len(places)), np.ones(len(places)), ROWS, scale)
    assert found is not None
    edge_of = dict(found.pairs)
    assert [edge_of.get(line) for line in range(len(kept))] == kept


def test_a_line_that_belongs_to_nothing_is_left_out() -> None:
    places = np.sort(np.append(5.0 * ROWS.at, 5.0 * (ROWS.at[10] + 2.5)))
    stray = int(np.argmin(np.abs(places - 5.0 * (ROWS.at[10] + 2.5))))
    lines = [line for line, _ in pairs_of(places)]
    assert stray not in lines
    assert len(lines) == len(ROWS.at)


def test_higher_rows_are_told_by_their_number() -> None:
    at = ROWS.at.copy()
    at[12:] += 2.0  # one row is a third higher than the template has it
    assert pairs_of(5.0 * at) == [(k, k) for k in range(len(at))]


def test_too_few_lines_match_nothing() -> None:
    assert match(np.array([1.0]), np.ones(1), np.ones(1), ROWS, 5.0) is None


def test_half_of_the_rows_is_a_poor_match() -> None:
    places = 5.0 * ROWS.at[:11]
    found = match(places, np.ones(11), np.ones(11), ROWS, 5.0)
    assert found is not None
    assert found.share < 0.5


def test_double_rules_are_one_line() -> None:
    places = np.array([0.0, 30, 60, 63, 90, 120])
    assert merged(places, np.ones(6)) == [(0,), (1,), (2, 3), (4,), (5,)]


@given(
    st.lists(st.integers(1, 40), min_size=3, max_size=40),
    st.lists(st.floats(0, 1), min_size=40, max_size=40),
    st.floats(2.0, 9.0),
)
def test_no_match_exceeds_what_it_may_reach(steps: list[int], weights: list[float], scale: float) -> None:
    """The quick bound leaves nothing out, whatever the lines."""
    places = np.cumsum(np.array(steps, dtype=np.float64))
    own = np.array(weights[: len(places)])
    found = match(places, own, own, ROWS, scale)
    assert found is None or found.share <= most_share(own, own, ROWS) + 1e-9
