"""What the ink of one cell can be. A model's metadata names its classes; these are the ones of the shipped reader."""

from __future__ import annotations

DIGIT_CLASSES: tuple[str, ...] = tuple("0123456789")
STATE_CLASSES: tuple[str, ...] = ("blank", "struck", "scribble", "candidates")
"""Cells without a value: nothing written, a digit struck out, a scribble, small pencil notes."""

CLASSES: tuple[str, ...] = DIGIT_CLASSES + STATE_CLASSES

NOTHING = "/"
"""Ink that says that there is no number: a dash, a slash, a number that is struck out."""

NUMBER_SYMBOLS: tuple[str, ...] = (*DIGIT_CLASSES, "-", NOTHING)
"""What the number reader reads from left to right; a blank cell has none of them."""
