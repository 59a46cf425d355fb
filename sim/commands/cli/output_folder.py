"""The folder of `--out`: made, and locked for one process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from base.errors import UsageError
from base.locks import FolderLock


@contextmanager
def writing_out() -> Iterator[None]:
    """Make wrong usage of `--out` of what the `with` block cannot write.

    Raises:
        UsageError: an `OSError` left the block.
    """
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"--out: expected a folder that can be written, found {error.filename or ''}: "
            f"{error.strerror or error}"
        ) from error


def lock_out(folder: Path) -> FolderLock:
    """Make a folder, and return the lock that this process has on it.

    Raises:
        FolderBusyError: another process writes there.
        UsageError: it cannot be written.
    """
    lock = FolderLock(folder)
    with writing_out():
        lock.acquire()
    return lock
