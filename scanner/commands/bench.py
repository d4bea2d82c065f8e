"""`padscore bench`: photos beside their truth."""

from __future__ import annotations

from pathlib import Path

from scanner.bench import print_report, run
from scanner.commands.output import print_json, progress_bar, stdout_console
from scanner.commands.sheets import chosen_templates
from scanner.read.reader import default_reader


def measure(folder: Path, templates: Path | None, *, json: bool) -> None:
    """Runs the benchmark and prints its figures."""
    with progress_bar("reading photos", None) as bar:
        report = run(folder, templates=chosen_templates(None, templates), reader=default_reader(), progress=bar.update)
    if json:
        print_json(report.document())
    else:
        print_report(report, stdout_console())
