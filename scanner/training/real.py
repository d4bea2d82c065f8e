"""Cells of real photos with truth, cut by the product's own chain, with several disturbed versions of each photo."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from scanner.cells import cut
from scanner.geometry import FloatArray, Homography
from scanner.intake import Photo, load
from scanner.locate import NotFound, Placement, locate
from scanner.read.classes import CLASSES
from scanner.templates import get_template
from scanner.training.calendar_ink import handwritten
from scanner.training.fonts import Split
from scanner.training.sheets import UNKNOWN_INK, Labelled
from scanner.training.split import photo_split

FOLDERS = ("sudoku-newspaper", "sudoku-calendar", "sudoku-handwritten")


@dataclass(frozen=True, slots=True)
class TruePhoto:
    """A photo of the development data. cells: true contents by id. corners: px [4, 2] of the full picture, or null."""

    path: Path
    split: Split
    cells: tuple[tuple[str, int | str | None], ...]
    corners: FloatArray | None


def true_photos(shared: Path) -> Iterator[TruePhoto]:
    """All photos with truth under `shared`, in a fixed order."""
    for folder in FOLDERS:
        for truth in sorted((shared / folder).glob("*.json")):
            record = json.loads(truth.read_text(encoding="utf-8"))
            corners = np.asarray(record["corners"], dtype=np.float64) if "corners" in record else None
            split = photo_split(folder, truth.stem, record["cells"])
            yield TruePhoto(truth.with_suffix(".jpg"), split, tuple(record["cells"].items()), corners)


TOP_AT: Mapping[str, int] = {"image1038": 1, "image1043": 1, "image1083": 2}
"""Photos of sheets on their side or upside down whose true corners begin at the picture's top left anyway: quarter
turns, clockwise, from there to the sheet's top left. Found by looking at every photo that is not upright."""


def upright(placement: Placement, photo: TruePhoto, scale: float) -> Placement:
    """The placement turned so that its corners agree with the true ones (px of the full picture)."""
    if photo.corners is None:
        return placement
    corners = np.roll(photo.corners, -TOP_AT.get(photo.path.stem, 0), axis=0)
    turned = [placement.turned(k) for k in range(4)]
    return min(turned, key=lambda p: float(np.abs(p.corners * scale - corners).max()))


def _the_true_one(found: tuple[Placement, ...], corners: FloatArray | None, scale: float) -> Placement:
    """The sheet whose middle is nearest to the true one's; the largest where that isn't known."""
    if corners is None:
        return found[0]
    middle = corners.mean(axis=0) / scale
    return min(found, key=lambda placement: float(np.linalg.norm(placement.corners.mean(axis=0) - middle)))


def _disturbed(photo: Photo, rng: np.random.Generator) -> Photo:
    """The photo as a worse camera would have it: smaller, blurred, other light, coarser JPEG; same px coordinates."""
    height, width = photo.rgb.shape[:2]
    rgb = photo.rgb.astype(np.float32)
    ramp = np.linspace(0, 1, width, dtype=np.float32)[None, :, None]
    fall = 1 - float(rng.uniform(0, 0.35)) * (ramp if rng.random() < 0.5 else 1 - ramp)
    rgb = rgb * np.asarray(float(rng.uniform(0.55, 1.1)) * fall, dtype=np.float32)
    small = cv2.resize(rgb, None, fx=(s := float(rng.uniform(0.45, 1.0))), fy=s, interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), float(rng.uniform(0.3, 1.1)))
    small = small + rng.normal(0, rng.uniform(0.3, 5), small.shape)
    quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.uniform(35, 95))]
    coded = cv2.imencode(".jpg", np.clip(small, 0, 255).astype(np.uint8), quality)[1]
    decoded = cv2.imdecode(coded, cv2.IMREAD_COLOR_RGB)
    assert decoded is not None
    back = cv2.resize(decoded, (width, height), interpolation=cv2.INTER_LINEAR)
    return Photo(photo.source, photo.page, np.asarray(back, dtype=np.uint8), photo.size)


def _nudged(placement: Placement, rng: np.random.Generator) -> Placement:
    """The placement off by a few percent of a cell, as a worse fit would be."""
    grid = placement.template.grid
    assert grid is not None
    size = np.array([grid.cols, grid.rows], dtype=np.float64)
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * size
    moved = square + rng.normal(0, 0.03, (4, 2))
    shift = cv2.getPerspectiveTransform(square.astype(np.float32), moved.astype(np.float32))
    return replace(placement, lattice=Homography(placement.lattice @ shift))


def real_cells(photo: TruePhoto, versions: int, seed: int) -> Labelled | None:
    """Cells of one photo, as it is and in `versions` disturbed versions; null when the sheet isn't found."""
    rng = np.random.default_rng(seed)
    picture = next(iter(load(photo.path)))
    found = locate(picture, [get_template("sudoku")])
    if isinstance(found, NotFound):
        return None
    truth = dict(photo.cells)
    placement = upright(_the_true_one(found, photo.corners, picture.scale), photo, picture.scale)
    pictures: list[npt.NDArray[np.uint8]] = []
    classes: list[int] = []
    for version in range(versions + 1):
        batch = cut(_disturbed(picture, rng), _nudged(placement, rng)) if version else cut(picture, placement)
        pictures.append(batch.ink)
        classes += [CLASSES.index("blank" if truth[cell] is None else str(truth[cell])) for cell in batch.ids]
    labels = np.asarray(classes, dtype=np.int64)
    return Labelled(np.concatenate(pictures), labels, np.tile(_true_ink(photo, batch.ids, truth), versions + 1))


def _true_ink(photo: TruePhoto, ids: tuple[str, ...], truth: dict[str, int | str | None]) -> npt.NDArray[np.int64]:
    """0 hand, 1 print, 2 unknown for each cell: newspapers are printed, calendars were judged by eye."""
    folder = photo.path.parent.name
    by_hand = handwritten("_".join(photo.path.stem.split("_")[1:3]))

    def kind(cell: str) -> int:
        value = truth[cell]
        if value is None or folder == "sudoku-handwritten":
            return UNKNOWN_INK
        return 0 if value == "candidates" or cell in by_hand else 1

    return np.array([kind(cell) for cell in ids], dtype=np.int64)
