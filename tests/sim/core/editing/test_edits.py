"""Each edit: what it changes, its label and Python line, and what it refuses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from base.errors import FieldError, LimitError, SceneFileError
from sim.core.editing import EditError
from sim.core.editing.placing import local_below
from sim.core.files.scene_checker import instance_id
from sim.core.scene.scene import Scene, SlotState
from tests.sim.core.editing.edit_stage import LAMP, SPIN, EditStage


def entry(stage: EditStage, object_id: str) -> dict[str, Any]:
    return stage.editor.data()["objects"][object_id]


EDITS = [
    (lambda e, s: e.set_transform(s.find("Bud"), position=(1, 0.5, -2)),
     "Move Bud", 'find("Bud").transform.position = (1, 0.5, -2)'),
    (lambda e, s: e.set_transform(s.find("Bud"), rotation=np.array([90, 0, 0])),
     "Turn Bud", 'find("Bud").transform.rotation = (90, 0, 0)'),
    (lambda e, s: e.set_transform(s.find("Bud"), position=(1, 0, 0), scale=(1, 2, 3)),
     "Place Bud", 'editor.set_transform(find("Bud"), position=(1, 0, 0), scale=(1, 2, 3))'),
    (lambda e, s: e.rename(s.find("Bud"), 'A "bud"'),
     'Rename Bud to A "bud"', "editor.rename(find(\"Bud\"), 'A \"bud\"')"),
    (lambda e, s: e.set_visible(s.find("Bud"), False),
     "Hide Bud", 'editor.set_visible(find("Bud"), False)'),
    (lambda e, s: e.set_enabled(s.find("Bud"), False),
     "Disable Bud", 'editor.set_enabled(find("Bud"), False)'),
    (lambda e, s: e.set_enabled(s.slot("cmp_light"), True),
     "Enable Board > Light", 'editor.set_enabled(component("cmp_light"), True)'),
    (lambda e, s: e.set_casts_shadow(s.find("Root"), True),
     "Shadow of Root", 'editor.set_casts_shadow(find("Root"), True)'),
    (lambda e, s: e.set_model(s.find("Bud"), {"builtin": "box", "size": 2}),
     "Model of Bud", 'editor.set_model(find("Bud"), {"builtin": "box", "size": 2})'),
    (lambda e, s: e.set_texture(s.find("Bud"), {"asset": "assets/b.png"}),
     "Texture of Bud", 'editor.set_texture(find("Bud"), "assets/b.png")'),
    (lambda e, s: e.set_material(s.find("Twig"), "color", (0, 1, 0)),
     "Color of Twig", 'editor.set_material(find("Twig"), "color", [0, 1, 0])'),
    (lambda e, s: e.set_parent(s.find("Bud"), None),
     "Put Bud to the top", 'editor.set_parent(find("Bud"), None)'),
    (lambda e, s: e.set_parent(s.find("Bud"), s.find("Twig"), 0),
     "Put Bud below Twig", 'editor.set_parent(find("Bud"), find("Twig"), index=0)'),
    (lambda e, s: e.set_parent(s.find("Bud"), s.find("Board"), 2),
     "Reorder Bud", 'editor.set_parent(find("Bud"), find("Board"), index=2)'),
    (lambda e, s: e.create("New", parent=s.find("Bud"), position=(0, 1, 0), components=["sim:Text"]),
     "Create New", 'editor.create("New", parent=find("Bud"), position=(0, 1, 0), '
     'components=(("sim:Text", {}),))'),
    (lambda e, s: e.instantiate(LAMP), "Create Lamp", f'editor.instantiate("{LAMP}")'),
    (lambda e, s: e.make_prefab(s.find("Board"), "assets/board.prefab.json"),
     "Make a prefab of Board", 'editor.make_prefab(find("Board"), "assets/board.prefab.json")'),
    (lambda e, s: e.duplicate(s.find("Bud")), "Duplicate Bud", 'editor.duplicate(find("Bud"))'),
    (lambda e, s: e.delete(s.find("Bud")), "Delete Bud", 'editor.delete(find("Bud"))'),
    (lambda e, s: e.add_component(s.find("Bud"), SPIN, {"speed": 2}),
     "Add Spin to Bud", f'editor.add_component(find("Bud"), "{SPIN}", values={{"speed": 2}})'),
    (lambda e, s: e.remove_component(s.slot("cmp_light")),
     "Remove Light from Board", 'editor.remove_component(component("cmp_light"))'),
    (lambda e, s: e.set_field(s.slot("cmp_board"), "speed", 8),
     "Set Board > Spin.speed", 'editor.set_field(component("cmp_board"), "speed", 8)'),
    (lambda e, s: e.revert_to_prefab(s.find("First lamp"), "cmp_spin/speed"),
     "Revert First lamp cmp_spin/speed",
     'editor.revert_to_prefab(find("First lamp"), "cmp_spin/speed")'),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "label", "python"), EDITS, ids=[item[1] for item in EDITS])
def test_an_edit_is_told_saved_undone_and_redone(stage, edit, label, python):
    editor = stage.start()
    told = []
    editor.on_edit.append(told.append)
    before, live = stage.bytes, stage.live_bytes
    assert not editor.can_undo
    assert not editor.is_changed
    edit(editor, stage)
    assert [(item.label, item.python) for item in told] == [(label, python)]
    assert (editor.undo_label, editor.redo_label, editor.revision) == (label, "", 1)
    assert editor.is_changed
    after, live_after = stage.bytes, stage.live_bytes
    assert after != before
    assert live_after != live
    assert editor.undo()
    assert (stage.bytes, stage.live_bytes) == (before, live)
    assert (editor.undo_label, editor.redo_label, editor.revision) == ("", label, 2)
    assert not editor.is_changed
    assert editor.redo()
    assert (stage.bytes, stage.live_bytes) == (after, live_after)
    assert [item.label for item in told] == [label, f"Undo {label}", f"Redo {label}"]
    assert [item.python for item in told[1:]] == ["editor.undo()", "editor.redo()"]


NAN, INF = math.nan, math.inf
VECTOR = "expected three finite numbers"
REFUSED = [
    (lambda e, s: e.set_transform(s.find("Bud"), position=(NAN, 0, 0)), f"position: {VECTOR}"),
    (lambda e, s: e.set_transform(s.find("Bud"), position=(0, -INF, 0)), f"position: {VECTOR}"),
    (lambda e, s: e.set_transform(s.find("Bud"), position=(0, 0)), f"position: {VECTOR}"),
    (lambda e, s: e.set_transform(s.find("Bud"), position="far"), f"position: {VECTOR}"),
    (lambda e, s: e.set_transform(s.find("Bud"), position=(True, 0, 0)), f"position: {VECTOR}"),
    (lambda e, s: e.set_transform(s.find("Bud"), position=(10**400, 0, 0)), f"position: {VECTOR}"),
    (lambda e, s: e.set_transform(s.find("Bud"), position=(1e300, 0, 0)),
     r"position: expected three numbers up to 1e\+09, found \(1e\+300"),
    (lambda e, s: e.set_transform(s.find("Bud"), rotation=(1e300, 0, 0)), "rotation: expected"),
    (lambda e, s: e.set_transform(s.find("Bud"), position=(1, 1, 1), scale=(1, 0, 1)),
     r"scale: expected three factors, not 0, .* found \(1, 0, 1\)"),
    (lambda e, s: e.rename(s.find("Bud"), ""), "name: expected 1 to 200 characters, found ''"),
    (lambda e, s: e.rename(s.find("Bud"), "  "), "name: expected 1 to 200 characters"),
    (lambda e, s: e.rename(s.find("Bud"), 7), "name: expected 1 to 200 characters, found 7"),
    (lambda e, s: e.rename(s.find("Bud"), "x" * 201), "characters, found 201 of them"),
    (lambda e, s: e.rename(s.find("Bud"), "a\nb"), r"name: expected letters .*found 'a\\nb'"),
    (lambda e, s: e.rename(s.find("Bud"), "a\ud800"), "name: expected letters that can be shown"),
    (lambda e, s: e.set_visible(s.find("Bud"), 1), "visible: expected True or False, found 1"),
    (lambda e, s: e.set_enabled(s.slot("cmp_light"), None), "enabled: expected True or False"),
    (lambda e, s: e.set_model(s.find("Bud"), {"builtin": "box", "asset": "a"}), "model: expected"),
    (lambda e, s: e.set_model(s.find("Bud"), {"asset": "assets/gone.obj"}),
     "model.asset: expected a file of the project, found \"assets/gone.obj\""),
    (lambda e, s: e.set_model(s.find("Bud"), {"asset": "../secret.png"}),
     "model.asset: expected a path inside the project"),
    (lambda e, s: e.set_model(s.find("Bud"), {"builtin": "box", "size": NAN}),
     "model: expected a finite number, found nan"),
    (lambda e, s: e.set_texture(s.find("Bud"), "../secret.png"), "texture: expected a path inside"),
    (lambda e, s: e.set_texture(s.find("Bud"), np.zeros((2, 2, 3))), "texture: expected a path"),
    (lambda e, s: e.set_material(s.find("Bud"), "colour", [1, 1, 1]), "expected one of color,"),
    (lambda e, s: e.set_material(s.find("Bud"), "color", [1, 2, 1]), "3 or 4 numbers from 0 to 1"),
    (lambda e, s: e.set_material(s.find("Bud"), "opacity", -0.1), "a number from 0 to 1"),
    (lambda e, s: e.set_parent(s.find("Board"), s.find("Board")), "outside Board, found Board"),
    (lambda e, s: e.set_parent(s.find("Board"), s.find("Leaf")),
     "parent: expected an object outside Board, found Board/Twig/Leaf"),
    (lambda e, s: e.set_parent(s.find("Bud"), None, -1), "index: expected a whole number from 0"),
    (lambda e, s: e.create("x\x07"), "name: expected letters"),
    (lambda e, s: e.create("New", position=(NAN, 0, 0)), "position: expected"),
    (lambda e, s: e.create("New", components=["os:system()"]), "component: expected module:Class"),
    (lambda e, s: e.add_component(s.find("Bud"), "Light"), "component: expected module:Class"),
    (lambda e, s: e.remove_component(s.find("Lamp").components[0]), "only be disabled"),
    (lambda e, s: e.set_field(s.slot("cmp_board"), "speed", "fast"),
     "Spin.speed: expected a number from -1000 to 1000, found 'fast'"),
    (lambda e, s: e.set_field(s.slot("cmp_board"), "speed", 1e9), "a number from -1000 to 1000"),
    (lambda e, s: e.set_field(s.slot("cmp_board"), "old_field", 1), "expected a field, found none"),
    (lambda e, s: e.set_field(s.slot("cmp_board"), "target", {"$ref": "obj_none"}),
     "Spin.target: expected the id of an object or component, found 'obj_none'"),
    (lambda e, s: e.set_field(s.slot("cmp_board"), "picture", {"$asset": "../secret.png"}),
     "Spin.picture: expected a path inside the project"),
    (lambda e, s: e.set_field(s.slot("cmp_lost"), "a", object()), "expected plain JSON values"),
    (lambda e, s: e.set_field(s.slot("cmp_lost"), "a", [INF]), "expected a finite number"),
    (lambda e, s: e.set_field(s.slot("cmp_lost"), "a", {1: 2}), "expected texts as keys, found 1"),
    (lambda e, s: e.revert_to_prefab(s.find("Lamp"), "position"), "something overridden"),
    (lambda e, s: e.set_field(s.slot("cmp_lost"), 7, 1), "Gone: expected the name of a field"),
    (lambda e, s: e.set_field(s.slot("cmp_lost"), "\ud800", 1), "expected Unicode text"),
    (lambda e, s: e.create("New", components=[(SPIN, {7: 1})]), "fields: expected texts as keys"),
    (lambda e, s: e.delete("Board"), "expected an object of the scene, found 'Board'"),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "message"), REFUSED, ids=[item[1][:50] for item in REFUSED])
def test_what_cannot_be_changes_nothing(stage, edit, message):
    editor = stage.start()
    before = (stage.bytes, stage.live_bytes)
    with pytest.raises((EditError, FieldError), match=message) as caught:
        edit(editor, stage)
    assert "found" in str(caught.value)
    assert (stage.bytes, stage.live_bytes) == before
    assert not editor.can_undo
    assert editor.revision == 0


def test_a_missing_prefab_is_named(stage):
    editor = stage.start()
    with pytest.raises(SceneFileError, match=r"gone\.prefab\.json.*expected a file of the project"):
        editor.instantiate("assets/gone.prefab.json")
    with pytest.raises(SceneFileError, match="a path inside the project"):
        editor.instantiate("../lamp.prefab.json")
    assert not editor.can_undo


def test_no_more_objects_than_the_setting_allows(stage):
    editor = stage.start(settings={"max_objects": 9})
    editor.create("Ninth")
    before = (stage.bytes, stage.live_bytes)
    for edit in (lambda: editor.create("Tenth"), lambda: editor.duplicate(stage.find("Board"))):
        with pytest.raises(LimitError, match="at most 9 objects"):
            edit()
    assert (stage.bytes, stage.live_bytes) == before
    assert editor.undo_label == "Create Ninth"


def test_deep_json_is_refused(stage):
    editor = stage.start()
    nested: Any = 1
    for _ in range(400):
        nested = [nested]
    with pytest.raises(EditError, match="sensible depth"):
        editor.set_field(stage.slot("cmp_lost"), "a", nested)


def test_an_edit_without_effect_is_no_step(stage):
    editor = stage.start()
    editor.set_transform(stage.find("Bud"), position=(0, 0, 0))
    editor.set_visible(stage.find("Bud"), True)
    editor.set_field(stage.slot("cmp_board"), "speed", 5)
    editor.set_parent(stage.find("Bud"), stage.find("Board"))
    editor.set_material(stage.find("Bud"), "color", None)
    editor.set_transform(stage.find("Bud"))
    assert not editor.can_undo
    assert editor.revision == 0


def test_the_same_colour_or_model_again_is_no_step(stage):
    editor = stage.start()
    bud = stage.find("Bud")
    for _ in range(2):
        editor.set_material(bud, "color", [1, 0, 0])
        editor.set_model(bud, {"builtin": "box", "size": [1, 2, 3]})
    assert len(editor.history.done) == 2


# -- the tree -----------------------------------------------------------------------------------


def test_reparenting_keeps_the_place_in_the_world(stage):
    editor = stage.start()
    leaf = stage.find("Leaf")
    before = np.array(leaf.transform.world_matrix)
    editor.set_parent(leaf, stage.find("Lamp"))
    assert leaf.path == "Lamp/Leaf"
    assert np.allclose(np.array(leaf.transform.world_matrix)[3, :3], before[3, :3], atol=1e-9)
    editor.set_parent(leaf, None)
    assert np.allclose(np.array(leaf.transform.world_matrix)[3, :3], before[3, :3], atol=1e-9)
    editor.undo()
    editor.undo()
    assert leaf.path == "Board/Twig/Leaf"
    assert (np.array(leaf.transform.world_matrix) == before).all()


coordinates = st.tuples(*[st.floats(-100, 100)] * 3)
angles = st.tuples(*[st.floats(-400, 400) | st.sampled_from([0.0, 90.0, -90.0, 180.0])] * 3)
factors = st.floats(0.05, 20) | st.floats(-20, -0.05)
uniform = factors.map(lambda factor: (abs(factor),) * 3)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    places=st.lists(st.tuples(coordinates, angles, uniform), min_size=3, max_size=3),
    scale=st.tuples(factors, factors, factors),
)
def test_the_local_vectors_below_another_parent_give_the_same_world(places, scale):
    scene = Scene()
    one, other, obj = (
        scene.spawn(name, position=place, rotation=turn, scale=size)
        for name, (place, turn, size) in zip("abc", places, strict=True)
    )
    scene.set_parent(obj, one)
    obj.transform.scale = scale
    before = np.array(obj.transform.world_matrix)
    vectors = local_below(obj, other)
    scene.set_parent(obj, other)
    for key, value in vectors.items():
        setattr(obj.transform, key, value)
    assert np.allclose(obj.transform.world_matrix, before, rtol=1e-6, atol=1e-5)


def test_a_parent_without_size_is_refused(stage):
    editor = stage.start()
    stage.find("Twig").transform.scale = (0, 1, 1)  # as a script's animation may
    with pytest.raises(EditError, match="expected a parent whose scale is not 0, found Board/Twig"):
        editor.set_parent(stage.find("Bud"), stage.find("Twig"))


def test_siblings_stand_where_they_were_put_after_loading_too(stage):
    editor = stage.start()
    board = stage.find("Board")
    assert [child.name for child in board.children] == ["Bud", "Twig", "First lamp"]
    editor.set_parent(stage.find("First lamp"), board, 1)  # between two of the same order
    editor.set_parent(stage.find("Root"), board, 0)
    editor.set_parent(stage.find("Bud"), board, 99)
    names = ["Root", "First lamp", "Twig", "Bud"]
    assert [child.name for child in board.children] == names
    orders = [entry(stage, child.id)["order"] for child in board.children]
    assert orders == sorted(set(orders))


def test_a_copy_has_new_ids_and_refers_to_itself(stage):
    editor = stage.start()
    board = stage.find("Board")
    copy = editor.duplicate(board)
    assert copy.name == "Board 2"
    assert stage.app.scene.roots.index(copy) == stage.app.scene.roots.index(board) + 1
    ids = [item.id for item in board.subtree()] + [item.id for item in copy.subtree()]
    assert len(set(ids)) == len(ids) == 10
    leaf = next(item for item in copy.subtree() if item.name == "Leaf")
    assert copy.components[0].values["target"] == {"$ref": leaf.id}
    assert leaf.components[0].values["friend"] == {"$ref": copy.components[0].id}
    assert copy.components[0].values["old_field"] == [1, 2]
    lamp = next(item for item in copy.subtree() if item.name == "First lamp")
    saved = entry(stage, lamp.id)
    assert saved["overrides"] == {"cmp_spin/speed": 7, "cmp_spin/target": {"$ref": "obj_root"}}
    [extra] = saved["components"].values()
    assert extra["fields"]["friend"] == {"$ref": lamp.components[0].id}
    assert entry(stage, copy.id)["x-note"] == {"a": [1, {"b": 2}]}
    assert editor.duplicate(board).name == "Board 3"


def test_a_copy_of_an_instance_keeps_its_own_component_in_place_of_the_prefabs(stage):
    editor = stage.start()
    copy = editor.duplicate(stage.find("Lamp"))
    [key] = entry(stage, copy.id)["components"]
    assert key == copy.components[1].id == instance_id(copy.id, "cmp_text")
    assert len(copy.components) == 2


def test_ids_come_back_and_references_live_again(stage):
    editor = stage.start()
    stage.frames()
    stage.spins()
    editor.delete(stage.find("Twig"))
    assert stage.app.scene.get("obj_leaf") is None
    assert "Leaf destroy" in stage.spins()
    assert entry(stage, "obj_board")["components"]["cmp_board"]["fields"]["target"] is None
    assert stage.slot("cmp_board").instance.target is None
    editor.undo()
    assert stage.slot("cmp_board").instance.target is stage.app.scene.get("obj_leaf")
    assert stage.slot("cmp_leaf").values["count"] == 4
    stage.frames()
    assert stage.spins() == ["Leaf awake 1.0", "Leaf start"]
    assert stage.slot("cmp_leaf").state is SlotState.READY


def test_a_created_object_comes_back_with_its_id(stage):
    editor = stage.start()
    made = editor.create("New", components=[(SPIN, {"speed": 4})])
    editor.set_field(stage.slot("cmp_board"), "target", {"$ref": made.id})
    for _ in range(3):
        editor.undo()
    assert stage.app.scene.get(made.id) is None
    editor.redo()
    editor.redo()
    again = stage.app.scene.get(made.id)
    assert again is not made
    assert stage.slot("cmp_board").instance.target is again
    assert again.components[0].values == {"speed": 4}
    with pytest.raises(EditError, match="New, which is gone"):
        editor.rename(made, "Old")


def test_a_field_is_checked_and_the_script_is_told_also_on_undo(stage):
    editor = stage.start()
    stage.frames()
    stage.spins()
    editor.set_field(stage.slot("cmp_board"), "speed", 8)
    editor.undo()
    editor.redo()
    assert stage.spins() == [f"Board validate {value}" for value in (8.0, 5.0, 8.0)]
    editor.set_field(stage.slot("cmp_leaf"), "speed", 3)
    editor.undo()
    assert stage.slot("cmp_leaf").instance.speed == 1.0
    assert "speed" not in stage.slot("cmp_leaf").values
    assert stage.spins() == ["Leaf validate 3.0", "Leaf validate 1.0"]


def test_scripts_below_what_is_disabled_are_disabled(stage):
    editor = stage.start()
    stage.frames()
    editor.set_enabled(stage.find("Root"), False)
    editor.set_parent(stage.find("Leaf"), stage.find("Root"))
    assert not stage.slot("cmp_leaf").runtime.is_on
    editor.undo()
    assert stage.slot("cmp_leaf").runtime.is_on


def test_another_choice_takes_what_belonged_to_the_one_before_in_one_step(stage):
    editor = stage.start()
    stage.frames()
    editor.set_field(stage.slot("cmp_board"), "count", 8)
    editor.set_field(stage.slot("cmp_board"), "label", "kept")
    before = editor.data()
    editor.set_field(stage.slot("cmp_board"), "choice", "b")
    fields = entry(stage, "obj_board")["components"]["cmp_board"]["fields"]
    assert "count" not in fields
    assert (fields["choice"], fields["label"]) == ("b", "kept")
    assert stage.slot("cmp_board").instance.count == 3, "its default"
    assert editor.undo()
    assert editor.data() == before
    assert stage.slot("cmp_board").instance.count == 8
    editor.set_field(stage.slot("cmp_board"), "choice", "b")
    editor.set_field(stage.slot("cmp_board"), "count", 9)
    editor.set_field(stage.slot("cmp_board"), "choice", "b")
    assert stage.slot("cmp_board").instance.count == 9, "the same choice resets nothing"
