"""The number reader's net: the digit reader's tower for ink, read from left to right (CTC, Graves et al. 2006)."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import nn
from torch.nn import functional

from scanner.read.classes import NUMBER_SYMBOLS
from scanner.training.net import DigitNet

TOWER_SIZE = (32, 90)
"""Pictures are brought to this size, so that digits are as high as the digit reader's."""
STEPS = 23
"""Steps across a picture; a digit takes five or so."""
ROWS = 4
HEAD = 128
WIDTHS = (16, 48, 96)
"""Of the tower: those of the digit reader that it starts from."""


def tower(widths: tuple[int, int, int]) -> nn.Sequential:
    """The digit reader's tower; its last step halves the height only, so that narrow digits keep steps of their own."""
    layers = DigitNet(widths).close
    last: nn.Conv2d = layers[4][0]
    last.stride = (2, 1)
    return layers


class NumberNet(nn.Module):
    """uint8 or float [n, 2, 40, 112] in 0..255 -> logits [n, 23, symbols + 1]; symbol 0 is CTC's blank."""

    def __init__(self, widths: tuple[int, int, int] = WIDTHS) -> None:
        super().__init__()
        self.tower = tower(widths)
        width = widths[-1]
        self.down = nn.Sequential(
            nn.Conv2d(width + 2, HEAD, (ROWS, 1), bias=False), nn.BatchNorm2d(HEAD), nn.ReLU(inplace=True)
        )
        self.first = nn.Sequential(
            nn.Conv1d(HEAD, HEAD, 5, padding=2, bias=False), nn.BatchNorm1d(HEAD), nn.ReLU(inplace=True)
        )
        self.second = nn.Sequential(
            nn.Dropout(0.15),
            nn.Conv1d(HEAD, HEAD, 5, padding=2, bias=False),
            nn.BatchNorm1d(HEAD),
            nn.ReLU(inplace=True),
        )
        self.symbols = nn.Sequential(nn.Dropout(0.15), nn.Conv1d(HEAD, len(NUMBER_SYMBOLS) + 1, 3, padding=1))

    def start_from(self, digits: Mapping[str, torch.Tensor]) -> None:
        """Takes the tower's weights from a digit reader's state, or from that of its running mean."""
        prefix = "module.close." if any(name.startswith("module.") for name in digits) else "close."
        self.tower.load_state_dict({k.removeprefix(prefix): v for k, v in digits.items() if k.startswith(prefix)})

    def features(self, pictures: torch.Tensor) -> torch.Tensor:
        """What the tower makes of the ink, with the ink itself and the cell's area, small: [n, channels, 4, 23]."""
        scaled = pictures.float() / 255.0
        ink = functional.interpolate(scaled[:, :1], size=TOWER_SIZE, mode="bilinear", align_corners=False)
        small = functional.interpolate(scaled, size=(ROWS, STEPS), mode="bilinear", align_corners=False)
        return torch.cat([self.tower(ink), small], dim=1)

    def head(self, features: torch.Tensor) -> torch.Tensor:
        """Logits of the symbols at every step."""
        columns = self.down(features)[:, :, 0]
        columns = columns + self.first(columns)
        columns = columns + self.second(columns)
        logits: torch.Tensor = self.symbols(columns)
        return logits.transpose(1, 2)

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        """Logits of the symbols at every step."""
        return self.head(self.features(pictures))


class NumberModel(nn.Module):
    """What is shipped: uint8 pictures in, calibrated probabilities of the symbols at every step out."""

    def __init__(self, net: NumberNet, temperature: float) -> None:
        super().__init__()
        self.net = net
        self.temperature = temperature

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        """Probabilities [n, 23, symbols + 1]."""
        return torch.softmax(self.net(pictures) / self.temperature, dim=2)
