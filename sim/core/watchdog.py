"""The watchdog: breaks a script's call that does not come back in time."""

from __future__ import annotations

import contextlib
import ctypes
import sys
import threading
import time
from collections.abc import Iterator

from sim.core.errors import ScriptTimeout

POLL_SECONDS = 0.05


class Watchdog:
    """Watches the thread that made it; raises `ScriptTimeout` inside a call that takes too long.

    It sleeps while a debugger is attached, and it cannot break a long call into C.

    Attributes:
        timeout: seconds that a call may take.
        deadline: when the call under way must be over, by `time.monotonic`; None for no call.
        has_fired: the exception is on its way, or was raised; `end` takes it back.
    """

    def __init__(self, timeout: float) -> None:
        self.timeout = timeout
        self._thread_id = threading.get_ident()
        self._lock = threading.Lock()
        self.deadline: float | None = None
        self.has_fired = False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)
        self._thread.start()

    def begin(self, timeout: float | None = None) -> None:
        """A call of a script begins; it may take `timeout` seconds where that is given."""
        self.deadline = time.monotonic() + (self.timeout if timeout is None else timeout)

    def end(self) -> None:
        """The call is over; a late exception is taken back."""
        self.deadline = None
        if self.has_fired:
            with self._lock:
                self.has_fired = False
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread_id), None)

    @contextlib.contextmanager
    def watching(self, timeout: float | None = None) -> Iterator[None]:
        """Watch a block; a call around it that is watched already gets its time anew after it."""
        outer = self.deadline
        try:
            self.begin(timeout)
            yield
        finally:
            try:
                self.end()
            except ScriptTimeout:  # it arrived between the block's end and here
                self.end()
            if outer is not None:
                self.begin()

    def close(self) -> None:
        """Stop watching."""
        self._stop.set()
        self._thread.join(timeout=1.0)

    def _watch(self) -> None:
        while not self._stop.wait(POLL_SECONDS):
            deadline = self.deadline
            if deadline is None or time.monotonic() < deadline or _is_debugged():
                continue
            with self._lock:
                if self.deadline != deadline or self.has_fired:
                    continue
                self.has_fired = True
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(self._thread_id), ctypes.py_object(ScriptTimeout)
                )


def _is_debugged() -> bool:
    """Whether a debugger is attached: debugpy's, or the one that started this process."""
    debugpy = sys.modules.get("debugpy")
    if debugpy is not None:  # it traces from `listen` on, attached or not
        return bool(getattr(debugpy, "is_client_connected", lambda: False)())
    return "pydevd" in sys.modules
