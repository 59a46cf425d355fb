"""A small file of the user's own choices and progress, which never fails a script."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

LARGEST = 1 << 20  # bytes


class UserFile:
    """A mapping kept as JSON in the user's data.

    Attributes:
        fault: why the last write failed; empty if it succeeded.
    """

    def __init__(self, path: Path) -> None:
        self.fault = ""
        self._path = path
        self._is_whole = True

    def read(self) -> dict[str, Any]:
        """Return the mapping; empty if there is no file, or none that can be read.

        A file that cannot be read is kept beside the new one, with `.bad` after its name.
        """
        self._is_whole = not os.path.lexists(self._path)
        try:
            if self._path.is_file() and self._path.stat().st_size <= LARGEST:
                found = json.loads(self._path.read_text(encoding="utf-8-sig"))
                if isinstance(found, dict):
                    self._is_whole = True
                    return found
        except (OSError, ValueError, RecursionError):
            pass
        return {}

    def write(self, values: dict[str, Any]) -> None:
        """Replace the file in one step; a failure is told by `fault`."""
        self.fault = ""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if not self._is_whole:
                self._path.replace(self._path.with_name(f"{self._path.name}.bad"))
                self._is_whole = True
            self._replace(json.dumps(values) + "\n")
        except OSError as error:
            self.fault = f"{self._path}: expected to write it, found: {error.strerror}"

    def _replace(self, text: str) -> None:
        folder = self._path.parent
        handle, name = tempfile.mkstemp(prefix=f".{self._path.name}.", suffix=".tmp", dir=folder)
        try:
            with open(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(name, self._path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
