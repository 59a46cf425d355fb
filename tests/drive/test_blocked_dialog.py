"""A script blocks in the real window: a person waits, or starts again without it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import psutil
import pytest

from benchmarks.corpus_scripts import write_project
from tests.drive.x_person import LONGEST, Person

BLOCKS = """
import itertools, os
GATE = itertools.repeat({gate!r})
class One(Script):
    def update(self, dt):
        if self.time.now > 0.5:
            any(map(os.access, GATE, itertools.repeat(0)))
"""
"""A call in C that looks at no signal, until there is a file."""
COUNTS = """
from sim import *
class Other(Script):
    frames = 0
    def update(self, dt):
        self.frames += 1
"""
WAIT, RESTART = (24, 86), (100, 86)
"""Where the dialog's buttons are, in pixels of its window."""

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.window,
    pytest.mark.skipif(not os.environ.get("DISPLAY"), reason="needs an X display: set DISPLAY"),
    pytest.mark.skipif(shutil.which("xdotool") is None, reason="needs xdotool"),
]


class Blocked:
    """A run whose script blocks, and the dialog that asks about it."""

    def __init__(self, root: Path) -> None:
        self.gate = root / "gate"
        scene = write_project(root / "p", BLOCKS.format(gate=str(self.gate)), timeout=0.5)
        other = root / "p" / "scripts" / "other.py"
        other.write_text(COUNTS, encoding="utf-8")
        self.person = Person(
            str(scene), "--trust", "--data-dir", str(root / "data"), "--quality", "low"
        )
        self.person.wait_for("WARNING One.update", "blocks in any(map(os.access, GATE")
        found = self.person._do("search", "--sync", "--onlyvisible", "--name", "not responding")
        self._window = found.split()[0]
        run = psutil.Process(self.person.process.pid)
        self.beside = next(
            one for one in run.children() if "hang_monitor.py" in " ".join(one.cmdline())
        )
        self.dialog = self.beside.children()[0]

    def press(self, place: tuple[int, int]) -> None:
        """Press a button of the dialog, and wait for its end."""
        x, y = map(str, place)
        self.person._do("mousemove", "--window", self._window, x, y, "click", "1")
        self.dialog.wait(timeout=LONGEST)


def test_who_waits_sees_the_run_go_on_once_the_call_is_through(tmp_path):
    blocked = Blocked(tmp_path)
    person = blocked.person
    try:
        blocked.press(WAIT)
        assert person.process.poll() is None
        blocked.gate.touch()
        person.wait_for("ERROR One > One.update", "did not finish within 0.5 s")
        frames = person.ask('component("Other").frames')
        person.ask_until(f'component("Other").frames > {frames}')
    finally:
        blocked.gate.touch()
        person.close()
    assert len([line for line in person.lines if line.startswith(("ERROR", "WARNING"))]) == 2


def test_who_starts_again_has_the_scene_without_the_script(tmp_path):
    blocked = Blocked(tmp_path)
    again = blocked.beside  # it becomes the next run
    try:
        blocked.press(RESTART)
        assert blocked.person.process.wait(timeout=LONGEST) == 1
        line = ""
        while "it did not finish last time" not in line:
            line = blocked.person._queue.get(timeout=LONGEST)
        assert line.startswith("WARNING One > One ")
        again.terminate()
        again.wait(timeout=LONGEST)
    finally:
        if again.is_running():
            again.kill()
        blocked.person.close()
