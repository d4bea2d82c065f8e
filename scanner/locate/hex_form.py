"""A hex template's outline: the hexes it has, the edges that are printed, and those that must not be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from scanner.geometry import HEX_STEPS, FloatArray, Hex
from scanner.locate.hex_lattice import UNIT, Places
from scanner.templates import Template

CORNERS = np.array(
    [[math.sin(k * math.pi / 3) / math.sqrt(3), -math.cos(k * math.pi / 3) / math.sqrt(3)] for k in range(6)]
)
"""Corners of a hex around its middle in hex units, clockwise from the top [6, 2]."""


@dataclass(frozen=True, eq=False)
class HexForm:
    """The outline that one or several templates have in common.

    templates: all of the same outline. places: int64 [n, 2], axial. edges: float64 [m, 2, 2], both ends of every
    printed edge in hex units. outer: float64 [k, 2, 2], edges that the lattice would have if it went on: each touches
    the outline from outside.
    """

    templates: tuple[Template, ...]
    places: Places
    edges: FloatArray
    outer: FloatArray


def places_of(template: Template) -> frozenset[Hex]:
    """The hexes of a template."""
    return frozenset(cell.place for cell in template.lattice_cells if isinstance(cell.place, Hex))


def _side(place: Hex, side: int) -> FloatArray:
    """Both ends in hex units of the edge that a hex shares with its neighbour HEX_STEPS[side] [2, 2]."""
    # HEX_STEPS begin at the right and go on clockwise on the screen; the right edge lies between corners 1 and 2.
    ends = CORNERS[[(side + 1) % 6, (side + 2) % 6]]
    return np.asarray(np.array([place.q, place.r]) @ UNIT + ends, dtype=np.float64)


@lru_cache(maxsize=64)
def _form(places: frozenset[Hex]) -> tuple[Places, FloatArray, FloatArray]:
    inside, outside = [], []
    ordered = sorted(places, key=lambda place: (place.r, place.q))
    ring = {near for place in ordered for near in place.neighbours()} - places
    for place in [*ordered, *sorted(ring)]:
        for side, step in enumerate(HEX_STEPS):
            other = Hex(place.q + step[0], place.r + step[1])
            # Each edge once: from the hex on its left or above, or from the only one that is printed.
            if place in places and (other not in places or side < 3):
                inside.append(_side(place, side))
            elif place in ring and other in ring and side < 3:
                outside.append(_side(place, side))
    axial = np.array([[place.q, place.r] for place in ordered], dtype=np.int64)
    return axial, np.array(inside), np.array(outside).reshape(len(outside), 2, 2)


def forms(templates: tuple[Template, ...]) -> tuple[HexForm, ...]:
    """The outlines of the templates that have hexes."""
    by_places: dict[frozenset[Hex], list[Template]] = {}
    for template in templates:
        if template.hexes is not None:
            by_places.setdefault(places_of(template), []).append(template)
    return tuple(HexForm(tuple(several), *_form(places)) for places, several in by_places.items())


def printed_edges(template: Template) -> FloatArray:
    """Both ends of every printed edge of a template's hexes, hex units [m, 2, 2]."""
    return _form(places_of(template))[1]
