"""Trains the net that tells which digits of one hand are alike, and writes it as ONNX:

    python -m scanner.training.alike --glyphs FILE.npz --out scanner/data/models

It learns on sheets of digits, each by one hand, known ones and ones that never were (`scanner.training.bent`): a digit
is to be nearer to the same digits of its sheet than to the others (supervised contrastive learning, Khosla et al.
2020). So it learns what stays the same when one hand writes a digit again, not what a digit usually looks like: a 0
that anybody would call a 6 is still like this hand's other 0s. FILE is what `scanner.training.glyphs` wrote.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn

from scanner.read.alike import MODEL_NAME, SIDE
from scanner.simulate.hands import Shapes
from scanner.training.digit_sheets import DigitSheet, DigitSheetRanges, digit_sheet
from scanner.training.glyphs import GlyphPool
from scanner.training.numbers import hands_of
from scanner.training.train import halve

TRAITS = 48
SHEETS = 6
"""Sheets of a step."""
RATE, DECAY, WARM_UP = 2e-3, 0.1, 0.05
EVERY = 200
APART = -1e4
"""Likeness of digits that aren't compared."""


class AlikeNet(nn.Module):
    """float32 [n, 1, 24, 24] in 0..1 -> traits of unit length [n, 48]."""

    def __init__(self) -> None:
        super().__init__()
        steps = [(1, 16, 1), (16, 32, 2), (32, 32, 1), (32, 64, 2), (64, 64, 1), (64, 64, 2)]
        self.body = nn.Sequential(*(_step(*one) for one in steps), nn.Flatten(), nn.Dropout(0.15))
        self.traits = nn.Linear(64 * (SIDE // 8) ** 2, TRAITS)
        self.sharpness = nn.Parameter(torch.tensor(2.5))

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        """Traits of unit length."""
        return nn.functional.normalize(self.traits(self.body(pictures)), dim=1)

    def loss(self, pictures: torch.Tensor, digits: torch.Tensor, sheets: torch.Tensor) -> torch.Tensor:
        """Mean negative log share of its sheet's same digits among what is like a digit."""
        traits = self(pictures)
        like = torch.exp(self.sharpness) * traits @ traits.T
        others = (sheets[:, None] == sheets[None, :]) & ~torch.eye(len(sheets), dtype=torch.bool)
        same = others & (digits[:, None] == digits[None, :])
        every = torch.logsumexp(like.masked_fill(~others, APART), dim=1)
        lost = every - torch.logsumexp(like.masked_fill(~same, APART), dim=1)
        mean: torch.Tensor = lost[same.any(dim=1)].mean()
        return mean


class _Shipped(nn.Module):
    def __init__(self, net: AlikeNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        traits: torch.Tensor = self.net(pictures[:, None].float() / 255)
        return traits


def _step(inputs: int, outputs: int, stride: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


def train(hands: Sequence[Shapes], judges: Sequence[Shapes], steps: int, seed: int) -> AlikeNet:
    """All steps. judges: hands to watch by; nothing is chosen by them."""
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    net, ranges = AlikeNet(), DigitSheetRanges()
    optimizer = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=DECAY)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, steps, pct_start=WARM_UP, cycle_momentum=False)
    watched = [digit_sheet(np.random.default_rng((seed, k)), [one], ranges) for k, one in enumerate(judges)]
    total = 0.0
    for step in range(1, steps + 1):
        net.train()
        loss = net.loss(*_batch([digit_sheet(rng, hands, ranges) for _ in range(SHEETS)]))
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call,unused-ignore]
        optimizer.step()
        rate.step()
        total += loss.item()
        if step % EVERY == 0 or step == steps:
            net.eval()
            with torch.no_grad():
                judged = float(np.mean([net.loss(*_batch([one])).item() for one in watched]))
            print(f"step {step}: loss {total / EVERY:.4f}, other hands {judged:.4f}", file=sys.stderr, flush=True)
            total = 0.0
    return net


def _batch(sheets: Sequence[DigitSheet]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Pictures, digits, and which sheet each is of."""
    pictures = torch.from_numpy(np.concatenate([one.pictures for one in sheets]))[:, None].float() / 255
    digits = torch.from_numpy(np.concatenate([one.digits for one in sheets]))
    return pictures, digits, torch.from_numpy(np.repeat(np.arange(len(sheets)), [len(one.digits) for one in sheets]))


def export(net: AlikeNet, path: Path) -> None:
    """Writes the ONNX file; large weights as float16."""
    import onnx

    net.eval()
    torch.onnx.export(
        _Shipped(net),
        (torch.zeros((2, SIDE, SIDE), dtype=torch.uint8),),
        str(path),
        input_names=["digits"],
        output_names=["traits"],
        dynamic_axes={"digits": {0: "n"}, "traits": {0: "n"}},
        dynamo=False,
    )
    loaded = onnx.load(str(path))
    for key, value in (("name", MODEL_NAME), ("traits", str(TRAITS))):
        entry = loaded.metadata_props.add()
        entry.key, entry.value = key, value
    halve(loaded)
    onnx.save(loaded, str(path))


def main(argv: Sequence[str] | None = None) -> int:
    """The command; progress goes to stderr."""
    parser = argparse.ArgumentParser("python -m scanner.training.alike", description="Train what is alike.")
    parser.add_argument("--glyphs", type=Path, required=True, help="what scanner.training.glyphs wrote")
    parser.add_argument("--out", type=Path, required=True, help="folder for the model")
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=3)
    options = parser.parse_args(argv)
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    pool = GlyphPool.load(options.glyphs)
    judges = list(dict.fromkeys(hands_of(pool, "val")))
    net = train(hands_of(pool, "train"), judges, options.steps, options.seed)
    options.out.mkdir(parents=True, exist_ok=True)
    export(net, options.out / f"{MODEL_NAME}.onnx")
    return 0


if __name__ == "__main__":
    sys.exit(main())
