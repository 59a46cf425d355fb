"""Meshes for Connect Four: discs and the rack; also flat marks for other boards."""

from __future__ import annotations

import math

import numpy as np

from sim import Mesh, ModelKey, ModelKind, ModelLook

MOST_CELLS = 64  # a side of a rack


def disc(radius: float) -> Mesh:
    """Return a flat disc on z = 0, seen from above."""
    return Mesh.ring(radius / 2, radius)


def counter(radius: float, height: float) -> Mesh:
    """Return a flat round piece with a raised rim and rounded edges, around the origin."""
    half, dip, rim = height / 2, height * 0.16, radius * 0.72
    edge = [
        (rim - 0.06 * radius, half - dip),
        (rim, half - dip),
        (rim + 0.05 * radius, half),
        (radius * 0.93, half),
        (radius * 0.985, half * 0.75),
        (radius, half * 0.4),
    ]
    top = [(0.0, half - dip), *edge]
    profile = [(r, -z) for r, z in top] + [(r, z) for r, z in reversed(top)]
    return Mesh.lathe(profile, 56, smooth=True)


def rack(columns: int, rows: int, *, hole: float = 0.4, depth: float = 0.36) -> Mesh:
    """Return an upright plate in the x-z plane with a round hole in each cell.

    Cells are 1 x 1 metre.

    Args:
        columns: number of columns of holes.
        rows: number of rows of holes.
        hole: radius of a hole, metres.
        depth: depth of the plate along y, metres.
    """
    steps = 32
    angle = np.linspace(0.0, 2 * math.pi, steps + 1)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)  # counter-clockwise, seen from -y
    square = circle / np.abs(circle).max(axis=1, keepdims=True)  # of the cell, side 2
    first = np.arange(steps)
    quads = np.stack([first, first + steps + 1, first + steps + 2, first + 1], axis=1)
    mesh, y = Mesh(), depth / 2
    flat = np.zeros((2 * (steps + 1), 2))
    for row in range(rows):
        for column in range(columns):
            middle = np.array([column - (columns - 1) / 2.0, row - (rows - 1) / 2.0])
            face = np.concatenate([middle + circle * hole, middle + square * 0.5])  # x, z
            for side in (-1.0, 1.0):
                points = np.stack([face[:, 0], np.full(len(face), side * y), face[:, 1]], axis=1)
                normals = np.tile([0.0, side, 0.0], (len(face), 1))
                mesh.add_quads(points, normals, flat, quads if side < 0 else quads[:, ::-1])
            rim = middle + circle * hole
            wall = np.stack(
                [np.tile(rim[:, 0], 2), np.repeat([-y, y], steps + 1), np.tile(rim[:, 1], 2)],
                axis=1,
            )
            inward = np.tile(np.stack([-circle[:, 0], 0 * angle, -circle[:, 1]], axis=1), (2, 1))
            mesh.add_quads(wall, inward, flat, quads[:, ::-1])
    _add_border(mesh, columns, rows, depth)
    return mesh


def _add_border(mesh: Mesh, columns: int, rows: int, depth: float) -> None:
    """Add the frame of a rack: a post on a foot at either side, and a sill below."""
    across, up = columns / 2.0, rows / 2.0
    post, sill, foot = 0.34, 0.34, 0.22
    seam = 0.01  # parts reach into each other, so that no light falls between them
    for middle, width, deep, high, top in (
        ((seam - across - post / 2, 0.0), post, depth + 0.4, rows + sill + foot, up + 0.12),
        ((across + post / 2 - seam, 0.0), post, depth + 0.4, rows + sill + foot, up + 0.12),
        ((0.0, 0.0), columns, depth, sill + seam, seam - up),
        ((-across - post / 2, 0.0), 0.62, 2.6, foot, -up - sill - foot + 0.22),
        ((across + post / 2, 0.0), 0.62, 2.6, foot, -up - sill - foot + 0.22),
    ):
        mesh.join(Mesh.box(width, deep, high, top=top), move=(*middle, 0.0))


DISC = ModelKind(mesh=disc, keys={"radius": ModelKey.length(0.3)})
COUNTER = ModelKind(
    mesh=counter,
    keys={"radius": ModelKey.length(0.45), "height": ModelKey.length(0.2)},
    look=ModelLook((0.85, 0.16, 0.12), roughness=0.36, coat=0.35),
)
RACK = ModelKind(
    mesh=rack,
    keys={
        "columns": ModelKey.count(7, most=MOST_CELLS),
        "rows": ModelKey.count(6, most=MOST_CELLS),
    },
    look=ModelLook((0.09, 0.24, 0.66), roughness=0.34, coat=0.35),
)
