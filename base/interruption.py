"""The exception that Ctrl+C raises, distinct from a KeyboardInterrupt that a script raises."""

from __future__ import annotations

from types import FrameType


class Interruption(KeyboardInterrupt):
    """The user or the system asked the process to end; scripts never raise it."""


def interrupt(number: int, frame: FrameType | None) -> None:
    """Handle a signal by raising `Interruption` in the running code.

    Args:
        number: number of the signal.
        frame: stack frame that was interrupted.

    Raises:
        Interruption: always.
    """
    raise Interruption
