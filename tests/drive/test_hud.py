"""Drawings and buttons over the view: where they are seen, what a click does, when they go."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from base.files import SHIPPED_ROOT
from sim.core.input.input_actions import InputEvent
from sim.testing import Pilot

SCRIPT = '''
from sim import Script


class Counter(Script):
    """Counts clicks."""

    def start(self) -> None:
        self.count = self.drawn = self.seen = 0
        self.board = self.hud.canvas("count", size=(200, 100), draw=self.draw, background=(0, 0, 1))
        self.note = self.hud.canvas("note", size=(60, 40), anchor="bottom-left")
        self.note.clear((0, 1, 0))

    def update(self, dt: float) -> None:
        self.seen += len(self.input.clicks)

    def draw(self, canvas) -> None:
        self.drawn += 1
        canvas.rectangle((0, 0, 200, 40), (1, 0, 0))
        canvas.button("Add", (20, 50, 70, 36), self.add)
        canvas.button("Fail", (110, 50, 70, 36), self.fail)

    def add(self) -> None:
        self.count += 1
        self.board.redraw()

    def fail(self) -> None:
        raise RuntimeError("no more")
'''
RED, BLUE, GREEN = [0, 0, 255], [255, 0, 0], [0, 255, 0]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "scenes").mkdir()
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "counter.py").write_text(SCRIPT, encoding="utf-8")
    camera = {"type": "sim:Camera", "fields": {"target": [0, 0, 0]}}
    counter = {"type": "scripts.counter:Counter"}
    objects = {
        "obj_camera": {"name": "Camera", "position": [0, -6, 6], "components": {"cmp_cam": camera}},
        "obj_thing": {"name": "Thing", "components": {"cmp_counter": counter}},
    }
    path = tmp_path / "scenes" / "a.scene.json"
    scene = {"format": "goishi.scene/1", "id": "scn_hud", "objects": objects}
    path.write_text(json.dumps(scene), encoding="utf-8")
    return tmp_path


def drive(project: Path, **options: object) -> Pilot:
    values = {"panels": False, "window": (640, 400), "quality": "low", "speed": 1.0, **options}
    pilot = Pilot(scene=project / "scenes" / "a.scene.json", **values)
    pilot.step(2)
    return pilot


def colors_at(pilot: Pilot, *places: tuple[int, int]) -> list[list[int]]:
    picture = pilot.picture()
    return [picture[y, x].tolist() for x, y in places]


def has_color(picture: np.ndarray, color: list[int]) -> bool:
    return bool((picture == color).all(axis=2).any())


def test_a_canvas_lies_at_its_corner_pixel_for_pixel(project):
    with drive(project) as pilot:
        picture = pilot.picture()
        left, top = 640 - 12 - 200, 12
        assert (picture[top : top + 40, left : left + 200] == RED).all()
        assert (picture[top + 92 : top + 100, left : left + 200] == BLUE).all()
        assert not has_color(picture[top : top + 100, left - 2 : left], BLUE)
        assert (picture[400 - 12 - 40 : 400 - 12, 12:72] == GREEN).all()
        assert has_color(pilot.app.display.scene_image(), RED), "recordings without panels show it"


def test_a_click_on_a_button_calls_back_and_does_not_reach_the_scene(project):
    with drive(project) as pilot:
        counter = pilot.component("Counter")
        assert counter.drawn == 1
        pilot.click_button("Add")
        pilot.click_button("Add")
        pilot.step()
        assert (counter.count, counter.seen, counter.drawn) == (2, 0, 3)
        pilot.click(20, 20)
        pilot.click(460, 20)  # on the canvas, beside its buttons
        assert (counter.count, counter.seen) == (2, 2)
        with pytest.raises(LookupError, match=r"'Gone'.*'Add', 'Fail'"):
            pilot.click_button("Gone")


def test_a_button_looks_different_under_the_pointer_and_pressed(project):
    with drive(project) as pilot:
        plain = colors_at(pilot, (470, 70))
        pilot.move(470, 70)
        hovered = colors_at(pilot, (470, 70))
        pilot.app.inject(InputEvent("button_down", key="mouse1", x=470, y=70))
        pilot.step()
        pressed = colors_at(pilot, (470, 70))
        pilot.move(300, 300)
        away = colors_at(pilot, (470, 70))
        pilot.app.inject(InputEvent("button_up", key="mouse1", x=300, y=300))
        pilot.step()
        assert len({str(color) for color in (plain, hovered, pressed)}) == 3
        assert away == plain
        assert pilot.component("Counter").count == 0, "let go beside it"
        assert pilot.component("Counter").seen == 0


def test_what_a_button_raises_is_told_of_its_component_and_nothing_of_it_is_left(project):
    with drive(project) as pilot:
        pilot.click_button("Fail")
        errors = [str(item) for item in pilot.app.console.records if item.level == "error"]
        assert len(errors) == 1
        assert "Thing > Counter.button Fail" in errors[0]
        assert "RuntimeError: no more" in errors[0]
        assert not has_color(pilot.picture(), RED)
        pilot.app.host.retry(pilot.app.scene.components()[-1])
        pilot.step(2)
        assert has_color(pilot.picture(), RED)


def test_it_goes_while_its_component_is_off_and_with_it(project):
    with drive(project) as pilot:
        slot = pilot.component("Counter").slot
        slot.enabled = False
        pilot.step()
        assert not has_color(pilot.picture(), RED)
        pilot.click(470, 75)
        assert slot.instance.count == 0
        slot.enabled = True
        pilot.step()
        assert has_color(pilot.picture(), RED)
        slot.object.enabled = False
        pilot.step()
        assert not has_color(pilot.picture(), GREEN)
        slot.object.enabled = True
        pilot.step()
        slot.object.destroy()
        pilot.step()
        picture = pilot.picture()
        assert not has_color(picture, RED)
        assert not has_color(picture, GREEN)
        assert pilot.app.host.hud.shown() == []


def test_after_a_hot_reload_the_new_code_draws_and_nothing_of_the_old_is_left(project):
    with drive(project) as pilot:
        script = project / "scripts" / "counter.py"
        script.write_text(SCRIPT.replace("(1, 0, 0))", "(1, 1, 0))").replace("+= 1\n        self.b",
                          "+= 10\n        self.b"), encoding="utf-8")  # fmt: skip
        assert pilot.app.world.reloader.reload(script)
        pilot.step(2)
        picture = pilot.picture()
        assert has_color(picture, [0, 255, 255])
        assert not has_color(picture, RED)
        assert not has_color(picture, GREEN), "the old code drew it by hand"
        pilot.click_button("Add")
        assert pilot.component("Counter").count == 10
        script.write_text(SCRIPT.replace("def draw(", "def paint(").replace("self.draw,", "None,"),
                          encoding="utf-8")  # fmt: skip
        assert pilot.app.world.reloader.reload(script)
        pilot.step(2)
        assert pilot.app.host.hud.shown() == []
        assert pilot.app.host.error_count == 0


def test_it_grows_with_the_scale_of_the_panels_and_lies_inside_the_view(project):
    with drive(project, panels=True, window=(1280, 720)) as pilot:
        counter = pilot.component("Counter")
        pilot.app.shell.preferences.set_scale(1.5)
        pilot.step(12)
        picture = pilot.picture()
        left, top, width, _ = pilot.app.view.viewport_size
        x, y = left + width - 18 - 300, top + 18
        assert (picture[y + 1 : y + 59, x + 1 : x + 299] == RED).all()
        assert (counter.board.width, counter.board.picture.shape) == (200, (150, 300, 3))
        pilot.click_button("Add")
        assert (counter.count, counter.seen) == (1, 0)
        assert counter.note.picture.shape == (60, 90, 4), "kept, as nobody draws it anew"


def test_it_is_drawn_and_uploaded_only_when_something_changed(project):
    with drive(project) as pilot:
        layer = pilot.app.picture.hud_layer
        pilot.step(5)
        before = layer.drawings
        pilot.step(10)
        assert layer.drawings == before
        pilot.component("Counter").note.clear((1, 1, 1))
        pilot.step(3)
        assert layer.drawings == before + 1


def test_a_canvas_of_the_same_name_replaces_and_those_at_one_corner_stand_apart(project):
    with drive(project) as pilot:
        counter = pilot.component("Counter")
        counter.hud.canvas("note", size=(30, 30), anchor="top-right").clear((0, 1, 1))
        pilot.step(2)
        picture = pilot.picture()
        assert not has_color(picture, GREEN)
        assert (picture[12 + 100 + 8 : 12 + 100 + 38, 640 - 42 : 640 - 12] == [255, 255, 0]).all()


def test_a_share_of_the_view_follows_its_size(project):
    with drive(project) as pilot:
        counter = pilot.component("Counter")
        sizes = []
        counter.hud.canvas(
            "wide", share=(0.0, 0.5, 1.0, 0.25), background=(1, 0, 1),
            draw=lambda canvas: sizes.append((canvas.width, canvas.height)),
        )  # fmt: skip
        pilot.step(2)
        picture = pilot.picture()
        assert (picture[200:300] == [255, 0, 255]).all()
        pilot.app.view.set_viewport(0, 0, 320, 200)
        pilot.step(2)
        assert sizes == [(640, 100), (320, 50)]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"anchor": "corner"}, "anchor: expected one of center, top-left"),
        ({"size": (0, 5)}, "expected width and height in whole pixels"),
        ({"share": (0.5, 0, 0.6, 1)}, "share: expected an area from 0 to 1"),
        ({"background": (9, 9, 9)}, "background: expected a colour"),
    ],
)
def test_what_a_canvas_is_asked_for_wrongly_is_said(project, arguments, text):
    with drive(project) as pilot:
        counter = pilot.component("Counter")
        with pytest.raises(ValueError) as caught:
            counter.hud.canvas("x", **arguments)
        assert text in str(caught.value)
        assert "Thing: hud.canvas" in str(caught.value)
        with pytest.raises(ValueError, match="callback: expected something to call, found None"):
            counter.note.button("a", (0, 0, 9, 9), None)


def test_the_examples_of_the_drawing_page_run(project):
    text = (SHIPPED_ROOT / "docs" / "drawing.md").read_text(encoding="utf-8")
    meter, score = re.findall(r"```python\n(.+?)```", text, re.DOTALL)
    (project / "scripts" / "meter.py").write_text(meter, encoding="utf-8")
    (project / "scripts" / "score.py").write_text(score, encoding="utf-8")
    with drive(project) as pilot:
        thing = pilot.app.scene.find("Thing")
        thing.model = {"builtin": "plane", "size": [4, 2.5]}
        thing.add("scripts.meter:Meter")
        thing.add("scripts.score:Score")
        pilot.step(3)
        pilot.click_button("One more")
        assert pilot.component("Score").count == 1
        assert thing.canvas.picture.shape == (400, 640, 3)
        assert pilot.app.host.error_count == 0


def test_what_draw_raises_is_told_of_its_component_and_everything_else_goes_on(project):
    with drive(project) as pilot:
        counter = pilot.component("Counter")
        counter.hud.canvas(
            "bad", draw=lambda canvas: canvas.circle((0, 0), float("nan"), (1, 1, 1))
        )
        pilot.step(3)
        errors = [str(item) for item in pilot.app.console.records if item.level == "error"]
        assert len(errors) == 1
        assert "Thing > Counter.hud draw" in errors[0]
        assert "hud bad.circle: radius: expected a finite number, found nan" in errors[0]
        assert "the rest goes on" in errors[0]
        board = pilot.app.host.hud
        assert [item.key for item in board.shown()] == ["count", "note"]
        pilot.click_button("Add")
        assert counter.count == 1, "the component works"
        board.retry_drawings()
        pilot.step(4)
        assert pilot.app.host.error_count == 2, "tried once more, and set aside again"
