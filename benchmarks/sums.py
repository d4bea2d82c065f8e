"""What sums are worth as check digits: Kniffel cards of which some numbers are read unsurely and some sums are wrong.

    python benchmarks/sums.py [--cards 200] [--unsure 0.1] [--wrong 0.03] [--seed 1]

No pictures: the readings are drawn so that their probabilities are true. Prints the share of right numbers before and
after, the share of cells asked, and the columns that are wrong while sure, with a wrong sum overlooked or a right one
accused.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scanner.games.kniffel import FACES, FIXED
from scanner.games.registry import get_game
from scanner.read.classes import CLASSES
from scanner.read.numbers import NumberCandidate, NumberReadings
from scanner.read.readings import Readings
from scanner.resolve import readings_to_board, resolve
from scanner.templates import get_template

CARD = get_template("kniffel")
GAME = get_game("kniffel")
LOOK_ALIKE: Mapping[str, str] = {
    "0": "68",
    "1": "74",
    "2": "7",
    "3": "85",
    "4": "9",
    "5": "36",
    "6": "0",
    "7": "1",
    "8": "30",
    "9": "4",
}
SURENESS = (0.35, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97, 0.985)
MISTAKES = (-40, -20, -10, -9, -5, -2, -1, 1, 2, 5, 9, 10, 20, 40)


@dataclass(frozen=True, slots=True)
class Game:
    """A column as it is written, the rows whose sum is wrong, and the right total."""

    numbers: Mapping[str, int]
    wrong: frozenset[str]
    total: int


def played(rng: random.Random, wrong: float) -> Game:
    numbers = {row: face * rng.choice((0, 1, 2, 2, 3, 3, 3, 4, 4, 5)) for row, face in FACES.items()}
    upper = sum(numbers.values())
    fields = {row: rng.choice((0, *range(5, 31))) for row in ("three", "four", "chance")}
    fields |= {row: rng.choice((0, points)) for row, points in FIXED.items()}
    numbers |= fields
    mistaken = set()

    def added(row: str, value: int) -> None:
        numbers[row] = value
        if rng.random() < wrong:
            numbers[row] = max(0, value + rng.choice(MISTAKES))
            if numbers[row] != value:
                mistaken.add(row)

    added("upper_sum", upper)
    numbers["bonus"] = 35 if numbers["upper_sum"] >= 63 else 0
    added("upper_total", numbers["upper_sum"] + numbers["bonus"])
    added("lower_total", sum(fields.values()))
    numbers["upper_again"] = numbers["upper_total"]
    added("total", numbers["lower_total"] + numbers["upper_again"])
    return Game(numbers, frozenset(mistaken), upper + (35 if upper >= 63 else 0) + sum(fields.values()))


def read(value: int, rng: random.Random, unsure: float) -> tuple[NumberCandidate, ...]:
    if rng.random() >= unsure:
        return (NumberCandidate(value, "read", 0.9996),)
    digits = list(str(value))
    place = rng.randrange(len(digits))
    digits[place] = rng.choice(LOOK_ALIKE[digits[place]])
    p = rng.choice(SURENESS)
    p = p if rng.random() < p else 1 - p  # so that of all readings with p a share of p is the truth
    both = (NumberCandidate(value, "read", p), NumberCandidate(int("".join(digits)), "read", 1 - p))
    return tuple(sorted(both, key=lambda one: -one.probability))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cards", type=int, default=200)
    parser.add_argument("--unsure", type=float, default=0.1)
    parser.add_argument("--wrong", type=float, default=0.03)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    no_digits = Readings((), CLASSES, np.zeros((0, len(CLASSES)), np.float32), np.zeros(0, np.float32))
    cells = before = after = asked = columns = unsure = silent = overlooked = accused = 0
    for _ in range(options.cards):
        games = {f"game{number}": played(rng, options.wrong) for number in range(1, 7)}
        truth = {f"{name}.{row}": value for name, game in games.items() for row, value in game.numbers.items()}
        ids = tuple(cell for cell in CARD.ids if cell in truth)
        numbers = NumberReadings(ids, tuple(read(truth[cell], rng, options.unsure) for cell in ids))
        board = readings_to_board(no_digits, CARD, GAME, (), numbers)
        verdict = resolve(board, CARD, GAME)
        cells += len(ids)
        before += sum(found[0].value == truth[cell] for cell, found in zip(ids, numbers.candidates, strict=True))
        after += sum(board.value(cell) == truth[cell] for cell in ids)
        asked += len(verdict.ask)
        flagged = {cell for flag in verdict.flags if flag.code == "table.sum" for cell in flag.cells}
        for name, game in games.items():
            result = verdict.columns[name]
            columns += 1
            unsure += not result.sure
            if result.sure:
                wrong = {f"{name}.{row}" for row in game.wrong}
                mine = {cell for cell in flagged if cell.startswith(f"{name}.")}
                silent += result.total != game.total
                overlooked += bool(wrong - mine)
                accused += bool(mine - wrong)
    print(f"{cells} numbers: right {before / cells:.2%} as read, {after / cells:.2%} by the sums", end="; ")
    print(f"asked {asked / cells:.2%}")
    print(f"{columns} columns: {unsure / columns:.1%} unsure; while sure: {silent} with a wrong total, ", end="")
    print(f"{overlooked} with a wrong sum overlooked, {accused} with a right one accused")


if __name__ == "__main__":
    main()
