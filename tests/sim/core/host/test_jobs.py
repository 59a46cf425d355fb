"""`@job`: a script's function in a worker, with progress, cancel, and one clear line on a fault."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sim.core.host.job_worker import NICE
from sim.core.project.run_options import SHIPPED_ROOT as ROOT
from sim.core.reporting.plain_values import PackedObject, SerializationError, pack, unpack
from sim.core.script.job import job


@dataclass
class Parcel:
    values: Any


HEAD = """
import os, time
from dataclasses import dataclass
import numpy as np

@dataclass
class Result:
    mean: float
    values: np.ndarray

@job
def work(values, factor=2.0):
    job.progress(0.5, {"loss": 0.25})
    return Result(float(values.mean()), values * factor)

@job
def who():
    return os.getpid()

@job
def nested(n):
    return work(np.arange(n)).mean

@job
def broken(n):
    limit = n
    return limit / 0

@job
def endless():
    job.progress(0.1)
    while True:
        time.sleep(0.01)

class Boss(Script):
    def start(self):
        self.reports, self.answer, self.error = [], None, None
        self.task = self.start_coroutine(self.go())

    def heard(self, fraction, values):
        self.reports.append((fraction, values))
"""


def run(stage, body, *, until="answer"):
    """Run `go` with this body until an attribute of the script is set."""
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    stage.script("boss", f"{HEAD}\n    async def go(self):\n{lines}\n")
    slot = stage.open_one("scripts.boss:Boss")
    stage.app.clock.frame_step = None
    wait(stage, lambda: slot.error or getattr(slot.instance, until, None))
    return slot


def wait(stage, is_reached, frames=3000):
    for _ in range(frames):
        if is_reached():
            return
        stage.app.world.links.pump(0.02)
        stage.frames(1)
    raise AssertionError("it did not come")


def test_a_job_returns_a_dataclass_of_arrays_and_tells_how_far_it_is(stage):
    slot = run(
        stage,
        "self.first = await self.background(work(np.arange(4), factor=3.0), self.heard)\n"
        "self.pids = [await self.background(who()) for _ in range(2)]\n"
        "self.answer = await self.background(nested(5))",
    )
    boss = slot.instance
    assert type(boss.first).__name__ == "Result"
    assert type(boss.first) is stage.app.host.loader.project.modules["scripts.boss"].Result
    assert boss.first.mean == 1.5
    assert boss.first.values.tolist() == [0.0, 3.0, 6.0, 9.0]
    assert boss.reports == [(0.5, {"loss": 0.25})]
    assert boss.answer == 2.0
    assert os.getpid() not in boss.pids
    assert len(set(boss.pids)) == 1, "the worker is kept for the next job"
    assert stage.app.host.status.lines == {}
    assert stage.errors() == 0


def test_an_error_in_a_job_is_one_line_at_the_line_of_the_script(stage):
    slot = run(stage, "self.answer = await self.background(broken(7))")
    assert stage.lines() == ["JobError: job broken: ZeroDivisionError: division by zero"]
    line = next(
        number
        for number, text in enumerate(
            (stage.root / "scripts" / "boss.py").read_text().splitlines(), 1
        )
        if "limit / 0" in text
    )
    assert (slot.error.file, slot.error.line) == ("scripts/boss.py", line)
    assert f"boss.py:{line} in broken" in slot.error.details
    assert "sim/core/" not in slot.error.details


def test_a_cancelled_job_ends_its_worker(stage):
    slot = run(
        stage,
        "try:\n    await self.background(endless(), self.heard)\nfinally:\n    self.closed = True",
        until="reports",
    )
    (link,) = stage.app.world.links.opened
    process = link._process
    assert any("endless 10%" in line.text for line in stage.app.host.status.lines.values())
    slot.instance.task.cancel()
    link.join(10.0)
    assert process.exitcode is not None
    assert slot.instance.closed
    assert stage.app.world.links.opened == ()
    assert stage.app.host.status.lines == {}
    stage.frames(3)
    assert stage.errors() == 0


def test_a_job_ends_with_its_component(stage):
    slot = run(stage, "await self.background(endless(), self.heard)", until="reports")
    (link,) = stage.app.world.links.opened
    process = link._process
    slot.object.destroy()
    stage.frames(2)
    link.join(10.0)
    assert process.exitcode is not None
    assert stage.errors() == 0


@pytest.mark.skipif(not hasattr(os, "nice"), reason="needs POSIX priorities")
@pytest.mark.parametrize("own", [0, 3, 9])
def test_a_job_gives_way_to_the_window_but_not_twice(own):
    """Beside a busy machine a worker of an app that is nice itself would hardly start."""
    code = (
        f"import os; os.nice({own} - os.nice(0))\n"
        "from sim.core.host.job_worker import main\n"
        "class Pipe:\n    def recv(self): raise EOFError\n"
        "main(Pipe(), {})\nprint(os.nice(0))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    if "PermissionError" in done.stderr:
        pytest.skip("this process is nicer than that, and may not be less nice")
    assert int(done.stdout) == max(own, NICE)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")
def test_a_killed_worker_is_one_clear_error_that_a_script_can_catch(stage):
    slot = run(
        stage,
        "try:\n    await self.background(endless(), self.heard)\n"
        "except WorkerError as error:\n    self.error = str(error)\n"
        "    self.answer = await self.background(nested(3))",
        until="reports",
    )
    os.kill(stage.app.world.links.opened[0].process_id, signal.SIGKILL)
    wait(stage, lambda: slot.instance.answer is not None)
    text = (
        r"job endless: its worker was killed (while it held \d+ MB|by SIGKILL) before it answered"
    )
    assert re.fullmatch(text, slot.instance.error)
    assert slot.instance.answer == 1.0
    assert stage.errors() == 0
    assert stage.lines("warning") == []


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ("self.object", "job work, argument values: expected numbers, texts"),
        ("np.zeros(2), factor=[1, lambda: 0]", "job work, argument factor[1]: expected numbers"),
        ("np.array([object()])", "job work, argument values: expected an array of numbers"),
        ("", "TypeError: job work: missing a required argument: 'values'"),
    ],
)
def test_an_argument_that_cannot_be_sent_is_named(stage, arguments, fault):
    slot = run(stage, f"self.answer = await self.background(work({arguments}))")
    (line,) = stage.lines()
    assert fault in line
    assert slot.error.file == "scripts/boss.py"
    assert stage.app.world.links.opened == ()


def test_a_saved_script_is_loaded_anew_by_the_worker(stage):
    stage.script(
        "boss",
        HEAD
        + "\n    async def go(self):\n        self.answer = await self.background(nested(5))\n",
    )
    slot = stage.open_one("scripts.boss:Boss")
    stage.frames(1)
    wait(stage, lambda: slot.instance.answer)
    text = (stage.root / "scripts" / "boss.py").read_text(encoding="utf-8")
    text = text.replace("np.arange(n)", "np.arange(n) + 10")
    stage.save("boss", text.removeprefix("from sim import *  # noqa\n"))
    slot.instance.answer = None
    slot.instance.start()
    wait(stage, lambda: slot.instance.answer)
    assert slot.instance.answer == 12.0


def test_a_coroutine_of_before_a_save_gets_results_of_the_job_that_it_asked(stage):
    stage.script("scale", "FACTOR = 2.0\ndef scaled(x):\n    return x * FACTOR\n")
    head = HEAD.replace("return Result(float(values.mean()),", "return Result(scaled(1.0),")
    text = (
        f"from scripts.scale import scaled\n{head}"
        + """
    async def go(self):
        self.is_saved = False
        await self.until(lambda: self.is_saved)
        found = await self.background(work(np.arange(2)))
        self.answer = (found.mean, type(found) is Result)
"""
    )
    stage.script("boss", text)
    slot = stage.open_one("scripts.boss:Boss")
    stage.app.clock.frame_step = None
    stage.frames(2)
    newer = text.replace("mean: float", "other: str\n    mean: float")
    stage.save("boss", newer.replace("Result(scaled(1.0),", "Result('new', scaled(7.0),"))
    stage.save("scale", "FACTOR = 5.0\ndef scaled(x):\n    return x * FACTOR\n")
    slot.instance.is_saved = True
    wait(stage, lambda: slot.error or slot.instance.answer)
    assert slot.error is None
    assert slot.instance.answer == (2.0, True), "of the text and the class that asked"
    slot.instance.answer = None
    slot.instance.start()
    slot.instance.is_saved = True
    stage.frames(1)
    slot.instance.is_saved = True
    wait(stage, lambda: slot.error or slot.instance.answer)
    assert slot.instance.answer == (35.0, True)


def test_two_jobs_run_beside_each_other(stage):
    stage.script("boss", f"{HEAD}\n    async def go(self):\n        pass\n")
    slot = stage.open_one("scripts.boss:Boss")
    stage.app.clock.frame_step = None
    stage.frames(1)
    module = stage.app.host.loader.project.modules["scripts.boss"]
    calls = [stage.app.host.jobs.start(slot, module.who()) for _ in range(2)]
    wait(stage, lambda: all(call.done for call in calls))
    first, second = (call.result() for call in calls)
    assert first != second


def test_tensorflow_at_the_top_of_a_script_is_refused_with_the_way_out(stage):
    stage.script("deep", "import tensorflow\n\nclass Deep(Script):\n    pass\n")
    slot = stage.open_one("scripts.deep:Deep")
    stage.frames(1)
    (line,) = stage.lines()
    assert "tensorflow cannot be imported in the window's process" in line
    assert "@job" in line
    assert (slot.error.file, slot.error.line) == ("scripts/deep.py", 2)


def test_what_is_no_plain_function_at_the_top_is_refused():
    with pytest.raises(TypeError, match="top of its module"):

        @job
        def inside():
            pass

    with pytest.raises(TypeError, match="expected a plain function, got 3"):
        job(3)


def test_progress_outside_a_job_does_nothing():
    assert job.progress(0.5) is None


def test_a_job_without_background_says_so(stage):
    run(stage, "self.answer = await who()")
    assert stage.lines() == ["JobError: job who: expected await self.background(who(...))"]


simple = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(), st.binary()
)
values = st.recursive(
    simple,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner, inner),
        st.dictionaries(st.text(max_size=4), inner, max_size=3),
    ),
    max_leaves=8,
)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(values)
def test_what_is_packed_comes_out_the_same(value):
    packed = pack(value, "x", lambda kind: "")
    assert unpack(packed, lambda name: object) == value


def test_a_dataclass_travels_by_its_name():
    packed = pack(Parcel(np.arange(3)), "x", lambda kind: kind.__name__)
    assert packed == PackedObject("Parcel", {"values": packed.fields["values"]})
    assert unpack(packed, {"Parcel": Parcel}.__getitem__).values.tolist() == [0, 1, 2]
    with pytest.raises(SerializationError, match=r"x\.values: expected numbers"):
        pack(Parcel(print), "x", lambda kind: kind.__name__)
