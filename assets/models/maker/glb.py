"""Writes a skinned model with clips as binary glTF 2.0."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

from assets.models.maker.clips import Clip
from assets.models.maker.figure import COLORS, Figure, Part
from assets.models.maker.shapes import FloatArray

WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}
KINDS = {"<f4": 5126, "<u2": 5123, "u1": 5121}


def y_up(vectors: Any) -> FloatArray:
    """Return z-up vectors `[…, 3]` as glTF has them; quaternions keep their w."""
    v = np.asarray(vectors, dtype=np.float64)
    turned = np.stack([v[..., 0], v[..., 2], -v[..., 1]], axis=-1)
    return np.concatenate([turned, v[..., 3:]], axis=-1)


class Writer:
    """Collects buffer views and accessors."""

    def __init__(self) -> None:
        self.content = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def add(self, values: Any, shape: str, kind: str = "<f4", **keys: Any) -> int:
        """Add an accessor; return its number."""
        array = np.ascontiguousarray(values, dtype=kind).reshape(-1, WIDTHS[shape])
        self.content += bytes(-len(self.content) % 4)
        self.views.append(
            {"buffer": 0, "byteOffset": len(self.content), "byteLength": array.nbytes}
        )
        self.content += array.tobytes()
        self.accessors.append({
            "bufferView": len(self.views) - 1, "componentType": KINDS[kind],
            "count": len(array), "type": shape, **keys,
        })  # fmt: skip
        return len(self.accessors) - 1

    def add_bounded(self, values: FloatArray, shape: str) -> int:
        """Add an accessor with its least and greatest values, which glTF wants of some."""
        array = np.asarray(values, dtype=np.float32).reshape(-1, WIDTHS[shape])
        low, high = array.min(axis=0).tolist(), array.max(axis=0).tolist()
        return self.add(array, shape, min=low, max=high)


def write(path: Path, figure: Figure, clips: list[Clip]) -> int:
    """Write a figure with its clips; return the number of bytes."""
    writer = Writer()
    names = [joint.name for joint in figure.joints]
    places = {joint.name: np.array(joint.place) for joint in figure.joints}
    nodes: list[dict[str, Any]] = [{"name": "figure", "mesh": 0, "skin": 0}]
    for joint in figure.joints:
        above = places[joint.parent] if joint.parent else np.zeros(3)
        children = [1 + names.index(item.name) for item in figure.joints
                    if item.parent == joint.name]  # fmt: skip
        node: dict[str, Any] = {
            "name": joint.name,
            "translation": np.round(y_up(places[joint.name] - above), 6).tolist(),
        }
        nodes.append({**node, "children": children} if children else node)
    binds = np.tile(np.eye(4), (len(names), 1, 1))
    binds[:, 3, :3] = [-y_up(places[name]) for name in names]
    colors = list(COLORS)
    data = {
        "asset": {"version": "2.0", "generator": "Goishi, assets/models/maker"},
        "scene": 0,
        "scenes": [{"nodes": [0, 1]}],
        "nodes": nodes,
        "meshes": [{"name": "figure", "primitives": _primitives(writer, figure, colors)}],
        "materials": [_material(name) for name in colors],
        "skins": [{
            "joints": list(range(1, 1 + len(names))),
            "inverseBindMatrices": writer.add(binds, "MAT4"),
        }],
        "animations": [_animation(writer, clip, names, places) for clip in clips],
        "accessors": writer.accessors,
        "bufferViews": writer.views,
        "buffers": [{"byteLength": len(writer.content)}],
    }  # fmt: skip
    content = _binary(data, bytes(writer.content))
    path.write_bytes(content)
    return len(content)


def _primitives(writer: Writer, figure: Figure, colors: list[str]) -> list[dict[str, Any]]:
    found = []
    for color in colors:
        parts = [part for part in figure.parts if part.color == color]
        points, normals, weights, triangles = _joined(parts)
        bones = np.argsort(-weights, axis=1)[:, :4]
        amounts = np.round(np.take_along_axis(weights, bones, axis=1) * 255).astype(int)
        amounts[:, 0] += 255 - amounts.sum(axis=1)
        bones = np.where(amounts > 0, bones, 0)
        found.append({
            "attributes": {
                "POSITION": writer.add_bounded(y_up(points), "VEC3"),
                "NORMAL": writer.add(y_up(normals), "VEC3"),
                "JOINTS_0": writer.add(bones, "VEC4", "u1"),
                "WEIGHTS_0": writer.add(amounts, "VEC4", "u1", normalized=True),
            },
            "indices": writer.add(triangles, "SCALAR", "<u2"),
            "material": colors.index(color),
        })  # fmt: skip
    return found


def _joined(parts: list[Part]) -> tuple[Any, Any, Any, Any]:
    count, triangles = 0, []
    for part in parts:
        triangles.append(part.shape.triangles + count)
        count += len(part.shape.points)
    return (
        np.concatenate([part.shape.points for part in parts]),
        np.concatenate([part.shape.normals for part in parts]),
        np.concatenate([part.weights for part in parts]), np.concatenate(triangles),
    )  # fmt: skip


def _material(name: str) -> dict[str, Any]:
    color, roughness = COLORS[name]
    linear = [round((value / 255.0) ** 2.2, 5) for value in color]
    pbr = {"baseColorFactor": [*linear, 1.0], "metallicFactor": 0.0, "roughnessFactor": roughness}
    return {"name": name, "pbrMetallicRoughness": pbr}


def _animation(
    writer: Writer, clip: Clip, names: list[str], places: dict[str, FloatArray]
) -> dict[str, Any]:
    times = writer.add_bounded(clip.times, "SCALAR")
    hips = y_up(places["hips"] + clip.hips)
    tracks = [("hips", "translation", hips, "VEC3")]
    tracks += [(name, "rotation", y_up(turns), "VEC4") for name, turns in clip.turns.items()]
    return {
        "name": clip.name,
        "samplers": [{"input": times, "output": writer.add(values, shape)}
                     for _, _, values, shape in tracks],
        "channels": [{"sampler": number, "target": {"node": 1 + names.index(name), "path": path}}
                     for number, (name, path, _, _) in enumerate(tracks)],
    }  # fmt: skip


def _binary(data: dict[str, Any], content: bytes) -> bytes:
    text = json.dumps(data, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    content += bytes(-len(content) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
    chunks += struct.pack("<II", len(content), 0x004E4942) + content
    return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks
