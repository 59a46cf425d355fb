"""The part of the hang monitor inside the run; the other part is `hang_monitor.py`."""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from sim.core.hangs import hang_monitor
from sim.core.hangs.exit_watch import exit_door

BEAT_SECONDS: Final = 0.5
PATIENCE: Final = 3.0
"""Seconds that a call may still take after it was interrupted."""


class HangClient:
    """Tells the hang monitor's process twice a second whether a script's call takes too long.

    Create it in the main thread. It does nothing if the system lacks the necessary signals.

    Args:
        timeout: seconds that a script's call may take.
        late: returns by how many seconds the present call has exceeded its time; 0 if it has not.
        roots: the folders that hold `scripts/`.
        dialog: command, as a list of words, that asks the user whether to wait or to restart; empty
            without a window.
        again: command, as a list of words, that starts this run again; empty if unknown.
        left_out: name of the environment variable that lists the component types that the next run
            must not load.
    """

    def __init__(
        self,
        timeout: float,
        late: Callable[[], float],
        *,
        roots: Sequence[Path],
        dialog: Sequence[str] = (),
        again: Sequence[str] = (),
        left_out: str = "",
    ) -> None:
        self._late = late
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe = -1
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._door = exit_door(1)
        options = {
            "process": os.getpid(),
            "limit": timeout + PATIENCE,
            "patience": PATIENCE,
            "roots": [str(root) for root in roots],
            "dialog": list(dialog),
            "again": list(again),
            "left_out": left_out,
            "door": -1 if self._door is None else self._door,
        }
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and hasattr(signal, "SIGUSR2"):
            self._open(json.dumps(options))

    def close(self) -> None:
        """End the monitor's process; calling it again does nothing."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=1.0)
        if self._process is None:
            return
        faulthandler.unregister(signal.SIGUSR2)
        signal.set_wakeup_fd(-1)
        if self._door is None:
            signal.signal(signal.SIGHUP, self._hang_up)
        self._write(hang_monitor.LEAVING)
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=2.0)
        self._process = None

    def _open(self, options: str) -> None:
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", hang_monitor.__file__, options],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                pass_fds=() if self._door is None else (self._door,),
            )
        except OSError:
            return  # without it a hanging run is killed from outside
        if self._process.stdin is None:
            return
        self._pipe = self._process.stdin.fileno()
        os.set_blocking(self._pipe, False)
        faulthandler.register(signal.SIGUSR2, file=self._pipe, all_threads=False, chain=False)
        self._hang_up = signal.getsignal(signal.SIGHUP) or signal.SIG_DFL
        if self._door is None and self._hang_up is signal.SIG_DFL:  # otherwise it is killed
            _let_exit(signal.SIGHUP)
        signal.set_wakeup_fd(self._pipe, warn_on_full_buffer=False)
        self._thread = threading.Thread(target=self._beat, name="hang client", daemon=True)
        try:
            self._thread.start()
        except RuntimeError:  # the system starts no more threads
            self._thread = None
            self.close()

    def _beat(self) -> None:
        while not self._stop.wait(BEAT_SECONDS):
            is_stuck = self._late() > BEAT_SECONDS
            self._write(hang_monitor.STUCK if is_stuck else hang_monitor.BEAT)

    def _write(self, line: str) -> None:
        with contextlib.suppress(OSError):
            os.write(self._pipe, f"{line}\n".encode("utf-8", "replace"))


def _let_exit(number: signal.Signals) -> None:
    """Make a signal end the process even if Python hangs.

    The signal's handler becomes the C function `_exit`, which gets the signal's number as exit
    code.

    Args:
        number: the signal.
    """
    with contextlib.suppress(OSError, AttributeError):
        c = ctypes.CDLL(None)
        c.signal.argtypes = (ctypes.c_int, ctypes.c_void_p)
        c.signal.restype = ctypes.c_void_p
        c.signal(int(number), ctypes.cast(c._exit, ctypes.c_void_p))
