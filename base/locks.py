"""Locks on folders: one process at a time writes there.

The operating system releases a lock when its process ends, however it ends, so no lock is ever
stale. The process id in the file only serves the error message of a second process.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import Final

from base.errors import UsageError
from base.files import check_no_link

RUN_LOCK: Final = "run.lock"
"""The lock file of a folder of results; it exists only while a process writes there."""

_LOCKED_BYTE: Final = 1 << 30  # far behind the process id: others must be able to read that


class FolderBusyError(UsageError):
    """Another process writes into the folder; `holder` is its process id, 0 if unknown."""

    def __init__(self, path: Path, holder: int) -> None:
        self.path = path
        self.holder = holder
        who = f"process {holder}" if holder else "another process"
        super().__init__(
            f"{path}: expected a folder that no other run writes, found it in use by {who}"
        )

    def __reduce__(self) -> tuple[type[FolderBusyError], tuple[Path, int]]:
        """Keep path and holder when the error is sent to another process."""
        return type(self), (self.path, self.holder)


class FolderLock:
    """The lock of a folder that is written by one process at a time.

    Args:
        directory: the folder; it need not exist yet.
        name: the lock file's name in it.
    """

    def __init__(self, directory: Path, name: str = RUN_LOCK) -> None:
        self.directory = directory
        self.path = directory / name
        self._descriptor: int | None = None

    @property
    def is_held(self) -> bool:
        """Whether this object holds the lock."""
        return self._descriptor is not None

    def acquire(self) -> None:
        """Acquire the lock; create the folder if needed. Does nothing if the lock is held.

        Raises:
            FolderBusyError: another process holds the lock, or another `FolderLock` of this
                process.
            OSError: the folder cannot be created or written.
        """
        if self._descriptor is not None:
            return
        self.directory.mkdir(parents=True, exist_ok=True)
        while self._descriptor is None:
            self._descriptor = self._try()

    def release(self) -> None:
        """Release the lock and remove its file. Does nothing if not held."""
        if self._descriptor is None:
            return
        descriptor, self._descriptor = self._descriptor, None
        with contextlib.suppress(OSError):  # Windows removes no open file
            self.path.unlink()
        os.close(descriptor)
        if os.name == "nt":
            with contextlib.suppress(OSError):
                self.path.unlink()

    def holder(self) -> int:
        """Return the process id written in the lock file, 0 where there is none."""
        try:
            return int(self.path.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return 0

    def _try(self) -> int | None:
        """Open and lock the lock file.

        Returns:
            File descriptor of the locked file. None if another process removed the file at the same
            moment, so that the call must be repeated.

        Raises:
            FolderBusyError: another process holds the lock.
            OSError: the lock file is a link to another file, or cannot be opened.
        """
        check_no_link(self.path)  # for Windows, and for the message
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(self.path, flags, 0o644)
        try:
            if not try_lock(descriptor):
                raise FolderBusyError(self.directory, self.holder())
            is_there = self._is_there(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        if not is_there:
            os.close(descriptor)
            return None
        with contextlib.suppress(OSError):  # a full disk: locked all the same
            os.ftruncate(descriptor, 0)
            os.write(descriptor, f"{os.getpid()}\n".encode())
        return descriptor

    def _is_there(self, descriptor: int) -> bool:
        """Whether an open lock file still exists under its path."""
        try:
            return os.path.samestat(os.fstat(descriptor), os.stat(self.path))
        except FileNotFoundError:
            return False

    def __enter__(self) -> FolderLock:
        self.acquire()
        return self

    def __exit__(self, *error: object) -> None:
        self.release()


if sys.platform == "win32":
    import msvcrt

    def try_lock(descriptor: int) -> bool:
        """Try to lock an open file; return whether that succeeded."""
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return True

else:
    import fcntl

    def try_lock(descriptor: int) -> bool:
        """Try to lock an open file; return whether that succeeded.

        Raises:
            OSError: the file system does not support locks.
        """
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
