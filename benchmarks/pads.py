"""Generated Splitter pads through the whole chain, all templates active: what is found, read, scored and flagged.

    python benchmarks/pads.py [--n 128] [--seed 1] [--shared DIR] [--cache DIR] [--keep DIR]
                              [--part test|val|train] [--claims none|some|all]

Both pads, in colours and in black on white, from above and at steep angles, any way up; of four sheets two are full and
legal, one is full with two illegal numbers and half a pair, one legal with rounds missing. DIR of --shared holds
digits-swiss/, whose test writers fill them in; without it fonts of the test part do, fetched into the cache. With
--part other writers or fonts do, those that tune the reader (val) or train it: thresholds and remedies are chosen with
them, never with the test part. --claims: on how many of the finished pads the player has filled in the boxes for the
points at the left (`scanner.simulate.claims`), some being every second; nothing else about the photo depends on it.
--keep writes each sheet with something wrong: photo, truth, and its wrong cells as the photo and the reader show them.
The same arguments make the same photos. What is measured here is no accuracy on people's handwriting.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from scanner.bench.judge import JudgedSheet, judge, match
from scanner.bench.truth import Truth, read_truths
from scanner.cells import cut
from scanner.games.base import GameContext
from scanner.games.registry import get_game
from scanner.intake import load
from scanner.orient import orient
from scanner.read.reader import DigitReader, default_reader
from scanner.results import Flag
from scanner.scan import scan
from scanner.sheet import Sheet
from scanner.simulate import HandSource, Ranges, Setting, Shapes, font_hand, pool_hand, simulate
from scanner.simulate.claims import claimed
from scanner.templates import Template, get_template, load_templates
from scanner.training.fonts import Split, fetch, shipped_fonts
from scanner.training.glyphs import from_swiss
from scanner.training.split import swiss_split

PADS = ("splitter-a", "splitter-b")
FROM_ABOVE, STEEP = (0.0, 35.0), (35.0, 60.0)
"""Degrees of the camera's tilt."""
TURNS = (0.55, 0.15, 0.15, 0.15)
"""How often a sheet lies upright, and by one, two, three quarter turns."""
CONTENTS = ("legal", "legal", "faults", "partial")
CROP_PX = 96
CLAIMS = ("none", "some", "all")
PARTS: tuple[Split, ...] = ("test", "val", "train")
MISTAKES = ("splitter.value", "splitter.pair")


@dataclass(frozen=True, slots=True)
class Kind:
    """What is drawn for one photo, apart from chance."""

    pad: str
    plain: bool
    steep: bool
    contents: str

    @property
    def name(self) -> str:
        look, angle = "plain" if self.plain else "colour", "steep" if self.steep else "above"
        return f"{self.pad[-1]}-{look}-{angle}-{self.contents}"


def kind_of(number: int) -> Kind:
    """All combinations come by turns."""
    return Kind(PADS[number % 2], bool(number // 2 % 2), bool(number // 4 % 2), CONTENTS[number // 8 % 4])


def has_claims(number: int, claims: str) -> bool:
    """Are the boxes for the points filled in? Some: on half of the sheets of each kind, the next time on the others."""
    finished = kind_of(number).contents != "partial"
    return finished and (claims == "all" or (claims == "some" and number.bit_count() % 2 == 1))


def mirrored_pairs(template: Template) -> list[tuple[str, str]]:
    """By the rules: same row, same distance from the centre line."""
    assert template.grid is not None
    ids = {cell.id for cell in template.lattice_cells}
    row_col = [tuple(int(part) for part in cell[1:].split("c")) for cell in sorted(ids)]
    width = template.grid.cols + 1
    return [(f"r{r}c{c}", f"r{r}c{width - c}") for r, c in row_col if 2 * c < width]


def played(template: Template, rng: np.random.Generator) -> dict[str, int]:
    """A board as a player fills it: two dice a round, put where equal numbers are near."""
    pairs, board = mirrored_pairs(template), dict[str, int]()

    def equal_beside(cell: str, value: int) -> int:
        row, col = (int(part) for part in cell[1:].split("c"))
        around = ((row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1))
        return sum(board.get(f"r{r}c{c}") == value for r, c in around)

    while pairs:
        one, other = (int(n) for n in rng.integers(1, 7, 2))
        tried = [pairs[k] for k in rng.permutation(len(pairs))[:3]]
        options = [(pair, values) for pair in tried for values in ((one, other), (other, one))]
        pair, values = max(options, key=lambda o: sum(map(equal_beside, o[0], o[1])))
        board |= dict(zip(pair, values, strict=True))
        pairs.remove(pair)
    return board


def contents_of(kind: Kind, template: Template, rng: np.random.Generator) -> dict[str, int | None]:
    board: dict[str, int | None] = dict(played(template, rng))
    pairs = mirrored_pairs(template)
    chosen = [pairs[k] for k in rng.permutation(len(pairs))]
    if kind.contents == "faults":
        for pair in chosen[:2]:
            board[pair[int(rng.integers(2))]] = int(rng.choice([0, 7, 8, 9]))
        board[chosen[2][int(rng.integers(2))]] = None
    if kind.contents == "partial":
        for pair in chosen[: int(rng.integers(3, 15))]:
            board |= dict.fromkeys(pair)
    return board


def photo_of(number: int, seed: int, hands: Sequence[HandSource], claims: str = "none") -> tuple[bytes, str]:
    """A photo and its truth file. claims: one of `CLAIMS`."""
    kind, template = kind_of(number), get_template(kind_of(number).pad)
    rng = np.random.default_rng([seed, number])
    ranges = replace(Ranges(), plain_chance=float(kind.plain), tilt=STEEP if kind.steep else FROM_ABOVE)
    setting = Setting(size=(1600, 1200), quarter_turns=int(rng.choice(4, p=TURNS)), ranges=ranges)
    hand = hands[int(rng.integers(len(hands)))]
    contents = contents_of(kind, template, rng)
    if has_claims(number, claims):
        contents |= claimed(template, contents, np.random.default_rng([seed, number, 2]))
    made = simulate(template, contents, hand=hand, seed=[seed, number, 1], setting=setting)
    return made.file(), made.truth.json()


def hands_of(shared: Path | None, cache: Path, part: Split = "test") -> tuple[str, list[Shapes]]:
    """The hands of a part, and their name; those of the test part trained and tuned nothing."""
    if shared is not None:
        pool = from_swiss(shared / "digits-swiss")
        writers = sorted({int(writer) for writer in pool.writer if swiss_split(int(writer)) == part})
        return f"Swiss {part} writers", [pool_hand(pool, writer) for writer in writers]
    specs = [spec for spec in shipped_fonts() if spec.kind == "hand" and spec.split == part]
    fetch(specs, cache)
    return f"fonts of the {part} part", [font_hand(spec, cache) for spec in specs]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One photo. claims: its boxes for the points are filled in. upright: its top is found at the top. others: sheets
    that aren't on it.

    missed, invented: mistakes on the sheet, by code and cells; surely: those of the invented ones that are called sure.
    """

    kind: Kind
    claims: bool
    judged: JudgedSheet
    upright: bool
    others: int
    planted: frozenset[tuple[str, tuple[str, ...]]]
    missed: frozenset[tuple[str, tuple[str, ...]]]
    invented: frozenset[tuple[str, tuple[str, ...]]]
    surely: frozenset[tuple[str, tuple[str, ...]]]

    @property
    def is_fine(self) -> bool:
        return self.judged.all_right and not self.others and not self.missed and not self.invented


def mistakes(flags: Iterable[Flag]) -> frozenset[tuple[str, tuple[str, ...]]]:
    return frozenset((flag.code, flag.cells) for flag in flags if flag.code in MISTAKES)


def is_upright(truth: Truth, sheet: Sheet) -> bool:
    """Is the corner found as the top left one nearest to the true top left one?"""
    assert truth.corners is not None
    assert sheet.place is not None
    found = np.array([sheet.place.corners[0].x, sheet.place.corners[0].y])
    return int(np.linalg.norm(truth.corners - found, axis=1).argmin()) == 0


def outcome_of(
    kind: Kind, claims: bool, truth: Truth, sheets: Sequence[Sheet], note: str | None
) -> tuple[Outcome, Sheet | None]:
    (sheet,) = match([truth], sheets)
    judged = judge(kind.name, truth, sheet, note)
    planted = mistakes(get_game("splitter").flags(truth.board, truth.template, GameContext()))
    seen = frozenset() if sheet is None else mistakes(sheet.verdict.flags)
    others = len(sheets) - (sheet is not None)
    upright = sheet is not None and is_upright(truth, sheet)
    sure = frozenset() if sheet is None else mistakes(flag for flag in sheet.verdict.flags if flag.sure)
    missed, invented = planted - seen, seen - planted
    return Outcome(kind, claims, judged, upright, others, planted, missed, invented, sure - planted), sheet


def wrong_cells_picture(path: Path, sheet: Sheet, outcome: Outcome, reader: DigitReader) -> cv2.typing.MatLike | None:
    """For each wrong cell a row: the photo, straightened with a third of the cells around it; the reader's two
    pictures; what is true and what was read."""
    wrong = {cell.id: cell for cell in outcome.judged.wrong}
    if not wrong or sheet.placement is None:
        return None
    photo = next(iter(load(path)))
    batch, placement = orient(cut(photo, sheet.placement), sheet.placement, reader)
    rows = []
    for cell, polygon in zip(sheet.template.cells, placement.cell_polygons(), strict=True):
        if cell.id not in wrong or cell.id not in batch.ids:
            continue
        low, high = CROP_PX / 5, CROP_PX * 4 / 5
        square = np.array([[low, low], [high, low], [high, high], [low, high]], np.float32)
        matrix = cv2.getPerspectiveTransform(polygon.astype(np.float32), square)
        crop = cv2.warpPerspective(photo.rgb[:, :, ::-1], matrix, (CROP_PX, CROP_PX), flags=cv2.INTER_AREA)
        ink = 255 - batch.ink[batch.ids.index(cell.id)]
        seen = [cv2.cvtColor(cv2.resize(one, (CROP_PX, CROP_PX)), cv2.COLOR_GRAY2BGR) for one in ink]
        label = np.full((CROP_PX, 3 * CROP_PX, 3), 255, np.uint8)
        one = wrong[cell.id]
        asked = " asked" if one.asked else ""
        for line, text in enumerate(
            (f"{path.stem} {cell.id}", f"{one.true} -> {one.read}{asked}", f"{one.of_truth:.4f}")
        ):
            cv2.putText(label, text, (4, 24 + 28 * line), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (0, 0, 0), 1, cv2.LINE_AA)
        rows.append(np.hstack([np.asarray(crop), *seen, label]))
    return np.vstack(rows) if rows else None


def measured(
    numbers: Sequence[int], seed: int, hands: Sequence[HandSource], claims: str, keep: Path | None
) -> Iterator[Outcome]:
    templates, reader = load_templates(), default_reader()
    every = tuple(templates.values())
    with tempfile.TemporaryDirectory() as temporary:
        for done, number in enumerate(numbers, start=1):
            kind = kind_of(number)
            stem = f"{number:04d}-{kind.name}"
            path = Path(temporary) / f"{stem}.jpg"
            data, truth_text = photo_of(number, seed, hands, claims)
            path.write_bytes(data)
            path.with_suffix(".json").write_text(truth_text, encoding="utf-8")
            (truth,) = read_truths(path.with_suffix(".json"), templates)
            result = scan(path, templates=every, reader=reader)
            note = result.problems[0].message if result.problems else None
            outcome, sheet = outcome_of(kind, has_claims(number, claims), truth, result.sheets, note)
            if keep is not None and not outcome.is_fine:
                for file in (path, path.with_suffix(".json")):
                    (keep / file.name).write_bytes(file.read_bytes())
                picture = None if sheet is None else wrong_cells_picture(path, sheet, outcome, reader)
                if picture is not None:
                    cv2.imwrite(str(keep / f"{stem}-cells.png"), picture)
            path.unlink()
            if done % 10 == 0 or not outcome.judged.found:
                what = "" if outcome.judged.found else f": {stem} not found ({note}), others {outcome.others}"
                print(f"{done} of {len(numbers)}{what}", file=sys.stderr, flush=True)
            yield outcome


def hides_a_mistake(judged: JudgedSheet) -> bool:
    """Is it sure, and something wrong that isn't even shown as doubtful? What changes no result isn't asked."""
    hidden = any(cell.state != "doubtful" for cell in judged.wrong)
    return judged.broken_promise or (judged.silent and hidden)


def share(hits: int, n: int) -> str:
    return f"{hits:5d} of {n:5d}" + (f"  {100 * hits / n:6.2f} %" if n else "")


def by_claims(found: Sequence[Outcome]) -> Iterator[str]:
    """What the player's claims bring: the sheets with and without them apart, where there are both."""
    if len({one.claims for one in found}) < 2:
        return
    for claims, name in ((False, "boxes for the points empty"), (True, "boxes for the points filled in")):
        sheets = [one.judged for one in found if one.claims == claims]
        cells = [cell for sheet in sheets for cell in sheet.cells if not cell.id.startswith("claim-")]
        silent = sum(sheet.sure and not sheet.total_right for sheet in sheets)
        yield f"{name}, {len(sheets)} sheets"
        yield f"  cells right but boxes       {share(sum(cell.right for cell in cells), len(cells))}"
        yield f"    asked about               {share(sum(cell.asked for cell in cells), len(cells))}"
        yield f"  totals right                {share(sum(sheet.total_right for sheet in sheets), len(sheets))}"
        yield f"  sheets that are sure        {share(sum(sheet.sure for sheet in sheets), len(sheets))}"
        yield f"  wrong totals while sure     {share(silent, len(sheets))}"


def table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    found = [one for one in outcomes if one.judged.found]
    cells = [cell for one in found for cell in one.judged.cells]
    digits = [cell for cell in cells if cell.true.isdigit()]
    blanks = [cell for cell in cells if cell.true == "blank"]
    stars = Counter((one.kind.plain, one.kind.steep, one.judged.found) for one in outcomes)
    planted = sum(len(one.planted) for one in outcomes)
    missed = sum(len(one.missed) for one in outcomes)
    unasked = sum(
        not any(cell.id in cells for cell in one.judged.cells if cell.asked) for one in found for _, cells in one.missed
    )
    legal = [one for one in found if not one.planted]
    close = sum((one.judged.corner_error or 0) < 0.03 for one in found)
    yield f"found and told apart          {share(len(found), len(outcomes))}"
    for plain, steep in ((False, False), (False, True), (True, False), (True, True)):
        name = f"  {'plain' if plain else 'colours'}, {'steep' if steep else 'from above'}"
        hits = stars[plain, steep, True]
        yield f"{name:<29} {share(hits, hits + stars[plain, steep, False])}"
    yield f"  the right way up            {share(sum(one.upright for one in found), len(found))}"
    yield f"  corners within 3 %          {share(close, len(found))}"
    yield f"  sheets that aren't there    {share(sum(one.others for one in outcomes), len(outcomes))}"
    yield f"cells right                   {share(sum(cell.right for cell in cells), len(cells))}"
    yield f"  digits, recall              {share(sum(cell.right for cell in digits), len(digits))}"
    yield f"  blanks, recall              {share(sum(cell.right for cell in blanks), len(blanks))}"
    yield f"  asked about                 {share(sum(cell.asked for cell in cells), len(cells))}"
    yield f"totals right                  {share(sum(one.judged.total_right for one in found), len(found))}"
    yield f"sheets that are sure          {share(sum(one.judged.sure for one in found), len(found))}"
    silent = sum(one.judged.sure and not one.judged.total_right for one in found)
    yield f"wrong totals while sure       {share(silent, len(found))}"
    yield f"  anything wrong while sure   {share(sum(one.judged.silent for one in found), len(found))}"
    yield f"    not shown as doubtful     {share(sum(hides_a_mistake(one.judged) for one in found), len(found))}"
    yield f"planted mistakes flagged      {share(planted - missed, planted)}"
    yield f"  missed, and nothing asked   {share(unasked, planted)}"
    yield f"legal sheets with a flag      {share(sum(bool(one.invented) for one in legal), len(legal))}"
    yield f"  called sure                 {share(sum(bool(one.surely) for one in legal), len(legal))}"
    yield from by_claims(found)
    pairs = Counter((cell.true, cell.read) for cell in cells if not cell.right)
    yield "most frequent errors: " + ", ".join(f"{a}->{b} {n}" for (a, b), n in pairs.most_common(12))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=128, help="photos")
    parser.add_argument("--first", type=int, default=0, help="number of the first photo")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shared", type=Path, default=None, help="folder that holds digits-swiss")
    parser.add_argument("--cache", type=Path, default=Path("training-cache/fonts"), help="folder for the font packages")
    parser.add_argument("--part", choices=PARTS, default=PARTS[0], help="whose hands: those that test, tune or train")
    parser.add_argument("--claims", choices=CLAIMS, default=CLAIMS[0], help="pads whose boxes for points are filled in")
    parser.add_argument("--keep", type=Path, default=None, help="folder for the sheets with something wrong")
    chosen = parser.parse_args()
    cv2.setNumThreads(1)
    if chosen.keep is not None:
        chosen.keep.mkdir(parents=True, exist_ok=True)
    name, hands = hands_of(chosen.shared, chosen.cache, chosen.part)
    numbers = range(chosen.first, chosen.first + chosen.n)
    outcomes = list(measured(numbers, chosen.seed, hands, chosen.claims, chosen.keep))
    print(f"{chosen.n} generated pads, seed {chosen.seed}, {name}, claims {chosen.claims}, {default_reader().name}")
    print("\n".join(table(outcomes)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
