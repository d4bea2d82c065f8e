"""The digit reader: a small net in ONNX, run by onnxruntime; its metadata names its classes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from scanner.cells import INPUT_PX, CellBatch
from scanner.errors import PadscoreError
from scanner.read.readings import Readings
from scanner.read.second_look import look_again

if TYPE_CHECKING:
    import onnxruntime

Pictures = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]

MODEL_FOLDER = Path(__file__).resolve().parent.parent / "data" / "models"
DEFAULT_MODEL = "digits-1"


OUTPUTS = 3
"""Probabilities of classes, of "printed", and traits."""
NO_INK = 0.9995
"""Probability that a cell without a trace of ink is blank. Of 13,250 such cells in the real photos that train and tune
the reader none held anything, so at 95 % confidence at most 2 in 10,000 do."""


class ModelError(PadscoreError):
    """The model's file is missing or isn't one of ours: the installation is damaged."""

    exit_status = 4
    code = "unreadable"


def opened(
    reader: str, file: Path, names: str, threads: int, *, made_by: str
) -> tuple[onnxruntime.InferenceSession, Mapping[str, str]]:
    """A model's session and metadata, which hold at least its ``name`` and, under `names`, what its outputs stand for.

    reader: what the user calls it. made_by: the module that trains such models.
    Raises ModelError for a file that is missing or of another kind.
    """
    import onnxruntime

    if not file.is_file():
        raise ModelError(f"the {reader}'s model is missing", remedy="install padscore again", subject=file.name)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Spinning threads keep cores busy between calls that the other stages need.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    metadata: Mapping[str, str] = session.get_modelmeta().custom_metadata_map
    if names not in metadata or "name" not in metadata:
        raise ModelError(f"the model names no {names}", remedy=f"train it by {made_by}", subject=file.name)
    return session, metadata


class DigitReader:
    """Reads cells. Thread-safe; one session serves all photos of a process.

    name: of the model, such as ``digits-1``. classes: names of the columns of `Readings.probabilities`.
    """

    def __init__(self, path: Path | None = None, *, threads: int = 2) -> None:
        file = path or MODEL_FOLDER / f"{DEFAULT_MODEL}.onnx"
        self._session, metadata = opened("reader", file, "classes", threads, made_by="scanner.training.train")
        self.name: str = metadata["name"]
        self.classes: tuple[str, ...] = tuple(json.loads(metadata["classes"]))
        outputs = self._session.get_outputs()
        if len(outputs) != OUTPUTS:
            cause = f"the model has {len(outputs)} outputs, expected {OUTPUTS}"
            raise ModelError(cause, remedy="train it by scanner.training.train", subject=file.name)
        self._traits = int(outputs[2].shape[1])

    def read(self, batch: CellBatch) -> Readings:
        """Class probabilities and traits of all cells that lie in the picture."""
        ids = tuple(cell for cell, present in zip(batch.ids, batch.present.tolist(), strict=True) if present)
        return Readings(ids, self.classes, *self.with_traits(batch.ink[batch.present]))

    def probabilities(self, ink: Pictures) -> tuple[Floats, Floats]:
        """Probabilities float32 [n, classes] and of "printed" float32 [n] for pictures uint8 [n, 2, 32, 32].

        Unclear cells are looked at again (`scanner.read.second_look`).
        """
        probabilities, printed, _ = self.with_traits(ink)
        return probabilities, printed

    def with_traits(self, ink: Pictures) -> tuple[Floats, Floats, Floats]:
        """As `probabilities`, with the traits float32 [n, k] that `scanner.read.one_hand` compares."""
        probabilities, printed, traits = self._first(ink)
        if len(ink):
            look_again(lambda pictures: self._run(pictures)[:2], ink, probabilities, printed)
        return probabilities, printed, traits

    def glance(self, ink: Pictures) -> tuple[Floats, Floats]:
        """As `probabilities`, by one look at each cell: for what many cells decide together, such as the way up."""
        probabilities, printed, _ = self._first(ink)
        return probabilities, printed

    def _first(self, ink: Pictures) -> tuple[Floats, Floats, Floats]:
        if ink.ndim != 4 or ink.shape[1:] != (2, INPUT_PX, INPUT_PX) or ink.dtype != np.uint8:
            raise ValueError(f"ink: expected uint8 [n, 2, {INPUT_PX}, {INPUT_PX}], got {ink.dtype} {list(ink.shape)}")
        if not len(ink):
            return (
                np.zeros((0, len(self.classes)), np.float32),
                np.zeros(0, np.float32),
                np.zeros((0, self._traits), np.float32),
            )
        inked = ink.reshape(len(ink), -1).any(axis=1)
        if inked.all():
            return self._run(ink)
        # What was counted says more about cells without a trace of ink than a net can.
        others = len(self.classes) - 1
        probabilities = np.full((len(ink), len(self.classes)), (1 - NO_INK) / others, np.float32)
        probabilities[:, self.classes.index("blank")] = NO_INK
        printed = np.full(len(ink), 0.5, np.float32)
        traits = np.zeros((len(ink), self._traits), np.float32)
        if inked.any():
            probabilities[inked], printed[inked], traits[inked] = self._run(ink[inked])
        return probabilities, printed, traits

    def _run(self, ink: Pictures) -> tuple[Floats, Floats, Floats]:
        probabilities, printed, traits = self._session.run(None, {"pictures": np.ascontiguousarray(ink)})
        return probabilities, printed, traits


@lru_cache(maxsize=1)
def default_reader() -> DigitReader:
    """The shipped reader; loaded once a process."""
    return DigitReader()
