"""A bench in the terminal: one table to glance at, then the sheets that deserve a look."""

from __future__ import annotations

import math
from collections.abc import Mapping

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from scanner.bench.calibration import Calibration
from scanner.bench.intervals import Share
from scanner.bench.judge import JudgedSheet
from scanner.bench.report import BenchReport

SHOWN_SHEETS = 10
SHOWN_CELLS = 6
SHOWN_FLAGS = 3
SHOWN_CONFUSIONS = 12
SHOWN_NOTES = 10


def print_report(report: BenchReport, console: Console) -> None:
    """Prints the figures, the notes and the worst sheets."""
    f = report.figures
    table = share_table(f"{report.photos} photos of {report.puzzles} puzzles, reader {report.model}")
    add_share(table, "sheets found", f.found)
    add_share(table, "  the right way up", f.upright)
    add_share(table, "corners within 3 % of the side", f.corner_error.within)
    add_share(table, "cells right", f.cells)
    add_share(table, "  digits, recall", f.digit_recall)
    add_share(table, "  digits, precision", f.digit_precision)
    add_share(table, "  blanks, recall", f.blank_recall)
    add_share(table, "  blanks, precision", f.blank_precision)
    add_share(table, "  pencil notes, recall", f.candidates_recall)
    add_share(table, "  struck out, recall", f.struck_recall)
    add_share(table, "boards entirely right", f.boards)
    add_share(table, "totals right", f.totals)
    add_share(table, "score lines right", f.lines)
    add_share(table, "flags, recall", f.flag_recall)
    add_share(table, "flags, precision", f.flag_precision)
    add_share(table, "print and hand told apart", f.ink)
    add_share(table, "sheets that are sure", f.sure)
    add_share(table, "silent errors, sheets", f.silent_sheets)
    add_share(table, "  of what sure covers", f.broken_promises)
    add_share(table, "silent errors, cells", f.silent_cells)
    add_share(table, "cells asked about", f.asked_cells)
    add_share(table, "cells wrong after the answers", f.left_cells)
    console.print(table)
    if f.corner_error.median is not None and f.corner_error.max is not None:
        console.print(
            f"Corner error: median {percent(f.corner_error.median)}, largest {percent(f.corner_error.max)} of the side."
        )
    print_confusions(f.confusions, console)
    if f.ink_confusions:
        named = ", ".join(f"{pair} {count}" for pair, count in f.ink_confusions.items())
        console.print(f"Ink (true->read): {escape(named)}.")
    if f.surely_false_flags:
        console.print(f"Wrong flags told as sure: {f.surely_false_flags}.")
    print_calibration(f.calibration, console)
    stages = ", ".join(f"{stage} {1000 * time.median:.0f}" for stage, time in report.seconds.items())
    console.print(f"Milliseconds a photo (median): {stages}.")
    if report.others:
        console.print(f"Other sheets in the photos, not counted: {report.others}.")
    _print_sheets(report, console)
    for note in report.notes[:SHOWN_NOTES]:
        console.print(f"Note: {escape(note)}")
    if len(report.notes) > SHOWN_NOTES:
        console.print(f"Note: and {len(report.notes) - SHOWN_NOTES} more, see --json")


def share_table(title: str) -> Table:
    """An empty table of shares."""
    table = Table(title=title, title_justify="left")
    table.add_column("figure")
    table.add_column("share", justify="right")
    table.add_column("count", justify="right")
    table.add_column("95 % interval", justify="right")
    return table


def add_share(table: Table, label: str, share: Share) -> None:
    """One row; none if there is nothing to count."""
    if share.share is None:
        return
    interval = "-" if share.interval is None else " to ".join(percent(end) for end in share.interval)
    table.add_row(label, percent(share.share), f"{share.count}/{share.n}", interval)


def percent(share: float) -> str:
    """With two digits, never rounded up to 100 % or down to 0 %."""
    hundredths = round(share * 10_000)
    if hundredths >= 10_000 and share < 1:
        hundredths = math.floor(share * 10_000)
    if hundredths == 0 and share > 0:
        return "< 0.01 %"
    return f"{hundredths / 100:.2f} %"


def print_confusions(confusions: Mapping[str, int], console: Console) -> None:
    """The most frequent confusions, in one line."""
    if confusions:
        named = ", ".join(f"{pair} {count}" for pair, count in list(confusions.items())[:SHOWN_CONFUSIONS])
        more = f", and {len(confusions) - SHOWN_CONFUSIONS} more kinds" if len(confusions) > SHOWN_CONFUSIONS else ""
        console.print(f"Confusions (true->read): {escape(named)}{more}.")


def print_calibration(calibration: Calibration, console: Console) -> None:
    """Calibration and what abstaining gains, in two lines."""
    if calibration.ece is None or calibration.nll is None:
        return
    console.print(
        f"Calibration: expected error {percent(calibration.ece)}, negative log likelihood {calibration.nll:.4f}."
    )
    risks = ", ".join(f"{100 * point.coverage:g} %: {percent(point.risk)}" for point in calibration.points)
    console.print(f"Errors among the surest {risks}.")


def _print_sheets(report: BenchReport, console: Console) -> None:
    failed = [sheet for sheet in report.sheets if not sheet.all_right or sheet.silent or not sheet.flags.all_right]
    failed.sort(key=lambda sheet: (not sheet.silent, sheet.found, -len(sheet.wrong)))
    if not failed:
        return
    console.print("Sheets to look at, silent errors first:")
    for sheet in failed[:SHOWN_SHEETS]:
        console.print(f"  {escape(sheet.photo)}: {escape(_told(sheet))}")
    if len(failed) > SHOWN_SHEETS:
        console.print(f"  and {len(failed) - SHOWN_SHEETS} more, see --json")


def _told(sheet: JudgedSheet) -> str:
    if not sheet.found:
        return f"not found ({sheet.note})"
    cells = ", ".join(f"{cell.id} {cell.true}->{cell.read}" for cell in sheet.wrong[:SHOWN_CELLS])
    more = f" and {len(sheet.wrong) - SHOWN_CELLS} more" if len(sheet.wrong) > SHOWN_CELLS else ""
    turned = "upside down or on its side, " if sheet.upright is False else ""
    told = f"{'silent, ' if sheet.silent else ''}{turned}"
    if sheet.wrong:
        told += f"{len(sheet.wrong)} wrong: {cells}{more}"
    parts = [told.removesuffix(", ")] if told else []
    for flags, what in ((sheet.flags.missed, "not told"), (sheet.flags.false, "told wrongly")):
        if flags:
            parts.append(f"{what}: {', '.join(_short(name) for name in flags[:SHOWN_FLAGS])}")
    return "; ".join(parts)


def _short(flag: str) -> str:
    """A flag's code, and its cells unless they are many."""
    code, *cells = flag.split()
    return f"{code} of {len(cells)} cells" if len(cells) > SHOWN_CELLS else flag
