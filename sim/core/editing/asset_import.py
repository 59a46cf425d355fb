"""Copies models, pictures and sounds into a project, with the files to which they refer."""

from __future__ import annotations

import filecmp
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from base.errors import UsageError
from base.files import atomic_file
from base.values import JsonObject
from sim.core.assets.assets import (
    PROCESSOR_SECONDS,
    AssetError,
    AssetLibrary,
    AssetState,
    read_report,
    read_robot,
)
from sim.core.assets.formats import FORMATS, PICTURES, ROBOTS, is_robot
from sim.core.audio.sound_bank import SUFFIXES
from sim.core.editing.new_files import free_path

IMPORTED: Final = (*FORMATS, *ROBOTS, *PICTURES, *SUFFIXES)
"""File name suffixes of what can be imported."""
LONGEST_READING: Final = 2.0 * PROCESSOR_SECONDS


def import_asset(source: Path, project: Path) -> str:
    """Copy a model, a robot, a picture or a sound into the folder `assets` of a project.

    A file alone keeps its name, or gets a number where another file has that. A file with others to
    which it refers gets a folder of its own. A file of the assets, and a copy that is there
    already, is not copied again.

    Args:
        source: the file.
        project: folder of the project.

    Returns:
        Path of the copy within the project.

    Raises:
        UsageError: there is no such file, or it is none of these kinds.
        AssetError: the model cannot be read.
        SceneFileError: the robot cannot be read.
        OSError: a file cannot be copied; nothing of it is left.
    """
    source = source.resolve()
    if not source.is_file():
        raise UsageError(f"Import asset: expected a file, found no {source}")
    if not source.name.lower().endswith(IMPORTED):
        kinds = ", ".join(IMPORTED)
        raise UsageError(f"Import asset: expected a file ({kinds}), found {source.name!r}")
    assets = project.resolve() / "assets"
    if source.is_relative_to(assets):
        return source.relative_to(project.resolve()).as_posix()
    files = files_of(source)
    base = Path(os.path.commonpath([file.parent for file in files]))
    places = {file: file.relative_to(base) for file in files}
    stem, suffix = source.name[: -len(_suffix(source))], _suffix(source)
    assets.mkdir(exist_ok=True)
    if len(files) == 1:
        target = _free_for(source, assets, stem, suffix)
        places = {source: Path(target.name)}
        folder = assets
    else:
        folder = assets / stem
        if not _has_all(folder, places):
            folder = free_path(assets, stem, "")
    copy_files(places, folder)
    return (folder / places[source]).relative_to(project.resolve()).as_posix()


def _suffix(source: Path) -> str:
    """Return the known suffix of a file's name as it is written there."""
    lower = source.name.lower()
    return source.name[-max(len(item) for item in IMPORTED if lower.endswith(item)) :]


def _free_for(source: Path, folder: Path, stem: str, suffix: str) -> Path:
    """Return where a file is copied to: its own name, unless a different file has it."""
    target = folder / source.name
    return target if _is_copy(target, source) else free_path(folder, stem, suffix)


def _is_copy(target: Path, source: Path) -> bool:
    return target.is_file() and filecmp.cmp(target, source, shallow=False)


def _has_all(folder: Path, places: Mapping[Path, Path]) -> bool:
    return all(_is_copy(folder / place, file) for file, place in places.items())


def copy_files(places: Mapping[Path, Path], folder: Path) -> None:
    """Copy files into a folder; if one cannot be copied, remove those that were made.

    Args:
        places: the path of each file within the folder.
        folder: the folder.

    Raises:
        OSError: a file cannot be copied; nothing of it is left.
    """
    made: list[Path] = []
    is_new = not folder.exists()
    try:
        for file, place in places.items():
            target = folder / place
            if not _is_copy(target, file):
                target.parent.mkdir(parents=True, exist_ok=True)
                made.append(target)
                with atomic_file(target) as copy:
                    shutil.copyfile(file, copy)
    except OSError:
        for target in made:
            target.unlink(missing_ok=True)
        if is_new:
            shutil.rmtree(folder, ignore_errors=True)
        raise


def files_of(source: Path) -> list[Path]:
    """Return a file, and the further files to which it refers and which are there.

    Args:
        source: absolute path of a model, a robot or any other file.

    Raises:
        AssetError: the model cannot be read.
        SceneFileError: the robot cannot be read.
    """
    if is_robot(source.name):  # its meshes are often in a folder beside its own
        root = source.parent.parent
        report = read_robot(root, source.relative_to(root).as_posix())
    elif source.name.lower().endswith(tuple(FORMATS)):
        report = _report(source)
    else:
        return [source]
    known = report.get("beside", {})
    found = {(source.parent / name).resolve() for name, stamp in known.items() if stamp is not None}
    return [source, *sorted(file for file in found if file.is_file() and file != source)]


def _report(source: Path) -> JsonObject:
    """Read a model in a child process and return the report.

    Raises:
        AssetError: it cannot be read.
    """
    library = AssetLibrary(source.parent)
    try:
        asset = library.get(source.name)
        library.poll(LONGEST_READING)
    finally:
        library.close()
    if asset.state is not AssetState.READY or asset.folder is None:
        raise AssetError(f"Import asset: {source.name}: {asset.error or 'it takes too long'}")
    return read_report(asset.folder) or {}
