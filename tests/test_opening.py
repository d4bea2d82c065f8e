"""Files that anybody may name: pipes, devices, sockets."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from app_runner import process
from hypothesis import given
from hypothesis import strategies as st

from scanner import opening
from scanner.errors import UnreadableError
from scanner.intake import load
from scanner.opening import lines_of, read_up_to
from scanner.resolve import parse_answers
from scanner.rolls import load_rolls
from scanner.templates import load_templates
from scanner.typed import load_typed, parse_typed

posix = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes on this system")


@pytest.fixture
def pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A named pipe without a writer, and little patience."""
    monkeypatch.setattr(opening, "WRITER_SECONDS", 0.3)
    monkeypatch.setattr(opening, "SILENT_SECONDS", 0.3)
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


def test_no_more_than_asked_for(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abcdef")
    assert read_up_to(tmp_path / "file", 4) == b"abcd"
    assert read_up_to(tmp_path / "file", 7) == b"abcdef"


@posix
def test_a_pipe_without_a_writer(pipe: Path) -> None:
    start = time.monotonic()
    with pytest.raises(TimeoutError, match="it is a pipe, and nothing comes out of it"):
        read_up_to(pipe, 100)
    assert time.monotonic() - start < 5


@posix
def test_a_pipe_whose_writer_sends_nothing(pipe: Path) -> None:
    with open(os.open(pipe, os.O_RDWR | os.O_NONBLOCK), "wb"), pytest.raises(TimeoutError):
        read_up_to(pipe, 100)


@posix
def test_a_pipe_whose_writer_goes_without_a_word(pipe: Path) -> None:
    writer = threading.Thread(target=lambda: os.close(os.open(pipe, os.O_WRONLY)))
    writer.start()
    with pytest.raises(TimeoutError):
        read_up_to(pipe, 100)
    writer.join()


@posix
@pytest.mark.parametrize(("limit", "expected"), [(10**9, 300_000), (100_000, 100_000), (300_000, 300_000)])
def test_a_pipe_with_a_hesitant_writer(pipe: Path, limit: int, expected: int) -> None:
    def write() -> None:
        time.sleep(0.05)
        with open(pipe, "wb", buffering=0) as file:
            for _ in range(3):
                time.sleep(0.05)
                try:
                    file.write(b"x" * 100_000)
                except BrokenPipeError:  # the reader has enough
                    return

    writer = threading.Thread(target=write)
    writer.start()
    assert read_up_to(pipe, limit) == b"x" * expected
    writer.join()


@posix
def test_what_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # names of sockets have to be short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        with pytest.raises(OSError, match="it is a socket"):
            read_up_to("socket", 1)
    with pytest.raises(OSError, match="it is a device"):
        read_up_to("/dev/zero", 1)
    with pytest.raises(IsADirectoryError):
        read_up_to(tmp_path, 1)
    with pytest.raises(FileNotFoundError):
        read_up_to(tmp_path / "none", 1)


READERS: dict[str, Callable[[Path], object]] = {
    "photo": lambda path: next(load(path)),
    "board": lambda path: load_typed(path, {}),
    "rolls": load_rolls,
}


@posix
@pytest.mark.parametrize("kind", READERS)
def test_every_kind_of_input_refuses_a_silent_pipe(pipe: Path, kind: str) -> None:
    with pytest.raises(UnreadableError, match=r"pipe.*\(it is a pipe, and nothing comes out of it\); "):
        READERS[kind](pipe)


@posix
@pytest.mark.parametrize("kind", READERS)
def test_every_kind_of_input_refuses_a_device(kind: str) -> None:
    with pytest.raises(UnreadableError, match=r"zero: .*\(it is a device, not a file\); "):
        READERS[kind](Path("/dev/zero"))


@posix
def test_a_file_of_answers_that_is_a_device(tmp_path: Path) -> None:
    ran = process("scan", "photo.jpg", "--answers", "/dev/zero", cwd=tmp_path)
    assert (ran.status, ran.out) == (4, "")
    assert ran.messages == ["/dev/zero: the answers can't be read (it is a device, not a file); check --answers"]


# ---- lines


@given(st.lists(st.text("ab ="), min_size=1, max_size=9), st.sampled_from(["\n", "\r", "\r\n"]))
def test_lines_of_any_system(lines: list[str], end: str) -> None:
    assert lines_of(end.join(lines)) == lines


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_boards_and_answers_with_the_line_ends_of_any_system(end: str) -> None:
    board = end.join(["template = sudoku", *["5 . . . . . . . ."] * 9, ""])
    [typed] = parse_typed(board, load_templates())
    assert [typed.board.value(cell) for cell in ("r1c1", "r9c1", "r9c9")] == [5, 5, None]
    answers = parse_answers(end.join(["# what Anna says", "r1c1=5", "", "  # a.jpg#1:r1c2=3", "a#b.jpg#1:r1c3=blank"]))
    assert [str(answer) for answer in answers] == ["r1c1=5", "a#b.jpg#1:r1c3=blank"]
