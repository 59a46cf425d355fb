"""Prefabs made of objects: what the file holds, the first instance, further ones, undo."""

from __future__ import annotations

import json
from typing import Any

import pytest

from base.errors import EditError
from sim.core.files import scene_file
from tests.sim.core.editing.edit_stage import LAMP, EditStage

PATH = "assets/board.prefab.json"


@pytest.fixture
def stage(stage: EditStage) -> EditStage:
    stage.start()
    return stage


def saved(stage: EditStage) -> Any:
    """The scene as it is loaded again from what is saved."""
    path = stage.root / "scenes" / "saved.scene.json"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(stage.bytes)
    assert scene_file.check(path, project=stage.root) == []
    return json.loads(path.read_text("utf-8"))["objects"]


def values_by_name(scene: Any) -> dict[str, Any]:
    """Types and values of all components by the path of their object, references as paths."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict) and "$ref" in value:
            slot = scene.component(value["$ref"])
            obj = scene.get(value["$ref"]) if slot is None else slot.object
            return obj.path, "" if slot is None else slot.type_name
        return value

    return {
        obj.path: [
            (slot.type_name, {key: plain(item) for key, item in slot.values.items()})
            for slot in obj.components
        ]
        for obj in scene.objects.values()
    }


def test_the_object_is_an_instance_and_nothing_else_has_changed(stage: EditStage) -> None:
    editor, scene = stage.editor, stage.app.scene
    before, meant = stage.bytes, values_by_name(editor.authored)
    running = values_by_name(scene)
    editor.make_prefab(scene.find("Board"), PATH)
    assert values_by_name(editor.authored) == meant
    assert values_by_name(scene) == running
    entry = saved(stage)["obj_board"]
    assert entry["prefab"] == PATH
    assert "model" not in entry
    after = stage.bytes
    editor.undo()
    assert stage.bytes == before
    editor.redo()
    assert stage.bytes == after


def test_a_further_instance_has_its_own_parts_that_refer_to_each_other(stage: EditStage) -> None:
    editor, scene = stage.editor, stage.app.scene
    editor.make_prefab(scene.find("Board"), PATH)
    copy = editor.instantiate(PATH)
    twin = scene.instantiate(PATH, name="Twin")
    for made in (copy, twin):
        board, light = made.components
        leaf = next(obj for obj in made.subtree() if obj.name == "Leaf")
        assert (board.values["speed"], light.is_enabled) == (5, False)
        assert leaf.components[0].values["friend"] == {"$ref": board.id}
        assert not leaf.visible
    ids = [obj.id for made in (copy, twin, scene.find("Board")) for obj in made.subtree()]
    assert len(set(ids)) == len(ids)
    names = {entry.get("name") for entry in saved(stage).values()}
    assert {"Leaf", "Twig", "Bud"} <= names
    data = json.loads((stage.root / PATH).read_text("utf-8"))
    assert not {"parent", "position", "order"} & set(data)
    assert "prefab" not in json.dumps(data["objects"])


def test_what_lies_outside_is_null_in_the_file_and_kept_in_the_instance(stage: EditStage) -> None:
    editor, scene = stage.editor, stage.app.scene
    editor.make_prefab(scene.find("Leaf"), PATH)
    data = json.loads((stage.root / PATH).read_text("utf-8"))
    [part] = data["components"].values()
    assert part["fields"]["friend"] is None
    [slot] = scene.find("Leaf").components
    assert slot.values["friend"] == {"$ref": "cmp_board"}
    [key] = saved(stage)["obj_leaf"]["overrides"]
    assert key.endswith("/friend")


def test_an_instance_can_be_made_a_prefab_of_its_own(stage: EditStage) -> None:
    editor, scene = stage.editor, stage.app.scene
    lamp, before = scene.find("First lamp"), stage.bytes
    meant = values_by_name(editor.authored)
    editor.make_prefab(lamp, PATH)
    assert values_by_name(editor.authored) == meant
    assert saved(stage)["obj_lamp1"]["prefab"] == PATH
    editor.undo()
    assert stage.bytes == before


def test_a_prefab_may_be_replaced_only_if_its_instances_keep_their_parts(stage: EditStage) -> None:
    editor, scene = stage.editor, stage.app.scene
    lamp, old = scene.find("First lamp"), (stage.root / LAMP).read_bytes()
    before = stage.bytes
    with pytest.raises(EditError, match=r"another name, found assets/lamp\.prefab\.json, whose"):
        editor.make_prefab(scene.find("Bud"), LAMP)
    assert ((stage.root / LAMP).read_bytes(), stage.bytes) == (old, before)
    editor.make_prefab(lamp, LAMP)
    parts = json.loads((stage.root / LAMP).read_text("utf-8"))["components"]
    assert parts["cmp_spin"]["fields"]["speed"] == 7
    assert (stage.root / f"{LAMP}.bak").read_bytes() == old
    assert saved(stage)["obj_lamp1"]["prefab"] == LAMP
    editor.undo()
    assert stage.bytes == before


@pytest.mark.parametrize("path", ["", "assets/a.json", "../a.prefab.json", "/a.prefab.json", 3])
def test_a_path_that_is_none_is_refused(stage: EditStage, path: Any) -> None:
    before = stage.bytes
    with pytest.raises(EditError, match="prefab: expected"):
        stage.editor.make_prefab(stage.app.scene.find("Board"), path)
    assert stage.bytes == before
    assert not stage.editor.can_undo
