"""The lines that tell how a sheet may have come about."""

from __future__ import annotations

from scanner.report.history import history_lines
from scanner.results import HistoryStep


def test_a_line_a_round() -> None:
    steps = (
        HistoryStep(1, 5, ("q0r1", "q1r1")),
        HistoryStep(1, 3, ("q0r0",)),
        HistoryStep(3, 8, ("q2r1",)),
        HistoryStep(3, 2, ("q4r0",), "bonus2"),
    )
    assert history_lines(steps) == (
        "One game that ends with this sheet:",
        "round 1: 5 in q0r1 q1r1, 3 in q0r0",
        "round 3: 8 in q2r1, 2 in q4r0 (bonus2)",
    )


def test_nothing_is_said_where_nothing_is_known() -> None:
    assert history_lines(()) == ()
