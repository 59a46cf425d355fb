"""Who is counted in held-out games, and by which dice: by players that need no thinking."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from ai.experiments import cell, held_out
from ai.experiments.configuration import CellConfiguration
from ai.game import BLACK, WHITE
from ai.learning.learner import TrainedWeights

TRAINED = {"layer": np.full(4, 7.0, np.float32)}


@pytest.fixture
def seeds(monkeypatch):
    """Let only White with the trained network win; return the seeds of the games."""
    asked = []

    class Session:
        def __init__(self, rules, game, *, seed):
            asked.append((seed, game))

        def play_out(self, black, white):
            assert black == "opponent"
            is_trained = white.arrays is not None and np.array_equal(
                white.arrays.get("layer"), TRAINED["layer"]
            )
            return SimpleNamespace(winner=WHITE if is_trained else BLACK)

    def load(trained, player):
        player.arrays = trained.arrays

    monkeypatch.setattr(held_out, "GameSession", Session)
    monkeypatch.setattr(held_out, "create_member", lambda *_: "opponent")
    monkeypatch.setattr(held_out, "create_player", lambda *_: SimpleNamespace(arrays=None))
    monkeypatch.setattr(held_out, "load_playing", load)
    monkeypatch.setattr(held_out, "shuffle_trained", lambda *_: TrainedWeights(1, {}))
    return asked


def test_the_trained_network_plays_white_and_its_wins_are_counted(seeds):
    result = held_out.held_out(CellConfiguration(seed=5), TrainedWeights(9, TRAINED), games=3)
    assert set(result) == {"10x10", "50x30"}
    for counts in result.values():
        assert (counts["wins"], counts["games"]) == (3, 3)
        guards = counts["guards"]
        assert set(guards) == {"before training", "shuffled weights", "pattern"}
        assert [guard["wins"] for guard in guards.values()] == [0, 0, 0]


def test_held_out_games_have_dice_of_their_own(seeds):
    held_out.held_out(CellConfiguration(seed=5), TrainedWeights(9, TRAINED), games=3)
    assert set(seeds) == {(5 + 1_000_003, game) for game in (1, 2, 3)}


def test_games_without_a_losing_move_are_not_counted_among_those_with_one(monkeypatch):
    found = {1: (), 2: (4, 9), 3: ()}

    class Oracle:
        def __init__(self, rules, *, node_limit):
            pass

        def find_mistakes(self, game):
            mistakes = found[game]
            return SimpleNamespace(examined=5, proven=3, unknown=2, mistakes=mistakes)

    monkeypatch.setattr(cell, "Oracle", Oracle)
    done = []
    counts = cell.judge_games(CellConfiguration().rules, [1, 2, 3], done.append, node_limit=8)
    assert counts == {
        "positions": 15, "proven": 9, "unknown": 6,
        "losing_moves": 2, "games_with_losing_moves": 1, "node_limit": 8,
    }  # fmt: skip
    assert done == [1, 2, 3]
