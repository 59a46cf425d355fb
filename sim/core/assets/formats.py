"""Model file formats: the reader of each file name suffix."""

from __future__ import annotations

from typing import Final

FORMATS: Final[dict[str, str]] = {
    ".fbx": "sim.render.importing.fbx",
    ".glb": "sim.render.importing.gltf",
    ".gltf": "sim.render.importing.gltf",
    ".obj": "sim.render.importing.fbx",
    ".egg": "sim.render.importing.panda_files",
    ".bam": "sim.render.importing.panda_files",
}
"""The module of each kind's reader, which is imported in a process of its own.

Its `read(path, beside)` returns the `ModelData` of a file, or raises `ModelError`.
"""
