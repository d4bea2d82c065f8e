"""A part of a sheet seen from straight above."""

from __future__ import annotations

from typing import Protocol

import cv2
import numpy as np
import numpy.typing as npt

from scanner.geometry import FloatArray

STEP = 4
"""Every fourth pixel's place is computed: bends are smooth, and in between they are interpolated."""


class MmToPx(Protocol):
    """Where points of a sheet lie in a picture, such as a `Placement`."""

    def project(self, points_mm: FloatArray) -> FloatArray:
        """Points on the sheet [n, 2] in mm to px [n, 2]."""
        ...


def flattened(
    gray: npt.NDArray[np.uint8], placement: MmToPx, low: FloatArray, size: tuple[int, int], per_mm: float
) -> tuple[npt.NDArray[np.uint8], float]:
    """A grey picture of size (width, height) px of the part from `low` (mm, top left) on, per_mm px to a mm.

    And the share of it that lies in the photo, 0 to 1; the rest repeats the photo's edge.
    """
    wide, tall = size
    x, y = np.meshgrid(
        low[0] + (np.arange(0, wide + STEP, STEP) + 0.5) / per_mm,
        low[1] + (np.arange(0, tall + STEP, STEP) + 0.5) / per_mm,
    )
    px = placement.project(np.column_stack([x.ravel(), y.ravel()])).astype(np.float32)
    inside = (px[:, 0] > 0) & (px[:, 1] > 0) & (px[:, 0] < gray.shape[1] - 1) & (px[:, 1] < gray.shape[0] - 1)
    enlarge = np.array([[1 / STEP, 0, 0], [0, 1 / STEP, 0]], dtype=np.float64)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    maps = [
        cv2.warpAffine(side.reshape(x.shape), enlarge, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
        for side in np.ascontiguousarray(px.T)
    ]
    flat = cv2.remap(gray, maps[0], maps[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(flat, dtype=np.uint8), float(inside.mean())
