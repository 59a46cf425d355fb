"""The goban, the board for Go and Gomoku: a wooden block with its grid painted on top."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from scripts.pieces.board_themes import COORDINATES, WOOD, theme_named
from sim import Mesh, ModelKey, ModelKind, ModelLook

MOST_POINTS = 64  # a side: the lines of more are finer than the picture's pixels
MARGIN = 0.95  # around the grid, in spacings
PLAIN_RIM = 0.08  # of the margin at the front, in spacings: nothing is painted there
THICKNESS = 0.62
BEVEL = 0.05
CORNERS = [[0, 1, 2], [0, 2, 3]]


def block(size: int, rows: int = 0, **look: Any) -> Mesh:
    """Return the block of a board; its top is at z = 0.

    Args:
        size: number of columns.
        rows: number of rows; 0 for as many as columns.
        look: the other parameters of the model, which do not change its shape.
    """
    width, depth = size - 1 + 2 * MARGIN, (rows or size) - 1 + 2 * MARGIN
    return beveled_box(width, THICKNESS, BEVEL, strip=PLAIN_RIM / depth, depth=depth)


def beveled_box(
    width: float, height: float, bevel: float, *, strip: float, depth: float | None = None
) -> Mesh:
    """Return a box below z = 0 whose upper and upright edges are rounded off.

    Args:
        width: metres along x.
        height: metres.
        bevel: metres cut off each edge.
        strip: share of the painted picture, at its front edge, that is repeated on the sides.
        depth: metres along y; None for as much as along x.
    """
    half = np.array([width, width if depth is None else depth]) / 2
    inner = half - bevel
    turn = math.cos(math.pi / 4) * bevel
    # from the rim of the upper face outwards and down: metres out, height, slope of the normal
    rows = [(-bevel, 0.0, 0.0), (turn - bevel, turn - bevel, 1.0), (0.0, -bevel, 1e3)]
    rows.append((0.0, -height, 1e3))
    mesh = Mesh()
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    top = np.concatenate([signs * inner, np.zeros((4, 1))], axis=1)
    mesh.add(top, np.tile([0.0, 0.0, 1.0], (4, 1)), top[:, :2] / (2 * half) + 0.5, CORNERS)
    low = np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]]) * half
    points = np.concatenate([low, np.full((4, 1), -height)], axis=1)
    mesh.add(points, np.tile([0.0, 0.0, -1.0], (4, 1)), np.zeros((4, 2)), CORNERS)
    for number in range(4):
        cosine, sine = math.cos(number * math.pi / 2), math.sin(number * math.pi / 2)
        along, outward = half[number % 2], half[(number + 1) % 2]
        for upper, lower in itertools.pairwise(rows):
            corners, normals, shares = [], [], []
            for (more, z, slope), side in zip(
                (lower, lower, upper, upper), (-1, 1, 1, -1), strict=True
            ):
                x, away = side * (along + more), outward + more
                corners.append((cosine * x + sine * away, sine * x - cosine * away, z))
                normals.append(
                    np.array([sine * slope, -cosine * slope, 1.0]) / math.hypot(slope, 1)
                )
                shares.append((x / (2 * along) + 0.5, strip * (1.0 + z / height)))
            mesh.add(np.array(corners), np.array(normals), np.array(shares), CORNERS)
    return mesh


def paint(
    paints: Any,
    *,
    size: int,
    rows: int,
    labels: bool,
    coordinates: str,
    cells: bool,
    theme: str,
) -> Any:
    """Return the picture of the top, `[height, width, 3]` uint8 in OpenCV's order BGR.

    Args:
        paints: painting tools, with a cache of pictures.
        size: number of columns.
        rows: number of rows; 0 for as many as columns.
        labels: whether to draw coordinates at the edge.
        coordinates: where they are drawn if they are.
        cells: whether lines run between the points instead of through them.
        theme: name of the colours.
    """
    from scripts.pieces.board_picture import BoardLook, paint_board  # OpenCV is for pictures only

    place = coordinates if labels else "off"
    look = BoardLook(size, rows or size, place, cells, theme_named(theme))
    return paint_board(paints, look, MARGIN)


def _rows(name: str, value: object) -> object:
    """Check a number of rows; 0 stands for as many as columns."""
    return 0 if value in (0, None) and value is not False else ROWS.check(name, value)


def _coordinates(name: str, value: object) -> object:
    if value not in COORDINATES:
        expected = ", ".join(COORDINATES)
        raise ValueError(f"{name}: expected one of {expected}, found {value!r:.60}")
    return value


ROWS = ModelKey.count(15, most=MOST_POINTS)
GOBAN = ModelKind(
    mesh=block,
    keys={
        "size": ModelKey.count(15, most=MOST_POINTS),
        "rows": ModelKey(0, _rows),
        "labels": ModelKey.switch(True),
        "coordinates": ModelKey("two sides", _coordinates),
        "cells": ModelKey.switch(False),
        "theme": ModelKey(WOOD.name, lambda name, value: theme_named(value).name),
    },
    shape="box",
    look=ModelLook((1.0, 1.0, 1.0), roughness=0.5, coat=0.16),
    paint=paint,
    shadow=lambda size, rows, **look: (max(size, rows) + 0.9) * 1.62,
    surface=lambda size, rows, **look: min(size, rows or size) / 2 + 0.45,
)
