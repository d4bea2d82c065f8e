"""`padscore templates`: the sheets that can be read, and the cells of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from scanner.commands.output import print_json, stdout_console
from scanner.templates import (
    Cell,
    TemplateSummary,
    builtin_folder,
    get_template,
    load_templates,
    summaries,
    template_document,
)

if TYPE_CHECKING:
    from rich.console import Console

BUILT_IN = "built-in"


def print_list(folder: Path | None, *, json: bool) -> None:
    """Prints a line for each template there is."""
    lines = summaries(load_templates(folder).values())
    if json:
        print_json({"templates": [_summary_document(line) for line in lines]})
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    console = stdout_console()
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("id", "title", "game", "cells", "source"):
        table.add_column(heading, overflow="fold", justify="right" if heading == "cells" else "left")
    for line in lines:
        row = (line.id, line.title, line.game, str(line.cells), _source(line.source))
        table.add_row(*(Text(text) for text in row))
    console.print(table, highlight=False)


def print_template(template_id: str, folder: Path | None, *, json: bool) -> None:
    """Prints one template: what sheet it is and all of its cells."""
    template = get_template(template_id, folder)
    if json:
        print_json({**template_document(template)})
        return
    console = stdout_console()
    summary = summaries([template])[0]
    for name, text in (
        ("id", template.id),
        ("title", template.title),
        ("game", template.game),
        ("size", f"{template.size[0]:g} x {template.size[1]:g} mm"),
        ("layout", summary.layout),
        ("printed", ", ".join(template.words)),
        ("source", _source(template.source)),
    ):
        if text:
            _say(console, f"{name:<8} {text}")
    for kind, count in Counter(_kind(cell) for cell in template.cells).items():
        _say(console, f"{'cells':<8} {count} {kind}")
    rows = template.lattice_rows()
    if rows:
        _say(console, "")
        width = max(len(cell.id) for row in rows for cell in row if cell is not None)
        for row in rows:
            _say(console, " ".join(("-" if cell is None else cell.id).ljust(width) for cell in row).rstrip())
    marked = [cell for cell in template.cells if cell.place is None or cell.tags or cell.printed is not None]
    if marked:
        _say(console, "")
        _print_cells(marked, console)


def _print_cells(cells: Iterable[Cell], console: Console) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("cell", "kind", "printed", "tags"):
        table.add_column(heading, overflow="fold")
    for cell in cells:
        printed = "" if cell.printed is None else str(cell.printed)
        table.add_row(*(Text(text) for text in (cell.id, _kind(cell), printed, ", ".join(sorted(cell.tags)))))
    console.print(table, highlight=False)


def _kind(cell: Cell) -> str:
    return cell.kind if cell.values is None else f"{cell.kind} ({cell.values[0]} to {cell.values[1]})"


def _source(source: str) -> str:
    return BUILT_IN if Path(source).parent == builtin_folder() else source


def _summary_document(line: TemplateSummary) -> dict[str, object]:
    return {
        "id": line.id,
        "title": line.title,
        "game": line.game,
        "layout": line.layout,
        "cells": line.cells,
        "width_mm": line.width_mm,
        "height_mm": line.height_mm,
        "source": _source(line.source),
    }


def _say(console: Console, line: str) -> None:
    console.print(line, highlight=False, markup=False, soft_wrap=True)
