"""`python -m scanner.simulate --samples`: makes the pictures of `samples/` again."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from scanner.errors import PadscoreError
from scanner.simulate.samples import make_all


def main(argv: Sequence[str] | None = None) -> int:
    """The command; messages go to stderr."""
    parser = argparse.ArgumentParser(
        "python -m scanner.simulate", description="Make photos of sheets, with their truth."
    )
    parser.add_argument("--samples", action="store_true", required=True, help="make the shipped samples again")
    parser.add_argument("--out", type=Path, default=Path("samples"), help="folder for them")
    parser.add_argument("--cache", type=Path, default=Path("training-cache/fonts"), help="folder for the font packages")
    options = parser.parse_args(argv)
    try:
        for path in make_all(options.out, options.cache):
            print(path, file=sys.stderr)
    except PadscoreError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main())
