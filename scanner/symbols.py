"""Printed symbols under the ink: a solid heart or star becomes the paper that was written on.

All hearts of a sheet are printed alike, and so are all stars, while what is written on them differs. So the cells with
the same symbol are laid over each other, and at each place the lightest of them shows the print alone: its plate. What
is darker in a cell than its plate is ink, wherever the printer put the symbol and however large it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

FloatImage = npt.NDArray[np.float32]
FloatImages = npt.NDArray[np.float32]

CORE = 0.3
"""Side of the square in a cell's middle, in cells, that every symbol covers most of."""
LEVEL = 85
"""Percentile of brightness in the core that is the symbol's own: what is written on it is darker."""
DARKER, LIGHTER = 0.06, 0.025
"""By how much of the paper's brightness a symbol differs from the paper, at least."""
RING = 0.12
"""Width, in cells, of the ring along a cell's edge that is paper."""
SOLID = 0.12
"""Width, in cells, from which a surface is printed and no stroke; its tips are thinner."""
BROAD = 0.2
"""Width, in cells, of the broadest stroke."""
TIP = 0.14
"""How far, in cells, a symbol's tips reach beyond what is solid."""
LEAST_AREA, MOST_AREA = 0.03, 0.65
"""Share of a cell that a symbol covers."""
MOST_SHIFT = 2
"""Pixels by which a cell may lie beside the others."""
TRUNCATED = 0.12
"""Difference of brightness from which two cells hold different ink, however different."""
STAY = 1e-4
"""What a pixel of shift costs, as a difference of brightness, so that none is chosen for nothing."""
WIDEST = 4.0
"""Pixels of an edge's blur on each side, at most."""
LEAST_CONTRAST = 0.12
"""Least difference between a symbol and the ink on it, as a share of the paper's brightness; below it grain would be
taken for ink."""
HALO = 0.12
"""By how much a symbol's edge may be darker than its inside, as a share of the paper's brightness."""
SMOOTH = 0.6
"""Standard deviation, px, of what takes the grain out of a symbol's surface."""
STROKE_AREA, LEAST_INK = 0.02, 0.28
"""Share of a cell that the thinnest stroke covers, and the share of the sheet's usual ink that it has at least; what is
left of an unwritten symbol is fainter. Of 144 digits that four held-out writers wrote on symbols the faintest has
0.30."""


@dataclass(frozen=True, slots=True, eq=False)
class Plate:
    """A printed symbol, as all its cells together show it.

    cells: which of the sheet's cells, int64 [n]. reflectance: of each cell, 1 for its paper, float32 [n, side, side].
    level: the symbol's reflectance. lightest: of all cells, smoothed a little, float32 [side, side]. mask: bool
    [side, side], where the symbol is. shifts: (down, across) px, by which each cell lies beside mask and lightest.
    """

    cells: npt.NDArray[np.int64]
    reflectance: FloatImages
    level: float
    lightest: FloatImage
    mask: npt.NDArray[np.bool_]
    shifts: tuple[tuple[int, int], ...]

    @property
    def contrast(self) -> float:
        """How clearly the symbol differs from the paper: a difference as large as it must be at least is 1."""
        return abs(1 - self.level) / (DARKER if self.level < 1 else LIGHTER)


def plate_of(cells: npt.NDArray[np.int64], gray: FloatImages) -> Plate | None:
    """The symbol that is printed in these cells; null if there is none in all of them (or all but one of many).

    gray: brightness of the cells, any unit, float32 [n, side, side].
    """
    reflectance = _reflectance(gray)
    level = _common_level(reflectance)
    if level is None:
        return None
    smooth = np.stack([cv2.blur(one, (3, 3), borderType=cv2.BORDER_REPLICATE) for one in reflectance])
    shifts = [(0, 0), *(_shift(smooth[0], other) for other in smooth[1:])]
    lightest = np.max([_moved(one, (-dy, -dx)) for one, (dy, dx) in zip(smooth, shifts, strict=True)], axis=0)
    if level < 1:
        mask = _solid(lightest < (1 + level) / 2)
    else:  # strokes that lie on a light symbol in all cells part it
        parts = (lightest > (1 + level) / 2).astype(np.uint8)
        mask = _solid(cv2.morphologyEx(parts, cv2.MORPH_CLOSE, _disc(BROAD * len(parts))) > 0)
    if not LEAST_AREA < mask.mean() < MOST_AREA:
        return None
    return Plate(cells, reflectance, level, np.asarray(lightest, dtype=np.float32), mask, tuple(shifts))


def _reflectance(gray: FloatImages) -> FloatImages:
    """Brightness by that of the paper, which the ring along each cell's edge shows."""
    side = gray.shape[1]
    width = max(2, round(RING * side))
    ring = np.ones((side, side), dtype=np.bool_)
    ring[width:-width, width:-width] = False
    paper = np.percentile(gray[:, ring], 60, axis=1)
    return np.asarray(gray / np.maximum(paper, 1e-3)[:, None, None], dtype=np.float32)


def _common_level(reflectance: FloatImages) -> float | None:
    """The brightness that the middles of the cells have in common where it isn't that of paper."""
    side = reflectance.shape[1]
    start = round((1 - CORE) / 2 * side)
    core = reflectance[:, start : side - start, start : side - start].reshape(len(reflectance), -1)
    levels = np.sort(np.percentile(core, LEVEL, axis=1))
    # Of many one may be covered by ink, or lie in the light.
    few = len(levels) < 3
    if levels[-1 if few else -2] < 1 - DARKER or levels[0 if few else 1] > 1 + LIGHTER:
        return float(np.median(levels))
    return None


def _shift(reference: FloatImage, other: FloatImage) -> tuple[int, int]:
    """By how many px (down, across) the other cell's symbol lies beside the reference's."""
    inner = reference[MOST_SHIFT:-MOST_SHIFT, MOST_SHIFT:-MOST_SHIFT]
    moved = np.lib.stride_tricks.sliding_window_view(other, inner.shape)
    off = np.minimum(np.abs(moved - inner), TRUNCATED).mean(axis=(2, 3))
    steps = np.abs(np.arange(-MOST_SHIFT, MOST_SHIFT + 1))
    down, across = np.unravel_index(int((off + STAY * (steps[:, None] + steps)).argmin()), off.shape)
    return int(down) - MOST_SHIFT, int(across) - MOST_SHIFT


def _moved(image: FloatImage, by: tuple[int, int]) -> FloatImage:
    """The picture moved by (down, across) px; its edge goes on outside."""
    down, across = by
    if not (down or across):
        return image
    side = image.shape[0]
    rows = np.clip(np.arange(side) - down, 0, side - 1)
    cols = np.clip(np.arange(side) - across, 0, side - 1)
    return np.asarray(image[np.ix_(rows, cols)])


def _disc(width: float) -> npt.NDArray[np.uint8]:
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (round(width) | 1,) * 2)
    return np.asarray(disc, dtype=np.uint8)


def _solid(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """The largest solid surface with its tips, without strokes and holes."""
    side = mask.shape[0]
    surface = mask.astype(np.uint8)
    opened = cv2.morphologyEx(surface, cv2.MORPH_OPEN, _disc(SOLID * side))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(opened)
    if count < 2:
        return np.zeros_like(mask)
    core = (labels == 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())).astype(np.uint8)
    # Strokes are dark like the symbol; where they leave it, only what is as near as a tip can be is kept.
    near = cv2.dilate(core, np.ones((2 * round(TIP * side) + 1,) * 2, np.uint8))
    kept = ((near > 0) & mask).astype(np.uint8)
    outlines, _ = cv2.findContours(kept, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = np.zeros_like(surface)
    cv2.fillPoly(filled, [max(outlines, key=cv2.contourArea)], (1,))
    return np.asarray(filled > 0)


def lifted(plate: Plate, density: FloatImages, typical_ink: float, seen_ink: float | None = None) -> FloatImages:
    """Ink density of the plate's cells without the symbol.

    density: of these cells as if the symbol were ink, float32 [n, side, side]. typical_ink: density of the ink
    elsewhere on the sheet, 0 to 1; seen_ink: the same in the plate's own colour, where it is one of the picture's.
    Returns float32 [n, side, side].
    """
    seen_ink = typical_ink if seen_ink is None else seen_ink
    result = np.empty_like(density)
    sigma = _edge_blur(plate)
    small, wide = np.ones((3, 3), np.uint8), np.ones((2 * round(2 * sigma) + 3,) * 2, np.uint8)
    for k, (cell, shift) in enumerate(zip(plate.reflectance, plate.shifts, strict=True)):
        mask = _moved(plate.mask.astype(np.float32), shift)
        core, near = cv2.erode(mask, small) > 0.5, cv2.dilate(mask, wide) > 0.5
        level = float(np.percentile(cell[core], LEVEL)) if core.any() else plate.level
        level = float(np.clip(level, 0.85 * plate.level, 1.15 * plate.level))
        print_alone = (1 + (level - 1) * cv2.GaussianBlur(mask, (0, 0), sigma)).astype(np.float32)
        # Cameras sharpen: along its edge a dark symbol is darker than inside, and the plate shows it.
        edge = near & (cv2.erode(mask, wide) < 0.5)
        halo = np.clip(_moved(plate.lightest, shift) * level / plate.level, level - HALO, None)
        print_alone = np.where(edge, np.minimum(print_alone, halo), print_alone)
        # The darkest that the print may be there, if it lies a little beside the plate.
        print_alone = np.asarray(cv2.erode(print_alone, small, borderType=cv2.BORDER_REPLICATE), dtype=np.float32)
        grain = 1.48 * float(np.median(np.abs(cell - cv2.blur(cell, (3, 3)))))
        ink = min(1 - seen_ink, level - LEAST_CONTRAST)
        over = (print_alone - cv2.GaussianBlur(cell, (0, 0), SMOOTH) - grain) / np.maximum(
            print_alone - ink, LEAST_CONTRAST
        )
        found = np.clip(over, 0, 1) * typical_ink
        result[k] = np.minimum(density[k], np.where(near, found, density[k]))
        if float(np.percentile(result[k], 100 * (1 - STROKE_AREA))) < LEAST_INK * typical_ink:
            result[k] = 0
    return result


def _edge_blur(plate: Plate) -> float:
    """Standard deviation, px, of the blur along the symbol's outline: the photo's, and how far cells lie beside it."""
    share = (plate.lightest - 1) / (plate.level - 1)
    band = np.ones((2 * round(WIDEST) + 1,) * 2, np.uint8)
    mask = plate.mask.astype(np.uint8)
    edge = (cv2.dilate(mask, band) > 0) & (cv2.erode(mask, band) == 0)
    perimeter = float(np.count_nonzero(cv2.dilate(mask, np.ones((3, 3), np.uint8)))) - float(mask.sum())
    # Between a fifth and four fifths of the step a Gaussian edge is 1.7 standard deviations wide.
    width = float((edge & (share > 0.2) & (share < 0.8)).sum()) / max(perimeter, 1.0)
    return float(np.clip(width / 1.7, 0.5, WIDEST / 2))


def plates_of(groups: Sequence[npt.NDArray[np.int64]], gray: FloatImages) -> tuple[Plate, ...]:
    """The plates that are there. groups: cells that have the same symbol. gray: of all cells [cells, side, side]."""
    plates = (plate_of(group, gray[group]) for group in groups if len(group))
    return tuple(plate for plate in plates if plate is not None)
