"""Opening another scene keeps the real window and its size."""

from __future__ import annotations

import contextlib
import os
import queue
import shutil

import pytest

from tests.drive.x_person import ROOT, Person

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(not os.environ.get("DISPLAY"), reason="needs an X display: set DISPLAY"),
    pytest.mark.skipif(shutil.which("xdotool") is None, reason="needs xdotool"),
]


def wait_for_scene(person, name):
    """Ask which scene is open until it is this one; what is typed in between is lost."""
    for _ in range(20):
        person.do('print("open is", host.run.scene_path.name)')
        with contextlib.suppress(queue.Empty):
            while True:
                if f"open is {name}" in person._queue.get(timeout=1.0):
                    return
    raise AssertionError(person.lines[:24])


def test_another_scene_opens_in_the_same_window(tmp_path):
    person = Person("scenes/hello.scene.json", "--data-dir", str(tmp_path), "--quality", "low")
    try:
        person.ask_until('host.run.scene_path.name == "hello.scene.json"')
        person._do("windowsize", "--sync", person.window, "900", "620")
        person.ask_until("view.display.size == (900, 620)")
        person.do(f'app.welcome.choose("{ROOT / "scenes/solar_system.scene.json"}")')
        wait_for_scene(person, "solar_system.scene.json")
        assert person.ask("view.display.size") == "(900, 620)"
        found = person._do("search", "--onlyvisible", "--name", "Goishi$").split()
        assert found == [person.window]
    finally:
        person.close()
