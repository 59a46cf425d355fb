"""The folder of a scene in the data directory: what its AIs have learnt, and its games.

A shipped scene has the folder of its id, wherever Goishi's own folder stands. Any other scene has a
folder of its id and its file. So a copy of a scene, or one from elsewhere with the same id, neither
reads nor changes what another scene has learnt.

A file in the folder says which scene it belongs to. When the scene's file was moved, the folder
goes with it. For that, the projects must have the same `id` in `goishi.toml`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from base.errors import GoishiError
from base.files import SHIPPED_ROOT, read_regular, rename
from base.manifest import PROJECT_ID, read_tables
from base.storage.json_file import read_json, write_json
from base.values import JsonObject

KEYS_FILE: Final = SHIPPED_ROOT / "assets" / "scene_keys.json"
"""Ids of the shipped scenes, by their files' paths in Goishi's folder."""
OWNER_FILE: Final = "owner.json"
OWNER_FORMAT: Final = "goishi.owner/1"


@dataclass(frozen=True)
class SceneIdentity:
    """What tells a scene from all others.

    Attributes:
        id: id of the scene, as its file has it.
        file: absolute path of the scene file, with links resolved.
        project: id of its project, as `goishi.toml` has it; empty if it has none.
    """

    id: str
    file: Path
    project: str = ""

    @classmethod
    def of(cls, scene_id: str, file: Path, project: Path) -> SceneIdentity:
        """Return the identity of a scene.

        Args:
            scene_id: id of the scene.
            file: the scene file.
            project: folder of its project.
        """
        return cls(scene_id, file.resolve(), project_id(project))

    @property
    def is_shipped(self) -> bool:
        """Whether it is a scene that ships with Goishi, in its own file."""
        if not self.file.is_relative_to(SHIPPED_ROOT):
            return False
        keys = read_json(KEYS_FILE)
        return keys.get(self.file.relative_to(SHIPPED_ROOT).as_posix()) == self.id

    @property
    def folder_name(self) -> str:
        """Name of its folder in the data directory."""
        if self.is_shipped:
            return self.id
        text = f"{self.file}\0{self.project}".encode(errors="surrogateescape")
        return f"{self.id}-{hashlib.sha256(text).hexdigest()[:12]}"


def project_id(project: Path) -> str:
    """Return the id in a project's `goishi.toml`; empty if it has none, or cannot be read."""
    try:
        found = read_tables(project).get(PROJECT_ID, "")
    except GoishiError:
        return ""
    return found if isinstance(found, str) else ""


def scene_dir(data_dir: Path, scene: SceneIdentity, *, is_known: bool) -> tuple[Path, str]:
    """Return the folder of a scene in a data directory, created if need be.

    What stands in the folder that earlier versions used, named by the scene's id alone, is taken
    over once. A scene from elsewhere could name any id, so that only happens for a known scene.

    Args:
        data_dir: the data directory.
        scene: the scene.
        is_known: whether the user trusts its project, or has opened the scene before.

    Returns:
        The folder, and one line for the user: what was taken over, or that the scene begins anew
        though its id has been seen. The line is empty if there is nothing to say.
    """
    folder = data_dir / scene.folder_name
    if scene.is_shipped or (folder / OWNER_FILE).is_file():
        return folder, ""
    note = ""
    earlier, before = _moved_from(data_dir, scene, is_known), data_dir / scene.id
    if earlier is None and is_known and before.is_dir() and not _is_shipped_id(scene.id):
        earlier = before
    if earlier is not None and not folder.exists():
        with contextlib.suppress(OSError):
            rename(earlier, folder)
            note = f"what this scene has learnt is taken over from {earlier.name}"
    elif before.is_dir() or any(data_dir.glob(f"{scene.id}-*")):
        note = f"{scene.file.name} begins anew: what {scene.id} has learnt is another scene's"
    with contextlib.suppress(OSError):  # a full disk: who writes there says so
        folder.mkdir(parents=True, exist_ok=True)
        owner = {"format": OWNER_FORMAT, "scene": str(scene.file), "project": scene.project}
        write_json(folder / OWNER_FILE, owner)
    return folder, note


def _moved_from(data_dir: Path, scene: SceneIdentity, is_known: bool) -> Path | None:
    """Return the folder that the scene had in its former place; None if there is none."""
    for folder in sorted(data_dir.glob(f"{scene.id}-*")):
        try:
            owner = read_json(folder / OWNER_FILE)
            file, project = Path(str(owner["scene"])), owner["project"]
        except (OSError, ValueError, KeyError):
            continue
        is_same = file == scene.file and project == ""  # it has got an id since
        is_moved = project == scene.project and _id_in(file) != scene.id
        is_moved = is_moved and (is_known or bool(project))
        if is_same or is_moved:
            return folder
    return None


def _id_in(file: Path) -> str:
    """Return the id in a scene file; empty if there is no such file."""
    try:
        found: JsonObject = json.loads(read_regular(file, None))
        return str(found.get("id", ""))
    except (OSError, ValueError, AttributeError, RecursionError):
        return ""


def _is_shipped_id(scene_id: str) -> bool:
    return scene_id in read_json(KEYS_FILE).values()
