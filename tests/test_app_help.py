"""The command's help: complete, quick, with examples that the command would accept."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from app_runner import ROOT, padscore, process

from scanner import __version__
from scanner.app import app

COMMANDS = [
    ("scan",),
    ("sample",),
    ("score",),
    ("templates",),
    ("templates", "list"),
    ("templates", "show"),
    ("bench",),
    ("digits",),
]
HEAVY = ("numpy", "cv2", "pydantic", "onnxruntime", "PIL", "rich.markdown", "pytesseract")


def parse(words: list[str]) -> None:
    """Parses a command line without running it; raises what typer raises for wrong usage."""
    command = typer.main.get_command(app)
    while isinstance(command, typer.core.TyperGroup):
        command = command.commands[words.pop(0)]
    command.make_context("padscore", words)


def examples(*command: str) -> list[str]:
    text = padscore(*command, "--help").out
    lines = [line.strip() for line in text[text.index("Examples") :].splitlines()[1:]]
    return [line for line in lines if line]


def test_the_version() -> None:
    assert padscore("--version").out == f"padscore {__version__}\n"


def test_all_commands_are_in_the_help() -> None:
    help_text = padscore("--help")
    assert help_text.status == 0
    for command in COMMANDS:
        assert command[0] in help_text.out


def test_nothing_else_is_offered() -> None:
    names = set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
    assert names == {command[0] for command in COMMANDS}


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_examples_that_are_right(command: tuple[str, ...]) -> None:
    shown = examples(*command)
    assert any(f"padscore {' '.join(command)} " in line for line in shown)
    for line in shown:
        # "cat board.txt | padscore score - --json", "padscore scan a.jpg --json > a.json"
        words = shlex.split(line.rpartition("| ")[2].partition(" > ")[0])
        assert words[0] == "padscore"
        parse(words[1:])


def test_an_unknown_option_is_wrong_usage() -> None:
    ran = padscore("scan", "a.jpg", "--anotate", "x")
    assert ran.status == 2
    assert ran.out == ""
    assert "--annotate" in ran.err


def test_no_photo_is_wrong_usage() -> None:
    ran = padscore("scan")
    assert (ran.status, ran.out) == (2, "")


def test_importing_the_app_loads_nothing_heavy() -> None:
    code = f"import sys, scanner.app; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_comes_within_half_a_second() -> None:
    """Measured in processor time, the best of three: other processes of the machine are no fault of ours."""

    def seconds() -> float:
        before = os.times()
        assert process("--help").status == 0
        after = os.times()
        return (after.children_user - before.children_user) + (after.children_system - before.children_system)

    assert min(seconds() for _ in range(3)) < 0.5


def test_from_a_checkout_in_any_folder(tmp_path: Path) -> None:
    assert process("--version", cwd=tmp_path).out == f"padscore {__version__}\n"
