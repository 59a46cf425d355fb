"""A run is played headless, and its games are shown again."""

from __future__ import annotations

import json

import cv2
import pytest

from ai import RunReadError, read_games
from sim.app.app import run
from sim.commands.cli.application import run_application
from sim.testing import run_options


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "live"
    options = run_options(
        headless=True, graphics=False, games=3, seed=4, out=out, player_white="random"
    )
    assert run(options) == 0
    return out


def test_the_live_scene_writes_an_experiments_files(played):
    lines = [json.loads(line) for line in (played / "games.jsonl").read_text().splitlines()]
    summary = json.loads((played / "summary.json").read_text())
    assert [line["game"] for line in lines] == [1, 2, 3]
    assert summary["games"] == 3
    assert summary["losses"] == sum(line["winner"] == "black" for line in lines)
    assert len((played / "timings.jsonl").read_text().splitlines()) == 3
    assert summary["config"]["seed"] == 4


def test_its_games_are_read_again_from_lines_and_from_the_database(played):
    games = read_games(played)
    assert [record.game for record in games] == [1, 2, 3]
    assert read_games(played / "runs.sqlite3") == games


def test_a_game_is_shown_to_its_end(played, tmp_path):
    path = tmp_path / "last.png"
    words = ["replay", str(played), "--game", "2", "--screenshot", str(path), "--window", "640x400"]
    assert run_application(words) == 0
    picture = cv2.imread(str(path))
    assert picture.shape == (400, 640, 3)
    assert picture.std() > 20


@pytest.mark.parametrize("game", ["0", "4"])
def test_a_game_that_is_not_there_is_named(played, game, capsys):
    assert run_application(["replay", str(played), "--game", game, "--headless"]) == 2
    assert "expected a game from 1 to 3" in capsys.readouterr().err


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('"moves": [', '"moves": [99, ', 1),
        lambda text: text.replace('"winner"', '"loser"', 1),
        lambda text: "{]\n" + text,
        lambda text: text.replace('"black"', '"white"').replace('"five"', '"full"'),
    ],
)
def test_a_wrong_line_is_refused_with_its_place(played, tmp_path, change):
    (tmp_path / "run.json").write_bytes((played / "run.json").read_bytes())
    text = (played / "games.jsonl").read_text()
    (tmp_path / "games.jsonl").write_text(change(text))
    with pytest.raises(RunReadError, match="expected a run's games"):
        read_games(tmp_path)
