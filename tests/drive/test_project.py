"""The plugin project of docs/projects.md, driven: its player, game, component and panel."""

from __future__ import annotations

import json
import re

import pytest

from sim.testing import Pilot
from tests.project_page import SCENE, build_project


@pytest.fixture
def project(tmp_path):
    return build_project(tmp_path / "vier gewinnt ö")


def test_the_project_plays_its_game_and_the_network_learns_from_it(project):
    with Pilot(scene=project / SCENE, seed=1, graphics=False) as pilot:
        match, bow = pilot.component("Match"), pilot.component("Bow")
        coach = pilot.component("LearnerClient")
        pilot.wait_until(lambda: coach.retrains >= 1)
        (record, *_) = match.records
        assert (record.rules.size, record.rules.win_length) == (6, 4)
        assert match.black.player == "pebble"
        assert match.black.seated.settings == {"reach": "2"}
        assert bow.bows >= len(record.moves)
        assert pilot.app.host.error_count == 0


def test_the_command_line_seats_another_of_its_players(project):
    options = {"player_black": "stray", "player_white": "pebble"}
    with Pilot(scene=project / SCENE, seed=1, graphics=False, **options) as pilot:
        match = pilot.component("Match")
        pilot.wait_until(lambda: match.records)
        assert (match.black.player, match.white.player) == ("stray", "pebble")
        assert pilot.app.host.error_count == 0


def test_the_studio_offers_its_component_and_opens_its_panel(project):
    with Pilot(
        scene=project / SCENE, seed=1, quality="low", window=(900, 560), player_white="pebble"
    ) as pilot:
        shell, match = pilot.app.shell, pilot.component("Match")
        assert shell.studio.inspector.component_types()[0] == "scripts.bow:Bow"
        assert shell.studio.inspector.component_types().count("scripts.bow:Bow") == 1
        with pytest.raises(LookupError, match=r"\(Tally\), found 'Nothing'"):
            shell.project_panels.open("Nothing")
        shell.project_panels.open("Tally")
        shell.project_panels.open("Tally")
        pilot.step(2)
        assert [entry.title for entry in pilot.app.host.panels.panels].count("Tally") == 1
        pilot.wait_until(lambda: match.records)
        pilot.draw_panels(3)
        assert pilot.app.host.error_count == 0, "the panel is drawn"
        shell.studio.save()
        saved = json.loads((project / SCENE).read_text("utf-8"))
        assert not any(entry["name"] == "Panel Tally" for entry in saved["objects"].values())
        shell.project_panels.close("Tally")
        pilot.step(2)
        assert "Tally" not in [entry.title for entry in pilot.app.host.panels.panels]


def test_safe_loads_none_of_it(project):
    for script in (project / "scripts").glob("*.py"):
        script.write_text("raise SystemExit('imported')\n", encoding="utf-8")
    with Pilot(scene=project / SCENE, safe=True, quality="low", window=(640, 400)) as pilot:
        pilot.step(3)
        assert pilot.app.shell.project_panels.offered == ()
        assert pilot.app.host.error_count == 0


def test_a_broken_panel_is_a_line_and_the_scene_goes_on(project):
    (project / "scripts" / "tally.py").write_text("import nothing_here_pebbles\n", "utf-8")
    with Pilot(
        scene=project / SCENE, seed=1, quality="low", window=(640, 400), player_white="pebble"
    ) as pilot:
        pilot.app.shell.project_panels.open("Tally")
        pilot.step(2)
        assert pilot.app.host.error_count == 1
        match = pilot.component("Match")
        pilot.wait_until(lambda: match.records)


def test_an_unknown_game_and_an_unknown_player_are_named(project):
    file = project / SCENE
    text = file.read_text("utf-8")
    for before, after, fault in (
        ('"four-on-six"', '"chess"', "expected one of .*four-on-six.*, found 'chess'"),
        ('"pebble"', '"pebbel"', "expected one of pebble, .*; found 'pebbel'"),
    ):
        file.write_text(text.replace(before, after), encoding="utf-8")
        with Pilot(scene=file, graphics=False) as pilot:
            pilot.step(3)
            errors = [item.text for item in pilot.app.console.records if item.level == "error"]
            assert any(re.search(fault, error) for error in errors), errors


def test_a_missing_package_is_a_warning_when_its_scene_is_opened(project):
    (project / "requirements.txt").write_text("numpy\nno-such-pebbles>=2\n", encoding="utf-8")
    with Pilot(scene=project / "scenes/main.scene.json", graphics=False) as pilot:
        pilot.step(2)
        (warning,) = [item for item in pilot.app.console.records if item.level == "warning"]
        assert warning.text.startswith("requirements.txt:2: expected no-such-pebbles>=2, found no")
        assert pilot.app.host.error_count == 0
