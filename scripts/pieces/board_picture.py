"""Pictures of boards: wood, grid, star points, coordinates."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]
BOARD_PIXELS = 1024
LETTER_AWAY, NUMBER_AWAY = 0.59, 0.68  # from the grid: beside the stones at the edge
LABEL_SCALE = 0.0125  # OpenCV's scale of a letter per pixel of a spacing
INK = (28, 38, 44)


def paint_board(paints: Any, size: int, margin: float, *, labels: bool, cells: bool) -> Picture:
    """Return the picture of a board's top: wood, grid, star points, coordinates.

    Args:
        paints: painting tools, with a cache of pictures.
        size: points along a side.
        margin: width of the margin around the grid, in distances between lines.
        labels: whether to draw coordinates at the edge.
        cells: whether lines run between the points, as for tic-tac-toe, instead of through them.
    """
    base = paints.cached("board-wood", lambda: paints.wood(BOARD_PIXELS, BOARD_PIXELS, 11))
    picture: Picture = base.copy()
    step = BOARD_PIXELS / (size - 1 + 2 * margin)

    def at(point: float) -> float:
        return (point + margin) * step

    width = max(2, round(step * 0.015))
    for line in range(1, size) if cells else ():
        for across, dark in ((0.012, False), (0.0, True)):  # the groove's lit edge, then itself
            place, ends = at(line - 0.5 + across), (at(-0.42), at(size - 0.58))
            tone = INK if dark else (150, 208, 240)
            for start, end in (
                ((place, ends[0]), (place, ends[1])),
                ((ends[0], place), (ends[1], place)),
            ):
                _line(picture, start, end, max(2, round(step * 0.045)), tone)
    for line in range(size) if not cells else ():
        heavy = width + (1 if line in (0, size - 1) else 0)
        _line(picture, (at(line), at(0)), (at(line), at(size - 1)), heavy)
        _line(picture, (at(0), at(line)), (at(size - 1), at(line)), heavy)
    for row, col in star_points(size):
        center = (round(at(col) * 16), round(at(row) * 16))
        cv2.circle(picture, center, round(step * 0.085 * 16), INK, -1, cv2.LINE_AA, 4)
    if labels:
        for index in range(size):
            letter = chr(ord("a") + index)
            _label(picture, letter, at(index), at(size - 1) + step * LETTER_AWAY, step)
            _label(picture, str(size - index), at(0) - step * NUMBER_AWAY, at(index), step)
    return picture


def star_points(size: int) -> list[tuple[int, int]]:
    """Return the (row, column) of a board's star points, which are marked; none on small boards."""
    if size < 7:
        return []
    edge = 2 if size < 13 else 3
    middle = [size // 2] if size % 2 else []
    lines = (
        [edge, *middle, size - 1 - edge] if size >= 13 or not middle else [edge, size - 1 - edge]
    )
    points = [(row, col) for row in lines for col in lines]
    return sorted({*points, *((m, m) for m in middle)})


def _line(
    picture: Picture,
    start: tuple[float, float],
    end: tuple[float, float],
    width: int,
    tone: tuple[int, int, int] = INK,
) -> None:
    points = [(round(x * 16), round(y * 16)) for x, y in (start, end)]
    cv2.line(picture, points[0], points[1], tone, width, cv2.LINE_AA, 4)


def _label(picture: Picture, text: str, x: float, y: float, step: float) -> None:
    scale, width = step * LABEL_SCALE, max(2, round(step * 0.027))
    font = cv2.FONT_HERSHEY_SIMPLEX
    (across, up), _ = cv2.getTextSize(text, font, scale, width)
    place = (round(x - across / 2), round(y + up / 2))
    cv2.putText(picture, text, place, font, scale, (34, 50, 64), width, cv2.LINE_AA)
