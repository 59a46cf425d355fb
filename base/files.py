"""Files: Goishi's folder, paths confined to a project, and atomic writes."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from base.errors import GoishiError

SHIPPED_ROOT: Final = Path(__file__).resolve().parents[1]
"""The folder that holds `main.py`; itself a project."""
IS_INSTALLED: Final = SHIPPED_ROOT.name == "shipped" and SHIPPED_ROOT.parent.name == "goishi"
"""Whether it comes from a wheel (`pip install goishi`), not from a clone."""
OWN_FOLDER: Final = f"{SHIPPED_ROOT}{os.sep}"
LIBRARY_FOLDER: Final = f"{Path(os.__file__).parent}{os.sep}"
PACKAGE_FOLDERS: Final = ("site-packages", "dist-packages")
LARGEST_TEXT: Final = 8_000_000
"""Maximum size of a file that people or Goishi write as text, bytes."""
BUSY_SECONDS: Final = 2.0
"""How long a file that another program has open is waited for, on Windows."""


def resolve_in_project(project: Path, path: str) -> Path:
    """Return the absolute path of a file, given its POSIX path relative to the project.

    Args:
        project: folder of the project.
        path: relative path with `/`.

    Raises:
        ValueError: `path` is empty or absolute, or leads out of the project by `..` or a link.
    """
    pure = PurePosixPath(path)
    is_foreign = "\\" in path or "\0" in path or (len(path) > 1 and path[1] == ":")
    if pure.is_absolute() or ".." in pure.parts or is_foreign or not path:
        raise ValueError("a path inside the project")
    root = project.resolve()
    try:
        full = (root / pure).resolve()
    except (OSError, RuntimeError):  # a loop of links
        raise ValueError("a path inside the project") from None
    if full != root and root not in full.parents:
        raise ValueError("a path inside the project")
    return full


def is_of_python(file: str) -> bool:
    """Return whether a file is Python's own, or of a package that pip installed, Goishi's not.

    Args:
        file: absolute path, as a traceback has it.
    """
    inside = file.removeprefix(OWN_FOLDER)  # Goishi may be a package, or hold an environment
    if any(name in inside for name in PACKAGE_FOLDERS):
        return True
    is_own = inside != file and OWN_FOLDER.startswith(LIBRARY_FOLDER)
    return file.startswith(LIBRARY_FOLDER) and not is_own


def is_in_package(path: Path) -> bool:
    """Return whether a path lies in the folder of an installed Goishi, where nothing is written.

    A clone's folder is its user's, who may change what is in it.

    Args:
        path: a path, which need not exist.
    """
    return IS_INSTALLED and path.resolve().is_relative_to(SHIPPED_ROOT)


def check_outside_package(path: Path) -> None:
    """Check that a file which is to be written lies outside of an installed Goishi.

    Raises:
        OSError: it lies inside.
    """
    if is_in_package(path):
        raise OSError(errno.EROFS, "it belongs to Goishi, which stays as installed", str(path))


def from_home(path: Path) -> Path:
    """Return a path with `~` replaced by the home folder.

    A shell would replace it, but an IDE's run configuration starts the program without a shell.
    """
    return Path(os.path.expanduser(path))


def find_file(path: Path) -> Path:
    """Return the path of a file or folder that a user names: theirs, or one that ships with Goishi.

    It is taken from the current folder. Otherwise it is a path in Goishi's folder, such as
    `assets/recorded/alpha_beta.sgf`, so that an installed Goishi is called as one in a clone.

    Args:
        path: the path, with `~` for the home folder.

    Returns:
        The path; the given one if there is no such file anywhere.
    """
    place = from_home(path)
    shipped = SHIPPED_ROOT / place  # for an absolute path that path itself
    return shipped if not os.path.exists(place) and os.path.exists(shipped) else place


def path_of_uri(uri: str) -> str:
    """Return the path that a `file:` URI names; "" if it names none.

    >>> path_of_uri("file:///tmp/a%20b.sgf")
    '/tmp/a b.sgf'
    """
    from urllib.parse import urlsplit
    from urllib.request import url2pathname  # loads TLS: 25 ms of every start otherwise

    try:
        return url2pathname(urlsplit(uri).path)
    except ValueError:  # half of an IPv6 address
        return ""


def path_of(text: str) -> Path:
    """Return the path that a text means: plain, quoted, from the home folder, or a file's URI.

    >>> path_of("'a b.sgf' ").as_posix(), path_of("file:///tmp/a%20b.sgf").as_posix()
    ('a b.sgf', '/tmp/a b.sgf')
    """
    from urllib.parse import unquote  # see `path_of_uri`

    plain = text.strip()
    if len(plain) > 1 and plain[0] == plain[-1] and plain[0] in "'\"":
        plain = plain[1:-1]
    if plain.startswith("file:"):
        plain = path_of_uri(plain) or unquote(plain)
    try:
        return Path(plain).expanduser()
    except RuntimeError:  # the home folder of nobody
        return Path(plain)


def first_writable(folders: Iterable[Path]) -> Path | None:
    """Return the first folder that is writable, creating it if need be; None if none is."""
    for folder in folders:
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK):
                return folder
    return None


def private_temporary_folder() -> Path:
    """Return this user's folder for caches in the system's temporary folder.

    Other users can write beside it. So it is not used if it is theirs: what is in it would be run.

    Raises:
        OSError: somebody else has made it, or it cannot be made.
    """
    import tempfile

    user = os.geteuid() if hasattr(os, "geteuid") else 0
    folder = Path(tempfile.gettempdir()) / f"goishi-cache-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    is_own = os.name == "nt" or (found.st_uid == user and not found.st_mode & 0o022)
    if not stat.S_ISDIR(found.st_mode) or not is_own:
        raise OSError(errno.EPERM, "another user's folder", str(folder))
    return folder


def rename(source: Path, target: Path) -> None:
    """Rename a file or folder; a file that has the new name is replaced.

    Windows refuses that as long as another program has one of both open, such as a virus scanner
    or a process that reads it. So it is tried again there for `BUSY_SECONDS`.

    Args:
        source: present path.
        target: new path.

    Raises:
        OSError: the system refused.
    """
    end = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            os.replace(source, target)
        except PermissionError:
            if os.name != "nt" or time.monotonic() > end:
                raise
            time.sleep(0.02)
        else:
            return


@contextlib.contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """Context manager that replaces a file in one step by what its block writes.

    If the block raises an error, the old file stays. A link is replaced, never followed.

    Args:
        path: the file to replace. A device or a pipe, such as `/dev/stdout`, is written directly.

    Yields:
        The path to write to: a temporary file in the same folder, which takes the place of `path`
        at the end. Its name is random, so nobody can have put a link there. Temporary files that
        killed processes left behind are deleted first.

    Raises:
        OSError: the file cannot be put in its place, belongs to an installed Goishi, or is a pipe
            that nobody reads.
    """
    if _is_stream(path):
        with _with_reader(path):
            yield path
        return
    check_outside_package(path)
    name = f".{path.name}.{os.getpid()}.{os.urandom(8).hex()}.tmp"
    temporary = path.with_name(name)
    _remove_leftovers(path)
    try:
        yield temporary
        rename(temporary, path)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _is_stream(path: Path) -> bool:
    """Return whether a path is a device or a pipe, or a link to one that the system has made.

    Other links to a device count as files: a folder from elsewhere may hold one.
    """
    if path.is_symlink() and not path.absolute().is_relative_to("/dev"):
        is_own = path.absolute().is_relative_to("/proc")
        return is_own and not path.is_file()
    return path.exists() and not path.is_file()


@contextlib.contextmanager
def _with_reader(path: Path) -> Iterator[None]:
    """Context manager that fails at once if a pipe has no reader; writing would wait forever."""
    if os.name == "nt" or not path.is_fifo():
        yield
        return
    try:
        handle = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        raise OSError(error.errno, "a pipe that nobody reads", str(path)) from None
    try:
        yield
    finally:
        os.close(handle)


def _remove_leftovers(path: Path) -> None:
    """Delete the temporary files that killed processes left beside a file."""
    begin, end = f".{path.name}.", ".tmp"
    with contextlib.suppress(OSError):
        names = [name for name in os.listdir(path.parent) if name.startswith(begin)]
        for name in names:
            pid = name[len(begin) : -len(end)].partition(".")[0]
            if name.endswith(end) and pid.isdecimal() and not is_running(int(pid)):
                path.with_name(name).unlink(missing_ok=True)


def check_no_link(path: Path) -> None:
    """Check that a file which is to be changed in place is no link to another file.

    Raises:
        OSError: it is a link.
    """
    if path.is_symlink():
        raise OSError(errno.ELOOP, f"a link to {os.readlink(path)}", str(path))


def read_regular(path: Path, most: int | None = LARGEST_TEXT) -> bytes:
    """Return the content of a file, if it is an ordinary file; a pipe or a device is not opened.

    Reading a pipe could wait forever, and a device could have no end.

    Args:
        path: the file.
        most: maximum size, bytes; None for any.

    Raises:
        FileNotFoundError: there is no such file.
        OSError: it is no ordinary file, is too large, or cannot be read.
    """
    found = os.stat(path)  # before it is opened: to open a device may do something
    if stat.S_ISREG(found.st_mode):
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        with open(os.open(path, flags), "rb") as stream:
            found = os.fstat(stream.fileno())
            if stat.S_ISREG(found.st_mode):
                content = stream.read(-1 if most is None else most + 1)
                if most is not None and len(content) > most:
                    text = f"a file of more than {most / 1e6:g} MB"
                    raise OSError(errno.EFBIG, text, str(path))
                return content
    raise OSError(errno.EINVAL, f"{_kind_of(found.st_mode)}, no file", str(path))


def _kind_of(mode: int) -> str:
    """Return in words what a file's mode says that it is."""
    kinds = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
    return next((word for is_kind, word in kinds if is_kind(mode)), "a device")


def check_regular(path: Path) -> None:
    """Check that a path is an ordinary file, before a library opens it.

    Raises:
        FileNotFoundError: there is no such file.
        OSError: it is a folder, a pipe or a device.
    """
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, f"{_kind_of(mode)}, no file", str(path))


def set_aside(path: Path) -> Path:
    """Rename a file that cannot be read to `NAME.bad`, so that a new one does not replace it.

    Args:
        path: the file.

    Returns:
        Its new path. If there is such a file already, it has a number: `NAME.bad-2`.

    Raises:
        OSError: it cannot be renamed.
    """
    number, kept = 1, path.with_name(f"{path.name}.bad")
    while os.path.lexists(kept):
        number += 1
        kept = path.with_name(f"{path.name}.bad-{number}")
    rename(path, kept)
    return kept


def is_running(pid: int) -> bool:
    """Whether a process with this id is running."""
    if sys.platform == "win32":  # signal 0 is Ctrl+C there
        from base import windows

        return windows.start_of(pid) >= 0
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True  # somebody else's
    return True


def atomic_write(path: Path, content: str | bytes, *, sync: bool = False) -> None:
    """Write text (UTF-8, newlines unchanged) or bytes to a file atomically.

    Args:
        path: the file, which need not exist yet; its folder does.
        content: its new content.
        sync: wait until it is on the disk, so that it also survives a power cut.

    Raises:
        OSError: it cannot be written; the old file is untouched.
        UnicodeEncodeError: the text has lone surrogates; the old file is untouched.
    """
    data = content.encode() if isinstance(content, str) else content
    with atomic_file(path) as temporary:
        if sync:
            write_synced(temporary, data)
        else:
            temporary.write_bytes(data)


def write_synced(path: Path, data: bytes) -> None:
    """Write a file in place and wait until it is on the disk.

    Raises:
        OSError: it cannot be written; the file is then incomplete or missing.
    """
    with path.open("wb") as stream:
        stream.write(data)
        stream.flush()
        if path.is_file():  # a pipe has no disk
            os.fsync(stream.fileno())


def replace_folder(out: Path, staged: Path, before: Path) -> None:
    """Put a finished folder in the place of another, which stays if that fails.

    Args:
        out: the place.
        staged: the finished folder, on the same disk.
        before: where the old folder is moved to.

    Raises:
        GoishiError: the place cannot be written.
    """
    try:
        if out.exists():
            rename(out, before)
        rename(staged, out)
    except OSError as error:
        if before.exists() and not out.exists():
            rename(before, out)
        raise GoishiError(f"--out: {out} cannot be written: {error}") from error
