"""Which digits of the calendar Sudokus are handwritten: judged by eye, since their truth files don't say.

Checked: of each puzzle, the other digits have exactly one solution, and every handwritten digit agrees with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

HANDWRITTEN: Final[Mapping[str, str]] = {
    "02_17": "r1c5 r1c7 r2c7 r4c4 r4c5 r4c8 r6c5 r6c7 r7c2 r8c7 r9c5 r9c8",
    "02_19": "r6c2",
    "02_22": "r1c9 r2c5 r2c7 r2c8 r3c8 r3c9 r4c4 r4c5 r4c6 r4c7 r5c2 r6c3 r7c2",
    "02_24": "r1c6 r4c8 r7c4 r7c9 r8c1",
    "02_26": "r1c8 r3c8 r4c6 r5c8 r6c4 r7c9 r8c8 r9c7",
    "03_01": "r1c3 r2c6 r3c3 r5c1 r5c2 r5c9 r6c6 r6c7",
    "03_03": "r2c4 r4c5 r5c4 r5c6 r6c2 r6c5 r6c7 r6c8",
    "03_05": "r3c5 r3c6 r6c7",
    "03_08": "r2c4 r3c2 r3c5 r3c8 r4c5 r5c3 r5c4 r5c8 r6c2 r7c2 r8c4 r9c4",
    "03_10": "r1c1 r1c5 r1c6 r2c8 r5c2 r6c6 r6c9 r7c3 r7c7 r8c6 r9c5 r9c9",
}
"""Cell ids by puzzle (month_day)."""


def handwritten(puzzle: str) -> frozenset[str]:
    """Cells of a calendar puzzle with handwritten digits; empty for an unknown puzzle."""
    return frozenset(HANDWRITTEN.get(puzzle, "").split())
