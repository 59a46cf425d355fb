"""Pictures of the hall drawn with OpenCV: name plates and the floor. Channel order is BGR."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import cv2
import numpy as np

from scripts.gomoku.board.board_painter import noise
from scripts.pieces.board_picture import Picture

PLATE_SIZE = (448, 150)
PLATE_BACK = (34, 30, 28)
PLATE_EDGE = (74, 66, 60)
WHITE_TEXT = (240, 236, 232)
QUIET_TEXT = (178, 170, 162)
AMBER = (72, 176, 245)
GREEN = (120, 205, 110)
RED = (92, 92, 226)


@dataclass(frozen=True)
class Plate:
    """Content of a name plate."""

    title: str
    text: str
    share: float | None
    """Share of the last games that White won, 0 to 1; None before the first game."""
    groups: tuple[float, ...]
    """Share of games that White won in each group of five, oldest first."""
    has_failed: bool = False
    """Whether the last training failed to reproduce its positions; then `text` is a warning."""


def plate(text: Plate) -> Picture:
    """Return the picture of a name plate.

    It shows the title, a line of text, White's share of wins, and bars for groups of games.

    Args:
        text: content of the plate.
    """
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
    """Reduce a list of values by averaging neighbours.

    Args:
        groups: the values.
        most: maximum number of values in the result.

    Returns:
        The averages. Each covers the same number of neighbours; the last one may cover fewer.
    """
    width = -(-len(groups) // most)
    spans = [groups[at : at + width] for at in range(0, len(groups), max(1, width))]
    return [sum(span) / len(span) for span in spans]


def floor(
    width: float, depth: float, spots: Sequence[tuple[float, float]], *, pixels: int = 1024
) -> Picture:
    """Return a picture of dark wooden planks that fade out at the edges, with soft shadows.

    Args:
        width: width of the floor in metres.
        depth: depth of the floor in metres.
        spots: centres of the shadows in metres from the middle; y points away from the viewer.
        pixels: width and height of the picture.
    """
    rng = np.random.default_rng(3)
    along = cv2.resize(noise(rng, 64, 9), (pixels, pixels), interpolation=cv2.INTER_CUBIC)
    fine = cv2.resize(noise(rng, pixels, 40), (pixels, pixels), interpolation=cv2.INTER_LINEAR)
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
def _face() -> Any:
    return cv2.FontFace("sans")


def _write(
    picture: Picture,
    text: str,
    x: int,
    y: int,
    size: int,
    color: tuple[int, int, int],
    *,
    weight: int = 450,
    is_right: bool = False,
) -> None:
    """Write a line of text into a picture.

    Args:
        picture: picture to draw on.
        text: the text.
        x: left end of the baseline in pixels; its right end if `is_right` is True.
        y: height of the baseline in pixels from the top.
        size: font size in pixels.
        color: colour as (blue, green, red).
        weight: weight of the font, 400 for normal and 700 for bold.
        is_right: whether the text ends at `x` instead of beginning there.
    """
    flags = cv2.PUT_TEXT_ALIGN_RIGHT if is_right else cv2.PUT_TEXT_ALIGN_LEFT
    cv2.putText(picture, text, (x, y), color, _face(), size, weight, flags)


def _fitting(text: str, width: int, size: int, weight: int = 600) -> int:
    """Return the largest font size, at most `size`, with which a text is no wider than `width`.

    Args:
        text: a line of text.
        width: available width in pixels.
        size: maximum font size in pixels.
        weight: weight of the font.
    """
    left, _, across, _ = cv2.getTextSize((width, size), text, (0, 0), _face(), size, weight)
    return min(size, math.floor(size * width / max(1, int(left) + int(across))))
