"""Ways of seeing what may be cells of a table: between dark lines, white ones, dots, edges of colours, faint lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from scanner.locate.candidates import Patches, Threshold, find_patches
from scanner.locate.prepare import smoothed
from scanner.locate.table_bands import with_band_edges
from scanner.locate.table_dots import joined_dots
from scanner.locate.table_faint import faint_lines
from scanner.locate.table_frame import PALE_GROUND, on_paper

GrayImage = npt.NDArray[np.uint8]

THRESHOLDS = (Threshold(0.031, 7.0), Threshold(0.02, 2.0, smooth=0.8, thin=0.02), Threshold(0.061, 4.0))
"""Ways of telling cells from lines, tried until a table is found."""
PALE_THRESHOLDS = (Threshold(0.031, 7.0), Threshold(0.041, 3.0, smooth=0.8))
"""The same for coloured cells between white lines, after the others: in a picture turned to its negative."""
FAINT_THRESHOLD = Threshold(0.031, 15.0)
"""The same in a picture that shows nothing but lines, see `faint_lines`."""
LONGEST = 12.0
"""How many times as wide as high a cell may be, or the other way round."""


@dataclass(frozen=True, eq=False, slots=True)
class Sight:
    """One way of seeing cells. picture: uint8 [h, w] in which they are told from lines, to follow these in it, too.

    pale: between white lines.
    """

    picture: npt.NDArray[np.uint8]
    patches: Patches
    pale: bool = False


@dataclass(frozen=True, slots=True)
class Look:
    """How cells may be seen in a picture. last_resort: needless where there is a whole table already.

    strict: lines are seen that may well be none, and have to fit a template better than others do.
    """

    see: Callable[[GrayImage], Sight]
    last_resort: bool = False
    strict: bool = False


def looks(*, faint_first: bool) -> list[Look]:
    """All ways of seeing cells, in their order.

    faint_first: faint lines before white ones, which are rarer where it is known how many there have to be. Where any
    number will do they come last, since a coloured field has faint edges.
    """
    dark = [Look(partial(_between_dark_lines, threshold)) for threshold in THRESHOLDS]
    pale = [Look(partial(_between_white_lines, threshold)) for threshold in PALE_THRESHOLDS]
    dotted, banded = (Look(partial(_redrawn, draw), last_resort=True) for draw in (joined_dots, with_band_edges))
    faint = Look(partial(_redrawn, faint_lines), last_resort=True, strict=True)
    # A cloth's checks have as many edges as some printing has lines: bands are for open tables only.
    return [*dark, faint, *pale, dotted] if faint_first else [*dark, *pale, dotted, banded, faint]


def _between_dark_lines(threshold: Threshold, working: GrayImage) -> Sight:
    found = find_patches(smoothed(working, threshold.smooth), threshold, longest=LONGEST)
    return Sight(working, on_paper(working, found))


def _between_white_lines(threshold: Threshold, working: GrayImage) -> Sight:
    negative = np.asarray(255 - working, dtype=np.uint8)
    found = find_patches(smoothed(negative, threshold.smooth), threshold)
    return Sight(working, on_paper(working, found, PALE_GROUND), pale=True)


def _redrawn(draw: Callable[[GrayImage], GrayImage], working: GrayImage) -> Sight:
    """In a picture in which lines are drawn that are hard to see, or that are none."""
    shown = draw(working)
    found = find_patches(shown, FAINT_THRESHOLD if draw is faint_lines else THRESHOLDS[0], longest=LONGEST)
    return Sight(shown, on_paper(working, found))
