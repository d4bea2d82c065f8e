"""The legality of HexRoller sheets: against brute force on small boards, and on games of a random player."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest
from hexroller_boards import FLOWER, RING, anyhow, checked, played, small_layout, spoiled
from hexroller_brute import Case, fewest_erased, fewest_rounds, has_history, is_explained, is_legal

from scanner.games.hexroller_chains import Growth, Slot, bits
from scanner.games.hexroller_explain import BonusClash, LooseHexes, MissingHexes, UnevenRounds, reasons
from scanner.games.hexroller_flags import flags_of
from scanner.games.hexroller_history import History
from scanner.games.hexroller_layout import layout_of
from scanner.results import Flag
from scanner.templates import get_template

FRONT, BACK = (layout_of(get_template(f"hexroller-{side}")) for side in ("front", "back"))

Maker = Callable[[random.Random], Case]


def small_game(rng: random.Random) -> Case:
    outer = rng.choice((FLOWER, RING))
    return played(small_layout(rng.choice((1, 2, 2, 3)), outer, rng.randrange(4)), rng, log=rng.random() < 0.5)


def small_spoiled(rng: random.Random) -> Case:
    return spoiled(small_game(rng), rng)


def small_anyhow(rng: random.Random) -> Case:
    return anyhow(small_layout(rng.choice((1, 2, 2, 3)), FLOWER, rng.randrange(4)), rng, log=rng.random() < 0.5)


def wrong(case: Case) -> list[Flag]:
    return [flag for flag in flags_of(checked(case)) if flag.severity == "illegal"]


# ---- small boards: every game there is


@pytest.mark.parametrize("make", [small_game, small_spoiled, small_anyhow])
def test_small_boards_are_judged_as_brute_force_judges_them(make: Maker) -> None:
    seen: Counter[bool] = Counter()
    for seed in range(400):
        case = make(random.Random(seed))
        legal = is_legal(case)
        assert legal == (not wrong(case)), f"seed {seed}: {case}"
        seen[legal] += 1
    if make is not small_game:
        assert min(seen.values()) >= 5, "both kinds occur"


@pytest.mark.parametrize(("make", "boards"), [(small_spoiled, 400), (small_anyhow, 80)])
def test_the_explanation_is_the_smallest(make: Maker, boards: int) -> None:
    kinds: Counter[str] = Counter()
    for seed in range(boards):
        case = make(random.Random(seed))
        if any(flag.code == "hexroller.roll" for flag in wrong(case)) or has_history(case):
            continue
        kinds[explained(case)] += 1
    assert kinds["hexes"] > 50
    assert kinds["rounds"] >= 1


def explained(case: Case) -> str:
    """Checks the explanation of an illegal sheet, and says what it is about."""
    judged = checked(case)
    found = reasons(judged.facts, judged.bonuses)
    sizes = {number: fewest_erased(case, number) for number in range(3, 9)}
    unexplained = {number: size for number, size in sizes.items() if size != 0}
    if not unexplained:
        [reason] = found
        if isinstance(reason, UnevenRounds):
            assert len(reason.rounds) == fewest_rounds(case)
            return "rounds"
        assert isinstance(reason, LooseHexes | BonusClash)
        assert not has_history(case, free=frozenset(range(len(case.rounds)))), "the bonuses don't go round"
        return "bonuses"
    assert {reason.number for reason in found if isinstance(reason, LooseHexes | MissingHexes)} == set(unexplained)
    for reason in found:
        if isinstance(reason, LooseHexes):
            assert len(reason.hexes) == unexplained[reason.number]
            mine = frozenset(place for place in case.written if case.hexes[place] == reason.number)
            assert set(reason.hexes) <= mine
            assert is_explained(case, reason.number, mine - set(reason.hexes))
        elif isinstance(reason, MissingHexes):
            assert unexplained[reason.number] is None
    lengths = [len(reason.hexes) for reason in found if isinstance(reason, LooseHexes)]
    assert lengths == sorted(lengths)
    return "hexes"


# ---- whole sheets


def replayed(case: Case, history: History) -> None:
    """Plays a history by the rules, and checks that it ends with the sheet."""
    layout = case.layout
    held = list(layout.printed)
    used: set[int] = set()
    for number, pair in enumerate(zip(case.top, case.bottom, strict=True), start=1):
        steps = [step for step in history.steps if step.round == number]
        picked = [step for step in steps if not step.bonus]
        assert sorted(step.number for step in picked) == sorted(filter(None, pair))
        bonuses = [step for step in steps if step.bonus]
        assert len(bonuses) <= 1
        roll = None if case.rolls is None else Counter(case.rolls[number - 1])
        lines = [*picked, *(step for step in bonuses if step.bonus == 3)]
        if roll is None:
            assert sum(len(step.hexes) for step in lines) <= layout.dice
        for step in steps:
            if roll is not None and step in lines:
                assert len(step.hexes) == roll[step.number]
            for at, place in enumerate(step.hexes):
                assert not held[place]
                near = (
                    [step.hexes[at - 1]] if at else [other for other in range(len(held)) if held[other] == step.number]
                )
                assert step.bonus == 2 or any(other in layout.neighbours[place] for other in near)
                held[place] = step.number
            if step.bonus:
                used.add(step.bonus)
                assert step.bonus != 1 or any(other.number == step.number for other in picked)
                assert step.bonus != 3 or all(other.number != step.number for other in picked)
    assert tuple(held) == case.hexes
    assert used <= case.used


@pytest.mark.parametrize("log", [False, True], ids=["without a log", "with its log"])
@pytest.mark.parametrize("side", ["front", "back"])
def test_every_game_of_a_random_player_is_legal(side: str, log: bool) -> None:
    layout = FRONT if side == "front" else BACK
    for seed in range(150):
        case = played(layout, random.Random(seed), log=log)
        judged = checked(case)
        assert [flag for flag in flags_of(judged) if flag.severity != "incomplete"] == [], f"seed {seed}"
        history = judged.history()
        assert history is not None
        replayed(case, history)
        assert history.used == case.used - {2}


@pytest.mark.parametrize("log", [False, True], ids=["without a log", "with its log"])
def test_spoiled_sheets_are_legal_only_with_a_game_to_show(log: bool) -> None:
    """What is called legal can be replayed, and what is called illegal can be mended as the explanation says."""
    for seed in range(150):
        rng = random.Random(seed)
        case = spoiled(played(rng.choice((FRONT, BACK)), rng, log=log), rng)
        judged = checked(case)
        flags = wrong(case)
        history = judged.history()
        if history is not None:
            if not flags:
                replayed(case, history)
            continue
        assert any(flag.code == "hexroller.history" for flag in flags)
        for reason in reasons(judged.facts, judged.bonuses):
            if isinstance(reason, LooseHexes):
                mine = frozenset(place for place in case.written if case.hexes[place] == reason.number)
                assert is_explained(case, reason.number, mine - set(reason.hexes)), f"seed {seed}"


# ---- chains by hand


def path(*near: tuple[int, ...], roots: tuple[int, ...]) -> Growth:
    return Growth(tuple(sum(1 << other for other in others) for others in near), sum(1 << root for root in roots))


THREE_IN_A_ROW = path((1,), (0, 2), (1,), roots=(0,))
STAR = path((1, 2, 3), (0,), (0,), (0,), roots=(0,))
"""A hex beside the printed number, and three more that touch only that one."""


def test_a_row_is_one_chain_or_as_many_as_it_has_hexes() -> None:
    assert THREE_IN_A_ROW.coverable(1)
    one = THREE_IN_A_ROW.arranged([Slot(1, 8)], extra=False)
    assert one is not None
    assert one.chains == ((0, 1, 2),)
    three = THREE_IN_A_ROW.arranged([Slot(1, 1)] * 3, extra=False)
    assert three is not None
    assert three.chains == ((0,), (1,), (2,))
    assert THREE_IN_A_ROW.arranged([Slot(1, 1)] * 2, extra=False) is None
    assert THREE_IN_A_ROW.arranged([Slot(1, 8)] * 4, extra=False) is None


def test_a_star_takes_a_chain_a_ray() -> None:
    assert not STAR.coverable(2)
    assert STAR.coverable(3)
    erased = STAR.fewest_erased(2, extra=False)
    assert erased is not None
    assert [place in (1, 2, 3) for place in bits(erased)] == [True]
    assert STAR.fewest_erased(2, extra=True) == 0
    lengths = {
        slots for slots in ((2, 1, 1), (1, 2, 1), (1, 1, 2)) if STAR.arranged([Slot(n, n) for n in slots], extra=False)
    }
    assert lengths == {(2, 1, 1)}, "only the first chain can pass through the middle"


def test_the_extra_hex_comes_behind_a_chain_that_allows_it() -> None:
    found = THREE_IN_A_ROW.arranged([Slot(1, 1, extra=False), Slot(1, 1, extra=True)], extra=True)
    assert found is not None
    assert (found.extra, found.after) == (2, 1)
    assert THREE_IN_A_ROW.arranged([Slot(1, 1, extra=False)] * 2, extra=True) is None
    assert THREE_IN_A_ROW.arranged([Slot(2, 2)], extra=True) is not None
    assert THREE_IN_A_ROW.arranged([], extra=True) is None


def test_hexes_apart_from_any_printed_one() -> None:
    apart = path((), (2,), (1,), roots=(0,))
    assert apart.fewest_erased(1, extra=True) == 0b110
    assert apart.fewest_erased(2, extra=False) is None
