"""The results of a table with several columns in words: one line each, with what was written where that differs."""

from __future__ import annotations

from collections.abc import Mapping

from scanner.report.marks import span_words
from scanner.results import ScoreLine, Verdict


def column_lines(verdict: Verdict) -> list[str]:
    """A line a column: ``p1 (Anna), wins  53``, ``p2  40 to 42, unsure``, ``p3  41 (written 51)``."""
    lines = _lines_by_column(verdict)
    labels = {name: lines[name].label if name in lines else name for name in verdict.columns}
    width = max(map(len, labels.values()), default=0)
    told = []
    for name, column in verdict.columns.items():
        text = f"{labels[name]:<{width}}  {span_words(column.total, column.range):>5}"
        text += "" if column.sure else ", unsure"
        written = _written(name, verdict)
        if written is not None and written != column.total:
            text += f" (written {written})"
        told.append(text)
    return told


def other_claims(verdict: Verdict) -> Mapping[str, int]:
    """What is written on the sheet and isn't the total of a column."""
    return {name: value for name, value in verdict.claimed.items() if name.partition(".")[0] not in verdict.columns}


def _written(column: str, verdict: Verdict) -> int | None:
    return next((value for name, value in verdict.claimed.items() if name.startswith(f"{column}.")), None)


def _lines_by_column(verdict: Verdict) -> Mapping[str, ScoreLine]:
    """The line of the score that is a column's, if there is one for each."""
    if len(verdict.score.lines) != len(verdict.columns):
        return {}
    return dict(zip(verdict.columns, verdict.score.lines, strict=True))
