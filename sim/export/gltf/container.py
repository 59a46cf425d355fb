"""The container of a glTF 2.0 file: its JSON, and the bytes of its arrays and pictures.

The specification is the Khronos Group's "glTF 2.0". A `.glb` has a chunk of JSON and a chunk of
bytes (section 4.4). A `.gltf` is the JSON alone, with the bytes in it as base64 (section 2.7).
"""

from __future__ import annotations

import base64
import hashlib
import json
import struct
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from base.errors import UsageError
from base.values import JsonObject

GLB: Final = ".glb"
GLTF: Final = ".gltf"
SUFFIXES: Final = (GLB, GLTF)
GENERATOR: Final = "Goishi"
MAGIC, VERSION = 0x46546C67, 2
JSON_CHUNK, BINARY_CHUNK = 0x4E4F534A, 0x004E4942
ALIGNMENT: Final = 4  # bytes, of chunks and arrays
VERTICES, INDICES = 34962, 34963  # what a part of the buffer is for
COMPONENTS: Final = {np.dtype(np.float32): 5126, np.dtype(np.uint32): 5125,
                     np.dtype(np.uint16): 5123, np.dtype(np.uint8): 5121}  # fmt: skip
TYPES: Final = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class GltfDocument:
    """A glTF file that is being made: lists of nodes, meshes and so on, and their bytes."""

    def __init__(self) -> None:
        self._lists: dict[str, list[JsonObject]] = {}
        self._extensions: set[str] = set()
        self._lights: list[JsonObject] = []
        self._buffer = bytearray()
        self._accessors: dict[bytes, int] = {}
        self._images: dict[bytes, int] = {}

    def add(self, kind: str, item: JsonObject) -> int:
        """Add an item to a list of the file; return its index.

        Args:
            kind: name of the list, such as "nodes".
            item: the item.
        """
        items = self._lists.setdefault(kind, [])
        items.append(item)
        return len(items) - 1

    def item(self, kind: str, number: int) -> JsonObject:
        """Return an item of a list, which may be changed."""
        return self._lists[kind][number]

    def count(self, kind: str) -> int:
        """Return how many items a list has."""
        return len(self._lists.get(kind, ()))

    def add_light(self, light: JsonObject) -> int:
        """Add a light of `KHR_lights_punctual`; return its index."""
        self.use("KHR_lights_punctual")
        self._lights.append(light)
        return len(self._lights) - 1

    def use(self, extension: str) -> None:
        """Declare that the file uses an extension."""
        self._extensions.add(extension)

    def accessor(
        self,
        values: npt.NDArray[Any],
        *,
        target: int | None = None,
        has_bounds: bool = False,
        is_normalized: bool = False,
    ) -> int:
        """Add an array; return its index. Equal arrays are stored once.

        Args:
            values: `[n]` or `[n, k]` numbers of 32-bit floats, or of unsigned integers.
            target: `VERTICES` or `INDICES`; None for other arrays.
            has_bounds: whether to tell the least and the largest value of each column.
            is_normalized: whether integers stand for shares of the largest one.
        """
        rows = np.ascontiguousarray(values)
        width = 1 if rows.ndim == 1 else rows.shape[1]
        said = f"{rows.dtype}{width}{target}{has_bounds}{is_normalized}".encode()
        key = hashlib.sha256(said + rows.tobytes()).digest()
        if key in self._accessors:
            return self._accessors[key]
        item: JsonObject = {
            "bufferView": self._view(rows.tobytes(), target),
            "componentType": COMPONENTS[rows.dtype],
            "count": len(rows),
            "type": TYPES[width],
        }
        if is_normalized:
            item["normalized"] = True
        if has_bounds:
            columns = rows.reshape(len(rows), width)
            item["min"] = [float(value) for value in columns.min(axis=0)]
            item["max"] = [float(value) for value in columns.max(axis=0)]
        self._accessors[key] = self.add("accessors", item)
        return self._accessors[key]

    def image(self, png: bytes) -> int:
        """Add a picture in PNG; return its index. Equal pictures are stored once."""
        key = hashlib.sha256(png).digest()
        if key not in self._images:
            view = self._view(png, None)
            item = {"bufferView": view, "mimeType": "image/png"}
            self._images[key] = self.add("images", item)
        return self._images[key]

    def _view(self, content: bytes, target: int | None) -> int:
        self._buffer += b"\0" * (-len(self._buffer) % ALIGNMENT)
        view: JsonObject = {
            "buffer": 0,
            "byteOffset": len(self._buffer),
            "byteLength": len(content),
        }
        if target is not None:
            view["target"] = target
        self._buffer += content
        return self.add("bufferViews", view)

    # -- the file -----------------------------------------------------------------------------

    def content(self, suffix: str) -> bytes:
        """Return the bytes of the file.

        Args:
            suffix: ".glb" for one with JSON and bytes, ".gltf" for JSON alone.
        """
        return self._binary() if suffix.lower() == GLB else self._text()

    def _json(self, buffer: JsonObject | None) -> bytes:
        data: JsonObject = {"asset": {"version": "2.0", "generator": GENERATOR}, "scene": 0}
        if self._extensions:
            data["extensionsUsed"] = sorted(self._extensions)
        if self._lights:
            data["extensions"] = {"KHR_lights_punctual": {"lights": self._lights}}
        data |= {kind: items for kind, items in self._lists.items() if items}
        if buffer is not None:
            data["buffers"] = [buffer]
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode()

    def _binary(self) -> bytes:
        content = bytes(self._buffer) + b"\0" * (-len(self._buffer) % ALIGNMENT)
        buffer = {"byteLength": len(self._buffer)} if content else None
        text = self._json(buffer)
        text += b" " * (-len(text) % ALIGNMENT)
        chunks = struct.pack("<II", len(text), JSON_CHUNK) + text
        if content:
            chunks += struct.pack("<II", len(content), BINARY_CHUNK) + content
        return struct.pack("<III", MAGIC, VERSION, 12 + len(chunks)) + chunks

    def _text(self) -> bytes:
        if not self._buffer:
            return self._json(None)
        packed = base64.b64encode(bytes(self._buffer)).decode()
        uri = f"data:application/octet-stream;base64,{packed}"
        return self._json({"byteLength": len(self._buffer), "uri": uri})


def check_suffix(path: Path, what: str) -> None:
    """Check that the name of a file is that of a glTF file.

    Args:
        path: the file.
        what: what asks for it, for the error message.

    Raises:
        UsageError: it ends in something else.
    """
    if path.suffix.lower() not in SUFFIXES:
        known = " or ".join(SUFFIXES)
        raise UsageError(f"{what}: expected a file that ends in {known}, found {path.name!r:.200}")


__all__ = ["GLB", "INDICES", "SUFFIXES", "VERTICES", "GltfDocument", "check_suffix"]
