from __future__ import annotations

import numpy as np
import pytest

from ai.game import WHITE, Rules
from ai.learning.learner import Trainers
from ai.learning.self_teaching import SelfTeachingLearner
from ai.registry.players import get_player_info, list_players
from benchmarks.retrain import random_samples

NAMES = ("cnn-ann", "cnn-ann-plus")
RULES = Rules(7, 5, full_board_winner=WHITE)
TRAINERS = Trainers()

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:keras")


def share_held(learner: SelfTeachingLearner, states: int) -> float:
    samples = random_samples(states, RULES, np.random.default_rng(states))
    return learner.fit(samples, 1).measures.held


def test_every_player_with_a_network_is_named():
    with_network = {
        info.name for info in list_players()
        if "hidden" in {setting.key for setting in info.settings}
    }  # fmt: skip
    assert set(NAMES) == with_network


@pytest.mark.parametrize(
    ("name", "states"),
    [(name, states) for name in NAMES for states in (4, 20, 200)]
    + [  # between those, and five times as many: by night
        pytest.param(name, states, marks=pytest.mark.nightly)
        for name in NAMES
        for states in (60, 1000)
    ],
)
def test_a_network_holds_what_it_was_trained_on(name, states):
    learner = SelfTeachingLearner(name, RULES, {}, trainers=TRAINERS)
    assert share_held(learner, states) >= 0.95


@pytest.mark.parametrize("name", NAMES)
def test_one_that_takes_no_steps_holds_nothing(name, monkeypatch, own_loops):
    monkeypatch.setattr("ai.nets.optimizer._FusedAdam.update_step", lambda *arguments: None)
    defaults = {setting.key for setting in get_player_info(name).settings}
    settings = {"steps": 80} if "steps" in defaults else {}
    learner = SelfTeachingLearner(name, RULES, settings, trainers=Trainers())
    assert share_held(learner, 4) < 0.95
