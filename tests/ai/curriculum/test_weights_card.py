"""A trained pair is measured against its controls, and ships with what came of it."""

from __future__ import annotations

import json

import pytest

from ai.curriculum.batches import RosterPlayer
from ai.curriculum.settings import Curriculum
from ai.game import Rules
from ai.learning.alphagomoku.training import new_pair
from ai.nets.policy_value import load_pair, save_pair
from benchmarks import alphagomoku_weights as module
from benchmarks.alphagomoku_weights import Score, elo_of, ladder_of, main, match, plan_of, seat_of

TINY = {"filters": 2, "blocks": 0, "lot": 4, "pooled": True}


class Referee:
    """Plays nothing: who has the file or the name gets these points of each game."""

    def __init__(self, points):
        self.points, self.lots = points, []

    def played(self, orders):
        for place, lot in enumerate(orders):
            self.lots.append(lot)
            yield place, [self.points] * lot.games

    def close(self):
        pass


@pytest.fixture
def run(tmp_path):
    """A folder that a training of two phases has left."""
    folder = tmp_path / "run"
    (folder / "versions").mkdir(parents=True)
    plan = Curriculum.of(Rules(4, 3), 3, TINY)
    (folder / "run.json").write_text(json.dumps({"config": plan.as_dict(), "versions": {"a": "1"}}))
    line = {"seconds": 900.0, "trainer_cpu_seconds": 30.0, "actors_cpu_seconds": 6.0, "version": 1}
    lines = [
        {**line, "phase": "basic", "generation": 1, "games": 0, "held_out": {"trained": 0.5}},
        {**line, "phase": "mentor", "generation": 2, "games": 8, "held_out": {"trained": 0.6}},
        {**line, "phase": "mentor", "generation": 3, "games": 16, "held_out": {"trained": 0.7}},
    ]
    (folder / "metrics.jsonl").write_text("".join(json.dumps(item) + "\n" for item in lines))
    for name in ("pair", "versions/0001", "versions/0002"):
        save_pair(folder / f"{name}.npz", new_pair(plan.architecture, 3, shares=False))
    return folder


def test_a_score_says_its_interval_and_elo_where_there_is_a_bound():
    assert elo_of(0.5) == 0.0
    assert elo_of(10 / 11) == pytest.approx(400.0)
    assert (elo_of(0.0), elo_of(1.0)) == (None, None)
    said = Score(15.0, 20).as_dict()
    assert said["interval"][0] < said["score"] == 0.75 < said["interval"][1]
    assert said["elo_interval"][0] < said["elo"] < said["elo_interval"][1]
    assert Score(20.0, 20).as_dict()["elo_interval"][1] is None
    assert str(Score(20.0, 20)) == "20 of 20 (84% to 100%), no bound"


def test_the_ladder_is_spread_over_the_earlier_pairs(tmp_path):
    for number in (1, 2, 3, 5, 8, 13, 21, 34, 55):
        (tmp_path / f"{number:04d}.npz").touch()
    assert list(ladder_of(tmp_path)) == ["version 1", "version 3", "version 8", "version 21"]
    for path in sorted(tmp_path.glob("*.npz"))[:-1]:
        path.unlink()
    assert ladder_of(tmp_path) == {}, "the best one does not play itself"


def test_a_player_has_positions_or_seconds_for_a_move():
    assert seat_of("mcts=300") == RosterPlayer("mcts", nodes=300)
    assert seat_of("mcts=0.5s") == RosterPlayer("mcts", seconds=0.5)
    assert seat_of("one-ply") == RosterPlayer("one-ply", nodes=1)


def test_a_match_has_all_its_games_in_lots_with_openings_of_their_own(run):
    plan, referee = plan_of(run, 9, 5), Referee(0.5)
    assert plan.count("simulations") == 9
    assert plan.rules == Rules(4, 3)
    score = match(plan, run / "pair.npz", RosterPlayer("random", 1), 10, referee)
    assert score == Score(5.0, 10)
    lots = [(lot.games, lot.pairs_before) for lot in referee.lots]
    assert lots == [(4, 0), (4, 2), (2, 4)]


@pytest.mark.parametrize(("points", "code"), [(1.0, 0), (0.5, 1)])
def test_what_ships_is_the_pair_with_its_card_beside_it(
    run, tmp_path, monkeypatch, capsys, points, code
):
    monkeypatch.setattr(module, "LocalActors", lambda jobs: Referee(points))
    words = ["weights", str(run), "--games", "4", "--opponent", "mcts=300"]
    words += ["--command", "train it", "--ship", str(tmp_path)]
    monkeypatch.setattr("sys.argv", words)
    assert main() == code
    out, error = capsys.readouterr()
    assert ("MISSED" in error) == bool(code)
    assert f"against mcts=300: {4 * points:g} of 4" in out
    card = json.loads((tmp_path / "alphagomoku_4.json").read_text())
    shipped = load_pair(tmp_path / "alphagomoku_4.npz")
    assert shipped.card == card
    assert shipped.architecture == load_pair(run / "pair.npz").architecture
    assert set(card["matches"]) == {"untrained", "shuffled weights", "version 1", "mcts=300"}
    assert (card["board"], card["win_length"], card["commands"]) == (4, 3, ["train it"])
    assert (card["hours"], card["processor_hours"], card["games"]) == (0.75, 0.03, 16)
    assert card["generations"] == {"basic": 1, "mentor": 2}
    assert card["held_out"] == {"basic": {"trained": 0.5}, "mentor": {"trained": 0.7}}
