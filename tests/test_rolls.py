"""Logs of the dice: what is read, and what is refused with line and reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner.errors import MissingFileError, RollLogError, UnreadableError
from scanner.rolls import Roll, RollFormat, load_rolls, parse_rolls

TWO_DICE = RollFormat(dice=2, low=1, high=6, rounds=22)
THREE_DICE = RollFormat(dice=3, low=1, high=8, rounds=31)


def refusal(data: bytes, *formats: RollFormat) -> str:
    with pytest.raises(RollLogError) as caught:
        parse_rolls(data, source="rolls.txt").check(formats or (TWO_DICE,))
    assert caught.value.exit_status == 2
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_blank_lines_and_comments() -> None:
    text = "# table 3, Anna's dice\n\n3 5\n  6\t1   # doubles\n\n#2 2\n4 4"
    log = parse_rolls(text.encode(), source="rolls.txt")
    assert log.rolls == (Roll((3, 5), 3), Roll((6, 1), 4), Roll((4, 4), 7))
    assert log.numbers == ((3, 5), (6, 1), (4, 4))
    log.check([TWO_DICE])


@pytest.mark.parametrize("break_", ["\n", "\r\n", "\r"])
def test_line_breaks_of_all_systems(break_: str) -> None:
    data = b"\xef\xbb\xbf" + break_.join(["3 5", "", "1 2"]).encode()
    assert parse_rolls(data, source="rolls.txt").rolls == (Roll((3, 5), 1), Roll((1, 2), 3))


@pytest.mark.parametrize(
    ("data", "line", "reason"),
    [
        (b"3 5\n4 x\n", "line 2", "'x' is no number"),
        (b"3 5\n\n# all good so far\n3,5\n", "line 4", "'3,5' is no number"),
        (b"3 5\r3-5\r", "line 2", "'3-5' is no number"),
        (b"3 5\n1 -2\n", "line 2", "'-2' is no number"),
        (b"3 5\n1 2.5\n", "line 2", "'2.5' is no number"),
        ("3 5\n1 ²\n".encode(), "line 2", "'\\xb2' is no number"),
        (b"3 5\n1 " + b"9" * 5000, "line 2", "'99999999999999999...' is no number"),
        (b"3 5\n4\n", "line 2", "a roll has 2 numbers, not 1 number;"),
        (b"3 5\n\n4 4 4\n", "line 3", "a roll has 2 numbers, not 3 numbers;"),
        (b"3 5\n4 7\n", "line 2", "no die shows 7, only 1 to 6"),
        (b"0 5\n4 7\n", "line 1", "no die shows 0, only 1 to 6"),
        (b"# 22 of them\n" + b"1 2\n" * 23, "line 24", "this is roll 23, but a game has only 22"),
        (b"3 5\n4 4\n\xff\xfe\n", "line 3", "no text in UTF-8"),
    ],
)
def test_a_bad_line_is_named_with_the_reason(data: bytes, line: str, reason: str) -> None:
    message = refusal(data)
    assert message.startswith(f"rolls.txt, {line}: ")
    assert reason in message


@pytest.mark.parametrize("data", [b"", b"\n \n", b"# 3 5\n"])
def test_a_log_without_rolls(data: bytes) -> None:
    assert "rolls.txt: there are no rolls in it" in refusal(data)


def test_a_file_that_is_too_large() -> None:
    assert "too large" in refusal(b"3 5\n" * 100_000)


def test_a_log_of_a_game_broken_off_is_good() -> None:
    parse_rolls(b"3 5\n", source="rolls.txt").check([TWO_DICE])
    parse_rolls(b"1 2\n" * 22, source="rolls.txt").check([TWO_DICE])


def test_several_games() -> None:
    parse_rolls(b"3 5\n", source="rolls.txt").check([THREE_DICE, TWO_DICE])
    parse_rolls(b"3 5 8\n", source="rolls.txt").check([TWO_DICE, THREE_DICE])
    # the reason is told by the game that the log is most like
    assert "line 2: no die shows 9, only 1 to 8" in refusal(b"3 5 8\n3 5 9\n", TWO_DICE, THREE_DICE)
    assert "line 2: a roll has 3 numbers, not 2" in refusal(b"3 5 8\n3 5\n1 1 1\n", TWO_DICE, THREE_DICE)
    assert "line 1: a roll has 2 numbers, not 4" in refusal(b"1 2 3 4\n", TWO_DICE, THREE_DICE)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "rolls.txt"
    path.write_text("3 5\n", encoding="utf-8")
    assert load_rolls(path).numbers == ((3, 5),)
    with pytest.raises(MissingFileError, match=r"there is no such file; check --rolls"):
        load_rolls(tmp_path / "none.txt")
    with pytest.raises(MissingFileError):
        load_rolls(path / "below.txt")
    with pytest.raises(UnreadableError, match="can't be read"):
        load_rolls(tmp_path)


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), min_size=1, max_size=22))
def test_what_is_written_is_read(rolls: list[tuple[int, int]]) -> None:
    text = "\n".join(f"{first} {second}" for first, second in rolls)
    log = parse_rolls(text.encode(), source="rolls.txt")
    log.check([TWO_DICE])
    assert list(log.numbers) == rolls


@given(st.binary(max_size=60) | st.text("0123456789 #\n\r-x", max_size=60).map(str.encode))
def test_anything_is_read_or_refused_in_one_line(data: bytes) -> None:
    message = ""
    try:
        log = parse_rolls(data, source="rolls.txt")
        log.check([TWO_DICE])
    except RollLogError as error:
        message = str(error)
    else:
        assert all(1 <= number <= 6 for roll in log.numbers for number in roll)
    assert message == "" or message.isprintable()
