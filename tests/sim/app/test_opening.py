"""Opening a scene: it is said at once, the window stays, and what is prepared is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim.app import app as app_module
from sim.app.app import App
from sim.app.picture import FIRST_START, OpeningPicture, opening_text, preparing_text, say_opening
from sim.core.canvas.canvas import Canvas
from sim.render.window.display import Display
from sim.testing import Pilot, run_options

HELLO = Path("scenes/hello.scene.json")
ORBITS = Path("scenes/solar_system.scene.json")


@pytest.fixture
def written(monkeypatch):
    """All texts that are written on canvases."""
    found = []
    text = Canvas.text
    monkeypatch.setattr(
        Canvas, "text", lambda self, line, *args, **more: (
            found.append(line), text(self, line, *args, **more))[1],
    )  # fmt: skip
    return found


def test_the_splash_says_which_scene_and_what_is_prepared(written):
    display = Display(size=(320, 200), offscreen=True)
    try:
        picture = OpeningPicture(display, HELLO)
        picture.say("Loading the scripts")
        assert written == ["Opening Hello, stone …", "Loading the scripts"]
        shown = display.image()
        assert shown.max() > 150  # letters
        assert 10 < np.median(shown) < 60  # on a plain ground, not black
    finally:
        display.close()


def test_a_cold_start_says_what_is_prepared(monkeypatch, tmp_path):
    monkeypatch.setattr("sim.app.picture.user_cache_dir", lambda: tmp_path)
    assert preparing_text() == FIRST_START
    (tmp_path / "textures").mkdir()
    assert preparing_text() == "Loading graphics"


def test_what_is_opened_is_said_over_the_scene_before_it_closes():
    with Pilot(scene=HELLO, window=(480, 300), speed=1.0, quality="low") as pilot:
        app = pilot.app
        before = pilot.picture()
        say_opening(app.shell, ORBITS)
        after = app.display.image()
        assert after.mean() < 0.75 * before.mean()  # dimmed, with one line over it
        assert after.max() > 200
        assert opening_text(ORBITS) == "Opening Solar system …"


def test_a_scene_takes_over_the_cleared_window_of_the_one_before():
    display = Display(size=(320, 200), offscreen=True)
    output, engine = display.output, display.engine
    first = App(run_options(headless=True, seconds=9.0, scene=HELLO), display=display)
    for _ in range(3):
        first.frame()
    picture = display.image()
    first.kept_display = display
    first.close()
    assert {item.get_name() for item in engine.get_windows()} == {"output", "panels"}
    second = App(run_options(headless=True, seconds=9.0, scene=HELLO), display=first.kept_display)
    for _ in range(3):
        second.frame()
    assert second.display.output is output
    again = display.image()
    assert again.shape == picture.shape
    assert np.abs(again.astype(int) - picture).mean() < 2.0
    second.close()
    assert second.kept_display is None
    assert not engine.get_windows()


def test_the_run_hands_its_window_to_the_scene_that_follows(monkeypatch):
    opened = []

    class Run(App):
        def __init__(self, options, **more):
            opened.append((options.scene.name, more["display"]))
            super().__init__(options, **more)

        def run(self):
            self.run_context.next_scene = HELLO if len(opened) == 1 else None
            self.kept_display = "the window" if len(opened) == 1 else None
            self.close()
            return 0

    monkeypatch.setattr(app_module, "App", Run)
    app_module.run(run_options(headless=True, graphics=False, seconds=1.0, scene=HELLO))
    assert opened == [(HELLO.name, None), (HELLO.name, "the window")]


@pytest.mark.parametrize(
    ("follows", "is_headless", "code", "is_said"),
    [
        (ORBITS, False, 0, True),
        (None, False, 0, False),
        (ORBITS, True, 0, False),
        (ORBITS, False, 1, False),
    ],
)
def test_the_window_is_kept_only_where_another_scene_follows(
    monkeypatch, follows, is_headless, code, is_said
):
    said = []
    monkeypatch.setattr(app_module, "say_opening", lambda shell, scene: said.append(scene))
    with Pilot(scene=HELLO, window=(320, 200), quality="low") as pilot:
        app = pilot.app
        app.options = replace(app.options, headless=is_headless)
        app.run_context.next_scene, app.run_context.exit_code = follows, code
        app.hand_over()
        assert said == [follows] * is_said
        assert (app.kept_display is app.display) == is_said
        app.kept_display = None
