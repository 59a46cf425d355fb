"""Models from files: Panda3D nodes that follow the poses of `sim.core.assets.animation`.

The model's cached file has Panda3D joints. An object's copy of it has one plain transform for each
bone instead. A pose sets the matrices of these transforms. Poses are computed beforehand, so
Panda3D evaluates no tree of joints.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from panda3d.core import (
    CharacterJointBundle,
    CullFaceAttrib,
    Filename,
    GeomNode,
    LMatrix4f,
    Loader,
    LoaderOptions,
    NodePath,
    OmniBoundingVolume,
    PandaNode,
    Texture,
    TransformBlend,
    TransformBlendTable,
    TransparencyAttrib,
    UserVertexTransform,
)

from base.values import JsonObject
from sim.core.assets.animation.animation import Animation
from sim.core.assets.animation.batch import PoseBatch
from sim.core.assets.animation.poses import FloatArray, IntArray
from sim.core.assets.assets import MODEL_NAME, Asset, AssetError, AssetState
from sim.core.geometry.builtin_models import FLAT
from sim.core.geometry.rotations import are_mirrored, is_mirrored
from sim.render.materials.dressing import MAP_NAMES, Paint
from sim.render.materials.surface import POINT_TAG, TEXTURE_KEYS, Surface
from sim.render.models.models import panda_matrices
from sim.render.models.points import draw_points, points_shader

if TYPE_CHECKING:
    from sim.core.scene.scene import Scene, SceneObject


Blend = tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class FigureSkin:
    """Skin of a model: its bones and vertex weights.

    Attributes:
        joints: `[B]` the rig's joint index of each bone.
        binds: `[B, 4, 4]` inverse bind matrices: from the model's space to the bone's space.
        tables: for each mesh, in the order of the nodes, its distinct combinations of bones and
            weights.
    """

    joints: IntArray
    binds: FloatArray
    tables: tuple[tuple[Blend, ...], ...]

    def matrices(self, matrices: FloatArray) -> FloatArray:
        """Return the skinning matrix of each bone `[N, B, 4, 4]`.

        Args:
            matrices: `[N, J, 4, 4]` poses of N figures: from each joint to the model's space.
        """
        count, bones = len(matrices), len(self.joints)
        beside = matrices[:, self.joints].transpose(1, 2, 0, 3).reshape(bones, 4, 4 * count)
        found = (self.binds @ beside).reshape(bones, 4, count, 4)  # one product a bone, not a pose
        return found.transpose(2, 0, 1, 3)

    def hang(self, body: NodePath) -> list[UserVertexTransform]:
        """Connect the skinned meshes of a model's copy to new transforms, one for each bone.

        Whoever sets the matrices of these transforms later moves the vertices of this copy only.

        Args:
            body: root node of the copy; changed.

        Returns:
            The transforms, in the order of the bones.
        """
        transforms = [UserVertexTransform(f"b{bone}") for bone in range(len(self.joints))]
        for (node, number), table in zip(bent_meshes(body), self.tables, strict=True):
            data = node.modify_geom(number).modify_vertex_data()
            made = TransformBlendTable(data.get_transform_blend_table())
            for row, blend in enumerate(table):
                made.set_blend(row, _blend_of(blend, transforms))
            data.set_transform_blend_table(made)
        return transforms


def read_skin(root: NodePath, joints: list[int]) -> FigureSkin:
    """Read the skin of a model whose bones are named `b0`, `b1` and so on.

    Args:
        root: root node of the model; not changed.
        joints: the rig's joint index of each bone.
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
    return FigureSkin(np.array(joints, dtype=np.int64), binds, tuple(tables))


def bent_meshes(body: NodePath) -> list[tuple[GeomNode, int]]:
    """Return the skinned meshes below a model's root node.

    Returns:
        For each mesh the Panda3D node that holds it, and its index among the meshes of that node.
    """
    return [
        (path.node(), number)
        for path in body.find_all_matches("**/+GeomNode")
        for number in range(path.node().get_num_geoms())
        if path.node().get_geom(number).get_vertex_data().get_transform_blend_table() is not None
    ]


def _put_bones_to_origin(body: NodePath, count: int) -> None:
    """Move each bone to the model's origin.

    Its skinning matrix, from rest to present pose, is then its inverse bind matrix alone.

    Args:
        body: the model; changed.
        count: number of bones.
    """
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


PLACE = 20.0  # metres: so wide a model is a place with things in it, and casts no soft shadow
BOX_SECONDS = 0.25  # of loading, after which a box stands for a model
LINEAR = 2.2  # the exponent of the shader's sRGB


@dataclass(frozen=True)
class FigureSource:
    """A model read from the cache; each object that shows it gets a copy.

    Attributes:
        root: root node.
        skin: bones and vertex weights.
    """

    root: NodePath
    skin: FigureSkin


def read_figure(folder: Path) -> FigureSource:
    """Read the nodes of a cached model; called in a thread of the asset library.

    Args:
        folder: the model's folder in the cache.

    Raises:
        AssetError: the cached file is invalid.
    """
    path = Filename.from_os_specific(os.fsencode(folder / MODEL_NAME))
    # unlike `BamFile`, the loader lets Python go on meanwhile: a large model takes many frames
    node = Loader.get_global_ptr().load_sync(path, LoaderOptions(LoaderOptions.LF_no_cache))
    if node is None:
        raise AssetError(f"expected a model in the cache, found none in {folder}")
    root = NodePath(node)
    character = root.find("**/+Character")
    joints = [] if character.is_empty() else json.loads(character.get_tag("joints"))
    return FigureSource(root, read_skin(root, joints))


class Figure:
    """One object's copy of a model file.

    Attributes:
        node: root node of the copy.
        source: the model of which it is a copy.
        revision: number of the pose that is shown; -1 before the first.
        bones: one transform for each bone; they move the skinned vertices.
        benders: for each of `bones` the function that sets its matrix.
        is_cloud: whether all of it is drawn as points.
        carriers: for each part that moves rigidly with a joint, the joint's index and the function
            that sets the part's matrix.
        sides: which joints and bones turn the sides of the parts.
    """

    def __init__(
        self,
        source: FigureSource,
        blank: Texture,
        material: JsonObject,
        cover: Texture | None = None,
    ) -> None:
        self.node = NodePath("object")
        self.source = source
        self.revision = -1
        body = source.root.copy_to(self.node)
        self.bones = source.skin.hang(body)
        self.benders = [bone.set_matrix for bone in self.bones]
        parts = body.find_all_matches("**/=joint")
        self.carriers = [(int(part.get_tag("joint")), part.set_mat) for part in parts]
        self.sides = FigureSides(body, parts)
        self._sliders: list[tuple[int, CharacterJointBundle]] = []
        for character in body.find_all_matches("**/+Character"):
            self._adopt(character)
        parts = list(body.find_all_matches("**/+GeomNode"))
        glass = [part for part in parts if part.has_tag(POINT_TAG)]
        self.is_cloud = len(glass) == len(parts) > 0
        for part in glass:
            apply_cloud(part, material)
        solid = [part for part in parts if part not in glass]
        glass += [part for part in solid if apply_material(part, blank, material, cover)]
        if glass:
            self.node.set_transparency(TransparencyAttrib.M_alpha)
            self.node.set_bin("transparent", 10)
            for part in parts:
                if part not in glass:  # and so is drawn before the glass, and hides what is behind
                    part.set_transparency(TransparencyAttrib.M_none)
                    part.set_bin("opaque", 0)

    def _adopt(self, character: NodePath) -> None:
        node = character.node()
        node.set_bounds(OmniBoundingVolume())  # where it is drawn is where its joints are
        node.set_final(True)
        for slider in json.loads(character.get_tag("sliders")):
            self._sliders.append((int(slider), node.get_bundle(0)))

    def footprint(self) -> float:
        """Return the larger side of the model's bounding box seen from above, in metres.

        It is at least 0.05, and 1 for a model without triangles. It is 0 for a flat model, such as
        a floor, and for one that is a whole place.
        """
        bounds = self.node.get_tight_bounds()
        if not bounds:
            return 1.0
        across = bounds[1] - bounds[0]
        wide, height = max(0.05, float(across[0]), float(across[1])), float(across[2])
        return 0.0 if height < FLAT * wide or wide > PLACE else wide

    def pose(self, matrices: FloatArray, weights: FloatArray) -> None:
        """Apply a pose.

        Args:
            matrices: `[J, 4, 4]` from each joint to the model's space.
            weights: `[S]` of the blend shapes.
        """
        pose_figures([self], matrices[None], weights[None])

    def bend(self, weights: FloatArray) -> None:
        """Set the weights of the blend shapes.

        Args:
            weights: `[S]` weight of each slider.
        """
        for slider, bundle in self._sliders:  # Panda3D lets a node control joints only
            bundle.freeze_joint(f"s{slider}", float(weights[slider]))
        for bundle in {id(bundle): bundle for _, bundle in self._sliders}.values():
            bundle.force_update()


def pose_figures(figures: Sequence[Figure], matrices: FloatArray, weights: FloatArray) -> None:
    """Apply poses to several figures that are copies of the same model.

    Args:
        figures: N figures, at least one.
        matrices: `[N, J, 4, 4]` from each joint to the model's space.
        weights: `[N, S]` weight of each blend-shape slider.
    """
    skinned = figures[0].source.skin.matrices(matrices)
    _turn_figures(figures, matrices, skinned)
    bent = panda_matrices(skinned.reshape(-1, 4, 4))
    benders = chain.from_iterable(figure.benders for figure in figures)
    for bend, matrix in zip(benders, bent, strict=True):
        bend(matrix)
    if figures[0].carriers:
        places, joints = panda_matrices(matrices.reshape(-1, 4, 4)), matrices.shape[1]
        for number, figure in enumerate(figures):
            for joint, put in figure.carriers:
                put(places[number * joints + joint])
    if weights.shape[1]:
        for figure, shares in zip(figures, weights, strict=True):
            figure.bend(shares)


def _turn_figures(figures: Sequence[Figure], matrices: FloatArray, skinned: FloatArray) -> None:
    """Draw the right sides of the parts of figures whose joints mirror them, or no longer do.

    Args:
        figures: N figures.
        matrices: `[N, J, 4, 4]` from each joint to the model's space.
        skinned: `[N, B, 4, 4]` from the rest pose to the present pose, of each bone.
    """
    sides = figures[0].sides
    turned = np.concatenate(
        [
            are_mirrored(matrices[:, sides.joints]) != sides.baked,
            are_mirrored(skinned[:, sides.bones]),
        ],
        axis=1,
    )
    if not (turned.any() or any(figure.sides.is_any_turned for figure in figures)):
        return
    rows: list[bool] = np.any(turned, axis=1).tolist()
    for figure, flags, is_any in zip(figures, turned, rows, strict=True):
        if is_any or figure.sides.is_any_turned:
            figure.sides.turn(flags)


class FigureSides:
    """Which sides of a figure's triangles are drawn; a joint that mirrors turns those it carries.

    Attributes:
        joints: `[P]` joint of each part that moves rigidly.
        baked: `[P]` whether the joint mirrors in the rest pose, for which the file was made.
        bones: `[M]` a bone of each mesh that bones bend.
        turned: `[P + M]` whether the sides of each part are turned now.
        is_any_turned: whether those of some part are.
    """

    def __init__(self, body: NodePath, parts: Sequence[NodePath]) -> None:
        meshes = body.find_all_matches("**/=bone")
        self._nodes = [*parts, *meshes]
        self.joints = np.array([int(part.get_tag("joint")) for part in parts], dtype=np.int64)
        self.bones = np.array([int(mesh.get_tag("bone")) for mesh in meshes], dtype=np.int64)
        places = [np.array([list(row) for row in part.get_mat().get_rows()]) for part in parts]
        self.baked = np.array([is_mirrored(place) for place in places], dtype=bool)
        self.turned = np.zeros(len(self._nodes), dtype=bool)
        self.is_any_turned = False

    def turn(self, turned: npt.NDArray[np.bool_]) -> None:
        """Set which parts have their sides turned, `[P + M]`."""
        for number in np.flatnonzero(turned != self.turned).tolist():
            turn_sides(self._nodes[number], is_turned=bool(turned[number]))
        self.turned = turned
        self.is_any_turned = bool(turned.any())


def turn_sides(node: NodePath, *, is_turned: bool) -> None:
    """Set which sides of the triangles below a node are drawn.

    Args:
        node: the node.
        is_turned: whether the node's place mirrors, so that the corners run the other way.
    """
    known = node.get_attrib(CullFaceAttrib)
    if known is not None and known.get_actual_mode() == CullFaceAttrib.M_cull_none:
        return  # both sides are drawn
    if is_turned:
        node.set_attrib(CullFaceAttrib.make_reverse())
    else:
        node.clear_attrib(CullFaceAttrib)


class Figures:
    """Creates the figures of a scene and applies their poses.

    Args:
        scene: the scene whose objects show the figures.
        blank: white texture for materials without one.
    """

    def __init__(self, scene: Scene, blank: Texture) -> None:
        self._scene = scene
        self._blank = blank
        self._waiting: dict[str, Waiting] = {}
        if scene.animator.library is not None:
            scene.animator.library.read_content = read_figure

    def make(
        self, obj: SceneObject, material: JsonObject, cover: Texture | None = None
    ) -> Figure | None:
        """Create an object's figure in its present pose.

        Args:
            obj: an object whose model is a file.
            material: values that override those of the model's file.
            cover: texture that replaces the textures of the file; None to keep them.

        Returns:
            None while the model is loading.

        Raises:
            AssetError: loading the model failed.
        """
        library = self._scene.animator.library
        if library is None:
            raise AssetError("expected a scene with a library of models, found none")
        asset = library.get(str((obj.model or {}).get("asset")))
        if asset.error:
            raise AssetError(asset.error)
        if not isinstance(asset.content, FigureSource) or asset.rig is None:
            known = self._waiting.get(obj.id)
            if known is None or known.asset is not asset:
                self._waiting[obj.id] = Waiting(asset, time.perf_counter())
            return None
        self._waiting.pop(obj.id, None)
        figure = Figure(asset.content, self._blank, material, cover)
        figure.pose(asset.rig.rest_matrices, asset.rig.rest.sliders)
        self.follow({obj.id: figure})
        return figure

    def follow(self, figures: Mapping[str, Figure]) -> set[str]:
        """Apply the present poses of objects to their figures.

        Args:
            figures: figures by the ids of their objects.

        Returns:
            Ids of the objects whose pose has changed.
        """
        known, changed = self._scene.animator.known, set()
        posed: dict[tuple[int, int], list[tuple[Figure, Animation]]] = {}
        for object_id, figure in figures.items():
            animation = known(object_id)
            if animation is None or animation.revision == figure.revision:
                continue
            if animation.is_ready:
                figure.revision = animation.revision
                changed.add(object_id)
                key = (id(animation.batch), id(figure.source))
                posed.setdefault(key, []).append((figure, animation))
        for pairs in posed.values():
            batch: PoseBatch = pairs[0][1].batch
            matrices, weights = batch.chosen([animation.number for _, animation in pairs])
            pose_figures([figure for figure, _ in pairs], matrices, weights)
        return changed

    def is_playing(self, object_id: str) -> bool:
        """Return whether an object's pose is still changing."""
        animation = self._scene.animator.known(object_id)
        return animation is not None and animation.is_playing

    def is_waiting(self, object_id: str) -> bool:
        """Return whether an object's model is loading."""
        return object_id in self._waiting

    def is_late(self, object_id: str) -> bool:
        """Return whether an object has waited so long that a placeholder box should be shown."""
        waiting = self._waiting.get(object_id)
        return waiting is not None and waiting.is_late

    def arrived(self) -> set[str]:
        """Return the ids of objects whose node must be rebuilt.

        These are objects whose model has finished loading or failed, objects that are gone, and
        objects that are due for a placeholder.
        """
        found: set[str] = set()
        for key, waiting in list(self._waiting.items()):
            if waiting.asset.state is not AssetState.LOADING or self._scene.get(key) is None:
                del self._waiting[key]
                found.add(key)
            elif not waiting.is_late and time.perf_counter() - waiting.since > BOX_SECONDS:
                waiting.is_late = True
                found.add(key)
        return found


@dataclass
class Waiting:
    """An object whose model is loading.

    Attributes:
        asset: the model.
        since: when waiting began, seconds of `time.perf_counter`.
        is_late: whether a placeholder is shown.
    """

    asset: Asset
    since: float
    is_late: bool = False


def apply_cloud(part: NodePath, material: JsonObject) -> None:
    """Let a mesh of a file be drawn as points.

    Args:
        part: node of the mesh; its tag `POINT_TAG` tells their size.
        material: values that override those of the file; its colour replaces all of the points'.
    """
    size = float(part.get_tag(POINT_TAG))
    draw_points(part, points_shader(), size, is_glow=False, is_scaled=True)
    if "color" in material:
        opacity = float(material.get("opacity", 1.0))
        part.set_color(*map(float, material["color"][:3]), opacity)


def apply_material(
    part: NodePath, blank: Texture, material: JsonObject, cover: Texture | None = None
) -> bool:
    """Apply an object's material to a mesh of a file; return whether it is transparent.

    Args:
        part: node of the mesh; its tag `surface` holds the file's own material.
        blank: white texture for a mesh without one.
        material: values that override the file's.
        cover: texture that replaces the file's; None to keep it.
    """
    look = Surface.of_tag(part.get_tag("surface"))
    stages = {key: part.find_texture_stage(key) for key in TEXTURE_KEYS}
    found = {key: part.get_texture(stage) for key, stage in stages.items() if stage is not None}
    picture = found.get("picture") if cover is None else cover
    color = np.asarray(look.color, dtype=np.float64)
    if "color" in material:
        color = np.asarray(material["color"], dtype=np.float64)[:3] ** LINEAR
    opacity = look.opacity * float(material.get("opacity", 1.0))
    is_cut = look.is_cut and picture is not None
    paint = Paint(
        tint=(*color.tolist(), opacity),
        surface=(
            float(material.get("roughness", look.roughness)),
            -1.0 if material.get("unlit", look.is_unlit) else 0.0,
            float(material.get("emission", 0.0)),
            0.0 if picture is None else 1.0,
        ),
        picture=blank if picture is None else picture,
        metallic=float(material.get("metallic", look.metallic)),
        slopes=look.normal_scale,
        occlusion=look.occlusion_strength,
        glow=(0.0, 0.0, 0.0) if "emission" in material else look.emissive,
        maps={MAP_NAMES[key]: item for key, item in found.items() if key in MAP_NAMES},
        cutoff=look.alpha_cutoff,
        is_cut=is_cut,
    )
    paint.apply(part)
    return look.alpha_cutoff is None and (opacity < 1.0 or is_cut)
