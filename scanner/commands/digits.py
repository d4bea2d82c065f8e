"""`padscore digits`: pictures of single digits against the reader."""

from __future__ import annotations

from pathlib import Path

from scanner.commands.output import print_json, progress_bar, stdout_console
from scanner.digits import print_report, run
from scanner.read.reader import default_reader


def measure(folder: Path, *, json: bool) -> None:
    """Reads all pictures and prints the figures."""
    with progress_bar("reading digits", None) as bar:
        report = run(folder, reader=default_reader(), progress=bar.update)
    if json:
        print_json(report.document())
    else:
        print_report(report, stdout_console())
