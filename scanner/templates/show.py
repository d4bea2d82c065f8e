"""What ``padscore templates`` prints: a template as a JSON document, and a line for each in the list."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypedDict

from scanner.templates.model import Cell, Template


class CellDocument(TypedDict):
    """A cell in JSON. polygon: [[x, y], ...] in mm; values: [lowest, highest]."""

    id: str
    kind: str
    polygon: list[list[float]]
    values: list[int] | None
    printed: int | None
    tags: list[str]


class TemplateDocument(TypedDict):
    """A template in JSON, as ``templates show ID --json`` prints it."""

    id: str
    title: str
    game: str
    width_mm: float
    height_mm: float
    cells: list[CellDocument]


@dataclass(frozen=True, slots=True)
class TemplateSummary:
    """One line of ``templates list``. layout: such as ``grid of 9 x 9``; cells: all of them, boxes included."""

    id: str
    title: str
    game: str
    layout: str
    cells: int
    width_mm: float
    height_mm: float
    source: str


def template_document(template: Template) -> TemplateDocument:
    """The template as a JSON-ready structure; lengths in mm, to the micrometre."""
    return {
        "id": template.id,
        "title": template.title,
        "game": template.game,
        "width_mm": template.size[0],
        "height_mm": template.size[1],
        "cells": [_cell(cell) for cell in template.cells],
    }


def _cell(cell: Cell) -> CellDocument:
    return {
        "id": cell.id,
        "kind": cell.kind,
        "polygon": [[round(point.x, 3), round(point.y, 3)] for point in cell.polygon],
        "values": None if cell.values is None else list(cell.values),
        "printed": cell.printed,
        "tags": sorted(cell.tags),
    }


def summaries(templates: Iterable[Template]) -> tuple[TemplateSummary, ...]:
    """A line for each template, by id."""
    return tuple(
        TemplateSummary(
            id=template.id,
            title=template.title,
            game=template.game,
            layout=_layout(template),
            cells=len(template.cells),
            width_mm=template.size[0],
            height_mm=template.size[1],
            source=template.source,
        )
        for template in sorted(templates, key=lambda template: template.id)
    )


def _layout(template: Template) -> str:
    if template.grid is not None:
        return f"grid of {template.grid.rows} x {template.grid.cols}"
    if template.table is not None:
        columns = sum(not column.labels for column in template.table.columns)
        rows = sum(not row.labels for row in template.table.rows)
        return f"table of {columns} x {rows}"
    return f"{len(template.lattice_cells)} hexes"
