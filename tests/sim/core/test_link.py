"""Workers: answers, progress, failures, deaths. The worker functions live in link_workers.py."""

from __future__ import annotations

import os
import signal
import threading
import time

import psutil
import pytest

from sim.core.console import Console
from sim.core.errors import WorkerError
from sim.core.link import MOST_RESTARTS, Links
from sim.core.run_options import SHIPPED_ROOT

WORKERS = "tests.sim.core.link_workers"
LONGEST = 30.0


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
    return [record.text for record in links.console.records if record.level == level]


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
    os.kill(link.process_id, signal.SIGKILL)
    assert answer(links, pending) == 7
    assert again == [link]
    assert links.restarts == 1
    assert len(levels(links, "warning")) == 1
    assert "worker echo ended (exit code -9)" in levels(links, "warning")[0]


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
    assert links.restarts == MOST_RESTARTS + 1
    assert len(levels(links, "error")) == 1
    with pytest.raises(WorkerError, match="given up"):
        link.request("once more").result()


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
    engine = SHIPPED_ROOT / "ai" / "workers" / "player.py"
    trace = (
        f'  File "{engine}", line 7, in _play\n'
        '  File "/home/me/scripts/mine.py", line 12, in choose\n    score = table["x"]\n'
        '  File "/usr/lib/python3.11/json/__init__.py", line 300, in dumps\n'
    )
    pending = link.request(("fail in", trace))
    with pytest.raises(WorkerError, match=r"^worker a: KeyError: 'x'$") as caught:
        answer(links, pending)
    assert (caught.value.file, caught.value.line) == ("/home/me/scripts/mine.py", 12)
    assert caught.value.worker_traceback.splitlines() == [
        "in the worker a:", "  /home/me/scripts/mine.py:12 in choose",
    ]  # fmt: skip
    with pytest.raises(WorkerError) as caught:
        answer(links, link.request(("fail in", trace.splitlines()[0])))
    assert (caught.value.file, caught.value.worker_traceback) == ("", "")
    assert str(caught.value).endswith("'x' (scripts/mine.py:12)"), "without a place it stays"
