from __future__ import annotations

import numpy as np
import pytest
from negatives import GENERATORS, LOOKALIKES, negative

from scanner.intake import Photo
from scanner.locate import NotFound, locate
from scanner.templates import get_template, load_templates

SUDOKU = get_template("sudoku")
EVERY = tuple(load_templates().values())


def _photo(rgb: np.ndarray) -> Photo:
    return Photo("drawn.png", 1, rgb, (rgb.shape[1], rgb.shape[0]))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", GENERATORS)
def test_no_sheet_is_found_where_there_is_none(kind: str, seed: int) -> None:
    result = locate(_photo(negative(kind, seed).rgb), EVERY)
    assert isinstance(result, NotFound), f"{kind} {seed}: {result[0].template.id}, score {result[0].score:.2f}"
    assert result.reason


@pytest.mark.parametrize("kind", LOOKALIKES)
def test_what_only_reading_can_tell_is_marked_as_plain(kind: str) -> None:
    for seed in range(3):
        result = locate(_photo(negative(kind, seed).rgb), [SUDOKU])
        assert isinstance(result, NotFound) or result[0].plain


def test_pictures_are_the_same_every_time() -> None:
    assert np.array_equal(negative("crossword", 4).rgb, negative("crossword", 4).rgb)
