"""The ruled lines of a table in a rectified picture: each followed across it, bent as the paper is."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from scanner.geometry import FloatArray
from scanner.locate.table_frame import Frame

EvidenceArray = npt.NDArray[np.float32]

STRIPS = 24
"""Pieces across the picture in which lines are looked for, each on its own."""
THIN_PX = 11
"""Lines are thinner than this in the rectified picture."""
THIN_PALE_PX = 25
"""White gaps between coloured fields are wider."""
SOFT, PALE_SOFT = 0.9, 4.0
"""Smoothing across lines, px: a wide gap is one line and not two."""
RANK = 0.2
"""A line is dark nearly all along a strip, a digit's stroke is not: the rank of the darkness that counts."""
SEEN = 0.018
"""Least darkness of a line against its paper."""
RELATIVE = 0.22
"""The same as a share of the darkness of the picture's usual lines."""
STRAY_PX = 4.5
"""How far a line may move from one strip to the next."""
GAP = 4
"""Strips that a line may be missing (a finger, writing all over it)."""
LEAST_STRIPS = 4
JOIN_GAP, JOIN_PX = 9, 6.0
"""Strips that may be missing between two pieces of a line, and how far off they may be, if the other lines tell how the
paper bends there."""
FEWEST_STEPS, DRIFT_DEGREE = 60, 3
"""Steps of lines from strip to strip from which it is told how all of them move, and how it may change along them."""
END_STRIPS, END_ASIDE, END_GAP, END_SEEN = 5, 3, 20, 0.4
"""How a line is followed to its very end: by its direction in so many strips, so many px beside that, over gaps of so
many px, wherever it is at least this share as dark as it usually is."""
FEWEST_CUT, MOSTLY_CUT = 4, 0.6
"""Long lines of a direction from which they tell that a table goes on, and the share of them that do."""
NEARBY = 0.12
"""How far from a line others bend as it does, as a share of the picture."""


@dataclass(frozen=True, slots=True)
class RuledLine:
    """One line. strips: int64 [n], where it was seen. at: float64 [n], px across. strength: mean darkness, 0 to 1."""

    strips: npt.NDArray[np.int64]
    at: FloatArray
    strength: float

    @property
    def place(self) -> float:
        """Where it lies, px: the median."""
        return float(np.median(self.at))

    def within(self, first: float, last: float) -> float:
        """Share of the strips from `first` to `last` in which it was seen."""
        a, b = int(np.ceil(first)), int(np.floor(last))
        inside = (self.strips >= a) & (self.strips <= b)
        return float(inside.sum()) / max(1, b - a + 1)


@dataclass(frozen=True, eq=False, slots=True)
class Rules:
    """All lines of a rectified picture, sorted by place. level: those that run from left to right; strip: px each.

    evidence: float32 [across, along], how much darker (or lighter) each pixel is than a line's surroundings, as lines
    of that direction see it.
    """

    level: tuple[RuledLine, ...]
    upright: tuple[RuledLine, ...]
    level_strip: float
    upright_strip: float
    level_evidence: EvidenceArray
    upright_evidence: EvidenceArray


def find_rules(frame: Frame, *, pale: bool = False) -> Rules:
    """The lines of a rectified picture in both directions. pale: white lines between coloured cells, and no others."""
    flat = cv2.GaussianBlur(frame.flat, (0, 0), 0.7)
    level, level_seen = _lines(np.asarray(flat, dtype=np.uint8), frame.valid, pale)
    upright, upright_seen = _lines(np.ascontiguousarray(flat.T), np.ascontiguousarray(frame.valid.T), pale)
    strips = level_seen.shape[1] / STRIPS, upright_seen.shape[1] / STRIPS
    return Rules(level, upright, *strips, level_seen, upright_seen)


def _lines(
    flat: npt.NDArray[np.uint8], valid: npt.NDArray[np.bool_], only_pale: bool
) -> tuple[tuple[RuledLine, ...], EvidenceArray]:
    """The lines and what shows them."""
    width = flat.shape[1]
    kernel = np.ones((THIN_PALE_PX if only_pale else THIN_PX, 1), np.uint8)
    closed = cv2.morphologyEx(flat, cv2.MORPH_CLOSE, kernel, borderType=cv2.BORDER_REPLICATE)
    opened = cv2.morphologyEx(flat, cv2.MORPH_OPEN, kernel, borderType=cv2.BORDER_REPLICATE)
    # What is much darker than the sheet is table top: its grain must not count for more than lines on paper do.
    paper = np.maximum(closed.astype(np.float32), 0.5 * float(np.percentile(closed[valid], 75)) if valid.any() else 20)
    dark = np.asarray((closed.astype(np.float32) - flat) / paper, dtype=np.float32)
    light = np.asarray((flat - opened.astype(np.float32)) / paper, dtype=np.float32)
    outside = cv2.erode(valid.astype(np.uint8), np.ones((7, 7), np.uint8)) == 0
    dark[outside] = 0
    light[outside] = 0
    strip = width / STRIPS
    profiles = np.stack([_profile(dark, k, strip) for k in range(STRIPS)])
    pale = np.stack([_profile(light, k, strip) for k in range(STRIPS)])
    # White lines between coloured fields: only where they are plainer than dark ones.
    if only_pale or np.percentile(pale, 98) > 1.8 * np.percentile(profiles, 98):
        profiles, dark = pale, light
    usual = float(np.percentile(profiles, 97))
    floor = max(SEEN, RELATIVE * usual)
    soft = PALE_SOFT if only_pale else SOFT
    peaks = [_peaks(profile, floor, soft) for profile in profiles]
    lines = _linked(peaks, None)
    # Bent paper takes all lines with it: once it is known how, each is followed again.
    lines = _joined(_linked(peaks, _Drift.of(lines, flat.shape[0])), flat.shape[0])
    return tuple(sorted(lines, key=lambda line: line.place)), dark


def ends_of(line: RuledLine, evidence: EvidenceArray, strip: float) -> tuple[float, float]:
    """Where a line really begins and ends, px along it: strips are too coarse to tell it. See `Rules`.

    It is followed from its middle to where it is gone; what was taken for it beyond a gap is the edge of the paper.
    """
    height, width = evidence.shape
    along = (line.strips + 0.5) * strip
    places = np.arange(width)
    at = np.interp(places, along, line.at)
    for beyond, near in ((places < along[0], slice(None, END_STRIPS)), (places > along[-1], slice(-END_STRIPS, None))):
        if len(along[near]) > 1:
            slope, offset = np.polyfit(along[near], line.at[near], 1)
            at[beyond] = offset + slope * places[beyond]
    across = np.clip(np.round(at).astype(int), END_ASIDE, height - 1 - END_ASIDE)
    window = across[None, :] + np.arange(-END_ASIDE, END_ASIDE + 1)[:, None]
    seen = np.flatnonzero(evidence[window, places[None, :]].max(axis=0) > END_SEEN * line.strength)
    if not seen.size:
        return float(along[0]), float(along[-1])
    middle = int(np.abs(seen - np.median(along)).argmin())
    gaps = np.flatnonzero(np.diff(seen) > END_GAP)
    first = gaps[gaps < middle] + 1
    last = gaps[gaps >= middle]
    return float(seen[first[-1] if first.size else 0]), float(seen[last[0] if last.size else -1])


def go_on_outside(rules: Rules) -> bool:
    """Do most lines of a direction run to where the rectified picture ends? Then the table may be larger than that."""
    for lines in (rules.level, rules.upright):
        strips = [line.strips for line in lines if len(line.strips) >= STRIPS // 2]
        if len(strips) >= FEWEST_CUT:
            first = float(np.mean([one[0] == 0 for one in strips]))
            last = float(np.mean([one[-1] == STRIPS - 1 for one in strips]))
            if max(first, last) > MOSTLY_CUT:
                return True
    return False


def _profile(evidence: EvidenceArray, number: int, strip: float) -> EvidenceArray:
    """Darkness across one strip: float32 [height]."""
    piece = evidence[:, round(number * strip) : round((number + 1) * strip)]
    # A bent line leaves its row within a strip: what is next to it counts too.
    thick = cv2.dilate(piece, np.ones((3, 1), np.uint8))
    rank = int(RANK * thick.shape[1])
    low = np.partition(thick, rank, axis=1)[:, rank]
    mean = piece.mean(axis=1)
    return np.asarray(0.6 * low + 0.4 * np.minimum(mean, 1.5 * low), dtype=np.float32)


def _peaks(profile: EvidenceArray, floor: float, soft: float) -> list[tuple[float, float]]:
    """(place, height) of what stands out of a profile, to a fraction of a px. soft: sigma of its smoothing, px."""
    smooth = cv2.GaussianBlur(profile.reshape(-1, 1), (0, 0), soft).ravel()
    higher = (smooth[1:-1] >= smooth[:-2]) & (smooth[1:-1] > smooth[2:]) & (smooth[1:-1] > floor)
    found = []
    for at in (np.flatnonzero(higher) + 1).tolist():
        low, high = max(0, at - 3), min(len(smooth), at + 4)
        weight = np.clip(smooth[low:high] - 0.4 * smooth[at], 0, None)
        found.append((float((weight * np.arange(low, high)).sum() / weight.sum()), float(smooth[at])))
    return found


@dataclass(frozen=True, slots=True)
class _Drift:
    """How far lines move from the strip before, px: ``still[strip] + growing[strip] * place``, place in px."""

    still: tuple[float, ...]
    growing: tuple[float, ...]

    @staticmethod
    def of(lines: list[RuledLine], height: int) -> _Drift | None:
        """As most lines move; null where too few were followed."""
        steps = []
        for line in lines:
            near = np.diff(line.strips) == 1
            steps.append(np.stack([line.strips[1:], line.at[:-1], np.diff(line.at)], axis=1)[near])
        every = np.concatenate(steps) if steps else np.zeros((0, 3))
        if len(every) < FEWEST_STEPS:
            return None
        terms = _drift_terms(every[:, 0], every[:, 1] / height)
        weights = np.ones(len(every))
        for _ in range(4):
            root = np.sqrt(weights)
            coefficients = np.linalg.lstsq(terms * root[:, None], every[:, 2] * root, rcond=None)[0]
            weights = 1 / (1 + (every[:, 2] - terms @ coefficients) ** 2)
        strips = np.arange(STRIPS)
        top = _drift_terms(strips, np.zeros(STRIPS)) @ coefficients
        bottom = _drift_terms(strips, np.ones(STRIPS)) @ coefficients
        return _Drift(tuple(top.tolist()), tuple(((bottom - top) / height).tolist()))

    def moved(self, at: float, strip: int, number: int) -> float:
        """Where a line that is at `at` in a strip should be in a later one."""
        for later in range(strip + 1, number + 1):
            at += self.still[later] + self.growing[later] * at
        return at


def _drift_terms(strips: npt.NDArray[np.int64] | FloatArray, places: FloatArray) -> FloatArray:
    along = 2 * np.asarray(strips, dtype=np.float64) / (STRIPS - 1) - 1
    powers = [along**k for k in range(DRIFT_DEGREE + 1)]
    return np.stack([power * factor for power in powers for factor in (np.ones_like(places), places)], axis=1)


def _linked(peaks: list[list[tuple[float, float]]], drift: _Drift | None) -> list[RuledLine]:
    """Peaks of neighbouring strips joined to lines, from the middle outwards, nearest first."""
    open_lines: list[list[tuple[int, float, float]]] = []
    for number, here in enumerate(peaks):
        pairs = []
        for index, line in enumerate(open_lines):
            last, at = line[-1][0], _ahead(line, number, drift)
            if number - last <= GAP:
                for peak, (place, _) in enumerate(here):
                    away = abs(place - at)
                    if away < STRAY_PX + 0.8 * (number - last - 1):
                        pairs.append((away + 0.5 * (number - last - 1), index, peak))
        taken_lines: set[int] = set()
        taken_peaks: set[int] = set()
        for _, index, peak in sorted(pairs):
            if index not in taken_lines and peak not in taken_peaks:
                taken_lines.add(index)
                taken_peaks.add(peak)
                open_lines[index].append((number, *here[peak]))
        open_lines += [[(number, *here[peak])] for peak in range(len(here)) if peak not in taken_peaks]
    return [
        RuledLine(
            np.array([strip for strip, _, _ in line], dtype=np.int64),
            np.array([at for _, at, _ in line]),
            float(np.mean([height for _, _, height in line])),
        )
        for line in open_lines
        if len(line) >= LEAST_STRIPS
    ]


def _joined(lines: list[RuledLine], height: int) -> list[RuledLine]:
    """The lines, with pieces of one line put together; between the pieces it runs as its neighbours do."""
    if len(lines) < 3:
        return lines
    strips = np.arange(STRIPS)
    at = np.stack([np.interp(strips, line.strips, line.at, left=np.nan, right=np.nan) for line in lines])
    pairs = []
    for one, line in enumerate(lines):
        last = int(line.strips[-1])
        for other, after in enumerate(lines):
            first = int(after.strips[0])
            if last < first <= last + JOIN_GAP and abs(after.at[0] - line.at[-1]) < 10 * JOIN_PX:
                drift = at[:, first] - at[:, last]
                weight = np.exp(-np.abs(at[:, last] - line.at[-1]) / (NEARBY * height))
                known = np.isfinite(drift)
                if known.sum() >= 2:
                    off = abs(float(after.at[0] - line.at[-1] - _weighted_median(drift[known], weight[known])))
                    if off < JOIN_PX:
                        pairs.append((off, one, other))
    following: dict[int, int] = {}
    for _, one, other in sorted(pairs):
        if one not in following and other not in following.values():
            following[one] = other
    joined = []
    for start in range(len(lines)):
        if start not in following.values():
            chain = [start]
            while chain[-1] in following:
                chain.append(following[chain[-1]])
            joined.append(_one_line([lines[k] for k in chain]))
    return joined


def _weighted_median(values: FloatArray, weights: FloatArray) -> float:
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(total, 0.5 * total[-1])])


def _one_line(pieces: list[RuledLine]) -> RuledLine:
    if len(pieces) == 1:
        return pieces[0]
    lengths = [len(piece.strips) for piece in pieces]
    strength = float(np.average([piece.strength for piece in pieces], weights=lengths))
    return RuledLine(
        np.concatenate([piece.strips for piece in pieces]), np.concatenate([piece.at for piece in pieces]), strength
    )


def _ahead(line: list[tuple[int, float, float]], number: int, drift: _Drift | None) -> float:
    """Where a line should be in a strip, going by its last few places or by how all lines move."""
    if drift is not None:
        return drift.moved(line[-1][1], line[-1][0], number)
    if len(line) < 3:
        return line[-1][1]
    (a, at_a, _), (b, at_b, _) = line[-3], line[-1]
    slope = (at_b - at_a) / max(1, b - a)
    return at_b + float(np.clip(slope, -3, 3)) * (number - b)
