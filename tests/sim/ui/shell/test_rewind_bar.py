"""The timeline below the view: keys, a drag, what is read-only, continuing, undo."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from base.errors import EditError
from sim.core.input.input_actions import InputEvent
from sim.testing import Pilot
from tests.sim.core.stage import thing

SCRIPT = """
from sim import Script, field

class Runner(Script):
    x: float = field(0.0, recorded=True)
    keys = 0

    def start(self):
        self.command("act", "Act", self.act, key="k")

    def act(self):
        self.keys += 1

    def update(self, dt):
        self.x += 0.1
        self.object.transform.position = (self.x, 0.0, 0.0)
"""
FRAMES = 150


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pilot]:
    root = tmp_path_factory.mktemp("rewind")
    (root / "scenes").mkdir()
    (root / "scripts").mkdir()
    (root / "scripts" / "runs.py").write_text(SCRIPT, encoding="utf-8")
    objects = {"obj_runner": thing("Runner", {"cmp_runner": "scripts.runs:Runner"})}
    scene = Path(root / "scenes" / "a.scene.json")
    data = {"format": "goishi.scene/1", "id": "scn_runs", "settings": {}, "objects": objects}
    scene.write_text(json.dumps(data), encoding="utf-8")
    with Pilot(scene=scene, trust=True, window=(800, 600), quality="low") as pilot:
        pilot.app.shell.preferences.arrange("watch")
        yield pilot


@pytest.fixture
def pilot(shared: Pilot) -> Pilot:
    """A pilot in the present, with so many frames to look back at."""
    rewind = shared.app.rewind
    rewind.live()
    shared.app.clock.resume()
    rewind.seconds = 30
    rewind.clear()
    record = shared.app.host
    for _ in range(FRAMES):  # without drawing any
        record.begin_frame()
        record.run_frame(shared.app.clock.advance(0.0))
        rewind.record()
    return shared


def x_of(pilot: Pilot) -> float:
    return float(pilot.app.scene.get("obj_runner").transform.position[0])


def test_keys_look_back_and_go_live_again(pilot: Pilot) -> None:
    app, rewind = pilot.app, pilot.app.rewind
    shell: Any = app.shell
    assert not shell.shows_timeline
    now = x_of(pilot)
    pilot.press("f10")
    last = rewind.index
    assert (rewind.is_past, rewind.ago, shell.shows_timeline) == (True, 0.0, True)
    pilot.press("arrow_left")
    pilot.press("arrow_left", "shift")
    assert rewind.index == last - 61
    pilot.press("arrow_right")
    assert rewind.index == last - 60
    pilot.press("home")
    assert (rewind.index, x_of(pilot) < now) == (0, True)
    pilot.press("end")
    assert rewind.index == last
    runner = app.scene.component("cmp_runner").instance
    pilot.press("k")
    assert runner.keys == 0  # no script hears of anything
    pilot.press("home")
    pilot.press("+")
    assert rewind.speed == 2.0
    pilot.press("space")
    assert rewind.is_playing
    pilot.press("space")
    assert not rewind.is_playing
    rewind.speed = 1.0
    with pytest.raises(EditError, match="expected the present"):
        app.editor.rename(app.scene.get("obj_runner"), "Other")
    pilot.press("escape")
    assert not rewind.is_past
    assert x_of(pilot) > now  # the frame after it runs again


def test_a_drag_on_the_timeline_looks_back(pilot: Pilot) -> None:
    app, rewind = pilot.app, pilot.app.rewind
    pilot.press("f10")
    area, high = app.shell.area, app.shell.timeline.height
    y = area.top + area.height + high / 2
    middle = area.left + area.width * 0.4
    pilot.move(middle, y)
    app.inject(InputEvent("button_down", key="mouse1", x=middle, y=y))
    pilot.step()
    first = rewind.index
    assert 0 < first < FRAMES - 1
    pilot.move(middle + 20, y)
    assert rewind.index > first
    app.inject(InputEvent("button_up", key="mouse1", x=middle + 20, y=y))
    pilot.step()
    assert any("app.rewind.seek(" in record.text for record in app.console.records)


def test_continuing_is_one_undo_step(pilot: Pilot) -> None:
    app, rewind = pilot.app, pilot.app.rewind
    now = x_of(pilot)
    rewind.seek(20)
    then = x_of(pilot)
    app.shell.timeline.ask_to_continue()
    assert rewind.is_past  # it names the scripts first
    assert rewind.stateless() == ["Runner"]
    rewind.continue_here()
    assert (x_of(pilot), rewind.is_past) == (then, False)
    assert app.editor.undo_label.startswith("Continue from 2.1")
    app.editor.undo()
    assert x_of(pilot) == now
    app.editor.redo()
    assert x_of(pilot) == then
    assert not app.editor.is_changed  # the file is what it was


def test_stopping_the_scene_forgets_what_was(pilot: Pilot) -> None:
    pilot.app.rewind.seek(5)
    pilot.app.shell.playback.end(keep=False)
    assert pilot.app.rewind.tape is None
    assert not pilot.app.rewind.is_past
    pilot.app.shell.playback.toggle()
