"""The edge: whatever happens, one line and an exit status, and never a traceback."""

from __future__ import annotations

import errno
import json
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import typer
from app_runner import ROOT, Ran, process

from scanner.commands.edge import edge, fault
from scanner.errors import AnswerError, EmptyFileError, PadscoreError, TemplateError


def run(error: BaseException, capsys: pytest.CaptureFixture[str], *, document: bool = False) -> Ran:
    with pytest.raises(typer.Exit) as caught, edge(document=document):
        raise error
    captured = capsys.readouterr()
    return Ran(caught.value.exit_code, captured.out, captured.err)


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (TemplateError("unknown key", remedy="correct it", subject="a.toml"), 2, "a.toml: unknown key; correct it"),
        (AnswerError("it isn't one", remedy="write r2c3=5"), 2, "it isn't one; write r2c3=5"),
        (EmptyFileError("the file is empty", remedy="copy it again", subject="a.jpg"), 4, "a.jpg: the file is empty"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError(), 4, "memory"),
        (OSError(errno.ENOSPC, "No space left on device"), 4, "No space left on device"),
        (PermissionError(errno.EACCES, "Permission denied", "out.txt"), 4, "out.txt"),
        (ImportError("libGL.so.1: cannot open shared object file"), 4, "pip install opencv-python-headless"),
        (ModuleNotFoundError("No module named 'onnxruntime'", name="onnxruntime"), 4, "onnxruntime is not installed"),
    ],
)
def test_one_line_and_the_status(
    error: BaseException, status: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = run(error, capsys)
    assert (ran.status, ran.out) == (status, "")
    (message,) = ran.messages
    assert words in message


def test_a_file_that_cannot_be_read_is_in_the_document_too(capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(EmptyFileError("the file is empty", remedy="copy it", subject="a.jpg"), capsys, document=True)
    assert ran.document["problems"] == [
        {"source": "a.jpg", "code": "empty-file", "message": "a.jpg: the file is empty; copy it"}
    ]


def test_wrong_usage_prints_no_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(TemplateError("unknown", remedy="correct it"), capsys, document=True).out == ""


def test_a_message_stays_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(PadscoreError("odd name", remedy="rename it", subject="a\nb\x1b[31m.jpg"), capsys)
    assert len(ran.messages) == 1
    assert "\x1b" not in ran.err


def test_a_mistake_of_ours_is_not_taken_for_a_missing_package() -> None:
    with pytest.raises(ImportError), edge():
        raise ImportError("cannot import name 'x' from 'scanner.scan'", name="scanner.scan")


def test_a_fault_is_one_line_that_says_where(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PADSCORE_DEBUG", raising=False)
    try:
        dict[str, int]()["missing"]
    except KeyError as error:
        fault(KeyError, error, error.__traceback__)
    (message,) = capsys.readouterr().err.splitlines()
    assert "KeyError" in message
    assert "test_app_edge.py" in message


def test_opencv_without_libgl(tmp_path: Path) -> None:
    broken = 'raise ImportError("libGL.so.1: cannot open shared object file: No such file or directory")\n'
    (tmp_path / "cv2.py").write_text(broken, encoding="utf-8")
    ran = process("scan", ROOT / "samples" / "sudoku-1.jpg", "--json", env={"PYTHONPATH": str(tmp_path)})
    assert ran.status == 4
    (message,) = ran.messages
    assert "pip install opencv-python-headless" in message
    assert [problem["code"] for problem in ran.document["problems"]] == ["missing-extra"]


@pytest.mark.parametrize(
    ("module", "name", "content", "extra"),
    [
        ("pypdfium2", "page.pdf", b"%PDF-1.7\n", "pdf"),
        ("pillow_heif", "photo.heic", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "heic"),
    ],
)
def test_an_extra_that_is_not_installed(module: str, name: str, content: bytes, extra: str, tmp_path: Path) -> None:
    missing = f"raise ModuleNotFoundError(\"No module named '{module}'\", name='{module}')\n"
    (tmp_path / f"{module}.py").write_text(missing, encoding="utf-8")
    (tmp_path / name).write_bytes(content)
    ran = process("scan", name, "--json", cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)})
    assert ran.status == 4
    (message,) = ran.messages
    assert message.startswith(f"{name}: ")
    assert message.endswith(f'install it with: pip install "padscore[{extra}]"')
    assert [problem["code"] for problem in ran.document["problems"]] == ["missing-extra"]


def test_a_checkout_without_what_it_needs(tmp_path: Path) -> None:
    # as Python says it of a package that isn't there
    broken = "raise ModuleNotFoundError(\"No module named 'typer'\", name='typer')\n"
    (tmp_path / "typer.py").write_text(broken, encoding="utf-8")
    ran = process("--help", env={"PYTHONPATH": str(tmp_path)})
    assert (ran.status, ran.out) == (4, "")
    (message,) = ran.messages
    assert "pip install" in message


def start(*arguments: str) -> subprocess.Popen[bytes]:
    # jobs in the background are often started with SIGINT ignored, which they would hand on
    code = (
        "import runpy, signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "sys.argv[0] = 'cli.py'; runpy.run_path('cli.py', run_name='__main__')"
    )
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", code, *arguments], cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe)


def test_interrupted_by_the_keyboard() -> None:
    with start("score", "-") as child:
        assert child.stdin is not None
        # more than a pipe holds: once it is written, the command is waiting for more
        child.stdin.write(b" " * 1_000_000)
        child.stdin.flush()
        status = None
        while status is None:
            # a signal between two reads of Python's is noticed with the next one only
            child.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                status = child.wait(timeout=3)
        assert status == 130
        assert child.stdout is not None
        assert child.stdout.read() == b""
        assert child.stderr is not None
        assert child.stderr.read().splitlines() == [b"interrupted"]


@pytest.mark.parametrize("options", [["--json"], []])
def test_a_reader_that_has_seen_enough(options: list[str]) -> None:
    """As in `padscore score board.json | head -1`: no complaint about the pipe."""
    board = json.dumps({"template": "sudoku", "cells": {f"r{r}c{c}": None for r in range(1, 10) for c in range(1, 10)}})
    with start("score", "-", *options) as child:
        assert child.stdout is not None
        child.stdout.close()
        assert child.stdin is not None
        child.stdin.write(board.encode())
        child.stdin.close()
        assert child.stderr is not None
        assert child.stderr.read() == b""
        assert child.wait(timeout=60) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("arguments", ["--help", "scan --help", "--version", "templates list", "templates list --json"])
def test_a_disk_without_room(arguments: str) -> None:
    command = f'"$0" cli.py {arguments} >/dev/full'
    done = subprocess.run(["sh", "-c", command, sys.executable], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 4
    words = [line for line in done.stderr.splitlines() if "Tesseract" not in line]  # a note of --version
    assert words == ["the output can't be written (No space left on device); check the room on the disk"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_messages_that_cannot_be_written_change_no_status() -> None:
    command = '"$0" cli.py scan nope.jpg 2>/dev/full'
    assert subprocess.run(["sh", "-c", command, sys.executable], cwd=ROOT, check=False).returncode == 4


def test_standard_input_that_is_closed() -> None:
    for command, status, message in (
        ("score -", 2, "stdin: is empty; type a board in the text notation or as JSON"),
        ("scan -", 4, "-: nothing comes on standard input; name a photo"),
    ):
        shell = f'"$0" cli.py {command} <&-'
        done = subprocess.run(
            ["sh", "-c", shell, sys.executable], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout, done.stderr.splitlines()) == (status, "", [message])


@pytest.mark.parametrize(
    ("closed", "kept", "words"),
    [(">&-", "stderr", ["nope.jpg: there is no such file; check the name"]), ("2>&-", "stdout", [])],
)
def test_a_stream_that_the_shell_has_closed(closed: str, kept: str, words: list[str]) -> None:
    """No complaint about it, and no message in what is left for the results."""
    command = f'"$0" cli.py scan nope.jpg nope2.jpg {closed}'
    done = subprocess.run(["sh", "-c", command, sys.executable], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 4
    lines = getattr(done, kept).splitlines()
    assert [line for line in lines if "nope.jpg: there" in line] == words
    assert "fault" not in done.stdout + done.stderr
