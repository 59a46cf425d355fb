"""A bound on the time of a player's code: what hangs is broken off, and the tournament goes on."""

from __future__ import annotations

import ctypes
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

AGAIN: Final = 0.1
"""Seconds until code that has caught `OverdueError` is broken off once more."""


class OverdueError(BaseException):
    """The time is over; no `Exception`, so that a player's own `except` lets it pass."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Run the block for so long at most.

    Code that computes in Python or waits is broken off; compiled code when it returns to Python.

    Args:
        seconds: wall seconds, above 0.

    Raises:
        OverdueError: the time was over before the block.
    """
    is_main = threading.current_thread() is threading.main_thread()
    bound = _by_signal if is_main and hasattr(signal, "setitimer") else _by_thread
    with bound(seconds):
        yield


@contextmanager
def _by_signal(seconds: float) -> Iterator[None]:
    """Let the system's timer raise it: it wakes code that sleeps, too."""
    is_watched = True

    def expire(number: int, frame: FrameType | None) -> None:
        if is_watched:
            raise OverdueError

    started = time.monotonic()
    handler = signal.signal(signal.SIGALRM, expire)
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        is_watched = False
        if left:  # somebody else's timer, which goes on
            left = max(left - (time.monotonic() - started), 0.001)
        signal.setitimer(signal.ITIMER_REAL, left, interval)
        signal.signal(signal.SIGALRM, handler)


@contextmanager
def _by_thread(seconds: float) -> Iterator[None]:
    """Let a thread raise it in this one, which sees it at its next step in Python."""
    ended, lock = threading.Event(), threading.Lock()
    watched = ctypes.c_ulong(threading.get_ident())

    def watch() -> None:
        wait = seconds
        while not ended.wait(wait):
            with lock:
                if not ended.is_set():
                    error = ctypes.py_object(OverdueError)
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(watched, error)
            wait = AGAIN

    thread = threading.Thread(target=watch, name="deadline", daemon=True)
    thread.start()
    try:
        yield
    finally:
        with lock:
            ended.set()
            ctypes.pythonapi.PyThreadState_SetAsyncExc(watched, None)  # one that is on its way
        thread.join()


__all__ = ["OverdueError", "within"]
