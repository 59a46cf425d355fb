"""The goban: a wooden block with its grid painted on top."""

from __future__ import annotations

from typing import Any

from sim import Mesh, ModelKey, ModelKind, ModelLook

MOST_POINTS = 64  # a side: the lines of more are finer than the picture's pixels
MARGIN = 0.95  # around the grid, in spacings
PLAIN_RIM = 0.08  # of the margin at the front, in spacings: nothing is painted there
THICKNESS = 0.62


def block(size: int, **look: Any) -> Mesh:
    """Return the block of a board with `size` points a side, its surface at z = 0."""
    width = size - 1 + 2 * MARGIN
    return Mesh.box(width, width, THICKNESS, strip=PLAIN_RIM / width)


def paint(paints: Any, *, size: int, labels: bool, cells: bool) -> Any:
    """Return the picture on top, `[h, w, 3]` uint8 in OpenCV's order BGR."""
    from scripts.pieces.board_picture import paint_board  # OpenCV is for pictures only

    return paint_board(paints, size, labels=labels, cells=cells)


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
