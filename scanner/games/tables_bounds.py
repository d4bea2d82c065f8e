"""How far the results of a table's columns may go while many of their numbers are unsure, without trying them all."""

from __future__ import annotations

from collections.abc import Mapping

from scanner.games.tables_columns import Arithmetic
from scanner.results import Value
from scanner.templates.formulas import Difference, Formula, Product, Sum, Threshold

Span = tuple[int, int]
"""Lowest and highest number."""


def total_span(one: Arithmetic, possible: Mapping[str, frozenset[Value | None]]) -> Span:
    """Limits of a column's result if each cell of `possible` held any of its values; perhaps wider than the truth.

    A sum counts as what its parts may come to; and as what may be written where the parts may be missing or unreadable.
    """
    column = one.column

    def values(row: str) -> frozenset[Value | None]:
        return possible.get(column.cell(row), frozenset((column.written.get(row),)))

    def perhaps_unreadable(row: str) -> bool:
        return row in column.unknown or None in possible.get(column.cell(row), frozenset())

    spans: dict[str, Span] = {}
    empty: set[str] = set()
    for row in (*one.entries, *one.formulas):
        formula = one.formulas.get(row)
        written = [value for value in values(row) if isinstance(value, int)]
        if formula is None:
            spans[row] = _hull([*written, 0] if len(written) < len(values(row)) else written)
        else:
            spans[row] = _formula_span(formula, spans)
            # with nothing to add up, or something that can't be read, the sum is taken as it is written
            unfounded = all(used in empty for used in formula.uses)
            if unfounded or any(perhaps_unreadable(used) for used in formula.uses):
                spans[row] = _hull([*spans[row], *written, *([0] if unfounded else [])])
        if None in values(row) and (formula is None or all(used in empty for used in formula.uses)):
            empty.add(row)
    return spans.get(one.total_row or "", (0, 0))


def _hull(numbers: list[int]) -> Span:
    return min(numbers), max(numbers)


def _formula_span(formula: Formula, spans: Mapping[str, Span]) -> Span:
    def span(row: str) -> Span:
        return spans.get(row, (0, 0))

    match formula:
        case Sum(rows):
            return sum(span(row)[0] for row in rows), sum(span(row)[1] for row in rows)
        case Difference(minuend, subtrahend):
            return span(minuend)[0] - span(subtrahend)[1], span(minuend)[1] - span(subtrahend)[0]
        case Product(row, by):
            return _hull([by * number for number in span(row)])
        case Threshold(row):
            return _hull([formula.value(lambda _, n=number: n) for number in span(row)])  # type: ignore[misc]
