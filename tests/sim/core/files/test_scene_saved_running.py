"""A scene that scripts changed while it ran is saved as it was authored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from base.errors import SceneFileError
from sim.core.files import scene_file
from sim.core.files.scene_file import dumps
from sim.core.scene.scene_data import scene_data
from tests.sim.core.files.scene_files import SCENES, built, prefab_scene, write


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.name)
def test_a_shipped_scene_is_saved_as_it_was_authored(path: Path) -> None:
    assert dumps(scene_data(built(path))) == path.read_bytes()


def test_only_what_changed_is_written_anew(tmp_path: Path) -> None:
    entry = {"name": "A", "position": [0, 0, 0], "rotation": [90, 0, 0], "material": {}}
    path = prefab_scene(tmp_path, {"obj_one": entry})
    scene = built(path)
    obj = scene.objects["obj_one"]
    obj.transform.position = (1.5, 0.0, 0.0)
    obj.material["color"] = [1, 0, 0]
    new = scene_data(scene)["objects"]["obj_one"]
    assert new == {**entry, "position": [1.5, 0.0, 0.0], "material": {"color": [1, 0, 0]}}


def test_an_instance_stays_one_and_its_changes_are_overrides(tmp_path: Path) -> None:
    one = {"prefab": "lamp.prefab.json", "overrides": {"cmp_light/power": 9}, "order": 3}
    path = prefab_scene(tmp_path, {"obj_one": one, "obj_two": {"prefab": "lamp.prefab.json"}})
    scene = built(path)
    assert scene_data(scene)["objects"] == json.loads(path.read_text())["objects"]
    for obj in scene.objects.values():
        obj.components[0].set_value("power", 4)
    scene.attach(scene.objects["obj_two"], "scripts.a:B", {"x": 1}, "cmp_extra")
    saved = scene_data(scene)["objects"]
    assert saved["obj_one"] == {**one, "overrides": {"cmp_light/power": 4}}
    assert saved["obj_two"]["prefab"] == "lamp.prefab.json"
    assert saved["obj_two"]["overrides"] == {"cmp_light/power": 4}
    assert set(saved["obj_two"]["components"]) == {"cmp_extra"}
    path.write_bytes(dumps(scene_data(scene)))
    again = built(path)
    assert [slot.values["power"] for obj in again.objects.values() for slot in obj.components
            if "power" in slot.values] == [4, 4]  # fmt: skip


def test_a_reference_to_what_is_gone_is_saved_as_null(tmp_path: Path) -> None:
    parts = {"cmp_aaa": {"type": "scripts.a:A", "fields": {
        "there": {"$ref": "obj_two"}, "gone": {"$ref": "obj_three"},
        "both": [{"$ref": "obj_two"}, {"$ref": "obj_three"}]}}}  # fmt: skip
    objects = {"obj_one": {"name": "A", "components": parts},
               "obj_two": {"name": "B"}, "obj_three": {"name": "C"}}  # fmt: skip
    scene = built(prefab_scene(tmp_path, objects))
    scene.objects["obj_three"].destroy()
    assert scene.find("C") is None
    saved = scene_data(scene)["objects"]
    assert set(saved) == {"obj_one", "obj_two"}
    assert saved["obj_one"]["components"]["cmp_aaa"]["fields"] == {
        "there": {"$ref": "obj_two"}, "gone": None, "both": [{"$ref": "obj_two"}, None],
    }  # fmt: skip


def test_prefabs_are_instantiated_while_it_runs(tmp_path: Path) -> None:
    scene = built(prefab_scene(tmp_path, {"obj_one": {"prefab": "lamp.prefab.json"}}))
    scene.project = tmp_path
    made = [scene.instantiate("lamp.prefab.json", position=(i, 0, 0), name="L") for i in (1, 2)]
    assert len({slot.id for obj in scene.objects.values() for slot in obj.components}) == 3 * len(
        made[0].components
    )
    saved = scene_data(scene)["objects"][made[1].id]
    assert saved["prefab"] == "lamp.prefab.json"
    assert saved["position"] == [2.0, 0.0, 0.0]
    with pytest.raises(SceneFileError, match="expected a path inside the project"):
        scene.instantiate("../lamp.prefab.json")
    with pytest.raises(SceneFileError, match="a file of the project"):
        scene.instantiate("other.prefab.json")


def test_an_instance_made_while_it_runs_is_read_as_it_was(tmp_path: Path) -> None:
    path = prefab_scene(tmp_path, {"obj_one": {"name": "A"}, "obj_two": {"name": "B"}})
    scene = built(path)
    above = scene.objects["obj_one"]
    made = [scene.instantiate("lamp.prefab.json", parent=above, name=name) for name in "xyz"]
    again = built(write(tmp_path, dumps(scene_data(scene)).decode()))
    assert [child.name for child in again.objects["obj_one"].children] == ["x", "y", "z"]
    for obj in made:
        parts = again.objects[obj.id].components
        assert [part.id for part in parts] == [part.id for part in obj.components]
        assert [part.values for part in parts] == [part.values for part in obj.components]


def test_a_prefab_component_that_is_switched_stays_one(tmp_path: Path) -> None:
    scene = built(prefab_scene(tmp_path, {"obj_one": {"prefab": "lamp.prefab.json"}}))
    scene.objects["obj_one"].components[0].enabled = False
    saved = dumps(scene_data(scene))
    again = built(write(tmp_path, saved.decode()))
    assert [part.enabled for part in again.objects["obj_one"].components] == [False, True]
    assert dumps(scene_data(again)) == saved
    again.objects["obj_one"].components[0].enabled = True
    last = built(write(tmp_path, dumps(scene_data(again)).decode()))
    assert [part.enabled for part in last.objects["obj_one"].components] == [True, True]


def test_components_of_instances_are_referred_to_until_they_are_gone(tmp_path: Path) -> None:
    objects = {
        "obj_lamp": {"prefab": "lamp.prefab.json", "overrides": {
            "cmp_switch/light": {"$ref": "obj_two"}}},
        "obj_two": {"name": "B", "components": {"cmp_own": {"type": "scripts.a:A"}}},
        "obj_user": {"name": "C", "components": {"cmp_user": {"type": "scripts.a:A", "fields": {}}}},
    }  # fmt: skip
    scene = built(prefab_scene(tmp_path, objects))
    light, user = scene.objects["obj_lamp"].components[0], scene.component("cmp_user")
    assert user is not None
    user.set_value("one", {"$ref": light.id})
    user.set_value("two", {"$ref": "cmp_own"})
    path = write(tmp_path, dumps(scene_data(scene)).decode())
    assert scene_file.check(path) == []
    scene.objects["obj_two"].destroy()
    scene.spawn("late", parent=scene.objects["obj_two"])
    for _ in range(2):  # before and after the flush
        saved = scene_data(scene)["objects"]
        assert set(saved) == {"obj_lamp", "obj_user"}
        fields = saved["obj_user"]["components"]["cmp_user"]["fields"]
        assert fields == {"one": {"$ref": light.id}, "two": None}
        assert saved["obj_lamp"]["overrides"] == {"cmp_switch/light": None}
        scene.flush()


def test_a_texture_may_be_a_map(tmp_path: Path) -> None:
    (tmp_path / "wood.png").write_bytes(b"x")
    entry = {"name": "A", "texture": {"asset": "wood.png"}}
    scene = built(prefab_scene(tmp_path, {"obj_one": entry}))
    obj = scene.objects["obj_one"]
    assert obj.texture == "wood.png"
    assert scene_data(scene)["objects"]["obj_one"] == entry
    obj.texture = {"asset": "other.png"}
    assert scene_data(scene)["objects"]["obj_one"]["texture"] == "other.png"
    obj.texture = None
    assert scene_data(scene)["objects"]["obj_one"]["texture"] is None
    with pytest.raises(SceneFileError, match=r"obj_one:texture.asset: expected a file"):
        built(prefab_scene(tmp_path, {"obj_one": {"name": "A", "texture": {"asset": "no.png"}}}))


def test_a_texture_is_a_file_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "wood.png").write_bytes(b"x")
    path = prefab_scene(tmp_path, {"obj_one": {"name": "A", "texture": "wood.png"}})
    scene = built(path)
    assert scene.objects["obj_one"].texture == "wood.png"
    assert scene_data(scene)["objects"]["obj_one"]["texture"] == "wood.png"
    for wrong, expected in ((3, "a path"), ("no.png", "a file"), ("../a.png", "inside")):
        path = prefab_scene(tmp_path, {"obj_one": {"name": "A", "texture": wrong}})
        with pytest.raises(
            SceneFileError, match=f"obj_one:texture: expected {expected}|{expected}"
        ):
            scene_file.load(path)


def test_what_scripts_make_has_the_same_ids_each_time(tmp_path: Path) -> None:
    path = prefab_scene(tmp_path, {"obj_one": {"name": "A"}})
    made = []
    for _ in range(2):
        scene = built(path)
        obj = scene.spawn("B", components=[("scripts.a:A", {})])
        made.append((obj.id, obj.components[0].id, scene.spawn("C").id))
    assert made[0] == made[1]
    assert len(set(made[0])) == 3
