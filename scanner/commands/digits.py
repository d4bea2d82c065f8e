"""`padscore digits`: pictures of single digits against the reader."""

from __future__ import annotations

import sys
from pathlib import Path

from scanner.commands.output import print_json, progress_bar, stdout_console
from scanner.digits import DigitsReport, print_report, run
from scanner.errors import UsageError
from scanner.read.reader import default_reader


def measure(folder: Path, report_dir: Path | None, *, json: bool) -> None:
    """Reads all pictures and prints the figures; with a folder to write to, shows the mistakes on a page there."""
    with progress_bar("reading digits", None) as bar:
        report = run(folder, reader=default_reader(), progress=bar.update)
    if report_dir is not None:
        _write(report, folder, report_dir)
    if json:
        print_json(report.document())
    else:
        print_report(report, stdout_console())


def _write(report: DigitsReport, folder: Path, out: Path) -> None:
    from scanner.report.digits_page import write_page

    try:
        page = write_page(report, folder, out)
    except OSError as error:
        cause = f"the page can't be written ({error.strerror or error})"
        raise UsageError(cause, remedy="give a folder that you may write to", subject=str(out)) from None
    print(f"The mistakes are shown in {page}", file=sys.stderr)
