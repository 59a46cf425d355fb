"""When the mouse takes the view from a script, and which view comes next."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sim.core.scene.scene_camera import LONGEST_FRAME, SceneCamera


@pytest.mark.parametrize(
    ("kinds", "idle"),
    [
        ((), 0.1), (("move",), 0.1), (("move", "button_down"), 0.0), (("wheel", "move"), 0.0),
    ],
)  # fmt: skip
def test_a_press_or_a_turn_of_the_wheel_among_other_events_is_a_touch(kinds, idle):
    camera = SceneCamera()
    camera.idle_seconds = 0.0
    camera.pass_time(0.1, [SimpleNamespace(kind=kind) for kind in kinds])
    assert camera.idle_seconds == idle
    camera.idle_seconds = 0.0
    camera.pass_time(1e9, [])
    assert camera.idle_seconds == LONGEST_FRAME


def test_the_coming_view_is_a_scripts_or_where_a_jump_leads_else_the_present_one():
    coming = SceneCamera.coming_view.fget
    flying = SimpleNamespace(_wanted=None, view="now", _flight=None)
    assert coming(flying) == "now"
    flying._flight = SimpleNamespace(seconds=2.0, view="goal")
    assert coming(flying) == "now"
    flying._flight.seconds = 0.0
    assert coming(flying) == "goal"
    flying._wanted = "led"
    assert coming(flying) == "led"
