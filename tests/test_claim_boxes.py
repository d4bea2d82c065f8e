"""The boxes for the player's claim, beside the lattice that is found: only what lies inside its frame is a box."""

from __future__ import annotations

import pytest

from scanner.cells_table import NumberBatch, cut_number_boxes
from scanner.intake import load
from scanner.locate import NotFound, Placement, locate
from scanner.simulate import FilledSheet, Ranges, Setting, simulate_table
from scanner.templates import get_template

PAD = get_template("splitter-a")
BOXES = [cell.id for cell in PAD.cells if cell.id.startswith("claim-")]


def boxes(seed: int, ranges: Ranges) -> NumberBatch:
    """Of a blank pad, the way up that it was photographed."""
    made = simulate_table([FilledSheet(PAD)], seed=seed, setting=Setting(size=(1280, 960), ranges=ranges))
    photo = next(load(made.file(), name="pad.jpg"))
    found = locate(photo, [PAD])
    assert not isinstance(found, NotFound), found.reason
    placement = found[0]
    assert isinstance(placement, Placement)
    left = made.truths[0].corners[0]
    ways = [placement.turned(turn) for turn in (0, 2)]
    upright = min(ways, key=lambda way: float(((way.corners[0] * photo.scale - left) ** 2).sum()))
    batch = cut_number_boxes(photo, upright)
    assert batch is not None
    return batch


@pytest.mark.parametrize("plain", [0.0, 1.0], ids=["colours", "plain"])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_flat_pad_shows_all_its_boxes(seed: int, plain: float) -> None:
    calm = Ranges(
        plain_chance=plain, tilt=(0.0, 10.0), bow=(0.0, 0.0), gutter_chance=0.0, thumb_chance=0.0, hard_chance=0.0
    )
    batch = boxes(seed, calm)
    assert list(batch.ids) == BOXES
    assert batch.present.all()


@pytest.mark.parametrize("plain", [0.0, 1.0], ids=["colours", "plain"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_frame_of_a_box_on_bent_paper_is_no_number(seed: int, plain: float) -> None:
    """Far from the lattice a bend can't be foreseen: a box that isn't where it should be isn't read."""
    bent = Ranges(
        plain_chance=plain, tilt=(30.0, 50.0), bow=(5.0, 7.0), gutter_chance=1.0, thumb_chance=0.0, hard_chance=0.0
    )
    batch = boxes(seed, bent)
    assert (batch.darkness[batch.present] < 0.15).all()
