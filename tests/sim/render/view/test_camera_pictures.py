"""Pictures that scripts take: the main view's and other cameras', at any size."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim import Camera, CameraView, PictureError
from sim.core.scene.scene_camera import SceneCamera
from sim.render.view.camera_pictures import MOST_DRAWERS
from sim.testing import Pilot

RED, GREEN, BLUE = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]


def box(name: str, position: list[float], color: list[float], **material: Any) -> dict[str, Any]:
    return {
        "name": name,
        "position": position,
        "model": {"builtin": "box", "size": [1, 1, 1]},
        "material": {"color": color, "unlit": True, **material},
    }


def camera(position: list[float], target: list[float], **fields: Any) -> dict[str, Any]:
    fields = {"target": target, "min_elevation": -60, **fields}
    part = {"type": "sim:Camera", "fields": fields}
    return {
        "position": position,
        "components": {"cmp_of" + str(abs(hash(str(position))))[:6]: part},
    }


def write_scene(root: Path, objects: dict[str, Any], script: str = "") -> Path:
    (root / "scenes").mkdir()
    (root / "scripts").mkdir()
    (root / "scripts" / "eyes.py").write_text("from sim import *\n" + script, encoding="utf-8")
    path = root / "scenes" / "a.scene.json"
    data = {"format": "goishi.scene/1", "id": "scn_pictures", "objects": objects}
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


OBJECTS = {
    "obj_main": {"name": "Main", **camera([0, -12, 0], [0, 0, 0])},
    "obj_side": {"name": "Side", **camera([12, 0, 0], [0, 0, 0])},
    "obj_red": box("Red", [0, 0, 1.5], RED),
    "obj_green": box("Green", [2, 0, -1.5], GREEN),
    "obj_blue": box("Blue", [0, 4, -1.5], BLUE),
}


@pytest.fixture
def pilot(tmp_path):
    scene = write_scene(tmp_path, OBJECTS)
    with Pilot(scene=scene, quality="medium", panels=False, speed=1.0, window=(320, 200)) as made:
        yield made


def place_of(picture: np.ndarray, color: list[float]) -> tuple[float, float] | None:
    """Where the pixels of a colour are: x and y in shares of the picture, y from the top."""
    wanted = np.array(color) * 255
    found = np.argwhere(np.abs(picture.astype(float) - wanted).max(axis=2) < 40)
    if not len(found):
        return None
    y, x = found.mean(axis=0) / picture.shape[:2]
    return float(x), float(y)


def test_it_is_what_the_window_shows(pilot):
    pilot.wait_until(lambda: not pilot.app.view._resting.moving)  # what moves has hard edges
    image = pilot.app.scene.camera.image(width=320, height=200)
    assert image.shape == (200, 320, 3)
    assert image.dtype == np.uint8
    assert np.abs(image[:, :, ::-1].astype(int) - pilot.picture()).max() <= 1


@pytest.mark.parametrize("size", [(32, 32), (200, 320), (640, 360), (1920, 1080)])
def test_the_top_row_is_first_red_is_first_and_any_size_will_do(pilot, size):
    image = pilot.app.scene.camera.image(width=size[0], height=size[1])
    assert image.shape == (size[1], size[0], 3)
    x, y = place_of(image, RED)
    assert y < 0.45
    assert x == pytest.approx(0.5, abs=0.04)
    x, y = place_of(image, GREEN)
    assert y > 0.55
    assert x > 0.52, "and right is right"


def test_another_camera_sees_it_from_its_own_place(pilot):
    door, scene = pilot.app.scene.camera, pilot.app.scene
    image = door.image(width=160, height=100, camera="Side")
    x, _ = place_of(image, BLUE)
    assert x > 0.52, "from +x, what lies at +y is on the right"
    side = scene.find("Side")
    for same in (side, side.components[0].instance):
        assert (door.image(width=160, height=100, camera=same) == image).all()
    side.transform.position = (0.0, 12.0, 0.0)
    moved = door.image(width=160, height=100, camera="Side")
    assert place_of(moved, GREEN)[0] < 0.48, "seen from behind"


def test_marks_can_be_left_out_and_the_window_keeps_them(pilot):
    scene = pilot.app.scene
    mark = scene.spawn("Mark", model={"builtin": "box", "size": [1, 0.1, 1]}, position=(-2, -1, 0))
    mark.material = {"color": [1.0, 1.0, 0.0], "unlit": True, "opacity": 0.99, "layer": 1}
    before = pilot.picture()
    yellow = [1.0, 1.0, 0.0]
    assert place_of(scene.camera.image(), yellow) is not None
    assert place_of(scene.camera.image(overlays=False), yellow) is None
    assert place_of(scene.camera.image(overlays=False), RED) is not None
    assert np.abs(pilot.picture().astype(int) - before).mean() < 0.2, "but for smooth edges"
    assert place_of(pilot.picture()[:, :, ::-1], yellow) is not None


def test_depth_is_metres_along_the_view(pilot):
    distances = pilot.app.scene.camera.depth(width=320, height=200)
    assert distances.shape == (200, 320)
    assert distances.dtype == np.float32
    image = pilot.app.scene.camera.image(width=320, height=200)
    x, y = place_of(image, RED)
    assert distances[round(y * 200), round(x * 320)] == pytest.approx(11.5, abs=0.02)
    assert np.isinf(distances[0, 0])
    view = CameraView((0.0, 0.0, 0.0), azimuth=90.0, elevation=0.0, distance=20.0)
    pilot.app.scene.camera.lead(view)
    assert pilot.app.scene.camera.depth().min() == pytest.approx(20.0 - 2.5, abs=0.02)


def test_what_is_nearer_or_farther_than_its_planes_is_not_drawn(pilot):
    door, scene = pilot.app.scene.camera, pilot.app.scene
    main = scene.find("Main").get(Camera)
    main.near = 12.0
    pilot.step(2)
    for eye in (None, "Main"):
        image = door.image(width=160, height=100, camera=eye)
        assert (place_of(image, RED), place_of(image, GREEN)) == (None, None)
        assert place_of(image, BLUE) is not None
    main.near, main.far = 0.0, 12.0
    pilot.step(2)
    assert place_of(door.image(), BLUE) is None
    assert place_of(door.image(), RED) is not None


def test_it_sees_what_was_moved_and_asked_for_in_the_same_frame(pilot):
    scene = pilot.app.scene
    scene.find("Red").transform.position = (0.0, 0.0, -3.0)
    assert place_of(scene.camera.image(), RED)[1] > 0.7
    scene.camera.fly_to(CameraView((0, 0, 0), 180.0, 0.0, 12.0), seconds=0.0)
    assert place_of(scene.camera.image(), GREEN)[0] < 0.48
    pilot.step()
    assert scene.camera.view.azimuth == 180.0


def test_it_draws_nothing_of_the_window_and_keeps_few_buffers(pilot):
    pilot.app.clock.pause()
    view, display = pilot.app.view, pilot.app.display
    pilot.wait_until(lambda: not any(item.is_moving for item in view._views.values()))
    pilot.step(3)
    before = view.full_draws, view.partial_draws
    outputs = display.engine.get_num_windows()
    for side in range(32, 32 + 3 * MOST_DRAWERS):
        pilot.app.scene.camera.image(width=side, height=40)
    pilot.step(5)
    assert (view.full_draws, view.partial_draws) == before
    assert display.engine.get_num_windows() <= outputs + MOST_DRAWERS


@pytest.mark.parametrize(
    "asked",
    [{"width": 0}, {"height": 5000}, {"width": 3.5}, {"width": True}, {"camera": "Nobody"},
     {"camera": "Red"}, {"camera": 7}],
)  # fmt: skip
def test_what_is_asked_wrongly_is_one_clear_error(pilot, asked):
    name = next(iter(asked))
    with pytest.raises(ValueError, match=rf"camera\.image: {name}: expected .*, got"):
        pilot.app.scene.camera.image(**asked)
    with pytest.raises(ValueError, match=rf"camera\.depth: {name}: expected .*, got"):
        pilot.app.scene.camera.depth(**asked)


SCRIPT = """
class Eyes(Script):
    def start(self):
        self.seen = []

    def update(self, dt):
        self.seen.append(self.scene.camera.image(width=64, height=48))
"""


def test_a_script_takes_pictures_and_a_run_without_graphics_says_no(tmp_path):
    objects = {
        **OBJECTS,
        "obj_eyes": {"name": "Eyes", "components": {"cmp_eyes": {"type": "scripts.eyes:Eyes"}}},
    }
    scene = write_scene(tmp_path, objects, SCRIPT)
    with Pilot(scene=scene, panels=False, speed=1.0, window=(320, 200)) as pilot:
        pilot.step(3)
        seen = pilot.component("Eyes").seen
        assert len(seen) >= 3
        assert place_of(seen[-1], RED) is not None
        assert pilot.app.host.error_count == 0
    with Pilot(scene=scene, graphics=False, speed=1.0) as pilot:
        pilot.step(3)
        assert pilot.app.host.error_count == 1
        record = pilot.app.scene.find("Eyes").components[0].error
        assert "camera.image: expected a run that draws, got one with --no-graphics" in str(record)


def test_a_camera_of_no_scene_has_no_picture():
    with pytest.raises(PictureError, match="no-graphics"):
        SceneCamera().image()
