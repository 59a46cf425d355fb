"""Small glTF files that show what materials can say: metal, glass, cloth, leaves, light.

`benchmarks.material_pictures` draws them, `benchmarks.frames` measures them.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
Pixels = npt.NDArray[np.uint8]
JsonObject = dict[str, Any]
FLOAT, INDEX = 5126, 5125
GLB_MAGIC, JSON_CHUNK, BINARY_CHUNK = 0x46546C67, 0x4E4F534A, 0x004E4942


@dataclass
class Shape:
    """Triangles of one node, in glTF's axes: x to the right, y up, z towards the eye.

    Attributes:
        points: `[N, 3]` positions, metres.
        normals: `[N, 3]` unit normals.
        uvs: `[N, 2]` texture coordinates; v points down.
        triangles: `[T, 3]` indices of vertices, anticlockwise seen from outside.
        material: index of the material.
        node: further keys of the node, such as its translation.
    """

    points: FloatArray
    normals: FloatArray
    uvs: FloatArray
    triangles: npt.NDArray[np.int64]
    material: int = 0
    node: JsonObject = field(default_factory=dict)


def grid(columns: int, rows: int) -> tuple[FloatArray, npt.NDArray[np.int64]]:
    """Return texture coordinates of a grid, v down, and its triangles.

    Args:
        columns: cells along u.
        rows: cells along v.
    """
    u, v = np.meshgrid(np.linspace(0, 1, columns + 1), np.linspace(0, 1, rows + 1))
    first = (np.arange(rows)[:, None] * (columns + 1) + np.arange(columns)).ravel()[:, None]
    below = first + columns + 1
    cells = [first, below, below + 1, first, below + 1, first + 1]
    triangles = np.concatenate(cells, axis=1).reshape(-1, 3)
    return np.stack([u.ravel(), v.ravel()], axis=1), triangles


def ball(radius: float, repeats: float = 1.0, cells: int = 48, **given: Any) -> Shape:
    """Return a ball.

    Args:
        radius: metres.
        repeats: how often the texture goes once around; half as often from pole to pole.
        cells: cells around.
        given: further attributes of the shape.
    """
    uvs, triangles = grid(cells, cells // 2)
    around, down = 2.0 * np.pi * uvs[:, 0], np.pi * uvs[:, 1]
    x, z = np.sin(down) * np.sin(around), np.sin(down) * np.cos(around)
    normals = np.stack([x, np.cos(down), z], axis=1)
    return Shape(normals * radius, normals, uvs * (repeats, repeats / 2), triangles, **given)


def sheet(width: float, height: float, wave: float = 0.0, cells: int = 32, **given: Any) -> Shape:
    """Return an upright sheet that faces z, with its lower edge at y = 0.

    Args:
        width: metres.
        height: metres.
        wave: how far its folds stand out, metres.
        cells: cells along each side.
        given: further attributes of the shape.
    """
    uvs, triangles = grid(cells, cells)
    turn = uvs[:, 0] * 3.0 * np.pi + uvs[:, 1]
    depth, slope = wave * np.sin(turn), wave * np.cos(turn) * 3.0 * np.pi / width
    points = np.stack([(uvs[:, 0] - 0.5) * width, (1.0 - uvs[:, 1]) * height, depth], axis=1)
    normals = np.stack([-slope, np.zeros_like(slope), np.ones_like(slope)], axis=1)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return Shape(points, normals, uvs, triangles, **given)


def bowl(radius: float, **given: Any) -> Shape:
    """Return the lower half of a sphere: an open shell, whose inside is seen from above."""
    shape = ball(radius, cells=48, **given)
    shape.triangles = shape.triangles[len(shape.triangles) // 2 :]
    return shape


def glb(shapes: list[Shape], materials: list[JsonObject], pictures: list[Pixels]) -> bytes:
    """Return a binary glTF file.

    Args:
        shapes: its nodes.
        materials: JSON of the materials, as in the specification.
        pictures: BGR or BGRA; the texture with index n shows picture n.
    """
    content, views, accessors = bytearray(), list[JsonObject](), list[JsonObject]()

    def view(data: bytes) -> int:
        content.extend(bytes(-len(content) % 4))
        views.append({"buffer": 0, "byteOffset": len(content), "byteLength": len(data)})
        content.extend(data)
        return len(views) - 1

    def accessor(values: npt.NDArray[Any], kind: str, component: int = FLOAT) -> int:
        rows = np.asarray(values, dtype="<f4" if component == FLOAT else "<u4")
        item = {"bufferView": view(rows.tobytes()), "componentType": component, "type": kind}
        bounds = {}
        if kind == "VEC3":
            bounds = {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        accessors.append({**item, "count": len(rows), **bounds})
        return len(accessors) - 1

    meshes = []
    for shape in shapes:
        columns = {
            "POSITION": accessor(shape.points, "VEC3"),
            "NORMAL": accessor(shape.normals, "VEC3"),
            "TEXCOORD_0": accessor(shape.uvs, "VEC2"),
        }
        indices = accessor(shape.triangles.ravel(), "SCALAR", INDEX)
        part = {"attributes": columns, "indices": indices, "material": shape.material}
        meshes.append({"primitives": [part]})
    images = [
        {"bufferView": view(cv2.imencode(".png", item)[1].tobytes()), "mimeType": "image/png"}
        for item in pictures
    ]
    used = {name for item in materials for name in item.get("extensions", {})}
    data: JsonObject = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": list(range(len(shapes)))}],
        "nodes": [{"mesh": number, **shape.node} for number, shape in enumerate(shapes)],
        "meshes": meshes,
        "materials": materials,
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(content)}],
        **({"extensionsUsed": sorted(used)} if used else {}),
        **({"images": images} if images else {}),
        **({"textures": [{"source": item} for item in range(len(images))]} if images else {}),
    }
    text = json.dumps(data).encode()
    text += b" " * (-len(text) % 4)
    content.extend(bytes(-len(content) % 4))
    length = 12 + 8 + len(text) + 8 + len(content)
    head = struct.pack("<III", GLB_MAGIC, 2, length) + struct.pack("<II", len(text), JSON_CHUNK)
    return head + text + struct.pack("<II", len(content), BINARY_CHUNK) + bytes(content)


def noise(size: int, cells: int, seed: int) -> FloatArray:
    """Return smooth noise `[size, size]`, 0 to 1, that repeats at its edges.

    Args:
        size: pixels of a side.
        cells: random values along a side.
        seed: seed of the values.
    """
    rng = np.random.default_rng(seed)
    coarse = np.pad(rng.random((cells, cells)), 2, mode="wrap").astype(np.float32)
    step = size // cells
    wide = cv2.resize(coarse, None, fx=step, fy=step, interpolation=cv2.INTER_CUBIC)
    found = wide[2 * step : 2 * step + size, 2 * step : 2 * step + size]
    return np.asarray(np.clip(found, 0.0, 1.0), dtype=np.float64)


def normal_map(heights: FloatArray, strength: float) -> Pixels:
    """Return a normal map of heights that repeat at their edges.

    Args:
        heights: `[h, w]`.
        strength: slope of a step of 1 from one pixel to the next.
    """
    right = (np.roll(heights, -1, axis=1) - np.roll(heights, 1, axis=1)) * 0.5 * strength
    down = (np.roll(heights, -1, axis=0) - np.roll(heights, 1, axis=0)) * 0.5 * strength
    normals = np.stack([np.ones_like(heights), down, -right], axis=-1)  # in the order BGR
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    return np.asarray(np.rint((normals * 0.5 + 0.5) * 255.0), dtype=np.uint8)


def hammered(size: int = 256, seed: int = 4) -> Pixels:
    """Return the normal map of hammered metal: dents beside each other."""
    rng = np.random.default_rng(seed)
    count = 70
    places = rng.random((count, 2)) * size
    rows, columns = np.mgrid[0:size, 0:size].astype(np.float64)
    heights = np.full((size, size), 1.0)
    for x, y in places:
        across = (columns - x + size / 2) % size - size / 2
        down = (rows - y + size / 2) % size - size / 2
        heights = np.minimum(heights, (across**2 + down**2) / (0.16 * size) ** 2)
    return normal_map(cv2.GaussianBlur(heights, (0, 0), 1.5), 9.0)


def worn(size: int = 256, seed: int = 7) -> tuple[Pixels, Pixels]:
    """Return colour, and metalness with roughness, of painted metal whose paint has come off."""
    mixed = 0.6 * noise(size, 8, seed) + 0.4 * noise(size, 32, seed + 1)
    paint = np.clip((mixed - 0.47) * 14.0, 0.0, 1.0)[..., None]
    color = paint * np.array([60.0, 92.0, 40.0]) + (1.0 - paint) * np.array([190.0, 200.0, 205.0])
    rough = paint[..., 0] * 150.0 + (1.0 - paint[..., 0]) * (50.0 + 90.0 * noise(size, 64, seed))
    parts = [255.0 * (1.0 - paint[..., 0]), rough, np.full((size, size), 255.0)]
    return color.astype(np.uint8), np.stack(parts, axis=-1).astype(np.uint8)


def leaf(size: int = 256) -> Pixels:
    """Return a leaf `[h, w, 4]` with a clear background, as a texture with alpha."""
    rows, columns = np.mgrid[0:size, 0:size] / (size - 1.0)
    along = 1.0 - rows
    half = 0.36 * np.sin(np.pi * np.clip(along, 0.06, 1.0)) ** 0.8 * (1.15 - 0.5 * along)
    off = np.abs(columns - 0.5)
    is_leaf = (off < half) | ((off < 0.015) & (along < 0.2))
    veins = np.abs(((along * 7.0 - off * 6.0) % 1.0) - 0.5) < 0.07
    green = 150 - 50 * veins - 40 * (off < 0.012)
    color = np.stack([green * 0.35, green, green * 0.45, 255.0 * is_leaf], axis=-1)
    return np.asarray(color, dtype=np.uint8)


def woven(size: int = 256, threads: int = 32) -> tuple[Pixels, Pixels]:
    """Return colour and normal map of a woven cloth with stripes."""
    rows, columns = np.mgrid[0:size, 0:size] * (threads / size)
    is_over = (rows.astype(int) + columns.astype(int)) % 2 == 0
    heights = np.where(is_over, np.abs(np.sin(np.pi * rows)), np.abs(np.sin(np.pi * columns)))
    stripe = (np.arange(size) // (size // 8) % 2 == 0)[None, :, None]
    color = np.where(stripe, np.array([60.0, 50.0, 190.0]), np.array([205.0, 215.0, 225.0]))
    shade = (0.75 + 0.25 * heights)[..., None]
    return (color * shade).astype(np.uint8), normal_map(heights, 1.6)


def lit_windows(size: int = 256) -> tuple[Pixels, Pixels]:
    """Return colour of a dark wall, and its emission: windows, of which some are lit."""
    rng = np.random.default_rng(3)
    cell = size // 8
    glow = np.zeros((size, size, 3), dtype=np.uint8)
    wall = np.full((size, size, 3), (66, 58, 54), dtype=np.uint8)
    for row in range(8):
        for column in range(8):
            y, x = row * cell + cell // 4, column * cell + cell // 4
            place = np.s_[y : y + cell // 2, x : x + cell // 2]
            wall[place] = (40, 32, 26)
            if rng.random() < 0.55:
                glow[place] = (90, 190, 255) if rng.random() < 0.8 else (255, 210, 150)
    return wall, glow
