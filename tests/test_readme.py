"""README.md and docs/: their commands run, their links lead somewhere, and no command is left out."""

from __future__ import annotations

import re
import shlex
import shutil
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import typer
from app_runner import ROOT, SAMPLE, Ran, padscore
from PIL import Image, ImageDraw, ImageFont
from typer.core import TyperGroup

from scanner.app import app
from scanner.templates import load_templates

README = ROOT / "README.md"
PAGES = sorted([README, *(ROOT / "docs").glob("*.md"), ROOT / "samples" / "README.md", ROOT / "CHANGELOG.md"])
GRID = """\
schema = 1
id = "little-sudoku"
title = "A Sudoku of one's own"
game = "sudoku"
size = [100, 100]

[grid]
origin = [5, 5]
pitch = [10, 10]
rows = 9
cols = 9
values = [1, 9]
"""
# Wikipedia, article Sudoku: the solution of its puzzle
BOARD = """\
template = sudoku
5 3 4 6 7 8 9 1 2
6 7 2 1 9 5 3 4 8
1 9 8 3 4 2 5 6 7
8 5 9 7 6 1 4 2 3
4 2 6 8 5 3 7 9 1
7 1 3 9 2 4 8 5 6
9 6 1 5 3 7 2 8 4
2 8 7 4 1 9 6 3 5
3 4 5 2 8 6 1 7 9
"""


def shell_lines(page: Path) -> list[str]:
    """The lines of its ```sh blocks."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line.strip()]


def spans(page: Path) -> list[str]:
    """What stands between backticks in its running text; longer blocks are left out."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", text)]


def steps(line: str) -> list[list[str]]:
    """The words of each command of a line `a && b`, without the comment."""
    return [shlex.split(part, comments=True) for part in line.split(" && ")]


COMMANDS = [line for line in shell_lines(README) if line.startswith("padscore ")]
INSTALLS = [line for line in shell_lines(README) if not line.startswith("padscore ")]


def own(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def command_options() -> dict[str, set[str]]:
    """The options of each command, by the words that call it: `templates show`."""
    found: dict[str, set[str]] = {}

    def collect(command: Any, name: str) -> None:
        if isinstance(command, TyperGroup):
            for word, inner in command.commands.items():
                collect(inner, f"{name} {word}".strip())
        else:
            found[name] = {option for parameter in command.params for option in parameter.opts}

    collect(typer.main.get_command(app), "")
    return found


# What the README's commands name, laid out in a folder of its own.


def lay_out_photos(folder: Path) -> None:
    for name in ("table3.jpg", "photo.jpg", "samples/sudoku-1.jpg", "FOLDER/sudoku-1.jpg"):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(SAMPLE, folder / name)
    shutil.copy(SAMPLE.with_suffix(".json"), folder / "FOLDER")


def lay_out_crops(folder: Path) -> None:
    font = ImageFont.load_default(40)
    for digit in "258":
        crop = Image.new("L", (64, 64), 255)
        ImageDraw.Draw(crop).text((32, 32), digit, 0, font, anchor="mm")
        (folder / "FOLDER" / digit).mkdir(parents=True)
        crop.save(folder / "FOLDER" / digit / "0001.png")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    lay_out_photos(tmp_path)
    lay_out_crops(tmp_path)
    (tmp_path / "board.txt").write_text(BOARD)
    with Image.open(SAMPLE) as photo:
        smaller = photo.resize((photo.width // 2, photo.height // 2))
    smaller.save(tmp_path / "pages.pdf", save_all=True, append_images=[smaller, smaller])
    (tmp_path / "answers.txt").write_text("# the table by the window\npages.pdf#3.1:r2c3=5\n")
    (tmp_path / "my-sheets").mkdir()
    (tmp_path / "my-sheets" / "little-sudoku.toml").write_text(GRID)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PADSCORE_TEMPLATES", raising=False)
    return tmp_path


def expanded(words: list[str], folder: Path) -> list[str]:
    """As a shell would hand them over: *.jpg becomes the files of the folder."""
    return [
        name
        for word in words
        for name in (sorted(path.name for path in folder.glob(word)) if set(word) & set("*?[") else [word])
    ]


def run_shown(words: list[str], folder: Path) -> Ran:
    """Runs a command of the README and checks what holds for any of them."""
    words = expanded(words, folder)
    ran = padscore(*words)
    assert ran.status in (0, 1), ran.err
    assert ran.out.strip()
    if "--json" in words:
        assert ran.document["sheets"]
        assert ran.err == ""
    if "--annotate" in words:
        marked = folder / words[words.index("--annotate") + 1]
        photos = [word for word in words if word.endswith(".jpg")]
        assert {picture.name for picture in marked.iterdir()} == {
            f"{Path(photo).stem}.annotated.jpg" for photo in photos
        }
        for picture in marked.iterdir():
            with Image.open(picture) as image:
                image.load()
    return ran


@pytest.mark.parametrize("line", COMMANDS, ids=lambda line: line.partition("#")[0].strip())
def test_each_command_runs(line: str, desk: Path) -> None:
    ((program, *words),) = steps(line)
    assert program == "padscore"
    run_shown(words, desk)


def test_an_answer_is_taken(desk: Path) -> None:
    (line,) = (line for line in COMMANDS if "--answer " in line)
    ((_, *words),) = steps(line)
    cell, _, value = words[words.index("--answer") + 1].partition("=")
    document = run_shown([*words, "--json"], desk).document
    (sheet,) = document["sheets"]
    assert sheet["cells"][cell]["state"] == "answered"
    assert sheet["cells"][cell]["value"] == int(value)


def test_an_answer_about_one_of_several_pages_is_taken(desk: Path) -> None:
    (line,) = (line for line in COMMANDS if "--answers" in line)
    (address,) = re.findall(r"such as (\S+)", line)
    assert address in (desk / "answers.txt").read_text()
    ((_, *words),) = steps(line)
    cells = [sheet["cells"]["r2c3"] for sheet in run_shown([*words, "--json"], desk).document["sheets"]]
    assert [cell["state"] == "answered" for cell in cells] == [False, False, True]


def test_templates_of_one_s_own_are_found(desk: Path) -> None:
    (line,) = (line for line in COMMANDS if line.startswith("padscore templates list --templates"))
    ((_, *words),) = steps(line)
    assert "little-sudoku" in run_shown(words, desk).out


def test_a_typed_board_without_a_mistake_is_all_clear(desk: Path) -> None:
    assert padscore("score", "board.txt").status == 0


# The two commands that begin with an environment. .ci/run makes one; here is checked that it does so in the same way.


def pip_arguments(line: str) -> list[str]:
    (arguments,) = (words[2:] for words in steps(line) if words[0].endswith("/pip"))
    return arguments


def test_the_lines_that_install_are_two() -> None:
    assert [[words[0] for words in steps(line)] for line in INSTALLS] == [
        ["python3", ".venv/bin/pip", ".venv/bin/padscore"],
        ["python3", ".venv/bin/pip", ".venv/bin/pytest"],
    ]
    for line in INSTALLS:
        assert steps(line)[0] == ["python3", "-m", "venv", ".venv"]
        assert steps(line)[1][1] == "install"


def test_the_first_line_scans_a_sample(desk: Path) -> None:
    *_, (_, *words) = steps(INSTALLS[0])
    assert (ROOT / words[1]).samefile(SAMPLE)
    assert (desk / words[1]).is_file()
    assert "Total" in run_shown(words, desk).out


def test_the_second_line_installs_and_tests_as_ci_does() -> None:
    assert pip_arguments(INSTALLS[1]) == ["-e", ".[dev]"]
    assert steps(INSTALLS[1])[2][1:] == ["-q"]
    for script in ROOT.glob(".ci/run"):  # an sdist has none
        lines = [line.strip() for line in script.read_text(encoding="utf-8").splitlines()]
        (install,) = (shlex.split(line) for line in lines if "pip install" in line)
        assert install[:4] == ["python", "-m", "pip", "install"]
        assert [word for word in install[4:] if word != "--quiet"] == pip_arguments(INSTALLS[1])
        (tests,) = (line for line in lines if "-m pytest" in line)
        assert tests.startswith("python -m pytest -q")


def test_what_is_said_of_python_and_extras_is_what_pip_goes_by() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (oldest,) = re.findall(r"Python (3\.\d+) or newer", README.read_text(encoding="utf-8"))
    assert project["requires-python"] == f">={oldest}"
    for page in PAGES:
        named = re.findall(r"""pip install (?:-e )?["'][\w.]+\[([\w,]+)\]""", page.read_text(encoding="utf-8"))
        for extras in named:
            assert set(extras.split(",")) <= set(project["optional-dependencies"]), own(page)


# What the pages name is there.


@pytest.mark.parametrize("page", PAGES, ids=own)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not target.startswith(("https://", "http://")):
            assert (page.parent / target.partition("#")[0]).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=own)
def test_files_and_modules_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for path in re.findall(r"(?<![\w/.-])(?:scanner|templates|samples|docs|tests|benchmarks)/[\w/.-]*", text):
        assert (ROOT / path.rstrip(".")).exists(), path
    for module in re.findall(r"python3? -m (scanner[\w.]*\w)", text):
        assert find_spec(module) is not None, module


@pytest.mark.parametrize("page", PAGES, ids=own)
def test_commands_in_the_text_are_ones_there_are(page: Path) -> None:
    known = command_options()
    for span in spans(page):
        words = span.split()
        options = {word.partition("=")[0] for word in words if word.startswith("--")}
        if words[0] == "padscore" and len(words) > 1:
            name = max((name for name in known if words[1:][: len(name.split())] == name.split()), key=len, default="")
            assert name or any(name.split()[0] == words[1] for name in known), span
            assert options <= known.get(name, set()), span
        elif words[0].startswith("--"):
            assert any(options <= offered for offered in known.values()), span


def test_every_command_is_mentioned() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES if page.parent != ROOT / "samples")
    missing = [name for name in command_options() if not re.search(rf"\bpadscore {name}\b", text)]
    assert missing == []


def test_every_template_is_in_the_table_of_sheets() -> None:
    rows = [line for line in README.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    named = {name for row in rows for name in re.findall(r"`([a-z0-9-]+)`", row.split("|")[2])}
    assert named == set(load_templates())


def test_the_exit_statuses_of_the_readme_are_those_of_the_help() -> None:
    def statuses(text: str) -> list[str]:
        (sentence,) = re.findall(r"0 all clear.*?could not be read", " ".join(text.split()))
        return re.findall(r"\d+", sentence)

    assert statuses(README.read_text(encoding="utf-8")) == statuses(padscore("--help").out) == list("01234")
