"""From data to model in one command:

    python -m scanner.training.train --shared DIR --cache DIR --out scanner/data/models

Makes the glyph pool, the generated sheets and the cells of real photos (each kept in the cache), trains, calibrates on
held-out writers and puzzles, exports ONNX and writes the figures beside it. A run that was stopped goes on at the last
finished epoch. Seeds are fixed; versions are pinned by the extra ``[train]``.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import onnx
import torch

from scanner.read.classes import CLASSES
from scanner.training import glyphs
from scanner.training.fonts import Split
from scanner.training.glyphs import GlyphPool
from scanner.training.net import DigitNet, Reader
from scanner.training.sheets import UNKNOWN_INK, Labelled, SheetMaker, joined
from scanner.training.split import MNIST_TEST, SWISS_TEST, SWISS_VAL
from scanner.training.symbols import SymbolPool

SEED = 20261130
MODEL_NAME = "digits-1"
CHUNK = 250  # sheets made by one job
INK_LEVEL, FEWEST_PIXELS = 60, 6
"""A cell of which fewer pixels reach this level (of 255) shows no ink that could be read."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Sizes of a run. real_versions: disturbed versions of each real photo that trains."""

    sheets: int = 10000
    val_sheets: int = 1500
    real_versions: int = 7
    real_weight: int = 3
    epochs: int = 9
    polish: int = 3
    batch: int = 512
    rate: float = 3e-3


def _pools(cache: Path) -> tuple[GlyphPool, SymbolPool]:
    glyphs = GlyphPool.load(cache / "glyphs.npz")
    glyphs = glyphs.assigned(SWISS_TEST, "test").assigned(SWISS_VAL, "val").assigned({MNIST_TEST}, "test")
    return glyphs, SymbolPool.load(cache / "glyphs-symbols.npz")


def _make(cache: Path, split: Split, job: int, sheets: int) -> Path:
    """One job: `sheets` generated sheets of one part, written to the cache; returns the file."""
    out = cache / f"sheets-{split}-{job}.npz"
    if not out.exists():
        cv2.setNumThreads(1)  # one job a core; OpenCV's own threads would wait for each other
        glyphs, symbols = _pools(cache)
        chosen = glyphs.select(glyphs.split == split)
        maker = SheetMaker(chosen, symbols.select(symbols.split == split), SEED + 1000 * job + len(split))
        made = joined([maker.batch() for _ in range(sheets)])
        unfinished = out.with_suffix(".part.npz")
        np.savez(unfinished, pictures=made.pictures, classes=made.classes, ink=made.ink)
        unfinished.rename(out)
    return out


def _load(path: Path) -> Labelled:
    with np.load(path) as data:
        return Labelled(data["pictures"], data["classes"], data["ink"])


def generated(cache: Path, split: Split, sheets: int, workers: int) -> Labelled:
    """Cells of generated sheets of one part (kept in the cache)."""
    jobs = range(-(-sheets // CHUNK))
    # Spawned, not forked: a fork of a process whose libraries run threads may wait for ever.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        files = list(pool.map(_make, [cache] * len(jobs), [split] * len(jobs), jobs, [CHUNK] * len(jobs)))
    return joined([_load(path) for path in files])


def real(cache: Path, shared: Path, split: Split, versions: int) -> Labelled:
    """Cells of real photos of one part (kept in the cache)."""
    from scanner.training.real import real_cells, true_photos

    out = cache / f"real-{split}-{versions}.npz"
    if not out.exists():
        parts = []
        for number, photo in enumerate(true_photos(shared)):
            if photo.split == split and photo.path.parent.name != "sudoku-handwritten":
                cells = real_cells(photo, versions, SEED + number)
                if cells is None:
                    print(f"not found: {photo.path.name}", file=sys.stderr)
                    continue
                parts.append(cells)
        made = joined(parts)
        np.savez(out, pictures=made.pictures, classes=made.classes, ink=made.ink)
    return _load(out)


def train(plan: Plan, cache: Path, shared: Path, out: Path, workers: int) -> None:
    """The whole run; writes ``digits-1.onnx`` and ``digits-1.json`` (figures) into `out`."""
    torch.manual_seed(SEED)
    parts = [generated(cache, "train", plan.sheets, workers)]
    real_train = real(cache, shared, "train", plan.real_versions)
    parts += [real_train] * plan.real_weight
    data = joined(parts)
    val_generated = generated(cache, "val", plan.val_sheets, workers)
    val_real = real(cache, shared, "val", 3)
    print(
        f"train {len(data)} cells ({len(real_train)} real),",
        f"val {len(val_generated)} generated + {len(val_real)} real",
    )
    # Channels last and bfloat16 train nearly twice as fast on the CPUs that this is meant for.
    net = DigitNet().to(memory_format=torch.channels_last)
    vals = {"generated": val_generated, "real": val_real}
    _fit(net, data, vals, plan, "main", plan.epochs, plan.rate, cache)
    # What left no ink can't be read: such cells teach the net to doubt blank paper. They go once it knows the shapes.
    _fit(net, legible(data), vals, plan, "polish", plan.polish, plan.rate / 4, cache)
    export(net, legible(val_generated), val_real, out)


def legible(part: Labelled) -> Labelled:
    """The part without cells that are labelled as written in although hardly any of their ink is left."""
    inked = (part.pictures[:, 0] > INK_LEVEL).sum(axis=(1, 2)) >= FEWEST_PIXELS
    kept = inked | (part.classes == CLASSES.index("blank"))
    return Labelled(part.pictures[kept], part.classes[kept], part.ink[kept])


def _fit(
    net: DigitNet,
    data: Labelled,
    vals: dict[str, Labelled],
    plan: Plan,
    name: str,
    epochs: int,
    rate: float,
    cache: Path,
) -> None:
    """Trains for some epochs with one cycle of the learning rate; goes on at an earlier run's last finished epoch."""
    optimizer = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=0.02)
    per_epoch = len(data) // plan.batch
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=epochs * per_epoch, pct_start=0.15)
    checkpoint = cache / f"checkpoint-{name}.pt"
    first = 0
    if checkpoint.exists():
        kept = torch.load(checkpoint, weights_only=True)
        if kept["steps"] == epochs * per_epoch:
            net.load_state_dict(kept["net"])
            optimizer.load_state_dict(kept["optimizer"])
            schedule.load_state_dict(kept["schedule"])
            first = kept["epoch"]
    pictures, classes, ink = (torch.from_numpy(a) for a in (data.pictures, data.classes, data.ink))
    for epoch in range(first, epochs):
        began, total = time.monotonic(), 0.0
        order = torch.from_numpy(np.random.default_rng(SEED + epoch).permutation(len(data)))
        net.train()
        for step in range(per_epoch):
            index = order[step * plan.batch : (step + 1) * plan.batch]
            x = _jittered(pictures[index].float() / 255).contiguous(memory_format=torch.channels_last)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits, printed = net(x)
            loss = torch.nn.functional.cross_entropy(logits.float(), classes[index])
            known = ink[index] != UNKNOWN_INK
            loss = loss + 0.2 * torch.nn.functional.binary_cross_entropy_with_logits(
                printed[known].float(), ink[index][known].float()
            )
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call,unused-ignore]
            torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            optimizer.step()
            schedule.step()
            total += float(loss.detach())
        figures = " ".join(f"{part} {accuracy(net, cells):.4f}" for part, cells in vals.items())
        seconds = time.monotonic() - began
        print(f"{name} {epoch + 1}/{epochs} loss {total / per_epoch:.4f} {figures} {seconds:.0f} s", flush=True)
        state = {"net": net.state_dict(), "optimizer": optimizer.state_dict(), "schedule": schedule.state_dict()}
        torch.save({**state, "epoch": epoch + 1, "steps": epochs * per_epoch}, checkpoint)


def _jittered(x: torch.Tensor) -> torch.Tensor:
    """Pictures [n, 2, 32, 32] moved and stretched a little, each its own way, and of another contrast."""
    n = len(x)
    turn = torch.randn(n) * 0.06
    grow = torch.exp(torch.randn(n, 2) * 0.05)
    theta = torch.zeros(n, 2, 3)
    theta[:, 0, 0], theta[:, 0, 1] = torch.cos(turn) * grow[:, 0], -torch.sin(turn) + torch.randn(n) * 0.05
    theta[:, 1, 0], theta[:, 1, 1] = torch.sin(turn), torch.cos(turn) * grow[:, 1]
    theta[:, :, 2] = torch.randn(n, 2) * 0.035
    grid = torch.nn.functional.affine_grid(theta, list(x.shape), align_corners=False)
    moved = torch.nn.functional.grid_sample(x, grid, align_corners=False)
    return (moved * torch.exp(torch.randn(n, 1, 1, 1) * 0.1)).clamp(0, 1)


def logits_of(net: DigitNet, pictures: npt.NDArray[np.uint8]) -> tuple[torch.Tensor, torch.Tensor]:
    """Logits [n, classes] and [n] of uint8 pictures, in evaluation mode."""
    net.eval()
    with torch.no_grad():
        outputs = [net(torch.from_numpy(pictures[k : k + 2048]).float() / 255) for k in range(0, len(pictures), 2048)]
    return torch.cat([o[0] for o in outputs]), torch.cat([o[1] for o in outputs])


def accuracy(net: DigitNet, part: Labelled) -> float:
    """Share of cells whose likeliest class is right."""
    logits, _ = logits_of(net, part.pictures)
    return float((logits.argmax(1).numpy() == part.classes).mean())


def _temperature(logits: torch.Tensor, labels: torch.Tensor) -> float:
    """The temperature with the least negative log likelihood.

    Source: Guo et al. 2017, On calibration of modern neural networks.
    """
    candidates = np.exp(np.linspace(np.log(0.4), np.log(4), 60))
    losses = [float(torch.nn.functional.cross_entropy(logits / t, labels)) for t in candidates]
    return float(candidates[int(np.argmin(losses))])


def export(net: DigitNet, val_generated: Labelled, val_real: Labelled, out: Path) -> None:
    """Calibrates on held-out cells and writes the ONNX file with its metadata."""
    # Real and generated cells count equally, though there are far more of the latter.
    rng = np.random.default_rng(SEED)
    fewer = rng.choice(len(val_generated), min(len(val_real), len(val_generated)), replace=False)
    part = joined(
        [Labelled(val_generated.pictures[fewer], val_generated.classes[fewer], val_generated.ink[fewer]), val_real]
    )
    logits, printed = logits_of(net, part.pictures)
    temperature = _temperature(logits, torch.from_numpy(part.classes))
    known = part.ink != UNKNOWN_INK
    two = torch.stack([-printed / 2, printed / 2], dim=1)[torch.from_numpy(known)]
    ink_temperature = _temperature(two, torch.from_numpy(part.ink[known]))
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{MODEL_NAME}.onnx"
    reader = Reader(net, temperature, ink_temperature).eval()
    sample = torch.zeros(2, 2, 32, 32, dtype=torch.uint8)
    torch.onnx.export(
        reader,
        (sample,),
        str(path),
        input_names=["pictures"],
        output_names=["probabilities", "printed"],
        dynamic_axes={"pictures": {0: "n"}, "probabilities": {0: "n"}, "printed": {0: "n"}},
        dynamo=False,
    )
    model = onnx.load(str(path))
    for key, value in {"name": MODEL_NAME, "classes": json.dumps(CLASSES), "temperature": f"{temperature:.4f}"}.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    onnx.save(model, str(path))
    print(f"temperature {temperature:.3f}, ink {ink_temperature:.3f}, {path.stat().st_size} bytes")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="Train the digit reader.")
    parser.add_argument("--shared", type=Path, required=True, help="folder with photos and digits, see the model card")
    parser.add_argument("--cache", type=Path, default=Path("training-cache"))
    parser.add_argument("--out", type=Path, default=Path("scanner/data/models"))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=Plan().epochs)
    parser.add_argument("--sheets", type=int, default=Plan().sheets)
    chosen = parser.parse_args()
    chosen.cache.mkdir(parents=True, exist_ok=True)
    if not (chosen.cache / "glyphs.npz").exists():
        fonts = str(chosen.cache / "fonts")
        glyphs.main(["--shared", str(chosen.shared), "--cache", fonts, "--out", str(chosen.cache / "glyphs.npz")])
    plan = Plan(epochs=chosen.epochs, sheets=chosen.sheets)
    train(plan, chosen.cache, chosen.shared, chosen.out, chosen.workers)


if __name__ == "__main__":
    main()
