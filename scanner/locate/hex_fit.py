"""Which part of a hex lattice is which outline: scored by where printed edges are and where they must not be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from scanner.geometry import FloatArray, Homography
from scanner.locate.candidates import GrayImage
from scanner.locate.hex_evidence import line_darkness, profiles, sample_points
from scanner.locate.hex_form import HexForm
from scanner.locate.hex_lattice import UNIT, HexLattice, Places

LEAST_CELLS = 0.5
"""Share of a sheet's hexes that the lattice has to have seen."""
LEAST_INSIDE, MOST_OUTSIDE = 0.85, 0.2
"""Share of the printed edges that have to be seen, and of those outside that may be."""
OUTSIDE = 0.7
"""Weight of lines that go on beyond the sheet."""
LEAST_VISIBLE = 0.8
"""Share of a sheet's edges that lie in the picture."""
REACH, ACROSS = 0.36, 25
"""How far to the sides of an edge the picture is looked at, in pitches, and at how many places."""
SIDEWAYS = 0.14
"""How far beside its place a line may lie, in pitches."""
FULL = 0.6
"""Share of the lattice's usual line darkness from which a line is surely one."""
LEAST_CONTRAST = 0.02
SURE_SCORE = 0.9
"""Score from which no other outline and no other place is looked at; a wrong one has 0.65 at most."""
MOST_TRIED = 3
"""Places of an outline in a lattice whose edges are looked at."""


@dataclass(frozen=True, eq=False)
class HexWindow:
    """A place where an outline fits a lattice, whichever way up.

    shift: axial coordinates in the lattice of the outline's hex (0, 0). score: share of the printed edges seen, less
    OUTSIDE times that of those outside. inside, outside: these shares. contrast: darkness of its lines, 0 to 1.
    """

    form: HexForm
    lattice: HexLattice
    shift: tuple[int, int]
    inside: float
    outside: float
    contrast: float

    @property
    def score(self) -> float:
        """At most 1."""
        return self.inside - OUTSIDE * self.outside

    def matrix(self) -> Homography:
        """From the outline's hex units to px, without the paper's bend."""
        x, y = np.array(self.shift) @ UNIT
        move = np.array([[1, 0, x], [0, 1, y], [0, 0, 1]], dtype=np.float64)
        return Homography(self.lattice.matrix @ move)

    def centres(self) -> tuple[FloatArray, FloatArray]:
        """Centres of hexes as seen: (in the outline's hex units [n, 2], px [n, 2])."""
        own = {(int(q), int(r)) for q, r in self.form.places}
        places = self.lattice.places - np.array(self.shift)
        mine = np.array([(int(q), int(r)) in own for q, r in places], dtype=np.bool_)
        return np.asarray(places[mine] @ UNIT, dtype=np.float64), self.lattice.px[mine]


def _shifts(lattice: HexLattice, form: HexForm) -> list[tuple[int, int]]:
    """Where most of an outline's hexes lie on hexes of the lattice, the best few."""
    low, high = form.places.min(axis=0), form.places.max(axis=0)
    kernel = _grid(form.places, low, high - low + 1)
    pad = high - low
    first = lattice.places.min(axis=0) - pad
    size = lattice.places.max(axis=0) + pad - first + 1
    seen = _grid(lattice.places, first, size)
    common = cv2.matchTemplate(seen, kernel, cv2.TM_CCORR)
    # Beside the outline's own hexes a sheet has none: a lattice that goes on to all sides fits everywhere.
    found = []
    for _ in range(MOST_TRIED):
        row, col = (int(n) for n in np.unravel_index(int(common.argmax()), common.shape))
        if common[row, col] < LEAST_CELLS * len(form.places):
            break
        found.append((int(first[0] + col - low[0]), int(first[1] + row - low[1])))
        common[row, col] = 0
    return found


def _grid(places: Places, first: Places, size: Places) -> npt.NDArray[np.float32]:
    grid = np.zeros((int(size[1]), int(size[0])), dtype=np.float32)
    grid[places[:, 1] - first[1], places[:, 0] - first[0]] = 1
    return grid


def windows(gray: GrayImage, lattice: HexLattice, all_forms: Sequence[HexForm]) -> list[HexWindow]:
    """The places where an outline fits, best first; those that are no sheet are among them, see `is_sheet`."""
    found: list[HexWindow] = []
    for form in all_forms:
        for shift in _shifts(lattice, form):
            if found and found[-1].score >= SURE_SCORE:
                return [found[-1]]
            move = np.array(shift) @ UNIT
            edges = np.concatenate([form.edges, form.outer]) + move
            px, shifts = sample_points(edges, REACH, ACROSS, lattice.project)
            across = profiles(gray, px, len(edges), shifts)
            dark = line_darkness(across, SIDEWAYS)
            seen = across.seen[: len(form.edges)]
            if seen.mean() < LEAST_VISIBLE:
                continue
            contrast = float(np.median(dark[: len(form.edges)][seen]))
            if contrast < LEAST_CONTRAST:
                continue
            lines = np.clip(dark / (FULL * contrast), 0, 1) ** 2
            beyond = across.seen[len(form.edges) :]
            outside = float(lines[len(form.edges) :][beyond].mean()) if beyond.any() else 0.0
            inside = float(lines[: len(form.edges)][seen].mean())
            found.append(HexWindow(form, lattice, shift, inside, outside, contrast))
    return sorted(found, key=lambda window: -window.score)


def is_sheet(window: HexWindow) -> bool:
    """Are enough of its lines there, and do they end where it ends?"""
    return window.inside >= LEAST_INSIDE and window.outside <= MOST_OUTSIDE
