"""Reads whole numbers: small nets that read a cell from left to right, and a search for the likeliest texts.

A net gives probabilities of a digit, a minus, a mark for "nothing", or none of them at each of some 20 steps across
the cell (connectionist temporal classification, Graves et al. 2006). The probability of a text is the sum over all ways
to read it (prefix search, Hannun et al. 2014, without a language model), so that it is one of the number and not of its
digits.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from scanner.cells_table import HIGH, WIDE, NumberBatch
from scanner.read.classes import NOTHING
from scanner.read.number_hand import settle
from scanner.read.number_look import look_again
from scanner.read.numbers import MAX_NUMBER, NumberCandidate, NumberReadings, NumberState
from scanner.read.reader import MODEL_FOLDER, ModelError, opened

if TYPE_CHECKING:
    import onnxruntime

DEFAULT_NUMBER_MODELS = ("numbers-1", "numbers-2")
"""Trained otherwise, so that they seldom err together; what is no number only one of them takes for one."""
BEAM = 12
"""Texts that are followed from step to step."""
LEAST_SYMBOL = 1e-4
"""Probability below which a symbol isn't tried at a step."""
LEAST_TEXT = 1e-4
"""Probability below which a reading isn't listed."""
LEADING_ZERO = 0.05
"""Weight of texts such as 00 and 07, which hardly anybody writes: mostly a 1 before the zeros went unseen."""
QUIET = 0.99999
"""Probability of "none of them" from which a step changes nothing."""

Probabilities = npt.NDArray[np.float32]


class NumberReader:
    """Reads whole numbers. Thread-safe; its sessions serve all photos of a process.

    name: of the models. symbols: what it can read, in the order of the net's outputs after "none of them".
    """

    def __init__(self, path: Path | None = None, *, threads: int = 2) -> None:
        """path: of a model that reads alone, instead of the shipped ones. ModelError if it is missing or no such."""
        files = [path] if path else [MODEL_FOLDER / f"{name}.onnx" for name in DEFAULT_NUMBER_MODELS]
        made_by = "scanner.training.train_numbers"
        models = [opened("number reader", file, "symbols", threads, made_by=made_by) for file in files]
        self._sessions = [session for session, _ in models]
        self.name: str = "+".join(metadata["name"] for _, metadata in models)
        self.symbols: tuple[str, ...] = tuple(json.loads(models[0][1]["symbols"]))
        if any(tuple(json.loads(metadata["symbols"])) != self.symbols for _, metadata in models):
            raise ModelError("the models read other symbols", remedy="install padscore again", subject=files[-1].name)

    def read(self, batch: NumberBatch) -> NumberReadings:
        """The readings of all cells that lie in the picture.

        Unclear ones are looked at again (`number_look`) and compared with the others as of one hand (`number_hand`).
        """
        ids = tuple(cell for cell, present in zip(batch.ids, batch.present.tolist(), strict=True) if present)
        ink = batch.ink[batch.present]
        steps, found = self.looked(ink)
        settle(ink, steps, found, self.symbols)
        return NumberReadings(ids, tuple(candidates(one) for one in found))

    def looked(self, ink: npt.NDArray[np.uint8]) -> tuple[Probabilities, list[dict[str, float]]]:
        """What the first net sees at every step (see `steps`), and the texts of all cells by all nets, each for itself.

        Unclear cells have been looked at again.
        """
        every = [self._steps(session, ink) for session in self._sessions]
        each = [[texts(row, self.symbols) for row in steps] for steps in every]
        found = [_mean(one) for one in zip(*each, strict=True)]
        looks = [partial(self._steps, session) for session in self._sessions]
        look_again(looks, ink, found, self.symbols)
        return every[0], found

    def steps(self, ink: npt.NDArray[np.uint8]) -> Probabilities:
        """The first net's probabilities of the symbols, float32 [n, steps, symbols + 1], for pictures [n, 2, 40, 112].

        Those of pictures without ink say "none of them" at every step. ink: uint8; ValueError for another shape.
        """
        return self._steps(self._sessions[0], ink)

    def _steps(self, session: onnxruntime.InferenceSession, ink: npt.NDArray[np.uint8]) -> Probabilities:
        if ink.ndim != 4 or ink.shape[1:] != (2, HIGH, WIDE) or ink.dtype != np.uint8:
            raise ValueError(f"ink: expected uint8 [n, 2, {HIGH}, {WIDE}], got {ink.dtype} {list(ink.shape)}")
        inked = ink[:, 0].any(axis=(1, 2))
        shown = np.ascontiguousarray(ink[inked]) if inked.any() else np.zeros((1, 2, HIGH, WIDE), dtype=np.uint8)
        seen = session.run(None, {"pictures": shown})[0]
        result = np.zeros((len(ink), *seen.shape[1:]), dtype=np.float32)
        result[:, :, 0] = 1.0
        if inked.any():
            result[inked] = seen
        return result


def _mean(found: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The texts of one cell as several nets have them, together."""
    together: dict[str, float] = defaultdict(float)
    for one in found:
        for text, chance in one.items():
            together[text] += chance / len(found)
    return dict(together)


def texts(steps: Probabilities, symbols: Sequence[str]) -> dict[str, float]:
    """The likeliest texts of one cell and their probabilities. steps: [steps, symbols + 1], the first for none."""
    # A text's probability by whether the last step showed its last symbol, or nothing.
    beams: dict[str, tuple[float, float]] = {"": (0.0, 1.0)}
    for row in steps.astype(np.float64):
        quiet = float(row[0])
        if quiet >= QUIET:
            beams = {text: (0.0, (shown + silent) * quiet) for text, (shown, silent) in beams.items()}
            continue
        seen = [(symbols[k - 1], float(row[k])) for k in np.flatnonzero(row > LEAST_SYMBOL).tolist() if k]
        grown: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        for text, (shown, silent) in beams.items():
            grown[text][1] += (shown + silent) * quiet
            for symbol, chance in seen:
                if text.endswith(symbol):
                    grown[text][0] += shown * chance
                    grown[text + symbol][0] += silent * chance
                else:
                    grown[text + symbol][0] += (shown + silent) * chance
        best = sorted(grown.items(), key=lambda item: -sum(item[1]))[:BEAM]
        beams = {text: (shown, silent) for text, (shown, silent) in best}
    return {text: shown + silent for text, (shown, silent) in beams.items()}


def meaning(text: str) -> tuple[int | None, NumberState]:
    """What a text says: a number, nothing, or what can't be one."""
    if not text:
        return None, "blank"
    if set(text) <= {NOTHING, "-"}:
        return None, "struck"
    digits = text.removeprefix("-")
    if digits.isdigit() and len(digits) <= len(str(MAX_NUMBER)):
        return int(text), "read"
    return None, "scribble"


def candidates(found: Mapping[str, float]) -> tuple[NumberCandidate, ...]:
    """Readings out of texts, most probable first; texts that say the same are one."""
    weights = {text: chance * (LEADING_ZERO if _leads_with_zero(text) else 1.0) for text, chance in found.items()}
    scale = sum(found.values()) / max(sum(weights.values()), LEAST_TEXT)
    together: dict[tuple[int | None, NumberState], float] = defaultdict(float)
    for text, weight in weights.items():
        together[meaning(text)] += weight * scale
    total = max(1.0, sum(together.values()))
    ordered = sorted(together.items(), key=lambda item: -item[1])
    listed = [
        NumberCandidate(value, state, probability / total)
        for (value, state), probability in ordered
        if probability >= LEAST_TEXT
    ]
    (value, state), probability = ordered[0]
    return tuple(listed) or (NumberCandidate(value, state, probability / total),)


def _leads_with_zero(text: str) -> bool:
    digits = text.removeprefix("-")
    return len(digits) > 1 and digits.startswith("0") and digits.isdigit()


@lru_cache(maxsize=1)
def default_number_reader() -> NumberReader:
    """The shipped number reader; loaded once a process."""
    return NumberReader()
