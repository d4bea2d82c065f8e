from __future__ import annotations

import io
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from report_samples import CARD, HEXES, clear_sheet, plain_sheet, sudoku_sheet
from rich.console import Console

from scanner.board import ReadBoard
from scanner.games.registry import get_game
from scanner.report.marks import flag_words, perhaps_words
from scanner.report.table import print_result, print_sheet
from scanner.resolve import parse_answer, resolve
from scanner.results import CellReading, ColumnScore, Flag, Problem, Score, Verdict
from scanner.sheet import ScanResult, Sheet
from scanner.templates import load_templates
from scanner.typed import parse_typed


class _Stream(io.StringIO):
    """A pipe with an encoding of its own."""

    def __init__(self, encoding: str) -> None:
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding


def _printed(show: Callable[[Console], None], *, width: int = 80, encoding: str = "utf-8") -> str:
    stream = _Stream(encoding)
    show(Console(file=stream, width=width))
    stream.getvalue().encode(encoding)  # what a real pipe would do
    return stream.getvalue()


def _sheet_text(sheet: Sheet, **options: object) -> str:
    return _printed(lambda console: print_sheet(sheet, console), **options)  # type: ignore[arg-type]


def _cell(text: str, row: int, col: int) -> str:
    """What stands in a cell of the printed Sudoku, marks included: three characters for each, after `rN |`."""
    line = next(line for line in text.splitlines() if line.startswith(f"r{row} "))
    body = re.sub("[│|]", "", line[3:])
    return body[3 * (col - 1) : 3 * col]


def test_the_total_comes_first_and_last() -> None:
    lines = [line for line in _sheet_text(sudoku_sheet()).splitlines() if line.strip()]
    assert lines[0].startswith("pad.jpg")
    assert lines[1].startswith("Total 60 to 62, unsure")
    assert lines[-1].strip() == "Total 60 to 62, unsure"


def test_a_sure_total_is_one_number() -> None:
    lines = [line.strip() for line in _sheet_text(clear_sheet()).splitlines() if line.strip()]
    assert lines[-1] == "Total 2"
    assert not any("unsure" in line or "--answer" in line for line in lines)


def test_an_open_flag_is_not_sold_as_a_sure_total() -> None:
    text = _sheet_text(sudoku_sheet(Verdict(Score(62), (62, 62), False, (), ("r5c5",))))
    assert text.rstrip().endswith("Total 62, some cells unsure")


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_every_cell_is_marked_without_colour(encoding: str) -> None:
    text = _sheet_text(sudoku_sheet(), encoding=encoding)
    assert _cell(text, 1, 1) == " 4 "
    assert _cell(text, 2, 2) == _cell(text, 2, 8) == "!6 "
    assert _cell(text, 5, 5) == " 5?"
    assert _cell(text, 7, 3) == " 2="
    assert _cell(text, 4, 4) == " c "
    assert _cell(text, 4, 6) == " s "
    assert _cell(text, 9, 9) == " ? "
    assert _cell(text, 3, 3) == " . "
    assert "\x1b" not in text


def test_a_cell_can_be_wrong_and_unsure() -> None:
    flag = Flag("sudoku.repeat", "illegal", ("r5c5",), "The number 5 stands twice.")
    assert _cell(_sheet_text(sudoku_sheet(Verdict(Score(1), (0, 1), False, (flag,), ("r5c5",)))), 5, 5) == "!5?"


def test_boxes_are_separated_by_lines() -> None:
    text = _sheet_text(sudoku_sheet())
    lines = text.splitlines()
    top = next(i for i, line in enumerate(lines) if "┌" in line)
    rows = "".join("r" if line.startswith("r") else "-" for line in lines[top : top + 13])
    assert rows == "-rrr-rrr-rrr-"
    assert all(line.count("│") == 4 for line in lines if re.match(r"r\d ", line))
    plain = _sheet_text(sudoku_sheet(), encoding="ascii")
    assert all(line.count("|") == 4 for line in plain.splitlines() if re.match(r"r\d ", line))


def test_flags_are_told_worst_first() -> None:
    text = _sheet_text(sudoku_sheet(), width=120)
    told = [text.index(words) for words in ("stands twice in row 2", "still empty", "may differ from the solution")]
    assert told == sorted(told)


def test_cells_are_named_where_the_message_does_not() -> None:
    text = _sheet_text(sudoku_sheet(), width=120)
    assert "The number 6 stands twice in row 2. (r2c2, r2c8)" in text
    assert "The digit in r5c5 may differ from the solution.\n" in text


def test_the_question_has_the_option_to_type() -> None:
    text = _sheet_text(sudoku_sheet())
    assert "r5c5: 5 (81 %) or 3 (17 %) or empty (2 %)?" in text
    assert "    --answer r5c5=5\n" in text


def test_a_question_about_an_unread_cell_promises_no_value() -> None:
    text = _sheet_text(sudoku_sheet(Verdict(Score(62), (60, 62), False, (), ("r9c9",))))
    assert "r9c9: could not be read" in text
    assert "--answer r9c9=VALUE" in text


@pytest.mark.parametrize(
    ("reading", "question", "answer"),
    [
        # that it may be notes rather than blank changes nothing: the question is whether a 4 stands there
        (
            CellReading("r8c4", None, "blank", 0.9844, {"candidates": 0.0076, "4": 0.0012, "9": 0.0009}),
            "r8c4: empty (98 %) or 4 (under 1 %)?",
            "blank",
        ),
        (
            CellReading("r1c9", None, "candidates", 0.99, {"4": 0.002}),
            "pencil notes (99 %) or 4 (under 1 %)?",
            "candidates",
        ),
        (CellReading("r2c2", None, "struck", 0.9, {"7": 0.06, "1": 0.03}), "or 7 (6 %) or 1 (3 %)?", "struck"),
        (CellReading("r3c3", 1, "read", 0.996, {"struck": 0.0027, "7": 0.0004}), "1 (99 %) or struck out (under", "1"),
        (CellReading("r4c4", None, "scribble", 0.6, {"blank": 0.3, "4": 0.1}), "empty (30 %) or 4 (10 %)?", "blank"),
    ],
)
def test_the_question_is_about_what_matters_and_the_answer_the_best_guess(
    reading: CellReading, question: str, answer: str
) -> None:
    sheet = sudoku_sheet(Verdict(Score(62), (60, 62), False, (), (reading.id,)))
    text = _sheet_text(replace(sheet, board=ReadBoard("sudoku", {**sheet.board.cells, reading.id: reading})))
    assert question in text
    assert f"    --answer {reading.id}={answer}\n" in text


def test_with_several_sheets_the_answer_names_file_and_sheet() -> None:
    sheets = (sudoku_sheet(source="kitchen table/it's.jpg", sheet=2), clear_sheet())
    text = _printed(lambda console: print_result(ScanResult(sheets), console), width=60)
    hint = next(line for line in text.splitlines() if "--answer" in line)
    assert shlex.split(hint) == ["--answer", "kitchen table/it's.jpg#2:r5c5=5"]


def test_a_file_name_stays_on_its_line_and_steers_no_terminal() -> None:
    sheets = (sudoku_sheet(source="a\nb\x1b[31m\u202egpj.jpg"), clear_sheet())
    text = _printed(lambda console: print_result(ScanResult(sheets), console), width=120)
    told = [line for line in text.splitlines() if "gpj.jpg" in line and "--answer" not in line]
    assert [line.split()[0] for line in told] == ["a?b?[31m?gpj.jpg"] * 2  # the heading and the table of all


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_nothing_is_wider_than_the_terminal(width: int) -> None:
    result = ScanResult(
        (sudoku_sheet(), clear_sheet()), (Problem("a-rather-long-name-of-a-photo.jpg", "no-sheet", "."),)
    )
    text = _printed(lambda console: print_result(result, console), width=width)
    assert max(len(line) for line in text.splitlines() if "--answer" not in line) <= width


def test_the_summary_has_a_line_for_every_sheet_and_problem() -> None:
    result = ScanResult((sudoku_sheet(source="a.jpg"), clear_sheet()), (Problem("c.jpg", "not-image", "No picture."),))
    lines = _printed(lambda console: print_result(result, console), width=100).splitlines()
    summary = lines[next(i for i, line in enumerate(lines) if "file" in line and "flags" in line) :]
    first = next(line for line in summary if "a.jpg" in line)
    assert "60 to 62" in first
    assert "no ?" in first
    assert "1 illegal, 1 incomplete, 1 doubt" in first
    assert re.search(r"pad\.jpg +1 +2 +yes +none", "\n".join(summary))
    assert any("c.jpg" in line and "not-image" in line for line in summary)


def test_one_sheet_needs_no_summary() -> None:
    text = _printed(lambda console: print_result(ScanResult((clear_sheet(),)), console))
    assert "flags" not in text


def test_names_are_data_and_not_markup() -> None:
    text = _sheet_text(sudoku_sheet(source="[bold]x[/].jpg"))
    assert "[bold]x[/].jpg" in text
    result = ScanResult((), (Problem("[red]y.jpg", "missing", "."), Problem("z.jpg", "missing", ".")))
    assert "[red]y.jpg" in _printed(lambda console: print_result(result, console))


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "cp1252"])
def test_any_file_name_can_be_printed(encoding: str) -> None:
    sheets = (sudoku_sheet(source="Großes 数独 \udcff.jpg"), clear_sheet())
    assert ".jpg" in _printed(lambda console: print_result(ScanResult(sheets), console), encoding=encoding)


def test_bold_is_explained_only_where_there_is_any() -> None:
    assert "bold: printed" not in _sheet_text(sudoku_sheet())
    stream = io.StringIO()
    print_sheet(sudoku_sheet(), Console(file=stream, width=80, force_terminal=True, _environ={"TERM": "xterm"}))
    assert "bold: printed" in stream.getvalue()


def test_hexes_lie_as_on_the_sheet() -> None:
    values = {"q0r0": 5, "q0r-1": 1, "q1r-1": 2, "q0r1": 4}
    text = _sheet_text(plain_sheet(HEXES, values, Verdict(Score(12), (12, 12), True, ())))
    rows = {int(line[1:3]): line for line in text.splitlines() if re.match(r"r[ -]\d", line)}
    assert sorted(rows) == [-2, -1, 0, 1, 2]
    # the upper neighbours of the middle stand half a cell to its left and to its right
    left, middle, right = rows[-1].index("1", 3), rows[0].index("5"), rows[-1].index("2")
    assert left < middle < right
    assert middle - left == right - middle
    assert rows[1].index("4") > middle
    assert "claim = ." in text


def test_tables_have_their_rows_and_columns() -> None:
    columns = {f"p{n}": ColumnScore(40 + n, (40, 40 + n), n == 1) for n in range(1, 7)}
    flag = Flag("table.sum", "arithmetic", ("p6.total",), "The sum is 98, but 99 is written.")
    verdict = Verdict(Score(None), None, False, (flag,), claimed={"p6.total": 99, "bet": 3}, columns=columns)
    sheet = plain_sheet(CARD, {"p1.turn1": 12, "p6.total": 99, "p2.turn3": 0}, verdict)
    lines = _sheet_text(sheet, width=80).splitlines()
    head = next(line for line in lines if re.search(r"p1 .*p6", line) and "Total" not in line and ";" not in line)
    turn3 = next(line for line in lines if line.startswith("turn3"))
    assert turn3[head.index("p2") : head.index("p2") + 2].strip() == "0"
    assert next(line for line in lines if line.startswith("total")).endswith("!99")
    text = "\n".join(lines)
    assert "p2 40 to 42, unsure" in text
    assert re.search(r"^p6 +40 to 46, unsure \(written 99\)$", text, flags=re.M)
    assert re.search(r"^p1 +40 to 41$", text, flags=re.M)
    assert "Written on the sheet: bet 3" in text
    assert "Written on the sheet: p6" not in text
    # a narrow terminal gets the columns in several blocks, each with all rows
    narrow = _sheet_text(sheet, width=30)
    assert len(re.findall(r"^turn3 ", narrow, flags=re.M)) > 1
    assert len(re.findall("!99", narrow)) == 1


PAD_B = """
template = splitter-b
1 2 2 - - 1 4 1
3 3 3 1 2 2 3 3
- 4 1 4 4 1 3 -
- 2 2 - - 5 5 -
- 1 3 3 4 5 5 -
6 6 6 3 1 2 5 4
6 2 2 - - 2 7 .
"""


def _pad(changed: Mapping[str, CellReading] | None = None, text: str = PAD_B) -> Sheet:
    [typed] = parse_typed(text.strip(), load_templates())
    board = ReadBoard(typed.template.id, {**typed.board.cells, **(changed or {})})
    verdict = resolve(board, typed.template, get_game("splitter"))
    return Sheet("pad.txt", 1, 1, typed.template, None, board, verdict)


def _rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if re.match(r"r\d ", line)]


@pytest.mark.parametrize(("encoding", "rule"), [("utf-8", "┆"), ("ascii", ":")])
def test_a_pad_with_holes_stands_in_columns_with_its_centre_line(encoding: str, rule: str) -> None:
    unsure = {
        "r7c7": CellReading("r7c7", 2, "doubtful", 0.7, {"3": 0.3}),  # on a star: two marks behind the value
        "r1c7": CellReading("r1c7", 4, "answered", read=9),
    }
    text = _sheet_text(_pad(unsure), width=60, encoding=encoding)
    rows = _rows(text)
    assert len(rows) == 7
    assert max(map(len, text.splitlines())) <= 60
    assert len({len(row) for row in rows}) == 1
    # the centre line between the columns 4 and 5 of every row, in the same place
    assert {row.index(rule) for row in rows} == {rows[0].index(rule)}
    heads = next(line for line in text.splitlines() if "c1" in line)
    assert heads.index("c4") < rows[0].index(rule) < heads.index("c5")
    # every value right below its column's name, nothing where there is no cell
    for row, written in zip(rows, PAD_B.split("\n")[2:], strict=False):
        for col, value in enumerate(written.split(), start=1):
            at = heads.index(f"c{col}")
            shown = row[at - 1 : at + 3]
            assert re.sub(r"[^\d.]", "", shown) == ("2" if value == "7" else value).replace("-", ""), (row, col)


def test_symbols_stand_behind_the_values_of_their_cells() -> None:
    text = _sheet_text(_pad(), width=60)
    rows = _rows(text)
    found = {(number, sign) for number, row in enumerate(rows, start=1) for sign in re.findall(r"\d[*h]", row)}
    assert found == {(1, "4h"), (3, "4h"), (5, "4h"), (7, "2*"), (7, "7*")}
    assert "!7*" in rows[6]
    assert "* star, h heart" in text
    assert "star" not in _sheet_text(sudoku_sheet())


def test_score_lines_tell_how_their_groups_add_up() -> None:
    lines = _sheet_text(_pad(), width=60).splitlines()
    told = {line.split(":")[0]: line for line in lines if re.match(r"[A-Z][a-z]+: ", line)}
    # by hand: eight lone 1s; five groups of two 2s (r6c6 and r7c6 is one), one of them on a star; three groups of 3s
    assert told["Ones"].endswith("8 = 8 x 1")
    assert told["Twos"].endswith("12 = 4 x 2 + 4")
    assert told["Threes"].endswith("9 = 3 x 3")
    assert told["Fives"].split()[-1] == "5"
    assert told["Hearts"].split()[-1] == "5"


def test_boxes_that_nobody_looked_at_are_not_told() -> None:
    boxes = {cell: CellReading(cell, None, "unreadable", 0.0) for cell in _pad().board.cells if "claim" in cell}
    text = _sheet_text(_pad(boxes), width=60)
    assert "claim" not in text
    assert "not sure" not in text
    written = _sheet_text(_pad(text=PAD_B + "claim-ones = 9\nclaim-total = 37\n"), width=60)
    assert "claim-ones = !9" in written
    assert "Written on the sheet: ones 9" in written


def test_rich_is_loaded_only_when_something_is_printed() -> None:
    code = "import sys, scanner.report.table; sys.exit('rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# ---- what is unsure, and how much of it is told


def _asking(*cells: str, flags: tuple[Flag, ...] = ()) -> Sheet:
    """The Sudoku sheet with doubtful 1s in these cells, all asked about, as the chain does it."""
    board = dict(sudoku_sheet().board.cells)
    board |= {cell: CellReading(cell, 1, "doubtful", 0.8, {"7": 0.2}, "hand") for cell in cells}
    doubt = Flag("read.doubt", "doubt", cells, f"{len(cells)} cells could not be read surely: {cells[0]} (1 or 7) ...")
    verdict = Verdict(Score(62), (60, 62), False, (*flags, doubt), cells)
    return replace(sudoku_sheet(verdict), board=ReadBoard("sudoku", board))


def test_a_doubt_is_told_once() -> None:
    text = _sheet_text(_asking("r1c3", "r1c4"))
    assert "could not be read surely" not in text
    assert text.count("r1c3:") == 1


def test_at_most_five_questions_are_told() -> None:
    five = [f"r3c{col}" for col in range(1, 6)]
    assert "more cell" not in _sheet_text(_asking(*five))
    text = _sheet_text(_asking(*five, "r4c1"))
    assert text.count("--answer") == 5
    assert "? and 1 more cell, marked ? on the board; --ask goes through all of them" in text
    assert "? and 3 more cells, marked" in _sheet_text(_asking(*five, "r4c1", "r4c2", "r4c3"))


def test_a_flag_that_may_not_stand_is_no_fact() -> None:
    perhaps = replace(Flag("sudoku.repeat", "illegal", ("r1c3", "r1c8"), "Row 1 has two 1s"), sure=False)
    text = _sheet_text(_asking("r1c3", flags=(perhaps,)))
    assert "? may break a rule: Row 1 has two 1s (r1c3, r1c8)" in text
    assert "breaks a rule" not in text
    assert "1 possible problem, 1 question" in text
    assert (_cell(text, 1, 3), _cell(text, 1, 8)) == (" 1?", " .?")
    assert "! wrong" not in text
    summary = _printed(lambda console: print_result(ScanResult((_asking("r1c3", flags=(perhaps,)),) * 2), console))
    assert "1 perhaps illegal, 1" in summary


def test_a_question_about_ink() -> None:
    board = dict(sudoku_sheet().board.cells)
    board["r1c3"] = CellReading("r1c3", 8, "read", 1.0, {}, None, printed=0.3)
    verdict = Verdict(Score(62), (62, 62), False, (), ("r1c3",), ("r1c3",))
    text = _sheet_text(replace(sudoku_sheet(verdict), board=ReadBoard("sudoku", board)))
    assert "? r1c3: 8 by hand (70 %) or 8 printed (30 %)?" in text
    hint = next(line.strip() for line in text.splitlines() if "--answer" in line)
    assert shlex.split(hint) == ["--answer", "r1c3=8 hand"]
    answer = parse_answer(shlex.split(hint)[1])
    assert (answer.cell, answer.ink, answer.value_for(sudoku_sheet().template.cell("r1c3"))) == ("r1c3", "hand", 8)


def test_the_total_says_what_it_counts() -> None:
    board = "template = sudoku\n" + "5 5 3 . . . . . .\n" + ". . . . . . . . .\n" * 8
    [typed] = parse_typed(board, load_templates())
    verdict = resolve(typed.board, typed.template, get_game("sudoku"))
    text = _sheet_text(Sheet("b.txt", 1, 1, typed.template, None, typed.board, verdict))
    assert text.rstrip().endswith("Total 1 without a clash")


def test_cells_are_added_without_a_second_pair_of_brackets() -> None:
    flag = Flag("sudoku.repeat", "illegal", ("r9c2", "r9c7"), "Row 9 has two 7s (columns 2 and 7)")
    assert flag_words(flag) == "Row 9 has two 7s (columns 2 and 7: r9c2, r9c7)"


def test_only_what_may_be_wrong_is_a_possibility() -> None:
    repeat = Flag("sudoku.repeat", "illegal", ("r1c1", "r1c2"), "Row 1 has two 5s (r1c1 and r1c2)")
    missing = Flag("sudoku.incomplete", "incomplete", ("r1c3",) * 9, "9 cells have no number yet")
    assert perhaps_words(repeat) == repeat.message
    assert perhaps_words(replace(repeat, sure=False)) == f"Perhaps: {repeat.message}"
    assert perhaps_words(replace(missing, sure=False)) == missing.message
