"""glTF 2.0 importer, text and binary: meshes, surfaces, skins, blend shapes and clips."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from base.values import JsonObject
from sim.core.assets.animation.poses import FloatArray, IntArray, Pose, decompose
from sim.core.assets.animation.rig import Rig
from sim.render.importing.gltf_clips import read_clips
from sim.render.importing.gltf_file import GltfFile
from sim.render.importing.model_data import (
    MOST_JOINTS,
    MeshData,
    ModelData,
    ModelError,
    Morph,
    Skin,
    Surface,
    strongest,
    unique_names,
)
from sim.render.importing.pictures import Beside

Z_UP = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))  # a quarter turn about x: y up becomes z up
TRIANGLES, STRIP, FAN = 4, 5, 6


def read(path: Path, beside: Beside) -> ModelData:
    """Read a glTF file.

    Raises:
        ModelError: the file is not readable.
    """
    reader = GltfReader(GltfFile(path, beside), beside)
    reader.read_meshes()
    reader.data.warnings += beside.warnings()
    reader.data.beside = beside.seen
    return reader.data


class GltfReader:
    """Converts one glTF file to plain arrays. Joint 0 turns y-up to z-up; the others are nodes."""

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
        self._pictures: dict[int, int] = {}
        self._is_told = False

    # -- joints -------------------------------------------------------------------------------

    def _order(self) -> tuple[list[int], dict[int, int]]:
        """Return all nodes, parents first, and the parent of each."""
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
            names = item.get("extras", {}).get("targetNames", []) if "extras" in item else []
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
            unique_names(["root", *names], "joint"), np.array([-1, *parents], dtype=np.int64),
            rest, unique_names(self._slider_names, "shape"),
            read_clips(self.file, rest, self.joint_of, self.sliders),
        )  # fmt: skip

    # -- meshes -------------------------------------------------------------------------------

    def read_meshes(self) -> None:
        """Add the meshes of all nodes of the scene."""
        shown = self._shown()
        for number in self.order:
            node = self.nodes[number]
            if number not in shown or "mesh" not in node:
                continue
            mesh = self.file.item("meshes", node["mesh"])
            for part in mesh.get("primitives", []):
                self._add_part(number, str(mesh.get("name", "mesh")), part)

    def _shown(self) -> set[int]:
        scenes = self.file.items("scenes")
        if not scenes:
            return set(self.order)
        chosen = self.file.item("scenes", self.file.data.get("scene", 0))
        stack, found = list(chosen.get("nodes", [])), set()
        while stack:
            number = stack.pop()
            if isinstance(number, int) and number in self.joint_of and number not in found:
                found.add(number)
                stack.extend(self.nodes[number].get("children", []))
        return found

    def _add_part(self, number: int, name: str, part: JsonObject) -> None:
        attributes = part.get("attributes", {})
        triangles = self._triangles(part)
        if triangles is None or "POSITION" not in attributes:
            return
        points = np.asarray(self.file.accessor(attributes["POSITION"]), dtype=np.float64)
        if triangles.size and (points.shape[1] != 3 or triangles.max() >= len(points)):
            raise ModelError(f"expected indices of vertices, found others in the mesh {name!r}")
        uvs = self._uvs(attributes, len(points), part.get("material"))
        mesh = MeshData(
            name, self.joint_of[number], points, np.zeros((len(points), 3)), uvs, triangles,
            self._surface(part.get("material")),
        )  # fmt: skip
        mesh.skin = self._skin(number, attributes, len(points))
        mesh.morphs = self._morphs(number, part, len(points))
        mesh.colors = self._colors(attributes, len(points))
        if "NORMAL" in attributes:
            mesh.normals = self._column(attributes["NORMAL"], len(points), 3)
        else:
            mesh.flatten()
        self.data.meshes.append(mesh)

    def _column(self, accessor: object, count: int, width: int) -> FloatArray:
        values = np.asarray(self.file.accessor(accessor), dtype=np.float64)
        if values.shape != (count, width):
            raise ModelError(f"expected {count} rows of {width} numbers, found {values.shape}")
        return values

    def _uvs(self, attributes: JsonObject, count: int, material: object) -> FloatArray:
        texture: JsonObject = {}
        if material is not None:
            texture = base_texture(self.file.item("materials", material)) or {}
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
            if not self._is_told:
                self.data.warnings.append("its points and lines are not drawn")
                self._is_told = True
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

    def _skin(self, number: int, attributes: JsonObject, count: int) -> Skin | None:
        if "skin" not in self.nodes[number] or "JOINTS_0" not in attributes:
            return None
        skin = self.file.item("skins", self.nodes[number]["skin"])
        joints = [
            self.joint_of[joint] for joint in skin.get("joints", []) if joint in self.joint_of
        ]
        binds = np.tile(np.eye(4), (len(joints), 1, 1))
        if "inverseBindMatrices" in skin:
            # columns of column vectors, one after the other, are rows of row vectors
            binds = self._column(skin["inverseBindMatrices"], len(joints), 16).reshape(-1, 4, 4)
        sets = [key for key in sorted(attributes) if key.startswith("JOINTS_")]
        bones = np.concatenate([self._column(attributes[key], count, 4) for key in sets], axis=1)
        weights = np.concatenate(
            [self._column(attributes.get(f"WEIGHTS_{key[7:]}"), count, 4) for key in sets], axis=1
        )
        numbers = bones.astype(np.int64)
        if len(numbers) and (not joints or numbers.max() >= len(joints)):
            raise ModelError(f"expected joints of a skin, found number {numbers.max()}")
        weights = np.where(np.isfinite(weights) & (weights > 0.0), weights, 0.0)
        weights[weights.sum(axis=1) <= 0.0, 0] = 1.0
        numbers, weights = strongest(numbers, weights)
        return Skin(numbers, weights, joints, binds)

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
            surface = Surface()
            if number is not None:
                surface = self._read_surface(self.file.item("materials", number))
            self._surfaces[key] = len(self.data.surfaces)
            self.data.surfaces.append(surface)
        return self._surfaces[key]

    def _read_surface(self, material: JsonObject) -> Surface:
        pbr = material.get("pbrMetallicRoughness", {})
        older = material.get("extensions", {}).get("KHR_materials_pbrSpecularGlossiness")
        factor = pbr.get("baseColorFactor", [1.0, 1.0, 1.0, 1.0])
        rough = float(pbr.get("roughnessFactor", 1.0))
        if isinstance(older, dict) and not pbr:
            factor = older.get("diffuseFactor", [1.0, 1.0, 1.0, 1.0])
            rough = 1.0 - float(older.get("glossinessFactor", 1.0))
        red, green, blue, alpha = (float(value) for value in factor)
        mode = material.get("alphaMode", "OPAQUE")
        picture = self._picture(base_texture(material))
        pixels = self.data.pictures[picture] if picture >= 0 else None
        return Surface(
            name=str(material.get("name", "")), color=(red, green, blue),
            opacity=alpha if mode == "BLEND" else 1.0, roughness=min(max(rough, 0.0), 1.0),
            emission=max(map(float, material.get("emissiveFactor", [0.0]))), picture=picture,
            is_cut=mode != "OPAQUE" and pixels is not None and pixels.shape[2] == 4,
        )  # fmt: skip

    def _picture(self, texture: object) -> int:
        if not isinstance(texture, dict):
            return -1
        source = self.file.item("textures", texture.get("index")).get("source")
        if source is None:
            return -1
        if source not in self._pictures:
            content, name = self.file.image(source)
            pixels = self._beside.decode(content, name)
            self._pictures[source] = -1 if pixels is None else len(self.data.pictures)
            if pixels is not None:
                self.data.pictures.append(pixels)
        return self._pictures[source]


def base_texture(material: JsonObject) -> JsonObject | None:
    """Return the reference to the texture of a material's colour, None for none."""
    pbr = material.get("pbrMetallicRoughness", {})
    older = material.get("extensions", {}).get("KHR_materials_pbrSpecularGlossiness")
    is_older = isinstance(older, dict) and not pbr
    found = older.get("diffuseTexture") if is_older else pbr.get("baseColorTexture")
    return found if isinstance(found, dict) else None


def placed(uvs: FloatArray, turn: JsonObject) -> FloatArray:
    """Return texture coordinates `[N, 2]`, v down, as KHR_texture_transform places them.

    Raises:
        ModelError: its numbers are none.
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
    """Return position, quaternion and scale of a node."""
    if "matrix" in node:
        return decompose(np.array(node["matrix"], dtype=np.float64).reshape(4, 4))
    parts = [
        np.array(node.get(key, plain), dtype=np.float64)
        for key, plain in (
            ("translation", (0, 0, 0)), ("rotation", (0, 0, 0, 1)), ("scale", (1, 1, 1)),
        )
    ]  # fmt: skip
    if [part.shape for part in parts] != [(3,), (4,), (3,)] or not np.isfinite(
        np.concatenate(parts)
    ).all():
        raise ModelError("expected a node's place as finite numbers, found something else")
    return parts[0], parts[1], parts[2]
