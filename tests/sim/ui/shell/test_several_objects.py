"""Several objects at once: clicks with Ctrl and Shift, a box, handles and numbers of all."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from imgui_bundle import imgui

from sim.core.input.input_actions import InputEvent
from sim.core.scene.fields import Color
from sim.testing import Pilot
from sim.ui.panels.inspector import shared_slots
from sim.ui.widgets.field_widgets import SWATCH
from sim.ui.widgets.gizmo import AXES, SIZE
from sim.ui.widgets.selection import toggled

NAMES = ("Block 1", "Block 2", "Block 3")


@pytest.fixture(scope="module")
def sandbox():
    with Pilot(scene="scenes/sandbox.scene.json", speed=1.0, quality="low") as made:
        made.app.shell.preferences.arrange("studio")
        made.app.clock.pause()
        made.picture()
        yield made


@pytest.fixture
def pilot(sandbox):
    studio = sandbox.app.shell.studio
    studio.selection.choose(None)
    studio.selection.use("play")
    sandbox.draw_panels()
    yield sandbox
    while sandbox.app.editor.can_undo:
        sandbox.app.editor.undo()


def objects(pilot, *names):
    return [pilot.app.scene.find(name) for name in names]


def chosen(pilot):
    return [obj.name for obj in pilot.app.shell.studio.selection.objects]


def click(pilot, x, y, *modifiers):
    held = frozenset(modifiers)
    pilot.move(x, y)
    for kind in ("button_down", "button_up"):
        pilot.app.inject(InputEvent(kind, key="mouse1", x=x, y=y, modifiers=held))
        pilot.step()
    pilot.draw_panels()


def drag(pilot, start, end, *modifiers):
    held = frozenset(modifiers)
    pilot.move(*start)
    pilot.draw_panels()
    pilot.app.inject(
        InputEvent("button_down", key="mouse1", x=start[0], y=start[1], modifiers=held)
    )
    pilot.draw_panels(2)
    for share in (0.3, 0.6, 1.0):
        pilot.move(*(a + (b - a) * share for a, b in zip(start, end, strict=True)))
        pilot.draw_panels()
    pilot.app.inject(InputEvent("button_up", key="mouse1", x=end[0], y=end[1], modifiers=held))
    pilot.draw_panels(2)


def row_place(pilot, name):
    rows = [obj.name for obj, _ in pilot.app.shell.studio.hierarchy.rows()]
    return 70, 109 + 20 * rows.index(name)


def test_ctrl_and_shift_in_the_tree_add_take_away_and_extend(pilot):
    click(pilot, *row_place(pilot, "Moon"))
    assert chosen(pilot) == ["Moon"]
    click(pilot, *row_place(pilot, "Segment 2"), "control")
    assert chosen(pilot) == ["Moon", "Segment 2"]
    click(pilot, *row_place(pilot, "Moon"), "control")
    assert chosen(pilot) == ["Segment 2"]
    click(pilot, *row_place(pilot, "Segment 5"), "shift")
    assert sorted(chosen(pilot)) == [f"Segment {number}" for number in range(2, 6)]
    click(pilot, *row_place(pilot, "Segment 3"), "shift")
    assert sorted(chosen(pilot)) == ["Segment 2", "Segment 3"], "from the one selected before"
    said = [str(item) for item in pilot.app.console.records if item.level == "debug"]
    assert 'shell.choose(find("Segment 3"), find("Segment 2"))' in said[-1]


def test_ctrl_clicks_into_the_picture_add_and_take_away(pilot):
    one, other = objects(pilot, "Plinth", "Block 3")
    pilot.press("t")
    places = [pilot.app.view.middle_of(obj.id) for obj in (one, other)]
    click(pilot, *places[0])
    click(pilot, *places[1], "control")
    assert chosen(pilot) == ["Plinth", "Block 3"]
    click(pilot, places[0][0] - 8, places[0][1] - 8, "shift")
    assert chosen(pilot) == ["Block 3"]


def test_a_box_selects_what_has_its_middle_in_it_and_shift_adds(pilot):
    view = pilot.app.view
    blocks = objects(pilot, *NAMES)
    middles = np.array([view.middle_of(obj.id) for obj in blocks])
    low, high = middles.min(axis=0) - 10.0, middles.max(axis=0) + 10.0
    pilot.press("t")
    drag(pilot, tuple(low), tuple(high))
    assert set(NAMES) <= set(chosen(pilot))
    assert "Table" not in chosen(pilot), "which lies behind all of them"
    x, y = view.middle_of(pilot.app.scene.find("Plinth").id)
    drag(pilot, (x - 60, y + 60), (x + 60, y - 2), "shift")
    assert {*NAMES, "Plinth"} <= set(chosen(pilot))


def test_toggled_takes_away_what_is_there_and_adds_what_is_not():
    assert toggled("ab", "b") == ("a",)
    assert toggled("ab", "bc") == ("a", "b", "c")
    assert toggled("ab", "") == ("a", "b")


def test_a_pull_of_the_handles_moves_all_of_them_in_one_step(pilot):
    app, studio = pilot.app, pilot.app.shell.studio
    blocks = objects(pilot, *NAMES)
    below = app.scene.find("Block 4")
    assert below.parent is blocks[1]
    before = [np.array(obj.transform.world_position) for obj in (*blocks, below)]
    steps = len(app.editor.history.done)
    studio.selection.choose(below, *blocks)
    pilot.press("t")
    pilot.draw_panels(2)
    camera = app.view.camera
    x, y = camera.project(blocks[-1].transform.world_position)
    along = camera.project(np.array(blocks[-1].transform.world_position) + np.array([0.6, 0, 0]))
    right, down = (float(item) for item in np.array(along) - np.array([x, y]))
    share = SIZE * 0.5 * camera.viewport[2] * 0.6 / (right**2 + down**2) ** 0.5
    start = (x + right * share, y + down * share)
    drag(pilot, start, (start[0] + right, start[1] + down))
    moved = [np.array(obj.transform.world_position) for obj in (*blocks, below)]
    pulls = [after - first for after, first in zip(moved, before, strict=True)]
    assert pulls[-2][0] > 0.2
    for pull in pulls:
        assert pull == pytest.approx(pulls[-2], abs=1e-3)
    assert app.editor.undo_label == "Move 3 objects"
    assert len(app.editor.history.done) == steps + 1
    app.editor.undo()
    again = [np.array(obj.transform.world_position) for obj in (*blocks, below)]
    assert np.allclose(again, before)


def test_delete_and_duplicate_of_several_are_one_step(pilot):
    app, studio = pilot.app, pilot.app.shell.studio
    count = len(app.scene.objects)
    studio.selection.choose(*objects(pilot, *NAMES, "Block 4"))
    studio.hierarchy.duplicate()
    assert len(app.scene.objects) == count + 4
    assert app.editor.undo_label == "Duplicate 3 objects"
    assert len(chosen(pilot)) == 3
    app.editor.undo()
    studio.selection.choose(*objects(pilot, *NAMES))
    studio.hierarchy.delete()
    pilot.step()
    assert len(app.scene.objects) == count - 4
    assert app.editor.undo_label == "Delete 3 objects"
    app.editor.undo()
    pilot.step()
    assert len(app.scene.objects) == count
    assert chosen(pilot) == list(NAMES)


def test_numbers_of_several_are_set_in_one_step_and_their_others_stay(pilot):
    app, several = pilot.app, pilot.app.shell.studio.inspector.several
    blocks = objects(pilot, *NAMES)
    before = [tuple(obj.transform.position) for obj in blocks]
    assert len({place[2] for place in before} | {0.0}) > 1
    app.shell.studio.selection.choose(*blocks)
    pilot.draw_panels(2)
    editor = app.editor
    done = several.edit_each(
        "position",
        "position of 3 objects",
        [lambda o=o: several._place(o, "position", 2, 3.0) for o in blocks],
    )
    assert done
    assert [tuple(obj.transform.position)[:2] for obj in blocks] == [place[:2] for place in before]
    assert {float(obj.transform.position[2]) for obj in blocks} == {3.0}
    assert editor.undo_label == "position of 3 objects"
    editor.undo()
    assert [tuple(obj.transform.position) for obj in blocks] == before


def test_of_several_one_that_refuses_keeps_all_as_they_were(pilot):
    app, several = pilot.app, pilot.app.shell.studio.inspector.several
    blocks = objects(pilot, *NAMES)
    names = [obj.name for obj in blocks]
    edits = [lambda: app.editor.rename(blocks[0], "New"), lambda: app.editor.rename(blocks[1], "")]
    assert not several.edit_each("head", "Rename", edits)
    assert several.form.messages["head"]
    assert [obj.name for obj in blocks] == names


def test_components_that_all_have_are_shown_once(pilot):
    blocks = objects(pilot, *NAMES)
    rows = shared_slots(blocks)
    assert [row[0].class_name for row in rows] == ["Tint"]
    assert len(rows[0]) == 3
    assert shared_slots([*blocks, pilot.app.scene.find("Moon")]) == []


def test_the_selection_has_an_outline_that_leaves_with_it(pilot):
    def orange():
        picture = pilot.picture()[60:480, 270:930].astype(int)
        return int((abs(picture - [60, 165, 255]).max(axis=2) < 12).sum())

    before = orange()
    pilot.app.shell.studio.selection.choose(*objects(pilot, "Block 1", "Block 3"))
    assert orange() > before + 150
    outlined = len(pilot.app.shell.studio.outlines._known)
    pilot.app.shell.preferences.arrange("watch")
    drawn = []
    outlines = pilot.app.shell.studio.outlines
    outlines.draw, draw = drawn.append, outlines.draw
    pilot.draw_panels(2)
    assert (outlined, drawn) == (2, []), "in Watch nothing lies over the scene"
    pilot.app.shell.studio.selection.use("move")
    pilot.draw_panels(2)
    assert drawn, "but the marks of what one edits"
    outlines.draw = draw
    pilot.app.shell.studio.selection.use("play")
    pilot.app.shell.preferences.arrange("studio")
    pilot.draw_panels(4)
    pilot.app.shell.studio.selection.choose(None)
    assert orange() == before


def test_axes_have_letters_and_bright_colours(pilot):
    pilot.app.shell.studio.selection.choose(*objects(pilot, "Block 3"))
    pilot.app.shell.studio.selection.use("move")
    picture = pilot.picture()[60:480, 270:930].astype(int)
    assert len(AXES) == 3
    for color in AXES.values():
        bgr = [int(color) >> shift & 0xFF for shift in (16, 8, 0)]
        assert max(bgr) >= 0xD6, "bright"
        assert (abs(picture - bgr).max(axis=2) < 10).sum() > 40


def test_choosing_an_object_anywhere_unfolds_it_in_the_tree(pilot):
    shell = pilot.app.shell
    hierarchy = shell.studio.hierarchy
    inner = next(obj for obj in pilot.app.scene.objects.values() if obj.name == "Eye")
    hierarchy._open.clear()
    assert inner not in [obj for obj, _ in hierarchy.rows()]
    shell.interpreter.run(f'shell.choose(scene.get("{inner.id}"))')
    assert inner in [obj for obj, _ in hierarchy.rows()]
    hierarchy._open.clear()
    pilot.draw_panels(2)
    assert inner not in [obj for obj, _ in hierarchy.rows()], "folded by hand it stays folded"


def test_a_double_click_on_a_components_header_opens_its_script(pilot, monkeypatch):
    shell, places = pilot.app.shell, {}
    section = type(shell.theme).section

    def noting(theme, label, **options):
        found = section(theme, label, **options)
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        places[label.partition("#")[0]] = ((low.x + high.x) / 2, (low.y + high.y) / 2)
        return found

    monkeypatch.setattr(type(shell.theme), "section", noting)
    shell.studio.selection.choose(*objects(pilot, "Block 3"))
    pilot.draw_panels(2)
    click(pilot, *places["Tint"])
    assert shell.script.current is None
    pilot.draw_panels(1)
    pilot.double_click(*places["Tint"])
    pilot.draw_panels()
    assert shell.script.current.name == "tint.py"
    assert shell.script.current.line > 1, "at the class"
    shell.script.close()


def test_a_list_of_colours_is_a_row_of_swatches(pilot, monkeypatch):
    shell, drawn = pilot.app.shell, []
    edit = imgui.color_edit3

    def editing(label, values, flags=0):
        drawn.append((tuple(round(item, 3) for item in values), flags))
        changed, new = edit(label, values, flags)
        return (True, [0.0, 1.0, 0.0]) if len(drawn) == 2 else (changed, new)

    monkeypatch.setattr(imgui, "color_edit3", editing)
    declared = SimpleNamespace(annotation=list[Color], is_reference=False, choices=None, name="c")
    raw, found = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], []
    widgets = shell.studio.inspector.form.widgets
    monkeypatch.setattr(
        shell.studio.inspector, "draw",
        lambda ui: found.append(widgets.draw(None, declared, raw)),
    )  # fmt: skip
    shell.panels[1].draw, usual = shell.studio.inspector.draw, shell.panels[1].draw
    assert shell.panels[1].title == "Inspector"
    pilot.draw_panels(1)
    shell.panels[1].draw = usual
    assert [color for color, _ in drawn[:2]] == [(1.0, 0.0, 0.0), (0.0, 0.0, 1.0)]
    assert all(flags == SWATCH for _, flags in drawn)
    assert found[0] == (True, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


def drawn_and_due(pilot, obj):
    """Return the corners of an object's outlines as drawn, and as the object is drawn now."""
    drawn = pilot.app.shell.studio.outlines.lines_of(obj)
    due = pilot.app.view.outlines(obj.id)
    found = [[(corner.x, corner.y) for corner in line] for line in drawn]
    return found, [[tuple(np.float32(corner)) for corner in line] for line in due]


def test_outlines_are_of_the_same_frame_as_their_object(pilot):
    studio, camera = pilot.app.shell.studio, pilot.app.view.camera
    (block,) = objects(pilot, NAMES[0])
    studio.selection.choose(block)
    pilot.draw_panels()
    before, place = [], block.transform.position
    for number in range(6):  # frames follow each other faster than the panels are laid out
        block.transform.position = (place[0] + 0.1 * number, place[1], place[2])
        if number > 3:
            camera.place((3.0 + number, -9.0, 6.0), (0.0, 0.0, 1.0))
        pilot.app.draw_next()
        pilot.app.frame()
        drawn, due = drawn_and_due(pilot, block)
        assert drawn == due
        assert drawn != before
        before = drawn
    block.transform.position = place
    camera.reset()


def test_outlines_follow_an_edit_of_a_panel_in_its_frame(pilot):
    studio = pilot.app.shell.studio
    (block,) = objects(pilot, NAMES[0])
    studio.selection.choose(block)
    pilot.draw_panels()
    edits = [lambda: studio.editor.set_transform(block, position=(1.0, 0.5, 2.0))]
    pilot.app.shell.add_window(lambda theme, size: edits.pop()() if edits else None)
    pilot.app.shell.layer.refresh()
    pilot.app.frame()
    assert not edits
    drawn, due = drawn_and_due(pilot, block)
    assert drawn == due
    pilot.app.shell.windows.pop()
