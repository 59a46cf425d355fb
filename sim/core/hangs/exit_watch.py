"""Watches the end of a process: what keeps it from ending is named, and the process is ended.

A run may be over while its process stands, for example in a function of `atexit`, in `__del__`, or
because Python waits for a child process. No Python code can end it then: its main thread waits, and
in the last phase no other thread runs. So a second process looks (`hang_monitor.py`). It ends the
first one by an `exit_door`.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import functools
import json
import os
import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from base.modules import SCRIPTS, SOURCE
from sim.core.hangs import hang_monitor

EXIT_SECONDS: Final = 10.0
"""Seconds that a process may take to end, where no scene says otherwise."""
_THREAD: Final = 2
"""Number of the constant SIGEV_THREAD: the system calls a function in a thread of its own."""


class _Notice(ctypes.Structure):
    """The structure `sigevent` of POSIX."""

    _fields_ = (
        ("value", ctypes.c_void_p),
        ("signal", ctypes.c_int),
        ("kind", ctypes.c_int),
        ("function", ctypes.c_void_p),
        ("attributes", ctypes.c_void_p),
        ("rest", ctypes.c_char * 32),
    )


class _Reading(ctypes.Structure):
    """The structure `aiocb` of POSIX, with room for the part that each C library has of its own."""

    _fields_ = (
        ("file", ctypes.c_int),
        ("operation", ctypes.c_int),
        ("priority", ctypes.c_int),
        ("buffer", ctypes.c_void_p),
        ("size", ctypes.c_size_t),
        ("notice", _Notice),
        ("rest", ctypes.c_char * 512),
    )


@functools.cache
def exit_door(code: int) -> int | None:
    """Return a file descriptor; a byte written to it ends this process at once with a code.

    No Python code has to run for that. A thread of the C library waits for the byte (`aio_read`),
    and then the function `_exit` of C is called with the code. A process has one door for each
    code, which stays open until it ends.

    Args:
        code: exit code of the process.

    Returns:
        The descriptor; None where the system has no such thread.
    """
    if sys.platform != "linux":
        return None
    try:
        c = ctypes.CDLL(None, use_errno=True)
        leave = ctypes.cast(c._exit, ctypes.c_void_p)
        begin: Any = c.aio_read
        reader, writer = os.pipe()
    except (OSError, AttributeError):
        return None
    buffer = ctypes.create_string_buffer(1)
    notice = _Notice(value=code, kind=_THREAD, function=leave)
    reading = _Reading(file=reader, buffer=ctypes.addressof(buffer), size=1, notice=notice)
    if begin(ctypes.byref(reading)) != 0:
        return None
    _kept_by_c(reading)
    _kept_by_c(buffer)
    return writer


def _kept_by_c(value: object) -> None:
    """Never free an object, since the C library writes into it as long as the process lives."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(value))


class ExitWatch:
    """Ends this process if it still stands some seconds after its work is done."""

    def __init__(self) -> None:
        self._seconds = EXIT_SECONDS
        self._roots: tuple[Path, ...] = ()
        self._is_begun = False

    def expect(self, seconds: float, roots: Iterable[Path]) -> None:
        """Set what holds for the end of this process.

        Args:
            seconds: how long the process may take to end.
            roots: folders that hold the `scripts/` whose code may keep it from ending. By default
                they are found among the loaded modules.
        """
        self._seconds, self._roots = seconds, tuple(roots)

    def begin(self, code: int) -> None:
        """Start to watch; the process then ends in time, with an exit code.

        Nothing happens if no script was loaded, or at a second call.

        Args:
            code: the exit code.
        """
        roots = self._roots or _roots_of_loaded()
        if self._is_begun or not roots:
            return
        self._is_begun = True
        door = exit_door(code)
        if door is None or not hasattr(signal, "SIGUSR2"):
            faulthandler.dump_traceback_later(self._seconds, exit=True)
            return
        with contextlib.suppress(OSError):
            self._start_monitor(door, roots)

    def _start_monitor(self, door: int, roots: Iterable[Path]) -> None:
        """Start the process that looks from outside.

        Args:
            door: its exit door.
            roots: folders that hold `scripts/`.
        """
        options = {
            "process": os.getpid(),
            "exit_seconds": self._seconds,
            "door": hang_monitor.DOOR,
            "roots": [str(root) for root in roots],
        }
        reader, writer = os.pipe()  # the writer stays open until this process has ended
        faulthandler.register(signal.SIGUSR2, file=writer, all_threads=False, chain=False)
        words = [sys.executable, "-I", "-S", hang_monitor.__file__, json.dumps(options)]
        os.posix_spawn(
            sys.executable,
            words,
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, reader, 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0o600),
                (os.POSIX_SPAWN_DUP2, door, hang_monitor.DOOR),
            ],
        )
        os.close(reader)


def _roots_of_loaded() -> tuple[Path, ...]:
    """Return the folders that hold the `scripts/` of which a module is loaded."""
    found: dict[Path, None] = {}
    for module in list(sys.modules.values()):
        if SOURCE in getattr(module, "__dict__", ()):
            parts = Path(str(module.__file__)).parts
            if SCRIPTS in parts:
                place = len(parts) - 1 - parts[::-1].index(SCRIPTS)
                found[Path(*parts[:place])] = None
    return tuple(found)
