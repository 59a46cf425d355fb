"""Objects and components as text: copies are equal, foreign text is refused in one line."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from base.errors import EditError
from sim.core.files import scene_file
from sim.core.scene.object_state import ids_of_copy, renamed
from sim.core.scene.scene import Scene, capture_below
from tests.sim.core.editing.edit_stage import LAMP, OBJECTS, SPIN, Program
from tests.sim.core.editing.test_laws import many, operations


def shape(top):
    """Return an object and all below it, with ids by their place, without the topmost name.

    A prefab's component that differs from the prefab is the object's own in a file.
    """
    states = capture_below(top)
    count = iter(range(10**6))
    ids = ids_of_copy(states, {}, lambda prefix: f"{prefix}_{next(count)}")
    for slot in (slot for obj in top.subtree() for slot in obj.components):
        ids[slot.id] = f"cmp_{next(count)}"
    plain = [renamed(state, ids) for state in states]
    here = {*top.scene.objects, *(slot.id for slot in top.scene.components()), *ids.values()}
    return [
        (state.name if number else "", state.parent if number else "", state.index * bool(number),
         state.position, state.rotation, state.scale, state.enabled, state.visible,
         state.casts_shadow, state.model, state.material, state.texture, state.extra,
         [replace(part, values=existing(part.values, here), stands_for="",
                  prefab_id=part.prefab_id or part.stands_for) for part in state.components])
        for number, state in enumerate(plain)
    ]  # fmt: skip


def existing(value, here):
    """Return a value without references to what was deleted: no file has them."""
    if isinstance(value, list):
        return [existing(item, here) for item in value]
    if isinstance(value, dict) and "$ref" in value:
        return value if value["$ref"] in here else None
    return (
        {key: existing(item, here) for key, item in value.items()}
        if isinstance(value, dict)
        else value
    )


def test_a_pasted_object_equals_the_copied_one_up_to_ids_and_name(stage):
    editor = stage.start()
    for obj in list(stage.app.scene.objects.values()):
        [made] = editor.paste(editor.copy(obj), obj.parent)
        assert made.name != obj.name
        assert made.parent is obj.parent
        assert shape(made) == shape(obj)
        assert not {item.id for item in made.subtree()} & {item.id for item in obj.subtree()}
    assert stage.lines("warning") == []


@many
@given(program=st.lists(operations, max_size=20), number=st.integers(0, 2**16))
def test_after_any_edits_a_copy_is_equal_and_a_cut_is_undone_exactly(stage, program, number):
    with stage.closed():
        editor = stage.start()
        Program(editor).run(program)
        objects = [obj for obj in editor.scene.objects.values() if obj.is_alive]
        if not objects:
            return
        obj, before = objects[number % len(objects)], stage.bytes
        [made] = editor.paste(editor.copy(obj), obj.parent)
        assert shape(made) == shape(obj)
        editor.undo()
        assert stage.bytes == before
        editor.cut(obj)
        assert obj.id not in editor.scene.objects
        editor.undo()
        assert stage.bytes == before == stage.live_bytes


def test_references_among_the_copied_point_to_the_copies_and_others_are_kept(stage):
    editor = stage.start()
    board = stage.find("Board")
    [made] = editor.paste(editor.copy(board))
    leaf = next(obj for obj in made.subtree() if obj.name == "Leaf")
    assert made.components[0].values["target"] == {"$ref": leaf.id}
    assert leaf.components[0].values["friend"] == {"$ref": made.components[0].id}
    lamp = next(obj for obj in made.subtree() if obj.name == "First lamp")
    inner = next(slot for slot in lamp.components if slot.prefab_id == "cmp_spin")
    assert lamp.components[-1].values["friend"] == {"$ref": inner.id}
    assert inner.values["target"] == {"$ref": stage.find("Root").id}, "outside, and there"


def test_in_another_scene_a_reference_to_nothing_is_empty_and_said_once(stage):
    text = stage.start().copy(stage.find("Leaf"), stage.find("First lamp"))
    stage.close()
    editor = stage.start({"obj_home": {"name": "Home", "position": [1, 2, 3]}})
    leaf, lamp = editor.paste(text)
    assert leaf.components[0].values["friend"] is None
    assert lamp.name == "First lamp"
    [line] = stage.lines("warning")
    assert "2 references" in line


def test_it_stays_where_it_was_in_the_world_below_another_parent(stage):
    editor = stage.start({
        "obj_arm": {"name": "Arm", "position": [1, 0, 0], "rotation": [90, 0, 0], "scale": [2, 2, 2]},
        "obj_hand": {"name": "Hand", "parent": "obj_arm", "position": [3, 1, 0]},
        "obj_foot": {"name": "Foot", "position": [0, 0, 5], "rotation": [0, 30, 0]},
    })  # fmt: skip
    hand = stage.find("Hand")
    for parent in (None, stage.find("Foot")):
        [made] = editor.paste(editor.copy(hand), parent)
        expected, found = (np.asarray(obj.transform.world_matrix) for obj in (hand, made))
        assert np.allclose(found, expected, atol=1e-9)


def test_several_are_pasted_in_the_order_of_the_tree_and_children_go_with_their_parents(stage):
    editor = stage.start()
    lamp, leaf, board = (stage.find(name) for name in ("Lamp", "Leaf", "Board"))
    made = editor.paste(editor.copy(lamp, leaf, board))
    assert [obj.name for obj in made] == ["Board 2", "Lamp 2"]
    assert stage.app.scene.roots[-2:] == made
    editor.undo()
    assert not editor.can_undo


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: "hello, world", "expected objects copied in Goishi, found 'hello, world'"),
        (lambda data: "", "found nothing"),
        (lambda data: json.dumps(data, indent=1)[:60], "clipboard: expected JSON, found "),
        (lambda data: [1], "expected objects copied in Goishi"),
        (lambda data: {**data, "format": "goishi.objects/9"}, "expected objects copied in Goishi"),
        (lambda data: {**data, "objects": {}}, "at least one object"),
        (lambda data: {**data, "objects": {"obj_1": 3}}, "expected"),
        (lambda data: edited(data, position=[1, 2]), "Board.position: expected three finite numbers"),
        (lambda data: edited(data, parent="obj_none"), "Board.parent: expected the id of an object"),
        (lambda data: edited(data, model={"asset": "assets/none.obj"}), "Board.model.asset: expected"),
        (lambda data: edited(data, prefab="assets/none.prefab.json"), "prefab"),
        (lambda data: edited(data, components={"cmp_one": {"type": "os"}}), "module:Class"),
        (lambda data: edited(data, name="a\nb"), "letters that can be shown"),
        (lambda data: {**data, "places": {"obj_board": {"position": "here"}}}, "three finite numbers"),
    ],
)  # fmt: skip
def test_foreign_text_is_refused_in_one_line_and_changes_nothing(stage, change, said):
    editor = stage.start()
    before = stage.bytes
    new = change(json.loads(editor.copy(stage.find("Board"))))
    with pytest.raises(EditError) as error:
        editor.paste(new if isinstance(new, str) else json.dumps(new))
    assert said in str(error.value)
    assert "\n" not in str(error.value)
    assert stage.bytes == before == stage.live_bytes


def edited(data, **values):
    entry = {**data["objects"]["obj_board"], **values}
    return {**data, "objects": {**data["objects"], "obj_board": entry}}


def test_a_component_is_copied_as_new_and_as_values(stage):
    editor = stage.start()
    board, leaf = stage.find("Board"), stage.find("Leaf")
    text = editor.copy_component(board.components[0])
    made = editor.paste_component(leaf, text)
    assert made.values == board.components[0].values
    assert made.is_enabled
    before = stage.bytes
    editor.paste_values(leaf.components[0], text)
    assert leaf.components[0].values == board.components[0].values
    editor.undo()
    assert stage.bytes == before
    with pytest.raises(EditError, match="expected a component sim:Light"):
        editor.paste_values(board.components[1], text)
    with pytest.raises(EditError, match="expected a component copied in Goishi"):
        editor.paste_component(leaf, editor.copy(leaf))


def test_reset_gives_the_defaults_and_of_a_prefab_its_values(stage):
    editor = stage.start()
    before = stage.bytes
    slot = stage.find("Leaf").components[0]
    editor.reset_component(slot)
    assert slot.values == {}
    assert slot.instance.count == 3
    lamp = stage.find("First lamp")
    spin = next(item for item in lamp.components if item.prefab_id == "cmp_spin")
    editor.reset_component(spin)
    assert spin.instance.speed == 2
    assert not editor.overridden(spin)
    editor.undo()
    editor.undo()
    assert stage.bytes == before


def test_components_change_places_and_the_scripts_run_in_the_new_order(stage):
    editor = stage.start()
    board = stage.find("Board")
    before = stage.bytes
    first, second = board.components
    editor.move_component(first, 1)
    assert board.components == [second, first]
    assert editor.authored.get(board.id).components[1].id == first.id
    editor.undo()
    assert stage.bytes == before
    lamp = stage.find("First lamp")
    with pytest.raises(EditError, match="keeps its place"):
        editor.move_component(lamp.components[0], 1)


def test_a_copied_prefab_stays_an_instance(stage):
    editor = stage.start()
    [made] = editor.paste(editor.copy(stage.find("First lamp")))
    assert editor.data()["objects"][made.id]["prefab"] == LAMP
    assert editor.overridden(made) >= {"cmp_spin/speed"}
    assert OBJECTS["obj_lamp1"]["overrides"]["cmp_spin/speed"] == 7


@pytest.mark.parametrize("way", ["paste", "duplicate"])
def test_what_points_into_a_copied_prefab_of_several_objects_still_does_when_opened(stage, way):
    editor = stage.start()
    path = stage.root / "assets/pair.prefab.json"
    path.write_text(json.dumps({
        "format": "goishi.prefab/1", "id": "obj_pair", "name": "Pair",
        "components": {"cmp_pair": {"type": SPIN, "fields": {"target": {"$ref": "obj_other"}}}},
        "objects": {"obj_other": {"name": "Other"}},
    }))  # fmt: skip
    pair = editor.instantiate("assets/pair.prefab.json")
    made = editor.duplicate(pair) if way == "duplicate" else editor.paste(editor.copy(pair))[0]
    assert made.components[0].values["target"] == {"$ref": made.children[0].id}
    saved = stage.root / "scenes" / "saved.scene.json"
    editor.save(saved)
    assert scene_file.check(saved) == []
    opened = Scene()
    opened.load_document(scene_file.load(saved))
    again = opened.get(made.id)
    assert again.components[0].values["target"] == {"$ref": again.children[0].id}
