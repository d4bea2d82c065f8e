"""Boxes for numbers beside a lattice: where their outlines are, and whether they are there at all."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from scanner.table_paper import CELL_PX, FloatImage, Rects

BOX_REACH = 0.35
"""How far boxes beside a lattice may lie from their place, as a share of their height."""
SIDE_REACH = 0.15
"""The same for one side of a box, once all of them together are in place."""
FRAME_REACH = 1
"""Pixels beside a rectangle's side within which a box's frame lies if the rectangle is the box."""
FRAME_PARTS = 4
"""Parts of each side that are looked at."""
FRAME_STEP = 0.03
"""Least steepness of the brightness there, as a share of the paper's per px; a blurred pale frame has 0.04."""
SOBEL = 8.0
"""What cv2.Sobel (3 x 3) gives for a slope of 1 per px."""


def on_outlines(flat: npt.NDArray[np.uint8], rects: Rects) -> Rects:
    """The rectangles moved to where the brightness steps along their sides: all together, then each side by itself."""
    soft = cv2.GaussianBlur(flat, (0, 0), 1.2).astype(np.float32)
    steps = [np.abs(cv2.Sobel(soft, cv2.CV_32F, *order, ksize=3)) for order in ((1, 0), (0, 1))]
    # Upright sides tell how far the boxes lie aside, level ones how far up or down.
    pictures = [np.asarray(steps[0], dtype=np.float32), np.ascontiguousarray(steps[1].T, dtype=np.float32)]
    moved = rects.copy()
    for axis, picture in enumerate(pictures):
        for reach, alone in ((round(BOX_REACH * CELL_PX), False), (round(SIDE_REACH * CELL_PX), True)):
            profiles = {
                (k, end): _profile_along(picture, moved[k, axis + end], moved[k, [1 - axis, 3 - axis]], reach)
                for k in range(len(rects))
                for end in (0, 2)
            }
            if alone:
                for (k, end), profile in profiles.items():
                    moved[k, axis + end] += _peak(profile)
            else:
                moved[:, [axis, axis + 2]] += _peak(np.sum(list(profiles.values()), axis=0))
    return moved


def framed(flat: npt.NDArray[np.uint8], rects: Rects) -> npt.NDArray[np.bool_]:
    """Which boxes have all four sides where the rectangles say: bool [n].

    Where a sheet is bent, or was printed with other margins, a rectangle lies across the box's frame or beside the box;
    what is seen there is no number of the player's.
    """
    soft = cv2.GaussianBlur(flat, (0, 0), 1.2).astype(np.float32)
    steps = [np.abs(cv2.Sobel(soft, cv2.CV_32F, *order, ksize=3)) / SOBEL for order in ((1, 0), (0, 1))]
    pictures = [np.asarray(steps[0], dtype=np.float32), np.ascontiguousarray(steps[1].T, dtype=np.float32)]
    seen = np.ones(len(rects), dtype=np.bool_)
    for k, rect in enumerate(rects):
        left, top, right, bottom = (round(float(side)) for side in rect)
        inside = soft[max(top, 0) : max(bottom, 1), max(left, 0) : max(right, 1)]
        paper = float(np.percentile(inside, 75)) if inside.size else 0.0
        for axis, picture in enumerate(pictures):
            for end in (0, 2):
                # Part by part, or a slanting frame would pass.
                parts = _parts_along(picture, rect[axis + end], rect[[1 - axis, 3 - axis]])
                seen[k] &= bool((parts > FRAME_STEP * paper).all())
    return seen


def _parts_along(picture: FloatImage, side: float, ends: npt.NDArray[np.float64]) -> FloatImage:
    """How steep the brightness is at an upright side from ends[0] to ends[1], part by part: [FRAME_PARTS]."""
    across = round(float(side))
    rows = slice(max(0, round(float(ends[0])) + 3), max(0, round(float(ends[1])) - 3))
    length = (min(rows.stop, len(picture)) - rows.start) // FRAME_PARTS
    if across < FRAME_REACH or across + FRAME_REACH >= picture.shape[1] or length < 1:
        return np.zeros(FRAME_PARTS, dtype=np.float32)
    strip = picture[rows, across - FRAME_REACH : across + FRAME_REACH + 1][: FRAME_PARTS * length]
    middle = np.partition(strip.reshape(FRAME_PARTS, length, -1), length // 2, axis=1)[:, length // 2]
    return np.asarray(middle.max(axis=1), dtype=np.float32)


def _profile_along(picture: FloatImage, side: float, ends: npt.NDArray[np.float64], reach: int) -> FloatImage:
    """How steep the brightness is up to `reach` px beside an upright side from ends[0] to ends[1]: [2 * reach + 1]."""
    across = round(float(side))
    rows = slice(max(0, round(float(ends[0])) + 3), max(0, round(float(ends[1])) - 3))
    if across - reach < 0 or across + reach >= picture.shape[1] or rows.stop - rows.start < 4:
        return np.zeros(2 * reach + 1, dtype=np.float32)
    return np.asarray(np.median(picture[rows, across - reach : across + reach + 1], axis=0), dtype=np.float32)


def _peak(profile: FloatImage) -> float:
    """Where a profile is highest, px from its middle; nearer places are preferred a little."""
    reach = len(profile) // 2
    pull = 1 - 0.5 * np.abs(np.arange(-reach, reach + 1)) / max(reach, 1)
    smooth = cv2.GaussianBlur(profile.astype(np.float32).reshape(-1, 1), (0, 0), 1.0).ravel() * pull
    return float(np.argmax(smooth) - reach) if smooth.max() > 0 else 0.0
