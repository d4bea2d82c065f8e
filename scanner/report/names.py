"""File names for annotated pictures."""

from __future__ import annotations

from pathlib import PurePosixPath


class AnnotatedNames:
    """Gives out file names, never the same one for two sheets of a run.

    `table.jpg` becomes `table.annotated.jpg`, its further pages and sheets `table.p2.s1.annotated.jpg`; a second
    source of the same stem (another folder, another ending) becomes `table-2.annotated.jpg`.
    """

    def __init__(self) -> None:
        self._given: dict[str, tuple[str, int, int]] = {}

    def name(self, source: str, page: int, sheet: int) -> str:
        """The name for one sheet; asked again for the same one, the same name."""
        # a Windows path has to give its stem on any system
        stem = PurePosixPath(source.replace("\\", "/")).stem or "photo"
        suffix = "" if (page, sheet) == (1, 1) else f".p{page}.s{sheet}"
        number = 1
        while True:
            name = f"{stem}{'' if number == 1 else f'-{number}'}{suffix}.annotated.jpg"
            # casefold: on many systems A.jpg and a.jpg are one file
            if self._given.setdefault(name.casefold(), (source, page, sheet)) == (source, page, sheet):
                return name
            number += 1
