"""The choice of runs that the charts compare with this one."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from imgui_bundle import imgui

from ai import GameRecord, Rules, RunStore
from base.files import SHIPPED_ROOT
from scripts.gomoku.training.compared_runs import (
    COLORS,
    CONTROL,
    REFERENCE,
    ComparedRuns,
    curves_of,
)
from sim.testing import Pilot

ROW = (0, 7, 1, 8, 2, 9, 3, 10, 4)
RULES = Rules(7, 5, full_board_winner=-1)


def keep(folder, winners):
    folder.mkdir(parents=True)
    store = RunStore.open(folder / "runs.sqlite3")
    run = store.start_run({"seed": 1})
    for game, winner in enumerate(winners, start=1):
        record = GameRecord(RULES, ROW, winner, "five", game)
        store.record_game(run, record, network_id=0, details={})
    store.close()


@pytest.fixture
def runs(tmp_path):
    (tmp_path / "assets/recorded").mkdir(parents=True)
    (tmp_path / "assets/recorded/self_teaching.json").write_text(
        json.dumps({"wins_per_group": [1, 4]})
    )
    data = tmp_path / "data"
    keep(data / "scn_own", [1])
    keep(data / "scn_other", [-1, 1, -1, -1, 1, *[-1] * 5])
    run = SimpleNamespace(
        project=tmp_path, data_dir=data, scene_dir=data / "scn_own", out=None, other_data_dir=None
    )
    return ComparedRuns(run)


def test_the_reference_run_is_drawn_at_first_and_can_be_left_out(runs):
    ((name, color, x, y),) = runs.wins()
    assert (name, color, x.tolist(), y.tolist()) == (REFERENCE, COLORS[0], [5, 10], [1, 4])
    assert runs.elo() == [], "its Elo is not known"
    assert runs.last_games() == [10.0]
    runs.choose(REFERENCE, False)
    assert runs.wins() == []


def test_the_shipped_runs_are_a_learner_and_its_control(tmp_path):
    run = SimpleNamespace(project=SHIPPED_ROOT, data_dir=tmp_path, out=None, other_data_dir=None)
    learner, control = ComparedRuns(run).wins()
    assert (learner[0], control[0]) == (REFERENCE, CONTROL)
    assert sum(learner[3][-10:]) >= 43, "it wins over 85 % of the last 50 games"
    assert sum(control[3][-10:]) <= 10, "luck wins few"


def test_another_kept_run_is_drawn_with_its_elo(runs):
    reference, other = runs.names()
    assert other.startswith("scn_other"), "the own run is no other"
    runs.choose(other, True)
    assert runs.chosen == [REFERENCE, other]
    assert [(line[0], line[3].tolist()) for line in runs.wins()[1:]] == [(other, [3, 5])]
    ((name, color, games, _),) = runs.elo()
    assert (name, color, games.tolist()) == (other, COLORS[1], [10])
    runs.choose(reference, False)
    assert [line[0] for line in runs.wins()] == [other]


def test_a_run_that_cannot_be_read_or_is_unknown_is_told(runs, tmp_path):
    _, other = runs.names()
    (tmp_path / "data/scn_other/runs.sqlite3").write_bytes(b"no database, but longer than that")
    runs.choose(other, True)
    assert "runs.sqlite3" in runs.fault
    assert runs.chosen == [REFERENCE]
    runs.choose("nobody", True)
    assert runs.fault.endswith("found nobody")


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_the_list_of_runs_never_shows_a_cut_text(monkeypatch, scale):
    rooms = []
    with Pilot(seed=1, player_white="random", player_black="random", quality="low") as pilot:
        plain = imgui.begin_combo

        def begin_combo(label, preview, *rest):
            is_open = plain(label, preview, *rest)
            if label == "##compared":
                room = imgui.get_item_rect_size().x - imgui.get_frame_height()
                margins = 2 * imgui.get_style().frame_padding.x
                rooms.append((room - imgui.calc_text_size(preview).x - margins, str(preview)))
            return is_open

        pilot.app.shell.preferences.set_scale(scale)
        pilot.draw_panels(3)
        monkeypatch.setattr(imgui, "begin_combo", begin_combo)
        pilot.draw_panels(2)
        assert pilot.app.shell.theme.scale == scale
    assert rooms
    assert min(rooms)[0] >= 0, rooms


def test_no_games_are_no_curve():
    run = curves_of({})
    assert len(run.wins[0]) == len(run.elo[0]) == 0
