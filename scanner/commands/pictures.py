"""Annotated pictures into a folder, each drawn while its photo is at hand."""

from __future__ import annotations

from pathlib import Path

from scanner.commands.edge import tell
from scanner.errors import UsageError
from scanner.intake import Photo
from scanner.report.names import AnnotatedNames
from scanner.report.picture import annotate, save
from scanner.sheet import Sheet


class PictureFolder:
    """Writes pictures, and says once when that fails: the results are worth more than the pictures.

    written: the files, in order. failed: a picture could not be written, so no further one was tried.
    Raises UsageError for a folder that can't be made.
    """

    def __init__(self, folder: Path) -> None:
        self.written: list[Path] = []
        self.failed = False
        self._folder = folder
        self._names = AnnotatedNames()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise UsageError("this is a file", remedy="give --annotate a folder", subject=str(folder)) from None
        except OSError as error:
            cause = f"the folder can't be made ({error.strerror})"
            raise UsageError(cause, remedy="give --annotate a folder of yours", subject=str(folder)) from None

    def add(self, photo: Photo, sheet: Sheet) -> None:
        """Draws and writes the picture of one sheet."""
        if self.failed:
            return
        path = self._folder / self._names.name(sheet.source, sheet.page, sheet.sheet)
        try:
            save(annotate(photo.rgb, sheet), path)
        except OSError as error:
            self.failed = True
            tell(f"{path}: it can't be written ({error.strerror or error}); check the folder, no more are tried")
            return
        self.written.append(path)

    def tell_written(self) -> None:
        """One line about where the pictures are."""
        if len(self.written) == 1:
            tell(f"annotated picture: {self.written[0]}")
        elif self.written:
            tell(f"{len(self.written)} annotated pictures in {self._folder}")
