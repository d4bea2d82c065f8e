"""The number reader's net: a small convolutional tower that is read from left to right (CTC, Graves et al. 2006)."""

from __future__ import annotations

import torch
from torch import nn

from scanner.read.classes import NUMBER_SYMBOLS


def _step(inputs: int, outputs: int, stride: int | tuple[int, int], size: int = 3) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride=stride, padding=size // 2, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


class NumberNet(nn.Module):
    """float32 [n, 2, 40, 112] in 0..1 -> logits [n, 28, symbols + 1]; symbol 0 is CTC's blank."""

    def __init__(self, widths: tuple[int, int, int, int] = (16, 32, 48, 64)) -> None:
        super().__init__()
        a, b, c, d = widths
        self.tower = nn.Sequential(
            _step(2, a, 2, 5),
            _step(a, b, 2),
            _step(b, b, 1),
            _step(b, c, (2, 1)),
            _step(c, c, 1),
            nn.Conv2d(c, d, (5, 1), bias=False),
            nn.BatchNorm2d(d),
            nn.ReLU(inplace=True),
        )
        self.along = nn.Sequential(nn.Conv1d(d, d, 5, padding=2), nn.ReLU(inplace=True), nn.Dropout(0.2))
        self.symbols = nn.Conv1d(d, len(NUMBER_SYMBOLS) + 1, 3, padding=1)

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        """Logits of the symbols at every step."""
        columns = self.tower(pictures)[:, :, 0]
        logits: torch.Tensor = self.symbols(columns + self.along(columns))
        return logits.transpose(1, 2)


class NumberModel(nn.Module):
    """What is shipped: uint8 pictures in, calibrated probabilities of the symbols at every step out."""

    def __init__(self, net: NumberNet, temperature: float) -> None:
        super().__init__()
        self.net = net
        self.temperature = temperature

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        """Probabilities [n, 28, symbols + 1]."""
        return torch.softmax(self.net(pictures.float() / 255.0) / self.temperature, dim=2)
