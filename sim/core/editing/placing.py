"""Computes transforms and sibling order when an object moves to another place in the tree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from sim.core.geometry.rotations import FloatArray, is_flat, local_matrices, signed_scale
from sim.core.scene.object_state import Vector, vector
from sim.core.scene.scene import SceneObject

DIGITS = 12
CLOSE = 1e-12


def local_below(obj: SceneObject, parent: SceneObject | None) -> dict[str, Vector]:
    """Return the transform that an object needs below a new parent to stay in place in the world.

    If the parent is rotated and unevenly scaled, the exact transform may need shear, which cannot
    be stored. The result is then the nearest transform without shear.

    Args:
        obj: the object.
        parent: its new parent; None for none.

    Returns:
        The vectors `position`, `rotation` and `scale`.

    Raises:
        ValueError: the parent's scale is zero.
    """
    return local_vectors(obj, parent, np.asarray(obj.transform.world_matrix, dtype=np.float64))


def local_vectors(
    obj: SceneObject, parent: SceneObject | None, world: FloatArray
) -> dict[str, Vector]:
    """Return the transform relative to a parent that gives an object a certain world matrix.

    Args:
        obj: the object; angles and signs of its present transform are kept where possible.
        parent: the parent; None for none.
        world: world matrix `[4, 4]`.

    Returns:
        The vectors `position`, `rotation` and `scale`.

    Raises:
        ValueError: the parent's scale is zero.
    """
    old = {key: vector(getattr(obj.transform, key)) for key in ("position", "rotation", "scale")}
    return _fitted(old, np.asarray(obj.transform.matrix, dtype=np.float64), parent, world)


def placed_below(place: Mapping[str, Vector], parent: SceneObject | None) -> dict[str, Vector]:
    """Return the transform relative to a parent that has a certain place in the world.

    Args:
        place: `position`, `rotation` and `scale` in the world.
        parent: the parent; None for none.

    Raises:
        ValueError: the parent's scale is zero.
    """
    rows = (np.asarray([place[key]]) for key in ("position", "rotation", "scale"))
    [world] = local_matrices(*rows)
    return _fitted(dict(place), world, parent, world)


def _fitted(
    old: dict[str, Vector], now: FloatArray, parent: SceneObject | None, world: FloatArray
) -> dict[str, Vector]:
    """Return the transform relative to a parent that gives a certain world matrix.

    Args:
        old: vectors whose angles and signs are kept where possible.
        now: their matrix `[4, 4]`.
        parent: the parent; None for none.
        world: world matrix `[4, 4]`.
    """
    above = np.eye(4) if parent is None else np.asarray(parent.transform.world_matrix)
    if is_flat(above):
        raise ValueError("a parent whose scale is not 0")
    local = world @ np.linalg.inv(above)
    if np.allclose(local, now, rtol=CLOSE, atol=CLOSE):
        return old
    position = _tidy(local[3, :3])
    found = signed_scale(local, np.asarray(old["scale"]))
    if not found.all():
        return {**old, "position": position}
    scale = _tidy(found)
    rotation = _tidy(_angles(local[:3, :3] / found[:, None]))
    kept = {"rotation": rotation, "scale": scale}
    for key in kept:  # keep 360 degrees if the rotation is equal
        if _is_same_turn({**kept, key: old[key]}, kept):
            kept[key] = old[key]
    return {"position": position, **kept}


def _is_same_turn(one: dict[str, Vector], other: dict[str, Vector]) -> bool:
    first, second = (
        local_matrices(
            np.zeros((1, 3)), np.asarray([item["rotation"]]), np.asarray([item["scale"]])
        )
        for item in (one, other)
    )
    return bool(np.allclose(first, second, rtol=CLOSE, atol=CLOSE))


def _angles(rows: FloatArray) -> FloatArray:
    """Return heading, pitch and roll in degrees of a rotation matrix `[3, 3]`."""
    pitch = math.asin(max(-1.0, min(1.0, float(rows[1, 2]))))
    if math.cos(pitch) > 1e-7:
        heading = math.atan2(-rows[1, 0], rows[1, 1])
        roll = math.atan2(-rows[0, 2], rows[2, 2])
    else:  # straight up or down: heading and roll are the same rotation
        heading, roll = math.atan2(rows[0, 1], rows[0, 0]), 0.0
    return np.degrees([heading, pitch, roll])


def _tidy(values: FloatArray) -> Vector:
    """Round to 12 significant digits, which removes floating-point errors."""
    largest = max(1e-9, float(np.abs(values).max()))
    x, y, z = (
        0.0 if abs(value) < largest * CLOSE else float(f"{value:.{DIGITS}g}") for value in values
    )
    return (x, y, z)


def order_at(siblings: Sequence[SceneObject], index: int) -> float | None:
    """Return a sort key (`order`) that puts a new object at `index` among its siblings.

    Args:
        siblings: the siblings, sorted by `order`.
        index: index of the new object.

    Returns:
        The key; None if no floating-point number lies between the neighbours' keys.
    """
    try:
        before = float(siblings[index - 1].order) if index > 0 else None
        after = float(siblings[index].order) if index < len(siblings) else None
    except OverflowError:
        return None
    if before is None and after is None:
        return 0.0
    if before is None and after is not None:
        made, is_room = after - 1.0, after - 1.0 < after
    elif before is not None and after is None:
        made, is_room = before + 1.0, before < before + 1.0
    else:
        low, high = before or 0.0, after or 0.0
        made = low + (high - low) / 2.0
        is_room = low < made < high
    return made if is_room and math.isfinite(made) else None
