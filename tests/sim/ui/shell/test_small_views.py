"""What stands over and below the view leaves the scene in sight, and can be used."""

from __future__ import annotations

import itertools
import time
from types import SimpleNamespace

import pytest
from imgui_bundle import imgui

from sim.core.reporting.console import ConsoleRecord
from sim.render.view.camera_rig import FREE_EDGE, MOST_ABOVE
from sim.ui.widgets import overlays

HELLO = "scenes/hello.scene.json"
SCRIPT = "scripts/common/hello_stone.py"


PILOT = {"scene": HELLO, "window": (1280, 720), "speed": 1.0, "quality": "low"}


@pytest.fixture(scope="module")
def pilot(module_pilot):
    return module_pilot


@pytest.fixture
def shell(pilot):
    """The panels in a window at 100 %, and then as they were."""
    shell = pilot.app.shell
    shell.preferences.arrange("studio")
    shell.preferences.set_scale(1.0)
    shell.layer.lay_out(least=9)
    yield shell
    for entry in [panel for panel in pilot.app.host.panels.panels if panel.title == "Own"]:
        pilot.app.host.panels.remove(entry)
    pilot.app.host.panels.present(False)


def add(pilot, draw, dock):
    """Register a panel of a script over the view."""
    slot = next(iter(pilot.app.scene.components()))
    pilot.app.host.panels.register(slot, "Own", draw, dock=dock)


def rows(count):
    def draw(ui):
        for number in range(count):
            ui.text(f"row {number}")

    return draw


def covered_by(camera):
    """Return the shares that the view is being fitted between, once it stands."""
    for _ in range(200):
        camera.follow(0.05)
    return camera.covered, camera.covered_above


def test_the_legend_covers_nothing_while_it_is_shown(pilot, shell):
    camera = shell.view.camera
    slot = next(iter(pilot.app.scene.components()))
    pilot.app.host.panels.set_legend(slot, "Players", ["one", "two", "three"])
    shell.overlays._opened = time.monotonic()
    shell.layer.lay_out(least=3)
    below, _ = covered_by(camera)
    height = shell.overlays._heights[overlays.CARD]
    assert below + FREE_EDGE >= height / shell.viewport[3] > 0.1
    shell.overlays.dismiss()
    shell.overlays._opened = -1e9
    shell.layer.lay_out(least=2)
    assert covered_by(camera)[0] == 0.0


def test_a_panel_at_the_upper_edge_is_no_more_over_the_scene_than_must_be(pilot, shell):
    camera = shell.view.camera
    add(pilot, rows(8), "overlay-top")
    shell.layer.lay_out(least=3)
    assert 0.0 < covered_by(camera)[1] <= MOST_ABOVE
    shell.preferences.set_scale(2.0)
    shell.open_at(SCRIPT, 1)
    shell.layer.lay_out(least=3)
    assert shell.viewport[3] < 2.0 * overlays.LOW_VIEW
    assert shell.overlays.covered_above == 0.0, "in a very low view it gives way"


def test_a_dock_whose_last_panel_is_closed_goes_in_the_same_drawing(shell):
    shell.preferences.arrange("watch")
    shell.panel_windows.open_front("Console")
    shell.layer.lay_out(least=9)
    low = shell.viewport[3]
    shell.open("Console", is_open=False)
    shell.layer.lay_out()
    assert shell.viewport[3] > low + 100


def test_the_first_script_has_room_for_lines_at_any_size(shell):
    shell.script.close()
    for scale in (1.0, 2.0):
        shell.preferences.set_scale(scale)
        shell.layer.lay_out(least=9)
        shell.open_at(SCRIPT, 1)
        shell.layer.lay_out(least=3)
        (window,) = [
            item
            for item in imgui.get_current_context().windows
            if item.was_active and SCRIPT in item.name.replace("\\", "/") and "##" in item.name
        ]
        line = shell.theme.px(imgui.get_text_line_height() / shell.theme.scale)
        assert window.size.y >= 4 * line
        shell.script.close()


def test_buttons_of_a_presentation_stand_side_by_side_and_can_be_pressed(pilot, shell):
    pressed, places = [], []

    def draw(ui):
        places.clear()
        for label in ("Undo", "Hint", "Swap sides", "Resign", "Leave"):
            ui.beside(ui.button_width(label))
            if ui.button(label):
                pressed.append(label)
            low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
            places.append(((low.x + high.x) / 2, (low.y + high.y) / 2))

    add(pilot, draw, "overlay-bottom")
    pilot.app.host.panels.present(True)
    pilot.draw_panels(3)
    assert len({y for _, y in places}) == 1
    pilot.click(*places[1])
    assert pressed == ["Hint"]


def test_two_clicks_of_a_pilot_are_a_double_click_however_slow_the_frames_are(
    pilot, shell, monkeypatch
):
    seen, place = [], []

    def draw(ui):
        ui.button("here")
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        place[:] = [(low.x + high.x) / 2, (low.y + high.y) / 2]
        if imgui.is_item_hovered() and imgui.is_mouse_double_clicked(0):
            seen.append(1)

    add(pilot, draw, "overlay-top")
    pilot.draw_panels(3)
    now = itertools.count(time.monotonic() + 10.0)  # each frame takes some seconds
    slow = SimpleNamespace(monotonic=lambda: float(next(now)))
    monkeypatch.setattr("sim.ui.shell.backend.time", slow)
    for _ in range(2):
        pilot.click(*place)
    assert not seen
    pilot.double_click(*place)
    assert seen == [1]


def test_the_timeline_leaves_a_low_view_to_the_scene_until_it_is_used(shell, monkeypatch):
    monkeypatch.setattr(type(shell.timeline.rewind), "is_on", True)
    shell.open_at(SCRIPT, 1)
    shell.layer.lay_out(least=5)
    assert shell.shows_timeline, "the view is high enough"
    without = shell.viewport[3]
    shell.preferences.set_scale(2.0)
    shell.layer.lay_out(least=9)
    assert shell.viewport[3] < 2.0 * overlays.LOW_VIEW < 2.0 * without
    assert not shell.shows_timeline
    shell.script.close()


def test_messages_leave_a_part_of_what_lies_beside_the_view(pilot, shell, monkeypatch):
    shell.preferences.set_scale(2.0)
    shell.layer.lay_out(least=9)
    places, begin = {}, imgui.begin

    def noting(name, *more):
        found = begin(name, *more)
        places[name] = imgui.get_window_pos().y
        return found

    monkeypatch.setattr(imgui, "begin", noting)
    for number in (1, 2, 3, 3):
        text = f"scripts/a_name/that_is/broken_in_lines.py:{number} SyntaxError "
        shell.overlays.say(text * 3, "red")
    assert len(shell.overlays.toasts) == 3, "the same message is shown once"
    shell.layer.lay_out(least=3)
    _, top, _, height = shell.viewport
    places.clear()  # of windows that had no size yet
    shell.layer.lay_out(least=2)
    upper = min(place for name, place in places.items() if name.startswith("toast"))
    assert "toast 1" in places
    assert upper > top + 0.1 * height, "what lies there can be used"
    shell.overlays.toasts.clear()


def test_a_message_names_a_file_once(shell):
    record = ConsoleRecord(
        "error", "SyntaxError: bad", source="scripts/a.py", component="reload",
        file="scripts/a.py", line=3,
    )  # fmt: skip
    assert overlays.message_of(record) == "ERROR  scripts/a.py:3  SyntaxError: bad"
    record.source = "Board"
    assert overlays.message_of(record).startswith("ERROR Board > reload")


def test_what_a_key_does_is_never_cut(shell, monkeypatch):
    shell.preferences.set_scale(2.0)
    shell.panel_windows.open_front("Keys")
    places, text = [], imgui.text_wrapped

    def noting(words):
        text(words)
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        places.append((words, low.y, high.y))

    monkeypatch.setattr(imgui, "text_wrapped", noting)
    shell.layer.lay_out(least=9)
    shell.open("Keys", is_open=False)
    labels = [row.label for row in shell.key_list.rows() if row.key]
    seen = [place for place in places if place[0] in labels]
    found = seen[max(index for index, place in enumerate(seen) if place[0] == labels[0]) :]
    assert len(found) >= 4
    assert [words for words, *_ in found] == labels[: len(found)], "each in full"
    assert len(found) < len(labels), "what is scrolled away is not drawn"
    line = imgui.get_text_line_height()
    assert any(lower - upper > 1.5 * line for _, upper, lower in found), "in two lines"
    assert all(before[2] <= after[1] + 1 for before, after in itertools.pairwise(found))
    keys = [row.key for row in shell.key_list.rows()]
    assert max(map(len, keys)) <= len("Ctrl+Shift+Delete")
