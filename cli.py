"""Padscore from a checkout, without installing it: ``python cli.py scan photo.jpg``."""

import sys

try:
    from scanner.app import main
except ModuleNotFoundError as error:
    if error.name is None or error.name.startswith("scanner"):
        raise
    print(f"{error.name} is not installed; install what padscore needs with: pip install .", file=sys.stderr)
    sys.exit(4)

if __name__ == "__main__":
    main()
