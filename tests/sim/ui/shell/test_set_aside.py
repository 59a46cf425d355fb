"""A component that is set aside: its panel says so, and its button and its key offer Retry."""

from __future__ import annotations

import json

import pytest
from imgui_bundle import imgui

from sim.core.scene.scene import SlotState
from sim.testing import Pilot

SCRIPT = """from sim import Script


class Meter(Script):
    is_bad = is_torn = False
    drawn = pressed = updates = 0

    def start(self) -> None:
        self.panel("Meter", self.draw)
        self.panel("Meter over", self.draw, dock="overlay-left")
        self.command("measure", "Measure", self.measure, key="k")

    def update(self, dt: float) -> None:
        self.updates += 1
        if type(self).is_bad:
            raise ValueError("no measure")

    def draw(self, ui) -> None:
        self.drawn += 1
        if type(self).is_torn:
            raise ValueError("no paper")
        ui.text("all is well")

    def measure(self) -> None:
        self.pressed += 1
"""


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    root = tmp_path_factory.mktemp("project")
    for name in ("scenes", "scripts"):
        (root / name).mkdir()
    (root / "scripts" / "meter.py").write_text(SCRIPT, encoding="utf-8")
    component = {"type": "scripts.meter:Meter", "fields": {}}
    objects = {"obj_one": {"name": "A", "components": {"cmp_one": component}}}
    data = {"format": "goishi.scene/1", "id": "scn_meter", "objects": objects}
    scene = root / "scenes" / "a.scene.json"
    scene.write_text(json.dumps(data), encoding="utf-8")
    with Pilot(scene=scene, speed=1.0, window=(1280, 720), quality="low") as made:
        made.draw_panels(4)
        yield made


@pytest.fixture
def pilot(shared):
    slot = shared.app.scene.component("cmp_one")
    type(slot.instance).is_bad = True
    shared.step(2)
    assert slot.state is SlotState.QUARANTINED
    yield shared
    type(slot.instance).is_bad = False
    shared.app.host.retry(slot)
    shared.step(2)


@pytest.fixture
def drawn(monkeypatch):
    """What is written, and the buttons; one whose label is `pressed` is pressed once."""
    seen = {"texts": [], "buttons": [], "press": ""}
    text, colored, button = imgui.text, imgui.text_colored, imgui.button

    def pressing(label, *size):
        seen["buttons"].append(label)
        is_pressed = button(label, *size)
        if seen["press"] and label == seen["press"]:
            seen["press"] = ""
            return True
        return is_pressed

    monkeypatch.setattr(imgui, "text", lambda item: (seen["texts"].append(item), text(item))[1])
    monkeypatch.setattr(
        imgui,
        "text_colored",
        lambda color, item: (seen["texts"].append(item), colored(color, item))[1],
    )
    monkeypatch.setattr(imgui, "button", pressing)
    return seen


def test_its_panels_say_so_and_retry_runs_it_again(pilot, drawn):
    slot = pilot.app.scene.component("cmp_one")
    pilot.draw_panels(1)
    assert drawn["texts"].count("Meter of A does not run.") == 2, "docked, and over the view"
    assert any("no measure" in text for text in drawn["texts"])
    assert "Open at line 16" in drawn["buttons"]
    type(slot.instance).is_bad = False
    drawn["press"] = "Retry"
    pilot.draw_panels(2)
    assert slot.state is SlotState.READY
    drawn["texts"].clear()
    pilot.draw_panels(1)
    assert "all is well" in drawn["texts"]
    assert not any("does not run" in text for text in drawn["texts"])
    said = [str(item) for item in pilot.app.console.records if item.level == "debug"]
    assert 'host.retry(scene.component("cmp_one"))' in said[-1]


@pytest.mark.parametrize("way", ["button", "key"])
def test_its_command_offers_retry(pilot, drawn, way):
    slot = pilot.app.scene.component("cmp_one")
    pressed = slot.instance.pressed
    for panel in pilot.app.host.panels.panels:
        pilot.app.shell.open(panel.title, is_open=False)
    if way == "key":
        pilot.press("k")
    else:
        pilot.draw_panels(1)
        drawn["press"] = next(label for label in drawn["buttons"] if label.endswith("##measure"))
    drawn["texts"].clear()
    pilot.draw_panels(2)
    assert "Meter of A does not run." in drawn["texts"]
    assert slot.instance.pressed == pressed
    drawn["press"] = "Retry"
    type(slot.instance).is_bad = False
    pilot.draw_panels(2)
    assert slot.state is SlotState.READY
    pilot.press("k")
    assert slot.instance.pressed == pressed + 1
    for panel in pilot.app.host.panels.panels:
        pilot.app.shell.open(panel.title)


def test_a_panel_that_fails_to_draw_is_set_aside_alone_and_retry_draws_it_again(shared, drawn):
    slot = shared.app.scene.component("cmp_one")
    script = slot.instance
    before = shared.app.host.error_count
    type(script).is_torn = True
    shared.draw_panels(4)
    updates = script.updates
    shared.draw_panels(4)
    assert slot.state is SlotState.READY
    assert script.updates > updates, "the component goes on"
    assert shared.app.host.error_count == before + 2, "once for each of its two panels"
    record = shared.app.console.records[-1]
    assert record.file.endswith("meter.py")
    assert record.line == 21
    assert "set aside until its script is saved" in record.text
    assert "Meter cannot be drawn." in drawn["texts"]
    type(script).is_torn = False
    shared.draw_panels(4)
    assert "Meter cannot be drawn." in drawn["texts"][-12:]
    drawn["press"] = "Retry"
    shared.draw_panels(2)
    drawn["texts"].clear()
    shared.draw_panels(2)
    assert "all is well" in drawn["texts"]
    assert "Meter cannot be drawn." not in drawn["texts"]
