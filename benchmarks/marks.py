"""How surely are marks told from empty boxes? Fits the coefficients of scanner/read/marks.py and tests them.

    python benchmarks/marks.py [--photos N] [--save FILE.npz]

Generated photos of a sheet with many boxes: some have a sign printed in them; marks are crosses, strokes, ticks,
scribbles and circles by any pen, and among the empty boxes some have a speck or the end of a neighbour's stroke in
them. The first half of the photos fits, the second half tests; each has its own seeds.
Exits with 1 below 98 %: these boxes are harder than a sheet's, of which 99 % are the goal (benchmarks/hexes.py).
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from scanner.intake import load
from scanner.locate import NotFound, locate
from scanner.read.marks import WEIGHTS, features, mark_boxes, probabilities
from scanner.simulate import FilledSheet, Ranges, built_in_print
from scanner.simulate.hexes import bold_print, random_hexes
from scanner.simulate.photograph import jpeg, photograph
from scanner.simulate.printing import cell_side
from scanner.simulate.sheet import Streams, filled_in, resolution
from scanner.simulate.writing import Scribe, choose_habits
from scanner.templates import Template, builtin_folder, parse_template

GOAL = 0.98
SIZE = (1600, 1200)
STRAY = 0.12
"""Share of the empty boxes that something small got into."""
SIGNS = ("+1", "2", "3", "?", "A", "x2")
RIDGE = 1e-2


def sheet() -> Template:
    """The front's hexes with thirty mark boxes beside them, every second one with a sign in it."""
    front = (builtin_folder() / "hexroller-front.toml").read_text(encoding="utf-8")
    hexes = front[: front.index("# The bonuses")].replace('id = "hexroller-front"', 'id = "marks"')
    boxes, number = "", 0
    for row in range(8):
        for col in range(4):
            side = 7 + (row + col) % 3
            x, y = 6 + 14 * col, 12 + 14.5 * row
            boxes += f'[[boxes]]\nid = "mark{number}"\nkind = "mark"\nrect = [{x}, {y}, {side}, {side}]\n'
            if (row + col) % 2:
                sign = SIGNS[number % len(SIGNS)]
                at = [round(x + 0.5 * side - 0.9 * len(sign), 2), round(y + 0.65 * side, 2)]
                boxes += f'[[labels]]\ntext = "{sign}"\nat = {at}\nheight = 2.6\n'
            number += 1
    look = front[front.index("[look]") : front.index("top = ")]
    return parse_template((hexes + boxes + look).encode(), source="marks")


def photos(count: int, first: int) -> Iterator[tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]]:
    """Features and truth of the boxes of `count` photos."""
    template, ranges = sheet(), Ranges(whole_chance=1.0)
    for seed in range(first, first + count):
        *steps, camera, own = np.random.default_rng([2505, seed]).spawn(7)
        contents = {**random_hexes(template, own)}
        drawn = FilledSheet(template, contents, built_in_print(), typeface=bold_print())
        canvas = filled_in(drawn, resolution(template, SIZE), Streams(*steps), ranges)
        scribe = Scribe(canvas, built_in_print(), choose_habits(cell_side(template), own, ranges), own)
        for cell in template.cells:
            if cell.kind == "mark" and contents[cell.id] is None and own.random() < STRAY:
                x0, y0, x1, y1 = (
                    f(v) for f in (min, max) for v in zip(*[(p.x, p.y) for p in cell.polygon], strict=True)
                )
                side = x1 - x0
                if own.random() < 0.5:  # a speck
                    start = np.array([own.uniform(x0, x1), own.uniform(y0, y1)])
                    scribe.path(start + own.normal(0, 0.02 * side, (2, 2)), scribe.habits.pen)
                else:  # the end of a stroke that belongs elsewhere
                    start = np.array([x0 - 0.3 * side, own.uniform(y0, y1)])
                    end = start + np.array([(0.3 + own.uniform(0.02, 0.14)) * side, own.normal(0, 0.1) * side])
                    scribe.path(np.array([start, end]), scribe.habits.pen)
        shot = photograph(canvas, drawn.quad, True, SIZE, 0, camera, ranges)
        photo = next(iter(load(jpeg(shot.rgb, shot.quality), name=f"marks {seed}")))
        found = locate(photo, [template])
        if isinstance(found, NotFound):
            print(f"photo {seed}: {found.reason}", file=sys.stderr)
            continue
        boxes = mark_boxes(template)
        rows = np.array([features(box, box.ink(photo, found[0])) for box in boxes])
        yield rows, np.array([contents[box.panel.cells[0].id] == "x" for box in boxes])


def fitted(rows: npt.NDArray[np.float64], made: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Logistic regression by Newton's method, with a small ridge."""
    terms = np.column_stack([np.ones(len(rows)), rows])
    weights = np.zeros(terms.shape[1])
    for _ in range(60):
        chance = 1 / (1 + np.exp(-terms @ weights))
        slope = terms.T @ (made - chance) - RIDGE * weights
        bend = (terms * (chance * (1 - chance))[:, None]).T @ terms + RIDGE * np.eye(len(weights))
        weights = weights + np.linalg.solve(bend, slope)
    return np.asarray(weights, dtype=np.float64)


def show(name: str, chance: npt.NDArray[np.float32], made: npt.NDArray[np.bool_]) -> float:
    """Prints how right and how well calibrated probabilities are; returns the share that is right."""
    right = float(((chance > 0.5) == made).mean())
    of_truth = np.where(made, chance, 1 - chance)
    asked = float(((chance > 0.001) & (chance < 0.999)).mean())
    silent = int((of_truth < 0.001).sum())
    print(
        f"{name}: {len(made)} boxes, {100 * right:.2f} % right, {100 * asked:.1f} % in doubt, {silent} wrong while sure"
    )
    edges = (0.0, 0.001, 0.05, 0.5, 0.95, 0.999, 1.0)
    for low, high in itertools.pairwise(edges):
        here = (chance >= low) & (chance < high) if high < 1 else chance >= low
        if here.any():
            print(f"  said {low:5.3f} to {high:5.3f}: {here.sum():5d} boxes, {made[here].mean():.4f} made")
    return right


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=int, default=40)
    parser.add_argument("--save", type=Path, help="keep the features in this .npz file")
    chosen = parser.parse_args(argv)
    half = chosen.photos // 2
    train = list(photos(half, 0))
    test = list(photos(chosen.photos - half, 10_000))
    rows, made = (np.concatenate(part) for part in zip(*train, strict=True))
    if chosen.save:
        np.savez(
            chosen.save,
            rows=rows,
            made=made,
            test_rows=np.concatenate([r for r, _ in test]),
            test_made=np.concatenate([m for _, m in test]),
        )
    weights = fitted(rows, made)
    print("WEIGHTS =", tuple(round(float(weight), 3) for weight in weights), "shipped:", WEIGHTS)
    rows, made = (np.concatenate(part) for part in zip(*test, strict=True))
    return int(show("shipped, test half", probabilities(rows), made) < GOAL)


if __name__ == "__main__":
    sys.exit(main())
