"""The keys of every shipped scene: none is claimed twice, and each can be had by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.core.input.key_map import KeyAction, KeyMap
from sim.testing import Pilot
from sim.ui.panels.console import as_python

SCENES = sorted(Path("scenes").glob("*.scene.json"))
WANTED = {("studio.home", "command.first_move")}  # Home leads a past game back, while one is open

SHARED = {("studio.paste", "command.paste_position")}  # the focus decides, see key_owner.py


@pytest.fixture(scope="module")
def engine_keys():
    """The actions of the window itself, which are there in every scene."""
    with Pilot(
        scene="scenes/hello.scene.json", window=(320, 200), speed=1.0, quality="low"
    ) as pilot:
        return list(pilot.app.shell.keys.actions.values())


@pytest.mark.parametrize("scene", SCENES, ids=lambda path: path.name.partition(".")[0])
def test_no_two_actions_of_a_scene_want_the_same_key(scene, engine_keys):
    keys = KeyMap()
    for action in engine_keys:
        keys.add(action, lambda: None)
    with Pilot(scene=scene, graphics=False, seed=1) as pilot:
        pilot.step(3)
        for entry in pilot.app.host.panels.commands:
            action = KeyAction(f"command.{entry.name}", entry.label, entry.key, "scene")
            keys.add(action, lambda: None)
    assert set(keys.conflicts()) <= SHARED


def test_the_keys_of_a_seat_and_of_a_past_game_are_free_in_the_studio(tmp_path):
    with Pilot(window=(320, 200), quality="low", seed=1, player_black="human",
               player_white="random", data_dir=tmp_path) as pilot:  # fmt: skip
        match = pilot.component("Match")
        talk, viewer = pilot.component("HumanControls"), pilot.component("GameViewer")
        pilot.wait_until(lambda: talk.is_at_table)
        offered = {entry.name for entry in pilot.app.host.panels.commands}
        assert {"undo", "hint", "take_white", "overlay_threats"} <= offered
        pilot.step()
        assert not pilot.app.shell.keys.conflicts()
        match.take_over(1)
        match.white.is_human = False
        pilot.app.clock.speed = 64.0
        match.black.player = "random"
        pilot.wait_until(lambda: match.records, frames=6000)
        viewer.open(match.records[0])
        pilot.step(2)
        keys = pilot.app.shell.keys
        assert set(keys.conflicts()) == WANTED
        assert keys.taken_by("studio.home").label == "First move"
        viewer.close()
        pilot.step(2)
        assert keys.taken_by("studio.home") is None


def test_what_keys_and_buttons_do_stands_as_python_in_the_console():
    with Pilot(
        scene="scenes/hello.scene.json", window=(640, 400), speed=1.0, quality="low"
    ) as pilot:
        shell, console = pilot.app.shell, pilot.app.console
        pilot.press("space")
        assert pilot.app.clock.paused
        said = [item.text for item in console.records if item.text.startswith(">>> ")]
        assert said == ['>>> do("studio.pause")']
        shell.console.levels["debug"] = True
        shell.console.visible()
        python = as_python(shell.console.lines.rows)
        assert python == 'do("studio.pause")'
        shell.interpreter.run(python)
        assert not pilot.app.clock.paused, "what the console says does the same"
        assert console.records[-1].text == f">>> {python}", "what is typed is said once"

        shell.interpreter.run('do("studio.pauze")')
        assert "expected an action" in console.records[-1].text
        assert "found 'studio.pauze'" in console.records[-1].text
