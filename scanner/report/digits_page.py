"""A page with every crop that was read wrongly, as pictures, and with the reader's calibration as curves."""

from __future__ import annotations

import base64
import io
from html import escape
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image

from scanner.bench.calibration import Calibration
from scanner.digits import UNREADABLE, DigitsReport, gray_of

SIDE_PX: Final = 96
"""Longer side of a crop on the page."""
PLOT_PX: Final = 260
BLUE, GREY = "#0072b2", "#777777"
"""Of the colour-blind safe palette of Okabe and Ito (2008)."""

_STYLE = """
body { font: 16px/1.4 sans-serif; margin: 2em; max-width: 70em }
ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 1em }
li { width: 11em; border: 1px solid #ccc; padding: .5em; overflow-wrap: anywhere }
li img { display: block; margin-bottom: .3em; image-rendering: auto }
figure { display: inline-block; margin: 0 2em 1em 0 }
"""


def write_page(report: DigitsReport, folder: Path, out: Path) -> Path:
    """Writes ``index.html`` into `out` (made if needed), which needs no other file; gives its path.

    folder: the crops. The surest mistakes come first: among them are the labels that are wrong. Raises OSError where
    nothing can be written.
    """
    wrong = sorted((crop for crop in report.crops if not crop.right), key=lambda crop: (-crop.confidence, crop.file))
    accuracy = report.accuracy
    lines = [
        "<!doctype html>",
        '<html lang="en"><meta charset="utf-8"><title>Padscore: digits</title>',
        f"<style>{_STYLE}</style>",
        f"<h1>{accuracy.n - accuracy.count} of {accuracy.n} digits read wrongly</h1>",
        f"<p>Reader {escape(report.model)}. {_percent(accuracy.share)} are right.</p>",
        _curves(report.calibration),
        "<h2>Confusions</h2><p>",
        escape(", ".join(f"{pair}: {count}" for pair, count in report.confusions.items()) or "none"),
        "</p><h2>The crops</h2><ul>",
    ]
    for crop in wrong:
        picture = None if crop.read == UNREADABLE else gray_of(folder / crop.file)
        sure = "" if picture is None else f" at {_percent(crop.confidence)}"
        shown = "" if picture is None else f'<img src="data:image/png;base64,{_png(picture)}" alt="">'
        lines.append(f"<li>{shown}{escape(crop.true)} read as {escape(crop.read)}{sure}<br>{escape(crop.file)}</li>")
    lines.append("</ul></html>")
    out.mkdir(parents=True, exist_ok=True)
    page = out / "index.html"
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return page


def _percent(share: float | None) -> str:
    return "none" if share is None else f"{100 * share:.2f} %"


def _png(gray: npt.NDArray[np.uint8]) -> str:
    picture = Image.fromarray(gray)
    picture.thumbnail((SIDE_PX, SIDE_PX))
    stream = io.BytesIO()
    picture.save(stream, "png")
    return base64.b64encode(stream.getvalue()).decode("ascii")


def _curves(calibration: Calibration) -> str:
    """The reliability diagram and the risk-coverage curve as SVG."""
    if not calibration.bins:
        return ""
    reliability = [(b.confidence, b.accuracy) for b in calibration.bins]
    risk = [(point.coverage, point.risk) for point in calibration.points]
    highest = max(max(share for _, share in risk), 1e-3)
    lowest = min(min(pair) for pair in reliability)
    return (
        _plot(reliability, lowest, 1.0, lowest, 1.0, "Reliability: confidence (across) and share that is right", True)
        + _plot(risk, 0.0, 1.0, 0.0, highest, f"Errors (0 to {_percent(highest)}) among the surest (across)", False)
        + f"<p>Expected calibration error {_percent(calibration.ece)}, "
        f"negative log likelihood {calibration.nll or 0.0:.4f}.</p>"
    )


def _plot(
    points: list[tuple[float, float]], left: float, right: float, low: float, high: float, title: str, diagonal: bool
) -> str:
    def at(x: float, y: float) -> tuple[float, float]:
        across = (x - left) / max(right - left, 1e-9)
        up = (y - low) / max(high - low, 1e-9)
        return round(10 + across * (PLOT_PX - 20), 1), round(PLOT_PX - 10 - up * (PLOT_PX - 20), 1)

    path = " ".join(f"{x},{y}" for x, y in (at(*point) for point in points))
    dots = "".join(f'<circle cx="{x}" cy="{y}" r="4" fill="{BLUE}"/>' for x, y in (at(*point) for point in points))
    ideal = (
        f'<line x1="10" y1="{PLOT_PX - 10}" x2="{PLOT_PX - 10}" y2="10" stroke="{GREY}" stroke-dasharray="4"/>'
        if diagonal
        else ""
    )
    return (
        f'<figure><svg width="{PLOT_PX}" height="{PLOT_PX}" role="img" aria-label="{escape(title)}">'
        f'<rect x="10" y="10" width="{PLOT_PX - 20}" height="{PLOT_PX - 20}" fill="none" stroke="{GREY}"/>{ideal}'
        f'<polyline points="{path}" fill="none" stroke="{BLUE}" stroke-width="2"/>{dots}</svg>'
        f"<figcaption>{escape(title)}</figcaption></figure>"
    )
