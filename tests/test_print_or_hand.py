"""How a value is shown whose ink is open: as what it rather is."""

from __future__ import annotations

import pytest

from scanner.report.marks import looks_printed
from scanner.results import CellReading, Ink


@pytest.mark.parametrize(
    ("ink", "printed", "shown"),
    [
        ("print", 0.97, True),
        ("hand", 0.02, False),
        (None, 0.8, True),
        (None, 0.2, False),
        (None, None, False),
        ("hand", None, False),  # settled by an answer
        ("print", None, True),
    ],
)
def test_open_ink_is_shown_as_what_it_rather_is(ink: Ink | None, printed: float | None, shown: bool) -> None:
    reading = CellReading("r1c1", 5, "read", ink=ink, printed=printed)
    assert looks_printed(reading) is shown
