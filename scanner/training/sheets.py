"""Generated rectified sheets with known contents, cut by the very code that cuts photos.

So the reader learns from what it will see: what is left of lines, a neighbour's foot, shadow edges, paper grain, blur
and JPEG. All ranges stand in `Ranges` and are part of the model card.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from scanner.cells import CELL_PX, RIM_PX, CellBatch, cut_rectified
from scanner.read.classes import CLASSES
from scanner.training.glyphs import GlyphPool
from scanner.training.ink import BODY, SIDE
from scanner.training.symbols import SymbolPool

FloatImage = npt.NDArray[np.float32]
Span = tuple[float, float]

UNKNOWN_INK = 2
"""Label of the print/hand head where the question makes no sense: blank cells, and unlabelled real ones."""


@dataclass(frozen=True, slots=True)
class Ranges:
    """Every range that a generated sheet is drawn from. Lengths are shares of the cell's side unless said otherwise."""

    rows: tuple[int, int] = (4, 9)
    hardness: Span = (1.0, 1.9)  # beta distribution of a sheet's hardness, 0 to 1; it bounds what is marked (h)
    paper: Span = (90, 250)  # grey level
    gradient: Span = (0.0, 0.35)  # fall of brightness across the sheet
    grain: Span = (0.3, 5.0)  # (h) grey levels, standard deviation, before blur
    shadow_chance: float = 0.2
    shadow: Span = (0.4, 0.85)  # brightness inside the shadow
    tint_chance: float = 0.2
    tint: Span = (0.72, 0.95)  # brightness of tinted cells
    line: Span = (0.010, 0.05)  # width of thin lines
    heavy: Span = (1.2, 3.5)  # times the thin width
    line_darkness: Span = (0.12, 0.95)
    wobble: Span = (0.0, 0.035)  # (h) how far lines stray from where the lattice expects them
    print_height: Span = (0.42, 0.78)
    hand_height: Span = (0.42, 0.95)
    note_height: Span = (0.17, 0.38)
    print_darkness: Span = (0.95, 0.35)  # (h)
    hand_darkness: Span = (0.92, 0.2)  # (h)
    stroke: Span = (0.03, 0.1)  # width of handwritten strokes
    slant: Span = (-14, 14)  # degrees
    resolution: Span = (60, 15)  # (h) px a cell in the simulated photo
    blur: Span = (0.008, 0.05)  # (h) standard deviation; the worst real photo has about 0.05
    jpeg: Span = (95, 35)  # (h)
    noise: Span = (0.3, 5.0)  # (h) grey levels


@dataclass(frozen=True, slots=True)
class Labelled:
    """Cells with truth. classes: int64 [n], index into CLASSES. ink: int64 [n], 0 hand, 1 print, 2 unknown."""

    pictures: npt.NDArray[np.uint8]
    classes: npt.NDArray[np.int64]
    ink: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.classes)


def joined(parts: list[Labelled]) -> Labelled:
    """All parts one after the other."""
    return Labelled(
        np.concatenate([part.pictures for part in parts]),
        np.concatenate([part.classes for part in parts]),
        np.concatenate([part.ink for part in parts]),
    )


@dataclass(frozen=True, slots=True)
class _Pen:
    """One writer's or typeface's habits on one sheet."""

    glyphs: npt.NDArray[np.int64]  # indices into the pool
    height: float
    darkness: float
    stroke: float
    slant: float
    wide: float
    offset: tuple[float, float]
    jitter: float


def _between(rng: np.random.Generator, span: Span) -> float:
    return float(rng.uniform(span[0], span[1]))


def _log_between(rng: np.random.Generator, span: Span) -> float:
    return float(np.exp(rng.uniform(np.log(span[0]), np.log(span[1]))))


class SheetMaker:
    """Draws sheets from pools of glyphs and symbols; one seeded generator makes the whole series reproducible."""

    def __init__(
        self, glyphs: GlyphPool, symbols: SymbolPool, seed: int, ranges: Ranges | None = None, *, dirty: bool = False
    ) -> None:
        """dirty: mostly blank cells, with all that can be on paper without being writing."""
        self._dirty = dirty
        self._rng = np.random.default_rng(seed)
        self._glyphs = glyphs
        self._symbols = symbols
        self._ranges = ranges or Ranges()
        groups = {int(writer): np.flatnonzero(glyphs.writer == writer) for writer in np.unique(glyphs.writer)}
        kinds = {writer: str(glyphs.kind[index[0]]) for writer, index in groups.items()}
        swiss = [w for w, index in groups.items() if glyphs.sources[glyphs.source[index[0]]] == "swiss"]
        mnist = [w for w, index in groups.items() if glyphs.sources[glyphs.source[index[0]]] == "mnist"]
        self._by_writer = groups
        self._print = [w for w, kind in kinds.items() if kind == "print"]
        fonts = [w for w, kind in kinds.items() if kind == "hand" and w not in swiss and w not in mnist]
        # Real hands carry the training, fonts season it.
        self._hands = [(swiss, 0.50), (mnist, 0.33), (fonts, 0.17)]
        self._by_digit = {
            writer: [index[glyphs.digit[index] == digit] for digit in range(10)] for writer, index in groups.items()
        }
        self._hardness = 1.0
        self._by_label = {str(label): np.flatnonzero(symbols.label == label) for label in np.unique(symbols.label)}

    def batch(self) -> Labelled:
        """The cells of one new sheet."""
        rng, ranges = self._rng, self._ranges
        self._hardness = float(rng.beta(*ranges.hardness))
        rows = cols = int(rng.integers(ranges.rows[0], ranges.rows[1] + 1))
        side_y, side_x = rows * CELL_PX + 2 * RIM_PX, cols * CELL_PX + 2 * RIM_PX
        ink: FloatImage = np.zeros((side_y, side_x), dtype=np.float32)
        classes = np.zeros((rows, cols), dtype=np.int64)
        kinds = np.full((rows, cols), UNKNOWN_INK, dtype=np.int64)
        printed, hand = self._print_pen(), self._hand_pen()
        blank = 22 if self._dirty else 5
        shares = rng.dirichlet((blank, 4, 7, 1.6, 1.0, 1.0)) if rng.random() < 0.8 else np.full(6, 1 / 6)
        for row in range(rows):
            for col in range(cols):
                what = int(rng.choice(6, p=shares))
                centre = (RIM_PX + (col + 0.5) * CELL_PX, RIM_PX + (row + 0.5) * CELL_PX)
                name, kind = self._fill(ink, centre, what, printed, hand)
                classes[row, col] = CLASSES.index(name)
                kinds[row, col] = kind
        flat = self._photograph(self._with_lines(ink, rows, cols), rows, cols)
        cells = self._cut(flat, rows, cols)
        return Labelled(cells.ink, classes.ravel(), kinds.ravel())

    def _up_to(self, span: Span) -> float:
        """A draw from the easy end of a span to as near to its hard end as this sheet's hardness allows."""
        return span[0] + float(self._rng.random()) * self._hardness * (span[1] - span[0])

    def _log_up_to(self, span: Span) -> float:
        """The same, evenly in the logarithm."""
        return float(np.exp(self._up_to((float(np.log(span[0])), float(np.log(span[1]))))))

    # What is in a cell

    def _fill(
        self, ink: FloatImage, centre: tuple[float, float], what: int, printed: _Pen, hand: _Pen
    ) -> tuple[str, int]:
        rng = self._rng
        if what == 0:
            self._nothing(ink, centre)
            return "blank", UNKNOWN_INK
        digit = int(rng.integers(0, 10))
        if what == 1:
            self._digit(ink, centre, digit, printed)
            return str(digit), 1
        if what == 2:
            self._digit(ink, centre, digit, hand)
            if rng.random() < 0.06:  # gone over again
                self._digit(ink, centre, digit, hand)
            return str(digit), 0
        if what == 3:
            self._notes(ink, centre, hand)
            return "candidates", 0
        if what == 4:
            self._struck(ink, centre, digit, hand)
            return "struck", 0
        self._scribble(ink, centre, hand)
        return "scribble", 0

    def _nothing(self, ink: FloatImage, centre: tuple[float, float]) -> None:
        rng = self._rng
        if self._dirty and rng.random() < 0.7:
            self._dirt(ink, centre)
        chance = rng.random()
        if chance < 0.12:  # the other side of the paper shows through, mirrored
            writer = self._print[int(rng.integers(len(self._print)))]
            mirrored = self._glyphs.ink[int(rng.choice(self._by_writer[writer]))][:, ::-1]
            through = np.asarray(cv2.GaussianBlur(mirrored, (0, 0), 2.5), dtype=np.uint8)
            self._stamp(ink, through, centre, 0.55, float(rng.uniform(0.02, 0.11)), 0.0, 1.0)
        elif chance < 0.20:  # a speck or a smudge
            spot = np.zeros((SIDE, SIDE), dtype=np.uint8)
            axes = (int(rng.integers(2, 14)), int(rng.integers(2, 8)))
            cv2.ellipse(spot, (SIDE // 2, SIDE // 2), axes, float(rng.uniform(0, 180)), 0, 360, 255, -1, cv2.LINE_AA)
            spot = np.asarray(cv2.GaussianBlur(spot, (0, 0), float(rng.uniform(0.5, 6))), dtype=np.uint8)
            place = (centre[0] + rng.uniform(-0.4, 0.4) * CELL_PX, centre[1] + rng.uniform(-0.4, 0.4) * CELL_PX)
            self._stamp(ink, spot, place, float(rng.uniform(0.2, 0.9)), float(rng.uniform(0.05, 0.35)), 0.0, 1.0)
        elif chance < 0.34:  # what an eraser left of digits or notes
            for _ in range(int(rng.integers(1, 4))):
                glyph = self._glyphs.ink[int(rng.integers(len(self._glyphs)))]
                rubbed = np.asarray(cv2.GaussianBlur(glyph, (0, 0), float(rng.uniform(0.5, 3.0))), dtype=np.uint8)
                place = (centre[0] + rng.normal(0, 0.22) * CELL_PX, centre[1] + rng.normal(0, 0.22) * CELL_PX)
                self._stamp(ink, rubbed, place, float(rng.uniform(0.18, 0.7)), float(rng.uniform(0.02, 0.10)), 0.0, 1.0)
        elif chance < 0.40:  # a fold, a hair, the edge of a shadow
            a = np.asarray(centre) + rng.uniform(-0.9, 0.9, 2) * CELL_PX
            b = np.asarray(centre) + rng.uniform(-0.9, 0.9, 2) * CELL_PX
            layer = np.zeros_like(ink)
            p, q = (tuple(int(v) for v in np.round(end * 8)) for end in (a, b))
            cv2.line(layer, p, q, float(rng.uniform(0.04, 0.3)), 1, cv2.LINE_AA, 3)
            np.maximum(ink, layer, out=ink)

    def _dirt(self, ink: FloatImage, centre: tuple[float, float]) -> None:
        """Blotches of coarse paper, specks, faint streaks, what is left of lines beside the border."""
        rng = self._rng
        size = ink.shape[::-1]
        what = int(rng.integers(5))
        at = np.asarray(centre) + rng.uniform(-0.45, 0.45, 2) * CELL_PX
        layer = np.zeros_like(ink)
        if what == 0:  # a blotch with a grain
            axes = (int(rng.uniform(0.08, 0.5) * CELL_PX), int(rng.uniform(0.05, 0.3) * CELL_PX))
            around = tuple(int(v) for v in at)
            cv2.ellipse(layer, around, axes, float(rng.uniform(0, 180)), 0, 360, 1.0, -1, cv2.LINE_AA)
            left, top = (max(0, c - max(axes)) for c in around)
            right, bottom = (min(side, c + max(axes) + 1) for c, side in zip(around, size, strict=True))
            if right > left and bottom > top:
                grain = rng.normal(0, 1, (bottom - top, right - left)).astype(np.float32)
                grain = np.asarray(cv2.GaussianBlur(grain, (0, 0), float(rng.uniform(0.4, 2.0))), dtype=np.float32)
                grain = np.clip(0.5 + grain / (2 * float(grain.std()) + 1e-6), 0, 1)
                layer[top:bottom, left:right] *= grain * np.float32(rng.uniform(0.04, 0.25))
        elif what == 1:  # specks
            for _ in range(int(rng.integers(1, 7))):
                spot = np.asarray(centre) + rng.uniform(-0.5, 0.5, 2) * CELL_PX
                radius = float(rng.uniform(0.008, 0.05)) * CELL_PX
                point = (int(spot[0] * 8), int(spot[1] * 8))
                cv2.circle(layer, point, max(4, int(radius * 8)), float(rng.uniform(0.08, 0.8)), -1, cv2.LINE_AA, 3)
        elif what == 2:  # a faint streak
            step = rng.normal(0, 0.22, 2) * CELL_PX
            (x0, y0), (x1, y1) = (8 * np.stack([at - step, at + step])).astype(int).tolist()
            cv2.line(layer, (x0, y0), (x1, y1), float(rng.uniform(0.03, 0.14)), int(rng.integers(1, 3)), cv2.LINE_AA, 3)
        elif what == 3:  # what is left of lines, beside the border
            for _ in range(int(rng.integers(1, 4))):
                upright = rng.random() < 0.5
                away = float(rng.choice([-1, 1])) * rng.uniform(0.36, 0.49) * CELL_PX
                a, b = np.sort(rng.uniform(-0.5, 0.5, 2)) * CELL_PX
                span = np.array([[away, a], [away, b]] if upright else [[a, away], [b, away]])
                (x0, y0), (x1, y1) = (8 * (np.asarray(centre) + span)).astype(int).tolist()
                cv2.line(
                    layer, (x0, y0), (x1, y1), float(rng.uniform(0.1, 0.9)), int(rng.integers(1, 3)), cv2.LINE_AA, 3
                )
        else:  # a small smudge
            axes = (int(rng.uniform(0.02, 0.13) * CELL_PX * 8), int(rng.uniform(0.015, 0.06) * CELL_PX * 8))
            place = (int(at[0] * 8), int(at[1] * 8))
            level = float(rng.uniform(0.08, 0.6))
            cv2.ellipse(layer, place, axes, float(rng.normal(0, 20)), 0, 360, level, -1, cv2.LINE_AA, 3)
            layer = np.asarray(cv2.GaussianBlur(layer, (0, 0), float(rng.uniform(0.5, 2.5))), dtype=np.float32)
        np.maximum(ink, layer, out=ink)

    def _digit(self, ink: FloatImage, centre: tuple[float, float], digit: int, pen: _Pen) -> None:
        rng = self._rng
        choices = pen.glyphs[self._glyphs.digit[pen.glyphs] == digit]
        if not len(choices):
            return
        height = pen.height * float(np.exp(rng.normal(0, 0.6 * pen.jitter)))
        glyph = self._glyphs.ink[int(rng.choice(choices))]
        if pen.stroke > 0:
            glyph = self._drawn_by(glyph, pen, height)
        place = (
            centre[0] + (pen.offset[0] + rng.normal(0, 0.4 * pen.jitter)) * CELL_PX,
            centre[1] + (pen.offset[1] + rng.normal(0, 0.4 * pen.jitter)) * CELL_PX,
        )
        darkness = pen.darkness * float(np.exp(rng.normal(0, 0.5 * pen.jitter)))
        self._stamp(ink, glyph, place, height, darkness, pen.slant + rng.normal(0, 20 * pen.jitter), pen.wide)

    def _notes(self, ink: FloatImage, centre: tuple[float, float], pen: _Pen) -> None:
        """Small pencil notes: in a row at one edge, in corners, or each at its place of a 3 x 3 pattern."""
        rng = self._rng
        height = _between(rng, self._ranges.note_height)
        count = int(rng.choice([1, 2, 3, 4], p=[0.25, 0.39, 0.25, 0.11]))
        digits = rng.choice(np.arange(1, 10), size=count, replace=False)
        style = rng.random()
        if style < 0.6:
            step = height * rng.uniform(0.62, 0.95)
            x = -0.5 * step * (count - 1) + rng.uniform(-0.2, 0.2) * (count < 4)
            if count == 1:
                x = float(rng.choice([-1, 1])) * rng.uniform(0.12, 0.32)
            y = float(rng.choice([-0.3, -0.27, 0.3, 0.0], p=[0.45, 0.3, 0.15, 0.1]))
            places = [(x + k * step, y + rng.normal(0, 0.03)) for k in range(count)]
        elif style < 0.8:
            corners = [(-0.3, -0.3), (0.3, -0.3), (0.3, 0.3), (-0.3, 0.3)]
            order = rng.permutation(4)[:count]
            places = [corners[k] for k in order]
        else:
            height = min(height, 0.3)
            places = [(((d - 1) % 3 - 1) * 0.3, ((d - 1) // 3 - 1) * 0.3) for d in digits]
        darkness = pen.darkness * rng.uniform(0.6, 1.0)
        for digit, (x, y) in zip(digits, places, strict=True):
            choices = pen.glyphs[self._glyphs.digit[pen.glyphs] == digit]
            if not len(choices):
                continue
            own = height * float(np.exp(rng.normal(0, 0.1)))
            glyph = self._drawn_by(self._glyphs.ink[int(rng.choice(choices))], pen, own)
            place = (centre[0] + x * CELL_PX, centre[1] + y * CELL_PX)
            self._stamp(ink, glyph, place, own, max(darkness, 0.17), pen.slant + rng.normal(0, 6), pen.wide)

    def _struck(self, ink: FloatImage, centre: tuple[float, float], digit: int, pen: _Pen) -> None:
        """A digit with a stroke through it, or a bare stroke or dash for "nothing"."""
        rng = self._rng
        bare = rng.random() < 0.3
        if not bare:
            self._digit(ink, centre, digit, pen)
        label = str(rng.choice(["slash", "cross", "dash", "zigzag"], p=[0.4, 0.3, 0.2, 0.1]))
        glyph = self._symbol(label)
        size = float(rng.uniform(0.75, 1.15) if label in ("slash", "cross") else rng.uniform(0.55, 1.0))
        place = tuple(c + rng.normal(0, 0.06) * CELL_PX for c in centre)
        self._stamp(ink, self._drawn_by(glyph, pen, size), place, size, pen.darkness, 0.0, 1.0)

    def _scribble(self, ink: FloatImage, centre: tuple[float, float], pen: _Pen) -> None:
        rng = self._rng
        label = str(
            rng.choice(
                ["scribble", "zigzag", "star", "heart", "check", "letter"], p=[0.36, 0.13, 0.17, 0.13, 0.11, 0.10]
            )
        )
        size = float(rng.uniform(0.45, 1.05))
        place = tuple(c + rng.normal(0, 0.06) * CELL_PX for c in centre)
        self._stamp(ink, self._symbol(label), place, size, pen.darkness, rng.normal(0, 8), 1.0)

    def _symbol(self, label: str) -> npt.NDArray[np.uint8]:
        choices = self._by_label[label]
        return np.asarray(self._symbols.ink[int(self._rng.choice(choices))], dtype=np.uint8)

    def _drawn_by(self, glyph: npt.NDArray[np.uint8], pen: _Pen, height: float) -> npt.NDArray[np.uint8]:
        """The glyph with strokes as wide as the pen's once it is drawn `height` cells tall."""
        wanted = pen.stroke * CELL_PX / (height * CELL_PX / BODY)
        return restroked(glyph, wanted * float(np.exp(self._rng.normal(0, 0.08))))

    def _stamp(
        self,
        ink: FloatImage,
        glyph: npt.NDArray[np.uint8],
        centre: tuple[float, ...],
        height: float,
        darkness: float,
        slant: float,
        wide: float,
    ) -> None:
        """Draws a glyph, `height` cells tall or wide, onto the ink layer; ink over ink gets darker, never lighter."""
        scale = height * CELL_PX / BODY
        angle = np.radians(self._rng.normal(0, 3))
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        shear = np.array([[wide, -np.tan(np.radians(slant))], [0, 1]])
        linear = scale * turn @ shear
        reach = int(np.ceil(0.5 * SIDE * scale * (1.2 + abs(np.tan(np.radians(slant)))))) + 2
        x0, y0 = round(centre[0]) - reach, round(centre[1]) - reach
        local = np.array([centre[0] - x0, centre[1] - y0])
        shift = local - linear @ np.array([(SIDE - 1) / 2, (SIDE - 1) / 2])
        size = 2 * reach
        picture = glyph if scale > 0.5 else cv2.GaussianBlur(glyph, (0, 0), 0.35 / scale)
        drawn = cv2.warpAffine(picture, np.hstack([linear, shift[:, None]]), (size, size), flags=cv2.INTER_LINEAR)
        left, top = max(0, x0), max(0, y0)
        right, bottom = min(ink.shape[1], x0 + size), min(ink.shape[0], y0 + size)
        if right <= left or bottom <= top:
            return
        part = drawn[top - y0 : bottom - y0, left - x0 : right - x0].astype(np.float32) * (min(darkness, 0.97) / 255)
        under = ink[top:bottom, left:right]
        ink[top:bottom, left:right] = np.maximum(under, part) + 0.25 * np.minimum(under, part) * (
            1 - np.maximum(under, part)
        )

    # Pens

    def _print_pen(self) -> _Pen:
        rng, ranges = self._rng, self._ranges
        writer = self._print[int(rng.integers(len(self._print)))]
        return _Pen(
            self._by_writer[writer],
            _between(rng, ranges.print_height),
            self._up_to(ranges.print_darkness),
            0.0,  # printed digits keep their own strokes
            0.0,
            float(rng.uniform(0.85, 1.12)),
            (float(rng.normal(0, 0.04)), float(rng.normal(0, 0.06))),
            0.012,
        )

    def _hand_pen(self) -> _Pen:
        rng, ranges = self._rng, self._ranges
        pools = [pool for pool, _ in self._hands if pool]
        weights = np.array([weight for pool, weight in self._hands if pool])
        writers = pools[int(rng.choice(len(pools), p=weights / weights.sum()))]
        writer = writers[int(rng.integers(len(writers)))]
        return _Pen(
            self._by_writer[writer],
            _between(rng, ranges.hand_height) if rng.random() < 0.8 else float(rng.uniform(0.5, 0.75)),
            self._up_to(ranges.hand_darkness),
            _log_between(rng, ranges.stroke),
            _between(rng, ranges.slant),
            float(rng.uniform(0.8, 1.25)),
            (float(rng.normal(0, 0.05)), float(rng.normal(0, 0.05))),
            float(rng.uniform(0.05, 0.2)),
        )

    # The sheet around the cells

    def _with_lines(self, ink: FloatImage, rows: int, cols: int) -> FloatImage:
        """Ink with the lattice's printed lines, which stray a little from where the lattice expects them."""
        rng, ranges = self._rng, self._ranges
        width = _log_between(rng, ranges.line) * CELL_PX
        heavy = width * _between(rng, ranges.heavy)
        dark = _between(rng, ranges.line_darkness)
        faint = dark * (rng.uniform(0.3, 1.0) if rng.random() < 0.5 else 1.0)
        every = int(rng.choice([0, 2, 3]))
        wobble = self._up_to(ranges.wobble) * CELL_PX
        layer = np.zeros_like(ink)
        for upright in (True, False):
            lines, length = (cols, ink.shape[0]) if upright else (rows, ink.shape[1])
            span = np.linspace(RIM_PX, length - RIM_PX, 24)
            for k in range(lines + 1):
                border = k in (0, lines)
                strong = border or (every > 0 and k % every == 0)
                knots = rng.normal(0, wobble / 2, 5) + rng.normal(0, wobble / 2)
                stray = np.interp(span, np.linspace(RIM_PX, length - RIM_PX, 5), knots)
                at = RIM_PX + k * CELL_PX + stray
                points = np.stack([at, span] if upright else [span, at], axis=1)
                wanted = heavy if strong else width
                _polyline(layer, points, wanted, dark if strong else faint)
        # Tinted cells and what is printed beyond the border.
        if rng.random() < 0.4:
            edge = slice(0, RIM_PX - 6) if rng.random() < 0.5 else slice(-RIM_PX + 6, None)
            stripes = (rng.random((8, ink.shape[1] // 6 + 1)) < 0.5).astype(np.float32) * dark
            big = cv2.resize(stripes, (ink.shape[1], RIM_PX - 6), interpolation=cv2.INTER_NEAREST)
            layer[edge] = np.maximum(layer[edge], big)
        return np.maximum(ink, layer)

    def _photograph(self, ink: FloatImage, rows: int, cols: int) -> npt.NDArray[np.uint8]:
        """The sheet as a phone would have it after rectifying: uint8 [h, w], grey."""
        rng, ranges = self._rng, self._ranges
        height, width = ink.shape
        level = _between(rng, ranges.paper)
        light = np.full((height, width), level, dtype=np.float32)
        fall = _between(rng, ranges.gradient)
        direction = rng.uniform(0, 2 * np.pi)
        ramp_y, ramp_x = np.linspace(-0.5, 0.5, height)[:, None], np.linspace(-0.5, 0.5, width)[None, :]
        light *= (1 - fall * (0.5 + ramp_x * np.cos(direction) + ramp_y * np.sin(direction))).astype(np.float32)
        if rng.random() < ranges.tint_chance:
            tint = np.where(rng.random((rows + 2, cols + 2)) < rng.uniform(0.05, 0.5), _between(rng, ranges.tint), 1.0)
            spread = tint.repeat(CELL_PX, axis=0).repeat(CELL_PX, axis=1)[RIM_PX:, RIM_PX:][:height, :width]
            light *= spread.astype(np.float32)
        if rng.random() < ranges.shadow_chance:
            mask = np.zeros((height, width), dtype=np.float32)
            corners = rng.uniform(-0.3, 1.3, (int(rng.integers(3, 6)), 2)) * np.array([width, height])
            cv2.fillPoly(mask, [cv2.convexHull(corners.astype(np.int32))], 1.0)
            mask = np.asarray(cv2.GaussianBlur(mask, (0, 0), float(rng.uniform(1.0, 12))), dtype=np.float32)
            light *= 1 - (1 - _between(rng, ranges.shadow)) * mask
        picture = light * (1 - ink)
        scale = self._log_up_to(ranges.resolution) / CELL_PX
        small = cv2.resize(
            picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        )
        small = small + rng.normal(0, self._up_to(ranges.grain), small.shape)
        small = cv2.GaussianBlur(small, (0, 0), max(0.25, self._log_up_to(ranges.blur) * scale * CELL_PX))
        small = small + rng.normal(0, self._up_to(ranges.noise), small.shape)
        coded = cv2.imencode(
            ".jpg", np.clip(small, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, int(self._up_to(ranges.jpeg))]
        )[1]
        back = cv2.imdecode(coded, cv2.IMREAD_GRAYSCALE)
        assert back is not None
        flat = cv2.resize(back, (width, height), interpolation=cv2.INTER_LINEAR)
        return np.asarray(flat, dtype=np.uint8)

    def _cut(self, flat: npt.NDArray[np.uint8], rows: int, cols: int) -> CellBatch:
        row, col = (side.ravel() for side in np.meshgrid(np.arange(rows), np.arange(cols), indexing="ij"))
        ids = tuple(f"r{r + 1}c{c + 1}" for r, c in zip(row, col, strict=True))
        return cut_rectified(flat, ids, row, col, rows, cols, np.ones(rows * cols, dtype=np.bool_))


def restroked(glyph: npt.NDArray[np.uint8], width: float) -> npt.NDArray[np.uint8]:
    """The glyph [48, 48] with strokes about `width` px wide: its outline moved, never so far in that it breaks."""
    inside = glyph > 127
    area = int(inside.sum())
    if area < 8:
        return glyph
    mask = inside.astype(np.uint8)
    within = cv2.distanceTransform(mask, cv2.DIST_L2, 3)
    beyond = cv2.distanceTransform(1 - mask, cv2.DIST_L2, 3)
    outline, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    length = sum(cv2.arcLength(contour, True) for contour in outline)
    own = 2 * area / max(length, 1.0) + 0.7  # contours run through the outermost pixels' centres
    move = float(np.clip((width - own) / 2, -0.22 * own, 4.0))
    return np.asarray(255 * np.clip(within - beyond + move, 0, 1), dtype=np.uint8)


def _polyline(layer: FloatImage, points: npt.NDArray[np.float64], width: float, darkness: float) -> None:
    """A line of any width, thinner than a pixel too: then it is drawn one pixel wide and paler."""
    drawn = max(1, round(width))
    level = min(1.0, darkness * (width if width < 1 else width / drawn))
    mask = np.zeros_like(layer)
    cv2.polylines(mask, [np.round(points * 8).astype(np.int32)], False, level, drawn, cv2.LINE_AA, 3)
    np.maximum(layer, mask, out=layer)
