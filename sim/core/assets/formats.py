"""Formats of model and robot files, and the module that reads each."""

from __future__ import annotations

from typing import Final

FORMATS: Final[dict[str, str]] = {
    ".fbx": "sim.render.importing.fbx",
    ".glb": "sim.render.importing.gltf",
    ".gltf": "sim.render.importing.gltf",
    ".obj": "sim.render.importing.obj",
    ".stl": "sim.render.importing.stl",
    ".ply": "sim.render.importing.ply",
    ".dae": "sim.render.importing.collada",
    ".egg": "sim.render.importing.panda_files",
    ".egg.pz": "sim.render.importing.panda_files",
    ".bam": "sim.render.importing.panda_files",
}
"""Reader module of each model file format, by file name suffix; imported in a child process.

The module's function `read(path, beside)` returns the `ModelData` of a file, or raises
`ModelError`. Its second argument finds further files to which the file refers.
"""

ROBOTS: Final[dict[str, str]] = {
    ".urdf": "sim.render.importing.robots",
    ".mjcf": "sim.render.importing.robots",
    ".xml": "sim.render.importing.robots",
}
"""Reader module of each robot file format, by file name suffix.

A robot is turned into scene objects with bodies and joints. The module's function `read(path,
beside)` returns the `RobotData` of a file, or raises `ModelError`. Its second argument finds
further files to which the file refers.
"""


PICTURES: Final = (".png", ".jpg", ".jpeg", ".bmp", ".webp")
"""File name suffixes of pictures."""


def is_robot(name: str) -> bool:
    """Return whether a file is a robot's, judged by its name.

    >>> is_robot("assets/arm.URDF"), is_robot("assets/arm.glb")
    (True, False)
    """
    return name.lower().endswith(tuple(ROBOTS))


def suffix_of(name: str) -> str:
    """Return the file name suffix of a model in lower case; a packed file has two parts.

    >>> suffix_of("assets/Rig.EGG.PZ")
    '.egg.pz'
    """
    lower = name.lower()
    known = [suffix for suffix in FORMATS if lower.endswith(suffix)]
    dot = lower.rfind(".")
    return max(known, key=len, default=lower[dot:] if dot >= 0 else "")
