"""`padscore score`: a typed board by the rules."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from scanner.commands.edge import tell
from scanner.commands.output import stdout_console
from scanner.commands.sheets import game_context
from scanner.games.registry import get_game
from scanner.report.document import document, dumps, exit_status
from scanner.report.table import print_result
from scanner.resolve import checked_by_sums, resolve
from scanner.sheet import ScanResult, Sheet
from scanner.templates import load_templates
from scanner.typed import MAX_BYTES, load_typed_file, parse_typed_bytes

STDIN = "-"


@dataclass(frozen=True, slots=True)
class ScoreOptions:
    """The options of `padscore score`."""

    templates: Path | None = None
    variant: str | None = None
    rolls: Path | None = None
    json: bool = False


def run(board: str, options: ScoreOptions) -> int:
    """Scores all boards of a file (or of stdin, for ``-``), prints the result and returns the exit status."""
    templates = load_templates(options.templates)
    if board == STDIN:
        # one byte more than is allowed is enough to refuse it
        data = b"" if sys.stdin is None else sys.stdin.buffer.read(MAX_BYTES + 1)  # null: closed by who started us
        typed = parse_typed_bytes(data, templates, source="stdin")
    else:
        typed = load_typed_file(Path(board), templates)
    context = game_context(options.variant, options.rolls, [one.template for one in typed.boards])
    sheets = []
    for one in typed.boards:
        # a scan has weighed all sums before it wrote the document
        checked = one.board if typed.model is not None else checked_by_sums(one.board, one.template)
        verdict = resolve(checked, one.template, get_game(one.template.game), context)
        sheets.append(Sheet(one.source, one.page, one.sheet, one.template, one.place, checked, verdict))
    result = ScanResult(tuple(sheets), typed.problems, model=typed.model)
    for problem in result.problems:
        tell(problem.message)
    if options.json:
        print(dumps(document(result)), flush=True)
    else:
        print_result(result, stdout_console())
    return exit_status(result)
