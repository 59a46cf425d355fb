"""Thousands of objects come and go: nothing of them stays behind."""

from __future__ import annotations

import gc
import json
import tracemalloc
from pathlib import Path

import pytest
from panda3d.core import NodePath, RenderState, TransformState

from sim.testing import Pilot

SCRIPT = """
import math

from sim import Script, signal, on


class Mover(Script):
    moved = signal(float)

    def start(self):
        self.start_coroutine(self.wait())

    async def wait(self):
        await self.seconds(1000.0)

    @on("moved")
    def hear(self, x):
        self.heard = x

    def update(self, dt):
        x = math.sin(self.time.now)
        self.object.transform.position = (x, 0.0, 1.0)
        self.moved.emit(x)
"""
BATCH = 1250
DAY, NIGHT = 4, 8  # rounds, for 10,000 objects by night: memory is traced, which takes long
LEFT_BEHIND = {DAY: 320_000, NIGHT: 400_000}
"""Bytes of Python's memory, at most, after all rounds but the first two; most are there once."""


def write_scene(root: Path) -> Path:
    (root / "scenes").mkdir()
    (root / "scripts").mkdir()
    (root / "scripts" / "many.py").write_text(SCRIPT, encoding="utf-8")
    path = root / "scenes" / "a.scene.json"
    data = {"format": "goishi.scene/1", "id": "scn_many", "objects": {}}
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def come_and_go(pilot: Pilot, count: int) -> None:
    """Let objects of all kinds come, move for two frames, and go."""
    scene = pilot.app.scene
    made = []
    for number in range(count):
        obj = scene.spawn("Many", model={"builtin": ("box", "sphere")[number % 2]},
                          position=(number % 30, number // 30, 0.0),
                          material={"color": [0.1, 0.5, (number % 7) / 7.0]})  # fmt: skip
        child = scene.spawn("Child", model={"builtin": "stone"}, parent=obj)
        if number % 10 == 0:
            child.add("scripts.many:Mover")
            child.animation  # noqa: B018  # its bond goes, too
        made.append(obj)
    pilot.step(2)
    for obj in made:
        obj.destroy()
    pilot.step(2)


def nodes(pilot: Pilot) -> int:
    root: NodePath = pilot.app.view._root
    return len(root.find_all_matches("**"))


@pytest.mark.parametrize("rounds", [DAY, pytest.param(NIGHT, marks=pytest.mark.nightly)])
def test_thousands_of_objects_leave_nothing_behind(tmp_path, rounds):
    scene = write_scene(tmp_path)
    with Pilot(scene=scene, panels=False, speed=1.0, quality="low", window=(320, 200)) as pilot:
        app = pilot.app
        pilot.step(2)
        before = nodes(pilot)
        come_and_go(pilot, BATCH // 2)  # meshes and arrays that are kept are made now
        come_and_go(pilot, BATCH // 2)
        states = RenderState.get_num_states() + TransformState.get_num_states()
        gc.collect()
        tracemalloc.start()
        try:
            gc.collect()
            held, _ = tracemalloc.get_traced_memory()
            for _ in range(rounds - 2):
                come_and_go(pilot, BATCH // 2)
            gc.collect()
            left = tracemalloc.get_traced_memory()[0] - held
        finally:
            tracemalloc.stop()
        assert nodes(pilot) == before
        assert left < LEFT_BEHIND[rounds]
        assert RenderState.get_num_states() + TransformState.get_num_states() < states + 200
        assert not app.scene.objects
        assert not app.scene._by_slot
        assert not app.scene._components
        assert not app.view._views
        assert not app.view._by_slot
        assert not app.view._resting.moving
        assert not app.scene.animator._bonds
        assert not app.host.tasks
        assert app.scene.transforms._used <= BATCH + 10
        assert app.host.error_count == 0
