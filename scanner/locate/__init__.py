"""Finds each sheet in a photo, without markers, and says which template it is."""

from __future__ import annotations

from collections.abc import Sequence

from scanner.intake import Photo
from scanner.locate import finder
from scanner.locate.placement import NotFound, Placement
from scanner.locate.tables import locate_tables
from scanner.templates import Template

__all__ = ["NotFound", "Placement", "locate"]


def locate(photo: Photo, templates: Sequence[Template]) -> tuple[Placement, ...] | NotFound:
    """All sheets of these templates in a photo, largest first; a score table only where no other sheet is."""
    tables = [template for template in templates if template.table is not None]
    others = [template for template in templates if template.table is None]
    found = finder.locate(photo, others) if others or not tables else NotFound("no grid of cells was seen")
    if found or not tables:
        return found
    table = locate_tables(photo, tables)
    # A refused grid tells more than that there is no table either.
    return table if table or not others or isinstance(found, tuple) else found
