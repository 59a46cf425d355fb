"""The replay scene without a folder: a click on a run shows its games."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from imgui_bundle import imgui

from ai import GameRecord, Rules, RunStore
from sim.testing import Pilot


@pytest.fixture
def pilot(tmp_path):
    scene_id = json.loads(Path("scenes/self_teaching.scene.json").read_text())["id"]
    folder = tmp_path / "data" / scene_id
    folder.mkdir(parents=True)
    (tmp_path / "data" / "goishi-data.json").write_text('{"format": "goishi.data/1"}\n')
    store = RunStore.open(folder / "runs.sqlite3")
    run = store.start_run({"seed": 1})
    moves = (0, 7, 1, 8, 2, 9, 3, 10, 4)
    record = GameRecord(Rules(7, 5), moves, 1, "five", 3)
    store.record_game(run, record, network_id=0, details={})
    store.close()
    with Pilot(scene="scenes/replay.scene.json", data_dir=tmp_path / "data", speed=16.0,
               window=(900, 560), quality="low") as driven:  # fmt: skip
        driven.draw_panels(6)
        yield driven


@pytest.fixture
def places(pilot, monkeypatch):
    found = {}
    plain = imgui.button

    def noted(label, *more):
        pressed = plain(label, *more)
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        found[label.partition("#")[0]] = ((low.x + high.x) / 2, (low.y + high.y) / 2)
        return pressed

    monkeypatch.setattr(imgui, "button", noted)
    pilot.draw_panels(3)
    return found


def test_a_click_on_a_run_shows_its_games_and_a_wrong_path_is_told(pilot, places, tmp_path):
    script = pilot.component("Replay")
    script.typed = "no/such/folder"
    pilot.click(*places["Open"])
    assert "no/such/folder" in script.fault
    assert script.games == []
    label = next(name for name in places if "·" in name)
    pilot.draw_panels(3)
    pilot.click(*places[label])
    assert [record.game for record in script.games] == [3]
    pilot.wait_until(lambda: len(script.board.stones) > 2)
    assert pilot.app.host.error_count == 0
    name_a_file(pilot, tmp_path, script)


def name_a_file(pilot, folder, script):
    """A game file is named in the dialog; it stays open where nobody opens such a file."""
    path = folder / "a game.sgf"
    path.write_text("(;GM[4]SZ[7];B[cc];W[dd])")
    pilot.press("o", "control", "shift")
    pilot.draw_panels(2)
    pilot.type_text(f"'{path}x'")
    pilot.press("enter")
    dialog = pilot.app.navigation.open_file(f"{path}x")
    assert "expected a file that this scene opens" in dialog
    assert not [item for item in pilot.app.console.records if item.level == "error"], (
        "the dialog says it"
    )
    assert pilot.app.host.panels.asked_file is not None
    pilot.draw_panels(2)
    pilot.press("a", "control")
    pilot.type_text(f"'{path}'")
    pilot.press("enter")
    assert pilot.app.host.panels.asked_file is None
    assert script.shown.moves == (16, 24)
