"""The list of render passes: what each is told, when, and that what it leaves out is not asked."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import ClassVar

import numpy as np
import pytest

from sim.render.passes.order import PASSES, RenderPass
from sim.testing import Pilot

HELLO = "scenes/hello.scene.json"


class Probe(RenderPass):
    """Notes what it is told."""

    told: ClassVar[list[str]] = []

    def open(self, layers):
        self.told.append("open")

    def apply(self, layers, env, inputs):
        self.told.append(f"dress {len(env.lamps)}")

    def inputs(self, env):
        return {"probe": 1.0}

    def prepare(self, env, *, is_whole, has_moving):
        self.told.append("whole" if is_whole else "part")
        return {}, []


@pytest.fixture
def pilot(monkeypatch):
    Probe.told = []
    monkeypatch.setattr("sim.render.passes.order.PASSES", [f"{__name__}:Probe", *PASSES])
    monkeypatch.setattr("sim.render.passes.order.import_module", found)
    with Pilot(scene=HELLO, panels=False, quality="low", window=(320, 200), speed=1.0) as made:
        yield made


def found(name):
    """Import a module; this one, which pytest names as it likes, is there."""
    return sys.modules[name] if name == __name__ else import_module(name)


@pytest.mark.parametrize("entry", PASSES)
def test_every_line_of_the_list_is_a_pass(entry):
    module, _, name = entry.partition(":")
    assert issubclass(getattr(import_module(module), name), RenderPass)


def test_a_pass_is_told_of_layers_of_the_environment_and_of_what_is_drawn(pilot):
    assert Probe.told.count("open") == len(pilot.app.view._layers)
    first = Probe.told.index("open")
    assert Probe.told[first + 1] == "dress 0", "each pair of layers is dressed when it is opened"
    Probe.told.clear()
    pilot.app.scene.spawn("Lamp", position=(0, 0, 3)).add("sim:Light", kind="point")
    pilot.app.view.finish()
    pilot.step()
    assert "dress 1" in Probe.told
    assert "open" not in Probe.told
    Probe.told.clear()
    pilot.app.view.force_redraw()
    pilot.step()
    assert "whole" in Probe.told


def test_what_a_pass_leaves_out_is_not_asked_in_a_frame(pilot):
    asked = [type(one).__name__ for one in pilot.app.view._atmosphere._preparing]
    assert asked == ["Probe", "SunShadows"]


def test_fog_is_told_to_every_shader_and_is_seen(tmp_path):
    with Pilot(scene=HELLO, panels=False, quality="low", window=(320, 200), speed=1.0) as pilot:
        clear = pilot.picture().astype(int)
        pilot.app.scene.find("Sun").add("sim:Fog", color=[1.0, 0.0, 0.0], density=5.0)
        pilot.app.view.finish()
        thick = pilot.picture().astype(int)
        assert np.abs(thick - clear).max() > 60
        assert (thick[..., 2] > thick[..., 0] + 60).mean() > 0.1
