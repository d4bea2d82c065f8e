"""From data to model in one command:

    python -m scanner.training.train --shared DIR --cache DIR --out scanner/data/models

Makes the glyph pool, the generated sheets and the cells of real photos (each kept in the cache), trains, calibrates on
held-out writers and puzzles, exports ONNX and writes the figures beside it. A run that was stopped goes on at the last
finished epoch. Seeds are fixed; versions are pinned by the extra ``[train]``.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import onnx
import torch
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn, update_bn

from scanner.read.classes import CLASSES, DIGIT_CLASSES
from scanner.simulate import HandSource, pool_hand
from scanner.training import glyphs
from scanner.training.fonts import Split
from scanner.training.glyphs import GlyphPool
from scanner.training.net import DigitNet, Finished, Reader
from scanner.training.photos import HEX_TEMPLATES, TEMPLATES, photo_cells
from scanner.training.print_head import fit_print
from scanner.training.sheets import UNKNOWN_INK, Labelled, SheetMaker, joined
from scanner.training.single import single_digits
from scanner.training.split import MNIST_TEST, SWISS_TEST, SWISS_VAL
from scanner.training.symbols import SymbolPool

SEED = 20261130
MODEL_NAME = "digits-1"
CHUNK, PHOTO_CHUNK = 250, 50
"""Sheets and photos made by one job."""
INK_LEVEL, FEWEST_PIXELS = 60, 6
"""A cell of which fewer pixels reach this level (of 255) shows no ink that could be read."""
SETTLING = 50_000
"""Cells by which the batch normalizations of the mean net, and the usual traits, are measured."""
WARM_UP, COLD = 0.15, 0.04
"""Share of a training in which the learning rate rises, and what it begins at, as a share of the highest."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Sizes of a run. photos, hexes: generated photos of square grids, of hex sheets. *_versions: disturbed versions of
    each real photo or crop beside the true one. *_weight: how often a part's cells are shown in an epoch. average:
    share of the running mean of the weights that a step keeps. decay: of the weights, as a share of the learning rate.
    floor: what is left of the highest learning rate at the end. Less decay and a rate that ends at nothing learn the
    known hands by heart: unseen ones are then read worse in the last epochs (see the model card).
    """

    sheets: int = 3000
    val_sheets: int = 500
    photos: int = 600
    val_photos: int = 100
    hexes: int = 300
    val_hexes: int = 50
    real_versions: int = 7
    real_weight: int = 2
    single_versions: int = 11
    dirty: int = 1500
    val_dirty: int = 250
    epochs: int = 10
    polish: int = 3
    batch: int = 512
    rate: float = 3e-3
    floor: float = 0.1
    decay: float = 0.3
    average: float = 0.998


def pools(cache: Path) -> tuple[GlyphPool, SymbolPool]:
    """Digits, put into their parts, and symbols, as the cache has them."""
    glyphs = GlyphPool.load(cache / "glyphs.npz")
    glyphs = glyphs.assigned(SWISS_TEST, "test").assigned(SWISS_VAL, "val").assigned({MNIST_TEST}, "test")
    return glyphs, SymbolPool.load(cache / "glyphs-symbols.npz")


def _make(cache: Path, split: Split, job: int, sheets: int, dirty: bool = False) -> Path:
    """One job: `sheets` generated sheets of one part, written to the cache; returns the file."""
    out = cache / f"{'dirty' if dirty else 'sheets'}-{split}-{job}.npz"
    if not out.exists():
        cv2.setNumThreads(1)  # one job a core; OpenCV's own threads would wait for each other
        glyphs, symbols = pools(cache)
        chosen = glyphs.select(glyphs.split == split)
        seed = SEED + 1000 * job + len(split) + 500 * dirty
        maker = SheetMaker(chosen, symbols.select(symbols.split == split), seed, dirty=dirty)
        made = joined([maker.batch() for _ in range(sheets)])
        _save(out, made)
    return out


def _load(path: Path) -> Labelled:
    with np.load(path) as data:
        return Labelled(data["pictures"], data["classes"], data["ink"])


def generated(cache: Path, split: Split, sheets: int, workers: int) -> Labelled:
    """Cells of generated sheets of one part (kept in the cache)."""
    jobs = range(-(-sheets // CHUNK))
    return joined([_load(path) for path in _jobs(_make, cache, split, jobs, CHUNK, workers)])


def dirty_sheets(cache: Path, split: Split, sheets: int, workers: int) -> Labelled:
    """Cells of generated sheets, mostly blank, with smudges, specks and remains of lines (kept in the cache)."""
    jobs = range(-(-sheets // CHUNK))
    return joined([_load(path) for path in _jobs(partial(_make, dirty=True), cache, split, jobs, CHUNK, workers)])


def _jobs(
    make: Callable[[Path, Split, int, int], Path], cache: Path, split: Split, jobs: range, size: int, workers: int
) -> list[Path]:
    # Spawned, not forked: a fork of a process whose libraries run threads may wait for ever.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return list(pool.map(make, [cache] * len(jobs), [split] * len(jobs), jobs, [size] * len(jobs)))


def _make_photos(cache: Path, split: Split, job: int, photos: int, hexes: bool = False) -> Path:
    """One job: the cells of `photos` generated photos of one part, written to the cache; returns the file."""
    out = cache / f"{'hexes' if hexes else 'photos'}-{split}-{job}.npz"
    if not out.exists():
        cv2.setNumThreads(1)
        glyphs, _ = pools(cache)
        chosen = glyphs.select(glyphs.split == split)
        hands, typefaces = hands_of(chosen)
        seed = SEED + 1000 * job + len(split) + 500 * hexes
        sheets = HEX_TEMPLATES if hexes else TEMPLATES
        _save(out, photo_cells(hands, typefaces, photos, seed, sheets))
    return out


def hands_of(pool: GlyphPool, *, only: frozenset[int] | None = None) -> tuple[list[HandSource], list[HandSource]]:
    """The hands and typefaces of a pool that have all digits; of the hands, where `only` is given, those writers.

    Real hands carry the training, fonts season it: together the Swiss writers come about twice as often as the others.
    """
    writers = [int(w) for w in np.unique(pool.writer) if len(np.unique(pool.digit[pool.writer == w])) == 10]
    first = {w: int(np.flatnonzero(pool.writer == w)[0]) for w in writers}
    of_swiss = {w: pool.sources[pool.source[first[w]]] == "swiss" for w in writers}
    swiss = [w for w in writers if of_swiss[w]]
    others = [w for w in writers if not of_swiss[w] and str(pool.kind[first[w]]) == "hand"]
    prints = [w for w in writers if str(pool.kind[first[w]]) == "print"]
    hands = swiss * max(1, round(2 * len(others) / max(len(swiss), 1))) + others
    if only is not None:
        hands = [w for w in swiss if w in only]
    shapes = {w: pool_hand(pool, w) for w in {*hands, *prints}}
    return [shapes[w] for w in hands], [shapes[w] for w in prints]


def generated_photos(cache: Path, split: Split, photos: int, workers: int) -> Labelled:
    """Cells of generated photos of one part that went through the whole chain (kept in the cache)."""
    jobs = range(-(-photos // PHOTO_CHUNK))
    return joined([_load(path) for path in _jobs(_make_photos, cache, split, jobs, PHOTO_CHUNK, workers)])


def generated_hexes(cache: Path, split: Split, photos: int, workers: int) -> Labelled:
    """The same of hex sheets."""
    jobs = range(-(-photos // PHOTO_CHUNK))
    return joined(
        [_load(path) for path in _jobs(partial(_make_photos, hexes=True), cache, split, jobs, PHOTO_CHUNK, workers)]
    )


def singles(cache: Path, shared: Path, split: Split, versions: int) -> Labelled:
    """Crops of single digits of one part (kept in the cache)."""
    out = cache / f"single-{split}-{versions}.npz"
    if not out.exists():
        _save(out, single_digits(shared, split, versions, SEED))
    return _load(out)


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
        _save(out, joined(parts))
    return _load(out)


def _save(path: Path, part: Labelled) -> None:
    unfinished = path.with_suffix(".part.npz")
    np.savez(unfinished, pictures=part.pictures, classes=part.classes, ink=part.ink)
    unfinished.rename(path)


def train(plan: Plan, cache: Path, shared: Path, out: Path, workers: int) -> None:
    """The whole run; writes ``digits-1.onnx`` into `out`."""
    torch.manual_seed(SEED)
    real_train = real(cache, shared, "train", plan.real_versions)
    parts = {
        "sheets": legible(generated(cache, "train", plan.sheets, workers)),
        "photos": legible(generated_photos(cache, "train", plan.photos, workers)),
        "hexes": legible(generated_hexes(cache, "train", plan.hexes, workers)),
        "single": singles(cache, shared, "train", plan.single_versions),
        "real": joined([real_train] * plan.real_weight),
    }
    vals = {
        "sheets": legible(generated(cache, "val", plan.val_sheets, workers)),
        "photos": legible(generated_photos(cache, "val", plan.val_photos, workers)),
        "hexes": legible(generated_hexes(cache, "val", plan.val_hexes, workers)),
        "single": singles(cache, shared, "val", 0),
        "real": real(cache, shared, "val", 3),
    }
    for name, sizes in (("train", parts), ("val", vals)):
        print(name, " ".join(f"{part} {len(cells)}" for part, cells in sizes.items()), flush=True)
    net = DigitNet().to(memory_format=torch.channels_last)
    mean = fit(net, joined(list(parts.values())), vals, plan, cache / "checkpoint.pt")
    # Dirt last, and slowly: shown from the start it teaches a young net to doubt blank paper.
    parts["dirt"] = legible(dirty_sheets(cache, "train", plan.dirty, workers))
    vals["dirt"] = legible(dirty_sheets(cache, "val", plan.val_dirty, workers))
    polish = replace(plan, epochs=plan.polish, rate=plan.rate / 3)
    mean = fit(mean, joined(list(parts.values())), vals, polish, cache / "checkpoint-polish.pt")
    printed = fit_print(mean, {name: part for name, part in parts.items() if name != "dirt"}, SEED)
    usual = torch.from_numpy(usual_traits(mean, parts["single"]))
    export(Finished(mean, printed, usual).eval(), vals, out)


def legible(part: Labelled) -> Labelled:
    """The part without cells that are labelled as written in although hardly any of their ink is left."""
    inked = (part.pictures[:, 0] > INK_LEVEL).sum(axis=(1, 2)) >= FEWEST_PIXELS
    kept = inked | (part.classes == CLASSES.index("blank"))
    return Labelled(part.pictures[kept], part.classes[kept], part.ink[kept])


def fit(net: DigitNet, data: Labelled, vals: dict[str, Labelled], plan: Plan, checkpoint: Path) -> DigitNet:
    """Trains with one cycle of the learning rate; goes on at an earlier run's last finished epoch.

    Gives the running mean of the weights, which reads better than the last ones (Polyak and Juditsky 1992).
    """
    # Channels last and bfloat16 train nearly twice as fast on the CPUs that this is meant for.
    average = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(plan.average), use_buffers=True)
    optimizer = torch.optim.AdamW(net.parameters(), lr=plan.rate, weight_decay=plan.decay)
    per_epoch = len(data) // plan.batch
    steps = plan.epochs * per_epoch
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step / steps, plan.floor))
    first = 0
    if checkpoint.exists():
        kept = torch.load(checkpoint, weights_only=True)
        if kept["steps"] == steps:
            for part, name in ((net, "net"), (average, "mean"), (optimizer, "optimizer"), (schedule, "schedule")):
                part.load_state_dict(kept[name])
            first = kept["epoch"]
    pictures, classes, ink = (torch.from_numpy(a) for a in (data.pictures, data.classes, data.ink))
    for epoch in range(first, plan.epochs):
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
            average.update_parameters(net)
            total += float(loss.detach())
        figures = " ".join(f"{part} {accuracy(average.module, cells):.4f}" for part, cells in vals.items())
        seconds = time.monotonic() - began
        print(f"{epoch + 1}/{plan.epochs} loss {total / per_epoch:.4f} {figures} {seconds:.0f} s", flush=True)
        parts = {"net": net, "mean": average, "optimizer": optimizer, "schedule": schedule}
        state = {name: part.state_dict() for name, part in parts.items()}
        torch.save({**state, "epoch": epoch + 1, "steps": steps}, checkpoint)
    mean = average.module
    assert isinstance(mean, DigitNet)
    _settle(mean, pictures)
    return mean


def _settle(net: DigitNet, pictures: torch.Tensor) -> None:
    """Measures anew what the batch normalizations have to expect in a net whose weights are a mean.

    The mean of what they saw with other weights isn't what they see with the mean weights (Izmailov et al. 2018).
    """
    torch.manual_seed(SEED)
    chosen = torch.from_numpy(np.random.default_rng(SEED).permutation(len(pictures))[:SETTLING])
    update_bn((_jittered(pictures[index].float() / 255) for index in chosen.split(512)), net)  # type: ignore[no-untyped-call,unused-ignore]


def _rate(done: float, floor: float) -> float:
    """The learning rate as a share of the highest: up from nearly nothing, then slowly down to `floor`.

    done: share of the training that is over.
    """
    if done < WARM_UP:
        return COLD + (1 - COLD) * (1 - math.cos(math.pi * done / WARM_UP)) / 2
    return floor + (1 - floor) * (1 + math.cos(math.pi * (done - WARM_UP) / (1 - WARM_UP))) / 2


def _jittered(x: torch.Tensor) -> torch.Tensor:
    """Pictures [n, 2, 32, 32] moved, stretched and bent a little, each its own way, of other strokes and contrast."""
    n = len(x)
    turn = torch.randn(n) * 0.10
    grow = torch.exp(torch.randn(n, 2) * 0.08)
    theta = torch.zeros(n, 2, 3)
    theta[:, 0, 0], theta[:, 0, 1] = torch.cos(turn) * grow[:, 0], -torch.sin(turn) + torch.randn(n) * 0.12
    theta[:, 1, 0], theta[:, 1, 1] = torch.sin(turn), torch.cos(turn) * grow[:, 1]
    theta[:, :, 2] = torch.randn(n, 2) * 0.035
    grid = torch.nn.functional.affine_grid(theta, list(x.shape), align_corners=False)
    # Smooth random bends, coarse and fine, as hands differ from one another and from themselves.
    for knots, size in ((4, 0.05), (8, 0.02)):
        bend = torch.randn(n, 2, knots, knots) * size
        bend = torch.nn.functional.interpolate(bend, x.shape[2:], mode="bicubic", align_corners=True)
        grid = grid + bend.permute(0, 2, 3, 1)
    moved = torch.nn.functional.grid_sample(x, grid, align_corners=False)
    # Some strokes wider, some thinner: another pen.
    some = slice(0, n // 6), slice(n // 6, n // 4)
    for part, sign in zip(some, (1, -1), strict=True):
        other = sign * torch.nn.functional.max_pool2d(sign * moved[part], 3, 1, 1)
        share = torch.rand(len(other), 1, 1, 1) * (0.8 if sign > 0 else 0.5)
        moved[part] = torch.lerp(moved[part], other, share)
    return (moved * torch.exp(torch.randn(n, 1, 1, 1) * 0.1)).clamp(0, 1)


def logits_of(net: DigitNet | Finished, pictures: npt.NDArray[np.uint8]) -> tuple[torch.Tensor, torch.Tensor]:
    """Logits [n, classes] and [n] of uint8 pictures, in evaluation mode."""
    net.eval()
    with torch.no_grad():
        outputs = [net(torch.from_numpy(pictures[k : k + 2048]).float() / 255) for k in range(0, len(pictures), 2048)]
    return torch.cat([o[0] for o in outputs]), torch.cat([o[1] for o in outputs])


def traits_of(net: DigitNet, pictures: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """The traits float32 [n, `DigitNet.traits`], in evaluation mode."""
    net.eval()
    with torch.no_grad():
        chunks = [pictures[k : k + 2048] for k in range(0, len(pictures), 2048)]
        return np.concatenate([net.half_way(torch.from_numpy(one).float() / 255)[1].numpy() for one in chunks])


def usual_traits(net: DigitNet, part: Labelled) -> npt.NDArray[np.float32]:
    """The traits that digits of a part have on the average, float32 [`DigitNet.traits`]."""
    digits = np.flatnonzero(part.classes < len(DIGIT_CLASSES))
    chosen = np.random.default_rng(SEED).permutation(digits)[:SETTLING]
    return np.asarray(traits_of(net, part.pictures[chosen]).mean(axis=0), dtype=np.float32)


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


def calibrated(net: Finished, vals: dict[str, Labelled]) -> tuple[float, float]:
    """Temperatures of the classes and of print, from what didn't train the net: real photos and Swiss crops, and as
    much of generated photos, for what real ones lack. Generated sheets don't count: they are harder than photos. For
    print, photos of hex sheets count as well, whose bold print and small digits are told apart least.
    """
    logits, _, classes, _ = _judged(net, [vals[name] for name in ("real", "single", "photos")])
    temperature = _temperature(logits, classes)
    _, printed, _, ink = _judged(net, [vals[name] for name in ("real", "single", "photos", "hexes")])
    known = ink != UNKNOWN_INK
    two = torch.stack([-printed / 2, printed / 2], dim=1)[known]
    return temperature, _temperature(two, ink[known])


def _judged(net: Finished, parts: list[Labelled]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Both logits, classes and ink of as many cells of each part as the smallest has."""
    rng = np.random.default_rng(SEED)
    most = min(len(part) for part in parts)
    part = joined([_some(part, rng.choice(len(part), most, replace=False)) for part in parts])
    logits, printed = logits_of(net, part.pictures)
    return logits, printed, torch.from_numpy(part.classes), torch.from_numpy(part.ink)


def _some(part: Labelled, chosen: npt.NDArray[np.int64]) -> Labelled:
    return Labelled(part.pictures[chosen], part.classes[chosen], part.ink[chosen])


def export(net: Finished, vals: dict[str, Labelled], out: Path) -> None:
    """Calibrates on held-out cells and writes the ONNX file with its metadata."""
    temperature, ink_temperature = calibrated(net, vals)
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{MODEL_NAME}.onnx"
    reader = Reader(net, temperature, ink_temperature).eval()
    sample = torch.zeros(2, 2, 32, 32, dtype=torch.uint8)
    torch.onnx.export(
        reader,
        (sample,),
        str(path),
        input_names=["pictures"],
        output_names=["probabilities", "printed", "traits"],
        dynamic_axes={name: {0: "n"} for name in ("pictures", "probabilities", "printed", "traits")},
        dynamo=False,
    )
    model = onnx.load(str(path))
    for key, value in {"name": MODEL_NAME, "classes": json.dumps(CLASSES), "temperature": f"{temperature:.4f}"}.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    halve(model)
    onnx.save(model, str(path))
    print(f"temperature {temperature:.3f}, ink {ink_temperature:.3f}, {path.stat().st_size} bytes")


def halve(model: onnx.ModelProto) -> None:
    """Keeps large weights as float16, turned back to float32 when the model is loaded: half the size, no slower."""
    graph = model.graph
    for weights in list(graph.initializer):
        values = onnx.numpy_helper.to_array(weights)
        if values.dtype != np.float32 or values.size < 1000:
            continue
        name = weights.name
        graph.initializer.remove(weights)
        graph.initializer.append(onnx.numpy_helper.from_array(values.astype(np.float16), f"{name}.half"))
        cast = onnx.helper.make_node("Cast", [f"{name}.half"], [name], to=onnx.TensorProto.FLOAT)
        graph.node.insert(0, cast)


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
    plan = replace(Plan(), epochs=chosen.epochs, sheets=chosen.sheets)
    train(plan, chosen.cache, chosen.shared, chosen.out, chosen.workers)


if __name__ == "__main__":
    main()
