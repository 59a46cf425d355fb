"""Importer of STL, text and binary, by trimesh: triangles in metres and with z up.

The two bytes behind each triangle of a binary file may hold its colour. Two programs have defined
how, VisCAM and Magics (https://en.wikipedia.org/wiki/STL_(file_format), "Color in binary STL").
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, Final

import numpy as np
import trimesh

from sim.core.assets.animation.poses import FloatArray
from sim.render.importing.model_data import (
    Beside,
    MeshData,
    ModelData,
    ModelError,
    bare_surface,
    linear_of,
    resting,
)

HEAD: Final = 84  # bytes before the first triangle
ROW: Final = 50  # bytes of a triangle
MARK: Final = 0x8000  # the bit that tells whether a triangle has a colour
FIVE_BITS: Final = 31
PLAIN_GREY: Final = 0.906  # sRGB, of triangles without a colour: the grey of no material


def read(path: Path, beside: Beside) -> ModelData:
    """Read an STL file.

    Args:
        path: the file.
        beside: not used, as the format refers to no other files.

    Raises:
        ModelError: the file is not readable.
    """
    try:
        with path.open("rb") as stream:
            found: Any = trimesh.load(stream, file_type="stl", process=False)
    except MemoryError:
        raise
    except Exception as error:  # a cut file ends its reader anywhere
        raise ModelError(f"expected STL, found a broken file: {one_line(error)}") from error
    parts = list(found.geometry.values()) if isinstance(found, trimesh.Scene) else [found]
    parts = [part for part in parts if isinstance(part, trimesh.Trimesh) and len(part.faces)]
    if not parts:
        raise ModelError("expected STL, found a broken file: no triangles")
    model = ModelData(resting())
    colors = face_colors(path.read_bytes())
    if colors is not None and (len(parts) > 1 or len(parts[0].faces) != len(colors)):
        colors = None
    surface = model.add_surface(bare_surface(has_colors=colors is not None))
    for part in parts:
        points = np.asarray(part.vertices, dtype=np.float64)
        corners = np.asarray(part.faces, dtype=np.int64)
        flat = np.zeros((len(points), 2))
        mesh = MeshData("mesh", 0, points, np.zeros_like(points), flat, corners, surface)
        mesh.flatten()
        if colors is not None:
            mesh.colors = np.repeat(linear_of(colors), 3, axis=0)
        model.meshes.append(mesh)
    return model


def face_colors(content: bytes) -> FloatArray | None:
    """Return the sRGB colours `[T, 3]` of the triangles of a binary STL, 0 to 1; None for none.

    Args:
        content: content of the file.
    """
    if len(content) < HEAD + ROW:
        return None
    count = struct.unpack_from("<I", content, HEAD - 4)[0]
    if len(content) < HEAD + ROW * count or not count:
        return None
    rows = np.frombuffer(content, dtype=np.uint8, count=ROW * count, offset=HEAD)
    bits = np.ascontiguousarray(rows.reshape(-1, ROW)[:, -2:]).view("<u2").ravel()
    parts = np.stack([bits >> shift & FIVE_BITS for shift in (0, 5, 10)], axis=1) / FIVE_BITS
    at = content.find(b"COLOR=", 0, HEAD - 4)
    if at >= 0:  # Magics: red is lowest, and the mark means the colour of the whole
        whole = np.frombuffer(content, dtype=np.uint8, count=3, offset=at + 6) / 255.0
        return np.where((bits & MARK > 0)[:, None], whole, parts)
    is_colored = bits & MARK > 0  # VisCAM: blue is lowest
    if not is_colored.any():
        return None
    return np.where(is_colored[:, None], parts[:, ::-1], PLAIN_GREY)


def one_line(error: Exception) -> str:
    """Return the first line of an error's message, or its type where it has none."""
    return next(iter(str(error).splitlines()), "") or type(error).__name__
