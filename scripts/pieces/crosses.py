"""Meshes of crosses, the pieces of tic-tac-toe."""

from __future__ import annotations

import math

import numpy as np

from sim import Mesh, ModelKey, ModelKind


def cross(radius: float, tube: float) -> Mesh:
    """Return two crossed rods with round ends, lying on z = 0.

    Args:
        radius: metres from the middle to an end.
        tube: radius of a rod, metres.
    """
    angle = np.linspace(0.0, math.pi / 2, 9)
    cap = np.stack([tube * np.cos(angle), radius - tube + tube * np.sin(angle)], axis=1)
    profile = np.concatenate([cap[::-1] * (1, -1), cap]).astype(np.float32)
    rod = Mesh.lathe(profile, 24)
    mesh = Mesh()
    for sign in (1.0, -1.0):
        along = np.array([1.0, sign, 0.0]) / math.sqrt(2.0)
        across = np.array([-sign, 1.0, 0.0]) / math.sqrt(2.0)
        axes = np.stack([across, np.cross(along, across), along])  # of the rod's x, y, z
        mesh.join(rod, turn=axes, move=(0.0, 0.0, tube))
    return mesh


CROSS = ModelKind(
    mesh=cross,
    keys={"radius": ModelKey.length(0.38), "tube": ModelKey.length(0.08)},
    shadow=1.15,
)
