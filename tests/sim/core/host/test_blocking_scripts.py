"""Scripts that wait in C, never end, or raise what ends others: one line, the app goes on."""

from __future__ import annotations

import ctypes
import signal
import sys
import threading
import time

import pytest

from base.errors import ScriptTimeout
from base.modules import LARGEST_SCRIPT
from sim.core.hangs.watchdog import Watchdog
from sim.core.host.script_host import LEFT_OUT
from sim.core.scene.scene import SlotState
from sim.core.script.panels import PanelRegistry, StatusBoard
from tests.sim.core.stage import Stage

QUICK = {"script_timeout": 0.1}
LONGEST = 8.0


def play(stage: Stage, text: str, frames: int = 3) -> None:
    stage.script("one", text)
    stage.open_one("scripts.one:One", settings=QUICK)
    stage.frames(frames)


BLOCKING = {
    "sleep": ("import time", "time.sleep(1e6)"),
    "lock": ("import threading; lock = threading.Lock(); lock.acquire()", "lock.acquire()"),
    "select": ("import os, select; pipe = os.pipe()", "select.select([pipe[0]], [], [])"),
    "pipe": ("import os; pipe = os.pipe()", "os.read(pipe[0], 1)"),
    "event": ("import threading", "threading.Event().wait()"),
    "queue": ("import queue", "queue.Queue().get()"),
    "full": ("import queue; full = queue.Queue(1); full.put(1)", "full.put(2)"),
    "semaphore": ("import threading; one = threading.Semaphore(0)", "with one: pass"),
    "barrier": ("import threading", "threading.Barrier(2).wait()"),
    "future": ("from concurrent.futures import Future", "Future().result()"),
    "join": (
        "import threading, time; thread = threading.Thread(target=time.sleep, args=(1e6,), "
        "daemon=True); thread.start()",
        "thread.join()",
    ),
}


@pytest.mark.skipif(not hasattr(signal, "SIGURG"), reason="no signal wakes the thread here")
@pytest.mark.parametrize("kind", BLOCKING)
def test_a_call_that_waits_in_c_is_broken_off_and_named(stage: Stage, kind: str) -> None:
    setup, call = BLOCKING[kind]
    begun = time.monotonic()
    play(stage, f"{setup}\n\nclass One(Script):\n    def update(self, dt):\n        {call}\n")
    assert time.monotonic() - begun < LONGEST
    (line,) = stage.lines()
    assert line.startswith("ScriptTimeout: did not finish within 0.1 s")
    assert line.endswith(f": it waits in {call}")
    assert stage.slot("cmp_one").error.line == 6


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("class One(Script):\n    def update(self, dt):\n        raise KeyboardInterrupt\n",
         "KeyboardInterrupt"),
        ("class Rude:\n    def __repr__(self):\n        raise KeyboardInterrupt\n\n"
         "class One(Script):\n    def update(self, dt):\n        rude = Rude()\n        1 / 0\n",
         "ZeroDivisionError: division by zero"),
        ("raise KeyboardInterrupt\n", "KeyboardInterrupt"),
        ("class E(Exception):\n    __class__ = __traceback__ = property(lambda self: 1 / 0)\n\n"
         "class One(Script):\n    def update(self, dt):\n        raise E('lies')\n", "E: lies"),
    ],
    ids=["hook", "repr", "import", "lies"],
)  # fmt: skip
def test_a_scripts_own_interrupt_or_lying_exception_is_one_line(
    stage: Stage, text: str, line: str
) -> None:
    play(stage, text)
    assert stage.lines() == [line]


def test_a_global_that_raises_when_asked_for_its_class_is_let_be(stage: Stage) -> None:
    text = (
        "class Lazy:\n    def __getattribute__(self, name):\n        raise RuntimeError(name)\n\n"
        "lazy = Lazy()\n\nclass One(Script):\n    n = 0\n    def update(self, dt): self.n += 1\n"
    )
    play(stage, text)
    stage.save("one", text)
    stage.frames(2)
    assert stage.lines() == []
    assert stage.slot("cmp_one").instance.n == 5


def test_half_a_surrogate_pair_is_replaced_wherever_it_is_shown(stage: Stage) -> None:
    play(
        stage, "class One(Script):\n    def update(self, dt):\n        raise OSError('a\\udcff')\n"
    )
    record = stage.slot("cmp_one").error
    assert record.text == "OSError: a?"
    assert record.details.encode("utf-8")
    panels, status = PanelRegistry(), StatusBoard()
    slot = stage.slot("cmp_one")
    panels.register(slot, "a\udcff", print)
    panels.add_command(slot, "c", "b\udcff", print)
    panels.set_legend(slot, "c\udcff", ("d\udcff",))
    status.set("key", "e\udcff")
    shown = [panels.panels[0].title, panels.commands[0].label, *panels.legends[0][1:3],
             status.lines["key"].text]  # fmt: skip
    assert shown == ["a?", "b?", "c?", ("d?",), "e?"]


def test_a_timeout_that_comes_as_the_call_ends_never_leaves_the_host(stage: Stage) -> None:
    play(stage, "class One(Script):\n    pass\n")
    host, slot = stage.app.host, stage.slot("cmp_one")
    host.watchdog.close()
    host.watchdog = Watchdog(LONGEST, polls=0.0002)

    def fail() -> None:
        sum(range(300))
        raise RecursionError

    for number in range(300):
        host.watchdog.timeout = 0.00005 * (number % 9)
        slot.resume(SlotState.READY)
        host.call(slot, "update", fail)
        slot.resume(SlotState.READY)
        host.call(slot, "update", sum, range(300))


class SetsAnException:
    """The watchdog's lock, taken by the host while the other thread sets its exception."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> None:
        self.count += 1
        if self.count == 1:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(threading.get_ident()), ctypes.py_object(ScriptTimeout)
            )

    def __exit__(self, *_: object) -> None:
        pass


@pytest.mark.parametrize("way", ["call", "failed call", "load", "frame"])
def test_an_exception_that_is_set_while_the_host_clears_it_stays_there(
    stage: Stage, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(stage, "class One(Script):\n    n = 0\n    def update(self, dt): self.n += 1\n")
    host, slot = stage.app.host, stage.slot("cmp_one")
    lock = SetsAnException()
    monkeypatch.setattr(host.watchdog, "_lock", lock)

    def late() -> int:
        host.watchdog.has_fired = True
        if way == "failed call":
            raise RecursionError
        return 7

    if way in ("call", "failed call"):
        assert host.call(slot, "update", late) == (7 if way == "call" else None)
    elif way == "load":
        monkeypatch.setattr(host, "_make_instance", lambda slot: late())
        host.attach(slot)
    else:
        monkeypatch.setattr(slot.instance, "update", lambda dt: late())
        host.invalidate()
        stage.frames(1)
    assert lock.count == 2, "once more after the exception"
    assert not host.watchdog.has_fired
    assert (host.guard._depth, host.watchdog.deadline) == (0, None)
    assert stage.lines() == (["RecursionError"] if way == "failed call" else [])


def test_calls_without_end_are_one_line_however_high_the_limit(stage: Stage) -> None:
    before = sys.getrecursionlimit()
    text = "import sys\nsys.setrecursionlimit(10**9)\ndef f(): return f()\n"
    text += "class One(Script):\n    def update(self, dt):\n        f()\n"
    with pytest.warns(RuntimeWarning, match="expected 20000 or less, found 1000000000"):
        play(stage, text)
    assert stage.lines() == ["RecursionError: maximum recursion depth exceeded"]
    with pytest.raises(TypeError):
        sys.setrecursionlimit("many")  # type: ignore[arg-type]
    sys.setrecursionlimit(before)
    assert sys.getrecursionlimit() == before


@pytest.mark.parametrize(
    "text",
    [
        "def awake(self):\n        self.object.add('scripts.one:One')",
        "def start(self):\n        self.scene.spawn('B', components=[('scripts.one:One', {})])",
    ],
    ids=["awake", "start"],
)
def test_components_that_make_their_like_are_named(stage: Stage, text: str) -> None:
    begun = time.monotonic()
    play(stage, f"class One(Script):\n    {text}\n", frames=1)
    assert time.monotonic() - begun < LONGEST
    assert len(stage.lines()) == 1, stage.lines()
    assert "adds components or objects without end" in stage.lines()[0]


def test_a_script_of_many_megabytes_is_refused_by_its_size(stage: Stage) -> None:
    play(stage, "class One(Script):\n    pass\n" + "#" * LARGEST_SCRIPT)
    assert stage.lines() == [
        "ScriptLoadError: expected a script of at most 4 MB, found one of 4 MB"
    ]


def test_what_blocked_the_last_time_is_left_out_until_retried(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LEFT_OUT, "scripts.one:One")
    play(stage, "class One(Script):\n    pass\n")
    slot = stage.slot("cmp_one")
    assert slot.state is SlotState.PLACEHOLDER
    assert stage.lines("warning")[0].startswith("not loaded: it did not finish")
    stage.app.host.retry(slot)
    stage.frames()
    assert slot.state is SlotState.READY


def test_the_watchdog_says_for_how_long_a_call_is_late() -> None:
    dog = Watchdog(LONGEST)
    assert dog.late() == 0.0
    dog.begin(0.0)
    deadline = time.monotonic() + LONGEST
    while True:
        try:
            if dog.late() > 0.0 or time.monotonic() > deadline:
                break
        except ScriptTimeout:
            continue
    dog.end()
    assert time.monotonic() < deadline
    dog.close()
