"""The whole loop without workers: does White really learn?"""

from __future__ import annotations

import pytest

from benchmarks.self_teaching import play_trial


@pytest.mark.slow
def test_plus_loses_less_than_half_as_often_after_300_games():
    trial = play_trial(games=300, seed=1)
    losses = trial.losses(50)
    assert losses[0] >= 10, "an untrained net must lose, or there is nothing to see"
    assert losses[-1] < losses[0] / 2


@pytest.mark.slow
def test_the_papers_player_retrains_after_each_loss():
    trial = play_trial(games=15, seed=1, player="cnn-ann")
    assert sum(trial.is_lost) > 0
    assert trial.nodes <= 4 * sum(trial.is_lost)
