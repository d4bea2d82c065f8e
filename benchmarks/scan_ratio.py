"""How long a whole scan takes, as a multiple of decoding the photo at full size with `cv2.imread`.

    python benchmarks/scan_ratio.py [PHOTO ...]

Without photos, the shipped sample is enlarged to 12 megapixels. One warm process; the two take turns, so that a busy or
throttled machine slows both; the figure is the median of the ratios pair by pair. `--at-most 2` fails above that.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np

from scanner.cells import cut
from scanner.games.base import GameContext
from scanner.games.registry import get_game
from scanner.intake import load
from scanner.locate import NotFound, locate
from scanner.orient import orient
from scanner.read.reader import default_reader
from scanner.resolve import readings_to_board, resolve
from scanner.scan import scan
from scanner.templates import load_templates

SAMPLE = Path(__file__).resolve().parent.parent / "samples" / "sudoku-1.jpg"
TWELVE_MEGAPIXELS = 12_000_000


def seconds(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def twelve_megapixels(folder: Path) -> Path:
    """The shipped sample at the size of a phone's photo, with the grain that makes real JPEGs as large as they are."""
    picture = cv2.imread(str(SAMPLE))
    assert picture is not None
    scale = (TWELVE_MEGAPIXELS / (picture.shape[0] * picture.shape[1])) ** 0.5
    large = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    grain = np.random.default_rng(1).normal(0, 2.5, large.shape[:2])[:, :, None]
    path = folder / "sample-12mp.jpg"
    cv2.imwrite(str(path), np.clip(large + grain, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 90])
    return path


def stages(path: Path) -> Iterator[tuple[str, float]]:
    """One scan, stage by stage: (name, seconds)."""
    templates, reader = tuple(load_templates().values()), default_reader()
    began = time.perf_counter()
    photo = next(iter(load(path)))
    intake = time.perf_counter()
    yield "intake", intake - began
    found = locate(photo, templates)
    located = time.perf_counter()
    yield "locate", located - intake
    if isinstance(found, NotFound):
        return
    for placement in found:
        start = time.perf_counter()
        batch = cut(photo, placement)
        cut_done = time.perf_counter()
        batch, _ = orient(batch, placement, reader)
        oriented = time.perf_counter()
        readings = reader.read(batch)
        read_done = time.perf_counter()
        game = get_game(placement.template.game)
        resolve(readings_to_board(readings, placement.template, game), placement.template, game, GameContext())
        resolved = time.perf_counter()
        yield "cells", cut_done - start
        yield "orient", oriented - cut_done
        yield "read", read_done - oriented
        yield "resolve", resolved - read_done


def measure(path: Path, runs: int) -> float:
    """Prints one photo's figures; returns its ratio."""
    templates = tuple(load_templates().values())
    for _ in range(3):
        scan(path, templates=templates)
    pairs = [
        (seconds(lambda: scan(path, templates=templates)), seconds(lambda: cv2.imread(str(path)))) for _ in range(runs)
    ]
    ratio = statistics.median(a / b for a, b in pairs)
    whole, decode = (statistics.median(column) * 1e3 for column in zip(*pairs, strict=True))
    totals: dict[str, list[float]] = {}
    for _ in range(runs):
        own: dict[str, float] = {}
        for name, spent in stages(path):
            own[name] = own.get(name, 0.0) + spent
        for name, spent in own.items():
            totals.setdefault(name, []).append(spent)
    parts = ", ".join(f"{name} {statistics.median(spent) * 1e3:.1f}" for name, spent in totals.items())
    print(f"{path.name}: scan / imread = {ratio:.2f} ({whole:.1f} ms / {decode:.1f} ms); ms by stage: {parts}")
    return ratio


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", nargs="*", type=Path)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--at-most", type=float, default=None, help="exit with 1 if the median ratio is larger")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        photos = chosen.photos or [twelve_megapixels(Path(folder))]
        ratios = [measure(photo, chosen.runs) for photo in photos]
    median = statistics.median(ratios)
    print(f"median over {len(ratios)} photo{'s' * (len(ratios) != 1)}: {median:.2f} times the decoding of cv2.imread")
    return int(chosen.at_most is not None and median > chosen.at_most)


if __name__ == "__main__":
    sys.exit(main())
