"""Instances of prefabs: what differs, and how it becomes the prefab's again."""

from __future__ import annotations

import pytest

from base.errors import SceneFileError
from sim.core.editing import EditError
from sim.core.files import scene_file
from sim.core.scene.scene import Scene
from tests.sim.core.editing.edit_stage import LAMP


def reopened(stage):
    path = stage.root / "scenes" / "b.scene.json"
    stage.editor.save(path)
    opened = Scene()
    opened.load_document(scene_file.load(path))
    return opened


def test_what_differs_is_told(stage):
    editor = stage.start()
    lamp, second = stage.find("First lamp"), stage.find("Lamp")
    assert editor.overridden(lamp) == {"name", "cmp_spin/speed", "cmp_spin/target"}
    assert editor.overridden(second) == {"cmp_text", "cmp_text/text"}
    assert editor.overridden(stage.find("Board")) == frozenset()
    assert editor.overridden(stage.slot("cmp_board")) == frozenset()
    assert editor.overridden(lamp.components[0]) == {"speed", "target"}
    assert editor.overridden(lamp.components[1]) == frozenset()
    assert editor.overridden(second.components[1]) == {"text", "enabled"}
    editor.set_transform(lamp, position=(1, 2, 3))
    editor.set_material(lamp, "color", [0, 0, 0])
    editor.set_field(lamp.components[1], "size", 3)
    assert editor.overridden(lamp) >= {"position", "material", "cmp_text/size"}


@pytest.mark.parametrize("key", ["name", "cmp_spin/speed", "cmp_spin/target"])
def test_an_override_of_the_file_goes(stage, key):
    editor = stage.start()
    before = stage.bytes
    rest = editor.overridden(stage.find("First lamp")) - {key}
    editor.revert_to_prefab(stage.find("First lamp"), key)
    lamp = stage.app.scene.get("obj_lamp1")
    assert editor.overridden(lamp) == rest
    assert key not in editor.data()["objects"]["obj_lamp1"].get("overrides", {})
    assert key not in editor.data()["objects"]["obj_lamp1"]
    values = lamp.components[0].values
    if key == "name":
        assert lamp.name == "Lamp"
    elif key == "cmp_spin/speed":
        assert values["speed"] == 2
    else:
        assert "target" not in values
    again = reopened(stage).get("obj_lamp1")
    assert (again.name, again.components[0].values) == (lamp.name, values)
    editor.undo()
    assert stage.bytes == before


def test_an_override_of_this_session_goes(stage):
    editor = stage.start()
    lamp = stage.find("Lamp")
    before = stage.bytes
    editor.set_transform(lamp, position=(1, 2, 3))
    editor.set_material(lamp, "roughness", 0.5)
    editor.set_model(lamp, None)
    editor.set_field(lamp.components[0], "speed", 100)
    editor.set_field(lamp.components[0], "label", "x")
    editor.set_enabled(lamp.components[0], False)
    assert "enabled" in editor.overridden(lamp.components[0])
    for key in ("position", "material", "model"):
        editor.revert_to_prefab(lamp, key)
    for key in ("speed", "label", "enabled"):
        editor.revert_to_prefab(lamp.components[0], key)
    assert stage.bytes == before
    assert lamp.transform.position.tolist() == [0, 0, 5]
    assert lamp.components[0].instance.label == "none"


def test_a_component_in_place_of_the_prefabs_goes(stage):
    editor = stage.start()
    before = stage.bytes
    editor.revert_to_prefab(stage.find("Lamp"), "cmp_text")
    [_, text] = stage.find("Lamp").components
    assert (text.is_enabled, text.values["text"], text.prefab_id) == (True, "lamp", "cmp_text")
    assert "components" not in editor.data()["objects"]["obj_lamp2"]
    assert editor.overridden(stage.find("Lamp")) == frozenset()
    again = reopened(stage).get("obj_lamp2")
    assert [slot.values for slot in again.components] == [
        slot.values for slot in stage.find("Lamp").components
    ]
    editor.undo()
    assert stage.bytes == before


def test_a_new_instance_is_the_prefabs(stage):
    editor = stage.start()
    lamp = editor.instantiate(LAMP, stage.find("Root"))
    assert editor.overridden(lamp) == frozenset()
    assert editor.data()["objects"][lamp.id] == {
        "prefab": LAMP, "parent": "obj_root", "order": 0.0,
    }  # fmt: skip
    assert lamp.components[0].instance.friend is lamp.components[1].instance
    placed = editor.instantiate(LAMP, position=(1, 2, 3))
    assert editor.overridden(placed) == {"position"}
    assert lamp.id in reopened(stage).objects


def test_a_prefab_that_is_gone_cannot_be_gone_back_to(stage):
    editor = stage.start()
    before = stage.bytes
    (stage.root / LAMP).unlink()
    with pytest.raises(SceneFileError, match="expected a file of the project"):
        editor.revert_to_prefab(stage.find("First lamp"), "name")
    editor.duplicate(stage.find("First lamp"))  # needs no file
    editor.delete(stage.find("First lamp"))
    editor.undo()
    editor.undo()
    assert stage.bytes == before


def test_what_the_prefab_does_not_have_cannot_be_gone_back_to(stage):
    editor = stage.start()
    with pytest.raises(EditError, match="something overridden"):
        editor.revert_to_prefab(stage.find("Board"), "position")
    with pytest.raises(EditError, match="something overridden"):
        editor.revert_to_prefab(stage.find("First lamp").components[1], "size")
