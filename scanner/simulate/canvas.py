"""A flat sheet of paper, drawn on in millimetres."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

FloatImage = npt.NDArray[np.float32]
Colour = tuple[float, float, float]
"""Red, green, blue, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Line:
    """A printed line between two points in mm; width in mm; strength: darkness, 0 to 1."""

    start: tuple[float, float]
    end: tuple[float, float]
    width: float
    strength: float


_BITS = 4
"""cv2 draws at sixteenths of a pixel."""


@dataclass(frozen=True)
class Canvas:
    """Paper seen from straight above.

    rgb: float32 [h, w, 3], 0 to 1, drawn on in place. per_mm: px a mm. left, top: mm of paper beside the sheet, so
    that the sheet's (0, 0) lies at px (left * per_mm - 0.5, top * per_mm - 0.5), pixel centres being whole numbers.
    """

    rgb: FloatImage
    per_mm: float
    left: float
    top: float

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the paper in mm."""
        return self.rgb.shape[1] / self.per_mm, self.rgb.shape[0] / self.per_mm

    def px(self, points: Sequence[tuple[float, float]] | npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Points on the sheet in mm [n, 2] to px of `rgb`."""
        sheet = np.asarray(points, dtype=np.float64)
        return np.asarray((sheet + np.array([self.left, self.top])) * self.per_mm - 0.5, dtype=np.float64)

    def lines(self, lines: Sequence[Line], colour: Colour) -> None:
        """Printed lines. Where they meet or overlap the paper gets no darker than the darkest of them."""
        density = np.zeros(self.rgb.shape[:2], dtype=np.uint8)
        for line in lines:
            px = line.width * self.per_mm
            # Thinner than a pixel is not to be drawn: one pixel wide and paler looks the same in the photo.
            level = round(255 * line.strength * min(1.0, px))
            fixed = self._fixed((line.start, line.end)).reshape(2, 2)
            x0, y0 = np.maximum((fixed.min(axis=0) >> _BITS) - round(px) - 2, 0)
            x1, y1 = (fixed.max(axis=0) >> _BITS) + round(px) + 3
            part = density[y0:y1, x0:x1]
            if part.size:
                mask = np.zeros(part.shape, dtype=np.uint8)
                ends = (fixed - (np.array([x0, y0]) << _BITS)).reshape(1, 2, 2)
                cv2.polylines(mask, [ends], False, (level,), max(1, round(px)), cv2.LINE_AA, _BITS)
                np.maximum(part, mask, out=part)
        self._blend(density, colour, 1.0)

    def fill(self, points: Sequence[tuple[float, float]], colour: Colour, strength: float = 1.0) -> None:
        """A filled polygon."""
        mask = np.zeros(self.rgb.shape[:2], dtype=np.uint8)
        cv2.fillPoly(mask, [self._fixed(points)], (255,), cv2.LINE_AA, _BITS)
        self._blend(mask, colour, strength)

    def stamp(self, ink: FloatImage, left_px: int, top_px: int, colour: Colour) -> None:
        """Ink density [h, w], 0 to 1, laid over the paper with its corner at a px; what lies beside it is cut off."""
        height, width = self.rgb.shape[:2]
        x0, y0 = max(0, left_px), max(0, top_px)
        x1, y1 = min(width, left_px + ink.shape[1]), min(height, top_px + ink.shape[0])
        if x1 <= x0 or y1 <= y0:
            return
        part = ink[y0 - top_px : y1 - top_px, x0 - left_px : x1 - left_px, None]
        under = self.rgb[y0:y1, x0:x1]
        # Ink takes light away from what lies under it: over a printed line it gets darker, never lighter.
        glaze = np.minimum(under, np.asarray(colour, dtype=np.float32))
        under += part * (glaze * (0.35 + 0.65 * under) - under)

    def cover(self, density: FloatImage, left_px: int, top_px: int, colour: Colour) -> None:
        """Opaque print of density [h, w], 0 to 1, with its corner at a px; what lies beside the paper is cut off."""
        height, width = self.rgb.shape[:2]
        x0, y0 = max(0, left_px), max(0, top_px)
        x1, y1 = min(width, left_px + density.shape[1]), min(height, top_px + density.shape[0])
        if x1 > x0 and y1 > y0:
            part = density[y0 - top_px : y1 - top_px, x0 - left_px : x1 - left_px, None]
            under = self.rgb[y0:y1, x0:x1]
            under += part * (np.asarray(colour, dtype=np.float32) - under)

    def _fixed(self, points: Sequence[tuple[float, float]]) -> npt.NDArray[np.int32]:
        return np.round(self.px(points) * (1 << _BITS)).astype(np.int32).reshape(-1, 1, 2)

    def _blend(self, mask: npt.NDArray[np.uint8], colour: Colour, strength: float) -> None:
        x, y, width, height = cv2.boundingRect(mask)
        if width == 0:
            return
        part = mask[y : y + height, x : x + width, None].astype(np.float32) * (strength / 255)
        under = self.rgb[y : y + height, x : x + width]
        under += part * (np.asarray(colour, dtype=np.float32) - under)


def smooth_noise(rng: np.random.Generator, height: int, width: int, cells: float) -> FloatImage:
    """Soft blotches, about -1 to 1, `cells` of them along the longer side: float32 [h, w]."""
    step = max(height, width) / max(cells, 1.0)
    rows, cols = max(2, round(height / step)) + 2, max(2, round(width / step)) + 2
    coarse = rng.normal(0, 0.6, (rows, cols)).astype(np.float32)
    return np.asarray(cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC), dtype=np.float32)


def blurred(image: FloatImage, sigma: float) -> FloatImage:
    """Gaussian blur; wide ones at a lower resolution, where they look the same and take a hundredth of the time."""
    shrink = max(1, int(sigma / 4))
    if shrink == 1:
        return np.asarray(cv2.GaussianBlur(image, (0, 0), max(sigma, 0.1)), dtype=np.float32)
    height, width = image.shape[:2]
    small = cv2.resize(image, (max(2, width // shrink), max(2, height // shrink)), interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), sigma / shrink)
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC), dtype=np.float32)
