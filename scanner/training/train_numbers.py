"""Trains the number reader on generated cells and writes it as ONNX.

    python -m scanner.training.train_numbers --data FOLDER --out FOLDER --minutes 40

FOLDER holds what `scanner.training.numbers` wrote: train-*.npz and val-*.npz.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
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


def encoded(labels: npt.NDArray[np.str_]) -> tuple[torch.Tensor, torch.Tensor]:
    """Labels as CTC wants them: all symbols one after the other (1 is the first), and how many each label has."""
    index = {symbol: number for number, symbol in enumerate(NUMBER_SYMBOLS, start=1)}
    lengths = [len(str(label)) for label in labels]
    return torch.tensor([index[s] for label in labels for s in str(label)], dtype=torch.long), torch.tensor(lengths)


def augmented(ink: npt.NDArray[np.uint8], rng: np.random.Generator) -> torch.Tensor:
    """Pictures [n, 2, 40, 112] moved a little, with another contrast: float32 in 0..1."""
    moved = np.empty_like(ink)
    for k in range(len(ink)):
        down, across = int(rng.integers(-SHIFT[0], SHIFT[0] + 1)), int(rng.integers(-SHIFT[1], SHIFT[1] + 1))
        moved[k] = np.roll(ink[k], (down, across), axis=(1, 2))
    pictures = torch.from_numpy(moved).float() / 255.0
    gamma = torch.from_numpy(rng.uniform(0.7, 1.5, (len(ink), 1, 1)).astype(np.float32))
    pictures[:, 0] = pictures[:, 0] ** gamma
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


def evaluate(net: NumberNet, cells: NumberCells) -> torch.Tensor:
    """Logits of all cells."""
    net.eval()
    with torch.no_grad():
        parts = [
            net(torch.from_numpy(cells.ink[at : at + 512]).float() / 255.0) for at in range(0, len(cells.ink), 512)
        ]
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


def train(data: Path, out: Path, minutes: float, seed: int) -> None:
    """Trains for so many minutes on whatever train-*.npz the folder holds at each epoch's start."""
    files = sorted(data.glob("val-*.npz"))
    if not files or not list(data.glob("train-*.npz")):
        raise MissingFileError(
            "holds no train-*.npz or val-*.npz", remedy="make them by scanner.training.numbers", subject=str(data)
        )
    val = NumberCells.joined([NumberCells.load(file) for file in files])
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    net = NumberNet()
    average = torch.optim.swa_utils.AveragedModel(net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.999))
    optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-3)
    out.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    epoch, loaded = 0, 0
    cells = NumberCells(val.ink[:0], val.labels[:0])
    while time.monotonic() - start < 60 * minutes:
        files = sorted(data.glob("train-*.npz"))
        if len(files) != loaded:
            cells, loaded = NumberCells.joined([NumberCells.load(file) for file in files]), len(files)
        net.train()
        order = rng.permutation(len(cells.labels))
        total, batches = 0.0, 0
        for at in range(0, len(order) - BATCH + 1, BATCH):
            done = (time.monotonic() - start) / (60 * minutes)
            if done >= 1:
                break
            for group in optimizer.param_groups:
                group["lr"] = 2e-3 * min(1.0, 0.1 + done * 50) * max(0.02, 0.5 * (1 + np.cos(np.pi * done)))
            chosen = order[at : at + BATCH]
            loss = loss_of(net(augmented(cells.ink[chosen], rng)), cells.labels[chosen])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            optimizer.step()
            average.update_parameters(net)
            total, batches = total + float(loss.detach()), batches + 1
        epoch += 1
        torch.optim.swa_utils.update_bn(
            (torch.from_numpy(cells.ink[order[k : k + 256]]).float() / 255 for k in range(0, 4096, 256)), average
        )
        logits = evaluate(average.module, val)
        right = float(np.mean([text == label for text, label in zip(decoded(logits), val.labels, strict=True)]))
        temperature = calibrated(logits, val.labels)
        export(average.module, temperature, out / f"{NAME}.onnx")
        torch.save(average.module.state_dict(), out / f"{NAME}.pt")
        val_loss = float(loss_of(logits, val.labels, temperature))
        print(
            f"epoch {epoch}: {len(cells.labels)} cells, {time.monotonic() - start:.0f} s, "
            f"loss {total / max(batches, 1):.4f}, val loss {val_loss:.4f}, right {right:.4f}, T {temperature:.2f}",
            file=sys.stderr,
            flush=True,
        )


def main(argv: Sequence[str] | None = None) -> int:
    """The command; progress goes to stderr."""
    parser = argparse.ArgumentParser("python -m scanner.training.train_numbers", description="Train the number reader.")
    parser.add_argument("--data", type=Path, required=True, help="folder of scanner.training.numbers")
    parser.add_argument("--out", type=Path, required=True, help="folder for the model")
    parser.add_argument("--minutes", type=float, default=40.0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    torch.set_num_threads(options.threads)
    try:
        train(options.data, options.out, options.minutes, options.seed)
    except PadscoreError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main())
