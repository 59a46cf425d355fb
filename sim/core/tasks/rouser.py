"""Wakes the main thread where it waits in C: a sleep, a lock, a socket, a child process.

Python runs nothing there until the call returns, but for the handlers of signals: the system ends
the wait, Python looks at its signals, and an exception that a handler raises leaves the call.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Final

STUCK_LOOKS: Final = 6
"""So many looks find the main thread at one and the same instruction before it is woken."""
WAITS: Final = "waits"
"""What the exception says that left a call in C."""
SIGNAL: Final[signal.Signals | None] = getattr(signal, "SIGURG", None)
"""Nobody's but the system's, which ignores it where no handler stands; none on Windows."""

Position = tuple[int, int]


class Rouser:
    """Wakes the main thread by a signal, once it has stood still for a while.

    Made in the main thread; in any other, and where there is no such signal, it does nothing.

    Args:
        wake: called in the main thread, in the call that waits, with the frame; it may raise.
    """

    def __init__(self, wake: Callable[[FrameType | None], None]) -> None:
        self._wake = wake
        self._position: Position | None = None
        self._looks = 0
        self._before: object = None
        self._main = threading.main_thread().ident
        self.is_able = SIGNAL is not None and threading.current_thread() is threading.main_thread()
        if SIGNAL is not None and self.is_able:
            self._before = signal.signal(SIGNAL, self._handle)

    def look(self, *, is_asked: bool) -> None:
        """Look at the main thread, from another one, and wake it where it stands still.

        Args:
            is_asked: it was asked to do something between two instructions, and has not yet.
        """
        position = position_of(sys._current_frames().get(self._main or 0))
        is_same = is_asked and position is not None and position == self._position
        self._looks = self._looks + 1 if is_same else 0
        self._position = position
        if SIGNAL is not None and self.is_able and self._looks >= STUCK_LOOKS and self._main:
            signal.pthread_kill(self._main, SIGNAL)

    @property
    def words(self) -> tuple[str, ...]:
        """`WAITS` where the main thread stood still at the last looks."""
        return (WAITS,) if self._looks >= STUCK_LOOKS else ()

    def close(self) -> None:
        """Give the signal back; in the main thread."""
        is_ours = SIGNAL is not None and signal.getsignal(SIGNAL) == self._handle
        if SIGNAL is not None and self.is_able and is_ours:
            with contextlib.suppress(ValueError, TypeError):  # another thread, or a handler in C
                signal.signal(SIGNAL, self._before or signal.SIG_DFL)  # type: ignore[arg-type]
        self.is_able = False

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.is_able and position_of(frame) == self._position:  # else it goes on by itself
            self._wake(frame)


def position_of(frame: FrameType | None) -> Position | None:
    """Return which instruction of which frame is under way; None for no frame."""
    return None if frame is None else (id(frame), frame.f_lasti)
