"""Moves models that lie far from their origin, where 32-bit numbers are too coarse for them."""

from __future__ import annotations

import numpy as np

from sim.core.assets.animation.poses import FloatArray
from sim.render.importing.model_data import MeshData, ModelData

FAR = 100_000.0
"""Metres from the origin at which neighbouring 32-bit numbers are 8 mm apart."""
NEAR = 1_000.0
"""Metres from the origin up to which a model always stays where it is."""
SHARE = 1_000.0
"""Sizes of a model that it may be away from the origin, beyond `NEAR`."""


def recentre(model: ModelData) -> None:
    """Move a model that is far from its origin there, and warn of it.

    Graphics cards compute in 32-bit numbers. Coordinates such as those of maps, millions of metres
    from their origin, would leave half a metre between neighbouring points.

    Args:
        model: the model, in its rest pose; changed.
    """
    rests = model.rig.rest_matrices
    spots = [(mesh, placed_in(mesh, rests)) for mesh in model.meshes if len(mesh.points)]
    if not spots:
        return
    low = np.min([points.min(axis=0) for _, points in spots], axis=0)
    high = np.max([points.max(axis=0) for _, points in spots], axis=0)
    middle = np.rint((low + high) / 2.0)
    away, size = float(np.linalg.norm(middle)), float(np.linalg.norm(high - low))
    if away <= max(NEAR, min(FAR, SHARE * size)) or away <= size:
        return
    back = np.eye(4)
    back[3, :3] = -middle
    if len(model.rig.joints) == 1 and not model.rig.clips:
        for mesh, _ in spots:
            mesh.place = mesh.place @ rests[0] @ back @ np.linalg.pinv(rests[0])
    else:
        model.move_root(-middle)
        for mesh, _ in spots:
            if mesh.skin is None:
                model.give_joint(mesh, NEAR)
    x, y, z = (f"{value:.0f}" for value in middle)
    model.warnings.append(
        f"its middle lay {away:.0f} m from its origin, too far for its shape: moved there by "
        f"({x}, {y}, {z})"
    )


def placed_in(mesh: MeshData, rests: FloatArray) -> FloatArray:
    """Return the points `[N, 3]` of a mesh in the model's space, in the rest pose.

    Args:
        mesh: the mesh.
        rests: `[J, 4, 4]` from each joint to the model's space.
    """
    matrix = mesh.place @ rests[mesh.joint]
    if mesh.skin is not None:
        bone = int(np.argmax(np.bincount(mesh.skin.bones.ravel(), mesh.skin.weights.ravel())))
        matrix = mesh.skin.binds[bone] @ rests[mesh.skin.joints[bone]]
    return np.asarray(mesh.points @ matrix[:3, :3] + matrix[3, :3])
