"""Sky and thrown shadows in every picture: the main view, views over it, pictures of scripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim.testing import Pilot
from tests.sim.render.importing.gltf_files import small_glb

SIZE = (400, 240)
SKY = {
    "zenith": [0.1, 0.1, 0.9], "horizon": [0.1, 0.1, 0.9], "ground": [0.1, 0.7, 0.1],
    "clouds": 0.0, "sun_size": 0.0,
}  # fmt: skip


def camera(name: str, position: list[float], rotation: list[float], **fields: Any) -> dict:
    part = {"type": "sim:Camera", "fields": {"look": "ahead", "fov": 40.0, **fields}}
    return {"name": name, "position": position, "rotation": rotation,
            "components": {f"cmp_{name.lower()}": part}}  # fmt: skip


def scene(root: Path, **level: Any) -> Path:
    (root / "scenes").mkdir()
    objects = {
        "obj_main": camera("Main", [0, -12, 3], [0, 0, 0], active=True),
        "obj_level": camera("Level", [0, 30, 3], [180, 0, 0], **level),
        "obj_rolled": camera("Rolled", [0, 30, 3], [180, 0, 90]),
        "obj_above": camera("Above", [0, 0, 12], [0, -90, 0]),
        "obj_sun": {"name": "Sun", "position": [0, 0, 10], "components": {
            "cmp_sun": {"type": "sim:Light", "fields": {"shadows": "cast"}},
            "cmp_sky": {"type": "sim:Sky", "fields": SKY}}},
        "obj_floor": {"name": "Floor", "model": {"builtin": "plane", "size": [8, 8]},
                      "material": {"color": [0.9, 0.9, 0.9]}},
        "obj_block": {"name": "Block", "position": [2, 0, 2], "model": {"builtin": "box"}},
    }  # fmt: skip
    path = root / "scenes" / "a.scene.json"
    data = {"format": "goishi.scene/1", "id": "scn_sky", "objects": objects}
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def every_sun_is_followed(monkeypatch):
    """Software rendering follows a sun that moves a few times a second only; not here."""
    monkeypatch.setattr("sim.render.passes.atmosphere.PAUSE", 0.0)


@pytest.fixture
def pilot(tmp_path):
    with run(tmp_path) as made:
        yield made


def run(root: Path, **level: Any) -> Pilot:
    made = Pilot(scene=scene(root, **level), quality="medium", panels=False, speed=1.0, window=SIZE)
    made.app.clock.frame_step = 1 / 30
    return made


def picture(pilot: Pilot, name: str) -> np.ndarray:
    width, height = SIZE
    image = pilot.app.scene.camera.image(width=width, height=height, camera=name)
    return np.asarray(image[:, :, ::-1].astype(int))


def is_blue(part: np.ndarray) -> bool:
    return bool((part[..., 0] > 1.3 * part[..., 1]).all())


def is_green(part: np.ndarray) -> bool:
    return bool((part[..., 1] > 1.3 * part[..., 0]).all())


def test_every_camera_has_its_own_horizon(pilot):
    level, rolled, above = (picture(pilot, name) for name in ("Level", "Rolled", "Above"))
    width, height = SIZE
    assert is_blue(level[: height // 2 - 3])
    assert is_green(level[height // 2 + 30 :, : width // 5])
    assert is_green(rolled[:40, : width // 2 - 30]) != is_green(rolled[:40, width // 2 + 30 :])
    assert is_blue(rolled[:40, : width // 2 - 30]) != is_blue(rolled[:40, width // 2 + 30 :])
    assert is_green(above[:5])
    pilot.app.scene.find("Sun").components[1].enabled = False
    studio = picture(pilot, "Level")
    assert not is_blue(studio[: height // 2 - 3]), "without a Sky it is the studio again"


def test_a_picture_shows_what_the_main_view_shows(pilot):
    pilot.step(10)
    block = pilot.app.scene.find("Block")
    for _ in range(3):
        block.transform.translate((-0.5, 0.0, 0.0))  # what moves throws its shadow, too
        pilot.step()
        shown = pilot.picture().astype(int)
        assert np.abs(picture(pilot, "Main") - shown).mean() < 1.0
    block.transform.translate((-1.0, 0.0, 0.0))
    before = picture(pilot, "Main")  # taken before it is drawn in the window
    assert np.abs(before - pilot.picture()).mean() < 1.0


def test_no_shadow_stays_where_something_moved_from(pilot):
    pilot.step()
    block = pilot.app.scene.find("Block")

    def at(point: tuple[float, float, float]) -> float:
        """How bright the floor is there, seen from above, where y is up."""
        image = picture(pilot, "Above")
        focus = SIZE[1] / 2 / np.tan(np.radians(20.0))
        column = SIZE[0] / 2 + point[0] / 12.0 * focus
        row = SIZE[1] / 2 - point[1] / 12.0 * focus
        return float(image[round(row), round(column)].mean())

    pilot.app.scene.find("Sun").transform.position = (6.0, 0.0, 6.0)  # thrown to the left
    pilot.step(2)
    lit = at((-2.0, 0.0, 0.0))
    assert at((0.0, 0.0, 0.0)) < 0.8 * lit
    block.transform.position = (0.0, 0.0, 2.0)
    pilot.step()
    assert at((-2.0, 0.0, 0.0)) < 0.8 * lit
    block.material = {"color": [1, 1, 1], "opacity": 0.99}
    block.visible = False
    pilot.step()
    assert at((-2.0, 0.0, 0.0)) == pytest.approx(lit, abs=3.0)


def test_a_view_over_the_main_one_has_the_sky_and_follows_it(tmp_path):
    with run(tmp_path, viewport=[0.5, 0.0, 0.5, 0.5]) as pilot:
        inset = pilot.picture()[4:50, 210:390]
        assert is_blue(inset)
        pilot.app.scene.find("Sun").get("Sky").zenith = (0.1, 0.8, 0.1)
        pilot.app.scene.find("Sun").get("Sky").horizon = (0.1, 0.8, 0.1)
        assert is_green(pilot.picture()[4:50, 210:390])


def test_a_shadow_looks_alike_while_its_object_moves_and_when_it_rests(pilot):
    block = pilot.app.scene.find("Block")
    pilot.app.display.image()  # copied to memory from now on
    for _ in range(2):
        block.transform.translate((-0.2, 0.0, 0.0))
        pilot.step()
    view = pilot.app.view
    assert view._resting.moving
    moving = pilot.app.display.image().astype(int)
    pilot.wait_until(lambda: not view._resting.moving)
    pilot.step(2)
    resting = pilot.app.display.image().astype(int)
    is_shadow = (resting[..., 0] > resting[..., 2] + 60) & (np.arange(SIZE[1])[:, None] > 150)
    assert 100 < is_shadow.sum() < 3000
    differs = np.abs(moving - resting).max(axis=2) > 12
    assert (differs & is_shadow).sum() < 0.15 * is_shadow.sum()


def test_nothing_is_drawn_at_rest_under_a_standing_sun(pilot):
    scene, view = pilot.app.scene, pilot.app.view
    scene.find("Sun").add("sim:DayLight", hour=15.0)
    scene.find("Floor").add("sim:RigidBody", kind="static")
    scene.find("Block").transform.position = (2.0, 0.0, 0.55)
    scene.find("Block").add("sim:RigidBody", restitution=0.0)
    pilot.app.clock.frame_step = 1 / 60
    pilot.step(50)
    assert scene.physics._bodies[scene.find("Block").components[0].id].node.is_active()
    pilot.app.clock.pause()
    pilot.wait_until(lambda: not view._resting.moving)
    pilot.step(2)
    pilot.app.clock.resume()
    before = (view.full_draws, view.partial_draws)
    pilot.step(40)
    assert (view.full_draws, view.partial_draws) == before


def test_a_model_from_a_file_is_seen_under_thrown_shadows_and_rests(tmp_path):
    path = scene(tmp_path)
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "strip.glb").write_bytes(small_glb())
    data = json.loads(path.read_text())
    data["objects"]["obj_strip"] = {
        "name": "Strip", "position": [0, 0, 2], "rotation": [0, 90, 0], "scale": [2, 2, 2],
        "model": {"asset": "assets/strip.glb"},
    }  # fmt: skip
    path.write_text(json.dumps(data))
    options = {"scene": path, "quality": "low", "panels": False, "speed": 1.0, "window": SIZE}
    with Pilot(**options) as first:  # imported once, so that it is there at once the next time
        first.wait_until(lambda: first.app.scene.find("Strip").animation.is_ready)
    with Pilot(**options) as pilot:
        pilot.app.clock.frame_step = 1 / 30
        view = pilot.app.view
        pilot.wait_until(lambda: view._views["obj_strip"].figure is not None, frames=600)
        pilot.wait_until(lambda: not view._resting.moving)
        pilot.step(3)
        before = (view.full_draws, view.partial_draws)
        pilot.step(30)
        assert (view.full_draws, view.partial_draws) == before
