"""No panel floats unless a person pulled it out, whatever scenes and layouts are opened."""

from __future__ import annotations

import random

import pytest
from imgui_bundle import imgui

from benchmarks.programs import write_project
from sim.core.input.input_actions import InputEvent
from sim.core.project.settings import SettingsFile
from sim.testing import Pilot

SCENES = {"plain": (), "match": ("Training", "Insight"), "hall": ("Hall",)}
SCRIPT = """from sim import Script, field


class Board(Script):
    titles: str = field("")

    def start(self):
        for title in self.titles.split():
            self.panel(title, self.draw, icon="table")

    def draw(self, ui):
        ui.text("a board")
"""


@pytest.fixture(scope="module")
def scenes(tmp_path_factory):
    """The scene of each of three projects with different panels."""
    root, found = tmp_path_factory.mktemp("projects"), {}
    for name, titles in SCENES.items():
        part = {"type": "scripts.board:Board", "fields": {"titles": " ".join(titles)}}
        objects = {"obj_board00001": {"name": "Board", "components": {"cmp_board00001": part}}}
        found[name] = write_project(root / name, objects, {"board": SCRIPT})
    return found


@pytest.fixture
def opened(monkeypatch, tmp_path, scenes):
    """Start the app with a scene, and with the layouts that the last start has left."""
    monkeypatch.setattr("sim.app.app.SettingsFile", lambda folder: SettingsFile(tmp_path))
    return lambda name: Pilot(scene=scenes[name], speed=1.0, window=(1000, 640), quality="low")


def settle(pilot):
    pilot.draw_panels(2)
    pilot.wait_until(lambda: not pilot.app.shell.layout.is_settling, frames=60)
    pilot.draw_panels(3)


def floating(pilot):
    """Return the titles of the open panels that hang in no dock of the window."""
    found = set()
    for panel in (*pilot.app.shell.panels, *pilot.app.world.panels.panels):
        window = imgui.internal.find_window_by_name(f"###{panel.title}")
        if window is None or not window.active:
            continue
        node = window.dock_node
        while node is not None and node.parent_node is not None:
            node = node.parent_node
        if node is None or not node.is_dock_space():
            found.add(panel.title)
    return found


def act(pilot, dice):
    """Do one thing that a person does with layouts."""
    shell = pilot.app.shell
    titles = [panel.title for panel in (*shell.panels, *pilot.app.world.panels.panels)]
    kind = dice.choice(("watch", "studio", "rebuild", "toggle", "front"))
    if kind in ("watch", "studio"):
        shell.preferences.arrange(kind)
    elif kind == "rebuild":
        shell.layout.rebuild()
    elif kind == "toggle":
        title = dice.choice(titles)
        shell.panel_windows.open(title, not shell.panel_windows.is_open(title))
    else:
        shell.panel_windows.open_front(dice.choice(titles))
    return kind


@pytest.mark.parametrize("seed", [0, 1, pytest.param(2, marks=pytest.mark.nightly)])
def test_no_panel_floats_that_nobody_pulled_out(opened, seed):
    dice, done = random.Random(seed), []
    for _ in range(6 if seed < 2 else 40):
        name = dice.choice(list(SCENES))
        done.append(name)
        with opened(name) as pilot:
            settle(pilot)
            assert not floating(pilot), done
            for _ in range(4):
                done.append(act(pilot, dice))
                settle(pilot)
                assert not floating(pilot), done


def test_another_scenes_panels_are_docked_in_an_arrangement_that_has_never_seen_them(opened):
    for name, layout in (("match", "watch"), ("match", "studio"), ("hall", "watch")):
        with opened(name) as pilot:
            pilot.app.shell.preferences.arrange(layout)
            settle(pilot)
            assert not floating(pilot)


def pull_out(pilot, title):
    """Drag the tab of a panel into the middle of the window."""
    window = imgui.internal.find_window_by_name(f"###{title}")
    bar = window.dock_node.tab_bar
    rect = bar.bar_rect
    x, y = rect.min.x + 20.0, 0.5 * (rect.min.y + rect.max.y)
    pilot.move(x, y)
    pilot.app.inject(InputEvent("button_down", key="mouse1", x=x, y=y))
    pilot.draw_panels(2)
    for share in (0.1, 0.5, 1.0):
        pilot.move(x + share * (400.0 - x), y + share * (300.0 - y))
        pilot.draw_panels(2)
    pilot.app.inject(InputEvent("button_up", key="mouse1", x=400.0, y=300.0))
    settle(pilot)


def test_a_panel_that_a_person_pulled_out_floats_until_the_layout_is_reset(opened):
    with opened("hall") as pilot:
        settle(pilot)
        pull_out(pilot, "Hall")
        assert floating(pilot) == {"Hall"}
    with opened("match") as pilot:
        settle(pilot)
        assert not floating(pilot)
    with opened("hall") as pilot:
        settle(pilot)
        assert floating(pilot) == {"Hall"}
        pilot.app.shell.layout.rebuild()
        settle(pilot)
        assert not floating(pilot)
    with opened("hall") as pilot:
        settle(pilot)
        assert not floating(pilot)
