"""Seeded pictures without a sheet, for tests: textures, floors, text, tables, boards of other games.

Each generator draws a flat grey page or surface; `photographed` then looks at it through a camera at a slant, with
blur, uneven light and noise. All are generated; what they show about real photos is no more than a lower bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

Gray = npt.NDArray[np.uint8]
Rng = np.random.Generator
PAPER = 235


@dataclass(frozen=True)
class Negative:
    """A picture that holds no Sudoku. kind: the generator's name; rgb: uint8 [h, w, 3]."""

    kind: str
    seed: int
    rgb: npt.NDArray[np.uint8]


def _blank(width: int = 900, height: int = 900, value: int = PAPER) -> Gray:
    return np.full((height, width), value, np.uint8)


def _lettered(page: Gray, texts: list[tuple[float, float, str, int]], ink: int = 30) -> Gray:
    """The page with words written on it; each is (x, y of the middle, text, size in px)."""
    image = Image.fromarray(page)
    draw = ImageDraw.Draw(image)
    for x, y, text, size in texts:
        draw.text((x, y), text, fill=ink, font=ImageFont.load_default(size), anchor="mm")
    return np.asarray(image).copy()


def _word(rng: Rng, low: int = 2, high: int = 9) -> str:
    return "".join(rng.choice(list("abcdefghijklmnopqrstuvwxyz"), size=int(rng.integers(low, high))))


def _ruled(
    page: Gray, left: int, top: int, widths: list[int], heights: list[int], ink: int = 40, thick: int = 2
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Draws a table's lines; returns the x of its upright lines and the y of its level ones."""
    xs = left + np.concatenate([[0], np.cumsum(widths)])
    ys = top + np.concatenate([[0], np.cumsum(heights)])
    for x in xs:
        cv2.line(page, (int(x), int(ys[0])), (int(x), int(ys[-1])), ink, thick)
    for y in ys:
        cv2.line(page, (int(xs[0]), int(y)), (int(xs[-1]), int(y)), ink, thick)
    return xs, ys


def _table(
    rng: Rng,
    cols: int,
    rows: int,
    wide: int,
    high: int,
    text: Callable[[], str],
    *,
    share: float = 1.0,
    size: int = 0,
    thick: int = 2,
) -> Gray:
    page = _blank(cols * wide + 160, rows * high + 160)
    xs, ys = _ruled(page, 80, 80, [wide] * cols, [high] * rows, thick=thick)
    size = size or max(9, round(0.45 * min(wide, high)))
    texts = [
        (float(x + wide / 2), float(y + high / 2), text(), size)
        for y in ys[:-1]
        for x in xs[:-1]
        if rng.random() < share
    ]
    return _lettered(page, texts)


def noise(rng: Rng) -> Gray:
    return rng.integers(0, 256, (800, 800)).astype(np.uint8)


def fractal(rng: Rng) -> Gray:
    total = np.zeros((800, 800), np.float32)
    for octave in range(1, 8):
        n = 2**octave
        total += cv2.resize(rng.random((n, n)).astype(np.float32), (800, 800), interpolation=cv2.INTER_CUBIC) / n**0.8
    return np.asarray(cv2.normalize(total, np.zeros_like(total), 0, 255, cv2.NORM_MINMAX), dtype=np.uint8)


def cloth(rng: Rng) -> Gray:
    period = int(rng.integers(10, 60))
    y, x = np.mgrid[0:900, 0:900]
    over = ((x // period + y // period) % 2).astype(np.float32)
    thread = np.where(over > 0, np.sin(np.pi * (x % period) / period), np.sin(np.pi * (y % period) / period))
    return np.asarray(np.clip(80 + 140 * thread + rng.normal(0, 8, (900, 900)), 0, 255), dtype=np.uint8)


def checked_cloth(rng: Rng) -> Gray:
    """Gingham: stripes both ways, darker where they cross."""
    period = int(rng.integers(40, 120))
    y, x = np.mgrid[0:900, 0:900]
    stripes = ((x // (period // 2)) % 2).astype(int) + ((y // (period // 2)) % 2).astype(int)
    return np.asarray(np.clip(230 - 80 * stripes + rng.normal(0, 5, (900, 900)), 0, 255), dtype=np.uint8)


def bricks(rng: Rng) -> Gray:
    wide = int(rng.integers(60, 140))
    high = wide // 2 if rng.random() < 0.6 else wide
    page = _blank(value=int(rng.integers(180, 220)))
    for row, top in enumerate(range(0, 900, high)):
        shift = (row % 2) * wide // 2
        for left in range(-shift, 900, wide):
            shade = int(rng.integers(90, 150))
            cv2.rectangle(page, (left + 3, top + 3), (left + wide - 3, top + high - 3), shade, -1)
    return page


def _tiles(rng: Rng, across: int, down: int, joint: int, light: bool) -> Gray:
    side = 900 // max(across, down)
    grout, tile = (70, 205) if light else (215, 110)
    page = _blank(across * side, down * side, grout)
    for row in range(down):
        for col in range(across):
            shade = int(np.clip(tile + rng.normal(0, 7), 0, 255))
            cv2.rectangle(
                page,
                (col * side + joint, row * side + joint),
                ((col + 1) * side - joint, (row + 1) * side - joint),
                shade,
                -1,
            )
    return np.clip(page + rng.normal(0, 4, page.shape), 0, 255).astype(np.uint8)


def tiles(rng: Rng) -> Gray:
    return _tiles(
        rng, int(rng.integers(4, 26)), int(rng.integers(4, 26)), int(rng.integers(1, 4)), bool(rng.random() < 0.7)
    )


def tiles_nine(rng: Rng) -> Gray:
    """A camera's view of a floor: 9 x 9 whole tiles and a bit of their neighbours, joints to all edges."""
    floor = _tiles(rng, 13, 13, int(rng.integers(1, 4)), True)
    side = 900 // 13
    bit = rng.uniform(0.1, 0.8, 4) * side
    out = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    seen = np.array([[2, 2], [11, 2], [11, 11], [2, 11]]) * side + out * bit[:, None]
    view = np.array([[0, 0], [900, 0], [900, 900], [0, 900]])
    matrix = cv2.getPerspectiveTransform(seen.astype(np.float32), view.astype(np.float32))
    warped = cv2.warpPerspective(floor, matrix, (900, 900))
    return np.asarray(cv2.GaussianBlur(warped, (0, 0), rng.uniform(0.5, 2)), dtype=np.uint8)


def text_page(rng: Rng) -> Gray:
    columns = int(rng.integers(1, 4))
    size = int(rng.integers(12, 30))
    page = _blank(900, 1200)
    texts = []
    for column in range(columns):
        width = 820 / columns
        middle = 40 + (column + 0.5) * width
        for y in range(50, 1150, round(1.5 * size)):
            line = ""
            while len(line) * size * 0.55 < width - 40:
                line += _word(rng) + " "
            texts.append((middle, float(y), line[: round((width - 30) / (0.55 * size))], size))
    return _lettered(page, texts)


def spreadsheet(rng: Rng) -> Gray:
    high = int(rng.integers(26, 40))
    wide = int(high * rng.uniform(2.2, 4))
    return _table(
        rng,
        int(rng.integers(5, 12)),
        int(rng.integers(9, 28)),
        wide,
        high,
        lambda: str(rng.integers(0, 9999)),
        share=0.8,
        thick=1,
    )


def square_spreadsheet(rng: Rng) -> Gray:
    cols, rows = int(rng.integers(11, 18)), int(rng.integers(10, 18))
    return _table(rng, cols, rows, 50, 50, lambda: str(rng.integers(0, 99)), share=0.7, thick=int(rng.integers(1, 4)))


def crossword(rng: Rng) -> Gray:
    n = int(rng.choice([9, 11, 13, 15]))
    return _crossword(rng, n)


def crossword_nine(rng: Rng) -> Gray:
    return _crossword(rng, 9)


def _crossword(rng: Rng, n: int) -> Gray:
    side = 800 // n
    page = _blank(n * side + 160, n * side + 160)
    xs, ys = _ruled(page, 80, 80, [side] * n, [side] * n, thick=int(rng.integers(1, 4)))
    black = rng.random((n, n)) < rng.uniform(0.13, 0.25)
    black |= black[::-1, ::-1]
    number = 1
    texts = []
    for row in range(n):
        for col in range(n):
            x, y = int(xs[col]), int(ys[row])
            if black[row, col]:
                cv2.rectangle(page, (x, y), (x + side, y + side), 30, -1)
            elif rng.random() < 0.3:
                texts.append((x + 0.2 * side, y + 0.2 * side, str(number), max(8, side // 4)))
                number += 1
    return _lettered(page, texts)


def _chequered(rng: Rng, n: int) -> Gray:
    side = 800 // n
    dark, light = int(rng.integers(20, 120)), int(rng.integers(180, 245))
    page = _blank(n * side + 160, n * side + 160, int(rng.choice([60, 120, 200, 235])))
    for row in range(n):
        for col in range(n):
            x, y = 80 + col * side, 80 + row * side
            cv2.rectangle(page, (x, y), (x + side - 1, y + side - 1), dark if (row + col) % 2 else light, -1)
    cv2.rectangle(page, (80, 80), (80 + n * side, 80 + n * side), 20, int(rng.integers(1, 8)))
    return page


def chessboard(rng: Rng) -> Gray:
    return _chequered(rng, 8)


def draughts(rng: Rng) -> Gray:
    return _chequered(rng, 10)


def chequered_nine(rng: Rng) -> Gray:
    return _chequered(rng, 9)


def outlined_chessboard(rng: Rng) -> Gray:
    """A printed diagram: thin lines around every square, dark squares grey."""
    n = int(rng.choice([8, 9, 10]))
    side = 800 // n
    page = _blank(n * side + 160, n * side + 160)
    for row in range(n):
        for col in range(n):
            if (row + col) % 2:
                cv2.rectangle(
                    page, (80 + col * side, 80 + row * side), (80 + (col + 1) * side, 80 + (row + 1) * side), 170, -1
                )
    _ruled(page, 80, 80, [side] * n, [side] * n, thick=2)
    return page


def window_panes(rng: Rng) -> Gray:
    """A house front: dark panes in light frames, far apart."""
    page = _blank(900, 900, 200)
    side, gap = int(rng.integers(40, 80)), int(rng.integers(15, 50))
    for top in range(20, 860 - side, side + gap):
        for left in range(20, 860 - side, side + gap):
            cv2.rectangle(page, (left, top), (left + side, top + side), int(rng.integers(40, 90)), -1)
            cv2.line(page, (left + side // 2, top), (left + side // 2, top + side), 200, 4)
            cv2.line(page, (left, top + side // 2), (left + side, top + side // 2), 200, 4)
    return page


def fence(rng: Rng) -> Gray:
    """Wire mesh: thin dark lines over something blurred, from edge to edge."""
    back = cv2.resize(rng.integers(60, 220, (7, 7)).astype(np.uint8), (900, 900), interpolation=cv2.INTER_CUBIC)
    period = int(rng.integers(40, 110))
    for at in range(period // 2, 900, period):
        cv2.line(back, (at, 0), (at, 899), 20, 3)
        cv2.line(back, (0, at), (899, at), 20, 3)
    return np.asarray(back, dtype=np.uint8)


def keyboard(rng: Rng) -> Gray:
    page = _blank(1000, 460, 60)
    texts = []
    for row in range(5):
        for col in range(13):
            x, y = 30 + col * 70 + row * 14, 40 + row * 76
            cv2.rectangle(page, (x, y), (x + 60, y + 64), 225, -1)
            texts.append((x + 20.0, y + 22.0, _word(rng, 1, 2).upper(), 20))
    return _lettered(page, texts)


def calendar(rng: Rng) -> Gray:
    rows = int(rng.integers(5, 8))
    side = int(rng.integers(70, 120))
    page = _blank(7 * side + 160, rows * side + 160)
    xs, ys = _ruled(page, 80, 80, [side] * 7, [side] * rows, thick=int(rng.integers(1, 4)))
    texts = [
        (float(xs[c] + 0.5 * side), float(ys[r] + 0.5 * side), str(1 + (r * 7 + c) % 31), side // 3)
        for r in range(rows)
        for c in range(7)
    ]
    return _lettered(page, texts)


def bingo(rng: Rng) -> Gray:
    return _table(rng, 5, 5, 150, 150, lambda: str(rng.integers(1, 76)), thick=4)


def nonogram(rng: Rng) -> Gray:
    n = int(rng.choice([10, 15, 20]))
    side = 700 // n
    page = _blank(1000, 1000)
    left = top = 220
    _ruled(page, left, top, [side] * n, [side] * n, thick=1)
    for at in range(0, n + 1, 5):
        cv2.line(page, (left + at * side, 60), (left + at * side, top + n * side), 20, 3)
        cv2.line(page, (60, top + at * side), (left + n * side, top + at * side), 20, 3)
    texts = []
    for k in range(n):
        for j in range(int(rng.integers(1, 4))):
            texts.append((left + (k + 0.5) * side, 200.0 - 0.6 * side * j, str(rng.integers(1, 9)), max(9, side // 2)))
            texts.append((200.0 - 0.6 * side * j, top + (k + 0.5) * side, str(rng.integers(1, 9)), max(9, side // 2)))
        for j in range(n):
            if rng.random() < 0.4:
                x, y = left + k * side, top + j * side
                cv2.rectangle(page, (x + 2, y + 2), (x + side - 2, y + side - 2), 30, -1)
    return _lettered(page, texts)


def go_board(rng: Rng) -> Gray:
    n = int(rng.choice([9, 13, 19]))
    return _go(rng, n, float(rng.uniform(0.1, 0.6)))


def go_board_ten(rng: Rng) -> Gray:
    """Ten lines each way, so nine squares between them; the stones stand on the crossings."""
    return _go(rng, 10, 0.4)


def _go(rng: Rng, n: int, filled: float) -> Gray:
    side = 800 // n
    page = _blank(n * side + 160, n * side + 160, 190)
    _ruled(page, 80 + side // 2, 80 + side // 2, [side] * (n - 1), [side] * (n - 1), thick=2)
    for row in range(n):
        for col in range(n):
            if rng.random() < filled:
                at = (80 + side // 2 + col * side, 80 + side // 2 + row * side)
                cv2.circle(page, at, round(0.45 * side), int(rng.choice([25, 245])), -1, cv2.LINE_AA)
    return page


def graph_paper(rng: Rng) -> Gray:
    side = int(rng.integers(14, 60))
    page = _blank()
    _ruled(page, side // 2, side // 3, [side] * (900 // side - 1), [side] * (900 // side - 1), ink=150, thick=1)
    return page


def graph_paper_tens(rng: Rng) -> Gray:
    """Millimetre paper: every n-th line is heavier, as in a Sudoku, but it goes on to the edges."""
    side, every = int(rng.integers(20, 40)), int(rng.choice([3, 5]))
    page = _blank()
    for k, at in enumerate(range(0, 900, side)):
        thick, ink = (3, 60) if k % every == 0 else (1, 130)
        cv2.line(page, (at, 0), (at, 899), ink, thick)
        cv2.line(page, (0, at), (899, at), ink, thick)
    return page


def white(rng: Rng) -> Gray:
    return _blank(value=255)


def black(rng: Rng) -> Gray:
    return _blank(value=0)


def gradient(rng: Rng) -> Gray:
    return np.tile(np.linspace(20, 240, 900).astype(np.uint8), (900, 1))


def kenken(rng: Rng) -> Gray:
    n = int(rng.choice([4, 6, 8]))
    page = _blank()
    side = 720 // n
    xs, ys = _ruled(page, 90, 90, [side] * n, [side] * n, ink=120, thick=1)
    cv2.rectangle(page, (90, 90), (90 + n * side, 90 + n * side), 20, 5)
    for row in range(n):
        for col in range(n):
            x, y = int(xs[col]), int(ys[row])
            if rng.random() < 0.55:
                cv2.line(page, (x, y), (x + side, y), 20, 5)
            if rng.random() < 0.55:
                cv2.line(page, (x, y), (x, y + side), 20, 5)
    texts = [
        (float(x + 0.25 * side), float(y + 0.2 * side), f"{rng.integers(1, 40)}+", side // 5)
        for x in xs[:-1]
        for y in ys[:-1]
    ]
    return _lettered(page, texts)


def number_grid(rng: Rng) -> Gray:
    n = int(rng.choice([6, 7, 8, 10, 12]))
    return _table(rng, n, n, 800 // n, 800 // n, lambda: str(rng.integers(1, 10)), thick=int(rng.integers(1, 4)))


def tall_table(rng: Rng) -> Gray:
    """Nine columns, but more or fewer rows."""
    rows = int(rng.choice([7, 8, 10, 11, 12, 14]))
    cols = 9
    if rng.random() < 0.5:
        cols, rows = rows, cols
    return _table(rng, cols, rows, 64, 64, lambda: str(rng.integers(1, 10)), share=0.6, thick=int(rng.integers(1, 4)))


def wide_nine(rng: Rng) -> Gray:
    """Nine columns and nine rows, but cells twice as wide as high."""
    high = 44
    wide = int(high * rng.uniform(1.9, 3))
    return _table(rng, 9, 9, wide, high, lambda: str(rng.integers(1, 99)))


def small_sudoku(rng: Rng) -> Gray:
    """6 x 6 with boxes of 2 x 3, or 4 x 4 with boxes of 2 x 2: not the sheet of nine."""
    n, high, wide = (6, 2, 3) if rng.random() < 0.6 else (4, 2, 2)
    side = 720 // n
    page = _blank()
    xs, ys = _ruled(page, 90, 90, [side] * n, [side] * n, thick=2)
    for k in range(0, n + 1, wide):
        cv2.line(page, (int(xs[k]), 90), (int(xs[k]), 90 + n * side), 20, 6)
    for k in range(0, n + 1, high):
        cv2.line(page, (90, int(ys[k])), (90 + n * side, int(ys[k])), 20, 6)
    texts = [
        (float(x + side / 2), float(y + side / 2), str(rng.integers(1, n + 1)), side // 2)
        for x in xs[:-1]
        for y in ys[:-1]
        if rng.random() < 0.4
    ]
    return _lettered(page, texts)


def number_place(rng: Rng) -> Gray:
    """A hexadecimal Sudoku of 16 x 16."""
    n, side = 16, 50
    page = _blank(960, 960)
    xs, ys = _ruled(page, 80, 80, [side] * n, [side] * n, thick=1)
    for k in range(0, n + 1, 4):
        cv2.line(page, (int(xs[k]), 80), (int(xs[k]), 80 + n * side), 20, 4)
        cv2.line(page, (80, int(ys[k])), (80 + n * side, int(ys[k])), 20, 4)
    digits = "0123456789ABCDEF"
    texts = [
        (float(x + side / 2), float(y + side / 2), digits[int(rng.integers(0, 16))], 26)
        for x in xs[:-1]
        for y in ys[:-1]
        if rng.random() < 0.5
    ]
    return _lettered(page, texts)


def photo_sheet(rng: Rng) -> Gray:
    """A contact sheet: little pictures in rows."""
    n = int(rng.integers(5, 10))
    side = 860 // n
    page = _blank(900, 900, 245)
    for row in range(n):
        for col in range(n):
            little = cv2.resize(rng.integers(20, 240, (4, 4)).astype(np.uint8), (side - 10, side - 10))
            page[20 + row * side : 10 + (row + 1) * side, 20 + col * side : 10 + (col + 1) * side] = little
    return page


def buttons(rng: Rng) -> Gray:
    """A remote control or a pocket calculator: light keys on dark plastic."""
    across, down = int(rng.integers(4, 7)), int(rng.integers(5, 10))
    page = _blank(across * 100 + 60, down * 90 + 60, 50)
    texts = []
    for row in range(down):
        for col in range(across):
            x, y = 40 + col * 100, 40 + row * 90
            cv2.rectangle(page, (x, y), (x + 70, y + 60), 210, -1)
            texts.append((x + 35.0, y + 30.0, str(rng.integers(0, 10)), 30))
    return _lettered(page, texts)


def word_table_nine(rng: Rng) -> Gray:
    """Nine by nine square cells that hold words or long numbers: as lines a Sudoku without heavy lines."""
    if rng.random() < 0.5:
        return _table(rng, 9, 9, 90, 90, lambda: _word(rng, 4, 8), size=20)
    return _table(rng, 9, 9, 90, 90, lambda: str(rng.integers(100, 9999)), size=24)


def blank_nine(rng: Rng) -> Gray:
    """Nine by nine empty square cells, all lines alike."""
    return _table(rng, 9, 9, 88, 88, str, share=0.0, thick=int(rng.integers(1, 4)))


GENERATORS: Mapping[str, Callable[[Rng], Gray]] = {
    draw.__name__: draw
    for draw in (
        noise,
        fractal,
        cloth,
        checked_cloth,
        bricks,
        tiles,
        tiles_nine,
        text_page,
        spreadsheet,
        square_spreadsheet,
        crossword,
        crossword_nine,
        chessboard,
        draughts,
        chequered_nine,
        outlined_chessboard,
        window_panes,
        fence,
        keyboard,
        calendar,
        bingo,
        nonogram,
        go_board,
        go_board_ten,
        graph_paper,
        graph_paper_tens,
        white,
        black,
        gradient,
        kenken,
        number_grid,
        tall_table,
        wide_nine,
        small_sudoku,
        number_place,
        photo_sheet,
        buttons,
    )
}
"""Pictures in which `locate` must not find a Sudoku."""

LOOKALIKES: Mapping[str, Callable[[Rng], Gray]] = {draw.__name__: draw for draw in (word_table_nine, blank_nine)}
"""Nine by nine square cells between lines all alike: by its lines such a picture may be a plainly printed Sudoku."""


def photographed(surface: Gray, rng: Rng, *, long_side: int = 900, edge_to_edge: bool = False) -> npt.NDArray[np.uint8]:
    """A camera's picture of a surface: slant and turn, light, blur and noise; uint8 [h, w, 3].

    edge_to_edge: the surface fills the picture (a floor, a cloth); else it lies on something plain.
    """
    height, width = surface.shape
    size = (long_side, round(0.75 * long_side)) if rng.random() < 0.5 else (round(0.75 * long_side), long_side)
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
    angle = np.deg2rad(rng.uniform(-12, 12) + rng.choice([0, 90, 180, 270], p=[0.7, 0.1, 0.1, 0.1]))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    centred = (corners - corners.mean(axis=0)) @ turn.T
    span = centred.max(axis=0) - centred.min(axis=0)
    frame = np.array(size)
    scale = (frame / span).max() * 1.35 if edge_to_edge else (frame / span).min() * rng.uniform(0.8, 1.05)
    placed = centred * scale + frame / 2
    placed += rng.uniform(-0.05, 0.05, (4, 2)) * (placed.max(axis=0) - placed.min(axis=0)).min()
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), placed.astype(np.float32))
    table = int(rng.integers(60, 250))
    shot = cv2.warpPerspective(surface, matrix, size, flags=cv2.INTER_AREA, borderValue=table).astype(np.float32)
    direction = rng.uniform(-1, 1, 2)
    y, x = np.mgrid[0 : size[1], 0 : size[0]].astype(np.float32)
    light = 1 + 0.25 * (direction[0] * (x / size[0] - 0.5) + direction[1] * (y / size[1] - 0.5))
    if rng.random() < 0.3:
        light *= np.where(
            x * direction[0] + y * direction[1] > rng.uniform(-0.3, 0.3) * long_side, 1.0, rng.uniform(0.5, 0.85)
        )
    blur = float(rng.uniform(0.3, 1.6))
    shot = cv2.GaussianBlur(shot * light.astype(np.float32), (0, 0), blur)
    shot = np.clip(shot + rng.normal(0, 3, shot.shape), 0, 255)
    tint = rng.uniform(0.85, 1.0, 3)
    return np.asarray(np.clip(shot[:, :, None] * tint, 0, 255), dtype=np.uint8)


SURFACES = frozenset({"noise", "fractal", "cloth", "checked_cloth", "bricks", "tiles", "fence", "graph_paper_tens"})
"""Those without an edge of their own."""


VIEWS = frozenset({"tiles_nine"})
"""Those that are drawn as a camera sees them."""


def negatives(per_kind: int, *, first_seed: int = 0) -> Iterator[Negative]:
    """So many pictures of every kind, the same ones every time; the first of each kind is looked at straight on."""
    for kind in GENERATORS:
        for seed in range(first_seed, first_seed + per_kind):
            yield negative(kind, seed)


def negative(kind: str, seed: int) -> Negative:
    """One picture of a kind from `GENERATORS` or `LOOKALIKES`."""
    draw = GENERATORS[kind] if kind in GENERATORS else LOOKALIKES[kind]
    rng = np.random.default_rng([seed, *kind.encode()])
    surface = draw(rng)
    if seed == 0 or kind in VIEWS:
        return Negative(kind, seed, np.repeat(surface[:, :, None], 3, axis=2))
    return Negative(kind, seed, photographed(surface, rng, edge_to_edge=kind in SURFACES))
