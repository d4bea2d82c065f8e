"""`simulate_table`: several sheets on one table top in one photo, with the truth of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from scanner.geometry import FloatArray
from scanner.simulate.camera import Bend, Camera, Pose, choose_camera, choose_rotation
from scanner.simulate.canvas import Canvas
from scanner.simulate.photograph import ByteImage, View, choose_sheet_bend, expose, jpeg, paper_corners
from scanner.simulate.ranges import Ranges, between
from scanner.simulate.sheet import FilledSheet, Setting, Streams, Truth, filled_in, resolution

LAYOUTS = 40
"""Layouts that are tried until no sheet hides another."""


@dataclass(frozen=True, eq=False)
class SimulatedTable:
    """photo: uint8 [h, w, 3], sRGB, before its JPEG. truths: in the order of the sheets. quality: of the JPEG.

    angles: degrees between each sheet's normal and the line of sight to its middle: 0 from straight above, 90 from
    its edge.
    """

    photo: ByteImage
    truths: tuple[Truth, ...]
    angles: tuple[float, ...]
    quality: int

    def file(self, *, orientation: int = 1) -> bytes:
        """The photo as a JPEG file, as `Simulated.file`."""
        return jpeg(self.photo, self.quality, orientation=orientation)

    def json(self) -> str:
        """The truth file of all sheets, largest in the photo first."""

        def area(truth: Truth) -> float:
            return float(cv2.contourArea(truth.corners.astype(np.float32)))

        sheets = [truth.json().rstrip() for truth in sorted(self.truths, key=area, reverse=True)]
        return '{"schema": 1, "sheets": [\n' + ",\n".join(sheets) + "\n]}\n"


def simulate_table(
    sheets: Sequence[FilledSheet],
    *,
    seed: int | Sequence[int],
    leaning: Sequence[float] = (),
    setting: Setting | None = None,
) -> SimulatedTable:
    """A photo of one to four sheets that lie on one table, all of them in view; the same arguments give the same photo.

    leaning: degrees by which each sheet is propped up towards the camera, the first ones first; 0, lying flat, for
    those left out. With a camera low above the table (`Ranges.tilt`) such a sheet is seen from its front, and one that
    lies flat at a low angle. Raises ValueError for a wrong number of sheets, for what `simulate` refuses, and where no
    layout was found in which no sheet hides another.
    """
    if not 1 <= len(sheets) <= 4 or len(leaning) > len(sheets):
        raise ValueError(f"expected 1 to 4 sheets and no more angles, got {len(sheets)} and {len(leaning)}")
    chosen = setting or Setting()
    ranges = chosen.ranges
    camera_rng, *own = np.random.default_rng(seed).spawn(1 + len(sheets))
    canvases = [
        filled_in(sheet, _share(len(sheets)) * resolution(sheet.template, chosen.size), Streams(*rng.spawn(5)), ranges)
        for sheet, rng in zip(sheets, own, strict=True)
    ]
    bends = [choose_sheet_bend(canvas, camera_rng, ranges) for canvas in canvases]
    leans = [*leaning, *(0.0 for _ in range(len(sheets) - len(leaning)))]
    camera, poses = _settled(canvases, bends, leans, chosen, camera_rng)
    views = []
    for sheet, canvas, bend, pose in zip(sheets, canvases, bends, poses, strict=True):
        lattice = camera.project(pose.placed(bend.raised(sheet.quad)))
        views.append(View(canvas, bend, camera.of_sheet(pose), lattice))
    shot = expose(views, camera, chosen.size, camera_rng, ranges)
    return SimulatedTable(
        shot.rgb,
        tuple(sheet.truth(corners) for sheet, corners in zip(sheets, shot.corners, strict=True)),
        tuple(camera.angle_to(sheet.quad.mean(axis=0), pose) for sheet, pose in zip(sheets, poses, strict=True)),
        shot.quality,
    )


def _share(sheets: int) -> float:
    """Resolution that a sheet needs where it shares the photo with others."""
    return 1.0 if sheets == 1 else 0.7


def _settled(
    canvases: Sequence[Canvas],
    bends: Sequence[Bend],
    leans: Sequence[float],
    setting: Setting,
    rng: np.random.Generator,
) -> tuple[Camera, list[Pose]]:
    """A camera and a layout in which every sheet is seen from its front and none hides another."""
    ranges = setting.ranges
    for attempt in range(LAYOUTS):
        rotation = choose_rotation(setting.quarter_turns, rng, ranges)
        # Sheets get room as the attempts go on: at a low angle one that leans hides much of what is behind it.
        poses = _layout(canvases, leans, -rotation[2, :2], rng, ranges, 1 + 0.05 * attempt)
        papers = [
            pose.placed(bend.raised(paper_corners(canvas)))
            for canvas, bend, pose in zip(canvases, bends, poses, strict=True)
        ]
        camera = choose_camera(np.concatenate(papers), setting.size, rotation, rng, ranges, ranges.table_fill)
        outlines = [camera.project(paper) for paper in papers]
        if all(_from_front(outline) for outline in outlines) and not _any_overlap(outlines):
            return camera, poses
    raise ValueError("no layout was found in which no sheet hides another; make fewer of them lean")


def _layout(
    canvases: Sequence[Canvas],
    leans: Sequence[float],
    towards_eye: FloatArray,
    rng: np.random.Generator,
    ranges: Ranges,
    room: float,
) -> list[Pose]:
    """Sheets in the slots of a table's rows and columns; those that lean come in the row farthest from the eye."""
    turns = [between(rng, ranges.turn) + (180 if rng.random() < ranges.across_chance else 0) for _ in canvases]
    behind = len(canvases) == 2 and rng.random() < ranges.behind_chance
    columns = 1 if len(canvases) == 1 or behind else 2
    order = sorted(range(len(canvases)), key=lambda index: (-leans[index], rng.random()))
    if towards_eye[1] < 0:  # row 0 has the smallest y
        order.reverse()
    slots = {index: divmod(place, columns) for place, index in enumerate(order)}
    flat = []
    for canvas, turn in zip(canvases, turns, strict=True):
        angle = np.radians(turn)
        spin = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1.0]])
        corners = np.column_stack([paper_corners(canvas), np.zeros(4)]) @ spin.T
        flat.append((spin, corners))
    boxes = [np.ptp(corners[:, :2], axis=0) for _, corners in flat]
    gap = room * between(rng, ranges.apart)
    widths = [max((boxes[i][0] for i, (_, col) in slots.items() if col == c), default=0) for c in range(columns)]
    heights = [max((boxes[i][1] for i, (row, _) in slots.items() if row == r), default=0) for r in range(len(canvases))]
    poses = []
    for index, (spin, corners) in enumerate(flat):
        row, col = slots[index]
        spare = np.array([widths[col], heights[row]]) - boxes[index]
        at = np.array([sum(widths[:col]) + col * gap, sum(heights[:row]) + row * gap]) + spare * rng.random(2)
        shift = np.append(at - corners[:, :2].min(axis=0), 0.0)
        pose = Pose(spin, shift)
        poses.append(_propped(pose, corners + shift, leans[index], towards_eye) if leans[index] else pose)
    return poses


def _propped(pose: Pose, corners: FloatArray, degrees: float, towards_eye: FloatArray) -> Pose:
    """The pose turned up about that edge of the paper [4, 3] which is nearest to the eye."""
    middle = corners.mean(axis=0)
    edges = [(corners[k], corners[(k + 1) % 4]) for k in range(4)]
    start, end = max(edges, key=lambda edge: float(((edge[0] + edge[1]) / 2 - middle)[:2] @ towards_eye))
    axis = (end - start) / np.linalg.norm(end - start)
    angle = np.radians(degrees)
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    turn = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    if (turn @ (middle - start))[2] < 0:
        turn = turn.T
    return Pose(np.asarray(turn @ pose.rotation), np.asarray(turn @ (pose.shift - start) + start))


def _from_front(outline: FloatArray) -> bool:
    """Do the corners go clockwise, as on a sheet seen from its front?"""
    x, y = outline.T
    return float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum()) > 0


def _any_overlap(outlines: Sequence[FloatArray]) -> bool:
    """Do two convex outlines [4, 2] overlap?"""
    return any(
        cv2.intersectConvexConvex(one.astype(np.float32), other.astype(np.float32))[0] > 1.0
        for index, one in enumerate(outlines)
        for other in outlines[:index]
    )
