"""Are generated Sudokus at their default severity no easier for the reader than real ones? Exits with 1 if they are.

    python benchmarks/simulated_severity.py SHARED_DIR [--cache DIR] [--record]

SHARED_DIR holds sudoku-newspaper/, sudoku-calendar/ and sudoku-handwritten/, of which the photos of the test part are
read, and digits-swiss/, whose test writers fill in the generated sheets; without it fonts of the test part do, fetched
into the cache. --record writes the figures into severity.toml beside this file, which the tests compare with.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from scanner.read.reader import DEFAULT_MODEL, MODEL_FOLDER, default_reader
from scanner.simulate import HandSource, font_hand, pool_hand
from scanner.templates import get_template
from scanner.training.fonts import fetch, shipped_fonts
from scanner.training.glyphs import from_swiss
from scanner.training.real import true_photos
from scanner.training.severity import Severity, generated_sudokus, real_photos, severity
from scanner.training.split import SWISS_TEST

RECORD = Path(__file__).with_name("severity.toml")
GENERATED = 40


def hands(shared: Path, cache: Path) -> tuple[str, Sequence[HandSource]]:
    """Hands that trained nothing, and their name."""
    swiss = shared / "digits-swiss"
    if swiss.is_dir():
        pool = from_swiss(swiss)
        return "Swiss test writers", [pool_hand(pool, writer) for writer in sorted(SWISS_TEST)]
    specs = [spec for spec in shipped_fonts() if spec.kind != "print" and spec.split == "test"]
    fetch(specs, cache)
    return "fonts of the test part", [font_hand(spec, cache) for spec in specs]


def entries(found: Severity, real: Severity) -> str:
    return (
        f"photos = {found.photos}\nfound = {found.found}\ncells = {found.cells}\n"
        f"error = {found.error:.5f}\nerror_at_real_mix = {found.error_at_mix_of(real):.5f}\n"
        f"log_loss = {found.log_loss:.5f}\n"
        f"digit_error = {found.digit_error:.5f}\nblank_error = {found.blank_error:.5f}\n"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--cache", type=Path, default=Path("training-cache/fonts"), help="folder for the font packages")
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.name}")
    chosen = parser.parse_args()
    template, reader = get_template("sudoku"), default_reader()
    test = [(photo.path, dict(photo.cells)) for photo in true_photos(chosen.shared) if photo.split == "test"]
    if not test:
        print(f"{chosen.shared}: holds no photos of the test part", file=sys.stderr)
        return 2
    real = severity(real_photos(test), template, reader)
    name, writers = hands(chosen.shared, chosen.cache)
    generated = severity(generated_sudokus(writers, GENERATED), template, reader)
    digest = hashlib.sha256((MODEL_FOLDER / f"{DEFAULT_MODEL}.onnx").read_bytes()).hexdigest()
    text = (
        "# The reader alone, without rules and questions, on real photos of the test part and on generated Sudokus at\n"
        "# the default severity. Written by benchmarks/simulated_severity.py --record; run it again for a new model.\n"
        f'date = {datetime.now(UTC).date()}\nmodel = "{reader.name}"\nsha256 = "{digest}"\n\n'
        f'[real]\n{entries(real, real)}\n[generated]\nhands = "{name}"\n{entries(generated, real)}'
    )
    print(text, end="")
    if chosen.record:
        RECORD.write_text(text, encoding="utf-8")
    # Generated sheets hold more numbers than real ones, so equal shares of numbers and blanks are compared as well.
    easier = (
        generated.error < real.error
        or generated.error_at_mix_of(real) < real.error_at_mix_of(real)
        or generated.log_loss < real.log_loss
    )
    if easier:
        print("GENERATED ONES ARE EASIER: widen scanner/simulate/ranges.py")
    return int(easier)


if __name__ == "__main__":
    sys.exit(main())
