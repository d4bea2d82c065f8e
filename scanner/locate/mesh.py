"""Bent paper: a smooth displacement on top of a homography."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scanner.geometry import FloatArray

DEGREE = 5
"""Bends of one sheet are long against a cell: a quintic follows a curl at the margin, a wave and a fold's shoulder."""
OUTLIER = 0.06
"""Offsets, in cells, that disagree with the fit by more than this lose weight: a digit's stroke taken for the line."""
RIDGE = 1e-4
"""How strongly high terms are kept down, per point."""


@dataclass(frozen=True, slots=True)
class Mesh:
    """Displacement of lattice coordinates as polynomials over the lattice.

    size: (columns, rows) of the lattice; it is scaled to -1..1 before the polynomials apply, and beyond the lattice the
    displacement of the nearest point of its border is used, since a polynomial soon runs away out there.
    dx, dy: float64 [terms], coefficients in cells.
    """

    size: tuple[float, float]
    dx: FloatArray
    dy: FloatArray

    def displace(self, points: FloatArray) -> FloatArray:
        """Flat lattice coordinates [n, 2] to where they lie on the bent sheet, still in lattice coordinates."""
        terms = polynomial_terms(points, self.size)
        return points + np.stack([terms @ self.dx, terms @ self.dy], axis=1)

    def turned(self, quarter_turns: int) -> Mesh:
        """The same bend for a square lattice that is read after clockwise quarter turns of the sheet in the picture."""
        if quarter_turns == 0:
            return self
        # Fitted anew on a fine net of points: exact, since a polynomial turned is one of the same degree.
        net = np.linspace(0, 1, 9)
        x, y = (side.ravel() for side in np.meshgrid(net * self.size[0], net * self.size[1]))
        old = np.stack([x, y], axis=1)
        moved = self.displace(old) - old
        wide, high = self.size
        if quarter_turns == 2:
            points, shift, size = np.stack([wide - x, high - y], axis=1), -moved, self.size
        elif quarter_turns == 1:
            points, shift, size = np.stack([y, wide - x], axis=1), moved[:, ::-1] * (1, -1), (high, wide)
        else:
            points, shift, size = np.stack([high - y, x], axis=1), moved[:, ::-1] * (-1, 1), (high, wide)
        terms = polynomial_terms(points, size)
        solved = np.asarray(np.linalg.lstsq(terms, shift, rcond=None)[0], dtype=np.float64)
        return Mesh(size, solved[:, 0], solved[:, 1])


def polynomial_terms(points: FloatArray, size: tuple[float, float]) -> FloatArray:
    """All products x^i y^j with i + j <= DEGREE of scaled, clamped coordinates: float64 [n, terms]."""
    x = np.clip(2 * points[:, 0] / size[0] - 1, -1.08, 1.08)
    y = np.clip(2 * points[:, 1] / size[1] - 1, -1.08, 1.08)
    powers_x, powers_y = [np.ones_like(x)], [np.ones_like(y)]
    for _ in range(DEGREE):
        powers_x.append(powers_x[-1] * x)
        powers_y.append(powers_y[-1] * y)
    return np.stack([powers_x[i] * powers_y[j] for i in range(DEGREE + 1) for j in range(DEGREE + 1 - i)], axis=1)


def fit_smooth(
    points: FloatArray, offsets: FloatArray, weights: FloatArray, size: tuple[float, float], *, degree: int = DEGREE
) -> FloatArray:
    """Robust polynomial through offsets [n] (in cells) seen at points [n, 2] with weights [n] >= 0.

    degree: terms of a higher degree stay 0; a low one is safe where few points have been seen.

    Huber weights in a few rounds, with a ridge that keeps terms down which few points speak for.
    """
    terms = polynomial_terms(points, size)
    order = np.array([i + j for i in range(DEGREE + 1) for j in range(DEGREE + 1 - i)], dtype=np.float64)
    ridge = np.diag(np.where(order <= degree, RIDGE * len(points) * (0.2 + order) ** 2, 1e9))
    w = weights.astype(np.float64).copy()
    coefficients = np.zeros(terms.shape[1])
    for _ in range(4):
        left = terms.T @ (terms * w[:, None]) + ridge
        coefficients = np.linalg.solve(left, terms.T @ (w * offsets))
        off = np.abs(offsets - terms @ coefficients)
        scale = max(OUTLIER, 1.5 * float(np.median(off)))
        w = weights * np.minimum(1.0, scale / np.maximum(off, 1e-9))
    return coefficients
