"""The rules' worked example of Splitter's pad A (data/splitter_boards.toml): what is in its cells, and its points."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final

from scanner.templates import get_template
from scanner.typed import parse_typed

NAMES = ("ones", "twos", "threes", "fours", "fives", "sixes")

PAD: Final = get_template("splitter-a")
_WORKED = next(
    one
    for one in tomllib.loads((Path(__file__).parent / "data" / "splitter_boards.toml").read_text(encoding="utf-8"))[
        "boards"
    ]
    if one["name"] == "pad-a"
)
CELLS: Final[dict[str, int]] = {
    cell: reading.value
    for cell, reading in parse_typed(_WORKED["board"], {PAD.id: PAD})[0].board.cells.items()
    if isinstance(reading.value, int)
}
"""Numbers by cell."""
RIGHT: Final[dict[str, int]] = {name: _WORKED["points"].get(name, 0) for name in NAMES} | {"total": _WORKED["total"]}
"""What each box has to say, by its name."""
