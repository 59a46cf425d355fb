"""glTF 2.0 importer, text and binary: meshes, materials, skins, blend shapes and clips.

Animations are sampled at equal time steps.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Final

import numpy as np

from base.values import JsonObject
from sim.core.assets.animation.poses import (
    FloatArray,
    IntArray,
    Pose,
    decompose,
    normalized,
    rotation_matrices,
)
from sim.core.assets.animation.rig import Clip, Rig
from sim.core.geometry.rotations import are_mirrored
from sim.render.importing.gltf_file import GltfFile, MissingFileError, extension
from sim.render.importing.model_data import (
    MOST_JOINTS,
    MOST_SAMPLES,
    MOST_VERTICES,
    Beside,
    MeshData,
    ModelData,
    ModelError,
    Morph,
    Sampler,
    SkinData,
    cloud_of,
    strongest,
    unique_names,
)
from sim.render.materials.surface import Surface

FRAME_RATE = 30.0  # which `pose(frame=…)` counts in: glTF has no frames
SAMPLE_RATE = 60.0
PATHS = {"translation": "positions", "rotation": "rotations", "scale": "scales"}
MOVED = {*PATHS, "weights"}


def read_clips(
    file: GltfFile, rest: Pose, joint_of: dict[int, int], sliders: dict[tuple[int, int], int]
) -> dict[str, Clip]:
    """Return the animation clips of a file by name.

    Args:
        file: the file.
        rest: rest pose of the rig.
        joint_of: for each node index of the file, the joint index in the rig.
        sliders: for each pair of node index and index of a blend shape, the index of the rig's
            slider that controls this shape.
    """
    items = file.items("animations")
    names = unique_names([str(item.get("name", "")) for item in items], "clip")
    clips: dict[str, Clip] = {}
    for name, item in zip(names, items, strict=True):
        reader = ClipReader(file, item, rest, joint_of, sliders)
        if reader.left_out:
            file.notes.append(
                f"its clip {name!r} also moves what is no node ({reader.left_out}): left out"
            )
        try:
            clips[name] = reader.read(name)
        except MissingFileError as error:
            file.warnings.append(f"{error}: its clip {name!r} is left out")
    return clips


class ClipReader:
    """Converts one glTF animation to a clip by sampling it at equal time steps.

    Attributes:
        left_out: what the animation moves that is no node and no blend shape; empty for nothing.
    """

    def __init__(
        self,
        file: GltfFile,
        item: JsonObject,
        rest: Pose,
        joint_of: dict[int, int],
        sliders: dict[tuple[int, int], int],
    ) -> None:
        self._file = file
        self._samplers = item.get("samplers", [])
        channels = [(channel, channel.get("target", {})) for channel in item.get("channels", [])]
        self._channels = [channel for channel, target in channels if target.get("node") in joint_of]
        others = {str(target.get("path", "nothing")) for _, target in channels} - MOVED
        self.left_out = ", ".join(sorted(others))
        self._rest = rest
        self._joint_of = joint_of
        self._sliders = sliders
        self._keys: dict[int, tuple[FloatArray, FloatArray, str]] = {}

    def read(self, name: str) -> Clip:
        """Sample the animation and return it as a clip."""
        ends = [self._sampler(channel)[0][-1] for channel in self._channels]
        duration = float(max(ends, default=0.0))
        targets = [channel["target"] for channel in self._channels]
        moved = {self._joint_of[item["node"]] for item in targets if item.get("path") in PATHS}
        joints = sorted(moved)
        most = max(2, MOST_SAMPLES // max(1, len(joints) + len(self._rest.sliders)))
        count = min(most, max(2, round(duration * SAMPLE_RATE) + 1)) if duration > 0.0 else 1
        times = np.linspace(0.0, duration, count)
        parts = {
            key: np.tile(getattr(self._rest, key)[joints], (count, 1, 1)) for key in PATHS.values()
        }
        weights = np.tile(self._rest.sliders, (count, 1))
        for channel, target in zip(self._channels, targets, strict=True):
            node, path = target["node"], target.get("path")
            if path in PATHS:
                values = self._values(channel, times, parts[PATHS[path]].shape[2])
                parts[PATHS[path]][:, joints.index(self._joint_of[node])] = values
            elif path == "weights":
                self._add_weights(weights, node, channel, times)
        numbers = np.array(joints, dtype=np.int64)
        return Clip(name, duration, FRAME_RATE, numbers, sliders=weights, **parts)

    def _add_weights(
        self, weights: FloatArray, node: int, channel: JsonObject, times: FloatArray
    ) -> None:
        targets = [target for number, target in self._sliders if number == node]
        if not targets:
            return
        values = self._values(channel, times, max(targets) + 1)
        for target in targets:
            weights[:, self._sliders[node, target]] = values[:, target]

    def _sampler(self, channel: JsonObject) -> tuple[FloatArray, FloatArray, str]:
        number = channel.get("sampler")
        if not isinstance(number, int) or not 0 <= number < len(self._samplers):
            raise ModelError(f"expected a sampler, found {number!r}")
        if number not in self._keys:
            sampler = self._samplers[number]
            times = np.asarray(self._file.accessor(sampler.get("input")), dtype=np.float64).ravel()
            values = np.asarray(self._file.accessor(sampler.get("output")), dtype=np.float64)
            if not len(times) or (np.diff(times) < 0.0).any() or not np.isfinite(times).all():
                raise ModelError("expected growing times of a clip, found others")
            self._keys[number] = (times, values, str(sampler.get("interpolation", "LINEAR")))
        return self._keys[number]

    def _values(self, channel: JsonObject, at: FloatArray, width: int) -> FloatArray:
        """Return a channel's interpolated values `[len(at), width]`.

        Args:
            channel: JSON of the animation channel.
            at: `[n]` times to sample, seconds.
            width: numbers in each value.

        Raises:
            ModelError: the keyframes have the wrong shape or are not finite.
        """
        times, raw, kind = self._sampler(channel)
        is_spline = kind == "CUBICSPLINE"
        rows = len(times) * (3 if is_spline else 1)
        if raw.size != rows * width or not np.isfinite(raw).all():
            raise ModelError(f"expected {rows} keys of {width} finite numbers, found {raw.shape}")
        keys = raw.reshape(len(times), -1, width)
        is_turn = channel["target"].get("path") == "rotation"
        low = np.clip(np.searchsorted(times, at, side="right") - 1, 0, max(0, len(times) - 2))
        high = np.minimum(low + 1, len(times) - 1)
        span = times[high] - times[low]
        share = np.clip((at - times[low]) / np.where(span > 0.0, span, 1.0), 0.0, 1.0)[:, None]
        if is_spline:
            found = spline(keys, low, high, share, span[:, None])
        elif kind == "STEP":
            found = np.where(share >= 1.0, keys[high, 0], keys[low, 0])
        elif is_turn:
            return arcs(normalized(keys[low, 0]), normalized(keys[high, 0]), share)
        else:
            found = keys[low, 0] * (1.0 - share) + keys[high, 0] * share
        return normalized(found) if is_turn else np.asarray(found)


def spline(
    keys: FloatArray, low: IntArray, high: IntArray, share: FloatArray, span: FloatArray
) -> FloatArray:
    """Interpolate a cubic Hermite spline, as glTF's CUBICSPLINE.

    Args:
        keys: `[k, 3, width]` in-tangent, value and out-tangent of each keyframe.
        low: `[n]` index of the keyframe before each time.
        high: `[n]` index of the keyframe after it.
        share: `[n, 1]` position between the two, 0 to 1.
        span: `[n, 1]` seconds between the two.
    """
    t, t2, t3 = share, share**2, share**3
    return np.asarray(
        (2 * t3 - 3 * t2 + 1) * keys[low, 1]
        + span * (t3 - 2 * t2 + t) * keys[low, 2]
        + (3 * t2 - 2 * t3) * keys[high, 1]
        + span * (t3 - t2) * keys[high, 0]
    )


def arcs(first: FloatArray, second: FloatArray, share: FloatArray) -> FloatArray:
    """Interpolate between quaternions `[n, 4]` along the shorter arc (slerp).

    Args:
        first: quaternions at share 0.
        second: quaternions at share 1.
        share: `[n, 1]` position between the two, 0 to 1.
    """
    cosine = np.einsum("ij,ij->i", first, second)[:, None]
    second = np.where(cosine < 0.0, -second, second)
    angle = np.arccos(np.clip(np.abs(cosine), 0.0, 1.0))
    sine = np.sin(angle)
    is_arc = sine > 1e-4
    safe = np.where(is_arc, sine, 1.0)
    one = np.where(is_arc, np.sin((1.0 - share) * angle) / safe, 1.0 - share)
    other = np.where(is_arc, np.sin(share * angle) / safe, share)
    return normalized(first * one + second * other)


Z_UP = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))  # a quarter turn about x: y up becomes z up
POINTS, TRIANGLES, STRIP, FAN = 0, 4, 5, 6
INSTANCE_WIDTHS: Final = {"TRANSLATION": 3, "ROTATION": 4, "SCALE": 3}
PICTURES: Final = ("EXT_texture_webp", "EXT_texture_avif")
BASIS: Final = "KHR_texture_basisu"
UNREADABLE: Final = (
    "expected pictures in PNG, JPEG or WebP, found one that is there in KTX2 only: left out "
    "(`ktx extract IN OUT` of KTX-Software writes a PNG)"
)
WRAPS: Final[dict[object, str]] = {33071: "clamp", 33648: "mirror", 10497: "repeat"}
FILTERS: Final[dict[object, str]] = {
    9728: "nearest",
    9729: "linear",
    9984: "nearest_mipmap_nearest",
    9985: "linear_mipmap_nearest",
    9986: "nearest_mipmap_linear",
    9987: "linear_mipmap_linear",
}


def read(path: Path, beside: Beside) -> ModelData:
    """Read a glTF file.

    Args:
        path: the file.
        beside: finds the further files that it refers to.

    Raises:
        ModelError: the file is not readable.
    """
    file = GltfFile(path, beside)
    reader = GltfReader(file, beside)
    reader.read_meshes()
    reader.data.warnings += [*file.warnings, *beside.warnings()]
    reader.data.notes += file.notes
    reader.data.beside = beside.seen
    return reader.data


class GltfReader:
    """Converts one glTF file to plain arrays; each node of the file becomes a joint.

    Joint 0 is added as their root: it turns the file's y-up axes to z-up.
    """

    def __init__(self, file: GltfFile, beside: Beside) -> None:
        self.file = file
        self._beside = beside
        self.nodes = file.items("nodes")
        self.order, self.parents = self._order()
        self.joint_of = {node: number + 1 for number, node in enumerate(self.order)}
        self.sliders: dict[tuple[int, int], int] = {}
        self._slider_names: list[str] = []
        self._find_sliders()
        self.data = ModelData(self._rig())
        self._surfaces: dict[int, int] = {}
        self._pictures: dict[tuple[int, Sampler], int] = {}

    # -- joints -------------------------------------------------------------------------------

    def _order(self) -> tuple[list[int], dict[int, int]]:
        """Return the order in which to read the nodes, and the parent of each node.

        Returns:
            All node indices, with parents before their children; and a dict from each child's index
            to its parent's index.

        Raises:
            ModelError: a node has two parents or is below itself, or there are too many nodes.
        """
        if len(self.nodes) >= MOST_JOINTS:
            raise ModelError(f"expected fewer than {MOST_JOINTS} nodes, found {len(self.nodes)}")
        parents: dict[int, int] = {}
        for number, node in enumerate(self.nodes):
            for child in node.get("children", []):
                if not isinstance(child, int) or not 0 <= child < len(self.nodes):
                    raise ModelError(f"expected a node, found {child!r}")
                if child in parents:
                    raise ModelError(f"expected one parent of node {child}, found two")
                parents[child] = number
        order = [number for number in range(len(self.nodes)) if number not in parents]
        for number in order:
            order.extend(self.nodes[number].get("children", []))
        if len(order) != len(self.nodes):
            raise ModelError("expected nodes below their parents, found a circle")
        return order, parents

    def _find_sliders(self) -> None:
        for number in self.order:
            mesh = self.nodes[number].get("mesh")
            if mesh is None:
                continue
            item = self.file.item("meshes", mesh)
            extras = item.get("extras")  # which may be any JSON
            names = extras.get("targetNames") if isinstance(extras, dict) else None
            names = names if isinstance(names, list) else []
            parts = item.get("primitives", [])
            count = max((len(part.get("targets", [])) for part in parts), default=0)
            for target in range(count):
                self.sliders[number, target] = len(self._slider_names)
                self._slider_names.append(str(names[target]) if target < len(names) else "")

    def _rig(self) -> Rig:
        places = [local_of(self.nodes[number]) for number in self.order]
        rest = Pose(
            np.array([(0.0, 0.0, 0.0), *(place[0] for place in places)], dtype=np.float64),
            np.array([Z_UP, *(place[1] for place in places)], dtype=np.float64),
            np.array([(1.0, 1.0, 1.0), *(place[2] for place in places)], dtype=np.float64),
            np.zeros(len(self._slider_names)),
        )
        for (number, target), slider in self.sliders.items():
            mesh = self.file.item("meshes", self.nodes[number]["mesh"])
            weights = {"weights": [], **mesh, **self.nodes[number]}["weights"]
            rest.sliders[slider] = float(weights[target]) if target < len(weights) else 0.0
        names = [str(self.nodes[number].get("name", "")) for number in self.order]
        parents = [self.joint_of.get(self.parents.get(number, -1), 0) for number in self.order]
        return Rig(
            unique_names(["root", *names], "joint"),
            np.array([-1, *parents], dtype=np.int64),
            rest,
            unique_names(self._slider_names, "shape"),
            read_clips(self.file, rest, self.joint_of, self.sliders),
        )

    # -- meshes -------------------------------------------------------------------------------

    def read_meshes(self) -> None:
        """Add the meshes of all nodes of the scene."""
        shown = self._shown()
        for number in self.order:
            node = self.nodes[number]
            if number not in shown or "mesh" not in node:
                continue
            mesh = self.file.item("meshes", node["mesh"])
            places = self._places(node)
            for part in mesh.get("primitives", []):
                self._add_part(number, str(mesh.get("name", "mesh")), part, places)

    def _shown(self) -> set[int]:
        scenes = self.file.items("scenes")
        if not scenes:
            return set(self.order)
        chosen = self.file.item("scenes", self.file.data.get("scene", 0))
        stack, found = list(chosen.get("nodes", [])), set()
        while stack:
            number = stack.pop()
            if not isinstance(number, int) or number not in self.joint_of or number in found:
                continue
            if extension(self.nodes[number], "KHR_node_visibility").get("visible", True) is False:
                continue  # with all that is below it
            found.add(number)
            stack.extend(self.nodes[number].get("children", []))
        return found

    def _places(self, node: JsonObject) -> FloatArray | None:
        """Return the matrices `[N, 4, 4]` of a node's instances; None for a node without any.

        See the specification of `EXT_mesh_gpu_instancing`.
        """
        attributes = extension(node, "EXT_mesh_gpu_instancing").get("attributes")
        if not isinstance(attributes, dict):
            return None
        columns = {
            name: np.asarray(self.file.accessor(attributes[name]), dtype=np.float64)
            for name in INSTANCE_WIDTHS
            if name in attributes
        }
        count = min((len(values) for values in columns.values()), default=0)
        for name, values in columns.items():
            if values.shape != (count, INSTANCE_WIDTHS[name]) or not np.isfinite(values).all():
                raise ModelError(f"expected {name} of {count} instances, found {values.shape}")
        turns = columns.get("ROTATION", np.tile([0.0, 0.0, 0.0, 1.0], (count, 1)))
        places = np.tile(np.eye(4), (count, 1, 1))
        places[:, :3, :3] = rotation_matrices(normalized(turns))
        places[:, :3, :3] *= columns.get("SCALE", np.ones((count, 3)))[:, :, None]
        places[:, 3, :3] = columns.get("TRANSLATION", np.zeros((count, 3)))
        return places

    def _add_part(
        self, number: int, name: str, part: JsonObject, places: FloatArray | None
    ) -> None:
        """Add a primitive of a mesh.

        Args:
            number: index of its node.
            name: name of the mesh.
            part: the primitive.
            places: `[N, 4, 4]` of the node's instances; None for a node without any.
        """
        attributes = part.get("attributes", {})
        if "POSITION" not in attributes:
            self._tell(f"a part of the mesh {name!r} has no positions: left out")
            return
        self.file.unpack(part)
        if part.get("mode", TRIANGLES) == POINTS:
            cloud = self._cloud(number, name, part)
            self.data.add_cloud(cloud if places is None else repeated(cloud, places))
            return
        triangles = self._triangles(part)
        if triangles is None:
            return
        points = np.asarray(self.file.accessor(attributes["POSITION"]), dtype=np.float64)
        check_indices(triangles, points, name)
        uvs = self._uvs(attributes, len(points), part.get("material"))
        count, surface = len(points), self._surface(part.get("material"))
        normals = np.zeros((count, 3))
        mesh = MeshData(name, self.joint_of[number], points, normals, uvs, triangles, surface)
        mesh.skin = self._skin(number, attributes, count)
        mesh.morphs = self._morphs(number, part, count)
        mesh.colors = self._colors(attributes, count)
        if "NORMAL" in attributes:
            mesh.normals = self._column(attributes["NORMAL"], len(points), 3)
        else:
            mesh.flatten()
        if places is not None:
            mesh = repeated(mesh, places)
        self.data.meshes.append(mesh)

    def _cloud(self, number: int, name: str, part: JsonObject) -> MeshData:
        """Return a primitive of points, each in its color times the material's.

        Args:
            number: index of its node.
            name: name of the mesh.
            part: the primitive.
        """
        attributes = part["attributes"]
        points = np.asarray(self.file.accessor(attributes["POSITION"]), dtype=np.float64)
        colors = self._colors(attributes, len(points))
        if part.get("material") is not None:
            material = self.file.item("materials", part["material"])
            factor = material.get("pbrMetallicRoughness", {}).get("baseColorFactor", (1.0,) * 4)
            tint = np.asarray(factor, dtype=np.float64)[:3]
            colors = np.tile(tint, (len(points), 1)) if colors is None else colors * tint
        if "indices" in part:
            rows = self.file.accessor(part["indices"]).astype(np.int64).ravel()
            check_indices(rows, points, name)
            points, colors = points[rows], None if colors is None else colors[rows]
        cloud = cloud_of(points, colors)
        cloud.name, cloud.joint = name, self.joint_of[number]
        return cloud

    def _tell(self, warning: str) -> None:
        if warning not in self.data.warnings:
            self.data.warnings.append(warning)

    def _column(self, accessor: object, count: int, width: int) -> FloatArray:
        values = np.asarray(self.file.accessor(accessor), dtype=np.float64)
        if values.shape != (count, width):
            raise ModelError(f"expected {count} rows of {width} numbers, found {values.shape}")
        return values

    def _uvs(self, attributes: JsonObject, count: int, material: object) -> FloatArray:
        texture: JsonObject = {}
        if material is not None:
            found = textures_of(self.file.item("materials", material))
            texture = next(filter(None, found.values()), {})
        turn = texture.get("extensions", {}).get("KHR_texture_transform", {})
        key = f"TEXCOORD_{turn.get('texCoord', texture.get('texCoord', 0))}"
        if key not in attributes:
            return np.zeros((count, 2))
        uvs = placed(self._column(attributes[key], count, 2), turn)
        return np.stack([uvs[:, 0], 1.0 - uvs[:, 1]], axis=1)

    def _colors(self, attributes: JsonObject, count: int) -> FloatArray | None:
        if "COLOR_0" not in attributes:
            return None
        values = np.asarray(self.file.accessor(attributes["COLOR_0"]))
        if values.dtype.kind == "u":  # meant as shares of the largest, said or not
            values = values / float(np.iinfo(values.dtype).max)
        if values.shape not in ((count, 3), (count, 4)):
            raise ModelError(f"expected {count} colours of 3 or 4 parts, found {values.shape}")
        return np.asarray(values[:, :3], dtype=np.float64)

    def _triangles(self, part: JsonObject) -> IntArray | None:
        mode = part.get("mode", TRIANGLES)
        if mode not in (TRIANGLES, STRIP, FAN):
            self._tell("its lines are not drawn")
            return None
        if "indices" in part:
            row = self.file.accessor(part["indices"]).astype(np.int64).ravel()
        else:
            row = np.arange(len(self.file.accessor(part.get("attributes", {}).get("POSITION"))))
        if mode == TRIANGLES:
            return np.asarray(row[: len(row) // 3 * 3].reshape(-1, 3))
        if len(row) < 3:
            return np.empty((0, 3), dtype=np.int64)
        if mode == FAN:
            return np.stack([np.full(len(row) - 2, row[0]), row[1:-1], row[2:]], axis=1)
        strip = np.stack([row[:-2], row[1:-1], row[2:]], axis=1)
        strip[1::2] = strip[1::2][:, [1, 0, 2]]
        return strip

    def _skin(self, number: int, attributes: JsonObject, count: int) -> SkinData | None:
        if "skin" not in self.nodes[number] or "JOINTS_0" not in attributes:
            return None
        skin = self.file.item("skins", self.nodes[number]["skin"])
        named = skin.get("joints", [])
        joints = [self.joint_of[joint] for joint in named if joint in self.joint_of]
        binds = np.tile(np.eye(4), (len(joints), 1, 1))
        if "inverseBindMatrices" in skin:
            # columns of column vectors, one after the other, are rows of row vectors
            binds = self._column(skin["inverseBindMatrices"], len(joints), 16).reshape(-1, 4, 4)
        sets = [key for key in sorted(attributes) if key.startswith("JOINTS_")]
        bones = np.concatenate([self._column(attributes[key], count, 4) for key in sets], axis=1)
        shares = [self._column(attributes.get(f"WEIGHTS_{key[7:]}"), count, 4) for key in sets]
        weights = np.concatenate(shares, axis=1)
        numbers = bones.astype(np.int64)
        if len(numbers) and (not joints or numbers.max() >= len(joints)):
            raise ModelError(f"expected joints of a skin, found number {numbers.max()}")
        weights = np.where(np.isfinite(weights) & (weights > 0.0), weights, 0.0)
        weights[weights.sum(axis=1) <= 0.0, 0] = 1.0
        numbers, weights = strongest(numbers, weights)
        return SkinData(numbers, weights, joints, binds)

    def _morphs(self, number: int, part: JsonObject, count: int) -> list[Morph]:
        found: list[Morph] = []
        for target, columns in enumerate(part.get("targets", [])):
            if "POSITION" not in columns:
                continue
            points = self._column(columns["POSITION"], count, 3)
            normals = np.zeros((count, 3))
            if "NORMAL" in columns:
                normals = self._column(columns["NORMAL"], count, 3)
            rows = np.flatnonzero(np.abs(points).max(axis=1) > 0.0)
            slider = self.sliders[number, target]
            if len(rows):
                found.append(Morph(slider, rows, points[rows], normals[rows]))
        return found

    # -- surfaces -----------------------------------------------------------------------------

    def _surface(self, number: int | None) -> int:
        key = -1 if number is None else int(number)
        if key not in self._surfaces:
            surface = Surface(is_double_sided=False)
            if number is not None:
                surface = self._read_surface(self.file.item("materials", number))
            self._surfaces[key] = self.data.add_surface(surface)
        return self._surfaces[key]

    def _read_surface(self, material: JsonObject) -> Surface:
        pbr = material.get("pbrMetallicRoughness", {})
        more = material.get("extensions", {})
        older = more.get("KHR_materials_pbrSpecularGlossiness")
        factor = pbr.get("baseColorFactor", [1.0, 1.0, 1.0, 1.0])
        rough, metallic = (float(pbr.get(f"{key}Factor", 1.0)) for key in ("roughness", "metallic"))
        if isinstance(older, dict) and not pbr:
            factor = older.get("diffuseFactor", [1.0, 1.0, 1.0, 1.0])
            rough, metallic = 1.0 - float(older.get("glossinessFactor", 1.0)), 0.0
        red, green, blue, alpha = (float(value) for value in factor)
        mode = material.get("alphaMode", "OPAQUE")
        textures = textures_of(material)
        found = {f"{key}picture": self._picture(item) for key, item in textures.items()}
        picture = found["picture"]
        pixels = self.data.pictures[picture] if picture >= 0 else None
        strength = more.get("KHR_materials_emissive_strength", {}).get("emissiveStrength", 1.0)
        glow = [float(value) * float(strength) for value in material.get("emissiveFactor", [0] * 3)]
        return Surface(
            name=str(material.get("name", "")),
            color=(red, green, blue),
            opacity=1.0 if mode == "OPAQUE" else alpha,
            roughness=min(max(rough, 0.0), 1.0),
            metallic=min(max(metallic, 0.0), 1.0),
            normal_scale=float(textures["normal_"].get("scale", 1.0)),
            occlusion_strength=float(textures["occlusion_"].get("strength", 1.0)),
            emissive=(glow[0], glow[1], glow[2]),
            is_cut=mode != "OPAQUE" and pixels is not None and pixels.shape[2] == 4,
            alpha_cutoff=float(material.get("alphaCutoff", 0.5)) if mode == "MASK" else None,
            is_double_sided=material.get("doubleSided") is True,
            is_unlit="KHR_materials_unlit" in more,
            **found,
        )

    def _picture(self, texture: JsonObject) -> int:
        if not texture:
            return -1
        item = self.file.item("textures", texture.get("index"))
        source = source_of(item)
        if source is None:
            self._tell(
                UNREADABLE if extension(item, BASIS) else "a texture without a picture: left out"
            )
            return -1
        sampler = sampler_of(
            self.file.item("samplers", item["sampler"]) if "sampler" in item else {}
        )
        key = (source, sampler)
        if key not in self._pictures:
            pixels = self._beside.decode(*self.file.image(source))
            self._pictures[key] = self.data.add_picture(pixels, sampler)
        return self._pictures[key]


def source_of(texture: JsonObject) -> int | None:
    """Return the index of a texture's image; None if it has none of a format that is read here.

    The plain image comes first, as every reader has to know its format.

    Args:
        texture: JSON of the texture.
    """
    items = [texture, *(extension(texture, name) for name in PICTURES)]
    return next((item["source"] for item in items if isinstance(item.get("source"), int)), None)


def sampler_of(item: JsonObject) -> Sampler:
    """Return how a texture is sampled.

    Args:
        item: JSON of the glTF sampler, with the constants of OpenGL; empty for none.
    """
    return Sampler(
        wrap_u=WRAPS.get(item.get("wrapS", 0), "repeat"),
        wrap_v=WRAPS.get(item.get("wrapT", 0), "repeat"),
        minified=FILTERS.get(item.get("minFilter", 0), "linear_mipmap_linear"),
        magnified=FILTERS.get(item.get("magFilter", 0), "linear"),
    )


def check_indices(rows: IntArray, points: FloatArray, name: str) -> None:
    """Check the indices of a primitive.

    Args:
        rows: indices of vertices.
        points: `[N, 3]` positions of the vertices.
        name: name of the mesh.

    Raises:
        ModelError: there is no vertex with an index.
    """
    if rows.size and (points.shape[1] != 3 or rows.max() >= len(points)):
        raise ModelError(f"expected indices of vertices, found others in the mesh {name!r}")


def repeated(mesh: MeshData, places: FloatArray) -> MeshData:
    """Return a mesh that holds another one at several places.

    Args:
        mesh: the other one; blend shapes and a skin are lost.
        places: `[N, 4, 4]`.

    Raises:
        ModelError: it has too many vertices.
    """
    count, size = len(places), len(mesh.points)
    if count * size > MOST_VERTICES:
        raise ModelError(f"expected at most {MOST_VERTICES} vertices, found {count * size}")
    turned = places[:, :3, :3]
    points = mesh.points @ turned + places[:, 3:, :3]
    normals = mesh.normals @ np.linalg.pinv(turned).transpose(0, 2, 1)
    sides = np.where(are_mirrored(places)[:, None, None], mesh.triangles[:, ::-1], mesh.triangles)
    triangles = sides + size * np.arange(count)[:, None, None]
    return dataclasses.replace(
        mesh,
        points=points.reshape(-1, 3),
        normals=normals.reshape(-1, 3),
        uvs=np.tile(mesh.uvs, (count, 1)),
        triangles=triangles.reshape(-1, 3),
        colors=None if mesh.colors is None else np.tile(mesh.colors, (count, 1)),
        skin=None,
        morphs=[],
    )


def textures_of(material: JsonObject) -> dict[str, JsonObject]:
    """Return a material's JSON references to textures; those that it lacks are empty.

    The keys are those of the fields of `Surface` that end with `picture`, without that word: the
    texture of the colour has an empty key.
    """
    pbr = material.get("pbrMetallicRoughness", {})
    older = material.get("extensions", {}).get("KHR_materials_pbrSpecularGlossiness")
    is_older = isinstance(older, dict) and not pbr
    found = {
        "": older.get("diffuseTexture") if is_older else pbr.get("baseColorTexture"),
        "normal_": material.get("normalTexture"),
        "metallic_roughness_": pbr.get("metallicRoughnessTexture"),
        "emissive_": material.get("emissiveTexture"),
        "occlusion_": material.get("occlusionTexture"),
    }
    return {key: item if isinstance(item, dict) else {} for key, item in found.items()}


def placed(uvs: FloatArray, turn: JsonObject) -> FloatArray:
    """Apply the extension KHR_texture_transform to texture coordinates.

    Args:
        uvs: `[N, 2]` texture coordinates; v points down.
        turn: JSON of the extension: offset, rotation and scale, each optional.

    Raises:
        ModelError: the JSON holds something other than numbers.
    """
    try:
        offset = np.array(turn.get("offset", (0.0, 0.0)), dtype=np.float64).reshape(2)
        scale = np.array(turn.get("scale", (1.0, 1.0)), dtype=np.float64).reshape(2)
        angle = float(turn.get("rotation", 0.0))
    except (TypeError, ValueError) as error:
        raise ModelError(
            f"expected numbers in KHR_texture_transform, found {turn!r:.80}"
        ) from error
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray((uvs * scale) @ np.array([[c, -s], [s, c]]) + offset)


def local_of(node: JsonObject) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return position, quaternion (x, y, z, w) and scale of a node relative to its parent.

    Raises:
        ModelError: the values have the wrong size or are not finite.
    """
    if "matrix" in node:
        return decompose(np.array(node["matrix"], dtype=np.float64).reshape(4, 4))
    position = np.array(node.get("translation", (0, 0, 0)), dtype=np.float64)
    rotation = np.array(node.get("rotation", (0, 0, 0, 1)), dtype=np.float64)
    scale = np.array(node.get("scale", (1, 1, 1)), dtype=np.float64)
    is_sound = (position.shape, rotation.shape, scale.shape) == ((3,), (4,), (3,))
    if not is_sound or not np.isfinite([*position, *rotation, *scale]).all():
        raise ModelError("expected a node's place as finite numbers, found something else")
    return position, rotation, scale
