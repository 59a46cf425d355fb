"""What a window shows of files that are missing: magenta boxes, labels, and where to mend them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sim.core.files.scene_file import load
from sim.render.view.placeholders import DARK, MAGENTA, name_plate, size_of_box
from sim.testing import Pilot
from sim.ui.shell.marks import label_of_missing

OBJECTS = {
    "obj_lamp": {"name": "Lamp", "model": {"asset": "assets/lamp.glb"}},
    "obj_tiny": {
        "name": "Tiny", "model": {"asset": "assets/tiny.fbx"}, "scale": [0.001, 0.001, 0.001],
        "position": [1.5, 0, 0],
    },
    "obj_wall": {
        "name": "Wall", "model": {"builtin": "box", "size": 1}, "texture": "assets/wall.png",
        "position": [-2, 0, 0],
    },
}  # fmt: skip


@pytest.fixture
def pilot(tmp_path, monkeypatch):
    (tmp_path / "scenes").mkdir()
    (tmp_path / "assets").mkdir()
    scene = tmp_path / "scenes" / "a.scene.json"
    data = {"format": "goishi.scene/1", "id": "scn_missing", "objects": OBJECTS}
    scene.write_text(json.dumps(data))
    monkeypatch.setattr(
        "sim.app.app.load",
        lambda path, *, project, **_: load(path, project=project, allows_missing=True),
    )
    with Pilot(scene=scene, speed=1.0, quality="low") as made:
        made.app.shell.preferences.arrange("studio")
        made.step(3)
        made.app.world.assets.poll(30.0)
        made.picture()
        yield made


def share_of(picture, x, y):
    """How much of the picture around a pixel is of the placeholder's colours."""
    part = picture[int(y) - 12 : int(y) + 12, int(x) - 8 : int(x) + 8, :3].astype(int)
    is_magenta = (part[..., 0] - part[..., 1] > 60) & (part[..., 2] - part[..., 1] > 60)
    return float(is_magenta.mean())


def test_placeholders_are_seen_named_and_mended(pilot):
    app, scene = pilot.app, pilot.app.scene
    for obj in scene.objects.values():
        above = 0.0 if obj.name == "Wall" else 0.2
        place = np.add(obj.transform.world_position, (0.0, 0.0, above))
        assert share_of(pilot.picture(), *pilot.pixel_of(place)) > 0.4, obj.name
    assert {label_of_missing(obj) for obj in app.view.marked} == {
        "Lamp: assets/lamp.glb", "Tiny: assets/tiny.fbx", "Wall: assets/wall.png",
    }  # fmt: skip
    assert size_of_box(scene.find("Tiny")) == pytest.approx((300.0, 300.0, 300.0))
    lines = [record.text for record in app.console.records if record.level == "error"]
    assert len(lines) == 3
    studio = app.shell.studio
    for obj in scene.objects.values():
        studio.selection.choose(obj)
        pilot.draw_panels(3)
        assert not studio.inspector.form.has_file(obj.missing_file)
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
    (scene.project / "assets" / "lamp.obj").write_text(corners)
    app.editor.set_model(scene.find("Lamp"), {"asset": "assets/lamp.obj"})
    app.editor.set_texture(scene.find("Wall"), None)
    pilot.step(2)
    app.world.assets.poll(60.0)
    pilot.step(3)
    assert [obj.name for obj in app.view.marked] == ["Tiny"]
    assert len([record for record in app.console.records if record.level == "error"]) == 3


def test_the_name_is_written_on_the_box(pilot):
    plain, named = (name_plate(name, pilot.app.scene.painter) for name in (" ", "A street lamp"))
    assert np.unique(plain.reshape(-1, 3), axis=0).tolist() == sorted(map(list, (DARK, MAGENTA)))
    assert (plain != named).any(axis=2).mean() > 0.05
