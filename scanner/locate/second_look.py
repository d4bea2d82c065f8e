"""A second look at a window that lacks some of its lines: bent paper may just have them beside their places.

The lattice is bent to the lines that are seen, and the window judged again on it. Only sheets with a dark field get one
(most of the pads that were missed without it were bent ones): their borders have corners that no other grid has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from scanner.geometry import FloatArray, Homography, project
from scanner.locate.evidence import GrayImage, LineEvidence, line_evidence
from scanner.locate.fit import Window, window_matrix
from scanner.locate.lattice import Lattice
from scanner.locate.mesh import Mesh
from scanner.locate.refine import Crossings, PrintedLines, refine

MOST = 2
"""Windows of one search that are looked at again, those with the highest scores."""
DEGREE = 3
"""Of the bend; a high one would follow whatever is dark."""


@dataclass(frozen=True, slots=True)
class Nearly:
    """A window whose score would do, but that lacks lines."""

    lattice: Lattice
    window: Window


@dataclass(frozen=True, slots=True)
class _Followed:
    """What a mesh adds to the coordinates of the upright template's lattice; see `scanner.locate.lattice.Bend`."""

    mesh: Mesh

    def displacement(self, points: FloatArray) -> FloatArray:
        return self.mesh.displace(points) - points


def crossings_of(matrix: Homography, window: Window, lattice: Lattice) -> Crossings:
    """The crossings inside the sheet, where the flat lattice expects them and where they were seen.

    matrix: of `window_matrix`.
    """
    back = Homography(np.asarray(np.linalg.inv(matrix), dtype=np.float64))
    expected = project(back, project(lattice.matrix, lattice.nodes.astype(np.float64)))
    seen = project(back, lattice.node_px)
    rows, cols = (window.rows, window.cols) if window.turns % 2 == 0 else (window.cols, window.rows)
    inside = ((expected > -0.1) & (expected < np.array([cols + 0.1, rows + 0.1]))).all(axis=1)
    return Crossings(expected[inside], seen[inside])


def second_look(
    gray: GrayImage, nearly: Sequence[Nearly], judged: Callable[[LineEvidence, Window], Window | None]
) -> tuple[Nearly, ...]:
    """Those that have all of their lines once the lattice is bent to them.

    gray: the working picture. judged: the window of the upright template on such evidence; null if it is no sheet.
    """
    found = []
    for one in sorted(nearly, key=lambda item: -item.window.score)[:MOST]:
        evidence = _followed(gray, one)
        window = None if evidence is None else judged(evidence, one.window)
        if window is not None:
            found.append(one)
    return tuple(found)


def _followed(gray: GrayImage, one: Nearly) -> LineEvidence | None:
    """The lines around the window, seen along the lattice that follows them; in the upright template's lattice."""
    matrix = window_matrix(one.lattice, one.window)
    template = one.window.template
    mask = template.lattice_mask()
    lines = PrintedLines.around(mask, dark_field=template.look.field == "dark")
    bent = refine(gray, matrix, lines, crossings_of(matrix, one.window, one.lattice), degree=DEGREE)
    rows, cols = np.nonzero(mask)
    places = np.column_stack([cols, rows]).astype(np.int64)
    none = np.zeros((0, 2), dtype=np.int64)
    curve = None if bent.mesh is None else _Followed(bent.mesh)
    pitch = one.lattice.pitch
    along = Lattice(matrix, places, np.arange(len(places)), none, none.astype(np.float64), pitch, curve)
    return line_evidence(gray, along, (1, 1))
