"""Importer of OBJ: the meshes by ufbx, the material libraries by `mtl.py`."""

from __future__ import annotations

import codecs
from pathlib import Path

import numpy as np

from sim.render.importing.fbx import FbxReader, load
from sim.render.importing.model_data import (
    MOST_VERTICES,
    Beside,
    ModelData,
    ModelError,
    cloud_of,
    linear_of,
)
from sim.render.importing.mtl import SAMPLE, MtlSurfaces, is_wide, read_libraries


def read(path: Path, beside: Beside) -> ModelData:
    """Read an OBJ file.

    Args:
        path: the file.
        beside: finds the material libraries and pictures that it refers to.

    Raises:
        ModelError: the file is not readable.
    """
    content = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    check_text(content)
    materials, warnings = read_libraries(content, beside)
    reader = FbxReader(load(content, path), lambda data: MtlSurfaces(data, beside, materials))
    reader.read_meshes()
    data = reader.data
    if not data.meshes:
        data.undrawn.clear()  # the text itself tells more
        add_points(content, data)
    data.warnings += [*warnings, *beside.warnings()]
    data.beside = beside.seen
    return data


def check_text(content: bytes) -> None:
    """Check that the bytes of an OBJ file are readable text.

    Raises:
        ModelError: the content is UTF-16 or binary.
    """
    if is_wide(content):
        raise ModelError("expected text in UTF-8 or ASCII, found UTF-16")
    if b"\0" in content[:SAMPLE] or content.startswith(b"\x1f\x8b"):
        raise ModelError("expected text in UTF-8 or ASCII, found binary data")


def add_points(content: bytes, data: ModelData) -> None:
    """Add the vertices of a file without faces and lines as a point cloud.

    Args:
        content: content of the OBJ file.
        data: gets the cloud, or the reason why nothing is drawn.
    """
    rows: list[list[bytes]] = []
    for line in content.splitlines():
        words = line.split()
        if words[:1] == [b"v"]:
            rows.append(words[1:7])
        elif words[:1] in ([b"f"], [b"l"]):
            data.undrawn.append("it has lines and points, and no faces")
            return
    if len(rows) > MOST_VERTICES:
        raise ModelError(f"expected at most {MOST_VERTICES} vertices, found {len(rows)}")
    if not rows:
        data.undrawn.append("it has no vertices and no faces")
        return
    try:
        values = np.array([row if len(row) == 6 else row[:3] for row in rows], dtype=np.float64)
    except ValueError:
        raise ModelError("expected three numbers for each vertex, found others") from None
    colors = linear_of(values[:, 3:]) if values.shape[1] == 6 else None
    data.add_cloud(cloud_of(values[:, :3], colors))
