"""Model file formats: the reader of each file name suffix."""

from __future__ import annotations

from typing import Final

FORMATS: Final[dict[str, str]] = {
    ".fbx": "sim.render.importing.fbx",
    ".glb": "sim.render.importing.gltf",
    ".gltf": "sim.render.importing.gltf",
    ".obj": "sim.render.importing.fbx",
    ".stl": "sim.render.importing.triangles",
    ".ply": "sim.render.importing.triangles",
    ".dae": "sim.render.importing.collada",
    ".egg": "sim.render.importing.panda_files",
    ".egg.pz": "sim.render.importing.panda_files",
    ".bam": "sim.render.importing.panda_files",
}
"""The reader module of each kind of model file, imported in a child process. Its `read(path,
beside)` returns the `ModelData` of a file, or raises `ModelError`.
"""

ROBOTS: Final[dict[str, str]] = {
    ".urdf": "sim.render.importing.robots",
    ".mjcf": "sim.render.importing.robots",
    ".xml": "sim.render.importing.robots",
}
"""The reader module of each kind of robot file; robots become objects with bodies and joints. Its
`read(path, beside)` returns the `RobotData` of a file, or raises `ModelError`.
"""


def is_robot(name: str) -> bool:
    """Return whether a file is a robot's, judged by its name.

    >>> is_robot("assets/arm.URDF"), is_robot("assets/arm.glb")
    (True, False)
    """
    return name.lower().endswith(tuple(ROBOTS))


def suffix_of(name: str) -> str:
    """Return the suffix of a model's file in lower case; of a packed file, both suffixes.

    >>> suffix_of("assets/Rig.EGG.PZ")
    '.egg.pz'
    """
    lower = name.lower()
    known = [suffix for suffix in FORMATS if lower.endswith(suffix)]
    dot = lower.rfind(".")
    return max(known, key=len, default=lower[dot:] if dot >= 0 else "")
