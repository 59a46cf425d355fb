"""Signals that ask a process to end, and the exception that they raise.

The exception is distinct from a KeyboardInterrupt that a script raises.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, Final

ENDING: Final = tuple(
    getattr(signal, name)
    for name in (
        "SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGALRM", "SIGVTALRM", "SIGPROF",
        "SIGXCPU", "SIGPWR", "SIGPOLL", "SIGSTKFLT", "SIGBREAK",
    )
    if hasattr(signal, name) and (name != "SIGHUP" or sys.platform == "linux")
)  # fmt: skip
"""Signals that end a process, and that it can handle; those after a program error are not here.

On macOS the hang monitor ends a run by SIGHUP, which therefore ends it at once.
"""
OF_TERMINAL: Final = ("SIGINT", "SIGHUP", "SIGQUIT")
"""Names of the signals that a terminal sends to all processes of a program."""
ALWAYS: Final = (signal.SIGINT, signal.SIGTERM)
OnSignal = Callable[[int, FrameType | None], Any]


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


def take_ending_signals(handler: OnSignal, *, always: bool = False) -> dict[int, Any]:
    """Make the signals of `ENDING` call a function, and return their handlers before.

    A signal that is ignored stays so, as under `nohup`, and one that has a handler keeps it. Only
    the main thread can do that; in others nothing happens.

    Args:
        handler: the function, called with the number of the signal and a stack frame.
        always: whether Ctrl+C and SIGTERM get the handler in any case.
    """
    before: dict[int, Any] = {}
    if threading.current_thread() is not threading.main_thread():
        return before
    plain = (signal.SIG_DFL, signal.default_int_handler, interrupt)
    for number in ENDING:
        known = signal.getsignal(number)
        if known in plain or (always and number in ALWAYS):
            with contextlib.suppress(OSError, ValueError):
                before[number] = signal.signal(number, handler)
    return before


@contextlib.contextmanager
def ending_signals(handler: OnSignal) -> Iterator[None]:
    """Let all signals that ask the process to end call a function during the `with` block.

    Args:
        handler: the function, called with the number of the signal and a stack frame.
    """
    before = take_ending_signals(handler, always=True)
    try:
        yield
    finally:
        for number, known in before.items():
            signal.signal(number, known)


def ignore_terminal() -> None:
    """Ignore the signals of a terminal in a child process, which the parent handles and ends."""
    for name in OF_TERMINAL:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)


def be_plain_in_forks() -> None:
    """Give back their usual effect to the signals of `ENDING` in children that a script forks.

    Otherwise a child would have the handlers of this process, and SIGTERM would not end it.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_be_plain)


def _be_plain() -> None:
    signal.set_wakeup_fd(-1)
    for number in ENDING:
        if callable(signal.getsignal(number)):
            is_interrupt = number == signal.SIGINT
            signal.signal(number, signal.default_int_handler if is_interrupt else signal.SIG_DFL)
