"""Photos of filled-in sheets that never existed, with their truth: for tests, training and the samples.

Nothing measured on them is an accuracy on people's handwriting (docs, "honesty").
"""

from __future__ import annotations

from scanner.simulate.hands import HandSource, Shapes, built_in_print, font_hand, pool_hand
from scanner.simulate.ranges import Ranges
from scanner.simulate.sheet import FilledSheet, Setting, Simulated, Truth, simulate
from scanner.simulate.sudokus import Puzzle, make_puzzle
from scanner.simulate.table import SimulatedTable, simulate_table

__all__ = [
    "FilledSheet",
    "HandSource",
    "Puzzle",
    "Ranges",
    "Setting",
    "Shapes",
    "Simulated",
    "SimulatedTable",
    "Truth",
    "built_in_print",
    "font_hand",
    "make_puzzle",
    "pool_hand",
    "simulate",
    "simulate_table",
]
