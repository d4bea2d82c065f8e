"""The JSON document of a result (schema 1), and the exit status that goes with it.

Within schema 1 keys are only added, never renamed, removed or given another meaning. `schema()` returns the JSON Schema
(draft 2020-12) that ships with the product. The keys are written here, in one place, and not derived from field names,
so that no rename inside the program can change the document.
"""

from __future__ import annotations

import json
import math
from importlib import resources
from typing import Any

from scanner import __version__
from scanner.results import (
    CellReading,
    ColumnScore,
    Flag,
    HistoryStep,
    Problem,
    ScoreGroup,
    ScoreLine,
    SheetPlace,
    Value,
    Verdict,
)
from scanner.sheet import ScanResult, Sheet

SCHEMA = 1
CONFIDENCE_DIGITS = 4
PIXEL_DIGITS = 1
NO_SHEET_CODES = frozenset({"no-sheet", "poor-photo"})
"""Problems of a file that could be read, but in which no sheet was found (exit status 3); all others are 4."""


def document(result: ScanResult) -> dict[str, Any]:
    """The JSON-ready document of a result: plain dicts, lists, strings, numbers and nulls.

    Raises ValueError for a number that JSON doesn't have (NaN, infinity): that is a mistake of an earlier stage.
    """
    return {
        "schema": SCHEMA,
        "padscore": __version__,
        "model": result.model,
        "sheets": [_sheet(sheet) for sheet in result.sheets],
        "table": None,
        "problems": [_problem(problem) for problem in result.problems],
    }


def dumps(document: dict[str, Any]) -> str:
    """The document as text: ASCII only, so that it survives any terminal encoding and any file name."""
    return json.dumps(document, indent=2, ensure_ascii=True, allow_nan=False)


def schema() -> dict[str, Any]:
    """The JSON Schema of the document, as shipped in the package."""
    text = resources.files(__package__).joinpath("schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def exit_status(result: ScanResult) -> int:
    """0 all clear, 1 something is flagged or unsure, 3 no sheet found, 4 a file could not be read; the highest of them.

    An empty cell that the game needs (`sudoku.incomplete`) is a flag like any other.
    """
    status = 0
    if any(sheet.verdict.flags or not sheet.verdict.sure for sheet in result.sheets):
        status = 1
    for problem in result.problems:
        status = max(status, 3 if problem.code in NO_SHEET_CODES else 4)
    return status


def _sheet(sheet: Sheet) -> dict[str, Any]:
    written: dict[str, Any] = {
        "source": sheet.source,
        "page": sheet.page,
        "sheet": sheet.sheet,
        "template": sheet.template.id,
        "corners": None if sheet.place is None else _corners(sheet.place),
        "residual_px": None if sheet.place is None else _rounded(sheet.place.residual_px, 2),
        "cells": {cell_id: _cell(reading) for cell_id, reading in sheet.board.cells.items()},
        "score": _score(sheet.verdict),
        "claimed": {name: int(value) for name, value in sheet.verdict.claimed.items()},
        "ask": list(sheet.verdict.ask),
        "ask_ink": list(sheet.verdict.ask_ink),
        "flags": [_flag(flag) for flag in sheet.verdict.flags],
    }
    if sheet.verdict.history:
        written["history"] = [_step(step) for step in sheet.verdict.history]
    return written


def _corners(place: SheetPlace) -> list[list[float]]:
    return [[_rounded(corner.x, PIXEL_DIGITS), _rounded(corner.y, PIXEL_DIGITS)] for corner in place.corners]


def _cell(reading: CellReading) -> dict[str, Any]:
    alternatives = {name: _rounded(p, CONFIDENCE_DIGITS) for name, p in reading.alternatives.items()}
    cell: dict[str, Any] = {
        "value": _value(reading.value),
        "state": reading.state,
        "confidence": _rounded(reading.confidence, CONFIDENCE_DIGITS),
        "alternatives": {name: p for name, p in alternatives.items() if p > 0},
        "ink": reading.ink,
    }
    if reading.printed is not None:
        cell["printed"] = _rounded(reading.printed, CONFIDENCE_DIGITS)
    if reading.state == "answered":
        cell["read"] = _value(reading.read)
    return cell


def _score(verdict: Verdict) -> dict[str, Any]:
    score: dict[str, Any] = {
        "total": None if verdict.score.total is None else int(verdict.score.total),
        "range": None if verdict.range is None else _range(verdict.range),
        "sure": bool(verdict.sure),
        "lines": [_line(line) for line in verdict.score.lines],
    }
    if verdict.columns:
        score["columns"] = {name: _column(column) for name, column in verdict.columns.items()}
    return score


def _line(line: ScoreLine) -> dict[str, Any]:
    return {
        "label": line.label,
        "points": int(line.points),
        "cells": list(line.cells),
        "groups": [_group(group) for group in line.groups],
    }


def _group(group: ScoreGroup) -> dict[str, Any]:
    shown = {"cells": list(group.cells), "points": int(group.points), "symbols": list(group.symbols)}
    return {**shown, "line": list(group.line)} if group.line else shown


def _step(step: HistoryStep) -> dict[str, Any]:
    return {"round": int(step.round), "value": int(step.value), "cells": list(step.cells), "bonus": step.bonus}


def _column(column: ColumnScore) -> dict[str, Any]:
    return {"total": int(column.total), "range": _range(column.range), "sure": bool(column.sure)}


def _flag(flag: Flag) -> dict[str, Any]:
    return {
        "code": flag.code,
        "severity": flag.severity,
        "cells": list(flag.cells),
        "message": flag.message,
        "sure": bool(flag.sure),
    }


def _problem(problem: Problem) -> dict[str, Any]:
    return {"source": problem.source, "code": problem.code, "message": problem.message}


def _range(limits: tuple[int, int]) -> list[int]:
    return [int(limits[0]), int(limits[1])]


def _value(value: Value | None) -> Value | None:
    # int() because readers hand over numpy integers, which json refuses
    return value if value is None or isinstance(value, str) else int(value)


def _rounded(number: float, digits: int) -> float:
    if not math.isfinite(number):
        raise ValueError(f"the document can't hold the number {number}; expected a finite one")
    return round(float(number), digits) + 0.0  # + 0.0 turns -0.0 into 0.0
