"""The annotated picture of a score table: a result below each column, all of them in the banner."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner.games.registry import get_game
from scanner.geometry import FloatArray
from scanner.report.lettering import font
from scanner.report.picture import annotate
from scanner.report.signs import GREEN, ORANGE
from scanner.report.tables import BETWEEN, title_of
from scanner.resolve import resolve
from scanner.results import ColumnScore, Score, ScoreLine, Verdict
from scanner.sheet import Sheet
from scanner.templates import Template, load_templates
from scanner.typed import parse_typed

PX_PER_MM = 8


def card() -> Sheet:
    """Two games: one is right, of the other the field for chance is doubtful and no sum tells it."""
    fields = ("aces", "twos", "threes", "fours", "fives", "sixes", "three", "four", "full", "small", "large", "kniffel")
    cells: dict[str, object] = {f"{game}.{row}": 0 for game in ("game1", "game2") for row in fields}
    cells |= {"game1.chance": 23, "game1.total": 23}
    cells["game2.chance"] = {"value": 23, "state": "doubtful", "confidence": 0.7, "alternatives": {"28": 0.3}}
    typed = parse_typed(json.dumps({"template": "kniffel", "cells": cells}), load_templates())[0]
    verdict = resolve(typed.board, typed.template, get_game("kniffel"))
    return Sheet("card.jpg", 1, 1, typed.template, None, typed.board, verdict)


def polygons(template: Template) -> dict[str, FloatArray]:
    return {cell.id: np.array([[p.x, p.y] for p in cell.polygon]) * PX_PER_MM for cell in template.cells}


def share_of(picture: np.ndarray, color: tuple[int, int, int]) -> float:
    """The share of pixels of just this colour."""
    return float((picture == np.array(color, dtype=np.uint8)).all(axis=-1).mean())


def test_each_column_has_its_result_below() -> None:
    sheet = card()
    size = (int(sheet.template.size[1] * PX_PER_MM), int(sheet.template.size[0] * PX_PER_MM), 3)
    image = annotate(np.full(size, 250, np.uint8), sheet, polygons(sheet.template))
    # only the strip below the table: its right end comes out at 99 of 108 mm, seen with a margin of 7 % around
    picture = np.asarray(image)
    frame = np.flatnonzero((picture == np.array(GREEN, dtype=np.uint8)).all(axis=-1).mean(axis=1) > 0.3)
    strip = picture[frame.max() + 1 : frame.max() + 60]
    across = [strip[:, start : start + strip.shape[1] // 8] for start in range(0, strip.shape[1], strip.shape[1] // 8)]
    green = [place for place, part in enumerate(across) if share_of(part, GREEN) > 0.03]
    orange = [place for place, part in enumerate(across) if share_of(part, ORANGE) > 0.03]
    assert green
    assert orange
    assert max(green) <= min(orange) <= 4  # the first column, then the second; the other four are empty


def columns(draw: st.DrawFn) -> Verdict:
    names = draw(st.lists(st.sampled_from(("p1", "game1", "c12", "column-with-a-long-name")), min_size=1, unique=True))
    found = {
        name: ColumnScore(total, (total, total + more), more == 0)
        for name, total, more in (
            (name, draw(st.integers(-999, 9999)), draw(st.sampled_from((0, 3)))) for name in names
        )
    }
    lines = tuple(ScoreLine(f"{name} (Anna), wins", column.total) for name, column in found.items())
    return Verdict(
        Score(None, lines, {name: column.total for name, column in found.items()}), None, False, (), columns=found
    )


@given(st.composite(columns)(), st.integers(300, 1600))
def test_the_banner_has_every_result_and_room_for_it(verdict: Verdict, width: int) -> None:
    title = title_of(verdict, round(0.08 * width), width)
    words = [word for row in title.rows for word in row]
    assert len(words) == len(verdict.columns)
    for word, column in zip(words, verdict.columns.values(), strict=True):
        assert str(column.total) in word
        assert word.endswith("?") != column.sure
    face = font(title.size)
    for row in title.rows:
        length = sum(face.getlength(word) for word in row) + BETWEEN * title.size * (len(row) - 1)
        assert length <= 1.03 * width  # letters come in whole pixels


def test_a_single_total_stays_as_large_as_it_was() -> None:
    title = title_of(Verdict(Score(62), (62, 62), True, ()), 80, 1000)
    assert title.rows == (("Total 62",),)
    assert title.size == 80
    assert title.height == pytest.approx(80)
