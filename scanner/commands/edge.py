"""The edge of the program: every expected failure becomes one line on stderr and an exit status, here and only here."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

import typer

from scanner.errors import FileError, MissingExtraError, PadscoreError, TooLargeError

UNREADABLE = 4
INTERRUPTED = 130
"""128 and the number of SIGINT, as shells report it."""


def tell(message: str) -> None:
    """One line on stderr, whatever stands in the message: names of files may hold anything."""
    if sys.stderr is None:  # closed by whoever started us; print would take stdout instead
        return
    line = "".join(letter if letter.isprintable() else "?" for letter in message)
    with suppress(OSError):  # nobody reads it, or the disk is full: there is nowhere to say so
        print(line, file=sys.stderr, flush=True)


@contextmanager
def edge(*, document: bool = False) -> Iterator[None]:
    """Runs a command; turns what it raises into a line and `typer.Exit`.

    document: with an exit status of 4, the JSON document with the problem goes to stdout.
    """
    try:
        yield
    except KeyboardInterrupt:
        tell("interrupted")
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:  # whoever read our output has seen enough
        close_stdout()
        raise typer.Exit(1) from None
    except OSError as error:
        tell(_os_error(error))
        raise typer.Exit(UNREADABLE) from None
    except (PadscoreError, ImportError, MemoryError) as caught:
        failure = _translated(caught)
        if document and failure.exit_status == UNREADABLE:
            _print_problem(failure)
        tell(str(failure))
        raise typer.Exit(failure.exit_status) from None


def close_stdout() -> None:
    """Sends what is still to be printed nowhere, so that Python doesn't complain when it ends."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def output_failed(error: OSError) -> int:
    """Tells that nothing more can be printed; returns the exit status for it."""
    close_stdout()
    tell(_os_error(error))
    return UNREADABLE


def fault(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """For `sys.excepthook`: a mistake of ours is one line that helps to report it; PADSCORE_DEBUG=1 shows it all."""
    if os.environ.get("PADSCORE_DEBUG"):
        sys.__excepthook__(kind, error, trace)
        return
    if issubclass(kind, KeyboardInterrupt):
        tell("interrupted")
        return
    where = ""
    while trace is not None:
        where = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    what = f"{kind.__name__}: {error}"[:200]
    tell(f"padscore has a fault ({what}, {where}); please report it with the output of PADSCORE_DEBUG=1")


def _translated(error: PadscoreError | ImportError | MemoryError) -> PadscoreError:
    if isinstance(error, PadscoreError):
        return error
    if isinstance(error, MemoryError):
        return TooLargeError("there is not enough memory", remedy="close other programs, or save the picture smaller")
    name = (error.name or "a library").partition(".")[0]
    if name == "scanner":  # a mistake of ours, no missing package
        raise error
    if "libGL" in str(error) or "libgthread" in str(error):
        return MissingExtraError(f"OpenCV can't be loaded ({error})", remedy="pip install opencv-python-headless")
    if isinstance(error, ModuleNotFoundError):
        remedy = "install padscore with pip, in a checkout with: pip install ."
        return MissingExtraError(f"{name} is not installed", remedy=remedy)
    return MissingExtraError(f"{name} can't be loaded ({error})", remedy=f"pip install --force-reinstall {name}")


def _print_problem(error: PadscoreError) -> None:
    from scanner.report.document import document, dumps
    from scanner.results import Problem
    from scanner.sheet import ScanResult

    code = error.code if isinstance(error, FileError) else "unreadable"
    problem = Problem(error.subject or "padscore", code, str(error))
    print(dumps(document(ScanResult(problems=(problem,)))), flush=True)


def _os_error(error: OSError) -> str:
    cause = error.strerror or str(error) or type(error).__name__
    if error.filename:
        return f"{error.filename}: {cause}; check its permissions and the room on the disk"
    return f"the output can't be written ({cause}); check the room on the disk"
