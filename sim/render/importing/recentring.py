"""Moves models that lie far from their origin, where 32-bit numbers are too coarse for them."""

from __future__ import annotations

from dataclasses import replace

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
        _move_root(model, middle)
        for mesh, _ in spots:
            _bring_near(model, mesh)
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


def _move_root(model: ModelData, middle: FloatArray) -> None:
    """Move the first joint, and with it all others, by `-middle` `[3]`, in all clips as well."""
    rig = model.rig
    positions = rig.rest.positions.copy()
    positions[0] -= middle
    model.rig = replace(rig, rest=replace(rig.rest, positions=positions))
    for clip in rig.clips.values():
        for column in np.flatnonzero(clip.joints == 0):
            clip.positions[:, column] -= middle


def _bring_near(model: ModelData, mesh: MeshData) -> None:
    """Give a mesh whose points are far from its joint a joint of its own, in their middle.

    Args:
        model: the model; its rig gets the joint.
        mesh: a mesh of it, without a skin.
    """
    points = mesh.points @ mesh.place[:3, :3] + mesh.place[3, :3]
    middle = np.rint((points.min(axis=0) + points.max(axis=0)) / 2.0)
    if mesh.skin is not None or np.linalg.norm(middle) <= NEAR:
        return
    rig, rest = model.rig, model.rig.rest
    number = len(rig.joints)
    model.rig = replace(
        rig,
        joints=(*rig.joints, f"{mesh.name}.{number}"),
        parents=np.append(rig.parents, mesh.joint),
        rest=replace(
            rest,
            positions=np.vstack([rest.positions, middle]),
            rotations=np.vstack([rest.rotations, [0.0, 0.0, 0.0, 1.0]]),
            scales=np.vstack([rest.scales, np.ones(3)]),
        ),
    )
    mesh.joint = number
    mesh.place = mesh.place.copy()
    mesh.place[3, :3] -= middle
