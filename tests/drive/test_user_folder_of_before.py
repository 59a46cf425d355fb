"""The user's folders that Goishi 0.1.0 wrote: learners, games, settings, trust, recent, layout.

The folders were written by that program itself, in a window and headless: `user_folder_of_0_1_0`.
HOME in its files stands for the home folder that it ran in.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import platformdirs
import pytest

from base.trust import Trust, trust_of
from sim.core.project.data_dir import learnt_entries
from sim.core.project.recent_scenes import FILE_NAME as RECENT
from sim.core.project.recent_scenes import RecentScenes
from sim.core.project.settings import SettingsFile
from sim.testing import Pilot

WRITTEN = Path(__file__).parent / "user_folder_of_0_1_0"
SCENE = "scenes/self_teaching.scene.json"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home folder with the folders of before, as the machine's own."""
    shutil.copytree(WRITTEN, tmp_path, dirs_exist_ok=True)
    for path in (tmp_path / "config" / "trust.toml", tmp_path / "data" / RECENT):
        path.write_text(path.read_text("utf-8").replace("HOME", str(tmp_path)), encoding="utf-8")
    for name in ("garden", "strange"):
        (tmp_path / name / "scripts").mkdir(parents=True)
    monkeypatch.setattr(platformdirs, "user_config_dir", lambda *_, **__: str(tmp_path / "config"))
    return tmp_path


def test_settings_answers_and_recent_scenes_are_read(home):
    settings = SettingsFile(home / "data")
    assert settings.notes == []
    values = settings.values
    assert (values.theme, values.scale, values.layout, values.muted) == (
        "light",
        1.25,
        "studio",
        True,
    )
    assert values.keys == {"studio.save": "control+shift+s"}
    assert trust_of(home / "garden") is Trust.TRUSTED
    assert trust_of(home / "strange") is Trust.SAFE
    warned = []
    recent = RecentScenes(home / "data" / RECENT, warn=warned.append)
    assert recent.paths == [home / "goishi" / SCENE]
    assert warned == []
    assert settings.change(theme="dark") == ""
    again = SettingsFile(home / "data")
    assert (again.values.theme, again.values.keys) == ("dark", values.keys)
    assert [path.name for path in learnt_entries(home / "data")] == ["scn_selfteach7"]


def test_the_match_goes_on_with_what_was_learnt_in_the_layout_of_before(home):
    before = {path: path.read_bytes() for path in home.rglob("*.bad*")}
    with Pilot(
        scene=SCENE, data_dir=home / "data", quality="low", player_white="cnn-ann-plus", seed=3
    ) as pilot:
        app, learner = pilot.app, pilot.component("LearnerClient")
        layout = app.shell.layout
        layout.folder = home / "data"  # which only a window has
        app.shell.preferences.arrange("studio")
        app.shell.layer.lay_out(least=4)
        assert (layout.name, layout.nodes) == ("studio", {"right": 2, "bottom": 4, "left": 5})
        assert [item.record.game for item in pilot.component("Archive").earlier_games()] == [
            1,
            2,
            3,
            4,
        ]
        pilot.wait_until(lambda: learner.statistics.get("network_id"))
        assert learner.statistics["network_id"] == 4
        assert learner.statistics["nodes"] == 16
        said = [item.text for item in app.console.records if item.level in ("warning", "error")]
        assert said == []
    assert before == {path: path.read_bytes() for path in home.rglob("*.bad*")} == {}
