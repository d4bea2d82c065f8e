"""Whatever a picture shows, a scan ends with sheets or with a problem that says why there are none; it never fails."""

from __future__ import annotations

import io
from collections.abc import Callable

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from app_runner import ROOT, SAMPLE
from PIL import Image

from scanner.intake import load
from scanner.scan import scan
from scanner.templates import load_templates

Picture = npt.NDArray[np.uint8]
TEMPLATES = list(load_templates().values())
SAMPLES = (SAMPLE, ROOT / "samples" / "splitter-a-1.jpg")


def _warped(picture: Picture, seed: int, border: int) -> Picture:
    """Seen so that its corners lie anywhere, inside the picture or out of it; what is outside is made up."""
    height, width = picture.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
    moved = corners + np.random.default_rng(seed).normal(0, 0.25 * width, (4, 2))
    matrix = cv2.getPerspectiveTransform(corners, moved.astype(np.float32))
    return np.asarray(cv2.warpPerspective(picture, matrix, (width, height), borderMode=border), dtype=np.uint8)


def _ruled(across: int, down: int, thick: int) -> Picture:
    page = np.full((700, 700, 3), 230, dtype=np.uint8)
    page[::down] = page[:, ::across] = 40
    return np.asarray(cv2.erode(page, np.ones((thick, thick))), dtype=np.uint8)


OF_A_SAMPLE: dict[str, Callable[[Picture], Picture]] = {
    "mirrored": lambda picture: np.ascontiguousarray(picture[:, ::-1]),
    "negative": lambda picture: 255 - picture,
    "a corner of it": lambda picture: np.ascontiguousarray(picture[: len(picture) // 2, : len(picture) // 3]),
    "a strip of it": lambda picture: np.ascontiguousarray(picture[len(picture) // 2 :][:40]),
    "squeezed": lambda picture: np.asarray(cv2.resize(picture, (900, 90)), dtype=np.uint8),
    "tiny": lambda picture: np.asarray(cv2.resize(picture, (80, 60)), dtype=np.uint8),
    "warped": lambda picture: _warped(picture, 1, cv2.BORDER_CONSTANT),
    "warped, edges drawn out": lambda picture: _warped(picture, 2, cv2.BORDER_REPLICATE),
    "warped, edges mirrored": lambda picture: _warped(picture, 3, cv2.BORDER_REFLECT),
}
OTHERS: dict[str, Callable[[], Picture]] = {
    "one pixel": lambda: np.zeros((1, 1, 3), np.uint8),
    "a line": lambda: np.full((2, 900, 3), 200, np.uint8),
    "noise": lambda: np.random.default_rng(1).integers(0, 256, (400, 500, 3), dtype=np.uint8),
    "wide ruling": lambda: _ruled(90, 35, 3),
    "narrow ruling": lambda: _ruled(17, 23, 2),
}


def _scanned(picture: Picture) -> None:
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "PNG")
    result = scan(file.getvalue(), name="picture", templates=TEMPLATES)
    assert bool(result.sheets) != bool(result.problems)
    for problem in result.problems:
        assert problem.code == "no-sheet"
        assert problem.message.startswith("picture: no sheet found, ")
        assert problem.message.isprintable()


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("change", OF_A_SAMPLE)
def test_a_sample_as_nobody_would_photograph_it(change: str, sample: object) -> None:
    (photo,) = load(str(sample), long_side=1000)
    _scanned(OF_A_SAMPLE[change](photo.rgb))


@pytest.mark.parametrize("kind", OTHERS)
def test_what_is_no_sheet_at_all(kind: str) -> None:
    _scanned(OTHERS[kind]())
