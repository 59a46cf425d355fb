"""Access to a glTF 2.0 file: its JSON, buffers, accessors and images, and its extensions.

The file's content is not trusted: JSON, buffers, accessors and images are checked at every access.
"""

from __future__ import annotations

import base64
import json
import re
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt

from base.values import JsonObject
from sim.render.importing.model_data import MOST_VERTICES, Beside, ModelError

Numbers = npt.NDArray[Any]
"""Numbers in the type that the file stores."""
COMPONENTS: dict[int, type[np.number]] = {
    5120: np.int8,
    5121: np.uint8,
    5122: np.int16,
    5123: np.uint16,
    5125: np.uint32,
    5126: np.float32,
}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
GLB_MAGIC, JSON_CHUNK, BINARY_CHUNK = 0x46546C67, 0x4E4F534A, 0x004E4942
READ: Final = {
    "CESIUM_RTC",
    "EXT_mesh_gpu_instancing",
    "EXT_texture_avif",
    "EXT_texture_webp",
    "KHR_draco_mesh_compression",
    "KHR_materials_emissive_strength",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_materials_unlit",
    "KHR_mesh_quantization",
    "KHR_node_visibility",
    "KHR_texture_transform",
}
"""Extensions that are read here."""
SKIPPED: Final = re.compile(
    r"[A-Z0-9]+_(materials?|textures?|lights?|image_based|audio|xmp|lod|techniques|metadata)(_|$)"
    r"|EXT_(lights|structural_metadata|mesh_features|instance_features|mesh_manifold)"
    r"|(KHR_(animation_pointer|interactivity|physics|implicit_shapes|collision_shapes|node_|xmp)"
    r"|(AGI|OMI|MPEG|VRMC?|GODOT|GOOGLE|UNITY|FB|BLENDER|MOZ|HUBS)_|VRM$|MSFT_|ADOBE_|NV_"
    r"|CESIUM_primitive_outline|KHR_blend)"
)
"""Names of extensions without which a file has the same shapes: looks, behaviour, descriptions."""
SHAPES: Final[dict[str, type]] = {
    "attributes": dict,
    "baseColorFactor": list,
    "baseColorTexture": dict,
    "channels": list,
    "children": list,
    "emissiveFactor": list,
    "emissiveTexture": dict,
    "joints": list,
    "metallicRoughnessTexture": dict,
    "nodes": list,
    "normalTexture": dict,
    "occlusionTexture": dict,
    "pbrMetallicRoughness": dict,
    "primitives": list,
    "samplers": list,
    "sparse": dict,
    "target": dict,
    "targets": list,
}
"""What the values of some keys are in the JSON, wherever they stand: objects or lists."""
NODE_SHAPES: Final = dict.fromkeys(("matrix", "rotation", "scale", "translation", "weights"), list)
"""The same for keys that are lists in nodes alone."""
OBJECTS: Final = {"channels", "primitives", "samplers", "targets"}
"""The lists of objects among them."""
TOPS: Final = ("animations", "materials", "meshes", "nodes", "scenes", "accessors", "textures")
KINDS: Final[dict[type, str]] = {dict: "an object", list: "a list"}
CONVERTERS: Final = {
    "EXT_meshopt_compression": "gltf-transform copy",
    "KHR_meshopt_compression": "gltf-transform copy",
}
"""Extensions that are not read here, and the program that writes a file without them."""


def extension(item: JsonObject, name: str) -> JsonObject:
    """Return an extension of an object of the file; empty if it has none of that name.

    Args:
        item: the object: a node, a mesh primitive, a material and so on.
        name: name of the extension, such as `KHR_node_visibility`.
    """
    found = item.get("extensions")
    found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def check_shapes(item: JsonObject, where: str, shapes: Mapping[str, type] = SHAPES) -> None:
    """Check that an object of the file has objects and lists where the format has them.

    Args:
        item: the object.
        where: its place, for the error message.
        shapes: what the values of its keys are.

    Raises:
        ModelError: there is something else.
    """
    for key, value in item.items():
        if key == "extensions" and isinstance(value, dict):
            check_shapes(value, f"{where}.{key}", dict.fromkeys(READ, dict))
            continue
        wanted = shapes.get(key)
        if wanted and not isinstance(value, wanted):
            raise ModelError(f"expected {KINDS[wanted]} for {where}.{key}, found {value!r:.40}")
        if isinstance(value, dict) and key in SHAPES:
            check_shapes(value, f"{where}.{key}")
        elif isinstance(value, list) and key in OBJECTS:
            for number, part in enumerate(value):
                if not isinstance(part, dict):
                    raise ModelError(f"expected an object for {where}.{key}, found {part!r:.40}")
                check_shapes(part, f"{where}.{key}[{number}]")


class MissingFileError(ModelError):
    """A file beside the model, which it needs for a part of its content, is missing."""


class GltfFile:
    """A glTF file and the buffers and images that it refers to.

    Attributes:
        data: the file's parsed JSON.

    Raises:
        ModelError: the file is no glTF 2 or needs an unsupported extension.
    """

    def __init__(self, path: Path, beside: Beside) -> None:
        self._beside = beside
        self._binary = b""
        self._buffers: dict[int, bytes] = {}
        self._unpacked: dict[int, Numbers] = {}  # by accessor, of what Draco has packed
        self.warnings: list[str] = []
        self.notes: list[str] = []
        self.data = self._parse(path.read_bytes())
        self._check_version()
        self._check_extensions()
        for top in TOPS:
            shapes = {**SHAPES, **NODE_SHAPES} if top == "nodes" else SHAPES
            for number, item in enumerate(self.items(top)):
                check_shapes(item, f"{top}[{number}]", shapes)

    def _check_version(self) -> None:
        asset = self.part("asset")
        version = str(asset.get("version", ""))
        if not version.startswith("2."):
            raise ModelError(f"expected glTF 2, found version {version!r}")
        least = str(asset.get("minVersion", "2.0"))
        if least != "2.0":
            raise ModelError(f"expected glTF 2.0, found a file that needs version {least!r}")

    def _check_extensions(self) -> None:
        """Refuse what the shapes need and is not read; tell what is left out otherwise.

        A reader may leave out an extension that is not required, and looks are worth less than the
        model: specification, section 3.12.
        """
        required = self._names("extensionsRequired") - READ
        foreign = sorted(name for name in required if not SKIPPED.match(name))
        if foreign:
            tools = {CONVERTERS[name] for name in foreign if name in CONVERTERS}
            by = f" (`{tools.pop()} IN OUT` takes it out)" if tools else ""
            raise ModelError(f"expected glTF without {', '.join(foreign)}{by}, found it required")
        if required:
            names = ", ".join(sorted(required))
            self.warnings.append(f"it requires {names}, which are not known here: drawn without")
        left = sorted(self._names("extensionsUsed") - READ - required)
        if left:
            self.notes.append(f"left out, as the format allows: {', '.join(left)}")

    def _names(self, key: str) -> set[str]:
        found = self.data.get(key, [])
        return (
            {name for name in found if isinstance(name, str)} if isinstance(found, list) else set()
        )

    def _parse(self, content: bytes) -> JsonObject:
        if not content:
            raise ModelError("expected glTF, found an empty file")
        text = content
        if len(content) >= 12 and struct.unpack_from("<I", content)[0] == GLB_MAGIC:
            version = struct.unpack_from("<I", content, 4)[0]
            if version != 2:
                raise ModelError(f"expected glTF 2, found version {version}")
            text, place = b"", 12
            while place + 8 <= len(content):
                length, kind = struct.unpack_from("<II", content, place)
                chunk = content[place + 8 : place + 8 + length]
                if kind == JSON_CHUNK:
                    text = text or chunk
                elif kind == BINARY_CHUNK:  # of others, readers take no notice
                    self._binary = self._binary or chunk
                place += 8 + length
        try:
            data = json.loads(text.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise ModelError(f"expected glTF, found no JSON: {error}") from error
        if not isinstance(data, dict):
            raise ModelError("expected glTF, found no JSON object")
        return data

    def part(self, name: str) -> JsonObject:
        """Return a top-level JSON object, empty if it is missing."""
        found = self.data.get(name, {})
        return found if isinstance(found, dict) else {}

    def items(self, name: str) -> list[JsonObject]:
        """Return a top-level JSON list of objects by name; an empty list if it is missing.

        Raises:
            ModelError: the value is no list of objects.
        """
        found = self.data.get(name, [])
        sound = isinstance(found, list) and all(isinstance(item, dict) for item in found)
        if not sound:
            raise ModelError(f"expected a list of objects, found {name}")
        return list(found)

    def item(self, name: str, number: object) -> JsonObject:
        """Return one object of a top-level JSON list.

        Args:
            name: name of the list.
            number: index in it.

        Raises:
            ModelError: there is no object with this index.
        """
        found = self.items(name)
        if not isinstance(number, int) or not 0 <= number < len(found):
            raise ModelError(f"expected one of {len(found)} {name}, found {number!r}")
        return found[number]

    def _buffer(self, number: int) -> bytes:
        if number not in self._buffers:
            uri = self.item("buffers", number).get("uri")
            found = self._binary if uri is None else self._content(str(uri))
            if found is None:
                raise MissingFileError(f"expected the file {uri!r} beside it, not found")
            self._buffers[number] = found
        return self._buffers[number]

    def _content(self, uri: str) -> bytes | None:
        if uri.startswith("data:"):
            try:
                return base64.b64decode(uri.partition(",")[2])
            except ValueError as error:
                raise ModelError(f"expected base64, found {error}") from error
        path = self._beside.find(unquote(uri))
        return None if path is None else path.read_bytes()

    def view(self, number: object) -> bytes:
        """Return the bytes of a buffer view.

        Args:
            number: index in `bufferViews`.

        Raises:
            ModelError: the view exceeds its buffer, or the buffer's file is missing.
        """
        view = self.item("bufferViews", number)
        content = self._buffer(int(view.get("buffer", 0)))
        begin, length = int(view.get("byteOffset", 0)), int(view.get("byteLength", 0))
        if begin < 0 or length < 0 or begin + length > len(content):
            raise ModelError("expected a view inside its buffer, found one that ends behind it")
        return content[begin : begin + length]

    def accessor(self, number: object) -> Numbers:
        """Return an accessor's values `[count, width]`; normalised integers become floats.

        Args:
            number: index in `accessors`.

        Raises:
            ModelError: the accessor is invalid.
        """
        item = self.item("accessors", number)
        if isinstance(number, int) and number in self._unpacked:
            return self._as_shares(self._unpacked[number], item)
        kind = COMPONENTS.get(item.get("componentType", 0))
        width, count = WIDTHS.get(str(item.get("type"))), int(item.get("count", 0))
        if kind is None or width is None or not 0 <= count <= MOST_VERTICES * 3:
            raise ModelError("expected an accessor of a known type, found another")
        values: Numbers = np.zeros((count, width), dtype=kind)
        if "bufferView" in item:
            values = self._strided(item, kind, width, count)
        if isinstance(item.get("sparse"), dict):
            values = self._sparse(values.copy(), item["sparse"], kind, width)
        return self._as_shares(values, item)

    @staticmethod
    def _as_shares(values: Numbers, item: JsonObject) -> Numbers:
        """Return an accessor's values; integers that are said to be shares of 1 become floats."""
        if item.get("normalized") and values.dtype.kind in "iu":
            return np.asarray(np.maximum(values / float(np.iinfo(values.dtype).max), -1.0))
        return values

    def unpack(self, part: JsonObject) -> None:
        """Unpack a mesh primitive that is packed by Draco; its accessors then give the values.

        See the specification of `KHR_draco_mesh_compression`. A primitive that has its values in a
        plain buffer as well is left as it is.

        Args:
            part: the mesh primitive.

        Raises:
            ModelError: the packed data is invalid.
        """
        packed, attributes = extension(part, "KHR_draco_mesh_compression"), part["attributes"]
        first = attributes.get("POSITION")
        if not packed or first is None or "bufferView" in self.item("accessors", first):
            return
        import DracoPy  # only where it is needed: it is no part of the smallest installation

        try:
            mesh = DracoPy.decode(self.view(packed.get("bufferView")))
        except (DracoPy.FileTypeException, ValueError, RuntimeError) as error:
            raise ModelError(f"expected a mesh packed by Draco, found: {error}") from error
        columns = {item["unique_id"]: item["data"] for item in mesh.attributes}
        for name, key in packed.get("attributes", {}).items():
            if key not in columns or name not in attributes:
                raise ModelError(f"expected {name} in a mesh packed by Draco, found none")
            values = np.asarray(columns[key])
            self._unpacked[attributes[name]] = values.reshape(len(values), -1)
        if "indices" in part:
            faces = np.asarray(getattr(mesh, "faces", np.empty(0, dtype=np.uint32)))
            self._unpacked[part["indices"]] = faces.reshape(-1, 1)

    def _strided(self, item: JsonObject, kind: type[np.number], width: int, count: int) -> Numbers:
        content = self.view(item["bufferView"])
        size = np.dtype(kind).itemsize * width
        stride = int(self.item("bufferViews", item["bufferView"]).get("byteStride", 0)) or size
        begin = int(item.get("byteOffset", 0))
        end = begin + stride * (count - 1) + size if count else 0
        if stride < size or begin < 0 or end > len(content):
            raise ModelError("expected an accessor inside its view, found one that ends behind it")
        if not count:
            return np.zeros((0, width), dtype=kind)
        strides = (stride, np.dtype(kind).itemsize)
        array: Numbers = np.ndarray((count, width), kind, content, begin, strides)
        return array.copy()

    def _sparse(
        self, values: Numbers, sparse: JsonObject, kind: type[np.number], width: int
    ) -> Numbers:
        count = int(sparse.get("count", 0))
        places, given = sparse.get("indices", {}), sparse.get("values", {})
        index_kind = COMPONENTS.get(places.get("componentType", 0), np.uint32)
        content, begin = self.view(places.get("bufferView")), int(places.get("byteOffset", 0))
        rows = np.frombuffer(content, index_kind, count, begin).astype(np.int64)
        if len(rows) and rows.max() >= len(values):
            raise ModelError("expected indices inside an accessor, found others")
        content = self.view(given.get("bufferView"))
        found = np.frombuffer(content, kind, count * width, int(given.get("byteOffset", 0)))
        values[rows] = found.reshape(count, width)
        return values

    def image(self, number: object) -> tuple[bytes, str]:
        """Return the bytes of an image, empty if its file is missing, and its name.

        Args:
            number: index in `images`.
        """
        image = self.item("images", number)
        uri = str(image.get("uri", ""))
        if "bufferView" in image:
            name = str(image.get("name", "image"))
            try:
                return self.view(image["bufferView"]), name
            except MissingFileError:
                return b"", name
        name = "image" if uri.startswith("data:") else uri
        return self._content(uri) or b"", name
