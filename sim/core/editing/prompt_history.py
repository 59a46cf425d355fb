"""History of the prompt, kept in a plain text file, one input a line."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from base.files import atomic_write

MOST_LINES = 1_000
LARGEST_FILE = 4_000_000  # bytes read, from the end


class PromptHistory:
    r"""List of inputs, oldest first; the file may be damaged or missing.

    Line breaks inside an input are written as `\n`, backslashes as two.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries: list[str] = _read(path)

    def add(self, source: str) -> None:
        """Append an input unless it equals the last, and save the file."""
        if not source.strip() or (self.entries and self.entries[-1] == source):
            return
        self.entries.append(source)
        del self.entries[:-MOST_LINES]
        self._write()

    def _write(self) -> None:
        text = "".join(f"{_escaped(entry)}\n" for entry in self.entries)
        with contextlib.suppress(OSError):  # a full disk takes the history, not the prompt
            self.path.parent.mkdir(parents=True, exist_ok=True)
            atomic_write(self.path, text.encode("utf-8", "replace"))


def _read(path: Path) -> list[str]:
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - LARGEST_FILE))
            content = file.read(LARGEST_FILE)
    except OSError:
        return []
    entries = [_unescaped(line) for line in content.decode("utf-8", "replace").split("\n")]
    return [entry for entry in entries if _is_sound(entry)][-MOST_LINES:]


def _is_sound(entry: str) -> bool:
    """Return whether a line may have been typed: no rest of a damaged file."""
    is_plain = all(letter.isprintable() or letter in "\n\t" for letter in entry)
    return bool(entry.strip()) and is_plain and "\ufffd" not in entry


def _escaped(entry: str) -> str:
    return entry.replace("\\", "\\\\").replace("\r", "").replace("\n", "\\n")


def _unescaped(line: str) -> str:
    parts = line.rstrip("\r").split("\\\\")
    return "\\".join(part.replace("\\n", "\n") for part in parts)
