"""The log of a dialogue with an engine: a text file that does not grow without bounds."""

from __future__ import annotations

import contextlib
import threading
from datetime import datetime
from pathlib import Path
from typing import Final

LARGEST: Final = 8 * 2**20
"""Bytes of a log; what comes later is left out."""
LONGEST: Final = 500
"""Characters of a line that are kept."""


class DialogueLog:
    """Appends lines with their time and direction; thread-safe, and never fails."""

    def __init__(self, path: Path | None) -> None:
        """Open a log; without a path nothing is written."""
        self._path = path
        self._lock = threading.Lock()
        self._room = LARGEST
        if path is not None:
            with contextlib.suppress(OSError):
                path.parent.mkdir(parents=True, exist_ok=True)
                self._room -= path.stat().st_size if path.is_file() else 0

    def sent(self, line: str) -> None:
        """Note what the engine was told."""
        self._write(">", line)

    def received(self, line: str) -> None:
        """Note what the engine has said."""
        self._write("<", line)

    def noted(self, line: str) -> None:
        """Note what happened, and what the engine wrote on its standard error."""
        self._write("!", line)

    def _write(self, mark: str, line: str) -> None:
        if self._path is None:
            return
        time = datetime.now().isoformat(timespec="milliseconds")
        data = f"{time} {mark} {line[:LONGEST]}\n".encode("utf-8", "replace")
        with self._lock:
            if self._room <= 0:
                return
            self._room -= len(data)
            if self._room <= 0:
                data += b"(the log is full)\n"
            with contextlib.suppress(OSError), self._path.open("ab") as file:
                file.write(data)


__all__ = ["DialogueLog"]
