"""The shapes of robots as objects with models."""

from __future__ import annotations

from typing import Any

import numpy as np

from base.values import JsonObject
from sim.core.assets.formats import suffix_of
from sim.core.geometry.rotations import FloatArray, rotation_of

FLOOR = 20.0  # metres a side of a plane without end
SLAB = 0.1  # metres of its thickness
DIGITS = 12


def shape_entry(mujoco: Any, model: Any, number: int, meshes: dict[str, str]) -> JsonObject | None:
    """Return the object of a shape, without its parent; None for kinds that have no model.

    Args:
        mujoco: the package.
        model: MuJoCo's, compiled.
        number: of the shape.
        meshes: the path in the project of each mesh, by its name.
    """
    kinds = mujoco.mjtGeom
    kind, size = int(model.geom_type[number]), [float(item) for item in model.geom_size[number]]
    point, turned = model.geom_pos[number].copy(), rows_of(model.geom_quat[number])
    scale = [1.0, 1.0, 1.0]
    if kind == kinds.mjGEOM_BOX:
        made: JsonObject = {"builtin": "box", "size": [2.0 * item for item in size]}
    elif kind == kinds.mjGEOM_SPHERE:
        made = {"builtin": "sphere", "radius": size[0]}
    elif kind == kinds.mjGEOM_ELLIPSOID:
        made, scale = {"builtin": "sphere", "radius": 1.0}, size
    elif kind == kinds.mjGEOM_CAPSULE:
        made = {"builtin": "capsule", "radius": size[0], "height": 2.0 * (size[0] + size[1])}
    elif kind == kinds.mjGEOM_CYLINDER:
        made = {"builtin": "cylinder", "radius": size[0], "height": 2.0 * size[1]}
        made["origin"] = "center"
    elif kind == kinds.mjGEOM_PLANE:
        sides = [2.0 * item if item > 0.0 else FLOOR for item in size[:2]]
        made = {"builtin": "box", "size": [*sides, SLAB]}
        point = point + np.array([0.0, 0.0, -SLAB / 2.0]) @ turned
    elif kind == kinds.mjGEOM_MESH:
        mesh = int(model.geom_dataid[number])
        path = meshes.get(model.mesh(mesh).name)
        if path is None:
            return None
        point, turned, scale = _of_file(model, mesh, point, turned, path)
        made = {"asset": path}
    else:
        return None
    return {
        "name": model.geom(number).name or _title(made),
        "position": _plain(point), "rotation": _plain(rotation_of(turned)),
        "scale": _plain(np.array(scale)), "model": made, "material": _material(model, number),
    }  # fmt: skip


def _of_file(
    model: Any, mesh: int, point: FloatArray, turned: FloatArray, path: str
) -> tuple[FloatArray, FloatArray, list[float]]:
    """Return where a mesh's file lies, which MuJoCo has moved to its middle."""
    turned = rows_of(model.mesh_quat[mesh]).T @ turned
    point = point - model.mesh_pos[mesh] @ turned
    scale = [float(item) for item in model.mesh_scale[mesh]]
    if suffix_of(path) == ".obj":  # the scene reads them with y up
        up = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
        turned, scale = up @ turned, [scale[0], scale[2], scale[1]]
    return point, turned, scale


def _title(model: JsonObject) -> str:
    return str(model.get("builtin") or model["asset"].rpartition("/")[2].partition(".")[0])


def _material(model: Any, number: int) -> JsonObject:
    material = int(model.geom_matid[number])
    rgba = model.mat_rgba[material] if material >= 0 else model.geom_rgba[number]
    color = [round(float(item), 4) for item in rgba[:3]]
    found: JsonObject = {"color": color}
    if float(rgba[3]) < 1.0:
        found["opacity"] = round(float(rgba[3]), 4)
    return found


def rows_of(quaternion: FloatArray) -> FloatArray:
    """Return the rotation matrix `[3, 3]`, for row vectors, of a quaternion (w, x, y, z)."""
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
            [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
            [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def _plain(values: FloatArray) -> list[float]:
    return [round(float(item), DIGITS) + 0.0 for item in values]


__all__ = ["rows_of", "shape_entry"]
