"""What Ctrl+C raises: an exception of our own, as a script may raise KeyboardInterrupt."""

from __future__ import annotations

from types import FrameType


class Interruption(KeyboardInterrupt):
    """The user, or the system, asked the process to end; never a script's doing."""


def interrupt(number: int, frame: FrameType | None) -> None:
    """Handle a signal by ending what runs.

    Raises:
        Interruption: always.
    """
    raise Interruption
