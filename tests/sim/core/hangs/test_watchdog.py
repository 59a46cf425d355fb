"""Laws of the watchdog: only the thread that it watches is broken, and only inside its call."""

from __future__ import annotations

import gc
import sys
import threading
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from base.errors import ScriptTimeout
from sim.core.hangs import watchdog
from sim.core.hangs.watchdog import (
    PendingCall,
    SchedulingDelay,
    SignalInterrupter,
    Watchdog,
    interrupted,
    is_delicate,
)

OFTEN = 0.0002
LONGEST = 10.0


@pytest.fixture
def other_threads(monkeypatch):
    """What was raised in any thread but this one."""
    found = []
    monkeypatch.setattr(threading, "excepthook", lambda info: found.append(info.exc_type))
    monkeypatch.setattr("sys.unraisablehook", lambda info: found.append(info.exc_type))
    gc.disable()  # Hypothesis has a callback in it, which swallows what is raised there
    yield found
    gc.enable()


def start_threads_until_broken(
    dog: Watchdog, timeout: float
) -> tuple[bool, list[threading.Thread]]:
    """Start one thread after the other in a watched call; tell whether the call was broken."""
    threads: list[threading.Thread] = []
    end = time.monotonic() + LONGEST
    try:
        with dog.watching(timeout):
            while time.monotonic() < end:
                thread = threading.Thread(target=int)
                thread.start()
                threads.append(thread)
                sum(range(2000))
    except ScriptTimeout:
        return True, threads
    return False, threads


@settings(max_examples=25, deadline=None, derandomize=True)
@given(timeout=st.floats(0.0, 0.02))
def law_of_starting_threads(dog, found, timeout):
    is_broken, threads = start_threads_until_broken(dog, timeout)
    for thread in threads:
        thread.join(LONGEST)
    assert is_broken
    assert not any(thread.is_alive() for thread in threads)
    assert found == []


def test_a_timeout_reaches_the_watched_thread_and_none_that_it_is_starting(other_threads):
    dog = Watchdog(LONGEST, polls=OFTEN)
    try:
        law_of_starting_threads(dog, other_threads)
    finally:
        dog.close()


def test_a_pool_whose_threads_begin_as_the_time_runs_out_keeps_them(other_threads):
    """As a scene's importer does: its threads begin while the call's time runs out."""
    dog = Watchdog(LONGEST, polls=OFTEN)
    done = []
    try:
        for number in range(20):
            with ThreadPoolExecutor(4, thread_name_prefix="assets") as pool:
                try:
                    with dog.watching(0.0004 * (number % 5)):
                        while True:
                            pool.submit(done.append, number)
                except ScriptTimeout:
                    pass
    finally:
        dog.close()
    assert done
    assert set(done) <= set(range(20))
    assert other_threads == []


def test_a_call_that_came_back_in_time_is_never_broken_after_it(other_threads):
    """However its end and the watchdog's look fall together."""
    dog = Watchdog(LONGEST, polls=OFTEN)
    broken = 0
    try:
        for number in range(600):
            try:
                with dog.watching(0.00005 * (number % 9)):
                    sum(range(300))
            except ScriptTimeout:
                broken += 1
            for _ in range(50):  # outside: what is raised here would end the app
                pass
            assert dog.deadline is None
    finally:
        dog.close()
    assert other_threads == []
    assert broken < 600


@pytest.mark.parametrize("is_wait", [True, False], ids=["waits", "takes a lock"])
def test_a_signal_breaks_a_wait_but_not_the_taking_of_a_lock(is_wait, other_threads):
    """A thread that takes a lock may have it by the time of the signal, and would never give it back."""
    condition, entered = threading.Condition(threading.Lock()), threading.Event()

    def hold() -> None:
        entered.set()
        with condition:
            if is_wait:
                condition.wait()

    if not is_wait:
        condition.acquire()
    thread = threading.Thread(target=hold)
    thread.start()
    assert entered.wait(LONGEST)
    name = "wait" if is_wait else "__enter__"
    frame, end = None, time.monotonic() + LONGEST
    while (frame is None or frame.f_code.co_name != name) and time.monotonic() < end:
        frame = sys._current_frames().get(thread.ident)
    dog = Watchdog(LONGEST)
    try:
        dog.begin(-1.0)
        if is_wait:
            with pytest.raises(ScriptTimeout):
                dog._interrupt(frame)
        else:
            dog._interrupt(frame)
            assert not dog.has_fired
        dog.end()
    finally:
        dog.close()
        if is_wait:
            with condition:
                condition.notify()
        else:
            condition.release()
        thread.join(LONGEST)
    assert other_threads == []


def test_what_is_broken_off_lies_below_the_watchdogs_own_frames():
    """The handler and the pending call can come upon each other, amid a lock of `threading`."""
    seen = []

    def look(*_):
        seen.append(interrupted(sys._getframe()))
        return False

    def handle():
        interrupter = SimpleNamespace(is_able=True, _position=None, _call=look)
        SignalInterrupter._handle(interrupter, 0, None)
        return False

    def script(own):
        own()
        return sys._getframe()

    for own in (
        handle,
        lambda: bool(PendingCall(look)),
        lambda: bool(PendingCall(lambda frame: handle())),
    ):
        seen.clear()
        frame = script(own)
        assert seen[0].f_back is frame, "the function that Python was in"
    assert interrupted(frame) is frame
    assert interrupted(None) is None


def test_a_callback_of_the_collector_is_not_broken_off(monkeypatch):
    def callback(phase, info):
        frames.append(sys._getframe())

    frames = []
    callback("start", {})
    assert not is_delicate(frames[0])
    monkeypatch.setattr(gc, "callbacks", [callback])
    assert is_delicate(frames[0])


def busy(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


@pytest.fixture
def waited(monkeypatch):
    """How long each thread has waited for a processor: as the test says, not as it is."""
    found = {"seconds": lambda: 0.0}
    monkeypatch.setattr(watchdog, "waited_of", lambda thread: found["seconds"]())
    return found


def test_time_without_a_processor_is_not_the_calls_own(other_threads, waited):
    begun = time.monotonic()
    waited["seconds"] = lambda: 0.9 * (time.monotonic() - begun)
    dog = Watchdog(0.03, polls=OFTEN)
    try:
        with dog.watching():
            busy(0.15)
        waited["seconds"] = lambda: 1.0
        with pytest.raises(ScriptTimeout), dog.watching():
            busy(LONGEST)
    finally:
        dog.close()
    assert other_threads == []


def test_time_in_which_a_disk_is_awaited_is_not_the_calls_own(waited, monkeypatch):
    """A database's `fsync` on a busy disk takes seconds: what writes is no hanging script."""
    dog = Watchdog(0.2, polls=OFTEN)
    try:
        with pytest.raises(ScriptTimeout), dog.watching():
            busy(LONGEST)
        monkeypatch.setattr(watchdog, "waits_for_disk", lambda thread: True)
        with dog.watching():
            busy(0.6)
    finally:
        dog.close()


def test_only_a_thread_in_disk_sleep_waits_for_a_disk(monkeypatch):
    stat = "7 (a) D (b) {} 1 7 7 0 -1 4194560"
    for state, is_at_disk in (("D", True), ("S", False), ("R", False)):
        text = stat.format(state)
        monkeypatch.setattr(watchdog.Path, "read_text", lambda *_, text=text: text)
        assert watchdog.waits_for_disk(7) is is_at_disk
    monkeypatch.undo()
    assert watchdog.waits_for_disk(0) is False


def test_one_that_never_gets_a_processor_is_broken_all_the_same(waited, monkeypatch):
    monkeypatch.setattr(watchdog, "LONGEST_DELAY", 0.05)
    waited["seconds"] = time.monotonic
    dog = Watchdog(0.01, polls=OFTEN)
    try:
        with pytest.raises(ScriptTimeout), dog.watching():
            busy(LONGEST)
    finally:
        dog.close()


def test_only_what_was_waited_within_the_call_counts(waited):
    times = {"waited": 5.0}
    waited["seconds"] = lambda: times["waited"]
    kept = SchedulingDelay(1, 2)
    begun = time.monotonic()
    assert kept.since(begun) == 0.0, "what was waited before it"
    times["waited"] += 9.0
    busy(0.002)
    assert 0.0 < kept.since(begun) <= time.monotonic() - begun, "no longer than it lasts"
    kept.follow(3)
    assert kept.since(time.monotonic()) == 0.0


def test_where_the_system_tells_no_delays_a_watcher_that_wakes_late_shows_them(waited):
    """As on Windows: what it oversleeps, nobody had a processor in."""
    waited["seconds"] = lambda: 0.0
    kept, told = (SchedulingDelay(1, is_told=is_told) for is_told in (False, True))
    begun = time.monotonic()
    busy(0.1)
    for each in (kept, told):
        each.sample(0.02)
        assert each.since(begun) == 0.0, "as late as on an idle machine"
        each.sample(0.08)
    assert kept.since(begun) == pytest.approx(0.05)
    assert told.since(begun) == 0.0


def test_another_thread_may_be_followed_while_delays_are_asked_for():
    kept, faults = SchedulingDelay(threading.get_native_id()), []

    def ask(end):
        try:
            while time.monotonic() < end:
                kept.since(time.monotonic() - 1.0)
                kept.sample()
        except (ValueError, IndexError) as error:
            faults.append(error)

    asking = threading.Thread(target=ask, args=(time.monotonic() + 0.2,))
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        asking.start()
        while asking.is_alive():
            kept.follow(threading.get_native_id())
            if len(kept._kept.threads) > 20:
                kept = SchedulingDelay(threading.get_native_id())
            time.sleep(0.001)
    finally:
        sys.setswitchinterval(before)
        asking.join()
    assert faults == []


def test_samples_take_no_more_memory_the_longer_a_run_lasts(waited, monkeypatch):
    monkeypatch.setattr(watchdog, "SAMPLE_SECONDS", 0.0)
    monkeypatch.setattr(watchdog, "KEPT", 100)
    times = {"waited": 5.0}
    waited["seconds"] = lambda: times["waited"]
    kept = SchedulingDelay(1, 2)
    kept.sample()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(500):
            kept.sample()
        assert tracemalloc.get_traced_memory()[0] - before < 1_000
    finally:
        tracemalloc.stop()
    busy(0.002)
    begun = time.monotonic()
    times["waited"] += 9.0
    busy(0.002)
    assert 0.0 < kept.since(begun) <= time.monotonic() - begun
    kept.sample()
    assert kept.since(time.monotonic()) == 0.0, "the newest of them all is found"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux alone counts it")
def test_the_system_is_asked_how_long_a_thread_waited():
    own = threading.get_native_id()
    before = watchdog.waited_of(own)
    assert 0.0 <= before <= watchdog.waited_of(own)
    assert watchdog.waited_of(0) == 0.0, "there is no such thread"


def test_a_wait_for_others_takes_nothing_of_the_calls_time(other_threads):
    dog = Watchdog(0.05, polls=OFTEN)
    try:
        with dog.watching():
            with dog.uncounted():
                assert dog.deadline is None
                busy(0.1)
            assert dog.deadline > time.monotonic()
        with dog.uncounted():
            assert dog.deadline is None, "no call is under way"
        assert dog.deadline is None
        with pytest.raises(ScriptTimeout), dog.watching():
            busy(LONGEST)
    finally:
        dog.close()
    assert other_threads == []


def test_a_thread_of_its_own_is_watched_too(other_threads):
    """A host that does not live in the main thread."""
    outcome = []

    def live():
        dog = Watchdog(LONGEST, polls=OFTEN)
        for _ in range(10):
            threads = [threading.Thread(target=int) for _ in range(5)]
            try:
                with dog.watching(0.001):
                    for thread in threads:
                        thread.start()
                    while True:
                        pass
            except ScriptTimeout:
                outcome.append(len(threads))
        dog.close()

    thread = threading.Thread(target=live)
    thread.start()
    thread.join(2 * LONGEST)
    assert outcome == [5] * 10
    assert other_threads == []


def test_the_number_of_a_thread_that_ended_is_not_struck(other_threads):
    """Another thread may have that number by then."""
    made = []
    maker = threading.Thread(target=lambda: made.append(Watchdog(LONGEST, polls=OFTEN)))
    maker.start()
    maker.join()
    dog = made[0]
    dog.begin(0.0)
    try:
        for _ in range(200):
            thread = threading.Thread(target=lambda: sum(range(2000)))
            thread.start()
            thread.join()
        assert not dog.has_fired
    finally:
        dog.close()
    assert other_threads == []


def test_a_thread_that_makes_another_or_takes_a_lock_is_delicate(monkeypatch):
    seen = []
    real = threading.Event.wait
    maker = threading.get_ident()

    def wait(self, timeout=None):
        if threading.get_ident() == maker:  # another thread of the process may wait meanwhile
            seen.append(is_delicate(sys._getframe()))
        return real(self, timeout)

    assert not is_delicate(sys._getframe())
    assert not is_delicate(None)
    monkeypatch.setattr(threading.Event, "wait", wait)
    thread = threading.Thread(target=lambda: seen.append(is_delicate(sys._getframe())))
    thread.start()
    thread.join()
    assert sorted(seen) == [False, True], "the maker waits; the new thread's own code is like any"
