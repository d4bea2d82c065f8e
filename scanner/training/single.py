"""Single handwritten digits, MNIST's and the Swiss writers', as crops: as they are and in disturbed versions.

They take the path that `padscore digits` takes (`scanner.crops`), so that the reader knows digits of any source.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image

from scanner.crops import pictures_of
from scanner.training.fonts import Split
from scanner.training.glyphs import SWISS_FIXES, read_idx
from scanner.training.sheets import Labelled, joined
from scanner.training.split import swiss_split

Crop = npt.NDArray[np.uint8]

BATCH = 2048
SIDE_PX = (15.0, 64.0)
"""Longer side of a disturbed crop, as a poor or a good photo has it."""
BLUR = (0.004, 0.04)
"""Standard deviation of its blur, as a share of the side."""
NOISE = (0.3, 7.0)
"""Standard deviation of its noise, grey levels."""
CONTRAST = (0.30, 1.0)
"""What is left of its ink."""
TURN, SHEAR, STRETCH = 7.0, 0.14, 0.12
"""Standard deviation of turning in degrees, of slanting and of stretching (of the logarithm)."""


def mnist_crops(shared: Path, stem: str = "train") -> tuple[list[Crop], list[int]]:
    """One of MNIST's two files, dark ink on light paper, with the digits. stem: "train" or "t10k"."""
    images = read_idx(shared / "mnist" / f"{stem}-images-idx3-ubyte.gz")
    labels = read_idx(shared / "mnist" / f"{stem}-labels-idx1-ubyte.gz")
    return [np.ascontiguousarray(255 - image) for image in images], labels.astype(int).tolist()


def swiss_crops(shared: Path, split: Split | frozenset[int]) -> tuple[list[Crop], list[int]]:
    """The Swiss crops of one part, or of some writers, with the digits, known mistakes of the labels set right."""
    crops, digits = [], []
    for path in sorted((shared / "digits-swiss").glob("[0-9]/*.png")):
        writer = int(path.name.split("-")[0])
        if (writer in split) if isinstance(split, frozenset) else (swiss_split(writer) == split):
            with Image.open(path) as picture:
                crops.append(np.asarray(picture.convert("L"), dtype=np.uint8))
            digits.append(SWISS_FIXES.get(f"{path.parent.name}/{path.name}", int(path.parent.name)))
    return crops, digits


def cells_of(crops: list[Crop], digits: list[int], versions: int, seed: int) -> Labelled:
    """All crops as the reader sees them, as they are and in `versions` disturbed versions."""
    rng = np.random.default_rng(seed)
    pictures = [pictures_of(part) for version in range(versions + 1) for part in _batches(crops, version, rng)]
    labels = np.tile(np.asarray(digits, dtype=np.int64), versions + 1)
    return Labelled(np.concatenate(pictures), labels, np.zeros(len(labels), dtype=np.int64))


def single_digits(
    shared: Path, split: Split | frozenset[int], versions: int, seed: int, *, mnist_versions: int = 1
) -> Labelled:
    """Cells of a part's Swiss writers, for training also those of MNIST's training file."""
    parts = [cells_of(*swiss_crops(shared, split), versions, seed)]
    if split == "train" or isinstance(split, frozenset):
        parts.append(cells_of(*mnist_crops(shared), mnist_versions, seed + 1))
    return joined(parts)


def _batches(crops: list[Crop], version: int, rng: np.random.Generator) -> Iterator[list[Crop]]:
    for start in range(0, len(crops), BATCH):
        part = crops[start : start + BATCH]
        yield [disturbed(crop, rng) for crop in part] if version else part


def disturbed(crop: Crop, rng: np.random.Generator) -> Crop:
    """The crop slanted and stretched, as a worse photo has it: uint8 [h, w], of another size."""
    paper = float(np.percentile(crop, 90))
    high, wide = crop.shape
    scale = float(np.exp(rng.uniform(*np.log(SIDE_PX)))) / max(high, wide)
    angle = np.radians(rng.normal(0, TURN))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    shear = np.array([[1.0, rng.normal(0, SHEAR)], [0.0, 1.0]])
    matrix = turn @ shear @ np.diag(np.exp(rng.normal(0, STRETCH, 2))) * scale
    ends = np.abs(matrix) @ np.array([wide, high])
    size = np.maximum(np.ceil(ends) + 4, 8).astype(int)
    shift = size / 2 - matrix @ np.array([wide / 2, high / 2])
    # Averaged before it shrinks, or thin strokes fall between the pixels.
    soft = cv2.GaussianBlur(crop, (0, 0), 0.4 / scale) if scale < 0.7 else crop
    moved = cv2.warpAffine(
        soft,
        np.hstack([matrix, shift[:, None]]),
        (int(size[0]), int(size[1])),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=(paper,),
    )
    faint: npt.NDArray[np.floating] = paper - (paper - moved.astype(np.float32)) * float(rng.uniform(*CONTRAST))
    sigma = float(np.exp(rng.uniform(*np.log(BLUR)))) * max(size)
    if sigma > 0.25:
        faint = np.asarray(cv2.GaussianBlur(faint, (0, 0), sigma), dtype=np.float32)
    grainy = faint + rng.normal(0, rng.uniform(*NOISE), faint.shape)
    return np.asarray(np.clip(grainy, 0, 255), dtype=np.uint8)
