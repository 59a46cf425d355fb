"""The mesh files of robots: found beside them in the project, as models that the scene reads."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Any, Final

from sim.core.assets.assets import stamp
from sim.core.assets.formats import FORMATS, suffix_of
from sim.render.importing.model_data import ModelError
from sim.render.importing.pictures import Beside

READ_BY_MUJOCO: Final = (".stl", ".obj")
STAND_IN: Final = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
STAND_IN_FACES: Final = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
"""A tetrahedron in the place of a mesh that MuJoCo does not read: where it lies is then known."""


def find_meshes(spec: Any, beside: Beside) -> dict[str, str]:
    """Find the files of a robot's meshes and tell MuJoCo where they are.

    Args:
        spec: MuJoCo's, not compiled yet.
        beside: the robot's file and project.

    Returns:
        The path in the project of each mesh, by its name in the robot.

    Raises:
        ModelError: a file is not there, lies outside the project, or is of another kind.
    """
    found: dict[str, str] = {}
    for mesh in spec.meshes:
        if not mesh.file:
            continue
        path = _find(str(mesh.file), str(spec.compiler.meshdir or ""), beside)
        if path is None:
            raise ModelError(
                f"expected the file of the mesh {mesh.name!r} in the project, found no "
                f"{mesh.file!r}"
            )
        suffix = suffix_of(path.name)
        if suffix not in FORMATS:
            raise ModelError(
                f"expected the mesh {mesh.name!r} in a file of {', '.join(FORMATS)}, found "
                f"{path.name!r}"
            )
        name = mesh.name or path.stem
        found[name] = path.relative_to(beside.project).as_posix()
        mesh.name = name
        if suffix in READ_BY_MUJOCO:
            mesh.file = str(path)
        else:
            mesh.file, mesh.uservert, mesh.userface = "", STAND_IN, STAND_IN_FACES
    spec.compiler.meshdir = ""
    return found


def _find(file: str, folder: str, beside: Beside) -> Path | None:
    """Return the file that a robot names; `package://NAME/...` is looked for in folders above."""
    name = file.replace("\\", "/")
    is_package = name.startswith(("package://", "package:/", "model://"))
    parts = PurePosixPath(name.partition(":/")[2].lstrip("/")).parts
    own = beside.folder.resolve()
    if not is_package:
        tries = [own / folder / name, own / name]
    else:
        above = [own, *own.parents]
        above = [item for item in above if item == beside.project or beside.project in item.parents]
        tries = [item.joinpath(*parts[skip:]) for item in above for skip in (0, 1)]
    for path in tries:
        full = path.resolve()
        if beside.project in full.parents:
            known = stamp(full)
            beside.seen[str(full)] = known
            if known is not None and full.is_file():
                return full
    return None


__all__ = ["find_meshes"]
