"""Files that objects name and that are missing: refused, but for a window, which keeps the paths."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from base.errors import SceneFileError
from sim.core.editing import Editor
from sim.core.files.scene_file import check, load
from tests.sim.core.stage import thing

OBJECTS = {
    "obj_lamp": thing("Lamp", {}, model={"asset": "assets/lamp.glb", "clips": ["assets/wave.glb"]}),
    "obj_wall": thing("Wall", {}, model={"builtin": "box"}, texture="assets/bricks.png"),
    "obj_frame": thing("Frame", {"cmp_frame": ("scripts.frame:Frame", {"picture": {"$asset": "assets/a.png"}})}),
}  # fmt: skip
KEYS = {
    ("obj_lamp", "model.asset", "assets/lamp.glb"),
    ("obj_lamp", "model.clips", "assets/wave.glb"),
    ("obj_wall", "texture", "assets/bricks.png"),
    ("obj_frame", "cmp_frame.fields.picture", "assets/a.png"),
}


def write(stage, objects) -> Path:
    scene = stage.root / "scenes" / "a.scene.json"
    data = {"format": "goishi.scene/1", "id": "scn_missing", "settings": {}, "objects": objects}
    scene.write_text(json.dumps(data), encoding="utf-8")
    return scene


def test_a_run_without_a_window_and_check_refuse_what_is_missing(stage):
    scene = write(stage, OBJECTS)
    with pytest.raises(SceneFileError, match=r"obj_lamp:model\.asset: expected a file of the proj"):
        load(scene)
    assert len(check(scene)) == len(KEYS)
    with pytest.raises(SceneFileError, match="lamp"):
        stage.open(OBJECTS)


def test_a_window_gets_a_list_of_what_is_missing(stage):
    document = load(write(stage, OBJECTS), allows_missing=True)
    assert {(file.object_id, file.key, file.path) for file in document.missing} == KEYS


@pytest.mark.parametrize(
    "entry",
    [
        {"name": "A", "model": {"asset": "../a.glb"}},
        {"name": "A", "model": {"asset": 3}},
        {"prefab": "assets/none.prefab.json"},
        {"name": "A", "texture": "/etc/passwd"},
    ],
)
def test_what_is_wrong_in_other_ways_is_refused_in_a_window_too(stage, entry):
    with pytest.raises(SceneFileError):
        load(write(stage, {"obj_one": entry}), allows_missing=True)


def test_what_a_prefab_lacks_is_told_of_its_instance(stage):
    (stage.root / "assets").mkdir()
    prefab = {"format": "goishi.prefab/1", "name": "P", "model": {"asset": "assets/no.glb"}}
    (stage.root / "assets" / "p.prefab.json").write_text(json.dumps(prefab))
    scene = write(stage, {"obj_one": {"prefab": "assets/p.prefab.json"}})
    (file,) = load(scene, allows_missing=True).missing
    assert (file.object_id, file.key, file.path) == ("obj_one", "model.asset", "assets/no.glb")
    with pytest.raises(SceneFileError):
        load(scene)


@pytest.fixture
def in_a_window(monkeypatch):
    """Open scenes as a window does, without one."""
    monkeypatch.setattr(
        "sim.app.app.load",
        lambda path, *, project, **_: load(path, project=project, allows_missing=True),
    )


def test_each_is_one_line_with_object_field_and_file_and_saving_keeps_the_path(stage, in_a_window):
    stage.script("frame", "class Frame(Script):\n    picture: Asset = field('')\n")
    stage.open(OBJECTS)
    stage.frames(3)
    stage.app.world.assets.poll(5.0)
    lines = stage.lines()
    assert len(lines) == len(KEYS)
    assert (
        "Lamp: model.asset: expected a file of the project, found no assets/lamp.glb; "
        "a placeholder stands there" in lines
    )
    assert any("Frame: Frame.picture: " in line and "assets/a.png" in line for line in lines)
    scene = stage.root / "scenes" / "a.scene.json"
    before = json.loads(scene.read_text())["objects"]
    editor = Editor(stage.app.scene, stage.app.console)
    editor.rename(stage.app.scene.find("Wall"), "Old wall")
    editor.save(scene)
    after = json.loads(scene.read_text())["objects"]
    assert after["obj_lamp"] == before["obj_lamp"]
    assert after["obj_frame"] == before["obj_frame"]
    assert after["obj_wall"]["texture"] == "assets/bricks.png"


def test_it_is_mended_by_another_file_or_by_the_file(stage, in_a_window):
    body = {"cmp_body": ("sim:RigidBody", {})}
    stage.open(
        {"obj_rock": thing("Rock", body, model={"asset": "assets/rock.obj"}, position=[0, 0, 9])}
    )
    stage.frames(5)
    scene = stage.app.scene
    rock = scene.find("Rock")
    assert rock.missing_file == "assets/rock.obj"
    assert rock.transform.position[2] == 9.0, "it has no shape yet, and is not set aside"
    assert len(stage.lines()) == 1
    (stage.root / "assets").mkdir(exist_ok=True)
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    for name in ("other.obj", "rock.obj"):
        (stage.root / "assets" / name).write_text(corners)
    editor = Editor(scene, stage.app.console)
    editor.set_model(rock, {"asset": "assets/other.obj"})
    assert rock.missing_file == ""
    stage.frames(2)
    stage.app.world.assets.poll(60.0)
    stage.frames(20)
    assert rock.transform.position[2] < 8.9, "it falls"
    editor.undo()
    assert rock.missing_file == "assets/rock.obj"
    stage.app.world.asset_reloader.reload(stage.root / "assets" / "rock.obj")
    assert rock.missing_file == ""
    assert len(stage.lines()) == 1


def test_a_model_that_a_script_names_says_which_object_shows_it(stage):
    stage.open({"obj_one": thing("One", {})})
    scene = stage.app.scene
    scene.find("One").model = {"asset": "assets/none.glb"}
    stage.app.world.assets.get("assets/none.glb")
    stage.app.world.assets.poll(60.0)
    (line,) = stage.lines()
    assert line.startswith("One: model.asset: assets/none.glb: expected a file of the project")
