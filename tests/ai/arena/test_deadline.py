"""The bound on a player's code, by the system's timer and by a thread."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from ai.arena.game import OverdueError, _by_signal, _by_thread, within

BOUNDS = [_by_thread, *([_by_signal] if hasattr(signal, "setitimer") else [])]


@pytest.mark.parametrize("bound", BOUNDS)
def test_what_computes_without_end_is_broken_off(bound):
    def count():
        number = 0
        while True:
            try:
                number += 1
            except Exception:
                continue

    with pytest.raises(OverdueError), bound(0.02):
        count()
    with bound(60.0):
        assert sum(range(10)) == 45, "nothing comes after its end"


@pytest.mark.parametrize("bound", BOUNDS)
def test_what_is_in_time_and_what_fails_pass(bound):
    with pytest.raises(ValueError, match="own"), bound(60.0):
        raise ValueError("own")
    for _ in range(50):
        with bound(60.0):
            pass
    assert not [thread for thread in threading.enumerate() if thread.name == "deadline"]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no such timer here")
def test_the_timer_of_somebody_else_goes_on():
    before = signal.getitimer(signal.ITIMER_REAL)
    handler = signal.signal(signal.SIGALRM, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 500.0)
    try:
        with pytest.raises(OverdueError), within(0.01):
            threading.Event().wait()
        assert 400.0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 500.0
        assert signal.getsignal(signal.SIGALRM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, *before)


def test_another_thread_is_bound_too():
    ends = []

    def work():
        try:
            with within(0.02):
                while True:
                    time.monotonic()
        except OverdueError:
            ends.append("overdue")

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(30)
    assert ends == ["overdue"]
