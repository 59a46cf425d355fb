"""Editing by hand: the tree, the inspector, undo, and what nonsense does."""

from __future__ import annotations

import itertools
import math

import pytest
from imgui_bundle import imgui

from sim.core.input.input_actions import InputEvent
from sim.core.scene.scene import SlotState
from sim.testing import Pilot
from sim.ui.shell.bars import BAR_HEIGHT

HELLO = "scenes/hello.scene.json"


PILOT = {"scene": HELLO, "speed": 1.0, "quality": "low"}


@pytest.fixture
def pilot(pilot):
    pilot.app.shell.preferences.arrange("studio")
    pilot.picture()
    return pilot


def row_place(pilot, name):
    """Where a row of the hierarchy stands, as rows lie below each other from the top."""
    rows = [obj.name for obj, _ in pilot.app.shell.studio.hierarchy.rows()]
    return 60, 109 + 20 * rows.index(name)


def lines(pilot, level="error"):
    return [str(item) for item in pilot.app.console.records if item.level == level]


def test_a_click_in_the_tree_chooses_an_object(pilot):
    names = [obj.name for obj, _ in pilot.app.shell.studio.hierarchy.rows()]
    for name in names[:2]:
        pilot.click(*row_place(pilot, name))
        pilot.step(2)
        assert pilot.app.shell.studio.selection.object.name == name


def test_a_click_into_the_picture_chooses_what_is_seen_there(pilot):
    studio = pilot.app.shell.studio
    pilot.app.clock.pause()
    pilot.step(2)
    stone = next(obj for obj in pilot.app.scene.objects.values() if obj.model
                 and obj.model.get("builtin") == "stone")  # fmt: skip
    place = pilot.pixel_of(stone.transform.world_position)
    pilot.click(*place)
    assert studio.selection.object is None  # the hand leaves clicks to the scripts
    pilot.press("t")
    pilot.click(*place)
    assert studio.selection.object is stone
    pilot.press("q")
    assert studio.selection.tool == "play"


def test_the_tree_finds_by_name_and_by_component(pilot):
    hierarchy = pilot.app.shell.studio.hierarchy
    hierarchy.search = "LIGHT"
    assert {obj.name for obj, _ in hierarchy.rows()} == {
        obj.name
        for obj in pilot.app.scene.objects.values()
        if "light" in obj.name.lower() or any("Light" in s.class_name for s in obj.components)
    }
    hierarchy.search = "no such thing"
    assert hierarchy.rows() == []
    pilot.picture()


def test_make_rename_hang_elsewhere_copy_delete_and_undo_it_all(pilot):
    app = pilot.app
    studio, editor = app.shell.studio, app.editor
    before = editor.data()
    studio.hierarchy.create("Box")
    box = studio.selection.object
    assert box.model["builtin"] == "box"
    studio.hierarchy.attempt(editor.rename, box, "Crate")
    other = next(obj for obj in app.scene.roots if obj is not box)
    studio.hierarchy.drop(box.id, other)
    assert box.parent is other
    studio.hierarchy.duplicate()
    copy = studio.selection.object
    assert copy is not box
    assert copy.parent is other
    studio.hierarchy.delete()
    assert app.scene.get(copy.id) is None or not app.scene.get(copy.id).is_alive
    pilot.picture()
    for _ in range(5):
        app.inject(InputEvent("key_down", key="z", modifiers=frozenset({"control"})))
        pilot.step()
        app.inject(InputEvent("key_up", key="z"))
        pilot.step()
    assert editor.data() == before
    assert not editor.can_undo
    studio.redo()
    assert app.scene.find("Box") is not None
    assert lines(pilot) == []


def test_a_thing_cannot_hang_below_itself(pilot):
    hierarchy = pilot.app.shell.studio.hierarchy
    hierarchy.create("Empty")
    parent = pilot.app.shell.studio.selection.object
    hierarchy.create("Empty")
    child = pilot.app.shell.studio.selection.object
    hierarchy.drop(child.id, parent)
    hierarchy.drop(parent.id, child)
    assert hierarchy.message
    assert parent.parent is None
    pilot.picture()


def test_nonsense_numbers_are_refused_with_a_message(pilot):
    studio = pilot.app.shell.studio
    obj = pilot.app.scene.roots[0]
    studio.selection.choose(obj)
    for key, value in itertools.product(
        ("position", "rotation", "scale"), (math.nan, math.inf, 1e300, -1e300)
    ):
        studio.inspector.form.messages.clear()
        before = tuple(getattr(obj.transform, key))
        taken = studio.inspector.form.attempt(
            key, pilot.app.editor.set_transform, obj, **{key: (value, 1.0, 1.0)}
        )
        assert not taken, (key, value)
        assert studio.inspector.form.messages[key]
        assert tuple(getattr(obj.transform, key)) == before
        pilot.picture()
        assert lines(pilot) == []


def test_a_bad_name_is_refused(pilot):
    studio = pilot.app.shell.studio
    obj = pilot.app.scene.roots[0]
    before = obj.name
    for name in ("", "   ", "a/b\n", "x" * 10_000, "\x00"):
        assert not studio.inspector.form.attempt("head", pilot.app.editor.rename, obj, name), name
        assert obj.name == before


def test_an_emoji_is_a_name(pilot):
    obj = pilot.app.scene.roots[0]
    pilot.app.shell.studio.selection.choose(obj)
    pilot.app.editor.rename(obj, "🙂 Ünï")
    pilot.picture()
    assert obj.name == "🙂 Ünï"


def test_every_object_can_be_inspected_in_both_themes(pilot):
    shell = pilot.app.shell
    for theme in ("dark", "light"):
        shell.preferences.set_theme(theme)
        for obj in list(pilot.app.scene.objects.values()):
            shell.studio.selection.choose(obj)
            pilot.picture()
    assert lines(pilot) == []


def test_a_field_is_edited_and_what_it_refuses_stands_beside_it(pilot):
    app, studio = pilot.app, pilot.app.shell.studio
    slot = next(s for s in app.scene.components() if s.type_name == "sim:Light")
    studio.selection.choose(slot.object)
    assert studio.inspector.form.attempt("x", app.editor.set_field, slot, "intensity", 2.5)
    assert slot.instance.intensity == 2.5
    key = f"{slot.id}/intensity"
    assert not studio.inspector.form.attempt(key, app.editor.set_field, slot, "intensity", -3.0)
    assert "from 0 to 100" in studio.inspector.form.messages[key]
    assert slot.instance.intensity == 2.5
    pilot.picture()
    studio.undo()
    assert slot.instance.intensity == 3.0
    for redo in (("y", "control"), ("z", "control", "shift")):
        pilot.press(*redo)
        assert slot.instance.intensity == 2.5, redo
        pilot.press("z", "control")
        assert slot.instance.intensity == 3.0, redo


def test_a_component_is_added_switched_off_and_removed(pilot):
    app, studio = pilot.app, pilot.app.shell.studio
    obj = app.scene.roots[0]
    studio.selection.choose(obj)
    types = studio.inspector.component_types()
    assert "sim:Light" in types
    assert any(item.startswith("scripts.common.") for item in types)
    slot = app.editor.add_component(obj, "scripts.common.hello_stone:HelloStone")
    pilot.step(3)
    assert slot.state is SlotState.READY
    app.editor.set_enabled(slot, False)
    assert not slot.is_active
    pilot.picture()
    app.editor.remove_component(slot)
    assert slot not in obj.components
    pilot.picture()
    assert lines(pilot) == []


def test_a_broken_component_is_red_and_says_why(pilot):
    app = pilot.app
    slot = next(s for s in app.scene.components() if s.class_name == "HelloStone")
    app.host.call(slot, "update", lambda: 1 / 0)
    app.shell.studio.selection.choose(slot.object)
    pilot.picture()
    assert slot.state is SlotState.QUARANTINED
    assert app.shell.studio.inspector.scripts.script_of(slot).name.endswith(".py")


def test_saving_writes_the_scene_and_says_so(pilot, tmp_path):
    app = pilot.app
    path = tmp_path / "scenes" / "a.scene.json"
    path.parent.mkdir()
    app.run_context.scene_path = path
    app.editor.rename(app.scene.roots[0], "Saved")
    app.shell.studio.save()
    assert "Saved" in path.read_text(encoding="utf-8")
    assert not app.editor.is_changed
    app.run_context.scene_path = tmp_path / "missing" / "a.scene.json"
    app.editor.rename(app.scene.roots[0], "Again")
    app.shell.studio.save()
    assert len(lines(pilot)) == 1
    assert app.editor.is_changed


def test_each_edit_tells_its_python(pilot):
    app = pilot.app
    app.editor.rename(app.scene.roots[0], "Told")
    assert any("Told" in line and ">>>" in line for line in lines(pilot, "debug"))


def test_stop_brings_the_scene_back_and_play_begins_anew(pilot):
    app, bar = pilot.app, pilot.app.shell.playback
    stone = next(s for s in app.scene.components() if s.class_name == "HelloStone").object
    begun = tuple(stone.transform.position)
    app.scene.spawn("Made by a script")
    pilot.step(40)
    assert tuple(stone.transform.position) != begun or app.clock.time > 0
    bar.stop()
    pilot.step(5)
    pilot.picture()
    assert app.clock.is_stopped
    assert app.scene.find("Made by a script") is None
    again = app.scene.find(stone.name)
    place = tuple(again.transform.position)
    pilot.step(20)
    assert tuple(app.scene.find(stone.name).transform.position) == place
    pilot.press("space")
    time = app.clock.time
    pilot.step(20)
    assert not app.clock.is_stopped
    assert app.clock.time > time
    assert lines(pilot) == []


@pytest.mark.parametrize("keep", [True, False])
def test_edits_made_while_playing_are_kept_or_dropped(pilot, keep):
    app, bar = pilot.app, pilot.app.shell.playback
    app.editor.rename(app.scene.roots[0], "By hand")
    bar.stop()
    pilot.picture()  # it asks
    assert not app.clock.is_stopped
    bar.end(keep=keep)
    pilot.step(3)
    assert (app.scene.find("By hand") is not None) == keep


def test_what_is_typed_at_the_prompt_is_an_edit(pilot):
    app = pilot.app
    app.shell.studio.selection.choose(app.scene.roots[0])
    run = app.shell.interpreter.run
    assert run("selected.name = 'Typed'").error is None
    assert app.scene.roots[0].name == "Typed"
    assert run("editor.set_field(component('Light'), 'intensity', 2)").error is None
    app.shell.studio.undo()
    app.shell.studio.undo()
    assert app.scene.roots[0].name != "Typed"


def test_a_texture_is_shown_small_and_clips_are_played_from_the_inspector(tmp_path):
    with Pilot(speed=1.0, player_white="random", quality="low") as pilot:
        app, shell = pilot.app, pilot.app.shell
        shell.preferences.arrange("studio")
        figure = next(obj for obj in app.scene.objects.values() if "asset" in (obj.model or {}))
        shell.studio.selection.choose(figure)
        pilot.wait_until(lambda: figure.animation.clips)
        shell.ui.imgui.set_current_context(shell.backend.context)
        look = shell.studio.inspector.look
        drawn = []
        shell.add_panel("Look", lambda ui: drawn.append(look.draw(ui.theme, figure)), icon="eye")
        shell.layout.rebuild()
        pilot.picture()
        shell.panel_windows.open_front("Look")
        pilot.picture()
        assert drawn
        assert lines(pilot) == []


def test_an_object_dropped_on_another_hangs_below_it(pilot):
    roots = [obj for obj in pilot.app.scene.roots if not obj.children]
    moved, parent = roots[0], roots[1]
    app = pilot.app
    start, end = row_place(pilot, moved.name), row_place(pilot, parent.name)
    pilot.move(*start)
    app.inject(InputEvent("button_down", key="mouse1", x=start[0], y=start[1]))
    pilot.step(2)
    for share in (0.2, 0.5, 1.0):
        pilot.move(*(a + (b - a) * share for a, b in zip(start, end, strict=True)))
        pilot.step(2)
    app.inject(InputEvent("button_up", key="mouse1", x=end[0], y=end[1]))
    pilot.step(3)
    assert moved.parent is parent
    said = lines(pilot, "debug")[-1]
    assert f'editor.set_parent(find("{moved.name}"), find("{parent.name}"))' in said


def test_a_change_of_theme_or_size_leaves_no_trace_in_the_other_sizes(pilot):
    shell = pilot.app.shell

    def sizes():
        style = imgui.get_style()
        pair = style.window_min_size
        return (pair.x, pair.y, style.separator_size, style.log_slider_deadzone)

    pilot.draw_panels()
    usual = sizes()
    for name in ("light", "dark", "light"):
        shell.preferences.set_scale(2.0)
        shell.preferences.set_theme(name)
        assert sizes() == pytest.approx([2.0 * item for item in usual])
    pilot.draw_panels(4)
    bar = imgui.internal.find_window_by_name("Playback")
    assert bar.size.y == shell.theme.px(BAR_HEIGHT), "and covers nothing below it"
    shell.preferences.set_scale(1.0)
    assert sizes() == pytest.approx(usual)


def test_a_panel_over_the_picture_can_be_closed():
    with Pilot(scene="scenes/self_teaching.scene.json", speed=1.0, quality="low",
               player_white="pattern") as pilot:  # fmt: skip
        shell = pilot.app.shell
        drawn = []
        entry = next(item for item in pilot.app.host.panels.panels if item.title == "Scoreboard")
        entry.draw = lambda ui: drawn.append(ui)
        pilot.draw_panels(2)
        assert drawn
        shell.open("Scoreboard", is_open=False)
        pilot.draw_panels()
        drawn.clear()
        pilot.draw_panels(2)
        assert drawn == []
