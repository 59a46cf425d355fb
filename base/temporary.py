"""Temporary folders and files whose names say which process made them.

A process removes its own at its end. One that was killed cannot. So each process that makes a
temporary folder first removes those of dead processes.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import platform
import re
import secrets
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final

APPLICATION: Final = "goishi"
_NAME: Final = re.compile(
    rf"{APPLICATION}-(?P<place>[0-9a-f]{{8}})-(?P<process>\d+)-(?P<start>\d+)-"
)


def own_prefix() -> str:
    """Return how the names of this process's temporary folders and files begin."""
    process = os.getpid()
    return f"{APPLICATION}-{_place()}-{process}-{_start_of(process)}-"


def unused_folder() -> Path:
    """Return a path for a temporary folder of this process; the folder is not made."""
    sweep()
    return Path(tempfile.gettempdir()) / f"{own_prefix()}{secrets.token_hex(6)}"


def new_folder() -> Path:
    """Make a temporary folder of this process, which the caller must delete; return its path."""
    sweep()
    return Path(tempfile.mkdtemp(prefix=own_prefix()))


def remove_own() -> None:
    """Remove all temporary folders and files of this process, where it ends without clean-up."""
    for path in Path(tempfile.gettempdir()).glob(f"{own_prefix()}*"):
        _remove(path)


def sweep() -> None:
    """Remove the temporary folders of dead processes of this user, once in each process."""
    _sweep(os.getpid())


@functools.cache
def _sweep(process: int) -> None:
    """Remove the folders of dead processes, at the first call.

    Args:
        process: id of this process; a forked child has another one, and so looks again.
    """
    remove_dead(Path(tempfile.gettempdir()))


def remove_dead(folder: Path) -> list[Path]:
    """Remove what dead processes of this user and this machine have left in a folder.

    Links are left alone, and so is everything whose name does not say which process made it.

    Args:
        folder: the folder of temporary files.

    Returns:
        Paths of what was removed.
    """
    removed: list[Path] = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            named = _NAME.match(entry.name)
            if named is None or named["place"] != _place() or not _is_own(entry):
                continue
            if _start_of(int(named["process"])) == int(named["start"]):
                continue
            path = Path(entry.path)
            _remove(path)
            removed.append(path)
    return removed


def _remove(path: Path) -> None:
    """Remove a folder or a file as far as the system lets; links are not followed."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
        return
    with contextlib.suppress(OSError):
        path.unlink()


def _is_own(entry: os.DirEntry[str]) -> bool:
    """Return whether a file or folder belongs to this user and is no link."""
    try:
        owner = entry.stat(follow_symlinks=False).st_uid
    except OSError:
        return False
    return not entry.is_symlink() and owner == getattr(os, "getuid", lambda: owner)()


@functools.cache
def _place() -> str:
    """Return a text for the machine and, in a container, for its table of processes."""
    table = ""
    with contextlib.suppress(OSError):
        table = os.readlink("/proc/self/ns/pid")
    return hashlib.sha256(f"{platform.node()} {table}".encode()).hexdigest()[:8]


def _start_of(process: int) -> int:
    """Return when a process began, in a unit of the system; -1 if there is no such process.

    Together with the id it names one process, since ids are used again. Systems other than Linux
    and Windows do not tell, so there it is 0.

    Args:
        process: id of the process.
    """
    if sys.platform == "win32":
        from base import windows

        return windows.start_of(process)
    try:
        text = Path(f"/proc/{process}/stat").read_text("utf-8", "replace")
        return int(text.rpartition(")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        if Path("/proc/self/stat").exists():
            return -1
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return -1
    except OSError:  # another user's
        return 0
    return 0
