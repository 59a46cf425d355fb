"""What the process beside a run finds out about the place where the run blocks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sim.core.hangs import hang_monitor
from sim.core.hangs.hang_monitor import BROKEN_OFF, LEAVING, BlockedPlace, MonitorOptions, place_in

SCRIPT = "class One(Script):\n    def update(self, dt):\n        work()\n"
HELPER = "def work():\n    all(repeat(1))\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "one.py").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "scripts" / "help.py").write_text(HELPER, encoding="utf-8")
    return tmp_path


def test_the_innermost_line_and_the_component_around_the_outermost_are_named(project):
    dump = [
        "Current thread 0x00007f (most recent call first):",
        '  File "/usr/lib/python3.11/re.py", line 9 in match',
        f'  File "{project}/scripts/help.py", line 2 in work',
        f'  File "{project}/scripts/one.py", line 3 in update',
        '  File "/home/goishi/sim/core/host/script_host.py", line 9 in call',
    ]
    place = place_in(dump, [str(project)])
    assert place == BlockedPlace(
        "scripts/help.py", 2, "all(repeat(1))", "One.update", "scripts.one:One"
    )
    assert str(place) == "One.update  scripts/help.py:2  blocks in all(repeat(1))"


def test_where_no_script_runs_nothing_is_named(project):
    assert place_in(['  File "/usr/lib/python3.11/re.py", line 9 in match'], [str(project)]) is None
    assert place_in(["no frames"], [str(project)]) is None


def test_a_run_that_is_asked_to_stop_may_close_in_peace_unless_it_is_silent():
    options = MonitorOptions(os.getpid(), limit=3.4, patience=3.0, roots=[], dialog=[], again=[],
                      left_out="")  # fmt: skip
    watching = hang_monitor.HangMonitor(options)
    assert watching.process(bytes([signal.SIGINT]))
    for _ in range(20):  # it saves for 10 s, and says that all is well
        watching.count(0.5)
        assert not watching.must_end
        watching.process(b"beat\n")
    for _ in range(16):
        watching.count(0.5)
    assert watching.must_end


@pytest.mark.parametrize("is_script", [True, False])
def test_a_silent_run_that_was_asked_to_stop_is_ended_with_one_line(
    monkeypatch, capsys, project, is_script
):
    options = MonitorOptions(os.getpid(), limit=3.4, patience=3.0, roots=[str(project)], dialog=[],
                      again=[], left_out="")  # fmt: skip
    watching = hang_monitor.HangMonitor(options)
    file = f"{project}/scripts/one.py" if is_script else "/usr/lib/python3.11/re.py"
    dump = f'  File "{file}", line 3 in update\n'.encode()
    monkeypatch.setattr(hang_monitor.os, "kill", lambda process, number: None)
    monkeypatch.setattr(watching, "_read", lambda seconds: not seconds or watching.process(dump))
    ended = []
    monkeypatch.setattr(watching, "_end_run", lambda: ended.append(True))
    watching._silence = 9.0
    watching._end_silent_run()
    assert ended == [True]
    where = "One.update  scripts/one.py:3  blocks in work()" if is_script else "the run"
    assert capsys.readouterr().err == (
        f"ERROR {where}: asked to stop and silent, it ends in the middle\n"
    )
    dump = b"beat\n" + dump  # it went on meanwhile
    watching._silence = 9.0
    watching._end_silent_run()
    assert (ended, capsys.readouterr().err) == ([True], "")


class Answered:
    """A dialog whose "Restart without it" was pressed."""

    def poll(self) -> int:
        return hang_monitor.RESTART


def test_the_run_that_follows_leaves_the_script_out_and_can_be_stopped(monkeypatch):
    options = MonitorOptions(os.getpid(), 3.4, 3.0, roots=[], dialog=["ask"], again=["goishi", "run"],
                      left_out="LEFT_OUT_HERE")  # fmt: skip
    watching = hang_monitor.HangMonitor(options)
    watching._dialog = Answered()
    watching._place = BlockedPlace("scripts/one.py", 3, "work()", "One.update", "scripts.one:One")
    begun = []

    def begin(program, words):
        stops = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
        begun.append((program, words, os.environ["LEFT_OUT_HERE"], stops))

    monkeypatch.setenv("LEFT_OUT_HERE", "scripts.a:A")
    monkeypatch.setattr(watching, "_end_run", lambda: None)
    monkeypatch.setattr(os, "dup2", lambda *_: None)
    monkeypatch.setattr(os, "execv", begin)
    before = {number: signal.signal(number, signal.SIG_IGN) for number in hang_monitor.STOPS}
    try:
        watching._look_at_dialog()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert begun == [
        ("goishi", ["goishi", "run"], "scripts.a:A,scripts.one:One", [signal.SIG_DFL] * 2)
    ]


@pytest.mark.parametrize(("said", "told"), [(f"{LEAVING}\n", ""), ("beat\n", BROKEN_OFF)])
def test_a_run_that_ends_without_a_word_is_told_in_one_line(said, told):
    options = {"process": os.getpid(), "limit": 60.0, "patience": 4.0, "roots": [], "dialog": [],
               "again": [], "left_out": ""}  # fmt: skip
    ended = subprocess.run(
        [sys.executable, "-I", "-S", hang_monitor.__file__, json.dumps(options)],
        input=said, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert ended.returncode == 0
    assert ended.stderr.strip() == told
