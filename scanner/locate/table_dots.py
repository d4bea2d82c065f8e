"""A picture whose dotted and dashed lines are drawn through, so that they can be found as lines."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

GrayImage = npt.NDArray[np.uint8]

THIN = 0.009
"""Width of what may be a line's dot, as a share of the picture's long side."""
REACH = 0.015
"""Length over which dots are joined, the same: the gaps of a dotted line are much smaller, digits no longer."""
USUAL_RANK = 97
"""Percentile of the darkness along lines that is drawn as a full line."""
PAPER, INK = 255, 55
"""Grey levels of what is drawn."""
DARKEST = 20.0
"""Grey level below which paper isn't told from ink by the share of light that it takes."""


def joined_dots(gray: GrayImage) -> GrayImage:
    """A picture [h, w] with dark lines where dots lie in a level or an upright row, whole lines staying as they are.

    Writing gets blurred: it is for finding lines only.
    """
    long_side = max(gray.shape)
    thin, reach = (max(3, round(share * long_side)) | 1 for share in (THIN, REACH))
    paper = cv2.morphologyEx(gray, cv2.MORPH_CLOSE, np.ones((thin, thin), np.uint8)).astype(np.float32)
    dark = (paper - gray) / np.maximum(paper, DARKEST)
    along = np.maximum(cv2.blur(dark, (reach, 1)), cv2.blur(dark, (1, reach)))
    usual = max(float(np.percentile(along, USUAL_RANK)), 1e-3)
    return np.asarray(PAPER - (PAPER - INK) * np.clip(along / usual, 0, 1), dtype=np.uint8)
