"""A camera above bent paper on a table: where points of the sheet come to lie in the photo, and the reverse."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from scanner.geometry import FloatArray
from scanner.simulate.ranges import Ranges, Span, between

STEEP = 0.7
"""Cosine of the tilt below which rays meet the table so flatly that the height of bent paper shifts them a lot."""
HORIZON = 0.02
"""Least share of a ray that goes down; nearer to the horizon it counts as hitting the table far away."""


@dataclass(frozen=True, eq=False)
class Bend:
    """Paper bent along one direction only, as paper does: height above the table and length along the paper.

    middle: of the bend, mm on the sheet. direction: unit vector, across the bend's axis. along: even steps of the
    distance from the middle on the table, mm. height: above the table, mm. arc: the distance measured on the paper, mm.
    """

    middle: tuple[float, float]
    direction: tuple[float, float]
    along: FloatArray
    height: FloatArray
    arc: FloatArray

    def raised(self, sheet: FloatArray) -> FloatArray:
        """Points on the sheet [n, 2], mm, to points in space [n, 3]: table x, table y, height."""
        across = np.array([-self.direction[1], self.direction[0]])
        away = sheet - self.middle
        arc, side = away @ np.array(self.direction), away @ across
        along = np.interp(arc, self.arc, self.along)
        flat = np.array(self.middle) + along[:, None] * np.array(self.direction) + side[:, None] * across
        return np.column_stack([flat, np.interp(along, self.along, self.height)])

    def height_at(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Height of the paper above a point of the table."""
        return np.interp(self._along(x, y), self.along, self.height)

    def slope_at(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """How steeply the paper rises in `direction` there."""
        return np.interp(self._along(x, y), self.along, np.gradient(self.height, self.along))

    def sheet_at(self, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Point of the sheet, mm, that lies above a point of the table."""
        along = self._along(x, y)
        more = np.interp(along, self.along, self.arc) - along
        return x + more * self.direction[0], y + more * self.direction[1]

    def _along(self, x: FloatArray, y: FloatArray) -> FloatArray:
        return np.asarray((x - self.middle[0]) * self.direction[0] + (y - self.middle[1]) * self.direction[1])


def choose_bend(middle: tuple[float, float], half: float, rng: np.random.Generator, ranges: Ranges) -> Bend:
    """A smooth bend of paper that reaches `half` mm to each side of the middle."""
    # Pages bend about their upright axis, mostly.
    angle = np.radians(rng.normal(0, 12) + (90 if rng.random() < 0.25 else 0))
    along = np.linspace(-3 * half, 3 * half, 1201)
    t = np.clip(along / half, -1.6, 1.6)
    bow = between(rng, ranges.bow)
    height = bow * np.cos(0.45 * np.pi * t)
    if rng.random() < ranges.gutter_chance:
        side = 1 if rng.random() < 0.5 else -1
        height = height + between(rng, ranges.gutter) * np.exp((side * t - 1) * 2.2)
    steps = np.hypot(np.diff(along), np.diff(height))
    arc = np.concatenate([[0.0], np.cumsum(steps)])
    arc -= np.interp(0.0, along, arc)
    return Bend(middle, (float(np.cos(angle)), float(np.sin(angle))), along, height - height.min(), arc)


@dataclass(frozen=True, eq=False)
class Pose:
    """Where a sheet lies in the scene. rotation [3, 3] and shift [3], mm: of points (x, y, height)."""

    rotation: FloatArray
    shift: FloatArray

    def placed(self, points: FloatArray) -> FloatArray:
        """Points of the sheet in space [n, 3] to those of the scene."""
        return np.asarray(points @ self.rotation.T + self.shift, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Camera:
    """A pinhole camera. rotation [3, 3]: table to camera. aim: the table's point in the middle of its view, mm.

    distance: from there, mm. focal: px. centre: px where `aim` comes to lie.
    """

    rotation: FloatArray
    aim: tuple[float, float]
    distance: float
    focal: float
    centre: tuple[float, float]

    def project(self, points: FloatArray) -> FloatArray:
        """Points in space [n, 3] (x, y, height; mm) to px [n, 2]."""
        space = np.column_stack([points[:, 0] - self.aim[0], points[:, 1] - self.aim[1], -points[:, 2]])
        seen = space @ self.rotation.T + np.array([0, 0, self.distance])
        return np.asarray(self.focal * seen[:, :2] / seen[:, 2:] + np.array(self.centre), dtype=np.float64)

    def table_at(self, x: FloatArray, y: FloatArray, bend: Bend | None) -> tuple[FloatArray, FloatArray]:
        """Points of the table, mm, above which the paper (the bare table, without a bend) is seen at px x, y."""
        rays = np.stack(
            [(x - self.centre[0]) / self.focal, (y - self.centre[1]) / self.focal, np.ones_like(x)], axis=-1
        )
        rays = rays @ self.rotation
        eye = -self.distance * self.rotation[2]
        down = np.maximum(rays[..., 2], HORIZON)
        height: FloatArray = np.zeros_like(x)
        rounds = 6 if self.rotation[2, 2] > STEEP else 24
        for _ in range(1 if bend is None else rounds):
            reach = (-height - eye[2]) / down
            table_x = self.aim[0] + eye[0] + reach * rays[..., 0]
            table_y = self.aim[1] + eye[1] + reach * rays[..., 1]
            if bend is not None:
                height = bend.height_at(table_x, table_y)
        return table_x, table_y

    def descent(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """How fast the ray of px x, y goes down to the table; below HORIZON it passes over the table's far edge."""
        rays = np.stack(
            [(x - self.centre[0]) / self.focal, (y - self.centre[1]) / self.focal, np.ones_like(x)], axis=-1
        )
        return np.asarray((rays @ self.rotation)[..., 2], dtype=np.float64)

    def of_sheet(self, pose: Pose) -> Camera:
        """The same camera in the coordinates of a sheet that lies in the scene as `pose` says."""
        mirror = np.diag([1.0, 1.0, -1.0])  # between height and the downward axis that `rotation` is about
        rotation = np.asarray(self.rotation @ mirror @ pose.rotation @ mirror, dtype=np.float64)
        away = mirror @ pose.shift - np.array([self.aim[0], self.aim[1], 0.0])
        offset = self.rotation @ away + np.array([0, 0, self.distance])
        # The point of the sheet's plane that the optical axis meets: seen at (0, 0, distance).
        aim = np.linalg.solve(np.column_stack([-rotation[:, :2], [0.0, 0.0, 1.0]]), offset)
        return replace(self, rotation=rotation, aim=(float(aim[0]), float(aim[1])), distance=float(aim[2]))

    def angle_to(self, point: FloatArray, pose: Pose) -> float:
        """Angle in degrees between the line of sight to a point of the flat sheet (x, y), mm, and its normal."""
        own = self.of_sheet(pose)
        eye = -own.distance * own.rotation[2] + np.array([own.aim[0], own.aim[1], 0.0])
        ray = np.array([point[0], point[1], 0.0]) - eye
        return float(np.degrees(np.arccos(np.clip(ray[2] / np.linalg.norm(ray), -1, 1))))


def choose_rotation(quarter_turns: int, rng: np.random.Generator, ranges: Ranges) -> FloatArray:
    """How a camera is held: rotation [3, 3], table to camera. quarter_turns: clockwise, of the sheet in the photo."""
    tilt = np.radians(between(rng, ranges.tilt))
    # Most hold the phone from where they sit: the sheet's far side is its upper side as the photo shows it.
    towards = np.radians(rng.normal(0, 25) if rng.random() < 0.7 else rng.uniform(0, 360))
    roll = np.radians(between(rng, ranges.roll))
    axis = np.array([[np.cos(towards), -np.sin(towards), 0], [np.sin(towards), np.cos(towards), 0], [0, 0, 1]])
    lean = np.array([[1, 0, 0], [0, np.cos(tilt), np.sin(tilt)], [0, -np.sin(tilt), np.cos(tilt)]])
    turn = roll + np.radians(90 * quarter_turns)
    spin = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    return np.asarray(axis @ lean @ axis.T @ spin, dtype=np.float64)


def choose_camera(
    corners: FloatArray,
    size: tuple[int, int],
    rotation: FloatArray,
    rng: np.random.Generator,
    ranges: Ranges,
    fill_range: Span | None = None,
) -> Camera:
    """A camera in which points in space [n, 3] fill a share of the photo (width, height), all in view.

    rotation: of `choose_rotation`. fill_range: of that share; `ranges.fill` by default.
    """
    width, height = size
    focal = between(rng, ranges.focal) * max(size)
    fill = between(rng, fill_range or ranges.fill)
    middle = corners.mean(axis=0)
    aim = (float(middle[0]), float(middle[1]))
    extent = float(np.ptp(corners[:, :2], axis=0).max())
    distance = focal * extent / (fill * min(size))
    for _ in range(12):
        seen = Camera(rotation, aim, distance, focal, (0.0, 0.0)).project(corners)
        share = max(np.ptp(seen[:, 0]) / width, np.ptp(seen[:, 1]) / height)
        distance *= share / fill
    seen = Camera(rotation, aim, distance, focal, (0.0, 0.0)).project(corners)
    low, high = seen.min(axis=0), seen.max(axis=0)
    rim = 0.02 * min(size)
    wanted = (
        np.array([width, height]) * (0.5 + np.array([between(rng, ranges.aim), between(rng, ranges.aim)]))
        - (low + high) / 2
    )
    centre = np.clip(wanted, rim - low, np.array([width, height]) - rim - high)
    return Camera(rotation, aim, distance, focal, (float(centre[0]), float(centre[1])))
