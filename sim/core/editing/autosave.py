"""Autosave: unsaved edits survive the end of the program in the middle.

Each window writes its unsaved edits into a folder of its own in the user's data, while there are
any. It holds a lock there. The system releases that when the process ends, however it ends. So a
folder whose lock is free was left behind, and its edits are offered at the next start.
"""

from __future__ import annotations

import contextlib
import hashlib
import secrets
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from base.files import atomic_write
from base.locks import FolderBusyError, FolderLock
from base.storage.json_file import read_json, write_json
from sim.core.assets.assets import stamp
from sim.core.editing.session import EditSession
from sim.core.files import scene_file

FOLDER: Final = "autosaves"
FORMAT: Final = "goishi.autosave/1"
ENTRY_NAME: Final = "autosave.json"
SCENE_NAME: Final = "autosaved.scene.json"
PERIOD: Final = 60.0  # seconds


class UnsavedText(Protocol):
    """The text of a script that may have unsaved changes.

    Attributes:
        is_unsaved: whether it has.
    """

    is_unsaved: bool

    @property
    def path(self) -> Path:
        """The script's file."""

    @property
    def text(self) -> str:
        """The text."""


@dataclass(frozen=True)
class Recovery:
    """Unsaved edits that a program left behind when it ended in the middle.

    Attributes:
        folder: the folder that holds them.
        lock: its lock, held by this process.
        time: when they were written, seconds since 1970.
        scene: file with the edited scene; None if only scripts were edited.
        scripts: (path, text) of each edited script.
        is_outdated: whether the scene's own file has been saved since.
    """

    folder: Path
    lock: FolderLock
    time: float
    scene: Path | None
    scripts: tuple[tuple[Path, str], ...]
    is_outdated: bool


class Autosave:
    """Writes the unsaved edits of one window, and finds those that were left behind.

    Args:
        folder: folder for the autosaves of all scenes.
        scene: the scene's file.
        editor: has the edits of the scene.
        texts: returns the scripts that are open in the editor.
        warn: called with a line when the edits cannot be written.
    """

    def __init__(
        self,
        folder: Path,
        scene: Path,
        editor: EditSession,
        texts: Callable[[], Sequence[UnsavedText]],
        warn: Callable[[str], object],
    ) -> None:
        self._parent, self._scene, self._editor = folder, scene.resolve(), editor
        self._texts, self._warn = texts, warn
        self._name = hashlib.sha256(bytes(self._scene)).hexdigest()[:16]
        self._lock = FolderLock(folder / f"{self._name}-{secrets.token_hex(4)}")
        self._due: float | None = None
        self._written: object = None
        self._base = stamp(self._scene)  # of the file that is edited
        self._discarded_at: int | None = None  # revision of the editor
        self._is_warned = False

    def follow(self, scene: Path) -> None:
        """Go on with another file: the scene was saved there."""
        self._delete()
        self._scene = scene.resolve()
        self._name = hashlib.sha256(bytes(self._scene)).hexdigest()[:16]
        self._lock = FolderLock(self._parent / f"{self._name}-{secrets.token_hex(4)}")
        self._base = stamp(self._scene)

    @property
    def is_unsaved(self) -> bool:
        """Whether there are unsaved edits."""
        return self._editor.is_changed or any(text.is_unsaved for text in self._texts())

    def update(self, now: float) -> None:
        """Write the edits if a minute has passed; delete them once all is saved. Once a frame.

        Args:
            now: time of a clock, seconds.
        """
        if not self.is_unsaved:
            if self._due is not None:  # it was saved, or undone to the end
                self._base = stamp(self._scene)
            self._due = None
            if self._lock.is_held:
                self._delete()
        elif self._due is None:
            self._due = now + PERIOD
        elif now >= self._due:
            self._due = now + PERIOD
            self.write()

    def write(self) -> None:
        """Write the unsaved edits, if there are any new ones; a fault gives one warning."""
        texts = [(text.path, text.text) for text in self._texts() if text.is_unsaved]
        is_changed = self._editor.is_changed
        now = (is_changed, self._editor.revision, tuple(texts))
        if now == self._written or not (texts or is_changed) or self._is_discarded():
            return
        try:
            self._lock.acquire()
            folder = self._lock.directory
            if is_changed:
                atomic_write(folder / SCENE_NAME, scene_file.dumps(self._editor.data()))
            entry = {
                "format": FORMAT,
                "scene": str(self._scene),
                "stamp": self._base,
                "time": time.time(),
                "has_scene": is_changed,
                "scripts": [{"path": str(path), "text": text} for path, text in texts],
            }
            write_json(folder / ENTRY_NAME, entry)
        except (OSError, ValueError, FolderBusyError) as error:
            if not self._is_warned:
                reason = getattr(error, "strerror", None) or error
                self._warn(f"unsaved edits are not kept for a crash: {self._parent}: {reason}")
            self._is_warned = True
            return
        self._written, self._is_warned = now, False

    def discard(self) -> None:
        """Delete what was written: the user does not want the edits."""
        self._discarded_at = self._editor.revision
        self._delete()

    def close(self) -> None:
        """Write what is still unsaved, so that the next start offers it; or delete all."""
        if self.is_unsaved and not self._is_discarded():
            self.write()
            self._lock.release()
        else:
            self._delete()

    # -- left behind --------------------------------------------------------------------------

    def find(self) -> Recovery | None:
        """Return the newest edits of this scene that were left behind; None if there are none.

        Edits of a program that still runs are not found, and neither are those found before.
        """
        found: list[Recovery] = []
        for folder in sorted(self._parent.glob(f"{self._name}-*")):
            lock = FolderLock(folder)
            if folder == self._lock.directory or not folder.is_dir() or not _is_free(lock):
                continue
            recovery = self._read(folder, lock)
            if recovery is None:
                lock.release()
            else:
                found.append(recovery)
        found.sort(key=lambda item: item.time)
        for recovery in found[:-1]:
            recovery.lock.release()
        return found[-1] if found else None

    def adopt(self, recovery: Recovery) -> None:
        """Go on with the folder of edits that were restored; they stay until they are saved."""
        self._delete()
        self._lock, self._written, self._discarded_at = recovery.lock, None, None

    def _read(self, folder: Path, lock: FolderLock) -> Recovery | None:
        """Return the edits in a folder; None if it holds none of this scene."""
        try:
            entry = read_json(folder / ENTRY_NAME)
            if entry["format"] != FORMAT or entry["scene"] != str(self._scene):
                return None
            return Recovery(
                folder=folder,
                lock=lock,
                time=float(entry["time"]),
                scene=folder / SCENE_NAME if entry["has_scene"] else None,
                scripts=tuple((Path(item["path"]), str(item["text"])) for item in entry["scripts"]),
                is_outdated=entry["stamp"] != stamp(self._scene),
            )
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return None

    def _is_discarded(self) -> bool:
        return self._discarded_at == self._editor.revision

    def _delete(self) -> None:
        self._written = None
        if self._lock.is_held:
            delete(self._lock)


def delete(lock: FolderLock) -> None:
    """Delete a folder of unsaved edits.

    Args:
        lock: its lock, which is held.
    """
    with contextlib.suppress(OSError):
        (lock.directory / ENTRY_NAME).unlink(missing_ok=True)  # without it there are no edits
    lock.release()
    shutil.rmtree(lock.directory, ignore_errors=True)


def _is_free(lock: FolderLock) -> bool:
    """Acquire a lock if no process holds it; return whether that succeeded."""
    try:
        lock.acquire()
    except (OSError, FolderBusyError):
        return False
    return True
