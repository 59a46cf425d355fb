"""The watchdog: interrupts a script's call that takes too long.

CPython can set an exception in another thread, which it finds by the thread's number. Until 3.12 a
thread that is just being started has the number of its parent thread. An exception meant for the
parent would end the new thread before it began, and the parent would wait for it for ever. So the
main thread raises the exception itself, between two of its instructions (`PendingCall`). Nothing is
raised while a thread waits in `Thread.start` or uses the locks of `threading`.

The main thread may wait in C, for a sleep, a lock, a socket or a child process. Python then runs
nothing in it until the call returns, except handlers of signals. A signal ends the wait, and an
exception that its handler raises leaves the call (`SignalInterrupter`).
"""

from __future__ import annotations

import bisect
import contextlib
import ctypes
import gc
import math
import os
import signal
import sys
import threading
import time
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Final

from base.errors import ScriptTimeout
from base.files import SHIPPED_ROOT, is_of_python
from sim.core.hangs.hang_monitor import processor_delay, state_of

SAMPLE_SECONDS = 0.05
KEPT = 2000
LONGEST_IMPORT: Final = 60.0
"""Largest number of seconds of importing packages that do not count."""
IMPORT_SYSTEM: Final = "<frozen importlib"
LIBRARIES: Final = (
    "<frozen",
    *(f"{SHIPPED_ROOT / name}{os.sep}" for name in ("base", "sim", "ai", "goishi")),
)
"""Beginnings of the paths of frozen modules and Goishi's own."""
LONGEST_DELAY = 30.0
"""Largest number of seconds of waiting for a processor or a disk that do not count."""
DISK_SLEEP = "D"
USUAL_DELAY: Final = 0.03
"""Seconds by which a thread wakes late where nothing else runs: a step of Windows' clock, and
Python's own change of threads.
"""


def tells_delays() -> bool:
    """Return whether the system tells how long threads wait for a processor."""
    if sys.platform == "win32":
        return False
    return Path("/proc/self/schedstat").is_file()


def waited_of(thread: int) -> float:
    """Return for how many seconds a thread of this process has been waiting for a processor.

    Args:
        thread: native id of the thread.
    """
    return processor_delay(Path(f"/proc/self/task/{thread}"))


def waits_for_disk(thread: int) -> bool:
    """Return whether a thread (native id) is waiting for a device, such as in `fsync`.

    Linux only; False on other systems and after the thread has ended.
    """
    return state_of(Path(f"/proc/self/task/{thread}")) == DISK_SLEEP


@dataclass(slots=True)
class Samples:
    """How long some threads have waited, at the last `KEPT` samples.

    Attributes:
        threads: native ids of the threads.
        rows: when, and how long each thread had waited, sample after sample, in a ring.
        at_disk: for each thread, whether it waited for a disk at the newest sample.
        newest: index of the newest sample.
    """

    threads: tuple[int, ...]
    rows: array[float]
    at_disk: dict[int, bool]
    newest: int

    @property
    def width(self) -> int:
        """Numbers of one sample."""
        return 1 + len(self.threads)


class SchedulingDelay:
    """Measures how long some threads had to wait for a processor or a disk.

    The result is the wait of the thread that waited longest, since one thread may have waited for
    another. The system does not count waits for a disk. If a thread waits for a disk at two samples
    in a row, the time between them counts as a wait.

    Where the system tells no waits, all threads are taken to have waited as long as the one that
    samples has slept too long.

    Args:
        *threads: native ids of the threads.
        is_told: whether the system tells waits; None to find out.
    """

    def __init__(self, *threads: int, is_told: bool | None = None) -> None:
        self._disk_seconds: dict[int, float] = {}
        self._is_told = tells_delays() if is_told is None else is_told
        self._overslept = 0.0
        self._kept = self._begun(threads)

    def _begun(self, threads: tuple[int, ...]) -> Samples:
        """Return the first sample of threads; all memory for the others is taken now.

        Args:
            threads: native ids of the threads.
        """
        first = [time.monotonic(), *self._waited(threads)]
        at_disk = {thread: waits_for_disk(thread) for thread in threads}
        return Samples(threads, array("d", first * KEPT), at_disk, KEPT - 1)

    def follow(self, thread: int) -> None:
        """Measure one more thread, given by its native id; any thread may call it meanwhile."""
        self._kept = self._begun((*self._kept.threads, thread))

    def sample(self, overslept: float = 0.0) -> None:
        """Record how long the threads have waited so far, unless this was recorded just now.

        Args:
            overslept: seconds by which the calling thread has just woken too late.
        """
        if not self._is_told:
            self._overslept += max(0.0, overslept - USUAL_DELAY)
        kept = self._kept
        last = kept.rows[kept.newest * kept.width]
        if time.monotonic() - last < SAMPLE_SECONDS:
            return
        at_disk = {thread: waits_for_disk(thread) for thread in kept.threads}
        now = time.monotonic()  # after what has just taken a while, beside what is stored with it
        for thread in kept.threads:
            if at_disk[thread] and kept.at_disk[thread]:
                self._disk_seconds[thread] = self._disk_seconds.get(thread, 0.0) + now - last
        kept.at_disk = at_disk
        newest = (kept.newest + 1) % KEPT
        row = slice(newest * kept.width, (newest + 1) * kept.width)
        kept.rows[row] = array("d", [now, *self._waited(kept.threads)])
        kept.newest = newest

    def since(self, moment: float) -> float:
        """Return the seconds of waiting since a moment, at most `LONGEST_DELAY`.

        Waits before the oldest kept sample are not known and do not count.

        Args:
            moment: time as `time.monotonic` gives it.
        """
        kept = self._kept
        width, oldest = kept.width, kept.newest + 1
        times = kept.rows[::width]
        place = bisect.bisect_right(times[oldest:] + times[:oldest], moment)
        row = (oldest + max(0, place - 1)) % KEPT
        before = kept.rows[row * width + 1 : (row + 1) * width]
        waited = self._waited(kept.threads)
        longest = max(now - then for now, then in zip(waited, before, strict=True))
        return min(max(0.0, longest), max(0.0, time.monotonic() - moment), LONGEST_DELAY)

    def _waited(self, threads: tuple[int, ...]) -> list[float]:
        others = self._overslept
        return [
            waited_of(thread) + self._disk_seconds.get(thread, 0.0) + others for thread in threads
        ]


POLL_SECONDS: Final = 0.05
AGAIN_SECONDS: Final = 2.0
"""Seconds after which a call that has not ended is interrupted again: the first exception may have
been swallowed by a finalizer, or by a script that catches everything.
"""
STUCK_LOOKS: Final = 6
"""Number of checks in a row with the main thread at the same instruction before it is woken."""
WAITS: Final = "waits"
"""Text of the exception that interrupted a wait in C."""
SIGNAL: Final[signal.Signals | None] = getattr(signal, "SIGURG", None)
"""The signal that wakes the main thread; it has no other use. None on Windows."""
STARTING: Final = threading.Thread.start.__code__
_WAITS_OF_THREADING = frozenset(
    function.__code__
    for function in (
        threading.Condition.wait,
        getattr(threading.Thread, "_wait_for_tstate_lock", threading.Thread.join),
    )
)
"""Functions of `threading` that wait, and release their lock if an exception is raised there."""
_DEEPEST_OWN = 100
"""Largest number of stack frames that are searched for frames of the watchdog itself."""
_add_pending_call = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.py_object)(
    ("Py_AddPendingCall", ctypes.pythonapi)
)
_truth_of = ctypes.cast(ctypes.pythonapi.PyObject_IsTrue, ctypes.c_void_p)

Position = tuple[int, int]


class Watchdog:
    """Watches the thread that made it; raises `ScriptTimeout` inside a call that takes too long.

    With an infinite timeout it watches nothing and starts no thread. It pauses while a debugger is
    attached. A call that waits in C, such as for a lock, is woken by a signal. A call that computes
    in C is not interrupted. Time in which the call had no processor, because the machine is
    overloaded, or waited for a disk, as in `fsync`, does not count.

    Attributes:
        timeout: seconds that a call may take.
        deadline: deadline of the present call, by `time.monotonic`; None for no call.
        has_fired: the exception was raised or is pending; `end` clears it.
        polls: seconds between two checks of the deadline.
    """

    def __init__(self, timeout: float, *, polls: float = POLL_SECONDS) -> None:
        self.timeout = timeout
        self.polls = polls
        self._watched = threading.current_thread()
        self._thread_id = threading.get_ident()
        self._lock = threading.Lock()
        self.deadline: float | None = None
        self.has_fired = False
        self._fired_at = 0.0
        self._pending = PendingCall(self._fire)
        self._stop = threading.Event()
        self._limit = timeout  # of the present call
        self._imports = ImportTime()
        self._delay = SchedulingDelay(threading.get_native_id())
        self._thread: threading.Thread | None = None
        self._interrupter: SignalInterrupter | None = None
        if math.isfinite(timeout):
            self._interrupter = SignalInterrupter(self._interrupt)
            self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)
            self._thread.start()

    def begin(self, timeout: float | None = None) -> None:
        """Start the time limit of a call.

        Args:
            timeout: seconds; None for the attribute `timeout`.
        """
        self._limit = self.timeout if timeout is None else timeout
        self.deadline = time.monotonic() + self._limit

    def end(self) -> None:
        """End the time limit of the call, and cancel an exception that is about to be raised."""
        self.deadline = None
        self._limit = self.timeout
        if self.has_fired:
            with self._lock:
                self.has_fired = False
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread_id), None)

    @contextlib.contextmanager
    def watching(self, timeout: float | None = None) -> Iterator[None]:
        """Limit the time of a `with` block; afterwards the limit of the outer call starts anew.

        Args:
            timeout: seconds; None for the attribute `timeout`.
        """
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

    @contextlib.contextmanager
    def uncounted(self) -> Iterator[None]:
        """Exclude a `with` block from the time limit, because it waits for other processes."""
        begun, deadline = time.monotonic(), self.deadline
        self.deadline = None
        try:
            yield
        finally:
            if deadline is not None:
                self.deadline = deadline + (time.monotonic() - begun)
                self._imports.move(deadline, self.deadline)

    def close(self) -> None:
        """Stop watching and end the watchdog's thread."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=1.0)
        if self._interrupter is not None:
            self._interrupter.close()

    @property
    def is_due(self) -> bool:
        """Whether the present call has exceeded its time and must be interrupted, perhaps again."""
        deadline, now = self.deadline, time.monotonic()
        if deadline is None or now < deadline or self._stop.is_set():
            return False
        spared = self._delay.since(deadline - self._limit) + self._imports.of(deadline)
        if now < deadline + spared:
            return False
        return not self.has_fired or now - self._fired_at >= AGAIN_SECONDS

    def late(self) -> float:
        """Return by how many seconds the present call has exceeded its time; 0.0 if it has not."""
        deadline = self.deadline
        if deadline is None or self._stop.is_set() or _is_debugged():
            return 0.0
        return max(0.0, time.monotonic() - deadline - self._imports.of(deadline))

    def _watch(self) -> None:
        """Check the time limit regularly until `close`; runs in the watchdog's own thread."""
        self._delay.follow(threading.get_native_id())  # it wakes as late as any new thread
        while True:
            slept_at = time.monotonic()
            if self._stop.wait(self.polls):
                return
            self._delay.sample(time.monotonic() - slept_at - self.polls)
            self._imports.sample(self.deadline, self._thread_id)
            if not self.is_due or _is_debugged():
                continue
            if self._watched is threading.main_thread():
                self._pending.request()
                if self._interrupter is not None:
                    self._interrupter.look(is_asked=self._pending.is_waiting)
            elif self._watched.is_alive():  # else another thread may have its number by now
                self._set_exception()

    def _fire(self, frame: FrameType | None) -> bool:
        """Interrupt the present call if its time is over; runs in the main thread.

        Args:
            frame: the frame that is interrupted.

        Returns:
            True if the call must not be interrupted at this frame, so that this is tried again;
            False if there is nothing to interrupt.

        Raises:
            ScriptTimeout: interrupts the call.
        """
        if not self.is_due:
            return False
        if is_delicate(frame):
            return True
        self._note_fired()
        is_stuck = self._interrupter is not None and self._interrupter.is_stuck
        raise ScriptTimeout(*([WAITS] if is_stuck else []))

    def _interrupt(self, frame: FrameType | None) -> None:
        """Interrupt a call that waits in C; called by a signal's handler in the main thread.

        Args:
            frame: the frame that is interrupted.

        Raises:
            ScriptTimeout: interrupts the call; its text says that the call was waiting.
        """
        if self.is_due and not is_starting(frame) and not is_taking_a_lock(frame):
            self._note_fired()
            raise ScriptTimeout(WAITS)  # only what stands still is woken

    def _note_fired(self) -> None:
        self.has_fired, self._fired_at = True, time.monotonic()

    def _set_exception(self) -> None:
        """Set the exception in the watched thread, if that is not the main thread."""
        if is_delicate(sys._current_frames().get(self._thread_id)):
            return
        deadline = self.deadline
        with self._lock:
            self._note_fired()  # before the look at the deadline: `end` does it the other way
            if deadline is None or self.deadline != deadline:
                self.has_fired = False
                return
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self._thread_id), ctypes.py_object(ScriptTimeout)
            )


class ImportTime:
    """Measures how long the present call has been importing packages, which takes its time.

    A package that is broken off amid its import stays half imported. The modules of scripts count
    as their code: they are not packages.
    """

    def __init__(self) -> None:
        self._known: tuple[float, float] = (math.nan, 0.0)  # a deadline, and its seconds
        self._seen: float | None = None  # when an import was seen last

    def sample(self, deadline: float | None, thread: int) -> None:
        """Look whether the call is importing a package now.

        Args:
            deadline: deadline of the present call; None for no call.
            thread: identifier of the thread in which it runs.
        """
        now = time.monotonic()
        if deadline is None or not is_importing(sys._current_frames().get(thread)):
            self._seen = None
            return
        seconds = self.of(deadline)
        if self._seen is not None:
            seconds = min(LONGEST_IMPORT, seconds + now - self._seen)
        self._seen, self._known = now, (deadline, seconds)

    def of(self, deadline: float) -> float:
        """Return the seconds of importing in the call with a deadline."""
        known, seconds = self._known
        return seconds if known == deadline else 0.0

    def move(self, deadline: float, later: float) -> None:
        """Keep the seconds of a call whose deadline has moved.

        Args:
            deadline: its deadline until now.
            later: its new deadline.
        """
        if self._known[0] == deadline:
            self._known = (later, self._known[1])


class PendingCall:
    """Makes the main thread call a function between two of its instructions.

    Python's `Py_AddPendingCall` takes a C function of one argument, which can raise an exception.
    `PyObject_IsTrue` is such a function; it calls the `__bool__` of this object.

    Args:
        call: called in the main thread with the interrupted frame; returns whether to call it
            again. It may raise an exception.

    Attributes:
        is_waiting: whether the call was requested but has not been made yet.
    """

    def __init__(self, call: Callable[[FrameType | None], bool]) -> None:
        self._call = call
        self.is_waiting = False

    def request(self) -> None:
        """Request the call, unless one is requested already."""
        if not self.is_waiting:
            self.is_waiting = True
            _kept.add(self)
            if _add_pending_call(_truth_of, self):  # too many calls wait: ask again later
                self.is_waiting = False

    def __bool__(self) -> bool:
        """Call the function; Python runs this in the main thread. Return False."""
        self.is_waiting = False
        _kept.discard(self)
        if self._call(interrupted(sys._getframe(1))):
            self.request()
        return False


class SignalInterrupter:
    """Wakes the main thread with a signal if it stays at one instruction.

    Create it in the main thread. In other threads, and on systems without the signal, it does
    nothing.

    Args:
        call: called in the main thread with the interrupted frame; an exception that it raises ends
            the wait.
    """

    def __init__(self, call: Callable[[FrameType | None], None]) -> None:
        self._call = call
        self._position: Position | None = None
        self._looks = 0
        self._before: object = None
        self._main = threading.main_thread().ident
        self.is_able = SIGNAL is not None and threading.current_thread() is threading.main_thread()
        if SIGNAL is not None and self.is_able:
            self._before = signal.signal(SIGNAL, self._handle)

    def look(self, *, is_asked: bool) -> None:
        """Check where the main thread is; wake it if it has not moved for several checks.

        Call it from another thread.

        Args:
            is_asked: whether a pending call was requested but has not been made yet.
        """
        position = position_of(sys._current_frames().get(self._main or 0))
        is_same = is_asked and position is not None and position == self._position
        self._looks = self._looks + 1 if is_same else 0
        self._position = position
        if SIGNAL is not None and self.is_able and self.is_stuck and self._main:
            signal.pthread_kill(self._main, SIGNAL)

    @property
    def is_stuck(self) -> bool:
        """Whether the main thread was at the same instruction in the last checks."""
        return self._looks >= STUCK_LOOKS

    def close(self) -> None:
        """Restore the former handler of the signal; call it in the main thread."""
        is_ours = SIGNAL is not None and signal.getsignal(SIGNAL) == self._handle
        if SIGNAL is not None and self.is_able and is_ours:
            with contextlib.suppress(ValueError, TypeError):  # another thread, or a handler in C
                signal.signal(SIGNAL, self._before or signal.SIG_DFL)  # type: ignore[arg-type]
        self.is_able = False

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.is_able and position_of(frame) == self._position:  # else it goes on by itself
            self._call(interrupted(frame))


_OWN = frozenset((SignalInterrupter._handle.__code__, PendingCall.__bool__.__code__))
"""Code objects of the functions through which the watchdog interrupts the watched thread."""
_kept: set[PendingCall] = set()
"""Pending calls that have not been made yet; this set keeps them alive, as C does not."""


# -- which frames may be broken off ---------------------------------------------------------------


def position_of(frame: FrameType | None) -> Position | None:
    """Return a frame's identity and its present instruction; None if there is no frame."""
    return None if frame is None else (id(frame), frame.f_lasti)


def interrupted(frame: FrameType | None) -> FrameType | None:
    """Return the script's frame that was interrupted, without the watchdog's own frames.

    The handler of the signal and the pending call can interrupt each other. An exception raised by
    one passes through the other and reaches the script.

    Args:
        frame: innermost frame of the thread.
    """
    found = outer = frame
    for _ in range(_DEEPEST_OWN):
        if outer is None:
            break
        if outer.f_code in _OWN:
            found = outer.f_back
        outer = outer.f_back
    return found


def is_delicate(frame: FrameType | None) -> bool:
    """Return whether a thread must not be interrupted now.

    That is so while it starts another thread, uses a lock of `threading`, or runs a callback of the
    garbage collector, which would swallow the exception.

    Args:
        frame: innermost frame of the thread.
    """
    if frame is not None and frame.f_code.co_filename == STARTING.co_filename:
        return True
    return is_collecting(frame) or is_starting(frame)


def is_importing(frame: FrameType | None) -> bool:
    """Return whether a thread is importing a package, or a module of Python or of Goishi.

    Args:
        frame: innermost frame of the thread.
    """
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(IMPORT_SYSTEM):
            return True
        if not (file.startswith(LIBRARIES) or is_of_python(file)):
            return False  # code of the project
        frame = frame.f_back
    return False


def is_collecting(frame: FrameType | None) -> bool:
    """Return whether a thread runs a callback of the garbage collector.

    Args:
        frame: innermost frame of the thread.
    """
    return frame is not None and any(
        getattr(callback, "__code__", None) is frame.f_code for callback in gc.callbacks
    )


def is_taking_a_lock(frame: FrameType | None) -> bool:
    """Return whether a thread is acquiring a lock of `threading`.

    It may have the lock already when the signal arrives. An exception raised then would leave the
    lock held for ever.

    Args:
        frame: innermost frame of the thread.
    """
    return (
        frame is not None
        and frame.f_code.co_filename == STARTING.co_filename
        and frame.f_code not in _WAITS_OF_THREADING
    )


def is_starting(frame: FrameType | None) -> bool:
    """Return whether a thread is in `Thread.start`, waiting for the new thread to run.

    Args:
        frame: innermost frame of the thread.
    """
    while frame is not None:
        if frame.f_code is STARTING:
            return True
        frame = frame.f_back
    return False


def _is_debugged() -> bool:
    """Return whether a debugger is attached: through debugpy, or as the parent of this process."""
    debugpy = sys.modules.get("debugpy")
    if debugpy is not None:  # it traces from `listen` on, attached or not
        return bool(getattr(debugpy, "is_client_connected", lambda: False)())
    return "pydevd" in sys.modules
