"""The watchdog: interrupts a script's call that takes too long.

CPython sets an exception in another thread by that thread's number, and until 3.12 a thread that is
being made has its maker's number until it first runs: an exception meant for the maker would end
the new thread before it began, and the maker would wait for it for ever. So the main thread is
asked to raise the exception itself, between two of its instructions (`PendingCall`); and nothing is
raised while a thread waits in `Thread.start`, or is amid the locks of `threading`.

Where the main thread waits in C (a sleep, a lock, a socket, a child process), Python runs nothing
there until the call returns, but for the handlers of signals: the system ends the wait, Python
looks at its signals, and an exception that a handler raises leaves the call (`SignalInterrupter`).
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import math
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Final

from base.errors import ScriptTimeout
from sim.core.hangs.hang_monitor import processor_delay, state_of

SAMPLE_SECONDS = 0.05
KEPT = 2000
LONGEST_DELAY = 30.0
"""Seconds that a call waited for a processor or a disk and that do not count, at most."""
DISK_SLEEP = "D"


def waited_of(thread: int) -> float:
    """Return the seconds that a thread of this process (native id) waited for a processor."""
    return processor_delay(Path(f"/proc/self/task/{thread}"))


def waits_for_disk(thread: int) -> bool:
    """Return whether a thread (native id) is waiting for a device, such as in `fsync`.

    Linux only; False on other systems and after the thread has ended.
    """
    return state_of(Path(f"/proc/self/task/{thread}")) == DISK_SLEEP


class SchedulingDelay:
    """Records when and how long some threads waited for a processor or a disk.

    Of several threads the one that waited longest counts: one that had a processor may have waited
    for one that had none. The system does not add up the waits for a disk: the time between two
    samples counts as one where the thread waits at both.
    """

    def __init__(self, *threads: int) -> None:
        self._threads = threads
        self._samples: deque[tuple[float, dict[int, float]]] = deque(maxlen=KEPT)
        self._at_disk: dict[int, bool] = {}
        self._disk_seconds: dict[int, float] = {}
        self.sample()

    def follow(self, thread: int) -> None:
        """Watch one more thread."""
        self._threads = (*self._threads, thread)
        self._samples = deque([(time.monotonic(), self._waited())], maxlen=KEPT)

    def sample(self) -> None:
        """Sample the threads, unless that was just done."""
        last = self._samples[-1][0] if self._samples else None
        if last is not None and time.monotonic() - last < SAMPLE_SECONDS:
            return
        at_disk = {thread: waits_for_disk(thread) for thread in self._threads}
        now = time.monotonic()  # after what has just taken a while, beside what is stored with it
        for thread in self._threads:
            if last is not None and at_disk[thread] and self._at_disk.get(thread, False):
                self._disk_seconds[thread] = self._disk_seconds.get(thread, 0.0) + now - last
        self._at_disk = at_disk
        self._samples.append((now, self._waited()))

    def since(self, moment: float) -> float:
        """Return the seconds of waiting since a moment of `time.monotonic`, as far as known."""
        samples = tuple(self._samples)
        before = samples[0][1]
        for at, waited in samples:
            if at > moment:
                break
            before = waited
        longest = max(
            waited - before.get(thread, samples[-1][1].get(thread, waited))
            for thread, waited in self._waited().items()
        )
        return min(max(0.0, longest), max(0.0, time.monotonic() - moment), LONGEST_DELAY)

    def _waited(self) -> dict[int, float]:
        return {
            thread: waited_of(thread) + self._disk_seconds.get(thread, 0.0)
            for thread in self._threads
        }


POLL_SECONDS: Final = 0.05
AGAIN_SECONDS: Final = 2.0
"""Seconds after which a call that has not ended is interrupted again: the first exception may have
been swallowed by a finalizer, or by a script that catches everything.
"""
STUCK_LOOKS: Final = 6
"""Number of checks that must find the main thread at the same instruction before it is woken."""
WAITS: Final = "waits"
"""Text of an exception that interrupted a call in C."""
SIGNAL: Final[signal.Signals | None] = getattr(signal, "SIGURG", None)
"""The signal: unused otherwise, and ignored by default; none on Windows."""
STARTING: Final = threading.Thread.start.__code__
_WAITS_OF_THREADING = frozenset(
    function.__code__
    for function in (
        threading.Condition.wait,
        getattr(threading.Thread, "_wait_for_tstate_lock", threading.Thread.join),
    )
)
"""Functions of `threading` that wait and release their lock when an exception leaves them."""
_DEEPEST_OWN = 100
"""Maximum number of the watchdog's own frames in the watched thread."""
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
        self._delay = SchedulingDelay(threading.get_native_id())
        self._thread: threading.Thread | None = None
        self._interrupter: SignalInterrupter | None = None
        if math.isfinite(timeout):
            self._interrupter = SignalInterrupter(self._interrupt)
            self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)
            self._thread.start()

    def begin(self, timeout: float | None = None) -> None:
        """Start the time limit of a call; None for the default `timeout`."""
        self._limit = self.timeout if timeout is None else timeout
        self.deadline = time.monotonic() + self._limit

    def end(self) -> None:
        """End the time limit; a pending exception is cleared."""
        self.deadline = None
        self._limit = self.timeout
        if self.has_fired:
            with self._lock:
                self.has_fired = False
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread_id), None)

    @contextlib.contextmanager
    def watching(self, timeout: float | None = None) -> Iterator[None]:
        """Limit the time of a block; afterwards the limit of the enclosing call starts again."""
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
        """Do not count the time of a block, which waits for other processes, towards the limit."""
        begun, deadline = time.monotonic(), self.deadline
        self.deadline = None
        try:
            yield
        finally:
            if deadline is not None:
                self.deadline = deadline + (time.monotonic() - begun)

    def close(self) -> None:
        """Stop watching."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=1.0)
        if self._interrupter is not None:
            self._interrupter.close()

    @property
    def is_due(self) -> bool:
        """Whether the present call has exceeded its time and was not interrupted just now."""
        deadline, now = self.deadline, time.monotonic()
        if deadline is None or now < deadline or self._stop.is_set():
            return False
        if now < deadline + self._delay.since(deadline - self._limit):
            return False
        return not self.has_fired or now - self._fired_at >= AGAIN_SECONDS

    def late(self) -> float:
        """Return by how many seconds the present call has exceeded its time, 0.0 for none."""
        deadline = self.deadline
        if deadline is None or self._stop.is_set() or _is_debugged():
            return 0.0
        return max(0.0, time.monotonic() - deadline)

    def _watch(self) -> None:
        """Check the present call until `close`; runs in the watchdog's thread."""
        self._delay.follow(threading.get_native_id())  # it wakes as late as any new thread
        while not self._stop.wait(self.polls):
            self._delay.sample()
            if not self.is_due or _is_debugged():
                continue
            if self._watched is threading.main_thread():
                self._pending.request()
                if self._interrupter is not None:
                    self._interrupter.look(is_asked=self._pending.is_waiting)
            elif self._watched.is_alive():  # else another thread may have its number by now
                self._set_exception()

    def _fire(self, frame: FrameType | None) -> bool:
        """Interrupt the present call, in the main thread; return whether to try again later.

        Raises:
            ScriptTimeout: the call is due and may be interrupted at this frame.
        """
        if not self.is_due:
            return False
        if is_delicate(frame):
            return True
        self._note_fired()
        is_stuck = self._interrupter is not None and self._interrupter.is_stuck
        raise ScriptTimeout(*([WAITS] if is_stuck else []))

    def _interrupt(self, frame: FrameType | None) -> None:
        """Interrupt a call that waits in C, in the main thread; see `SignalInterrupter`.

        Raises:
            ScriptTimeout: the present call is due; the text says that it was waiting.
        """
        if self.is_due and not is_starting(frame) and not is_taking_a_lock(frame):
            self._note_fired()
            raise ScriptTimeout(WAITS)  # only what stands still is woken

    def _note_fired(self) -> None:
        self.has_fired, self._fired_at = True, time.monotonic()

    def _set_exception(self) -> None:
        """Set the exception in a thread that cannot be asked to raise it."""
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


class PendingCall:
    """Asks the main thread to call a function between two of its instructions.

    A pending call is a C function of one argument that raises by returning -1 with an exception
    set. `PyObject_IsTrue` is such a function, and calls the object's `__bool__`.

    Args:
        call: called in the main thread with the interrupted frame; returns whether to call it
        again. It may raise.

    Attributes:
        is_waiting: whether a call was requested and not made yet.
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
        """Call the function, in the main thread, and return False."""
        self.is_waiting = False
        _kept.discard(self)
        if self._call(interrupted(sys._getframe(1))):
            self.request()
        return False


class SignalInterrupter:
    """Wakes the main thread by a signal when it has not moved for a while.

    Create it in the main thread; in other threads, and without such a signal, it does nothing.

    Args:
        call: called in the main thread with the interrupted frame; if it raises, the wait ends.
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
        """Check the main thread from another thread, and wake it if it has not moved.

        Args:
            is_asked: whether a pending call was requested and not made yet.
        """
        position = position_of(sys._current_frames().get(self._main or 0))
        is_same = is_asked and position is not None and position == self._position
        self._looks = self._looks + 1 if is_same else 0
        self._position = position
        if SIGNAL is not None and self.is_able and self.is_stuck and self._main:
            signal.pthread_kill(self._main, SIGNAL)

    @property
    def is_stuck(self) -> bool:
        """Whether the main thread has not moved during the last checks."""
        return self._looks >= STUCK_LOOKS

    def close(self) -> None:
        """Restore the signal's former handler; in the main thread."""
        is_ours = SIGNAL is not None and signal.getsignal(SIGNAL) == self._handle
        if SIGNAL is not None and self.is_able and is_ours:
            with contextlib.suppress(ValueError, TypeError):  # another thread, or a handler in C
                signal.signal(SIGNAL, self._before or signal.SIG_DFL)  # type: ignore[arg-type]
        self.is_able = False

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.is_able and position_of(frame) == self._position:  # else it goes on by itself
            self._call(interrupted(frame))


_OWN = frozenset((SignalInterrupter._handle.__code__, PendingCall.__bool__.__code__))
"""Code objects at which the watchdog's own frames begin in the watched thread."""
_kept: set[PendingCall] = set()
"""Pending calls that were not made yet, kept alive here because C holds no reference."""


# -- which frames may be broken off ---------------------------------------------------------------


def position_of(frame: FrameType | None) -> Position | None:
    """Return the present frame and its instruction; None for no frame."""
    return None if frame is None else (id(frame), frame.f_lasti)


def interrupted(frame: FrameType | None) -> FrameType | None:
    """Return the frame below the watchdog's own ones: what the script was in.

    The signal's handler and the pending call can interrupt each other. What one of them raises then
    passes through the other and reaches the script.
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
    """Return whether a thread with this innermost frame must not be interrupted now.

    It waits for a thread that it has just started, acquires or releases a lock of `threading`, or
    runs a callback of the garbage collector, which swallows exceptions.
    """
    if frame is not None and frame.f_code.co_filename == STARTING.co_filename:
        return True
    return is_collecting(frame) or is_starting(frame)


def is_collecting(frame: FrameType | None) -> bool:
    """Return whether a thread with this innermost frame is in a callback of the collector."""
    return frame is not None and any(
        getattr(callback, "__code__", None) is frame.f_code for callback in gc.callbacks
    )


def is_taking_a_lock(frame: FrameType | None) -> bool:
    """Return whether a thread with this innermost frame is acquiring a lock of `threading`.

    It may have the lock already when the signal arrives: an exception would then never release it.
    """
    return (
        frame is not None
        and frame.f_code.co_filename == STARTING.co_filename
        and frame.f_code not in _WAITS_OF_THREADING
    )


def is_starting(frame: FrameType | None) -> bool:
    """Return whether a thread with this innermost frame waits for one that it has just started."""
    while frame is not None:
        if frame.f_code is STARTING:
            return True
        frame = frame.f_back
    return False


def _is_debugged() -> bool:
    """Return whether a debugger is attached: debugpy's, or the one that started this process."""
    debugpy = sys.modules.get("debugpy")
    if debugpy is not None:  # it traces from `listen` on, attached or not
        return bool(getattr(debugpy, "is_client_connected", lambda: False)())
    return "pydevd" in sys.modules
