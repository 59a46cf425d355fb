"""Workers: answers, progress, failures, deaths. The worker functions live in link_workers.py."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import sys
import threading
import time
from types import ModuleType

import psutil
import pytest

from base.errors import WorkerError
from base.worker.ending import MOST_DEATHS, DeathLimit
from base.worker.process import WorkerPipe
from sim.core.reporting.console import Console
from sim.core.scene.scene import SlotState
from sim.core.workers.pool import Links
from tests.sim.core.stage import Stage

WORKERS = "tests.sim.core.workers.link_workers"
LONGEST = 30.0
LARGE = 8_000_000


@pytest.fixture
def links():
    console = Console()
    found = Links(console)
    yield found
    found.close()


def wait_for(links, predicate):
    deadline = time.monotonic() + LONGEST
    while not predicate():
        assert time.monotonic() < deadline, "nothing came"
        links.pump(0.02)


def answer(links, pending):
    wait_for(links, lambda: pending.done)
    return pending.result()


def levels(links, level):
    return [record.text for record in links.mailbox.console.records if record.level == level]


def test_requests_are_answered_in_turn_with_their_progress(links):
    link = links.open("echo", f"{WORKERS}:echo")
    told = []
    first, second = link.request(("count", 3)), link.request(("say", "hello"))
    first.on_progress = told.append
    assert link.is_busy
    assert answer(links, second) == "hello"
    assert first.result() == 3
    assert told == [0, 1, 2]
    assert not link.is_busy


def test_a_failure_names_worker_and_error_and_the_worker_goes_on(links):
    link = links.open("echo", f"{WORKERS}:echo")
    with pytest.raises(WorkerError, match="worker echo: ValueError: expected a number"):
        answer(links, link.request(("fail", "expected a number")))
    assert answer(links, link.request(("say", 1))) == 1
    assert links.restarts == 0


def test_what_is_sent_before_the_process_runs_is_not_lost(links):
    link = links.open("echo", f"{WORKERS}:echo")
    link.send(("remember", 5))
    assert answer(links, link.request(("recall", None))) == 5


def test_a_killed_worker_is_replaced_and_asked_again(links):
    again = []

    def tell(link):
        again.append(link)
        link.send(("remember", 7))

    link = links.open("echo", f"{WORKERS}:echo", on_restart=tell)
    assert answer(links, link.request(("say", 1))) == 1
    pending = link.request(("recall after", 0.3))
    link.measure()
    os.kill(link.process_id, signal.SIGKILL)
    assert answer(links, pending) == 7
    assert again == [link]
    assert links.restarts == 1
    assert len(levels(links, "warning")) == 1
    said = r"The echo process was killed while it held \d+ MB, and was restarted; nothing is lost"
    assert re.fullmatch(said, levels(links, "warning")[0]), "with the size of the process"


def test_without_retry_the_request_fails(links):
    link = links.open("echo", f"{WORKERS}:echo")
    answer(links, link.request(("say", 1)))
    pending = link.request(("recall after", 5.0), retry=False)
    os.kill(link.process_id, signal.SIGKILL)
    with pytest.raises(WorkerError, match="ended before it answered"):
        answer(links, pending)


def test_a_worker_that_always_dies_is_given_up_once(links):
    link = links.open("doomed", f"{WORKERS}:die")
    with pytest.raises(WorkerError, match="given up"):
        answer(links, link.request("anything"))
    assert links.restarts == MOST_DEATHS + 1
    assert len(levels(links, "error")) == 1
    assert links.given_up() == [link]
    with pytest.raises(WorkerError, match="given up"):
        link.request("once more").result()


def test_deaths_of_a_long_run_do_not_add_up(links, monkeypatch):
    minutes = iter(range(0, 1000, 11))
    monkeypatch.setattr("sim.core.workers.link.WorkerLink._start", lambda link: None)
    link = links.open("echo", f"{WORKERS}:echo")  # without a process: its deaths are only told
    link._deaths = DeathLimit(now=lambda: 60.0 * next(minutes))
    for _ in range(MOST_DEATHS + 3):
        link._died(-9)
    assert not link.failure, "each death is forgotten when the next one comes"
    assert links.restarts == MOST_DEATHS + 3


def test_a_worker_that_dies_of_the_same_request_is_given_up_however_long_it_takes():
    minutes = iter(range(0, 1000, 11))
    deaths = DeathLimit(now=lambda: 60.0 * next(minutes))
    assert [deaths.is_exceeded(7) for _ in range(MOST_DEATHS + 1)] == [False] * MOST_DEATHS + [True]
    assert not deaths.is_exceeded(8)


def test_a_worker_that_was_given_up_works_again_after_a_restart(links):
    link = links.open("echo", f"{WORKERS}:echo")
    link._give_up("worker echo was killed too often: given up")
    assert links.given_up() == [link]
    links.restart_given_up()
    assert answer(links, link.request(("say", 1))) == 1
    assert links.given_up() == []


def test_a_worker_that_cannot_be_started_fails_its_requests(links, monkeypatch):
    def refuse(process):
        raise OSError("no more processes")

    monkeypatch.setattr("multiprocessing.context.SpawnProcess.start", refuse)
    link = links.open("echo", f"{WORKERS}:echo")
    with pytest.raises(WorkerError, match=r"cannot be started: OSError: no more processes"):
        answer(links, link.request("anything"))
    assert len(levels(links, "error")) == 1


def test_a_cancelled_answer_is_dropped(links):
    link = links.open("echo", f"{WORKERS}:echo")
    first, second = link.request(("say", 1)), link.request(("say", 2))
    first.cancel()
    assert answer(links, second) == 2
    assert not first.done
    assert first.ready(0.0, False), "whoever else awaits it goes on"
    with pytest.raises(WorkerError, match="worker echo: the request was cancelled"):
        first.result()


def test_nobody_waits_for_a_worker_that_ended_with_its_owner(links):
    owner = object()
    closed = links.open("echo", f"{WORKERS}:echo", owner=owner, keeps_nothing=True)
    ended = links.open("other", f"{WORKERS}:echo")
    waits = [closed.request(("say", 1)), ended.request(("say", 2))]
    links.close_owned(owner)
    links.end(ended)
    for wait in waits:
        assert wait.ready(0.0, False)
        with pytest.raises(WorkerError, match="it ended with the component that used it"):
            wait.result()


def test_a_message_of_the_process_before_is_dropped(links):
    link = links.open("echo", f"{WORKERS}:echo")
    pending = link.request(("say", "new"))
    link.deliver(-1, pending.request_id, True, "old")
    assert not pending.done
    assert answer(links, pending) == "new"


def test_restarting_on_purpose_asks_again_and_is_no_death(links):
    link = links.open("echo", f"{WORKERS}:echo", {"color": "red"})
    assert answer(links, link.request(("setting", "color"))) == "red"
    pending = link.request(("slow setting", "color"))
    link.restart({"color": "blue"})
    assert answer(links, pending) == "blue"
    assert links.restarts == 0


def test_closing_leaves_no_process_and_no_thread(links):
    link = links.open("echo", f"{WORKERS}:echo")
    answer(links, link.request(("say", 1)))
    process = psutil.Process(link.process_id)
    links.close()
    assert process.wait(timeout=LONGEST) is not None or not process.is_running()
    deadline = time.monotonic() + LONGEST
    while any(thread.name == "link-echo" for thread in threading.enumerate()):
        assert time.monotonic() < deadline


def test_a_request_that_cannot_travel_is_an_error_at_once(links):
    link = links.open("echo", f"{WORKERS}:echo")
    answer(links, link.request(("say", 1)))
    with pytest.raises(WorkerError, match="cannot be sent"):
        answer(links, link.request(("say", lambda: None)))
    assert answer(links, link.request(("say", 2))) == 2


@pytest.mark.parametrize(
    ("target", "found"),
    [
        ("no_such_oracle:main", "ModuleNotFoundError: No module named 'no_such_oracle'$"),
        ("json:oracle", "AttributeError: module 'json' has no attribute 'oracle'$"),
        ("scripts.none:main", "; a project's scripts run in workers as @job functions$"),
    ],
)
def test_a_worker_that_cannot_be_imported_is_told_once_and_not_restarted(links, target, found):
    link = links.open("oracle", target)
    with pytest.raises(WorkerError, match=f"oracle cannot be started: expected {target} .*{found}"):
        answer(links, link.request(3))
    for _ in range(5):
        links.pump(0.02)
    assert links.restarts == 0
    assert len(levels(links, "error")) == 1


def test_a_failure_names_the_innermost_line_that_is_somebodys_own(links):
    link = links.open("a", f"{WORKERS}:echo", {})
    pending = link.request(("fail in", "/home/me/scripts/mine.py"))
    with pytest.raises(WorkerError, match=r"^worker a: KeyError: 'x'$") as caught:
        answer(links, pending)
    assert (caught.value.file, caught.value.line) == ("/home/me/scripts/mine.py", 12)
    assert caught.value.worker_traceback.splitlines() == [
        "in the worker a:", "  /home/me/scripts/mine.py:12 in choose",
    ]  # fmt: skip
    with pytest.raises(WorkerError) as caught:
        answer(links, link.request(("fail in", "")))
    assert (caught.value.file, caught.value.worker_traceback) == ("", "")
    assert str(caught.value).endswith("'x' (scripts/mine.py:12)"), "without a place it stays"


def test_an_answer_that_cannot_be_read_fails_its_request_and_no_other(links):
    link = links.open("strange", f"{WORKERS}:strange")
    for reason in ("LookupError: only workers know how", "ValueError"):
        with pytest.raises(WorkerError, match=f"worker strange: its answer cannot be .*{reason}"):
            answer(links, link.request("anything"))
    assert answer(links, link.request("hello")) == "hello"
    assert link.restarts == 0


def test_a_request_that_the_worker_cannot_read_fails_and_no_other(links, monkeypatch):
    only_here = ModuleType("only_here")
    only_here.Move = type("Move", (), {"__module__": "only_here"})
    monkeypatch.setitem(sys.modules, "only_here", only_here)
    link = links.open("serving", f"{WORKERS}:serving")
    with pytest.raises(WorkerError, match=r"worker serving: it cannot read .*only_here"):
        answer(links, link.request(only_here.Move()))
    assert answer(links, link.request("hello")) == "hello"
    link.send(only_here.Move())
    wait_for(links, lambda: levels(links, "error"))
    assert "cannot read what it was sent" in levels(links, "error")[0]


def keep_busy(links, link, gate):
    """Let a worker read nothing until the file `gate` is there; return its answer to come."""
    told = []
    pending = link.request(("await file", str(gate)))
    pending.on_progress = told.append
    wait_for(links, lambda: told)
    return pending


def test_a_large_request_to_a_busy_worker_does_not_wait_for_it(links, tmp_path):
    link = links.open("echo", f"{WORKERS}:echo")
    gate = tmp_path / "gate"
    busy = keep_busy(links, link, gate)
    large = link.request(("length", bytes(LARGE)))
    small = link.request(("say", "after it"))
    gate.touch()  # only now does the worker read on
    assert answer(links, busy) is True, "the calls came back after the worker had given up"
    assert answer(links, large) == LARGE
    assert answer(links, small) == "after it"


def test_large_requests_and_large_answers_pass_each_other(links):
    """A thread that both sends and receives would wait for itself."""
    link = links.open("echo", f"{WORKERS}:echo")
    asked = [link.request(("say", bytes([number]) * LARGE)) for number in range(3)]
    assert [answer(links, pending)[-1] for pending in asked] == [0, 1, 2]


def test_what_is_asked_of_a_busy_worker_is_asked_again_after_its_death(links, tmp_path):
    link = links.open("echo", f"{WORKERS}:echo")
    gate = tmp_path / "gate"
    busy = keep_busy(links, link, gate)
    large = link.request(("length", bytes(LARGE)))
    gate.touch()
    os.kill(link.process_id, signal.SIGKILL)
    assert answer(links, busy) is True
    assert answer(links, large) == LARGE
    assert links.restarts == 1


@pytest.mark.parametrize("way", ["end", "restart"])
def test_a_busy_worker_with_a_full_pipe_can_be_ended(links, tmp_path, capfd, way):
    link = links.open("echo", f"{WORKERS}:echo")
    keep_busy(links, link, tmp_path / "never")
    large = link.request(("length", bytes(LARGE)))
    if way == "end":
        links.end(link)
        link.join(LONGEST)
        assert left_behind() == ([], [])
    else:
        (tmp_path / "never").touch()
        link.restart()
        assert answer(links, large) == LARGE
    assert capfd.readouterr().err == "", "a worker that goes says nothing"


def test_closing_lets_a_worker_read_what_was_sent(links, tmp_path):
    link = links.open("echo", f"{WORKERS}:echo")
    assert answer(links, link.request(("say", 1))) == 1
    link.send(("recall after", 0.1))
    link.send(("write", (str(tmp_path / "kept"), bytes(LARGE))))
    links.close()
    assert (tmp_path / "kept").stat().st_size == LARGE
    assert left_behind() == ([], [])


def test_a_message_that_was_cut_by_the_end_is_an_end():
    here, there = multiprocessing.Pipe()
    os.write(here.fileno(), b"\0\0\0\x09cut")
    here.close()
    with pytest.raises(EOFError):
        WorkerPipe(there).recv()
    there.close()


def test_a_message_that_cannot_travel_is_one_line(links):
    link = links.open("echo", f"{WORKERS}:echo")
    link.send(("remember", lambda: None))
    (line,) = levels(links, "error")
    assert line.startswith("worker echo: the request cannot be sent: ")
    assert answer(links, link.request(("recall", 0))) is None


def test_what_is_sent_while_a_worker_starts_comes_in_order(links):
    link = links.open("echo", f"{WORKERS}:echo")
    kept = []
    for number in range(50):
        link.send(("remember", number))
        if number % 10 == 0:
            kept.append((number, link.request(("recall", 0))))
            links.pump(0.02)
    assert [answer(links, pending) for _, pending in kept] == [number for number, _ in kept]


def left_behind():
    """Return the processes and threads of workers that are still there."""
    threads = [item.name for item in threading.enumerate() if item.name.startswith("link-")]
    children = [
        child.pid
        for child in psutil.Process().children()
        if child.status() == psutil.STATUS_ZOMBIE
        or "link_workers" in " ".join(child.cmdline())
        or "spawn_main" in " ".join(child.cmdline())
    ]
    return threads, children


@pytest.mark.parametrize("moment", ["starting", "running", "ended", "restarted"])
def test_nothing_of_a_worker_stays_after_the_end(moment):
    links = Links(Console(stderr=False))
    link = links.open("echo", f"{WORKERS}:echo")
    if moment != "starting":
        assert answer(links, link.request(("say", 1))) == 1
    if moment == "ended":
        links.end(link)
    elif moment == "restarted":
        link.restart()
    links.close()
    assert left_behind() == ([], [])


def test_a_worker_that_hangs_up_and_stays_is_killed(links):
    link = links.open("rude", f"{WORKERS}:hangs_up", revives=False)
    wait_for(links, lambda: link.process_id is not None)
    process = psutil.Process(link.process_id)
    wait_for(links, lambda: link.failure)
    assert not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


def test_a_worker_that_keeps_nothing_is_not_waited_for(links):
    link = links.open("deaf", f"{WORKERS}:hangs_up", keeps_nothing=True)
    wait_for(links, lambda: link.process_id is not None)
    process = psutil.Process(link.process_id)
    link.request(("count", 3))
    begun = time.monotonic()
    link.close(timeout=LONGEST)
    assert time.monotonic() - begun < LONGEST / 2
    assert not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


def test_what_an_owner_does_with_a_message_is_guarded(tmp_path):
    stage = Stage(tmp_path)
    stage.script("one", "class One(Script):\n    def update(self, dt): pass\n")
    slot = stage.open_one("scripts.one:One")
    link = stage.app.world.links.open("echo", f"{WORKERS}:echo", owner=slot)
    pending = link.request(("count", 2))
    pending.on_progress = lambda number: 1 / 0
    wait_for(stage.app.world.links, lambda: pending.done)
    assert stage.lines() == ["ZeroDivisionError: division by zero"]
    assert stage.slot("cmp_one").state is SlotState.QUARANTINED
    stage.close()


def test_a_script_that_waits_for_its_workers_end_is_not_said_to_hang(tmp_path):
    stage = Stage(tmp_path)
    stage.script(
        "deaf",
        f"""
        class Deaf(Script):
            def awake(self):
                self.link = self.workers.open("deaf", "{WORKERS}:hangs_up", owner=self.slot)

            def update(self, dt):
                if self.link.process_id is not None:
                    self.link.close(timeout=0.4)
        """,
    )
    try:
        slot = stage.open_one("scripts.deaf:Deaf", settings={"script_timeout": 0.05})
        stage.frames(1)  # a quick worker is there by now, and closed by it
        link = slot.instance.link
        wait_for(stage.app.world.links, lambda: link.process_id is not None or link.is_closed)
        stage.frames(1)
        assert link.is_closed
        assert slot.state is SlotState.READY
        assert stage.errors() == 0
    finally:
        stage.close()


def test_a_system_without_threads_is_one_error_and_no_wait(links, monkeypatch):
    def connect(self, connection):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("sim.core.workers.link.LinkSender.connect", connect)
    link = links.open("echo", f"{WORKERS}:echo")
    with pytest.raises(WorkerError, match="expected the system to start a thread, found that it"):
        answer(links, link.request(("say", "hello")))
    assert link.failure


def test_a_system_without_processes_is_one_error(links, monkeypatch):
    def start(self):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("multiprocessing.context.SpawnProcess.start", start)
    link = links.open("echo", f"{WORKERS}:echo")
    with pytest.raises(WorkerError, match="expected the system to start a process, found that it"):
        answer(links, link.request(("say", "hello")))
