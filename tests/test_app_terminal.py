"""The progress bar: on a terminal and for several photos only, and never where the results go."""

from __future__ import annotations

import io
import sys

import pytest

from scanner.commands.output import progress_bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def stderr_is_a_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Called in the test itself: pytest sets stderr anew after the fixtures."""
    monkeypatch.setenv("TERM", "xterm")
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    return screen


def test_on_a_terminal_it_says_how_much_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = stderr_is_a_terminal(monkeypatch)
    with progress_bar("scanning", 3) as bar:
        bar.update(2, 3)
    assert "scanning" in terminal.getvalue()
    assert "2/3" in terminal.getvalue()


def test_results_go_to_stdout_between_two_states_of_the_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = stderr_is_a_terminal(monkeypatch)
    with progress_bar("scanning", 3) as bar, bar.paused():
        print("a result")
    assert capsys.readouterr().out == "a result\n"
    assert "scanning" in terminal.getvalue()
    assert "a result" not in terminal.getvalue()


def test_where_it_is_not_wanted_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = stderr_is_a_terminal(monkeypatch)
    with progress_bar("scanning", 1, wanted=False) as bar, bar.paused():
        bar.update(1, 1)
    assert terminal.getvalue() == ""


def test_without_a_terminal_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    with progress_bar("scanning", 3) as bar, bar.paused():
        bar.update(1, 3)
    assert screen.getvalue() == ""
