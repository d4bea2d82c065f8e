"""The terminal's answer: the board as read, what is wrong, what to ask, the total. Nothing depends on colour alone.

Marks: ``!`` before a value that breaks something, ``?`` behind one that isn't sure, ``=`` behind one that a person
answered; ``.`` empty, ``c`` pencil notes, ``s`` struck out, ``?`` unread. Printed digits are bold. Right behind a value
stands the symbol that is printed in its cell, such as ``*`` for a star.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scanner.geometry import Hex, Square
from scanner.report.columns import column_lines, other_claims
from scanner.report.history import history_lines
from scanner.report.marks import (
    CellMark,
    answer_hint,
    cell_marks,
    count_words,
    flag_words,
    looks_printed,
    question_words,
    severity_words,
    sorted_flags,
    sum_words,
    told_flags,
    told_severity,
    total_words,
    value_words,
)
from scanner.results import Severity
from scanner.sheet import ScanResult, Sheet
from scanner.templates.model import Cell, Symbol, Template

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What moves the cursor, colours the terminal or turns the direction of writing."""

_STYLES: Mapping[Severity, str] = {
    "illegal": "bold red",
    "arithmetic": "bold magenta",
    "incomplete": "cyan",
    "doubt": "bold yellow",
}
_SIGNS: Mapping[Severity, str] = {"illegal": "!", "arithmetic": "!", "incomplete": ".", "doubt": "?"}
MOST_QUESTIONS = 5
"""Questions told of one sheet; more would only push what is wrong off the screen."""
BETWEEN_BOXES = "   "
_SYMBOLS: Mapping[Symbol, str] = {
    "star": "*",
    "heart": "h",
    "circle": "o",
    "square": "#",
    "triangle": "^",
    "cross": "+",
}


@dataclass(frozen=True, slots=True)
class _Lines:
    """The characters that a board is drawn with. rule: for a printed line that isn't the edge of cells."""

    across: str
    down: str
    rule: str
    top: tuple[str, str, str]
    middle: tuple[str, str, str]
    bottom: tuple[str, str, str]


_UNICODE = _Lines("─", "│", "┆", ("┌", "┬", "┐"), ("├", "┼", "┤"), ("└", "┴", "┘"))
_ASCII = _Lines("-", "|", ":", ("+", "+", "+"), ("+", "+", "+"), ("+", "+", "+"))


def print_result(result: ScanResult, console: Console) -> None:
    """Prints every sheet and, when there is more than one source or sheet, the table of all. Problems are in that table
    only: their messages belong to stderr, which isn't this function's."""
    alone = len(result.sheets) == 1 and not result.problems
    for sheet in result.sheets:
        print_sheet(sheet, console, alone=alone)
    if not alone:
        print_summary(result, console)


def print_sheet(sheet: Sheet, console: Console, *, alone: bool = True) -> None:
    """Prints one sheet: total, board, flags by severity, questions with the option to type, how it may have come about,
    score lines, total again.

    alone: it is the only one, so that an answer needs no file and no number.
    """
    from rich.text import Text

    verdict = sheet.verdict
    marks = cell_marks(sheet)
    total = total_words(verdict)
    count = count_words(verdict)
    total_style = "bold green" if verdict.sure else _STYLES["doubt"]
    _say(console, Text(_heading(sheet), style="dim"))
    _say(console, Text(total, style=total_style).append(f" ({count})" if count else "", style="default not bold"))
    _say(console, Text())
    for line in _board(sheet, marks, console):
        _say(console, line, wrap=False)
    _say(console, Text())
    # without a terminal there is no bold to explain
    explained = _explained(sheet, marks, bold=console.is_terminal and not console.is_dumb_terminal)
    if explained:
        _say(console, Text(explained, style="dim"))
        _say(console, Text())
    for flag in told_flags(verdict):
        severity = told_severity(flag)
        sentence = Text(f"{_SIGNS[severity]} {severity_words(flag)}: ", style=_STYLES[severity])
        _say(console, sentence.append(flag_words(flag), style="default not bold"))
    _print_questions(sheet, console, alone=alone)
    if verdict.flags or verdict.ask:
        _say(console, Text())
    for words in history_lines(verdict.history):
        _say(console, Text(words, style="dim"))
    if verdict.history:
        _say(console, Text())
    if verdict.columns:
        for words in column_lines(verdict):
            _say(console, Text(words))
    elif len(verdict.score.lines) > 1:
        width = max(len(line.label) for line in verdict.score.lines)
        for score_line in verdict.score.lines:
            text = f"{score_line.label:<{width}}  {score_line.points:>5}"
            _say(console, Text(text + sum_words(score_line)))
    for name, value in other_claims(verdict).items():
        _say(console, Text(f"Written on the sheet: {name} {value}"))
    _say(console, Text(total, style=total_style))
    _say(console, Text())


def _print_questions(sheet: Sheet, console: Console, *, alone: bool) -> None:
    """The questions that matter most, each with the option to type; how many more there are is said."""
    from rich.text import Text

    asked = [sheet.board.cells[cell] for cell in sheet.verdict.ask if cell in sheet.board.cells]
    for reading in asked[:MOST_QUESTIONS]:
        words = question_words(reading, ink=reading.id in sheet.verdict.ask_ink)
        _say(console, Text("? ", style=_STYLES["doubt"]).append(words, style="default not bold"))
        # on a line of its own and never broken: it is there to be copied
        _say(console, Text(f"    {answer_hint(sheet, reading, alone=alone)}"), wrap=False)
    if left := asked[MOST_QUESTIONS:]:
        cells = "1 more cell" if len(left) == 1 else f"{len(left)} more cells"
        words = f"and {cells}, marked ? on the board; --ask goes through all of them"
        _say(console, Text("? ", style=_STYLES["doubt"]).append(words, style="default not bold"))


def print_summary(result: ScanResult, console: Console) -> None:
    """Prints a table with a line a sheet (file, sheet, total, sure, flags) and a line a problem."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD if _has_box_characters(console) else box.ASCII)
    table.add_column("file", overflow="fold")
    table.add_column("sheet", justify="right", no_wrap=True)
    table.add_column("total", justify="right", no_wrap=True)
    table.add_column("sure", no_wrap=True)
    table.add_column("flags", overflow="fold")
    for sheet in result.sheets:
        verdict = sheet.verdict
        table.add_row(
            Text(_writable(sheet.source, console)),
            Text(_number(sheet)),
            Text(_writable(_summary_total(sheet), console)),
            Text("yes" if verdict.sure else "no ?", style="" if verdict.sure else _STYLES["doubt"]),
            Text(_writable(_flag_counts(sheet), console)),
        )
    for problem in result.problems:
        table.add_row(
            Text(_writable(problem.source, console)),
            Text("-"),
            Text("-"),
            Text("-"),
            Text(problem.code, style="bold red"),
        )
    console.print(table, highlight=False)


def _heading(sheet: Sheet) -> str:
    where = sheet.source
    if sheet.page != 1:
        where += f", page {sheet.page}"
    if sheet.sheet != 1:
        where += f", sheet {sheet.sheet}"
    return f"{where} ({sheet.template.title})"


def _number(sheet: Sheet) -> str:
    return f"{sheet.sheet}" if sheet.page == 1 else f"p{sheet.page} {sheet.sheet}"


def _summary_total(sheet: Sheet) -> str:
    verdict = sheet.verdict
    if verdict.columns:
        return " ".join(str(column.total) for column in verdict.columns.values())
    if verdict.score.total is None:
        return "-"
    low, high = verdict.range or (verdict.score.total, verdict.score.total)
    return f"{verdict.score.total}" if low == high else f"{low} to {high}"


def _flag_counts(sheet: Sheet) -> str:
    """How many flags of each severity, worst first: ``2 illegal, 1 perhaps illegal, 1 incomplete``."""
    flags = sorted_flags(sheet.verdict.flags)
    kinds = [flag.severity if told_severity(flag) == flag.severity else f"perhaps {flag.severity}" for flag in flags]
    return ", ".join(f"{count} {kind}" for kind, count in Counter(kinds).items()) or "none"


def _has_box_characters(console: Console) -> bool:
    try:
        "┌─│".encode(console.encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _writable(text: str, console: Console) -> str:
    """The text in one line, with question marks for control characters and what the console's encoding doesn't have.

    The names of files may hold anything.
    """
    text = _CONTROL.sub("?", text)
    try:
        return text.encode(console.encoding, "replace").decode(console.encoding)
    except LookupError:
        return text.encode("ascii", "replace").decode("ascii")


def _say(console: Console, line: Text, *, wrap: bool = True) -> None:
    line.plain = _writable(line.plain, console)
    console.print(line, highlight=False, soft_wrap=not wrap)


def _board(sheet: Sheet, marks: Mapping[str, CellMark], console: Console) -> list[Text]:
    """The board in lines: lattices as they lie, tables in rows and columns, everything else `id = value`."""
    from rich.text import Text

    scored = {cell for line in sheet.verdict.score.lines for group in line.groups for cell in group.cells}
    squares: dict[Square, _Shown] = {}
    hexes: dict[Hex, _Shown] = {}
    columns: dict[str, dict[str, CellMark]] = {}
    others: dict[str, CellMark] = {}
    for cell_id, mark in marks.items():
        if mark.reading.unseen:
            continue
        cell = sheet.template.cell(cell_id)
        place = cell.place
        column, dot, row = cell_id.partition(".")
        if isinstance(place, Square):
            squares[place] = _shown(mark, _symbol(cell, sheet.template), scored=cell_id in scored)
        elif isinstance(place, Hex):
            hexes[place] = _shown(mark, _symbol(cell, sheet.template), scored=cell_id in scored)
        elif dot:
            columns.setdefault(column, {})[row] = mark
        else:
            others[cell_id] = mark
    lines: list[Text] = []
    if squares:
        draw = _UNICODE if _has_box_characters(console) else _ASCII
        lines += _square_lines(squares, sheet.template, draw)
    if hexes:
        lines += _hex_lines(hexes)
    if columns:
        draw = _UNICODE if _has_box_characters(console) else _ASCII
        lines += _table_lines(columns, sheet.template, console.width, draw)
    boxes = [Text(f"{cell_id} = ").append_text(_shown(mark).text) for cell_id, mark in others.items()]
    return lines + _packed(boxes, console.width)


def _packed(items: Iterable[Text], width: int) -> list[Text]:
    """As many items in a line as fit, at least one."""
    lines: list[Text] = []
    for item in items:
        if lines and len(lines[-1]) + len(BETWEEN_BOXES) + len(item) <= width:
            lines[-1].append(BETWEEN_BOXES).append_text(item)
        else:
            lines.append(item)
    return lines


def _symbol(cell: Cell, template: Template) -> str:
    """The sign for the symbol that is printed in a cell; empty if there is none."""
    return next((_SYMBOLS[look.symbol] for look in template.look.symbols if look.tag in cell.tags), "")


@dataclass(frozen=True, slots=True)
class _Shown:
    """A cell in print. text: the styled value with its marks. lead, tail: how many of its characters are marks."""

    text: Text
    lead: int
    tail: int

    def padded(self, width: int) -> Text:
        """The value centred in `width` characters by itself, so that marks don't move it out of its column."""
        from rich.text import Text

        core = len(self.text) - self.lead - self.tail
        before = max((width - core) // 2 - self.lead, 0)
        after = max(width - before - len(self.text), 0)
        return Text(" " * before).append_text(self.text).append(" " * after)

    @property
    def least_width(self) -> int:
        """The least width for which `padded` keeps to it."""
        return len(self.text) - self.lead - self.tail + max(2 * self.lead, 2 * self.tail - 1)


def _shown(mark: CellMark, symbol: str = "", *, scored: bool = False) -> _Shown:
    """symbol: the sign for what is printed in the cell. scored: the cell belongs to a group that scores."""
    from rich.text import Text

    reading = mark.reading
    value = value_words(reading)
    lead = "!" if mark.wrong is not None else ""
    tail = symbol
    if mark.unsure and value != "?":
        tail += "?"
    elif reading.state == "answered":
        tail += "="
    style = " ".join(["bold"] * looks_printed(reading) + ["green"] * scored)
    if mark.wrong is not None:
        style = f"{_STYLES[mark.wrong]} reverse"
    elif mark.unsure:
        style = f"{_STYLES['doubt']} reverse"
    elif reading.state == "answered":
        style = "bold blue"
    elif reading.value is None:
        style = "dim"
    return _Shown(Text(lead + value + tail, style=style), len(lead), len(tail))


def _square_lines(shown: Mapping[Square, _Shown], template: Template, draw: _Lines) -> list[Text]:
    """A frame around the lattice, the lines that stand out on the sheet, names of rows and columns; blanks where there
    is no cell."""
    from rich.text import Text

    rows = range(1, max(place.row for place in shown) + 1)
    cols = range(1, max(place.col for place in shown) + 1)
    width = max(3, *(cell.least_width for cell in shown.values()))
    label = len(f"r{rows[-1]}")
    heavy = template.grid.heavy if template.grid is not None else None
    every_col, every_row = heavy if heavy is not None else (len(cols), len(rows))
    # by the columns at their left
    bars = dict.fromkeys(_ruled_columns(template), draw.rule) | dict.fromkeys(
        range(every_col, len(cols), every_col), draw.down
    )
    starts = [0, *sorted(bars)]
    blocks = [list(cols[start:end]) for start, end in zip(starts, [*starts[1:], len(cols)], strict=True)]

    def rule(ends: tuple[str, str, str]) -> Text:
        across = ends[1].join(draw.across * (width * len(block)) for block in blocks)
        return Text(" " * (label + 1) + ends[0] + across + ends[2])

    names = " ".join("".join(f"c{col}".center(width) for col in block) for block in blocks)
    lines = [Text(" " * (label + 2) + names, style="dim"), rule(draw.top)]
    for row in rows:
        if row > 1 and (row - 1) % every_row == 0:
            lines.append(rule(draw.middle))
        line = Text().append(f"r{row}".rjust(label), style="dim").append(" ")
        for start, block in zip(starts, blocks, strict=True):
            line.append(bars.get(start, draw.down))
            for col in block:
                cell = shown.get(Square(row, col))
                line.append_text(cell.padded(width) if cell is not None else Text(" " * width))
        lines.append(line.append(draw.down))
    return [*lines, rule(draw.bottom)]


def _ruled_columns(template: Template) -> list[int]:
    """The columns at whose right side a line is printed all the way down, such as a dashed centre line."""
    grid = template.grid
    if grid is None:
        return []
    top, bottom = grid.origin.y, grid.origin.y + (grid.rows - 1) * grid.pitch[1] + grid.cell[1]
    columns = []
    for rule in template.rules:
        col = (rule.start.x - grid.origin.x) / grid.pitch[0]
        upright = abs(rule.start.x - rule.end.x) < 0.1 * grid.pitch[0]
        high, low = sorted((rule.start.y, rule.end.y))
        reaches = high < top + grid.pitch[1] / 2 and low > bottom - grid.pitch[1] / 2
        if upright and reaches and 0 < round(col) < grid.cols and abs(col - round(col)) < 0.2:
            columns.append(round(col))
    return columns


def _hex_lines(shown: Mapping[Hex, _Shown]) -> list[Text]:
    """A line a row of equal r, shifted by half a cell from row to row as on the sheet."""
    from rich.text import Text

    half = (max(len(cell.text) for cell in shown.values()) + 2) // 2
    # twice the distance to the right of the middle hex, in units of half a cell
    left = min(2 * place.q + place.r for place in shown)
    lines: list[Text] = []
    for r in sorted({place.r for place in shown}):
        line = Text(f"r{r:>2} ")
        start = len(line)
        for place in sorted(place for place in shown if place.r == r):
            gap = start + half * (2 * place.q + place.r - left) - len(line)
            line.append(" " * max(gap, 0)).append_text(shown[place].padded(2 * half))
        lines.append(line)
    return lines


def _table_lines(
    columns: Mapping[str, Mapping[str, CellMark]], template: Template, width: int, draw: _Lines
) -> list[Text]:
    """Rows down, columns across, the printed lines that stand out; as many columns beside each other as fit."""
    from rich.text import Text

    rows = list(dict.fromkeys(row for column in columns.values() for row in column))
    label = max(len(row) for row in rows)
    cell = max(
        max(len(name) for name in columns),
        *(len(_shown(m).text) for column in columns.values() for m in column.values()),
    )
    parted = {row.id for row in template.table.rows if row.line in ("heavy", "double")} if template.table else set()
    lines: list[Text] = []
    for names in _chunks(list(columns), max(1, (width - label) // (cell + 2))):
        lines.append(Text(" " * label + "".join(f"  {name:>{cell}}" for name in names), style="dim"))
        for row in rows:
            if row in parted:
                lines.append(Text(draw.across * (label + len(names) * (cell + 2)), style="dim"))
            line = Text(f"{row:<{label}}")
            for name in names:
                mark = columns[name].get(row)
                text = Text("-", style="dim") if mark is None else _shown(mark).text
                line.append(" " * (2 + cell - len(text))).append_text(text)
            lines.append(line)
    return lines


def _chunks(items: Sequence[str], size: int) -> Iterable[Sequence[str]]:
    return (items[start : start + size] for start in range(0, len(items), size))


def _explained(sheet: Sheet, marks: Mapping[str, CellMark], *, bold: bool) -> str:
    """What the marks in this board mean; only those that occur."""
    shown = [mark for mark in marks.values() if not mark.reading.unseen]
    states = {mark.reading.state for mark in shown}
    words = []
    if any(mark.wrong is not None for mark in shown):
        words.append("! wrong")
    if any(mark.unsure for mark in shown):
        words.append("? not sure")
    if "answered" in states:
        words.append("= your answer")
    if "candidates" in states:
        words.append("c pencil notes")
    if "struck" in states:
        words.append("s struck out")
    tags = {tag for cell in sheet.template.lattice_cells for tag in cell.tags}
    words += [f"{_SYMBOLS[look.symbol]} {look.symbol}" for look in sheet.template.look.symbols if look.tag in tags]
    if bold and any(looks_printed(mark.reading) for mark in shown):
        words.append("bold: printed")
    return ", ".join(words)
