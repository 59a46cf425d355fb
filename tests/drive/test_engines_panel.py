"""The panel "Engines": a program is chosen by mouse, checked, seated, renamed and removed."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import psutil
import pytest
from imgui_bundle import imgui

from ai import declared_engines, engines_file
from ai.registry import engines
from sim.testing import Pilot

FAKE = Path(__file__).parents[1] / "ai" / "protocol" / "hosting" / "fake_engine.py"
SCENE = "scenes/gomoku_15.scene.json"
PANEL = "scripts.gomoku.game.engines:Engines"


@pytest.fixture(autouse=True)
def config(tmp_path, monkeypatch):
    for name in ("XDG_CONFIG_HOME", "WIN_PD_OVERRIDE_LOCAL_APPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "config"))
    monkeypatch.setenv(engines.VARIABLE, "")
    engines_file().parent.mkdir(parents=True)
    return engines_file()


@pytest.fixture
def places(monkeypatch):
    """Where each button and each line of a list was drawn last, by its label."""
    found = {}

    def noting(plain):
        def noted(label, *more):
            pressed = plain(label, *more)
            low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
            found[label] = ((low.x + high.x) / 2, (low.y + high.y) / 2)
            return pressed

        return noted

    for name in ("button", "selectable"):
        monkeypatch.setattr(imgui, name, noting(getattr(imgui, name)))
    return found


def click(pilot, places, part):
    places.clear()
    pilot.draw_panels(3)
    label = part if part in places else [label for label in places if part in label][-1]
    pilot.click(*places[label])
    pilot.draw_panels(2)


def test_an_engine_is_added_and_seated_by_mouse(tmp_path, places, config):
    program = tmp_path / "my engines" / "pbrain-mine.py"
    program.parent.mkdir()
    shutil.copy(FAKE, program)
    with Pilot(scene=SCENE, seed=1, window=(1100, 720), quality="low",
               data_dir=tmp_path / "data") as pilot:  # fmt: skip
        pilot.app.shell.open_of_project("Engines")
        pilot.app.shell.panel_windows.open_front("Engines")
        pilot.draw_panels(6)
        click(pilot, places, "Add engine")
        click(pilot, places, "##browse")
        pilot.type_text(f"{program.parent.parent}/my")
        click(pilot, places, "my engines")
        click(pilot, places, "pbrain-mine.py")
        click(pilot, places, "Choose")
        panel = pilot.component("Engines")
        assert (panel.form.program, panel.form.name) == (str(program), "mine")
        panel.form.arguments = "named"
        click(pilot, places, "Check and add")
        pilot.wait_until(lambda: not panel.checking)
        assert panel.form is None, panel.form.fault
        assert panel.said["mine"][1].startswith("It calls itself Fake 1.2; on 15x15 it played")
        assert list(declared_engines()) == ["mine"]
        click(pilot, places, "Seat at Black")
        match = pilot.component("Match")
        assert match.black.sitting() == ("gomocup:mine", {})
        click(pilot, places, "Rename")
        panel.new_name = "yours"
        click(pilot, places, "Save")
        assert match.black.guest == "gomocup:yours"
        click(pilot, places, "Remove")
        click(pilot, places, "Yes, remove")
        assert match.black.guest == ""
        assert config.read_text().strip() == ""
        assert program.is_file()
        assert pilot.app.host.error_count == 0


def test_each_fault_is_told_and_nothing_is_lost(config):
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    config.write_text(f"# kept\n[good]\ncommand = ['{sys.executable}', '{FAKE}', 'good']\n")
    with Pilot(scene=SCENE, seed=1, graphics=False) as pilot:
        pilot.app.scene.spawn("Panel Engines", components=[(PANEL, {})])
        pilot.step(2)
        panel = pilot.component("Engines")
        assert [entry.name for entry in panel.engines] == ["good"]
        garbage = {"command": [sys.executable, str(FAKE), "garbage"]}
        panel.add("bad", garbage)
        pilot.wait_until(lambda: panel.form.fault)
        assert "found 'seven, please'" in panel.form.fault
        assert panel.form.may_be_added
        assert list(declared_engines()) == ["good"]
        panel.add("good", garbage)
        assert panel.form.fault == "expected a name that no engine has, found 'good'"
        panel.add("a b", garbage)
        assert "expected a name of letters" in panel.form.fault
        panel.add("bad", garbage, False)
        pilot.step()
        assert list(declared_engines()) == ["good", "bad"]
        panel.rename("bad", "good")
        assert "expected a name that no engine has" in panel.fault
        panel.sit("bad", "white")
        assert pilot.component("Match").white.guest == "gomocup:bad"
        panel.remove("bad")
        assert pilot.component("Match").white.guest == ""
        panel.sit("bad", "white")
        assert "expected an engine that you have declared" in panel.fault
        config.write_text("[good\n")
        panel.refresh()
        assert "expected engines in TOML" in panel.fault
        panel.sit("good", "black")
        panel.remove("good")
        panel.add("more", garbage, False)
        assert "expected engines in TOML" in panel.form.fault
        assert config.read_text() == "[good\n"
        assert pilot.app.host.error_count == 0
    left = {child.pid for child in psutil.Process().children(recursive=True)}
    assert left <= before


def test_an_engine_that_is_renamed_while_its_process_begins_sits_under_its_new_name(
    config, monkeypatch
):
    config.write_text(f"[good]\ncommand = ['{sys.executable}', '{FAKE}', 'good']\n")
    with Pilot(scene=SCENE, seed=1, graphics=False) as pilot:
        pilot.app.scene.spawn("Panel Engines", components=[(PANEL, {})])
        pilot.step(2)
        panel, black = pilot.component("Engines"), pilot.component("Match").black
        kind = type(black._given_worker("random"))
        usual, asked = kind.sit_down, []

        async def sit_down(worker, player, network=None):
            asked.append(player.player)
            if player.player == "gomocup:good":
                panel.rename("good", "better")
            await usual(worker, player, network)

        monkeypatch.setattr(kind, "sit_down", sit_down)
        panel.sit("good", "black")
        pilot.wait_until(lambda: black.seated and black.seated.player == "gomocup:better")
        assert asked.index("gomocup:good") < asked.index("gomocup:better")
        assert pilot.app.host.error_count == 0
