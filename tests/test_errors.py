"""Errors travel between processes, as a batch's workers need."""

from __future__ import annotations

import pickle

import pytest

from scanner import errors
from scanner.errors import PadscoreError


def kinds(kind: type[PadscoreError]) -> list[type[PadscoreError]]:
    return [kind, *(below for child in kind.__subclasses__() for below in kinds(child))]


@pytest.mark.parametrize("kind", kinds(PadscoreError), ids=lambda kind: kind.__name__)
def test_an_error_is_the_same_after_pickling(kind: type[PadscoreError]) -> None:
    error = kind("is no picture", remedy="give a photo", subject="a.jpg")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert str(again) == str(error) == "a.jpg: is no picture; give a photo"
    assert (again.cause, again.remedy, again.subject) == ("is no picture", "give a photo", "a.jpg")
    assert again.exit_status == kind.exit_status


def test_there_are_kinds() -> None:
    assert len(kinds(errors.PadscoreError)) > 5
