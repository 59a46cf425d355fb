"""The whole loop without workers: does White really learn?"""

from __future__ import annotations

import pytest

from benchmarks.self_teaching import play_trial


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    ("games", "learning", "most"),
    [(60, 40, 1), pytest.param(200, 100, 2, marks=pytest.mark.nightly)],
)
def test_plus_loses_at_first_and_hardly_ever_later(games, learning, most):
    trial = play_trial(games=games, seed=1)
    assert trial.is_lost[0], "an untrained net must lose, or there is nothing to see"
    assert sum(trial.is_lost) <= 13
    assert sum(trial.is_lost[learning:]) <= most


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.timeout(400)
def test_without_its_improvements_plus_loses_far_more_often_and_yet_learns():
    plain = {"variations": 0, "near_losses": False, "play_symmetries": False, "cycle": None,
             "enough": None, "steps": 60}  # fmt: skip
    losses = play_trial(games=300, seed=1, settings=plain).losses(50)
    assert losses[0] >= 10
    assert losses[-1] < losses[0] / 2


@pytest.mark.slow
def test_the_papers_player_retrains_after_each_loss():
    trial = play_trial(games=15, seed=1, player="cnn-ann")
    assert sum(trial.is_lost) > 0
    assert trial.nodes <= 4 * sum(trial.is_lost)
