"""The exception that Ctrl+C raises, distinct from a KeyboardInterrupt that a script raises."""

from __future__ import annotations

from types import FrameType


class Interruption(KeyboardInterrupt):
    """The user or the system asked the process to end; scripts never raise it."""


def interrupt(number: int, frame: FrameType | None) -> None:
    """Handle a signal by interrupting the running code.

    Raises:
        Interruption: always.
    """
    raise Interruption
