"""The built-in models of a scene file, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sim.core.geometry.meshes import (
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
from sim.core.geometry.piece_meshes import counter, cross, rack, torus

LONGEST = 1e6  # metres
MOST_POINTS = 64  # a side of a board: the lines of more are finer than its picture's pixels
MOST_CELLS = 64  # a side of a rack
MOST_PAIRS = 1000  # of a profile


def _box_of(width: float, depth: float, height: float) -> Mesh:
    return box(width, depth, height, top=height / 2)


def _disc(radius: float) -> Mesh:
    return ring(radius / 2, radius)


BUILDERS: dict[str, Callable[[dict[str, Any]], Mesh]] = {
    "stone": lambda model: stone(),
    "box": lambda model: _box_of(*_sizes(model.get("size", 1.0), 3)),
    "sphere": lambda model: sphere(_length(model, "radius", 0.5)),
    "cylinder": lambda model: cylinder(
        _length(model, "radius", 0.5), _length(model, "height", 1.0)
    ),
    "plane": lambda model: plane(*_sizes(model.get("size", 1.0), 2)),
    "ring": lambda model: ring(_length(model, "radius", 0.3), _length(model, "width", 0.06)),
    "disc": lambda model: _disc(_length(model, "radius", 0.3)),
    "bar": lambda model: box(
        _length(model, "length", 1.0), _length(model, "width", 0.1),
        _length(model, "height", 0.1), top=_length(model, "height", 0.1),
    ),
    "bowl": lambda model: bowl(),
    "capsule": lambda model: capsule(
        _length(model, "radius", 0.5), _length(model, "height", 2.0)
    ),
    "lathe": lambda model: turned(
        _profile(model.get("profile", VASE)), sides=int(model.get("sides", 48)),
        smooth=bool(model.get("smooth", True)),
    ),
    "text": text_block,
    "table": lambda model: plane(*TABLE_SIZE),
    "goban": lambda model: board(_count(model, "size", 15, MOST_POINTS)),
    "torus": lambda model: torus(_length(model, "radius", 0.3), _length(model, "tube", 0.08)),
    "cross": lambda model: cross(_length(model, "radius", 0.38), _length(model, "tube", 0.08)),
    "counter": lambda model: counter(
        _length(model, "radius", 0.45), _length(model, "height", 0.2)
    ),
    "rack": lambda model: rack(
        _count(model, "columns", 7, MOST_CELLS), _count(model, "rows", 6, MOST_CELLS)
    ),
}  # fmt: skip


def _length(model: dict[str, Any], key: str, usual: float) -> float:
    """Return a length, metres.

    Raises:
        ValueError: it is none, or longer than `LONGEST`.
    """
    return _checked_length(key, model.get(key, usual))


def _checked_length(key: str, value: Any) -> float:
    if not isinstance(value, int | float) or not abs(value) <= LONGEST:
        raise ValueError(f"{key}: expected a number up to {LONGEST:g}, found {value!r:.80}")
    return float(value)


def _count(model: dict[str, Any], key: str, usual: int, most: int) -> int:
    """Return how many there are of something, from 1 to `most`.

    Raises:
        ValueError: it is no such number.
    """
    value = model.get(key, usual)
    if not isinstance(value, int | float) or not 1 <= value <= most or value != int(value):
        raise ValueError(f"{key}: expected a whole number from 1 to {most}, found {value!r:.80}")
    return int(value)


def _profile(value: Any) -> Any:
    if hasattr(value, "__len__") and len(value) > MOST_PAIRS:
        raise ValueError(f"profile: expected at most {MOST_PAIRS} pairs, found {len(value)}")
    return value


def _sizes(value: Any, count: int) -> tuple[float, ...]:
    """Return `count` lengths: those given, or one for all."""
    if isinstance(value, int | float):
        return (_checked_length("size", value),) * count
    if not isinstance(value, list | tuple) or len(value) != count:
        raise ValueError(f"size: expected a number or {count} of them, found {value!r:.80}")
    return tuple(_checked_length("size", item) for item in value)
