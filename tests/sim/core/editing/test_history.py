"""Steps: groups, gestures, what is kept, what is saved, and a game that goes on in between."""

from __future__ import annotations

import pytest

from sim.core.editing import EditError, Editor
from sim.core.files import scene_file
from sim.core.files.scene_file import dumps
from tests.sim.core.editing.edit_stage import SPIN


def test_a_group_is_one_step_and_told_once(stage):
    editor = stage.start()
    before, told = stage.bytes, []
    editor.on_edit.append(told.append)
    with editor.group("Tidy up"):
        editor.set_visible(stage.find("Bud"), False)
        with editor.group("inside"):
            editor.delete(stage.find("Twig"))
        assert editor.is_changed
        with pytest.raises(EditError, match="expected the end of 'Tidy up'"):
            editor.undo()
    assert [(edit.label, edit.python) for edit in told] == [
        ("Tidy up", 'editor.set_visible(find("Bud"), False)\neditor.delete(find("Twig"))')
    ]
    assert editor.undo_label == "Tidy up"
    editor.undo()
    assert stage.bytes == before
    assert not editor.can_undo


def test_an_error_takes_a_whole_group_back(stage):
    editor = stage.start()
    before, told = (stage.bytes, stage.live_bytes), []
    editor.on_edit.append(told.append)

    def tidy():
        with editor.group("Tidy up"):
            editor.delete(stage.find("Twig"))
            editor.rename(stage.find("Bud"), "")

    with pytest.raises(EditError, match="name: expected"):
        tidy()
    assert (stage.bytes, stage.live_bytes) == before
    assert not editor.can_undo
    assert not editor.is_changed
    assert told == []


def test_a_group_of_nothing_is_no_step(stage):
    editor = stage.start()
    with editor.group("Nothing"):
        pass
    assert not editor.can_undo


def test_a_gesture_is_one_step(stage):
    editor = stage.start()
    before, told = stage.bytes, []
    editor.on_edit.append(told.append)
    bud, twig = stage.find("Bud"), stage.find("Twig")
    editor.begin_gesture("Drag")
    for number in range(1, 100):
        editor.set_transform(bud, position=(number, 0, 0))
        editor.set_transform(twig, position=(0, number, 0))
        editor.set_field(stage.slot("cmp_board"), "speed", number)
    assert editor.revision == 3 * 99
    assert editor.undo_label == "Drag"
    editor.end_gesture()
    assert told[0].python.splitlines() == [
        'find("Bud").transform.position = (99, 0, 0)',
        'find("Twig").transform.position = (0, 99, 0)',
        'editor.set_field(component("cmp_board"), "speed", 99)',
    ]
    assert len(editor.history.done[0].authored) == 3
    editor.undo()
    assert stage.bytes == before
    editor.redo()
    assert bud.transform.position.tolist() == [99, 0, 0]
    editor.end_gesture()  # without one: nothing
    assert len(told) == 3


def test_undo_in_the_middle_of_a_gesture_ends_it(stage):
    editor = stage.start()
    before = stage.bytes
    editor.begin_gesture("Drag")
    editor.set_transform(stage.find("Bud"), position=(1, 0, 0))
    assert editor.undo()
    assert stage.bytes == before
    editor.set_transform(stage.find("Bud"), position=(2, 0, 0))
    assert editor.undo_label == "Move Bud"


def test_a_gesture_that_comes_back_is_no_step(stage):
    editor = stage.start()
    with editor.gesture("Drag"):
        editor.set_transform(stage.find("Bud"), position=(1, 0, 0))
        editor.set_transform(stage.find("Bud"), position=(0, 0, 0))
    assert not editor.can_undo


def test_what_goes_and_comes_again_in_a_gesture_is_redone_to_the_byte(stage):
    editor = stage.start()
    box = editor.create("Box")
    editor.set_material(box, "color", [1, 0, 0])
    editor.set_material(box, "roughness", 0.5)
    before = stage.bytes
    with editor.gesture("Pick"):
        editor.set_material(box, "color", None)
        editor.set_material(box, "color", [0, 1, 0])
        editor.set_material(box, "color", [0, 0, 1])
    after = stage.bytes
    assert list(box.material) == ["roughness", "color"]
    editor.undo()
    assert stage.bytes == before
    editor.redo()
    assert stage.bytes == after


def test_a_gesture_can_be_cancelled(stage):
    editor = stage.start()
    before = (stage.bytes, stage.live_bytes)
    editor.begin_gesture("Drag")
    editor.set_transform(stage.find("Bud"), position=(1, 0, 0))
    editor.set_transform(stage.find("Bud"), position=(2, 0, 0))
    editor.cancel_gesture()
    assert (stage.bytes, stage.live_bytes) == before
    assert not editor.can_undo

    def drag():
        with editor.gesture("Drag"):
            editor.set_transform(stage.find("Bud"), position=(3, 0, 0))
            raise KeyError

    with pytest.raises(KeyError):
        drag()
    assert (stage.bytes, stage.live_bytes) == before


def test_an_edit_after_an_undo_drops_what_could_be_redone(stage):
    editor = stage.start()
    editor.rename(stage.find("Bud"), "One")
    editor.rename(stage.find("One"), "Two")
    editor.undo()
    assert editor.redo_label == "Rename One to Two"
    editor.set_visible(stage.find("One"), False)
    assert not editor.can_redo
    assert editor.redo() is False
    assert editor.undo_label == "Hide One"


def test_the_oldest_steps_go(stage):
    stage.start()
    editor = Editor(stage.app.scene, stage.app.console)
    for number in range(1, 1011):
        editor.set_transform(stage.find("Bud"), position=(number, 0, 0))
    assert len(editor.history.done) == 1000
    count = 0
    while editor.undo():
        count += 1
    assert count == 1000
    assert stage.find("Bud").transform.position.tolist() == [10, 0, 0]
    assert editor.is_changed  # the first ten cannot be taken back
    small = Editor(stage.app.scene, stage.app.console, most_steps=2)
    for number in range(3):
        small.set_transform(stage.find("Twig"), position=(number + 1, 0, 0))
    assert len(small.history.done) == 2


def test_changed_is_against_what_was_saved(stage):
    editor = stage.start()
    path = stage.root / "scenes" / "a.scene.json"
    editor.rename(stage.find("Bud"), "One")
    assert editor.is_changed
    editor.save(path)
    assert not editor.is_changed
    assert dumps(scene_file.load(path).data) == stage.bytes
    editor.undo()
    assert editor.is_changed
    editor.redo()
    assert not editor.is_changed
    editor.undo()
    editor.rename(stage.find("Bud"), "Two")
    editor.undo()
    assert editor.is_changed  # the saved state cannot be reached any more
    editor.mark_saved()
    assert not editor.is_changed


def test_what_cannot_be_written_stays_changed(stage):
    editor = stage.start()
    editor.rename(stage.find("Bud"), "One")
    with pytest.raises(OSError):
        editor.save(stage.root / "none" / "a.scene.json")
    assert editor.is_changed


# -- a game goes on -----------------------------------------------------------------------------


def test_undo_survives_a_target_that_a_script_destroyed(stage):
    editor = stage.start()
    bud = stage.find("Bud")
    editor.set_transform(bud, position=(1, 0, 0))
    editor.rename(bud, "One")
    before = stage.bytes
    bud.destroy()
    stage.frames()
    assert editor.undo()
    assert editor.undo()
    [first, second] = stage.lines("warning")
    assert first == "undo Rename Bud to One: left out: Bud is gone"
    assert second == "undo Move Bud: left out: Bud is gone"
    assert editor.redo()
    assert editor.redo()
    assert stage.bytes == before  # the file still has it


def test_stones_that_scripts_made_can_be_edited_and_may_go(stage):
    editor = stage.start()
    stone = stage.app.scene.spawn("Stone", parent=stage.find("Board"))
    before = stage.bytes
    editor.set_transform(stone, position=(1, 0, 0))
    editor.set_material(stone, "color", [1, 0, 0])
    assert not editor.is_changed
    assert stage.bytes == before  # no part of the file
    editor.undo()
    assert dict(stone.material) == {}
    editor.delete(stone)
    assert stage.app.scene.find("Stone") is None
    editor.undo()
    again = stage.find("Stone")
    assert (again.id, again.transform.position.tolist()) == (stone.id, [1, 0, 0])
    again.destroy()
    stage.frames()
    editor.undo()
    assert stage.lines("warning") == ["undo Move Stone: left out: Stone is gone"]


def test_nothing_of_the_file_hangs_below_what_a_script_made(stage):
    editor = stage.start()
    stone = stage.app.scene.spawn("Stone", parent=stage.find("Board"))
    message = "parent: expected an object of the scene's file, found Board/Stone, made by a script"
    for edit in (
        lambda: editor.set_parent(stage.find("Bud"), stone),
        lambda: editor.create("New", parent=stone),
    ):
        with pytest.raises(EditError, match=message):
            edit()
    copy = editor.duplicate(stone)  # a copy made by hand is part of it
    assert copy.id in editor.data()["objects"]
    editor.set_parent(stage.find("Bud"), copy)


def test_a_deleted_board_comes_back_without_the_stones_that_its_scripts_made(stage):
    editor = stage.start()
    board = stage.find("Board")
    stage.app.scene.spawn("Stone", parent=board)
    board.add("sim:Text")
    editor.delete(board)
    editor.undo()
    assert [slot.id for slot in stage.find("Board").components] == ["cmp_board", "cmp_light"]
    assert stage.app.scene.find("Stone") is None
    assert [child.name for child in stage.find("Board").children] == ["Bud", "Twig", "First lamp"]
    assert stage.lines("warning") == []


def test_what_scripts_do_is_not_saved_and_undo_takes_back_only_the_edit(stage):
    editor = stage.start()
    editor.set_transform(stage.find("Bud"), position=(1, 0, 0))
    stage.find("Bud").transform.position = (5, 5, 5)
    stage.find("Bud").name = "Moved"
    assert editor.data()["objects"]["obj_bud"]["position"] == [1.0, 0.0, 0.0]
    assert editor.data()["objects"]["obj_bud"]["name"] == "Bud"
    editor.undo()
    bud = stage.find("Moved")
    assert bud.transform.position.tolist() == [0, 0, 0]
    assert "position" not in editor.data()["objects"]["obj_bud"]


def test_stones_that_stand_in_between_keep_nobody_from_its_place(stage):
    editor = stage.start()
    board = stage.find("Board")
    stage.app.scene.set_parent(stage.app.scene.spawn("Stone"), board, 0)
    editor.set_parent(stage.find("First lamp"), board, 2)  # after the stone and Bud
    names = [child.name for child in board.children]
    assert names == ["Stone", "Bud", "First lamp", "Twig"]
    saved = [child.name for child in editor.authored.get("obj_board").children]
    assert saved == ["Bud", "First lamp", "Twig"]


def test_a_component_whose_script_changed_its_mind_is_left_out_once(stage):
    editor = stage.start()
    editor.set_field(stage.slot("cmp_board"), "speed", 8)
    editor.set_field(stage.slot("cmp_board"), "speed", 9)
    before = stage.bytes
    assert stage.save("spin", "class Spin(Script):\n    speed: str = field('fast')\n")
    editor.undo()
    [warning] = [line for line in stage.lines("warning") if line.startswith("undo")]
    assert "Spin.speed: expected a text, found 8" in warning
    assert editor.data()["objects"]["obj_board"]["components"]["cmp_board"]["fields"]["speed"] == 8
    editor.redo()
    assert stage.bytes == before


def test_a_broken_script_is_retried_when_a_field_is_edited(stage):
    editor = stage.start()
    made = editor.add_component(stage.find("Bud"), SPIN)
    stage.frames()
    stage.app.host.fail(made, "update", ValueError("no"))
    editor.set_field(made, "speed", 2)
    assert made.error is None
