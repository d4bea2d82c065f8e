"""The photo that is shipped to try Padscore with, and its truth file for `bench`."""

from __future__ import annotations

from pathlib import Path

from scanner.errors import MissingFileError, UnreadableError

SAMPLE = "sudoku-1.jpg"


def sample_path() -> Path:
    """The shipped photo; its truth file lies beside it. MissingFileError if it is gone."""
    path = _folder() / SAMPLE
    if not path.is_file():
        raise MissingFileError("the sample photo is missing", remedy="install padscore again", subject=SAMPLE)
    return path


def copy_sample(folder: Path) -> Path:
    """Copies the photo into a folder that exists, to be found and looked at there; returns the copy.

    A file that is already the same is left as it is. UnreadableError if another file has the name, or if the folder
    can't be written to.
    """
    data = sample_path().read_bytes()
    copy = folder / SAMPLE
    try:
        with copy.open("xb") as file:
            file.write(data)
    except FileExistsError:
        if not copy.is_file() or copy.read_bytes() != data:
            raise UnreadableError(
                "there is another file of this name", remedy="go to another folder", subject=str(copy)
            ) from None
    except OSError as error:
        raise UnreadableError(
            f"it can't be written ({error.strerror})", remedy="go to a folder of your own", subject=str(copy)
        ) from None
    return copy


def _folder() -> Path:
    """Inside an installed package, or at the top of a checkout."""
    package = Path(__file__).resolve().parent
    inside = package / "data" / "samples"
    return inside if inside.is_dir() else package.parent / "samples"
