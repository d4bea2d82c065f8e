"""Little drawn grids with known corners, for the tests of locate."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from scanner.geometry import FloatArray
from scanner.intake import Photo
from scanner.templates import Template
from scanner.templates.load import parse_template

Gray = npt.NDArray[np.uint8]
CELL = 60
MARGIN = 120
"""Of the drawn page around the lattice, in px."""

SPLITTER_B = """
schema = 1
id = "splitter-b"
title = "Splitter, pad B"
game = "sudoku"
size = [120, 110]
[grid]
origin = [10, 10]
pitch = [12, 12]
values = [1, 6]
mask = ["ooo--ooo", "oooooooo", "-oooooo-", "-oo--oo-", "-oooooo-", "oooooooo", "ooo--ooo"]
"""

LOPSIDED = """
schema = 1
id = "lopsided"
title = "No symmetry"
game = "sudoku"
size = [120, 110]
[grid]
origin = [10, 10]
pitch = [12, 12]
values = [1, 6]
mask = ["ooo--ooo", "ooooooo-", "oooooo--", "-oo-----", "-ooooo--", "oooo----", "oooo----"]
"""


def template(text: str) -> Template:
    return parse_template(text.encode(), source="test.toml", games=["sudoku"])


@dataclass(frozen=True)
class Drawn:
    """A picture and the true corners of its grid, px [4, 2], top left first, clockwise on the sheet."""

    gray: Gray
    corners: FloatArray

    def photo(self) -> Photo:
        return photo(self.gray)

    @property
    def side(self) -> float:
        return float(np.linalg.norm(self.corners - np.roll(self.corners, 1, axis=0), axis=1).mean())


def photo(gray: Gray) -> Photo:
    rgb = np.repeat(gray[:, :, None], 3, axis=2)
    return Photo("drawn.png", 1, rgb, (gray.shape[1], gray.shape[0]))


def page(
    mask: npt.NDArray[np.bool_],
    *,
    thin: int = 2,
    heavy: int = 6,
    every: int = 3,
    ink: int = 40,
    paper: int = 235,
    seed: int = 0,
) -> Drawn:
    """A flat page with a lattice; every `every`-th line and the border are `heavy` px wide. Digits in some cells."""
    rows, cols = mask.shape
    gray = np.full((rows * CELL + 2 * MARGIN, cols * CELL + 2 * MARGIN), paper, np.uint8)
    rng = np.random.default_rng(seed)
    for row, col in np.argwhere(mask):
        x, y = MARGIN + int(col) * CELL, MARGIN + int(row) * CELL
        cv2.rectangle(gray, (x, y), (x + CELL, y + CELL), ink, thin)
        if rng.random() < 0.4:
            digit = str(rng.integers(1, 10))
            cv2.putText(gray, digit, (x + 18, y + 45), cv2.FONT_HERSHEY_SIMPLEX, 1.2, ink, 3, cv2.LINE_AA)
    if mask.all():
        for k in range(0, cols + 1, every):
            cv2.line(gray, (MARGIN + k * CELL, MARGIN), (MARGIN + k * CELL, MARGIN + rows * CELL), ink, heavy)
        for k in range(0, rows + 1, every):
            cv2.line(gray, (MARGIN, MARGIN + k * CELL), (MARGIN + cols * CELL, MARGIN + k * CELL), ink, heavy)
    corners = MARGIN + CELL * np.array([[0, 0], [cols, 0], [cols, rows], [0, rows]], np.float64)
    return Drawn(gray, corners)


def sudoku(**options: int) -> Drawn:
    return page(np.ones((9, 9), np.bool_), **options)


def seen(drawn: Drawn, angle: float, scale: float, slant: FloatArray, *, table: int = 150) -> Drawn:
    """The page through a camera. angle: degrees clockwise. slant: [4, 2], shift of the corners, shares of the size."""
    height, width = drawn.gray.shape
    page_corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
    turn = np.deg2rad(angle)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    placed = (page_corners - page_corners.mean(axis=0)) @ rotation.T * scale
    placed += slant * min(width, height) * scale
    placed -= placed.min(axis=0) - 20
    size = tuple(int(n) + 20 for n in placed.max(axis=0))
    matrix = cv2.getPerspectiveTransform(page_corners.astype(np.float32), placed.astype(np.float32))
    # A lens blurs; without it thin lines would fall between the pixels of a smaller picture.
    soft = cv2.GaussianBlur(drawn.gray, (0, 0), 0.5 / min(scale, 1.0))
    gray = cv2.warpPerspective(
        soft, matrix, (size[0], size[1]), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=table
    )
    corners = cv2.perspectiveTransform(drawn.corners[None], matrix)[0]
    return Drawn(np.asarray(gray, np.uint8), np.asarray(corners, np.float64))


def turned(drawn: Drawn, quarter_turns: int) -> Drawn:
    """The picture turned clockwise; the corners still start at the sheet's own top left."""
    gray, corners = drawn.gray, drawn.corners
    for _ in range(quarter_turns):
        corners = np.stack([gray.shape[0] - 1 - corners[:, 1], corners[:, 0]], axis=1)
        gray = np.rot90(gray, -1)
    return Drawn(np.ascontiguousarray(gray), corners)


def bent(drawn: Drawn, height: float) -> Drawn:
    """The page on a cylinder: columns of pixels move up by an arch of `height` px."""
    y, x = np.mgrid[0 : drawn.gray.shape[0], 0 : drawn.gray.shape[1]].astype(np.float32)
    width = drawn.gray.shape[1]
    arch = height * np.sin(np.pi * x / width).astype(np.float32)
    gray = cv2.remap(drawn.gray, x, y + arch, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    lift = height * np.sin(np.pi * drawn.corners[:, 0] / width)
    return Drawn(np.asarray(gray, np.uint8), drawn.corners - np.stack([np.zeros(4), lift], axis=1))


def corner_error(found: FloatArray, drawn: Drawn, *, any_start: bool = True) -> float:
    """Largest distance of a corner from the truth, as a share of the side; optionally whichever corner comes first."""
    starts = range(4) if any_start else range(1)
    return (
        min(float(np.linalg.norm(np.roll(found, k, axis=0) - drawn.corners, axis=1).max()) for k in starts) / drawn.side
    )
