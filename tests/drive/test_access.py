"""Motion and captions: what the user chooses in Preferences, and what the board makes of it."""

from __future__ import annotations

import pytest

from sim.core.project import system_motion
from sim.testing import Pilot


@pytest.fixture(scope="module")
def pilot():
    scene = "scenes/self_teaching.scene.json"
    with Pilot(scene=scene, quality="low", speed=1.0, player_black="random") as made:
        yield made


def test_with_reduced_motion_the_camera_jumps_and_stones_lie_at_once(pilot):
    board, camera = pilot.component("BoardView"), pilot.app.scene.camera
    preferences = pilot.app.shell.preferences
    preferences.set_motion("full")
    assert not board.run.reduces_motion
    camera.fly_to(camera.home, seconds=1.0)
    assert camera.take_flight().seconds == 1.0
    preferences.set_motion("reduced")
    assert board.run.reduces_motion
    camera.fly_to(camera.home, seconds=1.0)
    assert camera.take_flight().seconds == 0.0
    moved = board.tween(lambda value: seen.append(value), 0.0, 1.0, seconds=0.5)
    kept = board.tween(lambda value: seen.append(value), 0.0, 1.0, seconds=0.5, essential=True)
    seen = []
    moved.ready(0.0, False)
    kept.ready(0.0, False)
    assert seen == [1.0, 0.0]
    figure = pilot.component("Spectator")
    assert not figure.moves
    landed = []
    board.landed.connect(landed.append)
    pilot.wait_until(lambda: board.size == 7 and board.stones)  # then the players start
    point = next(point for point in range(49) if point not in board.stones)
    board.start_coroutine(board.drop(point, 1))
    pilot.step(1)
    assert board.stones[point].transform.position == pytest.approx(board.position_of(point))
    assert point in landed
    preferences.set_motion("full")


def test_captions_name_what_sounds_even_while_sound_is_off(pilot):
    shell, sound = pilot.app.shell, pilot.component("BoardView").sound
    sound.muted = True
    sound.play("win", caption="fanfare")
    assert shell.overlays.present_caption == ""  # they are off at first
    shell.preferences.set_captions(True)
    sound.play("win", caption="fanfare")
    assert shell.overlays.present_caption == "fanfare"
    sound.play("tap")
    assert shell.overlays.present_caption == "tap"
    sound.play("win", caption="")
    assert shell.overlays.present_caption == "tap"
    sound.caption("rain", "cmp_rain")
    sound.caption("wind", "cmp_wind")
    assert shell.overlays.present_caption == "tap\nrain\nwind"
    sound.caption("", "cmp_wind")
    assert shell.overlays.present_caption == "tap\nrain"
    pilot.picture()
    shell.preferences.set_captions(False)
    assert not sound.reads_captions
    assert "rain" not in shell.overlays.present_caption


@pytest.mark.parametrize(("answer", "is_reduced"), [("false", True), ("true", False), ("", False)])
def test_the_system_is_asked_for_less_motion(monkeypatch, answer, is_reduced):
    monkeypatch.setattr(system_motion.sys, "platform", "linux")
    monkeypatch.setattr(system_motion, "_answer", lambda command: answer)
    assert system_motion.system_reduces_motion() == is_reduced
