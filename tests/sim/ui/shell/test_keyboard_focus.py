"""The whole window by keys alone: its parts one after the other, and each widget in each of them."""

from __future__ import annotations

import contextlib

import pytest
from imgui_bundle import imgui

from sim.core.input.input_actions import InputEvent
from sim.testing import Pilot
from sim.ui.shell.keyboard_focus import STATUS, TOOLBAR, VIEW

WIDGETS = (
    "button", "small_button", "invisible_button", "checkbox", "combo", "begin_combo", "selectable",
    "slider_int", "slider_float", "drag_int", "drag_float", "input_text", "input_text_with_hint",
    "input_int", "input_float", "radio_button", "collapsing_header", "tree_node_ex", "tree_node",
    "begin_tab_item", "color_edit3", "color_edit4",
)  # fmt: skip
MOST_STEPS = 400
BY_OTHER_KEYS = ("##letter", "track", "flame")
"""Areas for the mouse alone: what is pulled there is typed beside it, or has keys of its own."""


@pytest.fixture(scope="module")
def shared():
    with Pilot(scene="scenes/self_teaching.scene.json", quality="low", window=(1280, 720)) as made:
        made.app.clock.pause()
        made.picture()
        yield made


@pytest.fixture
def pilot(shared):
    shell = shared.app.shell
    shell.preferences.arrange("studio")
    settle(shared)
    shell.overlays.dismiss()
    shell.focus.to_view()
    settle(shared)
    return shared


def settle(pilot, passes=6):
    pilot.app.shell.layer.lay_out(least=passes)


def press(pilot, key, *modifiers):
    """Press a key as the window hears it, and lay out the panels until it has arrived."""
    event = InputEvent("key_down", key=key, modifiers=frozenset(modifiers))
    left = pilot.app.shell.feed([event])
    settle(pilot, 3)
    pilot.app.shell.feed([InputEvent("key_up", key=key)])
    settle(pilot, 3)
    return left


def parts_by_key(pilot):
    """Return the parts that Ctrl+Tab leads to, until it is in the view again."""
    focus, found = pilot.app.shell.focus, []
    for _ in range(20):
        press(pilot, "tab", "control")
        found.append(focus._part)
        if focus.is_in_view:
            return found
    raise AssertionError(found)


def test_ctrl_tab_leads_around_the_window_and_back_to_the_view(pilot):
    shell = pilot.app.shell
    found = parts_by_key(pilot)
    assert found[-1] == VIEW
    assert found[-2] == TOOLBAR
    assert {"Hierarchy", "Inspector", "Console"} <= set(found)
    assert len(set(found)) == len(found)
    press(pilot, "tab", "control", "shift")
    assert shell.focus._part == TOOLBAR
    press(pilot, "escape")
    assert shell.focus.is_in_view


def test_in_the_watch_layout_too_and_the_status_bar_is_a_part(pilot):
    pilot.app.shell.preferences.arrange("watch")
    settle(pilot)
    found = parts_by_key(pilot)
    assert {"Training", TOOLBAR, STATUS, VIEW} <= set(found)


def test_the_keyboard_says_who_has_the_keys(pilot):
    shell = pilot.app.shell
    press(pilot, "tab", "control")
    assert shell.owner.focus == "panel"
    while not shell.focus.is_in_view:
        press(pilot, "tab", "control")
    assert shell.owner.focus == "view"


def test_ctrl_page_down_shows_the_other_tabs_of_a_dock(pilot):
    shell, seen = pilot.app.shell, []
    while shell.focus._part != "Console":
        press(pilot, "tab", "control")
    for _ in range(8):
        press(pilot, "page_down", "control")
        seen.append(shell.focus._part)
        if seen[-1] == "Console":
            break
    assert {"Console", "Script", "Assets"} <= set(seen)
    assert shell.focus.is_in_panel


def test_in_a_panel_space_presses_a_button_and_in_the_view_it_pauses(pilot):
    clock = pilot.app.clock
    assert clock.paused
    press(pilot, "tab", "control")
    press(pilot, "space")
    press(pilot, "escape")
    assert clock.paused
    press(pilot, "escape")
    press(pilot, "space")
    assert not clock.paused
    press(pilot, "space")


def test_a_click_takes_the_ring_away(pilot):
    shell = pilot.app.shell
    press(pilot, "tab", "control")
    assert shell.focus.is_in_panel
    pilot.click(640, 300)
    assert not shell.focus.is_in_panel
    assert not shell.focus.is_in_view


def test_a_dialog_keeps_the_keyboard_and_gives_it_back(pilot):
    shell = pilot.app.shell
    pilot.press("n", "control")
    pilot.draw_panels(4)
    assert imgui.internal.get_top_most_popup_modal() is not None
    assert shell.focus.is_in_panel
    for _ in range(3):
        press(pilot, "tab", "control")
    assert imgui.internal.get_top_most_popup_modal() is not None
    press(pilot, "escape")
    pilot.draw_panels(4)
    assert imgui.internal.get_top_most_popup_modal() is None
    assert shell.focus.is_in_view or not shell.focus.is_in_panel


def test_what_a_key_has_closed_leaves_the_keyboard_in_the_view(pilot):
    shell = pilot.app.shell
    press(pilot, "f1")
    settle(pilot)
    while shell.focus._part != "Keys":
        press(pilot, "tab", "control")
    shell.open("Keys", is_open=False)
    settle(pilot)
    assert not shell.is_open("Keys")
    assert shell.focus.is_in_view


@contextlib.contextmanager
def recorded(found):
    """Note each enabled widget that is drawn, with its window, while the block runs."""
    real = {name: getattr(imgui, name) for name in WIDGETS}

    def noting(name):
        def draw(*given, **options):
            answer = real[name](*given, **options)
            label = str(given[0])
            is_enabled = not imgui.get_item_flags() & int(imgui.ItemFlags_.disabled)
            is_seen = imgui.is_item_visible()
            if is_enabled and is_seen and not label.startswith(BY_OTHER_KEYS):
                window = imgui.internal.get_current_window().root_window
                found.setdefault(str(window.name), {})[imgui.get_item_id()] = f"{name} {label}"
            return answer

        return draw

    for name in WIDGETS:
        setattr(imgui, name, noting(name))
    try:
        yield
    finally:
        for name, function in real.items():
            setattr(imgui, name, function)


def reached(pilot, wanted):
    """Walk through the part by Tab and arrow keys; return the numbers of the widgets met."""
    context, met = imgui.get_current_context(), set()
    for key in ("tab", "arrow_down", "arrow_right", "arrow_left", "arrow_up"):
        still = 0
        for _ in range(MOST_STEPS):
            before = len(met)
            met.add(context.nav_id)
            press(pilot, key)
            met.add(context.nav_id)
            still = 0 if len(met) > before else still + 1
            if still > 12 or wanted <= met:
                break
    return met


def panel_titles(shell):
    registry = shell._registry.panels
    return [str(panel.title) for panel in (*shell.panels, *registry)]


def widgets_missed(pilot, part):
    """Return how many widgets a part has, and those of them that no key reaches."""
    focus, found = pilot.app.shell.focus, {}
    with recorded(found):
        settle(pilot, 2)
    of_parts = {name.partition("###")[2] or name: item for name, item in found.items()}
    widgets = of_parts.get(part, {})
    if part in focus._parts():
        focus._go(part)
        settle(pilot, 4)
    met = reached(pilot, set(widgets))
    return len(widgets), [label for number, label in widgets.items() if number not in met]


def test_each_widget_of_each_panel_is_reached(pilot):
    shell, scene = pilot.app.shell, pilot.app.scene
    scene.spawn("Child", parent=scene.find("Board"))
    shell.choose(scene.find("Board"))
    pilot.app.console.warning("a line of the console")
    counts, missed = {}, {}
    for title in [TOOLBAR, *panel_titles(shell)]:
        if title != TOOLBAR:
            shell.panel_windows.open_front(title)
        settle(pilot, 10)
        counts[title], missed[title] = widgets_missed(pilot, title)
        shell.focus.to_view()
        settle(pilot, 4)
    assert sum(counts.values()) > 120
    assert {name: items for name, items in missed.items() if items} == {}


@pytest.mark.parametrize("action", ["command.new_game", "app.welcome", "file.open"])
def test_each_widget_of_a_dialog_is_reached(pilot, action):
    shell = pilot.app.shell
    press(pilot, "f12")  # the user works with keys
    shell.do(action)
    pilot.step(2)
    pilot.draw_panels(6)
    present = shell.focus._present()
    count, missed = widgets_missed(pilot, present)
    press(pilot, "escape")
    press(pilot, "escape")
    pilot.draw_panels(4)
    assert count > 5, present
    assert missed == []
