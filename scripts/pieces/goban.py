"""The goban, the board for Go and Gomoku: a wooden block with its grid painted on top."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from sim import Mesh, ModelKey, ModelKind, ModelLook

MOST_POINTS = 64  # a side: the lines of more are finer than the picture's pixels
MARGIN = 0.95  # around the grid, in spacings
PLAIN_RIM = 0.08  # of the margin at the front, in spacings: nothing is painted there
THICKNESS = 0.62
BEVEL = 0.05
CORNERS = [[0, 1, 2], [0, 2, 3]]


def block(size: int, **look: Any) -> Mesh:
    """Return the block of a board with `size` points along a side; its top is at z = 0."""
    width = size - 1 + 2 * MARGIN
    return beveled_box(width, THICKNESS, BEVEL, strip=PLAIN_RIM / width)


def beveled_box(width: float, height: float, bevel: float, *, strip: float) -> Mesh:
    """Return a square box below z = 0 whose upper and upright edges are rounded off.

    Args:
        width: metres along a side.
        height: metres.
        bevel: metres cut off each edge.
        strip: share of the painted picture, at its front edge, that is repeated on the sides.
    """
    outer, inner = width / 2, width / 2 - bevel
    turn = math.cos(math.pi / 4) * bevel
    # from the rim of the upper face outwards and down: distance, height, slope of the normal
    rows = [(inner, 0.0, 0.0), (inner + turn, turn - bevel, 1.0), (outer, -bevel, 1e3)]
    rows.append((outer, -height, 1e3))
    mesh = Mesh()
    top = np.array([[-inner, -inner, 0], [inner, -inner, 0], [inner, inner, 0], [-inner, inner, 0]])
    mesh.add(top, np.tile([0.0, 0.0, 1.0], (4, 1)), top[:, :2] / width + 0.5, CORNERS)
    low = np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]]) * outer
    points = np.concatenate([low, np.full((4, 1), -height)], axis=1)
    mesh.add(points, np.tile([0.0, 0.0, -1.0], (4, 1)), np.zeros((4, 2)), CORNERS)
    for number in range(4):
        cosine, sine = math.cos(number * math.pi / 2), math.sin(number * math.pi / 2)
        for upper, lower in itertools.pairwise(rows):
            corners, normals, shares = [], [], []
            for (away, z, slope), side in zip(
                (lower, lower, upper, upper), (-1, 1, 1, -1), strict=True
            ):
                x = side * away
                corners.append((cosine * x + sine * away, sine * x - cosine * away, z))
                normals.append(
                    np.array([sine * slope, -cosine * slope, 1.0]) / math.hypot(slope, 1)
                )
                shares.append((x / width + 0.5, strip * (1.0 + z / height)))
            mesh.add(np.array(corners), np.array(normals), np.array(shares), CORNERS)
    return mesh


def paint(paints: Any, *, size: int, labels: bool, cells: bool) -> Any:
    """Return the picture of the top, `[height, width, 3]` uint8 in OpenCV's order BGR.

    Args:
        paints: painting tools, with a cache of pictures.
        size: points along a side.
        labels: whether to draw coordinates at the edge.
        cells: whether lines run between the points instead of through them.
    """
    from scripts.pieces.board_picture import paint_board  # OpenCV is for pictures only

    return paint_board(paints, size, MARGIN, labels=labels, cells=cells)


GOBAN = ModelKind(
    mesh=block,
    keys={
        "size": ModelKey.count(15, most=MOST_POINTS),
        "labels": ModelKey.switch(True),
        "cells": ModelKey.switch(False),
    },
    shape="box",
    look=ModelLook((1.0, 1.0, 1.0), roughness=0.5, coat=0.16),
    paint=paint,
    shadow=lambda size, **look: (size + 0.9) * 1.62,
    surface=lambda size, **look: size / 2 + 0.45,
)
