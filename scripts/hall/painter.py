"""Pictures of the hall, drawn with OpenCV: boards with stones, and name plates.

A distant board is one such picture on a box instead of fifty objects. Pixels are BGR.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
BOARD_PIXELS = 256
MARGIN = 0.95  # of the board around its grid, in spacings: that of the model "goban"
STONE_RADIUS = 0.465  # in spacings
INK = (28, 38, 44)
PLATE_SIZE = (448, 150)
PLATE_BACK = (34, 30, 28)
PLATE_EDGE = (74, 66, 60)
WHITE_TEXT = (240, 236, 232)
QUIET_TEXT = (178, 170, 162)
AMBER = (72, 176, 245)
GREEN = (120, 205, 110)
RED = (92, 92, 226)
SHIFT = 4  # bits below one pixel that OpenCV draws with


@dataclass(frozen=True)
class Plate:
    """Content of a name plate."""

    title: str
    text: str
    share: float | None
    """White's share of the last games; None before the first."""
    groups: tuple[float, ...]
    """White's share of each five games, oldest first."""
    has_failed: bool = False
    """Whether the last training failed to hold its memory: the text is a warning."""


class BoardPainter:
    """Draws positions of one board size."""

    def __init__(self, size: int, pixels: int = BOARD_PIXELS) -> None:
        self.size = size
        self.step = pixels / (size - 1 + 2 * MARGIN)
        self.empty = self._draw_empty(pixels)
        radius = self.step * STONE_RADIUS
        self._stones = {1: _stone(radius, is_black=True), -1: _stone(radius, is_black=False)}
        self._shadow = _shadow(radius)

    def paint(self, moves: Sequence[int], line: Sequence[int] = ()) -> Picture:
        """Return a picture of a position.

        Args:
            moves: the game; Black began.
            line: the winning stones, marked instead of the last move.
        """
        picture = self.empty.copy()
        for move in moves:
            _blend(picture, self._shadow, *self._place(move, 0.10))
        for ply, move in enumerate(moves):
            _blend(picture, self._stones[-1 if ply % 2 else 1], *self._place(move))
        for move in line:
            self._ring(picture, move, 0.27, (40, 190, 250))
        if moves and not line:
            self._ring(picture, moves[-1], 0.17, (41, 92, 237))
        return picture

    def _place(self, move: int, shift: float = 0.0) -> tuple[float, float]:
        row, col = divmod(move, self.size)
        return (col + MARGIN + shift) * self.step, (row + MARGIN + shift) * self.step

    def _ring(
        self, picture: Picture, move: int, radius: float, color: tuple[int, int, int]
    ) -> None:
        x, y = self._place(move)
        scale = 1 << SHIFT
        cv2.circle(
            picture, (round((x - 0.5) * scale), round((y - 0.5) * scale)),
            round(radius * self.step * scale), color, max(2, round(self.step * 0.085)),
            cv2.LINE_AA, SHIFT,
        )  # fmt: skip

    def _draw_empty(self, pixels: int) -> Picture:
        picture = _wood(pixels)
        scale = 1 << SHIFT
        low, high = (
            round(MARGIN * self.step * scale),
            round((self.size - 1 + MARGIN) * self.step * scale),
        )
        for index in range(self.size):
            at = round((index + MARGIN) * self.step * scale)
            for ends in (((at, low), (at, high)), ((low, at), (high, at))):
                cv2.line(picture, *ends, INK, 1, cv2.LINE_AA, SHIFT)
        return picture


def plate(text: Plate) -> Picture:
    """Return the picture of a name plate: parameters, games, win rate, wins of each five games."""
    width, height = PLATE_SIZE
    picture = np.full((height, width, 3), PLATE_BACK, np.uint8)
    picture[: height // 2] = np.add(PLATE_BACK, 6)
    cv2.rectangle(picture, (0, 0), (width - 1, height - 1), PLATE_EDGE, 3)
    _write(
        picture, text.title, 16, 46, _fitting(text.title, width - 28, 36), WHITE_TEXT, weight=600
    )
    size = _fitting(text.text, width - 172, 36, 450)
    _write(picture, text.text, 16, 94, size, AMBER if text.has_failed else QUIET_TEXT)
    if text.share is not None:
        share = f"{text.share:.0%}".replace("%", " %")
        color = GREEN if text.share >= 0.8 else AMBER if text.share >= 0.4 else RED
        _write(picture, share, width - 16, 96, 46, color, weight=700, is_right=True)
    _sparkline(picture, text.groups, (16, 108, width - 32, 30))
    return picture


def _sparkline(picture: Picture, groups: Sequence[float], place: tuple[int, int, int, int]) -> None:
    left, top, width, height = place
    cv2.rectangle(picture, (left, top), (left + width, top + height), (48, 43, 40), -1)
    if not groups:
        return
    bars = _merge(groups, 60)
    step = width / max(len(bars), 12)
    for index, share in enumerate(bars):
        x = left + index * step
        color = tuple(int(a + (b - a) * share) for a, b in zip(RED, GREEN, strict=True))
        high = top + height - max(2, round(share * (height - 2)))
        end = max(round(x) + 1, round(x + step) - (2 if step > 5 else 1))
        cv2.rectangle(picture, (round(x), high), (end, top + height), color, -1)


def _merge(groups: Sequence[float], most: int) -> list[float]:
    """Return at most `most` means of neighbouring groups, as many in each as in the others."""
    width = -(-len(groups) // most)
    spans = [groups[at : at + width] for at in range(0, len(groups), max(1, width))]
    return [sum(span) / len(span) for span in spans]


def floor(
    width: float, depth: float, spots: Sequence[tuple[float, float]], *, pixels: int = 1024
) -> Picture:
    """Return a picture of dark floor boards that fade out at the edges, with soft shadows.

    Args:
        width: metres across.
        depth: metres deep.
        spots: centres of the shadows, metres from the middle, y away from the viewer.
        pixels: width and height of the picture.
    """
    rng = np.random.default_rng(3)
    along = cv2.resize(_noise(rng, 64, 9), (pixels, pixels), interpolation=cv2.INTER_CUBIC)
    fine = cv2.resize(_noise(rng, pixels, 40), (pixels, pixels), interpolation=cv2.INTER_LINEAR)
    planks = 40
    tones = rng.normal(0.0, 0.10, planks).astype(np.float32)
    column = np.arange(pixels) * planks // pixels
    tone = 0.75 + 0.10 * along + 0.10 * fine + tones[column][None, :]
    seams = (np.arange(pixels) * planks % pixels) < planks * 1.2
    tone[:, seams] *= 0.62
    axis = np.linspace(-1.0, 1.0, pixels, dtype=np.float32)
    away = np.hypot(axis[None, :], axis[:, None])
    tone *= np.clip(1.12 - away * 1.05, 0.0, 1.0) ** 0.9
    shade = np.ones((pixels, pixels), np.float32)
    for x, y in spots:
        column_at = round((x / width + 0.5) * pixels)
        row_at = round((0.5 - y / depth) * pixels)
        half = round(5.2 / width * pixels)
        cv2.rectangle(
            shade, (column_at - half, row_at - half), (column_at + half, row_at + half), 0.22, -1
        )
    shade = cv2.GaussianBlur(shade, (0, 0), 2.4 / width * pixels)
    wood = np.array([44, 62, 92], np.float32)
    return np.asarray(np.clip(wood * (tone * shade)[..., None], 0, 255), dtype=np.uint8)


@cache
def board_of(size: int) -> BoardPainter:
    """Return the painter of a board size; all boards share it."""
    return BoardPainter(size)


@cache
def _face() -> Any:
    return cv2.FontFace("sans")


def _write(
    picture: Picture, text: str, x: int, y: int, size: int, color: tuple[int, int, int],
    *, weight: int = 450, is_right: bool = False,
) -> None:  # fmt: skip
    """Write a line of text whose baseline begins, or ends, at (x, y)."""
    flags = cv2.PUT_TEXT_ALIGN_RIGHT if is_right else cv2.PUT_TEXT_ALIGN_LEFT
    cv2.putText(picture, text, (x, y), color, _face(), size, weight, flags)


def _fitting(text: str, width: int, size: int, weight: int = 600) -> int:
    """Return the largest size, at most `size`, at which a line is no wider than `width`."""
    left, _, across, _ = cv2.getTextSize((width, size), text, (0, 0), _face(), size, weight)
    return min(size, math.floor(size * width / max(1, int(left) + int(across))))


def _noise(rng: np.random.Generator, columns: int, rows: int) -> Floats:
    return np.clip(rng.standard_normal((rows, columns)), -2.0, 2.0).astype(np.float32) * 0.5


def _wood(pixels: int) -> Picture:
    """Return light wood, its grain along the height."""
    rng = np.random.default_rng(11)
    size = (pixels, pixels)
    bend = cv2.resize(_noise(rng, 3, 2), size, interpolation=cv2.INTER_CUBIC) * 0.05
    fibre = cv2.resize(_noise(rng, pixels, 5), size, interpolation=cv2.INTER_CUBIC)
    across = np.linspace(0.0, 1.0, pixels, dtype=np.float32)[None, :]
    grain = 0.5 + 0.5 * np.sin((across + bend) * 13.0 * 2 * math.pi)
    mix = np.clip(0.5 + (0.62 * grain**1.6 + 0.22 * fibre) * 0.42, 0.0, 1.0)[..., None]
    light, deep = np.array([104.0, 172.0, 222.0]), np.array([62.0, 124.0, 186.0])
    return np.asarray(np.clip(deep + (light - deep) * (1.0 - mix * 0.75), 0, 255), dtype=np.uint8)


def _stone(radius: float, *, is_black: bool) -> Floats:
    """Return a stone seen from above, `[n, n, 4]`: BGR, and how much it covers."""
    half = math.ceil(radius) + 1
    axis = (np.arange(-half * 4, half * 4, dtype=np.float32) + 0.5) / 4.0
    x, y = axis[None, :] / radius, axis[:, None] / radius
    inside = np.clip(1.0 - (x * x + y * y), 0.0, 1.0)
    z = np.sqrt(inside) * 0.9 + 0.35
    length = np.sqrt((x * 0.8) ** 2 + (y * 0.8) ** 2 + z * z)
    facing = np.clip((-0.45 * x * 0.8 - 0.5 * y * 0.8 + 0.74 * z) / length, 0.0, 1.0)
    shine = facing ** (22 if is_black else 40)
    if is_black:
        tone = 22.0 + 34.0 * facing + 120.0 * shine
    else:
        tone = 150.0 + 84.0 * facing + 22.0 * shine
    tint = np.array([1.03, 1.0, 0.98] if is_black else [0.955, 0.985, 1.0], np.float32)
    cover = (x * x + y * y <= 1.0).astype(np.float32)
    sprite = np.dstack([np.clip(tone[..., None] * tint, 0, 255), cover]).astype(np.float32)
    return np.asarray(cv2.resize(sprite, (2 * half, 2 * half), interpolation=cv2.INTER_AREA))


def _shadow(radius: float) -> Floats:
    half = math.ceil(radius * 1.5)
    axis = (np.arange(-half, half, dtype=np.float32) + 0.5) / radius
    away = np.hypot(axis[None, :], axis[:, None])
    cover = 0.55 * np.clip((1.35 - away) / 0.6, 0.0, 1.0) ** 1.5
    color = np.zeros((2 * half, 2 * half, 3), np.float32) + np.array([6, 10, 16], np.float32)
    return np.dstack([color, cover]).astype(np.float32)


def _blend(picture: Picture, sprite: Floats, x: float, y: float) -> None:
    """Lay a sprite over the picture, its middle at (x, y); what lies outside is left out."""
    height, width = sprite.shape[:2]
    left, top = round(x - width / 2), round(y - height / 2)
    x0, y0 = max(0, left), max(0, top)
    x1, y1 = min(picture.shape[1], left + width), min(picture.shape[0], top + height)
    part = sprite[y0 - top : y1 - top, x0 - left : x1 - left]
    below = picture[y0:y1, x0:x1]
    cover = part[..., 3:]
    picture[y0:y1, x0:x1] = (below * (1.0 - cover) + part[..., :3] * cover).astype(np.uint8)
