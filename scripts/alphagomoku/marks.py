"""What a search looks like on a board: shares before it, visits, and the expected line."""

from __future__ import annotations

from typing import NamedTuple

from ai import BLACK, to_text
from ai.messages import SearchGrown
from scripts.gomoku.board.color_scale import Rgb, ink_on, scale_color
from scripts.gomoku.board.mark_layers import Column, Ghost
from scripts.gomoku.board.overlay_picture import OverlayPicture

TALLEST = 1.9  # metres: the column of the most visited point
LEAST = 0.02  # of the greatest share: less is not drawn
MOST_LINE = 4  # stones of the expected line
STONES: dict[int, Rgb] = {1: (0.08, 0.08, 0.09), -1: (0.95, 0.94, 0.91)}


class SearchMarks(NamedTuple):
    """What is laid on a board for a search: see `MarkLayers.show`."""

    ground: OverlayPicture
    """Plates: shares before the search."""
    top: OverlayPicture
    """Numbers of the expected line."""
    ghosts: list[Ghost]
    """Stones of that line."""
    columns: list[Column]
    """Visits."""


def search_marks(size: int, found: SearchGrown) -> SearchMarks:
    """Return what a search found so far as marks on a board of `size` points a side."""
    color = BLACK if len(found.moves) % 2 == 0 else -BLACK
    ground, top = OverlayPicture(size), OverlayPicture(size)
    line, most = found.line[:MOST_LINE], float(found.prior.max())
    for point, share in enumerate(found.prior):
        if most > 0.0 and share > LEAST * most:
            shade = scale_color(float(share) / most)
            ground.plate(point, 0.24 + 0.22 * (float(share) / most) ** 0.5, shade, 0.95)
            if share >= 0.01 and point not in line:
                ground.letters(point, f"{share:.0%}", 0.17, ink_on(shade), at=(0.0, 0.04))
    sides = [color * (-1) ** index for index in range(len(line))]
    for index, (point, side) in enumerate(zip(line, sides, strict=True)):
        top.badge(point, str(index + 1), 0.2, STONES[side], edge=STONES[-side])
    ghosts = [Ghost(point, side, 0.6) for point, side in zip(line, sides, strict=True)]
    return SearchMarks(ground, top, ghosts, columns_of(found))


def columns_of(found: SearchGrown) -> list[Column]:
    """Return a column at each point that was visited, as tall as its share of the most visits."""
    most = max(int(found.visits.max()), 1)
    shares = ((point, int(visits) / most) for point, visits in enumerate(found.visits))
    return [
        Column(point, (0.3, 0.3), 0.0, max(0.05, TALLEST * share), scale_color(share), 0.1)
        for point, share in shares
        if share > LEAST
    ]


def best_points(found: SearchGrown, count: int) -> list[tuple[str, float, float]]:
    """Return (point, share before, share after) of the most visited points."""
    size, total = round(len(found.visits) ** 0.5), max(int(found.visits.sum()), 1)
    order = sorted(range(len(found.visits)), key=lambda point: -int(found.visits[point]))
    return [
        (to_text(point, size), float(found.prior[point]), int(found.visits[point]) / total)
        for point in order[:count]
        if found.visits[point]
    ]
