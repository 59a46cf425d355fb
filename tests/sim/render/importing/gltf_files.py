"""Writes a small binary glTF: the strip of `test_fbx`, bent by two joints, with a blend shape."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

POINTS = np.array([(0, -1, 0), (0, 1, 0), (1, -1, 0), (1, 1, 0), (2, -1, 0), (2, 1, 0)], float)
TRIANGLES = np.array([(0, 2, 3), (0, 3, 1), (2, 4, 5), (2, 5, 3)])
JOINTS = np.array([(0, 1, 0, 0)] * 6)
WEIGHTS = np.array([(1, 0, 0, 0), (1, 0, 0, 0), (0.5, 0.5, 0, 0), (0.5, 0.5, 0, 0),
                    (0, 1, 0, 0), (0, 1, 0, 0)])  # fmt: skip
LIFT = np.array([(0, 0, 0)] * 4 + [(0, 0, 0.5)] * 2)


class Buffer:
    """Collects accessors."""

    def __init__(self) -> None:
        self.content = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def add(self, values: Any, kind: str, component: int = 5126) -> int:
        dtype = {5126: "<f4", 5123: "<u2", 5121: "<u1"}[component]
        data = np.ascontiguousarray(values, dtype=dtype).tobytes()
        self.content += bytes(-len(self.content) % 4)
        self.views.append({"buffer": 0, "byteOffset": len(self.content), "byteLength": len(data)})
        self.content += data
        self.accessors.append({
            "bufferView": len(self.views) - 1, "componentType": component, "type": kind,
            "count": len(np.asarray(values).reshape(-1, {"SCALAR": 1, "VEC2": 2, "VEC3": 3,
                                                         "VEC4": 4, "MAT4": 16}[kind])),
        })  # fmt: skip
        return len(self.accessors) - 1


def small_glb(interpolation: str = "LINEAR", inks: Any = None) -> bytes:
    """Return the file; the elbow at x = 1 turns a quarter about z within a second.

    `inks` `[6, 4]` are colours of its vertices.
    """
    buffer = Buffer()
    binds = np.stack([np.eye(4), np.eye(4)])
    binds[1, 3, 0] = -1.0
    turns = [(0, 0, 0, 1), (0, 0, np.sqrt(0.5), np.sqrt(0.5))]
    keys: Any = turns
    if interpolation == "CUBICSPLINE":
        keys = [((0, 0, 0, 0), turn, (0, 0, 0, 0)) for turn in turns]
    attributes = {
        "POSITION": buffer.add(POINTS, "VEC3"),
        "JOINTS_0": buffer.add(JOINTS, "VEC4", 5121),
        "WEIGHTS_0": buffer.add(WEIGHTS, "VEC4"),
    }
    if inks is not None:
        attributes["COLOR_0"] = buffer.add(inks, "VEC4")
    data = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0, 1]}],
        "nodes": [
            {"name": "Body", "mesh": 0, "skin": 0, "translation": [9, 9, 9]},
            {"name": "Upper", "children": [2]},
            {"name": "Lower", "translation": [1, 0, 0]},
        ],
        "meshes": [{
            "primitives": [{
                "attributes": attributes, "indices": buffer.add(TRIANGLES, "SCALAR", 5123),
                "material": 0, "targets": [{"POSITION": buffer.add(LIFT, "VEC3")}],
            }],
            "extras": {"targetNames": ["Lift"]},
        }],
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [0.5, 0.25, 0.125, 1.0],
                                                "roughnessFactor": 0.75}}],
        "skins": [{"joints": [1, 2], "inverseBindMatrices": buffer.add(binds, "MAT4")}],
        "animations": [{
            "name": "bend",
            "samplers": [
                {"input": buffer.add([0.0, 1.0], "SCALAR"), "output": buffer.add(keys, "VEC4"),
                 "interpolation": interpolation},
                {"input": buffer.add([0.0, 2.0], "SCALAR"), "output": buffer.add([0, 1], "SCALAR")},
            ],
            "channels": [
                {"sampler": 0, "target": {"node": 2, "path": "rotation"}},
                {"sampler": 1, "target": {"node": 0, "path": "weights"}},
            ],
        }],
    }  # fmt: skip
    return glb_of(data, buffer)


def glb_of(data: dict[str, Any], buffer: Buffer) -> bytes:
    """Return a binary file of this JSON and of what the buffer collected."""
    data = {
        **data,
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{"byteLength": len(buffer.content)}],
    }
    text = json.dumps(data).encode()
    text += b" " * (-len(text) % 4)
    body = bytes(buffer.content) + bytes(-len(buffer.content) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
    chunks += struct.pack("<II", len(body), 0x004E4942) + body
    return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks
