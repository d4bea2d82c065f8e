"""The fonts that lend their digits to training: the pinned list, the download, and drawing single characters.

The packages come from npm (`npm pack`, no scripts run) into a cache folder and are read from their archives; no font
file belongs to the product. fontTools (extra ``train``) turns the web fonts into TrueType in memory, which every build
of Pillow reads.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Final, Literal, get_args

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from scanner.errors import MissingFileError, UsageError
from scanner.training.ink import GlyphArray, fit

Kind = Literal["hand", "print"]
Split = Literal["train", "val", "test"]

_EM_PX: Final = 160
"""Drawn about three times as large as stored: shrinking then gives clean antialiasing."""


@dataclass(frozen=True, slots=True)
class FontSpec:
    """One family of the list: npm package ``@fontsource/{name}``, its licence (SPDX), the CSS weights to draw."""

    name: str
    version: str
    licence: str
    kind: Kind
    split: Split
    weights: tuple[int, ...]

    @property
    def package(self) -> str:
        """The package with its pinned version, as npm wants it."""
        return f"@fontsource/{self.name}@{self.version}"

    @property
    def archive(self) -> str:
        """The file name that ``npm pack`` gives it."""
        return f"fontsource-{self.name}-{self.version}.tgz"


def parse_fonts(text: str) -> tuple[FontSpec, ...]:
    """Read a list in the form of ``fonts.toml``; UsageError for an unknown kind or split or a name that comes twice."""
    specs = tuple(_spec(entry) for entry in tomllib.loads(text)["font"])
    names = [spec.name for spec in specs]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"{twice[0]} is listed twice", remedy="keep one of the two", subject="fonts.toml")
    return specs


def _spec(entry: dict[str, object]) -> FontSpec:
    name, kind, split, weights = str(entry["name"]), entry["kind"], entry["split"], entry["weights"]
    if kind not in get_args(Kind) or split not in get_args(Split) or not isinstance(weights, list) or not weights:
        raise UsageError(
            f"{name} has an unknown kind or split, or no weights",
            remedy="use hand or print; train, val or test; and at least one weight",
            subject="fonts.toml",
        )
    return FontSpec(
        name=name,
        version=str(entry["version"]),
        licence=str(entry["licence"]),
        kind="hand" if kind == "hand" else "print",
        split="train" if split == "train" else "val" if split == "val" else "test",
        weights=tuple(int(weight) for weight in weights),
    )


@lru_cache(maxsize=1)
def shipped_fonts() -> tuple[FontSpec, ...]:
    """The list that the shipped model was trained with, in the file's order."""
    return parse_fonts(resources.files("scanner.training").joinpath("fonts.toml").read_text(encoding="utf-8"))


def fetch(specs: Sequence[FontSpec], cache: Path) -> None:
    """Download the archives that `cache` lacks, in one call of npm.

    Raises MissingFileError when npm isn't installed or an archive couldn't be had.
    """
    cache.mkdir(parents=True, exist_ok=True)
    lacking = [spec for spec in specs if not (cache / spec.archive).exists()]
    if not lacking:
        return
    npm = shutil.which("npm")
    if npm is None:
        remedy = "install Node.js, or fill the cache by hand"
        raise MissingFileError("npm isn't installed", remedy=remedy, subject=str(cache))
    command = [npm, "pack", "--silent", "--pack-destination", str(cache), *(spec.package for spec in lacking)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    still = [spec.package for spec in lacking if not (cache / spec.archive).exists()]
    if still:
        cause = f"npm (status {done.returncode}) could not fetch {len(still)} fonts, such as {still[0]}"
        raise MissingFileError(cause, remedy="check the network and the versions in fonts.toml", subject=str(cache))


def truetype(spec: FontSpec, weight: int, cache: Path) -> tuple[bytes, frozenset[str]]:
    """One weight as a TrueType/OpenType file, and the characters it really has (all others would be drawn as boxes)."""
    from fontTools.ttLib import TTFont

    member = f"package/files/{spec.name}-latin-{weight}-normal.woff"
    with tarfile.open(cache / spec.archive) as archive:
        names = archive.getnames()
        chosen = next((name for name in (member, member + "2") if name in names), None)
        packed = archive.extractfile(chosen) if chosen else None
        if packed is None:
            cause = f"has no Latin file of weight {weight}"
            raise MissingFileError(cause, remedy="correct its weights in fonts.toml", subject=spec.archive)
        data = packed.read()
    font = TTFont(io.BytesIO(data))
    characters = frozenset(chr(code) for code in font.getBestCmap())
    font.flavor = None
    plain = io.BytesIO()
    font.save(plain)
    return plain.getvalue(), characters


def draw(typeface: bytes, characters: Sequence[str]) -> Iterator[tuple[str, GlyphArray]]:
    """Draw single characters upright with the font file `typeface`: (character, ink [48, 48]), no empty ones."""
    font = ImageFont.truetype(io.BytesIO(typeface), _EM_PX)
    for character in characters:
        left, top, right, bottom = font.getbbox(character)
        margin = _EM_PX // 4
        size = (max(1, int(right - left)) + 2 * margin, max(1, int(bottom - top)) + 2 * margin)
        canvas = Image.new("L", size, 0)
        ImageDraw.Draw(canvas).text((margin - left, margin - top), character, fill=255, font=font)
        glyph = fit(np.asarray(canvas, dtype=np.uint8))
        if glyph is not None:
            yield character, glyph
