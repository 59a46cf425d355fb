"""Reports exceptions that no code can catch, in threads and in `__del__`, on the console."""

from __future__ import annotations

import sys
import threading
import traceback
from contextlib import nullcontext, suppress
from types import FunctionType
from typing import TYPE_CHECKING, Final

from sim.core.reporting.console import Console
from sim.core.reporting.failure_text import Watch, shortened

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

MOST: Final = 200
"""Maximum number of different faults that are kept until they are reported."""
_Key = tuple[str, type[BaseException], str, int]


class BackgroundFaults:
    """Collects exceptions of threads and finalizers, from its creation until `close`.

    Python may call it in any thread and in the middle of other code. So it only keeps the first
    fault of each kind and counts the others; `report` writes them to the console.

    Args:
        console: receives the faults.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lock = threading.RLock()  # a finalizer may run while the lock is held
        self._found: dict[_Key, tuple[BaseException, int]] = {}
        self._thread_hook, self._own_thread_hook = threading.excepthook, self._in_thread
        self._final_hook, self._own_final_hook = sys.unraisablehook, self._in_finalizer
        threading.excepthook, sys.unraisablehook = self._own_thread_hook, self._own_final_hook

    def report(self, watch: Watch = nullcontext) -> None:
        """Write a console line for each exception since the last call; on the main thread only.

        Args:
            watch: returns a context manager that limits the time of an exception's own `str`.
        """
        if not self._found:
            return
        with self._lock:
            found, self._found = self._found, {}
        for (source, *_), (error, count) in found.items():
            record = self._console.failure(
                error, source=source, component="", hook="", slot_id="", watch=watch
            )
            self._console.count_again(record, count - 1)

    def close(self) -> None:
        """Report what is left, and restore Python's own handling of faults."""
        self.report()
        if threading.excepthook is self._own_thread_hook:
            threading.excepthook = self._thread_hook
        if sys.unraisablehook is self._own_final_hook:
            sys.unraisablehook = self._final_hook

    def _in_thread(self, fault: threading.ExceptHookArgs) -> None:
        if fault.exc_value is not None and not isinstance(fault.exc_value, SystemExit):
            name = "of its own" if fault.thread is None else fault.thread.name
            self._keep(f"thread {name}", fault.exc_value)

    def _in_finalizer(self, fault: UnraisableHookArgs) -> None:
        if fault.exc_value is not None:
            self._keep(_name_of(fault.object), fault.exc_value)

    def _keep(self, source: str, error: BaseException) -> None:
        frames = list(traceback.walk_tb(error.__traceback__))
        frame, line = frames[-1] if frames else (None, 0)
        file = "" if frame is None else frame.f_code.co_filename
        key = (source, type(error), file, line)
        with self._lock:
            first, count = self._found.get(key, (error, 0))
            if count or len(self._found) < MOST:
                self._found[key] = (first, count + 1)


def print_in_one_line(told: UnraisableHookArgs) -> None:
    """Write an exception of a finalizer to stderr in one line.

    Use it as `sys.unraisablehook` while the process ends and there is no console any more.

    Args:
        told: what Python tells about the exception.
    """
    error = told.exc_value
    if error is None or sys.stderr is None:
        return
    with suppress(BaseException):  # the text of an error is a script's, too
        frames = list(traceback.walk_tb(error.__traceback__))
        place = f"{frames[-1][0].f_code.co_filename}:{frames[-1][1]}  " if frames else ""
        text = shortened(" ".join(f"{type(error).__name__}: {error}".split()))
        sys.stderr.write(f"ERROR {_name_of(told.object)}  {place}{text}\n")


def _name_of(finalizer: object) -> str:
    """Return the name of a finalizer (such as `__del__`), without running code of a script.

    Args:
        finalizer: the finalizer; its name is read only if it is a plain function.

    Returns:
        The name, or "a finalizer".
    """
    if type(finalizer) is not FunctionType or not isinstance(finalizer, FunctionType):
        return "a finalizer"
    return finalizer.__qualname__
