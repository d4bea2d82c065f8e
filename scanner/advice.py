"""What to try when no sheet was found: by what can be seen of the photo, and by what was looked for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scanner.intake import Photo
from scanner.locate import NotFound
from scanner.templates import Template

# Of 18 real photos (newspapers and calendars, phones of 2011 to 2023) each stays on the good side of these by a quarter
# at least; blurred by a Gaussian of 8 px at 1,000 px width, each falls below the last one.
DARK = 100
"""Brightness (0 to 255) that the brightest twentieth of a picture of paper exceeds."""
FLAT = 35
"""Least difference between the darkest and the brightest twentieth."""
BLURRED = 0.1
"""Steepest step between neighbours (all but 0.5 % are less steep) as a share of that difference."""
SMALL = 100
"""Pixels of the shorter side below which no sheet can be read."""
USUAL = "photograph the whole sheet from above, sharp and in even light"


def advice(photo: Photo, why: NotFound, templates: Sequence[Template]) -> str:
    """The remedy of a `no-sheet` problem, one clause or two. templates: those that were looked for."""
    parts = [_about_the_picture(photo)]
    if len(templates) == 1:
        parts.append(f"only {templates[0].title} was looked for, without --template every known sheet is")
    elif why.unknown:
        parts.append("`padscore templates list` names the sheets that can be read")
    return "; ".join(parts)


def _about_the_picture(photo: Photo) -> str:
    if photo.incomplete:
        return "copy the file again, or take a new photo"
    if min(photo.size) < SMALL:
        return "give the photo in its full size"
    dark, bright = (float(level) for level in np.percentile(photo.gray, [5, 95]))
    if bright < DARK:
        return "the picture is dark: photograph the sheet in more light"
    if bright - dark < FLAT:
        return "the picture has hardly any contrast: photograph the whole sheet, in more light and without haze"
    steps = np.abs(np.diff(photo.gray.astype(np.int16), axis=1))
    if steps.size and float(np.percentile(steps, 99.5)) < BLURRED * (bright - dark):
        return "the picture is blurred: hold still, wait for the focus, or go nearer"
    return USUAL
