"""From the flat sheet to a photo of it: pose, bent paper, table, light and shadow, lens, sensor, JPEG."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image

from scanner.geometry import FloatArray
from scanner.simulate.camera import HORIZON, Bend, Camera, choose_bend, choose_camera, choose_rotation
from scanner.simulate.canvas import Canvas, FloatImage, blurred, smooth_noise
from scanner.simulate.ranges import Ranges, between
from scanner.simulate.surroundings import TEXTURE_MM, TEXTURE_PX, put_thumb, table_top

ByteImage = npt.NDArray[np.uint8]
MAP_STEP = 8
"""Pixels between the points whose place on the sheet is computed; the bend is smooth in between."""
MOST_SAMPLES = 4
"""Samples of the sheet to a pixel, along each side, that are taken at most."""


@dataclass(frozen=True, eq=False)
class Shot:
    """A photo before its JPEG. rgb: uint8 [h, w, 3].

    corners: of each sheet's lattice, px [4, 2], the template's top left first.
    """

    rgb: ByteImage
    corners: tuple[FloatArray, ...]
    quality: int


@dataclass(frozen=True, eq=False)
class View:
    """A sheet of the scene. camera: in the coordinates of the flat sheet. lattice: its corners, px [4, 2]."""

    canvas: Canvas
    bend: Bend
    camera: Camera
    lattice: FloatArray


def choose_sheet_bend(canvas: Canvas, rng: np.random.Generator, ranges: Ranges) -> Bend:
    """The bend of a whole sheet of paper."""
    paper_mm = canvas.size
    middle = (paper_mm[0] / 2 - canvas.left, paper_mm[1] / 2 - canvas.top)
    return choose_bend(middle, max(paper_mm) / 2, rng, ranges)


def paper_corners(canvas: Canvas) -> FloatArray:
    """The paper's corners in mm of the sheet [4, 2], top left first, clockwise."""
    right, bottom = canvas.size[0] - canvas.left, canvas.size[1] - canvas.top
    return np.array([[-canvas.left, -canvas.top], [right, -canvas.top], [right, bottom], [-canvas.left, bottom]])


def photograph(
    canvas: Canvas,
    quad: FloatArray,
    whole: bool,
    size: tuple[int, int],
    quarter_turns: int,
    rng: np.random.Generator,
    ranges: Ranges,
    target_quad: FloatArray | None = None,
) -> Shot:
    """Takes a photo of size (width, height) px. quad: the lattice's corners on the sheet, mm [4, 2].

    whole: the camera takes in all of the paper rather than the lattice alone (`target_quad`, mm, where that is given).
    """
    bend = choose_sheet_bend(canvas, rng, ranges)
    lattice = bend.raised(quad)
    target = bend.raised(paper_corners(canvas) if whole else quad if target_quad is None else target_quad)
    camera = choose_camera(target, size, choose_rotation(quarter_turns, rng, ranges), rng, ranges)
    return expose([View(canvas, bend, camera, camera.project(lattice))], camera, size, rng, ranges)


def expose(
    views: Sequence[View], camera: Camera, size: tuple[int, int], rng: np.random.Generator, ranges: Ranges
) -> Shot:
    """The photo of sheets whose places are settled. camera: in the coordinates of the table."""
    scene, on_paper = _scene(views, camera, size, rng, ranges)
    if rng.random() < ranges.thumb_chance:
        hull = views[0].lattice
        if len(views) > 1:
            around = cv2.convexHull(np.concatenate([view.lattice for view in views]).astype(np.float32))
            hull = np.asarray(around, dtype=np.float64).reshape(-1, 2)
        put_thumb(scene, hull, rng)
    scene *= _light(size, on_paper, rng, ranges)
    corners = tuple(view.lattice for view in views)
    return Shot(_sensor(scene, rng, ranges), corners, round(between(rng, ranges.jpeg)))


def _scene(
    views: Sequence[View], camera: Camera, size: tuple[int, int], rng: np.random.Generator, ranges: Ranges
) -> tuple[FloatImage, FloatImage]:
    """The sheets on the table, evenly lit but for the bend: rgb [h, w, 3], and where paper is [h, w]."""
    pages = [_page(view, size, rng) for view in views]
    scene = _ground(camera, size, rng, ranges)
    side = min(size)
    everywhere: FloatImage | None = None
    for page, paper in pages:
        # The paper's own shadow on the table, wider where a side stands up.
        shift = np.array([[1, 0, rng.normal(0, 0.004) * side], [0, 1, rng.normal(0, 0.004) * side]])
        moved = np.asarray(cv2.warpAffine(paper, shift, size, borderMode=cv2.BORDER_REPLICATE), dtype=np.float32)
        cast = blurred(moved, 0.006 * side)
        scene = scene * (1 - between(rng, (0.3, 0.7)) * cast)[:, :, None]
        scene = np.asarray(scene + paper[:, :, None] * (page - scene), dtype=np.float32)
        everywhere = paper if everywhere is None else np.maximum(everywhere, paper)
    assert everywhere is not None
    return scene, everywhere


def _coarse(size: tuple[int, int]) -> tuple[FloatArray, FloatArray]:
    """Every MAP_STEP-th pixel of a photo: x and y."""
    x, y = np.meshgrid(
        np.arange(0, size[0] + MAP_STEP, MAP_STEP, dtype=np.float64),
        np.arange(0, size[1] + MAP_STEP, MAP_STEP, dtype=np.float64),
    )
    return x, y


def _page(view: View, size: tuple[int, int], rng: np.random.Generator) -> tuple[FloatImage, FloatImage]:
    """A sheet as the camera sees it, evenly lit but for the bend: rgb [h, w, 3], and where it is [h, w]."""
    canvas, bend, camera = view.canvas, view.bend, view.camera
    xs, ys = _coarse(size)

    def maps(dx: float, dy: float) -> tuple[FloatImage, FloatImage]:
        sheet_x, sheet_y = bend.sheet_at(*camera.table_at(xs + dx, ys + dy, bend))
        return (
            _enlarged((sheet_x + canvas.left) * canvas.per_mm - 0.5, size),
            _enlarged((sheet_y + canvas.top) * canvas.per_mm - 0.5, size),
        )

    map_x, map_y = maps(0.0, 0.0)
    paper = _inside(map_x, map_y, canvas)
    # A flat sheet finer than the photo is softened first, or its thin lines would flicker between the samples.
    step, longer = _steps(map_x, map_y, paper)
    flat = cv2.GaussianBlur(canvas.rgb, (0, 0), 0.4 * step) if step > 1.1 else canvas.rgb
    # Seen at a low angle a pixel covers more of the sheet along it than across: it is the mean of several samples.
    samples = int(np.clip(round(longer / max(step, 1.0)), 1, MOST_SAMPLES))
    if samples == 1:
        page = cv2.remap(flat, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    else:
        offsets = (np.arange(samples) + 0.5) / samples - 0.5
        pages, papers = [], []
        for dx, dy in ((float(dx), float(dy)) for dx in offsets for dy in offsets):
            near_x, near_y = maps(dx, dy)
            pages.append(cv2.remap(flat, near_x, near_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))
            papers.append(_inside(near_x, near_y, canvas))
        page = np.mean(pages, axis=0)
        paper = np.asarray(np.mean(papers, axis=0), dtype=np.float32)
    slope = _enlarged(bend.slope_at(*camera.table_at(xs, ys, bend)), size)
    page = page * (1 + between(rng, (-0.6, 0.6)) * np.clip(slope, -0.6, 0.6))[:, :, None]
    return np.asarray(page, dtype=np.float32), paper


def _steps(map_x: FloatImage, map_y: FloatImage, paper: FloatImage) -> tuple[float, float]:
    """Pixels of the flat sheet from one of the photo's to the next, to the right and along the longer way."""
    right = np.hypot(np.diff(map_x[::16], axis=1), np.diff(map_y[::16], axis=1))
    step = float(np.median(right))
    covered = paper[::16, 1:] > 0.5
    if not covered.any():
        return step, step
    down = np.hypot(np.diff(map_x, axis=0)[::16], np.diff(map_y, axis=0)[::16])
    here, below = float(np.median(right[covered])), float(np.median(down[:, 1:][covered[: len(down)]]))
    if max(here, below) < 1.5 * min(here, below):
        return step, step
    return min(here, below), max(here, below)


def _ground(camera: Camera, size: tuple[int, int], rng: np.random.Generator, ranges: Ranges) -> FloatImage:
    """The bare table, and behind its far edge a wall: rgb [h, w, 3]."""
    xs, ys = _coarse(size)
    bare_x, bare_y = camera.table_at(xs, ys, None)
    table = table_top(ranges.tables[int(rng.integers(len(ranges.tables)))], rng)
    angle, away = rng.uniform(0, 2 * np.pi), rng.uniform(0, TEXTURE_MM, 2)
    scale = TEXTURE_PX / TEXTURE_MM
    table_x = _enlarged((np.cos(angle) * bare_x - np.sin(angle) * bare_y + away[0]) * scale, size)
    table_y = _enlarged((np.sin(angle) * bare_x + np.cos(angle) * bare_y + away[1]) * scale, size)
    ground = cv2.remap(table, table_x, table_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    # Far away a pixel covers much of the table: there its pattern blurs into its colour.
    step = np.hypot(*(np.abs(np.diff(side, axis=0, append=side[-1:])) for side in (table_x, table_y)))
    far = np.clip((step - 1.5) / 4, 0, 1).astype(np.float32)
    if far.any():
        soft = cv2.remap(blurred(table, 8.0), table_x, table_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
        ground += cv2.blur(far, (5, 5))[:, :, None] * (soft - ground)
    descent = _enlarged(camera.descent(xs, ys), size)
    if descent.min() < HORIZON:
        wall = np.clip(0.5 + (HORIZON - descent) * max(size) / 3, 0, 1)
        colour = rng.uniform(0.25, 0.85) * np.array([1.0, rng.uniform(0.93, 1.0), rng.uniform(0.85, 1.0)])
        ground += wall[:, :, None] * (colour.astype(np.float32) - ground)
    return np.asarray(ground, dtype=np.float32)


def _enlarged(coarse: FloatArray, size: tuple[int, int]) -> FloatImage:
    """A map computed at every MAP_STEP-th pixel, for every pixel."""
    # Not by cv2.resize or warpAffine: they round the place between two samples to 1/32, too coarse for coordinates.
    rows, cols = coarse.shape
    x = np.arange(size[0]) / MAP_STEP
    y = np.arange(size[1]) / MAP_STEP
    left = np.minimum(x.astype(np.intp), cols - 2)
    top = np.minimum(y.astype(np.intp), rows - 2)
    part_x = (x - left).astype(np.float32)
    part_y = (y - top).astype(np.float32)[:, None]
    values = coarse.astype(np.float32)
    across = values[:, left] + part_x * (values[:, left + 1] - values[:, left])
    return np.asarray(across[top] + part_y * (across[top + 1] - across[top]), dtype=np.float32)


def _inside(map_x: FloatImage, map_y: FloatImage, canvas: Canvas) -> FloatImage:
    """1 on the paper, 0 beside it, with an edge about a pixel of the photo wide."""
    height, width = canvas.rgb.shape[:2]
    steps = [np.abs(np.diff(side[::16], axis=1)) for side in (map_x, map_y)]
    # Towards the horizon steps grow without end; they don't make the edges of near sheets soft.
    soft = max(0.7, float(sum(min(step.mean(), 2 * np.median(step)) for step in steps)))
    depth = np.minimum(np.minimum(map_x + 0.5, width - 0.5 - map_x), np.minimum(map_y + 0.5, height - 0.5 - map_y))
    return np.asarray(np.clip(depth / np.float32(soft) + 0.5, 0, 1), dtype=np.float32)


def _light(size: tuple[int, int], paper: FloatImage, rng: np.random.Generator, ranges: Ranges) -> FloatImage:
    """Brightness and colour of the light at every pixel: float32 [h, w, 3]."""
    width, height = size
    side = min(size)
    x = np.linspace(-1, 1, width, dtype=np.float32)[None, :]
    y = np.linspace(-1, 1, height, dtype=np.float32)[:, None]
    direction = rng.uniform(0, 2 * np.pi)
    ramp = 0.5 + 0.35 * (x * np.float32(np.cos(direction)) + y * np.float32(np.sin(direction)))
    light = 1 - np.float32(between(rng, ranges.gradient)) * ramp
    light = light * (1 - np.float32(between(rng, ranges.vignette)) * (x * x + y * y) / 2)
    if rng.random() < ranges.soft_chance:
        mask = _polygon(size, rng, 0.5)
        light = light * (1 - between(rng, ranges.soft) * blurred(mask, between(rng, (0.05, 0.16)) * side))
    if rng.random() < ranges.hard_chance:
        edge = between(rng, ranges.hard_edge) * side
        light = light * (1 - between(rng, ranges.hard) * blurred(_polygon(size, rng, 0.9), edge))
    light = light * (1 + 0.03 * smooth_noise(rng, height, width, 5))
    # The camera exposes for what it sees: the brightest paper comes out at `light`, whatever the lamp.
    bright = float(np.percentile(light[paper > 0.5], 95)) if (paper > 0.5).any() else float(light.max())
    light = light * np.float32(between(rng, ranges.light) / max(bright, 1e-3))
    warmth, tint = between(rng, ranges.warmth), between(rng, ranges.tint)
    colour = np.array([1 + warmth, 1 + tint, 1 - warmth], dtype=np.float32)
    return np.asarray(light[:, :, None] * (colour / colour.max()), dtype=np.float32)


def _polygon(size: tuple[int, int], rng: np.random.Generator, reach: float) -> FloatImage:
    """A convex shape, about a hand or a head, that comes in from a side of the photo."""
    width, height = size
    angle = rng.uniform(0, 2 * np.pi)
    middle = np.array([0.5, 0.5]) + reach * 0.6 * np.array([np.cos(angle), np.sin(angle)])
    points = middle + rng.normal(0, 0.28, (7, 2))
    hull = cv2.convexHull(np.round(points * np.array([width, height])).astype(np.int32))
    mask = np.zeros((height, width), dtype=np.float32)
    cv2.fillPoly(mask, [hull], (1.0,))
    return mask


def _sensor(scene: FloatImage, rng: np.random.Generator, ranges: Ranges) -> ByteImage:
    """What lens, sensor and the phone's own processing make of the scene."""
    height, width = scene.shape[:2]
    unit = max(height, width) / 1600
    picture = cv2.GaussianBlur(scene, (0, 0), max(0.3, between(rng, ranges.blur) * unit))
    if rng.random() < ranges.motion_chance:
        picture = cv2.filter2D(picture, -1, _streak(between(rng, ranges.motion) * unit, float(rng.uniform(0, np.pi))))
    level = between(rng, ranges.noise)
    noise = rng.normal(0, 1, (height, width, 3)).astype(np.float32)
    # Phones smooth the noise's colour more than its brightness, and both over a pixel or so.
    bright = cv2.GaussianBlur(noise.mean(axis=2, keepdims=True), (0, 0), 0.6)[:, :, None] * np.float32(2.6)
    coloured = cv2.GaussianBlur(noise, (0, 0), 1.4) * np.float32(1.6)
    picture = picture + level * np.sqrt(np.clip(picture, 0.03, 1)) * (bright + coloured) * np.float32(0.7)
    amount = between(rng, ranges.sharpen)
    picture = picture + np.float32(amount) * (picture - cv2.GaussianBlur(picture, (0, 0), 1.6 * unit))
    return np.asarray(np.clip(np.round(picture * 255), 0, 255), dtype=np.uint8)


def _streak(length: float, angle: float) -> npt.NDArray[np.float32]:
    """The kernel of a camera that moved while the shutter was open."""
    side = 2 * int(np.ceil(length)) + 3
    kernel = np.zeros((side, side), dtype=np.float32)
    middle = (side - 1) / 2
    for t in np.linspace(-0.5, 0.5, 4 * side):
        x, y = middle + t * length * np.cos(angle), middle + t * length * np.sin(angle)
        left, top = int(x), int(y)
        kernel[top, left] += (1 - x + left) * (1 - y + top)
        kernel[top, left + 1] += (x - left) * (1 - y + top)
        kernel[top + 1, left] += (1 - x + left) * (y - top)
        kernel[top + 1, left + 1] += (x - left) * (y - top)
    return np.asarray(kernel / kernel.sum(), dtype=np.float32)


ORIENTATIONS: Mapping[int, Image.Transpose | None] = {
    1: None,
    3: Image.Transpose.ROTATE_180,
    6: Image.Transpose.ROTATE_90,
    8: Image.Transpose.ROTATE_270,
}
"""EXIF orientation -> how the stored pixels lie against what a viewer shows."""


def jpeg(rgb: ByteImage, quality: int, *, orientation: int = 1) -> bytes:
    """A JPEG file that a viewer shows as `rgb`, its pixels stored turned as the EXIF orientation (1, 3, 6, 8) says."""
    if orientation not in ORIENTATIONS:
        raise ValueError(f"orientation: expected one of {sorted(ORIENTATIONS)}, got {orientation}")
    picture = Image.fromarray(rgb)
    turn = ORIENTATIONS[orientation]
    stored = picture if turn is None else picture.transpose(turn)
    out = io.BytesIO()
    if turn is None:
        stored.save(out, "JPEG", quality=quality, subsampling=2, optimize=True)
    else:
        exif = Image.Exif()
        exif[0x0112] = orientation
        stored.save(out, "JPEG", quality=quality, subsampling=2, optimize=True, exif=exif)
    return out.getvalue()
