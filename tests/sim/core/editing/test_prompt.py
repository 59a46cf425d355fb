"""What is typed at the prompt is an edit."""

from __future__ import annotations

import pytest

from sim.core.editing import EditError, prompt_names


@pytest.fixture
def type_in(stage):
    stage.start()
    names = prompt_names(stage.editor)
    return lambda line: exec(line, names)


@pytest.mark.parametrize(
    ("line", "label"),
    [
        ('find("Board").transform.position = (1, 0, 0)', "Move Board"),
        ('find("Board").name = "Plank"', "Rename Board to Plank"),
        ('find("Board").visible = False', "Hide Board"),
        ('find("Board").material["color"] = (1, 0, 0)', "Color of Board"),
        ('find("Twig").material = {"opacity": 0.5}', "Material of Twig"),
        ('find("Bud").parent = find("Twig")', "Put Bud below Twig"),
        ('find("Bud").model = {"builtin": "box"}', "Model of Bud"),
        ('find("Bud").destroy()', "Delete Bud"),
        ('editor.duplicate(find("Bud"))', "Duplicate Bud"),
        ('find("Bud").transform.translate((1, 0, 0))', "Move Bud"),
        ('find("Twig").look_at((5, 5, 5))', "Turn Twig"),
        ('find("Bud").add("sim:Light", intensity=2)', "Add Light to Bud"),
        ('editor.paste(editor.copy(find("Bud")), find("Twig"))', "Paste Bud"),
        ('editor.cut(find("Bud"))', "Cut Bud"),
        ('editor.move_component(component("cmp_light"), 0)', "Move Board > Light"),
        ('editor.create("New", parent=find("Bud"))', "Create New"),
        ('editor.set_enabled(component("cmp_light"), True)', "Enable Board > Light"),
        ('editor.rename(scene.get("obj_bud"), "X")', "Rename Bud to X"),
    ],
)
def test_a_line_is_an_edit_that_can_be_undone(stage, type_in, line, label):
    before = stage.bytes
    type_in(line)
    assert stage.editor.undo_label == label
    assert stage.bytes != before
    stage.editor.undo()
    assert stage.bytes == before


def test_the_rest_is_the_objects_own(stage, type_in):
    type_in('assert find("Board").id == "obj_board" and find("none") is None')
    type_in('assert find("Board").transform.position.x == 0 and "id" in dir(find("Board"))')
    type_in(
        'assert len(find("Twig").material) == 2 and list(find("Twig").material) and repr(find("Twig"))'
    )
    assert not stage.editor.can_undo
    for line in ('find("Board").colour = 1', 'find("Board").transform.place = 1'):
        with pytest.raises(AttributeError, match="expected"):
            type_in(line)
    with pytest.raises(EditError, match="scale: expected"):
        type_in('find("Board").transform.scale = (0, 0, 0)')
    assert not stage.editor.can_undo


def test_a_twin_that_two_share_is_found_by_path_or_id(stage):
    editor = stage.start()
    told = []
    editor.on_edit.append(lambda edit: told.append(edit.python))
    editor.rename(stage.find("Leaf"), "Root")
    found = stage.app.scene.get("obj_root")
    editor.set_transform(found, position=(1, 0, 0))
    copy = editor.create("Root")
    editor.set_transform(copy, position=(1, 0, 0))
    assert told[1] == 'editor.set_transform(scene.get("obj_root"), position=(1, 0, 0))'
    assert told[3].startswith(f'editor.set_transform(scene.get("{copy.id}")')
    leaf = stage.app.scene.get("obj_leaf")
    editor.set_visible(leaf, True)
    assert told[4] in (
        'editor.set_visible(find("Root"), True)', 'editor.set_visible(find("Board/Twig/Root"), True)'
    )  # fmt: skip
