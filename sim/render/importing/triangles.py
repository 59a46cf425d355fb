"""Importer of STL and PLY by trimesh: triangles without a rig, in metres and with z up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import trimesh
from trimesh.visual.color import ColorVisuals

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


def read(path: Path, beside: Beside) -> ModelData:
    """Read an STL or PLY file.

    Args:
        path: the file.
        beside: not used, as these formats refer to no other files.

    Raises:
        ModelError: the file is not readable.
    """
    kind = path.suffix.lower()[1:]
    try:
        with path.open("rb") as stream:
            found = trimesh.load(stream, file_type=kind, process=False)
    except MemoryError:
        raise
    except Exception as error:  # a cut file ends its reader anywhere
        raise ModelError(
            f"expected {kind.upper()}, found a broken file: {one_line(error)}"
        ) from error
    parts = found.geometry.values() if isinstance(found, trimesh.Scene) else [found]
    model = ModelData(resting())
    for part in parts:
        if isinstance(part, trimesh.Trimesh) and len(part.faces):
            model.meshes.append(mesh_of(part, model))
        elif isinstance(part, trimesh.PointCloud):
            model.warnings.append("its points and lines are not drawn")
    if not model.meshes and not model.warnings:
        raise ModelError(f"expected {kind.upper()}, found a broken file: no triangles")
    return model


def mesh_of(part: trimesh.Trimesh, model: ModelData) -> MeshData:
    """Convert a trimesh mesh and add a material for it to the model.

    Args:
        part: the mesh.
        model: its `surfaces` get the material; the mesh itself is not added.
    """
    points = np.asarray(part.vertices, dtype=np.float64)
    colors = colors_of(part)
    surface = model.add_surface(bare_surface(has_colors=colors is not None))
    mesh = MeshData(
        "mesh",
        0,
        points,
        np.zeros_like(points),
        uvs_of(part),
        np.asarray(part.faces, dtype=np.int64),
        surface,
        colors=colors,
    )
    if "vertex_normals" in part._cache.cache:  # of the file: trimesh would make them up
        mesh.normals = np.array(part.vertex_normals, dtype=np.float64)
    else:
        mesh.flatten()
    return mesh


def colors_of(part: trimesh.Trimesh) -> FloatArray | None:
    """Return the linear colours `[N, 3]` of the vertices, None where the file has none."""
    visual = part.visual
    if not isinstance(visual, ColorVisuals) or visual.kind != "vertex":
        return None
    return linear_of(np.asarray(visual.vertex_colors, dtype=np.float64) / 255.0)


def uvs_of(part: trimesh.Trimesh) -> FloatArray:
    """Return texture coordinates `[N, 2]`, 0 where the file has none."""
    uvs = getattr(part.visual, "uv", None)
    if uvs is None or len(uvs) != len(part.vertices):
        return np.zeros((len(part.vertices), 2))
    return np.asarray(uvs, dtype=np.float64)[:, :2]


def one_line(error: Exception) -> str:
    """Return the first line of an error's message, or its type where it has none."""
    return next(iter(str(error).splitlines()), "") or type(error).__name__
