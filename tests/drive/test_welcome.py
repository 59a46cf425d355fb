"""The welcome panel: what it shows, what a click does, and how another scene is opened."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from imgui_bundle import imgui

from sim.app.app import run
from sim.commands.new import new_project
from sim.core.project.run_options import RunOptions, options_of_next
from sim.testing import run_options

HELLO = Path("scenes/hello.scene.json")


PILOT = {"scene": HELLO, "speed": 1.0, "window": (1000, 640), "quality": "low"}


def test_its_key_opens_and_closes_it(pilot):
    before = pilot.picture()
    pilot.press("e", "control")
    assert pilot.app.welcome.is_open
    opened = pilot.picture()
    assert (opened != before).any(axis=2).mean() > 0.3
    assert len({tuple(pixel) for pixel in opened[::5, ::5].reshape(-1, 3)}) > 800, "pictures"
    pilot.press("e", "control")
    assert not pilot.app.welcome.is_open
    assert pilot.app.host.error_count == 0


def test_a_click_on_an_example_opens_it(pilot):
    pilot.press("e", "control")
    pilot.step(3)
    places = []
    welcome = pilot.app.welcome
    draw_card = welcome._draw_card

    def noted(theme, card, width, height):
        place = imgui.get_cursor_screen_pos()
        places.append((card, place.x + width / 2, place.y + height / 2))
        draw_card(theme, card, width, height)

    welcome._draw_card = noted
    pilot.picture()
    card, x, y = places[0]
    pilot.click(x, y)
    pilot.step(3)
    assert pilot.app.run_context.next_scene == card.path
    assert pilot.app.run_context.exit_code == 0
    assert not welcome.is_open


def test_an_unsound_scene_is_one_error_and_this_one_stays(pilot, tmp_path):
    bad = tmp_path / "scenes" / "bad.scene.json"
    bad.parent.mkdir()
    bad.write_text("{")
    for path in (bad, tmp_path / "missing.scene.json"):
        pilot.app.navigation.open_scene(path)
    assert not pilot.app.run_context.stop_requested
    assert pilot.app.run_context.next_scene is None
    assert sum(item.level == "error" for item in pilot.app.console.records) == 2


def test_a_run_goes_on_with_the_scene_that_was_opened(tmp_path, capsys):
    new_project(tmp_path / "mine")
    scene = next((tmp_path / "mine" / "scenes").glob("*.scene.json"))
    script = next((tmp_path / "mine" / "scripts").glob("*.py"))
    script.write_text(
        "from pathlib import Path\n"
        "from sim import Script\n"
        f"class {class_in(script)}(Script):\n"
        "    def update(self, dt):\n"
        "        self.log.info('first scene')\n"
        f"        self.run.next_scene = Path({str(HELLO.absolute())!r})\n"
        "        self.run.finish(0)\n"
    )
    options = RunOptions(scene=scene, headless=True, graphics=False, seconds=1.0)
    assert run(options) == 0
    err = capsys.readouterr().err
    assert err.count("first scene") == 1
    assert "ERROR" not in err


def class_in(script: Path) -> str:
    lines = script.read_text().splitlines()
    return next(line.split("(")[0].removeprefix("class ") for line in lines if "(Script)" in line)


def test_what_the_first_run_was_asked_for_ends_with_it(tmp_path):
    first = run_options(
        seed=3, window=(640, 400), video=tmp_path / "a.mp4", out=tmp_path, games=3,
        player_white="random", quality="low", replay="x",
    )  # fmt: skip
    following = options_of_next(first, HELLO)
    expected = RunOptions(scene=HELLO, seed=3, window=(640, 400), quality="low")
    assert dataclasses.asdict(following) == dataclasses.asdict(expected)
    kept = options_of_next(first, HELLO, kept=["games"])
    assert kept.script_options == {"games": 3}


def test_the_card_of_the_first_start_offers_what_can_be_done_and_goes(pilot, monkeypatch):
    shell, panels = pilot.app.shell, pilot.app.host.panels
    slot = next(iter(pilot.app.scene.components()))
    called, places, button = [], {}, shell.ui.button

    def noted(label, **words):
        is_pressed = button(label, **words)
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        places[label] = ((low.x + high.x) / 2, (low.y + high.y) / 2)
        return is_pressed

    def press(label):
        pilot.step(3)
        pilot.draw_panels(2)
        pilot.click(*places[label])
        pilot.step(3)

    monkeypatch.setattr(shell.ui, "button", noted)
    panels.add_command(slot, "go", "Go", lambda: called.append("go"))
    panels.set_legend(slot, "Who plays", ("One line",), (("go", "Go at once"),))
    pilot.step(2)
    shell.overlays.introduce(shell.do)
    press("Go at once")
    assert called == ["go"]
    assert not shell.overlays.shows_legend
    shell.overlays.introduce(shell.do)
    assert shell.overlays.shows_legend
    pilot.press("escape")
    assert not shell.overlays.shows_legend, "closed by Escape"
    shell.overlays.introduce(shell.do)
    pilot.step(2)
    pilot.click(200, 120)
    pilot.step(2)
    assert not shell.overlays.shows_legend, "closed by a click elsewhere"
    shell.overlays.introduce(shell.do)
    press("Examples (Ctrl+E)")
    assert pilot.app.welcome.is_open
    pilot.press("escape")
    assert not pilot.app.welcome.is_open, "Escape closes the list of scenes, too"
    assert called == ["go"]
