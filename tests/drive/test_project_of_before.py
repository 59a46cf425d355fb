"""A project and what it had learnt, both written before the modules moved into rooms."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sim.testing import Pilot

PROJECT = Path(__file__).parent / "project_written_before"
MOVED = 8
"""Shipped modules that its scene and scripts name by their former places."""


@pytest.fixture
def project(tmp_path):
    return shutil.copytree(PROJECT, tmp_path / "project")


def test_it_opens_plays_and_goes_on_learning(project):
    scene, learnt = project / "scenes/match.scene.json", project / "learnt"
    before = scene.read_bytes()
    with Pilot(scene=scene, data_dir=learnt, seed=3, graphics=False) as pilot:
        match, learner = pilot.component("Match"), pilot.component("LearnerClient")
        assert match.move_seconds == match.pause_after_stone == 0.01, "a field of another name now"
        assert pilot.component("Archive").earlier_games()[-1].record.game == 4
        pilot.wait_until(lambda: learner.retrains >= 1)
        assert match.records[-1].game >= 5, "the four games of before are counted"
        assert learner.statistics["nodes"] >= 16, "what was remembered is there"
        assert pilot.component("Bow").bows >= len(match.records[-1].moves)
        told = [item.text for item in pilot.app.console.records if "is now" in item.text]
        assert len(told) == len(set(told)) >= MOVED
        assert pilot.app.host.error_count == 0
    assert scene.read_bytes() == before


def test_a_component_is_found_by_both_its_names(project):
    with Pilot(
        scene=project / "scenes/match.scene.json", seed=3, graphics=False, player_white="pebble"
    ) as pilot:
        for former, present in (("Coach", "LearnerClient"), ("TableTalk", "HumanControls")):
            assert pilot.component(former) is pilot.component(present)
