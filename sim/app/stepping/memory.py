"""Memory that several processes of this machine see."""

from __future__ import annotations

import mmap
import os
import tempfile
from pathlib import Path

from base.errors import GoishiError

SHARED = Path("/dev/shm")  # memory, where the system has it; a temporary folder else


def shared_memory(size: int) -> tuple[Path, mmap.mmap]:
    """Return a file of so many bytes, in memory where the system has that, and its content.

    Raises:
        GoishiError: there is no room for it.
    """
    folder = SHARED if os.access(SHARED, os.W_OK) else Path(tempfile.gettempdir())
    handle, name = tempfile.mkstemp(prefix="goishi-", dir=folder)
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(handle, 0, size)  # here it says where there is no room
        else:
            os.ftruncate(handle, size)
        return Path(name), mmap.mmap(handle, size)
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise GoishiError(
            f"shared memory: expected room for {size:,} bytes in {folder}, found: {error.strerror}"
        ) from None
    finally:
        os.close(handle)
