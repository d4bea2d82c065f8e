"""The reader's net: two small towers, one for the ink alone, one for its place in the cell."""

from __future__ import annotations

import torch
from torch import nn

from scanner.cells import INPUT_PX
from scanner.read.classes import CLASSES

HALF = 4
"""Layers of the ink's tower below its middle."""
PLACES = 2
"""Places side by side, and one below the other, that traits keep apart."""


def _step(inputs: int, outputs: int, stride: int, size: int = 3) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride=stride, padding=size // 2, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


class _Residual(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = _step(width, width, 1)
        self.second = nn.Sequential(nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x + self.second(self.first(x)))


class DigitNet(nn.Module):
    """float32 [n, 2, 32, 32] in 0..1 -> logits [n, classes] and the logit of "printed" [n].

    Widths are multiples of 16: onnxruntime pads others to the next one on CPUs with AVX-512.
    """

    def __init__(
        self, widths: tuple[int, int, int] = (16, 48, 96), context: tuple[int, int, int] = (16, 16, 32)
    ) -> None:
        super().__init__()
        a, b, c = widths
        self.close = nn.Sequential(
            _step(1, a, 2, 5), _Residual(a), _step(a, b, 2), _Residual(b), _step(b, c, 2), _Residual(c)
        )
        d, e, f = context
        self.around = nn.Sequential(_step(1, d, 2, 5), _step(d, e, 2), _step(e, f, 2))
        self.flat = (c + f) * (INPUT_PX // 8) ** 2
        self.traits = b * PLACES**2
        self.join = nn.Sequential(nn.Dropout(0.25), nn.Linear(self.flat, 128), nn.ReLU(inplace=True), nn.Dropout(0.25))
        self.classes = nn.Linear(128, len(CLASSES))
        self.printed = nn.Linear(128, 1)

    def towers(self, pictures: torch.Tensor) -> torch.Tensor:
        """What both towers see: [n, `flat`]."""
        return self._joined(pictures, self.close(pictures[:, 1:]))

    def half_way(self, pictures: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """What both towers see, [n, `flat`], and the traits of the ink, [n, `traits`].

        Traits are what the ink's tower sees half way up, about where: there a hand's own shapes are still told apart,
        which further up are all the same digit.
        """
        middle = self.close[:HALF](pictures[:, 1:])
        traits = nn.functional.avg_pool2d(middle, middle.shape[-1] // PLACES)
        return self._joined(pictures, self.close[HALF:](middle)), traits.flatten(1)

    def _joined(self, pictures: torch.Tensor, close: torch.Tensor) -> torch.Tensor:
        return torch.cat([close.flatten(1), self.around(pictures[:, :1]).flatten(1)], dim=1)

    def forward(self, pictures: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits of classes and of print."""
        joined = self.join(self.towers(pictures))
        return self.classes(joined), self.printed(joined)[:, 0]


class Finished(nn.Module):
    """A trained net with another layer for print, which looks at the towers themselves (`print_head`).

    usual: the traits [`traits`] that digits have on the average; only what differs from them tells digits apart.
    """

    usual: torch.Tensor

    def __init__(self, net: DigitNet, printed: nn.Linear, usual: torch.Tensor) -> None:
        super().__init__()
        self.net = net
        self.printed = printed
        self.register_buffer("usual", usual)

    def forward(self, pictures: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits of classes and of print, as the net's own."""
        classes, printed, _ = self.seen(pictures)
        return classes, printed

    def seen(self, pictures: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The same and the traits [n, `traits`], less the usual ones."""
        towers, traits = self.net.half_way(pictures)
        return self.net.classes(self.net.join(towers)), self.printed(towers)[:, 0], traits - self.usual


class Reader(nn.Module):
    """What is shipped: uint8 pictures in, calibrated probabilities and traits out."""

    def __init__(self, net: Finished, temperature: float, ink_temperature: float) -> None:
        super().__init__()
        self.net = net
        self.temperature = temperature
        self.ink_temperature = ink_temperature

    def forward(self, pictures: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Probabilities of classes and of print, and the traits."""
        logits, printed, traits = self.net.seen(pictures.float() / 255.0)
        return torch.softmax(logits / self.temperature, dim=1), torch.sigmoid(printed / self.ink_temperature), traits
