"""Saved games: JSON data that a project's scripts keep in the user's data folder.

Each project has a folder of its own there, so two games never overwrite each other's files. A file
in the folder says which project it belongs to. When the project's folder was moved, its saved games
go with it. For that, the project must have an `id` in `goishi.toml`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import unicodedata
from pathlib import Path
from typing import Final

from base.closed import Closed
from base.errors import SaveError
from base.files import atomic_write, rename
from base.program import IS_PACKED
from base.storage.json_file import read_json, write_json
from base.storage.plain_data import plain_data
from sim.core.project.scene_dir import project_id

FOLDER: Final = "saves"
"""Folder in the data directory that holds a folder for each project."""
SUFFIX: Final = ".json"
FORMAT: Final = "goishi.save/1"
OWNER_FILE: Final = "project.owner"
OWNER_FORMAT: Final = "goishi.save_owner/1"
LONGEST: Final = 60
"""Maximum length of a saved game's name."""
DEVICES: Final = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")
"""Names that are devices on Windows."""


class Saves(Closed):
    """The saved games of a project: `self.saves` of a script.

    Every name is a file of JSON data. It is replaced in one step: if the disk is full or the
    program is killed, the file of before stays.

    Args:
        folder: folder of the saved games of all projects; it need not exist.
        project: folder of the project.
    """

    __slots__ = ("_all", "_own", "_project")

    def __init__(self, folder: Path, project: Path) -> None:
        self._all, self._project = folder, project
        self._own: Path | None = None

    @property
    def folder(self) -> Path:
        """The project's own folder; it is made when the first game is saved."""
        if self._own is None:
            self._own = _folder_of(self._all, self._project.resolve())
        return self._own

    def write(self, name: str, data: object) -> None:
        """Save a game, in place of the one with the same name.

        Args:
            name: name of the saved game, such as "slot 1": 1 to 60 letters, digits, spaces, and
                the characters - _ and a dot.
            data: numbers, texts, True, False, None, and lists and dicts of them. Tuples, vectors
                and NumPy arrays are saved as lists. The keys of dicts are texts.

        Raises:
            ValueError: the name or a part of the data does not fit; nothing was written.
            SaveError: the file cannot be written, for example on a full disk. The file of before
                is unchanged.
        """
        path = self._path(name, "write")
        found = {"format": FORMAT, "name": name, "data": plain_data(data, f"saves.write({name!r})")}
        text = json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._sign()
            atomic_write(path, f"{text}\n", sync=True)
        except OSError as error:
            raise SaveError(
                f"saves.write({name!r}): expected a file that can be written, found: "
                f"{error.strerror or error} ({path}); what was saved before is unchanged"
            ) from None

    def read(self, name: str, default: object = None) -> object:
        """Return the data of a saved game, as new lists and dicts.

        Args:
            name: name of the saved game.
            default: what to return if there is no saved game of this name.

        Raises:
            ValueError: the name does not fit; see `write`.
            SaveError: the file is damaged or cannot be read; it is left as it is.
        """
        path = self._path(name, "read")
        try:
            found = read_json(path)
        except FileNotFoundError:
            return default
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error).rpartition(", found ")[2]
            raise self._damaged(name, path, reason) from None
        if found.get("format") != FORMAT or "data" not in found:
            raise self._damaged(name, path, f"the format {found.get('format')!r:.40}")
        return found["data"]

    def names(self) -> list[str]:
        """Return the names of all saved games, the one that was saved last first."""
        times: dict[str, int] = {}
        with contextlib.suppress(OSError), os.scandir(self.folder) as entries:
            for entry in entries:
                name = unicodedata.normalize("NFC", entry.name.removesuffix(SUFFIX))
                if entry.name.endswith(SUFFIX) and not _fault_of(name):
                    with contextlib.suppress(OSError):
                        times[name] = entry.stat().st_mtime_ns
        return sorted(times, key=lambda name: (-times[name], name))

    def delete(self, name: str) -> bool:
        """Delete a saved game; return whether there was one.

        Raises:
            ValueError: the name does not fit; see `write`.
            SaveError: the file cannot be deleted.
        """
        path = self._path(name, "delete")
        try:
            path.unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise SaveError(
                f"saves.delete({name!r}): expected a file that can be deleted, found: "
                f"{error.strerror or error} ({path})"
            ) from None
        return True

    def _path(self, name: str, what: str) -> Path:
        """Return the path of a saved game's file.

        Args:
            name: name of the saved game.
            what: name of the method that asks, for the error message.
        """
        if fault := _fault_of(name):
            raise ValueError(f"saves.{what}: expected {fault}, found {name!r:.80}")
        return self.folder / f"{unicodedata.normalize('NFC', name)}{SUFFIX}"

    def _damaged(self, name: str, path: Path, reason: str) -> SaveError:
        return SaveError(
            f"saves.read({name!r}): expected a saved game, found {reason} ({path}); the file is "
            "left as it is"
        )

    def _sign(self) -> None:
        """Write down which project the folder belongs to, unless that is known already."""
        path = self.folder / OWNER_FILE
        if not path.is_file():
            root = self._project.resolve()
            owner = {"format": OWNER_FORMAT, "folder": str(root), "project": project_id(root)}
            write_json(path, owner)


def _fault_of(name: object) -> str:
    """Return what is expected of a saved game's name; empty if the name fits."""
    words = "a name of letters, digits, spaces, - _ and ."
    if not isinstance(name, str) or not re.fullmatch(r"[\w .-]+", name):
        return words
    if len(name) > LONGEST or len(name.encode()) > 3 * LONGEST:
        return f"a name of at most {LONGEST} characters"
    if name.strip(" .") != name or DEVICES.fullmatch(name):
        return f"{words} that begins and ends with none of space and . and is no device"
    return ""


def _folder_of(above: Path, project: Path) -> Path:
    """Return the folder of a project's saved games; a moved project gets the one that it had.

    Args:
        above: folder of the saved games of all projects.
        project: folder of the project, with links resolved.
    """
    own_id = project_id(project)
    place = "" if IS_PACKED else str(project)  # a packed game has one project, wherever it lies
    text = f"{place}\0{own_id}".encode(errors="surrogateescape")
    plain = re.sub(r"[^\w-]+", "_", project.name)[:40] or "project"
    folder = above / f"{plain}-{hashlib.sha256(text).hexdigest()[:12]}"
    if not folder.exists():
        former = _moved_from(above, project, own_id)
        if former is not None:
            with contextlib.suppress(OSError):
                rename(former, folder)
                (folder / OWNER_FILE).unlink()  # written again with the next saved game
    return folder


def _moved_from(above: Path, project: Path, own_id: str) -> Path | None:
    """Return the folder that a project had before it was moved, or before it had its id.

    A project that still stands where it was keeps its folder, so a copy of it begins anew.

    Args:
        above: folder of the saved games of all projects.
        project: folder of the project.
        own_id: the project's id; empty if it has none.
    """
    for path in sorted(above.glob(f"*/{OWNER_FILE}")):
        try:
            owner = read_json(path)
            was, its_id = Path(str(owner["folder"])), owner["project"]
        except (OSError, ValueError, KeyError):
            continue
        is_moved = bool(own_id) and its_id == own_id and project_id(was) != own_id
        if is_moved or was == project:
            return path.parent
    return None
