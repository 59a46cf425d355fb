"""The tournament scene, headless: its games, its table, and what goes wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ai.arena.arena import run_arena
from ai.arena.tournament import Tournament
from ai.game import Rules
from base.files import SHIPPED_ROOT
from sim.app.app import run
from sim.core.script.panels import StatusBoard
from sim.testing import Pilot, run_options

SCENE = SHIPPED_ROOT / "scenes" / "tournament.scene.json"
FIELDS = {"players": "one-ply, random, one-ply@attention=0.2", "games": 2, "size": 5, "nodes": 5,
          "opening": "first", "seed": 3}  # fmt: skip


def small_scene(folder: Path, boards: int = 2, **fields: object) -> Path:
    """Write the shipped scene with fewer boards and other fields."""
    data = json.loads(SCENE.read_text(encoding="utf-8"))
    for number in range(boards + 1, 5):
        del data["objects"][f"obj_tourbrd{number:02}"]
    for item in data["objects"].values():
        for component in item.get("components", {}).values():
            if component["type"].endswith(":LiveTournament"):
                component["fields"] |= {**FIELDS, **fields}
            if component["type"].startswith("scripts."):
                component["type"] = f"goishi:{component['type']}"
    path = folder / "scenes" / "tournament.scene.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def played(tmp_path: Path, **fields: object) -> tuple[int, dict]:
    stats = tmp_path / "stats.json"
    options = run_options(scene=small_scene(tmp_path, **fields), headless=True, graphics=False,
                          games=99, seed=1, stats=stats)  # fmt: skip
    return run(options), json.loads(stats.read_text(encoding="utf-8"))


def test_its_games_are_those_of_the_arena_with_the_same_seed(tmp_path):
    code, told = played(tmp_path)
    names = tuple(name.strip() for name in str(FIELDS["players"]).split(","))
    arena = run_arena(
        Tournament(names, 2, Rules(5, 5), "first", nodes=5, seed=3), tmp_path / "arena"
    )
    assert code == 0
    assert told["games"] == len(arena["games"]) == 6
    lines = (tmp_path / "arena" / "games.jsonl").read_text(encoding="utf-8").splitlines()
    assert told["moves"] == [json.loads(line)["moves"] for line in lines]
    assert told["winners"] == [game["winner"] for game in arena["games"]]
    assert told["elo"] == arena["elo"]
    assert {pair: told["pairs"][pair] for pair in arena["pairs"]} == arena["pairs"]
    assert (told["script_errors"], told["faults"]) == (0, [])


@pytest.mark.parametrize(
    ("players", "said"),
    [("one-ply, nobody", "nobody"), ("one-ply", "two or more players")],
)
def test_players_that_do_not_fit_are_one_line(tmp_path, capsys, players, said):
    code, _ = played(tmp_path, players=players)
    assert code == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("ERROR")]
    assert len(lines) == 1
    assert said in lines[0]
    assert "expected" in lines[0]


def test_a_player_that_fails_loses_its_games_and_the_tournament_goes_on(tmp_path):
    project = tmp_path / "project"
    scene = small_scene(project, players="one-ply, scripts.broken:Broken", boards=1)
    (project / "scripts").mkdir()
    (project / "scripts" / "broken.py").write_text(
        "from ai import MoveChoice\n\n\n"
        "class Broken:\n"
        "    name = 'broken'\n\n"
        "    def __init__(self, rules, settings):\n"
        "        self.moves = 0\n\n"
        "    def choose(self, board, limit, rng):\n"
        "        self.moves += 1\n"
        "        if self.moves > 1:\n"
        "            raise OSError('the pen is broken')\n"
        "        return MoveChoice(next(iter(board.legal_moves)))\n\n"
        "    def close(self):\n"
        "        pass\n",
        encoding="utf-8",
    )
    stats = tmp_path / "stats.json"
    options = run_options(scene=scene, headless=True, graphics=False, games=2, seed=1, stats=stats,
                          trust=True)  # fmt: skip
    assert run(options) == 0
    told = json.loads(stats.read_text(encoding="utf-8"))
    assert told["games"] == len(told["faults"]) == 2
    assert all("the pen is broken" in fault for fault in told["faults"])
    assert told["pairs"]["one-ply|scripts.broken:Broken"] == [2, 0, 0]


def test_the_table_fills_while_people_watch(tmp_path, monkeypatch):
    told = set()
    show = StatusBoard.set

    def show_and_keep(status, key, text, *, busy=False):
        told.add(text)  # a quick worker takes some lines back within the frame
        show(status, key, text, busy=busy)

    monkeypatch.setattr(StatusBoard, "set", show_and_keep)
    with Pilot(scene=small_scene(tmp_path), seed=1, window=(800, 500), quality="low") as pilot:
        tournament = pilot.component("LiveTournament")
        pilot.wait_until(lambda: len(tournament.lines) >= 1)
        labels = tournament.labels
        tournament.players, tournament.size = "random, nobody", 9  # of the next tournament
        pilot.wait_until(lambda: len(tournament.lines) >= 6 and tournament.is_over)
        pilot.step(2)
        assert told >= {"Tournament: choosing random openings", "Tournament: 1 of 6 games"}
        assert not any("_" in text for text in told)
        assert set(tournament.ratings) == set(labels)
        board = tournament.boards[0]
        assert len(board.view.stones) > 0
        assert board.caption.text.count(" - ") == 1
        begin_anew(pilot, tournament)


def begin_anew(pilot, tournament):
    """Other players are chosen; the games begin with them, wait while paused, and are played."""
    tournament.players, tournament.size = "random, one-ply", 6
    assert not tournament.choices.prepare("games", "3000")
    assert "from 2 to 1000" in tournament.choices.refusals["games"]
    tournament.choices.prepare("games", "2")
    tournament.choices.take()
    tournament.toggle_pause()
    tournament.start_over()
    assert (tournament.lines, tournament.total, tournament.waiting_for) == ([], 0, "")
    assert not any(board.view.stones for board in tournament.boards)
    pilot.wait_until(lambda: tournament.total == 2)
    pilot.wait_until(lambda: any(board.seated == 2 for board in tournament.boards))
    pilot.step(20)
    assert not any(board.has_moved for board in tournament.boards), "paused"
    tournament.toggle_pause()
    assert tournament.waiting_for.startswith("Starting 4 players, each in a process") or (
        tournament.waiting_for == "Waiting for the first move of random"
        or tournament.waiting_for == "Waiting for the first move of one-ply"
    )
    pilot.wait_until(lambda: tournament.is_over)
    assert {line["black"] for line in tournament.lines} == {"random", "one-ply"}
    assert tournament.rules.size == 6
    assert tournament.waiting_for == ""
