"""Which digits of one hand are alike: a small net gives each cut digit traits, so that a product of them compares two.

It was trained to know a digit again that a hand has written before, whatever it looks like to others
(`scanner.training.alike`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from scanner.read.reader import MODEL_FOLDER, opened

MODEL_NAME: Final = "alike-1"
SIDE: Final = 24
"""Size of the pictures of digits that are compared, px."""
BODY: Final = 20
"""Their longer side fills this much of it."""
INKED: Final = 40
"""Level from which a pixel counts for how dark the ink is, of 255."""
FULL: Final = 230
"""Level to which the ink of every digit is brought."""

Pictures = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]


class Alike:
    """Gives digits their traits. Thread-safe; one session serves all photos of a process."""

    def __init__(self, path: Path | None = None, *, threads: int = 2) -> None:
        file = path or MODEL_FOLDER / f"{MODEL_NAME}.onnx"
        made_by = "scanner.training.alike"
        self._session, metadata = opened("reader of likeness", file, "traits", threads, made_by=made_by)
        self.name: str = metadata["name"]
        self._count = int(metadata["traits"])

    def traits(self, digits: Sequence[Pictures]) -> Floats:
        """Traits of unit length of n digits, each uint8 [h, w] cut to its ink: float64 [n, traits]."""
        if not digits:
            return np.zeros((0, self._count))
        return np.asarray(self._session.run(None, {"digits": pictures_of(digits)})[0], dtype=np.float64)


def pictures_of(digits: Sequence[Pictures]) -> Pictures:
    """Cut digits, uint8 [h, w] each, brought to one size and darkness and centred: uint8 [n, 24, 24]."""
    drawn = np.zeros((len(digits), SIDE, SIDE), dtype=np.uint8)
    for k, digit in enumerate(digits):
        if digit.size:
            scale = BODY / max(digit.shape)
            size = (max(1, round(digit.shape[1] * scale)), max(1, round(digit.shape[0] * scale)))
            y, x = (SIDE - size[1]) // 2, (SIDE - size[0]) // 2
            small = cv2.resize(digit, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
            ink = small[small > INKED]
            level = float(np.median(np.sort(ink)[len(ink) // 2 :])) if ink.size else float(FULL)
            drawn[k, y : y + size[1], x : x + size[0]] = np.minimum(small * np.float32(FULL / level), 255)
    return drawn


@lru_cache(maxsize=1)
def default_alike() -> Alike:
    """The shipped one; loaded once a process."""
    return Alike()
