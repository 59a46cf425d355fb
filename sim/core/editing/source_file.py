"""The text of one script file: reads and writes it, and detects changes by other programs."""

from __future__ import annotations

import contextlib
import enum
import os
import shutil
import stat
import warnings
from dataclasses import dataclass
from pathlib import Path

from base.errors import GoishiError
from base.files import atomic_file, is_in_package, write_synced

LARGEST_FILE = 1_000_000  # bytes
BOM = "\ufeff"


class SourceFileError(GoishiError):
    """A script file cannot be read or written; the message names the file and the reason."""


class DiskState(enum.Enum):
    """How the file on disk compares with the text last read or written."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True)
class SyntaxFault:
    """A syntax error in a script.

    Attributes:
        line: line number, from 1.
        column: column of the first wrong character, from 1.
        end_column: column after the last wrong character.
        text: the error message.
    """

    line: int
    column: int
    end_column: int
    text: str


class SourceFile:
    """One script file of a project.

    Attributes:
        path: absolute path, symbolic links resolved.
        text: text as last read or written; lines end with LF, whatever the file uses.
        changed_at: modification time of the file, seconds since the epoch.

    Raises:
        SourceFileError: it is outside the project, too large, not UTF-8, or cannot be read.
    """

    def __init__(self, path: Path, project: Path) -> None:
        self.path = inside(path, project)
        self.text = ""
        self.changed_at = 0.0
        self._raw = ""
        self._line_end = "\n"
        self._has_bom = False
        self._stamp: tuple[int, int] | None = None
        self.read()

    @property
    def is_writable(self) -> bool:
        """Whether the file can be written: a deleted one can, an installed Goishi's cannot."""
        if is_in_package(self.path):
            return False
        try:
            mode = self.path.stat().st_mode
        except OSError:
            return True
        return bool(mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH)) and os.access(
            self.path, os.W_OK
        )

    def read(self) -> str:
        """Read the file again; return its text.

        Raises:
            SourceFileError: it cannot be read as a script; `text` then stays unchanged.
        """
        text, state = _read(self.path)
        self._raw = text
        self._has_bom = text.startswith(BOM)
        text = text.removeprefix(BOM)
        self._line_end = "\r\n" if "\r\n" in text else "\n"
        self.text = text.replace("\r\n", "\n").replace("\r", "\n")
        self._remember(state)
        return self.text

    def disk_state(self) -> DiskState:
        """Return whether another program has changed or deleted the file since it was last read."""
        try:
            state = self.path.stat()
        except OSError:
            return DiskState.GONE
        if (state.st_mtime_ns, state.st_size) == self._stamp:
            return DiskState.SAME
        try:
            text, state = _read(self.path)
        except SourceFileError:
            return DiskState.CHANGED
        if text != self._raw:
            return DiskState.CHANGED
        self._remember(state)  # written again with the same text
        return DiskState.SAME

    def keep_mine(self) -> None:
        """Ignore the change on disk, so that the next save overwrites it."""
        with contextlib.suppress(OSError):
            state = self.path.stat()
            self._stamp = (state.st_mtime_ns, state.st_size)

    def save(self, text: str) -> None:
        """Replace the file's content at once (atomically); line ends and access rights are kept.

        Raises:
            SourceFileError: it could not be written.
        """
        try:
            if not self.is_writable:
                raise PermissionError(0, "the file is read-only")
            with atomic_file(self.path) as temporary:
                write_synced(temporary, self._on_disk(text).encode())
                with contextlib.suppress(OSError):
                    shutil.copymode(self.path, temporary)
            state = self.path.stat()
        except (OSError, UnicodeEncodeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise SourceFileError(f"{self.path.name}: could not be saved: {reason}") from error
        self.text, self._raw = text, self._on_disk(text)
        self._remember(state)

    def _on_disk(self, text: str) -> str:
        return (BOM if self._has_bom else "") + text.replace("\n", self._line_end)

    def _remember(self, state: os.stat_result) -> None:
        self._stamp = (state.st_mtime_ns, state.st_size)
        self.changed_at = state.st_mtime


def inside(path: Path, project: Path) -> Path:
    """Return the absolute path of a file in a project, symbolic links resolved.

    Args:
        path: path of the file; a relative one starts at the project's folder.
        project: the project's folder.

    Raises:
        SourceFileError: the file is outside the project.
    """
    root = project.resolve()
    found = (root / path).resolve()
    if not found.is_relative_to(root):
        raise SourceFileError(f"{path}: expected a file inside the project {root.name}")
    return found


def fault_of(text: str, name: str) -> SyntaxFault | None:
    """Return the first syntax error of a script; None if it has none. The script is not run.

    Args:
        text: source code of the script.
        name: file name for the compiler.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, name, "exec", dont_inherit=True)
        except SyntaxError as error:
            column = max(1, error.offset or 1)
            is_one_line = error.end_lineno in (None, error.lineno)
            end = error.end_offset if is_one_line and error.end_offset else 0
            return SyntaxFault(max(1, error.lineno or 1), column, max(end, column + 1), error.msg)
        except (ValueError, RecursionError, MemoryError, OverflowError) as error:
            return SyntaxFault(1, 1, 2, str(error) or type(error).__name__)
    return None


def _read(path: Path) -> tuple[str, os.stat_result]:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise SourceFileError(f"{path.name}: expected a file, found something else")
        with path.open("rb") as file:
            state = os.fstat(file.fileno())
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise SourceFileError(f"{path.name}: could not be read: {reason}") from error
    if len(content) > LARGEST_FILE:
        raise SourceFileError(
            f"{path.name}: expected at most {LARGEST_FILE} bytes, found {state.st_size}"
        )
    try:
        return content.decode("utf-8"), state
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SourceFileError(
            f"{path.name}:{line}: expected UTF-8, found the byte {content[error.start]:#04x}"
        ) from error
