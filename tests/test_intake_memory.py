"""How much memory a picture may take while it is decoded, however little its file holds."""

from __future__ import annotations

import io
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from scanner.errors import TooLargeError
from scanner.intake import limits, load, pixels

SIDE = 14_000
HIGHEST_MB = 150
"""More than the program itself and its libraries need before any picture; what is measured is what comes on top."""

_MEASURE = """
import sys
from scanner.errors import TooLargeError
from scanner.intake import load
try:
    print(next(load(sys.argv[1])).rgb.shape)
except TooLargeError as error:
    print(error.cause)
try:
    # of this process alone: ru_maxrss would count what its parent had when it was started
    peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM:")).split()[1]
except FileNotFoundError:
    import resource
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "darwin" else 1)
print(int(peak) // 1024)
"""


def empty_png(side: int, colour_type: int, depth: int, channels: int, *extra: tuple[bytes, bytes]) -> bytes:
    """A square PNG of zeros, made without ever holding its pixels (PNG specification, 5.2 and 11.2)."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    packer = zlib.compressobj(1)
    row = bytes(1 + side * channels * depth // 8)
    rows = b"".join(packer.compress(row) for _ in range(side)) + packer.flush()
    header = struct.pack(">IIBBBBB", side, side, depth, colour_type, 0, 0, 0)
    between = b"".join(chunk(*one) for one in extra)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + between + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def measured(path: Path) -> tuple[str, int]:
    """What loading the file gave, in a process of its own, and that process's highest memory in MB."""
    ran = subprocess.run(
        [sys.executable, "-c", _MEASURE, str(path)], capture_output=True, text=True, timeout=120, check=True
    )
    outcome, peak = ran.stdout.splitlines()
    return outcome, int(peak)


@pytest.mark.parametrize(
    ("make", "outcome", "pixels_mb"),
    [
        (lambda: empty_png(SIDE, 0, 8, 1), "(1000, 1000, 3)", SIDE**2 / 1e6),  # grey
        (
            lambda: empty_png(SIDE, 3, 8, 1, (b"PLTE", bytes(3)), (b"tRNS", b"\0")),
            "(1000, 1000, 3)",
            SIDE**2 / 1e6,
        ),  # transparent palette
        (
            lambda: empty_png(SIDE, 2, 8, 3),
            "its 14000 x 14000 pixels would take 784 MB of memory, more than 600",
            0,
        ),  # colour
    ],
)
def test_an_empty_png_of_14000_x_14000(
    tmp_path: Path, make: Callable[[], bytes], outcome: str, pixels_mb: float
) -> None:
    (tmp_path / "bomb.png").write_bytes(make())
    seen, peak = measured(tmp_path / "bomb.png")
    assert seen == outcome
    assert peak < pixels_mb + HIGHEST_MB


def encoded(mode: str, kind: str, **options: object) -> bytes:
    file = io.BytesIO()
    Image.new(mode, (60, 40)).save(file, kind, **options)
    return file.getvalue()


@pytest.mark.parametrize(
    ("mode", "kind", "options", "needed"),
    [
        ("1", "PNG", {}, 1),
        ("L", "PNG", {}, 1),
        ("RGB", "PNG", {}, 4),
        ("RGBA", "TIFF", {}, 4),
        ("RGB", "WEBP", {}, 16),
        ("RGB", "JPEG", {}, 4),
        ("RGB", "JPEG", {"progressive": True}, 10),  # 4, and 2 for each channel's coefficients
        ("L", "JPEG", {"progressive": True}, 3),
    ],
)
def test_what_decoding_takes(
    mode: str, kind: str, options: dict[str, object], needed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = encoded(mode, kind, **options)
    monkeypatch.setattr(limits, "MAX_DECODED_BYTES", 60 * 40 * needed)
    assert next(load(data)).size == (60, 40)
    monkeypatch.setattr(limits, "MAX_DECODED_BYTES", 60 * 40 * needed - 1)
    with pytest.raises(TooLargeError, match="its 60 x 40 pixels would take 0 MB of memory, more than 0; scale it down"):
        next(load(data))


def test_phones_and_scanners_pass() -> None:
    assert limits.decoded_bytes(16320, 12240, "RGB", "JPEG", shrink=8) < limits.MAX_DECODED_BYTES
    assert limits.decoded_bytes(8160, 6120, "RGB", "HEIF") < limits.MAX_DECODED_BYTES  # 50 megapixels
    a4_at_1200_dpi = (round(8.27 * 1200), round(11.69 * 1200))
    assert limits.decoded_bytes(*a4_at_1200_dpi, "RGB", "PNG") < limits.MAX_DECODED_BYTES


# ---- bands


@given(
    st.sampled_from(["1", "L", "P", "RGB", "RGBA", "LA", "CMYK", "I;16", "I", "F"]),
    st.integers(1, 40),
    st.integers(1, 40),
    st.integers(1, 7),
    st.integers(0, 2**32 - 1),
    st.booleans(),
)
def test_bands_change_nothing(mode: str, width: int, height: int, factor: int, seed: int, white: bool) -> None:
    values = np.random.default_rng(seed).integers(0, 256, (height, width, 4), dtype=np.uint8)
    if mode in {"I;16", "I", "F"}:
        kind = {"I;16": np.uint16, "I": np.int32, "F": np.float32}[mode]
        picture = Image.fromarray(np.asarray(values[:, :, 0] * 3, dtype=kind))
    else:
        picture = Image.fromarray(values, "RGBA").convert(mode)
    whole = pixels.to_rgb(picture, factor, white_is_zero=white)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pixels, "BAND_PIXELS", 1)
        assert np.array_equal(pixels.to_rgb(picture, factor, white_is_zero=white), whole)


@given(st.integers(1, 30), st.integers(1, 30), st.integers(0, 30), st.sampled_from(["upper", "lower", "left", "right"]))
def test_the_missing_share_in_bands(width: int, height: int, missing: int, side: str) -> None:
    values = np.full((height, width, 3), 200, dtype=np.uint8)
    lines = width if side in {"left", "right"} else height
    gone = slice(0, min(missing, lines)) if side in {"left", "upper"} else slice(max(lines - missing, 0), lines)
    values[(slice(None), gone) if side in {"left", "right"} else gone] = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pixels, "BAND_PIXELS", 1)
        assert pixels.missing_share(Image.fromarray(values), side, 0) == pytest.approx(min(missing, lines) / lines)
