"""The files that a robot names: all in its project; its meshes as models that the scene reads."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
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


FOLDERS: Final = ("assetdir", "meshdir", "texturedir")
"""Attributes of MJCF in which folders of files stand."""
READ: Final = ("include", "model")
"""Elements whose file is a robot, too."""


def check_files(path: Path, text: str, beside: Beside, read: Callable[[Path], str]) -> str:
    """Look through a robot's file and all that it includes, before anything reads what they name.

    A mesh that is not there is `find_meshes`' to tell.

    Args:
        path: the robot's file.
        text: what stands in it, without a document type.
        beside: the robot's file and project.
        read: returns the text of a file, or raises ModelError.

    Returns:
        The tag of the whole: "robot" of URDF, "mujoco" of MJCF.

    Raises:
        ModelError: a file is no sound XML, or names one that lies outside the project.
    """
    elements = _elements_of(text, path.name)
    known, left = {path.resolve()}, list(elements)
    folders = {path.parent}
    while left:
        element = left.pop()
        if element.tag not in READ:
            continue
        for full in _places(element.get("file", ""), folders, beside):
            beside.seen[str(full)] = stamp(full)
            if full not in known:
                known.add(full)
                folders.add(full.parent)
                more = _elements_of(read(full), full.name)
                left += more
                elements += more
    named = {element.get(name, "") for element in elements for name in FOLDERS}
    folders |= {folder / name for folder in folders for name in named}
    for element in elements:
        for key, value in element.items():
            if key.startswith("file"):
                _places(value, folders, beside)
    return elements[0].tag


def _elements_of(text: str, name: str) -> list[ET.Element]:
    try:
        # without a document type there are no entities that could grow
        return list(ET.fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", text)).iter())
    except ET.ParseError as error:
        raise ModelError(f"expected XML, found in {name}: {error}") from None


def _places(value: str, folders: set[Path], beside: Beside) -> list[Path]:
    """Return the files that a name may mean.

    Raises:
        ModelError: one of them is no plain file of the project.
    """
    name = value.replace("\\", "/")
    found = []
    for folder in sorted(folders):
        full = (folder / name).resolve()
        if not name or not full.exists() or full.is_dir():
            continue
        if beside.project not in full.parents or not full.is_file():
            raise ModelError(f"expected the files of a robot in the project, found {value!r}")
        found.append(full)
    return found


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
