"""Copy, cut and paste by keys, the views from six sides, flying, and the inspector's letters."""

from __future__ import annotations

import numpy as np
import pytest
from imgui_bundle import imgui

from sim.core.input.input_actions import InputEvent
from sim.core.script.file_question import FileQuestion
from sim.testing import Pilot
from sim.ui.panels.add_component import AddComponent
from sim.ui.panels.component_menu import ComponentMenu
from tests.sim.ui.shell.fed_events import fed_events


@pytest.fixture(scope="module")
def shared():
    with Pilot(scene="scenes/hello.scene.json", speed=1.0, quality="low") as made:
        made.app.clock.pause()
        made.app.shell.preferences.arrange("studio")
        made.picture()
        yield made


@pytest.fixture
def pilot(shared):
    shell = shared.app.shell
    while shell.studio.editor.undo():
        pass
    shell.preferences.arrange("studio")
    shell.studio.selection.choose(shared.app.scene.find("Stone"))
    shell.studio.selection.use("play")
    shared.draw_panels(8)
    return shared


def lines(pilot, level="debug"):
    return [
        item.text.removeprefix(">>> ") for item in pilot.app.console.records if item.level == level
    ]


def position_of(camera):
    return np.array([float(item) for item in camera.position])


def test_ctrl_c_and_v_copy_what_is_chosen_and_choose_the_copy(pilot):
    stone = pilot.app.scene.find("Stone")
    pilot.press("c", "control")
    assert '"goishi.objects/1"' in imgui.get_clipboard_text()
    pilot.press("v", "control")
    [made] = pilot.app.shell.studio.selection.objects
    assert (made.name, made.parent) == ("Stone 2", stone.parent)
    pilot.press("v", "control", "shift")
    [inner] = pilot.app.shell.studio.selection.objects
    assert inner.parent is made
    assert lines(pilot)[-3:] == [
        'do("studio.copy")', 'do("studio.paste")', 'do("studio.paste_below")'
    ]  # fmt: skip


def test_ctrl_x_takes_away_and_one_undo_brings_all_back(pilot):
    editor = pilot.app.shell.studio.editor
    before = editor.data()
    pilot.press("x", "control")
    assert pilot.app.scene.find("Stone") is None
    pilot.press("z", "control")
    assert editor.data() == before
    pilot.press("v", "control")
    assert pilot.app.scene.find("Stone 2") is not None


def test_foreign_text_is_one_line_of_the_console(pilot):
    imgui.set_clipboard_text("hello, world")
    pilot.press("v", "control")
    said = lines(pilot, "warning")[-1]
    assert said == "clipboard: expected objects copied in Goishi, found 'hello, world'"


def test_a_component_goes_by_its_menu_to_another_object(pilot):
    inspector = pilot.app.shell.studio.inspector
    stone, board = pilot.app.scene.find("Stone"), pilot.app.scene.find("Board")
    inspector.menu.copy(stone.components[0])
    pilot.app.shell.studio.selection.choose(board)
    pilot.press("v", "control")
    assert board.components[-1].type_name == stone.components[0].type_name
    assert board.components[-1].values == stone.components[0].values


@pytest.mark.parametrize(
    ("key", "modifiers", "way"),
    [
        ("num_1", (), (0, 1, 0)), ("num_1", ("control",), (0, -1, 0)),
        ("num_3", (), (-1, 0, 0)), ("num_3", ("control",), (1, 0, 0)),
        ("num_7", (), (0, 0, -1)), ("num_7", ("control",), (0, 0, 1)),
    ],
)  # fmt: skip
def test_keys_of_the_number_pad_look_from_the_sides(pilot, key, modifiers, way):
    camera = pilot.app.shell.view.camera
    pilot.press(key, *modifiers)
    for _ in range(200):
        camera.update(0.05)
    assert np.allclose(camera.eye.ahead, way, atol=1e-6)


def test_a_parallel_view_shows_near_and_far_alike_and_picks_what_is_there(pilot):
    camera, view = pilot.app.shell.view.camera, pilot.app.shell.view
    pilot.press("num_1")
    for _ in range(200):
        camera.update(0.05)
    pilot.press("num_5")
    assert camera.is_parallel
    left, right = np.array([0.0, 0.0, 0.0]), np.array(camera.eye.matrix[0, :3])
    back = np.array(camera.eye.ahead) * 3.0
    near, far = (camera.on_screen(np.array([at + left, at + right])) for at in (-back, back))
    assert np.allclose(near[1] - near[0], far[1] - far[0])
    pilot.picture()
    stone = pilot.app.scene.find("Stone")
    assert view.pick(*camera.project(stone.transform.world_position)) == stone.id
    origin, ahead = camera.ray(*camera.project((0.5, 0.25, 0.0)))
    assert np.allclose(np.cross(np.array([0.5, 0.25, 0.0]) - origin, ahead), 0.0, atol=1e-6)
    pilot.press("num_5")
    assert not camera.is_parallel


def test_the_right_button_and_w_fly_ahead_and_the_scene_hears_nothing(pilot):
    camera = pilot.app.shell.view.camera
    with fed_events() as seen:
        pilot.press("f6")  # the prompt has the keyboard
        pilot.draw_panels(4)
        left, top, width, height = pilot.app.shell.viewport
        place = {"x": left + width / 2, "y": top + height / 2}
        pilot.app.inject(InputEvent("pointer_move", **place))
        pilot.app.inject(InputEvent("button_down", key="mouse3", **place))
        pilot.step(2)
        before, ahead = position_of(camera), np.array(camera.eye.ahead)
        pilot.app.inject(InputEvent("text", text="w"))
        pilot.app.inject(InputEvent("key_down", key="w"))
        pilot.step(10)
        moved = position_of(camera) - before
        assert moved @ ahead > 0.001
        assert np.allclose(np.cross(moved, ahead), 0.0, atol=1e-6)
        assert pilot.app.shell.studio.selection.tool == "play", "W is no tool meanwhile"
        speed = camera.fly_speed
        pilot.app.inject(InputEvent("wheel", y=1.0))
        pilot.step()
        assert camera.fly_speed > speed
        pilot.app.inject(InputEvent("key_up", key="w"))
        eye = position_of(camera)
        pilot.app.inject(InputEvent("pointer_move", x=place["x"] + 40, y=place["y"]))
        pilot.step(3)
        assert np.allclose(position_of(camera), eye, atol=1e-6), "it looks around from where it is"
        pilot.app.inject(InputEvent("button_up", key="mouse3", **place))
        pilot.step(2)
    assert not [event for event in seen if event.key == "w"]
    assert pilot.app.shell.console.prompt.text == ""
    assert lines(pilot)[-1].startswith("view.camera.show(")


def test_the_scenes_limits_count_again_in_the_watch_layout(pilot):
    camera = pilot.app.shell.view.camera
    pilot.press("num_1")
    pilot.app.shell.preferences.arrange("watch")
    pilot.draw_panels(3)
    for _ in range(200):
        camera.update(0.05)
    assert not camera.is_free
    assert camera.camera.view.elevation >= camera.limits_elevation[0] - 1e-6


def test_the_outline_follows_a_change_of_the_projection(pilot):
    shell, stone = pilot.app.shell, pilot.app.scene.find("Stone")
    shell.preferences.arrange("studio")
    pilot.draw_panels(8)
    shell.studio.selection.choose(stone)
    shell.view.camera.look_at(stone.transform.position, 3.0)
    for _ in range(200):
        shell.view.camera.update(0.05)

    def outline():
        pilot.draw_panels(2)
        lines = shell.studio.outlines.lines_of(stone)
        return np.array([(point.x, point.y) for point in lines[0]])

    before = outline()
    shell.do("studio.parallel")
    flat = outline()
    assert before.shape != flat.shape or np.abs(before - flat).max() > 1.0
    shell.do("studio.parallel")
    assert (outline() == before).all()


def test_a_letter_of_a_vector_is_pulled_as_one_step(pilot):
    stone, editor = pilot.app.scene.find("Stone"), pilot.app.shell.studio.editor
    before = tuple(stone.transform.position)
    pilot.draw_panels(4)
    places = []
    from sim.ui.widgets import vector_fields

    draw = vector_fields._draw_letter

    def noted(theme, axis):
        at = imgui.get_cursor_screen_pos()
        places.append((axis.letter, at.x + 4, at.y + 8))
        return draw(theme, axis)

    vector_fields._draw_letter = noted
    try:
        pilot.app.shell.layer.refresh()
        pilot.draw_panels(2)
    finally:
        vector_fields._draw_letter = draw
    _, x, y = next(place for place in places if place[0] == "Y")
    pilot.app.inject(InputEvent("pointer_move", x=x, y=y))
    pilot.step(2)
    pilot.app.inject(InputEvent("button_down", key="mouse1", x=x, y=y))
    pilot.step(2)
    for step in range(1, 6):
        pilot.app.inject(InputEvent("pointer_move", x=x + 10 * step, y=y))
        pilot.step(2)
    pilot.app.inject(InputEvent("button_up", key="mouse1", x=x + 50, y=y))
    pilot.step(3)
    assert stone.transform.position[1] == pytest.approx(before[1] + 50 * 0.02)
    editor.undo()
    assert tuple(stone.transform.position) == before


def test_a_header_is_dragged_onto_another_and_one_undo_brings_the_order_back(pilot, monkeypatch):
    stone, editor = pilot.app.scene.find("Stone"), pilot.app.shell.studio.editor
    for kind in ("sim:Light", "sim:RigidBody"):
        editor.add_component(stone, kind)
    order = [slot.class_name for slot in stone.components]
    places: dict[str, tuple[float, float]] = {}
    drag = ComponentMenu._drag

    def noted(menu, slot):
        low = imgui.get_item_rect_min()
        places[slot.class_name] = (low.x + 60, (low.y + imgui.get_item_rect_max().y) / 2)
        drag(menu, slot)

    monkeypatch.setattr(ComponentMenu, "_drag", noted)
    pilot.app.shell.layer.refresh()
    pilot.draw_panels(4)
    (x, y), goal = places["RigidBody"], places["Light"]
    pilot.app.inject(InputEvent("pointer_move", x=x, y=y))
    pilot.step(2)
    pilot.app.inject(InputEvent("button_down", key="mouse1", x=x, y=y))
    pilot.step(2)
    for part in np.linspace(0.0, 1.0, 6):
        pilot.app.inject(
            InputEvent("pointer_move", x=x + part * (goal[0] - x), y=y + part * (goal[1] - y))
        )
        pilot.step(2)
    pilot.app.inject(InputEvent("button_up", key="mouse1", x=goal[0], y=goal[1]))
    pilot.step(3)
    moved = [slot.class_name for slot in stone.components]
    assert moved.index("RigidBody") == order.index("Light")
    assert moved.index("Light") == order.index("Light") + 1
    assert any("move_component" in line for line in lines(pilot))
    editor.undo()
    assert [slot.class_name for slot in stone.components] == order


def test_enter_in_the_search_adds_the_component_that_fits_best(pilot, monkeypatch):
    stone, inspector = pilot.app.scene.find("Stone"), pilot.app.shell.studio.inspector
    before, places = len(stone.components), []
    draw = AddComponent.draw

    def noted(adding, theme, obj):
        at = imgui.get_cursor_screen_pos()
        places.append((at.x + 60, at.y + 22))
        draw(adding, theme, obj)

    monkeypatch.setattr(AddComponent, "draw", noted)
    pilot.app.shell.layer.refresh()
    pilot.draw_panels(4)
    pilot.click(*places[-1])
    pilot.draw_panels(4)
    pilot.type_text("sound")
    pilot.draw_panels(3)
    assert inspector.adding.search == "sound"
    assert inspector.adding.found()[0] == "sim:Sound"  # Listener is in the group Sound, too
    pilot.press("enter")
    pilot.draw_panels(3)
    assert [slot.class_name for slot in stone.components][before:] == ["Sound"]


def test_what_is_searched_for_and_not_found_is_the_name_of_a_new_script(pilot, monkeypatch):
    stone, inspector = pilot.app.scene.find("Stone"), pilot.app.shell.studio.inspector
    places, asked = [], []

    def refuse(name):
        asked.append(name)
        raise ValueError("expected a Python name")

    draw = AddComponent.draw

    def noted(adding, theme, obj):
        at = imgui.get_cursor_screen_pos()
        places.append((at.x + 60, at.y + 22))
        draw(adding, theme, obj)

    pilot.app.shell.studio.selection.choose(stone)
    monkeypatch.setattr(AddComponent, "draw", noted)
    monkeypatch.setattr(inspector.adding, "make_script", refuse)
    pilot.app.shell.layer.refresh()
    pilot.draw_panels(4)
    pilot.click(*places[-1])
    pilot.draw_panels(4)
    pilot.type_text("2hop")
    pilot.draw_panels(3)
    pilot.press("enter")
    pilot.draw_panels(4)
    pilot.press("enter")
    pilot.draw_panels(4)
    assert asked == ["2hop"]
    assert inspector.adding.message == "expected a Python name"
    pilot.type_text("hop_about")  # the field has the keyboard again, its text chosen
    pilot.draw_panels(3)
    pilot.press("enter")
    pilot.draw_panels(4)
    assert asked == ["2hop", "hop_about"]
    pilot.press("escape")
    pilot.draw_panels(3)


def test_behind_a_dialog_no_key_changes_anything(pilot, tmp_path):
    shell = pilot.app.shell
    pilot.press("c", "control")
    count = len(pilot.app.scene.objects)
    said = len(lines(pilot))
    pilot.app.host.panels.ask_file(FileQuestion("Open a scene", folder=tmp_path))
    pilot.draw_panels(8)
    pilot.click(*np.array(pilot.app.display.size) / 2)  # into the list: no text field has the keys
    pilot.draw_panels(4)
    assert not imgui.get_io().want_text_input
    for keys in (("v", "control"), ("d", "control"), ("delete",), ("z", "control"), ("w",)):
        pilot.press(*keys)
        pilot.draw_panels(3)
    assert (len(pilot.app.scene.objects), shell.studio.selection.tool) == (count, "play")
    assert lines(pilot)[said:] == []
    pilot.press("escape")
    pilot.draw_panels(4)
    assert pilot.app.host.panels.asked_file is None
    pilot.press("v", "control")
    assert len(pilot.app.scene.objects) == count + 1
