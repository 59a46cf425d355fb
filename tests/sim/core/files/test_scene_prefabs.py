"""Prefabs in scene files: instances, overrides, what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from base.errors import SceneFileError
from sim.core.files import scene_file
from sim.core.files.scene_checker import instance_id
from sim.core.files.scene_file import dumps
from sim.core.scene.scene_data import scene_data
from tests.sim.core.files.scene_files import PREFAB, built, prefab_scene, write


def test_a_prefab_is_built_with_the_overrides_over_its_fields(tmp_path: Path) -> None:
    entry = {
        "prefab": "lamp.prefab.json",
        "position": [1, 0, 0],
        "overrides": {"cmp_light/power": 5, "cmp_light/new": "n", "cmp_gone/x": 1},
        "components": {"cmp_own": {"type": "sim:Text"}},
    }
    scene = built(prefab_scene(tmp_path, {"obj_one": entry}))
    obj = scene.objects["obj_one"]
    assert (obj.name, obj.transform.scale.tolist()) == ("Lamp", [2, 2, 2])
    assert obj.transform.position.tolist() == [1, 0, 0]
    assert [slot.id for slot in obj.components] == [
        instance_id("obj_one", "cmp_light"), instance_id("obj_one", "cmp_switch"), "cmp_own",
    ]  # fmt: skip
    assert obj.components[0].values == {"kind": "point", "power": 5, "new": "n"}


def test_one_prefab_in_several_objects_stays_apart(tmp_path: Path) -> None:
    one = {"prefab": "lamp.prefab.json", "overrides": {"cmp_light/power": 9}}
    path = prefab_scene(tmp_path, {"obj_one": one, "obj_two": {"prefab": "lamp.prefab.json"}})
    scene = built(path)
    slots = scene.components()
    assert len({slot.id for slot in slots}) == 4
    assert [slot.values["power"] for slot in slots if slot.type_name == "sim:Light"] == [9, 1]
    for obj in scene.roots:
        light, switch = obj.components
        assert switch.values["light"] == {"$ref": light.id}
    assert [slot.id for slot in built(path).components()] == [slot.id for slot in slots]
    saved = write(tmp_path, dumps(scene_data(scene)).decode(), "b.scene.json")
    assert scene_file.check(saved) == []


@pytest.mark.parametrize(
    ("prefab", "message"),
    [
        ({**PREFAB, "prefab": "lamp.prefab.json"}, "lamp.prefab.json::prefab: expected no prefab"),
        ({**PREFAB, "format": 1}, "lamp.prefab.json::format: expected 'goishi.prefab/1', found 1"),
        ({**PREFAB, "scale": [1]}, "lamp.prefab.json::scale: expected three finite numbers"),
        (
            {
                **PREFAB,
                "components": {"cmp_aaa": {"type": "sim:A", "fields": {"a": {"$asset": "../x"}}}},
            },
            "lamp.prefab.json::cmp_aaa.fields.a: expected a path inside the project",
        ),
    ],
)  # fmt: skip
def test_an_unsound_prefab_is_refused(tmp_path: Path, prefab: Any, message: str) -> None:
    path = prefab_scene(tmp_path, {"obj_one": {"prefab": "lamp.prefab.json"}}, prefab)
    with pytest.raises(SceneFileError) as caught:
        scene_file.load(path)
    assert str(caught.value).startswith(message)
