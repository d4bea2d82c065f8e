"""The digits that train the reader, gathered from MNIST, Swiss hands and fonts into one pool.

Nothing is slanted, blurred or thinned here: augmentation belongs to training. Run it by

    python -m scanner.training.glyphs --shared DIR --cache DIR --out FILE.npz

which also writes ``FILE-symbols.npz``, the shapes that are no digits (`scanner.training.symbols`).
"""

from __future__ import annotations

import argparse
import gzip
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image

from scanner.errors import MissingFileError, NotAnImageError, PadscoreError
from scanner.training.fonts import FontSpec, Kind, Split, draw, fetch, shipped_fonts, truetype
from scanner.training.ink import SIDE, GlyphArray, fit, from_paper

DIGITS: Final = "0123456789"

MNIST_WRITER: Final = 100
"""Writer groups: Swiss writers keep their numbers (1 to 21), MNIST's files are 100 and 101, fonts count from 1000."""

FONT_WRITER: Final = 1000

SWISS_FIXES: Final[Mapping[str, int]] = {
    "1/0017-599.png": 7,
    "3/0006-205.png": 8,
    "3/0006-545.png": 8,
    "3/0021-451.png": 2,
    "5/0002-459.png": 4,
    "5/0006-92.png": 3,
    "6/0014-344.png": 7,
    "7/0017-579.png": 2,
    "8/0004-411.png": 6,
    "8/0017-233.png": 9,
    "9/0004-314.png": 8,
}
"""Swiss crops whose folder is wrong, by path, with the digit that is really there.

Found as crops whose nine nearest neighbours agree on another digit, then judged by eye; unclear ones keep their folder.
"""


@dataclass(frozen=True)
class GlyphPool:
    """Digits in the common form; all arrays have the same length n.

    `ink` uint8 [n, 48, 48]: density 0 (paper) to 255 (full ink), the tight bounding box 44 px long, centred.
    `digit` uint8 [n]: 0 to 9. `source` uint16 [n]: index into `sources` ("mnist", "swiss", "font:NAME").
    `writer` int32 [n]: the group of one hand, never to be torn apart between splits. `kind` str [n]: "hand" or "print".
    `split` str [n]: "train", "val" or "test".
    """

    ink: GlyphArray
    digit: npt.NDArray[np.uint8]
    source: npt.NDArray[np.uint16]
    writer: npt.NDArray[np.int32]
    kind: npt.NDArray[np.str_]
    split: npt.NDArray[np.str_]
    sources: tuple[str, ...]

    def __post_init__(self) -> None:
        n = len(self.digit)
        if self.ink.shape != (n, SIDE, SIDE) or self.ink.dtype != np.uint8:
            raise ValueError(f"expected ink uint8 [{n}, {SIDE}, {SIDE}], got {self.ink.dtype} {list(self.ink.shape)}")
        for name in ("source", "writer", "kind", "split"):
            shape = getattr(self, name).shape
            if shape != (n,):
                raise ValueError(f"expected {name} [{n}], got {list(shape)}")

    def __len__(self) -> int:
        return len(self.digit)

    def select(self, chosen: npt.NDArray[np.bool_] | npt.NDArray[np.intp]) -> GlyphPool:
        """The glyphs of a mask [n] or of indices, with the same `sources`."""
        return replace(
            self,
            ink=self.ink[chosen],
            digit=self.digit[chosen],
            source=self.source[chosen],
            writer=self.writer[chosen],
            kind=self.kind[chosen],
            split=self.split[chosen],
        )

    def assigned(self, writers: Iterable[int], split: Split) -> GlyphPool:
        """The same pool with these writers' glyphs put into `split`."""
        chosen = np.isin(self.writer, np.array(sorted(writers), dtype=np.int32))
        return replace(self, split=np.where(chosen, split, self.split).astype("U5"))

    def save(self, path: Path) -> None:
        """Write an .npz (compressed); `path` should end in ``.npz``."""
        np.savez_compressed(
            path,
            ink=self.ink,
            digit=self.digit,
            source=self.source,
            writer=self.writer,
            kind=self.kind,
            split=self.split,
            sources=np.array(self.sources),
        )

    @classmethod
    def load(cls, path: Path) -> GlyphPool:
        """Read what `save` wrote; MissingFileError if there is no such file."""
        if not path.exists():
            raise MissingFileError(
                "no such glyph pool", remedy="make it by python -m scanner.training.glyphs", subject=str(path)
            )
        with np.load(path, allow_pickle=False) as data:
            return cls(
                ink=data["ink"],
                digit=data["digit"],
                source=data["source"],
                writer=data["writer"],
                kind=data["kind"],
                split=data["split"],
                sources=tuple(str(name) for name in data["sources"]),
            )


def _pool(
    inks: Sequence[GlyphArray],
    digits: Sequence[int],
    writers: Sequence[int],
    source: str,
    kind: Kind,
    splits: Sequence[Split],
) -> GlyphPool:
    n = len(digits)
    return GlyphPool(
        ink=np.stack(inks) if inks else np.zeros((0, SIDE, SIDE), np.uint8),
        digit=np.array(digits, dtype=np.uint8),
        source=np.zeros(n, np.uint16),
        writer=np.array(writers, dtype=np.int32),
        kind=np.full(n, kind, dtype="U5"),
        split=np.array(splits, dtype="U5"),
        sources=(source,),
    )


def merge(pools: Sequence[GlyphPool]) -> GlyphPool:
    """One pool after the other; equal source names become one source."""
    names = tuple(dict.fromkeys(name for pool in pools for name in pool.sources))
    index = {name: i for i, name in enumerate(names)}
    mapped = [np.array([index[name] for name in pool.sources], dtype=np.uint16)[pool.source] for pool in pools]
    return GlyphPool(
        ink=np.concatenate([pool.ink for pool in pools]),
        digit=np.concatenate([pool.digit for pool in pools]),
        source=np.concatenate(mapped),
        writer=np.concatenate([pool.writer for pool in pools]),
        kind=np.concatenate([pool.kind for pool in pools]),
        split=np.concatenate([pool.split for pool in pools]),
        sources=names,
    )


def from_mnist(folder: Path) -> GlyphPool:
    """MNIST's four idx .gz files: 60,000 glyphs of split train (writer 100) and 10,000 of split test (writer 101)."""
    inks: list[GlyphArray] = []
    digits: list[int] = []
    writers: list[int] = []
    splits: list[Split] = []
    parts: tuple[tuple[str, int, Split], ...] = (("train", MNIST_WRITER, "train"), ("t10k", MNIST_WRITER + 1, "test"))
    for stem, writer, split in parts:
        images = read_idx(folder / f"{stem}-images-idx3-ubyte.gz")
        labels = read_idx(folder / f"{stem}-labels-idx1-ubyte.gz")
        for image, label in zip(images, labels, strict=True):
            glyph = fit(image)
            if glyph is not None:
                inks.append(glyph)
                digits.append(int(label))
                writers.append(writer)
                splits.append(split)
    return _pool(inks, digits, writers, "mnist", "hand", splits)


def read_idx(path: Path) -> npt.NDArray[np.uint8]:
    """A gzipped idx file of bytes (format: yann.lecun.com/exdb/mnist), in its own shape.

    Raises MissingFileError, or NotAnImageError when the header isn't that of an idx file of bytes.
    """
    if not path.exists():
        raise MissingFileError("no such file", remedy="give the folder that holds MNIST's .gz files", subject=str(path))
    data = gzip.decompress(path.read_bytes())
    # Two zero bytes, the type (8: unsigned byte), the number of dimensions; then each dimension, big-endian.
    if len(data) < 4 or data[:3] != b"\x00\x00\x08":
        raise NotAnImageError("is no idx file of bytes", remedy="download it again", subject=str(path))
    ndim = data[3]
    shape = tuple(int(side) for side in np.frombuffer(data, ">u4", count=ndim, offset=4))
    values = np.frombuffer(data, np.uint8, offset=4 + 4 * ndim)
    if values.size != int(np.prod(shape)):
        raise NotAnImageError(f"holds {values.size} bytes, not {shape}", remedy="download it again", subject=str(path))
    return values.reshape(shape)


def from_swiss(folder: Path) -> GlyphPool:
    """Crops ``<digit>/<writer>-<n>.png``, dark on light; all of split train; `GlyphPool.assigned` changes that."""
    paths = sorted(path for path in folder.glob("[0-9]/*.png"))
    if not paths:
        remedy = "give the folder of the crops"
        raise MissingFileError("holds no <digit>/<writer>-<n>.png", remedy=remedy, subject=str(folder))
    inks: list[GlyphArray] = []
    digits: list[int] = []
    writers: list[int] = []
    for path in paths:
        with Image.open(path) as picture:
            glyph = fit(from_paper(np.asarray(picture.convert("L"), dtype=np.uint8)))
        if glyph is not None:
            inks.append(glyph)
            digits.append(SWISS_FIXES.get(f"{path.parent.name}/{path.name}", int(path.parent.name)))
            writers.append(int(path.name.split("-")[0]))
    splits: list[Split] = ["train"] * len(inks)
    return _pool(inks, digits, writers, "swiss", "hand", splits)


def from_font(spec: FontSpec, cache: Path, *, writer: int) -> GlyphPool:
    """The digits of one family in all its listed weights, upright; digits that a file lacks are left out."""
    inks: list[GlyphArray] = []
    digits: list[int] = []
    for weight in spec.weights:
        typeface, characters = truetype(spec, weight, cache)
        for character, glyph in draw(typeface, [digit for digit in DIGITS if digit in characters]):
            inks.append(glyph)
            digits.append(int(character))
    n = len(inks)
    return _pool(inks, digits, [writer] * n, f"font:{spec.name}", spec.kind, [spec.split] * n)


def from_fonts(specs: Sequence[FontSpec], cache: Path) -> GlyphPool:
    """All families of a list, writers 1000, 1001, ... in the list's order."""
    return merge([from_font(spec, cache, writer=FONT_WRITER + i) for i, spec in enumerate(specs)])


def build(shared: Path, cache: Path) -> GlyphPool:
    """The whole pool: MNIST, Swiss digits below `shared`, the fonts of the list in `cache` (fetched if lacking)."""
    specs = shipped_fonts()
    fetch(specs, cache)
    return merge([from_mnist(shared / "mnist"), from_swiss(shared / "digits-swiss"), from_fonts(specs, cache)])


def main(argv: Sequence[str] | None = None) -> int:
    """The command; progress goes to stderr."""
    # Here, as symbols draws its letters with the fonts' helpers and isn't needed by those who only load a pool.
    from scanner.training.symbols import letters, symbols

    parser = argparse.ArgumentParser("python -m scanner.training.glyphs", description="Gather the training glyphs.")
    parser.add_argument("--shared", type=Path, required=True, help="folder with mnist/ and digits-swiss/")
    parser.add_argument("--cache", type=Path, default=Path("training-cache/fonts"), help="folder for the font packages")
    parser.add_argument("--out", type=Path, required=True, help="the .npz to write; FILE-symbols.npz stands beside it")
    parser.add_argument("--seed", type=int, default=1, help="seed of the drawn symbols")
    options = parser.parse_args(argv)
    start = time.monotonic()
    try:
        pool = build(options.shared, options.cache)
        hands = [spec for spec in shipped_fonts() if spec.kind == "hand"]
        shapes = symbols(np.random.default_rng(options.seed)).joined(letters(hands, options.cache))
    except PadscoreError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    options.out.parent.mkdir(parents=True, exist_ok=True)
    pool.save(options.out)
    shapes.save(options.out.with_name(options.out.stem + "-symbols.npz"))
    seconds = time.monotonic() - start
    print(f"{len(pool)} digits of {len(pool.sources)} sources, {len(shapes)} symbols, {seconds:.0f} s", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
