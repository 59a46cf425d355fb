"""A small file of the user's own choices and progress, which never fails a script."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

from ai import atomic_write, set_aside
from sim import tr

LARGEST = 1 << 20  # bytes


class UserFile:
    """A mapping kept as JSON in the user's data.

    Attributes:
        fault: why the last write failed, or that it has kept a file aside; empty for neither.
    """

    def __init__(self, path: Path) -> None:
        self.fault = ""
        self._path = path
        self._is_whole = True

    def read(self) -> dict[str, Any]:
        """Return the mapping; empty if there is no file, or none that can be read.

        A file that cannot be read is kept aside by the next `write`, with `.bad` after its name.
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

    def refuse(self) -> None:
        """Have the next `write` keep the file aside: what was read in it is not understood."""
        self._is_whole = False

    def write(self, values: dict[str, Any]) -> None:
        """Replace the file in one step; `fault` says what went wrong."""
        self.fault = ""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._keep_aside()
            atomic_write(self._path, json.dumps(values) + "\n")
        except OSError as error:
            self.fault = tr("{path}: expected to write it, found: {strerror}").format(
                path=self._path, strerror=error.strerror
            )

    def forget(self) -> None:
        """Delete the file; one that could not be read is kept aside instead."""
        self.fault = ""
        with contextlib.suppress(OSError):
            self._keep_aside()
            self._path.unlink(missing_ok=True)

    def _keep_aside(self) -> None:
        if not self._is_whole and os.path.lexists(self._path):
            kept = set_aside(self._path)
            self.fault = tr("{path}: it could not be read; it is kept as {kept}").format(
                path=self._path, kept=kept
            )
        self._is_whole = True
