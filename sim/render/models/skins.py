"""Skins: the bones of a model's vertices, and the transforms that move them in a figure.

A model's file has Panda3D joints. A figure's vertices use plain transforms instead, one a bone,
each set to a matrix: poses are already computed, so no tree of joints is evaluated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from panda3d.core import (
    GeomNode,
    LMatrix4f,
    NodePath,
    PandaNode,
    TransformBlend,
    TransformBlendTable,
    UserVertexTransform,
)

from sim.core.assets.animation.poses import FloatArray, IntArray

Blend = tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Skin:
    """Skin of a model: its bones and vertex weights.

    Attributes:
        joints: `[B]` the rig's joint of each bone.
        binds: `[B, 4, 4]` bind matrices from the model's space to each bone's.
        tables: for each mesh in the order of the nodes: its distinct combinations of bones and
            weights.
    """

    joints: IntArray
    binds: FloatArray
    tables: tuple[tuple[Blend, ...], ...]

    def matrices(self, matrices: FloatArray) -> FloatArray:
        """Return the skinning matrices `[N, B, 4, 4]` of figures in poses `[N, J, 4, 4]`."""
        count, bones = len(matrices), len(self.joints)
        beside = matrices[:, self.joints].transpose(1, 2, 0, 3).reshape(bones, 4, 4 * count)
        found = (self.binds @ beside).reshape(bones, 4, count, 4)  # one product a bone, not a pose
        return found.transpose(2, 0, 1, 3)

    def hang(self, body: NodePath) -> list[UserVertexTransform]:
        """Attach a copy of the model to its own transforms; return those, `[B]`."""
        transforms = [UserVertexTransform(f"b{bone}") for bone in range(len(self.joints))]
        for (node, number), table in zip(bent_meshes(body), self.tables, strict=True):
            data = node.modify_geom(number).modify_vertex_data()
            made = TransformBlendTable(data.get_transform_blend_table())
            for row, blend in enumerate(table):
                made.set_blend(row, _blend_of(blend, transforms))
            data.set_transform_blend_table(made)
        return transforms


def read_skin(root: NodePath, joints: list[int]) -> Skin:
    """Read the skin of a model whose bones are named `b0`, `b1` and so on.

    Args:
        root: root node of the model; not changed.
        joints: the rig's joint of each bone.
    """
    body = root.copy_to(NodePath("read"))
    _put_bones_to_origin(body, len(joints))
    binds = np.tile(np.eye(4), (len(joints), 1, 1))
    tables = []
    for node, number in bent_meshes(body):
        table = node.get_geom(number).get_vertex_data().get_transform_blend_table()
        blends = []
        for row in range(table.get_num_blends()):
            blend, pulls = table.get_blend(row), []
            for which in range(blend.get_num_transforms()):
                transform, found = blend.get_transform(which), LMatrix4f()
                bone = int(transform.get_joint().get_name()[1:])
                transform.get_matrix(found)
                binds[bone] = [list(line) for line in found.get_rows()]
                pulls.append((bone, float(blend.get_weight(which))))
            blends.append(tuple(pulls))
        tables.append(tuple(blends))
    return Skin(np.array(joints, dtype=np.int64), binds, tuple(tables))


def bent_meshes(body: NodePath) -> list[tuple[GeomNode, int]]:
    """Return the skinned meshes of a model: the node, and the index of its geom."""
    return [
        (path.node(), number)
        for path in body.find_all_matches("**/+GeomNode")
        for number in range(path.node().get_num_geoms())
        if path.node().get_geom(number).get_vertex_data().get_transform_blend_table() is not None
    ]


def _put_bones_to_origin(body: NodePath, count: int) -> None:
    """Set each bone to the model's origin, so that Panda3D computes the bind matrix alone."""
    for character in body.find_all_matches("**/+Character"):
        bundle = character.node().get_bundle(0)
        for bone in range(count):
            bundle.control_joint(f"b{bone}", PandaNode("origin"))
        bundle.force_update()


def _blend_of(blend: Blend, transforms: list[UserVertexTransform]) -> TransformBlend:
    made = TransformBlend()
    for bone, weight in blend:
        made.add_transform(transforms[bone], weight)
    return made
