"""The data directory, which keeps what AIs have learnt, and its lock.

Only one process uses a data directory at a time. A run uses one of these folders:

- The folder named by `--data-dir`. If it is in use or not writable, the run is refused.
- For `--headless` or an explicit `--seed`, a temporary folder, removed at the end.
- Else the user's data directory. If another process uses it, or it cannot be written,
  the run uses a temporary folder and tells the user, so that a second window still opens.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import platformdirs

from base.errors import UsageError
from base.files import atomic_write
from base.locks import FolderBusyError, FolderLock
from base.temporary import new_folder

APPLICATION: Final = "goishi"
LOCK_NAME: Final = "goishi.lock"
MARKER_NAME: Final = "goishi-data.json"
MARKER_FORMAT: Final = "goishi.data/1"
LEARNT_PATTERNS: Final = ("scn_*", "*.sqlite3*", "*.jsonl")
"""Name patterns of what `forget` deletes: the folder of each scene, and recorded games."""


class DataDirError(UsageError):
    """The data directory cannot be used; the message says why."""


class DataDirBusyError(DataDirError):
    """Another process uses the data directory.

    Args:
        path: the data directory.
        holder: id of that process; 0 if unknown.
    """

    def __init__(self, path: Path, holder: int) -> None:
        self.path = path
        self.holder = holder
        who = f"process {holder}" if holder else "another process"
        super().__init__(f"{path}: expected a free data folder, found it in use by {who}")


def user_data_dir() -> Path:
    """Return the user's data directory for Goishi; it need not exist."""
    return Path(platformdirs.user_data_dir(APPLICATION, appauthor=False))


def user_cache_dir() -> Path:
    """Return the user's cache directory for Goishi; it need not exist."""
    return Path(platformdirs.user_cache_dir(APPLICATION, appauthor=False))


class DataDirLock(FolderLock):
    """The lock of one data directory."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory, LOCK_NAME)

    def acquire(self) -> None:
        """Acquire the lock, creating the directory if need be; does nothing if held.

        Raises:
            DataDirBusyError: another process holds it.
            OSError: the directory cannot be created or written.
        """
        try:
            super().acquire()
        except FolderBusyError as error:
            raise DataDirBusyError(self.directory, error.holder) from None


@dataclass(frozen=True)
class DataDirectory:
    """The data directory of a run.

    Attributes:
        path: an existing folder that only this process uses.
        temporary: whether the folder is removed at the end of the run.
        note: one line for the user if the usual directory is not available, else empty.
        instead_of: the usual directory if it is not available, for example because another process
            uses it. Its files can still be read. None if it is available.
    """

    path: Path
    temporary: bool
    note: str = ""
    instead_of: Path | None = None


@contextlib.contextmanager
def open_data_dir(asked: Path | None, *, temporary: bool = False) -> Iterator[DataDirectory]:
    """Open the data directory of a run, locked until the end of the block.

    Args:
        asked: the folder of `--data-dir`; None for the usual one.
        temporary: whether to use a new folder that is removed at the end; ignored if `asked` is
            set.

    Raises:
        DataDirBusyError: `asked` is in use by another process.
        DataDirError: `asked` cannot be written.
    """
    if asked is None and temporary:
        with _temporary_directory("") as directory:
            yield directory
        return
    path = (asked or user_data_dir()).expanduser().absolute()
    lock = DataDirLock(path)
    try:
        lock.acquire()
        _mark(path)
    except (OSError, DataDirBusyError) as error:
        lock.release()
        if asked is not None:
            raise _refusal(path, error) from error
        with _temporary_directory(_note(error)) as directory:
            yield replace(directory, instead_of=path)
        return
    with lock:
        yield DataDirectory(path, temporary=False)


def forget(path: Path) -> list[Path]:
    """Delete the learnt state in the data directory `path`; settings and layout stay.

    Returns:
        The deleted files and folders, sorted.

    Raises:
        DataDirBusyError: a running instance holds it.
        DataDirError: `path` is not a data directory of Goishi: nothing was touched.
    """
    found = learnt_entries(path)
    if not found:
        return []
    with DataDirLock(path):
        for entry in found:
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink(missing_ok=True)
    return found


def learnt_entries(path: Path) -> list[Path]:
    """Return the files and folders that `forget` would delete in the data directory `path`.

    Raises:
        DataDirError: `path` is not a data directory of Goishi.
    """
    if not path.exists():
        return []
    entries = {entry for pattern in LEARNT_PATTERNS for entry in path.glob(pattern)}
    if entries and not (path / MARKER_NAME).is_file():
        raise DataDirError(f"{path}: expected a data folder of Goishi, found no {MARKER_NAME}")
    return sorted(entries)


@contextlib.contextmanager
def _temporary_directory(note: str) -> Iterator[DataDirectory]:
    path = new_folder()
    try:
        _mark(path)
        yield DataDirectory(path, temporary=True, note=note)
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _mark(path: Path) -> None:
    marker = path / MARKER_NAME
    if not marker.exists():
        atomic_write(marker, json.dumps({"format": MARKER_FORMAT}) + "\n")


def _note(error: OSError | DataDirBusyError) -> str:
    consequence = "this one starts with nothing learnt and keeps nothing"
    if isinstance(error, DataDirBusyError):
        who = f"process {error.holder}" if error.holder else "another process"
        return f"another Goishi ({who}) is using {error.path}: {consequence}"
    return f"the data folder cannot be used ({error}): {consequence}"


def _refusal(path: Path, error: OSError | DataDirBusyError) -> DataDirError:
    if isinstance(error, DataDirBusyError):
        return error
    reason = error.strerror or str(error)
    expected = "expected a folder that can be written"
    return DataDirError(f"--data-dir: {expected}, found {path}: {reason}")
