"""Stones, and the bowl that they are kept in."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from sim import Mesh, ModelKey, ModelKind, ModelLook, ModelPart, tr

RADIUS = 0.465
HEIGHT = 0.30
LOOKS = {
    "black": ModelLook((0.115, 0.118, 0.125), roughness=0.34, coat=0.6),
    "white": ModelLook((0.81, 0.795, 0.76), roughness=0.3, coat=0.55),
    "jet": ModelLook((0.02, 0.02, 0.02), roughness=0.6, coat=0.1),
    "chalk": ModelLook((0.97, 0.97, 0.97), roughness=0.6, coat=0.1),
}
SHADED = {0.92: 1.0, 0.78: 0.88, 0.6: 0.45}
"""How much light reaches each layer of stones in a bowl, 0 to 1.

The keys are the heights of the layers in metres.
"""
CONTACTS = ((0.487, 0.135, 0.30), (0.512, 0.115, 0.55), (0.54, 0.095, 0.80))
"""Thin rings around each stone in a bowl: radius, height, and share of light from 0 to 1.

They look like the shadow where a stone touches another, darkest at the line of contact.
"""
COLOR = ModelKey("black")
EDGE_UP_TO = 27.0  # degrees above the widest part that the ring around a stone reaches
EDGE_GAP = 0.012  # metres between a stone and the ring around it


def look_of(color: object, **look: Any) -> ModelLook:
    """Return the surface look of a stone, by its colour's name; `look` has no effect."""
    return LOOKS.get(str(color), ModelLook())


def stone(**look: Any) -> Mesh:
    """Return a stone: a superellipse turned around z, lying on z = 0."""
    return Mesh.lathe(_profile(-math.pi / 2, math.pi / 2, 25))


def _profile(low: float, high: float, count: int) -> Any:
    """Return radii and heights `[count, 2]` on a stone's surface, metres.

    Args:
        low: angle of the first one above the widest part, radians.
        high: angle of the last one.
        count: number of points.
    """
    angle = np.linspace(low, high, count)
    power = 2.0 / 2.35
    radius = RADIUS * np.abs(np.cos(angle)) ** power
    height = HEIGHT / 2 * np.sign(np.sin(angle)) * np.abs(np.sin(angle)) ** power
    return np.stack([radius, height + HEIGHT / 2], axis=1).astype(np.float32)


def ring(edge: tuple[float, float, float] | None, **look: Any) -> list[ModelPart]:
    """Return the ring around a stone's widest part, seen from above and from the side.

    Args:
        edge: its colour, sRGB; None for no ring.
        look: the other parameters of the stone.
    """
    if edge is None:
        return []
    profile = _profile(-math.radians(20.0), math.radians(EDGE_UP_TO), 9)
    mesh = Mesh.lathe(profile + np.array([EDGE_GAP, 0.0], np.float32))
    surface = ModelLook(edge, roughness=0.7)
    return [ModelPart(mesh, surface)]


def _edge(name: str, value: object) -> object:
    """Check the colour of a ring: three numbers from 0 to 1, or None."""
    if value is None:
        return None
    numbers = value if isinstance(value, list | tuple) else ()
    plain = [item for item in numbers if isinstance(item, int | float) and 0.0 <= item <= 1.0]
    if len(plain) != 3 or len(numbers) != 3:
        raise ValueError(f"{name}: expected red, green and blue from 0 to 1, found {value!r:.60}")
    return tuple(float(item) for item in plain)


def bowl(**look: Any) -> Mesh:
    """Return the mesh of a round wooden bowl that stands on z = 0."""
    profile = [
        (0.0, 0.0), (0.7, 0.0), (0.95, 0.06), (1.2, 0.32), (1.3, 0.62), (1.24, 0.9), (1.12, 1.02),
        (1.02, 1.03), (1.0, 0.98), (0.98, 0.82),
    ]  # fmt: skip
    return Mesh.lathe(profile, 56, smooth=True)


def heap(color: str) -> list[ModelPart]:
    """Return the stones in a bowl: lower layers are darker, and all have contact shadows.

    Args:
        color: "black" or "white".
    """
    rng = np.random.default_rng(5)
    places = [(0.04, -0.03, 0.92, 7.0, -8.0)]
    for count, radius, height in ((4, 0.535, 0.78), (7, 0.56, 0.6)):
        for index in range(count):
            angle = 2 * math.pi * (index + rng.uniform(-0.1, 0.1)) / count
            x, y = radius * math.cos(angle), radius * math.sin(angle)
            tilt = rng.uniform(-9.0, 9.0, 2)
            places.append((x, y, height, float(tilt[0]), float(tilt[1])))
    mesh, look = stone(), look_of(color)
    layers = [(mesh, 1.0)]
    layers += [
        (Mesh.lathe([(0.3, z - 0.03), (radius, z)], 32), share) for radius, z, share in CONTACTS
    ]
    return [
        ModelPart(
            part,
            shaded(look, share * SHADED[z]),
            position=(x, y, z - 0.02),
            rotation=(0.0, pitch, roll),
        )
        for x, y, z, pitch, roll in places
        for part, share in layers
    ]


def shaded(look: ModelLook, share: float) -> ModelLook:
    """Return a surface look darkened as if only `share` (0 to 1) of the light reached it."""
    red, green, blue = look.color
    return replace(look, color=(red * share, green * share, blue * share))


STONE_TITLE = tr("Stone")
"""What the studio's menus call the model."""
STONE = ModelKind(
    mesh=stone,
    keys={"color": COLOR, "edge": ModelKey(None, _edge)},
    look=look_of,
    parts=ring,
    shadow=1.5,
    starts={"color": "black"},
)
BOWL = ModelKind(
    mesh=bowl,
    keys={"color": COLOR},
    look=ModelLook((0.30, 0.155, 0.085), roughness=0.42, coat=0.4),
    parts=heap,
    shadow=4.3,
)
