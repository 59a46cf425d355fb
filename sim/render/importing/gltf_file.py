"""Container of glTF 2.0: JSON, buffers, accessors and images, checked at every access."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt

from base.values import JsonObject
from sim.render.importing.model_data import MOST_VERTICES, ModelError
from sim.render.importing.pictures import Beside

Numbers = npt.NDArray[Any]
"""Of the kind that the file stores them in."""
COMPONENTS: dict[int, type[np.number]] = {
    5120: np.int8, 5121: np.uint8, 5122: np.int16, 5123: np.uint16, 5125: np.uint32,
    5126: np.float32,
}  # fmt: skip
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
GLB_MAGIC, JSON_CHUNK, BINARY_CHUNK = 0x46546C67, 0x4E4F534A, 0x004E4942
KNOWN_EXTENSIONS = {
    "KHR_materials_unlit", "KHR_texture_transform", "KHR_materials_emissive_strength",
    "KHR_materials_pbrSpecularGlossiness", "KHR_mesh_quantization", "KHR_lights_punctual",
    "KHR_materials_clearcoat", "KHR_materials_ior", "KHR_materials_specular",
}  # fmt: skip


class GltfFile:
    """A glTF file and the files that it refers to.

    Attributes:
        data: its JSON.
    """

    def __init__(self, path: Path, beside: Beside) -> None:
        self._beside = beside
        self._binary = b""
        self._buffers: dict[int, bytes] = {}
        self.data = self._parse(path.read_bytes())
        version = str(self.part("asset").get("version", ""))
        if not version.startswith("2."):
            raise ModelError(f"expected glTF 2, found version {version!r}")
        foreign = sorted(set(self.data.get("extensionsRequired", [])) - KNOWN_EXTENSIONS)
        if foreign:
            raise ModelError(f"expected glTF without {', '.join(map(str, foreign))}")

    def _parse(self, content: bytes) -> JsonObject:
        if not content:
            raise ModelError("expected glTF, found an empty file")
        text = content
        if len(content) >= 12 and struct.unpack_from("<I", content)[0] == GLB_MAGIC:
            text, place = b"", 12
            while place + 8 <= len(content):
                length, kind = struct.unpack_from("<II", content, place)
                chunk = content[place + 8 : place + 8 + length]
                if kind == JSON_CHUNK:
                    text = chunk
                elif kind == BINARY_CHUNK:
                    self._binary = chunk
                place += 8 + length
        try:
            data = json.loads(text.decode("utf-8"))
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
        """Return a top-level JSON list of objects, empty if it is missing."""
        found = self.data.get(name, [])
        sound = isinstance(found, list) and all(isinstance(item, dict) for item in found)
        if not sound:
            raise ModelError(f"expected a list of objects, found {name}")
        return list(found)

    def item(self, name: str, number: object) -> JsonObject:
        """Return one object of a top-level list by index."""
        found = self.items(name)
        if not isinstance(number, int) or not 0 <= number < len(found):
            raise ModelError(f"expected one of {len(found)} {name}, found {number!r}")
        return found[number]

    def _buffer(self, number: int) -> bytes:
        if number not in self._buffers:
            uri = self.item("buffers", number).get("uri")
            found = self._binary if uri is None else self._content(str(uri))
            if found is None:
                raise ModelError(f"expected the file {uri!r} beside it, not found")
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
        """Return the bytes of a buffer view by index."""
        view = self.item("bufferViews", number)
        content = self._buffer(int(view.get("buffer", 0)))
        begin, length = int(view.get("byteOffset", 0)), int(view.get("byteLength", 0))
        if begin < 0 or length < 0 or begin + length > len(content):
            raise ModelError("expected a view inside its buffer, found one that ends behind it")
        return content[begin : begin + length]

    def accessor(self, number: object) -> Numbers:
        """Return an accessor's values `[count, width]`; normalised integers become floats."""
        item = self.item("accessors", number)
        kind = COMPONENTS.get(item.get("componentType", 0))
        width, count = WIDTHS.get(str(item.get("type"))), int(item.get("count", 0))
        if kind is None or width is None or not 0 <= count <= MOST_VERTICES * 3:
            raise ModelError("expected an accessor of a known type, found another")
        values: Numbers = np.zeros((count, width), dtype=kind)
        if "bufferView" in item:
            values = self._strided(item, kind, width, count)
        if isinstance(item.get("sparse"), dict):
            values = self._sparse(values.copy(), item["sparse"], kind, width)
        if item.get("normalized") and kind is not np.float32:
            return np.asarray(np.maximum(values / float(np.iinfo(values.dtype).max), -1.0))
        return values

    def _strided(self, item: JsonObject, kind: type[np.number], width: int, count: int) -> Numbers:
        content = self.view(item["bufferView"])
        size = np.dtype(kind).itemsize * width
        stride = int(self.item("bufferViews", item["bufferView"]).get("byteStride", 0)) or size
        begin = int(item.get("byteOffset", 0))
        if (
            stride < size
            or begin < 0
            or (count and begin + stride * (count - 1) + size > len(content))
        ):
            raise ModelError("expected an accessor inside its view, found one that ends behind it")
        if not count:
            return np.zeros((0, width), dtype=kind)
        array: Numbers = np.ndarray(
            (count, width), kind, content, begin, (stride, np.dtype(kind).itemsize)
        )
        return array.copy()

    def _sparse(
        self, values: Numbers, sparse: JsonObject, kind: type[np.number], width: int
    ) -> Numbers:
        count = int(sparse.get("count", 0))
        places, given = sparse.get("indices", {}), sparse.get("values", {})
        index_kind = COMPONENTS.get(places.get("componentType", 0), np.uint32)
        rows = np.frombuffer(
            self.view(places.get("bufferView")), index_kind, count, int(places.get("byteOffset", 0))
        ).astype(np.int64)
        if len(rows) and rows.max() >= len(values):
            raise ModelError("expected indices inside an accessor, found others")
        content = self.view(given.get("bufferView"))
        found = np.frombuffer(content, kind, count * width, int(given.get("byteOffset", 0)))
        values[rows] = found.reshape(count, width)
        return values

    def image(self, number: object) -> tuple[bytes, str]:
        """Return the bytes of an image, empty if they are missing, and its name."""
        image = self.item("images", number)
        uri = str(image.get("uri", ""))
        if "bufferView" in image:
            return self.view(image["bufferView"]), str(image.get("name", "image"))
        name = "image" if uri.startswith("data:") else uri
        return self._content(uri) or b"", name
