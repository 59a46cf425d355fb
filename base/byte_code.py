"""Byte code of scripts, kept in the user's cache, so that a start compiles nothing twice.

Python keeps the byte code of imported modules beside them. Scripts are not imported that way: they
are compiled from the text that was read, and nothing is ever written into a project's folder, nor
is code read from there. What is kept lies in the user's own cache folder. An entry is found by a
digest of the text, the file's path, the flags and Python's version. A changed script is another
entry, and a file that a user was sent is never taken for one.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import marshal
import os
import sys
from pathlib import Path
from types import CodeType
from typing import Final

from base.files import atomic_write, first_writable, read_regular

FOLDER: Final = "byte_code"
SUFFIX: Final = ".code"
MOST_ENTRIES: Final = 2_000
"""Number of entries that stay; the oldest are removed."""
LARGEST_ENTRY: Final = 16_000_000
"""Maximum size of an entry, bytes."""
LEAST_SOURCE: Final = 200
"""Shorter scripts are compiled sooner than read, bytes."""
_DIGEST: Final = hashlib.sha256().digest_size


@functools.cache
def cache_folder() -> Path | None:
    """Return the folder of the entries, created if missing; None if it cannot be trusted.

    It lies in the user's cache. A folder that others may write is not used: its code would be run.
    """
    try:
        import platformdirs
    except ImportError:  # an exported script runs where it is not installed
        return None
    own = Path(platformdirs.user_cache_dir("goishi", appauthor=False)) / FOLDER
    with contextlib.suppress(OSError):  # many systems let the user's group write what is new
        own.parent.mkdir(parents=True, exist_ok=True)
        own.mkdir(mode=0o700, exist_ok=True)
    folder = first_writable([own])
    if folder is None or not _is_own(folder):
        return None
    with contextlib.suppress(OSError):
        entries = sorted(folder.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime)
        for path in entries[:-MOST_ENTRIES]:
            path.unlink(missing_ok=True)
    return folder


def compiled(source: bytes, file: str, flags: int) -> CodeType:
    """Compile a script, or return what is kept of it from another time.

    Args:
        source: its text.
        file: path that tracebacks tell.
        flags: compiler flags.

    Raises:
        SyntaxError: the text is not valid Python.
        ValueError: the text contains null bytes.
    """
    folder = cache_folder() if len(source) >= LEAST_SOURCE else None
    if folder is None:
        return _compile(source, file, flags)
    entry = folder / (_key(source, file, flags) + SUFFIX)
    code = _read(entry)
    if code is None:
        code = _compile(source, file, flags)
        _write(entry, code)
    return code


def _compile(source: bytes, file: str, flags: int) -> CodeType:
    code: CodeType = compile(source, file, "exec", flags, dont_inherit=True)
    return code


def _key(source: bytes, file: str, flags: int) -> str:
    """Return the name of a script's entry."""
    version = f"{sys.version}\0{sys.flags.optimize}\0{flags}\0{file}\0"
    digest = hashlib.sha256(importlib.util.MAGIC_NUMBER)
    digest.update(version.encode(errors="surrogatepass"))
    digest.update(source)
    return digest.hexdigest()


def _read(entry: Path) -> CodeType | None:
    """Return the code in an entry; None if there is none, or it is damaged."""
    try:
        content = read_regular(entry, LARGEST_ENTRY)
    except OSError:
        return None
    if hashlib.sha256(content[_DIGEST:]).digest() != content[:_DIGEST]:
        return None  # reading damaged code would end the process
    try:
        code = marshal.loads(content[_DIGEST:])
    except (EOFError, ValueError, TypeError):
        return None
    return code if isinstance(code, CodeType) else None


def _write(entry: Path, code: CodeType) -> None:
    """Write an entry; where that is impossible, nothing is kept."""
    content = marshal.dumps(code)
    with contextlib.suppress(OSError):
        atomic_write(entry, hashlib.sha256(content).digest() + content)


def _is_own(folder: Path) -> bool:
    """Return whether a folder is this user's, and no other user can write to it."""
    if os.name == "nt":
        return True
    with contextlib.suppress(OSError):
        found = folder.stat()
        return found.st_uid == os.geteuid() and not found.st_mode & 0o022
    return False
