"""Cell-shaped patches: regions of paper that printed lines close off on every side.

The cells themselves are the marker (commercial pads have no fiducials). A patch is a connected region lighter
than its surroundings; digits inside it or lines that miss a bit of ink don't matter, since only its hull is used.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from scanner.geometry import FloatArray

GrayImage = npt.NDArray[np.uint8]

# Sizes are fractions of the working picture's long side, so that they don't depend on the photo's pixels.
MIN_SIDE = 0.011
MAX_SIDE = 0.16
MIN_FILL = 0.62
"""Smallest share of a patch's hull in its tightest rectangle: text and stains have less, cells in perspective more."""
MOST_EXTENT = 1.5 * MAX_SIDE
"""Largest extent of a cell, level or upright; cells that are much longer than wide may have twice that."""
LONGEST = 5.0
"""How many times as long as wide a cell of a lattice may be, in perspective."""
MAX_PATCHES = 1500
"""More patches than any sheet has cells; beyond it the smallest are dropped (a page of text, a woven cloth)."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """One way of telling paper from lines.

    window: side of the neighbourhood that a pixel is compared with, as a fraction of the long side. step: in grey
    levels. smooth: sigma of the blur before it, px of the working picture, against grain. thin: share of the paper's
    brightness by which thin lines are darker; they are then told by their thinness as well, for near a dark field
    they are no darker than the neighbourhood's mean. Null: not so.
    """

    window: float
    step: float
    smooth: float = 0.0
    thin: float | None = None


THRESHOLDS: tuple[Threshold, ...] = (
    Threshold(0.031, 7.0),
    Threshold(0.061, 4.0),
    Threshold(0.031, 7.0, thin=0.08),
    Threshold(0.031, 2.5),
    Threshold(0.015, 4.0),
    Threshold(0.041, 4.0, smooth=1.5),
)
"""Tried in this order until a sheet is found: the usual one, one for blur, for pale cells on a dark field, for
faint lines, for small cells, for the grain of a photo taken in the dark."""
THIN = 0.013
"""Half of the width, as a fraction of the long side, up to which a line is thin."""


@dataclass(frozen=True, slots=True)
class Patches:
    """Cell-shaped patches of one picture.

    centres: float64 [n, 2], px. corners: float64 [n, 4, 2], px, clockwise on screen. side: float64 [n], px, the
    root of the hull's area.
    """

    centres: FloatArray
    corners: FloatArray
    side: FloatArray

    def __len__(self) -> int:
        return len(self.side)


def _four_corners(hull: npt.NDArray[np.int32]) -> FloatArray:
    """The quadrilateral that a hull is nearest to, clockwise on screen: float64 [4, 2]."""
    length = cv2.arcLength(hull, True)
    for tolerance in (0.03, 0.05, 0.08):
        polygon = cv2.approxPolyDP(hull, tolerance * length, True)
        if len(polygon) == 4:
            break
        if len(polygon) < 4:
            polygon = cv2.boxPoints(cv2.minAreaRect(hull))
            break
    else:
        polygon = cv2.boxPoints(cv2.minAreaRect(hull))
    corners = np.asarray(polygon, dtype=np.float64).reshape(4, 2)
    x, y = corners[:, 0], corners[:, 1]
    clockwise = np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) > 0
    return corners if clockwise else corners[::-1]


def paper_contours(
    gray: GrayImage, threshold: Threshold, *, extent_most: float = MOST_EXTENT
) -> list[npt.NDArray[np.int32]]:
    """The outlines [n, 1, 2] of all regions of paper in a grey picture [h, w] of about 1,000 px that may be cells.

    extent_most: of the picture's long side.
    """
    long_side = max(gray.shape)
    window = max(3, round(threshold.window * long_side)) | 1
    paper = cv2.adaptiveThreshold(gray, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, window, threshold.step)
    if threshold.thin is not None:
        side = max(3, round(2 * THIN * long_side)) | 1
        kernel = cv2.getStructuringElement(cv2.MORPH_RECT, (side, side))
        closed = cv2.morphologyEx(gray, cv2.MORPH_CLOSE, kernel, borderType=cv2.BORDER_REPLICATE)
        lines = cv2.subtract(closed, gray) > (threshold.thin * closed).astype(np.uint8)
        paper[lines] = 0
    _, labels, stats, _ = cv2.connectedComponentsWithStats(paper, connectivity=4, ltype=cv2.CV_32S)
    left, top, width, height, area = stats.T
    smallest = MIN_SIDE * long_side
    inside = (left > 0) & (top > 0) & (left + width < gray.shape[1]) & (top + height < gray.shape[0])
    extent = np.maximum(width, height)
    keep = inside & (area > 0.45 * smallest**2) & (extent < extent_most * long_side) & (area > 0.25 * width * height)
    keep[0] = False
    if keep.sum() > MAX_PATCHES:
        keep &= area >= np.sort(area[keep])[-MAX_PATCHES]
    while True:
        mask = keep.astype(np.uint8)[labels]
        found, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        contours = [np.asarray(contour, dtype=np.int32) for contour in found]
        # A small card's margin is no cell, but has the extent of one, and lies around all of them.
        around = [one[0, 0] for one in contours if cv2.contourArea(one) > (MAX_SIDE * long_side) ** 2]
        if not around:
            return contours
        keep[[labels[y, x] for x, y in around]] = False


def find_patches(gray: GrayImage, threshold: Threshold, *, longest: float = LONGEST) -> Patches:
    """All cell-shaped patches of a grey picture [h, w] of about 1,000 px.

    longest: how many times as long as wide a patch may be.
    """
    long_side = max(gray.shape)
    smallest, largest = MIN_SIDE * long_side, MAX_SIDE * long_side
    centres, corners, sides = [], [], []
    most = MOST_EXTENT if longest <= LONGEST else 2 * MOST_EXTENT
    for contour in paper_contours(gray, threshold, extent_most=most):
        if len(contour) < 4:
            continue
        hull = cv2.convexHull(contour)
        hull_area = cv2.contourArea(hull)
        if not smallest**2 <= hull_area <= largest**2:
            continue
        (_, (rect_width, rect_height), _) = cv2.minAreaRect(hull)
        rect_area = rect_width * rect_height
        if rect_area <= 0 or hull_area < MIN_FILL * rect_area:
            continue
        if max(rect_width, rect_height) > longest * min(rect_width, rect_height):
            continue
        quad = _four_corners(np.asarray(hull, dtype=np.int32))
        centres.append(quad.mean(axis=0))
        corners.append(quad)
        sides.append(hull_area**0.5)
    n = len(sides)
    return Patches(
        np.asarray(centres, dtype=np.float64).reshape(n, 2),
        np.asarray(corners, dtype=np.float64).reshape(n, 4, 2),
        np.asarray(sides, dtype=np.float64),
    )
