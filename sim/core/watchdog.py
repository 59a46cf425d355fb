"""The watchdog: breaks a script's call that does not come back in time."""

from __future__ import annotations

import ctypes
import sys
import threading
import time

from sim.core.errors import ScriptTimeout

POLL_SECONDS = 0.05


class Watchdog:
    """Watches the thread that made it; raises `ScriptTimeout` inside a call that takes too long.

    It sleeps while a debugger is attached, and it cannot break a long call into C.
    """

    def __init__(self, timeout: float) -> None:
        self.timeout = timeout
        self._thread_id = threading.get_ident()
        self._lock = threading.Lock()
        self._deadline: float | None = None
        self._fired = False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)
        self._thread.start()

    def begin(self) -> None:
        """A call of a script begins."""
        self._deadline = time.monotonic() + self.timeout

    def end(self) -> None:
        """The call is over; a late exception is taken back."""
        self._deadline = None
        if self._fired:
            with self._lock:
                self._fired = False
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread_id), None)

    def close(self) -> None:
        """Stop watching."""
        self._stop.set()
        self._thread.join(timeout=1.0)

    def _watch(self) -> None:
        while not self._stop.wait(POLL_SECONDS):
            deadline = self._deadline
            if deadline is None or time.monotonic() < deadline or _is_debugged():
                continue
            with self._lock:
                if self._deadline != deadline or self._fired:
                    continue
                self._fired = True
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(self._thread_id), ctypes.py_object(ScriptTimeout)
                )


def _is_debugged() -> bool:
    debugger = sys.modules.get("debugpy")
    if debugger is not None and getattr(debugger, "is_client_connected", lambda: False)():
        return True
    return sys.gettrace() is not None and "pydevd" in sys.modules
