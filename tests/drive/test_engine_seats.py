"""Outside engines at the board: a scene may name one, never declare one."""

from __future__ import annotations

import sys
from pathlib import Path

import psutil
import pytest

from ai.registry.engines import VARIABLE, declare_engines
from sim.testing import Pilot
from tests.drive.test_extending import project

SEAT = "goishi:scripts.gomoku.seats.player_seat:PlayerSeat"
FAKE = Path(__file__).parents[1] / "ai" / "protocol" / "hosting" / "fake_engine.py"


def seat(side: str, name: str, more: str = "") -> dict[str, object]:
    fields = {"board": {"$ref": "cmp_view"}, "player_kind": name, "more": more}
    return {"name": side, "components": {f"cmp_{side}": {"type": SEAT, "fields": fields}}}


def scene_of(folder: Path, name: str, more: str = "") -> Path:
    board = {
        "cmp_view": {"type": "goishi:scripts.gomoku.board.board_view:BoardView", "fields": {}},
        "cmp_match": {"type": "goishi:scripts.gomoku.game.match:Match", "fields": {
            "black": {"$ref": "cmp_black"}, "white": {"$ref": "cmp_white"},
            "board": {"$ref": "cmp_view"}, "size": 7, "random_opening": False}},
    }  # fmt: skip
    return project(
        folder, {"engines.toml": f'[evil]\ncommand = "{sys.executable}"\n'},
        {"obj_board": {"name": "Board", "model": {"builtin": "goban", "size": 7},
                       "components": board},
         "obj_black": seat("black", name, more), "obj_white": seat("white", "random")},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "more"),
    [("gomocup:evil", ""), (f"gomocup:evil={sys.executable}", f"command={sys.executable}")],
)
def test_a_scene_that_names_an_engine_that_nobody_declared_gets_one_error(tmp_path, name, more):
    before = set(psutil.Process().children(recursive=True))
    with Pilot(scene=scene_of(tmp_path, name, more), seed=1, graphics=False) as pilot:
        pilot.step(3)
        assert pilot.app.host.error_count == 1
        text = str(pilot.app.console.records)
        assert "expected an engine that you have declared in" in text
        assert set(psutil.Process().children(recursive=True)) <= before


@pytest.mark.nightly
def test_an_engine_that_fails_loses_its_game_and_the_match_goes_on(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, "")
    declare_engines([f"evil={sys.executable} -I -S {FAKE} exits"])
    with Pilot(scene=scene_of(tmp_path, "gomocup:evil"), seed=1, graphics=False) as pilot:
        match = pilot.component("Match")
        pilot.wait_until(lambda: len(match.records) >= 2, frames=2000)
        assert {(record.winner, record.termination) for record in match.records} == {
            (-1, "resigned")
        }
        assert pilot.app.host.error_count == 0
        assert "Black loses: evil: exited" in str(pilot.app.console.records)
