"""Lines of a dialogue: cut out of a stream of bytes, whatever ends them, and never too long."""

from __future__ import annotations

from typing import Final

LONGEST_LINE: Final = 4096
"""Characters that are kept of a line, and one more of those that are longer."""


class LineSplitter:
    r"""Cuts bytes into lines that end with CR LF, LF or CR, however the bytes arrive.

    A line that is too long is cut to `LONGEST_LINE` + 1 characters, so that its reader can tell;
    the rest of it is dropped, so that no more than that is ever held.

    >>> splitter = LineSplitter()
    >>> splitter.feed(b'START 15\r'), splitter.feed(b'\nBEGIN\rEND\nABO')
    (['START 15'], ['BEGIN', 'END'])
    >>> splitter.rest()
    'ABO'
    """

    def __init__(self) -> None:
        self._held = bytearray()
        self._ends_with_return = False

    def feed(self, data: bytes) -> list[str]:
        """Return the lines that these bytes complete, empty ones left out."""
        if self._ends_with_return and data.startswith(b"\n"):
            data = data[1:]
        self._ends_with_return = data.endswith(b"\r") if data else self._ends_with_return
        *ended, rest = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        lines: list[str] = []
        for part in ended:
            self._keep(part)
            lines.append(self.rest())
        self._keep(rest)
        return [line for line in lines if line.strip()]

    def rest(self) -> str:
        """Return what came after the last end of a line, and forget it."""
        text = self._held.decode("utf-8", "replace")
        self._held.clear()
        return text

    def _keep(self, part: bytes) -> None:
        self._held += part[: max(0, LONGEST_LINE + 1 - len(self._held))]


__all__ = ["LONGEST_LINE", "LineSplitter"]
