"""Runs the command for the tests: in this process, or as a process of its own from the checkout."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from os import environ
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from scanner.app import app
from scanner.report.document import schema

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "samples" / "sudoku-1.jpg"


@dataclass(frozen=True, slots=True)
class Ran:
    """What came out. messages: the lines of stderr."""

    status: int
    out: str
    err: str

    @property
    def messages(self) -> list[str]:
        return self.err.splitlines()

    @property
    def document(self) -> dict[str, Any]:
        """stdout as a JSON document that the shipped schema allows."""
        loaded: dict[str, Any] = json.loads(self.out)
        Draft202012Validator(schema()).validate(loaded)
        return loaded


def padscore(*arguments: object, stdin: str | bytes | None = None) -> Ran:
    """The command in this process."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin, prog_name="padscore")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ran(result.exit_code, result.stdout, result.stderr)


def process(
    *arguments: object, cwd: Path | None = None, env: Mapping[str, str] | None = None, stdin: str | None = None
) -> Ran:
    """The command as `python cli.py` runs it."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "cli.py"), *(str(argument) for argument in arguments)],
        cwd=cwd,
        env={**environ, **(env or {})},
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)
