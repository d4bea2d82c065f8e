"""Where the sheets of a document came from: what `padscore score` passes on of a ``scan --json``, but doesn't judge."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NoReturn, TypeGuard

from scanner.geometry import PxPoint
from scanner.results import Problem, SheetPlace

Fail = Callable[[str], NoReturn]
"""Raises the error of a malformed document; called with the cause."""


def place_of(sheet: Mapping[str, object], fail: Fail) -> SheetPlace | None:
    """Corners and residual of a sheet of a document; null for a typed board, which has neither."""
    corners, residual = sheet.get("corners"), sheet.get("residual_px", 0.0)
    if corners is None:
        return None
    points = [_point(corner) for corner in corners] if isinstance(corners, list) else []
    if len(points) != 4 or None in points:
        fail("its corners are no list of four points [x, y]")
    a, b, c, d = (point for point in points if point is not None)
    if not _is_number(residual) or residual < 0:
        fail("its residual_px is no number from 0")
    return SheetPlace((a, b, c, d), float(residual))


def model_of(document: Mapping[str, object], fail: Fail) -> str | None:
    """The reader's name; null for a document of typed boards."""
    model = document.get("model")
    if model is not None and not isinstance(model, str):
        fail("its model is no text")
    return model


def problems_of(document: Mapping[str, object], fail: Fail) -> tuple[Problem, ...]:
    """Why other sources of the document gave no sheet."""
    given = document.get("problems", [])
    if not isinstance(given, list):
        fail("its problems are no list")
    problems: list[Problem] = []
    for one in given:
        if not isinstance(one, dict):
            fail("one of its problems is no object")
        fields = [one.get(key) for key in ("source", "code", "message")]
        source, code, message = (field if isinstance(field, str) else None for field in fields)
        if source is None or not code or not message:
            fail("one of its problems has no source, code or message")
        problems.append(Problem(source, code, message))
    return tuple(problems)


def _point(given: object) -> PxPoint | None:
    if not isinstance(given, list) or len(given) != 2 or not all(map(_is_number, given)):
        return None
    return PxPoint(float(given[0]), float(given[1]))


def _is_number(given: object) -> TypeGuard[int | float]:
    return isinstance(given, int | float) and not isinstance(given, bool) and math.isfinite(given)
