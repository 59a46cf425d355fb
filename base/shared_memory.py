"""Memory that several processes of this user share, by a file that they map."""

from __future__ import annotations

import contextlib
import mmap
import os
import tempfile
from pathlib import Path

from base.errors import GoishiError
from base.temporary import own_prefix, sweep

SHARED = Path("/dev/shm")  # memory, where the system has it; a temporary folder else


class SharedFile:
    """An open file that other processes of this user can open by its path, until `close`.

    On Linux it has no name in any folder, so nothing is left of it, however the process ends. On
    Windows it stays until nobody has it mapped any more: a later process removes it (`sweep`).

    Args:
        folder: where the file is made.
    """

    def __init__(self, folder: Path) -> None:
        if os.name == "nt":
            sweep()
        self.handle, name = tempfile.mkstemp(prefix=own_prefix(), dir=folder)
        self.path = Path(f"/proc/{os.getpid()}/fd/{self.handle}")
        self._named: Path | None = None
        if self.path.exists():
            Path(name).unlink()
        else:
            self.path = self._named = Path(name)

    def close(self) -> None:
        """Close the file and delete it; those who have mapped it keep its content."""
        os.close(self.handle)
        if self._named is not None:
            with contextlib.suppress(PermissionError):  # Windows: somebody has it mapped
                self._named.unlink(missing_ok=True)


def shared_memory(size: int) -> tuple[SharedFile, mmap.mmap]:
    """Create a file of a given size, in memory if the system has room for it, and map it.

    Args:
        size: number of bytes.

    Returns:
        The file, which the caller must close, and its mapped content.

    Raises:
        GoishiError: there is not enough space.
    """
    found = ""
    folders = [folder for folder in (SHARED, Path(tempfile.gettempdir())) if folder.is_dir()]
    for folder in folders:
        try:
            return _mapped_file(folder, size)
        except OSError as error:
            found = error.strerror or str(error)
    where = " or ".join(map(str, folders))
    raise GoishiError(f"shared memory: expected room for {size:,} bytes in {where}, found: {found}")


def _mapped_file(folder: Path, size: int) -> tuple[SharedFile, mmap.mmap]:
    """Create a file in a folder and map it; see `shared_memory`.

    Raises:
        OSError: there is not enough space, or the folder cannot be written.
    """
    file = SharedFile(folder)
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.handle, 0, size)  # here it says where there is no room
        else:
            os.ftruncate(file.handle, size)
        return file, mmap.mmap(file.handle, size)
    except BaseException:
        file.close()
        raise
