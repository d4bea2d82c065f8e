"""Trains the number reader on generated cells and writes it as ONNX.

    python -m scanner.training.train_numbers --data FOLDER --out FOLDER --digits CHECKPOINT --minutes 60

FOLDER holds what `scanner.training.numbers` wrote: train-*.npz and val-*.npz. The tower starts from a checkpoint of the
digit reader (`scanner.training.train`) and stays as it is for the first part of the time, so that its features are
computed once; then all of the net learns.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from scanner.errors import MissingFileError, PadscoreError
from scanner.read.classes import NUMBER_SYMBOLS
from scanner.training.number_net import NumberModel, NumberNet
from scanner.training.numbers import NumberCells

NAME = "numbers-1"
BATCH = 128
SHIFT = (2, 4)
"""Pixels that a picture is moved by at most, down and across."""
FROZEN_SHARE = 0.8
"""Share of the time in which the tower stays as it is."""
HEAD_RATE, FINE_RATE = 3e-3, 6e-4
EVERY_MINUTES = 4.0
"""How often the model is written and judged."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to train. digits: checkpoint of the digit reader; null: from nothing. resume: an earlier model's .pt."""

    data: Path
    out: Path
    minutes: float
    seed: int = 1
    digits: Path | None = None
    resume: Path | None = None


def encoded(labels: npt.NDArray[np.str_]) -> tuple[torch.Tensor, torch.Tensor]:
    """Labels as CTC wants them: all symbols one after the other (1 is the first), and how many each label has."""
    index = {symbol: number for number, symbol in enumerate(NUMBER_SYMBOLS, start=1)}
    lengths = [len(str(label)) for label in labels]
    return torch.tensor([index[s] for label in labels for s in str(label)], dtype=torch.long), torch.tensor(lengths)


def augmented(ink: npt.NDArray[np.uint8], rng: np.random.Generator) -> torch.Tensor:
    """Pictures [n, 2, 40, 112] moved a little, with another contrast: float32 in 0..255."""
    moved = np.empty_like(ink)
    for k in range(len(ink)):
        down, across = int(rng.integers(-SHIFT[0], SHIFT[0] + 1)), int(rng.integers(-SHIFT[1], SHIFT[1] + 1))
        moved[k] = np.roll(ink[k], (down, across), axis=(1, 2))
    pictures = torch.from_numpy(moved).float()
    gamma = torch.from_numpy(rng.uniform(0.7, 1.5, (len(ink), 1, 1)).astype(np.float32))
    pictures[:, 0] = 255.0 * (pictures[:, 0] / 255.0) ** gamma
    return pictures


def decoded(logits: torch.Tensor) -> list[str]:
    """The best path's text of logits [n, steps, symbols + 1]."""
    best = logits.argmax(dim=2).numpy()
    texts = []
    for row in best:
        kept = [int(s) for k, s in enumerate(row) if s and (k == 0 or row[k - 1] != s)]
        texts.append("".join(NUMBER_SYMBOLS[s - 1] for s in kept))
    return texts


def loss_of(logits: torch.Tensor, labels: npt.NDArray[np.str_], temperature: float = 1.0) -> torch.Tensor:
    """Mean negative log likelihood of the labels."""
    targets, lengths = encoded(labels)
    steps = torch.full((len(labels),), logits.shape[1], dtype=torch.long)
    logp = torch.log_softmax(logits / temperature, dim=2).transpose(0, 1)
    each: torch.Tensor = nn.functional.ctc_loss(logp, targets, steps, lengths, reduction="none", zero_infinity=True)
    return each.mean()


def in_parts(net: NumberNet, ink: npt.NDArray[np.uint8], *, features: bool) -> torch.Tensor:
    """Features (half precision) or logits of many pictures, in parts; the net is put into evaluation."""
    net.eval()
    with torch.no_grad():
        parts = []
        for at in range(0, len(ink), 512):
            pictures = torch.from_numpy(ink[at : at + 512])
            parts.append(net.features(pictures).half() if features else net(pictures))
    return torch.cat(parts)


def calibrated(logits: torch.Tensor, labels: npt.NDArray[np.str_]) -> float:
    """The temperature at which the labels of held-out writers are likeliest."""
    grid = np.exp(np.linspace(np.log(0.7), np.log(3.0), 40))
    losses = [float(loss_of(logits, labels, float(t))) for t in grid]
    return float(grid[int(np.argmin(losses))])


def export(net: NumberNet, temperature: float, path: Path) -> None:
    """Writes the ONNX file with its symbols, name and temperature in the metadata."""
    import onnx

    net.eval()
    model = NumberModel(net, temperature)
    example = torch.zeros((2, 2, 40, 112), dtype=torch.uint8)
    torch.onnx.export(
        model,
        (example,),
        str(path),
        input_names=["pictures"],
        output_names=["symbols"],
        dynamic_axes={"pictures": {0: "n"}, "symbols": {0: "n"}},
        dynamo=False,
    )
    loaded = onnx.load(str(path))
    for key, value in (
        ("name", NAME),
        ("symbols", json.dumps(NUMBER_SYMBOLS)),
        ("temperature", f"{temperature:.3f}"),
    ):
        entry = loaded.metadata_props.add()
        entry.key, entry.value = key, value
    onnx.save(loaded, str(path))


class Trainer:
    """Trains for a time, judging and writing the model now and then."""

    def __init__(self, plan: Plan) -> None:
        files = {part: sorted(plan.data.glob(f"{part}-*.npz")) for part in ("train", "val")}
        if not files["train"] or not files["val"]:
            remedy = "make them by scanner.training.numbers"
            raise MissingFileError("holds no train-*.npz or val-*.npz", remedy=remedy, subject=str(plan.data))
        self._plan = plan
        self._rng = np.random.default_rng(plan.seed)
        self._train = NumberCells.joined([NumberCells.load(file) for file in files["train"]])
        self._val = NumberCells.joined([NumberCells.load(file) for file in files["val"]])
        torch.manual_seed(plan.seed)
        self._net = NumberNet()
        if plan.digits is not None:
            self._net.start_from(torch.load(plan.digits, map_location="cpu", weights_only=True)["net"])
        if plan.resume is not None:
            self._net.load_state_dict(torch.load(plan.resume, map_location="cpu", weights_only=True))
        self._start = time.monotonic()
        self._judged = self._start

    def run(self) -> None:
        """All of the time."""
        self._plan.out.mkdir(parents=True, exist_ok=True)
        frozen = FROZEN_SHARE if self._plan.digits is not None and self._plan.resume is None else 0.0
        if frozen:
            self._head(frozen)
        self._all(frozen)
        self._judge("done")

    def _done(self) -> float:
        return (time.monotonic() - self._start) / (60 * self._plan.minutes)

    def _head(self, until: float) -> None:
        net, labels = self._net, self._train.labels
        seen = in_parts(net, self._train.ink, features=True)
        self._say(f"features of {len(labels)} cells")
        begun = self._done()
        parameters = [p for name, p in net.named_parameters() if not name.startswith("tower.")]
        optimizer = torch.optim.AdamW(parameters, lr=HEAD_RATE, weight_decay=1e-2)
        while self._done() < until:
            for chosen in self._batches(len(labels)):
                share = (self._done() - begun) / (until - begun)
                if share >= 1:
                    break
                net.train()
                net.tower.eval()
                self._step(optimizer, net.head(seen[chosen].float()), labels[chosen], HEAD_RATE * _cosine(share))
            self._judge("head")

    def _all(self, begun: float) -> None:
        net, cells = self._net, self._train
        optimizer = torch.optim.AdamW(net.parameters(), lr=FINE_RATE, weight_decay=1e-2)
        while self._done() < 1:
            for chosen in self._batches(len(cells.labels)):
                share = (self._done() - begun) / (1 - begun)
                if share >= 1:
                    break
                net.train()
                net.tower.eval()  # running means of its normalization stay the digit reader's
                rate = FINE_RATE * min(1.0, 0.1 + 20 * share) * _cosine(share)
                self._step(optimizer, net(augmented(cells.ink[chosen], self._rng)), cells.labels[chosen], rate)
                self._judge("all")

    def _batches(self, n: int) -> list[npt.NDArray[np.int64]]:
        order = self._rng.permutation(n)
        return [order[at : at + BATCH] for at in range(0, n - BATCH + 1, BATCH)]

    def _step(
        self, optimizer: torch.optim.Optimizer, logits: torch.Tensor, labels: npt.NDArray[np.str_], rate: float
    ) -> None:
        for group in optimizer.param_groups:
            group["lr"] = rate
        loss = loss_of(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self._net.parameters(), 5.0)
        optimizer.step()

    def _judge(self, what: str) -> None:
        if what != "done" and time.monotonic() - self._judged < 60 * EVERY_MINUTES:
            return
        val = self._val
        logits = in_parts(self._net, val.ink, features=False)
        right = float(np.mean([text == label for text, label in zip(decoded(logits), val.labels, strict=True)]))
        temperature = calibrated(logits, val.labels)
        export(self._net, temperature, self._plan.out / f"{NAME}.onnx")
        torch.save(self._net.state_dict(), self._plan.out / f"{NAME}.pt")
        loss = float(loss_of(logits, val.labels, temperature))
        self._say(f"{what}: val loss {loss:.4f}, right {right:.4f}, T {temperature:.2f}")
        self._judged = time.monotonic()

    def _say(self, text: str) -> None:
        print(f"{time.monotonic() - self._start:.0f} s, {text}", file=sys.stderr, flush=True)


def _cosine(share: float) -> float:
    return max(0.02, 0.5 * (1 + float(np.cos(np.pi * share))))


def main(argv: Sequence[str] | None = None) -> int:
    """The command; progress goes to stderr."""
    parser = argparse.ArgumentParser("python -m scanner.training.train_numbers", description="Train the number reader.")
    parser.add_argument("--data", type=Path, required=True, help="folder of scanner.training.numbers")
    parser.add_argument("--out", type=Path, required=True, help="folder for the model")
    parser.add_argument("--digits", type=Path, help="checkpoint of the digit reader to start from")
    parser.add_argument("--resume", type=Path, help="an earlier numbers-1.pt to go on from")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    torch.set_num_threads(options.threads)
    try:
        plan = Plan(options.data, options.out, options.minutes, options.seed, options.digits, options.resume)
        Trainer(plan).run()
    except PadscoreError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main())
