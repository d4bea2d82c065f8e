"""`Photo`: one decoded page, the only form in which pictures travel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

ByteImage = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Photo:
    """One page as a viewer shows it, decoded at no more than the size needed.

    source: the file's name as the user gave it. page: counts from 1, as in the file.
    rgb: uint8 [h, w, 3], 0 to 255, sRGB assumed, EXIF orientation applied; possibly read-only.
    size: (width, height) in pixels of the full picture as a viewer shows it (EXIF applied).
    warnings: sentences for the user about what is wrong with the file, e.g. that a part is missing.
    incomplete: a part of the picture is missing, as the file is cut off or damaged.
    """

    source: str
    page: int
    rgb: ByteImage
    size: tuple[int, int]
    warnings: tuple[str, ...] = ()
    incomplete: bool = False

    def __post_init__(self) -> None:
        if self.rgb.dtype != np.uint8 or self.rgb.ndim != 3 or self.rgb.shape[2] != 3:
            raise ValueError(f"rgb: expected uint8 [h, w, 3], got {self.rgb.dtype} {list(self.rgb.shape)}")

    @property
    def scale(self) -> float:
        """Full-size pixels per pixel of `rgb`, at least 1 (measured on the longer side).

        Corners of pixels count, not their middles: full = (x + 0.5) * scale - 0.5.
        """
        return float(max(self.size) / max(self.rgb.shape[:2]))

    @cached_property
    def gray(self) -> ByteImage:
        """Luma of `rgb`, uint8 [h, w]; computed once."""
        import cv2  # here, so that whoever only wants a Photo doesn't wait for OpenCV

        return np.asarray(cv2.cvtColor(self.rgb, cv2.COLOR_RGB2GRAY), dtype=np.uint8)
