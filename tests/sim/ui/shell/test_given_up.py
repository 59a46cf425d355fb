"""A worker that was given up: the console and the training panels offer its restart."""

from __future__ import annotations

import json

import pytest
from imgui_bundle import imgui

from sim.testing import Pilot

SCRIPT = """from goishi.scripts.learning.panel_parts import draw_given_up
from sim import Script


class Pupil(Script):
    def start(self) -> None:
        target = "tests.sim.core.workers.link_workers:echo"
        self.link = self.workers.open("pupil", target, owner=self.slot)
        self.panel("Pupil", self.draw)

    def draw(self, ui) -> None:
        draw_given_up(ui, self)
"""


@pytest.mark.parametrize("name", ["button", "small_button"], ids=["panel", "console"])
def test_the_button_starts_it_again(tmp_path, monkeypatch, name):
    for folder in ("scenes", "scripts"):
        (tmp_path / folder).mkdir()
    (tmp_path / "scripts" / "pupil.py").write_text(SCRIPT, encoding="utf-8")
    component = {"type": "scripts.pupil:Pupil", "fields": {}}
    objects = {"obj_one": {"name": "A", "components": {"cmp_one": component}}}
    data = {"format": "goishi.scene/1", "id": "scn_pupil", "objects": objects}
    scene = tmp_path / "scenes" / "a.scene.json"
    scene.write_text(json.dumps(data), encoding="utf-8")
    with Pilot(scene=scene, speed=1.0, window=(1280, 720), quality="low") as pilot:
        pilot.draw_panels(4)
        app = pilot.app
        app.run_context.headless = False  # as in a window
        link = app.scene.component("cmp_one").instance.link
        link._give_up("worker pupil was killed, 6 times in a row: given up")
        assert app.run_context.exit_code is None
        app.shell.open("Console")
        plain, left = getattr(imgui, name), ["Restart"]

        def pressing(label, *size):
            is_pressed = plain(label, *size)
            return bool(left and label == left[0] and left.pop()) or is_pressed

        monkeypatch.setattr(imgui, name, pressing)
        pilot.draw_panels(6)
        assert not left, "it was drawn"
        assert app.world.links.given_up() == []
