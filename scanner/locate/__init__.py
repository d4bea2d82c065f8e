"""Finds each sheet in a photo, without markers, and says which template it is."""

from __future__ import annotations

from scanner.locate.finder import locate
from scanner.locate.placement import NotFound, Placement

__all__ = ["NotFound", "Placement", "locate"]
