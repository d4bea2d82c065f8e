"""Printing: JSON and tables to stdout, a progress bar to stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID


def stdout_console() -> Console:
    """The terminal, or whatever stdout is."""
    from rich.console import Console

    return Console()


def print_json(document: Mapping[str, object]) -> None:
    """A document to stdout. ASCII only: it survives any terminal's encoding."""
    print(json.dumps(document, indent=2, ensure_ascii=True, allow_nan=False), flush=True)


class Bar:
    """A progress bar, or nothing at all where there is no terminal to draw it on."""

    def __init__(self, progress: Progress | None = None, task: TaskID | None = None) -> None:
        self._progress = progress
        self._task = task

    def update(self, done: int, total: int) -> None:
        """Says how much is done."""
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, completed=done, total=total)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Takes the bar away while something is printed to the same terminal."""
        if self._progress is None:
            yield
            return
        self._progress.stop()
        try:
            yield
        finally:
            self._progress.start()


@contextmanager
def progress_bar(what: str, total: int | None, *, wanted: bool = True) -> Iterator[Bar]:
    """A bar on stderr for `total` steps (null: not known yet), if stderr is a terminal and it is `wanted`."""
    if not wanted or sys.stderr is None or not sys.stderr.isatty():
        yield Bar()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    # not redirected: what goes to stdout has to stay there when stdout is a file and stderr a terminal
    with Progress(
        *columns, console=Console(stderr=True), transient=True, redirect_stdout=False, redirect_stderr=False
    ) as progress:
        yield Bar(progress, progress.add_task(what, total=total))
