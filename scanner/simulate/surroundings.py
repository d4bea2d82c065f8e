"""What the paper lies on, and who holds it: procedural table tops and a finger."""

from __future__ import annotations

import cv2
import numpy as np

from scanner.geometry import FloatArray
from scanner.simulate.canvas import FloatImage, blurred, smooth_noise

TEXTURE_PX = 1024
TEXTURE_MM = 400.0
"""A table top is a square of this side, mirrored at its edges."""

WOODS = ((0.55, 0.38, 0.24), (0.42, 0.27, 0.17), (0.70, 0.55, 0.38), (0.33, 0.22, 0.16))
CLOTHS = ((0.62, 0.16, 0.15), (0.25, 0.34, 0.48), (0.82, 0.80, 0.74), (0.30, 0.40, 0.30))
PLAINS = ((0.75, 0.74, 0.72), (0.22, 0.22, 0.24), (0.55, 0.57, 0.60), (0.86, 0.84, 0.80), (0.40, 0.33, 0.30))
SKINS = ((0.86, 0.66, 0.56), (0.74, 0.54, 0.43), (0.52, 0.36, 0.28))


def table_top(kind: str, rng: np.random.Generator) -> FloatImage:
    """A table top [1024, 1024, 3], 0 to 1. kind: wood, cloth or plain; ValueError for any other."""
    if kind == "wood":
        return _wood(rng)
    if kind == "cloth":
        return _cloth(rng)
    if kind == "plain":
        return _plain(rng)
    raise ValueError(f"there is no table top '{kind}'")


def _colour(colours: tuple[tuple[float, float, float], ...], rng: np.random.Generator) -> FloatImage:
    return np.asarray(np.array(colours[int(rng.integers(len(colours)))]) * rng.uniform(0.85, 1.15), dtype=np.float32)


def _stretched(rng: np.random.Generator, along: float, across: float) -> FloatImage:
    """Noise of unit spread, longer in x than in y; scales in px."""
    # Wide blurs by fewer columns, enlarged.
    shrink = max(1, int(along / 4))
    raw = rng.normal(0, 1, (TEXTURE_PX, TEXTURE_PX // shrink)).astype(np.float32)
    soft = cv2.GaussianBlur(raw, (0, 0), sigmaX=along / shrink, sigmaY=across, borderType=cv2.BORDER_REFLECT)
    noise = cv2.resize(soft, (TEXTURE_PX, TEXTURE_PX), interpolation=cv2.INTER_CUBIC)
    return np.asarray(noise / np.float32(noise.std()), dtype=np.float32)


def _wood(rng: np.random.Generator) -> FloatImage:
    size = TEXTURE_PX
    y = np.arange(size, dtype=np.float32)[:, None] / size
    bent = y + 0.035 * _stretched(rng, 160, 30) + 0.004 * _stretched(rng, 60, 4)
    rings = np.sin(2 * np.pi * rng.uniform(14, 30) * bent) + 0.5 * np.sin(2 * np.pi * rng.uniform(50, 90) * bent)
    fibres = _stretched(rng, 40, 0.7)
    pores = np.clip(_stretched(rng, 12, 0.6) - 1.6, 0, 1)
    shade = 1 + 0.07 * rings + 0.05 * fibres - 0.25 * pores + 0.05 * smooth_noise(rng, size, size, 4)
    boards = rng.random() < 0.6
    colour = _colour(WOODS, rng)
    if boards:
        count = int(rng.integers(3, 6))
        joints = np.zeros((size, 1), dtype=np.float32)
        tones = np.ones((size, 1), dtype=np.float32)
        for board in range(count):
            first, last = board * size // count, (board + 1) * size // count
            tones[first:last] = rng.uniform(0.88, 1.1)
            joints[first : first + 3] = 1
        shade = shade * tones * (1 - 0.55 * cv2.GaussianBlur(joints, (0, 0), 1.0))
    return np.asarray(np.clip(shade[:, :, None] * colour, 0, 1), dtype=np.float32)


def _cloth(rng: np.random.Generator) -> FloatImage:
    size = TEXTURE_PX
    threads = 2 * np.pi * np.arange(size, dtype=np.float32) / rng.uniform(4.5, 8)
    weave = np.sin(threads)[:, None] * np.sin(threads)[None, :]
    shade = 1 + 0.10 * weave + 0.05 * _stretched(rng, 20, 0.8) + 0.05 * _stretched(rng, 0.8, 20)
    shade = shade + 0.08 * smooth_noise(rng, size, size, 5)
    cloth = shade[:, :, None] * _colour(CLOTHS, rng)
    if rng.random() < 0.4:  # stripes
        stripe = (np.sin(2 * np.pi * np.arange(size) / rng.uniform(90, 240)) > rng.uniform(0.2, 0.8)).astype(np.float32)
        cloth = cloth * (
            1 - 0.3 * cv2.GaussianBlur(stripe[None, :, None].repeat(size, axis=0), (0, 0), 1.5)[:, :, None]
        )
    return np.asarray(np.clip(cloth, 0, 1), dtype=np.float32)


def _plain(rng: np.random.Generator) -> FloatImage:
    size = TEXTURE_PX
    shade = 1 + 0.03 * smooth_noise(rng, size, size, 6) + 0.02 * _stretched(rng, 1.2, 1.2)
    return np.asarray(np.clip(shade[:, :, None] * _colour(PLAINS, rng), 0, 1), dtype=np.float32)


def put_thumb(photo: FloatImage, lattice: FloatArray, rng: np.random.Generator) -> None:
    """Draws a thumb that comes in from the photo's edge, in place, if there is room beside the lattice [4, 2] (px)."""
    height, width = photo.shape[:2]
    side = min(height, width)
    thick = rng.uniform(0.075, 0.11) * side
    for _ in range(12):
        tip = np.array([rng.uniform(0.05, 0.95) * width, rng.uniform(0.05, 0.95) * height])
        gap = -cv2.pointPolygonTest(lattice.astype(np.float32).reshape(-1, 1, 2), (float(tip[0]), float(tip[1])), True)
        if not 1.15 * thick / 2 < gap < 2.2 * thick:
            continue
        out = tip - lattice.mean(axis=0)
        out = out / np.linalg.norm(out)
        ends = tip + out * np.array([[0.0], [2.0 * side]])
        shape = np.zeros((height, width), dtype=np.uint8)
        cv2.line(shape, _point(ends[0]), _point(ends[1]), (255,), int(thick), cv2.LINE_AA)
        mask = blurred(shape.astype(np.float32) / np.float32(255), max(0.8, 0.02 * thick))
        inside = cv2.distanceTransform((shape > 127).astype(np.uint8), cv2.DIST_L2, 5) / (thick / 2)
        round_shade = np.sqrt(np.clip(1 - (1 - np.clip(inside, 0, 1)) ** 2, 0, 1)).astype(np.float32)
        skin = _colour(SKINS, rng) * (0.62 + 0.38 * round_shade[:, :, None])
        skin = skin * (1 + 0.03 * smooth_noise(rng, height, width, 40)[:, :, None])
        nail = np.zeros((height, width), dtype=np.uint8)
        angle = float(np.degrees(np.arctan2(out[1], out[0])))
        axes = (int(0.42 * thick), int(0.30 * thick))
        cv2.ellipse(nail, _point(tip + 0.12 * thick * out), axes, angle, 0, 360, (255,), -1, cv2.LINE_AA)
        nail_mask = cv2.GaussianBlur(nail, (0, 0), 0.03 * thick).astype(np.float32)[:, :, None] / 255
        skin = skin * (1 - 0.5 * nail_mask) + 0.5 * nail_mask * np.array([0.93, 0.78, 0.72], dtype=np.float32) * (
            0.7 + 0.3 * round_shade[:, :, None]
        )
        shadow = blurred(mask, 0.12 * thick)[:, :, None]
        photo *= 1 - 0.45 * shadow
        photo += mask[:, :, None] * (skin - photo)
        return


def _point(xy: FloatArray) -> tuple[int, int]:
    return round(float(xy[0])), round(float(xy[1]))
