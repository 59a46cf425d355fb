"""What Ctrl+C raises: an exception of our own, as a script may raise KeyboardInterrupt."""

from __future__ import annotations

import signal
from types import FrameType


class Interruption(KeyboardInterrupt):
    """The user, or the system, asked the process to end; never a script's doing."""


def interrupt(number: int, frame: FrameType | None) -> None:
    """Handle a signal by ending what runs.

    Raises:
        Interruption: always.
    """
    raise Interruption


def take_interrupts() -> None:
    """Make Ctrl+C raise `Interruption`, where Python's own handler stands; in the main thread."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
