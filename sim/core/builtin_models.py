"""The built-in models of a scene file, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sim.core.meshes import (
    TABLE_SIZE,
    VASE,
    Mesh,
    board,
    bowl,
    box,
    capsule,
    cylinder,
    plane,
    ring,
    sphere,
    stone,
    text_block,
    turned,
)
from sim.core.piece_meshes import counter, cross, rack, torus


def _box_of(width: float, depth: float, height: float) -> Mesh:
    return box(width, depth, height, top=height / 2)


def _disc(radius: float) -> Mesh:
    return ring(radius / 2, radius)


BUILDERS: dict[str, Callable[[dict[str, Any]], Mesh]] = {
    "stone": lambda model: stone(),
    "box": lambda model: _box_of(*_sizes(model.get("size", 1.0), 3)),
    "sphere": lambda model: sphere(float(model.get("radius", 0.5))),
    "cylinder": lambda model: cylinder(
        float(model.get("radius", 0.5)), float(model.get("height", 1.0))
    ),
    "plane": lambda model: plane(*_sizes(model.get("size", 1.0), 2)),
    "ring": lambda model: ring(float(model.get("radius", 0.3)), float(model.get("width", 0.06))),
    "disc": lambda model: _disc(float(model.get("radius", 0.3))),
    "bar": lambda model: box(
        float(model.get("length", 1.0)), float(model.get("width", 0.1)),
        float(model.get("height", 0.1)), top=float(model.get("height", 0.1)),
    ),
    "bowl": lambda model: bowl(),
    "capsule": lambda model: capsule(
        float(model.get("radius", 0.5)), float(model.get("height", 2.0))
    ),
    "lathe": lambda model: turned(
        model.get("profile", VASE), sides=int(model.get("sides", 48)),
        smooth=bool(model.get("smooth", True)),
    ),
    "text": text_block,
    "table": lambda model: plane(*TABLE_SIZE),
    "goban": lambda model: board(int(model.get("size", 15))),
    "torus": lambda model: torus(float(model.get("radius", 0.3)), float(model.get("tube", 0.08))),
    "cross": lambda model: cross(float(model.get("radius", 0.38)), float(model.get("tube", 0.08))),
    "counter": lambda model: counter(
        float(model.get("radius", 0.45)), float(model.get("height", 0.2))
    ),
    "rack": lambda model: rack(int(model.get("columns", 7)), int(model.get("rows", 6))),
}  # fmt: skip


def _sizes(value: Any, count: int) -> tuple[float, ...]:
    """Return `count` lengths: those given, or one for all."""
    if isinstance(value, int | float):
        return (float(value),) * count
    lengths = tuple(float(item) for item in value)
    if len(lengths) != count:
        raise ValueError(f"size: expected a number or {count} of them, found {value!r}")
    return lengths
