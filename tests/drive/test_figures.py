"""Models from files in the picture: a box until they are there, clips, no stall, nothing at rest."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim.core.assets.assets import AssetState
from sim.render.models import figures
from sim.testing import Pilot
from tests.sim.render.importing.fbx_files import write
from tests.sim.render.importing.test_fbx import arm

CAMERA = {"position": [0, -8, 1], "components": {
    "cmp_camera": {"type": "sim:Camera", "fields": {"target": [1, 0, 0]}}}}  # fmt: skip
SUN = {"position": [-4, -8, 6], "components": {"cmp_sun": {"type": "sim:Light", "fields": {}}}}


def project(root: Path, path: str = "assets/arm.fbx", **keys: Any) -> Path:
    (root / "assets").mkdir(exist_ok=True)
    (root / "scenes").mkdir(exist_ok=True)
    (root / "assets" / "arm.fbx").write_bytes(write(arm(), 7400))
    (root / "assets" / "broken.fbx").write_bytes(b"hello")
    objects = {
        "obj_camera": {"name": "Camera", **CAMERA},
        "obj_sun": {"name": "Sun", **SUN},
        "obj_arm": {"name": "Arm", "model": {"asset": path}, **keys},
    }
    scene = root / "scenes" / "a.scene.json"
    data = {"format": "goishi.scene/1", "id": "scn_figures", "objects": objects}
    scene.write_text(json.dumps(data), encoding="utf-8")
    return scene


def drawn(pilot: Pilot) -> np.ndarray:
    """Return at which pixels the arm, or what stands for it, is seen."""
    picture = pilot.picture().astype(int)
    pilot.app.scene.find("Arm").visible = False
    pilot.step()
    empty = pilot.picture().astype(int)
    pilot.app.scene.find("Arm").visible = True
    pilot.step()
    return np.asarray(np.abs(picture - empty).max(axis=2) > 20)


def wait_for_models(pilot: Pilot) -> None:
    library = pilot.app.world.assets
    pilot.wait_until(
        lambda: all(asset.state is not AssetState.LOADING for asset in library._assets.values())
    )
    pilot.step(3)


def test_a_box_stands_for_a_model_until_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "BOX_SECONDS", 0.0)
    gate, read = threading.Event(), figures.read_figure
    monkeypatch.setattr(figures, "read_figure", lambda folder: gate.wait(60.0) and read(folder))
    with Pilot(scene=project(tmp_path), panels=False, speed=1.0, window=(640, 360)) as pilot:
        pilot.step(2)
        x, y = (int(value) for value in pilot.pixel_of((0.0, 0.0, 0.0)))
        assert drawn(pilot)[y, x]
        far, high = (int(value) for value in pilot.pixel_of((1.7, 0.0, 0.0)))
        assert not drawn(pilot)[high, far]
        gate.set()
        wait_for_models(pilot)
        assert drawn(pilot)[high, far]
        assert pilot.app.console.counts["error"] == 0


def test_a_clip_moves_what_is_seen_and_what_is_picked(tmp_path: Path) -> None:
    with Pilot(scene=project(tmp_path), panels=False, speed=1.0, window=(640, 360)) as pilot:
        wait_for_models(pilot)
        obj = pilot.app.scene.find("Arm")
        obj.animation.pose("bend", time=1.0)
        pilot.step(2)
        up = [int(value) for value in pilot.pixel_of((1.0, 0.0, 0.8))]
        across = [int(value) for value in pilot.pixel_of((1.8, 0.0, 0.0))]
        picture = drawn(pilot)
        assert picture[up[1], up[0]]
        assert not picture[across[1], across[0]]
        assert pilot.app.view.pick(*up) == "obj_arm"
        assert pilot.app.view.pick(*across) is None


def test_at_rest_nothing_is_drawn_and_a_rate_draws_no_more_often(tmp_path: Path) -> None:
    with Pilot(scene=project(tmp_path), panels=False, speed=1.0, window=(640, 360)) as pilot:
        wait_for_models(pilot)
        app = pilot.app
        app.clock.frame_step = 1 / 60
        animation = app.scene.find("Arm").animation
        animation.play("bend", blend=0.0)
        animation.rate = 10.0
        pilot.step(15)
        full, before = app.view.full_draws, app.frame_stats.drawn
        pilot.step(60)
        assert 8 <= app.frame_stats.drawn - before <= 12
        assert app.view.full_draws == full
        animation.stop()
        end = time.monotonic() + 20.0
        while app.view._resting.moving and time.monotonic() < end:
            pilot.step()
        pilot.step(3)
        before = app.frame_stats.drawn
        pilot.step(30)
        assert app.frame_stats.drawn == before


def test_taking_over_a_loaded_model_is_short(tmp_path: Path) -> None:
    with Pilot(scene=project(tmp_path), panels=False, speed=1.0, window=(640, 360)) as pilot:
        wait_for_models(pilot)
        view, spent = pilot.app.view, []
        for number in range(8):  # more objects with the same model, as when a scene starts
            pilot.app.scene.spawn(f"Arm{number}", model={"asset": "assets/arm.fbx"})
            begun = time.process_time()
            view.sync()
            spent.append(time.process_time() - begun)
        assert min(spent) < 0.02  # of one frame; the least, since the machine does other things


def test_a_broken_model_is_one_error_and_a_magenta_box(tmp_path: Path) -> None:
    with Pilot(
        scene=project(tmp_path, "assets/broken.fbx"), panels=False, speed=1.0, window=(640, 360)
    ) as pilot:
        pilot.app.scene.spawn("Twin", model={"asset": "assets/broken.fbx"}, position=(2, 0, 0))
        pilot.step()
        wait_for_models(pilot)
        pilot.step(5)
        assert pilot.app.console.counts["error"] == 1
        x, y = (int(value) for value in pilot.pixel_of((0.0, 0.0, 0.0)))
        blue, green, red = pilot.picture()[y, x].tolist()
        assert red > green + 40
        assert blue > green + 40


def test_the_material_of_the_object_goes_over_the_files(tmp_path: Path) -> None:
    with Pilot(scene=project(tmp_path, material={"color": [1.0, 0.0, 0.0]}), panels=False) as pilot:
        wait_for_models(pilot)
        x, y = (int(value) for value in pilot.pixel_of((0.5, 0.0, 0.0)))
        blue, green, red = pilot.picture()[y, x].tolist()
        assert red > green + 30
        assert red > blue + 30


def test_without_graphics_clips_run_all_the_same(tmp_path: Path) -> None:
    with Pilot(scene=project(tmp_path), graphics=False, speed=1.0) as pilot:
        animation = pilot.app.scene.find("Arm").animation
        wait_for_models(pilot)
        pilot.app.clock.frame_step = 0.1
        animation.play("bend", loop=False, blend=0.0)
        pilot.step(12)
        place = np.asarray(animation.joint("Lower"))
        assert place[3, :3] == pytest.approx([1, 0, 0], abs=1e-5)
        assert place[0, :3] == pytest.approx([0, 0, 1], abs=1e-5)


def test_a_clip_goes_on_while_its_object_is_hidden(tmp_path: Path) -> None:
    with Pilot(scene=project(tmp_path), panels=False, speed=1.0, window=(640, 360)) as pilot:
        pilot.app.clock.frame_step = 0.05
        wait_for_models(pilot)
        arm = pilot.app.scene.find("Arm")
        arm.animation.play("bend", loop=False, blend=0.0)
        pilot.step(2)
        early = pilot.picture().astype(int)
        arm.visible = False
        pilot.step(10)
        assert arm.animation.time > 0.5
        assert "Arm" not in {obj.name for obj in shown(pilot)}
        arm.visible = True
        pilot.step(1)
        late = pilot.picture().astype(int)
        assert np.abs(late - early).max() > 60, "not where it was hidden"
        figure = pilot.app.view._views[arm.id].figure
        assert figure is not None
        assert figure.revision == arm.animation.revision


def shown(pilot: Pilot) -> list[Any]:
    return [pilot.app.scene.get(key) for key in pilot.app.view._views]


def test_a_bone_is_driven_and_carries_an_object_in_the_picture(tmp_path: Path) -> None:
    with Pilot(scene=project(tmp_path), panels=False, speed=1.0, window=(640, 360)) as pilot:
        wait_for_models(pilot)
        scene, arm = pilot.app.scene, pilot.app.scene.find("Arm")
        cup = scene.spawn("Cup", model={"builtin": "box", "size": [0.3, 0.3, 0.3]})
        cup.material = {"color": [0.0, 1.0, 0.0], "unlit": True}
        arm.animation.attach(cup, "Lower", offset=(0.0, 0.0, 0.0))
        pilot.step(2)
        before = np.array(cup.transform.world_position)
        arm.animation.drive("Upper", (0.0, 0.0, 60.0))
        pilot.step(2)
        after = np.array(cup.transform.world_position)
        assert np.linalg.norm(after - before) > 0.3
        x, y = pilot.pixel_of(after)
        blue, green, red = pilot.picture()[round(y), round(x)].astype(int)
        assert green > 200 > 100 > max(blue, red)
        cup.material["color"][1] = 0.0
        cup.material["color"][0] = 1.0
        blue, green, red = pilot.picture()[round(y), round(x)].astype(int)
        assert red > 200 > 100 > max(blue, green)


def cloud_file() -> bytes:
    """Return a wall of points, 2 by 2 metres: red on the left, blue on the right."""
    side = np.linspace(-1.0, 1.0, 101)
    x, z = (item.ravel() for item in np.meshgrid(side + 1.0, side))
    kind = np.dtype([("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("ink", "u1", 3)])
    rows = np.zeros(len(x), dtype=kind)
    rows["x"], rows["z"] = x, z
    rows["ink"] = np.where((x < 1.0)[:, None], (200, 40, 40), (40, 40, 200))
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(x)}\n"
    head += "".join(f"property float {name}\n" for name in "xyz")
    head += "".join(f"property uchar {name}\n" for name in ("red", "green", "blue"))
    return head.encode() + b"end_header\n" + rows.tobytes()


def test_a_point_cloud_from_a_file_is_seen_in_its_colours(tmp_path: Path) -> None:
    scene = project(tmp_path, "assets/cloud.ply")
    (tmp_path / "assets" / "cloud.ply").write_bytes(cloud_file())
    with Pilot(scene=scene, panels=False, speed=1.0, window=(640, 360)) as pilot:
        wait_for_models(pilot)
        picture = pilot.picture().astype(int)
        for place, color in (((0.5, 0.0, 0.5), (200, 40, 40)), ((1.5, 0.0, -0.5), (40, 40, 200))):
            x, y = (int(value) for value in pilot.pixel_of(place))
            found = np.median(picture[y - 4 : y + 5, x - 4 : x + 5, 2::-1].reshape(-1, 3), axis=0)
            assert np.abs(found - color).max() <= 20, (place, found)
        cloud = pilot.app.scene.find("Arm")
        assert np.allclose(cloud.bounds.size, (2.0, 0.0, 2.0), atol=1e-5)
        assert pilot.app.scene.ray_cast((0.5, -5.0, 0.5), (0.0, 1.0, 0.0)) is None
        wide = drawn(pilot).sum()
        cloud.transform.scale = (0.5, 0.5, 0.5)
        pilot.step(2)
        assert 0.15 < drawn(pilot).sum() / wide < 0.35, "smaller as a whole, without gaps"
