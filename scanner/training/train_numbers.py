"""Trains the number reader on generated cells and writes it as ONNX.

    python -m scanner.training.train_numbers --data FOLDER --out FOLDER --digits CHECKPOINT --minutes 75

FOLDER holds what `scanner.training.numbers` wrote: train-*.npz and val-*.npz. The tower starts from a checkpoint of the
digit reader (`scanner.training.train`); all of the net learns from the first step on. A run that was stopped goes on
where it last wrote its checkpoint when it is started again with the same folder. The rate of learning falls with the
time, so that a run ends well on a busy machine, too; a run on another machine takes another number of steps.
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
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn, update_bn

from scanner.errors import MissingFileError, PadscoreError
from scanner.read.classes import NUMBER_SYMBOLS
from scanner.training.number_net import NumberModel, NumberNet
from scanner.training.numbers import NumberCells
from scanner.training.train import halve

NAME = "numbers-1"
CHECKPOINT = "checkpoint-numbers.pt"
BATCH = 192
RATE = 2e-3
WARM_UP = 0.06
"""Share of the time in which the rate rises."""
AVERAGE = 0.998
"""Share of the running mean of the weights that a step keeps."""
DECAY = 0.05
"""Of the weights, as a share of the rate of learning. With 0.3 even the training's own cells are read worse."""
FLOOR = 0.02
"""What is left of the highest rate of learning at the end."""
SETTLING = 40_000
"""Pictures by which the batch normalizations of the mean net are measured in the end."""
EVERY_MINUTES = 5.0
"""How often the model is written and judged."""
FEWEST_PIXELS, INK_LEVEL = 6, 60
"""A cell of which fewer pixels reach this level (of 255) shows nothing that could be read."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to train. digits: checkpoint of the digit reader to start from; start: an earlier run's checkpoint instead.

    rate: the highest rate of learning.
    """

    data: tuple[Path, ...]
    out: Path
    minutes: float
    seed: int = 1
    digits: Path | None = None
    start: Path | None = None
    rate: float = RATE


def encoded(labels: npt.NDArray[np.str_]) -> tuple[torch.Tensor, torch.Tensor]:
    """Labels as CTC wants them: all symbols one after the other (1 is the first), and how many each label has."""
    index = {symbol: number for number, symbol in enumerate(NUMBER_SYMBOLS, start=1)}
    lengths = [len(str(label)) for label in labels]
    return torch.tensor([index[s] for label in labels for s in str(label)], dtype=torch.long), torch.tensor(lengths)


def legible(cells: NumberCells) -> NumberCells:
    """The cells without those that are labelled as written in although hardly any ink of theirs was found."""
    inked = (cells.ink[:, 0] > INK_LEVEL).sum(axis=(1, 2)) >= FEWEST_PIXELS
    kept = inked | (cells.labels == "")
    return NumberCells(cells.ink[kept], cells.labels[kept])


def jittered(ink: torch.Tensor) -> torch.Tensor:
    """Pictures uint8 [n, 2, 40, 112] moved, stretched, slanted and bent a little, of other strokes and contrast.

    Both channels move together. Gives float32 in 0..255.
    """
    n, _, high, wide = ink.shape
    x = ink.float()
    aspect = wide / high
    turn = torch.randn(n) * 0.035
    grow = torch.exp(torch.randn(n, 2) * torch.tensor([0.07, 0.05]))
    theta = torch.zeros(n, 2, 3)
    theta[:, 0, 0], theta[:, 1, 1] = grow[:, 0], grow[:, 1]
    theta[:, 0, 1] = (torch.randn(n) * 0.10 - turn) / aspect
    theta[:, 1, 0] = turn * aspect
    theta[:, :, 2] = torch.randn(n, 2) * torch.tensor([0.03, 0.06])
    grid = nn.functional.affine_grid(theta, [n, 2, high, wide], align_corners=False)
    # A smooth random bend, as hands differ from one another and from themselves: knots some 8 px apart.
    bend = torch.randn(n, 2, 5, 14) * torch.tensor([0.8 / (wide / 2), 0.8 / (high / 2)])[None, :, None, None]
    bend = nn.functional.interpolate(bend, (high, wide), mode="bicubic", align_corners=True)
    moved = nn.functional.grid_sample(x, grid + bend.permute(0, 2, 3, 1), align_corners=False)
    strokes = moved[:, :1]
    # Some strokes wider, some thinner: another pen.
    for part, sign in ((slice(0, n // 6), 1), (slice(n // 6, n // 4), -1)):
        other = sign * nn.functional.max_pool2d(sign * strokes[part], 3, 1, 1)
        share = torch.rand(len(other), 1, 1, 1) * (0.8 if sign > 0 else 0.5)
        strokes[part] = torch.lerp(strokes[part], other, share)
    gamma = torch.exp(torch.randn(n, 1, 1, 1) * 0.25)
    strokes = 255 * (strokes / 255).clamp(1e-4, 1) ** gamma
    return torch.cat([strokes, moved[:, 1:]], dim=1)


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


def logits_of(net: NumberNet, ink: npt.NDArray[np.uint8]) -> torch.Tensor:
    """Logits of many pictures; the net is put into evaluation."""
    net.eval()
    with torch.no_grad():
        return torch.cat([net(torch.from_numpy(ink[at : at + 512])) for at in range(0, len(ink), 512)])


def calibrated(logits: torch.Tensor, labels: npt.NDArray[np.str_]) -> float:
    """The temperature at which the labels of held-out writers are likeliest."""
    grid = np.exp(np.linspace(np.log(0.7), np.log(3.0), 40))
    losses = [float(loss_of(logits, labels, float(t))) for t in grid]
    return float(grid[int(np.argmin(losses))])


def export(net: NumberNet, temperature: float, path: Path) -> None:
    """Writes the ONNX file with its symbols, name and temperature in the metadata; large weights as float16."""
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
    halve(loaded)
    onnx.save(loaded, str(path))


class Trainer:
    """Trains for a time, judging and writing the model now and then.

    What is judged and shipped is the running mean of the weights, which reads better than the last ones (Polyak and
    Juditsky 1992).
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._rng = np.random.default_rng(plan.seed)
        self._train = legible(self._cells("train"))
        self._val = self._cells("val")
        torch.manual_seed(plan.seed)
        self._net = NumberNet()
        if plan.digits is not None:
            self._net.start_from(torch.load(plan.digits, map_location="cpu", weights_only=True)["mean"])
        if plan.start is not None:
            self._net.load_state_dict(self._mean_of(plan.start))
        self._net = self._net.to(memory_format=torch.channels_last)
        self._average = AveragedModel(self._net, multi_avg_fn=get_ema_multi_avg_fn(AVERAGE), use_buffers=True)
        self._optimizer = torch.optim.AdamW(self._net.parameters(), lr=plan.rate, weight_decay=DECAY)
        self._before = 0.0
        checkpoint = plan.out / CHECKPOINT
        if checkpoint.exists():
            kept = torch.load(checkpoint, map_location="cpu", weights_only=True)
            for part, name in ((self._net, "net"), (self._average, "mean"), (self._optimizer, "optimizer")):
                part.load_state_dict(kept[name])
            self._before = float(kept["seconds"])
            self._rng = np.random.default_rng((plan.seed, round(self._before)))
        self._start = time.monotonic()
        self._judged = self._start
        self._total, self._steps = 0.0, 0

    def run(self) -> None:
        """All of the time."""
        self._plan.out.mkdir(parents=True, exist_ok=True)
        self._say(f"{len(self._train.labels)} cells, {len(self._val.labels)} to judge by")
        while self._done() < 1:
            for chosen in self._batches(len(self._train.labels)):
                share = self._done()
                if share >= 1:
                    break
                self._step(chosen, self._plan.rate * _rate(share))
                if time.monotonic() - self._judged >= 60 * EVERY_MINUTES:
                    self._judge()
        self._settle()
        self._judge()

    def _cells(self, part: str) -> NumberCells:
        files = [file for folder in self._plan.data for file in sorted(folder.glob(f"{part}-*.npz"))]
        if not files:
            remedy = "make them by scanner.training.numbers"
            raise MissingFileError(f"holds no {part}-*.npz", remedy=remedy, subject=str(self._plan.data[0]))
        return NumberCells.joined([NumberCells.load(file) for file in files])

    @staticmethod
    def _mean_of(checkpoint: Path) -> dict[str, torch.Tensor]:
        mean = torch.load(checkpoint, map_location="cpu", weights_only=True)["mean"]
        return {name.removeprefix("module."): value for name, value in mean.items() if name != "n_averaged"}

    def _seconds(self) -> float:
        return self._before + time.monotonic() - self._start

    def _done(self) -> float:
        return self._seconds() / (60 * self._plan.minutes)

    def _batches(self, n: int) -> list[npt.NDArray[np.int64]]:
        order = self._rng.permutation(n)
        return [order[at : at + BATCH] for at in range(0, n - BATCH + 1, BATCH)]

    def _step(self, chosen: npt.NDArray[np.int64], rate: float) -> None:
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        self._net.train()
        pictures = jittered(torch.from_numpy(self._train.ink[chosen])).contiguous(memory_format=torch.channels_last)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = self._net(pictures)
        loss = loss_of(logits.float(), self._train.labels[chosen])
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call,unused-ignore]
        nn.utils.clip_grad_norm_(self._net.parameters(), 5.0)
        self._optimizer.step()
        self._average.update_parameters(self._net)
        self._total, self._steps = self._total + float(loss.detach()), self._steps + 1

    def _settle(self) -> None:
        """Measures the batch normalizations of the mean net anew: their running means are those of other weights."""
        chosen = self._rng.permutation(len(self._train.labels))[:SETTLING]
        shown = (
            jittered(torch.from_numpy(self._train.ink[np.sort(chosen[at : at + BATCH])]))
            for at in range(0, len(chosen), BATCH)
        )
        update_bn(shown, self._average)

    def _judge(self) -> None:
        mean = self._average.module
        assert isinstance(mean, NumberNet)
        val, out = self._val, self._plan.out
        logits = logits_of(mean, val.ink)
        right = float(np.mean([text == label for text, label in zip(decoded(logits), val.labels, strict=True)]))
        temperature = calibrated(logits, val.labels)
        export(mean, temperature, out / f"{NAME}.onnx")
        parts = {"net": self._net, "mean": self._average, "optimizer": self._optimizer}
        state = {name: part.state_dict() for name, part in parts.items()}
        torch.save({**state, "seconds": self._seconds()}, out / CHECKPOINT)
        loss, own = float(loss_of(logits, val.labels, temperature)), self._total / max(1, self._steps)
        self._say(f"{self._steps} steps, loss {own:.4f}, val loss {loss:.4f}, right {right:.4f}, T {temperature:.2f}")
        self._judged, self._total, self._steps = time.monotonic(), 0.0, 0

    def _say(self, text: str) -> None:
        print(f"{self._seconds():.0f} s, {text}", file=sys.stderr, flush=True)


def _rate(share: float) -> float:
    """Share of the highest rate of learning when this share of the time is over: up, then a half cosine down."""
    if share < WARM_UP:
        return 0.05 + 0.95 * share / WARM_UP
    down = 0.5 * (1 + float(np.cos(np.pi * min(1.0, (share - WARM_UP) / (1 - WARM_UP)))))
    return FLOOR + (1 - FLOOR) * down


def main(argv: Sequence[str] | None = None) -> int:
    """The command; progress goes to stderr."""
    parser = argparse.ArgumentParser("python -m scanner.training.train_numbers", description="Train the number reader.")
    parser.add_argument("--data", type=Path, required=True, nargs="+", help="folders of scanner.training.numbers")
    parser.add_argument("--out", type=Path, required=True, help="folder for the model and the run's checkpoint")
    parser.add_argument("--digits", type=Path, help="checkpoint of the digit reader to start from")
    parser.add_argument("--start", type=Path, help="an earlier run's checkpoint to start from instead")
    parser.add_argument("--minutes", type=float, default=75.0)
    parser.add_argument("--rate", type=float, default=RATE, help="highest rate of learning")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    torch.set_num_threads(options.threads)
    try:
        plan = Plan(
            tuple(options.data),
            options.out,
            options.minutes,
            options.seed,
            options.digits,
            options.start,
            options.rate,
        )
        Trainer(plan).run()
    except PadscoreError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main())
