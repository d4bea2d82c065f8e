"""Letters for pictures: the one font that exists everywhere (Pillow's own), what it can't write, and line breaks."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from PIL import ImageFont

_SUBSTITUTES = str.maketrans(
    {
        "–": "-",
        "—": "-",
        "−": "-",
        "‘": "'",
        "’": "'",
        "“": '"',
        "”": '"',
        "„": '"',
        "…": "...",
        "×": "x",
        "ß": "ss",
        "·": "-",
    }
)


@lru_cache(maxsize=64)
def font(size: int) -> ImageFont.FreeTypeFont:
    """Pillow's built-in font at a height in px (at least 6)."""
    loaded = ImageFont.load_default(max(size, 6))
    if not isinstance(loaded, ImageFont.FreeTypeFont):
        raise RuntimeError("this Pillow was built without FreeType; install Pillow from PyPI (pip install pillow)")
    return loaded


def plain(text: str) -> str:
    """The text in the letters that the font has (ASCII): accents dropped, anything else a question mark."""
    decomposed = unicodedata.normalize("NFKD", text.translate(_SUBSTITUTES))
    kept = "".join(char for char in decomposed if not unicodedata.combining(char))
    return "".join(char if " " <= char <= "~" else "?" for char in kept)


def wrapped(text: str, face: ImageFont.FreeTypeFont, width: float) -> list[str]:
    """Lines of the text that are no wider than `width` px; a single word that is too wide is broken."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if face.getlength(longer) <= width:
            line = longer
            continue
        if line:
            lines.append(line)
        while len(word) > 1 and face.getlength(word) > width:
            cut = next((n for n in range(len(word) - 1, 1, -1) if face.getlength(word[:n]) <= width), 1)
            lines.append(word[:cut])
            word = word[cut:]
        line = word
    if line:
        lines.append(line)
    return lines


def fitted(text: str, size: int, width: float) -> ImageFont.FreeTypeFont:
    """The font at `size` px, or as much smaller as makes the text fit into `width` px."""
    length = font(size).getlength(text)
    return font(size) if length <= width else font(max(6, int(size * width / length)))
