"""Scenes and objects as glTF files: what stands where, as it is shown.

Objects become nodes with their names, places and hierarchy. Cameras and lamps become those of
glTF. What glTF has no place for, such as scripts and the sky, is named in the `extras` of its node.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from panda3d.core import NodePath, Texture

from base.errors import GoishiError, MakerError, UsageError
from base.files import atomic_write
from base.spelling import near_names
from base.values import JsonObject
from sim.core.assets.animation.animator import asset_paths
from sim.core.assets.animation.poses import quaternion_of
from sim.core.assets.animation.rig import Rig, with_clips
from sim.core.assets.assets import IMPORT_SECONDS
from sim.core.components.environment import EnvironmentResolver, Tone, linear, shining
from sim.core.geometry.builtin_models import WRONG_NUMBERS
from sim.core.geometry.rotations import turns
from sim.core.scene.scene import ComponentSlot, Scene, SceneObject
from sim.export.gltf.axes import place_of, place_of_matrix
from sim.export.gltf.container import GltfDocument, check_suffix
from sim.export.gltf.figures import FigureWriter
from sim.export.gltf.materials import Materials
from sim.export.gltf.meshes import Part, geoms_of, part_of
from sim.render.materials.dressing import Paint
from sim.render.materials.textures import PictureFiles
from sim.render.models.figures import FigureSource, read_figure
from sim.render.models.models import FARTHEST, ModelFactory, cover_texture

CAMERA, LIGHT, DAYLIGHT = "sim:Camera", "sim:Light", "sim:DayLight"
SUN_SHARE: Final = 2.2
"""Light on white paper by a sun of intensity 1, as the scene's shader has it."""
HALF_TURN: Final = math.pi
SRGB: Final = 2.2
WHITE: Final = (1.0, 1.0, 1.0)
UNKNOWN_MODEL: Final = {"builtin": ""}
NEAR: Final = 1e-9
EVEN: Final = 1e-6


@dataclass
class ExportReport:
    """What was written.

    Attributes:
        objects: number of objects.
        triangles: number of triangles, of objects that share a mesh each time.
        clips: names of the clips.
        size: bytes of the file.
        left_out: a sentence for each thing that is shown and could not be written.
    """

    objects: int = 0
    triangles: int = 0
    clips: list[str] = field(default_factory=list)
    size: int = 0
    left_out: list[str] = field(default_factory=list)

    @property
    def words(self) -> str:
        """What was written, as in "3 objects, 24 triangles, 2 clips, 0.1 MB"."""
        counts = ((self.objects, "object"), (self.triangles, "triangle"), (len(self.clips), "clip"))
        told = [f"{count:,} {name}{'' if count == 1 else 's'}" for count, name in counts]
        return f"{', '.join(told)}, {self.size / 1e6:.1f} MB"


def object_named(scene: Scene, name: str) -> SceneObject:
    """Return the object with a name or path.

    Raises:
        UsageError: there is none, or there are several.
    """
    found = scene.find_all(name)
    if len(found) == 1:
        return found[0]
    if not found:
        names = {obj.name for obj in scene.objects.values()}
        near = ", ".join(near_names(sorted(names), name)) or "another name"
        raise UsageError(f"object: expected {near}, found {name!r:.80}")
    paths = ", ".join(sorted({obj.path for obj in found})[:5])
    raise UsageError(
        f"object: expected the path of one object, found {len(found)} named {name!r:.80}: {paths}"
    )


def write_scene(scene: Scene, path: Path, chosen: SceneObject | None = None) -> ExportReport:
    """Write a scene, or one object with all below it, as a glTF file.

    An object stands in the file where it stands in the world: the objects above it are written
    without their models.

    Args:
        scene: the scene, as it is now.
        path: the file to write; ".glb" for one with all inside, ".gltf" for one of text.
        chosen: the object; None for the whole scene.

    Raises:
        UsageError: the file has another suffix.
        OSError: it cannot be written.
    """
    check_suffix(path, "export")
    writer = SceneWriter(scene)
    writer.write(scene.roots if chosen is None else [chosen])
    content = writer.document.content(path.suffix)
    atomic_write(path, content)
    writer.report.size = len(content)
    return writer.report


class SceneWriter:
    """Writes the objects of a scene into one glTF file.

    Args:
        scene: the scene.

    Attributes:
        document: the file.
        report: what was written so far.
    """

    def __init__(self, scene: Scene) -> None:
        self.document = GltfDocument()
        self.report = ExportReport()
        self._scene = scene
        self._shop = ModelFactory(scene.models)
        self._files = PictureFiles(self._leave_out, lambda text: None)
        self._materials = Materials(self.document)
        self._figures = FigureWriter(self.document, self._materials, self._shop.blank)
        self._nodes: dict[str, int] = {}
        self._meshes: dict[object, tuple[int, int] | None] = {}
        self._covers: dict[int, tuple[object, Texture]] = {}
        self._sources: dict[Path, FigureSource] = {}
        self._world = EnvironmentResolver(scene).now()
        self._free: list[int] = []  # nodes of cameras and suns that hang below no object

    def write(self, tops: Sequence[SceneObject]) -> None:
        """Write objects with all below them."""
        self._load_models(tops)
        starts = [self._add_above(top) for top in tops]
        for top in tops:
            for obj in top.subtree():
                self._add(obj, is_top=obj is top)
        roots = [start if start is not None else self._nodes[top.id]
                 for start, top in zip(starts, tops, strict=True)]  # fmt: skip
        roots += self._free
        if len(tops) == len(self._scene.roots) and not self._suns():
            roots.append(self._studio_sun())
        self.document.add("scenes", {"nodes": roots} if roots else {})
        count = self.document.count("animations")
        names = [self.document.item("animations", number)["name"] for number in range(count)]
        self.report.clips = names

    def _load_models(self, tops: Sequence[SceneObject]) -> None:
        """Wait until the files of all models are read."""
        library = self._scene.animator.library
        if library is None:
            return
        for top in tops:
            for obj in top.subtree():
                for path in asset_paths(obj.model or {}):
                    library.get(path)
        library.poll(IMPORT_SECONDS)

    def _add_above(self, top: SceneObject) -> int | None:
        """Add the objects above an object as empty nodes; return the first of them.

        None for an object without any above it.
        """
        first, above = None, None
        chain = []
        parent = top.parent
        while parent is not None:
            chain.append(parent)
            parent = parent.parent
        for obj in reversed(chain):
            number = self.document.add("nodes", {"name": obj.name, **_place_of(obj)})
            if above is None:
                first = number
            else:
                self._hang(above, number)
            above = number
        if above is not None and top.parent is not None:
            self._nodes[top.parent.id] = above
        return first

    def _hang(self, above: int, number: int) -> None:
        self.document.item("nodes", above).setdefault("children", []).append(number)

    def _add(self, obj: SceneObject, *, is_top: bool) -> None:
        """Add an object: its node, its model, its camera and its lamp."""
        item: JsonObject = {"name": obj.name, **_place_of(obj), "extras": {"goishi": _facts(obj)}}
        number = self._nodes[obj.id] = self.document.add("nodes", item)
        self.report.objects += 1
        if obj.parent is not None and obj.parent.id in self._nodes:
            self._hang(self._nodes[obj.parent.id], number)
        if obj.model is not None and obj.is_shown:
            if np.abs(obj.transform.world_matrix).max() <= FARTHEST:
                self._add_model(obj, number)
            else:
                self._leave_out(f"{obj.path}: stands too far away to be drawn: its model")
        for slot in obj.components:
            if slot.instance is not None and slot.is_active:
                self._add_component(obj, slot, number)

    def _leave_out(self, text: str) -> None:
        if text not in self.report.left_out:
            self.report.left_out.append(text)

    # -- models -------------------------------------------------------------------------------

    def _add_model(self, obj: SceneObject, number: int) -> None:
        model = obj.model or {}
        if "asset" in model:
            self._add_figure(obj, number)
            return
        kind = self._scene.models.kind(model.get("builtin"))
        if kind is not None and kind.drawn_as == "points":
            found = self._points(obj)
        else:
            look = (json.dumps(model, sort_keys=True), json.dumps(obj.material, sort_keys=True))
            texture = obj.texture
            key = (*look, texture if isinstance(texture, str | None) else id(texture))
            if key not in self._meshes:
                self._meshes[key] = self._mesh(obj)
            found = self._meshes[key]
        if found is not None:
            self.document.item("nodes", number)["mesh"] = found[0]
            self.report.triangles += found[1]

    def _mesh(self, obj: SceneObject) -> tuple[int, int] | None:
        """Write the mesh of a built-in model; return its index and number of triangles."""
        model, material = obj.model or {}, obj.material
        picture = self._picture(obj)
        try:
            node = self._shop.make(model, material, picture)
        except (MakerError, *WRONG_NUMBERS) as error:
            self._leave_out(f"{obj.path}: model: {error}")
            node = self._shop.make(UNKNOWN_MODEL, {})
        primitives, triangles = [], 0
        name = str(model.get("builtin", "model"))
        for path, geom in geoms_of(node):
            paint = Paint.of(path)
            part = part_of(geom, repeats=paint.surface[3])
            if part is None or part.triangles is None:
                continue
            number = self._materials.of(path, paint, name)
            primitives.append(_placed(part, path, node).primitive(self.document, number))
            triangles += len(part.triangles)
        if not primitives:
            return None
        return self.document.add("meshes", {"name": name, "primitives": primitives}), triangles

    def _points(self, obj: SceneObject) -> tuple[int, int] | None:
        """Write a point cloud; return its index, and 0 triangles."""
        points, colors = obj.points, obj.point_colors
        if points is None or not len(points):
            return None
        opacity = float(obj.material.get("opacity", 1.0))
        shown = np.tile([*obj.material.get("color", WHITE)[:3], opacity], (len(points), 1))
        if colors is not None and len(colors) == len(points):
            shown[:, : colors.shape[1]] = colors / 255.0
        shown[:, :3] **= SRGB
        is_clear = bool((shown[:, 3] < 1.0).any())
        part = Part(
            points=points,
            normals=np.zeros_like(points),
            colors=(shown if is_clear else shown[:, :3]).astype(np.float32),
        )
        material = self._materials.of_points(is_clear=is_clear)
        item = {"name": "points", "primitives": [part.primitive(self.document, material)]}
        return self.document.add("meshes", item), 0

    def _picture(self, obj: SceneObject) -> Any:
        """Return the pixels of an object's texture; None for none, or if it cannot be read."""
        try:
            return self._files.of(obj.texture, self._scene.project)
        except (OSError, ValueError) as error:
            self._leave_out(f"{obj.path}: texture: {error}")
            return None

    def _add_figure(self, obj: SceneObject, number: int) -> None:
        """Add a model from a file below an object's node."""
        found = self._figure_of(obj)
        if found is None:
            return
        source, rig = found
        texture, cover = obj.texture, None
        if texture is not None:
            known = self._covers.get(id(texture))
            if known is None:
                picture = self._picture(obj)
                if picture is not None:
                    known = self._covers[id(texture)] = (texture, cover_texture(picture))
            cover = None if known is None else known[1]
        paths = asset_paths(obj.model or {})
        key = (paths, json.dumps(obj.material, sort_keys=True), cover and id(cover))
        tops, triangles = self._figures.write(source, rig, obj.material, cover, key)
        for top in tops:
            self._hang(number, top)
        self.report.triangles += triangles

    def _figure_of(self, obj: SceneObject) -> tuple[FigureSource, Rig] | None:
        """Return the model from a file that an object shows; None if it cannot be read."""
        library = self._scene.animator.library
        paths = asset_paths(obj.model or {})
        assets = [library.get(path) for path in paths] if library is not None else []
        if not assets or assets[0].rig is None or assets[0].folder is None:
            why = assets[0].error if assets and assets[0].error else "it is not read yet"
            self._leave_out(f"{obj.path}: {paths[0]}: {why}")
            return None
        folder = assets[0].folder
        if folder not in self._sources:
            try:
                self._sources[folder] = read_figure(folder)
            except GoishiError as error:
                self._leave_out(f"{obj.path}: {paths[0]}: {error}")
                return None
        others = {asset.path: asset.rig for asset in assets[1:] if asset.rig is not None}
        rig = with_clips(assets[0].rig, others)[0] if others else assets[0].rig
        return self._sources[folder], rig

    # -- cameras and lamps --------------------------------------------------------------------

    def _add_component(self, obj: SceneObject, slot: ComponentSlot, number: int) -> None:
        script: Any = slot.instance
        if slot.type_name == CAMERA:
            self._add_camera(obj, script, number)
        elif slot.type_name == DAYLIGHT or _is_sun_light(slot):
            if slot in self._suns():
                to, sun = self._world.sun_to, self._world.sun
                if slot.type_name == LIGHT:
                    to, sun = shining(obj, script)
                self._add_seen(obj, number, _sun_light(obj.name, sun), _along(-np.array(to)), "sun")
        elif slot.type_name == LIGHT and script.kind in ("point", "spot"):
            light = _lamp(obj.name, script)
            self._add_seen(obj, number, light, np.eye(4), str(script.kind))

    def _add_camera(self, obj: SceneObject, script: Any, number: int) -> None:
        eye = script.eye
        lens = {"yfov": math.radians(eye.fov), "znear": eye.near, "zfar": eye.far}
        camera = {"name": obj.name, "type": "perspective", "perspective": lens}
        item = {"camera": self.document.add("cameras", camera)}
        matrix = np.array(eye.matrix, dtype=np.float64)
        matrix[3, :3] = 0.0
        turn = np.eye(4) if script.look == "ahead" else matrix
        self._put(obj, number, item, turn, "camera", is_local=script.look == "ahead")

    def _add_seen(
        self, obj: SceneObject, number: int, light: JsonObject, turn: Any, name: str
    ) -> None:
        lamp = {"light": self.document.add_light(light)}
        item = {"extensions": {"KHR_lights_punctual": lamp}}
        self._put(obj, number, item, turn, name, is_local=name != "sun")

    def _put(
        self,
        obj: SceneObject,
        number: int,
        item: JsonObject,
        turn: Any,
        name: str,
        *,
        is_local: bool,
    ) -> None:
        """Give an object's node a camera or lamp, in a node of its own where it is turned.

        Args:
            obj: the object.
            number: index of its node.
            item: the keys of the camera or lamp.
            turn: `[4, 4]` rotation of the camera or lamp, in the world or relative to the object.
            name: name of the node.
            is_local: whether the rotation is relative to the object.
        """
        node = self.document.item("nodes", number)
        if not is_local:
            above = np.array(obj.transform.world_matrix, dtype=np.float64)[:3, :3]
            if not _is_even(above):  # what hangs below it is skewed
                place = place_of_matrix(_at(turn, np.asarray(obj.transform.world_position)))
                free = {"name": f"{obj.name} {name}", **place, **item}
                self._free.append(self.document.add("nodes", free))
                return
            turn = turn.copy()
            turn[:3, :3] = turn[:3, :3] @ np.linalg.inv(above)
        is_still = np.abs(turn - np.eye(4)).max() < NEAR
        if is_still and not node.keys() & {"camera", "extensions"}:
            node |= item
            return
        place = place_of_matrix(turn)
        place.pop("scale", None)  # a lens and a lamp have no size
        self._hang(number, self.document.add("nodes", {"name": name, **place, **item}))

    # -- the sun ------------------------------------------------------------------------------

    def _suns(self) -> list[ComponentSlot]:
        """Return the components that shine as suns: the scene's daylight, or else its suns."""
        slots = [slot for obj in self._scene.objects.values() for slot in obj.components]
        active = [slot for slot in slots if slot.instance is not None and slot.is_active]
        days = [slot for slot in active if slot.type_name == DAYLIGHT]
        return days[:1] or [slot for slot in active if _is_sun_light(slot)]

    def _studio_sun(self) -> int:
        """Add the sun of a scene that has none of its own; return its node."""
        lamp = {"light": self.document.add_light(_sun_light("studio sun", self._world.sun))}
        place = place_of_matrix(_along(-np.array(self._world.sun_to)))
        item = {"name": "studio sun", **place, "extensions": {"KHR_lights_punctual": lamp}}
        return self.document.add("nodes", item)


def _sun_light(name: str, sun: Tone) -> JsonObject:
    """Return a sun of `KHR_lights_punctual` with a linear light."""
    strongest = max(sun)
    color = [share / strongest for share in sun] if strongest > 0.0 else [1.0, 1.0, 1.0]
    intensity = strongest * SUN_SHARE
    return {"name": name, "type": "directional", "color": color, "intensity": intensity}


def _is_sun_light(slot: ComponentSlot) -> bool:
    script: Any = slot.instance
    return slot.type_name == LIGHT and script.kind == "sun"


def _lamp(name: str, script: Any) -> JsonObject:
    """Return a point or spot light of `KHR_lights_punctual`.

    The shader's light at one metre is what falls on white paper; a candela sends as much of it as
    one part of pi.
    """
    light = linear(script.color)
    strongest = float(light.max())
    item: JsonObject = {
        "name": name,
        "type": script.kind,
        "color": (light / strongest if strongest > 0.0 else np.ones(3)).tolist(),
        "intensity": strongest * float(script.intensity) * HALF_TURN,
    }
    if script.kind == "spot":
        half = math.radians(min(max(float(script.angle), 1.0), 170.0) / 2.0)
        inner = half * (1.0 - min(max(float(script.softness), 0.0), 1.0))
        item["spot"] = {"innerConeAngle": min(inner, half * 0.999), "outerConeAngle": half}
    return item


def _along(direction: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return a rotation `[4, 4]`, for row vectors, whose y axis points along a direction."""
    ahead = direction / np.linalg.norm(direction)
    up = np.array([0.0, 0.0, 1.0]) if abs(ahead[2]) < 0.999 else np.array([0.0, 1.0, 0.0])
    right = np.cross(ahead, up)
    right /= np.linalg.norm(right)
    found = np.eye(4)
    found[:3, :3] = np.stack([right, ahead, np.cross(right, ahead)])
    return found


def _is_even(matrix: npt.NDArray[np.float64]) -> bool:
    """Return whether a matrix `[3, 3]` turns and scales alike in all directions, and not to 0."""
    size = float(np.linalg.norm(matrix[0]))
    if not np.isfinite(matrix).all() or size < NEAR or np.linalg.det(matrix) <= 0.0:
        return False
    return bool(np.abs(matrix @ matrix.T / size**2 - np.eye(3)).max() < EVEN)


def _at(turn: npt.NDArray[np.float64], position: npt.NDArray[np.float64]) -> Any:
    """Return a rotation `[4, 4]` moved to a position `[3]`."""
    found = turn.copy()
    found[3, :3] = position
    return found


def _place_of(obj: SceneObject) -> JsonObject:
    """Return an object's place below its parent as the keys of a glTF node."""
    transform = obj.transform
    turn = quaternion_of(turns(np.asarray(transform.rotation)))
    return place_of(np.asarray(transform.position), turn, np.asarray(transform.scale))


def _facts(obj: SceneObject) -> JsonObject:
    """Return what the `extras` of an object's node say: its id and components."""
    found: JsonObject = {"id": obj.id}
    if obj.components:
        found["components"] = [slot.type_name for slot in obj.components]
    if not obj.is_shown:
        found["hidden"] = True
    return found


def _placed(part: Part, path: NodePath, root: NodePath) -> Part:
    """Return a mesh, its vertices moved to where its node stands in the model."""
    matrix = np.array([list(row) for row in path.get_mat(root).get_rows()], dtype=np.float64)
    return part if np.array_equal(matrix, np.eye(4)) else part.moved(matrix)


__all__ = ["ExportReport", "object_named", "write_scene"]
