"""A timed frame tells culling from drawing, and shows the same picture; no garbage goes meanwhile."""

from __future__ import annotations

import gc
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from panda3d.core import PythonCallbackObject

from sim.core.profiling.spans import Frame, Phase
from sim.render.window.display import CullClock
from sim.testing import Pilot

PILOT = {"scene": "scenes/hello.scene.json", "window": (320, 200), "speed": 1.0}


@pytest.fixture(scope="module")
def pilot(module_pilot):
    module_pilot.step(3)
    module_pilot.app.clock.pause()
    module_pilot.draw_panels(2)  # its button shows the pause from now on
    return module_pilot


def lift(pilot: Pilot) -> None:
    transform = pilot.app.scene.find("Stone").transform
    x, y, z = transform.position
    transform.position = (x, y, z + 0.01)


def drawn(pilot: Pilot) -> np.ndarray:
    pilot.app.clock.pause()
    pilot.app.draw_next()
    pilot.step()
    return np.asarray(pilot.app.display.image())


def timed(pilot: Pilot) -> tuple[Frame, np.ndarray]:
    frames: list[Frame] = []
    profiler = pilot.app.host.profiler
    profiler.listen(frames.append)
    lift(pilot)
    picture = drawn(pilot)
    profiler.unlisten(frames.append)
    return frames[-1], picture


def test_culling_comes_before_drawing_without_gaps(pilot):
    frame, _ = timed(pilot)
    assert frame.phases[Phase.CULLING] > 0.0
    assert frame.phases[Phase.DRAWING] > 0.0
    assert all(before.ended == after.begun for before, after in pairwise(frame.marks))
    names = [mark.label.name for mark in frame.marks]
    at = names.index("culling")
    assert (names[at - 1], names[at + 1]) == ("before culling", "drawing")


def test_the_picture_is_the_same_and_no_region_keeps_the_clock(pilot):
    _, picture = timed(pilot)
    assert np.array_equal(picture, drawn(pilot))
    regions = [
        region
        for output in pilot.app.display.engine.get_windows()
        for region in output.get_display_regions()
    ]
    assert regions
    assert all(region.get_cull_callback() is None for region in regions)


def test_while_nobody_asks_culling_is_not_timed(pilot, monkeypatch):
    def refuse(*arguments: Any) -> None:
        raise AssertionError("expected no time to be taken")

    monkeypatch.setattr(CullClock, "render", refuse)
    lift(pilot)
    drawn(pilot)


def test_the_time_before_a_picture_is_not_taken_for_culling(pilot, monkeypatch):
    """What ran before, such as a script that takes a picture itself, keeps its own time."""
    display = pilot.app.display
    profiler = pilot.app.host.profiler
    marks: list[str] = []
    monkeypatch.setattr(profiler, "mark", lambda label, ended=None: marks.append(label.name))
    monkeypatch.setattr(profiler, "is_on", True)
    display.draw_alone()
    display.image()
    assert marks == []
    lift(pilot)
    display.present(profiler)
    assert marks[0] == "before culling"
    assert set(marks[1:]) <= {"culling"}


def test_no_thread_collects_garbage_while_a_frame_is_drawn(pilot):
    display, seen = pilot.app.display, []
    region = next(
        region
        for output in display.engine.get_windows()
        for region in output.get_active_display_regions()
        if output.is_active() and not region.get_camera().is_empty()
    )

    def note(data: Any) -> None:
        seen.append(gc.isenabled())
        data.upcall()

    region.set_cull_callback(PythonCallbackObject(note))
    try:
        lift(pilot)
        drawn(pilot)
    finally:
        region.clear_cull_callback()
    assert seen
    assert not any(seen)
    assert gc.isenabled()
